# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""The map, and the work of the updates, from docs/snippets/incremental_slam.out."""

from _style import pyplot, read_output, save

lines = read_output("incremental_slam")
path = next(i for i, line in enumerate(lines) if line.startswith("pose, blocks")) + 1
middle = lines.index("landmarks")
poses = [[float(value) for value in line.split()] for line in lines[path:middle]]
landmarks = [[float(value) for value in line.split()] for line in lines[middle + 1:]]
figure, (above, work) = pyplot.subplots(2, 1, figsize=(7, 7), height_ratios=(3, 1))
for column, style, label in ((2, "k-", "truth"), (4, "-", "odometry alone"), (6, ".", "estimate")):
    above.plot([row[column] for row in poses], [row[column + 1] for row in poses], style, label=label)
above.plot([row[1] for row in landmarks], [row[2] for row in landmarks], "+", color="0.5", label="landmarks")
above.set(xlabel="x in metres", ylabel="y in metres")
above.set_aspect("equal", adjustable="datalim")
above.legend(loc="upper right")
work.bar([row[0] for row in poses], [row[1] for row in poses], width=4)
work.set(xlabel="pose", ylabel="blocks eliminated")
save(figure, __file__)
