#include "events/sample.h"

#include "support.h"

static void fill_event(bg_event *e, bg_flow *flow, const int *pdg, double me2, int strategy, const double *momenta)
{
    int color[2 * BG_EVENT_LEGS];
    bg_error error;
    double ht = 0.;
    if (bg_flow_draw(flow, NULL, momenta, NULL, 1, e->number, color, &error) != BG_OK) fail_msg("%s", error.message);
    for (int k = 0; k < e->legs; k++) {
        const double *p = momenta + 4 * k;
        memcpy(e->momentum[k], p, sizeof e->momentum[k]);
        memcpy(e->color[k], color + 2 * k, sizeof e->color[k]);
        e->pdg[k] = pdg[k];
        e->helicity[k] = BG_HELICITY_UNKNOWN;
        ht += hypot(p[1], p[2]);
    }
    e->scale = e->muf = e->mur = 0.5 * ht;
    e->alpha_s = 0.118;
    e->weight = strategy == EVENTS_UNWEIGHTED ? 1. : me2;
    e->trials = 1.;
    e->x[0] = e->x[1] = momenta[0] / 6800.;
}

void sample_create(sample *s, const char *text, size_t count, int strategy)
{
    static const char *const names[2] = {"muR=2", "muF=0.5 muR=1"};
    bg_process *process;
    bg_process_class c;
    bg_flow *flow;
    bg_evaluator *evaluator;
    bg_options options = default_options();
    bg_error error;
    random_source r = fixed_source(5);
    double sum = 0.;
    bg_process_class_init(&c);
    options.threads = 1;
    if (bg_process_parse(&process, text, 5, BG_ALL_LINES, &error) != BG_OK ||
        bg_process_class_at(process, 0, &c, &error) != BG_OK || bg_flow_create(&flow, process, 0, &error) != BG_OK ||
        bg_evaluator_create(&evaluator, process, &options, &error) != BG_OK)
        fail_msg("%s: %s", text, error.message);
    s->count = count;
    s->event = calloc(count, sizeof *s->event);
    s->variation = calloc(2 * count, sizeof *s->variation);
    assert_true(s->event && s->variation);
    for (size_t k = 0; k < count; k++) {
        bg_event *e = &s->event[k];
        double momenta[4 * BG_EVENT_LEGS], me2;
        e->number = 1000 + 3 * k;
        e->legs = c.n_out + 2;
        random_cut_point(&r, c.n_out, 1000., momenta);
        assert_int_equal(bg_evaluator_evaluate(evaluator, 0, 1, momenta, &me2, NULL, &error), BG_OK);
        fill_event(e, flow, c.pdg, me2, strategy, momenta);
        s->variation[2 * k] = 1.5 * e->weight;
        s->variation[2 * k + 1] = 0.7 * e->weight;
        e->variation = s->variation + 2 * k;
        sum += e->weight;
    }
    s->process[0] = (events_process){c.n_out, strategy == EVENTS_UNWEIGHTED ? 123.456 : sum / (double)count, 0.5, 1.};
    s->run = (events_run){.beam = {2212, 2212},
                          .energy = {6800., 6800.},
                          .pdf = {316200, 316200},
                          .strategy = strategy,
                          .version = bg_version(),
                          .description = "a <sample> & no more",
                          .processes = 1,
                          .process = s->process,
                          .variations = 2,
                          .variation = names};
    bg_evaluator_destroy(evaluator);
    bg_flow_destroy(flow);
    bg_process_destroy(process);
}

void sample_destroy(sample *s)
{
    free(s->event);
    free(s->variation);
}
