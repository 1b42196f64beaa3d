/* Checkpoints. A file is 100 kB, so an input is not a file but what somebody changed in one
 * that was whole:
 *
 *     byte 0        bit 0: the checksum is made right again; bit 1: helicities were not selected; bit 2: the file is cut short
 *     byte 1, 2     where it is cut short, in 65536ths of its size
 *     10 bytes each: the part (0 header and question, 1 state, 2 tables, 3 histograms), the place in it, two bytes, in units of its
 *                   kind, and then 7 bytes that are put there
 *
 * What is taken must be a state that a run can go on with.
 */
#include "fuzz.h"

#include "base/parcel.h"
#include "engine/state.h"
#include "phasespace/symmetric.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { HEADER = 48 + BG_QUESTION_LENGTH, DIMENSIONS = 5, CELLS = 2, CHANGE = 10 };

/* A whole file, and the state and histograms of the run that would go on with it. */
typedef struct made {
    unsigned char *bytes, *copy;
    size_t size, part[4], parts; /* where each part begins; the last one ends with the checksum */
    bg_state *begun;
    bg_subprocess process;
} made;

static const char *path;
static made whole[2]; /* with selected helicities, and without */

/* ---- the checksum, made right ------------------------------------------------------------------------------------ */

static void repair(const made *m)
{
    uint64_t sum = BG_CHECKSUM_START;
    for (int k = 0; k < 4; k++)
        sum = bg_checksum(sum, m->copy + m->part[k], (k < 3 ? m->part[k + 1] : m->size - sizeof sum) - m->part[k]);
    memcpy(m->copy + m->size - sizeof sum, &sum, sizeof sum);
}

/* ---- a state ------------------------------------------------------------------------------------------------------ */

static bg_state *new_state(const bg_subprocess *process, int selecting)
{
    static const char question[] = "process=g g > g g g\nsqrts=1000\nseed=1\nhistograms=none\n";
    bg_state *s = calloc(1, sizeof *s);
    fuzz_require(s);
    memcpy(s->question.text, question, sizeof question);
    s->group = 1;
    s->warmup = 6;
    bg_grid_uniform(&s->grid, process, 0);
    if (selecting) s->selector = bg_selector_create(process, 0);
    s->tally = bg_tally_create(DIMENSIONS, s->selector ? s->selector->entries : 0, CELLS);
    fuzz_require(s->tally && !selecting == !s->selector);
    return s;
}

static void free_state(bg_state *s)
{
    bg_selector_destroy(s->selector);
    bg_tally_destroy(s->tally);
    free(s);
}

static struct bg_histograms *new_histograms(const bg_subprocess *process)
{
    const bg_cuts cuts = {.pt_min = 20., .eta_max = 2.5, .dr_min = 0.4};
    struct bg_histograms *h = NULL;
    fuzz_require(bg_histograms_allocate(&h, process, 0, 1000., &cuts, NULL) == BG_OK);
    return h;
}

/* As if it had computed: two iterations behind the result, and half of a third. */
static void compute(bg_state *s, struct bg_histograms *h)
{
    double momenta[4 * 5]; /* of no physics, but of different pT */
    for (int k = 0; k < 20; k++) momenta[k] = 500. - 37. * k;
    s->warmup = 0;
    s->warmed = (bg_iteration){.points = 3000, .accepted = 1000, .mean = 2., .variance = 9.};
    s->iterations = 2;
    for (int k = 0; k < 2; k++)
        s->iteration[k] =
            (bg_iteration){.points = 1000, .accepted = 400, .unstable = 3, .rescued = 3, .mean = 1.5, .variance = 4.};
    s->next_event = 5000;
    s->size = 1000;
    s->done = 500;
    s->scale = 4.;
    s->max_weight = 20.;
    s->seconds = 2.5;
    s->tally->points = 500;
    s->tally->accepted = 200;
    for (int k = 0; k < 200; k++) {
        const uint8_t bin[DIMENSIONS + CELLS] = {(uint8_t)(k % BG_GRID_BINS), 1, 2, 3, 4, 5, 6};
        (void)bg_tally_point(s->tally, 1. + k % 7, 1, bin, 1, s->selector ? 0 : -1, s->scale, 0);
        bg_histograms_fill(h, momenta, 1, 1. + k % 7, 1);
    }
}

