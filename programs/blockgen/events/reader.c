/* Texts and arrays are read as they are written here, no more: other programs have readers of their own. */
#include "events/reader.h"
#include "events/format.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef BG_HAVE_ZLIB
#include <zlib.h>
#endif

static bg_status cannot_read(const char *path, const char *why, bg_error *error)
{
    return events_fail(error, BG_ERROR_IO, "cannot read '%.300s': %s", path, why);
}

static bg_status no_text(const char *path, bg_error *error)
{
    return events_fail(error, BG_ERROR_ARGUMENT, "'%.300s' does not say how its events were made", path);
}

static bg_status broken(const char *path, uint64_t place, bg_error *error)
{
    return events_fail(error, BG_ERROR_ARGUMENT, "event %llu of '%.300s' cannot be understood",
                       (unsigned long long)place, path);
}

/* The entry that is to be at this place; NULL: none. */
static events_entry *wanted(events_entry *entry, size_t count, uint64_t place)
{
    for (size_t k = 0; k < count; k++)
        if (entry[k].place == place && !entry[k].found) return &entry[k];
    return NULL;
}

/* An event may be wanted more than once. */
static void copy_doubles(events_entry *entry, size_t count)
{
    for (size_t k = 0; k < count; k++)
        for (size_t i = 0; i < k && !entry[k].found; i++)
            if (entry[i].found && entry[i].place == entry[k].place) entry[k] = entry[i];
}

static uint64_t last_place(const events_entry *entry, size_t count)
{
    uint64_t last = 0;
    for (size_t k = 0; k < count; k++)
        if (entry[k].place > last) last = entry[k].place;
    return last;
}

/* ---- lines ------------------------------------------------------------------------------------------------------------ */

/* A text, compressed or not, line by line. */
typedef struct lines {
#ifdef BG_HAVE_ZLIB
    gzFile file;
#else
    FILE *file;
#endif
    char text[1 << 16];
} lines;

static int open_lines(lines *l, const char *path)
{
#ifdef BG_HAVE_ZLIB
    l->file = gzopen(path, "rb");
#else
    l->file = fopen(path, "rb");
#endif
    return l->file != NULL;
}

static int next_line(lines *l)
{
#ifdef BG_HAVE_ZLIB
    return gzgets(l->file, l->text, sizeof l->text) != NULL;
#else
    return fgets(l->text, sizeof l->text, l->file) != NULL;
#endif
}

static void close_lines(lines *l)
{
#ifdef BG_HAVE_ZLIB
    (void)gzclose(l->file);
#else
    (void)fclose(l->file);
#endif
}

/* ---- Les Houches event files --------------------------------------------------------------------------------------------- */

/* Letters that XML has other names for. */
static void add_plain(events_text *t, const char *line)
{
    static const struct {
        const char *name, *letter;
    } known[] = {{"&lt;", "<"}, {"&gt;", ">"}, {"&amp;", "&"}};
    while (*line) {
        size_t length = 1;
        const char *letter = line;
        for (size_t k = 0; k < sizeof known / sizeof *known; k++)
            if (!strncmp(line, known[k].name, strlen(known[k].name))) {
                letter = known[k].letter;
                length = strlen(known[k].name);
            }
        events_add(t, letter, 1);
        line += length;
    }
}

static char *lhef_about(const char *path, bg_error *error)
{
    lines l;
    events_text t = {NULL, 0, 0, 0};
    int inside = 0;
    if (!open_lines(&l, path)) {
        (void)cannot_read(path, strerror(errno), error);
        return NULL;
    }
    while (next_line(&l) && strcmp(l.text, "</blockgen>\n") != 0 && strcmp(l.text, "</header>\n") != 0) {
        if (inside == 1) events_add(&t, "# ", 2); /* the description */
        if (inside) add_plain(&t, l.text);
        if (inside == 1) inside = 2;
        if (!strcmp(l.text, "<blockgen>\n")) inside = 1;
    }
    close_lines(&l);
    events_add(&t, "", 1);
    if (!t.failed && t.length > 1) return t.at;
    free(t.at);
    (void)no_text(path, error);
    return NULL;
}

