/* The dressed recursion for one instruction set (BG_ISA, BG_LANES) and more letters than the other recursions reach. */
#include "backend/cpu/dressed.h"

#define AMPLITUDES(letters)                                                                                            \
    static void real_##letters(const vec4 *p, const invariants *values, const vec4 *e, const real *color, real *store, \
                               real *a)                                                                                \
    {                                                                                                                  \
        dressed_amplitude(letters + 2, 1, p, values, e, color, store, 1, a);                                           \
    }                                                                                                                  \
    static void complex_##letters(const vec4 *p, const invariants *values, const vec4 *e, const real *color,           \
                                  real *store, real *a)                                                                \
    {                                                                                                                  \
        dressed_amplitude(letters + 2, 2, p, values, e, color, store, 1, a);                                           \
    }

AMPLITUDES(9)
AMPLITUDES(10)
AMPLITUDES(11)
AMPLITUDES(12)

static dressed_function *const functions[][2] = {
    {real_9, complex_9}, {real_10, complex_10}, {real_11, complex_11}, {real_12, complex_12}};
_Static_assert(BG_MAX_OUT_ORDERED == 8 && BG_MAX_OUT_DRESSED == 12, "the list above is for all letters in between");

static size_t workspace(const bg_plan *plan, const quark_program *program)
{
    (void)program;
    return dressed_workspace(plan->process.n, plan);
}

static void evaluate(const cpu_task *t)
{
    const bg_subprocess *process = &t->plan->process;
    dressed_evaluate(process->n, t, functions[process->letters - BG_MAX_OUT_ORDERED - 1]);
}

#define PASTE(a, b) a##b
#define SYMBOL(isa) PASTE(bg_dressed_, isa)

extern const cpu_instance SYMBOL(BG_ISA);
const cpu_instance SYMBOL(BG_ISA) = {.lanes = BG_LANES, .workspace = workspace, .evaluate = evaluate};
