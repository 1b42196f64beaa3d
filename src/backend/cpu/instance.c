/* The paper's algorithms for one number of letters (BG_LETTERS, gluons at the ends) and one instruction set (BG_ISA, BG_LANES).
 *
 * A chunk of up to BG_VECTORS registers of events goes through the stations: external gluons, then
 * one of the color treatments below, each a loop over helicity configurations around one of the
 * recursions. Nothing here depends on which events share a register or a chunk.
 */
#include "backend/cpu/dressed.h"

#include "amplitude/cooperative.h"
#include "amplitude/external.h"
#include "amplitude/invariants.h"
#include "amplitude/ordered.h"
#include "color/form.h"
#include "color/sampling.h"

#include <string.h>

/* Whether to leave a long loop: asked only where a step of it takes longer than asking. */
static int stopped(const cpu_task *t) { return BG_LETTERS >= BG_PATIENT_LETTERS && bg_interrupted(t->plan->interrupt); }

enum { N = BG_LETTERS, GLUONS = BG_LETTERS + 2, CHUNK = BG_VECTORS * BG_LANES };

/* The external gluons of a chunk. */
typedef struct externals {
    int vectors, states, parts;
    unsigned configurations;
    vec4 p[BG_VECTORS][GLUONS], flight[BG_VECTORS][GLUONS]; /* momenta and directions */
    vec4 state[BG_VECTORS][2 * GLUONS];                     /* states * parts <= 2 */
    real propagator[BG_VECTORS][2 << N];                    /* of sets of gluons: invariants.h */
} externals;

static void load_externals(const cpu_task *t, externals *x)
{
    const int mode = t->plan->mode;
    x->vectors = (t->count + BG_LANES - 1) / BG_LANES;
    x->states = helicity_states(mode);
    x->parts = helicity_parts(mode);
    x->configurations = (unsigned)helicity_configurations(GLUONS, mode);
    for (int v = 0; v < x->vectors; v++) {
        const int done = v * BG_LANES;
        const bg_momenta momenta = momenta_from(&t->momenta, (size_t)done);
        external_load(GLUONS, &momenta, t->count - done, x->p[v]);
        external_directions(GLUONS, x->p[v], x->flight[v]);
        external_states_along(GLUONS, mode, t->configuration + done, t->plan->options.seed, t->event + done, t->draw,
                              x->flight[v], x->state[v]);
    }
}

static double helicity_weight(const cpu_task *t) { return helicity_draw_weight(GLUONS, t->plan->mode); }

typedef void amplitude_function(const vec4 *p, const vec4 *e, const real *propagator, real *amplitude);

static void quartic_real(const vec4 *p, const vec4 *e, const real *propagator, real *a)
{
    const run_propagators of = {propagator, 1, 0, 0};
    ordered_amplitude_quartic(GLUONS, 1, p, e, &of, a);
}

static void quartic_complex(const vec4 *p, const vec4 *e, const real *propagator, real *a)
{
    const run_propagators of = {propagator, 1, 0, 0};
    ordered_amplitude_quartic(GLUONS, 2, p, e, &of, a);
}

static void tensor_real(const vec4 *p, const vec4 *e, const real *propagator, real *a)
{
    const run_propagators of = {propagator, 1, 0, 0};
    ordered_amplitude_tensor(GLUONS, 1, p, e, &of, a);
}

static void tensor_complex(const vec4 *p, const vec4 *e, const real *propagator, real *a)
{
    const run_propagators of = {propagator, 1, 0, 0};
    ordered_amplitude_tensor(GLUONS, 2, p, e, &of, a);
}

static amplitude_function *choose_amplitude(const cpu_task *t, int parts)
{
    static amplitude_function *const table[2][2] = {{quartic_real, quartic_complex}, {tensor_real, tensor_complex}};
    return table[t->plan->options.vertex][parts - 1];
}

/* Gluon at each place of the amplitude: gluon 0 first, then the letters; the adjoint basis has the
 * last gluon fixed as well. */
static void ordering_of(const permutation *letters, int moving, int *order)
{
    order[0] = 0;
    order[GLUONS - 1] = GLUONS - 1;
    for (int k = 0; k < moving; k++) order[k + 1] = letters->at[k] + 1;
}

