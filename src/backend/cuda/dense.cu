/* The color sum with the dense color matrix: sum over s, t of A_s C_st A_t for every column of amplitudes.
 *
 * C A is a matrix product and the dot product with A follows while it is still in registers. C is
 * symmetric: a block of rows meets the columns before it once, counted twice, and its own square. Where it is
 * small a thread does a whole column. The results of a column depend on nothing but that column,
 * and every sum has a fixed order.
 *
 * Two quark lines: exchanging the antiquarks maps one half of the structures onto the other half and leaves C alone. Then the sums and
 * the differences of the halves have forms of their own, and all of it takes half of the work (`paired`).
 */
#define BG_STRAIGHT
#include "backend/cuda/events.cuh"
#include "backend/cuda/tensor.cuh"

#include "base/mean.h"
#include "color/form.h"

/* ---- the matrix -------------------------------------------------------------------------------------- */

/* The letters of an ordering stand at places 1, 2, ... and count from 1. */
static __global__ void matrix_kernel(int letters, uint64_t size, const uint64_t *orderings, const float *function,
                                     float *matrix)
{
    const uint64_t t = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x, s = blockIdx.y;
    if (t >= size) return;
    uint64_t inverse = 0;
    for (int k = 0; k < letters; k++) inverse |= packed_place(k, packed_gluon(orderings[s], k + 1) - 1);
    permutation_rank product = permutation_rank_none();
    for (int k = 0; k < letters; k++)
        product =
            permutation_rank_add(product, letters - k, packed_gluon(inverse, packed_gluon(orderings[t], k + 1) - 1));
    matrix[s * size + t] = function[product.number];
}

extern "C" bg_status bg_cuda_color_matrix(cudaStream_t stream, int letters, uint64_t size, const uint64_t *orderings,
                                          const float *function, float *matrix, bg_error *error)
{
    const dim3 grid((unsigned)((size + 255) / 256), (unsigned)size);
    matrix_kernel<<<grid, 256, 0, stream>>>(letters, size, orderings, function, matrix);
    CUDA_LAUNCHED(error, "matrix_kernel");
    return BG_OK;
}

/* ---- a column a thread ---------------------------------------------------------------------------------- */

template <int SIZE>
static __global__ __launch_bounds__(CUDA_BLOCK) void small_form_kernel(const float *matrix, const double *amplitude,
                                                                       size_t columns, double *sum)
{
    __shared__ __align__(16) double c[SIZE * SIZE];
    const size_t column = (size_t)blockIdx.x * CUDA_BLOCK + threadIdx.x;
    for (int k = (int)threadIdx.x; k < SIZE * SIZE; k += CUDA_BLOCK) c[k] = matrix[k];
    __syncthreads();
    double a[SIZE], total = 0.;
#pragma unroll
    for (int s = 0; s < SIZE; s++) a[s] = amplitude[(size_t)s * columns + column];
#pragma unroll
    for (int s = 0; s < SIZE; s++) {
        double half;
        color_form_half(1, SIZE, (uint64_t)s, c + s * SIZE, a, &half);
        color_form_add(a[s], half, &total);
    }
    sum[column] = total;
}

/* The same for sums and differences of two halves, SIZE amplitudes each. */
template <int SIZE>
static __global__ __launch_bounds__(CUDA_BLOCK) void small_pair_kernel(const float *matrix, const double *amplitude,
                                                                       size_t columns, double *sum)
{
    __shared__ __align__(16) double c[2 * SIZE * SIZE];
    const size_t column = (size_t)blockIdx.x * CUDA_BLOCK + threadIdx.x;
    for (int k = (int)threadIdx.x; k < 2 * SIZE * SIZE; k += CUDA_BLOCK) c[k] = matrix[k];
    __syncthreads();
    double a[2][SIZE], total[2] = {0., 0.};
#pragma unroll
    for (int s = 0; s < SIZE; s++) {
        const double x = amplitude[(size_t)s * columns + column], y = amplitude[(size_t)(s + SIZE) * columns + column];
        a[0][s] = x + y;
        a[1][s] = x - y;
    }
#pragma unroll
    for (int h = 0; h < 2; h++)
#pragma unroll
        for (int s = 0; s < SIZE; s++) {
            double half;
            color_form_half(1, SIZE, (uint64_t)s, c + (h * SIZE + s) * SIZE, a[h], &half);
            color_form_add(a[h][s], half, &total[h]);
        }
    sum[column] = total[0] + total[1];
}

