/* Figure 3: when does the color sum take longer than the amplitudes? With the color matrix, and without it. */
#include "study/figures.h"
#include "study/peers.h"

static const struct {
    int strategy, color_sum;
    figure_style style;
} curves[] = {
    {CO_SUM_PAPER, 0, {"amplitudes-paper", "amplitudes, paper", 0, 2, 0}},
    {CO_SUM_PAPER, 1, {"color-sum-paper", "color sum, paper (dense)", 1, 2, 1}},
    {CO_SUM, 0, {"amplitudes-fast", "amplitudes, fast", 0, 1, 2}},
    {CO_SUM, 1, {"color-sum-fast", "color sum, fast (Fourier)", 1, 1, 3}},
};

static void add_curves(const pool *p, figure *f, int place, int main)
{
    for (int c = 0; c < 4; c++) {
        const int curve = figure_series(f, main, &curves[c].style), k = curves[c].strategy;
        for (int n_out = BG_MIN_OUT; n_out <= MOST_OUT; n_out++) {
            const pool_timing *t = &p->timing[place][k][n_out];
            const measurement *m = curves[c].color_sum ? &t->color_sum : &t->amplitudes;
            if (m->repetitions)
                figure_point(f, curve, n_out, m->ns, m->spread, figure_kind_of(t->source));
            else if (!curves[c].color_sum)
                figure_left_out(f, strategies[k].name, n_out, t->why);
        }
    }
}

static void add_ratios(const pool *p, figure *f, int place, int ratio)
{
    static const figure_style styles[] = {{"paper", "color / amplitudes, paper", 2, 2, 4},
                                          {"fast", "color / amplitudes, fast", 2, 1, 5}};
    for (int c = 0; c < 2; c++) {
        const int curve = figure_series(f, ratio, &styles[c]);
        for (int n_out = BG_MIN_OUT; n_out <= MOST_OUT; n_out++) {
            const pool_timing *t = &p->timing[place][c ? CO_SUM : CO_SUM_PAPER][n_out];
            if (t->amplitudes.repetitions && t->color_sum.repetitions)
                figure_point(f, curve, n_out, t->color_sum.ns / t->amplitudes.ns,
                             t->color_sum.spread + t->amplitudes.spread, figure_kind_of(t->source));
        }
    }
}

/* The paper's algorithm written straight, for the GPU. */
static void add_straight(figure *f, int main, int ratio)
{
    static const figure_style styles[] = {{"straight-amplitudes", "amplitudes, CO_{sum} straight", -1, 3, 0},
                                          {"straight-color-sum", "color sum, CO_{sum} straight", -1, 3, 1},
                                          {"straight", "color / amplitudes, straight", -1, 3, 2}};
    for (int c = 0; c < 3; c++) {
        const int curve = figure_series(f, c == 2 ? ratio : main, &styles[c]);
        for (int n_out = BG_MIN_OUT; n_out <= 7; n_out++)
            figure_point(f, curve, n_out,
                         c < 2 ? peers_straight(n_out, c) : peers_straight(n_out, 1) / peers_straight(n_out, 0), 0.,
                         FIGURE_PEER);
    }
}

/* Where the dense color sum overtakes the amplitudes. */
static void say_crossing(const pool *p, figure *f, int place, int k, const char *what)
{
    double last = 0.;
    for (int n_out = BG_MIN_OUT; n_out <= MOST_OUT; n_out++) {
        const pool_timing *t = &p->timing[place][k][n_out];
        if (!t->amplitudes.repetitions || !t->color_sum.repetitions) continue;
        const double ratio = t->color_sum.ns / t->amplitudes.ns;
        if (last > 0. && last < 1. && ratio >= 1.)
            figure_caption(f, "%s: the color sum overtakes the amplitudes between n_out = %d and %d. ", what, n_out - 1,
                           n_out);
        last = ratio;
    }
    if (last > 0. && last < 1.) figure_caption(f, "%s: the color sum stays below the amplitudes. ", what);
}

void make_color_sum(const pool *p, figure *f)
{
    static const char *const names[2][2] = {{"cpu", "cpu-ratio"}, {"gpu", "gpu-ratio"}};
    for (int column = 0; column < 2; column++) {
        const int main = figure_panel(f, column, 2., names[column][0], "time [ns]");
        const int ratio = figure_panel(f, column, 1.2, names[column][1], "color / amplitudes");
        snprintf(f->panel[main].title, sizeof f->panel[main].title, column ? "GPU" : "CPU, one thread");
        add_curves(p, f, column ? GPU : ONE_THREAD, main);
        add_ratios(p, f, column ? GPU : ONE_THREAD, ratio);
        if (column) add_straight(f, main, ratio);
    }
    figure_caption(f,
                   "Time of the amplitudes of all (n-2)! orderings, and of the sum over colors of one |M|^2, one real "
                   "polarization. Dense: the (n-2)!^2 color factors of the paper; Fourier: the same sum by Fourier "
                   "transform on the symmetric group, without a matrix (the fast kernel of the GPU sums densely up to "
                   "n_out = 4). Where a kernel does both at once there is no value. ");
    say_crossing(p, f, ONE_THREAD, CO_SUM_PAPER, "CPU, dense");
    say_crossing(p, f, ONE_THREAD, CO_SUM, "CPU, Fourier");
    say_crossing(p, f, GPU, CO_SUM_PAPER, "GPU, dense");
    say_crossing(p, f, GPU, CO_SUM, "GPU, fast");
    figures_say_cpu(p, f, ONE_THREAD);
    figures_say_gpu(p, f);
    figure_caption(f, "%s ", peers_source(PEERS_GPU));
}
