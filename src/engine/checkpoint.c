/* Checkpoints: a header that says what the file is, the state, the histograms, and a checksum. */
#include "base/parcel.h"
#include "base/status.h"
#include "engine/beside.h"
#include "engine/sound.h"
#include "engine/state.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct header {
    char magic[16];
    uint32_t version, endian;
    uint64_t state_bytes, table_bytes, histogram_bytes;
} header;

static const char MAGIC[16] = "BlockGen state\n";
enum { VERSION = 8, ENDIAN = 0x01020304 };

/* Bytes of what the state points to: the tally with its importances, and the tables of the selector. */
static size_t table_bytes(const bg_state *s)
{
    return sizeof *s->tally +
           bg_tally_importances(s->tally->dimensions, s->tally->entries, s->tally->cells) * sizeof(int64_t) +
           (s->selector ? bg_selector_numbers(s->selector->entries) * sizeof(double) : 0);
}

/* The tables one after the other to a buffer of that size. */
static void pack_tables(const bg_state *s, unsigned char *to)
{
    bg_tally counts = *s->tally;
    const size_t importances = bg_tally_importances(counts.dimensions, counts.entries, counts.cells) * sizeof(int64_t);
    counts.importance = counts.helicity = counts.direction = NULL; /* an address means nothing in a file */
    memcpy(to, &counts, sizeof counts);
    memcpy(to + sizeof counts, s->tally->importance, importances);
    if (s->selector)
        memcpy(to + sizeof counts + importances, s->selector->probability,
               bg_selector_numbers(s->selector->entries) * sizeof(double));
}

/* ... and back, into tables of the right size. */
static void unpack_tables(bg_state *s, const unsigned char *from)
{
    bg_tally counts;
    const bg_tally own = *s->tally;
    const size_t importances = bg_tally_importances(own.dimensions, own.entries, own.cells) * sizeof(int64_t);
    memcpy(&counts, from, sizeof counts);
    counts.dimensions = own.dimensions;
    counts.entries = own.entries;
    counts.importance = own.importance;
    counts.helicity = own.helicity;
    counts.cells = own.cells;
    counts.direction = own.direction;
    *s->tally = counts;
    memcpy(own.importance, from + sizeof counts, importances);
    if (s->selector)
        memcpy(s->selector->probability, from + sizeof counts + importances,
               bg_selector_numbers(s->selector->entries) * sizeof(double));
}

/* Of the whole file but the checksum itself. */
static uint64_t checksum_of(const header *h, const bg_state *state, const unsigned char *tables,
                            const int64_t *histograms)
{
    uint64_t sum = bg_checksum(BG_CHECKSUM_START, h, sizeof *h);
    sum = bg_checksum(sum, state, sizeof *state);
    sum = bg_checksum(sum, tables, h->table_bytes);
    return bg_checksum(sum, histograms, h->histogram_bytes);
}

static bg_status write_file(const char *path, int file, const header *h, const bg_state *state,
                            const unsigned char *tables, const int64_t *histograms, bg_error *error)
{
    FILE *f = fdopen(file, "wb");
    if (!f) {
        const int reason = errno;
        close(file);
        return bg_fail(error, BG_ERROR_IO, "cannot write checkpoint '%s': %s", path, strerror(reason));
    }
    const uint64_t sum = checksum_of(h, state, tables, histograms);
    int good = fwrite(h, sizeof *h, 1, f) == 1 && fwrite(state, sizeof *state, 1, f) == 1 &&
               fwrite(tables, h->table_bytes, 1, f) == 1 &&
               (!h->histogram_bytes || fwrite(histograms, h->histogram_bytes, 1, f) == 1) &&
               fwrite(&sum, sizeof sum, 1, f) == 1 && fflush(f) == 0 && fsync(fileno(f)) == 0;
    int reason = errno;
    if (fclose(f) != 0 && good) {
        reason = errno;
        good = 0;
    }
    return good ? BG_OK : bg_fail(error, BG_ERROR_IO, "cannot write checkpoint '%s': %s", path, strerror(reason));
}

/* ---- what is there already ------------------------------------------------------------------------------- */

/* The start of a file: its header, and the question where it is whole. Returns the bytes that were read. */
typedef struct beginning {
    header header;
    bg_question question;
} beginning;

static size_t read_beginning(FILE *f, beginning *b)
{
    memset(b, 0, sizeof *b);
    return fread(b, 1, sizeof *b, f);
}

static bg_status cannot_replace(const char *path, int reason, bg_error *error)
{
    return bg_fail(error, BG_ERROR_IO, "'%s' is there and cannot be read, so it is not overwritten: %s", path,
                   strerror(reason));
}

/* Whether the file may be replaced by a checkpoint: if it is not there, is empty, or is one. Only then *found is not 0 if
 * it is one. */
