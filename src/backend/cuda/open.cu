/* Coherent color sampling of processes with quark lines: the lanes of a warp are the events of a group.
 *
 * Every lane draws the flow of its event. Then one skeleton after the other: its colors are drawn, all lanes make the schedule, and the
 * lanes whose flows have that skeleton work through it. Events are sorted by skeleton first, so that most warps have one: those of a
 * deal before they are dealt out to groups, or those of a group at given points, which is larger there (backend/plan.h).
 * Memory and warps are as in coherent.cu, but for what sets are, which all lanes read while they make a schedule: that is on the
 * chip where there is room.
 */
#define BG_COMPACT
#define OPEN_STRIDE 32 /* lanes */
#include "backend/cuda/open.h"
#include "backend/cuda/events.cuh"
#include "backend/cuda/groups.cuh"

#include "amplitude/open.h"

#include <string.h>

enum { WARPS = 4 }; /* of a block */

/* What is the same for all warps. */
typedef struct open_call {
    open_process process;
    bg_subprocess subprocess;
    group_call call;
    uint32_t groups;    /* that draw the same colors: at given points some share them (backend/plan.h) */
    uint32_t on_chip;   /* words of each warp that are on the chip; 0: they are in its memory */
    uint32_t *skeleton; /* [event], while they are sorted */
} open_call;

/* Words on the chip of a warp: entries of sets, and the reach of paths. */
enum { ON_CHIP = 2560 };
static size_t words_on_chip(const open_process *o)
{
    const size_t words = open_most_sets(o) + open_reach_words(o);
    return words <= ON_CHIP ? words : 0;
}

/* ---- the schedule, by a warp -------------------------------------------------------------------------------------- */

enum { CURRENTS, TERMS, NUMBERS, LISTS };

static __device__ void build_reach(const open_process *o, const open_colors *c, uint32_t *reach)
{
    const uint32_t lane = threadIdx.x % WARP, sets = 1u << o->gluons;
    for (int i = (int)lane; i < o->lines; i += WARP)
        reach[(size_t)i * sets] = OPEN_EMPTY | (uint32_t)c->fermion[o->quark[i]] << OPEN_COLOR_SHIFT;
    __syncwarp();
    for (int size = 1; size <= o->gluons; size++) {
        for (uint32_t k = lane; k < (uint32_t)o->lines * sets; k += WARP)
            if (__popc(k & (sets - 1u)) == size) reach[k] = open_reach(c, reach + (k & ~(sets - 1u)), k & (sets - 1u));
        __syncwarp();
    }
}

/* Whether all terms of a set are of one list and order: those that are no diagonal and join gluons, a gluon and a fermion without others,
 * or what closes the amplitude. */
static __device__ __forceinline__ int has_one_list(const open_process *o, const open_current *x,
                                                   const open_splits *splits)
{
    return x->kind != COHERENT_DIAGONAL && (splits->fixed || !open_has_signs(o, x->set));
}

/* Writes the terms of a set, of which its lists are made, and returns how many there are: where lists are several, they are counted first. All
 * splits get room, since how many are left comes out last. */
static __device__ __forceinline__ uint32_t put_terms(const open_process *o, const open_schedule *s, uint32_t *used,
                                                     open_current *x)
{
    const uint32_t set = x->set;
    const open_splits splits = open_splits_of(o, set);
    const uint32_t number = open_splits_number(&splits), one = (uint32_t)has_one_list(o, x, &splits);
    const int signs = open_has_signs(o, set);
    uint16_t *found = &x->terms[0][0];
    uint32_t next[3 * OPEN_ORDERS], count = 0, list = 0;
    x->first = atomicAdd(&used[TERMS], number);
    for (int k = 0; k < 3 * OPEN_ORDERS; k++) found[k] = 0;
    for (uint32_t pass = one; pass < 2; pass++) {
        uint32_t more = splits.free;
        count = 0;
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
        for (uint32_t k = 0, first = x->first; !one && pass == 0 && k < 3 * OPEN_ORDERS; first += found[k++])
            next[k] = first;
    }
    return count;
}

