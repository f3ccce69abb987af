# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""A problem as a factor graph: parameter blocks are circles, residual blocks are squares."""

import math

from _style import COLORS, pyplot, save

# The octagon of docs/snippets/factors.cc, drawn as a spiral: the last pose is where the first one is.
POSES = [(1.9 + (1.4 + 0.09 * k) * math.cos(math.pi * (k - 2.5) / 4), 1.1 + (1.4 + 0.09 * k) * math.sin(math.pi * (k - 2.5) / 4))
         for k in range(9)]


def factor(axes, a, b, color):
    axes.plot([a[0], b[0]], [a[1], b[1]], color=color, zorder=0)
    axes.plot((a[0] + b[0]) / 2, (a[1] + b[1]) / 2, "s", color=color, markersize=9)


figure, axes = pyplot.subplots(figsize=(7, 3))
for a, b in zip(POSES, POSES[1:]):
    factor(axes, a, b, COLORS[0])
factor(axes, POSES[8], POSES[0], COLORS[1])
axes.plot([POSES[0][0], POSES[0][0] + 0.9], [POSES[0][1], POSES[0][1] + 0.35], color=COLORS[2], zorder=0)
axes.plot(POSES[0][0] + 0.9, POSES[0][1] + 0.35, "s", color=COLORS[2], markersize=9)
for k, (x, y) in enumerate(POSES):
    axes.plot(x, y, "o", color="white", markeredgecolor="black", markersize=20)
    axes.text(x, y, f"x{k}", ha="center", va="center", fontsize=9)
for name, color, y in (("BetweenFactor: odometry", 0, 1.6), ("BetweenFactor: loop closure", 1, 1.1), ("PriorFactor", 2, 0.6)):
    axes.plot(4.5, y, "s", color=COLORS[color], markersize=9)
    axes.text(4.7, y, name, va="center", fontsize=9)
axes.set(xlim=(-1.2, 7.2), ylim=(-1.3, 3.2), aspect="equal")
axes.axis("off")
save(figure, __file__)
