/* The writer: checks, copies, the queue of blocks, and the name of the file. */
#include "events/format.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { MOST_THREADS = 64, SPARE_BLOCKS = 2 };
enum {
    UNDER_WAY = 16384
}; /* events that can be, at least: twice what comes at once, so that making them and writing them overlap */

static const events_format *const formats[] = {&events_lhef, &events_lhef_gz, &events_hdf5, &events_npy, &events_csv};
enum { FORMATS = sizeof formats / sizeof *formats };

/* A place in the ring of blocks. Block number k is in place k % places; numbers grow from `written` to `filled`. */
typedef enum place_state { PLACE_EMPTY, PLACE_FILLED, PLACE_ENCODING, PLACE_ENCODED } place_state;

typedef struct place {
    events_block block;
    place_state state;
} place;

/* What the run of a sink points to. */
typedef struct copies {
    int variations;
    char **variation, *version, *description, *about;
    events_process *process;
} copies;

struct events_writer {
    events_sink sink;
    copies copies;
    place *place;
    size_t places;
    uint64_t filled, taken, written; /* blocks handed over, taken by threads that encode, appended */
    int ends;                        /* no more blocks will come */
    int parted;                      /* ranks that wrote together do so no more */
    uint64_t count, last;            /* complete events in the file, number of the last one */
    double waited;                   /* seconds, for a place */
    bg_status status;                /* of the first that failed */
    bg_error error;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    pthread_t thread[MOST_THREADS + 1];
    int threads, locks; /* threads that run; whether mutex and condition exist */
};

/* ---- formats ----------------------------------------------------------------------------------------------------- */

static int ends_with(const char *path, const char *ending, size_t length)
{
    const size_t all = strlen(path);
    return all > length && path[all - length - 1] == '.' && !memcmp(path + all - length, ending, length);
}

static int has_ending(const events_format *f, const char *path)
{
    for (const char *at = f->endings; *at;) {
        const size_t length = strcspn(at, " ");
        if (ends_with(path, at, length)) return 1;
        at += length + strspn(at + length, " ");
    }
    return 0;
}

static const events_format *format_of(const char *path, bg_error *error)
{
    for (size_t k = 0; k < FORMATS; k++) {
        if (!has_ending(formats[k], path)) continue;
        if (!formats[k]->missing) return formats[k];
        events_fail(error, BG_ERROR_UNSUPPORTED, "cannot write '%.300s': %s", path, formats[k]->missing);
        return NULL;
    }
    events_fail(error, BG_ERROR_ARGUMENT,
                "'%.300s' is no name of a file of events; it must end in .lhe, .lhe.gz, .h5, .hdf5, .npy or .csv",
                path);
    return NULL;
}

const char *events_format_name(const char *path, bg_error *error)
{
    const events_format *f = format_of(path, error);
    return f ? f->name : NULL;
}

int events_shares(const char *path)
{
    const events_format *f = format_of(path, NULL);
    return f && f->share;
}

/* ---- what a run says --------------------------------------------------------------------------------------------- */

static bg_status check_names(const events_run *run, bg_error *error)
{
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+.:=/() ";
    for (int k = 0; k < run->variations; k++) {
        const char *name = run->variation[k];
        if (!*name || strlen(name) > 64 || name[strspn(name, allowed)])
            return events_fail(error, BG_ERROR_ARGUMENT,
                               "a variation is called '%.80s'; it must be 1 to 64 letters, digits or any of _-+.:=/() "
                               "and blanks",
                               name);
        for (int other = 0; other < k; other++)
            if (!strcmp(name, run->variation[other]))
                return events_fail(error, BG_ERROR_ARGUMENT, "two variations are called '%s'", name);
    }
    return BG_OK;
}

