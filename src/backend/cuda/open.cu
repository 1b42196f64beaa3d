/* Coherent color sampling of processes with quark lines: how many events a block works on at a time (open_draw.cuh), and their order.
 *
 * Events share colors where the flows that they have drawn have the same skeleton. So they are sorted by skeleton: those of a deal before
 * they are dealt out to groups, or those of a group at given points, which is larger there (backend/plan.h).
 */
#include "backend/cuda/open.cuh"
#include "helicity/mode.h"

#include <string.h>

#ifndef OPEN_EVENTS
#define OPEN_EVENTS 0 /* that a block works on at a time: 8, 16 or 32; 0: by the number of legs */
#endif

#ifndef OPEN_CHIP
#define OPEN_CHIP 0 /* bytes of shared memory of a multiprocessor that are made use of; 0: all of them */
#endif

/* A whole group at once where the numbers of its events leave room for several blocks on a multiprocessor. With fewer events, workers
 * of a warp have different currents, which take one another's time. */
static const open_instance *choose(const bg_plan *plan)
{
    const int legs = plan->process.n, fitting = OPEN_EVENTS ? OPEN_EVENTS : legs < 7 ? 32 : 16;
    const int events = fitting < plan->group ? fitting : plan->group;
    return events <= 8 ? &bg_cuda_open_8 : events <= 16 ? &bg_cuda_open_16 : &bg_cuda_open_32;
}

/* Bytes of shared memory of a multiprocessor of the current device. */
static bg_status find_chip(size_t *bytes, bg_error *error)
{
    int device = 0, chip = 0;
    CUDA_TRY(error, cudaGetDevice(&device));
    CUDA_TRY(error, cudaDeviceGetAttribute(&chip, cudaDevAttrMaxSharedMemoryPerMultiprocessor, device));
    *bytes = OPEN_CHIP ? OPEN_CHIP : (size_t)chip;
    return BG_OK;
}

static bg_status allow(open_kernel *kernel, const open_launch *l, bg_error *error)
{
    CUDA_TRY(error,
             cudaFuncSetAttribute((const void *)kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)l->shared));
    return BG_OK;
}

extern "C" bg_status bg_cuda_open_plan(const bg_plan *plan, coherent_space *space, size_t *stack, bg_error *error)
{
    const int parts = helicity_parts(plan->mode);
    const open_process o = bg_open_process(&plan->process);
    const open_instance *instance = choose(plan);
    open_kernel *const kernel = instance->draw(&o, parts);
    size_t chip = 0;
    bg_status status = find_chip(&chip, error);
    if (status != BG_OK) return status;
    const open_launch l = instance->draw_launch(&o, plan->mode, chip);
    status = allow(kernel, &l, error);
    if (status != BG_OK) return status;
    space->group = plan->group;
    space->bytes = instance->block_bytes(&o, parts);
    return groups_in_flight((const void *)kernel, (int)l.threads, 1, l.shared, space, stack, error);
}

/* ---- kernels ---------------------------------------------------------------------------------------------------------- */

/* Blocks that draw flows, for each one that draws colors: more than there is room for at once. */
enum { FLOW_BLOCKS = 8 };

static bg_status draw_flows(const open_instance *instance, open_call k, cudaStream_t stream, bg_error *error)
{
    size_t chip = 0;
    bg_status status = find_chip(&chip, error);
    if (status != BG_OK) return status;
    const open_launch l = instance->flow_launch(&k.process, chip);
    const unsigned flights = (unsigned)k.call.space.flights; /* those that have memory of their own */
    const unsigned most = l.room.lists && l.room.early ? FLOW_BLOCKS * flights : flights;
    unsigned blocks = ((unsigned)k.call.count + instance->events - 1) / instance->events;
    if (blocks > most) blocks = most;
    status = allow(instance->flow, &l, error);
    if (status != BG_OK) return status;
    k.room = l.room;
    instance->flow<<<blocks, l.threads, l.shared, stream>>>(k);
    CUDA_LAUNCHED(error, "flow_kernel");
    return BG_OK;
}

/* Groups that share their colors are taken together, where there are many times as many of them as blocks. */
static uint32_t run_of(const open_call *k, unsigned blocks)
{
    enum { MOST = 8, TIMES = 4 };
    uint32_t run = k->call.items / (TIMES * blocks);
    if (run > k->groups) run = k->groups;
    return run > MOST ? (uint32_t)MOST : run > 0 ? run : 1u;
}

static bg_status draw_colors(const open_instance *instance, open_call k, cudaStream_t stream, bg_error *error)
{
    const int mode = k.call.question.mode;
    size_t chip = 0;
    bg_status status = find_chip(&chip, error);
    if (status != BG_OK) return status;
    const open_launch l = instance->draw_launch(&k.process, mode, chip);
    open_kernel *const kernel = instance->draw(&k.process, helicity_parts(mode));
    unsigned blocks = (unsigned)k.call.space.flights;
    if (blocks > k.call.items) blocks = k.call.items;
    k.run = run_of(&k, blocks);
    status = allow(kernel, &l, error);
    if (status != BG_OK) return status;
    k.room = l.room;
    CUDA_TRY(error, cudaMemsetAsync(k.call.space.next, 0, sizeof *k.call.space.next, stream));
    kernel<<<blocks, l.threads, l.shared, stream>>>(k);
    CUDA_LAUNCHED(error, "draw_kernel");
    return BG_OK;
}

