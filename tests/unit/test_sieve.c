/* The estimate that comes first: whatever it says, sigma is that of the exact |M|^2 within its error, and a function of the
 * question; points that become events obey the rule of their largest weight. */
#define BLOCKGEN_EXPERIMENTAL
#include "support.h"

#include "accumulate/histograms.h"
#include "accumulate/tally.h"
#include "engine/sifting.h"
#include "events/survey.h"

#include <unistd.h>

/* ---- one point -------------------------------------------------------------------------------------------------------------- */

/* Made-up points: weights w, which scatter over factors, and estimates of them. */
typedef struct made_up {
    double w, e;
} made_up;

static double normal(random_source *r) { return sqrt(-2. * log(uniform(r, 1e-12, 1.))) * cos(uniform(r, 0., 2. * PI)); }

/* A sum over points after the sieve, and what is expected of it. */
typedef struct sieved_sum {
    bg_tally *tally;
    double w, variance; /* sum of w; variance of the sum of W, over the choices of the sieve alone */
    int kept;
} sieved_sum;

static void add_point(sieved_sum *s, const made_up *point, double threshold, uint64_t seed, uint64_t event)
{
    const bg_sieved k = sieve_point(threshold, point->e, seed, event);
    bg_tally_sieved(s->tally, &k, NULL, 1, 0., 0);
    s->tally->points++;
    s->tally->accepted++;
    s->w += point->w;
    if (k.estimate > 0. && k.estimate < threshold) {
        const double off = point->w - k.estimate;
        s->variance += off * off * (threshold / k.estimate - 1.);
    }
    if (!(k.probability > 0.)) return;
    s->kept++;
    bg_tally_kept(s->tally, &k, point->w, -1, 0.);
}

/* The sum of W is that of w within the scatter that the choices have, however wrong the scale or the shape of the estimate. */
static void any_estimate_is_unbiased(void **state)
{
    (void)state;
    static const double scale[] = {1e-6, 0.1, 1., 10., 1e6}, share[] = {1e-3, 0.03, 0.5};
    enum { POINTS = 20000 };
    random_source r = fixed_source(31);
    double square = 0.;
    int sums = 0;
    for (size_t a = 0; a < sizeof scale / sizeof *scale; a++)
        for (size_t b = 0; b < sizeof share / sizeof *share; b++)
            for (int blind = 0; blind < 2; blind++) {
                sieved_sum s = {.tally = bg_tally_create(0, 0, 0)};
                assert_non_null(s.tally);
                for (uint64_t k = 0; k < POINTS; k++) {
                    const double w = exp(1.5 * normal(&r)), other = exp(1.5 * normal(&r));
                    const made_up point = {w, scale[a] * (blind ? other : w * exp(0.3 * normal(&r)))};
                    add_point(&s, &point, scale[a] * exp(1.125) / share[b], 7 + a, k);
                }
                const double off = bg_exact_value(&s.tally->weight) - s.w, pull = off / sqrt(s.variance);
                assert_true(s.kept > 0 && s.kept < POINTS);
                assert_bounded(pull, 4.5, "pull with a scale of %g and a share of %g", scale[a], share[b]);
                square += pull * pull;
                sums++;
                bg_tally_destroy(s.tally);
            }
    const double rms = sqrt(square / sums);
    print_message("rms of %d pulls: %.2f\n", sums, rms);
    assert_true(rms > 0.7 && rms < 1.3);
}

/* The variance of W is Var e + sigma T rms^2, where all e are below the threshold T and w/e scatters alike everywhere; the share
 * that is kept is sigma / T. What a sifting learns from them are these numbers, and its threshold keeps what was asked for. */
