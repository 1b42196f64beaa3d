/* The learned factor for events, which come in two stages: a point is kept by its estimate, and then by |M|^2 / E'.
 *
 * With E' as small as it can be on average few exact values are computed, and with |M|^2 / E' as small as it can be where it is largest
 * few of them are dropped again. How large the ratio is on average does not matter, so least squares is the wrong measure. With the
 * shares a of the estimate and b of |M|^2 that points have, and r, their ratio over its mean, the form f is the one with the least
 *
 *     J = sum a exp(f) + 1/q sum b (r exp(-f))^q .
 *
 * (By the constant in f that is the mean of E' times the q-th root of the mean of r'^q, which is nearly the largest r'.) J is
 * convex. A large q makes it stiff far from its least value, so q grows from 1 by factors of two. For each of them the second
 * derivatives are decomposed once, and conjugate gradients go on with those: they cost next to nothing beside that.
 */
#include "base/status.h"
#include "estimate/cholesky.h"
#include "estimate/learned.h"

#include <stdlib.h>
#include <string.h>

enum { LAST_POWER = 16, MOST_STEPS = 30, MOST_SEARCHES = 12 };
enum {
    SIDE = 4,
    BLOCK = 64,
    PARTS = 64
}; /* points side by side; in a cache; groups of points with sums of their own */

#define RIDGE 1e-5       /* added to the diagonal of the second derivatives, in its own units */
#define LARGEST_RATIO 2. /* its logarithm: a few points must not take over */
#define ENOUGH 2e-5      /* of J, by which a step may still lower it */

typedef struct fit {
    const bg_learned_sample *sample;
    size_t points, functions; /* both with zeros behind them, up to whole sides */
    int threads;
    double power;
    double *function;       /* [point][function] */
    double *share, *exact;  /* [point] a, b */
    double *ratio;          /* [point] ln r */
    double *form, *along;   /* [point] f, and what it changes by along the direction */
    double *first, *second; /* [point] derivatives of J by f */
    double *part;           /* [PARTS][function] */
    double *matrix;         /* [function][function], the lower half: second derivatives, then their decomposition */
    double *ridge;          /* [function] */
    double *solution, *slope, *before, *guided, *direction; /* [function] */
} fit;

/* ---- derivatives ----------------------------------------------------------------------------------------------------- */

static void find_derivatives(fit *f)
{
#ifdef _OPENMP
#pragma omp parallel for schedule(static) num_threads(f->threads)
#endif
    for (size_t k = 0; k < f->points; k++) {
        const double a = f->share[k] * exp(f->form[k]), b = f->exact[k] * exp(f->power * (f->ratio[k] - f->form[k]));
        f->first[k] = a - b;
        f->second[k] = a + f->power * b;
    }
}

/* Sums by parts of the points, which do not depend on the number of threads. */
static void find_slope(fit *f)
{
    const size_t n = f->functions;
#ifdef _OPENMP
#pragma omp parallel for schedule(static) num_threads(f->threads)
#endif
    for (int p = 0; p < PARTS; p++) {
        double *to = f->part + (size_t)p * n;
        memset(to, 0, n * sizeof *to);
        for (size_t k = f->points * (size_t)p / PARTS; k < f->points * (size_t)(p + 1) / PARTS; k++)
            for (size_t i = 0; i < n; i++) to[i] += f->first[k] * f->function[k * n + i];
    }
    for (size_t i = 0; i < n; i++) {
        f->slope[i] = f->ridge[i] * f->solution[i];
        for (size_t p = 0; p < PARTS; p++) f->slope[i] += f->part[p * n + i];
    }
}

/* What a block of points adds to row i of the second derivatives. */
static void add_row(fit *f, size_t first, size_t end, size_t i)
{
    const size_t n = f->functions;
    double *row = f->matrix + i * n;
    for (size_t k = first; k < end; k += SIDE) {
        const double *x = f->function + k * n, *y = x + n, *z = y + n, *w = z + n;
        const double a = f->second[k] * x[i], b = f->second[k + 1] * y[i], c = f->second[k + 2] * z[i],
                     d = f->second[k + 3] * w[i];
        for (size_t j = 0; j <= i; j++) row[j] += a * x[j] + b * y[j] + (c * z[j] + d * w[j]);
    }
}

