#include "oracle_light.h"
#include "support.h"

/* ---- the frame ---------------------------------------------------------------------------------------------------- */

typedef struct frame {
    double Q[4], R[4], e1[4], e2[4], qr;
} frame;

/* Two unit vectors that form a right-handed frame with the flight of p, which may have negative energy. */
static void transverse(const double *p, double *e1, double *e2)
{
    const double norm = (p[0] < 0. ? -1. : 1.) / sqrt(p[1] * p[1] + p[2] * p[2] + p[3] * p[3]);
    const double n[3] = {p[1] * norm, p[2] * norm, p[3] * norm};
    double length = 0.;
    int axis = 0;
    for (int k = 1; k < 3; k++)
        if (fabs(n[k]) < fabs(n[axis])) axis = k;
    e1[0] = e2[0] = 0.;
    for (int k = 0; k < 3; k++) e1[1 + k] = (k == axis) - n[axis] * n[k];
    for (int k = 1; k < 4; k++) length += e1[k] * e1[k];
    for (int k = 1; k < 4; k++) e1[k] /= sqrt(length);
    for (int k = 0; k < 3; k++) e2[1 + k] = n[(k + 1) % 3] * e1[1 + (k + 2) % 3] - n[(k + 2) % 3] * e1[1 + (k + 1) % 3];
}

static frame frame_of(const double *Q, const double *R)
{
    frame f;
    memcpy(f.Q, Q, sizeof f.Q);
    memcpy(f.R, R, sizeof f.R);
    f.qr = minkowski(Q, R);
    transverse(R, f.e1, f.e2);
    const double shift1 = minkowski(f.e1, Q) / f.qr, shift2 = minkowski(f.e2, Q) / f.qr;
    for (int k = 0; k < 4; k++) {
        f.e1[k] -= shift1 * R[k];
        f.e2[k] -= shift2 * R[k];
    }
    return f;
}

/* ---- currents ------------------------------------------------------------------------------------------------------- */

typedef struct light {
    double complex a1, a2, psi, phi, plus; /* of a gluon; plus = psi / p- */
    double minus;
    double complex x, y; /* of a quark */
} light;

typedef struct sums {
    double complex n1, n2, d, w, eta1, eta2;
} sums;

/* p-, transverse components and square of a set. */
typedef struct momentum {
    double minus, t1, t2, square;
} momentum;

typedef struct execution {
    const oracle *o;
    const tape *list;
    frame f;
    int special; /* Q and R are the incoming momenta */
    double p[BG_MAX_LEGS][4], minus[BG_MAX_LEGS], plus[BG_MAX_LEGS], t1[BG_MAX_LEGS], t2[BG_MAX_LEGS]; /* by place */
    uint32_t gluons_plus;
    light *slot;
} execution;

static double sum_over(const double *v, uint32_t set)
{
    double sum = 0.;
    for (int k = 0; k < BG_MAX_LEGS; k++)
        if (set >> k & 1u) sum += v[k];
    return sum;
}

/* (sum of outgoing legs)^2, every term positive. */
static double square_of_outgoing(const execution *x, uint32_t set)
{
    double sum = 0.;
    for (int i = 0; i < BG_MAX_LEGS; i++)
        for (int j = 0; j < i; j++)
            if (set >> i & set >> j & 1u) {
                const double u = x->t1[i] * x->minus[j] - x->t1[j] * x->minus[i];
                const double v = x->t2[i] * x->minus[j] - x->t2[j] * x->minus[i];
                sum += (u * u + v * v) / (x->minus[i] * x->minus[j]);
            }
    return sum;
}

