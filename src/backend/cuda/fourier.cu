/* The color sum by Fourier transform on the device: executes the tables of products.h on tensor cores.
 *
 * Neighboring threads have neighboring columns of amplitudes. N = 5 and 6 are one kernel that reads the amplitudes
 * once: transform in registers, forms from shared memory. Above, one kernel transforms over S_5 in place, one each
 * climbs to S_6, S_7, ... and one computes the forms, whose squares are added up at last. Every sum has a fixed order.
 */
#define BG_STRAIGHT
#include "backend/cuda/fast.h"
#include "backend/cuda/tensor.cuh"

enum { LANES = 32, ADDERS = 32 };

/* ---- on chip: the panel ---------------------------------------------------------------------------------- */

/* Four neighboring rows of eight columns are what a step of tensor cores reads: columns are shuffled so that they are
 * in different banks. */
template <int COLUMNS> static __device__ __forceinline__ int panel_at(int row, int column)
{
    return row * COLUMNS + (column ^ (row & 3) << 2);
}

/* Rows behind the last one that the last step of a product may touch: their coefficients are zero. */
template <int COLUMNS> static __device__ __forceinline__ void clear_rest(const product_chip &c, double *panel)
{
    for (int k = (int)threadIdx.x; k < PRODUCT_STEP * COLUMNS; k += (int)blockDim.x)
        panel[2 * c.rows * COLUMNS + k] = 0.;
}

/* Even and odd combinations of two runs, their transforms, to the panel. */
template <int SIZE, int COLUMNS>
static __device__ __forceinline__ void fill_panel(const product_chip &c, const double *even, const double *odd,
                                                  size_t columns, int run, int column, double *panel)
{
    double f[SIZE], g[SIZE];
#pragma unroll
    for (int e = 0; e < SIZE; e++) { /* read once: the first-level cache is for coefficients */
        f[e] = __ldcg(even + (size_t)e * columns);
        g[e] = __ldcg(odd + (size_t)e * columns);
    }
#pragma unroll
    for (int e = 0; e < SIZE; e++) {
        const double p = f[e], q = g[e];
        f[e] = p + q;
        g[e] = p - q;
    }
    product_climb(SIZE, c.climb, f);
    product_climb(SIZE, c.climb, g);
#pragma unroll
    for (int e = 0; e < SIZE; e++) {
        double *at = panel + panel_at<COLUMNS>(c.row[e] + run * c.step[e], column);
        at[0] = f[e];
        at[c.rows * COLUMNS] = g[e]; /* a multiple of 4 rows */
    }
}

/* 16 rows times the panel: D groups of all its columns, which start `stride` rows apart. Coefficients of some steps are
 * on their way together. */
template <int D, int COLUMNS, int STEPS>
static __device__ __forceinline__ void multiply_panel(const chip_task &t, const double2 *coefficient,
                                                      const double *panel, double result[D][COLUMNS / 8][4])
{
    const int lane = (int)threadIdx.x % LANES;
    const double2 *left = coefficient + (size_t)t.left * LANES + lane;
    const double *right[D][COLUMNS / 8];
#pragma unroll
    for (int b = 0; b < D; b++)
#pragma unroll
        for (int j = 0; j < COLUMNS / 8; j++) {
            right[b][j] = panel + panel_at<COLUMNS>(t.panel + b * t.stride + lane % 4, 8 * j + lane / 4);
#pragma unroll
            for (int c = 0; c < 4; c++) result[b][j][c] = 0.;
        }
#pragma unroll 1
    for (int s = 0; s < t.steps; s += STEPS) {
        double2 a[STEPS];
#pragma unroll
        for (int u = 0; u < STEPS; u++)
            if (s + u < t.steps) a[u] = left[(s + u) * LANES];
#pragma unroll
        for (int u = 0; u < STEPS; u++) {
            if (s + u >= t.steps) break;
#pragma unroll
            for (int b = 0; b < D; b++)
#pragma unroll
                for (int j = 0; j < COLUMNS / 8; j++)
                    multiply_add_tile(result[b][j], a[u].x, a[u].y, right[b][j][(s + u) * PRODUCT_STEP * COLUMNS]);
        }
    }
}

