/* Phase space and integration: volumes, cuts, exact sums, known cross sections, honest errors, and the same result
 * whatever the threads and interruptions.
 */
#include "support.h"

#include "engine/evaluator.h"
#include "base/status.h"
#include "phasespace/grid.h"
#include "accumulate/histograms.h"
#include "backend/spread.h"
#include "engine/state.h"
#include "helicity/chirality.h"

#include <math.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

static void defaults(bg_options *o, bg_integration *w)
{
    bg_options_init(o);
    bg_integration_init(w);
}

/* ---- exact sums ----------------------------------------------------------------------------------------- */

static void exact_sum_is_exact(void **state)
{
    (void)state;
    bg_exact a;
    memset(&a, 0, sizeof a);
    bg_exact_add(&a, 1e300);
    bg_exact_add(&a, 3.25);
    bg_exact_add(&a, -1e300);
    bg_exact_add(&a, 5e-324);
    assert_true(bg_exact_value(&a) == 3.25);
    bg_exact_add(&a, -3.25);
    assert_true(bg_exact_value(&a) == 5e-324);
    bg_exact_add(&a, -1.);
    assert_true(bg_exact_value(&a) == -1.);
}

static double random_double(uint64_t *s)
{
    *s = *s * 6364136223846793005u + 1442695040888963407u;
    const double m = (double)(*s >> 11) * (1. / 9007199254740992.) - 0.5;
    *s = *s * 6364136223846793005u + 1442695040888963407u;
    return ldexp(m, (int)(*s >> 56) - 128);
}

static void exact_sum_has_no_order(void **state)
{
    (void)state;
    enum { COUNT = 5000 };
    static double x[COUNT];
    bg_exact forward, backward, halves[2];
    memset(&forward, 0, sizeof forward);
    memset(&backward, 0, sizeof backward);
    memset(halves, 0, sizeof halves);
    uint64_t s = 12345;
    for (int k = 0; k < COUNT; k++) x[k] = random_double(&s);
    for (int k = 0; k < COUNT; k++) {
        bg_exact_add(&forward, x[k]);
        bg_exact_add(&backward, x[COUNT - 1 - k]);
        bg_exact_add(&halves[k % 2], x[k]);
    }
    bg_exact_merge(&halves[0], &halves[1]);
    bg_exact_carry(&forward);
    bg_exact_carry(&backward);
    assert_memory_equal(&forward, &backward, sizeof forward);
    assert_memory_equal(&forward, &halves[0], sizeof forward);
    assert_true(bg_exact_value(&forward) == bg_exact_value(&backward));
}

/* ---- phase space -------------------------------------------------------------------------------------------- */

/* Runs `count` trial points of a channel through `visit`; weights include the flux and the conversion to pb. */
typedef void visitor(int n_out, const vec4 *p, int lane, double w, void *user);

static void run_channel(const channel *c, uint64_t count, visitor *visit, void *user)
{
    static channel_grid grid;
    bg_grid_uniform(&grid, &c->process, 0);
    for (uint64_t k = 0; k < count; k += BG_LANES) {
        vec4 p[BG_MAX_OUT_DRESSED];
        uint8_t bin[BG_MAX_DIMENSIONS * BG_LANES];
        uint64_t event[BG_LANES];
        bg_region region[BG_LANES];
        for (int l = 0; l < BG_LANES; l++) event[l] = k + (uint64_t)l;
        real w = channel_generate(c->process.n_out, c, &grid, event, p, bin, region);
        for (int l = 0; l < BG_LANES; l++) visit(c->process.n_out, p, l, (double)bg_lane(w, l), user);
    }
}

typedef struct moments {
    double n, sum, sum2, worst;
} moments;

static void count_volume(int n_out, const vec4 *p, int lane, double w, void *user)
{
    moments *m = user;
    m->n += 1.;
    m->sum += w;
    m->sum2 += w * w;
    if (!(w > 0.)) return;
    double e = 0., x = 0., y = 0., z = 0., total = 0.;
    for (int k = 0; k < n_out; k++) {
        const double E = bg_lane(p[k].t, lane), px = bg_lane(p[k].x, lane), py = bg_lane(p[k].y, lane),
                     pz = bg_lane(p[k].z, lane);
        e += E;
        x += px;
        y += py;
        z += pz;
        total += E;
        m->worst = fmax(m->worst, fabs(E - sqrt(px * px + py * py + pz * pz)) / 14000.);
    }
    (void)e;
    m->worst = fmax(m->worst, fabs(total - 14000.) / 14000.);
    m->worst = fmax(m->worst, (fabs(x) + fabs(y) + fabs(z)) / 14000.);
}

/* Both generators measure the same volume of phase space inside the cuts, and RAMBO without cuts all of it. */
static void volumes_agree(void **state)
{
    (void)state;
    const double flux = 0.3893793721e9 / (2. * 14000. * 14000.);
    for (int n = 2; n <= 6; n++) {
        bg_cuts cuts = {20., 2.5, 0.4, 0., 0.}, none = {0., 0., 0., 0., 0.};
        channel all = channel_create(BG_PHASE_SPACE_RAMBO, (bg_subprocess[]){bg_subprocess_gluons(n)}, 14000., &none,
                                     NULL, NULL, 11);
        channel flat = channel_create(BG_PHASE_SPACE_RAMBO, (bg_subprocess[]){bg_subprocess_gluons(n)}, 14000., &cuts,
                                      NULL, NULL, 12);
        channel hard = channel_create(BG_PHASE_SPACE_ADAPTIVE, (bg_subprocess[]){bg_subprocess_gluons(n)}, 14000.,
                                      &cuts, NULL, NULL, 13);
        moments a = {0}, f = {0}, h = {0};
        run_channel(&all, 1000, count_volume, &a);
        run_channel(&flat, (uint64_t)effort_of(40000, 1), count_volume, &f);
        run_channel(&hard, (uint64_t)effort_of(400000, 1), count_volume, &h);
        assert_true(fabs(a.sum / a.n / (flux * rambo_volume(n, 14000.)) - 1.) < 1e-12);
        assert_true(a.worst < 1e-9); /* the boost of nearly parallel momenta costs digits */
        assert_true(f.worst < 1e-9);
        assert_true(h.worst < 1e-9);
        const double vf = f.sum / f.n, vh = h.sum / h.n;
        const double ef = (f.sum2 / f.n - vf * vf) / f.n, eh = (h.sum2 / h.n - vh * vh) / h.n;
        print_message("n_out %d: rambo %.5g, adaptive %.5g +- %.2g\n", n, vf, vh, sqrt(eh));
        assert_true(fabs(vf - vh) < 5. * sqrt(ef + eh));
        assert_true(sqrt(eh) < 0.15 / sqrt(test_effort()) * vh);
    }
}

