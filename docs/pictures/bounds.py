# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""The cost of two amounts and its minima with and without bounds, from docs/snippets/bounds.out."""

import numpy

from _style import COLORS, pyplot, read_output, save

rows = {}
for line in read_output("bounds"):
    for name in ("no bounds", "bounds", "J'J"):
        if line.startswith(name + " "):
            rows[name] = [float(word) for word in line[len(name):].split()]

a, b = numpy.meshgrid(numpy.linspace(0.4, 1.8, 200), numpy.linspace(-0.6, 0.5, 200))
free_a, free_b, free_cost = rows["no bounds"]
da, db = a - free_a, b - free_b
haa, hab, hbb = rows["J'J"]
cost = free_cost + (haa * da * da + 2 * hab * da * db + hbb * db * db) / 2

figure, axes = pyplot.subplots(figsize=(7, 3.6))
contours = axes.contour(a, b, cost, levels=[0.6, 0.65, 0.75, 1, 1.5, 2.5], colors="0.55", linewidths=1)
axes.clabel(contours, fontsize=8)
axes.axhspan(-0.6, 0, color="0.9", zorder=0)
axes.text(0.43, -0.56, "not allowed: b < 0")
axes.plot(free_a, free_b, "o", color=COLORS[1], label="minimum without bounds")
axes.plot(rows["bounds"][0], rows["bounds"][1], "o", color=COLORS[0], label="minimum with bounds")
axes.set(xlabel="amount a", ylabel="amount b")
axes.legend(loc="upper right")
save(figure, __file__)
