/* Amplitudes of all orderings and all helicities on a GPU, for one n_out (BG_LETTERS). A current is computed once for
 * each assignment of states to its own gluons, as in amplitude/shared.h, and a split is an outer product.
 *
 * A block works on an event (some, where they are small) from beginning to end:
 *   K(s1 .. sm), m < N          length by length,
 *   L(0, s1 .. sk), k < N - 1   length by length; h0 is the state of gluon 0,
 *   A(0, s, n-1)                all orderings; L(0, s1 .. s_{N-1}), which only one of them needs, stays in registers.
 * A thread has a tile of states: h0 and s1 are in every left half, the last letters in every right half, so that four
 * left and four right currents make sixteen products. Neighboring threads have other events or other states of the
 * letters between. A current is two pairs of numbers, [pair][state][event]: eight neighbors read 128 bytes in a
 * row, or the same pairs, and never get into each other's way.
 *
 * The four amplitudes of all states of the incoming gluons leave together as one sector of memory.
 */
#define BG_STRAIGHT
#include "backend/cuda/fast.cuh"
#include "backend/cuda/recycled.h"

enum { N = BG_LETTERS, ALL = (1 << BG_LETTERS) - 1, RECORD = RECYCLED_RECORD(BG_LETTERS) };

#include "backend/cuda/word_sizes.cuh"

enum {
    K_PAIRS = K_start(N),
    L_PAIRS = L_start(N - 1),
    ORDERINGS = words_of(N),
    K_FITS = N <= 5, /* K fits into shared memory, on most devices; elsewhere it lies in memory of the block */
    L_FITS = N <= 4
};

/* Events of a block, threads of each, and blocks of a multiprocessor, by measurement: about as many threads as there are
 * registers for, and blocks that do not wait for one another where an event is short. */
enum {
    SET_SIZE = FAST_SET,
    EVENTS = N == 4 ? 4 : 1,
    TEAM = N == 4   ? 24
           : N == 5 ? 192
                    : 384,
    BLOCKS = N == 4   ? 3
             : N == 5 ? 2
                      : 1
};

#include "backend/cuda/words.cuh"

/* ---- L ------------------------------------------------------------------------------------------------------ */

BG_FN uint32_t letter_of(const uint32_t *record, int place) { return packed_letter(record[1], place); }

/* K of letters i .. j - 1 of an ordering. */
BG_FN const double2 *word_of(const recycled_event &e, const uint32_t *record, int i, int j)
{
    return e.K + record[RECYCLED_WORD(N, i, j)] * EVENTS;
}

/* L(0, s1 .. sk); state: s2 .. sk from the lowest bit on, then s1, then gluon 0. */
BG_FN double2 *prefix_of(const recycled_event &e, const uint32_t *record, int k)
{
    return e.L + record[RECYCLED_PREFIX(N, k)] * EVENTS;
}

/* L(0, s1 .. sk), k > 1, in the states [2 h0 + s1][sk]; `mid`: those of s2 .. s_{k-1}. */
template <int k>
BG_FN void prefix_tile(const recycled_event &e, const uint32_t *record, uint32_t mid, light_current (*out)[2])
{
    uint32_t set = 0, left_set = 0;
    BG_UNROLL
    for (int j = 0; j < k; j++) set |= 1u << letter_of(record, j);
    const real minus = -minus_of(e, ALL ^ set), inverse = -inverse_of(e, ALL ^ set);
    const double2 *right = word_of(e, record, 0, k);
    light_split f;
    light_sum s[4 * 2];
    shared_factors(&f, minus, inverse, -minus_of(e, ALL), -inverse_of(e, ALL), inverse_of(e, set));
    BG_UNROLL
    for (uint32_t i = 0; i < 2; i++) {
        BG_UNROLL
        for (uint32_t j = 0; j < 2; j++) {
            const light_current B = load_current(right, 1u << k, i | mid << 1 | j << (k - 1));
            BG_UNROLL
            for (uint32_t h = 0; h < 2; h++)
                s[(2 * h + i) * 2 + j] = light_first_end((int)h, B, f.right_factor, f.difference);
        }
    }
    BG_LOOP
    for (int p = 1; p < k; p++) { /* letters on the left */
        left_set |= 1u << letter_of(record, p - 1);
        const double2 *left = prefix_of(e, record, p);
        const uint32_t low = shared_low(mid, p), high = shared_high(mid, p);
        light_current A[4], B[2];
        right = word_of(e, record, p, k);
        shared_factors(&f, minus, inverse, -minus_of(e, ALL ^ left_set), -inverse_of(e, ALL ^ left_set),
                       inverse_of(e, set ^ left_set));
        BG_UNROLL
        for (uint32_t a = 0; a < 4; a++) A[a] = load_current(left, 2u << p, low | a << (p - 1));
        BG_UNROLL
        for (uint32_t j = 0; j < 2; j++) B[j] = load_current(right, 1u << (k - p), high | j << (k - p - 1));
        light_add_tile(4, 2, A, B, 1, &f, s);
    }
    const real p1 = set_of(e, set, SET_P1), p2 = set_of(e, set, SET_P2),
               propagator = set_of(e, set, SET_END_PROPAGATOR);
    BG_UNROLL
    for (int a = 0; a < 4; a++) {
        BG_UNROLL
        for (int j = 0; j < 2; j++) out[a][j] = light_propagate(s[2 * a + j], p1, p2, propagator);
    }
}

