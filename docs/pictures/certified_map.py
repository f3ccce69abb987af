# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""Three maps of two laps around a block of houses, from docs/snippets/certified_map.out."""

from _style import COLORS, pyplot, read_output, save

rows = [[float(value) for value in line.split()] for line in read_output("certified_map")[6:]]
figure, axes = pyplot.subplots(1, 3, sharex=True, sharey=True)
titles = ["Solve:\na wrong minimum", "certified, with\nfalse loop closures", "certified, after\nSolveGraduated"]
for k, title in enumerate(titles):
    x, y = ([row[2 * k + j] for row in rows] for j in range(2))
    axes[k].plot(x, y, ".-", markersize=3, linewidth=1, color=COLORS[2] if k == 2 else COLORS[1])
    axes[k].set(title=title, xlabel="x in metres", aspect="equal")
axes[0].set(ylabel="y in metres")
save(figure, __file__)
