/* Polarization vectors of a massless gluon.
 *
 * The basis is built from the physical direction of flight, without a gauge vector and without a
 * singular direction (the orthonormal frame of Duff et al., JCGT 6 (2017) 1): e1, e2 and the
 * direction form a right-handed frame, so eps(+) = (e1 + i e2)/sqrt(2) has physical helicity +1.
 */
#ifndef BG_AMPLITUDE_POLARIZATION_H
#define BG_AMPLITUDE_POLARIZATION_H

#include "kinematics/vector.h"

/* The direction of flight of the momentum p or -p with positive energy. */
BG_FN vec4 direction(vec4 p)
{
    real one = bg_real(1.), zero = bg_real(0.);
    /* An all-outgoing momentum of an incoming gluon has negative energy. */
    real inverse = bg_select(p.t < zero, -one, one) * bg_inverse_sqrt(p.x * p.x + p.y * p.y + p.z * p.z);
    vec4 n = {zero, p.x * inverse, p.y * inverse, p.z * inverse};
    return n;
}

/* Real transverse unit vectors of a gluon that flies along n. */
BG_FN void polarization_along(vec4 n, vec4 *e1, vec4 *e2)
{
    real one = bg_real(1.), zero = bg_real(0.);
    real x = n.x, y = n.y, z = n.z;
    real sign = bg_select(z < zero, -one, one);
    real a = -bg_inverse(sign + z);
    real b = x * y * a;
    vec4 v1 = {zero, one + sign * x * x * a, sign * b, -(sign * x)};
    vec4 v2 = {zero, b, sign + y * y * a, -y};
    *e1 = v1;
    *e2 = v2;
}

BG_FN void polarization_basis(vec4 p, vec4 *e1, vec4 *e2) { polarization_along(direction(p), e1, e2); }

/* eq:polarization_simple with phi in turns; the average of |A|^2 over phi, times 2, is the helicity sum. */
BG_FN vec4 polarization_angle(vec4 e1, vec4 e2, real turns)
{
    real s, c;
    bg_turn(turns, &s, &c);
    return vec4_axpy(vec4_scale(c, e1), s, e2);
}

/* eq:polarization_kleiss: e^{i phi} eps+ + e^{-i phi} eps-, which is real because eps- is the
 * conjugate of eps+; the average of |A|^2 over phi is the helicity sum. */
BG_FN vec4 polarization_phase(vec4 e1, vec4 e2, real turns)
{
    real s, c;
    real root2 = bg_sqrt(bg_real(2.));
    bg_turn(turns, &s, &c);
    return vec4_axpy(vec4_scale(root2 * c, e1), -(root2 * s), e2);
}

/* Helicity eigenstate of an outgoing gluon of helicity `sign` (+1 or -1), eps*(sign), as real and
 * imaginary part; an incoming gluon of helicity h is an outgoing one of helicity -h. */
BG_FN void polarization_helicity(vec4 e1, vec4 e2, real sign, vec4 eps[2])
{
    real h = bg_real(0.5);
    real s = bg_sqrt(h);
    eps[0] = vec4_scale(s, e1);
    eps[1] = vec4_scale(-(sign * s), e2);
}

#endif
