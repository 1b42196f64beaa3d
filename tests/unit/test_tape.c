/* Lists of vertices for quark lines: how many there are, and what they give when they are executed plainly. */
#include "oracle_light.h"
#include "support.h"

#include "helicity/chirality.h"
#include "process/process.h"

static const double alpha_s = 0.118;

/* q qbar > other flavors and gluons. */
static bg_subprocess distinct(int lines, int gluon_count)
{
    static const int flavor[] = {2, 1, 3, 4, 5};
    int pdg[BG_MAX_LEGS], n = 0;
    bg_subprocess s;
    for (int k = 0; k < lines; k++) {
        pdg[n++] = flavor[k];
        pdg[n++] = -flavor[k];
    }
    for (int k = 0; k < gluon_count; k++) pdg[n++] = BG_PDG_GLUON;
    assert_int_equal(bg_subprocess_create(&s, 2, n - 2, pdg, NULL), BG_OK);
    return s;
}

/* ---- counts --------------------------------------------------------------------------------------------------------- */

static void counts(void **state)
{
    (void)state;
    static const struct {
        int lines, gluons;
        tape_counts n;
    } list[] = {
        {2, 2, {25, 4, 11, 5, 2, 16, 0, 22, 12, 22, 30}},
        {2, 3, {98, 15, 49, 16, 18, 114, 0, 141, 71, 98, 156}},
        {2, 4, {477, 64, 261, 65, 132, 848, 0, 956, 466, 522, 960}},
        {2, 5, {2800, 325, 1631, 326, 980, 6850, 0, 7165, 3447, 3262, 6840}},
        {3, 0, {17, 0, 6, 4, 0, 0, 2, 0, 12, 20, 14}},
        {3, 1, {52, 1, 22, 10, 0, 12, 10, 17, 56, 76, 56}},
        {3, 2, {199, 4, 98, 32, 2, 112, 58, 138, 294, 348, 280}},
    };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        const bg_subprocess s = distinct(list[k].lines, list[k].gluons);
        const tape_legs legs = bg_tape_legs(&s, NULL);
        tape t;
        assert_int_equal(bg_tape_create(&t, &legs), 0);
        const tape_counts n = bg_tape_count(&t);
        assert_memory_equal(&n, &list[k].n, sizeof n);
        bg_tape_destroy(&t);
    }
    /* closed by a gluon: 2380 vertices and 1200 terms of amplitudes */
    bg_subprocess s = distinct(2, 4);
    tape_legs legs = bg_tape_legs(&s, NULL);
    tape t;
    legs.closes = s.place[s.gluon[0]];
    assert_int_equal(bg_tape_create(&t, &legs), 0);
    const tape_counts n = bg_tape_count(&t);
    assert_int_equal(n.gluons_real + n.gluons_mixed + n.gluons_complex + n.emit_real + n.emit_complex + n.pairs, 2380);
    assert_int_equal(n.closing, 1200);
    bg_tape_destroy(&t);
}

/* Currents come behind what they need, are all different, and none is left over. */
static void lists_are_in_order(void **state)
{
    (void)state;
    static const char *const texts[] = {"u g > u g g", "u u~ > d d~ 3g", "u u > u u g", "g g > u u~ d d~",
                                        "u d > u d s s~ g"};
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        oracle o;
        oracle_create_text(&o, texts[k], -1);
        for (int i = 0; i < o.patterns; i++) {
            const tape *t = &o.pattern[i].list;
            unsigned char *used = calloc(t->currents, 1);
            assert_non_null(used);
            for (uint32_t c = 0; c < t->currents; c++) {
                const tape_current *now = &t->current[c];
                assert_int_equal(now->terms == 0, c < (uint32_t)(t->legs.n - 1));
                for (uint32_t e = now->first; e < now->first + now->terms; e++) {
                    const tape_term *term = &t->term[e];
                    assert_true(term->left < c && term->right < c);
                    assert_int_equal(t->current[term->left].set | t->current[term->right].set, now->set);
                    assert_int_equal(t->current[term->left].set & t->current[term->right].set, 0);
                    used[term->left] = used[term->right] = 1;
                }
            }
            for (uint64_t a = 0; a < t->strings.structures; a++)
                for (uint32_t e = t->closing[a].first; e < t->closing[a].first + t->closing[a].terms; e++)
                    used[t->term[e].left] = used[t->term[e].right] = 1;
            for (uint32_t c = 0; c < t->currents; c++) assert_true(used[c]);
            free(used);
        }
        oracle_destroy(&o);
    }
}

