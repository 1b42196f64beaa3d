/* How many words of N letters there are, and where their currents lie in all states of their gluons. */
#ifndef BG_BACKEND_CUDA_WORD_SIZES_CUH
#define BG_BACKEND_CUDA_WORD_SIZES_CUH

/* How many words of m letters there are, and how many of fewer; how many pairs of numbers all K, and all L, of fewer letters
 * take. For N = 4: 4, 12, 24 words of 1, 2, 3 letters, and K of 1, 2, 3 letters start at pairs 0, 16, 112. */
static __host__ __device__ constexpr uint32_t words_of(int m)
{
    return m ? words_of(m - 1) * (uint32_t)(N - m + 1) : 1;
}
static __host__ __device__ constexpr uint32_t words_below(int m)
{
    return m > 1 ? words_below(m - 1) + words_of(m - 1) : 0;
}
static __host__ __device__ constexpr uint32_t K_start(int m)
{
    return m > 1 ? K_start(m - 1) + (words_of(m - 1) << m) : 0;
}
static __host__ __device__ constexpr uint32_t L_start(int k)
{
    return k > 1 ? L_start(k - 1) + (words_of(k - 1) << (k + 1)) : 0;
}

#endif
