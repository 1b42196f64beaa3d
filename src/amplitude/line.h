/* One quark line and n gluons in light-cone gauge: all n! amplitudes A(q, s, qbar) at once, from currents that they share.
 *
 * As in shared.h, with the quark in place of gluon 0 and the antiquark in place of the closing gluon. All gluons are letters,
 * incoming ones as well, and the components of a quark are those of quarks.h:
 *
 *     K(s1 .. sm)      an ordered subset of the gluons: real,
 *     L(q, s1 .. sk)   the quark and an ordered prefix: two complex numbers x and y,
 *     A(q, s, qbar) = close( sum_k L(q, s1 .. sk) K(s_{k+1} .. sn) ) ,   k = 0 .. n - 1.
 *
 * Half of the work would be in the longest words: K of all gluons and of all but one, each of which enters few amplitudes. But
 * those are sums of splits as well, and an amplitude is linear in each of its currents. What stands before a current
 * K = (a1, a2, psi, phi) is its dual, a row of four complex numbers; what stands before the sums n, d and w (lightcone.h) that
 * K is made of follows from it. So nothing longer than n - 2 letters is needed:
 *
 *     A(q, s, qbar) = sum_{k=2}^{n-1} T(s1 .. sk) . K(s_{k+1} .. sn)  +  W(sn) . sum_{k=1}^{n-2} [ K(s1 .. sk), K(s_{k+1} .. s_{n-1}) ]
 *
 * where [ , ] are the sums of a split. T is made of prefixes alone:
 *
 *     L(q, s1 .. sk), closed;
 *     E . [ K(s1 .. sk), . ]         E: before the sums of all gluons, from the two ends of the line,
 *     S(s1) . [ K(s2 .. sk), . ]     S: before those of all gluons but s1, from the first two on this list with k = 1 .
 *
 * W stands before the sums of all gluons but the last one, and has everything in which K(s1 .. s_{n-1}) is a current of its own:
 * emitted by the quark, with sn emitted by the antiquark (R below); and joined with sn. T(s1 .. s_{n-1}) does without those.
 *
 * Both chiralities of the line give the same sum over helicities: here it is +1. Charge conjugation exchanges quark and
 * antiquark, so that the start of the line is taken as the quark whatever it is.
 */
#ifndef BG_AMPLITUDE_LINE_H
#define BG_AMPLITUDE_LINE_H

#include "amplitude/quarks.h"
#include "amplitude/words.h"

/* Before the components of a gluon current. */
typedef struct line_dual {
    quark_number a1, a2, psi, phi;
} line_dual;

/* Before the sums that it is made of. */
typedef struct line_sums {
    quark_number n1, n2, d, w;
} line_sums;

