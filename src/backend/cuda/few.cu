/* Coherent color sampling on a GPU where few events share colors: a block of threads works on a group.
 *
 * Where an estimate comes first (estimate/sieve.h), points that are computed are few, and the more of them share colors, the more
 * alike they are: groups are of eight. A warp for such a group would leave most of its lanes idle, and one group after the other
 * takes a single warp so long that a device waits for its last warps. So all sets of gluons of a size are worked on at once: a
 * `worker` is eight threads, one for each event, and the workers of a block share the sets. A current has a warp, whose four workers
 * share its splits. Sets of the next size wait for all of them. Currents are in global memory, those of the events side by side, and what
 * is needed all the time of the single gluons is in shared memory. From eleven outgoing gluons on, all of that would come from the
 * memory of the device, and a block computes the currents of one event after the other, most of them in shared memory.
 *
 * Colors are drawn one event after the other for any number of gluons, with sums over paths (paths.cuh) in shared memory.
 */
#include "backend/cuda/coherent.h"
#include "backend/cuda/events.cuh"
#include "backend/cuda/groups.cuh"
#include "backend/cuda/paths.cuh"
#include "backend/cuda/schedule.cuh"

#include "amplitude/circular.h"

enum {
    EVENTS = FEW_EVENTS,
    THREADS = 256,       /* of a block, */
    THREADS_ALONE = 512, /* or where it has a multiprocessor for itself */
    MOST_WARPS = THREADS_ALONE / WARP,
    TOGETHER = WARP / EVENTS, /* workers of a warp */
    ALONE = 6,                /* gluons of a set up to which one thread finds all of its splits */
    ONE_FROM = 13             /* legs from which on a block computes one event after the other */
};

/* One event. */
typedef struct few_event {
    shared_polarization transverse[2 * BG_MAX_LEGS]; /* [gluon * states + state] */
    double weight;                                   /* of the colors */
    int64_t at;                                      /* where it is in the batch */
    int order[BG_MAX_LEGS];
    int here; /* 0: it stands in for one that there is not */
} few_event;

/* The group that a block works on, in shared memory. */
typedef struct few_group {
    alignas(16) few_event event[EVENTS];
    coherent_colors colors;
    circular_sum closing[MOST_WARPS]; /* where one event is computed after the other */
    double staged[MOST_WARPS][3][8];  /* there, the sums of a current that a warp has computed */
    uint8_t rule[COHERENT_KINDS * COHERENT_KINDS];
    uint32_t slots;                   /* that are taken */
    uint32_t first[BG_MAX_LEGS + 1];  /* of the sets of each size, in the list of sets */
    uint32_t splits[BG_MAX_LEGS + 1]; /* ... and of their splits: every set has room for all of its own */
    uint32_t paths[BG_MAX_LEGS + 1];  /* ... and of their paths, of outgoing gluons, in the memory of an event */
    uint32_t front[BG_MAX_LEGS + 1];  /* behind the last current of each size, in their list; diagonal ones */
    uint32_t back[BG_MAX_LEGS + 1];   /* ... begin here, and end where the next size begins */
    uint32_t item, closing_splits;
} few_group;

/* What an event takes until its gluons have their places. */
typedef struct few_draft {
    antenna free, placed; /* antennas of the gluons, and at their places */
    shared_gluons gluon;
    double Z[BG_MAX_LETTERS +
             1]; /* sums over orderings by gluons between the incoming ones; then what colors weigh them with */
    double u[BG_MAX_LETTERS + 2]; /* its random numbers */
    uint32_t between;             /* the gluons between the incoming ones */
} few_draft;

/* The same for the group, behind it in shared memory. Its place is free for currents afterwards. */
typedef struct few_drafts {
    alignas(16) few_draft event[EVENTS];
    antenna_rules rules[2]; /* of colors there, and back */
    double partial[MOST_WARPS];
} few_drafts;

/* Behind that: F of all sets of outgoing gluons, H of two sizes, and the tables of sets. What is known of sets while the schedule is made is
 * where H will be. */
typedef struct few_paths {
    path_tables tables;
    double *F, *layer[2];
    uint32_t *entry;
} few_paths;

/* What splits that close amplitudes add up to in each warp, in that place. */
typedef light_sum few_closing[EVENTS][2];

/* Where the numbers of a group are, in global memory. Paths of all events and the currents follow one another in the same place. */
typedef struct few_space {
    coherent_schedule schedule;
    const uint16_t *sets; /* by size, then by number */
    coherent_momenta momenta;
    double *paths; /* [event]: H of all sets */
    double *work;
    double2 *near; /* currents in shared memory, as many as there is room for */
    uint32_t near_slots;
} few_space;

static __host__ __device__ size_t list_bytes(int n) { return sizeof(uint16_t) << (n - 1); }

/* Numbers of H of one event: each set has one for each of its letters. */
static __host__ __device__ size_t few_path_reals(int N) { return ((size_t)N << N) / 2; }

/* Paths, or the currents. */
static __host__ __device__ size_t few_work_reals(int n, int parts)
{
    const size_t paths = few_path_reals(n - 2), currents = coherent_store_reals(n, parts);
    return paths > currents ? paths : currents;
}

static __host__ __device__ size_t few_bytes(int n, int parts)
{
    const size_t reals = coherent_table_reals(n - 2) + few_work_reals(n, parts);
    return group_lines(coherent_schedule_bytes(n)) + group_lines(list_bytes(n)) +
           group_lines(reals * EVENTS * sizeof(double));
}

/* Two sizes of paths, or what is known of sets. */
static __host__ __device__ size_t layer_bytes(int n)
{
    const size_t layers = 2 * (size_t)paths_most(n - 2) * sizeof(double),
                 entries = coherent_most_sets(n) * sizeof(uint32_t);
    return layers > entries ? layers : entries;
}

static size_t few_shared_bytes(int n)
{
    return sizeof(few_group) + sizeof(few_drafts) + (sizeof(double) << (n - 2)) + layer_bytes(n) + paths_bytes(n - 2);
}

