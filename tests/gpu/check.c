/* Every algorithm on the CPU and on the GPU: same points, same draws. */
#include "gpu_check.h"

/* Events that the CPU does in a fraction of a second. */
static size_t check_count(const bg_options *o, double cost, int n_out)
{
    static const double growth[13] = {0, 0, .02, .1, 1, 12, 150, 3000, 60000, 100, 500, 2500, 12000};
    static const double dressed[13] = {0, 0, .3, .6, 1, 4, 12, 36, 110, 330, 1000, 3000, 9000};
    static const double single[13] = {0, 0, .3, .6, 1, 2, 4, 8, 16};
    static const double fast[13] = {0, 0, .3, .5, 1, 4, 28, 290, 5500, 120000, 3e6};
    const double *g = o->recursion == BG_RECURSION_DRESSED                               ? dressed
                      : o->color == BG_COLOR_SAMPLED || o->orderings == BG_ORDERINGS_ONE ? single
                      : o->color == BG_COLOR_SUMMED && o->kernel == BG_KERNEL_FAST       ? fast
                                                                                         : growth;
    const double events = 20000. / (g[n_out] * cost * (o->helicity == SUMMED ? pow(2., n_out - 4) : 1.));
    return events > 700. ? 700 : events < 3. ? 3 : (size_t)events;
}

/* The largest deviation so far; what is no number is larger than all numbers. */
static void note(double off, double *worst)
{
    if (!isnan(*worst) && !(off <= *worst)) *worst = off;
}

/* The same points and draws with both, and with the device also cut in two, where the numbers must be the same bit by bit. */
static bg_status compare(const char *name, int n_out, size_t count, double limit, bg_evaluator *cpu, bg_evaluator *gpu,
                         int *good, bg_error *error)
{
    const size_t numbers = 4 * ((size_t)n_out + 2), half = count / 2;
    double *momenta = many_points(n_out, count), *value = malloc(5 * count * sizeof *value);
    double *a = value, *b = value + count, *ea = value + 2 * count, *eb = value + 3 * count, *c = value + 4 * count;
    const uint64_t first = 12345678901u;
    if (!value) exit(1);
    bg_status status = bg_evaluator_evaluate(cpu, first, count, momenta, a, ea, error);
    memset(b, 0xff, count * sizeof *b);
    if (status == BG_OK) status = bg_evaluator_evaluate(gpu, first, count, momenta, b, eb, error);
    if (status == BG_OK && half) status = bg_evaluator_evaluate(gpu, first, half, momenta, c, NULL, error);
    if (status == BG_OK)
        status =
            bg_evaluator_evaluate(gpu, first + half, count - half, momenta + half * numbers, c + half, NULL, error);
    /* Draws may vanish by symmetry (equal helicities, equal colors): what is left then is rounding. */
    double worst = 0., worst_error = 0., floor = 0.;
    int bits = 1;
    for (size_t k = 0; status == BG_OK && k < count; k++) floor += 1e-10 * fabs(a[k]) / (double)count;
    for (size_t k = 0; status == BG_OK && k < count; k++) {
        const double off = fabs(a[k] - b[k]) / fmax(fabs(a[k]), floor);
        if (a[k] != b[k]) note(off, &worst);
        const double off_error =
            ea[k] == eb[k] || (isnan(ea[k]) && isnan(eb[k])) ? 0. : fabs(ea[k] - eb[k]) / fmax(a[k], floor);
        note(off_error, &worst_error);
        bits &= !memcmp(&b[k], &c[k], sizeof *b);
    }
    *good = status == BG_OK && worst <= limit && worst_error <= limit && bits;
    if (status == BG_OK)
        printf("%-26s %2d %6zu  %8.1e %8.1e  %s%s\n", name, n_out, count, worst, worst_error, *good ? "ok" : "WRONG",
               bits ? "" : " (depends on the batch)");
    free(momenta);
    free(value);
    return status;
}

static int check_mode(const mode *m, int n_out)
{
    bg_error error;
    bg_options o;
    bg_evaluator *cpu = NULL, *gpu = NULL;
    int good = 0;
    bg_status status = options_of(m, n_out, &o, &error);
    const size_t count = check_count(&o, m->cost, n_out);
    const int exact = o.helicity != SAMPLED && o.color != BG_COLOR_SAMPLED;
    /* one draw, or one helicity, may be a small difference of large terms */
    const double limit = exact && o.helicity != FIXED ? 1e-12 : 1e-9;
    if (status == BG_OK) status = create(&cpu, m, n_out, "cpu", &error);
    if (status == BG_OK) status = create(&gpu, m, n_out, "cuda", &error);
    if (status == BG_OK) status = compare(m->name, n_out, count, limit, cpu, gpu, &good, &error);
    if (status != BG_OK) printf("%-26s %2d %6zu  FAILED: %s\n", m->name, n_out, count, error.message);
    fflush(stdout);
    bg_evaluator_destroy(cpu);
    bg_evaluator_destroy(gpu);
    return good;
}

