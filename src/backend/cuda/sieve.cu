/* The sieve on a GPU (estimate/sieve.h): estimates, and the sums of points that were sieved. */
#include "backend/cuda/events.cuh"
#include "backend/cuda/paths.cuh"
#include "backend/cuda/sums.cuh"

/* ---- estimates ---------------------------------------------------------------------------------------------------- */

/* What becomes of point k with this E. */
static __device__ __forceinline__ void put_estimate(const cuda_sieve &s, const bg_point_arrays &points, uint32_t k,
                                                    double value, const cuda_sieved &to)
{
    const bg_sieved point = sieve_point(s.threshold, s.scale * points.weight[k] * value, s.seed, points.event[k]);
    to.estimate[k] = point.estimate;
    to.probability[k] = point.probability;
    if (point.probability > 0.) to.index[atomicAdd(to.kept, 1u)] = k;
}

/* Few threads take many points each: the sums over paths of a point take kilobytes, and those of all threads stay near. */
static __global__ __launch_bounds__(CUDA_BLOCK) void sift_kernel(const __grid_constant__ cuda_sieve s,
                                                                 bg_point_arrays points, cuda_sieved to)
{
    const uint32_t thread = blockIdx.x * CUDA_BLOCK + threadIdx.x, count = *points.count;
    for (uint32_t k = thread; k < count; k += s.threads) {
        vec4 p[BG_MAX_LEGS];
        for (int leg = 0; leg < s.plan.legs; leg++)
            p[leg] = strided_load(points.momenta + 4 * (size_t)leg * points.pitch + k, points.pitch);
        put_estimate(s, points, k, sieve_value(&s.plan, s.coefficient, p, s.room + thread, s.threads), to);
    }
}

/* ---- estimates of many gluons --------------------------------------------------------------------------------------- */

/* Paths over many gluons do not fit near a thread. So a block has a point (paths.cuh). The formula is that of estimate_gluons(), with the
 * sums in another order. From so many letters on a multiprocessor has room for one block or two, which has more threads then. */
enum { TEAM_LEAST = 7, TEAM_THREADS = 256, TEAM_LARGE = 11, TEAM_MOST_THREADS = 1024 };

static __host__ __device__ int team_threads(int letters)
{
    return letters < TEAM_LARGE ? (int)TEAM_THREADS : (int)TEAM_MOST_THREADS;
}

static size_t team_bytes(int letters)
{
    const size_t sets = (size_t)1 << letters, legs = (size_t)letters + 2;
    return (legs * legs + 2 * (size_t)paths_most(letters) + sets + 2 * (size_t)team_threads(letters) / 32) *
               sizeof(double) +
           paths_bytes(letters);
}

/* A sum over the block, which thread 0 gets. */
static __device__ double team_sum(double x, double *part)
{
    for (int step = 16; step; step /= 2) x += __shfl_xor_sync(~0u, x, step);
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = x;
    __syncthreads();
    x = 0.;
    for (unsigned k = 0; k < blockDim.x / 32 && threadIdx.x == 0; k++) x += part[k];
    return x;
}

static __device__ vec4 team_momentum(const cuda_sieve &s, const bg_point_arrays &points, uint32_t k, int gluon)
{
    return strided_load(points.momenta + 4 * (size_t)s.plan.gluon[gluon] * points.pitch + k, points.pitch);
}

/* 1 / s_ij, and this thread's share of the sum of s_ij^4. */
static __device__ double team_pairs(const cuda_sieve &s, const bg_point_arrays &points, uint32_t k, int n,
                                    double *inverse)
{
    double fourths = 0.;
    for (int at = (int)threadIdx.x; at < n * n; at += (int)blockDim.x) {
        const int i = at / n, j = at % n;
        if (j >= i) continue;
        const vec4 p = team_momentum(s, points, k, i), q = team_momentum(s, points, k, j);
        const double x = fabs(invariant_of_pair(p, vec4_scale(bg_inverse(p.t), p), q, vec4_scale(bg_inverse(q.t), q)));
        inverse[i * n + j] = inverse[j * n + i] = bg_inverse(x);
        fourths += estimate_fourth(x);
    }
    return fourths;
}

