/* Cross sections on both at equal seed and points, and the time of a whole event. */
#include "engine/evaluator.h"
#include "phasespace/grid.h"
#include "accumulate/histograms.h"
#include "process/process.h"

#include "gpu_check.h"

#include <time.h>

typedef struct integral {
    const char *name;
    bg_algorithm algorithm;
    bg_helicity helicity;
    bg_helicity_sampling sampling;
    bg_phase_space phase_space;
    int low, high, histograms, hybrid;
    double pt_min;       /* the only cut; 0: those of the paper */
    const char *process; /* NULL: gluons */
    int estimated;       /* |M|^2 is estimated first */
} integral;

static const integral integrals[] = {
    {"co-sum summed", BG_ALGORITHM_CO_SUM, SUMMED, 0, BG_PHASE_SPACE_ADAPTIVE, 2, 6, 0, 0, 0., NULL, 0},
    {"co-sum invariants", BG_ALGORITHM_CO_SUM, SAMPLED, BG_SAMPLE_INVARIANTS, BG_PHASE_SPACE_ADAPTIVE, 2, 6, 0, 0, 0.,
     NULL, 0},
    {"co-sum masses", BG_ALGORITHM_CO_SUM, SAMPLED, BG_SAMPLE_MASSES, BG_PHASE_SPACE_ADAPTIVE, 2, 6, 0, 0, 0., NULL, 0},
    {"co-sum adaptive", BG_ALGORITHM_CO_SUM, SAMPLED, BG_SAMPLE_ADAPTIVE, BG_PHASE_SPACE_ADAPTIVE, 3, 5, 0, 0, 0., NULL,
     0},
    {"co-sum circular", BG_ALGORITHM_CO_SUM, SAMPLED, BG_SAMPLE_CIRCULAR, BG_PHASE_SPACE_ADAPTIVE, 4, 4, 0, 0, 0., NULL,
     0},
    {"co-sum angle, histograms", BG_ALGORITHM_CO_SUM, SAMPLED, BG_SAMPLE_ANGLE, BG_PHASE_SPACE_ADAPTIVE, 2, 6, 1, 0, 0.,
     NULL, 0},
    /* two gluons have the same pT: which is jet 1 is a matter of rounding */
    {"co-sum angle, rambo", BG_ALGORITHM_CO_SUM, SAMPLED, BG_SAMPLE_ANGLE, BG_PHASE_SPACE_RAMBO, 3, 5, 1, 0, 0., NULL,
     0},
    {"co-sum invariants, hybrid", BG_ALGORITHM_CO_SUM, SAMPLED, BG_SAMPLE_INVARIANTS, BG_PHASE_SPACE_ADAPTIVE, 4, 5, 0,
     1, 0., NULL, 0},
    {"co-sum angle, rambo, hybrid", BG_ALGORITHM_CO_SUM, SAMPLED, BG_SAMPLE_ANGLE, BG_PHASE_SPACE_RAMBO, 3, 3, 0, 1, 0.,
     NULL, 0},
    {"lc angle", BG_ALGORITHM_LC, SAMPLED, BG_SAMPLE_ANGLE, BG_PHASE_SPACE_ADAPTIVE, 4, 4, 0, 0, 0., NULL, 0},
    {"tess angle", BG_ALGORITHM_TESS, SAMPLED, BG_SAMPLE_ANGLE, BG_PHASE_SPACE_ADAPTIVE, 4, 4, 0, 0, 0., NULL, 0},
    {"co-mc angle", BG_ALGORITHM_CO_MC, SAMPLED, BG_SAMPLE_ANGLE, BG_PHASE_SPACE_ADAPTIVE, 4, 5, 0, 0, 0., NULL, 0},
    {"cd-mc angle", BG_ALGORITHM_CD_MC, SAMPLED, BG_SAMPLE_ANGLE, BG_PHASE_SPACE_ADAPTIVE, 4, 7, 1, 0, 0., NULL,
     0}, /* coherent */
    {"cd-mc invariants, hybrid", BG_ALGORITHM_CD_MC, SAMPLED, BG_SAMPLE_INVARIANTS, BG_PHASE_SPACE_ADAPTIVE, 2, 5, 0, 1,
     0., NULL, 0},
    {"cd-mc masses", BG_ALGORITHM_CD_MC, SAMPLED, BG_SAMPLE_MASSES, BG_PHASE_SPACE_ADAPTIVE, 2, 6, 0, 0, 0., NULL, 0},
    {"few cd-mc angle", BG_ALGORITHM_CD_MC, SAMPLED, BG_SAMPLE_ANGLE, BG_PHASE_SPACE_ADAPTIVE, 4, 7, 1, 0, 0., NULL, 0},
    {"few cd-mc masses", BG_ALGORITHM_CD_MC, SAMPLED, BG_SAMPLE_MASSES, BG_PHASE_SPACE_ADAPTIVE, 2, 6, 0, 0, 0., NULL,
     0},
    {"cd-mc adaptive", BG_ALGORITHM_CD_MC, SAMPLED, BG_SAMPLE_ADAPTIVE, BG_PHASE_SPACE_ADAPTIVE, 3, 4, 0, 0, 0., NULL,
     0},
    /* loose enough for unstable points, which the host evaluates again */
    {"lc angle, loose", BG_ALGORITHM_LC, SAMPLED, BG_SAMPLE_ANGLE, BG_PHASE_SPACE_ADAPTIVE, 3, 4, 1, 0, 1., NULL, 0},
    {"co-mc circular, loose", BG_ALGORITHM_CO_MC, SAMPLED, BG_SAMPLE_CIRCULAR, BG_PHASE_SPACE_ADAPTIVE, 3, 3, 0, 0, 1.,
     NULL, 0},
    {"lc angle, loose, hybrid", BG_ALGORITHM_LC, SAMPLED, BG_SAMPLE_ANGLE, BG_PHASE_SPACE_ADAPTIVE, 3, 3, 0, 1, 1.,
     NULL, 0},
    /* points of a deal are sorted by skeletons, those that a sieve keeps as well */
    {"u d > u d g g, drawn", BG_ALGORITHM_CD_MC, SAMPLED, BG_SAMPLE_ADAPTIVE, BG_PHASE_SPACE_ADAPTIVE, 4, 4, 0, 0, 0.,
     "u d > u d g g", 0},
    {"u d > u d g g, sieved", BG_ALGORITHM_CD_MC, SAMPLED, BG_SAMPLE_ADAPTIVE, BG_PHASE_SPACE_ADAPTIVE, 4, 4, 1, 0, 0.,
     "u d > u d g g", 1},
    {"u u~ > d d~ g, sieved", BG_ALGORITHM_CD_MC, SAMPLED, BG_SAMPLE_ADAPTIVE, BG_PHASE_SPACE_ADAPTIVE, 3, 3, 0, 0, 0.,
     "u u~ > d d~ g", 1},
};
enum { INTEGRALS = sizeof integrals / sizeof *integrals };

