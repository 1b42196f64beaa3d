/* Polarization vectors: a right-handed orthonormal frame of every direction, and the states made from it. */
#include "support.h"

#include "amplitude/external.h"

static void numbers(vec4 v, int lane, double *to)
{
    to[0] = bg_lane(v.t, lane);
    to[1] = bg_lane(v.x, lane);
    to[2] = bg_lane(v.y, lane);
    to[3] = bg_lane(v.z, lane);
}

static vec4 vector(const double *v)
{
    vec4 r = {bg_real(v[0]), bg_real(v[1]), bg_real(v[2]), bg_real(v[3])};
    return r;
}

/* The frame of momentum p (energy may be negative: an incoming gluon), in units of rounding errors. */
static void check_frame(const double *p)
{
    const double tolerance = 4e-15;
    vec4 v1, v2;
    double e1[4], e2[4], d[3];
    polarization_basis(vector(p), &v1, &v2);
    numbers(v1, 0, e1);
    numbers(v2, 0, e2);
    const double norm = (p[0] < 0. ? -1. : 1.) * sqrt(p[1] * p[1] + p[2] * p[2] + p[3] * p[3]);
    for (int c = 0; c < 3; c++) d[c] = p[c + 1] / norm;
    assert_true(e1[0] == 0. && e2[0] == 0.);
    assert_bounded(minkowski(e1, e1) + 1., tolerance, "e1.e1 + 1");
    assert_bounded(minkowski(e2, e2) + 1., tolerance, "e2.e2 + 1");
    assert_bounded(minkowski(e1, e2), tolerance, "e1.e2");
    assert_bounded(minkowski(e1, p) / norm, tolerance, "e1.p / E");
    assert_bounded(minkowski(e2, p) / norm, tolerance, "e2.p / E");
    /* right-handed: e1 x e2 = direction of flight */
    for (int c = 0; c < 3; c++) {
        const int a = 1 + (c + 1) % 3, b = 1 + (c + 2) % 3;
        assert_bounded(e1[a] * e2[b] - e1[b] * e2[a] - d[c], tolerance, "component %d of e1 x e2 - d", c);
    }
    /* completeness: e1 e1 + e2 e2 = 1 - d d, which is P_munu in the frame of the gauge vector (1, -d) */
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++)
            assert_bounded(e1[a + 1] * e1[b + 1] + e2[a + 1] * e2[b + 1] - (a == b) + d[a] * d[b], tolerance,
                           "completeness %d %d", a, b);
}

static void random_directions(void **state)
{
    (void)state;
    random_source r = fresh_source(1);
    for (int trial = 0; trial < 20000; trial++) {
        const double energy = exp(uniform(&r, -10., 10.)) * (trial % 2 ? 1. : -1.);
        const double cosine = uniform(&r, -1., 1.), phi = uniform(&r, 0., 2. * PI), sine = sqrt(1. - cosine * cosine);
        const double p[4] = {energy, energy * sine * cos(phi), energy * sine * sin(phi), energy * cosine};
        check_frame(p);
    }
}

/* Where constructions of such a frame break down: the axes, and directions next to them. */
static void special_directions(void **state)
{
    (void)state;
    static const double axes[6][3] = {{0, 0, 1}, {0, 0, -1}, {1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}};
    random_source r = fresh_source(2);
    for (int axis = 0; axis < 6; axis++)
        for (int k = 0; k < 2; k++) {
            const double energy = k ? 3. : -3.;
            const double p[4] = {energy, energy * axes[axis][0], energy * axes[axis][1], energy * axes[axis][2]};
            check_frame(p);
            for (double off = 1e-300; off < 1.; off *= 1e3) {
                double q[4] = {energy, p[1], p[2], p[3]};
                for (int c = 1; c < 4; c++) q[c] += off * uniform(&r, -1., 1.);
                check_frame(q);
            }
        }
    /* z = -0. counts as the upper half, as 0. does */
    const double flat[4] = {1., 0.6, 0.8, -0.};
    check_frame(flat);
}

