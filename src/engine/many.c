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
#include "engine/ranks.h"
#include "engine/settings.h"
#include "engine/state.h"
#include "engine/variations.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LEAST_EFFORT 0.5  /* of adaptation, for the smallest classes */
#define MANY_EVENTS 6e4   /* up to so many, grids do not depend on their number; */
#define EFFORT_EVENTS 1e4 /* beyond, so many of a class are worth a whole effort more, */
#define MOST_EFFORT 50.   /* ... up to so much */
#define ROUGH 0.9         /* relative error that is reached after the first iterations */
#define MOST_GROWTH 4.    /* of the points of a class at a time: variances are only known so well */
#define MOST_WANTED 1e18  /* points */
#define MOST_SIGMA 1e150
enum {
    MOST_PASSES = 60,
    MOST_SHARES = 4 /* ... where the number of points is given */
};

typedef struct member {
    bg_integrator *integrator;
    bg_integration wish;
    bg_protons protons;
    bg_options options;
    bg_result result;
    double probed; /* sigma of the first points */
    double effort; /* follows from that */
    double wanted; /* points that this pass asks for */
} member;

/* How far the work has come: with the states of the classes all that a checkpoint must hold. */
enum { PROBING, ADAPTING, SHARING, FINISHED };
typedef struct position {
    int32_t stage, pass;
    int32_t at;        /* the class, in the order of the work */
    int32_t under_way; /* 1: it has a goal that it has not reached */
    uint64_t class_points;
    double class_precision;
    uint64_t points; /* the goal of all, which may be another one when it goes on */
    double precision;
} position;

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
    double events; /* that are to be made of its points, 0: none */
    bg_ranks ranks;
    bg_question question;
    position position;
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
static bg_status save(void *user, bg_error *error);

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
                                    process->protons ? 1. : channels, m->events > 0., m->count > 1, &c->options,
                                    &c->wish, m->started, m->result_size, error);
    if (status == BG_OK) bg_integrator_save_by(c->integrator, (bg_saver){save, m});
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
    }
    sum.error_pb = variance > 0. ? sqrt(variance) : (double)NAN;
    sum.error_scale = plain > 0. ? sqrt(variance / plain) : 1.;
    sum.chi2_per_dof = all > 0. ? chi2 / all : (double)NAN;
    sum.unweighting = sum.max_weight_pb > 0. ? sum.sigma_pb / sum.max_weight_pb : 0.;
    const bg_result *now = &m->member[m->now].result;
    memcpy(sum.note, now->note,
           sizeof sum.note); /* before its end: a checkpoint that could not be written, and nothing else */
    sum.seconds = bg_integrator_state(m->member[0].integrator)->seconds + bg_seconds() - m->started;
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

/* The class whose turn it is, to a relative error or to a number of points; or on to the goal that it has. */
static bg_status advance(many *m, int k, double precision, uint64_t points, bg_error *error)
{
    member *c = &m->member[k];
    position *p = &m->position;
    if (!p->under_way) {
        p->class_precision = precision;
        p->class_points = points;
        p->under_way = 1;
    }
    m->now = k;
    c->wish.precision = p->class_precision;
    c->wish.points = p->class_points;
    const bg_status status = bg_integrator_advance(c->integrator, c->effort, &c->result, &m->stopped, error);
    if (status == BG_OK && !m->stopped) {
        p->under_way = 0;
        p->at++;
    }
    return status;
}

/* Small classes adapt with fewer points, and all of them with more where many events are to come, which better grids save trial points of. */
static void set_efforts(many *m)
{
    double sum = 0.;
    for (int k = 0; k < m->count; k++) sum += m->member[k].probed;
    for (int k = 0; k < m->count && sum > 0.; k++) {
        member *c = &m->member[k];
        const double share = c->probed > 0. ? c->probed / sum : 0.;
        const double more = share * fmax(m->events - MANY_EVENTS, 0.) / EFFORT_EVENTS;
        c->effort = fmin(fmax(3. * sqrt(share), LEAST_EFFORT), 1.) + fmin(more, MOST_EFFORT);
    }
}