static bg_options integral_options(const integral *i, const char *backend)
{
    bg_options o;
    bg_options_init(&o);
    (void)bg_options_set_algorithm(&o, i->algorithm, NULL);
    o.helicity = i->helicity;
    o.helicity_sampling = i->sampling;
    o.seed = 20261115;
    if (!strncmp(i->name, "few", 3)) o.color_group = 8;
    snprintf(o.backend, sizeof o.backend, "%s", backend);
    return o;
}

static const char *const booked[] = {"mass(1,2):70:100:9000:log", "dphi(1,2):31:0:3", "dr(1,2)", "y(2):9:-1:2",
                                     "energy(1):200:20:3000",     "deta(1,2)",        "ht:7"};

static bg_status integrate_on(const integral *i, int n_out, const char *backend, uint64_t points, bg_result *result,
                              struct bg_histograms **histograms, bg_error *error)
{
    bg_process *process = NULL;
    bg_integration w;
    const bg_options o = integral_options(i, backend);
    bg_integration_init(&w);
    w.phase_space = i->phase_space;
    w.precision = 0.;
    w.points = points;
    w.hybrid = i->hybrid && !strcmp(backend, "cuda");
    if (i->pt_min > 0.) {
        w.cuts.pt_min = i->pt_min;
        w.cuts.eta_max = 0.;
        w.cuts.dr_min = 1e-6;
    }
    if (i->estimated) w.estimate = BG_ESTIMATE_ON;
    bg_status status = i->process ? bg_process_parse(&process, i->process, 5, 3, error)
                                  : bg_process_create_gluons(&process, n_out, error);
    if (status == BG_OK && i->histograms)
        status = bg_histograms_allocate(histograms, &process->subprocess[0], 0, w.sqrts, &w.cuts, error);
    for (size_t k = 0; k < sizeof booked / sizeof *booked && status == BG_OK && i->histograms; k++)
        status = bg_histograms_book(*histograms, booked[k], error);
    w.histograms = *histograms;
    if (status == BG_OK) status = bg_integrate(process, &o, &w, result, error);
    bg_process_destroy(process);
    return status;
}