/* The cuts once more, from their definitions: 1 inside, 0 outside, -1 so close to an edge that rounding decides. */
static int inside(const bg_cuts *c, int n_out, const double (*q)[4])
{
    double pt[BG_MAX_OUT_DRESSED], eta[BG_MAX_OUT_DRESSED], phi[BG_MAX_OUT_DRESSED], ht = 0., above = INFINITY;
    for (int k = 0; k < n_out; k++) {
        pt[k] = hypot(q[k][1], q[k][2]);
        eta[k] = asinh(q[k][3] / pt[k]);
        phi[k] = atan2(q[k][2], q[k][1]);
        ht += pt[k];
        above = fmin(above, pt[k] / c->pt_min - 1.);
        if (c->eta_max > 0.) above = fmin(above, 1. - fabs(eta[k]) / c->eta_max);
        for (int j = 0; j < k; j++) {
            const double deta = eta[j] - eta[k], dphi = remainder(phi[j] - phi[k], 2. * PI);
            const double mass = sqrt(2. * pt[j] * pt[k] * (cosh(deta) - cos(dphi)));
            above = fmin(above, fmin(hypot(deta, dphi) / c->dr_min, mass / c->mass_min) - 1.); /* no cut: infinity */
        }
    }
    above = fmin(above, ht / c->ht_min - 1.);
    return fabs(above) < 1e-7 ? -1 : above > 0.;
}

typedef struct verdicts {
    const channel *c;
    const double *free; /* weights without cuts */
    uint64_t count, right[2], wrong[2];
} verdicts;

static void judge(int n_out, const vec4 *p, int lane, double w, void *user)
{
    verdicts *v = user;
    const double without = v->free[v->count++];
    double q[BG_MAX_OUT_DRESSED][4];
    if (!(without > 0.)) return; /* no point at all */
    for (int k = 0; k < n_out; k++) {
        const double momentum[4] = {bg_lane(p[k].t, lane), bg_lane(p[k].x, lane), bg_lane(p[k].y, lane),
                                    bg_lane(p[k].z, lane)};
        memcpy(q[k], momentum, sizeof momentum);
    }
    const int expected = inside(&v->c->cuts, n_out, (const double(*)[4])q);
    if (expected >= 0) (w == (expected ? without : 0.) ? v->right : v->wrong)[expected]++;
}

static void keep_weight(int n_out, const vec4 *p, int lane, double w, void *user)
{
    double **next = user;
    (void)n_out;
    (void)p;
    (void)lane;
    *(*next)++ = w;
}

/* Each cut alone and all of them together, on points of both generators: what they let pass, and what they do not. */
static void cuts_hold(void **state)
{
    (void)state;
    enum { COUNT = 20000 };
    static const bg_cuts all[] = {
        {30., 0., 0., 0., 0.},   {20., 2., 0., 0., 0.},     {20., 0., 0.8, 0., 0.},  {20., 0., 0., 60., 0.},
        {20., 0., 0., 0., 500.}, {30., 2., 0.5, 40., 300.}, {20., 2.5, 0.4, 0., 0.},
    };
    double *weight = malloc(COUNT * sizeof *weight);
    assert_non_null(weight);
    for (int kind = 0; kind < 2; kind++)
        for (int n_out = 2; n_out <= 5; n_out++)
            for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
                const channel c = channel_create(kind, (bg_subprocess[]){bg_subprocess_gluons(n_out)}, 1000., &all[k],
                                                 NULL, NULL, 5 + (uint64_t)k);
                channel open = c;
                memset(&open.cuts, 0, sizeof open.cuts); /* the same points */
                double *next = weight;
                verdicts v = {.c = &c, .free = weight};
                run_channel(&open, COUNT, keep_weight, &next);
                run_channel(&c, COUNT, judge, &v);
                for (int in = 0; in < 2; in++)
                    if (v.wrong[in])
                        fail_msg(
                            "generator %d, n_out = %d, cuts %zu: %d of %d points %s are treated as if they were not",
                            kind, n_out, k, (int)v.wrong[in], (int)(v.wrong[in] + v.right[in]),
                            in ? "inside" : "outside");
                assert_true(v.right[1] > 20);
                /* two gluons are back to back: neither their distance nor their mass is small */
                if (n_out > 2 && !(v.right[0] > 5 || (k == 0 && kind == BG_PHASE_SPACE_ADAPTIVE)))
                    fail_msg("generator %d, n_out = %d, cuts %zu: %d points are outside", kind, n_out, k,
                             (int)v.right[0]);
            }
    free(weight);
}

/* ---- helicity selection ------------------------------------------------------------------------------------- */

static void probabilities_are_those_of_the_draws(void **state)
{
    (void)state;
    const double p[5 * 4] = {500.,  0.,    0.,   500., 303., -196., 123., 195., 494., 254.,
                             -209., -369., 202., -58., 86.,  174.,  500., 0.,   0.,   -500.};
    for (int by_invariants = 0; by_invariants < 2; by_invariants++) {
        const bg_subprocess three = bg_subprocess_gluons(3);
        helicity_selector *s = bg_selector_create(&three, by_invariants);
        assert_non_null(s);
        double sum = 0.;
        int count[32] = {0};
        double probability[32] = {0.};
        const int draws = effort_of(200000, 1);
        for (int k = 0; k < draws; k++) {
            const helicity_choice c = helicity_choose(s, 3, (uint64_t)k, p, 1);
            assert_true(bg_helicities_allowed(&three, c.configuration));
            count[c.configuration]++;
            probability[c.configuration] = c.probability;
        }
        for (int k = 0; k < 32; k++) {
            sum += probability[k];
            const double expect = probability[k] * draws;
            assert_true(fabs(count[k] - expect) < 6. * sqrt(expect) + 1.);
        }
        assert_true(fabs(sum - 1.) < 1e-9 || by_invariants); /* configurations too rare to be drawn may miss */
        assert_true(fabs(sum - 1.) < 1e-3);
        bg_selector_destroy(s);
    }
}

/* ---- shares ------------------------------------------------------------------------------------------------ */

/* Ranks and devices share a batch: every event once, in order, whole deals but for the last, however few there are. */
static void parts_cover_a_batch(void **state)
{
    (void)state;
    static const uint64_t counts[] = {0, 1, 63, 64, 65, 127, 129, 1000, 4096, 100001, UINT64_MAX / 2 + 7};
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
        for (uint64_t unit = 1; unit <= 64; unit *= 64)
            for (uint64_t parts = 1; parts <= 70; parts++) {
                uint64_t next = 0, most = 0, least = UINT64_MAX;
                for (uint64_t k = 0; k < parts; k++) {
                    uint64_t from, size;
                    bg_batch_part(counts[c], unit, parts, k, &from, &size);
                    if (!size) continue;
                    assert_true(from == next && from % unit == 0);
                    next = from + size;
                    most = most > size ? most : size;
                    least = least < size ? least : size;
                }
                assert_true(next == counts[c]);
                if (counts[c] >= unit * parts) assert_true(most - least < 2 * unit);
            }
}

/* A worker that counts: weights are event numbers, so that nothing may come twice, and go to bin 3 of every histogram. */
typedef struct counter {
    int calls, fails;
} counter;

static bg_status count_events(void *worker, const bg_batch *part, bg_tally *tally, struct bg_histograms *histograms,
                              bg_timing *timing, bg_error *error)
{
    counter *c = worker;
    c->calls++;
    if (c->fails) return bg_fail(error, BG_ERROR_DEVICE, "device %d is gone", c->fails);
    for (uint64_t k = 0; k < part->count; k++) {
        const double w = (double)(part->first_event + k);
        tally->points++;
        bg_exact_add(&tally->weight, w);
        for (int h = 0; histograms && h < histograms->count; h++)
            bg_exact_add(&histograms->weight[histograms->histogram[h].axis.first + 3], w);
    }
    timing->matrix_element += 1.;
    return BG_OK;
}

