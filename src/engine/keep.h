/* What integrations have learned, kept in a file so that nothing has to be learned twice.
 *
 * A file is a header, a parcel and a checksum. It is for the version of the program that has written it: numbers are kept as
 * they are in memory.
 */
#ifndef BG_ENGINE_KEEP_H
#define BG_ENGINE_KEEP_H

#include "base/parcel.h"
#include "blockgen/blockgen.h"

/* Written beside `path` and renamed, so that there is a whole file or none. */
bg_status bg_keep_write(const char *path, const bg_parcel *parcel, bg_error *error);

/* To be freed, also after an error. BG_ERROR_IO: there is no such file; otherwise it is damaged or of another version. */
bg_status bg_keep_read(const char *path, bg_parcel *parcel, bg_error *error);

#endif
