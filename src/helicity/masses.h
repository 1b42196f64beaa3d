/* Choosing one helicity configuration a point by invariant masses, for gluons alone. Nothing is learned.
 *
 * Let S be the gluons of one helicity, all taken as outgoing, and P_S the sum of their momenta. The gluons of the other
 * helicity have -P_S. With
 *
 *     w(S) = f (P_S^2 / s)^4 + floor        f = 0.916^((k - 2)(n - 2 - k)) ,  k = |S|
 *
 * S is drawn with probability w(S) / sum w, and then one of the two helicities. For |S| = 2, MHV, this is the numerator
 * s_ij^4 of Parke and Taylor, so that the choice of the pair is exact for all colors. Elsewhere it has the right limits: a
 * soft gluon may join either side without a change of P_S^2; where a gluon of S splits into collinear ones of the fractions z
 * and 1 - z of its momentum, z of which stays in S, P_S^2 of a hard four gets a factor z, and its fourth power is the z^4 in the
 * splitting functions. |M_S|^2 summed over colors is proportional to w to some 25 % (root mean square, n_out = 6 and 7). The factor
 * f is 1 for pairs; its base is a fit, with which the mean of |M_S|^2 over w is the same for all k to a few per cent, from n_out = 6
 * to 12 (docs/performance.md). The floor keeps a configuration possible where P_S^2 happens to vanish.
 *
 * The second incoming gluon, in the last place, is in none of the sets that are looked at: the others are complements. Sets are
 * visited in the order of a Gray code, where one gluon comes or goes at a time.
 */
#ifndef BG_HELICITY_MASSES_H
#define BG_HELICITY_MASSES_H

#include "base/limits.h"
#include "base/scalar.h"

#define BG_MASSES_BASE 0.916 /* of f */
#define BG_MASSES_FLOOR 2e-3 /* sum of the floors of all sets */
enum { BG_MASSES_BLOCKS = 16 };

/* Component c of the momentum in place k is momenta[(4 k + c) * stride], with physical energies. */
typedef struct helicity_masses {
    int n;
    const double *momenta;
    size_t stride;
    double inverse_s, floor;
    double factor[BG_MAX_LEGS + 1]; /* [k]: f; 0 where tree amplitudes vanish */
} helicity_masses;

/* Where a walk over sets is. */
typedef struct masses_walk {
    uint32_t set;
    int members;
    double t, x, y, z; /* P_S */
} masses_walk;

BG_FN helicity_masses masses_of(int n, const double *momenta, size_t stride)
{
    const double *p = momenta, *q = momenta + 4 * (size_t)(n - 1) * stride;
    const double s =
        2. * (p[0] * q[0] - p[stride] * q[stride] - p[2 * stride] * q[2 * stride] - p[3 * stride] * q[3 * stride]);
    helicity_masses m = {n, momenta, stride, 1. / s, BG_MASSES_FLOOR / (double)(1u << (n - 1)), {0.}};
    for (int k = 2; k <= n - 2; k++) {
        m.factor[k] = 1.;
        for (int i = (k - 2) * (n - 2 - k); i > 0; i--) m.factor[k] *= BG_MASSES_BASE;
    }
    return m;
}

/* A gluon comes or goes. Place 0 is incoming. */
BG_FN void masses_flip(const helicity_masses *m, int place, masses_walk *w)
{
    const double *p = m->momenta + 4 * (size_t)place * m->stride;
    w->set ^= 1u << place;
    const int joins = (int)(w->set >> place & 1u);
    const double sign = joins != (place == 0) ? 1. : -1.;
    w->members += joins ? 1 : -1;
    w->t += sign * p[0];
    w->x += sign * p[m->stride];
    w->y += sign * p[2 * m->stride];
    w->z += sign * p[3 * m->stride];
}

/* The set of number k, from the beginning. */
BG_FN masses_walk masses_start(const helicity_masses *m, uint32_t k)
{
    masses_walk w = {0, 0, 0., 0., 0., 0.};
    for (uint32_t left = k ^ k >> 1; left; left &= left - 1) masses_flip(m, bg_lowest(left), &w);
    return w;
}

/* w(S); 0 where tree amplitudes vanish. */
BG_FN double masses_weight(const helicity_masses *m, const masses_walk *w)
{
    const double factor = m->factor[w->members];
    if (!(factor > 0.)) return 0.;
    const double mass2 = (w->t * w->t - w->x * w->x - w->y * w->y - w->z * w->z) * m->inverse_s;
    const double square = mass2 * mass2;
    return factor * square * square + m->floor;
}

/* Draws the gluons of one helicity, bit k for place k, by the number u; *probability is that of this set. */
BG_FN uint32_t masses_draw(const helicity_masses *m, double u, double *probability)
{
    const uint32_t sets = 1u << (m->n - 1);
    const uint32_t size = sets > BG_MASSES_BLOCKS ? sets / BG_MASSES_BLOCKS : 1u, blocks = sets / size;
    double sum[BG_MASSES_BLOCKS] = {0.}, total = 0.;
    masses_walk w = masses_start(m, 0);
    for (uint32_t b = 0; b < blocks; b++) {
        double part = 0.;
        for (uint32_t k = b * size; k < (b + 1) * size; k++) {
            if (k) masses_flip(m, bg_lowest(k), &w);
            part += masses_weight(m, &w);
        }
        total += part;
        sum[b] = total;
    }
    /* the block, then the set; rounding may leave the target beyond the last one */
    const double target = u * total;
    uint32_t block = 0;
    while (block + 1 < blocks && target >= sum[block]) block++;
    while (block && !(sum[block] > sum[block - 1])) block--;
    double below = block ? sum[block - 1] : 0., weight = 0.;
    uint32_t chosen = 0;
    w = masses_start(m, block * size);
    for (uint32_t k = block * size; k < (block + 1) * size; k++) {
        if (k > block * size) masses_flip(m, bg_lowest(k), &w);
        const double own = masses_weight(m, &w);
        if (!(own > 0.)) continue;
        chosen = w.set;
        weight = own;
        below += own;
        if (target < below) break;
    }
    *probability = weight / total;
    return chosen;
}

#endif
