/* blockgen bench, in three stories: which entries there are (list.c), what they measure (rows.c), and how it is shown
 * (print.c). The command itself is bench.c. */
#ifndef BG_PROGRAM_BENCH_BENCH_H
#define BG_PROGRAM_BENCH_BENCH_H

#include "jsonread.h"
#include "machine.h"
#include "measure/measure.h"
#include "options.h"

#define BENCH_NAME "bench"

enum { BENCH_MOST_BACKENDS = 4, BENCH_MOST_QUESTIONS = 48 }; /* 6 algorithms with two kernels on each backend */

/* One algorithm with one kernel on one backend, at every n_out of the run. */
typedef struct question {
    bg_algorithm algorithm;
    bg_options options;
    double one[BG_MAX_OUT_DRESSED + 1]; /* seconds of a single point at each n_out, 0: not known */
    int absent;                         /* there is no such kernel: the paper's runs, and that is in the list already */
} question;

/* One question at one n_out. */
typedef struct row {
    int n_out;
    bg_algorithm algorithm;
    bg_options options; /* as resolved */
    bg_memory memory;
    measurement stage[STAGES];
    char variant[192]; /* options beyond the axes, "" for none */
    bg_operations operations;
    double speedup; /* over the paper's kernel in this run, 0: not known */
    double old_ns[STAGES];
    int slower[STAGES];
} row;

typedef struct skip {
    int n_out, stage; /* -1: all stages */
    bg_algorithm algorithm;
    bg_options options;
    bg_status status;
    char reason[BG_MESSAGE_LENGTH];
} skip;

/* The points of a backend are the same for all its algorithms: measured once at each n_out. */
typedef struct points_of_backend {
    char backend[16];
    int n_out;
    measurement phase_space, cuts;
} points_of_backend;

typedef struct bench {
    cli_common common;
    cli_range range; /* of n_out */
    int stage, brief;
    double seconds, tolerance;
    const char *label, *compare;
    json_value *old;
    machine machine;
    question questions[BENCH_MOST_QUESTIONS];
    int question_count;
    int on_chip; /* a backend may use memory on chip: show it */
    points_of_backend points[BENCH_MOST_BACKENDS];
    row *rows;
    int row_count;
    skip *skips;
    int skip_count;
    int slower, compared;
} bench;

static inline int bench_wants(const bench *b, int stage) { return b->stage == STAGES || b->stage == stage; }

/* ---- list.c: entries that options leave -------------------------------------------------------------------- */

/* CLI_DONE, or an exit status after a message. */
int bench_make_list(bench *b, const cli_command *command);

/* Whether an entry is a question that can be asked at n_out. */
bg_status bench_makes_sense(const question *q, int n_out, bg_error *error);

/* ---- rows.c: measuring, and an earlier run --------------------------------------------------------------------- */

/* Reads the file to compare with, where there is one: CLI_DONE, or an exit status after a message. */
int bench_read_old(bench *b);

/* Measures one entry at one n_out: adds a row, what was skipped, or both. */
void bench_measure(bench *b, question *q, measure_setting *s);

/* ---- print.c --------------------------------------------------------------------------------------------------- */

void bench_print_machine(const bench *b);
void bench_print_group(const bench *b, int n_out);
void bench_print_row(const bench *b, const row *w);
void bench_print_skip(const skip *s);
void bench_print_end(const bench *b);
void bench_print_json(const bench *b);

#endif
