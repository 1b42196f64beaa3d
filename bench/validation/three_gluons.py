"""sigma(g g -> 3 g) from the formula of Parke and Taylor alone: no code shared with BlockGen.

    python3 bench/validation/three_gluons.py [MILLIONS_OF_POINTS [SEED]]        needs numpy

All helicity amplitudes of five gluons that do not vanish are maximally helicity violating, so

    sum |M|^2 = 2 g^6 N^3 (N^2 - 1) sum_{i<j} s_ij^4  sum_{24 orderings} 1 / (s_12 s_23 s_34 s_45 s_51)

(the orderings are the permutations of four gluons), averaged over 256 initial states and divided by 3!. One gluon is taken as the softest in pT,
which covers a third of phase space.
"""
import itertools
import math
import sys

import numpy as np

SQRTS, ALPHA_S, PT_MIN, ETA_MAX, DR_MIN = 14000., 0.118, 20., 2.5, 0.4
ORDERINGS = [(0,) + p for p in itertools.permutations(range(1, 5))]


def product(p, q):
    return p[0] * q[0] - p[1] * q[1] - p[2] * q[2] - p[3] * q[3]


def matrix_element(p):
    """p: five arrays (E, x, y, z), incoming first."""
    s = {(i, j): 2. * np.abs(product(p[i], p[j])) for i in range(5) for j in range(i)}
    s.update({(j, i): v for (i, j), v in list(s.items())})
    numerator = sum(s[i, j] ** 4 for i in range(5) for j in range(i))
    orderings = sum(1. / (s[o[0], o[1]] * s[o[1], o[2]] * s[o[2], o[3]] * s[o[3], o[4]] * s[o[4], o[0]]) for o in ORDERINGS)
    g6 = (4. * math.pi * ALPHA_S) ** 3
    return 2. * g6 * 27. * 8. * numerator * orderings / 256. / 6.


def eta_phi(p):
    return np.arcsinh(p[3] / np.hypot(p[1], p[2])), np.arctan2(p[2], p[1])


def weights(count, random):
    """Weights in pb of `count` points."""
    log_pt = math.log(SQRTS / (2. * PT_MIN))
    pt = PT_MIN * np.exp(log_pt * random.random(count))
    y = ETA_MAX * (2. * random.random(count) - 1.)
    phi = 2. * math.pi * random.random(count)
    soft = np.array([pt * np.cosh(y), pt * np.cos(phi), pt * np.sin(phi), pt * np.sinh(y)])
    weight = pt ** 2 * log_pt * 2. * ETA_MAX * 2. * math.pi / (2. * (2. * math.pi) ** 3)

    total = np.array([SQRTS - soft[0], -soft[1], -soft[2], -soft[3]])
    mass2 = product(total, total)
    good = (total[0] > 0.) & (mass2 > 4. * PT_MIN ** 2)
    mass = np.sqrt(np.where(good, mass2, 1.))
    wide = 5.  # rapidities of the pair in its rest frame
    v = wide * (2. * random.random(count) - 1.)
    cosine, sine = np.tanh(v), 1. / np.cosh(v)
    azimuth = 2. * math.pi * random.random(count)
    weight = weight / (8. * math.pi) * sine ** 2 / 2. * 2. * wide
    unit = np.array([sine * np.cos(azimuth), sine * np.sin(azimuth), cosine])
    beta, gamma = total[1:] / total[0], total[0] / mass
    pair = []
    for sign in (1., -1.):
        k = sign * 0.5 * mass * unit
        along = (beta * k).sum(axis=0)
        factor = gamma * gamma / (gamma + 1.) * along + gamma * 0.5 * mass
        k = k + factor * beta
        pair.append(np.array([np.sqrt((k ** 2).sum(axis=0)), *k]))

    out = pair + [soft]
    pts = [np.hypot(p[1], p[2]) for p in out]
    good &= (pts[2] < pts[0]) & (pts[2] < pts[1])
    angles = [eta_phi(p) for p in out]
    for eta, _ in angles:
        good &= np.abs(eta) < ETA_MAX
    for i in range(3):
        for j in range(i):
            dphi = np.abs(angles[i][1] - angles[j][1])
            dphi = np.minimum(dphi, 2. * math.pi - dphi)
            good &= np.hypot(angles[i][0] - angles[j][0], dphi) > DR_MIN
    half = np.full(count, 0.5 * SQRTS)
    zero = np.zeros(count)
    with np.errstate(all="ignore"):
        me2 = matrix_element([np.array([half, zero, zero, half]), np.array([half, zero, zero, -half])] + out)
        weight = weight * me2 * 0.3893793721e9 / (2. * SQRTS ** 2) * 3.
    return np.where(good, weight, 0.)


def main():
    millions = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    random = np.random.default_rng(int(sys.argv[2]) if len(sys.argv) > 2 else 1)
    sums = np.zeros(2)
    for _ in range(2 * millions):
        w = weights(500000, random)
        sums += w.sum(), (w ** 2).sum()
    n = millions * 1e6
    mean = sums[0] / n
    print("sigma(gg -> 3g) = %.3f +- %.3f pb" % (mean, math.sqrt((sums[1] / n - mean ** 2) / n)))


if __name__ == "__main__":
    main()
