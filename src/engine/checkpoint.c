/* Files of checkpoints: a header that says what the file is, the question, a parcel (engine/state.c, engine/many.c), and a
 * checksum. */
#include "base/status.h"
#include "engine/beside.h"
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
    uint64_t state_bytes, tally_bytes; /* of the structs that the parcel holds */
    uint64_t length;                   /* of the parcel */
} header;

static const char MAGIC[16] = "BlockGen state\n";
enum { VERSION = 12, ENDIAN = 0x01020304 };

/* The start of a file: its header, and the question. */
typedef struct beginning {
    header header;
    bg_question question;
} beginning;

static beginning make_beginning(const bg_question *question, const bg_parcel *parcel)
{
    beginning b;
    memset(&b, 0, sizeof b);
    memcpy(b.header.magic, MAGIC, sizeof b.header.magic);
    b.header.version = VERSION;
    b.header.endian = ENDIAN;
    b.header.state_bytes = sizeof(bg_state);
    b.header.tally_bytes = sizeof(bg_tally);
    b.header.length = parcel->length;
    b.question = *question;
    return b;
}

static int is_readable(const header *h)
{
    return h->version == VERSION && h->endian == ENDIAN && h->state_bytes == sizeof(bg_state) &&
           h->tally_bytes == sizeof(bg_tally);
}

/* Of the whole file but the checksum itself. */
static uint64_t checksum_of(const beginning *b, const bg_parcel *parcel)
{
    return bg_checksum(bg_checksum(BG_CHECKSUM_START, b, sizeof *b), parcel->bytes, parcel->length);
}

static bg_status write_file(const char *path, int file, const beginning *b, const bg_parcel *parcel, bg_error *error)
{
    FILE *f = fdopen(file, "wb");
    if (!f) {
        const int reason = errno;
        close(file);
        return bg_fail(error, BG_ERROR_IO, "cannot write checkpoint '%s': %s", path, strerror(reason));
    }
    const uint64_t sum = checksum_of(b, parcel);
    int good = fwrite(b, sizeof *b, 1, f) == 1 && fwrite(parcel->bytes, 1, parcel->length, f) == parcel->length &&
               fwrite(&sum, sizeof sum, 1, f) == 1 && fflush(f) == 0 && fsync(fileno(f)) == 0;
    int reason = errno;
    if (fclose(f) != 0 && good) {
        reason = errno;
        good = 0;
    }
    return good ? BG_OK : bg_fail(error, BG_ERROR_IO, "cannot write checkpoint '%s': %s", path, strerror(reason));
}

/* ---- what is there already ------------------------------------------------------------------------------- */

/* Returns the bytes that were read. */
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
    if (!is_readable(&b->header))
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

bg_status bg_checkpoint_write(const char *path, const bg_question *question, const bg_parcel *parcel, bg_error *error)
{
    const beginning b = make_beginning(question, parcel);
    const size_t length = strlen(path) + BG_BESIDE_ROOM;
    beginning there;
    int file, found;
    char *temporary = malloc(length);
    if (!temporary) return bg_fail(error, BG_ERROR_MEMORY, "no memory to write checkpoint '%s'", path);
    bg_status status = bg_beside_create(path, temporary, length, &file, error);
    if (status == BG_OK) {
        status = write_file(path, file, &b, parcel, error);
        if (status == BG_OK) status = look_at(path, &there, &found, error); /* may have come in the meantime */
        if (status == BG_OK && rename(temporary, path) != 0)
            status = bg_fail(error, BG_ERROR_IO, "cannot rename checkpoint '%s' to '%s': %s", temporary, path,
                             strerror(errno));
        if (status == BG_OK)
            bg_beside_sync(path);
        else
            unlink(temporary);
    }
    free(temporary);
    return status;
}

/* Whether as many bytes follow the beginning as it says. */
static bg_status check_length(FILE *f, const char *path, const header *h, bg_error *error)
{
    const uint64_t rest = sizeof(beginning) + sizeof(uint64_t);
    const long end = fseek(f, 0, SEEK_END) ? -1 : ftell(f);
    if (end < 0 || fseek(f, sizeof(beginning), SEEK_SET))
        return bg_fail(error, BG_ERROR_IO, "cannot read checkpoint '%s': %s", path, strerror(errno));
    if ((uint64_t)end < rest || (uint64_t)end - rest < h->length)
        return bg_fail(error, BG_ERROR_ARGUMENT, "checkpoint '%s' is cut short", path);
    if ((uint64_t)end - rest > h->length)
        return bg_fail(error, BG_ERROR_ARGUMENT, "checkpoint '%s' is damaged: something follows its end", path);
    return BG_OK;
}

static bg_status read_file(FILE *f, const char *path, const bg_question *question, bg_parcel *parcel, bg_error *error)
{
    beginning b;
    uint64_t stored;
    const size_t length = read_beginning(f, &b);
    if (length < sizeof b.header || memcmp(b.header.magic, MAGIC, sizeof MAGIC) != 0)
        return bg_fail(error, BG_ERROR_ARGUMENT, "'%s' is not a checkpoint of BlockGen", path);
    if (!is_readable(&b.header))
        return bg_fail(
            error, BG_ERROR_ARGUMENT,
            "checkpoint '%s' was written by another version or kind of machine (format %u, this program reads %d)",
            path, b.header.version, VERSION);
    const bg_status status = check_length(f, path, &b.header, error);
    if (status != BG_OK) return status;
    *parcel = (bg_parcel){.bytes = malloc(b.header.length ? b.header.length : 1), .unpacking = 1};
    parcel->length = parcel->room = b.header.length;
    if (!parcel->bytes) return bg_fail(error, BG_ERROR_MEMORY, "no memory to read checkpoint '%s'", path);
    if (fread(parcel->bytes, 1, parcel->length, f) != parcel->length || fread(&stored, sizeof stored, 1, f) != 1)
        return bg_fail(error, BG_ERROR_ARGUMENT, "checkpoint '%s' is cut short", path);
    if (stored != checksum_of(&b, parcel))
        return bg_fail(error, BG_ERROR_ARGUMENT, "checkpoint '%s' is damaged: its checksum does not match", path);
    return bg_question_compare(path, &b.question, question, error);
}

bg_status bg_checkpoint_read(const char *path, const bg_question *question, bg_parcel *parcel, bg_error *error)
{
    *parcel = (bg_parcel){.bytes = NULL};
    FILE *f = fopen(path, "rb");
    if (!f) return bg_fail(error, BG_ERROR_IO, "cannot read checkpoint '%s': %s", path, strerror(errno));
    const bg_status status = read_file(f, path, question, parcel, error);
    fclose(f);
    return status;
}
