# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""The estimate under each loss by scale, from docs/snippets/losses.out."""

from _style import pyplot, read_output, save

lines = read_output("losses")
first = next(i for i, line in enumerate(lines) if line.startswith("scale"))
names = lines[first].split()[1:]
scale, *estimates = zip(*([float(word) for word in line.split()] for line in lines[first + 1:]))

figure, axes = pyplot.subplots()
for name, values in zip(names, estimates):
    axes.plot(scale, values, marker="o", markersize=4, label=name)
axes.axhline(float(lines[1].split()[-1]), color="0.4", linestyle="--", label="mean of all")
axes.axhline(float(lines[0].split()[-1]), color="0.4", linestyle=":", label="mean of the good")
axes.set_xscale("log", base=2)
axes.set_xticks(scale, [f"{a:g}" for a in scale])
axes.set(xlabel="scale of the loss", ylabel="estimate")
axes.legend(loc="center left", bbox_to_anchor=(1, 0.5), fontsize=8)
save(figure, __file__)
