/* Parton densities x f(x, Q^2) and the coupling alpha_s(Q^2) of a grid in the format of LHAPDF 6, at one point.
 *
 * Values stand on knots in x and Q^2. Between them both directions are interpolated by cubic Hermite polynomials in the
 * logarithms: with t from 0 to 1 across an interval of width h, ends v0, v1 and slopes d0, d1,
 *
 *     f(t) = (2t^3 - 3t^2 + 1) v0 + (t^3 - 2t^2 + t) h d0 + (3t^2 - 2t^3) v1 + (t^3 - t^2) h d1,
 *
 * where the slope at a knot is the plain mean of the slopes of the two intervals that meet there, and that of the one
 * interval at an end of the grid. Thresholds of flavors cut the grid: knots in Q stand there twice, nothing is interpolated
 * across, and the threshold itself belongs to what is above it. All is linear in the values, so a point is four weights
 * in x (values and slopes at two knots; slopes in x are stored), four in Q (rows), and no division for any flavor.
 *
 * Outside of the grid densities are continued as in LHAPDF: by powers where they are positive, by straight lines elsewhere,
 * and with a falling anomalous dimension towards Q = 0. Beyond the last knot in x they are zero.
 *
 * The layout of both sides is one block of doubles and the places in it: a device needs a copy of the block, and of the
 * struct with the address exchanged.
 */
#ifndef BG_BEAMS_PDF_GRID_H
#define BG_BEAMS_PDF_GRID_H

#include "base/inline.h"
#include "blockgen/blockgen.h"

#include <float.h>
#include <math.h>

enum {
    BG_PDF_PARTONS = 2 * BG_MAX_FLAVORS + 1, /* b~ c~ s~ u~ d~ g d u s c b */
    BG_PDF_GLUON = BG_MAX_FLAVORS,           /* where the gluon is among them */
    BG_PDF_STRIDE = 12,                      /* doubles that the partons of a knot take */
    BG_PDF_GUESSES = 256,                    /* intervals that are looked up in each direction */
    BG_PDF_REGIONS = 4                       /* of an analytic coupling: 3 to 6 flavors */
};

/* Knots of one direction, and where their numbers are in the block. */
typedef struct pdf_axis {
    int knots;
    int knot;     /* x or Q^2, rising; twice at a threshold */
    int log;      /* their logarithms */
    int inverse;  /* of the width of the interval that begins here; 0 where that is a threshold, and at the end */
    int guess;    /* equal intervals of the logarithm: the interval of knots that each begins in */
    double scale; /* of these, in a unit of the logarithm */
} pdf_axis;

/* alpha_s = y/b0 (1 - r1 l y + ..) with y = 1/log(Q^2/Lambda^2), l = -log(y): the flavors that there are above a scale. */
typedef struct pdf_region {
    double above;      /* Q^2 */
    double lambda2;    /* GeV^2 */
    double b0;         /* (33 - 2 n_f)/(12 pi) */
    double r1, r2, r3; /* b1/b0^2, b2/b0^3, b3/b0^4 */
} pdf_region;

/* Plain data but for the address. */
typedef struct pdf_grid {
    const double *data;
    int doubles; /* in the block */
    int values;  /* [x][q][2][BG_PDF_STRIDE]: densities, and their slopes in log x */
    int left; /* [q]: half the width of an interval over that of the one before; 0: there is none, -1: two knots only */
    int right;    /* [q]: .. of the one after */
    int bends;    /* [knots of alpha][4]: values and slopes times width at both ends of an interval */
    int positive; /* 0: as interpolated, 1: at least 0, 2: at least 1e-10 */
    int partons;  /* those that the set has: bits of their places */
    int loops;    /* of an analytic coupling; 0: the coupling has knots */
    int regions;
    pdf_axis x, q, alpha;
    pdf_region region[BG_PDF_REGIONS]; /* rising */
} pdf_grid;

