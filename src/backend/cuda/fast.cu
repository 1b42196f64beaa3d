/* Amplitudes of all orderings from currents that they share, on a GPU, for one n_out (BG_LETTERS), with real (BG_PARTS 1)
 * or complex (BG_PARTS 2) currents. The arithmetic is that of amplitude/shared.h.
 *
 * Where the currents are depends on how many there are:
 *   - up to FAST_IN_REGISTERS outgoing gluons a thread does all of an event, color sum included, the tables are
 *     constants of the code, and nothing but the momenta and the result touches memory;
 *   - up to FAST_ON_CHIP a block of threads works on EVENTS events from beginning to end, currents in shared memory;
 *   - up to FAST_IN_CACHE the same with currents in memory of the block, few enough for the caches;
 *   - above, in memory for a tile of events, and each length of words is a launch.
 * Neighboring threads have neighboring events, and a current is two pairs of numbers [pair][event]: all accesses are
 * whole lines, free of bank conflicts.
 *
 * Where helicities are summed (BASIS) and recycled.cu has no instance, the configurations of the outgoing gluons follow one
 * another; each of them gives the four amplitudes of all states of the incoming ones from the same currents K.
 */
#define BG_STRAIGHT
#include "backend/cuda/fast.cuh"

#include "color/form.h"

enum { N = BG_LETTERS, GLUONS = BG_LETTERS + 2, PARTS = BG_PARTS, ALL = (1 << BG_LETTERS) - 1 };

enum { DEPTH = FAST_DEPTH(N) };

/* Words of up to N - 1 letters. */
static __host__ __device__ constexpr int count_words(int letters, int length)
{
    return length ? letters * (1 + count_words(letters - 1, length - 1)) : 0;
}
enum { WORDS = N <= 6 ? count_words(N, N - 1) : 0 };

/* On chip, or in cache: events of a block, and threads that share an event. They divide the number of records; where
 * a thread carries more, it needs the registers of others. */
enum {
    CACHED = N > FAST_ON_CHIP,
    EVENTS = N == 4 ? 16 : FAST_CACHE_EVENTS,
    TEAM = N == 4   ? 12
           : N == 5 ? 20
                    : 60 / PARTS
};

/* In memory: a warp has the same word for 32 events, a block some neighboring words. */
enum { LANES = 32, TOGETHER = 8, WALKERS = 4 };
enum : uint32_t { MOST_ROWS = 1u << 15 }; /* of a grid; then comes its next layer */

/* One event as a thread sees it: numbers of sets, and currents. */
typedef struct fast_view {
    const double *set;
    const double2 *K;
    uint32_t step, kstep; /* from one number to the next */
} fast_view;

BG_FN real set_of(const fast_view &v, uint32_t set, int k) { return set_number(v.set, v.step, set, k); }
BG_FN real set_minus(const fast_view &v, uint32_t set) { return set_of(v, set, SET_MINUS); }
BG_FN real set_inverse(const fast_view &v, uint32_t set) { return set_of(v, set, SET_INVERSE); }

BG_FN uint32_t current_at(uint32_t word, int part, uint32_t kstep)
{
    return (word * PARTS + (uint32_t)part) * 2 * kstep;
}

BG_FN light_current load_current(const fast_view &v, uint32_t word, int part)
{
    const double2 *at = v.K + current_at(word, part, v.kstep);
    const double2 x = at[0], y = at[v.kstep];
    light_current c = {x.x, x.y, y.x, y.y};
    return c;
}

BG_FN void store_current(double2 *K, uint32_t kstep, uint32_t word, int part, light_current c)
{
    double2 *at = K + current_at(word, part, kstep);
    at[0] = make_double2(c.a1, c.a2);
    at[kstep] = make_double2(c.psi, c.phi);
}

/* ---- steps, each for one thread ---------------------------------------------------------------------- */

/* External gluons of an event: the numbers of a slice of the sets, and the polarizations where `polarization` is
 * not NULL. */
