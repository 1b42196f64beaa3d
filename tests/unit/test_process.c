/* Processes with quarks: text, legs and lines of a subprocess, classes of channels. */
#include "support.h"

#include "process/partons.h"
#include "process/process.h"
#include "process/text.h"

static bg_process *parsed(const char *text, int flavors, int lines)
{
    bg_process *p = NULL;
    bg_error error;
    if (bg_process_parse(&p, text, flavors, lines, &error) != BG_OK) fail_msg("%s: %s", text, error.message);
    return p;
}

static bg_subprocess one(const char *text)
{
    bg_process *p = parsed(text, 5, BG_ALL_LINES);
    const bg_subprocess s = p->subprocess[0];
    assert_int_equal(p->count, 1);
    assert_int_equal(bg_process_is_open(p), 0);
    bg_process_destroy(p);
    return s;
}

/* ---- text ------------------------------------------------------------------------------------------------------- */

static void ways_to_write(void **state)
{
    (void)state;
    static const char *const same[][4] = {
        {"u g > u g g", "2 21 > 2 21 21", "u g > u 2g", " u\tg->u 2 g "},
        {"g g > g g g g", "g g > 4g", "2g > 4 g", "21 21 > 21 21 21 21"},
        {"u~ d > u~ d b b~", "-2 1>-2 1 5 -5", "1u~ d > u~ d b b~", "u~ d > u~ 1 d b 1b~"},
    };
    for (size_t k = 0; k < sizeof same / sizeof *same; k++)
        for (int i = 0; i < 4; i++) {
            char text[64];
            const bg_subprocess s = one(same[k][i]);
            bg_partons_write(s.n_in, s.n, s.pdg, text, sizeof text);
            assert_string_equal(text, same[k][0]);
        }
}

static void what_is_wrong_is_named(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bg_status status;
        const char *parts;
    } list[] = {
        {"x g > g g", BG_ERROR_ARGUMENT, "'x'|g, u, u~"},
        {"u~~ g > g g", BG_ERROR_ARGUMENT, "'u~~'"},
        {"G G > G G", BG_ERROR_ARGUMENT, "'G'"},
        {"gg > gg", BG_ERROR_ARGUMENT, "'gg'"},
        {"e+ e- > u u~", BG_ERROR_UNSUPPORTED, "'e+'|QCD"},
        {"g g > t t~", BG_ERROR_UNSUPPORTED, "'t'|massless"},
        {"21 21 > 6 -6", BG_ERROR_UNSUPPORTED, "'6'|21"},
        {"21 21 > -21 21", BG_ERROR_UNSUPPORTED, "'-21'"},
        {"2 21 > 2 g 21", BG_ERROR_ARGUMENT, "'2'|do not mix"},
        {"u g > d g", BG_ERROR_ARGUMENT, "flavor d|u g > d g|0 before|1 after"},
        {"u u > u u~", BG_ERROR_ARGUMENT, "flavor u|2 before|0 after"},
        {"u d~ > g g", BG_ERROR_ARGUMENT, "flavor d|-1 before|0 after"},
        {"g g > 6u 6 u~", BG_ERROR_UNSUPPORTED, "6 quark lines|at most 5"},
        {"g g > 13g", BG_ERROR_ARGUMENT, "more than 12|2 to 12"},
        {"g g > 99999999999999999999g", BG_ERROR_ARGUMENT, "more than 12"},
        {"g g > 0g 2g", BG_ERROR_ARGUMENT, "'0'"},
        {"g g > -2 g", BG_ERROR_ARGUMENT, "'-2'"},
        {"g g > g 3", BG_ERROR_ARGUMENT, "'3'"},
        {"g g > 2 > g", BG_ERROR_ARGUMENT, "'2'"},
        {"g g > g g > g", BG_ERROR_ARGUMENT, "more than one arrow"},
        {"g g", BG_ERROR_ARGUMENT, "no arrow"},
        {"", BG_ERROR_ARGUMENT, "no arrow"},
        {"g > g g", BG_ERROR_ARGUMENT, "1 incoming|must be 2"},
        {"g g g > g g", BG_ERROR_ARGUMENT, "incoming|2"},
        {"g g > g", BG_ERROR_ARGUMENT, "1 outgoing|2 to 12"},
        {"p p > p j", BG_ERROR_ARGUMENT, "'p'|come in"},
        {"j p > j j", BG_ERROR_ARGUMENT, "'j'|go out"},
        {"g g > u d j", BG_ERROR_ARGUMENT, "no channel|3 quark lines"},
    };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        bg_error error;
        bg_process *p = (bg_process *)&error;
        const bg_status status = bg_process_parse(&p, list[k].text, 5, 3, &error);
        assert_refused(status, &error, list[k].status, list[k].parts);
        assert_null(p);
    }
    bg_error error;
    bg_process *p;
    assert_refused(bg_process_parse(&p, "p p > 2j", 2, 3, &error), &error, BG_ERROR_ARGUMENT, "flavors = 2|3 to 5");
    assert_refused(bg_process_parse(&p, "p p > 2j", 5, 6, &error), &error, BG_ERROR_ARGUMENT, "quark_lines = 6|0 to 5");
    assert_refused(bg_process_parse(&p, NULL, 5, 3, &error), &error, BG_ERROR_ARGUMENT, "text is NULL");
    assert_refused(bg_process_parse(NULL, "p p > 2j", 5, 3, &error), &error, BG_ERROR_ARGUMENT, "process is NULL");
}

