/* Coherent color sampling of processes with quark lines: the lanes of a warp are the events of a group.
 *
 * Every lane draws the flow of its event. Then one skeleton after the other: its colors are drawn, all lanes make the schedule, and the
 * lanes whose flows have that skeleton work through it. Within an integration, points of a deal are sorted by skeleton before
 * they are dealt out, so that most groups have one. Memory and warps are as in coherent.cu.
 */
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
    uint32_t groups; /* that draw the same colors: at given points some share them (backend/plan.h) */
} open_call;

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

/* Counts the terms of a set, list by list and order by order. */
static __device__ uint32_t count_terms(const open_process *o, const open_schedule *s, uint32_t set, open_current *x)
{
    const uint32_t rest = set & (set - 1);
    uint32_t count = 0, at;
    open_term t;
    for (int k = 0; k < 3 * OPEN_ORDERS; k++) x->terms[k / OPEN_ORDERS][k % OPEN_ORDERS] = 0;
    for (uint32_t B = rest; B; B = (B - 1) & rest) {
        if (!open_split(o, s, set ^ B, B, &t, &at)) continue;
        x->terms[at / OPEN_ORDERS][at % OPEN_ORDERS]++;
        count++;
    }
    return count;
}

/* Writes them to where they belong. */
static __device__ void write_terms(const open_process *o, const open_schedule *s, uint32_t set, const open_current *x)
{
    const uint32_t rest = set & (set - 1);
    uint32_t next[3 * OPEN_ORDERS], first = x->first, at;
    open_term t;
    for (int k = 0; k < 3 * OPEN_ORDERS; k++) {
        next[k] = first;
        first += x->terms[k / OPEN_ORDERS][k % OPEN_ORDERS];
    }
    for (uint32_t B = rest; B; B = (B - 1) & rest)
        if (open_split(o, s, set ^ B, B, &t, &at)) s->term[next[at]++] = t;
}

/* One set, by one lane. */
static __device__ void build_set(const open_process *o, const open_colors *c, const open_schedule *s, uint32_t *used,
                                 uint32_t set)
{
    open_current x;
    uint32_t entry = COHERENT_NOTHING;
    const int kind = open_begin(o, s, c, set, &x);
    const uint32_t count = kind == COHERENT_NOTHING ? 0u : count_terms(o, s, set, &x);
    if (count) {
        x.first = atomicAdd(&used[TERMS], count);
        x.at = atomicAdd(&used[NUMBERS], open_numbers(&x));
        write_terms(o, s, set, &x);
        s->current[atomicAdd(&used[CURRENTS], 1u)] = x;
        entry = open_entry(kind, x.complex, x.at);
    }
    s->entry[set] = entry;
}

/* As open_build(), all sets of the same size at a time, those without fermions first. What the lanes add to the lists lands in any
 * order, which changes nothing in the currents. */
static __device__ void build(const open_process *o, const open_colors *c, open_schedule *s, uint32_t *used)
{
    const uint32_t lane = threadIdx.x % WARP, all = (1u << open_bits(o)) - 1u, words = 1u << o->gluons;
    build_reach(o, c, s->reach);
    open_externals(o, c, s); /* every lane the same */
    if (lane == 0) {
        used[CURRENTS] = used[TERMS] = 0;
        used[NUMBERS] = s->numbers;
    }
    __syncwarp();
    for (int size = 2; size <= o->gluons; size++) {
        for (uint32_t set = lane; set < words; set += WARP)
            if (__popc(set) == size) build_set(o, c, s, used, set);
        __syncwarp();
    }
    s->gluons = used[CURRENTS];
    __syncwarp();
    for (int size = 2; size < open_bits(o); size++) {
        for (uint32_t set = words + lane; set < all; set += WARP)
            if (__popc(set) == size) build_set(o, c, s, used, set);
        __syncwarp();
    }
    s->currents = used[CURRENTS];
    (void)open_begin(o, s, c, all, &s->closing);
    s->closing.first = used[TERMS];
    s->terms = used[TERMS] + count_terms(o, s, all, &s->closing);
    if (lane == 0) write_terms(o, s, all, &s->closing);
    __syncwarp();
}

/* ---- the events --------------------------------------------------------------------------------------------------- */

static __device__ void load_event(const open_call *k, size_t at, vec4 *p, open_momenta *m, open_antenna *a)
{
    for (int place = 0; place < k->subprocess.n; place++) p[place] = event_momentum(&k->call.momenta, at, place);
    open_load(&k->process, &k->subprocess, p, m);
    open_antennas(&k->process, &k->subprocess, m, a);
}