/* Batch after batch on one and on several workers, some of which get nothing at times: the same sums. */
static void devices_share_a_batch(void **state)
{
    (void)state;
    static const uint64_t counts[] = {4096, 2048, 904, 10000, 1, 0, 6000};
    const bg_cuts cuts = {.pt_min = 20.};
    bg_error error;
    for (int workers = 1; workers <= 5; workers++)
        for (int wanted = 0; wanted < 2; wanted++) {
            counter each[5] = {{0, 0}};
            void *worker[5];
            struct bg_histograms *h = NULL;
            bg_tally *tally = bg_tally_create(BG_MAX_DIMENSIONS, 0, 0);
            bg_timing timing = {0};
            double sum = 0.;
            int64_t points = 0;
            uint64_t first = 2048;
            assert_non_null(tally);
            for (int k = 0; k < workers; k++) worker[k] = &each[k];
            if (wanted)
                assert_int_equal(
                    bg_histograms_allocate(&h, (bg_subprocess[]){bg_subprocess_gluons(3)}, 0, 14000., &cuts, &error),
                    BG_OK);
            for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
                const bg_batch batch = {.first_event = first, .count = counts[c]};
                assert_int_equal(
                    bg_batch_spread(workers, worker, count_events, 2048, &batch, tally, h, &timing, &error), BG_OK);
                for (uint64_t k = 0; k < counts[c]; k++) sum += (double)(first + k);
                points += (int64_t)counts[c];
                first += 10240;
            }
            int calls = 0;
            for (int k = 0; k < workers; k++) calls += each[k].calls;
            assert_int_equal(tally->points, points);
            assert_true(bg_exact_value(&tally->weight) == sum);
            for (int k = 0; h && k < h->count; k++)
                assert_true(bg_exact_value(&h->weight[h->histogram[k].axis.first + 3]) == sum);
            assert_true(timing.matrix_element == calls && each[workers - 1].calls <= each[0].calls);
            /* where one fails, the batch does */
            each[workers - 1].fails = workers;
            const bg_batch batch = {.first_event = first, .count = 20480};
            assert_refused(bg_batch_spread(workers, worker, count_events, 2048, &batch, tally, h, &timing, &error),
                           &error, BG_ERROR_DEVICE, "is gone");
            bg_histograms_destroy(h);
            free(tally);
        }
}

/* A deal of colors is not cut in two. */
static void deals_stay_whole(void **state)
{
    (void)state;
    bg_process *process;
    bg_evaluator *e;
    bg_error error;
    bg_options o = default_options();
    bg_integration w;
    bg_integration_init(&w);
    assert_int_equal(bg_options_set_algorithm(&o, BG_ALGORITHM_CD_MC, NULL), BG_OK);
    assert_int_equal(bg_process_create_gluons(&process, 4, &error), BG_OK);
    assert_int_equal(bg_evaluator_create_for(&e, process, &o, BG_FOR_CROSS_SECTION, NULL, NULL, &error), BG_OK);
    const int group = bg_evaluator_plan(e)->group;
    assert_true(group > 1);
    const channel c = channel_create(BG_PHASE_SPACE_ADAPTIVE, (bg_subprocess[]){bg_subprocess_gluons(4)}, w.sqrts,
                                     &w.cuts, NULL, NULL, 1);
    channel_grid *grid = malloc(sizeof *grid);
    bg_tally *tally = bg_tally_create(BG_MAX_DIMENSIONS, 0, 0);
    assert_true(grid && tally);
    bg_grid_uniform(grid, &c.process, 0);
    bg_batch batch = {.channel = &c, .grid = grid, .first_event = 3, .count = 100};
    bg_timing timing = {0};
    assert_refused(bg_evaluator_integrate(e, &batch, tally, NULL, &timing, &error), &error, BG_ERROR_ARGUMENT,
                   "event 3|multiple of 2048");
    batch.first_event = bg_deal_unit(group);
    assert_int_equal(bg_evaluator_integrate(e, &batch, tally, NULL, &timing, &error), BG_OK);
    assert_int_equal(tally->points, 100);
    free(grid);
    free(tally);
    bg_evaluator_destroy(e);
    bg_process_destroy(process);
}

/* ---- cross sections ------------------------------------------------------------------------------------------ */

static bg_result integrate(int n_out, const bg_options *options, const bg_integration *wish)
{
    bg_error error;
    bg_process *process;
    bg_result result;
    bg_result_init(&result);
    assert_int_equal(bg_process_create_gluons(&process, n_out, &error), BG_OK);
    if (bg_integrate(process, options, wish, &result, &error) != BG_OK) fail_msg("%s", error.message);
    bg_process_destroy(process);
    return result;
}

static void two_gluons_analytic(void **state)
{
    (void)state;
    bg_options o;
    bg_integration w;
    defaults(&o, &w);
    w.precision = 2e-4 / test_effort();
    o.seed = 7;
    const bg_result r = integrate(2, &o, &w);
    print_message("gg -> 2g: %.6g +- %.2g pb\n", r.sigma_pb, r.error_pb);
    assert_true(fabs(r.sigma_pb / 56.62666 - 1.) < 1e-3 / test_effort());
    assert_true(fabs(r.sigma_pb - 56.62666) < 4. * r.error_pb);
}

/* Against a value with an error of its own. With sanitizers the goal is as much weaker as the effort is smaller. */
static void compare_with(int n_out, const bg_options *o, double precision, double value, double error)
{
    bg_integration w;
    bg_integration_init(&w);
    w.precision = precision / test_effort();
    const bg_result r = integrate(n_out, o, &w);
    print_message("gg -> %dg: %.6g +- %.2g pb\n", n_out, r.sigma_pb, r.error_pb);
    assert_true(r.error_pb <= w.precision * r.sigma_pb);
    assert_bounded(r.sigma_pb - value, 3. * hypot(r.error_pb, error), "gg -> %dg, %g +- %g", n_out, value, error);
}

/* A program that shares no line with this one, bench/validation/three_gluons.py (docs/validation.md). */
static void three_gluons_reference(void **state)
{
    (void)state;
    const bg_options o = default_options();
    compare_with(3, &o, 5e-4, 308.03, 0.06);
}

/* Where there is no other program that is as exact: the values of long runs, docs/validation.md. */
static void four_gluons_stay(void **state)
{
    (void)state;
    const bg_options o = default_options();
    compare_with(4, &o, 1.5e-3, 928.67, 0.91);
}

static void five_gluons_stay(void **state)
{
    (void)state;
    if (test_effort() < 1.) skip(); /* the lines of four gluons, at ten times the cost */
    const bg_options o = default_options();
    compare_with(5, &o, 3e-3, 1994.5, 2.0);
}

static void five_coherent_gluons_stay(void **state)
{
    (void)state;
    bg_options o = default_options();
    o.color = BG_COLOR_AUTO;
    o.recursion = BG_RECURSION_AUTO;
    o.helicity = BG_HELICITY_AUTO;
    compare_with(5, &o, 3e-3, 1994.5, 2.0);
}

