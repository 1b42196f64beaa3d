/* |M|^2 of a process with few vertices, helicities and colors summed (backend/straight.h). BG_STRAIGHT_CODE is the header that was written for
 * it, BG_STRAIGHT_NAME what the instance is called.
 *
 * A lane has an event, a warp a configuration of helicities (or some, one after the other), and the warps of a block share the
 * momenta of their events' sets in shared memory. All currents of a configuration are in registers, and so are its amplitudes. Where
 * these are all that there are, they go into the color sum at once: nothing but momenta is read from memory and nothing but sums
 * are written. Otherwise they are written as the color sum of dense.cu wants them.
 */
#define BG_STRAIGHT
#include "backend/cuda/events.cuh"
#include "backend/cuda/straight.h"

#include "amplitude/straight.h"

/* Between two steps, for the sake of the order: a barrier of the warp, across which no loads are moved. Compilers would rather load
 * everything first and keep it in registers, which are for the currents. */
#define STRAIGHT_NEXT asm volatile("bar.warp.sync 0xffffffff;" ::: "memory")

#include BG_STRAIGHT_CODE

/* The most warps that have equal shares, up to four: more that wait for one another are slower, and so are fewer. */
BG_CONSTANT_FN int warps_for(int configurations)
{
    int warps = 4;
    while (configurations % warps) warps--;
    return warps;
}

enum {
    EVENTS = 32,
    OUT = STRAIGHT_LEGS - 2,
    COMPONENTS = 4, /* of an outgoing leg */
    PAIRS = OUT * (OUT - 1) / 2,
    CONFIGURATIONS = STRAIGHT_PATTERNS << STRAIGHT_GLUONS,
    WARPS = warps_for(CONFIGURATIONS),
    THREADS = EVENTS * WARPS,
    BLOCKS = STRAIGHT_LEGS < 6 || !STRAIGHT_GLUONS ? 4 : 2, /* as many registers as the currents need */
    AT_SPLITS = STRAIGHT_SETS * PROGRAM_SET_NUMBERS,
    AT_LEGS = STRAIGHT_NUMBERS, /* components of the outgoing legs, and their products */
    AT_SUMS = AT_LEGS,          /* later: one sum a warp */
    LEG_NUMBERS = OUT * (COMPONENTS + OUT),
    CHIP_BYTES = (STRAIGHT_NUMBERS + (LEG_NUMBERS > WARPS ? LEG_NUMBERS : WARPS)) * EVENTS * 8
};

static_assert((int)STRAIGHT_LEGS <= (int)STRAIGHT_MOST_LEGS && (int)STRAIGHT_PATTERNS <= (int)STRAIGHT_MOST_PATTERNS,
              "there is no room for this process in straight_places");

static __constant__ const uint32_t set_list[] = {STRAIGHT_SET_LIST};
static __constant__ const program_split split_list[] = {STRAIGHT_SPLIT_LIST};

/* What is the same for all blocks. */
typedef struct straight_work {
    straight_places places;
    bg_momenta momenta;
    int count;
    size_t pitch, columns; /* of amplitudes */
    double *out;
} straight_work;

/* Components of the outgoing legs, a leg a warp. */
static __device__ __forceinline__ void put_legs(const straight_work *k, size_t event, int warp, double *leg)
{
    const straight_places *x = &k->places;
    const vec4 first = event_momentum(&k->momenta, event, x->place[x->opposite]);
    const light_frame frame = light_frame_of(first, event_momentum(&k->momenta, event, x->place[x->gauge]));
    BG_LOOP
    for (int i = warp; i < OUT; i += WARPS) {
        const vec4 p[2] = {first, event_momentum(&k->momenta, event, x->place[x->outgoing[i]])};
        double own[COMPONENTS + 1];
        quark_put_components(1, &frame, p, 1, own);
        BG_UNROLL
        for (int c = 0; c < COMPONENTS; c++) leg[(c * OUT + i) * EVENTS] = own[c];
    }
}

