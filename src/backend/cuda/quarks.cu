/* Amplitudes of processes with quark lines: a block works through the program of a few events. */
#include "backend/cuda/quarks.h"
#include "backend/cuda/events.cuh"

#include "amplitude/quarks.h"

/* What is the same for all blocks. */
typedef struct quark_work {
    quark_program program;
    bg_subprocess process;
    cuda_question question;
    bg_momenta momenta;
    int count;
    uint32_t configurations;
    size_t pitch, columns; /* of amplitudes */
    double *amplitude, *memory;
} quark_work;

/* Momenta, chiralities and polarizations of one event. */
static __device__ void set_up(const quark_work *k, size_t event, const size_t stride, double *w)
{
    const bg_subprocess *s = &k->process;
    const quark_program *program = &k->program;
    const cuda_question *q = &k->question;
    const int parts = helicity_parts(q->mode);
    vec4 p[BG_MAX_LEGS];
    for (int place = 0; place < s->n; place++) p[place] = event_momentum(&k->momenta, event, place);
    const light_frame frame = light_frame_of(p[s->opposite], p[s->gauge]);
    quark_put_outgoing(program, s, &frame, p, stride, w);
    if (program->given) {
        const uint32_t configuration = event_configuration(s->n, q, event);
        quark_put_given_signs(program, &configuration, stride, w);
    } else {
        quark_put_signs(program, stride, w);
    }
    if (q->mode == HELICITY_BASIS) return;
    vec4 state[2 * BG_MAX_LEGS];
    event_polarizations(s->n, q->mode, q, event, p, state);
    quark_put_polarizations(program, s, &frame, state, parts, stride, w);
}

/* The basis vectors of the outer gluons in configuration h. */
static __device__ void set_outer(const quark_program *program, uint32_t h, const size_t stride, double *w)
{
    for (int g = program->inner; g < program->gluons; g++) {
        const double second = h >> (g - program->inner) & 1u ? 1. : 0.;
        const shared_polarization e = {1. - second, second};
        quark_put_polarization(program, g, 0, e, stride, w);
    }
}

static __device__ void store_amplitude(const quark_work *k, const program_step *step, uint32_t h, size_t event,
                                       quark_number a)
{
    const size_t configuration = (size_t)h * k->program.configurations + step->configuration;
    double *re = k->amplitude + (size_t)step->at * k->columns + 2 * configuration * k->pitch + event,
           *im = re + k->pitch;
    *re = k->program.adds ? *re + a.re : a.re;
    *im = k->program.adds ? *im + a.im : a.im;
}

/* All steps of the events of a block, EVENTS of them, whose workspaces are side by side. */
template <int EVENTS> static __device__ void work_through(const quark_work *k, size_t event, int here, double *w)
{
    const quark_program *program = &k->program;
    const uint32_t slot = threadIdx.x / EVENTS, slots = blockDim.x / EVENTS;
    const uint32_t outer = k->question.mode == HELICITY_BASIS ? 1u << (program->gluons - program->inner) : 1u;
    if (slot == 0) set_up(k, event, EVENTS, w);
    __syncthreads();
    for (uint32_t i = slot; i < program->sets; i += slots)
        quark_put_set(w, EVENTS, i * PROGRAM_SET_NUMBERS,
                      quark_set_of(program, &k->process, program->set[i], EVENTS, w));
    __syncthreads();
    for (uint32_t i = slot; i < program->splits; i += slots) quark_put_split(program, i, EVENTS, w);
    for (uint32_t h = 0; h < outer; h++) {
        if (outer > 1) {
            __syncthreads();
            if (slot == 0) set_outer(program, h, EVENTS, w);
            __syncthreads();
        }
        for (uint32_t i = slot; i < program->legs; i += slots) quark_put_leg(program, &program->leg[i], EVENTS, w);
        for (uint32_t level = 0; level < program->levels; level++) {
            const uint32_t end = program->level[level + 1];
            __syncthreads();
            for (uint32_t i = program->level[level] + slot; i < end; i += slots) {
                const program_step *step = &program->step[i];
                if (!step->closes)
                    quark_any_current(program, step, EVENTS, w);
                else if (here)
                    store_amplitude(k, step, h, event,
                                    program->parts ? quark_part_amplitude(program, step, EVENTS, w)
                                                   : quark_amplitude(program, step, EVENTS, w));
            }
        }
    }
}

template <int EVENTS, int ON_CHIP>
static __global__ __launch_bounds__(QUARK_MOST_THREADS) void quark_kernel(const __grid_constant__ quark_work k)
{
    extern __shared__ double chip[];
    const size_t own = threadIdx.x % EVENTS;
    double *w = (ON_CHIP ? chip : k.memory + (size_t)blockIdx.x * k.program.numbers * EVENTS) + own;
    for (size_t first = (size_t)blockIdx.x * EVENTS; first < (size_t)k.count; first += (size_t)gridDim.x * EVENTS) {
        /* threads beyond the last event repeat it and write nothing */
        const int here = first + own < (size_t)k.count;
        work_through<EVENTS>(&k, here ? first + own : (size_t)k.count - 1, here, w);
        __syncthreads();
    }
}

typedef void kernel_function(const quark_work);

static kernel_function *choose(int events, int on_chip)
{
    if (!on_chip) return quark_kernel<QUARK_MOST_EVENTS, 0>;
    switch (events) {
    case 1: return quark_kernel<1, 1>;
    case 2: return quark_kernel<2, 1>;
    case 4: return quark_kernel<4, 1>;
    case 8: return quark_kernel<8, 1>;
    case 16: return quark_kernel<16, 1>;
    default: return quark_kernel<QUARK_MOST_EVENTS, 1>;
    }
}

extern "C" bg_status bg_cuda_quark_blocks(int events, int threads, int on_chip, size_t chip, int *blocks, size_t *stack,
                                          bg_error *error)
{
    kernel_function *kernel = choose(events, on_chip);
    cudaFuncAttributes attributes;
    const size_t bytes = on_chip ? chip : 0;
    CUDA_TRY(error, cudaFuncGetAttributes(&attributes, (const void *)kernel));
    CUDA_TRY(error,
             cudaFuncSetAttribute((const void *)kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes));
    CUDA_TRY(error, cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, (const void *)kernel, threads, bytes));
    *stack = attributes.localSizeBytes;
    return BG_OK;
}

extern "C" bg_status bg_cuda_quark_amplitudes(const cuda_task *t, const quark_space *s, bg_error *error)
{
    const size_t chip = s->on_chip ? (size_t)s->program.numbers * (size_t)s->events * sizeof(double) : 0;
    const unsigned all = (unsigned)((t->count + s->events - 1) / s->events);
    kernel_function *kernel = choose(s->events, s->on_chip);
    quark_work work;
    work.program = s->program;
    work.process = s->process;
    work.question = t->question;
    work.momenta = t->momenta;
    work.count = t->count;
    work.configurations = s->configurations;
    work.pitch = t->pitch;
    work.columns = 2 * (size_t)s->configurations * t->pitch;
    work.amplitude = t->amplitude;
    work.memory = s->memory;
    CUDA_TRY(error, cudaFuncSetAttribute((const void *)kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)chip));
    const unsigned blocks = s->blocks < all ? s->blocks : all;
    kernel<<<blocks, (unsigned)s->threads, chip, t->stream>>>(work);
    CUDA_LAUNCHED(error, "quark_kernel");
    return BG_OK;
}
