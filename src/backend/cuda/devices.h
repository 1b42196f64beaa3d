/* The CUDA devices of this process, by number. */
#ifndef BG_BACKEND_CUDA_DEVICES_H
#define BG_BACKEND_CUDA_DEVICES_H

#include "backend/cuda/instance.h"

enum { MOST_DEVICES = 64 }; /* that one process uses */

/* How many there are: those of the machine, or those that BLOCKGEN_CUDA_DEVICES lists. */
bg_status bg_devices_count(int *count, bg_error *error);

/* The device of a process that names none. */
int bg_device_default(int count);

bg_status bg_device_describe(int device, char *description, size_t size, bg_error *error);

/* Makes a device current, the default one where `wanted` is negative; *previous is for bg_device_restore(). */
bg_status bg_device_select(int wanted, int *device, int *previous, bg_error *error);
void bg_device_restore(int previous);

#endif
