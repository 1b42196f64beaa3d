/* Which instruction sets there are, which one is used, and what the CPU backend is.
 *
 * Where the options leave the choice of instruction set open, the environment variable BLOCKGEN_SIMD may name one to use
 * instead of the best ("baseline", "avx2", "avx512", or "quad" for 128-bit floats, the accuracy yardstick).
 */
#include "backend/cpu/cpu.h"
#include "base/status.h"
#include "base/system.h"
#include "instances.h" /* made by CMake from the lists of what it compiles */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- kernels of every instruction set ---------------------------------------------------------------------------- */

#define DECLARE_PAPER(isa, letters) extern const cpu_instance bg_paper_##isa##_##letters;
#define DECLARE_FAST(isa, letters) extern const cpu_instance bg_fast_##isa##_##letters;
#define DECLARE_LINE(isa, letters) extern const cpu_instance bg_line_##isa##_##letters;
#define DECLARE_STRAIGHT(isa, name) extern const cpu_straight bg_straight_##isa##_##name;
#define DECLARE(isa)                                                                                                   \
    BG_CPU_PAPER_INSTANCES(DECLARE_PAPER, isa)                                                                         \
    BG_CPU_FAST_INSTANCES(DECLARE_FAST, isa)                                                                           \
    extern const cpu_instance bg_coherent_##isa, bg_dressed_##isa, bg_quarks_##isa, bg_open_##isa;

#define PAPER(isa, letters) [letters] = &bg_paper_##isa##_##letters,
#define FAST(isa, letters) [letters] = &bg_fast_##isa##_##letters,
#define LINE(isa, letters) [letters] = &bg_line_##isa##_##letters,
#define STRAIGHT(isa, name) &bg_straight_##isa##_##name,
#define LIST_STRAIGHT(isa)                                                                                             \
    BG_CPU_STRAIGHT_INSTANCES(DECLARE_STRAIGHT, isa)                                                                   \
    static const cpu_straight *const straight_##isa[] = {BG_CPU_STRAIGHT_INSTANCES(STRAIGHT, isa) NULL};
#define LIST_STRAIGHT_WIDE(isa)                                                                                        \
    BG_CPU_STRAIGHT_INSTANCES(DECLARE_STRAIGHT, isa)                                                                   \
    BG_CPU_STRAIGHT_WIDE_INSTANCES(DECLARE_STRAIGHT, isa)                                                              \
    static const cpu_straight *const straight_##isa[] = {BG_CPU_STRAIGHT_INSTANCES(STRAIGHT, isa)                      \
                                                             BG_CPU_STRAIGHT_WIDE_INSTANCES(STRAIGHT, isa) NULL};
#define EXPAND(macro, isa, letters) macro(isa, letters) /* where `letters` is a macro itself */

DECLARE(baseline)
BG_CPU_LINE_INSTANCES(DECLARE_LINE, baseline)
LIST_STRAIGHT(baseline)
EXPAND(DECLARE_FAST, baseline, BG_CPU_FAST_LARGEST)
extern bg_generate bg_generate_baseline;
extern bg_estimate bg_estimate_baseline;
extern const bg_flow_kernel bg_flow_gluons_baseline, bg_flow_quarks_baseline;
#ifdef BG_HAVE_AVX2
DECLARE(avx2)
BG_CPU_LINE_INSTANCES(DECLARE_LINE, avx2)
LIST_STRAIGHT_WIDE(avx2)
EXPAND(DECLARE_FAST, avx2, BG_CPU_FAST_LARGEST)
extern bg_generate bg_generate_avx2;
extern bg_estimate bg_estimate_avx2;
extern const bg_flow_kernel bg_flow_gluons_avx2, bg_flow_quarks_avx2;
#endif
#ifdef BG_HAVE_AVX512
DECLARE(avx512)
BG_CPU_LINE_INSTANCES(DECLARE_LINE, avx512)
LIST_STRAIGHT_WIDE(avx512)
EXPAND(DECLARE_FAST, avx512, BG_CPU_FAST_LARGEST)
extern bg_generate bg_generate_avx512;
extern bg_estimate bg_estimate_avx512;
extern const bg_flow_kernel bg_flow_gluons_avx512, bg_flow_quarks_avx512;
#endif
#ifdef BG_HAVE_QUAD
DECLARE(quad)
#endif

/* The kernels of an instruction set in doubles. */
#define KERNELS(isa)                                                                                                   \
    .generate = bg_generate_##isa, .estimate = bg_estimate_##isa, .gluon_flows = &bg_flow_gluons_##isa,                \
    .quark_flows = &bg_flow_quarks_##isa, .coherent = &bg_coherent_##isa, .dressed = &bg_dressed_##isa,                \
    .quarks = &bg_quarks_##isa, .open = &bg_open_##isa, .paper = {BG_CPU_PAPER_INSTANCES(PAPER, isa)},                 \
    .fast = {BG_CPU_FAST_INSTANCES(FAST, isa) EXPAND(FAST, isa, BG_CPU_FAST_LARGEST)},                                 \
    .line = {BG_CPU_LINE_INSTANCES(LINE, isa)}, .straight = straight_##isa

