/* Amplitudes of one quark line and BG_LETTERS gluons on a GPU, all orderings and all helicities: what recycled.cu is for
 * gluons. The arithmetic is that of amplitude/line.h. With BG_PAIR the first of the letters is a second quark line of another flavor.
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

/* ---- the second line ------------------------------------------------------------------------------------------- */

#ifdef BG_PAIR
/* The ends of lines that gluons are put on: the quark and the antiquark of the second line, and the end of the first. Currents that start at
 * antiquarks have the opposite s. */
enum { QUARK, ANTIQUARK, CLOSING };

/* One of them without gluons, and its momentum with some. */
BG_FN quark_spinor pair_leg(const line_event &e, int end)
{
    const uint32_t at = PAIR_LEGS + 4 * (uint32_t)end;
    if (end == CLOSING) return end_of(e, END_X, END_Y);
    const quark_spinor r = {number_at(e, at), number_at(e, at + 2)};
    return r;
}

BG_FN quark_set pair_set(const line_event &e, int end, uint32_t gluons)
{
    if (end == CLOSING) { /* the opposite of all that is left */
        const uint32_t rest = ALL ^ gluons << 1;
        const quark_set r = {-set_of(e, rest, SET_LINE + SET_MINUS), -set_of(e, rest, SET_LINE + SET_INVERSE),
                             -set_of(e, rest, SET_LINE + SET_P1), -set_of(e, rest, SET_LINE + SET_P2),
                             set_of(e, rest, SET_LINE + SET_PROPAGATOR)};
        return r;
    }
    const double *at = e.sets + (PAIR_SETS + (((uint32_t)end << GLUONS) + gluons) * PAIR_SET_SIZE) * EVENTS;
    const quark_set r = {at[0], at[EVENTS], at[2 * EVENTS], at[3 * EVENTS], at[4 * EVENTS]};
    return r;
}

/* Of an ordering of the gluons: its letters, by number of the gluon; where letters i .. j - 1 are among the ends' words; and K, where the
 * ordering of all letters that has letter 0 first says. */
BG_FN uint32_t gluon_of(const uint32_t *gluons, int place) { return packed_letter(gluons[1], place); }

BG_FN uint32_t gluons_between(const uint32_t *gluons, int i, int j)
{
    uint32_t set = 0;
    for (int k = i; k < j; k++) set |= 1u << gluon_of(gluons, k);
    return set;
}

/* An end with the gluons i .. j - 1 of an ordering, in one state of these. */
BG_FN quark_spinor end_with(const line_event &e, int end, const uint32_t *gluons, int i, int j, uint32_t state)
{
    if (i == j) return pair_leg(e, end);
    return load_spinor(e.ends[end] + gluons[RECYCLED_WORD(GLUONS, i, j)] * EVENTS, 1u << (j - i), state);
}

BG_FN uint32_t rank_of(const uint32_t *gluons, const uint32_t *table)
{
    return (uint32_t)(gluons - (table + GLUON_TABLE)) / GLUON_RECORD;
}

BG_FN light_current gluons_with(const line_event &e, const uint32_t *gluons, const uint32_t *table, int i, int j,
                                uint32_t state)
{
    const uint32_t rank = rank_of(gluons, table);
    if (j - i == GLUONS) return load_current(e.all + (rank * 2 << GLUONS) * EVENTS, 1u << GLUONS, state);
    const uint32_t *record = table + rank * RECORD; /* letter 0 and this ordering */
    return load_current(e.K + record[RECYCLED_WORD(N, i + 1, j + 1)] * EVENTS, 1u << (j - i), state);
}

/* An end with the first k gluons of an ordering, from its emissions: those of a quark are behind it, those of an antiquark before it. */
template <int k>
BG_FN quark_spinor make_end(const line_event &e, int end, const uint32_t *gluons, const uint32_t *table, uint32_t state)
{
    const int anti = end != QUARK;
    quark_sum u = {{0., 0.}, {0., 0.}};
    BG_LOOP
    for (int l = 0; l < k; l++) {                                /* gluons that the current before the emission has */
        const int first = anti ? 0 : l, last = anti ? k - l : k; /* of those that are emitted */
        const uint32_t emitted = anti ? low_bits(state, k - l) : state >> l,
                       kept = anti ? state >> (k - l) : low_bits(state, l);
        const quark_spinor q = end_with(e, end, gluons, anti ? last : 0, anti ? k : first, kept);
        const light_current A = gluons_with(e, gluons, table, first, last, emitted);
        const real inverse = inverse_of(e, gluons_between(gluons, first, last) << 1);
        line_pair_emit(anti, &u, q, A, inverse + inverse);
    }
    const quark_set P = pair_set(e, end, gluons_between(gluons, 0, k));
    return line_pair_propagate(anti, u, &P);
}