static momentum momentum_of(const execution *x, uint32_t set)
{
    const bg_subprocess *s = &x->o->process;
    if (!x->special) {
        double P[4] = {0.};
        for (int k = 0; k < s->n; k++)
            for (int m = 0; m < 4 && set >> k & 1u; m++) P[m] += x->p[k][m];
        return (momentum){sum_over(x->minus, set), sum_over(x->t1, set), sum_over(x->t2, set), minkowski(P, P)};
    }
    const uint32_t first = 1u << s->opposite, second = 1u << s->gauge,
                   outgoing = ((1u << s->n) - 1u) & ~(first | second);
    const uint32_t own = set & outgoing, rest = outgoing & ~set;
    momentum m = {.t1 = sum_over(x->t1, own), .t2 = sum_over(x->t2, own)};
    const double transverse_square = m.t1 * m.t1 + m.t2 * m.t2;
    m.minus = set & first ? -sum_over(x->minus, rest) : sum_over(x->minus, own);
    if (!(set & first) == !(set & second))
        m.square = square_of_outgoing(x, set & first ? rest : own);
    else if (set & first)
        m.square = -(2. * sum_over(x->plus, own) * sum_over(x->minus, rest) + transverse_square);
    else
        m.square = -(2. * sum_over(x->plus, rest) * sum_over(x->minus, own) + transverse_square);
    return m;
}

static int chirality_of_label(int label) { return label & 1 ? 1 : -1; }

/* s of a quark's or antiquark's current. */
static double sign_of(int kind, int label)
{
    return kind == TAPE_QUARK ? chirality_of_label(label) : -chirality_of_label(label);
}

static light leg_of(const execution *x, int place)
{
    const bg_subprocess *s = &x->o->process;
    const tape_legs *legs = &x->list->legs;
    const double minus = x->minus[place], t1 = x->t1[place], t2 = x->t2[place];
    const int at_gauge = x->special && place == s->gauge;
    light c = {.minus = minus};
    if (legs->kind[place] == TAPE_GLUON) {
        const double h = x->gluons_plus >> legs->number[place] & 1u ? 1. : -1., inverse = at_gauge ? 0. : 1. / minus;
        double e1[4], e2[4];
        transverse(x->p[place], e1, e2);
        /* eps*(h) = (e1 - i h e2)/sqrt(2), shifted by a multiple of p so that its minus component vanishes */
#define PART(vector) ((minkowski(vector, e1) - I * h * minkowski(vector, e2)) / sqrt(2.))
        const double complex shift = PART(x->f.Q) * inverse;
        c.a1 = -PART(x->f.e1) - t1 * shift;
        c.a2 = -PART(x->f.e2) - t2 * shift;
#undef PART
        c.psi = t1 * c.a1 + t2 * c.a2;
        c.phi = t1 * c.a2 - t2 * c.a1;
        c.plus = c.psi * inverse;
    } else if (at_gauge) {
        c.x = sqrt(fabs(2. * x->plus[place]));
    } else {
        c.y = sqrt(fabs(minus));
        c.x = (t1 + I * sign_of(legs->kind[place], legs->label[place]) * t2) * c.y / minus;
    }
    return c;
}

/* ---- vertices ------------------------------------------------------------------------------------------------------- */

/* `minus`: of the sum; 0 where the leg that closes has the momentum Q: then d and w are not needed. */
static void add_terms(const execution *x, uint32_t first, uint32_t terms, double minus, sums *sum)
{
    const double inverse = minus == 0. ? 0. : 1. / minus;
    for (uint32_t k = first; k < first + terms; k++) {
        const tape_term *term = &x->list->term[k];
        const tape_current *left = &x->list->current[term->left];
        const light *A = &x->slot[term->left], *B = &x->slot[term->right];
        const double c = term->negative ? -1. : 1., s = sign_of(left->kind, left->label);
        if (term->operation == TAPE_GLUONS) {
            const double complex alpha = 2. * minus * A->plus - A->psi, beta = 2. * minus * B->plus - B->psi;
            sum->n1 += c * (alpha * B->a1 - beta * A->a1 - A->phi * B->a2 + B->phi * A->a2);
            sum->n2 += c * (alpha * B->a2 - beta * A->a2 + A->phi * B->a1 - B->phi * A->a1);
            sum->d += c * (B->minus - A->minus) * inverse * (A->a1 * B->a1 + A->a2 * B->a2);
            sum->w += c * (A->a1 * B->a2 - A->a2 * B->a1);
        } else if (term->operation == TAPE_PAIR) {
            sum->n1 += c * (A->x * B->y + A->y * B->x);
            sum->n2 -= c * I * s * (A->x * B->y - A->y * B->x);
            sum->d += c * 2. * A->y * B->y * inverse;
        } else {
            sum->eta1 -= c * (B->a1 + I * s * B->a2) * A->y;
            sum->eta2 += c * (2. * B->plus * A->y - (B->a1 - I * s * B->a2) * A->x);
        }
    }
}

