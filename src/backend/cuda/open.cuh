/* What the parts of open.cu have in common: kernels for several numbers of events of a block (open_draw.cuh), and who calls them. */
#ifndef BG_BACKEND_CUDA_OPEN_CUH
#define BG_BACKEND_CUDA_OPEN_CUH

#include "backend/cuda/groups.cuh"
#include "backend/cuda/open.h"

/* Where the numbers of an event are. */
typedef struct open_shares {
    uint32_t lists; /* bytes of the lists of a block on the chip; 0: they are in its memory */
    uint32_t chip;  /* numbers of an event on the chip */
    uint32_t fixed; /* of which those that are there all the time, */
    uint32_t early; /* and what comes before currents: paths, then sums over sets */
} open_shares;

/* What is the same for all blocks. */
typedef struct open_call {
    open_process process;
    bg_subprocess subprocess;
    group_call call;
    cuda_flow *flow; /* [event] */
    uint32_t groups; /* that draw the same colors: at given points some share them (backend/plan.h) */
    uint32_t run;    /* groups that a block takes at a time */
    open_shares room;
} open_call;

/* How a kernel is started. */
typedef struct open_launch {
    unsigned threads;
    size_t shared;
    open_shares room;
} open_launch;

typedef void open_kernel(const open_call);

/* Kernels that work on so many events at a time. */
typedef struct open_instance {
    unsigned events;
    open_kernel *flow;
    open_kernel *(*draw)(const open_process *o, int parts);               /* for colors */
    open_launch (*flow_launch)(const open_process *o, size_t chip_bytes); /* shared memory of a multiprocessor */
    open_launch (*draw_launch)(const open_process *o, int mode, size_t chip_bytes);
    size_t (*block_bytes)(const open_process *o, int parts);
} open_instance;

extern const open_instance bg_cuda_open_8, bg_cuda_open_16, bg_cuda_open_32;

#endif
