/* Amplitudes of one quark line and BG_LETTERS gluons on a GPU, all orderings and all helicities: what recycled.cu is for
 * gluons. The arithmetic is that of amplitude/line.h. With BG_PAIR the first of the letters is a second quark line of another flavor
 * (pair.cuh). The numbers that the kernel begins with are made by another one (line_numbers.cuh).
 *
 * A block works on an event (some, where they are small) from beginning to end:
 *   K(s1 .. sm), m < N - 1         length by length (words.cuh),
 *   L and T of s1 .. sk, k < N - 1   length by length,
 *   A(q, s, qbar)                  all orderings; L and T of s1 .. s_{N-1}, which only one of them needs, stay in registers.
 * A thread has a tile of states: of the first letter, which is in the left halves of all splits, and of the last two, which are
 * in the right ones. Neighboring threads have other events or other states of the letters between.
 *
 * Bit i of a state of a word is that of its letter i. Of the pairs of numbers of a current in all of its states,
 * [pair][state][event], K has two, L two (x and y), T four.
 */
#define BG_STRAIGHT
#include "backend/cuda/fast.cuh"
#include "backend/cuda/line.h"

#include "amplitude/line.h"

/* Letter 0 is a second quark line; the others are gluons. */
#ifdef BG_PAIR
enum { PAIR = 1 };
#else
enum { PAIR = 0 };
#endif
enum {
    N = BG_LETTERS,
    ALL = (1 << BG_LETTERS) - 1,
    RECORD = RECYCLED_RECORD(BG_LETTERS),
    GLUONS = N - PAIR,
    OUT = N + PAIR, /* outgoing legs */
    GLUON_RECORD = RECYCLED_RECORD(GLUONS)
};

#include "backend/cuda/word_sizes.cuh"

/* Words of m gluons, and those of fewer than m in all states. */
static __host__ __device__ constexpr uint32_t gluon_words_of(int m)
{
    return m ? gluon_words_of(m - 1) * (uint32_t)(GLUONS - m + 1) : 1;
}
static __host__ __device__ constexpr uint32_t gluon_states(int m)
{
    return m > 1 ? gluon_states(m - 1) + (gluon_words_of(m - 1) << (m - 1)) : 0;
}

/* L takes half of the pairs of a gluon's L, whose other end has states as well, and T as many, from two letters on. */
enum {
    K_PAIRS = K_start(N - 1),
    L_PAIRS = L_start(N - 1) / 2,
    T_PAIRS = L_start(N - 1) - L_start(2),
    GLUON_ORDERINGS = gluon_words_of(GLUONS),
    SOURCES = gluon_states(GLUONS) +
              1, /* J or U of fewer than all gluons, none of them behind the others: three pairs each */
    END_PAIRS = PAIR ? 2 * gluon_states(GLUONS) : 0,       /* of an end of a line with gluons, fewer than all of them */
    LONG_PAIRS = PAIR ? GLUON_ORDERINGS * 2 << GLUONS : 0, /* K of all gluons */
    ORDERINGS = words_of(N),
    L_FITS = N <= 5 /* L and T lie in shared memory, as K does, or else in memory of the block */
};

#ifdef BG_ONE_THREAD /* tests run the kernel on a processor */
enum { EVENTS = 1, TEAM = 1, BLOCKS = 1 };
#else
/* By measurement: events of a block, threads of each, blocks of a multiprocessor. */
enum { EVENTS = N == 4 ? 4 : 1, TEAM = N == 4 ? 24 : N == 5 ? 192 : 384, BLOCKS = N == 4 ? 4 : N == 5 ? 2 : 1 };
#endif
enum { MIDDLE = N - 3 }; /* letters between the first one and the last two */