/* ---- a tile of rows and columns a block ------------------------------------------------------------------ */

enum {
    ROWS = CUDA_FORM_ROWS, /* of the matrix */
    COLUMNS = 64,          /* of amplitudes */
    DEPTH = 16,            /* summed over between two barriers */
    THREADS = 256,         /* 4 x 2 warps with 32 x 32 results each */
    GROUP = 8,             /* column tiles that run side by side and share rows of the matrix in the L2 cache */
    PAD = 4                /* doubles: makes the reads of a fragment hit different banks */
};

/* Two amplitudes next to each other, or what they make with those of the other half: sums or differences. */
template <int PAIRED> static __device__ double2 amplitudes_at(const double *at, size_t partner, int difference)
{
    double2 a = *(const double2 *)at;
    if constexpr (PAIRED) {
        const double2 b = *(const double2 *)(at + partner);
        a.x = difference ? a.x - b.x : a.x + b.x;
        a.y = difference ? a.y - b.y : a.y + b.y;
    }
    return a;
}

template <int PAIRED>
static __global__ __launch_bounds__(THREADS, 2) void form_kernel(int size, int row_tiles, const float *matrix,
                                                                 const double *amplitude, size_t columns, double *tile)
{
    __shared__ __align__(16) double left[DEPTH][ROWS + PAD], right[DEPTH][COLUMNS + PAD];
    __shared__ double sums[ROWS / 32][COLUMNS];

    /* the sums and the differences of the same amplitudes are worked on side by side */
    const int number = PAIRED ? (int)blockIdx.x / 2 : (int)blockIdx.x, difference = PAIRED ? (int)blockIdx.x % 2 : 0;
    const size_t partner = (size_t)size * columns; /* from one half to the other */
    matrix += (size_t)difference * (size_t)size * (size_t)size;
    tile += (size_t)difference * (size_t)row_tiles * columns;

    /* column tiles of a group are neighbors; the rows with the most work come first */
    const int column_tiles = (int)(columns / COLUMNS);
    const int group = number / (GROUP * row_tiles), in_group = number % (GROUP * row_tiles);
    const int width = column_tiles - group * GROUP < GROUP ? column_tiles - group * GROUP : GROUP;
    const int row_tile = row_tiles - 1 - in_group / width;
    const int first_row = row_tile * ROWS;
    const size_t first_column = (size_t)(group * GROUP + in_group % width) * COLUMNS;

    const int lane = (int)threadIdx.x % 32, warp = (int)threadIdx.x / 32;
    const int row_of_warp = warp % 4 * 32, column_of_warp = warp / 4 * 32;
    const int depth = first_row + ROWS < size ? first_row + ROWS : size;
    double result[2][4][4] = {}; /* 16 x 8 tiles */
    float4 next_left[2];
    double2 next_right[2];

    /* The next slab of both factors, while this one is worked on. Row k of the matrix is its column k. */
    auto fetch = [&](int from) {
#pragma unroll
        for (int u = 0; u < 2; u++) {
            const int k = from + warp + 8 * u, row = first_row + 4 * lane;
            next_left[u] = k < depth && row < size ? *(const float4 *)(matrix + (size_t)k * (size_t)size + row)
                                                   : make_float4(0.f, 0.f, 0.f, 0.f);
            next_right[u] = k < depth ? amplitudes_at<PAIRED>(amplitude + (size_t)k * columns + first_column + 2 * lane,
                                                              partner, difference)
                                      : make_double2(0., 0.);
        }
    };
    fetch(0);
    for (int k0 = 0; k0 < depth; k0 += DEPTH) {
        if (k0 == first_row) /* all before the square on the diagonal counts twice */
#pragma unroll
            for (int i = 0; i < 2; i++)
#pragma unroll
                for (int j = 0; j < 4; j++)
#pragma unroll
                    for (int c = 0; c < 4; c++) result[i][j][c] += result[i][j][c];
#pragma unroll
        for (int u = 0; u < 2; u++) {
            double *l = &left[warp + 8 * u][4 * lane];
            *(double2 *)l = make_double2(next_left[u].x, next_left[u].y);
            *(double2 *)(l + 2) = make_double2(next_left[u].z, next_left[u].w);
            *(double2 *)&right[warp + 8 * u][2 * lane] = next_right[u];
        }
        __syncthreads();
        if (k0 + DEPTH < depth) fetch(k0 + DEPTH);
#pragma unroll
        for (int k = 0; k < DEPTH; k += 4) {
            double a[4], b[4];
#pragma unroll
            for (int i = 0; i < 4; i++) {
                a[i] = left[k + lane % 4][row_of_warp + 8 * i + lane / 4];
                b[i] = right[k + lane % 4][column_of_warp + 8 * i + lane / 4];
            }
#pragma unroll
            for (int i = 0; i < 2; i++)
#pragma unroll
                for (int j = 0; j < 4; j++) multiply_add_tile(result[i][j], a[2 * i], a[2 * i + 1], b[j]);
        }
        __syncthreads();
    }

    /* dot product with the rows' own amplitudes, over the rows of a warp and then over warps */
#pragma unroll
    for (int j = 0; j < 4; j++) {
        const int column = column_of_warp + 8 * j + 2 * (lane % 4);
        double x = 0., y = 0.;
#pragma unroll
        for (int i = 0; i < 4; i++) {
            const int row = first_row + row_of_warp + 8 * i + lane / 4;
            if (row < size) {
                const double2 a = amplitudes_at<PAIRED>(amplitude + (size_t)row * columns + first_column + column,
                                                        partner, difference);
                x += a.x * result[i / 2][j][i % 2 * 2];
                y += a.y * result[i / 2][j][i % 2 * 2 + 1];
            }
        }
        x = add_rows(x);
        y = add_rows(y);
        if (lane < 4) {
            sums[warp % 4][column] = x;
            sums[warp % 4][column + 1] = y;
        }
    }
    __syncthreads();
    if (threadIdx.x < COLUMNS) {
        const int c = (int)threadIdx.x;
        tile[(size_t)row_tile * columns + first_column + c] = sums[0][c] + sums[1][c] + sums[2][c] + sums[3][c];
    }
}