/* The lines of an event behind the first. */
static int read_lhef_event(lines *l, events_entry *e)
{
    if (!next_line(l) || sscanf(l->text, "%d %d %lf", &e->legs, &e->process, &e->weight) != 3 || e->legs < 3 ||
        e->legs > BG_EVENT_LEGS)
        return 0;
    e->process--;
    for (int k = 0; k < e->legs; k++) {
        double *p = e->momentum[k];
        if (!next_line(l) || sscanf(l->text, "%d %*d %*d %*d %d %d %lf %lf %lf %lf", &e->pdg[k], &e->color[k][0],
                                    &e->color[k][1], &p[1], &p[2], &p[3], &p[0]) != 7)
            return 0;
    }
    return 1;
}

static bg_status lhef_read(const char *path, events_entry *entry, size_t count, bg_error *error)
{
    lines l;
    uint64_t place = 0;
    const uint64_t last = last_place(entry, count);
    bg_status status = BG_OK;
    if (!open_lines(&l, path)) return cannot_read(path, strerror(errno), error);
    while (status == BG_OK && place < last && next_line(&l)) {
        if (strncmp(l.text, "<event ", 7) != 0) continue;
        events_entry *e = wanted(entry, count, ++place);
        if (!e) continue;
        const char *number = strstr(l.text, "number='");
        e->number = number ? strtoull(number + 8, NULL, 10) : 0;
        e->found = number && read_lhef_event(&l, e);
        if (!e->found) status = broken(path, place, error);
    }
    close_lines(&l);
    return status;
}

/* ---- arrays --------------------------------------------------------------------------------------------------------------- */

static char *file_about(const char *path, bg_error *error)
{
    FILE *f = fopen(path, "r");
    events_text t = {NULL, 0, 0, 0};
    char some[EVENTS_LINE];
    size_t length;
    if (!f) {
        (void)cannot_read(path, strerror(errno), error);
        return NULL;
    }
    while ((length = fread(some, 1, sizeof some, f)) > 0) events_add(&t, some, length);
    fclose(f);
    events_add(&t, "", 1);
    if (!t.failed) return t.at;
    free(t.at);
    (void)events_fail(error, BG_ERROR_MEMORY, "no memory to read '%.300s'", path);
    return NULL;
}

/* Of an array, from the file beside it. */
static char *beside_about(const char *path, bg_error *error)
{
    char beside[EVENTS_PATH + sizeof EVENTS_ABOUT];
    if (strlen(path) >= EVENTS_PATH) {
        (void)cannot_read("...", "its name is too long", error);
        return NULL;
    }
    snprintf(beside, sizeof beside, "%s" EVENTS_ABOUT, path);
    return file_about(beside, error);
}

/* Partons that the names of the columns speak of. */
static int legs_of_names(const char *text)
{
    int legs = 0;
    for (const char *at = text; (at = strstr(at, ",pdg_")) != NULL; at++) legs++;
    return legs <= BG_EVENT_LEGS ? legs : 0;
}

/* Columns: ten numbers, then eight of each parton, then variations. */
static int read_row(const char *text, int legs, events_entry *e)
{
    enum { BEFORE = 10, EACH = 8 };
    double x[BEFORE + EACH * BG_EVENT_LEGS];
    e->number = strtoull(text, NULL, 10);
    for (int k = 0; k < BEFORE + EACH * legs; k++) {
        char *end;
        x[k] = strtod(text, &end);
        if (end == text) return 0;
        text = end + (*end == ',');
    }
    e->legs = legs;
    if (e->legs < 3) return 0;
    e->process = (int)x[1];
    e->weight = x[2];
    for (int k = 0; k < e->legs; k++) {
        const double *c = x + BEFORE + EACH * k;
        e->pdg[k] = (int)c[0];
        e->color[k][0] = (int)c[1];
        e->color[k][1] = (int)c[2];
        memcpy(e->momentum[k], c + 4, sizeof e->momentum[k]);
    }
    return 1;
}

static bg_status csv_read(const char *path, events_entry *entry, size_t count, bg_error *error)
{
    lines l;
    uint64_t place = 0;
    const uint64_t last = last_place(entry, count);
    bg_status status = BG_OK;
    if (!open_lines(&l, path)) return cannot_read(path, strerror(errno), error);
    const int legs = next_line(&l) ? legs_of_names(l.text) : 0;
    while (status == BG_OK && place < last && next_line(&l)) {
        events_entry *e = wanted(entry, count, ++place);
        if (!e) continue;
        e->found = read_row(l.text, legs, e);
        if (!e->found) status = broken(path, place, error);
    }
    close_lines(&l);
    return status;
}