BG_FN void prepare_event(const cuda_question &q, const int mode, const bg_momenta &momenta, size_t from, uint32_t slice,
                         size_t pitch, double *sets, double *polarization)
{
    vec4 p[GLUONS];
    BG_UNROLL
    for (int k = 0; k < GLUONS; k++) p[k] = event_momentum(&momenta, from, k);
    const light_frame frame = light_frame_of(p[0], p[GLUONS - 1]);
    shared_gluons gluons;
    shared_gluon_momenta(N, &frame, p, &gluons);
    store_sets(N, &gluons, slice, pitch, sets);
    if (!polarization) return;
    vec4 state[2 * GLUONS];
    event_polarizations(GLUONS, mode, &q, from, p, state);
    BG_UNROLL
    for (int k = 0; k < GLUONS; k++) {
        BG_UNROLL
        for (int a = 0; a < PARTS; a++) {
            const shared_polarization e = shared_transverse(N, &frame, &gluons, k, &state[k * PARTS + a]);
            polarization[(size_t)((k * PARTS + a) * 2) * pitch] = e.a1;
            polarization[(size_t)((k * PARTS + a) * 2 + 1) * pitch] = e.a2;
        }
    }
}

/* State `second` of an orthonormal basis, or part `a` of the polarization that was prepared. */
template <int BASIS>
BG_FN shared_polarization gluon_state(const double *polarization, size_t pitch, int gluon, int a, uint32_t second)
{
    shared_polarization e;
    if (BASIS) {
        e.a1 = second ? 0. : 1.;
        e.a2 = second ? 1. : 0.;
    } else {
        e.a1 = polarization[(size_t)((gluon * PARTS + a) * 2) * pitch];
        e.a2 = polarization[(size_t)((gluon * PARTS + a) * 2 + 1) * pitch];
    }
    return e;
}

template <int BASIS>
BG_FN void letter_current(const fast_view &v, const double *polarization, size_t pitch, uint32_t configuration,
                          uint32_t letter, double2 *K)
{
    const real p1 = set_of(v, 1u << letter, SET_P1), p2 = set_of(v, 1u << letter, SET_P2);
    BG_UNROLL
    for (int a = 0; a < PARTS; a++) {
        const shared_polarization e =
            gluon_state<BASIS>(polarization, pitch, (int)letter + 1, a, configuration >> letter & 1u);
        store_current(K, v.kstep, letter, a, light_gluon(p1, p2, e.a1, e.a2));
    }
}

/* K of a word of M letters and of its reversal. */
template <int M> BG_FN void word_current(const fast_view &v, const fast_split *row, double2 *K)
{
    light_split split[M];
    light_current A[M][PARTS], B[M][PARTS], out[PARTS], mirror[PARTS];
    const fast_split head = row[0];
    const real minus = set_minus(v, head.left_set), inverse = set_inverse(v, head.left_set);
    BG_UNROLL
    for (int l = 1; l < M; l++) {
        const fast_split s = row[l];
        BG_UNROLL
        for (int a = 0; a < PARTS; a++) {
            A[l][a] = load_current(v, s.left, a);
            B[l][a] = load_current(v, s.right, a);
        }
        split[l].left = A[l];
        split[l].right = B[l];
        shared_factors(&split[l], minus, inverse, set_minus(v, s.left_set), set_inverse(v, s.left_set),
                       set_inverse(v, s.right_set));
    }
    shared_current(1, PARTS, 0, M, split, nullptr, set_of(v, head.left_set, SET_P1), set_of(v, head.left_set, SET_P2),
                   set_of(v, head.left_set, SET_PROPAGATOR), out, mirror);
    BG_UNROLL
    for (int a = 0; a < PARTS; a++) {
        store_current(K, v.kstep, head.left, a, out[a]);
        store_current(K, v.kstep, head.right, a, mirror[a]);
    }
}

