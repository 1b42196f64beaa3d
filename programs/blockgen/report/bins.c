/* The numbers behind the tables and pictures.
 *
 * A bin holds sum w and sum w^2 of its points, not divided by the number N of all points behind sigma, those outside
 * the cuts included. So sum w / N is the bin's share of sigma, with the variance of a mean of N numbers most of
 * which are zero, and the integral over all bins is sigma itself.
 */
#include "accumulate/tally.h"
#include "report/parts.h"

#include <math.h>
#include <string.h>

report_bin report_bin_of(const report *r, const bg_histogram *h, int b)
{
    const double n = r->result->warming_up ? 0. : (double)r->result->points;
    const double step = (h->high - h->low) / BG_HISTOGRAM_BINS;
    const double sum = bg_exact_value(&h->weight[b]), sum2 = bg_exact_value(&h->weight2[b]);
    report_bin i = {.low = h->low + b * step,
                    .high = b + 1 < BG_HISTOGRAM_BINS ? h->low + (b + 1) * step : h->high};
    if (h->logarithmic) {
        i.low = pow(10., i.low);
        i.high = pow(10., i.high);
    }
    if (n > 0.) i.share = sum / n;
    if (n > 0.)
        i.error = sqrt(bg_sum_variance(sum, sum2, n, (double)r->result->accepted, (double)r->result->pairs)) / n;
    if (sum2 > 0.) i.points = sum * sum / sum2;
    return i;
}

double report_density(const report_bin *b) { return b->share / (b->high - b->low); }
double report_density_error(const report_bin *b) { return b->error / (b->high - b->low); }

int report_is_weight(const bg_histogram *h) { return !strcmp(h->name, "weight"); }
int report_is_in_gev(const bg_histogram *h) { return strstr(h->title, "[GeV]") != NULL; }
int report_is_filled(const report *r, const bg_histogram *h)
{
    for (int b = 0; b < BG_HISTOGRAM_BINS; b++)
        if (report_bin_of(r, h, b).share != 0.) return 1;
    return 0;
}
