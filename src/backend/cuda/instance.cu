/* The paper's ordered algorithms on a GPU for one n_out (BG_LETTERS), with real (BG_PARTS 1) or complex
 * (BG_PARTS 2) currents.
 *
 * One event a thread. The station headers are those of the CPU, with `real` a double. BG_STRAIGHT lays
 * the recursion out without loops, so that currents live in registers; without it they live in
 * thread-local arrays, which the L1 cache holds.
 */
#include "backend/cuda/events.cuh"

#define BG_ORDERED_LEGS (BG_LETTERS + 2)
#define BG_MAX_PARTS BG_PARTS
#include "amplitude/cooperative.h"
#include "amplitude/invariants.h"
#include "amplitude/ordered.h"
#include "color/sampling.h"

enum { N = BG_LETTERS, GLUONS = BG_LETTERS + 2, PARTS = BG_PARTS };

/* Blocks that share a multiprocessor: two leave 255 registers to a thread, which the recursion needs. */
enum { RESIDENT = 2 };

/* Where an event's external gluons are: momenta, states and propagators, `pitch` numbers a row. */
typedef struct externals {
    const double *p, *state, *propagator;
    size_t pitch;
    int states, one; /* one drawn ordering: propagators by run, otherwise by set (invariants.h) */
} externals;

/* ---- external gluons --------------------------------------------------------------------------------- */

/* Row of the drawn ordering, after its propagators. */
enum { DRAWN = (GLUONS - 1) * GLUONS / 2 };

/* 1/P^2 of what the recursions ask for: the runs of a drawn ordering, or all sets of gluons. */
static __device__ __forceinline__ void store_propagators(const cuda_question *q, uint64_t number, const vec4 *p,
                                                         const vec4 *flight, double *to, size_t pitch)
{
    if (!q->one) {
        double value[BG_INVARIANTS(N)];
        const invariants values = {value, 1};
        invariants_of(N, p, flight, value);
#pragma unroll(N <= 5 ? 64 : 1) /* few: each set is a constant, and only its own sums remain */
        for (uint32_t set = 3; set < (2u << N) - 1u; set++) {
            if (!(set & (set - 1))) continue;
            to[set * pitch] = bg_inverse(invariants_square(N, &values, set));
        }
    } else {
        const light_frame frame = light_frame_of(p[0], p[GLUONS - 1]);
        vec4 ordered[GLUONS];
        double place[GLUONS], propagator[BG_ORDERED_RUNS];
        int order[GLUONS];
        ordering_draw(GLUONS, q->seed, number, q->draw, order);
        to[DRAWN * pitch] = __longlong_as_double((long long)packed_ordering(GLUONS, order));
        for (int k = 0; k < GLUONS; k++) {
            ordered[k] = p[order[k]];
            place[k] = order[k] == GLUONS - 1 ? 0. : 1.;
        }
        ordered_run_propagators(GLUONS, &frame, p[GLUONS - 1], ordered, place, propagator);
#pragma unroll
        for (int k = GLUONS - 1; k < run_count(GLUONS - 1); k++) to[k * pitch] = propagator[k];
    }
}

static __device__ __forceinline__ uint64_t drawn_ordering(const externals *x)
{
    return (uint64_t)__double_as_longlong(x->propagator[DRAWN * x->pitch]);
}

static __device__ __forceinline__ run_propagators propagators_of(const externals *x, uint64_t ordering)
{
    const run_propagators of = {x->propagator, x->pitch, !x->one, ordering};
    return of;
}

static __global__ void external_kernel(cuda_question q, bg_momenta momenta, int count, size_t pitch, double *p,
                                       double *state, double *propagator)
{
    const size_t event = (size_t)blockIdx.x * CUDA_BLOCK + threadIdx.x;
    const size_t from = event < (size_t)count ? event : (size_t)count - 1; /* the padding repeats the last event */
    vec4 v[GLUONS], flight[GLUONS], s[2 * GLUONS];
#pragma unroll
    for (int k = 0; k < GLUONS; k++) {
        v[k] = event_momentum(&momenta, from, k);
        strided_store(p + (size_t)(4 * k) * pitch + event, pitch, v[k]);
    }
    external_directions(GLUONS, v, flight);
    store_propagators(&q, event_number(&q, from), v, flight, propagator + event, pitch);
    event_states_along(GLUONS, q.mode, &q, from, flight, s);
    const int per = helicity_states(q.mode) * PARTS;
    for (int k = 0; k < GLUONS * per; k++) strided_store(state + (size_t)(4 * k) * pitch + event, pitch, s[k]);
}

