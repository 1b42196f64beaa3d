#include "engine/generator.h"
#include "base/status.h"
#include "engine/evaluator.h"
#include "phasespace/grid.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCK = 512 }; /* points at a time */

bg_status bg_generator_make(bg_generator **generator, const bg_process *process, const bg_options *options,
                            const bg_integration *w, bg_error *error)
{
    bg_generate *generate;
    bg_status status = bg_evaluator_generator(options, &generate, error);
    if (status != BG_OK) return status;
    bg_generator *g = calloc(1, sizeof *g);
    if (!g) return bg_fail(error, BG_ERROR_MEMORY, "no memory for a generator");
    g->channel = channel_create((int)w->phase_space, &process->subprocess[0], w->sqrts, &w->cuts, &w->jet_cuts, NULL,
                                options->seed);
    g->generate = generate;
    bg_grid_uniform(&g->grid, &process->subprocess[0], 0);
    *generator = g;
    return bg_succeed(error);
}

/* Which partons come out decides on the regions. */
static int same_process(const bg_subprocess *a, const bg_subprocess *b)
{
    int same = a->n_in == b->n_in && a->n_out == b->n_out;
    for (int k = 0; same && k < a->n; k++) same = a->pdg[k] == b->pdg[k];
    return same;
}

int bg_generator_fits(const bg_generator *g, const channel *c)
{
    const bg_cuts *a = &g->channel.cuts, *b = &c->cuts;
    return g->channel.kind == c->kind && same_process(&g->channel.process, &c->process) &&
           g->channel.beams.sqrts == c->beams.sqrts && a->pt_min == b->pt_min && a->eta_max == b->eta_max &&
           a->dr_min == b->dr_min && a->mass_min == b->mass_min && a->ht_min == b->ht_min &&
           cuts_same(&g->channel.jets, &c->jets);
}

/* Points of consecutive numbers, in the user's order, spread out from where the kernel packs those inside the cuts. These
 * are moved from the last to the first: none goes to a place that is still to be read. */
static void run_block(const bg_generator *g, uint64_t first, int count, const bg_point_arrays *packed, double *momenta,
                      double *weight)
{
    const size_t numbers = 4 * (size_t)g->channel.process.n;
    g->generate(&g->channel, &g->grid, first, count, packed);
    points_copy_out(packed, &g->channel.process, *packed->count, momenta);
    size_t left = *packed->count;
    for (size_t at = (size_t)count; at-- > 0;) {
        const int inside = left && packed->event[left - 1] == first + at;
        if (inside && at != --left) memcpy(momenta + numbers * at, momenta + numbers * left, numbers * sizeof *momenta);
        if (!inside) memset(momenta + numbers * at, 0, numbers * sizeof *momenta);
        weight[at] = inside ? packed->weight[left] : 0.;
    }
}

bg_status bg_generator_run(const bg_generator *g, size_t count, const uint64_t *event, double *momenta, double *weight,
                           bg_error *error)
{
    const size_t numbers = 4 * (size_t)g->channel.process.n;
    double *memory = malloc(BLOCK * (numbers + 1) * sizeof *memory);
    uint64_t *events = malloc(BLOCK * sizeof *events);
    uint8_t *bin = malloc(BLOCK * BG_MAX_ROWS);
    uint32_t inside = 0;
    bg_status status = BG_OK;
    if (!memory || !events || !bin) status = bg_fail(error, BG_ERROR_MEMORY, "no memory for %d points", BLOCK);
    const bg_point_arrays packed = {.pitch = BLOCK,
                                    .momenta = memory,
                                    .weight = memory ? memory + BLOCK * numbers : NULL,
                                    .event = events,
                                    .bin = bin,
                                    .count = &inside};
    for (size_t from = 0, take; status == BG_OK && from < count; from += take) {
        for (take = 1; take < BLOCK && from + take < count && event[from + take] == event[from] + take;) take++;
        run_block(g, event[from], (int)take, &packed, momenta + from * numbers, weight + from);
    }
    free(memory);
    free(events);
    free(bin);
    return status == BG_OK ? bg_succeed(error) : status;
}
