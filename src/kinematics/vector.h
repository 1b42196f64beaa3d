/* Four-vectors and antisymmetric tensors, metric (+,-,-,-), all indices up. */
#ifndef BG_KINEMATICS_VECTOR_H
#define BG_KINEMATICS_VECTOR_H

#include "base/scalar.h"

typedef struct vec4 {
    real t, x, y, z;
} vec4;

/* The six independent components F^mn, m < n. */
typedef struct tensor {
    real tx, ty, tz, xy, xz, yz;
} tensor;

BG_FN vec4 vec4_zero(void)
{
    real o = bg_real(0.);
    vec4 r = {o, o, o, o};
    return r;
}

BG_FN vec4 vec4_add(vec4 a, vec4 b)
{
    vec4 r = {a.t + b.t, a.x + b.x, a.y + b.y, a.z + b.z};
    return r;
}

BG_FN vec4 vec4_sub(vec4 a, vec4 b)
{
    vec4 r = {a.t - b.t, a.x - b.x, a.y - b.y, a.z - b.z};
    return r;
}

BG_FN vec4 vec4_scale(real s, vec4 a)
{
    vec4 r = {s * a.t, s * a.x, s * a.y, s * a.z};
    return r;
}

/* a + s b */
BG_FN vec4 vec4_axpy(vec4 a, real s, vec4 b)
{
    vec4 r = {a.t + s * b.t, a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
    return r;
}

BG_FN real dot(vec4 a, vec4 b) { return a.t * b.t - a.x * b.x - a.y * b.y - a.z * b.z; }

BG_FN tensor tensor_zero(void)
{
    real o = bg_real(0.);
    tensor r = {o, o, o, o, o, o};
    return r;
}

BG_FN tensor tensor_add(tensor a, tensor b)
{
    tensor r = {a.tx + b.tx, a.ty + b.ty, a.tz + b.tz, a.xy + b.xy, a.xz + b.xz, a.yz + b.yz};
    return r;
}

BG_FN tensor tensor_sub(tensor a, tensor b)
{
    tensor r = {a.tx - b.tx, a.ty - b.ty, a.tz - b.tz, a.xy - b.xy, a.xz - b.xz, a.yz - b.yz};
    return r;
}

/* (a ^ b)^mn = a^m b^n - a^n b^m */
BG_FN tensor wedge(vec4 a, vec4 b)
{
    tensor r = {a.t * b.x - a.x * b.t, a.t * b.y - a.y * b.t, a.t * b.z - a.z * b.t,
                a.x * b.y - a.y * b.x, a.x * b.z - a.z * b.x, a.y * b.z - a.z * b.y};
    return r;
}

/* (F.b)^m = F^mn b_n */
BG_FN vec4 contract(tensor f, vec4 b)
{
    vec4 r = {-f.tx * b.x - f.ty * b.y - f.tz * b.z, -f.tx * b.t - f.xy * b.y - f.xz * b.z,
              -f.ty * b.t + f.xy * b.x - f.yz * b.z, -f.tz * b.t + f.xz * b.x + f.yz * b.y};
    return r;
}

#endif
