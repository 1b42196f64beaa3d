#define BG_LANES 1 /* a point at a time */
#include "engine/variations.h"
#include "accumulate/histograms.h"
#include "backend/plan.h"
#include "base/sized.h"
#include "base/room.h"
#include "base/status.h"
#include "base/system.h"
#include "beams/members.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define GOAL 1e-3 /* relative error of every ratio of scales */
enum {
    PILOT = 16384,         /* trial points of a class that is everything; others in proportion, */
    LEAST_PILOT = 256,     /* but at least so many */
    MOST_TRIALS = 1 << 20, /* of a class */
    MOST_GROWTH = 4,       /* of the trial points of a class at a time */
    MOST_PASSES = 12,
    THINNED = 8000,     /* points that members look at, */
    LEAST_THINNED = 40, /* and so many of every class */
    FACTORS = 3,        /* 1, 2 and 1/2 */
    BANDS = BG_SCALE_VARIATIONS - 1
};

const double bg_scale_factors[BG_SCALE_VARIATIONS][2] = {{1., 1.}, {2., 2.},  {0.5, 0.5}, {2., 1.},
                                                         {1., 2.}, {0.5, 1.}, {1., 0.5}};

/* A point inside the cuts, as far as densities and coupling know it. */
typedef struct point {
    uint64_t number;
    double weight; /* pb */
    double x[2];   /* of legs 0 and 1 */
    double mu2;
    double luminosity, alpha_s; /* as they are */
    double ratio[BANDS];        /* of the scales */
    int copies;                 /* that members look at: thin_out() */
    int side;                   /* of the luminosity that it belongs to: 0 direct, 1 exchanged, 2 both */
    double momenta[];           /* [legs][4] */
} point;

/* The points of one class. */
typedef struct sample {
    const bg_protons *protons;
    double sigma; /* pb */
    int legs;
    char *points;  /* of `stride` bytes each: get() */
    size_t stride; /* that of a point with its momenta */
    size_t count, room;
    uint64_t tried, next; /* trial points, and the number of the next one */
    double sum;           /* of weights, and of weights times ratios */
    double varied[BANDS];
    double variance; /* of the ratio of a scale, the largest */
} sample;

typedef struct variations {
    bg_many *many;
    const bg_process *process;
    const bg_integration *wish;
    struct bg_histograms *histograms;
    sample *sample; /* [class] */
    int classes, threads, wanted;
    sample *now; /* that trial points are drawn for */
    double sigma;
    int failed; /* no memory in a sink */
} variations;

/* ---- what is asked for --------------------------------------------------------------------------------------------- */

bg_status bg_variations_parse(const char *text, int *wanted, bg_error *error)
{
    static const struct {
        const char *word;
        int bit;
    } known[] = {{"scale", BG_VARY_SCALES}, {"pdf", BG_VARY_MEMBERS}};
    *wanted = 0;
    for (const char *at = text; at && *at;) {
        const size_t length = strcspn(at, ",");
        size_t k = 0;
        while (k < 2 && (strlen(known[k].word) != length || strncmp(at, known[k].word, length) != 0)) k++;
        if (k == 2 || (at[length] == ',' && !at[length + 1]))
            return bg_fail(error, BG_ERROR_ARGUMENT, "variations are '%.80s'; it must be scale, pdf or scale,pdf",
                           text);
        *wanted |= known[k].bit;
        at += length + (at[length] == ',');
    }
    return BG_OK;
}

bg_status bg_variations_check(const char *text, const bg_pdf *pdf, bg_error *error)
{
    int wanted;
    const bg_status status = bg_variations_parse(text, &wanted, error);
    if (status != BG_OK || !wanted) return status;
    if (!pdf)
        return bg_fail(
            error, BG_ERROR_UNSUPPORTED,
            "variations are '%s': partons of a fixed energy have no densities, and a coupling that depends on "
            "no scale; variations are for two protons",
            text);
    if (!(wanted & BG_VARY_MEMBERS)) return BG_OK;
    if (pdf->member)
        return bg_fail(error, BG_ERROR_UNSUPPORTED,
                       "variations are '%s' and the parton densities member %d of %s: members vary about member 0",
                       text, pdf->member, pdf->name);
    return bg_members_check(pdf, error);
}

/* ---- points ---------------------------------------------------------------------------------------------------------- */

