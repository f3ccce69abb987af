# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""Errors of each motion, from docs/snippets/hand_eye.out."""

from _style import pyplot, read_output, save

lines = read_output("hand_eye")
begin = next(i for i, line in enumerate(lines) if line.startswith("errors of each motion")) + 1
rows = [[float(value) for value in line.split()] for line in lines[begin:]]
figure, axes = pyplot.subplots()
axes.plot([row[0] for row in rows], "o", label="rotation in mrad")
axes.plot([row[1] for row in rows], "s", label="translation in mm")
axes.set(xlabel="motion", ylim=(0, None))
axes.legend()
save(figure, __file__)
