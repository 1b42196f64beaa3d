/* Prints the table of docs/accuracy.md: |M|^2 in double precision against 128-bit floats, inside the paper's cuts at
 * 14 TeV, fixed points. Usage: accuracy [FACTOR]; FACTOR multiplies the number of points (1: a minute or two).
 */
#include "accuracy.h"

static double factor = 1.;

static void row(int n_out, const bg_options *o, double points, const char *what)
{
    const size_t count = factor * points < 4. ? 4 : (size_t)(factor * points);
    double *deviation = malloc(count * sizeof *deviation);
    if (!deviation || !deviations(n_out, o, 1, count, deviation)) {
        printf("no memory, or no 128-bit floats here\n");
        exit(1);
    }
    printf("| %d | %s | %zu | %.1e | %.1e | %.1e |\n", n_out, what, count, deviation[count / 2],
           deviation[(size_t)(0.99 * (double)count)], deviation[count - 1]);
    fflush(stdout);
    free(deviation);
}

int main(int argc, char **argv)
{
    /* points for the full sum, for one polarisation with all colors, and for single amplitudes */
    static const double full[] = {5000, 500, 15}, one[] = {50000, 10000, 1000, 100, 8},
                        single[] = {50000, 20000, 5000, 2000, 500};
    if (argc > 1) factor = atof(argv[1]);
    printf("| n_out | algorithm | points | median | 99 %% | worst |\n|---|---|---|---|---|---|\n");
    for (int n_out = 2; n_out <= 6; n_out++) {
        bg_options o = default_options(), paper = o;
        paper.kernel = BG_KERNEL_PAPER;
        if (n_out <= 4) {
            row(n_out, &o, full[n_out - 2], "co-sum, all helicities, fast");
            row(n_out, &paper, full[n_out - 2], "co-sum, all helicities, paper");
        }
        o.helicity = paper.helicity = BG_HELICITY_SAMPLED;
        row(n_out, &o, one[n_out - 2], "co-sum, one polarisation, fast");
        row(n_out, &paper, one[n_out - 2], "co-sum, one polarisation, paper");
        paper.vertex = BG_VERTEX_TENSOR;
        row(n_out, &paper, one[n_out - 2], "co-sum, one polarisation, paper, tensor");
        bg_options lc = default_options();
        lc.color = BG_COLOR_LEADING;
        lc.orderings = BG_ORDERINGS_ONE;
        lc.helicity = BG_HELICITY_SAMPLED;
        row(n_out, &lc, single[n_out - 2], "lc, one ordering, one polarisation");
        bg_options cd = default_options();
        cd.color = BG_COLOR_SAMPLED;
        cd.recursion = BG_RECURSION_DRESSED;
        cd.helicity = BG_HELICITY_SAMPLED;
        row(n_out, &cd, single[n_out - 2] / 5., "cd-mc");
    }
    return 0;
}
