# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""Published fits with constraints of different sorts have the minima that SciPy's minimize finds."""

import warnings

import numpy as np
import pytest

import vesta

optimize = pytest.importorskip("scipy.optimize")
Linear, Nonlinear = optimize.LinearConstraint, optimize.NonlinearConstraint

TIGHT = dict(ftol=1e-12, xtol=1e-12, gtol=1e-12)


def table(text):
    return np.array([[float(x) for x in row.split()] for row in text.strip().splitlines()])


# NIST Statistical Reference Datasets: Misra1a (monomolecular adsorption), Eckerle4 (transmittance).
MISRA = table("""
77.6 114.9 141.1 190.8 239.9 289.0 332.8 378.4 434.8 477.3 536.8 593.1 689.1 760.0
10.07 14.73 17.94 23.93 29.61 35.18 40.02 44.82 50.76 55.05 61.01 66.40 75.47 81.78
""")
ECKERLE = table("""
400 405 410 415 420 425 430 435 436.5 438 439.5 441 442.5 444 445.5 447 448.5 450 451.5 453 454.5 456 457.5 459 460.5 462 463.5 465 470 475 480 485 490 495 500
.0001575 .0001699 .000235 .0003102 .0004917 .000871 .0017418 .00464 .0065895 .0097302 .0149002 .023731 .0401683 .0712559 .1264458 .2073413 .2902366 .3445623 .3698049 .3668534 .3106727 .2078154 .1164354 .0616764 .03372 .0194023 .0117831 .0074357 .0022732 .00088 .0004579 .0002345 .0001586 .0001143 .000071
""")  # fmt: skip
# NIST Chwirut2 (ultrasonic calibration).
CHWIRUT = table("""
.5 1 1.75 3.75 5.75 .875 2.25 3.25 5.25 .75 1.75 2.75 4.75 .625 1.25 2.25 4.25 .5 3 .75 3 1.5 6 3 6 1.5 3 .5 2 4 .75 2 5 .75 2.25 3.75 5.75 3 .75 2.5 4 .75 2.5 4 .75 2.5 4 .5 6 3 .5 2.75 .5 1.75
92.9 57.1 31.05 11.5875 8.025 63.6 21.4 14.25 8.475 63.8 26.8 16.4625 7.125 67.3 41 21.15 8.175 81.5 13.12 59.9 14.62 32.9 5.44 12.56 5.44 32 13.95 75.8 20 10.42 59.5 21.67 8.55 62 20.2 7.76 3.75 11.81 54.7 23.7 11.55 61.3 17.7 8.74 59.2 16.3 8.62 81 4.87 14.62 81.7 17.17 81.3 28.9
""")  # fmt: skip
# Bates and Watts, Nonlinear Regression Analysis and Its Applications, 1988: puromycin, biochemical oxygen demand.
PUROMYCIN = table("""
.02 .02 .06 .06 .11 .11 .22 .22 .56 .56 1.1 1.1
76 47 97 107 123 139 159 152 191 201 207 200
""")
BOD = table("""
1 2 3 4 5 7
8.3 10.3 19 16 15.6 19.8
""")
# Cobb and Douglas, A Theory of Production, 1928: capital, labor and production from 1899 to 1922.
PRODUCTION = table("""
100 107 114 122 131 138 149 163 176 185 198 208 216 226 236 244 266 298 335 366 387 407 417 431
100 105 110 118 123 116 125 133 138 121 140 144 145 152 154 149 154 182 196 200 193 193 147 161
100 101 112 122 124 122 143 152 151 126 155 159 153 177 184 169 189 225 227 223 218 231 179 240
""")
# Gander, Golub and Strebel, Least-Squares Fitting of Circles and Ellipses, 1994.
POINTS = table("""
1 2 5 7 9 3 6 8
7 6 8 7 5 7 2 4
""")
T = np.linspace(0, 8, 81)
DECAYS = 0.5 * np.exp(-0.4 * T) + 0.35 * np.exp(-1.3 * T) + 0.15 * np.exp(-3 * T) + 0.004 * np.cos(37 * T)

