#include "events/generate.h"
#include "base/room.h"
#include "base/status.h"
#include "base/system.h"
#include "backend/plan.h"
#include "engine/keep.h"
#include "engine/ranks.h"
#include "engine/state.h"
#include "events/origin.h"
#include "events/reweight.h"
#include "events/survey.h"
#include "random/philox.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#ifdef _OPENMP
#include <omp.h>
#endif

enum { BLOCK = 8192 }; /* events that are handed over together */
/* Trial points of a survey: that of the largest class has SURVEY of them, that of the smallest LEAST_SURVEY. Where most are only estimated,
 * which costs little, there are more: once again for every FEW_EVENTS events up to FEW_TIMES, and once for every EVENTS_TIMES, up to
 * MOST_TIMES; within these bounds at least SURVEYED_PART of all trial points that the events will take. */
enum { SURVEY = 60000, LEAST_SURVEY = 5000 };
enum { FEW_EVENTS = 6000, FEW_TIMES = 3, EVENTS_TIMES = 20000, MOST_TIMES = 32 };
#define SURVEYED_PART 0.2
/* Where none of them is inside the cuts, and as many events of the class will come as AWAITED, there are MORE times as many, and so on. */
enum { MORE = 16, MOST_SURVEYED = 1 << 26 };
#define AWAITED 0.01
/* Of the points of a survey so many get an exact |M|^2 as cost what their estimates do, or EXACT_OF_EVENTS for each event of the class
 * if that is more: at least LEAST_EXACT, and of the largest class at most MOST_EXACT. */
enum { MOST_EXACT = 32000, LEAST_EXACT = 200 };
#define EXACT_OF_EVENTS 0.2
#define EXACT_TRIALS 5.         /* Exact values count as so many trial points at least, so that few are wanted. */
#define LEAST_OVERWEIGHT 0.8    /* A class may have so many times the share of overweights at least, */
#define MOST_OVERWEIGHT 3.      /* and so many times at most. */
#define DEVIATIONS 1.5          /* of what is not known of their share are left as a margin */
enum { MOST_TRIALS = 1 << 20 }; /* trial points of a class at a time */
enum { MOST_NUMBERS = 4 * BG_MAX_LEGS };

/* A point that was kept. */
typedef struct kept_point {
    uint64_t number; /* of the trial point, from 0 on */
    double weight;   /* pb */
    double momenta[MOST_NUMBERS];
} kept_point;

/* What is known of a class while events are made. */
typedef struct event_class {
    double largest;   /* W */
    double rate;      /* points kept of a trial point */
    double kept_rate; /* |M|^2 of a trial point */
    double share;     /* of all events */
    double unit;      /* of the weight of an event: pb for w = W, or for w = 1 pb where events are weighted */
    uint64_t next;    /* trial point */
    uint64_t begin;   /* trial point that was the first after the survey */
    uint64_t tried;   /* trial points up to the last event */
    uint64_t used;    /* trial point: those before it were made by a run before, and are left out */
    kept_point *kept; /* those that wait, in the order of their numbers */
    size_t first, count, room;
    double inside, sum, above; /* of the survey: points, their weights, and the share of these above W */
    bg_survey survey;
    bg_survey_rule rule; /* by which W is chosen */
    bg_survey_result found;
    double slope;      /* the cost of an event falls with this power of the share of overweights */
    uint64_t surveyed; /* trial points of the survey */
} event_class;

typedef struct bg_event_run {
    const bg_process *process;
    const bg_generation *wish;
    bg_generation own_wish; /* of a run that is opened: with the question of its integration */
    bg_integration integration;
    bg_options options;
    bg_ranks ranks;
    bg_many *many;
    bg_reweight *reweight; /* for variations; NULL: none */
    event_class *class_of;
    int classes, now;
    int keeping; /* 0: a survey */
    double sqrts, alpha_s;
    double total;       /* sigma in pb */
    bg_flow **flow;     /* [thread][class], made when they are first needed */
    int threads, lanes; /* flows that a thread draws together */
    uint64_t seed;
    double overweight, all_weight; /* sums over events */
    double largest_weight;         /* of an event, in units of the plain one */
    double cut_off;                /* what weights had above the largest one where all events are to count alike, pb */
    int failed;                    /* no memory in a sink */
} bg_event_run;
typedef bg_event_run generation;

/* ---- points -------------------------------------------------------------------------------------------------------- */

static void keep(generation *g, event_class *c, uint64_t number, double w, const double *momenta)
{
    c->kept = bg_more_places(c->kept, c->count, &c->room, sizeof *c->kept, &g->failed);
    if (g->failed) return;
    kept_point *k = &c->kept[c->count++];
    k->number = number;
    k->weight = w;
    memcpy(k->momenta, momenta, 4 * (size_t)g->process->subprocess[g->now].n * sizeof *momenta);
}

