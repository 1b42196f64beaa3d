/* The points of a benchmark: the paper's set-up, and a generator that was trained as an integration would train it. */
#include "console.h"
#include "measure/parts.h"
#include "phasespace/grid.h"

#include <stdlib.h>
#include <string.h>

enum { DISTINCT = 8192 };
#define SEED 1

/* Trial points until `distinct` are inside the cuts. */
static bg_status generate_points(measure_setting *s, bg_error *error)
{
    const int n_out = s->n_out, n = n_out + 2;
    const double beam = 0.5 * s->channel.sqrts;
    const double incoming[8] = {beam, 0., 0., beam, beam, 0., 0., -beam};
    size_t got = 0;
    for (uint64_t first = 0; got < s->distinct; first += BG_LANES) {
        vec4 p[BG_MAX_OUT_DRESSED];
        uint8_t bin[BG_MAX_DIMENSIONS * BG_LANES];
        uint64_t event[BG_LANES];
        if (first > 10000ull * s->distinct)
            return cli_fail(error, BG_ERROR_POINT, "of %llu trial points with %d gluons only %llu are inside the cuts",
                            (unsigned long long)first, n_out, (unsigned long long)got);
        for (int l = 0; l < BG_LANES; l++) event[l] = first + (uint64_t)l;
        const real weight = channel_generate(n_out, &s->channel, &s->grid, event, p, bin);
        for (int l = 0; l < BG_LANES && got < s->distinct; l++) {
            if (!(bg_lane(weight, l) > 0.)) continue;
            double *q = s->momenta + got++ * (size_t)n * 4;
            memcpy(q, incoming, sizeof incoming);
            for (int k = 0; k < n_out; k++) {
                q[8 + 4 * k] = bg_lane(p[k].t, l);
                q[8 + 4 * k + 1] = bg_lane(p[k].x, l);
                q[8 + 4 * k + 2] = bg_lane(p[k].y, l);
                q[8 + 4 * k + 3] = bg_lane(p[k].z, l);
            }
        }
    }
    return BG_OK;
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

/* A few iterations of the integrator's own adaptation, with the cheapest matrix element that has the right shape: summed
 * colors for few gluons, coherent ones for many. The numbers of points are fixed, so that every run measures the same
 * events. */
enum { SAMPLES_COLORS = 6 };
static bg_status adapt_grid(measure_setting *s, bg_error *error)
{
    bg_process *process = NULL;
    bg_evaluator *e = NULL;
    bg_options o;
    bg_tally *tally = malloc(sizeof *tally);
    bg_options_init(&o);
    if (s->n_out >= SAMPLES_COLORS) (void)bg_options_set_algorithm(&o, BG_ALGORITHM_CD_MC, NULL);
    o.helicity = BG_HELICITY_SAMPLED;
    strcpy(o.backend, "cpu");
    bg_status status = tally ? bg_process_create_gluons(&process, s->n_out, error)
                             : cli_fail(error, BG_ERROR_MEMORY, "no memory for a tally");
    if (status == BG_OK) status = bg_evaluator_create(&e, process, &o, error);
    uint64_t first = (uint64_t)1 << 40;
    for (int k = 0; k < 5 && status == BG_OK && !cli_interrupted(); k++) {
        /* the first few points only find the scale */
        const uint64_t count = k ? 250 * (uint64_t)(s->n_out + 1) * (uint64_t)(k + 1) : 512;
        const bg_batch batch = {.channel = &s->channel,
                                .grid = &s->grid,
                                .first_event = first,
                                .count = count,
                                .importance_scale = s->scale};
        bg_timing timing = {0};
        memset(tally, 0, sizeof *tally);
        status = bg_evaluator_integrate(e, &batch, tally, NULL, &timing, error);
        if (status != BG_OK) break;
        if (k) bg_grid_adapt(&s->grid, s->channel.dimensions, tally->importance[0]);
        const double moment = bg_exact_value(&tally->weight2) / (double)count;
        if (moment > 0.) s->scale = moment;
        first += bg_deal_whole(bg_evaluator_plan(e)->group, count);
    }
    bg_evaluator_destroy(e);
    bg_process_destroy(process);
    free(tally);
    return status;
}

bg_status measure_setting_create(measure_setting *s, int n_out, int adapt, bg_error *error)
{
    bg_integration paper;
    memset(s, 0, sizeof *s);
    bg_integration_init(&paper);
    s->n_out = n_out;
    s->distinct = DISTINCT;
    s->channel = channel_create((int)paper.phase_space, n_out, paper.sqrts, &paper.cuts, SEED);
    bg_grid_uniform(&s->grid);
    bg_status status = measure_provide(s, DISTINCT, error);
    if (status == BG_OK && adapt) status = adapt_grid(s, error);
    if (status == BG_OK) status = generate_points(s, error);
    if (status != BG_OK) measure_setting_destroy(s);
    return status;
}

void measure_setting_destroy(measure_setting *s)
{
    free(s->momenta);
    free(s->me2);
    memset(s, 0, sizeof *s);
}

void measure_setting_flat(measure_setting *s, uint64_t seed)
{
    bg_integration paper;
    bg_integration_init(&paper);
    s->channel = channel_create(BG_PHASE_SPACE_RAMBO, s->n_out, paper.sqrts, &paper.cuts, seed);
}
