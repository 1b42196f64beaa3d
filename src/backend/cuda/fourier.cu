/* The color sum by Fourier transform on the device: the tables of color/fourier.h, executed as in color/transform.h
 * with one tile of results of one column of amplitudes a thread.
 *
 * Neighbouring threads have neighbouring columns: coefficients are the same for a warp, amplitudes are
 * whole lines. Neighbouring warps have tiles of other rows with the same data. Each step of the climb
 * reads one copy of the amplitudes and writes the other.
 */
#define BG_STRAIGHT
#include "backend/cuda/fast.h"
#include "color/transform.h"

/* A warp has 32 columns of one tile; WARPS neighbouring tiles make a block. */
enum { LANES = 32, WARPS = 8, ADDERS = 32 };

/* ---- steps, each for one thread ------------------------------------------------------------------------- */

/* Transform over S_3 of six neighbours. */
BG_FN void climb_three(double *A, size_t columns)
{
    double f[6];
    BG_UNROLL
    for (int k = 0; k < 6; k++) f[k] = A[(size_t)k * columns];
    transform_s3(f);
    BG_UNROLL
    for (int k = 0; k < 6; k++) A[(size_t)k * columns] = f[k];
}

/* A tile of the step to S_k, k = `order`, of one run of k! numbers; `sub` = (k - 1)!. */
BG_FN void climb_tile(const fourier_tile &t, const double *coefficient, int order, uint32_t sub, const double *from,
                      double *to, size_t columns)
{
    const double *in = from + (size_t)t.in * columns;
    double *out = to + (size_t)t.out * columns;
    coefficient += t.coefficient;
#define CLIMB(R, C)                                                                                                    \
    do {                                                                                                               \
        double z[R * C];                                                                                               \
        transform_tile(R, C, order, t.inner, coefficient, in, (size_t)sub *columns, (size_t)t.inner *columns, columns, \
                       z);                                                                                             \
        BG_UNROLL                                                                                                      \
        for (int k = 0; k < R * C; k++) out[(size_t)(k / C * t.stride + k % C) * columns] = z[k];                      \
    } while (0)
    BG_ANY_TILE(t.rows, t.columns, CLIMB);
#undef CLIMB
}

/* Even and odd combinations under the exchange of the first two letters, in place. */
BG_FN void combine_pair(double *even, double *odd)
{
    const double p = *even, q = *odd;
    *even = p + q;
    *odd = p - q;
}

template <int R, int C>
BG_FN double form_squares(const fourier_tile &t, const double *coefficient, const uint32_t *place, int cosets,
                          const double *A, size_t columns)
{
    const int d = t.stride;
    double z[R * C], total = 0.;
    BG_UNROLL
    for (int k = 0; k < R * C; k++) z[k] = 0.;
    for (int x = t.inner / d, a = t.inner % d; x < cosets; x++, a = 0) {
        transform_accumulate(R, C, d - a, coefficient, A + (size_t)(place[x] + t.in + (uint32_t)(a * d)) * columns,
                             (size_t)d * columns, columns, z);
        coefficient += (d - a) * R;
    }
    BG_UNROLL
    for (int k = 0; k < R * C; k++) total += z[k] * z[k];
    return total;
}

BG_FN double form_tile(const fourier_tile &t, const double *coefficient, const uint32_t *place, int cosets,
                       const double *A, size_t columns)
{
    double total = 0.;
    coefficient += t.coefficient;
    if (t.sign < 0) place += cosets;
#define FORM(R, C) total = form_squares<R, C>(t, coefficient, place, cosets, A, columns)
    BG_ANY_TILE(t.rows, t.columns, FORM);
#undef FORM
    return total;
}

/* ---- kernels -------------------------------------------------------------------------------------------- */

static __device__ __forceinline__ size_t own_column() { return (size_t)blockIdx.x * LANES + threadIdx.x; }
static __device__ __forceinline__ uint32_t own_task() { return blockIdx.y * WARPS + threadIdx.y; }

static __global__ __launch_bounds__(LANES *WARPS) void three_kernel(double *A, size_t columns, uint32_t groups)
{
    const uint32_t g = own_task();
    if (g < groups) climb_three(A + (size_t)g * 6 * columns + own_column(), columns);
}