/* Numbers of a set of letters: as in fast.cuh, then those of the set with the start of the line. */
enum { SET_LINE = SET_PROPAGATOR + 1, SET_SIZE = 2 * SET_LINE };
/* Numbers of an event besides: the two ends, and E, S and W, where S and W are of both states of each letter. */
enum {
    START_X = SET_SIZE << N,
    START_Y = START_X + 2,
    END_X,
    END_Y = END_X + 2,
    BEFORE_ALL,
    BEFORE_SIZE = 8,
    BEFORE_FIRST = BEFORE_ALL + BEFORE_SIZE,
    BEFORE_LAST = BEFORE_FIRST + 2 * N * BEFORE_SIZE,
    PAIR_LEGS = BEFORE_LAST + 2 * N * BEFORE_SIZE, /* the quark's and the antiquark's x and y, */
    PAIR_SETS = PAIR_LEGS + (PAIR ? 8 : 0),        /* ... and their momenta with sets of gluons */
    PAIR_SET_SIZE = 5,
    NUMBERS = PAIR_SETS + (PAIR ? 2 * PAIR_SET_SIZE << GLUONS : 0)
};

#include "backend/cuda/words.cuh"

struct line_event : recycled_event {
    double2 *T;
    double2 *ends[3],
        *all; /* of the second line, the quark and the antiquark with gluons; of the end of the first one; K of all gluons */
    double2 *source, *u1; /* J and U of up to 3 gluons */
};

/* Numbers of the table: of the orderings, and of those of the gluons alone; which of these an ordering has, and the orderings by the place
 * of letter 0. */
enum {
    GLUON_TABLE = LINE_GLUON_TABLE(N),
    GLUON_RANKS = LINE_GLUON_RANKS(N),
    BY_PLACE = LINE_BY_PLACE(N),
    LAST = LINE_LAST(N),
    DIRECT = LINE_DIRECT(N)
};

BG_FN quark_number number_at(const line_event &e, uint32_t at)
{
    const quark_number r = {e.sets[at * EVENTS], e.sets[(at + 1) * EVENTS]};
    return r;
}

/* The start or the end of the line. */
BG_FN quark_spinor end_of(const line_event &e, int x, int y)
{
    const quark_spinor r = {number_at(e, x), {e.sets[y * EVENTS], 0.}};
    return r;
}

/* E, or S or W of a letter in one of its states. */
BG_FN line_sums before_at(const line_event &e, uint32_t at)
{
    const line_sums r = {number_at(e, at), number_at(e, at + 2), number_at(e, at + 4), number_at(e, at + 6)};
    return r;
}

BG_FN uint32_t before_place(int what, uint32_t letter, uint32_t state)
{
    return (uint32_t)what + (2 * letter + state) * BEFORE_SIZE;
}

BG_FN quark_number number_of(double2 x)
{
    const quark_number r = {x.x, x.y};
    return r;
}

BG_FN quark_spinor load_spinor(const double2 *from, uint32_t states, uint32_t state)
{
    const quark_spinor r = {number_of(from[state * EVENTS]), number_of(from[(states + state) * EVENTS])};
    return r;
}

BG_FN void store_spinor(double2 *to, uint32_t states, uint32_t state, quark_spinor q)
{
    to[state * EVENTS] = make_double2(q.x.re, q.x.im);
    to[(states + state) * EVENTS] = make_double2(q.y.re, q.y.im);
}

BG_FN line_dual load_dual(const double2 *from, uint32_t states, uint32_t state)
{
    const line_dual r = {number_of(from[state * EVENTS]), number_of(from[(states + state) * EVENTS]),
                         number_of(from[(2 * states + state) * EVENTS]),
                         number_of(from[(3 * states + state) * EVENTS])};
    return r;
}

BG_FN void store_dual(double2 *to, uint32_t states, uint32_t state, const line_dual &t)
{
    to[state * EVENTS] = make_double2(t.a1.re, t.a1.im);
    to[(states + state) * EVENTS] = make_double2(t.a2.re, t.a2.im);
    to[(2 * states + state) * EVENTS] = make_double2(t.psi.re, t.psi.im);
    to[(3 * states + state) * EVENTS] = make_double2(t.phi.re, t.phi.im);
}

BG_FN uint32_t low_bits(uint32_t states, int p) { return states & ((1u << p) - 1u); }

/* ---- L and T -------------------------------------------------------------------------------------------------- */

