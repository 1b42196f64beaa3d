/* Cross sections of processes of several classes: each class is an integration of its own, with its own grid, and gets as
 * many points as reduce the error of the sum most.
 *
 * With the variance v of a point of a class and the cost t of a point, the error sqrt(sum v/N) of the sum is reached at the
 * least cost with N proportional to sqrt(v/t). A few points of every class tell first how large it is, then each is adapted,
 * with fewer points where it is small, and then all go on to the points that the variances so far ask for. Costs are counted, not
 * measured, so the result is a function of the question and the seed.
 */
#include "engine/many.h"
#include "accumulate/histograms.h"
#include "base/interrupt.h"
#include "base/status.h"
#include "base/system.h"
#include "engine/integrator.h"
#include "engine/settings.h"
#include "engine/variations.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LEAST_EFFORT 0.5 /* of adaptation, for the smallest classes */
#define ROUGH 0.9        /* relative error that is reached after the first iterations */
#define MOST_GROWTH 4.   /* of the points of a class at a time: variances are only known so well */
enum { MOST_PASSES = 60 };

typedef struct member {
    bg_integrator *integrator;
    bg_integration wish;
    bg_protons protons;
    bg_options options;
    bg_result result;
    double probed; /* sigma of the first points */
    double effort;
} member;

struct bg_many {
    const bg_process *process;
    const bg_integration *wish;
    bg_options options;
    bg_pdf *pdf;
    member *member; /* [class] */
    int count, now; /* the class that is worked on */
    size_t result_size;
    double started;
    int stopped;
    int for_events; /* see bg_integrator_open() */
};
typedef struct bg_many many;

/* ---- beams -------------------------------------------------------------------------------------------------------- */

static bg_status read_scale(const char *text, bg_protons *b, bg_error *error)
{
    static const struct {
        const char *word;
        bg_scale_kind kind;
        double part;
    } known[] = {{"ht/2", BG_SCALE_HT, 0.5}, {"ht", BG_SCALE_HT, 1.}, {"pt1", BG_SCALE_PT1, 1.}};
    if (!text || !*text) text = "ht/2";
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        if (!strcmp(text, known[k].word)) {
            b->scale = (int)known[k].kind;
            b->part = known[k].part;
            return BG_OK;
        }
    if (!strncmp(text, "fixed:", 6)) {
        char *end;
        b->scale = BG_SCALE_FIXED;
        b->part = strtod(text + 6, &end);
        if (end != text + 6 && !*end && b->part >= 1e-3 && b->part <= 1e8) return BG_OK;
    }
    return bg_fail(error, BG_ERROR_ARGUMENT,
                   "scale is '%s'; it must be ht/2, ht, pt1 or fixed:GEV with an energy between 1e-3 and 1e8", text);
}

static bg_status make_protons(many *m, int k, bg_error *error)
{
    const bg_process *process = m->process;
    member *c = &m->member[k];
    bg_protons *b = &c->protons;
    *b = (bg_protons){.mur = m->wish->mur,
                      .muf = m->wish->muf,
                      .alpha_s = c->options.alpha_s,
                      .couplings = process->subprocess[k].couplings,
                      .grid = m->pdf->grid};
    bg_status status = read_scale(m->wish->scale, b, error);
    if (status == BG_OK)
        status = bg_pairs_create(&b->pairs, process->channel + process->first[k],
                                 process->first[k + 1] - process->first[k], error);
    return status;
}

/* ---- classes ------------------------------------------------------------------------------------------------------ */

/* Classes have random numbers of their own; the first those of the seed itself. */
static uint64_t seed_of(uint64_t seed, int k)
{
    uint64_t z = (uint64_t)k * 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    return seed ^ (z ^ z >> 31);
}

static bg_result total(const many *m);

/* The caller sees what all classes have found so far. */
static int show(const bg_result *now, void *user)
{
    many *m = user;
    m->member[m->now].result = *now;
    const bg_result sum = total(m);
    return m->wish->progress(&sum, m->wish->user);
}

