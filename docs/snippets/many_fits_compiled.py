# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""Fits a model with a loop, compiled by Numba, by vesta.fit_many."""

import math

import numba
import numpy as np

import vesta


# [model]
# Diffusion into a sphere: a series, as long as its terms count.
@numba.cfunc("float64(float64, float64, float64)", error_model="numpy")
def uptake(t, amplitude, rate):
    rest = 0.0
    for k in range(1, 200):
        term = math.exp(-k * k * rate * t) / (k * k)
        rest += term
        if term < 1e-17:
            break
    return amplitude * (1.0 - 6.0 / math.pi**2 * rest)


# [/model]

rng = np.random.default_rng(1)
t = np.linspace(0.05, 4, 40)
rates = np.linspace(0.3, 1.0, 200).reshape(10, 20)
curves = np.array([uptake.ctypes(s, 2.0, rate) for rate in rates.flat for s in t]).reshape(10, 20, 40)
curves += 0.01 * rng.normal(size=curves.shape)

# [fit]
result = vesta.fit_many(uptake, t, curves, p0=[1.0, 0.5], bounds=(0, np.inf), num_threads=2)
# [/fit]