/* ... and their products. */
static __device__ __forceinline__ void put_pairs(int warp, double *leg)
{
    BG_LOOP
    for (int n = warp; n < PAIRS; n += WARPS) {
        int i = 1, j = n;
        while (j >= i) j -= i++;
        double a[3], b[3];
        BG_UNROLL
        for (int c = 0; c < 3; c++) {
            a[c] = leg[(c * OUT + i) * EVENTS];
            b[c] = leg[(c * OUT + j) * EVENTS];
        }
        leg[(COMPONENTS * OUT + i * OUT + j) * EVENTS] = quark_pair_product(a, b);
    }
}

/* The momenta of sets and the ends of lines. */
static __device__ __forceinline__ void put_sets(const straight_places *x, int warp, const double *leg, double *w)
{
    BG_LOOP
    for (int i = warp; i < STRAIGHT_SETS; i += WARPS) {
        const uint32_t set = set_list[i];
        uint32_t inside = 0;
        BG_UNROLL
        for (int j = 0; j < OUT; j++) inside |= (set >> x->outgoing[j] & 1u) << j;
        const quark_set q = quark_set_inside(OUT, inside, set >> x->opposite & 1u, set >> x->gauge & 1u, EVENTS, leg);
        quark_put_set(w, EVENTS, (uint32_t)i * PROGRAM_SET_NUMBERS, q);
        /* the legs are the first sets */
        if (i < STRAIGHT_LEGS && (STRAIGHT_QUARKS | STRAIGHT_ANTIQUARKS) >> i & 1)
            straight_put_end(w, EVENTS, STRAIGHT_ENDS + STRAIGHT_END_NUMBERS * (uint32_t)i, q, i == x->gauge);
    }
}

static __device__ __forceinline__ void put_splits(int warp, double *w)
{
    BG_LOOP
    for (int i = warp; i < STRAIGHT_SPLITS; i += WARPS)
        quark_put_factors(split_list[i], EVENTS, w, AT_SPLITS + (uint32_t)i * PROGRAM_SPLIT_NUMBERS);
}

/* What the sum of squares is multiplied with. */
#if STRAIGHT_BY_PARTS
#define CHIRALITIES program_parts_weight(STRAIGHT_LINES, STRAIGHT_ON_GAUGE, 0)
#else
#define CHIRALITIES 2.
#endif

/* The amplitudes of one configuration: chiralities, or parts of lines, behind the states of gluons. */
static __device__ __forceinline__ void find_amplitudes(const straight_places *x, uint32_t configuration,
                                                       const double *w, double *re, double *im)
{
    quark_sum a[STRAIGHT_STRUCTURES];
    BG_UNROLL
    for (int i = 0; i < STRAIGHT_STRUCTURES; i++) a[i] = straight_no_quark();
#if STRAIGHT_BY_PARTS
    const double closes = 1.;
    (void)x;
    straight_sums(w, EVENTS, configuration, 1u, a);
#else
    const uint32_t pattern = configuration >> STRAIGHT_GLUONS;
    double sign[STRAIGHT_LEGS];
    BG_UNROLL
    for (int i = 0; i < STRAIGHT_LEGS; i++) sign[i] = x->pattern[pattern] >> i & 1u ? 1. : -1.;
    const double closes = sign[STRAIGHT_CLOSES];
    straight_sums(w, EVENTS, configuration, sign, x->allowed[pattern], a);
#endif
    const double s = STRAIGHT_QUARKS >> STRAIGHT_CLOSES & 1 ? closes : -closes;
    const quark_spinor end = straight_end(w, EVENTS, STRAIGHT_ENDS + STRAIGHT_END_NUMBERS * STRAIGHT_CLOSES, s);
    BG_UNROLL
    for (int i = 0; i < STRAIGHT_STRUCTURES; i++) {
        const quark_number amplitude =
            STRAIGHT_BY_PARTS && STRAIGHT_ON_GAUGE ? a[i].eta1 : spinor_close(STRAIGHT_ON_GAUGE, &a[i], &end);
        re[i] = amplitude.re;
        im[i] = amplitude.im;
    }
}