/* ---- chiralities ------------------------------------------------------------------------------------------------------ */

static void chiralities(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int patterns;
    } list[] = {{"g g > g g", 1},         {"u g > u g", 2},
                {"u d > u d g", 4},       {"u u > u u", 6},
                {"u u~ > d d~ s s~", 8},  {"u u > u u d d~", 12},
                {"u u > u u u u~ g", 20}, {"g g > u u~ d d~ s s~ c c~", 16},
                {"g g > 4u 4u~", 70},     {"g g > 5u 5u~", BG_MOST_CHIRALITIES}};
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        bg_process *p;
        uint32_t all[BG_MOST_CHIRALITIES], half[BG_MOST_CHIRALITIES];
        assert_int_equal(bg_process_parse(&p, list[k].text, 5, 5, NULL), BG_OK);
        const bg_subprocess *s = &p->subprocess[0];
        const int n = bg_chiralities(s, 0, all), m = bg_chiralities(s, 1, half);
        assert_int_equal(n, list[k].patterns);
        assert_int_equal(m, s->lines ? n / 2 : n);
        for (int i = 0; i < n; i++) {
            assert_true(bg_chirality_allowed(s, all[i]));
            if (i) assert_true(all[i] > all[i - 1]);
        }
        bg_process_destroy(p);
    }
    /* u(-) d(+) > u(-) d(+): the helicities of the lines are conserved, and chirality is minus the quark's helicity */
    bg_process *p;
    assert_int_equal(bg_process_parse(&p, "u d > u d", 5, 5, NULL), BG_OK);
    const bg_subprocess *s = &p->subprocess[0];
    assert_int_equal(bg_chirality_of_helicities(s, 0xa), 0x3);
    assert_int_equal(bg_chirality_of_helicities(s, 0x5), 0xc);
    assert_false(bg_chirality_allowed(s, bg_chirality_of_helicities(s, 0x6)));
    bg_process_destroy(p);
}

/* ---- values of another program --------------------------------------------------------------------------------------- */

static void reference_values(void **state)
{
    (void)state;
    FILE *f = fopen(TEST_DATA_DIR "/quarks/reference.txt", "r");
    static char line[8192];
    char text[64] = "";
    oracle o = {.patterns = 0};
    double first[4 * BG_MAX_LEGS], seen = 0., total = 0.;
    int processes = 0, helicities = 0, allowed = 0;
    assert_non_null(f);
    while (fgets(line, sizeof line, f)) {
        line[strcspn(line, "\n")] = '\0';
        if (!strncmp(line, "process ", 8)) {
            if (processes++) {
                /* configurations that are not listed vanish: the others are the sum */
                assert_relative(seen / 4., total, 1e-11, "sum of helicities of %s", text);
                assert_true(helicities <= allowed);
                oracle_destroy(&o);
            }
            snprintf(text, sizeof text, "%.60s", line + 8);
            oracle_create_text(&o, text, -1);
            seen = total = 0.;
            helicities = 0;
            allowed = o.patterns << o.process.gluons;
        } else if (!strncmp(line, "point ", 6)) {
            char *at = line + 6;
            double p[4 * BG_MAX_LEGS];
            const double value = strtod(at, &at);
            for (int k = 0; k < 4 * o.process.n; k++) p[k] = strtod(at, &at);
            if (total == 0.) {
                memcpy(first, p, sizeof first);
                total = value;
            }
            assert_relative(oracle_me2(&o, alpha_s, p), value, 1e-11, "%s", text);
        } else if (!strncmp(line, "helicity ", 9)) {
            char signs[BG_MAX_LEGS + 1];
            double value;
            assert_int_equal(sscanf(line, "helicity %14s %lf", signs, &value), 2);
            assert_relative(oracle_helicity(&o, alpha_s, signs, first), value, 1e-10, "%s: %s", text, signs);
            seen += value;
            helicities++;
        }
    }
    oracle_destroy(&o);
    fclose(f);
    assert_int_equal(processes, 29);
}

