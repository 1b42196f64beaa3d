#include "study/figures.h"

const study_figure study_figures[STUDY_FIGURES] = {
    {"tess-lc", "Tess against LC, with and without phase space", "1", NEED_ONE_THREAD | NEED_GPU, make_tess_lc},
    {"overhead", "Points to 1 %: the overhead of sampling", "2", NEED_PERCENT | NEED_PERCENT_GPU, make_overhead},
    {"color-sum", "Amplitudes against the color sum", "3", NEED_STAGES | NEED_GPU, make_color_sum},
    {"gpu-memory", "Memory on the GPU", "4", NEED_GPU, make_gpu_memory},
    {"cpu-memory", "Memory on the CPU, one thread", "5", NEED_MEMORY, make_cpu_memory},
    {"cpu-time", "Time per |M|^2, one CPU thread", "6", NEED_ONE_THREAD, make_cpu_time},
    {"gpu-time", "Time per |M|^2, GPU", "7", NEED_GPU, make_gpu_time},
    {"cpu-gpu", "All cores of a CPU against a GPU", "8", NEED_GPU, make_cpu_gpu},
    {"hybrid", "Points from the CPU, matrix elements from the GPU", "9", NEED_ONE_THREAD | NEED_POINTS | NEED_HYBRID,
     make_hybrid},
    {"one-percent", "Time to 1 % on the cross section", NULL, NEED_PERCENT | NEED_PERCENT_GPU, make_one_percent},
    {"accuracy", "Digits against quadruple precision", NULL, NEED_DIGITS, make_accuracy},
    {"events", "Time of whole events", "6 and 7", NEED_ONE_THREAD | NEED_GPU, make_events},
};

figure_kind figure_kind_of(pool_source source) { return source == POOL_RECORDED ? FIGURE_RECORDED : FIGURE_MEASURED; }

int figures_add_times(const pool *p, figure *f, int panel, int place, const int *list, int count)
{
    int first = -1;
    for (int w = 0; w < count; w++) {
        const int k = list[w], curve = figure_strategy(f, panel, k);
        if (first < 0) first = curve;
        for (int n_out = BG_MIN_OUT; n_out <= MOST_OUT; n_out++) {
            const pool_timing *t = &p->timing[place][k][n_out];
            if (t->stage[STAGE_ME].repetitions)
                figure_point(f, curve, n_out, t->stage[STAGE_ME].ns, t->stage[STAGE_ME].spread,
                             figure_kind_of(t->source));
            else
                figure_left_out(f, study_curves[k].title, n_out, t->why);
        }
    }
    return first;
}

void figures_place(const pool *p, int place, char *text, size_t size)
{
    char all[256];
    if (place == GPU)
        pool_gpu_name(p, all, sizeof all);
    else
        pool_describe(p, place, place == ALL_CORES ? pool_percent_threads(p) : 0, all, sizeof all);
    snprintf(text, size, "%.70s", all);
}

void figures_say_cpu(const pool *p, figure *f, int place)
{
    char text[256];
    if (!p->cpu && !p->recorded && place != ALL_CORES) {
        figure_caption(f, "The CPU was not measured (--backend cuda). ");
        return;
    }
    pool_describe(p, place, 0, text, sizeof text);
    if (p->recorded)
        figure_caption(f, "CPU: %s, recorded results (%s). ", text, p->recorded_cpu_at);
    else
        figure_caption(f, "CPU: %s, measured in this run. ", text);
}

void figures_say_gpu(const pool *p, figure *f)
{
    if (p->gpu)
        figure_caption(f, "GPU: %s, measured in this run. ", p->gpu_name);
    else
        figure_caption(f, "GPU: recorded results (%s). ", p->recorded_on);
}