static __device__ int own_worker(void) { return (int)threadIdx.x / EVENTS; }
static __device__ int own_event(void) { return (int)threadIdx.x % EVENTS; }
static __device__ int workers(void) { return (int)blockDim.x / EVENTS; }
static __device__ int warps(void) { return (int)blockDim.x / WARP; }
static __device__ few_drafts *drafts(few_group *g) { return (few_drafts *)(g + 1); }
static __device__ few_draft *own_draft(few_group *g) { return &drafts(g)->event[own_event()]; }

static __device__ few_paths paths_of(int n, few_group *g)
{
    few_paths p;
    p.F = (double *)(drafts(g) + 1);
    p.layer[0] = p.F + (1u << (n - 2));
    p.layer[1] = p.layer[0] + paths_most(n - 2);
    p.entry = (uint32_t *)p.layer[0];
    p.tables = paths_place(n - 2, (char *)p.layer[0] + layer_bytes(n));
    return p;
}

/* ---- sets by size ---------------------------------------------------------------------------------------------------- */

static __device__ uint32_t binomial(uint32_t m, uint32_t k)
{
    uint32_t value = 1;
    for (uint32_t i = 0; i < k; i++) value = value * (m - i) / (i + 1); /* 0 where k > m */
    return value;
}

/* Splits of a set of so many gluons. */
static __device__ uint32_t own_splits(uint32_t size) { return size ? (1u << (size - 1)) - 1u : 0u; }

/* All sets of the places 0 .. n - 2. Those of a size are in the order of their numbers, so sets without the last place come first. */
static __device__ void list_sets(int n, few_group *g, uint16_t *sets)
{
    const uint32_t places = (uint32_t)(n - 1);
    if (threadIdx.x == 0) {
        g->first[0] = g->splits[0] = g->paths[0] = 0;
        for (uint32_t size = 0; size < places; size++) {
            g->first[size + 1] = g->first[size] + binomial(places, size);
            g->splits[size + 1] = g->splits[size] + binomial(places, size) * own_splits(size);
            g->paths[size + 1] = g->paths[size] + binomial(places - 1u, size) * size;
        }
    }
    __syncthreads();
    for (uint32_t set = threadIdx.x; set < 1u << places; set += blockDim.x) {
        uint32_t rank = 0, members = 0;
        for (uint32_t left = set; left; left &= left - 1) rank += binomial((uint32_t)bg_lowest(left), ++members);
        sets[g->first[members] + rank] = (uint16_t)set;
    }
    __syncthreads();
}

/* ---- the schedule ------------------------------------------------------------------------------------------------------ */

/* A set whose splits are listed: its current goes to the lists, and the set knows its slots. */
static __device__ void take_current(few_group *g, const coherent_schedule *s, int size, int kind, coherent_current *x)
{
    const uint32_t slot = atomicAdd(&g->slots, (uint32_t)coherent_differences(x));
    x->slot = (uint16_t)slot;
    s->current[x->diagonal ? atomicSub(&g->back[size], 1u) - 1u : atomicAdd(&g->front[size], 1u)] = *x;
    s->entry[x->set] = coherent_entry(kind, slot);
}

/* Where the splits of a diagonal's differences go, which are counted first. */
static __device__ void place_lists(const coherent_current *x, uint32_t at[3])
{
    at[0] = x->first;
    at[1] = at[0] + x->splits[0];
    at[2] = at[1] + x->splits[1];
}

static __device__ __forceinline__ uint32_t difference_of(uint32_t rule) { return rule >> 1 & 3u; }

/* A set by one thread. The splits that are left follow one another from the largest half down to the smallest, as in coherent_splits(). */
static __device__ void schedule_small_set(few_group *g, const coherent_schedule *s, int size, uint32_t number)
{
    const uint32_t set = number >> 16, rest = set & (set - 1);
    coherent_current x;
    const int kind = coherent_begin(&g->colors, set, &x);
    uint32_t at[3], total = 0;
    x.first = g->splits[size] + (number & 0xffffu) * own_splits((uint32_t)size);
    for (int pass = x.diagonal ? 0 : 1; pass < 2 && kind != COHERENT_NOTHING; pass++) {
        place_lists(&x, at);
        for (uint32_t B = rest; B; B = (B - 1) & rest) {
            uint32_t split;
            const uint32_t rule = coherent_split_rule(s, set, B, &split);
            if (!(rule & COHERENT_EXISTS)) continue;
#pragma unroll
            for (uint32_t d = 0; d < 3; d++) {
                if (difference_of(rule) != d) continue;
                if (pass == 0)
                    x.splits[d]++;
                else
                    s->split[at[d]++] = split;
            }
            total++;
        }
        if (!x.diagonal) x.splits[0] = total;
    }
    if (total)
        take_current(g, s, size, kind, &x);
    else
        s->entry[set] = COHERENT_NOTHING;
}

/* One of more than ALONE gluons, by a warp. Lanes differ in the lowest five gluons of the half that has not the lowest one. */
static __device__ void schedule_large_set(few_group *g, const coherent_schedule *s, int size, uint32_t number,
                                          uint32_t own_charge)
{
    const uint32_t lane = threadIdx.x % WARP, set = number >> 16;
    uint32_t low = 0, high = set & (set - 1), at[3], total = 0, charge = set >> lane & 1u ? own_charge : 0u;
    coherent_current x;
    for (int step = 1; step < WARP; step *= 2) charge += __shfl_xor_sync(EVERY_LANE, charge, step);
    const int kind = coherent_room_of(COHERENT_NO_CHARGE + charge);
    coherent_begin_of(kind, set, &x);
    x.first = g->splits[size] + (number & 0xffffu) * own_splits((uint32_t)size);
    for (int b = 0; b < 5; b++) {
        const uint32_t gluon = high & (0u - high);
        if (lane >> b & 1u) low |= gluon;
        high ^= gluon;
    }
    for (int pass = x.diagonal ? 0 : 1; pass < 2 && kind != COHERENT_NOTHING; pass++) {
        place_lists(&x, at);
        for (uint32_t more = high;; more = (more - 1) & high) {
            uint32_t split = 0, rule = 0;
            if (more | low) rule = coherent_split_rule(s, set, more | low, &split);
#pragma unroll
            for (uint32_t d = 0; d < 3; d++) {
                if (d && !x.diagonal) break;
                const int left = rule & COHERENT_EXISTS && difference_of(rule) == d;
                const uint32_t votes = __ballot_sync(EVERY_LANE, left), count = (uint32_t)__popc(votes);
                if (pass == 0)
                    x.splits[d] += count;
                else if (left)
                    s->split[at[d] + (uint32_t)__popc(votes & ~((2u << lane) - 1u))] = split;
                at[d] += count;
                total += count;
            }
            if (!more) break;
        }
        if (!x.diagonal) x.splits[0] = total;
    }
    if (lane) return;
    if (total)
        take_current(g, s, size, kind, &x);
    else
        s->entry[set] = COHERENT_NOTHING;
}

