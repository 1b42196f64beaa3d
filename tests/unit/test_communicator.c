/* Ranks that integrate together, as threads of this program: the same sigma as one rank, and what is refused. */
#define BLOCKGEN_EXPERIMENTAL
#include "support.h"

#include <pthread.h>

enum { MOST_RANKS = 3 };

/* What the ranks share: a barrier, and room for the values of all. */
typedef struct meeting {
    int ranks;
    pthread_barrier_t barrier;
    void *values[MOST_RANKS];
} meeting;

typedef struct seat {
    meeting *meeting;
    int rank;
} seat;

static void meet(const seat *s) { pthread_barrier_wait(&s->meeting->barrier); }

static int sum(int64_t *values, size_t count, void *user)
{
    const seat *s = user;
    meeting *m = s->meeting;
    int64_t *total = malloc(count * sizeof *total);
    m->values[s->rank] = values;
    meet(s);
    for (size_t k = 0; k < count; k++) {
        total[k] = 0;
        for (int r = 0; r < m->ranks; r++) total[k] += ((int64_t *)m->values[r])[k];
    }
    meet(s);
    memcpy(values, total, count * sizeof *values);
    free(total);
    return 0;
}

static int max(double *values, size_t count, void *user)
{
    const seat *s = user;
    meeting *m = s->meeting;
    double *most = malloc(count * sizeof *most);
    m->values[s->rank] = values;
    meet(s);
    for (size_t k = 0; k < count; k++) {
        most[k] = ((double *)m->values[0])[k];
        for (int r = 1; r < m->ranks; r++)
            if (((double *)m->values[r])[k] > most[k]) most[k] = ((double *)m->values[r])[k];
    }
    meet(s);
    memcpy(values, most, count * sizeof *values);
    free(most);
    return 0;
}

static int broadcast(void *data, size_t bytes, void *user)
{
    const seat *s = user;
    meeting *m = s->meeting;
    m->values[s->rank] = data;
    meet(s);
    if (s->rank) memcpy(data, m->values[0], bytes);
    meet(s);
    return 0;
}

/* One rank and what it found. */
typedef struct worker {
    seat seat;
    bg_options options;
    bg_integration integration;
    bg_communicator communicator;
    bg_result result;
    bg_status status;
    bg_error error;
    double weights; /* of the points behind sigma that it received */
    uint64_t received;
    int stop_after;  /* points; 0: never */
    bg_event *event; /* [EVENTS], made instead of an integration; NULL: not */
    size_t events;
    size_t skip; /* of the events: how many, and one more than the last number of each class */
    const uint64_t *used;
    int shared; /* every rank gets its part of the events */
    int batches;
} worker;

enum { EVENTS = 700 };

static int receive(const bg_points *points, void *user)
{
    worker *w = user;
    for (size_t k = 0; k < points->count && !points->warming_up; k++) w->weights += points->weight[k];
    if (!points->warming_up) w->received += points->count;
    return w->stop_after && w->received >= (uint64_t)w->stop_after;
}

static int receive_events(const bg_event *event, size_t count, void *user)
{
    worker *w = user;
    memcpy(w->event + w->events, event, count * sizeof *event);
    w->events += count;
    w->batches++;
    return w->stop_after && w->events >= (size_t)w->stop_after;
}

static bg_status make_events(worker *w)
{
    bg_process *process = NULL;
    bg_generation generation;
    bg_generation_result result;
    bg_generation_init(&generation);
    bg_generation_result_init(&result);
    generation.events = EVENTS;
    generation.receive = receive_events;
    generation.user = w;
    generation.skip = w->skip;
    generation.used = w->used;
    generation.shared = w->shared;
    bg_status status = bg_process_parse(&process, "p p > 2j", 3, 1, &w->error);
    if (status == BG_OK)
        status = bg_events_generate(process, &w->options, &w->integration, &generation, &result, &w->error);
    bg_process_destroy(process);
    return status;
}

static void *work(void *user)
{
    worker *w = user;
    bg_process *process = NULL;
    if (w->event) {
        w->status = make_events(w);
        return NULL;
    }
    w->status = bg_process_create_gluons(&process, 3, &w->error);
    if (w->status == BG_OK) w->status = bg_integrate(process, &w->options, &w->integration, &w->result, &w->error);
    bg_process_destroy(process);
    return NULL;
}

