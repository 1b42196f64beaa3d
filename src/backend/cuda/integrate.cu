/* The stations around the matrix element on a GPU: trial points, choice of helicities, sums.
 *
 * One point a thread. Points of few gluons are generated without loops, in registers (BG_STRAIGHT).
 */
#define BG_STRAIGHT
#include "backend/cuda/integrate.h"

#include "backend/cuda/events.cuh"
#include "backend/cuda/sums.cuh"

/* ---- trial points -------------------------------------------------------------------------------------------- */

/* Where a point goes: those of a warp that are inside the cuts, side by side. */
static __device__ __forceinline__ uint32_t place_inside(int inside, uint32_t *count)
{
    const unsigned votes = __ballot_sync(~0u, inside), lane = threadIdx.x % 32;
    uint32_t at = 0;
    if (lane == 0 && votes) at = atomicAdd(count, (uint32_t)__popc(votes));
    return __shfl_sync(~0u, at, 0) + (uint32_t)__popc(votes & ((1u << lane) - 1u));
}

/* Blocks that are to share a multiprocessor, or 0: as the compiler likes. With four and five partons that would be a few registers more
 * than six and five blocks can have. */
static constexpr int generate_blocks(int n) { return n == 4 ? 6 : n == 5 ? 5 : 0; }

/* N partons, or any number of them where N is 0. PLAIN: they are all alike, within the usual cuts and not very close to each
 * other; then there is no code for anything else. */
template <int N, int KIND, int PLAIN>
static __global__ __launch_bounds__(CUDA_BLOCK,
                                    generate_blocks(N)) void generate_kernel(channel c, const channel_grid *grid,
                                                                             uint64_t first, uint32_t trials,
                                                                             bg_point_arrays out)
{
    const uint32_t trial = blockIdx.x * CUDA_BLOCK + threadIdx.x;
    const int n_out = N ? N : c.process.n_out;
    const uint64_t event = first + trial;
    vec4 p[N ? N : BG_MAX_OUT_DRESSED];
    uint8_t bin[BG_MAX_DIMENSIONS];
    double weight = 0.;
    bg_region region = region_alike();
    c.kind = KIND; /* constants here */
    c.dimensions = KIND == BG_PHASE_SPACE_RAMBO ? 0 : hardpair_adaptive(n_out);
    if (PLAIN) {
        c.axes = c.dimensions;
        c.jets = cuts_none();
        c.map.collinear = 0;
    }
    if (trial < trials) weight = channel_generate(n_out, &c, grid, &event, p, bin, &region);

    const int inside = weight > 0.;
    const uint32_t at = place_inside(inside, out.count);
    if (!inside) return;

    const vec4 beam[2] = {beams_momentum(&c.beams, 0), beams_momentum(&c.beams, 1)};
    points_put(&out, at, &c.process, c.places, beam, n_out, p, c.dimensions, bin, c.axes, &region, weight, event, 0);
}

/* Two protons, any number of any partons. */
static __global__ __launch_bounds__(CUDA_BLOCK) void generate_protons_kernel(const __grid_constant__ channel c,
                                                                             const channel_grid *grid, uint64_t first,
                                                                             uint32_t trials, bg_point_arrays out)
{
    const uint32_t trial = blockIdx.x * CUDA_BLOCK + threadIdx.x;
    const int n_out = c.process.n_out;
    const uint64_t event = first + trial;
    vec4 p[BG_MAX_OUT_DRESSED], beam[2];
    uint8_t bin[BG_MAX_ROWS];
    double weight = 0.;
    bg_region region = region_alike();
    if (trial < trials) weight = channel_generate_protons(n_out, &c, grid, &event, p, beam, bin, &region);
    const uint32_t at = place_inside(weight > 0., out.count);
    if (!(weight > 0.)) return;
    points_put(&out, at, &c.process, c.places, beam, n_out, p, c.dimensions, bin, c.axes, &region, weight, event, 0);
    points_put_cells(&out, at, c.axes, c.cells, bin + BG_MAX_DIMENSIONS, 0);
}

