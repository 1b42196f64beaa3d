/* Exact color sums, fast, for one n_out (BG_LETTERS) and one instruction set (BG_ISA, BG_LANES).
 *
 * One register of events at a time: momenta of all sets of gluons, currents that all orderings share
 * (shared.h), the amplitudes of all orderings, and their color sum by Fourier transform (transform.h).
 * Summed helicities are recycled up to BG_RECYCLED outgoing gluons, beyond which the currents of all states
 * would take gigabytes; from there on the configurations follow one another.
 */
#include "backend/cpu/instance.h"

#include "amplitude/external.h"
#include "amplitude/shared.h"
#include "color/transform.h"

enum { N = BG_LETTERS, GLUONS = BG_LETTERS + 2 };

/* Everything about one register of events, in the workspace of the thread. */
typedef struct fast_space {
    shared_layout layout;
    shared_sets *sets;
    light_current *words, *path;
    real *amplitude, *scratch; /* amplitudes: [configuration][rank of the inverse] */
    cpu_stages *stages;
    bg_interrupt *interrupt;
} fast_space;

/* Numbers from the amplitudes of one configuration to the next: not a multiple of a power of two, or the
 * configurations of an ordering would compete for a few places in the cache. */
static size_t pitch(void) { return (size_t)bg_factorial(N) + 1; }

static int is_recycled(int mode) { return mode == HELICITY_BASIS && N <= BG_RECYCLED; }
static int space_states(int mode) { return is_recycled(mode) ? 2 : 1; }

/* Amplitudes that exist at a time for each ordering. */
static size_t space_amplitudes(int mode)
{
    return is_recycled(mode) ? (size_t)1 << GLUONS : (size_t)helicity_parts(mode);
}

/* Cuts the workspace up, or only measures it where it is NULL. */
static size_t lay_out_space(int mode, void *workspace, fast_space *s)
{
    shared_lay_out(N, space_states(mode), helicity_parts(mode), &s->layout);
    const size_t numbers[5] = {((size_t)1 << N) * sizeof(shared_sets) / sizeof(real),
                               s->layout.base[N] * sizeof(light_current) / sizeof(real),
                               s->layout.path[N] * sizeof(light_current) / sizeof(real),
                               space_amplitudes(mode) * pitch(), transform_scratch(N)};
    size_t total = 0;
    for (int k = 0; k < 5; k++) total += numbers[k];
    if (workspace) {
        real *next = workspace;
        s->sets = (shared_sets *)next;
        next += numbers[0];
        s->words = (light_current *)next;
        next += numbers[1];
        s->path = (light_current *)next;
        next += numbers[2];
        s->amplitude = next;
        s->scratch = next + numbers[3];
    }
    return total * sizeof(real);
}

static real color_sum(const color_fourier *f, real *amplitude, real *scratch)
{
    return transform_color_sum(f, amplitude, scratch);
}

/* Sum over all helicities at once. */
#if BG_LETTERS <= BG_RECYCLED
static real sum_recycled(const color_fourier *f, fast_space *s)
{
    const size_t stride = pitch();
    const real one = bg_real(1.), zero = bg_real(0.);
    shared_polarization basis[2 * GLUONS];
    shared_word w;
    for (int k = 0; k < GLUONS; k++) {
        /* any orthonormal basis will do for a sum */
        basis[2 * k].a1 = basis[2 * k + 1].a2 = one;
        basis[2 * k].a2 = basis[2 * k + 1].a1 = zero;
    }
    shared_words(N, 2, 1, &s->layout, s->sets, basis, s->words);
    word_start(&w);
    while (word_next(N, N, &w)) {
        if (w.length < N) {
            shared_prefix(N, 2, 1, &s->layout, s->sets, basis, s->words, &w, s->path);
            continue;
        }
        light_split split[N + 1], whole[N + 1];
        shared_closing_splits(N, &s->layout, s->sets, s->words, s->path, &w, split, whole);
        shared_close_states(N, split, whole, w.letter, s->amplitude + word_inverse_rank(N, &w), stride);
    }
    real sum = zero;
    cpu_stages_amplitudes(s->stages);
    for (unsigned h = 0; h < 1u << GLUONS; h++) sum += color_sum(f, s->amplitude + h * stride, s->scratch);
    cpu_stages_color_sum(s->stages);
    return sum;
}
#endif

