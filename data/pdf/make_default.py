#!/usr/bin/env python3
"""The built-in parton densities: the benchmark of hep-ph/0204316 (Les Houches 2001), evolved at leading order.

    make_default.py            writes BlockGen-toy-lo/BlockGen-toy-lo.info and BlockGen-toy-lo_0000.dat beside this file
    make_default.py --check    compares the evolution with the table of the paper, and the files with what would be written

Input at Q^2 = 2 GeV^2, alpha_s = 0.35, with L = ubar + dbar:

    x uv = 5.107200 x^0.8 (1-x)^3          x dbar = 0.1939875 x^-0.1 (1-x)^6        x s = x sbar = 0.2 x L
    x dv = 3.064320 x^0.8 (1-x)^4          x ubar = (1-x) x dbar                    x g = 1.7 x^-0.1 (1-x)^5

Charm comes in at Q^2 = 2 GeV^2, bottom at 4.5 GeV, top never. In moments f(N) = integral of x^(N-1) f(x), with
a = alpha_s/(4 pi), the equations of evolution at leading order have the solution

    f(N, a) = (a0/a)^(P(N)/beta0) f(N, a0),      beta0 = 11 - 2 n_f/3,      1/a = 1/a0 + beta0 log(Q^2/Q0^2),

an exponential of 2x2 matrices for gluon and singlet. A contour integral in N leads back to x. Python's own numbers do.
"""
import cmath
import math
import os
import sys

NAME = "BlockGen-toy-lo"
FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), NAME)
PARTONS = [-5, -4, -3, -2, -1, 21, 1, 2, 3, 4, 5]
START, ALPHA, BOTTOM, LAST = math.sqrt(2.), 0.35, 4.5, 1e5  # Q in GeV
X_KNOTS, X_LEAST, X_BEND, X_END = 90, 1e-6, 10., 1.1
Q_KNOTS, Q_CROWD = (8, 19), 0.7


# ---- the coupling --------------------------------------------------------------------------------------------------------
def beta0(flavors):
    return 11. - 2. / 3. * flavors


def coupling(q):
    """alpha_s/(4 pi) at q, four flavors below BOTTOM and five above."""
    inverse = 4. * math.pi / ALPHA + beta0(4) * 2. * math.log(min(q, BOTTOM) / START)
    if q > BOTTOM:
        inverse += beta0(5) * 2. * math.log(q / BOTTOM)
    return 1. / inverse


# ---- moments -----------------------------------------------------------------------------------------------------------
def harmonic(n):
    """S_1(n) = psi(n + 1) + gamma, by its asymptotic series beyond |n| = 16."""
    z, sum_ = n + 1., 0.
    while abs(z) < 16. or (z.real < 0. and abs(z.imag) < 8.):
        sum_ -= 1. / z
        z += 1.
    y = 1. / (z * z)
    series = y * (1. / 12. - y * (1. / 120. - y * (1. / 252. - y * (1. / 240. - y * (1. / 132. - y * 691. / 32760.)))))
    return sum_ + cmath.log(z) - 0.5 / z - series + 0.57721566490153286061


def beta(n, a, b):
    """The moment of x^(a-1) (1-x)^b, b a whole number."""
    product = math.factorial(b) + 0j
    for k in range(b + 1):
        product /= n - 1. + a + k
    return product


def splitting(n, flavors):
    """P(N) over alpha_s/(4 pi): quark to quark, gluon to all quarks, quarks to gluon, gluon to gluon."""
    s = harmonic(n)
    qq = 4. / 3. * (3. + 2. / (n * (n + 1.)) - 4. * s)
    qg = 2. * flavors * (n * n + n + 2.) / (n * (n + 1.) * (n + 2.))
    gq = 8. / 3. * (n * n + n + 2.) / ((n - 1.) * n * (n + 1.))
    gg = 12. * (1. / (n * (n - 1.)) + 1. / ((n + 1.) * (n + 2.)) - s) + beta0(flavors)
    return qq, qg, gq, gg


