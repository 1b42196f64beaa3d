/* Coherent color sampling of processes with quark lines: a block works on EVENTS events at a time, whose numbers are in shared memory. For
 * several numbers of events: those who include this say OPEN_STRIDE and OPEN_INSTANCE, and declare the shared memory of a block, chip[].
 *
 * First the flow of every event is drawn (flow_kernel). Then events are sorted by the skeletons of their flows (open.cu), so that most
 * groups have one. A block takes a group (draw_kernel). For one skeleton after the other it draws colors and makes their schedule, and
 * goes through the events whose flows have it, EVENTS at a time. A worker is one thread for each of these events. Workers share the items
 * of each step, legs, pairs of legs, sets of gluons of a size, currents of a level, and wait for one another between steps.
 *
 * All numbers of an event are on the chip, where there is room for what most schedules need: records and currents of a schedule that needs
 * more are in the memory of the block, by the same code, and so are the lists of large processes.
 */
#define BG_COMPACT

/* To be chosen by measurement. */
#ifndef OPEN_WORKERS
#define OPEN_WORKERS 0 /* of a block, a power of two; 0: by the number of legs */
#endif
#ifndef OPEN_FLOW_WORKERS
#define OPEN_FLOW_WORKERS 0 /* ... where flows are drawn; 0: half as many */
#endif
#ifndef OPEN_BLOCKS
#define OPEN_BLOCKS 0 /* of MOST_THREADS that a multiprocessor has room for, 2 or 3; 0: by the number of lines */
#endif
#ifndef OPEN_FLOW_BLOCKS
#define OPEN_FLOW_BLOCKS 3 /* ... where flows are drawn, for which it has registers */
#endif

#include "backend/cuda/events.cuh"
#include "backend/cuda/open.cuh"

#include "amplitude/open.h"

enum {
    EVENTS = OPEN_STRIDE,
    TOGETHER = WARP / EVENTS, /* workers of a warp */
    MOST_THREADS = 256,       /* of a block */
    BLOCK_ALONE = 3072,       /* bytes of a block on the chip that are not for lists and numbers, at most */
    MOST_LEVELS = 2 * BG_MAX_LEGS,
    LISTS = 3 * OPEN_ORDERS, /* of terms of a current */
    SUMS = 4                 /* numbers that workers add up at once, at most */
};

enum { TERMS, NUMBERS, USED };

/* What all threads of a block read. */
typedef struct open_block {
    open_colors colors;
    uint64_t number;                    /* of the group */
    uint32_t item, end, here;           /* the group, the end of those that follow, which of its events there are, */
    uint32_t own[WARP], skeleton[WARP]; /* these, */
    uint32_t event[WARP];               /* and those that share colors, */
    uint32_t count, left;               /* how many, and which others are left */
    uint64_t made_colors;               /* the schedule that there is: of which colors, */
    uint32_t made_skeleton;             /* and skeleton */
    int known;                          /* it is that of these events */
    uint32_t used[USED], found[MOST_LEVELS]; /* of the lists; currents of each level */
    uint32_t level[MOST_LEVELS + 1];         /* where each begins, in the order of currents */
    uint32_t levels, gluon_levels;           /* all; and those without fermions, where they come first */
    uint32_t size[BG_MAX_LETTERS + 2];       /* where the sets of gluons of each size begin */
    double random[OPEN_MOST_COLOR_RANDOMS];  /* of colors */
    double *far_record, *far_work;           /* numbers of events that the chip has no room for */
} open_block;

/* Lists of a block, besides those of a schedule. */
typedef struct open_lists_of_block {
    uint16_t *sets;  /* of gluons, by size */
    uint16_t *key;   /* [current]: by which those of a level are ordered */
    uint16_t *order; /* of the currents */
} open_lists_of_block;

static __device__ uint32_t own_worker(void) { return threadIdx.x / EVENTS; }
static __device__ uint32_t own_event(void) { return threadIdx.x % EVENTS; }
static __device__ uint32_t workers(void) { return blockDim.x / EVENTS; }

/* ---- memory --------------------------------------------------------------------------------------------------------- */

static __host__ __device__ size_t rule_bytes(void) { return group_lines(OPEN_KINDS * OPEN_KINDS * sizeof(uint16_t)); }

static __host__ __device__ size_t list_bytes(const open_process *o)
{
    const size_t halves = (size_t)(1 << o->gluons) + 2 * open_most_currents(o);
    const size_t bytes = open_most_items(o) * sizeof(open_current) + open_most_terms(o) * sizeof(open_term) +
                         (open_most_sets(o) + open_reach_words(o)) * sizeof(uint32_t) + halves * sizeof(uint16_t);
    return (bytes + 15) / 16 * 16;
}

/* Numbers of an event that are there all the time: legs, polarizations, sums over workers. */
static __host__ __device__ uint32_t polarizations_at(const open_process *o) { return (uint32_t)(OPEN_LEG * o->legs); }
static __host__ __device__ uint32_t sums_at(const open_process *o, int mode)
{
    return polarizations_at(o) + (mode == HELICITY_BASIS ? 0u : (uint32_t)(2 * helicity_parts(mode) * o->gluons));
}

