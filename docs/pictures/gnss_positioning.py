# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""Tracks from above, from docs/snippets/gnss_positioning.out."""

from _style import pyplot, read_output, save

rows = [[float(value) for value in line.split()] for line in read_output("gnss_positioning")[3:]]
figure, axes = pyplot.subplots()
for column, style, label in ((0, "k-", "truth"), (2, "o", "each epoch alone"), (4, ".-", "all together")):
    axes.plot([row[column] for row in rows], [row[column + 1] for row in rows], style, label=label, markersize=4)
axes.set(xlabel="east in metres", ylabel="north in metres")
axes.set_aspect("equal", adjustable="datalim")
axes.legend()
save(figure, __file__)
