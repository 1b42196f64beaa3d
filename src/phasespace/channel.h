/* One trial point: random numbers, the VEGAS grid, a mapping, cuts. */
#ifndef BG_PHASESPACE_CHANNEL_H
#define BG_PHASESPACE_CHANNEL_H

#include "beams/protons.h"
#include "phasespace/casting.h"
#include "phasespace/cuts.h"
#include "phasespace/hardpair.h"
#include "phasespace/points.h"
#include "phasespace/region.h"
#include "phasespace/rambo.h"
#include "phasespace/symmetric.h"
#include "random/philox.h"

#define BG_GRID_BINS 64
#define BG_MAX_DIMENSIONS (BG_MAX_OUT_DRESSED + 1)    /* of the map with the most: symmetric.h */
#define BG_MAX_AXES (BG_MAX_DIMENSIONS + 1)           /* ... and the regions */
#define BG_MAX_ROWS (BG_MAX_AXES + BG_SYMMETRIC_SOFT) /* ... and the directions of soft partons */

/* Everything that is the same for all points. Plain data but for the protons: copied to devices as it is. */
typedef struct channel {
    int kind;       /* bg_phase_space */
    int dimensions; /* that the grid adapts */
    int axes;       /* that points leave their bins on: those, and the regions where outgoing partons are not alike */
    int cells;      /* behind them: soft partons whose directions are learned */
    bg_subprocess process;
    uint64_t places; /* of the outgoing legs, four bits each */
    bg_beams beams;
    bg_cuts cuts;
    bg_jet_cuts jets;
    hardpair map;
    symmetric lab;             /* the map of two protons */
    const bg_protons *protons; /* NULL: two partons of a fixed energy; on a device a copy there */
    double volume;             /* of phase space: the weight of a point of RAMBO */
    uint64_t seed;
    double coin; /* benchmarks: the share of points that a coin lets pass in place of the cuts; 0: no coin */
} channel;

/* What is learned: edges of the grid's bins, [dimension][BG_GRID_BINS + 1] from 0 to 1, and which parton is where. */
typedef struct channel_grid {
    double edge[BG_MAX_DIMENSIONS][BG_GRID_BINS + 1];
    bg_regions regions;
    bg_casting casting;         /* not learned: for two protons, in place of regions where there are casts */
    symmetric_table directions; /* of soft partons, for two protons */
} channel_grid;

/* Whether the outgoing partons are not all alike. */
BG_FN int channel_is_mixed(const bg_subprocess *process)
{
    const int *pdg = process->pdg + process->n_in;
    int mixed = 0;
    for (int k = 1; k < process->n_out; k++) mixed |= pdg[k] != pdg[0];
    return mixed;
}

/* Rows of bins that a point has at most. */
BG_FN int channel_most_rows(const bg_subprocess *process)
{
    return symmetric_adaptive(process->n_out) + channel_is_mixed(process) + process->n_out - 2;
}

/* `jets` may be NULL: no such cuts. `protons` may be NULL: two partons of a fixed energy. */
BG_FN channel channel_create(int kind, const bg_subprocess *process, double sqrts, const bg_cuts *cuts,
                             const bg_jet_cuts *jets, const bg_protons *protons, uint64_t seed)
{
    channel c;
    const int n_out = process->n_out;
    c.kind = kind;
    c.process = *process;
    c.places = points_places(process);
    c.beams = beams_fixed(sqrts);
    c.cuts = *cuts;
    c.jets = jets ? *jets : cuts_none();
    c.seed = seed;
    c.coin = 0.;
    c.protons = protons;
    c.dimensions = kind == BG_PHASE_SPACE_RAMBO ? 0 : protons ? symmetric_adaptive(n_out) : hardpair_adaptive(n_out);
    c.axes = kind == BG_PHASE_SPACE_RAMBO ? 0 : c.dimensions + channel_is_mixed(process);
    c.cells = protons ? n_out - 2 : 0;
    c.lab = symmetric_create(n_out, sqrts, &c.cuts, &c.jets); /* not used without protons */
    const double least_pt = cuts_least_pt(&c.cuts, &c.jets, n_out, n_out - 1);
    c.map = hardpair_create(n_out, sqrts, least_pt > 0. ? least_pt : 1., cuts->eta_max,
                            cuts_nearest(sqrts, &c.cuts, &c.jets));
    c.volume = rambo_volume(n_out, sqrts);
    return c;
}

/* Numbers x from numbers u through the grid; returns the jacobian. bin[d * BG_LANES + lane]. */
BG_FN real channel_warp(const int dimensions, const channel_grid *grid, real *x, uint8_t *bin)
{
    real jacobian = bg_real(1.);
    BG_UNROLL
    for (int d = 0; d < dimensions; d++) {
        real width;
        for (int l = 0; l < BG_LANES; l++) {
            const double t = (double)bg_lane(x[d], l) * BG_GRID_BINS;
            const int k = (int)t;
            const double low = grid->edge[d][k], w = grid->edge[d][k + 1] - low;
            bin[d * BG_LANES + l] = (uint8_t)k;
            bg_set_lane(&x[d], l, low + (t - k) * w);
            bg_set_lane(&width, l, w);
        }
        jacobian *= bg_real((double)BG_GRID_BINS) * width;
    }
    return jacobian;
}