static int asked_to_stop(void *user)
{
    const many *m = user;
    return m->wish->interrupted(m->wish->user);
}

static bg_status open_member(many *m, int k, const bg_options *options, bg_error *error)
{
    const bg_process *process = m->process;
    member *c = &m->member[k];
    const bg_subprocess *s = &process->subprocess[k];
    c->options = *options;
    c->options.seed = seed_of(options->seed, k);
    c->wish = *m->wish;
    c->wish.user = m;
    if (m->wish->progress) c->wish.progress = show;
    if (m->wish->interrupted) c->wish.interrupted = asked_to_stop;
    if (k) c->wish.resolved = NULL;
    if (m->wish->histograms) c->wish.histograms = m->wish->histograms->part[k];
    c->effort = 1.;
    bg_result_init(&c->result);
    bg_status status = process->protons ? make_protons(m, k, error) : BG_OK;
    const double channels = (double)(process->first[k + 1] - process->first[k]);
    if (status == BG_OK)
        status = bg_integrator_open(&c->integrator, s, process->protons ? &c->protons : NULL,
                                    process->protons ? 1. : channels, m->for_events, &c->options, &c->wish, m->started,
                                    m->result_size, error);
    return status;
}

/* ---- results ------------------------------------------------------------------------------------------------------ */

/* The sum over all classes. Its chi^2 is the mean of theirs, each about its own mean, weighted with what they add to the variance:
 * classes that hardly matter do not. */
static bg_result total(const many *m)
{
    bg_result sum;
    double variance = 0., plain = 0., chi2 = 0., all = 0.;
    bg_result_init(&sum);
    sum.size = m->result_size;
    for (int k = 0; k < m->count; k++) {
        const bg_result *r = &m->member[k].result;
        sum.warming_up |= r->warming_up || !r->points;
        if (!r->points) continue;
        if (isfinite(r->sigma_pb)) sum.sigma_pb += r->sigma_pb;
        if (isfinite(r->error_pb)) {
            variance += r->error_pb * r->error_pb;
            plain += r->error_pb / r->error_scale * (r->error_pb / r->error_scale);
        }
        if (r->iterations > 1 && isfinite(r->chi2_per_dof) && isfinite(r->error_pb)) {
            const double part = r->error_pb / r->error_scale * (r->error_pb / r->error_scale);
            chi2 += r->chi2_per_dof * part;
            all += part;
        }
        sum.points += r->points;
        sum.accepted += r->accepted;
        sum.warmup_points += r->warmup_points;
        sum.pairs += r->pairs;
        sum.nonfinite += r->nonfinite;
        sum.unstable += r->unstable;
        sum.rescued += r->rescued;
        sum.evaluated += r->evaluated;
        sum.estimated |= r->estimated;
        sum.iterations += r->iterations;
        sum.ranks = r->ranks;
        sum.seconds_matrix_element += r->seconds_matrix_element;
        sum.seconds_phase_space += r->seconds_phase_space;
        sum.seconds_copies += r->seconds_copies;
        sum.seconds_waiting += r->seconds_waiting;
        sum.max_weight_pb += r->max_weight_pb; /* events of a class are kept by its own largest weight */
        memcpy(sum.hardware, r->hardware, sizeof sum.hardware);
        memcpy(sum.note, r->note, sizeof sum.note);
    }
    sum.error_pb = variance > 0. ? sqrt(variance) : (double)NAN;
    sum.error_scale = plain > 0. ? sqrt(variance / plain) : 1.;
    sum.chi2_per_dof = all > 0. ? chi2 / all : (double)NAN;
    sum.unweighting = sum.max_weight_pb > 0. ? sum.sigma_pb / sum.max_weight_pb : 0.;
    sum.seconds = bg_seconds() - m->started;
    return sum;
}

