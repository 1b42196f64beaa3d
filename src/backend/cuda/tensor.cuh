/* Multiply-adds of small tiles on FP64 tensor cores, or by hand where a device has none. */
#ifndef BG_BACKEND_CUDA_TENSOR_CUH
#define BG_BACKEND_CUDA_TENSOR_CUH

/* An 8 x 8 tile of results += (8 x 4) (4 x 8): lane l holds row l / 4, depth l % 4 of the left factor, depth
 * l % 4, column l / 4 of the right one and columns 2 (l % 4) and the next of row l / 4 of the result. */
static __device__ __forceinline__ void multiply_add_tile(double result[2], double left, double right)
{
#if __CUDA_ARCH__ >= 800
    asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
        : "+d"(result[0]), "+d"(result[1])
        : "d"(left), "d"(right));
#else
    const int lane = (int)threadIdx.x % 32;
#pragma unroll
    for (int k = 0; k < 4; k++) {
        const double a = __shfl_sync(~0u, left, lane / 4 * 4 + k);
        result[0] += a * __shfl_sync(~0u, right, 8 * (lane % 4) + k);
        result[1] += a * __shfl_sync(~0u, right, 8 * (lane % 4) + 4 + k);
    }
#endif
}

#endif
