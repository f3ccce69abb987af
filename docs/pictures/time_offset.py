# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""The cost as a function of the offset, from docs/snippets/time_offset.out."""

from _style import pyplot, read_output, save

lines = read_output("time_offset")
rows = [[float(value) for value in line.split()] for line in lines[lines.index("offset in ms   cost") + 1:]]
figure, axes = pyplot.subplots()
axes.plot(*zip(*rows), "o-")
axes.axvline(float(lines[0].split()[1]), linestyle="--", color="grey", label="estimate")
axes.set(xlabel="offset in ms", ylabel="cost", yscale="log")
axes.legend()
save(figure, __file__)
