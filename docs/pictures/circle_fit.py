# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""The points of examples/circle_fit_points.txt, the first circle and the circle of the least sum of squared distances."""

import _style
import numpy

lines = (_style.FOLDER.parent.parent / "examples" / "circle_fit_points.txt").read_text(encoding="utf-8").splitlines()
numbers = [[float(word) for word in line.split()] for line in lines if line.strip()]
start, points = numpy.array(numbers[0]), numpy.array(numbers[1:])

circle = start.copy()
for _ in range(50):
    offsets = circle[:2] - points
    distances = numpy.linalg.norm(offsets, axis=1)
    jacobian = numpy.column_stack([offsets / distances[:, None], -numpy.ones(len(points))])
    circle -= numpy.linalg.lstsq(jacobian, distances - circle[2], rcond=None)[0]

figure, axes = _style.pyplot.subplots(figsize=(5, 4.2))
angles = numpy.linspace(0, 2 * numpy.pi, 400)
for (x, y, r), style, label in ((start, "--", "start"), (circle, "-", "fit")):
    axes.plot(x + r * numpy.cos(angles), y + r * numpy.sin(angles), style, label=label)
axes.plot(points[:, 0], points[:, 1], ".", color="black", label="points")
axes.set_aspect("equal")
axes.legend(loc="upper right")
_style.save(figure, __file__)
