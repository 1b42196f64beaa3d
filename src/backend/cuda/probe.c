/* What the CUDA backend is, and on what it can run here. */
#include "backend/cuda/cuda.h"
#include "backend/cuda/devices.h"
#include "base/status.h"

#include <stdio.h>
#include <string.h>

static bg_status probe(char *description, size_t size, bg_error *error)
{
    int count = 0, device, own;
    bg_status status = bg_devices_count(&count, error);
    if (status == BG_OK) status = bg_device_find(-1, &device, &own, error);
    if (status == BG_OK) status = bg_device_describe(own, description, size, error);
    if (status != BG_OK) return status;
    if (count > 1) {
        const size_t used = strlen(description);
        snprintf(description + used, size - used, ", and %d more device%s", count - 1, count > 2 ? "s" : "");
    }
    return bg_succeed(error);
}

static void describe(void *opaque, char *description, size_t size)
{
    const cuda_state *s = opaque;
    if (bg_device_describe(s->own, description, size, NULL) != BG_OK) return;
    const size_t used = strlen(description);
    int count = 0;
    if (s->all_devices && bg_devices_count(&count, NULL) == BG_OK && count > 1)
        snprintf(description + used, size - used, ", device %d (integrations: all %d)", s->device, count);
    else
        snprintf(description + used, size - used, ", device %d", s->device);
}

const bg_backend bg_backend_cuda = {
    .name = "cuda",
    .capabilities = BG_CAN_CHOOSE_DEVICE | BG_CAN_TAKE_DEVICE_POINTERS | BG_CAN_RUN_HYBRID | BG_CAN_DELIVER_POINTS,
    .probe = probe,
    .devices = bg_devices_count,
    .memory = bg_cuda_memory,
    .create = bg_cuda_create,
    .evaluate = bg_cuda_evaluate,
    .integrate = bg_cuda_integrate,
    .destroy = bg_cuda_destroy,
    .describe = describe,
    .evaluate_device = bg_cuda_evaluate_device,
    .instrument = &bg_cuda_instrument,
};