/* ---- one color-ordered amplitude ----------------------------------------------------------------------- */

/* A of configuration h in the given ordering. Not inlined: the kernels below share one copy. */
template <int TENSOR> static __device__ __noinline__ void ordered(externals x, uint64_t ordering, unsigned h, double *a)
{
    vec4 q[GLUONS], e[PARTS * GLUONS];
#pragma unroll
    for (int k = 0; k < GLUONS; k++) {
        const int g = packed_gluon(ordering, k);
        const int s = x.states == 2 ? (int)(h >> g & 1u) : 0;
        q[k] = strided_load(x.p + (size_t)(4 * g) * x.pitch, x.pitch);
#pragma unroll
        for (int b = 0; b < PARTS; b++)
            e[k * PARTS + b] =
                strided_load(x.state + (size_t)(4 * ((g * x.states + s) * PARTS + b)) * x.pitch, x.pitch);
    }
    const run_propagators of = propagators_of(&x, ordering);
    if (TENSOR)
        ordered_amplitude_tensor(GLUONS, PARTS, q, e, &of, a);
    else
        ordered_amplitude_quartic(GLUONS, PARTS, q, e, &of, a);
}

static __device__ __forceinline__ double square(const double *a)
{
    return PARTS == 2 ? a[0] * a[0] + a[PARTS - 1] * a[PARTS - 1] : a[0] * a[0];
}

static __device__ __forceinline__ externals at_event(externals x, size_t event)
{
    x.p += event;
    x.state += event;
    x.propagator += event;
    return x;
}

/* ---- summed colors -------------------------------------------------------------------------------------- */

/* Amplitudes of the orderings of one slice (y) in one configuration (z), for the color sum. */
template <int TENSOR>
static __global__ __launch_bounds__(CUDA_BLOCK, RESIDENT) void amplitude_kernel(externals x, const uint64_t *orderings,
                                                                                uint64_t size,
                                                                                unsigned first_configuration,
                                                                                double *amplitude, size_t columns)
{
    const size_t event = (size_t)blockIdx.x * CUDA_BLOCK + threadIdx.x;
    const size_t column = (size_t)blockIdx.z * PARTS * x.pitch + event;
    const uint64_t first = (uint64_t)blockIdx.y * CUDA_ORDERINGS;
    const uint64_t end = first + CUDA_ORDERINGS < size ? first + CUDA_ORDERINGS : size;
    const externals mine = at_event(x, event);
    for (uint64_t s = first; s < end; s++) {
        double a[PARTS];
        ordered<TENSOR>(mine, orderings[s], first_configuration + blockIdx.z, a);
#pragma unroll
        for (int b = 0; b < PARTS; b++) amplitude[s * columns + column + (size_t)b * x.pitch] = a[b];
    }
}

/* Few gluons: external gluons and all orderings in one go, everything in registers. The orderings are
 * constants of the code. */
#if BG_LETTERS <= 3 && BG_PARTS == 1
#define FUSED 1

