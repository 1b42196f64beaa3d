/* The numbers behind the tables and pictures, from the library's histograms. */
#include "report/parts.h"
#include "console.h"

#include <stdlib.h>
#include <string.h>

static bg_status read_curve(const bg_histograms *h, int k, report_curve *c, bg_error *error)
{
    const int bins = bg_histograms_bins(h, k);
    double *numbers = malloc(((size_t)bins * 6 + 1) * sizeof *numbers);
    double *edge = numbers, *share = numbers + bins + 1, *wrong = share + bins, *points = wrong + bins;
    double *least = points + bins, *most = least + bins;
    *c = (report_curve){.name = bg_histograms_name(h, k),
                        .title = bg_histograms_title(h, k),
                        .logarithmic = bg_histograms_logarithmic(h, k),
                        .bins = bins,
                        .bin = calloc((size_t)bins, sizeof *c->bin)};
    bg_status status = numbers && c->bin ? bg_histograms_read(h, k, edge, share, wrong, points, error)
                                         : cli_fail(error, BG_ERROR_MEMORY, "no memory for %d bins", bins);
    for (int b = 0; b < bins && status == BG_OK; b++)
        c->bin[b] = (report_bin){
            .low = edge[b], .high = edge[b + 1], .share = share[b], .error = wrong[b], .points = points[b]};
    c->band = status == BG_OK && bg_histograms_band(h, k, least, most, NULL) == BG_OK;
    for (int b = 0; b < bins && c->band; b++) {
        c->bin[b].least = least[b];
        c->bin[b].most = most[b];
    }
    free(numbers);
    return status == BG_OK ? bg_histograms_beyond(h, k, c->beyond, c->beyond_error, error) : status;
}

bg_status report_read(report *r, bg_error *error)
{
    const int count = bg_histograms_size(r->histograms);
    bg_status status = BG_OK;
    r->curve = calloc((size_t)count + 1, sizeof *r->curve);
    if (!r->curve) return cli_fail(error, BG_ERROR_MEMORY, "no memory for %d distributions", count);
    for (; r->curves < count && status == BG_OK; r->curves++)
        status = read_curve(r->histograms, r->curves, &r->curve[r->curves], error);
    return status;
}

void report_release(report *r)
{
    for (int k = 0; k < r->curves; k++) free(r->curve[k].bin);
    free(r->curve);
}

double report_density(const report_bin *b) { return b->share / (b->high - b->low); }
double report_density_error(const report_bin *b) { return b->error / (b->high - b->low); }

int report_is_weight(const report_curve *c) { return !strcmp(c->name, "weight"); }
int report_is_in_gev(const report_curve *c) { return strstr(c->title, "[GeV]") != NULL; }
int report_is_spectrum(const report_curve *c) { return c->logarithmic || report_is_in_gev(c); }
int report_is_filled(const report_curve *c)
{
    for (int b = 0; b < c->bins; b++)
        if (c->bin[b].share != 0.) return 1;
    return 0;
}