static __global__ __launch_bounds__(LANES *WARPS) void climb_kernel(const fourier_tile *tile, uint32_t tiles,
                                                                    const double *coefficient, int k, uint32_t sub,
                                                                    uint32_t runs, const double *from, double *to,
                                                                    size_t columns)
{
    const uint32_t task = own_task(), run = task / tiles;
    const size_t start = (size_t)run * sub * (uint32_t)k * columns + own_column();
    if (run < runs) climb_tile(tile[task % tiles], coefficient, k, sub, from + start, to + start, columns);
}

static __global__ __launch_bounds__(LANES *WARPS) void combine_kernel(const uint32_t *place, int cosets, uint32_t block,
                                                                      double *A, size_t columns)
{
    const uint32_t task = own_task(), x = task / block, e = task % block;
    if (x >= (uint32_t)cosets) return;
    double *at = A + own_column();
    combine_pair(at + (size_t)(place[x] + e) * columns, at + (size_t)(place[cosets + x] + e) * columns);
}

static __global__ __launch_bounds__(LANES *WARPS) void square_kernel(const fourier_tile *tile, uint32_t tiles,
                                                                     const double *coefficient, const uint32_t *place,
                                                                     int cosets, const double *A, size_t columns,
                                                                     double *partial)
{
    const uint32_t task = own_task();
    const size_t column = own_column();
    if (task >= tiles) return;
    partial[(size_t)task * columns + column] = form_tile(tile[task], coefficient, place, cosets, A + column, columns);
}

/* ADDERS threads share a column. */
static __global__ __launch_bounds__(LANES *ADDERS) void add_kernel(uint32_t rows, const double *partial, size_t columns,
                                                                   double *sum)
{
    __shared__ double own[ADDERS][LANES];
    const size_t column = own_column();
    double total = 0.;
    for (uint32_t k = threadIdx.y; k < rows; k += ADDERS) total += partial[(size_t)k * columns + column];
    own[threadIdx.y][threadIdx.x] = total;
    __syncthreads();
    if (threadIdx.y) return;
    for (int k = 1; k < ADDERS; k++) total += own[k][threadIdx.x];
    sum[column] = total;
}

/* ---- launches -------------------------------------------------------------------------------------------- */

static dim3 grid_of(size_t columns, uint64_t tasks)
{
    return dim3((unsigned)(columns / LANES), (unsigned)((tasks + WARPS - 1) / WARPS));
}

/* `columns` is a multiple of LANES. */
extern "C" bg_status bg_cuda_fourier_sum(cudaStream_t stream, const fourier_device *d, double *amplitude, double *other,
                                         size_t columns, double *sum, bg_error *error)
{
    const dim3 block(LANES, WARPS);
    const uint32_t size = (uint32_t)(d->letters * (d->letters - 1) * d->block);
    three_kernel<<<grid_of(columns, size / 6), block, 0, stream>>>(amplitude, columns, size / 6);
    CUDA_LAUNCHED(error, "three_kernel");
    double *from = amplitude, *to = other;
    uint32_t sub = 6;
    for (int s = 0; s < d->stages; s++) {
        const uint32_t k = (uint32_t)d->k[s], tiles = d->first[s + 1] - d->first[s], runs = size / (sub * k);
        climb_kernel<<<grid_of(columns, (uint64_t)tiles * runs), block, 0, stream>>>(
            d->tile + d->first[s], tiles, d->coefficient, (int)k, sub, runs, from, to, columns);
        CUDA_LAUNCHED(error, "climb_kernel");
        double *swap = from;
        from = to;
        to = swap;
        sub *= k;
    }
    combine_kernel<<<grid_of(columns, size / 2), block, 0, stream>>>(d->place, d->cosets, (uint32_t)d->block, from,
                                                                     columns);
    CUDA_LAUNCHED(error, "combine_kernel");
    const uint32_t tiles = d->tiles - d->first[d->stages];
    square_kernel<<<grid_of(columns, tiles), block, 0, stream>>>(d->tile + d->first[d->stages], tiles, d->coefficient,
                                                                 d->place, d->cosets, from, columns, to);
    CUDA_LAUNCHED(error, "square_kernel");
    add_kernel<<<(unsigned)(columns / LANES), dim3(LANES, ADDERS), 0, stream>>>(tiles, to, columns, sum);
    CUDA_LAUNCHED(error, "add_kernel");
    return BG_OK;
}