/* The place of a parton in arrays of BG_PDF_PARTONS. That of its antiparton is the mirror image. */
BG_FN int pdf_place(int pdg) { return pdg == BG_PDG_GLUON ? BG_PDF_GLUON : pdg + BG_PDF_GLUON; }

/* ---- weights ---------------------------------------------------------------------------------------------------- */

/* The last interval that begins at z or below. */
BG_FN int pdf_interval(const double *data, const pdf_axis *axis, double z, double log_z)
{
    const double *knot = data + axis->knot;
    const double step = (log_z - data[axis->log]) * axis->scale;
    const int k = step > 0. ? step < BG_PDF_GUESSES ? (int)step : BG_PDF_GUESSES - 1 : 0;
    int at = (int)data[axis->guess + k];
    while (at + 2 < axis->knots && knot[at + 1] <= z) at++;
    while (at > 0 && knot[at] > z) at--;
    return data[axis->inverse + at] > 0. ? at : at - 1; /* nothing begins at the lower side of a threshold */
}

typedef struct pdf_column {
    int at;           /* interval in x */
    double t;         /* where in it, 0 to 1 */
    double weight[4]; /* of value and slope at its two ends */
} pdf_column;

typedef struct pdf_rows {
    int linear; /* two knots only: straight lines in both directions */
    int row[4];
    double weight[4];
} pdf_rows;

BG_FN pdf_column pdf_column_at(const pdf_grid *g, int at, double t)
{
    const double h = g->data[g->x.log + at + 1] - g->data[g->x.log + at], s = 1. - t;
    const pdf_column c = {at, t, {(1. + 2. * t) * s * s, t * s * s * h, (3. - 2. * t) * t * t, -t * t * s * h}};
    return c;
}

/* The column of an x on the grid. */
BG_FN pdf_column pdf_column_of(const pdf_grid *g, double x)
{
    const double z = log(x);
    const int at = pdf_interval(g->data, &g->x, x, z);
    return pdf_column_at(g, at, (z - g->data[g->x.log + at]) * g->data[g->x.inverse + at]);
}

/* The rows of a scale on the grid. */
BG_FN pdf_rows pdf_rows_of(const pdf_grid *g, double q2)
{
    const double z = log(q2);
    const int at = pdf_interval(g->data, &g->q, q2, z), last = g->q.knots - 1;
    const double t = (z - g->data[g->q.log + at]) * g->data[g->q.inverse + at], s = 1. - t;
    const double b0 = g->data[g->left + at], b1 = g->data[g->right + at];
    pdf_rows r = {b0 < 0., {at > 0 ? at - 1 : 0, at, at + 1, at + 2 > last ? last : at + 2}, {0., s, t, 0.}};
    if (!r.linear) {
        const double d0 = t * s * s, d1 = -t * t * s, a0 = b0 > 0. ? 0.5 : 1., a1 = b1 > 0. ? 0.5 : 1.;
        r.weight[0] = -d0 * b0;
        r.weight[1] = (1. + 2. * t) * s * s + d0 * (b0 - a0) - d1 * a1;
        r.weight[2] = (3. - 2. * t) * t * t + d0 * a0 + d1 * (a1 - b1);
        r.weight[3] = d1 * b1;
    }
    return r;
}

/* `count` partons from `first` on at a point of the grid. */
BG_FN void pdf_inside(const pdf_grid *g, const pdf_column *x, const pdf_rows *q, const int first, const int count,
                      double *xf)
{
    const double w0 = q->linear ? 1. - x->t : x->weight[0], w1 = q->linear ? 0. : x->weight[1];
    const double w2 = q->linear ? x->t : x->weight[2], w3 = q->linear ? 0. : x->weight[3];
    const double *column = g->data + g->values + first + (ptrdiff_t)x->at * g->q.knots * (2 * BG_PDF_STRIDE);
    const int next = g->q.knots * 2 * BG_PDF_STRIDE;
    for (int p = 0; p < count; p++) xf[p] = 0.;
    for (int r = 0; r < 4; r++) {
        const double *low = column + q->row[r] * 2 * BG_PDF_STRIDE, *high = low + next;
        const double w = q->weight[r];
        for (int p = 0; p < count; p++)
            xf[p] += w * (w0 * low[p] + w1 * low[BG_PDF_STRIDE + p] + w2 * high[p] + w3 * high[BG_PDF_STRIDE + p]);
    }
}