/* Ends with k gluons, all words in all states. */
template <int k> BG_FN void end_phase(const line_event &e, const uint32_t *table, uint32_t member)
{
    enum { WORDS = gluon_words_of(k), EACH = GLUON_ORDERINGS / WORDS, ONE = WORDS << k };
    for (uint32_t u = member; u < 3 * ONE; u += TEAM) {
        const int end = (int)(u / ONE);
        const uint32_t task = u % ONE, state = low_bits(task, k);
        const uint32_t *gluons = table + GLUON_TABLE + (task >> k) * EACH * GLUON_RECORD;
        store_spinor(e.ends[end] + gluons[RECYCLED_WORD(GLUONS, 0, k)] * EVENTS, 1u << k, state,
                     make_end<k>(e, end, gluons, table, state));
    }
}

/* K of letter 0, and of a word of M > 1 letters from its splits and, with letter 0 in it, its pair. */
BG_FN void pair_current(const line_event &e)
{
    const real inverse = inverse_of(e, 1u), p1 = set_of(e, 1u, SET_P1), p2 = set_of(e, 1u, SET_P2),
               propagator = set_of(e, 1u, SET_PROPAGATOR);
    BG_UNROLL
    for (uint32_t part = 0; part < 2; part++) {
        light_sum s = light_zero();
        line_add_pair((int)part, pair_leg(e, QUARK), pair_leg(e, ANTIQUARK), inverse + inverse, &s);
        store_current(e.K, 2, part, light_propagate(s, p1, p2, propagator));
    }
}

/* The place of letter 0; N: it is not among the first `letters`. */
BG_FN int place_of_pair(const uint32_t *record, int letters)
{
    int place = N;
    for (int k = 0; k < letters; k++)
        if (!packed_letter(record[1], k)) place = k;
    return place;
}

BG_FN const uint32_t *gluons_of(const uint32_t *table, uint32_t rank)
{
    return table + GLUON_TABLE + table[GLUON_RANKS + rank] * GLUON_RECORD;
}

/* Adds the pair of letters i .. j - 1 of an ordering with letter 0 in place p, whose states by place are in `state`, bit 0 for letter i. */
BG_FN void add_pair(const line_event &e, const uint32_t *gluons, int i, int j, int p, uint32_t state, real twice,
                    light_sum *s)
{
    const quark_spinor antiquark = end_with(e, ANTIQUARK, gluons, i, p, state & ((1u << (p - i)) - 1u)),
                       quark = end_with(e, QUARK, gluons, p, j - 1, state >> (p - i + 1));
    line_add_pair((int)(state >> (p - i) & 1u), quark, antiquark, twice, s);
}