static void take_momenta(const int *order, const vec4 *p, vec4 *q)
{
    for (int k = 0; k < GLUONS; k++) q[k] = p[order[k]];
}

/* Propagators of all sets of gluons, for many orderings. */
static void load_propagators(externals *x)
{
    for (int v = 0; v < x->vectors; v++) {
        real number[BG_INVARIANTS(N)], sum[4 << N], *of = x->propagator[v];
        const invariants values = {number, 1};
        invariants_of(N, x->p[v], x->flight[v], number);
        invariants_table(N, &values, sum, of);
        for (uint32_t set = 3; set < (2u << N) - 1u; set++)
            if (set & (set - 1)) of[set] = bg_real(1.) / of[set];
    }
}

/* Those of a lane's runs of gluons in its own order, from lane `from` of the sets. */
static void take_propagators(const int *order, const real *of, int from, real *propagator, int lane)
{
    uint32_t set[BG_ORDERED_RUNS];
    ordered_sets(GLUONS, order, set);
    for (int run = GLUONS - 1; run < run_count(GLUONS - 1); run++)
        bg_set_lane(&propagator[run], lane, bg_lane(of[set[run]], from));
}

/* ---- summed colors: sum over s, s' of A_s C_ss' A_s' ------------------------------------------ */

/* The quadratic form for `width` registers of amplitudes A[s * width + k] (color/form.h). */
static inline __attribute__((always_inline)) void dense_form(const color_dense *d, double *row, const real *A,
                                                             const int width, bg_interrupt *interrupt, real *sum)
{
    for (int k = 0; k < width; k++) sum[k] = bg_real(0.);
    for (uint64_t s = 0; s < d->size; s++) {
        if (N >= BG_PATIENT_LETTERS && bg_interrupted(interrupt)) return;
        real half[2 * BG_VECTORS];
        bg_color_dense_row(d, s, row);
        color_form_half(width, d->size, s, row, A, half);
        for (int k = 0; k < width; k++) color_form_add(A[s * (uint64_t)width + (uint64_t)k], half[k], &sum[k]);
    }
}

static void dense_sum(const color_dense *d, double *row, const real *A, int width, bg_interrupt *interrupt, real *sum)
{
    switch (width) {
    case 1: dense_form(d, row, A, 1, interrupt, sum); break;
    case 2: dense_form(d, row, A, 2, interrupt, sum); break;
    case 4: dense_form(d, row, A, 4, interrupt, sum); break;
    case 8: dense_form(d, row, A, 8, interrupt, sum); break;
    default: dense_form(d, row, A, width, interrupt, sum);
    }
}

static size_t summed_workspace(const bg_plan *plan)
{
    const int moving = plan->options.decomposition == BG_DECOMPOSITION_TRACE ? N + 1 : N;
    const size_t orderings = (size_t)bg_factorial(moving);
    return orderings * sizeof(double) + 64 + orderings * BG_VECTORS * (size_t)helicity_parts(plan->mode) * sizeof(real);
}

static void color_summed(const cpu_task *t)
{
    externals x;
    cpu_stages_begin(t->stages);
    load_externals(t, &x);
    load_propagators(&x);
    amplitude_function *amplitude = choose_amplitude(t, x.parts);
    const color_dense *d = &t->tables->dense;
    const int parts = x.parts, width = x.vectors * parts;
    real *A = t->workspace;
    double *row = (double *)(A + d->size * BG_VECTORS * (uint64_t)parts);
    real sum[BG_VECTORS], form[2 * BG_VECTORS];
    for (int v = 0; v < x.vectors; v++) sum[v] = bg_real(0.);
    for (unsigned h = 0; h < x.configurations; h++) {
        permutation letters = bg_permutation_unrank(d->m, 0);
        uint64_t s = 0;
        do {
            int order[GLUONS];
            uint32_t set[BG_ORDERED_RUNS];
            ordering_of(&letters, d->m, order);
            ordered_sets(GLUONS, order, set);
            for (int v = 0; v < x.vectors; v++) {
                vec4 q[GLUONS], e[2 * GLUONS];
                real propagator[BG_ORDERED_RUNS];
                take_momenta(order, x.p[v], q);
                ordered_propagators(GLUONS, set, x.propagator[v], propagator);
                external_configure(GLUONS, x.states, parts, h, order, x.state[v], e);
                amplitude(q, e, propagator, A + s * (uint64_t)width + (uint64_t)(v * parts));
            }
            s++;
        } while (!stopped(t) && bg_permutation_next(d->m, &letters));
        if (stopped(t)) return;
        cpu_stages_amplitudes(t->stages);
        dense_sum(d, row, A, width, t->plan->interrupt, form);
        for (int v = 0; v < x.vectors; v++)
            for (int a = 0; a < parts; a++) sum[v] += form[v * parts + a];
        cpu_stages_color_sum(t->stages);
    }
    store_values(t, sum, helicity_weight(t));
}

