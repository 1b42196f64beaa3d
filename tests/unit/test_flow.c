/* Color flows of points: their probabilities against amplitudes that are computed in another way, their tags, the
 * draws. */
#define BLOCKGEN_EXPERIMENTAL
#include "support.h"

#include "events/flow.h"
#include "oracle.h"
#include "process/process.h"

static bg_process *process_of(const char *text)
{
    bg_process *p;
    bg_error error;
    if (bg_process_parse(&p, text, 5, BG_ALL_LINES, &error) != BG_OK) fail_msg("%s", error.message);
    return p;
}

static bg_flow *flow_of(const char *text)
{
    bg_process *p = process_of(text);
    bg_flow *f;
    bg_error error;
    if (bg_flow_create(&f, p, 0, &error) != BG_OK) fail_msg("%s", error.message);
    bg_process_destroy(p);
    return f;
}

static color_tag outgoing(const bg_subprocess *s, int leg, const color_tag *tag)
{
    const color_tag t = tag[leg];
    return leg < s->n_in ? (color_tag){t.anticolor, t.color} : t;
}

/* Every tag begins at one leg and ends at another, and partons have what belongs to them. */
static void check_tags(const bg_subprocess *s, const int *pdg, const int *color)
{
    int ends[2][BG_MAX_LEGS] = {{0}};
    const int tags = s->gluons + s->lines;
    for (int leg = 0; leg < s->n; leg++) {
        assert_int_equal(color[2 * leg] != 0, pdg[leg] > 0);
        assert_int_equal(color[2 * leg + 1] != 0, pdg[leg] < 0 || pdg[leg] == BG_PDG_GLUON);
        for (int which = 0; which < 2; which++) {
            const int t = color[2 * leg + which];
            if (!t) continue;
            assert_in_range(t, BG_FIRST_TAG, BG_FIRST_TAG + tags - 1);
            ends[(leg < s->n_in) != which][t - BG_FIRST_TAG]++;
        }
    }
    for (int k = 0; k < tags; k++) assert_true(ends[0][k] == 1 && ends[1][k] == 1);
}

/* ---- gluons ------------------------------------------------------------------------------------------------------ */

/* The trace of a flow, in the order of support.h: first incoming, outgoing ones, second incoming. */
static void trace_of(const bg_subprocess *s, const color_tag *tag, int *order)
{
    int leg = 0;
    for (int k = 0; k < s->n; k++) {
        int next = 0;
        order[k] = s->place[leg];
        while (outgoing(s, next, tag).anticolor != outgoing(s, leg, tag).color) next++;
        leg = next;
    }
    assert_int_equal(leg, 0);
}

static double trace_square(const bg_subprocess *s, const double *momenta, const uint32_t *configuration,
                           const color_tag *tag)
{
    int order[MOST_GLUONS];
    gluons g = gluons_of(s->n_out, momenta);
    double sum = 0.;
    trace_of(s, tag, order);
    for (unsigned h = 0; h < (configuration ? 1u : 1u << s->n); h++) {
        set_helicities(&g, configuration ? *configuration : h);
        sum += absolute_square(ordered_amplitude(&g, order, BG_VERTEX_TENSOR));
    }
    return sum;
}

static void check_gluons(int n_out, const uint32_t *configuration, random_source *r)
{
    const bg_subprocess s = bg_subprocess_gluons(n_out);
    double momenta[4 * MOST_GLUONS], total = 0., expected = 0.;
    const double *weight;
    uint64_t count;
    bg_flow *f;
    bg_error error;
    assert_int_equal(bg_flow_make(&f, &s, &error), BG_OK);
    random_cut_point(r, n_out, 1000., momenta);
    assert_int_equal(bg_flow_weigh(f, momenta, configuration, &count, &weight, &error), BG_OK);
    double *square = malloc(count * sizeof *square);
    assert_non_null(square);
    for (uint64_t k = 0; k < count; k++) {
        color_tag tag[2][BG_MAX_LEGS];
        double both[2];
        for (int reversed = 0; reversed < 2; reversed++) {
            bg_flow_tags(f, k, reversed, tag[reversed]);
            both[reversed] = trace_square(&s, momenta, configuration, tag[reversed]);
        }
        /* with half of the letters on either side a trace and its reversal have numbers of their own */
        const int own = k >= (uint64_t)(n_out / 2) * bg_factorial(n_out) && n_out % 2 == 0;
        square[k] = own ? both[0] : both[0] + both[1];
        total += weight[k];
        expected += square[k];
    }
    for (uint64_t k = 0; k < count; k++)
        assert_bounded(weight[k] / total - square[k] / expected, 1e-11, "%d gluons, flow %d", n_out, (int)k);
    free(square);
    bg_flow_release(f);
}

