/* How directions are learned. All arithmetic is on integers that are the same on every rank, or on doubles made from them in a
 * fixed order.
 */
#include "phasespace/symmetric.h"

#include <math.h>

#define FLAT 0.65 /* share of the cells before anything is learned */
#define STEP 0.7  /* share of what was found last in the new probabilities, where very many points have found it, */
#define HALF_STEP 200. /* ... and half of that for so many times the power */
#define FLOOR 0.1      /* of the mean of all cells: points say little about where there were none */

enum { Y = BG_SYMMETRIC_Y, PHI = BG_SYMMETRIC_PHI, RINGS = BG_SYMMETRIC_RINGS, CELLS = BG_SYMMETRIC_CELLS };

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

/* The first parton has no soft ones before it. */
static int first_cell(int parton) { return parton ? 0 : BG_SYMMETRIC_SOFT_RINGS; }

/* All centers are alike. */
void bg_symmetric_uniform(symmetric_table *t)
{
    for (int k = 0; k < BG_SYMMETRIC_SOFT; k++) {
        const double each = (1. - FLAT) / (k + 2);
        for (int c = 0; c < CELLS; c++)
            t->probability[k][c] = c >= RINGS                     ? FLAT / BG_SYMMETRIC_FLAT
                                   : c >= BG_SYMMETRIC_SOFT_RINGS ? 2. * each / BG_SYMMETRIC_PAIR_RINGS
                                                                  : k * each / BG_SYMMETRIC_SOFT_RINGS;
        accumulate(t->probability[k], t->cumulative[k]);
    }
}

/* Each cell with a third of its neighbors; beyond the ends in y there is nothing, beyond those in phi the mirror image. */
static void smooth(double *cell)
{
    double rows[BG_SYMMETRIC_FLAT];
    for (int c = 0; c < BG_SYMMETRIC_FLAT; c++) {
        const int in_y = c / PHI;
        rows[c] = (cell[in_y ? c - PHI : c] + 4. * cell[c] + cell[in_y < Y - 1 ? c + PHI : c]) / 6.;
    }
    for (int c = 0; c < BG_SYMMETRIC_FLAT; c++) {
        const int in_phi = c % PHI;
        cell[c] = (rows[in_phi ? c - 1 : c] + 4. * rows[c] + rows[in_phi < PHI - 1 ? c + 1 : c]) / 6.;
    }
}

/* Where f is the cross section of a cell that was found with probability p, the weights of its points are f/p, and p (f/p)^power
 * is what they add up to. */
static void adapt(double *probability, double *cumulative, const int64_t *importance, int first, bg_learning how)
{
    const double step = STEP * learning_trust(&how, HALF_STEP);
    double found[CELLS] = {0.}, total = 0.;
    for (int c = first; c < CELLS; c++)
        found[c] = pow((double)importance[c] * pow(probability[c], how.power - 1.), 1. / how.power);
    smooth(found + RINGS);
    for (int c = first; c < CELLS; c++) total += found[c];
    if (!(total > 0.)) return;
    for (int c = first; c < CELLS; c++) {
        const double p = step * found[c] / total + (1. - step) * probability[c];
        probability[c] = p > FLOOR / CELLS ? p : FLOOR / CELLS;
    }
    accumulate(probability, cumulative);
}

void bg_symmetric_adapt(symmetric_table *t, int soft, const int64_t *importance, bg_learning how)
{
    for (int k = 0; k < soft; k++)
        adapt(t->probability[k], t->cumulative[k], importance + (size_t)k * CELLS, first_cell(k), how);
}

int bg_symmetric_is_sound(const symmetric_table *t)
{
    for (int k = 0; k < BG_SYMMETRIC_SOFT; k++) {
        if (t->cumulative[k][0] != 0. || t->cumulative[k][CELLS] != 1.) return 0;
        for (int c = 0; c < CELLS; c++) {
            const double p = t->probability[k][c], step = t->cumulative[k][c + 1] - t->cumulative[k][c];
            if (!(c < first_cell(k) ? p == 0. && step == 0. : p > 0.) || !(fabs(step - p) < 1e-9)) return 0;
        }
    }
    return 1;
}