static void angle_and_phase(void **state)
{
    (void)state;
    random_source r = fresh_source(3);
    for (int trial = 0; trial < 1000; trial++) {
        double p[4 * 4];
        random_point(&r, 2, 1000., p);
        vec4 v1, v2;
        double e1[4], e2[4], angle[4], phase[4];
        const double turns = uniform(&r, 0., 1.), phi = 2. * PI * turns;
        polarization_basis(vector(p + 8), &v1, &v2);
        numbers(v1, 0, e1);
        numbers(v2, 0, e2);
        numbers(polarization_angle(v1, v2, bg_real(turns)), 0, angle);
        numbers(polarization_phase(v1, v2, bg_real(turns)), 0, phase);
        assert_bounded(minkowski(angle, angle) + 1., 4e-15, "norm of e(phi)");
        assert_bounded(minkowski(angle, p + 8) / p[8], 4e-15, "e(phi).p");
        for (int c = 0; c < 4; c++) {
            const double complex plus = sqrt(0.5) * (e1[c] + I * e2[c]), minus = conj(plus);
            const double complex kleiss = cexp(I * phi) * plus + cexp(-I * phi) * minus;
            assert_bounded(angle[c] - cos(phi) * e1[c] - sin(phi) * e2[c], 4e-15, "e(phi)");
            assert_bounded(phase[c] - creal(kleiss), 4e-15, "phase form");
            assert_bounded(cimag(kleiss), 4e-15, "phase form is real");
        }
    }
}

/* eps*(+-) of an outgoing gluon is an eigenvector of rotations about its direction: the generator is
 * J eps* = i d x eps*, with eigenvalue minus the helicity for the conjugate vector. */
static void states_of_helicities(void **state)
{
    (void)state;
    random_source r = fresh_source(4);
    for (int trial = 0; trial < 1000; trial++) {
        double p[4 * 4];
        random_point(&r, 2, 1000., p);
        const double *q = p + 8;
        vec4 v1, v2, eps[2];
        polarization_basis(vector(q), &v1, &v2);
        for (int sign = -1; sign <= 1; sign += 2) {
            double re[4], im[4];
            double complex e[3], square = 0., norm = 0.;
            polarization_helicity(v1, v2, bg_real(sign), eps);
            numbers(eps[0], 0, re);
            numbers(eps[1], 0, im);
            for (int c = 0; c < 3; c++) {
                e[c] = re[c + 1] + I * im[c + 1];
                square += e[c] * e[c];
                norm += e[c] * conj(e[c]);
            }
            assert_bounded(cabs(square), 4e-15, "eps.eps");
            assert_bounded(cabs(norm - 1.), 4e-15, "eps.eps* - 1");
            for (int c = 0; c < 3; c++) {
                const int a = (c + 1) % 3, b = (c + 2) % 3;
                const double complex turned = I * (q[a + 1] * e[b] - q[b + 1] * e[a]) / q[0];
                assert_bounded(cabs(turned + sign * e[c]), 4e-15, "helicity %d", sign);
            }
        }
    }
}

