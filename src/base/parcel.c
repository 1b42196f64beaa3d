#include "base/parcel.h"

#include <stdlib.h>
#include <string.h>

static int make_room(bg_parcel *p, size_t more)
{
    if (p->length + more <= p->room) return 1;
    const size_t room = 2 * (p->length + more);
    unsigned char *bytes = realloc(p->bytes, room);
    if (!bytes) return 0;
    p->bytes = bytes;
    p->room = room;
    return 1;
}

void bg_parcel_pass(bg_parcel *p, void *data, size_t size)
{
    if (!size) return;
    if (!p->failed) p->failed = p->unpacking ? size > p->length - p->at : !make_room(p, size);
    if (p->failed) return;
    if (p->unpacking) {
        memcpy(data, p->bytes + p->at, size);
        p->at += size;
    } else {
        memcpy(p->bytes + p->length, data, size);
        p->length += size;
    }
}

int bg_parcel_is_empty(const bg_parcel *p) { return !p->failed && p->at == p->length; }

void bg_parcel_free(bg_parcel *p)
{
    free(p->bytes);
    *p = (bg_parcel){.bytes = NULL};
}

uint64_t bg_checksum(uint64_t sum, const void *data, size_t bytes)
{
    const unsigned char *p = data;
    for (size_t k = 0; k < bytes; k += 8) {
        uint64_t word = 0;
        memcpy(&word, p + k, bytes - k < 8 ? bytes - k : 8);
        sum = (sum ^ word) * 0x100000001b3u;
        sum ^= sum >> 29;
    }
    return sum;
}
