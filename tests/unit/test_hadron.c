/* Phase space of two protons: the map of the symmetric pair against quadrature and against flat phase space, regions of
 * partons that are not alike, and the cuts.
 *
 * Flat phase space is RAMBO at a partonic energy that is drawn together with the rapidity of its center of mass,
 *     sigma = int dtau/tau dY  F(x1) F(x2) / (2 s)  V_n(s) <|M|^2> :
 * it shares no formula with the map.
 */
#define BG_LANES 4
#include "support.h"
#include "hadron_scalar.h"
#include "phasespace/region.h"
#include "phasespace/symmetric.h"
#include "phasespace/rambo.h"

/* ---- points ---------------------------------------------------------------------------------------------------- */

typedef struct setup {
    int n;
    double sqrts;
    bg_cuts cuts;
    bg_jet_cuts jets;
    double power; /* |M|^2 = HT^-power */
} setup;

/* F(x) = x f(x), like that of gluons. */
static double density(double x) { return x > 0. && x < 1. ? pow(x, -0.3) * pow(1. - x, 5.) : 0.; }

/* What is measured at a point [n][4] besides 1: anything, also different for each leg. */
typedef double observable(const setup *s, const double *p);

enum { OBSERVABLES = 6 };

typedef struct means {
    double points, sum[OBSERVABLES + 1], sum2[OBSERVABLES + 1];
} means;

static double transverse(const double *p) { return hypot(p[1], p[2]); }
static double rapidity(const double *p) { return 0.5 * log((p[0] + p[3]) / (p[0] - p[3])); }

static double strength(const setup *s, const double *p)
{
    double ht = 0.;
    for (int k = 0; k < s->n; k++) ht += transverse(p + 4 * k);
    return pow(ht, -s->power);
}

static void add(means *m, const setup *s, const double *p, double w, observable *const *o, int count)
{
    m->points += 1.;
    if (!(w > 0.)) return;
    for (int k = 0; k <= count; k++) {
        const double value = k ? w * o[k - 1](s, p) : w;
        m->sum[k] += value;
        m->sum2[k] += value * value;
    }
}

static double mean_of(const means *m, int k) { return m->sum[k] / m->points; }
static double error_of(const means *m, int k)
{
    const double mean = mean_of(m, k);
    return sqrt((m->sum2[k] / m->points - mean * mean) / m->points);
}

/* Two measurements of the same thing agree within so many standard deviations. */
static void expect_same(const char *what, int n, const means *a, const means *b, int count, double sigmas)
{
    for (int k = 0; k <= count; k++) {
        const double error = hypot(error_of(a, k), error_of(b, k)), off = mean_of(a, k) - mean_of(b, k);
        if (!(fabs(off) <= sigmas * error))
            fail_msg("%s, n = %d, observable %d: %g +- %g and %g +- %g", what, n, k, mean_of(a, k), error_of(a, k),
                     mean_of(b, k), error_of(b, k));
        print_message("%s n=%d o=%d: %.5g(%.2g%%) %.5g(%.2g%%) %.2f sigma\n", what, n, k, mean_of(a, k),
                      100 * error_of(a, k) / fabs(mean_of(a, k)), mean_of(b, k),
                      100 * error_of(b, k) / fabs(mean_of(b, k)), off / error);
    }
}

static setup usual(int n, double power)
{
    const setup s = {n, 2000., {30., 2.5, 0.4, 0., 0.}, {{0., 0., 0., 0.}, 0., 0., 0., 0., 0., 0.}, power};
    return s;
}

/* Flat phase space. */
static means run_flat(const setup *s, uint64_t seed, int points, observable *const *o, int count)
{
    means m = {0};
    random_source r = fixed_source(seed);
    const double S = s->sqrts * s->sqrts, least = s->n * s->cuts.pt_min / s->sqrts, range = -2. * log(least);
    for (int i = 0; i < points; i++) {
        double in[4 * (2 + MOST_OUT)], *p = in + 8;
        const double log_tau = -range * uniform(&r, 0., 1.), tau = exp(log_tau);
        const double Y = 0.5 * log_tau * uniform(&r, -1., 1.), energy = sqrt(tau * S);
        random_point(&r, s->n, energy, in);
        for (int k = 0; k < s->n; k++) {
            const double e = p[4 * k], z = p[4 * k + 3];
            p[4 * k] = e * cosh(Y) + z * sinh(Y);
            p[4 * k + 3] = z * cosh(Y) + e * sinh(Y);
        }
        double w = 0.;
        if (scalar_cuts(s->n, &s->cuts, &s->jets, p))
            w = 0.3893793721e9 * range * -log_tau * density(sqrt(tau) * exp(Y)) * density(sqrt(tau) * exp(-Y)) /
                (2. * energy * energy) * rambo_volume(s->n, energy) * strength(s, p);
        add(&m, s, p, w, o, count);
    }
    return m;
}

/* Points of the map. `regions` may be NULL: all partons are alike. */
typedef struct mapped {
    symmetric map;
    symmetric_table table;
    const bg_regions *regions;
    uint64_t seed;
} mapped;

