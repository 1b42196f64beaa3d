/* Squares of the amplitudes of all color structures of a process with quark lines, for one instruction set (BG_ISA, BG_LANES). */
#include "amplitude/external.h"
#include "amplitude/quarks.h"
#include "backend/flows.h"

#include <stdlib.h>

/* Numbers of a program whose helicities share currents: what stays in a cache. */
enum { SHARED_NUMBERS = (1 << 18) / BG_LANES };

/* A program with its workspace. */
typedef struct machine {
    quark_program program;
    real *numbers, *amplitude;
} machine;

typedef struct flow_quarks {
    bg_subprocess process;
    machine summed, given;
    real *weight; /* [structure] */
} flow_quarks;

/* ---- tables ------------------------------------------------------------------------------------------------------ */

static void *aligned(size_t bytes) { return aligned_alloc(64, (bytes + 63) / 64 * 64); }

static void *create(const bg_subprocess *process)
{
    flow_quarks *q = calloc(1, sizeof *q);
    if (q) q->process = *process;
    return q;
}

static void empty(machine *m)
{
    if (m->numbers) bg_program_destroy(&m->program);
    free(m->numbers);
    free(m->amplitude);
    *m = (machine){.numbers = NULL};
}

static void destroy(void *tables)
{
    flow_quarks *q = tables;
    if (!q) return;
    empty(&q->summed);
    empty(&q->given);
    free(q->weight);
    free(q);
}

static int prepare_machine(const flow_quarks *q, machine *m, int given)
{
    if (m->numbers) return 0;
    const int inner = given ? 0 : bg_program_inner(&q->process, 0, SHARED_NUMBERS, NULL);
    const program_layout layout = {.inner = inner, .complex = given, .given = given};
    if (inner < 0 || bg_program_create(&m->program, &q->process, &layout)) return -1;
    m->numbers = aligned(m->program.numbers * sizeof *m->numbers);
    m->amplitude = aligned(program_amplitudes(&m->program) * sizeof *m->amplitude);
    if (m->numbers && m->amplitude) return 0;
    if (!m->numbers) bg_program_destroy(&m->program);
    empty(m);
    return -1;
}

static int prepare(flow_quarks *q, machine *m, int given)
{
    if (prepare_machine(q, m, given)) return -1;
    if (!q->weight) q->weight = aligned(m->program.structures * sizeof *q->weight);
    return q->weight ? 0 : -1;
}

/* ---- amplitudes -------------------------------------------------------------------------------------------------- */

/* Runs the program and adds the squares of all its configurations. */
static void add_squares(const machine *m, real *weight)
{
    const quark_program *p = &m->program;
    const size_t F = p->structures;
    quark_put_legs(p, 1, m->numbers);
    for (size_t k = 0; k < program_amplitudes(p); k++) m->amplitude[k] = bg_real(0.);
    for (uint32_t k = 0; k < p->steps; k++) {
        const program_step *step = &p->step[k];
        if (!step->closes) {
            quark_current(p, step, 1, m->numbers);
            continue;
        }
        const quark_number a = quark_amplitude(p, step, 1, m->numbers);
        real *re = m->amplitude + 2 * (size_t)step->configuration * F + step->at;
        re[0] = re[0] + a.re;
        re[F] = re[F] + a.im;
    }
    for (size_t c = 0; c < 2 * (size_t)p->configurations; c++)
        for (size_t k = 0; k < F; k++) weight[k] = weight[k] + m->amplitude[c * F + k] * m->amplitude[c * F + k];
}

/* The sum over helicities; of the chiralities one half does, the other has the same squares. */
static void weigh_summed(const machine *m, real *weight)
{
    const quark_program *p = &m->program;
    quark_put_signs(p, 1, m->numbers);
    for (uint32_t h = 0; h < 1u << (p->gluons - p->inner); h++) {
        for (int g = p->inner; g < p->gluons; g++) { /* any orthonormal basis will do */
            const double second = h >> (g - p->inner) & 1u;
            const shared_polarization e = {bg_real(1. - second), bg_real(second)};
            quark_put_polarization(p, g, 0, e, 1, m->numbers);
        }
        add_squares(m, weight);
    }
}

static void weigh_given(const flow_quarks *q, const light_frame *frame, const vec4 *p, const uint32_t *configuration)
{
    const machine *m = &q->given;
    const uint64_t event[BG_LANES] = {0};
    vec4 state[2 * BG_MAX_LEGS];
    quark_put_given_signs(&m->program, configuration, 1, m->numbers);
    external_polarizations(q->process.n, HELICITY_CIRCULAR, configuration, 0, event, 0, p, state);
    quark_put_polarizations(&m->program, &q->process, frame, state, 2, 1, m->numbers);
    add_squares(m, q->weight);
}

static const double *weigh(void *tables, int points, const double *momenta, const uint32_t *configuration)
{
    flow_quarks *q = tables;
    const bg_subprocess *s = &q->process;
    machine *m = configuration ? &q->given : &q->summed;
    uint32_t lanes[BG_LANES];
    vec4 p[BG_MAX_LEGS];
    if (prepare(q, m, configuration != NULL)) return NULL;
    const bg_momenta view = momenta_view(momenta, 4 * (size_t)s->n, 1, s->incoming, s->leg);
    external_load(s->n, &view, points, p);
    const light_frame frame = light_frame_of(p[s->opposite], p[s->gauge]);
    quark_put_outgoing(&m->program, s, &frame, p, 1, m->numbers);
    quark_momenta(&m->program, s, 1, m->numbers);
    for (size_t k = 0; k < m->program.structures; k++) q->weight[k] = bg_real(0.);
    for (int l = 0; l < BG_LANES && configuration; l++) lanes[l] = configuration[l < points ? l : points - 1];
    if (configuration)
        weigh_given(q, &frame, p, lanes);
    else
        weigh_summed(m, q->weight);
    return (const double *)q->weight;
}

#define PASTE(a, b) a##b
#define SYMBOL(isa) PASTE(bg_flow_quarks_, isa)

extern const bg_flow_kernel SYMBOL(BG_ISA);
const bg_flow_kernel SYMBOL(BG_ISA) = {BG_LANES, create, destroy, weigh};