static void variance_is_as_told(void **state)
{
    (void)state;
    enum { POINTS = 200000 };
    const double off = 2.5, rms = 0.4, share = 0.1;
    random_source r = fixed_source(32);
    sieved_sum s = {.tally = bg_tally_create(0, 0, 0)};
    assert_non_null(s.tally);
    bg_sifting f;
    bg_sifting_begin(&f, 6);
    f.mean = 1. * off; /* of the estimates, which are too large */
    bg_sifting_keep(&f, share);
    assert_relative(f.threshold, off / share, 1e-12, "threshold");
    for (uint64_t k = 0; k < POINTS; k++) {
        const double x = uniform(&r, 0., 1.), e = 3. * x * x; /* mean 1, mean square 9/5 */
        const made_up point = {e * (1. + (uniform(&r, 0., 1.) < 0.5 ? rms : -rms)), off * e};
        add_point(&s, &point, f.threshold, 5, k);
    }
    assert_relative((double)s.kept / POINTS, share, 0.03, "share of points that are kept");
    assert_relative(bg_sifting_take(&f, s.tally), 1. / off, 0.01, "factor of the estimates");
    assert_relative(f.scale, 1. / off, 0.01, "scale");
    assert_relative(f.mean, 1., 0.03, "mean of e");
    assert_relative(f.spread, 0.8, 0.15, "spread of e"); /* W scatters more before the scale is right */
    assert_relative(bg_sifting_rms(&f), rms, 0.02, "rms of w/e");
    bg_tally_destroy(s.tally);
    /* once more with the scale that was learned */
    s = (sieved_sum){.tally = bg_tally_create(0, 0, 0)};
    assert_non_null(s.tally);
    bg_sifting_keep(&f, share);
    for (uint64_t k = 0; k < POINTS; k++) {
        const double x = uniform(&r, 0., 1.), e = 3. * x * x;
        const made_up point = {e * (1. + (uniform(&r, 0., 1.) < 0.5 ? rms : -rms)), f.scale * off * e};
        add_point(&s, &point, f.threshold, 6, k);
    }
    const double sum = bg_exact_value(&s.tally->weight), squares = bg_exact_value(&s.tally->weight2);
    const double variance = bg_sum_variance(sum, squares, POINTS, POINTS, 0.) / POINTS;
    assert_relative(variance, 0.8 + f.threshold * rms * rms, 0.03, "variance of W");
    assert_bounded((sum / POINTS - 1.) / sqrt(variance / POINTS), 4., "pull of the mean of W");
    bg_tally_destroy(s.tally);
}

/* A lognormal e in steps of equal probability: the mean of f over the points inside the cuts. */
enum { QUANTILES = 4000 };

static double quantile(double probability)
{
    double low = -9., high = 9.;
    for (int k = 0; k < 60; k++) {
        const double z = 0.5 * (low + high);
        if (0.5 * erfc(-z * sqrt(0.5)) < probability)
            low = z;
        else
            high = z;
    }
    return low;
}

/* Time for a given error with the threshold 1/share, e having the mean 1 over trial points: every e by itself. The mean square of w/e - 1
 * falls with the third root of e. */
static double time_of(const double *e, double inside, double rms, double share, double trial, double exact)
{
    double squares = 0., scatter = 0., kept = 0., weighted = 0.;
    for (int k = 0; k < QUANTILES; k++) {
        const double p = fmin(1., e[k] * share), falling = 1. / cbrt(e[k]);
        squares += inside * e[k] * e[k] / QUANTILES;
        scatter += inside * rms * rms * falling * e[k] * e[k] / p / QUANTILES;
        weighted += inside * falling * e[k] / QUANTILES;
        kept += inside * p / QUANTILES;
    }
    return (squares - 1. + scatter / weighted) * (trial + exact * kept);
}

/* The share of points to keep is that of the least time for a given error, where few points have e above the threshold and where many
 * have. */
