# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""Two measured positions and their combination as ellipses, from docs/snippets/whitening.out."""

import numpy

from _style import COLORS, pyplot, read_output, save

figure, axes = pyplot.subplots(figsize=(7, 3.6))
angles = numpy.linspace(0, 2 * numpy.pi, 200)
for line, color in zip(read_output("whitening")[1:], (COLORS[0], COLORS[1], COLORS[2], "0.5")):
    name, *values = line.split()
    x, y, cxx, cxy, cyy = map(float, values)
    circle = numpy.array([numpy.cos(angles), numpy.sin(angles)])
    ellipse = numpy.linalg.cholesky([[cxx, cxy], [cxy, cyy]]) @ circle
    axes.plot(x + ellipse[0], y + ellipse[1], color=color, linestyle="--" if name == "mean" else "-",
              label={"mean": "unweighted mean"}.get(name, name))
    axes.plot(x, y, ".", color=color)
axes.set(xlabel="x in metres", ylabel="y in metres", aspect="equal")
axes.legend(loc="center left", bbox_to_anchor=(1, 0.5))
save(figure, __file__)
