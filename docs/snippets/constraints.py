# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""Constraints in Python: a curve with a known start, and a chain of points."""

import numpy as np
from scipy.optimize import LinearConstraint, NonlinearConstraint

import vesta

# [fit]
rng = np.random.default_rng(5)
t = np.linspace(0, 4, 40)
y = 2.0 * (1 - np.exp(-t / 1.5)) + 0.05 * rng.normal(size=40)


def model(t, a, tau, b):
    return a * (1 - np.exp(-t / tau)) + b


# The curve is 0 at t = 0, and its slope there, a / tau, is at most 1.3.
constraints = [
    LinearConstraint([0, 0, 1], 0, 0),
    NonlinearConstraint(lambda p: p[0] / p[1], -np.inf, 1.3),
]
params, covariance = vesta.curve_fit(model, t, y, p0=[1.0, 1.0, 0.1], constraints=constraints)
error = np.sqrt(np.diag(covariance))  # Of changes that keep the constraints: b has none.
# [/fit]

# [least_squares]
result = vesta.least_squares(lambda p: model(t, *p) - y, [1.0, 1.0, 0.1], constraints=constraints)
print(result.message, result.constr_violation < 1e-8)
print("multipliers:", [np.round(v, 3) for v in result.v])
# [/least_squares]

# [problem]
n = 50
chain = np.column_stack([np.linspace(0, 10, n), np.zeros(n)])
measured = chain + 0.1 * rng.normal(size=(n, 2))
problem = vesta.Problem()
problem.add_costs(vesta.costs.prior(measured), [(chain, np.arange(n))])


def squared_distance(a, b):
    return ((a - b) ** 2).sum(axis=1)


# Neighbours are 0.2 apart: one constraint for each pair, one call of Python for all.
links = problem.add_constraint_batch(
    squared_distance, 0.04, 0.04, [(chain, np.arange(n - 1)), (chain, np.arange(1, n))], name="link"
)
summary = problem.solve()
print(summary.termination_type.name, summary.num_constraints, problem.get_multipliers(links[0]).shape)
# [/problem]