/* Gluon 0, in all its states where helicities are summed, and the first k letters of the ordering, at index k. */
template <int BASIS> struct fast_path {
    enum { STATES = BASIS ? 2 : 1 };
    light_current L[STATES][N][PARTS];
    light_current W[N][PARTS]; /* K of the letters alone: its transverse part is needed at the end */
    real minus[N], inverse[N]; /* p- with gluon 0, and its inverse */
    real difference[N];
    uint32_t set[N];
    shared_sets all;
    shared_polarization first[STATES][PARTS], last[STATES][PARTS];
};

/* Where the amplitudes of an event go: part c of ordering s to at[s * row + c * pitch]; where helicities are summed, c is
 * twice the state of gluon 0 plus that of the closing one. */
typedef struct fast_target {
    double *at;
    size_t row, pitch;
} fast_target;

template <int BASIS>
BG_FN void close_ordering(const fast_view &v, const uint32_t *node, fast_path<BASIS> &p, fast_target to)
{
    enum { STATES = BASIS ? 2 : 1 };
    light_split split[N + 1], whole[N + 1];
    light_current B[N][PARTS];
    BG_UNROLL
    for (int l = 1; l < N; l++) {
        BG_UNROLL
        for (int a = 0; a < PARTS; a++) B[l][a] = load_current(v, node[l], a);
        split[l + 1].right = whole[l].right = B[l];
        whole[l].left = p.W[l];
        whole[l].difference = p.difference[l];
    }
    to.at += (size_t)node[0] * to.row;
    BG_UNROLL
    for (int first = 0; first < STATES; first++) {
        BG_UNROLL
        for (int l = 1; l < N; l++) split[l + 1].left = p.L[first][l];
        BG_UNROLL
        for (int last = 0; last < STATES; last++) {
            real amplitude[PARTS];
            shared_close_one(N, PARTS, split, whole, p.first[first], p.last[last], amplitude);
            BG_UNROLL
            for (int a = 0; a < PARTS; a++) to.at[(2 * first + last + a) * to.pitch] = amplitude[a];
        }
    }
}

/* L of a prefix of k letters, then everything that starts with it. Returns the node behind. */
template <int k, int BASIS>
BG_FN const uint32_t *walk(const fast_view &v, const uint32_t *node, fast_path<BASIS> &p, fast_target to)
{
    enum { STATES = BASIS ? 2 : 1 };
    const uint32_t set = node[0], rest = ALL ^ set;
    light_split split[k + 1];
    light_current B[k + 1][PARTS];
    p.set[k] = set;
    /* p- of gluon 0 with a set is minus that of the letters left out */
    p.minus[k] = -set_minus(v, rest);
    p.inverse[k] = -set_inverse(v, rest);
    BG_UNROLL
    for (int l = 1; l <= k; l++) {
        BG_UNROLL
        for (int a = 0; a < PARTS; a++) B[l][a] = load_current(v, node[l], a);
        split[l].right = B[l];
        shared_factors(&split[l], p.minus[k], p.inverse[k], p.minus[l - 1], p.inverse[l - 1],
                       set_inverse(v, set ^ p.set[l - 1]));
    }
    const real p1 = set_of(v, set, SET_P1), p2 = set_of(v, set, SET_P2),
               propagator = set_of(v, set, SET_END_PROPAGATOR);
    BG_UNROLL
    for (int first = 0; first < STATES; first++) {
        BG_UNROLL
        for (int l = 1; l <= k; l++) split[l].left = p.L[first][l - 1];
        shared_current(1, PARTS, 1, k + 1, split, p.first[first], p1, p2, propagator, p.L[first][k], nullptr);
    }
    shared_sets own;
    own.minus = set_minus(v, set);
    p.difference[k] = shared_difference(&p.all, &own);
    BG_UNROLL
    for (int a = 0; a < PARTS; a++) p.W[k][a] = B[1][a];
    node += k + 1;
    if constexpr (k == N - 1) {
        close_ordering<BASIS>(v, node, p, to);
        return node + N;
    } else {
        FEW_UNROLL
        for (int c = 0; c < (k < DEPTH ? 1 : N - k); c++) node = walk<k + 1, BASIS>(v, node, p, to);
        return node;
    }
}