static __global__ void fold_kernel(int row_tiles, size_t columns, const double *tile, double *sum)
{
    const size_t column = (size_t)blockIdx.x * CUDA_BLOCK + threadIdx.x;
    double total = 0.;
    for (int k = 0; k < row_tiles; k++) total += tile[(size_t)k * columns + column];
    sum[column] = total;
}

/* `columns` is a multiple of CUDA_BLOCK. */
extern "C" bg_status bg_cuda_color_sum(cudaStream_t stream, uint64_t size, const float *matrix, const double *amplitude,
                                       size_t columns, double *tile, double *sum, bg_error *error)
{
    const unsigned blocks = (unsigned)(columns / CUDA_BLOCK);
    if (size <= CUDA_FORM_COLUMN) {
        (size == 2    ? small_form_kernel<2>
         : size == 4  ? small_form_kernel<4>
         : size == 6  ? small_form_kernel<6>
         : size == 12 ? small_form_kernel<12>
         : size == 18 ? small_form_kernel<18>
                      : small_form_kernel<24>)<<<blocks, CUDA_BLOCK, 0, stream>>>(matrix, amplitude, columns, sum);
        CUDA_LAUNCHED(error, "small_form_kernel");
        return BG_OK;
    }
    const int row_tiles = (int)((size + ROWS - 1) / ROWS);
    const unsigned tiles = (unsigned)(columns / COLUMNS) * (unsigned)row_tiles;
    form_kernel<0>
        <<<tiles, THREADS, 0, stream>>>((int)size, row_tiles, matrix, amplitude, columns, row_tiles == 1 ? sum : tile);
    CUDA_LAUNCHED(error, "form_kernel");
    if (row_tiles > 1) {
        fold_kernel<<<blocks, CUDA_BLOCK, 0, stream>>>(row_tiles, columns, tile, sum);
        CUDA_LAUNCHED(error, "fold_kernel");
    }
    return BG_OK;
}

