/* The fit of the learned factor.
 *
 * Least squares of ln(|M|^2 / (scale E)) on the functions 1, u_k, u_k u_l. The normal equations (A + ridge diag A) c = r are
 * solved by a Cholesky decomposition. The ridge is for functions of u itself, not of u less its mean: so it pulls towards
 * forms that stay small where all invariants are alike, and what is learned from few points goes less astray beyond them.
 */
#include "estimate/learned.h"
#include "base/status.h"
#include "estimate/cholesky.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCK = 64, SIDE = 4 }; /* points whose functions stay in a cache; of these, added side by side */

static const double least_residual = -1., largest_residual = 2.;

bg_learned_settings bg_learned_defaults(void)
{
    const bg_learned_settings settings = {6, 1e-4, 3., 0.995, 1};
    return settings;
}

/* Everything that the rounds share. */
typedef struct fit {
    const bg_learned_sample *sample;
    int functions;
    double *target;   /* [point] */
    double *residual; /* [point] of the round before */
    double *weight;   /* [point] w |M|^2, cut */
    double
        *function;  /* [point][function], in the order of the coefficients; a few points of nothing but zeros follow */
    double *factor; /* [point] weight of the round under way, likewise */
    double *matrix; /* [function][function], the lower half */
    double *solution; /* [function] */
} fit;

/* ---- checks -------------------------------------------------------------------------------------------------------- */

static bg_status check_settings(const bg_learned_settings *s, bg_error *error)
{
    if (s->rounds < 1) return bg_fail(error, BG_ERROR_ARGUMENT, "rounds = %d; it must be 1 or more", s->rounds);
    if (!(s->ridge >= 0.)) return bg_fail(error, BG_ERROR_ARGUMENT, "ridge = %g; it must be 0 or more", s->ridge);
    if (!(s->pull >= 0. && s->pull <= 100.))
        return bg_fail(error, BG_ERROR_ARGUMENT, "pull = %g; it must be 0 to 100", s->pull);
    if (!(s->share > 0. && s->share <= 1.))
        return bg_fail(error, BG_ERROR_ARGUMENT, "share = %g; it must be above 0 and at most 1", s->share);
    return BG_OK;
}

static double weight_of(const bg_learned_sample *s, size_t k) { return s->weight ? s->weight[k] : 1.; }

static bg_status check_point(const bg_learned_sample *s, size_t k, bg_error *error)
{
    const double *u = s->u + k * (size_t)s->invariants;
    if (!(s->exact[k] > 0. && isfinite(s->exact[k]) && s->estimate[k] > 0. && isfinite(s->estimate[k])))
        return bg_fail(error, BG_ERROR_POINT, "point %zu has |M|^2 = %g and the estimate %g; both must be positive", k,
                       s->exact[k], s->estimate[k]);
    if (!(weight_of(s, k) >= 0. && isfinite(weight_of(s, k))))
        return bg_fail(error, BG_ERROR_POINT, "point %zu has the weight %g; it must be 0 or more", k, weight_of(s, k));
    for (int i = 0; i < s->invariants; i++)
        if (!isfinite(u[i]))
            return bg_fail(error, BG_ERROR_POINT, "logarithm %d of point %zu is %g; it must be finite", i, k, u[i]);
    return BG_OK;
}

bg_status bg_learned_check(const bg_learned_sample *s, bg_error *error)
{
    const int most = learned_most_numbers(BG_MAX_LEGS);
    if (s->invariants < 1 || s->invariants > most)
        return bg_fail(error, BG_ERROR_ARGUMENT, "%d invariants; there may be 1 to %d", s->invariants, most);
    const int functions = learned_coefficients(s->invariants);
    if (s->points < (size_t)functions)
        return bg_fail(error, BG_ERROR_ARGUMENT, "%zu points for %d coefficients; there must be at least as many",
                       s->points, functions);
    for (size_t k = 0; k < s->points; k++) {
        const bg_status status = check_point(s, k, error);
        if (status != BG_OK) return status;
    }
    return BG_OK;
}

/* ---- what is fitted, and with which weights -------------------------------------------------------------------------- */

static int compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* w |M|^2 up to what a share of all points is below: a few points of enormous weight would be fitted, not the rest. The
 * largest one is 1. */
static void cut_weights(fit *f, double share)
{
    const bg_learned_sample *s = f->sample;
    for (size_t k = 0; k < s->points; k++) f->residual[k] = f->weight[k] = weight_of(s, k) * s->exact[k];
    qsort(f->residual, s->points, sizeof *f->residual, compare_doubles);
    const double last = f->residual[(size_t)(share * (double)(s->points - 1))];
    const double most = last > 0. ? last : f->residual[s->points - 1];
    for (size_t k = 0; k < s->points; k++) f->weight[k] = f->weight[k] < most ? f->weight[k] / most : 1.;
}

static bg_status prepare(fit *f, double share, double *scale, bg_error *error)
{
    const bg_learned_sample *s = f->sample;
    double exact = 0., estimate = 0.;
    for (size_t k = 0; k < s->points; k++) {
        exact += weight_of(s, k) * s->exact[k];
        estimate += weight_of(s, k) * s->estimate[k];
    }
    if (!(exact > 0.)) return bg_fail(error, BG_ERROR_POINT, "all %zu points have the weight 0", s->points);
    *scale = exact / estimate;
    cut_weights(f, share);
    for (size_t k = 0; k < s->points; k++) {
        f->target[k] = log(s->exact[k] / (*scale * s->estimate[k]));
        f->residual[k] = 0.;
    }
    return BG_OK;
}

