/* Les Houches event files, version 3 (arXiv:1405.1067), as text and compressed.
 *
 * The head, from the first line to </init>, has numbers of fixed widths for what is known in the end only (cross
 * sections, counts), so that it can be written once more over itself. Compressed, it is a member of the file of its own
 * that is stored as it is, hence of the same length again, and every block of events is another member: threads
 * compress them one by one, and readers of gzip see one text.
 *
 * A line "#pdf" as in version 1 is left out: Pythia finds no events where it has not all of its numbers. The same is in a tag
 * <pdfinfo>, as HepMC has it, which readers that do not know it leave alone.
 */
#include "events/format.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#ifdef BG_HAVE_ZLIB
#include <zlib.h>
#endif

static const char TAIL[] = "</LesHouchesEvents>\n";
static const char EVENT_END[] = "</event>\n";

/* ---- the head ---------------------------------------------------------------------------------------------------- */

/* A text of the user, for XML. */
static void add_escaped(events_text *t, const char *text)
{
    for (; *text; text++) {
        const char *instead = *text == '<' ? "&lt;" : *text == '>' ? "&gt;" : *text == '&' ? "&amp;" : NULL;
        if (instead)
            events_print(t, "%s", instead);
        else if (isprint((unsigned char)*text) || *text == '\n' || *text == '\t' || (unsigned char)*text >= 128)
            events_add(t, text, 1);
    }
}

/* Variations from `first` to before `end`, if there are any. */
static void add_group(const events_run *run, const char *name, const char *combine, int first, int end, events_text *t)
{
    if (first == end) return;
    events_print(t, "<weightgroup name='%s' combine='%s'>\n", name, combine);
    for (int k = first; k < end; k++)
        events_print(t, "<weight id='%s'>%s</weight>\n", run->variation[k], run->variation[k]);
    events_print(t, "</weightgroup>\n");
}

static void add_weights(const events_run *run, events_text *t)
{
    const int scales = run->scale_variations, densities = run->combine[0] != '\0';
    if (!run->variations) return;
    events_print(t, "<initrwgt>\n");
    add_group(run, "scale_variation", "envelope", 0, scales, t);
    add_group(run, densities ? "PDF_variation" : "variations", densities ? run->combine : "none", scales,
              run->variations, t);
    events_print(t, "</initrwgt>\n");
}

static void add_init(const events_sink *s, events_text *t)
{
    const events_run *run = &s->run;
    double sigma = 0.;
    events_print(t, "<init>\n%d %d %.16e %.16e 0 0 %d %d %d %d\n", run->beam[0], run->beam[1], run->energy[0],
                 run->energy[1], run->pdf[0], run->pdf[1], run->strategy, run->processes);
    for (int k = 0; k < run->processes; k++) {
        const events_process *p = &run->process[k];
        events_print(t, "%23.16e %23.16e %23.16e %d\n", p->sigma_pb, p->error_pb, p->max_weight, k + 1);
        sigma += p->sigma_pb;
    }
    events_print(t, "<generator name='BlockGen' version='%s'>BlockGen</generator>\n", run->version);
    events_print(t, "<xsecinfo neve='%20llu' totxsec='%23.16e' ntries='%20.0f'/>\n</init>\n",
                 (unsigned long long)s->count, sigma, s->trials);
}

static void make_head(const events_sink *s, events_text *t)
{
    events_print(t, "<LesHouchesEvents version=\"3.0\">\n<header>\n<blockgen>\n");
    add_escaped(t, s->run.description);
    events_add(t, "\n", 1);
    add_escaped(t, s->run.about);
    events_print(t, "</blockgen>\n");
    add_weights(&s->run, t);
    events_print(t, "</header>\n");
    add_init(s, t);
}

/* ---- events ------------------------------------------------------------------------------------------------------ */