#if !STRAIGHT_WHOLE
/* Writes them. */
static __device__ __forceinline__ void store_amplitudes(const straight_work *k, uint32_t configuration, size_t event,
                                                        const double *re, const double *im)
{
    constexpr uint32_t position[] = {STRAIGHT_POSITION_LIST};
    double *column = k->out + 2 * (size_t)configuration * k->pitch + event;
    BG_UNROLL
    for (int i = 0; i < STRAIGHT_STRUCTURES; i++) {
        double *at = column + position[i] * k->columns;
        at[0] = re[i];
        at[k->pitch] = im[i];
    }
}
#endif

static __global__ __launch_bounds__(THREADS, BLOCKS) void straight_kernel(const __grid_constant__ straight_work k)
{
    extern __shared__ double chip[];
    const int lane = (int)threadIdx.x % EVENTS, warp = (int)threadIdx.x / EVENTS;
    const size_t event = (size_t)blockIdx.x * EVENTS + (size_t)lane; /* rows are padded */
    double *w = chip + lane, *leg = w + AT_LEGS * EVENTS;
    /* lanes beyond the last event repeat it */
    put_legs(&k, event < (size_t)k.count ? event : (size_t)k.count - 1, warp, leg);
    __syncthreads();
    put_pairs(warp, leg);
    __syncthreads();
    put_sets(&k.places, warp, leg, w);
    __syncthreads();
    put_splits(warp, w);
    __syncthreads();
#if STRAIGHT_WHOLE
    double sum = 0., *sums = w + AT_SUMS * EVENTS;
#endif
    BG_LOOP
    for (uint32_t c = (uint32_t)warp; c < CONFIGURATIONS; c += WARPS) {
        double re[STRAIGHT_STRUCTURES], im[STRAIGHT_STRUCTURES];
        find_amplitudes(&k.places, c, w, re, im);
#if STRAIGHT_WHOLE
        sum += straight_colors(re) + straight_colors(im);
    }
    sums[warp * EVENTS] = sum;
    __syncthreads();
    if (warp) return;
    BG_UNROLL
    for (int i = 1; i < WARPS; i++) sum += sums[i * EVENTS];
    k.out[event] = sum;
#else
        store_amplitudes(&k, c, event, re, im);
    }
#endif
}

static bg_status evaluate(const cuda_task *t, const straight_run *run, double *out, bg_error *error)
{
    straight_work work;
    work.places = run->places;
    work.momenta = t->momenta;
    work.count = t->count;
    work.pitch = t->pitch;
    work.columns = 2 * (size_t)CONFIGURATIONS * t->pitch;
    work.out = out;
    CUDA_TRY(error, cudaFuncSetAttribute(straight_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, CHIP_BYTES));
    straight_kernel<<<(unsigned)((t->count + EVENTS - 1) / EVENTS), THREADS, CHIP_BYTES, t->stream>>>(work);
    CUDA_LAUNCHED(error, "straight_kernel");
    return BG_OK;
}

static bg_status resources(size_t *stack, bg_error *error)
{
    cudaFuncAttributes attributes;
    CUDA_TRY(error, cudaFuncGetAttributes(&attributes, straight_kernel));
    *stack = attributes.localSizeBytes;
    return BG_OK;
}

extern "C" const straight_instance BG_STRAIGHT_NAME;
extern "C" const straight_instance BG_STRAIGHT_NAME = {BG_STRAIGHT_WRITTEN, CHIP_BYTES, EVENTS,
                                                       CHIRALITIES,         evaluate,   resources};
#undef CHIRALITIES