template <int D, int COLUMNS, int STEPS>
static __device__ __forceinline__ void add_squares(const chip_task &t, const double2 *coefficient, const double *panel,
                                                   double total[COLUMNS / 8][2])
{
    double z[D][COLUMNS / 8][4];
    multiply_panel<D, COLUMNS, STEPS>(t, coefficient, panel, z);
#pragma unroll
    for (int b = 0; b < D; b++)
#pragma unroll
        for (int j = 0; j < COLUMNS / 8; j++) {
            total[j][0] += z[b][j][0] * z[b][j][0] + z[b][j][2] * z[b][j][2];
            total[j][1] += z[b][j][1] * z[b][j][1] + z[b][j][3] * z[b][j][3];
        }
}

/* ---- on chip: kernels ------------------------------------------------------------------------------------ */

/* All of it, N = 5 and 6: a thread for each pair of letters and column. */
template <int N> struct chip {
    enum {
        SIZE = N == 5 ? 6 : 24,
        COLUMNS = 16,
        PAIRS = N * (N - 1) / 2,
        WARPS = (PAIRS * COLUMNS + LANES - 1) / LANES,
        STEPS = N == 5 ? 3 : 6,  /* whose coefficients are loaded together */
        BLOCKS = N == 5 ? 6 : 2, /* of a multiprocessor */
        BYTES = (2 * PAIRS * SIZE + PRODUCT_STEP) * COLUMNS * 8
    };
};

template <int N>
static __global__ __launch_bounds__(chip<N>::WARPS *LANES,
                                    chip<N>::BLOCKS) void sum_kernel(const __grid_constant__ product_chip c,
                                                                     const chip_task *task, const double2 *coefficient,
                                                                     const uint32_t *place, const double *amplitude,
                                                                     size_t columns, double *sum)
{
    enum { COLUMNS = chip<N>::COLUMNS, PAIRS = chip<N>::PAIRS, WARPS = chip<N>::WARPS };
    extern __shared__ __align__(16) double panel[];
    __shared__ double sums[WARPS][COLUMNS];
    const int run = (int)threadIdx.x / COLUMNS, column = (int)threadIdx.x % COLUMNS;
    const int lane = (int)threadIdx.x % LANES, warp = (int)threadIdx.x / LANES;
    const double *A = amplitude + (size_t)blockIdx.x * COLUMNS + (size_t)column;
    clear_rest<COLUMNS>(c, panel);
    if (run < PAIRS)
        fill_panel<chip<N>::SIZE, COLUMNS>(c, A + place[run] * columns, A + place[PAIRS + run] * columns, columns, run,
                                           column, panel);
    __syncthreads();
    double total[COLUMNS / 8][2] = {};
    for (int n = warp; n < c.tasks; n += WARPS) {
        const chip_task t = task[n];
        if (CHIP_TOGETHER(N) == 1 || t.dimension == 1)
            add_squares<1, COLUMNS, chip<N>::STEPS>(t, coefficient, panel, total);
        else if (t.dimension == 2)
            add_squares<2, COLUMNS, chip<N>::STEPS>(t, coefficient, panel, total);
        else
            add_squares<3, COLUMNS, chip<N>::STEPS>(t, coefficient, panel, total);
    }
#pragma unroll
    for (int j = 0; j < COLUMNS / 8; j++)
#pragma unroll
        for (int c2 = 0; c2 < 2; c2++) {
            const double x = add_rows(total[j][c2]);
            if (lane < 4) sums[warp][8 * j + 2 * lane + c2] = x;
        }
    __syncthreads();
    if (threadIdx.x >= COLUMNS) return;
    double all = 0.;
    for (int w = 0; w < WARPS; w++) all += sums[w][column];
    sum[(size_t)blockIdx.x * COLUMNS + (size_t)column] = all;
}

