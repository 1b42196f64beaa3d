/* A mark is an event of the device and the part that it ends. Configurations of helicities follow one another, so there
 * may be thousands; events are made when they are first needed and used again.
 */
#include "backend/cuda/stages.h"
#include "base/status.h"

#include <stdlib.h>

typedef struct mark {
    cudaEvent_t event;
    cuda_part part;
} mark;

struct cuda_marks {
    mark *mark;
    int count, made, room;
};

bg_status bg_cuda_marks_create(cuda_marks **marks, bg_error *error)
{
    *marks = calloc(1, sizeof **marks);
    return *marks ? BG_OK : bg_fail(error, BG_ERROR_MEMORY, "no memory for marks");
}

void bg_cuda_marks_destroy(cuda_marks *m)
{
    if (!m) return;
    for (int k = 0; k < m->made; k++) (void)cudaEventDestroy(m->mark[k].event);
    free(m->mark);
    free(m);
}

bg_status bg_cuda_mark(const cuda_task *t, cuda_part part, bg_error *error)
{
    cuda_marks *m = t->marks;
    if (!m) return BG_OK;
    if (m->count == m->room) {
        const int room = m->room ? 2 * m->room : 64;
        mark *more = realloc(m->mark, (size_t)room * sizeof *more);
        if (!more) return bg_fail(error, BG_ERROR_MEMORY, "no memory for %d marks", room);
        m->mark = more;
        m->room = room;
    }
    mark *next = &m->mark[m->count];
    if (m->count == m->made) {
        CUDA_TRY(error, cudaEventCreate(&next->event));
        m->made++;
    }
    next->part = part;
    m->count++;
    CUDA_TRY(error, cudaEventRecord(next->event, t->stream));
    return BG_OK;
}

bg_status bg_cuda_marks_read(cuda_marks *m, bg_stages *stages, bg_error *error)
{
    const int count = m->count;
    stages->amplitudes = stages->color_sum = 0.;
    m->count = 0;
    if (count) CUDA_TRY(error, cudaEventSynchronize(m->mark[count - 1].event));
    for (int k = 1; k < count; k++) {
        float milliseconds = 0.f;
        const cuda_part part = m->mark[k].part;
        if (part == CUDA_PART_NONE) continue;
        CUDA_TRY(error, cudaEventElapsedTime(&milliseconds, m->mark[k - 1].event, m->mark[k].event));
        *(part == CUDA_PART_AMPLITUDES ? &stages->amplitudes : &stages->color_sum) += 1e-3 * (double)milliseconds;
    }
    return BG_OK;
}