/* ---- sorting by skeletons --------------------------------------------------------------------------------------------- */

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
static __global__ __launch_bounds__(SORTERS) void sort_kernel(cuda_deals d, const cuda_flow *flow)
{
    __shared__ uint32_t key[BG_DEAL], point[BG_DEAL];
    uint32_t *order = d.order + (size_t)blockIdx.x * BG_DEAL;
    const uint32_t count = d.count[blockIdx.x];
    for (uint32_t k = threadIdx.x; k < BG_DEAL; k += SORTERS) {
        point[k] = k < count ? order[k] : 0u;
        key[k] = (k < count ? flow[point[k]].flow.skeleton : (uint32_t)OPEN_SKELETONS) * BG_DEAL + k;
    }
    sort_keys(key);
    for (uint32_t k = threadIdx.x; k < count; k += SORTERS) order[k] = point[key[k] % BG_DEAL];
}

/* Events at given points, whose first one is `first` of a deal: those that may share colors, `together` one after the other, by skeleton and
 * number. Where there are none, ~0 comes behind the others. */
static __global__ __launch_bounds__(SORTERS) void sort_together_kernel(uint32_t first, uint32_t count,
                                                                       uint32_t together, const cuda_flow *flow,
                                                                       uint32_t *order)
{
    __shared__ uint32_t key[BG_DEAL];
    const uint32_t begin = blockIdx.x * BG_DEAL;
    for (uint32_t k = threadIdx.x; k < BG_DEAL; k += SORTERS) {
        const uint32_t at = begin + k - first; /* huge before the first */
        const uint32_t own = at < count ? flow[at].flow.skeleton : (uint32_t)OPEN_SKELETONS;
        key[k] = (k / together * 2u * OPEN_SKELETONS + own) * BG_DEAL + k;
    }
    sort_keys(key);
    for (uint32_t k = threadIdx.x; k < BG_DEAL; k += SORTERS) {
        const uint32_t at = begin + key[k] % BG_DEAL - first;
        order[begin + k] = at < count ? at : ~0u;
    }
}

static bg_status sort_together(open_call *k, const cuda_task *t, uint32_t together, bg_error *error)
{
    const uint64_t begin = t->question.first_event;
    const uint32_t first = (uint32_t)(begin % BG_DEAL), count = (uint32_t)t->count;
    cuda_deals *d = &k->call.deals;
    d->order = t->order;
    d->deals = (first + count + BG_DEAL - 1) / BG_DEAL;
    d->first = begin / BG_DEAL;
    k->call.items = d->deals * (BG_DEAL / (uint32_t)k->call.space.group);
    sort_together_kernel<<<d->deals, SORTERS, 0, t->stream>>>(first, count, together, k->flow, d->order);
    CUDA_LAUNCHED(error, "sort_together_kernel");
    return BG_OK;
}

extern "C" bg_status bg_cuda_open_sort(const bg_plan *plan, const cuda_task *task, cudaStream_t stream,
                                       const bg_momenta *momenta, const uint64_t *events, uint32_t count,
                                       const coherent_space *space, const cuda_deals *deals, bg_error *error)
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
    k.flow = task->flow;
    const bg_status status = draw_flows(choose(plan), k, stream, error);
    if (status != BG_OK) return status;
    sort_kernel<<<deals->deals, SORTERS, 0, stream>>>(*deals, k.flow);
    CUDA_LAUNCHED(error, "sort_kernel");
    return BG_OK;
}

/* ---- a draw ------------------------------------------------------------------------------------------------------- */

extern "C" bg_status bg_cuda_open(const bg_plan *plan, cuda_task *t, const coherent_space *space,
                                  const cuda_deals *deals, bg_error *error)
{
    const int together = deals ? plan->group : bg_group_at_points(plan), several = plan->process.lines > 1;
    const open_instance *instance = choose(plan);
    open_call k;
    memset(&k, 0, sizeof k);
    k.process = bg_open_process(&plan->process);
    k.subprocess = plan->process;
    k.call = group_call_of(t, space, deals);
    k.flow = t->flow;
    k.groups = (uint32_t)(together / plan->group);
    bg_status status = BG_OK;
    if (!deals || !several) /* others were sorted by their flows */
        status = draw_flows(instance, k, t->stream, error);
    if (status == BG_OK && !deals && plan->group > 1 && several)
        status = sort_together(&k, t, (uint32_t)together, error);
    if (status == BG_OK) status = draw_colors(instance, k, t->stream, error);
    if (status != BG_OK) return status;
    t->slices = 1;
    return BG_OK;
}