/* The whole schedule, all sets of a size at a time. */
static __device__ __noinline__ void make_schedule(int n, few_group *g, const few_space *s)
{
    const coherent_schedule list = s->schedule; /* what is written could not be told from members of *s */
    const uint16_t *const sets = s->sets;
    const int lane = (int)threadIdx.x % WARP;
    const uint32_t own_charge = lane < n - 1 ? coherent_charge(g->colors.row[lane], g->colors.col[lane]) : 0u;
    for (int size = 2; size < n - 1; size++) {
        const uint32_t from = g->first[size], count = g->first[size + 1] - from;
        const uint32_t first = size <= ALONE ? threadIdx.x : threadIdx.x / WARP;
        const uint32_t step = size <= ALONE ? blockDim.x : (uint32_t)warps();
        for (uint32_t k = first; k < count; k += step) {
            const uint32_t number = (uint32_t)sets[from + k] << 16 | k;
            if (size <= ALONE)
                schedule_small_set(g, &list, size, number);
            else
                schedule_large_set(g, &list, size, number, own_charge);
        }
        __syncthreads();
    }
    if (threadIdx.x / WARP == 0) {
        const uint32_t count = schedule_closing(n, &g->colors, &list, g->splits[n - 1]);
        if (threadIdx.x == 0) g->closing_splits = count;
    }
}

/* ---- the events -------------------------------------------------------------------------------------------------------- */

/* Takes groups until there is one with events. */
static __device__ uint32_t next_group(const group_call *k)
{
    const uint32_t group = (uint32_t)k->space.group, per_deal = BG_DEAL / group;
    for (;;) {
        const uint32_t item = atomicAdd(k->space.next, 1u);
        if (item >= k->items || group == 1 || !k->deals.order) return item;
        if (item % per_deal * group < k->deals.count[item / per_deal]) return item;
    }
}

/* The gluons of this thread's event; the first worker. */
static __device__ __noinline__ void load_event(const group_call *k, uint32_t item, few_event *e, few_draft *d)
{
    const cuda_question *q = &k->question;
    const int n = q->n, N = n - 2, per = helicity_states(q->mode) * helicity_parts(q->mode);
    uint64_t number;
    const int64_t own = event_of_lane(q, &k->deals, k->count, k->space.group, item, threadIdx.x, &number);
    const uint32_t lanes = (1u << EVENTS) - 1u, here = __ballot_sync(lanes, own >= 0);
    const int64_t some = __shfl_sync(lanes, own, __ffs((int)here) - 1);
    vec4 p[BG_MAX_LEGS], state[2 * BG_MAX_LEGS];
    e->here = own >= 0;
    e->at = own >= 0 ? own : some;
    for (int i = 0; i < n; i++) p[i] = event_momentum(&k->momenta, (size_t)e->at, i);
    event_polarizations(n, q->mode, q, (size_t)e->at, p, state);
    const light_frame frame = light_frame_of(p[0], p[n - 1]);
    shared_gluon_momenta(N, &frame, p, &d->gluon);
    coherent_antenna(N, &d->gluon, dot(p[0], p[n - 1]), &d->free);
    const bg_random r = bg_random_at(q->seed, event_number(q, (size_t)e->at), q->draw, BG_STREAM_ORDERING);
    bg_random_fill(&r, N + 1, d->u);
    for (int k = 0; k < N; k++) e->order[k] = k; /* one that is not there keeps that */
    for (int i = 0; i < n; i++)
        for (int x = 0; x < per; x++)
            e->transverse[i * per + x] = shared_transverse(N, &frame, &d->gluon, i, &state[i * per + x]);
}

/* The colors of the group; one thread. */
static __device__ __noinline__ void load_colors(const group_call *k, uint32_t item, few_group *g, few_space *s)
{
    const cuda_question *q = &k->question;
    const int n = q->n;
    uint64_t number;
    (void)event_of_lane(q, &k->deals, k->count, k->space.group, item, 0, &number);
    g->colors = coherent_draw_from(n, q->flat, q->seed, number, q->draw);
    antenna_rules *const rules = drafts(g)->rules;
    coherent_rules(n, &g->colors, 0, &rules[0]);
    coherent_rules(n, &g->colors, 1, &rules[1]);
    g->slots = (uint32_t)(n - 1);
    for (int size = 0; size < n - 1; size++) {
        g->front[size] = g->first[size];
        g->back[size] = g->first[size + 1];
    }
    coherent_externals(n, &g->colors, &s->schedule);
}

static __device__ void flatten(int N, antenna *a)
{
    for (int i = own_worker(); i < N * (N + 2); i += workers()) {
        real *x = i < N * N ? &a->step[i] : i < N * (N + 1) ? &a->first[i - N * N] : &a->last[i - N * (N + 1)];
        if (i >= N * N || i / N != i % N) *x = bg_power(*x, BG_COHERENT_POWER);
    }
}

/* The antennas of the gluons at their places. */
static __device__ void place_antennas(int N, const few_event *e, few_draft *d)
{
    if (own_worker() == 0) d->placed.ends = d->free.ends;
    for (int i = own_worker(); i < N * N; i += workers()) {
        const int k = i / N, j = i % N;
        if (k != j) d->placed.step[i] = d->free.step[e->order[k] * N + e->order[j]];
        if (j == 0) {
            d->placed.first[k] = d->free.first[e->order[k]];
            d->placed.last[k] = d->free.last[e->order[k]];
        }
    }
}