/* F / s of the sets of a size. */
static __device__ void team_close(int n, int size, int sets, const path_tables &t, const double *inverse,
                                  const double *from, double *sums)
{
    for (int at = (int)threadIdx.x; at < sets; at += (int)blockDim.x) {
        const uint64_t members = t.members[t.first[size] + at];
        double sum = 0.;
        for (int q = 0; q < size; q++)
            sum += from[at * size + q] * inverse[(int)(members >> (4 * q) & 15u) * n + n - 1];
        sums[t.set[t.first[size] + at]] = sum;
    }
}

static __global__ __launch_bounds__(TEAM_MOST_THREADS) void sift_gluons_kernel(const __grid_constant__ cuda_sieve s,
                                                                               bg_point_arrays points, cuda_sieved to)
{
    extern __shared__ double team[];
    const int n = s.plan.legs, letters = n - 2, paths = paths_most(letters), warps = (int)blockDim.x / 32;
    const uint32_t all = (1u << letters) - 1u, count = *points.count;
    double *const inverse = team, *const room = inverse + n * n, *const sums = room + 2 * paths,
                  *const part = sums + all + 1u;
    const path_tables t = paths_place(letters, part + 2 * warps);
    paths_prepare(letters, t);
    for (uint32_t k = blockIdx.x; k < count; k += gridDim.x) {
        double *from = room, *next = room + paths, cycles = 0.;
        __syncthreads(); /* nobody is at the point before */
        double fourths = team_pairs(s, points, k, n, inverse);
        __syncthreads();
        for (int l = (int)threadIdx.x; l < letters; l += (int)blockDim.x) from[l] = inverse[l * n + n - 2];
        if (threadIdx.x == 0) sums[0] = inverse[(n - 1) * n + n - 2];
        for (int size = 1; size <= letters; size++) {
            __syncthreads();
            team_close(n, size, t.first[size + 1] - t.first[size], t, inverse, from, sums);
            if (size < letters) paths_extend(letters, n, size, t, inverse, from, next);
            double *const filled = next;
            next = from;
            from = filled;
        }
        __syncthreads();
        for (uint32_t set = (all >> 1) + 1u + threadIdx.x; set <= all; set += blockDim.x)
            cycles += sums[set] * sums[all ^ set];
        cycles = team_sum(cycles, part);
        fourths = team_sum(fourths, part + warps);
        if (threadIdx.x == 0) put_estimate(s, points, k, fourths * (cycles + cycles), to);
    }
}

/* A few blocks for each multiprocessor, or as many as fit where their sums are large. */
static bg_status sift_gluons(cudaStream_t stream, const cuda_sieve *s, const bg_point_arrays *points,
                             const cuda_sieved *to, bg_error *error)
{
    enum { BLOCKS = 8 };
    const size_t bytes = team_bytes(s->plan.gluons - 2);
    CUDA_TRY(error, cudaFuncSetAttribute(sift_gluons_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes));
    sift_gluons_kernel<<<BLOCKS * s->processors, team_threads(s->plan.gluons - 2), bytes, stream>>>(*s, *points, *to);
    CUDA_LAUNCHED(error, "sift_gluons_kernel");
    return BG_OK;
}

extern "C" bg_status bg_cuda_sift(cudaStream_t stream, const cuda_sieve *s, const bg_point_arrays *points,
                                  const cuda_sieved *to, bg_error *error)
{
    CUDA_TRY(error, cudaMemsetAsync(to->kept, 0, sizeof *to->kept, stream));
    if (!s->plan.lines && s->plan.gluons - 2 >= TEAM_LEAST && !s->coefficient)
        return sift_gluons(stream, s, points, to, error);
    sift_kernel<<<s->threads / CUDA_BLOCK, CUDA_BLOCK, 0, stream>>>(*s, *points, *to);
    CUDA_LAUNCHED(error, "sift_kernel");
    return BG_OK;
}