static void prepare(worker *w, meeting *m, int rank)
{
    memset(w, 0, sizeof *w);
    w->seat = (seat){m, rank};
    bg_options_init(&w->options);
    bg_integration_init(&w->integration);
    bg_result_init(&w->result);
    bg_communicator_init(&w->communicator);
    strcpy(w->options.backend, "cpu");
    w->options.threads = 1;
    w->integration.precision = 0.;
    w->integration.points = 20000;
    w->integration.user = w;
    w->integration.communicator = &w->communicator;
    w->communicator.rank = w->communicator.local_rank = rank;
    w->communicator.ranks = w->communicator.local_ranks = m->ranks;
    w->communicator.sum = sum;
    w->communicator.max = max;
    w->communicator.broadcast = broadcast;
    w->communicator.user = &w->seat;
}

static void run_all(worker *w, meeting *m)
{
    pthread_t thread[MOST_RANKS];
    assert_int_equal(pthread_barrier_init(&m->barrier, NULL, (unsigned)m->ranks), 0);
    for (int r = 0; r < m->ranks; r++) assert_int_equal(pthread_create(&thread[r], NULL, work, &w[r]), 0);
    for (int r = 0; r < m->ranks; r++) assert_int_equal(pthread_join(thread[r], NULL), 0);
    pthread_barrier_destroy(&m->barrier);
}

/* Any number of ranks has the sigma of one, bit for bit, also with histograms and where points are handed out. */
static void ranks_do_not_matter(void **state)
{
    (void)state;
    bg_process *process;
    assert_int_equal(bg_process_create_gluons(&process, 3, NULL), BG_OK);
    bg_result one;
    bg_result_init(&one);
    double share[64] = {0.};
    for (int ranks = 1; ranks <= MOST_RANKS; ranks++) {
        meeting m = {.ranks = ranks};
        worker w[MOST_RANKS];
        bg_histograms *h[MOST_RANKS] = {NULL};
        for (int r = 0; r < ranks; r++) {
            prepare(&w[r], &m, r);
            assert_int_equal(bg_histograms_create(&h[r], process, &w[r].integration, NULL), BG_OK);
            w[r].integration.histograms = h[r];
            w[r].integration.receive = receive;
        }
        run_all(w, &m);
        double weights = 0.;
        uint64_t received = 0;
        for (int r = 0; r < ranks; r++) {
            if (w[r].status != BG_OK) fail_msg("rank %d of %d: %s", r, ranks, w[r].error.message);
            if (ranks == 1) one = w[0].result;
            assert_true(w[r].result.sigma_pb == one.sigma_pb && w[r].result.error_pb == one.error_pb);
            assert_int_equal(w[r].result.accepted, one.accepted);
            assert_int_equal(w[r].result.ranks, ranks);
            weights += w[r].weights;
            received += w[r].received;
            double here[64];
            assert_true(bg_histograms_bins(h[r], 0) <= 64);
            assert_int_equal(bg_histograms_read(h[r], 0, NULL, here, NULL, NULL, NULL), BG_OK);
            if (ranks == 1) memcpy(share, here, sizeof share);
            assert_memory_equal(share, here, (size_t)bg_histograms_bins(h[r], 0) * sizeof *share);
            bg_histograms_destroy(h[r]);
        }
        assert_int_equal(received, one.accepted);
        assert_relative(weights / (double)one.points, one.sigma_pb, 1e-12, "sigma from the points of %d ranks", ranks);
    }
    bg_process_destroy(process);
}

/* Where |M|^2 is estimated first likewise: each rank keeps some of its own points. */
static void ranks_keep_the_same_points(void **state)
{
    (void)state;
    for (int sampled = 0; sampled < 2; sampled++) {
        bg_result one;
        bg_result_init(&one);
        for (int ranks = 1; ranks <= MOST_RANKS; ranks++) {
            meeting m = {.ranks = ranks};
            worker w[MOST_RANKS];
            for (int r = 0; r < ranks; r++) {
                prepare(&w[r], &m, r);
                w[r].integration.estimate = BG_ESTIMATE_ON;
                if (sampled) w[r].options.color = BG_COLOR_SAMPLED;
            }
            run_all(w, &m);
            for (int r = 0; r < ranks; r++) {
                if (w[r].status != BG_OK) fail_msg("rank %d of %d: %s", r, ranks, w[r].error.message);
                const bg_result *here = &w[r].result;
                if (ranks == 1) one = *here;
                assert_true(here->estimated && here->evaluated > 0 && here->evaluated < here->accepted);
                assert_true(here->sigma_pb == one.sigma_pb && here->error_pb == one.error_pb);
                assert_true(here->evaluated == one.evaluated && here->max_weight_pb == one.max_weight_pb);
            }
        }
    }
}

