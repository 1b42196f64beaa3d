/* Texts that grow, and files that are bytes. */
#include "events/format.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bg_status events_fail(bg_error *error, bg_status status, const char *format, ...)
{
    if (error) {
        va_list arguments;
        error->status = status;
        va_start(arguments, format);
        vsnprintf(error->message, sizeof error->message, format, arguments);
        va_end(arguments);
    }
    return status;
}

/* ---- texts ------------------------------------------------------------------------------------------------------- */

static int make_room(events_text *t, size_t more)
{
    if (t->failed) return 0;
    if (t->length + more <= t->room) return 1;
    const size_t room = 2 * (t->length + more);
    char *at = realloc(t->at, room);
    if (!at) {
        t->failed = 1;
        return 0;
    }
    t->at = at;
    t->room = room;
    return 1;
}

void events_add(events_text *t, const void *bytes, size_t length)
{
    if (!make_room(t, length) || !length) return;
    memcpy(t->at + t->length, bytes, length);
    t->length += length;
}

void events_print(events_text *t, const char *format, ...)
{
    va_list arguments;
    if (!make_room(t, EVENTS_LINE)) return;
    va_start(arguments, format);
    const int length = vsnprintf(t->at + t->length, EVENTS_LINE, format, arguments);
    va_end(arguments);
    if (length < 0 || length >= EVENTS_LINE)
        t->failed = 1;
    else
        t->length += (size_t)length;
}

void events_reals(events_text *t, char before, const double *x, int count)
{
    if (!make_room(t, (size_t)count * (EVENTS_REAL + 1))) return;
    for (int k = 0; k < count; k++) {
        t->at[t->length++] = before;
        t->length += events_format_real(x[k], t->at + t->length);
    }
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

/* Writes at a place; returns how many bytes there was room for. */
static size_t put(int file, const char *bytes, size_t length, off_t at)
{
    size_t done = 0;
    while (done < length) {
        const ssize_t some = pwrite(file, bytes + done, length - done, at + (off_t)done);
        if (some < 0 && errno == EINTR) continue;
        if (some <= 0) break;
        done += (size_t)some;
    }
    return done;
}

static bg_status cannot_write(const events_sink *s, bg_error *error)
{
    return events_fail(error, BG_ERROR_IO, "cannot write '%.300s': %s; it has %llu complete events", s->part,
                       strerror(errno), (unsigned long long)s->count);
}

bg_status events_put_at(events_sink *s, const void *bytes, size_t length, off_t at, bg_error *error)
{
    return put(s->file, bytes, length, at) == length ? BG_OK : cannot_write(s, error);
}

bg_status events_put(events_sink *s, const void *bytes, size_t length, bg_error *error)
{
    const bg_status status = events_put_at(s, bytes, length, s->end, error);
    if (status == BG_OK) s->end += (off_t)length;
    return status;
}

int events_found(events_sink *s, uint64_t number, int process)
{
    if (process < 0 || process >= s->run.processes || number < s->used[process]) return 0;
    s->used[process] = number + 1;
    s->last = number;
    s->count++;
    return 1;
}

bg_status events_append(events_sink *s, const events_block *b, size_t tail, bg_error *error)
{
    const size_t done = put(s->file, b->text.at, b->text.length, s->end);
    const int why = errno;
    size_t kept = b->count;
    if (done < b->text.length)
        while (kept && b->end[kept - 1] + tail > done) kept--;
    if (kept) {
        s->end += (off_t)b->end[kept - 1];
        s->count += kept;
        s->last = b->event[kept - 1].number;
    }
    if (done == b->text.length) return BG_OK;
    (void)ftruncate(s->file, s->end);
    errno = why;
    return cannot_write(s, error);
}