extern "C" bg_status bg_cuda_paired_sum(cudaStream_t stream, uint64_t half, const float *matrix,
                                        const double *amplitude, size_t columns, double *tile, double *sum,
                                        bg_error *error)
{
    const unsigned blocks = (unsigned)(columns / CUDA_BLOCK);
    if (half <= CUDA_FORM_COLUMN) {
        (half == 1   ? small_pair_kernel<1>
         : half == 2 ? small_pair_kernel<2>
         : half == 6 ? small_pair_kernel<6>
                     : small_pair_kernel<24>)<<<blocks, CUDA_BLOCK, 0, stream>>>(matrix, amplitude, columns, sum);
        CUDA_LAUNCHED(error, "small_pair_kernel");
        return BG_OK;
    }
    const int row_tiles = (int)((half + ROWS - 1) / ROWS);
    const unsigned tiles = 2 * (unsigned)(columns / COLUMNS) * (unsigned)row_tiles;
    form_kernel<1><<<tiles, THREADS, 0, stream>>>((int)half, row_tiles, matrix, amplitude, columns, tile);
    CUDA_LAUNCHED(error, "form_kernel");
    fold_kernel<<<blocks, CUDA_BLOCK, 0, stream>>>(2 * row_tiles, columns, tile, sum);
    CUDA_LAUNCHED(error, "fold_kernel");
    return BG_OK;
}

/* ---- four parts of all structures ---------------------------------------------------------------------------- */

enum {
    PART = CUDA_QUARTER,  /* structures of a part */
    STEPS_FIRST = 8,      /* steps of 4 structures for its first 32 rows, that meet themselves, */
    STEPS_OTHER = 15,     /* ... and for the other ones, that meet all of them */
    QUARTET_COLUMNS = 32, /* of a block */
    QUARTET_PITCH = QUARTET_COLUMNS + PAD
};

static_assert(4 * PART * QUARTET_PITCH * sizeof(double) == CUDA_QUARTER_CHIP, "shared memory of a block");

