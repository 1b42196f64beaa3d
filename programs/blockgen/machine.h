/* The machine under a benchmark: what it is, and what each backend could do on it at best, measured. */
#ifndef BG_PROGRAM_MACHINE_H
#define BG_PROGRAM_MACHINE_H

#include "experimental.h"
#include "json.h"

#include <stddef.h>

enum { MACHINE_BACKENDS = 4 };

typedef struct machine {
    char cpu[128];    /* "AMD EPYC 9654" */
    char simd[64];    /* instruction set that the CPU backend uses, "AVX-512" */
    char system[160]; /* "Linux 6.1.0 x86_64" */
    const char *compiler;
    int cores;                                  /* that this process may use; 1 in a build without OpenMP */
    size_t bytes;                               /* of memory; 0: unknown */
    bg_roofline roofline[MACHINE_BACKENDS + 1]; /* of each backend, 0 before machine_measure; the last: of none */
} machine;

void machine_describe(machine *m);

/* Measures the roofline of a backend (device < 0: the default one) for about `seconds`. */
bg_status machine_measure(machine *m, const char *backend, int device, double seconds, bg_error *error);
const bg_roofline *machine_roofline(const machine *m, const char *backend);

/* {"cpu": ..., "backends": [{"name", "description", "fp64_gflops", ...}, ...]} */
void machine_json(const machine *m, json *j, const char *key);

#endif