/* Takes the points of a batch: one thread at a time. */
static void take(void *user, size_t count, const double *momenta, const double *weight, const uint64_t *event)
{
    generation *g = user;
    event_class *c = &g->class_of[g->now];
    const uint64_t seed = bg_many_seed(g->many, g->now);
    const size_t numbers = 4 * (size_t)g->process->subprocess[g->now].n;
    for (size_t k = 0; k < count; k++) {
        const double w = weight[k];
        if (!(w > 0.) || !isfinite(w)) continue;
        if (!g->keeping)
            bg_survey_note(&c->survey, event[k], w);
        else if (g->wish->weighted || w > c->largest * bg_random_number(seed, event[k], BG_STREAM_UNWEIGHT))
            keep(g, c, event[k], w, momenta + k * numbers);
    }
}

static uint64_t whole_deals(double trials) { return (uint64_t)(trials / BG_DEAL) * BG_DEAL + BG_DEAL; }

/* What trial points of a class go to. */
static bg_status try_points(generation *g, int k, uint64_t count, int survey, bg_error *error)
{
    const bg_sink sink = {take, g};
    event_class *c = &g->class_of[k];
    g->now = k;
    const bg_status status = (survey ? bg_many_survey : bg_many_trials)(g->many, k, c->next, count, &sink, error);
    c->next += count;
    if (status == BG_OK && g->failed) return bg_fail(error, BG_ERROR_MEMORY, "no memory for the points of events");
    return status;
}

/* ---- largest weights --------------------------------------------------------------------------------------------------- */

/* Trial points of a class that only tell its largest weight: all of them by their estimates where there are any, and exact ones of
 * as many as are needed. */