/* The sum over the workers of a warp, for each event. */
static __device__ double over_workers(double x)
{
    for (int step = EVENTS; step < WARP; step *= 2) x += __shfl_xor_sync(EVERY_LANE, x, step);
    return x;
}

/* ---- orderings ---------------------------------------------------------------------------------------------------------- */

/* The sum over the lanes up to this one. */
static __device__ double sum_so_far(double x)
{
    const int lane = (int)threadIdx.x % WARP;
    for (int step = 1; step < WARP; step *= 2) {
        const double before = __shfl_up_sync(EVERY_LANE, x, (unsigned)step);
        if (lane >= step) x += before;
    }
    return x;
}

/* The first lane up to which the sum exceeds the target; -1: none. Returns the sum over all lanes as well. */
static __device__ int lane_drawn(double x, double target, double *total)
{
    const double sum = sum_so_far(x);
    const uint32_t beyond = __ballot_sync(EVERY_LANE, target - sum < 0.);
    *total = __shfl_sync(EVERY_LANE, sum, WARP - 1);
    return __ffs((int)beyond) - 1;
}

/* Sums over orderings with so many gluons between the incoming ones: `set` are those, and all others are on the way back. By a warp. */
static __device__ double sum_of_sets(int N, int size, const few_paths &p)
{
    const uint32_t lane = threadIdx.x % WARP, all = (1u << N) - 1u;
    const uint32_t first = (uint32_t)p.tables.first[size], count = (uint32_t)paths_sets(p.tables, size);
    double sum = 0., total;
    for (uint32_t k = lane; k < count; k += WARP) {
        const uint32_t set = p.tables.set[first + k];
        sum += p.F[set] * p.F[all ^ set];
    }
    (void)lane_drawn(sum, 0., &total);
    return total;
}

/* The one that a target below that sum draws. */
static __device__ uint32_t draw_set(int N, int size, const few_paths &p, double target)
{
    const uint32_t lane = threadIdx.x % WARP, all = (1u << N) - 1u;
    const uint32_t first = (uint32_t)p.tables.first[size], count = (uint32_t)paths_sets(p.tables, size);
    for (uint32_t from = 0; from < count; from += WARP) {
        const int some = from + lane < count;
        const uint32_t set = p.tables.set[some ? first + from + lane : first];
        double sum;
        const int found = lane_drawn(some ? p.F[set] * p.F[all ^ set] : 0., target, &sum);
        if (found >= 0 && from + (uint32_t)found < count) return __shfl_sync(EVERY_LANE, set, found);
        target -= sum;
    }
    return p.tables.set[first + count - 1u]; /* rounding */
}

/* F of the sets of a size whose H are given, for paths that `stop` with any letter. */
static __device__ void close_free(int size, const few_paths &p, const double *H, const double *stop)
{
    const int count = paths_sets(p.tables, size), first = p.tables.first[size];
    for (int at = (int)threadIdx.x; at < count; at += (int)blockDim.x) {
        uint64_t members = p.tables.members[first + at];
        double sum = 0.;
        for (int q = 0; q < size; q++, members >>= 4) sum += H[at * size + q] * stop[members & 15u];
        p.F[p.tables.set[first + at]] = sum;
    }
}

/* Sums over all paths of one event: H stays in memory, F in shared memory. */
static __device__ void free_paths(int N, const few_group *g, const few_paths &p, const antenna *a, double *memory)
{
    double *from = p.layer[0], *next = p.layer[1];
    __syncthreads(); /* nobody needs what is there */
    for (int l = (int)threadIdx.x; l < N; l += (int)blockDim.x) from[l] = a->first[l];
    if (threadIdx.x == 0) p.F[0] = a->ends;
    for (int size = 1; size <= N; size++) {
        __syncthreads();
        const int count = paths_sets(p.tables, size) * size;
        for (int k = (int)threadIdx.x; k < count; k += (int)blockDim.x) memory[g->paths[size] + (uint32_t)k] = from[k];
        close_free(size, p, from, a->last);
        if (size < N) paths_extend(N, N, size, p.tables, a->step, from, next);
        double *const filled = next;
        next = from;
        from = filled;
    }
    __syncthreads();
}

/* As antenna_draw_path(), by a warp: a lane for each letter that may be the last. */
static __device__ void draw_path(int N, const few_group *g, const few_paths &p, const antenna *a, const double *memory,
                                 uint32_t set, const double *u, int *path)
{
    const int lane = (int)threadIdx.x % WARP;
    int next = -1;
    for (int size = __popc(set); size > 0; size--) {
        const uint32_t place = p.tables.place[set];
        const uint64_t members = p.tables.members[(uint32_t)p.tables.first[size] + place];
        const int letter = lane < size ? (int)(members >> (4 * lane) & 15u) : 0;
        double share = 0., total;
        if (lane < size)
            share = memory[g->paths[size] + place * (uint32_t)size + (uint32_t)lane] *
                    (next < 0 ? a->last[letter] : a->step[letter * N + next]);
        (void)lane_drawn(share, 0., &total);
        int found = lane_drawn(share, total * u[size - 1], &total);
        if (found < 0 || found >= size) found = size - 1;
        next = __shfl_sync(EVERY_LANE, letter, found);
        if (lane == 0) path[size - 1] = next;
        set ^= 1u << next;
    }
}

/* As antenna_draw(), given the set of the letters between the incoming gluons, by a warp. */
static __device__ void draw_order(int N, const few_group *g, const few_paths &p, const few_draft *d,
                                  const double *memory, int *order)
{
    const uint32_t there = d->between;
    const int b = __popc(there), lane = (int)threadIdx.x % WARP;
    int back[BG_MAX_LETTERS];
    draw_path(N, g, p, &d->free, memory, there, d->u + 1, order);
    draw_path(N, g, p, &d->free, memory, ((1u << N) - 1u) ^ there, d->u + 1 + b, back);
    for (int k = b; k < N && lane == 0; k++) order[k] = back[N - 1 - k]; /* drawn as a way there, and turned round */
}