BG_FN uint32_t letter_of(const uint32_t *record, int place) { return packed_letter(record[1], place); }

/* The letters i .. j - 1 of an ordering: their set, K, L and T of the first k. */
BG_FN uint32_t set_between(const uint32_t *record, int i, int j)
{
    uint32_t set = 0;
    for (int k = i; k < j; k++) set |= 1u << letter_of(record, k);
    return set;
}

BG_FN const double2 *word_of(const line_event &e, const uint32_t *record, int i, int j)
{
    return e.K + record[RECYCLED_WORD(N, i, j)] * EVENTS;
}

BG_FN double2 *prefix_of(const line_event &e, const uint32_t *record, int k)
{
    return e.L + record[RECYCLED_PREFIX(N, k)] / 2 * EVENTS;
}

BG_FN double2 *dual_of(const line_event &e, const uint32_t *record, int k)
{
    return e.T + (record[RECYCLED_PREFIX(N, k)] - L_start(2)) * EVENTS;
}

/* Adds the emission of K(s_{p+1} .. sk) to the sums of a tile, u[2 a + j]: a for the first letter, j for the last one; `mid`
 * are those of the letters between. Without letters on the left (p = 0) it is the start of the line that emits. */
template <int ALONE>
BG_FN void add_emissions(const line_event &e, const uint32_t *record, int k, int p, uint32_t right_set, uint32_t mid,
                         quark_sum *u)
{
    const double2 *right = word_of(e, record, p, k);
    const uint32_t states = mid << 1;
    const real inverse = inverse_of(e, right_set), twice = inverse + inverse;
    quark_spinor q[2];
    if constexpr (ALONE) {
        q[0] = end_of(e, START_X, START_Y);
    } else {
        const double2 *left = prefix_of(e, record, p);
        BG_UNROLL
        for (uint32_t a = 0; a < 2; a++) q[a] = load_spinor(left, 1u << p, low_bits(states, p) | a);
    }
    BG_UNROLL
    for (uint32_t j = 0; j < 2; j++) {
        if constexpr (ALONE) {
            BG_UNROLL
            for (uint32_t a = 0; a < 2; a++) {
                const light_current B = load_current(right, 1u << k, a | states | j << (k - 1));
                line_emit(&u[2 * a + j], q[0], B.a1, B.a2, twice * B.psi);
            }
        } else {
            const light_current B = load_current(right, 1u << (k - p), states >> p | j << (k - p - 1));
            const real plus = twice * B.psi;
            BG_UNROLL
            for (uint32_t a = 0; a < 2; a++) line_emit(&u[2 * a + j], q[a], B.a1, B.a2, plus);
        }
    }
}

/* L of a set with the start of the line from its emissions. */
BG_FN quark_spinor finish_prefix(const line_event &e, uint32_t set, quark_sum u)
{
    return line_propagate(u, set_of(e, set, SET_LINE + SET_MINUS), set_of(e, set, SET_LINE + SET_INVERSE),
                          set_of(e, set, SET_LINE + SET_P1), set_of(e, set, SET_LINE + SET_P2),
                          set_of(e, set, SET_LINE + SET_PROPAGATOR));
}

/* L(q, s1 .. sk), k > 1, in the states [first letter][last one]; that of N - 1 letters without the emission of all of them. */
template <int k>
BG_FN void prefix_tile(const line_event &e, const uint32_t *record, uint32_t mid, quark_spinor (*out)[2])
{
    const uint32_t set = set_between(record, 0, k);
    uint32_t right_set = set;
    quark_sum u[4];
    BG_UNROLL
    for (int a = 0; a < 4; a++) u[a].eta1.re = u[a].eta1.im = u[a].eta2.re = u[a].eta2.im = 0.;
    if constexpr (k < N - 1) add_emissions<1>(e, record, k, 0, right_set, mid, u);
    BG_LOOP
    for (int p = 1; p < k; p++) {
        right_set ^= 1u << letter_of(record, p - 1);
        add_emissions<0>(e, record, k, p, right_set, mid, u);
    }
    BG_UNROLL
    for (int a = 0; a < 2; a++) {
        BG_UNROLL
        for (int j = 0; j < 2; j++) out[a][j] = finish_prefix(e, set, u[2 * a + j]);
    }
}

