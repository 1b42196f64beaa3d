/* The luminosity of a class of channels: the sum of x1 f_a(x1) x2 f_b(x2) over the pairs (a, b) that come in.
 *
 * Channels of a class have the same |M|^2, but in some of them leg 0 of the representative is the parton of the second
 * beam. These are added up apart, for points that are reflected along the beams: at momenta p, whose leg 0 has the
 * fraction x1, the class gives
 *
 *     direct |M(p)|^2, with leg 0 in the first beam, and exchanged |M(p)|^2, with leg 0 in the second one.
 *
 * Since many channels have the same incoming pair, a class is a short list of pairs with the number of its channels.
 */
#ifndef BG_BEAMS_LUMINOSITY_H
#define BG_BEAMS_LUMINOSITY_H

#include "base/scalar.h"
#include "beams/pdf_grid.h"
#include "process/classes.h"

enum { BG_MOST_PAIRS = 2 * BG_PDF_PARTONS * BG_PDF_PARTONS };

typedef struct bg_pair {
    uint8_t place[2];  /* of the two beams' partons, pdf_place() */
    uint16_t channels; /* how many */
} bg_pair;

/* Plain data: copied to devices as it is. */
typedef struct bg_pairs {
    int direct, all; /* the pairs of exchanged channels are those from `direct` on */
    bg_pair pair[BG_MOST_PAIRS];
} bg_pairs;

/* The pairs of some channels, those of a class. */
bg_status bg_pairs_create(bg_pairs *pairs, const bg_channel *channel, size_t count, bg_error *error);

/* x f of all partons in both beams. */
typedef struct bg_densities {
    double beam[2][BG_PDF_PARTONS];
} bg_densities;

typedef struct bg_luminosity {
    double direct, exchanged;
} bg_luminosity;

BG_FN void densities_of(const pdf_grid *grid, double x1, double x2, double q2, bg_densities *f)
{
    const pdf_scale scale = pdf_scale_of(grid, q2);
    pdf_all(grid, &scale, x1, f->beam[0]);
    pdf_all(grid, &scale, x2, f->beam[1]);
}

BG_FN bg_luminosity luminosity_of(const bg_pairs *pairs, const bg_densities *f)
{
    bg_luminosity l = {0., 0.};
    for (int k = 0; k < pairs->all; k++) {
        const bg_pair *p = &pairs->pair[k];
        if (k < pairs->direct)
            l.direct += p->channels * f->beam[0][p->place[0]] * f->beam[1][p->place[1]];
        else
            l.exchanged += p->channels * f->beam[0][p->place[1]] * f->beam[1][p->place[0]];
    }
    return l;
}

/* The densities of every lane's point, f[BG_LANES]. */
BG_FN void densities_lanes(const pdf_grid *grid, real x1, real x2, real q2, bg_densities *f)
{
    for (int l = 0; l < BG_LANES; l++)
        densities_of(grid, (double)bg_lane(x1, l), (double)bg_lane(x2, l), (double)bg_lane(q2, l), &f[l]);
}

/* .. and luminosities from them. */
BG_FN void luminosity_lanes(const bg_pairs *pairs, const bg_densities *f, real *direct, real *exchanged)
{
    for (int l = 0; l < BG_LANES; l++) {
        const bg_luminosity now = luminosity_of(pairs, &f[l]);
        bg_set_lane(direct, l, now.direct);
        bg_set_lane(exchanged, l, now.exchanged);
    }
}

/* x1 f(x1) x2 f(x2) of two gluons, a fraction of the work. */
BG_FN real luminosity_gluons(const pdf_grid *grid, real x1, real x2, real q2)
{
    real product;
    for (int l = 0; l < BG_LANES; l++) {
        const pdf_scale scale = pdf_scale_of(grid, (double)bg_lane(q2, l));
        double f[2];
        pdf_some(grid, &scale, (double)bg_lane(x1, l), BG_PDF_GLUON, 1, &f[0]);
        pdf_some(grid, &scale, (double)bg_lane(x2, l), BG_PDF_GLUON, 1, &f[1]);
        bg_set_lane(&product, l, f[0] * f[1]);
    }
    return product;
}

/* alpha_s of every lane's scale. */
BG_FN real alpha_s_lanes(const pdf_grid *grid, real q2)
{
    real alpha;
    for (int l = 0; l < BG_LANES; l++) bg_set_lane(&alpha, l, pdf_alpha_s(grid, (double)bg_lane(q2, l)));
    return alpha;
}

#endif