static void traces_of_gluons(void **state)
{
    (void)state;
    random_source r = fresh_source(1);
    static const uint32_t configuration[] = {0x5, 0x13, 0x2c};
    for (int n_out = 2; n_out <= 4; n_out++) {
        check_gluons(n_out, NULL, &r);
        check_gluons(n_out, &configuration[n_out - 2], &r);
    }
}

/* Each trace once: (n-1)! of them, counting reversals. */
static void traces_are_complete(void **state)
{
    (void)state;
    for (int n_out = 2; n_out <= 5; n_out++) {
        const bg_subprocess s = bg_subprocess_gluons(n_out);
        const uint64_t half = bg_factorial(n_out), count = (uint64_t)(n_out / 2 + 1) * half;
        unsigned char *seen = calloc(bg_factorial(s.n - 1), 1);
        uint64_t traces = 0;
        bg_flow *f;
        assert_non_null(seen);
        assert_int_equal(bg_flow_make(&f, &s, NULL), BG_OK);
        for (uint64_t k = 0; k < count; k++)
            for (int reversed = 0; reversed < 2; reversed++) {
                color_tag tag[BG_MAX_LEGS];
                int order[MOST_GLUONS];
                permutation p = {{0}};
                if (reversed && n_out % 2 == 0 && k >= count - half) continue;
                bg_flow_tags(f, k, reversed, tag);
                trace_of(&s, tag, order);
                for (int i = 1; i < s.n; i++) p.at[i - 1] = (uint8_t)(order[i] - 1);
                unsigned char *mark = &seen[bg_permutation_rank(s.n - 1, &p)];
                assert_int_equal(*mark, 0);
                *mark = 1;
                traces++;
            }
        assert_int_equal(traces, bg_factorial(s.n - 1));
        free(seen);
        bg_flow_release(f);
    }
}

/* ---- quarks ------------------------------------------------------------------------------------------------------ */

static int same_tags(int n, const color_tag *a, const color_tag *b)
{
    for (int leg = 0; leg < n; leg++)
        if (a[leg].color != b[leg].color || a[leg].anticolor != b[leg].anticolor) return 0;
    return 1;
}

/* Squares of all structures, summed over helicities, or of one configuration by place. */
static void oracle_squares(const oracle *o, const double *momenta, const uint32_t *configuration, double *square)
{
    const bg_subprocess *s = &o->process;
    double complex *amplitude = malloc((size_t)o->structures * sizeof *amplitude);
    assert_non_null(amplitude);
    for (int a = 0; a < o->structures; a++) square[a] = 0.;
    for (int k = 0; k < o->patterns; k++)
        for (uint32_t h = 0; h < 1u << s->gluons; h++) {
            int wanted = 1;
            for (int g = 0; configuration && g < s->gluons; g++)
                wanted &= (*configuration >> s->place[s->gluon[g]] & 1u) == (h >> g & 1u);
            /* the helicity of an outgoing quark is minus its chirality */
            for (int line = 0; configuration && line < s->lines; line++) {
                const int q = s->place[s->quark[line]], a = s->place[s->antiquark[line]];
                wanted &= (*configuration >> q & 1u) != (o->pattern[k].chirality >> q & 1u);
                wanted &= (*configuration >> a & 1u) == (o->pattern[k].chirality >> a & 1u);
            }
            if (!wanted) continue;
            oracle_amplitudes(o, k, h, -1, momenta, amplitude);
            for (int a = 0; a < o->structures; a++) square[a] += absolute_square(amplitude[a]);
        }
    free(amplitude);
}