static bg_status look_at(const char *path, beginning *b, int *found, bg_error *error)
{
    struct stat about;
    *found = 0;
    if (stat(path, &about))
        return errno == ENOENT ? BG_OK
                               : bg_fail(error, BG_ERROR_IO, "cannot write checkpoint '%s': %s", path, strerror(errno));
    if (!S_ISREG(about.st_mode))
        return bg_fail(error, BG_ERROR_IO, "cannot write checkpoint '%s': it is not a regular file", path);
    if (!about.st_size) return BG_OK;
    FILE *f = fopen(path, "rb");
    if (!f) return errno == ENOENT ? BG_OK : cannot_replace(path, errno, error);
    const size_t length = read_beginning(f, b);
    const int failed = ferror(f), reason = errno;
    fclose(f);
    if (failed) return cannot_replace(path, reason, error);
    *found = length >= sizeof b->header.magic && !memcmp(b->header.magic, MAGIC, sizeof MAGIC);
    return *found ? BG_OK
                  : bg_fail(error, BG_ERROR_IO, "'%s' is there and is no checkpoint of BlockGen: it is not overwritten",
                            path);
}

/* Says of which run a checkpoint is that would be lost. */
static bg_status would_be_lost(const char *path, const beginning *b, const bg_question *question, bg_error *error)
{
    static const char advice[] = "go on with it (option resume), name another file, or replace it (option force)";
    bg_error difference = {BG_OK, ""};
    if (b->header.version != VERSION || b->header.endian != ENDIAN || b->header.state_bytes != sizeof(bg_state))
        return bg_fail(error, BG_ERROR_ARGUMENT,
                       "checkpoint '%s' is there, written by another version or kind of machine: name another file, or "
                       "replace it (option force)",
                       path);
    if (bg_question_compare(path, &b->question, question, &difference) != BG_OK)
        return bg_fail(error, BG_ERROR_ARGUMENT, "%.300s: name another file, or replace it (option force)",
                       difference.message);
    return bg_fail(error, BG_ERROR_ARGUMENT, "checkpoint '%s' is there, of an earlier run of this question: %s", path,
                   advice);
}

static int same_file(const char *a, const char *b)
{
    struct stat s, t;
    return a && b && !stat(a, &s) && !stat(b, &t) && s.st_dev == t.st_dev && s.st_ino == t.st_ino;
}

bg_status bg_checkpoint_check(const char *path, const bg_question *question, const char *resume, int force,
                              bg_error *error)
{
    beginning there;
    int found;
    if (!*path) return bg_fail(error, BG_ERROR_ARGUMENT, "the name of the checkpoint is empty");
    bg_status status = look_at(path, &there, &found, error);
    if (status == BG_OK && found && !force && !same_file(path, resume))
        status = would_be_lost(path, &there, question, error);
    if (status != BG_OK) return status;
    const size_t length = strlen(path) + BG_BESIDE_ROOM;
    char *name = malloc(length);
    int file;
    if (!name) return bg_fail(error, BG_ERROR_MEMORY, "no memory for the name of checkpoint '%s'", path);
    status = bg_beside_create(path, name, length, &file, error);
    if (status == BG_OK) {
        close(file);
        unlink(name);
        bg_beside_clean(path, MAGIC, sizeof MAGIC);
    }
    free(name);
    return status;
}

bg_status bg_checkpoint_write(const char *path, const bg_state *state, const struct bg_histograms *histograms,
                              bg_error *error)
{
    header h;
    memset(&h, 0, sizeof h);
    memcpy(h.magic, MAGIC, sizeof h.magic);
    h.version = VERSION;
    h.endian = ENDIAN;
    h.state_bytes = sizeof *state;
    h.table_bytes = table_bytes(state);
    h.histogram_bytes = bg_histograms_integers(histograms) * sizeof(int64_t);
    const size_t length = strlen(path) + BG_BESIDE_ROOM;
    beginning there;
    int file, found;
    char *temporary = malloc(length);
    int64_t *integers = h.histogram_bytes ? malloc(h.histogram_bytes) : NULL;
    unsigned char *tables = malloc(h.table_bytes);
    bg_state *fixed = malloc(sizeof *fixed);
    bg_status status = BG_OK;
    if (!temporary || !tables || !fixed || (h.histogram_bytes && !integers)) {
        status = bg_fail(error, BG_ERROR_MEMORY, "no memory to write checkpoint '%s'", path);
    } else {
        if (integers) bg_histograms_save(histograms, integers);
        pack_tables(state, tables);
        *fixed = *state;
        fixed->tally = NULL;
        fixed->selector = NULL;
        status = bg_beside_create(path, temporary, length, &file, error);
        if (status == BG_OK) {
            status = write_file(path, file, &h, fixed, tables, integers, error);
            if (status == BG_OK) status = look_at(path, &there, &found, error); /* may have come in the meantime */
            if (status == BG_OK && rename(temporary, path) != 0)
                status = bg_fail(error, BG_ERROR_IO, "cannot rename checkpoint '%s' to '%s': %s", temporary, path,
                                 strerror(errno));
            if (status == BG_OK)
                bg_beside_sync(path);
            else
                unlink(temporary);
        }
    }
    free(temporary);
    free(integers);
    free(tables);
    free(fixed);
    return status;
}

