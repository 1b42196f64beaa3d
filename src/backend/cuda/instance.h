/* One CUDA instance: the stations compiled for one n_out, with real or with complex currents, and what
 * the backend hands to it.
 *
 * Everything a kernel reads or writes lies as [row][event] or [row][column], events side by side, so that
 * neighboring threads touch neighboring numbers. A column is one event in one helicity configuration
 * (and one part of a complex amplitude): that is what the color sum works on.
 */
#ifndef BG_BACKEND_CUDA_INSTANCE_H
#define BG_BACKEND_CUDA_INSTANCE_H

#include <stddef.h>
#include <stdint.h>

#include "base/interrupt.h"
#include "kinematics/momenta.h"
#include <cuda_runtime_api.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CUDA_BLOCK 128      /* threads of a block where a thread works on an event; rows are padded to it */
#define CUDA_ORDERINGS 24   /* orderings a thread takes one after the other, summed colors */
#define CUDA_SUMMANDS 120   /* orderings a thread sums up, leading color: fixed, so that rounding is as well */
#define CUDA_FORM_COLUMN 24 /* orderings whose color sum a thread does, a column at a time */
#define CUDA_FORM_ROWS 128  /* rows of the color matrix that a block works on */
#define CUDA_QUARTER 60     /* structures of two lines and four gluons, a quarter of them */
#define CUDA_QUARTER_TABLE (4 * 23 * 128)                          /* numbers of the matrix of these */
#define CUDA_QUARTER_CHIP (4 * CUDA_QUARTER * 36 * sizeof(double)) /* shared memory of a block that has them */

/* What the kernels need to know of the plan and of the draw. */
typedef struct cuda_question {
    int n;                  /* gluons */
    int mode;               /* enum helicity_mode */
    int tensor;             /* tensor form of the vertex */
    int one;                /* one drawn ordering (leading color) */
    int discrete;           /* discrete colors (dressed) */
    int circular;           /* helicities are drawn, event by event */
    int flat;               /* coherent colors from flattened antennas */
    uint32_t configuration; /* helicities for HELICITY_CIRCULAR where they are not drawn */
    uint32_t draw;
    uint64_t seed, first_event;
    const uint64_t *events;         /* event numbers [event] on the device; NULL: from first_event on */
    const uint32_t *configurations; /* helicities [event] on the device; NULL: `configuration` or drawn */
} cuda_question;

/* Events of the device between the parts of a color sum, where a benchmark asks for them (stages.c). */
typedef struct cuda_marks cuda_marks;

/* One draw of one batch. All pointers but that to the marks are device pointers. */
typedef struct cuda_task {
    cudaStream_t stream;
    cuda_question question;
    int count;    /* events */
    size_t pitch; /* count rounded up to whole blocks: numbers in a row of events */
    bg_momenta momenta;
    const uint64_t *orderings; /* packed, in the order of their ranks; see packed_gluon() */
    uint64_t orderings_count;
    const float *matrix; /* color matrix [ordering][ordering]; its integers are exact in float */
    double *p;           /* [gluon][4][event], outgoing */
    double *state;       /* [gluon][state][part][4][event] */
    double *propagator;  /* [set or run][event], see store_propagators() */
    double *amplitude;   /* [ordering][column] */
    size_t columns;      /* capacity of amplitude, in columns */
    double *tile;        /* [row tile][column], partial color sums */
    double *store;       /* dressed currents [number][event] */
    double *
        partial; /* the result is the sum over slices times the weights: partial[slice * slice_step + event * event_step] */
    struct cuda_flow *flow;        /* of events with quark lines (open.cu) */
    uint32_t *order;               /* of those that are sorted by their color flows */
    uint64_t slices;               /* filled by the instance */
    size_t slice_step, event_step; /* pitch and 1, unless the instance says otherwise */
    cuda_marks *marks;             /* NULL: nobody wants to know */
    bg_interrupt *interrupt;       /* asked between launches; NULL: none */
} cuda_task;

/* Marks the end of a part, CUDA_PART_NONE the beginning of the first one. */
typedef enum cuda_part { CUDA_PART_NONE, CUDA_PART_AMPLITUDES, CUDA_PART_COLOR_SUM } cuda_part;
bg_status bg_cuda_mark(const cuda_task *task, cuda_part part, bg_error *error);

