/* The kernels that were written out, and those of a process. */
#include "backend/cuda/straight.h"
#include "instances.h"

#define X(name) extern const straight_instance bg_cuda_straight_##name;
BG_CUDA_STRAIGHT_INSTANCES(X)
#undef X

#define X(name) &bg_cuda_straight_##name,
static const straight_instance *const instances[] = {BG_CUDA_STRAIGHT_INSTANCES(X)};
#undef X

#define X(name) &bg_cuda_straight_##name.code,
static const straight_code *const codes[] = {BG_CUDA_STRAIGHT_INSTANCES(X)};
#undef X

const straight_instance *bg_cuda_straight_instance(const straight_run *run) { return instances[run->code]; }

int bg_cuda_straight_create(straight_runs *r, const bg_subprocess *process)
{
    return bg_straight_create(r, process, codes, sizeof codes / sizeof *codes);
}

size_t bg_cuda_straight_chip(const straight_runs *r)
{
    size_t most = 0;
    for (int k = 0; k < r->runs; k++)
        if (instances[r->run[k].code]->chip > most) most = instances[r->run[k].code]->chip;
    return most;
}

bg_status bg_cuda_straight_resources(const straight_runs *r, size_t *on_chip, size_t *stack, bg_error *error)
{
    *on_chip = bg_cuda_straight_chip(r) / (size_t)instances[r->run->code]->events;
    *stack = 0;
    for (int k = 0; k < r->runs; k++) {
        size_t own = 0;
        const bg_status status = instances[r->run[k].code]->resources(&own, error);
        if (status != BG_OK) return status;
        if (own > *stack) *stack = own;
    }
    return BG_OK;
}
