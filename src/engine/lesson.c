#include "engine/lesson.h"
#include "base/room.h"
#include "base/status.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define WORTHWHILE 0.9 /* of the spread of w/e that is left, at most */
enum { HELD_OUT = 4 }; /* one of so many points is not fitted */

double bg_lesson_points(int legs, bg_lesson_aim aim)
{
    if (legs < BG_LESSON_LEAST_LEGS || legs > BG_LESSON_MOST_LEGS) return 0.;
    return (aim == BG_LESSON_FOR_EVENTS ? BG_LESSON_EACH_EVENTS : BG_LESSON_EACH) *
           (double)learned_coefficients(learned_invariants(legs));
}

int bg_lesson_has_masses(int legs, bg_lesson_aim aim, double points)
{
    return aim == BG_LESSON_FOR_EVENTS && learned_masses(legs) > 0 &&
           points >= BG_LESSON_EACH_EVENTS * (double)learned_coefficients(learned_most_numbers(legs));
}

/* ---- points ------------------------------------------------------------------------------------------------------------- */

bg_status bg_lesson_begin(bg_lesson *l, const bg_subprocess *process, bg_lesson_aim aim, double points, int threads,
                          bg_error *error)
{
    memset(l, 0, sizeof *l);
    l->aim = aim;
    l->threads = threads;
    const bg_status status = bg_estimate_plan(&l->plan, process, NULL, error);
    l->plan.masses = bg_lesson_has_masses(process->n, aim, points);
    return status;
}

void bg_lesson_free(bg_lesson *l)
{
    free(l->estimate);
    free(l->exact);
    memset(l, 0, sizeof *l);
}

static void note_estimates(void *user, size_t count, const double *momenta, const double *weight, const uint64_t *event)
{
    bg_lesson *l = user;
    (void)momenta;
    for (size_t k = 0; k < count; k++) {
        if (!(weight[k] > 0.) || !isfinite(weight[k])) continue;
        l->estimate = bg_more_places(l->estimate, l->estimates, &l->estimate_room, sizeof *l->estimate, &l->failed);
        if (!l->failed) l->estimate[l->estimates++] = (bg_lesson_estimate){event[k], weight[k]};
    }
}

static void find_logarithms(const bg_lesson *l, const double *momenta, double *to)
{
    real u[BG_LESSON_NUMBERS], room[2 * (BG_LESSON_MOST_LEGS + 1) * (BG_LESSON_MOST_LEGS + 1)];
    vec4 p[BG_LESSON_MOST_LEGS];
    const pair_table table = pairs_in(l->plan.legs, room, 1);
    for (int leg = 0; leg < l->plan.legs; leg++) {
        const double *from = momenta + 4 * leg;
        p[leg] = (vec4){bg_real(from[0]), bg_real(from[1]), bg_real(from[2]), bg_real(from[3])};
    }
    pairs_fill(l->plan.legs, p, &table);
    learned_logarithms(&l->plan, &table, u, 1);
    for (int k = 0; k < learned_numbers(&l->plan); k++) to[k] = bg_lane(u[k], 0);
}

static void note_exacts(void *user, size_t count, const double *momenta, const double *weight, const uint64_t *event)
{
    bg_lesson *l = user;
    for (size_t k = 0; k < count; k++) {
        if (!(weight[k] > 0.) || !isfinite(weight[k])) continue;
        l->exact = bg_more_places(l->exact, l->exacts, &l->exact_room, sizeof *l->exact, &l->failed);
        if (l->failed) return;
        bg_lesson_exact *to = &l->exact[l->exacts++];
        to->number = event[k];
        to->value = weight[k];
        find_logarithms(l, momenta + k * 4 * (size_t)l->plan.legs, to->u);
    }
}

bg_sink bg_lesson_estimates(bg_lesson *l) { return (bg_sink){note_estimates, l}; }
bg_sink bg_lesson_exacts(bg_lesson *l) { return (bg_sink){note_exacts, l}; }

/* ---- order ------------------------------------------------------------------------------------------------------------------ */

static int compare_estimates(const void *a, const void *b)
{
    const bg_lesson_estimate *x = a, *y = b;
    return x->number < y->number ? -1 : x->number > y->number;
}

static int compare_exacts(const void *a, const void *b)
{
    const bg_lesson_exact *x = a, *y = b;
    return x->number < y->number ? -1 : x->number > y->number;
}

double bg_lesson_threshold(bg_lesson *l, double points)
{
    double sum = 0.;
    if (l->estimates) qsort(l->estimate, l->estimates, sizeof *l->estimate, compare_estimates);
    for (size_t k = 0; k < l->estimates; k++) sum += l->estimate[k].value;
    l->threshold = sum / points;
    return l->threshold;
}

/* ---- the fit ------------------------------------------------------------------------------------------------------------------ */

/* Points that have both values, in the order of their numbers. */
typedef struct pupils {
    size_t count;
    double *u, *exact, *estimate, *weight; /* w, e, 1/p */
} pupils;