/* Transforms over S_5 in place, N > 6: a thread for each run over S_4 and column. The two halves of a warp have the two
 * runs of a pair. */
enum {
    FIVE_COLUMNS = LANES / 2,
    FIVE_WARPS = 5,
    FIVE_STEPS = 4,
    FIVE_BLOCKS = 5,
    FIVE_BYTES = (2 * 120 + PRODUCT_STEP) * FIVE_COLUMNS * 8
};

static __global__ __launch_bounds__(FIVE_WARPS *LANES,
                                    FIVE_BLOCKS) void five_kernel(const __grid_constant__ product_chip c,
                                                                  const chip_task *task, const double2 *coefficient,
                                                                  const uint32_t *place, int cosets, double *amplitude,
                                                                  size_t columns)
{
    extern __shared__ __align__(16) double panel[];
    const int lane = (int)threadIdx.x % LANES, warp = (int)threadIdx.x / LANES;
    const int odd = lane / FIVE_COLUMNS, column = lane % FIVE_COLUMNS, pair = (int)blockIdx.y % cosets;
    const size_t start = blockIdx.y / (unsigned)cosets * 120;
    double *strip = amplitude + (size_t)blockIdx.x * FIVE_COLUMNS;
    double *run[2] = {strip + (place[pair] + start) * columns, strip + (place[cosets + pair] + start) * columns};
    const double *own = (odd ? run[1] : run[0]) + (size_t)(24 * warp) * columns + (size_t)column;
    double f[24];
    clear_rest<FIVE_COLUMNS>(c, panel);
#pragma unroll
    for (int e = 0; e < 24; e++) f[e] = __ldcg(own + (size_t)e * columns);
#pragma unroll
    for (int e = 0; e < 24; e++) {
        const double other = __shfl_xor_sync(~0u, f[e], FIVE_COLUMNS);
        f[e] = odd ? other - f[e] : f[e] + other;
    }
    product_climb(24, c.climb, f);
#pragma unroll
    for (int e = 0; e < 24; e++)
        panel[panel_at<FIVE_COLUMNS>(odd * c.rows + c.row[e] + warp * c.step[e], column)] = f[e];
    __syncthreads();
    for (int n = warp; n < c.tasks; n += FIVE_WARPS) {
        const chip_task t = task[n];
        double z[2][FIVE_COLUMNS / 8][4]; /* even and odd */
        multiply_panel<2, FIVE_COLUMNS, FIVE_STEPS>(t, coefficient, panel, z);
#pragma unroll
        for (int half = 0; half < 2; half++) {
            const int row = lane / 4 + 8 * half;
            if (row >= t.rows) continue;
            const size_t at = (size_t)place[t.out + (uint32_t)row] * columns + 2 * (lane % 4);
#pragma unroll
            for (int k = 0; k < 2; k++)
#pragma unroll
                for (int j = 0; j < FIVE_COLUMNS / 8; j++)
                    *(double2 *)(run[k] + at + 8 * j) = make_double2(z[k][j][2 * half], z[k][j][2 * half + 1]);
        }
    }
}

/* ---- in memory ------------------------------------------------------------------------------------------- */

/* A block multiplies up to TILES tiles of 16 rows of a left factor with a strip of COLUMNS columns. Its 8 warps stand 2 high
 * and 4 wide; a warp has every other tile of rows, so that all have work while a triangle of G^T grows. Warps by number,
 * for TILES = 8:
 *
 *     columns          0 .. 15    16 .. 31    32 .. 47    48 .. 63
 *     rows 0 .. 15        0          1           2           3        high = 0
 *     rows 16 .. 31       4          5           6           7        high = 1
 *     rows 32 .. 47       0          1           2           3        high = 0
 *     ..
 *     rows 112 .. 127     4          5           6           7        high = 1
 *
 * The product is done in slabs of 16 columns of the left factor, rows of the right one. Slabs of both come through shared
 * memory, AHEAD of their use:
 *
 *     buffer[AHEAD]:   left [tile of rows][step][lane][2]     as it lies in memory (products.h)
 *                      right [16 rows][PITCH]                 COLUMNS numbers of each row, and some unused
 */