typedef void generator(channel, const channel_grid *, uint64_t, uint32_t, bg_point_arrays);

template <int KIND> static generator *choose_generator(const channel *c)
{
    if (c->axes > c->dimensions || cuts_any(&c->jets) || c->map.collinear) return generate_kernel<0, KIND, 0>;
    switch (c->process.n_out) {
    case 2: return generate_kernel<2, KIND, 1>;
    case 3: return generate_kernel<3, KIND, 1>;
    case 4: return generate_kernel<4, KIND, 1>;
    case 5: return generate_kernel<5, KIND, 1>;
    case 6: return generate_kernel<6, KIND, 1>;
    default: return generate_kernel<0, KIND, 1>; /* the matrix element takes much longer */
    }
}

extern "C" bg_status bg_cuda_generate(cudaStream_t stream, const channel *c, const channel_grid *grid, uint64_t first,
                                      uint32_t trials, const bg_point_arrays *points, bg_error *error)
{
    generator *kernel = c->kind == BG_PHASE_SPACE_RAMBO ? choose_generator<BG_PHASE_SPACE_RAMBO>(c)
                                                        : choose_generator<BG_PHASE_SPACE_ADAPTIVE>(c);
    CUDA_TRY(error, cudaMemsetAsync(points->count, 0, sizeof *points->count, stream));
    if (c->protons) {
        generate_protons_kernel<<<(trials + CUDA_BLOCK - 1) / CUDA_BLOCK, CUDA_BLOCK, 0, stream>>>(*c, grid, first,
                                                                                                   trials, *points);
        CUDA_LAUNCHED(error, "generate_protons_kernel");
        return BG_OK;
    }
    kernel<<<(trials + CUDA_BLOCK - 1) / CUDA_BLOCK, CUDA_BLOCK, 0, stream>>>(*c, grid, first, trials, *points);
    CUDA_LAUNCHED(error, "generate_kernel");
    return BG_OK;
}

/* ---- helicities -------------------------------------------------------------------------------------------------- */

/* The selector comes by value, with tables on the device; without any, `choosing` says how configurations are drawn. */
static __global__ void choose_kernel(int n, uint64_t seed, int choosing, helicity_selector selector, uint32_t count,
                                     bg_point_arrays points, cuda_choices choices)
{
    const uint32_t k = blockIdx.x * CUDA_BLOCK + threadIdx.x;
    if (k >= count) return;
    const helicity_choice choice = helicity_of_point(selector.entries ? &selector : NULL, choosing, 0, n, seed,
                                                     points.event[k], points.momenta + k, points.pitch);
    choices.configuration[k] = choice.configuration;
    choices.probability[k] = choice.probability;
    choices.entry[k] = choice.entry;
}

extern "C" bg_status bg_cuda_choose(cudaStream_t stream, int n, uint64_t seed, int choosing,
                                    const helicity_selector *selector, uint32_t count, const bg_point_arrays *points,
                                    const cuda_choices *choices, bg_error *error)
{
    helicity_selector none;
    memset(&none, 0, sizeof none);
    choose_kernel<<<(count + CUDA_BLOCK - 1) / CUDA_BLOCK, CUDA_BLOCK, 0, stream>>>(
        n, seed, choosing, selector ? *selector : none, count, *points, *choices);
    CUDA_LAUNCHED(error, "choose_kernel");
    return BG_OK;
}

/* ---- unstable points ------------------------------------------------------------------------------------------------ */

