/* Two protons: the scale of a point, the luminosity of its class and the coupling.
 *
 * The renormalization and the factorization scale are multiples of mu, which is HT or a part of it (HT = sum of pT), the
 * largest pT, or fixed. |M|^2 is normalized with a coupling that is the same for all points; that of a point,
 * alpha_s(muR), comes in as the power of a ratio.
 */
#ifndef BG_BEAMS_PROTONS_H
#define BG_BEAMS_PROTONS_H

#include "beams/luminosity.h"
#include "kinematics/vector.h"

typedef enum bg_scale_kind { BG_SCALE_HT, BG_SCALE_PT1, BG_SCALE_FIXED } bg_scale_kind;

/* Plain data but for the address in the grid: a device has a copy of that. */
typedef struct bg_protons {
    int scale;   /* bg_scale_kind */
    double part; /* of HT or of the largest pT; the fixed scale in GeV */
    double mur, muf;
    double alpha_s; /* that |M|^2 was normalized with */
    int couplings;  /* power of alpha_s */
    bg_pairs pairs;
    pdf_grid grid;
} bg_protons;

/* mu^2 of n momenta. */
BG_FN real protons_scale2(const bg_protons *b, const int n, const vec4 *p)
{
    real ht = bg_real(0.), most = bg_real(0.);
    if (b->scale == BG_SCALE_FIXED) return bg_real(b->part * b->part);
    for (int k = 0; k < n; k++) {
        const real pt2 = p[k].x * p[k].x + p[k].y * p[k].y;
        ht = ht + bg_sqrt(pt2);
        most = bg_select(pt2 > most, pt2, most);
    }
    return bg_real(b->part * b->part) * (b->scale == BG_SCALE_PT1 ? most : ht * ht);
}

/* What densities and coupling make of the weight of one point. *reflected: the share of it that belongs to the point
 * reflected along the beams. */
BG_FN double protons_factor(const bg_protons *b, double x1, double x2, double mu2, double *reflected)
{
    bg_densities f;
    densities_of(&b->grid, x1, x2, b->muf * b->muf * mu2, &f);
    const bg_luminosity l = luminosity_of(&b->pairs, &f);
    const double sum = l.direct + l.exchanged, ratio = pdf_alpha_s(&b->grid, b->mur * b->mur * mu2) / b->alpha_s;
    double coupling = 1.;
    for (int k = 0; k < b->couplings; k++) coupling *= ratio;
    *reflected = sum > 0. ? l.exchanged / sum : 0.;
    return sum > 0. ? sum * coupling : 0.; /* densities may be negative where they are next to nothing */
}

#endif