static void check_quarks(const char *text, const char *helicities, random_source *r)
{
    oracle o;
    oracle_create_text(&o, text, -1);
    const bg_subprocess *s = &o.process;
    const color_strings strings = bg_color_strings(s->lines, s->gluons);
    double momenta[4 * MOST_GLUONS], total = 0., expected = 0.;
    const double *weight;
    uint32_t configuration = 0;
    uint64_t count;
    bg_flow *f;
    double *square = malloc((size_t)o.structures * sizeof *square);
    assert_non_null(square);
    assert_int_equal(bg_flow_make(&f, s, NULL), BG_OK);
    random_cut_point(r, s->n_out, 1000., momenta);
    for (int leg = 0; helicities && leg < s->n; leg++)
        if ((helicities[leg] == '+') != (leg < s->n_in)) configuration |= 1u << s->place[leg];
    assert_int_equal(bg_flow_weigh(f, momenta, helicities ? &configuration : NULL, &count, &weight, NULL), BG_OK);
    oracle_squares(&o, momenta, helicities ? &configuration : NULL, square);
    assert_int_equal(count, o.structures);
    for (uint64_t k = 0; k < count; k++) {
        total += weight[k];
        expected += square[k];
    }
    assert_true(total > 0.);
    for (uint64_t k = 0; k < count; k++) {
        color_tag own[BG_MAX_LEGS], other[BG_MAX_LEGS];
        int found = 0;
        bg_flow_tags(f, k, 0, own);
        for (uint64_t a = 0; a < strings.structures; a++) {
            const color_structure x = bg_color_structure_unrank(&strings, a);
            bg_color_tags(s, &x, other);
            if (!same_tags(s->n, own, other)) continue;
            found++;
            assert_bounded(weight[k] / total - square[a] / expected, 1e-10, "%s, flow %d", text, (int)k);
        }
        assert_int_equal(found, 1);
    }
    free(square);
    bg_flow_release(f);
    oracle_destroy(&o);
}

static void strings_of_quarks(void **state)
{
    (void)state;
    static const char *const texts[] = {"u g > u g",      "u~ g > u~ g g",   "g g > u u~ g",  "u u~ > g g g",
                                        "u d > u d",      "u u > u u",       "u d~ > u d~ g", "u u~ > u u~ g",
                                        "g u > u d d~ g", "u u~ > d d~ s s~"};
    random_source r = fresh_source(2);
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) check_quarks(texts[k], NULL, &r);
    check_quarks("u g > u g g", "+-+-+", &r);
    check_quarks("g g > u u~ g", "+-+-+", &r);
    check_quarks("u d > u d g", "+-+-+", &r);
    check_quarks("u u > u u g", "++++-", &r);
    check_quarks("u u~ > u u~ g", "+--++", &r);
}

/* ---- draws ------------------------------------------------------------------------------------------------------- */

/* u d > u d: the flow of tags.h nine times in ten. */
static void leading_flow(void **state)
{
    (void)state;
    enum { DRAWS = 4000 };
    static const int leading[8] = {502, 0, 501, 0, 501, 0, 502, 0};
    random_source r = fresh_source(3);
    bg_flow *f = flow_of("u d > u d");
    double momenta[16];
    int count = 0;
    random_cut_point(&r, 2, 1000., momenta);
    for (int k = 0; k < DRAWS; k++) {
        int color[8];
        assert_int_equal(bg_flow_draw(f, NULL, momenta, NULL, 1, (uint64_t)k, color, NULL), BG_OK);
        check_tags(bg_flow_process(f), bg_flow_process(f)->pdg, color);
        count += !memcmp(color, leading, sizeof color);
    }
    assert_bounded(count - 0.9 * DRAWS, 5. * sqrt(0.09 * DRAWS), "flows that lead");
    bg_flow_destroy(f);
}