/* What T of the first k letters needs besides L: how all gluons split behind them, and all but the first one. */
struct dual_factors {
    quark_spinor close;
    real twice;
    light_split all, others;
};

BG_FN void split_factors(const line_event &e, uint32_t all, uint32_t left, light_split *f)
{
    shared_factors(f, minus_of(e, all), inverse_of(e, all), minus_of(e, left), inverse_of(e, left),
                   inverse_of(e, all ^ left));
}

BG_FN dual_factors factors_of(const line_event &e, const uint32_t *record, int k)
{
    const uint32_t set = set_between(record, 0, k), first = 1u << letter_of(record, 0);
    const real inverse = inverse_of(e, ALL ^ set);
    dual_factors f;
    f.close = end_of(e, END_X, END_Y);
    f.twice = inverse + inverse;
    if (k < N - 1) split_factors(e, ALL, set, &f.all);
    split_factors(e, ALL ^ first, set ^ first, &f.others);
    return f;
}

BG_FN void add_before(const line_event &e, const light_split &f, uint32_t at, light_current A, line_dual *T)
{
    const line_sums c = before_at(e, at);
    line_add_split(T, &c, A, f.left_factor, f.right_factor, f.difference);
}

/* T of k letters in one state, from their L. */
template <int k>
BG_FN line_dual dual_from(const line_event &e, const uint32_t *record, const dual_factors &f, uint32_t state,
                          quark_spinor L)
{
    line_dual T = line_closed(L, f.close, f.twice);
    if constexpr (k < N - 1)
        add_before(e, f.all, BEFORE_ALL, load_current(word_of(e, record, 0, k), 1u << k, state), &T);
    add_before(e, f.others, before_place(BEFORE_FIRST, letter_of(record, 0), state & 1u),
               load_current(word_of(e, record, 1, k), 1u << (k - 1), state >> 1), &T);
    return T;
}

/* Stores L of the first letter, and L and T of k > 1 letters for a tile of states. */
BG_FN void first_prefix(const line_event &e, const uint32_t *record)
{
    const uint32_t set = 1u << letter_of(record, 0);
    const real inverse = inverse_of(e, set);
    const quark_spinor q = end_of(e, START_X, START_Y);
    BG_UNROLL
    for (uint32_t j = 0; j < 2; j++) {
        const light_current B = load_current(word_of(e, record, 0, 1), 2, j);
        quark_sum u = {{0., 0.}, {0., 0.}};
        line_emit(&u, q, B.a1, B.a2, (inverse + inverse) * B.psi);
        store_spinor(prefix_of(e, record, 1), 2, j, finish_prefix(e, set, u));
    }
}

template <int k> BG_FN void prefix_states(const line_event &e, const uint32_t *record, uint32_t mid)
{
    quark_spinor L[2][2];
    prefix_tile<k>(e, record, mid, L);
    const dual_factors f = factors_of(e, record, k);
    BG_UNROLL
    for (uint32_t a = 0; a < 2; a++) {
        BG_UNROLL
        for (uint32_t j = 0; j < 2; j++) {
            const uint32_t state = a | mid << 1 | j << (k - 1);
            store_spinor(prefix_of(e, record, k), 1u << k, state, L[a][j]);
            store_dual(dual_of(e, record, k), 1u << k, state, dual_from<k>(e, record, f, state, L[a][j]));
        }
    }
}

/* ---- amplitudes ---------------------------------------------------------------------------------------------- */

/* A tile of amplitudes: [s1][s_{N-1} + 2 s_N]. */
typedef quark_number amplitude_tile[2][4];

#ifdef BG_PAIR
#include "backend/cuda/pair.cuh" /* which works with L and tiles of amplitudes */
#endif

