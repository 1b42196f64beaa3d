/* From options to a plan: every option in its range, combinations that make sense, the factors in
 * front of the kernels' sums.
 */
#include "engine/plan.h"
#include "amplitude/external.h"
#include "color/factor.h"
#include "color/open_strings.h"
#include "color/strings.h"
#include "base/constants.h"
#include "base/status.h"
#include "process/options.h"

#include <math.h>
#include <string.h>

enum { GROUP = 32 }; /* events that share colors: docs/performance.md has the measurements behind it */

/* Values that are fine alone and make no sense together. */
static bg_status check_combinations(const bg_options *o, int n_out, bg_error *error)
{
    if (o->recursion == BG_RECURSION_DRESSED && o->color != BG_COLOR_SAMPLED)
        return bg_fail(error, BG_ERROR_UNSUPPORTED,
                       "dressed recursion with %s colors makes no sense: a dressed amplitude is for one color "
                       "assignment; use sampled colors, or the ordered recursion",
                       o->color == BG_COLOR_SUMMED ? "summed" : "leading");
    const int most = bg_options_want_fast(o) ? BG_MAX_OUT_SUMMED : BG_MAX_OUT_ORDERED;
    if (o->recursion == BG_RECURSION_ORDERED && n_out > most)
        return bg_fail(error, BG_ERROR_UNSUPPORTED,
                       "n_out = %d with the ordered recursion; it must be %d to %d (colors summed by the fast kernel: "
                       "up to %d, dressed: up to %d)",
                       n_out, BG_MIN_OUT, most, BG_MAX_OUT_SUMMED, BG_MAX_OUT_DRESSED);
    if (o->layout == BG_LAYOUT_COOPERATIVE && o->color != BG_COLOR_LEADING)
        return bg_fail(error, BG_ERROR_UNSUPPORTED, "the cooperative layout is for leading color only");
    if (o->layout == BG_LAYOUT_COOPERATIVE && o->vertex == BG_VERTEX_TENSOR)
        return bg_fail(error, BG_ERROR_UNSUPPORTED, "the cooperative layout has the quartic vertex only");
    if (o->orderings == BG_ORDERINGS_ONE && o->color != BG_COLOR_LEADING)
        return bg_fail(error, BG_ERROR_UNSUPPORTED, "one random ordering is for leading color only");
    if (o->decomposition == BG_DECOMPOSITION_TRACE && o->color != BG_COLOR_SUMMED)
        return bg_fail(error, BG_ERROR_UNSUPPORTED, "the trace decomposition is for summed colors only");
    if (o->decomposition == BG_DECOMPOSITION_TRACE && n_out > 4)
        return bg_fail(error, BG_ERROR_UNSUPPORTED, "the trace decomposition at n_out = %d; it must be 2 to 4", n_out);
    if (o->color_sampling != BG_COLORS_AUTO && o->recursion != BG_RECURSION_DRESSED)
        return bg_fail(error, BG_ERROR_UNSUPPORTED,
                       "%s color sampling is a choice of the dressed recursion (sampled colors of the ordered one are "
                       "always discrete)",
                       o->color_sampling == BG_COLORS_CONTINUOUS ? "continuous"
                       : o->color_sampling == BG_COLORS_DISCRETE ? "discrete"
                                                                 : "coherent");
    if (o->color_sampling == BG_COLORS_COHERENT && o->kernel == BG_KERNEL_PAPER)
        return bg_fail(error, BG_ERROR_UNSUPPORTED,
                       "coherent color sampling has a fast kernel only; the paper's has continuous or discrete colors");
    if (o->color_group && !bg_options_want_coherent(o))
        return bg_fail(error, BG_ERROR_UNSUPPORTED,
                       "color_group is %d, but colors are shared in coherent sampling only (sampled colors, dressed "
                       "recursion, fast kernel)",
                       o->color_group);
    if (o->vertex == BG_VERTEX_TENSOR && o->recursion == BG_RECURSION_DRESSED)
        return bg_fail(error, BG_ERROR_UNSUPPORTED,
                       "the vertex is a choice of the ordered recursion (the dressed one always has the tensor form)");
    if (o->floats == BG_FLOATS_QUAD && o->instruction_set != BG_INSTRUCTIONS_AUTO)
        return bg_fail(
            error, BG_ERROR_UNSUPPORTED,
            "128-bit floats have no instruction set to choose; leave instruction_set at auto, or use double");
    return BG_OK;
}

