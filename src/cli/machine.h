/* The machine under a benchmark: what it is, and the two numbers of its roofline, measured. */
#ifndef BG_CLI_MACHINE_H
#define BG_CLI_MACHINE_H

#include "cli/json.h"

#include <stddef.h>

typedef struct machine {
    char cpu[128];    /* "AMD EPYC 9654" */
    char simd[64];    /* instruction set that the CPU backend uses, "AVX-512" */
    char system[160]; /* "Linux 6.1.0 x86_64" */
    const char *compiler;
    int cores;    /* that this process may use; 1 in a build without OpenMP */
    size_t bytes; /* of memory; 0: unknown */
    /* Measured by machine_measure, 0 before: one thread, and one thread a core together. */
    double gflops[2];    /* FP64 multiply-adds in registers, 2 flops each, with the SIMD in use */
    double gigabytes[2]; /* a second of a[i] = b[i] + s c[i] over arrays far larger than the caches, 24 bytes each i */
} machine;

void machine_describe(machine *m);

/* Takes about `seconds` in all. Returns -1 where there is no memory for the arrays (the bandwidth stays 0). */
int machine_measure(machine *m, double seconds);

/* {"cpu": ..., "backends": [...], "fp64_gflops_one_thread": ...} */
void machine_json(const machine *m, json *j, const char *key);

#endif