def start(n):
    """Moments at START: uv, dv, g, and quark + antiquark of d, u, s, c, b."""
    uv, dv = 5.107200 * beta(n, 0.8, 3), 3.064320 * beta(n, 0.8, 4)
    dbar, ubar = 0.1939875 * beta(n, -0.1, 6), 0.1939875 * beta(n, -0.1, 7)
    return [uv, dv, 1.7 * beta(n, -0.1, 5), dv + 2. * dbar, uv + 2. * ubar, 0.4 * (dbar + ubar), 0j, 0j]


class Stage:
    """Evolution with a number of flavors away from given moments."""

    def __init__(self, n, flavors, moments, scale):
        self.flavors, self.moments, self.scale = flavors, moments, scale
        qq, qg, gq, gg = splitting(n, flavors)
        mean, root = 0.5 * (qq + gg), cmath.sqrt(0.25 * (qq - gg) ** 2 + qg * gq)
        self.power = qq / beta0(flavors), (mean + root) / beta0(flavors), (mean - root) / beta0(flavors)
        sum_, g = sum(moments[3:3 + flavors]), moments[2]
        # The part of the eigenvalue mean + root; the rest belongs to the other one.
        self.upper = ((qq - mean + root) * sum_ + qg * g) / (2. * root), (gq * sum_ + (gg - mean + root) * g) / (2. * root)
        self.lower = sum_ - self.upper[0], g - self.upper[1]
        self.each = [m - sum_ / flavors for m in moments[3:3 + flavors]]

    def at(self, q):
        step = math.log(coupling(self.scale) / coupling(q))
        plain, upper, lower = (cmath.exp(step * power) for power in self.power)
        share = (upper * self.upper[0] + lower * self.lower[0]) / self.flavors
        quarks = [share + plain * m for m in self.each] + [0j] * (5 - self.flavors)
        gluon = upper * self.upper[1] + lower * self.lower[1]
        return [plain * self.moments[0], plain * self.moments[1], gluon] + quarks


# ---- back to x ---------------------------------------------------------------------------------------------------------
def gauss(order):
    """Nodes and weights of Gauss and Legendre from -1 to 1."""
    rule = []
    for k in range(order):
        x = math.cos(math.pi * (k + 0.75) / (order + 0.5))
        for _ in range(100):
            p, before = 1., 0.
            for j in range(order):
                p, before = ((2. * j + 1.) * x * p - j * before) / (j + 1.), p
            slope = order * (x * p - before) / (x * x - 1.)
            x -= p / slope
        rule.append((x, 2. / ((1. - x * x) * slope * slope)))
    return rule


RULE = gauss(24)


def contour(x):
    """Points N and weights w with x f(x) = sum of Im(w f(N)), to 15 digits or so."""
    turn = cmath.exp(0.75j * math.pi)
    end = 40. / (abs(math.log(x)) * math.sqrt(0.5))
    edges = [end * 2. ** -k for k in range(int(math.log2(end / 0.25)) + 1)] + [0.]
    edges.reverse()
    points = []
    for low, high in zip(edges, edges[1:]):
        for node, weight in RULE:
            n = 1.9 + (low + 0.5 * (high - low) * (1. + node)) * turn
            points.append((n, 0.5 * (high - low) * weight / math.pi * turn * cmath.exp((1. - n) * math.log(x))))
    return points


def densities(x, scales):
    """x f of PARTONS at x for each scale; a scale is (q, flavors)."""
    if x == 1.:
        return [[0.] * len(PARTONS) for _ in scales]
    sums = [[0.] * 8 for _ in scales]
    for n, weight in contour(x):
        four = Stage(n, 4, start(n), START)
        five = Stage(n, 5, four.at(BOTTOM), BOTTOM)
        for sum_, (q, flavors) in zip(sums, scales):
            moments = (four if flavors == 4 else five).at(q)
            for k in range(8):
                sum_[k] += (weight * moments[k]).imag
    result = []
    for uv, dv, g, d, u, s, c, b in sums:
        result.append([0.5 * b, 0.5 * c, 0.5 * s, 0.5 * (u - uv), 0.5 * (d - dv), g,
                       0.5 * (d + dv), 0.5 * (u + uv), 0.5 * s, 0.5 * c, 0.5 * b])
    return result


# ---- files ---------------------------------------------------------------------------------------------------------------
def x_scale(x):
    return math.log(x) - X_BEND * math.log(X_END - x)