static void find_matrix(fit *f)
{
    memset(f->matrix, 0, f->functions * f->functions * sizeof *f->matrix);
#ifdef _OPENMP
#pragma omp parallel num_threads(f->threads)
#endif
    for (size_t first = 0; first < f->points; first += BLOCK) {
        const size_t end = first + BLOCK < f->points ? first + BLOCK : f->points;
#ifdef _OPENMP
#pragma omp for schedule(static, 4)
#endif
        for (int i = 0; i < (int)f->functions; i++) add_row(f, first, end, (size_t)i);
    }
}

/* The factor takes the place of the second derivatives, with a ridge in units of each diagonal element. */
static bg_status decompose(fit *f, bg_error *error)
{
    const size_t n = f->functions;
    double left = 0.;
    for (size_t i = 0; i < n; i++) {
        f->ridge[i] = RIDGE * f->matrix[i * n + i];
        f->matrix[i * n + i] += f->ridge[i];
    }
    if (bg_cholesky(n, f->matrix, &left) == n) return BG_OK;
    return bg_fail(error, BG_ERROR_POINT, "%zu points do not determine %zu coefficients", f->sample->points, n);
}

/* A^-1 times the slope. */
static void guide(fit *f)
{
    memcpy(f->guided, f->slope, f->functions * sizeof *f->guided);
    bg_cholesky_solve(f->functions, f->matrix, f->guided);
}

/* ---- steps ------------------------------------------------------------------------------------------------------------- */

static double product(const fit *f, const double *x, const double *y)
{
    double sum = 0.;
    for (size_t i = 0; i < f->functions; i++) sum += x[i] * y[i];
    return sum;
}

/* What the form of every point changes by along the direction. */
static void look_along(fit *f)
{
    const size_t n = f->functions;
#ifdef _OPENMP
#pragma omp parallel for schedule(static) num_threads(f->threads)
#endif
    for (size_t k = 0; k < f->points; k++) {
        double sum = 0.;
        for (size_t i = 0; i < n; i++) sum += f->direction[i] * f->function[k * n + i];
        f->along[k] = sum;
    }
}

/* So far along the direction that J is least, by Newton's method between bounds. */
static double find_step(const fit *f)
{
    double step = 0., low = 0., high = HUGE_VAL, ridge[2] = {0., 0.};
    for (size_t i = 0; i < f->functions; i++) {
        ridge[0] += f->ridge[i] * f->solution[i] * f->direction[i];
        ridge[1] += f->ridge[i] * f->direction[i] * f->direction[i];
    }
    for (int search = 0; search < MOST_SEARCHES; search++) {
        double slope = ridge[0] + step * ridge[1], curvature = ridge[1];
        for (size_t k = 0; k < f->points; k++) {
            const double at = f->form[k] + step * f->along[k];
            const double a = f->share[k] * exp(at), b = f->exact[k] * exp(f->power * (f->ratio[k] - at));
            slope += (a - b) * f->along[k];
            curvature += (a + f->power * b) * f->along[k] * f->along[k];
        }
        if (slope < 0.)
            low = step;
        else
            high = step;
        double next = step - slope / curvature;
        if (!(next > low && next < high)) next = high < HUGE_VAL ? 0.5 * (low + high) : 2. * low + 1e-3;
        const int near = fabs(next - step) < 1e-2 * next;
        step = next;
        if (near) break;
    }
    return step;
}