template <int RANK>
static __device__ __forceinline__ void fused_ordering(const vec4 *p, const vec4 *e, const double *of, size_t columns,
                                                      double *amplitude)
{
    constexpr permutation order = permutation_word(N, N, RANK);
    vec4 q[GLUONS], f[GLUONS];
    double a[1], propagator[BG_ORDERED_RUNS];
    int gluon[GLUONS];
    uint32_t set[BG_ORDERED_RUNS];
    gluon[0] = 0;
    gluon[GLUONS - 1] = GLUONS - 1;
    q[0] = p[0];
    f[0] = e[0];
    q[GLUONS - 1] = p[GLUONS - 1];
    f[GLUONS - 1] = e[GLUONS - 1];
#pragma unroll
    for (int k = 0; k < N; k++) {
        q[k + 1] = p[order.at[k] + 1];
        f[k + 1] = e[order.at[k] + 1];
        gluon[k + 1] = order.at[k] + 1;
    }
    ordered_sets(GLUONS, gluon, set);
    ordered_propagators(GLUONS, set, of, propagator);
    const run_propagators by_run = {propagator, 1, 0, 0};
    ordered_amplitude_quartic(GLUONS, 1, q, f, &by_run, a);
    amplitude[RANK * columns] = a[0];
}

static __device__ __forceinline__ void fused_orderings(const vec4 *p, const vec4 *e, const double *of, size_t columns,
                                                       double *amplitude)
{
    fused_ordering<0>(p, e, of, columns, amplitude);
    fused_ordering<1>(p, e, of, columns, amplitude);
#if BG_LETTERS == 3
    fused_ordering<2>(p, e, of, columns, amplitude);
    fused_ordering<3>(p, e, of, columns, amplitude);
    fused_ordering<4>(p, e, of, columns, amplitude);
    fused_ordering<5>(p, e, of, columns, amplitude);
#endif
}

/* Two outgoing gluons in one configuration need no more than 128 registers: four blocks. */
static constexpr int fused_resident(int mode) { return N == 2 && mode != HELICITY_BASIS ? 4 : RESIDENT; }

template <int MODE>
static __global__ __launch_bounds__(CUDA_BLOCK, fused_resident(MODE)) void fused_kernel(
    cuda_question q, bg_momenta momenta, int count, size_t pitch, unsigned first_configuration, unsigned configurations,
    double *amplitude, size_t columns)
{
    const size_t event = (size_t)blockIdx.x * CUDA_BLOCK + threadIdx.x;
    const size_t from = event < (size_t)count ? event : (size_t)count - 1;
    vec4 p[GLUONS], flight[GLUONS], state[2 * GLUONS];
    momenta.incoming = 1u | 1u << (GLUONS - 1); /* the ends of a line of gluons: a constant here */
#pragma unroll
    for (int k = 0; k < GLUONS; k++) p[k] = event_momentum(&momenta, from, k);
    external_directions(GLUONS, p, flight);
    event_states_along(GLUONS, MODE, &q, from, flight, state);
    double value[BG_INVARIANTS(N)], of[2 << N];
    const invariants values = {value, 1};
    invariants_of(N, p, flight, value);
#pragma unroll
    for (uint32_t set = 3; set < (2u << N) - 1u; set++)
        if (set & (set - 1)) of[set] = bg_inverse(invariants_square(N, &values, set));
    if constexpr (MODE != HELICITY_BASIS) {
        fused_orderings(p, state, of, columns, amplitude + event);
    } else {
#pragma unroll 1
        for (unsigned h = 0; h < configurations; h++) {
            vec4 e[GLUONS];
#pragma unroll
            for (int k = 0; k < GLUONS; k++) {
                const int second = (int)((first_configuration + h) >> k & 1u);
                e[k].t = second ? state[2 * k + 1].t : state[2 * k].t;
                e[k].x = second ? state[2 * k + 1].x : state[2 * k].x;
                e[k].y = second ? state[2 * k + 1].y : state[2 * k].y;
                e[k].z = second ? state[2 * k + 1].z : state[2 * k].z;
            }
            fused_orderings(p, e, of, columns, amplitude + h * pitch + event);
        }
    }
}
#else
#define FUSED 0
#endif

/* ---- leading color: sum over orderings of |A|^2 ----------------------------------------------------------- */

/* What one launch does of the sum: summands [from, to) of each slice, slices [slice, slice + slices). Sums over all
 * helicities of many orderings last for minutes, and nobody can interrupt a kernel. A later piece of a slice goes on
 * where the earlier one stopped, so how a sum is cut does not change its rounding. */
typedef struct piece {
    uint64_t size; /* orderings in all */
    uint64_t slice, slices;
    unsigned from, to;
} piece;

