/* Figures 6, 7 and 8: time of one |M|^2; and figure 12: time of whole events. */
#include "study/figures.h"
#include "study/peers.h"

#include <string.h>

/* The first of each list is what the ratio panel divides by. */
static const int summed[] = {FULL, FULL_PAPER, LC_ALL};
static const int sampled[] = {CO_SUM, CO_SUM_PAPER, TESS, LC, CO_MC_ONE, CO_MC, CD_MC, COHERENT};
static const int chip_summed[] = {FULL, FULL_PAPER};
static const int chip_sampled[] = {CO_SUM, CO_MC_ONE, CD_MC, COHERENT};
static const int in_events[] = {FULL, FULL_PAPER, CO_SUM, CO_SUM_PAPER, CO_MC, CO_MC_ONE, CD_MC, COHERENT};
#define COUNT(list) ((int)(sizeof(list) / sizeof *(list)))

/* ---- figures 6 and 7 ------------------------------------------------------------------------------------------- */

static void add_columns(const pool *p, figure *f, int place, int peers)
{
    const int main = figure_panel(f, 0, 2., "summed", "time [ns]");
    const int ratio = figure_panel(f, 0, 1.2, "summed-ratio", "time / full sum, fast");
    const int main2 = figure_panel(f, 1, 2., "sampled", "time [ns]");
    const int ratio2 = figure_panel(f, 1, 1.2, "sampled-ratio", "time / CO_{sum}, fast");
    char where[80];
    figures_place(p, place, where, sizeof where);
    snprintf(f->panel[main].title, sizeof f->panel[main].title, "all summed, %s", where);
    snprintf(f->panel[main2].title, sizeof f->panel[main2].title, "one sample, %s", where);
    const int reference = figures_add_times(p, f, main, place, summed, COUNT(summed));
    peers_add(f, main, peers, PEERS_FULL_SUM);
    figure_ratio(f, ratio, main, reference);
    const int reference2 = figures_add_times(p, f, main2, place, sampled, COUNT(sampled));
    figure_ratio(f, ratio2, main2, reference2);
    peers_add(f, main2, peers, PEERS_SAMPLED); /* after the ratios: it sums helicities */
}

static const char description[] =
    "Time per |M|^2 with the phase-space point given (14 TeV, inside the paper's cuts; medians). The paper times whole "
    "events instead: figure 12. Left: all helicities and colors summed (LC: all orderings, leading color). Right: one "
    "Monte-Carlo sample, that is one random helicity configuration (CO_sum), one ordering as well (Tess, LC), colors "
    "and "
    "helicities (CO_MC, CD_MC, coherent), or colors only (CO_MC with helicities summed). A sample is not worth the "
    "same "
    "everywhere: figure 2 has the number of points that each strategy needs. Lower panels: time divided by that of the "
    "fast kernel. ";

void make_cpu_time(const pool *p, figure *f)
{
    add_columns(p, f, ONE_THREAD, PEERS_ONE_THREAD);
    figure_caption(f, "%s", description);
    figures_say_cpu(p, f, ONE_THREAD);
    figure_caption(f,
                   "%s \"Comix, hel. summed\" samples colors and sums helicities, so that only CO_MC with summed "
                   "helicities compares with it. ",
                   peers_source(PEERS_ONE_THREAD));
}

void make_gpu_time(const pool *p, figure *f)
{
    add_columns(p, f, GPU, PEERS_GPU);
    figure_caption(f, "%s", description);
    figures_say_gpu(p, f);
    if (!p->gpu)
        figure_caption(f, "The paper's full sum has a kink at n_out = 3, where it takes longer than as many single "
                          "polarizations; the reason is not known. ");
    figure_caption(f, "%s ", peers_source(PEERS_GPU));
}

/* ---- figure 8: chip against chip ---------------------------------------------------------------------------------- */

/* Dashes are taken by the places here, so the paper's kernel gets another color than the fast one. */
static int color_of(int k) { return k == FULL_PAPER ? 5 : study_curves[k].color; }

/* The curves of a place, with names and looks of their own. */
static void add_place(const pool *p, figure *f, int panel, int place, const int *list, int count)
{
    for (int w = 0; w < count; w++) {
        const figure_style *s = &study_curves[list[w]];
        char name[48], title[64];
        snprintf(name, sizeof name, "%s-%s", place == GPU ? "gpu" : "cpu", s->name);
        snprintf(title, sizeof title, "%s: %s", place == GPU ? "GPU" : "CPU", s->title);
        const figure_style style = {
            .name = name, .title = title, .color = color_of(list[w]), .dash = place == GPU ? 2 : 1, .point = s->point};
        const int curve = figure_series(f, panel, &style);
        for (int n_out = BG_MIN_OUT; n_out <= MOST_OUT; n_out++) {
            const pool_timing *t = &p->timing[place][list[w]][n_out];
            if (t->stage[STAGE_ME].repetitions)
                figure_point(f, curve, n_out, t->stage[STAGE_ME].ns, t->stage[STAGE_ME].spread,
                             figure_kind_of(t->source));
            else
                figure_left_out(f, title, n_out, t->why);
        }
    }
}

