/* Figure 1: does it pay to let several lanes work on one event? */
#include "study/figures.h"

static const struct {
    int strategy, stage;
    figure_style style;
} parts[] = {
    {TESS, STAGE_ME, {.name = "tess-me", .title = "Tess, |M|^2", .color = 1, .dash = 1, .point = 0}},
    {LC, STAGE_ME, {.name = "lc-me", .title = "LC, |M|^2", .color = 0, .dash = 1, .point = 1}},
    {TESS, STAGE_EVENT, {.name = "tess-event", .title = "Tess, whole event", .color = 1, .dash = 2, .point = 2}},
    {LC, STAGE_EVENT, {.name = "lc-event", .title = "LC, whole event", .color = 0, .dash = 2, .point = 3}},
};

static void add_place(const pool *p, figure *f, int place, int main, int ratio)
{
    static const figure_style ratios[] = {
        {.name = "tess-over-lc-me", .title = "Tess / LC, |M|^2", .color = 6, .dash = 1, .point = 4},
        {.name = "tess-over-lc-event", .title = "Tess / LC, whole event", .color = 6, .dash = 2, .point = 5}};
    for (int c = 0; c < 4; c++) {
        const int curve = figure_series(f, main, &parts[c].style), k = parts[c].strategy;
        for (int n_out = BG_MIN_OUT; n_out <= MOST_OUT; n_out++) {
            const pool_timing *t = &p->timing[place][k][n_out];
            const measurement *m = &t->stage[parts[c].stage];
            if (m->repetitions)
                figure_point(f, curve, n_out, m->ns, m->spread, figure_kind_of(t->source));
            else if (parts[c].stage == STAGE_ME)
                figure_left_out(f, study_curves[k].title, n_out, t->why);
        }
    }
    static const int stages[] = {STAGE_ME, STAGE_EVENT};
    for (int w = 0; w < 2; w++) {
        const int curve = figure_series(f, ratio, &ratios[w]);
        for (int n_out = BG_MIN_OUT; n_out <= MOST_OUT; n_out++) {
            const measurement *a = &p->timing[place][TESS][n_out].stage[stages[w]],
                              *b = &p->timing[place][LC][n_out].stage[stages[w]];
            if (a->repetitions && b->repetitions)
                figure_point(f, curve, n_out, a->ns / b->ns, a->spread + b->spread,
                             figure_kind_of(p->timing[place][TESS][n_out].source));
        }
    }
}

void make_tess_lc(const pool *p, figure *f)
{
    static const char *const names[2][2] = {{"gpu", "gpu-ratio"}, {"cpu", "cpu-ratio"}};
    for (int column = 0; column < 2; column++) {
        const int main = figure_panel(f, column, 2., names[column][0], "time [ns]");
        const int ratio = figure_panel(f, column, 1., names[column][1], "Tess / LC");
        figures_place(p, column ? ONE_THREAD : GPU, f->panel[main].title, sizeof f->panel[main].title);
        add_place(p, f, column ? ONE_THREAD : GPU, main, ratio);
    }
    figure_caption(
        f, "Leading color, one random ordering and one real polarization per event (quartic vertex). Tess: "
           "up to n - 1 lanes work on one event, with its currents on chip; LC: one lane per event. |M|^2: the "
           "phase-space point is given; whole event: random numbers, phase space, cuts, |M|^2 and sums, per point "
           "inside the cuts. Lower panels: the time of Tess over that of LC. ");
    figures_say_gpu(p, f);
    figures_say_cpu(p, f, ONE_THREAD);
    if (!p->gpu)
        figure_caption(f,
                       "Events recorded at n_out = 8 are left out: the grid of that version did not adapt there. The "
                       "paper's curve of 2010 is not shown. ");
}