static void add_particle(const bg_event *e, int k, events_text *t)
{
    const double *p = e->momentum[k], in_order[4] = {p[1], p[2], p[3], p[0]};
    events_print(t, "%d %s %d %d", e->pdg[k], k < 2 ? "-1 0 0" : "1 1 2", e->color[k][0], e->color[k][1]);
    events_reals(t, ' ', in_order, 4);
    events_print(t, " 0 0 %d\n", e->helicity[k]);
}

/* What showers and analyses may want to know of the beams. */
static void add_densities(const bg_event *e, events_text *t)
{
    const struct {
        const char *name;
        double value;
    } number[5] = {{"x1", e->x[0]}, {"x2", e->x[1]}, {"xf1", e->xf[0]}, {"xf2", e->xf[1]}, {"scale", e->muf}};
    events_print(t, "<pdfinfo p1='%d' p2='%d'", e->pdg[0], e->pdg[1]);
    for (int k = 0; k < 5; k++) {
        events_print(t, " %s=", number[k].name);
        events_reals(t, '\'', &number[k].value, 1);
        events_add(t, "'", 1);
    }
    events_print(t, "></pdfinfo>\n");
}

static void add_event(const events_run *run, const bg_event *e, events_text *t)
{
    const double numbers[4] = {e->weight, e->scale, -1., e->alpha_s};
    events_print(t, "<event number='%llu' trials='%.17g'>\n%d %d", (unsigned long long)e->number, e->trials, e->legs,
                 e->process + 1);
    events_reals(t, ' ', numbers, 4);
    events_add(t, "\n", 1);
    for (int k = 0; k < e->legs; k++) add_particle(e, k, t);
    if (run->variations) {
        events_print(t, "<rwgt>\n");
        for (int k = 0; k < run->variations; k++) {
            events_print(t, "<wgt id='%s'", run->variation[k]);
            events_reals(t, '>', &e->variation[k], 1);
            events_print(t, "</wgt>\n");
        }
        events_print(t, "</rwgt>\n");
    }
    events_print(t, "<scales muf=");
    events_reals(t, '\'', &e->muf, 1);
    events_print(t, "' mur=");
    events_reals(t, '\'', &e->mur, 1);
    events_print(t, "' mups=");
    events_reals(t, '\'', &e->scale, 1);
    events_print(t, "'></scales>\n");
    if (e->xf[0] > 0. && e->xf[1] > 0.) add_densities(e, t);
    events_add(t, EVENT_END, sizeof EVENT_END - 1);
}

static void encode(const events_sink *s, events_block *b)
{
    for (size_t k = 0; k < b->count; k++) {
        add_event(&s->run, &b->event[k], &b->text);
        b->end[k] = b->text.length;
    }
}

static bg_status append(events_sink *s, const events_block *b, bg_error *error)
{
    return events_append(s, b, sizeof TAIL - 1, error);
}

static bg_status no_memory(bg_error *error)
{
    return events_fail(error, BG_ERROR_MEMORY, "no memory for the head of a file of events");
}

/* ---- plain text -------------------------------------------------------------------------------------------------- */

static bg_status start(events_sink *s, bg_error *error)
{
    events_text t = {NULL, 0, 0, 0};
    make_head(s, &t);
    const bg_status status = t.failed ? no_memory(error) : events_put(s, t.at, t.length, error);
    s->head = s->end;
    free(t.at);
    return status;
}

static bg_status finish(events_sink *s, int complete, bg_error *error)
{
    bg_status status = events_put_at(s, TAIL, sizeof TAIL - 1, s->end, error);
    if (status != BG_OK) {
        (void)ftruncate(s->file, s->end); /* readers take the end of the file for an end as well */
        return status;
    }
    events_text t = {NULL, 0, 0, 0};
    if (ftruncate(s->file, s->end + (off_t)sizeof TAIL - 1))
        status = events_fail(error, BG_ERROR_IO, "cannot cut '%.300s' off behind its last event", s->part);
    if (complete && status == BG_OK) {
        make_head(s, &t);
        status = t.failed ? no_memory(error)
                 : (off_t)t.length != s->head
                     ? events_fail(error, BG_ERROR_IO, "the head of '%.300s' has grown", s->part)
                     : events_put_at(s, t.at, t.length, 0, error);
    }
    free(t.at);
    return status;
}