/* The states that the kernels see, mode by mode; each lane has its own event and configuration. */
static void external_states_of_modes(void **state)
{
    (void)state;
    enum { GLUONS = 5 };
    random_source r = fresh_source(5);
    double momenta[BG_LANES][4 * GLUONS];
    uint64_t event[BG_LANES];
    uint32_t configuration[BG_LANES];
    for (int l = 0; l < BG_LANES; l++) {
        random_point(&r, GLUONS - 2, 1000., momenta[l]);
        event[l] = random_bits(&r);
        configuration[l] = (uint32_t)random_below(&r, 1 << GLUONS);
    }
    vec4 p[GLUONS], basis[2 * GLUONS], states[2 * GLUONS];
    const bg_momenta view = momenta_of_gluons(GLUONS - 2, momenta[0]);
    external_load(GLUONS, &view, BG_LANES, p);
    external_polarizations(GLUONS, HELICITY_BASIS, configuration, 1, event, 3, p, basis);
    real u[GLUONS];
    bg_random_lanes(1, event, 3, BG_STREAM_HELICITY, GLUONS, u);
    for (int mode = HELICITY_ANGLE; mode <= HELICITY_CIRCULAR; mode++) {
        const int parts = helicity_parts(mode);
        external_polarizations(GLUONS, mode, configuration, 1, event, 3, p, states);
        assert_int_equal(helicity_states(mode), 1);
        assert_int_equal(helicity_configurations(GLUONS, mode), 1);
        assert_int_equal(parts, mode == HELICITY_CIRCULAR ? 2 : 1);
        for (int k = 0; k < GLUONS; k++)
            for (int l = 0; l < BG_LANES; l++) {
                double e1[4], e2[4], e[2][4];
                const double x = bg_lane(u[k], l), phi = 2. * PI * x;
                numbers(basis[2 * k], l, e1);
                numbers(basis[2 * k + 1], l, e2);
                for (int a = 0; a < parts; a++) numbers(states[k * parts + a], l, e[a]);
                const double sign = configuration[l] >> k & 1u ? 1. : -1.;
                for (int c = 0; c < 4; c++) {
                    const double expected = mode == HELICITY_ANGLE    ? cos(phi) * e1[c] + sin(phi) * e2[c]
                                            : mode == HELICITY_PHASE  ? sqrt(2.) * (cos(phi) * e1[c] - sin(phi) * e2[c])
                                            : mode == HELICITY_LINEAR ? (x < 0.5 ? e1[c] : e2[c])
                                                                      : sqrt(0.5) * e1[c];
                    assert_bounded(e[0][c] - expected, 4e-15, "mode %d", mode);
                    if (parts == 2) assert_bounded(e[1][c] + sign * sqrt(0.5) * e2[c], 1e-15, "mode %d", mode);
                }
            }
    }
}

/* Drawn helicity configurations are even over all 2^n. */
static void drawn_configurations(void **state)
{
    (void)state;
    enum { DRAWS = 64000 };
    int seen[64] = {0};
    double chi2 = 0.;
    for (uint64_t event = 0; event < DRAWS; event++) {
        const uint32_t h = helicity_draw_configuration(6, 11, event, 2);
        assert_true(h < 64);
        seen[h]++;
    }
    for (int h = 0; h < 64; h++) chi2 += (seen[h] - 1000.) * (seen[h] - 1000.) / 1000.;
    assert_bounded(chi2 - 63., 5. * sqrt(2. * 63.), "chi^2 of configurations");
}

/* Lanes beyond the last event repeat it; incoming momenta change sign; the second incoming gluon stands last. */
static void loading_momenta(void **state)
{
    (void)state;
    random_source r = fresh_source(6);
    double momenta[4 * 5];
    vec4 p[5];
    random_point(&r, 3, 1000., momenta);
    const bg_momenta view = momenta_of_gluons(3, momenta);
    external_load(5, &view, 1, p);
    static const int user[5] = {0, 2, 3, 4, 1};
    for (int k = 0; k < 5; k++)
        for (int l = 0; l < BG_LANES; l++) {
            double q[4];
            numbers(p[k], l, q);
            for (int c = 0; c < 4; c++) assert_true(q[c] == (user[k] < 2 ? -1. : 1.) * momenta[4 * user[k] + c]);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_directions),        cmocka_unit_test(special_directions),
        cmocka_unit_test(angle_and_phase),          cmocka_unit_test(states_of_helicities),
        cmocka_unit_test(external_states_of_modes), cmocka_unit_test(drawn_configurations),
        cmocka_unit_test(loading_momenta),
    };
    return cmocka_run_group_tests_name("polarization", tests, NULL, NULL);
}