static double luminosity_at(const bg_protons *b, const pdf_grid *grid, const point *p, double factor)
{
    bg_densities f;
    densities_of(grid, p->x[0], p->x[1], factor * factor * b->muf * b->muf * p->mu2, &f);
    const bg_luminosity l = luminosity_of(&b->pairs, &f);
    return p->side == 0 ? l.direct : p->side == 1 ? l.exchanged : l.direct + l.exchanged;
}

static double alpha_at(const bg_protons *b, const pdf_grid *grid, const point *p, double factor)
{
    return pdf_alpha_s(grid, factor * factor * b->mur * b->mur * p->mu2);
}

static double power(double x, int k)
{
    double product = 1.;
    while (k-- > 0) product *= x;
    return product;
}

static point *get(const sample *s, size_t k) { return (point *)(void *)(s->points + k * s->stride); }

/* What the densities and the coupling were, for all that is a ratio to them. A point that is reflected along the beams belongs
 * to the exchanged channels: they alone have leg 0 in the second beam. */
static void describe(const variations *v, const sample *s, point *p)
{
    const bg_protons *b = s->protons;
    vec4 q[BG_MAX_LEGS];
    for (int leg = 2; leg < s->legs; leg++) {
        const double *from = p->momenta + 4 * leg;
        q[leg - 2] = (vec4){bg_real(from[0]), bg_real(from[1]), bg_real(from[2]), bg_real(from[3])};
    }
    p->mu2 = bg_lane(protons_scale2(b, s->legs - 2, q), 0);
    for (int leg = 0; leg < 2; leg++) p->x[leg] = 2. * p->momenta[4 * leg] / v->wish->sqrts;
    p->side = p->momenta[3] < 0.;
    p->luminosity = luminosity_at(b, &b->grid, p, 1.);
    if (!(p->luminosity > 0.)) { /* densities may be negative where they are next to nothing */
        p->side = 2;
        p->luminosity = luminosity_at(b, &b->grid, p, 1.);
    }
    p->alpha_s = alpha_at(b, &b->grid, p, 1.);
}

/* The ratio of a point with another luminosity and coupling. */
static double ratio_of(const bg_protons *b, const point *p, double luminosity, double alpha_s)
{
    const double ratio = luminosity / p->luminosity * power(alpha_s / p->alpha_s, b->couplings);
    return ratio > 0. ? ratio : 0.;
}

static void vary_scales(const sample *s, point *p)
{
    static const double factor[FACTORS] = {1., 2., 0.5};
    const bg_protons *b = s->protons;
    double luminosity[FACTORS] = {p->luminosity}, alpha_s[FACTORS] = {p->alpha_s};
    for (int f = 1; f < FACTORS; f++) {
        luminosity[f] = luminosity_at(b, &b->grid, p, factor[f]);
        alpha_s[f] = alpha_at(b, &b->grid, p, factor[f]);
    }
    for (int v = 0; v < BANDS; v++) {
        const double *of = bg_scale_factors[1 + v];
        const int r = of[0] == 1. ? 0 : of[0] > 1. ? 1 : 2, f = of[1] == 1. ? 0 : of[1] > 1. ? 1 : 2;
        p->ratio[v] = ratio_of(b, p, luminosity[f], alpha_s[r]);
    }
}

/* ---- drawing them -------------------------------------------------------------------------------------------------------- */

/* Takes the points of a batch: one thread at a time. */
static void take(void *user, size_t count, const double *momenta, const double *weight, const uint64_t *event)
{
    variations *v = user;
    sample *s = v->now;
    const size_t numbers = 4 * (size_t)s->legs;
    for (size_t k = 0; k < count; k++) {
        if (!(weight[k] > 0.) || !isfinite(weight[k])) continue;
        s->points = bg_more_places(s->points, s->count, &s->room, s->stride, &v->failed);
        if (v->failed) return;
        point *p = get(s, s->count++);
        memset(p, 0, sizeof *p);
        p->number = event[k];
        p->weight = weight[k];
        memcpy(p->momenta, momenta + k * numbers, numbers * sizeof *momenta);
    }
}

static int compare_points(const void *a, const void *b)
{
    const point *x = a, *y = b;
    return x->number < y->number ? -1 : x->number > y->number;
}