template <int M> BG_FN void pair_word_phase(const line_event &e, const uint32_t *table, uint32_t member)
{
    enum { EACH = words_of(N) / words_of(M) };
    for (uint32_t u = member; u < words_of(M) << (M - 2); u += TEAM) {
        const uint32_t rank = (u >> (M - 2)) * EACH, mid = u & ((1u << (M - 2)) - 1u);
        const uint32_t *record = table + rank * RECORD;
        uint32_t set = 0, left_set = 0;
        for (int k = 0; k < M; k++) set |= 1u << packed_letter(record[1], k);
        const real minus = minus_of(e, set), inverse = inverse_of(e, set);
        light_sum s[4];
        BG_UNROLL
        for (int k = 0; k < 4; k++) s[k] = light_zero();
        BG_LOOP
        for (int l = 1; l < M; l++) {
            const double2 *left = e.K + record[RECYCLED_WORD(N, 0, l)] * EVENTS,
                          *right = e.K + record[RECYCLED_WORD(N, l, M)] * EVENTS;
            light_split f;
            light_current A[2], B[2];
            left_set |= 1u << packed_letter(record[1], l - 1);
            shared_factors(&f, minus, inverse, minus_of(e, left_set), inverse_of(e, left_set),
                           inverse_of(e, set ^ left_set));
            BG_UNROLL
            for (uint32_t i = 0; i < 2; i++) A[i] = load_current(left, 1u << l, shared_low(mid, l) << 1 | i);
            BG_UNROLL
            for (uint32_t j = 0; j < 2; j++)
                B[j] = load_current(right, 1u << (M - l), shared_high(mid, l) | j << (M - l - 1));
            light_add_tile(2, 2, A, B, 1, &f, s);
        }
        const int p = place_of_pair(record, M);
        const real p1 = set_of(e, set, SET_P1), p2 = set_of(e, set, SET_P2),
                   propagator = set_of(e, set, SET_PROPAGATOR);
        BG_UNROLL
        for (uint32_t k = 0; k < 4; k++) {
            const uint32_t state = k >> 1 | mid << 1 | (k & 1) << (M - 1);
            if (p < N) add_pair(e, gluons_of(table, rank), 0, M, p, state, inverse + inverse, &s[k]);
            store_current(e.K + record[RECYCLED_WORD(N, 0, M)] * EVENTS, 1u << M, state,
                          light_propagate(s[k], p1, p2, propagator));
        }
    }
}

/* K of all gluons. */
BG_FN void all_gluons_phase(const line_event &e, const uint32_t *table, uint32_t member)
{
    for (uint32_t u = member; u < (uint32_t)GLUON_ORDERINGS << (GLUONS - 2); u += TEAM) {
        const uint32_t rank = u >> (GLUONS - 2), mid = low_bits(u, GLUONS - 2), set = ALL ^ 1u;
        const uint32_t *record = table + rank * RECORD;
        const real minus = minus_of(e, set), inverse = inverse_of(e, set);
        uint32_t left_set = 0;
        light_sum s[4];
        BG_UNROLL
        for (int k = 0; k < 4; k++) s[k] = light_zero();
        BG_LOOP
        for (int l = 1; l < GLUONS; l++) {
            const double2 *left = e.K + record[RECYCLED_WORD(N, 1, l + 1)] * EVENTS,
                          *right = e.K + record[RECYCLED_WORD(N, l + 1, N)] * EVENTS;
            light_split f;
            light_current A[2], B[2];
            left_set |= 1u << packed_letter(record[1], l);
            shared_factors(&f, minus, inverse, minus_of(e, left_set), inverse_of(e, left_set),
                           inverse_of(e, set ^ left_set));
            BG_UNROLL
            for (uint32_t i = 0; i < 2; i++) A[i] = load_current(left, 1u << l, shared_low(mid, l) << 1 | i);
            BG_UNROLL
            for (uint32_t j = 0; j < 2; j++)
                B[j] = load_current(right, 1u << (GLUONS - l), shared_high(mid, l) | j << (GLUONS - l - 1));
            light_add_tile(2, 2, A, B, 1, &f, s);
        }
        BG_UNROLL
        for (uint32_t k = 0; k < 4; k++)
            store_current(
                e.all + (rank * 2 << GLUONS) * EVENTS, 1u << GLUONS, k >> 1 | mid << 1 | (k & 1) << (GLUONS - 1),
                light_propagate(s[k], set_of(e, set, SET_P1), set_of(e, set, SET_P2), set_of(e, set, SET_PROPAGATOR)));
    }
}

/* From K of M letters on to the ends with all gluons but one, and K of all gluons. */
template <int M>
static __device__ __forceinline__ void pair_word_phases(const line_event &e, const uint32_t *table, uint32_t member)
{
    __syncthreads();
    end_phase<M - 1>(e, table, member);
    if constexpr (M < N - 1) {
        __syncthreads();
        pair_word_phase<M>(e, table, member);
        pair_word_phases<M + 1>(e, table, member);
    } else {
        all_gluons_phase(e, table, member);
    }
}
#endif

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