static void share_costs_least(void **state)
{
    (void)state;
    static double normal[QUANTILES], e[QUANTILES];
    bg_sifting f;
    bg_sifting_begin(&f, 6);
    assert_true(bg_sifting_best_share(&f, 1., 1e6) > 0.);
    for (int k = 0; k < QUANTILES; k++) normal[k] = quantile((k + 0.5) / QUANTILES);
    int saturated = 0;
    for (int k = 0; k < 5; k++) {
        static const double square[] = {1.01, 1.1, 2., 9., 20.}, width[] = {0.5, 1., 1.3, 0.7, 1.6};
        static const double inside[] = {0.9, 0.5, 0.2, 1., 0.08}, trial[] = {3e3, 3e3, 3e3, 3e3, 3e5};
        const double exact = 2e6;
        double mean = 0., squares = 0.;
        for (int i = 0; i < QUANTILES; i++) mean += inside[k] * exp(width[k] * normal[i]) / QUANTILES;
        for (int i = 0; i < QUANTILES; i++) {
            e[i] = exp(width[k] * normal[i]) / mean;
            squares += inside[k] * e[i] * e[i] / QUANTILES;
        }
        f.kept[0] = f.kept[1] = 10.;
        f.kept[2] = 10. * square[k];
        f.spread = squares - 1.;
        f.inside = inside[k];
        const double best = bg_sifting_best_share(&f, trial[k], exact), rms = bg_sifting_rms(&f);
        assert_relative(rms * rms, square[k] - 1., 1e-9, "rms^2");
        const double least = time_of(e, inside[k], rms, best, trial[k], exact);
        for (int step = -8; step <= 8; step++)
            assert_true(least <= time_of(e, inside[k], rms, best * exp2(0.25 * step), trial[k], exact) * 1.003);
        double kept = 0.;
        for (int i = 0; i < QUANTILES; i++) kept += inside[k] * fmin(1., e[i] * best) / QUANTILES;
        /* steps leave out the end of the tail, which the mean square is much of where e is wide */
        assert_relative(bg_sifting_kept_share(&f, best), kept, 0.05, "share of the points that is kept");
        saturated += kept < 0.8 * best;
    }
    assert_true(saturated > 0 && saturated < 5); /* both kinds are among them */
    assert_true(bg_sifting_best_share(&f, 1e6, 1.) <= 1.);
    assert_true(bg_sifting_kept_share(&f, 0.) == 0.);
    bg_sifting_keep(&f, 0.);
    assert_true(isinf(f.threshold));
}

/* A point whose estimate is no sensible number is kept, and adds its exact weight; one whose exact weight is none adds what leaves
 * nothing of it on average. */
static void senseless_estimates_are_kept(void **state)
{
    (void)state;
    static const double senseless[] = {(double)NAN, (double)INFINITY, -(double)INFINITY, 0., -3., 1e101};
    static const double threshold[] = {0., 1., 1e200, (double)INFINITY};
    for (size_t a = 0; a < sizeof senseless / sizeof *senseless; a++)
        for (size_t b = 0; b < sizeof threshold / sizeof *threshold; b++)
            for (uint64_t event = 0; event < 20; event++) {
                const bg_sieved s = sieve_point(threshold[b], senseless[a], 1, event);
                assert_true(s.probability == 1. && s.estimate == 0. && sieve_correction(&s, 3.5) == 3.5);
            }
    for (uint64_t event = 0; event < 20; event++) {
        assert_true(sieve_point(0., 1e-30, 1, event).probability == 1.);
        assert_true(sieve_point(2., 2., 1, event).probability == 1.);
        assert_true(sieve_point((double)INFINITY, 1e99, 1, event).probability == 0.);
    }
    bg_tally *t = bg_tally_create(0, 0, 0);
    assert_non_null(t);
    const bg_sieved half = {3., 0.5};
    bg_tally_kept(t, &half, (double)NAN, -1, 0.);
    assert_int_equal(t->nonfinite, 1);
    assert_true(bg_exact_value(&t->weight) == -3.);
    bg_tally_destroy(t);
}

/* ---- surveys ------------------------------------------------------------------------------------------------------------------ */

enum { SURVEYED = 1600 };

/* The smallest of these weights above which points carry at most the share, each point so many times; by looking at all. */
static double slow_largest(int count, const double *weight, const double *times, double share)
{
    double sum = 0., smallest = (double)INFINITY;
    for (int k = 0; k < count; k++) sum += weight[k] * times[k];
    for (int k = 0; k < count; k++) {
        double above = 0.;
        for (int i = 0; i < count; i++)
            if (weight[i] > weight[k]) above += weight[i] * times[i];
        if (above <= share * sum * (1. + 1e-12) && weight[k] < smallest) smallest = weight[k];
    }
    return smallest;
}

/* Without a sieve: in the midst of all weights to a bin or two; in the tail, which some ten points tell of, about as it is known of a
 * power law, where points above W carry the share W^(1 - power). */