/* As many points as the cuts would let pass, without looking at them: what is left of the time is the points'. */
BG_FN mask channel_coin(double share, const uint64_t *event)
{
    real u;
    for (int l = 0; l < BG_LANES; l++) bg_set_lane(&u, l, (double)(uint32_t)(event[l] * 2654435769u) * 0x1p-32);
    return u < bg_real(share);
}

/* The regions of all lanes; returns the factor of the weight. */
BG_FN real channel_regions(const channel *c, const channel_grid *grid, const uint64_t *event, bg_region *region)
{
    real factor;
    for (int l = 0; l < BG_LANES; l++) {
        region[l] = region_choose(&grid->regions, c->map.collinear && !c->protons, c->seed, event[l]);
        bg_set_lane(&factor, l, region[l].factor);
    }
    return factor;
}

/* The trial point of each lane's event: n_out momenta, which legs they are (region[lane]), and its weight in pb (times
 * |M|^2: the integrand); 0 outside the cuts. */
BG_FN real channel_generate(const int n_out, const channel *c, const channel_grid *grid, const uint64_t *event, vec4 *p,
                            uint8_t *bin, bg_region *region)
{
    real x[4 * BG_MAX_OUT_DRESSED], weight;
    const int numbers = c->kind == BG_PHASE_SPACE_RAMBO ? 4 * n_out : hardpair_numbers(n_out);
    bg_random_lanes(c->seed, event, 0, BG_STREAM_PHASE_SPACE, numbers, x);
    const bg_factors factors = beams_factors(&c->beams);
    const real factor = factors_product(&factors);
    for (int l = 0; l < BG_LANES; l++) region[l] = region_alike();
    if (c->kind == BG_PHASE_SPACE_RAMBO) {
        rambo_generate(n_out, c->beams.sqrts, x, p);
        weight = factor * bg_real(c->volume);
    } else {
        real jacobian = channel_warp(c->dimensions, grid, x, bin);
        weight = factor * jacobian * hardpair_generate(n_out, &c->map, x, p);
        if (c->axes > c->dimensions) weight *= channel_regions(c, grid, event, region);
    }
    mask good = weight > bg_real(0.);
    if (bg_any(good)) good &= c->coin > 0. ? channel_coin(c->coin, event) : cuts_pass(n_out, &c->cuts, &c->jets, p);
    return bg_select(good, weight, bg_real(0.));
}

/* Reflects a lane along the beams. */
BG_FN void channel_reflect(const int n, vec4 *p, int lane)
{
    for (int k = 0; k < n; k++) bg_set_lane(&p[k].z, lane, -bg_lane(p[k].z, lane));
}

/* The same for two protons, with the momenta of the partons that come in. Behind the bins of the axes there are the cells of
 * soft partons, from bin[BG_MAX_DIMENSIONS * BG_LANES] on. */
BG_FN real channel_generate_protons(const int n_out, const channel *c, const channel_grid *grid, const uint64_t *event,
                                    vec4 *p, vec4 *beam, uint8_t *bin, bg_region *region)
{
    const real zero = bg_real(0.), half = bg_real(0.5 * c->lab.sqrts);
    const int numbers = symmetric_numbers(n_out);
    real x[4 * BG_MAX_OUT_DRESSED], x1, x2;
    bg_random_lanes(c->seed, event, 0, BG_STREAM_PHASE_SPACE, numbers + 1, x);
    real weight = channel_warp(c->dimensions, grid, x, bin);
    weight *= symmetric_generate(n_out, &c->lab, &grid->directions, x, p, &x1, &x2, bin + BG_MAX_DIMENSIONS * BG_LANES);
    for (int l = 0; l < BG_LANES; l++) region[l] = region_alike();
    const int cast = grid->casting.count > 0;
    if (c->axes > c->dimensions && !cast) weight *= channel_regions(c, grid, event, region);
    mask good = weight > zero;
    if (bg_any(good)) good &= cuts_pass(n_out, &c->cuts, &c->jets, p);
    if (cast && bg_any(good)) {
        real u;
        bg_random_lanes(c->seed, event, 0, BG_STREAM_REGION, 1, &u);
        weight *= casting_choose(&grid->casting, n_out, p, u, region);
    }
    weight = bg_select(good, weight, zero);
    const vec4 first = {half * x1, zero, zero, half * x1}, second = {half * x2, zero, zero, -(half * x2)};
    beam[0] = first;
    beam[1] = second;
    const real mu2 = protons_scale2(c->protons, n_out, p);
    for (int l = 0; l < BG_LANES; l++) {
        const double w = (double)bg_lane(weight, l);
        double reflected;
        if (!(w > 0.)) continue;
        bg_set_lane(&weight, l,
                    w * protons_factor(c->protons, (double)bg_lane(x1, l), (double)bg_lane(x2, l),
                                       (double)bg_lane(mu2, l), &reflected));
        if ((double)bg_lane(x[numbers], l) >= reflected) continue;
        channel_reflect(n_out, p, l);
        channel_reflect(2, beam, l);
    }
    return weight;
}

#endif
