/* Color flows: tags of all structures, and the choice of a structure. */
#include "oracle.h"
#include "support.h"

#include "color/tags.h"
#include "process/process.h"

static bg_subprocess process_of(const char *text)
{
    bg_process *p;
    bg_error error;
    if (bg_process_parse(&p, text, 5, BG_ALL_LINES, &error) != BG_OK) fail_msg("%s", error.message);
    const bg_subprocess s = p->subprocess[0];
    bg_process_destroy(p);
    return s;
}

/* Every parton has what belongs to it, and every tag comes in once and goes out once. */
static void check_tags(const bg_subprocess *s, const color_tag *tag)
{
    const int tags = s->gluons + s->lines;
    int seen[2][BG_MAX_LEGS] = {{0}}; /* sources and sinks */
    for (int leg = 0; leg < s->n; leg++) {
        const int in = leg < s->n_in;
        assert_int_equal(tag[leg].color != 0, s->pdg[leg] > 0);
        assert_int_equal(tag[leg].anticolor != 0, s->pdg[leg] == BG_PDG_GLUON || s->pdg[leg] < 0);
        assert_true(tag[leg].color != tag[leg].anticolor);
        for (int which = 0; which < 2; which++) {
            const int number = which ? tag[leg].anticolor : tag[leg].color;
            if (!number) continue;
            assert_true(number >= BG_FIRST_TAG && number < BG_FIRST_TAG + tags);
            /* color that comes in, or anticolor that goes out, must be met by the opposite */
            seen[in == which][number - BG_FIRST_TAG]++;
        }
    }
    for (int k = 0; k < tags; k++) assert_true(seen[0][k] == 1 && seen[1][k] == 1);
}

static void tags_are_conserved(void **state)
{
    (void)state;
    FILE *f = fopen(TEST_DATA_DIR "/quarks/reference.txt", "r");
    static char line[8192];
    int processes = 0;
    assert_non_null(f);
    while (fgets(line, sizeof line, f)) {
        if (strncmp(line, "process ", 8) != 0) continue;
        const bg_subprocess s = process_of(line + 8);
        const color_strings strings = bg_color_strings(s.lines, s.gluons);
        for (uint64_t a = 0; a < strings.structures; a++) {
            color_tag tag[BG_MAX_LEGS];
            const color_structure x = bg_color_structure_unrank(&strings, a);
            bg_color_tags(&s, &x, tag);
            check_tags(&s, tag);
        }
        processes++;
    }
    fclose(f);
    assert_int_equal(processes, 29);
}

/* The example of tags.h. */
static void leading_flow(void **state)
{
    (void)state;
    const bg_subprocess s = process_of("u d > u d");
    color_structure x = {.connection = {{1, 0}}};
    color_tag tag[BG_MAX_LEGS];
    bg_color_tags(&s, &x, tag);
    check_tags(&s, tag);
    assert_int_equal(tag[0].color, 502);
    assert_int_equal(tag[1].color, 501);
    assert_int_equal(tag[2].color, 501);
    assert_int_equal(tag[3].color, 502);
    /* and its amplitude is three times the other one */
    random_source r = fresh_source(1);
    oracle o;
    double complex amplitude[2];
    double p[16];
    oracle_create(&o, &s, -1);
    random_cut_point(&r, 2, 1000., p);
    const uint64_t leading = bg_color_structure_rank(&o.pattern[0].list.strings, &x);
    for (int k = 0; k < o.patterns; k++) {
        oracle_amplitudes(&o, k, 0u, -1, p, amplitude);
        assert_relative(cabs(amplitude[leading]), 3. * cabs(amplitude[1 - leading]), 1e-12, "u d > u d");
    }
    oracle_destroy(&o);
}

/* Words of a single line run from its start, which may be the antiquark. */
static void one_line(void **state)
{
    (void)state;
    static const char *const texts[] = {"u g > u g g", "u~ g > u~ g g", "u u~ > 3g", "u~ u > 3g", "g g > u u~ g"};
    for (int k = 0; k < 5; k++) {
        const bg_subprocess s = process_of(texts[k]);
        permutation word = bg_permutation_unrank(s.letters, 0);
        do {
            color_tag tag[BG_MAX_LEGS];
            const color_structure x = bg_color_structure_of_line(&s, &word);
            bg_color_tags(&s, &x, tag);
            check_tags(&s, tag);
            /* neighbors in the word share a tag */
            for (int i = 0; i <= s.letters; i++) {
                const int a = s.leg[i ? 1 + word.at[i - 1] : 0], b = s.leg[i < s.letters ? 1 + word.at[i] : s.n - 1];
                const int shared = (tag[a].color && tag[a].color == tag[b].color) ||
                                   (tag[a].anticolor && tag[a].anticolor == tag[b].anticolor) ||
                                   (tag[a].color && tag[a].color == tag[b].anticolor) ||
                                   (tag[a].anticolor && tag[a].anticolor == tag[b].color);
                assert_true(shared);
            }
        } while (bg_permutation_next(s.letters, &word));
    }
}

static void traces_of_gluons(void **state)
{
    (void)state;
    for (int n_out = 2; n_out <= 5; n_out++) {
        const bg_subprocess s = bg_subprocess_gluons(n_out);
        permutation p = bg_permutation_unrank(s.n - 1, 0);
        do {
            uint8_t leg[BG_MAX_LEGS] = {0};
            color_tag tag[BG_MAX_LEGS];
            for (int k = 1; k < s.n; k++) leg[k] = (uint8_t)(1 + p.at[k - 1]);
            bg_color_tags_of_trace(&s, leg, tag);
            check_tags(&s, tag);
        } while (bg_permutation_next(s.n - 1, &p));
    }
}

static void choices(void **state)
{
    (void)state;
    static const double weight[] = {0., 1., 0., 3., 4., 0.};
    assert_int_equal(bg_color_choose(6, weight, 0.), 1);
    assert_int_equal(bg_color_choose(6, weight, 0.1249), 1);
    assert_int_equal(bg_color_choose(6, weight, 0.126), 3);
    assert_int_equal(bg_color_choose(6, weight, 0.4999), 3);
    assert_int_equal(bg_color_choose(6, weight, 0.501), 4);
    assert_int_equal(bg_color_choose(6, weight, nextafter(1., 0.)), 4);
    assert_int_equal(bg_color_choose(1, weight, 0.5), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tags_are_conserved), cmocka_unit_test(leading_flow), cmocka_unit_test(one_line),
        cmocka_unit_test(traces_of_gluons),   cmocka_unit_test(choices),
    };
    return cmocka_run_group_tests_name("tags", tests, NULL, NULL);
}