/* Sums over all points of a class, in their order: the same bits for any number of threads. */
static void add_up(sample *s)
{
    double square[BANDS] = {0.};
    s->sum = s->variance = 0.;
    memset(s->varied, 0, sizeof s->varied);
    for (size_t k = 0; k < s->count; k++) {
        const point *p = get(s, k);
        s->sum += p->weight;
        for (int v = 0; v < BANDS; v++) s->varied[v] += p->weight * p->ratio[v];
    }
    for (size_t k = 0; k < s->count; k++) {
        const point *p = get(s, k);
        for (int v = 0; v < BANDS; v++) {
            const double away = p->weight * (p->ratio[v] - s->varied[v] / s->sum);
            square[v] += away * away;
        }
    }
    for (int v = 0; v < BANDS && s->sum > 0.; v++) s->variance = fmax(s->variance, square[v] / (s->sum * s->sum));
}

/* So many trial points of a class more. */
static bg_status draw(variations *v, int k, uint64_t trials, bg_error *error)
{
    sample *s = &v->sample[k];
    const bg_sink sink = {take, v};
    const size_t before = s->count;
    v->now = s;
    const bg_status status = bg_many_trials(v->many, k, s->next, trials, &sink, error);
    if (status == BG_OK && v->failed) return bg_fail(error, BG_ERROR_MEMORY, "no memory for the points of variations");
    if (status != BG_OK) return status;
    s->tried += trials;
    s->next += (trials + BG_DEAL - 1) / BG_DEAL * BG_DEAL; /* batches begin where points that share colors do */
    if (s->count > before) qsort(get(s, before), s->count - before, s->stride, compare_points);
    const long first = (long)before, end = (long)s->count;
#ifdef _OPENMP
#pragma omp parallel for schedule(static) num_threads(v->threads)
#endif
    for (long i = first; i < end; i++) {
        describe(v, s, get(s, (size_t)i));
        vary_scales(s, get(s, (size_t)i));
    }
    add_up(s);
    return BG_OK;
}

/* The first points of every class, in proportion to it. */
static bg_status draw_first(variations *v, bg_error *error)
{
    bg_status status = BG_OK;
    for (int k = 0; k < v->classes && status == BG_OK; k++) {
        sample *s = &v->sample[k];
        const double part = s->sigma / v->sigma;
        const uint64_t trials = part * PILOT > LEAST_PILOT ? (uint64_t)(part * PILOT) : LEAST_PILOT;
        if (s->sigma > 0.) status = draw(v, k, trials, error);
        while (status == BG_OK && s->sigma > 0. && s->count < 2 && s->tried < PILOT)
            status = draw(v, k, MOST_GROWTH * s->tried, error);
    }
    return status;
}

/* The variance of the ratio of all, the largest of the classes' scales taken. */
static double variance_of(const variations *v)
{
    double sum = 0.;
    for (int k = 0; k < v->classes; k++) {
        const double part = v->sample[k].sigma / v->sigma;
        sum += part * part * v->sample[k].variance;
    }
    return sum;
}

/* More points where they reduce the error most, until it is small enough. */
static bg_status draw_more(variations *v, bg_error *error)
{
    bg_status status = BG_OK;
    for (int pass = 0; pass < MOST_PASSES && status == BG_OK && variance_of(v) > GOAL * GOAL; pass++) {
        double sum = 0.;
        int grown = 0;
        for (int k = 0; k < v->classes; k++)
            sum += v->sample[k].sigma / v->sigma * sqrt(v->sample[k].variance * (double)v->sample[k].tried);
        for (int k = 0; k < v->classes && status == BG_OK; k++) {
            sample *s = &v->sample[k];
            const double have = (double)s->tried;
            const double wanted = 1.1 * s->sigma / v->sigma * sqrt(s->variance * have) * sum / (GOAL * GOAL);
            const double most = fmin(fmin(wanted, MOST_GROWTH * have), MOST_TRIALS);
            if (!(most > 1.1 * have)) continue;
            grown = 1;
            status = draw(v, k, (uint64_t)(most - have), error);
        }
        if (!grown) break;
    }
    return status;
}

/* ---- results --------------------------------------------------------------------------------------------------------------- */

/* sigma with the ratios whose sums of w r are given for each class; a class without points changes as the others do. */
static double varied_sigma(const variations *v, const double *sums)
{
    double known = 0., varied = 0.;
    for (int k = 0; k < v->classes; k++) {
        const sample *s = &v->sample[k];
        if (!(s->sum > 0.)) continue;
        known += s->sigma;
        varied += s->sigma * sums[k] / s->sum;
    }
    return known > 0. ? v->sigma * varied / known : (double)NAN;
}

