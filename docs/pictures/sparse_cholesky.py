# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""A small matrix, its factor with fill, and its elimination tree."""

import numpy

from _style import COLORS, pyplot, save

# Columns 1 to 4 are leaves, 5 and 6 separate pairs of them, 7 separates both halves.
EDGES = [(1, 5), (2, 5), (3, 6), (4, 6), (1, 7), (3, 7), (2, 7)]
SIZE = 7
pattern = numpy.eye(SIZE + 1, dtype=bool)  # Rows and columns count from 1.
for i, j in EDGES:
    pattern[i, j] = pattern[j, i] = True
factor = numpy.tril(pattern)
for k in range(1, SIZE + 1):
    rows = [i for i in range(k + 1, SIZE + 1) if factor[i, k]]
    for a in rows:
        for c in rows:
            factor[max(a, c), min(a, c)] = True

figure, axes = pyplot.subplots(1, 2, figsize=(7, 3.2))
for i in range(1, SIZE + 1):
    for j in range(1, i + 1):
        if pattern[i, j]:
            axes[0].plot(j, i, "s", color=COLORS[0], markersize=11)
        elif factor[i, j]:
            axes[0].plot(j, i, "s", markerfacecolor="none", markeredgecolor=COLORS[1], markersize=11, markeredgewidth=2)
axes[0].set(xlim=(0.3, SIZE + 0.7), ylim=(SIZE + 0.7, 0.3), aspect="equal", xticks=range(1, SIZE + 1),
            yticks=range(1, SIZE + 1), title="factor")
parent = {k: min(i for i in range(k + 1, SIZE + 1) if factor[i, k]) for k in range(1, SIZE)}
place = {1: (0, 0), 2: (1, 0), 3: (2, 0), 4: (3, 0), 5: (0.5, 1), 6: (2.5, 1), 7: (1.5, 2)}
for child, above in parent.items():
    axes[1].plot(*zip(place[child], place[above]), color="0.5", zorder=0)
for column, where in place.items():
    axes[1].plot(*where, "o", color="white", markeredgecolor=COLORS[0], markersize=20, markeredgewidth=1.8)
    axes[1].text(*where, str(column), ha="center", va="center")
axes[1].set(xlim=(-0.5, 3.5), ylim=(-0.4, 2.4), xticks=[], yticks=[], title="elimination tree")
axes[1].grid(False)
for side in ("left", "bottom"):
    axes[1].spines[side].set_visible(False)
save(figure, __file__)
