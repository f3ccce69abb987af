# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""The measurements of scripts/measure.sh python: ratios of medians of CPU times, which are taken in alternation.

CPU times and not wall times: other programs of the machine disturb them less.
BLAS has one thread.
"""

import os
import subprocess
import sys
from statistics import median

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

start_values = b.cameras.copy(), b.points.copy()
problem = vesta.Problem()
blocks = [(b.cameras, b.camera_index), (b.points, b.point_index)]
if kind == "ready":
    problem.add_costs(vesta.costs.reprojection(b.observations), blocks)
elif kind == "jax":
    import jax.numpy
    problem.add_batch(functools.partial(project, np=jax.numpy), blocks, b.observations, jac="jax", num_residuals=2)
else:
    problem.add_batch(project, blocks, b.observations, jac=kind)
start = time.process_time()
summary = problem.solve(linear_solver_type="DENSE_SCHUR")
first = time.process_time() - start
b.cameras[:], b.points[:] = start_values
start = time.process_time()
problem.solve(linear_solver_type="DENSE_SCHUR")
print(first, summary.final_cost, len(summary.iterations) - 1, time.process_time() - start)
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


FIT = """
import sys, time, numpy as np, scipy.optimize, vesta
name, rounds = sys.argv[1], int(sys.argv[2])
rng = np.random.default_rng(0)
if name == "tanh":  # The output of one neuron with ten inputs.
    a = rng.normal(size=(10_000, 10))
    start = np.zeros(10)
    def fun(p):
        return np.tanh(a @ p) - y
    def jac(p):
        h = np.tanh(a @ p)
        return (1 - h * h)[:, None] * a
    y = 0.0
    y = fun(0.5 * rng.normal(size=10)) + 0.05 * rng.normal(size=10_000)
else:  # A spectrum of five lines: heights and places.
    t = np.linspace(0, 10, 10_000)
    start = np.array([1, 1, 1, 1, 1, 1.15, 3.15, 5.15, 7.15, 9.15])
    def fun(p):
        return sum(p[k] * np.exp(-((t - p[5 + k]) / 0.5) ** 2) for k in range(5)) - y
    def jac(p):
        j = np.empty((10_000, 10))
        for k in range(5):
            u = (t - p[5 + k]) / 0.5
            j[:, k] = np.exp(-u * u)
            j[:, 5 + k] = 4.0 * p[k] * u * j[:, k]
        return j
    y = 0.0
    y = fun([1, 2, 1.5, 1, 2, 1, 3, 5, 7, 9]) + 0.05 * rng.normal(size=10_000)

times = {"scipy": [], "vesta": []}
inside = {"scipy": [], "vesta": []}
spent = 0.0

def timed(f):
    def g(p):
        global spent
        begin = time.process_time()
        value = f(p)
        spent += time.process_time() - begin
        return value
    return g

timed_fun, timed_jac = timed(fun), timed(jac)
for _ in range(rounds):
    for solver in (scipy.optimize.least_squares, vesta.least_squares):
        which = "vesta" if solver is vesta.least_squares else "scipy"
        begin = time.process_time()
        result = solver(fun, start, jac=jac)
        times[which].append(time.process_time() - begin)
        spent = 0.0
        solver(timed_fun, start, jac=timed_jac)
        inside[which].append(spent)
print(*(np.median(t) for t in (times["scipy"], times["vesta"], inside["scipy"], inside["vesta"])))
"""


def output(command: list[str]) -> list[float]:
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    if done.returncode:
        sys.exit(done.stderr)
    return [float(word) for word in done.stdout.split()]


def run(script: str, *arguments: str) -> list[float]:
    return output([sys.executable, "-c", script, *arguments])


def report(what: str, ratio: float, bar: str) -> None:
    print(f"{what:<66} {ratio:6.2f}   bar {bar}", flush=True)


def bundle_adjustment(rounds: int, folder: str, problem: str) -> None:
    results: dict[str, list[list[float]]] = {"C++": [], "ready": [], "autodiff": [], "jax": []}
    for _ in range(rounds):
        for kind, list_ in results.items():
            program = [f"{folder}/bundle_adjustment", problem]
            list_.append(output(program) if kind == "C++" else run(BAL, kind, problem))
    times = {kind: median(row[0] for row in rows) for kind, rows in results.items()}
    for kind, rows in results.items():
        print(f"  {kind:<9} {times[kind]:7.3f} s CPU, cost {rows[0][1]:.6f}, {rows[0][2]:.0f} iterations")
    report("problem-16-22106 by vesta.costs, time / C++", times["ready"] / times["C++"], "<= 1.10")
    report("problem-16-22106 by add_batch(jac='autodiff'), time / C++", times["autodiff"] / times["C++"], "<= 6")
    again = median(row[3] for row in results["jax"])
    report("problem-16-22106 by add_batch(jac='jax'), time / C++", times["jax"] / times["C++"], "<= 6")
    report("problem-16-22106 again, which is compiled by then, time / C++", again / times["C++"], "none")


def fits(rounds: int) -> None:
    for name, bar in (("tanh", ">= 3"), ("five Gaussians", "none")):
        scipy, vesta, scipy_inside, vesta_inside = (1e3 * t for t in run(FIT, name, str(8 * rounds)))
        print(f"  {name}: SciPy {scipy:.2f} ms, of which fun and jac {scipy_inside:.2f}", end="; ")
        print(f"Vesta {vesta:.2f} ms, of which fun and jac {vesta_inside:.2f}")
        report(f"least_squares of 10^4 points, {name}, SciPy / Vesta", scipy / vesta, bar)


def per_residual(rounds: int) -> None:
    costs: dict[str, list[float]] = {"pyceres": [], "vesta.pyceres": []}
    for _ in range(rounds):
        for name, times in costs.items():
            times.append(run(PYCERES, name)[0])
    ratio = median(costs["pyceres"]) / median(costs["vesta.pyceres"])
    report("residual blocks in Python, pyceres / Vesta", ratio, ">= 2")


def main() -> None:
    rounds, folder, problem = int(sys.argv[1]), sys.argv[2], sys.argv[3]
    fits(rounds)
    per_residual(rounds)
    bundle_adjustment(rounds, folder, problem)
    cpp = output([f"{folder}/million_blocks"])[0]
    report("memory of a million residual blocks, Python / C++", run(MILLION)[0] / cpp, "<= 1.05")


main()
