# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""Cameras and points from above, before and after, from docs/snippets/bundle_adjustment.out."""

import math

from _style import COLORS, pyplot, read_output, save

things = {"camera": [], "point": []}
for line in read_output("bundle_adjustment"):
    words = line.split()
    if words[0] in things:
        things[words[0]].append([float(word) for word in words[1:]])

figure, plots = pyplot.subplots(1, 2, figsize=(7, 3.6), sharex=True, sharey=True)
for axes, title, column in ((plots[0], "before", 2), (plots[1], "after", 4)):
    points = things["point"]
    axes.plot([p[0] for p in points], [p[1] for p in points], "s", color="0.75", markersize=6, label="true points")
    axes.plot([p[column] for p in points], [p[column + 1] for p in points], "o", color=COLORS[0], markersize=2.5, label="points")
    cameras = things["camera"]
    axes.plot([c[0] for c in cameras], [c[1] for c in cameras], "s", color="0.75", markersize=9, label="true cameras")
    for i, camera in enumerate(cameras):
        x, y = camera[column:column + 2]
        axes.plot(x, y, marker=(3, 0, math.degrees(math.atan2(-y, -x)) - 90), color=COLORS[1], markersize=7, linestyle="none",
                  label="cameras" if i == 0 else None)
    axes.set(title=title, xlabel="x in metres", aspect="equal")
plots[0].set(ylabel="y in metres")
figure.legend(*plots[0].get_legend_handles_labels(), loc="outside lower center", ncols=4)
save(figure, __file__)
