/* VEGAS (Lepage 1978) grids. All arithmetic is on integers that are the same on
 * every rank, or on doubles made from them in a fixed order.
 *
 * The bins of an axis are equally probable, so that a bin which adds f to the cross section has weights proportional to f, and an
 * importance proportional to f^power. Lepage makes bins of equal importance, and damps that, since it is too much by a factor `power` in
 * logarithms. Its root is what bins should be sized by, and with that a grid is learned in a third of the iterations.
 */
#include "phasespace/grid.h"

#include <math.h>
#include <string.h>

#define DAMPING 0.8     /* exponent of the damped importance; 0 freezes the grid */
#define STEP 0.8        /* exponent of its root, where very many points have found it, */
#define HALF_STEP 100.  /* ... and half of that for so many times the power */
#define LEAST_STEP 0.2  /* of the mean of all bins: one may be empty by chance */
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

/* What a bin with the share r of the importance gets, up to a factor. */
static double damp(double r, bg_learning how)
{
    if (how.power) return fmax(pow(BG_GRID_BINS * r, STEP / how.power * learning_trust(&how, HALF_STEP)), LEAST_STEP);
    if (r < 1e-12) r = 1e-12;
    return r > 0.999999 ? 1. : pow((r - 1.) / log(r), DAMPING);
}

static void adapt_axis(double *edge, const int64_t *importance, bg_learning how)
{
    double smooth[BG_GRID_BINS], damped[BG_GRID_BINS], total = 0., share = 0.;
    for (int k = 0; k < BG_GRID_BINS; k++) {
        const int left = k ? k - 1 : k, right = k + 1 < BG_GRID_BINS ? k + 1 : k;
        smooth[k] = ((double)importance[left] + 6. * (double)importance[k] + (double)importance[right]) / 8.;
        total += smooth[k];
    }
    if (!(total > 0.)) return;
    for (int k = 0; k < BG_GRID_BINS; k++) {
        damped[k] = damp(smooth[k] / total, how);
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

void bg_grid_adapt(channel_grid *grid, int dimensions, int axes, const int64_t *importance, bg_learning how)
{
    for (int d = 0; d < dimensions; d++) adapt_axis(grid->edge[d], importance + (size_t)d * BG_GRID_BINS, how);
    if (axes > dimensions) bg_regions_adapt(&grid->regions, importance + (size_t)dimensions * BG_GRID_BINS);
}
