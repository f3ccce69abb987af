# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""Errors of forward and central differences against the step, for the derivative of exp(-k) at k = 1 / 2."""

import numpy

from _style import COLORS, pyplot, save

steps = numpy.logspace(-15, 0, 61)
x, exact = 0.5, -numpy.exp(-0.5)


def function(values):
    return numpy.exp(-values)


forward = (function(x + steps) - function(x)) / steps
central = (function(x + steps) - function(x - steps)) / (2 * steps)

figure, axes = pyplot.subplots(figsize=(7, 3))
for values, name in ((forward, "forward differences"), (central, "central differences")):
    axes.loglog(steps, numpy.maximum(numpy.abs(values / exact - 1), 1e-17), label=name)
axes.axhline(1.1e-16, color=COLORS[2], linestyle="--", label="automatic derivatives")
axes.set(xlabel="step", ylabel="relative error", ylim=(1e-17, 10))
axes.legend(fontsize=8)
save(figure, __file__)
