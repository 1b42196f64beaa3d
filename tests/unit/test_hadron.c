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
#include "phasespace/grid.h"
#include "phasespace/symmetric.h"

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
    const double S = s->sqrts * s->sqrts, least = s->n * cuts_least_pt(&s->cuts, &s->jets, s->n, s->n - 1) / s->sqrts,
                 range = -2. * log(least);
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

/* Points of the map. Without regions and casts all partons are alike. */
typedef struct mapped {
    symmetric map;
    symmetric_table table;
    channel_grid grid;
    const bg_regions *regions; /* NULL: none */
    const bg_casting *casting; /* NULL: none */
    uint64_t seed;
    int64_t importance[BG_MAX_DIMENSIONS][BG_GRID_BINS], direction[BG_SYMMETRIC_SOFT][BG_SYMMETRIC_CELLS];
} mapped;

static mapped *mapped_create(const setup *s, const bg_regions *regions, uint64_t seed)
{
    const bg_subprocess process = bg_subprocess_gluons(s->n);
    mapped *m = calloc(1, sizeof *m);
    assert_non_null(m);
    m->map = symmetric_create(s->n, s->sqrts, &s->cuts, &s->jets);
    m->regions = regions;
    m->seed = seed;
    bg_symmetric_uniform(&m->table);
    bg_grid_uniform(&m->grid, &process, 0);
    return m;
}

static void copy_lane(const vec4 *p, int lane, double *to)
{
    to[0] = bg_lane(p->t, lane);
    to[1] = bg_lane(p->x, lane);
    to[2] = bg_lane(p->y, lane);
    to[3] = bg_lane(p->z, lane);
}

/* Numbers of consecutive events, one a lane, through the grid; returns the jacobian. */
static real draw(const mapped *m, int n, uint64_t first, uint64_t *event, real *x, uint8_t *bin)
{
    for (int l = 0; l < BG_LANES; l++) event[l] = first + (uint64_t)l;
    bg_random_lanes(m->seed, event, 0, BG_STREAM_PHASE_SPACE, symmetric_numbers(n), x);
    return channel_warp(symmetric_adaptive(n), &m->grid, x, bin);
}

/* What a point tells the grid and the histograms of directions. `scale`: a typical weight. */
static void learn(mapped *g, int n, double w, double scale, const uint8_t *bin, const uint8_t *cell, int lane)
{
    const int64_t importance = (int64_t)(4096. * fmin(w * w / (scale * scale), 1e9));
    for (int d = 0; d < symmetric_adaptive(n); d++) g->importance[d][bin[d * BG_LANES + lane]] += importance;
    for (int k = 0; k < n - 2; k++) g->direction[k][cell[k * BG_LANES + lane]] += importance;
}

static void choose_casts(const mapped *g, int n, const uint64_t *event, const vec4 *p, bg_region *cast)
{
    real u;
    bg_random_lanes(g->seed, event, 0, BG_STREAM_REGION, 1, &u);
    for (int l = 0; l < BG_LANES; l++) cast[l] = region_alike();
    const real factor = casting_choose(g->casting, n, p, u, cast);
    for (int l = 0; l < BG_LANES; l++) cast[l].factor = bg_lane(factor, l);
}

/* scale > 0: learns. */
static means run_map(const setup *s, mapped *g, uint64_t first, int points, observable *const *o, int count,
                     double scale)
{
    means m = {0};
    for (int i = 0; i < points; i += BG_LANES) {
        real x[4 * MOST_OUT], x1, x2;
        vec4 p[MOST_OUT];
        uint64_t event[BG_LANES];
        uint8_t cell[MOST_OUT * BG_LANES], bin[BG_MAX_DIMENSIONS * BG_LANES];
        const real jacobian = draw(g, s->n, first + (uint64_t)i, event, x, bin);
        const real weight = jacobian * symmetric_generate(s->n, &g->map, &g->table, x, p, &x1, &x2, cell);
        const mask pass = cuts_pass(s->n, &s->cuts, &s->jets, p);
        bg_region cast[BG_LANES];
        if (g->casting) choose_casts(g, s->n, event, p, cast);
        for (int l = 0; l < BG_LANES; l++) {
            double legs[4 * MOST_OUT] = {0.}, w = bg_lane(bg_select(pass, weight, bg_real(0.)), l);
            const bg_region region = g->casting   ? cast[l]
                                     : g->regions ? region_choose(g->regions, 0, g->seed, event[l])
                                                  : region_alike();
            for (int k = 0; k < s->n; k++) copy_lane(&p[k], l, legs + 4 * region_leg(region.order, k));
            if (w > 0.) w *= region.factor * density(bg_lane(x1, l)) * density(bg_lane(x2, l)) * strength(s, legs);
            add(&m, s, legs, w, o, count);
            if (scale > 0. && w > 0.) learn(g, s->n, w, scale, bin, cell, l);
        }
    }
    return m;
}