enum { HIGH = 2, WIDE = 4, THREADS = HIGH * WIDE * LANES, AHEAD = 3, SLAB = PRODUCT_SLAB, STEPS = SLAB / PRODUCT_STEP };

template <int TILES> struct block_shape {
    enum {
        OWN = TILES / HIGH, /* tiles of rows of a warp */
        ACROSS = 8 / OWN,   /* ... and of columns, 8 each */
        COLUMNS = WIDE * ACROSS * 8,
        PITCH = COLUMNS + 4, /* reads of a step hit different banks */
        TILE = STEPS * PRODUCT_NUMBERS,
        LEFT = TILES * TILE,
        BUFFER = LEFT + SLAB * PITCH
    };
    typedef double results[OWN][ACROSS][4]; /* of a lane: see multiply_add_tile() */
};

/* Where a thread stands in its block. */
typedef struct block_place {
    int thread, lane, high, column; /* the column is the first one of the warp, in the strip */
} block_place;

template <int TILES> static __device__ __forceinline__ block_place own_place()
{
    const int thread = (int)threadIdx.x, warp = thread / LANES;
    const block_place p = {thread, thread % LANES, warp / WIDE, warp % WIDE * block_shape<TILES>::ACROSS * 8};
    return p;
}

/* 16 bytes from memory to shared memory, or zeros. */
static __device__ __forceinline__ void copy_pair(double *to, const double *from, bool there)
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"((unsigned)__cvta_generic_to_shared(to)),
                 "l"(from), "r"(there ? 16 : 0)
                 : "memory");
#else
    *(double2 *)to = there ? *(const double2 *)from : make_double2(0., 0.);
#endif
}

/* Copies come in groups, one a slab. */
static __device__ __forceinline__ void end_group()
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

/* Waits until no more than `left` groups are on their way. */
template <int left> static __device__ __forceinline__ void wait_groups()
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_group %0;" ::"n"(left) : "memory");
#endif
}

/* Brings a slab of the left factor: of those tiles of rows that have begun. */
template <int TILES>
static __device__ __forceinline__ void fetch_left(const product_tile &t, const double *coefficient, int thread,
                                                  int slab, double *left)
{
    typedef block_shape<TILES> shape;
    enum { PAIRS = shape::TILE / 2 };
#pragma unroll
    for (int u = 0; u < TILES * PAIRS / THREADS; u++) {
        const int pair = thread + u * THREADS, k = pair / PAIRS;
        if (slab < t.first[k]) continue;
        const size_t step = (size_t)t.left[k] + (size_t)((slab - t.first[k]) * STEPS);
        copy_pair(left + 2 * pair, coefficient + step * PRODUCT_NUMBERS + 2 * (pair % PAIRS), true);
    }
}

/* ... and of the right one: row k of the strip `from` is number argument[k] of the columns, zeros behind the last. */
template <int TILES>
static __device__ __forceinline__ void fetch_right(const uint32_t *argument, int depth, const double *from,
                                                   size_t columns, int thread, int slab, double *right)
{
    typedef block_shape<TILES> shape;
    enum { PAIRS = shape::COLUMNS / 2 };
#pragma unroll
    for (int u = 0; u < SLAB * PAIRS / THREADS; u++) {
        const int pair = thread + u * THREADS, row = pair / PAIRS, k = slab * SLAB + row;
        const int column = pair % PAIRS * 2;
        const size_t at = k < depth ? argument[k] * columns : 0;
        copy_pair(right + row * shape::PITCH + column, from + at + column, k < depth);
    }
}

