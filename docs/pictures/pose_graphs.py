# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""The path before and after, from docs/snippets/pose_graphs.out."""

from _style import pyplot, read_output, save

lines = read_output("pose_graphs")
first = next(i for i, line in enumerate(lines) if line.startswith("pose ")) + 1
rows = list(zip(*([float(word) for word in line.split()] for line in lines[first:])))

figure, plots = pyplot.subplots(1, 2, figsize=(7, 3.4), sharex=True, sharey=True)
for axes, title, column in ((plots[0], "before", 3), (plots[1], "after", 5)):
    axes.plot(rows[1], rows[2], color="0.75", linewidth=5, label="true path")
    axes.plot(rows[column], rows[column + 1], marker=".", linewidth=1, label="estimate")
    axes.set(title=title, xlabel="x in metres", aspect="equal")
plots[0].set(ylabel="y in metres")
plots[0].legend(fontsize=8)
save(figure, __file__)
