/* From options to a plan: every option in its range, combinations that make sense, the factors in
 * front of the kernels' sums.
 */
#include "backend/plan.h"
#include "amplitude/external.h"
#include "color/factor.h"
#include "base/constants.h"
#include "base/status.h"

#include <math.h>
#include <string.h>

enum { GROUP = 32 }; /* events that share colors: docs/performance.md has the measurements behind it */

void bg_options_init(bg_options *options)
{
    memset(options, 0, sizeof *options);
    strcpy(options->backend, "auto");
    options->device = -1;
    options->samples = 1;
    options->seed = 1;
    options->alpha_s = 0.118;
    options->rescue = 1;
}

static const char *const algorithm_names[BG_ALGORITHM_COUNT] = {"tess", "lc", "co-sum", "co-mc", "cd-mc"};

const char *bg_algorithm_name(bg_algorithm algorithm)
{
    return (unsigned)algorithm < BG_ALGORITHM_COUNT ? algorithm_names[algorithm] : NULL;
}

bg_status bg_algorithm_parse(bg_algorithm *algorithm, const char *name, bg_error *error)
{
    if (!algorithm) return bg_fail(error, BG_ERROR_ARGUMENT, "algorithm is NULL: no place for the result");
    for (int k = 0; k < BG_ALGORITHM_COUNT; k++)
        if (name && !strcmp(name, algorithm_names[k])) {
            *algorithm = (bg_algorithm)k;
            return bg_succeed(error);
        }
    return bg_fail(error, BG_ERROR_ARGUMENT, "unknown algorithm '%s'; it must be tess, lc, co-sum, co-mc or cd-mc",
                   name ? name : "");
}

bg_status bg_options_set_algorithm(bg_options *o, bg_algorithm algorithm, bg_error *error)
{
    static const struct {
        bg_color color;
        bg_recursion recursion;
        bg_helicity helicity;
        bg_layout layout;
    } preset[BG_ALGORITHM_COUNT] = {
        [BG_ALGORITHM_TESS] = {BG_COLOR_LEADING, BG_RECURSION_ORDERED, BG_HELICITY_SAMPLED, BG_LAYOUT_COOPERATIVE},
        [BG_ALGORITHM_LC] = {BG_COLOR_LEADING, BG_RECURSION_ORDERED, BG_HELICITY_SUMMED, BG_LAYOUT_EVENTS},
        [BG_ALGORITHM_CO_SUM] = {BG_COLOR_SUMMED, BG_RECURSION_ORDERED, BG_HELICITY_SUMMED, BG_LAYOUT_EVENTS},
        [BG_ALGORITHM_CO_MC] = {BG_COLOR_SAMPLED, BG_RECURSION_ORDERED, BG_HELICITY_SUMMED, BG_LAYOUT_EVENTS},
        [BG_ALGORITHM_CD_MC] = {BG_COLOR_SAMPLED, BG_RECURSION_DRESSED, BG_HELICITY_SAMPLED, BG_LAYOUT_EVENTS},
    };
    if (!o) return bg_fail(error, BG_ERROR_ARGUMENT, "options is NULL: no place for the result");
    if ((unsigned)algorithm >= BG_ALGORITHM_COUNT)
        return bg_fail(error, BG_ERROR_ARGUMENT, "algorithm is %d; it must be 0 to %d", (int)algorithm,
                       BG_ALGORITHM_COUNT - 1);
    o->color = preset[algorithm].color;
    o->recursion = preset[algorithm].recursion;
    o->helicity = preset[algorithm].helicity;
    o->layout = preset[algorithm].layout;
    return bg_succeed(error);
}

/* Every enumeration and number in its own range. */
static bg_status check_ranges(const bg_options *o, bg_error *error)
{
    const struct {
        const char *name;
        int value, last;
    } axis[] = {
        {"color", (int)o->color, BG_COLOR_AUTO},
        {"recursion", (int)o->recursion, BG_RECURSION_AUTO},
        {"helicity", (int)o->helicity, BG_HELICITY_AUTO},
        {"helicity_sampling", (int)o->helicity_sampling, BG_SAMPLE_INVARIANTS},
        {"color_sampling", (int)o->color_sampling, BG_SAMPLE_COHERENT},
        {"kernel", (int)o->kernel, BG_KERNEL_PAPER},
        {"vertex", (int)o->vertex, BG_VERTEX_TENSOR},
        {"decomposition", (int)o->decomposition, BG_DECOMPOSITION_TRACE},
        {"orderings", (int)o->orderings, BG_ORDERINGS_ONE},
        {"layout", (int)o->layout, BG_LAYOUT_COOPERATIVE},
        {"rescue", o->rescue, 1},
    };
    for (size_t k = 0; k < sizeof axis / sizeof *axis; k++)
        if (axis[k].value < 0 || axis[k].value > axis[k].last)
            return bg_fail(error, BG_ERROR_ARGUMENT, "option %s is %d; it must be 0 to %d", axis[k].name, axis[k].value,
                           axis[k].last);
    if (o->threads < 0 || o->threads > 4096)
        return bg_fail(error, BG_ERROR_ARGUMENT, "threads is %d; it must be 0 (all cores) to 4096", o->threads);
    if (o->samples < 1) return bg_fail(error, BG_ERROR_ARGUMENT, "samples is %d; it must be 1 or more", o->samples);
    if (o->color_group < 0 || o->color_group > BG_MOST_GROUP || (o->color_group & (o->color_group - 1)))
        return bg_fail(error, BG_ERROR_ARGUMENT,
                       "color_group is %d; it must be a power of two up to %d, or 0 for a good choice", o->color_group,
                       BG_MOST_GROUP);
    /* squares of weights must stay within the range of a double */
    if (!(o->alpha_s >= 1e-6) || !(o->alpha_s <= 10.))
        return bg_fail(error, BG_ERROR_ARGUMENT, "alpha_s is %g; it must be from 1e-6 to 10", o->alpha_s);
    if (o->device < -1)
        return bg_fail(error, BG_ERROR_ARGUMENT, "device is %d; it must be 0 or more, or -1 for the first", o->device);
    return BG_OK;
}