/* Puts what was read into the state and the histograms, if it is sound. Where it is not, they are as good as lost. */
static bg_status take_state(const char *path, bg_state *state, bg_state *read, const unsigned char *tables,
                            struct bg_histograms *histograms, const int64_t *integers, bg_error *error)
{
    helicity_selector *fresh = state->selector ? bg_selector_fresh(state->selector) : NULL;
    if (state->selector && !fresh) return bg_fail(error, BG_ERROR_MEMORY, "no memory to read checkpoint '%s'", path);
    read->selector = state->selector;
    read->tally = state->tally;
    unpack_tables(read, tables);
    int sound = bg_state_is_sound(read, state, fresh);
    if (sound && integers) {
        sound = bg_sums_are_sound(integers, bg_histograms_integers(histograms) / BG_EXACT_DIGITS, state->sifting.on);
        if (sound) bg_histograms_load(histograms, integers);
        sound = sound && bg_histograms_are_sound(histograms, read);
    }
    if (sound) *state = *read;
    bg_selector_destroy(fresh);
    return sound ? BG_OK
                 : bg_fail(error, BG_ERROR_ARGUMENT, "checkpoint '%s' is damaged: no run can have left it so", path);
}

static bg_status read_file(FILE *f, const char *path, bg_state *state, struct bg_histograms *histograms,
                           bg_error *error)
{
    header h;
    if (fread(&h, sizeof h, 1, f) != 1 || memcmp(h.magic, MAGIC, sizeof h.magic))
        return bg_fail(error, BG_ERROR_ARGUMENT, "'%s' is not a checkpoint of BlockGen", path);
    if (h.version != VERSION || h.endian != ENDIAN || h.state_bytes != sizeof *state)
        return bg_fail(
            error, BG_ERROR_ARGUMENT,
            "checkpoint '%s' was written by another version or kind of machine (format %u, this program reads %d)",
            path, h.version, VERSION);
    bg_state *read = malloc(sizeof *read);
    unsigned char *tables = NULL;
    int64_t *integers = NULL;
    uint64_t stored = 0;
    const size_t wanted = table_bytes(state), expected = bg_histograms_integers(histograms) * sizeof(int64_t);
    const int fitting = h.table_bytes == wanted && h.histogram_bytes == expected;
    bg_status status = read ? BG_OK : bg_fail(error, BG_ERROR_MEMORY, "no memory to read checkpoint '%s'", path);
    if (status == BG_OK && fread(read, sizeof *read, 1, f) != 1)
        status = bg_fail(error, BG_ERROR_ARGUMENT, "checkpoint '%s' is cut short", path);
    if (status == BG_OK && fitting) {
        tables = malloc(wanted);
        integers = expected ? malloc(expected) : NULL;
        if (!tables || (expected && !integers))
            status = bg_fail(error, BG_ERROR_MEMORY, "no memory to read checkpoint '%s'", path);
        if (status == BG_OK &&
            (fread(tables, wanted, 1, f) != 1 || (expected && fread(integers, expected, 1, f) != 1) ||
             fread(&stored, sizeof stored, 1, f) != 1))
            status = bg_fail(error, BG_ERROR_ARGUMENT, "checkpoint '%s' is cut short", path);
        if (status == BG_OK && getc(f) != EOF)
            status = bg_fail(error, BG_ERROR_ARGUMENT, "checkpoint '%s' is damaged: something follows its end", path);
        if (status == BG_OK && stored != checksum_of(&h, read, tables, integers))
            status = bg_fail(error, BG_ERROR_ARGUMENT, "checkpoint '%s' is damaged: its checksum does not match", path);
    }
    if (status == BG_OK) status = bg_question_compare(path, &read->question, &state->question, error);
    if (status == BG_OK && !fitting)
        status = bg_fail(error, BG_ERROR_ARGUMENT, "checkpoint '%s' is damaged: its tables have the wrong size", path);
    if (status == BG_OK) status = take_state(path, state, read, tables, histograms, integers, error);
    free(integers);
    free(tables);
    free(read);
    return status;
}

bg_status bg_checkpoint_read(const char *path, bg_state *state, struct bg_histograms *histograms, bg_error *error)
{
    FILE *f = fopen(path, "rb");
    if (!f) return bg_fail(error, BG_ERROR_IO, "cannot read checkpoint '%s': %s", path, strerror(errno));
    bg_status status = read_file(f, path, state, histograms, error);
    fclose(f);
    return status;
}
