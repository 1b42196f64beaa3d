#include "engine/choice.h"
#include "color/open_strings.h"
#include "color/strings.h"
#include "process/strategy.h"

#include <stdio.h>

/* ---- strategies ------------------------------------------------------------------------------------------------ */

/* What `auto` chooses from: rows of the table of strategies. */
enum { EXACT, HELICITIES_SAMPLED, COHERENT, COHERENT_HELICITIES_SUMMED, CANDIDATES };

static const char *const names[CANDIDATES] = {
    [EXACT] = "full",
    [HELICITIES_SAMPLED] = "co-sum-invariants",
    [COHERENT] = "coherent-invariants",
    [COHERENT_HELICITIES_SUMMED] = "coherent-summed",
};

/* ... where |M|^2 is estimated first. */
static const char *const estimated_names[CANDIDATES] = {
    [EXACT] = "full",
    [HELICITIES_SAMPLED] = "co-sum-masses",
    [COHERENT] = "coherent-masses",
    [COHERENT_HELICITIES_SUMMED] = "coherent-summed",
};

static const bg_strategy *strategy_of(int candidate, bg_purpose purpose)
{
    return bg_strategy_row((purpose == BG_FOR_ESTIMATED_CROSS_SECTION ? estimated_names : names)[candidate]);
}

/* Seconds for sigma at the paper's set-up, measured once (docs/performance.md, "Which strategy when"), the longest scaled up
 * from a lower precision. What counts is the order in a row; 0 is too long to be measured. */
#define MOST_MEASURED 8
typedef struct measured {
    double precision;
    const char *machine;
    double seconds[MOST_MEASURED + 1][CANDIDATES];
    /* where |M|^2 is estimated first: the last n_out at which sums over colors and helicities take the least time, and sums
     * over colors alone; events that share colors, 0: as many as elsewhere; and the times */
    int most_summed, most_colors_summed;
    int group;
    double estimated[MOST_MEASURED + 1];
} measured;

static const measured on_cpu = {
    .precision = 0.01,
    .machine = "one core of a Xeon with AVX-512",
    .seconds = {[2] = {.014, .015, .037, .062},
                [3] = {.061, .063, .114, .202},
                [4] = {.276, .172, .506, .832},
                [5] = {2.49, .665, .662, 3.43},
                [6] = {67.3, 12.8, 2.59, 24.},
                [7] = {0., 307., 8.06, 0.},
                [8] = {0., 0., 33.4, 0.}},
    .most_summed = 5,
    .most_colors_summed = 6,
    .group = 8, /* a register: points that were kept are few, and colors that more of them share make them alike */
    .estimated = {[2] = .014, [3] = .061, [4] = .05, [5] = .1, [6] = .21, [7] = 1., [8] = 2.7},
};
static const measured on_device = {
    .precision = 0.001,
    .machine = "an H200",
    .seconds = {[2] = {.125, .127, .128, .13},
                [3] = {.129, .133, .146, .21},
                [4] = {.156, .131, .184, .8},
                [5] = {.598, .370, .413, 12.},
                [6] = {22., 2.74, 1.58, 67.},
                [7] = {450., 67., 11., 2500.},
                [8] = {0., 760., 50., 0.}},
    .most_summed = 6, /* not measured to this precision: the times are unknown */
    .most_colors_summed = 6,
    .group = 8, /* as on a CPU */
};

static const measured *measured_on(const bg_backend *backend)
{
    return backend->capabilities & BG_CAN_CHOOSE_DEVICE ? &on_device : &on_cpu;
}

/* ---- the choice -------------------------------------------------------------------------------------------------- */

int bg_choice_is_open(const bg_options *o)
{
    return o->color == BG_COLOR_AUTO || o->recursion == BG_RECURSION_AUTO || o->helicity == BG_HELICITY_AUTO;
}

