/* UMAMI, the interface through which MadGraph 7's MadSpace loads matrix elements: what a shared library shows, in our own
 * words. Names, numbers and layouts are those of version 1.0 of the interface; docs/umami.md says where they come from.
 *
 * Arrays have the number of the event as their fastest index: component c of the momentum of leg l of event i stands at
 * [stride * (legs * c + l) + i], a number of an event at [i], and a call is for the events `offset` to `offset + count - 1`.
 */
#ifndef UMAMI_H
#define UMAMI_H

#include <stdbool.h>
#include <stddef.h>

#define UMAMI_API __attribute__((visibility("default")))

typedef enum UmamiStatus {
    UMAMI_SUCCESS = 0,
    UMAMI_ERROR = 1,
    UMAMI_ERROR_NOT_IMPLEMENTED = 2,
    UMAMI_ERROR_UNSUPPORTED_INPUT = 3,
    UMAMI_ERROR_UNSUPPORTED_OUTPUT = 4,
    UMAMI_ERROR_UNINITIALIZED_META = 5,
    UMAMI_ERROR_UNSUPPORTED_META = 6,
    UMAMI_ERROR_MISSING_INPUT = 7
} UmamiStatus;

typedef enum UmamiDevice { UMAMI_DEVICE_CPU = 0, UMAMI_DEVICE_CUDA = 1, UMAMI_DEVICE_HIP = 2 } UmamiDevice;

typedef enum UmamiMetaKey {
    UMAMI_META_DEVICE = 0,         /* UmamiDevice: where all arrays are */
    UMAMI_META_PARTICLE_COUNT = 1, /* int */
    UMAMI_META_DIAGRAM_COUNT = 2,  /* int */
    UMAMI_META_HELICITY_COUNT = 3, /* int */
    UMAMI_META_COLOR_COUNT = 4,    /* int */
    UMAMI_META_MASSES = 5          /* double for each particle, GeV */
} UmamiMetaKey;

typedef enum UmamiInputKey {
    UMAMI_IN_MOMENTA = 0,      /* double, E, px, py, pz of every leg */
    UMAMI_IN_ALPHA_S = 1,      /* double */
    UMAMI_IN_FLAVOR_INDEX = 2, /* int */
    UMAMI_IN_RANDOM_COLOR = 3,
    UMAMI_IN_RANDOM_HELICITY = 4,
    UMAMI_IN_RANDOM_DIAGRAM = 5,
    UMAMI_IN_HELICITY_INDEX = 6,
    UMAMI_IN_DIAGRAM_INDEX = 7,
    UMAMI_IN_CHANNEL_INDEX = 8
} UmamiInputKey;
enum { UMAMI_INPUTS = 9 };

typedef enum UmamiOutputKey {
    UMAMI_OUT_MATRIX_ELEMENT = 0, /* double */
    UMAMI_OUT_DIAGRAM_AMP2 = 1,
    UMAMI_OUT_COLOR_INDEX = 2,
    UMAMI_OUT_HELICITY_INDEX = 3,
    UMAMI_OUT_DIAGRAM_INDEX = 4,
    UMAMI_OUT_GPU_STREAM = 5 /* the stream itself, in the place of an address */
} UmamiOutputKey;
enum { UMAMI_OUTPUTS = 6 };

typedef void *UmamiHandle;

UMAMI_API UmamiStatus umami_get_meta(UmamiMetaKey key, void *result);

/* Which keys are understood, needed and answered: an array of `count` truths that belongs to the library. */
UMAMI_API UmamiStatus umami_supported_inputs(bool const **supported, int *count);
UMAMI_API UmamiStatus umami_required_inputs(bool const **required, int *count);
UMAMI_API UmamiStatus umami_supported_outputs(bool const **supported, int *count);

/* A handle is for one thread at a time. */
UMAMI_API UmamiStatus umami_initialize(UmamiHandle *handle, char const *path);
UMAMI_API UmamiStatus umami_set_parameter(UmamiHandle handle, char const *name, double real, double imaginary);
UMAMI_API UmamiStatus umami_get_parameter(UmamiHandle handle, char const *name, double *real, double *imaginary);
UMAMI_API UmamiStatus umami_matrix_element(UmamiHandle handle, size_t count, size_t stride, size_t offset,
                                           size_t input_count, UmamiInputKey const *input_keys,
                                           void const *const *inputs, size_t output_count,
                                           UmamiOutputKey const *output_keys, void *const *outputs);
UMAMI_API UmamiStatus umami_free(UmamiHandle handle);

#endif
