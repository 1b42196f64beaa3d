/* The dressed amplitude of colors that all lanes share: currents in light-cone gauge (lightcone.h), in the order of a
 * schedule (color/coherent.h).
 *
 * A slot holds a current, x = psi / p- and p- of its set: with them a split takes no division and no factors of
 * its own. What the splits of a current have in common, 2 P- in n and 1/P- in d, comes in once for all of them.
 *
 * Numbers of one event are `stride` apart (1 on the CPU, the events in flight on a GPU).
 */
#ifndef BG_AMPLITUDE_COHERENT_H
#define BG_AMPLITUDE_COHERENT_H

#include "base/interrupt.h"
#include "amplitude/shared.h"
#include "base/power.h"
#include "color/coherent.h"

enum { COHERENT_SLOT = 6, COHERENT_SET = 5 }; /* numbers of a slot and part, of a set of outgoing gluons */

typedef struct coherent_state {
    light_current c;
    real x, minus;
} coherent_state;

/* Momenta of one event. */
typedef struct coherent_momenta {
    real *table; /* [set of outgoing gluons]: p-, p1, p2, the sum of products with one another, p+ */
    size_t stride;
} coherent_momenta;

BG_FN size_t coherent_table_reals(int N) { return (size_t)COHERENT_SET << N; }
BG_FN size_t coherent_store_reals(int n, int parts) { return coherent_most_slots(n) * (size_t)(COHERENT_SLOT * parts); }

/* Sums over a set of outgoing gluons, from that without its lowest one. */
BG_FN void coherent_tabulate_set(int N, const shared_gluons *g, const coherent_momenta *m, uint32_t set)
{
    const size_t stride = m->stride;
    const int k = bg_lowest(set);
    const uint32_t rest = set & (set - 1);
    const real *from = m->table + (size_t)rest * COHERENT_SET * stride;
    real *to = m->table + (size_t)set * COHERENT_SET * stride;
    real square = from[3 * stride];
    for (uint32_t left = rest; left; left &= left - 1) square = square + g->pair[bg_lowest(left) * N + k];
    to[0] = from[0] + g->minus[k];
    to[stride] = from[stride] + g->p1[k];
    to[2 * stride] = from[2 * stride] + g->p2[k];
    to[3 * stride] = square;
    to[4 * stride] = from[4 * stride] + g->plus[k];
}

/* ... that of no gluons, */
BG_FN void coherent_tabulate_none(const coherent_momenta *m)
{
    for (int c = 0; c < COHERENT_SET; c++) m->table[(size_t)c * m->stride] = bg_real(0.);
}

/* ... and all of them, which balance the beams. */
BG_FN void coherent_balance(int N, const coherent_momenta *m)
{
    real *all = m->table + (((size_t)1 << N) - 1) * COHERENT_SET * m->stride;
    all[m->stride] = all[2 * m->stride] = bg_real(0.);
}

BG_FN void coherent_tabulate(int N, const shared_gluons *g, const coherent_momenta *m)
{
    coherent_tabulate_none(m);
    for (uint32_t set = 1; set < 1u << N; set++) coherent_tabulate_set(N, g, m, set);
    coherent_balance(N, m);
}

BG_FN coherent_state coherent_load(const real *store, size_t stride, const int parts, uint32_t slot, int part)
{
    const real *first = store + (size_t)slot * (size_t)parts * COHERENT_SLOT * stride;
    const real *s = first + (size_t)part * COHERENT_SLOT * stride; /* p- is the same in both parts, and read once */
    coherent_state r = {{s[0], s[stride], s[2 * stride], s[3 * stride]}, s[4 * stride], first[5 * stride]};
    return r;
}

