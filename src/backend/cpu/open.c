/* Coherent color sampling of processes with quark lines, for one instruction set (BG_ISA, BG_LANES).
 *
 * Every event of a group draws its flow of colors. Those whose flows have the same skeleton share colors, and go through the schedule of
 * these together, a register at a time. With one line all skeletons are the same.
 */
#include "backend/cpu/instance.h"

#include "amplitude/external.h"
#include "amplitude/open.h"

/* In front of the workspace: the process, and whose schedule is behind it. */
typedef struct schedule_owner {
    uint64_t group;
    uint32_t draw, skeleton, valid;
    open_process process;
    open_colors colors;
    open_schedule schedule;
} schedule_owner;

/* Events of a group, and their order by skeletons. */
typedef struct sorted_events {
    open_flow flow[BG_TOGETHER];
    element Z[BG_TOGETHER];
    int order[BG_TOGETHER];
} sorted_events;

/* A register of events, by number of the gluons. */
typedef struct loaded_events {
    int count;
    uint64_t event[BG_LANES];
    uint32_t configuration[BG_LANES];
    vec4 p[BG_MAX_LEGS];
    open_momenta m;
    real legs[OPEN_LEGS], antennas[OPEN_MOST_ANTENNAS];
} loaded_events;

static size_t lines(size_t bytes) { return (bytes + 63) / 64 * 64; }

static size_t front_bytes(const open_process *o)
{
    return lines(sizeof(schedule_owner)) + lines(open_schedule_bytes(o));
}

static size_t workspace(const bg_plan *plan, const quark_program *program)
{
    (void)program;
    const open_process o = bg_open_process(&plan->process);
    return front_bytes(&o) + open_work_reals(&o, helicity_parts(plan->mode)) * sizeof(real);
}

static real *numbers_of(const cpu_task *t, const open_process *o)
{
    return (real *)((char *)t->workspace + front_bytes(o));
}

static schedule_owner *owner_of(const cpu_task *t)
{
    schedule_owner *o = t->workspace;
    if (o->valid) return o;
    o->process = bg_open_process(&t->plan->process);
    open_schedule_place(&o->process, helicity_parts(t->plan->mode), (char *)t->workspace + lines(sizeof *o),
                        &o->schedule);
    open_rule_table(o->schedule.rule);
    open_forbid(&o->process, &o->schedule, 0, 1);
    o->skeleton = OPEN_SKELETONS; /* no colors yet */
    o->valid = 1;
    return o;
}

static void prepare_schedule(const cpu_task *t, schedule_owner *o, uint64_t group, uint32_t skeleton)
{
    if (o->skeleton == skeleton && o->group == group && o->draw == t->draw) return;
    o->group = group;
    o->draw = t->draw;
    o->skeleton = skeleton;
    o->colors = open_draw_colors(&o->process, skeleton, t->plan->options.seed, group, t->draw);
    open_build(&o->process, &o->colors, &o->schedule);
}

/* Flows that were drawn before, of events that are in the order of their skeletons. */
static void take_group(const cpu_task *t, int from, int to, sorted_events *s)
{
    for (int k = 0; k < to - from; k++) {
        s->flow[k] = t->flow[from + k].flow;
        s->Z[k] = (element)t->flow[from + k].Z;
        s->order[k] = k;
    }
}

static void load_event(const cpu_task *t, int e, int lane, loaded_events *x)
{
    x->event[lane] = t->event[e];
    x->configuration[lane] = t->configuration[e];
}

static void finish_loading(const cpu_task *t, const open_process *o, loaded_events *x)
{
    x->m.leg = x->legs;
    open_load(o, &t->plan->process, x->p, &x->m);
    open_antennas(o, &x->m, x->antennas);
}

