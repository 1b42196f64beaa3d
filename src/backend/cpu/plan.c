/* What a plan needs on the CPU: the kernel, its color tables, and a workspace for each thread. */
#include "backend/cpu/cpu.h"
#include "base/status.h"
#include "base/system.h"
#include "color/factor.h"
#include "amplitude/words.h"
#include "helicity/mode.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- kernel and tables ---------------------------------------------------------------------------------------------- */

/* Threads of a plan: all cores where it names none. */
static int threads_of(const bg_plan *plan)
{
    return plan->options.threads ? plan->options.threads : bg_default_threads();
}

/* Letters that the permutations of the color sum move. */
static int moving_letters(const bg_plan *plan)
{
    return plan->options.decomposition == BG_DECOMPOSITION_TRACE ? plan->process.n - 1 : plan->process.letters;
}

/* The code that was written out for a sum over helicities, or NULL where there is none. */
static const cpu_straight *choose_straight(const instruction_set *set, const bg_plan *plan)
{
    if (!set->straight || !bg_plan_sums_quarks(plan) || plan->mode != HELICITY_BASIS) return NULL;
    for (const cpu_straight *const *at = set->straight; *at; at++)
        if (bg_straight_serves(&(*at)->code, &plan->process)) return *at;
    return NULL;
}

static size_t table_bytes(const instruction_set *set, const bg_plan *plan)
{
    if (plan->options.color != BG_COLOR_SUMMED || choose_straight(set, plan)) return 0;
    if (plan->process.lines) {
        const color_strings strings = bg_color_strings(plan->process.lines, plan->process.gluons);
        return bg_color_fourier_quark_bytes(&strings);
    }
    if (plan->options.kernel == BG_KERNEL_FAST) return bg_color_fourier_bytes(plan->process.letters);
    const uint64_t size = bg_factorial(moving_letters(plan));
    const uint64_t blocks = size < 24 ? 1 : size / 24;
    return (size_t)(size * sizeof(double) + blocks * BG_MAX_LETTERS);
}

/* The kernel of one quark line and a sum over helicities, likewise. */
static const cpu_instance *choose_line(const instruction_set *set, const bg_plan *plan)
{
    const bg_subprocess *process = &plan->process;
    return process->lines == 1 && bg_plan_sums_quarks(plan) && plan->mode == HELICITY_BASIS &&
                   process->letters <= BG_MAX_OUT_SUMMED && !choose_straight(set, plan)
               ? set->line[process->letters]
               : NULL;
}

/* The fast kernel where it is asked for and there is one, otherwise the paper's. */
static const cpu_instance *choose_instance(const instruction_set *set, const bg_plan *plan)
{
    const int letters = plan->process.letters;
    if (plan->process.lines && !bg_plan_sums_quarks(plan)) return set->open;
    if (plan->process.lines) {
        const cpu_straight *straight = choose_straight(set, plan);
        const cpu_instance *line = choose_line(set, plan);
        return straight ? &straight->instance : line ? line : set->quarks;
    }
    if (bg_options_want_coherent(&plan->options)) return set->coherent;
    if (bg_options_want_fast(&plan->options) && set->fast[letters]) return set->fast[letters];
    return letters <= BG_MAX_OUT_ORDERED ? set->paper[letters] : set->dressed;
}

/* Whether that is one of the paper's. */
static int is_paper(const instruction_set *set, const bg_plan *plan)
{
    const cpu_instance *chosen = choose_instance(set, plan);
    const int letters = plan->process.letters;
    if (plan->process.lines) return 0;
    return chosen == set->dressed || (letters <= BG_MAX_OUT_ORDERED && chosen == set->paper[letters]);
}

/* Everything that a release is built for has a kernel; a build with BG_CPU_LETTERS below 10 leaves some out. */
static bg_status no_kernel(const bg_plan *plan, bg_error *error)
{
    return bg_fail(error, BG_ERROR_UNSUPPORTED,
                   "this build has no kernel for n_out = %d: rebuild with BG_CPU_LETTERS=%d", plan->process.n_out,
                   BG_MAX_OUT_SUMMED);
}

/* Numbers of an event whose currents stay in the cache of a core. */
enum { CACHED = 24576 };

