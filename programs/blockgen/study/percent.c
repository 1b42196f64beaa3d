/* Figures 2 and 10: points and time that 1 % on the cross section takes. */
#include "study/figures.h"

#include <math.h>
#include <string.h>

static const int sampled[] = {FULL,        CO_SUM, CO_SUM_PAIRS, CO_MC,         CO_MC_ONE,
                              CO_MC_PAIRS, CD_MC,  COHERENT,     COHERENT_PAIRS};
static const int all[] = {FULL_PAPER, FULL,        CO_SUM, CO_SUM_PAIRS, CO_MC,
                          CO_MC_ONE,  CO_MC_PAIRS, CD_MC,  COHERENT,     COHERENT_PAIRS};
#define COUNT(list) ((int)(sizeof(list) / sizeof *(list)))

static figure_kind kind_of(const pool_percent *q)
{
    return q->extrapolated ? FIGURE_EXTRAPOLATED : figure_kind_of(q->source);
}

/* ---- points ------------------------------------------------------------------------------------------------- */

/* The number of points does not depend on the hardware: the CPU's where there are any, otherwise the GPU's; better one
 * that reached its goal than one that was extrapolated. */
static const pool_percent *points_of(const pool *p, int k, int n_out)
{
    const pool_percent *cpu = &p->percent[ALL_CORES][k][n_out], *gpu = &p->percent[GPU][k][n_out];
    const int none = !cpu->source || !(cpu->points > 0.);
    if (none || (cpu->extrapolated && gpu->source && !gpu->extrapolated)) return gpu->source ? gpu : cpu;
    return cpu;
}

void make_overhead(const pool *p, figure *f)
{
    const int main = figure_panel(f, 0, 1.2, "points", "points for 1 %");
    const int ratio = figure_panel(f, 0, 1.2, "overhead-ratio", "ratio to the full sum");
    int reference = -1, recorded = 0;
    for (int w = 0; w < COUNT(sampled); w++) {
        const int k = sampled[w], curve = figure_strategy(f, main, k);
        if (k == FULL) reference = curve;
        for (int n_out = BG_MIN_OUT; n_out <= MOST_OUT; n_out++) {
            const pool_percent *q = points_of(p, k, n_out);
            if (q->source)
                figure_point(f, curve, n_out, q->points, q->spread, kind_of(q));
            else
                figure_left_out(f, study_curves[k].title, n_out, q->why);
            recorded |= q->source && q == &p->percent[GPU][k][n_out];
        }
    }
    figure_ratio(f, ratio, main, reference);
    figure_caption(
        f, "Trial points that an integration of the cross section takes for 1 %% (14 TeV, pT > 20 GeV, |eta| < 2.5, "
           "DeltaR > 0.4; adaptive phase space; points that only adapt not counted), and their ratio to the "
           "explicit sum over colors and helicities. Helicities sampled: one real polarization at a random angle; "
           "by invariants: pairs of equal helicity by two-particle invariants, classes learned. CO_MC: color flows; "
           "CD_MC: continuous colors; coherent: colors shared by the events of a group. Points are scaled to exactly "
           "1 %% with the square of the error. Error bars: spread over seeds, where several were run. Open symbols: "
           "stopped by the time limit, and extrapolated. The paper takes Comix's phase-space generator, this study its "
           "own. ");
    if (recorded)
        figure_caption(f,
                       "Where the CPU has no value it is one of the GPU (%s); the number of points does not depend on "
                       "the hardware. ",
                       p->recorded_on);
}

/* ---- time --------------------------------------------------------------------------------------------------- */

static double seconds_of(const pool *p, int place, int k, int n_out) { return p->percent[place][k][n_out].seconds; }

/* Whether b is faster than a by more than clocks and other programs explain: a tenth, and a twentieth of a second. */
static int beats(double b, double a) { return b < 0.9 * a && a - b > 0.05; }

/* The fastest strategy, where it beats the incumbent (-1: there is none). */
static int fastest(const pool *p, int place, int n_out, int incumbent)
{
    const int kept = incumbent >= 0 && p->percent[place][incumbent][n_out].source;
    int best = -1;
    for (int w = 0; w < COUNT(all); w++)
        if (p->percent[place][all[w]][n_out].source &&
            (best < 0 || seconds_of(p, place, all[w], n_out) < seconds_of(p, place, best, n_out)))
            best = all[w];
    if (kept && !beats(seconds_of(p, place, best, n_out), seconds_of(p, place, incumbent, n_out))) return incumbent;
    return best;
}

/* The fastest strategy of every n_out, by the names of the legend: a change for less than clocks and other programs explain is
 * none. */
static void say_fastest(const pool *p, figure *f, int place, const char *where)
{
    int last = -1, any = 0;
    for (int n_out = BG_MIN_OUT; n_out <= MOST_OUT; n_out++) {
        const int best = fastest(p, place, n_out, last < 0 ? FULL : last);
        if (best < 0) continue;
        if (!any)
            figure_caption(
                f, "Fastest on the %s, where gains of less than a tenth or less than 0.05 s do not count: ", where);
        if (best != last)
            figure_caption(f, "%sfrom n_out = %d on %s (%.2g s there)", any ? ", " : "", n_out,
                           study_curves[best].title, seconds_of(p, place, best, n_out));
        any = 1;
        last = best;
    }
    if (any) figure_caption(f, ". ");
}

void make_one_percent(const pool *p, figure *f)
{
    static const char *const names[2][2] = {{"cpu", "cpu-ratio"}, {"gpu", "gpu-ratio"}};
    char where[256];
    for (int column = 0; column < 2; column++) {
        const int place = column ? GPU : ALL_CORES;
        const int main = figure_panel(f, column, 2., names[column][0], "time to 1 % [s]");
        const int ratio = figure_panel(f, column, 1.2, names[column][1], "ratio to the full sum");
        int reference = -1;
        figures_place(p, column ? GPU : ALL_CORES, f->panel[main].title, sizeof f->panel[main].title);
        for (int w = 0; w < COUNT(all); w++) {
            const int k = all[w], curve = figure_strategy(f, main, k);
            if (k == FULL) reference = curve;
            for (int n_out = BG_MIN_OUT; n_out <= MOST_OUT; n_out++) {
                const pool_percent *q = &p->percent[place][k][n_out];
                char what[64];
                snprintf(what, sizeof what, "%s, %s", column ? "GPU" : "CPU", study_curves[k].title);
                if (q->source)
                    figure_point(f, curve, n_out, q->seconds, 0., kind_of(q));
                else
                    figure_left_out(f, what, n_out, q->why);
            }
        }
        figure_ratio(f, ratio, main, reference);
    }
    figure_caption(
        f,
        "Wall time of an integration to 1 %% on the cross section, adaptation included, by strategy (median of a few "
        "seeds where it is short). The start of the process and of the GPU are not in it, which on a GPU take longer "
        "than the integral at small n_out. Open symbols: stopped by the time limit of the run, and extrapolated with "
        "the square of the error. Leading color is not shown: it converges to another number. ");
    say_fastest(p, f, ALL_CORES, "CPU");
    say_fastest(p, f, GPU, "GPU");
    pool_describe(p, ALL_CORES, pool_percent_threads(p), where, sizeof where);
    if (p->recorded)
        figure_caption(f, "CPU: %s, recorded results (%s). ", where, p->recorded_cpu_at);
    else if (p->cpu)
        figure_caption(f, "CPU: %s, measured in this run. ", where);
    figures_say_gpu(p, f);
}