BG_FN void coherent_save(real *store, size_t stride, const int parts, uint32_t slot, int part, light_current c,
                         real minus, real inverse)
{
    real *s = store + ((size_t)slot * (size_t)parts + (size_t)part) * COHERENT_SLOT * stride;
    s[0] = c.a1;
    s[stride] = c.a2;
    s[2 * stride] = c.psi;
    s[3 * stride] = c.phi;
    s[4 * stride] = c.psi * inverse;
    s[5 * stride] = minus;
}

/* Adds a split: light_add() with (2 P-/p- - 1) psi as 2 P- x - psi, and with a d that still lacks its 1/P-. */
BG_FN void coherent_add(light_sum *s, const coherent_state *A, const coherent_state *B, real twice)
{
    const real alpha = twice * A->x - A->c.psi, beta = twice * B->x - B->c.psi;
    light_add_n(&s->n1, &s->n2, A->c, B->c, alpha, beta);
    light_add_one_d(&s->d, &s->w, A->c.a1, A->c.a2, B->c, B->minus - A->minus);
}

/* The sum of a run of splits, part by part: of every `step`-th from `first_split` on. */
BG_FN void coherent_sum(const int parts, const uint32_t *split, uint32_t first_split, uint32_t count,
                        const uint32_t step, const real *store, size_t stride, real twice, light_sum *s)
{
    for (int a = 0; a < parts; a++) s[a] = light_zero();
    for (uint32_t k = first_split; k < count; k += step) {
        const uint32_t first = coherent_first(split[k]), second = coherent_second(split[k]);
        if (parts == 1) {
            const coherent_state A = coherent_load(store, stride, 1, first, 0);
            const coherent_state B = coherent_load(store, stride, 1, second, 0);
            coherent_add(s, &A, &B, twice);
        } else {
            for (int a = 0; a < 2; a++)
                for (int b = 0; b < 2; b++) {
                    coherent_state A = coherent_load(store, stride, 2, first, a);
                    const coherent_state B = coherent_load(store, stride, 2, second, b);
                    if (a + b == 2) {
                        A.c = light_negative(A.c);
                        A.x = -A.x;
                    }
                    coherent_add(&s[phase_part(a + b)], &A, &B, twice);
                }
        }
    }
}

/* One part of the sums of a diagonal's differences: D_a gets twice its own splits, less those of the other two. */
BG_FN void coherent_differ(light_sum (*sum)[2], int a)
{
    const light_sum total = light_total(light_total(sum[0][a], sum[1][a]), sum[2][a]);
    const real three = bg_real(3.);
    for (int d = 0; d < 3; d++) {
        sum[d][a].n1 = three * sum[d][a].n1 - total.n1;
        sum[d][a].n2 = three * sum[d][a].n2 - total.n2;
        sum[d][a].d = three * sum[d][a].d - total.d;
        sum[d][a].w = three * sum[d][a].w - total.w;
    }
}

/* Antennas of the outgoing gluons, in units of that of the incoming ones. */
BG_FN void coherent_antenna(int N, const shared_gluons *g, real ends, antenna *a)
{
    a->ends = bg_real(1.);
    for (int k = 0; k < N; k++) {
        a->first[k] = bg_abs(bg_real(1.) / g->plus[k]);
        a->last[k] = bg_abs(ends / g->minus[k]);
        for (int j = 0; j < k; j++) a->step[k * N + j] = a->step[j * N + k] = ends / g->pair[k * N + j];
    }
}

BG_FN void coherent_flatten(int N, antenna *a)
{
    for (int k = 0; k < N; k++) {
        a->first[k] = bg_power(a->first[k], BG_COHERENT_POWER);
        a->last[k] = bg_power(a->last[k], BG_COHERENT_POWER);
        for (int j = 0; j < k; j++)
            a->step[k * N + j] = a->step[j * N + k] = bg_power(a->step[k * N + j], BG_COHERENT_POWER);
    }
}