/* How often each flow comes, against its weight. */
static void check_frequencies(const char *text, const char *helicities, random_source *r)
{
    enum { DRAWS = 20000 };
    bg_flow *f = flow_of(text);
    const bg_subprocess *s = bg_flow_process(f);
    double momenta[4 * MOST_GLUONS], total = 0., chi2 = 0.;
    const double *weight;
    uint32_t configuration = 0;
    uint64_t count;
    int bins = 0;
    random_cut_point(r, s->n_out, 1000., momenta);
    for (int leg = 0; helicities && leg < s->n; leg++)
        if ((helicities[leg] == '+') != (leg < s->n_in)) configuration |= 1u << s->place[leg];
    assert_int_equal(bg_flow_weigh(f, momenta, helicities ? &configuration : NULL, &count, &weight, NULL), BG_OK);
    double *probability = malloc(2 * count * sizeof *probability);
    int *drawn = calloc(2 * count, sizeof *drawn);
    assert_true(probability && drawn);
    for (uint64_t k = 0; k < count; k++) total += weight[k];
    for (uint64_t k = 0; k < count; k++) probability[k] = weight[k] / total;
    for (int k = 0; k < DRAWS; k++) {
        int color[2 * BG_MAX_LEGS];
        color_tag own[BG_MAX_LEGS], other[BG_MAX_LEGS];
        uint64_t number = 0;
        assert_int_equal(bg_flow_draw(f, NULL, momenta, helicities, 7, (uint64_t)k, color, NULL), BG_OK);
        for (int leg = 0; leg < s->n; leg++) own[leg] = (color_tag){color[2 * leg], color[2 * leg + 1]};
        for (; number < count; number++) {
            bg_flow_tags(f, number, 0, other);
            if (same_tags(s->n, own, other)) break;
            bg_flow_tags(f, number, 1, other);
            if (same_tags(s->n, own, other)) break;
        }
        assert_true(number < count);
        drawn[number]++;
    }
    for (uint64_t k = 0; k < count; k++) {
        const double expected = probability[k] * DRAWS;
        if (expected < 5.) continue;
        chi2 += (drawn[k] - expected) * (drawn[k] - expected) / expected;
        bins++;
    }
    assert_bounded(chi2, bins + 6. * sqrt(2. * bins) + 10., "%s: chi2 of %d flows", text, bins);
    free(probability);
    free(drawn);
    bg_flow_destroy(f);
}

static void frequencies(void **state)
{
    (void)state;
    random_source r = fresh_source(4);
    check_frequencies("u g > u g g", NULL, &r);
    check_frequencies("u g > u g g", "+-+-+", &r);
    check_frequencies("g g > g g g", NULL, &r);
    check_frequencies("g g > g g", "++++", &r);
    check_frequencies("u u > u u", NULL, &r);
}

/* The same numbers give the same flow, whatever was drawn before; channels of antiquarks have it the other way round. */
static void channels(void **state)
{
    (void)state;
    random_source r = fresh_source(5);
    bg_flow *f = flow_of("u g > u g g");
    double momenta[20];
    static const int same[5] = {3, 21, 3, 21, 21}, opposite[5] = {-1, 21, -1, 21, 21};
    static const int wrong[5] = {21, 1, 1, 21, 21}, mixed[5] = {1, 21, -1, 21, 21};
    int first[10], color[10];
    bg_error error;
    random_cut_point(&r, 3, 1000., momenta);
    for (uint64_t event = 0; event < 50; event++) {
        assert_int_equal(bg_flow_draw(f, NULL, momenta, NULL, 3, event, first, NULL), BG_OK);
        assert_int_equal(bg_flow_draw(f, same, momenta, NULL, 3, event, color, NULL), BG_OK);
        assert_memory_equal(first, color, sizeof color);
        assert_int_equal(bg_flow_draw(f, opposite, momenta, NULL, 3, event, color, NULL), BG_OK);
        for (int k = 0; k < 10; k++) assert_int_equal(color[k], first[k ^ 1]);
    }
    assert_refused(bg_flow_draw(f, wrong, momenta, NULL, 3, 0, color, &error), &error, BG_ERROR_ARGUMENT, "pdg|class");
    assert_refused(bg_flow_draw(f, mixed, momenta, NULL, 3, 0, color, &error), &error, BG_ERROR_ARGUMENT, "pdg|class");
    assert_refused(bg_flow_draw(f, NULL, momenta, "+-+", 3, 0, color, &error), &error, BG_ERROR_ARGUMENT, "+-+|5");
    assert_refused(bg_flow_draw(f, NULL, momenta, "+-0--", 3, 0, color, &error), &error, BG_ERROR_ARGUMENT, "+-0--");
    assert_refused(bg_flow_draw(f, NULL, momenta, "+--++", 3, 0, color, &error), &error, BG_ERROR_ARGUMENT, "vanish");
    bg_flow_destroy(f);
    bg_process *p = process_of("p p > 2j");
    assert_refused(bg_flow_create(&f, p, 1000, &error), &error, BG_ERROR_ARGUMENT, "1000|0 to");
    assert_null(f);
    assert_int_equal(bg_flow_create(&f, p, bg_process_classes(p) - 1, &error), BG_OK);
    bg_flow_destroy(f);
    bg_process_destroy(p);
}