/* What there is for quarks: exact color sums of the fast kernel, and coherent color sampling. */
static bg_status check_quarks(const bg_subprocess *process, const bg_options *o, bg_error *error)
{
    if (!process->lines) return BG_OK;
    if (o->kernel == BG_KERNEL_PAPER)
        return bg_fail(error, BG_ERROR_UNSUPPORTED, "the paper's kernels are for gluons alone; use the fast one");
    if (o->color == BG_COLOR_LEADING)
        return bg_fail(error, BG_ERROR_UNSUPPORTED,
                       "leading color is for gluons alone; with quarks use summed or sampled colors");
    if (o->color == BG_COLOR_SAMPLED && o->recursion == BG_RECURSION_ORDERED)
        return bg_fail(
            error, BG_ERROR_UNSUPPORTED,
            "sampled colors with the ordered recursion are for gluons alone; with quarks use the dressed one");
    if (o->color == BG_COLOR_SAMPLED && !bg_options_want_coherent(o))
        return bg_fail(error, BG_ERROR_UNSUPPORTED,
                       "%s colors are for gluons alone; with quarks sampled colors are coherent",
                       o->color_sampling == BG_COLORS_CONTINUOUS ? "continuous" : "discrete");
    if (o->color == BG_COLOR_SAMPLED && process->lines > OPEN_MOST_LINES)
        return bg_fail(error, BG_ERROR_UNSUPPORTED,
                       "%d quark lines with sampled colors; there may be at most %d (with summed colors: %d)",
                       process->lines, OPEN_MOST_LINES, BG_MAX_LINES);
    if (o->color == BG_COLOR_SUMMED && !bg_options_want_fast(o))
        return bg_fail(error, BG_ERROR_UNSUPPORTED,
                       "the trace decomposition and the tensor vertex are for gluons alone");
    if (o->helicity == BG_HELICITY_SAMPLED &&
        (o->helicity_sampling == BG_SAMPLE_INVARIANTS || o->helicity_sampling == BG_SAMPLE_MASSES))
        return bg_fail(error, BG_ERROR_UNSUPPORTED,
                       "helicity sampling by %s is for gluons alone; with quarks use adaptive",
                       o->helicity_sampling == BG_SAMPLE_MASSES ? "masses" : "invariants");
    const color_strings strings = bg_color_strings(process->lines, process->gluons);
    if (o->color == BG_COLOR_SUMMED && strings.structures > BG_MOST_STRUCTURES)
        return bg_fail(error, BG_ERROR_UNSUPPORTED,
                       "%d quark lines and %d gluons have %llu color structures; an exact color sum takes at most %llu",
                       process->lines, process->gluons, (unsigned long long)strings.structures,
                       (unsigned long long)BG_MOST_STRUCTURES);
    return BG_OK;
}

static bg_status read_helicities(bg_plan *plan, bg_error *error)
{
    const char *h = plan->options.helicities;
    size_t length = 0;
    while (length < BG_HELICITIES_LENGTH && h[length]) length++;
    for (size_t k = 0; k < length; k++)
        if (h[k] != '+' && h[k] != '-')
            return bg_fail(error, BG_ERROR_ARGUMENT, "helicity '%c' in '%.*s'; it must be + or -", h[k], (int)length,
                           h);
    if (length != (size_t)plan->process.n)
        return bg_fail(error, BG_ERROR_ARGUMENT,
                       "%d helicities in '%.*s' for %d partons (%d incoming, %d outgoing); it must be one each",
                       (int)length, (int)length, h, plan->process.n, plan->process.n_in, plan->process.n_out);
    for (int k = 0; k < plan->process.n; k++) {
        const int plus = h[plan->process.leg[k]] == '+', incoming = (int)(plan->process.incoming >> k & 1u);
        if (incoming ? !plus : plus) plan->configuration |= 1u << k;
    }
    return BG_OK;
}

