/* Unstable points of an integration on a device (amplitude/stability.h): the device notes them down, the engine evaluates them again on the
 * host, and the device takes their |M|^2 for its own before the sums.
 */
#include "backend/cuda/integrator.h"
#include "base/status.h"

#include <stdlib.h>

/* Has the engine evaluate points again, in any order. */
static bg_status rescue_points(cuda_call *c, uint32_t count, bg_unstable *point, bg_error *error)
{
    const bg_plan *plan = c->g->plan;
    const bg_rescue_stage *rescue = c->batch->rescue;
    for (uint32_t k = 0; k < count; k++) /* what stands there is the rank in the deal */
        point[k].group = bg_group_of(point[k].event, (int)point[k].group, plan->group);
    const bg_status status = rescue->again(rescue->self, count, point, error);
    for (uint32_t k = 0; k < count; k++) point[k].sum *= plan->normalization;
    return status;
}

/* Room for unstable points on the device. */
static bg_status make_room(cuda_integrator *g, uint32_t room, bg_error *error)
{
    if (g->unstable.record) (void)cudaFree(g->unstable.record);
    g->unstable.record = NULL;
    g->unstable.room = 0;
    CUDA_TRY(error, cudaMalloc((void **)&g->unstable.record, room * sizeof *g->unstable.record));
    g->unstable.room = room;
    return BG_OK;
}

/* Waits for them. */
static bg_status copy_points(cuda_call *c, bg_unstable *to, const bg_unstable *from, uint32_t count,
                             enum cudaMemcpyKind kind, bg_error *error)
{
    CUDA_TRY(error, cudaMemcpyAsync(to, from, count * sizeof *to, kind, c->stream));
    CUDA_TRY(error, cudaStreamSynchronize(c->stream));
    return BG_OK;
}

bg_status bg_cuda_watch_unstable(cuda_call *c, const cuda_summands *summands, bg_error *error)
{
    enum { ROOM = 1024 };
    cuda_integrator *g = c->g;
    const int works = c->batch->rescue->works;
    bg_status status = works && !g->unstable.room ? make_room(g, ROOM, error) : BG_OK;
    for (;;) {
        if (status == BG_OK)
            status =
                bg_cuda_screen(c->stream, summands, &g->plan->process, g->plan->configuration, &g->unstable, error);
        if (status != BG_OK) return status;
        CUDA_TRY(error, cudaMemcpyAsync(&g->mail->unstable, g->unstable.count, sizeof(uint32_t), cudaMemcpyDeviceToHost,
                                        c->stream));
        CUDA_TRY(error, cudaStreamSynchronize(c->stream));
        if (!works || g->mail->unstable <= g->unstable.room) break;
        status = make_room(g, g->mail->unstable, error);
    }
    const uint32_t count = g->mail->unstable;
    c->unstable += count;
    if (!works || !count) return BG_OK;
    bg_unstable *point = malloc(count * sizeof *point);
    if (!point) return bg_fail(error, BG_ERROR_MEMORY, "no memory for %u unstable points", count);
    status = copy_points(c, point, g->unstable.record, count, cudaMemcpyDeviceToHost, error);
    if (status == BG_OK) status = rescue_points(c, count, point, error);
    if (status == BG_OK) status = copy_points(c, g->unstable.record, point, count, cudaMemcpyHostToDevice, error);
    free(point);
    if (status != BG_OK) return status;
    c->rescued += count;
    return bg_cuda_replace(c->stream, count, g->unstable.record, g->me2, error);
}