def x_knots():
    """Equal steps of log x - X_BEND log(X_END - x): steps get narrower where densities fall like powers of 1 - x."""
    low, high = x_scale(X_LEAST), x_scale(1.)
    knots = []
    for k in range(X_KNOTS):
        y, left, right = low + (high - low) * k / (X_KNOTS - 1.), X_LEAST, 1.
        for _ in range(100):
            middle = math.sqrt(left * right)
            left, right = (middle, right) if x_scale(middle) < y else (left, middle)
        knots.append(float("%.8e" % left))
    knots[0], knots[-1] = X_LEAST, 1.
    return knots


def q_knots(low, high, count):
    """Steps of log log(Q/0.2 GeV), as the coupling runs, narrow at both ends, where slopes are known from one side only."""
    low_y, high_y = math.log(math.log(low / 0.2)), math.log(math.log(high / 0.2))
    knots = []
    for k in range(count):
        u = k / (count - 1.)
        y = low_y + (high_y - low_y) * (u - Q_CROWD * math.sin(2. * math.pi * u) / (2. * math.pi))
        knots.append(float("%.8e" % (0.2 * math.exp(math.exp(y)))))
    return [low] + knots[1:-1] + [high]


def subgrids(finer=1):
    return [(q_knots(float("%.9e" % START), BOTTOM, finer * Q_KNOTS[0]), 4), (q_knots(BOTTOM, LAST, finer * Q_KNOTS[1]), 5)]


def numbers(values, form="%.8e"):
    return " ".join(form % v for v in values)


def short(value):
    """Six digits without letters that say nothing."""
    if abs(value) < 1e-16:
        return "0"
    mantissa, exponent = ("%.5e" % value).split("e")
    return mantissa + "e" + str(int(exponent))


def grid_text():
    xs, subs = x_knots(), subgrids()
    table = [densities(x, [(q, flavors) for qs, flavors in subs for q in qs]) for x in xs]
    lines, first = ["PdfType: central", "Format: lhagrid1", "---"], 0
    for qs, _ in subs:
        lines += [numbers(xs), numbers(qs, "%.9e"), " ".join(map(str, PARTONS))]
        for row in table:
            lines += [" ".join(map(short, row[first + j])) for j in range(len(qs))]
        lines.append("---")
        first += len(qs)
    return "\n".join(lines) + "\n"


def info_text():
    qs = [q for part, _ in subgrids(3) for q in part]
    entries = [
        ("SetDesc", '"Benchmark input of hep-ph/0204316 at Q^2 = 2 GeV^2, evolved at leading order by BlockGen: no fit to data, '
                    'for first steps and tests only"'),
        ("SetIndex", -1), ("Authors", "BlockGen"), ("Reference", "hep-ph/0204316"), ("Format", "lhagrid1"),
        ("DataVersion", 1), ("NumMembers", 1), ("Particle", 2212),
        ("Flavors", "[" + ", ".join(map(str, PARTONS)) + "]"), ("OrderQCD", 0), ("FlavorScheme", "variable"),
        ("NumFlavors", 5), ("ErrorType", "none"), ("XMin", "%.8e" % X_LEAST), ("XMax", 1),
        ("QMin", "%.9e" % START), ("QMax", "%.8e" % LAST), ("MZ", 91.1876),
        ("MUp", 0), ("MDown", 0), ("MStrange", 0), ("MCharm", "%.9e" % START), ("MBottom", BOTTOM), ("MTop", 1e6),
        ("AlphaS_MZ", "%.8f" % (4. * math.pi * coupling(91.1876))), ("AlphaS_OrderQCD", 0), ("AlphaS_Type", "ipol"),
        ("AlphaS_Qs", "[" + ", ".join("%.9e" % q for q in qs) + "]"),
        ("AlphaS_Vals", "[" + ", ".join("%.9e" % (4. * math.pi * coupling(q)) for q in qs) + "]"),
    ]
    return "".join("%s: %s\n" % entry for entry in entries)