/* The factor in front of the sum that a kernel returns: g^2 / 2 for each coupling, 1/k! for k identical outgoing
 * partons, the average over incoming colors, and over incoming helicities unless these are given. Leading color leaves
 * N_c^N (N_c^2 - 1) of each squared amplitude of N letters between gluons; color sums with quarks are in units of their own. */
static double normalization_of(const bg_subprocess *process, const bg_options *o)
{
    double norm = 1.;
    for (int k = 0; k < process->couplings; k++)
        norm *= 4. * BG_PI * o->alpha_s / 2. / process->alike[process->n_in + k];
    norm /= process->incoming_colors;
    if (o->helicity != BG_HELICITY_FIXED) norm /= process->incoming_helicities;
    if (process->lines && o->color == BG_COLOR_SUMMED)
        norm *= bg_color_line_unit(COLOR_LINE_FUNDAMENTAL, process->gluons);
    if (o->color == BG_COLOR_LEADING) norm *= pow(BG_NC, process->letters) * (BG_NC * BG_NC - 1);
    return norm;
}

bg_status bg_plan_create(bg_plan *plan, const bg_subprocess *process, const bg_options *options, bg_error *error)
{
    static const int sampled_mode[] = {
        [BG_SAMPLE_ANGLE] = HELICITY_ANGLE,       [BG_SAMPLE_PHASE] = HELICITY_PHASE,
        [BG_SAMPLE_LINEAR] = HELICITY_LINEAR,     [BG_SAMPLE_CIRCULAR] = HELICITY_CIRCULAR,
        [BG_SAMPLE_ADAPTIVE] = HELICITY_CIRCULAR, [BG_SAMPLE_INVARIANTS] = HELICITY_CIRCULAR,
        [BG_SAMPLE_MASSES] = HELICITY_CIRCULAR,
    };
    memset(plan, 0, sizeof *plan);
    plan->options = *options;
    plan->process = *process;
    const bg_options *o = &plan->options;
    bg_status status = bg_options_check_ranges(o, error);
    if (status == BG_OK) status = check_combinations(o, plan->process.n_out, error);
    if (status == BG_OK) status = check_quarks(process, o, error);
    if (status == BG_OK && o->helicity == BG_HELICITY_FIXED) status = read_helicities(plan, error);
    if (status != BG_OK) return status;

    plan->mode = o->helicity == BG_HELICITY_SUMMED  ? HELICITY_BASIS
                 : o->helicity == BG_HELICITY_FIXED ? HELICITY_CIRCULAR
                                                    : sampled_mode[o->helicity_sampling];
    plan->sampled = o->color == BG_COLOR_SAMPLED || o->helicity == BG_HELICITY_SAMPLED ||
                    (o->color == BG_COLOR_LEADING && o->orderings == BG_ORDERINGS_ONE);
    if (!plan->sampled) plan->options.samples = 1;
    plan->group = 1;
    if (bg_options_want_coherent(o)) {
        plan->options.color_sampling = BG_COLORS_COHERENT;
        if (!o->color_group) plan->options.color_group = GROUP;
        plan->group = plan->options.color_group;
    } else if (o->recursion == BG_RECURSION_DRESSED && o->color_sampling == BG_COLORS_AUTO) {
        plan->options.color_sampling = BG_COLORS_CONTINUOUS;
    }

    plan->normalization = normalization_of(&plan->process, o);
    return bg_succeed(error);
}