/* ---- what must hold for any process ------------------------------------------------------------------------------------ */

static const char *const processes[] = {"u g > u g g",    "g g > u u~ g",     "u u~ > d d~ g g",
                                        "u u > u u g",    "u d > u d s s~",   "u u~ > d d~ s s~ g",
                                        "u u > u u d d~", "u d > u u u~ d g", "g u > u u u~ u u~"};
enum { PROCESSES = sizeof processes / sizeof *processes };

/* Any leg may close the amplitudes. */
static void any_leg_closes(void **state)
{
    (void)state;
    random_source r = fresh_source(1);
    for (int k = 0; k < PROCESSES; k++) {
        oracle o;
        double p[4 * BG_MAX_LEGS];
        oracle_create_text(&o, processes[k], -1);
        random_cut_point(&r, o.process.n_out, 1000., p);
        const double expected = oracle_me2(&o, alpha_s, p);
        for (int place = k % 2; place < o.process.n - 1; place += 2) {
            oracle other;
            oracle_create(&other, &o.process, place);
            assert_relative(oracle_me2(&other, alpha_s, p), expected, 1e-9, "%s closed by place %d", processes[k],
                            place);
            oracle_destroy(&other);
        }
        oracle_destroy(&o);
    }
}

/* A gluon whose polarization is its momentum decouples from every color structure. */
static void ward_identities(void **state)
{
    (void)state;
    random_source r = fresh_source(2);
    for (int k = 0; k < PROCESSES; k++) {
        oracle o;
        double p[4 * BG_MAX_LEGS], largest = 0.;
        oracle_create_text(&o, processes[k], -1);
        random_cut_point(&r, o.process.n_out, 1000., p);
        double complex *amplitude = malloc((size_t)o.structures * sizeof *amplitude);
        assert_non_null(amplitude);
        for (int i = 0; i < o.patterns; i++)
            for (uint32_t h = 0; h < 1u << o.process.gluons; h++) {
                oracle_amplitudes(&o, i, h, -1, p, amplitude);
                for (int a = 0; a < o.structures; a++) largest = fmax(largest, cabs(amplitude[a]));
                for (int g = 0; g < o.process.gluons; g++) {
                    double worst = 0.;
                    oracle_amplitudes(&o, i, h, g, p, amplitude);
                    for (int a = 0; a < o.structures; a++) worst = fmax(worst, cabs(amplitude[a]));
                    if (h) assert_bounded(worst, 1e-9 * largest, "%s, gluon %d", processes[k], g);
                }
            }
        free(amplitude);
        oracle_destroy(&o);
    }
}

/* Identical quarks may be exchanged. */
static void identical_quarks(void **state)
{
    (void)state;
    random_source r = fresh_source(3);
    for (int k = 0; k < PROCESSES; k++) {
        oracle o;
        double p[4 * BG_MAX_LEGS], q[4 * BG_MAX_LEGS];
        oracle_create_text(&o, processes[k], -1);
        random_cut_point(&r, o.process.n_out, 1000., p);
        for (int i = 2; i < o.process.n; i++)
            for (int j = i + 1; j < o.process.n; j++) {
                if (o.process.pdg[i] != o.process.pdg[j]) continue;
                memcpy(q, p, sizeof q);
                memcpy(q + 4 * i, p + 4 * j, 4 * sizeof *q);
                memcpy(q + 4 * j, p + 4 * i, 4 * sizeof *q);
                assert_relative(oracle_me2(&o, alpha_s, q), oracle_me2(&o, alpha_s, p), 1e-9, "%s: legs %d and %d",
                                processes[k], i, j);
            }
        oracle_destroy(&o);
    }
}

