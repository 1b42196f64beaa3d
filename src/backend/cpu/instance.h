/* One CPU instance: the stations compiled for one instruction set and one number of letters. */
#ifndef BG_BACKEND_CPU_INSTANCE_H
#define BG_BACKEND_CPU_INSTANCE_H

#include "color/dense.h"
#include "color/fourier.h"
#include "color/open_strings.h"
#include "amplitude/program.h"
#include "backend/plan.h"
#include "backend/straight.h"
#include "kinematics/momenta.h"
#include "base/system.h"

/* Registers in a chunk, the unit of work of a thread: what one row of the color matrix is used for. */
#define BG_VECTORS 4

/* Most events of a task: so many registers, or a group at given points. */
enum { BG_TOGETHER = BG_MOST_GROUP * BG_GROUPS_OF_MORE };

/* Where a benchmark wants to know how long the two parts of a color sum take: seconds of one thread. */
typedef struct cpu_stages {
    double amplitudes, color_sum;
    double mark; /* when the last part ended */
    double cost; /* of reading the clock */
} cpu_stages;

/* What a plan has built once for all points. */
typedef struct cpu_tables {
    color_dense dense;      /* for summed colors, the paper's kernel */
    color_fourier fourier;  /* for summed colors, fast */
    quark_program program;  /* with quark lines */
    uint32_t *record;       /* one line, summed helicities: where words and prefixes are (amplitude/words.h) */
    straight_runs straight; /* summed helicities of few gluons: how the process becomes that of its code */
} cpu_tables;

/* A flow of colors that has been drawn for an event. */
typedef struct cpu_flow {
    open_flow flow;
    double Z;
} cpu_flow;

typedef struct cpu_task {
    const bg_plan *plan;
    const cpu_tables *tables;
    const uint64_t *event; /* event numbers, [BG_VECTORS * lanes], or as many as there are */
    const uint64_t *group; /* numbers of the groups that share colors, likewise; those of a group follow one another */
    const uint32_t *configuration; /* helicities for HELICITY_CIRCULAR, likewise */
    int count;                     /* at most BG_VECTORS registers of events, or a group of them */
    uint32_t draw;
    cpu_flow
        *flow; /* [event], of events that are sorted by skeletons; NULL: they are not, and nobody has drawn flows */
    bg_momenta momenta;
    double *value;      /* [event] */
    void *workspace;    /* of the calling thread, aligned to 64 bytes */
    cpu_stages *stages; /* NULL: nobody wants to know */
} cpu_task;

static inline void cpu_stages_begin(cpu_stages *s)
{
    if (s) s->mark = bg_seconds();
}

static inline double cpu_stages_lap(cpu_stages *s)
{
    const double before = s->mark;
    s->mark = bg_seconds();
    return s->mark - before - s->cost;
}

/* The amplitudes of a configuration are done; its color sum is. */
static inline void cpu_stages_amplitudes(cpu_stages *s)
{
    if (s) s->amplitudes += cpu_stages_lap(s);
}

static inline void cpu_stages_color_sum(cpu_stages *s)
{
    if (s) s->color_sum += cpu_stages_lap(s);
}

/* Kernels ask where a step may take a good part of a second; for fewer letters than this a whole chunk does not. */
#define BG_PATIENT_LETTERS 6

/* The fast kernel: up to here summed helicities share currents. */
#define BG_RECYCLED 7

typedef struct cpu_instance {
    int lanes;
    size_t (*workspace)(const bg_plan *plan, const quark_program *program); /* bytes a thread */
    void (*evaluate)(const cpu_task *task);
    /* Draws the flow of every event of a task. Those with equal skeletons share colors best. NULL: any do. */
    void (*draw_flows)(const cpu_task *task);
} cpu_instance;

#endif
