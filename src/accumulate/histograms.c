#define BG_LANES 1 /* a point at a time */
#include "accumulate/histograms.h"
#include "accumulate/tally.h"
#include "base/status.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIXED = 4 }; /* histograms besides the two of each jet */

static void describe(bg_histogram *h, const char *name, const char *title, double low, double high, int logarithmic)
{
    snprintf(h->name, sizeof h->name, "%s", name);
    snprintf(h->title, sizeof h->title, "%s", title);
    h->low = low;
    h->high = high;
    h->logarithmic = logarithmic;
}

bg_status bg_histograms_allocate(struct bg_histograms **result, const bg_subprocess *process, double sqrts,
                                 const bg_cuts *cuts, bg_error *error)
{
    const int n_out = process->n_out;
    const int count = 2 * n_out + FIXED;
    struct bg_histograms *h = calloc(1, sizeof *h);
    if (h) h->histogram = calloc((size_t)count, sizeof *h->histogram);
    if (!h || !h->histogram) {
        free(h);
        return bg_fail(error, BG_ERROR_MEMORY, "no memory for %d histograms", count);
    }
    h->n_out = n_out;
    for (int k = 0; k < n_out; k++) h->place[k] = process->place[process->n_in + k];
    h->count = count;
    const double pt_min = cuts->pt_min > 0. ? cuts->pt_min : 1e-4 * sqrts;
    const double eta = cuts->eta_max > 0. && cuts->eta_max < 10. ? cuts->eta_max : 10.;
    for (int k = 0; k < n_out; k++) {
        char name[24], title[48];
        snprintf(name, sizeof name, "pt_%d", k + 1);
        snprintf(title, sizeof title, "p_T of jet %d [GeV]", k + 1);
        describe(&h->histogram[2 * k], name, title, log10(pt_min), log10(0.5 * sqrts), 1);
        snprintf(name, sizeof name, "eta_%d", k + 1);
        snprintf(title, sizeof title, "pseudorapidity of jet %d", k + 1);
        describe(&h->histogram[2 * k + 1], name, title, -eta, eta, 0);
    }
    bg_histogram *fixed = h->histogram + 2 * n_out;
    const double far = sqrt(4. * eta * eta + 10.);
    describe(&fixed[0], "dr_min", "smallest Delta R of two jets", 0., far < 5. ? far : 5., 0);
    describe(&fixed[1], "dr_max", "largest Delta R of two jets", 0., far < 10. ? far : 10., 0);
    describe(&fixed[2], "ht", "H_T [GeV]", log10(pt_min * n_out), log10(sqrts), 1);
    describe(&fixed[3], "weight", "weight [pb]", -12., 13., 1);
    *result = h;
    return bg_succeed(error);
}

void bg_histograms_free(struct bg_histograms *h)
{
    if (!h) return;
    free(h->histogram);
    free(h);
}

struct bg_histograms *bg_histograms_clone(const struct bg_histograms *h)
{
    struct bg_histograms *c = malloc(sizeof *c);
    if (!c) return NULL;
    *c = *h;
    c->histogram = malloc((size_t)h->count * sizeof *c->histogram);
    if (!c->histogram) {
        free(c);
        return NULL;
    }
    for (int k = 0; k < h->count; k++) {
        c->histogram[k] = h->histogram[k];
        memset(c->histogram[k].weight, 0, sizeof c->histogram[k].weight);
        memset(c->histogram[k].weight2, 0, sizeof c->histogram[k].weight2);
    }
    return c;
}

void bg_histograms_merge(struct bg_histograms *into, const struct bg_histograms *from)
{
    for (int k = 0; k < into->count; k++)
        for (int b = 0; b < BG_HISTOGRAM_BINS; b++) {
            bg_exact_merge(&into->histogram[k].weight[b], &from->histogram[k].weight[b]);
            bg_exact_merge(&into->histogram[k].weight2[b], &from->histogram[k].weight2[b]);
        }
}