/* How large every class is, about. */
static bg_status probe(many *m, bg_error *error)
{
    bg_status status = BG_OK;
    for (int k = 0; k < m->count && status == BG_OK && !m->stopped; k++) {
        m->now = k;
        status = bg_integrator_probe(m->member[k].integrator, &m->member[k].probed, &m->stopped, error);
    }
    set_efforts(m);
    return status;
}

/* The first iterations of every class. The largest one learns where points are worth most, and the others begin with that. */
static bg_status adapt(many *m, bg_error *error)
{
    position *p = &m->position;
    int largest = 0;
    for (int k = 1; k < m->count; k++)
        if (m->member[k].probed > m->member[largest].probed) largest = k;
    bg_status status = BG_OK;
    while (p->at < m->count && status == BG_OK && !m->stopped) {
        const int k = !p->at ? largest : p->at <= largest ? p->at - 1 : p->at;
        if (k != largest && !p->under_way) bg_integrator_borrow(m->member[k].integrator, m->member[largest].integrator);
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
static void share_out(const many *m, double variance, double points)
{
    double sum = 0., all = 0.;
    for (int k = 0; k < m->count; k++) {
        const double v = variance_of(&m->member[k]), cost = bg_integrator_cost(m->member[k].integrator);
        sum += sqrt(v * cost);
        all += m->member[k].wanted = sqrt(v / cost);
    }
    for (int k = 0; k < m->count; k++) {
        if (points > 0.)
            m->member[k].wanted *= all > 0. ? points / all : 0.;
        else
            m->member[k].wanted *= variance > 0. ? sum / variance : 0.;
    }
}

/* All classes on to as many points. */
static bg_status go_on(many *m, bg_error *error)
{
    position *p = &m->position;
    bg_status status = BG_OK;
    while (p->at < m->count && status == BG_OK && !m->stopped) {
        const member *c = &m->member[p->at];
        const double have = (double)c->result.points, most = MOST_GROWTH * have;
        const double points = floor(c->wanted < most ? c->wanted : most);
        if (p->under_way || points > 1.01 * have)
            status = advance(m, p->at, 0., (uint64_t)points, error);
        else
            p->at++;
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

/* How many points the classes get next; 0: the goal is reached. */
static int plan_pass(many *m)
{
    const bg_integration *w = m->wish;
    const bg_result sum = total(m);
    if (w->points) { /* what is left after adaptation and the first iterations */
        if (sum.points >= w->points) return 0;
        share_out(m, 0., (double)w->points);
        return 1;
    }
    const double goal = w->precision > 0. ? w->precision * sum.sigma_pb : 0.7 * deciding_error(m);
    if (!(sum.sigma_pb > 0.) || deciding_error(m) <= goal) return 0;
    share_out(m, 0.94 * goal * goal, 0.);
    return 1;
}

/* On to the goal, as the variances so far ask for. */
static bg_status share(many *m, bg_error *error)
{
    position *p = &m->position;
    const int most = m->wish->points ? MOST_SHARES : MOST_PASSES;
    bg_status status = BG_OK;
    while (p->pass < most && status == BG_OK && !m->stopped) {
        if (!p->at && !p->under_way && !plan_pass(m)) break;
        status = go_on(m, error);
        if (status == BG_OK && !m->stopped) {
            p->pass++;
            p->at = 0;
        }
    }
    return status;
}

/* From wherever it is. A stage that is done leaves the place to the next. */
typedef bg_status stage_function(many *m, bg_error *error);
static bg_status work(many *m, bg_error *error)
{
    static stage_function *const stage[] = {probe, adapt, share};
    position *p = &m->position;
    bg_status status = BG_OK;
    while (p->stage < FINISHED && status == BG_OK && !m->stopped) {
        status = stage[p->stage](m, error);
        if (status == BG_OK && !m->stopped) {
            p->stage++;
            p->at = p->pass = 0;
        }
    }
    return status;
}

/* ---- checkpoints ------------------------------------------------------------------------------------------------------- */

/* Of the whole: the process by its channels, and the densities by their numbers. */
static void write_question(many *m)
{
    const bg_process *process = m->process;
    char name[128], densities[160];
    uint64_t sum = BG_CHECKSUM_START;
    for (int k = 0; k < m->count; k++) {
        const bg_subprocess *s = &process->subprocess[k];
        const uint64_t channels = process->first[k + 1] - process->first[k];
        sum = bg_checksum(sum, s->pdg, (size_t)s->n * sizeof *s->pdg);
        sum = bg_checksum(sum, &channels, sizeof channels);
    }
    snprintf(name, sizeof name, "%s%d > %d partons, %d classes of %zu channels [%08x]", process->protons ? "p p, " : "",
             process->subprocess[0].n_in, process->subprocess[0].n_out, m->count, process->first[m->count],
             (unsigned)(sum ^ sum >> 32));
    snprintf(densities, sizeof densities, "none");
    if (m->pdf) {
        sum = bg_checksum(BG_CHECKSUM_START, m->pdf->grid.data, (size_t)m->pdf->grid.doubles * sizeof(double));
        snprintf(densities, sizeof densities, "%.60s, member %d [%08x]", m->pdf->name, m->pdf->member,
                 (unsigned)(sum ^ sum >> 32));
    }
    bg_question_widen(&m->question, &bg_integrator_state(m->member[0].integrator)->question, name, "densities",
                      densities);
}

static int is_amount(double x) { return x >= 0. && x <= MOST_WANTED; }

/* Whether a run of this question can have come so far, with classes in such states. */
static int is_sound(const many *m)
{
    const position *p = &m->position;
    if (p->stage < PROBING || p->stage > FINISHED || p->pass < 0 || p->pass > MOST_PASSES || p->at < 0 ||
        p->at > m->count || p->under_way < 0 || (p->under_way > 0 && p->at == m->count) || p->under_way > 1 ||
        !is_amount(p->precision) || !is_amount(p->class_precision) || p->points > (uint64_t)MOST_WANTED ||
        p->class_points > (uint64_t)MOST_WANTED)
        return 0;
    for (int k = 0; k < m->count; k++) {
        const member *c = &m->member[k];
        const bg_state *s = bg_integrator_state(c->integrator);
        if (!is_amount(c->wanted) || !(fabs(c->probed) <= MOST_SIGMA)) return 0;
        if (p->stage > PROBING && !(s->scale > 0.)) return 0;
        if (p->stage > ADAPTING && !s->iterations) return 0;
    }
    return 1;
}

/* What follows from what was unpacked. */
static bg_status restore(many *m, const char *path, bg_error *error)
{
    position *p = &m->position;
    if (!is_sound(m)) return bg_fail(error, BG_ERROR_ARGUMENT, "'%s' is damaged: no run can have left it so", path);
    set_efforts(m);
    if (p->points != m->wish->points || p->precision != m->wish->precision) { /* another goal: it is shared out anew */
        p->points = m->wish->points;
        p->precision = m->wish->precision;
        p->pass = 0;
        if (p->stage == FINISHED) {
            p->stage = SHARING;
            p->at = 0;
        }
    }
    return BG_OK;
}

/* What the classes have found, on all ranks together. */
static bg_status recall(many *m, bg_error *error)
{
    bg_status status = BG_OK;
    for (int k = 0; k < m->count && status == BG_OK; k++) {
        const bg_state *s = bg_integrator_state(m->member[k].integrator);
        if (!s->iterations && !s->warmed.points && !s->done) continue;
        status = bg_integrator_report(m->member[k].integrator, &m->member[k].result, error);
    }
    return status;
}

bg_status bg_many_pass(bg_many *m, bg_parcel *p, const char *path, bg_error *error)
{
    bg_status status = BG_OK;
    bg_parcel_pass(p, &m->position, sizeof m->position);
    for (int k = 0; k < m->count && status == BG_OK; k++) {
        member *c = &m->member[k];
        bg_parcel_pass(p, &c->probed, sizeof c->probed);
        bg_parcel_pass(p, &c->wanted, sizeof c->wanted);
        status = bg_integrator_pass(c->integrator, p, path, error);
    }
    if (status == BG_OK && p->unpacking) status = restore(m, path, error);
    return bg_ranks_agree(&m->ranks, status, error);
}

static bg_status save(void *user, bg_error *error)
{
    many *m = user;
    const char *path = m->wish->checkpoint;
    bg_parcel p = {.bytes = NULL};
    if (!path) return BG_OK;
    bg_status status = bg_many_pass(m, &p, path, error);
    if (status == BG_OK && m->ranks.mine == 0) status = bg_checkpoint_write(path, &m->question, &p, error);
    bg_parcel_free(&p);
    return bg_ranks_agree(&m->ranks, status, error);
}

/* Rank 0 reads, all unpack. */
static bg_status resume(many *m, bg_error *error)
{
    const char *path = m->wish->resume;
    bg_parcel p = {.bytes = NULL};
    bg_status status = m->ranks.mine == 0 ? bg_checkpoint_read(path, &m->question, &p, error) : BG_OK;
    status = bg_ranks_agree(&m->ranks, status, error);
    if (status == BG_OK) status = bg_ranks_send_parcel(&m->ranks, &p, error);
    if (status == BG_OK) {
        status = bg_many_pass(m, &p, path, error);
        if (status == BG_OK && !bg_parcel_is_empty(&p))
            status = bg_fail(error, BG_ERROR_ARGUMENT, "checkpoint '%s' is damaged: it is too long", path);
        status = bg_ranks_agree(&m->ranks, status, error);
    }
    bg_parcel_free(&p);
    return status == BG_OK ? recall(m, error) : status;
}

/* Before anything is computed: what there is to go on from, and where to save. */
static bg_status open_files(many *m, bg_error *error)
{
    const bg_integration *w = m->wish;
    bg_status status = BG_OK;
    write_question(m);
    if (w->resume) status = resume(m, error);
    if (status == BG_OK && w->checkpoint && m->ranks.mine == 0)
        status = bg_checkpoint_check(w->checkpoint, &m->question, w->resume, w->force, error);
    return bg_ranks_agree(&m->ranks, status, error);
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
    return BG_OK;
}

bg_status bg_many_open(bg_many **opened, const bg_process *process, double events, const bg_options *options,
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
                .events = events,
                .count = process->count,
                .result_size = result_size,
                .position = {.points = wish->points, .precision = wish->precision},
                .started = bg_seconds()};
    status = bg_ranks_open(&m->ranks, wish->communicator, error);
    if (status == BG_OK && process->protons) status = bg_pdf_open(&m->pdf, wish->pdf, error);
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
    bg_error trouble = {BG_OK, ""};
    bg_status status = open_files(m, error);
    if (status == BG_OK) status = work(m, error);
    const bg_status saved = status == BG_OK ? save(m, &trouble) : BG_OK;
    for (int k = 0; k < m->count && status == BG_OK; k++)
        status = bg_integrator_finish(m->member[k].integrator, &m->member[k].result, error);
    if (status != BG_OK) return status;
    *result = total(m);
    result->interrupted = m->stopped == BG_INTERRUPT_USER;
    hand_out_classes(m);
    if (result->points && isfinite(result->sigma_pb))
        return saved == BG_OK ? BG_OK : bg_fail(error, saved, "%s", trouble.message);
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

bg_status bg_many_learn(bg_many *m, int k, double events, bg_error *error)
{
    return bg_integrator_learn(m->member[k].integrator, events, error);
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
    const int there = status == BG_OK || (m && result->seconds > 0.); /* a checkpoint may not have been written */
    if (there && !result->interrupted) {
        const bg_status varied = bg_variations_run(m, process, options, wish, error);
        if (status == BG_OK) status = varied;
    }
    bg_many_close(m);
    return status == BG_OK ? bg_succeed(error) : status;
}

struct bg_state *bg_many_state(bg_many *m, int k) { return bg_integrator_state(m->member[k].integrator); }

bg_status bg_many_adopt(bg_many *m, const char *path, bg_result *result, bg_error *error)
{
    if (m->position.stage != FINISHED)
        return bg_fail(error, BG_ERROR_ARGUMENT, "'%s' is of an integration with another goal", path);
    const bg_status status = recall(m, error);
    *result = total(m);
    hand_out_classes(m);
    return status;
}
