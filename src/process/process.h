#ifndef BG_PROCESS_PROCESS_H
#define BG_PROCESS_PROCESS_H

#include "process/subprocess.h"

/* A question about scattering: the subprocesses that answer it together. */
struct bg_process {
    int count; /* of subprocesses; partons in definite states have one */
    bg_subprocess subprocess[];
};

#endif