static mapped mapped_create(const setup *s, const bg_regions *regions, uint64_t seed)
{
    mapped m = {.map = symmetric_create(s->n, s->sqrts, &s->cuts, &s->jets), .regions = regions, .seed = seed};
    bg_symmetric_uniform(&m.table);
    return m;
}

/* Numbers of as many events as there are lanes. */
static void draw(const mapped *m, int n, uint64_t first, uint64_t *event, real *x)
{
    for (int l = 0; l < BG_LANES; l++) event[l] = first + (uint64_t)l;
    bg_random_lanes(m->seed, event, 0, BG_STREAM_PHASE_SPACE, symmetric_numbers(n), x);
}

static void copy_lane(const vec4 *p, int lane, double *to)
{
    to[0] = bg_lane(p->t, lane);
    to[1] = bg_lane(p->x, lane);
    to[2] = bg_lane(p->y, lane);
    to[3] = bg_lane(p->z, lane);
}

static means run_map(const setup *s, const mapped *g, int points, observable *const *o, int count, int64_t *importance)
{
    means m = {0};
    for (int i = 0; i < points; i += BG_LANES) {
        real x[4 * MOST_OUT], x1, x2;
        vec4 p[MOST_OUT];
        uint64_t event[BG_LANES];
        uint8_t cell[MOST_OUT * BG_LANES];
        draw(g, s->n, (uint64_t)i, event, x);
        const real weight = symmetric_generate(s->n, &g->map, &g->table, x, p, &x1, &x2, cell);
        const mask pass = cuts_pass(s->n, &s->cuts, &s->jets, p);
        for (int l = 0; l < BG_LANES; l++) {
            double legs[4 * MOST_OUT] = {0.}, w = bg_lane(bg_select(pass, weight, bg_real(0.)), l);
            bg_region region = {region_plain(), 0, 1.};
            if (g->regions) region = region_choose(g->regions, 0, g->seed, event[l]);
            for (int k = 0; k < s->n; k++) copy_lane(&p[k], l, legs + 4 * region_leg(region.order, k));
            if (w > 0.) w *= region.factor * density(bg_lane(x1, l)) * density(bg_lane(x2, l)) * strength(s, legs);
            add(&m, s, legs, w, o, count);
            for (int k = 0; importance && w > 0. && k < s->n - 2; k++)
                if (cell[k * BG_LANES + l] != BG_SYMMETRIC_NONE)
                    importance[k * BG_SYMMETRIC_CELLS + cell[k * BG_LANES + l]] += (int64_t)(1e6 * w * w);
        }
    }
    return m;
}

/* ---- quadrature ----------------------------------------------------------------------------------------------- */

enum { NODES = 24, PANELS = 8 };

static void gauss(double *node, double *weight)
{
    for (int k = 0; k < NODES; k++) {
        double x = cos(PI * (k + 0.75) / (NODES + 0.5)), slope = 0.;
        for (int step = 0; step < 100; step++) {
            double a = 1., b = x;
            for (int j = 2; j <= NODES; j++) {
                const double c = ((2 * j - 1) * x * b - (j - 1) * a) / j;
                a = b;
                b = c;
            }
            slope = NODES * (x * b - a) / (x * x - 1.);
            const double move = b / slope;
            x -= move;
            if (fabs(move) < 1e-15) break;
        }
        node[k] = x;
        weight[k] = 2. / ((1. - x * x) * slope * slope);
    }
}

typedef double integrand(const setup *s, double pt, double star, double from, double to);

/* An integral from a to b in equal panels, of a function of one more variable. */
typedef struct line {
    double node[NODES], weight[NODES];
} line;

/* sigma of two partons: pT, y* = (y1 - y2)/2 and Y = (y1 + y2)/2, within the cuts and x < 1. */
static double quadrature(const setup *s)
{
    line g;
    gauss(g.node, g.weight);
    double sum = 0.;
    const double log_low = log(s->cuts.pt_min), log_high = log(0.5 * s->sqrts);
    for (int i = 0; i < PANELS * NODES; i++) {
        const double width = (log_high - log_low) / PANELS;
        const double pt = exp(log_low + width * (i / NODES + 0.5 + 0.5 * g.node[i % NODES]));
        const double reach = fmin(s->cuts.eta_max, acosh(0.5 * s->sqrts / pt));
        double of_pt = 0.;
        for (int j = 0; j < PANELS * NODES; j++) { /* symmetric in y* */
            const double piece = reach / PANELS, star = piece * (j / NODES + 0.5 + 0.5 * g.node[j % NODES]);
            const double root = 2. * pt / s->sqrts * cosh(star); /* sqrt(tau) */
            const double most = fmin(s->cuts.eta_max - star, -log(root)), shat = root * root * s->sqrts * s->sqrts;
            double of_star = 0.;
            for (int k = 0; k < NODES; k++) { /* symmetric in Y */
                const double Y = 0.5 * most * (1. + g.node[k]);
                of_star += 0.5 * most * g.weight[k] * density(root * exp(Y)) * density(root * exp(-Y));
            }
            of_pt += 2. * 2. * 0.5 * piece * g.weight[j % NODES] * of_star / (shat * shat);
        }
        /* dy1 dy2 = 2 dy* dY; d^2pT = 2 pi pT^2 dlog(pT) */
        sum += 0.5 * width * g.weight[i % NODES] * 2. * PI * pt * pt * 2. * of_pt * pow(2. * pt, -s->power);
    }
    return 0.3893793721e9 / (4. * PI * PI) / 4. * sum;
}

