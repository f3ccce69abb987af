# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""Reprojection errors of the first view, from docs/snippets/camera_calibration.out."""

from _style import pyplot, read_output, save

lines = read_output("camera_calibration")
rows = [[float(value) for value in line.split()] for line in lines[10:]]
x, y, dx, dy = zip(*rows)
figure, axes = pyplot.subplots(figsize=(7, 4.5))
axes.plot(x, y, ".", color="grey", markersize=3)
axes.quiver(x, y, [50 * d for d in dx], [50 * d for d in dy], angles="xy", scale_units="xy", scale=1, color="#0072b2", width=0.003)
axes.set(xlabel="column in pixels", ylabel="row in pixels", aspect="equal")
axes.invert_yaxis()
save(figure, __file__)