static __global__ void gather_kernel(int n, bg_point_arrays from, cuda_sieved sieved, uint32_t first, uint32_t count,
                                     bg_point_arrays to, double *estimate, double *probability)
{
    const uint32_t at = blockIdx.x * CUDA_BLOCK + threadIdx.x;
    if (at >= count) return;
    const uint32_t k = sieved.index[first + at];
    for (int c = 0; c < 4 * n; c++) to.momenta[(size_t)c * to.pitch + at] = from.momenta[(size_t)c * from.pitch + k];
    to.weight[at] = from.weight[k];
    to.event[at] = from.event[k];
    estimate[at] = sieved.estimate[k];
    probability[at] = sieved.probability[k];
}

extern "C" bg_status bg_cuda_gather(cudaStream_t stream, int n, const bg_point_arrays *points,
                                    const cuda_sieved *sieved, uint32_t first, uint32_t count,
                                    const bg_point_arrays *to, double *estimate, double *probability, bg_error *error)
{
    gather_kernel<<<(count + CUDA_BLOCK - 1) / CUDA_BLOCK, CUDA_BLOCK, 0, stream>>>(n, *points, *sieved, first, count,
                                                                                    *to, estimate, probability);
    CUDA_LAUNCHED(error, "gather_kernel");
    return BG_OK;
}

/* ---- sums ----------------------------------------------------------------------------------------------------------- */

static __device__ __forceinline__ void clear(uint32_t *sums, int count)
{
    for (int k = (int)threadIdx.x; k < count; k += SUM_THREADS) sums[k] = 0;
    __syncthreads();
}

/* The same as bg_tally_sieved() for every point. */
static __global__ __launch_bounds__(SUM_THREADS) void sieved_kernel(cuda_summands s, cuda_tally to)
{
    extern __shared__ uint32_t sums[];
    bg_tally *const tally = to.counts;
    const int adapt = s.scale > 0., bins = adapt ? s.dimensions * BG_GRID_BINS : 0;
    uint32_t *const weight = sums, *const weight2 = weight + 2 * BG_EXACT_DIGITS;
    uint32_t *const estimate2 = weight2 + 2 * BG_EXACT_DIGITS, *const importance = estimate2 + 2 * BG_EXACT_DIGITS;
    clear(sums, 2 * (3 * BG_EXACT_DIGITS + bins));
    double largest = 0.;
    for (size_t k = (size_t)blockIdx.x * SUM_THREADS + threadIdx.x; k < s.count; k += (size_t)gridDim.x * SUM_THREADS) {
        const double e = s.estimate[k];
        shared_exact_add(estimate2, e * e);
        if (!(s.probability[k] > 0.)) {
            shared_exact_add(weight, e);
            shared_exact_add(weight2, e * e);
        }
        if (e > largest) largest = e;
        if (!adapt) continue;
        const int64_t value = bg_weight_importance(e, s.scale, s.cubic);
        for (int d = 0; d < s.dimensions; d++)
            shared_add(importance + 2 * (d * BG_GRID_BINS + s.points.bin[(size_t)d * s.points.pitch + k]), value);
        for (int d = 0; d < s.cells; d++) {
            const int cell = s.points.bin[(size_t)(s.dimensions + d) * s.points.pitch + k];
            global_add(&to.direction[d * BG_SYMMETRIC_CELLS + cell], value);
        }
    }
    global_largest(&tally->max_weight, largest);
    __syncthreads();
    flush(tally->weight.digit, weight, BG_EXACT_DIGITS);
    flush(tally->weight2.digit, weight2, BG_EXACT_DIGITS);
    flush(tally->estimate2.digit, estimate2, BG_EXACT_DIGITS);
    flush(to.importance, importance, bins);
}

static unsigned blocks_of(uint32_t count)
{
    const unsigned per_block = SUM_THREADS * SUM_POINTS;
    return (count + per_block - 1) / per_block;
}

extern "C" bg_status bg_cuda_add_sieved(cudaStream_t stream, const cuda_summands *s, const cuda_tally *tally,
                                        bg_error *error)
{
    const size_t shared = 2 * sizeof(uint32_t) * (size_t)(3 * BG_EXACT_DIGITS + s->dimensions * BG_GRID_BINS);
    sieved_kernel<<<blocks_of(s->count), SUM_THREADS, shared, stream>>>(*s, *tally);
    CUDA_LAUNCHED(error, "sieved_kernel");
    return BG_OK;
}