static __device__ __forceinline__ uint64_t piece_first(const piece *p, uint64_t slice)
{
    return slice * CUDA_SUMMANDS + p->from;
}

static __device__ __forceinline__ uint64_t piece_end(const piece *p, uint64_t slice)
{
    const uint64_t end = slice * CUDA_SUMMANDS + p->to;
    return end < p->size ? end : p->size;
}

template <int TENSOR>
static __global__ __launch_bounds__(CUDA_BLOCK, RESIDENT) void leading_kernel(cuda_question q, externals x,
                                                                              const uint64_t *orderings, piece part,
                                                                              double *partial)
{
    const size_t event = (size_t)blockIdx.x * CUDA_BLOCK + threadIdx.x;
    const uint64_t slice = part.slice + blockIdx.y;
    const uint64_t first = piece_first(&part, slice), end = piece_end(&part, slice);
    const unsigned configurations = (unsigned)helicity_configurations(GLUONS, q.mode);
    const externals mine = at_event(x, event);
    const uint64_t drawn = q.one ? drawn_ordering(&mine) : 0;
    double *result = partial + (size_t)slice * x.pitch + event, sum = part.from ? *result : 0.;
    for (uint64_t s = first; s < end; s++) {
        const uint64_t ordering = q.one ? drawn : orderings[s];
        for (unsigned h = 0; h < configurations; h++) {
            double a[PARTS];
            ordered<TENSOR>(mine, ordering, h, a);
            sum += square(a);
        }
    }
    *result = sum;
}

/* The layout of Tess: GLUONS - 1 neighboring lanes of a warp share an event, its currents lie in shared
 * memory, lane i works on the runs that start at gluon i. */
enum {
    TEAM = GLUONS - 1,
    TEAMS = 32 / TEAM, /* events of a warp */
    STORE = (GLUONS - 1) * ((1 + PARTS) * 4 + 1) * GLUONS,
    FITTING = 48 * 1024 / (TEAMS * STORE * 8),
    WARPS = FITTING < 1   ? 1
            : FITTING > 4 ? 4
                          : FITTING,
    COOPERATIVE_EVENTS = WARPS * TEAMS
};

static __device__ __forceinline__ double cooperative_square(double *store, int lane, const vec4 *last)
{
    double a[2] = {0., 0.};
#pragma unroll 1
    for (int length = 2; length < GLUONS - 1; length++) {
        __syncwarp();
        if (lane + length <= GLUONS - 1) cooperative_step(GLUONS, PARTS, store, length, lane);
    }
    __syncwarp();
    if (lane == 0) {
        vec4 numerator[2];
        cooperative_numerator(GLUONS, PARTS, store, GLUONS - 1, 0, numerator);
        ordered_close(PARTS, last, numerator, a);
    }
    __syncwarp();
    return square(a);
}