#ifdef BG_PAIR
/* Adds what E, S and W make of the pairs of the longest words, where letter 0 is neither the first letter nor the last one. */
BG_FN void close_pairs(const line_event &e, const uint32_t *table, uint32_t rank, int p, uint32_t mid,
                       amplitude_tile &t)
{
    const uint32_t *record = table + rank * RECORD, *gluons = gluons_of(table, rank);
    const uint32_t first = letter_of(record, 0), last = letter_of(record, N - 1);
    const double2 *antiquark = e.ends[ANTIQUARK] + gluons[RECYCLED_WORD(GLUONS, 0, p)] * EVENTS,
                  *without_first = e.ends[ANTIQUARK] + (p > 1 ? gluons[RECYCLED_WORD(GLUONS, 1, p)] * EVENTS : 0),
                  *quark = e.ends[QUARK] + gluons[RECYCLED_WORD(GLUONS, p, GLUONS)] * EVENTS,
                  *without_last =
                      e.ends[QUARK] + (p < GLUONS - 1 ? gluons[RECYCLED_WORD(GLUONS, p, GLUONS - 1)] * EVENTS : 0);
    const real all = inverse_of(e, ALL), but_first = inverse_of(e, ALL ^ 1u << first),
               but_last = inverse_of(e, ALL ^ 1u << last);
    const uint32_t behind_p = (uint32_t)(GLUONS - p);
    BG_UNROLL
    for (uint32_t k = 0; k < 8; k++) {
        const uint32_t a = k & 1u, b = k >> 1, state = a | mid << 1 | b << (N - 2), before = low_bits(state, p),
                       behind = state >> (p + 1);
        const int part = (int)(state >> p & 1u);
        const quark_spinor u = load_spinor(antiquark, 1u << p, before), v = load_spinor(quark, 1u << behind_p, behind);
        const quark_spinor less_u =
            p > 1 ? load_spinor(without_first, 1u << (p - 1), before >> 1) : pair_leg(e, ANTIQUARK);
        const quark_spinor less_v =
            p < GLUONS - 1 ? load_spinor(without_last, 1u << (behind_p - 1), low_bits(behind, GLUONS - 1 - p))
                           : pair_leg(e, QUARK);
        light_sum s = light_zero(), S = light_zero(), W = light_zero();
        line_add_pair(part, v, u, all + all, &s);
        line_add_pair(part, v, less_u, but_first + but_first, &S);
        line_add_pair(part, less_v, u, but_last + but_last, &W);
        const line_sums c = before_at(e, BEFORE_ALL), d = before_at(e, before_place(BEFORE_FIRST, first, a)),
                        f = before_at(e, before_place(BEFORE_LAST, last, b >> 1));
        line_close_pair(&t[a][b], &c, s);
        line_close_pair(&t[a][b], &d, S);
        line_close_pair(&t[a][b], &f, W);
    }
}

/* The configuration of the gluons of an ordering in a state by place, with the real part of letter 0. */
BG_FN uint32_t gluon_configuration(const uint32_t *gluons, uint32_t state)
{
    uint32_t configuration = 0;
    BG_UNROLL
    for (int i = 0; i < GLUONS; i++) configuration |= (state >> i & 1u) << (gluon_of(gluons, i) + 1);
    return configuration;
}
#endif

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
    const int p = place_of_pair(record, N), at_end = p == 0 || p == N - 1;
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

/* ---- lines whose ends are connected with themselves ------------------------------------------------------------- */

#ifdef BG_PAIR
/* The line from its start with gluons 0 .. j - 1 of an ordering, up to 3 of them. */
BG_FN quark_spinor start_with(const line_event &e, const uint32_t *gluons, const uint32_t *table, int j, uint32_t state)
{
    if (!j) return end_of(e, START_X, START_Y);
    const uint32_t *record = table + table[LAST + rank_of(gluons, table)] * RECORD; /* letter 0 behind all of them */
    return load_spinor(prefix_of(e, record, j), 1u << j, state);
}

/* ... with all of them. */
BG_FN quark_spinor start_with_all(const line_event &e, const uint32_t *gluons, const uint32_t *table, uint32_t state)
{
    quark_sum u = {{0., 0.}, {0., 0.}};
    BG_LOOP
    for (int l = 0; l < GLUONS; l++) {
        const light_current A = gluons_with(e, gluons, table, l, GLUONS, state >> l);
        const real inverse = inverse_of(e, gluons_between(gluons, l, GLUONS) << 1);
        line_pair_emit(0, &u, start_with(e, gluons, table, l, low_bits(state, l)), A, inverse + inverse);
    }
    return finish_prefix(e, ALL ^ 1u, u);
}

