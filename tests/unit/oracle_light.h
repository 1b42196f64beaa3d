/* The lists of vertices once more, in light-cone gauge and plain complex numbers: the formulas that kernels use, with any two
 * lightlike vectors for the gauge. Components are those of amplitude/lightcone.h, with V+ = R.V/(Q.R) besides.
 *
 * A quark current is two numbers, x and y. With s = chirality for the quark end of a line and -chirality for the antiquark end,
 * V_s = V1 + i s V2, and xi = -1 for currents that start at a quark, +1 for those that start at an antiquark:
 *
 *     vertex      eta1 = - sum A_s y ,      eta2 = sum ( 2 A+ y - A_{-s} x )
 *     propagate   y = xi ( P_{-s} eta1 + P- eta2 ) / P^2 ,   x = ( xi eta1 + P_s y ) / P-
 *     leg         y = sqrt|p-| ,  x = P_s y / p-        (the leg whose momentum is Q: y = 0, x = sqrt|2 p+|)
 *     close       eta1 x_c + eta2 y_c
 *     pair        n1 += x_b y_k + y_b x_k ,   n2 -= i s (x_b y_k - y_b x_k) ,   d += 2 y_b y_k / P-
 *
 * with the sums n, d of a gluon current (light_sum), b the quark's current and k the antiquark's.
 */
#ifndef TEST_ORACLE_LIGHT_H
#define TEST_ORACLE_LIGHT_H

#include "oracle.h"

/* As oracle_amplitudes(), with gauge vectors Q and R, or with the momenta of the incoming partons where they are NULL: then
 * invariants and minus components are sums of terms of one sign, and the external states of the two are as simple as they get. */
void oracle_light_amplitudes(const oracle *o, int pattern, uint32_t gluons, const double *Q, const double *R,
                             const double *momenta, double complex *amplitude);

#endif
