/* Coherent color sampling with quark lines: its amplitudes are the sums over color structures, its probabilities add up to one, its
 * means are the exact color sums, and a draw spreads as little as it should.
 */
#include "amplitude/external.h"
#include "amplitude/open.h"

#include "oracle.h"
#include "partons.h"

/* For vectors, in whole lines. */
static void *room_for(size_t bytes)
{
    void *room = aligned_alloc(64, (bytes + 63) / 64 * 64);
    assert_non_null(room);
    return room;
}

/* A process with what its kernel needs, and one point in all lanes. */
typedef struct fixture {
    bg_subprocess process;
    open_process o;
    open_schedule s[3]; /* [parts] */
    real *memory;
    double momenta[4 * BG_MAX_LEGS];
    vec4 p[BG_MAX_LEGS];
    open_momenta m;
    real legs[OPEN_LEGS], antennas[OPEN_MOST_ANTENNAS];
} fixture;

/* A point as all lanes see it, legs taken as outgoing. */
static void set_point(fixture *f, random_source *r)
{
    random_cut_point(r, f->process.n_out, 1000., f->momenta);
    for (int leg = 0; leg < f->process.n; leg++) {
        const double sign = leg < f->process.n_in ? -1. : 1., *q = f->momenta + 4 * leg;
        const vec4 p = {bg_real(sign * q[0]), bg_real(sign * q[1]), bg_real(sign * q[2]), bg_real(sign * q[3])};
        f->p[f->process.place[leg]] = p;
    }
    f->m.leg = f->legs;
    open_load(&f->o, &f->process, f->p, &f->m);
    open_antennas(&f->o, &f->m, f->antennas);
}

static void set_up(fixture *f, const bg_subprocess *process)
{
    f->process = *process;
    f->o = bg_open_process(process);
    for (int parts = 1; parts <= 2; parts++) {
        open_schedule_place(&f->o, parts, room_for(open_schedule_bytes(&f->o)), &f->s[parts]);
        open_rule_table(f->s[parts].rule);
        open_forbid(&f->o, &f->s[parts], 0, 1);
    }
    f->memory = room_for(open_work_reals(&f->o, 2) * sizeof(real));
}

static void tear_down(fixture *f)
{
    for (int parts = 1; parts <= 2; parts++) free(f->s[parts].term); /* the first of its pieces */
    free(f->memory);
}

/* Every gluon at the place that has its number. */
static void stay(const fixture *f, open_flow *flow)
{
    for (int l = 0; l < BG_LANES; l++)
        for (int k = 0; k < f->o.gluons; k++) flow[l].gluon[k] = (uint8_t)k;
}

/* Number `number` of all ways to give colors to gluons and fermions. */
static open_colors colors_of(const open_process *o, uint64_t number)
{
    open_colors c = {{0}, {0}, {0}};
    for (int k = 0; k < o->gluons; k++, number /= 9) {
        c.row[k] = (signed char)(number % 9 / 3);
        c.col[k] = (signed char)(number % 3);
    }
    for (int f = 0; f < 2 * o->lines; f++, number /= 3) c.fermion[f] = (signed char)(number % 3);
    return c;
}

static uint64_t ways(const open_process *o)
{
    uint64_t number = 1;
    for (int k = 0; k < 2 * o->gluons + 2 * o->lines; k++) number *= 3;
    return number;
}

/* Whether charges add up to nothing: amplitudes of all other colors vanish, and nobody asks for them. */
static int in_balance(const open_process *o, const open_colors *c)
{
    uint32_t charge = COHERENT_NO_CHARGE;
    for (int leg = 0; leg < o->legs; leg++) charge += open_leg_charge(o, c, leg);
    return charge == COHERENT_NO_CHARGE;
}

/* ---- amplitudes ---------------------------------------------------------------------------------------------------- */

/* What a color structure is for these colors: a product of matrices along its strings. */
static double color_tensor(const open_process *o, const color_structure *structure, const open_colors *c)
{
    double product = 1.;
    int place = 0;
    for (int i = 0; i < o->lines; i++) {
        double row[3] = {0., 0., 0.};
        row[c->fermion[o->quark[i]]] = 1.;
        for (int k = 0; k < structure->length[i]; k++, place++) {
            const int g = structure->word.at[place], diagonal = c->row[g] == c->col[g];
            const double moved = row[c->row[g]];
            for (int a = 0; a < 3; a++) row[a] = diagonal ? -row[a] / 3. : 0.;
            row[c->col[g]] += moved;
        }
        product *= row[c->fermion[o->antiquark[structure->connection.at[i]]]];
    }
    return product;
}

