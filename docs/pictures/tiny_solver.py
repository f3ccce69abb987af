# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""Four beacons, and the circles of the ranges that are measured from the position of docs/snippets/tiny_solver.out."""

import math
import re

from _style import COLORS, SNIPPETS, pyplot, read_output, save

program = (SNIPPETS / "tiny_solver.cc").read_text(encoding="utf-8")
beacons = [tuple(map(int, pair)) for pair in re.findall(r"\{(\d), (\d)\}", re.search(r"kBeacons.*?;", program)[0])]
x, y = (float(value) for value in read_output("tiny_solver")[0].split()[1:])

figure, axes = pyplot.subplots(figsize=(7, 3.4))
for bx, by in beacons:
    axes.add_patch(pyplot.Circle((bx, by), math.hypot(x - bx, y - by), fill=False, color=COLORS[0], alpha=0.6))
axes.plot(*zip(*beacons), "^", color=COLORS[6], markersize=8, label="beacons")
axes.plot(4.5, 3.5, "x", color="0.4", markersize=8, label="start")
axes.plot(x, y, "o", color=COLORS[1], label="position")
axes.set(aspect="equal", xlim=(-3, 15), ylim=(-1, 8), xlabel="metres")
axes.legend(fontsize=8, loc="right")
save(figure, __file__)
