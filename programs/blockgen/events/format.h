/* What formats and the writer share. A format encodes blocks of events in any thread and appends them in one. */
#ifndef BG_PROGRAM_EVENTS_FORMAT_H
#define BG_PROGRAM_EVENTS_FORMAT_H

#include "events/reader.h"
#include "events/writer.h"

#include <sys/types.h>

enum { EVENTS_PATH = 4096, EVENTS_LINE = 4096, EVENTS_REAL = 32 };

/* Bytes that grow. After a failure `failed` is set, and nothing is added any more. */
typedef struct events_text {
    char *at;
    size_t length, room;
    int failed;
} events_text;

void events_add(events_text *text, const void *bytes, size_t length);
void events_print(events_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A number with 17 digits into room for EVENTS_REAL characters; returns how many. And one or more to a text, each behind `before`. */
size_t events_format_real(double x, char *to);
void events_reals(events_text *text, char before, const double *x, int count);

/* A run of events on its way. */
typedef struct events_block {
    size_t count, room;
    bg_event *event;   /* [room] */
    double *variation; /* [room][variations] */
    size_t *end;       /* [room] where the bytes of each event end */
    events_text text;  /* encoded */
} events_block;

/* The file. */
typedef struct events_sink {
    const struct events_format *format;
    events_run run; /* with copies of all lists */
    events_options options;
    int legs;                /* of the event that has most */
    char part[EVENTS_PATH];  /* its name for now */
    char final[EVENTS_PATH]; /* and when it is complete */
    int file;                /* its descriptor, locked */
    off_t head, end;         /* bytes of the head, and of everything up to the last complete event */
    uint64_t count;          /* complete events */
    uint64_t last;           /* number of the last one */
    uint64_t *used;          /* [process], of a file that was gone on with: behind the last number of each */
    double trials;           /* at the end */
    int64_t *counts;         /* [ranks + 1] of ranks that write together: their events in the block that is appended */
    void *own;               /* of the format */
} events_sink;

typedef struct events_format {
    const char *name;
    const char *endings; /* separated by blanks */
    const char *missing; /* NULL: built in; otherwise what to do about it */
    size_t block;        /* events in a block */
    int resumes;
    bg_status (*start)(events_sink *s, bg_error *error);
    bg_status (*resume)(events_sink *s, bg_error *error);
    void (*encode)(const events_sink *s, events_block *b);
    bg_status (*append)(events_sink *s, const events_block *b, bg_error *error);
    bg_status (*finish)(events_sink *s, int complete,
                        bg_error *error); /* the end of the file, with final numbers where it is complete */
    /* Where ranks can write together, otherwise NULL: all of them open what rank 0 has begun, and hand it back to it. */
    bg_status (*share)(events_sink *s, bg_error *error);
    bg_status (*unshare)(events_sink *s, bg_error *error);
} events_format;

extern const events_format events_lhef, events_lhef_gz, events_hdf5, events_npy, events_csv;

/* Fills an error and returns its status. */
bg_status events_fail(bg_error *error, bg_status status, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Files of bytes: writes all of it, at the end or at a place. */
bg_status events_put(events_sink *s, const void *bytes, size_t length, bg_error *error);
bg_status events_put_at(events_sink *s, const void *bytes, size_t length, off_t at, bg_error *error);

/* Appends a block; `tail` is room that the end of the file will need. Where there is no room for all of it, what is not
 * complete is cut off again. */
bg_status events_append(events_sink *s, const events_block *b, size_t tail, bg_error *error);

/* An event that was found in a file which is gone on with; `process` from 0. Returns 0 where it cannot be one of this run. */
int events_found(events_sink *s, uint64_t number, int process);

/* ---- ranks that write together: see together.c --------------------------------------------------------------------------- */

/* Rank 0, or the only process. */
int events_is_first(const events_sink *s);

/* Where one rank fails, all do, with the same status. */
bg_status events_agree(const events_sink *s, bg_status mine, bg_error *error);

/* From rank 0 to all. */
void events_tell(const events_sink *s, void *data, size_t bytes);

/* Before a block is appended: fills s->counts, and returns how many ranks have none, or cannot go on. */
int events_exchange(events_sink *s, size_t count, int stops);

/* Which of the rows that a block adds are those of this rank. */
typedef struct events_slab {
    uint64_t before, count, total;
} events_slab;
events_slab events_own_slab(const events_sink *s, const events_block *b);

/* HDF5 for reader.c. */
char *events_hdf5_about(const char *path, bg_error *error);
bg_status events_hdf5_read(const char *path, events_entry *entry, size_t count, bg_error *error);

/* Texts of plain arrays are in a file beside them. */
#define EVENTS_ABOUT ".about"

/* ... and an attribute of a file in HDF5. */
#define EVENTS_OPTIONS "blockgen_options"

#endif
