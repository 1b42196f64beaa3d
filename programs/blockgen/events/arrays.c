/* Plain arrays for people who look at events themselves: structured arrays of numpy, and tables of text.
 *
 * numpy.load("run.npy") has a row an event: row["momentum"][:, 2, 0] are the energies of the first outgoing partons.
 * The table has the same in columns, with a line of names on top.
 */
#include "events/format.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- beside them ------------------------------------------------------------------------------------------------- */

/* What has no place in an array: the options of the run, in a file of its own. */
static bg_status put_about(const events_sink *s, bg_error *error)
{
    char path[EVENTS_PATH + sizeof EVENTS_ABOUT];
    snprintf(path, sizeof path, "%s" EVENTS_ABOUT, s->final);
    FILE *f = fopen(path, "w");
    const int good = f && fprintf(f, "# %s\n%s", s->run.description, s->run.about) > 0;
    if (f && !fclose(f) && good) return BG_OK;
    return events_fail(error, BG_ERROR_IO, "cannot write '%.300s': %s", path, strerror(errno));
}

/* ---- numpy ------------------------------------------------------------------------------------------------------- */

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define ORDER ">"
#else
#define ORDER "<"
#endif

/* Magic, version 2.0, length, and a dictionary that is filled up with blanks to whole 64 bytes. */
static void make_npy_head(const events_sink *s, events_text *t)
{
    static const char magic[8] = "\x93NUMPY\x02";
    enum { BEFORE = 12, LINE = 64 };
    unsigned char length[4];
    events_add(t, magic, sizeof magic);
    events_add(t, "    ", sizeof length);
    events_print(t, "{'descr': [('number', '" ORDER "u8'), ('process', '" ORDER "i4'), ('legs', '" ORDER "i4'), "
                    "('weight', '" ORDER "f8'), ('trials', '" ORDER "f8'), ('scale', '" ORDER "f8'), ('muf', '" ORDER
                    "f8'), ('mur', '" ORDER "f8'), ('alpha_s', '" ORDER "f8'), ('x', '" ORDER "f8', (2,)), ");
    events_print(t,
                 "('pdg', '" ORDER "i4', (%d,)), ('color', '" ORDER "i4', (%d, 2)), ('helicity', '" ORDER
                 "i4', (%d,)), ('momentum', '" ORDER "f8', (%d, 4))",
                 s->legs, s->legs, s->legs, s->legs);
    for (int k = 0; k < s->run.variations; k++)
        events_print(t, ", ('variation %s', '" ORDER "f8')", s->run.variation[k]);
    events_print(t, "], 'fortran_order': False, 'shape': (%20llu,), }", (unsigned long long)s->count);
    while (!t->failed && t->length % LINE != LINE - 1) events_add(t, " ", 1);
    events_add(t, "\n", 1);
    if (t->failed) return;
    for (size_t k = 0; k < sizeof length; k++) length[k] = (unsigned char)((t->length - BEFORE) >> 8 * k);
    memcpy(t->at + BEFORE - sizeof length, length, sizeof length);
}

static void add_record(const events_sink *s, const bg_event *e, events_text *t)
{
    const size_t legs = (size_t)s->legs;
    const int32_t ints[2] = {e->process, e->legs};
    const double numbers[8] = {e->weight, e->trials, e->scale, e->muf, e->mur, e->alpha_s, e->x[0], e->x[1]};
    bg_event full = *e;
    for (int k = e->legs; k < s->legs; k++) { /* rows that are not used have nothing in them */
        full.pdg[k] = full.color[k][0] = full.color[k][1] = full.helicity[k] = 0;
        memset(full.momentum[k], 0, sizeof full.momentum[k]);
    }
    events_add(t, &e->number, sizeof e->number);
    events_add(t, ints, sizeof ints);
    events_add(t, numbers, sizeof numbers);
    events_add(t, full.pdg, legs * sizeof *full.pdg);
    events_add(t, full.color, legs * sizeof *full.color);
    events_add(t, full.helicity, legs * sizeof *full.helicity);
    events_add(t, full.momentum, legs * sizeof *full.momentum);
    events_add(t, e->variation, (size_t)s->run.variations * sizeof *e->variation);
}

