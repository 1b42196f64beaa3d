/* NAME.csv: the numbers of one distribution. */
#include "report/parts.h"

static const char *unit_of(const report_curve *h)
{
    return report_is_weight(h) ? " in pb" : report_is_in_gev(h) ? " in GeV" : "";
}

static void write_beyond(const report_curve *h, FILE *f)
{
    if (h->beyond[0] > 0. || h->beyond[1] > 0.)
        fprintf(f, "beyond them, in no bin, lie %.17g +- %.3g pb below and %.17g +- %.3g pb above\n", h->beyond[0],
                h->beyond_error[0], h->beyond[1], h->beyond_error[1]);
    else
        fprintf(f, "all of sigma is in the bins, of which the first and the last hold what may lie beyond them\n");
}

void report_write_table(const report *r, const report_curve *h, FILE *f)
{
    const bg_result *s = r->result;
    fprintf(f, "# %s\n", h->title);
    fprintf(f, "# %s, %s, %s\n", report_process(r, REPORT_PLAIN).buffer, report_coupling(r).buffer,
            report_cuts(r, REPORT_PLAIN).buffer);
    fprintf(f, "# sigma = %.17g pb, error ", s->sigma_pb >= 0. ? s->sigma_pb : 0.);
    if (s->error_pb > 0.)
        fprintf(f, "= %.17g pb", s->error_pb);
    else
        fprintf(f, "unknown");
    fprintf(f, ", %llu points, seed %llu, blockgen %s\n", (unsigned long long)s->points,
            (unsigned long long)r->options->seed, bg_version());
    if (s->warming_up) fprintf(f, "# interrupted while still adapting: empty\n");
    fprintf(f, "# low, high: edges of the bin%s; ", unit_of(h));
    write_beyond(h, f);
    fprintf(f, "# dsigma_dx, error: in %s; the sum of dsigma_dx * (high - low) is the cross section in the bins\n",
            report_is_weight(h)   ? "pb per pb"
            : report_is_in_gev(h) ? "pb/GeV"
                                  : "pb per unit of x");
    fprintf(f, "# points: (sum w)^2 / sum w^2, the number of points of equal weight that would say as much\n");
    if (report_is_weight(h)) fprintf(f, "# fraction: of sigma from points of these weights\n");
    if (h->band)
        fprintf(f,
                "# scale_down, scale_up: the smallest and the largest dsigma_dx with muR and muF times 1/2, 1 and 2, "
                "without 1/2 and 2 together\n");
    fprintf(f, "low,high,dsigma_dx,error,points%s%s\n", report_is_weight(h) ? ",fraction" : "",
            h->band ? ",scale_down,scale_up" : "");
    for (int k = 0; k < h->bins; k++) {
        const report_bin b = h->bin[k];
        fprintf(f, "%.17g,%.17g,%.17g,%.17g,%.17g", b.low, b.high, report_density(&b), report_density_error(&b),
                b.points);
        if (report_is_weight(h)) fprintf(f, ",%.17g", s->sigma_pb > 0. ? b.share / s->sigma_pb : 0.);
        if (h->band) fprintf(f, ",%.17g,%.17g", b.least / (b.high - b.low), b.most / (b.high - b.low));
        putc('\n', f);
    }
}