/* The orderings of one record. */
template <int BASIS>
BG_FN void record_amplitudes(const fast_view &v, const double *polarization, size_t pitch, const uint32_t *node,
                             fast_target to)
{
    enum { STATES = BASIS ? 2 : 1 };
    fast_path<BASIS> p;
    p.set[0] = 0;
    p.all.minus = set_minus(v, ALL);
    p.all.inverse_minus = set_inverse(v, ALL);
    p.minus[0] = -p.all.minus;
    p.inverse[0] = -p.all.inverse_minus;
    BG_UNROLL
    for (int second = 0; second < STATES; second++) {
        BG_UNROLL
        for (int a = 0; a < PARTS; a++) {
            p.first[second][a] = gluon_state<BASIS>(polarization, pitch, 0, a, (uint32_t)second);
            p.last[second][a] = gluon_state<BASIS>(polarization, pitch, GLUONS - 1, a, (uint32_t)second);
        }
    }
    walk<1, BASIS>(v, node, p, to);
}

/* ---- few gluons: everything in registers ------------------------------------------------------------------- */

#if BG_LETTERS <= FAST_IN_REGISTERS

/* A word. From it come the tables of amplitude/words.h as constants of the code. */
struct few_word {
    permutation letter;

    __host__ __device__ constexpr uint32_t set(int from, int to) const
    {
        uint32_t r = 0;
        for (int k = from; k < to; k++) r |= 1u << letter.at[k];
        return r;
    }

    /* The number among all words of the letters from .. to - 1. */
    __host__ __device__ constexpr uint32_t number(int from, int to) const
    {
        permutation_rank r = permutation_rank_none();
        for (int k = from; k < to; k++) r = permutation_rank_add(r, N - k + from, letter.at[k]);
        return (uint32_t)count_words(N, to - from - 1) + (uint32_t)r.number;
    }

    __host__ __device__ constexpr few_word reversed(int length) const
    {
        few_word w = {};
        for (int k = 0; k < length; k++) w.letter.at[k] = letter.at[length - 1 - k];
        return w;
    }
};

static __host__ __device__ constexpr int few_words(int length)
{
    return count_words(N, length) - count_words(N, length - 1);
}

enum { ORDERINGS = few_words(N) };

/* A record for each ordering: DEPTH leaves one to each. */
struct few_tables {
    fast_split row[N][ORDERINGS / 2 + 1][N]; /* [length][canonical word][split] */
    int rows[N];
    uint32_t node[ORDERINGS][N * (N + 3) / 2];
};

static __host__ __device__ constexpr few_tables few_make()
{
    few_tables t = {};
    for (int m = 2; m < N; m++)
        for (int r = 0; r < few_words(m); r++) {
            const few_word w = {permutation_word(N, m, (uint64_t)r)}, back = w.reversed(m);
            if (w.letter.at[0] > w.letter.at[m - 1]) continue;
            fast_split *row = t.row[m][t.rows[m]++];
            row[0] = {w.number(0, m), back.number(0, m), w.set(0, m), 0};
            for (int l = 1; l < m; l++) row[l] = {w.number(0, l), w.number(l, m), w.set(0, l), w.set(l, m)};
        }
    for (int r = 0; r < ORDERINGS; r++) {
        const few_word w = {permutation_word(N, N, (uint64_t)r)};
        int at = 0;
        for (int k = 1; k <= N; k++) {
            t.node[r][at++] = k < N ? w.set(0, k) : (uint32_t)r;
            for (int j = k == N; j < k; j++) t.node[r][at++] = w.number(j, k);
        }
    }
    return t;
}

