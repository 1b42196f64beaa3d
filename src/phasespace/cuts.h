/* Cuts on the outgoing gluons, without branches: a mask of the lanes that pass. */
#ifndef BG_PHASESPACE_CUTS_H
#define BG_PHASESPACE_CUTS_H

#include "base/limits.h"
#include "kinematics/angles.h"

BG_FN mask cuts_pass(const int n_out, const bg_cuts *cuts, const vec4 *p)
{
    mask pass = bg_true();
    real ht = bg_real(0.);
    real pt2_min = bg_real(cuts->pt_min * cuts->pt_min);
    real tanh_max = bg_real(cuts->eta_max > 0. ? tanh(cuts->eta_max) : 1.);
    BG_UNROLL
    for (int k = 0; k < n_out; k++) {
        real pt2 = p[k].x * p[k].x + p[k].y * p[k].y;
        pass &= pt2 >= pt2_min;
        pass &= bg_abs(p[k].z) <= tanh_max * p[k].t;
        ht += bg_sqrt(pt2);
    }
    pass &= ht >= bg_real(cuts->ht_min);
    if (cuts->mass_min > 0.) {
        real least = bg_real(0.5 * cuts->mass_min * cuts->mass_min);
        BG_UNROLL
        for (int j = 1; j < n_out; j++)
            for (int k = 0; k < j; k++) pass &= dot(p[j], p[k]) >= least;
    }
    if (cuts->dr_min > 0. && bg_any(pass)) {
        real eta[BG_MAX_OUT_DRESSED], phi[BG_MAX_OUT_DRESSED];
        real least = bg_real(cuts->dr_min * cuts->dr_min);
        BG_UNROLL
        for (int k = 0; k < n_out; k++) {
            eta[k] = angles_eta(p[k]);
            phi[k] = bg_atan2(p[k].y, p[k].x);
        }
        BG_UNROLL
        for (int j = 1; j < n_out; j++)
            for (int k = 0; k < j; k++) pass &= angles_distance2(eta[j], phi[j], eta[k], phi[k]) >= least;
    }
    return pass;
}

#endif