static __global__ __launch_bounds__(32 * WARPS) void cooperative_kernel(cuda_question q, externals x, int count,
                                                                        const uint64_t *orderings, piece part,
                                                                        double *partial)
{
    __shared__ double stores[COOPERATIVE_EVENTS][STORE];
    const int warp = (int)threadIdx.x / 32, in_warp = (int)threadIdx.x % 32;
    const int team = in_warp / TEAM, lane = in_warp % TEAM;
    const int slot = warp * TEAMS + (team < TEAMS ? team : 0);
    const size_t event = (size_t)blockIdx.x * COOPERATIVE_EVENTS + (size_t)slot;
    const int idle = team >= TEAMS || event >= (size_t)count;
    const size_t from = idle ? 0 : event;
    double *store = stores[slot];
    const externals mine = at_event(x, from);
    const uint64_t slice = part.slice + blockIdx.y;
    const uint64_t first = piece_first(&part, slice), end = piece_end(&part, slice);
    const unsigned configurations = (unsigned)helicity_configurations(GLUONS, q.mode);
    const int place = idle ? GLUONS : lane; /* lanes without work keep step at the barriers */
    const uint64_t drawn = q.one ? drawn_ordering(&mine) : 0;
    double *result = partial + (size_t)slice * x.pitch + from, sum = part.from ? *result : 0.;
    for (uint64_t s = first; s < end; s++) {
        const uint64_t ordering = q.one ? drawn : orderings[s];
        const int g = packed_gluon(ordering, lane), last = packed_gluon(ordering, GLUONS - 1);
        if (!idle) {
            const run_propagators of = propagators_of(&mine, ordering);
            cooperative_save(GLUONS, PARTS, store, 1, 0, lane,
                             strided_load(mine.p + (size_t)(4 * g) * x.pitch, x.pitch));
#pragma unroll 1
            for (int length = 2; length < GLUONS - 1 && lane + length < GLUONS; length++)
                cooperative_propagators(GLUONS, PARTS, store, length)[lane] =
                    run_propagator(GLUONS - 1, &of, lane, length);
        }
        for (unsigned h = 0; h < configurations; h++) {
            vec4 ends[PARTS];
            const int own = x.states == 2 ? (int)(h >> g & 1u) : 0, closing = x.states == 2 ? (int)(h >> last & 1u) : 0;
#pragma unroll
            for (int b = 0; b < PARTS; b++) {
                const size_t row = (size_t)(4 * ((g * x.states + own) * PARTS + b));
                const size_t row_last = (size_t)(4 * ((last * x.states + closing) * PARTS + b));
                if (!idle)
                    cooperative_save(GLUONS, PARTS, store, 1, 1 + b, lane,
                                     strided_load(mine.state + row * x.pitch, x.pitch));
                ends[b] = strided_load(mine.state + row_last * x.pitch, x.pitch);
            }
            sum += cooperative_square(store, place, ends);
        }
    }
    if (!idle && lane == 0) *result = sum;
}

/* ---- sampled colors, ordered amplitudes --------------------------------------------------------------------- */

/* All orderings that the drawn colors leave, in one configuration (y). */
template <int TENSOR>
static __global__ __launch_bounds__(CUDA_BLOCK, RESIDENT) void sampled_kernel(cuda_question q, externals x, int count,
                                                                              double *partial)
{
    const size_t event = (size_t)blockIdx.x * CUDA_BLOCK + threadIdx.x;
    const size_t from = event < (size_t)count ? event : (size_t)count - 1;
    const color_flow flow = color_flow_draw(GLUONS, q.seed, event_number(&q, from), q.draw);
    const externals mine = at_event(x, event);
    double total[2] = {0., 0.};
    color_walk walk;
    color_walk_start(&walk);
    while (color_walk_next(GLUONS, &flow, &walk)) {
        double a[PARTS];
        ordered<TENSOR>(mine, packed_ordering(GLUONS, walk.order), blockIdx.y, a);
#pragma unroll
        for (int b = 0; b < PARTS; b++) total[b] += a[b];
    }
    partial[(size_t)blockIdx.y * x.pitch + event] = flow.weight * square(total);
}

/* ---- launches --------------------------------------------------------------------------------------------- */

static externals externals_of(const cuda_task *t)
{
    externals x = {t->p, t->state, t->propagator, t->pitch, helicity_states(t->question.mode), t->question.one};
    return x;
}

static bg_status prepare_externals(const cuda_task *t, bg_error *error)
{
    external_kernel<<<(unsigned)(t->pitch / CUDA_BLOCK), CUDA_BLOCK, 0, t->stream>>>(
        t->question, t->momenta, t->count, t->pitch, t->p, t->state, t->propagator);
    CUDA_LAUNCHED(error, "external_kernel");
    return BG_OK;
}

