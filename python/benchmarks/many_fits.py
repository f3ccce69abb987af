# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""The Python side of scripts/many_fits.sh.

Usage: many_fits.py write FILE NUM_FITS
       many_fits.py compare FILE NUM_FITS THREADS ROUNDS OUTPUT_OF_DRIVER
"""

from __future__ import annotations

import sys
import time
from statistics import median
from typing import Any

import numpy as np

SAMPLES, PARAMETERS = 50, 5
# SciPy's loop takes about a millisecond per fit.
NUM_SCIPY = 300


def model(t: Any, a: Any, tau_a: Any, b: Any, tau_b: Any, c: Any) -> Any:
    return a * np.exp(-t / tau_a) + b * np.exp(-t / tau_b) + c


def write(name: str, num_fits: int) -> None:
    rng = np.random.default_rng(1)
    t = 0.1 * np.arange(SAMPLES)
    low, high = np.array([1.0, 0.3, 1.0, 1.5, 0.05]), np.array([2.0, 0.5, 2.0, 2.5, 0.2])
    truth = low + (high - low) * rng.random((num_fits, PARAMETERS))
    start = truth * rng.choice([0.8, 1.2], truth.shape)
    y = model(t, *truth.T[..., None]) + 0.01 * rng.normal(size=(num_fits, SAMPLES))
    with open(name, "wb") as file:
        t.tofile(file)
        np.hstack([start, y]).tofile(file)


def compare(name: str, num_fits: int, threads: int, rounds: int, driver: str) -> bool:
    import scipy.optimize

    import vesta

    data = np.fromfile(name)
    t, rows = data[:SAMPLES], data[SAMPLES:].reshape(num_fits, -1)
    start, y = np.ascontiguousarray(rows[:, :PARAMETERS]), np.ascontiguousarray(rows[:, PARAMETERS:])
    lanes, loop = [], []
    costs = np.empty(min(NUM_SCIPY, num_fits))
    result: Any = None
    for _ in range(rounds):
        begin = time.perf_counter()
        result = vesta.fit_many(model, t, y, start, num_threads=threads)
        lanes.append((time.perf_counter() - begin) / num_fits)
        begin = time.perf_counter()
        for i in range(len(costs)):
            p, _ = scipy.optimize.curve_fit(model, t, y[i], start[i])
            costs[i] = 0.5 * np.sum((model(t, *p) - y[i]) ** 2)
        loop.append((time.perf_counter() - begin) / len(costs))
    values = dict(line.split() for line in open(driver))
    ours = np.fromfile(name + ".costs")
    equal_scipy = float(np.mean(np.abs(result.costs[: len(costs)] - costs) <= 1e-8 * costs))
    ratio = median(loop) / median(lanes)
    print(f"vesta_fit_many_microseconds {median(lanes) * 1e6:.3f}")
    print(f"scipy_microseconds {median(loop) * 1e6:.1f}")
    print(f"ratio_to_scipy {ratio:.0f}")
    print(f"equal_costs_scipy {equal_scipy:.4f}")
    print(f"same_costs_as_cpp {float(np.mean(result.costs == ours)):.4f}")
    bars = {
        "100 times SciPy": ratio >= 100,
        "8 times TinySolver": float(values["ratio"]) >= 8,
        "costs of TinySolver": float(values["equal_costs"]) >= 0.999,
        "costs of SciPy": equal_scipy >= 0.999,
    }
    for bar, is_met in bars.items():
        print(f"{'met   ' if is_met else 'MISSED'} {bar}")
    return all(bars.values())


if __name__ == "__main__":
    if len(sys.argv) == 4 and sys.argv[1] == "write":
        write(sys.argv[2], int(sys.argv[3]))
    elif len(sys.argv) == 7 and sys.argv[1] == "compare":
        sys.exit(0 if compare(sys.argv[2], *map(int, sys.argv[3:6]), sys.argv[6]) else 1)
    else:
        sys.exit(__doc__)
