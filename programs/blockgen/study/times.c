/* Figures 6, 7 and 8: time of one |M|^2. */
#include "study/figures.h"
#include "study/peers.h"

#include <string.h>

/* The first of each list is what the ratio panel divides by. */
static const int summed[] = {FULL, FULL_PAPER, LC_ALL};
static const int sampled[] = {CO_SUM, CO_SUM_PAPER, TESS, LC, CO_MC_ONE, CO_MC, CD_MC, COHERENT};
static const int both[] = {FULL, CO_SUM, CO_MC_ONE, CD_MC, COHERENT};
#define COUNT(list) ((int)(sizeof(list) / sizeof *(list)))

static void add_columns(const pool *p, figure *f, int place, int peers)
{
    const int main = figure_panel(f, 0, 2., "summed", "time [ns]");
    const int ratio = figure_panel(f, 0, 1.2, "summed-ratio", "over full sum, fast");
    const int main2 = figure_panel(f, 1, 2., "sampled", "time [ns]");
    const int ratio2 = figure_panel(f, 1, 1.2, "sampled-ratio", "over CO_{sum}, fast");
    snprintf(f->panel[main].title, sizeof f->panel[main].title, "helicities and colors summed");
    snprintf(f->panel[main2].title, sizeof f->panel[main2].title, "one draw");
    const int reference = figures_add_times(p, f, main, place, summed, COUNT(summed));
    peers_add(f, main, peers, PEERS_FULL_SUM, 1);
    figure_ratio(f, ratio, main, reference);
    const int reference2 = figures_add_times(p, f, main2, place, sampled, COUNT(sampled));
    peers_add(f, main2, peers, PEERS_SAMPLED, 1);
    figure_ratio(f, ratio2, main2, reference2);
}

static const char description[] =
    "Time of one |M|^2 of a point that is there already (14 TeV, inside the paper's cuts; medians). Left: all "
    "helicities and colors "
    "summed (LC: all orderings, leading color). Right: one draw of what is sampled: helicities (CO_sum), one ordering "
    "(Tess, "
    "LC), colors and helicities (CO_MC, CD_MC, coherent), colors only (CO_MC with helicities summed). A draw is not "
    "worth as "
    "much everywhere: figure overhead has the points that each needs. Lower panels: over the fast kernel. ";

void make_cpu_time(const pool *p, figure *f)
{
    add_columns(p, f, ONE_THREAD, PEERS_ONE_THREAD);
    figure_caption(f, "%s", description);
    figures_say_cpu(p, f, ONE_THREAD);
    figure_caption(f, "%s ", peers_source(PEERS_ONE_THREAD));
}

void make_gpu_time(const pool *p, figure *f)
{
    add_columns(p, f, GPU, PEERS_GPU);
    figure_caption(f, "%s", description);
    figures_say_gpu(p, f);
    figure_caption(f, "%s ", peers_source(PEERS_GPU));
}

/* ---- chip against chip --------------------------------------------------------------------------------------- */

/* The curves of a place, with names and looks of their own. */
static void add_place(const pool *p, figure *f, int panel, int place)
{
    for (int w = 0; w < COUNT(both); w++) {
        const figure_style *s = &study_curves[both[w]];
        char name[48], title[64];
        snprintf(name, sizeof name, "%s-%s", place == GPU ? "gpu" : "cpu", s->name);
        snprintf(title, sizeof title, "%s: %s", place == GPU ? "GPU" : "CPU", s->title);
        const figure_style style = {
            .name = name, .title = title, .color = s->color, .dash = place == GPU ? 2 : 1, .point = s->point};
        const int curve = figure_series(f, panel, &style);
        for (int n_out = BG_MIN_OUT; n_out <= MOST_OUT; n_out++) {
            const pool_timing *t = &p->timing[place][both[w]][n_out];
            if (t->stage[STAGE_ME].repetitions)
                figure_point(f, curve, n_out, t->stage[STAGE_ME].ns, t->stage[STAGE_ME].spread,
                             figure_kind_of(t->source));
            else
                figure_left_out(f, name, n_out, t->why);
        }
    }
}

static void add_speedups(const pool *p, figure *f, int panel, int cpu)
{
    for (int w = 0; w < COUNT(both); w++) {
        const figure_style *s = &study_curves[both[w]];
        char title[64];
        snprintf(title, sizeof title, "CPU: %s", s->title); /* the legend has it */
        const figure_style style = {.name = s->name, .title = title, .color = s->color, .dash = 1, .point = s->point};
        const int curve = figure_series(f, panel, &style);
        for (int n_out = BG_MIN_OUT; n_out <= MOST_OUT; n_out++) {
            const pool_timing *c = &p->timing[cpu][both[w]][n_out], *g = &p->timing[GPU][both[w]][n_out];
            if (c->stage[STAGE_ME].repetitions && g->stage[STAGE_ME].repetitions)
                figure_point(f, curve, n_out, c->stage[STAGE_ME].ns / g->stage[STAGE_ME].ns,
                             c->stage[STAGE_ME].spread + g->stage[STAGE_ME].spread, figure_kind_of(g->source));
        }
    }
}

/* Threads behind the recorded times of the CPU beside the GPU; 0: there are none. */
static int host_threads(const pool *p)
{
    for (int n_out = BG_MIN_OUT; n_out <= MOST_OUT; n_out++)
        if (p->timing[GPU_HOST][FULL][n_out].stage[STAGE_ME].repetitions)
            return p->timing[GPU_HOST][FULL][n_out].threads;
    return 0;
}

void make_cpu_gpu(const pool *p, figure *f)
{
    static const char *const names[2][2] = {{"here", "here-ratio"}, {"host", "host-ratio"}};
    const int host = host_threads(p);
    char text[256];
    for (int column = 0; column < (host ? 2 : 1); column++) {
        const int cpu = column ? GPU_HOST : ALL_CORES, cores = column ? host : p->cores;
        const int main = figure_panel(f, column, 2., names[column][0], "time [ns]");
        const int ratio = figure_panel(f, column, 1.2, names[column][1], "CPU / GPU");
        snprintf(f->panel[main].title, sizeof f->panel[main].title, "%s, %d threads",
                 column ? "CPU beside the GPU" : "this CPU", cores);
        add_place(p, f, main, cpu);
        add_place(p, f, main, GPU);
        peers_add(f, main, PEERS_ONE_THREAD, PEERS_FULL_SUM, cores);
        peers_add(f, main, PEERS_GPU, PEERS_FULL_SUM, 1);
        add_speedups(p, f, ratio, cpu);
    }
    figure_caption(f, "Time of one |M|^2, all cores of a CPU (solid) against one GPU (dashed), fast kernels where "
                      "there are any. Lower "
                      "panels: how many times faster the GPU is, strategy by strategy. ");
    pool_describe(p, ALL_CORES, text, sizeof text);
    figure_caption(f, "This CPU: %s, measured in this run. ", text);
    if (host) figure_caption(f, "CPU beside the GPU: %d threads of %s, recorded. ", host, p->recorded_host);
    figures_say_gpu(p, f);
    figure_caption(f, "%s Their CPU times are those of one core over the number of threads, as the paper did it. %s ",
                   peers_source(PEERS_ONE_THREAD), peers_source(PEERS_GPU));
}
