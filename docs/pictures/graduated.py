# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""Maps of two solves with many false loop closures, from docs/snippets/robust_pose_graph.out."""

from _style import pyplot, read_output, save

lines = read_output("robust_pose_graph")
rows = [[float(value) for value in line.split()[1:]] for line in lines[72:]]
figure, axes = pyplot.subplots(1, 2, sharex=True, sharey=True)
for k, name in enumerate(["CauchyLoss", "SolveGraduated"]):
    axes[k].plot([row[2 * k] for row in rows], [row[2 * k + 1] for row in rows], ".-", markersize=3, linewidth=1)
    axes[k].set(title=name, xlabel="x in metres", aspect="equal")
axes[0].set(ylabel="y in metres")
save(figure, __file__)
