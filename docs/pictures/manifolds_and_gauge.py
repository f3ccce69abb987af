# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""A step in the tangent space of a circle, and what Plus makes of it."""

import numpy

from _style import COLORS, pyplot, save

angle, step = 0.9, 0.75
x = numpy.array([numpy.cos(angle), numpy.sin(angle)])
tangent = numpy.array([-numpy.sin(angle), numpy.cos(angle)])
moved = numpy.array([numpy.cos(angle + step), numpy.sin(angle + step)])

figure, axes = pyplot.subplots(figsize=(5, 3.2))
turns = numpy.linspace(-0.1, numpy.pi + 0.1, 200)
axes.plot(numpy.cos(turns), numpy.sin(turns), color=COLORS[6])
line = numpy.array([x - 0.7 * tangent, x + 1.3 * tangent])
axes.plot(*line.T, "--", color="0.5")
axes.annotate("", x + step * tangent, x, arrowprops={"arrowstyle": "->", "color": COLORS[1], "lw": 2})
arc = numpy.linspace(angle, angle + step, 50)
axes.plot(numpy.cos(arc), numpy.sin(arc), color=COLORS[0], linewidth=4, alpha=0.6)
axes.plot(*x, "o", color=COLORS[6])
axes.plot(*moved, "o", color=COLORS[0])
axes.text(*(x + [0.05, 0.02]), "x")
axes.text(*(x + step * tangent + [0.0, 0.08]), "step δ in the tangent space", color=COLORS[1])
axes.text(*(moved + [-0.62, 0.03]), "Plus(x, δ)", color=COLORS[0])
axes.set(aspect="equal", xlim=(-1.15, 1.5), ylim=(-0.12, 1.75), xticks=[], yticks=[])
axes.grid(False)
for side in ("left", "bottom"):
    axes.spines[side].set_visible(False)
save(figure, __file__)