CURVES = {
    "a slope that is known": (
        lambda x, a, b: a * (1 - np.exp(-b * x)), MISRA, [500, 1e-4], [Nonlinear(lambda p: p[0] * p[1], 0.13, 0.13)], None,
    ),
    "limits on values at the ends": (
        lambda x, a, b, c: np.exp(-a * x) / (b + c * x), CHWIRUT, [0.1, 0.01, 0.02],
        [
            Nonlinear(lambda p: np.exp(-0.5 * p[0]) / (p[1] + 0.5 * p[2]), -np.inf, 76.0),
            Nonlinear(lambda p: np.exp(-6 * p[0]) / (p[1] + 6 * p[2]), 5.0, np.inf),
        ], None,
    ),
    "the area of a peak": (
        lambda x, a, b, c: a / b * np.exp(-0.5 * ((x - c) / b) ** 2), ECKERLE, [1.5, 5, 450],
        [Nonlinear(lambda p: p[0] * np.sqrt(2 * np.pi), 3.8, 3.8)], None,
    ),
    "a quotient of parameters": (
        lambda x, v, k: v * x / (k + x), PUROMYCIN, [200, 0.1], [Nonlinear(lambda p: p[0] / p[1], -np.inf, 3000.0)], None,
    ),
    "a curve through a point": (
        lambda x, a, b: a * (1 - np.exp(-b * x)), BOD, [20, 0.24],
        [Nonlinear(lambda p: p[0] * (1 - np.exp(-7 * p[1])), 20.0, 20.0)], None,
    ),
    "a mixture": (
        lambda t, a, b, c, k, l, m: a * np.exp(-k * t) + b * np.exp(-l * t) + c * np.exp(-m * t), (T, DECAYS),
        [0.4, 0.3, 0.2, 0.3, 1, 2],
        [Linear([[1, 1, 1, 0, 0, 0]], 1, 1), Linear([[0, 0, 0, -1, 1, 0], [0, 0, 0, 0, -1, 1]], 0.5, np.inf)],
        (np.zeros(6), np.array([1, 1, 1, 9, 9, 9])),
    ),
    "constant returns to scale": (
        lambda x, a, b, c: a * x[0] ** b * x[1] ** c, (PRODUCTION[:2], PRODUCTION[2]), [1, 0.3, 0.5],
        [Linear([[0, 1, 1]], 1, 1), Nonlinear(lambda p: p[1], 0, 0.22)], (np.zeros(3), np.array([9.0, 1, 1])),
    ),
}  # fmt: skip

RANDOM = np.random.default_rng(1)
ANCHORS = 3 * RANDOM.normal(size=(6, 2))
RECEIVERS = np.array([[1, 0.5], [-0.5, 1.2]])
RANGES = np.linalg.norm(RECEIVERS[:, None] - ANCHORS, axis=2) + 0.05 * RANDOM.normal(size=(2, 6))
BODY = RANDOM.normal(size=(8, 3))
TURN = np.array([[np.cos(0.7), -np.sin(0.7), 0], [np.sin(0.7), np.cos(0.7), 0], [0, 0, 1]])
SEEN = BODY @ TURN.T + 0.05 * RANDOM.normal(size=(8, 3))
RISING = np.maximum(0, np.linspace(0, 1, 20) - 0.4) ** 2 * 5 + 0.1 * RANDOM.normal(size=20)
CONIC = np.stack([POINTS[0] ** 2, POINTS[0] * POINTS[1], POINTS[1] ** 2, POINTS[0], POINTS[1], np.ones(8)], axis=1)