/* The antennas of the same gluons at their places: letter k stands for gluon order[lane][k]. */
BG_FN void coherent_antenna_at_places(int N, const antenna *from, const int (*order)[BG_MAX_LEGS], antenna *to)
{
    to->ends = from->ends;
    for (int k = 0; k < N; k++)
        for (int l = 0; l < BG_LANES; l++) {
            const int g = order[l][k];
            bg_set_lane(&to->first[k], l, bg_lane(from->first[g], l));
            bg_set_lane(&to->last[k], l, bg_lane(from->last[g], l));
            for (int j = 0; j < k; j++) {
                const element step = bg_lane(from->step[g * N + order[l][j]], l);
                bg_set_lane(&to->step[k * N + j], l, step);
                bg_set_lane(&to->step[j * N + k], l, step);
            }
        }
}

/* Draws the outgoing gluons' places, event by event: order[lane][k] is the gluon (0 .. N-1) at place k + 1. Returns the
 * weight of the colors that gives them: one over their probability,
 *     P(colors | ordering)  sum over orderings with these colors of  P(b) antenna / Z_b ,
 * b the number of gluons between the incoming ones. `work`: coherent_antenna_reals() numbers. */
BG_FN size_t coherent_antenna_reals(int N) { return antenna_path_reals(N) + 2 * antenna_sum_reals(N); }

BG_FN real coherent_draw_places(int n, const coherent_colors *c, const antenna *a, uint64_t seed, const uint64_t *event,
                                uint32_t draw, real *work, size_t stride, int (*order)[BG_MAX_LEGS])
{
    const int N = n - 2;
    const uint32_t all = (1u << N) - 1u;
    real *H = work, *F = H + antenna_path_reals(N) * stride, *back = F + antenna_sum_reals(N) * stride;
    real Z[BG_MAX_LETTERS + 1], sum = bg_real(0.);
    for (int b = 0; b <= BG_MAX_LETTERS; b++) Z[b] = sum; /* compilers do not see that those up to N are filled */
    antenna_rules rules;
    antenna placed;
    antenna_no_rules(N, &rules);
    antenna_paths(N, a, a->first, a->last, &rules, H, F, stride);
    antenna_totals(N, F, stride, Z);
    for (int l = 0; l < BG_LANES; l++) {
        const bg_random r = bg_random_at(seed, event[l], draw, BG_STREAM_ORDERING);
        double u[BG_MAX_LETTERS + 2];
        bg_random_fill(&r, N + 1, u);
        antenna_draw(N, c->between, a, H, F, Z, stride, l, u, order[l]);
    }
    coherent_antenna_at_places(N, a, (const int(*)[BG_MAX_LEGS])order, &placed);
    coherent_rules(n, c, 0, &rules);
    antenna_paths(N, &placed, placed.first, placed.last, &rules, H, F, stride);
    coherent_rules(n, c, 1, &rules);
    antenna_paths(N, &placed, placed.last, placed.first, &rules, H, back, stride);
    for (int b = 0; b <= N; b++) Z[b] = bg_real(coherent_between(N, b, c->flat)) / Z[b];
    for (uint32_t set = 0; set <= all; set++)
        sum = sum + Z[bg_members(set)] * F[(size_t)set * stride] * back[(size_t)(all ^ set) * stride];
    return bg_real(c->weight) / sum;
}

/* The current of the single gluon at place k < n - 1, with transverse polarizations e[part]. */
BG_FN void coherent_gluon(int n, const int parts, int k, const coherent_momenta *m, const shared_polarization *e,
                          real *store)
{
    const size_t stride = m->stride;
    const uint32_t all = (1u << (n - 2)) - 1u; /* outgoing gluons */
    /* p- of a set with gluon 0 is minus that of the outgoing gluons left out */
    const real *own = m->table + (size_t)(k ? 1u << (k - 1) : all) * COHERENT_SET * stride;
    const real minus = k ? own[0] : -own[0], inverse = bg_real(1.) / minus, zero = bg_real(0.);
    for (int a = 0; a < parts; a++) {
        const light_current c = light_gluon(k ? own[stride] : zero, k ? own[2 * stride] : zero, e[a].a1, e[a].a2);
        coherent_save(store, stride, parts, (uint32_t)k, a, c, minus, inverse);
    }
}

