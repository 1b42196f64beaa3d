/* Trial points for one instruction set (BG_ISA, BG_LANES): phase space and cuts, a register at a time. */
#include "backend/batch.h"

static void generate(const channel *c, const channel_grid *grid, uint64_t first, int count, const bg_point_arrays *out)
{
    const int n_out = c->process.n_out;
    const bg_point_arrays to = *out; /* a copy, since bytes that are stored could be those of *out */
    uint32_t found = 0;
    for (int done = 0; done < count; done += BG_LANES) {
        vec4 p[BG_MAX_OUT_DRESSED], beam[2] = {beams_momentum(&c->beams, 0), beams_momentum(&c->beams, 1)};
        uint8_t bin[BG_MAX_ROWS * BG_LANES];
        uint64_t event[BG_LANES];
        bg_region region[BG_LANES];
        for (int l = 0; l < BG_LANES; l++) event[l] = first + (uint64_t)(done + l);
        const real weight = c->protons ? channel_generate_protons(n_out, c, grid, event, p, beam, bin, region)
                                       : channel_generate(n_out, c, grid, event, p, bin, region);
        for (int l = 0; l < BG_LANES && done + l < count; l++) {
            const double w = (double)bg_lane_at(&weight, l);
            if (!(w > 0.)) continue;
            points_put(&to, found, &c->process, c->places, beam, n_out, p, c->dimensions, bin, c->axes, &region[l], w,
                       event[l], l);
            points_put_cells(&to, found, c->axes, c->cells, bin + BG_MAX_DIMENSIONS * BG_LANES, l);
            found++;
        }
    }
    *to.count = found;
}

#define PASTE(a, b) a##b
#define SYMBOL(isa) PASTE(bg_generate_, isa)

bg_generate SYMBOL(BG_ISA);
void SYMBOL(BG_ISA)(const channel *c, const channel_grid *grid, uint64_t first, int count, const bg_point_arrays *out)
{
    generate(c, grid, first, count, out);
}