/* Squares for many colors, gluon helicities and chiralities, against sums of the oracle's amplitudes over all structures. */
static void check_amplitudes(const char *text, random_source *r)
{
    fixture f;
    oracle o;
    oracle_create_text(&o, text, -1);
    set_up(&f, &o.process);
    set_point(&f, r);
    const color_strings strings = bg_color_strings(f.o.lines, f.o.gluons);
    double complex *amplitude = malloc((size_t)o.structures * sizeof *amplitude);
    assert_non_null(amplitude);
    open_flow flow[BG_LANES];
    stay(&f, flow);
    for (int trial = 0; trial < effort_of(40, 8); trial++) {
        const int pattern = random_below(r, o.patterns);
        const uint32_t signs = (uint32_t)random_below(r, 1 << f.o.gluons);
        uint32_t configuration = 0, configurations[BG_LANES];
        for (int g = 0; g < f.o.gluons; g++) configuration |= (signs >> g & 1u) << f.o.place[g];
        for (int k = 0; k < 2 * f.o.lines; k++) { /* helicities of quarks are minus their chirality */
            const int place = f.o.place[f.o.gluons + k];
            configuration |= ((o.pattern[pattern].chirality >> place & 1u) ^ f.o.is_quark[k]) << place;
        }
        for (int l = 0; l < BG_LANES; l++) configurations[l] = configuration;
        vec4 state[2 * BG_MAX_LEGS];
        shared_polarization e[2 * BG_MAX_LETTERS];
        const uint64_t event[BG_LANES] = {0};
        external_polarizations(f.process.n, HELICITY_CIRCULAR, configurations, 1, event, 0, f.p, state);
        open_polarizations(&f.o, &f.process, &f.m, state, 2, e);
        const open_helicities h = {.given = e, .configuration = configurations};
        oracle_amplitudes(&o, pattern, signs, -1, f.momenta, amplitude);
        /* colors along some flow, so that not all of them vanish, and any colors */
        const color_structure some = bg_color_structure_unrank(&strings, random_bits(r) % strings.structures);
        int length[OPEN_MOST_LINES] = {some.length[0], f.o.lines > 1 ? some.length[1] : 0, 0};
        const uint32_t skeleton = open_skeleton(f.o.lines, random_below(r, open_connections(f.o.lines)), length);
        open_colors c = open_draw_colors(&f.o, skeleton, random_bits(r), 0, 0);
        if (trial % 4 == 0) do
                c = colors_of(&f.o, random_bits(r) % ways(&f.o));
            while (!in_balance(&f.o, &c));
        open_build(&f.o, &c, &f.s[2]);
        double complex sum = 0.;
        double scale = 1e-10 * pow(1e6, 4. - f.process.n); /* where helicities make all of them vanish */
        for (int a = 0; a < o.structures; a++) {
            const color_structure structure = bg_color_structure_unrank(&strings, (uint64_t)a);
            sum += color_tensor(&f.o, &structure, &c) * amplitude[a];
            scale += absolute_square(amplitude[a]);
        }
        const real square = open_colored_square(2, &f.o, &c, &f.s[2], &f.m, flow, &h, f.memory, NULL);
        for (int l = 0; l < BG_LANES; l++)
            assert_bounded((double)bg_lane(square, l) - absolute_square(sum), 1e-11 * scale, "%s, trial %d", text,
                           trial);
    }
    free(amplitude);
    tear_down(&f);
    oracle_destroy(&o);
}

static void amplitudes_are_those_of_structures(void **state)
{
    (void)state;
    static const char *const texts[] = {"u u~ > g g",     "u g > u g",      "g g > u u~",       "g u~ > u~ g g",
                                        "u u~ > g g g",   "g g > u u~ g g", "u d > u d",        "u u > u u",
                                        "u u~ > d d~ g",  "u u~ > u u~ g",  "g u > u d d~",     "g g > u u~ d d~",
                                        "u d > u d g g",  "u u > u u g g",  "g g > u u~ u u~",  "u u~ > d d~ s s~",
                                        "u u > u u u u~", "u d > u d u u~", "g u > u d d~ s s~"};
    random_source r = fresh_source(31);
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) check_amplitudes(texts[k], &r);
}