/* ... where a flow is drawn: legs, sums, random numbers. */
static __host__ __device__ uint32_t randoms_at(const open_process *o, uint32_t warps)
{
    return (uint32_t)(OPEN_LEG * o->legs) + (warps > 1 ? warps : 0u); /* an even number */
}
static __host__ __device__ uint32_t flow_fixed(const open_process *o, uint32_t warps)
{
    return randoms_at(o, warps) + (uint32_t)(open_flow_randoms(o) + 1) / 2 * 2;
}
static __host__ __device__ uint32_t flow_early(const open_process *o)
{
    return (uint32_t)(open_antenna_reals(o) + open_flow_reals(o) + 1) / 2 * 2;
}

/* Records of so many currents; products of legs, which are not needed any more then, are in their place. */
static __host__ __device__ uint32_t record_numbers(const open_process *o, uint32_t currents)
{
    const uint32_t products = (uint32_t)(open_product_reals(o) + 1) / 2 * 2;
    return OPEN_RECORD * currents > products ? OPEN_RECORD * currents : products;
}

/* Cuts the lists of a block up; a table of rules serves all blocks. */
static __device__ void place_lists(const open_process *o, int parts, char *memory, uint16_t *rule, open_schedule *s,
                                   open_lists_of_block *l)
{
    s->parts = parts;
    s->rule = rule;
    s->key = nullptr;
    s->term = (open_term *)memory;
    s->current = (open_current *)(s->term + open_most_terms(o));
    s->entry = (uint32_t *)(s->current + open_most_items(o));
    s->reach = s->entry + open_most_sets(o);
    l->sets = (uint16_t *)(s->reach + open_reach_words(o));
    l->key = l->sets + (1 << o->gluons);
    l->order = l->key + open_most_currents(o);
}

static __device__ char *block_memory(const open_call *k)
{
    return (char *)k->call.space.memory + (size_t)blockIdx.x * k->call.space.bytes;
}
static __device__ uint16_t *rules(const open_call *k) { return (uint16_t *)k->call.space.memory; }
static __device__ char *far_lists(const open_call *k) { return block_memory(k) + rule_bytes(); }
static __device__ double *far_numbers(const open_call *k)
{
    return (double *)(far_lists(k) + group_lines(list_bytes(&k->process)));
}

/* All sets of gluons by size, and then by number. */
static __device__ void list_sets(const open_process *o, uint16_t *sets, uint32_t *size)
{
    const uint32_t all = 1u << o->gluons;
    for (uint32_t set = threadIdx.x; set < all; set += blockDim.x) {
        uint32_t before = 0;
        for (uint32_t other = 0; other < all; other++)
            before += __popc(other) < __popc(set) || (__popc(other) == __popc(set) && other < set);
        sets[before] = (uint16_t)set;
        if ((set & (set + 1u)) == 0) size[__popc(set)] = before; /* the smallest one of its size */
    }
    if (threadIdx.x == 0) size[o->gluons + 1] = all;
    __syncthreads();
}

/* ---- sums over workers ------------------------------------------------------------------------------------------------ */

/* Adds numbers of all workers of an event up for the first worker, in an order that depends on how many workers there are, and on nothing
 * else. `room` has as many numbers for half of the warps. */
template <int COUNT> static __device__ void over_workers(double (&x)[COUNT], double *room)
{
    const uint32_t warp = threadIdx.x / WARP;
#pragma unroll
    for (int step = EVENTS; step < WARP; step *= 2)
#pragma unroll
        for (int c = 0; c < COUNT; c++) x[c] += __shfl_xor_sync(EVERY_LANE, x[c], step);
#pragma unroll 1
    for (uint32_t half = blockDim.x / WARP / 2; half; half /= 2) {
        if (warp / half == 1 && own_worker() % TOGETHER == 0)
#pragma unroll
            for (int c = 0; c < COUNT; c++) room[((warp - half) * COUNT + (uint32_t)c) * EVENTS] = x[c];
        __syncthreads();
        if (warp < half)
#pragma unroll
            for (int c = 0; c < COUNT; c++) x[c] += room[(warp * COUNT + (uint32_t)c) * EVENTS];
        __syncthreads();
    }
}

/* ---- momenta, antennas and paths ---------------------------------------------------------------------------------------- */

/* The polarizations of a gluon, which is in place `place` of the subprocess and flies as p. */
static __device__ void load_polarization(const open_call *k, size_t at, const light_frame *frame, const open_momenta *m,
                                         int leg, int place, vec4 p)
{
    const cuda_question *q = &k->call.question;
    const uint32_t configuration = q->mode == HELICITY_CIRCULAR ? event_configuration(q->n, q, at) : 0u;
    const int parts = helicity_parts(q->mode);
    const open_leg own = open_leg_of(m, leg);
    double *to = m->leg + (size_t)polarizations_at(&k->process) * EVENTS;
    double u[2];
    vec4 state[2];
    if (q->mode != HELICITY_CIRCULAR) {
        const bg_random r = bg_random_at(q->seed, event_number(q, at), q->draw, BG_STREAM_HELICITY);
        bg_random_pair(&r, (uint32_t)(place / 2), u);
        if (place % 2) u[0] = u[1];
    }
    external_state_along(q->mode, &configuration, place, u, direction(p), state);
#pragma unroll
    for (int a = 0; a < 2; a++) {
        if (a >= parts) break;
        const shared_polarization e = open_polarization(&k->subprocess, frame, &own, place, state[a]);
        open_save_two(to, 2 * (leg * parts + a), e.a1, e.a2);
    }
}