/* Momenta and antennas of some events of a task; lanes past the last repeat it. */
static void load(const cpu_task *t, const open_process *o, const int *at, int count, loaded_events *x)
{
    const bg_subprocess *process = &t->plan->process;
    x->count = count;
    for (int l = 0; l < BG_LANES; l++) {
        const int e = at[l < count ? l : count - 1];
        const bg_momenta momenta = momenta_from(&t->momenta, (size_t)e);
        load_event(t, e, l, x);
        for (int k = 0; k < process->n; k++) {
            const double *p = momenta_at(&momenta, 0, k);
            const double sign = process->incoming >> k & 1u ? -1. : 1.;
            bg_set_lane(&x->p[k].t, l, sign * p[0]);
            bg_set_lane(&x->p[k].x, l, sign * p[momenta.component]);
            bg_set_lane(&x->p[k].y, l, sign * p[2 * momenta.component]);
            bg_set_lane(&x->p[k].z, l, sign * p[3 * momenta.component]);
        }
    }
#if defined(BG_QUAD)
    external_sharpen(process->n, process->incoming, x->p);
#endif
    finish_loading(t, o, x);
}

/* ... of consecutive ones. */
static void load_from(const cpu_task *t, const open_process *o, int first, int count, loaded_events *x)
{
    const bg_momenta momenta = momenta_from(&t->momenta, (size_t)first);
    x->count = count;
    for (int l = 0; l < BG_LANES; l++) load_event(t, first + (l < count ? l : count - 1), l, x);
    external_load(t->plan->process.n, &momenta, count, x->p);
    finish_loading(t, o, x);
}

static real square(const int parts, const cpu_task *t, const schedule_owner *o, const loaded_events *x,
                   const open_flow *flow, real Z)
{
    const int mode = t->plan->mode;
    shared_polarization given[2 * BG_MAX_LETTERS];
    if (mode != HELICITY_BASIS) {
        vec4 state[2 * BG_MAX_LEGS];
        external_polarizations(t->plan->process.n, mode, x->configuration, t->plan->options.seed, x->event, t->draw,
                               x->p, state);
        open_polarizations(&o->process, &t->plan->process, &x->m, state, parts, given);
    }
    const open_helicities h = {mode == HELICITY_BASIS ? NULL : given,
                               mode == HELICITY_CIRCULAR ? x->configuration : NULL};
    return open_square(parts, &o->process, &o->colors, &o->schedule, x->antennas, &x->m, flow, Z, &h,
                       numbers_of(t, &o->process), t->plan->interrupt);
}

static real square_real(const cpu_task *t, const schedule_owner *o, const loaded_events *x, const open_flow *flow,
                        real Z)
{
    return square(1, t, o, x, flow, Z);
}

static real square_complex(const cpu_task *t, const schedule_owner *o, const loaded_events *x, const open_flow *flow,
                           real Z)
{
    return square(2, t, o, x, flow, Z);
}

/* A register of events that share colors. */
static void evaluate_register(const cpu_task *t, const schedule_owner *o, const int *at, const loaded_events *x,
                              const open_flow *flow, real Z)
{
    const bg_plan *plan = t->plan;
    /* where chiralities are summed over, the other half gives the same */
    const double weight =
        helicity_draw_weight(plan->process.gluons, plan->mode) * (plan->mode == HELICITY_CIRCULAR ? 1. : 2.);
    const real value =
        helicity_parts(plan->mode) == 2 ? square_complex(t, o, x, flow, Z) : square_real(t, o, x, flow, Z);
    for (int l = 0; l < x->count; l++) t->value[at[l]] = weight * (double)bg_lane(value, l);
}

static real draw_flows(const cpu_task *t, const schedule_owner *o, const loaded_events *x, open_flow *flow)
{
    return open_draw_flows(&o->process, x->antennas, t->plan->options.seed, x->event, t->draw,
                           numbers_of(t, &o->process), flow);
}

/* One line: all flows have one skeleton. */
static void evaluate_group(const cpu_task *t, schedule_owner *o, int from, int to)
{
    for (int first = from; first < to && !bg_interrupted(t->plan->interrupt); first += BG_LANES) {
        const int count = to - first < BG_LANES ? to - first : BG_LANES;
        int at[BG_LANES];
        loaded_events x;
        open_flow flow[BG_LANES];
        for (int l = 0; l < BG_LANES; l++) at[l] = first + l;
        load_from(t, &o->process, first, count, &x);
        const real Z = draw_flows(t, o, &x, flow);
        prepare_schedule(t, o, t->group[first], flow[0].skeleton);
        evaluate_register(t, o, at, &x, flow, Z);
    }
}