/* The steps of a process with quark lines, with the helicities laid out as the plan wants them. */
static bg_status build_program(const instruction_set *set, const bg_plan *plan, quark_program *program, bg_error *error)
{
    const int summed = plan->mode == HELICITY_BASIS, circular = plan->mode == HELICITY_CIRCULAR;
    const size_t numbers = (size_t)CACHED * 8 / (size_t)set->quarks->lanes;
    if (choose_straight(set, plan)) return BG_OK;    /* it is in the code */
    const int line = choose_line(set, plan) != NULL; /* needs the places of the legs and no steps */
    const int inner = summed && !line ? bg_program_inner(&plan->process, !circular, numbers, plan->interrupt) : 0;
    const program_layout layout = {
        .inner = inner, .complex = circular, .given = circular, .parts = !circular, .interrupt = plan->interrupt};
    return inner < 0 || bg_program_create(program, &plan->process, &layout) ? bg_plan_no_vertices(plan, error) : BG_OK;
}

/* ... and the list of words of one line, where it has a kernel of its own. */
static size_t record_bytes(const instruction_set *set, const bg_plan *plan)
{
    const size_t letters = (size_t)plan->process.letters;
    if (!choose_line(set, plan)) return 0;
    return bg_factorial((int)letters) * RECYCLED_RECORD(letters) * sizeof(uint32_t);
}

bg_status bg_cpu_memory(const bg_plan *plan, bg_memory *memory, bg_error *error)
{
    const instruction_set *set;
    bg_status status = bg_cpu_choose_set(&plan->options, &set, error);
    if (status != BG_OK) return status;
    const cpu_instance *instance = choose_instance(set, plan);
    if (!instance) return no_kernel(plan, error);
    const size_t chunk = (size_t)(BG_VECTORS * instance->lanes);
    const int threads = threads_of(plan);
    quark_program program = {0};
    if (bg_plan_sums_quarks(plan)) status = build_program(set, plan, &program, error);
    if (status != BG_OK) return status;
    memory->shared = table_bytes(set, plan) + program.bytes + record_bytes(set, plan);
    memory->per_event = (instance->workspace(plan, &program) + chunk - 1) / chunk;
    memory->batch = chunk * (size_t)threads;
    bg_program_destroy(&program);
    return bg_succeed(error);
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
            failed = bg_color_trace(letters, exact, threads_of(plan), plan->interrupt);
        else
            failed = bg_color_adjoint(letters, exact, threads_of(plan), plan->interrupt);
    }
    if (!failed) {
        for (uint64_t k = 0; k < size; k++) function[k] = (double)exact[k];
        failed = bg_color_dense_create(&s->tables.dense, letters, function);
    } else {
        free(function);
    }
    free(exact);
    return failed ? bg_plan_no_tables(s->plan, error) : BG_OK;
}

/* Where the kernel of one line finds its currents. */
static bg_status build_records(cpu_state *s, bg_error *error)
{
    const int letters = s->plan->process.letters;
    if (!choose_line(s->set, s->plan)) return BG_OK;
    s->tables.record = malloc(record_bytes(s->set, s->plan));
    if (!s->tables.record) return bg_fail(error, BG_ERROR_MEMORY, "no memory for the words of %d gluons", letters);
    bg_word_records(letters, 1, s->tables.record);
    return BG_OK;
}

/* How a process becomes that of its code. */
static bg_status build_straight(cpu_state *s, bg_error *error)
{
    const cpu_straight *straight = choose_straight(s->set, s->plan);
    const straight_code *const code = straight ? &straight->code : NULL;
    if (code && bg_straight_create(&s->tables.straight, &s->plan->process, &code, 1))
        return bg_plan_no_vertices(s->plan, error);
    return BG_OK;
}

static bg_status build_fourier(cpu_state *s, bg_error *error)
{
    const bg_subprocess *process = &s->plan->process;
    const int threads = threads_of(s->plan);
    int failed;
    if (process->lines) {
        const color_strings strings = bg_color_strings(process->lines, process->gluons);
        failed = bg_color_fourier_create_quarks(&s->tables.fourier, &strings, threads, s->plan->interrupt);
    } else {
        failed = bg_color_fourier_create(&s->tables.fourier, process->letters, threads, s->plan->interrupt);
    }
    return failed ? bg_plan_no_tables(s->plan, error) : BG_OK;
}

/* ---- memory ------------------------------------------------------------------------------------------------------------ */

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

