/* Amplitudes of one quark line and BG_LETTERS gluons on a GPU, all orderings and all helicities: what recycled.cu is for
 * gluons. The arithmetic is that of amplitude/line.h.
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

enum { N = BG_LETTERS, ALL = (1 << BG_LETTERS) - 1, RECORD = RECYCLED_RECORD(BG_LETTERS) };

#include "backend/cuda/word_sizes.cuh"

/* L takes half of the pairs of a gluon's L, whose other end has states as well, and T as many, from two letters on. */
enum {
    K_PAIRS = K_start(N - 1),
    L_PAIRS = L_start(N - 1) / 2,
    T_PAIRS = L_start(N - 1) - L_start(2),
    ORDERINGS = words_of(N),
    L_FITS = N <= 5 /* L and T lie in shared memory, as K does, or else in memory of the block */
};

/* By measurement: events of a block, threads of each, blocks of a multiprocessor. */
enum { EVENTS = N == 4 ? 4 : 1, TEAM = N == 4 ? 24 : N == 5 ? 192 : 384, BLOCKS = N == 4 ? 4 : N == 5 ? 2 : 1 };
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
    NUMBERS = BEFORE_LAST + 2 * N * BEFORE_SIZE
};

#include "backend/cuda/words.cuh"

struct line_event : recycled_event {
    double2 *T;
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

BG_FN uint32_t low_bits(uint32_t states, int p) { return states & ((1u << p) - 1u); }

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
static __device__ __forceinline__ void close_tile(const line_event &e, const uint32_t *record, uint32_t mid,
                                                  double2 *amplitude, size_t columns)
{
    amplitude_tile t;
    close_before_last(e, record, mid, t);
    close_last(e, record, mid, t);
    close_splits(e, record, mid, t);
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
    CHIP_PAIRS = NUMBER_PAIRS + K_PAIRS + (L_FITS ? L_PAIRS + T_PAIRS : 0),
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
    const uint32_t own = threadIdx.x % EVENTS, member = threadIdx.x / EVENTS;
    double *sets = (double *)chip + own;
    double2 *on_chip = chip + NUMBER_PAIRS * EVENTS + own;
    double2 *away = memory + (size_t)blockIdx.x * MEMORY_PAIRS * EVENTS + own;
    line_event e;
    e.sets = sets;
    e.K = on_chip;
    e.L = L_FITS ? on_chip + K_PAIRS * EVENTS : away;
    e.T = e.L + L_PAIRS * EVENTS;
#pragma unroll 1
    for (uint32_t group = blockIdx.x; group < groups; group += gridDim.x) {
        const size_t x = (size_t)group * EVENTS + own; /* number in the tile */
        for (uint32_t k = member; k < NUMBERS; k += TEAM) sets[k * EVENTS] = numbers[(size_t)k * pitch + x];
        __syncthreads();
        for (uint32_t letter = member; letter < N; letter += TEAM) letter_current(e, letter);
        word_phases<2, N - 1>(e, words, member);
        prefix_phases<1>(e, table, member);
        __syncthreads();
        for (uint32_t u = member; u < (uint32_t)ORDERINGS << MIDDLE; u += TEAM)
            close_tile(e, table + (size_t)(u >> MIDDLE) * RECORD, u & ((1u << MIDDLE) - 1u), amplitude + (x << N),
                       columns);
        __syncthreads();
    }
}

/* ---- momenta ---------------------------------------------------------------------------------------------------- */

BG_FN void put_numbers(double *at, size_t pitch, quark_set q)
{
    at[SET_MINUS * pitch] = q.minus;
    at[SET_INVERSE * pitch] = q.inverse_minus;
    at[SET_P1 * pitch] = q.p1;
    at[SET_P2 * pitch] = q.p2;
    at[SET_PROPAGATOR * pitch] = q.inverse_square;
}

BG_FN void put_number(double *at, size_t pitch, quark_number x)
{
    at[0] = x.re;
    at[pitch] = x.im;
}

BG_FN void put_before(double *at, size_t pitch, const line_sums &c)
{
    put_number(at, pitch, c.n1);
    put_number(at + 2 * pitch, pitch, c.n2);
    put_number(at + 4 * pitch, pitch, c.d);
    put_number(at + 6 * pitch, pitch, c.w);
}

/* What the numbers of sets are made of. */
struct line_legs {
    const bg_subprocess *process;
    const quark_program *program;
    const double *numbers; /* of the outgoing legs */
};

/* A set of legs, by place. */
BG_FN quark_set set_from(const line_legs &l, uint32_t set)
{
    return quark_set_of(l.program, l.process, set, 1, l.numbers);
}

/* What the letters have in common: the ends of the line and E. */
BG_FN quark_set find_ends(const line_legs &l, line_ends *e)
{
    const quark_set first = set_from(l, 1u), last = set_from(l, 2u << N), all = set_from(l, (uint32_t)ALL << 1);
    e->start = line_start(&first);
    e->end = line_end(&last, l.process->gauge == N + 1);
    const line_dual t = line_closed(e->start, e->end, all.inverse_minus + all.inverse_minus);
    e->all = line_before_sums(&t, &all);
    return all;
}

BG_FN void put_ends(const line_ends &e, size_t pitch, double *numbers)
{
    put_number(numbers + START_X * pitch, pitch, e.start.x);
    numbers[START_Y * pitch] = e.start.y.re;
    put_number(numbers + END_X * pitch, pitch, e.end.x);
    numbers[END_Y * pitch] = e.end.y.re;
    put_before(numbers + BEFORE_ALL * pitch, pitch, e.all);
}

/* S and W of a letter. */
BG_FN void put_letter(const line_legs &l, const line_ends &e, const quark_set &all, uint32_t k, size_t pitch,
                      double *numbers)
{
    const uint32_t own = 2u << k, others = ((uint32_t)ALL << 1) ^ own;
    const line_letter letter = {set_from(l, own), all, set_from(l, others), set_from(l, own | 1u),
                                set_from(l, others | 1u)};
    BG_LOOP
    for (uint32_t state = 0; state < 2; state++) {
        const light_current A = light_gluon(letter.own.p1, letter.own.p2, state ? 0. : 1., state ? 1. : 0.);
        put_before(numbers + before_place(BEFORE_FIRST, k, state) * pitch, pitch, line_first(&letter, &e, A));
        put_before(numbers + before_place(BEFORE_LAST, k, state) * pitch, pitch, line_last(&letter, &e, A));
    }
}

/* Sets that a thread works out. */
enum { SLICE = 8, SLICES = (1 << N) / SLICE };

/* A slice of the sets (y) a thread, and behind them a letter a thread; the padding repeats the last event. Letters are the
 * places 1 .. N between the ends. */
static __global__ void prepare_kernel(bg_momenta momenta, const __grid_constant__ bg_subprocess process,
                                      const __grid_constant__ quark_program program, size_t count, size_t pitch,
                                      double *numbers)
{
    const size_t event = (size_t)blockIdx.x * CUDA_BLOCK + threadIdx.x;
    const size_t from = event < count ? event : count - 1;
    vec4 p[N + 2];
    double w[N * (4 + N)];
    BG_UNROLL
    for (int k = 0; k < N + 2; k++) p[k] = event_momentum(&momenta, from, k);
    const light_frame frame = light_frame_of(p[process.opposite], p[process.gauge]);
    quark_put_outgoing(&program, &process, &frame, p, 1, w);
    const line_legs l = {&process, &program, w};
    numbers += event;
    if (blockIdx.y >= SLICES) {
        line_ends e;
        const quark_set all = find_ends(l, &e);
        if (blockIdx.y == SLICES) put_ends(e, pitch, numbers);
        put_letter(l, e, all, blockIdx.y - SLICES, pitch, numbers);
        return;
    }
    BG_LOOP
    for (uint32_t k = 0; k < SLICE; k++) {
        const uint32_t set = blockIdx.y * SLICE + k;
        double *to = numbers + (size_t)set * SET_SIZE * pitch;
        put_numbers(to + SET_LINE * pitch, pitch, set_from(l, set << 1 | 1u));
        if (set) put_numbers(to, pitch, set_from(l, set << 1));
    }
}

/* ---- launches --------------------------------------------------------------------------------------------------- */

static bg_status prepare(const cuda_task *t, const bg_subprocess *process, const quark_program *program,
                         const line_space *s, bg_error *error)
{
    const dim3 grid((unsigned)(t->pitch / CUDA_BLOCK), SLICES + N);
    quark_program own = *program;
    own.at_outgoing = 0; /* the legs have an array of their own */
    prepare_kernel<<<grid, CUDA_BLOCK, 0, t->stream>>>(t->momenta, *process, own, (size_t)t->count, t->pitch,
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
#define SYMBOL(n) PASTE(bg_cuda_line_, n)

extern "C" const line_instance SYMBOL(BG_LETTERS);
extern "C" const line_instance SYMBOL(BG_LETTERS) = {
    N, NUMBERS, CHIP_BYTES, (size_t)MEMORY_PAIRS *EVENTS * 16, EVENTS, BLOCKS, prepare, amplitudes, resources};