/* Which of the instance's algorithms. */
typedef enum cuda_algorithm {
    CUDA_SUMMED,
    CUDA_LEADING,
    CUDA_COOPERATIVE,
    CUDA_SAMPLED,
    CUDA_DRESSED,
    CUDA_COHERENT,
    CUDA_QUARKS
} cuda_algorithm;

typedef struct cuda_instance {
    int n_out, parts;
    /* Queues one draw of one batch. */
    bg_status (*evaluate)(cuda_algorithm algorithm, cuda_task *task, bg_error *error);
    /* On-chip memory of an event and stack of a thread, in bytes, as compiled for the current device. */
    bg_status (*resources)(cuda_algorithm algorithm, const cuda_question *question, size_t *on_chip, size_t *stack,
                           bg_error *error);
} cuda_instance;

/* ---- kernels that know no multiplicity ------------------------------------------------------------- */

/* matrix[s][t] = function(s^-1 t) for all pairs of `size` orderings of `letters` letters. */
bg_status bg_cuda_color_matrix(cudaStream_t stream, int letters, uint64_t size, const uint64_t *orderings,
                               const float *function, float *matrix, bg_error *error);

/* sum[column] = sum over s, t of A_s C_st A_t with A = amplitude[ordering][column]; `pitch` numbers a row. */
bg_status bg_cuda_color_sum(cudaStream_t stream, uint64_t size, const float *matrix, const double *amplitude,
                            size_t columns, double *tile, double *sum, bg_error *error);

/* The same with two halves of `half` structures that may be exchanged: matrices of their sums and of their differences, one behind the
 * other, and as many tiles. */
bg_status bg_cuda_paired_sum(cudaStream_t stream, uint64_t half, const float *matrix, const double *amplitude,
                             size_t columns, double *tile, double *sum, bg_error *error);

/* The same with four parts of CUDA_QUARTER structures that may be exchanged: place[4 k + i] are the four that belong together, those of odd i
 * have the antiquarks exchanged, those of i > 1 the lines. The matrices of the parts are laid out as lanes want them (quarks.c). */
bg_status bg_cuda_quartet_sum(cudaStream_t stream, const float *matrix, const uint32_t *place, const double *amplitude,
                              size_t columns, double *sum, bg_error *error);

/* Draw `draw` of `samples`: adds the slices up, updates the running mean, and after the last draw writes
 * normalized means to me2 and their standard errors to uncertainty (may be NULL). */
typedef struct cuda_collection {
    const double *partial; /* as in cuda_task */
    uint64_t slices;
    size_t slice_step, event_step;
    int count, draw, samples, sampled;
    double weight, normalization;
    double *mean, *spread; /* workspace for more than one sample */
    double *me2, *uncertainty;
} cuda_collection;
bg_status bg_cuda_collect(cudaStream_t stream, const cuda_collection *collection, bg_error *error);

/* Rows of propagators for the ordered recursions: of all sets, or of the runs of one ordering, and that one. */
static inline size_t cuda_propagators(int n, int one)
{
    return one ? (size_t)(n - 1) * (size_t)n / 2 + 1 : (size_t)1 << (n - 1);
}

/* Dressed recursion for any n. */
bg_status bg_cuda_dressed(int parts, cuda_task *task, bg_error *error);
bg_status bg_cuda_dressed_resources(int parts, size_t *stack, bg_error *error);

/* Numbers of the dressed store of one event. */
size_t bg_cuda_dressed_numbers(int n, int parts);

/* ---- errors --------------------------------------------------------------------------------------- */

/* Status and message of a failed CUDA call. */
bg_status bg_cuda_fail(bg_error *error, cudaError_t code, const char *call);

#define CUDA_TRY(error, call)                                                                                          \
    do {                                                                                                               \
        const cudaError_t code_ = (call);                                                                              \
        if (code_ != cudaSuccess) return bg_cuda_fail(error, code_, #call);                                            \
    } while (0)

/* After a launch: the launch itself, by name. */
#define CUDA_LAUNCHED(error, kernel)                                                                                   \
    do {                                                                                                               \
        const cudaError_t code_ = cudaGetLastError();                                                                  \
        if (code_ != cudaSuccess) return bg_cuda_fail(error, code_, "launch of " kernel);                              \
    } while (0)

#ifdef __cplusplus
}
#endif

#endif
