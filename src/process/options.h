/* Every option once: its name, its values, its default, its field. The table serves the library's own checks, options by
 * name, checkpoints, and whoever asks for it through bg_option_at(): help, manuals, other languages.
 */
#ifndef BG_PROCESS_OPTIONS_H
#define BG_PROCESS_OPTIONS_H

#include "blockgen/blockgen.h"

/* What a field is in memory. Two options are more than a field. */
typedef enum option_storage {
    OPTION_INT, /* int or an enumeration */
    OPTION_UINT64,
    OPTION_DOUBLE,
    OPTION_WORD,     /* char[] of `room` bytes */
    OPTION_POINTER,  /* const char *, the caller's */
    OPTION_HELICITY, /* a word of the enumeration, or the helicities themselves */
    OPTION_ALGORITHM /* sets several others */
} option_storage;

typedef struct option_row {
    bg_option shown;
    option_storage storage;
    size_t offset, room;
} option_row;

extern const option_row bg_option_table[];
extern const int bg_option_rows;

/* The row of a name, or NULL; the most similar name, or NULL where none is. */
const option_row *bg_option_row(bg_option_owner owner, const char *name);
const char *bg_option_nearest(bg_option_owner owner, const char *name);

/* What the value of a row must be, in words: "a whole number from 0 to 4096". */
void bg_option_say_range(const option_row *row, char *text, size_t size);

/* Text into a field of `object`, a bg_options or bg_integration of the size it says, and back. A value outside its range is
 * refused; a field that the object is too short for is, too. */
bg_status bg_option_store(const option_row *row, void *object, const char *value, bg_error *error);
bg_status bg_option_print(const option_row *row, const void *object, char *value, size_t room, bg_error *error);

/* The defaults of a whole struct, which then says `size`. */
void bg_option_defaults(bg_option_owner owner, void *object, size_t known, size_t size);

/* A struct of ours from the caller's. */
bg_status bg_options_adopt(bg_options *ours, const bg_options *caller, bg_error *error);
bg_status bg_integration_adopt(bg_integration *ours, const bg_integration *caller, bg_error *error);

/* Every enumeration and number of the options in its own range. */
bg_status bg_options_check_ranges(const bg_options *options, bg_error *error);

#endif