/* ---- a subprocess ------------------------------------------------------------------------------------------------- */

/* What every subprocess must fulfil, whatever it is. */
static void check_consistency(const bg_subprocess *s)
{
    int bosons = 0, lines = 0;
    for (int k = 0; k < s->n; k++) {
        assert_int_equal(s->place[s->leg[k]], k);
        assert_int_equal(s->incoming >> k & 1u, s->leg[k] < s->n_in);
        bosons += s->pdg[k] == BG_PDG_GLUON;
    }
    assert_int_equal(bosons, s->gluons);
    assert_int_equal(s->n, s->gluons + 2 * s->lines);
    assert_int_equal(s->couplings, s->n - 2);
    for (int f = 0; f < s->flavors; f++) {
        if (f) assert_true(s->lines_of[f] <= s->lines_of[f - 1]);
        for (int k = 0; k < s->lines_of[f]; k++, lines++) {
            assert_int_equal(s->flavor[lines], f);
            assert_true(s->crossed[s->quark[lines]] > 0);
            assert_int_equal(s->crossed[s->antiquark[lines]], -s->crossed[s->quark[lines]]);
        }
    }
    assert_int_equal(lines, s->lines);
    for (int k = 0; k < s->gluons; k++) {
        assert_int_equal(s->pdg[s->gluon[k]], BG_PDG_GLUON);
        if (k) assert_true(s->place[s->gluon[k]] > s->place[s->gluon[k - 1]]);
    }
    assert_true(s->leg[s->gauge] < s->n_in && s->leg[s->opposite] < s->n_in && s->gauge != s->opposite);
}

/* Gluons are what they have always been. */
static void gluons_stay(void **state)
{
    (void)state;
    for (int n_out = BG_MIN_OUT; n_out <= BG_MAX_OUT_DRESSED; n_out++) {
        const bg_subprocess s = bg_subprocess_gluons(n_out);
        check_consistency(&s);
        assert_int_equal(s.letters, n_out);
        assert_int_equal(s.ends, BG_ENDS_GLUONS);
        assert_int_equal(s.lines, 0);
        assert_int_equal(s.incoming, 1u | 1u << (n_out + 1));
        assert_int_equal(s.leg[0], 0);
        assert_int_equal(s.leg[n_out + 1], 1);
        for (int k = 0; k < n_out; k++) {
            assert_int_equal(s.leg[k + 1], k + 2);
            assert_int_equal(s.alike[k + 2], k + 1);
        }
        assert_true(s.incoming_colors == 64. && s.incoming_helicities == 4.);
        assert_int_equal(s.gauge, n_out + 1);
        assert_int_equal(s.opposite, 0);
    }
}

static void places_of_one_line(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int leg[6]; /* by place */
        int gauge, reversed;
    } list[] = {
        {"u g > u g", {2, 1, 3, 0}, 0, 0},   {"g u > u g", {2, 0, 3, 1}, 1, 0},
        {"g u~ > g u~", {3, 0, 2, 1}, 1, 1}, {"u~ g > u~ g", {2, 1, 3, 0}, 0, 1},
        {"u u~ > g g", {0, 2, 3, 1}, 1, 1},  {"u~ u > g g", {0, 2, 3, 1}, 1, 0},
        {"g g > u u~", {2, 0, 1, 3}, 1, 0},  {"g g > u~ g u", {4, 0, 1, 3, 2}, 1, 0},
    };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        const bg_subprocess s = one(list[k].text);
        check_consistency(&s);
        assert_int_equal(s.ends, BG_ENDS_QUARKS);
        assert_int_equal(s.letters, s.gluons);
        for (int place = 0; place < s.n; place++) assert_int_equal(s.leg[place], list[k].leg[place]);
        assert_int_equal(s.leg[s.gauge], list[k].gauge);
        assert_int_equal(s.reversed, list[k].reversed);
        /* the start is the quark unless reversed */
        assert_int_equal(s.leg[0], s.reversed ? s.antiquark[0] : s.quark[0]);
    }
}

