/* The estimates once more, with numbers of 128 bits; a file of its own, since the number type is chosen for a whole file. */
#ifndef TEST_ESTIMATE_QUAD_H
#define TEST_ESTIMATE_QUAD_H

#include "process/subprocess.h"

/* E of one point, momenta by leg, and the table of its invariants, s[leg * legs + leg]. */
double estimate_quad(const bg_subprocess *process, const double *momenta, double *s);

#endif