/* By skeletons; events of one skeleton stay in order. */
static void sort_by_skeletons(int count, sorted_events *s)
{
    uint16_t next[OPEN_SKELETONS] = {0};
    for (int k = 0; k < count; k++) next[s->flow[k].skeleton]++;
    for (int skeleton = 0, at = 0; skeleton < OPEN_SKELETONS; skeleton++) {
        const int here = next[skeleton];
        next[skeleton] = (uint16_t)at;
        at += here;
    }
    for (int k = 0; k < count; k++) s->order[next[s->flow[k].skeleton]++] = k;
}

/* Draws the flows of a group. */
static void draw_group(const cpu_task *t, const schedule_owner *o, int from, int to, sorted_events *s)
{
    for (int first = from; first < to; first += BG_LANES) {
        const int count = to - first < BG_LANES ? to - first : BG_LANES;
        loaded_events x;
        open_flow flow[BG_LANES];
        load_from(t, &o->process, first, count, &x);
        const real Z = draw_flows(t, o, &x, flow);
        for (int l = 0; l < count; l++) {
            s->flow[first - from + l] = flow[l];
            s->Z[first - from + l] = bg_lane(Z, l);
        }
    }
    sort_by_skeletons(to - from, s);
}

static void evaluate_sorted(const cpu_task *t, schedule_owner *o, int from, int to)
{
    sorted_events s;
    if (t->flow)
        take_group(t, from, to, &s);
    else
        draw_group(t, o, from, to, &s);
    for (int first = 0, next; first < to - from && !bg_interrupted(t->plan->interrupt); first = next) {
        const uint32_t skeleton = s.flow[s.order[first]].skeleton;
        int at[BG_LANES];
        loaded_events x;
        open_flow flow[BG_LANES];
        real Z = bg_real(0.);
        for (next = first + 1;
             next < to - from && next < first + BG_LANES && s.flow[s.order[next]].skeleton == skeleton;)
            next++;
        for (int l = 0; l < BG_LANES; l++) {
            const int k = s.order[first + l < next ? first + l : next - 1];
            at[l] = from + k;
            flow[l] = s.flow[k];
            bg_set_lane(&Z, l, s.Z[k]);
        }
        if (t->flow)
            load_from(t, &o->process, from + first, next - first, &x);
        else
            load(t, &o->process, at, next - first, &x);
        prepare_schedule(t, o, t->group[from], skeleton);
        evaluate_register(t, o, at, &x, flow, Z);
    }
}

static void evaluate(const cpu_task *t)
{
    schedule_owner *o = owner_of(t);
    for (int from = 0, to; from < t->count && !bg_interrupted(t->plan->interrupt); from = to) {
        for (to = from + 1; to < t->count && t->group[to] == t->group[from];) to++;
        (o->process.lines == 1 ? evaluate_group : evaluate_sorted)(t, o, from, to);
    }
}

static void draw_all(const cpu_task *t)
{
    const schedule_owner *o = owner_of(t);
    for (int first = 0; first < t->count; first += BG_LANES) {
        const int count = t->count - first < BG_LANES ? t->count - first : BG_LANES;
        loaded_events x;
        open_flow flow[BG_LANES];
        load_from(t, &o->process, first, count, &x);
        const real Z = draw_flows(t, o, &x, flow);
        for (int l = 0; l < count; l++) {
            t->flow[first + l].flow = flow[l];
            t->flow[first + l].Z = (double)bg_lane(Z, l);
        }
    }
}

#define PASTE(a, b) a##b
#define SYMBOL(isa) PASTE(bg_open_, isa)

extern const cpu_instance SYMBOL(BG_ISA);
const cpu_instance SYMBOL(BG_ISA) = {
    .lanes = BG_LANES, .workspace = workspace, .evaluate = evaluate, .draw_flows = draw_all};