static void lines_by_flavor(void **state)
{
    (void)state;
    bg_subprocess s = one("d u > d u u u~ g");
    check_consistency(&s);
    assert_int_equal(s.ends, BG_ENDS_MANY);
    assert_int_equal(s.lines, 3);
    assert_int_equal(s.flavors, 2);
    assert_int_equal(s.lines_of[0], 2);
    assert_int_equal(s.crossed[s.quark[0]], 2);
    assert_int_equal(s.crossed[s.quark[2]], 1);
    assert_int_equal(s.leg[s.gauge], 1);
    s = one("u d > u d s s~");
    check_consistency(&s);
    assert_int_equal(s.flavors, 3);
    s = one("g g > 5u 5u~");
    check_consistency(&s);
    assert_int_equal(s.lines_of[0], 5);
    assert_true(bg_subprocess_symmetry(&s) == 120. * 120.);
}

/* ---- classes ---------------------------------------------------------------------------------------------------------- */

static int channels_of(const bg_process *p)
{
    int channels = 0;
    for (int k = 0; k < bg_process_classes(p); k++) {
        bg_process_class c;
        bg_process_class_init(&c);
        assert_int_equal(bg_process_class_at(p, k, &c, NULL), BG_OK);
        channels += c.channels;
    }
    return channels;
}

static void counts_of_jets(void **state)
{
    (void)state;
    static const struct {
        int jets, lines, classes, channels;
    } list[] = {{2, 3, 9, 176},    {3, 3, 11, 276},   {4, 3, 23, 891},  {5, 3, 27, 1191},  {6, 3, 30, 1226},
                {6, -1, 51, 2926}, {7, -1, 58, 3626}, {8, 3, 30, 1226}, {8, -1, 100, 7546}};
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        char text[16];
        snprintf(text, sizeof text, "p p > %dj", list[k].jets);
        bg_process *p = parsed(text, 5, list[k].lines);
        assert_int_equal(bg_process_is_open(p), 1);
        assert_int_equal(bg_process_n_out(p), list[k].jets);
        assert_int_equal(bg_process_classes(p), list[k].classes);
        assert_int_equal(channels_of(p), list[k].channels);
        bg_process_destroy(p);
    }
}

/* Section by section the list of four jets. */
static void four_jets(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int channels, lines;
    } list[] = {
        {"g g > g g g g", 1, 0},      {"g g > u u~ g g", 5, 1},    {"g u > u g g g", 20, 1},
        {"u u~ > g g g g", 10, 1},    {"g g > u u u~ u~", 5, 2},   {"g g > u u~ d d~", 10, 2},
        {"g u > u d d~ g", 80, 2},    {"g u > u u u~ g", 20, 2},   {"u u > u u g g", 10, 2},
        {"u d > u d g g", 40, 2},     {"u d~ > u d~ g g", 40, 2},  {"u u~ > d d~ g g", 40, 2},
        {"u u~ > u u~ g g", 10, 2},   {"u u > u u d d~", 40, 3},   {"u u > u u u u~", 10, 3},
        {"u d > u d s s~", 120, 3},   {"u d > u u u~ d", 80, 3},   {"u d~ > u u u~ d~", 80, 3},
        {"u s~ > u d d~ s~", 120, 3}, {"u u~ > d d d~ d~", 40, 3}, {"u u~ > d d~ s s~", 60, 3},
        {"u u~ > u u u~ u~", 10, 3},  {"u u~ > u u~ d d~", 40, 3},
    };
    enum { CLASSES = sizeof list / sizeof *list };
    bg_process *p = parsed("p p > 4j", 5, 3);
    assert_int_equal(bg_process_classes(p), CLASSES);
    for (int k = 0; k < CLASSES; k++) {
        bg_process_class c;
        int found = 0;
        bg_process_class_init(&c);
        assert_int_equal(bg_process_class_at(p, k, &c, NULL), BG_OK);
        for (int i = 0; i < CLASSES; i++)
            if (!strcmp(c.name, list[i].name)) {
                assert_int_equal(c.channels, list[i].channels);
                assert_int_equal(c.quark_lines, list[i].lines);
                found++;
            }
        if (found != 1) fail_msg("class %s is not in the list", c.name);
        check_consistency(&p->subprocess[k]);
    }
    bg_process_destroy(p);
}

