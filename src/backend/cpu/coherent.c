/* Coherent color sampling for one instruction set (BG_ISA, BG_LANES), any n_out.
 *
 * A run of events of one group goes through the schedule of the group's colors together, a register at a time. The
 * schedule stays in the workspace of the thread for the runs that follow.
 */
#include "backend/cpu/instance.h"

#include "amplitude/coherent.h"
#include "amplitude/external.h"

/* In front of the workspace: whose schedule is behind it. */
typedef struct schedule_owner {
    uint64_t group;
    uint32_t draw, valid;
    coherent_colors colors;
    coherent_schedule schedule;
} schedule_owner;

static size_t whole_registers(size_t bytes) { return (bytes + sizeof(real) - 1) / sizeof(real) * sizeof(real); }

static size_t front_bytes(void) { return (sizeof(schedule_owner) + 63) / 64 * 64; }

static size_t schedule_bytes(int n) { return (coherent_schedule_bytes(n) + 63) / 64 * 64; }

/* Numbers that are used one after the other share their place: paths of antennas, then currents. */
static size_t work_reals(int n, int parts)
{
    const size_t paths = coherent_antenna_reals(n - 2), currents = coherent_store_reals(n, parts);
    return paths > currents ? paths : currents;
}

static size_t workspace(const bg_plan *plan)
{
    return front_bytes() + schedule_bytes(plan->n) +
           whole_registers((coherent_table_reals(plan->n_out) + work_reals(plan->n, external_parts(plan->mode))) * sizeof(real));
}

static const schedule_owner *schedule_of(const cpu_task *t, uint64_t group)
{
    schedule_owner *o = t->workspace;
    const int n = t->plan->n;
    if (!o->valid || o->group != group || o->draw != t->draw) {
        o->group = group;
        o->draw = t->draw;
        o->colors = coherent_draw(n, t->plan->options.seed, group, t->draw);
        if (!o->valid) {
            coherent_schedule_place(n, (char *)t->workspace + front_bytes(), &o->schedule);
            coherent_rule_table(o->schedule.rule);
        }
        coherent_build(n, &o->colors, &o->schedule);
        o->valid = 1;
    }
    return o;
}

static vec4 lane_vector(const vec4 *from, int lane, vec4 to)
{
    bg_set_lane(&to.t, lane, bg_lane(from->t, lane));
    bg_set_lane(&to.x, lane, bg_lane(from->x, lane));
    bg_set_lane(&to.y, lane, bg_lane(from->y, lane));
    bg_set_lane(&to.z, lane, bg_lane(from->z, lane));
    return to;
}

/* Vectors of the gluons at their places, `per` of them a gluon. */
static void take_places(int n, int (*order)[BG_COHERENT_GLUONS], int per, const vec4 *from, vec4 *to)
{
    for (int k = 0; k < n; k++)
        for (int s = 0; s < per; s++) {
            vec4 v = from[k * per + s];
            if (k > 0 && k < n - 1)
                for (int l = 0; l < BG_LANES; l++) v = lane_vector(&from[(order[l][k - 1] + 1) * per + s], l, v);
            to[k * per + s] = v;
        }
}

static real square(int parts, const real *a) { return parts == 2 ? a[0] * a[0] + a[1] * a[1] : a[0] * a[0]; }

static void amplitude_real(int n, const coherent_schedule *s, const coherent_momenta *m, const shared_polarization *e,
                           real *store, real *a)
{
    coherent_amplitude(n, 1, s, m, e, store, a);
}

static void amplitude_complex(int n, const coherent_schedule *s, const coherent_momenta *m, const shared_polarization *e,
                              real *store, real *a)
{
    coherent_amplitude(n, 2, s, m, e, store, a);
}

/* One register of events of the same group. */
static real evaluate_register(const cpu_task *t, const schedule_owner *o, const double *momenta, const uint64_t *event,
                              const uint32_t *configuration, int count)
{
    const bg_plan *plan = t->plan;
    const int n = plan->n, N = plan->n_out, mode = plan->mode;
    const int states = external_states(mode), parts = external_parts(mode), per = states * parts;
    real *table = (real *)((char *)t->workspace + front_bytes() + schedule_bytes(n));
    real *work = table + coherent_table_reals(N);
    const coherent_momenta m = {table, 1};
    vec4 p[BG_COHERENT_GLUONS], placed[BG_COHERENT_GLUONS];
    vec4 state[2 * BG_COHERENT_GLUONS], placed_state[2 * BG_COHERENT_GLUONS];
    int order[BG_LANES][BG_COHERENT_GLUONS];
    shared_gluons g;
    antenna a;
    external_load(n, momenta, count, p);
    const light_frame frame = light_frame_of(p[0], p[n - 1]);
    shared_gluon_momenta(N, &frame, p, &g);
    coherent_antenna(N, &g, dot(p[0], p[n - 1]), &a);
    const real weight = coherent_draw_places(n, &o->colors, &a, plan->options.seed, event, t->draw, work, 1, order);

    external_polarizations(n, mode, configuration, plan->options.seed, event, t->draw, p, state);
    take_places(n, order, 1, p, placed);
    take_places(n, order, per, state, placed_state);
    shared_gluon_momenta(N, &frame, placed, &g);
    coherent_tabulate(N, &g, &m);
    shared_polarization transverse[2 * BG_COHERENT_GLUONS], e[2 * BG_COHERENT_GLUONS];
    for (int k = 0; k < n; k++)
        for (int s = 0; s < per; s++) {
            shared_polarization *x = &transverse[k * per + s];
            if (k == 0 || k == n - 1)
                light_transverse(&frame, placed_state[k * per + s], &x->a1, &x->a2);
            else
                light_polarization(&frame, g.p1[k - 1], g.p2[k - 1], g.minus[k - 1], placed_state[k * per + s], &x->a1,
                                   &x->a2);
        }
    real sum = bg_real(0.), amplitude[2];
    for (unsigned h = 0; h < (unsigned)external_configurations(n, mode); h++) {
        for (int k = 0; k < n; k++)
            for (int s = 0; s < parts; s++) e[k * parts + s] = transverse[k * per + (states == 2 ? (int)(h >> k & 1u) : s)];
        (parts == 2 ? amplitude_complex : amplitude_real)(n, &o->schedule, &m, e, work, amplitude);
        sum += square(parts, amplitude);
    }
    return weight * sum;
}

static void evaluate(const cpu_task *t)
{
    const bg_plan *plan = t->plan;
    const double weight = external_weight(plan->n, plan->mode);
    for (int from = 0, to; from < t->count; from = to) {
        const uint64_t group = t->group[from];
        for (to = from + 1; to < t->count && to < from + BG_LANES && t->group[to] == group;) to++;
        uint64_t event[BG_LANES];
        uint32_t configuration[BG_LANES];
        for (int l = 0; l < BG_LANES; l++) { /* lanes past the last repeat it */
            event[l] = t->event[from + l < to ? from + l : to - 1];
            configuration[l] = t->configuration[from + l < to ? from + l : to - 1];
        }
        const real value = evaluate_register(t, schedule_of(t, group), t->momenta + (size_t)from * (size_t)plan->n * 4, event,
                                             configuration, to - from);
        for (int l = 0; l < to - from; l++) t->value[from + l] = weight * (double)bg_lane(value, l);
    }
}

#define PASTE(a, b) a##b
#define SYMBOL(isa) PASTE(bg_coherent_, isa)

extern const cpu_instance SYMBOL(BG_ISA);
const cpu_instance SYMBOL(BG_ISA) = {BG_LANES, workspace, evaluate};
