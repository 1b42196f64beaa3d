/* The CPU backend: chooses the instruction set, owns the color tables and the threads' workspaces, and
 * deals chunks of events to the threads.
 *
 * Where the options leave the choice of instruction set open, the environment variable BLOCKGEN_SIMD may name one to use
 * instead of the best ("baseline", "avx2", "avx512", or "quad" for 128-bit floats, the accuracy yardstick).
 */
#include "backend/cpu/cpu.h"
#include "backend/cpu/generate.h"
#include "backend/cpu/instance.h"
#include "backend/cpu/roofline.h"
#include "backend/operations.h"
#include "amplitude/external.h"
#include "color/factor.h"
#include "base/mean.h"
#include "engine/rescue.h"
#include "base/status.h"
#include "base/system.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define INSTANCE(isa, n) extern const cpu_instance bg_cpu_##isa##_##n;
#define ALL_INSTANCES(isa)                                                                                             \
    INSTANCE(isa, 2)                                                                                                   \
    INSTANCE(isa, 3) INSTANCE(isa, 4) INSTANCE(isa, 5) INSTANCE(isa, 6) INSTANCE(isa, 7) INSTANCE(isa, 8)              \
        INSTANCE(isa, 9) INSTANCE(isa, 10) INSTANCE(isa, 11) INSTANCE(isa, 12)
#define ADDRESSES(isa)                                                                                                 \
    {                                                                                                                  \
        &bg_cpu_##isa##_2, &bg_cpu_##isa##_3, &bg_cpu_##isa##_4, &bg_cpu_##isa##_5, &bg_cpu_##isa##_6,                 \
            &bg_cpu_##isa##_7, &bg_cpu_##isa##_8, &bg_cpu_##isa##_9, &bg_cpu_##isa##_10, &bg_cpu_##isa##_11,           \
            &bg_cpu_##isa##_12                                                                                         \
    }

ALL_INSTANCES(baseline)
extern cpu_generate bg_cpu_generate_baseline;
#ifdef BG_HAVE_AVX2
ALL_INSTANCES(avx2)
extern cpu_generate bg_cpu_generate_avx2;
#endif
#ifdef BG_HAVE_AVX512
ALL_INSTANCES(avx512)
extern cpu_generate bg_cpu_generate_avx512;
#endif
#ifdef BG_HAVE_QUAD
ALL_INSTANCES(quad)
#endif

/* The fast kernels. Those in 128-bit floats are for the rescue of unstable points; the yardstick stays the paper's. */
#define FAST(isa, n) extern const cpu_instance bg_fast_##isa##_##n;
#define ALL_FAST(isa)                                                                                                  \
    FAST(isa, 2) FAST(isa, 3) FAST(isa, 4) FAST(isa, 5) FAST(isa, 6) FAST(isa, 7) FAST(isa, 8) FAST(isa, 9)            \
        FAST(isa, 10)
/* `last`: of n_out = 10, where 128-bit floats take too long. */
#define FAST_ADDRESSES(isa, last)                                                                                      \
    {                                                                                                                  \
        &bg_fast_##isa##_2, &bg_fast_##isa##_3, &bg_fast_##isa##_4, &bg_fast_##isa##_5, &bg_fast_##isa##_6,            \
            &bg_fast_##isa##_7, &bg_fast_##isa##_8, &bg_fast_##isa##_9, last                                           \
    }

ALL_FAST(baseline)
#ifdef BG_HAVE_AVX2
ALL_FAST(avx2)
#endif
#ifdef BG_HAVE_AVX512
ALL_FAST(avx512)
#endif
#ifdef BG_HAVE_QUAD
ALL_FAST(quad)
#endif

/* Coherent color sampling, any n_out. */
extern const cpu_instance bg_coherent_baseline;
#ifdef BG_HAVE_AVX2
extern const cpu_instance bg_coherent_avx2;
#endif
#ifdef BG_HAVE_AVX512
extern const cpu_instance bg_coherent_avx512;
#endif
#ifdef BG_HAVE_QUAD
extern const cpu_instance bg_coherent_quad;
#endif

typedef struct instruction_set {
    const char *name, *title;
    int (*present)(void);
    int automatic; /* may be chosen without being asked for */
    cpu_generate *generate;
    const cpu_instance *coherent;
    const cpu_instance *instance[BG_MAX_OUT_DRESSED - BG_MIN_OUT + 1];
    const cpu_instance *fast[BG_MAX_OUT_SUMMED - BG_MIN_OUT + 1];
} instruction_set;

static int always(void) { return 1; }