/* The legs of an event: gluons by number, or those of a flow by place. Their numbers go to m->leg, those of polarizations behind them. */
static __device__ __forceinline__ void load_legs(const open_call *k, size_t at, const open_flow *flow,
                                                 const int polarized, open_momenta *m)
{
    const open_process *o = &k->process;
    const bg_subprocess *s = &k->subprocess;
    const vec4 first = event_momentum(&k->call.momenta, at, s->opposite);
    const vec4 last = event_momentum(&k->call.momenta, at, s->gauge);
    m->unit = bg_inverse(dot(first, last));
    m->first = m->second = 0;
    for (int leg = 0; leg < o->legs; leg++) {
        const int place = o->place[flow && leg < o->gluons ? flow->gluon[leg] : leg];
        m->first |= (place == s->opposite) << leg;
        m->second |= (place == s->gauge) << leg;
    }
    if ((int)own_worker() < o->legs) {
        const light_frame frame = light_frame_of(first, last);
        for (int leg = (int)own_worker(); leg < o->legs; leg += (int)workers()) {
            const int place = o->place[flow && leg < o->gluons ? flow->gluon[leg] : leg];
            const vec4 p = event_momentum(&k->call.momenta, at, place);
            double *to = m->leg + (size_t)leg * (OPEN_LEG * EVENTS);
            if (s->incoming >> place & 1u)
                open_load_beam(to);
            else
                open_load_leg(&frame, first, p, to);
            if (polarized && leg < o->gluons) load_polarization(k, at, &frame, m, leg, place, p);
        }
    }
    __syncthreads();
}

/* Antennas, and products of legs for sums over sets where there is room for them. */
static __device__ __forceinline__ void load_antennas(const open_process *o, const open_momenta *m, double *antennas,
                                                     double *product)
{
    for (int i = 1, j = (int)own_worker();; j += (int)workers()) {
        for (; j >= i; i++) j -= i; /* pair number j of all pairs */
        if (i >= o->legs) break;
        const double own = open_product(m, i, j);
        open_antenna_of(o, m, i, j, &own, antennas);
        if (product) product[open_product_at(i, j)] = own;
    }
    __syncthreads();
}

/* As open_flows(). */
static __device__ __forceinline__ double sum_flows(const open_process *o, const open_block *b, const uint16_t *sets,
                                                   const double *antennas, const open_colors *c, const uint32_t *reach,
                                                   const open_sums *sums, double *room)
{
    const uint32_t all = (1u << o->gluons) - 1u, lines = (uint32_t)o->lines;
    for (int size = 0; size <= o->gluons; size++) {
        const uint32_t from = b->size[size], count = b->size[size + 1] - from;
        for (uint32_t i = own_worker(); i < lines * count; i += workers()) {
            uint32_t line = 0, rank = i;
            for (; rank >= count; line++) rank -= count;
            open_paths_of(o, (int)line, sets[from + rank], antennas, c, reach ? reach + (line << o->gluons) : reach,
                          sums);
        }
        if (size || !all) __syncthreads(); /* a path over one gluon needs no other one */
    }
    if (lines == 1) return sums->F[open_F_at(o, 0, 0, all)];
    if (lines > 2) {
        for (uint32_t i = own_worker(); i < 6u << o->gluons; i += workers())
            open_pair_of(o, (int)(i >> o->gluons), i & all, sums);
        __syncthreads();
    }
    double total[1] = {0.};
    for (uint32_t set = own_worker(); set <= all; set += workers())
        for (int connection = 0; connection < open_connections(o->lines); connection++)
            total[0] += o->weight[connection] *
                        (*open_before(o, sums, connection, set) * *open_final(o, sums, connection, all ^ set));
    over_workers(total, room);
    return total[0];
}

/* ---- flows -------------------------------------------------------------------------------------------------------------- */

