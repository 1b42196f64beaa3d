/* How the functions of the station headers are declared, for C, C++ and CUDA. */
#ifndef BG_BASE_INLINE_H
#define BG_BASE_INLINE_H

#if defined(__CUDACC__)
#define BG_FN static __host__ __device__ __forceinline__
#else
#define BG_FN static inline __attribute__((always_inline, unused))
#endif

/* A function of which a kernel has one copy where it says BG_COMPACT: the instructions of all warps of a processor share a small cache. */
#if defined(__CUDACC__) && defined(BG_COMPACT)
#define BG_FN_ONCE static __host__ __device__ __noinline__
#else
#define BG_FN_ONCE BG_FN
#endif

/* A function of integers that makes tables of constants as well, where the language can do that at compile time. */
#if defined(__cplusplus)
#define BG_CONSTANT_FN BG_FN constexpr
#else
#define BG_CONSTANT_FN BG_FN
#endif

/* Before a loop with constant bounds that an instance for a GPU wants laid out straight, so that what it
 * indexes stays in registers (BG_STRAIGHT, chosen by size). */
#if defined(__CUDA_ARCH__) && defined(BG_STRAIGHT)
#define BG_UNROLL _Pragma("unroll")
#else
#define BG_UNROLL
#endif

/* ... and one that is to stay a loop, there and in compact kernels. */
#if defined(__CUDA_ARCH__) && (defined(BG_STRAIGHT) || defined(BG_COMPACT))
#define BG_LOOP _Pragma("unroll 1")
#else
#define BG_LOOP
#endif

/* ... and one with constant bounds that compact kernels want laid out straight as well: what it indexes stays in registers. */
#if defined(__CUDA_ARCH__) && defined(BG_COMPACT)
#define BG_LAID_OUT _Pragma("unroll")
#else
#define BG_LAID_OUT
#endif

#endif
