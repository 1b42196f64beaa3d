#include "support.h"
#include "process/subprocess.h"

#include "amplitude/dressed.h"
#include "amplitude/ordered.h"
#include "amplitude/polarization.h"

#include <unistd.h>

/* ---- which cases, how much ---------------------------------------------------------------------- */

/* BLOCKGEN_TEST_CASE is the only case that a program runs: CTest has an entry for each where they take long. */
__attribute__((constructor)) static void choose_case(void)
{
    const char *name = getenv("BLOCKGEN_TEST_CASE");
    if (name && *name) cmocka_set_test_filter(name);
}

double test_effort(void)
{
    const char *given = getenv("BLOCKGEN_TEST_EFFORT");
    if (given && *given) return atof(given);
#ifdef TEST_SANITIZED
    return 0.1;
#else
    return 1.;
#endif
}

int effort_of(int full, int least)
{
    const int some = (int)(test_effort() * full);
    return some > least ? some : least;
}

/* ---- random numbers and points ---------------------------------------------------------------- */

random_source fixed_source(uint64_t seed)
{
    random_source r = {seed};
    return r;
}

random_source fresh_source(uint64_t salt)
{
    static uint64_t seed = 20261115;
    static int chosen;
    const char *given = getenv("BLOCKGEN_TEST_SEED");
    if (!chosen && given && *given) {
        seed = strtoull(given, NULL, 0);
        printf("BLOCKGEN_TEST_SEED=%llu\n", (unsigned long long)seed);
        fflush(stdout);
    }
    chosen = 1;
    random_source r = {seed ^ salt * 0x9E3779B97F4A7C15u};
    return r;
}

uint64_t random_bits(random_source *r)
{
    uint64_t z = r->state += 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
}

double uniform(random_source *r, double low, double high)
{
    return low + (high - low) * ((double)(random_bits(r) >> 12) + 0.5) / 4503599627370496.;
}

int random_below(random_source *r, int n) { return (int)(random_bits(r) % (uint64_t)n); }

void shuffle(random_source *r, int *list, int n)
{
    for (int k = n - 1; k > 0; k--) {
        const int j = random_below(r, k + 1), t = list[k];
        list[k] = list[j];
        list[j] = t;
    }
}

double minkowski(const double *a, const double *b) { return a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3]; }

/* Boosts massless momenta to their rest frame and scales them to the energy `sqrts`; twice, for the digits that a large
 * boost has lost. */
