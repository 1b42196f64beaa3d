#include "engine/keep.h"
#include "base/status.h"
#include "engine/beside.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct header {
    char magic[16];
    uint32_t format, endian;
    char version[32]; /* of the program */
    uint64_t length;
} header;

static const char MAGIC[16] = "BlockGen run\n";
enum { FORMAT = 4, ENDIAN = 0x01020304 };

static header make_header(const bg_parcel *p)
{
    header h;
    memset(&h, 0, sizeof h);
    memcpy(h.magic, MAGIC, sizeof h.magic);
    h.format = FORMAT;
    h.endian = ENDIAN;
    snprintf(h.version, sizeof h.version, "%s", bg_version());
    h.length = p->length;
    return h;
}

static uint64_t sum_of(const header *h, const bg_parcel *p)
{
    return bg_checksum(bg_checksum(BG_CHECKSUM_START, h, sizeof *h), p->bytes, p->length);
}

static bg_status cannot(const char *what, const char *path, bg_error *error)
{
    return bg_fail(error, BG_ERROR_IO, "cannot %s '%s': %s", what, path, strerror(errno));
}

static bg_status put(const char *path, int file, const bg_parcel *p, bg_error *error)
{
    const header h = make_header(p);
    const uint64_t sum = sum_of(&h, p);
    FILE *f = fdopen(file, "wb");
    if (!f) {
        const bg_status status = cannot("write", path, error);
        close(file);
        return status;
    }
    const int good = fwrite(&h, sizeof h, 1, f) == 1 && fwrite(p->bytes, 1, p->length, f) == p->length &&
                     fwrite(&sum, sizeof sum, 1, f) == 1 && fflush(f) == 0 && fsync(fileno(f)) == 0;
    const bg_status status = good ? BG_OK : cannot("write", path, error);
    if (fclose(f) != 0 && status == BG_OK) return cannot("write", path, error);
    return status;
}

bg_status bg_keep_write(const char *path, const bg_parcel *p, bg_error *error)
{
    const size_t length = strlen(path) + BG_BESIDE_ROOM;
    char *name = malloc(length);
    int file;
    if (!name) return bg_fail(error, BG_ERROR_MEMORY, "no memory for the name of '%s'", path);
    bg_beside_clean(path, MAGIC, sizeof MAGIC);
    bg_status status = bg_beside_create(path, name, length, &file, error);
    if (status == BG_OK) {
        status = put(path, file, p, error);
        if (status == BG_OK && rename(name, path)) status = cannot("write", path, error);
        if (status == BG_OK)
            bg_beside_sync(path);
        else
            unlink(name);
    }
    free(name);
    return status;
}

/* The rest of a file whose header is right. */
static bg_status get(const char *path, FILE *f, const header *h, bg_parcel *p, bg_error *error)
{
    uint64_t sum;
    p->bytes = malloc(h->length ? h->length : 1);
    if (!p->bytes) return bg_fail(error, BG_ERROR_MEMORY, "no memory to read '%s'", path);
    p->length = p->room = h->length;
    p->unpacking = 1;
    if (fread(p->bytes, 1, p->length, f) != p->length || fread(&sum, sizeof sum, 1, f) != 1 || getc(f) != EOF ||
        sum != sum_of(h, p))
        return bg_fail(error, BG_ERROR_ARGUMENT, "'%s' is damaged: its checksum does not match", path);
    return BG_OK;
}

bg_status bg_keep_read(const char *path, bg_parcel *p, bg_error *error)
{
    *p = (bg_parcel){.bytes = NULL};
    header own = make_header(p), h = own;
    FILE *f = fopen(path, "rb");
    if (!f) return cannot("read", path, error);
    bg_status status = BG_OK;
    const int whole = fread(&h, sizeof h, 1, f) == 1 && !memcmp(h.magic, MAGIC, sizeof h.magic);
    own.length = h.length;
    if (!whole)
        status = bg_fail(error, BG_ERROR_ARGUMENT, "'%s' is not what a run of BlockGen has learned", path);
    else if (memcmp(&h, &own, sizeof h) != 0)
        status = bg_fail(error, BG_ERROR_ARGUMENT, "'%s' was written by another version or kind of machine", path);
    else if (fseek(f, 0, SEEK_END) || (uint64_t)ftell(f) != sizeof h + h.length + sizeof(uint64_t) ||
             fseek(f, sizeof h, SEEK_SET))
        status = bg_fail(error, BG_ERROR_ARGUMENT, "'%s' is damaged: it is cut short", path);
    else
        status = get(path, f, &h, p, error);
    fclose(f);
    return status;
}
