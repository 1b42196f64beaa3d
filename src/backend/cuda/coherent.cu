/* Coherent color sampling on a GPU: the 32 lanes of a warp are events that share their colors.
 *
 * A warp takes a group, makes the schedule of its colors with all lanes, and then each lane works through it with the
 * momenta of its own event: no lane ever waits for another one's colors. Currents are in global memory, those of the
 * lanes side by side. There are as many warps as the device runs at once; they take groups until none is left.
 */
#include "backend/cuda/coherent.h"
#include "backend/cuda/events.cuh"
#include "backend/cuda/groups.cuh"
#include "backend/cuda/schedule.cuh"

#include "amplitude/coherent.h"

enum { WARPS = 4 }; /* of a block */

/* ---- the schedule, by a warp -------------------------------------------------------------------------------------- */

/* As coherent_build(), all sets of the same size at a time: their halves are smaller. */
static __device__ void build(int n, const coherent_colors *c, coherent_schedule *s, schedule_used *used,
                             uint32_t *currents)
{
    const uint32_t lane = threadIdx.x % WARP, all = (1u << (n - 1)) - 1u;
    const schedule_ends ends = {currents, nullptr};
    if (lane == 0) {
        *currents = used->splits = 0;
        used->slots = (uint32_t)(n - 1);
        coherent_externals(n, c, s);
    }
    __syncwarp();
    for (int size = 2; size < n - 1; size++) {
        for (uint32_t set = lane + 3; set < all; set += WARP)
            if (__popc(set) == size) schedule_set(c, s, used, ends, set);
        __syncwarp();
    }
    s->currents = *currents;
    s->splits = s->closing = used->splits;
    s->slots = used->slots;
    s->closing_splits = schedule_closing(n, c, s, s->closing);
    __syncwarp();
}

/* ---- the events --------------------------------------------------------------------------------------------------- */

template <int PARTS>
static __global__ __launch_bounds__(WARPS *WARP) void coherent_kernel(cuda_question q, bg_momenta momenta, int count,
                                                                      coherent_space space, cuda_deals deals,
                                                                      uint32_t items, double *partial)
{
    __shared__ uint8_t rule[COHERENT_KINDS * COHERENT_KINDS];
    __shared__ schedule_used used[WARPS];
    __shared__ uint32_t currents[WARPS];
    __shared__ coherent_colors colors[WARPS];
    const int n = q.n, lane = (int)threadIdx.x % WARP, warp = (int)threadIdx.x / WARP;
    char *memory = (char *)space.memory + (size_t)(blockIdx.x * WARPS + (unsigned)warp) * space.bytes;
    double *numbers = (double *)(memory + group_lines(coherent_schedule_bytes(n))) + lane;
    coherent_schedule s;
    coherent_schedule_place(n, memory, &s);
    if (threadIdx.x == 0) coherent_rule_table(rule);
    s.rule = rule;
    __syncthreads();
    for (;;) {
        uint32_t item = 0;
        if (lane == 0) item = atomicAdd(space.next, 1u);
        item = __shfl_sync(EVERY_LANE, item, 0);
        if (item >= items) return;
        uint64_t number;
        const int64_t own = event_of_lane(&q, &deals, count, space.group, item, threadIdx.x % WARP, &number);
        const uint32_t here = __ballot_sync(EVERY_LANE, own >= 0);
        if (!here) continue;
        if (lane == 0) colors[warp] = coherent_draw_from(n, q.flat, q.seed, number, q.draw);
        __syncwarp();
        build(n, &colors[warp], &s, &used[warp], &currents[warp]);
        /* idle lanes repeat the event of another one */
        const int64_t some = __shfl_sync(EVERY_LANE, own, __ffs((int)here) - 1);
        const size_t at = (size_t)(own >= 0 ? own : some);
        const uint64_t event_id = event_number(&q, at);
        vec4 p[BG_MAX_LEGS], state[2 * BG_MAX_LEGS];
        for (int k = 0; k < n; k++) p[k] = event_momentum(&momenta, at, k);
        event_polarizations(n, q.mode, &q, at, p, state);
        const double value = coherent_square(n, PARTS, helicity_states(q.mode), &colors[warp], &s, p, state, q.seed,
                                             &event_id, q.draw, numbers, WARP, nullptr);
        if (own >= 0) partial[at] = value;
        __syncwarp();
    }
}

