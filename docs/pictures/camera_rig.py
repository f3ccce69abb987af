# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""Path of the rig, from docs/snippets/camera_rig.out."""

from _style import pyplot, read_output, save

lines = read_output("camera_rig")
rows = [[float(value) for value in line.split()] for line in lines[7:]]
figure, axes = pyplot.subplots()
axes.plot([row[1] for row in rows], [row[0] for row in rows], "o", markersize=8, fillstyle="none", label="truth")
axes.plot([row[3] for row in rows], [row[2] for row in rows], ".-", label="estimate")
axes.set(xlabel="z (forward) in metres", ylabel="x in metres")
axes.legend()
save(figure, __file__)
