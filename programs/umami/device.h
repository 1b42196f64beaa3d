/* What happens to arrays on a device before and after the matrix elements: the momenta are brought into the order of
 * BlockGen, and the results into their places. All is queued on the caller's stream. */
#ifndef UMAMI_DEVICE_H
#define UMAMI_DEVICE_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { UMAMI_DEVICE_ROOM = 1 << 16 }; /* events at a time */

/* Arrays of one handle on one device. */
typedef struct umami_device {
    int number, legs;
    double *momenta, *me2; /* [UMAMI_DEVICE_ROOM][legs][4], [UMAMI_DEVICE_ROOM] */
    void *passed;          /* an event of CUDA: where the last call ends */
} umami_device;

/* The device that is current, or -1. */
int umami_device_current(void);

/* All of these return NULL, or what went wrong. */
const char *umami_device_create(umami_device *d, int number, int legs);
void umami_device_destroy(umami_device *d);

/* Makes the device current and the stream wait for the last call; *before gets the device that was current. */
const char *umami_device_begin(umami_device *d, void *stream, int *before);
const char *umami_device_gather(umami_device *d, void *stream, const double *momenta, size_t stride, size_t first,
                                size_t count);

/* What becomes of the results in d->me2: those of events whose flavor is `which` go to `out`, from event `first` on,
 * times (alpha_s / standard)^power. Flavors that are not of `flavors` leave a NaN. `flavor` and `alpha_s` may be NULL. */
typedef struct umami_delivery {
    double *out;
    const double *alpha_s;
    const int *flavor;
    double scale, standard; /* scale: of all, where there is no alpha_s */
    int power, which, flavors;
} umami_delivery;
const char *umami_device_deliver(umami_device *d, void *stream, const umami_delivery *how, size_t first, size_t count);

/* Marks where the call ends, waits for it where the caller has named no stream, and restores the device. */
const char *umami_device_end(umami_device *d, void *stream, int wait, int before);

#ifdef __cplusplus
}
#endif

#endif