/* Sum over colors of one configuration of the outgoing gluons, and over the states of the others where helicities are
 * summed. */
template <int BASIS>
BG_FN double few_sum(const double *sets, const double *polarization, uint32_t configuration, const float *matrix)
{
    constexpr few_tables table = few_make();
    double2 K[WORDS * PARTS * 2];
    const fast_view v = {sets, K, 1, 1};
    BG_UNROLL
    for (uint32_t letter = 0; letter < N; letter++) letter_current<BASIS>(v, polarization, 1, configuration, letter, K);
#if BG_LETTERS == 3
    BG_UNROLL
    for (int w = 0; w < 3; w++) word_current<2>(v, table.row[2][w], K);
#endif
    enum { WIDTH = BASIS ? FAST_COLUMNS : PARTS };
    double A[ORDERINGS * WIDTH], sum = 0.;
    const fast_target to = {A, WIDTH, 1};
    BG_UNROLL
    for (int r = 0; r < ORDERINGS; r++) record_amplitudes<BASIS>(v, polarization, 1, table.node[r], to);
    BG_UNROLL
    for (int s = 0; s < ORDERINGS; s++) {
        double row[ORDERINGS], half[WIDTH];
        BG_UNROLL
        for (int t = s; t < ORDERINGS; t++) row[t] = matrix[s * ORDERINGS + t];
        color_form_half(WIDTH, ORDERINGS, (uint64_t)s, row, A, half);
        BG_UNROLL
        for (int c = 0; c < WIDTH; c++) color_form_add(A[s * WIDTH + c], half[c], &sum);
    }
    return sum;
}

template <int MODE>
BG_FN double few_event(const cuda_question &q, const bg_momenta &momenta, size_t from, const float *matrix)
{
    enum { BASIS = MODE == HELICITY_BASIS };
    double sets[(ALL + 1) * FAST_SET], polarization[GLUONS * PARTS * 2], sum = 0.;
    prepare_event(q, MODE, momenta, from, 0, 1, sets, BASIS ? nullptr : polarization);
    BG_LOOP
    for (uint32_t h = 0; h < (BASIS ? ALL + 1 : 1); h++) sum += few_sum<BASIS>(sets, polarization, h, matrix);
    return sum;
}

/* As many registers as the color sum of three gluons needs; two need fewer, and more threads hide latencies. */
template <int MODE>
static __global__ __launch_bounds__(CUDA_BLOCK, N == 2 ? 4 : 2) void few_kernel(cuda_question q, bg_momenta momenta,
                                                                                int count, const float *matrix,
                                                                                double *partial)
{
    const size_t event = (size_t)blockIdx.x * CUDA_BLOCK + threadIdx.x;
    const size_t from = event < (size_t)count ? event : (size_t)count - 1;
    partial[event] = few_event<MODE>(q, momenta, from, matrix);
}

enum { CHIP_BYTES = 0 };

static bg_status evaluate(cuda_task *t, const fast_space *, bg_error *error)
{
    const unsigned blocks = (unsigned)(t->pitch / CUDA_BLOCK);
    const int mode = t->question.mode;
#if BG_PARTS == 1
    const auto kernel = mode == HELICITY_BASIS   ? few_kernel<HELICITY_BASIS>
                        : mode == HELICITY_ANGLE ? few_kernel<HELICITY_ANGLE>
                        : mode == HELICITY_PHASE ? few_kernel<HELICITY_PHASE>
                                                 : few_kernel<HELICITY_LINEAR>;
#else
    const auto kernel = few_kernel<HELICITY_CIRCULAR>;
    (void)mode;
#endif
    kernel<<<blocks, CUDA_BLOCK, 0, t->stream>>>(t->question, t->momenta, t->count, t->matrix, t->partial);
    CUDA_LAUNCHED(error, "few_kernel");
    t->slices = 1;
    return BG_OK;
}