static __global__ void screen_kernel(cuda_summands s, bg_subprocess process, uint32_t configuration,
                                     cuda_unstables found)
{
    const uint32_t k = blockIdx.x * CUDA_BLOCK + threadIdx.x;
    const int n = process.n;
    const bg_momenta momenta = points_momenta(&s.points, &process);
    if (k >= s.count || !stability_fails(n, &momenta, k)) return;
    const uint32_t at = atomicAdd(found.count, 1u);
    if (at >= found.room) return;
    bg_unstable *to = found.record + at;
    for (int c = 0; c < 4 * n; c++) to->momenta[c] = s.points.momenta[(size_t)c * s.points.pitch + k];
    to->event = s.points.event[k];
    to->configuration = s.choices.configuration ? s.choices.configuration[k] : configuration;
    to->point = k;
    uint32_t rank = 0;
    if (s.group > 1) {
        const uint32_t *deal = s.deals.order + (size_t)(to->event / BG_DEAL - s.deals.first) * BG_DEAL;
        while (deal[rank] != k) rank++;
    }
    to->group = rank;
}

extern "C" bg_status bg_cuda_screen(cudaStream_t stream, const cuda_summands *s, const bg_subprocess *process,
                                    uint32_t configuration, const cuda_unstables *found, bg_error *error)
{
    CUDA_TRY(error, cudaMemsetAsync(found->count, 0, sizeof *found->count, stream));
    screen_kernel<<<(s->count + CUDA_BLOCK - 1) / CUDA_BLOCK, CUDA_BLOCK, 0, stream>>>(*s, *process, configuration,
                                                                                       *found);
    CUDA_LAUNCHED(error, "screen_kernel");
    return BG_OK;
}

static __global__ void replace_kernel(uint32_t count, const bg_unstable *record, double *me2)
{
    const uint32_t k = blockIdx.x * CUDA_BLOCK + threadIdx.x;
    if (k < count) me2[record[k].point] = record[k].sum;
}

extern "C" bg_status bg_cuda_replace(cudaStream_t stream, uint32_t count, const bg_unstable *record, double *me2,
                                     bg_error *error)
{
    replace_kernel<<<(count + CUDA_BLOCK - 1) / CUDA_BLOCK, CUDA_BLOCK, 0, stream>>>(count, record, me2);
    CUDA_LAUNCHED(error, "replace_kernel");
    return BG_OK;
}

/* ---- sums ---------------------------------------------------------------------------------------------------------- */

/* The same as bg_tally_point() for every point, but exact sums and integers in shared memory first. */
static __global__ __launch_bounds__(SUM_THREADS) void accumulate_kernel(cuda_summands s, cuda_tally to)
{
    extern __shared__ uint32_t sums[];
    bg_tally *const tally = to.counts;
    const int adapt = s.scale > 0., bins = adapt ? s.dimensions * BG_GRID_BINS : 0;
    const int entries = adapt && s.entries <= SHARED_ENTRIES ? s.entries : 0;
    uint32_t *const weight = sums, *const weight2 = weight + 2 * BG_EXACT_DIGITS;
    uint32_t *const importance = weight2 + 2 * BG_EXACT_DIGITS, *const helicity = importance + 2 * bins;
    for (int k = (int)threadIdx.x; k < 2 * (2 * BG_EXACT_DIGITS + bins + entries); k += SUM_THREADS) sums[k] = 0;
    __syncthreads();

    double largest = 0.;
    for (size_t k = (size_t)blockIdx.x * SUM_THREADS + threadIdx.x; k < s.count; k += (size_t)gridDim.x * SUM_THREADS) {
        const double w = weight_of(&s, (uint32_t)k);
        if (!bg_weight_counts(w)) {
            global_add(&tally->nonfinite, 1);
            continue;
        }
        shared_exact_add(weight, w);
        if (s.group == 1) shared_exact_add(weight2, w * w);
        if (w > largest) largest = w;
        if (!adapt) continue;
        const int64_t value = s.cubic ? bg_cubic_importance(w, s.scale) : bg_importance(w * w, s.scale);
        for (int d = 0; d < s.dimensions; d++)
            shared_add(importance + 2 * (d * BG_GRID_BINS + s.points.bin[(size_t)d * s.points.pitch + k]), value);
        for (int d = 0; d < s.cells; d++) {
            const int cell = s.points.bin[(size_t)(s.dimensions + d) * s.points.pitch + k];
            global_add(&to.direction[d * BG_SYMMETRIC_CELLS + cell], value);
        }
        const int entry = s.entries ? s.choices.entry[k] : -1;
        if (entry >= 0 && entries)
            shared_add(helicity + 2 * entry, value);
        else if (entry >= 0)
            global_add(&to.helicity[entry], value);
    }
    global_largest(&tally->max_weight, largest);
    __syncthreads();
    flush(tally->weight.digit, weight, BG_EXACT_DIGITS);
    flush(tally->weight2.digit, weight2, BG_EXACT_DIGITS);
    flush(to.importance, importance, bins);
    flush(to.helicity, helicity, entries);
}

