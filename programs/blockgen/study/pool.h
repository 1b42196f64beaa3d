/* The measurements behind the figures: made once, used by every figure that needs them.
 *
 * A strategy is one way to answer the question (colors, helicities, kernel); a place is what it ran on. A figure says
 * which kinds of measurements it needs, pool_measure() makes those of all figures that were asked for within a
 * limit of time, and what would not fit is left out with its reason. Curves of a GPU that is not here come from
 * recorded results (recorded.h).
 */
#ifndef BG_PROGRAM_STUDY_POOL_H
#define BG_PROGRAM_STUDY_POOL_H

#include "machine.h"
#include "measure/measure.h"
#include "options.h"
#include "study/curves.h"

/* ---- what is measured ----------------------------------------------------------------------------------- */

enum { ONE_THREAD, ALL_CORES, GPU, GPU_HOST /* recorded: the CPU beside the GPU */, PLACES };

enum { WHY_LENGTH = 200, MOST_OUT = BG_MAX_OUT_DRESSED };

typedef enum pool_source { POOL_NONE = 0, POOL_MEASURED, POOL_RECORDED } pool_source;

/* Time and memory of a strategy at one n_out. */
typedef struct pool_timing {
    pool_source source;
    int threads;
    bg_memory memory; /* batch 0: not known */
    measurement stage[STAGES];
    double beside;        /* ns of |M|^2 in the run that timed the whole event */
    char why[WHY_LENGTH]; /* where something is missing */
} pool_timing;

/* An integration to 1 %. */
typedef struct pool_percent {
    pool_source source;
    int threads;
    double points;  /* trial points that 1 % takes, adaptation not counted */
    double spread;  /* of the points over seeds, relative; 0: one seed */
    double seconds; /* to 1 %, adaptation included */
    double sigma_pb, error_pb;
    int runs;
    int extrapolated; /* stopped before 1 %: scaled with the square of the error */
    char why[WHY_LENGTH];
} pool_percent;

/* The hybrid arrangement: CPU threads make points for a GPU. Seconds for `accepted` points. */
typedef struct pool_hybrid {
    pool_source source;
    int threads;
    double accepted;
    double points;          /* points and weights, sum over threads */
    double flat;            /* the same with RAMBO, whose weight is a constant, for as many accepted points */
    double copies;          /* to the GPU */
    double matrix_elements; /* on the GPU */
    double whole, device;   /* wall time of all of it, and with everything on the GPU */
    char why[WHY_LENGTH];
} pool_hybrid;

/* Digits against quadruple precision. */
typedef struct pool_digits {
    pool_source source;
    int points;
    double median, worst; /* relative deviations */
    char why[WHY_LENGTH];
} pool_digits;

/* ---- the pool ------------------------------------------------------------------------------------------------ */

/* Kinds of measurements, in the order in which they are made. */
enum {
    NEED_MEMORY = 1 << 0,
    NEED_ONE_THREAD = 1 << 1, /* |M|^2 and whole events */
    NEED_STAGES = 1 << 2,     /* amplitudes and color sum apart */
    NEED_ALL_CORES = 1 << 3,
    NEED_GPU = 1 << 4,
    NEED_PERCENT = 1 << 5,
    NEED_PERCENT_GPU = 1 << 6,
    NEED_HYBRID = 1 << 7,
    NEED_POINTS = 1 << 8, /* phase space alone, one thread */
    NEED_DIGITS = 1 << 9,
    NEEDS = 10
};

typedef struct pool {
    /* the question */
    int low, high;
    double seconds; /* for each timing */
    double limit;   /* for everything together */
    uint64_t seed;
    int threads; /* 0: all cores */
    int quiet;
    int cpu, gpu; /* whether to measure there */
    int recorded; /* nothing is measured: all curves are recorded ones */

    machine machine;
    char gpu_name[BG_NOTE_LENGTH]; /* of a GPU that is here */
    char recorded_on[256];         /* machine, commit and date of the GPU's recorded results */
    char recorded_host[160];       /* the CPU beside the recorded GPU */
    char recorded_cpu[160];        /* the CPU behind the recorded results of ONE_THREAD and ALL_CORES */
    char recorded_cpu_at[64];      /* their commit and date */
    int cores;                     /* behind ALL_CORES */

    pool_timing timing[PLACES][STRATEGIES][MOST_OUT + 1];
    pool_percent percent[PLACES][STRATEGIES][MOST_OUT + 1];
    pool_hybrid hybrid[MOST_OUT + 1];
    /* phase space on one thread, an accepted point: adaptive, and RAMBO */
    measurement generated[MOST_OUT + 1], flat[MOST_OUT + 1];
    pool_digits digits[STRATEGIES][MOST_OUT + 1];
    double started;
} pool;

void pool_init(pool *p);

/* Reads recorded results: those of a GPU where none is measured, and those of a CPU where nothing is. Returns CLI_DONE,
 * or CLI_FAILED after a message. */
int pool_recall(pool *p);

/* Makes what is needed (a sum of NEED_...) as far as the time goes. Device failures and lack of memory
 * become reasons; only what nothing can be done without (the machine itself) is an error. */
void pool_measure(pool *p, unsigned needs);

/* ---- asking ---------------------------------------------------------------------------------------------------- */

/* Says what a place is: "2 threads of AMD EPYC, AVX-512", or where the recorded results are from. `threads`: as many, 0 for
 * as many as the place has. */
void pool_describe(const pool *p, int place, int threads, char *text, size_t size);

/* The GPU's name without the rest of its description: "NVIDIA H200". */
void pool_gpu_name(const pool *p, char *text, size_t size);

/* Threads behind the integrals of ALL_CORES, and behind the times of a place; 0: there are none. */
int pool_percent_threads(const pool *p);
int pool_timing_threads(const pool *p, int place);

#endif
