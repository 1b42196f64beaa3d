/* The kernel that executes programs (amplitude/quarks.h), against the plain interpreter in Feynman gauge (oracle.h). */
#include "amplitude/quarks.h" /* before support.h, whose type `gluons` would hide names in it */

#include "support.h"

#include "oracle.h"

static const double alpha_s = 0.118;

/* For vectors, in whole lines. */
static void *room_for(size_t bytes) { return aligned_alloc(64, (bytes + 63) / 64 * 64); }

/* Adds the color sums of all configurations of a program, lane by lane. The amplitudes lie by inverse words. */
static void add_squares(const quark_program *program, const oracle *o, const real *amplitude, double *sum)
{
    const color_strings strings = bg_color_strings(program->lines, program->gluons);
    const size_t F = (size_t)o->structures;
    double complex *lane = malloc(F * sizeof *lane);
    assert_non_null(lane);
    for (uint32_t c = 0; c < program->configurations; c++)
        for (int l = 0; l < BG_LANES; l++) {
            const real *re = amplitude + 2 * (size_t)c * program->structures, *im = re + program->structures;
            for (uint64_t n = 0; n < F; n++) {
                const permutation word = bg_permutation_unrank(strings.gluons, n % strings.words);
                const permutation inverse = bg_permutation_inverse(strings.gluons, &word);
                const uint64_t at = n / strings.words * strings.words + bg_permutation_rank(strings.gluons, &inverse);
                lane[n] = (double)bg_lane(re[at], l) + I * (double)bg_lane(im[at], l);
            }
            sum[l] += oracle_square(o, lane);
        }
    free(lane);
}

/* The steps of a program. By parts, the amplitudes of every pairing become those of chiralities. */
static void run_program(const quark_program *program, real *w, real *amplitude)
{
    const size_t one = 2 * (size_t)program->structures, row = one << program->inner;
    const uint32_t rows = 1u << (program->lines - 1);
    real *pairing = room_for((size_t)program->pairings * rows * row * sizeof *pairing);
    assert_non_null(pairing);
    for (size_t k = 0; k < program_amplitudes(program); k++) amplitude[k] = bg_real(0.);
    for (uint32_t k = 0; k < program->steps; k++) {
        const program_step *step = &program->step[k];
        if (!step->closes) {
            quark_any_current(program, step, 1, w);
            continue;
        }
        const quark_number a =
            program->parts ? quark_part_amplitude(program, step, 1, w) : quark_amplitude(program, step, 1, w);
        real *re =
            (program->parts ? pairing + step->pairing * rows * row : amplitude) + step->configuration * one + step->at;
        re[0] = program->parts ? a.re : re[0] + a.re;
        re[program->structures] = program->parts ? a.im : re[program->structures] + a.im;
    }
    for (uint32_t k = 0; program->parts && k < (uint32_t)program->pairings; k++) {
        real *own = pairing + k * rows * row;
        for (uint32_t h = 0; h < 1u << program->inner; h++)
            quark_join_parts(program->lines, program->structures, program->structures, row, own + h * one);
        for (size_t i = 0; i < rows * row; i++)
            amplitude[program->pattern[k * rows + i / row] * row + i % row] += own[i];
    }
    free(pairing);
}

/* Sum over colors and helicities, half of the chiralities, with `inner` gluons whose states share currents. */
static void add_program(const oracle *o, int inner, int parts, int closes, const vec4 *p, double *sum)
{
    const bg_subprocess *s = &o->process;
    const program_layout layout = {.inner = inner, .parts = parts, .closes = closes};
    quark_program program;
    assert_int_equal(bg_program_create(&program, s, &layout), 0);
    real *w = room_for(program.numbers * sizeof *w), *amplitude = room_for(program_amplitudes(&program) * sizeof *w);
    assert_true(w && amplitude);
    const light_frame frame = light_frame_of(p[s->opposite], p[s->gauge]);
    quark_put_outgoing(&program, s, &frame, p, 1, w);
    quark_momenta(&program, s, 1, w);
    quark_put_signs(&program, 1, w);
    for (uint32_t h = 0; h < 1u << (s->gluons - inner); h++) {
        for (int g = inner; g < s->gluons; g++) { /* any orthonormal basis will do for a sum */
            const double second = h >> (g - inner) & 1u;
            const shared_polarization e = {bg_real(1. - second), bg_real(second)};
            quark_put_polarization(&program, g, 0, e, 1, w);
        }
        quark_put_legs(&program, 1, w);
        run_program(&program, w, amplitude);
        add_squares(&program, o, amplitude, sum);
    }
    for (int l = 0; l < BG_LANES && parts && program.on_gauge; l++) sum[l] *= 2.; /* the leg that closes */
    free(amplitude);
    free(w);
    bg_program_destroy(&program);
}

