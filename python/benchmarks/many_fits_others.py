# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""The fits of scripts/many_fits.sh by vesta.fit_many (recorded, and compiled by Numba), JAX and nlsq.

Those that are installed run; nlsq needs Python 3.12. Prints microseconds per fit, medians, and the part of fits whose
costs are at most 1e-8 above the least one found. The file is that of `many_fits.py write FILE NUM_FITS`.

Usage: taskset -c 0,1 python many_fits_others.py FILE NUM_FITS THREADS ROUNDS
"""

from __future__ import annotations

import importlib.util
import logging
import math
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from statistics import median
from typing import Any, Callable

import numpy as np
from many_fits import PARAMETERS, SAMPLES, model

# nlsq fits one curve per call.
NUM_NLSQ = 100


def fit_by_vesta(t: Any, y: Any, start: Any, threads: int) -> dict[str, Callable[[], Any]]:
    import vesta

    runs = {"vesta_recorded": lambda: vesta.fit_many(model, t, y, start, num_threads=threads).parameters}
    if importlib.util.find_spec("numba") is None:
        return runs
    import numba

    @numba.cfunc("float64(float64, CPointer(float64))", error_model="numpy")
    def f(x: Any, p: Any) -> Any:
        return p[0] * math.exp(-x / p[1]) + p[2] * math.exp(-x / p[3]) + p[4]

    @numba.cfunc("void(float64, CPointer(float64), CPointer(float64))", error_model="numpy")
    def jac(x: Any, p: Any, out: Any) -> None:
        out[0] = math.exp(-x / p[1])
        out[1] = p[0] * out[0] * x / (p[1] * p[1])
        out[2] = math.exp(-x / p[3])
        out[3] = p[2] * out[2] * x / (p[3] * p[3])
        out[4] = 1.0

    runs["vesta_numba"] = lambda: vesta.fit_many(f, t, y, start, num_threads=threads).parameters
    runs["vesta_numba_jac"] = lambda: vesta.fit_many(f, t, y, start, num_threads=threads, jac=jac).parameters
    return runs


def fit_by_jax(t: Any, y: Any, start: Any, threads: int) -> dict[str, Callable[[], Any]]:
    """jit(vmap(...)) of Levenberg-Marquardt with Nielsen's damping, as FitMany has it."""
    import jax
    import jax.numpy as jnp
    from jax.scipy.linalg import cho_factor, cho_solve

    jax.config.update("jax_enable_x64", True)
    t = jnp.asarray(t)

    def residuals(p: Any, y: Any) -> Any:
        return p[0] * jnp.exp(-t / p[1]) + p[2] * jnp.exp(-t / p[3]) + p[4] - y

    def linearize(p: Any, y: Any) -> Any:
        r, j = residuals(p, y), jax.jacfwd(residuals)(p, y)
        return r @ r, j.T @ j, j.T @ r

    def fit(p: Any, y: Any) -> Any:
        cost, h, g = linearize(p, y)

        def step(state: Any) -> Any:
            p, cost, h, g, damping, growth, _, count = state
            d = damping * jnp.diag(h)
            move = -cho_solve(cho_factor(h + jnp.diag(d)), g)
            expected = move @ (d * move - g)
            new_cost, new_h, new_g = linearize(p + move, y)
            better = new_cost < cost
            gain = (cost - new_cost) / expected
            damping *= jnp.where(better, jnp.maximum(1 / 3, 1 - (2 * gain - 1) ** 3), growth)
            growth = jnp.where(better, 2.0, 2 * growth)
            ended = (expected <= 1e-10 * cost) & (better | (jnp.abs(new_cost - cost) <= 1e-10 * cost))
            p, cost = jnp.where(better, p + move, p), jnp.where(better, new_cost, cost)
            h, g = jnp.where(better, new_h, h), jnp.where(better, new_g, g)
            return p, cost, h, g, damping, growth, ended, count + 1

        state = (p, cost, h, g, 1e-4, 2.0, False, 0)
        return jax.lax.while_loop(lambda s: ~s[6] & (s[7] < 100), step, state)[0]

    def blocks_of(size: int) -> Callable[[], Any]:
        # Fits in blocks, so that they stay in the cache and few wait for the slowest of their block. XLA computes blocks
        # one after the other, so each thread of ours has a part of them.
        n = len(y) // (size * threads) * size * threads
        inputs = list(zip(*(a[:n].reshape(threads, -1, size, a.shape[1]) for a in (start, y))))
        many = jax.jit(lambda p, y: jax.lax.map(lambda block: jax.vmap(fit)(*block), (p, y)))
        pool = ThreadPoolExecutor(threads)

        def run() -> Any:
            results = pool.map(lambda part: np.asarray(many(*part)).reshape(-1, start.shape[1]), inputs)
            return np.concatenate(list(results))

        return run

    whole = jax.jit(jax.vmap(fit))
    return {
        "jax": lambda: np.asarray(whole(start, y)),
        "jax_blocks_of_100": blocks_of(100),
        "jax_blocks_of_1000": blocks_of(1000),
    }


def fit_by_nlsq(t: Any, y: Any, start: Any) -> dict[str, Callable[[], Any]]:
    import jax.numpy as jnp
    import nlsq

    logging.disable()
    fitter = nlsq.CurveFit()

    def f(t: Any, a: Any, tau_a: Any, b: Any, tau_b: Any, c: Any) -> Any:
        return a * jnp.exp(-t / tau_a) + b * jnp.exp(-t / tau_b) + c

    def run() -> Any:
        parameters = []
        for i in range(min(NUM_NLSQ, len(y))):
            p, _ = fitter.curve_fit(f, t, y[i], p0=start[i])
            parameters.append(p)
        return np.stack(parameters)

    return {"nlsq": run}


def compare(name: str, num_fits: int, threads: int, rounds: int) -> None:
    data = np.fromfile(name)
    t, rows = data[:SAMPLES], data[SAMPLES:].reshape(num_fits, -1)
    start, y = np.ascontiguousarray(rows[:, :PARAMETERS]), np.ascontiguousarray(rows[:, PARAMETERS:])
    runs: dict[str, Callable[[], Any]] = {}
    if importlib.util.find_spec("vesta"):
        runs.update(fit_by_vesta(t, y, start, threads))
    if importlib.util.find_spec("jax"):
        runs.update(fit_by_jax(t, y, start, threads))
    if importlib.util.find_spec("nlsq"):
        runs.update(fit_by_nlsq(t, y, start))
    times: dict[str, list[float]] = {key: [] for key in runs}
    costs = {}
    for i in range(rounds + 1):
        for key, run in runs.items():
            begin = time.perf_counter()
            p = run()
            # The first round compiles.
            if i > 0:
                times[key].append((time.perf_counter() - begin) / len(p) * 1e6)
            costs[key] = np.sum((model(t, *p.T[..., None]) - y[: len(p)]) ** 2, axis=1)
    least = np.min([np.pad(c, (0, num_fits - len(c)), constant_values=np.inf) for c in costs.values()], axis=0)
    for key in runs:
        equal = np.mean(costs[key] <= least[: len(costs[key])] * (1 + 1e-8))
        print(f"{key:20s} {median(times[key]):10.3f} microseconds, costs met {equal:.4f}")


if __name__ == "__main__":
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    compare(sys.argv[1], *map(int, sys.argv[2:]))