static bg_status vary_all_scales(const variations *v, bg_variations *result, bg_error *error)
{
    double *sums = calloc((size_t)v->classes, sizeof *sums);
    if (!sums) return bg_fail(error, BG_ERROR_MEMORY, "no memory for the variations of %d classes", v->classes);
    result->scales = BG_SCALE_VARIATIONS;
    result->scale_up_pb = result->scale_down_pb = v->sigma;
    for (int r = 0; r < BG_SCALE_VARIATIONS; r++) {
        for (int k = 0; k < v->classes; k++) sums[k] = r ? v->sample[k].varied[r - 1] : v->sample[k].sum;
        result->mur[r] = bg_scale_factors[r][0];
        result->muf[r] = bg_scale_factors[r][1];
        result->scale_pb[r] = varied_sigma(v, sums);
        result->scale_up_pb = fmax(result->scale_up_pb, result->scale_pb[r]);
        result->scale_down_pb = fmin(result->scale_down_pb, result->scale_pb[r]);
    }
    result->precision = sqrt(variance_of(v));
    free(sums);
    return BG_OK;
}

static void fill_bands(const variations *v)
{
    for (int k = 0; k < v->classes; k++) {
        const sample *s = &v->sample[k];
        for (size_t i = 0; i < s->count; i++) {
            const point *p = get(s, i);
            bg_histograms_fill_bands(v->histograms, p->momenta, s->sigma / s->sum * p->weight, p->ratio);
        }
    }
}

/* Members are many, and points of small weight add little: of a class so many are looked at as it is a part of sigma, those in
 * which the sum of weights passes the next of equal steps. */
static void thin_out(const variations *v)
{
    for (int k = 0; k < v->classes; k++) {
        const sample *s = &v->sample[k];
        const double step = s->sum / (LEAST_THINNED + floor(THINNED * s->sigma / v->sigma));
        double sum = 0., done = 0.;
        for (size_t i = 0; i < s->count; i++) {
            point *p = get(s, i);
            sum += p->weight;
            const double passed = floor(sum / step + 0.5);
            p->copies = (int)(passed - done);
            done = passed;
        }
    }
}

/* sigma with one member; NaN: the member could not be read. */
static double sigma_of_member(const variations *v, int member, double *sums, bg_error *error)
{
    bg_pdf *pdf;
    if (bg_pdf_open_member(&pdf, v->wish->pdf, member, error) != BG_OK) return (double)NAN;
    for (int k = 0; k < v->classes; k++) {
        const sample *s = &v->sample[k];
        const bg_protons *b = s->protons;
        double varied = 0.;
        int copies = 0;
        for (size_t i = 0; i < s->count; i++) {
            const point *p = get(s, i);
            if (!p->copies) continue;
            const double ratio = ratio_of(b, p, luminosity_at(b, &pdf->grid, p, 1.), alpha_at(b, &pdf->grid, p, 1.));
            varied += p->copies * ratio;
            copies += p->copies;
        }
        sums[k] = copies ? s->sum * varied / copies : 0.;
    }
    bg_pdf_close(pdf);
    return varied_sigma(v, sums);
}

/* Every thread has one member at a time in memory. */
static bg_status vary_members(const variations *v, bg_variations *result, bg_error *error)
{
    const bg_pdf *pdf = bg_many_pdf(v->many);
    const int members = pdf->members;
    const size_t threads = (size_t)v->threads;
    double *value = malloc((size_t)members * sizeof *value);
    double *sums = malloc(threads * (size_t)v->classes * sizeof *sums);
    bg_error *trouble = calloc(threads, sizeof *trouble);
    bg_status status = value && sums && trouble
                           ? BG_OK
                           : bg_fail(error, BG_ERROR_MEMORY, "no memory for %d members of %s", members, pdf->name);
    if (status == BG_OK) {
        value[0] = v->sigma;
        thin_out(v);
#ifdef _OPENMP
#pragma omp parallel for schedule(dynamic, 1) num_threads(v->threads)
#endif
        for (int m = 1; m < members; m++) {
#ifdef _OPENMP
            const size_t mine = (size_t)omp_get_thread_num();
#else
            const size_t mine = 0;
#endif
            bg_error own = {BG_OK, ""};
            value[m] = sigma_of_member(v, m, sums + mine * (size_t)v->classes, &own);
            if (own.status != BG_OK) trouble[mine] = own;
        }
        for (size_t t = 0; t < threads && status == BG_OK; t++)
            if (trouble[t].status != BG_OK) status = bg_fail(error, trouble[t].status, "%s", trouble[t].message);
    }
    if (status == BG_OK) {
        const bg_members_error e = bg_members_error_of(pdf, value);
        result->members = members;
        result->pdf_error_pb = e.symmetric;
        result->pdf_up_pb = e.up;
        result->pdf_down_pb = e.down;
        memcpy(result->pdf_error_type, pdf->error_type, sizeof result->pdf_error_type);
        for (int m = 0; result->member_pb && m < members && m < result->member_room; m++)
            result->member_pb[m] = value[m];
    }
    free(value);
    free(sums);
    free(trouble);
    return status;
}

