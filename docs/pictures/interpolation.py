# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""Cubic interpolation of samples on a line, and its derivative: with constant ends, as Grid1D has, and with straight ends."""

import numpy
from _style import pyplot, save

SAMPLES = 2.0 * numpy.arange(5)


def constant_ends(n):
    return SAMPLES[numpy.clip(n, 0, 4)]


def straight_ends(n):
    return 2.0 * n


def spline(ends, x):
    """The value and the derivative of the Catmull-Rom spline at x."""
    n = numpy.floor(x).astype(int)
    t = x - n
    before, left, right, after = (ends(n + k) for k in (-1, 0, 1, 2))
    a = (3 * (left - right) + after - before) / 2
    b = before - 2.5 * left + 2 * right - after / 2
    c = (right - before) / 2
    return ((a * t + b) * t + c) * t + left, (3 * a * t + 2 * b) * t + c


figure, panels = pyplot.subplots(1, 2)
x = numpy.linspace(-2.5, 6.5, 901)[:-1]
for ends, style, label in ((constant_ends, "-", "Grid1D"), (straight_ends, "--", "LinearEnds")):
    for axes, values in zip(panels, spline(ends, x)):
        axes.plot(x, values, style, label=label)
panels[0].plot(numpy.arange(5), SAMPLES, "o", color="black", label="samples")
panels[0].set(xlabel="x", ylabel="f")
panels[1].set(xlabel="x", ylabel="df/dx", ylim=(-0.5, 2.5))
panels[0].legend()
save(figure, __file__)