static void largest_weight_obeys_the_rule(void **state)
{
    (void)state;
    static const double share[] = {0., 0.001, 0.02, 0.3}, power = 4.;
    random_source r = fixed_source(33);
    bg_survey s = {.exact = 0};
    double weight[SURVEYED], times[SURVEYED], sum = 0.;
    for (int k = 0; k < SURVEYED; k++) {
        weight[k] = pow(uniform(&r, 0., 1.), -1. / power);
        times[k] = 1.;
        sum += weight[k];
        bg_survey_note(&s, (uint64_t)k, weight[k]);
    }
    for (size_t a = 0; a < sizeof share / sizeof *share; a++) {
        const bg_survey_rule rule = {.overweight = share[a], .margin = 0., .trials = 50., .exact = 7.};
        const bg_survey_result found = bg_survey_plain(&s, &rule);
        const double largest = slow_largest(SURVEYED, weight, times, share[a]);
        double excess = 0.;
        for (int k = 0; k < SURVEYED; k++) excess += fmax(weight[k] - found.largest, 0.);
        assert_true(found.kept == SURVEYED);
        assert_relative(found.sum, sum, 1e-9, "sum");
        if (share[a] <= 0.) {
            assert_true(found.largest == largest && found.excess == 0.);
            continue;
        }
        const double within = share[a] > 0.1 ? 0.015 : 0.5, known = pow(share[a], 1. / (1. - power));
        assert_relative(found.largest, share[a] > 0.1 ? largest : known, within, "largest weight for %g", share[a]);
        assert_relative(found.cost, (50. + 7. * SURVEYED) * found.largest / sum, 1e-9, "cost for %g", share[a]);
        assert_true(fabs(found.excess - excess / sum) < 0.3 * share[a]);
        const double slope = bg_survey_slope(&s, &rule, bg_survey_plain);
        assert_true(slope > 0.1 && slope < 1.);
    }
    const bg_survey_rule more = {.overweight = 0.02, .margin = 1., .trials = 50., .exact = 7.},
                         less = {.overweight = 0.02};
    assert_true(bg_survey_plain(&s, &more).largest > 1.05 * bg_survey_plain(&s, &less).largest);
    bg_survey_free(&s);
    const bg_survey_result none = bg_survey_plain(&s, &less);
    assert_true(none.largest == 0. && none.sum == 0.);
    bg_survey_free(&s);
}

/* A survey that has met no point inside the cuts finds nothing, with overweights and without. */
static void surveys_may_be_empty(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        bg_survey s = {.exact = 0};
        const bg_survey_rule rule = {.overweight = k ? 0.001 : 0., .margin = 1., .trials = 5000., .exact = 10.};
        assert_true(bg_survey_first_threshold(&s, 200.) == 0.);
        const bg_survey_result found = bg_survey_sieved(&s, &rule);
        assert_true(found.sum == 0. && found.kept == 0. && found.largest == 0. && found.cost == 0.);
        assert_true(bg_survey_slope(&s, &rule, bg_survey_sieved) == 0.);
        assert_int_equal(s.failed, 0);
        bg_survey_free(&s);
    }
}

/* Estimates of all points in any order, then exact weights of those that the sieve keeps. */
static void survey_made_up(bg_survey *s, const made_up *point, double count)
{
    *s = (bg_survey){.exact = 0};
    for (int k = SURVEYED; k-- > 0;) bg_survey_note(s, (uint64_t)k, point[k].e);
    const double threshold = bg_survey_first_threshold(s, count);
    assert_true(bg_survey_kept(s, threshold) <= count * (1. + 1e-12));
    s->exact = 1;
    for (int k = 0; k < SURVEYED; k++) {
        const bg_sieved one = sieve_point(threshold, point[k].e, 3, (uint64_t)k);
        if (one.probability > 0.) bg_survey_note(s, (uint64_t)k, point[k].w / one.probability);
    }
    bg_survey_note(s, SURVEYED + 5, 1e9); /* a point whose estimate is no number does not count */
    assert_int_equal(s->failed, 0);
}

/* Where the estimate is perfect, kept points below the threshold all come with it as their weight. */
static void perfect_estimates_need_no_more(void **state)
{
    (void)state;
    random_source r = fixed_source(34);
    made_up point[SURVEYED];
    bg_survey s;
    for (int k = 0; k < SURVEYED; k++) point[k].w = point[k].e = uniform(&r, 0.5, 1.);
    survey_made_up(&s, point, SURVEYED / 16.);
    const bg_survey_rule rule = {.overweight = 0., .trials = 1., .exact = 1e3};
    const bg_survey_result found = bg_survey_sieved(&s, &rule);
    assert_true(found.threshold > 0.95); /* a lower one keeps more than are needed */
    assert_true(found.largest >= found.threshold && found.largest <= fmax(found.threshold, 1.) * (1. + 1e-12));
    assert_true(found.excess == 0.);
    bg_survey_free(&s);
}