static void npy_encode(const events_sink *s, events_block *b)
{
    for (size_t k = 0; k < b->count; k++) {
        add_record(s, &b->event[k], &b->text);
        b->end[k] = b->text.length;
    }
}

static bg_status put_npy_head(events_sink *s, bg_error *error)
{
    events_text t = {NULL, 0, 0, 0};
    make_npy_head(s, &t);
    const bg_status status = t.failed ? events_fail(error, BG_ERROR_MEMORY, "no memory for the head of an array")
                                      : events_put_at(s, t.at, t.length, 0, error);
    if (!s->end) s->end = (off_t)t.length;
    free(t.at);
    return status;
}

static bg_status npy_start(events_sink *s, bg_error *error)
{
    const bg_status status = put_about(s, error);
    return status == BG_OK ? put_npy_head(s, error) : status;
}

static bg_status npy_append(events_sink *s, const events_block *b, bg_error *error)
{
    return events_append(s, b, 0, error);
}

/* The head has the number of rows. */
static bg_status npy_finish(events_sink *s, int complete, bg_error *error)
{
    (void)complete;
    return put_npy_head(s, error);
}

const events_format events_npy = {.name = "npy",
                                  .endings = "npy",
                                  .block = 1024,
                                  .start = npy_start,
                                  .encode = npy_encode,
                                  .append = npy_append,
                                  .finish = npy_finish};

/* ---- tables ------------------------------------------------------------------------------------------------------ */

static bg_status csv_start(events_sink *s, bg_error *error)
{
    events_text t = {NULL, 0, 0, 0};
    if (put_about(s, error) != BG_OK) return BG_ERROR_IO;
    events_print(&t, "number,process,weight,trials,scale,muf,mur,alpha_s,x1,x2");
    for (int k = 1; k <= s->legs; k++)
        events_print(&t, ",pdg_%d,color_%d,anticolor_%d,helicity_%d,e_%d,px_%d,py_%d,pz_%d", k, k, k, k, k, k, k, k);
    for (int k = 0; k < s->run.variations; k++) events_print(&t, ",%s", s->run.variation[k]);
    events_print(&t, "\n");
    const bg_status status = t.failed ? events_fail(error, BG_ERROR_MEMORY, "no memory for the head of a table")
                                      : events_put(s, t.at, t.length, error);
    free(t.at);
    return status;
}

static void add_row(const events_sink *s, const bg_event *e, events_text *t)
{
    const double numbers[8] = {e->weight, e->trials, e->scale, e->muf, e->mur, e->alpha_s, e->x[0], e->x[1]};
    events_print(t, "%llu,%d", (unsigned long long)e->number, e->process);
    events_reals(t, ',', numbers, 8);
    for (int k = 0; k < s->legs; k++) {
        if (k >= e->legs) {
            events_print(t, ",,,,,,,,");
            continue;
        }
        events_print(t, ",%d,%d,%d,%d", e->pdg[k], e->color[k][0], e->color[k][1], e->helicity[k]);
        events_reals(t, ',', e->momentum[k], 4);
    }
    events_reals(t, ',', e->variation, s->run.variations);
    events_add(t, "\n", 1);
}

static void csv_encode(const events_sink *s, events_block *b)
{
    for (size_t k = 0; k < b->count; k++) {
        add_row(s, &b->event[k], &b->text);
        b->end[k] = b->text.length;
    }
}

static bg_status csv_finish(events_sink *s, int complete, bg_error *error)
{
    (void)s;
    (void)complete;
    (void)error;
    return BG_OK;
}

const events_format events_csv = {.name = "csv",
                                  .endings = "csv",
                                  .block = 512,
                                  .start = csv_start,
                                  .encode = csv_encode,
                                  .append = npy_append,
                                  .finish = csv_finish};