static bg_status launch_amplitudes(const cuda_task *t, unsigned first, unsigned configurations, size_t columns,
                                   bg_error *error)
{
    const cuda_question *q = &t->question;
#if FUSED
    if (!q->tensor) {
        auto kernel = q->mode == HELICITY_BASIS   ? fused_kernel<HELICITY_BASIS>
                      : q->mode == HELICITY_ANGLE ? fused_kernel<HELICITY_ANGLE>
                      : q->mode == HELICITY_PHASE ? fused_kernel<HELICITY_PHASE>
                                                  : fused_kernel<HELICITY_LINEAR>;
        if (t->orderings_count == (N == 2 ? 2 : 6)) {
            kernel<<<(unsigned)(t->pitch / CUDA_BLOCK), CUDA_BLOCK, 0, t->stream>>>(
                *q, t->momenta, t->count, t->pitch, first, configurations, t->amplitude, columns);
            CUDA_LAUNCHED(error, "fused_kernel");
            return BG_OK;
        }
    }
#endif
    const dim3 grid((unsigned)(t->pitch / CUDA_BLOCK),
                    (unsigned)((t->orderings_count + CUDA_ORDERINGS - 1) / CUDA_ORDERINGS), configurations);
    (q->tensor ? amplitude_kernel<1> : amplitude_kernel<0>)<<<grid, CUDA_BLOCK, 0, t->stream>>>(
        externals_of(t), t->orderings, t->orderings_count, first, t->amplitude, columns);
    CUDA_LAUNCHED(error, "amplitude_kernel");
    return BG_OK;
}

/* The adjoint basis of few gluons needs no external kernel before it. */
static int fused(const cuda_task *t) { return FUSED && !t->question.tensor && t->orderings_count == (N == 2 ? 2 : 6); }

static bg_status evaluate_summed(cuda_task *t, bg_error *error)
{
    const unsigned all = (unsigned)helicity_configurations(GLUONS, t->question.mode);
    /* As many configurations at a time as there are columns for. */
    unsigned group = 1;
    while (2 * group <= all && 2 * group * PARTS * t->pitch <= t->columns) group *= 2;
    const size_t columns = (size_t)group * PARTS * t->pitch;
    bg_status status = bg_cuda_mark(t, CUDA_PART_NONE, error);
    if (status == BG_OK && !fused(t)) status = prepare_externals(t, error);
    for (unsigned h = 0; h < all && status == BG_OK && !bg_interrupted(t->interrupt); h += group) {
        status = launch_amplitudes(t, h, group, columns, error);
        if (status == BG_OK) status = bg_cuda_mark(t, CUDA_PART_AMPLITUDES, error);
        if (status == BG_OK)
            status = bg_cuda_color_sum(t->stream, t->orderings_count, t->matrix, t->amplitude, columns, t->tile,
                                       t->partial + (size_t)h * PARTS * t->pitch, error);
        if (status == BG_OK) status = bg_cuda_mark(t, CUDA_PART_COLOR_SUM, error);
    }
    t->slices = (uint64_t)all * PARTS;
    return status;
}

static void launch_leading(const cuda_task *t, piece part)
{
    const cuda_question *q = &t->question;
    const dim3 grid((unsigned)(t->pitch / CUDA_BLOCK), (unsigned)part.slices);
    (q->tensor ? leading_kernel<1> : leading_kernel<0>)<<<grid, CUDA_BLOCK, 0, t->stream>>>(
        *q, externals_of(t), t->orderings, part, t->partial);
}

static void launch_cooperative(const cuda_task *t, piece part)
{
    const dim3 grid((unsigned)((t->count + COOPERATIVE_EVENTS - 1) / COOPERATIVE_EVENTS), (unsigned)part.slices);
    cooperative_kernel<<<grid, 32 * WARPS, 0, t->stream>>>(t->question, externals_of(t), t->count, t->orderings, part,
                                                           t->partial);
}

/* The sum over orderings by launches of some tenths of a second at most: an amplitude is about 50 operations for each
 * triple of gluons, and a device does 5e12 a second or more. There are threads enough for all multiprocessors. */
