/* Values of other programs: MadGraph (quadruple precision where given) and AmpliCol, see tests/data. */
#include "support.h"

enum { POINTS = 7 };

static void read_points(int n_out, double *momenta)
{
    char name[32];
    snprintf(name, sizeof name, "gg_%dg.points", n_out);
    assert_int_equal(read_numbers(name, momenta, (size_t)(POINTS * 4 * (n_out + 2))), POINTS * 4 * (n_out + 2));
}

static void check_full_sum(const bg_options *options, const char *what)
{
    const int most = options->decomposition == BG_DECOMPOSITION_TRACE ? 4 : 5;
    for (int n_out = 2; n_out <= most; n_out++) {
        double momenta[POINTS * 4 * 7], values[POINTS], me2[POINTS], uncertainty[POINTS];
        char name[32];
        read_points(n_out, momenta);
        snprintf(name, sizeof name, "gg_%dg.values", n_out);
        assert_int_equal(read_numbers(name, values, POINTS), POINTS);
        evaluate(n_out, options, 0, POINTS, momenta, me2, uncertainty);
        for (int k = 0; k < POINTS; k++) {
            assert_relative(me2[k], values[k], 1e-11, "%s, n_out = %d, point %d", what, n_out, k + 1);
            assert_true(uncertainty[k] == 0.);
        }
    }
}

static void full_sum(void **state)
{
    (void)state;
    bg_options o = default_options();
    check_full_sum(&o, "default");
    o.kernel = BG_KERNEL_PAPER;
    check_full_sum(&o, "paper, quartic");
    o.vertex = BG_VERTEX_TENSOR;
    check_full_sum(&o, "paper, tensor");
}

static void full_sum_of_traces(void **state)
{
    (void)state;
    bg_options o = default_options();
    o.decomposition = BG_DECOMPOSITION_TRACE;
    check_full_sum(&o, "traces");
}

static void full_sum_in_quad(void **state)
{
    (void)state;
    if (!choose_simd("quad")) skip();
    for (int n_out = 2; n_out <= 3; n_out++) {
        double momenta[POINTS * 4 * 7], values[POINTS], me2[POINTS];
        char name[32];
        const bg_options o = default_options();
        read_points(n_out, momenta);
        snprintf(name, sizeof name, "gg_%dg.values", n_out);
        assert_int_equal(read_numbers(name, values, POINTS), POINTS);
        evaluate(n_out, &o, 0, POINTS, momenta, me2, NULL);
        /* the points themselves are rounded to double: that is what is left */
        for (int k = 0; k < POINTS; k++) assert_relative(me2[k], values[k], 1e-12, "quad, n_out = %d", n_out);
    }
    default_simd();
}

/* Lines "+-+- value". */
static void single_helicities(void **state)
{
    (void)state;
    for (int n_out = 2; n_out <= 4; n_out++) {
        double momenta[POINTS * 4 * 7], largest = 0.;
        char path[1024], line[256], helicities[64];
        double value;
        int seen = 0;
        read_points(n_out, momenta);
        snprintf(path, sizeof path, "%s/gg_%dg.helicities", TEST_DATA_DIR, n_out);
        for (int pass = 0; pass < 2; pass++) { /* first the largest, the scale of those that vanish */
            FILE *f = fopen(path, "r");
            assert_non_null(f);
            while (fgets(line, sizeof line, f)) {
                if (line[0] == '#' || sscanf(line, "%63s %lf", helicities, &value) != 2) continue;
                if (!pass) {
                    largest = fmax(largest, value);
                    continue;
                }
                for (bg_vertex v = BG_VERTEX_QUARTIC; v <= BG_VERTEX_TENSOR; v++) {
                    bg_options o = default_options();
                    o.helicity = BG_HELICITY_FIXED;
                    o.vertex = v;
                    o.kernel = v ? BG_KERNEL_PAPER : BG_KERNEL_FAST;
                    assert_int_equal(strlen(helicities), n_out + 2);
                    strcpy(o.helicities, helicities);
                    const double me2 = evaluate_one(n_out, &o, momenta);
                    if (value == 0.)
                        assert_bounded(me2, 1e-20 * largest, "%s vanishes", helicities);
                    else
                        assert_relative(me2, value, 1e-11, "%s", helicities);
                }
                seen++;
            }
            fclose(f);
        }
        assert_true(seen >= 10);
    }
}