void *bg_cpu_workspace(const cpu_state *s)
{
    void *workspace = aligned_alloc(64, s->workspace_size);
    /* a schedule that is kept from one call to the next begins with a word that says so */
    if (workspace) memset(workspace, 0, s->workspace_size < 256 ? s->workspace_size : 256);
    return workspace;
}

void bg_cpu_destroy(void *opaque)
{
    cpu_state *s = opaque;
    if (s->workspace)
        for (int k = 0; k < s->threads; k++) free(s->workspace[k]);
    free(s->workspace);
    bg_color_dense_destroy(&s->tables.dense);
    bg_color_fourier_destroy(&s->tables.fourier);
    bg_program_destroy(&s->tables.program);
    free(s->tables.record);
    bg_straight_destroy(&s->tables.straight);
    free(s);
}

bg_status bg_cpu_create_in(const instruction_set *set, bg_plan *plan, int threads, void **state, bg_error *error)
{
    if (!choose_instance(set, plan)) return no_kernel(plan, error);
    bg_status status = BG_OK;
    cpu_state *s = calloc(1, sizeof *s);
    if (!s) return bg_fail(error, BG_ERROR_MEMORY, "no memory for the CPU backend");
    s->plan = plan;
    s->set = set;
    s->instance = choose_instance(set, plan);
    s->generate = set->generate;
    s->estimate = set->estimate;
    s->threads = threads;
    if (bg_plan_sums_quarks(plan)) status = build_program(set, plan, &s->tables.program, error);
    if (status == BG_OK) status = build_records(s, error);
    if (status == BG_OK) status = build_straight(s, error);
    if (status != BG_OK) {
        bg_cpu_destroy(s);
        return status;
    }
    s->workspace_size = (s->instance->workspace(plan, &s->tables.program) + 64 + 63) / 64 * 64;

    const size_t tables = table_bytes(set, plan), need = tables + (size_t)s->threads * s->workspace_size;
    const size_t have = system_memory(), fit = have > tables ? (have - tables) / s->workspace_size : 0;
    if (have && need > have) {
        char advice[64] = "";
        if (fit) snprintf(advice, sizeof advice, ": use fewer threads, %zu at most", fit);
        status = bg_fail(error, BG_ERROR_MEMORY, "n_out = %d with %d threads needs %.3g MB, %.3g MB are free%s",
                         plan->process.n_out, s->threads, 1e-6 * (double)need, 1e-6 * (double)have, advice);
    } else {
        s->workspace = calloc((size_t)s->threads + 1, sizeof *s->workspace);
        if (!s->workspace) status = bg_fail(error, BG_ERROR_MEMORY, "no memory for %d threads", s->threads);
        for (int k = 0; k < s->threads && status == BG_OK; k++) {
            s->workspace[k] = bg_cpu_workspace(s);
            if (!s->workspace[k])
                status = bg_fail(error, BG_ERROR_MEMORY, "no memory for the workspace of thread %d (%.3g MB)", k + 1,
                                 1e-6 * (double)s->workspace_size);
        }
        if (status == BG_OK && plan->options.color == BG_COLOR_SUMMED && !s->tables.straight.whole)
            status = plan->options.kernel == BG_KERNEL_FAST ? build_fourier(s, error) : build_dense(s, error);
    }
    if (status != BG_OK) {
        bg_cpu_destroy(s);
        return status;
    }
    *state = s;
    return bg_succeed(error);
}

bg_status bg_cpu_create(bg_plan *plan, void **state, bg_error *error)
{
    const instruction_set *set;
    bg_status status = bg_cpu_choose_set(&plan->options, &set, error);
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
    plan->quad = set->quad;
    if (is_paper(set, plan)) plan->options.kernel = BG_KERNEL_PAPER; /* from here on, the kernel that really runs */
    if (plan->options.kernel == BG_KERNEL_PAPER && plan->options.recursion == BG_RECURSION_ORDERED &&
        plan->process.letters > BG_MAX_OUT_ORDERED)
        return bg_fail(error, BG_ERROR_UNSUPPORTED, "n_out = %d in %s; it must be %d to %d with the ordered recursion",
                       plan->process.n_out, set->title, BG_MIN_OUT, BG_MAX_OUT_ORDERED);
    return bg_cpu_create_in(set, plan, plan->options.threads, state, error);
}