/* Squares of the sums of groups of points that share colors, a group a warp, and their pairs; as bg_tally_group(). */
static __global__ __launch_bounds__(SUM_THREADS) void group_sums_kernel(cuda_summands s, uint32_t items,
                                                                        bg_tally *tally)
{
    __shared__ uint32_t sums[2 * (BG_EXACT_DIGITS + 1)];
    for (int k = (int)threadIdx.x; k < 2 * (BG_EXACT_DIGITS + 1); k += SUM_THREADS) sums[k] = 0;
    __syncthreads();
    for (uint32_t item = (blockIdx.x * SUM_THREADS + threadIdx.x) / 32; item < items;
         item += gridDim.x * SUM_THREADS / 32) {
        uint32_t k;
        const int here = group_point(&s, item, &k);
        double w = here ? weight_of(&s, k) : 0.;
        if (!bg_weight_counts(w)) w = 0.;
        for (int step = 16; step; step /= 2) w += __shfl_xor_sync(~0u, w, step);
        const int64_t count = __popc(__ballot_sync(~0u, here));
        if (threadIdx.x % 32 == 0 && count) {
            shared_exact_add(sums, w * w);
            shared_add(sums + 2 * BG_EXACT_DIGITS, count * (count - 1));
        }
    }
    __syncthreads();
    flush(tally->weight2.digit, sums, BG_EXACT_DIGITS);
    flush(&tally->pairs, sums + 2 * BG_EXACT_DIGITS, 1);
}

extern "C" bg_status bg_cuda_accumulate(cudaStream_t stream, const cuda_summands *s, const cuda_tally *tally,
                                        bg_error *error)
{
    const unsigned per_block = SUM_THREADS * SUM_POINTS, blocks = (s->count + per_block - 1) / per_block;
    const int entries = s->entries <= SHARED_ENTRIES ? s->entries : 0;
    const size_t shared = 2 * sizeof(uint32_t) * (size_t)(2 * BG_EXACT_DIGITS + s->dimensions * BG_GRID_BINS + entries);
    accumulate_kernel<<<blocks, SUM_THREADS, shared, stream>>>(*s, *tally);
    CUDA_LAUNCHED(error, "accumulate_kernel");
    if (s->group > 1) {
        const uint32_t items = s->deals.deals * (BG_DEAL / (uint32_t)s->group), per = SUM_THREADS / 32 * SUM_POINTS;
        group_sums_kernel<<<(items + per - 1) / per, SUM_THREADS, 0, stream>>>(*s, items, tally->counts);
        CUDA_LAUNCHED(error, "group_sums_kernel");
    }
    return BG_OK;
}

/* ---- histograms ------------------------------------------------------------------------------------------------------ */

/* The sums of a cell, as bg_histograms_save() lays them out; those of squares come `cells` of the axis later. */
static __device__ __forceinline__ int64_t *cell_sums(int64_t *sums, const bg_axis *a, int cell)
{
    return sums + (2 * (size_t)a->first + (size_t)cell) * BG_EXACT_DIGITS;
}

