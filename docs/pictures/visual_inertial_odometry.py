# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""Paths from above, from docs/snippets/visual_inertial_odometry.out."""

from _style import pyplot, read_output, save

rows = [[float(value) for value in line.split()] for line in read_output("visual_inertial_odometry")[5:]]
figure, axes = pyplot.subplots(figsize=(7, 4))
for column, style, label in ((0, "k-", "truth"), (2, "-", "inertial measurements alone"), (4, ".", "odometry")):
    axes.plot([row[column] for row in rows], [row[column + 1] for row in rows], style, label=label)
axes.set(xlabel="x in metres", ylabel="y in metres")
axes.set_aspect("equal", adjustable="datalim")
axes.legend()
save(figure, __file__)
