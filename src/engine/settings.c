#include "engine/settings.h"
#include "base/constants.h"
#include "base/status.h"

#include <math.h>

#define MOST_POINTS                                                                                                    \
    1000000000000000000u /* of a result: event numbers stay below those that the integrator keeps for itself */

bg_status bg_integration_check_cuts(const bg_integration *w, int n_out, bg_error *error)
{
    const struct {
        const char *name;
        double value;
    } cut[] = {{"pt_min", w->cuts.pt_min},
               {"eta_max", w->cuts.eta_max},
               {"dr_min", w->cuts.dr_min},
               {"mass_min", w->cuts.mass_min},
               {"ht_min", w->cuts.ht_min}};
    if (!(w->sqrts > 0.) || !(w->sqrts <= 1e8))
        return bg_fail(error, BG_ERROR_ARGUMENT, "sqrts is %g GeV; it must be above 0 and at most 1e8", w->sqrts);
    for (size_t k = 0; k < sizeof cut / sizeof *cut; k++)
        if (!(cut[k].value >= 0.))
            return bg_fail(error, BG_ERROR_ARGUMENT, "%s is %g; it must be 0 (no cut) or more", cut[k].name,
                           cut[k].value);
    if (!(w->cuts.pt_min * n_out < w->sqrts))
        return bg_fail(error, BG_ERROR_ARGUMENT, "pt_min is %g GeV; %d gluons at sqrts = %g GeV need it below %g",
                       w->cuts.pt_min, n_out, w->sqrts, w->sqrts / n_out);
    if (!(w->cuts.ht_min < w->sqrts))
        return bg_fail(error, BG_ERROR_ARGUMENT, "ht_min is %g GeV; it must be below sqrts = %g GeV", w->cuts.ht_min,
                       w->sqrts);
    /* the squares of all masses add up to s */
    const double most_mass = w->sqrts * sqrt(2. / (n_out * (n_out - 1)));
    if (!(w->cuts.mass_min < most_mass * (1. + 1e-12)))
        return bg_fail(error, BG_ERROR_ARGUMENT,
                       "mass_min is %g GeV; all pairs of %d gluons at sqrts = %g GeV reach at most %g",
                       w->cuts.mass_min, n_out, w->sqrts, most_mass);
    const double most_y = w->cuts.eta_max > 0.  ? w->cuts.eta_max
                          : w->cuts.pt_min > 0. ? acosh(w->sqrts / (2. * w->cuts.pt_min))
                                                : (double)INFINITY;
    const double most_dr = hypot(BG_PI, 2. * most_y);
    if (!(w->cuts.dr_min < most_dr))
        return bg_fail(error, BG_ERROR_ARGUMENT, "dr_min is %g; two gluons within the other cuts reach at most %g",
                       w->cuts.dr_min, most_dr);
    if ((unsigned)w->phase_space > BG_PHASE_SPACE_RAMBO)
        return bg_fail(error, BG_ERROR_ARGUMENT, "phase_space is %d; it must be 0 or 1", (int)w->phase_space);
    if (w->phase_space == BG_PHASE_SPACE_ADAPTIVE && !(w->cuts.pt_min > 0.))
        return bg_fail(
            error, BG_ERROR_UNSUPPORTED,
            "adaptive phase space needs pt_min above 0 (without it the cross section diverges); RAMBO does not");
    return BG_OK;
}

bg_status bg_integration_check_goal(const bg_integration *w, bg_error *error)
{
    if (!(w->precision >= 0.) || !(w->precision < 1.))
        return bg_fail(error, BG_ERROR_ARGUMENT, "precision is %g; it must be between 0 and 1", w->precision);
    if (w->points > MOST_POINTS)
        return bg_fail(error, BG_ERROR_ARGUMENT, "points is %llu; it must be at most %llu",
                       (unsigned long long)w->points, (unsigned long long)MOST_POINTS);
    if (!(w->seconds >= 0.))
        return bg_fail(error, BG_ERROR_ARGUMENT, "seconds is %g; it must be 0 or more", w->seconds);
    if (!(w->precision > 0.) && !w->points && !(w->seconds > 0.))
        return bg_fail(error, BG_ERROR_ARGUMENT, "no goal: one of precision, points and seconds must be above 0");
    return BG_OK;
}