static __global__ __launch_bounds__(MOST_THREADS,
                                    OPEN_FLOW_BLOCKS) void flow_kernel(const __grid_constant__ open_call k)
{
    __shared__ open_block b;
    const open_process *o = &k.process;
    const cuda_question *q = &k.call.question;
    const uint32_t warps = blockDim.x / WARP, count = (uint32_t)k.call.count;
    char *lists = k.room.lists ? (char *)chip : far_lists(&k);
    double *const fixed = (double *)((char *)chip + k.room.lists);
    double *const work = (k.room.early ? fixed + (size_t)k.room.fixed * EVENTS : far_numbers(&k)) + own_event();
    double *const u = fixed + (size_t)randoms_at(o, warps) * EVENTS + own_event();
    double *const room = fixed + (size_t)(OPEN_LEG * o->legs) * EVENTS + own_event();
    uint16_t *sets = (uint16_t *)lists;
    const open_sums sums = open_sums_in(o, work + open_antenna_reals(o) * EVENTS);
    open_momenta m;
    m.leg = fixed + 2 * own_event();
    if (blockIdx.x == 0) open_put_rules(rules(&k), (int)threadIdx.x, (int)blockDim.x);
    list_sets(o, sets, b.size);
    for (uint32_t first = blockIdx.x * EVENTS; first < count; first += gridDim.x * EVENTS) {
        const uint32_t own = first + own_event(), at = own < count ? own : count - 1;
        const bg_random r = bg_random_at(q->seed, event_number(q, at), q->draw, BG_STREAM_ORDERING);
        for (uint32_t i = own_worker(); 2 * i < (uint32_t)open_flow_randoms(o); i += workers()) {
            double pair[2];
            bg_random_pair(&r, i, pair);
            u[2 * i * EVENTS] = pair[0];
            u[(2 * i + 1) * EVENTS] = pair[1];
        }
        load_legs(&k, at, nullptr, 0, &m);
        load_antennas(o, &m, work, nullptr);
        const double Z = sum_flows(o, &b, sets, work, nullptr, nullptr, &sums, room);
        if (own_worker() == 0 && own < count) {
            k.flow[at].Z = Z;
            open_draw_flow(o, &sums, work, 0, Z, u, &k.flow[at].flow);
        }
        __syncthreads();
    }
}

/* ---- the schedule, by a block ------------------------------------------------------------------------------------------- */

/* What paths there are over the sets of a size; the last threads, since the first ones have other work. */
static __device__ void put_reach(const open_process *o, const open_block *b, const uint16_t *sets, int size,
                                 uint32_t *reach)
{
    const uint32_t from = b->size[size], count = b->size[size + 1] - from;
    for (uint32_t i = blockDim.x - 1 - threadIdx.x; i < (uint32_t)o->lines * count; i += blockDim.x) {
        uint32_t line = 0, rank = i;
        for (; rank >= count; line++) rank -= count;
        uint32_t *own = reach + (line << o->gluons);
        const uint32_t set = sets[from + rank];
        own[set] = set ? open_reach(&b->colors, own, set)
                       : OPEN_EMPTY | (uint32_t)b->colors.fermion[o->quark[line]] << OPEN_COLOR_SHIFT;
    }
}

/* Whether all terms of a set are of one list and order: those that are no diagonal and join gluons, a gluon and a fermion without others,
 * or what closes the amplitude. */
static __device__ __forceinline__ int has_one_list(const open_process *o, const open_current *x,
                                                   const open_splits *splits)
{
    return x->kind != COHERENT_DIAGONAL && (splits->fixed || !open_has_signs(o, x->set));
}

/* Writes the terms of a set, of which its lists are made, and returns how many there are: where lists are several, they are counted
 * first. All splits get room, since how many are left comes out last. */
static __device__ __forceinline__ uint32_t put_terms(const open_process *o, const open_schedule *s, uint32_t *used,
                                                     open_current *x)
{
    const uint32_t set = x->set;
    const open_splits splits = open_splits_of(o, set);
    const uint32_t number = open_splits_number(&splits), one = (uint32_t)has_one_list(o, x, &splits);
    const int signs = open_has_signs(o, set);
    uint16_t *const found = &x->terms[0][0];
    uint32_t next[LISTS], count = 0, list = 0;
    x->first = atomicAdd(&used[TERMS], number);
    for (int k = 0; k < LISTS; k++) found[k] = 0;
#pragma unroll 1
    for (uint32_t pass = one; pass < 2; pass++) {
        uint32_t more = splits.free;
        count = 0;
#pragma unroll 1
        for (uint32_t left = number; left; left--, more = (more - 1) & splits.free) {
            const uint32_t B = splits.fixed | more;
            uint32_t at;
            open_term t;
            if (!open_split(signs, o, s, set ^ B, B, &t, &at)) continue;
            list = at;
            if (pass == 0)
                found[list]++;
            else
                s->term[one ? x->first + count : next[list]++] = t;
            count++;
        }
        if (one) found[list] = (uint16_t)count;
        for (uint32_t k = 0, first = x->first; !one && pass == 0 && k < LISTS; first += found[k++]) next[k] = first;
        if (!count) break;
    }
    return count;
}

/* Currents of a level that take the same way through the code go to neighboring workers, those with the most terms first. */
static __device__ uint16_t order_key(const open_process *o, const open_current *x, uint32_t terms)
{
    const uint32_t way =
        !open_is_gluon(x->kind) ? 0u : (x->set >> o->gluons ? 3u : 1u) + (x->kind == COHERENT_DIAGONAL);
    return (uint16_t)(way << 12 | (terms < 4095u ? terms : 4095u));
}

