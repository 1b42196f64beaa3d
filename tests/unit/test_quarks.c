/* The kernel that executes lists of vertices (amplitude/quarks.h), against the plain interpreter in Feynman gauge (oracle.h). */
#include "amplitude/quarks.h" /* before support.h, whose type `gluons` would hide names in it */

#include "support.h"

#include "helicity/chirality.h"
#include "oracle.h"

static const double alpha_s = 0.118;

/* Everything that one pattern of chiralities needs besides momenta. */
typedef struct kernel {
    tape list;
    uint16_t *row; /* of each current */
    uint32_t *set; /* of each row */
    int rows;
} kernel;

static void kernel_create(kernel *k, const bg_subprocess *s, uint32_t pattern, int closes)
{
    uint8_t label[BG_MAX_LEGS];
    bg_chirality_labels(s, pattern, label);
    tape_legs legs = bg_tape_legs(s, label);
    if (closes >= 0) legs.closes = closes;
    assert_int_equal(bg_tape_create(&k->list, &legs), 0);
    k->row = malloc(k->list.currents * sizeof *k->row);
    k->set = malloc(k->list.currents * sizeof *k->set);
    assert_true(k->row && k->set);
    k->rows = 0;
    for (uint32_t c = 0; c < k->list.currents; c++) {
        int row = 0;
        while (row < k->rows && k->set[row] != k->list.current[c].set) row++;
        if (row == k->rows) k->set[k->rows++] = k->list.current[c].set;
        k->row[c] = (uint16_t)row;
    }
}

static void kernel_destroy(kernel *k)
{
    bg_tape_destroy(&k->list);
    free(k->row);
    free(k->set);
}

/* For vectors, in whole lines. */
static void *room_for(size_t bytes) { return aligned_alloc(64, (bytes + 63) / 64 * 64); }

/* Sum over colors and gluon states of one pattern, for each lane. */
static void add_pattern(const kernel *k, const oracle *o, const vec4 *p, double *sum)
{
    const bg_subprocess *s = &o->process;
    const size_t F = (size_t)o->structures;
    quark_legs legs;
    quark_set *sets = room_for((size_t)(k->rows + 1) * sizeof *sets);
    quark_current *current = room_for(k->list.currents * sizeof *current);
    quark_number *amplitude = room_for(F * sizeof *amplitude), a[2 * BG_MAX_LEGS];
    assert_true(sets && current && amplitude);
    quark_legs_of(s, p, &legs);
    for (int r = 0; r < k->rows; r++) sets[r] = quark_set_of(s, &legs, k->set[r]);
    const quark_set closing = quark_set_of(s, &legs, 1u << k->list.legs.closes);
    for (uint32_t h = 0; h < 1u << s->gluons; h++) {
        for (int g = 0; g < s->gluons; g++) /* any orthonormal basis will do for a sum */
            for (int c = 0; c < 2; c++) {
                a[2 * g + c].re = bg_real((int)(h >> g & 1u) == c ? 1. : 0.);
                a[2 * g + c].im = bg_real(0.);
            }
        quark_amplitudes(s, &k->list, k->row, sets, &closing, a, current, amplitude);
        for (int l = 0; l < BG_LANES; l++) {
            double complex *lane = malloc(F * sizeof *lane);
            assert_non_null(lane);
            for (size_t n = 0; n < F; n++)
                lane[n] = (double)bg_lane(amplitude[n].re, l) + I * (double)bg_lane(amplitude[n].im, l);
            sum[l] += oracle_square(o, lane);
            free(lane);
        }
    }
    free(sets);
    free(current);
    free(amplitude);
}

/* |M|^2 of different events in the lanes, everything summed. */
static void check_process(const char *text, int closes, random_source *r)
{
    oracle o;
    double momenta[BG_LANES][4 * BG_MAX_LEGS], sum[BG_LANES] = {0.};
    vec4 p[BG_MAX_LEGS];
    uint32_t pattern[BG_MOST_CHIRALITIES];
    oracle_create_text(&o, text, -1);
    const bg_subprocess *s = &o.process;
    for (int l = 0; l < BG_LANES; l++) {
        random_cut_point(r, s->n_out, 1000., momenta[l]);
        for (int leg = 0; leg < s->n; leg++) {
            const double sign = leg < s->n_in ? -1. : 1., *q = momenta[l] + 4 * leg;
            vec4 *to = &p[s->place[leg]];
            bg_set_lane(&to->t, l, sign * q[0]);
            bg_set_lane(&to->x, l, sign * q[1]);
            bg_set_lane(&to->y, l, sign * q[2]);
            bg_set_lane(&to->z, l, sign * q[3]);
        }
    }
    const int patterns = bg_chiralities(s, 1, pattern); /* the other half are complex conjugates */
    for (int i = 0; i < patterns; i++) {
        kernel k;
        kernel_create(&k, s, pattern[i], closes);
        add_pattern(&k, &o, p, sum);
        kernel_destroy(&k);
    }
    for (int l = 0; l < BG_LANES; l++)
        assert_relative(2. * sum[l] * oracle_normalization(&o, alpha_s, 1), oracle_me2(&o, alpha_s, momenta[l]), 1e-10,
                        "%s, closed by %d, lane %d", text, closes, l);
    oracle_destroy(&o);
}

/* One, two and three lines, distinct and identical flavors, every crossing of one line, any leg that closes. */
static void kernel_is_oracle(void **state)
{
    (void)state;
    static const char *const texts[] = {"u u~ > g g",    "u g > u g",      "g g > u u~",       "g g > u u~ g",
                                        "u g > u g g",   "g u~ > u~ g g",  "u u~ > g g g",     "u d > u d",
                                        "u u > u u",     "u u~ > d d~ g",  "g g > u u~ d d~",  "u d > u d g g",
                                        "u u~ > u u~ g", "g u > u u u~ g", "u u~ > d d~ s s~", "u u > u u u u~"};
    random_source r = fresh_source(77);
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
        for (int closes = -1; closes < 3; closes++) check_process(texts[k], closes, &r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(kernel_is_oracle)};
    return cmocka_run_group_tests_name("quarks", tests, NULL, NULL);
}