/* Ranks have the events of one, in its order, and rank 0 gets them; also where some were made before. */
static void ranks_make_the_same_events(void **state)
{
    (void)state;
    enum { MOST_CLASSES = 16, BEFORE = 200 };
    static bg_event event[MOST_RANKS][EVENTS];
    uint64_t used[MOST_CLASSES] = {0};
    for (int ranks = 1; ranks <= MOST_RANKS; ranks++) {
        if (ranks > 1 && ranks < MOST_RANKS && test_effort() < 1.) continue;
        meeting m = {.ranks = ranks};
        worker w[MOST_RANKS];
        for (int r = 0; r < ranks; r++) {
            prepare(&w[r], &m, r);
            w[r].event = event[r == 0 ? ranks - 1 : 0];
            if (ranks == MOST_RANKS) w[r].used = used;
            if (ranks == MOST_RANKS) w[r].skip = BEFORE;
        }
        run_all(w, &m);
        for (int r = 0; r < ranks; r++) {
            if (w[r].status != BG_OK) fail_msg("rank %d of %d: %s", r, ranks, w[r].error.message);
            assert_int_equal(w[r].events, r ? 0 : ranks == MOST_RANKS ? EVENTS - BEFORE : EVENTS);
        }
        for (int k = 0; k < BEFORE && ranks == 1; k++) {
            assert_in_range(event[0][k].process, 0, MOST_CLASSES - 1);
            used[event[0][k].process] = event[0][k].number + 1;
        }
        const int first = ranks == MOST_RANKS ? BEFORE : 0;
        assert_memory_equal(event[ranks - 1], event[0] + first, (size_t)(EVENTS - first) * sizeof **event);
    }
    /* rank 0 has seen enough: all stop */
    meeting m = {.ranks = 2};
    worker w[MOST_RANKS];
    for (int r = 0; r < m.ranks; r++) {
        prepare(&w[r], &m, r);
        w[r].event = event[r];
        w[r].stop_after = 1;
    }
    run_all(w, &m);
    for (int r = 0; r < m.ranks; r++) assert_int_equal(w[r].status, BG_ERROR_INTERRUPTED);
}

/* Where every rank is handed its part, the parts one after the other are the events; a part may be empty. */
static void ranks_share_events(void **state)
{
    (void)state;
    static bg_event whole[EVENTS], part[MOST_RANKS][EVENTS];
    static const size_t skips[] = {0, 300, EVENTS - 1};
    meeting alone = {.ranks = 1};
    worker one;
    prepare(&one, &alone, 0);
    one.event = whole;
    run_all(&one, &alone);
    assert_int_equal(one.status, BG_OK);
    for (size_t s = 0; s < sizeof skips / sizeof *skips; s++) {
        if (s != 1 && test_effort() < 1.) continue;
        meeting m = {.ranks = 3};
        worker w[MOST_RANKS];
        size_t at = skips[s];
        for (int r = 0; r < m.ranks; r++) {
            prepare(&w[r], &m, r);
            w[r].event = part[r];
            w[r].skip = skips[s];
            w[r].shared = 1;
        }
        run_all(w, &m);
        for (int r = 0; r < m.ranks; r++) {
            assert_int_equal(w[r].status, BG_OK);
            assert_int_equal(w[r].batches, 1);
            assert_true(at + w[r].events <= EVENTS);
            assert_memory_equal(part[r], whole + at, w[r].events * sizeof **part);
            at += w[r].events;
        }
        assert_int_equal(at, EVENTS);
    }
    /* one of them has seen enough, or is asked something else: all stop */
    for (int other = 0; other < 2; other++) {
        meeting m = {.ranks = 2};
        worker w[MOST_RANKS];
        for (int r = 0; r < m.ranks; r++) {
            prepare(&w[r], &m, r);
            w[r].event = part[r];
            w[r].shared = other ? r : 1;
        }
        w[1].stop_after = 1;
        run_all(w, &m);
        for (int r = 0; r < m.ranks; r++)
            assert_int_equal(w[r].status, other ? BG_ERROR_ARGUMENT : BG_ERROR_INTERRUPTED);
    }
}

/* Where one rank has seen enough points, all stop. */
static void one_rank_stops_all(void **state)
{
    (void)state;
    meeting m = {.ranks = 3};
    worker w[MOST_RANKS];
    for (int r = 0; r < m.ranks; r++) {
        prepare(&w[r], &m, r);
        w[r].integration.points = 100000000;
        w[r].integration.receive = receive;
    }
    w[2].stop_after = 1000;
    run_all(w, &m);
    for (int r = 0; r < m.ranks; r++) {
        assert_int_equal(w[r].status, BG_OK);
        assert_int_equal(w[r].result.interrupted, 1);
    }
}

