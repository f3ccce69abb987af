# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""A fit that moved away from the data, and a good one, from docs/snippets/trouble_diverges.out."""

from _style import COLORS, pyplot, read_output, save

lines = read_output("trouble_diverges")
first = next(i for i, line in enumerate(lines) if line.startswith("curves")) + 1
t, measured, away, good = zip(*[[float(value) for value in line.split()] for line in lines[first:]])
figure, axes = pyplot.subplots()
axes.plot(t, measured, "o", color=COLORS[6], markersize=4, label="measured")
axes.plot(t, away, color=COLORS[1], label="start of the wrong width")
axes.plot(t, good, color=COLORS[0], label="start from the data")
axes.set(xlabel="t", ylabel="y")
axes.legend(fontsize=8, loc="upper left")
save(figure, __file__)