/* One part a warp. Its rows are the four combinations of the amplitudes that the exchanges carry into one another. */
static __global__ __launch_bounds__(128, 3) void quartet_kernel(const float4 *__restrict__ matrix,
                                                                const uint32_t *__restrict__ place,
                                                                const double *amplitude, size_t columns, double *sum)
{
    extern __shared__ __align__(16) double quartet[];
    __shared__ double sums[4][QUARTET_COLUMNS];
    const size_t first_column = (size_t)blockIdx.x * QUARTET_COLUMNS;
    const int lane = (int)threadIdx.x % 32, part = (int)threadIdx.x / 32;
    const double *from = amplitude + first_column + 2 * (lane % 16);
#pragma unroll 4
    for (int k = (int)threadIdx.x / 16; k < PART; k += 8) {
        double2 a[4];
#pragma unroll
        for (int i = 0; i < 4; i++) a[i] = __ldcs((const double2 *)(from + place[4 * k + i] * columns));
        double *to = quartet + k * QUARTET_PITCH + 2 * (lane % 16);
        const double2 p = make_double2(a[0].x + a[1].x, a[0].y + a[1].y),
                      m = make_double2(a[0].x - a[1].x, a[0].y - a[1].y);
        const double2 q = make_double2(a[2].x + a[3].x, a[2].y + a[3].y),
                      n = make_double2(a[2].x - a[3].x, a[2].y - a[3].y);
        *(double2 *)to = make_double2(p.x + q.x, p.y + q.y);
        *(double2 *)(to + PART * QUARTET_PITCH) = make_double2(m.x + n.x, m.y + n.y);
        *(double2 *)(to + 2 * PART * QUARTET_PITCH) = make_double2(p.x - q.x, p.y - q.y);
        *(double2 *)(to + 3 * PART * QUARTET_PITCH) = make_double2(m.x - n.x, m.y - n.y);
    }
    __syncthreads();
    const double *own = quartet + part * PART * QUARTET_PITCH;
    matrix += part * (STEPS_FIRST + STEPS_OTHER) * 32 + lane;
    double x[4] = {}, y[4] = {};
#pragma unroll
    for (int half = 0; half < 2; half++) {
        double result[2][4][4] = {};
#pragma unroll 4
        for (int k = 0; k < (half ? STEPS_OTHER : STEPS_FIRST); k++) {
            const float4 c = matrix[k * 32];
            double b[4];
            if (half && k == STEPS_FIRST) /* all before the square on the diagonal counts twice */
#pragma unroll
                for (int i = 0; i < 2; i++)
#pragma unroll
                    for (int j = 0; j < 4; j++)
#pragma unroll
                        for (int n = 0; n < 4; n++) result[i][j][n] += result[i][j][n];
#pragma unroll
            for (int j = 0; j < 4; j++) b[j] = own[(4 * k + lane % 4) * QUARTET_PITCH + 8 * j + lane / 4];
#pragma unroll
            for (int j = 0; j < 4; j++) {
                multiply_add_tile(result[0][j], c.x, c.y, b[j]);
                multiply_add_tile(result[1][j], c.z, c.w, b[j]);
            }
        }
        matrix += STEPS_FIRST * 32;
#pragma unroll
        for (int j = 0; j < 4; j++)
#pragma unroll
            for (int i = 0; i < 4; i++) {
                const int row = 32 * half + 8 * i + lane / 4;
                if (row >= PART) continue;
                const double2 a = *(const double2 *)(own + row * QUARTET_PITCH + 8 * j + 2 * (lane % 4));
                x[j] += a.x * result[i / 2][j][i % 2 * 2];
                y[j] += a.y * result[i / 2][j][i % 2 * 2 + 1];
            }
    }
#pragma unroll
    for (int j = 0; j < 4; j++) {
        x[j] = add_rows(x[j]);
        y[j] = add_rows(y[j]);
        if (lane < 4) {
            sums[part][8 * j + 2 * lane] = x[j];
            sums[part][8 * j + 2 * lane + 1] = y[j];
        }
    }
    __syncthreads();
    if (part == 0) sum[first_column + lane] = sums[0][lane] + sums[1][lane] + sums[2][lane] + sums[3][lane];
}

extern "C" bg_status bg_cuda_quartet_sum(cudaStream_t stream, const float *matrix, const uint32_t *place,
                                         const double *amplitude, size_t columns, double *sum, bg_error *error)
{
    const int chip = (int)CUDA_QUARTER_CHIP;
    CUDA_TRY(error, cudaFuncSetAttribute(quartet_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, chip));
    quartet_kernel<<<(unsigned)(columns / QUARTET_COLUMNS), 128, chip, stream>>>((const float4 *)matrix, place,
                                                                                 amplitude, columns, sum);
    CUDA_LAUNCHED(error, "quartet_kernel");
    return BG_OK;
}

/* ---- draws ------------------------------------------------------------------------------------------------ */

static __global__ void collect_kernel(cuda_collection c)
{
    const size_t event = (size_t)blockIdx.x * CUDA_BLOCK + threadIdx.x;
    if (event >= (size_t)c.count) return;
    double sum = 0., mean = 0., spread = 0.;
    for (uint64_t k = 0; k < c.slices; k++) sum += c.partial[k * c.slice_step + event * c.event_step];
    if (c.draw) {
        mean = c.mean[event];
        spread = c.spread[event];
    }
    mean_add(c.draw, c.weight * sum, &mean, &spread);
    if (c.draw + 1 < c.samples) {
        c.mean[event] = mean;
        c.spread[event] = spread;
    } else {
        c.me2[event] = c.normalization * mean;
        if (c.uncertainty) c.uncertainty[event] = c.normalization * mean_error(c.sampled, c.samples, spread);
    }
}

extern "C" bg_status bg_cuda_collect(cudaStream_t stream, const cuda_collection *c, bg_error *error)
{
    collect_kernel<<<(unsigned)((c->count + CUDA_BLOCK - 1) / CUDA_BLOCK), CUDA_BLOCK, 0, stream>>>(*c);
    CUDA_LAUNCHED(error, "collect_kernel");
    return BG_OK;
}
