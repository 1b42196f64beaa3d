/* The queue of a writer: a ring of blocks, which some threads encode in any order and one thread appends in theirs.
 *
 * Block number k is in place k % places. Numbers grow: of blocks that were appended (`written`), that a thread has taken to encode
 * (`taken`), and that were handed over (`filled`), so that written <= taken <= filled <= written + places. Whoever makes events fills the
 * next place, and waits where it is not empty yet.
 */
#include "events/queue.h"

#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { SPARE_BLOCKS = 2 };
enum {
    UNDER_WAY = 16384
}; /* events that can be, at least: twice what comes at once, so that making them and writing them overlap */

typedef enum place_state { PLACE_EMPTY, PLACE_FILLED, PLACE_ENCODING, PLACE_ENCODED } place_state;

typedef struct events_place {
    events_block block;
    place_state state;
} place;

/* ---- threads ----------------------------------------------------------------------------------------------------- */

/* Remembers the first failure; the mutex is held. */
static void note_failure(events_writer *w, bg_status status, const bg_error *error)
{
    if (status == BG_OK || w->status != BG_OK) return;
    w->status = status;
    w->error = *error;
}

/* Encodes blocks in any order. */
static void *encode_blocks(void *argument)
{
    events_writer *w = argument;
    pthread_mutex_lock(&w->mutex);
    for (;;) {
        while (w->taken == w->filled && !w->ends) pthread_cond_wait(&w->changed, &w->mutex);
        if (w->taken == w->filled) break;
        place *p = &w->place[w->taken++ % w->places];
        const int wanted = w->status == BG_OK;
        p->state = PLACE_ENCODING;
        pthread_mutex_unlock(&w->mutex);
        p->block.text.length = 0;
        p->block.text.failed = 0;
        if (wanted) w->sink.format->encode(&w->sink, &p->block);
        pthread_mutex_lock(&w->mutex);
        p->state = PLACE_ENCODED;
        pthread_cond_broadcast(&w->changed);
    }
    pthread_mutex_unlock(&w->mutex);
    return NULL;
}

static bg_status append_block(events_writer *w, const events_block *b, bg_error *error)
{
    if (b->text.failed) return events_fail(error, BG_ERROR_MEMORY, "no memory for %zu encoded events", b->count);
    return w->sink.format->append(&w->sink, b, error);
}

/* Ranks that write together meet before each block, with one each, and when one of them has none or cannot go on; then it was
 * the last time. The mutex is held, and is not while they do. */
static void meet(events_writer *w, const events_block *b)
{
    if (!w->sink.options.ranks || w->parted) return;
    const int stops = !b || w->status != BG_OK || b->text.failed;
    pthread_mutex_unlock(&w->mutex);
    const int stopped = events_exchange(&w->sink, b ? b->count : 0, stops);
    pthread_mutex_lock(&w->mutex);
    w->parted = stopped > 0;
    if (!stopped || stops) return;
    bg_error why;
    const bg_status status =
        events_fail(&why, BG_ERROR_IO, "another rank failed: '%.300s' cannot be written together", w->sink.part);
    note_failure(w, status, &why);
}

/* Appends blocks in their order. */
static void *append_blocks(void *argument)
{
    events_writer *w = argument;
    pthread_mutex_lock(&w->mutex);
    for (;;) {
        place *p = &w->place[w->written % w->places];
        while (p->state != PLACE_ENCODED && !(w->ends && w->written == w->filled))
            pthread_cond_wait(&w->changed, &w->mutex);
        const int encoded = p->state == PLACE_ENCODED;
        meet(w, encoded ? &p->block : NULL);
        if (!encoded) break;
        bg_error why = {BG_OK, ""};
        bg_status status = BG_OK;
        if (w->status == BG_OK) {
            pthread_mutex_unlock(&w->mutex);
            status = append_block(w, &p->block, &why);
            pthread_mutex_lock(&w->mutex);
        }
        note_failure(w, status, &why);
        w->count = w->sink.count;
        w->last = w->sink.last;
        p->block.count = 0;
        p->state = PLACE_EMPTY;
        w->written++;
        pthread_cond_broadcast(&w->changed);
    }
    pthread_mutex_unlock(&w->mutex);
    return NULL;
}