/* Draws of colors with quark lines, of enough events that some share colors with every skeleton of their flows. */
static const struct {
    const char *process, *changes;
} draws[] = {{"g g > u u~ g", ""},
             {"g g > u u~ g g", "helicity-sampling=circular"},
             {"u u~ > d d~ g g", ""},
             {"u d > u d g g", "helicity-sampling=circular color-group=8"},
             {"u u > u u g", "color-group=1"},
             {"u u~ > u u~ g g", "samples=2"},
             {"u u~ > d d~ s s~", "samples=2"},
             {"u d > u d s s~ g", ""}};
enum { DRAWS = sizeof draws / sizeof *draws };

static bg_status create_draw(bg_evaluator **evaluator, const bg_process *process, const char *changes,
                             const char *backend, bg_error *error)
{
    const mode m = {.strategy = "coherent", .changes = changes};
    bg_options o;
    bg_status status = options_of(&m, 0, &o, error);
    if (status == BG_OK) status = bg_options_set(&o, "backend", backend, error);
    return status == BG_OK ? bg_evaluator_create(evaluator, process, &o, error) : status;
}

static int check_draws(const char *text, const char *changes)
{
    enum { EVENTS = 3000 };
    bg_error error;
    bg_process *process = NULL;
    bg_evaluator *cpu = NULL, *gpu = NULL;
    int good = 0, n_out = 0;
    bg_status status = bg_process_parse(&process, text, 5, 3, &error);
    if (status == BG_OK) n_out = bg_process_n_out(process);
    if (status == BG_OK) status = create_draw(&cpu, process, changes, "cpu", &error);
    if (status == BG_OK) status = create_draw(&gpu, process, changes, "cuda", &error);
    if (status == BG_OK) status = compare(text, n_out, EVENTS, 1e-9, cpu, gpu, &good, &error);
    if (status != BG_OK) printf("%-26s FAILED: %s\n", text, error.message);
    fflush(stdout);
    bg_evaluator_destroy(cpu);
    bg_evaluator_destroy(gpu);
    bg_process_destroy(process);
    return good;
}

/* Unstable points are evaluated again by the host, so that both backends give the same bits. */
static int check_rescue(void)
{
    enum { POINTS = 64, NUMBERS = 20 };
    double momenta[POINTS * NUMBERS], value[2][POINTS];
    bg_stability found[2];
    bg_error error;
    bg_status status = BG_OK;
    for (int k = 0; k < POINTS; k++) {
        double *p = momenta + k * NUMBERS, sum[4] = {0.};
        const double theta = 0.5 + 2. * uniform(), phi = 6.283185307179586 * uniform(),
                     angle = pow(10., -6. - 3. * uniform());
        for (int g = 0; g < 2; g++) { /* two almost collinear gluons, and one against them */
            const double energy = 500. * (1. + uniform()), t = theta + g * angle;
            const double q[4] = {energy, energy * sin(t) * cos(phi), energy * sin(t) * sin(phi), energy * cos(t)};
            for (int m = 0; m < 4; m++) sum[m] += p[8 + 4 * g + m] = q[m];
        }
        p[16] = sqrt(sum[1] * sum[1] + sum[2] * sum[2] + sum[3] * sum[3]);
        for (int m = 1; m < 4; m++) p[16 + m] = -sum[m];
        const double beam = 0.5 * (sum[0] + p[16]), in[8] = {beam, 0., 0., beam, beam, 0., 0., -beam};
        memcpy(p, in, sizeof in);
    }
    for (int b = 0; b < 2 && status == BG_OK; b++) {
        const mode m = {.name = "co-sum summed", .strategy = "full-paper", .changes = ""};
        bg_evaluator *evaluator = NULL;
        bg_stability_init(&found[b]);
        status = create(&evaluator, &m, 3, b ? "cuda" : "cpu", &error);
        if (status == BG_OK) status = bg_evaluator_evaluate(evaluator, 0, POINTS, momenta, value[b], NULL, &error);
        if (status == BG_OK) status = bg_evaluator_stability(evaluator, &found[b], &error);
        bg_evaluator_destroy(evaluator);
    }
    const int good = status == BG_OK && found[0].rescued == POINTS && found[1].rescued == POINTS &&
                     !memcmp(value[0], value[1], sizeof value[0]);
    printf("%-26s %2d %6d  %s%s\n", "rescue of unstable points", 3, POINTS, good ? "ok" : "WRONG ",
           status == BG_OK ? "" : error.message);
    return good;
}

int check(int most, const char *which)
{
    int rows = 0, good = 0;
    printf("algorithm               n_out events  deviation of value, error\n");
    for (int k = 0; k < mode_count; k++)
        for (int n_out = 2; n_out <= modes[k].checked && n_out <= most && is_wanted(modes[k].name, which); n_out++) {
            good += check_mode(&modes[k], n_out);
            rows++;
        }
    if (!which) {
        good += check_rescue();
        rows++;
    }
    for (int k = 0; k < DRAWS; k++) {
        if (!is_wanted(draws[k].process, which)) continue;
        good += check_draws(draws[k].process, draws[k].changes);
        rows++;
    }
    printf("%d of %d rows passed\n", good, rows);
    return good == rows ? 0 : 1;
}
