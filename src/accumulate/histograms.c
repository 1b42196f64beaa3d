#define BG_LANES 1 /* a point at a time */
#include "accumulate/histograms.h"
#include "accumulate/tally.h"
#include "base/status.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- making them ------------------------------------------------------------------------------------------------------ */

static void describe(const struct bg_histograms *h, bg_histogram *g, const bg_axis *axis)
{
    g->axis = *axis;
    bg_observable_name(&axis->observable, g->name, sizeof g->name);
    bg_observable_title(&axis->observable, h->kinematics.protons, g->title, sizeof g->title);
}

/* Counts the cells, and makes room for them; sums begin at 0. */
static bg_status make_room(struct bg_histograms *h, bg_error *error)
{
    h->cells = 0;
    for (int k = 0; k < h->count; k++) {
        h->histogram[k].axis.first = h->cells;
        h->cells += bg_axis_cells(&h->histogram[k].axis);
    }
    const size_t cells = (size_t)h->cells;
    free(h->weight);
    free(h->weight2);
    free(h->group);
    h->weight = calloc(cells, sizeof *h->weight);
    h->weight2 = calloc(cells, sizeof *h->weight2);
    h->group = calloc(cells, sizeof *h->group);
    if (h->weight && h->weight2 && h->group) return bg_succeed(error);
    return bg_fail(error, BG_ERROR_MEMORY, "no memory for %d histograms", h->count);
}

static void add_standard(struct bg_histograms *h, int kind, uint32_t gluons)
{
    const bg_axis axis = bg_axis_standard(&h->kinematics, kind, gluons);
    describe(h, &h->histogram[h->count++], &axis);
}

/* The places of the outgoing legs. */
static void take_places(struct bg_histograms *h, const bg_subprocess *process)
{
    for (int k = 0; k < process->n_out; k++) h->place[k] = process->place[process->n_in + k];
}

bg_status bg_histograms_allocate(struct bg_histograms **result, const bg_subprocess *process, int protons, double sqrts,
                                 const bg_cuts *cuts, bg_error *error)
{
    const int n_out = process->n_out;
    struct bg_histograms *h = calloc(1, sizeof *h);
    if (h) h->histogram = calloc(BG_MOST_HISTOGRAMS, sizeof *h->histogram);
    if (!h || !h->histogram) {
        free(h);
        return bg_fail(error, BG_ERROR_MEMORY, "no memory for histograms");
    }
    h->kinematics = (bg_kinematics){.n_out = n_out, .protons = protons, .sqrts = sqrts, .cuts = *cuts};
    take_places(h, process);
    for (int k = 0; k < n_out; k++) {
        add_standard(h, OBSERVABLE_PT, 1u << k);
        add_standard(h, OBSERVABLE_ETA, 1u << k);
    }
    add_standard(h, OBSERVABLE_DR_MIN, 0);
    add_standard(h, OBSERVABLE_DR_MAX, 0);
    add_standard(h, OBSERVABLE_HT, 0);
    add_standard(h, OBSERVABLE_WEIGHT, 0);
    const bg_status status = make_room(h, error);
    if (status == BG_OK)
        *result = h;
    else
        bg_histograms_free(h);
    return status;
}

static bg_histogram *find(const struct bg_histograms *h, const char *name)
{
    for (int k = 0; k < h->count; k++)
        if (!strcmp(h->histogram[k].name, name)) return &h->histogram[k];
    return NULL;
}