/* What a current needs of the momentum of its set. */
typedef struct coherent_own {
    real p1, p2, minus, inverse, propagator; /* inverse: of p- */
} coherent_own;

BG_FN coherent_own coherent_own_of(int n, const coherent_momenta *m, uint32_t set)
{
    const size_t stride = m->stride;
    const uint32_t all = (1u << (n - 2)) - 1u, outgoing = set >> 1;
    const real *own = m->table + (size_t)outgoing * COHERENT_SET * stride;
    const real p1 = own[stride], p2 = own[2 * stride];
    real minus = own[0], square = own[3 * stride];
    if (set & 1u) { /* see shared_set_momenta() */
        minus = -m->table[(size_t)(all ^ outgoing) * COHERENT_SET * stride];
        square = own[4 * stride] * minus - bg_real(0.5) * (p1 * p1 + p2 * p2);
    }
    const real both = bg_real(1.) / (minus * (square + square)); /* one division for two */
    const coherent_own o = {p1, p2, minus, both * (square + square), both * minus};
    return o;
}

/* A current from the sums of its splits. */
BG_FN void coherent_keep(const int parts, const coherent_current *c, const coherent_own *o, light_sum (*sum)[2],
                         real *store, size_t stride)
{
    for (int a = 0; a < parts; a++) {
        if (c->diagonal) coherent_differ(sum, a);
        for (int d = 0; d < coherent_differences(c); d++) {
            sum[d][a].d = sum[d][a].d * o->inverse;
            coherent_save(store, stride, parts, (uint32_t)c->slot + (uint32_t)d, a,
                          light_propagate(sum[d][a], o->p1, o->p2, o->propagator), o->minus, o->inverse);
        }
    }
}

/* What the splits that close the amplitude make of it, with the closing gluon's polarizations. */
BG_FN void coherent_end(const int parts, const shared_polarization *last, const light_sum *n_of, real *amplitude)
{
    for (int a = 0; a < parts; a++) amplitude[a] = bg_real(0.);
    for (int a = 0; a < parts; a++)
        for (int b = 0; b < parts; b++)
            amplitude[phase_part(a + b)] =
                amplitude[phase_part(a + b)] + phase_sign(a + b) * (last[a].a1 * n_of[b].n1 + last[a].a2 * n_of[b].n2);
}

/* The amplitude, part by part, of the gluons at places 0 .. n - 1 with transverse polarizations e[place * parts + part]. */
BG_FN void coherent_amplitude(int n, const int parts, const coherent_schedule *s, const coherent_momenta *m,
                              const shared_polarization *e, real *store, real *amplitude)
{
    const size_t stride = m->stride;
    for (int k = 0; k < n - 1; k++) coherent_gluon(n, parts, k, m, e + k * parts, store);
    for (uint32_t k = 0; k < s->currents; k++) {
        const coherent_current *c = &s->current[k];
        const coherent_own own = coherent_own_of(n, m, c->set);
        const real twice = own.minus + own.minus;
        light_sum sum[3][2];
        const uint32_t *split = s->split + c->first;
        for (int d = 0; d < coherent_differences(c); d++) {
            coherent_sum(parts, split, 0, c->splits[d], 1, store, stride, twice, sum[d]);
            split += c->splits[d];
        }
        coherent_keep(parts, c, &own, sum, store, stride);
    }
    light_sum n_of[2];
    coherent_sum(parts, s->split + s->closing, 0, s->closing_splits, 1, store, stride, bg_real(0.), n_of);
    coherent_end(parts, e + (n - 1) * parts, n_of, amplitude);
}