/* ---- AmpliCol --------------------------------------------------------------------------------------- */

static const double amplicol_3g[] = {303.00992326176089, -196.33145312038900, 123.25621966556298,  195.13297626103395,
                                     494.52211385681215, 253.93082353769123,  -209.56306049343993, -368.99130291580417,
                                     202.46796288142684, -57.599370417302310, 86.306840827876954,  173.85832665477017};
static const double amplicol_4g[] = {290.31075577423763, -213.36929162671257, 88.965338665326172,  175.61050317417747,
                                     362.25784622409594, 153.75280273294220,  -190.28771533698082, -267.17299301111615,
                                     186.58961514320910, -82.776424293003245, 62.116350397414720,  155.25883895566528,
                                     160.84178285845732, 142.39291318677365,  39.206026274239925,  -63.696349118726602};
static const double amplicol_5g[] = {155.06051690160680, -68.453342647259362, 16.586283564551419,  138.14050448628990,
                                     288.18207892682562, 178.22969018159100,  -184.80444327339475, -130.88317653072090,
                                     116.77873912402301, -6.8497605558471957, 8.5028776565679447,  116.26717405734786,
                                     133.29753963260461, 131.17670833861058,  -10.069649361602231, -21.436124259932605,
                                     306.68112541493991, -234.10329531709502, 169.78493141387759,  -102.08837775298424};

static void second_program(void **state)
{
    (void)state;
    static const struct {
        int n_out;
        const double *out;
        double full, leading;
    } list[] = {{3, amplicol_3g, 0.5449957154566244, 0.5449957154566244},
                {4, amplicol_4g, 1.8874337394242578e-4, 1.8843411042454043e-4},
                {5, amplicol_5g, 2.168639004087548e-6, 2.163934871326543e-6}};
    for (int k = 0; k < 3; k++) {
        double momenta[4 * 7] = {500., 0., 0., 500., 500., 0., 0., -500.};
        memcpy(momenta + 8, list[k].out, (size_t)(4 * list[k].n_out) * sizeof(double));
        bg_options o = default_options();
        assert_relative(evaluate_one(list[k].n_out, &o, momenta), list[k].full, 1e-11, "full color, n_out = %d",
                        list[k].n_out);
        for (int layout = 0; layout < 2; layout++)
            for (int vertex = 0; vertex < 2 - layout; vertex++) {
                o = default_options();
                o.color = BG_COLOR_LEADING;
                o.layout = (bg_layout)layout;
                o.vertex = (bg_vertex)vertex;
                assert_relative(evaluate_one(list[k].n_out, &o, momenta), list[k].leading, 1e-11,
                                "leading color, n_out = %d", list[k].n_out);
            }
    }
}

/* gg -> gg in closed form: g^4 (9/2) (3 - tu/s^2 - su/t^2 - st/u^2) / 2!. */
static void two_to_two(void **state)
{
    (void)state;
    random_source r = fresh_source(1);
    for (int k = 0; k < 100; k++) {
        double p[16];
        random_cut_point(&r, 2, 100., p);
        bg_options o = default_options();
        o.alpha_s = uniform(&r, 0.05, 1.);
        const double s = 2. * minkowski(p, p + 4), t = -2. * minkowski(p, p + 8), u = -2. * minkowski(p, p + 12);
        const double g2 = 4. * PI * o.alpha_s;
        assert_relative(evaluate_one(2, &o, p), g2 * g2 * 2.25 * (3. - t * u / s / s - s * u / t / t - s * t / u / u),
                        1e-11, "gg -> gg");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(full_sum),          cmocka_unit_test(full_sum_of_traces), cmocka_unit_test(full_sum_in_quad),
        cmocka_unit_test(single_helicities), cmocka_unit_test(second_program),     cmocka_unit_test(two_to_two),
    };
    return cmocka_run_group_tests_name("reference", tests, NULL, NULL);
}
