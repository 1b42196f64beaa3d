/* Figure 3: when does the color sum take longer than the amplitudes? With the color matrix, and without it. */
#include "study/figures.h"
#include "study/peers.h"

static const struct {
    int strategy, stage;
    figure_style style;
} parts[] = {
    {CO_SUM_PAPER,
     STAGE_AMPLITUDES,
     {.name = "amplitudes-paper", .title = "amplitudes, paper", .color = 0, .dash = 2, .point = 0}},
    {CO_SUM_PAPER,
     STAGE_COLOR_SUM,
     {.name = "color-sum-paper", .title = "color sum, paper (dense)", .color = 1, .dash = 2, .point = 1}},
    {CO_SUM,
     STAGE_AMPLITUDES,
     {.name = "amplitudes-fast", .title = "amplitudes, fast", .color = 0, .dash = 1, .point = 2}},
    {CO_SUM,
     STAGE_COLOR_SUM,
     {.name = "color-sum-fast", .title = "color sum, fast (Fourier)", .color = 1, .dash = 1, .point = 3}},
};

static void add_curves(const pool *p, figure *f, int place, int main)
{
    for (int c = 0; c < 4; c++) {
        const int curve = figure_series(f, main, &parts[c].style), k = parts[c].strategy;
        for (int n_out = BG_MIN_OUT; n_out <= MOST_OUT; n_out++) {
            const pool_timing *t = &p->timing[place][k][n_out];
            const measurement *m = &t->stage[parts[c].stage];
            if (m->repetitions)
                figure_point(f, curve, n_out, m->ns, m->spread, figure_kind_of(t->source));
            else if (parts[c].stage == STAGE_AMPLITUDES)
                figure_left_out(f, study_curves[k].title, n_out, t->why);
        }
    }
}

static void add_ratios(const pool *p, figure *f, int place, int ratio)
{
    static const figure_style styles[] = {
        {.name = "paper", .title = "color / amplitudes, paper", .color = 2, .dash = 2, .point = 4},
        {.name = "fast", .title = "color / amplitudes, fast", .color = 2, .dash = 1, .point = 5}};
    for (int c = 0; c < 2; c++) {
        const int curve = figure_series(f, ratio, &styles[c]);
        for (int n_out = BG_MIN_OUT; n_out <= MOST_OUT; n_out++) {
            const pool_timing *t = &p->timing[place][c ? CO_SUM : CO_SUM_PAPER][n_out];
            if (t->stage[STAGE_AMPLITUDES].repetitions && t->stage[STAGE_COLOR_SUM].repetitions)
                figure_point(f, curve, n_out, t->stage[STAGE_COLOR_SUM].ns / t->stage[STAGE_AMPLITUDES].ns,
                             t->stage[STAGE_COLOR_SUM].spread + t->stage[STAGE_AMPLITUDES].spread,
                             figure_kind_of(t->source));
        }
    }
}

/* A textbook implementation of the paper's algorithm, for the GPU. */
static void add_textbook(figure *f, int main, int ratio)
{
    static const figure_style styles[] = {
        {.name = "textbook-amplitudes", .title = "amplitudes, textbook", .color = -1, .dash = 3, .point = 0},
        {.name = "textbook-color-sum", .title = "color sum, textbook", .color = -1, .dash = 3, .point = 1},
        {.name = "textbook", .title = "color / amplitudes, textbook", .color = -1, .dash = 3, .point = 2}};
    for (int c = 0; c < 3; c++) {
        const int curve = figure_series(f, c == 2 ? ratio : main, &styles[c]);
        for (int n_out = BG_MIN_OUT; n_out <= 7; n_out++)
            figure_point(f, curve, n_out,
                         c < 2 ? peers_textbook(n_out, c) : peers_textbook(n_out, 1) / peers_textbook(n_out, 0), 0.,
                         FIGURE_PEER);
    }
}

/* Where the dense color sum overtakes the amplitudes. */
static void say_crossing(const pool *p, figure *f, int place, int k, const char *what)
{
    double last = 0.;
    for (int n_out = BG_MIN_OUT; n_out <= MOST_OUT; n_out++) {
        const pool_timing *t = &p->timing[place][k][n_out];
        if (!t->stage[STAGE_AMPLITUDES].repetitions || !t->stage[STAGE_COLOR_SUM].repetitions) continue;
        const double ratio = t->stage[STAGE_COLOR_SUM].ns / t->stage[STAGE_AMPLITUDES].ns;
        if (last > 0. && last < 1. && ratio >= 1.)
            figure_caption(f, "%s: the color sum overtakes the amplitudes between n_out = %d and %d. ", what, n_out - 1,
                           n_out);
        last = ratio;
    }
    if (last > 0. && last < 1.) figure_caption(f, "%s: the color sum stays below the amplitudes. ", what);
}

static void say_textbook(figure *f)
{
    for (int n_out = BG_MIN_OUT + 1; peers_textbook(n_out, 0) > 0.; n_out++)
        if (peers_textbook(n_out, 1) > peers_textbook(n_out, 0) &&
            peers_textbook(n_out - 1, 1) < peers_textbook(n_out - 1, 0))
            figure_caption(f, "GPU, textbook implementation: it overtakes them between n_out = %d and %d. ", n_out - 1,
                           n_out);
}

void make_color_sum(const pool *p, figure *f)
{
    static const char *const names[2][2] = {{"cpu", "cpu-ratio"}, {"gpu", "gpu-ratio"}};
    for (int column = 0; column < 2; column++) {
        const int main = figure_panel(f, column, 2., names[column][0], "time [ns]");
        const int ratio = figure_panel(f, column, 1.2, names[column][1], "color / amplitudes");
        figures_place(p, column ? GPU : ONE_THREAD, f->panel[main].title, sizeof f->panel[main].title);
        add_curves(p, f, column ? GPU : ONE_THREAD, main);
        add_ratios(p, f, column ? GPU : ONE_THREAD, ratio);
        if (column) add_textbook(f, main, ratio);
    }
    figure_caption(f,
                   "Time of the amplitudes of all (n-2)! orderings, and of the sum over colors of one |M|^2, one real "
                   "polarization. Dense: the (n-2)!^2 color factors of the paper; Fourier: the same sum by Fourier "
                   "transform on the symmetric group, without a matrix (on tensor cores of the GPU; at n_out = 4 the "
                   "GPU's fast kernel still multiplies by the matrix). Where a kernel does both at once there is no "
                   "value. ");
    say_crossing(p, f, ONE_THREAD, CO_SUM_PAPER, "CPU, dense");
    say_crossing(p, f, ONE_THREAD, CO_SUM, "CPU, Fourier");
    say_crossing(p, f, GPU, CO_SUM_PAPER, "GPU, dense");
    say_crossing(p, f, GPU, CO_SUM, "GPU, fast");
    say_textbook(f);
    figures_say_cpu(p, f, ONE_THREAD);
    figures_say_gpu(p, f);
    figure_caption(f, "%s ", peers_source(PEERS_GPU));
}
