# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""The curve of docs/snippets/constraints.out: readings, the root of the truth, and what the constraints make of the readings."""

import math

from _style import COLORS, pyplot, read_output, save


def normal(sigma, count):
    """The numbers of docs/snippets/noise.h."""
    state = 20260101

    def uniform():
        nonlocal state
        state = state * 48271 % 2147483647
        return state / 2147483647

    result = []
    for _ in range(count):
        radius = math.sqrt(-2 * math.log(uniform()))
        result.append(sigma * radius * math.cos(2 * math.pi * uniform()))
    return result


rows = [line.split() for line in read_output("constraints")[2:10]]
ks = [int(row[0]) for row in rows]
measured = [math.sqrt(0.5 * k) + noise for k, noise in zip(ks, normal(0.2, len(ks)))]
active = [k for k, row in zip(ks, rows) if len(row) > 2 and float(row[2]) != 0.0]

figure, axes = pyplot.subplots(figsize=(7, 3))
axes.plot(ks, measured, "x", color="0.4", markersize=7, label="readings")
axes.plot(ks, [float(row[1]) for row in rows], "o-", label="curve")
for k in active:
    axes.axvspan(k - 1, k, color=COLORS[1], alpha=0.2, label="active: it may not decrease")
axes.plot(ks[-1], float(rows[-1][1]), "s", color=COLORS[2], markersize=9, label="held: the end is 2")
axes.set(xlabel="k")
axes.legend(fontsize=8)
save(figure, __file__)
