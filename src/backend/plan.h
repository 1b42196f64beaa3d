/* The question, checked and worked out: what a backend needs to know to answer it. */
#ifndef BG_BACKEND_PLAN_H
#define BG_BACKEND_PLAN_H

#include "base/interrupt.h"
#include "process/subprocess.h"

typedef struct bg_plan {
    bg_options options;
    bg_subprocess process;   /* what scatters */
    int mode;                /* enum helicity_mode: the helicity axis as kernels see it */
    int sampled;             /* colors, helicities or orderings are drawn */
    uint32_t configuration;  /* fixed helicities: bit k set where internal gluon k, as outgoing, has + */
    int group;               /* events that share colors (bg_group_of()); 1: none do */
    size_t batch;            /* events in flight, once a backend has chosen; 0 before */
    int shares;              /* other plans take turns with it, and may have the memory of its batches meanwhile */
    int quad;                /* the backend works in 128-bit floats */
    double normalization;    /* |M|^2 = normalization * (sum that the kernel returns) */
    bg_interrupt *interrupt; /* asked often; results of work that was interrupted are not used. NULL: none */
} bg_plan;

/* Events that share colors: of every BG_DEAL consecutive events those that there are (an integration leaves out the ones
 * outside the cuts) are dealt out in order, `group` at a time. `rank` counts the ones before, of the same BG_DEAL. So
 * groups do not depend on batches, as long as these start at multiples of BG_DEAL. A group of one is its event. */
#define BG_DEAL 2048
static inline uint64_t bg_group_of(uint64_t event, int rank, int group)
{
    return group == 1 ? event : event / BG_DEAL * (uint64_t)(BG_DEAL / group) + (uint64_t)(rank / group);
}

/* With several quark lines only those of a group share colors whose flows have the same skeleton (color/open_strings.h), and there are
 * some ten skeletons of two lines, and up to a hundred of three. An integration sorts the events of a deal by skeleton first. At given
 * points, where an event must not depend on what others there are, groups are larger instead, and are sorted: some thirty to a
 * hundred events share colors. */
enum { BG_GROUPS_OF_ONE_LINE = 2, BG_GROUPS_OF_TWO = 32, BG_GROUPS_OF_MORE = 64 };
static inline int bg_group_at_points(const bg_plan *plan)
{
    const int lines = plan->process.lines;
    if (plan->group == 1 || !lines) return plan->group;
    return plan->group * (lines == 1 ? BG_GROUPS_OF_ONE_LINE : lines == 2 ? BG_GROUPS_OF_TWO : BG_GROUPS_OF_MORE);
}

/* Where batches may be cut: between deals if events share colors, anywhere if they do not. */
static inline uint64_t bg_deal_unit(int group) { return group > 1 ? BG_DEAL : 1; }

/* Event numbers that `count` events take up: a deal that was begun is not shared with others. */
static inline uint64_t bg_deal_whole(int group, uint64_t count)
{
    const uint64_t unit = bg_deal_unit(group);
    return (count + unit - 1) / unit * unit;
}

/* Why a list of vertices, or the color tables, could not be built: BG_ERROR_INTERRUPTED, or there is no memory. */
bg_status bg_plan_no_vertices(const bg_plan *plan, bg_error *error);
bg_status bg_plan_no_tables(const bg_plan *plan, bg_error *error);

/* Quark lines with an exact color sum: a program of all color structures (amplitude/program.h). */
int bg_plan_sums_quarks(const bg_plan *plan);

/* Helicities are chosen point by point by the integrator (helicity/selector.h). */
int bg_plan_selects_helicities(const bg_plan *plan);

/* ... by two-particle invariants, and not whole configurations. */
int bg_plan_by_invariants(const bg_plan *plan);

/* Whether options ask a question that a fast kernel exists for: exact color sums in the adjoint basis. (The tensor
 * vertex is a choice of the paper's recursion, so asking for it asks for the paper's kernel.) */
int bg_options_want_fast(const bg_options *options);

/* Whether they ask for colors that a group of events shares (color/coherent.h), which has a kernel of its own. */
int bg_options_want_coherent(const bg_options *options);

#endif
