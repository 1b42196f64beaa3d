/* Backends by what they can do: nobody here asks for their names. */
#ifndef BG_PROGRAM_BACKENDS_H
#define BG_PROGRAM_BACKENDS_H

#include "blockgen/blockgen.h"

/* Says whether a backend that is built in has a capability (BG_CAN_...). */
int backend_can(const char *name, unsigned capability);

/* The first backend that has it, usable or not, or NULL. */
const char *backend_that_can(unsigned capability);

/* The CPU, which is always there, and the backend of devices with memory of their own, or NULL. */
const char *backend_of_host(void);
const char *backend_of_devices(void);

/* What a run with these options uses: "cpu (AVX-512, 2 threads)". The backend is named in them. */
typedef struct backend_text {
    char text[200];
} backend_text;
backend_text backend_hardware(const bg_options *options);

/* Whether the CPU computes because `auto` found no device, and then a line that says so. */
int backend_fallback(const bg_options *options, char *line, size_t size);

#endif
