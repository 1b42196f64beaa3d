/* Cheap estimates of |M|^2 (estimate/estimate.h) and the factor that is learned (estimate/learned.h): against sums over orders
 * written out one by one, against exact values where the two are proportional, and what users of them rely on.
 */
#include "estimate/learned.h" /* before support.h, whose type `gluons` would hide names in it */

#include "support.h"

#include "estimate_quad.h"
#include "oracle.h"
#include "process/process.h"

static const double alpha_s = 0.118;

/* All kinds: numbers of lines, which legs come in, equal and different flavors. */
static const char *const two_to_two[] = {"g g > g g", "u g > u g",   "g g > u u~",  "u u~ > g g", "u d > u d",
                                         "u u > u u", "u d~ > u d~", "u u~ > d d~", "u u~ > u u~"};
static const char *const two_to_three[] = {"u d > u d g",   "u d~ > u d~ g", "u u~ > d d~ g", "u u > u u g",
                                           "u u~ > u u~ g", "g u > u d d~",  "g u > u u u~"};
static const char *const one_line_three[] = {"u g > u g g", "g g > u u~ g", "u u~ > g g g"};
static const char *const two_to_four[] = {"g g > g g g g",  "g u > u g g g",   "g g > u u~ g g",  "u u~ > g g g g",
                                          "g u > u d d~ g", "u d > u d g g",   "u d~ > u d~ g g", "u u > u u g g",
                                          "g u > u u u~ g", "u u~ > u u~ g g", "g g > u u~ d d~", "g g > u u u~ u~",
                                          "u u~ > d d~ g g"};
static const char *const two_to_five[] = {
    "g g > g g g g g",   "g u > u g g g g",   "g g > u u~ g g g", "u u~ > g g g g g", "g u > u d d~ g g",
    "u d > u d g g g",   "u d~ > u d~ g g g", "u u > u u g g g",  "g u > u u u~ g g", "u u~ > u u~ g g g",
    "g g > u u~ d d~ g", "g g > u u u~ u~ g", "u u~ > d d~ g g g"};
static const char *const three_lines[] = {"u d > u d s s~",    "u s~ > u d d~ s~",    "u d > u u u~ d",
                                          "u u > u u d d~",    "u u~ > u u~ d d~",    "u u > u u u u~",
                                          "u u~ > u u u~ u~",  "u u~ > d d~ s s~",    "g u > u d d~ s s~",
                                          "g u > u u u~ d d~", "g g > u u u u~ u~ u~"};
#define COUNT(list) (sizeof(list) / sizeof *(list))

static bg_subprocess subprocess_of(const char *text)
{
    bg_process *p;
    bg_error error;
    if (bg_process_parse(&p, text, 5, BG_ALL_LINES, &error) != BG_OK) fail_msg("%s", error.message);
    const bg_subprocess s = p->subprocess[0];
    bg_process_destroy(p);
    return s;
}

/* ---- the station, a register of events at a time ------------------------------------------------------------------------ */

typedef struct station {
    bg_subprocess process;
    estimate_plan plan;
    pair_table table;
    estimate_room room;
    real *memory, *u;
    int by_place;
} station;

/* `stride` as a GPU would have it; `by_place`: rows of the table are places. */
static void station_create(station *s, const bg_subprocess *process, int by_place, size_t stride)
{
    s->process = *process;
    s->by_place = by_place;
    assert_int_equal(bg_estimate_plan(&s->plan, process, by_place ? process->place : NULL, NULL), BG_OK);
    const size_t invariants = pairs_reals(process->n), sums = estimate_reals(&s->plan);
    const size_t bytes = (invariants + sums + (size_t)learned_invariants(process->n)) * stride * sizeof(real);
    s->memory = aligned_alloc(64, (bytes + 63) / 64 * 64);
    assert_non_null(s->memory);
    s->table = pairs_in(process->n, s->memory, stride);
    s->room = estimate_room_in(&s->plan, s->memory + invariants * stride, stride);
    s->u = s->memory + (invariants + sums) * stride;
}

static void station_destroy(station *s) { free(s->memory); }

/* E of a register of events, momenta by leg, one event `event` numbers after the other. Incoming momenta have either sign. */
static real station_value(station *s, const double *momenta, size_t event)
{
    const int n = s->process.n;
    vec4 p[BG_MAX_LEGS];
    for (int leg = 0; leg < n; leg++)
        for (int l = 0; l < BG_LANES; l++) {
            const double *q = momenta + (size_t)l * event + 4 * leg, sign = leg < 2 && l % 2 ? -1. : 1.;
            vec4 *to = &p[s->by_place ? s->process.place[leg] : leg];
            bg_set_lane(&to->t, l, sign * q[0]);
            bg_set_lane(&to->x, l, sign * q[1]);
            bg_set_lane(&to->y, l, sign * q[2]);
            bg_set_lane(&to->z, l, sign * q[3]);
        }
    pairs_fill(n, p, &s->table);
    return estimate_value(&s->plan, &s->table, &s->room);
}