/* One of the name of a standard one takes its place; a second one of the same observable is called mass_1_2_b. */
bg_status bg_histograms_add_axis(struct bg_histograms *h, const char *text, bg_error *error)
{
    bg_axis axis;
    bg_histogram made = {.booked = 1};
    if (h->points > 0.)
        return bg_fail(error, BG_ERROR_ARGUMENT, "histogram '%.100s' comes too late: the others are filled", text);
    const bg_status status = bg_axis_parse(&axis, &h->kinematics, text, error);
    if (status != BG_OK) return status;
    describe(h, &made, &axis);
    bg_histogram *there = find(h, made.name);
    if (there && !there->booked) {
        *there = made;
        return make_room(h, error);
    }
    const size_t length = strlen(made.name);
    for (char letter = 'b'; find(h, made.name); letter++) {
        if (letter > 'z')
            return bg_fail(error, BG_ERROR_ARGUMENT, "histogram '%.100s': there are 25 of its observable already",
                           text);
        snprintf(made.name + length, sizeof made.name - length, "_%c", letter);
    }
    int booked = 0;
    for (int k = 0; k < h->count; k++) booked += h->histogram[k].booked;
    if (booked >= BG_BOOKED_HISTOGRAMS || h->count >= BG_MOST_HISTOGRAMS)
        return bg_fail(error, BG_ERROR_ARGUMENT, "histogram '%.100s' is one too many; there may be %d", text,
                       BG_BOOKED_HISTOGRAMS);
    h->histogram[h->count++] = made;
    return make_room(h, error);
}

static void forget_parts(struct bg_histograms *h)
{
    for (int k = 0; k < h->parts; k++) bg_histograms_free(h->part[k]);
    free(h->part);
    h->part = NULL;
    h->parts = 0;
}

static void forget_bands(struct bg_histograms *h)
{
    free(h->band);
    h->band = NULL;
    h->bands = 0;
}

void bg_histograms_free(struct bg_histograms *h)
{
    if (!h) return;
    forget_parts(h);
    free(h->histogram);
    free(h->weight);
    free(h->weight2);
    free(h->group);
    free(h->band);
    free(h);
}

struct bg_histograms *bg_histograms_clone(const struct bg_histograms *h)
{
    struct bg_histograms *c = malloc(sizeof *c);
    if (!c) return NULL;
    *c = *h;
    c->weight = c->weight2 = NULL;
    c->group = NULL;
    c->part = NULL;
    c->parts = 0;
    c->band = NULL;
    c->bands = 0;
    c->histogram = malloc(BG_MOST_HISTOGRAMS * sizeof *c->histogram);
    if (c->histogram) memcpy(c->histogram, h->histogram, BG_MOST_HISTOGRAMS * sizeof *c->histogram);
    if (c->histogram && make_room(c, NULL) == BG_OK) return c;
    bg_histograms_free(c);
    return NULL;
}

void bg_histograms_merge(struct bg_histograms *into, const struct bg_histograms *from)
{
    for (int c = 0; c < into->cells; c++) {
        bg_exact_merge(&into->weight[c], &from->weight[c]);
        bg_exact_merge(&into->weight2[c], &from->weight2[c]);
    }
}

int bg_histograms_divide(struct bg_histograms *h, const bg_subprocess *process, int count)
{
    forget_parts(h);
    forget_bands(h);
    h->part = calloc((size_t)count, sizeof *h->part);
    if (!h->part) return -1;
    for (; h->parts < count; h->parts++) {
        struct bg_histograms *one = bg_histograms_clone(h);
        if (!one) return -1;
        one->points = one->accepted = one->pairs = 0.;
        take_places(one, &process[h->parts]);
        h->part[h->parts] = one;
    }
    return 0;
}

/* ---- filling them -------------------------------------------------------------------------------------------------------- */

void bg_histograms_fill_kept(struct bg_histograms *h, const double *momenta, size_t stride, double w, double correction,
                             int alone)
{
    bg_outgoing g;
    bg_outgoing_read(&g, h->kinematics.n_out, h->place, momenta, stride, w);
    for (int k = 0; k < h->count; k++) {
        const bg_axis *a = &h->histogram[k].axis;
        const int c = a->first + bg_axis_cell(a, bg_observable_value(&a->observable, &g));
        bg_exact_add(&h->weight[c], w);
        bg_exact_add(&h->weight2[c], w * w);
        if (alone) continue;
        bg_exact_add(&h->weight2[c], -(correction * correction));
        h->group[c] += correction;
    }
}

/* All of a point that shares colors is correlated with the others. */
void bg_histograms_fill(struct bg_histograms *h, const double *momenta, size_t stride, double w, int alone)
{
    bg_histograms_fill_kept(h, momenta, stride, w, w, alone);
}

