# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""Paths from above, and distances from the truth, from docs/snippets/visual_inertial_odometry.out."""

from _style import pyplot, read_output, save

lines = read_output("visual_inertial_odometry")
first = next(i for i, line in enumerate(lines) if line.startswith("x and y")) + 1
rows = [[float(value) for value in line.split()] for line in lines[first:]]
figure, (above, errors) = pyplot.subplots(1, 2, figsize=(9, 4), width_ratios=(3, 2))
for column, style, label in ((0, "k-", "truth"), (2, "-", "inertial measurements alone"), (4, ".", "sliding window")):
    above.plot([row[column] for row in rows], [row[column + 1] for row in rows], style, label=label)
above.set(xlabel="x in metres", ylabel="y in metres", xlim=(-5, 5), ylim=(-5, 8), aspect="equal")
above.legend(loc="upper left")
for column, color, label in ((6, "C1", "sliding window"), (7, "C2", "batch")):
    errors.plot([0.2 * i for i in range(len(rows))], [row[column] for row in rows], color=color, label=label)
errors.set(xlabel="time in seconds", ylabel="error of the position in cm")
errors.legend()
save(figure, __file__)
