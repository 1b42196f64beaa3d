/* Figure 9: the paper's appendix. Points from the CPU, matrix elements from the GPU: who waits for whom? */
#include "study/figures.h"

static const figure_style
    points = {.name = "points-and-weights", .title = "points and weights (CPU)", .color = 1, .dash = 1, .point = 0},
    flat = {.name = "points-rambo", .title = "RAMBO points, no weights (CPU)", .color = 5, .dash = 1, .point = 1},
    copies = {.name = "copies", .title = "copies to the GPU", .color = 2, .dash = 1, .point = 2},
    sum = {.name = "sum", .title = "all of it, wall time", .color = 6, .dash = 1, .point = 3},
    device = {.name = "on-device", .title = "all on the GPU, wall time", .color = 0, .dash = 2, .point = 4};

static void add_hybrid(const pool *p, figure *f, int panel)
{
    const int c[] = {figure_series(f, panel, &points), figure_series(f, panel, &flat), figure_series(f, panel, &copies),
                     figure_series(f, panel, &sum), figure_series(f, panel, &device)};
    for (int n_out = BG_MIN_OUT; n_out <= MOST_OUT; n_out++) {
        const pool_hybrid *h = &p->hybrid[n_out];
        if (!h->source || !(h->matrix_elements > 0.)) {
            figure_left_out(f, "hybrid", n_out, h->why);
            continue;
        }
        const figure_kind kind = figure_kind_of(h->source);
        const double me = h->matrix_elements;
        figure_point(f, c[0], n_out, h->points / h->threads / me, 0., kind);
        figure_point(f, c[1], n_out, h->flat / h->threads / me, 0., kind);
        figure_point(f, c[2], n_out, h->copies / me, 0., kind);
        figure_point(f, c[3], n_out, h->whole / me, 0., kind);
        figure_point(f, c[4], n_out, h->device / me, 0., kind);
    }
}

/* The same question on a CPU alone: what share of an event is phase space? */
static void add_cpu(const pool *p, figure *f, int panel)
{
    const int c[] = {figure_series(f, panel, &points), figure_series(f, panel, &flat)};
    for (int n_out = BG_MIN_OUT; n_out <= MOST_OUT; n_out++) {
        const pool_timing *t = &p->timing[ONE_THREAD][CO_SUM][n_out];
        const measurement *const m[] = {&p->generated[n_out], &p->flat[n_out]};
        for (int k = 0; k < 2 && t->stage[STAGE_ME].repetitions; k++)
            if (m[k]->repetitions)
                figure_point(f, c[k], n_out, m[k]->ns / t->stage[STAGE_ME].ns, m[k]->spread + t->stage[STAGE_ME].spread,
                             figure_kind_of(t->source));
    }
}

void make_hybrid(const pool *p, figure *f)
{
    const int gpu = figure_panel(f, 0, 1., "gpu-ratio", "time / |M|^2 on the GPU");
    const int cpu = figure_panel(f, 1, 1., "cpu-ratio", "time / |M|^2, same thread");
    int threads = 0;
    char name[80];
    pool_gpu_name(p, name, sizeof name);
    for (int n_out = BG_MIN_OUT; n_out <= MOST_OUT; n_out++)
        if (p->hybrid[n_out].source) threads = p->hybrid[n_out].threads;
    if (threads)
        snprintf(f->panel[gpu].title, sizeof f->panel[gpu].title, "hybrid: %d CPU threads and %.40s", threads, name);
    else
        snprintf(f->panel[gpu].title, sizeof f->panel[gpu].title, "hybrid");
    figures_place(p, ONE_THREAD, f->panel[cpu].title, sizeof f->panel[cpu].title);
    add_hybrid(p, f, gpu);
    add_cpu(p, f, cpu);
    figure_caption(
        f,
        "Left: `integrate --hybrid`. CPU threads generate points and weights and pass them through the cuts, and a GPU "
        "evaluates |M|^2 (colors summed, one polarization, fast kernel). Each part is divided by the time of the "
        "matrix "
        "elements, points also by the number of threads. Above 1 the GPU waits. The adaptive generator computes a "
        "weight with its point; RAMBO's weight is a constant, so its curve is the points alone. Black: wall time of "
        "the "
        "whole arrangement; blue: the same points with everything on the GPU. Right: phase space on one CPU thread "
        "per point inside the cuts (the cuts themselves not counted), over |M|^2 on that thread. The paper takes "
        "Comix's generator; this one is our own. ");
    figures_say_gpu(p, f);
    figures_say_cpu(p, f, ONE_THREAD);
}