/* As open_build(), all sets of the same size at a time, those without fermions first, and what closes the amplitude last: source k on a gluon,
 * or all of it on the last fermion. What the lanes add to the lists lands in any order, which changes nothing in the
 * currents. All of it goes through one loop, since the code is large. */
static __device__ void build(const open_process *o, const open_colors *c, open_schedule *s, uint32_t *used)
{
    const uint32_t lane = threadIdx.x % WARP, words = 1u << o->gluons, all = (1u << open_bits(o)) - 1u;
    const uint32_t closings = o->halves ? (uint32_t)o->halves * words : 1u, most = (uint32_t)open_most_currents(o);
    const int fermions = o->halves ? 2 : 2 * o->lines - 1; /* of a set, at most */
    const int first = o->gluons > 1 ? o->gluons - 1 : 0, last = first + o->gluons + fermions - 1;
    build_reach(o, c, s->reach);
    open_externals(o, c, s); /* every lane the same */
    if (lane == 0) {
        used[CURRENTS] = used[TERMS] = 0;
        used[NUMBERS] = s->numbers;
    }
    __syncwarp();
    for (int phase = 0; phase <= last; phase++) {
        const int closing = phase == last, size = 2 + (phase < first ? phase : phase - first);
        const uint32_t from = phase < first || closing ? 0u : words;
        const uint32_t to = closing ? closings : phase < first ? words : most;
        if (phase == first) s->gluons = used[CURRENTS];
        if (closing) s->currents = used[CURRENTS];
        __syncwarp();
        for (uint32_t k = from + lane; k < to; k += WARP) {
            const uint32_t set = closing ? all : (uint32_t)o->filling[k >> o->gluons] << o->gluons | (k & (words - 1u));
            open_current x;
            if (!closing && (__popc(set) != size || set == all)) continue;
            const int exists = closing && o->halves
                                   ? open_begin_closing(o, s, (int)(k >> o->gluons), k & (words - 1u), &x)
                                   : open_begin(o, s, c, set, &x) != COHERENT_NOTHING;
            const uint32_t count = exists ? put_terms(o, s, used, &x) : 0u;
            if (closing) {
                *open_closing(o, s, 0, k) = x;
                continue;
            }
            if (count) {
                x.at = atomicAdd(&used[NUMBERS], open_numbers(&x));
                s->current[atomicAdd(&used[CURRENTS], 1u)] = x;
            }
            s->entry[set] = count ? open_entry(x.kind, x.complex, x.at) : (uint32_t)COHERENT_NOTHING;
        }
        __syncwarp();
    }
    s->closing = *open_closing(o, s, 0, 0);
    __syncwarp();
}

/* ---- the events --------------------------------------------------------------------------------------------------- */

static __device__ void load_event(const open_call *k, size_t at, vec4 *p, open_momenta *m, open_antenna *a)
{
    for (int place = 0; place < k->subprocess.n; place++) p[place] = event_momentum(&k->call.momenta, at, place);
    open_load(&k->process, &k->subprocess, p, m);
    open_antennas(&k->process, &k->subprocess, m, a);
}

extern __shared__ uint32_t chip[];

/* The memory of a warp: lists, then the numbers of its lanes. */
static __device__ void memory_of(const open_call *k, int parts, open_schedule *s, double **numbers)
{
    const unsigned warp = threadIdx.x / WARP;
    char *memory = (char *)k->call.space.memory + (size_t)(blockIdx.x * WARPS + warp) * k->call.space.bytes;
    open_schedule_place(&k->process, parts, memory, s);
    if (k->on_chip) {
        s->entry = chip + warp * k->on_chip;
        s->reach = s->entry + open_most_sets(&k->process);
    }
    *numbers = (double *)(memory + group_lines(open_schedule_bytes(&k->process))) + threadIdx.x % WARP;
}

