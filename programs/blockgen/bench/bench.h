/* blockgen bench, in three stories: which entries there are (list.c), what they measure (rows.c), and how it is shown
 * (print.c). The command itself is bench.c. */
#ifndef BG_PROGRAM_BENCH_BENCH_H
#define BG_PROGRAM_BENCH_BENCH_H

#include "jsonread.h"
#include "machine.h"
#include "measure/measure.h"
#include "options.h"

#define BENCH_NAME "bench"

enum { BENCH_MOST_PROCESSES = 32, BENCH_MOST_TARGETS = BENCH_MOST_PROCESSES + BG_MAX_OUT_DRESSED };
enum { BENCH_MOST_BACKENDS = 4, BENCH_MOST_QUESTIONS = 48 }; /* 6 algorithms with two kernels on each backend */

/* What scatters: gluons of a number that -n has, or a process that was named. */
typedef struct target {
    int n_out;
    const char *text;                  /* of --process; NULL: gluons of a range */
    char name[BG_PROCESS_NAME_LENGTH]; /* in full, "u g > u g g" */
} target;

/* The processes of --process, in the order of the command line. */
typedef struct process_list {
    const char *text[BENCH_MOST_PROCESSES];
    int count;
} process_list;

/* One algorithm with one kernel on one backend, for every target of the run. */
typedef struct question {
    bg_algorithm algorithm;
    bg_options options;
    double one[BG_MAX_OUT_DRESSED + 1]; /* seconds of a single point at each n_out of gluons, 0: not known */
    int absent;                         /* there is no such kernel: the paper's runs, and that is in the list already */
} question;

/* One question for one target. */
typedef struct row {
    const target *of;
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
    const target *of;
    int stage; /* -1: all stages */
    bg_algorithm algorithm;
    bg_options options;
    bg_status status;
    char reason[BG_MESSAGE_LENGTH];
} skip;

/* The points of a backend are the same for all its algorithms: measured once for each target. */
typedef struct points_of_backend {
    char backend[16];
    const target *of;
    measurement phase_space, cuts;
} points_of_backend;

typedef struct bench {
    cli_common common;
    cli_range range; /* of n_out; 0: not given */
    process_list named;
    target targets[BENCH_MOST_TARGETS];
    int target_count;
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

/* For --process, into a process_list. */
cli_parse_function bench_add_process;

/* Targets, and the questions to them. CLI_DONE, or an exit status after a message. */
int bench_make_list(bench *b, const cli_command *command);

/* Whether an entry is a question that can be asked of a process. */
bg_status bench_makes_sense(const question *q, const target *of, bg_error *error);

/* The process of a target, to be destroyed. */
bg_status bench_process(const target *of, bg_process **process, bg_error *error);

/* ---- rows.c: measuring, and an earlier run --------------------------------------------------------------------- */

/* Reads the file to compare with, where there is one: CLI_DONE, or an exit status after a message. */
int bench_read_old(bench *b);

/* Measures one entry for one target: adds a row, what was skipped, or both. */
void bench_measure(bench *b, question *q, const target *of, measure_setting *s);

/* ---- print.c --------------------------------------------------------------------------------------------------- */

void bench_print_machine(const bench *b);
void bench_print_group(const bench *b, const target *of);
void bench_print_row(const bench *b, const row *w);
void bench_print_skip(const skip *s);
void bench_print_end(const bench *b);
void bench_print_json(const bench *b);

#endif