/* ... to histograms: also after a sieve, where points that were kept wait for their exact weights. */
static __device__ __forceinline__ double filling_of(const cuda_summands *s, uint32_t k, double *correction)
{
    *correction = 0.;
    if (!s->estimate) return weight_of(s, k);
    if (!s->kept) return s->probability[k] > 0. ? 0. : s->estimate[k];
    *correction = sieved_correction(s, k);
    return s->estimate[k] + *correction;
}

static __global__ void fill_kernel(cuda_summands s, cuda_axes axes, int64_t *sums)
{
    const uint32_t k = blockIdx.x * CUDA_BLOCK + threadIdx.x;
    if (k >= s.count) return;
    double correction;
    const double w = filling_of(&s, k, &correction);
    const int alone = s.group == 1 || s.estimate;
    if (!bg_histograms_count(w)) return;
    bg_outgoing gluons;
    bg_outgoing_read(&gluons, axes.n_out, axes.place, s.points.momenta + k, s.points.pitch, w);
    for (int h = 0; h < axes.count; h++) {
        const bg_axis *a = &axes.axis[h];
        int64_t *at = cell_sums(sums, a, bg_axis_cell(a, bg_observable_value(&a->observable, &gluons)));
        global_exact_add(at, w);
        int64_t *const square = at + bg_axis_cells(a) * BG_EXACT_DIGITS;
        if (alone) global_exact_add(square, w * w);
        if (s.kept && s.group > 1) global_exact_add(square, -(correction * correction));
    }
}

/* Squares of what a group of points that share colors adds to each bin, a group a warp; as bg_histograms_end_group(). */
static __global__ void fill_groups_kernel(cuda_summands s, uint32_t items, cuda_axes axes, int64_t *sums)
{
    const uint32_t item = (blockIdx.x * CUDA_BLOCK + threadIdx.x) / 32;
    if (item >= items) return;
    bg_outgoing gluons;
    double w = 0.;
    uint32_t k;
    double correction;
    int here = group_point(&s, item, &k);
    if (here) w = filling_of(&s, k, &correction);
    here = here && bg_histograms_count(w);
    if (here) bg_outgoing_read(&gluons, axes.n_out, axes.place, s.points.momenta + k, s.points.pitch, w);
    if (here && s.kept)
        w = correction; /* it is that which is correlated; the bin of the weight itself is that of all of it */
    for (int h = 0; h < axes.count; h++) {
        const bg_axis *a = &axes.axis[h];
        const int b = here ? bg_axis_cell(a, bg_observable_value(&a->observable, &gluons)) : -1;
        const unsigned same = __match_any_sync(~0u, b);
        double sum = 0.; /* in the order of the lanes, which is that of the event numbers */
        for (int lane = 0; lane < 32; lane++) {
            const double other = __shfl_sync(~0u, w, lane);
            if (same >> lane & 1u) sum += other;
        }
        if (!here || (int)(threadIdx.x % 32) != __ffs((int)same) - 1) continue;
        global_exact_add(cell_sums(sums, a, bg_axis_cells(a) + b), sum * sum);
    }
}

extern "C" bg_status bg_cuda_fill(cudaStream_t stream, const cuda_summands *s, const cuda_axes *axes, int64_t *sums,
                                  bg_error *error)
{
    fill_kernel<<<(s->count + CUDA_BLOCK - 1) / CUDA_BLOCK, CUDA_BLOCK, 0, stream>>>(*s, *axes, sums);
    CUDA_LAUNCHED(error, "fill_kernel");
    if (s->group > 1 && (!s->estimate || s->kept)) {
        const uint32_t items = s->deals.deals * (BG_DEAL / (uint32_t)s->group), per = CUDA_BLOCK / 32;
        fill_groups_kernel<<<(items + per - 1) / per, CUDA_BLOCK, 0, stream>>>(*s, items, *axes, sums);
        CUDA_LAUNCHED(error, "fill_groups_kernel");
    }
    return BG_OK;
}