/* H of colored gluons in the sets that have a letter more than `size`. */
static __device__ void extend_colored(int N, int size, const few_paths &p, const antenna *a, const antenna_rules *rules,
                                      const double *from, double *to)
{
    const path_tables &t = p.tables;
    const uint32_t count = paths_steps(N, t, size);
    for (uint32_t at = threadIdx.x; at < count; at += blockDim.x) {
        const paths_step step = paths_step_of(N, t, size, at);
        const double *const paths = from + (step.number - (uint32_t)t.first[size]) * (uint32_t)size;
        double sum = 0.;
        for (uint32_t left = step.set & rules->before[step.letter]; left; left &= left - 1) {
            const int k = bg_lowest(left);
            sum += paths[__popc(step.set & ((1u << k) - 1u))] * a->step[k * N + step.letter];
        }
        to[paths_behind(t, size, step.set, step.letter)] = sum;
    }
}

/* F of a set of colored gluons from its H. */
static __device__ double close_colored(int size, const path_tables &t, int number, const antenna_rules *rules,
                                       const double *H, const double *stop)
{
    uint64_t members = t.members[number];
    double sum = 0.;
    for (int q = 0; q < size; q++, members >>= 4) {
        const int letter = (int)(members & 15u);
        if (rules->stop >> letter & 1u) sum += H[q] * stop[letter];
    }
    return sum;
}

/* Colored paths of an event whose gluons are at their places: F of all sets on the way there, and then, on the way back, this thread's
 * share of the sum over orderings. */
static __device__ double colored_paths(int N, int back, const few_paths &p, const few_draft *d,
                                       const antenna_rules *rules)
{
    const path_tables &t = p.tables;
    const antenna *a = &d->placed;
    const double *const start = back ? a->last : a->first, *const stop = back ? a->first : a->last;
    const uint32_t all = (1u << N) - 1u;
    double *from = p.layer[0], *next = p.layer[1], sum = 0.;
    __syncthreads(); /* nobody needs what is there */
    for (int l = (int)threadIdx.x; l < N; l += (int)blockDim.x) from[l] = rules->start >> l & 1u ? start[l] : 0.;
    if (threadIdx.x == 0 && !back) p.F[0] = antenna_direct(a, rules);
    if (threadIdx.x == 0 && back) sum = d->Z[N] * p.F[all] * antenna_direct(a, rules);
    for (int size = 1; size <= N; size++) {
        __syncthreads();
        for (int at = (int)threadIdx.x; at < paths_sets(t, size); at += (int)blockDim.x) {
            const int number = t.first[size] + at;
            const double F = close_colored(size, t, number, rules, from + at * size, stop);
            if (back)
                sum += d->Z[N - size] * p.F[all ^ t.set[number]] * F;
            else
                p.F[t.set[number]] = F;
        }
        if (size < N) extend_colored(N, size, p, a, rules, from, next);
        double *const filled = next;
        next = from;
        from = filled;
    }
    return sum;
}

/* The sum over the threads of a block, in all of them. */
static __device__ double over_block(double x, double *partial)
{
    double total = 0.;
    (void)lane_drawn(x, 0., &total);
    if (threadIdx.x % WARP == 0) partial[threadIdx.x / WARP] = total;
    __syncthreads();
    total = 0.;
    for (int w = 0; w < warps(); w++) total += partial[w];
    return total;
}

/* As coherent_draw_places(), with `memory` for the paths of all events. */
static __device__ __noinline__ void draw_places(int n, few_group *g, double *memory)
{
    const int N = n - 2, worker = own_worker(), warp = (int)threadIdx.x / WARP;
    const few_paths p = paths_of(n, g);
    few_drafts *ds = drafts(g);
    for (int event = 0; event < EVENTS; event++) {
        few_draft *d = &ds->event[event];
        if (!g->event[event].here) continue;
        free_paths(N, g, p, &d->free, memory + (size_t)event * few_path_reals(N));
        for (int b = warp; b <= N; b += warps()) {
            const double Z = sum_of_sets(N, b, p);
            if (threadIdx.x % WARP == 0) d->Z[b] = Z;
            if (b != g->colors.between) continue;
            const uint32_t set = draw_set(N, b, p, Z * d->u[0]);
            if (threadIdx.x % WARP == 0) d->between = set;
        }
    }
    __syncthreads();
    for (int event = warp; event < EVENTS; event += warps())
        if (g->event[event].here)
            draw_order(N, g, p, &ds->event[event], memory + (size_t)event * few_path_reals(N), g->event[event].order);
    __syncthreads();
    place_antennas(N, &g->event[own_event()], own_draft(g));
    if (worker <= N) own_draft(g)->Z[worker] = coherent_between(N, worker, g->colors.flat) / own_draft(g)->Z[worker];
    for (int event = 0; event < EVENTS; event++) {
        const few_draft *d = &ds->event[event];
        if (!g->event[event].here) continue;
        (void)colored_paths(N, 0, p, d, &ds->rules[0]);
        const double sum = over_block(colored_paths(N, 1, p, d, &ds->rules[1]), ds->partial);
        if (threadIdx.x == 0) g->event[event].weight = g->colors.weight / sum;
    }
}

/* As coherent_tabulate(), of the gluons at their places: these take the room of the antennas. */
static __device__ __noinline__ void tabulate(int n, few_group *g, few_space *s)
{
    const int N = n - 2, worker = own_worker();
    const few_event *e = &g->event[own_event()];
    few_draft *d = own_draft(g);
    static_assert(sizeof(shared_gluons) <= sizeof(antenna) * 2, "there is room");
    shared_gluons *placed = (shared_gluons *)&d->free;
    __syncthreads();
    for (int i = worker; i < N * N; i += workers()) {
        const int k = i / N, j = i % N, a = e->order[k], b = e->order[j];
        if (j < k) placed->pair[i] = d->gluon.pair[a > b ? a * N + b : b * N + a];
        if (j > 0) continue;
        placed->p1[k] = d->gluon.p1[a];
        placed->p2[k] = d->gluon.p2[a];
        placed->minus[k] = d->gluon.minus[a];
        placed->plus[k] = d->gluon.plus[a];
    }
    if (worker == 0) coherent_tabulate_none(&s->momenta);
    __syncthreads();
    for (int size = 1; size <= N; size++) {
        for (uint32_t i = (uint32_t)worker; i < binomial((uint32_t)N, (uint32_t)size); i += (uint32_t)workers())
            coherent_tabulate_set(N, placed, &s->momenta, s->sets[g->first[size] + i]);
        __syncthreads();
    }
    if (worker == 0) coherent_balance(N, &s->momenta);
    __syncthreads();
}