static __device__ void order_level(uint32_t first, uint32_t count, const open_lists_of_block *l)
{
    for (uint32_t i = threadIdx.x; i < count; i += blockDim.x) {
        const uint32_t own = l->key[first + i];
        uint32_t before = TOGETHER > 1 ? 0u : i; /* whole warps may have any order */
        for (uint32_t j = 0; j < count && TOGETHER > 1; j++) {
            const uint32_t other = l->key[first + j];
            before += other > own || (other == own && j < i);
        }
        l->order[first + before] = (uint16_t)(first + i);
    }
}

/* As open_build(), all sets of the same size at a time, which are a level, and what closes the amplitude last: source k on a gluon, or
 * all of it on the last fermion. Of three lines, currents without fermions are the same for all chiralities: they are levels of
 * their own, and come first. A thread has a set. What threads add to the lists lands in any order, which changes nothing in the currents.
 * All of it goes through one loop, since the code is large. */
static __device__ void build(const open_process *o, open_block *b, const open_lists_of_block *l, open_schedule *s)
{
    const uint32_t words = 1u << o->gluons, all = (1u << open_bits(o)) - 1u;
    const uint32_t closings = o->halves ? (uint32_t)o->halves * words : 1u, most = (uint32_t)open_most_currents(o);
    const int fermions = o->halves ? 2 : 2 * o->lines - 1; /* of a set, at most */
    const int first = o->lines > 2 && o->gluons > 1 ? o->gluons - 1 : 0, last = first + o->gluons + fermions - 1;
    open_externals(o, &b->colors, s); /* every thread the same */
    if (threadIdx.x < MOST_LEVELS) b->found[threadIdx.x] = 0;
    if (threadIdx.x == 0) {
        b->used[TERMS] = 0;
        b->used[NUMBERS] = s->numbers;
        b->gluon_levels = (uint32_t)first;
        b->levels = (uint32_t)last;
        b->level[0] = 0;
    }
    put_reach(o, b, l->sets, 0, s->reach);
    __syncthreads();
    for (int phase = 0; phase <= last; phase++) {
        const int closing = phase == last, size = 2 + (phase < first ? phase : phase - first);
        const uint32_t from = first && phase >= first && !closing ? words : 0u;
        const uint32_t to = closing ? closings : phase < first ? words : most;
        if (phase < o->gluons) put_reach(o, b, l->sets, phase + 1, s->reach);
        __syncwarp();
        for (uint32_t k = from + threadIdx.x; k < to; k += blockDim.x) {
            const uint32_t set = closing ? all : (uint32_t)o->filling[k >> o->gluons] << o->gluons | (k & (words - 1u));
            open_current x;
            if (!closing && (__popc(set) != size || set == all)) continue;
            const int exists = closing && o->halves
                                   ? open_begin_closing(o, s, (int)(k >> o->gluons), k & (words - 1u), &x)
                                   : open_begin(o, s, &b->colors, set, &x) != COHERENT_NOTHING;
            const uint32_t count = exists ? put_terms(o, s, b->used, &x) : 0u;
            if (closing) {
                for (int list = 0; list < LISTS && !exists; list++) (&x.terms[0][0])[list] = 0;
                *open_closing(o, s, 0, k) = x;
                continue;
            }
            if (count) {
                const uint32_t at = s->currents + atomicAdd(&b->found[phase], 1u);
                x.at = atomicAdd(&b->used[NUMBERS], open_numbers(&x));
                s->current[at] = x;
                l->key[at] = order_key(o, &x, count);
            }
            s->entry[set] = count ? open_entry(x.kind, x.complex, x.at) : (uint32_t)COHERENT_NOTHING;
        }
        __syncthreads();
        if (closing) break;
        order_level(s->currents, b->found[phase], l);
        s->currents += b->found[phase];
        if (threadIdx.x == 0) b->level[phase + 1] = s->currents;
    }
    s->numbers = b->used[NUMBERS];
}

/* ---- draws -------------------------------------------------------------------------------------------------------------- */

/* Where the numbers of this thread's event are: tuples of them, but for what `work` has at first and for `room`. */
typedef struct open_places {
    double *record, *work, *store, *room;
} open_places;

/* For a schedule: on the chip what there is room for. */
static __device__ open_places place_numbers(const open_call *k, const open_block *b, const open_schedule *s,
                                            double *fixed)
{
    const open_process *o = &k->process;
    const uint32_t records = record_numbers(o, s->currents), early = k->room.early, at = k->room.fixed;
    const int near_work = at + early <= k->room.chip, near_record = at + records + early <= k->room.chip;
    const uint32_t work = near_record ? at + records : at;
    open_places p;
    p.room = fixed + (size_t)sums_at(o, k->call.question.mode) * EVENTS + own_event();
    p.record = near_record ? fixed + (size_t)at * EVENTS : b->far_record;
    p.work = near_work ? fixed + (size_t)work * EVENTS : b->far_work;
    p.store = work + s->numbers <= k->room.chip ? fixed + (size_t)work * EVENTS : b->far_work;
    return p;
}

