/* Currents K of all words of fewer than N letters, in all states of their gluons, by the threads of a block: what kernels that
 * recycle helicities have in common. Who includes it has said before
 *
 *     N          letters
 *     EVENTS     of a block, side by side
 *     TEAM       threads of each
 *     SET_SIZE   numbers of a set of letters, of which the first are those of fast.cuh.
 */
#ifndef BG_BACKEND_CUDA_WORDS_CUH
#define BG_BACKEND_CUDA_WORDS_CUH

#include "backend/cuda/fast.cuh"
#include "backend/cuda/word_sizes.cuh"

/* An event as a thread sees it: pointers to the first of its numbers. */
typedef struct recycled_event {
    const double *sets;
    double2 *K, *L;
} recycled_event;

BG_FN real set_of(const recycled_event &e, uint32_t set, int k)
{
    return e.sets[(set * SET_SIZE + (uint32_t)k) * EVENTS];
}
BG_FN real minus_of(const recycled_event &e, uint32_t set) { return set_of(e, set, SET_MINUS); }
BG_FN real inverse_of(const recycled_event &e, uint32_t set) { return set_of(e, set, SET_INVERSE); }

/* One of the `states` currents that start at `from`. */
BG_FN light_current load_current(const double2 *from, uint32_t states, uint32_t state)
{
    const double2 x = from[state * EVENTS], y = from[(states + state) * EVENTS];
    light_current c = {x.x, x.y, y.x, y.y};
    return c;
}

BG_FN void store_current(double2 *to, uint32_t states, uint32_t state, light_current c)
{
    to[state * EVENTS] = make_double2(c.a1, c.a2);
    to[(states + state) * EVENTS] = make_double2(c.psi, c.phi);
}

/* ---- K ------------------------------------------------------------------------------------------------------ */

/* Stores the current of a letter in both of its states. */
BG_FN void letter_current(const recycled_event &e, uint32_t letter)
{
    const real p1 = set_of(e, 1u << letter, SET_P1), p2 = set_of(e, 1u << letter, SET_P2);
    store_current(e.K + 4 * EVENTS * letter, 2, 0, light_gluon(p1, p2, 1., 0.));
    store_current(e.K + 4 * EVENTS * letter, 2, 1, light_gluon(p1, p2, 0., 1.));
}

/* Where K of a word of m letters starts, from its number. */
template <int m> BG_FN uint32_t word_start_of(uint32_t number)
{
    return (K_start(m) + ((number - words_below(m)) << (m + 1))) * EVENTS;
}

/* Adds the split into words of `lefts` and `rights` letters, whose currents start at `left` and `right`, for the tile s (shared_tile()). */
BG_FN void add_split(const recycled_event &e, const double2 *left, const double2 *right, int lefts, int rights,
                     uint32_t left_set, uint32_t right_set, real minus, real inverse, uint32_t mid, light_sum *s)
{
    light_split f;
    light_current A[2], B[2];
    shared_factors(&f, minus, inverse, minus_of(e, left_set), inverse_of(e, left_set), inverse_of(e, right_set));
    BG_UNROLL
    for (uint32_t i = 0; i < 2; i++) A[i] = load_current(left, 1u << lefts, shared_low(mid, lefts) << 1 | i);
    BG_UNROLL
    for (uint32_t j = 0; j < 2; j++)
        B[j] = load_current(right, 1u << rights, shared_high(mid, lefts) | j << (rights - 1));
    light_add_tile(2, 2, A, B, 1, &f, s);
}

/* Adds all splits of a word of M letters from the L-th on, for the tile s. */
template <int M, int L>
BG_FN void add_splits(const recycled_event &e, const fast_split *row, real minus, real inverse, uint32_t mid,
                      light_sum *s)
{
    if constexpr (L < M) {
        const fast_split halves = row[L];
        const double2 *left = e.K + word_start_of<L>(halves.left), *right = e.K + word_start_of<M - L>(halves.right);
        add_split(e, left, right, L, M - L, halves.left_set, halves.right_set, minus, inverse, mid, s);
        add_splits<M, L + 1>(e, row, minus, inverse, mid, s);
    }
}

/* K of a word of M letters and of its reversal, in both states of the first and of the last letter; `mid`: states of
 * those between. */
template <int M> BG_FN void word_tile(const recycled_event &e, const fast_split *row, uint32_t mid)
{
    const fast_split head = row[0];
    light_sum s[4]; /* as in shared_tile() */
    BG_UNROLL
    for (int k = 0; k < 4; k++) s[k] = light_zero();
    add_splits<M, 1>(e, row, minus_of(e, head.left_set), inverse_of(e, head.left_set), mid, s);
    const real p1 = set_of(e, head.left_set, SET_P1), p2 = set_of(e, head.left_set, SET_P2),
               propagator = set_of(e, head.left_set, SET_PROPAGATOR);
    double2 *to = e.K + word_start_of<M>(head.left), *mirror = e.K + word_start_of<M>(head.right);
    const uint32_t back = reverse_bits(mid, M - 2);
    BG_UNROLL
    for (uint32_t k = 0; k < 4; k++) {
        const uint32_t i = k >> 1, j = k & 1;
        const light_current c = light_propagate(s[k], p1, p2, propagator);
        store_current(to, 1u << M, i | mid << 1 | j << (M - 1), c);
        store_current(mirror, 1u << M, j | back << 1 | i << (M - 1), M & 1 ? c : light_negative(c));
    }
}

/* The work of thread `member` of `team` between two barriers, for K of M letters. */
template <int M> BG_FN void word_phase(const recycled_event &e, const fast_words &words, uint32_t member, uint32_t team)
{
    for (uint32_t u = member; u < words_of(M) / 2 << (M - 2); u += team)
        word_tile<M>(e, words.row + words.first[M] + (size_t)(u >> (M - 2)) * M, u & ((1u << (M - 2)) - 1u));
}

/* From M letters to fewer than END. */
template <int M, int END>
static __device__ __forceinline__ void word_phases(const recycled_event &e, const fast_words &words, uint32_t member)
{
    if constexpr (M < END) {
        __syncthreads();
        word_phase<M>(e, words, member, TEAM);
        word_phases<M + 1, END>(e, words, member);
    }
}

#endif
