# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""Samples with their weights and three fitted lines, from docs/snippets/robust_fitting.out."""

from _style import pyplot, read_output, save

lines = read_output("robust_fitting")
fits = {words[0]: (float(words[1]), float(words[2])) for words in map(str.split, lines[1:5])}
x, y, weight = zip(*([float(word) for word in line.split()] for line in lines[6:]))

figure, axes = pyplot.subplots()
points = axes.scatter(x, y, c=weight, cmap="viridis", s=20, vmin=0, vmax=1, zorder=3)
figure.colorbar(points, label="weight with CauchyLoss(1)")
for name, style in (("true", "k:"), ("squared", "--"), ("Huber", "-."), ("Cauchy", "-")):
    offset, slope = fits[name]
    axes.plot((0, 9.5), (offset, offset + slope * 9.5), style, label=name)
axes.set(xlabel="x", ylabel="y")
axes.legend()
save(figure, __file__)
