/* The largest weights of the classes of a run are settled, by surveys: trial points that become no events.
 *
 * How long the survey of a class is follows from its part of the cross section, from how many events are wanted, and from what a
 * first survey has found. Then overweights are shared out among the classes, and each gets its W and the threshold of its sieve
 * (events/survey.h).
 */
#include "events/run.h"
#include "base/status.h"
#include "backend/plan.h"

#include <inttypes.h>
#include <math.h>

/* Trial points of a survey: that of the largest class has SURVEY of them, that of the smallest LEAST_SURVEY. Where most are only estimated,
 * which costs little, there are more: once again for every FEW_EVENTS events up to FEW_TIMES, and once for every EVENTS_TIMES, up to
 * MOST_TIMES; within these bounds at least SURVEYED_PART of all trial points that the events will take. */
enum { SURVEY = 60000, LEAST_SURVEY = 5000 };
enum { FEW_EVENTS = 6000, FEW_TIMES = 3, EVENTS_TIMES = 20000, MOST_TIMES = 32 };
#define SURVEYED_PART 0.2
/* Where fewer than LEAST_FOUND of them are inside the cuts, and as many events of the class will come as AWAITED, there are MORE times
 * as many, and so on. */
enum { LEAST_FOUND = 10, MORE = 16, MOST_SURVEYED = 1 << 26 };
#define AWAITED 0.01
/* Of the points of a survey so many get an exact |M|^2 as cost what their estimates do, or EXACT_OF_EVENTS for each event of the class
 * if that is more: at least LEAST_EXACT, and of the largest class at most MOST_EXACT. */
enum { MOST_EXACT = 32000, LEAST_EXACT = 200 };
#define EXACT_OF_EVENTS 0.2
#define EXACT_TRIALS 5.      /* Exact values count as so many trial points at least, so that few are wanted. */
#define LEAST_OVERWEIGHT 0.8 /* A class may have so many times the share of overweights at least, */
#define MOST_OVERWEIGHT 3.   /* and so many times at most. */
#define DEVIATIONS 1.5       /* of what is not known of their share are left as a margin */

/* ---- surveys ------------------------------------------------------------------------------------------------------------- */

static uint64_t whole_deals(double trials) { return (uint64_t)(trials / BG_DEAL) * BG_DEAL + BG_DEAL; }

/* Trial points of a class that only tell its largest weight: all of them by their estimates where there are any, and exact ones of
 * as many as are needed. */
static bg_status survey_points(generation *g, int k, double exact, uint64_t trials, bg_error *error)
{
    event_class *c = &g->class_of[k];
    const uint64_t first = c->next;
    if (!bg_many_is_sieved(g->many, k)) return bg_run_try_points(g, k, trials, 0, error);
    bg_status status = bg_run_try_points(g, k, trials, 1, error);
    if (status != BG_OK) return status;
    const double threshold = bg_survey_first_threshold(&c->survey, exact);
    if (!(threshold > 0.)) return BG_OK; /* none is inside the cuts */
    bg_many_set_threshold(g->many, k, threshold);
    c->survey.exact = 1;
    c->next = first; /* the same points */
    status = bg_run_try_points(g, k, trials, 0, error);
    return status;
}

/* The share of a class in the cross section. */
static double part_of(const generation *g, int k)
{
    const double sigma = bg_many_result(g->many, k)->sigma_pb;
    return sigma > 0. ? sigma / g->total : 0.;
}

static bg_survey_look *look_of(const generation *g, int k)
{
    return bg_many_is_sieved(g->many, k) ? bg_survey_sieved : bg_survey_plain;
}

/* Surveys a class with so many trial points, and finds a first W for it. */
static bg_status survey_class(generation *g, int k, double trials, bg_error *error)
{
    event_class *c = &g->class_of[k];
    const double part = part_of(g, k);
    c->surveyed = whole_deals(trials);
    double trial, exact;
    bg_many_costs(g->many, k, &trial, &exact);
    const double as_long = trial / exact * (double)c->surveyed;
    const double worth = fmax(as_long, EXACT_OF_EVENTS * part * (double)g->wish->events);
    const double exact_points = fmax(fmin(worth, MOST_EXACT * sqrt(part)), LEAST_EXACT);
    c->rule = (bg_survey_rule){.overweight = g->wish->overweight,
                               .margin = 0.,
                               .trials = trial * (double)c->surveyed,
                               .exact = fmax(exact, EXACT_TRIALS * trial)};
    const bg_status status = survey_points(g, k, exact_points, c->surveyed, error);
    if (status != BG_OK) return status;
    c->found = look_of(g, k)(&c->survey, &c->rule);
    return c->survey.failed ? bg_fail(error, BG_ERROR_MEMORY, "no memory for a survey of %llu points",
                                      (unsigned long long)c->surveyed)
                            : BG_OK;
}

/* A longer survey begins anew. */
static bg_status survey_again(generation *g, int k, double trials, bg_error *error)
{
    event_class *c = &g->class_of[k];
    bg_survey_free(&c->survey);
    c->next -= c->surveyed;
    return survey_class(g, k, trials, error);
}

/* Of a class that has a part of sigma there are points inside the cuts. */
static bg_status survey_until_found(generation *g, int k, double trials, bg_error *error)
{
    const event_class *c = &g->class_of[k];
    bg_status status = survey_class(g, k, trials, error);
    if (part_of(g, k) * (double)g->wish->events < AWAITED) return status;
    while (status == BG_OK && c->survey.count[0] < LEAST_FOUND && c->surveyed < MOST_SURVEYED)
        status = survey_again(g, k, MORE * (double)c->surveyed, error);
    return status == BG_OK && !(c->found.sum > 0.)
               ? bg_fail(error, BG_ERROR_POINT,
                         "none of %" PRIu64 " trial points of class %d is inside the cuts, although it has %.2g of the "
                         "cross section: the cuts leave too little room for events",
                         c->surveyed, k + 1, part_of(g, k))
               : status;
}