/* Every way to treat helicities and colors, and both generators, give the same cross section. */
static void samplings_agree(void **state)
{
    (void)state;
    bg_options base;
    bg_integration w;
    bg_options_init(&base);
    bg_integration_init(&w);
    w.points = (uint64_t)effort_of(400000, 1);
    bg_integration exact = w;
    exact.points = 0;
    exact.precision = 2e-3 / test_effort();
    const bg_result reference = integrate(3, &base, &exact);
    for (int k = 0; k < 10; k++) {
        bg_options o = base;
        bg_integration v = w;
        o.seed = 100 + (uint64_t)k;
        if (k < 6) {
            o.helicity = BG_HELICITY_SAMPLED;
            o.helicity_sampling = (bg_helicity_sampling)k;
        } else if (k == 6) {
            v.phase_space = BG_PHASE_SPACE_RAMBO;
            v.cuts.pt_min = 200.; /* RAMBO does not converge at 20 GeV */
        } else {
            bg_options_set_algorithm(&o, k == 7 ? BG_ALGORITHM_CO_MC : BG_ALGORITHM_CD_MC, NULL);
            o.color_sampling = k == 9 ? BG_COLORS_CONTINUOUS : BG_COLORS_AUTO;
            v.points = (uint64_t)effort_of(150000, 1);
        }
        bg_result r = integrate(3, &o, &v), compare = reference;
        if (k == 6) {
            exact.cuts.pt_min = 200.;
            compare = integrate(3, &base, &exact);
        }
        const double pull = (r.sigma_pb - compare.sigma_pb) / hypot(r.error_pb, compare.error_pb);
        print_message("sampling %d: %.5g +- %.2g pb, pull %.2f\n", k, r.sigma_pb, r.error_pb, pull);
        assert_true(fabs(pull) < 4.5);
        assert_true(r.error_pb < 0.1 / sqrt(test_effort()) * r.sigma_pb);
    }
}

/* The distribution of (result - truth) / error over many seeds is a standard normal one. */
static void errors_are_honest(void **state)
{
    (void)state;
    const int seeds = effort_of(1000, 50);
    bg_options o;
    bg_integration w;
    defaults(&o, &w);
    w.points = 8000;
    double sum = 0., sum2 = 0.;
    int beyond = 0;
    for (int k = 0; k < seeds; k++) {
        o.seed = 1000 + (uint64_t)k;
        const bg_result r = integrate(2, &o, &w);
        const double pull = (r.sigma_pb - 56.62666) / r.error_pb;
        sum += pull;
        sum2 += pull * pull;
        beyond += fabs(pull) > 2.;
    }
    const double mean = sum / seeds, variance = sum2 / seeds - mean * mean, outside = 0.0455 * seeds;
    print_message("pulls: mean %.3f, variance %.3f, %d of %d beyond 2\n", mean, variance, beyond, seeds);
    assert_bounded(mean, 3. / sqrt(seeds), "mean of pulls");
    assert_bounded(variance - 1., 3. * sqrt(2. / seeds), "variance of pulls - 1");
    assert_bounded(beyond - outside, 3. * sqrt(outside), "pulls beyond 2");
}

/* The same where gluons may come close: sigma grows with the logarithm of the cut, and errors say how well it is known.
 * n_out = 3 at DeltaR > 0.01 from 0.1 and 0.001. */
static void small_cuts_are_honest(void **state)
{
    (void)state;
    enum { SEEDS = 12 };
    static const double cut[3] = {0.1, 0.01, 0.001};
    double mean[3] = {0.}, error[3] = {0.}, pulls = 0.;
    random_source source = fresh_source(31);
    const uint64_t first = random_bits(&source) >> 1;
    for (int k = 0; k < 3; k++) {
        double sigma[SEEDS], claimed[SEEDS], weights = 0.;
        for (int s = 0; s < SEEDS; s++) {
            bg_options o;
            bg_integration w;
            defaults(&o, &w);
            o.seed = first + (uint64_t)s;
            w.cuts.dr_min = cut[k];
            w.precision = 0.02;
            const bg_result r = integrate(3, &o, &w);
            sigma[s] = r.sigma_pb;
            claimed[s] = r.error_pb;
            mean[k] += r.sigma_pb / (r.error_pb * r.error_pb);
            weights += 1. / (r.error_pb * r.error_pb);
        }
        mean[k] /= weights;
        error[k] = sqrt(1. / weights);
        for (int s = 0; s < SEEDS; s++) pulls += pow((sigma[s] - mean[k]) / claimed[s], 2.);
    }
    pulls /= 3. * (SEEDS - 1);
    printf("DeltaR > 0.1, 0.01, 0.001: %.1f, %.1f, %.1f pb; mean pull^2 %.2f\n", mean[0], mean[1], mean[2], pulls);
    assert_true(pulls < 2.2); /* 33 degrees of freedom: one in ten thousand is beyond 2.2; it was 5 */
    const double off = mean[0] - 2. * mean[1] + mean[2],
                 of = sqrt(error[0] * error[0] + 4. * error[1] * error[1] + error[2] * error[2]);
    assert_bounded(off, 5. * of + 0.01 * mean[1], "second difference in log(DeltaR)");
}

static void threads_do_not_matter(void **state)
{
    (void)state;
    bg_options o;
    bg_integration w;
    defaults(&o, &w);
    w.points = (uint64_t)effort_of(30000, 1);
    for (int coherent = 0; coherent < 2; coherent++) { /* with colors that points share, or without */
        if (coherent) bg_options_set_algorithm(&o, BG_ALGORITHM_CD_MC, NULL);
        o.helicity = BG_HELICITY_SAMPLED;
        o.helicity_sampling = BG_SAMPLE_INVARIANTS;
        bg_result r[3];
        for (int i = 0; i < 3; i++) bg_result_init(&r[i]);
        for (int k = 0; k < 3; k++) {
            o.threads = k + 1;
            r[k] = integrate(4, &o, &w);
        }
        for (int k = 1; k < 3; k++) {
            assert_true(r[k].sigma_pb == r[0].sigma_pb);
            assert_true(r[k].error_pb == r[0].error_pb);
            assert_true(r[k].accepted == r[0].accepted);
            assert_true(r[k].pairs == r[0].pairs && (coherent ? r[k].pairs > 0 : !r[k].pairs));
            assert_true(r[k].chi2_per_dof == r[0].chi2_per_dof);
        }
    }
}

/* ---- checkpoints ---------------------------------------------------------------------------------------------- */

static int stop_after(const bg_result *r, void *user)
{
    return (double)(r->points + r->warmup_points) >= *(const double *)user;
}

static char checkpoint_name[64];

/* Cases may run at the same time, each in a process of its own. */
static int name_checkpoint(void **state)
{
    (void)state;
    snprintf(checkpoint_name, sizeof checkpoint_name, "/tmp/blockgen-test-%ld.state", (long)getpid());
    return 0;
}

static int remove_checkpoint(void **state)
{
    (void)state;
    unlink(checkpoint_name);
    return 0;
}

