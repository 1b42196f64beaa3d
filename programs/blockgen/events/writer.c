/* The writer: which format a file has, checks of what its run and its events say, copies of both, and the order of things from the first call
 * to the last. Blocks of events go through a queue (queue.c) to a file that gets its name at the end (part.c).
 */
#include "events/part.h"
#include "events/queue.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const events_format *const formats[] = {&events_lhef, &events_lhef_gz, &events_hdf5, &events_npy, &events_csv};
enum { FORMATS = sizeof formats / sizeof *formats };

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
    if (o->threads < 0)
        return events_fail(error, BG_ERROR_ARGUMENT, "%d threads for events; it must be 0 or more", o->threads);
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

static void free_copies(events_copies *c)
{
    for (int k = 0; c->variation && k < c->variations; k++) free(c->variation[k]);
    free(c->variation);
    free(c->process);
    free(c->version);
    free(c->description);
    free(c->about);
}

/* The run with lists of our own. Returns 0, or -1 without memory. */
static int copy_run(events_copies *c, events_run *to, const events_run *from)
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

/* Ranks that write together append their parts of one batch at once: it is a block, whatever its size. */
static bg_status write_part(events_writer *w, const bg_event *event, size_t count, bg_error *error)
{
    events_block *b;
    bg_status status = events_open_block(w, &b, error);
    if (status == BG_OK) status = events_make_room(b, count, (size_t)w->sink.run.variations, error);
    if (status != BG_OK) return status;
    add_events(&w->sink, b, event, count);
    events_close_block(w);
    return BG_OK;
}

bg_status events_write(events_writer *w, const bg_event *event, size_t count, bg_error *error)
{
    bg_status status = BG_OK;
    events_block *b;
    for (size_t k = 0; k < count && status == BG_OK; k++) status = check_event(&w->sink, &event[k], error);
    if (w->sink.options.ranks) return status == BG_OK ? write_part(w, event, count, error) : status;
    for (size_t done = 0; done < count && status == BG_OK;) {
        status = events_open_block(w, &b, error);
        if (status != BG_OK) break;
        const size_t room = b->room - b->count, some = count - done < room ? count - done : room;
        add_events(&w->sink, b, event + done, some);
        if (b->count == b->room) events_close_block(w);
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

static void destroy(events_writer *w)
{
    events_join_threads(w);
    events_free_blocks(w);
    if (w->sink.file >= 0) close(w->sink.file);
    free(w->sink.used);
    free(w->sink.counts);
    free_copies(&w->copies);
    free(w);
}

/* Ends what was begun and did not come to its first event. */
static void abandon_file(events_writer *w)
{
    events_sink *s = &w->sink;
    bg_error ignored;
    if (w->locks) pthread_mutex_lock(&w->mutex);
    w->parted = 1; /* not all ranks may have a thread */
    if (w->locks) pthread_mutex_unlock(&w->mutex);
    events_join_threads(w);
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
    if (status == BG_OK) status = events_name_file(s, path, error);
    if (status == BG_OK) {
        s->used = calloc((size_t)run->processes, sizeof *s->used);
        s->counts = calloc(ranks ? (size_t)ranks->ranks + 1 : 1, sizeof *s->counts);
        if (!s->used || !s->counts)
            status = events_fail(error, BG_ERROR_MEMORY, "no memory for %d processes", run->processes);
    }
    for (int k = 0; status == BG_OK && k < run->processes; k++)
        if (run->process[k].n_out + 2 > s->legs) s->legs = run->process[k].n_out + 2;
    if (status == BG_OK && events_is_first(s)) status = events_begin_file(s, error);
    status = events_agree(s, status, error);
    if (status != BG_OK) return status;
    if (ranks) status = share_file(s, error);
    if (status == BG_OK && events_is_first(s)) status = events_lock_file(s, error); /* again */
    w->count = s->count;
    w->last = s->last;
    if (status == BG_OK) status = events_start_threads(w, error);
    status = events_agree(s, status, error);
    if (status != BG_OK) abandon_file(w);
    return status;
}

bg_status events_check_place(const char *path, const events_options *options, bg_error *error)
{
    const events_format *format = format_of(path, error);
    if (!format) return error ? error->status : BG_ERROR_ARGUMENT;
    events_sink *s = calloc(1, sizeof *s);
    if (!s) return events_fail(error, BG_ERROR_MEMORY, "no memory for a file of events");
    s->format = format;
    s->options = *options;
    const bg_status status = events_check_file(s, path, error);
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

/* Waits for what is under way and ends the file, which gets its name if it is complete. Where something has failed before, that comes
 * first, but the file gets an end. */
static bg_status finish(events_writer *w, int complete, bg_error *error)
{
    events_sink *s = &w->sink;
    bg_error why = {BG_OK, ""};
    events_join_threads(w);
    if (w->status != BG_OK && error) *error = w->error;
    bg_status status = events_agree(s, w->status, error);
    const int whole = complete && status == BG_OK;
    bg_status last = s->options.ranks ? s->format->unshare(s, &why) : BG_OK;
    if (last == BG_OK && events_is_first(s)) last = events_finish_file(s, whole, &why);
    if (last == BG_OK && whole && events_is_first(s)) last = events_give_name(s, &why);
    last = events_agree(s, last, &why);
    if (status != BG_OK || last == BG_OK) return status;
    if (error) *error = why;
    return last;
}

bg_status events_close(events_writer *w, const events_process *process, double trials, bg_error *error)
{
    events_sink *s = &w->sink;
    events_process *own = w->copies.process;
    events_join_threads(w);
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