typedef void kernel_function(cuda_question, bg_momenta, int, coherent_space, cuda_deals, uint32_t, double *);

static kernel_function *choose(int parts) { return parts == 2 ? coherent_kernel<2> : coherent_kernel<1>; }

extern "C" bg_status bg_cuda_coherent_plan(const bg_plan *plan, coherent_space *space, size_t *stack, bg_error *error)
{
    const int parts = helicity_parts(plan->mode);
    const size_t lists = group_lines(coherent_schedule_bytes(plan->process.n));
    if (plan->group <= FEW_EVENTS) return bg_cuda_few_plan(plan, space, stack, error);
    space->group = plan->group;
    space->bytes = lists + group_lines(coherent_work_reals(plan->process.n, parts) * WARP * sizeof(double));
    return groups_in_flight((const void *)choose(parts), WARPS * WARP, WARPS, 0, space, stack, error);
}

extern "C" bg_status bg_cuda_coherent(int parts, cuda_task *t, const coherent_space *space, const cuda_deals *deals,
                                      bg_error *error)
{
    if (space->group <= FEW_EVENTS) return bg_cuda_few(parts, t, space, deals, error);
    const group_call k = group_call_of(t, space, deals);
    unsigned blocks = (unsigned)space->flights / WARPS;
    if (blocks > (k.items + WARPS - 1) / WARPS) blocks = (k.items + WARPS - 1) / WARPS;
    CUDA_TRY(error, cudaMemsetAsync(space->next, 0, sizeof *space->next, t->stream));
    choose(parts)<<<blocks, WARPS * WARP, 0, t->stream>>>(k.question, k.momenta, k.count, k.space, k.deals, k.items,
                                                          k.partial);
    CUDA_LAUNCHED(error, "coherent_kernel");
    t->slices = 1;
    return BG_OK;
}

/* ---- dealing points out --------------------------------------------------------------------------------------------- */

enum { DEALERS = 256, EACH = BG_DEAL / DEALERS }; /* threads of a deal, trials of a thread */

static __global__ void place_kernel(const uint64_t *events, uint32_t count, uint64_t first, uint32_t *place)
{
    const uint32_t k = blockIdx.x * CUDA_BLOCK + threadIdx.x;
    if (k < count) place[events[k] - first] = k;
}

/* The points of one deal in the order of their event numbers. */
static __global__ __launch_bounds__(DEALERS) void deal_kernel(cuda_deals d)
{
    __shared__ uint32_t ends[DEALERS / WARP];
    const uint32_t lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
    const uint32_t *place = d.place + (size_t)blockIdx.x * BG_DEAL + threadIdx.x * EACH;
    uint32_t own[EACH], count = 0;
    for (int k = 0; k < EACH; k++) {
        own[k] = place[k];
        count += own[k] != ~0u;
    }
    uint32_t upto = count; /* of this lane and those before */
    for (uint32_t step = 1; step < WARP; step *= 2) {
        const uint32_t below = __shfl_up_sync(EVERY_LANE, upto, step);
        if (lane >= step) upto += below;
    }
    if (lane == WARP - 1) ends[warp] = upto;
    __syncthreads();
    uint32_t before = 0;
    for (uint32_t w = 0; w < warp; w++) before += ends[w];
    uint32_t at = before + upto - count;
    for (int k = 0; k < EACH; k++)
        if (own[k] != ~0u) d.order[(size_t)blockIdx.x * BG_DEAL + at++] = own[k];
    if (threadIdx.x == DEALERS - 1) d.count[blockIdx.x] = before + upto;
}

extern "C" bg_status bg_cuda_deal(cudaStream_t stream, const uint64_t *events, uint32_t count, uint64_t first_event,
                                  const cuda_deals *d, bg_error *error)
{
    /* the last deal may have fewer trials: it is whole here, with nothing in the rest */
    CUDA_TRY(error, cudaMemsetAsync(d->place, 0xff, (size_t)d->deals * BG_DEAL * sizeof *d->place, stream));
    place_kernel<<<(count + CUDA_BLOCK - 1) / CUDA_BLOCK, CUDA_BLOCK, 0, stream>>>(events, count, first_event,
                                                                                   d->place);
    CUDA_LAUNCHED(error, "place_kernel");
    deal_kernel<<<d->deals, DEALERS, 0, stream>>>(*d);
    CUDA_LAUNCHED(error, "deal_kernel");
    return BG_OK;
}