BG_FN quark_number line_product(quark_number a, quark_number b)
{
    const quark_number r = {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
    return r;
}

/* The start of the line, which is never the gauge vector. */
BG_FN quark_spinor line_start(const quark_set *q)
{
    const real y = bg_sqrt(bg_abs(q->minus)), x = y * q->inverse_minus;
    const quark_spinor r = {{x * q->p1, x * q->p2}, {y, bg_real(0.)}};
    return r;
}

/* The spinor that closes it; its y is real. */
BG_FN quark_spinor line_end(const quark_set *q, const int on_gauge)
{
    if (on_gauge) return spinor_gauge();
    quark_spinor r = line_start(q);
    r.x.im = -r.x.im;
    return r;
}

/* Before a gluon that is emitted between q and an antiquark's current r; `twice` is 2 / p- of the gluon. */
BG_FN line_dual line_contract(quark_spinor q, quark_spinor r, real twice)
{
    const quark_number yx = line_product(q.y, r.x), xy = line_product(q.x, r.y), yy = line_product(q.y, r.y);
    const real zero = bg_real(0.);
    const line_dual t = {
        {-yx.re - xy.re, -yx.im - xy.im}, {yx.im - xy.im, xy.re - yx.re}, {twice * yy.re, twice * yy.im}, {zero, zero}};
    return t;
}

/* The same with the antiquark itself, whose y is real. */
BG_FN line_dual line_closed(quark_spinor q, quark_spinor close, real twice)
{
    const quark_number yx = line_product(q.y, close.x);
    const real xy_re = q.x.re * close.y.re, xy_im = q.x.im * close.y.re, psi = twice * close.y.re, zero = bg_real(0.);
    const line_dual t = {
        {-yx.re - xy_re, -yx.im - xy_im}, {yx.im - xy_im, xy_re - yx.re}, {psi * q.y.re, psi * q.y.im}, {zero, zero}};
    return t;
}

/* From before a current to before its sums; `set`: its gluons. */
BG_FN line_sums line_before_sums(const line_dual *t, const quark_set *set)
{
    const real p1 = set->p1, p2 = set->p2, propagator = set->inverse_square;
    line_sums c;
    c.n1.re = propagator * (t->a1.re + t->psi.re * p1 - t->phi.re * p2);
    c.n1.im = propagator * (t->a1.im + t->psi.im * p1 - t->phi.im * p2);
    c.n2.re = propagator * (t->a2.re + t->psi.re * p2 + t->phi.re * p1);
    c.n2.im = propagator * (t->a2.im + t->psi.im * p2 + t->phi.im * p1);
    c.d.re = -(p1 * c.n1.re + p2 * c.n2.re) - t->psi.re;
    c.d.im = -(p1 * c.n1.im + p2 * c.n2.im) - t->psi.im;
    c.w.re = p2 * c.n1.re - p1 * c.n2.re - t->phi.re;
    c.w.im = p2 * c.n1.im - p1 * c.n2.im - t->phi.im;
    return c;
}

/* Adds c . [ A, . ]; the factors are those of lightcone.h for the split. */
BG_FN void line_add_split(line_dual *t, const line_sums *c, light_current A, real left, real right, real difference)
{
    const real u = left * A.psi, d1 = difference * A.a1, d2 = difference * A.a2;
    const real r1 = right * A.a1, r2 = right * A.a2;
    t->a1.re = t->a1.re + c->n1.re * u + c->n2.re * A.phi + c->d.re * d1 - c->w.re * A.a2;
    t->a1.im = t->a1.im + c->n1.im * u + c->n2.im * A.phi + c->d.im * d1 - c->w.im * A.a2;
    t->a2.re = t->a2.re + c->n2.re * u - c->n1.re * A.phi + c->d.re * d2 + c->w.re * A.a1;
    t->a2.im = t->a2.im + c->n2.im * u - c->n1.im * A.phi + c->d.im * d2 + c->w.im * A.a1;
    t->psi.re = t->psi.re - c->n1.re * r1 - c->n2.re * r2;
    t->psi.im = t->psi.im - c->n1.im * r1 - c->n2.im * r2;
    t->phi.re = t->phi.re + c->n1.re * A.a2 - c->n2.re * A.a1;
    t->phi.im = t->phi.im + c->n1.im * A.a2 - c->n2.im * A.a1;
}

/* c . s */
BG_FN quark_number line_from_sums(const line_sums *c, light_sum s)
{
    const quark_number a = {c->n1.re * s.n1 + c->n2.re * s.n2 + c->d.re * s.d + c->w.re * s.w,
                            c->n1.im * s.n1 + c->n2.im * s.n2 + c->d.im * s.d + c->w.im * s.w};
    return a;
}

/* Adds a split that closes the amplitude. */
BG_FN void line_close(quark_number *a, const line_dual *t, light_current B)
{
    a->re = a->re + t->a1.re * B.a1 + t->a2.re * B.a2 + t->psi.re * B.psi + t->phi.re * B.phi;
    a->im = a->im + t->a1.im * B.a1 + t->a2.im * B.a2 + t->psi.im * B.psi + t->phi.im * B.phi;
}

/* Adds the emission of a gluon current (a1, a2, plus = 2 psi / p-) to what an L is made of: minus eta1 and eta2. */
BG_FN void line_emit(quark_sum *u, quark_spinor q, real a1, real a2, real plus)
{
    u->eta1.re = u->eta1.re + a1 * q.y.re - a2 * q.y.im;
    u->eta1.im = u->eta1.im + a1 * q.y.im + a2 * q.y.re;
    u->eta2.re = u->eta2.re - plus * q.y.re + a1 * q.x.re + a2 * q.x.im;
    u->eta2.im = u->eta2.im - plus * q.y.im + a1 * q.x.im - a2 * q.x.re;
}

/* L from its emissions. */
BG_FN quark_spinor line_propagate(quark_sum u, real minus, real inverse, real p1, real p2, real propagator)
{
    const quark_number y = {propagator * (p1 * u.eta1.re + p2 * u.eta1.im + minus * u.eta2.re),
                            propagator * (p1 * u.eta1.im - p2 * u.eta1.re + minus * u.eta2.im)};
    const quark_spinor q = {
        {inverse * (u.eta1.re + p1 * y.re - p2 * y.im), inverse * (u.eta1.im + p1 * y.im + p2 * y.re)}, y};
    return q;
}

/* The antiquark's current with one more gluon; `line`: the set of all other legs, whose momentum is the opposite. */
BG_FN quark_spinor line_against(quark_spinor close, light_current A, real plus, const quark_set *line)
{
    const quark_number along = {A.a1, -A.a2}, against = {A.a1, A.a2};
    const quark_number y = line_product(along, close.y), x = line_product(against, close.x);
    const quark_number eta1 = {-y.re, -y.im}, eta2 = {plus * close.y.re - x.re, plus * close.y.im - x.im};
    const quark_number P = {-line->p1, -line->p2}, conjugate = {-line->p1, line->p2};
    const quark_number first = line_product(P, eta1);
    const quark_spinor half = {eta1,
                               {line->inverse_square * (first.re - line->minus * eta2.re),
                                line->inverse_square * (first.im - line->minus * eta2.im)}};
    const quark_number second = line_product(conjugate, half.y);
    const quark_spinor r = {
        {-line->inverse_minus * (eta1.re + second.re), -line->inverse_minus * (eta1.im + second.im)}, half.y};
    return r;
}

/* ---- the ends ------------------------------------------------------------------------------------------------------- */

/* Of one register of events: the ends of the line, and E, S and W. */
typedef struct line_ends {
    quark_spinor start, end;
    line_sums all;
    line_sums first[2 * BG_MAX_WORD_LETTERS], last[2 * BG_MAX_WORD_LETTERS]; /* [2 * letter + state] */
} line_ends;

/* How `all` splits into `left` and `right`. */
BG_FN light_split line_split(const quark_set *all, const quark_set *left, const quark_set *right)
{
    light_split f;
    f.left = f.right = NULL;
    shared_factors(&f, all->minus, all->inverse_minus, left->minus, left->inverse_minus, right->inverse_minus);
    return f;
}

/* S and W of a letter in one state, A. The sets are of the letter, of all gluons, of all others, of the start of the line with the
 * letter and of the start with all others. */
typedef struct line_letter {
    quark_set own, all, others, line, rest;
} line_letter;

BG_FN line_sums line_first(const line_letter *l, const line_ends *e, light_current A)
{
    const light_split f = line_split(&l->all, &l->own, &l->others);
    const real zero = bg_real(0.), plus = (l->own.inverse_minus + l->own.inverse_minus) * A.psi;
    quark_sum u = {{zero, zero}, {zero, zero}};
    line_emit(&u, e->start, A.a1, A.a2, plus);
    const quark_spinor L =
        line_propagate(u, l->line.minus, l->line.inverse_minus, l->line.p1, l->line.p2, l->line.inverse_square);
    line_dual t = line_closed(L, e->end, l->others.inverse_minus + l->others.inverse_minus);
    line_add_split(&t, &e->all, A, f.left_factor, f.right_factor, f.difference);
    return line_before_sums(&t, &l->others);
}

BG_FN line_sums line_last(const line_letter *l, const line_ends *e, light_current A)
{
    const light_split f = line_split(&l->all, &l->own, &l->others);
    const real plus = (l->own.inverse_minus + l->own.inverse_minus) * A.psi;
    line_dual t = line_contract(e->start, line_against(e->end, A, plus, &l->rest),
                                l->others.inverse_minus + l->others.inverse_minus);
    /* the letter is on the other side of the split */
    line_add_split(&t, &e->all, light_negative(A), f.left_factor, f.right_factor, f.difference);
    return line_before_sums(&t, &l->others);
}

/* ---- a second line ----------------------------------------------------------------------------------------------------- */

/* Two quark lines whose ends are connected with one another: the second line is a letter, since whatever it emits stands between gluons as a
 * gluon does. Its current is that of its pair, whose real and imaginary part take the place of the two states (program.h), and a word
 * u B v has a source besides its splits, the pair of the antiquark with u and the quark with v:
 *
 *     K(u B v) = propagate( sum of splits + pair( quark v, u antiquark ) ) .
 *
 * E, S and W stand before the sums of the longest words, and so before their pairs as well. */

/* Adds the emission of a gluon to one of the ends of the second line; `twice` is 2 / p- of the gluon. What starts at the antiquark has the
 * opposite s. */
BG_FN void line_pair_emit(const int anti, quark_sum *u, quark_spinor q, light_current A, real twice)
{
    line_emit(u, q, A.a1, anti ? -A.a2 : A.a2, twice * A.psi);
}

BG_FN quark_spinor line_pair_propagate(const int anti, quark_sum u, const quark_set *P)
{
    const quark_spinor q =
        line_propagate(u, P->minus, P->inverse_minus, P->p1, anti ? -P->p2 : P->p2, P->inverse_square);
    return anti ? spinor_opposite(q) : q;
}

/* Adds part 0 or 1 of a pair, real or imaginary; `twice` is 2 / P-. */
BG_FN void line_add_pair(int part, quark_spinor quark, quark_spinor antiquark, real twice, light_sum *s)
{
    const quark_spinor turned = spinor_turned(quark);
    if (part) quark = turned;
    spinor_pair_real(&quark, &antiquark, twice, s);
}

/* Adds c . s of a pair: it has no w. */
BG_FN void line_close_pair(quark_number *a, const line_sums *c, light_sum s)
{
    a->re = a->re + c->n1.re * s.n1 + c->n2.re * s.n2 + c->d.re * s.d;
    a->im = a->im + c->n1.im * s.n1 + c->n2.im * s.n2 + c->d.im * s.d;
}

/* ---- all amplitudes, one register of events after the other ---------------------------------------------------------- */

/* What all orderings share: momenta of sets of gluons, [set], and of those with the start of the line; the ends; and K of up to
 * N - 2 letters, where the records of words.h say. */
typedef struct line_view {
    const shared_sets *gluons;
    const quark_set *line;
    const line_ends *ends;
    const light_current *K;
    const uint32_t *record; /* of the ordering that is worked on */
} line_view;

BG_FN uint32_t line_letter_at(const line_view *v, int place) { return packed_letter(v->record[1], place); }

/* The letters i .. j - 1. */
BG_FN uint32_t line_set_between(const line_view *v, int i, int j)
{
    uint32_t set = 0;
    for (int k = i; k < j; k++) set |= 1u << line_letter_at(v, k);
    return set;
}

BG_FN const light_current *line_word(const int N, const line_view *v, int i, int j)
{
    return v->K + v->record[RECYCLED_WORD(N, i, j)] / 2;
}

/* Where L or T of k letters are on the path. */
BG_FN size_t line_place(int k) { return ((size_t)1 << k) - 2; }

BG_FN void line_view_split(const line_view *v, uint32_t all, uint32_t left, light_split *f)
{
    const shared_sets *whole = &v->gluons[all], *part = &v->gluons[left], *rest = &v->gluons[all ^ left];
    shared_factors(f, whole->minus, whole->inverse_minus, part->minus, part->inverse_minus, rest->inverse_minus);
}

/* The factors of T of the first k letters. */
typedef struct line_factors {
    light_split all, others;
    real twice;
} line_factors;

BG_FN line_factors line_factors_of(const int N, const line_view *v, int k)
{
    const uint32_t every = (1u << N) - 1u, set = line_set_between(v, 0, k), first = 1u << line_letter_at(v, 0);
    const real inverse = v->gluons[every ^ set].inverse_minus;
    line_factors f;
    line_view_split(v, every ^ first, set ^ first, &f.others);
    f.all = f.others; /* the last one is not used */
    if (k < N - 1) line_view_split(v, every, set, &f.all);
    f.twice = inverse + inverse;
    return f;
}

/* T of k letters in one state, from their L. */
BG_FN line_dual line_dual_of(const int N, const line_view *v, const line_factors *f, int k, uint32_t state,
                             quark_spinor L)
{
    line_dual T = line_closed(L, v->ends->end, f->twice);
    if (k < N - 1)
        line_add_split(&T, &v->ends->all, line_word(N, v, 0, k)[state], f->all.left_factor, f->all.right_factor,
                       f->all.difference);
    line_add_split(&T, &v->ends->first[2 * line_letter_at(v, 0) + (state & 1u)], line_word(N, v, 1, k)[state >> 1],
                   f->others.left_factor, f->others.right_factor, f->others.difference);
    return T;
}

/* Emissions of the states of a tile, u[2 a + j]: a of the first letter, j of the last one, `mid` of those between. */
BG_FN void line_emit_tile(const int N, const line_view *v, int k, int p, unsigned mid, const quark_spinor *path,
                          real twice, quark_sum *u)
{
    const light_current *B = line_word(N, v, p, k);
    const unsigned top = 1u << (k - 1 - p);
    if (!p) { /* the start of the line emits all letters */
        for (unsigned s = 0; s < 4; s++) {
            const light_current *own = B + ((s >> 1) + (mid << 1) + (s & 1u) * top);
            line_emit(&u[s], v->ends->start, own->a1, own->a2, twice * own->psi);
        }
        return;
    }
    const quark_spinor *q = path + line_place(p) + (shared_low(mid, p) << 1);
    B += shared_high(mid, p);
    for (unsigned j = 0; j < 2; j++) {
        const real plus = twice * B[j * top].psi;
        for (unsigned i = 0; i < 2; i++) line_emit(&u[2 * i + j], q[i], B[j * top].a1, B[j * top].a2, plus);
    }
}

/* L of the first letter. */
BG_FN void line_first_prefix(const int N, const line_view *v, quark_spinor *path)
{
    const uint32_t set = line_set_between(v, 0, 1);
    const quark_set *P = &v->line[set];
    const light_current *B = line_word(N, v, 0, 1);
    const real zero = bg_real(0.), inverse = v->gluons[set].inverse_minus, twice = inverse + inverse;
    for (unsigned s = 0; s < 2; s++) {
        quark_sum u = {{zero, zero}, {zero, zero}};
        line_emit(&u, v->ends->start, B[s].a1, B[s].a2, twice * B[s].psi);
        path[line_place(1) + s] = line_propagate(u, P->minus, P->inverse_minus, P->p1, P->p2, P->inverse_square);
    }
}

/* L and T of the first k > 1 letters in all states; those of fewer are on the path already. L of N - 1 letters goes without the
 * emission of all of them. */
BG_FN void line_prefix(const int N, const line_view *v, int k, quark_spinor *path, line_dual *dual)
{
    const quark_set *P = &v->line[line_set_between(v, 0, k)];
    const real zero = bg_real(0.);
    const line_factors f = line_factors_of(N, v, k);
    real twice[BG_MAX_WORD_LETTERS];
    for (int p = 0; p < k; p++) {
        const real inverse = v->gluons[line_set_between(v, p, k)].inverse_minus;
        twice[p] = inverse + inverse;
    }
    for (unsigned mid = 0; mid < 1u << (k - 2); mid++) {
        quark_sum u[4];
        for (int s = 0; s < 4; s++) u[s].eta1.re = u[s].eta1.im = u[s].eta2.re = u[s].eta2.im = zero;
        for (int p = k == N - 1; p < k; p++) line_emit_tile(N, v, k, p, mid, path, twice[p], u);
        for (unsigned s = 0; s < 4; s++) {
            const unsigned state = s >> 1 | mid << 1 | (s & 1u) << (k - 1);
            const quark_spinor L = line_propagate(u[s], P->minus, P->inverse_minus, P->p1, P->p2, P->inverse_square);
            if (k < N - 1) path[line_place(k) + state] = L;
            dual[line_place(k) + state] = line_dual_of(N, v, &f, k, state, L);
        }
    }
}

/* The amplitudes of an ordering: part c of configuration h, by letter, goes to n[(2 h + c) * stride]. A tile has the states of
 * the first letter and of the last two. */
BG_FN void line_close_states(const int N, const line_view *v, const line_dual *dual, real *n, size_t stride)
{
    const uint32_t last = line_letter_at(v, N - 1), set = ((1u << N) - 1u) ^ 1u << last;
    light_split f[BG_MAX_WORD_LETTERS];
    unsigned configuration[1 << (BG_MAX_WORD_LETTERS - 3)];
    int letter[BG_MAX_WORD_LETTERS];
    for (int k = 0; k < N; k++) letter[k] = (int)line_letter_at(v, k);
    shared_configurations(N - 1, letter, configuration);
    for (int l = 1; l < N - 1; l++) {
        line_view_split(v, set, line_set_between(v, 0, l), &f[l]);
        f[l].left = line_word(N, v, 0, l);
        f[l].right = line_word(N, v, l, N - 1);
    }
    for (unsigned mid = 0; mid < 1u << (N - 3); mid++) {
        light_sum s[4];
        quark_number t[2][2][2]; /* [first][last but one][last] */
        shared_tile(0, N - 1, f, mid, s);
        for (unsigned j = 0; j < 2; j++)
            for (unsigned k = 0; k < 4; k++) t[k >> 1][k & 1u][j] = line_from_sums(&v->ends->last[2 * last + j], s[k]);
        for (int p = 2; p < N; p++) {
            const light_current *B = line_word(N, v, p, N) + (p < N - 1 ? shared_high(mid, p) : 0);
            const line_dual *T = dual + line_place(p) + ((p < N - 1 ? shared_low(mid, p) : mid) << 1);
            const unsigned left = p < N - 1 ? 0u : 1u << (N - 2), right = p < N - 1 ? 1u << (N - 2 - p) : 0u;
            for (unsigned i = 0; i < 2; i++)
                for (unsigned a = 0; a < 2; a++)
                    for (unsigned j = 0; j < 2; j++)
                        line_close(&t[a][i][j], &T[a + i * left], B[i * right + (j << (N - 1 - p))]);
        }
        for (unsigned k = 0; k < 8; k++) {
            const unsigned a = k & 1u, i = k >> 1 & 1u, j = k >> 2;
            real *to = n + (configuration[a | mid << 1 | i << (N - 2)] + (j ? 2u << last : 0u)) * stride;
            to[0] = t[a][i][j].re;
            to[stride] = t[a][i][j].im;
        }
    }
}

#endif