/* Many events, or those of a class that keeps few points, come upon what a short survey has not seen: then there is a longer one. */
static bg_status survey_enough(generation *g, int k, bg_error *error)
{
    const event_class *c = &g->class_of[k];
    const double events = (double)g->wish->events, usual = fmax(SURVEY * sqrt(part_of(g, k)), LEAST_SURVEY);
    const double least = fmin(fmax(events / FEW_EVENTS, 1.), FEW_TIMES);
    const double times = bg_many_is_sieved(g->many, k) ? fmin(fmax(events / EVENTS_TIMES, least), MOST_TIMES) : 1.;
    const bg_status status = survey_until_found(g, k, times * usual, error);
    if (status != BG_OK || !(c->found.sum > 0.)) return status;
    const double to_come = part_of(g, k) * events * (double)c->surveyed * c->found.largest / c->found.sum;
    const double wanted = fmin(SURVEYED_PART * to_come, MOST_TIMES * usual);
    return wanted > 2. * (double)c->surveyed ? survey_again(g, k, wanted, error) : BG_OK;
}

/* ---- what they say ------------------------------------------------------------------------------------------------------- */

/* Overweights where they gain most. The cost C of an event of a class falls with a small power of the share above W, the slope, so
 * that all events, sum part C, cost the least for shares proportional to slope C. What is not known of these shares adds up in
 * squares: of the standard deviation of a class its part in that of the sum is enough of a margin. */
static void share_overweights(generation *g)
{
    double all = 0., given = 0., variance = 0.;
    for (int k = 0; k < g->classes && g->wish->overweight > 0.; k++) {
        event_class *c = &g->class_of[k];
        c->slope = bg_survey_slope(&c->survey, &c->rule, look_of(g, k));
        all += part_of(g, k) * c->slope * c->found.cost;
    }
    if (!(all > 0.)) return;
    for (int k = 0; k < g->classes; k++) {
        event_class *c = &g->class_of[k];
        const double times = c->slope * c->found.cost / all;
        c->rule.overweight = g->wish->overweight * fmin(fmax(times, LEAST_OVERWEIGHT), MOST_OVERWEIGHT);
        given += part_of(g, k) * c->rule.overweight;
    }
    for (int k = 0; k < g->classes; k++) {
        event_class *c = &g->class_of[k];
        c->rule.overweight *= g->wish->overweight / given;
        c->rule.margin = part_of(g, k) * c->rule.overweight * c->found.error;
        variance += c->rule.margin * c->rule.margin;
    }
    for (int k = 0; k < g->classes && variance > 0.; k++) g->class_of[k].rule.margin *= DEVIATIONS / sqrt(variance);
}

/* The W and T of a class, and what follows from them. */
static bg_status settle_class(generation *g, int k, bg_error *error)
{
    event_class *c = &g->class_of[k];
    bg_survey_result *r = &c->found;
    *r = look_of(g, k)(&c->survey, &c->rule);
    if (bg_many_is_sieved(g->many, k)) bg_many_set_threshold(g->many, k, r->threshold);
    const int failed = c->survey.failed;
    bg_survey_free(&c->survey);
    if (failed) return bg_fail(error, BG_ERROR_MEMORY, "no memory for what a survey has found");
    c->largest = r->largest;
    c->above = r->excess;
    c->inside = r->kept;
    c->sum = r->sum;
    c->kept_rate = r->kept / (double)c->surveyed;
    c->rate = g->wish->weighted ? c->kept_rate
              : r->largest > 0. ? r->sum * (1. - r->excess) / r->largest / (double)c->surveyed
                                : 0.;
    const double sigma = bg_many_result(g->many, k)->sigma_pb;
    c->share = c->largest > 0. ? sigma * (g->wish->weighted ? 1. : 1. - c->above) : 0.;
    return BG_OK;
}

/* Better estimates for classes of which there will be many events; all ranks together. */
static bg_status learn_factors(generation *g, bg_error *error)
{
    bg_status status = BG_OK;
    for (int k = 0; k < g->classes && status == BG_OK; k++)
        status = bg_many_learn(g->many, k, part_of(g, k) * (double)g->wish->events, error);
    return status;
}

bg_status bg_run_settle(generation *g, bg_error *error)
{
    double all = 0.;
    bg_status status = learn_factors(g, error);
    for (int k = 0; k < g->classes && status == BG_OK; k++) status = survey_enough(g, k, error);
    if (status == BG_OK) share_overweights(g);
    for (int k = 0; k < g->classes && status == BG_OK; k++) {
        status = settle_class(g, k, error);
        all += g->class_of[k].share;
    }
    for (int k = 0; k < g->classes && status == BG_OK; k++) {
        event_class *c = &g->class_of[k];
        c->share /= all;
        c->unit = g->wish->weighted ? all * c->inside / c->sum : all;
    }
    for (int k = 0; k < g->classes; k++) g->class_of[k].begin = g->class_of[k].next;
    g->keeping = 1;
    return status == BG_OK && !(all > 0.)
               ? bg_fail(error, BG_ERROR_POINT, "the cross section is zero: there are no events")
               : status;
}