/* One slab, for those of the tiles of a warp that have begun: `left` and `right` are the first numbers of this lane. */
template <int TILES, int BEGUN>
static __device__ __forceinline__ void multiply_slab(const double2 *left, const double *right,
                                                     typename block_shape<TILES>::results &z)
{
    typedef block_shape<TILES> shape;
#pragma unroll 2
    for (int s = 0; s < STEPS; s++) {
        double2 a[BEGUN];
        double b[shape::ACROSS];
#pragma unroll
        for (int j = 0; j < shape::ACROSS; j++) b[j] = right[s * PRODUCT_STEP * shape::PITCH + 8 * j];
#pragma unroll
        for (int i = 0; i < BEGUN; i++) a[i] = left[(HIGH * i * STEPS + s) * LANES];
#pragma unroll
        for (int i = 0; i < BEGUN; i++)
#pragma unroll
            for (int j = 0; j < shape::ACROSS; j++) multiply_add_tile(z[i][j], a[i].x, a[i].y, b[j]);
    }
}

/* The slab that lies in a buffer. The number of tiles that have begun is a constant of the code in every case. */
template <int TILES>
static __device__ __forceinline__ void multiply_begun(int begun, const block_place &p, const double *buffer,
                                                      typename block_shape<TILES>::results &z)
{
    typedef block_shape<TILES> shape;
    const double2 *left = (const double2 *)buffer + p.high * STEPS * LANES + p.lane;
    const double *right = buffer + shape::LEFT + p.lane % 4 * shape::PITCH + p.column + p.lane / 4;
    constexpr int three = shape::OWN < 3 ? 1 : 3, four = shape::OWN < 4 ? 1 : 4; /* fewer tiles: it does not happen */
    switch (begun) {
    case 1: multiply_slab<TILES, 1>(left, right, z); break;
    case 2: multiply_slab<TILES, 2>(left, right, z); break;
    case 3: multiply_slab<TILES, three>(left, right, z); break;
    case 4: multiply_slab<TILES, four>(left, right, z); break;
    default: break;
    }
}

/* Writes the rows of a product to their places. */
template <int TILES>
static __device__ __forceinline__ void store_rows(const product_tile &t, const uint32_t *place, const block_place &p,
                                                  const typename block_shape<TILES>::results &z, double *strip,
                                                  size_t columns)
{
    typedef block_shape<TILES> shape;
#pragma unroll
    for (int i = 0; i < shape::OWN; i++)
#pragma unroll
        for (int half = 0; half < 2; half++) {
            const int row = (HIGH * i + p.high) * PRODUCT_ROWS + p.lane / 4 + 8 * half;
            if (row >= t.rows) continue;
            double *at = strip + (size_t)place[t.out + (uint32_t)row] * columns + p.column + 2 * (p.lane % 4);
#pragma unroll
            for (int j = 0; j < shape::ACROSS; j++)
                *(double2 *)(at + 8 * j) = make_double2(z[i][j][2 * half], z[i][j][2 * half + 1]);
        }
}

/* Adds up the squares of the rows of this warp, column by column. */
template <int TILES>
static __device__ __forceinline__ void add_row_squares(const block_place &p,
                                                       const typename block_shape<TILES>::results &z, double *sums)
{
    typedef block_shape<TILES> shape;
#pragma unroll
    for (int j = 0; j < shape::ACROSS; j++)
#pragma unroll
        for (int c = 0; c < 2; c++) {
            double x = 0.;
#pragma unroll
            for (int i = 0; i < shape::OWN; i++) x += z[i][j][c] * z[i][j][c] + z[i][j][c + 2] * z[i][j][c + 2];
            x = add_rows(x);
            if (p.lane < 4) sums[p.column + 8 * j + 2 * p.lane + c] = x;
        }
}

/* Rows of one product, tile[number], with one strip of columns of one run. SQUARES: result[number][column] is the sum of
 * their squares; else they go to their places. */