/* Iterations that only adapt; returns the events that they used. */
static uint64_t adapt(const setup *s, mapped *g, int iterations, int points)
{
    uint64_t first = 0;
    double scale = error_of((means[]){run_map(s, g, 1u << 30, 4000, NULL, 0, 0.)}, 0) * sqrt(4000.);
    for (int i = 0; i < iterations; i++) {
        const means m = run_map(s, g, first, points, NULL, 0, scale);
        first += (uint64_t)points;
        scale = error_of(&m, 0) * sqrt(m.points);
        const double mean = mean_of(&m, 0);
        const bg_learning how = {.power = 2, .points = m.points * mean * mean / (mean * mean + scale * scale)};
        bg_grid_adapt(&g->grid, symmetric_adaptive(s->n), symmetric_adaptive(s->n), g->importance[0], how);
        bg_symmetric_adapt(&g->table, s->n - 2, g->direction[0], how);
        assert_true(bg_symmetric_is_sound(&g->table));
        memset(g->importance, 0, sizeof g->importance);
        memset(g->direction, 0, sizeof g->direction);
    }
    return first;
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

/* sigma of two partons: pT, y* = (y1 - y2)/2 and Y = (y1 + y2)/2, within the cuts and x < 1. */
static double quadrature(const setup *s)
{
    double node[NODES], part[NODES];
    gauss(node, part);
    double sum = 0.;
    const double log_low = log(s->cuts.pt_min), log_high = log(0.5 * s->sqrts);
    for (int i = 0; i < PANELS * NODES; i++) {
        const int panel = i / NODES;
        const double width = (log_high - log_low) / PANELS;
        const double pt = exp(log_low + width * (panel + 0.5 + 0.5 * node[i % NODES]));
        const double reach = fmin(s->cuts.eta_max, acosh(0.5 * s->sqrts / pt));
        double of_pt = 0.;
        for (int j = 0; j < PANELS * NODES; j++) { /* symmetric in y* */
            const int at = j / NODES;
            const double piece = reach / PANELS, star = piece * (at + 0.5 + 0.5 * node[j % NODES]);
            const double root = 2. * pt / s->sqrts * cosh(star); /* sqrt(tau) */
            const double most = fmin(s->cuts.eta_max - star, -log(root)), shat = root * root * s->sqrts * s->sqrts;
            double of_star = 0.;
            for (int k = 0; k < NODES; k++) { /* symmetric in Y */
                const double Y = 0.5 * most * (1. + node[k]);
                of_star += 0.5 * most * part[k] * density(root * exp(Y)) * density(root * exp(-Y));
            }
            of_pt += 2. * 2. * 0.5 * piece * part[j % NODES] * of_star / (shat * shat);
        }
        /* dy1 dy2 = 2 dy* dY; d^2pT = 2 pi pT^2 dlog(pT) */
        sum += 0.5 * width * part[i % NODES] * 2. * PI * pt * pt * 2. * of_pt * pow(2. * pt, -s->power);
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
        mapped *g = mapped_create(&s, NULL, 7);
        const uint64_t first = adapt(&s, g, 6, effort_of(40000, 10000));
        const means m = run_map(&s, g, first, effort_of(1000000, 20000), NULL, 0, 0.);
        free(g);
        if (!(fabs(mean_of(&m, 0) - exact) <= 4. * error_of(&m, 0)))
            fail_msg("|eta| < %g: %.8g +- %.2g, by quadrature %.8g", eta[k], mean_of(&m, 0), error_of(&m, 0), exact);
        assert_true(error_of(&m, 0) < 1e-3 * exact * sqrt(1e6 / m.points));
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

/* Whether the two hardest partons differ by less than the smaller solution of the condition that they be harder than the third
 * (symmetric.h): it takes three soft partons that balance them together. */
static double between(const setup *s, const double *p)
{
    int order[MOST_OUT];
    for (int k = 0; k < s->n; k++) {
        int j = k;
        for (; j > 0 && transverse(p + 4 * order[j - 1]) < transverse(p + 4 * k); j--) order[j] = order[j - 1];
        order[j] = k;
    }
    const double *a = p + 4 * order[0], *b = p + 4 * order[1], h = transverse(p + 4 * order[2]);
    const double kx = a[1] + b[1], ky = a[2] + b[2], qx = 0.5 * (a[1] - b[1]), qy = 0.5 * (a[2] - b[2]);
    const double k = hypot(kx, ky), q = hypot(qx, qy), along = fabs(kx * qx + ky * qy) / q;
    const double root2 = along * along - k * k + 4. * h * h;
    return k > 2. * h && root2 > 0. && q < 0.5 * along ? 1. : 0.;
}

static observable *const all_alike[] = {spread, forward, softest, between};
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
/* The first three legs in the order of their pT. */
static double ordered(const setup *s, const double *p)
{
    for (int k = 1; k < s->n && k < 3; k++)
        if (transverse(p + 4 * k) > transverse(p + 4 * k - 4)) return 0.;
    return 1.;
}

static observable *const told_apart[] = {first_pt, first_y2, last_pt, first_harder, distance, ordered};
enum { TOLD_APART = 6 };

static void map_agrees_with_flat_phase_space(void **state)
{
    (void)state;
    for (int n = 2; n <= 5; n++)
        for (int falling = 0; falling < 2; falling++) {
            const setup s = usual(n, falling ? 2. * (n - 2) : 0.);
            const int count = n < 5 ? ALL_ALIKE - 1 : ALL_ALIKE;
            mapped *g = mapped_create(&s, NULL, 100 + (uint64_t)n);
            const means flat = run_flat(&s, 200 + (uint64_t)n, effort_of(300000, 20000), all_alike, count);
            const means map = run_map(&s, g, 0, effort_of(300000, 20000), all_alike, count, 0.);
            expect_same("map and flat phase space", n, &map, &flat, count, 4.);
            const uint64_t first = adapt(&s, g, 4, effort_of(40000, 10000));
            const means learned = run_map(&s, g, first, effort_of(300000, 20000), all_alike, count, 0.);
            expect_same("learned map and flat phase space", n, &learned, &flat, count, 4.);
            if (test_effort() >= 1.) assert_true(error_of(&learned, 0) < error_of(&map, 0));
            free(g);
        }
}

/* Other cuts, which change where the map begins: its points are still all of phase space. */
static void map_follows_the_cuts(void **state)
{
    (void)state;
    const struct {
        bg_cuts cuts;
        bg_jet_cuts jets;
    } some[] = {
        {{20., 2.5, 0.2, 0., 0.},
         {.leading_pt_min = {100., 0., 40., 0.}, .pt_max = 600., .kt_min = 15., .kt_radius = 0.7}},
        {{30., 0., 0.05, 0., 0.}, {.pt_max = 0.}},
        {{30., 3., 0., 20., 200.}, {.mass_max = 1000.}},
        {{0., 4., 0., 0., 0.}, {.kt_min = 30.}},
    };
    for (size_t k = 0; k < sizeof some / sizeof *some; k++)
        for (int n = 3; n <= 4; n++) {
            setup s = usual(n, 2.);
            s.cuts = some[k].cuts;
            s.jets = some[k].jets;
            mapped *g = mapped_create(&s, NULL, 31);
            const means flat = run_flat(&s, 32, effort_of(200000, 20000), all_alike, 3);
            const means map = run_map(&s, g, 0, effort_of(200000, 20000), all_alike, 3, 0.);
            expect_same("map and flat phase space with other cuts", n, &map, &flat, 3, 4.);
            free(g);
        }
}

/* Momenta of every point: massless, the pair harder than all others, soft ones ordered, momentum conserved with x1 and x2. */
static void points_are_physical(void **state)
{
    (void)state;
    for (int n = 2; n <= BG_MAX_OUT_DRESSED; n++) {
        setup s = usual(n, 0.);
        s.sqrts = 13600.;
        s.cuts.eta_max = 5.;
        mapped *g = mapped_create(&s, NULL, 3);
        int inside = 0;
        for (int i = 0; i < effort_of(20000, 2000); i += BG_LANES) {
            real x[4 * MOST_OUT], x1, x2;
            vec4 p[MOST_OUT];
            uint64_t event[BG_LANES];
            uint8_t cell[MOST_OUT * BG_LANES], bin[BG_MAX_DIMENSIONS * BG_LANES];
            (void)draw(g, n, (uint64_t)i, event, x, bin);
            const real weight = symmetric_generate(n, &g->map, &g->table, x, p, &x1, &x2, cell);
            for (int l = 0; l < BG_LANES; l++) {
                if (!(bg_lane(weight, l) > 0.)) {
                    assert_true(bg_lane(weight, l) == 0.);
                    continue;
                }
                double q[4 * MOST_OUT], sum[4] = {0.}, last = INFINITY;
                inside++;
                for (int k = 0; k < n; k++) {
                    copy_lane(&p[k], l, q + 4 * k);
                    for (int c = 0; c < 4; c++) sum[c] += q[4 * k + c];
                    assert_true(fabs(minkowski(q + 4 * k, q + 4 * k)) <= 1e-12 * q[4 * k] * q[4 * k]);
                    assert_true(transverse(q + 4 * k) >= 30. * (1. - 1e-12));
                    assert_true(fabs(rapidity(q + 4 * k)) <= 5. * (1. + 1e-9));
                    if (k < n - 2) {
                        assert_true(transverse(q + 4 * k) <= last * (1. + 1e-12));
                        last = transverse(q + 4 * k);
                    }
                }
                const double hardest = n > 2 ? transverse(q) : 0.;
                for (int k = n - 2; k < n; k++) assert_true(transverse(q + 4 * k) >= hardest * (1. - 1e-11));
                const double a = bg_lane(x1, l), b = bg_lane(x2, l), half = 0.5 * s.sqrts;
                assert_true(a > 0. && a <= 1. && b > 0. && b <= 1.);
                assert_true(fabs(sum[0] - (a + b) * half) <= 1e-12 * sum[0]);
                assert_true(fabs(sum[3] - (a - b) * half) <= 1e-12 * sum[0]);
                assert_true(hypot(sum[1], sum[2]) <= 1e-12 * sum[0]);
                assert_true(fabs(minkowski(sum, sum) / (a * b * s.sqrts * s.sqrts) - 1.) <= 1e-10);
            }
        }
        free(g);
        assert_true(inside > 500);
    }
}

/* A lane does not see the others, and does what a point alone does. */
static void lanes_agree_with_one_point(void **state)
{
    (void)state;
    for (int n = 2; n <= BG_MAX_OUT_DRESSED; n++) {
        const setup s = usual(n, 0.);
        mapped *g = mapped_create(&s, NULL, 4);
        for (int i = 0; i < 4000; i += BG_LANES) {
            real x[4 * MOST_OUT], x1, x2;
            vec4 p[MOST_OUT];
            uint64_t event[BG_LANES];
            uint8_t cell[MOST_OUT * BG_LANES], bin[BG_MAX_DIMENSIONS * BG_LANES];
            (void)draw(g, n, (uint64_t)i, event, x, bin);
            const real weight = symmetric_generate(n, &g->map, &g->table, x, p, &x1, &x2, cell);
            const mask pass = cuts_pass(n, &s.cuts, &s.jets, p);
            for (int l = 0; l < BG_LANES; l++) {
                double numbers[4 * MOST_OUT], momenta[4 * MOST_OUT], own[4 * MOST_OUT], fractions[2];
                uint8_t own_cell[MOST_OUT];
                for (int k = 0; k < symmetric_numbers(n); k++) numbers[k] = bg_lane(x[k], l);
                const double w = scalar_symmetric(n, &g->map, &g->table, numbers, own, fractions, own_cell);
                assert_true(fabs(w - bg_lane(weight, l)) <= 1e-9 * w);
                if (!(w > 0.)) continue;
                for (int k = 0; k < n; k++) copy_lane(&p[k], l, momenta + 4 * k);
                for (int k = 0; k < 4 * n; k++) assert_true(fabs(momenta[k] - own[k]) <= 1e-9 * momenta[k / 4 * 4]);
                for (int k = 0; k < n - 2; k++) assert_int_equal(cell[k * BG_LANES + l], own_cell[k]);
                assert_true(fabs(bg_lane(x1, l) - fractions[0]) <= 1e-10 * fractions[0]);
                assert_true(fabs(bg_lane(x2, l) - fractions[1]) <= 1e-10 * fractions[1]);
                assert_int_equal(scalar_cuts(n, &s.cuts, &s.jets, momenta) != 0,
                                 bg_lane(bg_select(pass, bg_real(1.), bg_real(0.)), l) > 0.5);
            }
        }
        free(g);
    }
}

/* ---- regions ------------------------------------------------------------------------------------------------------- */

/* Outgoing partons that are not all alike, and at the end some that are. */
static const struct {
    int n, pdg[2 + MOST_OUT], regions;
} processes[] = {
    {2, {2, 21, 2, 21}, 1},                  /* the pair has both */
    {3, {2, 21, 2, 21, 21}, 2},              /* the quark in the pair, or not */
    {4, {2, 21, 21, 2, 21, 21}, 3},          /* ... first or second of the soft ones */
    {3, {2, -2, 1, -1, 21}, 3},              /* which one is soft */
    {4, {21, 21, 2, -2, 1, -1}, 12},         /* 4!/2 */
    {5, {21, 21, 21, 2, -2, 1, -1}, 60},     /* 5!/2 */
    {6, {21, 21, 21, 2, -2, 1, -1, 21}, 38}, /* pair and first soft one: of all there would be 192 */
    {5, {21, 21, 21, 21, 2, 21, -2}, 13},    /* 6 with two gluons in the pair, 3 and 3 with one, 1 */
    {8, {2, 1, 21, 21, 2, 21, 1, 21, 21, 21}, 43},
    {12, {21, 21, 1, -1, 2, -2, 3, -3, 4, -4, 5, -5, 21, 21}, 56}, /* pairs of the most kinds that there are */
    {4, {21, 21, 21, 21, 21, 21}, 1},
};
enum { PROCESSES = sizeof processes / sizeof *processes };

static bg_subprocess process_of(int k)
{
    bg_subprocess s;
    bg_error error;
    if (bg_subprocess_create(&s, 2, processes[k].n, processes[k].pdg, &error) != BG_OK) fail_msg("%s", error.message);
    return s;
}

/* Probabilities that have nothing to do with anything. */
static void disturb(bg_regions *r, uint64_t seed)
{
    random_source source = fixed_source(seed);
    int64_t importance[BG_REGIONS];
    for (int k = 0; k < BG_REGIONS; k++) importance[k] = (int64_t)exp(uniform(&source, 3., 9.));
    bg_regions_adapt(r, importance);
}

/* All choices of legs together are covered once: each with its share, in expectation. */
static void regions_cover_all_choices(void **state)
{
    (void)state;
    for (int k = 0; k < PROCESSES; k++) {
        const bg_subprocess process = process_of(k);
        const int n = process.n_out, *pdg = process.pdg + 2;
        bg_regions r, fresh;
        bg_regions_create(&r, &process);
        fresh = r;
        double shares = 0.;
        assert_true(r.entries >= 1 && r.entries <= BG_REGIONS);
        if (processes[k].regions) assert_int_equal(r.entries, processes[k].regions);
        for (int e = 0; e < r.entries; e++) shares += r.share[e];
        assert_true(fabs(shares - 1.) < 1e-12);
        assert_true(bg_regions_are_sound(&r, &fresh));
        disturb(&r, 17);
        assert_true(bg_regions_are_sound(&r, &fresh));

        /* how often each kind is in each slot, weighted; the pair is one slot */
        enum { EVENTS = 40000 };
        double seen[MOST_OUT][MOST_OUT] = {{0.}}, seen2[MOST_OUT][MOST_OUT] = {{0.}};
        for (int e = 0; e < EVENTS; e++) {
            const bg_region c = region_choose(&r, e % 2, 5, (uint64_t)e);
            uint32_t legs = 0;
            for (int slot = 0; slot < n; slot++) {
                const int leg = region_leg(c.order, slot), of = slot < n - 2 ? slot : n - 2;
                legs |= 1u << leg;
                int kind = leg;
                for (int j = n; j-- > 0;)
                    if (pdg[j] == pdg[leg]) kind = j;
                seen[of][kind] += c.factor;
                seen2[of][kind] += c.factor * c.factor;
            }
            assert_int_equal(legs, (1u << n) - 1u);
        }
        for (int slot = 0; slot <= n - 2; slot++)
            for (int kind = 0; kind < n; kind++) {
                int count = 0, first = 1;
                for (int j = 0; j < n; j++) count += pdg[j] == pdg[kind];
                for (int j = 0; j < kind; j++) first &= pdg[j] != pdg[kind];
                if (!first) continue;
                const double expected = (slot < n - 2 ? 1. : 2.) * count / n;
                const double error = 2. * sqrt(seen2[slot][kind]) / EVENTS;
                if (!(fabs(seen[slot][kind] / EVENTS - expected) <= 5. * error + 1e-12))
                    fail_msg("process %d, slot %d, kind %d: %g +- %g, expected %g", k, slot, kind,
                             seen[slot][kind] / EVENTS, error, expected);
            }
    }
}

/* Legs that differ, in the map of two protons: as in flat phase space, whatever the probabilities. */
/* Sums over all cyclic orders of `nodes`, from the last one on: of all of them, and of those in which a and b are neighbors. */
static void sum_orders(int nodes, const double *pair, int a, int b, int at, unsigned left, double product, int linked,
                       double *all, double *of_both)
{
    const int start = nodes - 1;
    if (!left) {
        const double closed = product * pair[at * BG_CAST_NODES + start];
        *all += closed;
        if (linked || (at == a && start == b) || (at == b && start == a)) *of_both += closed;
        return;
    }
    for (int next = 0; next < start; next++)
        if (left >> next & 1u)
            sum_orders(nodes, pair, a, b, next, left ^ 1u << next, product * pair[at * BG_CAST_NODES + next],
                       linked || (at == a && next == b) || (at == b && next == a), all, of_both);
}

/* Every parton has two neighbors, about, and which ones is known to some ten percent. */
static void neighbors_are_those_of_all_orders(void **state)
{
    (void)state;
    const setup s = usual(4, 0.);
    mapped *g = mapped_create(&s, NULL, 31);
    double squares = 0., pairs = 0., counts = 0., partons = 0.;
    for (uint64_t event = 0; event < 200; event += BG_LANES) {
        real x[4 * MOST_OUT], x1, x2, pair[BG_CAST_NODES * BG_CAST_NODES], linked[BG_CAST_NODES * BG_CAST_NODES];
        vec4 p[MOST_OUT];
        uint64_t events[BG_LANES];
        uint8_t cell[MOST_OUT * BG_LANES], bin[BG_MAX_DIMENSIONS * BG_LANES];
        (void)draw(g, s.n, event, events, x, bin);
        const real weight = symmetric_generate(s.n, &g->map, &g->table, x, p, &x1, &x2, cell);
        casting_pairs(s.n, p, pair);
        memcpy(linked, pair, sizeof linked);
        casting_neighbors(s.n + 2, linked);
        if (!(bg_lane(weight, 0) > 0.)) continue;
        double inverse[BG_CAST_NODES * BG_CAST_NODES];
        for (int k = 0; k < BG_CAST_NODES * (s.n + 2); k++)
            if (k % BG_CAST_NODES < s.n + 2) inverse[k] = bg_lane(pair[k], 0);
        for (int a = 0; a < s.n + 2; a++) {
            double sum = 0.;
            for (int b = 0; b < s.n + 2; b++) {
                if (b == a) continue;
                double all = 0., of_both = 0.;
                const double found = bg_lane(linked[a * BG_CAST_NODES + b], 0);
                sum_orders(s.n + 2, inverse, a, b, s.n + 1, (1u << (s.n + 1)) - 1u, 1., 0, &all, &of_both);
                assert_true(found > 0. && found < 1.);
                sum += found;
                squares += (found - of_both / all) * (found - of_both / all);
                pairs += 1.;
            }
            counts += (sum - 2.) * (sum - 2.);
            partons += 1.;
        }
    }
    free(g);
    assert_true(pairs > 1000.);
    if (!(sqrt(squares / pairs) < 0.12) || !(sqrt(counts / partons) < 0.3))
        fail_msg("neighbors are off by %.3f, their number by %.3f", sqrt(squares / pairs), sqrt(counts / partons));
}

static void legs_are_told_apart(void **state)
{
    (void)state;
    for (int k = 0; k < 6; k++) {
        const bg_subprocess process = process_of(k);
        const setup s = usual(process.n_out, 2. * (process.n_out - 2));
        const int count = k == 0 ? 3 : k == 1 ? 2 : TOLD_APART; /* two have the same pT; gluons are alike */
        bg_regions r;
        bg_regions_create(&r, &process);
        if (k == 2) continue; /* its first leg is one of several gluons */
        disturb(&r, 18 + (uint64_t)k);
        mapped *g = mapped_create(&s, &r, 40 + (uint64_t)k);
        const means flat = run_flat(&s, 50 + (uint64_t)k, effort_of(200000, 20000), told_apart, count);
        const means map = run_map(&s, g, 0, effort_of(400000, 20000), told_apart, count, 0.);
        expect_same("regions and flat phase space", k, &map, &flat, count, 4.);
        bg_casting c;
        bg_casting_create(&c, &process);
        g->casting = &c;
        const means cast = run_map(&s, g, UINT64_C(1) << 32, effort_of(400000, 20000), told_apart, count, 0.);
        expect_same("casts and flat phase space", k, &cast, &flat, count, 4.);
        free(g);
    }
}

/* Casts: as many as there are ways, each leg once, and all of them together are as probable as they should be. */
static void casts_cover_all_choices(void **state)
{
    (void)state;
    static const struct {
        int process, casts, pairings;
    } expected[] = {{0, 2, 1},   {1, 3, 1},  {2, 4, 1},  {3, 6, 1}, {4, 24, 1}, {5, 120, 1},
                    {6, 360, 1}, {7, 20, 1}, {8, 56, 1}, {9, 0, 0}, {10, 0, 0}};
    for (size_t k = 0; k < sizeof expected / sizeof *expected; k++) {
        const bg_subprocess process = process_of(expected[k].process);
        const int n = process.n_out;
        bg_casting c;
        bg_casting_create(&c, &process);
        assert_int_equal(c.count, expected[k].casts);
        assert_int_equal(c.pairings, expected[k].pairings);
        if (!c.count) continue;
        const setup s = usual(n, 0.);
        mapped *g = mapped_create(&s, NULL, 70 + k);
        g->casting = &c;
        real x[4 * MOST_OUT], x1, x2;
        vec4 p[MOST_OUT];
        uint64_t event[BG_LANES];
        uint8_t cell[MOST_OUT * BG_LANES], bin[BG_MAX_DIMENSIONS * BG_LANES];
        (void)draw(g, n, 0, event, x, bin);
        (void)symmetric_generate(n, &g->map, &g->table, x, p, &x1, &x2, cell);
        enum { STEPS = 20000 }; /* numbers u, evenly spread: the mean of factor is 1 for each cast */
        double sum = 0.;
        for (int step = 0; step < STEPS; step++) {
            bg_region cast[BG_LANES];
            const real factor = casting_choose(&c, n, p, bg_real((step + 0.5) / STEPS), cast);
            uint32_t legs = 0;
            for (int slot = 0; slot < n; slot++) legs |= 1u << region_leg(cast[0].order, slot);
            assert_int_equal(legs, (1u << n) - 1u);
            sum += bg_lane(factor, 0);
        }
        const double most = 1. / BG_CAST_FLOOR; /* a factor, of which each cast may have one too many or too few */
        if (!(fabs(sum / STEPS - 1.) <= c.count * most / STEPS))
            fail_msg("process %d: factors have the mean %g", expected[k].process, sum / STEPS);
        free(g);
    }
    const int same[] = {2, 2, 2, 2, 21};
    bg_subprocess process;
    bg_casting c;
    bg_error error;
    assert_int_equal(bg_subprocess_create(&process, 2, 3, same, &error), BG_OK);
    bg_casting_create(&c, &process);
    assert_int_equal(c.count, 3);
    assert_int_equal(c.pairings, 2);
}

/* u d > u d g: u next to the first beam, d to the second. */
static void casts_follow_rapidities(void **state)
{
    (void)state;
    const int pdg[] = {2, 1, 2, 1, 21};
    bg_subprocess process;
    bg_casting c;
    bg_error error;
    assert_int_equal(bg_subprocess_create(&process, 2, 3, pdg, &error), BG_OK);
    bg_casting_create(&c, &process);
    assert_int_equal(c.count, 6);
    const double y[] = {0.3, -3.1, 2.8};
    vec4 p[3];
    int found = 0;
    enum { STEPS = 1000 };
    for (int k = 0; k < 3; k++) {
        const vec4 q = {bg_real(40. * cosh(y[k])), bg_real(40. * cos(2.1 * k)), bg_real(40. * sin(2.1 * k)),
                        bg_real(40. * sinh(y[k]))};
        p[k] = q;
    }
    for (int step = 0; step < STEPS; step++) {
        bg_region cast[BG_LANES];
        (void)casting_choose(&c, 3, p, bg_real((step + 0.5) / STEPS), cast);
        found += region_leg(cast[0].order, 2) == 0 && region_leg(cast[0].order, 1) == 1;
    }
    assert_true(found > 0.75 * STEPS && found < STEPS);
}

/* ... and in the map of two partons, which makes a difference between the two of the pair where partons may come close. */
static means run_partonic(const setup *s, const bg_subprocess *process, int kind, uint64_t seed, int points,
                          observable *const *o, int count)
{
    means m = {0};
    const channel c = channel_create(kind, process, s->sqrts, &s->cuts, &s->jets, NULL, seed);
    channel_grid *grid = malloc(sizeof *grid);
    assert_non_null(grid);
    bg_grid_uniform(grid, process, 0);
    disturb(&grid->regions, seed);
    for (int i = 0; i < points; i += BG_LANES) {
        vec4 p[MOST_OUT];
        uint8_t bin[BG_MAX_DIMENSIONS * BG_LANES];
        uint64_t event[BG_LANES];
        bg_region region[BG_LANES];
        for (int l = 0; l < BG_LANES; l++) event[l] = (uint64_t)i + (uint64_t)l;
        const real weight = channel_generate(s->n, &c, grid, event, p, bin, region);
        for (int l = 0; l < BG_LANES; l++) {
            double legs[4 * MOST_OUT];
            for (int k = 0; k < s->n; k++) copy_lane(&p[k], l, legs + 4 * region_leg(region[l].order, k));
            const double w = bg_lane(weight, l);
            add(&m, s, legs, w > 0. ? w * strength(s, legs) : 0., o, count);
        }
    }
    free(grid);
    return m;
}

static void partonic_legs_are_told_apart(void **state)
{
    (void)state;
    const double dr[] = {0.4, 0.1}; /* the second one wants exact centers */
    for (int k = 3; k < 6; k++)
        for (int j = 0; j < 2; j++) {
            const bg_subprocess process = process_of(k);
            setup s = usual(process.n_out, 0.);
            s.sqrts = 500.;
            s.cuts.dr_min = dr[j];
            const means flat =
                run_partonic(&s, &process, BG_PHASE_SPACE_RAMBO, 61, effort_of(200000, 20000), told_apart, TOLD_APART);
            const means map = run_partonic(&s, &process, BG_PHASE_SPACE_ADAPTIVE, 62, effort_of(400000, 20000),
                                           told_apart, TOLD_APART);
            expect_same("partonic regions and flat phase space", k, &map, &flat, TOLD_APART, 4.);
        }
}

/* Learning: what a region was chosen with becomes what its points weigh. */
static void regions_learn(void **state)
{
    (void)state;
    const bg_subprocess process =
        process_of(2); /* u g > g u g g: the quark in the pair, first or second of the soft ones */
    bg_regions r;
    bg_regions_create(&r, &process);
    const double weight[3] = {1., 0.3, 0.02};
    for (int iteration = 0; iteration < 30; iteration++) { /* each goes half of the way */
        int64_t importance[BG_REGIONS] = {0};
        for (int e = 0; e < 3; e++) /* points of region e number N p and weigh share weight / p each */
            importance[e] = (int64_t)(1e9 * pow(r.share[e] * weight[e], 2.) / r.probability[e]);
        bg_regions_adapt(&r, importance);
    }
    double sum = 0.;
    for (int e = 0; e < 3; e++) sum += r.share[e] * weight[e];
    for (int e = 0; e < 3; e++)
        assert_true(fabs(r.probability[e] - (0.8 * r.share[e] * weight[e] / sum + 0.2 * r.share[e])) < 1e-6);
}

/* ---- cuts ------------------------------------------------------------------------------------------------------------- */

/* How far a point is inside all cuts, relative: below 0 it is outside. Written down once more, one condition after the other. */
static double margin(const setup *s, const double *p)
{
    const bg_jet_cuts *j = &s->jets;
    double inside = 1., pt[MOST_OUT];
    for (int k = 0; k < s->n; k++) {
        int at = k;
        for (; at > 0 && pt[at - 1] < transverse(p + 4 * k); at--) pt[at] = pt[at - 1];
        pt[at] = transverse(p + 4 * k);
        inside = fmin(inside, transverse(p + 4 * k) / s->cuts.pt_min - 1.);
        inside = fmin(inside, transverse(p + 4 * k) / j->kt_min - 1.);
        if (j->pt_max > 0.) inside = fmin(inside, 1. - transverse(p + 4 * k) / j->pt_max);
        inside = fmin(inside, fabs(rapidity(p + 4 * k)) / j->eta_min - 1.);
        if (s->cuts.eta_max > 0.) inside = fmin(inside, 1. - fabs(rapidity(p + 4 * k)) / s->cuts.eta_max);
    }
    for (int k = 0; k < 4 && k < s->n; k++) inside = fmin(inside, pt[k] / j->leading_pt_min[k] - 1.);
    for (int a = 0; a < s->n; a++)
        for (int b = 0; b < a; b++) {
            const double *x = p + 4 * a, *y = p + 4 * b, mass = sqrt(fmax(0., 2. * minkowski(x, y)));
            const double dphi =
                acos(fmin(1., fmax(-1., (x[1] * y[1] + x[2] * y[2]) / (transverse(x) * transverse(y)))));
            const double dr = hypot(rapidity(x) - rapidity(y), dphi);
            const double kt = fmin(transverse(x), transverse(y)) * dr / (j->kt_radius > 0. ? j->kt_radius : 1.);
            inside = fmin(inside, dr / s->cuts.dr_min - 1.);
            inside = fmin(inside, mass / s->cuts.mass_min - 1.);
            inside = fmin(inside, kt / j->kt_min - 1.);
            if (j->dr_max > 0.) inside = fmin(inside, 1. - dr / j->dr_max);
            if (j->mass_max > 0.) inside = fmin(inside, 1. - mass / j->mass_max);
        }
    return inside;
}

/* Each cut alone, and all together. */
static void cuts_are_what_they_say(void **state)
{
    (void)state;
    const bg_jet_cuts all[] = {
        {.leading_pt_min = {200., 0., 0., 0.}},
        {.leading_pt_min = {0., 120., 0., 0.}},
        {.leading_pt_min = {200., 100., 0., 40.}},
        {.leading_pt_min = {0., 0., 80., 0.}},
        {.leading_pt_min = {0., 0., 0., 60.}},
        {.pt_max = 200.},
        {.eta_min = 0.3},
        {.dr_max = 3.5},
        {.mass_max = 400.},
        {.kt_min = 40.},
        {.kt_min = 30., .kt_radius = 0.4},
        {.leading_pt_min = {100., 60., 30., 0.},
         .pt_max = 400.,
         .eta_min = 0.05,
         .dr_max = 4.,
         .mass_max = 700.,
         .kt_min = 20.},
        {.pt_max = INFINITY, .dr_max = INFINITY, .mass_max = INFINITY},
    };
    random_source r = fresh_source(71);
    for (int n = 2; n <= 5; n++)
        for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
            setup s = usual(n, 0.);
            int count[2] = {0, 0};
            s.cuts = (bg_cuts){.pt_min = 10.};
            s.jets = all[k];
            for (int i = 0; i < effort_of(5000, 3000); i++) {
                double in[4 * (2 + MOST_OUT)];
                random_point(&r, n, uniform(&r, 100., 1200.), in);
                const double inside = margin(&s, in + 8);
                if (fabs(inside) < 1e-9) continue;
                const int passes = scalar_cuts(n, &s.cuts, &s.jets, in + 8) != 0;
                if (passes != (inside > 0.)) fail_msg("n = %d, cuts %zu: %d at margin %g", n, k, passes, inside);
                count[passes]++;
            }
            assert_true(count[1] > 0);
            assert_true(count[0] > 0);
        }
}

/* DeltaR next to its cut, from both sides and in all directions: mostly decided without rapidities and azimuths, and always as
 * these say. */
static void distances_are_decided_right(void **state)
{
    (void)state;
    const double radius[] = {1e-4, 0.01, 0.1, 0.4, 0.99, 1.01, 2., 3.5, 6.},
                 off[] = {-0.5, -0.02, -1e-3, -1e-8, 1e-8, 1e-3, 0.02, 0.5};
    random_source r = fresh_source(72);
    for (size_t k = 0; k < sizeof radius / sizeof *radius; k++)
        for (size_t j = 0; j < sizeof off / sizeof *off; j++)
            for (int i = 0; i < 400; i++) {
                const bg_cuts cuts = {.dr_min = radius[k]};
                const bg_jet_cuts none = {.pt_max = 0.};
                const double d = radius[k] * (1. + off[j]), phi = uniform(&r, -fmin(d, BG_PI), fmin(d, BG_PI)),
                             eta = i % 2 ? sqrt(d * d - phi * phi) : -sqrt(d * d - phi * phi),
                             at = uniform(&r, -3., 3.), turn = uniform(&r, -BG_PI, BG_PI);
                double p[8];
                for (int l = 0; l < 2; l++) {
                    const double pt = exp(uniform(&r, 0., 7.)), y = l ? at + eta : at, angle = l ? turn + phi : turn;
                    p[4 * l] = pt * cosh(y);
                    p[4 * l + 1] = pt * cos(angle);
                    p[4 * l + 2] = pt * sin(angle);
                    p[4 * l + 3] = pt * sinh(y);
                }
                if (fabs(off[j]) * radius[k] < 1e-11 * cosh(at) * cosh(at + eta)) continue; /* no digits left */
                if ((scalar_cuts(2, &cuts, &none, p) != 0) != (off[j] > 0.))
                    fail_msg("DeltaR %.17g, Dphi %g, eta %g and %g, cut %g", d, phi, at, at + eta, radius[k]);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_partons_agree_with_quadrature),
        cmocka_unit_test(map_agrees_with_flat_phase_space),
        cmocka_unit_test(map_follows_the_cuts),
        cmocka_unit_test(points_are_physical),
        cmocka_unit_test(lanes_agree_with_one_point),
        cmocka_unit_test(regions_cover_all_choices),
        cmocka_unit_test(casts_cover_all_choices),
        cmocka_unit_test(casts_follow_rapidities),
        cmocka_unit_test(neighbors_are_those_of_all_orders),
        cmocka_unit_test(legs_are_told_apart),
        cmocka_unit_test(partonic_legs_are_told_apart),
        cmocka_unit_test(regions_learn),
        cmocka_unit_test(cuts_are_what_they_say),
        cmocka_unit_test(distances_are_decided_right),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
