/* Files that are replaced as a whole: written beside their name, as NAME.PROCESS-NUMBER, and renamed. */
#ifndef BG_ENGINE_BESIDE_H
#define BG_ENGINE_BESIDE_H

#include "blockgen/blockgen.h"

enum { BG_BESIDE_ROOM = 40 }; /* for what is added to a name */

/* A new file beside `path`, whose name goes to `name`: nobody else's is touched. It is locked while it is open. */
bg_status bg_beside_create(const char *path, char *name, size_t size, int *file, bg_error *error);

/* Removes what processes have left beside `path` that were killed while they wrote: files with such a name that begin as
 * `start` does, as far as they go, whose process is gone and whose lock is free. */
void bg_beside_clean(const char *path, const char *start, size_t length);

/* Makes the renaming itself durable. */
void bg_beside_sync(const char *path);

#endif