/* L of gluon 0 and a letter, in all states. */
BG_FN void first_prefix(const recycled_event &e, const uint32_t *record)
{
    const uint32_t set = 1u << letter_of(record, 0);
    light_split f;
    shared_factors(&f, -minus_of(e, ALL ^ set), -inverse_of(e, ALL ^ set), -minus_of(e, ALL), -inverse_of(e, ALL),
                   inverse_of(e, set));
    BG_UNROLL
    for (uint32_t i = 0; i < 2; i++) {
        const light_current B = load_current(word_of(e, record, 0, 1), 2, i);
        BG_UNROLL
        for (int h = 0; h < 2; h++)
            store_current(prefix_of(e, record, 1), 4, 2 * (uint32_t)h + i,
                          light_propagate(light_first_end(h, B, f.right_factor, f.difference), set_of(e, set, SET_P1),
                                          set_of(e, set, SET_P2), set_of(e, set, SET_END_PROPAGATOR)));
    }
}

template <int k> BG_FN void store_prefix(const recycled_event &e, const uint32_t *record, uint32_t mid)
{
    light_current c[4][2];
    prefix_tile<k>(e, record, mid, c);
    BG_UNROLL
    for (uint32_t a = 0; a < 4; a++) {
        BG_UNROLL
        for (uint32_t j = 0; j < 2; j++)
            store_current(prefix_of(e, record, k), 2u << k, mid | j << (k - 2) | a << (k - 1), c[a][j]);
    }
}

/* ---- amplitudes ---------------------------------------------------------------------------------------------- */

/* Sums of a tile of amplitudes: n in the states [2 h0 + s1][s_{N-1} + 2 s_N], d and w, which know nothing of gluon 0, in
 * [s1][s_{N-1} + 2 s_N]. */
typedef struct amplitude_tile {
    real n1[4][4], n2[4][4], d[2][4], w[2][4];
} amplitude_tile;

BG_FN real difference_of(const recycled_event &e, uint32_t left)
{
    shared_sets all, own; /* what it needs of them */
    all.minus = minus_of(e, ALL);
    all.inverse_minus = inverse_of(e, ALL);
    own.minus = minus_of(e, left);
    return shared_difference(&all, &own);
}

/* Starts the sums with the splits that have N - 1 letters on the left. */
BG_FN void close_last(const recycled_event &e, const uint32_t *record, uint32_t set, uint32_t mid,
                      const light_current (*L)[2], amplitude_tile &t)
{
    const double2 *right = word_of(e, record, N - 1, N), *whole = word_of(e, record, 0, N - 1);
    const real difference = difference_of(e, set);
    BG_UNROLL
    for (uint32_t j = 0; j < 2; j++) {
        const light_current B = load_current(right, 2, j);
        BG_UNROLL
        for (uint32_t i = 0; i < 2; i++) {
            const uint32_t b = i + 2 * j;
            BG_UNROLL
            for (int a = 0; a < 4; a++) {
                t.n1[a][b] = t.n2[a][b] = 0.;
                light_close(&t.n1[a][b], &t.n2[a][b], L[a][i], B);
            }
            BG_UNROLL
            for (uint32_t s1 = 0; s1 < 2; s1++) {
                t.d[s1][b] = t.w[s1][b] = 0.;
                const double2 W = whole[(s1 | mid << 1 | i << (N - 2)) * EVENTS];
                light_add_d(&t.d[s1][b], &t.w[s1][b], W.x, W.y, difference * W.x, difference * W.y, B);
            }
        }
    }
}

