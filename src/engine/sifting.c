#include "engine/sifting.h"

#include <math.h>
#include <string.h>

#define LEAST_RMS 0.02 /* that a few points can vouch for */
#define POOR_RMS 1.    /* where nothing is known yet */
#define LEAST_SPREAD 0.1
#define SCATTER_POWER                                                                                                  \
    (1. / 3.) /* the mean square of w/e - 1 falls with this power of e: measured, 0 to 0.5 with 7 to 12 gluons */
#define LEAST_WIDTH 0.1 /* of log e */
enum { STEPS = 8 };     /* thresholds that are looked at for each factor of two */

void bg_sifting_begin(bg_sifting *s, int legs)
{
    memset(s, 0, sizeof *s);
    s->on = 1;
    s->legs = legs;
    s->scale = 1.;
    s->inside = 1.;
    s->threshold = HUGE_VAL;
}

double bg_sifting_take(bg_sifting *s, const bg_tally *t)
{
    const double n = (double)t->points, square = bg_exact_value(&t->estimate2);
    double factor = 1.;
    for (int k = 0; k < 3; k++) s->kept[k] += bg_exact_value(&t->kept[k]);
    if (s->kept[0] > 0. && s->kept[1] > 0.) {
        factor = s->kept[1] / s->kept[0];
        s->scale *= factor;
        s->kept[0] = s->kept[1];
        s->kept[2] /= factor;
    }
    /* W has the mean of w; where nothing was kept, that of e before */
    const double mean = bg_exact_value(&t->weight) / n * (s->threshold < HUGE_VAL ? 1. : factor);
    if (n > 0. && mean > 0.) {
        s->mean = mean;
        s->spread = square * factor * factor / n / (mean * mean) - 1.;
        s->inside = (double)t->accepted / n;
    }
    return factor;
}

double bg_sifting_rms(const bg_sifting *s)
{
    if (!(s->kept[1] > 0.)) return POOR_RMS;
    const double square = s->kept[2] / s->kept[1] - 1.; /* both means are equal */
    return square > LEAST_RMS * LEAST_RMS ? sqrt(square) : LEAST_RMS;
}

/* ---- the threshold --------------------------------------------------------------------------------------------------- */

/* e of the points inside the cuts as a lognormal distribution with their mean and their mean square, which it hardly differs from. */
typedef struct lognormal {
    double mean, width; /* its mean in units of the mean over all trial points, and the standard deviation of log e */
} lognormal;

static lognormal estimates_inside(const bg_sifting *s)
{
    const double inside = s->inside > 0. ? s->inside : 1., ratio = (1. + s->spread) * inside;
    const lognormal l = {1. / inside, ratio > 1. + LEAST_WIDTH ? sqrt(log(ratio)) : LEAST_WIDTH};
    return l;
}

/* The share of x^k in its mean that is of values below t, x lognormal. */
static double below(const lognormal *l, double k, double t)
{
    const double z = log(t / l->mean) / l->width + (0.5 - k) * l->width;
    return 0.5 * erfc(-z * sqrt(0.5));
}

/* The mean of x^k over trial points. */
static double moment(const lognormal *l, double k)
{
    return pow(l->mean, k - 1.) * exp(0.5 * k * (k - 1.) * l->width * l->width);
}

double bg_sifting_kept_share(const bg_sifting *s, double share)
{
    const lognormal l = estimates_inside(s);
    if (!(share > 0.)) return 0.;
    return share * below(&l, 1., 1. / share) + (1. - below(&l, 0., 1. / share)) / l.mean;
}

/* The time for a given error (estimate/sieve.h): exact values scatter by (w/e - 1) max(e, T), and large estimates are better than others. */
static double time_for_an_error(const bg_sifting *s, double share, double trial, double exact)
{
    const lognormal l = estimates_inside(s);
    const double rms = bg_sifting_rms(s), spread = s->spread > LEAST_SPREAD ? s->spread : LEAST_SPREAD;
    const double one = 1. - SCATTER_POWER, two = 2. - SCATTER_POWER, T = 1. / share;
    const double scatter = below(&l, one, T) * T + (1. - below(&l, two, T)) * moment(&l, two) / moment(&l, one);
    return (spread + rms * rms * scatter) * (trial + exact * bg_sifting_kept_share(s, share));
}

double bg_sifting_best_share(const bg_sifting *s, double trial, double exact)
{
    const double spread = s->spread > LEAST_SPREAD ? s->spread : LEAST_SPREAD;
    const double plain = bg_sifting_rms(s) * sqrt(trial / (exact * spread)); /* if no e were above T */
    double best = plain, least = HUGE_VAL;
    for (int step = -4 * STEPS; step <= 2 * STEPS; step++) {
        const double share = plain * exp2((double)step / STEPS), time = time_for_an_error(s, share, trial, exact);
        if (!(time < least)) continue;
        least = time;
        best = share;
    }
    return best < 1. ? best : 1.;
}

void bg_sifting_keep(bg_sifting *s, double share) { s->threshold = share > 0. ? s->mean / share : HUGE_VAL; }

bg_sieve bg_sifting_sieve(const bg_sifting *s, const estimate_plan *plan)
{
    bg_sieve sieve = {.plan = *plan,
                      .scale = s->scale,
                      .threshold = s->threshold,
                      .coefficient = s->coefficients > 0 ? s->coefficient : NULL};
    sieve.plan.masses = s->coefficients > learned_coefficients(learned_invariants(plan->legs));
    return sieve;
}

/* None, none worth having, or as many as so many legs have, without masses and with them. */
static int is_number_of_coefficients(int coefficients, int legs)
{
    return coefficients == 0 || coefficients == -1 || coefficients == learned_coefficients(learned_invariants(legs)) ||
           coefficients == learned_coefficients(learned_most_numbers(legs));
}

static int is_positive(double x) { return x >= 0. && isfinite(x); }

int bg_sifting_is_sound(const bg_sifting *s, const bg_sifting *begun)
{
    if (s->on != begun->on || s->legs != begun->legs) return 0;
    if (!s->on) return s->coefficients == 0;
    if (!is_number_of_coefficients(s->coefficients, (int)s->legs)) return 0;
    for (int k = 0; k < s->coefficients; k++)
        if (!isfinite(s->coefficient[k])) return 0;
    return is_positive(s->scale) && s->scale > 0. && s->threshold >= 0. && is_positive(s->mean) &&
           isfinite(s->spread) && s->inside >= 0. && s->inside <= 1. && is_positive(s->kept[0]) &&
           is_positive(s->kept[1]) && is_positive(s->kept[2]);
}