template <int TILES, int SQUARES>
static __global__ __launch_bounds__(THREADS, 2) void product_kernel(const product_tile *tile, uint32_t count,
                                                                    const double *coefficient, const uint32_t *place,
                                                                    uint32_t run_length, const double *from,
                                                                    size_t columns, double *result)
{
    typedef block_shape<TILES> shape;
    extern __shared__ __align__(16) double buffer[]; /* [AHEAD][left, right], then the places of the arguments */
    __shared__ double sums[HIGH][shape::COLUMNS];
    __shared__ product_tile t;
    uint32_t *argument = (uint32_t *)(buffer + AHEAD * shape::BUFFER);

    const uint32_t strips = (uint32_t)(columns / shape::COLUMNS), strip = blockIdx.x % strips,
                   task = blockIdx.x / strips;
    const uint32_t number = task % count;
    const size_t start_of_strip = (size_t)(task / count) * run_length * columns + (size_t)strip * shape::COLUMNS;
    const block_place p = own_place<TILES>();
    if (p.thread < (int)(sizeof t / 4)) ((uint32_t *)&t)[p.thread] = ((const uint32_t *)&tile[number])[p.thread];
    __syncthreads();
    const int depth = t.depth, slabs = (depth + SLAB - 1) / SLAB, first = t.first[0];
    for (int k = first * SLAB + p.thread; k < depth; k += THREADS) argument[k] = place[t.in + (uint32_t)k];
    __syncthreads();

    auto fetch = [&](int slab) {
        double *left = buffer + slab % AHEAD * shape::BUFFER;
        fetch_left<TILES>(t, coefficient, p.thread, slab, left);
        fetch_right<TILES>(argument, depth, from + start_of_strip, columns, p.thread, slab, left + shape::LEFT);
    };
    int start[shape::OWN]; /* slabs that the tiles of this warp start with */
#pragma unroll
    for (int i = 0; i < shape::OWN; i++) start[i] = t.first[HIGH * i + p.high];
    typename shape::results z = {};
#pragma unroll
    for (int k = 0; k < AHEAD - 1; k++) {
        if (first + k < slabs) fetch(first + k);
        end_group();
    }
    for (int slab = first; slab < slabs; slab++) {
        wait_groups<AHEAD - 2>();
        __syncthreads();
        if (slab + AHEAD - 1 < slabs) fetch(slab + AHEAD - 1);
        end_group();
        int begun = 0;
#pragma unroll
        for (int i = 0; i < shape::OWN; i++) begun += slab >= start[i];
        multiply_begun<TILES>(begun, p, buffer + slab % AHEAD * shape::BUFFER, z);
    }

    if constexpr (!SQUARES) {
        store_rows<TILES>(t, place, p, z, result + start_of_strip, columns);
    } else {
        add_row_squares<TILES>(p, z, sums[p.high]);
        __syncthreads();
        if (p.thread >= shape::COLUMNS) return;
        result[(size_t)number * columns + (size_t)strip * shape::COLUMNS + (size_t)p.thread] =
            sums[0][p.thread] + sums[1][p.thread];
    }
}

/* ADDERS threads share a column. */
static __global__ __launch_bounds__(LANES *ADDERS) void add_kernel(uint32_t rows, const double *partial, size_t columns,
                                                                   double *sum)
{
    __shared__ double own[ADDERS][LANES];
    const size_t column = (size_t)blockIdx.x * LANES + threadIdx.x;
    double total = 0.;
    for (uint32_t k = threadIdx.y; k < rows; k += ADDERS) total += partial[(size_t)k * columns + column];
    own[threadIdx.y][threadIdx.x] = total;
    __syncthreads();
    if (threadIdx.y) return;
    for (int k = 1; k < ADDERS; k++) total += own[k][threadIdx.x];
    sum[column] = total;
}

/* ---- launches -------------------------------------------------------------------------------------------- */

/* More shared memory than a kernel gets unasked. */
#define CUDA_ALLOW(error, kernel, bytes)                                                                               \
    CUDA_TRY(error, cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)(bytes)))

