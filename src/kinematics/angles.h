/* Directions as a detector sees them: pseudorapidity, azimuth, and the distance DeltaR of two of them. */
#ifndef BG_KINEMATICS_ANGLES_H
#define BG_KINEMATICS_ANGLES_H

#include "base/constants.h"
#include "kinematics/vector.h"

/* Pseudorapidity of a massless momentum. */
BG_FN real angles_eta(vec4 p)
{
    real pt = bg_sqrt(p.x * p.x + p.y * p.y);
    real pz = bg_abs(p.z);
    real eta = bg_log((p.t + pz) / pt);
    return bg_select(p.z < bg_real(0.), -eta, eta);
}

/* DeltaR^2 from (pseudo)rapidities and azimuths that differ by less than two pi. */
BG_FN real angles_distance2(real eta1, real phi1, real eta2, real phi2)
{
    real deta = eta1 - eta2;
    real dphi = bg_abs(phi1 - phi2);
    dphi = bg_min(dphi, bg_real(BG_TWO_PI) - dphi);
    return deta * deta + dphi * dphi;
}

#endif
