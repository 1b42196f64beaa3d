#include "console.h"
#include "measure/parts.h"

#include <stdio.h>
#include <string.h>

const char *const measure_stage_words[] = {"me",          "amplitudes", "color-sum", "event",
                                           "phase-space", "cuts",       "all",       NULL};

enum { SMALLEST_ROUND = 64 }; /* points of the integrator's rounds, at least */
enum { LANES = 8 };           /* a single point takes as long as a register of them */

bg_status measure_create_for(bg_evaluator **e, const bg_process *process, const bg_options *options, int *absent,
                             bg_error *error)
{
    const bg_status status =
        bg_evaluator_create_for(e, process, options, BG_FOR_CROSS_SECTION, cli_wants_to_stop, NULL, error);
    if (absent) *absent = status == BG_OK && bg_evaluator_options(*e)->kernel != options->kernel;
    return status;
}

bg_status measure_create(bg_evaluator **e, int n_out, const bg_options *options, int *absent, bg_error *error)
{
    bg_process *process = NULL;
    bg_status status = bg_process_create_gluons(&process, n_out, error);
    if (absent) *absent = 0;
    if (status == BG_OK) status = measure_create_for(e, process, options, absent, error);
    bg_process_destroy(process);
    return status;
}

double measure_foresee(const double one[BG_MAX_OUT_DRESSED + 1], int n_out)
{
    const double last = n_out > 0 ? one[n_out - 1] : 0., before = n_out > 1 ? one[n_out - 2] : 0.;
    return before > 0. && last > before ? last * last / before : last;
}

static void miss(measured *m, int stage, bg_status status, const char *why)
{
    m->missing[stage].status = status;
    snprintf(m->missing[stage].why, sizeof m->missing[stage].why, "%s", why);
}

/* Helicities that are chosen point by point by what an integration has learned. */
static int learns_helicities(const bg_options *o)
{
    return o->helicity == BG_HELICITY_SAMPLED && o->helicity_sampling >= BG_SAMPLE_ADAPTIVE;
}

void measure_entry(bg_evaluator *e, measure_setting *s, unsigned wanted, double seconds, double limit, double one,
                   measured *m)
{
    const int learns = learns_helicities(bg_evaluator_options(e));
    double expected = one / LANES; /* of an event */
    bg_error error;
    bg_status status = BG_OK;
    memset(m, 0, sizeof *m);
    if (wanted & 1u << STAGE_ME) {
        if (learns)
            miss(m, STAGE_ME, BG_ERROR_UNSUPPORTED, "these helicities are learned while integrating");
        else if ((status = measure_me(e, s, seconds, limit, &m->stage[STAGE_ME], &error)) != BG_OK)
            miss(m, STAGE_ME, status, error.message);
        else
            expected = 1e-9 * m->stage[STAGE_ME].ns;
    }
    if (wanted & (1u << STAGE_AMPLITUDES | 1u << STAGE_COLOR_SUM) && !learns && !cli_interrupted()) {
        status = measure_stages(e, s, seconds, limit, &m->stage[STAGE_AMPLITUDES], &m->stage[STAGE_COLOR_SUM], &error);
        if (status != BG_OK) miss(m, STAGE_AMPLITUDES, status, error.message);
    }
    if (wanted & 1u << STAGE_EVENT && !cli_interrupted()) {
        if (SMALLEST_ROUND * expected > limit)
            m->missing[STAGE_EVENT].too_long = SMALLEST_ROUND * expected;
        else if ((status = measure_event(e, s, seconds, limit, &m->stage[STAGE_EVENT], &error)) != BG_OK)
            miss(m, STAGE_EVENT, status, error.message);
    }
}