/* Many gluons: antennas. Two that are collinear are neighbors nearly always. */
static void check_antenna(const char *text, int a, int b, random_source *r)
{
    enum { DRAWS = 200 };
    bg_flow *f = flow_of(text);
    const bg_subprocess *s = bg_flow_process(f);
    double momenta[4 * MOST_GLUONS];
    int together = 0;
    assert_int_equal(bg_flow_is_exact(f, 0), 0);
    collinear_point(r, s->n_out, 1e-4, 0.4, momenta); /* the first and the last outgoing one */
    for (int k = 0; k < DRAWS; k++) {
        int color[2 * BG_MAX_LEGS];
        assert_int_equal(bg_flow_draw(f, NULL, momenta, NULL, 1, (uint64_t)k, color, NULL), BG_OK);
        check_tags(s, s->pdg, color);
        together += (color[2 * a] && color[2 * a] == color[2 * b + 1]) ||
                    (color[2 * a + 1] && color[2 * a + 1] == color[2 * b]);
    }
    assert_in_range(together, DRAWS * 9 / 10, DRAWS);
    bg_flow_destroy(f);
}

static void antennas(void **state)
{
    (void)state;
    random_source r = fresh_source(6);
    check_antenna("g g > 8g", 2, 9, &r);
    check_antenna("g g > 12g", 2, 13, &r);
    check_antenna("u g > u 8g", 2, 10, &r);
    check_antenna("g g > g u u~ 7g", 2, 11, &r);
}

/* The largest numbers that are enumerated. */
static void many_partons(void **state)
{
    (void)state;
    static const char *const texts[] = {"g g > 6g", "u g > u 6g", "u d > u d 4g", "u u > u u d d~ g g"};
    random_source r = fresh_source(7);
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        bg_flow *f = flow_of(texts[k]);
        const bg_subprocess *s = bg_flow_process(f);
        double momenta[4 * MOST_GLUONS];
        int color[2 * BG_MAX_LEGS];
        assert_int_equal(bg_flow_is_exact(f, 0), 1);
        random_cut_point(&r, s->n_out, 14000., momenta);
        for (uint64_t event = 0; event < 2; event++) {
            assert_int_equal(bg_flow_draw(f, NULL, momenta, NULL, 1, event, color, NULL), BG_OK);
            check_tags(s, s->pdg, color);
        }
        bg_flow_destroy(f);
    }
}

/* Points that are drawn together get what each gets alone. */
static void points_together(void **state)
{
    (void)state;
    static const char *const texts[] = {"g g > g g g g", "u g > u g g", "u d > u d g", "u u~ > g g"};
    static const char *const helicities[] = {NULL, "-+-+-", "+-+-+", NULL};
    random_source r = fresh_source(11);
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        bg_flow *f = flow_of(texts[k]);
        const bg_subprocess *s = bg_flow_process(f);
        const bg_flow_kernel *kernel;
        assert_int_equal(bg_flow_kernel_find(&kernel, s->lines, NULL), BG_OK);
        assert_in_range(kernel->lanes, 1, BG_FLOW_MOST_LANES);
        for (int count = 1; count <= kernel->lanes; count++) {
            double momenta[BG_FLOW_MOST_LANES][4 * MOST_GLUONS];
            int together[BG_FLOW_MOST_LANES][2 * BG_MAX_LEGS], alone[2 * BG_MAX_LEGS];
            bg_flow_point point[BG_FLOW_MOST_LANES];
            for (int i = 0; i < count; i++) {
                random_cut_point(&r, s->n_out, 14000., momenta[i]);
                point[i] = (bg_flow_point){NULL, momenta[i], helicities[k], 3, (uint64_t)i, together[i]};
            }
            assert_int_equal(bg_flow_draw_some(f, count, point, NULL), BG_OK);
            for (int i = 0; i < count; i++) {
                assert_int_equal(bg_flow_draw(f, NULL, momenta[i], helicities[k], 3, (uint64_t)i, alone, NULL), BG_OK);
                assert_memory_equal(alone, together[i], 2 * (size_t)s->n * sizeof *alone);
            }
        }
        bg_flow_destroy(f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(traces_of_gluons), cmocka_unit_test(traces_are_complete), cmocka_unit_test(strings_of_quarks),
        cmocka_unit_test(leading_flow),     cmocka_unit_test(frequencies),         cmocka_unit_test(channels),
        cmocka_unit_test(antennas),         cmocka_unit_test(many_partons),        cmocka_unit_test(points_together),
    };
    return cmocka_run_group_tests_name("flow", tests, NULL, NULL);
}