/* Whether what was asked for leaves a strategy possible. A fixed helicity is as good as a sampled one. */
static int fits(const bg_strategy *s, const bg_options *o)
{
    const bg_helicity helicity = o->helicity == BG_HELICITY_FIXED ? BG_HELICITY_SAMPLED : o->helicity;
    return (o->color == BG_COLOR_AUTO || o->color == s->color) &&
           (o->recursion == BG_RECURSION_AUTO || o->recursion == s->recursion) &&
           (helicity == BG_HELICITY_AUTO || helicity == s->helicity);
}

/* The last n_out whose exact color sum is chosen unasked: at 10 a configuration of a point takes seconds, its tables
 * half a gigabyte. */
#define MOST_EXACT 9

/* A matrix element is to be exact where it can be. For a cross section, the fastest of the table; beyond it, what was
 * fastest at its end. */
static double cost(int candidate, const bg_strategy *s, const bg_options *o, int n_out, const bg_backend *backend,
                   bg_purpose purpose)
{
    const double hopeless = 1e300;
    const int sampled = s->color == BG_COLOR_SAMPLED, paper = o->kernel == BG_KERNEL_PAPER;
    if (!sampled && n_out > (paper ? BG_MAX_OUT_ORDERED : MOST_EXACT)) return hopeless;
    if (sampled && paper) return 0.7 * hopeless; /* the table is that of the fast kernels */
    const measured *m = measured_on(backend);
    const int few = purpose == BG_FOR_ESTIMATED_CROSS_SECTION && n_out <= m->most_colors_summed;
    if (few && !sampled) return (s->helicity == BG_HELICITY_SAMPLED) == (n_out > m->most_summed) ? 0. : 1e-6;
    if (purpose == BG_FOR_MATRIX_ELEMENTS) return (double)(2 * sampled + (s->helicity == BG_HELICITY_SAMPLED));
    const int row = n_out < MOST_MEASURED ? n_out : MOST_MEASURED;
    const double seconds = m->seconds[row][candidate];
    return seconds > 0. ? seconds : 0.5 * hopeless;
}

/* Legs of a process with quarks up to which a sum over helicities costs less than sampling them does; ... where |M|^2 is estimated
 * first. */
#define MOST_SUMMED_LEGS 7
#define MOST_ESTIMATED_LEGS 8

static void describe(bg_choice *choice, int candidate, const bg_options *o, int n_out, const bg_backend *backend,
                     bg_purpose purpose)
{
    const measured *m = measured_on(backend);
    snprintf(choice->backend, sizeof choice->backend, "%s", backend->name);
    choice->precision = m->precision;
    choice->machine = m->machine;
    if (candidate < 0) return;
    snprintf(choice->strategy, sizeof choice->strategy, "%s", strategy_of(candidate, purpose)->name);
    /* what was measured is the fast kernel, with helicities as they are chosen for a cross section */
    if (purpose == BG_FOR_MATRIX_ELEMENTS || n_out > MOST_MEASURED || o->kernel != BG_KERNEL_FAST) return;
    choice->seconds = purpose == BG_FOR_ESTIMATED_CROSS_SECTION ? m->estimated[n_out] : m->seconds[n_out][candidate];
}

/* Color structures up to which a sum over colors costs less than sampling them does: five gluons on one line, two and three lines with
 * up to three and two gluons. */
#define MOST_SUMMED_STRUCTURES 200

/* Whether colors of quark lines are to be sampled, where that is open: for cross sections of many structures, and where there are more
 * than an exact sum takes. The recursion settles it where it is given. */
static int samples_quark_colors(const bg_options *o, const bg_subprocess *process, bg_purpose purpose)
{
    const uint64_t structures = bg_color_strings(process->lines, process->gluons).structures;
    if (o->recursion != BG_RECURSION_AUTO) return o->recursion == BG_RECURSION_DRESSED;
    if (process->lines > OPEN_MOST_LINES || o->kernel == BG_KERNEL_PAPER) return 0;
    return structures > BG_MOST_STRUCTURES ||
           (purpose == BG_FOR_CROSS_SECTION && process->n > MOST_SUMMED_LEGS && structures > MOST_SUMMED_STRUCTURES);
}