/* ... of one event. */
static double value_of(station *s, const double *momenta) { return bg_lane(station_value(s, momenta, 0), 0); }

/* ---- the same written out -------------------------------------------------------------------------------------------- */

/* Legs that are gluons, and s_ij, with room for a gluon that is made of a line. */
typedef struct plain {
    double s[BG_MAX_LEGS + 1][BG_MAX_LEGS + 1];
    int gluons, gluon[BG_MAX_LEGS];
} plain;

/* Sum over the orders of a list of 1 / (s_a1 s_12 .. s_mb). */
static double plain_orders(const plain *p, int a, int b, const int *list, int count)
{
    double sum = 0.;
    if (!count) return 1. / p->s[a][b];
    for (int first = 0; first < count; first++) {
        int rest[BG_MAX_LEGS], others = 0;
        for (int k = 0; k < count; k++)
            if (k != first) rest[others++] = list[k];
        sum += plain_orders(p, list[first], b, rest, others) / p->s[a][list[first]];
    }
    return sum;
}

/* F_ab of the gluons in a set. */
static double plain_sum(const plain *p, int a, int b, unsigned set)
{
    int list[BG_MAX_LEGS], count = 0;
    for (int k = 0; k < p->gluons; k++)
        if (set >> k & 1u) list[count++] = p->gluon[k];
    return p->s[a][b] * plain_orders(p, a, b, list, count);
}

static double plain_string(const plain *p, int a, int b, int c, int d)
{
    const unsigned all = (1u << p->gluons) - 1u;
    double sum = 0.;
    for (unsigned set = 0; set <= all; set++) sum += plain_sum(p, a, b, set) * plain_sum(p, c, d, all ^ set);
    return sum;
}

static double plain_gluons(const plain *p)
{
    double sum = 0.;
    for (int i = 0; i < p->gluons; i++)
        for (int j = 0; j < i; j++) sum += pow(p->s[p->gluon[i]][p->gluon[j]], 4.);
    return sum * plain_orders(p, p->gluon[0], p->gluon[0], p->gluon + 1, p->gluons - 1);
}

static double plain_one(const plain *p, int q, int a)
{
    const int N = p->gluons;
    const unsigned all = (1u << N) - 1u;
    double num = 0., color = 0., g[BG_MAX_LEGS];
    for (int i = 0; i < N; i++) {
        const double x = p->s[q][p->gluon[i]], y = p->s[a][p->gluon[i]], z = x / (x + y);
        num += x * x * x * y + x * y * y * y;
        g[i] = pow(z * (1. - z), 0.7) * (z * z + (1. - z) * (1. - z));
        for (int j = 0; j < i && N >= 4; j++) num += pow(p->s[p->gluon[i]][p->gluon[j]], 4.) * (g[i] + g[j]) / 2.;
    }
    for (unsigned set = 0; set <= all; set++) {
        double term = plain_sum(p, q, a, all ^ set);
        int photons = 0;
        for (int k = 0; k < N; k++)
            if (set >> k & 1u) {
                term *= -plain_sum(p, q, a, 1u << k) / 9.;
                photons++;
            }
        color += term * (1. - (double)photons / N);
    }
    return num * color / (p->s[q][a] * p->s[q][a]);
}

static double plain_w(double y, double ends, double c)
{
    return 0.5 * (y * (1. - y) / ends + 1. / c) * (y * y + (1. - y) * (1. - y)) * pow(4. * y * (1. - y), -0.3);
}

static double plain_extra(const plain *p, int q, int a, int Q, int A)
{
    const double(*s)[BG_MAX_LEGS + 1] = p->s, ends = s[q][A] * s[Q][a];
    const double qR = s[q][Q] + s[q][A], aR = s[a][Q] + s[a][A], QP = s[Q][q] + s[Q][a], AP = s[A][q] + s[A][a];
    double sum = 0., fourths = 0.;
    for (int k = 0; k < p->gluons; k++) {
        const int i = p->gluon[k];
        sum += s[q][i] * s[a][i] * (s[q][i] * s[q][i] + s[a][i] * s[a][i]) *
               plain_w(s[Q][i] / (s[Q][i] + s[A][i]), ends, qR * aR);
        sum += s[Q][i] * s[A][i] * (s[Q][i] * s[Q][i] + s[A][i] * s[A][i]) *
               plain_w(s[q][i] / (s[q][i] + s[a][i]), ends, QP * AP);
        fourths += pow(s[q][i] + s[a][i], 4.) + pow(s[Q][i] + s[A][i], 4.);
        for (int j = 0; j < k; j++) fourths += pow(s[i][p->gluon[j]], 4.);
    }
    return sum + 0.2 * (s[q][Q] * s[q][Q] + s[q][A] * s[q][A] + s[a][Q] * s[a][Q] + s[a][A] * s[a][A]) * fourths /
                     pow(qR + aR, 4.);
}