/* The list of identical flavors is the sum of lists of distinct ones over all pairings of equal chirality: signs are in the
 * lists. */
static void identical_is_a_sum_of_distinct(void **state)
{
    (void)state;
    static const char *const texts[] = {"u u > u u g", "u u~ > u u~ g g", "g g > u u u~ u~", "u u > u u u u~"};
    random_source r = fresh_source(4);
    for (int k = 0; k < 4; k++) {
        oracle o;
        double p[4 * BG_MAX_LEGS];
        oracle_create_text(&o, texts[k], -1);
        const bg_subprocess *s = &o.process;
        const size_t F = (size_t)o.structures;
        double complex *whole = malloc(F * sizeof *whole), *part = malloc(F * sizeof *part),
                       *sum = malloc(F * sizeof *sum);
        assert_true(whole && part && sum);
        random_cut_point(&r, s->n_out, 1000., p);
        for (int i = 0; i < o.patterns; i++) {
            const uint32_t bits = o.pattern[i].chirality;
            double largest = 0.;
            oracle_amplitudes(&o, i, 1u, -1, p, whole);
            for (size_t a = 0; a < F; a++) sum[a] = 0.;
            permutation pairing = bg_permutation_unrank(s->lines, 0);
            do {
                oracle one = {.process = *s, .patterns = 1};
                oracle_pattern pattern = {.chirality = bits};
                uint8_t label[BG_MAX_LEGS] = {0};
                int equal = 1;
                for (int q = 0; q < s->lines; q++) {
                    const int from = s->place[s->quark[q]], to = s->place[s->antiquark[pairing.at[q]]];
                    equal &= (bits >> from & 1u) == (bits >> to & 1u);
                    label[from] = label[to] = (uint8_t)(2u * (unsigned)q + (bits >> from & 1u));
                }
                if (!equal) continue;
                const tape_legs legs = bg_tape_legs(s, label);
                assert_int_equal(bg_tape_create(&pattern.list, &legs), 0);
                one.pattern = &pattern;
                oracle_amplitudes(&one, 0, 1u, -1, p, part);
                for (size_t a = 0; a < F; a++) sum[a] += part[a];
                bg_tape_destroy(&pattern.list);
            } while (bg_permutation_next(s->lines, &pairing));
            for (size_t a = 0; a < F; a++) largest = fmax(largest, cabs(whole[a]));
            for (size_t a = 0; a < F; a++) assert_bounded(cabs(sum[a] - whole[a]), 1e-11 * largest, "%s", texts[k]);
        }
        free(whole);
        free(part);
        free(sum);
        oracle_destroy(&o);
    }
}