static void add_speedups(const pool *p, figure *f, int panel, int cpu, const int *list, int count)
{
    for (int w = 0; w < count; w++) {
        const figure_style *s = &study_curves[list[w]];
        char title[64];
        snprintf(title, sizeof title, "CPU: %s", s->title); /* the legend has it */
        const figure_style style = {
            .name = s->name, .title = title, .color = color_of(list[w]), .dash = 1, .point = s->point};
        const int curve = figure_series(f, panel, &style);
        for (int n_out = BG_MIN_OUT; n_out <= MOST_OUT; n_out++) {
            const pool_timing *c = &p->timing[cpu][list[w]][n_out], *g = &p->timing[GPU][list[w]][n_out];
            if (c->stage[STAGE_ME].repetitions && g->stage[STAGE_ME].repetitions)
                figure_point(f, curve, n_out, c->stage[STAGE_ME].ns / g->stage[STAGE_ME].ns,
                             c->stage[STAGE_ME].spread + g->stage[STAGE_ME].spread, figure_kind_of(g->source));
        }
    }
}

/* The CPU is the one beside the GPU: of the record, or, where the GPU is here, all cores of this machine. */
void make_cpu_gpu(const pool *p, figure *f)
{
    const int cpu = p->gpu ? ALL_CORES : GPU_HOST, threads = p->gpu ? p->cores : pool_timing_threads(p, GPU_HOST);
    const int main = figure_panel(f, 0, 2., "summed", "time [ns]");
    const int ratio = figure_panel(f, 0, 1.2, "summed-ratio", "CPU / GPU");
    const int main2 = figure_panel(f, 1, 2., "sampled", "time [ns]");
    const int ratio2 = figure_panel(f, 1, 1.2, "sampled-ratio", "CPU / GPU");
    char text[256], gpu[80];
    pool_gpu_name(p, gpu, sizeof gpu);
    snprintf(f->panel[main].title, sizeof f->panel[main].title, "all summed, %d threads and %.40s", threads, gpu);
    snprintf(f->panel[main2].title, sizeof f->panel[main2].title, "one sample, %d threads and %.40s", threads, gpu);
    add_place(p, f, main, cpu, chip_summed, COUNT(chip_summed));
    add_place(p, f, main, GPU, chip_summed, COUNT(chip_summed));
    peers_add(f, main, PEERS_GPU, PEERS_FULL_SUM);
    add_speedups(p, f, ratio, cpu, chip_summed, COUNT(chip_summed));
    add_place(p, f, main2, cpu, chip_sampled, COUNT(chip_sampled));
    add_place(p, f, main2, GPU, chip_sampled, COUNT(chip_sampled));
    add_speedups(p, f, ratio2, cpu, chip_sampled, COUNT(chip_sampled));
    figure_caption(f,
                   "Time per |M|^2 with the phase-space point given: all cores of the CPU beside the GPU (solid) "
                   "against the GPU (dashed). Left: all helicities and colors summed. Right: one Monte-Carlo sample. "
                   "Lower panels: the CPU's time over the GPU's, strategy by strategy. ");
    pool_describe(p, cpu, threads, text, sizeof text);
    if (p->gpu)
        figure_caption(f, "CPU: %s, measured in this run. ", text);
    else
        figure_caption(f, "CPU: %d threads of %s, recorded. ", threads, text);
    figures_say_gpu(p, f);
    figure_caption(f, "Gray: MadGraph CUDACPP on one H200 (full sum); see bench/peers. ");
}

/* ---- figure 12: whole events --------------------------------------------------------------------------------------- */

static void add_events(const pool *p, figure *f, int place, int main, int ratio)
{
    for (int w = 0; w < COUNT(in_events); w++) {
        const int k = in_events[w], curve = figure_strategy(f, main, k), over = figure_strategy(f, ratio, k);
        for (int n_out = BG_MIN_OUT; n_out <= MOST_OUT; n_out++) {
            const pool_timing *t = &p->timing[place][k][n_out];
            const measurement *m = &t->stage[STAGE_EVENT];
            if (!m->repetitions) continue;
            figure_point(f, curve, n_out, m->ns, m->spread, figure_kind_of(t->source));
            if (t->beside > 0.) figure_point(f, over, n_out, m->ns / t->beside, m->spread, figure_kind_of(t->source));
        }
    }
}

void make_events(const pool *p, figure *f)
{
    static const char *const names[2][2] = {{"cpu", "cpu-ratio"}, {"gpu", "gpu-ratio"}};
    for (int column = 0; column < 2; column++) {
        const int main = figure_panel(f, column, 2., names[column][0], "time per event [ns]");
        const int ratio = figure_panel(f, column, 1.2, names[column][1], "event / |M|^2");
        figures_place(p, column ? GPU : ONE_THREAD, f->panel[main].title, sizeof f->panel[main].title);
        add_events(p, f, column ? GPU : ONE_THREAD, main, ratio);
    }
    figure_caption(f, "Time of a whole event: random numbers, phase space, cuts, |M|^2 and sums, per point inside the "
                      "cuts, the trials that fail included. This is what the paper times in its figures 6 to 8. Lower "
                      "panels: over |M|^2 alone, timed in the same run; where it is below 1 the two ran in batches of "
                      "different size. ");
    figures_say_cpu(p, f, ONE_THREAD);
    figures_say_gpu(p, f);
    if (p->recorded)
        figure_caption(f, "The CPU's events are those of bench at commit cadccfc, an earlier version; there are none "
                          "of co-mc with sampled helicities and of coherent colors, and none beyond n_out = 6. ");
    if (!p->gpu)
        figure_caption(f, "Events recorded at n_out = 8 are left out: the grid of that version did not adapt there. ");
}
