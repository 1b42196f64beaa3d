/* Coherent color sampling on a GPU where few events share colors: a block of threads works on a group.
 *
 * Where an estimate comes first (estimate/sieve.h), points that are computed are few, and the more of them share colors, the more
 * alike they are: groups are of eight. A warp for such a group would leave most of its lanes idle, and one group after the other
 * takes a single warp so long that a device waits for its last warps. So all sets of gluons of a size are worked on at once: a
 * `worker` is eight threads, one for each event, and the workers of a block share the sets. A current has a warp, whose four workers
 * share its splits. Sets of the next size wait for all of them. Currents are in global memory, those of the events side by side, and what
 * is needed all the time of the single gluons is in shared memory. From eleven outgoing gluons on, all of that would come from the
 * memory of the device, and a block computes the currents of one event after the other, most of them in shared memory.
 */
#include "backend/cuda/coherent.h"
#include "backend/cuda/events.cuh"
#include "backend/cuda/groups.cuh"
#include "backend/cuda/schedule.cuh"

#include "amplitude/circular.h"

enum {
    EVENTS = FEW_EVENTS,
    THREADS = 256, /* of a block, or twice as many where it has a multiprocessor for itself */
    MOST_WARPS = 2 * THREADS / WARP,
    MOST_WORKERS = 2 * THREADS / EVENTS,
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
    uint8_t rule[COHERENT_KINDS * COHERENT_KINDS];
    schedule_used used;
    uint32_t first[BG_MAX_LEGS + 1]; /* of the sets of each size, in the list of sets */
    uint32_t front[BG_MAX_LEGS + 1]; /* behind the last current of each size, in their list; diagonal ones */
    uint32_t back[BG_MAX_LEGS + 1];  /* ... begin here, and end where the next size begins */
    uint32_t item, closing_splits;
} few_group;

/* What an event takes until its gluons have their places. */
typedef struct few_draft {
    antenna free, placed; /* antennas of the gluons, and at their places */
    shared_gluons gluon;
    double Z[BG_MAX_LETTERS + 1];
} few_draft;

/* The same for the group, behind it in shared memory. Its place is free for currents afterwards. */
typedef struct few_drafts {
    alignas(16) few_draft event[EVENTS];
    antenna_rules rules[3]; /* none; of colors there; and back */
    double total[BG_MAX_LETTERS + 1][MOST_WARPS][EVENTS], partial[MOST_WORKERS][EVENTS];
} few_drafts;

/* What splits that close amplitudes add up to in each warp, in that place. */
typedef light_sum few_closing[EVENTS][2];

/* Where the numbers of a group are, in global memory. The two ways of antennas and the currents follow one another in the same place. */
typedef struct few_space {
    coherent_schedule schedule;
    const uint16_t *sets; /* by size, then by number */
    coherent_momenta momenta;
    double *work;
    double2 *near; /* currents in shared memory, as many as there is room for */
    uint32_t near_slots;
} few_space;

static __host__ __device__ size_t list_bytes(int n) { return sizeof(uint16_t) << (n - 1); }

/* Two tables of paths with their sums, or the currents. */
static __host__ __device__ size_t few_work_reals(int n, int parts)
{
    const size_t paths = 2 * (antenna_path_reals(n - 2) + antenna_sum_reals(n - 2));
    const size_t currents = coherent_store_reals(n, parts);
    return paths > currents ? paths : currents;
}

static __host__ __device__ size_t few_bytes(int n, int parts)
{
    const size_t reals = coherent_table_reals(n - 2) + few_work_reals(n, parts);
    return group_lines(coherent_schedule_bytes(n)) + group_lines(list_bytes(n)) +
           group_lines(reals * EVENTS * sizeof(double));
}

static __device__ int own_worker(void) { return (int)threadIdx.x / EVENTS; }
static __device__ int own_event(void) { return (int)threadIdx.x % EVENTS; }
static __device__ int workers(void) { return (int)blockDim.x / EVENTS; }
static __device__ int warps(void) { return (int)blockDim.x / WARP; }
static __device__ few_drafts *drafts(few_group *g) { return (few_drafts *)(g + 1); }
static __device__ few_draft *own_draft(few_group *g) { return &drafts(g)->event[own_event()]; }

/* ---- sets by size ---------------------------------------------------------------------------------------------------- */

static __device__ uint32_t binomial(uint32_t m, uint32_t k)
{
    uint32_t value = 1;
    for (uint32_t i = 0; i < k; i++) value = value * (m - i) / (i + 1); /* 0 where k > m */
    return value;
}

