#include "events/generate.h"
#include "base/status.h"
#include "base/system.h"
#include "backend/plan.h"
#include "engine/many.h"
#include "events/reweight.h"
#include "random/philox.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#ifdef _OPENMP
#include <omp.h>
#endif

enum { BLOCK = 8192 };          /* events that are handed over together */
enum { SURVEY = 60000 };        /* trial points that tell the largest weight of the largest class */
enum { LEAST_SURVEY = 6000 };   /* ... and of the smallest */
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
    double share;     /* of all events */
    double unit;      /* of the weight of an event: pb for w = W, or for w = 1 pb where events are weighted */
    uint64_t next;    /* trial point */
    uint64_t begin;   /* trial point that was the first after the survey */
    uint64_t tried;   /* trial points up to the last event */
    kept_point *kept; /* those that wait, in the order of their numbers */
    size_t first, count, room;
    double inside, sum, above; /* of the survey: points inside the cuts, their weights, and what is above W */
    double *weight;            /* of the survey */
    size_t weights, weight_room;
} event_class;

typedef struct generation {
    const bg_process *process;
    const bg_generation *wish;
    bg_many *many;
    bg_reweight *reweight; /* for variations; NULL: none */
    event_class *class_of;
    int classes, now;
    int keeping; /* 0: a survey */
    double sqrts, alpha_s;
    double total;   /* sigma in pb */
    bg_flow **flow; /* [thread][class], made when they are first needed */
    int threads;
    uint64_t seed;
    double overweight, all_weight; /* sums over events */
    double largest_weight;         /* of an event, in units of the plain one */
    int failed;                    /* no memory in a sink */
} generation;

/* ---- points -------------------------------------------------------------------------------------------------------- */

static double number_of(uint64_t seed, uint64_t event, uint32_t stream)
{
    const bg_random r = bg_random_at(seed, event, 0, stream);
    double u[2];
    bg_random_pair(&r, 0, u);
    return u[0];
}

static void note_weight(generation *g, event_class *c, double w)
{
    if (c->weights == c->weight_room) {
        const size_t room = 2 * c->weight_room + 4096;
        double *more = realloc(c->weight, room * sizeof *more);
        if (!more) {
            g->failed = 1;
            return;
        }
        c->weight = more;
        c->weight_room = room;
    }
    c->weight[c->weights++] = w;
}

static void keep(generation *g, event_class *c, uint64_t number, double w, const double *momenta)
{
    if (c->count == c->room) {
        const size_t room = 2 * c->room + 1024;
        kept_point *more = realloc(c->kept, room * sizeof *more);
        if (!more) {
            g->failed = 1;
            return;
        }
        c->kept = more;
        c->room = room;
    }
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
            note_weight(g, c, w);
        else if (g->wish->weighted || w > c->largest * number_of(seed, event[k], BG_STREAM_UNWEIGHT))
            keep(g, c, event[k], w, momenta + k * numbers);
    }
}

static bg_status try_points(generation *g, int k, uint64_t count, bg_error *error)
{
    const bg_sink sink = {take, g};
    event_class *c = &g->class_of[k];
    g->now = k;
    const bg_status status = bg_many_trials(g->many, k, c->next, count, &sink, error);
    c->next += count;
    if (status == BG_OK && g->failed) return bg_fail(error, BG_ERROR_MEMORY, "no memory for the points of events");
    return status;
}

/* ---- largest weights --------------------------------------------------------------------------------------------------- */

static int compare_weights(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? 1 : x > y ? -1 : 0;
}

/* The largest weight by the rule, from weights in falling order. */
static void find_largest(event_class *c, uint64_t trials, double overweight)
{
    if (c->weights) qsort(c->weight, c->weights, sizeof *c->weight, compare_weights);
    double above = 0., excess = 0.;
    size_t k = 0;
    for (size_t i = 0; i < c->weights; i++) c->sum += c->weight[c->weights - 1 - i];
    while (k + 1 < c->weights && above + c->weight[k] <= overweight * c->sum) above += c->weight[k++];
    c->largest = c->weights ? c->weight[k] : 0.;
    for (size_t i = 0; i < k; i++) excess += c->weight[i] - c->largest;
    c->above = c->sum > 0. ? excess / c->sum : 0.;
    c->inside = (double)c->weights;
    c->rate = c->largest > 0. ? (c->sum - excess) / c->largest / (double)trials : 0.;
}