static double plain_two(const plain *p, int q, int a, int Q, int A, int identical, int least)
{
    const double(*s)[BG_MAX_LEGS + 1] = p->s;
    const double S1 = plain_string(p, q, A, Q, a), S2 = plain_string(p, q, a, Q, A), S3 = plain_string(p, q, Q, a, A);
    const double X = s[q][a] * s[Q][A], Y = s[q][A] * s[Q][a], eq = s[q][Q] * s[q][Q] + s[a][A] * s[a][A];
    const double op = s[q][A] * s[q][A] + s[Q][a] * s[Q][a], po = s[q][a] * s[q][a] + s[Q][A] * s[Q][A];
    const double ex = p->gluons >= least ? plain_extra(p, q, a, Q, A) : 0.;
    const double ey = p->gluons >= least ? plain_extra(p, q, A, Q, a) : 0.;
    if (!identical) return (eq + op + ex) / X * (7. * S1 - S2 + 2. * S3);
    const double U = 1. + ex / (eq + op), V = 1. + ey / (eq + po), x = U / X, y = V / Y;
    const double R = (X + Y - s[q][Q] * s[a][A]) / 2. * sqrt(U * V) / (X * Y);
    const double aa = eq * (x + y / 9. + 2. * R / 3.) + op * x + po * y / 9.;
    const double bb = eq * (x / 9. + y + 2. * R / 3.) + op * x / 9. + po * y;
    const double ab = -(eq * (x / 3. + y / 3. + 10. * R / 9.) + op * x / 3. + po * y / 3.);
    return (9. * aa + 6. * ab) * S1 + (9. * bb + 6. * ab) * S2 - 6. * ab * S3;
}

/* One pairing of three lines. */
static double plain_three(const plain *p, int legs, const int *q, const int *a)
{
    double sum = 0.;
    for (int r = 0; r < 3; r++) {
        const int i = r == 0, j = r == 2 ? 1 : 2;
        plain with = *p;
        double x = 0., y = 0.;
        for (int leg = 0; leg < legs; leg++) {
            if (leg == q[r] || leg == a[r]) continue;
            x += p->s[q[r]][leg];
            y += p->s[a[r]][leg];
            with.s[legs][leg] = with.s[leg][legs] = p->s[q[r]][leg] + p->s[a[r]][leg];
        }
        with.gluon[with.gluons++] = legs;
        sum +=
            (x * x + y * y) / ((x + y) * (x + y)) / p->s[q[r]][a[r]] * plain_two(&with, q[i], a[i], q[j], a[j], 0, 1);
    }
    return sum;
}