/* Whether a head is one of this run: the same as `t` up to the numbers of <init>, and as long. */
static int same_head(const events_text *t, const char *found, size_t length)
{
    static const char INIT[] = "<init>\n", INIT_END[] = "</init>\n";
    if (length != t->length) return 0;
    t->at[t->length - 1] = '\0';
    const char *init = strstr(t->at, INIT);
    const size_t before = init ? (size_t)(init - t->at) + strcspn(init + sizeof INIT - 1, "\n") : 0;
    t->at[t->length - 1] = '\n';
    return init && !memcmp(found, t->at, before) &&
           !memcmp(found + length - (sizeof INIT_END - 1), INIT_END, sizeof INIT_END - 1);
}

static int begins_so(const events_sink *s, const events_text *t)
{
    char *found = malloc(t->length);
    const int same =
        found && pread(s->file, found, t->length, 0) == (ssize_t)t->length && same_head(t, found, t->length);
    free(found);
    return same;
}

/* Whether a process was killed before all of the head was in the file. */
static int has_part_of(const events_sink *s, const events_text *head)
{
    struct stat about;
    if (fstat(s->file, &about) || about.st_size >= (off_t)head->length) return 0;
    const size_t length = (size_t)about.st_size;
    char *found = malloc(length + 1);
    const int same = found && pread(s->file, found, length, 0) == (ssize_t)length && !memcmp(found, head->at, length);
    free(found);
    return same;
}

static bg_status another_run(const events_sink *s, bg_error *error)
{
    return events_fail(error, BG_ERROR_ARGUMENT,
                       "'%.300s' is of another run: its head has other beams, processes or options", s->part);
}

/* Looks for events that are complete, line by line: the file may have gigabytes. */
typedef struct scanner {
    unsigned long long number;
    int process; /* from 1; 0: its line comes next, -1: no event has begun */
} scanner;

/* 1: an event ends here; -1: this line does not belong there (the end of an event that did not begin, zeros that a crash has
 * left) or is of another run, and what is behind it is made again. */
static int see_line(events_sink *s, scanner *at, const char *line, size_t length)
{
    const int begins = !strncmp(line, "<event ", 7), inside = at->process >= 0;
    if (begins == inside || !strcmp(line, TAIL) || strlen(line) != length) return -1;
    if (begins) {
        const char *text = strstr(line, "number='");
        at->number = text ? strtoull(text + 8, NULL, 10) : 0;
        at->process = 0;
    } else if (!at->process) {
        if (sscanf(line, "%*d %d", &at->process) != 1) return -1;
    } else if (!strcmp(line, EVENT_END)) {
        const int found = at->process > 0 && events_found(s, at->number, at->process - 1);
        at->process = -1;
        return found ? 1 : -1;
    }
    return 0;
}

static void find_events(events_sink *s, FILE *f)
{
    scanner scan = {0, -1};
    char *line = NULL;
    size_t room = 0;
    ssize_t length;
    off_t at = s->head;
    if (fseeko(f, at, SEEK_SET)) return;
    while ((length = getline(&line, &room, f)) > 0) {
        const int seen = see_line(s, &scan, line, (size_t)length);
        at += (off_t)length;
        if (seen < 0) break;
        if (seen) s->end = at;
    }
    free(line);
}

