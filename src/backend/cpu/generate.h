/* Phase-space points on the CPU, one instance an instruction set. */
#ifndef BG_BACKEND_CPU_GENERATE_H
#define BG_BACKEND_CPU_GENERATE_H

#include "phasespace/channel.h"

/* The points inside the cuts, packed. Room for as many as were asked for. */
typedef struct cpu_points {
    int count;
    double *momenta; /* [point][n][4], the user's order */
    double *weight;  /* pb, without |M|^2 */
    uint64_t *event;
    uint8_t *bin; /* [point][BG_MAX_DIMENSIONS] */
} cpu_points;

typedef void cpu_generate(const channel *c, const channel_grid *grid, uint64_t first, int count, cpu_points *out);

/* That of the instruction set that the options choose (cpu.c), for whoever has points generated here. */
bg_status bg_cpu_choose_generate(const bg_options *options, cpu_generate **generate, bg_error *error);

#endif