static bg_status sum_orderings(cuda_task *t, void (*launch)(const cuda_task *t, piece part), bg_error *error)
{
    const uint64_t size = t->question.one ? 1 : t->orderings_count;
    const uint64_t slices = (size + CUDA_SUMMANDS - 1) / CUDA_SUMMANDS;
    const uint64_t each = (uint64_t)helicity_configurations(GLUONS, t->question.mode) * t->pitch;
    const uint64_t most = 20000000000u / (GLUONS * GLUONS * GLUONS), filling = (1u << 17) / t->pitch + 1;
    uint64_t group = slices;
    unsigned step = CUDA_SUMMANDS;
    if (each * size > most) {
        group = most / (each * CUDA_SUMMANDS);
        if (group < filling) group = filling;
        if (group > slices) group = slices;
        const uint64_t summands = most / (each * group);
        step = summands < 1 ? 1 : summands > CUDA_SUMMANDS ? CUDA_SUMMANDS : (unsigned)summands;
    }
    t->slices = slices;
    bg_status status = prepare_externals(t, error);
    if (status != BG_OK) return status;
    for (uint64_t slice = 0; slice < slices; slice += group)
        for (unsigned from = 0; from < CUDA_SUMMANDS && from < size; from += step) {
            const unsigned to = from + step < CUDA_SUMMANDS ? from + step : CUDA_SUMMANDS;
            launch(t, {size, slice, slices - slice < group ? slices - slice : group, from, to});
            CUDA_LAUNCHED(error, "sum over orderings");
            if (group == slices && step == CUDA_SUMMANDS) continue;
            CUDA_TRY(error, cudaStreamSynchronize(t->stream));
            if (bg_interrupted(t->interrupt)) return BG_OK;
        }
    return BG_OK;
}

static bg_status evaluate_sampled(cuda_task *t, bg_error *error)
{
    const cuda_question *q = &t->question;
    bg_status status = prepare_externals(t, error);
    if (status != BG_OK) return status;
    t->slices = (uint64_t)helicity_configurations(GLUONS, q->mode);
    const dim3 grid((unsigned)(t->pitch / CUDA_BLOCK), (unsigned)t->slices);
    (q->tensor ? sampled_kernel<1> : sampled_kernel<0>)<<<grid, CUDA_BLOCK, 0, t->stream>>>(*q, externals_of(t),
                                                                                            t->count, t->partial);
    CUDA_LAUNCHED(error, "sampled_kernel");
    return BG_OK;
}

static bg_status evaluate(cuda_algorithm algorithm, cuda_task *t, bg_error *error)
{
    switch (algorithm) {
    case CUDA_SUMMED: return evaluate_summed(t, error);
    case CUDA_LEADING: return sum_orderings(t, launch_leading, error);
    case CUDA_COOPERATIVE: return sum_orderings(t, launch_cooperative, error);
    case CUDA_SAMPLED: return evaluate_sampled(t, error);
    default: return bg_cuda_dressed(PARTS, t, error);
    }
}

static bg_status resources(cuda_algorithm algorithm, const cuda_question *q, size_t *on_chip, size_t *stack,
                           bg_error *error)
{
    const void *kernel = nullptr;
    switch (algorithm) {
    case CUDA_SUMMED: kernel = (const void *)(q->tensor ? amplitude_kernel<1> : amplitude_kernel<0>); break;
    case CUDA_LEADING: kernel = (const void *)(q->tensor ? leading_kernel<1> : leading_kernel<0>); break;
    case CUDA_COOPERATIVE: kernel = (const void *)cooperative_kernel; break;
    case CUDA_SAMPLED: kernel = (const void *)(q->tensor ? sampled_kernel<1> : sampled_kernel<0>); break;
    default: *on_chip = 0; return bg_cuda_dressed_resources(PARTS, stack, error);
    }
    cudaFuncAttributes attributes;
    CUDA_TRY(error, cudaFuncGetAttributes(&attributes, kernel));
    *on_chip = algorithm == CUDA_COOPERATIVE ? attributes.sharedSizeBytes / COOPERATIVE_EVENTS : 0;
    *stack = attributes.localSizeBytes;
    return BG_OK;
}

#define PASTE(a, b, c, d) a##b##c##d
#define SYMBOL(n, parts) PASTE(bg_cuda_, n, _, parts)

extern "C" const cuda_instance SYMBOL(BG_LETTERS, BG_PARTS);
extern "C" const cuda_instance SYMBOL(BG_LETTERS, BG_PARTS) = {N, PARTS, evaluate, resources};