static __device__ light_sum sum_over_workers(light_sum x)
{
    const light_sum s = {over_workers(x.n1), over_workers(x.n2), over_workers(x.d), over_workers(x.w)};
    return s;
}

/* Transverse polarizations of the gluon at a place, in configuration h. */
template <int PARTS>
static __device__ const shared_polarization *polarization_at(int n, int states, const few_event *e, int place,
                                                             unsigned h)
{
    const int gluon = place > 0 && place < n - 1 ? e->order[place - 1] + 1 : place;
    return e->transverse + gluon * states * PARTS + (states == 2 ? (int)(h >> place & 1u) : 0);
}

/* Currents of a size: those off the diagonal, then the others. */
static __device__ uint32_t currents_of(const few_group *g, int size)
{
    return g->front[size] - g->first[size] + g->first[size + 1] - g->back[size];
}

static __device__ const coherent_current *current_at(const few_group *g, const coherent_schedule *s, int size,
                                                     uint32_t k)
{
    const uint32_t off = g->front[size] - g->first[size];
    return &s->current[k < off ? g->first[size] + k : g->back[size] + k - off];
}

/* As coherent_amplitude(): the square of one configuration, for the first worker. */
template <int PARTS> static __device__ double square(int n, int states, unsigned h, few_group *g, few_space *s)
{
    const int worker = own_worker(), warp = (int)threadIdx.x / WARP, together = worker % TOGETHER;
    few_event *e = &g->event[own_event()];
    const coherent_schedule *list = &s->schedule;
    for (int k = worker; k < n - 1; k += workers())
        coherent_gluon(n, PARTS, k, &s->momenta, polarization_at<PARTS>(n, states, e, k, h), s->work);
    __syncthreads();
    for (int size = 2; size < n - 1; size++) {
        const uint32_t count = currents_of(g, size);
        for (uint32_t k = (uint32_t)warp; k < count; k += (uint32_t)warps()) {
            const coherent_current c = *current_at(g, list, size, k);
            const coherent_own own = coherent_own_of(n, &s->momenta, c.set);
            const uint32_t *split = list->split + c.first;
            const double twice = own.minus + own.minus;
            light_sum sum[3][2];
            for (int d = 0; d < 3; d++) {
                if (d >= coherent_differences(&c)) break;
                coherent_sum(PARTS, split, (uint32_t)together, c.splits[d], TOGETHER, s->work, EVENTS, twice, sum[d]);
                split += c.splits[d];
                for (int a = 0; a < PARTS; a++) sum[d][a] = sum_over_workers(sum[d][a]);
            }
            coherent_keep(PARTS, &c, &own, sum, s->work, EVENTS); /* all workers write the same */
        }
        __syncthreads();
    }
    few_closing *const closing = (few_closing *)drafts(g);
    static_assert(sizeof(few_closing) * (THREADS / WARP) <= sizeof(few_drafts), "there is room");
    light_sum n_of[2];
    coherent_sum(PARTS, list->split + g->splits[n - 1], (uint32_t)worker, g->closing_splits, (uint32_t)workers(),
                 s->work, EVENTS, 0., n_of);
    for (int a = 0; a < PARTS; a++) {
        n_of[a] = sum_over_workers(n_of[a]);
        if (together == 0) closing[warp][own_event()][a] = n_of[a];
    }
    __syncthreads();
    double amplitude[2], sum = 0.;
    if (worker == 0) {
        for (int w = 1; w < warps(); w++)
            for (int a = 0; a < PARTS; a++) n_of[a] = light_total(n_of[a], closing[w][own_event()][a]);
        coherent_end(PARTS, polarization_at<PARTS>(n, states, e, n - 1, h), n_of, amplitude);
        for (int x = 0; x < PARTS; x++) sum += amplitude[x] * amplitude[x];
    }
    __syncthreads();
    return sum;
}

/* ---- one event after the other --------------------------------------------------------------------------------------- */

/* Of one event with complex polarizations, most halves of splits are currents of few gluons, which fit into the shared memory of a
 * multiprocessor: so where all events together would read them from the memory of the device, a block computes one event after
 * the other. Slots follow one another by size. */

static __device__ double2 *slot_at(const few_space *s, uint32_t slot)
{
    return (slot < s->near_slots ? s->near : (double2 *)s->work) + (size_t)slot * (CIRCULAR_SLOT / 2);
}

static __device__ circular_current load_slot(const few_space *s, uint32_t slot)
{
    const double2 *from = slot_at(s, slot);
    const double2 a = from[0], b = from[1], c = from[2], d = from[3], e = from[4];
    const circular_current r = {{{a.x, a.y}, {b.x, b.y}}, {{c.x, c.y}, {d.x, d.y}}, e.x, e.y};
    return r;
}

static __device__ void save_slot(const few_space *s, uint32_t slot, const circular_current *c)
{
    double2 *to = slot_at(s, slot);
    to[0] = make_double2(c->a[0].re, c->a[0].im);
    to[1] = make_double2(c->a[1].re, c->a[1].im);
    to[2] = make_double2(c->z[0].re, c->z[0].im);
    to[3] = make_double2(c->z[1].re, c->z[1].im);
    to[4] = make_double2(c->minus, c->inverse);
}

/* The sum of every `step`-th split, from number `from` on, which is `pair`: the next one is fetched before it is needed. */
static __device__ circular_sum sum_splits(const few_space *s, const uint32_t *split, uint32_t pair, uint32_t from,
                                          uint32_t count, uint32_t step, double total)
{
    circular_sum sum = circular_zero();
#pragma unroll 1
    while (from < count) {
        const uint32_t own = pair;
        from += step;
        if (from < count) pair = split[from];
        const circular_current A = load_slot(s, coherent_first(own)), B = load_slot(s, coherent_second(own));
        circular_add(&sum, &A, &B, total);
    }
    return sum;
}