/* ---- outside of the grid ------------------------------------------------------------------------------------------ */

/* Through f0 at w = 0 and f1 at w = 1: a power, or a straight line where one of them is small. */
BG_FN double pdf_line(double w, double f0, double f1)
{
    if (f0 > 1e-3 && f1 > 1e-3) return exp(log(f0) + w * (log(f1) - log(f0)));
    return f0 + w * (f1 - f0);
}

/* Below the first scale q0 of the grid, r = Q^2/q0, from the densities at q0 and at 1.01 q0. */
BG_FN double pdf_below(double r, double f0, double f1)
{
    const double slope = fabs(f0) >= 1e-5 ? (f1 - f0) / (0.01 * f0) : 1.;
    return f0 * pow(r, (slope > -2.5 ? slope : -2.5) * r + 1. - r);
}

/* A scale: what the densities of both beams have in common. */
typedef struct pdf_scale {
    int side;         /* of the grid: -1 below, 0 inside, 1 above, 2 no scale at all */
    double reach;     /* outside: how far */
    pdf_rows rows[2]; /* outside: of the two scales that it is continued from */
} pdf_scale;

BG_FN pdf_scale pdf_scale_of(const pdf_grid *g, double q2)
{
    pdf_scale s;
    const int last = g->q.knots - 1;
    const double low = g->data[g->q.knot], high = g->data[g->q.knot + last];
    s.reach = 0.;
    if (q2 >= low && q2 <= high) {
        s.side = 0;
        s.rows[0] = s.rows[1] = pdf_rows_of(g, q2);
    } else if (q2 > high) {
        const double *z = g->data + g->q.log + last;
        s.side = 1;
        s.reach = (log(q2) - z[0]) / (z[-1] - z[0]);
        s.rows[0] = pdf_rows_of(g, high);
        s.rows[1] = pdf_rows_of(g, g->data[g->q.knot + last - 1]);
    } else {
        s.side = q2 > 0. ? -1 : 2;
        s.reach = q2 / low;
        s.rows[0] = pdf_rows_of(g, low);
        s.rows[1] = pdf_rows_of(g, 1.01 * low);
    }
    return s;
}

BG_FN void pdf_outside(const pdf_grid *g, const pdf_scale *s, double x, const int first, const int count, double *xf)
{
    const double *z = g->data + g->x.log;
    const int low = x < g->data[g->x.knot];
    const double reach = low ? (log(x) - z[0]) / (z[1] - z[0]) : 0.;
    double f[2][2][BG_PDF_PARTONS]; /* [scale][x] */
    for (int c = 0; c < 1 + low; c++) {
        const pdf_column column = low ? pdf_column_at(g, 0, (double)c) : pdf_column_of(g, x);
        for (int r = 0; r < 1 + (s->side != 0); r++) pdf_inside(g, &column, &s->rows[r], first, count, f[r][c]);
    }
    for (int p = 0; p < count; p++) {
        if (s->side > 0) { /* first to this scale, then to this x */
            const double at = pdf_line(s->reach, f[0][0][p], f[1][0][p]);
            xf[p] = low ? pdf_line(reach, at, pdf_line(s->reach, f[0][1][p], f[1][1][p])) : at;
        } else {
            const double at = low ? pdf_line(reach, f[0][0][p], f[0][1][p]) : f[0][0][p];
            xf[p] = at;
            if (s->side < 0)
                xf[p] = pdf_below(s->reach, at, low ? pdf_line(reach, f[1][0][p], f[1][1][p]) : f[1][0][p]);
        }
    }
}