static bg_status survey_points(generation *g, int k, double exact, uint64_t trials, bg_error *error)
{
    event_class *c = &g->class_of[k];
    const uint64_t first = c->next;
    if (!bg_many_is_sieved(g->many, k)) return try_points(g, k, trials, 0, error);
    bg_status status = try_points(g, k, trials, 1, error);
    if (status != BG_OK) return status;
    const double threshold = bg_survey_first_threshold(&c->survey, exact);
    if (!(threshold > 0.)) return BG_OK; /* none is inside the cuts */
    bg_many_set_threshold(g->many, k, threshold);
    c->survey.exact = 1;
    c->next = first; /* the same points */
    status = try_points(g, k, trials, 0, error);
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
    while (status == BG_OK && !(c->found.sum > 0.) && c->surveyed < MOST_SURVEYED)
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

static bg_status survey(generation *g, bg_error *error)
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

/* ---- whole events ---------------------------------------------------------------------------------------------------------- */

static double transverse(const double *p) { return hypot(p[1], p[2]); }

/* Which channel of the class it is: as probable as the densities of its partons make it, among those that come from this
 * side. */
static const bg_channel *choose_channel(const generation *g, int k, const bg_densities *f, int exchanged, double u)
{
    const bg_process *process = g->process;
    const bg_channel *first = process->channel + process->first[k], *end = process->channel + process->first[k + 1];
    double sum = 0., upto = 0.;
    const bg_channel *last = NULL;
    for (int pass = 0; pass < 2; pass++)
        for (const bg_channel *c = first; c < end; c++) {
            if (f && c->exchanged != exchanged) continue;
            const double here = f ? f->beam[0][pdf_place(c->in[0])] * f->beam[1][pdf_place(c->in[1])] : 1.;
            if (!(here > 0.)) continue;
            if (!pass) {
                sum += here;
                continue;
            }
            last = c;
            upto += here;
            if (u * sum < upto) return c;
        }
    return last ? last : first;
}

/* mu^2 of the outgoing legs; without protons that of HT/2. */
static double scale2_of(const bg_protons *b, int n, const double *p)
{
    static const bg_protons usual = {.scale = BG_SCALE_HT, .part = 0.5};
    vec4 q[BG_MAX_LEGS];
    for (int k = 2; k < n; k++) {
        const double *from = p + 4 * k;
        const vec4 v = {bg_real(from[0]), bg_real(from[1]), bg_real(from[2]), bg_real(from[3])};
        q[k - 2] = v;
    }
    return bg_lane(protons_scale2(b ? b : &usual, n - 2, q), 0);
}

/* From 0 on, in its class. */
static uint64_t trial_number(const kept_point *point) { return point->number & ((UINT64_C(1) << 61) - 1u); }

/* Its weight in units of the usual one. Where none may be above it, all count alike. */
static double over_of(const generation *g, const event_class *c, const kept_point *point)
{
    const double over = point->weight / c->largest;
    return over > 1. && g->wish->overweight > 0. ? over : 1.;
}

/* In pb; the mean over all events is the cross section. */
static double weight_of(const generation *g, const event_class *c, const kept_point *point)
{
    return c->unit * (g->wish->weighted ? point->weight : over_of(g, c, point));
}

/* One for each leg where they are definite, because they were drawn with the point or are given; otherwise NULL. */
static const char *helicities_of(const generation *g, int k, const kept_point *point, char *word)
{
    const bg_subprocess *s = &g->process->subprocess[k];
    uint32_t configuration;
    if (!bg_many_helicities(g->many, k, point->number, point->momenta, &configuration)) return NULL;
    configuration ^= s->incoming; /* bits are those of legs that go out */
    for (int place = 0; place < s->n; place++) word[s->leg[place]] = configuration >> place & 1u ? '+' : '-';
    word[s->n] = '\0';
    return word;
}

/* All of an event but its color flow. */
static void complete(const generation *g, int k, const kept_point *point, bg_event *e)
{
    const bg_subprocess *s = &g->process->subprocess[k];
    const event_class *c = &g->class_of[k];
    const bg_protons *b = bg_many_protons(g->many, k);
    const double *p = point->momenta, mu2 = scale2_of(b, s->n, p);
    char word[BG_MAX_LEGS + 1];
    const char *helicities = helicities_of(g, k, point, word);
    const int exchanged = p[3] < 0.; /* leg 0 flies along -z */
    const uint64_t seed = bg_many_seed(g->many, k);
    memset(e, 0, sizeof *e);
    e->number = trial_number(point);
    e->process = k;
    e->legs = s->n;
    e->weight = weight_of(g, c, point);
    e->trials = 1.;
    e->mur = sqrt(mu2) * (b ? b->mur : 1.);
    e->muf = sqrt(mu2) * (b ? b->muf : 1.);
    e->scale = sqrt(mu2);
    if (g->wish->softest_scale)
        for (int leg = 2; leg < s->n; leg++) e->scale = fmin(e->scale, transverse(p + 4 * leg));
    e->alpha_s = b ? pdf_alpha_s(&b->grid, e->mur * e->mur) : g->alpha_s;
    for (int side = 0; side < 2; side++) { /* the one along +z first */
        const double energy = p[4 * (side ^ exchanged)];
        e->x[side] = b ? 2. * energy / g->sqrts : 1.;
    }
    bg_densities f;
    if (b) densities_of(&b->grid, e->x[0], e->x[1], e->muf * e->muf, &f);
    const bg_channel *own =
        choose_channel(g, k, b ? &f : NULL, exchanged, bg_random_number(seed, point->number, BG_STREAM_CHANNEL));
    for (int leg = 0; leg < s->n; leg++) {
        e->pdg[leg] = bg_channel_parton(own, s->pdg[leg]);
        e->helicity[leg] = !helicities ? BG_HELICITY_UNKNOWN : helicities[leg] == '+' ? 1 : -1;
        memcpy(e->momentum[leg], p + 4 * leg, 4 * sizeof *p);
    }
    for (int side = 0; b && side < 2; side++) e->xf[side] = f.beam[side][pdf_place(e->pdg[side ^ exchanged])];
}

/* The flows of `count` events of a class, which are those with the numbers `index`. */
static bg_status draw_flows(const generation *g, int k, int count, const uint16_t *index,
                            const kept_point *const *point, bg_flow **flow, bg_event *event, bg_error *error)
{
    const int legs = g->process->subprocess[k].n;
    bg_flow_point at[BG_FLOW_MOST_LANES];
    char word[BG_FLOW_MOST_LANES][BG_MAX_LEGS + 1];
    bg_status status = *flow ? BG_OK : bg_flow_make(flow, &g->process->subprocess[k], error);
    for (int i = 0; i < count; i++) {
        bg_event *e = &event[index[i]];
        const int known = e->helicity[0] != BG_HELICITY_UNKNOWN;
        for (int leg = 0; leg < legs; leg++) word[i][leg] = e->helicity[leg] == 1 ? '+' : '-';
        word[i][legs] = '\0';
        at[i] = (bg_flow_point){.pdg = e->pdg,
                                .momenta = point[index[i]]->momenta,
                                .helicities = known ? word[i] : NULL,
                                .seed = bg_many_seed(g->many, k),
                                .event = point[index[i]]->number,
                                .color = &e->color[0][0]};
    }
    return status == BG_OK ? bg_flow_draw_some(*flow, count, at, error) : status;
}

/* ---- blocks of events ---------------------------------------------------------------------------------------------------- */

static int compare_points(const void *a, const void *b)
{
    const kept_point *x = a, *y = b;
    return x->number < y->number ? -1 : x->number > y->number;
}

/* Points of this rank from `before` on become those of all ranks, in the order of their numbers. */
static bg_status join_points(generation *g, event_class *c, size_t before, bg_error *error)
{
    void *all;
    size_t total;
    bg_status status = BG_OK;
    if (g->ranks.count > 1) {
        status = bg_ranks_gather(&g->ranks, c->kept ? c->kept + before : NULL, c->count - before, sizeof *c->kept, &all,
                                 &total, error);
        if (status != BG_OK) return status;
        kept_point *more = before + total > c->room ? realloc(c->kept, (before + total) * sizeof *more) : c->kept;
        if (more) {
            if (total) memcpy(more + before, all, total * sizeof *more);
            c->kept = more;
            c->count = before + total;
            if (c->room < c->count) c->room = c->count;
        } else if (before + total) {
            status = bg_fail(error, BG_ERROR_MEMORY, "no memory for the points of events");
        }
        free(all);
        status = bg_ranks_agree(&g->ranks, status, error);
    }
    if (status == BG_OK && c->count > before)
        qsort(c->kept + before, c->count - before, sizeof *c->kept, compare_points);
    return status;
}

/* Leaves out what a run before has made. */
static void drop_used(event_class *c, size_t before)
{
    size_t left = before;
    for (size_t i = before; i < c->count; i++)
        if (trial_number(&c->kept[i]) >= c->used) c->kept[left++] = c->kept[i];
    c->count = left;
}

/* So many trial points more, each rank its part of them. */
static bg_status go_on(generation *g, int k, uint64_t count, bg_error *error)
{
    event_class *c = &g->class_of[k];
    const size_t before = c->count;
    const uint64_t first = c->next;
    uint64_t from, size;
    bg_batch_part(count, BG_DEAL, (uint64_t)g->ranks.count, (uint64_t)g->ranks.mine, &from, &size);
    c->next = first + from;
    bg_status status = bg_ranks_agree(&g->ranks, size ? try_points(g, k, size, 0, error) : BG_OK, error);
    c->next = first + count;
    if (status != BG_OK) return status;
    drop_used(c, before);
    return join_points(g, c, before, error);
}

/* So many kept points of a class, in the order of their numbers. */
static bg_status fill(generation *g, int k, size_t wanted, bg_error *error)
{
    event_class *c = &g->class_of[k];
    bg_status status = BG_OK;
    if (c->first) memmove(c->kept, c->kept + c->first, (c->count - c->first) * sizeof *c->kept);
    c->count -= c->first;
    c->first = 0;
    while (status == BG_OK && c->count < wanted) {
        const double trials = 1.1 * (double)(wanted - c->count) / c->rate + 64.;
        const uint64_t most = trials < MOST_TRIALS ? (uint64_t)trials : MOST_TRIALS;
        status = go_on(g, k, most / BG_DEAL * BG_DEAL + BG_DEAL, error);
    }
    return status;
}

/* The classes of the next events. */
static void draw_classes(const generation *g, uint64_t first, int count, uint16_t *class_of)
{
    for (int i = 0; i < count; i++) {
        double u = bg_random_number(g->seed, first + (uint64_t)i, BG_STREAM_CLASS);
        int k = 0;
        while (k + 1 < g->classes && u >= g->class_of[k].share) u -= g->class_of[k++].share;
        while (k > 0 && !(g->class_of[k].share > 0.)) k--;
        class_of[i] = (uint16_t)k;
    }
}

/* Events of one class whose flows are drawn together. */
typedef struct flow_group {
    uint16_t class_of, first, count; /* `first` in the list of events by class */
} flow_group;

/* The events from `first` up to `end` by class, and groups of them; returns how many there are. */
static int group_events(const generation *g, int first, int end, const uint16_t *class_of, uint16_t *index,
                        flow_group *group)
{
    int groups = 0, listed = 0;
    for (int k = 0; k < g->classes; k++)
        for (int i = first, open = 0; i < end; i++) {
            if (class_of[i] != k) continue;
            if (!open) group[groups++] = (flow_group){(uint16_t)k, (uint16_t)listed, 0};
            group[groups - 1].count++;
            open = (open + 1) % g->lanes;
            index[listed++] = (uint16_t)i;
        }
    return groups;
}

static int this_thread(void)
{
#ifdef _OPENMP
    return omp_get_thread_num();
#else
    return 0;
#endif
}

/* Points from `first` up to `end` become events. */
static bg_status complete_some(generation *g, int first, int end, const uint16_t *class_of,
                               const kept_point *const *point, bg_event *event, bg_error *error)
{
    uint16_t index[BLOCK];
    flow_group group[BLOCK];
    const int groups = group_events(g, first, end, class_of, index, group);
    bg_status worst = BG_OK;
    bg_error why = {BG_OK, ""};
#ifdef _OPENMP
#pragma omp parallel for schedule(dynamic) num_threads(g->threads)
#endif
    for (int i = 0; i < groups; i++) {
        const flow_group *of = &group[i];
        const int k = of->class_of;
        bg_error own;
        for (int j = of->first; j < of->first + of->count; j++) complete(g, k, point[index[j]], &event[index[j]]);
        const bg_status one = draw_flows(g, k, of->count, index + of->first, point,
                                         &g->flow[this_thread() * g->classes + k], event, &own);
        if (one == BG_OK) continue;
#ifdef _OPENMP
#pragma omp critical(blockgen_events)
#endif
        {
            worst = one;
            why = own;
        }
    }
    return worst == BG_OK ? BG_OK : bg_fail(error, worst, "%s", why.message);
}

/* The events of a batch that are this rank's, where ranks share them. */
typedef struct event_range {
    int first, end;
} event_range;

static event_range own_range(const generation *g, int count)
{
    uint64_t first, size;
    bg_batch_part((uint64_t)count, 1, (uint64_t)g->ranks.count, (uint64_t)g->ranks.mine, &first, &size);
    return (event_range){(int)first, (int)(first + size)};
}

/* All of them, each rank a part; where every rank hands over its own, they stay there. */
static bg_status complete_all(generation *g, int count, const uint16_t *class_of, const kept_point *const *point,
                              bg_event *event, bg_error *error)
{
    const event_range own = own_range(g, count);
    void *all;
    size_t total;
    bg_status status = complete_some(g, own.first, own.end, class_of, point, event, error);
    if (g->ranks.count == 1) return status;
    status = bg_ranks_agree(&g->ranks, status, error);
    if (status != BG_OK || g->wish->shared) return status;
    status = bg_ranks_gather(&g->ranks, event + own.first, (size_t)(own.end - own.first), sizeof *event, &all, &total,
                             error);
    if (status != BG_OK) return status;
    memcpy(event, all, (size_t)count * sizeof *event);
    free(all);
    return BG_OK;
}

static bg_status make_block(generation *g, uint64_t first, int count, uint16_t *class_of, bg_event *event,
                            bg_error *error)
{
    size_t *wanted = calloc((size_t)g->classes, sizeof *wanted);
    const kept_point **point = malloc((size_t)count * sizeof *point);
    bg_status status = wanted && point ? BG_OK : bg_fail(error, BG_ERROR_MEMORY, "no memory for %d events", count);
    if (status == BG_OK) draw_classes(g, first, count, class_of);
    for (int i = 0; i < count && status == BG_OK; i++) wanted[class_of[i]]++;
    for (int k = 0; k < g->classes && status == BG_OK; k++)
        if (wanted[k]) status = fill(g, k, wanted[k], error);
    for (int i = 0; i < count && status == BG_OK; i++) {
        event_class *c = &g->class_of[class_of[i]];
        point[i] = &c->kept[c->first++];
        c->tried = trial_number(point[i]) + 1 - c->begin;
    }
    if (status == BG_OK) status = complete_all(g, count, class_of, point, event, error);
    for (int i = 0; i < count && status == BG_OK; i++) {
        const event_class *c = &g->class_of[class_of[i]];
        const double weight = weight_of(g, c, point[i]), over = weight / c->unit;
        g->all_weight += weight;
        if (!g->wish->weighted && !(g->wish->overweight > 0.) && point[i]->weight > c->largest)
            g->cut_off += c->unit * point[i]->weight / c->largest - weight;
        if (!g->wish->weighted && over > 1.) g->overweight += weight;
        if (over > g->largest_weight) g->largest_weight = over;
    }
    free(wanted);
    free(point);
    return status;
}

/* Where events of before are known: how many there are, and the trial points that they have used up in every class. */
static bg_status go_to_first(generation *g, uint64_t *skip, uint64_t *done, bg_error *error)
{
    const bg_generation *w = g->wish;
    const size_t bytes = (size_t)g->classes * sizeof(uint64_t);
    uint64_t place[2] = {w->skip, w->used != NULL};
    uint64_t *used = malloc(bytes);
    bg_status status = bg_ranks_agree(
        &g->ranks, used ? BG_OK : bg_fail(error, BG_ERROR_MEMORY, "no memory for %d classes", g->classes), error);
    if (status == BG_OK) {
        bg_ranks_broadcast(&g->ranks, place, sizeof place);
        if (w->used) memcpy(used, w->used, bytes);
        if (place[1]) bg_ranks_broadcast(&g->ranks, used, bytes);
        status = bg_ranks_agree(&g->ranks, BG_OK, error);
    }
    *skip = place[0];
    *done = place[1] ? place[0] : 0;
    for (int k = 0; place[1] && k < g->classes && status == BG_OK; k++) {
        event_class *c = &g->class_of[k];
        if (used[k] <= c->begin) continue;
        c->used = used[k];
        c->tried = used[k] - c->begin;
        c->next = used[k] / BG_DEAL * BG_DEAL;
    }
    free(used);
    return status;
}

/* Of a batch, what this rank hands over: without its first `skip` events, which are known already. */
static event_range range_to_hand_over(const generation *g, int count, int skip)
{
    event_range r = g->wish->shared ? own_range(g, count) : (event_range){0, g->ranks.mine ? 0 : count};
    if (r.first < skip) r.first = skip < r.end ? skip : r.end;
    return r;
}

/* Additional weights for these, and then they go. */
static bg_status hand_over(generation *g, bg_event *event, event_range r, uint64_t done, bg_error *error)
{
    const size_t count = (size_t)(r.end - r.first);
    bg_status status = BG_OK;
    if (g->reweight && count) status = bg_reweight_events(g->reweight, event + r.first, count, g->threads, error);
    status = bg_ranks_agree(&g->ranks, status, error);
    if (status != BG_OK) return status;
    if ((count || g->wish->shared) && g->wish->receive(event + r.first, count, g->wish->user))
        status = bg_fail(error, BG_ERROR_INTERRUPTED, "stopped after %" PRIu64 " events", done);
    return bg_ranks_agree(&g->ranks, status, error);
}

static bg_status make_events(generation *g, bg_error *error)
{
    const bg_generation *w = g->wish;
    uint16_t *class_of = malloc(BLOCK * sizeof *class_of);
    bg_event *event = malloc(BLOCK * sizeof *event);
    uint64_t done = 0, before = 0;
    bg_status status = class_of && event ? BG_OK : bg_fail(error, BG_ERROR_MEMORY, "no memory for %d events", BLOCK);
    status = bg_ranks_agree(&g->ranks, status, error);
    if (status == BG_OK) status = go_to_first(g, &before, &done, error);
    while (done < w->events && status == BG_OK) {
        const uint64_t left = w->events - done;
        const int count = left < BLOCK ? (int)left : BLOCK;
        status = make_block(g, done, count, class_of, event, error);
        const uint64_t skip = before > done ? before - done : 0;
        done += (uint64_t)count;
        if (status == BG_OK && skip < (uint64_t)count)
            status = hand_over(g, event, range_to_hand_over(g, count, (int)skip), done, error);
    }
    free(class_of);
    free(event);
    return status;
}

/* ---- the whole ------------------------------------------------------------------------------------------------------------- */

/* What is drawn besides the point makes its weight scatter, and few points are kept then: sums, where they do not take too long.
 * (Where |M|^2 is estimated first, that is the choice anyway.) */
static void choose_exact(bg_options *o, const bg_process *process)
{
    enum { MOST_SUMMED = 5 }; /* outgoing partons */
    if (process->subprocess[0].n_out > MOST_SUMMED) return;
    if (o->color == BG_COLOR_AUTO) o->color = BG_COLOR_SUMMED;
    if (o->recursion == BG_RECURSION_AUTO && o->color == BG_COLOR_SUMMED) o->recursion = BG_RECURSION_ORDERED;
    if (o->helicity == BG_HELICITY_AUTO) o->helicity = BG_HELICITY_SUMMED;
}

static void release(generation *g)
{
    for (int k = 0; g->class_of && k < g->classes; k++) {
        free(g->class_of[k].kept);
        bg_survey_free(&g->class_of[k].survey);
    }
    for (int k = 0; g->flow && k < g->threads * g->classes; k++) bg_flow_destroy(g->flow[k]);
    free(g->flow);
    free(g->class_of);
    bg_reweight_destroy(g->reweight);
    bg_many_close(g->many);
}

/* What the survey of a class has found, to or from a parcel: all that events depend on besides grids. */
static void pass_class(event_class *c, bg_parcel *p)
{
    bg_parcel_pass(p, &c->largest, sizeof c->largest);
    bg_parcel_pass(p, &c->rate, sizeof c->rate);
    bg_parcel_pass(p, &c->kept_rate, sizeof c->kept_rate);
    bg_parcel_pass(p, &c->share, sizeof c->share);
    bg_parcel_pass(p, &c->unit, sizeof c->unit);
    bg_parcel_pass(p, &c->begin, sizeof c->begin);
    if (p->unpacking) c->next = c->begin;
}

/* Everything that was learned before the first event, to or from a parcel. */
static bg_status pass_learned(generation *g, bg_parcel *p, bg_result *sigma, bg_error *error)
{
    const char *path = g->wish->state;
    double wish[3] = {g->wish->overweight, g->wish->weighted, (double)g->wish->events};
    bg_status status = bg_many_pass(g->many, p, path, error);
    if (status == BG_OK && p->unpacking) status = bg_many_adopt(g->many, path, sigma, error);
    bg_parcel_pass(p, wish, sizeof wish);
    for (int k = 0; k < g->classes && status == BG_OK; k++) pass_class(&g->class_of[k], p);
    if (status != BG_OK) return status;
    if (p->failed || (p->unpacking && !bg_parcel_is_empty(p)))
        return bg_fail(error, BG_ERROR_ARGUMENT, "'%s' is damaged: it has the wrong length", path);
    if (wish[0] != g->wish->overweight || wish[1] != g->wish->weighted)
        return bg_fail(error, BG_ERROR_ARGUMENT, "'%s' is of another run: weighted or overweight events differ", path);
    if (wish[2] != (double)g->wish->events)
        return bg_fail(error, BG_ERROR_ARGUMENT,
                       "'%s' is of a run of %.0f events, and what it has learned depends on that; %" PRIu64
                       " were asked for",
                       path, wish[2], g->wish->events);
    g->keeping = 1;
    return BG_OK;
}

/* All ranks pack what they have added up, rank 0 writes it. */
static bg_status save_learned(generation *g, bg_result *sigma, bg_error *error)
{
    bg_parcel p = {.bytes = NULL};
    bg_status status = pass_learned(g, &p, sigma, error);
    if (status == BG_OK && g->ranks.mine == 0) status = bg_keep_write(g->wish->state, &p, error);
    bg_parcel_free(&p);
    return bg_ranks_agree(&g->ranks, status, error);
}

/* Rank 0 reads, all unpack. *found: there was something to read. */
static bg_status read_learned(generation *g, bg_result *sigma, int *found, bg_error *error)
{
    bg_parcel p = {.bytes = NULL};
    bg_status status = g->ranks.mine == 0 ? bg_keep_read(g->wish->state, &p, error) : BG_OK;
    uint64_t there = status != BG_ERROR_IO;
    if (!there) status = BG_OK;
    bg_ranks_broadcast(&g->ranks, &there, sizeof there);
    *found = there != 0;
    status = bg_ranks_agree(&g->ranks, status, error);
    if (status == BG_OK && *found) status = bg_ranks_send_parcel(&g->ranks, &p, error);
    if (status == BG_OK && *found) status = bg_ranks_agree(&g->ranks, pass_learned(g, &p, sigma, error), error);
    bg_parcel_free(&p);
    return status;
}

/* Devices may round differently: what the survey of rank 0 has found goes for all. */
static void agree_on_class(generation *g, int k)
{
    event_class *c = &g->class_of[k];
    double *const number[] = {&c->largest, &c->rate, &c->kept_rate, &c->share, &c->unit, &c->found.threshold};
    for (size_t i = 0; i < sizeof number / sizeof *number; i++)
        bg_ranks_broadcast(&g->ranks, number[i], sizeof *number[i]);
    bg_ranks_broadcast(&g->ranks, &c->begin, sizeof c->begin);
    c->next = c->begin;
    if (bg_many_is_sieved(g->many, k)) bg_many_set_threshold(g->many, k, c->found.threshold);
}

/* Integrates and surveys, or reads what a run before has learned. */
static bg_status learn(generation *g, bg_result *sigma, bg_error *error)
{
    int found = 0;
    bg_status status = BG_OK;
    if (g->wish->state && g->wish->go_on) status = read_learned(g, sigma, &found, error);
    if (status == BG_OK && !found) {
        status = bg_many_integrate(g->many, sigma, error);
        if (status == BG_OK && sigma->interrupted)
            status = bg_fail(error, BG_ERROR_INTERRUPTED, "stopped while sigma was integrated");
        g->total = sigma->sigma_pb;
        if (status == BG_OK) status = bg_ranks_agree(&g->ranks, survey(g, error), error);
        for (int k = 0; k < g->classes && status == BG_OK; k++) agree_on_class(g, k);
        if (status == BG_OK && g->wish->state) status = save_learned(g, sigma, error);
    }
    g->total = sigma->sigma_pb;
    return status;
}

/* Everything up to the first event. */
static bg_status open_run(generation *g, const bg_process *process, const bg_options *options,
                          const bg_integration *integration, const bg_generation *wish, bg_result *sigma,
                          bg_error *error)
{
    *g = (generation){.process = process,
                      .own_wish = *wish,
                      .integration = *integration,
                      .options = *options,
                      .classes = process->count,
                      .sqrts = integration->sqrts,
                      .alpha_s = options->alpha_s,
                      .threads = options->threads ? options->threads : bg_default_threads(),
                      .seed = options->seed};
    g->wish = wish;
#ifndef _OPENMP
    g->threads = 1;
#endif
    bg_result_init(sigma);
    if (integration->estimate == BG_ESTIMATE_OFF) choose_exact(&g->options, process);
    bg_status status = bg_ranks_open(&g->ranks, integration->communicator, error);
    if (status == BG_OK)
        status = bg_many_open(&g->many, process, fmax((double)wish->events, 1.), &g->options, &g->integration,
                              sizeof *sigma, error);
    g->class_of = calloc((size_t)g->classes, sizeof *g->class_of);
    g->flow = calloc((size_t)g->threads * (size_t)g->classes, sizeof(bg_flow *));
    const bg_flow_kernel *kernel = NULL;
    if (status == BG_OK) status = bg_flow_kernel_find(&kernel, 0, error);
    if (status == BG_OK) g->lanes = kernel->lanes;
    if (status == BG_OK && (!g->class_of || !g->flow))
        status = bg_fail(error, BG_ERROR_MEMORY, "no memory for %d classes", g->classes);
    status = bg_ranks_agree(&g->ranks, status, error);
    return status == BG_OK ? learn(g, sigma, error) : status;
}

/* Tells the caller what is known: on rank 0, or on all where they share what comes. */
static bg_status announce(generation *g, const bg_result *sigma, bg_generation_result *result, bg_error *error)
{
    const bg_generation *w = g->wish;
    double shared[2] = {w->shared != 0, w->shared == 0};
    bg_status status = BG_OK;
    bg_ranks_max(&g->ranks, shared, 2);
    if (shared[0] > 0. && shared[1] > 0.)
        return bg_fail(error, BG_ERROR_ARGUMENT,
                       "generation.shared is set on some ranks only; it must be on all, or none");
    result->sigma_pb = sigma->sigma_pb;
    result->error_pb = sigma->error_pb;
    result->pdf_id = bg_many_pdf_id(g->many);
    result->estimated = sigma->estimated;
    if ((g->ranks.mine == 0 || w->shared) && w->begin && w->begin(result, w->user))
        status = bg_fail(error, BG_ERROR_INTERRUPTED, "stopped before the first event");
    return bg_ranks_agree(&g->ranks, status, error);
}

bg_status bg_generation_run(const bg_process *process, const bg_options *options, const bg_integration *integration,
                            const bg_generation *wish, bg_generation_result *result, bg_error *error)
{
    bg_result sigma;
    generation g;
    const double started = bg_seconds();
    bg_status status = open_run(&g, process, options, integration, wish, &sigma, error);
    if (status == BG_OK)
        status = bg_ranks_agree(&g.ranks, bg_reweight_create(&g.reweight, g.many, process, integration, BLOCK, error),
                                error);
    if (status == BG_OK) bg_reweight_describe(g.reweight, result);
    if (status == BG_OK) status = announce(&g, &sigma, result, error);
    const double begun = bg_seconds();
    if (status == BG_OK) status = make_events(&g, error);
    result->events = status == BG_OK ? wish->events : 0;
    result->trials = 0; /* what was tried beyond the last event of a class is not a part of it */
    result->evaluated = 0.;
    for (int k = 0; g.class_of && k < g.classes; k++) {
        const event_class *c = &g.class_of[k];
        result->trials += c->tried;
        result->evaluated += c->kept_rate * (double)c->tried;
    }
    result->efficiency = result->trials ? (double)result->events / (double)result->trials : 0.;
    result->overweight_share = g.all_weight > 0. ? g.overweight / g.all_weight : 0.;
    result->largest_weight = g.largest_weight;
    result->cut_share = g.all_weight > 0. ? g.cut_off / (g.all_weight + g.cut_off) : 0.;
    result->seconds = bg_seconds() - started;
    result->seconds_events = bg_seconds() - begun;
    bg_reweight_describe(NULL, result); /* the names go */
    release(&g);
    return status == BG_OK ? bg_succeed(error) : status;
}

/* ---- events once more ------------------------------------------------------------------------------------------------------ */

bg_status bg_event_run_open(bg_event_run **run, const bg_process *process, const bg_options *options,
                            const bg_integration *integration, const bg_generation *wish, bg_error *error)
{
    bg_result sigma;
    generation *g = malloc(sizeof *g);
    *run = NULL;
    if (!g) return bg_fail(error, BG_ERROR_MEMORY, "no memory for a run");
    const bg_status status = open_run(g, process, options, integration, wish, &sigma, error);
    g->wish = &g->own_wish;
    if (status != BG_OK) {
        bg_event_run_close(g);
        return status;
    }
    *run = g;
    return bg_succeed(error);
}

void bg_event_run_close(bg_event_run *g)
{
    if (!g) return;
    release(g);
    free(g);
}

/* The point of one number among those of a batch. */
typedef struct wanted_point {
    uint64_t number;
    size_t numbers; /* of its momenta */
    int found;
    kept_point point;
} wanted_point;

static void look_for(void *user, size_t count, const double *momenta, const double *weight, const uint64_t *event)
{
    wanted_point *w = user;
    for (size_t k = 0; k < count; k++) {
        const kept_point here = {.number = event[k], .weight = weight[k]};
        if (trial_number(&here) != w->number) continue;
        w->point = here;
        memcpy(w->point.momenta, momenta + k * w->numbers, w->numbers * sizeof *momenta);
        w->found = 1;
    }
}

bg_status bg_event_run_again(bg_event_run *g, int k, uint64_t number, bg_event *event, bg_event_origin *origin,
                             bg_error *error)
{
    enum { MOST_BITS = 61 }; /* of a number, see trial_number() */
    if (k < 0 || k >= g->classes)
        return bg_fail(error, BG_ERROR_ARGUMENT, "class %d; it must be 1 to %d", k + 1, g->classes);
    if (number >> MOST_BITS)
        return bg_fail(error, BG_ERROR_ARGUMENT, "event %" PRIu64 " of class %d; numbers are below 2^%d", number, k + 1,
                       (int)MOST_BITS);
    const bg_subprocess *s = &g->process->subprocess[k];
    const event_class *c = &g->class_of[k];
    const uint64_t unit = bg_deal_unit(bg_many_state(g->many, k)->group);
    wanted_point w = {.number = number, .numbers = 4 * (size_t)s->n};
    const bg_sink sink = {look_for, &w};
    bg_status status = bg_many_trials(g->many, k, number / unit * unit, unit, &sink, error);
    if (status == BG_OK && !(w.found && w.point.weight > 0.))
        return bg_fail(error, BG_ERROR_POINT,
                       "trial point %" PRIu64 " of class %d is outside the cuts, or the sieve has not kept it", number,
                       k + 1);
    if (status == BG_OK) {
        static const uint16_t only = 0;
        const kept_point *const point = &w.point;
        complete(g, k, point, event);
        status = draw_flows(g, k, 1, &only, &point, &g->flow[k], event, error);
    }
    if (status != BG_OK) return status;
    origin->seed = bg_many_seed(g->many, k);
    origin->weight_pb = w.point.weight;
    origin->largest_pb = g->wish->weighted ? 0. : c->largest;
    origin->chance = bg_random_number(origin->seed, w.point.number, BG_STREAM_UNWEIGHT);
    origin->exchanged = w.point.momenta[3] < 0.;
    const bg_interrupt interrupt = {.asked = g->integration.interrupted, .user = g->integration.user}; /* no grace */
    return bg_origin_fill(origin, event, s, bg_many_protons(g->many, k), &g->options, interrupt, error);
}