/* ---- leading color: sum over orderings of |A|^2 ------------------------------------------------ */

/* A random ordering of each lane's event, gluon 0 first. */
static void draw_orderings(const cpu_task *t, int v, int order[BG_LANES][GLUONS])
{
    for (int l = 0; l < BG_LANES; l++)
        ordering_draw(GLUONS, t->plan->options.seed, t->event[v * BG_LANES + l], t->draw, order[l]);
}

/* Vectors of each lane's event in that event's own order: `per` vectors a gluon. */
static void gather(int order[BG_LANES][GLUONS], const int per, const vec4 *from, vec4 *to)
{
    for (int k = 0; k < GLUONS; k++)
        for (int s = 0; s < per; s++)
            for (int l = 0; l < BG_LANES; l++) {
                const vec4 *f = &from[order[l][k] * per + s];
                vec4 *g = &to[k * per + s];
                bg_set_lane(&g->t, l, bg_lane(f->t, l));
                bg_set_lane(&g->x, l, bg_lane(f->x, l));
                bg_set_lane(&g->y, l, bg_lane(f->y, l));
                bg_set_lane(&g->z, l, bg_lane(f->z, l));
            }
}

/* Propagators of each lane's event in that event's own order: momenta p as they were, q in order. */
static void drawn_propagators(int order[BG_LANES][GLUONS], const vec4 *p, const vec4 *q, real *propagator)
{
    const light_frame frame = light_frame_of(p[0], p[GLUONS - 1]);
    real place[GLUONS];
    for (int k = 0; k < GLUONS; k++)
        for (int l = 0; l < BG_LANES; l++) bg_set_lane(&place[k], l, order[l][k] == GLUONS - 1 ? 0. : 1.);
    ordered_run_propagators(GLUONS, &frame, p[GLUONS - 1], q, place, propagator);
}

static void leading(const cpu_task *t)
{
    externals x;
    load_externals(t, &x);
    amplitude_function *amplitude = choose_amplitude(t, x.parts);
    const int one = t->plan->options.orderings == BG_ORDERINGS_ONE;
    real sum[BG_VECTORS];
    if (!one) load_propagators(&x);
    for (int v = 0; v < x.vectors; v++) {
        vec4 q[GLUONS], state[2 * GLUONS], e[2 * GLUONS];
        real a[2], propagator[BG_ORDERED_RUNS];
        uint32_t set[BG_ORDERED_RUNS];
        sum[v] = bg_real(0.);
        if (one) {
            int order[BG_LANES][GLUONS];
            draw_orderings(t, v, order);
            gather(order, 1, x.p[v], q);
            gather(order, x.states * x.parts, x.state[v], state);
            drawn_propagators(order, x.p[v], q, propagator);
            for (unsigned h = 0; h < x.configurations; h++) {
                external_configure(GLUONS, x.states, x.parts, h, identity_order, state, e);
                amplitude(q, e, propagator, a);
                sum[v] += amplitude_square(x.parts, a);
            }
        } else {
            permutation letters = bg_permutation_unrank(GLUONS - 1, 0);
            do {
                int order[GLUONS];
                ordering_of(&letters, GLUONS - 1, order);
                take_momenta(order, x.p[v], q);
                ordered_sets(GLUONS, order, set);
                ordered_propagators(GLUONS, set, x.propagator[v], propagator);
                for (unsigned h = 0; h < x.configurations; h++) {
                    external_configure(GLUONS, x.states, x.parts, h, order, x.state[v], e);
                    amplitude(q, e, propagator, a);
                    sum[v] += amplitude_square(x.parts, a);
                }
            } while (!stopped(t) && bg_permutation_next(GLUONS - 1, &letters));
        }
    }
    store_values(t, sum, helicity_weight(t) * (one ? (double)bg_factorial(GLUONS - 1) : 1.));
}