void bg_histograms_end_group(struct bg_histograms *h)
{
    for (int c = 0; c < h->cells; c++) {
        if (fabs(h->group[c]) > 0.) bg_exact_add(&h->weight2[c], h->group[c] * h->group[c]);
        h->group[c] = 0.;
    }
}

/* ---- bands ----------------------------------------------------------------------------------------------------------------- */

int bg_histograms_begin_bands(struct bg_histograms *h, int bands)
{
    forget_bands(h);
    if (!bands) return 0;
    h->band = calloc((size_t)h->cells * ((size_t)bands + 1), sizeof *h->band);
    if (!h->band) return -1;
    h->bands = bands;
    return 0;
}

void bg_histograms_fill_bands(struct bg_histograms *h, const double *momenta, double w, const double *ratio)
{
    uint8_t leg[BG_MAX_LETTERS];
    bg_outgoing g;
    for (int k = 0; k < h->kinematics.n_out; k++) leg[k] = (uint8_t)(2 + k);
    bg_outgoing_read(&g, h->kinematics.n_out, leg, momenta, 1, w);
    for (int k = 0; k < h->count; k++) {
        const bg_axis *a = &h->histogram[k].axis;
        const int c = a->first + bg_axis_cell(a, bg_observable_value(&a->observable, &g));
        double *sum = h->band + (size_t)c * ((size_t)h->bands + 1);
        sum[0] += w;
        for (int v = 0; v < h->bands; v++) sum[1 + v] += w * ratio[v];
    }
}

/* The bin next to b that has points, b itself first; -1: none has. Ratios hardly change from one bin to the next. */
static int nearest_filled(const struct bg_histograms *h, const bg_axis *a, int b)
{
    const size_t step = (size_t)h->bands + 1;
    for (int d = 0; d < a->bins; d++)
        for (int side = -1; side <= 1; side += 2) {
            const int at = b + side * d;
            if (at >= 0 && at < a->bins && h->band[(size_t)(a->first + at) * step] > 0.) return at;
        }
    return -1;
}

int bg_histogram_band(const struct bg_histograms *h, int k, double *least, double *most)
{
    const bg_axis *a = &h->histogram[k].axis;
    if (!h->band || a->observable.kind == OBSERVABLE_WEIGHT) return 0;
    bg_histogram_read(h, k, NULL, most, NULL, NULL);
    for (int b = 0; b < a->bins; b++) {
        const int at = nearest_filled(h, a, b);
        const double *sum = h->band + (size_t)(a->first + (at < 0 ? 0 : at)) * ((size_t)h->bands + 1), share = most[b];
        double low = 1., high = 1.;
        for (int v = 0; at >= 0 && v < h->bands; v++) {
            low = fmin(low, sum[1 + v] / sum[0]);
            high = fmax(high, sum[1 + v] / sum[0]);
        }
        least[b] = low * share;
        most[b] = high * share;
    }
    return 1;
}

/* ---- as integers ---------------------------------------------------------------------------------------------------------- */

size_t bg_histograms_integers(const struct bg_histograms *h) { return h ? (size_t)h->cells * 2 * BG_EXACT_DIGITS : 0; }

void bg_histograms_save(const struct bg_histograms *h, int64_t *to)
{
    for (int k = 0; k < h->count; k++) {
        const int first = h->histogram[k].axis.first, cells = bg_axis_cells(&h->histogram[k].axis);
        for (int c = 0; c < 2 * cells; c++, to += BG_EXACT_DIGITS) {
            bg_exact sum = c < cells ? h->weight[first + c] : h->weight2[first + c - cells];
            bg_exact_carry(&sum);
            memcpy(to, sum.digit, sizeof sum.digit);
        }
    }
}

static void read_integers(struct bg_histograms *h, const int64_t *from, int adding)
{
    for (int k = 0; k < h->count; k++) {
        const int first = h->histogram[k].axis.first, cells = bg_axis_cells(&h->histogram[k].axis);
        for (int c = 0; c < 2 * cells; c++, from += BG_EXACT_DIGITS) {
            bg_exact *into = c < cells ? &h->weight[first + c] : &h->weight2[first + c - cells], sum;
            memcpy(sum.digit, from, sizeof sum.digit);
            if (adding)
                bg_exact_merge(into, &sum);
            else
                *into = sum;
        }
    }
}