static bg_status check_run(const events_run *run, const events_options *o, bg_error *error)
{
    enum { MOST_PROCESSES = 1 << 16, MOST_VARIATIONS = 4096 };
    if (run->strategy != EVENTS_UNWEIGHTED && run->strategy != EVENTS_WEIGHTED)
        return events_fail(error, BG_ERROR_ARGUMENT, "weighting strategy %d; it must be %d or %d", run->strategy,
                           EVENTS_UNWEIGHTED, EVENTS_WEIGHTED);
    if (run->processes < 1 || run->processes > MOST_PROCESSES)
        return events_fail(error, BG_ERROR_ARGUMENT, "%d processes; it must be 1 to %d", run->processes,
                           MOST_PROCESSES);
    if (run->variations < 0 || run->variations > MOST_VARIATIONS)
        return events_fail(error, BG_ERROR_ARGUMENT, "%d variations; it must be 0 to %d", run->variations,
                           MOST_VARIATIONS);
    if (run->scale_variations < 0 || run->scale_variations > run->variations)
        return events_fail(error, BG_ERROR_ARGUMENT, "%d of %d variations are of scales", run->scale_variations,
                           run->variations);
    if (run->combine[strspn(run->combine, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+*#$")])
        return events_fail(error, BG_ERROR_ARGUMENT,
                           "members are combined by '%.31s'; it must be letters and any of _-+*#$", run->combine);
    for (int k = 0; k < run->processes; k++)
        if (run->process[k].n_out < 1 || run->process[k].n_out > BG_EVENT_LEGS - 2)
            return events_fail(error, BG_ERROR_ARGUMENT, "process %d has %d outgoing partons; it must be 1 to %d", k,
                               run->process[k].n_out, BG_EVENT_LEGS - 2);
    if (o->threads < 0 || o->threads > MOST_THREADS)
        return events_fail(error, BG_ERROR_ARGUMENT, "%d threads for events; it must be 0 to %d", o->threads,
                           MOST_THREADS);
    if (o->compression < 0 || o->compression > 9)
        return events_fail(error, BG_ERROR_ARGUMENT, "compression is %d; it must be 0 to 9", o->compression);
    return check_names(run, error);
}

static char *copy_text(const char *text)
{
    const size_t bytes = strlen(text ? text : "") + 1;
    char *copy = malloc(bytes);
    if (copy) memcpy(copy, text ? text : "", bytes);
    return copy;
}

static void free_copies(copies *c)
{
    for (int k = 0; c->variation && k < c->variations; k++) free(c->variation[k]);
    free(c->variation);
    free(c->process);
    free(c->version);
    free(c->description);
    free(c->about);
}

/* The run with lists of our own. Returns 0, or -1 without memory. */
static int copy_run(copies *c, events_run *to, const events_run *from)
{
    c->variations = from->variations;
    c->variation = calloc((size_t)from->variations + 1, sizeof *c->variation);
    c->process = malloc((size_t)from->processes * sizeof *c->process);
    c->version = copy_text(from->version);
    c->description = copy_text(from->description);
    c->about = copy_text(from->about);
    if (!c->variation || !c->process || !c->version || !c->description || !c->about) return -1;
    memcpy(c->process, from->process, (size_t)from->processes * sizeof *c->process);
    for (int k = 0; k < from->variations; k++)
        if (!(c->variation[k] = copy_text(from->variation[k]))) return -1;
    *to = *from;
    to->variation = (const char *const *)c->variation;
    to->process = c->process;
    to->version = c->version;
    to->description = c->description;
    to->about = c->about;
    return 0;
}

/* ---- the name of the file ---------------------------------------------------------------------------------------- */

/* The folder of a path to disk, so that a name is durable. */
static void sync_folder(const char *path)
{
    char folder[EVENTS_PATH];
    const char *slash = strrchr(path, '/');
    const size_t length = slash ? (size_t)(slash - path) : 0;
    memcpy(folder, path, length);
    strcpy(folder + length, slash ? (length ? "" : "/") : ".");
    const int file = open(folder, O_RDONLY);
    if (file < 0) return;
    (void)fsync(file);
    close(file);
}

/* A lock that ends with its process, or with any descriptor of the file that it closes. Returns whether it was free. It is one of
 * the whole file; where ranks write together, and their library may lock what it writes, one of a byte that no file has. */
static int lock(const events_sink *s)
{
    struct flock range;
    memset(&range, 0, sizeof range);
    range.l_type = F_WRLCK;
    range.l_whence = SEEK_SET;
    if (s->options.ranks) {
        range.l_start = (off_t)1 << 62;
        range.l_len = 1;
    }
    return fcntl(s->file, F_SETLK, &range) == 0 ||
           (errno != EACCES && errno != EAGAIN); /* or there are no locks at all */
}

static bg_status check_resume(const events_format *format, const events_options *options, bg_error *error)
{
    if (!options->resume || format->resumes) return BG_OK;
    return events_fail(error, BG_ERROR_UNSUPPORTED,
                       "a file of format %s cannot be gone on with; .lhe, .lhe.gz and .h5 can", format->name);
}

static bg_status name_file(events_sink *s, const char *path, bg_error *error)
{
    if (strlen(path) + sizeof ".part" > sizeof s->part)
        return events_fail(error, BG_ERROR_ARGUMENT,
                           "the name of the file of events has %zu characters; it may have %zu", strlen(path),
                           sizeof s->part - sizeof ".part");
    strcpy(s->final, path);
    strcpy(s->part, path);
    strcat(s->part, ".part");
    return BG_OK;
}

/* FILE that is there already. */
static bg_status check_final(const events_sink *s, bg_error *error)
{
    struct stat about;
    if (stat(s->final, &about)) return BG_OK;
    if (!S_ISREG(about.st_mode))
        return events_fail(error, BG_ERROR_ARGUMENT, "'%.300s' is no ordinary file; events cannot go there", s->final);
    if (!s->options.force && !(s->options.resume && stat(s->part, &about)))
        return events_fail(error, BG_ERROR_ARGUMENT, "'%.300s' is there already; --force replaces it", s->final);
    return BG_OK;
}

/* FILE.part belongs to another run unless this one goes on with it or replaces it. */
static bg_status check_part(const events_sink *s, int exists, bg_error *error)
{
    const int resume = s->options.resume;
    if (exists && !resume && !s->options.force)
        return events_fail(error, BG_ERROR_ARGUMENT, "'%.300s' is left from another run; --force replaces it%s",
                           s->part, s->format->resumes ? ", --resume goes on with it" : "");
    return BG_OK;
}

static bg_status another_writes(const events_sink *s, bg_error *error)
{
    return events_fail(error, BG_ERROR_IO, "cannot write '%.300s': another process is writing it", s->part);
}

static bg_status open_file(events_sink *s, bg_error *error)
{
    const int resume = s->options.resume;
    s->file = open(s->part, O_RDWR | (resume ? 0 : O_CREAT) | (resume || s->options.force ? 0 : O_EXCL), 0666);
    if (s->file < 0 && errno == EEXIST) return check_part(s, 1, error);
    if (s->file < 0) return events_fail(error, BG_ERROR_IO, "cannot write '%.300s': %s", s->part, strerror(errno));
    if (!lock(s)) return another_writes(s, error);
    if (!resume && ftruncate(s->file, 0))
        return events_fail(error, BG_ERROR_IO, "cannot write '%.300s': %s", s->part, strerror(errno));
    return BG_OK;
}

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

/* Waits until all blocks are written, the one that is not full as well, and the threads are gone. */
static void join_threads(events_writer *w)
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

/* Room for so many events in a block; what is in it is lost. */
static bg_status make_room(events_block *b, size_t room, size_t variations, bg_error *error)
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

static bg_status start_threads(events_writer *w, bg_error *error)
{
    const int encoders = w->sink.options.threads ? w->sink.options.threads : default_threads();
    const size_t room = w->sink.format->block, variations = (size_t)w->sink.run.variations;
    w->places = 2 * (size_t)encoders + SPARE_BLOCKS;
    if (!w->sink.options.ranks && w->places * room < UNDER_WAY) w->places = UNDER_WAY / room;
    w->place = calloc(w->places, sizeof *w->place);
    if (!w->place) return events_fail(error, BG_ERROR_MEMORY, "no memory for %zu blocks of events", w->places);
    for (size_t k = 0; k < w->places; k++) {
        const bg_status status = make_room(&w->place[k].block, room, variations, error);
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

static void destroy(events_writer *w)
{
    join_threads(w);
    for (size_t k = 0; w->place && k < w->places; k++) {
        events_block *b = &w->place[k].block;
        free(b->event);
        free(b->variation);
        free(b->end);
        free(b->text.at);
    }
    free(w->place);
    if (w->sink.file >= 0) close(w->sink.file);
    free(w->sink.used);
    free(w->sink.counts);
    free_copies(&w->copies);
    free(w);
}

/* ---- events ------------------------------------------------------------------------------------------------------ */

/* What readers would stumble over. */
static bg_status check_event(const events_sink *s, const bg_event *e, bg_error *error)
{
    const unsigned long long number = e->number;
    if (e->process < 0 || e->process >= s->run.processes)
        return events_fail(error, BG_ERROR_ARGUMENT, "event %llu is of process %d; it must be 0 to %d", number,
                           e->process, s->run.processes - 1);
    if (e->legs != s->run.process[e->process].n_out + 2)
        return events_fail(error, BG_ERROR_ARGUMENT, "event %llu has %d partons; its process has %d", number, e->legs,
                           s->run.process[e->process].n_out + 2);
    if (!(e->scale > 0.) || !isfinite(e->scale))
        return events_fail(error, BG_ERROR_ARGUMENT, "event %llu has the scale %g; it must be above 0", number,
                           e->scale);
    if (!isfinite(e->weight))
        return events_fail(error, BG_ERROR_ARGUMENT, "event %llu has the weight %g; it must be finite", number,
                           e->weight);
    if (s->run.strategy == EVENTS_UNWEIGHTED && e->weight != 1.)
        return events_fail(
            error, BG_ERROR_ARGUMENT,
            "event %llu has the weight %g; it must be 1 with weighting strategy %d, where readers ignore it", number,
            e->weight, EVENTS_UNWEIGHTED);
    if (s->run.variations && !e->variation)
        return events_fail(error, BG_ERROR_ARGUMENT, "event %llu has no weights for %d variations", number,
                           s->run.variations);
    for (int leg = 0; leg < e->legs; leg++)
        for (int c = 0; c < 4; c++)
            if (!isfinite(e->momentum[leg][c]) || !(e->momentum[leg][0] > 0.))
                return events_fail(error, BG_ERROR_POINT, "event %llu: the momentum of parton %d is not physical",
                                   number, leg + 1);
    if (!(e->momentum[0][3] * e->momentum[1][3] < 0.))
        return events_fail(error, BG_ERROR_POINT,
                           "event %llu: one incoming parton must fly along +z, the other along -z", number);
    return BG_OK;
}

void events_order_beams(bg_event *e)
{
    if (e->momentum[0][3] > 0.) return;
    const bg_event from = *e;
    for (int k = 0; k < 2; k++) {
        e->pdg[k] = from.pdg[1 - k];
        e->helicity[k] = from.helicity[1 - k];
        memcpy(e->color[k], from.color[1 - k], sizeof e->color[k]);
        memcpy(e->momentum[k], from.momentum[1 - k], sizeof e->momentum[k]);
    }
}

static void add_events(const events_sink *s, events_block *b, const bg_event *event, size_t count)
{
    const size_t variations = (size_t)s->run.variations;
    for (size_t k = 0; k < count; k++, b->count++) {
        bg_event *e = &b->event[b->count];
        double *to = b->variation + b->count * variations;
        *e = event[k];
        if (variations) memcpy(to, event[k].variation, variations * sizeof *to);
        e->variation = variations ? to : NULL;
        events_order_beams(e);
    }
}

static double seconds_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The block that is being filled, as soon as there is a place for one. Nobody else looks at an empty place. */
static bg_status open_block(events_writer *w, events_block **block, bg_error *error)
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

/* Hands it over. */
static void close_block(events_writer *w)
{
    pthread_mutex_lock(&w->mutex);
    w->place[w->filled % w->places].state = PLACE_FILLED;
    w->filled++;
    pthread_cond_broadcast(&w->changed);
    pthread_mutex_unlock(&w->mutex);
}

/* Ranks that write together append their parts of one batch at once: it is a block, whatever its size. */
static bg_status write_part(events_writer *w, const bg_event *event, size_t count, bg_error *error)
{
    events_block *b;
    bg_status status = open_block(w, &b, error);
    if (status == BG_OK) status = make_room(b, count, (size_t)w->sink.run.variations, error);
    if (status != BG_OK) return status;
    add_events(&w->sink, b, event, count);
    close_block(w);
    return BG_OK;
}

bg_status events_write(events_writer *w, const bg_event *event, size_t count, bg_error *error)
{
    bg_status status = BG_OK;
    events_block *b;
    for (size_t k = 0; k < count && status == BG_OK; k++) status = check_event(&w->sink, &event[k], error);
    if (w->sink.options.ranks) return status == BG_OK ? write_part(w, event, count, error) : status;
    for (size_t done = 0; done < count && status == BG_OK;) {
        status = open_block(w, &b, error);
        if (status != BG_OK) break;
        const size_t room = b->room - b->count, some = count - done < room ? count - done : room;
        add_events(&w->sink, b, event + done, some);
        if (b->count == b->room) close_block(w);
        done += some;
    }
    return status;
}

uint64_t events_count(events_writer *w)
{
    pthread_mutex_lock(&w->mutex);
    const uint64_t count = w->count;
    pthread_mutex_unlock(&w->mutex);
    return count;
}

uint64_t events_last_number(events_writer *w)
{
    pthread_mutex_lock(&w->mutex);
    const uint64_t last = w->last;
    pthread_mutex_unlock(&w->mutex);
    return last;
}

const uint64_t *events_used(const events_writer *w) { return w->sink.used; }

double events_waited(events_writer *w)
{
    pthread_mutex_lock(&w->mutex);
    const double waited = w->waited;
    pthread_mutex_unlock(&w->mutex);
    return waited;
}

/* ---- from the beginning to the end ------------------------------------------------------------------------------- */

/* What there is to go on with. Where a run was stopped after it had given the file its name, that is taken back, and 1
 * returned; where there is nothing, the file begins. */
static int find_part(events_sink *s)
{
    struct stat about;
    if (!s->options.resume || !stat(s->part, &about)) return 0;
    if (!rename(s->final, s->part)) return 1;
    s->options.resume = 0;
    return 0;
}

/* What one process does, be it the only one: the file, with nothing in it or with what was there. */
static bg_status begin_file(events_sink *s, bg_error *error)
{
    bg_status status = check_resume(s->format, &s->options, error);
    if (status == BG_OK) status = check_final(s, error);
    if (status != BG_OK) return status;
    const int complete = find_part(s);
    status = open_file(s, error);
    if (status != BG_OK) return status;
    status = s->options.resume ? s->format->resume(s, error) : s->format->start(s, error);
    if (status != BG_OK && !s->options.resume) (void)unlink(s->part); /* it has no events yet */
    if (status != BG_OK && complete) (void)rename(s->part, s->final);
    return status;
}

/* Ends what was begun and did not come to its first event. */
static void abandon_file(events_writer *w)
{
    events_sink *s = &w->sink;
    bg_error ignored;
    if (w->locks) pthread_mutex_lock(&w->mutex);
    w->parted = 1; /* not all ranks may have a thread */
    if (w->locks) pthread_mutex_unlock(&w->mutex);
    join_threads(w);
    if (s->options.ranks && s->format->unshare) (void)s->format->unshare(s, &ignored);
    if (!events_is_first(s)) return;
    (void)s->format->finish(s, 0, &ignored);
    if (!s->options.resume) (void)unlink(s->part);
}

/* All ranks know what rank 0 has found, and open its file. */
static bg_status share_file(events_sink *s, bg_error *error)
{
    uint64_t found[2] = {s->count, s->last};
    if (!s->format->share)
        return events_fail(error, BG_ERROR_UNSUPPORTED, "ranks cannot write '%.300s' together", s->final);
    events_tell(s, found, sizeof found);
    events_tell(s, s->used, (size_t)s->run.processes * sizeof *s->used);
    s->count = found[0];
    s->last = found[1];
    return events_agree(s, s->format->share(s, error), error);
}

static bg_status start(events_writer *w, const char *path, const events_run *run, bg_error *error)
{
    events_sink *s = &w->sink;
    const bg_communicator *ranks = s->options.ranks;
    bg_status status = check_run(run, &s->options, error);
    if (status == BG_OK && copy_run(&w->copies, &s->run, run))
        status = events_fail(error, BG_ERROR_MEMORY, "no memory for a file of events");
    if (status == BG_OK) status = name_file(s, path, error);
    if (status == BG_OK) {
        s->used = calloc((size_t)run->processes, sizeof *s->used);
        s->counts = calloc(ranks ? (size_t)ranks->ranks + 1 : 1, sizeof *s->counts);
        if (!s->used || !s->counts)
            status = events_fail(error, BG_ERROR_MEMORY, "no memory for %d processes", run->processes);
    }
    for (int k = 0; status == BG_OK && k < run->processes; k++)
        if (run->process[k].n_out + 2 > s->legs) s->legs = run->process[k].n_out + 2;
    if (status == BG_OK && events_is_first(s)) status = begin_file(s, error);
    status = events_agree(s, status, error);
    if (status != BG_OK) return status;
    if (ranks) status = share_file(s, error);
    if (status == BG_OK && events_is_first(s) && !lock(s)) /* again: formats open files and close them */
        status = another_writes(s, error);
    w->count = s->count;
    w->last = s->last;
    if (status == BG_OK) status = start_threads(w, error);
    status = events_agree(s, status, error);
    if (status != BG_OK) abandon_file(w);
    return status;
}

bg_status events_check_place(const char *path, const events_options *options, bg_error *error)
{
    struct stat about;
    const events_format *format = format_of(path, error);
    if (!format) return error ? error->status : BG_ERROR_ARGUMENT;
    events_sink *s = calloc(1, sizeof *s);
    if (!s) return events_fail(error, BG_ERROR_MEMORY, "no memory for a file of events");
    s->format = format;
    s->options = *options;
    bg_status status = check_resume(format, options, error);
    if (status == BG_OK) status = name_file(s, path, error);
    if (status == BG_OK) status = check_final(s, error);
    if (status == BG_OK) status = check_part(s, stat(s->part, &about) == 0, error);
    free(s);
    return status;
}

bg_status events_open(events_writer **writer, const char *path, const events_run *run, const events_options *options,
                      bg_error *error)
{
    *writer = NULL;
    const events_format *format = format_of(path, error);
    if (!format) return error ? error->status : BG_ERROR_ARGUMENT;
    events_writer *w = calloc(1, sizeof *w);
    if (!w) return events_fail(error, BG_ERROR_MEMORY, "no memory for a file of events");
    w->sink.format = format;
    w->sink.options = *options;
    w->sink.file = -1;
    const bg_status status = start(w, path, run, error);
    if (status != BG_OK)
        destroy(w);
    else
        *writer = w;
    return status;
}

/* The last bytes, and everything to disk. */
static bg_status finish_file(events_sink *s, int complete, bg_error *error)
{
    const bg_status status = s->format->finish(s, complete, error);
    if (status != BG_OK) return status;
    if (fsync(s->file) && errno != EINVAL)
        return events_fail(error, BG_ERROR_IO, "cannot write '%.300s': %s", s->part, strerror(errno));
    return BG_OK;
}

/* Waits for what is under way and ends the file, which gets its name if it is complete. Where something has failed before, that comes
 * first, but the file gets an end. */
static bg_status finish(events_writer *w, int complete, bg_error *error)
{
    events_sink *s = &w->sink;
    bg_error why = {BG_OK, ""};
    join_threads(w);
    if (w->status != BG_OK && error) *error = w->error;
    bg_status status = events_agree(s, w->status, error);
    const int whole = complete && status == BG_OK;
    bg_status last = s->options.ranks ? s->format->unshare(s, &why) : BG_OK;
    if (last == BG_OK && events_is_first(s)) last = finish_file(s, whole, &why);
    if (last == BG_OK && whole && events_is_first(s)) {
        if (rename(s->part, s->final))
            last = events_fail(&why, BG_ERROR_IO, "cannot give '%.200s' the name '%.200s': %s", s->part, s->final,
                               strerror(errno));
        else
            sync_folder(s->final);
    }
    last = events_agree(s, last, &why);
    if (status != BG_OK || last == BG_OK) return status;
    if (error) *error = why;
    return last;
}

bg_status events_close(events_writer *w, const events_process *process, double trials, bg_error *error)
{
    events_sink *s = &w->sink;
    events_process *own = w->copies.process;
    join_threads(w);
    for (int k = 0; process && k < s->run.processes; k++) {
        own[k].sigma_pb = process[k].sigma_pb;
        own[k].error_pb = process[k].error_pb;
        own[k].max_weight = process[k].max_weight;
    }
    s->trials = trials;
    const bg_status status = finish(w, 1, error);
    destroy(w);
    return status;
}

bg_status events_leave(events_writer *w, bg_error *error)
{
    const bg_status status = finish(w, 0, error);
    destroy(w);
    return status;
}
