# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""The true, the measured and the smoothed path, from docs/snippets/motion_smoothing.out."""

from _style import pyplot, read_output, save

rows = [line.split()[1:] for line in read_output("motion_smoothing")[2:]]
figure, axes = pyplot.subplots(figsize=(7, 4))
axes.plot([float(row[0]) for row in rows], [float(row[1]) for row in rows], color="grey", label="true path")
measured = [(float(row[2]), float(row[3])) for row in rows if row[2] != "-"]
axes.plot(*zip(*measured), "x", markersize=4, color="#d55e00", label="measured")
axes.plot([float(row[4]) for row in rows], [float(row[5]) for row in rows], color="#0072b2", label="smoothed")
axes.set(xlabel="x in metres", ylabel="y in metres", aspect="equal")
axes.legend()
save(figure, __file__)