static void check_resumed(int coherent)
{
    bg_options o;
    bg_integration w;
    bg_error error;
    defaults(&o, &w);
    if (coherent) bg_options_set_algorithm(&o, BG_ALGORITHM_CD_MC, NULL);
    o.helicity = BG_HELICITY_SAMPLED;
    o.helicity_sampling = BG_SAMPLE_ADAPTIVE;
    w.points = 60000;
    struct bg_histograms *whole, *pieces;
    assert_int_equal(
        bg_histograms_allocate(&whole, (bg_subprocess[]){bg_subprocess_gluons(3)}, 0, w.sqrts, &w.cuts, &error), BG_OK);
    assert_int_equal(
        bg_histograms_allocate(&pieces, (bg_subprocess[]){bg_subprocess_gluons(3)}, 0, w.sqrts, &w.cuts, &error),
        BG_OK);
    w.histograms = whole;
    const bg_result straight = integrate(3, &o, &w);
    double limit = 1000.;
    bg_result r;
    bg_result_init(&r);
    int runs = 0;
    w.histograms = pieces;
    w.checkpoint = checkpoint_name;
    w.progress = stop_after;
    w.user = &limit;
    do {
        bg_histograms_destroy(pieces);
        assert_int_equal(
            bg_histograms_allocate(&pieces, (bg_subprocess[]){bg_subprocess_gluons(3)}, 0, w.sqrts, &w.cuts, &error),
            BG_OK);
        w.histograms = pieces;
        o.threads = 1 + runs % 2;
        r = integrate(3, &o, &w);
        w.resume = checkpoint_name;
        limit += 17000.;
        runs++;
        assert_true(runs < 50);
    } while (r.interrupted);
    print_message("%d runs\n", runs);
    assert_true(runs > 2);
    assert_true(r.sigma_pb == straight.sigma_pb);
    assert_true(r.error_pb == straight.error_pb);
    assert_true(r.points == straight.points && r.accepted == straight.accepted);
    assert_true(r.pairs == straight.pairs && (r.pairs > 0) == coherent);
    const size_t integers = bg_histograms_integers(whole);
    int64_t *a = malloc(integers * sizeof *a), *b = malloc(integers * sizeof *b);
    bg_histograms_save(whole, a);
    bg_histograms_save(pieces, b);
    assert_memory_equal(a, b, integers * sizeof *a);
    free(a);
    free(b);
    bg_histograms_destroy(whole);
    bg_histograms_destroy(pieces);
    unlink(checkpoint_name);
}

static void resumed_is_identical(void **state)
{
    (void)state;
    for (int coherent = 0; coherent < 2; coherent++) check_resumed(coherent);
}

static uint64_t pairs_of(uint64_t points, uint64_t group)
{
    const uint64_t rest = points % group;
    return points / group * group * (group - 1) + rest * (rest - 1 + (rest == 0));
}

/* Without cuts all points count, so every group but the last of a run is full: also after one that ended within a deal of
 * colors and goes on to more points. */
static void colors_are_dealt_once(void **state)
{
    (void)state;
    bg_options o;
    bg_integration w;
    defaults(&o, &w);
    bg_options_set_algorithm(&o, BG_ALGORITHM_CD_MC, NULL);
    w.cuts = (bg_cuts){.pt_min = 1e-3, .dr_min = 1e-6}; /* nothing that a point would not pass */
    w.phase_space = BG_PHASE_SPACE_RAMBO;
    for (int group = 2; group <= 32; group *= 4) {
        o.color_group = group;
        w.points = 1001;
        w.checkpoint = checkpoint_name;
        w.resume = NULL;
        w.force = 1;
        bg_result r = integrate(3, &o, &w);
        assert_true(r.accepted == 1001 && r.pairs == pairs_of(1001, (uint64_t)group));
        w.points = 41001;
        w.resume = checkpoint_name;
        r = integrate(3, &o, &w);
        assert_true(r.accepted == 41001);
        assert_int_equal(r.pairs, pairs_of(1001, (uint64_t)group) + pairs_of(40000, (uint64_t)group));
    }
    unlink(checkpoint_name);
}

static void expect_refusal(const bg_options *o, const bg_integration *w, int n_out, bg_status status, const char *words)
{
    bg_error error;
    bg_process *process;
    bg_result result;
    bg_result_init(&result);
    assert_int_equal(bg_process_create_gluons(&process, n_out, &error), BG_OK);
    assert_int_equal(bg_integrate(process, o, w, &result, &error), status);
    if (!strstr(error.message, words)) fail_msg("'%s' does not say '%s'", error.message, words);
    bg_process_destroy(process);
}

static void bad_checkpoints_are_refused(void **state)
{
    (void)state;
    bg_options o;
    bg_integration w;
    defaults(&o, &w);
    w.points = 2000;
    w.checkpoint = checkpoint_name;
    integrate(2, &o, &w);
    w.resume = checkpoint_name;
    expect_refusal(&o, &w, 3, BG_ERROR_ARGUMENT, "process is g g > g g there and g g > g g g here");
    o.seed = 2;
    expect_refusal(&o, &w, 2, BG_ERROR_ARGUMENT, "seed is 1 there and 2 here");
    o.seed = 1;
    w.cuts.pt_min = 30.;
    expect_refusal(&o, &w, 2, BG_ERROR_ARGUMENT, "pt-min is 20 there and 30 here");
    w.cuts.pt_min = 20.;
    o.color = BG_COLOR_LEADING;
    expect_refusal(&o, &w, 2, BG_ERROR_ARGUMENT, "color is summed there and leading here");
    o.color = BG_COLOR_SUMMED;
    w.cuts.mass_min = -0.; /* is no cut as 0 is none */
    integrate(2, &o, &w);
    FILE *f = fopen(checkpoint_name, "r+b"); /* one flipped bit */
    assert_non_null(f);
    fseek(f, 5000, SEEK_SET);
    const int c = fgetc(f);
    fseek(f, 5000, SEEK_SET);
    fputc(c ^ 4, f);
    fclose(f);
    expect_refusal(&o, &w, 2, BG_ERROR_ARGUMENT, "checksum");
    assert_int_equal(truncate(checkpoint_name, 3000), 0);
    expect_refusal(&o, &w, 2, BG_ERROR_ARGUMENT, "cut short");
    f = fopen(checkpoint_name, "wb");
    fputs("something else that is long enough to be read as a header, but is none of ours", f);
    fclose(f);
    expect_refusal(&o, &w, 2, BG_ERROR_ARGUMENT, "not a checkpoint");
    w.resume = "/nonexistent/state";
    expect_refusal(&o, &w, 2, BG_ERROR_IO, "cannot read checkpoint");
    w.resume = NULL;
    w.checkpoint = "/nonexistent/state";
    expect_refusal(&o, &w, 2, BG_ERROR_IO, "cannot write checkpoint");
    /* a file of somebody else is left alone */
    w.checkpoint = checkpoint_name;
    expect_refusal(&o, &w, 2, BG_ERROR_IO, "is no checkpoint of BlockGen");
    w.checkpoint = "/dev/null";
    expect_refusal(&o, &w, 2, BG_ERROR_IO, "not a regular file");
    w.checkpoint = "";
    expect_refusal(&o, &w, 2, BG_ERROR_ARGUMENT, "empty");
    unlink(checkpoint_name);
}

static void write_state(bg_state *s)
{
    bg_parcel p = {.bytes = NULL};
    assert_int_equal(bg_state_pass(s, NULL, &p, checkpoint_name, NULL), BG_OK);
    assert_int_equal(bg_checkpoint_write(checkpoint_name, &s->question, &p, NULL), BG_OK);
    bg_parcel_free(&p);
}