/* Adds the splits with p = 1 to N - 2 letters on the left. */
BG_FN void close_splits(const recycled_event &e, const uint32_t *record, uint32_t mid, amplitude_tile &t)
{
    uint32_t set = 0;
    BG_LOOP
    for (int p = 1; p < N - 1; p++) {
        set |= 1u << letter_of(record, p - 1);
        const uint32_t low = shared_low(mid, p), high = shared_high(mid, p);
        const double2 *left = prefix_of(e, record, p), *right = word_of(e, record, p, N);
        const double2 *whole = word_of(e, record, 0, p);
        const real difference = difference_of(e, set);
        light_current B[4];
        BG_UNROLL
        for (uint32_t b = 0; b < 4; b++) B[b] = load_current(right, 1u << (N - p), high | b << (N - 2 - p));
        BG_UNROLL
        for (uint32_t a = 0; a < 4; a++) {
            const light_current A = load_current(left, 2u << p, low | a << (p - 1));
            BG_UNROLL
            for (int b = 0; b < 4; b++) light_close(&t.n1[a][b], &t.n2[a][b], A, B[b]);
        }
        BG_UNROLL
        for (uint32_t s1 = 0; s1 < 2; s1++) {
            const double2 W = whole[(s1 | low << 1) * EVENTS];
            const real c1 = difference * W.x, c2 = difference * W.y;
            BG_UNROLL
            for (int b = 0; b < 4; b++) light_add_d(&t.d[s1][b], &t.w[s1][b], W.x, W.y, c1, c2, B[b]);
        }
    }
}

/* Writes the four amplitudes {x, y} of configuration c of the outgoing gluons to at[4 c ..], two threads together: they
 * differ in the state of s2, `bit` of c. Each of them alone would touch as many lines of memory with every half. */
static __device__ __forceinline__ void store_together(double *at, uint32_t c, uint32_t bit, double2 x, double2 y)
{
    const bool second = c & bit;
    const double2 give = second ? x : y;
    double2 got;
    got.x = __shfl_xor_sync(~0u, give.x, EVENTS);
    got.y = __shfl_xor_sync(~0u, give.y, EVENTS);
    double2 *to = (double2 *)(at + 4 * (c & ~bit)) + second, *then = (double2 *)(at + 4 * (c | bit)) + second;
    __stcs(to, second ? got : x); /* it is the currents that the caches are for */
    __stcs(then, second ? y : got);
}

/* Sixteen configurations of one ordering, for both states of the closing gluon; `mid`: states of s2 .. s_{N-2}. The
 * amplitudes of an event go to amplitude[place * columns ..]. */
static __device__ __forceinline__ void close_tile(const recycled_event &e, const uint32_t *record, uint32_t mid,
                                                  double *amplitude, size_t columns)
{
    amplitude_tile t;
    {
        light_current L[4][2];
        prefix_tile<N - 1>(e, record, mid, L);
        close_last(e, record, ALL ^ 1u << letter_of(record, N - 1), mid, L, t);
    }
    close_splits(e, record, mid, t);
    uint32_t configuration = 0;
    BG_UNROLL
    for (int k = 0; k < N - 3; k++) configuration |= (mid >> k & 1u) << letter_of(record, k + 1);
    double *at = amplitude + (size_t)record[0] * columns;
    BG_UNROLL
    for (uint32_t k = 0; k < 8; k++) {
        const uint32_t s1 = k & 1, b = k >> 1;
        const uint32_t c = configuration | s1 << letter_of(record, 0) | (b & 1) << letter_of(record, N - 2) |
                           (b >> 1) << letter_of(record, N - 1);
        const real n1[2] = {t.n1[s1][b], t.n1[2 + s1][b]}, n2[2] = {t.n2[s1][b], t.n2[2 + s1][b]};
        real a[4];
        light_close_end(n1, n2, t.d[s1][b], t.w[s1][b], a);
        store_together(at, c, 1u << letter_of(record, 1), make_double2(a[0], a[1]), make_double2(a[2], a[3]));
    }
}