/* Ranks that were asked different things say so instead of waiting for each other. */
static void different_questions(void **state)
{
    (void)state;
    meeting m = {.ranks = 2};
    worker w[MOST_RANKS];
    for (int r = 0; r < m.ranks; r++) prepare(&w[r], &m, r);
    w[1].options.seed = 2;
    run_all(w, &m);
    assert_refused(w[1].status, &w[1].error, BG_ERROR_ARGUMENT, "rank 1|another question");
    assert_refused(w[0].status, &w[0].error, BG_ERROR_ARGUMENT, "another rank failed");
    /* bad input on one rank is the end for all */
    for (int r = 0; r < m.ranks; r++) prepare(&w[r], &m, r);
    w[1].integration.sqrts = -1.;
    run_all(w, &m);
    assert_refused(w[1].status, &w[1].error, BG_ERROR_ARGUMENT, "sqrts is -1");
    assert_refused(w[0].status, &w[0].error, BG_ERROR_ARGUMENT, "another rank failed");
}

static int fails(int64_t *values, size_t count, void *user)
{
    (void)values;
    (void)count;
    (void)user;
    return 1;
}

static int fails_to_broadcast(void *data, size_t bytes, void *user)
{
    (void)data;
    (void)bytes;
    (void)user;
    return 1;
}

static int pretends(double *values, size_t count, void *user)
{
    (void)values;
    (void)count;
    (void)user;
    return 0;
}

/* A communicator that fails is an error, not a result. */
static void a_broken_communicator(void **state)
{
    (void)state;
    worker w;
    for (int which = 0; which < 2; which++) {
        meeting m = {.ranks = 2};
        prepare(&w, &m, 0);
        w.communicator.sum = fails;
        w.communicator.max = pretends;
        w.communicator.broadcast = which ? fails_to_broadcast : broadcast;
        if (!which) {
            m.ranks = 1; /* nobody else comes */
            assert_int_equal(pthread_barrier_init(&m.barrier, NULL, 1), 0);
        }
        work(&w);
        if (!which) pthread_barrier_destroy(&m.barrier);
        assert_refused(w.status, &w.error, BG_ERROR_COMMUNICATOR, "communicator failed|rank 0");
    }
}

static void impossible_communicators(void **state)
{
    (void)state;
    static const struct {
        int rank, ranks, local_rank, local_ranks;
        const char *words;
    } bad[] = {{0, 0, 0, 1, "0 ranks"},    {2, 2, 0, 1, "rank is 2|0 to 1"}, {-1, 2, 0, 1, "rank is -1|0 to 1"},
               {0, 2, 1, 1, "local_rank"}, {0, 2, 0, 3, "local_rank"},       {0, 2, -1, 1, "local_rank"}};
    meeting m = {.ranks = 1};
    worker w;
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        prepare(&w, &m, 0);
        w.communicator.rank = bad[k].rank;
        w.communicator.ranks = bad[k].ranks;
        w.communicator.local_rank = bad[k].local_rank;
        w.communicator.local_ranks = bad[k].local_ranks;
        work(&w);
        assert_refused(w.status, &w.error, BG_ERROR_ARGUMENT, bad[k].words);
    }
    prepare(&w, &m, 0);
    w.communicator.ranks = w.communicator.local_ranks = 2;
    w.communicator.max = NULL;
    work(&w);
    assert_refused(w.status, &w.error, BG_ERROR_ARGUMENT, "max|NULL");
    prepare(&w, &m, 0);
    w.communicator.size = 3;
    work(&w);
    assert_refused(w.status, &w.error, BG_ERROR_ARGUMENT, "communicator|not initialized");
    /* one rank needs no callbacks */
    prepare(&w, &m, 0);
    bg_communicator_init(&w.communicator);
    work(&w);
    assert_int_equal(w.status, BG_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranks_do_not_matter),      cmocka_unit_test(ranks_keep_the_same_points),
        cmocka_unit_test(ranks_share_events),       cmocka_unit_test(one_rank_stops_all),
        cmocka_unit_test(different_questions),      cmocka_unit_test(a_broken_communicator),
        cmocka_unit_test(impossible_communicators), cmocka_unit_test(ranks_make_the_same_events),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
