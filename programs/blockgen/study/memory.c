/* Figures 4 and 5: memory. */
#include "study/figures.h"
#include "study/peers.h"

#include <math.h>

static const int all[] = {TESS, LC, LC_ALL, FULL_PAPER, FULL, CO_SUM_PAPER, CO_SUM, CO_MC, CO_MC_ONE, CD_MC, COHERENT};
enum { ALL = sizeof all / sizeof *all };

void make_gpu_memory(const pool *p, figure *f)
{
    static const char *const names[] = {"independent", "per-event", "on-chip"};
    static const char *const labels[] = {"tables [B]", "per event [B]", "on chip [B]"};
    for (int kind = 0; kind < 3; kind++) {
        const int panel = figure_panel(f, 0, 1., names[kind], labels[kind]);
        if (!kind) figures_place(p, GPU, f->panel[panel].title, sizeof f->panel[panel].title);
        for (int w = 0; w < ALL; w++) {
            const int curve = figure_strategy(f, panel, all[w]);
            for (int n_out = BG_MIN_OUT; n_out <= MOST_OUT; n_out++) {
                const pool_timing *t = &p->timing[GPU][all[w]][n_out];
                const double bytes[] = {(double)t->memory.shared, (double)t->memory.per_event,
                                        (double)t->memory.on_chip};
                if (t->memory.batch) figure_point(f, curve, n_out, bytes[kind], 0., figure_kind_of(t->source));
                if (!kind) figure_left_out(f, study_curves[all[w]].title, n_out, t->memory.batch ? "" : t->why);
            }
        }
        if (kind == 0) {
            const figure_style style = {
                .name = "color-matrix", .title = "(n-2)!^2 color matrix", .color = -1, .dash = 3, .point = 5};
            figure_point(f, figure_series(f, panel, &style), 8, peers_color_matrix(), 0., FIGURE_PEER);
        }
    }
    figure_caption(
        f, "Memory on the GPU. Top: tables, independent of the number of events. Middle: workspace in global memory "
           "per event in flight. Bottom: per event, in the shared memory of a multiprocessor. Kernels without tables, "
           "or without shared memory, have no point there (CO_MC, CD_MC, LC: none). The full sum of the fast kernel "
           "drops from n_out = 7 to 8 because it takes another algorithm there, one helicity configuration after the "
           "other. Gray: the color matrix of the paper's CO_sum with all (n-2)!^2 entries at n_out = 8 (computed; the "
           "paper says more than 10 GB). No memory figures of other programs on GPUs were available. ");
    figures_say_gpu(p, f);
}

/* Tables, and the workspace of the one thread. */
static double total(const bg_memory *m) { return (double)m->shared + (double)m->batch * (double)m->per_event; }

void make_cpu_memory(const pool *p, figure *f)
{
    const int main = figure_panel(f, 0, 2., "memory", "memory [B]");
    const int ratio = figure_panel(f, 0, 1.2, "memory-ratio", "memory / CO_{sum}, fast");
    int reference = -1;
    figures_place(p, ONE_THREAD, f->panel[main].title, sizeof f->panel[main].title);
    for (int w = 0; w < ALL; w++) {
        const int curve = figure_strategy(f, main, all[w]);
        if (all[w] == CO_SUM) reference = curve;
        for (int n_out = BG_MIN_OUT; n_out <= MOST_OUT; n_out++) {
            const pool_timing *t = &p->timing[ONE_THREAD][all[w]][n_out];
            if (t->memory.batch) figure_point(f, curve, n_out, total(&t->memory), 0., FIGURE_COUNTED);
        }
        if (!p->timing[ONE_THREAD][all[w]][p->low].memory.batch)
            figure_left_out(f, study_curves[all[w]].title, p->low, p->timing[ONE_THREAD][all[w]][p->low].why);
    }
    figure_ratio(f, ratio, main, reference);
    const figure_style style = {
        .name = "color-matrix", .title = "(n-2)!^2 color matrix", .color = -1, .dash = 3, .point = 5};
    figure_point(f, figure_series(f, main, &style), 8, peers_color_matrix(), 0., FIGURE_PEER);
    peers_add_memory(f, main);
    figure_caption(
        f,
        "Memory that an evaluator allocates for one CPU thread: tables and workspace (four registers of events), as "
        "the program itself counts it before it allocates; the paper measures the heap. The curves end where an "
        "algorithm is not offered, and LC needs nothing but the stack. With the paper's kernel the full sum and one "
        "polarization take the same memory; the fast full sum drops from n_out = 7 to 8, where helicities follow one "
        "another. The paper's kernel keeps the (n-2)! different "
        "color factors and makes rows of the matrix when they are needed. Gray: the color matrix with all (n-2)!^2 "
        "entries at n_out = 8 (computed), and the resident memory of whole MadGraph processes (bench/peers). No memory "
        "figures of Comix and Amegic were available. ");
    if (p->recorded)
        figure_caption(f, "Counted for %s. ", p->recorded_cpu);
    else if (!p->cpu)
        figure_caption(f, "The CPU was not asked for, but counting needs no measurement. ");
}
