# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""Slopes of simulated fits, and the distribution that a covariance predicts, from docs/snippets/covariance.out."""

import math

from _style import COLORS, pyplot, read_output, save

lines = read_output("covariance")
deviation = float(next(line for line in lines if line.startswith("slope ")).split()[-1])
first = lines.index("histogram: slope, count") + 1
slopes, counts = zip(*[[float(value) for value in line.split()] for line in lines[first:]])
width = slopes[1] - slopes[0]

xs = [1.94 + 0.12 * i / 200 for i in range(201)]
scale = sum(counts) * width / (deviation * math.sqrt(2 * math.pi))
figure, axes = pyplot.subplots()
axes.bar(slopes, counts, width=0.9 * width, color=COLORS[5], label="500 simulations")
axes.plot(xs, [scale * math.exp(-0.5 * ((x - 2) / deviation) ** 2) for x in xs], color=COLORS[1],
          label="prediction of one covariance")
axes.set(xlabel="slope", ylabel="count")
axes.legend(fontsize=8)
save(figure, __file__)