static bg_status resources(size_t *on_chip, size_t *stack, bg_error *error)
{
    cudaFuncAttributes attributes;
    CUDA_TRY(error, cudaFuncGetAttributes(&attributes, few_kernel < PARTS == 1 ? HELICITY_ANGLE : HELICITY_CIRCULAR >));
    *on_chip = 0;
    *stack = attributes.localSizeBytes;
    return BG_OK;
}

#else

/* ---- kernels ------------------------------------------------------------------------------------------- */

/* A slice of the sets (y) a thread. */
static __global__ void prepare_kernel(cuda_question q, bg_momenta momenta, int count, size_t pitch, double *sets,
                                      double *polarization)
{
    const size_t event = (size_t)blockIdx.x * CUDA_BLOCK + threadIdx.x;
    const size_t from = event < (size_t)count ? event : (size_t)count - 1; /* the padding repeats the last event */
    prepare_event(q, q.mode, momenta, from, blockIdx.y, pitch, sets + event,
                  polarization && !blockIdx.y ? polarization + event : nullptr);
}

#if BG_LETTERS <= FAST_IN_CACHE

/* All lengths from M on. */
template <int M>
static __device__ __forceinline__ void word_currents(const fast_view &v, const fast_words &t, uint32_t member,
                                                     double2 *K)
{
    if constexpr (M < N) {
        __syncthreads();
        for (uint32_t w = member; w < t.count[M]; w += TEAM) word_current<M>(v, t.row + t.first[M] + w * M, K);
        word_currents<M + 1>(v, t, member, K);
    }
}

/* Events group by group: the momenta of sets are in shared memory, the currents as well or, CACHED, in `currents`. */
static __global__ __launch_bounds__(EVENTS *TEAM) void group_kernel(fast_words t, const double *sets,
                                                                    const double *polarization, size_t pitch,
                                                                    double2 *currents, double *amplitude,
                                                                    size_t columns)
{
    extern __shared__ double2 chip[];
    enum { SIZE = WORDS * PARTS * 2 * EVENTS };
    const uint32_t lane = threadIdx.x % EVENTS, member = threadIdx.x / EVENTS;
    double2 *K = (CACHED ? currents + (size_t)blockIdx.x * SIZE : chip) + lane;
    double *own = (double *)(chip + (CACHED ? 0 : SIZE)) + lane;
    const fast_view v = {own, K, EVENTS, EVENTS};
#pragma unroll 1
    for (size_t first = (size_t)blockIdx.x * EVENTS; first < pitch; first += (size_t)gridDim.x * EVENTS) {
        const size_t event = first + lane;
        for (uint32_t k = FAST_SET + member; k < (ALL + 1) * FAST_SET; k += TEAM)
            own[k * EVENTS] = sets[(size_t)k * pitch + event];
        __syncthreads();
        for (uint32_t letter = member; letter < N; letter += TEAM)
            letter_current<0>(v, polarization + event, pitch, 0, letter, K);
        word_currents<2>(v, t, member, K);
        __syncthreads();
        const fast_target to = {amplitude + event, columns, pitch};
        for (uint32_t r = member; r < t.records; r += TEAM)
            record_amplitudes<0>(v, polarization + event, pitch, t.node + (size_t)r * t.record, to);
        __syncthreads();
    }
}

#else

/* In memory: the event of a thread is number x of the tile, number first + x of the batch. */
typedef struct fast_tile {
    const double *sets, *polarization;
    size_t pitch, first;
    double2 *currents;
    size_t size;
} fast_tile;

static __device__ __forceinline__ fast_view tile_view(const fast_tile &t, size_t x)
{
    const fast_view v = {t.sets + t.first + x, t.currents + x, (uint32_t)t.pitch, (uint32_t)t.size};
    return v;
}