/* ---- probabilities --------------------------------------------------------------------------------------------------- */

/* All colors together have probability 1, whatever the momenta are, and squares over all of them add up to the exact sum. */
static void check_all_colors(const char *text, random_source *r)
{
    fixture f;
    oracle o;
    oracle_create_text(&o, text, -1);
    set_up(&f, &o.process);
    set_point(&f, r);
    const open_sums sums = open_sums_in(&f.o, f.memory);
    const double Z = (double)bg_lane(open_flows(&f.o, f.antennas, NULL, NULL, &sums), 0);
    const open_helicities h = {.given = NULL, .configuration = NULL};
    open_flow flow[BG_LANES];
    open_process anew = f.o; /* computes all currents for every pattern of chiralities */
    for (int k = 0; k < anew.patterns; k++) anew.turned[k] = anew.turned[0];
    double probability = 0., squares = 0., missed = 0., states = 1.;
    stay(&f, flow);
    for (uint64_t k = 0; k < ways(&f.o); k++) {
        const open_colors c = colors_of(&f.o, k);
        if (!in_balance(&f.o, &c)) continue;
        open_build(&f.o, &c, &f.s[1]);
        const double flows = (double)bg_lane(open_flows(&f.o, f.antennas, &c, f.s[1].reach, &sums), 0);
        const double square =
            (double)bg_lane(open_colored_square(1, &f.o, &c, &f.s[1], &f.m, flow, &h, f.memory, NULL), 0);
        const real again = open_colored_square(1, &anew, &c, &f.s[1], &f.m, flow, &h, f.memory, NULL);
        assert_true((double)bg_lane(again, 0) == square);
        probability += flows / Z;
        squares += square;
        if (!(flows > 0.)) missed += square; /* what cannot be drawn vanishes */
    }
    for (int i = 0; i < f.o.lines; i++) states *= 3.;
    for (int k = 0; k < f.o.gluons; k++) states *= 8. / 3.;
    assert_bounded(missed, 1e-24 * squares, "%s: squares of colors that are never drawn", text);
    assert_relative(probability, states, 1e-12, "%s: probabilities", text);
    assert_relative(2. * squares * oracle_normalization(&o, 0.118, 1), oracle_me2(&o, 0.118, f.momenta), 1e-10,
                    "%s: squares", text);
    tear_down(&f);
    oracle_destroy(&o);
}

static void all_colors_add_up(void **state)
{
    (void)state;
    static const char *const texts[] = {"u g > u g",    "g g > u u~",     "u d > u d g",   "u u > u u g",
                                        "g g > d d~ g", "u d > u d s s~", "u u > u u u u~"};
    random_source r = fresh_source(32);
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) check_all_colors(texts[k], &r);
}

/* Flows are drawn as often as their antennas say: skeletons of two and three lines, counted. */
static void check_skeletons(const char *text, random_source *r)
{
    enum { DRAWS = 4000 };
    fixture f;
    oracle o;
    oracle_create_text(&o, text, -1);
    set_up(&f, &o.process);
    set_point(&f, r);
    const color_strings strings = bg_color_strings(f.o.lines, f.o.gluons);
    double expected[OPEN_SKELETONS] = {0.}, total = 0.;
    int found[OPEN_SKELETONS] = {0};
    for (uint64_t k = 0; k < strings.structures; k++) { /* all flows, one by one */
        const color_structure a = bg_color_structure_unrank(&strings, k);
        int connection = 0, place = 0, length[OPEN_MOST_LINES] = {0};
        double weight = 1.;
        for (int i = 0; i < f.o.lines; i++) length[i] = a.length[i];
        while (open_end(f.o.lines, connection, 0) != a.connection.at[0] ||
               open_end(f.o.lines, connection, 1) != a.connection.at[1])
            connection++;
        for (int i = 0; i < f.o.lines; i++) {
            int last = f.process.quark[i];
            const int end = f.process.antiquark[a.connection.at[i]];
            weight *= fabs(minkowski(f.momenta + 4 * last, f.momenta + 4 * end));
            for (int m = 0; m <= a.length[i]; m++) {
                const int next = m < a.length[i] ? f.process.gluon[a.word.at[place++]] : end;
                weight /= fabs(minkowski(f.momenta + 4 * last, f.momenta + 4 * next));
                last = next;
            }
        }
        weight *= f.o.weight[connection];
        expected[open_skeleton(f.o.lines, connection, length)] += weight;
        total += weight;
    }
    for (uint64_t event = 0; event < DRAWS; event += BG_LANES) {
        uint64_t events[BG_LANES];
        open_flow flow[BG_LANES];
        for (int l = 0; l < BG_LANES; l++) events[l] = event + (uint64_t)l;
        (void)open_draw_flows(&f.o, f.antennas, 5, events, 0, f.memory, flow);
        for (int l = 0; l < BG_LANES; l++) found[flow[l].skeleton]++;
    }
    int skeletons = 0;
    for (int k = 0; k < OPEN_SKELETONS; k++) {
        const double mean = DRAWS * expected[k] / total;
        skeletons += expected[k] > 0.;
        assert_bounded(found[k] - mean, 5.5 * sqrt(mean) + 1e-9, "%s: skeleton %d", text, k);
    }
    assert_int_equal(skeletons, bg_open_skeletons(&f.o));
    tear_down(&f);
    oracle_destroy(&o);
}