/* ... and in 128-bit floats, whose points and color flows are those of the baseline. */
#define QUAD_KERNELS                                                                                                   \
    .name = "quad", .title = "128-bit floats", .present = always, .quad = 1, .generate = bg_generate_baseline,         \
    .estimate = bg_estimate_baseline, .gluon_flows = &bg_flow_gluons_baseline,                                         \
    .quark_flows = &bg_flow_quarks_baseline, .coherent = &bg_coherent_quad, .dressed = &bg_dressed_quad,               \
    .quarks = &bg_quarks_quad, .open = &bg_open_quad, .paper = {BG_CPU_PAPER_INSTANCES(PAPER, quad)}

/* ---- the choice ----------------------------------------------------------------------------------------------------- */

static int always(void) { return 1; }

#ifdef BG_HAVE_AVX2
static int has_avx2(void) { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"); }
#endif
#ifdef BG_HAVE_AVX512
static int has_avx512(void)
{
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl");
}
#endif

/* Best first. */
static const instruction_set instruction_sets[] = {
#ifdef BG_HAVE_AVX512
    {.name = "avx512", .title = "AVX-512", .present = has_avx512, .automatic = 1, KERNELS(avx512)},
#endif
#ifdef BG_HAVE_AVX2
    {.name = "avx2", .title = "AVX2+FMA", .present = has_avx2, .automatic = 1, KERNELS(avx2)},
#endif
    {.name = "baseline", .title = "baseline", .present = always, .automatic = 1, KERNELS(baseline)},
#ifdef BG_HAVE_QUAD
    {QUAD_KERNELS}, /* the yardstick is the paper's kernel: no fast one */
#endif
};
enum { INSTRUCTION_SETS = sizeof instruction_sets / sizeof *instruction_sets };

#ifdef BG_HAVE_QUAD
#define QUAD_CAPABILITY BG_CAN_USE_QUAD
#define PRECISE &bg_cpu_precise
static const instruction_set quad_with_fast = {QUAD_KERNELS, .fast = {BG_CPU_FAST_INSTANCES(FAST, quad)}};
const instruction_set *const bg_cpu_quad = &quad_with_fast;
#else
#define QUAD_CAPABILITY 0u
#define PRECISE NULL
const instruction_set *const bg_cpu_quad = NULL;
#endif

bg_status bg_cpu_choose_set(const bg_options *o, const instruction_set **set, bg_error *error)
{
    static const char *const words[] = {NULL, "baseline", "avx2", "avx512"}; /* bg_instruction_set */
    const char *asker = "BLOCKGEN_SIMD", *wanted = getenv(asker);
    if (o && (o->floats == BG_FLOATS_QUAD || o->instruction_set != BG_INSTRUCTIONS_AUTO)) {
        asker = o->floats == BG_FLOATS_QUAD ? "floats" : "instruction_set";
        wanted = o->floats == BG_FLOATS_QUAD ? "quad" : words[o->instruction_set];
    }
    for (int k = 0; k < INSTRUCTION_SETS; k++) {
        const instruction_set *s = &instruction_sets[k];
        if (wanted && *wanted ? strcmp(wanted, s->name) : !s->automatic || !s->present()) continue;
        if (!s->present())
            return bg_fail(error, BG_ERROR_DEVICE, "%s asks for %s, which this CPU does not have", asker, s->name);
        *set = s;
        return BG_OK;
    }
    char names[64] = "";
    for (int k = 0; k < INSTRUCTION_SETS; k++) {
        strcat(names, k ? ", " : "");
        strcat(names, instruction_sets[k].name);
    }
    return bg_fail(error, BG_ERROR_ARGUMENT, "%s is '%s'; this build has %s", asker, wanted ? wanted : "", names);
}

bg_status bg_flow_kernel_find(const bg_flow_kernel **kernel, int quark_lines, bg_error *error)
{
    const instruction_set *set;
    const bg_status status = bg_cpu_choose_set(NULL, &set, error);
    if (status == BG_OK) *kernel = quark_lines ? set->quark_flows : set->gluon_flows;
    return status;
}

/* ---- the backend ------------------------------------------------------------------------------------------------- */

static void describe_set(const instruction_set *set, char *description, size_t size)
{
    snprintf(description, size, "%s, %d core%s", set->title, bg_cores(), bg_cores() == 1 ? "" : "s");
}

static bg_status probe(char *description, size_t size, bg_error *error)
{
    const instruction_set *set;
    bg_status status = bg_cpu_choose_set(NULL, &set, error);
    if (status != BG_OK) return status;
    describe_set(set, description, size);
    return bg_succeed(error);
}

static void describe(void *state, char *description, size_t size)
{
    describe_set(((const cpu_state *)state)->set, description, size);
}

static bg_status generator(const bg_options *options, bg_generate **generate, bg_error *error)
{
    const instruction_set *set;
    const bg_status status = bg_cpu_choose_set(options, &set, error);
    if (status == BG_OK) *generate = set->generate;
    return status;
}

const bg_backend bg_backend_cpu = {
    .name = "cpu",
    .capabilities = BG_CAN_CHOOSE_THREADS | BG_CAN_CHOOSE_INSTRUCTIONS | BG_CAN_DELIVER_POINTS | QUAD_CAPABILITY,
    .probe = probe,
    .memory = bg_cpu_memory,
    .create = bg_cpu_create,
    .evaluate = bg_cpu_evaluate,
    .integrate = bg_cpu_integrate,
    .destroy = bg_cpu_destroy,
    .describe = describe,
    .generator = generator,
    .precise = PRECISE,
    .instrument = &bg_cpu_instrument,
};
