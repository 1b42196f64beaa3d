/* The code that was written out for a process (BG_STRAIGHT_CODE) against the program that it was written from, as amplitude/quarks.h executes
 * it, configuration by configuration: of chiralities, or of parts of lines. BG_STRAIGHT_CHECK is what the function is called.
 */
#include "amplitude/straight.h"
#include "color/factor.h"
#include "helicity/chirality.h"

#include "straight_code.h"

#include <stdlib.h>

#define STRAIGHT_NEXT (void)0
#include BG_STRAIGHT_CODE

/* What is compared. */
typedef struct both {
    bg_subprocess process;
    quark_program program;
    real *w;                                                /* of the program */
    real numbers[STRAIGHT_NUMBERS];                         /* of the code */
    quark_number amplitude[STRAIGHT_STRUCTURES], *expected; /* [position] */
} both;

static const uint32_t set_list[] = {STRAIGHT_SET_LIST};
static const program_split split_list[] = {STRAIGHT_SPLIT_LIST};
static const uint32_t position_list[] = {STRAIGHT_POSITION_LIST};

static double size_of(quark_number a) { return hypot((double)bg_lane(a.re, 0), (double)bg_lane(a.im, 0)); }

/* Numbers that do not depend on helicities, in both. */
static void prepare(both *b, const double *momenta)
{
    const bg_subprocess *s = &b->process;
    vec4 p[STRAIGHT_LEGS];
    for (int leg = 0; leg < STRAIGHT_LEGS; leg++) {
        const double sign = leg < s->n_in ? -1. : 1., *q = momenta + 4 * leg;
        const vec4 own = {bg_real(sign * q[0]), bg_real(sign * q[1]), bg_real(sign * q[2]), bg_real(sign * q[3])};
        p[s->place[leg]] = own;
    }
    const light_frame frame = light_frame_of(p[s->opposite], p[s->gauge]);
    quark_put_outgoing(&b->program, s, &frame, p, 1, b->w);
    quark_momenta(&b->program, s, 1, b->w);
    for (uint32_t k = 0; k < STRAIGHT_SETS; k++) {
        const quark_set q = quark_set_of(&b->program, s, set_list[k], 1, b->w);
        quark_put_set(b->numbers, 1, k * PROGRAM_SET_NUMBERS, q);
        if (k < STRAIGHT_LEGS && (STRAIGHT_QUARKS | STRAIGHT_ANTIQUARKS) >> k & 1)
            straight_put_end(b->numbers, 1, STRAIGHT_ENDS + STRAIGHT_END_NUMBERS * k, q, k == s->gauge);
    }
    for (uint32_t k = 0; k < STRAIGHT_SPLITS; k++)
        quark_put_factors(split_list[k], 1, b->numbers,
                          STRAIGHT_SETS * PROGRAM_SET_NUMBERS + k * PROGRAM_SPLIT_NUMBERS);
}

/* Chiralities for the program; returns which pairings they allow. */
static uint32_t set_signs(both *b, uint32_t pattern, real *sign)
{
    const quark_program *p = &b->program;
    uint32_t allowed = 0;
    if (p->parts) {
        quark_put_signs(p, 1, b->w);
        return 1u;
    }
    for (int k = 0; k < STRAIGHT_LEGS; k++) {
        sign[k] = bg_real(pattern >> k & 1u ? 1. : -1.);
        b->w[p->at_sign + (uint32_t)k] = sign[k];
    }
    for (int k = 0; k < p->pairings; k++) {
        uint32_t differ = 0;
        for (int line = 0; line < p->lines; line++)
            differ |= pattern >> p->pairing[k].quark[line] ^ pattern >> p->pairing[k].antiquark[line];
        b->w[p->at_allowed + (uint32_t)k] = bg_real(differ & 1u ? 0. : 1.);
        allowed |= (~differ & 1u) << k;
    }
    return allowed;
}

/* The amplitudes of a state of the gluons and, by parts, of the lines. */
static void run_program(both *b, uint32_t state, uint32_t part)
{
    const quark_program *p = &b->program;
    for (int g = 0; g < p->gluons; g++) {
        const double second = state >> g & 1u;
        const shared_polarization e = {bg_real(1. - second), bg_real(second)};
        quark_put_polarization(p, g, 0, e, 1, b->w);
    }
    quark_put_legs(p, 1, b->w);
    for (uint32_t k = 0; k < p->structures; k++) b->expected[k].re = b->expected[k].im = bg_real(0.);
    for (uint32_t k = 0; k < p->steps; k++) {
        const program_step *step = &p->step[k];
        if (!step->closes) {
            quark_any_current(p, step, 1, b->w);
            continue;
        }
        if (p->parts && step->configuration != part) continue;
        const quark_number a = p->parts ? quark_part_amplitude(p, step, 1, b->w) : quark_amplitude(p, step, 1, b->w);
        b->expected[step->at].re += a.re;
        b->expected[step->at].im += a.im;
    }
}