/* Starts with W(s_N) and the sums of all letters but the last one. */
BG_FN void close_before_last(const line_event &e, const uint32_t *record, uint32_t mid, amplitude_tile &t)
{
    const uint32_t last = letter_of(record, N - 1), set = ALL ^ 1u << last;
    uint32_t left_set = 0;
    light_sum s[4];
    BG_UNROLL
    for (int k = 0; k < 4; k++) s[k] = light_zero();
    BG_LOOP
    for (int l = 1; l < N - 1; l++) {
        left_set |= 1u << letter_of(record, l - 1);
        const double2 *left = word_of(e, record, 0, l), *right = word_of(e, record, l, N - 1);
        light_split f;
        light_current A[2], B[2];
        shared_factors(&f, minus_of(e, set), inverse_of(e, set), minus_of(e, left_set), inverse_of(e, left_set),
                       inverse_of(e, set ^ left_set));
        BG_UNROLL
        for (uint32_t i = 0; i < 2; i++) A[i] = load_current(left, 1u << l, shared_low(mid, l) << 1 | i);
        BG_UNROLL
        for (uint32_t j = 0; j < 2; j++)
            B[j] = load_current(right, 1u << (N - 1 - l), shared_high(mid, l) | j << (N - 2 - l));
        light_add_tile(2, 2, A, B, 1, &f, s);
    }
    BG_UNROLL
    for (uint32_t j = 0; j < 2; j++) {
        const line_sums c = before_at(e, before_place(BEFORE_LAST, last, j));
        BG_UNROLL
        for (int a = 0; a < 2; a++) {
            BG_UNROLL
            for (int i = 0; i < 2; i++) t[a][i + 2 * j] = line_from_sums(&c, s[2 * a + i]);
        }
    }
}

/* Adds the split behind the last letter but one, whose T is made here. */
BG_FN void close_last(const line_event &e, const uint32_t *record, uint32_t mid, amplitude_tile &t)
{
    quark_spinor L[2][2];
    prefix_tile<N - 1>(e, record, mid, L);
    const dual_factors f = factors_of(e, record, N - 1);
    const double2 *right = word_of(e, record, N - 1, N);
    BG_UNROLL
    for (uint32_t a = 0; a < 2; a++) {
        BG_UNROLL
        for (uint32_t i = 0; i < 2; i++) {
            const line_dual T = dual_from<N - 1>(e, record, f, a | mid << 1 | i << (N - 2), L[a][i]);
            BG_UNROLL
            for (uint32_t j = 0; j < 2; j++) line_close(&t[a][i + 2 * j], &T, load_current(right, 2, j));
        }
    }
}

/* Adds the splits behind letters 2 to N - 2. */
BG_FN void close_splits(const line_event &e, const uint32_t *record, uint32_t mid, amplitude_tile &t)
{
    BG_LOOP
    for (int p = 2; p < N - 1; p++) {
        const double2 *left = dual_of(e, record, p), *right = word_of(e, record, p, N);
        const uint32_t states = mid << 1;
        light_current B[4];
        BG_UNROLL
        for (uint32_t b = 0; b < 4; b++) B[b] = load_current(right, 1u << (N - p), states >> p | b << (N - 2 - p));
        BG_UNROLL
        for (uint32_t a = 0; a < 2; a++) {
            const line_dual T = load_dual(left, 1u << p, low_bits(states, p) | a);
            BG_UNROLL
            for (int b = 0; b < 4; b++) line_close(&t[a][b], &T, B[b]);
        }
    }
}

