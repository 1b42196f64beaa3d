/* The CUDA devices of this process, by number. */
#ifndef BG_BACKEND_CUDA_DEVICES_H
#define BG_BACKEND_CUDA_DEVICES_H

#include "backend/cuda/instance.h"

enum { MOST_DEVICES = 64 }; /* that one process uses */

/* How many there are: those of the machine, or those that BLOCKGEN_CUDA_DEVICES lists. */
bg_status bg_devices_count(int *count, bg_error *error);

/* The device that is wanted, the first where `wanted` is negative: its number here, and that of the run time. */
bg_status bg_device_find(int wanted, int *device, int *own, bg_error *error);

bg_status bg_device_describe(int own, char *description, size_t size, bg_error *error);

/* Makes a device current, by the number of the run time, and puts the one before back. An error that an earlier call
 * left behind is forgotten: it is not that of our first launch. */
bg_status bg_device_enter(int own, int *previous, bg_error *error);
void bg_device_leave(int previous);

#endif