static void hand_out_classes(const many *m)
{
    const bg_integration *w = m->wish;
    for (int k = 0; w->class_results && k < w->class_room && k < m->count; k++) {
        const bg_result *r = &m->member[k].result;
        w->class_results[k] = (bg_class_result){.sigma_pb = r->sigma_pb,
                                                .error_pb = r->error_pb,
                                                .chi2_per_dof = r->chi2_per_dof,
                                                .points = r->points,
                                                .accepted = r->accepted,
                                                .warmup_points = r->warmup_points,
                                                .seconds = r->seconds_matrix_element + r->seconds_phase_space};
    }
}

/* ---- the order of the work ------------------------------------------------------------------------------------------ */

/* One class to a relative error, or to a number of points. */
static bg_status advance(many *m, int k, double precision, uint64_t points, bg_error *error)
{
    member *c = &m->member[k];
    m->now = k;
    c->wish.precision = precision;
    c->wish.points = points;
    return bg_integrator_advance(c->integrator, c->effort, &c->result, &m->stopped, error);
}

/* How large every class is, about; then small ones adapt with fewer points. */
static bg_status probe(many *m, bg_error *error)
{
    double sum = 0.;
    bg_status status = BG_OK;
    for (int k = 0; k < m->count && status == BG_OK && !m->stopped; k++) {
        m->now = k;
        status = bg_integrator_probe(m->member[k].integrator, &m->member[k].probed, error);
        sum += m->member[k].probed;
    }
    for (int k = 0; k < m->count && sum > 0.; k++) {
        member *c = &m->member[k];
        const double effort = 3. * sqrt(c->probed / sum);
        c->effort = effort > 1. ? 1. : effort < LEAST_EFFORT ? LEAST_EFFORT : effort;
    }
    return status;
}

/* The first iterations of every class. The largest one learns where points are worth most, and the others begin with that. */
static bg_status adapt(many *m, bg_error *error)
{
    int largest = 0;
    for (int k = 1; k < m->count; k++)
        if (m->member[k].probed > m->member[largest].probed) largest = k;
    bg_status status = advance(m, largest, ROUGH, 0, error);
    for (int k = 0; k < m->count && status == BG_OK && !m->stopped; k++) {
        if (k == largest) continue;
        bg_integrator_borrow(m->member[k].integrator, m->member[largest].integrator);
        status = advance(m, k, ROUGH, 0, error);
    }
    return status;
}

/* The variance of one point of a class, as far as it decides; 0 where nothing is known. */
static double variance_of(const member *c)
{
    const bg_result *r = &c->result;
    if (!r->points || !isfinite(r->error_pb)) return 0.;
    const double error = r->error_pb / r->error_scale * fmin(r->error_scale, 2.);
    return error * error * (double)r->points;
}

/* Points of all classes for a variance of the sum, or for a number of points where `points` is above 0. */
static void share_out(const many *m, double variance, double points, double *wanted)
{
    double sum = 0., all = 0.;
    for (int k = 0; k < m->count; k++) {
        const double v = variance_of(&m->member[k]), cost = bg_integrator_cost(m->member[k].integrator);
        sum += sqrt(v * cost);
        all += wanted[k] = sqrt(v / cost);
    }
    for (int k = 0; k < m->count; k++) {
        if (points > 0.)
            wanted[k] *= all > 0. ? points / all : 0.;
        else
            wanted[k] *= variance > 0. ? sum / variance : 0.;
    }
}

/* All classes on to as many points. */
static bg_status go_on(many *m, const double *wanted, bg_error *error)
{
    bg_status status = BG_OK;
    for (int k = 0; k < m->count && status == BG_OK && !m->stopped; k++) {
        const double have = (double)m->member[k].result.points, most = MOST_GROWTH * have;
        const double points = floor(wanted[k] < most ? wanted[k] : most);
        if (points > 1.01 * have) status = advance(m, k, 0., (uint64_t)points, error);
    }
    return status;
}

static double deciding_error(const many *m)
{
    double variance = 0.;
    for (int k = 0; k < m->count; k++) {
        const bg_result *r = &m->member[k].result;
        if (r->points) variance += variance_of(&m->member[k]) / (double)r->points;
    }
    return sqrt(variance);
}