/* The sums over the places between k gluons at which a line emits, but those at its ends where k is all of them. */
template <int k>
BG_FN spinor_products products_of(const line_event &e, int second, const uint32_t *gluons, const uint32_t *table,
                                  uint32_t state)
{
    spinor_products sum = {{0., 0.}, {0., 0.}, {0., 0.}};
    BG_LOOP
    for (int l = k == GLUONS; l <= k - (k == GLUONS); l++) {
        const uint32_t low = low_bits(state, l), high = state >> l;
        const quark_spinor left = second ? end_with(e, QUARK, gluons, 0, l, low) : start_with(e, gluons, table, l, low);
        const quark_spinor right = end_with(e, second ? ANTIQUARK : CLOSING, gluons, l, k, high);
        spinor_add_products(&left, &right, &sum);
    }
    return sum;
}

/* J, what the first line emits with so many gluons. */
BG_FN spinor_source source_from(const line_event &e, const uint32_t *gluons, int k, const spinor_products &sum)
{
    const real inverse = inverse_of(e, ALL ^ gluons_between(gluons, 0, k) << 1); /* of all that is left: the opposite */
    return spinor_source_of(&sum, 1., -(inverse + inverse));
}

/* U, the U(1) gluon of the second line: a1, a2 and psi of its real and of its imaginary part. */
BG_FN spinor_source u1_from(const line_event &e, const uint32_t *gluons, int k, const spinor_products &sum)
{
    const uint32_t set = gluons_between(gluons, 0, k) << 1 | 1u;
    const real inverse = inverse_of(e, set), p1 = set_of(e, set, SET_P1), p2 = set_of(e, set, SET_P2),
               propagator = set_of(e, set, SET_PROPAGATOR);
    const spinor_source s = spinor_source_of(&sum, 1., inverse + inverse);
    const light_sum re = {s.n1.re, s.n2.re, s.d.re, 0.}, im = {s.n1.im, s.n2.im, s.d.im, 0.};
    const light_current a = quark_u1_share(light_propagate(re, p1, p2, propagator)),
                        b = quark_u1_share(light_propagate(im, p1, p2, propagator));
    const spinor_source r = {{a.a1, b.a1}, {a.a2, b.a2}, {a.psi, b.psi}};
    return r;
}

/* ... without any gluons. */
BG_FN spinor_products pair_of(quark_spinor left, quark_spinor right)
{
    spinor_products sum = {{0., 0.}, {0., 0.}, {0., 0.}};
    spinor_add_products(&left, &right, &sum);
    return sum;
}

BG_FN spinor_source source_alone(const line_event &e, const uint32_t *gluons)
{
    return source_from(e, gluons, 0, pair_of(end_of(e, START_X, START_Y), pair_leg(e, CLOSING)));
}

BG_FN spinor_source u1_alone(const line_event &e, const uint32_t *gluons)
{
    return u1_from(e, gluons, 0, pair_of(pair_leg(e, QUARK), pair_leg(e, ANTIQUARK)));
}

/* Where J and U of the gluons i .. j - 1 are. */
BG_FN uint32_t source_at(const uint32_t *gluons, int i, int j, uint32_t state)
{
    return (i == j ? SOURCES - 1 : gluons[RECYCLED_WORD(GLUONS, i, j)] / 2 + state) * EVENTS;
}

BG_FN void store_source(double2 *to, const spinor_source &j)
{
    to[0] = make_double2(j.n1.re, j.n1.im);
    to[SOURCES * EVENTS] = make_double2(j.n2.re, j.n2.im);
    to[2 * SOURCES * EVENTS] = make_double2(j.d.re, j.d.im);
}

BG_FN spinor_source load_source(const double2 *from)
{
    const spinor_source r = {number_of(from[0]), number_of(from[SOURCES * EVENTS]),
                             number_of(from[2 * SOURCES * EVENTS])};
    return r;
}

template <int k> BG_FN void source_phase(const line_event &e, const uint32_t *table, uint32_t member)
{
    enum { WORDS = gluon_words_of(k), EACH = GLUON_ORDERINGS / WORDS, ONE = WORDS << k };
    for (uint32_t u = member; u < 2 * ONE; u += TEAM) {
        const uint32_t task = u % ONE, state = low_bits(task, k);
        const uint32_t *gluons = table + GLUON_TABLE + (task >> k) * EACH * GLUON_RECORD;
        const uint32_t at = source_at(gluons, 0, k, state);
        const int second = u >= ONE;
        const spinor_products sum = products_of<k>(e, second, gluons, table, state);
        store_source((second ? e.u1 : e.source) + at,
                     second ? u1_from(e, gluons, k, sum) : source_from(e, gluons, k, sum));
    }
}

