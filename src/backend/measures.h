/* What benchmarks measure, as plain numbers. */
#ifndef BG_BACKEND_MEASURES_H
#define BG_BACKEND_MEASURES_H

/* Seconds of the two parts of a matrix element with summed colors: everything up to the amplitudes of all orderings,
 * and the sum over colors. */
typedef struct bg_stages {
    double amplitudes, color_sum;
} bg_stages;

/* One matrix element, all draws of it. A multiply-add is two operations; 0: not counted. */
typedef struct bg_operations {
    double amplitudes, color_sum;
    int tensor;   /* the color sum runs on tensor cores */
    double bytes; /* to and from memory at least: the momenta and the result */
} bg_operations;

/* The limits of the hardware, measured: with one thread, and with `threads`, which is all of it. A device has no
 * threads to choose: both are the same and `threads` is 1. */
typedef struct bg_roofline {
    int threads;
    double gflops[2];     /* FP64 multiply-adds in registers, 2 operations each */
    double tensor_gflops; /* the same on tensor cores, 0: none */
    double gigabytes[2];  /* a second, to and from memory */
} bg_roofline;

#endif
