/* Figure 11: how many digits of |M|^2 are right? */
#include "study/figures.h"

#include <math.h>

static const int compared[] = {FULL, FULL_PAPER, CO_SUM, CO_SUM_PAPER, LC, CD_MC, COHERENT};

/* A deviation of zero is as good as the last digit of a double. */
static double digits(double deviation) { return -log10(fmax(deviation, 1.1e-16)); }

void make_accuracy(const pool *p, figure *f)
{
    const int panel[] = {figure_panel(f, 0, 1., "median", "median digits"),
                         figure_panel(f, 0, 1., "worst", "digits of the worst point")};
    int least = 0, most = 0;
    for (size_t w = 0; w < sizeof compared / sizeof *compared; w++) {
        const int k = compared[w], curve[] = {figure_strategy(f, panel[0], k), figure_strategy(f, panel[1], k)};
        for (int n_out = BG_MIN_OUT; n_out <= MOST_OUT; n_out++) {
            const pool_digits *d = &p->digits[k][n_out];
            if (!d->source) {
                figure_left_out(f, study_curves[k].name, n_out, d->why);
                continue;
            }
            figure_point(f, curve[0], n_out, digits(d->median), 0., figure_kind_of(d->source));
            figure_point(f, curve[1], n_out, digits(d->worst), 0., figure_kind_of(d->source));
            if (!least || d->points < least) least = d->points;
            if (d->points > most) most = d->points;
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
        "inside the paper's cuts with the same draws: median and worst. The fast color sums are compared with the "
        "paper's recursion in quadruple precision. The goals: median 13 digits, worst of 1e5 points 8. ");
    if (most)
        figure_caption(
            f,
            "%d to %d points: fewer where quadruple precision is slow, so the worst is not comparable between "
            "curves. ",
            least, most);
    figures_say_cpu(p, f, ALL_CORES);
}