static bg_status resume(events_sink *s, bg_error *error)
{
    events_text t = {NULL, 0, 0, 0};
    make_head(s, &t);
    if (t.failed) {
        free(t.at);
        return no_memory(error);
    }
    const int same = begins_so(s, &t), begun = !same && has_part_of(s, &t);
    s->head = s->end = (off_t)t.length;
    free(t.at);
    if (begun) {
        s->end = 0;
        return start(s, error);
    }
    if (!same) return another_run(s, error);
    const int copy = dup(s->file);
    FILE *f = copy < 0 ? NULL : fdopen(copy, "r");
    if (!f) return events_fail(error, BG_ERROR_IO, "cannot read '%.300s'", s->part);
    find_events(s, f);
    const int bad = ferror(f);
    fclose(f);
    if (bad) return events_fail(error, BG_ERROR_IO, "cannot read '%.300s' to its end", s->part);
    if (ftruncate(s->file, s->end))
        return events_fail(error, BG_ERROR_IO, "cannot cut '%.300s' off behind its last event", s->part);
    return BG_OK;
}

const events_format events_lhef = {.name = "lhe",
                                   .endings = "lhe",
                                   .block = 512,
                                   .resumes = 1,
                                   .start = start,
                                   .resume = resume,
                                   .encode = encode,
                                   .append = append,
                                   .finish = finish};

/* ---- compressed -------------------------------------------------------------------------------------------------- */

#ifdef BG_HAVE_ZLIB

