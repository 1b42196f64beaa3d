#include "process/strategy.h"

#include <string.h>

/* ---- the paper's algorithms ------------------------------------------------------------------------------ */

static const struct {
    const char *name;
    bg_color color;
    bg_recursion recursion;
    bg_helicity helicity;
    bg_layout layout;
} presets[BG_ALGORITHM_COUNT] = {
    [BG_ALGORITHM_TESS] = {"tess", BG_COLOR_LEADING, BG_RECURSION_ORDERED, BG_HELICITY_SAMPLED, BG_LAYOUT_COOPERATIVE},
    [BG_ALGORITHM_LC] = {"lc", BG_COLOR_LEADING, BG_RECURSION_ORDERED, BG_HELICITY_SUMMED, BG_LAYOUT_EVENTS},
    [BG_ALGORITHM_CO_SUM] = {"co-sum", BG_COLOR_SUMMED, BG_RECURSION_ORDERED, BG_HELICITY_SUMMED, BG_LAYOUT_EVENTS},
    [BG_ALGORITHM_CO_MC] = {"co-mc", BG_COLOR_SAMPLED, BG_RECURSION_ORDERED, BG_HELICITY_SUMMED, BG_LAYOUT_EVENTS},
    [BG_ALGORITHM_CD_MC] = {"cd-mc", BG_COLOR_SAMPLED, BG_RECURSION_DRESSED, BG_HELICITY_SAMPLED, BG_LAYOUT_EVENTS},
};

const char *bg_algorithm_word(bg_algorithm algorithm) { return presets[algorithm].name; }

void bg_algorithm_apply(bg_options *o, bg_algorithm algorithm)
{
    o->color = presets[algorithm].color;
    o->recursion = presets[algorithm].recursion;
    o->helicity = presets[algorithm].helicity;
    o->layout = presets[algorithm].layout;
}

/* ---- strategies ------------------------------------------------------------------------------------------ */

#define LEADING(name_, algorithm_, helicity_, orderings_, layout_)                                                     \
    {                                                                                                                  \
        .name = name_, .algorithm = algorithm_, .color = BG_COLOR_LEADING, .recursion = BG_RECURSION_ORDERED,          \
        .helicity = helicity_, .helicity_sampling = BG_SAMPLE_ANGLE, .kernel = BG_KERNEL_PAPER,                        \
        .orderings = orderings_, .layout = layout_, .most_out = BG_MAX_OUT_ORDERED                                     \
    }
#define SUMMED(name_, helicity_, sampling_, kernel_)                                                                   \
    {                                                                                                                  \
        .name = name_, .algorithm = BG_ALGORITHM_CO_SUM, .color = BG_COLOR_SUMMED, .recursion = BG_RECURSION_ORDERED,  \
        .helicity = helicity_, .helicity_sampling = sampling_, .kernel = kernel_, .orderings = BG_ORDERINGS_ALL,       \
        .layout = BG_LAYOUT_EVENTS, .most_out = (kernel_) == BG_KERNEL_FAST ? BG_MAX_OUT_SUMMED : BG_MAX_OUT_ORDERED,  \
        .integration_only = (sampling_) >= BG_SAMPLE_ADAPTIVE                                                          \
    }
#define SAMPLED(name_, algorithm_, recursion_, helicity_, sampling_, kernel_)                                          \
    {                                                                                                                  \
        .name = name_, .algorithm = algorithm_, .color = BG_COLOR_SAMPLED, .recursion = recursion_,                    \
        .helicity = helicity_, .helicity_sampling = sampling_, .kernel = kernel_, .orderings = BG_ORDERINGS_ALL,       \
        .layout = BG_LAYOUT_EVENTS,                                                                                    \
        .most_out = (recursion_) == BG_RECURSION_DRESSED ? BG_MAX_OUT_DRESSED : BG_MAX_OUT_ORDERED,                    \
        .integration_only = (sampling_) >= BG_SAMPLE_ADAPTIVE                                                          \
    }

