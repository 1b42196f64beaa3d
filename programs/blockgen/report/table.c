/* NAME.csv: the numbers of one distribution. */
#include "report/parts.h"

void report_write_table(const report *r, const report_curve *h, FILE *f)
{
    const bg_result *s = r->result;
    fprintf(f, "# %s\n", h->title);
    fprintf(f, "# %s, alpha_s = %g, %s\n", report_process(r, REPORT_PLAIN).buffer, r->options->alpha_s,
            report_cuts(r, REPORT_PLAIN).buffer);
    fprintf(f, "# sigma = %.17g pb, error = %.17g pb, %llu points, seed %llu, blockgen %s\n", s->sigma_pb, s->error_pb,
            (unsigned long long)s->points, (unsigned long long)r->options->seed, bg_version());
    if (s->warming_up) fprintf(f, "# interrupted while still adapting: empty\n");
    fprintf(f, "# low, high: edges of the bin%s; the first and the last bin hold what lies beyond them as well\n",
            report_is_weight(h)   ? " in pb"
            : report_is_in_gev(h) ? " in GeV"
                                  : "");
    fprintf(f, "# dsigma_dx, error: in %s; its integral is sigma\n",
            report_is_weight(h)   ? "pb per pb"
            : report_is_in_gev(h) ? "pb/GeV"
                                  : "pb per unit of x");
    if (report_is_weight(h))
        fprintf(f, "# fraction: of sigma from points of these weights; points: (sum w)^2 / sum w^2 of them\n");
    fprintf(f, "low,high,dsigma_dx,error%s\n", report_is_weight(h) ? ",fraction,points" : "");
    for (int k = 0; k < h->bins; k++) {
        const report_bin b = h->bin[k];
        fprintf(f, "%.17g,%.17g,%.17g,%.17g", b.low, b.high, report_density(&b), report_density_error(&b));
        if (report_is_weight(h)) fprintf(f, ",%.17g,%.17g", s->sigma_pb > 0. ? b.share / s->sigma_pb : 0., b.points);
        putc('\n', f);
    }
}