/* A channel conserves flavor and is different from all others; beams count what they should. */
static void channels_are_what_they_say(void **state)
{
    (void)state;
    bg_process *p = parsed("p p > 4j", 4, 3);
    enum { MOST = 1000 };
    static int seen[MOST][6];
    int count = 0;
    for (int k = 0; k < bg_process_classes(p); k++) {
        bg_process_class c;
        bg_process_beams b;
        int in_pairs = 0;
        bg_process_class_init(&c);
        bg_process_beams_init(&b);
        assert_int_equal(bg_process_class_at(p, k, &c, NULL), BG_OK);
        for (int i = 0; i < c.beams; i++) {
            assert_int_equal(bg_process_beams_at(p, k, i, &b, NULL), BG_OK);
            in_pairs += b.channels;
        }
        assert_int_equal(in_pairs, c.channels);
        for (int i = 0; i < c.channels; i++) {
            int pdg[6], exchanged, channel[6];
            bg_subprocess s;
            assert_int_equal(bg_process_channel_at(p, k, i, pdg, &exchanged, NULL), BG_OK);
            assert_int_equal(bg_subprocess_create(&s, 2, 4, pdg, NULL), BG_OK);
            assert_int_equal(s.gluons, c.gluons);
            assert_int_equal(s.lines, c.quark_lines);
            /* same kernel, same averages and symmetry */
            assert_memory_equal(s.lines_of, p->subprocess[k].lines_of, sizeof s.lines_of);
            assert_true(s.incoming_colors == p->subprocess[k].incoming_colors);
            assert_true(bg_subprocess_symmetry(&s) == bg_subprocess_symmetry(&p->subprocess[k]));
            /* in the order of the beams, the outgoing ones sorted */
            for (int leg = 0; leg < 6; leg++) channel[leg] = pdg[leg < 2 ? leg ^ exchanged : leg];
            for (int a = 2; a < 6; a++)
                for (int at = a; at > 2 && channel[at] < channel[at - 1]; at--) {
                    const int swapped = channel[at];
                    channel[at] = channel[at - 1];
                    channel[at - 1] = swapped;
                }
            for (int other = 0; other < count; other++) assert_true(memcmp(channel, seen[other], sizeof channel) != 0);
            assert_true(count < MOST);
            memcpy(seen[count++], channel, sizeof channel);
        }
    }
    assert_true(count > 300);
    bg_error error;
    bg_process_class c;
    bg_process_beams b;
    int pdg[6], exchanged;
    bg_process_class_init(&c);
    bg_process_beams_init(&b);
    assert_refused(bg_process_class_at(p, 99, &c, &error), &error, BG_ERROR_ARGUMENT, "class 99|0 to 22");
    assert_refused(bg_process_class_at(NULL, 0, &c, &error), &error, BG_ERROR_ARGUMENT, "NULL");
    assert_refused(bg_process_beams_at(p, 0, 1, &b, &error), &error, BG_ERROR_ARGUMENT, "pair 1|0 to 0");
    assert_refused(bg_process_channel_at(p, 0, -1, pdg, &exchanged, &error), &error, BG_ERROR_ARGUMENT,
                   "channel -1|0 to 0");
    assert_int_equal(bg_process_classes(NULL), 0);
    assert_int_equal(bg_process_is_open(NULL), 0);
    bg_process_destroy(p);
}

/* p and j beside partons that are named. */
static void half_open(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int flavors, lines, classes, channels;
    } list[] = {
        {"p p > 3g", 5, 3, 2, 11},    /* g g, and q q~ of either order */
        {"g g > 2j", 3, 3, 2, 4},     /* g g and three pairs */
        {"g p > b b~ j", 3, 3, 2, 7}, /* the density may have no b: g, and six quarks */
        {"p p > 2j", 5, 0, 1, 1},     /* no quarks at all */
        {"p u > u j", 4, 3, 5, 9},    /* g; u, u~; six others: u g > u g, u u, u~ u, q u, q~ u */
    };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        bg_process *p = parsed(list[k].text, list[k].flavors, list[k].lines);
        if (bg_process_classes(p) != list[k].classes || channels_of(p) != list[k].channels)
            fail_msg("%s: %d classes, %d channels", list[k].text, bg_process_classes(p), channels_of(p));
        bg_process_destroy(p);
    }
}