void bg_histograms_load(struct bg_histograms *h, const int64_t *from) { read_integers(h, from, 0); }
void bg_histograms_add(struct bg_histograms *h, const int64_t *from) { read_integers(h, from, 1); }

void bg_histograms_describe(const struct bg_histograms *h, char *text, size_t size)
{
    uint64_t sum = 0xcbf29ce484222325u; /* FNV-1a */
    char booked[256] = "", one[128];
    size_t used = 0;
    for (int k = 0; h && k < h->count; k++) {
        const bg_histogram *g = &h->histogram[k];
        snprintf(one, sizeof one, " %s:%d:%.9g:%.9g%s", g->name, g->axis.bins,
                 g->axis.logarithmic ? pow(10., g->axis.low) : g->axis.low,
                 g->axis.logarithmic ? pow(10., g->axis.high) : g->axis.high, g->axis.logarithmic ? ":log" : "");
        for (const char *c = one; *c; c++) sum = (sum ^ (unsigned char)*c) * 0x100000001b3u;
        if (g->booked && used + strlen(one) < sizeof booked)
            used += (size_t)snprintf(booked + used, sizeof booked - used, "%s", one);
    }
    if (h && h->count)
        snprintf(text, size, "%d [%08" PRIx32 "]%s", h->count, (uint32_t)(sum ^ sum >> 32), booked);
    else
        snprintf(text, size, "0");
}

/* ---- reading them ---------------------------------------------------------------------------------------------------------- */

/* A cell holds sum w and sum w^2 of its points, not divided by the number N of all points behind sigma, those outside the
 * cuts included. So sum w / N is the bin's share of sigma, with the variance of a mean of N numbers most of which are zero. */
static void read_sums(const struct bg_histograms *h, int cell, double *share, double *uncertainty, double *entries)
{
    const double n = h->points, sum = bg_exact_value(&h->weight[cell]), sum2 = bg_exact_value(&h->weight2[cell]);
    *share = n > 0. ? sum / n : 0.;
    *uncertainty = n > 0. ? sqrt(bg_sum_variance(sum, sum2, n, h->accepted, h->pairs)) / n : 0.;
    *entries = sum2 > 0. ? sum * sum / sum2 : 0.;
}

/* Parts have points of their own, so their shares and variances add up. */
static void read_cell(const struct bg_histograms *h, int cell, double *share, double *uncertainty, double *entries)
{
    double sum = 0., error = 0., effective = 0.;
    if (!h->parts) read_sums(h, cell, &sum, &error, &effective);
    if (h->parts) {
        double variance = 0., squares = 0.;
        for (int k = 0; k < h->parts; k++) {
            double one, own, points;
            read_sums(h->part[k], cell, &one, &own, &points);
            sum += one;
            variance += own * own;
            if (points > 0.) squares += one * one / points;
        }
        error = sqrt(variance);
        effective = squares > 0. ? sum * sum / squares : 0.;
    }
    if (share) *share = sum;
    if (uncertainty) *uncertainty = error;
    if (entries) *entries = effective;
}

void bg_histogram_read(const struct bg_histograms *h, int k, double *edges, double *share, double *uncertainty,
                       double *entries)
{
    const bg_axis *a = &h->histogram[k].axis;
    const double step = (a->high - a->low) / a->bins;
    for (int b = 0; edges && b <= a->bins; b++) {
        const double x = b < a->bins ? a->low + b * step : a->high;
        edges[b] = a->logarithmic ? pow(10., x) : x;
    }
    for (int b = 0; b < a->bins; b++)
        read_cell(h, a->first + b, share ? share + b : NULL, uncertainty ? uncertainty + b : NULL,
                  entries ? entries + b : NULL);
}

void bg_histogram_beyond(const struct bg_histograms *h, int k, double share[2], double uncertainty[2])
{
    const bg_axis *a = &h->histogram[k].axis;
    for (int side = 0; side < 2; side++) {
        share[side] = uncertainty[side] = 0.;
        if (!a->folded) read_cell(h, a->first + a->bins + side, &share[side], &uncertainty[side], NULL);
    }
}