static bg_status to_precision(many *m, double *wanted, bg_error *error)
{
    bg_status status = BG_OK;
    for (int pass = 0; pass < MOST_PASSES && status == BG_OK && !m->stopped; pass++) {
        const bg_result sum = total(m);
        const double goal = m->wish->precision > 0. ? m->wish->precision * sum.sigma_pb : 0.7 * deciding_error(m);
        if (!(sum.sigma_pb > 0.) || deciding_error(m) <= goal) break;
        share_out(m, 0.94 * goal * goal, 0., wanted);
        status = go_on(m, wanted, error);
    }
    return status;
}

/* A given number of points: what is left after adaptation and the first iterations is shared out twice. */
static bg_status to_points(many *m, double *wanted, bg_error *error)
{
    bg_status status = BG_OK;
    for (int pass = 0; pass < 4 && status == BG_OK && !m->stopped; pass++) {
        if (total(m).points >= m->wish->points) break;
        share_out(m, 0., (double)m->wish->points, wanted);
        status = go_on(m, wanted, error);
    }
    return status;
}

static bg_status run(many *m, bg_error *error)
{
    bg_status status = BG_OK;
    double *wanted = calloc((size_t)m->count, sizeof *wanted);
    if (!wanted) return bg_fail(error, BG_ERROR_MEMORY, "no memory for %d classes", m->count);
    status = probe(m, error);
    if (status == BG_OK && !m->stopped) status = adapt(m, error);
    if (status == BG_OK && !m->stopped)
        status = m->wish->points ? to_points(m, wanted, error) : to_precision(m, wanted, error);
    for (int k = 0; k < m->count && status == BG_OK; k++)
        status = bg_integrator_finish(m->member[k].integrator, &m->member[k].result, error);
    free(wanted);
    return status;
}

/* ---- the whole -------------------------------------------------------------------------------------------------------- */

static bg_status check(const bg_process *process, const bg_integration *w, bg_error *error)
{
    if (process->protons == 1)
        return bg_fail(error, BG_ERROR_UNSUPPORTED, "one of the beams is a proton and the other is not");
    if (process->protons && w->phase_space != BG_PHASE_SPACE_ADAPTIVE)
        return bg_fail(error, BG_ERROR_UNSUPPORTED, "two protons have the adaptive generator of points only");
    if (w->receive || w->generator)
        return bg_fail(error, BG_ERROR_UNSUPPORTED,
                       "delivered points and generators are for processes of one subprocess");
    if (w->checkpoint || w->resume)
        return bg_fail(error, BG_ERROR_UNSUPPORTED, "checkpoints are for processes of one subprocess");
    return BG_OK;
}

bg_status bg_many_open(bg_many **opened, const bg_process *process, int for_events, const bg_options *options,
                       const bg_integration *wish, size_t result_size, bg_error *error)
{
    *opened = NULL;
    bg_status status = check(process, wish, error);
    if (status != BG_OK) return status;
    many *m = calloc(1, sizeof *m);
    if (!m) return bg_fail(error, BG_ERROR_MEMORY, "no memory for an integration");
    *m = (many){.process = process,
                .wish = wish,
                .options = *options,
                .for_events = for_events,
                .count = process->count,
                .result_size = result_size,
                .started = bg_seconds()};
    if (process->protons) status = bg_pdf_open(&m->pdf, wish->pdf, error);
    if (status == BG_OK) status = bg_variations_check(wish->variations, m->pdf, error);
    m->member = calloc((size_t)m->count, sizeof *m->member);
    if (status == BG_OK && !m->member) status = bg_fail(error, BG_ERROR_MEMORY, "no memory for %d classes", m->count);
    if (status == BG_OK && wish->histograms && bg_histograms_divide(wish->histograms, process->subprocess, m->count))
        status = bg_fail(error, BG_ERROR_MEMORY, "no memory for the histograms of %d classes", m->count);
    for (int k = 0; k < m->count && status == BG_OK; k++) status = open_member(m, k, options, error);
    if (status != BG_OK) {
        bg_many_close(m);
        return status;
    }
    *opened = m;
    return BG_OK;
}