/* The sum over neighboring lanes. */
template <int WIDTH> static __device__ void add_lanes(circular_sum *s)
{
#pragma unroll
    for (int step = 1; step < WIDTH; step *= 2)
#pragma unroll
        for (int a = 0; a < 2; a++) {
            s->n[a].re += __shfl_xor_sync(EVERY_LANE, s->n[a].re, step);
            s->n[a].im += __shfl_xor_sync(EVERY_LANE, s->n[a].im, step);
            s->e[a].re += __shfl_xor_sync(EVERY_LANE, s->e[a].re, step);
            s->e[a].im += __shfl_xor_sync(EVERY_LANE, s->e[a].im, step);
        }
}

/* The sums over a warp of the eight numbers of a sum: each lane gets that one of them. Halves are exchanged, so that it takes nine numbers
 * from other lanes rather than forty. */
static __device__ int own_component(void)
{
    return (int)((threadIdx.x & 1u) << 2 | (threadIdx.x & 2u) | (threadIdx.x >> 2 & 1u));
}
static __device__ double add_warp(const circular_sum *s)
{
    double v[8] = {s->n[0].re, s->n[0].im, s->n[1].re, s->n[1].im, s->e[0].re, s->e[0].im, s->e[1].re, s->e[1].im};
#pragma unroll
    for (int step = 1, half = 4; half; step *= 2, half /= 2)
#pragma unroll
        for (int i = 0; i < half; i++) {
            const int upper = (threadIdx.x & (unsigned)step) != 0;
            const double gone = upper ? v[i] : v[i + half], kept = upper ? v[i + half] : v[i];
            v[i] = kept + __shfl_xor_sync(EVERY_LANE, gone, step);
        }
    v[0] += __shfl_xor_sync(EVERY_LANE, v[0], 8);
    return v[0] + __shfl_xor_sync(EVERY_LANE, v[0], 16);
}

/* What a current becomes of the sums of its lists, of which each lane has one number, and where its slots are. */
static __device__ void finish_by_warp(few_group *g, const few_space *s, const coherent_current *c,
                                      const coherent_own *own, const double *own_number)
{
    const uint32_t lane = threadIdx.x % WARP, slots = c->diagonal ? 3u : 1u;
    double(*const staged)[8] = g->staged[threadIdx.x / WARP];
    if (lane < 8)
        for (uint32_t d = 0; d < slots; d++)
            staged[d][own_component()] =
                c->diagonal ? 3. * own_number[d] - (own_number[0] + own_number[1] + own_number[2]) : own_number[d];
    __syncwarp();
    if (lane < slots) {
        const double *v = staged[lane];
        const circular_sum sum = {{{v[0], v[1]}, {v[2], v[3]}}, {{v[4], v[5]}, {v[6], v[7]}}};
        const circular_current x = circular_propagate(&sum, own);
        save_slot(s, (uint32_t)c->slot + lane, &x);
    }
    __syncwarp();
}

/* All currents of a size, with so many lanes for each, three at least: each of a diagonal's differences has one that finishes it. */
template <int WIDTH>
static __device__ void one_size(int n, int size, few_group *g, const few_space *s, const coherent_momenta *m)
{
    const uint32_t count = currents_of(g, size), team = threadIdx.x / WIDTH, teams = blockDim.x / WIDTH;
    const uint32_t lane = threadIdx.x % WIDTH;
    coherent_current next = *current_at(g, &s->schedule, size, team < count ? team : count - 1);
    for (uint32_t first = 0; first < count; first += teams) {
        const uint32_t k = first + team;
        const int some = k < count;
        if (!__any_sync(EVERY_LANE, some)) break;
        const coherent_current c = next;
        if (k + teams < count) next = *current_at(g, &s->schedule, size, k + teams); /* fetched before it is needed */
        const uint32_t lists = __any_sync(EVERY_LANE, (int)c.diagonal) ? 3u : 1u;
        const coherent_own own = coherent_own_of(n, m, c.set);
        const uint32_t *split = s->schedule.split + c.first;
        uint32_t pair[3] = {0, 0, 0};
        circular_sum own_sum, all = circular_zero();
        double number[3] = {0., 0., 0.};
#pragma unroll
        for (uint32_t d = 0, at = lane; d < 3; at += c.splits[d++])
            if (lane < c.splits[d]) pair[d] = split[at];
#pragma unroll
        for (uint32_t d = 0; d < 3; d++) {
            if (d >= lists) break;
            circular_sum sum = sum_splits(s, split, pair[d], lane, c.splits[d], WIDTH, own.minus);
            split += c.splits[d];
            if (WIDTH == WARP) {
                number[d] = add_warp(&sum);
                continue;
            }
            add_lanes<WIDTH>(&sum);
            circular_collect(&all, &sum);
            if (d == 0 || d == lane) own_sum = sum;
        }
        if (WIDTH == WARP) finish_by_warp(g, s, &c, &own, number);
        if (WIDTH == WARP || !some || lane >= (c.diagonal ? 3u : 1u)) continue;
        if (c.diagonal) own_sum = circular_difference(&own_sum, &all);
        const circular_current x = circular_propagate(&own_sum, &own);
        save_slot(s, (uint32_t)c.slot + lane, &x);
    }
}

/* The square of the amplitude of one event, in all threads. */
static __device__ double square_one(int n, const few_event *e, few_group *g, const few_space *s,
                                    const coherent_momenta *m)
{
    const uint32_t lane = threadIdx.x % WARP;
    if (threadIdx.x < (unsigned)n - 1u) {
        const circular_current c =
            circular_gluon(n, (int)threadIdx.x, m, polarization_at<2>(n, 1, e, (int)threadIdx.x, 0));
        save_slot(s, threadIdx.x, &c);
    }
    __syncthreads();
    for (int size = 2; size < n - 1; size++) {
        if (size < 7)
            one_size<4>(n, size, g, s, m);
        else if (size < 9)
            one_size<8>(n, size, g, s, m);
        else
            one_size<WARP>(n, size, g, s, m);
        __syncthreads();
    }
    const uint32_t *const closing = s->schedule.split + g->splits[n - 1], splits = g->closing_splits;
    circular_sum sum =
        sum_splits(s, closing, threadIdx.x < splits ? closing[threadIdx.x] : 0u, threadIdx.x, splits, blockDim.x, 0.);
    add_lanes<WARP>(&sum);
    if (lane == 0) g->closing[threadIdx.x / WARP] = sum;
    __syncthreads();
    sum = g->closing[0];
    for (int w = 1; w < warps(); w++) circular_collect(&sum, &g->closing[w]);
    return circular_square(&sum, polarization_at<2>(n, 1, e, n - 1, 0));
}