/* The state of a checkpoint, changed and written again with a checksum that is right. */
static void expect_unsound(const bg_state *good, size_t offset, const void *value, size_t bytes)
{
    bg_options o;
    bg_integration w;
    defaults(&o, &w);
    w.points = 4000;
    w.resume = checkpoint_name;
    bg_state *bad = malloc(sizeof *bad);
    assert_non_null(bad);
    *bad = *good;
    memcpy((char *)bad + offset, value, bytes);
    write_state(bad);
    expect_refusal(&o, &w, 2, BG_ERROR_ARGUMENT, "no run can have left it so");
    free(bad);
}

static void impossible_checkpoints_are_refused(void **state)
{
    (void)state;
    enum { HEADER = 48 }; /* the question follows, and then what the state begins with */
    bg_options o;
    bg_integration w;
    defaults(&o, &w);
    w.points = 2000;
    w.checkpoint = checkpoint_name;
    const bg_result r = integrate(2, &o, &w);
    bg_state *good = calloc(1, sizeof *good);
    FILE *f = fopen(checkpoint_name, "rb");
    assert_true(good && f && !fseek(f, HEADER + sizeof(bg_question), SEEK_SET));
    assert_int_equal(fread(good, offsetof(bg_state, iteration), 1, f), 1);
    assert_int_equal(fread(good->iteration, sizeof *good->iteration, (size_t)good->iterations, f), good->iterations);
    fclose(f);
    assert_non_null(strstr(good->question.text, "process=g g > g g\n"));
    good->tally = bg_tally_create(1, 0, 0); /* the iteration is finished: nothing in it */
    assert_non_null(good->tally);
    const int32_t many = 50000000, negative = -5;
    const uint64_t huge = UINT64_MAX / 2;
    const double nan = (double)NAN, low = -1.;
    expect_unsound(good, offsetof(bg_state, iterations), &many, sizeof many);
    expect_unsound(good, offsetof(bg_state, iterations), &negative, sizeof negative);
    expect_unsound(good, offsetof(bg_state, warmup), &many, sizeof many);
    expect_unsound(good, offsetof(bg_state, done), &huge, sizeof huge);
    expect_unsound(good, offsetof(bg_state, next_event), &huge, sizeof huge);
    expect_unsound(good, offsetof(bg_state, scale), &nan, sizeof nan);
    expect_unsound(good, offsetof(bg_state, max_weight), &low, sizeof low);
    expect_unsound(good, offsetof(bg_state, grid) + 8 * sizeof(double), &nan, sizeof nan);
    expect_unsound(good, offsetof(bg_state, iteration) + offsetof(bg_iteration, mean), &nan, sizeof nan);
    /* and as it was, it is good */
    write_state(good);
    f = fopen(checkpoint_name, "ab");
    fputc('x', f);
    fclose(f);
    w.resume = checkpoint_name;
    expect_refusal(&o, &w, 2, BG_ERROR_ARGUMENT, "something follows its end");
    write_state(good);
    assert_true(integrate(2, &o, &w).sigma_pb == r.sigma_pb);
    bg_tally_destroy(good->tally);
    free(good);
    unlink(checkpoint_name);
}

static void checkpoints_of_other_versions_are_refused(void **state)
{
    (void)state;
    enum { MAGIC = 16 };
    bg_options o;
    bg_integration w;
    defaults(&o, &w);
    w.points = 2000;
    w.checkpoint = checkpoint_name;
    integrate(2, &o, &w);
    w.resume = checkpoint_name;
    for (int k = 0; k < 2; k++) { /* another format, then another order of bytes */
        uint32_t number;
        FILE *f = fopen(checkpoint_name, "r+b");
        assert_true(f && !fseek(f, MAGIC + 4 * k, SEEK_SET) && fread(&number, sizeof number, 1, f) == 1);
        const uint32_t other = k ? 0x04030201 : number + 1;
        assert_true(number == (k ? 0x01020304 : number) && !fseek(f, MAGIC + 4 * k, SEEK_SET));
        assert_int_equal(fwrite(&other, sizeof other, 1, f), 1);
        fclose(f);
        expect_refusal(&o, &w, 2, BG_ERROR_ARGUMENT, "another version or kind of machine");
        f = fopen(checkpoint_name, "r+b");
        assert_true(f && !fseek(f, MAGIC + 4 * k, SEEK_SET) && fwrite(&number, sizeof number, 1, f) == 1);
        fclose(f);
    }
    assert_int_equal(integrate(2, &o, &w).points, 2000); /* and as it was, it is good */
    unlink(checkpoint_name);
}

/* No cut is no cut, whichever zero says so. */
static void both_zeros_are_no_cut(void **state)
{
    (void)state;
    bg_options o;
    bg_integration w;
    defaults(&o, &w);
    w.points = 2000;
    w.checkpoint = checkpoint_name;
    w.cuts.mass_min = -0.;
    w.cuts.ht_min = -0.;
    const bg_result r = integrate(2, &o, &w);
    w.resume = checkpoint_name;
    w.cuts.mass_min = 0.;
    w.cuts.ht_min = 0.;
    assert_true(integrate(2, &o, &w).sigma_pb == r.sigma_pb);
    unlink(checkpoint_name);
}

/* A disk that is full loses neither the result nor the last good checkpoint. */
static void full_disk_loses_nothing(void **state)
{
    (void)state;
    struct rlimit before, tight;
    bg_process *process;
    bg_error error;
    bg_options o;
    bg_integration w;
    bg_result result;
    bg_result_init(&result);
    defaults(&o, &w);
    w.points = 2000;
    w.checkpoint = checkpoint_name;
    const bg_result good = integrate(2, &o, &w);
    w.points = 4000;
    w.checkpoint_interval = 0.;
    w.force = 1;
    assert_int_equal(bg_process_create_gluons(&process, 2, &error), BG_OK);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    tight = before;
    tight.rlim_cur = 1000;
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &tight), 0);
    const bg_status status = bg_integrate(process, &o, &w, &result, &error);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    signal(SIGXFSZ, handler);
    bg_process_destroy(process);
    assert_refused(status, &error, BG_ERROR_IO, "cannot write checkpoint|large");
    assert_true(result.seconds > 0. && result.points == 4000 && result.hardware[0]);
    w.checkpoint = NULL;
    assert_true(integrate(2, &o, &w).sigma_pb == result.sigma_pb);
    w.points = 2000;
    w.resume = checkpoint_name;
    assert_true(integrate(2, &o, &w).sigma_pb == good.sigma_pb);
    unlink(checkpoint_name);
}

/* A finished run goes on to more points: no iteration of none comes in between. */
static void finished_runs_go_on(void **state)
{
    (void)state;
    bg_options o;
    bg_integration w;
    defaults(&o, &w);
    w.points = 8000;
    w.checkpoint = checkpoint_name;
    assert_int_equal(integrate(2, &o, &w).iterations, 8);
    w.points = 10000;
    w.resume = checkpoint_name;
    const bg_result r = integrate(2, &o, &w);
    assert_int_equal(r.points, 10000);
    assert_int_equal(r.iterations, 10); /* 1250 and 750 more */
    unlink(checkpoint_name);
}

static int stop_at_once(const bg_result *now, void *user)
{
    (void)now;
    (void)user;
    return 1;
}