/* J and U of fewer than all gluons, from k of them on. */
template <int k>
static __device__ __forceinline__ void source_phases(const line_event &e, const uint32_t *table, uint32_t member)
{
    if constexpr (k < GLUONS) {
        source_phase<k>(e, table, member);
        source_phases<k + 1>(e, table, member);
    }
}

/* The amplitudes with the first k gluons of an ordering on the first line, in one state of all of them. */
static __device__ __forceinline__ void store_product(const uint32_t *gluons, const uint32_t *table, int k,
                                                     uint32_t state, const spinor_source &J, const spinor_source &U,
                                                     double2 *amplitude, size_t columns)
{
    double2 *at = amplitude + (size_t)table[DIRECT + (uint32_t)k * GLUON_ORDERINGS + rank_of(gluons, table)] * columns;
    const uint32_t configuration = gluon_configuration(gluons, state);
    quark_number a = {0., 0.}, b = {0., 0.};
    spinor_contract(&J, U.n1.re, U.n2.re, U.d.re, &a);
    spinor_contract(&J, U.n1.im, U.n2.im, U.d.im, &b);
    __stcs(at + configuration, make_double2(a.re, a.im));
    __stcs(at + configuration + 1, make_double2(b.re, b.im));
}

static __device__ __forceinline__ void direct_phase(const line_event &e, const uint32_t *table, double2 *amplitude,
                                                    size_t columns, uint32_t member)
{
    enum { ONE = GLUON_ORDERINGS << GLUONS };
    for (uint32_t u = member; u < (GLUONS - 1) * ONE; u += TEAM) {
        const uint32_t state = low_bits(u, GLUONS);
        const int k = 1 + (int)(u / ONE);
        const uint32_t *gluons = table + GLUON_TABLE + u % ONE / (1 << GLUONS) * GLUON_RECORD;
        store_product(gluons, table, k, state, load_source(e.source + source_at(gluons, 0, k, low_bits(state, k))),
                      load_source(e.u1 + source_at(gluons, k, GLUONS, state >> k)), amplitude, columns);
    }
}

/* All gluons on the first line. */
static __device__ __forceinline__ void first_line_phase(const line_event &e, const uint32_t *table, double2 *amplitude,
                                                        size_t columns, uint32_t member)
{
    for (uint32_t u = member; u < (uint32_t)GLUON_ORDERINGS << GLUONS; u += TEAM) {
        const uint32_t state = low_bits(u, GLUONS);
        const uint32_t *gluons = table + GLUON_TABLE + (u >> GLUONS) * GLUON_RECORD;
        spinor_products sum = products_of<GLUONS>(e, 0, gluons, table, state);
        const quark_spinor start = end_of(e, START_X, START_Y), closing = pair_leg(e, CLOSING),
                           left = start_with_all(e, gluons, table, state),
                           right = make_end<GLUONS>(e, CLOSING, gluons, table, state);
        spinor_add_products(&left, &closing, &sum);
        spinor_add_products(&start, &right, &sum);
        store_product(gluons, table, GLUONS, state, source_from(e, gluons, GLUONS, sum), u1_alone(e, gluons), amplitude,
                      columns);
    }
}

/* What E and S or W make of a pair, real and imaginary part, for an amplitude that will be added to. */
static __device__ __forceinline__ void store_pairs(const line_sums &c, const spinor_source &s, const line_sums &d,
                                                   const spinor_source &less, double2 *at)
{
    const light_sum re = {s.n1.re, s.n2.re, s.d.re, 0.}, im = {s.n1.im, s.n2.im, s.d.im, 0.},
                    less_re = {less.n1.re, less.n2.re, less.d.re, 0.},
                    less_im = {less.n1.im, less.n2.im, less.d.im, 0.};
    quark_number a = {0., 0.}, b = {0., 0.};
    line_close_pair(&a, &c, re);
    line_close_pair(&a, &d, less_re);
    line_close_pair(&b, &c, im);
    line_close_pair(&b, &d, less_im);
    at[0] = make_double2(a.re, a.im);
    at[1] = make_double2(b.re, b.im);
}

