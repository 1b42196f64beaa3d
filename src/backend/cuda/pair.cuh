/* The second quark line of line.cu, which is letter 0 of the words of the first one (amplitude/line.h): its currents, and the amplitudes of
 * both kinds of color structures.
 *
 *   Q(s1 .. sk), Qbar(s1 .. sk)    its ends with gluons, and the end of the first line likewise, length by length with
 *   K(u 0 v)                       words with letter 0: the sum of splits + pair( Q(v), Qbar(u) ); those of gluons alone have splits only.
 *
 * Strings that go from one line to the other are orderings of all letters: line.cu has their amplitudes, but for the pairs of the longest
 * words, which are added here. Strings that end in their own line factorize into what the first line emits with its gluons and the U(1)
 * gluon of the second one with the others,
 *
 *     A(w1; w2) = J(w1) . U(w2) .
 *
 * Who includes it has said before all that line.cu says up to L, and what a tile of amplitudes is.
 */
#ifndef BG_BACKEND_CUDA_PAIR_CUH
#define BG_BACKEND_CUDA_PAIR_CUH

/* ---- its ends and words --------------------------------------------------------------------------------------- */

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
            left_set |= 1u << packed_letter(record[1], l - 1);
            add_split(e, left, right, l, M - l, left_set, set ^ left_set, minus, inverse, mid, s);
        }
        const int p = line_place_of_pair(N, record, M);
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
            left_set |= 1u << packed_letter(record[1], l);
            add_split(e, left, right, l, GLUONS - l, left_set, set ^ left_set, minus, inverse, mid, s);
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

/* ---- strings from one line to the other ------------------------------------------------------------------------- */

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

/* ---- lines whose ends are connected with themselves ------------------------------------------------------------- */

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
