/* The map of two protons a point at a time, without lanes. */
#ifndef TEST_HADRON_SCALAR_H
#define TEST_HADRON_SCALAR_H

#include <stdint.h>

/* A point from symmetric_numbers(n) numbers: momenta [n][4], x1 and x2; returns the weight. */
double scalar_symmetric(int n, const void *map, const void *table, const double *numbers, double *momenta, double *x,
                        uint8_t *cell);

/* Whether momenta [n][4] pass the cuts. */
int scalar_cuts(int n, const void *cuts, const void *jets, const double *momenta);

#endif