/* Points and ratios of a survey, for looking at all of their products. */
typedef struct products {
    double e[SURVEYED], ratio[SURVEYED], times[SURVEYED], all;
    int count;
} products;

static products products_of(const bg_survey *s, const made_up *point)
{
    products p = {.count = 0};
    for (int i = 0; i < SURVEYED; i++) {
        p.e[i] = point[i].e;
        if (!(sieve_point(s->threshold, point[i].e, 3, (uint64_t)i).probability > 0.)) continue;
        p.ratio[p.count] = point[i].w / point[i].e;
        p.times[p.count] = fmax(point[i].e, s->threshold);
        p.all += p.times[p.count++];
    }
    return p;
}

/* What would be above `largest`, its error and the excess, by looking at all products. */
static void slow_tail(const products *p, double threshold, double largest, double *above, double *excess)
{
    double variance = 0., reached[SURVEYED] = {0.};
    *above = *excess = 0.;
    for (int i = 0; i < SURVEYED; i++) {
        double here = 0.;
        for (int j = 0; j < p->count; j++) {
            const double x = p->ratio[j] * fmax(p->e[i], threshold), share = p->ratio[j] * p->times[j] / p->all;
            if (!(x > largest)) continue;
            here += share;
            reached[j] += p->e[i] * share;
            *excess += p->e[i] * share * (1. - largest / x);
        }
        *above += p->e[i] * here;
        variance += p->e[i] * here * (p->e[i] * here);
    }
    for (int j = 0; j < p->count; j++) variance += reached[j] * reached[j];
    *above += sqrt(variance);
}

/* The largest weight is as small as the rule allows, products of all estimates with all ratios being as probable as they are; and the
 * threshold costs least among those a quarter of a factor of two apart. Tails are smooth in a survey, and jump here. */
static void thresholds_cost_least(void **state)
{
    (void)state;
    const double share = 0.1, width = 0.1;
    random_source r = fixed_source(35);
    for (int k = 0; k < 6; k++) {
        static const double trial[] = {1., 100., 1e4}, exact = 100.;
        made_up point[SURVEYED];
        bg_survey s;
        for (int i = 0; i < SURVEYED; i++) {
            point[i].w = exp(normal(&r));
            point[i].e = point[i].w * exp((k < 3 ? 0.2 : 1.) * normal(&r));
        }
        survey_made_up(&s, point, SURVEYED / 3.);
        const double trials = SURVEYED * trial[k % 3];
        const bg_survey_rule rule = {.overweight = share, .margin = 1., .trials = trials, .exact = exact};
        const bg_survey_result found = bg_survey_sieved(&s, &rule);
        const products p = products_of(&s, point);
        double sum = 0., mean = 0., above, excess;
        for (int j = 0; j < p.count; j++) mean += p.ratio[j] * p.times[j] / p.all;
        for (int i = 0; i < SURVEYED; i++) sum += p.e[i] * mean;
        assert_relative(found.sum, sum, 1e-9, "sum of survey %d", k);
        slow_tail(&p, found.threshold, found.largest * (1. + width), &above, &excess);
        assert_true(above <= 1.2 * share * sum);
        slow_tail(&p, found.threshold, found.largest * (1. - width), &above, &excess);
        assert_true(above >= share * sum);
        slow_tail(&p, found.threshold, found.largest, &above, &excess);
        assert_true(fabs(found.excess - excess / sum) < 0.2 * share);
        const double cost = (trials + exact * bg_survey_kept(&s, found.threshold)) * found.largest;
        for (int step = -16; step <= 16; step++) { /* with any smaller largest weight the rule would be broken */
            const double threshold = found.threshold * exp2(0.25 * step);
            const double largest = cost / (trials + exact * bg_survey_kept(&s, threshold)) * (1. - width);
            if (threshold < s.threshold / 15. || threshold > 15. * s.threshold) continue;
            slow_tail(&p, threshold, largest, &above, &excess);
            if (!(above >= share * sum))
                fail_msg("survey %d: threshold %g costs less than %g", k, threshold, found.threshold);
        }
        bg_survey_free(&s);
    }
}

/* ---- integrations ---------------------------------------------------------------------------------------------------------- */

typedef struct question {
    bg_process *process;
    bg_options options;
    bg_integration integration;
} question;