/* A lightlike vector for which no sum of momenta has a small minus component: the best of some. */
static void gauge_vector(random_source *r, const bg_subprocess *s, const double *p, double *Q)
{
    double best = -1.;
    for (int trial = 0; trial < 30; trial++) {
        double q[4], least = 1e99;
        for (int m = 1; m < 4; m++) q[m] = uniform(r, -1., 1.);
        q[0] = sqrt(q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
        for (uint32_t set = 1; set + 1 < 1u << s->n; set++) {
            double sum = 0.;
            for (int leg = 0; leg < s->n; leg++)
                if (set >> leg & 1u) sum += minkowski(q, p + 4 * leg) * (leg < s->n_in ? -1. : 1.);
            least = fmin(least, fabs(sum) / q[0]);
        }
        if (least < best) continue;
        best = least;
        memcpy(Q, q, sizeof q);
    }
}

/* Light-cone gauge gives what Feynman gauge does, structure by structure up to a phase, whatever the gauge vectors and the
 * leg that closes. */
static void light_cone_gauge(void **state)
{
    (void)state;
    random_source r = fresh_source(6);
    for (int k = 0; k < PROCESSES; k++)
        for (int closes = -1; closes < 3; closes++) {
            oracle o;
            double p[4 * BG_MAX_LEGS], Q[4], R[4];
            oracle_create_text(&o, processes[k], closes);
            const size_t F = (size_t)o.structures;
            double complex *a = malloc(F * sizeof *a), *b = malloc(F * sizeof *b);
            assert_true(a && b);
            random_cut_point(&r, o.process.n_out, 1000., p);
            gauge_vector(&r, &o.process, p, Q);
            gauge_vector(&r, &o.process, p, R);
            for (int i = 0; i < o.patterns; i++)
                for (int trial = 0; trial < 3; trial++) {
                    const uint32_t h = (uint32_t)random_below(&r, 1 << o.process.gluons);
                    double largest = 0.;
                    oracle_amplitudes(&o, i, h, -1, p, a);
                    oracle_light_amplitudes(&o, i, h, trial ? Q : NULL, R, p, b);
                    for (size_t e = 0; e < F; e++) largest = fmax(largest, cabs(a[e]));
                    /* amplitudes that vanish leave what rounding makes of their terms */
                    for (size_t e = 0; e < F; e++)
                        assert_bounded(cabs(a[e]) - cabs(b[e]), 1e-8 * largest + 1e-11, "%s, closed by %d, trial %d",
                                       processes[k], closes, trial);
                }
            free(a);
            free(b);
            oracle_destroy(&o);
        }
}

/* Parity, and charge conjugation, configuration by configuration. */
static void symmetries(void **state)
{
    (void)state;
    static const char *const pairs[][2] = {{"u g > u g g", "u~ g > u~ g g"},
                                           {"u d > u d g", "u~ d~ > u~ d~ g"},
                                           {"u d~ > u d~ g g", "u~ d > u~ d g g"},
                                           {"u u~ > u u~ g", "u~ u > u~ u g"}};
    random_source r = fresh_source(5);
    for (int k = 0; k < 4; k++) {
        oracle o, conjugated;
        double p[4 * BG_MAX_LEGS];
        oracle_create_text(&o, pairs[k][0], -1);
        oracle_create_text(&conjugated, pairs[k][1], -1);
        random_cut_point(&r, o.process.n_out, 1000., p);
        const double scale = oracle_me2(&o, alpha_s, p);
        for (uint32_t h = 0; h < 1u << o.process.n; h++) {
            char signs[BG_MAX_LEGS + 1] = "", opposite[BG_MAX_LEGS + 1] = "";
            for (int leg = 0; leg < o.process.n; leg++) {
                signs[leg] = h >> leg & 1u ? '+' : '-';
                opposite[leg] = h >> leg & 1u ? '-' : '+';
            }
            const double value = oracle_helicity(&o, alpha_s, signs, p);
            assert_bounded(oracle_helicity(&o, alpha_s, opposite, p) - value, 1e-10 * scale, "parity, %s", pairs[k][0]);
            assert_bounded(oracle_helicity(&conjugated, alpha_s, signs, p) - value, 1e-10 * scale, "conjugation, %s",
                           pairs[k][0]);
        }
        oracle_destroy(&o);
        oracle_destroy(&conjugated);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts),           cmocka_unit_test(lists_are_in_order),
        cmocka_unit_test(chiralities),      cmocka_unit_test(reference_values),
        cmocka_unit_test(any_leg_closes),   cmocka_unit_test(ward_identities),
        cmocka_unit_test(identical_quarks), cmocka_unit_test(identical_is_a_sum_of_distinct),
        cmocka_unit_test(light_cone_gauge), cmocka_unit_test(symmetries),
    };
    return cmocka_run_group_tests_name("tape", tests, NULL, NULL);
}
