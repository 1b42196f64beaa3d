/* Multiply-adds of small tiles on FP64 tensor cores, or by hand where a device has none. */
#ifndef BG_BACKEND_CUDA_TENSOR_CUH
#define BG_BACKEND_CUDA_TENSOR_CUH

/* A 16 x 8 tile of results += (16 x 4) (4 x 8). Lane l holds rows l / 4 and l / 4 + 8, depth l % 4 of the left factor,
 * depth l % 4, column l / 4 of the right one, and columns 2 (l % 4) and the next of row l / 4 of the result, then of
 * row l / 4 + 8. Hopper does this shape at twice the rate of the 8 x 8 one that came before it. */
static __device__ __forceinline__ void multiply_add_tile(double result[4], double upper, double lower, double right)
{
#if __CUDA_ARCH__ >= 900
    asm("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
        : "+d"(result[0]), "+d"(result[1]), "+d"(result[2]), "+d"(result[3])
        : "d"(upper), "d"(lower), "d"(right));
#elif __CUDA_ARCH__ >= 800
    asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
        : "+d"(result[0]), "+d"(result[1])
        : "d"(upper), "d"(right));
    asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
        : "+d"(result[2]), "+d"(result[3])
        : "d"(lower), "d"(right));
#else
    const int lane = (int)threadIdx.x % 32;
#pragma unroll
    for (int k = 0; k < 4; k++) {
        const double a = __shfl_sync(~0u, upper, lane / 4 * 4 + k), b = __shfl_sync(~0u, lower, lane / 4 * 4 + k);
        const double x = __shfl_sync(~0u, right, 8 * (lane % 4) + k),
                     y = __shfl_sync(~0u, right, 8 * (lane % 4) + 4 + k);
        result[0] += a * x;
        result[1] += a * y;
        result[2] += b * x;
        result[3] += b * y;
    }
#endif
}

/* Sums over the rows of such a tile, which lanes l, l + 4, l + 8, ... hold: all of them get it. */
static __device__ __forceinline__ double add_rows(double x)
{
#pragma unroll
    for (int step = 4; step < 32; step *= 2) x += __shfl_xor_sync(~0u, x, step);
    return x;
}

#endif