BG_FN spinor_source pair_source(quark_spinor quark, quark_spinor antiquark, real inverse)
{
    const spinor_products sum = pair_of(quark, antiquark);
    return spinor_source_of(&sum, 1., inverse + inverse);
}

/* All gluons on the second line, and the pairs of the longest words with letter 0 at an end. */
static __device__ __forceinline__ void second_line_phase(const line_event &e, const uint32_t *table, double2 *amplitude,
                                                         size_t columns, uint32_t member)
{
    for (uint32_t u = member; u < (uint32_t)GLUON_ORDERINGS << GLUONS; u += TEAM) {
        const uint32_t state = low_bits(u, GLUONS), rank = u >> GLUONS;
        const uint32_t *gluons = table + GLUON_TABLE + rank * GLUON_RECORD;
        const uint32_t configuration = gluon_configuration(gluons, state), first = gluon_of(gluons, 0) + 1,
                       last = gluon_of(gluons, GLUONS - 1) + 1;
        const quark_spinor q = pair_leg(e, QUARK), a = pair_leg(e, ANTIQUARK),
                           quark = make_end<GLUONS>(e, QUARK, gluons, table, state),
                           antiquark = make_end<GLUONS>(e, ANTIQUARK, gluons, table, state);
        spinor_products sum = products_of<GLUONS>(e, 1, gluons, table, state);
        spinor_add_products(&quark, &a, &sum);
        spinor_add_products(&q, &antiquark, &sum);
        store_product(gluons, table, 0, state, source_alone(e, gluons), u1_from(e, gluons, GLUONS, sum), amplitude,
                      columns);
        const line_sums E = before_at(e, BEFORE_ALL);
        const real all = inverse_of(e, ALL);
        store_pairs(E, pair_source(quark, a, all), before_at(e, before_place(BEFORE_LAST, last, state >> (GLUONS - 1))),
                    pair_source(end_with(e, QUARK, gluons, 0, GLUONS - 1, low_bits(state, GLUONS - 1)), a,
                                inverse_of(e, ALL ^ 1u << last)),
                    amplitude + (size_t)table[rank * RECORD] * columns + configuration);
        store_pairs(
            E, pair_source(q, antiquark, all), before_at(e, before_place(BEFORE_FIRST, first, state & 1u)),
            pair_source(q, end_with(e, ANTIQUARK, gluons, 1, GLUONS, state >> 1), inverse_of(e, ALL ^ 1u << first)),
            amplitude + (size_t)table[table[LAST + rank] * RECORD] * columns + configuration);
    }
}
#endif

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
    const line_places *places;
    const double *numbers; /* of the outgoing legs */
};

/* A set of legs, by place. */
BG_FN quark_set set_from(const line_legs &l, uint32_t set)
{
    return quark_set_of(l.program, l.process, set, 1, l.numbers);
}

/* The places of a set of letters. */
BG_FN uint32_t places_of(const line_legs &l, uint32_t letters)
{
    uint32_t set = 0;
    BG_UNROLL
    for (int k = 0; k < N; k++)
        if (letters >> k & 1u) set |= l.places->letter[k];
    return set;
}

BG_FN uint32_t start_of(const line_legs &l) { return 1u << l.places->start; }