/* Stopped while it adapts: an estimate all the same, said to be one; who stopped it is told. */
static void early_stops(void **state)
{
    (void)state;
    bg_options o;
    bg_integration w;
    defaults(&o, &w);
    o.threads = 1;
    w.precision = 0.;
    w.seconds = 1e-6;
    bg_result r = integrate(3, &o, &w);
    assert_true(r.warming_up && !r.interrupted && r.points > 0 && r.warmup_points == 0 && r.iterations == 0);
    assert_true(r.sigma_pb > 0. && r.error_pb > 0. && isnan(r.chi2_per_dof));
    w.progress = stop_at_once;
    r = integrate(3, &o, &w);
    assert_true(r.warming_up && r.interrupted && r.points > 0 && r.sigma_pb > 0.);
    w.progress = NULL;
    w.seconds = 0.1;
    do {
        w.seconds *= 3.; /* until a busy machine has adapted */
        r = integrate(2, &o, &w);
    } while (r.warming_up && w.seconds < 100.);
    assert_true(!r.warming_up && !r.interrupted && r.iterations > 0 && r.warmup_points > 0);
}

typedef struct countdown {
    int left;
} countdown;

static int stop_at_zero(const bg_result *r, void *user)
{
    countdown *c = user;
    (void)r;
    return --c->left <= 0;
}

/* Wherever a run is stopped, also just where it has adapted, it has something to show. */
static void stops_anywhere(void **state)
{
    (void)state;
    for (int calls = 1; calls < 24; calls++) {
        bg_options o;
        bg_integration w;
        countdown c = {calls};
        defaults(&o, &w);
        o.threads = 1;
        w.precision = 0.;
        w.points = 4000;
        w.progress = stop_at_zero;
        w.user = &c;
        const bg_result r = integrate(2, &o, &w);
        assert_true(r.points > 0 && r.sigma_pb > 0. && r.error_pb > 0.);
    }
}

/* Somebody who wants to stop from the `at`th question on, and lets a second pass before he is asked again. */
typedef struct impatience {
    int asked, at;
} impatience;

static int lose_patience(void *user)
{
    impatience *i = user;
    i->asked++;
    if (i->asked == i->at + 1) {
        const struct timespec pause = {1, 200000000};
        nanosleep(&pause, NULL);
    }
    return i->asked >= i->at;
}

/* A round that is given up leaves no trace: who goes on from there gets the bits of a run that was left alone. */
static void given_up_rounds_leave_no_trace(void **state)
{
    (void)state;
    bg_options o;
    bg_integration w;
    defaults(&o, &w);
    o.threads = 1;
    w.precision = 0.;
    w.points = 30000;
    const bg_result whole = integrate(3, &o, &w);
    impatience i = {0, 700};
    w.checkpoint = checkpoint_name;
    w.interrupted = lose_patience;
    w.user = &i;
    bg_result r = integrate(3, &o, &w);
    assert_true(r.interrupted && i.asked > i.at);
    w.interrupted = NULL;
    w.resume = checkpoint_name;
    r = integrate(3, &o, &w);
    assert_true(r.points == whole.points && r.sigma_pb == whole.sigma_pb && r.error_pb == whole.error_pb &&
                r.max_weight_pb == whole.max_weight_pb);
    unlink(checkpoint_name);
}

/* Points that take seconds each: the answer comes from within one. */
static void interrupts_reach_into_a_point(void **state)
{
    (void)state;
    static const struct {
        int n_out;
        bg_algorithm algorithm;
        bg_helicity helicity;
        bg_kernel kernel;
    } slow[] = {{9, BG_ALGORITHM_CO_SUM, BG_HELICITY_SUMMED, BG_KERNEL_FAST},
                {8, BG_ALGORITHM_CO_SUM, BG_HELICITY_SUMMED, BG_KERNEL_PAPER},
                {8, BG_ALGORITHM_LC, BG_HELICITY_SUMMED, BG_KERNEL_PAPER},
                {12, BG_ALGORITHM_CD_MC, BG_HELICITY_SUMMED, BG_KERNEL_FAST},
                {12, BG_ALGORITHM_CD_MC, BG_HELICITY_SUMMED, BG_KERNEL_PAPER}};
    for (size_t k = 0; k < sizeof slow / sizeof *slow; k++) {
        bg_options o;
        bg_integration w;
        bg_result result;
        bg_error error;
        bg_process *process;
        impatience i = {0, 1};
        defaults(&o, &w);
        bg_options_set_algorithm(&o, slow[k].algorithm, NULL);
        o.helicity = slow[k].helicity;
        o.kernel = slow[k].kernel;
        o.threads = 1;
        w.precision = 0.;
        w.points = 1000;
        w.interrupted = lose_patience;
        w.user = &i;
        bg_result_init(&result);
        assert_int_equal(bg_process_create_gluons(&process, slow[k].n_out, &error), BG_OK);
        const bg_status status = bg_integrate(process, &o, &w, &result, &error);
        bg_process_destroy(process);
        assert_int_equal(status, BG_ERROR_INTERRUPTED);
        assert_true(i.asked > 1 && strstr(error.message, "stopped")); /* tables, or points */
    }
}

/* ... and into whole events and color sums that are timed. */
static void interrupts_reach_into_timings(void **state)
{
    (void)state;
    bg_options o;
    bg_integration w;
    bg_error error;
    bg_process *process;
    bg_evaluator *e;
    bg_generator *g;
    bg_event_timing timing;
    bg_stages stages;
    impatience i = {0, 1 << 30};
    double momenta[4 * 10];
    uint64_t event = 0;
    double weight = 0.;
    defaults(&o, &w);
    bg_options_set_algorithm(&o, BG_ALGORITHM_CO_SUM, NULL);
    o.helicity = BG_HELICITY_SUMMED;
    o.kernel = BG_KERNEL_PAPER;
    o.threads = 1;
    assert_int_equal(bg_process_create_gluons(&process, 8, &error), BG_OK);
    assert_int_equal(bg_generator_create(&g, process, &o, &w, &error), BG_OK);
    assert_int_equal(bg_evaluator_create_for(&e, process, &o, BG_FOR_CROSS_SECTION, lose_patience, &i, &error), BG_OK);
    assert_true(i.asked > 0);
    i = (impatience){0, 1};
    assert_refused(bg_evaluator_time_events(e, g, 0, 1 << 16, &timing, &error), &error, BG_ERROR_INTERRUPTED,
                   "interrupted");
    while (!(weight > 0.)) {
        assert_int_equal(bg_generator_points(g, 1, &event, momenta, &weight, &error), BG_OK);
        event++;
    }
    i = (impatience){0, 1};
    assert_refused(bg_evaluator_time_stages(e, momenta, 1, 1, &stages, &error), &error, BG_ERROR_INTERRUPTED,
                   "interrupted");
    bg_evaluator_destroy(e);
    bg_generator_destroy(g);
    bg_process_destroy(process);
}