/* The memory of a warp: lists, then the numbers of its lanes. */
static __device__ char *memory_of(const open_call *k, int parts, open_schedule *s, double **numbers)
{
    const unsigned warp = blockIdx.x * WARPS + threadIdx.x / WARP;
    char *memory = (char *)k->call.space.memory + (size_t)warp * k->call.space.bytes;
    open_schedule_place(&k->process, parts, memory, s);
    *numbers = (double *)(memory + (open_schedule_bytes(&k->process) + 255) / 256 * 256) + threadIdx.x % WARP;
    return memory;
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
    (void)memory_of(&k, PARTS, &s, &numbers);
    if (threadIdx.x == 0) open_rule_table(rule);
    s.rule = rule;
    __syncthreads();
    for (;;) {
        uint32_t item = 0;
        if (lane == 0) item = atomicAdd(k.call.space.next, 1u);
        item = __shfl_sync(EVERY_LANE, item, 0);
        if (item >= k.call.items) return;
        uint64_t number;
        const int64_t own =
            event_of_lane(q, &k.call.deals, k.call.count, k.call.space.group, item, (uint32_t)lane, &number);
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
            Z = open_draw_flows(&k.process, &antennas, q->seed, &event_id, q->draw, numbers, WARP, &flow);
        }
        while (left) {
            const uint32_t skeleton = __shfl_sync(EVERY_LANE, flow.skeleton, __ffs((int)left) - 1);
            if (lane == 0) colors[warp] = open_draw_colors(&k.process, skeleton, q->seed, number / k.groups, q->draw);
            __syncwarp();
            build(&k.process, &colors[warp], &s, used[warp]);
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
                k.call.partial[own] = open_square(PARTS, &k.process, &colors[warp], &s, &antennas, &m, &flow, Z, &h,
                                                  numbers, WARP, nullptr);
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
    return groups_in_flight((const void *)choose(parts), WARPS * WARP, WARPS, 0, space, stack, error);
}

extern "C" bg_status bg_cuda_open(const bg_plan *plan, cuda_task *t, const coherent_space *space,
                                  const cuda_deals *deals, bg_error *error)
{
    const uint32_t groups = deals ? 1u : (uint32_t)(bg_group_at_points(plan) / plan->group);
    const open_call k = {bg_open_process(&plan->process), plan->process, group_call_of(t, space, deals), groups};
    unsigned blocks = (unsigned)space->flights / WARPS;
    if (blocks > (k.call.items + WARPS - 1) / WARPS) blocks = (k.call.items + WARPS - 1) / WARPS;
    CUDA_TRY(error, cudaMemsetAsync(space->next, 0, sizeof *space->next, t->stream));
    choose(helicity_parts(plan->mode))<<<blocks, WARPS * WARP, 0, t->stream>>>(k);
    CUDA_LAUNCHED(error, "open_kernel");
    t->slices = 1;
    return BG_OK;
}

/* ---- sorting by skeletons --------------------------------------------------------------------------------------------- */

/* The skeleton of every point, in the memory of the warps. */
static __global__ __launch_bounds__(WARPS *WARP) void skeleton_kernel(const __grid_constant__ open_call k)
{
    const uint32_t lane = threadIdx.x % WARP, warps = gridDim.x * WARPS;
    const uint32_t warp = blockIdx.x * WARPS + threadIdx.x / WARP;
    double *numbers;
    open_schedule ignored;
    (void)memory_of(&k, 1, &ignored, &numbers);
    for (uint32_t at = warp * WARP + lane; at < (uint32_t)k.call.count; at += warps * WARP) {
        const uint64_t event_id = k.call.question.events[at];
        vec4 p[BG_MAX_LEGS];
        open_momenta m;
        open_antenna antennas;
        open_flow flow;
        load_event(&k, at, p, &m, &antennas);
        (void)open_draw_flows(&k.process, &antennas, k.call.question.seed, &event_id, k.call.question.draw, numbers,
                              WARP, &flow);
        k.call.deals.place[at] = flow.skeleton;
    }
}

enum { SORTERS = 256 }; /* threads of a deal */

/* A bitonic sort of one deal by skeleton and, among equal ones, by rank. */
static __global__ __launch_bounds__(SORTERS) void sort_kernel(cuda_deals d)
{
    __shared__ uint32_t key[BG_DEAL], point[BG_DEAL];
    uint32_t *order = d.order + (size_t)blockIdx.x * BG_DEAL;
    const uint32_t count = d.count[blockIdx.x];
    for (uint32_t k = threadIdx.x; k < BG_DEAL; k += SORTERS) {
        point[k] = k < count ? order[k] : 0u;
        key[k] = k < count ? d.place[point[k]] * BG_DEAL + k : ~0u;
    }
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
    for (uint32_t k = threadIdx.x; k < count; k += SORTERS) order[k] = point[key[k] % BG_DEAL];
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
    k.call.deals = *deals;
    k.call.question.seed = plan->options.seed;
    k.call.question.events = events;
    k.call.momenta = *momenta;
    k.call.count = (int)count;
    unsigned blocks = (unsigned)space->flights / WARPS;
    if (blocks > (count + WARPS * WARP - 1) / (WARPS * WARP)) blocks = (count + WARPS * WARP - 1) / (WARPS * WARP);
    skeleton_kernel<<<blocks, WARPS * WARP, 0, stream>>>(k);
    CUDA_LAUNCHED(error, "skeleton_kernel");
    sort_kernel<<<deals->deals, SORTERS, 0, stream>>>(*deals);
    CUDA_LAUNCHED(error, "sort_kernel");
    return BG_OK;
}