FITS = {
    # Fitzgibbon, Pilu and Fisher, Direct Least Square Fitting of Ellipses, 1999.
    "an ellipse": (lambda p: CONIC @ p, [0.5, 0, 0.5, -4, -4, 10], [Nonlinear(lambda p: 4 * p[0] * p[2] - p[1] ** 2, 1, 1)]),
    "a known baseline": (
        lambda z: (np.sqrt((z[0::2, None] - ANCHORS[:, 0]) ** 2 + (z[1::2, None] - ANCHORS[:, 1]) ** 2) - RANGES).ravel(),
        [0, 0, 1, 1], [Nonlinear(lambda z: (z[2] - z[0]) ** 2 + (z[3] - z[1]) ** 2, 2.7, 2.7)],
    ),
    # Wahba, A Least Squares Estimate of Satellite Attitude, 1965.
    "an orthonormal matrix": (
        lambda m: (BODY @ m.reshape(3, 3).T - SEEN).ravel(), np.eye(3).ravel(),
        [Nonlinear(lambda m: (m.reshape(3, 3).T @ m.reshape(3, 3) - np.eye(3))[np.triu_indices(3)], 0, 0)],
    ),
    # Hildreth, Point Estimates of Ordinates of Concave Functions, 1954.
    "a monotone convex function": (
        lambda f: f - RISING, np.zeros(20),
        [Linear(np.vstack([np.diff(np.eye(20), axis=0), np.diff(np.eye(20), n=2, axis=0)]), 0, np.inf)],
    ),
    # Hock and Schittkowski, Test Examples for Nonlinear Programming Codes, 1981, problem 77.
    "HS 77": (
        lambda x: np.stack([x[0] - 1, x[0] - x[1], x[2] - 1, (x[3] - 1) ** 2, (x[4] - 1) ** 3]), [2, 2, 2, 2, 2],
        [Nonlinear(
            lambda x: np.stack([x[0] ** 2 * x[3] + np.sin(x[3] - x[4]), x[1] + x[2] ** 4 * x[3] ** 2]),
            [2 * 2**0.5, 8 + 2**0.5], [2 * 2**0.5, 8 + 2**0.5],
        )],
    ),
}  # fmt: skip


def check(residuals, x, x0, constraints, bounds):
    """x has a cost that SLSQP does not improve, from x0 or from x."""

    def cost(p):
        return 0.5 * np.sum(residuals(p) ** 2)

    for c in constraints:
        values = np.atleast_1d(c.fun(x) if hasattr(c, "fun") else c.A @ x)
        assert np.all((values >= c.lb - 1e-7 * np.abs(c.lb)) & (values <= c.ub + 1e-7 * np.abs(c.ub)) | (np.abs(values) < 1e-7))
    limits = None if bounds is None else optimize.Bounds(*bounds)
    for start in (np.array(x0, dtype=float), x):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            theirs = optimize.minimize(
                cost, start, method="SLSQP", constraints=constraints, bounds=limits, options=dict(ftol=1e-15, maxiter=2000)
            )
        if start is x or (theirs.success and np.isfinite(theirs.fun)):
            assert cost(x) <= theirs.fun * (1 + 1e-6) + 1e-12
    np.testing.assert_allclose(theirs.x, x, rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("f, data, p0, constraints, bounds", CURVES.values(), ids=CURVES.keys())
def test_curves(f, data, p0, constraints, bounds):
    limits = {} if bounds is None else dict(bounds=bounds)
    params, covariance = vesta.curve_fit(f, data[0], data[1], p0, constraints=constraints, **limits, **TIGHT)
    assert np.all(np.isfinite(covariance))
    check(lambda p: f(data[0], *p) - data[1], params, p0, constraints, bounds)


@pytest.mark.parametrize("f, x0, constraints", FITS.values(), ids=FITS.keys())
def test_fits(f, x0, constraints):
    fit = vesta.least_squares(f, x0, constraints=constraints, **TIGHT)
    assert fit.success
    check(f, fit.x, x0, constraints, None)