static void run_code(both *b, uint32_t state, uint32_t part, uint32_t allowed, const real *sign)
{
    quark_sum a[STRAIGHT_STRUCTURES];
    for (int k = 0; k < STRAIGHT_STRUCTURES; k++) a[k] = straight_no_quark();
#if STRAIGHT_BY_PARTS
    const real closes = bg_real(1.);
    (void)sign;
    straight_sums(b->numbers, 1, state | part << STRAIGHT_GLUONS, allowed, a);
#else
    const real closes = sign[STRAIGHT_CLOSES];
    (void)part;
    straight_sums(b->numbers, 1, state, sign, allowed, a);
#endif
    const real s = STRAIGHT_QUARKS >> STRAIGHT_CLOSES & 1 ? closes : -closes;
    const quark_spinor end = straight_end(b->numbers, 1, STRAIGHT_ENDS + STRAIGHT_END_NUMBERS * STRAIGHT_CLOSES, s);
    for (int k = 0; k < STRAIGHT_STRUCTURES; k++)
        b->amplitude[k] =
            STRAIGHT_BY_PARTS && STRAIGHT_ON_GAUGE ? a[k].eta1 : spinor_close(STRAIGHT_ON_GAUGE, &a[k], &end);
}

/* The largest difference of amplitudes; `largest` is the largest amplitude. */
static double compare(const both *b, double *largest)
{
    double worst = 0.;
    for (int k = 0; k < STRAIGHT_STRUCTURES; k++) {
        const quark_number e = b->expected[position_list[k]],
                           d = {b->amplitude[k].re - e.re, b->amplitude[k].im - e.im};
        worst = fmax(worst, size_of(d));
        *largest = fmax(*largest, size_of(e));
    }
    return worst;
}

#if STRAIGHT_WHOLE
/* The color sums of the code and of the matrix. */
static void add_colors(const both *b, const double *matrix, double *code, double *expected)
{
    const color_strings strings = bg_color_strings(b->program.lines, b->program.gluons);
    const double unit = bg_color_line_unit(COLOR_LINE_FUNDAMENTAL, strings.gluons);
    real re[STRAIGHT_STRUCTURES], im[STRAIGHT_STRUCTURES];
    for (int k = 0; k < STRAIGHT_STRUCTURES; k++) {
        re[k] = b->amplitude[k].re;
        im[k] = b->amplitude[k].im;
    }
    *code += (double)bg_lane(straight_colors(re) + straight_colors(im), 0);
    for (uint64_t s = 0; s < STRAIGHT_STRUCTURES; s++)
        for (uint64_t t = 0; t < STRAIGHT_STRUCTURES; t++) {
            const color_structure left = bg_color_structure_unrank(&strings, s),
                                  right = bg_color_structure_unrank(&strings, t);
            const quark_number a = b->expected[bg_program_position(&strings, &left)],
                               c = b->expected[bg_program_position(&strings, &right)];
            *expected += matrix[s * STRAIGHT_STRUCTURES + t] / unit * (double)bg_lane(a.re * c.re + a.im * c.im, 0);
        }
}
#endif

straight_checker BG_STRAIGHT_CHECK;
straight_check BG_STRAIGHT_CHECK(const double *momenta)
{
    const program_layout layout = {.given = !STRAIGHT_BY_PARTS, .parts = STRAIGHT_BY_PARTS};
    straight_check check = {.legs = STRAIGHT_LEGS, .pdg = {STRAIGHT_PDG}, .structures = STRAIGHT_STRUCTURES};
    static both b;
    uint32_t pattern[BG_MOST_CHIRALITIES];
    double largest = 0., worst = 0.;
    if (!momenta) return check;
    if (bg_subprocess_create(&b.process, 2, STRAIGHT_LEGS - 2, check.pdg, NULL) != BG_OK ||
        bg_program_create(&b.program, &b.process, &layout))
        abort();
    b.w = aligned_alloc(64, (b.program.numbers * sizeof *b.w + 63) / 64 * 64);
    b.expected = aligned_alloc(64, (b.program.structures * sizeof *b.expected + 63) / 64 * 64);
    const int patterns = bg_chiralities(&b.process, 1, pattern);
    if (!b.w || !b.expected || patterns != STRAIGHT_PATTERNS) abort();
    prepare(&b, momenta);
#if STRAIGHT_WHOLE
    const color_strings strings = bg_color_strings(b.program.lines, b.program.gluons);
    double *matrix = bg_color_string_matrix(&strings), code = 0., expected = 0.;
    if (!matrix) abort();
#endif
    for (int k = 0; k < patterns; k++)
        for (uint32_t state = 0; state < 1u << STRAIGHT_GLUONS; state++) {
            real sign[STRAIGHT_LEGS];
            const uint32_t allowed = set_signs(&b, pattern[k], sign);
            run_program(&b, state, (uint32_t)k);
            run_code(&b, state, (uint32_t)k, allowed, sign);
            worst = fmax(worst, compare(&b, &largest));
#if STRAIGHT_WHOLE
            add_colors(&b, matrix, &code, &expected);
#endif
        }
    check.amplitudes = worst / largest;
#if STRAIGHT_WHOLE
    check.colors = fabs(code - expected) / expected;
    free(matrix);
#endif
    free(b.w);
    free(b.expected);
    bg_program_destroy(&b.program);
    return check;
}
