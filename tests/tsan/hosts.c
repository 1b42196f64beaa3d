/* Host threads that each have objects of their own, as blockgen.h allows: evaluators, an integration and a run of events at the same
 * time, from one process that they share. Their results are those of one thread after the other, and the thread sanitizer looks on. */
#define BLOCKGEN_EXPERIMENTAL
#include "blockgen/blockgen.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HOSTS = 4, POINTS = 64, N_OUT = 3, LEGS = N_OUT + 2 };

typedef struct host {
    int number;
    const bg_process *process;
    const double *momenta;
    double me2[POINTS], sigma;
    uint64_t events;
    int failed;
} host;

static int stop = 0; /* never written while threads run */

static int asked(void *user) { return *(const int *)user; }

static int complain(const char *what, const bg_error *error)
{
    fprintf(stderr, "%s: %s\n", what, error->message);
    return 1;
}

static int evaluate(host *h, const bg_options *options)
{
    bg_evaluator *evaluator = NULL;
    bg_error error;
    if (bg_evaluator_create(&evaluator, h->process, options, &error) != BG_OK) return complain("evaluator", &error);
    const int bad = bg_evaluator_interrupt(evaluator, asked, &stop, &error) != BG_OK ||
                    bg_evaluator_evaluate(evaluator, 0, POINTS, h->momenta, h->me2, NULL, &error) != BG_OK;
    bg_evaluator_destroy(evaluator);
    return bad ? complain("evaluate", &error) : 0;
}

static int take(const bg_event *event, size_t count, void *user)
{
    host *h = user;
    (void)event;
    h->events += count;
    return 0;
}

static int integrate(host *h, const bg_options *options)
{
    bg_integration wish;
    bg_result result;
    bg_error error;
    bg_integration_init(&wish);
    bg_result_init(&result);
    wish.points = 2000;
    wish.precision = 0.;
    bg_status status = bg_histograms_create(&wish.histograms, h->process, &wish, &error);
    if (status == BG_OK) status = bg_integrate(h->process, options, &wish, &result, &error);
    bg_histograms_destroy(wish.histograms);
    h->sigma = result.sigma_pb;
    return status == BG_OK ? 0 : complain("integrate", &error);
}

static int generate(host *h, const bg_options *options)
{
    bg_integration wish;
    bg_generation generation;
    bg_generation_result result;
    bg_error error;
    bg_integration_init(&wish);
    bg_generation_init(&generation);
    bg_generation_result_init(&result);
    wish.points = 2000;
    wish.precision = 0.;
    generation.events = 50;
    generation.receive = take;
    generation.user = h;
    const bg_status status = bg_events_generate(h->process, options, &wish, &generation, &result, &error);
    return status == BG_OK ? 0 : complain("generate", &error);
}

static void *work(void *argument)
{
    host *h = argument;
    bg_options options;
    bg_options_init(&options);
    strcpy(options.backend, "cpu");
    options.threads = 2;
    h->failed = evaluate(h, &options) || integrate(h, &options) || generate(h, &options);
    return NULL;
}

/* Points of the process itself. */
static int make_points(const bg_process *process, double *momenta)
{
    bg_generator *generator = NULL;
    bg_integration wish;
    bg_options options;
    bg_error error;
    int found = 0;
    bg_integration_init(&wish);
    bg_options_init(&options);
    if (bg_generator_create(&generator, process, &options, &wish, &error) != BG_OK) return complain("points", &error);
    for (uint64_t event = 0; found < POINTS && event < 10000; event++) {
        double weight;
        if (bg_generator_points(generator, 1, &event, momenta + (size_t)found * 4 * LEGS, &weight, &error) != BG_OK)
            break;
        found += weight > 0.;
    }
    bg_generator_destroy(generator);
    return found == POINTS ? 0 : complain("points", &error);
}

int main(void)
{
    static double momenta[POINTS * LEGS * 4];
    static host alone, hosts[HOSTS];
    pthread_t thread[HOSTS];
    bg_process *process = NULL;
    bg_error error;
    int failed = bg_process_create_gluons(&process, N_OUT, &error) != BG_OK || make_points(process, momenta);
    alone = (host){.process = process, .momenta = momenta};
    if (!failed) work(&alone);
    for (int k = 0; k < HOSTS && !failed; k++) {
        hosts[k] = (host){.number = k, .process = process, .momenta = momenta};
        if (pthread_create(&thread[k], NULL, work, &hosts[k])) return 1;
    }
    for (int k = 0; k < HOSTS && !failed; k++) pthread_join(thread[k], NULL);
    for (int k = 0; k < HOSTS && !failed; k++) {
        const host *h = &hosts[k];
        if (alone.failed || h->failed || memcmp(h->me2, alone.me2, sizeof h->me2) || h->sigma != alone.sigma ||
            h->events != 50) {
            fprintf(stderr, "host thread %d has other results than one thread alone\n", k);
            failed = 1;
        }
    }
    bg_process_destroy(process);
    return failed;
}