static void flows_are_drawn_by_antennas(void **state)
{
    (void)state;
    random_source r = fixed_source(33);
    check_skeletons("u d > u d g g", &r);
    check_skeletons("g g > u u~ u u~ g", &r);
    check_skeletons("u d > u d s s~ g", &r);
}

/* ---- means ---------------------------------------------------------------------------------------------------------------- */

/* The most that a draw spread by at any of the points here, with room. */
typedef struct expectation {
    const char *text;
    double spread;
} expectation;

/* Means over draws are exact sums within their errors, for colors alone and for colors and helicities. */
static void check_means(const expectation *x, const char *helicity, uint64_t seed, double *squares, int *pulls)
{
    enum { POINTS = 4 };
    const int samples = 400;
    double exact[POINTS], mean[POINTS], spread[POINTS], most = 0.;
    random_source r = fixed_source(34);
    double *momenta = random_cut_points(&r, legs_of(x->text) - 2, 1000., POINTS);
    bg_options o = default_options();
    bg_error error;
    evaluate_process(x->text, &o, 0, POINTS, momenta, exact, NULL);
    o.color = BG_COLOR_SAMPLED;
    o.recursion = BG_RECURSION_AUTO;
    o.samples = samples;
    o.seed = seed;
    o.color_group = 1; /* points apart */
    assert_int_equal(bg_options_set(&o, "helicity", helicity, &error), BG_OK);
    evaluate_process(x->text, &o, 0, POINTS, momenta, mean, spread);
    for (int k = 0; k < POINTS; k++) {
        const double pull = (mean[k] - exact[k]) / spread[k], relative = spread[k] / exact[k] * sqrt(samples);
        if (relative > most) most = relative;
        assert_bounded(pull, 5.5, "%s, %s helicities, seed %d, point %d", x->text, helicity, (int)seed, k);
        *squares += pull * pull;
        ++*pulls;
    }
    say("%-20s %s: a draw spreads by up to %.2f\n", x->text, helicity, most);
    if (!strcmp(helicity, "summed")) assert_bounded(most, x->spread, "%s: spread of a draw", x->text);
    free(momenta);
}

static void means_are_exact_sums(void **state)
{
    (void)state;
    static const expectation table[] = {{"g g > u u~ g", 1.},   {"u u~ > g g g", 1.},   {"u g > u g g", 1.},
                                        {"u d > u d g", 1.},    {"u u~ > d d~ g", 1.2}, {"u u > u u g", 1.5},
                                        {"u u~ > u u~ g", 1.5}, {"g u > u d d~", 1.2},  {"g g > u u~ d d~", 2.5},
                                        {"u d > u d s s~", 2.}, {"u u > u u u u~", 3.}, {"g g > u u~ g g", 2.}};
    double squares = 0.;
    int pulls = 0;
    for (size_t k = 0; k < sizeof table / sizeof *table; k++)
        for (uint64_t seed = 1; seed <= (uint64_t)effort_of(3, 1); seed++) {
            check_means(&table[k], "summed", seed, &squares, &pulls);
            check_means(&table[k], "sampled", seed, &squares, &pulls);
        }
    say("mean square pull %.3f of %d\n", squares / pulls, pulls);
    assert_bounded(squares / pulls - 1., 6. * sqrt(2. / pulls), "mean square pull of %d", pulls);
}

/* ---- groups ---------------------------------------------------------------------------------------------------------------- */

