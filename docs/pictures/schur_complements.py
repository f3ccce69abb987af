# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""Block patterns of normal equations with cameras and points, and of the Schur complement."""

import numpy

from _style import COLORS, pyplot, save

CAMERAS, POINTS = 6, 24
sees = numpy.zeros((CAMERAS, POINTS), dtype=bool)
for p in range(POINTS):
    first = p * (CAMERAS - 1) // POINTS
    sees[first : first + 2 + p % 2, p] = True

size = POINTS + CAMERAS
full = numpy.zeros((size, size), dtype=bool)
full[:POINTS, :POINTS] = numpy.eye(POINTS, dtype=bool)
full[POINTS:, POINTS:] = numpy.eye(CAMERAS, dtype=bool)
full[POINTS:, :POINTS] = sees
full[:POINTS, POINTS:] = sees.T
reduced = sees.astype(int) @ sees.T.astype(int) > 0

figure, axes = pyplot.subplots(1, 2, figsize=(7, 3.6), width_ratios=[1.6, 1])


def draw(where, pattern, color_of, title):
    n = len(pattern)
    for i, j in zip(*numpy.nonzero(pattern)):
        where.add_patch(pyplot.Rectangle((j, i), 0.9, 0.9, color=color_of(i, j)))
    where.set(xlim=(-0.3, n + 0.2), ylim=(n + 0.2, -0.3), aspect="equal", xticks=[], yticks=[], title=title)
    where.grid(False)


def color_of(i, j):
    return COLORS[int(i >= POINTS) + int(j >= POINTS)]


draw(axes[0], full, color_of, "points and cameras")
draw(axes[1], reduced, lambda i, j: COLORS[2], "Schur complement")
save(figure, __file__)
