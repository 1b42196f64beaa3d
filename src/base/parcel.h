/* Parcels: bytes that are put in and taken out in the same order.
 *
 * What is packed and what is unpacked is listed once, because the same calls do both:
 *
 *     bg_parcel_pass(&parcel, &count, sizeof count);
 *     bg_parcel_pass(&parcel, list, count * sizeof *list);
 */
#ifndef BG_BASE_PARCEL_H
#define BG_BASE_PARCEL_H

#include <stddef.h>
#include <stdint.h>

typedef struct bg_parcel {
    unsigned char *bytes;
    size_t length, room;
    size_t at;     /* unpacking: what comes next */
    int unpacking; /* 0: bytes are added */
    int failed;    /* no memory, or it ends too soon: nothing is passed any more */
} bg_parcel;

void bg_parcel_pass(bg_parcel *parcel, void *data, size_t size);

/* Whether it was all there and nothing is left of it. */
int bg_parcel_is_empty(const bg_parcel *parcel);
void bg_parcel_free(bg_parcel *parcel);

/* A sum that changes with every byte (FNV-1a, 64 bits, eight bytes at a time): begin with BG_CHECKSUM_START, go on with the
 * sum so far. */
#define BG_CHECKSUM_START 1469598103934665603u
uint64_t bg_checksum(uint64_t sum, const void *data, size_t bytes);

#endif