/* The same in the layout of Tess: one event at a time, its currents side by side in the lanes. */

static size_t cooperative_workspace(const bg_plan *plan)
{
    return cooperative_store_elements(GLUONS, helicity_parts(plan->mode)) * sizeof(element);
}

static void cooperative_place(const int parts, element *store, int which, int k, vec4 v, int lane)
{
    element *row = cooperative_row(GLUONS, parts, store, 1, which) + k;
    const int pitch = cooperative_pitch(GLUONS);
    row[0] = bg_lane(v.t, lane);
    row[pitch] = bg_lane(v.x, lane);
    row[2 * pitch] = bg_lane(v.y, lane);
    row[3 * pitch] = bg_lane(v.z, lane);
}

static inline __attribute__((always_inline)) element cooperative_square(const int parts, element *store,
                                                                        const vec4 *last, int lane)
{
    vec4 numerator[2], end[2];
    real a[2];
    for (int length = 2; length < GLUONS - 1; length++)
        for (int start = 0; start + length <= GLUONS - 1; start += BG_LANES)
            cooperative_step(GLUONS, parts, store, length, start);
    cooperative_numerator(GLUONS, parts, store, GLUONS - 1, 0, numerator);
    for (int s = 0; s < parts; s++) {
        vec4 v = {bg_broadcast(last[s].t, lane), bg_broadcast(last[s].x, lane), bg_broadcast(last[s].y, lane),
                  bg_broadcast(last[s].z, lane)};
        end[s] = v;
    }
    ordered_close(parts, end, numerator, a);
    return bg_lane(amplitude_square(parts, a), 0);
}

static element cooperative_event(const externals *x, element *store, int v, int lane, const int *order,
                                 const real *propagator)
{
    element sum = 0.;
    for (int k = 0; k < GLUONS - 1; k++) cooperative_place(x->parts, store, 0, k, x->p[v][order[k]], lane);
    for (int length = 2; length < GLUONS - 1; length++) {
        element *to = cooperative_propagators(GLUONS, x->parts, store, length);
        for (int k = 0; k + length < GLUONS; k++) to[k] = bg_lane(propagator[run_index(GLUONS - 1, k, length)], lane);
    }
    for (unsigned h = 0; h < x->configurations; h++) {
        vec4 e[2 * GLUONS];
        external_configure(GLUONS, x->states, x->parts, h, order, x->state[v], e);
        for (int k = 0; k < GLUONS - 1; k++)
            for (int a = 0; a < x->parts; a++) cooperative_place(x->parts, store, 1 + a, k, e[k * x->parts + a], lane);
        const vec4 *last = e + (GLUONS - 1) * x->parts;
        sum += x->parts == 1 ? cooperative_square(1, store, last, lane) : cooperative_square(2, store, last, lane);
    }
    return sum;
}

