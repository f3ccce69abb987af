# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""A beam of both scans before and after, from docs/snippets/lidar_icp.out."""

from _style import pyplot, read_output, save

lines = read_output("lidar_icp")
begin = next(i for i, line in enumerate(lines) if line.startswith("x and y")) + 1
rows = [[float(value) for value in line.split()] for line in lines[begin:]]
figure, panels = pyplot.subplots(1, 2, sharex=True, sharey=True)
for axes, column, title in zip(panels, (2, 4), ("before", "after")):
    axes.plot([row[0] for row in rows], [row[1] for row in rows], ".", label="first scan")
    axes.plot([row[column] for row in rows], [row[column + 1] for row in rows], "x", label="second scan", markersize=4)
    axes.set(title=title, xlabel="x in metres")
    axes.set_aspect("equal", adjustable="box")
panels[0].set(ylabel="y in metres")
panels[0].legend(loc="center")
save(figure, __file__)
