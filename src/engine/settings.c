#include "engine/settings.h"
#include "base/constants.h"
#include "base/status.h"
#include "phasespace/cuts.h"

#include <math.h>

#define MOST_POINTS                                                                                                    \
    1000000000000000000u /* of a result: event numbers stay below those that the integrator keeps for itself */

#define LEAST_ENERGY 1e-3 /* GeV, of both partons */
#define MOST_ENERGY 1e8
#define LEAST_PT 1e-9 /* of sqrts */
#define LEAST_MASS 1e-6
#define LEAST_DR 1e-6

/* Cuts that are there, but so small that numbers have no digits left for what they let pass. */
static bg_status check_smallest(const bg_integration *w, bg_error *error)
{
    const struct {
        const char *name;
        double value, least;
    } cut[] = {{"pt_min", w->cuts.pt_min, LEAST_PT * w->sqrts},
               {"kt_min", w->jet_cuts.kt_min, LEAST_PT * w->sqrts},
               {"mass_min", w->cuts.mass_min, LEAST_MASS * w->sqrts},
               {"dr_min", w->cuts.dr_min, LEAST_DR}};
    for (size_t k = 0; k < sizeof cut / sizeof *cut; k++)
        if (cut[k].value > 0. && cut[k].value < cut[k].least)
            return bg_fail(error, BG_ERROR_ARGUMENT, "%s is %g; it must be 0 (no cut) or at least %g", cut[k].name,
                           cut[k].value, cut[k].least);
    return BG_OK;
}

/* Cuts that leave an infinite cross section: gluons that are soft or fly along a beam, gluons that fly along each other. */
static bg_status check_divergences(const bg_integration *w, int n_out, bg_error *error)
{
    const bg_cuts *c = &w->cuts;
    const int away_from_beams = c->eta_max > 0. && isfinite(c->eta_max);
    const double kt_min = w->jet_cuts.kt_min;
    if (!(c->pt_min > 0.) && !(kt_min > 0.) &&
        !(n_out == 2 ? away_from_beams || c->ht_min > 0. : away_from_beams && c->mass_min > 0.))
        return bg_fail(
            error, BG_ERROR_ARGUMENT,
            "pt_min is 0: the cross section is infinite (soft gluons and gluons along the beams); it must be "
            "above 0%s",
            n_out == 2 ? ", or eta_max be set" : ", or eta_max and mass_min be set");
    if (n_out > 2 && !(c->dr_min > 0.) && !(c->mass_min > 0.) && !(kt_min > 0.))
        return bg_fail(
            error, BG_ERROR_ARGUMENT,
            "dr_min and mass_min are 0: the cross section is infinite (gluons along each other); one of them "
            "must be above 0");
    return BG_OK;
}

/* The cuts that go beyond bg_cuts, each and against the others. */
static bg_status check_jet_cuts(const bg_integration *w, int n_out, bg_error *error)
{
    static const char *const leading[BG_LEADING] = {"pt1_min", "pt2_min", "pt3_min", "pt4_min"};
    const bg_jet_cuts *j = &w->jet_cuts;
    const struct {
        const char *name;
        double value;
    } cut[] = {{"pt_max", j->pt_max},     {"eta_min", j->eta_min}, {"dr_max", j->dr_max},
               {"mass_max", j->mass_max}, {"kt_min", j->kt_min},   {"kt_radius", j->kt_radius}};
    const struct {
        const char *low_name, *high_name;
        double low, high;
    } pair[] = {{"pt_min", "pt_max", cuts_least_pt(&w->cuts, j, n_out, 0), j->pt_max},
                {"eta_min", "eta_max", j->eta_min, w->cuts.eta_max},
                {"dr_min", "dr_max", w->cuts.dr_min, j->dr_max},
                {"mass_min", "mass_max", w->cuts.mass_min, j->mass_max}};
    double sum = 0.;
    for (size_t k = 0; k < sizeof cut / sizeof *cut; k++)
        if (!(cut[k].value >= 0.))
            return bg_fail(error, BG_ERROR_ARGUMENT, "%s is %g; it must be 0 (no cut) or more", cut[k].name,
                           cut[k].value);
    for (int k = 0; k < BG_LEADING; k++) {
        const double value = j->leading_pt_min[k];
        if (!(value >= 0.))
            return bg_fail(error, BG_ERROR_ARGUMENT, "%s is %g; it must be 0 (no cut) or more", leading[k], value);
        if (value > 0. && k >= n_out)
            return bg_fail(error, BG_ERROR_ARGUMENT, "%s is %g GeV; of %d gluons it must be 0 (no cut)", leading[k],
                           value, n_out);
    }
    for (int k = 0; k < n_out; k++) sum += cuts_least_pt(&w->cuts, j, n_out, k);
    if (!(sum < w->sqrts))
        return bg_fail(error, BG_ERROR_ARGUMENT,
                       "the least pT of all gluons add up to %g GeV; that must be below sqrts = %g GeV", sum, w->sqrts);
    for (size_t k = 0; k < sizeof pair / sizeof *pair; k++)
        if (pair[k].high > 0. && !(pair[k].low < pair[k].high))
            return bg_fail(error, BG_ERROR_ARGUMENT, "%s is %g; it must be above %s, which is %g here",
                           pair[k].high_name, pair[k].high, pair[k].low_name, pair[k].low);
    return BG_OK;
}

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
    if (!(w->sqrts >= LEAST_ENERGY) || !(w->sqrts <= MOST_ENERGY))
        return bg_fail(error, BG_ERROR_ARGUMENT, "sqrts is %g GeV; it must be between %g and %g", w->sqrts,
                       LEAST_ENERGY, MOST_ENERGY);
    for (size_t k = 0; k < sizeof cut / sizeof *cut; k++)
        if (!(cut[k].value >= 0.))
            return bg_fail(error, BG_ERROR_ARGUMENT, "%s is %g; it must be 0 (no cut) or more", cut[k].name,
                           cut[k].value);
    const bg_status status = check_smallest(w, error);
    if (status != BG_OK) return status;
    if (!(w->cuts.pt_min * n_out < w->sqrts))
        return bg_fail(error, BG_ERROR_ARGUMENT, "pt_min is %g GeV; %d gluons at sqrts = %g GeV need it below %g",
                       w->cuts.pt_min, n_out, w->sqrts, w->sqrts / n_out);
    const bg_status jets = check_jet_cuts(w, n_out, error);
    if (jets != BG_OK) return jets;
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
    const bg_status divergent = check_divergences(w, n_out, error);
    if (divergent != BG_OK) return divergent;
    if (w->phase_space == BG_PHASE_SPACE_ADAPTIVE && !(cuts_least_pt(&w->cuts, &w->jet_cuts, n_out, n_out - 1) > 0.))
        return bg_fail(error, BG_ERROR_UNSUPPORTED,
                       "pt_min is 0; adaptive phase space needs it above 0. RAMBO does without it");
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