/* Event number `lane` of group `item`, or -1; and which colors the group draws. Events at given points may have been sorted. */
static __device__ int64_t own_event(const open_call *k, uint32_t item, uint32_t lane, uint64_t *number)
{
    const cuda_deals *d = &k->call.deals;
    const uint32_t group = (uint32_t)k->call.space.group, per_deal = BG_DEAL / group;
    if (!d->order || d->count)
        return event_of_lane(&k->call.question, d, k->call.count, (int)group, item, lane, number);
    *number = d->first * per_deal + item;
    const uint32_t own = lane < group ? d->order[(size_t)item * group + lane] : ~0u;
    return own == ~0u ? -1 : (int64_t)own;
}

template <int PARTS>
static __global__ __launch_bounds__(WARPS *WARP) void open_kernel(const __grid_constant__ open_call k)
{
    __shared__ uint16_t rule[OPEN_KINDS * OPEN_KINDS];
    __shared__ uint32_t used[WARPS][LISTS];
    __shared__ open_colors colors[WARPS];
    const cuda_question *q = &k.call.question;
    const int lane = (int)threadIdx.x % WARP, warp = (int)threadIdx.x / WARP;
    double *numbers;
    open_schedule s;
    memory_of(&k, PARTS, &s, &numbers);
    if (threadIdx.x == 0) open_rule_table(rule);
    s.rule = rule;
    open_forbid(&k.process, &s, (uint32_t)lane, WARP);
    __syncthreads();
    for (;;) {
        uint32_t item = 0;
        if (lane == 0) item = atomicAdd(k.call.space.next, 1u);
        item = __shfl_sync(EVERY_LANE, item, 0);
        if (item >= k.call.items) return;
        uint64_t number;
        const int64_t own = own_event(&k, item, (uint32_t)lane, &number);
        uint32_t left = __ballot_sync(EVERY_LANE, own >= 0);
        if (!left) continue;
        vec4 p[BG_MAX_LEGS];
        open_momenta m;
        open_antenna antennas;
        open_flow flow;
        double Z = 0.;
        flow.skeleton = OPEN_SKELETONS; /* none */
        if (own >= 0) {
            const uint64_t event_id = event_number(q, (size_t)own);
            load_event(&k, (size_t)own, p, &m, &antennas);
            Z = open_draw_flows(&k.process, &antennas, q->seed, &event_id, q->draw, numbers, &flow);
        }
        while (left) {
            const uint32_t skeleton = __shfl_sync(EVERY_LANE, flow.skeleton, __ffs((int)left) - 1);
            if (lane == 0) colors[warp] = open_draw_colors(&k.process, skeleton, q->seed, number / k.groups, q->draw);
            __syncwarp();
            build(&k.process, &colors[warp], &s, used[warp]);
            __syncwarp(); /* or lanes that come late would go through all that follows by themselves */
            if (own >= 0 && flow.skeleton == skeleton) {
                const uint32_t configuration = event_configuration(q->n, q, (size_t)own);
                shared_polarization given[2 * BG_MAX_LETTERS];
                if (q->mode != HELICITY_BASIS) {
                    vec4 state[2 * BG_MAX_LEGS];
                    event_polarizations(q->n, q->mode, q, (size_t)own, p, state);
                    open_polarizations(&k.process, &k.subprocess, &m, state, PARTS, given);
                }
                const open_helicities h = {q->mode == HELICITY_BASIS ? nullptr : given,
                                           q->mode == HELICITY_CIRCULAR ? &configuration : nullptr};
                k.call.partial[own] =
                    open_square(PARTS, &k.process, &colors[warp], &s, &antennas, &m, &flow, Z, &h, numbers, nullptr);
            }
            left &= ~__ballot_sync(EVERY_LANE, flow.skeleton == skeleton);
            __syncwarp();
        }
    }
}

typedef void kernel_function(const open_call);

static kernel_function *choose(int parts) { return parts == 2 ? open_kernel<2> : open_kernel<1>; }

