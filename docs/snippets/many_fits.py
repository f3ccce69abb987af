# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""Fits decays of pixels by vesta.fit_many."""

import numpy as np

import vesta

rng = np.random.default_rng(1)
t = np.linspace(0, 3, 30)
truth = np.linspace(0.4, 1.2, 600).reshape(20, 30)
images = 2.0 * np.exp(-t / truth[..., None]) + 0.1 + 0.02 * rng.normal(size=(20, 30, 30))

# [fit]
# images: (rows, columns, samples), of float32 or float64, with any strides.
result = vesta.fit_many("exponential + polynomial0", t, images, p0=[1.0, 1.0, 0.0], num_threads=2)
tau = result.parameters[..., 1]  # (rows, columns)
error = result.standard_errors[..., 1]
tau[~result.success] = np.nan
# [/fit]


# [model]
def delayed(t, amplitude, tau, delay):
    return amplitude * np.where(t > delay, np.exp(-(t - delay) / tau), 1.0)


# [/model]
late = vesta.fit_many(delayed, t, images, p0=[2.0, 0.8, 0.05])

# [map]
# Echoes of an image series, (echoes, rows, columns), at times in ms.
times = 10.0 * np.arange(1, 17)
series = np.exp(-times[:, None, None] / (80.0 * truth)) + 0.02 * rng.normal(size=(16, 20, 30))
relaxation = vesta.fit_many(
    "exponential",
    times,
    np.moveaxis(series, 0, -1),  # A view: nothing is copied.
    p0=[1.0, 60.0],
    bounds=([0.0, 1.0], [10.0, 1000.0]),
    mask=(series[0] > 0.3)[..., None],
)
t2 = np.where(relaxation.success, relaxation.parameters[..., 1], np.nan)
# [/map]