#ifdef BG_HAVE_AVX2
static int has_avx2(void) { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"); }
#endif
#ifdef BG_HAVE_AVX512
static int has_avx512(void)
{
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl");
}
#endif

/* Best first. */
static const instruction_set instruction_sets[] = {
#ifdef BG_HAVE_AVX512
    {"avx512", "AVX-512", has_avx512, 1, bg_cpu_generate_avx512, &bg_coherent_avx512, ADDRESSES(avx512), FAST_ADDRESSES(avx512, &bg_fast_avx512_10)},
#endif
#ifdef BG_HAVE_AVX2
    {"avx2", "AVX2+FMA", has_avx2, 1, bg_cpu_generate_avx2, &bg_coherent_avx2, ADDRESSES(avx2), FAST_ADDRESSES(avx2, &bg_fast_avx2_10)},
#endif
    {"baseline", "baseline", always, 1, bg_cpu_generate_baseline, &bg_coherent_baseline, ADDRESSES(baseline), FAST_ADDRESSES(baseline, &bg_fast_baseline_10)},
#ifdef BG_HAVE_QUAD
    {"quad", "128-bit floats", always, 0, bg_cpu_generate_baseline, &bg_coherent_quad, ADDRESSES(quad), {NULL}},
#endif
};
enum { INSTRUCTION_SETS = sizeof instruction_sets / sizeof *instruction_sets };

/* `o` NULL: the choice is open. */
static bg_status choose_set(const bg_options *o, const instruction_set **set, bg_error *error)
{
    static const char *const words[] = {NULL, "baseline", "avx2", "avx512"}; /* bg_instruction_set */
    const char *asker = "BLOCKGEN_SIMD", *wanted = getenv(asker);
    if (o && (o->floats == BG_FLOATS_QUAD || o->instruction_set != BG_INSTRUCTIONS_AUTO)) {
        asker = o->floats == BG_FLOATS_QUAD ? "floats" : "instruction_set";
        wanted = o->floats == BG_FLOATS_QUAD ? "quad" : words[o->instruction_set];
    }
    for (int k = 0; k < INSTRUCTION_SETS; k++) {
        const instruction_set *s = &instruction_sets[k];
        if (wanted && *wanted ? strcmp(wanted, s->name) : !s->automatic || !s->present()) continue;
        if (!s->present())
            return bg_fail(error, BG_ERROR_DEVICE, "%s asks for %s, which this CPU does not have", asker, s->name);
        *set = s;
        return BG_OK;
    }
    char names[64] = "";
    for (int k = 0; k < INSTRUCTION_SETS; k++) {
        strcat(names, k ? ", " : "");
        strcat(names, instruction_sets[k].name);
    }
    return bg_fail(error, BG_ERROR_ARGUMENT, "%s is '%s'; this build has %s", asker, wanted ? wanted : "", names);
}

bg_status bg_cpu_choose_generate(const bg_options *options, cpu_generate **generate, bg_error *error)
{
    const instruction_set *set;
    const bg_status status = choose_set(options, &set, error);
    if (status == BG_OK) *generate = set->generate;
    return status;
}

typedef struct cpu_state {
    const bg_plan *plan;
    const instruction_set *set;
    const cpu_instance *instance;
    cpu_generate *generate;
    color_dense dense;
    color_fourier fourier;
    int threads;
    size_t workspace_size; /* bytes a thread */
    void **workspace;      /* [thread] */
} cpu_state;

static bg_status cpu_probe(char *description, size_t size, bg_error *error)
{
    const instruction_set *set;
    bg_status status = choose_set(NULL, &set, error);
    if (status != BG_OK) return status;
    snprintf(description, size, "%s, %d core%s", set->title, bg_cores(), bg_cores() == 1 ? "" : "s");
    return bg_succeed(error);
}

static void cpu_describe(void *opaque, char *description, size_t size)
{
    const cpu_state *s = opaque;
    snprintf(description, size, "%s, %d core%s", s->set->title, bg_cores(), bg_cores() == 1 ? "" : "s");
}

/* Threads of a plan: all cores where it names none. */
static int threads_of(const bg_plan *plan) { return plan->options.threads ? plan->options.threads : bg_default_threads(); }

/* Letters that the permutations of the color sum move. */
static int moving_letters(const bg_plan *plan)
{
    return plan->options.decomposition == BG_DECOMPOSITION_TRACE ? plan->n - 1 : plan->n_out;
}

static size_t table_bytes(const bg_plan *plan)
{
    if (plan->options.color != BG_COLOR_SUMMED) return 0;
    if (plan->options.kernel == BG_KERNEL_FAST) return bg_color_fourier_bytes(plan->n_out);
    const uint64_t size = bg_factorial(moving_letters(plan));
    const uint64_t blocks = size < 24 ? 1 : size / 24;
    return (size_t)(size * sizeof(double) + blocks * BG_MAX_LETTERS);
}

/* The fast kernel where it is asked for and there is one, otherwise the paper's. */
static const cpu_instance *choose_instance(const instruction_set *set, const bg_plan *plan)
{
    const int k = plan->n_out - BG_MIN_OUT;
    if (bg_options_want_coherent(&plan->options)) return set->coherent;
    if (bg_options_want_fast(&plan->options) && set->fast[k]) return set->fast[k];
    return set->instance[k];
}

static bg_status cpu_memory(const bg_plan *plan, bg_memory *memory, bg_error *error)
{
    const instruction_set *set;
    bg_status status = choose_set(&plan->options, &set, error);
    if (status != BG_OK) return status;
    const cpu_instance *instance = choose_instance(set, plan);
    const size_t chunk = (size_t)(BG_VECTORS * instance->lanes);
    const int threads = threads_of(plan);
    memory->shared = table_bytes(plan);
    memory->per_event = (instance->workspace(plan) + chunk - 1) / chunk;
    memory->batch = chunk * (size_t)threads;
    return bg_succeed(error);
}

static void cpu_destroy(void *opaque)
{
    cpu_state *s = opaque;
    if (s->workspace)
        for (int k = 0; k < s->threads; k++) free(s->workspace[k]);
    free(s->workspace);
    bg_color_dense_destroy(&s->dense);
    bg_color_fourier_destroy(&s->fourier);
    free(s);
}

static bg_status build_dense(cpu_state *s, bg_error *error)
{
    const bg_plan *plan = s->plan;
    const int letters = moving_letters(plan);
    const uint64_t size = bg_factorial(letters);
    int64_t *exact = malloc(size * sizeof *exact);
    double *function = malloc(size * sizeof *function);
    int failed = !exact || !function;
    if (!failed) {
        if (plan->options.decomposition == BG_DECOMPOSITION_TRACE)
            bg_color_trace(letters, exact, threads_of(plan));
        else
            failed = bg_color_adjoint(letters, exact, threads_of(plan));
    }
    if (!failed) {
        for (uint64_t k = 0; k < size; k++) function[k] = (double)exact[k];
        failed = bg_color_dense_create(&s->dense, letters, function);
    } else {
        free(function);
    }
    free(exact);
    return failed ? bg_fail(error, BG_ERROR_MEMORY, "no memory for the color factors of n_out = %d (%.3g MB)",
                            plan->n_out, 1e-6 * (double)table_bytes(plan))
                  : BG_OK;
}

static bg_status build_fourier(cpu_state *s, bg_error *error)
{
    if (!bg_color_fourier_create(&s->fourier, s->plan->n_out, threads_of(s->plan))) return BG_OK;
    return bg_fail(error, BG_ERROR_MEMORY, "no memory for the color tables of n_out = %d (%.3g MB)", s->plan->n_out,
                   1e-6 * (double)table_bytes(s->plan));
}

/* Bytes of memory that the system says are available; 0 where it does not say. */
static size_t system_memory(void)
{
    FILE *f = fopen("/proc/meminfo", "r");
    char line[128];
    unsigned long kilobytes = 0;
    if (!f) return 0;
    while (fgets(line, sizeof line, f))
        if (sscanf(line, "MemAvailable: %lu", &kilobytes) == 1) break;
    fclose(f);
    return (size_t)kilobytes * 1024;
}

/* A schedule that is kept from one call to the next begins with a word that says so. */
static void empty_workspace(const cpu_state *s, void *workspace)
{
    memset(workspace, 0, s->workspace_size < 256 ? s->workspace_size : 256);
}

/* A state with workspaces for a number of threads. */
static bg_status create_in(const instruction_set *set, bg_plan *plan, int threads, void **state, bg_error *error)
{
    bg_status status = BG_OK;
    cpu_state *s = calloc(1, sizeof *s);
    if (!s) return bg_fail(error, BG_ERROR_MEMORY, "no memory for the CPU backend");
    s->plan = plan;
    s->set = set;
    s->instance = choose_instance(set, plan);
    s->generate = set->generate;
    s->threads = threads;
    s->workspace_size = (s->instance->workspace(plan) + 64 + 63) / 64 * 64;

    const size_t tables = table_bytes(plan), need = tables + (size_t)s->threads * s->workspace_size;
    const size_t have = system_memory(), fit = have > tables ? (have - tables) / s->workspace_size : 0;
    if (have && need > have) {
        char advice[64] = "";
        if (fit) snprintf(advice, sizeof advice, ": use fewer threads, %zu at most", fit);
        status = bg_fail(error, BG_ERROR_MEMORY, "n_out = %d with %d threads needs %.3g MB, %.3g MB are free%s",
                         plan->n_out, s->threads, 1e-6 * (double)need, 1e-6 * (double)have, advice);
    } else {
        s->workspace = calloc((size_t)s->threads + 1, sizeof *s->workspace);
        if (!s->workspace) status = bg_fail(error, BG_ERROR_MEMORY, "no memory for %d threads", s->threads);
        for (int k = 0; k < s->threads && status == BG_OK; k++) {
            s->workspace[k] = aligned_alloc(64, s->workspace_size);
            if (!s->workspace[k])
                status = bg_fail(error, BG_ERROR_MEMORY, "no memory for the workspace of thread %d (%.3g MB)", k + 1,
                                 1e-6 * (double)s->workspace_size);
            else
                empty_workspace(s, s->workspace[k]);
        }
        if (status == BG_OK && plan->options.color == BG_COLOR_SUMMED)
            status = plan->options.kernel == BG_KERNEL_FAST ? build_fourier(s, error) : build_dense(s, error);
    }
    if (status != BG_OK) {
        cpu_destroy(s);
        return status;
    }
    *state = s;
    return bg_succeed(error);
}

static bg_status cpu_create(bg_plan *plan, void **state, bg_error *error)
{
    const instruction_set *set;
    bg_status status = choose_set(&plan->options, &set, error);
    if (status != BG_OK) return status;
    if (plan->options.device > 0)
        return bg_fail(error, BG_ERROR_ARGUMENT, "device is %d; the CPU backend has device 0 only",
                       plan->options.device);
#ifndef _OPENMP
    if (plan->options.threads > 1)
        return bg_fail(error, BG_ERROR_UNSUPPORTED,
                       "%d threads asked for, but this build has no OpenMP: rebuild with a compiler that has it",
                       plan->options.threads);
#endif
    if (!plan->options.threads) plan->options.threads = bg_default_threads();
    /* from here on, the kernel that really runs */
    if (choose_instance(set, plan) == set->instance[plan->n_out - BG_MIN_OUT]) plan->options.kernel = BG_KERNEL_PAPER;
    if (plan->options.kernel == BG_KERNEL_PAPER && plan->options.recursion == BG_RECURSION_ORDERED &&
        plan->n_out > BG_MAX_OUT_ORDERED)
        return bg_fail(error, BG_ERROR_UNSUPPORTED, "n_out = %d in %s; it must be %d to %d with the ordered recursion",
                       plan->n_out, set->title, BG_MIN_OUT, BG_MAX_OUT_ORDERED);
    return create_in(set, plan, plan->options.threads, state, error);
}

/* All draws of one chunk: mean and standard error of each event, in the order of the draws. `stages`: see cpu_task. */
static void evaluate_chunk(const cpu_state *s, void *workspace, uint64_t first_event, int count, const double *momenta,
                           double *me2, double *uncertainty, cpu_stages *stages)
{
    enum { MOST = BG_VECTORS * 8 };
    const int samples = s->plan->options.samples;
    double mean[MOST] = {0.}, spread[MOST] = {0.};
    uint64_t event[MOST], group[MOST];
    uint32_t configuration[MOST];
    const bg_options *o = &s->plan->options;
    const int circular = s->plan->mode == HELICITY_CIRCULAR && o->helicity == BG_HELICITY_SAMPLED;
    for (int e = 0; e < MOST; e++) {
        event[e] = first_event + (uint64_t)e;
        group[e] = bg_group_of(event[e], (int)(event[e] % BG_DEAL), s->plan->group);
        configuration[e] = s->plan->configuration;
    }
    cpu_task task = {s->plan, &s->dense, &s->fourier, event, group, configuration, count, 0, momenta, me2, workspace,
                     stages};
    for (int k = 0; k < samples; k++) {
        task.draw = (uint32_t)k;
        if (circular)
            for (int e = 0; e < MOST; e++)
                configuration[e] = helicity_draw_configuration(s->plan->n, o->seed, event[e], task.draw);
        s->instance->evaluate(&task);
        for (int e = 0; e < count; e++) mean_add(k, me2[e], &mean[e], &spread[e]);
    }
    const double norm = s->plan->normalization * (circular ? (double)(1u << s->plan->n) : 1.);
    for (int e = 0; e < count; e++) {
        me2[e] = norm * mean[e];
        if (uncertainty) uncertainty[e] = norm * mean_error(s->plan->sampled, samples, spread[e]);
    }
}

/* No more than there are pieces of work: one that gets none would only keep a core busy with waiting. */
static int useful_threads(const cpu_state *s, uint64_t pieces)
{
    return pieces < (uint64_t)s->threads ? (int)(pieces ? pieces : 1) : s->threads;
}

/* All chunks, dealt to the threads. `stages` has one entry a thread, or is NULL. */
static void evaluate_all(const cpu_state *s, uint64_t first_event, size_t count, const double *momenta, double *me2,
                         double *uncertainty, cpu_stages *stages)
{
    const size_t lanes = (size_t)s->instance->lanes, full = BG_VECTORS * lanes;
    /* Whole registers, small enough that every thread gets work. */
    size_t chunk = (count / (size_t)s->threads + lanes - 1) / lanes * lanes;
    chunk = chunk < lanes ? lanes : chunk > full ? full : chunk;
    const size_t chunks = (count + chunk - 1) / chunk;
    const size_t stride = (size_t)s->plan->n * 4;
#ifdef _OPENMP
#pragma omp parallel for schedule(dynamic) num_threads(useful_threads(s, chunks))
#endif
    for (size_t c = 0; c < chunks; c++) {
        const size_t from = c * chunk, left = count - from;
#ifdef _OPENMP
        const int thread = omp_get_thread_num();
#else
        const int thread = 0;
#endif
        evaluate_chunk(s, s->workspace[thread], first_event + from, (int)(left < chunk ? left : chunk),
                       momenta + from * stride, me2 + from, uncertainty ? uncertainty + from : NULL,
                       stages ? &stages[thread] : NULL);
    }
}

static bg_status cpu_evaluate(void *opaque, uint64_t first_event, size_t count, const double *momenta, double *me2,
                              double *uncertainty, bg_error *error)
{
    evaluate_all(opaque, first_event, count, momenta, me2, uncertainty, NULL);
    return bg_succeed(error);
}

/* ---- whole events --------------------------------------------------------------------------------- */

/* Trial points of a block, the unit of work of a thread, unless colors are dealt out: at most, and where there are enough. */
enum { TRIALS = 1024, FILLING = 256 };

/* What a thread works with while integrating. */
typedef struct trial_block {
    cpu_points points;
    double *me2, *probability;
    uint64_t *group; /* of points that share colors */
    int *entry;
    uint32_t *configuration;
    bg_tally *tally;
    struct bg_histograms *histograms;
    bg_timing timing;
    void *memory;
    bg_status failed; /* of rescues */
    bg_error why;
} trial_block;

static int trial_block_create(trial_block *b, int n, size_t trials, const struct bg_histograms *histograms)
{
    const size_t per_point = (size_t)n * 4 * sizeof(double) + 3 * sizeof(double) + 2 * sizeof(uint64_t) + sizeof(int) +
                             sizeof(uint32_t) + BG_MAX_DIMENSIONS;
    memset(b, 0, sizeof *b);
    b->memory = malloc(trials * per_point);
    b->tally = calloc(1, sizeof *b->tally);
    if (histograms) b->histograms = bg_histograms_clone(histograms);
    if (!b->memory || !b->tally || (histograms && !b->histograms)) return -1;
    b->points.momenta = b->memory;
    b->points.weight = b->points.momenta + trials * (size_t)n * 4;
    b->me2 = b->points.weight + trials;
    b->probability = b->me2 + trials;
    b->points.event = (uint64_t *)(b->probability + trials);
    b->group = b->points.event + trials;
    b->entry = (int *)(b->group + trials);
    b->configuration = (uint32_t *)(b->entry + trials);
    b->points.bin = (uint8_t *)(b->configuration + trials);
    return 0;
}

static void trial_block_destroy(trial_block *b)
{
    free(b->memory);
    free(b->tally);
    bg_histograms_free(b->histograms);
}

/* Helicities of the points of a block, and the probability of each choice. */
static void choose_helicities(const cpu_state *s, const bg_batch *batch, trial_block *b)
{
    const bg_plan *plan = s->plan;
    const int n = plan->n;
    const int drawn = plan->mode == HELICITY_CIRCULAR && plan->options.helicity == BG_HELICITY_SAMPLED;
    for (int e = 0; e < b->points.count; e++) {
        double internal[4 * BG_MAX_LEGS];
        if (batch->selector)
            for (int k = 0; k < n; k++)
                memcpy(internal + 4 * k, b->points.momenta + ((size_t)e * (size_t)n + (size_t)external_user_index(n, k)) * 4,
                       4 * sizeof(double));
        const helicity_choice c = helicity_of_point(batch->selector, drawn, plan->configuration, n, plan->options.seed,
                                                    b->points.event[e], internal);
        b->entry[e] = c.entry;
        b->probability[e] = c.probability;
        b->configuration[e] = c.configuration;
    }
}

/* Deals the points of a block out to groups that share colors. */
static void deal_points(int size, trial_block *b)
{
    for (int e = 0, first = 0; e < b->points.count; e++) {
        if (b->points.event[e] / BG_DEAL != b->points.event[first] / BG_DEAL) first = e;
        b->group[e] = bg_group_of(b->points.event[e], e - first, size);
    }
}

static void integrate_block(const cpu_state *s, void *workspace, const bg_batch *batch, uint64_t first, int count,
                            trial_block *b)
{
    const size_t stride = (size_t)s->plan->n * 4;
    const int chunk = BG_VECTORS * s->instance->lanes, alone = s->plan->group == 1;
    const double start = bg_seconds();
    s->generate(batch->channel, batch->grid, first, count, &b->points);
    const double generated = bg_seconds();
    choose_helicities(s, batch, b);
    deal_points(s->plan->group, b);
    for (int from = 0, take; from < b->points.count; from += take) {
        /* whole registers are read: the numbers past the last point are those of the first */
        uint64_t event[BG_VECTORS * 8], group[BG_VECTORS * 8];
        uint32_t configuration[BG_VECTORS * 8];
        const int left = b->points.count - from;
        take = left < chunk ? left : chunk;
        /* points that share colors stay together, so that registers are full of them */
        if (!alone)
            while (b->group[from + take - 1] != b->group[from]) take--;
        for (int e = 0; e < chunk; e++) {
            event[e] = b->points.event[from + (e < take ? e : 0)];
            group[e] = b->group[from + (e < take ? e : 0)];
            configuration[e] = b->configuration[from + (e < take ? e : 0)];
        }
        const cpu_task task = {s->plan, &s->dense, &s->fourier, event, group, configuration, take, 0, b->points.momenta + (size_t)from * stride,
                               b->me2 + from, workspace, NULL};
        s->instance->evaluate(&task);
    }
    if (batch->rescue && !b->failed)
        b->failed = bg_rescue_block(batch->rescue, b->points.count, b->points.momenta, b->points.event, b->group,
                                    b->configuration, b->me2, b->tally, &b->why);
    b->tally->points += count;
    b->tally->accepted += b->points.count;
    double sum = 0.; /* of a group, since point `begun` */
    int begun = 0;
    for (int e = 0; e < b->points.count; e++) {
        const double w = bg_point_weight(s->plan->normalization * b->me2[e], b->probability[e], b->points.weight[e]);
        if (bg_tally_point(b->tally, w, alone, b->points.bin + (size_t)e * BG_MAX_DIMENSIONS, batch->channel->dimensions,
                           b->entry[e], batch->importance_scale))
            sum += w;
        if (b->histograms && bg_histograms_count(w))
            bg_histograms_fill(b->histograms, b->points.momenta + (size_t)e * stride, w, alone);
        b->me2[e] = w; /* for the sink */
        if (!alone && (e + 1 == b->points.count || b->group[e + 1] != b->group[e])) {
            bg_tally_group(b->tally, sum, e + 1 - begun);
            if (b->histograms) bg_histograms_end_group(b->histograms);
            sum = 0.;
            begun = e + 1;
        }
    }
    if (batch->sink) {
#ifdef _OPENMP
#pragma omp critical(blockgen_sink)
#endif
        batch->sink->take(batch->sink->user, (size_t)b->points.count, b->points.momenta, b->me2, b->points.event);
    }
    b->timing.phase_space += generated - start;
    b->timing.matrix_element += bg_seconds() - generated;
}

static bg_status cpu_integrate(void *opaque, const bg_batch *batch, bg_tally *tally, struct bg_histograms *histograms,
                               bg_timing *timing, bg_error *error)
{
    const cpu_state *s = opaque;
    if (batch->hybrid)
        return bg_fail(error, BG_ERROR_UNSUPPORTED,
                       "a hybrid integration needs a device for the matrix elements: the CPU alone is not hybrid");
    /* Trials of a block: several blocks a thread, so that all end together, but enough that the points which pass the
     * cuts fill registers. */
    const uint64_t threads = (uint64_t)s->threads, all = (batch->count + threads - 1) / threads;
    const uint64_t lanes = (uint64_t)s->instance->lanes, least = all < FILLING ? all : FILLING;
    uint64_t size = batch->count / (threads * 8);
    size = ((size < least ? least : size) + lanes - 1) / lanes * lanes;
    size = size > TRIALS ? TRIALS : size;
    if (s->plan->group > 1) size = BG_DEAL; /* points that share colors stay together */
    const uint64_t blocks = (batch->count + size - 1) / size;
    int failed = 0;
    bg_status status = BG_OK;
    bg_error why;
#ifdef _OPENMP
#pragma omp parallel num_threads(useful_threads(s, blocks))
#endif
    {
#ifdef _OPENMP
        void *workspace = s->workspace[omp_get_thread_num()];
#else
        void *workspace = s->workspace[0];
#endif
        trial_block b;
        const int ready = !trial_block_create(&b, s->plan->n, size, histograms);
#ifdef _OPENMP
#pragma omp for schedule(dynamic)
#endif
        for (uint64_t k = 0; k < blocks; k++) {
            const uint64_t done = k * size, left = batch->count - done;
            if (ready) integrate_block(s, workspace, batch, batch->first_event + done, (int)(left < size ? left : size), &b);
        }
#ifdef _OPENMP
#pragma omp critical(blockgen_sums)
#endif
        {
            if (ready && b.failed) {
                status = b.failed;
                why = b.why;
            }
            if (ready) {
                bg_tally_merge(tally, b.tally);
                if (histograms) bg_histograms_merge(histograms, b.histograms);
                timing->phase_space += b.timing.phase_space;
                timing->matrix_element += b.timing.matrix_element;
            } else {
                failed = 1;
            }
        }
        trial_block_destroy(&b);
    }
    if (status != BG_OK) return bg_fail(error, status, "%s", why.message);
    return failed ? bg_fail(error, BG_ERROR_MEMORY, "no memory for the points of %d threads", s->threads) : bg_succeed(error);
}

/* ---- 128-bit floats for unstable points (engine/rescue.c) -------------------------------------------- */

#ifdef BG_HAVE_QUAD

int bg_cpu_quad_present(void) { return 1; }

bg_status bg_cpu_quad_create(bg_plan *plan, void **state, bg_error *error)
{
    static const instruction_set quad = {
        "quad", "128-bit floats", always, 0, bg_cpu_generate_baseline, &bg_coherent_quad, ADDRESSES(quad),
        FAST_ADDRESSES(quad, NULL)};
    return create_in(&quad, plan, 0, state, error);
}

#else

int bg_cpu_quad_present(void) { return 0; }

bg_status bg_cpu_quad_create(bg_plan *plan, void **state, bg_error *error)
{
    (void)plan;
    (void)state;
    return bg_fail(error, BG_ERROR_UNSUPPORTED, "no 128-bit floats in this build");
}

#endif

void bg_cpu_quad_destroy(void *state)
{
    if (state) cpu_destroy(state);
}

int bg_cpu_uses_quad(const bg_options *options)
{
    const instruction_set *set;
    return choose_set(options, &set, NULL) == BG_OK && !strcmp(set->name, "quad");
}

bg_status bg_cpu_quad_point(const void *opaque, uint64_t event, const cpu_choice *choice, const double *momenta,
                            double *me2, double *uncertainty, bg_error *error)
{
    const cpu_state *s = opaque;
    void *workspace = aligned_alloc(64, s->workspace_size);
    if (!workspace)
        return bg_fail(error, BG_ERROR_MEMORY, "no memory for a point in 128-bit floats (%.3g MB)",
                       1e-6 * (double)s->workspace_size);
    empty_workspace(s, workspace);
    if (choice) {
        uint64_t events[BG_VECTORS], groups[BG_VECTORS];
        uint32_t configurations[BG_VECTORS];
        for (int k = 0; k < BG_VECTORS; k++) {
            events[k] = event;
            groups[k] = choice->group;
            configurations[k] = choice->configuration;
        }
        const cpu_task task = {s->plan, &s->dense, &s->fourier, events, groups, configurations, 1, 0, momenta, me2, workspace, NULL};
        s->instance->evaluate(&task);
    } else {
        evaluate_chunk(s, workspace, event, 1, momenta, me2, uncertainty, NULL);
    }
    free(workspace);
    return BG_OK;
}

/* ---- benchmarks ------------------------------------------------------------------------------------- */

/* The least that two readings of the clock lie apart. */
static double clock_cost(void)
{
    double least = 1.;
    for (int k = 0; k < 1000; k++) {
        const double start = bg_seconds(), cost = bg_seconds() - start;
        if (cost < least) least = cost;
    }
    return least;
}

static bg_status cpu_time_stages(void *opaque, const double *momenta, size_t count, int repetitions, bg_stages *each,
                                 bg_error *error)
{
    const cpu_state *s = opaque;
    if (s->plan->options.color != BG_COLOR_SUMMED)
        return bg_fail(error, BG_ERROR_UNSUPPORTED, "only summed colors have a color sum beside the amplitudes");
    cpu_stages *stages = malloc((size_t)s->threads * sizeof *stages);
    double *me2 = malloc(count * sizeof *me2);
    const double cost = clock_cost();
    for (int r = 0; r < repetitions && stages && me2; r++) {
        each[r] = (bg_stages){0., 0.};
        for (int k = 0; k < s->threads; k++) stages[k] = (cpu_stages){0., 0., 0., cost};
        evaluate_all(s, 0, count, momenta, me2, NULL, stages);
        for (int k = 0; k < s->threads; k++) {
            each[r].amplitudes += stages[k].amplitudes / s->threads;
            each[r].color_sum += stages[k].color_sum / s->threads;
        }
    }
    const int failed = !stages || !me2;
    free(stages);
    free(me2);
    return failed ? bg_fail(error, BG_ERROR_MEMORY, "no memory for %zu matrix elements", count) : bg_succeed(error);
}

static bg_status cpu_time_points(void *opaque, const bg_batch *batch, int repetitions, double *seconds_each,
                                 uint64_t *accepted, bg_error *error)
{
    const cpu_state *s = opaque;
    const uint64_t blocks = (batch->count + TRIALS - 1) / TRIALS;
    uint64_t inside = 0;
    int failed = 0;
    for (int r = 0; r < repetitions && !failed; r++) {
        const uint64_t first = batch->first_event + (uint64_t)r * batch->count;
        double start = 0., end = 0.;
#ifdef _OPENMP
#pragma omp parallel num_threads(s->threads) reduction(+ : inside, failed)
#endif
        {
            trial_block b;
            const int ready = !trial_block_create(&b, s->plan->n, TRIALS, NULL);
            failed += !ready;
#ifdef _OPENMP
#pragma omp barrier
#pragma omp single
#endif
            start = bg_seconds();
#ifdef _OPENMP
#pragma omp for schedule(dynamic)
#endif
            for (uint64_t k = 0; k < blocks; k++) {
                const uint64_t left = batch->count - k * TRIALS;
                if (!ready) continue;
                s->generate(batch->channel, batch->grid, first + k * TRIALS, (int)(left < TRIALS ? left : TRIALS),
                            &b.points);
                inside += (uint64_t)b.points.count;
            }
#ifdef _OPENMP
#pragma omp single
#endif
            end = bg_seconds();
            trial_block_destroy(&b);
        }
        seconds_each[r] = end - start;
    }
    *accepted = inside;
    return failed ? bg_fail(error, BG_ERROR_MEMORY, "no memory for the points of %d threads", s->threads)
                  : bg_succeed(error);
}

static void cpu_operations(void *opaque, bg_operations *o)
{
    const cpu_state *s = opaque;
    const bg_plan *plan = s->plan;
    const int N = plan->n_out, parts = helicity_parts(plan->mode), samples = plan->options.samples;
    bg_paper_operations(plan, o);
    if (plan->options.kernel != BG_KERNEL_FAST) return;
    const double configurations = helicity_configurations(plan->n, plan->mode);
    if (bg_options_want_coherent(&plan->options)) {
        o->amplitudes = samples * configurations * bg_coherent_operations(plan->n, parts, plan->options.seed);
        return;
    }
    o->amplitudes = samples * (plan->mode == HELICITY_BASIS && N <= BG_RECYCLED
                                   ? bg_shared_operations(N, 2, 1, 1)
                                   : configurations * bg_shared_operations(N, 1, parts, 1));
    o->color_sum = samples * configurations * parts * bg_fourier_operations(&s->fourier);
}

static bg_status cpu_roofline(int device, double seconds, bg_roofline *roofline, bg_error *error)
{
    const instruction_set *set;
    const bg_status status = choose_set(NULL, &set, error);
    (void)device; /* there is one */
    return status == BG_OK ? bg_cpu_measure_roofline(set->name, seconds, roofline, error) : status;
}

const bg_backend bg_backend_cpu = {
    .name = "cpu",
    .capabilities = BG_CAN_CHOOSE_THREADS | BG_CAN_CHOOSE_INSTRUCTIONS | BG_CAN_DELIVER_POINTS
#ifdef BG_HAVE_QUAD
                    | BG_CAN_USE_QUAD
#endif
    ,
    .probe = cpu_probe,
    .memory = cpu_memory,
    .create = cpu_create,
    .evaluate = cpu_evaluate,
    .integrate = cpu_integrate,
    .destroy = cpu_destroy,
    .describe = cpu_describe,
    .time_stages = cpu_time_stages,
    .time_points = cpu_time_points,
    .operations = cpu_operations,
    .roofline = cpu_roofline,
};
