/* |M|^2 of a process with few vertices, helicities and colors summed (backend/straight.h), for one instruction set (BG_ISA,
 * BG_LANES). BG_STRAIGHT_CODE is the header that was written for it, BG_STRAIGHT_NAME what the instance is called.
 *
 * One register of events at a time: momenta of the sets of legs that are needed, the amplitudes of one configuration of helicities
 * after the other by code without loops and tables, and then the color sums of all of them.
 */
#include "backend/cpu/straight.h"

#include "amplitude/external.h"
#include "amplitude/straight.h"

/* A processor's registers hold few of the currents whatever the order, so the compiler may choose it. */
#define STRAIGHT_NEXT (void)0

#include BG_STRAIGHT_CODE

enum {
    OUT = STRAIGHT_LEGS - 2,
    LEG_NUMBERS = OUT * (4 + OUT), /* components of the outgoing legs, and their products */
    AT_SPLITS = STRAIGHT_SETS * PROGRAM_SET_NUMBERS,
    CONFIGURATIONS = STRAIGHT_PATTERNS << STRAIGHT_GLUONS,
    COLUMN = STRAIGHT_STRUCTURES
};

_Static_assert((int)STRAIGHT_LEGS <= (int)STRAIGHT_MOST_LEGS && (int)STRAIGHT_PATTERNS <= (int)STRAIGHT_MOST_PATTERNS,
               "there is no room for this process in straight_places");
_Static_assert((int)STRAIGHT_STRUCTURES <= (int)STRAIGHT_MOST_STRUCTURES, "... nor for these amplitudes");
_Static_assert(STRAIGHT_WHOLE, "the color sum is a part of the kernel");

static const uint32_t set_list[] = {STRAIGHT_SET_LIST};
static const program_split split_list[] = {STRAIGHT_SPLIT_LIST};

/* Everything about one register of events, in the workspace of the thread. */
typedef struct space {
    real numbers[STRAIGHT_NUMBERS]; /* amplitude/straight.h */
    real leg[LEG_NUMBERS];
    real amplitude[2 * CONFIGURATIONS][COLUMN]; /* real and imaginary parts apart */
} space;

static size_t workspace(const bg_plan *plan, const quark_program *program)
{
    (void)plan;
    (void)program;
    return sizeof(space);
}

/* Numbers that do not depend on helicities, from momenta in the order of the process's places. */
static void prepare(const straight_places *x, const vec4 *p, space *s)
{
    vec4 ordered[OUT + 1];
    real *w = s->numbers;
    ordered[0] = p[x->place[x->opposite]];
    for (int k = 0; k < OUT; k++) ordered[k + 1] = p[x->place[x->outgoing[k]]];
    const light_frame frame = light_frame_of(ordered[0], p[x->place[x->gauge]]);
    quark_put_components(OUT, &frame, ordered, 1, s->leg);
    for (uint32_t k = 0; k < STRAIGHT_SETS; k++) {
        const uint32_t set = set_list[k];
        uint32_t inside = 0;
        for (int j = 0; j < OUT; j++) inside |= (set >> x->outgoing[j] & 1u) << j;
        const quark_set q = quark_set_inside(OUT, inside, set >> x->opposite & 1u, set >> x->gauge & 1u, 1, s->leg);
        quark_put_set(w, 1, k * PROGRAM_SET_NUMBERS, q);
        /* the legs are the first sets */
        if (k < STRAIGHT_LEGS && (STRAIGHT_QUARKS | STRAIGHT_ANTIQUARKS) >> k & 1)
            straight_put_end(w, 1, STRAIGHT_ENDS + STRAIGHT_END_NUMBERS * k, q, k == x->gauge);
    }
    for (int k = 0; k < STRAIGHT_SPLITS; k++)
        quark_put_factors(split_list[k], 1, w, (uint32_t)(AT_SPLITS + k * PROGRAM_SPLIT_NUMBERS));
}