/* All amplitudes of a tile; those of an event go to amplitude[place * columns ..]. */
static __device__ __forceinline__ void close_tile(const line_event &e, const uint32_t *table, uint32_t rank,
                                                  uint32_t mid, double2 *amplitude, size_t columns)
{
    const uint32_t *record = table + (size_t)rank * RECORD;
    amplitude_tile t;
    close_before_last(e, record, mid, t);
    close_last(e, record, mid, t);
    close_splits(e, record, mid, t);
#ifdef BG_PAIR
    const int p = line_place_of_pair(N, record, N), at_end = p == 0 || p == N - 1;
    if (!at_end) close_pairs(e, table, rank, p, mid, t);
#endif
    uint32_t configuration = 0;
    BG_UNROLL
    for (int k = 0; k < MIDDLE; k++) configuration |= (mid >> k & 1u) << letter_of(record, k + 1);
    double2 *at = amplitude + (size_t)record[0] * columns;
    BG_UNROLL
    for (uint32_t a = 0; a < 2; a++) {
        BG_UNROLL
        for (uint32_t b = 0; b < 4; b++) {
            const uint32_t c = configuration | a << letter_of(record, 0) | (b & 1) << letter_of(record, N - 2) |
                               (b >> 1) << letter_of(record, N - 1);
#ifdef BG_PAIR
            if (at_end) { /* those pairs are there */
                const double2 x = __ldcg(at + c);
                t[a][b].re += x.x;
                t[a][b].im += x.y;
            }
#endif
            __stcs(at + c, make_double2(t[a][b].re, t[a][b].im)); /* it is the currents that the caches are for */
        }
    }
}

/* ---- all of an event ------------------------------------------------------------------------------------------- */

/* The work of a thread between two barriers, for L and T of k letters. */
template <int k> BG_FN void prefix_phase(const line_event &e, const uint32_t *table, uint32_t member)
{
    enum { INNER = k > 2 ? k - 2 : 0, EACH = words_of(N) / words_of(k) };
    for (uint32_t u = member; u < words_of(k) << INNER; u += TEAM) {
        const uint32_t *record =
            table + (size_t)((u >> INNER) * EACH) * RECORD; /* the first ordering with this prefix */
        if constexpr (k == 1)
            first_prefix(e, record);
        else
            prefix_states<k>(e, record, u & ((1u << INNER) - 1u));
    }
}

template <int k>
static __device__ __forceinline__ void prefix_phases(const line_event &e, const uint32_t *table, uint32_t member)
{
    if constexpr (k < N - 1) {
        __syncthreads();
        prefix_phase<k>(e, table, member);
        prefix_phases<k + 1>(e, table, member);
    }
}

/* Pairs of numbers of one event in shared memory, and in memory of the block. */
enum {
    NUMBER_PAIRS = (NUMBERS + 1) / 2,
    CHIP_PAIRS = NUMBER_PAIRS + K_PAIRS + (L_FITS ? L_PAIRS + T_PAIRS : 0) + 3 * END_PAIRS + LONG_PAIRS,
    MEMORY_PAIRS = L_FITS ? 0 : L_PAIRS + T_PAIRS,
    CHIP_BYTES = CHIP_PAIRS * EVENTS * 16
};