/* ---- the whole --------------------------------------------------------------------------------------------------------------- */

static bg_status begin(variations *v, bg_error *error)
{
    v->sample = calloc((size_t)v->classes, sizeof *v->sample);
    if (!v->sample) return bg_fail(error, BG_ERROR_MEMORY, "no memory for the variations of %d classes", v->classes);
    for (int k = 0; k < v->classes; k++) {
        const double sigma = bg_many_result(v->many, k)->sigma_pb;
        const int legs = v->process->subprocess[k].n;
        v->sample[k] = (sample){.protons = bg_many_protons(v->many, k),
                                .sigma = isfinite(sigma) ? sigma : 0.,
                                .legs = legs,
                                .stride = sizeof(point) + 4 * (size_t)legs * sizeof(double)};
        v->sigma += v->sample[k].sigma;
    }
    if (v->histograms && bg_histograms_begin_bands(v->histograms, BANDS))
        return bg_fail(error, BG_ERROR_MEMORY, "no memory for the bands of histograms");
    return BG_OK;
}

static bg_status compute(variations *v, bg_variations *result, bg_error *error)
{
    bg_status status = begin(v, error);
    if (status == BG_OK && !(v->sigma > 0.)) return BG_OK; /* nothing that could change */
    if (status == BG_OK) status = draw_first(v, error);
    if (status == BG_OK) status = draw_more(v, error);
    for (int k = 0; k < v->classes && status == BG_OK; k++) result->points += v->sample[k].count;
    if (status == BG_OK && v->wanted & BG_VARY_SCALES) status = vary_all_scales(v, result, error);
    if (status == BG_OK && v->histograms) fill_bands(v);
    if (status == BG_OK && v->wanted & BG_VARY_MEMBERS) status = vary_members(v, result, error);
    return status;
}

bg_status bg_variations_run(bg_many *many, const bg_process *process, const bg_options *options,
                            const bg_integration *wish, bg_error *error)
{
    bg_variations result, given;
    const double started = bg_seconds();
    variations v = {.many = many,
                    .process = process,
                    .wish = wish,
                    .classes = bg_many_count(many),
                    .threads = options->threads ? options->threads : bg_default_threads()};
    bg_status status = bg_variations_parse(wish->variations, &v.wanted, error);
    if (status != BG_OK || !v.wanted) return status;
#ifndef _OPENMP
    v.threads = 1;
#endif
    if (v.wanted & BG_VARY_SCALES) v.histograms = wish->histograms;
    bg_variations_init(&result);
    bg_variations_init(&given);
    if (wish->variation_results)
        status = bg_sized_read(&given, sizeof given, wish->variation_results, "variations", error);
    result.member_pb = given.member_pb;
    result.member_room = given.member_room;
    if (status == BG_OK) status = compute(&v, &result, error);
    for (int k = 0; v.sample && k < v.classes; k++) free(v.sample[k].points);
    free(v.sample);
    if (status == BG_ERROR_INTERRUPTED) { /* sigma is there all the same */
        if (v.histograms) (void)bg_histograms_begin_bands(v.histograms, 0);
        result.scales = result.members = 0;
        status = BG_OK;
    }
    result.seconds = bg_seconds() - started;
    if (status == BG_OK && wish->variation_results)
        status = bg_sized_write(wish->variation_results, &result, sizeof result, "variations", error);
    return status;
}
