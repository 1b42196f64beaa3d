/* Events of the library: how many there are, what they depend on, their weights, and that each of them is physical. */
#define BLOCKGEN_EXPERIMENTAL
#include "support.h"

enum { MOST_CLASSES = 32 };

typedef struct collected {
    bg_event *event;
    size_t count, room;
    int begun;
    size_t stop; /* after so many; 0: never */
    bg_generation_result first;
} collected;

static int begin(const bg_generation_result *result, void *user)
{
    collected *c = user;
    assert_int_equal(c->count, 0);
    c->begun++;
    c->first = *result;
    return 0;
}

static int receive(const bg_event *event, size_t count, void *user)
{
    collected *c = user;
    assert_true(c->count + count <= c->room);
    memcpy(c->event + c->count, event, count * sizeof *event);
    c->count += count;
    return c->stop && c->count >= c->stop;
}

typedef struct question {
    bg_process *process;
    bg_options options;
    bg_integration integration;
    bg_generation generation;
    bg_generation_result result;
    bg_class_result classes[MOST_CLASSES];
    collected got;
} question;

static void ask(question *q, const char *process, int lines, int events)
{
    memset(q, 0, sizeof *q);
    ask_usual(&q->process, &q->options, &q->integration, process, 4, lines);
    assert_in_range(bg_process_classes(q->process), 1, MOST_CLASSES);
    q->integration.class_results = q->classes;
    q->integration.class_room = MOST_CLASSES;
    bg_generation_init(&q->generation);
    bg_generation_result_init(&q->result);
    q->generation.events = (uint64_t)events;
    q->generation.begin = begin;
    q->generation.receive = receive;
    q->generation.user = &q->got;
    q->got.room = (size_t)events;
    q->got.event = malloc((size_t)events * sizeof *q->got.event);
    assert_non_null(q->got.event);
}

static bg_status make(question *q, bg_error *error)
{
    q->got.count = 0;
    return bg_events_generate(q->process, &q->options, &q->integration, &q->generation, &q->result, error);
}

static void make_all(question *q)
{
    bg_error error;
    if (make(q, &error) != BG_OK) fail_msg("%s", error.message);
    assert_int_equal(q->got.count, q->generation.events);
    assert_int_equal(q->result.events, q->generation.events);
}

static void forget(question *q)
{
    free(q->got.event);
    bg_process_destroy(q->process);
}

/* Momenta, flavors, charges and colors of an event. */
static void check_event(const question *q, const bg_event *e)
{
    double sum[4] = {0.}, energy = e->momentum[0][0] + e->momentum[1][0];
    int flavor[6] = {0}, charge = 0, ends[2][BG_EVENT_LEGS + 1] = {{0}};
    assert_int_equal(e->legs, 2 + bg_process_n_out(q->process));
    assert_in_range(e->process, 0, bg_process_classes(q->process) - 1);
    for (int leg = 0; leg < e->legs; leg++) {
        const int pdg = e->pdg[leg], sign = leg < 2 ? -1 : 1;
        const double *p = e->momentum[leg];
        for (int k = 0; k < 4; k++) sum[k] += sign * p[k];
        assert_true(fabs(p[0] * p[0] - p[1] * p[1] - p[2] * p[2] - p[3] * p[3]) < 1e-10 * energy * energy);
        if (leg >= 2) assert_true(hypot(p[1], p[2]) > q->integration.cuts.pt_min * (1. - 1e-12));
        if (pdg != 21) {
            assert_in_range(abs(pdg), 1, 4);
            const int quark = pdg > 0 ? sign : -sign;
            flavor[abs(pdg)] += quark;
            charge += quark * (abs(pdg) % 2 ? -1 : 2);
        }
        assert_int_equal(e->color[leg][0] != 0, pdg > 0);
        assert_int_equal(e->color[leg][1] != 0, pdg < 0 || pdg == 21);
        for (int which = 0; which < 2; which++) {
            const int tag = e->color[leg][which];
            if (!tag) continue;
            assert_in_range(tag, 501, 501 + BG_EVENT_LEGS);
            ends[(leg < 2) != which][tag - 501]++;
        }
    }
    for (int k = 0; k < 4; k++) assert_true(fabs(sum[k]) < 1e-9 * energy);
    for (int k = 1; k < 6; k++) assert_int_equal(flavor[k], 0);
    assert_int_equal(charge, 0);
    for (int k = 0; k <= BG_EVENT_LEGS; k++) {
        assert_int_equal(ends[0][k], ends[1][k]);
        assert_in_range(ends[0][k], 0, 1);
    }
}

