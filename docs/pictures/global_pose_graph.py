# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""The wrong and the right map of a ring, from docs/snippets/global_pose_graph.out."""

from _style import pyplot, read_output, save

rows = [[float(value) for value in line.split()] for line in read_output("global_pose_graph")[10:]]
rows.append(rows[0])
figure, axes = pyplot.subplots(1, 2, sharex=True, sharey=True)
for k, name in enumerate(["Solve", "SolvePoseGraphGlobally"]):
    axes[k].plot([row[2 * k] for row in rows], [row[2 * k + 1] for row in rows], ".-", markersize=3, linewidth=1)
    axes[k].set(title=name, xlabel="x in metres", aspect="equal")
axes[0].set(ylabel="y in metres")
save(figure, __file__)
