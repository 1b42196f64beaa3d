#include "study/figures.h"

const study_figure study_figures[STUDY_FIGURES] = {
    {"tess-lc", "Tess against LC, with and without phase space", NEED_ONE_THREAD | NEED_GPU, make_tess_lc},
    {"overhead", "Points to 1 %: the overhead of sampling", NEED_PERCENT | NEED_PERCENT_GPU, make_overhead},
    {"color-sum", "Amplitudes against the color sum", NEED_STAGES | NEED_GPU, make_color_sum},
    {"gpu-memory", "Memory on the GPU", NEED_GPU, make_gpu_memory},
    {"cpu-memory", "Memory on the CPU, one thread", NEED_MEMORY, make_cpu_memory},
    {"cpu-time", "Time of one |M|^2, one CPU thread", NEED_ONE_THREAD, make_cpu_time},
    {"gpu-time", "Time of one |M|^2, GPU", NEED_GPU, make_gpu_time},
    {"cpu-gpu", "All cores of a CPU against a GPU", NEED_ALL_CORES | NEED_GPU, make_cpu_gpu},
    {"hybrid", "Points from the CPU, matrix elements from the GPU", NEED_ONE_THREAD | NEED_POINTS | NEED_HYBRID,
     make_hybrid},
    {"one-percent", "Time to 1 % on the cross section", NEED_PERCENT | NEED_PERCENT_GPU, make_one_percent},
    {"accuracy", "Digits against quadruple precision", NEED_DIGITS, make_accuracy},
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
                figure_left_out(f, study_curves[k].name, n_out, t->why);
        }
    }
    return first;
}

void figures_say_cpu(const pool *p, figure *f, int place)
{
    char text[256];
    if (!p->cpu && place != ALL_CORES) {
        figure_caption(f, "The CPU was not measured (--backend cuda). ");
        return;
    }
    pool_describe(p, place, text, sizeof text);
    figure_caption(f, "CPU: %s, measured in this run. ", text);
}

void figures_say_gpu(const pool *p, figure *f)
{
    if (p->gpu)
        figure_caption(f, "GPU: %s, measured in this run. ", p->gpu_name);
    else
        figure_caption(f, "No GPU was used in this run: the GPU curves are recorded results (%s). ", p->recorded_on);
}
