/* |M|^2 of a process with few vertices, helicities and colors summed (backend/straight.h), for one instruction set (BG_ISA,
 * BG_LANES). BG_STRAIGHT_CODE is the header that was written for it, BG_STRAIGHT_NAME what the instance is called.
 *
 * One register of events at a time: momenta of the sets of legs that are needed, the amplitudes of one state of the gluons after the
 * other by code without loops and tables, which has all chiralities (amplitude/program.h: by parts), and then the color sums of all
 * of them.
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
    ROWS = 1 << (STRAIGHT_LINES - 1), /* parts of the lines */
    COLUMN = STRAIGHT_STRUCTURES,
    JOINED = STRAIGHT_PAIRINGS > 1 /* parts become chiralities, in which the pairings of identical flavors add up */
};

_Static_assert((int)STRAIGHT_LEGS <= (int)STRAIGHT_MOST_LEGS && (int)STRAIGHT_PATTERNS <= (int)STRAIGHT_MOST_PATTERNS,
               "there is no room for this process in straight_places");
_Static_assert(STRAIGHT_WHOLE, "the color sum is a part of the kernel");
_Static_assert(!STRAIGHT_INNER, "states of gluons follow one another");
_Static_assert(JOINED || (int)ROWS == (int)STRAIGHT_PATTERNS, "distinct flavors have a part for each chirality");

static const uint32_t set_list[] = {STRAIGHT_SET_LIST};
static const program_split split_list[] = {STRAIGHT_SPLIT_LIST};
static const uint8_t pattern_list[] = {STRAIGHT_PATTERN_LIST};

/* Real and imaginary parts of the amplitudes of a configuration, apart. */
typedef real amplitudes[2][COLUMN];

/* Everything about one register of events, in the workspace of the thread. */
typedef struct space {
    real numbers[STRAIGHT_NUMBERS]; /* amplitude/straight.h */
    real leg[LEG_NUMBERS];
    amplitudes amplitude[1 << STRAIGHT_GLUONS][STRAIGHT_PATTERNS];
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

/* The amplitudes that one pairing gives for one state of the gluons, but for the root of two in a leg on the gauge vector. */
BG_FN void find_pairing(const uint32_t pairing, const real *w, uint32_t state, amplitudes *to)
{
    quark_sum a[ROWS * STRAIGHT_STRUCTURES];
    for (int k = 0; k < ROWS * STRAIGHT_STRUCTURES; k++) a[k] = straight_no_quark();
    straight_sums(w, 1, state, 1u << pairing, a);
    const real s = bg_real(STRAIGHT_QUARKS >> STRAIGHT_CLOSES & 1 ? 1. : -1.);
    const quark_spinor end = straight_end(w, 1, STRAIGHT_ENDS + STRAIGHT_END_NUMBERS * STRAIGHT_CLOSES, s);
    for (int row = 0; row < ROWS; row++)
        for (int k = 0; k < STRAIGHT_STRUCTURES; k++) {
            const quark_sum *sum = &a[row * STRAIGHT_STRUCTURES + k];
            const quark_number amplitude = STRAIGHT_ON_GAUGE ? sum->eta1 : spinor_close(0, sum, &end);
            to[row][0][k] = amplitude.re;
            to[row][1][k] = amplitude.im;
        }
}

/* Each pairing is a function of its own, which goes through all states before the next one does: it is long, and two of them do
 * not fit into the cache for instructions. */
typedef void pairing_function(const real *w, uint32_t state, amplitudes *to);

#define PAIRING(k)                                                                                                     \
    static __attribute__((noinline)) void pairing_##k(const real *w, uint32_t state, amplitudes *to)                   \
    {                                                                                                                  \
        find_pairing(k, w, state, to);                                                                                 \
    }
STRAIGHT_EACH_PAIRING(PAIRING)
#undef PAIRING

#define PAIRING(k) pairing_##k,
static pairing_function *const pairings[] = {STRAIGHT_EACH_PAIRING(PAIRING)};
#undef PAIRING

/* Adds the amplitudes of a pairing to those of the patterns that its parts make. */
static void add_pairing(int pairing, amplitudes *from, amplitudes *to)
{
    quark_join_parts(STRAIGHT_LINES, COLUMN, COLUMN, sizeof *from / sizeof(real), &from[0][0][0]);
    for (int row = 0; row < ROWS; row++) {
        amplitudes *sum = &to[pattern_list[pairing * ROWS + row]];
        for (int k = 0; k < 2 * COLUMN; k++) (*sum)[k / COLUMN][k % COLUMN] += from[row][k / COLUMN][k % COLUMN];
    }
}

static void find_amplitudes(space *s)
{
    if (!JOINED) {
        for (uint32_t state = 0; state < 1u << STRAIGHT_GLUONS; state++)
            pairings[0](s->numbers, state, s->amplitude[state]);
        return;
    }
    real *first = &s->amplitude[0][0][0][0];
    for (int k = 0; k < 2 * CONFIGURATIONS * COLUMN; k++) first[k] = bg_real(0.);
    for (int i = 0; i < STRAIGHT_PAIRINGS; i++)
        for (uint32_t state = 0; state < 1u << STRAIGHT_GLUONS; state++) {
            amplitudes own[ROWS];
            pairings[i](s->numbers, state, own);
            add_pairing(i, own, s->amplitude[state]);
        }
}

static __attribute__((noinline)) real sum_colors(const space *s)
{
    const real *column = &s->amplitude[0][0][0][0];
    real sum = bg_real(0.);
    for (int k = 0; k < 2 * CONFIGURATIONS; k++, column += COLUMN) sum += straight_colors(column);
    return sum;
}

static void evaluate(const cpu_task *t)
{
    const straight_places *x = &t->tables->straight.run->places;
    space *s = t->workspace;
    const double weight = program_parts_weight(STRAIGHT_LINES, STRAIGHT_ON_GAUGE, JOINED);
    cpu_stages_begin(t->stages);
    for (int done = 0; done < t->count; done += BG_LANES) {
        vec4 p[STRAIGHT_LEGS];
        const bg_momenta momenta = momenta_from(&t->momenta, (size_t)done);
        external_load(STRAIGHT_LEGS, &momenta, t->count - done, p);
        prepare(x, p, s);
        find_amplitudes(s);
        cpu_stages_amplitudes(t->stages);
        const real sum = sum_colors(s);
        cpu_stages_color_sum(t->stages);
        for (int l = 0; l < BG_LANES && done + l < t->count; l++) t->value[done + l] = weight * (double)bg_lane(sum, l);
    }
}

extern const cpu_straight BG_STRAIGHT_NAME;
const cpu_straight BG_STRAIGHT_NAME = {.code = BG_STRAIGHT_WRITTEN,
                                       .instance = {.lanes = BG_LANES, .workspace = workspace, .evaluate = evaluate}};