/* Which points stand next to one, and how many threads there are, does not show in it, bit by bit, whatever colors it shares with others. */
static void points_do_not_depend_on_others(void **state)
{
    (void)state;
    enum { POINTS = 600, FIRST = 1900 }; /* across the end of a deal */
    static const char *const texts[] = {"g g > u u~ g", "u u~ > d d~ g", "u u > u u g", "u u~ > d d~ s s~"};
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        double all[POINTS], apart[POINTS];
        random_source r = fixed_source(36);
        const int legs = legs_of(texts[k]);
        double *momenta = random_cut_points(&r, legs - 2, 1000., POINTS);
        bg_options o = default_options();
        o.color = BG_COLOR_SAMPLED;
        o.recursion = BG_RECURSION_AUTO;
        o.samples = 2;
        o.threads = 2;
        evaluate_process(texts[k], &o, FIRST, POINTS, momenta, all, NULL);
        o.threads = 1;
        for (int done = 0, piece = 1; done < POINTS; done += piece, piece = 2 * piece + 3) {
            if (piece > POINTS - done) piece = POINTS - done;
            evaluate_process(texts[k], &o, FIRST + (uint64_t)done, (size_t)piece,
                             momenta + (size_t)done * 4 * (size_t)legs, apart + done, NULL);
        }
        assert_memory_equal(all, apart, sizeof all);
        free(momenta);
    }
}

/* Points that share colors have the right means, too. */
static void shared_colors_have_the_same_means(void **state)
{
    (void)state;
    enum { POINTS = 300, SAMPLES = 400 };
    static const char *const texts[] = {"u u~ > d d~ g", "u u > u u g", "u u~ > d d~ s s~"};
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        double exact[POINTS], mean[POINTS], spread[POINTS], sum = 0.;
        random_source r = fixed_source(37);
        double *momenta = random_cut_points(&r, legs_of(texts[k]) - 2, 1000., POINTS);
        bg_options o = default_options();
        evaluate_process(texts[k], &o, 0, POINTS, momenta, exact, NULL);
        o.color = BG_COLOR_SAMPLED;
        o.recursion = BG_RECURSION_AUTO;
        o.samples = SAMPLES;
        evaluate_process(texts[k], &o, 0, POINTS, momenta, mean, spread);
        for (int i = 0; i < POINTS; i++) {
            const double pull = (mean[i] - exact[i]) / spread[i];
            assert_bounded(pull, 6., "%s, point %d", texts[k], i);
            sum += pull * pull;
        }
        say("%-20s mean square pull of points that share colors: %.2f\n", texts[k], sum / POINTS);
        assert_true(sum / POINTS > 0.7 && sum / POINTS < 1.4);
        free(momenta);
    }
}

/* ---- sizes ---------------------------------------------------------------------------------------------------------------- */

/* No colors lead to more numbers or terms than there is room for. */
static void schedules_have_room(void **state)
{
    (void)state;
    static const char *const texts[] = {"u g > u g", "g g > u u~ 4g", "u d > u d 3g", "u u > u u 2g",
                                        "u u > u u u u~ g"};
    random_source r = fresh_source(35);
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        fixture f;
        bg_subprocess s;
        oracle o;
        oracle_create_text(&o, texts[k], -1);
        s = o.process;
        set_up(&f, &s);
        for (int trial = 0; trial < effort_of(400, 50); trial++) {
            open_colors c;
            do c = colors_of(&f.o, random_bits(&r) % ways(&f.o));
            while (!in_balance(&f.o, &c));
            for (int parts = 1; parts <= 2; parts++) {
                open_build(&f.o, &c, &f.s[parts]);
                assert_true(f.s[parts].numbers <= open_most_numbers(&f.o, parts));
                assert_true(f.s[parts].terms <= open_most_terms(&f.o));
            }
        }
        tear_down(&f);
        oracle_destroy(&o);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(amplitudes_are_those_of_structures),
                                       cmocka_unit_test(all_colors_add_up),
                                       cmocka_unit_test(flows_are_drawn_by_antennas),
                                       cmocka_unit_test(means_are_exact_sums),
                                       cmocka_unit_test(points_do_not_depend_on_others),
                                       cmocka_unit_test(shared_colors_have_the_same_means),
                                       cmocka_unit_test(schedules_have_room)};
    return cmocka_run_group_tests_name("open", tests, NULL, NULL);
}