static light current_of(const execution *x, const tape_current *c)
{
    const momentum P = momentum_of(x, c->set);
    light r = {.minus = P.minus};
    sums u = {.n1 = 0.};
    add_terms(x, c->first, c->terms, P.minus, &u);
    if (c->kind == TAPE_QUARK || c->kind == TAPE_ANTIQUARK) {
        const double s = sign_of(c->kind, c->label), xi = c->kind == TAPE_QUARK ? -1. : 1.;
        r.y = xi * ((P.t1 - I * s * P.t2) * u.eta1 + P.minus * u.eta2) / P.square;
        r.x = (xi * u.eta1 + (P.t1 + I * s * P.t2) * r.y) / P.minus;
        return r;
    }
    const double factor = c->kind == TAPE_U1 ? -1. / 3. : 1.;
    r.a1 = factor * (u.n1 - P.t1 * u.d + P.t2 * u.w) / P.square;
    r.a2 = factor * (u.n2 - P.t1 * u.w - P.t2 * u.d) / P.square;
    r.psi = P.t1 * r.a1 + P.t2 * r.a2 - factor * u.d;
    r.phi = P.t1 * r.a2 - P.t2 * r.a1 - factor * u.w;
    r.plus = r.psi / P.minus;
    return r;
}

static double complex close_with(const execution *x, const light *leg, const tape_closing *closing)
{
    const int c = x->list->legs.closes, at_gauge = x->special && c == x->o->process.gauge;
    const double t1 = -x->t1[c], t2 = -x->t2[c];
    sums u = {.n1 = 0.};
    add_terms(x, closing->first, closing->terms, at_gauge ? 0. : -x->minus[c], &u);
    if (x->list->legs.kind[c] != TAPE_GLUON) return u.eta1 * leg->x + u.eta2 * leg->y;
    if (at_gauge) return leg->a1 * u.n1 + leg->a2 * u.n2;
    return leg->a1 * (u.n1 - t1 * u.d + t2 * u.w) + leg->a2 * (u.n2 - t1 * u.w - t2 * u.d);
}

void oracle_light_amplitudes(const oracle *o, int pattern, uint32_t gluons_plus, const double *Q, const double *R,
                             const double *momenta, double complex *amplitude)
{
    const bg_subprocess *s = &o->process;
    const tape *t = &o->pattern[pattern].list;
    execution x = {.o = o, .list = t, .special = !Q, .gluons_plus = gluons_plus};
    for (int leg = 0; leg < s->n; leg++)
        for (int m = 0; m < 4; m++) x.p[s->place[leg]][m] = momenta[4 * leg + m] * (leg < s->n_in ? -1. : 1.);
    x.f = frame_of(Q ? Q : x.p[s->gauge], Q ? R : x.p[s->opposite]);
    for (int k = 0; k < s->n; k++) {
        x.minus[k] = minkowski(x.f.Q, x.p[k]);
        x.plus[k] = minkowski(x.f.R, x.p[k]) / x.f.qr;
        x.t1[k] = -minkowski(x.f.e1, x.p[k]);
        x.t2[k] = -minkowski(x.f.e2, x.p[k]);
    }
    if (x.special) {
        x.t1[s->gauge] = x.t2[s->gauge] = x.t1[s->opposite] = x.t2[s->opposite] = 0.;
        x.minus[s->gauge] = x.plus[s->opposite] = 0.;
    }
    x.slot = malloc(t->currents * sizeof *x.slot);
    assert_non_null(x.slot);
    for (uint32_t k = 0; k < t->currents; k++)
        x.slot[k] = t->current[k].terms ? current_of(&x, &t->current[k]) : leg_of(&x, t->current[k].leg);
    const light closing = leg_of(&x, t->legs.closes);
    for (uint64_t a = 0; a < t->strings.structures; a++) amplitude[a] = close_with(&x, &closing, &t->closing[a]);
    free(x.slot);
}