/* The partons are those of one of the channels of the class. */
static void check_channel(const question *q, const bg_event *e)
{
    bg_process_class c;
    bg_process_class_init(&c);
    assert_int_equal(bg_process_class_at(q->process, e->process, &c, NULL), BG_OK);
    for (int channel = 0; channel < c.channels; channel++) {
        int pdg[16], exchanged, same = 1;
        assert_int_equal(bg_process_channel_at(q->process, e->process, channel, pdg, &exchanged, NULL), BG_OK);
        for (int leg = 0; leg < e->legs; leg++) same &= pdg[leg] == e->pdg[leg];
        if (same && exchanged == (e->momentum[0][3] < 0.)) return;
    }
    fail_msg("event %llu of class %s has partons of no channel", (unsigned long long)e->number, c.name);
}

/* The mean of the weights is sigma: within the statistics of events, and of the points that the largest weights are from. */
static void check_mean(const question *q)
{
    double sum = 0., squares = 0.;
    const double n = (double)q->got.count;
    for (size_t k = 0; k < q->got.count; k++) {
        sum += q->got.event[k].weight;
        squares += q->got.event[k].weight * q->got.event[k].weight;
    }
    const double error = sqrt(fmax(squares / n - sum * sum / n / n, 0.) / n);
    assert_true(fabs(sum / n - q->result.sigma_pb) < 5. * error + 0.005 * q->result.sigma_pb);
}

static void check_shares(const question *q)
{
    double sum = 0.;
    for (int k = 0; k < bg_process_classes(q->process); k++) {
        const double wanted = q->classes[k].sigma_pb / q->result.sigma_pb * (double)q->got.count;
        double there = 0.;
        for (size_t i = 0; i < q->got.count; i++) there += q->got.event[i].process == k;
        assert_true(fabs(there - wanted) < 5. * sqrt(wanted) + 3.);
        sum += q->classes[k].sigma_pb;
    }
    assert_true(fabs(sum / q->result.sigma_pb - 1.) < 1e-12);
}

/* ---- the cases ------------------------------------------------------------------------------------------------------ */

static void protons_make_physical_events(void **state)
{
    (void)state;
    const struct {
        const char *process;
        int lines, events;
    } cases[] = {{"p p > 2j", 2, 4000}, {"p p > 3j", 1, 2000}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        question q;
        ask(&q, cases[c].process, cases[c].lines, effort_of(cases[c].events, 500));
        make_all(&q);
        assert_int_equal(q.got.begun, 1);
        assert_true(q.got.first.sigma_pb == q.result.sigma_pb);
        assert_true(q.result.trials >= q.result.events);
        assert_true(q.result.overweight_share < 0.05);
        for (size_t k = 0; k < q.got.count; k++) {
            const bg_event *e = &q.got.event[k];
            check_event(&q, e);
            check_channel(&q, e);
            for (int side = 0; side < 2; side++) {
                const double *p = e->momentum[(e->momentum[0][3] < 0.) ^ side];
                assert_true(e->x[side] > 0. && e->x[side] < 1.);
                assert_true(fabs(p[0] - 0.5 * q.integration.sqrts * e->x[side]) < 1e-9 * p[0]);
            }
            assert_true(e->scale > 0. && e->alpha_s > 0.05 && e->alpha_s < 0.5);
        }
        check_mean(&q);
        check_shares(&q);
        forget(&q);
    }
}

static void one_subprocess_makes_events(void **state)
{
    (void)state;
    question q;
    ask(&q, "u~ g > u~ g g", BG_ALL_LINES, effort_of(1000, 300));
    q.integration.sqrts = 1000.;
    make_all(&q);
    for (size_t k = 0; k < q.got.count; k++) {
        const bg_event *e = &q.got.event[k];
        check_event(&q, e);
        assert_int_equal(e->pdg[0], -2);
        assert_int_equal(e->pdg[1], 21);
        assert_true(e->alpha_s == q.options.alpha_s && e->x[0] == 1. && e->x[1] == 1.);
    }
    check_mean(&q);
    forget(&q);
}

static void threads_do_not_matter(void **state)
{
    (void)state;
    question one, two;
    const int events = effort_of(9000, 9000); /* more than one block */
    ask(&one, "p p > 2j", 2, events);
    ask(&two, "p p > 2j", 2, events);
    two.options.threads = 2;
    make_all(&one);
    make_all(&two);
    assert_memory_equal(one.got.event, two.got.event, (size_t)events * sizeof(bg_event));
    assert_true(one.result.trials == two.result.trials);
    forget(&one);
    forget(&two);
}

/* Some events at first, and the rest by another call. */
static void skipped_events_are_not_handed_over(void **state)
{
    (void)state;
    enum { EVENTS = 9000, SKIP = 8500 };
    question whole, rest;
    ask(&whole, "p p > 2j", 2, EVENTS);
    ask(&rest, "p p > 2j", 2, EVENTS);
    make_all(&whole);
    rest.generation.skip = SKIP;
    bg_error error;
    assert_int_equal(make(&rest, &error), BG_OK);
    assert_int_equal(rest.got.count, EVENTS - SKIP);
    assert_memory_equal(whole.got.event + SKIP, rest.got.event, (EVENTS - SKIP) * sizeof(bg_event));
    forget(&whole);
    forget(&rest);
}

