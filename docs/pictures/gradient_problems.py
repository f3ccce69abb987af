# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""The logistic regression of docs/snippets/gradient_problems.cc, with the result of gradient_problems.out."""

import re

import numpy

from _style import SNIPPETS, pyplot, read_output, save

a, b = (float(value) for value in re.findall(r"-?\d+\.\d+", read_output("gradient_problems")[0]))
program = (SNIPPETS / "gradient_problems.cc").read_text(encoding="utf-8")
samples = re.search(r"samples = \{(.*?)\};", program, re.S)[1]
hours, passed = numpy.array(re.findall(r"\{([\d.]+), (\d)\}", samples), dtype=float).T

grid = numpy.linspace(0, 6, 200)
figure, axes = pyplot.subplots(figsize=(7, 2.8))
axes.plot(hours, passed, "o", label="students")
axes.plot(grid, 1 / (1 + numpy.exp(-(a + b * grid))), label="probability to pass")
axes.set(xlabel="hours of study", yticks=[0, 0.5, 1], yticklabels=["failed", "0.5", "passed"])
axes.legend(fontsize=8)
save(figure, __file__)