void events_join_threads(events_writer *w)
{
    if (!w->locks) return;
    pthread_mutex_lock(&w->mutex);
    place *p = &w->place[w->filled % w->places];
    if (p->state == PLACE_EMPTY && p->block.count) {
        p->state = PLACE_FILLED;
        w->filled++;
    }
    w->ends = 1;
    pthread_cond_broadcast(&w->changed);
    pthread_mutex_unlock(&w->mutex);
    for (int k = 0; k < w->threads; k++) pthread_join(w->thread[k], NULL);
    w->threads = 0;
    pthread_cond_destroy(&w->changed);
    pthread_mutex_destroy(&w->mutex);
    w->locks = 0;
}

static int default_threads(void)
{
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    return cores < 2 ? 1 : cores > 32 ? 16 : (int)cores / 2;
}

bg_status events_make_room(events_block *b, size_t room, size_t variations, bg_error *error)
{
    if (room <= b->room) return BG_OK;
    free(b->event);
    free(b->variation);
    free(b->end);
    b->event = malloc(room * sizeof *b->event);
    b->variation = malloc((variations ? room * variations : 1) * sizeof *b->variation);
    b->end = malloc(room * sizeof *b->end);
    b->room = b->event && b->variation && b->end ? room : 0;
    return b->room ? BG_OK : events_fail(error, BG_ERROR_MEMORY, "no memory for a block of %zu events", room);
}

bg_status events_start_threads(events_writer *w, bg_error *error)
{
    const int wanted = w->sink.options.threads ? w->sink.options.threads : default_threads();
    const int encoders = wanted < EVENTS_MOST_THREADS ? wanted : EVENTS_MOST_THREADS;
    const size_t room = w->sink.format->block, variations = (size_t)w->sink.run.variations;
    w->places = 2 * (size_t)encoders + SPARE_BLOCKS;
    if (!w->sink.options.ranks && w->places * room < UNDER_WAY) w->places = UNDER_WAY / room;
    w->place = calloc(w->places, sizeof *w->place);
    if (!w->place) return events_fail(error, BG_ERROR_MEMORY, "no memory for %zu blocks of events", w->places);
    for (size_t k = 0; k < w->places; k++) {
        const bg_status status = events_make_room(&w->place[k].block, room, variations, error);
        if (status != BG_OK) return status;
    }
    pthread_mutex_init(&w->mutex, NULL);
    pthread_cond_init(&w->changed, NULL);
    w->locks = 1;
    for (int k = 0; k <= encoders; k++) {
        if (pthread_create(&w->thread[k], NULL, k ? encode_blocks : append_blocks, w))
            return events_fail(error, BG_ERROR_MEMORY, "cannot start %d threads for events", encoders + 1);
        w->threads++;
    }
    return BG_OK;
}

void events_free_blocks(events_writer *w)
{
    for (size_t k = 0; w->place && k < w->places; k++) {
        events_block *b = &w->place[k].block;
        free(b->event);
        free(b->variation);
        free(b->end);
        free(b->text.at);
    }
    free(w->place);
}

/* ---- blocks that are filled --------------------------------------------------------------------------------------- */

static double seconds_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

bg_status events_open_block(events_writer *w, events_block **block, bg_error *error)
{
    pthread_mutex_lock(&w->mutex);
    place *p = &w->place[w->filled % w->places];
    if (p->state != PLACE_EMPTY) {
        const double since = seconds_now();
        while (p->state != PLACE_EMPTY) pthread_cond_wait(&w->changed, &w->mutex);
        w->waited += seconds_now() - since;
    }
    const bg_status status = w->status;
    if (status != BG_OK && error) *error = w->error;
    pthread_mutex_unlock(&w->mutex);
    *block = &p->block;
    return status;
}

void events_close_block(events_writer *w)
{
    pthread_mutex_lock(&w->mutex);
    w->place[w->filled % w->places].state = PLACE_FILLED;
    w->filled++;
    pthread_cond_broadcast(&w->changed);
    pthread_mutex_unlock(&w->mutex);
}
