/* Phase-space points: one structure of arrays from the generator to the histograms, on a CPU and on a GPU. */
#ifndef BG_PHASESPACE_POINTS_H
#define BG_PHASESPACE_POINTS_H

#include "beams/beams.h"
#include "kinematics/momenta.h"
#include "phasespace/region.h"
#include "process/subprocess.h"

/* Points inside the cuts, packed one after the other, with room for `pitch` of them. */
typedef struct bg_point_arrays {
    size_t pitch;
    double *momenta; /* [place][4][pitch], physical energies */
    double *weight;  /* [pitch], pb: phase space times the factors of the point, without |M|^2 */
    uint64_t *event; /* [pitch], event number */
    uint8_t *bin; /* [axis][pitch], of the grid; the last axis may be the regions; behind them cells of soft partons */
    uint32_t *count; /* of points */
} bg_point_arrays;

/* The momenta of the points as kernels read them. */
BG_FN bg_momenta points_momenta(const bg_point_arrays *points, const bg_subprocess *process)
{
    return momenta_view(points->momenta, 1, points->pitch, process->incoming, NULL);
}

BG_FN void points_put_momentum(const bg_point_arrays *points, size_t at, int place, const vec4 *p, int lane)
{
    double *to = points->momenta + 4 * (size_t)place * points->pitch + at;
    to[0] = (double)bg_lane_at(&p->t, lane);
    to[points->pitch] = (double)bg_lane_at(&p->x, lane);
    to[2 * points->pitch] = (double)bg_lane_at(&p->y, lane);
    to[3 * points->pitch] = (double)bg_lane_at(&p->z, lane);
}

/* `count` points in the user's order, to an array [point][leg][4]. */
static inline void points_copy_out(const bg_point_arrays *points, const bg_subprocess *process, size_t count,
                                   double *momenta)
{
    const size_t n = (size_t)process->n;
    for (size_t k = 0; k < count; k++)
        for (size_t c = 0; c < 4 * n; c++)
            momenta[4 * n * k + c] = points->momenta[(4 * (size_t)process->place[c / 4] + c % 4) * points->pitch + k];
}

/* The places of the outgoing legs, four bits each: a number that may be looked into with any index. */
BG_FN uint64_t points_places(const bg_subprocess *process)
{
    uint64_t places = 0;
    for (int k = 0; k < process->n_out; k++) places |= (uint64_t)process->place[k + 2] << (4 * k);
    return places;
}

/* Lane `lane` of a register of points to number `at`: the beams, the n_out outgoing momenta p of the legs that the region
 * says, and the bins on `dimensions` axes; where there is an axis more (`axes`), the region on that one. */
BG_FN void points_put(const bg_point_arrays *points, size_t at, const bg_subprocess *process, uint64_t places,
                      const vec4 *beam, const int n_out, const vec4 *p, const int dimensions, const uint8_t *bin,
                      int axes, const bg_region *region, double weight, uint64_t event, int lane)
{
    BG_UNROLL
    for (int leg = 0; leg < 2; leg++) points_put_momentum(points, at, process->place[leg], &beam[leg], lane);
    BG_UNROLL
    for (int k = 0; k < n_out; k++)
        points_put_momentum(points, at, region_leg(places, region_leg(region->order, k)), &p[k], lane);
    points->weight[at] = weight;
    points->event[at] = event;
    BG_UNROLL
    for (int d = 0; d < dimensions; d++) points->bin[(size_t)d * points->pitch + at] = bin[d * BG_LANES + lane];
    if (axes > dimensions) points->bin[(size_t)dimensions * points->pitch + at] = (uint8_t)region->entry;
}

/* The cells of soft partons, rows behind those of the axes. */
BG_FN void points_put_cells(const bg_point_arrays *points, size_t at, int axes, int cells, const uint8_t *cell,
                            int lane)
{
    for (int k = 0; k < cells; k++) points->bin[(size_t)(axes + k) * points->pitch + at] = cell[k * BG_LANES + lane];
}

#endif
