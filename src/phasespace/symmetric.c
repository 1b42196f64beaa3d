/* The histograms of directions, and how they learn. All arithmetic is on integers that are the same on every rank, or on
 * doubles made from them in a fixed order.
 */
#include "phasespace/symmetric.h"

#include <math.h>

#define STEP 0.6        /* share of what was found last in the new histogram */
#define FLOOR 0.1       /* of the mean of all cells: a few points say little about where there were none */
#define LEAST_CELL 1e-9 /* of all importance: what a cell without points counts */

enum { Y = BG_SYMMETRIC_Y, PHI = BG_SYMMETRIC_PHI, CELLS = BG_SYMMETRIC_CELLS };

static void accumulate(double *probability, double *cumulative)
{
    double sum = 0.;
    for (int k = 0; k < CELLS; k++) sum += probability[k];
    cumulative[0] = 0.;
    for (int k = 0; k < CELLS; k++) {
        probability[k] /= sum;
        cumulative[k + 1] = cumulative[k] + probability[k];
    }
    cumulative[CELLS] = 1.; /* rounding may leave the end short of it */
}

void bg_symmetric_uniform(symmetric_table *t)
{
    for (int k = 0; k < BG_SYMMETRIC_SOFT; k++) {
        for (int c = 0; c < CELLS; c++) t->probability[k][c] = 1.;
        accumulate(t->probability[k], t->cumulative[k]);
    }
}

/* Each cell with half of its neighbors; beyond the ends in y there is nothing, beyond those in phi the mirror image. */
static void smooth(const int64_t *importance, double *to)
{
    double rows[CELLS];
    for (int c = 0; c < CELLS; c++) {
        const int in_y = c / PHI, edge = in_y == 0 || in_y == Y - 1;
        const double here = (double)importance[c];
        rows[c] = edge ? here : ((double)importance[c - PHI] + 2. * here + (double)importance[c + PHI]) / 4.;
    }
    for (int c = 0; c < CELLS; c++) {
        const int in_phi = c % PHI;
        to[c] = (rows[in_phi ? c - 1 : c] + 2. * rows[c] + rows[in_phi < PHI - 1 ? c + 1 : c]) / 4.;
    }
}

/* The square root of the second moment, which damps as well: found with a probability that follows it, it is less. */
static void adapt(double *probability, double *cumulative, const int64_t *importance)
{
    double found[CELLS], total = 0., sum = 0.;
    smooth(importance, found);
    for (int c = 0; c < CELLS; c++) total += found[c];
    if (!(total > 0.)) return;
    for (int c = 0; c < CELLS; c++) {
        found[c] = sqrt(found[c] / total > LEAST_CELL ? found[c] / total : LEAST_CELL);
        sum += found[c];
    }
    for (int c = 0; c < CELLS; c++) {
        const double p = STEP * found[c] / sum + (1. - STEP) * probability[c];
        probability[c] = p > FLOOR / CELLS ? p : FLOOR / CELLS;
    }
    accumulate(probability, cumulative);
}

void bg_symmetric_adapt(symmetric_table *t, int soft, const int64_t *importance)
{
    for (int k = 0; k < soft; k++) adapt(t->probability[k], t->cumulative[k], importance + (size_t)k * CELLS);
}

int bg_symmetric_is_sound(const symmetric_table *t)
{
    for (int k = 0; k < BG_SYMMETRIC_SOFT; k++) {
        if (t->cumulative[k][0] != 0. || t->cumulative[k][CELLS] != 1.) return 0;
        for (int c = 0; c < CELLS; c++) {
            const double step = t->cumulative[k][c + 1] - t->cumulative[k][c];
            if (!(t->probability[k][c] > 0.) || !(fabs(step - t->probability[k][c]) < 1e-9)) return 0;
        }
    }
    return 1;
}
