#include "engine/cost.h"
#include "backend/operations.h"
#include "color/strings.h"
#include "helicity/chirality.h"
#include "helicity/mode.h"

#include <math.h>

#define STRUCTURE_COST 60. /* of a color structure in one configuration of helicities */
#define DRAW_COST 0.6      /* of an operation of a draw of colors: an estimate takes longer for one of its own */

/* Exact color sums: structures in all configurations that a point has. */
static double summed_cost(const bg_plan *plan)
{
    const bg_subprocess *s = &plan->process;
    const int all = plan->options.helicity == BG_HELICITY_SUMMED;
    uint32_t pattern[BG_MOST_CHIRALITIES];
    double structures = (double)bg_factorial(s->letters), helicities = ldexp(1., s->n);
    if (s->lines) {
        structures = (double)bg_color_strings(s->lines, s->gluons).structures;
        helicities = ldexp(2. * bg_chiralities(s, 1, pattern), s->gluons);
    }
    return STRUCTURE_COST * structures * (all ? helicities : 1.);
}

double bg_exact_cost(const bg_plan *plan)
{
    const bg_options *o = &plan->options;
    bg_operations paper;
    if (o->color == BG_COLOR_SUMMED) return summed_cost(plan);
    if (bg_options_want_coherent(o))
        return DRAW_COST * helicity_configurations(plan->process.n, plan->mode) *
               bg_coherent_operations(plan->process.n, helicity_parts(plan->mode), o->seed);
    bg_paper_operations(plan, &paper);
    return paper.amplitudes + paper.color_sum;
}

/* Invariants of all pairs, then paths over all sets of gluons from one to three ends (estimate/estimate.h). */
double bg_estimate_cost(const estimate_plan *plan)
{
    const double N = estimate_letters(plan), pairs = 0.5 * plan->legs * (plan->legs - 1);
    const double ends = plan->lines < 2 ? 1. : plan->lines == 2 ? 3. : 9.;
    return 13. * pairs + ends * ldexp(N * (N + 1.), (int)N - 1);
}

/* A logarithm takes about twenty operations, a coefficient two. */
double bg_factor_cost(const estimate_plan *plan)
{
    const int numbers = learned_numbers(plan);
    return 20. * numbers + 2. * learned_coefficients(numbers);
}