template <int N>
static bg_status sum_on_chip(cudaStream_t stream, const fourier_tables *t, const double *amplitude, size_t columns,
                             double *sum, bg_error *error)
{
    CUDA_ALLOW(error, sum_kernel<N>, chip<N>::BYTES);
    sum_kernel<N><<<(unsigned)(columns / chip<N>::COLUMNS), chip<N>::WARPS * LANES, chip<N>::BYTES, stream>>>(
        t->chip, t->task, (const double2 *)t->coefficient, t->place, amplitude, columns, sum);
    CUDA_LAUNCHED(error, "sum_kernel");
    return BG_OK;
}

static size_t product_bytes(int depth, size_t buffer)
{
    return AHEAD * buffer * sizeof(double) + (size_t)depth * sizeof(uint32_t);
}

template <int TILES, int SQUARES>
static bg_status multiply(cudaStream_t stream, const fourier_tables *t, const product_stage *s, const double *from,
                          size_t columns, double *result, bg_error *error)
{
    typedef block_shape<TILES> shape;
    const size_t blocks = (size_t)s->count * s->runs * (columns / shape::COLUMNS);
    /* one limit for every n_out: it belongs to the kernel, which other threads may be launching for others */
    CUDA_ALLOW(error, (product_kernel<TILES, SQUARES>), product_bytes(PRODUCT_MOST_DEPTH, shape::BUFFER));
    product_kernel<TILES, SQUARES><<<(unsigned)blocks, THREADS, product_bytes(t->depth, shape::BUFFER), stream>>>(
        t->tile + s->first, s->count, t->coefficient, t->place, s->run, from, columns, result);
    CUDA_LAUNCHED(error, "product_kernel");
    return BG_OK;
}

/* `columns` is a multiple of CUDA_BLOCK. */
extern "C" bg_status bg_cuda_fourier_sum(cudaStream_t stream, const fourier_tables *t, double *amplitude, double *other,
                                         size_t columns, double *sum, bg_error *error)
{
    if (t->letters == 5) return sum_on_chip<5>(stream, t, amplitude, columns, sum, error);
    if (t->letters == 6) return sum_on_chip<6>(stream, t, amplitude, columns, sum, error);
    const dim3 grid((unsigned)(columns / FIVE_COLUMNS), (unsigned)(t->cosets * t->block / 120));
    CUDA_ALLOW(error, five_kernel, FIVE_BYTES);
    five_kernel<<<grid, FIVE_WARPS * LANES, FIVE_BYTES, stream>>>(t->chip, t->task, (const double2 *)t->coefficient,
                                                                  t->place, t->cosets, amplitude, columns);
    CUDA_LAUNCHED(error, "five_kernel");
    double *from = amplitude, *free_copy = other;
    bg_status status = BG_OK;
    for (int k = 0; k + 1 < t->stages && status == BG_OK; k++) {
        const product_stage *s = &t->stage[k];
        double *to = s->apart ? free_copy : from;
        status = s->tiles == PRODUCT_TILES ? multiply<PRODUCT_TILES, 0>(stream, t, s, from, columns, to, error)
                                           : multiply<PRODUCT_TILES / 2, 0>(stream, t, s, from, columns, to, error);
        if (s->apart) {
            free_copy = from;
            from = to;
        }
    }
    const product_stage *forms = &t->stage[t->stages - 1];
    if (status == BG_OK) status = multiply<PRODUCT_TILES, 1>(stream, t, forms, from, columns, free_copy, error);
    if (status != BG_OK) return status;
    add_kernel<<<(unsigned)(columns / LANES), dim3(LANES, ADDERS), 0, stream>>>(forms->count, free_copy, columns, sum);
    CUDA_LAUNCHED(error, "add_kernel");
    return BG_OK;
}

extern "C" size_t bg_cuda_fourier_chip(int letters)
{
    enum { FIXED = 4096 }; /* more than kernels have by themselves */
    if (letters == 5) return chip<5>::BYTES + FIXED;
    if (letters == 6) return chip<6>::BYTES + FIXED;
    return product_bytes(PRODUCT_MOST_DEPTH, block_shape<PRODUCT_TILES>::BUFFER) + FIXED;
}
