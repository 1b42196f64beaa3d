/* Processes with quark lines and exact color sums, for one instruction set (BG_ISA, BG_LANES).
 *
 * One register of events at a time: momenta of all sets of legs, the steps of the program (amplitude/program.h), and the
 * color sum by Fourier transform (color/transform.h). Where helicities are summed over, the program keeps the states of its
 * inner gluons, and the configurations of the others follow one another.
 */
#include "backend/cpu/instance.h"

#include "amplitude/external.h"
#include "amplitude/quarks.h"
#include "color/transform.h"

/* What a task needs, in the workspace of the thread. */
typedef struct space {
    const cpu_task *task;
    const quark_program *program;
    real *numbers, *scratch;
} space;

static size_t workspace(const bg_plan *plan, const quark_program *program)
{
    const color_strings strings = bg_color_strings(plan->process.lines, plan->process.gluons);
    return (program_workspace(program) + bg_color_fourier_quark_scratch(&strings)) * sizeof(real);
}

/* Runs the program and adds up the color sums of all its configurations. */
static real sum_program(const space *s, const shared_polarization *given, const real *sign, const real *allowed)
{
    const quark_program *p = s->program;
    const cpu_task *t = s->task;
    real sum = bg_real(0.);
    quark_put_legs(p, &t->plan->process, given, sign, 1, s->numbers);
    quark_run(p, sign, allowed, 1, s->numbers);
    cpu_stages_amplitudes(t->stages);
    for (uint32_t k = 0; k < 2 * p->configurations; k++)
        sum += transform_any_sum(&t->tables->fourier, s->numbers + p->numbers + (size_t)k * p->pitch, s->scratch);
    cpu_stages_color_sum(t->stages);
    return sum;
}

/* Sum over the states of the outer gluons, one after the other; any orthonormal basis will do. */
static real sum_basis(const space *s, const real *sign)
{
    const quark_program *p = s->program;
    real sum = bg_real(0.);
    for (uint32_t h = 0; h < 1u << (p->gluons - p->inner) && !bg_interrupted(s->task->plan->interrupt); h++) {
        shared_polarization given[BG_MAX_LEGS];
        for (int g = p->inner; g < p->gluons; g++) {
            const double second = h >> (g - p->inner) & 1u ? 1. : 0.;
            given[g].a1 = bg_real(1. - second);
            given[g].a2 = bg_real(second);
        }
        sum += sum_program(s, given, sign, NULL);
    }
    return sum;
}

/* Polarization vectors of the gluons, part by part. */
static void polarize(const cpu_task *t, int done, const light_frame *frame, const quark_legs *legs, const vec4 *p,
                     shared_polarization *given)
{
    const bg_subprocess *s = &t->plan->process;
    const int mode = t->plan->mode, parts = helicity_parts(mode);
    int number[BG_MAX_LEGS] = {0}; /* [place] 1 + its number among the outgoing legs */
    vec4 state[2 * BG_MAX_LEGS];
    for (int k = 0; k < legs->n_out; k++) number[legs->place[k]] = k + 1;
    external_polarizations(s->n, mode, t->configuration + done, t->plan->options.seed, t->event + done, t->draw, p,
                           state);
    for (int g = 0; g < s->gluons; g++) {
        const int place = s->place[s->gluon[g]];
        for (int a = 0; a < parts; a++)
            given[g * parts + a] =
                shared_transverse(legs->n_out, frame, &legs->outgoing, number[place], &state[place * parts + a]);
    }
}

/* Chiralities of the legs of each lane's event, and which pairings they allow. The helicity of an outgoing quark is minus its
 * chirality. */
static void read_chiralities(const cpu_task *t, const quark_program *p, int done, real *sign, real *allowed)
{
    const program_pairing *ends = p->pairing;
    for (int line = 0; line < p->lines; line++)
        for (int l = 0; l < BG_LANES; l++) {
            const uint32_t plus = t->configuration[done + l];
            bg_set_lane(&sign[ends->quark[line]], l, plus >> ends->quark[line] & 1u ? -1. : 1.);
            bg_set_lane(&sign[ends->antiquark[line]], l, plus >> ends->antiquark[line] & 1u ? 1. : -1.);
        }
    for (int k = 0; k < p->pairings; k++) {
        allowed[k] = bg_real(1.);
        for (int line = 0; line < p->lines; line++) {
            const mask equal = sign[p->pairing[k].quark[line]] == sign[p->pairing[k].antiquark[line]];
            allowed[k] = bg_select(equal, allowed[k], bg_real(0.));
        }
    }
}

static void evaluate(const cpu_task *t)
{
    const bg_subprocess *process = &t->plan->process;
    const quark_program *program = &t->tables->program;
    const int mode = t->plan->mode;
    space s = {.task = t, .program = program, .numbers = t->workspace};
    s.scratch = s.numbers + program_workspace(program);
    cpu_stages_begin(t->stages);
    for (int done = 0; done < t->count; done += BG_LANES) {
        if (bg_interrupted(t->plan->interrupt)) return;
        vec4 p[BG_MAX_LEGS];
        quark_legs legs;
        real sign[BG_MAX_LEGS], allowed[BG_MAX_PAIRINGS], sum;
        shared_polarization given[2 * BG_MAX_LEGS];
        const bg_momenta momenta = momenta_from(&t->momenta, (size_t)done);
        external_load(process->n, &momenta, t->count - done, p);
        const light_frame frame = light_frame_of(p[process->opposite], p[process->gauge]);
        quark_legs_of(process, &frame, p, &legs);
        quark_momenta(program, process, &legs, 1, s.numbers);
        sign[0] = bg_real(1.);
        sign[1] = bg_real(-1.);
        if (mode == HELICITY_BASIS) {
            sum = sum_basis(&s, sign);
        } else {
            polarize(t, done, &frame, &legs, p, given);
            if (program->given) read_chiralities(t, program, done, sign, allowed);
            sum = sum_program(&s, given, sign, program->given ? allowed : NULL);
        }
        /* the other half of the chiralities gives the same */
        const double weight = helicity_draw_weight(process->gluons, mode) * (program->given ? 1. : 2.);
        for (int l = 0; l < BG_LANES && done + l < t->count; l++) t->value[done + l] = weight * (double)bg_lane(sum, l);
    }
}

#define PASTE(a, b) a##b
#define SYMBOL(isa) PASTE(bg_quarks_, isa)

extern const cpu_instance SYMBOL(BG_ISA);
const cpu_instance SYMBOL(BG_ISA) = {BG_LANES, workspace, evaluate};