static __device__ void tabulate(const open_process *o, const open_momenta *m, const double *product, double *table)
{
    const int bits = open_outgoing_bits(o);
    if (own_worker() == 0) open_tabulate_none(table);
    __syncthreads();
    for (int low = bits - 1; low >= 0; low--) {
        for (uint32_t i = own_worker(); i < 1u << (bits - 1 - low); i += workers())
            open_tabulate_set(o, m, product, table, 1u << low | i << (low + 1));
        __syncthreads();
    }
}

/* Currents of some levels, but for those with fermions none of which has turned. */
template <int PARTS>
static __device__ __forceinline__ void put_levels(const open_block *b, const open_lists_of_block *l, const open_work *w,
                                                  uint32_t from, uint32_t to, uint32_t turned)
{
    for (uint32_t level = from; level < to; level++) {
        const uint32_t begin = b->level[level], end = b->level[level + 1];
        for (uint32_t first = begin; first < end; first += workers()) {
            const uint32_t i = first + own_worker(), number = l->order[i < end ? i : begin];
            const open_current *x = &w->s->current[number];
            const uint32_t fermions = (uint32_t)x->set >> w->o->gluons;
            if (i < end && (!fermions || (fermions & turned))) {
                if (!open_is_gluon(x->kind))
                    open_put_fermion(PARTS, w, number);
                else if (fermions)
                    open_put_mixed(w, number);
                else
                    open_put_gluons(PARTS, w, number);
            }
            __syncwarp();
        }
        __syncthreads();
    }
}

/* The square of the amplitude from all currents; of two lines, of all chiralities where no configuration is asked for. */
template <int PARTS>
static __device__ __forceinline__ double close(const open_work *w, const open_momenta *m, int configured, double *room)
{
    const open_process *o = w->o;
    if (o->halves) {
        open_products way[2] = {open_no_products(), open_no_products()};
#pragma unroll
        for (int x = 0; x < 2; x++) {
            if (x >= o->halves) break;
            for (uint32_t gluons = own_worker(); gluons < 1u << o->gluons; gluons += workers())
                open_close(w, x, gluons, &way[x]);
            double sum[4] = {way[x].rr, way[x].ri, way[x].ir, way[x].ii};
            over_workers(sum, room);
            const open_products total = {sum[0], sum[1], sum[2], sum[3]};
            way[x] = total;
        }
        return configured ? open_two_lines_square(w, way) : open_two_lines_sum(o, way);
    }
    const quark_sum part = open_closing_sum(PARTS, w, own_worker(), workers());
    double sum[4] = {part.eta1.re, part.eta1.im, part.eta2.re, part.eta2.im};
    over_workers(sum, room);
    const quark_sum u = {{sum[0], sum[1]}, {sum[2], sum[3]}};
    return open_closing_square(w, m, &u);
}

/* Some of the events that share colors. */
template <int PARTS>
static __device__ void draw(const open_call *k, const open_block *b, const open_lists_of_block *l,
                            const open_schedule *s, double *fixed, uint32_t first)
{
    const open_process *o = &k->process;
    const cuda_question *q = &k->call.question;
    const uint32_t rank = first + own_event(), at = b->event[rank < b->count ? rank : b->count - 1];
    const cuda_flow *drawn = &k->flow[at];
    const int basis = q->mode == HELICITY_BASIS, configured = q->mode == HELICITY_CIRCULAR;
    const uint32_t all = (1u << 2 * o->lines) - 1u;
    const open_places to = place_numbers(k, b, s, fixed);
    open_momenta m;
    m.leg = fixed + 2 * own_event();
    load_legs(k, at, &drawn->flow, !basis, &m);
    double *const antennas = to.work + own_event(), *const product = to.record + own_event();
    load_antennas(o, &m, antennas, product);
    const open_sums sums = open_sums_in(o, antennas + open_antenna_reals(o) * EVENTS);
    const double flows = sum_flows(o, b, l->sets, antennas, &b->colors, s->reach, &sums, to.room);
    __syncthreads(); /* sums over sets take the place of paths */
    double *const table = to.work + 2 * own_event(), *const record = to.record + 2 * own_event();
    tabulate(o, &m, product, table);
    for (uint32_t i = own_worker(); i < s->currents; i += workers())
        open_put_record(o, &m, table, s->current[i].set, record + (size_t)i * (OPEN_RECORD * EVENTS));
    m.beam = open_beam(o, &m);
    const double *const given = m.leg + (size_t)polarizations_at(o) * EVENTS;
    const uint32_t configuration = configured ? event_configuration(q->n, q, at) : 0u;
    open_work w;
    w.o = o;
    w.s = s;
    w.record = record;
    w.store = to.store + 2 * own_event();
    double sum = 0.;
    for (uint32_t state = 0; state < (basis ? 1u << o->gluons : 1u); state++)
        for (int pattern = 0; pattern < (configured || o->halves ? 1 : o->patterns); pattern++) {
            double allowed = 1.;
            __syncthreads(); /* for the legs to be free */
            for (int place = (int)own_worker(); place < o->gluons && !pattern; place += (int)workers()) {
                shared_polarization e[PARTS];
#pragma unroll
                for (int a = 0; a < PARTS; a++) {
                    const open_two own = basis ? open_two{state >> place & 1u ? 0. : 1., state >> place & 1u ? 1. : 0.}
                                               : open_load_two(given, 2 * (place * PARTS + a));
                    e[a].a1 = own.first;
                    e[a].a2 = own.second;
                }
                open_put_leg(&w, &b->colors, &m, PARTS, place, e);
            }
            if (configured || !o->halves)
                allowed = open_put_signs(&w, configured ? &configuration : &o->pattern[pattern]);
            else
                open_put_signs_alike(&w);
            for (int f = (int)own_worker(); f < open_inner_fermions(o); f += (int)workers())
                open_put_fermion_leg(&w, &m, f);
            __syncthreads();
            put_levels<PARTS>(b, l, &w, pattern ? b->gluon_levels : 0u, b->levels,
                              configured || o->halves ? all : o->turned[pattern]);
            sum += allowed * close<PARTS>(&w, &m, configured, to.room);
        }
    if (own_worker() == 0 && rank < b->count) k->call.partial[at] = open_weight(o, drawn->Z, flows) * sum;
    __syncthreads();
}

