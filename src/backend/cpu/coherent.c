/* Coherent color sampling for one instruction set (BG_ISA, BG_LANES), any n_out.
 *
 * A run of events of one group goes through the schedule of the group's colors together, a register at a time. The
 * schedule stays in the workspace of the thread for the runs that follow.
 */
#include "backend/cpu/instance.h"

#include "amplitude/coherent.h"
#include "amplitude/external.h"
#include "helicity/selector.h"

/* In front of the workspace: whose schedule is behind it. */
typedef struct schedule_owner {
    uint64_t group;
    uint32_t draw, valid;
    coherent_colors colors;
    coherent_schedule schedule;
} schedule_owner;

static size_t lines(size_t bytes) { return (bytes + 63) / 64 * 64; }

static size_t front_bytes(int n) { return lines(sizeof(schedule_owner)) + lines(coherent_schedule_bytes(n)); }

static size_t workspace(const bg_plan *plan, const quark_program *program)
{
    (void)program;
    return front_bytes(plan->process.n) +
           coherent_work_reals(plan->process.n, helicity_parts(plan->mode)) * sizeof(real);
}

static const schedule_owner *schedule_of(const cpu_task *t, uint64_t group)
{
    schedule_owner *o = t->workspace;
    const int n = t->plan->process.n;
    if (!o->valid || o->group != group || o->draw != t->draw) {
        o->group = group;
        o->draw = t->draw;
        o->colors = coherent_draw_from(n, bg_helicity_choosing(&t->plan->options) == HELICITY_BY_MASSES,
                                       t->plan->options.seed, group, t->draw);
        if (!o->valid) {
            coherent_schedule_place(n, (char *)t->workspace + lines(sizeof *o), &o->schedule);
            coherent_rule_table(o->schedule.rule);
        }
        coherent_build(n, &o->colors, &o->schedule);
        o->valid = 1;
    }
    return o;
}

typedef real square_function(const cpu_task *t, const schedule_owner *o, const vec4 *p, const vec4 *state,
                             const uint64_t *event);

static real square_real(const cpu_task *t, const schedule_owner *o, const vec4 *p, const vec4 *state,
                        const uint64_t *event)
{
    const int n = t->plan->process.n;
    return coherent_square(n, 1, helicity_states(t->plan->mode), &o->colors, &o->schedule, p, state,
                           t->plan->options.seed, event, t->draw, (real *)((char *)t->workspace + front_bytes(n)), 1,
                           t->plan->interrupt);
}

static real square_complex(const cpu_task *t, const schedule_owner *o, const vec4 *p, const vec4 *state,
                           const uint64_t *event)
{
    const int n = t->plan->process.n;
    return coherent_square(n, 2, helicity_states(t->plan->mode), &o->colors, &o->schedule, p, state,
                           t->plan->options.seed, event, t->draw, (real *)((char *)t->workspace + front_bytes(n)), 1,
                           t->plan->interrupt);
}

static void evaluate(const cpu_task *t)
{
    const bg_plan *plan = t->plan;
    const double weight = helicity_draw_weight(plan->process.n, plan->mode);
    square_function *square = helicity_parts(plan->mode) == 2 ? square_complex : square_real;
    for (int from = 0, to; from < t->count && !bg_interrupted(t->plan->interrupt); from = to) {
        const uint64_t group = t->group[from];
        for (to = from + 1; to < t->count && to < from + BG_LANES && t->group[to] == group;) to++;
        uint64_t event[BG_LANES];
        uint32_t configuration[BG_LANES];
        for (int l = 0; l < BG_LANES; l++) { /* lanes past the last repeat it */
            event[l] = t->event[from + l < to ? from + l : to - 1];
            configuration[l] = t->configuration[from + l < to ? from + l : to - 1];
        }
        vec4 p[BG_MAX_LEGS], state[2 * BG_MAX_LEGS];
        const bg_momenta momenta = momenta_from(&t->momenta, (size_t)from);
        external_load(plan->process.n, &momenta, to - from, p);
        external_polarizations(plan->process.n, plan->mode, configuration, plan->options.seed, event, t->draw, p,
                               state);
        const real value = square(t, schedule_of(t, group), p, state, event);
        for (int l = 0; l < to - from; l++) t->value[from + l] = weight * (double)bg_lane(value, l);
    }
}

#define PASTE(a, b) a##b
#define SYMBOL(isa) PASTE(bg_coherent_, isa)

extern const cpu_instance SYMBOL(BG_ISA);
const cpu_instance SYMBOL(BG_ISA) = {.lanes = BG_LANES, .workspace = workspace, .evaluate = evaluate};