/* One event in a lane of momenta by place, all of them taken as outgoing. */
static void set_momenta(const bg_subprocess *s, int lane, const double *momenta, vec4 *p)
{
    for (int leg = 0; leg < s->n; leg++) {
        const double sign = leg < s->n_in ? -1. : 1., *q = momenta + 4 * leg;
        vec4 *to = &p[s->place[leg]];
        bg_set_lane(&to->t, lane, sign * q[0]);
        bg_set_lane(&to->x, lane, sign * q[1]);
        bg_set_lane(&to->y, lane, sign * q[2]);
        bg_set_lane(&to->z, lane, sign * q[3]);
    }
}

/* |M|^2 of different events in the lanes, everything summed. */
static void check_process(const char *text, random_source *r)
{
    oracle o;
    double momenta[BG_LANES][4 * BG_MAX_LEGS];
    vec4 p[BG_MAX_LEGS];
    oracle_create_text(&o, text, -1);
    const bg_subprocess *s = &o.process;
    for (int l = 0; l < BG_LANES; l++) {
        random_cut_point(r, s->n_out, 1000., momenta[l]);
        set_momenta(s, l, momenta[l], p);
    }
    for (int closes = 0; closes <= s->n; closes++)
        for (int inner = 0; inner <= s->gluons; inner++)
            for (int parts = 0; parts < 2; parts++) {
                double sum[BG_LANES] = {0.};
                if (closes && s->pdg[s->leg[closes - 1]] == BG_PDG_GLUON) continue;
                add_program(&o, inner, parts, closes, p, sum);
                for (int l = 0; l < BG_LANES; l++) /* the other chiralities are complex conjugates */
                    assert_relative(
                        2. * sum[l] * oracle_normalization(&o, alpha_s, 1), oracle_me2(&o, alpha_s, momenta[l]), 1e-10,
                        "%s, closed by %d, %d inner gluons, parts: %d, lane %d", text, closes, inner, parts, l);
            }
    oracle_destroy(&o);
}

/* One, two and three lines, distinct and identical flavors, every crossing of one line, any quark that closes. */
static void kernel_is_oracle(void **state)
{
    (void)state;
    static const char *const texts[] = {"u u~ > g g",    "u g > u g",      "g g > u u~",       "g g > u u~ g",
                                        "u g > u g g",   "g u~ > u~ g g",  "u u~ > g g g",     "u d > u d",
                                        "u u > u u",     "u u~ > d d~ g",  "g g > u u~ d d~",  "u d > u d g g",
                                        "u u~ > u u~ g", "g u > u u u~ g", "u u~ > d d~ s s~", "u u > u u u u~"};
    random_source r = fresh_source(77);
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) check_process(texts[k], &r);
}

/* ---- pairings of identical flavors ----------------------------------------------------------------------------------- */

/* The amplitudes of one pairing alone, in the first lane, all chiralities +1; pairing -1: all of them. */
static void pairing_amplitudes(const quark_program *program, const bg_subprocess *s, const vec4 *p, int pairing,
                               double complex *amplitude)
{
    real *w = room_for(program->numbers * sizeof *w);
    uint32_t configuration[BG_LANES], plus = 0;
    assert_non_null(w);
    for (int line = 0; line < s->lines; line++) plus |= 1u << s->place[s->antiquark[line]];
    for (int l = 0; l < BG_LANES; l++) configuration[l] = plus;
    const light_frame frame = light_frame_of(p[s->opposite], p[s->gauge]);
    quark_put_outgoing(program, s, &frame, p, 1, w);
    quark_momenta(program, s, 1, w);
    quark_put_given_signs(program, configuration, 1, w);
    for (int k = 0; k < program->pairings; k++) {
        assert_true(bg_lane(w[program->at_allowed + (uint32_t)k], 0) == 1.);
        if (pairing >= 0 && k != pairing) w[program->at_allowed + (uint32_t)k] = bg_real(0.);
    }
    quark_put_legs(program, 1, w);
    for (uint32_t k = 0; k < program->structures; k++) amplitude[k] = 0.;
    for (uint32_t k = 0; k < program->steps; k++) {
        const program_step *step = &program->step[k];
        if (!step->closes) {
            quark_current(program, step, 1, w);
            continue;
        }
        const quark_number a = quark_amplitude(program, step, 1, w);
        amplitude[step->at] += (double)bg_lane(a.re, 0) + I * (double)bg_lane(a.im, 0);
    }
    free(w);
}

