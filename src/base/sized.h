/* Structs of the public interface that begin with their size: the caller's may be shorter or longer than ours.
 *
 * A shorter one was compiled when the struct had fewer fields: the fields that it lacks have their defaults. A longer one
 * comes from a program that is newer than the library: it is accepted as long as it asks for nothing that we do not know,
 * which means that all beyond our end is zero, as our own initialization left it.
 */
#ifndef BG_BASE_SIZED_H
#define BG_BASE_SIZED_H

#include "blockgen/blockgen.h"

/* Whether the size is that of a struct at all. `what` names it in the message, such as "options". */
bg_status bg_sized_check(const void *caller, const char *what, bg_error *error);

/* Overwrites `ours`, which holds the defaults and has `known` bytes, with the caller's fields. The size that it then says is
 * the caller's: a copy of the struct that a caller makes is right for it. */
bg_status bg_sized_read(void *ours, size_t known, const void *caller, const char *what, bg_error *error);

/* Fills the caller's struct from ours, and 0 where ours ends before it. */
bg_status bg_sized_write(void *caller, const void *ours, size_t known, const char *what, bg_error *error);

#endif
