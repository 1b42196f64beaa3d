/* One CPU instance: the stations compiled for one instruction set and one n_out. */
#ifndef BG_BACKEND_CPU_INSTANCE_H
#define BG_BACKEND_CPU_INSTANCE_H

#include "color/dense.h"
#include "color/fourier.h"
#include "core/plan.h"

/* Registers in a chunk, the unit of work of a thread: what one row of the color matrix is used for. */
#define BG_VECTORS 4

typedef struct cpu_task {
    const bg_plan *plan;
    const color_dense *dense;      /* for summed colors */
    const color_fourier *fourier;  /* for summed colors, fast */
    const uint64_t *event;         /* event numbers, [BG_VECTORS * lanes] */
    const uint64_t *group;         /* numbers of the groups that share colors, likewise; those of a group follow one another */
    const uint32_t *configuration; /* helicities for EXTERNAL_HELICITY, likewise */
    int count;             /* at most BG_VECTORS registers of events */
    uint32_t draw;
    const double *momenta; /* [event][n][4] */
    double *value;         /* [event] */
    void *workspace;       /* of the calling thread, aligned to 64 bytes */
} cpu_task;

typedef struct cpu_instance {
    int lanes;
    size_t (*workspace)(const bg_plan *plan); /* bytes a thread */
    void (*evaluate)(const cpu_task *task);
} cpu_instance;

#endif
