/* One quark line, summed helicities and exact color sums, for one number of gluons (BG_LETTERS) and one instruction set
 * (BG_ISA, BG_LANES): what fast.c is for gluons.
 *
 * One register of events at a time: momenta of all sets of legs, the currents that all orderings share (amplitude/line.h),
 * their amplitudes, and the color sum by Fourier transform (color/transform.h). The orderings follow one another by rank, so
 * that L and T of a prefix are computed when it changes.
 */
#include "backend/cpu/instance.h"

#include "amplitude/external.h"
#include "amplitude/line.h"
#include "color/transform.h"

enum { N = BG_LETTERS, LEGS = BG_LETTERS + 2, ALL = (1 << BG_LETTERS) - 1 };

/* Everything about one register of events, in the workspace of the thread. */
typedef struct line_space {
    shared_layout layout;
    shared_sets *gluons;
    quark_set *line;
    line_ends *ends;
    light_current *words;
    quark_spinor *path;
    line_dual *dual;
    real *outgoing;
    real *amplitude, *scratch;
} line_space;

/* Numbers from one part of one configuration to the next: not a multiple of a power of two, which caches do not like. */
static size_t pitch(void) { return (size_t)bg_factorial(N) | 1u; }

/* The next part of a workspace, or nothing where it is only measured. */
static void *part(char *workspace, size_t *used, size_t count, size_t size)
{
    char *at = workspace ? workspace + *used : NULL;
    *used += count * size;
    return at;
}

static size_t lay_out_space(void *workspace, line_space *s)
{
    const color_strings strings = bg_color_strings(1, N);
    size_t used = 0;
    shared_lay_out(N, 2, 1, &s->layout);
    s->gluons = part(workspace, &used, (size_t)1 << N, sizeof *s->gluons);
    s->line = part(workspace, &used, (size_t)1 << N, sizeof *s->line);
    s->ends = part(workspace, &used, 1, sizeof *s->ends);
    s->words = part(workspace, &used, s->layout.base[N - 1], sizeof *s->words);
    s->path = part(workspace, &used, line_place(N), sizeof *s->path);
    s->dual = part(workspace, &used, line_place(N), sizeof *s->dual);
    s->outgoing = part(workspace, &used, N * (4 + N), sizeof *s->outgoing);
    s->amplitude = part(workspace, &used, ((size_t)2 << N) * pitch(), sizeof *s->amplitude);
    s->scratch = part(workspace, &used, bg_color_fourier_quark_scratch(&strings), sizeof *s->scratch);
    return used;
}

static size_t workspace(const bg_plan *plan, const quark_program *program)
{
    (void)plan;
    (void)program;
    line_space s;
    return lay_out_space(NULL, &s);
}

static shared_sets gluon_set(const quark_set *q)
{
    const shared_sets s = {q->minus, q->inverse_minus, q->p1, q->p2, q->inverse_square, bg_real(0.)};
    return s;
}

/* E, and S and W of all letters. Letters are in the places 1 .. N, between the ends of the line. */
static void set_ends(const bg_subprocess *process, const quark_program *legs, line_space *s)
{
    const real one = bg_real(1.), zero = bg_real(0.);
    const quark_set last = quark_set_of(legs, process, 2u << N, 1, s->outgoing);
    line_ends *e = s->ends;
    line_letter letter;
    letter.all = quark_set_of(legs, process, (uint32_t)ALL << 1, 1, s->outgoing);
    e->start = line_start(&s->line[0]);
    e->end = line_end(&last, process->gauge == N + 1);
    const line_dual t = line_closed(e->start, e->end, letter.all.inverse_minus + letter.all.inverse_minus);
    e->all = line_before_sums(&t, &letter.all);
    for (uint32_t k = 0; k < N; k++) {
        const uint32_t own = 1u << k, others = (uint32_t)ALL ^ own;
        letter.own = quark_set_of(legs, process, own << 1, 1, s->outgoing);
        letter.others = quark_set_of(legs, process, others << 1, 1, s->outgoing);
        letter.line = s->line[own];
        letter.rest = s->line[others];
        for (uint32_t state = 0; state < 2; state++) {
            const light_current A = light_gluon(letter.own.p1, letter.own.p2, state ? zero : one, state ? one : zero);
            e->first[2 * k + state] = line_first(&letter, e, A);
            e->last[2 * k + state] = line_last(&letter, e, A);
        }
    }
}