/* With quarks: exact matrix elements; for a cross section helicities are sampled where a sum over them takes long, and so are
 * colors. */
static void choose_quarks(bg_options *o, const bg_subprocess *process, const bg_backend *backend, bg_purpose purpose,
                          bg_choice *choice)
{
    const int sampled = (purpose == BG_FOR_CROSS_SECTION && process->n > MOST_SUMMED_LEGS) ||
                        (purpose == BG_FOR_ESTIMATED_CROSS_SECTION && process->n > MOST_ESTIMATED_LEGS);
    if (o->color == BG_COLOR_AUTO)
        o->color = samples_quark_colors(o, process, purpose) ? BG_COLOR_SAMPLED : BG_COLOR_SUMMED;
    const int colors = o->color == BG_COLOR_SAMPLED;
    if (choice) {
        snprintf(choice->backend, sizeof choice->backend, "%s", backend->name);
        choice->machine = measured_on(backend)->machine;
        snprintf(choice->strategy, sizeof choice->strategy, "%s",
                 colors && sampled ? "coherent"
                 : colors          ? "coherent-summed"
                 : sampled         ? "co-sum"
                                   : "full");
    }
    if (o->recursion == BG_RECURSION_AUTO)
        o->recursion = o->color == BG_COLOR_SAMPLED ? BG_RECURSION_DRESSED : BG_RECURSION_ORDERED;
    if (o->helicity != BG_HELICITY_AUTO) return;
    o->helicity = sampled ? BG_HELICITY_SAMPLED : BG_HELICITY_SUMMED;
    if (sampled) o->helicity_sampling = BG_SAMPLE_ADAPTIVE;
}

/* A user who names an algorithm wants to see that one at work, at all points. */
bg_purpose bg_choice_purpose(const bg_options *o, const bg_integration *w)
{
    const int open = o->color == BG_COLOR_AUTO && o->helicity != BG_HELICITY_FIXED && o->kernel == BG_KERNEL_FAST &&
                     !w->receive && !w->hybrid;
    return open && w->estimate != BG_ESTIMATE_OFF ? BG_FOR_ESTIMATED_CROSS_SECTION : BG_FOR_CROSS_SECTION;
}

void bg_choice_make(bg_options *o, const bg_subprocess *process, const bg_backend *backend, bg_purpose purpose,
                    bg_choice *choice)
{
    if (process->lines && bg_choice_is_open(o)) {
        choose_quarks(o, process, backend, purpose, choice);
        return;
    }
    const int n_out = process->n_out;
    int best = -1;
    double least = 0.;
    const int open = bg_choice_is_open(o);
    for (int k = 0; k < CANDIDATES && open; k++) {
        const bg_strategy *s = strategy_of(k, purpose);
        if (!fits(s, o)) continue;
        const double this = cost(k, s, o, n_out, backend, purpose);
        if (best >= 0 && !(this < least)) continue;
        best = k;
        least = this;
    }
    if (choice) describe(choice, best, o, n_out, backend, purpose);
    if (!open) return;
    const bg_strategy *s = strategy_of(best < 0 ? EXACT : best, purpose);
    if (o->color == BG_COLOR_AUTO) o->color = s->color;
    if (o->recursion == BG_RECURSION_AUTO)
        o->recursion = o->color == BG_COLOR_LEADING ? BG_RECURSION_ORDERED : s->recursion;
    if (o->helicity == BG_HELICITY_AUTO) {
        o->helicity = s->helicity;
        if (s->helicity == BG_HELICITY_SAMPLED && purpose != BG_FOR_MATRIX_ELEMENTS)
            o->helicity_sampling = s->helicity_sampling;
    }
    if (purpose == BG_FOR_ESTIMATED_CROSS_SECTION && s->color == BG_COLOR_SAMPLED && !o->color_group)
        o->color_group = measured_on(backend)->group;
}
