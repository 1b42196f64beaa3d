#include "engine/generator.h"
#include "base/status.h"
#include "phasespace/grid.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCK = 512 }; /* points at a time */

bg_status bg_generator_make(bg_generator **generator, const bg_process *process, const bg_options *options,
                            const bg_integration *w, bg_error *error)
{
    cpu_generate *generate;
    bg_status status = bg_cpu_choose_generate(options, &generate, error);
    if (status != BG_OK) return status;
    bg_generator *g = calloc(1, sizeof *g);
    if (!g) return bg_fail(error, BG_ERROR_MEMORY, "no memory for a generator");
    g->channel = channel_create((int)w->phase_space, process->n_out, w->sqrts, &w->cuts, options->seed);
    g->generate = generate;
    bg_grid_uniform(&g->grid);
    *generator = g;
    return bg_succeed(error);
}

int bg_generator_fits(const bg_generator *g, const channel *c)
{
    const bg_cuts *a = &g->channel.cuts, *b = &c->cuts;
    return g->channel.kind == c->kind && g->channel.n_out == c->n_out && g->channel.sqrts == c->sqrts &&
           a->pt_min == b->pt_min && a->eta_max == b->eta_max && a->dr_min == b->dr_min && a->mass_min == b->mass_min &&
           a->ht_min == b->ht_min;
}

/* Points of consecutive numbers, spread out from where the kernel packs those inside the cuts. */
static void run_block(const bg_generator *g, uint64_t first, int count, cpu_points *packed, double *momenta,
                      double *weight)
{
    const size_t stride = 4 * (size_t)(g->channel.n_out + 2);
    g->generate(&g->channel, &g->grid, first, count, packed);
    memset(momenta, 0, (size_t)count * stride * sizeof *momenta);
    memset(weight, 0, (size_t)count * sizeof *weight);
    for (int k = 0; k < packed->count; k++) {
        const size_t at = (size_t)(packed->event[k] - first);
        memcpy(momenta + at * stride, packed->momenta + (size_t)k * stride, stride * sizeof *momenta);
        weight[at] = packed->weight[k];
    }
}

bg_status bg_generator_run(const bg_generator *g, size_t count, const uint64_t *event, double *momenta, double *weight,
                           bg_error *error)
{
    const size_t stride = 4 * (size_t)(g->channel.n_out + 2);
    double *memory = malloc(BLOCK * (stride + 1) * sizeof *memory);
    uint64_t *events = malloc(BLOCK * sizeof *events);
    uint8_t *bin = malloc(BLOCK * BG_MAX_DIMENSIONS);
    bg_status status = BG_OK;
    if (!memory || !events || !bin) status = bg_fail(error, BG_ERROR_MEMORY, "no memory for %d points", BLOCK);
    cpu_points packed = {
        .momenta = memory, .weight = memory ? memory + BLOCK * stride : NULL, .event = events, .bin = bin};
    for (size_t from = 0, take; status == BG_OK && from < count; from += take) {
        for (take = 1; take < BLOCK && from + take < count && event[from + take] == event[from] + take;) take++;
        run_block(g, event[from], (int)take, &packed, momenta + from * stride, weight + from);
    }
    free(memory);
    free(events);
    free(bin);
    return status == BG_OK ? bg_succeed(error) : status;
}