static void make(made *m, int selecting)
{
    m->process = bg_subprocess_gluons(3);
    m->begun = new_state(&m->process, selecting);
    bg_state *s = new_state(&m->process, selecting);
    struct bg_histograms *h = new_histograms(&m->process);
    bg_error error;
    compute(s, h);
    bg_parcel parcel = {.bytes = NULL};
    fuzz_require(bg_state_pass(s, h, &parcel, path, &error) == BG_OK);
    fuzz_require(bg_checkpoint_write(path, &s->question, &parcel, &error) == BG_OK);
    bg_parcel_free(&parcel);
    m->bytes = (unsigned char *)fuzz_read(path, &m->size);
    m->copy = malloc(m->size);
    fuzz_require(m->copy);
    m->part[0] = 0;
    m->part[1] = HEADER;
    m->part[2] = m->part[1] + offsetof(bg_state, iteration) + (size_t)s->iterations * sizeof *s->iteration;
    m->part[3] = m->size - 8 - bg_histograms_integers(h) * sizeof(int64_t);
    memcpy(m->copy, m->bytes, m->size);
    repair(m);
    fuzz_require(!memcmp(m->copy, m->bytes, m->size)); /* the same parts, and the same checksum */
    bg_histograms_free(h);
    free_state(s);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    path = fuzz_path(".ckpt");
    make(&whole[0], 1);
    make(&whole[1], 0);
    return 0;
}

/* ---- an input ------------------------------------------------------------------------------------------------------- */

static void change(const made *m, const uint8_t *by)
{
    static const size_t unit[4] = {4, 4, 8, 8};
    const int part = by[0] % 4;
    const size_t begin = m->part[part], end = part == 3 ? m->size : m->part[part + 1];
    const size_t at = begin + unit[part] * (by[1] + 256u * by[2]) % (end - begin), room = m->size - at;
    memcpy(m->copy + at, by + 3, room < CHANGE - 3 ? room : CHANGE - 3);
}

/* What an integration does with a state before it computes. */
static void go_on(bg_state *s, const struct bg_histograms *h)
{
    double sum = 0.;
    for (int k = 0; k < s->iterations; k++) {
        sum += s->iteration[k].mean;
        fuzz_require(s->iteration[k].points > 0);
    }
    fuzz_require(sum >= 0. && isfinite(sum) && s->done <= s->size);
    const double weight = bg_exact_value(&s->tally->weight);
    fuzz_require(weight >= 0. && isfinite(weight));
    const bg_learning how = {.power = 2, .points = weight};
    bg_grid_adapt(&s->grid, DIMENSIONS, DIMENSIONS, s->tally->importance, how);
    bg_symmetric_adapt(&s->grid.directions, CELLS, s->tally->direction, how);
    for (int d = 0; d < DIMENSIONS; d++)
        for (int k = 0; k < BG_GRID_BINS; k++) fuzz_require(s->grid.edge[d][k] < s->grid.edge[d][k + 1]);
    if (s->selector) {
        bg_selector_adapt(s->selector, s->tally->helicity);
        fuzz_require(s->selector->cumulative[s->selector->entries] == 1.);
    }
    for (int k = 0; k < h->count; k++) {
        double share[256];
        fuzz_require(bg_axis_cells(&h->histogram[k].axis) <= 256);
        bg_histogram_read(h, k, NULL, share, NULL, NULL);
        for (int b = 0; b < h->histogram[k].axis.bins; b++) fuzz_require(!isnan(share[b]));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 3) return -1;
    const made *m = &whole[data[0] >> 1 & 1];
    size_t length = m->size;
    memcpy(m->copy, m->bytes, m->size);
    for (size_t at = 3; at + CHANGE <= size; at += CHANGE) change(m, data + at);
    if (data[0] & 1) repair(m);
    if (data[0] & 4) length = (data[1] + 256u * data[2]) * m->size / 65536;
    fuzz_write(path, m->copy, length);

    bg_state *s = new_state(&m->process, !(data[0] & 2));
    struct bg_histograms *h = new_histograms(&m->process);
    bg_error error = {BG_OK, ""};
    bg_parcel parcel;
    bg_status status = bg_checkpoint_read(path, &s->question, &parcel, &error);
    if (status == BG_OK) status = bg_state_pass(s, h, &parcel, path, &error);
    bg_parcel_free(&parcel);
    fuzz_require(status == BG_OK || status == BG_ERROR_ARGUMENT);
    fuzz_count(status == BG_OK);
    fuzz_require(status == BG_OK || error.message[0]);
    if (status == BG_OK) go_on(s, h);
    bg_histograms_free(h);
    free_state(s);
    return 0;
}
