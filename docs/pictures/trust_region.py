# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""Steps of Levenberg-Marquardt and the dogleg path at one point of a curved valley."""

import numpy

from _style import COLORS, pyplot, save


def residuals(x, y):
    return numpy.array([2 * (y - x * x), 1 - x])


START = numpy.array([-0.6, 1.3])
J = numpy.array([[-4 * START[0], 2.0], [-1.0, 0.0]])
R = residuals(*START)
G = J.T @ R
D = numpy.diag(numpy.linalg.norm(J, axis=0))

x, y = numpy.meshgrid(numpy.linspace(-1.2, 1.4, 300), numpy.linspace(-1.9, 1.9, 300))
r = residuals(x, y)
figure, axes = pyplot.subplots(figsize=(7, 4.4))
axes.contour(x, y, (r[0] ** 2 + r[1] ** 2) / 2, levels=numpy.geomspace(0.05, 20, 11), colors="0.75", linewidths=0.9)

path = [START + numpy.linalg.solve(J.T @ J + D @ D / radius, -G) for radius in numpy.geomspace(1e-3, 1e4, 200)]
axes.plot(*numpy.array(path).T, color=COLORS[0], label="Levenberg-Marquardt, all radii")
for radius in (0.1, 1, 10):
    step = START + numpy.linalg.solve(J.T @ J + D @ D / radius, -G)
    axes.plot(*step, "o", color=COLORS[0], markersize=5)
    axes.annotate(f"radius {radius:g}", step, textcoords="offset points", xytext=(8, -2), fontsize=8)

scaled = numpy.linalg.solve(D, G)
cauchy = START - numpy.linalg.solve(D, scaled) * (scaled @ scaled) / numpy.sum((J @ numpy.linalg.solve(D, scaled)) ** 2)
newton = START - numpy.linalg.solve(J.T @ J, G)
axes.plot(*numpy.array([START, cauchy, newton]).T, "--", color=COLORS[1], label="dogleg path")
axes.plot(*cauchy, "s", color=COLORS[1], markersize=5)
axes.annotate("Cauchy", cauchy, textcoords="offset points", xytext=(-42, -10), fontsize=8)
axes.plot(*newton, "s", color=COLORS[1], markersize=5)
axes.annotate("Gauss-Newton", newton, textcoords="offset points", xytext=(-78, -4), fontsize=8)
axes.plot(*START, "o", color=COLORS[6])
axes.annotate("start", START, textcoords="offset points", xytext=(-30, 0))
axes.plot(1, 1, "*", color=COLORS[2], markersize=11)
axes.annotate("minimum", (1, 1), textcoords="offset points", xytext=(8, 2))
axes.set(xlim=(-1.2, 1.4), ylim=(-1.9, 1.9))
axes.legend(loc="lower left")
save(figure, __file__)