/* One configuration. */
static inline __attribute__((always_inline)) real sum_one(const int parts, const color_fourier *f, fast_space *s,
                                                          const shared_polarization *polarization)
{
    const size_t stride = pitch();
    shared_word w;
    shared_words(N, 1, parts, &s->layout, s->sets, polarization, s->words);
    word_start(&w);
    while (word_next(N, N, &w)) {
        if (w.length < N) {
            if (N > BG_PATIENT_LETTERS && w.length == 2 && bg_interrupted(s->interrupt)) return bg_real(0.);
            shared_prefix(N, 1, parts, &s->layout, s->sets, polarization, s->words, &w, s->path);
            continue;
        }
        light_split split[N + 1], whole[N + 1];
        real amplitude[2];
        const size_t to = word_inverse_rank(N, &w);
        shared_closing_splits(N, &s->layout, s->sets, s->words, s->path, &w, split, whole);
        shared_close_one(N, parts, split, whole, polarization, polarization + (GLUONS - 1) * parts, amplitude);
        for (int a = 0; a < parts; a++) s->amplitude[(size_t)a * stride + to] = amplitude[a];
    }
    real sum = bg_real(0.);
    cpu_stages_amplitudes(s->stages);
    for (int a = 0; a < parts; a++) sum += color_sum(f, s->amplitude + (size_t)a * stride, s->scratch);
    cpu_stages_color_sum(s->stages);
    return sum;
}

static real sum_real(const color_fourier *f, fast_space *s, const shared_polarization *polarization)
{
    return sum_one(1, f, s, polarization);
}

static real sum_complex(const color_fourier *f, fast_space *s, const shared_polarization *polarization)
{
    return sum_one(2, f, s, polarization);
}

/* Sum over all helicities, one configuration after the other. */
#if BG_LETTERS > BG_RECYCLED
static real sum_basis(const color_fourier *f, fast_space *s)
{
    real sum = bg_real(0.);
    for (unsigned h = 0; h < 1u << GLUONS && !bg_interrupted(s->interrupt); h++) {
        shared_polarization basis[GLUONS];
        for (int k = 0; k < GLUONS; k++) {
            const double second = h >> k & 1u ? 1. : 0.;
            basis[k].a1 = bg_real(1. - second);
            basis[k].a2 = bg_real(second);
        }
        sum += sum_real(f, s, basis);
    }
    return sum;
}
#endif

static size_t workspace(const bg_plan *plan, const quark_program *program)
{
    (void)program;
    fast_space s;
    return lay_out_space(plan->mode, NULL, &s);
}

static void evaluate(const cpu_task *t)
{
    const int mode = t->plan->mode, parts = helicity_parts(mode);
    fast_space s;
    lay_out_space(mode, t->workspace, &s);
    s.stages = t->stages;
    s.interrupt = t->plan->interrupt;
    cpu_stages_begin(t->stages);
    for (int done = 0; done < t->count; done += BG_LANES) {
        if (N >= BG_PATIENT_LETTERS && bg_interrupted(t->plan->interrupt)) return;
        vec4 p[GLUONS];
        shared_gluons gluons;
        real sum;
        const bg_momenta momenta = momenta_from(&t->momenta, (size_t)done);
        external_load(GLUONS, &momenta, t->count - done, p);
        const light_frame frame = light_frame_of(p[0], p[GLUONS - 1]);
        shared_momenta(N, &frame, p, &gluons, s.sets);
        if (mode == HELICITY_BASIS) {
#if BG_LETTERS <= BG_RECYCLED
            sum = sum_recycled(&t->tables->fourier, &s);
#else
            sum = sum_basis(&t->tables->fourier, &s);
#endif
        } else {
            vec4 state[2 * GLUONS];
            shared_polarization polarization[2 * GLUONS];
            external_polarizations(GLUONS, mode, t->configuration + done, t->plan->options.seed, t->event + done,
                                   t->draw, p, state);
            for (int k = 0; k < GLUONS; k++)
                for (int a = 0; a < parts; a++)
                    polarization[k * parts + a] = shared_transverse(N, &frame, &gluons, k, &state[k * parts + a]);
            sum = parts == 2 ? sum_complex(&t->tables->fourier, &s, polarization)
                             : sum_real(&t->tables->fourier, &s, polarization);
        }
        const double weight = helicity_draw_weight(GLUONS, mode);
        for (int l = 0; l < BG_LANES && done + l < t->count; l++) t->value[done + l] = weight * (double)bg_lane(sum, l);
    }
}

#define PASTE(a, b, c, d) a##b##c##d
#define SYMBOL(isa, n) PASTE(bg_fast_, isa, _, n)

extern const cpu_instance SYMBOL(BG_ISA, BG_LETTERS);
const cpu_instance SYMBOL(BG_ISA, BG_LETTERS) = {.lanes = BG_LANES, .workspace = workspace, .evaluate = evaluate};
