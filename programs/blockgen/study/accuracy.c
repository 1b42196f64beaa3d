/* Figure 11: how many digits of |M|^2 are right? */
#include "study/figures.h"

#include <math.h>

static const int compared[] = {FULL, FULL_PAPER, CO_SUM, CO_SUM_PAPER, LC, CD_MC, COHERENT};

/* A deviation of zero is as good as the last digit of a double. */
static double digits(double deviation) { return -log10(fmax(deviation, 1.1e-16)); }

typedef struct legend_text {
    char text[64];
} legend_text;

/* The name of a strategy with the least of its numbers of points: "CD_{MC} (33+)". */
static legend_text title_of(const pool *p, int k)
{
    legend_text t;
    int least = 0;
    for (int n_out = BG_MIN_OUT; n_out <= MOST_OUT; n_out++) {
        const pool_digits *d = &p->digits[k][n_out];
        if (d->source && (!least || d->points < least)) least = d->points;
    }
    if (least)
        snprintf(t.text, sizeof t.text, "%s (%d+)", study_curves[k].title, least);
    else
        snprintf(t.text, sizeof t.text, "%s", study_curves[k].title);
    return t;
}

void make_accuracy(const pool *p, figure *f)
{
    const int panel[] = {figure_panel(f, 0, 1., "median", "median digits"),
                         figure_panel(f, 0, 1., "worst", "digits of the worst point")};
    for (size_t w = 0; w < sizeof compared / sizeof *compared; w++) {
        const int k = compared[w];
        const legend_text title = title_of(p, k);
        figure_style style = study_curves[k];
        style.title = title.text;
        const int curve[] = {figure_series(f, panel[0], &style), figure_series(f, panel[1], &style)};
        for (int n_out = BG_MIN_OUT; n_out <= MOST_OUT; n_out++) {
            const pool_digits *d = &p->digits[k][n_out];
            if (!d->source) {
                figure_left_out(f, study_curves[k].title, n_out, d->why);
                continue;
            }
            figure_point(f, curve[0], n_out, digits(d->median), 0., figure_kind_of(d->source));
            figure_point(f, curve[1], n_out, digits(d->worst), 0., figure_kind_of(d->source));
        }
    }
    for (int k = 0; k < 2; k++) f->panel[panel[k]].linear = 1;
    f->panel[panel[0]].low = 13.;
    f->panel[panel[0]].high = 16.;
    f->panel[panel[1]].low = 8.;
    f->panel[panel[1]].high = 16.;
    figure_caption(
        f,
        "Digits, -log10 of the relative deviation of |M|^2 from the same source in 128-bit floats, at the same points "
        "inside the paper's cuts with the same random choices: median and worst. The fast color sums are compared with "
        "the "
        "paper's recursion in quadruple precision. ");
    figure_caption(
        f, "In brackets: at least so many points, up to 1000; fewer where quadruple precision is slow. The worst point "
           "of few is not comparable with the worst of many. ");
    if (p->recorded)
        figure_caption(f, "Recorded with the AVX-512 kernels. ");
    else
        figures_say_cpu(p, f, ALL_CORES);
}