/* Few points: an error that is one, or none. */
static void few_points(void **state)
{
    (void)state;
    bg_options o;
    bg_integration w;
    defaults(&o, &w);
    w.precision = 0.;
    double squares = 0.;
    const int seeds = effort_of(60, 20);
    for (int k = 0; k < seeds; k++) {
        w.points = 40;
        o.seed = 500 + (uint64_t)k;
        const bg_result r = integrate(2, &o, &w);
        const double pull = (r.sigma_pb - 56.62666) / r.error_pb;
        assert_int_equal(r.iterations, 1);
        squares += pull * pull / seeds;
    }
    print_message("40 points: pulls spread by %.2f\n", sqrt(squares));
    assert_true(squares > 0.5 && squares < 2.);
    w.points = 1;
    assert_true(isnan(integrate(2, &o, &w).error_pb));
    w.cuts.dr_min = 5.905; /* possible up to 5.90508, and hardly ever found */
    w.points = 2000;
    const bg_result none = integrate(2, &o, &w);
    assert_int_equal(none.accepted, 0);
    assert_true(none.sigma_pb == 0. && isnan(none.error_pb) && isnan(none.chi2_per_dof));
}

static void bad_wishes_are_refused(void **state)
{
    (void)state;
    bg_options o;
    bg_integration w;
    defaults(&o, &w);
    bg_integration v = w;
    v.sqrts = -1.;
    expect_refusal(&o, &v, 2, BG_ERROR_ARGUMENT, "sqrts is -1");
    v = w;
    v.cuts.pt_min = 8000.;
    expect_refusal(&o, &v, 2, BG_ERROR_ARGUMENT, "pt_min is 8000");
    v = w;
    v.cuts.dr_min = -0.1;
    expect_refusal(&o, &v, 2, BG_ERROR_ARGUMENT, "dr_min is -0.1");
    v = w;
    v.cuts.ht_min = 14000.;
    expect_refusal(&o, &v, 2, BG_ERROR_ARGUMENT, "ht_min is 14000");
    v = w;
    v.cuts.mass_min = 8100.;
    expect_refusal(&o, &v, 3, BG_ERROR_ARGUMENT, "reach at most 8082.9");
    v = w;
    v.jet_cuts.leading_pt_min[2] = 30.;
    expect_refusal(&o, &v, 2, BG_ERROR_ARGUMENT, "pt3_min is 30 GeV; of 2 gluons");
    v.jet_cuts.leading_pt_min[2] = -1.;
    expect_refusal(&o, &v, 3, BG_ERROR_ARGUMENT, "pt3_min is -1");
    v.jet_cuts.leading_pt_min[2] = 4700.;
    expect_refusal(&o, &v, 3, BG_ERROR_ARGUMENT, "add up to 14100 GeV");
    v = w;
    v.jet_cuts.mass_max = -2.;
    expect_refusal(&o, &v, 3, BG_ERROR_ARGUMENT, "mass_max is -2");
    v.jet_cuts.mass_max = 50.;
    v.cuts.mass_min = 50.;
    expect_refusal(&o, &v, 3, BG_ERROR_ARGUMENT, "mass_max is 50; it must be above mass_min, which is 50");
    v = w;
    v.jet_cuts.kt_min = 1e-7;
    expect_refusal(&o, &v, 3, BG_ERROR_ARGUMENT, "kt_min is 1e-07");
    v = w;
    v.cuts.dr_min = 6.;
    expect_refusal(&o, &v, 2, BG_ERROR_ARGUMENT, "reach at most 5.905");
    v = w;
    v.points = UINT64_MAX;
    expect_refusal(&o, &v, 2, BG_ERROR_ARGUMENT, "at most 1000000000000000000");
    v = w;
    v.cuts.pt_min = 0.;
    expect_refusal(&o, &v, 2, BG_ERROR_UNSUPPORTED, "pt_min");
    v.cuts.pt_min = 1e-300;
    expect_refusal(&o, &v, 2, BG_ERROR_ARGUMENT, "pt_min is 1e-300; it must be 0 (no cut) or at least 1.4e-05");
    v = w;
    v.cuts.dr_min = 1e-9;
    expect_refusal(&o, &v, 3, BG_ERROR_ARGUMENT, "at least 1e-06");
    v = w;
    v.sqrts = 1e-300;
    expect_refusal(&o, &v, 2, BG_ERROR_ARGUMENT, "between 0.001 and 1e+08");
    for (int k = 0; k < 2; k++) { /* infinite, whoever makes the points */
        v = w;
        v.phase_space = k ? BG_PHASE_SPACE_RAMBO : BG_PHASE_SPACE_ADAPTIVE;
        v.cuts.dr_min = 0.;
        expect_refusal(&o, &v, 3, BG_ERROR_ARGUMENT, "dr_min and mass_min are 0: the cross section is infinite");
        v = w;
        v.phase_space = k ? BG_PHASE_SPACE_RAMBO : BG_PHASE_SPACE_ADAPTIVE;
        v.cuts.pt_min = 0.;
        expect_refusal(&o, &v, 3, BG_ERROR_ARGUMENT, "pt_min is 0: the cross section is infinite");
        v.cuts.eta_max = 0.;
        expect_refusal(&o, &v, 2, BG_ERROR_ARGUMENT, "pt_min is 0: the cross section is infinite");
    }
    v = w;
    v = w;
    v.precision = 2.;
    expect_refusal(&o, &v, 2, BG_ERROR_ARGUMENT, "precision is 2");
    v = w;
    v.precision = 0.;
    expect_refusal(&o, &v, 2, BG_ERROR_ARGUMENT, "no goal");
    o.samples = 3;
    expect_refusal(&o, &w, 2, BG_ERROR_UNSUPPORTED, "samples is 3");
    o.samples = 1;
    o.helicity = BG_HELICITY_FIXED;
    strcpy(o.helicities, "++-+");
    expect_refusal(&o, &w, 2, BG_ERROR_ARGUMENT, "helicities ++-+: the tree amplitude vanishes");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact_sum_is_exact),
        cmocka_unit_test(exact_sum_has_no_order),
        cmocka_unit_test(volumes_agree),
        cmocka_unit_test(cuts_hold),
        cmocka_unit_test(probabilities_are_those_of_the_draws),
        cmocka_unit_test(parts_cover_a_batch),
        cmocka_unit_test(devices_share_a_batch),
        cmocka_unit_test(deals_stay_whole),
        cmocka_unit_test(two_gluons_analytic),
        cmocka_unit_test(three_gluons_reference),
        cmocka_unit_test(four_gluons_stay),
        cmocka_unit_test(five_gluons_stay),
        cmocka_unit_test(five_coherent_gluons_stay),
        cmocka_unit_test(samplings_agree),
        cmocka_unit_test(errors_are_honest),
        cmocka_unit_test(small_cuts_are_honest),
        cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(resumed_is_identical),
        cmocka_unit_test(colors_are_dealt_once),
        cmocka_unit_test(bad_checkpoints_are_refused),
        cmocka_unit_test(impossible_checkpoints_are_refused),
        cmocka_unit_test(checkpoints_of_other_versions_are_refused),
        cmocka_unit_test(both_zeros_are_no_cut),
        cmocka_unit_test(full_disk_loses_nothing),
        cmocka_unit_test(finished_runs_go_on),
        cmocka_unit_test(early_stops),
        cmocka_unit_test(stops_anywhere),
        cmocka_unit_test(given_up_rounds_leave_no_trace),
        cmocka_unit_test(interrupts_reach_into_a_point),
        cmocka_unit_test(interrupts_reach_into_timings),
        cmocka_unit_test(few_points),
        cmocka_unit_test(bad_wishes_are_refused),
    };
    return cmocka_run_group_tests_name("integrate", tests, name_checkpoint, remove_checkpoint);
}