void bg_histograms_fill(struct bg_histograms *h, const double *momenta, size_t stride, double w, int alone)
{
    double value[BG_MOST_HISTOGRAMS];
    bg_histograms_values(h->n_out, h->place, momenta, stride, w, value);
    for (int k = 0; k < h->count; k++) {
        bg_histogram *g = &h->histogram[k];
        const int b = bg_histogram_bin(g->low, g->high, g->logarithmic, value[k]);
        bg_exact_add(&g->weight[b], w);
        if (alone)
            bg_exact_add(&g->weight2[b], w * w);
        else
            g->group[b] += w;
    }
}

void bg_histograms_end_group(struct bg_histograms *h)
{
    for (int k = 0; k < h->count; k++)
        for (int b = 0; b < BG_HISTOGRAM_BINS; b++) {
            double *sum = &h->histogram[k].group[b];
            if (*sum > 0.) bg_exact_add(&h->histogram[k].weight2[b], *sum * *sum);
            *sum = 0.;
        }
}

size_t bg_histograms_integers(const struct bg_histograms *h)
{
    return h ? (size_t)h->count * 2 * BG_HISTOGRAM_BINS * BG_EXACT_DIGITS : 0;
}

void bg_histograms_save(const struct bg_histograms *h, int64_t *to)
{
    const size_t block = BG_HISTOGRAM_BINS * BG_EXACT_DIGITS;
    for (int k = 0; k < h->count; k++) {
        bg_histogram c = h->histogram[k];
        for (int b = 0; b < BG_HISTOGRAM_BINS; b++) {
            bg_exact_carry(&c.weight[b]);
            bg_exact_carry(&c.weight2[b]);
        }
        memcpy(to, c.weight, block * sizeof *to);
        memcpy(to + block, c.weight2, block * sizeof *to);
        to += 2 * block;
    }
}

void bg_histograms_load(struct bg_histograms *h, const int64_t *from)
{
    const size_t block = BG_HISTOGRAM_BINS * BG_EXACT_DIGITS;
    for (int k = 0; k < h->count; k++) {
        memcpy(h->histogram[k].weight, from, block * sizeof *from);
        memcpy(h->histogram[k].weight2, from + block, block * sizeof *from);
        from += 2 * block;
    }
}

void bg_histograms_add(struct bg_histograms *h, const int64_t *from)
{
    for (int k = 0; k < h->count; k++)
        for (int i = 0; i < 2 * BG_HISTOGRAM_BINS; i++, from += BG_EXACT_DIGITS) {
            bg_histogram *g = &h->histogram[k];
            bg_exact sum;
            memcpy(sum.digit, from, sizeof sum.digit);
            bg_exact_merge(i < BG_HISTOGRAM_BINS ? &g->weight[i] : &g->weight2[i - BG_HISTOGRAM_BINS], &sum);
        }
}

/* A bin holds sum w and sum w^2 of its points, not divided by the number N of all points behind sigma, those outside the
 * cuts included. So sum w / N is the bin's share of sigma, with the variance of a mean of N numbers most of which are zero. */
void bg_histogram_read(const struct bg_histograms *h, int k, double *edges, double *share, double *uncertainty,
                       double *entries)
{
    const bg_histogram *g = &h->histogram[k];
    const double n = h->points, step = (g->high - g->low) / BG_HISTOGRAM_BINS;
    for (int b = 0; edges && b <= BG_HISTOGRAM_BINS; b++) {
        const double x = b < BG_HISTOGRAM_BINS ? g->low + b * step : g->high;
        edges[b] = g->logarithmic ? pow(10., x) : x;
    }
    for (int b = 0; b < BG_HISTOGRAM_BINS; b++) {
        const double sum = bg_exact_value(&g->weight[b]), sum2 = bg_exact_value(&g->weight2[b]);
        if (share) share[b] = n > 0. ? sum / n : 0.;
        if (uncertainty) uncertainty[b] = n > 0. ? sqrt(bg_sum_variance(sum, sum2, n, h->accepted, h->pairs)) / n : 0.;
        if (entries) entries[b] = sum2 > 0. ? sum * sum / sum2 : 0.;
    }
}
