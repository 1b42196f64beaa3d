/* The points of a benchmark: the paper's set-up, and a generator that was trained as an integration would train it. */
#include "backends.h"
#include "console.h"
#include "measure/parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DISTINCT = 8192, TRIALS = 1024 };
#define SEED 1

static bg_status create_generator(measure_setting *s, bg_phase_space phase_space, uint64_t seed, bg_error *error)
{
    bg_integration paper;
    bg_options o;
    bg_integration_init(&paper);
    bg_options_init(&o);
    paper.phase_space = phase_space;
    o.seed = seed;
    return bg_generator_create(&s->generator, s->process, &o, &paper, error);
}

/* Trial points until `distinct` are inside the cuts: those that have a weight. */
static bg_status generate_points(measure_setting *s, bg_error *error)
{
    const size_t numbers = 4 * (size_t)(s->n_out + 2);
    double *momenta = malloc(TRIALS * numbers * sizeof *momenta), weight[TRIALS];
    uint64_t event[TRIALS];
    size_t got = 0;
    bg_status status = momenta ? BG_OK : cli_fail(error, BG_ERROR_MEMORY, "no memory for %d points", TRIALS);
    for (uint64_t first = 0; got < s->distinct && status == BG_OK; first += TRIALS) {
        if (cli_interrupted()) {
            status = cli_fail(error, BG_ERROR_INTERRUPTED, "interrupted while points were made");
            break;
        }
        if (first > 10000ull * s->distinct) {
            status =
                cli_fail(error, BG_ERROR_POINT, "of %llu trial points with %d partons only %llu are inside the cuts",
                         (unsigned long long)first, s->n_out, (unsigned long long)got);
            break;
        }
        for (uint64_t k = 0; k < TRIALS; k++) event[k] = first + k;
        status = bg_generator_points(s->generator, TRIALS, event, momenta, weight, error);
        for (size_t k = 0; k < TRIALS && got < s->distinct && status == BG_OK; k++)
            if (weight[k] > 0.) memcpy(s->momenta + got++ * numbers, momenta + k * numbers, numbers * sizeof *momenta);
    }
    free(momenta);
    return status;
}

bg_status measure_provide(measure_setting *s, size_t count, bg_error *error)
{
    const size_t numbers = 4 * (size_t)(s->n_out + 2);
    if (count <= s->capacity) return BG_OK;
    double *momenta = realloc(s->momenta, count * numbers * sizeof *momenta);
    if (momenta) s->momenta = momenta;
    double *me2 = realloc(s->me2, count * sizeof *me2);
    if (me2) s->me2 = me2;
    if (!momenta || !me2)
        return cli_fail(error, BG_ERROR_MEMORY, "no memory for %.3g points (%.3g MB)", (double)count,
                        1e-6 * (double)(count * numbers * sizeof(double)));
    for (size_t k = s->capacity; k < count; k++)
        if (k >= s->distinct)
            memcpy(momenta + k * numbers, momenta + k % s->distinct * numbers, numbers * sizeof *momenta);
    s->capacity = count;
    return BG_OK;
}

static int has_gluons_only(const bg_process *process)
{
    bg_process_class c;
    bg_process_class_init(&c);
    return bg_process_class_at(process, 0, &c, NULL) == BG_OK && !c.quark_lines;
}

/* A few iterations of the integrator's own adaptation, with the cheapest matrix element that has the right shape: summed
 * colors for few gluons and with quarks, coherent ones for many gluons. The numbers of points are fixed, so that every run measures the same
 * events. */
enum { SAMPLES_COLORS = 6, ITERATIONS = 5, FIRST_TRIALS = 512 };
#define FIRST_OF_ADAPTATION ((uint64_t)1 << 40) /* far from those that are measured */
static bg_status adapt_grid(measure_setting *s, bg_error *error)
{
    bg_evaluator *e = NULL;
    bg_event_timing timing = {.next_event = FIRST_OF_ADAPTATION};
    bg_options o;
    bg_options_init(&o);
    if (s->n_out >= SAMPLES_COLORS && has_gluons_only(s->process))
        (void)bg_options_set_algorithm(&o, BG_ALGORITHM_CD_MC, NULL);
    o.helicity = BG_HELICITY_SAMPLED;
    snprintf(o.backend, sizeof o.backend, "%s", backend_of_host());
    bg_status status = bg_evaluator_create_stoppable(&e, s->process, &o, cli_wants_to_stop, NULL, error);
    for (int k = 0; k < ITERATIONS && status == BG_OK && !cli_interrupted(); k++) {
        /* the first few points only find the scale */
        const uint64_t count = k ? 250 * (uint64_t)(s->n_out + 1) * (uint64_t)(k + 1) : FIRST_TRIALS;
        status = bg_generator_adapt(s->generator, e, timing.next_event, count, &timing, error);
    }
    bg_evaluator_destroy(e);
    return status;
}

/* The rest, once there is a process. */
static bg_status complete(measure_setting *s, int adapt, bg_error *error)
{
    s->n_out = bg_process_n_out(s->process);
    s->distinct = DISTINCT;
    bg_status status = create_generator(s, BG_PHASE_SPACE_ADAPTIVE, SEED, error);
    if (status == BG_OK) status = measure_provide(s, DISTINCT, error);
    if (status == BG_OK && adapt) status = adapt_grid(s, error);
    if (status == BG_OK) status = generate_points(s, error);
    if (status != BG_OK) measure_setting_destroy(s);
    return status;
}

bg_status measure_setting_create(measure_setting *s, int n_out, int adapt, bg_error *error)
{
    memset(s, 0, sizeof *s);
    const bg_status status = bg_process_create_gluons(&s->process, n_out, error);
    return status == BG_OK ? complete(s, adapt, error) : status;
}

bg_status measure_setting_create_named(measure_setting *s, const char *text, int adapt, bg_error *error)
{
    memset(s, 0, sizeof *s);
    const bg_status status = bg_process_parse(&s->process, text, BG_MAX_FLAVORS, BG_ALL_LINES, error);
    return status == BG_OK ? complete(s, adapt, error) : status;
}

void measure_setting_destroy(measure_setting *s)
{
    bg_generator_destroy(s->generator);
    bg_process_destroy(s->process);
    free(s->momenta);
    free(s->me2);
    memset(s, 0, sizeof *s);
}

bg_status measure_setting_flat(measure_setting *s, uint64_t seed, bg_error *error)
{
    bg_generator_destroy(s->generator);
    s->generator = NULL;
    return create_generator(s, BG_PHASE_SPACE_RAMBO, seed, error);
}
