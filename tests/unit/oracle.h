/* |M|^2 of any process with quarks the plain way: one point, one helicity configuration at a time, complex numbers. The vertex
 * list of amplitude/tape.h is executed in Feynman gauge with four-vectors, field strengths and spinors of a fixed basis, so that
 * nothing but the list and the color matrix is shared with the kernels, which work in light-cone gauge.
 */
#ifndef TEST_ORACLE_H
#define TEST_ORACLE_H

#include "amplitude/tape.h"

#include <complex.h>

/* One pattern of chiralities (helicity/chirality.h). Each has its own list of vertices, since quarks of one flavor that have
 * equal chiralities are identical and others are not. */
typedef struct oracle_pattern {
    uint32_t chirality;
    tape list;
} oracle_pattern;

typedef struct oracle {
    bg_subprocess process;
    int patterns;
    oracle_pattern *pattern;
    double *color; /* the matrix, [structure][structure] */
    int structures;
} oracle;

/* `closes`: the place whose leg closes the amplitudes; -1: the last. */
void oracle_create(oracle *o, const bg_subprocess *process, int closes);
void oracle_create_text(oracle *o, const char *text, int closes);
void oracle_destroy(oracle *o);

/* Momenta by leg, physical energies, as users have them. Amplitudes of all color structures for one pattern and helicities of
 * the gluons: bit k of `gluons` is set where gluon k of the subprocess, taken as outgoing, has +. `longitudinal`: the
 * number of a gluon whose polarization is its momentum over its energy instead, or -1. */
void oracle_amplitudes(const oracle *o, int pattern, uint32_t gluons, int longitudinal, const double *momenta,
                       double complex *amplitude);

/* The sum over colors of one configuration, without couplings, averages and factors. */
double oracle_square(const oracle *o, const double complex *amplitude);

/* What such a sum is multiplied with; `summed` 1: also averages over incoming helicities. */
double oracle_normalization(const oracle *o, double alpha_s, int summed);

/* |M|^2, everything summed. */
double oracle_me2(const oracle *o, double alpha_s, const double *momenta);

/* ... and of one configuration of physical helicities, "+-+-" in the order of the legs. */
double oracle_helicity(const oracle *o, double alpha_s, const char *helicities, const double *momenta);

#endif
