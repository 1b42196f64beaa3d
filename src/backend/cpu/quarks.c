/* Processes with quark lines and exact color sums, for one instruction set (BG_ISA, BG_LANES).
 *
 * One register of events at a time: momenta of all sets of legs, the steps of the program (amplitude/program.h), and the
 * color sum by Fourier transform (color/transform.h). Where helicities are summed over, the program keeps the states of its
 * inner gluons, and the configurations of the others follow one another. Few gluons have kernels of their own (straight.c), and so has
 * one line (line.c).
 */
#include "backend/cpu/instance.h"

#include "amplitude/external.h"
#include "amplitude/quarks.h"
#include "color/transform.h"

/* What a task needs, in the workspace of the thread. */
typedef struct space {
    const cpu_task *task;
    const quark_program *program;
    real *numbers, *amplitude, *parts, *scratch;
} space;

/* Numbers from one part of one configuration to the next: not a multiple of a power of two, which caches do not like. */
static size_t pitch(const quark_program *p) { return p->structures | 1u; }

static size_t amplitudes(const quark_program *p) { return 2 * p->configurations * pitch(p); }

/* By parts, the amplitudes of one pairing of identical flavors. */
static int joins(const quark_program *p) { return p->parts && p->adds; }
static size_t parts(const quark_program *p)
{
    return joins(p) ? ((size_t)2 << (p->inner + p->lines - 1)) * pitch(p) : 0;
}

static size_t workspace(const bg_plan *plan, const quark_program *program)
{
    const color_strings strings = bg_color_strings(plan->process.lines, plan->process.gluons);
    return (program->numbers + amplitudes(program) + parts(program) + bg_color_fourier_quark_scratch(&strings)) *
           sizeof(real);
}

/* The amplitudes of a step, where configurations start at `to`. */
static void put_amplitude(const space *s, const program_step *step, int adds, real *to)
{
    const quark_program *p = s->program;
    const quark_number a =
        p->parts ? quark_part_amplitude(p, step, 1, s->numbers) : quark_amplitude(p, step, 1, s->numbers);
    real *re = to + 2 * step->configuration * pitch(p) + step->at, *im = re + pitch(p);
    *re = adds ? *re + a.re : a.re;
    *im = adds ? *im + a.im : a.im;
}

/* Adds the amplitudes of a pairing to those of the patterns of chiralities that its parts make. */
static void add_pairing(const space *s, int pairing)
{
    const quark_program *p = s->program;
    const size_t one = 2 * pitch(p), row = one << p->inner;
    const uint32_t rows = 1u << (p->lines - 1);
    for (size_t gluons = 0; gluons < (size_t)1 << p->inner; gluons++)
        quark_join_parts(p->lines, p->structures, pitch(p), row, s->parts + gluons * one);
    for (uint32_t k = 0; k < rows; k++) {
        const real *from = s->parts + k * row;
        real *to = s->amplitude + p->pattern[(uint32_t)pairing * rows + k] * row;
        for (size_t i = 0; i < row; i++) to[i] += from[i];
    }
}

/* All amplitudes from the currents. */
static void close_amplitudes(const space *s, uint32_t first)
{
    const quark_program *p = s->program;
    if (p->adds)
        for (size_t k = 0; k < amplitudes(p); k++) s->amplitude[k] = bg_real(0.);
    if (!joins(p)) {
        for (uint32_t k = first; k < p->steps; k++) put_amplitude(s, &p->step[k], p->adds, s->amplitude);
        return;
    }
    for (int pairing = 0; pairing < p->pairings; pairing++) { /* each has a level */
        const uint32_t level = p->levels - (uint32_t)(p->pairings - pairing);
        for (uint32_t k = p->level[level]; k < p->level[level + 1]; k++) put_amplitude(s, &p->step[k], 0, s->parts);
        add_pairing(s, pairing);
    }
}

/* Runs the program and adds up the color sums of all its configurations. */
static real sum_program(const space *s)
{
    const quark_program *p = s->program;
    const cpu_task *t = s->task;
    const uint32_t closing = p->level[p->levels - (uint32_t)p->pairings];
    quark_put_legs(p, 1, s->numbers);
    for (uint32_t k = 0; k < closing; k++) quark_any_current(p, &p->step[k], 1, s->numbers);
    close_amplitudes(s, closing);
    cpu_stages_amplitudes(t->stages);
    const real sum = transform_any_sums(&t->tables->fourier, 2 * p->configurations, s->amplitude, pitch(p), s->scratch);
    cpu_stages_color_sum(t->stages);
    return sum;
}

/* Sum over the states of the outer gluons, one after the other; any orthonormal basis will do. */
static real sum_basis(const space *s)
{
    const quark_program *p = s->program;
    real sum = bg_real(0.);
    for (uint32_t h = 0; h < 1u << (p->gluons - p->inner) && !bg_interrupted(s->task->plan->interrupt); h++) {
        for (int g = p->inner; g < p->gluons; g++) {
            const double second = h >> (g - p->inner) & 1u ? 1. : 0.;
            const shared_polarization e = {bg_real(1. - second), bg_real(second)};
            quark_put_polarization(p, g, 0, e, 1, s->numbers);
        }
        sum += sum_program(s);
    }
    return sum;
}

/* Polarization vectors of the gluons, part by part. */
static void polarize(const space *s, int done, const light_frame *frame, const vec4 *p)
{
    const cpu_task *t = s->task;
    const int mode = t->plan->mode, parts = helicity_parts(mode), n = t->plan->process.n;
    vec4 state[2 * BG_MAX_LEGS];
    external_polarizations(n, mode, t->configuration + done, t->plan->options.seed, t->event + done, t->draw, p, state);
    quark_put_polarizations(s->program, &t->plan->process, frame, state, parts, 1, s->numbers);
}

static void evaluate(const cpu_task *t)
{
    const bg_subprocess *process = &t->plan->process;
    const quark_program *program = &t->tables->program;
    const int mode = t->plan->mode;
    space s = {.task = t, .program = program, .numbers = t->workspace};
    s.amplitude = s.numbers + program->numbers;
    s.parts = s.amplitude + amplitudes(program);
    s.scratch = s.parts + parts(program);
    cpu_stages_begin(t->stages);
    for (int done = 0; done < t->count; done += BG_LANES) {
        if (bg_interrupted(t->plan->interrupt)) return;
        vec4 p[BG_MAX_LEGS];
        const bg_momenta momenta = momenta_from(&t->momenta, (size_t)done);
        external_load(process->n, &momenta, t->count - done, p);
        const light_frame frame = light_frame_of(p[process->opposite], p[process->gauge]);
        quark_put_outgoing(program, process, &frame, p, 1, s.numbers);
        quark_momenta(program, process, 1, s.numbers);
        if (program->given)
            quark_put_given_signs(program, t->configuration + done, 1, s.numbers);
        else
            quark_put_signs(program, 1, s.numbers);
        if (mode != HELICITY_BASIS) polarize(&s, done, &frame, p);
        const real sum = mode == HELICITY_BASIS ? sum_basis(&s) : sum_program(&s);
        const double weight =
            helicity_draw_weight(process->gluons, mode) * program_chiralities(program, joins(program));
        for (int l = 0; l < BG_LANES && done + l < t->count; l++) t->value[done + l] = weight * (double)bg_lane(sum, l);
    }
}

#define PASTE(a, b) a##b
#define SYMBOL(isa) PASTE(bg_quarks_, isa)

extern const cpu_instance SYMBOL(BG_ISA);
const cpu_instance SYMBOL(BG_ISA) = {.lanes = BG_LANES, .workspace = workspace, .evaluate = evaluate};
