/* Arrays that grow while they are filled. */
#ifndef BG_BASE_ROOM_H
#define BG_BASE_ROOM_H

#include <stdint.h>
#include <stdlib.h>

/* Room for one more entry of an array that has `used` of them, however many these are; otherwise as below. */
static inline void *bg_more_places(void *array, size_t used, size_t *room, size_t size, int *failed)
{
    if (used < *room) return array;
    const size_t wanted = 2 * *room + 256;
    void *more = realloc(array, wanted * size);
    if (!more) {
        *failed = 1;
        return array;
    }
    *room = wanted;
    return more;
}

/* Room for one more entry of an array that has `used` of them. Without memory the array stays as it is and *failed is set. */
static inline void *bg_more_room(void *array, uint32_t used, uint32_t *room, size_t size, int *failed)
{
    size_t places = *room;
    array = bg_more_places(array, used, &places, size, failed);
    *room = (uint32_t)places;
    return array;
}

#endif