static void leading_cooperative(const cpu_task *t)
{
    externals x;
    load_externals(t, &x);
    element *store = t->workspace, sum[CHUNK];
    real propagator[BG_ORDERED_RUNS];
    const int one = t->plan->options.orderings == BG_ORDERINGS_ONE;
    const double weight = helicity_weight(t) * (one ? (double)bg_factorial(GLUONS - 1) : 1.);
    memset(store, 0, cooperative_workspace(t->plan));
    for (int event = 0; event < t->count; event++) sum[event] = 0.;
    if (one) {
        int order[BG_LANES][GLUONS];
        for (int event = 0; event < t->count; event++) {
            const int v = event / BG_LANES, lane = event % BG_LANES;
            if (lane == 0) {
                vec4 q[GLUONS];
                draw_orderings(t, v, order);
                gather(order, 1, x.p[v], q);
                drawn_propagators(order, x.p[v], q, propagator);
            }
            sum[event] = cooperative_event(&x, store, v, lane, order[lane], propagator);
        }
    } else {
        permutation letters = bg_permutation_unrank(GLUONS - 1, 0);
        load_propagators(&x);
        do {
            int order[GLUONS];
            uint32_t set[BG_ORDERED_RUNS];
            ordering_of(&letters, GLUONS - 1, order);
            ordered_sets(GLUONS, order, set);
            for (int event = 0; event < t->count; event++) {
                const int v = event / BG_LANES, lane = event % BG_LANES;
                if (lane == 0) ordered_propagators(GLUONS, set, x.propagator[v], propagator);
                sum[event] += cooperative_event(&x, store, v, lane, order, propagator);
            }
        } while (!stopped(t) && bg_permutation_next(GLUONS - 1, &letters));
    }
    for (int event = 0; event < t->count; event++) t->value[event] = weight * (double)sum[event];
}

/* ---- sampled colors, ordered amplitudes --------------------------------------------------------- */

/* Each event has its own list of contributing orderings. (event, ordering) pairs are dealt to the lanes
 * as they come, so no lane waits for an event with a longer list. */
typedef struct pairs {
    int filled;
    int event[BG_LANES];
    int order[BG_LANES][GLUONS];
} pairs;

static size_t sampled_workspace(const bg_plan *plan)
{
    return (size_t)CHUNK * (size_t)helicity_configurations(GLUONS, plan->mode) * (size_t)helicity_parts(plan->mode) *
           sizeof(element);
}

/* External currents of configuration h, whose bits go by gluon: each lane has its own gluon at place k. So all
 * lanes work on the same configuration, and an event adds its orderings in their own order whichever lanes they
 * are dealt to. */
static void configure_by_gluon(const pairs *w, unsigned h, const vec4 *state, vec4 *e)
{
    for (int k = 0; k < GLUONS; k++) {
        real bit = bg_real(0.);
        for (int l = 0; l < BG_LANES; l++) bg_set_lane(&bit, l, (double)(h >> w->order[l][k] & 1u));
        const mask second = bit > bg_real(0.);
        const vec4 *one = &state[2 * k], *two = &state[2 * k + 1];
        vec4 v = {bg_select(second, two->t, one->t), bg_select(second, two->x, one->x),
                  bg_select(second, two->y, one->y), bg_select(second, two->z, one->z)};
        e[k] = v;
    }
}

/* Amplitudes of the pairs, added to total[event][configuration][part]. */
static void evaluate_pairs(const externals *x, amplitude_function *amplitude, pairs *w, element *total)
{
    vec4 q[GLUONS], state[2 * GLUONS], e[2 * GLUONS];
    real propagator[BG_ORDERED_RUNS];
    const int per = x->states * x->parts;
    for (int l = w->filled; l < BG_LANES; l++) { /* idle lanes repeat the first pair */
        w->event[l] = w->event[0];
        memcpy(w->order[l], w->order[0], sizeof w->order[l]);
    }
    for (int l = 0; l < BG_LANES; l++) {
        const int v = w->event[l] / BG_LANES, from = w->event[l] % BG_LANES;
        take_propagators(w->order[l], x->propagator[v], from, propagator, l);
        for (int k = 0; k < GLUONS; k++)
            for (int s = 0; s <= per; s++) {
                const int g = w->order[l][k];
                const vec4 *f = s < per ? &x->state[v][g * per + s] : &x->p[v][g];
                vec4 *to = s < per ? &state[k * per + s] : &q[k];
                bg_set_lane(&to->t, l, bg_lane(f->t, from));
                bg_set_lane(&to->x, l, bg_lane(f->x, from));
                bg_set_lane(&to->y, l, bg_lane(f->y, from));
                bg_set_lane(&to->z, l, bg_lane(f->z, from));
            }
    }
    for (unsigned h = 0; h < x->configurations; h++) {
        real a[2];
        if (x->states == 2)
            configure_by_gluon(w, h, state, e);
        else
            external_configure(GLUONS, 1, x->parts, h, identity_order, state, e);
        amplitude(q, e, propagator, a);
        for (int l = 0; l < w->filled; l++) {
            element *to = total + ((size_t)w->event[l] * x->configurations + h) * (size_t)x->parts;
            for (int s = 0; s < x->parts; s++) to[s] += bg_lane(a[s], l);
        }
    }
    w->filled = 0;
}