/* Adds what one pairing gives to the amplitudes of one state of the gluons and one pattern of chiralities. */
BG_FN void add_pairing(const uint32_t pairing, const real *w, uint32_t state, uint32_t pattern, real *re, real *im)
{
    real sign[STRAIGHT_LEGS];
    quark_sum a[STRAIGHT_STRUCTURES];
    for (int k = 0; k < STRAIGHT_LEGS; k++) sign[k] = bg_real(pattern >> k & 1u ? 1. : -1.);
    for (int k = 0; k < STRAIGHT_STRUCTURES; k++) a[k] = straight_no_quark();
    straight_sums(w, 1, state, sign, 1u << pairing, a);
    const real s = STRAIGHT_QUARKS >> STRAIGHT_CLOSES & 1 ? sign[STRAIGHT_CLOSES] : -sign[STRAIGHT_CLOSES];
    const quark_spinor end = straight_end(w, 1, STRAIGHT_ENDS + STRAIGHT_END_NUMBERS * STRAIGHT_CLOSES, s);
    for (int k = 0; k < STRAIGHT_STRUCTURES; k++) {
        const quark_number amplitude = spinor_close(STRAIGHT_ON_GAUGE, &a[k], &end);
        re[k] = STRAIGHT_PAIRINGS > 1 ? re[k] + amplitude.re : amplitude.re;
        im[k] = STRAIGHT_PAIRINGS > 1 ? im[k] + amplitude.im : amplitude.im;
    }
}

/* Each pairing is a function of its own, which goes through all configurations before the next one does: it is long, and two of them do
 * not fit into the cache for instructions. */
typedef void pairing_function(const real *w, uint32_t state, uint32_t pattern, real *re, real *im);

#define PAIRING(k)                                                                                                     \
    static __attribute__((noinline)) void pairing_##k(const real *w, uint32_t state, uint32_t pattern, real *re,       \
                                                      real *im)                                                        \
    {                                                                                                                  \
        add_pairing(k, w, state, pattern, re, im);                                                                     \
    }
STRAIGHT_EACH_PAIRING(PAIRING)
#undef PAIRING

#define PAIRING(k) pairing_##k,
static pairing_function *const pairings[] = {STRAIGHT_EACH_PAIRING(PAIRING)};
#undef PAIRING

static void find_amplitudes(const straight_places *x, space *s)
{
    if (STRAIGHT_PAIRINGS > 1)
        for (int k = 0; k < 2 * CONFIGURATIONS * COLUMN; k++) s->amplitude[k / COLUMN][k % COLUMN] = bg_real(0.);
    for (int i = 0; i < STRAIGHT_PAIRINGS; i++)
        for (uint32_t c = 0; c < CONFIGURATIONS; c++) {
            const uint32_t pattern = c >> STRAIGHT_GLUONS;
            if (x->allowed[pattern] >> i & 1u)
                pairings[i](s->numbers, c, x->pattern[pattern], s->amplitude[2 * c], s->amplitude[2 * c + 1]);
        }
}

static __attribute__((noinline)) real sum_colors(const space *s)
{
    real sum = bg_real(0.);
    for (int k = 0; k < 2 * CONFIGURATIONS; k++) sum += straight_colors(s->amplitude[k]);
    return sum;
}

static void evaluate(const cpu_task *t)
{
    const straight_places *x = &t->tables->straight.run->places;
    space *s = t->workspace;
    cpu_stages_begin(t->stages);
    for (int done = 0; done < t->count; done += BG_LANES) {
        vec4 p[STRAIGHT_LEGS];
        const bg_momenta momenta = momenta_from(&t->momenta, (size_t)done);
        external_load(STRAIGHT_LEGS, &momenta, t->count - done, p);
        prepare(x, p, s);
        find_amplitudes(x, s);
        cpu_stages_amplitudes(t->stages);
        const real sum = sum_colors(s);
        cpu_stages_color_sum(t->stages);
        /* the other half of the chiralities gives the same */
        for (int l = 0; l < BG_LANES && done + l < t->count; l++) t->value[done + l] = 2. * (double)bg_lane(sum, l);
    }
}

extern const cpu_straight BG_STRAIGHT_NAME;
const cpu_straight BG_STRAIGHT_NAME = {.code = BG_STRAIGHT_WRITTEN,
                                       .instance = {.lanes = BG_LANES, .workspace = workspace, .evaluate = evaluate}};
