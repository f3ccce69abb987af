# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""Samples, initial guess and fit, from docs/snippets/curve_fitting.out."""

from _style import pyplot, read_output, save

lines = read_output("curve_fitting")
first = next(i for i, line in enumerate(lines) if line.startswith("minutes")) + 1
minutes, sample, start, fit = zip(*([float(word) for word in line.split()] for line in lines[first:]))

figure, axes = pyplot.subplots()
axes.plot(minutes, sample, "o", markersize=4, color="0.4", label="samples")
axes.plot(minutes, start, "--", label="initial guess")
axes.plot(minutes, fit, label="fit")
axes.set(xlabel="minutes", ylabel="temperature in °C", ylim=(0, None))
axes.legend()
save(figure, __file__)