/* What the letters have in common: the ends of the line and E. */
BG_FN quark_set find_ends(const line_legs &l, line_ends *e)
{
    const quark_set first = set_from(l, start_of(l)), last = set_from(l, 1u << l.places->end),
                    all = set_from(l, places_of(l, ALL));
    const int on_gauge = l.process->gauge == l.places->end;
    e->start = line_start(&first);
    e->end =
        PAIR && on_gauge ? spinor_gauge_one() : line_end(&last, on_gauge); /* as in amplitude/program.h, by parts */
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

/* An end of the second line. */
BG_FN quark_spinor pair_end(const line_legs &l, int anti)
{
    const uint32_t place = anti ? l.places->antiquark : l.places->quark;
    const quark_set q = set_from(l, 1u << place);
    return place == l.process->gauge ? spinor_gauge() : spinor_leg(&q, anti ? -1. : 1.);
}

/* The current of its pair, real or imaginary part. */
BG_FN light_current pair_part(const line_legs &l, const quark_set &P, int part)
{
    light_sum s = light_zero();
    line_add_pair(part, pair_end(l, 0), pair_end(l, 1), P.inverse_minus + P.inverse_minus, &s);
    return light_propagate(s, P.p1, P.p2, P.inverse_square);
}

/* An end and its momentum with sets of gluons. */
BG_FN void put_pair(const line_legs &l, int anti, size_t pitch, double *numbers)
{
    const quark_spinor leg = pair_end(l, anti);
    double *to = numbers + (size_t)(PAIR_LEGS + 4 * anti) * pitch;
    put_number(to, pitch, leg.x);
    put_number(to + 2 * pitch, pitch, leg.y);
    BG_LOOP
    for (uint32_t set = 0; set < 1u << GLUONS; set++) {
        const uint32_t own = 1u << (anti ? l.places->antiquark : l.places->quark);
        put_numbers(numbers + (size_t)(PAIR_SETS + (((uint32_t)anti << GLUONS) + set) * PAIR_SET_SIZE) * pitch, pitch,
                    set_from(l, places_of(l, set << 1) | own));
    }
}

/* S and W of a letter. */
BG_FN void put_letter(const line_legs &l, const line_ends &e, const quark_set &all, uint32_t k, size_t pitch,
                      double *numbers)
{
    const uint32_t own = places_of(l, 1u << k), others = places_of(l, ALL ^ 1u << k), start = start_of(l);
    const line_letter letter = {set_from(l, own), all, set_from(l, others), set_from(l, own | start),
                                set_from(l, others | start)};
    BG_LOOP
    for (uint32_t state = 0; state < 2; state++) {
        const light_current A = PAIR && !k
                                    ? pair_part(l, letter.own, (int)state)
                                    : light_gluon(letter.own.p1, letter.own.p2, state ? 0. : 1., state ? 1. : 0.);
        put_before(numbers + before_place(BEFORE_FIRST, k, state) * pitch, pitch, line_first(&letter, &e, A));
        put_before(numbers + before_place(BEFORE_LAST, k, state) * pitch, pitch, line_last(&letter, &e, A));
    }
}

/* Sets that a thread works out. */
enum { SLICE = 8, SLICES = (1 << N) / SLICE, SHARES = SLICES + N + 2 * PAIR };

/* A share of the numbers of an event: a slice of the sets, then a letter, then an end of the second line. */
BG_FN void put_share(const line_legs &l, uint32_t share, size_t pitch, double *numbers)
{
    if (share >= SLICES + N) {
        put_pair(l, (int)share - SLICES - N, pitch, numbers);
        return;
    }
    if (share >= SLICES) {
        line_ends e;
        const quark_set all = find_ends(l, &e);
        if (share == SLICES) put_ends(e, pitch, numbers);
        put_letter(l, e, all, share - SLICES, pitch, numbers);
        return;
    }
    BG_LOOP
    for (uint32_t k = 0; k < SLICE; k++) {
        const uint32_t set = share * SLICE + k;
        double *to = numbers + (size_t)set * SET_SIZE * pitch;
        put_numbers(to + SET_LINE * pitch, pitch, set_from(l, places_of(l, set) | start_of(l)));
        put_numbers(to, pitch, set_from(l, places_of(l, set)));
    }
}

/* A share (y) a thread; the padding repeats the last event. */
static __global__ void prepare_kernel(bg_momenta momenta, const __grid_constant__ bg_subprocess process,
                                      const __grid_constant__ quark_program program,
                                      const __grid_constant__ line_places places, size_t count, size_t pitch,
                                      double *numbers)
{
    const size_t event = (size_t)blockIdx.x * CUDA_BLOCK + threadIdx.x;
    const size_t from = event < count ? event : count - 1;
    vec4 p[OUT + 2];
    double w[OUT * (4 + OUT)];
    BG_UNROLL
    for (int k = 0; k < OUT + 2; k++) p[k] = event_momentum(&momenta, from, k);
    const light_frame frame = light_frame_of(p[process.opposite], p[process.gauge]);
    quark_put_outgoing(&program, &process, &frame, p, 1, w);
    const line_legs l = {&process, &program, &places, w};
    put_share(l, blockIdx.y, pitch, numbers + event);
}

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