# ---- the table of the paper ------------------------------------------------------------------------------------------------
# hep-ph/0204316, table 2, the part with a variable number of flavors: Q^2 = 10^4 GeV^2, leading order;
# L- = dbar - ubar, L+ = 2 (ubar + dbar), s+ = s + sbar and so on.
TABLE_X = [1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, .1, .3, .5, .7, .9]
TABLE = {
    "uv": [5.8771e-5, 3.3933e-4, 1.9006e-3, 1.0186e-2, 5.0893e-2, 2.2080e-1, 5.7166e-1, 3.7597e-1, 1.3284e-1, 2.2643e-2, 4.2047e-4],
    "dv": [3.4963e-5, 2.0129e-4, 1.1229e-3, 5.9819e-3, 2.9576e-2, 1.2497e-1, 2.8334e-1, 1.4044e-1, 3.4802e-2, 3.5134e-3, 2.1529e-5],
    "L-": [7.8233e-7, 5.1142e-6, 3.2249e-5, 1.9345e-4, 1.0730e-3, 4.9985e-3, 1.0428e-2, 3.2629e-3, 4.2031e-4, 1.5468e-5, 1.0635e-8],
    "L+": [1.0181e+2, 5.1182e+1, 2.4693e+1, 1.1406e+1, 5.0424e+0, 2.0381e+0, 4.0496e-1, 3.9592e-2, 2.8066e-3, 6.7201e-5, 3.4998e-8],
    "s+": [4.9815e+1, 2.4725e+1, 1.1659e+1, 5.1583e+0, 2.0973e+0, 7.2625e-1, 1.1596e-1, 1.0363e-2, 7.1707e-4, 1.7278e-5, 9.8394e-9],
    "c+": [4.9088e+1, 2.4148e+1, 1.1201e+1, 4.7953e+0, 1.8147e+0, 5.3107e-1, 5.8288e-2, 4.0740e-3, 2.5958e-4, 6.3958e-6, 4.7330e-9],
    "b+": [4.6070e+1, 2.2239e+1, 1.0037e+1, 4.1222e+0, 1.4582e+0, 3.8106e-1, 3.5056e-2, 2.2039e-3, 1.3522e-4, 3.3996e-6, 2.8903e-9],
    "g": [1.3272e+3, 6.0117e+2, 2.5282e+2, 9.6048e+1, 3.1333e+1, 7.7728e+0, 8.4358e-1, 7.8026e-2, 7.4719e-3, 3.5241e-4, 1.0307e-6],
}


def combinations(f):
    b, c, s, ubar, dbar, g, d, u = f[:8]
    return {"uv": u - ubar, "dv": d - dbar, "L-": dbar - ubar, "L+": 2. * (ubar + dbar), "s+": 2. * s, "c+": 2. * c,
            "b+": 2. * b, "g": g}


def alike(text, other):
    """The same words, numbers to within a unit of their sixth digit: libraries differ in the last bits of exp and log."""
    words, others = text.replace("[", " ").replace("]", " ").replace(",", " ").split(), \
        other.replace("[", " ").replace("]", " ").replace(",", " ").split()
    if len(words) != len(others):
        return False
    for word, wanted in zip(words, others):
        if word == wanted:
            continue
        try:
            if abs(float(word) - float(wanted)) > 1.1e-5 * abs(float(wanted)):
                return False
        except ValueError:
            return False
    return True


def check():
    """Five digits of the paper, one unit of the last of them; then the files."""
    worst = 0.
    for k, x in enumerate(TABLE_X):
        for name, value in combinations(densities(x, [(100., 5)])[0]).items():
            wanted = TABLE[name][k]
            unit = 10. ** (math.floor(math.log10(wanted)) - 4)
            worst = max(worst, abs(value - wanted) / unit)
    print("largest distance from the table in units of its last digit: %.2f" % worst)
    good = worst < 1.
    for ending, text in ((".info", info_text()), ("_0000.dat", grid_text())):
        with open(os.path.join(FOLDER, NAME + ending)) as file:
            same = alike(file.read(), text)
        print("%s%s: %s" % (NAME, ending, "as it would be written" if same else "differs from what would be written"))
        good = good and same
    return 0 if good else 1


def main():
    if sys.argv[1:] == ["--check"]:
        return check()
    if len(sys.argv) > 1:
        print(__doc__)
        return 2
    os.makedirs(FOLDER, exist_ok=True)
    for ending, text in ((".info", info_text()), ("_0000.dat", grid_text())):
        with open(os.path.join(FOLDER, NAME + ending), "w") as file:
            file.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