static void weighted_events_have_the_mean(void **state)
{
    (void)state;
    question q;
    ask(&q, "p p > 2j", 2, effort_of(5000, 1000));
    q.generation.weighted = 1;
    make_all(&q);
    for (size_t k = 0; k < q.got.count; k++) check_event(&q, &q.got.event[k]);
    check_mean(&q);
    forget(&q);
}

static void stopping_is_an_interruption(void **state)
{
    (void)state;
    question q;
    bg_error error;
    ask(&q, "p p > 2j", 2, 20000);
    q.got.stop = 1;
    assert_int_equal(make(&q, &error), BG_ERROR_INTERRUPTED);
    assert_true(q.got.count >= 1 && q.got.count < 20000);
    forget(&q);
}

static void refusals_name_the_value(void **state)
{
    (void)state;
    question q;
    bg_error error;
    ask(&q, "p p > 2j", 2, 10);
#define REFUSED(change, back, wanted)                                                                                  \
    do {                                                                                                               \
        change;                                                                                                        \
        assert_true(make(&q, &error) == BG_ERROR_ARGUMENT || error.status == BG_ERROR_UNSUPPORTED);                    \
        assert_non_null(strstr(error.message, wanted));                                                                \
        back;                                                                                                          \
    } while (0)
    REFUSED(q.generation.events = 0, q.generation.events = 10, "events is 0");
    REFUSED(q.generation.overweight = 0.7, q.generation.overweight = 1e-3, "0.7");
    REFUSED(q.generation.receive = NULL, q.generation.receive = receive, "receive");
    REFUSED(q.generation.size = 3, q.generation.size = sizeof q.generation, "size is 3 bytes");
    REFUSED(q.integration.seconds = 2., q.integration.seconds = 0., "seconds is 2");
    REFUSED(q.integration.checkpoint = "x", q.integration.checkpoint = NULL, "checkpoints");
    REFUSED(q.integration.pdf = "NoSuchSet", q.integration.pdf = NULL, "NoSuchSet");
    make_all(&q);
    forget(&q);
}

/* A caller of yesterday: its structs end earlier, and behind them is something else. */
static void shorter_structs_are_respected(void **state)
{
    (void)state;
    question q;
    bg_error error;
    bg_generation_result after;
    bg_event_origin origin, behind;
    bg_event_run *run;
    bg_event event;
    ask(&q, "g g > 2g", 0, 10);
    q.generation.shared = -1; /* not read: it is behind the end */
    q.generation.size = offsetof(bg_generation, shared);
    memset(&q.result, 0x5a, sizeof q.result);
    after = q.result;
    q.result.size = offsetof(bg_generation_result, variations);
    make_all(&q);
    assert_int_equal(q.result.size, offsetof(bg_generation_result, variations));
    assert_memory_equal(&q.result.variations, &after.variations,
                        sizeof after - offsetof(bg_generation_result, variations));
    assert_true(q.result.sigma_pb > 0. && q.result.seconds >= q.result.seconds_events);

    if (bg_event_run_create(&run, q.process, &q.options, &q.integration, &q.generation, &error) != BG_OK)
        fail_msg("%s", error.message);
    memset(&origin, 0x5a, sizeof origin);
    behind = origin;
    origin.size = offsetof(bg_event_origin, luminosity);
    assert_int_equal(bg_event_run_make(run, 0, q.got.event[0].number, &event, &origin, &error), BG_OK);
    assert_true(origin.weight_pb > 0.);
    assert_memory_equal(&origin.luminosity, &behind.luminosity, sizeof origin - offsetof(bg_event_origin, luminosity));
    origin.size = 0;
    assert_refused(bg_event_run_make(run, 0, q.got.event[0].number, &event, &origin, &error), &error, BG_ERROR_ARGUMENT,
                   "size is 0 bytes|bg_event_origin_init");
    bg_event_run_destroy(run);
    q.result.size = 0;
    assert_refused(make(&q, &error), &error, BG_ERROR_ARGUMENT, "size is 0 bytes|bg_generation_result_init");
    forget(&q);
}

/* ---- helicities ---------------------------------------------------------------------------------------------------------- */

enum { HELICITY_LEGS = 4, CONFIGURATIONS = 1 << HELICITY_LEGS };