template <int PARTS, int ONE>
static __global__ __launch_bounds__(ONE ? THREADS_ALONE : THREADS,
                                    2 - ONE) void few_kernel(const __grid_constant__ group_call k, uint32_t near_slots)
{
    extern __shared__ double2 shared[];
    few_group *const g = (few_group *)shared;
    const cuda_question *q = &k.question;
    const int n = q->n, N = n - 2, states = helicity_states(q->mode);
    few_event *e = &g->event[own_event()];
    char *memory = (char *)k.space.memory + (size_t)blockIdx.x * k.space.bytes;
    uint16_t *sets = (uint16_t *)(memory + group_lines(coherent_schedule_bytes(n)));
    double *first = (double *)((char *)sets + group_lines(list_bytes(n))), *numbers = first + own_event();
    few_space s;
    coherent_schedule_place(n, memory, &s.schedule);
    s.schedule.rule = g->rule;
    s.sets = sets;
    s.momenta.table = numbers;
    s.momenta.stride = EVENTS;
    s.work = numbers + coherent_table_reals(N) * EVENTS;
    s.paths = first + coherent_table_reals(N) * EVENTS;
    s.near = NULL;
    s.near_slots = 0;
    const few_paths paths = paths_of(n, g);
    s.schedule.entry = paths.entry;
    if (threadIdx.x == 0) coherent_rule_table(g->rule);
    list_sets(n, g, sets);
    for (;;) {
        if (threadIdx.x == 0) g->item = next_group(&k);
        __syncthreads();
        if (g->item >= k.items) return;
        if (own_worker() == 0) load_event(&k, g->item, e, own_draft(g));
        if (threadIdx.x == WARP) load_colors(&k, g->item, g, &s);
        paths_prepare(N, paths.tables);
        __syncthreads();
        if (g->colors.flat) flatten(N, &own_draft(g)->free);
        make_schedule(n, g, &s);
        draw_places(n, g, s.paths);
        tabulate(n, g, &s);
        if (ONE) {
            few_space one = s;
            one.work = first + coherent_table_reals(N) * EVENTS;
            one.near = (double2 *)(g + 1);
            one.near_slots = near_slots;
            for (int own = 0; own < EVENTS; own++) {
                const few_event *event = &g->event[own];
                if (!event->here) continue;
                const coherent_momenta m = {first + own, EVENTS};
                const double square = square_one(n, event, g, &one, &m);
                if (threadIdx.x == 0) k.partial[event->at] = event->weight * square;
                __syncthreads();
            }
        } else {
            double sum = 0.;
            for (unsigned h = 0; h < (states == 2 ? 1u << n : 1u); h++) sum += square<PARTS>(n, states, h, g, &s);
            if (own_worker() == 0 && e->here) k.partial[e->at] = e->weight * sum;
        }
        __syncthreads();
    }
}

typedef void kernel_function(const group_call, uint32_t);

/* How a block works on a group. */
typedef struct few_way {
    kernel_function *kernel;
    int threads;
    uint32_t near_slots;
    size_t shared;
} few_way;

static bg_status choose(int n, int parts, few_way *way, bg_error *error)
{
    int device = 0, room = 0;
    way->kernel = parts == 2 ? few_kernel<2, 0> : few_kernel<1, 0>;
    way->threads = THREADS;
    way->near_slots = 0;
    way->shared = few_shared_bytes(n);
    CUDA_TRY(error, cudaGetDevice(&device));
    CUDA_TRY(error, cudaDeviceGetAttribute(&room, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
    if (parts == 2 && n >= ONE_FROM) {
        const size_t slot = CIRCULAR_SLOT * sizeof(double);
        size_t near = ((size_t)room - sizeof(few_group)) / slot;
        if (near > coherent_most_slots(n)) near = coherent_most_slots(n);
        way->kernel = few_kernel<2, 1>;
        way->threads = THREADS_ALONE;
        way->near_slots = (uint32_t)near;
        if (sizeof(few_group) + near * slot > way->shared) way->shared = sizeof(few_group) + near * slot;
    }
    CUDA_TRY(error, cudaFuncSetAttribute((const void *)way->kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                         (int)way->shared));
    return BG_OK;
}

extern "C" bg_status bg_cuda_few_plan(const bg_plan *plan, coherent_space *space, size_t *stack, bg_error *error)
{
    const int n = plan->process.n, parts = helicity_parts(plan->mode);
    few_way way;
    const bg_status status = choose(n, parts, &way, error);
    if (status != BG_OK) return status;
    space->group = plan->group;
    space->bytes = few_bytes(n, parts);
    return groups_in_flight((const void *)way.kernel, way.threads, 1, way.shared, space, stack, error);
}

extern "C" bg_status bg_cuda_few(int parts, cuda_task *t, const coherent_space *space, const cuda_deals *deals,
                                 bg_error *error)
{
    const group_call k = group_call_of(t, space, deals);
    const unsigned blocks = k.items < (uint32_t)space->flights ? k.items : (unsigned)space->flights;
    few_way way;
    const bg_status status = choose(k.question.n, parts, &way, error);
    if (status != BG_OK) return status;
    CUDA_TRY(error, cudaMemsetAsync(space->next, 0, sizeof *space->next, t->stream));
    way.kernel<<<blocks, (unsigned)way.threads, way.shared, t->stream>>>(k, way.near_slots);
    CUDA_LAUNCHED(error, "few_kernel");
    t->slices = 1;
    return BG_OK;
}