const bg_strategy bg_strategy_table[] = {
    /* leading color: one ordering per draw in the two layouts, or all of them */
    LEADING("tess", BG_ALGORITHM_TESS, BG_HELICITY_SAMPLED, BG_ORDERINGS_ONE, BG_LAYOUT_COOPERATIVE),
    LEADING("lc", BG_ALGORITHM_LC, BG_HELICITY_SAMPLED, BG_ORDERINGS_ONE, BG_LAYOUT_EVENTS),
    LEADING("lc-all", BG_ALGORITHM_LC, BG_HELICITY_SUMMED, BG_ORDERINGS_ALL, BG_LAYOUT_EVENTS),
    /* colors summed: all helicities, one polarization a draw, or helicities by invariants or invariant masses */
    SUMMED("full-paper", BG_HELICITY_SUMMED, BG_SAMPLE_ANGLE, BG_KERNEL_PAPER),
    SUMMED("full", BG_HELICITY_SUMMED, BG_SAMPLE_ANGLE, BG_KERNEL_FAST),
    SUMMED("co-sum-paper", BG_HELICITY_SAMPLED, BG_SAMPLE_ANGLE, BG_KERNEL_PAPER),
    SUMMED("co-sum", BG_HELICITY_SAMPLED, BG_SAMPLE_ANGLE, BG_KERNEL_FAST),
    SUMMED("co-sum-invariants", BG_HELICITY_SAMPLED, BG_SAMPLE_INVARIANTS, BG_KERNEL_FAST),
    SUMMED("co-sum-masses", BG_HELICITY_SAMPLED, BG_SAMPLE_MASSES, BG_KERNEL_FAST),
    /* color flows sampled */
    SAMPLED("co-mc", BG_ALGORITHM_CO_MC, BG_RECURSION_ORDERED, BG_HELICITY_SUMMED, BG_SAMPLE_ANGLE, BG_KERNEL_PAPER),
    SAMPLED("co-mc-sampled", BG_ALGORITHM_CO_MC, BG_RECURSION_ORDERED, BG_HELICITY_SAMPLED, BG_SAMPLE_ANGLE,
            BG_KERNEL_PAPER),
    SAMPLED("co-mc-invariants", BG_ALGORITHM_CO_MC, BG_RECURSION_ORDERED, BG_HELICITY_SAMPLED, BG_SAMPLE_INVARIANTS,
            BG_KERNEL_PAPER),
    /* colors dressed: each event its own, or events that run together share them */
    SAMPLED("cd-mc", BG_ALGORITHM_CD_MC, BG_RECURSION_DRESSED, BG_HELICITY_SAMPLED, BG_SAMPLE_ANGLE, BG_KERNEL_PAPER),
    SAMPLED("coherent", BG_ALGORITHM_CD_MC, BG_RECURSION_DRESSED, BG_HELICITY_SAMPLED, BG_SAMPLE_ANGLE, BG_KERNEL_FAST),
    SAMPLED("coherent-invariants", BG_ALGORITHM_CD_MC, BG_RECURSION_DRESSED, BG_HELICITY_SAMPLED, BG_SAMPLE_INVARIANTS,
            BG_KERNEL_FAST),
    SAMPLED("coherent-masses", BG_ALGORITHM_CD_MC, BG_RECURSION_DRESSED, BG_HELICITY_SAMPLED, BG_SAMPLE_MASSES,
            BG_KERNEL_FAST),
    SAMPLED("coherent-summed", BG_ALGORITHM_CD_MC, BG_RECURSION_DRESSED, BG_HELICITY_SUMMED, BG_SAMPLE_ANGLE,
            BG_KERNEL_FAST),
};
const int bg_strategy_rows = sizeof bg_strategy_table / sizeof *bg_strategy_table;

const bg_strategy *bg_strategy_row(const char *name)
{
    for (int k = 0; name && k < bg_strategy_rows; k++)
        if (!strcmp(bg_strategy_table[k].name, name)) return &bg_strategy_table[k];
    return NULL;
}

void bg_strategy_apply(bg_options *o, const bg_strategy *s)
{
    o->color = s->color;
    o->recursion = s->recursion;
    o->helicity = s->helicity;
    o->helicity_sampling = s->helicity_sampling;
    o->kernel = s->kernel;
    o->orderings = s->orderings;
    o->layout = s->layout;
}