/* The same as bg_tally_kept() for every point that was kept. */
static __global__ __launch_bounds__(SUM_THREADS) void kept_kernel(cuda_summands s, cuda_tally to)
{
    __shared__ uint32_t sums[2 * 5 * BG_EXACT_DIGITS];
    bg_tally *const tally = to.counts;
    uint32_t *const weight = sums, *const weight2 = weight + 2 * BG_EXACT_DIGITS;
    uint32_t *const kept = weight2 + 2 * BG_EXACT_DIGITS;
    clear(sums, 2 * 5 * BG_EXACT_DIGITS);
    for (size_t k = (size_t)blockIdx.x * SUM_THREADS + threadIdx.x; k < s.count; k += (size_t)gridDim.x * SUM_THREADS) {
        const double e = s.estimate[k], p = s.probability[k], w = weight_of(&s, (uint32_t)k);
        const int counts = bg_weight_counts(w);
        const double exact = counts ? w : 0., sum = e + sieved_correction(&s, (uint32_t)k);
        if (!counts) global_add(&tally->nonfinite, 1);
        shared_exact_add(weight, sum);
        shared_exact_add(weight2, sum * sum);
        if (e > 0.) {
            shared_exact_add(kept, e / p);
            shared_exact_add(kept + 2 * BG_EXACT_DIGITS, exact / p);
            shared_exact_add(kept + 4 * BG_EXACT_DIGITS, exact * (exact / e) / p);
        }
        const int entry = s.entries && s.scale > 0. ? s.choices.entry[k] : -1;
        if (entry >= 0) global_add(&to.helicity[entry], bg_importance(exact * exact / p, s.scale));
    }
    __syncthreads();
    flush(tally->weight.digit, weight, BG_EXACT_DIGITS);
    flush(tally->weight2.digit, weight2, BG_EXACT_DIGITS);
    for (int k = 0; k < 3; k++) flush(tally->kept[k].digit, kept + 2 * k * BG_EXACT_DIGITS, BG_EXACT_DIGITS);
}

/* The same as bg_tally_kept_group() for every group, a group a warp. */
static __global__ __launch_bounds__(SUM_THREADS) void kept_groups_kernel(cuda_summands s, uint32_t items,
                                                                         bg_tally *tally)
{
    __shared__ uint32_t sums[2 * BG_EXACT_DIGITS];
    clear(sums, 2 * BG_EXACT_DIGITS);
    for (uint32_t item = (blockIdx.x * SUM_THREADS + threadIdx.x) / 32; item < items;
         item += gridDim.x * SUM_THREADS / 32) {
        uint32_t k;
        double sum = group_point(&s, item, &k) ? sieved_correction(&s, k) : 0., squares = sum * sum;
        for (int step = 16; step; step /= 2) {
            sum += __shfl_xor_sync(~0u, sum, step);
            squares += __shfl_xor_sync(~0u, squares, step);
        }
        if (threadIdx.x % 32 == 0 && squares > 0.) {
            shared_exact_add(sums, sum * sum);
            shared_exact_add(sums, -squares);
        }
    }
    __syncthreads();
    flush(tally->weight2.digit, sums, BG_EXACT_DIGITS);
}

extern "C" bg_status bg_cuda_add_kept(cudaStream_t stream, const cuda_summands *s, const cuda_tally *tally,
                                      bg_error *error)
{
    kept_kernel<<<blocks_of(s->count), SUM_THREADS, 0, stream>>>(*s, *tally);
    CUDA_LAUNCHED(error, "kept_kernel");
    if (s->group > 1) {
        const uint32_t items = s->deals.deals * (BG_DEAL / (uint32_t)s->group), per = SUM_THREADS / 32 * SUM_POINTS;
        kept_groups_kernel<<<(items + per - 1) / per, SUM_THREADS, 0, stream>>>(*s, items, tally->counts);
        CUDA_LAUNCHED(error, "kept_groups_kernel");
    }
    return BG_OK;
}
