# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""A cost with two minima, from docs/snippets/trouble_different_result.out."""

import re

from _style import COLORS, pyplot, read_output, save

lines = read_output("trouble_different_result")
first = lines.index("costs: x, cost") + 1
x, cost = zip(*[[float(value) for value in line.split()] for line in lines[first:]])
ends = [re.match(r"start +(\S+): x = +(\S+), cost (\S+)", line) for line in lines]
figure, axes = pyplot.subplots()
axes.plot(x, cost, color=COLORS[0])
for color, end in zip((COLORS[1], COLORS[2]), filter(None, ends)):
    start, minimum, value = (float(number) for number in end.groups())
    axes.plot(minimum, value, "o", color=color, label=f"start at {start:g}")
axes.set(xlabel="x", ylabel="cost", ylim=(-0.1, 3))
axes.legend(fontsize=8)
save(figure, __file__)
