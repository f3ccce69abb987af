# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""A window of poses before and after the oldest pose is marginalized: its residual blocks become a prior on its neighbours."""

from _style import COLORS, pyplot, save

POSES, LANDMARKS = 5, ((0.6, (0, 1)), (1.7, (0, 1, 2)), (3.2, (2, 3, 4)))


def draw(axes, first, title):
    for k in range(first, POSES - 1):
        axes.plot([k, k + 1], [0, 0], color="0.3", zorder=0)
        axes.plot(k + 0.5, 0, "s", color="0.3", markersize=6)
    for x, poses in LANDMARKS:
        for k in poses:
            if k >= first:
                axes.plot([x, k], [1, 0], color="0.3", linewidth=1, zorder=0)
                axes.plot((x + k) / 2, 0.5, "s", color="0.3", markersize=5)
        axes.plot(x, 1, "^", color=COLORS[2], markersize=13)
    for k in range(first, POSES):
        axes.plot(k, 0, "o", color=COLORS[1] if k == 0 else COLORS[0], markersize=16)
        axes.text(k, -0.02, str(k), color="white", ha="center", va="center", fontsize=9)
    if first == 1:
        for x, y in ((1, 0), (0.6, 1), (1.7, 1)):
            axes.plot([0.1, x], [0.35, y], color=COLORS[1], zorder=0)
        axes.plot(0.1, 0.35, "s", color=COLORS[1], markersize=13)
        axes.text(0.1, 0.1, "prior", ha="center", color=COLORS[1])
    axes.set(xlim=(-0.4, 4.4), ylim=(-0.3, 1.3), xticks=[], yticks=[], title=title)
    axes.axis("off")


figure, plots = pyplot.subplots(1, 2, figsize=(7, 2.2))
draw(plots[0], 0, "before: pose 0 leaves")
draw(plots[1], 1, "after")
save(figure, __file__)