static void ask(question *q, const char *text, bg_estimates estimate)
{
    bg_error error;
    memset(q, 0, sizeof *q);
    if (bg_process_parse(&q->process, text, 3, 1, &error) != BG_OK) fail_msg("%s", error.message);
    bg_options_init(&q->options);
    bg_options_set_automatic(&q->options);
    strcpy(q->options.backend, "cpu");
    q->options.threads = 1;
    bg_integration_init(&q->integration);
    q->integration.estimate = estimate;
    q->integration.sqrts = bg_process_has_protons(q->process) ? 14000. : 500.; /* no long tails */
    q->integration.cuts.pt_min = 40.;
    q->integration.precision = 0.;
    q->integration.points = 6000;
}

static bg_result answer(const question *q)
{
    bg_result r;
    bg_error error;
    bg_result_init(&r);
    if (bg_integrate(q->process, &q->options, &q->integration, &r, &error) != BG_OK) fail_msg("%s", error.message);
    return r;
}

/* What is asked of every kind: gluons, also with colors that points share, one and two quark lines, and protons. */
static const struct {
    const char *process;
    bg_color color;
} kinds[] = {{"g g > g g g", BG_COLOR_AUTO},    {"g g > g g g g", BG_COLOR_AUTO}, {"g g > g g g g", BG_COLOR_SAMPLED},
             {"g g > u u~ g g", BG_COLOR_AUTO}, {"u d > u d g g", BG_COLOR_AUTO}, {"p p > 3j", BG_COLOR_AUTO}};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* Sigma with the estimate, of several seeds, against one without: they agree, and scatter as their errors say. */
static void estimates_do_not_matter(void **state)
{
    (void)state;
    const int seeds = effort_of(12, 3);
    double all = 0.;
    for (int k = 0; k < KINDS; k++) {
        question q;
        ask(&q, kinds[k].process, BG_ESTIMATE_OFF);
        q.integration.points = (uint64_t)effort_of(60000, 15000);
        const bg_result without = answer(&q);
        assert_true(!without.estimated && without.evaluated == without.accepted);
        bg_process_destroy(q.process);
        ask(&q, kinds[k].process, BG_ESTIMATE_ON);
        q.options.color = kinds[k].color;
        double square = 0., mean = 0.;
        for (int seed = 0; seed < seeds; seed++) {
            q.options.seed = 100 + (uint64_t)seed;
            const bg_result r = answer(&q);
            assert_true(r.estimated && r.evaluated > 0 && r.evaluated < r.accepted);
            const double pull = (r.sigma_pb - without.sigma_pb) / hypot(r.error_pb, without.error_pb);
            assert_bounded(pull, 5., "pull of %s", kinds[k].process);
            square += pull * pull;
            mean += pull;
        }
        print_message("%s: mean pull %.2f, rms %.2f\n", kinds[k].process, mean / seeds, sqrt(square / seeds));
        all += square;
        bg_process_destroy(q.process);
    }
    const double rms = sqrt(all / (KINDS * seeds));
    print_message("rms of all: %.2f\n", rms);
    assert_true(rms > 0.6 && rms < 1.4);
}

/* Histograms as integers, to be compared bit for bit. */
static int64_t *integers_of(const bg_histograms *h, size_t *count)
{
    *count = bg_histograms_integers(h);
    int64_t *integers = malloc(*count * sizeof *integers);
    assert_non_null(integers);
    bg_histograms_save(h, integers);
    return integers;
}

static void threads_do_not_matter(void **state)
{
    (void)state;
    for (int k = 0; k < KINDS; k++) {
        bg_result one;
        int64_t *first = NULL;
        question q;
        ask(&q, kinds[k].process, BG_ESTIMATE_ON);
        q.options.color = kinds[k].color;
        q.integration.points = 3000;
        for (int threads = 1; threads <= 3; threads += test_effort() < 1. ? 2 : 1) {
            size_t count;
            q.options.threads = threads;
            assert_int_equal(bg_histograms_create(&q.integration.histograms, q.process, &q.integration, NULL), BG_OK);
            const bg_result r = answer(&q);
            int64_t *integers = integers_of(q.integration.histograms, &count);
            bg_histograms_destroy(q.integration.histograms);
            if (threads == 1) {
                one = r;
                first = integers;
                continue;
            }
            if (r.sigma_pb != one.sigma_pb || r.error_pb != one.error_pb || r.evaluated != one.evaluated ||
                r.max_weight_pb != one.max_weight_pb || r.chi2_per_dof != one.chi2_per_dof ||
                r.accepted != one.accepted)
                fail_msg("%s: %d threads have another sigma", kinds[k].process, threads);
            assert_memory_equal(integers, first, count * sizeof *integers);
            free(integers);
        }
        free(first);
        bg_process_destroy(q.process);
    }
}

