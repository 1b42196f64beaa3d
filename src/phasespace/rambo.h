/* RAMBO (Kleiss, Stirling, Ellis 1986): n massless momenta, uniform in phase space.
 *
 * Isotropic momenta with energies distributed as E exp(-E), then the boost and scaling that bring their
 * sum to rest with energy sqrt(s). The weight is the volume of phase space, the same for every point:
 *     V_n = (2 pi)^(4-3n) (pi/2)^(n-1) s^(n-2) / ((n-1)! (n-2)!) .
 */
#ifndef BG_PHASESPACE_RAMBO_H
#define BG_PHASESPACE_RAMBO_H

#include "base/constants.h"
#include "kinematics/vector.h"

/* u has 4 n numbers in (0, 1). */
BG_FN void rambo_generate(const int n, double sqrts, const real *u, vec4 *p)
{
    vec4 sum = vec4_zero();
    BG_UNROLL
    for (int k = 0; k < n; k++) {
        real sine, cosine;
        real c = u[4 * k] + u[4 * k] - bg_real(1.);
        real s = bg_sqrt(bg_real(1.) - c * c);
        real energy = -bg_log(u[4 * k + 2] * u[4 * k + 3]);
        bg_turn(u[4 * k + 1], &sine, &cosine);
        vec4 q = {energy, energy * s * cosine, energy * s * sine, energy * c};
        p[k] = q;
        sum = vec4_add(sum, q);
    }
    real mass = bg_sqrt(dot(sum, sum));
    real scale = bg_real(sqrts) / mass;
    real gamma = sum.t / mass;
    real a = bg_real(1.) / (bg_real(1.) + gamma);
    real bx = -sum.x / mass, by = -sum.y / mass, bz = -sum.z / mass;
    BG_UNROLL
    for (int k = 0; k < n; k++) {
        vec4 q = p[k];
        real bq = bx * q.x + by * q.y + bz * q.z;
        real f = q.t + a * bq;
        vec4 r = {scale * (gamma * q.t + bq), scale * (q.x + bx * f), scale * (q.y + by * f), scale * (q.z + bz * f)};
        p[k] = r;
    }
}

BG_FN double rambo_volume(int n, double sqrts)
{
    double volume = 1. / (8. * BG_PI); /* two particles */
    const double s = sqrts * sqrts;
    for (int k = 2; k < n; k++) volume *= s / (16. * BG_PI * BG_PI * k * (k - 1));
    return volume;
}

#endif