static double plain_value(const bg_subprocess *b, const double *momenta)
{
    static const int pairing[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    plain p;
    double sum = 0.;
    p.gluons = 0;
    for (int i = 0; i < b->n; i++) {
        for (int j = 0; j < b->n; j++) p.s[i][j] = fabs(2. * minkowski(momenta + 4 * i, momenta + 4 * j));
        if (b->pdg[i] == 21) p.gluon[p.gluons++] = i;
    }
    if (b->lines == 0) return plain_gluons(&p);
    if (b->lines == 1) return plain_one(&p, b->quark[0], b->antiquark[0]);
    if (b->lines == 2)
        return plain_two(&p, b->quark[0], b->antiquark[0], b->quark[1], b->antiquark[1], b->flavors == 1, 2);
    for (int k = 0; k < 6; k++) {
        int q[3], a[3], fits = 1;
        for (int i = 0; i < 3; i++) {
            q[i] = b->quark[i];
            a[i] = b->antiquark[pairing[k][i]];
            fits &= b->crossed[q[i]] == -b->crossed[a[i]];
        }
        if (fits) sum += plain_three(&p, b->n, q, a);
    }
    return sum;
}

/* Lanes, strides and rows of the table by place make no difference. */
static void check_plain(const char *text, int points, random_source *r)
{
    const bg_subprocess process = subprocess_of(text);
    const size_t event = 4 * (size_t)process.n;
    station by_leg, by_place;
    station_create(&by_leg, &process, 0, 1);
    station_create(&by_place, &process, 1, 3);
    for (int k = 0; k < points; k += BG_LANES) {
        double *momenta = random_cut_points(r, process.n_out, 1000., BG_LANES);
        const real E = station_value(&by_leg, momenta, event), other = station_value(&by_place, momenta, event);
        for (int l = 0; l < BG_LANES; l++) {
            assert_relative(bg_lane(E, l), plain_value(&process, momenta + (size_t)l * event), 1e-10, "%s", text);
            assert_relative(bg_lane(other, l), bg_lane(E, l), 1e-12, "%s, by place", text);
        }
        free(momenta);
    }
    station_destroy(&by_leg);
    station_destroy(&by_place);
}

static void estimate_is_sum_over_orders(void **state)
{
    (void)state;
    random_source r = fresh_source(801);
    for (size_t k = 0; k < COUNT(two_to_two); k++) check_plain(two_to_two[k], effort_of(100, 10), &r);
    for (size_t k = 0; k < COUNT(two_to_three); k++) check_plain(two_to_three[k], effort_of(100, 10), &r);
    for (size_t k = 0; k < COUNT(one_line_three); k++) check_plain(one_line_three[k], effort_of(100, 10), &r);
    for (size_t k = 0; k < COUNT(two_to_four); k++) check_plain(two_to_four[k], effort_of(60, 10), &r);
    for (size_t k = 0; k < COUNT(two_to_five); k++) check_plain(two_to_five[k], effort_of(20, 4), &r);
    for (size_t k = 0; k < COUNT(three_lines); k++) check_plain(three_lines[k], effort_of(20, 4), &r);
    check_plain("g g > g g g g g g", effort_of(10, 2), &r);
}

/* ---- exact values ------------------------------------------------------------------------------------------------------ */

/* |M|^2 / E at random points. */
static void ratios_of(const char *text, int points, random_source *r, double *ratio)
{
    const bg_subprocess process = subprocess_of(text);
    const bg_options options = default_options();
    station s;
    oracle o;
    station_create(&s, &process, 0, 1);
    if (process.lines) oracle_create(&o, &process, -1);
    for (int k = 0; k < points; k++) {
        double momenta[4 * BG_MAX_LEGS];
        random_cut_point(r, process.n_out, 1000., momenta);
        const double exact =
            process.lines ? oracle_me2(&o, alpha_s, momenta) : evaluate_one(process.n_out, &options, momenta);
        ratio[k] = exact / value_of(&s, momenta);
    }
    if (process.lines) oracle_destroy(&o);
    station_destroy(&s);
}

/* Root mean square of ratio / mean - 1. */
static double spread_of(const double *ratio, int points)
{
    double mean = 0., square = 0.;
    for (int k = 0; k < points; k++) mean += ratio[k] / points;
    for (int k = 0; k < points; k++) square += (ratio[k] / mean - 1.) * (ratio[k] / mean - 1.) / points;
    return sqrt(square);
}

static void check_constant(const char *text, random_source *r)
{
    double ratio[40];
    ratios_of(text, 40, r, ratio);
    for (int k = 1; k < 40; k++) assert_relative(ratio[k], ratio[0], 1e-11, "|M|^2 / E of %s", text);
}

static void few_legs_are_exact(void **state)
{
    (void)state;
    random_source r = fresh_source(802);
    for (size_t k = 0; k < COUNT(two_to_two); k++) check_constant(two_to_two[k], &r);
    for (size_t k = 0; k < COUNT(two_to_three); k++) check_constant(two_to_three[k], &r);
    check_constant("g g > g g g", &r);
}

/* Close, where they are not exact. */
static void more_legs_are_close(void **state)
{
    (void)state;
    enum { POINTS = 100 };
    random_source r = fixed_source(803);
    double ratio[POINTS];
    for (size_t k = 0; k < COUNT(one_line_three); k++) {
        ratios_of(one_line_three[k], POINTS, &r, ratio);
        assert_bounded(spread_of(ratio, POINTS), 0.05, "spread of |M|^2 / E, %s", one_line_three[k]);
    }
    ratios_of("g g > g g g g", POINTS, &r, ratio);
    assert_bounded(spread_of(ratio, POINTS), 0.3, "spread of |M|^2 / E, g g > g g g g");
    ratios_of("u d > u d g g", POINTS, &r, ratio);
    assert_bounded(spread_of(ratio, POINTS), 0.5, "spread of |M|^2 / E, u d > u d g g");
}

/* ---- what users rely on ------------------------------------------------------------------------------------------------ */

/* Neither E nor what is learned depends on which of equal partons is which. */
static void check_symmetry(const char *text, random_source *r)
{
    const bg_subprocess process = subprocess_of(text);
    const int invariants = learned_invariants(process.n);
    station s;
    station_create(&s, &process, 0, 1);
    double momenta[4 * BG_MAX_LEGS], exchanged[4 * BG_MAX_LEGS], u[BG_MAX_LEGS * BG_MAX_LEGS];
    random_cut_point(r, process.n_out, 1000., momenta);
    const double E = value_of(&s, momenta);
    learned_logarithms(&s.plan, &s.table, s.u, 1);
    for (int k = 0; k < invariants; k++) u[k] = bg_lane(s.u[k], 0);
    for (int i = 2; i < process.n; i++)
        for (int j = 2; j < i; j++) {
            if (process.pdg[i] != process.pdg[j]) continue;
            memcpy(exchanged, momenta, sizeof momenta);
            memcpy(exchanged + 4 * i, momenta + 4 * j, 4 * sizeof *momenta);
            memcpy(exchanged + 4 * j, momenta + 4 * i, 4 * sizeof *momenta);
            assert_relative(value_of(&s, exchanged), E, 1e-12, "%s with legs %d and %d exchanged", text, i, j);
            learned_logarithms(&s.plan, &s.table, s.u, 1);
            for (int k = 0; k < invariants; k++)
                assert_bounded(bg_lane(s.u[k], 0) - u[k], 1e-13, "%s, logarithm %d", text, k);
        }
    station_destroy(&s);
}

static void equal_partons_are_equal(void **state)
{
    (void)state;
    random_source r = fresh_source(804);
    for (size_t k = 0; k < COUNT(two_to_two); k++) check_symmetry(two_to_two[k], &r);
    for (size_t k = 0; k < COUNT(two_to_four); k++) check_symmetry(two_to_four[k], &r);
    for (size_t k = 0; k < COUNT(two_to_five); k++) check_symmetry(two_to_five[k], &r);
    for (size_t k = 0; k < COUNT(three_lines); k++) check_symmetry(three_lines[k], &r);
}

static void check_positive(const char *text, int points, random_source *r)
{
    const bg_subprocess process = subprocess_of(text);
    station s;
    station_create(&s, &process, 0, 1);
    for (int k = 0; k < points; k += BG_LANES) {
        double momenta[BG_LANES][4 * BG_MAX_LEGS];
        for (int l = 0; l < BG_LANES; l++) {
            double *p = momenta[l];
            if (k % 8 == 0)
                collinear_point(r, process.n_out, 1e-3, uniform(r, 0.01, 0.99), p);
            else
                random_point(r, process.n_out, 1000., p);
        }
        const real E = station_value(&s, momenta[0], sizeof momenta[0] / sizeof momenta[0][0]);
        for (int l = 0; l < BG_LANES; l++)
            if (!(bg_lane(E, l) > 0. && isfinite(bg_lane(E, l)))) fail_msg("E of %s is %g", text, bg_lane(E, l));
    }
    station_destroy(&s);
}

static void estimates_are_positive(void **state)
{
    (void)state;
    random_source r = fresh_source(805);
    const int points = effort_of(20000, 1000);
    for (size_t k = 0; k < COUNT(two_to_four); k++) check_positive(two_to_four[k], points, &r);
    for (size_t k = 0; k < COUNT(two_to_five); k++) check_positive(two_to_five[k], points, &r);
    for (size_t k = 0; k < COUNT(three_lines); k++) check_positive(three_lines[k], points / 4, &r);
}

/* Against 128-bit numbers: E, and the invariants of partons that fly nearly together, or along a beam. */
static void check_precision(const char *text, random_source *r)
{
    const bg_subprocess process = subprocess_of(text);
    const int n = process.n;
    station s;
    station_create(&s, &process, 0, 1);
    for (int k = 0; k < 3; k++) {
        const double angle[] = {1., 1e-3, 1e-5};
        double momenta[4 * BG_MAX_LEGS], exact[BG_MAX_LEGS * BG_MAX_LEGS];
        if (k == 0)
            random_cut_point(r, process.n_out, 1000., momenta);
        else if (k == 1)
            collinear_point(r, process.n_out, angle[k], 0.3, momenta);
        else
            beam_point(r, process.n_out, angle[k], 0.1, momenta);
        const double E = value_of(&s, momenta), E_exact = estimate_quad(&process, momenta, exact);
        const double tolerance = k == 1 ? 1e-12 : 2e-13;
        for (int i = 0; i < n; i++)
            for (int j = 0; j < i; j++)
                assert_relative(bg_lane(pairs_s(&s.table, i, j), 0), exact[i * n + j], tolerance,
                                "s_%d%d of %s, case %d", i, j, text, k);
        assert_relative(E, E_exact, 20. * tolerance, "E of %s, case %d", text, k);
    }
    station_destroy(&s);
}

static void doubles_are_enough(void **state)
{
    (void)state;
    random_source r = fresh_source(806);
    for (int repeat = 0; repeat < effort_of(20, 2); repeat++) {
        for (size_t k = 0; k < COUNT(two_to_four); k++) check_precision(two_to_four[k], &r);
        for (size_t k = 0; k < COUNT(three_lines); k++) check_precision(three_lines[k], &r);
    }
}

/* Logarithms and powers of all lanes at once, against the C library. */
static void powers_are_powers(void **state)
{
    (void)state;
    random_source r = fresh_source(812);
    for (int k = 0; k < 100000; k++) {
        const double near = k % 2 ? 1. : 0.01, x = exp(near * uniform(&r, -300., 300.)),
                     y = near * uniform(&r, -650., 650.);
        assert_relative(bg_lane(bg_fast_log(bg_real(x)), k % BG_LANES), log(x), 1e-15, "logarithm of %.17g", x);
        assert_relative(bg_lane(bg_fast_exp(bg_real(y)), k % BG_LANES), exp(y), 1e-15, "exponential of %.17g", y);
    }
    assert_true(bg_lane(bg_fast_log(bg_real(1.)), 0) == 0. && bg_lane(bg_fast_exp(bg_real(0.)), 0) == 1.);
    assert_relative(bg_lane(bg_power(bg_real(0.09), -0.3), 0), pow(0.09, -0.3), 1e-15, "0.09 to the power -0.3");
}

/* The largest tables there may be. */
static void most_legs(void **state)
{
    (void)state;
    static const char *const texts[] = {"g g > g g g g g g g g g g g g", "u g > u g g g g g g g g g g g",
                                        "u d > u d g g g g g g g g g g", "u d > u d s s~ g g g g g g g g"};
    random_source r = fixed_source(807);
    for (size_t k = 0; k < COUNT(texts); k++) check_symmetry(texts[k], &r);
}

static void many_lines_are_refused(void **state)
{
    (void)state;
    const bg_subprocess process = subprocess_of("u u~ > d d~ s s~ c c~");
    estimate_plan plan;
    bg_error error;
    assert_refused(bg_estimate_plan(&plan, &process, NULL, &error), &error, BG_ERROR_UNSUPPORTED,
                   "4 quark lines|0 to 3");
}

/* ---- the learned factor ------------------------------------------------------------------------------------------------- */

enum { FEW = 5, FEW_COEFFICIENTS = (FEW + 1) * (FEW + 2) / 2, SYNTHETIC = 400 };

/* Points whose |M|^2 / E is exp of a known quadratic form. */
typedef struct synthetic {
    double u[SYNTHETIC * FEW], exact[SYNTHETIC], estimate[SYNTHETIC], weight[SYNTHETIC], form[FEW_COEFFICIENTS];
    bg_learned_sample sample;
} synthetic;

static void synthetic_create(synthetic *s, random_source *r)
{
    for (int k = 0; k < FEW_COEFFICIENTS; k++) s->form[k] = uniform(r, -0.1, 0.1);
    for (int k = 0; k < SYNTHETIC; k++) {
        real u[FEW];
        for (int i = 0; i < FEW; i++) u[i] = bg_real(s->u[FEW * k + i] = uniform(r, -6., 0.));
        s->estimate[k] = exp(uniform(r, -3., 3.));
        s->exact[k] = s->estimate[k] * exp(bg_lane(learned_form(FEW, u, 1, s->form), 0));
        s->weight[k] = uniform(r, 0.5, 1.5) / s->exact[k];
    }
    const bg_learned_sample sample = {SYNTHETIC, FEW, s->u, s->exact, s->estimate, s->weight};
    s->sample = sample;
}

static void quadratic_form_is_found(void **state)
{
    (void)state;
    random_source r = fresh_source(808);
    static synthetic s;
    double scale, found[FEW_COEFFICIENTS], again[FEW_COEFFICIENTS];
    bg_learned_settings settings = bg_learned_defaults();
    synthetic_create(&s, &r);
    settings.ridge = 0.;
    assert_int_equal(bg_learned_fit(&s.sample, &settings, &scale, found, NULL), BG_OK);
    found[0] += log(scale);
    for (int k = 0; k < FEW_COEFFICIENTS; k++) assert_bounded(found[k] - s.form[k], 1e-9, "coefficient %d", k);
    /* with the usual ridge nearly so, and every time the same */
    settings = bg_learned_defaults();
    assert_int_equal(bg_learned_fit(&s.sample, &settings, &scale, found, NULL), BG_OK);
    assert_int_equal(bg_learned_fit(&s.sample, &settings, &scale, again, NULL), BG_OK);
    assert_memory_equal(found, again, sizeof found);
    found[0] += log(scale);
    double square = 0.;
    for (int k = 0; k < SYNTHETIC; k++) {
        real u[FEW];
        for (int i = 0; i < FEW; i++) u[i] = bg_real(s.u[FEW * k + i]);
        const double left = bg_lane(learned_form(FEW, u, 1, found) - learned_form(FEW, u, 1, s.form), 0);
        square += left * left / SYNTHETIC;
    }
    assert_bounded(sqrt(square), 0.02, "root mean square of what the ridge leaves");
}

/* |M|^2 / E' of the synthetic points, the largest over the mean. */
static double largest_ratio(const synthetic *s, const double *found)
{
    double exact = 0., estimate = 0., largest = 0.;
    for (int k = 0; k < SYNTHETIC; k++) {
        real u[FEW];
        for (int i = 0; i < FEW; i++) u[i] = bg_real(s->u[FEW * k + i]);
        const double e = s->estimate[k] * exp(bg_lane(learned_form(FEW, u, 1, found), 0));
        exact += s->weight[k] * s->exact[k];
        estimate += s->weight[k] * e;
        largest = fmax(largest, s->exact[k] / e);
    }
    return largest * estimate / exact;
}

/* The factor for events: a form that is there is found, and where there is more to |M|^2 the largest ratio is smaller than that of
 * the other fit. Threads do not matter. */
static void largest_ratios_are_small(void **state)
{
    (void)state;
    random_source r = fixed_source(812);
    static synthetic s;
    double scale, found[FEW_COEFFICIENTS], again[FEW_COEFFICIENTS], usual[FEW_COEFFICIENTS];
    const bg_learned_settings settings = bg_learned_defaults();
    bg_error error;
    synthetic_create(&s, &r);
    for (int k = 0; k < SYNTHETIC; k++) { /* ratios within a factor of a few */
        s.exact[k] = s.estimate[k] * pow(s.exact[k] / s.estimate[k], 0.05);
        s.weight[k] = 1. / s.exact[k];
    }
    assert_int_equal(bg_learned_bound(&s.sample, 1, &scale, found, NULL), BG_OK);
    assert_bounded(largest_ratio(&s, found) - 1., 0.05, "largest ratio where the form is there");
    for (int k = 0; k < SYNTHETIC; k++) s.exact[k] *= 1. + 0.5 * sin(3. * s.u[FEW * k]) * sin(2. * s.u[FEW * k + 1]);
    assert_int_equal(bg_learned_bound(&s.sample, 1, &scale, found, NULL), BG_OK);
    assert_int_equal(bg_learned_bound(&s.sample, 3, &scale, again, NULL), BG_OK);
    assert_memory_equal(found, again, sizeof found);
    assert_int_equal(bg_learned_fit(&s.sample, &settings, &scale, usual, NULL), BG_OK);
    assert_true(largest_ratio(&s, found) < largest_ratio(&s, usual));
    s.exact[7] = -1.;
    assert_refused(bg_learned_bound(&s.sample, 1, &scale, found, &error), &error, BG_ERROR_POINT, "point 7|positive");
}

static void bad_samples_are_refused(void **state)
{
    (void)state;
    random_source r = fresh_source(809);
    static synthetic s;
    double scale, found[FEW_COEFFICIENTS];
    bg_learned_settings settings = bg_learned_defaults();
    bg_error error;
    synthetic_create(&s, &r);
    s.sample.points = FEW_COEFFICIENTS - 1;
    assert_refused(bg_learned_fit(&s.sample, &settings, &scale, found, &error), &error, BG_ERROR_ARGUMENT,
                   "20 points|21 coefficients");
    s.sample.points = SYNTHETIC;
    s.exact[7] = -1.;
    assert_refused(bg_learned_fit(&s.sample, &settings, &scale, found, &error), &error, BG_ERROR_POINT,
                   "point 7|-1|positive");
    s.exact[7] = 1.;
    s.u[FEW * 9 + 2] = INFINITY;
    assert_refused(bg_learned_fit(&s.sample, &settings, &scale, found, &error), &error, BG_ERROR_POINT,
                   "logarithm 2|point 9|finite");
    for (int k = 0; k < SYNTHETIC; k++) s.u[FEW * k + 2] = s.u[FEW * k + 1]; /* two that are one */
    settings.ridge = 0.;
    assert_refused(bg_learned_fit(&s.sample, &settings, &scale, found, &error), &error, BG_ERROR_POINT,
                   "400 points|21 coefficients|1e-14");
    settings.ridge = 1e-4;
    assert_int_equal(bg_learned_fit(&s.sample, &settings, &scale, found, &error), BG_OK);
    settings.rounds = 0;
    assert_refused(bg_learned_fit(&s.sample, &settings, &scale, found, &error), &error, BG_ERROR_ARGUMENT,
                   "rounds = 0|1 or more");
    settings = bg_learned_defaults();
    settings.share = 2.;
    assert_refused(bg_learned_fit(&s.sample, &settings, &scale, found, &error), &error, BG_ERROR_ARGUMENT,
                   "share = 2|at most 1");
    memset(s.weight, 0, sizeof s.weight);
    settings = bg_learned_defaults();
    assert_refused(bg_learned_fit(&s.sample, &settings, &scale, found, &error), &error, BG_ERROR_POINT,
                   "all 400 points|weight 0");
}

/* However far from the points of the fit, the factor stays in its range. */
static void factor_is_cut(void **state)
{
    (void)state;
    enum { COEFFICIENTS = 21 };
    random_source r = fresh_source(810);
    const bg_subprocess process = subprocess_of("u g > u g");
    double momenta[16], coefficient[COEFFICIENTS] = {0.};
    station s;
    assert_int_equal(learned_coefficients(learned_invariants(4)), COEFFICIENTS);
    assert_int_equal(learned_invariants(6), 14);
    assert_int_equal(learned_coefficients(20), 231);
    assert_int_equal(learned_coefficients(learned_most_numbers(6)), 325);
    station_create(&s, &process, 0, 1);
    random_cut_point(&r, 2, 1000., momenta);
    (void)value_of(&s, momenta);
    const double f[] = {-50., -0.5, 0., 1., 50.}, cut[] = {-1., -0.5, 0., 1., 1.2};
    for (size_t k = 0; k < COUNT(f); k++) {
        coefficient[0] = f[k];
        assert_relative(bg_lane(learned_factor(&s.plan, &s.table, coefficient, s.u, 1), 0), exp(cut[k]), 1e-14,
                        "factor at f = %g", f[k]);
    }
    station_destroy(&s);
}

/* |M|^2 of many points, momenta by leg. */
static void exact_values(const bg_subprocess *process, int points, const double *momenta, double *exact)
{
    const bg_options options = default_options();
    oracle o;
    if (!process->lines) {
        evaluate(process->n_out, &options, 0, (size_t)points, momenta, exact, NULL);
        return;
    }
    oracle_create(&o, process, -1);
    for (int k = 0; k < points; k++) exact[k] = oracle_me2(&o, alpha_s, momenta + 4 * k * process->n);
    oracle_destroy(&o);
}

/* 2 -> 4: half of the points to learn from, the other half to see what it is good for. */
static void check_learned(const char *text)
{
    enum { POINTS = 1000, HALF = POINTS / 2, INVARIANTS = 14, COEFFICIENTS = 120 };
    static double u[POINTS * INVARIANTS], exact[POINTS], estimate[POINTS], weight[POINTS], before[HALF], after[HALF];
    random_source r = fixed_source(811);
    const bg_subprocess process = subprocess_of(text);
    const bg_learned_settings settings = bg_learned_defaults();
    double *momenta = random_cut_points(&r, 4, 1000., POINTS), scale, coefficient[COEFFICIENTS];
    station s;
    station_create(&s, &process, 0, 1);
    exact_values(&process, POINTS, momenta, exact);
    for (int k = 0; k < POINTS; k++) {
        estimate[k] = value_of(&s, momenta + 24 * k);
        weight[k] = 1. / estimate[k]; /* as if points were drawn with E */
        learned_logarithms(&s.plan, &s.table, s.u, 1);
        for (int i = 0; i < INVARIANTS; i++) u[INVARIANTS * k + i] = bg_lane(s.u[i], 0);
    }
    const bg_learned_sample sample = {HALF, INVARIANTS, u, exact, estimate, weight};
    assert_int_equal(bg_learned_fit(&sample, &settings, &scale, coefficient, NULL), BG_OK);
    double mean = 0.;
    for (int k = 0; k < HALF; k++) {
        const double E = scale * value_of(&s, momenta + 24 * (HALF + k));
        before[k] = exact[HALF + k] / E;
        after[k] = before[k] / bg_lane(learned_factor(&s.plan, &s.table, coefficient, s.u, 1), 0);
        mean += after[k] / HALF;
    }
    if (getenv("BLOCKGEN_TEST_VERBOSE"))
        printf("%s: spread of |M|^2 / E %.4f, with the learned factor %.4f, mean %.4f\n", text, spread_of(before, HALF),
               spread_of(after, HALF), mean);
    assert_bounded(spread_of(after, HALF), 0.7 * spread_of(before, HALF), "spread with the learned factor, %s", text);
    assert_bounded(mean - 1., 0.1, "mean of |M|^2 / E' - 1, %s", text);
    station_destroy(&s);
    free(momenta);
}

static void factor_brings_estimate_closer(void **state)
{
    (void)state;
    check_learned("g g > g g g g");
    check_learned("u g > u g g g");
    check_learned("u d > u d g g");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(estimate_is_sum_over_orders),
        cmocka_unit_test(few_legs_are_exact),
        cmocka_unit_test(more_legs_are_close),
        cmocka_unit_test(equal_partons_are_equal),
        cmocka_unit_test(estimates_are_positive),
        cmocka_unit_test(doubles_are_enough),
        cmocka_unit_test(powers_are_powers),
        cmocka_unit_test(most_legs),
        cmocka_unit_test(many_lines_are_refused),
        cmocka_unit_test(quadratic_form_is_found),
        cmocka_unit_test(largest_ratios_are_small),
        cmocka_unit_test(bad_samples_are_refused),
        cmocka_unit_test(factor_is_cut),
        cmocka_unit_test(factor_brings_estimate_closer),
    };
    return cmocka_run_group_tests_name("estimate", tests, NULL, NULL);
}
