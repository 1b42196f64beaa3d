/* Figure 1: does it pay to let several lanes work on one event? */
#include "study/figures.h"

static const struct {
    int strategy, event;
    figure_style style;
} curves[] = {
    {TESS, 0, {"tess-me", "Tess, |M|^2", 1, 1, 0}},
    {LC, 0, {"lc-me", "LC, |M|^2", 0, 1, 1}},
    {TESS, 1, {"tess-event", "Tess, whole event", 1, 2, 2}},
    {LC, 1, {"lc-event", "LC, whole event", 0, 2, 3}},
};

static const measurement *part(const pool *p, int place, int k, int event, int n_out)
{
    const pool_timing *t = &p->timing[place][k][n_out];
    return event ? &t->event : &t->me;
}

static void add_place(const pool *p, figure *f, int place, int main, int ratio)
{
    static const figure_style ratios[] = {{"tess-over-lc-me", "Tess / LC, |M|^2", 6, 1, 4},
                                          {"tess-over-lc-event", "Tess / LC, whole event", 6, 2, 5}};
    for (int c = 0; c < 4; c++) {
        const int curve = figure_series(f, main, &curves[c].style), k = curves[c].strategy;
        for (int n_out = BG_MIN_OUT; n_out <= MOST_OUT; n_out++) {
            const measurement *m = part(p, place, k, curves[c].event, n_out);
            const pool_timing *t = &p->timing[place][k][n_out];
            if (m->repetitions)
                figure_point(f, curve, n_out, m->ns, m->spread, figure_kind_of(t->source));
            else if (!curves[c].event)
                figure_left_out(f, strategies[k].name, n_out, t->why);
        }
    }
    for (int event = 0; event < 2; event++) {
        const int curve = figure_series(f, ratio, &ratios[event]);
        for (int n_out = BG_MIN_OUT; n_out <= MOST_OUT; n_out++) {
            const measurement *a = part(p, place, TESS, event, n_out), *b = part(p, place, LC, event, n_out);
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
        snprintf(f->panel[main].title, sizeof f->panel[main].title, column ? "CPU, one thread" : "GPU");
        add_place(p, f, column ? ONE_THREAD : GPU, main, ratio);
    }
    figure_caption(
        f, "Leading color, one random ordering and one real polarization an event (quartic vertex). Tess: "
           "up to n - 1 lanes work on one event, its currents on chip; LC: one lane an event. |M|^2: a point that "
           "is there already; whole event: random numbers, phase space, cuts, |M|^2 and sums, for each point "
           "inside the cuts. Lower panels: Tess over LC. ");
    figures_say_gpu(p, f);
    figures_say_cpu(p, f, ONE_THREAD);
}