extern "C" bg_status bg_cuda_open_plan(const bg_plan *plan, coherent_space *space, size_t *stack, bg_error *error)
{
    const int parts = helicity_parts(plan->mode);
    const open_process o = bg_open_process(&plan->process);
    const size_t lists = group_lines(open_schedule_bytes(&o));
    space->group = plan->group;
    space->bytes = lists + group_lines(open_work_reals(&o, parts) * WARP * sizeof(double));
    return groups_in_flight((const void *)choose(parts), WARPS * WARP, WARPS,
                            WARPS * words_on_chip(&o) * sizeof(uint32_t), space, stack, error);
}

/* ---- sorting by skeletons --------------------------------------------------------------------------------------------- */

/* The skeleton of every event, in the memory of the warps. */
static __global__ __launch_bounds__(WARPS *WARP) void skeleton_kernel(const __grid_constant__ open_call k)
{
    const uint32_t lane = threadIdx.x % WARP, warps = gridDim.x * WARPS;
    const uint32_t warp = blockIdx.x * WARPS + threadIdx.x / WARP;
    double *numbers;
    open_schedule ignored;
    memory_of(&k, 1, &ignored, &numbers);
    for (uint32_t at = warp * WARP + lane; at < (uint32_t)k.call.count; at += warps * WARP) {
        const uint64_t event_id = event_number(&k.call.question, at);
        vec4 p[BG_MAX_LEGS];
        open_momenta m;
        open_antenna antennas;
        open_flow flow;
        load_event(&k, at, p, &m, &antennas);
        (void)open_draw_flows(&k.process, &antennas, k.call.question.seed, &event_id, k.call.question.draw, numbers,
                              &flow);
        k.skeleton[at] = flow.skeleton;
    }
}

static bg_status find_skeletons(const open_call *k, cudaStream_t stream, bg_error *error)
{
    const unsigned count = (unsigned)k->call.count;
    unsigned blocks = (unsigned)k->call.space.flights / WARPS;
    if (blocks > (count + WARPS * WARP - 1) / (WARPS * WARP)) blocks = (count + WARPS * WARP - 1) / (WARPS * WARP);
    skeleton_kernel<<<blocks, WARPS * WARP, 0, stream>>>(*k);
    CUDA_LAUNCHED(error, "skeleton_kernel");
    return BG_OK;
}

enum { SORTERS = 256 }; /* threads of a deal */

/* A bitonic sort of BG_DEAL keys, all different, by a block. */
static __device__ void sort_keys(uint32_t *key)
{
    for (uint32_t size = 2; size <= BG_DEAL; size *= 2)
        for (uint32_t step = size / 2; step; step /= 2) {
            __syncthreads();
            for (uint32_t i = threadIdx.x; i < BG_DEAL / 2; i += SORTERS) {
                const uint32_t low = 2 * i - (i & (step - 1)), high = low + step, falling = low & size;
                const uint32_t a = key[low], b = key[high];
                if (falling ? a < b : a > b) {
                    key[low] = b;
                    key[high] = a;
                }
            }
        }
    __syncthreads();
}

/* The points of one deal by skeleton and, among equal ones, by rank. */
static __global__ __launch_bounds__(SORTERS) void sort_kernel(cuda_deals d, const uint32_t *skeleton)
{
    __shared__ uint32_t key[BG_DEAL], point[BG_DEAL];
    uint32_t *order = d.order + (size_t)blockIdx.x * BG_DEAL;
    const uint32_t count = d.count[blockIdx.x];
    for (uint32_t k = threadIdx.x; k < BG_DEAL; k += SORTERS) {
        point[k] = k < count ? order[k] : 0u;
        key[k] = (k < count ? skeleton[point[k]] : (uint32_t)OPEN_SKELETONS) * BG_DEAL + k;
    }
    sort_keys(key);
    for (uint32_t k = threadIdx.x; k < count; k += SORTERS) order[k] = point[key[k] % BG_DEAL];
}

/* Events at given points, whose first one is `first` of a deal: those that may share colors, `together` one after the other, by skeleton and
 * number. Where there are none, ~0 comes behind the others. */
