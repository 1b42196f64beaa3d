/* The file of a writer, which is called FILE.part until it is complete: what writer.c does with part.c. */
#ifndef BG_PROGRAM_EVENTS_PART_H
#define BG_PROGRAM_EVENTS_PART_H

#include "events/format.h"

/* Both names, from that of the complete file. */
bg_status events_name_file(events_sink *s, const char *path, bg_error *error);

/* Names it, and looks whether it could be begun as things are now. */
bg_status events_check_file(events_sink *s, const char *path, bg_error *error);

/* What one process does, be it the only one: the file, with nothing in it or with what was there. */
bg_status events_begin_file(events_sink *s, bg_error *error);

/* Keeps other processes out, which fails where one of them is writing. Formats open files and close them, and the lock ends with it: so
 * it is taken once more when they have begun. */
bg_status events_lock_file(const events_sink *s, bg_error *error);

/* The last bytes, and everything to disk. */
bg_status events_finish_file(events_sink *s, int complete, bg_error *error);

/* The name of a complete file. */
bg_status events_give_name(const events_sink *s, bg_error *error);

#endif