static void two_partons_agree_with_quadrature(void **state)
{
    (void)state;
    const double eta[] = {5., 2.5};
    for (int k = 0; k < 2; k++) {
        setup s = usual(2, 0.);
        s.sqrts = 13600.;
        s.cuts.eta_max = eta[k];
        const double exact = quadrature(&s);
        const mapped g = mapped_create(&s, NULL, 7);
        const means m = run_map(&s, &g, effort_of(2000000, 20000), NULL, 0, NULL);
        print_message("quadrature %.8g map %.8g +- %.2g\n", exact, mean_of(&m, 0), error_of(&m, 0));
        assert_true(fabs(mean_of(&m, 0) - exact) <= 4. * error_of(&m, 0));
        assert_true(error_of(&m, 0) < 1e-3 * exact * sqrt(2e6 / m.points));
    }
}

/* ---- flat phase space ------------------------------------------------------------------------------------------ */

/* Symmetric in all legs. */
static double spread(const setup *s, const double *p)
{
    double sum = 0.;
    for (int k = 0; k < s->n; k++) sum += rapidity(p + 4 * k) * rapidity(p + 4 * k);
    return sum / s->n;
}

static double forward(const setup *s, const double *p)
{
    double z = 0.;
    for (int k = 0; k < s->n; k++) z += p[4 * k + 3];
    return z / s->sqrts;
}

static double softest(const setup *s, const double *p)
{
    double least = s->sqrts;
    for (int k = 0; k < s->n; k++) least = fmin(least, transverse(p + 4 * k));
    return least;
}

/* The transverse sum of all but the two hardest partons is more than twice the third: there the condition on the pair has two
 * solutions. */
static double balanced(const setup *s, const double *p)
{
    int order[MOST_OUT];
    for (int k = 0; k < s->n; k++) {
        int j = k;
        for (; j > 0 && transverse(p + 4 * order[j - 1]) < transverse(p + 4 * k); j--) order[j] = order[j - 1];
        order[j] = k;
    }
    double x = 0., y = 0.;
    for (int k = 2; k < s->n; k++) {
        x += p[4 * order[k] + 1];
        y += p[4 * order[k] + 2];
    }
    if (s->n < 5 || hypot(x, y) < 2. * transverse(p + 4 * order[2])) return 0.;
    const double qx = 0.5 * (p[4 * order[0] + 1] - p[4 * order[1] + 1]),
                 qy = 0.5 * (p[4 * order[0] + 2] - p[4 * order[1] + 2]);
    return hypot(qx, qy) < 0.5 * hypot(x, y) ? 1. : 0.;
}

static observable *const all_alike[] = {spread, forward, softest, balanced};
enum { ALL_ALIKE = 4 };

/* Asymmetric: legs are told apart. */
static double first_pt(const setup *s, const double *p)
{
    (void)s;
    return transverse(p);
}
static double first_y2(const setup *s, const double *p)
{
    (void)s;
    return rapidity(p) * rapidity(p);
}
static double last_pt(const setup *s, const double *p) { return transverse(p + 4 * (s->n - 1)); }
static double first_harder(const setup *s, const double *p)
{
    int harder = 0;
    for (int k = 1; k < s->n; k++) harder += transverse(p + 4 * k) > transverse(p);
    return harder;
}
static double distance(const setup *s, const double *p)
{
    (void)s;
    const double dphi = fabs(atan2(p[2], p[1]) - atan2(p[6], p[5]));
    return hypot(rapidity(p) - rapidity(p + 4), dphi > PI ? 2. * PI - dphi : dphi);
}
static double ordered(const setup *s, const double *p)
{
    for (int k = 1; k < s->n; k++)
        if (transverse(p + 4 * k) > transverse(p + 4 * k - 4)) return 0.;
    return 1.;
}

static observable *const told_apart[] = {first_pt, first_y2, last_pt, first_harder, distance, ordered};
enum { TOLD_APART = 6 };

static void map_agrees_with_flat_phase_space(void **state)
{
    (void)state;
    for (int n = 2; n <= 5; n++) {
        for (int power = 0; power < 2; power++) {
            setup s = usual(n, power * 2. * (n - 2));
            const mapped g = mapped_create(&s, NULL, 100 + (uint64_t)n);
            const means flat = run_flat(&s, 200 + (uint64_t)n, effort_of(400000, 20000), all_alike, n < 5 ? 3 : 4);
            const means map = run_map(&s, &g, effort_of(400000, 20000), all_alike, n < 5 ? 3 : 4, NULL);
            expect_same("map and flat", n, &map, &flat, n < 5 ? 3 : 4, 4.5);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_partons_agree_with_quadrature),
        cmocka_unit_test(map_agrees_with_flat_phase_space),
    };
    (void)told_apart;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