static void to_rest_frame(int n_out, double sqrts, double *out)
{
    for (int pass = 0; pass < 2; pass++) {
        double sum[4] = {0., 0., 0., 0.};
        for (int k = 0; k < n_out; k++)
            for (int c = 0; c < 4; c++) sum[c] += out[4 * k + c];
        const double mass = sqrt(minkowski(sum, sum));
        const double gamma = sum[0] / mass, a = 1. / (1. + gamma), scale = sqrts / mass;
        const double b[3] = {-sum[1] / mass, -sum[2] / mass, -sum[3] / mass};
        for (int k = 0; k < n_out; k++) {
            double *q = out + 4 * k;
            const double bq = b[0] * q[1] + b[1] * q[2] + b[2] * q[3], energy = q[0];
            for (int c = 0; c < 3; c++) q[c + 1] = scale * (q[c + 1] + b[c] * (energy + a * bq));
            q[0] = sqrt(q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
        }
    }
}

void random_point(random_source *r, int n_out, double sqrts, double *momenta)
{
    double *out = momenta + 8;
    for (int k = 0; k < n_out; k++) {
        double *q = out + 4 * k;
        const double cosine = uniform(r, -1., 1.), phi = uniform(r, 0., 2. * PI);
        const double sine = sqrt(1. - cosine * cosine);
        q[0] = -log(uniform(r, 0., 1.) * uniform(r, 0., 1.));
        q[1] = q[0] * sine * cos(phi);
        q[2] = q[0] * sine * sin(phi);
        q[3] = q[0] * cosine;
    }
    to_rest_frame(n_out, sqrts, out);
    const double half = 0.5 * sqrts;
    const double in[8] = {half, 0., 0., half, half, 0., 0., -half};
    memcpy(momenta, in, sizeof in);
}

static int inside_cuts(int n_out, double sqrts, const double *momenta)
{
    double eta[MOST_OUT], phi[MOST_OUT];
    for (int k = 0; k < n_out; k++) {
        const double *q = momenta + 8 + 4 * k;
        const double pt = hypot(q[1], q[2]);
        if (pt < 20. / 14000. * sqrts) return 0;
        eta[k] = asinh(q[3] / pt);
        phi[k] = atan2(q[2], q[1]);
        if (fabs(eta[k]) > 2.5) return 0;
        for (int j = 0; j < k; j++)
            if (hypot(eta[k] - eta[j], remainder(phi[k] - phi[j], 2. * PI)) < 0.4) return 0;
    }
    return 1;
}

void random_cut_point(random_source *r, int n_out, double sqrts, double *momenta)
{
    do random_point(r, n_out, sqrts, momenta);
    while (!inside_cuts(n_out, sqrts, momenta));
}

double *random_cut_points(random_source *r, int n_out, double sqrts, size_t count)
{
    const size_t stride = (size_t)(n_out + 2) * 4;
    double *momenta = malloc(count * stride * sizeof *momenta);
    assert_non_null(momenta);
    for (size_t k = 0; k < count; k++) random_cut_point(r, n_out, sqrts, momenta + k * stride);
    return momenta;
}

void hard_point(random_source *r, int n_out, double *momenta)
{
    const int n = n_out + 2;
    double smallest;
    do {
        random_point(r, n_out, 1000., momenta);
        smallest = 1.;
        for (int i = 0; i < n; i++)
            for (int j = 0; j < i; j++) smallest = fmin(smallest, 2e-6 * minkowski(momenta + 4 * i, momenta + 4 * j));
    } while (smallest < 0.2 / n);
}

void split_gluon(const double *emitter, const double *spectator, double y, double z, double phi, double *i, double *j,
                 double *k)
{
    /* Two unit vectors across emitter and spectator, from two axes that are not in their plane. */
    const double es = minkowski(emitter, spectator);
    double across[2][4];
    int found = 0;
    for (int axis = 1; axis < 4 && found < 2; axis++) {
        double v[4] = {0., 0., 0., 0.};
        v[axis] = 1.;
        const double ve = minkowski(v, emitter) / es, vs = minkowski(v, spectator) / es;
        for (int c = 0; c < 4; c++) v[c] -= vs * emitter[c] + ve * spectator[c];
        if (found) {
            const double overlap = minkowski(v, across[0]);
            for (int c = 0; c < 4; c++) v[c] += overlap * across[0][c];
        }
        const double length = sqrt(-minkowski(v, v));
        if (!(length > 0.1)) continue;
        for (int c = 0; c < 4; c++) across[found][c] = v[c] / length;
        found++;
    }
    assert_int_equal(found, 2);
    const double kt = sqrt(2. * es * y * z * (1. - z));
    for (int c = 0; c < 4; c++) {
        const double t = kt * (cos(phi) * across[0][c] + sin(phi) * across[1][c]);
        const double e = emitter[c], s = spectator[c];
        i[c] = z * e + y * (1. - z) * s + t;
        j[c] = (1. - z) * e + y * z * s - t;
        k[c] = (1. - y) * s;
    }
    i[0] = sqrt(i[1] * i[1] + i[2] * i[2] + i[3] * i[3]);
    j[0] = sqrt(j[1] * j[1] + j[2] * j[2] + j[3] * j[3]);
}

void collinear_point(random_source *r, int n_out, double angle, double z, double *momenta)
{
    double base[4 * MOST_GLUONS];
    random_cut_point(r, n_out - 1, 14000., base);
    memcpy(momenta, base, (size_t)(n_out + 1) * 4 * sizeof *base);
    const double *emitter = base + 8, *spectator = base + 12;
    const double y = angle * angle * z * (1. - z) * emitter[0] * emitter[0] / 2. / minkowski(emitter, spectator);
    split_gluon(emitter, spectator, y, z, uniform(r, 0., 2. * PI), momenta + 8, momenta + 4 * (n_out + 1),
                momenta + 12);
}

void beam_point(random_source *r, int n_out, double angle, double fraction, double *momenta)
{
    const double sqrts = 14000., energy = 0.5 * sqrts * fraction;
    const double phi = uniform(r, 0., 2. * PI), side = random_below(r, 2) ? 1. : -1.;
    const double direction[3] = {sin(angle) * cos(phi), sin(angle) * sin(phi), side * cos(angle)};
    double *out = momenta + 8, *last = out + 4 * (n_out - 1);
    /* the others recoil against it: one gluon, or a system of them that is boosted along */
    random_cut_point(r, n_out > 2 ? n_out - 1 : 2, sqrts, momenta);
    last[0] = energy;
    for (int c = 0; c < 3; c++) last[c + 1] = energy * direction[c];
    if (n_out == 2) {
        out[0] = energy;
        for (int c = 1; c < 4; c++) out[c] = -last[c];
        return;
    }
    const double mass = sqrt(sqrts * (sqrts - 2. * energy)), gamma = (sqrts - energy) / mass, a = 1. / (1. + gamma);
    for (int k = 0; k < n_out - 1; k++) {
        double *q = out + 4 * k, bq = 0.;
        for (int c = 0; c < 4; c++) q[c] *= mass / sqrts;
        for (int c = 1; c < 4; c++) bq -= last[c] / mass * q[c];
        for (int c = 1; c < 4; c++) q[c] -= last[c] / mass * (q[0] + a * bq);
        q[0] = sqrt(q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    }
    to_rest_frame(n_out, sqrts, out);
}

/* ---- reference files ---------------------------------------------------------------------------- */

size_t read_numbers(const char *name, double *numbers, size_t most)
{
    char path[1024], line[4096];
    size_t count = 0;
    snprintf(path, sizeof path, "%s/%s", TEST_DATA_DIR, name);
    FILE *f = fopen(path, "r");
    if (!f) fail_msg("cannot read %s", path);
    while (fgets(line, sizeof line, f)) {
        if (line[0] == '#') continue;
        char *at = line, *end;
        for (;;) {
            const double x = strtod(at, &end);
            if (end == at) break;
            if (count == most) fail_msg("%s has more than %zu numbers", path, most);
            numbers[count++] = x;
            at = end;
        }
    }
    fclose(f);
    return count;
}

/* ---- the library in one call -------------------------------------------------------------------- */

bg_options default_options(void)
{
    bg_options o;
    bg_options_init(&o);
    strcpy(o.backend, "cpu");
    return o;
}

void evaluate(int n_out, const bg_options *options, uint64_t first_event, size_t count, const double *momenta,
              double *me2, double *uncertainty)
{
    bg_error error;
    bg_process *process = NULL;
    bg_evaluator *evaluator = NULL;
    if (bg_process_create_gluons(&process, n_out, &error) != BG_OK ||
        bg_evaluator_create(&evaluator, process, options, &error) != BG_OK ||
        bg_evaluator_evaluate(evaluator, first_event, count, momenta, me2, uncertainty, &error) != BG_OK)
        fail_msg("n_out = %d: %s", n_out, error.message);
    bg_process_destroy(process);
    bg_evaluator_destroy(evaluator);
}

double evaluate_one(int n_out, const bg_options *options, const double *momenta)
{
    double me2;
    evaluate(n_out, options, 0, 1, momenta, &me2, NULL);
    return me2;
}

int choose_simd(const char *name)
{
    char description[128];
    bg_error error;
    assert_int_equal(setenv("BLOCKGEN_SIMD", name, 1), 0);
    if (bg_backend_probe("cpu", description, sizeof description, &error) == BG_OK) return 1;
    printf("left out: %s\n", error.message);
    default_simd();
    return 0;
}

void default_simd(void) { unsetenv("BLOCKGEN_SIMD"); }

/* ---- the recursions, one event at a time --------------------------------------------------------- */

static vec4 real_vector(const double *v)
{
    vec4 r = {bg_real(v[0]), bg_real(v[1]), bg_real(v[2]), bg_real(v[3])};
    return r;
}

static void basis(const double *p, double e1[4], double e2[4])
{
    vec4 a, b;
    polarization_basis(real_vector(p), &a, &b);
    const double first[4] = {bg_lane(a.t, 0), bg_lane(a.x, 0), bg_lane(a.y, 0), bg_lane(a.z, 0)};
    const double second[4] = {bg_lane(b.t, 0), bg_lane(b.x, 0), bg_lane(b.y, 0), bg_lane(b.z, 0)};
    memcpy(e1, first, sizeof first);
    memcpy(e2, second, sizeof second);
}

gluons gluons_of(int n_out, const double *momenta)
{
    gluons g = {.n = n_out + 2};
    for (int k = 0; k < g.n; k++) {
        const int user = k == 0 ? 0 : k == g.n - 1 ? 1 : k + 1;
        for (int c = 0; c < 4; c++) g.p[k][c] = (user < 2 ? -1. : 1.) * momenta[4 * user + c];
    }
    return g;
}

void set_linear(gluons *g, unsigned h)
{
    for (int k = 0; k < g->n; k++) {
        double e[2][4];
        basis(g->p[k], e[0], e[1]);
        for (int c = 0; c < 4; c++) g->e[k][c] = e[h >> k & 1u][c];
    }
}

void set_angles(gluons *g, random_source *r)
{
    for (int k = 0; k < g->n; k++) {
        double e1[4], e2[4];
        const double phi = uniform(r, 0., 2. * PI);
        basis(g->p[k], e1, e2);
        for (int c = 0; c < 4; c++) g->e[k][c] = cos(phi) * e1[c] + sin(phi) * e2[c];
    }
}

void set_helicities(gluons *g, unsigned h)
{
    for (int k = 0; k < g->n; k++) {
        double e1[4], e2[4];
        basis(g->p[k], e1, e2);
        const double sign = h >> k & 1u ? 1. : -1.;
        for (int c = 0; c < 4; c++) g->e[k][c] = sqrt(0.5) * (e1[c] - sign * I * e2[c]);
    }
}

/* Real currents go through the recursion for real numbers, others through the one with two parts. */
static int load_currents(const gluons *g, const int *order, vec4 *p, vec4 *e)
{
    int parts = 1;
    for (int k = 0; k < g->n; k++)
        for (int c = 0; c < 4; c++)
            if (cimag(g->e[k][c]) != 0.) parts = 2;
    for (int k = 0; k < g->n; k++) {
        double part[2][4];
        const int from = order[k];
        for (int c = 0; c < 4; c++) {
            part[0][c] = creal(g->e[from][c]);
            part[1][c] = cimag(g->e[from][c]);
        }
        p[k] = real_vector(g->p[from]);
        for (int a = 0; a < parts; a++) e[k * parts + a] = real_vector(part[a]);
    }
    return parts;
}

static double complex complex_of(int parts, const real *a)
{
    return parts == 2 ? bg_lane(a[0], 0) + I * bg_lane(a[1], 0) : bg_lane(a[0], 0);
}

double complex ordered_amplitude(const gluons *g, const int *order, bg_vertex vertex)
{
    vec4 p[MOST_GLUONS], e[2 * MOST_GLUONS];
    real a[2];
    const int parts = load_currents(g, order, p, e), N = g->n - 2;
    vec4 outgoing[MOST_GLUONS], flight[MOST_GLUONS];
    real number[BG_INVARIANTS(MOST_OUT)], of[2 << (BG_ORDERED_LEGS - 2)], propagator[BG_ORDERED_RUNS];
    const invariants values = {number, 1};
    uint32_t set[BG_ORDERED_RUNS];
    for (int k = 0; k < g->n; k++) {
        outgoing[order[k]] = p[k];
        flight[order[k]] = direction(p[k]);
    }
    invariants_of(N, outgoing, flight, number);
    for (uint32_t k = 1; k < 2u << N; k++) of[k] = bg_real(1.) / invariants_square(N, &values, k);
    ordered_sets(g->n, order, set);
    ordered_propagators(g->n, set, of, propagator);
    const run_propagators by_run = {propagator, 1, 0, 0};
    if (vertex == BG_VERTEX_QUARTIC)
        ordered_amplitude_quartic(g->n, parts, p, e, &by_run, a);
    else
        ordered_amplitude_tensor(g->n, parts, p, e, &by_run, a);
    return complex_of(parts, a);
}

double complex dressed_of(const gluons *g, const double (*color)[9])
{
    static const int order[MOST_GLUONS] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13};
    vec4 p[MOST_GLUONS], flight[MOST_GLUONS], e[2 * MOST_GLUONS];
    real matrix[9 * MOST_GLUONS], number[BG_INVARIANTS(MOST_OUT)], a[2];
    const invariants values = {number, 1};
    const int parts = load_currents(g, order, p, e);
    for (int k = 0; k < g->n; k++) flight[k] = direction(p[k]);
    invariants_of(g->n - 2, p, flight, number);
    for (int k = 0; k < g->n; k++)
        for (int ij = 0; ij < 9; ij++) matrix[9 * k + ij] = bg_real(color[k][ij]);
    const size_t bytes = (dressed_store_reals(g->n, parts) * sizeof(real) + 63) / 64 * 64;
    real *store = aligned_alloc(64, bytes);
    assert_non_null(store);
    dressed_amplitude(g->n, parts, p, &values, e, matrix, store, 1, a);
    free(store);
    return complex_of(parts, a);
}

double absolute_square(double complex z) { return creal(z) * creal(z) + cimag(z) * cimag(z); }

/* ---- assertions ----------------------------------------------------------------------------------- */

void assert_relative(double value, double expected, double tolerance, const char *format, ...)
{
    if (fabs(value - expected) <= tolerance * fabs(expected)) return;
    char what[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    fail_msg("%s: %.17g instead of %.17g (relative %.3g, allowed %.3g)", what, value, expected,
             fabs(value / expected - 1.), tolerance);
}

void assert_bounded(double value, double bound, const char *format, ...)
{
    if (fabs(value) <= bound) return;
    char what[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    fail_msg("%s: %.17g, at most %.3g is allowed", what, value, bound);
}

void assert_refused(bg_status status, const bg_error *error, bg_status expected, const char *parts)
{
    if (status != expected) fail_msg("status %d instead of %d: '%s'", (int)status, (int)expected, error->message);
    assert_int_equal(error->status, expected);
    char list[256];
    snprintf(list, sizeof list, "%s", parts);
    for (char *part = strtok(list, "|"); part; part = strtok(NULL, "|"))
        if (!strstr(error->message, part)) fail_msg("'%s' does not say '%s'", error->message, part);
}

bg_momenta momenta_of_gluons(int n_out, const double *momenta)
{
    const bg_subprocess s = bg_subprocess_gluons(n_out);
    return momenta_view(momenta, 4 * (size_t)s.n, 1, s.incoming, s.leg);
}

void say(const char *format, ...)
{
    if (!getenv("BLOCKGEN_TEST_VERBOSE")) return;
    va_list arguments;
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
}

/* ---- files and questions ---------------------------------------------------------------------------- */

char state_file[64];

int name_state_file(void **state)
{
    (void)state;
    snprintf(state_file, sizeof state_file, "/tmp/blockgen-test-%ld.state", (long)getpid());
    return 0;
}

int remove_state_file(void **state)
{
    (void)state;
    unlink(state_file);
    return 0;
}

void ask_usual(bg_process **process, bg_options *options, bg_integration *integration, const char *text, int flavors,
               int lines)
{
    bg_error error;
    if (bg_process_parse(process, text, flavors, lines, &error) != BG_OK) fail_msg("%s", error.message);
    bg_options_init(options);
    bg_options_set_automatic(options);
    strcpy(options->backend, "cpu");
    options->threads = 1;
    bg_integration_init(integration);
    integration->precision = 0.02;
}
