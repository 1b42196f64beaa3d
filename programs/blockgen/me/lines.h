/* Lines of phase-space points: reading them, and what they say. */
#ifndef BG_PROGRAM_ME_LINES_H
#define BG_PROGRAM_ME_LINES_H

#include "blockgen/blockgen.h"
#include "me/npy.h"

#include <stddef.h>

enum { LINE_NUMBERS = 4 * (2 + BG_MAX_OUT_DRESSED) }; /* at most */
enum { LINE_LENGTH = 4 << 20 };                       /* bytes of a line at most, comment and all */

/* Lines of a file; not by stdio, which does not tell whether the next one would have to be waited for. */
typedef struct reader {
    int file;
    const char *title; /* of the file, in messages */
    double size;       /* bytes, 0 where unknown */
    double read;
    char *buffer;
    size_t room, from, to; /* what was read and not taken yet is at [from, to) */
    int ended;
    int overlong; /* what is there begins in the middle of a line that was too long, of which it is still a part */
    unsigned long number; /* of the line */
    npy_array array;      /* where the file is one, its rows are the lines */
    int begun;            /* it is known whether it is one */
} reader;

/* Opens a file, NULL or "-" being standard input. Returns 0, or the number of an error. */
int reader_open(reader *in, const char *name);
void reader_close(reader *in);

/* The next line, without its end, if it is there already or the file has ended: 1. 0: more must be read first. Of a line
 * longer than LINE_LENGTH there is its beginning, longer than that, and the rest is never handed out. */
int reader_take(reader *in, char **line, size_t *length);

/* Whether there is something to read, or the end, without waiting. */
int reader_is_ready(const reader *in);

/* Reads on; 0, or the number of an error. */
int reader_read(reader *in);

typedef enum line_kind { LINE_POINT, LINE_EMPTY, LINE_BAD } line_kind;

/* Numbers of a line, blanks or a comma between them. On LINE_BAD `reason` says why; *n_out is 0 unless the count was
 * right. */
line_kind line_parse(char *line, size_t length, double numbers[LINE_NUMBERS], int *n_out, char *reason, size_t size);

/* The same for a row of an array. */
line_kind row_parse(const char *row, size_t length, double numbers[LINE_NUMBERS], int *n_out, char *reason,
                    size_t size);

#endif
