#include "gpu_check.h"

const mode modes[] = {
    {"co-sum angle", "co-sum-paper", "", 8, 8, 1},
    {"co-sum angle tensor", "co-sum-paper", "vertex=tensor", 8, 7, 1},
    {"co-sum phase, 3 draws", "co-sum-paper", "helicity-sampling=phase samples=3", 5, 0, 3},
    {"co-sum linear", "co-sum-paper", "helicity-sampling=linear", 5, 0, 1},
    {"co-sum circular", "co-sum-paper", "helicity-sampling=circular", 7, 6, 6},
    {"co-sum circular tensor", "co-sum-paper", "helicity-sampling=circular vertex=tensor", 6, 0, 6},
    {"co-sum fixed", "full-paper", "fixed", 6, 0, 6},
    {"co-sum summed", "full-paper", "", 5, 5, 64},
    {"co-sum summed tensor", "full-paper", "vertex=tensor", 4, 0, 64},
    {"co-sum summed trace", "full-paper", "decomposition=trace", 4, 0, 320},
    {"co-sum circular trace", "co-sum-paper", "helicity-sampling=circular decomposition=trace", 4, 0, 30},
    {"lc angle", "lc", "orderings=all", 6, 6, 30},
    {"lc angle tensor", "lc", "orderings=all vertex=tensor", 6, 0, 30},
    {"lc circular", "lc", "orderings=all helicity-sampling=circular", 5, 0, 180},
    {"lc summed", "lc-all", "", 4, 4, 320},
    {"lc one ordering, 4 draws", "lc", "samples=4", 8, 0, .2},
    {"lc one ordering", "lc", "", 0, 8, .1},
    {"tess angle", "tess", "orderings=all", 6, 6, 60},
    {"tess circular", "tess", "orderings=all helicity-sampling=circular", 5, 0, 400},
    {"tess summed", "tess", "helicity=summed orderings=all", 4, 0, 640},
    {"tess one ordering", "tess", "", 8, 8, .3},
    {"co-mc angle", "co-mc-sampled", "", 8, 8, .5},
    {"co-mc circular tensor", "co-mc-sampled", "helicity-sampling=circular vertex=tensor", 6, 0, 3},
    {"co-mc summed, 2 draws", "co-mc", "samples=2", 5, 4, 60},
    {"cd-mc angle", "cd-mc", "", 9, 7, 1},
    {"cd-mc circular", "cd-mc", "helicity-sampling=circular", 8, 0, 4},
    {"cd-mc discrete", "cd-mc", "color-sampling=discrete", 8, 0, 1},
    {"cd-mc summed", "cd-mc", "helicity=summed", 4, 0, 64},
    {"fast angle", "co-sum", "", 10, 10, 1},
    {"fast phase, 3 draws", "co-sum", "helicity-sampling=phase samples=3", 7, 0, 3},
    {"fast circular", "co-sum", "helicity-sampling=circular", 10, 10, 2},
    {"fast fixed", "full", "fixed", 6, 0, 2},
    {"fast summed", "full", "", 7, 7, 16},
    {"fast coherent angle", "coherent", "", 12, 12, 1},
    {"fast coherent circular", "coherent", "helicity-sampling=circular", 9, 12, 2},
    {"fast coherent angle, 3 draws", "coherent", "samples=3", 6, 0, 3},
    {"fast coherent summed", "coherent-summed", "", 5, 5, 64},
    {"few coherent angle", "coherent", "color-group=8", 12, 12, 1},
    {"few coherent circular", "coherent", "helicity-sampling=circular color-group=8", 11, 12, 2},
    {"few coherent alone, 3 draws", "coherent", "samples=3 color-group=1", 6, 6, 3},
    {"few coherent summed", "coherent-summed", "color-group=4", 5, 5, 64},
};
const int mode_count = sizeof modes / sizeof *modes;

int is_wanted(const char *name, const char *which) { return !which || !strncmp(name, which, strlen(which)); }

/* One change: "name=value", or "fixed". */
static bg_status change(bg_options *o, const char *word, int n_out, bg_error *error)
{
    char name[48], helicities[BG_HELICITIES_LENGTH];
    const char *equals = strchr(word, '=');
    if (!equals) {
        snprintf(helicities, (size_t)n_out + 3, "+-+-+-+-+-+-+-");
        return bg_options_set(o, "helicity", helicities, error);
    }
    snprintf(name, sizeof name, "%.*s", (int)(equals - word), word);
    return bg_options_set(o, name, equals + 1, error);
}

bg_status options_of(const mode *m, int n_out, bg_options *o, bg_error *error)
{
    char words[96];
    snprintf(words, sizeof words, "%s", m->changes);
    bg_options_init(o);
    o->seed = 20261115;
    bg_status status = bg_options_set_strategy(o, m->strategy, error);
    for (char *word = strtok(words, " "); word && status == BG_OK; word = strtok(NULL, " "))
        status = change(o, word, n_out, error);
    return status;
}

bg_status create(bg_evaluator **evaluator, const mode *m, int n_out, const char *backend, bg_error *error)
{
    bg_options o;
    bg_process *process = NULL;
    bg_status status = options_of(m, n_out, &o, error);
    if (status == BG_OK) status = bg_options_set(&o, "backend", backend, error);
    if (status == BG_OK) status = bg_process_create_gluons(&process, n_out, error);
    if (status == BG_OK) status = bg_evaluator_create(evaluator, process, &o, error);
    bg_process_destroy(process);
    return status;
}
