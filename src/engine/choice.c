#include "engine/choice.h"

#include <string.h>

/* ---- strategies ------------------------------------------------------------------------------------------------ */

typedef struct strategy {
    bg_color color;
    bg_recursion recursion;
    bg_helicity helicity;
} strategy;

enum { EXACT, HELICITIES_SAMPLED, COHERENT, COHERENT_HELICITIES_SUMMED, STRATEGIES };

static const strategy strategies[STRATEGIES] = {
    [EXACT] = {BG_COLOR_SUMMED, BG_RECURSION_ORDERED, BG_HELICITY_SUMMED},
    [HELICITIES_SAMPLED] = {BG_COLOR_SUMMED, BG_RECURSION_ORDERED, BG_HELICITY_SAMPLED},
    [COHERENT] = {BG_COLOR_SAMPLED, BG_RECURSION_DRESSED, BG_HELICITY_SAMPLED},
    [COHERENT_HELICITIES_SUMMED] = {BG_COLOR_SAMPLED, BG_RECURSION_DRESSED, BG_HELICITY_SUMMED},
};

/* Seconds for sigma at the paper's set-up, measured once (docs/performance.md, "Which strategy when"): to 1 % on one core of
 * a Xeon with AVX-512, to 0.1 % on an H200, the longest scaled up from a lower precision. What counts is the order in a
 * row; 0 is too long to be measured. Sampled helicities are drawn by invariants. */
#define MOST_MEASURED 8
static const double cpu_seconds[MOST_MEASURED + 1][STRATEGIES] = {
    [2] = {.014, .015, .037, .062}, [3] = {.061, .063, .114, .202}, [4] = {.276, .172, .506, .832},
    [5] = {2.49, .665, .662, 3.43}, [6] = {67.3, 12.8, 2.59, 24.},  [7] = {0., 307., 8.06, 0.},
    [8] = {0., 0., 33.4, 0.},
};
static const double cuda_seconds[MOST_MEASURED + 1][STRATEGIES] = {
    [2] = {.125, .127, .128, .13}, [3] = {.129, .133, .146, .21}, [4] = {.156, .131, .184, .8},
    [5] = {.598, .370, .413, 12.}, [6] = {22., 2.74, 1.58, 67.},  [7] = {450., 67., 11., 2500.},
    [8] = {0., 760., 50., 0.},
};

/* ---- the choice -------------------------------------------------------------------------------------------------- */

int bg_options_automatic(const bg_options *o)
{
    return o->color == BG_COLOR_AUTO || o->recursion == BG_RECURSION_AUTO || o->helicity == BG_HELICITY_AUTO;
}

void bg_options_set_automatic(bg_options *o)
{
    if (!o) return;
    o->color = BG_COLOR_AUTO;
    o->recursion = BG_RECURSION_AUTO;
    o->helicity = BG_HELICITY_AUTO;
}

/* Whether what was asked for leaves a strategy possible. A fixed helicity is as good as a sampled one. */
static int fits(const strategy *s, const bg_options *o)
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
static double cost(int strategy_number, const bg_options *o, int n_out, const char *backend, bg_wish wish)
{
    const double hopeless = 1e300;
    const int sampled = strategies[strategy_number].color == BG_COLOR_SAMPLED, paper = o->kernel == BG_KERNEL_PAPER;
    if (!sampled && n_out > (paper ? BG_MAX_OUT_ORDERED : MOST_EXACT)) return hopeless;
    if (sampled && paper) return 0.7 * hopeless; /* the table is that of the fast kernels */
    if (wish == BG_WISH_MATRIX_ELEMENT)
        return (double)(2 * sampled + (strategies[strategy_number].helicity == BG_HELICITY_SAMPLED));
    const int row = n_out < MOST_MEASURED ? n_out : MOST_MEASURED;
    const double seconds = (strcmp(backend, "cuda") ? cpu_seconds : cuda_seconds)[row][strategy_number];
    return seconds > 0. ? seconds : 0.5 * hopeless;
}

void bg_options_resolve(bg_options *o, int n_out, const char *backend, bg_wish wish)
{
    if (!bg_options_automatic(o)) return;
    int best = -1;
    for (int k = 0; k < STRATEGIES; k++)
        if (fits(&strategies[k], o) &&
            (best < 0 || cost(k, o, n_out, backend, wish) < cost(best, o, n_out, backend, wish)))
            best = k;
    const strategy exact = strategies[EXACT], *s = best < 0 ? &exact : &strategies[best];
    if (o->color == BG_COLOR_AUTO) o->color = s->color;
    if (o->recursion == BG_RECURSION_AUTO)
        o->recursion = o->color == BG_COLOR_LEADING ? BG_RECURSION_ORDERED : s->recursion;
    if (o->helicity == BG_HELICITY_AUTO) {
        o->helicity = s->helicity;
        if (s->helicity == BG_HELICITY_SAMPLED && wish == BG_WISH_CROSS_SECTION)
            o->helicity_sampling = BG_SAMPLE_INVARIANTS;
    }
}