/* Bins add up to sigma, and agree with those of a run without the estimate. */
static void histograms_agree(void **state)
{
    (void)state;
    enum { MOST_BINS = 128 };
    double share[2][MOST_BINS], off[2][MOST_BINS], square = 0.;
    bg_histograms *h[2];
    question q;
    int compared = 0;
    for (int k = 0; k < 2; k++) {
        ask(&q, "g g > u u~ g g", k ? BG_ESTIMATE_ON : BG_ESTIMATE_OFF);
        q.options.seed = 3 + (uint64_t)k;
        q.integration.points = 20000;
        assert_int_equal(bg_histograms_create(&q.integration.histograms, q.process, &q.integration, NULL), BG_OK);
        h[k] = q.integration.histograms;
        const bg_result r = answer(&q);
        for (int i = 0; i < bg_histograms_size(h[k]); i++) {
            double sum = 0.;
            assert_true(bg_histograms_bins(h[k], i) <= MOST_BINS);
            assert_int_equal(bg_histograms_read(h[k], i, NULL, share[0], NULL, NULL, NULL), BG_OK);
            for (int b = 0; b < bg_histograms_bins(h[k], i); b++) sum += share[0][b];
            if (strcmp(bg_histograms_name(h[k], i), "weight"))
                assert_relative(sum, r.sigma_pb, 1e-9, "%s", bg_histograms_name(h[k], i));
        }
        if (!k) bg_process_destroy(q.process);
    }
    for (int i = 0; i < bg_histograms_size(h[0]); i++) {
        if (!strcmp(bg_histograms_name(h[0], i), "weight")) continue; /* these are of other things */
        for (int k = 0; k < 2; k++)
            assert_int_equal(bg_histograms_read(h[k], i, NULL, share[k], off[k], NULL, NULL), BG_OK);
        for (int b = 0; b < bg_histograms_bins(h[0], i); b++) {
            if (!(share[0][b] > 4. * off[0][b]) || !(share[1][b] > 4. * off[1][b])) continue; /* too few points */
            const double pull = (share[1][b] - share[0][b]) / hypot(off[0][b], off[1][b]);
            assert_bounded(pull, 5., "bin %d of %s", b, bg_histograms_name(h[0], i));
            square += pull * pull;
            compared++;
        }
    }
    print_message("rms pull of %d bins: %.2f\n", compared, sqrt(square / compared));
    assert_true(compared > 50 && square / compared < 2.);
    for (int k = 0; k < 2; k++) bg_histograms_destroy(h[k]);
    bg_process_destroy(q.process);
}

/* ---- runs that go on ------------------------------------------------------------------------------------------------------- */

/* Somebody who stops a run when he has been told of its progress, or asked whether it may go on, so many times. */
typedef struct patience {
    int told, asked;
} patience;

static int count_told(const bg_result *r, void *user)
{
    (void)r;
    return --((patience *)user)->told == 0;
}

static int count_asked(void *user) { return --((patience *)user)->asked <= 0; }

/* A run that is stopped after `runs` has more patience than those before. Returns whether it has come to its end. */
static int go_on(question *q, int runs, bg_result *r, int *nothing)
{
    bg_error error;
    patience left = {1 + runs, runs % 2 ? 30 * runs : 1 << 30};
    q->integration.user = &left;
    q->options.threads = 1 + runs % 3;
    assert_int_equal(bg_histograms_create(&q->integration.histograms, q->process, &q->integration, NULL), BG_OK);
    bg_result_init(r);
    const bg_status status = bg_integrate(q->process, &q->options, &q->integration, r, &error);
    if (status != BG_OK && status != BG_ERROR_INTERRUPTED) fail_msg("%s", error.message);
    *nothing += status != BG_OK;
    q->integration.resume = state_file;
    return status == BG_OK && !r->interrupted;
}