/* The list of vertices in which quarks and antiquarks of this pairing have labels of their own, executed in Feynman gauge. */
static void labelled_amplitudes(const bg_subprocess *s, const program_pairing *ends, const double *momenta,
                                double complex *amplitude)
{
    oracle one = {.process = *s, .patterns = 1};
    oracle_pattern pattern = {.chirality = 0};
    uint8_t label[BG_MAX_LEGS] = {0};
    for (int line = 0; line < s->lines; line++) {
        pattern.chirality |= 1u << ends->quark[line] | 1u << ends->antiquark[line];
        label[ends->quark[line]] = label[ends->antiquark[line]] = (uint8_t)(2 * line + 1);
    }
    const tape_legs legs = bg_tape_legs(s, label);
    assert_int_equal(bg_tape_create(&pattern.list, &legs), 0);
    one.pattern = &pattern;
    oracle_amplitudes(&one, 0, 0, -1, momenta, amplitude);
    bg_tape_destroy(&pattern.list);
}

/* Every pairing is the amplitude of distinct flavors with its sign, up to one phase for all of them, and together they are the
 * amplitude of identical ones. */
static void pairings_are_distinct_flavors(void **state)
{
    (void)state;
    static const char *const texts[] = {"u u > u u", "u u~ > u u~", "u u > u u d d~", "u u > u u u u~",
                                        "u u~ > u u~ u u~"};
    random_source r = fresh_source(78);
    for (size_t t = 0; t < sizeof texts / sizeof *texts; t++) {
        enum { MOST = 24 };
        oracle o;
        quark_program program;
        double momenta[4 * BG_MAX_LEGS];
        double complex kernel[MOST], plain[MOST], sum[MOST] = {0.}, phase = 0.;
        vec4 p[BG_MAX_LEGS];
        oracle_create_text(&o, texts[t], -1);
        const bg_subprocess *s = &o.process;
        const program_layout layout = {.given = 1};
        assert_int_equal(bg_program_create(&program, s, &layout), 0);
        assert_true(program.structures <= MOST && program.pairings > 1 && !s->gluons);
        random_cut_point(&r, s->n_out, 1000., momenta);
        for (int l = 0; l < BG_LANES; l++) set_momenta(s, l, momenta, p);
        for (int k = 0; k < program.pairings; k++) {
            double largest = 0.;
            pairing_amplitudes(&program, s, p, k, kernel);
            labelled_amplitudes(s, &program.pairing[k], momenta, plain);
            for (uint32_t a = 0; a < program.structures; a++) {
                if (phase == 0. && cabs(plain[a]) > 0.) phase = kernel[a] / plain[a];
                largest = fmax(largest, cabs(plain[a]));
                sum[a] += kernel[a];
            }
            for (uint32_t a = 0; a < program.structures; a++)
                assert_bounded(cabs(kernel[a] - phase * plain[a]), 1e-10 * largest, "%s, pairing %d", texts[t], k);
        }
        assert_bounded(cabs(phase) - 1., 1e-10, "%s: the phase", texts[t]);
        pairing_amplitudes(&program, s, p, -1, kernel);
        for (uint32_t a = 0; a < program.structures; a++)
            assert_bounded(cabs(kernel[a] - sum[a]), 1e-12 * cabs(sum[a]) + 1e-15, "%s, all pairings", texts[t]);
        bg_program_destroy(&program);
        oracle_destroy(&o);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(kernel_is_oracle),
                                       cmocka_unit_test(pairings_are_distinct_flavors)};
    return cmocka_run_group_tests_name("quarks", tests, NULL, NULL);
}