static void color_sampled(const cpu_task *t)
{
    externals x;
    load_externals(t, &x);
    load_propagators(&x);
    amplitude_function *amplitude = choose_amplitude(t, x.parts);
    const size_t numbers = x.configurations * (size_t)x.parts;
    element *total = t->workspace;
    double weight[CHUNK];
    pairs w;
    w.filled = 0;
    memset(total, 0, (size_t)t->count * numbers * sizeof *total);
    for (int event = 0; event < t->count; event++) {
        color_flow flow = color_flow_draw(GLUONS, t->plan->options.seed, t->event[event], t->draw);
        color_walk walk;
        weight[event] = flow.weight;
        color_walk_start(&walk);
        while (color_walk_next(GLUONS, &flow, &walk)) {
            w.event[w.filled] = event;
            memcpy(w.order[w.filled], walk.order, sizeof w.order[0]);
            if (++w.filled < BG_LANES) continue;
            evaluate_pairs(&x, amplitude, &w, total);
            if (stopped(t)) return;
        }
    }
    if (w.filled) evaluate_pairs(&x, amplitude, &w, total);
    for (int event = 0; event < t->count; event++) {
        /* Squares first, then their sum: in one loop the compiler may fuse the two in some passes and not in
         * others, depending on where the event lies in memory. */
        element *own = total + (size_t)event * numbers, sum = 0.;
        for (size_t k = 0; k < numbers; k++) own[k] *= own[k];
        for (size_t k = 0; k < numbers; k++) sum += own[k];
        t->value[event] = helicity_weight(t) * weight[event] * (double)sum;
    }
}

/* ---- sampled colors, dressed amplitudes --------------------------------------------------------- */

static void dressed_real(const vec4 *p, const invariants *values, const vec4 *e, const real *color, real *store,
                         real *a)
{
    dressed_amplitude(GLUONS, 1, p, values, e, color, store, 1, a);
}

static void dressed_complex(const vec4 *p, const invariants *values, const vec4 *e, const real *color, real *store,
                            real *a)
{
    dressed_amplitude(GLUONS, 2, p, values, e, color, store, 1, a);
}

static dressed_function *const dressed_functions[2] = {dressed_real, dressed_complex};

/* ---- what the backend sees ------------------------------------------------------------------------ */

static size_t workspace(const bg_plan *plan, const quark_program *program)
{
    (void)program;
    const bg_options *o = &plan->options;
    if (o->color == BG_COLOR_SUMMED) return summed_workspace(plan);
    if (o->color == BG_COLOR_LEADING) return o->layout == BG_LAYOUT_COOPERATIVE ? cooperative_workspace(plan) : 0;
    if (o->recursion == BG_RECURSION_ORDERED) return sampled_workspace(plan);
    return dressed_workspace(GLUONS, plan);
}

static void evaluate(const cpu_task *t)
{
    const bg_options *o = &t->plan->options;
    if (o->color == BG_COLOR_SUMMED) {
        color_summed(t);
        return;
    }
    if (o->color == BG_COLOR_LEADING) {
        (o->layout == BG_LAYOUT_COOPERATIVE ? leading_cooperative : leading)(t);
        return;
    }
    if (o->recursion == BG_RECURSION_ORDERED) {
        color_sampled(t);
        return;
    }
    dressed_evaluate(GLUONS, t, dressed_functions);
}

#define PASTE(a, b, c, d) a##b##c##d
#define SYMBOL(isa, n) PASTE(bg_paper_, isa, _, n)

extern const cpu_instance SYMBOL(BG_ISA, BG_LETTERS);
const cpu_instance SYMBOL(BG_ISA, BG_LETTERS) = {.lanes = BG_LANES, .workspace = workspace, .evaluate = evaluate};