int bg_options_want_fast(const bg_options *o)
{
    return o->kernel == BG_KERNEL_FAST && o->color == BG_COLOR_SUMMED && o->decomposition == BG_DECOMPOSITION_ADJOINT &&
           o->vertex == BG_VERTEX_QUARTIC;
}

int bg_options_want_coherent(const bg_options *o)
{
    return o->color == BG_COLOR_SAMPLED && o->recursion == BG_RECURSION_DRESSED && o->kernel == BG_KERNEL_FAST &&
           (o->color_sampling == BG_SAMPLE_AUTOMATIC || o->color_sampling == BG_SAMPLE_COHERENT);
}

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
    if (o->color_sampling != BG_SAMPLE_AUTOMATIC && o->recursion != BG_RECURSION_DRESSED)
        return bg_fail(error, BG_ERROR_UNSUPPORTED,
                       "%s color sampling is a choice of the dressed recursion (sampled colors of the ordered one are "
                       "always discrete)",
                       o->color_sampling == BG_SAMPLE_CONTINUOUS ? "continuous"
                       : o->color_sampling == BG_SAMPLE_DISCRETE ? "discrete"
                                                                 : "coherent");
    if (o->color_sampling == BG_SAMPLE_COHERENT && o->kernel == BG_KERNEL_PAPER)
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
                       "%d helicities in '%.*s' for %d gluons (g g -> %d g); it must be one each", (int)length,
                       (int)length, h, plan->process.n, plan->process.n_out);
    for (int k = 0; k < plan->process.n; k++) {
        const int plus = h[plan->process.leg[k]] == '+', incoming = (int)(plan->process.incoming >> k & 1u);
        if (incoming ? !plus : plus) plan->configuration |= 1u << k;
    }
    return BG_OK;
}

int bg_plan_selects_helicities(const bg_plan *plan)
{
    return plan->options.helicity == BG_HELICITY_SAMPLED && plan->options.helicity_sampling >= BG_SAMPLE_ADAPTIVE;
}

/* The factor in front of the sum that a kernel returns: g^2 / 2 for each coupling, 1/k! for k identical outgoing
 * partons, the average over incoming colors, and over incoming helicities unless these are given. Leading color leaves
 * N_c^N (N_c^2 - 1) of each squared amplitude of N letters between gluons. */
static double normalization_of(const bg_subprocess *process, const bg_options *o)
{
    double norm = 1.;
    for (int k = 0; k < process->couplings; k++)
        norm *= 4. * BG_PI * o->alpha_s / 2. / process->alike[process->n_in + k];
    norm /= process->incoming_colors;
    if (o->helicity != BG_HELICITY_FIXED) norm /= process->incoming_helicities;
    if (o->color == BG_COLOR_LEADING) norm *= pow(BG_NC, process->letters) * (BG_NC * BG_NC - 1);
    return norm;
}

int bg_plan_by_invariants(const bg_plan *plan)
{
    return plan->options.helicity_sampling == BG_SAMPLE_INVARIANTS;
}

bg_status bg_plan_create(bg_plan *plan, const bg_subprocess *process, const bg_options *options, bg_error *error)
{
    static const int sampled_mode[] = {
        [BG_SAMPLE_ANGLE] = HELICITY_ANGLE,
        [BG_SAMPLE_PHASE] = HELICITY_PHASE,
        [BG_SAMPLE_LINEAR] = HELICITY_LINEAR,
        [BG_SAMPLE_CIRCULAR] = HELICITY_CIRCULAR,   [BG_SAMPLE_ADAPTIVE] = HELICITY_CIRCULAR,
        [BG_SAMPLE_INVARIANTS] = HELICITY_CIRCULAR,
    };
    memset(plan, 0, sizeof *plan);
    plan->options = *options;
    plan->process = *process;
    const bg_options *o = &plan->options;
    bg_status status = check_ranges(o, error);
    if (status == BG_OK) status = check_combinations(o, plan->process.n_out, error);
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
        plan->options.color_sampling = BG_SAMPLE_COHERENT;
        if (!o->color_group) plan->options.color_group = GROUP;
        plan->group = plan->options.color_group;
    } else if (o->recursion == BG_RECURSION_DRESSED && o->color_sampling == BG_SAMPLE_AUTOMATIC) {
        plan->options.color_sampling = BG_SAMPLE_CONTINUOUS;
    }

    plan->normalization = normalization_of(&plan->process, o);
    return bg_succeed(error);
}