/* A member of a gzip file. */
static void compress_text(int level, events_text *t)
{
    z_stream z;
    memset(&z, 0, sizeof z);
    if (t->failed || deflateInit2(&z, level, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
        t->failed = 1;
        return;
    }
    const size_t room = deflateBound(&z, (uLong)t->length);
    char *to = malloc(room);
    z.next_in = (Bytef *)t->at;
    z.avail_in = (uInt)t->length;
    z.next_out = (Bytef *)to;
    z.avail_out = (uInt)room;
    if (to && deflate(&z, Z_FINISH) == Z_STREAM_END) {
        free(t->at);
        *t = (events_text){to, (size_t)z.total_out, room, 0};
    } else {
        free(to);
        t->failed = 1;
    }
    (void)deflateEnd(&z);
}

static void make_gz_head(const events_sink *s, events_text *t)
{
    make_head(s, t);
    compress_text(0, t);
}

static bg_status gz_start(events_sink *s, bg_error *error)
{
    events_text t = {NULL, 0, 0, 0};
    make_gz_head(s, &t);
    const bg_status status = t.failed ? no_memory(error) : events_put(s, t.at, t.length, error);
    s->head = s->end;
    free(t.at);
    return status;
}

/* The events of a block are complete together. */
static void gz_encode(const events_sink *s, events_block *b)
{
    encode(s, b);
    compress_text(s->options.compression ? s->options.compression : 3, &b->text);
    for (size_t k = 0; k < b->count; k++) b->end[k] = b->text.length;
}

static bg_status gz_finish(events_sink *s, int complete, bg_error *error)
{
    events_text t = {NULL, 0, 0, 0};
    events_add(&t, TAIL, sizeof TAIL - 1);
    compress_text(0, &t);
    bg_status status = t.failed ? no_memory(error) : events_put_at(s, t.at, t.length, s->end, error);
    if (status != BG_OK) (void)ftruncate(s->file, s->end);
    t.length = 0;
    if (complete && status == BG_OK) {
        make_gz_head(s, &t);
        status = t.failed ? no_memory(error)
                 : (off_t)t.length != s->head
                     ? events_fail(error, BG_ERROR_IO, "the head of '%.300s' has grown", s->part)
                     : events_put_at(s, t.at, t.length, 0, error);
    }
    free(t.at);
    return status;
}

/* Members of a file that is gone on with. */
typedef struct members {
    z_stream z;
    unsigned char in[1 << 16];
    off_t read, end; /* bytes read so far, and those up to the end of the last member */
    events_text text;
} members;

/* The text of the next member; 0 where there is no whole one. */
static int next_member(const events_sink *s, members *m)
{
    char out[1 << 16];
    int status = Z_OK;
    m->text.length = 0;
    if (inflateReset(&m->z) != Z_OK) return 0;
    while (status == Z_OK) {
        if (!m->z.avail_in) {
            const ssize_t some = pread(s->file, m->in, sizeof m->in, m->read);
            if (some <= 0) return 0;
            m->read += some;
            m->z.next_in = m->in;
            m->z.avail_in = (uInt)some;
        }
        m->z.next_out = (Bytef *)out;
        m->z.avail_out = sizeof out;
        status = inflate(&m->z, Z_NO_FLUSH);
        events_add(&m->text, out, sizeof out - m->z.avail_out);
    }
    m->end = m->read - (off_t)m->z.avail_in;
    return status == Z_STREAM_END && !m->text.failed;
}

/* Takes the events of a member: 1 where it is a whole block of this run. */
static int take_member(events_sink *s, const events_text *t)
{
    const uint64_t before = s->count;
    scanner scan = {0, -1};
    char line[EVENTS_LINE];
    for (size_t at = 0, length; at < t->length; at += length) {
        const char *end = memchr(t->at + at, '\n', t->length - at);
        length = end ? (size_t)(end - t->at) + 1 - at : t->length - at;
        snprintf(line, sizeof line, "%.*s", (int)length, t->at + at);
        if (see_line(s, &scan, line, length) < 0) return 0;
    }
    return s->count - before == s->format->block;
}

/* Blocks that are not full are made again, so that all bytes are those of a run that was not stopped. */
static bg_status take_members(events_sink *s, members *m, bg_error *error)
{
    events_text t = {NULL, 0, 0, 0};
    make_head(s, &t);
    const int same = !t.failed && next_member(s, m) && same_head(&t, m->text.at, m->text.length);
    const int failed = t.failed;
    free(t.at);
    if (failed) return no_memory(error);
    if (!same) return another_run(s, error);
    s->head = s->end = m->end;
    uint64_t *used = malloc((size_t)s->run.processes * sizeof *used);
    if (!used) return no_memory(error);
    for (int whole = 1; whole;) {
        const uint64_t count = s->count, last = s->last;
        memcpy(used, s->used, (size_t)s->run.processes * sizeof *used);
        whole = next_member(s, m) && take_member(s, &m->text);
        if (whole) {
            s->end = m->end;
        } else {
            memcpy(s->used, used, (size_t)s->run.processes * sizeof *used);
            s->count = count;
            s->last = last;
        }
    }
    free(used);
    if (ftruncate(s->file, s->end))
        return events_fail(error, BG_ERROR_IO, "cannot cut '%.300s' off behind its last event", s->part);
    return BG_OK;
}

static bg_status gz_resume(events_sink *s, bg_error *error)
{
    events_text head = {NULL, 0, 0, 0};
    make_gz_head(s, &head);
    const int begun = !head.failed && has_part_of(s, &head);
    free(head.at);
    if (begun) return gz_start(s, error);
    members *m = calloc(1, sizeof *m);
    if (!m || inflateInit2(&m->z, 15 + 16) != Z_OK) {
        free(m);
        return no_memory(error);
    }
    const bg_status status = take_members(s, m, error);
    (void)inflateEnd(&m->z);
    free(m->text.at);
    free(m);
    return status;
}

static bg_status gz_append(events_sink *s, const events_block *b, bg_error *error)
{
    return events_append(s, b, 64, error); /* what the tail takes as a member */
}

const events_format events_lhef_gz = {.name = "lhe.gz",
                                      .endings = "lhe.gz",
                                      .block = 512,
                                      .resumes = 1,
                                      .start = gz_start,
                                      .resume = gz_resume,
                                      .encode = gz_encode,
                                      .append = gz_append,
                                      .finish = gz_finish};

#else

const events_format events_lhef_gz = {
    .name = "lhe.gz",
    .endings = "lhe.gz",
    .missing = "this program was built without zlib; install it (Debian: zlib1g-dev) and build again, or write .lhe"};

#endif