/* Event number `lane` of group `item`, or -1; and which colors the group draws. Events at given points may have been sorted. */
static __device__ int64_t event_of(const open_call *k, uint32_t item, uint32_t lane, uint64_t *number)
{
    const cuda_deals *d = &k->call.deals;
    const uint32_t group = (uint32_t)k->call.space.group, per_deal = BG_DEAL / group;
    if (!d->order || d->count)
        return event_of_lane(&k->call.question, d, k->call.count, (int)group, item, lane, number);
    *number = d->first * per_deal + item;
    const uint32_t own = lane < group ? d->order[(size_t)item * group + lane] : ~0u;
    return own == ~0u ? -1 : (int64_t)own;
}

/* Takes groups until there is one with events; the first warp. Some follow one another, which may share their colors. */
static __device__ void take_group(const open_call *k, open_block *b)
{
    const uint32_t lane = threadIdx.x;
    uint32_t item = b->item + 1u, end = b->end;
    __syncwarp();
    for (;; item++) {
        uint64_t number = 0;
        if (item >= end) {
            if (lane == 0) item = atomicAdd(k->call.space.next, k->run);
            item = __shfl_sync(EVERY_LANE, item, 0);
            end = item + k->run;
        }
        const int64_t own = item < k->call.items ? event_of(k, item, lane, &number) : -1;
        const uint32_t here = __ballot_sync(EVERY_LANE, own >= 0);
        if (!here && item < k->call.items) continue;
        b->own[lane] = (uint32_t)own;
        b->skeleton[lane] = own >= 0 ? k->flow[own].flow.skeleton : (uint32_t)OPEN_SKELETONS;
        if (lane == 0) {
            b->item = item;
            b->end = end;
            b->number = number;
            b->left = here;
        }
        return;
    }
}

/* Those of the next skeleton, and colors for them. */
static __device__ void take_skeleton(const open_call *k, open_block *b)
{
    const uint32_t lane = threadIdx.x, left = b->left, skeleton = b->skeleton[__ffs((int)left) - 1];
    const uint32_t own = __ballot_sync(EVERY_LANE, (left >> lane & 1u) && b->skeleton[lane] == skeleton);
    const cuda_question *q = &k->call.question;
    if (own >> lane & 1u) b->event[__popc(own & ((1u << lane) - 1u))] = b->own[lane];
    if ((int)lane < open_color_pairs(&k->process))
        open_color_pair(skeleton, q->seed, b->number / k->groups, q->draw, (int)lane, b->random + 2 * lane);
    __syncwarp();
    if (lane > 0) return;
    b->count = (uint32_t)__popc(own);
    b->here = own;
    b->known = b->number / k->groups == b->made_colors && skeleton == b->made_skeleton;
    if (b->known) return;
    b->made_colors = b->number / k->groups;
    b->made_skeleton = skeleton;
    b->colors = open_colors_from(&k->process, skeleton, b->random);
}

template <int PARTS, int BLOCKS>
static __global__ __launch_bounds__(MOST_THREADS, BLOCKS) void draw_kernel(const __grid_constant__ open_call k)
{
    __shared__ open_block b;
    const open_process *o = &k.process;
    double *const fixed = (double *)((char *)chip + k.room.lists);
    open_schedule s;
    open_lists_of_block l;
    place_lists(o, PARTS, k.room.lists ? (char *)chip : far_lists(&k), rules(&k), &s, &l);
    open_forbid(o, &s, threadIdx.x, blockDim.x);
    if (threadIdx.x == 0) {
        b.far_record = far_numbers(&k);
        b.far_work = b.far_record + (size_t)record_numbers(o, (uint32_t)open_most_currents(o)) * EVENTS;
        b.item = b.end = 0;
        b.made_skeleton = OPEN_SKELETONS; /* none */
    }
    list_sets(o, l.sets, b.size);
    for (;;) {
        if (threadIdx.x < WARP) take_group(&k, &b);
        __syncthreads();
        if (b.item >= k.call.items) return;
        for (uint32_t left = b.left; left;) {
            if (threadIdx.x < WARP) take_skeleton(&k, &b);
            __syncthreads();
            left &= ~b.here;
            if (!b.known) build(o, &b, &l, &s);
            for (uint32_t first = 0; first < b.count; first += EVENTS) draw<PARTS>(&k, &b, &l, &s, fixed, first);
            if (threadIdx.x == 0) b.left = left;
            __syncthreads();
        }
    }
}

