# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""Steps of Levenberg-Marquardt on a curve fit: the change of the cost, and how far the parameters are from the minimum."""

import numpy

from _style import pyplot, save

rng = numpy.random.default_rng(4)
t = numpy.linspace(0, 4, 40)
y = (2.5 * numpy.exp(-1.3 * t) + 0.5 + 0.1 * rng.normal(size=t.size)) / 0.1


def evaluate(p):
    decay = numpy.exp(-p[1] * t)
    jacobian = numpy.column_stack([decay, -p[0] * t * decay, numpy.ones_like(t)]) / 0.1
    return (p[0] * decay + p[2]) / 0.1 - y, jacobian


points, radius = [numpy.array([1.0, 0.3, 0.0])], 1e4
for _ in range(14):
    residuals, jacobian = evaluate(points[-1])
    hessian = jacobian.T @ jacobian
    while True:
        step = numpy.linalg.solve(hessian + numpy.diag(numpy.diag(hessian)) / radius, -jacobian.T @ residuals)
        if numpy.sum(evaluate(points[-1] + step)[0] ** 2) <= numpy.sum(residuals**2) or radius < 1e-3:
            break
        radius /= 4
    points.append(points[-1] + step)
costs = numpy.array([numpy.sum(evaluate(p)[0] ** 2) / 2 for p in points])
best = points[-1]
hessian = evaluate(best)[1].T @ evaluate(best)[1]
# Beyond this number of steps only rounding is left.
last = 9
changes = -numpy.diff(costs)[:last] / costs[:last]
errors = [numpy.sqrt((p - best) @ hessian @ (p - best)) for p in points[1 : last + 1]]

figure, axes = pyplot.subplots(figsize=(7, 3.2))
steps = numpy.arange(1, last + 1)
shown = changes > 1e-15
axes.semilogy(steps[shown], changes[shown], "o-", label="relative change of the cost")
axes.semilogy(steps, errors, "s-", label="error of the parameters, in standard deviations")
for tolerance in (1e-3, 1e-6, 1e-10):
    axes.axhline(tolerance, color="0.6", linestyle=":")
    axes.text(last + 0.1, tolerance, f"{tolerance:.0e}".replace("e-0", "e-"), va="center", fontsize=8)
axes.set(xlabel="step", xlim=(0.8, last + 0.8), ylim=(1e-13, 1e2))
axes.legend(fontsize=8, loc="lower left")
save(figure, __file__)