/* Where the rows of an array begin, how long they are and how many partons each has. */
typedef struct npy_layout {
    long start;
    size_t row;
    uint64_t rows;
    int legs;
} npy_layout;

static int read_npy_head(FILE *f, npy_layout *l)
{
    enum { BEFORE = 12, LEAST = 16 };
    unsigned char b[BEFORE];
    size_t length = 0, variations = 0;
    if (fread(b, 1, BEFORE, f) != BEFORE || memcmp(b, "\x93NUMPY\x02", 7) != 0) return 0;
    for (int k = 0; k < 4; k++) length |= (size_t)b[8 + k] << 8 * k;
    char *text = length < (1u << 20) ? malloc(length + 1) : NULL;
    if (!text || fread(text, 1, length, f) != length) {
        free(text);
        return 0;
    }
    text[length] = '\0';
    const char *legs = strstr(text, "('pdg', ");
    const char *bracket = legs ? strchr(legs + 1, '(') : NULL;
    l->legs = bracket ? atoi(bracket + 1) : 0;
    for (const char *at = text; (at = strstr(at, "('variation ")) != NULL; at++) variations++;
    free(text);
    l->start = (long)(BEFORE + length);
    l->row = LEAST + 8 * 8 + (size_t)l->legs * (4 + 8 + 4 + 32) + 8 * variations;
    if (fseek(f, 0, SEEK_END)) return 0;
    l->rows = ((uint64_t)ftell(f) - (uint64_t)l->start) / l->row;
    return l->legs >= 3 && l->legs <= BG_EVENT_LEGS;
}

static int read_npy_row(FILE *f, const npy_layout *l, events_entry *e)
{
    int32_t two[2];
    double numbers[8];
    const size_t legs = (size_t)l->legs;
    if (e->place < 1 || e->place > l->rows) return 0;
    if (fseek(f, l->start + (long)((e->place - 1) * l->row), SEEK_SET) || fread(&e->number, 8, 1, f) != 1) return 0;
    if (fread(two, 4, 2, f) != 2 || fread(numbers, 8, 8, f) != 8) return 0;
    e->process = two[0];
    e->legs = two[1];
    e->weight = numbers[0];
    if (fread(e->pdg, 4, legs, f) != legs || fread(e->color, 8, legs, f) != legs) return 0;
    return !fseek(f, 4 * l->legs, SEEK_CUR) && fread(e->momentum, 32, legs, f) == legs && e->legs <= l->legs;
}

static bg_status npy_read(const char *path, events_entry *entry, size_t count, bg_error *error)
{
    npy_layout l;
    FILE *f = fopen(path, "rb");
    if (!f) return cannot_read(path, strerror(errno), error);
    const int good = read_npy_head(f, &l);
    for (size_t k = 0; good && k < count; k++) entry[k].found = read_npy_row(f, &l, &entry[k]);
    fclose(f);
    return good ? BG_OK : broken(path, 0, error);
}

/* ---- all ------------------------------------------------------------------------------------------------------------------- */

char *events_read_about(const char *path, bg_error *error)
{
    char name[EVENTS_PATH];
    const size_t length = strlen(path), ending = strlen(EVENTS_PART);
    const int parted = length > ending && !strcmp(path + length - ending, EVENTS_PART);
    snprintf(name, sizeof name, "%.*s", (int)(parted ? length - ending : length), path);
    const char *format = events_format_name(name, NULL);
    if (!format) return file_about(path, error);
    if (!strcmp(format, "hdf5")) return events_hdf5_about(path, error);
    return strncmp(format, "lhe", 3) ? beside_about(path, error) : lhef_about(path, error);
}

bg_status events_read(const char *path, events_entry *entry, size_t count, bg_error *error)
{
    const char *format = events_format_name(path, error);
    if (!format) return error ? error->status : BG_ERROR_ARGUMENT;
    bg_status status = !strcmp(format, "hdf5")  ? events_hdf5_read(path, entry, count, error)
                       : !strcmp(format, "npy") ? npy_read(path, entry, count, error)
                       : !strcmp(format, "csv") ? csv_read(path, entry, count, error)
                                                : lhef_read(path, entry, count, error);
    if (status != BG_OK) return status;
    copy_doubles(entry, count);
    for (size_t k = 0; k < count; k++)
        if (!entry[k].found)
            return events_fail(error, BG_ERROR_ARGUMENT, "'%.300s' has no event %llu", path,
                               (unsigned long long)entry[k].place);
    return BG_OK;
}