static void match(const bg_lesson *l, pupils *p)
{
    const int invariants = learned_numbers(&l->plan);
    p->count = 0;
    for (size_t k = 0, at = 0; k < l->exacts; k++) {
        while (at < l->estimates && l->estimate[at].number < l->exact[k].number) at++;
        if (at == l->estimates || l->estimate[at].number != l->exact[k].number)
            continue; /* its estimate is no number */
        const double e = l->estimate[at].value, kept = fmin(1., e / l->threshold);
        memcpy(p->u + p->count * (size_t)invariants, l->exact[k].u, (size_t)invariants * sizeof *p->u);
        p->exact[p->count] = l->exact[k].value * kept;
        p->estimate[p->count] = e;
        p->weight[p->count++] = 1. / kept;
    }
}

/* Those that are fitted come first. */
static size_t divide(const pupils *p, int invariants, pupils *to)
{
    size_t fitted = 0;
    to->count = 0;
    for (int pass = 0; pass < 2; pass++)
        for (size_t k = 0; k < p->count; k++) {
            if ((k % HELD_OUT == 0) != pass) continue;
            memcpy(to->u + to->count * (size_t)invariants, p->u + k * (size_t)invariants,
                   (size_t)invariants * sizeof *p->u);
            to->exact[to->count] = p->exact[k];
            to->estimate[to->count] = p->estimate[k];
            to->weight[to->count++] = p->weight[k];
            fitted += !pass;
        }
    return fitted;
}

static int make_pupils(pupils *p, size_t count, int invariants)
{
    p->u = malloc((count * ((size_t)invariants + 3) + 1) * sizeof *p->u);
    if (!p->u) return -1;
    p->exact = p->u + count * (size_t)invariants;
    p->estimate = p->exact + count;
    p->weight = p->estimate + count;
    return 0;
}

static double factor_of(int invariants, const double *from, const double *coefficient)
{
    real u[BG_LESSON_NUMBERS];
    for (int k = 0; k < invariants; k++) u[k] = bg_real(from[k]);
    return bg_lane(learned_limited(learned_form(invariants, u, 1, coefficient)), 0);
}

/* The sums of bg_sifting over points from `first` on, and the same without the factor. */
static void examine(const pupils *p, size_t first, int invariants, const double *coefficient, double *with,
                    double *without)
{
    for (size_t k = first; k < p->count; k++) {
        const double w = p->exact[k], factor = factor_of(invariants, p->u + k * (size_t)invariants, coefficient);
        for (int learned = 0; learned < 2; learned++) {
            double *to = learned ? with : without;
            const double e = p->estimate[k] * (learned ? factor : 1.);
            to[0] += e * p->weight[k];
            to[1] += w * p->weight[k];
            to[2] += w * (w / e) * p->weight[k];
        }
    }
}

/* The squared spread of w/e about its mean. */
static double spread_of(const double *sum) { return sum[2] * sum[0] / (sum[1] * sum[1]) - 1.; }

static bg_status fit_sample(const bg_lesson *l, const bg_learned_sample *sample, double *scale, double *coefficient,
                            bg_error *error)
{
    bg_learned_settings settings = bg_learned_defaults();
    settings.threads = l->threads;
    return l->aim == BG_LESSON_FOR_EVENTS ? bg_learned_bound(sample, l->threads, scale, coefficient, error)
                                          : bg_learned_fit(sample, &settings, scale, coefficient, error);
}

static bg_status fit(const bg_lesson *l, pupils *all, pupils *p, bg_sifting *f, bg_error *error)
{
    const int invariants = learned_numbers(&l->plan);
    double scale, with[3] = {0.}, without[3] = {0.};
    match(l, all);
    const size_t fitted = divide(all, invariants, p);
    const bg_learned_sample sample = {fitted, invariants, p->u, p->exact, p->estimate, p->weight};
    const bg_status status = fit_sample(l, &sample, &scale, f->coefficient, error);
    if (status == BG_ERROR_MEMORY) return status;
    f->coefficients = -1;
    if (status != BG_OK) return BG_OK; /* too few points, or too much alike */
    examine(p, fitted, invariants, f->coefficient, with, without);
    const double left = spread_of(with), before = spread_of(without);
    if (!(left < WORTHWHILE * WORTHWHILE * before) || !(with[0] > 0.) || !(with[1] > 0.)) return BG_OK;
    f->coefficients = learned_coefficients(invariants);
    const double factor = with[1] / with[0];
    f->scale *= factor;
    f->kept[0] = f->kept[1] = with[1];
    f->kept[2] = with[2] / factor;
    return BG_OK;
}

bg_status bg_lesson_learn(bg_lesson *l, bg_sifting *f, bg_error *error)
{
    const int invariants = learned_numbers(&l->plan);
    pupils all = {0}, p = {0};
    bg_status status = BG_OK;
    if (l->failed || make_pupils(&all, l->exacts, invariants) || make_pupils(&p, l->exacts, invariants))
        status = bg_fail(error, BG_ERROR_MEMORY, "no memory for the points that a factor is learned from");
    if (status == BG_OK && l->exacts) qsort(l->exact, l->exacts, sizeof *l->exact, compare_exacts);
    if (status == BG_OK) status = fit(l, &all, &p, f, error);
    free(all.u);
    free(p.u);
    return status;
}
