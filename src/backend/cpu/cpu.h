/* What the files of the CPU backend share. probe.c chooses the instruction set, plan.c owns tables and workspaces,
 * evaluate.c and integrate.c deal chunks and blocks of events to the threads, instrument.c measures.
 */
#ifndef BG_BACKEND_CPU_CPU_H
#define BG_BACKEND_CPU_CPU_H

#include "backend/flows.h"
#include "backend/backend.h"
#include "backend/cpu/straight.h"

extern const bg_backend bg_backend_cpu;
extern const bg_precise bg_cpu_precise;
extern const bg_instrument bg_cpu_instrument;

/* ---- instruction sets (probe.c) ------------------------------------------------------------------------ */

typedef struct instruction_set {
    const char *name, *title;
    int (*present)(void);
    int automatic; /* it may be chosen without being asked for */
    int quad;      /* 128-bit floats */
    bg_generate *generate;
    bg_estimate *estimate;
    const bg_flow_kernel *gluon_flows, *quark_flows;
    const cpu_instance *coherent, *dressed, *quarks, *open; /* for any number of letters */
    const cpu_instance *paper[BG_MAX_OUT_ORDERED + 1];      /* [letters] */
    const cpu_instance *fast[BG_MAX_OUT_SUMMED + 1];        /* [letters], NULL: there is none */
    const cpu_instance *line[BG_MAX_OUT_SUMMED + 1];        /* one quark line, summed helicities: likewise */
    const cpu_straight *const *straight; /* few gluons, summed helicities, up to a NULL; NULL: there are none */
} instruction_set;

/* The one that the options ask for. NULL, or options that leave it open: the one that the environment variable
 * BLOCKGEN_SIMD names, or else the best that the processor has. */
bg_status bg_cpu_choose_set(const bg_options *options, const instruction_set **set, bg_error *error);

/* 128-bit floats with the fast kernels, for the rescue of unstable points; NULL: not built in. */
extern const instruction_set *const bg_cpu_quad;

/* ---- state (plan.c) -------------------------------------------------------------------------------------- */

typedef struct cpu_state {
    const bg_plan *plan;
    const instruction_set *set;
    const cpu_instance *instance;
    bg_generate *generate;
    bg_estimate *estimate;
    cpu_tables tables;
    int threads;
    size_t workspace_size; /* bytes a thread */
    void **workspace;      /* [thread] */
} cpu_state;

bg_status bg_cpu_memory(const bg_plan *plan, bg_memory *memory, bg_error *error);
bg_status bg_cpu_create(bg_plan *plan, void **state, bg_error *error);
void bg_cpu_destroy(void *state);

/* A state of one instruction set with workspaces for a number of threads. */
bg_status bg_cpu_create_in(const instruction_set *set, bg_plan *plan, int threads, void **state, bg_error *error);

/* A workspace that nobody has used yet. NULL without memory. */
void *bg_cpu_workspace(const cpu_state *state);

/* No more threads than there are pieces of work: one that gets none would only keep a core busy with waiting. */
static inline int cpu_useful_threads(const cpu_state *s, uint64_t pieces)
{
    return pieces < (uint64_t)s->threads ? (int)(pieces ? pieces : 1) : s->threads;
}

/* The number of the calling thread. */
static inline int cpu_thread(void)
{
#ifdef _OPENMP
    return omp_get_thread_num();
#else
    return 0;
#endif
}

/* ---- work --------------------------------------------------------------------------------------------------- */

bg_status bg_cpu_evaluate(void *state, uint64_t first_event, size_t count, const bg_momenta *momenta, double *me2,
                          double *uncertainty, bg_error *error);
bg_status bg_cpu_integrate(void *state, const bg_batch *batch, bg_tally *tally, struct bg_histograms *histograms,
                           bg_timing *timing, bg_error *error);

/* As bg_cpu_evaluate(), and the parts of the time: `stages` has one entry a thread, or is NULL. */
void bg_cpu_evaluate_all(const cpu_state *state, uint64_t first_event, size_t count, const bg_momenta *momenta,
                         double *me2, double *uncertainty, cpu_stages *stages);

/* Room for `trials` points of n partons: one block of memory, points->momenta is to be released. -1 without memory. */
int bg_cpu_points_create(bg_point_arrays *points, int n, size_t trials, int axes, uint32_t *count);

#endif