static __global__ __launch_bounds__(SORTERS) void sort_together_kernel(uint32_t first, uint32_t count,
                                                                       uint32_t together, const uint32_t *skeleton,
                                                                       uint32_t *order)
{
    __shared__ uint32_t key[BG_DEAL];
    const uint32_t begin = blockIdx.x * BG_DEAL;
    for (uint32_t k = threadIdx.x; k < BG_DEAL; k += SORTERS) {
        const uint32_t at = begin + k - first; /* huge before the first */
        const uint32_t own = at < count ? skeleton[at] : (uint32_t)OPEN_SKELETONS;
        key[k] = (k / together * 2u * OPEN_SKELETONS + own) * BG_DEAL + k;
    }
    sort_keys(key);
    for (uint32_t k = threadIdx.x; k < BG_DEAL; k += SORTERS) {
        const uint32_t at = begin + key[k] % BG_DEAL - first;
        order[begin + k] = at < count ? at : ~0u;
    }
}

static bg_status sort_together(open_call *k, cuda_task *t, uint32_t together, bg_error *error)
{
    const uint64_t begin = t->question.first_event;
    const uint32_t first = (uint32_t)(begin % BG_DEAL), count = (uint32_t)t->count;
    cuda_deals *d = &k->call.deals;
    d->order = t->order;
    d->deals = (first + count + BG_DEAL - 1) / BG_DEAL;
    d->first = begin / BG_DEAL;
    k->call.items = d->deals * (BG_DEAL / (uint32_t)k->call.space.group);
    k->skeleton = t->skeleton;
    const bg_status status = find_skeletons(k, t->stream, error);
    if (status != BG_OK) return status;
    sort_together_kernel<<<d->deals, SORTERS, 0, t->stream>>>(first, count, together, k->skeleton, d->order);
    CUDA_LAUNCHED(error, "sort_together_kernel");
    return BG_OK;
}

extern "C" bg_status bg_cuda_open_sort(const bg_plan *plan, cudaStream_t stream, const bg_momenta *momenta,
                                       const uint64_t *events, uint32_t count, const coherent_space *space,
                                       const cuda_deals *deals, bg_error *error)
{
    open_call k;
    memset(&k, 0, sizeof k);
    k.process = bg_open_process(&plan->process);
    k.subprocess = plan->process;
    k.call.space = *space;
    k.call.question.seed = plan->options.seed;
    k.call.question.events = events;
    k.call.momenta = *momenta;
    k.call.count = (int)count;
    k.skeleton = deals->place;
    const bg_status status = find_skeletons(&k, stream, error);
    if (status != BG_OK) return status;
    sort_kernel<<<deals->deals, SORTERS, 0, stream>>>(*deals, k.skeleton);
    CUDA_LAUNCHED(error, "sort_kernel");
    return BG_OK;
}

/* ---- a draw ------------------------------------------------------------------------------------------------------- */

extern "C" bg_status bg_cuda_open(const bg_plan *plan, cuda_task *t, const coherent_space *space,
                                  const cuda_deals *deals, bg_error *error)
{
    const int together = deals ? plan->group : bg_group_at_points(plan);
    open_call k = {bg_open_process(&plan->process),
                   plan->process,
                   group_call_of(t, space, deals),
                   (uint32_t)(together / plan->group),
                   0,
                   NULL};
    k.on_chip = (uint32_t)words_on_chip(&k.process);
    if (!deals && plan->group > 1 && plan->process.lines > 1) {
        const bg_status status = sort_together(&k, t, (uint32_t)together, error);
        if (status != BG_OK) return status;
    }
    unsigned blocks = (unsigned)space->flights / WARPS;
    if (blocks > (k.call.items + WARPS - 1) / WARPS) blocks = (k.call.items + WARPS - 1) / WARPS;
    CUDA_TRY(error, cudaMemsetAsync(space->next, 0, sizeof *space->next, t->stream));
    choose(helicity_parts(plan->mode))<<<blocks, WARPS * WARP, WARPS * k.on_chip * sizeof(uint32_t), t->stream>>>(k);
    CUDA_LAUNCHED(error, "open_kernel");
    t->slices = 1;
    return BG_OK;
}
