/* Trial points for one instruction set (BG_ISA, BG_LANES): phase space and cuts, a register at a time. */
#include "backend/cpu/generate.h"

#include "amplitude/external.h"

/* Points first .. first + count - 1. Those inside the cuts are packed one after the other into `out`. */
static void generate(const channel *c, const channel_grid *grid, uint64_t first, int count, cpu_points *out)
{
    const int n_out = c->n_out, n = n_out + 2;
    const double beam = 0.5 * c->sqrts;
    out->count = 0;
    for (int done = 0; done < count; done += BG_LANES) {
        vec4 p[BG_MAX_OUT_DRESSED];
        uint8_t bin[BG_MAX_DIMENSIONS * BG_LANES];
        uint64_t event[BG_LANES];
        for (int l = 0; l < BG_LANES; l++) event[l] = first + (uint64_t)(done + l);
        real weight = channel_generate(n_out, c, grid, event, p, bin);
        for (int l = 0; l < BG_LANES && done + l < count; l++) {
            const double w = (double)bg_lane(weight, l);
            if (!(w > 0.)) continue;
            const int at = out->count++;
            double *q = out->momenta + (size_t)at * (size_t)n * 4;
            const double incoming[8] = {beam, 0., 0., beam, beam, 0., 0., -beam};
            for (int k = 0; k < 8; k++) q[k] = incoming[k];
            for (int k = 0; k < n_out; k++) {
                q[8 + 4 * k] = (double)bg_lane(p[k].t, l);
                q[8 + 4 * k + 1] = (double)bg_lane(p[k].x, l);
                q[8 + 4 * k + 2] = (double)bg_lane(p[k].y, l);
                q[8 + 4 * k + 3] = (double)bg_lane(p[k].z, l);
            }
            out->weight[at] = w;
            out->event[at] = event[l];
            for (int d = 0; d < c->dimensions; d++)
                out->bin[(size_t)at * BG_MAX_DIMENSIONS + (size_t)d] = bin[d * BG_LANES + l];
        }
    }
}

#define PASTE(a, b) a##b
#define SYMBOL(isa) PASTE(bg_cpu_generate_, isa)

cpu_generate SYMBOL(BG_ISA);
void SYMBOL(BG_ISA)(const channel *c, const channel_grid *grid, uint64_t first, int count, cpu_points *out)
{
    generate(c, grid, first, count, out);
}