/* ---- all of an event ------------------------------------------------------------------------------------------- */

/* The work of thread `member` of `team` between two barriers, for L of k letters. */
template <int k> BG_FN void prefix_phase(const recycled_event &e, const uint32_t *table, uint32_t member, uint32_t team)
{
    enum { INNER = k > 2 ? k - 2 : 0, EACH = words_of(N) / words_of(k) };
    for (uint32_t u = member; u < words_of(k) << INNER; u += team) {
        const uint32_t *record =
            table + (size_t)((u >> INNER) * EACH) * RECORD; /* of the first ordering with this prefix */
        if constexpr (k == 1)
            first_prefix(e, record);
        else
            store_prefix<k>(e, record, u & ((1u << INNER) - 1u));
    }
}

/* ... and for the amplitudes. Warps are complete, since neighbors exchange numbers. */
static __device__ __forceinline__ void closing_phase(const recycled_event &e, const uint32_t *table, uint32_t member,
                                                     uint32_t team, double *amplitude, size_t columns)
{
    static_assert((ORDERINGS << (N - 3)) * EVENTS % 32 == 0 && TEAM * EVENTS % 32 == 0, "whole warps");
    for (uint32_t u = member; u < (uint32_t)ORDERINGS << (N - 3); u += team)
        close_tile(e, table + (size_t)(u >> (N - 3)) * RECORD, u & ((1u << (N - 3)) - 1u), amplitude, columns);
}

template <int k>
static __device__ __forceinline__ void prefix_phases(const recycled_event &e, const uint32_t *table, uint32_t member)
{
    if constexpr (k < N - 1) {
        __syncthreads();
        prefix_phase<k>(e, table, member, TEAM);
        prefix_phases<k + 1>(e, table, member);
    }
}

/* Pairs of numbers of one event in shared memory, with K there or not, and in memory of the block. */
enum {
    SET_PAIRS = (ALL + 1) * FAST_SET / 2,
    LEAST_PAIRS = SET_PAIRS + (L_FITS ? K_PAIRS + L_PAIRS : 0),
    MOST_PAIRS = SET_PAIRS + (K_FITS ? K_PAIRS : 0) + (L_FITS ? L_PAIRS : 0),
    MEMORY_PAIRS = L_FITS ? 0 : K_PAIRS + L_PAIRS
};
enum { LEAST_BYTES = LEAST_PAIRS * EVENTS * 16, MOST_BYTES = MOST_PAIRS * EVENTS * 16 };

/* Events from `first` on, a group at a time. */
template <int K_HERE>
static __global__ __launch_bounds__(EVENTS *TEAM,
                                    BLOCKS) void recycled_kernel(fast_words words, const uint32_t *__restrict__ table,
                                                                 const double *sets, size_t pitch, size_t first,
                                                                 uint32_t groups, double2 *memory, double *amplitude,
                                                                 size_t columns)
{
    extern __shared__ double2 chip[];
    const uint32_t own = threadIdx.x % EVENTS, member = threadIdx.x / EVENTS;
    double *numbers = (double *)chip + own;
    double2 *on_chip = chip + SET_PAIRS * EVENTS + own;
    double2 *away = memory + (size_t)blockIdx.x * MEMORY_PAIRS * EVENTS + own;
    const recycled_event e = {numbers, K_HERE ? on_chip : away,
                              L_FITS ? on_chip + K_PAIRS * EVENTS : away + K_PAIRS * EVENTS};
#pragma unroll 1
    for (uint32_t group = blockIdx.x; group < groups; group += gridDim.x) {
        const size_t x = (size_t)group * EVENTS + own; /* number in the tile */
        for (uint32_t k = FAST_SET + member; k < (ALL + 1) * FAST_SET; k += TEAM)
            numbers[k * EVENTS] = sets[(size_t)k * pitch + first + x];
        __syncthreads();
        for (uint32_t letter = member; letter < N; letter += TEAM) letter_current(e, letter);
        word_phases<2, N>(e, words, member);
        prefix_phases<1>(e, table, member);
        __syncthreads();
        closing_phase(e, table, member, TEAM, amplitude + (x << (N + 2)), columns);
        __syncthreads();
    }
}

