/* Texts of parton densities: lines, numbers, and the entries "Key: value". */
#ifndef BG_BEAMS_PDF_TEXT_H
#define BG_BEAMS_PDF_TEXT_H

#include "blockgen/blockgen.h"

#include <stddef.h>

/* A place in a text that ends with a zero. */
typedef struct text_place {
    const char *path;
    const char *at;
    int line;
} text_place;

/* Numbers of a line or of an entry. */
typedef struct text_numbers {
    double *number;
    size_t count, room;
} text_numbers;

/* "FILE, line N: reason" */
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
bg_status
text_refuse(const text_place *place, bg_error *error, const char *format, ...);

/* The next line that is neither empty nor a comment: its first character that is not blank, or NULL at the end. The place is
 * then behind it; `line` is its number. */
const char *text_next_line(text_place *place);

/* Whether a line is "---". */
int text_is_rule(const char *line);

/* All numbers of a line. `what` names them, and there are `most` at most. Released by text_numbers_release(). */
bg_status text_read_numbers(const text_place *place, const char *line, const char *what, size_t most,
                            text_numbers *numbers, bg_error *error);
void text_numbers_release(text_numbers *numbers);

/* Exactly `count` numbers of a line, into an array. */
bg_status text_read_row(const text_place *place, const char *line, int count, double *row, bg_error *error);

/* ---- entries ------------------------------------------------------------------------------------------------------ */

typedef struct text_entry {
    char *key, *value; /* values of several lines are joined */
    int line;
} text_entry;

typedef struct text_entries {
    const char *path;
    char *copy; /* of the text, which the entries point to */
    text_entry *entry;
    size_t count, room;
} text_entries;

/* Entries up to a line "---" or the end; the place is then behind it, and *ruled says which of the two. */
bg_status text_read_entries(text_place *place, text_entries *entries, int *ruled, bg_error *error);
void text_entries_release(text_entries *entries);

/* The last entry of this key; NULL: there is none. */
const text_entry *text_find(const text_entries *entries, const char *key);

/* All numbers of a value such as "[1, 2, 3]". */
bg_status text_read_list(const text_entries *entries, const text_entry *entry, size_t most, text_numbers *numbers,
                         bg_error *error);

#endif