/* Momenta of all sets, and what follows from them alone. */
static void prepare(const bg_subprocess *process, const quark_program *program, const vec4 *p, line_space *s)
{
    const light_frame frame = light_frame_of(p[process->opposite], p[process->gauge]);
    quark_program legs = *program;
    legs.at_outgoing = 0; /* they have an array of their own */
    quark_put_outgoing(&legs, process, &frame, p, 1, s->outgoing);
    for (uint32_t set = 0; set <= ALL; set++) {
        s->line[set] = quark_set_of(&legs, process, set << 1 | 1u, 1, s->outgoing);
        if (!set) continue;
        const quark_set q = quark_set_of(&legs, process, set << 1, 1, s->outgoing);
        s->gluons[set] = gluon_set(&q);
    }
    set_ends(process, &legs, s);
}

/* The amplitudes of all orderings. */
static void amplitudes(const uint32_t *record, line_space *s)
{
    const real one = bg_real(1.), zero = bg_real(0.);
    shared_polarization basis[2 * LEGS]; /* any orthonormal basis will do for a sum */
    for (int k = 0; k < LEGS; k++) {
        basis[2 * k].a1 = basis[2 * k + 1].a2 = one;
        basis[2 * k].a2 = basis[2 * k + 1].a1 = zero;
    }
    shared_words_up_to(N, N - 2, 2, 1, &s->layout, s->gluons, basis, s->words);
    line_view v = {s->gluons, s->line, s->ends, s->words, record};
    for (uint32_t rank = 0; rank < bg_factorial(N); rank++, v.record += RECYCLED_RECORD(N)) {
        uint32_t behind = (uint32_t)bg_factorial(N - 1); /* orderings with the same first k letters */
        for (int k = 1; k < N; k++) {
            if (rank % behind == 0) {
                if (k == 1)
                    line_first_prefix(N, &v, s->path);
                else
                    line_prefix(N, &v, k, s->path, s->dual);
            }
            behind /= (uint32_t)(N - k);
        }
        line_close_states(N, &v, s->dual, s->amplitude + v.record[0], pitch());
    }
}

static void evaluate(const cpu_task *t)
{
    const bg_subprocess *process = &t->plan->process;
    line_space s;
    lay_out_space(t->workspace, &s);
    cpu_stages_begin(t->stages);
    for (int done = 0; done < t->count; done += BG_LANES) {
        if (N >= BG_PATIENT_LETTERS && bg_interrupted(t->plan->interrupt)) return;
        vec4 p[LEGS];
        const bg_momenta momenta = momenta_from(&t->momenta, (size_t)done);
        external_load(LEGS, &momenta, t->count - done, p);
        prepare(process, &t->tables->program, p, &s);
        amplitudes(t->tables->record, &s);
        cpu_stages_amplitudes(t->stages);
        const real sum = transform_any_sums(&t->tables->fourier, 2u << N, s.amplitude, pitch(), s.scratch);
        cpu_stages_color_sum(t->stages);
        /* the other chirality gives the same */
        const double weight = helicity_draw_weight(N, HELICITY_BASIS) * 2.;
        for (int l = 0; l < BG_LANES && done + l < t->count; l++) t->value[done + l] = weight * (double)bg_lane(sum, l);
    }
}

#define PASTE(a, b, c, d) a##b##c##d
#define SYMBOL(isa, n) PASTE(bg_line_, isa, _, n)

extern const cpu_instance SYMBOL(BG_ISA, BG_LETTERS);
const cpu_instance SYMBOL(BG_ISA, BG_LETTERS) = {.lanes = BG_LANES, .workspace = workspace, .evaluate = evaluate};
