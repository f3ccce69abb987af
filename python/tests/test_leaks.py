# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""Memory: flat over many solves, and that of C++ for a million residual blocks."""

import gc
import subprocess
import sys
import textwrap
import tracemalloc

import numpy as np
import pytest

import vesta


class Target(vesta.CostFunction):
    def __init__(self):
        super().__init__(1, [1])

    def evaluate(self, parameters, residuals, jacobians):
        residuals[0] = parameters[0][0] - 1.0
        if jacobians is not None:
            jacobians[0][0, 0] = 1.0


class Undefined(Target):
    def evaluate(self, parameters, residuals, jacobians):
        raise ValueError("undefined")


def solve_everything():
    x, rows = np.zeros(1), np.zeros((2, 2))
    problem = vesta.Problem()
    problem.add_residual_block(Target(), vesta.ScaledLoss(vesta.HuberLoss(1.0), 2.0), x)
    problem.add_batch(lambda a: a * a - 2.0, [(rows, np.arange(2))])
    problem.set_manifold(x, vesta.SubsetManifold(1, []))
    problem.solve(callbacks=[lambda s: None])
    problem.evaluate()
    vesta.least_squares(lambda x: x - 1.0, [0.0])
    failing = vesta.Problem()
    failing.add_residual_block(Undefined(), None, x)
    with pytest.raises(ValueError):
        failing.solve()


def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096


def test_python_memory_is_flat():
    tracemalloc.start()
    try:
        # Caches of the interpreter fill in the first rounds.
        for _ in range(100):
            solve_everything()
        gc.collect()
        first = tracemalloc.get_traced_memory()[0]
        for _ in range(100):
            solve_everything()
        gc.collect()
        grown = tracemalloc.get_traced_memory()[0] - first
    finally:
        tracemalloc.stop()
    assert grown < 20_000, f"{grown} bytes in 100 rounds"


def test_resident_memory_is_flat_over_ten_thousand_solves():
    def many(count):
        for _ in range(count):
            x = np.zeros(1)
            problem = vesta.Problem()
            problem.add_residual_block(Target(), None, x)
            problem.solve()

    many(2000)
    gc.collect()
    first = resident()
    many(10_000)
    gc.collect()
    grown = resident() - first
    assert grown < 2_000_000, f"{grown} bytes in 10000 solves"


MILLION = """
    import gc, resource
    import numpy as np
    import vesta
    def resident():
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * 4096
    n = 1_000_000
    cameras, points = np.ones((1000, 9)), np.ones((n // 4, 3))
    i, j = np.arange(n) % 1000, np.arange(n) // 4
    observed = np.zeros((n, 2))
    gc.collect()
    before = resident()
    problem = vesta.Problem()
    problem.add_costs(vesta.costs.reprojection(observed), [(cameras, i), (points, j)])
    gc.collect()
    print(resident() - before)
"""


@pytest.mark.slow
def test_a_million_residual_blocks():
    """scripts/measure.sh python compares this number with that of a C++ program."""
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(MILLION)], capture_output=True, text=True, check=True)
    assert int(done.stdout) < 300_000_000