/* ---- densities ------------------------------------------------------------------------------------------------------ */

/* x f of `count` partons from the place `first` on. Zero where x is not above 0 or beyond the last knot. */
BG_FN void pdf_some(const pdf_grid *g, const pdf_scale *s, double x, const int first, const int count, double *xf)
{
    const double low = g->data[g->x.knot], high = g->data[g->x.knot + g->x.knots - 1];
    if (!(x > 0. && x <= high && s->side < 2)) {
        for (int p = 0; p < count; p++) xf[p] = 0.;
        return;
    }
    if (x >= low && s->side == 0) {
        const pdf_column column = pdf_column_of(g, x);
        pdf_inside(g, &column, &s->rows[0], first, count, xf);
    } else {
        pdf_outside(g, s, x, first, count, xf);
    }
    if (g->positive) {
        const double least = g->positive == 1 ? 0. : 1e-10;
        for (int p = 0; p < count; p++)
            if (!(xf[p] > least)) xf[p] = g->partons >> (first + p) & 1 ? least : 0.;
    }
}

/* All partons xf[BG_PDF_PARTONS], in the order of pdf_place(), at a scale that was prepared. */
BG_FN void pdf_all(const pdf_grid *g, const pdf_scale *s, double x, double *xf)
{
    pdf_some(g, s, x, 0, BG_PDF_PARTONS, xf);
}

/* .. and in one call. */
BG_FN void pdf_xf(const pdf_grid *g, double x, double q2, double *xf)
{
    const pdf_scale s = pdf_scale_of(g, q2);
    pdf_all(g, &s, x, xf);
}

/* ---- the coupling ------------------------------------------------------------------------------------------------- */

/* Analytic: the expansion in 1/log(Q^2/Lambda^2) of 1 to 4 loops. At Lambda and below there is no coupling: the largest
 * number. */
BG_FN double pdf_running(const pdf_grid *g, double q2)
{
    int k = 0;
    while (k + 1 < g->regions && q2 > g->region[k + 1].above) k++;
    const pdf_region *r = &g->region[k];
    if (!(q2 > r->lambda2)) return DBL_MAX;
    const double y = 1. / log(q2 / r->lambda2), l = -log(y);
    double sum = 1.;
    if (g->loops > 1) sum -= y * r->r1 * l;
    if (g->loops > 2) sum += y * y * (r->r1 * r->r1 * (l * l - l - 1.) + r->r2);
    if (g->loops > 3)
        sum -= y * y * y *
               (r->r1 * r->r1 * r->r1 * (((l - 2.5) * l - 2.) * l + 0.5) + 3. * r->r1 * r->r2 * l - 0.5 * r->r3);
    return y * sum / r->b0;
}

/* alpha_s(Q^2). With knots: a power of Q^2 below them, a constant above. */
BG_FN double pdf_alpha_s(const pdf_grid *g, double q2)
{
    if (g->loops) return pdf_running(g, q2);
    const double *z = g->data + g->alpha.log, *bend = g->data + g->bends;
    const int last = g->alpha.knots - 1;
    if (!(q2 >= g->data[g->alpha.knot]))
        return bend[0] * pow(q2 / g->data[g->alpha.knot], log(bend[2] / bend[0]) / (z[1] - z[0]));
    if (q2 >= g->data[g->alpha.knot + last]) return bend[4 * (last - 1) + 2];
    const double at_z = log(q2);
    const int at = pdf_interval(g->data, &g->alpha, q2, at_z);
    const double t = (at_z - z[at]) * g->data[g->alpha.inverse + at], s = 1. - t;
    bend += (ptrdiff_t)4 * at;
    return (1. + 2. * t) * s * s * bend[0] + t * s * s * bend[1] + (3. - 2. * t) * t * t * bend[2] -
           t * t * s * bend[3];
}

#endif
