# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""Cost and weight of a residual under each loss function, from docs/snippets/loss_functions.out."""

from _style import pyplot, read_output, save

curves = {}
for line in read_output("loss_functions")[1:]:
    name, *values = line.split()
    curves.setdefault(name, []).append([float(value) for value in values])

figure, (cost, weight) = pyplot.subplots(1, 2)
for name, rows in curves.items():
    residual, costs, weights = zip(*rows)
    cost.plot(residual, costs, label=name)
    weight.plot(residual, weights)
cost.set(xlabel="residual r", ylabel="cost", ylim=(0, 4))
weight.set(xlabel="residual r", ylabel="weight of the residual", ylim=(0, 1.05))
cost.legend(fontsize=8)
save(figure, __file__)
