#include "gpu_check.h"

const mode modes[] = {
    {"co-sum angle", BG_ALGORITHM_CO_SUM, SAMPLED, BG_SAMPLE_ANGLE, 0, 0, 0, 0, 1, 8, 8, 1},
    {"co-sum angle tensor", BG_ALGORITHM_CO_SUM, SAMPLED, BG_SAMPLE_ANGLE, 1, 0, 0, 0, 1, 8, 7, 1},
    {"co-sum phase, 3 draws", BG_ALGORITHM_CO_SUM, SAMPLED, BG_SAMPLE_PHASE, 0, 0, 0, 0, 3, 5, 0, 3},
    {"co-sum linear", BG_ALGORITHM_CO_SUM, SAMPLED, BG_SAMPLE_LINEAR, 0, 0, 0, 0, 1, 5, 0, 1},
    {"co-sum circular", BG_ALGORITHM_CO_SUM, SAMPLED, BG_SAMPLE_CIRCULAR, 0, 0, 0, 0, 1, 7, 6, 6},
    {"co-sum circular tensor", BG_ALGORITHM_CO_SUM, SAMPLED, BG_SAMPLE_CIRCULAR, 1, 0, 0, 0, 1, 6, 0, 6},
    {"co-sum fixed", BG_ALGORITHM_CO_SUM, FIXED, 0, 0, 0, 0, 0, 1, 6, 0, 6},
    {"co-sum summed", BG_ALGORITHM_CO_SUM, SUMMED, 0, 0, 0, 0, 0, 1, 5, 5, 64},
    {"co-sum summed tensor", BG_ALGORITHM_CO_SUM, SUMMED, 0, 1, 0, 0, 0, 1, 4, 0, 64},
    {"co-sum summed trace", BG_ALGORITHM_CO_SUM, SUMMED, 0, 0, 1, 0, 0, 1, 4, 0, 320},
    {"co-sum circular trace", BG_ALGORITHM_CO_SUM, SAMPLED, BG_SAMPLE_CIRCULAR, 0, 1, 0, 0, 1, 4, 0, 30},
    {"lc angle", BG_ALGORITHM_LC, SAMPLED, BG_SAMPLE_ANGLE, 0, 0, 0, 0, 1, 6, 6, 30},
    {"lc angle tensor", BG_ALGORITHM_LC, SAMPLED, BG_SAMPLE_ANGLE, 1, 0, 0, 0, 1, 6, 0, 30},
    {"lc circular", BG_ALGORITHM_LC, SAMPLED, BG_SAMPLE_CIRCULAR, 0, 0, 0, 0, 1, 5, 0, 180},
    {"lc summed", BG_ALGORITHM_LC, SUMMED, 0, 0, 0, 0, 0, 1, 4, 4, 320},
    {"lc one ordering, 4 draws", BG_ALGORITHM_LC, SAMPLED, BG_SAMPLE_ANGLE, 0, 0, 1, 0, 4, 8, 0, .2},
    {"lc one ordering", BG_ALGORITHM_LC, SAMPLED, BG_SAMPLE_ANGLE, 0, 0, 1, 0, 1, 0, 8, .1},
    {"tess angle", BG_ALGORITHM_TESS, SAMPLED, BG_SAMPLE_ANGLE, 0, 0, 0, 0, 1, 6, 6, 60},
    {"tess circular", BG_ALGORITHM_TESS, SAMPLED, BG_SAMPLE_CIRCULAR, 0, 0, 0, 0, 1, 5, 0, 400},
    {"tess summed", BG_ALGORITHM_TESS, SUMMED, 0, 0, 0, 0, 0, 1, 4, 0, 640},
    {"tess one ordering", BG_ALGORITHM_TESS, SAMPLED, BG_SAMPLE_ANGLE, 0, 0, 1, 0, 1, 8, 8, .3},
    {"co-mc angle", BG_ALGORITHM_CO_MC, SAMPLED, BG_SAMPLE_ANGLE, 0, 0, 0, 0, 1, 8, 8, .5},
    {"co-mc circular tensor", BG_ALGORITHM_CO_MC, SAMPLED, BG_SAMPLE_CIRCULAR, 1, 0, 0, 0, 1, 6, 0, 3},
    {"co-mc summed, 2 draws", BG_ALGORITHM_CO_MC, SUMMED, 0, 0, 0, 0, 0, 2, 5, 4, 60},
    {"cd-mc angle", BG_ALGORITHM_CD_MC, SAMPLED, BG_SAMPLE_ANGLE, 0, 0, 0, 0, 1, 9, 7, 1},
    {"cd-mc circular", BG_ALGORITHM_CD_MC, SAMPLED, BG_SAMPLE_CIRCULAR, 0, 0, 0, 0, 1, 8, 0, 4},
    {"cd-mc discrete", BG_ALGORITHM_CD_MC, SAMPLED, BG_SAMPLE_ANGLE, 0, 0, 0, 1, 1, 8, 0, 1},
    {"cd-mc summed", BG_ALGORITHM_CD_MC, SUMMED, 0, 0, 0, 0, 0, 1, 4, 0, 64},
    {"fast angle", BG_ALGORITHM_CO_SUM, SAMPLED, BG_SAMPLE_ANGLE, 0, 0, 0, 0, 1, 10, 10, 1},
    {"fast phase, 3 draws", BG_ALGORITHM_CO_SUM, SAMPLED, BG_SAMPLE_PHASE, 0, 0, 0, 0, 3, 7, 0, 3},
    {"fast circular", BG_ALGORITHM_CO_SUM, SAMPLED, BG_SAMPLE_CIRCULAR, 0, 0, 0, 0, 1, 10, 10, 2},
    {"fast fixed", BG_ALGORITHM_CO_SUM, FIXED, 0, 0, 0, 0, 0, 1, 6, 0, 2},
    {"fast summed", BG_ALGORITHM_CO_SUM, SUMMED, 0, 0, 0, 0, 0, 1, 7, 7, 16},
    {"fast coherent angle", BG_ALGORITHM_CD_MC, SAMPLED, BG_SAMPLE_ANGLE, 0, 0, 0, 0, 1, 12, 12, 1},
    {"fast coherent circular", BG_ALGORITHM_CD_MC, SAMPLED, BG_SAMPLE_CIRCULAR, 0, 0, 0, 0, 1, 9, 12, 2},
    {"fast coherent angle, 3 draws", BG_ALGORITHM_CD_MC, SAMPLED, BG_SAMPLE_ANGLE, 0, 0, 0, 0, 3, 6, 0, 3},
    {"fast coherent summed", BG_ALGORITHM_CD_MC, SUMMED, 0, 0, 0, 0, 0, 1, 5, 5, 64},
};
const int mode_count = sizeof modes / sizeof *modes;