/* All sets of the places 0 .. n - 2. Those of a size are in the order of their numbers, so sets without the last place come first. */
static __device__ void list_sets(int n, few_group *g, uint16_t *sets)
{
    const uint32_t places = (uint32_t)(n - 1);
    if (threadIdx.x == 0) {
        g->first[0] = 0;
        for (uint32_t size = 0; size < places; size++) g->first[size + 1] = g->first[size] + binomial(places, size);
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

/* One set of more than ALONE gluons, by a warp. Lanes differ in the lowest five gluons of the half that has not the lowest one. */
static __device__ void schedule_large_set(const coherent_colors *c, coherent_schedule *s, schedule_used *used,
                                          schedule_ends currents, uint32_t set)
{
    const uint32_t lane = threadIdx.x % WARP;
    uint32_t low = 0, high = set & (set - 1), at[3];
    coherent_current x;
    const int kind = coherent_begin(c, set, &x);
    for (int b = 0; b < 5; b++) {
        const uint32_t gluon = high & (0u - high);
        if (lane >> b & 1u) low |= gluon;
        high ^= gluon;
    }
    if (kind != COHERENT_NOTHING)
        for (uint32_t more = high;; more = (more - 1) & high) {
            for (int d = 0; d < coherent_differences(&x); d++) {
                uint32_t split;
                const int left = (more | low) && coherent_split(s, set, more | low, d, &split);
                x.splits[d] += (uint32_t)__popc(__ballot_sync(EVERY_LANE, left));
            }
            if (!more) break;
        }
    if (!(x.splits[0] + x.splits[1] + x.splits[2])) {
        if (lane == 0) s->entry[set] = COHERENT_NOTHING;
        return;
    }
    at[0] = 0;
    if (lane == 0) at[0] = schedule_take(s, used, currents, &x, kind, set);
    at[0] = __shfl_sync(EVERY_LANE, at[0], 0);
    at[1] = at[0] + x.splits[0];
    at[2] = at[1] + x.splits[1];
    for (uint32_t more = high;; more = (more - 1) & high) {
        for (int d = 0; d < coherent_differences(&x); d++) {
            uint32_t split;
            const int left = (more | low) && coherent_split(s, set, more | low, d, &split);
            const uint32_t votes = __ballot_sync(EVERY_LANE, left);
            /* from the largest half down to the smallest, as coherent_splits() has them */
            if (left) s->split[at[d] + (uint32_t)__popc(votes & ~((2u << lane) - 1u))] = split;
            at[d] += (uint32_t)__popc(votes);
        }
        if (!more) break;
    }
}

/* All sets of a size. */
static __device__ void schedule_size(int size, few_group *g, few_space *s)
{
    const uint32_t from = g->first[size], to = g->first[size + 1];
    const schedule_ends ends = {&g->front[size], &g->back[size]};
    if (size <= ALONE)
        for (uint32_t k = from + threadIdx.x; k < to; k += blockDim.x)
            schedule_set(&g->colors, &s->schedule, &g->used, ends, s->sets[k]);
    else
        for (uint32_t k = from + threadIdx.x / WARP; k < to; k += (uint32_t)warps())
            schedule_large_set(&g->colors, &s->schedule, &g->used, ends, s->sets[k]);
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
static __device__ void load_event(const group_call *k, uint32_t item, few_event *e, few_draft *d)
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
    for (int i = 0; i < n; i++)
        for (int x = 0; x < per; x++)
            e->transverse[i * per + x] = shared_transverse(N, &frame, &d->gluon, i, &state[i * per + x]);
}

/* The colors of the group; one thread. */
static __device__ void load_colors(const group_call *k, uint32_t item, few_group *g, few_space *s)
{
    const cuda_question *q = &k->question;
    const int n = q->n;
    uint64_t number;
    (void)event_of_lane(q, &k->deals, k->count, k->space.group, item, 0, &number);
    g->colors = coherent_draw_from(n, q->flat, q->seed, number, q->draw);
    antenna_rules *const rules = drafts(g)->rules;
    antenna_no_rules(n - 2, &rules[0]);
    coherent_rules(n, &g->colors, 0, &rules[1]);
    coherent_rules(n, &g->colors, 1, &rules[2]);
    g->used.splits = 0;
    g->used.slots = (uint32_t)(n - 1);
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

/* As coherent_draw_places(), and the schedule besides. */
static __device__ void draw_places(const group_call *k, few_group *g, few_space *s)
{
    const cuda_question *q = &k->question;
    const int n = q->n, N = n - 2, worker = own_worker();
    const uint32_t all = (1u << N) - 1u;
    few_event *e = &g->event[own_event()];
    few_drafts *ds = drafts(g);
    few_draft *d = own_draft(g);
    const size_t way = (antenna_path_reals(N) + antenna_sum_reals(N)) * EVENTS;
    double *H[2] = {s->work, s->work + way};
    double *F[2] = {H[0] + antenna_path_reals(N) * EVENTS, H[1] + antenna_path_reals(N) * EVENTS};
    if (worker == 0) F[0][0] = antenna_direct(&d->free, &ds->rules[0]);
    for (int size = 1; size <= N; size++) {
        for (uint32_t i = (uint32_t)worker; i < binomial((uint32_t)N, (uint32_t)size); i += (uint32_t)workers())
            antenna_paths_of(N, &d->free, d->free.first, d->free.last, &ds->rules[0], s->sets[g->first[size] + i], H[0],
                             F[0], EVENTS);
        if (size > 1) schedule_size(size, g, s);
        __syncthreads();
    }
    for (int b = 0; b <= N; b++) { /* as antenna_total() */
        double sum = 0.;
        for (uint32_t i = (uint32_t)worker; i < binomial((uint32_t)N, (uint32_t)b); i += (uint32_t)workers()) {
            const uint32_t set = s->sets[g->first[b] + i];
            sum += F[0][(size_t)set * EVENTS] * F[0][(size_t)(all ^ set) * EVENTS];
        }
        sum = over_workers(sum);
        if (worker % TOGETHER == 0) ds->total[b][worker / TOGETHER][own_event()] = sum;
    }
    if (threadIdx.x / WARP == (unsigned)warps() - 1u) {
        const uint32_t count = schedule_closing(n, &g->colors, &s->schedule, g->used.splits);
        if (threadIdx.x % WARP == 0) g->closing_splits = count;
    }
    __syncthreads();
    if (worker <= N) {
        double sum = 0.;
        for (int w = 0; w < warps(); w++) sum += ds->total[worker][w][own_event()];
        d->Z[worker] = sum;
    }
    __syncthreads();
    if (worker == 0) {
        const bg_random r = bg_random_at(q->seed, event_number(q, (size_t)e->at), q->draw, BG_STREAM_ORDERING);
        double u[BG_MAX_LETTERS + 2];
        bg_random_fill(&r, N + 1, u);
        antenna_draw(N, g->colors.between, &d->free, H[0], F[0], d->Z, EVENTS, 0, u, e->order);
    }
    __syncthreads();
    place_antennas(N, e, d);
    if (worker <= N) d->Z[worker] = coherent_between(N, worker, g->colors.flat) / d->Z[worker];
    __syncthreads();
    if (worker < 2) F[worker][0] = antenna_direct(&d->placed, &ds->rules[1 + worker]);
    for (int size = 1; size <= N; size++) { /* there and back at once */
        for (uint32_t i = (uint32_t)worker; i < 2 * binomial((uint32_t)N, (uint32_t)size); i += (uint32_t)workers()) {
            const uint32_t back = i % 2;
            antenna_paths_of(N, &d->placed, back ? d->placed.last : d->placed.first,
                             back ? d->placed.first : d->placed.last, &ds->rules[1 + back],
                             s->sets[g->first[size] + i / 2], H[back], F[back], EVENTS);
        }
        __syncthreads();
    }
    double sum = 0.;
    for (uint32_t set = (uint32_t)worker; set <= all; set += (uint32_t)workers())
        sum += d->Z[bg_members(set)] * F[0][(size_t)set * EVENTS] * F[1][(size_t)(all ^ set) * EVENTS];
    ds->partial[worker][own_event()] = sum;
    __syncthreads();
    if (worker == 0) {
        sum = 0.;
        for (int w = 0; w < workers(); w++) sum += ds->partial[w][own_event()];
        e->weight = g->colors.weight / sum;
    }
}

/* As coherent_tabulate(), of the gluons at their places: these take the room of the antennas. */
static __device__ void tabulate(int n, few_group *g, few_space *s)
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
    static_assert(sizeof(few_closing) * MOST_WARPS <= sizeof(few_drafts), "there is room");
    light_sum n_of[2];
    coherent_sum(PARTS, list->split + g->used.splits, (uint32_t)worker, g->closing_splits, (uint32_t)workers(), s->work,
                 EVENTS, 0., n_of);
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

/* The sum of every `step`-th split. */
static __device__ circular_sum sum_splits(const few_space *s, const uint32_t *split, uint32_t from, uint32_t count,
                                          uint32_t step, double total)
{
    circular_sum sum = circular_zero();
    for (uint32_t k = from; k < count; k += step) {
        const uint32_t pair = split[k];
        const circular_current A = load_slot(s, coherent_first(pair)), B = load_slot(s, coherent_second(pair));
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

/* All currents of a size, with so many lanes for each. */
template <int WIDTH>
static __device__ void one_size(int n, int size, const few_group *g, const few_space *s, const coherent_momenta *m)
{
    const uint32_t count = currents_of(g, size), team = threadIdx.x / WIDTH, teams = blockDim.x / WIDTH;
    const uint32_t lane = threadIdx.x % WIDTH;
    for (uint32_t first = 0; first < count; first += teams) {
        const uint32_t k = first + team;
        const int some = k < count;
        if (!__any_sync(EVERY_LANE, some)) break;
        const coherent_current c = *current_at(g, &s->schedule, size, some ? k : count - 1);
        const int lists = __any_sync(EVERY_LANE, (int)c.diagonal) ? 3 : 1;
        const coherent_own own = coherent_own_of(n, m, c.set);
        const uint32_t *split = s->schedule.split + c.first;
        circular_sum sum[3], all;
#pragma unroll
        for (int d = 0; d < 3; d++) {
            if (d >= lists) break;
            sum[d] = sum_splits(s, split, lane, c.splits[d], WIDTH, own.minus);
            split += c.splits[d];
            add_lanes<WIDTH>(&sum[d]);
            if (d == 0)
                all = sum[d];
            else
                circular_collect(&all, &sum[d]);
        }
#pragma unroll
        for (int d = 0; d < 3; d++) {
            if (!some || lane != d % WIDTH || (d && !c.diagonal)) continue;
            if (c.diagonal) sum[d] = circular_difference(&sum[d], &all);
            const circular_current x = circular_propagate(&sum[d], &own);
            save_slot(s, (uint32_t)c.slot + (uint32_t)d, &x);
        }
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
        if (size < 5)
            one_size<1>(n, size, g, s, m);
        else if (size < 7)
            one_size<4>(n, size, g, s, m);
        else if (size < 9)
            one_size<8>(n, size, g, s, m);
        else
            one_size<WARP>(n, size, g, s, m);
        __syncthreads();
    }
    circular_sum sum =
        sum_splits(s, s->schedule.split + g->used.splits, threadIdx.x, g->closing_splits, blockDim.x, 0.);
    add_lanes<WARP>(&sum);
    if (lane == 0) g->closing[threadIdx.x / WARP] = sum;
    __syncthreads();
    sum = g->closing[0];
    for (int w = 1; w < warps(); w++) circular_collect(&sum, &g->closing[w]);
    return circular_square(&sum, polarization_at<2>(n, 1, e, n - 1, 0));
}

template <int PARTS, int ONE>
static __global__ __launch_bounds__(THREADS << ONE, 2 - ONE) void few_kernel(const __grid_constant__ group_call k,
                                                                             uint32_t near_slots)
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
    s.near = NULL;
    s.near_slots = 0;
    if (threadIdx.x == 0) coherent_rule_table(g->rule);
    list_sets(n, g, sets);
    for (;;) {
        if (threadIdx.x == 0) g->item = next_group(&k);
        __syncthreads();
        if (g->item >= k.items) return;
        if (own_worker() == 0) load_event(&k, g->item, e, own_draft(g));
        if (threadIdx.x == WARP) load_colors(&k, g->item, g, &s);
        __syncthreads();
        if (g->colors.flat) flatten(N, &own_draft(g)->free);
        __syncthreads();
        draw_places(&k, g, &s);
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
    way->shared = sizeof(few_group) + sizeof(few_drafts);
    CUDA_TRY(error, cudaGetDevice(&device));
    CUDA_TRY(error, cudaDeviceGetAttribute(&room, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
    if (parts == 2 && n >= ONE_FROM) {
        const size_t slot = CIRCULAR_SLOT * sizeof(double);
        size_t near = ((size_t)room - sizeof(few_group)) / slot;
        if (near > coherent_most_slots(n)) near = coherent_most_slots(n);
        way->kernel = few_kernel<2, 1>;
        way->threads = 2 * THREADS;
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
