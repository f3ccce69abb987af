# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""Errors of the fix with the squared and the Cauchy loss, from docs/snippets/range_positioning.out."""

from _style import pyplot, read_output, save

rows = {line.split()[0]: [float(value) for value in line.split()[1:]] for line in read_output("range_positioning")[1:]}
names = ["x", "y", "z", "clock"]
figure, axes = pyplot.subplots()
for k, (name, offset) in enumerate([("squares", -0.2), ("Cauchy", 0.2)]):
    errors = [value - truth for value, truth in zip(rows[name], rows["true"])]
    axes.bar([i + offset for i in range(4)], errors, width=0.4, label=name)
axes.set(xticks=range(4), xticklabels=names, ylabel="error in metres")
axes.legend()
save(figure, __file__)
