/* What the members of a set of parton densities say about the error of a number that was computed with each of them.
 *
 * Member 0 is the best fit, or the mean of the others. What those mean is the ErrorType of the set; with values v_k, k = 1 .. N,
 * the error is (arXiv:1106.5788, equations 2.1 to 2.6, as LHAPDF takes them)
 *
 *     replicas      the standard deviation of the v_k about their mean
 *     symmhessian   sqrt(sum (v_k - v_0)^2)
 *     hessian       of pairs v_(2i-1), v_2i: up sqrt(sum max(v_(2i-1) - v_0, v_2i - v_0, 0)^2), down the same with the
 *                   opposite signs, symmetric sqrt(sum (v_(2i-1) - v_2i)^2) / 2
 *
 * Behind a "+" follow parameters, such as the "as" of hessian+as: the last members, two for each ("#name" and "$name": one,
 * the latter for both directions; "*" between those that make one envelope). What each moves up and down is added in squares.
 * Errors of a Hessian set are of the set's own confidence level and are brought to one standard deviation.
 */
#ifndef BG_BEAMS_MEMBERS_H
#define BG_BEAMS_MEMBERS_H

#include "beams/pdf.h"

typedef struct bg_members_error {
    double up, down;  /* above and below the value of member 0, or the mean of replicas */
    double symmetric; /* the one number where there is to be one */
} bg_members_error;

/* Whether the set has members, of an error type that is known, and as many as it needs. */
bg_status bg_members_check(const bg_pdf *pdf, bg_error *error);

/* The error of value[members], where the check has passed. */
bg_members_error bg_members_error_of(const bg_pdf *pdf, const double *value);

#endif