int is_fast(const mode *m) { return !strncmp(m->name, "fast", 4); }

int is_wanted(const char *name, const char *which) { return !which || !strncmp(name, which, strlen(which)); }

bg_status create(bg_evaluator **evaluator, const mode *m, int n_out, const char *backend, bg_error *error)
{
    bg_options o;
    bg_process *process = NULL;
    bg_options_init(&o);
    bg_status status = bg_options_set_algorithm(&o, m->algorithm, error);
    o.kernel = is_fast(m) ? BG_KERNEL_FAST : BG_KERNEL_PAPER;
    o.helicity = m->helicity;
    o.helicity_sampling = (bg_helicity_sampling)m->sampling;
    o.vertex = m->tensor ? BG_VERTEX_TENSOR : BG_VERTEX_QUARTIC;
    o.decomposition = m->trace ? BG_DECOMPOSITION_TRACE : BG_DECOMPOSITION_ADJOINT;
    o.orderings = m->one ? BG_ORDERINGS_ONE : BG_ORDERINGS_ALL;
    o.color_sampling = m->discrete ? BG_COLORS_DISCRETE : BG_COLORS_AUTO;
    o.samples = m->samples;
    o.seed = 20261115;
    snprintf(o.backend, sizeof o.backend, "%s", backend);
    if (m->helicity == BG_HELICITY_FIXED) snprintf(o.helicities, (size_t)n_out + 3, "+-+-+-+-+-+-+-");
    if (status == BG_OK) status = bg_process_create_gluons(&process, n_out, error);
    if (status == BG_OK) status = bg_evaluator_create(evaluator, process, &o, error);
    bg_process_destroy(process);
    return status;
}