/* ---- normal equations -------------------------------------------------------------------------------------------------- */

void bg_learned_functions(int invariants, const double *u, double *to)
{
    *to++ = 1.;
    for (int i = 0; i < invariants; i++) {
        *to++ = u[i];
        for (int j = 0; j <= i; j++) *to++ = u[i] * u[j];
    }
}

/* What a block of points adds to row i of the normal equations. */
static void add_row(fit *f, size_t first, size_t end, size_t i)
{
    const size_t functions = (size_t)f->functions;
    double *row = f->matrix + i * functions, right = 0.;
    for (size_t k = first; k < end; k += SIDE) {
        const double *x = f->function + k * functions, *y = x + functions, *z = y + functions, *w = z + functions;
        const double a = f->factor[k] * x[i], b = f->factor[k + 1] * y[i], c = f->factor[k + 2] * z[i],
                     d = f->factor[k + 3] * w[i];
        right += a * f->target[k] + b * f->target[k + 1] + (c * f->target[k + 2] + d * f->target[k + 3]);
        for (size_t j = 0; j <= i; j++) row[j] += a * x[j] + b * y[j] + (c * z[j] + d * w[j]);
    }
    f->solution[i] += right;
}

/* Threads share the rows, so the sums do not depend on how many there are. */
static void add_points(fit *f, const bg_learned_settings *settings)
{
    const size_t points = f->sample->points, functions = (size_t)f->functions;
    memset(f->matrix, 0, functions * functions * sizeof *f->matrix);
    memset(f->solution, 0, functions * sizeof *f->solution);
    for (size_t k = 0; k < points; k++) f->factor[k] = f->weight[k] * exp(settings->pull * f->residual[k]);
#ifdef _OPENMP
#pragma omp parallel num_threads(settings->threads)
#endif
    for (size_t first = 0; first < points; first += BLOCK) {
        const size_t end = first + BLOCK < points ? first + BLOCK : points;
#ifdef _OPENMP
#pragma omp for schedule(static, 4)
#endif
        for (int i = 0; i < f->functions; i++) add_row(f, first, end, (size_t)i);
    }
}

/* The ridge is relative: of each diagonal element. */
static bg_status solve(fit *f, double ridge, bg_error *error)
{
    const size_t n = (size_t)f->functions;
    double left = 0.;
    for (size_t i = 0; i < n; i++) f->matrix[i * n + i] *= 1. + ridge;
    const size_t rows = bg_cholesky(n, f->matrix, &left);
    if (rows < n)
        return bg_fail(
            error, BG_ERROR_POINT,
            "%zu points do not determine %zu coefficients: of the diagonal element %zu, %g is left of %g; it "
            "must be more than 1e-14 of it. More points, or a larger ridge, would help",
            f->sample->points, n, rows, left, f->matrix[rows * n + rows]);
    bg_cholesky_solve(n, f->matrix, f->solution);
    return BG_OK;
}

/* What is left of the targets, cut so that a few points cannot take over. */
static void find_residuals(fit *f)
{
    for (size_t k = 0; k < f->sample->points; k++) {
        const double *function = f->function + k * (size_t)f->functions;
        double value = 0.;
        for (int i = 0; i < f->functions; i++) value += f->solution[i] * function[i];
        const double left = f->target[k] - value;
        f->residual[k] = left < least_residual ? least_residual : left > largest_residual ? largest_residual : left;
    }
}

/* ---- the whole ------------------------------------------------------------------------------------------------------- */

static bg_status fit_rounds(fit *f, const bg_learned_settings *settings, double *scale, double *coefficient,
                            bg_error *error)
{
    const size_t invariants = (size_t)f->sample->invariants;
    for (size_t k = 0; k < f->sample->points; k++)
        bg_learned_functions(f->sample->invariants, f->sample->u + k * invariants,
                             f->function + k * (size_t)f->functions);
    bg_status status = prepare(f, settings->share, scale, error);
    for (int round = 0; round < settings->rounds && status == BG_OK; round++) {
        if (round) find_residuals(f);
        add_points(f, settings);
        status = solve(f, settings->ridge, error);
    }
    if (status == BG_OK) memcpy(coefficient, f->solution, (size_t)f->functions * sizeof *coefficient);
    return status;
}

bg_status bg_learned_fit(const bg_learned_sample *sample, const bg_learned_settings *settings, double *scale,
                         double *coefficient, bg_error *error)
{
    bg_status status = check_settings(settings, error);
    if (status == BG_OK) status = bg_learned_check(sample, error);
    if (status != BG_OK) return status;
    const size_t functions = (size_t)learned_coefficients(sample->invariants), points = sample->points;
    const size_t padded = points + SIDE, numbers = 4 * padded + functions * (padded + functions + 1);
    double *room = calloc(numbers, sizeof *room);
    if (!room)
        return bg_fail(error, BG_ERROR_MEMORY, "the fit of %zu coefficients to %zu points takes %.3g MB", functions,
                       points, (double)numbers * 8e-6);
    fit f;
    f.sample = sample;
    f.functions = (int)functions;
    f.target = room;
    f.residual = f.target + padded;
    f.weight = f.residual + padded;
    f.factor = f.weight + padded;
    f.function = f.factor + padded;
    f.matrix = f.function + functions * padded;
    f.solution = f.matrix + functions * functions;
    status = fit_rounds(&f, settings, scale, coefficient, error);
    free(room);
    return status == BG_OK ? bg_succeed(error) : status;
}