void bg_many_close(bg_many *m)
{
    if (!m) return;
    for (int k = 0; m->member && k < m->count; k++) bg_integrator_close(m->member[k].integrator);
    free(m->member);
    bg_pdf_close(m->pdf);
    free(m);
}

bg_status bg_many_integrate(bg_many *m, bg_result *result, bg_error *error)
{
    const bg_status status = run(m, error);
    if (status != BG_OK) return status;
    *result = total(m);
    result->interrupted = m->stopped == BG_INTERRUPT_USER;
    hand_out_classes(m);
    if (result->points && isfinite(result->sigma_pb)) return BG_OK;
    const double seconds = result->seconds;
    result->seconds = 0.; /* nothing to show */
    return bg_fail(error, BG_ERROR_INTERRUPTED,
                   "stopped after %.3g s, before the first points were finished: there is no result", seconds);
}

int bg_many_count(const bg_many *m) { return m->count; }
const bg_result *bg_many_result(const bg_many *m, int k) { return &m->member[k].result; }
const bg_protons *bg_many_protons(const bg_many *m, int k)
{
    return m->process->protons ? &m->member[k].protons : NULL;
}
uint64_t bg_many_seed(const bg_many *m, int k) { return m->member[k].options.seed; }
const bg_pdf *bg_many_pdf(const bg_many *m) { return m->pdf; }
int bg_many_pdf_id(const bg_many *m) { return m->pdf && m->pdf->id > 0 ? m->pdf->id : 0; }

bg_status bg_many_trials(bg_many *m, int k, uint64_t first, uint64_t count, const bg_sink *sink, bg_error *error)
{
    return bg_integrator_trials(m->member[k].integrator, first, count, 0, sink, error);
}

int bg_many_helicities(const bg_many *m, int k, uint64_t event, const double *momenta, uint32_t *configuration)
{
    return bg_integrator_helicities(m->member[k].integrator, event, momenta, configuration);
}

int bg_many_is_sieved(const bg_many *m, int k) { return bg_integrator_is_sieved(m->member[k].integrator); }

void bg_many_costs(const bg_many *m, int k, double *trial, double *exact)
{
    bg_integrator_costs(m->member[k].integrator, trial, exact);
}

bg_status bg_many_survey(bg_many *m, int k, uint64_t first, uint64_t count, const bg_sink *sink, bg_error *error)
{
    return bg_integrator_trials(m->member[k].integrator, first, count, 1, sink, error);
}

void bg_many_set_threshold(bg_many *m, int k, double threshold)
{
    bg_integrator_set_threshold(m->member[k].integrator, threshold);
}

bg_status bg_many_run(const bg_process *process, const bg_options *options, const bg_integration *wish,
                      bg_result *result, bg_error *error)
{
    bg_many *m;
    if (!process->open) {
        const bg_status refused = bg_variations_check(wish->variations, NULL, error);
        return refused == BG_OK ? bg_integrator_run(&process->subprocess[0], options, wish, result, error) : refused;
    }
    bg_status status = bg_many_open(&m, process, 0, options, wish, result->size, error);
    if (status == BG_OK) status = bg_many_integrate(m, result, error);
    if (status == BG_OK && !result->interrupted) status = bg_variations_run(m, process, options, wish, error);
    bg_many_close(m);
    return status == BG_OK ? bg_succeed(error) : status;
}

struct bg_state *bg_many_state(bg_many *m, int k) { return bg_integrator_state(m->member[k].integrator); }

void bg_many_adopt(bg_many *m, const bg_result *of_class, bg_result *result)
{
    for (int k = 0; k < m->count; k++) m->member[k].result = of_class[k];
    *result = total(m);
    hand_out_classes(m);
}
