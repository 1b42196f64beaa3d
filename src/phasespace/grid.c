/* VEGAS (Lepage 1978) grids. All arithmetic is on integers that are the same on
 * every rank, or on doubles made from them in a fixed order.
 */
#include "phasespace/grid.h"

#include <math.h>
#include <string.h>

#define DAMPING 0.8     /* exponent of the damped importance; 0 freezes the grid */
#define GRID_FLOOR 0.05 /* share of an axis' points that is spread evenly: keeps weights in thin regions small */

void bg_grid_uniform(channel_grid *grid, const bg_subprocess *process, int cast)
{
    memset(&grid->casting, 0, sizeof grid->casting);
    if (cast) bg_casting_create(&grid->casting, process);
    bg_regions_create(&grid->regions, process);
    bg_symmetric_uniform(&grid->directions);
    for (int d = 0; d < BG_MAX_DIMENSIONS; d++)
        for (int k = 0; k <= BG_GRID_BINS; k++) grid->edge[d][k] = (double)k / BG_GRID_BINS;
}

static void adapt_axis(double *edge, const int64_t *importance)
{
    double smooth[BG_GRID_BINS], damped[BG_GRID_BINS], total = 0., share = 0.;
    for (int k = 0; k < BG_GRID_BINS; k++) {
        const int left = k ? k - 1 : k, right = k + 1 < BG_GRID_BINS ? k + 1 : k;
        smooth[k] = ((double)importance[left] + 6. * (double)importance[k] + (double)importance[right]) / 8.;
        total += smooth[k];
    }
    if (!(total > 0.)) return;
    for (int k = 0; k < BG_GRID_BINS; k++) {
        double r = smooth[k] / total;
        if (r < 1e-12) r = 1e-12;
        damped[k] = r > 0.999999 ? 1. : pow((r - 1.) / log(r), DAMPING);
        share += damped[k];
    }
    for (int k = 0; k < BG_GRID_BINS; k++)
        damped[k] = (1. - GRID_FLOOR) * damped[k] / share + GRID_FLOOR * (edge[k + 1] - edge[k]);
    share = 1. / BG_GRID_BINS;
    double moved[BG_GRID_BINS + 1], filled = 0.;
    int from = 0;
    moved[0] = 0.;
    for (int k = 1; k < BG_GRID_BINS; k++) {
        while (filled + damped[from] < share * k && from + 1 < BG_GRID_BINS) filled += damped[from++];
        double part = (share * k - filled) / damped[from];
        if (part > 1.) part = 1.;
        moved[k] = edge[from] + part * (edge[from + 1] - edge[from]);
    }
    moved[BG_GRID_BINS] = 1.;
    for (int k = 1; k <= BG_GRID_BINS; k++) /* rounding must not close a bin */
        if (moved[k] <= moved[k - 1]) return;
    memcpy(edge, moved, sizeof moved);
}

void bg_grid_adapt(channel_grid *grid, int dimensions, int axes, const int64_t *importance)
{
    for (int d = 0; d < dimensions; d++) adapt_axis(grid->edge[d], importance + (size_t)d * BG_GRID_BINS);
    if (axes > dimensions) bg_regions_adapt(&grid->regions, importance + (size_t)dimensions * BG_GRID_BINS);
}