template <int BASIS> static __global__ void letter_kernel(fast_tile t, uint32_t configuration)
{
    const size_t x = (size_t)blockIdx.x * LANES + threadIdx.x;
    letter_current<BASIS>(tile_view(t, x), t.polarization ? t.polarization + t.first + x : nullptr, t.pitch,
                          configuration, threadIdx.y, t.currents + x);
}

template <int M>
static __global__ __launch_bounds__(LANES *TOGETHER) void word_kernel(fast_tile t, const fast_split *row,
                                                                      uint32_t count)
{
    const size_t x = (size_t)blockIdx.x * LANES + threadIdx.x;
    const uint32_t w = (blockIdx.z * MOST_ROWS + blockIdx.y) * TOGETHER + threadIdx.y;
    if (w < count) word_current<M>(tile_view(t, x), row + (size_t)w * M, t.currents + x);
}

/* A walker carries more where helicities are summed or complex. */
template <int BASIS>
static __global__ __launch_bounds__(LANES *WALKERS,
                                    PARTS == 1 && !BASIS ? 3 : 2) void record_kernel(fast_tile t, const uint32_t *node,
                                                                                     uint32_t records, uint32_t record,
                                                                                     double *amplitude, size_t columns)
{
    const size_t x = (size_t)blockIdx.x * LANES + threadIdx.x, event = t.first + x;
    const uint32_t r = blockIdx.y * WALKERS + threadIdx.y;
    const fast_target to = {amplitude + event, columns, t.pitch};
    if (r < records)
        record_amplitudes<BASIS>(tile_view(t, x), t.polarization ? t.polarization + event : nullptr, t.pitch,
                                 node + (size_t)r * record, to);
}

#endif

/* ---- launches --------------------------------------------------------------------------------------------- */

#if BG_LETTERS <= FAST_IN_CACHE

enum { CHIP_BYTES = ((CACHED ? 0 : WORDS * PARTS * 4) + (ALL + 1) * FAST_SET) * EVENTS * 8 };

static bg_status launch(const cuda_task *t, const fast_space *s, size_t columns, bg_error *error)
{
    const size_t groups = t->pitch / EVENTS, blocks = s->tile / EVENTS;
    CUDA_TRY(error, cudaFuncSetAttribute(group_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, CHIP_BYTES));
    group_kernel<<<(unsigned)(CACHED && blocks < groups ? blocks : groups), EVENTS * TEAM, CHIP_BYTES, t->stream>>>(
        s->words, s->sets, s->polarization, t->pitch, (double2 *)s->currents, t->amplitude, columns);
    CUDA_LAUNCHED(error, "group_kernel");
    return BG_OK;
}

#else

enum { CHIP_BYTES = 0 };

template <int M>
static bg_status launch_words(const cuda_task *t, const fast_space *s, const fast_tile &tile, unsigned groups,
                              bg_error *error)
{
    if constexpr (M < N) {
        const uint32_t rows = (s->words.count[M] + TOGETHER - 1) / TOGETHER;
        const dim3 grid(groups, rows < MOST_ROWS ? rows : MOST_ROWS, (rows + MOST_ROWS - 1) / MOST_ROWS);
        const dim3 block(LANES, TOGETHER);
        word_kernel<M><<<grid, block, 0, t->stream>>>(tile, s->words.row + s->words.first[M], s->words.count[M]);
        CUDA_LAUNCHED(error, "word_kernel");
        return launch_words<M + 1>(t, s, tile, groups, error);
    }
    return BG_OK;
}