/* One power: second derivatives once, then conjugate gradients. */
static bg_status descend(fit *f, bg_error *error)
{
    double square = 0.;
    find_derivatives(f);
    find_matrix(f);
    bg_status status = decompose(f, error);
    for (int k = 0; k < MOST_STEPS && status == BG_OK; k++) {
        find_derivatives(f);
        find_slope(f);
        guide(f);
        const double now = product(f, f->slope, f->guided);
        if (!(now > ENOUGH)) break;
        const double turn = k ? fmax(0., (now - product(f, f->before, f->guided)) / square) : 0.;
        for (size_t i = 0; i < f->functions; i++) f->direction[i] = turn * f->direction[i] - f->guided[i];
        if (!(product(f, f->direction, f->slope) < 0.))
            for (size_t i = 0; i < f->functions; i++) f->direction[i] = -f->guided[i];
        look_along(f);
        const double step = find_step(f);
        for (size_t i = 0; i < f->functions; i++) f->solution[i] += step * f->direction[i];
        for (size_t p = 0; p < f->points; p++) f->form[p] += step * f->along[p];
        memcpy(f->before, f->slope, f->functions * sizeof *f->before);
        square = now;
    }
    return status;
}

/* ---- the whole --------------------------------------------------------------------------------------------------------- */

static bg_status prepare(fit *f, double *scale, bg_error *error)
{
    const bg_learned_sample *s = f->sample;
    double exact = 0., estimate = 0.;
    for (size_t k = 0; k < s->points; k++) {
        const double weight = s->weight ? s->weight[k] : 1.;
        exact += weight * s->exact[k];
        estimate += weight * s->estimate[k];
        f->share[k] = weight * s->estimate[k];
        f->exact[k] = weight * s->exact[k];
    }
    if (!(exact > 0.)) return bg_fail(error, BG_ERROR_POINT, "all %zu points have the weight 0", s->points);
    *scale = exact / estimate;
    for (size_t k = 0; k < s->points; k++) {
        f->share[k] /= estimate;
        f->exact[k] /= exact;
        f->ratio[k] = fmin(log(s->exact[k] / (*scale * s->estimate[k])), LARGEST_RATIO);
        bg_learned_functions(s->invariants, s->u + k * (size_t)s->invariants, f->function + k * f->functions);
    }
    return BG_OK;
}

static bg_status fit_powers(fit *f, double *scale, double *coefficient, bg_error *error)
{
    bg_status status = prepare(f, scale, error);
    for (int power = 1; power <= LAST_POWER && status == BG_OK; power *= 2) {
        f->power = power;
        status = descend(f, error);
    }
    if (status == BG_OK) memcpy(coefficient, f->solution, f->functions * sizeof *coefficient);
    return status;
}

bg_status bg_learned_bound(const bg_learned_sample *sample, int threads, double *scale, double *coefficient,
                           bg_error *error)
{
    bg_status status = bg_learned_check(sample, error);
    if (status != BG_OK) return status;
    const size_t n = (size_t)learned_coefficients(sample->invariants),
                 points = (sample->points + SIDE - 1) / SIDE * SIDE;
    const size_t numbers = points * (n + 7) + n * (n + PARTS + 6);
    double *room = calloc(numbers, sizeof *room);
    if (!room)
        return bg_fail(error, BG_ERROR_MEMORY, "the fit of %zu coefficients to %zu points takes %.3g MB", n,
                       sample->points, (double)numbers * 8e-6);
    fit f = {.sample = sample, .points = points, .functions = n, .threads = threads, .function = room};
    double **const of_points[] = {&f.share, &f.exact, &f.ratio, &f.form, &f.along, &f.first, &f.second};
    double **const of_functions[] = {&f.ridge, &f.solution, &f.slope, &f.before, &f.guided, &f.direction};
    double *at = room + points * n;
    for (size_t k = 0; k < sizeof of_points / sizeof *of_points; k++, at += points) *of_points[k] = at;
    for (size_t k = 0; k < sizeof of_functions / sizeof *of_functions; k++, at += n) *of_functions[k] = at;
    f.part = at;
    f.matrix = at + PARTS * n;
    status = fit_powers(&f, scale, coefficient, error);
    free(room);
    return status == BG_OK ? bg_succeed(error) : status;
}