/* Vectors of the gluons at their places, `per` of them a gluon. */
BG_FN void coherent_take_places(int n, const int (*order)[BG_MAX_LEGS], int per, const vec4 *from, vec4 *to)
{
    for (int k = 0; k < n; k++)
        for (int s = 0; s < per; s++) {
            vec4 v = from[k * per + s];
            if (k > 0 && k < n - 1)
                for (int l = 0; l < BG_LANES; l++) {
                    const vec4 *gluon = &from[(order[l][k - 1] + 1) * per + s];
                    bg_set_lane(&v.t, l, bg_lane(gluon->t, l));
                    bg_set_lane(&v.x, l, bg_lane(gluon->x, l));
                    bg_set_lane(&v.y, l, bg_lane(gluon->y, l));
                    bg_set_lane(&v.z, l, bg_lane(gluon->z, l));
                }
            to[k * per + s] = v;
        }
}

/* Numbers of one event that a caller lends: sums over sets of gluons, then what is used one after the other, paths of
 * antennas and currents. */
BG_FN size_t coherent_work_reals(int n, int parts)
{
    const size_t paths = coherent_antenna_reals(n - 2), currents = coherent_store_reals(n, parts);
    return coherent_table_reals(n - 2) + (paths > currents ? paths : currents);
}

/* Whether to stop before configuration h. Only the host asks, every now and then. */
BG_FN int coherent_stopped(bg_interrupt *interrupt, unsigned h)
{
#if defined(__CUDACC__)
    (void)interrupt;
    (void)h;
    return 0;
#else
    return h % 16 == 15 && bg_interrupted(interrupt);
#endif
}

/* The squared amplitude of events of one group, times the weight of the colors, summed over the configurations of
 * `states` states a gluon. p and state are the gluons' own, in the internal order. */
BG_FN real coherent_square(int n, const int parts, int states, const coherent_colors *c, const coherent_schedule *s,
                           const vec4 *p, const vec4 *state, uint64_t seed, const uint64_t *event, uint32_t draw,
                           real *memory, size_t stride, bg_interrupt *interrupt)
{
    const int N = n - 2, per = states * parts;
    const coherent_momenta m = {memory, stride};
    real *work = memory + coherent_table_reals(N) * stride;
    vec4 placed[BG_MAX_LEGS], placed_state[2 * BG_MAX_LEGS];
    shared_polarization transverse[2 * BG_MAX_LEGS], e[2 * BG_MAX_LEGS];
    int order[BG_LANES][BG_MAX_LEGS];
    shared_gluons g;
    antenna a;
    const light_frame frame = light_frame_of(p[0], p[n - 1]);
    shared_gluon_momenta(N, &frame, p, &g);
    coherent_antenna(N, &g, dot(p[0], p[n - 1]), &a);
    if (c->flat) coherent_flatten(N, &a);
    const real weight = coherent_draw_places(n, c, &a, seed, event, draw, work, stride, order);

    coherent_take_places(n, (const int(*)[BG_MAX_LEGS])order, 1, p, placed);
    coherent_take_places(n, (const int(*)[BG_MAX_LEGS])order, per, state, placed_state);
    shared_gluon_momenta(N, &frame, placed, &g);
    coherent_tabulate(N, &g, &m);
    for (int k = 0; k < n; k++)
        for (int x = 0; x < per; x++)
            transverse[k * per + x] = shared_transverse(N, &frame, &g, k, &placed_state[k * per + x]);
    real sum = bg_real(0.), amplitude[2];
    for (unsigned h = 0; h < (states == 2 ? 1u << n : 1u) && !coherent_stopped(interrupt, h); h++) {
        for (int k = 0; k < n; k++)
            for (int x = 0; x < parts; x++)
                e[k * parts + x] = transverse[k * per + (states == 2 ? (int)(h >> k & 1u) : x)];
        coherent_amplitude(n, parts, s, &m, e, work, amplitude);
        for (int x = 0; x < parts; x++) sum = sum + amplitude[x] * amplitude[x];
    }
    return weight * sum;
}

#endif