/* ---- plans -------------------------------------------------------------------------------------------------------------- */

/* Workers of a block that draws colors: about as many as the longest step has items. */
static unsigned workers_for(const open_process *o)
{
    return OPEN_WORKERS ? OPEN_WORKERS : o->legs < 7 ? 8 : o->legs < 8 ? 16 : 32;
}

static unsigned threads_of(unsigned workers_asked)
{
    const unsigned threads = workers_asked * EVENTS;
    return threads > MOST_THREADS ? (unsigned)MOST_THREADS : threads > WARP ? threads : (unsigned)WARP;
}

/* Blocks of MOST_THREADS of a multiprocessor: with one line, registers and shared memory are enough for three of them. */
static int blocks_for(const open_process *o) { return OPEN_BLOCKS ? OPEN_BLOCKS : o->lines == 1 ? 3 : 2; }

/* Bytes of a block on a chip that has so many: its share, by threads, or that of one of two blocks. */
static size_t chip_share(const open_process *o, size_t chip, unsigned threads)
{
    const size_t share = chip / (size_t)blocks_for(o) * threads / MOST_THREADS;
    return share > BLOCK_ALONE ? share - BLOCK_ALONE : 0;
}
static size_t chip_half(size_t chip) { return chip / 2 - BLOCK_ALONE; }

static uint32_t early_numbers(const open_process *o)
{
    const uint32_t sets = (uint32_t)OPEN_SET << open_outgoing_bits(o);
    return flow_early(o) > sets ? flow_early(o) : sets;
}

static open_launch flow_launch(const open_process *o, size_t chip_bytes)
{
    open_launch l;
    l.threads = threads_of(OPEN_FLOW_WORKERS ? OPEN_FLOW_WORKERS : threads_of(workers_for(o)) / EVENTS / 2);
    const size_t chip = chip_half(chip_bytes), lists = ((sizeof(uint16_t) << o->gluons) + 15) / 16 * 16;
    const size_t event = EVENTS * sizeof(double);
    l.room.lists = lists <= chip / 4 ? (uint32_t)lists : 0u;
    l.room.fixed = flow_fixed(o, l.threads / WARP);
    l.room.early = flow_early(o);
    if (l.room.lists + (l.room.fixed + l.room.early) * event > chip) l.room.early = 0; /* in the memory of the block */
    l.room.chip = l.room.fixed + l.room.early;
    l.shared = l.room.lists + l.room.chip * event;
    return l;
}

static open_launch draw_launch(const open_process *o, int mode, size_t chip_bytes)
{
    open_launch l;
    l.threads = threads_of(workers_for(o));
    const size_t chip = chip_share(o, chip_bytes, l.threads), lists = list_bytes(o), event = EVENTS * sizeof(double);
    const size_t numbers = open_most_numbers(o, helicity_parts(mode));
    l.room.lists = lists <= chip / 4 ? (uint32_t)lists : 0u;
    l.room.fixed = sums_at(o, mode) + SUMS * (l.threads / WARP / 2);
    l.room.early = early_numbers(o);
    const size_t most = l.room.fixed + record_numbers(o, (uint32_t)open_most_currents(o)) +
                        (numbers > l.room.early ? numbers : l.room.early);
    const size_t fitting = (chip - l.room.lists) / event;
    l.room.chip = (uint32_t)(most < fitting ? most : fitting > l.room.fixed ? fitting : l.room.fixed);
    l.shared = l.room.lists + l.room.chip * event;
    return l;
}

/* The memory of a block: rules, which those of the first one are for all, lists, and all numbers that any schedule needs. */
static size_t block_bytes(const open_process *o, int parts)
{
    const size_t early = early_numbers(o), numbers = open_most_numbers(o, parts);
    const size_t reals = record_numbers(o, (uint32_t)open_most_currents(o)) + (early > numbers ? early : numbers);
    return rule_bytes() + group_lines(list_bytes(o)) + group_lines(reals * EVENTS * sizeof(double));
}

static open_kernel *draw_of(const open_process *o, int parts)
{
    if (blocks_for(o) == 3) return parts == 2 ? draw_kernel<2, 3> : draw_kernel<1, 3>;
    return parts == 2 ? draw_kernel<2, 2> : draw_kernel<1, 2>;
}

extern const open_instance OPEN_INSTANCE = {EVENTS, flow_kernel, draw_of, flow_launch, draw_launch, block_bytes};
