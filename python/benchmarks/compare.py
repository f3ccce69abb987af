# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""The measurements of scripts/compare_python.sh: ratios of least CPU times, in alternation."""

import os
import re
import subprocess
import sys
import time

import numpy as np

import vesta

BAL = """
import sys, time, functools, numpy as np, vesta
kind, path = sys.argv[1:]
b = vesta.io.read_bal(path)

def project(camera, point, data, np=np):
    rx, ry, rz = camera[:, 0], camera[:, 1], camera[:, 2]
    px, py, pz = point[:, 0], point[:, 1], point[:, 2]
    theta2 = rx * rx + ry * ry + rz * rz
    theta = np.sqrt(theta2)
    c, s = np.cos(theta), np.sin(theta) / theta
    d = (1 - c) / theta2 * (rx * px + ry * py + rz * pz)
    x = c * px + s * (ry * pz - rz * py) + d * rx + camera[:, 3]
    y = c * py + s * (rz * px - rx * pz) + d * ry + camera[:, 4]
    z = c * pz + s * (rx * py - ry * px) + d * rz + camera[:, 5]
    u, v = -x / z, -y / z
    r2 = u * u + v * v
    f = camera[:, 6] * (1 + r2 * (camera[:, 7] + r2 * camera[:, 8]))
    return np.stack([f * u - data[:, 0], f * v - data[:, 1]], axis=1)

problem = vesta.Problem()
blocks = [(b.cameras, b.camera_index), (b.points, b.point_index)]
if kind == "ready":
    problem.add_costs(vesta.costs.reprojection(b.observations), blocks)
elif kind == "jax":
    import jax.numpy
    problem.add_batch(functools.partial(project, np=jax.numpy), blocks, b.observations, jac="jax", num_residuals=2)
else:
    problem.add_batch(project, blocks, b.observations, jac=kind)
summary = problem.solve(linear_solver_type="DENSE_SCHUR")
print(summary.total_time_in_seconds, summary.final_cost)
"""

PYCERES = """
import sys, time, importlib, numpy as np
pyceres = importlib.import_module(sys.argv[1])

class Cost(pyceres.CostFunction):
    def __init__(self, t, y):
        pyceres.CostFunction.__init__(self)
        self.set_num_residuals(1)
        self.set_parameter_block_sizes([1, 1])
        self.t, self.y = t, y

    def Evaluate(self, parameters, residuals, jacobians):
        e = np.exp(parameters[0][0] * self.t + parameters[1][0])
        residuals[0] = self.y - e
        if jacobians is not None:
            if jacobians[0] is not None:
                jacobians[0][0] = -self.t * e
            if jacobians[1] is not None:
                jacobians[1][0] = -e
        return True

m, c = np.zeros(1), np.zeros(1)
rng = np.random.default_rng(0)
t = np.linspace(0, 5, 5000)
y = np.exp(0.3 * t + 0.1) + 0.2 * rng.normal(size=len(t))
problem, costs = pyceres.Problem(), []
for a, b in zip(t, y):
    costs.append(Cost(float(a), float(b)))
    problem.add_residual_block(costs[-1], None, [m, c])
options, summary = pyceres.SolverOptions(), pyceres.SolverSummary()
options.linear_solver_type = pyceres.LinearSolverType.DENSE_QR
start = time.process_time()
pyceres.solve(options, problem, summary)
print(time.process_time() - start, summary.final_cost)
"""

MILLION = """
import gc, numpy as np, vesta
def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096
n = 1_000_000
cameras, points = np.ones((1000, 9)), np.ones((n // 4, 3))
i, j, observed = np.arange(n) % 1000, np.arange(n) // 4, np.ones((n, 2))
vesta.Problem().add_costs(vesta.costs.reprojection(observed[:1]), [(cameras, [0]), (points, [0])])  # Imports what is imported late.
gc.collect()
before = resident()
problem = vesta.Problem()
problem.add_costs(vesta.costs.reprojection(observed), [(cameras, i), (points, j)])
gc.collect()
print(resident() - before)
"""


def run(script: str, *arguments: str) -> list[float]:
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run([sys.executable, "-c", script, *arguments], capture_output=True, text=True, env=environment)
    if done.returncode:
        sys.exit(done.stderr)
    return [float(word) for word in done.stdout.split()]


def fit_times(rounds: int) -> dict[str, float]:
    import scipy.optimize

    rng = np.random.default_rng(0)
    a = rng.normal(size=(10_000, 10))
    y = np.tanh(a @ rng.normal(size=10) * 0.5) + 0.05 * rng.normal(size=10_000)

    def fun(p):
        return np.tanh(a @ p) - y

    def jac(p):
        h = np.tanh(a @ p)
        return (1 - h * h)[:, None] * a

    times = {"SciPy": np.inf, "Vesta": np.inf}
    for _ in range(4 * rounds):
        for name, solver in (("SciPy", scipy.optimize.least_squares), ("Vesta", vesta.least_squares)):
            start = time.process_time()
            solver(fun, np.zeros(10), jac=jac)
            times[name] = min(times[name], time.process_time() - start)
    return times


def report(what: str, ratio: float, bar: str) -> None:
    print(f"{what:<62} {ratio:6.2f}   bar {bar}", flush=True)


def main() -> None:
    rounds, folder, problem = int(sys.argv[1]), sys.argv[2], sys.argv[3]
    best = dict.fromkeys(("C++", "ready", "autodiff", "jax"), np.inf)
    for _ in range(rounds):
        output = subprocess.run([f"{folder}/simple_bundle_adjuster", problem], capture_output=True, text=True).stdout
        best["C++"] = min(best["C++"], float(re.search(r"^Total\s+([0-9.]+)", output, re.M).group(1)))
        for kind in ("ready", "autodiff", "jax"):
            best[kind] = min(best[kind], run(BAL, kind, problem)[0])
    report("problem-16-22106 by vesta.costs, time / C++", best["ready"] / best["C++"], "<= 1.10")
    report("problem-16-22106 by add_batch(jac='autodiff'), time / C++", best["autodiff"] / best["C++"], "<= 6")
    report("problem-16-22106 by add_batch(jac='jax'), time / C++", best["jax"] / best["C++"], "<= 6")
    fit = fit_times(rounds)
    report("least_squares of 10^4 points, SciPy / Vesta", fit["SciPy"] / fit["Vesta"], ">= 3")
    costs = {"pyceres": np.inf, "vesta.pyceres": np.inf}
    for _ in range(rounds):
        for name in costs:
            costs[name] = min(costs[name], run(PYCERES, name)[0])
    report("residual blocks in Python, pyceres / Vesta", costs["pyceres"] / costs["vesta.pyceres"], ">= 2")
    cpp = float(subprocess.run([f"{folder}/million_blocks"], capture_output=True, text=True).stdout)
    report("memory of a million residual blocks, Python / C++", run(MILLION)[0] / cpp, "<= 1.05")


main()