static bg_status survey(generation *g, bg_error *error)
{
    double all = 0.;
    bg_status status = BG_OK;
    for (int k = 0; k < g->classes && status == BG_OK; k++) {
        event_class *c = &g->class_of[k];
        const double part = bg_many_result(g->many, k)->sigma_pb / g->total;
        uint64_t trials = (uint64_t)(SURVEY * sqrt(part > 0. ? part : 0.));
        trials = (trials < LEAST_SURVEY ? LEAST_SURVEY : trials) / BG_DEAL * BG_DEAL + BG_DEAL;
        status = try_points(g, k, trials, error);
        if (status != BG_OK) break;
        find_largest(c, trials, g->wish->overweight);
        if (g->wish->weighted) c->rate = c->inside / (double)trials;
        c->share =
            c->largest > 0. ? bg_many_result(g->many, k)->sigma_pb * (g->wish->weighted ? 1. : 1. - c->above) : 0.;
        all += c->share;
        free(c->weight);
        c->weight = NULL;
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
static const bg_channel *choose_channel(const generation *g, int k, const bg_protons *b, const double x[2], double mu2,
                                        int exchanged, double u)
{
    const bg_process *process = g->process;
    const bg_channel *first = process->channel + process->first[k], *end = process->channel + process->first[k + 1];
    bg_densities f;
    double sum = 0., upto = 0.;
    const bg_channel *last = NULL;
    if (b) densities_of(&b->grid, x[0], x[1], b->muf * b->muf * mu2, &f);
    for (int pass = 0; pass < 2; pass++)
        for (const bg_channel *c = first; c < end; c++) {
            if (b && c->exchanged != exchanged) continue;
            const double here = b ? f.beam[0][pdf_place(c->in[0])] * f.beam[1][pdf_place(c->in[1])] : 1.;
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

static bg_status complete(generation *g, int k, const kept_point *point, bg_flow **flows, bg_event *e, bg_error *error)
{
    const bg_subprocess *s = &g->process->subprocess[k];
    const event_class *c = &g->class_of[k];
    const bg_protons *b = bg_many_protons(g->many, k);
    const double *p = point->momenta, mu2 = scale2_of(b, s->n, p), over = point->weight / c->largest;
    const int exchanged = p[3] < 0.; /* leg 0 flies along -z */
    const uint64_t seed = bg_many_seed(g->many, k);
    int color[2 * BG_MAX_LEGS];
    memset(e, 0, sizeof *e);
    e->number = trial_number(point);
    e->process = k;
    e->legs = s->n;
    e->weight = c->unit * (g->wish->weighted ? point->weight : over > 1. ? over : 1.);
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
    const bg_channel *own =
        choose_channel(g, k, b, e->x, mu2, exchanged, number_of(seed, point->number, BG_STREAM_CHANNEL));
    for (int leg = 0; leg < s->n; leg++) {
        e->pdg[leg] = bg_channel_parton(own, s->pdg[leg]);
        e->helicity[leg] = BG_HELICITY_UNKNOWN;
        memcpy(e->momentum[leg], p + 4 * leg, 4 * sizeof *p);
    }
    bg_status status = flows[k] ? BG_OK : bg_flow_create(&flows[k], g->process, k, error);
    if (status == BG_OK) status = bg_flow_draw(flows[k], e->pdg, p, NULL, seed, point->number, color, error);
    for (int leg = 0; leg < s->n && status == BG_OK; leg++) {
        e->color[leg][0] = color[2 * leg];
        e->color[leg][1] = color[2 * leg + 1];
    }
    return status;
}

/* ---- blocks of events ---------------------------------------------------------------------------------------------------- */

static int compare_points(const void *a, const void *b)
{
    const kept_point *x = a, *y = b;
    return x->number < y->number ? -1 : x->number > y->number;
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
        const size_t before = c->count;
        const uint64_t count = most / BG_DEAL * BG_DEAL + BG_DEAL;
        status = try_points(g, k, count, error);
        if (c->count > before) qsort(c->kept + before, c->count - before, sizeof *c->kept, compare_points);
    }
    return status;
}

/* The classes of the next events. */
static void draw_classes(const generation *g, uint64_t first, int count, uint16_t *class_of)
{
    for (int i = 0; i < count; i++) {
        double u = number_of(g->seed, first + (uint64_t)i, BG_STREAM_CLASS);
        int k = 0;
        while (k + 1 < g->classes && u >= g->class_of[k].share) u -= g->class_of[k++].share;
        while (k > 0 && !(g->class_of[k].share > 0.)) k--;
        class_of[i] = (uint16_t)k;
    }
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
    if (status == BG_OK) {
        bg_status worst = BG_OK;
        bg_error why = {BG_OK, ""};
#ifdef _OPENMP
#pragma omp parallel for schedule(dynamic, 16) num_threads(g->threads)
#endif
        for (int i = 0; i < count; i++) {
#ifdef _OPENMP
            const int thread = omp_get_thread_num();
#else
            const int thread = 0;
#endif
            bg_error own;
            const bg_status one =
                complete(g, class_of[i], point[i], g->flow + (size_t)thread * (size_t)g->classes, &event[i], &own);
            if (one == BG_OK) continue;
#ifdef _OPENMP
#pragma omp critical(blockgen_events)
#endif
            {
                worst = one;
                why = own;
            }
        }
        if (worst != BG_OK) status = bg_fail(error, worst, "%s", why.message);
    }
    for (int i = 0; i < count && status == BG_OK; i++) {
        const double over = event[i].weight / g->class_of[class_of[i]].unit;
        g->all_weight += event[i].weight;
        if (!g->wish->weighted && over > 1.) g->overweight += event[i].weight;
        if (over > g->largest_weight) g->largest_weight = over;
    }
    free(wanted);
    free(point);
    return status;
}

static bg_status make_events(generation *g, bg_error *error)
{
    const bg_generation *w = g->wish;
    uint16_t *class_of = malloc(BLOCK * sizeof *class_of);
    bg_event *event = malloc(BLOCK * sizeof *event);
    bg_status status = class_of && event ? BG_OK : bg_fail(error, BG_ERROR_MEMORY, "no memory for %d events", BLOCK);
    for (uint64_t done = 0; done < w->events && status == BG_OK;) {
        const uint64_t left = w->events - done;
        const int count = left < BLOCK ? (int)left : BLOCK;
        status = make_block(g, done, count, class_of, event, error);
        if (status == BG_OK) status = bg_reweight_events(g->reweight, event, (size_t)count, g->threads, error);
        if (status == BG_OK && done + (uint64_t)count > w->skip) {
            const uint64_t skip = w->skip > done ? w->skip - done : 0;
            if (w->receive(event + skip, (size_t)((uint64_t)count - skip), w->user))
                status =
                    bg_fail(error, BG_ERROR_INTERRUPTED, "stopped after %" PRIu64 " events", done + (uint64_t)count);
        }
        done += (uint64_t)count;
    }
    free(class_of);
    free(event);
    return status;
}

/* ---- the whole ------------------------------------------------------------------------------------------------------------- */

/* What is drawn besides the point makes its weight scatter, and few points are kept then: sums, where they do not take too long. */
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
        free(g->class_of[k].weight);
    }
    for (int k = 0; g->flow && k < g->threads * g->classes; k++) bg_flow_destroy(g->flow[k]);
    free(g->flow);
    free(g->class_of);
    bg_reweight_destroy(g->reweight);
    bg_many_close(g->many);
}

bg_status bg_generation_run(const bg_process *process, const bg_options *options, const bg_integration *integration,
                            const bg_generation *wish, bg_generation_result *result, bg_error *error)
{
    bg_result sigma;
    generation g = {.process = process,
                    .wish = wish,
                    .classes = process->count,
                    .sqrts = integration->sqrts,
                    .alpha_s = options->alpha_s,
                    .threads = options->threads ? options->threads : bg_default_threads(),
                    .seed = options->seed};
    const double started = bg_seconds();
#ifndef _OPENMP
    g.threads = 1;
#endif
    bg_options chosen = *options;
    bg_result_init(&sigma);
    choose_exact(&chosen, process);
    bg_status status = bg_many_open(&g.many, process, 1, &chosen, integration, sizeof sigma, error);
    if (status == BG_OK) status = bg_many_integrate(g.many, &sigma, error);
    if (status == BG_OK && sigma.interrupted)
        status = bg_fail(error, BG_ERROR_INTERRUPTED, "stopped while sigma was integrated");
    g.total = sigma.sigma_pb;
    g.class_of = calloc((size_t)g.classes, sizeof *g.class_of);
    g.flow = calloc((size_t)g.threads * (size_t)g.classes, sizeof(bg_flow *));
    if (status == BG_OK && (!g.class_of || !g.flow))
        status = bg_fail(error, BG_ERROR_MEMORY, "no memory for %d classes", g.classes);
    if (status == BG_OK) status = bg_reweight_create(&g.reweight, g.many, process, integration, BLOCK, error);
    if (status == BG_OK) status = survey(&g, error);
    if (status == BG_OK) {
        result->sigma_pb = sigma.sigma_pb;
        result->error_pb = sigma.error_pb;
        result->pdf_id = bg_many_pdf_id(g.many);
        bg_reweight_describe(g.reweight, result);
        if (wish->begin && wish->begin(result, wish->user))
            status = bg_fail(error, BG_ERROR_INTERRUPTED, "stopped before the first event");
    }
    const double begun = bg_seconds();
    if (status == BG_OK) status = make_events(&g, error);
    result->events = status == BG_OK ? wish->events : 0;
    result->trials = 0; /* what was tried beyond the last event of a class is not a part of it */
    for (int k = 0; g.class_of && k < g.classes; k++) result->trials += g.class_of[k].tried;
    result->efficiency = result->trials ? (double)result->events / (double)result->trials : 0.;
    result->overweight_share = g.all_weight > 0. ? g.overweight / g.all_weight : 0.;
    result->largest_weight = g.largest_weight;
    result->seconds = bg_seconds() - started;
    result->seconds_events = bg_seconds() - begun;
    bg_reweight_describe(NULL, result); /* the names go */
    release(&g);
    return status == BG_OK ? bg_succeed(error) : status;
}