/* Largest difference of two bins, weights or squares, as a fraction of the whole. */
static double compare_histograms(const struct bg_histograms *a, const struct bg_histograms *b)
{
    double worst = 0.;
    for (int k = 0; a && k < a->count; k++) {
        double sum = 0., off = 0.;
        double sum2 = 0., off2 = 0.;
        const int first = a->histogram[k].axis.first, cells = bg_axis_cells(&a->histogram[k].axis);
        for (int i = first; i < first + cells; i++) {
            const double x = bg_exact_value(&a->weight[i]), y = bg_exact_value(&b->weight[i]);
            const double x2 = bg_exact_value(&a->weight2[i]), y2 = bg_exact_value(&b->weight2[i]);
            sum += x;
            sum2 += x2;
            if (!(fabs(x - y) <= off)) off = fabs(x - y);
            if (!(fabs(x2 - y2) <= off2)) off2 = fabs(x2 - y2);
        }
        if (!(off / sum <= worst)) worst = off / sum;
        if (!(off2 / sum2 <= worst)) worst = off2 / sum2;
    }
    return worst;
}

static int check_integral(const integral *i, int n_out)
{
    bg_error error;
    bg_result a, b;
    bg_result_init(&a);
    bg_result_init(&b);
    struct bg_histograms *ha = NULL, *hb = NULL;
    const int loose = i->pt_min > 0.;
    const uint64_t points = n_out < 5 ? 40000 : n_out < 7 ? 10000 : 4000;
    bg_status status = integrate_on(i, n_out, "cpu", points, &a, &ha, &error);
    if (status == BG_OK) status = integrate_on(i, n_out, "cuda", points, &b, &hb, &error);
    int good = 0;
    if (status != BG_OK) {
        printf("%-26s %2d FAILED: %s\n", i->name, n_out, error.message);
    } else {
        const double off = fabs(b.sigma_pb / a.sigma_pb - 1.), off_error = fabs(b.error_pb / a.error_pb - 1.);
        const double off_max = fabs(b.max_weight_pb / a.max_weight_pb - 1.), off_bins = compare_histograms(ha, hb);
        const int same = a.points == b.points && a.accepted == b.accepted && a.nonfinite == b.nonfinite &&
                         a.unstable == b.unstable && a.rescued == b.rescued;
        good = same && a.accepted > 0 && loose == (a.unstable > 0);
        /* loose: a few points decide, and each has lost digits */
        good &= loose ? off <= 1e-8 && off_error <= 1e-8 && off_max <= 1e-8 && off_bins <= 1e-8
                      : off <= 1e-12 && off_error <= 1e-11 && off_max <= 1e-9 && off_bins <= 1e-11;
        printf("%-26s %2d %6llu %6llu  %.10g pb  %8.1e %8.1e %8.1e %8.1e  %s%s\n", i->name, n_out,
               (unsigned long long)b.points, (unsigned long long)b.accepted, b.sigma_pb, off, off_error, off_max,
               off_bins, good ? "ok" : "WRONG", same ? "" : " (counts differ)");
    }
    fflush(stdout);
    bg_histograms_destroy(ha);
    bg_histograms_destroy(hb);
    return good;
}

/* A thousand different points, again and again. */
static double *repeated_points(int n_out, size_t count)
{
    const size_t numbers = 4 * ((size_t)n_out + 2), different = 1000;
    double *points = many_points(n_out, different), *momenta = malloc(count * numbers * sizeof *momenta);
    if (!momenta) exit(1);
    for (size_t k = 0; k < count; k++)
        memcpy(momenta + k * numbers, points + k % different * numbers, numbers * sizeof *momenta);
    free(points);
    return momenta;
}

