/* An integration on several devices of one process: the first makes states on the others and deals out the points. */
#include "backend/cuda/cuda.h"
#include "backend/cuda/devices.h"
#include "backend/spread.h"
#include "base/status.h"

#include <stdlib.h>

/* Another device that shares the work of an integration. */
typedef struct cuda_peer {
    bg_plan plan;
    cuda_state *state;
} cuda_peer;

void bg_cuda_peers_destroy(cuda_state *s)
{
    for (int k = 0; k < s->peer_count; k++) bg_cuda_destroy(s->peers[k].state);
    free(s->peers);
}

bg_status bg_cuda_prepare_integrator(cuda_state *s, const bg_batch *batch, bg_error *error)
{
    if (s->integrator && bg_cuda_integrator_fits(s->integrator, batch)) return BG_OK;
    bg_cuda_integrator_destroy(s->integrator);
    s->integrator = NULL;
    return bg_cuda_integrator_create(&s->integrator, s->plan, s->batch, batch->sieve, error);
}

static bg_status integrate_here(void *opaque, const bg_batch *batch, bg_tally *tally, struct bg_histograms *histograms,
                                bg_timing *timing, bg_error *error)
{
    cuda_state *s = opaque;
    int previous;
    bg_status status = bg_device_enter(s->own, &previous, error);
    if (status != BG_OK) return status;
    status = bg_cuda_borrow(s, error);
    if (status == BG_OK) status = bg_cuda_prepare_integrator(s, batch, error);
    if (status == BG_OK)
        status = bg_cuda_integrator_run(s->integrator, s, s->stream, batch, tally, histograms, timing, error);
    bg_cuda_return(s);
    bg_device_leave(previous);
    return status;
}

/* States on all other devices, where no device was named and there is one process. A device that cannot run the plan
 * is left out. */
static bg_status find_peers(cuda_state *s, bg_error *error)
{
    int count = 0;
    bg_status status = bg_devices_count(&count, error);
    s->all_devices = 0; /* from now on they are there, or have failed */
    if (count > MOST_DEVICES) count = MOST_DEVICES;
    if (status != BG_OK || count < 2) return status;
    s->peers = calloc((size_t)count - 1, sizeof *s->peers);
    if (!s->peers) return bg_fail(error, BG_ERROR_MEMORY, "no memory for %d devices", count);
    for (int device = 0; device < count; device++) {
        if (device == s->device) continue;
        cuda_peer *p = &s->peers[s->peer_count];
        void *state = NULL;
        p->plan = *s->plan;
        p->plan.batch = 0;
        p->plan.options.device = device;
        if (bg_cuda_create(&p->plan, &state, NULL) != BG_OK) continue;
        p->state = state;
        s->peer_count++;
    }
    return BG_OK;
}

bg_status bg_cuda_integrate(void *opaque, const bg_batch *batch, bg_tally *tally, struct bg_histograms *histograms,
                            bg_timing *timing, bg_error *error)
{
    cuda_state *s = opaque;
    bg_status status = s->all_devices && !batch->hybrid ? find_peers(s, error) : BG_OK;
    void *device[MOST_DEVICES] = {s};
    const int count = batch->hybrid ? 1 : s->peer_count + 1; /* the CPU feeds one device */
    for (int k = 1; k < count; k++) device[k] = s->peers[k - 1].state;
    if (status == BG_OK)
        status = bg_batch_spread(count, device, integrate_here, bg_deal_unit(s->plan->group), batch, tally, histograms,
                                 timing, error);
    return status == BG_OK ? bg_succeed(error) : status;
}