template <int BASIS>
static bg_status launch(const cuda_task *t, const fast_space *s, uint32_t configuration, size_t columns,
                        bg_error *error)
{
    bg_status status = BG_OK;
    for (size_t first = 0; first < t->pitch && status == BG_OK; first += s->tile) {
        const size_t left = t->pitch - first, size = left < s->tile ? left : s->tile;
        const unsigned groups = (unsigned)(size / LANES);
        const fast_tile tile = {s->sets, BASIS ? nullptr : s->polarization, t->pitch, first, (double2 *)s->currents,
                                size};
        letter_kernel<BASIS><<<groups, dim3(LANES, N), 0, t->stream>>>(tile, configuration);
        CUDA_LAUNCHED(error, "letter_kernel");
        status = launch_words<2>(t, s, tile, groups, error);
        if (status != BG_OK) return status;
        const dim3 grid(groups, (s->words.records + WALKERS - 1) / WALKERS), block(LANES, WALKERS);
        record_kernel<BASIS><<<grid, block, 0, t->stream>>>(tile, s->words.node, s->words.records, s->words.record,
                                                            t->amplitude, columns);
        CUDA_LAUNCHED(error, "record_kernel");
    }
    return status;
}

#endif

static bg_status launch_amplitudes(const cuda_task *t, const fast_space *s, uint32_t configuration, size_t columns,
                                   bg_error *error)
{
#if BG_LETTERS <= FAST_IN_CACHE
    (void)configuration; /* summed helicities are recycled here */
    return launch(t, s, columns, error);
#else
#if BG_PARTS == 1
    if (t->question.mode == HELICITY_BASIS) return launch<1>(t, s, configuration, columns, error);
#endif
    return launch<0>(t, s, configuration, columns, error);
#endif
}

static bg_status evaluate(cuda_task *t, const fast_space *s, bg_error *error)
{
    const int basis = t->question.mode == HELICITY_BASIS;
    const unsigned configurations = basis ? 1u << N : 1u, together = basis ? FAST_COLUMNS : PARTS;
    const size_t columns = together * t->pitch;
    const dim3 grid((unsigned)(t->pitch / CUDA_BLOCK), SET_SLICES(N));
    bg_status status = bg_cuda_mark(t, CUDA_PART_NONE, error);
    if (status != BG_OK) return status;
    prepare_kernel<<<grid, CUDA_BLOCK, 0, t->stream>>>(t->question, t->momenta, t->count, t->pitch, s->sets,
                                                       basis ? nullptr : s->polarization);
    CUDA_LAUNCHED(error, "prepare_kernel");
    for (unsigned h = 0; h < configurations; h++) {
        double *sum = t->partial + (size_t)h * columns;
        status = launch_amplitudes(t, s, h, columns, error);
        if (status == BG_OK) status = bg_cuda_mark(t, CUDA_PART_AMPLITUDES, error);
        if (status == BG_OK) status = bg_cuda_fast_sum(t, s, columns, sum, error);
        if (status == BG_OK) status = bg_cuda_mark(t, CUDA_PART_COLOR_SUM, error);
        if (status != BG_OK) return status;
        if (bg_interrupted(t->interrupt)) break;
    }
    t->slices = (uint64_t)configurations * together;
    return BG_OK;
}

static bg_status resources(size_t *on_chip, size_t *stack, bg_error *error)
{
    cudaFuncAttributes attributes, before;
#if BG_LETTERS <= FAST_IN_CACHE
    CUDA_TRY(error, cudaFuncGetAttributes(&attributes, group_kernel));
#else
    CUDA_TRY(error, cudaFuncGetAttributes(&attributes, record_kernel<0>));
#endif
    CUDA_TRY(error, cudaFuncGetAttributes(&before, prepare_kernel));
    *on_chip = CHIP_BYTES / EVENTS;
    *stack = attributes.localSizeBytes > before.localSizeBytes ? attributes.localSizeBytes : before.localSizeBytes;
    return BG_OK;
}

#endif

#define PASTE(a, b, c, d) a##b##c##d
#define SYMBOL(n, parts) PASTE(bg_cuda_fast_, n, _, parts)

extern "C" const fast_instance SYMBOL(BG_LETTERS, BG_PARTS);
extern "C" const fast_instance SYMBOL(BG_LETTERS, BG_PARTS) = {N, PARTS, CHIP_BYTES, 0, 0, evaluate, resources};