/* What stands for several subprocesses has no matrix element of its own, and no points. */
static void several_subprocesses_are_refused(void **state)
{
    (void)state;
    static const char *const texts[] = {"p p > 2j", "g g > 2j", "u g > u 2j"}, *const words =
                                                                                   "one of|subprocesses|partons";
    for (int k = 0; k < 3; k++) {
        bg_process *p = parsed(texts[k], 5, 3);
        bg_evaluator *e;
        bg_generator *g;
        bg_options o;
        bg_integration w;
        bg_memory m;
        bg_error error;
        bg_options_init(&o);
        bg_integration_init(&w);
        bg_memory_init(&m);
        assert_refused(bg_evaluator_create(&e, p, &o, &error), &error, BG_ERROR_UNSUPPORTED, words);
        assert_refused(bg_memory_needed(p, &o, &m, &error), &error, BG_ERROR_UNSUPPORTED, words);
        assert_refused(bg_generator_create(&g, p, &o, &w, &error), &error, BG_ERROR_UNSUPPORTED, words);
        bg_process_destroy(p);
    }
}

/* With quarks there are exact color sums of the fast kernel and coherent colors, and nothing else. */
static void quarks_have_exact_sums(void **state)
{
    (void)state;
    static const struct {
        const char *text, *name[3], *value[3], *says;
    } list[] = {
        {"u g > u g", {"kernel", NULL}, {"paper", NULL}, "paper|gluons alone|fast"},
        {"u g > u g", {"color", NULL}, {"leading", NULL}, "leading|gluons alone|summed"},
        {"u g > u g", {"color", "recursion"}, {"sampled", "ordered"}, "sampled|gluons alone|dressed"},
        {"u g > u g",
         {"color", "recursion", "color-sampling"},
         {"sampled", "dressed", "continuous"},
         "continuous|gluons alone|coherent"},
        {"u d > u d s s~ c c~", {"color", "recursion"}, {"sampled", "dressed"}, "4 quark lines|at most 3"},
        {"u g > u g", {"vertex", NULL}, {"tensor", NULL}, "tensor|gluons alone"},
        {"u d > u d", {"decomposition", NULL}, {"trace", NULL}, "trace|gluons alone"},
        {"u g > u g", {"helicity", "helicity-sampling"}, {"sampled", "invariants"}, "invariants|gluons alone|adaptive"},
        {"u g > u g", {"helicity", "helicity-sampling"}, {"sampled", "masses"}, "masses|gluons alone|adaptive"},
        {"u g > u g", {"helicity", NULL}, {"+-+-+", NULL}, "5 helicities|4 partons"},
        {"u g > u 9g", {NULL, NULL}, {NULL, NULL}, "1 quark lines|10 gluons|3628800|at most 362880"},
        {"u d > u d 8g", {NULL, NULL}, {NULL, NULL}, "2 quark lines|8 gluons|725760|at most 362880"},
    };
    bg_options o;
    bg_error error;
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        bg_process *p = parsed(list[k].text, 5, 3);
        bg_evaluator *e = NULL;
        bg_memory m;
        bg_options_init(&o);
        bg_memory_init(&m);
        for (int w = 0; w < 3 && list[k].name[w]; w++)
            assert_int_equal(bg_options_set(&o, list[k].name[w], list[k].value[w], &error), BG_OK);
        const bg_status expected = strstr(list[k].says, "helicities") ? BG_ERROR_ARGUMENT : BG_ERROR_UNSUPPORTED;
        assert_refused(bg_options_check(p, &o, &error), &error, expected, list[k].says);
        assert_refused(bg_evaluator_create(&e, p, &o, &error), &error, expected, list[k].says);
        assert_refused(bg_memory_needed(p, &o, &m, &error), &error, expected, list[k].says);
        bg_process_destroy(p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ways_to_write),
        cmocka_unit_test(what_is_wrong_is_named),
        cmocka_unit_test(gluons_stay),
        cmocka_unit_test(places_of_one_line),
        cmocka_unit_test(lines_by_flavor),
        cmocka_unit_test(counts_of_jets),
        cmocka_unit_test(four_jets),
        cmocka_unit_test(channels_are_what_they_say),
        cmocka_unit_test(half_open),
        cmocka_unit_test(several_subprocesses_are_refused),
        cmocka_unit_test(quarks_have_exact_sums),
    };
    return cmocka_run_group_tests_name("process", tests, NULL, NULL);
}