static double wall(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* A whole event against its matrix element: ns for each point inside the cuts. */
static void time_integral(const integral *i, int n_out)
{
    bg_error error;
    bg_process *process = NULL;
    bg_evaluator *e = NULL;
    bg_integration w;
    bg_tally *tally = bg_tally_create(hardpair_adaptive(n_out), 0, 0);
    channel_grid *grid = malloc(sizeof *grid);
    const bg_options o = integral_options(i, "cuda");
    bg_integration_init(&w);
    bg_status status = bg_process_create_gluons(&process, n_out, &error);
    if (status == BG_OK) status = bg_evaluator_create_for(&e, process, &o, BG_FOR_CROSS_SECTION, NULL, NULL, &error);
    if (status == BG_OK) {
        const channel c = channel_create((int)i->phase_space, (bg_subprocess[]){bg_subprocess_gluons(n_out)}, w.sqrts,
                                         &w.cuts, NULL, NULL, o.seed);
        bg_batch batch = {.channel = &c, .grid = grid, .count = 4096};
        bg_timing timing = {0};
        bg_memory memory;
        bg_memory_init(&memory);
        (void)bg_evaluator_memory(e, &memory, NULL);
        const size_t events = memory.batch;
        double *momenta = repeated_points(n_out, events), me[3] = {0.}, seconds_spent = 0.;
        bg_grid_uniform(grid, &c.process, 0);
        while (status == BG_OK) { /* until it takes long enough to be measured */
            bg_tally_clear(tally);
            memset(&timing, 0, sizeof timing);
            const double start = wall();
            status = bg_evaluator_integrate(e, &batch, tally, NULL, &timing, &error);
            seconds_spent = wall() - start;
            batch.importance_scale = bg_exact_value(&tally->weight2) / (double)batch.count;
            batch.first_event += batch.count;
            if (seconds_spent > 0.1) break;
            batch.count *= seconds_spent < 0.02 ? 4 : 2;
        }
        if (status == BG_OK) status = bg_evaluator_time_device(e, momenta, events, 3, me, &error);
        if (status == BG_OK) {
            const double ns = 1e9 / (double)tally->accepted,
                         alone = 1e9 * fmin(me[0], fmin(me[1], me[2])) / (double)events;
            printf("%-26s %2d %10llu trials, %4.1f %% inside: %10.4g ns an event = %.4g points + %.4g |M|^2 and sums; "
                   "|M|^2 alone %.4g ns, ratio %.2f\n",
                   i->name, n_out, (unsigned long long)batch.count,
                   100. * (double)tally->accepted / (double)batch.count, ns * seconds_spent, ns * timing.phase_space,
                   ns * timing.matrix_element, alone, ns * seconds_spent / alone);
        }
        free(momenta);
    }
    if (status != BG_OK) printf("%-26s %2d FAILED: %s\n", i->name, n_out, error.message);
    fflush(stdout);
    bg_evaluator_destroy(e);
    bg_process_destroy(process);
    free(tally);
    free(grid);
}

int integrate(int most, const char *which)
{
    int rows = 0, good = 0;
    printf("integral                n_out points inside  sigma on the GPU, deviation of sigma, error, largest weight, "
           "bins\n");
    for (int k = 0; k < INTEGRALS; k++)
        for (int n_out = integrals[k].low; n_out <= integrals[k].high && n_out <= most; n_out++) {
            if (!is_wanted(integrals[k].name, which)) continue;
            good += check_integral(&integrals[k], n_out);
            rows++;
        }
    printf("%d of %d integrals passed\n", good, rows);
    for (int k = 0; k < INTEGRALS; k++)
        for (int n_out = 2; n_out <= 6 && n_out <= most; n_out++)
            if (!is_wanted(integrals[k].name, which))
                continue;
            else if ((integrals[k].helicity == SUMMED && n_out < 6) ||
                     (integrals[k].histograms && n_out <= integrals[k].high))
                time_integral(&integrals[k], n_out);
    return good == rows ? 0 : 1;
}