/* A slice of the sets (y) a thread; the padding repeats the last event. */
static __global__ void prepare_kernel(bg_momenta momenta, int count, size_t pitch, double *sets)
{
    const size_t event = (size_t)blockIdx.x * CUDA_BLOCK + threadIdx.x;
    const size_t from = event < (size_t)count ? event : (size_t)count - 1;
    vec4 p[N + 2];
    shared_gluons gluons;
    BG_UNROLL
    for (int k = 0; k < N + 2; k++) p[k] = event_momentum(&momenta, from, k);
    const light_frame frame = light_frame_of(p[0], p[N + 1]);
    shared_gluon_momenta(N, &frame, p, &gluons);
    store_sets(N, &gluons, blockIdx.y, pitch, sets + event);
}

/* ---- launches --------------------------------------------------------------------------------------------------- */

/* Shared memory that a block of the current device has; without room for K it stays in memory. */
static size_t chip_bytes(void)
{
    int device = 0, most = 0;
    (void)cudaGetDevice(&device);
    (void)cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
    return MOST_BYTES <= most ? MOST_BYTES : LEAST_BYTES;
}

/* The events of the tile that starts with `first`: amplitudes [place][event][configuration]. */
static bg_status launch(const cuda_task *t, const fast_space *s, size_t first, size_t events, bg_error *error)
{
    const size_t chip = chip_bytes(), groups = events / EVENTS, blocks = MEMORY_PAIRS ? s->blocks : groups;
    const auto kernel = chip == MOST_BYTES ? recycled_kernel<K_FITS> : recycled_kernel<L_FITS>;
    CUDA_TRY(error, cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)chip));
    kernel<<<(unsigned)(groups < blocks ? groups : blocks), EVENTS * TEAM, chip, t->stream>>>(
        s->words, s->record, s->sets, t->pitch, first, (uint32_t)groups, (double2 *)s->currents, t->amplitude,
        events << (N + 2));
    CUDA_LAUNCHED(error, "recycled_kernel");
    return BG_OK;
}

static bg_status evaluate(cuda_task *t, const fast_space *s, bg_error *error)
{
    const dim3 grid((unsigned)(t->pitch / CUDA_BLOCK), SET_SLICES(N));
    bg_status status = bg_cuda_mark(t, CUDA_PART_NONE, error);
    if (status != BG_OK) return status;
    prepare_kernel<<<grid, CUDA_BLOCK, 0, t->stream>>>(t->momenta, t->count, t->pitch, s->sets);
    CUDA_LAUNCHED(error, "prepare_kernel");
    for (size_t first = 0; first < t->pitch; first += s->tile) {
        const size_t events = t->pitch - first < s->tile ? t->pitch - first : s->tile, columns = events << (N + 2);
        double *sum = t->partial + (first << (N + 2));
        status = launch(t, s, first, events, error);
        if (status == BG_OK) status = bg_cuda_mark(t, CUDA_PART_AMPLITUDES, error);
        if (status == BG_OK) status = bg_cuda_fast_sum(t, s, columns, sum, error);
        if (status == BG_OK) status = bg_cuda_mark(t, CUDA_PART_COLOR_SUM, error);
        if (status != BG_OK) return status;
    }
    t->slices = (uint64_t)1 << (N + 2);
    t->slice_step = 1;
    t->event_step = (size_t)1 << (N + 2);
    return BG_OK;
}

static bg_status resources(size_t *on_chip, size_t *stack, bg_error *error)
{
    cudaFuncAttributes attributes;
    CUDA_TRY(error, cudaFuncGetAttributes(&attributes, recycled_kernel<K_FITS>));
    *on_chip = chip_bytes() / EVENTS;
    *stack = attributes.localSizeBytes;
    return BG_OK;
}

#define PASTE(a, b) a##b
#define SYMBOL(n) PASTE(bg_cuda_recycled_, n)

extern "C" const fast_instance SYMBOL(BG_LETTERS);
extern "C" const fast_instance SYMBOL(BG_LETTERS) = {N,      1,        LEAST_BYTES, MEMORY_PAIRS *EVENTS * 16,
                                                     BLOCKS, evaluate, resources};
