/* Measurements of the CPU backend: times of its parts, operations, and what the processor could do at best. */
#include "backend/cpu/cpu.h"
#include "backend/cpu/roofline.h"
#include "backend/operations.h"
#include "base/status.h"
#include "base/system.h"
#include "helicity/mode.h"

#include <stdlib.h>

enum { TRIALS = 1024 }; /* that a thread generates at a time */

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

static bg_status time_stages(void *opaque, const bg_momenta *momenta, size_t count, int repetitions, bg_stages *each,
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
        bg_cpu_evaluate_all(s, 0, count, momenta, me2, NULL, stages);
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

static bg_status time_points(void *opaque, const bg_batch *batch, int repetitions, double *seconds_each,
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
            bg_point_arrays points;
            uint32_t found = 0;
            const int ready = !bg_cpu_points_create(&points, s->plan->process.n, TRIALS,
                                                    batch->channel->axes + batch->channel->cells, &found);
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
                            &points);
                inside += found;
            }
#ifdef _OPENMP
#pragma omp single
#endif
            end = bg_seconds();
            if (ready) free(points.momenta);
        }
        seconds_each[r] = end - start;
    }
    *accepted = inside;
    return failed ? bg_fail(error, BG_ERROR_MEMORY, "no memory for the points of %d threads", s->threads)
                  : bg_succeed(error);
}

static void operations(void *opaque, bg_operations *o)
{
    const cpu_state *s = opaque;
    const bg_plan *plan = s->plan;
    const int N = plan->process.letters, parts = helicity_parts(plan->mode), samples = plan->options.samples;
    const straight_runs *straight = &s->tables.straight;
    if (straight->whole) {
        bg_straight_totals(plan, straight->configurations * straight->operations,
                           2. * straight->configurations * straight->color_operations, o);
        return;
    }
    if (bg_plan_sums_quarks(plan)) {
        const double column = bg_fourier_operations(&s->tables.fourier);
        if (s->tables.record)
            bg_line_totals(plan, column, o);
        else
            bg_quark_totals(plan, &s->tables.program, column, o);
        return;
    }
    bg_paper_operations(plan, o);
    if (plan->options.kernel != BG_KERNEL_FAST) return;
    const double configurations = helicity_configurations(plan->process.n, plan->mode);
    if (plan->process.lines) {
        const double states = plan->mode == HELICITY_BASIS ? (double)(1u << plan->process.gluons) : 1.;
        o->amplitudes = samples * states * bg_open_operations(plan);
        return;
    }
    if (bg_options_want_coherent(&plan->options)) {
        o->amplitudes = samples * configurations * bg_coherent_operations(plan->process.n, parts, plan->options.seed);
        return;
    }
    o->amplitudes = samples * (plan->mode == HELICITY_BASIS && N <= BG_RECYCLED
                                   ? bg_shared_operations(N, 2, 1, 1)
                                   : configurations * bg_shared_operations(N, 1, parts, 1));
    o->color_sum = samples * configurations * parts * bg_fourier_operations(&s->tables.fourier);
}

static bg_status roofline(int device, double seconds, bg_interrupt *interrupt, bg_roofline *result, bg_error *error)
{
    const instruction_set *set;
    const bg_status status = bg_cpu_choose_set(NULL, &set, error);
    (void)device; /* there is one */
    return status == BG_OK ? bg_cpu_measure_roofline(set->name, seconds, interrupt, result, error) : status;
}

const bg_instrument bg_cpu_instrument = {
    .time_stages = time_stages, .time_points = time_points, .operations = operations, .roofline = roofline};