/* |M|^2 of one configuration, bit k set where leg k has helicity +, at the momenta of all events. */
static void squares_at(const question *q, int configuration, double *squares)
{
    bg_options o;
    bg_evaluator *evaluator;
    bg_error error;
    const size_t n = q->got.count;
    double(*p)[HELICITY_LEGS][4] = malloc(n * sizeof *p);
    assert_non_null(p);
    bg_options_init(&o);
    strcpy(o.backend, "cpu");
    o.threads = 1;
    o.helicity = BG_HELICITY_FIXED;
    for (int leg = 0; leg < HELICITY_LEGS; leg++) o.helicities[leg] = configuration >> leg & 1 ? '+' : '-';
    for (size_t k = 0; k < n; k++) memcpy(p[k], q->got.event[k].momentum, sizeof *p);
    if (bg_evaluator_create(&evaluator, q->process, &o, &error) != BG_OK) fail_msg("%s", error.message);
    assert_int_equal(bg_evaluator_evaluate(evaluator, 0, n, &p[0][0][0], squares, NULL, &error), BG_OK);
    bg_evaluator_destroy(evaluator);
    free(p);
}

/* How probable each configuration is, by the exact |M|^2 at the points of unweighted events. */
static void expected_shares(const question *q, double *share)
{
    const size_t n = q->got.count;
    double *squares = malloc(CONFIGURATIONS * n * sizeof *squares);
    assert_non_null(squares);
    for (int c = 0; c < CONFIGURATIONS; c++) squares_at(q, c, squares + (size_t)c * n);
    memset(share, 0, CONFIGURATIONS * sizeof *share);
    for (size_t k = 0; k < n; k++) {
        double sum = 0.;
        for (int c = 0; c < CONFIGURATIONS; c++) sum += squares[(size_t)c * n + k];
        for (int c = 0; c < CONFIGURATIONS; c++) share[c] += squares[(size_t)c * n + k] / sum / (double)n;
    }
    free(squares);
}

/* Where helicities were drawn, an event has those of its point, each as often as |M|^2 says; where they were summed, none. */
static void helicities_are_told_where_they_are_definite(void **state)
{
    (void)state;
    enum { EVENTS = 3000 };
    static const struct {
        const char *process;
        bg_helicity_sampling sampling;
    } cases[] = {{"g g > 2g", BG_SAMPLE_CIRCULAR},
                 {"g g > 2g", BG_SAMPLE_ADAPTIVE},
                 {"g g > 2g", BG_SAMPLE_INVARIANTS},
                 {"u g > u g", BG_SAMPLE_ADAPTIVE},
                 {"g g > 2g", BG_SAMPLE_PHASE}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        question summed, drawn;
        double share[CONFIGURATIONS], count[CONFIGURATIONS] = {0.};
        ask(&summed, cases[c].process, 1, EVENTS);
        summed.integration.estimate = BG_ESTIMATE_OFF;
        make_all(&summed);
        for (int leg = 0; leg < HELICITY_LEGS; leg++)
            assert_int_equal(summed.got.event[0].helicity[leg], BG_HELICITY_UNKNOWN);
        expected_shares(&summed, share);

        ask(&drawn, cases[c].process, 1, EVENTS);
        drawn.options.seed = 7;
        drawn.options.helicity = BG_HELICITY_SAMPLED;
        drawn.options.helicity_sampling = cases[c].sampling;
        drawn.integration.estimate = BG_ESTIMATE_OFF;
        make_all(&drawn);
        for (int k = 0; k < EVENTS; k++) {
            int configuration = 0;
            for (int leg = 0; leg < HELICITY_LEGS; leg++) {
                const int h = drawn.got.event[k].helicity[leg];
                assert_int_equal(abs(h), cases[c].sampling == BG_SAMPLE_PHASE ? BG_HELICITY_UNKNOWN : 1);
                configuration |= (h > 0) << leg;
            }
            count[configuration] += 1.;
        }
        for (int k = 0; k < CONFIGURATIONS && cases[c].sampling != BG_SAMPLE_PHASE; k++) {
            const double error = sqrt(2. * EVENTS * share[k]);
            if (!(fabs(count[k] - EVENTS * share[k]) <= 5. * error))
                fail_msg("%s, sampling %d: helicities %d in %g events, %g expected", cases[c].process,
                         (int)cases[c].sampling, k, count[k], EVENTS * share[k]);
        }
        forget(&summed);
        forget(&drawn);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(protons_make_physical_events),
        cmocka_unit_test(one_subprocess_makes_events),
        cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(skipped_events_are_not_handed_over),
        cmocka_unit_test(weighted_events_have_the_mean),
        cmocka_unit_test(stopping_is_an_interruption),
        cmocka_unit_test(refusals_name_the_value),
        cmocka_unit_test(shorter_structs_are_respected),
        cmocka_unit_test(helicities_are_told_where_they_are_definite),
    };
    return cmocka_run_group_tests_name("generate", tests, NULL, NULL);
}