/* A group of events at a time. */
static __global__ __launch_bounds__(EVENTS *TEAM,
                                    BLOCKS) void line_kernel(fast_words words, const uint32_t *__restrict__ table,
                                                             const double *numbers, size_t pitch, uint32_t groups,
                                                             double2 *memory, double2 *amplitude, size_t columns)
{
    extern __shared__ double2 chip[];
    (void)words; /* with a second line records are enough */
    const uint32_t own = threadIdx.x % EVENTS, member = threadIdx.x / EVENTS;
    double *sets = (double *)chip + own;
    double2 *on_chip = chip + NUMBER_PAIRS * EVENTS + own;
    double2 *away = memory + (size_t)blockIdx.x * MEMORY_PAIRS * EVENTS + own;
    line_event e;
    e.sets = sets;
    e.K = on_chip;
    e.L = L_FITS ? on_chip + K_PAIRS * EVENTS : away;
    e.T = e.L + L_PAIRS * EVENTS;
#ifdef BG_PAIR
    e.ends[QUARK] = e.T + T_PAIRS * EVENTS;
    e.ends[ANTIQUARK] = e.ends[QUARK] + END_PAIRS * EVENTS;
    e.ends[CLOSING] = e.ends[ANTIQUARK] + END_PAIRS * EVENTS;
    e.all = e.ends[CLOSING] + END_PAIRS * EVENTS;
    static_assert(6 * (int)SOURCES <= (int)T_PAIRS, "J and U have the place of T");
    e.source = e.T; /* which is of no use any more by then */
    e.u1 = e.source + 3 * SOURCES * EVENTS;
#endif
#pragma unroll 1
    for (uint32_t group = blockIdx.x; group < groups; group += gridDim.x) {
        const size_t x = (size_t)group * EVENTS + own; /* number in the tile */
        for (uint32_t k = member; k < NUMBERS; k += TEAM) sets[k * EVENTS] = numbers[(size_t)k * pitch + x];
        __syncthreads();
        for (uint32_t letter = PAIR + member; letter < N; letter += TEAM) letter_current(e, letter);
#ifdef BG_PAIR
        if (member == TEAM - 1) pair_current(e);
        pair_word_phases<2>(e, table, member);
        __syncthreads();
        second_line_phase(e, table, amplitude + (x << N), columns, member);
#else
        word_phases<2, N - 1>(e, words, member);
#endif
        prefix_phases<1>(e, table, member);
        __syncthreads();
        for (uint32_t u = member; u < (uint32_t)ORDERINGS << MIDDLE; u += TEAM)
            close_tile(e, table, PAIR ? table[BY_PLACE + (u >> MIDDLE)] : u >> MIDDLE, u & ((1u << MIDDLE) - 1u),
                       amplitude + (x << N), columns);
#ifdef BG_PAIR
        __syncthreads();
        source_phases<0>(e, table, member);
        first_line_phase(e, table, amplitude + (x << N), columns, member);
        __syncthreads();
        direct_phase(e, table, amplitude + (x << N), columns, member);
#endif
        __syncthreads();
    }
}

#ifndef BG_COUNTED /* it is the steps behind that count */
#include "backend/cuda/line_numbers.cuh"
#endif

#ifndef BG_ONE_THREAD
/* ---- launches --------------------------------------------------------------------------------------------------- */

static bg_status prepare(const cuda_task *t, const bg_subprocess *process, const quark_program *program,
                         const line_space *s, bg_error *error)
{
    const dim3 grid((unsigned)(t->pitch / CUDA_BLOCK), SHARES);
    quark_program own = *program;
    own.at_outgoing = 0; /* the legs have an array of their own */
    prepare_kernel<<<grid, CUDA_BLOCK, 0, t->stream>>>(t->momenta, *process, own, s->places, (size_t)t->count, t->pitch,
                                                       s->numbers);
    CUDA_LAUNCHED(error, "prepare_kernel");
    return BG_OK;
}

static bg_status amplitudes(const cuda_task *t, const line_space *s, size_t first, size_t events, bg_error *error)
{
    const size_t groups = events / EVENTS, blocks = MEMORY_PAIRS ? s->blocks : groups;
    CUDA_TRY(error, cudaFuncSetAttribute(line_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, CHIP_BYTES));
    line_kernel<<<(unsigned)(groups < blocks ? groups : blocks), EVENTS * TEAM, CHIP_BYTES, t->stream>>>(
        s->words, s->record, s->numbers + first, t->pitch, (uint32_t)groups, (double2 *)s->currents,
        (double2 *)t->amplitude, events << N);
    CUDA_LAUNCHED(error, "line_kernel");
    return BG_OK;
}

static bg_status resources(size_t *stack, bg_error *error)
{
    cudaFuncAttributes attributes;
    CUDA_TRY(error, cudaFuncGetAttributes(&attributes, line_kernel));
    *stack = attributes.localSizeBytes;
    return BG_OK;
}

#define PASTE(a, b) a##b
#ifdef BG_PAIR
#define SYMBOL(n) PASTE(bg_cuda_pair_, n)
#else
#define SYMBOL(n) PASTE(bg_cuda_line_, n)
#endif

extern "C" const line_instance SYMBOL(BG_LETTERS);
extern "C" const line_instance SYMBOL(BG_LETTERS) = {
    N, PAIR, NUMBERS, CHIP_BYTES, (size_t)MEMORY_PAIRS *EVENTS * 16, EVENTS, BLOCKS, prepare, amplitudes, resources};
#endif
