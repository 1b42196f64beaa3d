/* Status and message in one go:  return bg_fail(error, BG_ERROR_ARGUMENT, "n_out is %d ...", n); */
#ifndef BG_BASE_STATUS_H
#define BG_BASE_STATUS_H

#include "blockgen/blockgen.h"

#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
bg_status
bg_fail(bg_error *error, bg_status status, const char *format, ...);

/* Clears an error and returns BG_OK. */
bg_status bg_succeed(bg_error *error);

#endif