/* Stopped at many moments, the first of them while the pilot, of twelve rounds, looks for the scale of the estimate. */
static void resumed_is_identical(void **state)
{
    (void)state;
    for (int sampled = 0; sampled < 2; sampled++) {
        question q;
        size_t count;
        bg_result r;
        int runs = 0, nothing = 0;
        ask(&q, "g g > g g g g", BG_ESTIMATE_ON);
        if (sampled) q.options.color = BG_COLOR_SAMPLED;
        assert_int_equal(bg_histograms_create(&q.integration.histograms, q.process, &q.integration, NULL), BG_OK);
        const bg_result straight = answer(&q);
        int64_t *first = integers_of(q.integration.histograms, &count);
        bg_histograms_destroy(q.integration.histograms);
        q.integration.checkpoint = state_file;
        q.integration.progress = count_told;
        q.integration.interrupted = count_asked;
        while (!go_on(&q, runs++, &r, &nothing)) {
            if (runs > 100) fail_msg("it never ends");
            bg_histograms_destroy(q.integration.histograms);
        }
        print_message("%d runs, %d of them without a result\n", runs, nothing);
        assert_true(nothing > 0 && runs > nothing + 1); /* before there are exact values there is no result */
        assert_true(r.sigma_pb == straight.sigma_pb && r.error_pb == straight.error_pb &&
                    r.evaluated == straight.evaluated && r.max_weight_pb == straight.max_weight_pb);
        int64_t *last = integers_of(q.integration.histograms, &count);
        assert_memory_equal(first, last, count * sizeof *first);
        free(first);
        free(last);
        bg_histograms_destroy(q.integration.histograms);
        bg_process_destroy(q.process);
        unlink(state_file);
    }
}

/* A checkpoint of a run with the estimate is not one of a run without. */
static void question_says_which(void **state)
{
    (void)state;
    question q;
    bg_result r;
    bg_error error;
    ask(&q, "g g > g g g", BG_ESTIMATE_ON);
    bg_result_init(&r);
    q.integration.points = 1000;
    q.integration.checkpoint = state_file;
    answer(&q);
    q.integration.resume = state_file;
    q.integration.estimate = BG_ESTIMATE_OFF;
    assert_refused(bg_integrate(q.process, &q.options, &q.integration, &r, &error), &error, BG_ERROR_ARGUMENT,
                   "estimate|there|here");
    bg_process_destroy(q.process);
    unlink(state_file);
}

static int take_points(const bg_points *points, void *user)
{
    (void)points;
    (void)user;
    return 0;
}

/* Where all points need an exact |M|^2. */
static void all_points_need_it_off(void **state)
{
    (void)state;
    question q;
    bg_result r;
    bg_error error;
    ask(&q, "g g > g g g g", BG_ESTIMATE_ON);
    q.integration.points = 500;
    q.integration.receive = take_points;
    bg_result_init(&r);
    assert_refused(bg_integrate(q.process, &q.options, &q.integration, &r, &error), &error, BG_ERROR_UNSUPPORTED,
                   "estimate is on|delivered|off or auto");
    q.integration.receive = NULL;
    q.integration.hybrid = 1;
    assert_refused(bg_integrate(q.process, &q.options, &q.integration, &r, &error), &error, BG_ERROR_UNSUPPORTED,
                   "estimate is on|hybrid|off or auto");
    q.integration.hybrid = 0;
    q.integration.receive = take_points;
    q.integration.estimate = BG_ESTIMATE_AUTO;
    assert_false(answer(&q).estimated);
    q.integration.receive = NULL;
    assert_true(answer(&q).estimated);
    bg_process_destroy(q.process);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_estimate_is_unbiased),
        cmocka_unit_test(variance_is_as_told),
        cmocka_unit_test(share_costs_least),
        cmocka_unit_test(senseless_estimates_are_kept),
        cmocka_unit_test(largest_weight_obeys_the_rule),
        cmocka_unit_test(surveys_may_be_empty),
        cmocka_unit_test(perfect_estimates_need_no_more),
        cmocka_unit_test(thresholds_cost_least),
        cmocka_unit_test(estimates_do_not_matter),
        cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(histograms_agree),
        cmocka_unit_test(resumed_is_identical),
        cmocka_unit_test(question_says_which),
        cmocka_unit_test(all_points_need_it_off),
    };
    return cmocka_run_group_tests_name("sieve", tests, name_state_file, remove_state_file);
}
