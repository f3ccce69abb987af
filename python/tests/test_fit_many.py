# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""fit_many beside SciPy, closed forms, and itself."""

from __future__ import annotations

import ctypes
import math
import shutil
import subprocess
import sys
import types
from typing import Any

import numpy as np
import pytest
import scipy
import scipy.optimize
import scipy.special

import vesta
from vesta import FitStatus, models

RNG = np.random.default_rng(5)
T = np.linspace(0.0, 4.0, 40)


def decay(t: Any, a: Any, tau: Any, c: Any) -> Any:
    return a * np.exp(-t / tau) + c


def decays(shape: Any, noise: float = 0.02, dtype: Any = np.float64) -> Any:
    rng = np.random.default_rng(3)
    truth = np.stack(
        [rng.uniform(1, 2, shape), rng.uniform(0.5, 1.5, shape), rng.uniform(0, 0.2, shape)], axis=-1
    )
    y = decay(T, *np.moveaxis(truth, -1, 0)[..., None]) + noise * rng.normal(size=(*shape, len(T)))
    return truth, y.astype(dtype)


# --- Results -----------------------------------------------------------------


def test_curve_fit_gives_the_same_parameters_and_covariances() -> None:
    truth, y = decays((5, 4))
    result = vesta.fit_many(decay, T, y, truth * 1.2)
    assert result.parameters.shape == (5, 4, 3) and result.covariances.shape == (5, 4, 3, 3)
    assert result.costs.shape == result.statuses.shape == result.iterations.shape == (5, 4)
    assert result.success.all()
    for i in np.ndindex(5, 4):
        p, covariance = scipy.optimize.curve_fit(decay, T, y[i], truth[i] * 1.2, ftol=1e-12)
        np.testing.assert_allclose(result.parameters[i], p, rtol=1e-5, atol=1e-5)
        np.testing.assert_allclose(result.covariances[i], covariance, rtol=1e-3)
        np.testing.assert_allclose(result.standard_errors[i], np.sqrt(np.diag(covariance)), rtol=1e-3)
        np.testing.assert_allclose(result.costs[i], 0.5 * np.sum((decay(T, *p) - y[i]) ** 2), rtol=1e-9)


@pytest.mark.parametrize("absolute", [False, True])
@pytest.mark.parametrize("kind", ["number", "samples", "all"])
def test_sigma_is_that_of_curve_fit(absolute: bool, kind: str) -> None:
    truth, y = decays((3,))
    sigma = {"number": 0.02, "samples": RNG.uniform(0.01, 0.05, 40), "all": RNG.uniform(0.01, 0.05, (3, 40))}[kind]
    result = vesta.fit_many(decay, T, y, truth, sigma=sigma, absolute_sigma=absolute)
    for i in range(3):
        one = np.broadcast_to(sigma[i] if kind == "all" else sigma, (40,))
        p, covariance = scipy.optimize.curve_fit(decay, T, y[i], truth[i], one, absolute, ftol=1e-12)
        np.testing.assert_allclose(result.parameters[i], p, rtol=1e-5, atol=1e-5)
        np.testing.assert_allclose(result.covariances[i], covariance, rtol=1e-3)


@pytest.mark.parametrize("loss", ["huber", "soft_l1", "cauchy", "arctan"])
def test_losses_are_those_of_scipy(loss: str) -> None:
    truth, y = decays((4,))
    y[:, ::7] += 1.0
    result = vesta.fit_many(decay, T, y, truth, loss=loss, f_scale=0.1, ftol=1e-13)
    for i in range(4):
        expected = scipy.optimize.least_squares(
            lambda p: decay(T, *p) - y[i], truth[i], loss=loss, f_scale=0.1, xtol=1e-12, ftol=1e-14, gtol=1e-12
        )
        np.testing.assert_allclose(result.costs[i], expected.cost, rtol=1e-8)
        np.testing.assert_allclose(result.parameters[i], expected.x, rtol=1e-4)


def test_a_loss_may_be_a_function() -> None:
    truth, y = decays((4,))
    y[:, ::7] += 1.0
    by_name = vesta.fit_many(decay, T, y, truth, loss="cauchy", f_scale=0.1)
    by_function = vesta.fit_many(decay, T, y, truth, loss=lambda z: np.log1p(z), f_scale=0.1)
    np.testing.assert_allclose(by_function.costs, by_name.costs, rtol=1e-10)


def test_bounds_hold_and_are_reached() -> None:
    truth, y = decays((6,))
    lower, upper = [0.0, 0.0, 0.0], [1.4, np.inf, 0.1]
    result = vesta.fit_many(decay, T, y, [1.0, 1.0, 0.05], bounds=(lower, upper))
    assert result.success.all()
    for i in range(6):
        expected = scipy.optimize.least_squares(
            lambda p: decay(T, *p) - y[i], [1.0, 1.0, 0.05], bounds=(lower, upper), ftol=1e-14, xtol=1e-14, gtol=1e-14
        )
        np.testing.assert_allclose(result.costs[i], expected.cost, rtol=1e-7)
    assert np.all(result.parameters >= lower) and np.all(result.parameters <= upper)
    assert np.any(result.parameters[:, 2] == 0.1)
    per_fit = vesta.fit_many(
        decay, T, y, [1.0, 1.0, 0.05], bounds=(np.tile(lower, (6, 1)), np.tile(upper, (6, 1)))
    )
    np.testing.assert_array_equal(per_fit.parameters, result.parameters)


def test_fixed_parameters_stay() -> None:
    truth, y = decays((3,))
    start = truth.copy()
    start[:, 2] = 0.1
    result = vesta.fit_many(decay, T, y, start, fixed=[False, False, True])
    np.testing.assert_array_equal(result.parameters[:, 2], 0.1)
    for i in range(3):
        p, covariance = scipy.optimize.curve_fit(lambda t, a, tau: decay(t, a, tau, 0.1), T, y[i], truth[i, :2])
        np.testing.assert_allclose(result.parameters[i, :2], p, rtol=1e-5, atol=1e-5)
        np.testing.assert_allclose(result.covariances[i, :2, :2], covariance, rtol=1e-3)


# Sums of products have kernels for several sizes.
@pytest.mark.parametrize("size", [1, 2, 3, 4, 5, 6, 8, 9, 12, 20])
def test_linear_models_have_the_closed_form(size: int) -> None:
    rng = np.random.default_rng(size)
    n = 3 * size + 5
    columns, y = rng.normal(size=(size, n)), rng.normal(size=(11, n))

    def f(x: Any, *c: Any) -> Any:
        return sum(ci * xi for ci, xi in zip(c, x))

    result = vesta.fit_many(f, tuple(columns), y, np.zeros(size), ftol=1e-18)
    expected = np.linalg.lstsq(columns.T, y.T, rcond=None)[0].T
    np.testing.assert_allclose(result.parameters, expected, atol=1e-6)
    variance = 2 * result.costs / (n - size)
    covariance = np.linalg.inv(columns @ columns.T) * variance[:, None, None]
    np.testing.assert_allclose(result.covariances, covariance, rtol=1e-7, atol=1e-12)


# --- Shapes and types -----------------------------------------------------------


def test_bits_do_not_depend_on_threads_or_other_fits() -> None:
    truth, y = decays((50,), noise=0.1)
    start = truth * 0.8
    first = vesta.fit_many(decay, T, y, start, num_threads=1)
    for threads in (2, 3, 8):
        for a, b in zip(first, vesta.fit_many(decay, T, y, start, num_threads=threads)):
            np.testing.assert_array_equal(a, b)
    for i in (0, 7, 49):
        one = vesta.fit_many(decay, T, y[i], start[i])
        assert one.costs.shape == ()
        np.testing.assert_array_equal(one.parameters, first.parameters[i])


def test_float32_is_read_as_it_is() -> None:
    truth, y = decays((6,), dtype=np.float32)
    narrow = vesta.fit_many(decay, T.astype(np.float32), y, truth.astype(np.float32))
    wide = vesta.fit_many(
        decay, T.astype(np.float32).astype(float), y.astype(float), truth.astype(np.float32).astype(float)
    )
    np.testing.assert_array_equal(narrow.parameters, wide.parameters)
    assert narrow.parameters.dtype == np.float64


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_arrays_need_not_be_contiguous(dtype: Any) -> None:
    truth, y = decays((3, 4), dtype=dtype)
    expected = vesta.fit_many(decay, T, y, truth)
    first_axis = np.moveaxis(np.ascontiguousarray(np.moveaxis(y, -1, 0)), 0, -1)
    backwards = np.ascontiguousarray(y[::-1, :, ::-1])[::-1, :, ::-1]
    wide = np.zeros((3, 4, 80), dtype)
    wide[..., ::2] = y
    fields = np.zeros((3, 4, 40), dtype=[("a", np.int8), ("y", dtype)])
    fields["y"] = y
    big = np.zeros((3, 4, 40), dtype=np.dtype(dtype).newbyteorder(">" if sys.byteorder == "little" else "<"))
    big[:] = y
    for other in (first_axis, backwards, wide[..., ::2], np.asfortranarray(y), fields["y"], big):
        result = vesta.fit_many(decay, T[::-1][::-1], other, np.asfortranarray(truth))
        np.testing.assert_array_equal(result.parameters, expected.parameters)


def test_integers_lists_and_numbers_are_taken() -> None:
    result = vesta.fit_many(lambda x, a, b: a + b * x, [0, 1, 2, 3], [[1, 3, 5, 7], [2, 3, 4, 5]], [0, 0])
    np.testing.assert_allclose(result.parameters, [[1, 2], [2, 1]], atol=1e-9)
    one = vesta.fit_many(lambda x, a: a + 0 * x, [0, 1, 2], [1.0, 2.0, 6.0], 0.0)
    np.testing.assert_allclose(one.parameters, [3.0], atol=1e-6)


def test_each_fit_may_have_its_own_x() -> None:
    truth, _ = decays((4,))
    t = np.sort(RNG.uniform(0, 4, (4, 40)), axis=1)
    y = decay(t, *truth.T[..., None]) + 0.01 * RNG.normal(size=t.shape)
    result = vesta.fit_many(decay, t, y, truth)
    for i in range(4):
        one = vesta.fit_many(decay, t[i], y[i], truth[i])
        np.testing.assert_array_equal(one.parameters, result.parameters[i])


def test_several_columns_of_x_are_a_tuple_for_the_model() -> None:
    gx, gy = (g.ravel() for g in np.meshgrid(np.arange(9.0), np.arange(8.0)))
    truth = np.array([3.0, 4.2, 3.6, 1.5, 0.8, 0.3])
    y = models.gaussian_2d((gx, gy), *truth) + np.zeros((5, 1))
    for x in ((gx, gy), [gx, gy], np.stack([gx, gy])):
        result = vesta.fit_many("gaussian_2d", x, y, truth * 1.1)
        np.testing.assert_allclose(result.parameters, np.tile(truth, (5, 1)), rtol=1e-6)


@pytest.mark.parametrize(
    "f",
    [
        lambda x, a: a - x,
        lambda x, a: np.exp(-x) * a,
        lambda x, a: a * np.exp(x),
        lambda x, a: 2 * x,
        lambda x, a: a * x,
    ],
)
@pytest.mark.parametrize("count", [1, 2])
def test_arithmetic_with_all_columns_names_its_line(f: Any, count: int) -> None:
    with pytest.raises(vesta.TracingError, match=f"test_fit_many.py:.*x has {count} column"):
        vesta.fit_many(f, np.ones((count, 40)), np.zeros((3, 40)), [1.0])
    result = vesta.fit_many(lambda x, a: a + 0 * x[-1], np.ones((count, 40)), np.ones((3, 40)), [0.5])
    np.testing.assert_allclose(result.parameters, 1.0)


def test_objects_that_are_numbers_are_taken() -> None:
    truth, y = decays((3,))
    y[1, 4] = np.nan
    expected = vesta.fit_many(decay, T, y, truth)
    objects = y.astype(object)
    objects[1, 4] = None
    result = vesta.fit_many(decay, T.astype(object), objects, truth.tolist())
    np.testing.assert_array_equal(result.parameters, expected.parameters)
    for bad in ([[1, 2], [1]], [object()] * 40, ["a"] * 40):
        with pytest.raises(ValueError, match="`y`: expected"):
            vesta.fit_many(decay, T, bad, [1, 1, 0])


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int16])
def test_masked_samples_are_missing(dtype: Any) -> None:
    truth, y = decays((3,))
    y = np.round(1000 * y).astype(dtype)
    start = truth * [1000, 1, 1000]
    hidden = RNG.random(y.shape) < 0.2
    expected = vesta.fit_many(decay, T, y, start, mask=~hidden)
    by_y = vesta.fit_many(decay, T, np.ma.array(y, mask=hidden), start)
    by_x = vesta.fit_many(decay, np.ma.array(np.tile(T, (3, 1)), mask=hidden), y, start)
    by_sigma = vesta.fit_many(decay, T, y, start, sigma=np.ma.array(np.ones(y.shape, dtype), mask=hidden))
    for result in (by_y, by_x, by_sigma):
        np.testing.assert_array_equal(result.parameters, expected.parameters)
    for name in ("p0", "mask"):
        options: Any = {"p0": start, name: np.ma.array(np.ones(3 if name == "p0" else 40, bool), mask=False)}
        options[name][1] = np.ma.masked
        with pytest.raises(ValueError, match=f"`{name}`: the array has masked values"):
            vesta.fit_many(decay, T, y, **options)


def test_defaults_of_a_model_may_be_parameters() -> None:
    truth, y = decays((3,))

    def f(t: Any, a: Any, tau: Any, c: Any = 0.1) -> Any:
        return decay(t, a, tau, c)

    three, two = vesta.fit_many(f, T, y, truth), vesta.fit_many(f, T, y, truth[:, :2])
    np.testing.assert_array_equal(three.parameters, vesta.fit_many(decay, T, y, truth).parameters)
    np.testing.assert_array_equal(
        two.parameters, vesta.fit_many(lambda t, a, tau: decay(t, a, tau, 0.1), T, y, truth[:, :2]).parameters
    )
    with pytest.raises(ValueError, match="2 or 3 parameters"):
        vesta.fit_many(f, T, y, [1.0])
    with pytest.raises(ValueError, match=r"1 parameters.*f\(x, a, b\)"):
        vesta.fit_many(lambda t, p: p[0] * t + p[1], T, y, [1.0, 1.0])


def test_bounds_may_be_those_of_scipy() -> None:
    truth, y = decays((3,))
    pair = vesta.fit_many(decay, T, y, truth, bounds=([0, 0, 0], [1.4, 2, 0.1]))
    result = vesta.fit_many(decay, T, y, truth, bounds=scipy.optimize.Bounds([0, 0, 0], [1.4, 2, 0.1]))
    np.testing.assert_array_equal(result.parameters, pair.parameters)


@pytest.mark.parametrize("origin", [0.0, 2.0**20, 2.0**30, 2.0**35])
def test_a_peak_is_found_far_from_the_origin(origin: float) -> None:
    x = np.arange(-24, 24) / 8.0
    y = models.gaussian(x, 2.0, 0.3, 0.8) + 0.02 * np.random.default_rng(1).normal(size=(20, 48))
    near = vesta.fit_many("gaussian", x, y, [1.6, 0.0, 1.0])
    far = vesta.fit_many("gaussian", x + origin, y, [1.6, origin, 1.0])
    np.testing.assert_allclose(far.costs, near.costs, rtol=1e-7)


def test_counts_may_be_those_of_numpy() -> None:
    truth, y = decays((3,))
    counts: Any = {"num_threads": np.int64(2), "max_iterations": np.int32(0)}
    result = vesta.fit_many(decay, T, y, truth, **counts)
    assert np.all(result.iterations == 0)


def test_no_fits_and_no_samples() -> None:
    result = vesta.fit_many(decay, T, np.zeros((0, 3, 40)), [1, 1, 0])
    assert result.parameters.shape == (0, 3, 3) and result.covariances.shape == (0, 3, 3, 3)
    empty = vesta.fit_many(decay, np.zeros(0), np.zeros((2, 0)), [1, 1, 0])
    assert np.all(empty.statuses == FitStatus.FAILED)


# --- Missing samples and failures --------------------------------------------------


def test_nan_and_masked_samples_are_left_out() -> None:
    truth, y = decays((3,))
    keep = np.ones(y.shape, dtype=bool)
    keep[0, 3] = keep[1, ::5] = keep[2, -1] = False
    holes = np.where(keep, y, np.nan)
    by_nan = vesta.fit_many(decay, T, holes, truth)
    by_mask = vesta.fit_many(decay, T, y, truth, mask=keep)
    for i in range(3):
        one = vesta.fit_many(decay, T[keep[i]], y[i, keep[i]], truth[i])
        np.testing.assert_array_equal(by_nan.parameters[i], one.parameters)
        np.testing.assert_array_equal(by_mask.covariances[i], one.covariances)
    weights = np.where(keep, 0.1, np.nan)
    by_sigma = vesta.fit_many(decay, T, y, truth, sigma=weights)
    np.testing.assert_allclose(by_sigma.parameters, by_nan.parameters, rtol=1e-5)


def test_a_mask_of_fits_and_of_samples() -> None:
    truth, y = decays((4, 3))
    inside = np.zeros((4, 3), dtype=bool)
    inside[1:3, 1] = True
    result = vesta.fit_many(decay, T, y, truth, mask=inside[..., None])
    np.testing.assert_array_equal(result.success, inside)
    assert np.isnan(result.costs[~inside]).all()
    np.testing.assert_array_equal(result.parameters[~inside], truth[~inside])
    samples = T > 0.5
    result = vesta.fit_many(decay, T, y, truth, mask=samples)
    np.testing.assert_array_equal(
        result.parameters, vesta.fit_many(decay, T[samples], y[..., samples], truth).parameters
    )


def test_a_fit_that_fails_does_not_disturb_others() -> None:
    truth, y = decays((20,))
    start = truth.copy()
    start[3, 1] = np.nan
    start[4, 1] = 0.0
    y[5] = np.nan
    y[6, 2] = np.inf
    result = vesta.fit_many(decay, T, y, start)
    bad = [3, 4, 5, 6]
    assert np.all(result.statuses[bad] == FitStatus.FAILED)
    assert np.isnan(result.costs[bad]).all() and np.isnan(result.covariances[bad]).all()
    good = np.setdiff1d(np.arange(20), bad)
    np.testing.assert_array_equal(
        result.parameters[good], vesta.fit_many(decay, T, y[good], start[good]).parameters
    )


def test_parameters_that_are_not_determined_have_infinite_covariance() -> None:
    result = vesta.fit_many(lambda x, a, b: a + b + 0 * x, T, np.ones((2, 40)), [0.3, 0.2])
    assert np.isinf(result.covariances).all()
    np.testing.assert_allclose(result.parameters.sum(axis=1), 1.0)


# --- Models -----------------------------------------------------------------------


@pytest.mark.parametrize(
    "name, truth",
    [
        ("gaussian", [2.0, 1.5, 0.6]),
        ("exponential", [2.0, 0.8]),
        ("biexponential", [2.0, 0.3, 1.0, 2.0]),
        ("lorentzian", [2.0, 1.5, 0.6]),
        ("voigt", [2.0, 1.5, 0.4, 0.3]),
        ("logistic", [2.0, 1.5, 0.4]),
        ("polynomial3", [1.0, -2.0, 0.5, 0.1]),
        ("gaussian + polynomial1", [2.0, 1.5, 0.4, 0.3, 0.1]),
        ("lorentzian+gaussian + polynomial0", [2.0, 1.0, 0.3, 1.0, 3.0, 0.4, 0.2]),
    ],
)
def test_ready_models_find_their_parameters(name: str, truth: Any) -> None:
    function, size = models.sum_of(name)
    assert size == len(truth)
    y = np.stack([function(T, *truth)] * 3)
    start = np.array(truth) * np.array([[1.05], [0.97], [1.02]])
    result = vesta.fit_many(name, T, y, start)
    assert result.success.all()
    np.testing.assert_allclose(result.parameters, np.tile(truth, (3, 1)), rtol=1e-5)


def test_voigt_is_that_of_scipy() -> None:
    x = np.linspace(-20, 20, 2001)
    for sigma, gamma in ((1.0, 1.0), (0.3, 2.0), (2.0, 0.01), (1.0, 1e-4)):
        expected = scipy.special.voigt_profile(x, sigma, gamma)
        np.testing.assert_allclose(models.voigt_profile(x, sigma, gamma), expected, rtol=1e-8, atol=1e-12)


FUNCTIONS: list[Any] = [
    lambda x, a, b: a + b * x - 2 / (3 + x**2),
    lambda x, a, b: np.exp(-a * x) + np.log(1 + b**2 + x),
    lambda x, a, b: np.sin(a * x) * np.cos(b * x) + np.tan(0.1 * a),
    lambda x, a, b: np.sqrt(1 + a**2 + x) ** 3 + (1 + x) ** b + 2.0**a,
    lambda x, a, b: np.arctan2(a, 1 + x) + np.arctan(b * x) + np.hypot(a, x),
    lambda x, a, b: np.arcsin(0.1 * a) + np.arccos(0.1 * b) + np.sinh(0.1 * x) + np.cosh(a) - np.tanh(b * x),
    lambda x, a, b: np.where(x < 2, a * x, b * x**2) + np.maximum(a, x) - np.minimum(b, x),
    lambda x, a, b: np.where((x > 1) & ~(x > 3) | (x == 0), a, b) + np.clip(a * x, 0.2, 1.5),
    lambda x, a, b: np.abs(a - x) + np.sign(x - 2) * b + np.heaviside(x - 1, 0.5) * a + np.floor(x) - np.ceil(x),
    lambda x, a, b: np.log10(1 + a**2) + np.log2(2 + x) + np.exp2(0.1 * b) + np.log1p(x) + np.expm1(0.1 * a),
    lambda x, a, b: scipy.special.erf(a * x) + scipy.special.erfc(b) + scipy.special.expit(x - a),
    lambda x, a, b: scipy.special.voigt_profile(x - 2, a, b),
    lambda x, a, b: np.square(a) + np.reciprocal(1 + x) + np.power(x + 1, 0.5) + np.deg2rad(a) + np.degrees(0.01 * b),
    lambda x, a, b: np.float64(2.0) * a + np.array(3.0) * x + np.negative(b) + (+a) + abs(-b) + np.fabs(x),
    lambda x, a, b: np.arcsinh(a * (x - 2)) + np.arccosh(1 + b * x) + np.arctanh(0.2 * a * (x - 2)),
    lambda x, a, b: np.cbrt(x - 2.03 * a) + np.copysign(a, x - 2) + np.trunc(3 * (x - 2)) * a + np.fix(x - 2),
    lambda x, a, b: np.sinc(a * (x - T[3])) + np.polyval([a, 2.0, b], x) + np.polyval(np.array([1.0, 2.0]), x) * a,
    lambda x, a, b: np.fmax(a * x, b) - np.fmin(x, a) + np.fmax(np.nan * x, a),
    lambda x, a, b: np.select([x < 1, x < 2], [a * x, b * x], a),
    lambda x, a, b: np.piecewise(x, [x < 1, x >= 3], [lambda x: a, b, 2.0 * a]),
    lambda x, a, b: np.piecewise(x, x < 1.5, [a, b]) + np.piecewise(x, [x < 1.5], [lambda x, k: a * x + k], 2.0),
    lambda x, a, b: a * np.ones_like(x) + np.zeros_like(x) + np.full_like(x, 3.0) + np.where(np.isnan(x), 7.0, b),
    lambda x, a, b: np.isfinite(x) * a + np.isinf(x) * 2.0 + np.isfinite(np.where(x > 1, x, np.inf)) * b,
    lambda x, a, b: np.logical_and(x > 1, x != 2) * a + np.logical_not(x >= 3) * b + np.logical_or(x < 1, a <= b),
]


# The value of the model, by the cost of a fit without a step, and its derivatives, by the covariance.
@pytest.mark.parametrize("number", range(len(FUNCTIONS)))
def test_functions_have_the_values_of_numpy(number: int) -> None:
    f = FUNCTIONS[number]
    a, b = 0.7, 0.4
    y = RNG.normal(size=40)
    result = vesta.fit_many(f, T, y, [a, b], max_iterations=0, absolute_sigma=True, fixed=[False, True])
    cost = 0.5 * np.sum((f(T, a, b) - y) ** 2)
    np.testing.assert_allclose(result.costs, cost, rtol=1e-9)
    h = 1e-6
    slope = (f(T, a + h, b) - f(T, a - h, b)) / (2 * h)
    np.testing.assert_allclose(result.covariances[0, 0] * np.sum(slope**2), 1.0, rtol=1e-5)


def _if(x: Any, a: Any) -> Any:
    if a > 0:  # line of the decision
        return a * x
    return x


@pytest.mark.parametrize(
    "f, what",
    [
        (_if, "decision"),
        (lambda x, a: math.exp(a) * x, "math.exp"),
        (lambda x, a: np.cumsum(x) * a, "add.accumulate|cumsum"),
        (lambda x, a: np.interp(x, [0, 1], [a, 2]), "interp"),
        (lambda x, a: a * x[0], "index"),
        (lambda x, a: a * len(x), "len"),
        (lambda x, a: a * np.arange(40.0), "shape"),
        (lambda x, a: np.array([a, 1.0])[0] * x, "array"),
        (lambda x, a: a * x.mean(), "mean"),
        (lambda x, a: np.gcd(x, 3) * a, "gcd"),
        (lambda x, a: [a * v for v in x], "loop"),
        (lambda x, a: a * x * 1j, "complex"),
        (lambda x, a: x % a, "operator %"),
        (lambda x, a: 3 // x, "operator //"),
        (lambda x, a: a @ x, "operator @"),
        (lambda x, a: divmod(a, x)[0], "operator %"),
        (lambda x, a: scipy.special.j0(a * x), "numba.cfunc"),
    ],
)
def test_what_cannot_be_recorded_names_its_line(f: Any, what: str) -> None:
    with pytest.raises(vesta.TracingError, match=what) as error:
        vesta.fit_many(f, T, np.zeros(40), [1.0])
    assert "test_fit_many.py:" in str(error.value)


def test_the_line_is_that_of_the_decision() -> None:
    with pytest.raises(vesta.TracingError) as error:
        vesta.fit_many(_if, T, np.zeros(40), [1.0])
    assert f"test_fit_many.py:{_if.__code__.co_firstlineno + 1}:" in str(error.value)


def test_errors_of_the_model_reach_the_caller() -> None:
    def broken(x: Any, a: Any) -> Any:
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        vesta.fit_many(broken, T, np.zeros(40), [1.0])


def test_the_example_of_the_docs_runs(source_folder: Any) -> None:
    snippet = source_folder.parent / "docs" / "snippets" / "many_fits.py"
    if not snippet.exists():
        pytest.skip("A source distribution has no docs.")
    text = snippet.read_text()
    names: dict[str, Any] = {}
    exec(compile(text, "many_fits.py", "exec"), names)
    assert np.abs(names["tau"] / names["truth"] - 1).max() < 0.2
    assert np.isfinite(names["error"]).all()
    assert np.nanmax(np.abs(names["t2"] / (80 * names["truth"]) - 1)) < 0.3
    assert names["late"].success.mean() > 0.9


# --- Control -------------------------------------------------------------------------


def test_progress_counts_to_the_end() -> None:
    truth, y = decays((250,))
    calls: list[tuple[int, int]] = []
    vesta.fit_many(decay, T, y, truth, num_threads=2, progress=lambda ended, all: calls.append((ended, all)))
    assert len(calls) == 100 and calls[-1] == (250, 250) and calls == sorted(calls)


def test_progress_is_shown_by_tqdm(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[int] = []

    class Bar:
        def __init__(self, total: int, unit: str) -> None:
            assert (total, unit) == (250, "fit")
            self.n = 0

        def __enter__(self) -> Bar:
            return self

        def __exit__(self, *error: Any) -> None:
            shown.append(self.n)

        def update(self, n: int) -> None:
            self.n += n

    truth, y = decays((250,))
    module = types.ModuleType("tqdm.auto")
    module.tqdm = Bar  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "tqdm", types.ModuleType("tqdm"))
    monkeypatch.setitem(sys.modules, "tqdm.auto", module)
    vesta.fit_many(decay, T, y, truth, progress=True)
    assert shown == [250]
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    with pytest.raises(ImportError, match="needs the package tqdm"):
        vesta.fit_many(decay, T, y, truth, progress=True)


def test_an_error_of_progress_reaches_the_caller() -> None:
    truth, y = decays((250,))

    def progress(ended: int, all: int) -> None:
        raise RuntimeError("enough")

    for threads in (1, 3):
        with pytest.raises(RuntimeError, match="enough"):
            vesta.fit_many(decay, T, y, truth, num_threads=threads, progress=progress)


def test_timeouts_and_tokens_stop() -> None:
    truth, y = decays((30,))
    result = vesta.fit_many(decay, T, y, truth, timeout=0.0)
    assert np.all(result.statuses == FitStatus.NOT_RUN) and np.isnan(result.costs).all()
    np.testing.assert_array_equal(result.parameters, truth)
    source = vesta.CancellationSource()
    stopped = vesta.fit_many(
        decay, T, np.tile(y, (20, 1)), np.tile(truth, (20, 1)),
        cancellation_token=source.token, progress=lambda ended, all: source.cancel() if ended > 300 else None,
    )  # fmt: skip
    assert 300 < stopped.success.sum() < 600
    assert np.any(stopped.statuses == FitStatus.NOT_RUN)


def test_statuses_tell_of_used_up_iterations() -> None:
    truth, y = decays((3,))
    result = vesta.fit_many(decay, T, y, truth * 1.5, max_iterations=1, covariance=False)
    assert np.all(result.statuses == FitStatus.MAX_ITERATIONS) and np.all(result.iterations == 1)
    assert result.covariances is None
    with pytest.raises(ValueError, match="covariance=False"):
        result.standard_errors


@pytest.mark.parametrize(
    "changes, message",
    [
        ({"y": 1.0}, "`y`"),
        ({"y": np.zeros((2, 40), complex)}, "`y`"),
        ({"x": np.zeros(39)}, "`x`"),
        ({"x": (T, T[:3])}, r"`x\[1\]`"),
        ({"p0": [1.0, 2.0]}, "`p0`"),
        ({"p0": np.ones((3, 3))}, "`p0`"),
        ({"p0": ["a", "b", "c"]}, "`p0`"),
        ({"sigma": 0.0}, "`sigma`"),
        ({"sigma": np.ones(3)}, "`sigma`"),
        ({"bounds": 3}, "`bounds`"),
        ({"bounds": ([0, 0], [1, 1])}, "`bounds`"),
        ({"bounds": (1, 0)}, "`bounds`"),
        ({"loss": "other"}, "`loss`"),
        ({"f_scale": 0}, "`f_scale`"),
        ({"mask": np.ones(40)}, "`mask`"),
        ({"mask": np.ones(3, bool)}, "`mask`"),
        ({"fixed": [True]}, "`fixed`"),
        ({"num_threads": 0}, "`num_threads`"),
        ({"max_iterations": -1}, "`max_iterations`"),
        ({"max_iterations": 2**40}, "`max_iterations`"),
        ({"max_iterations": 1e2}, "`max_iterations`"),
        ({"num_threads": True}, "`num_threads`"),
        ({"y": np.zeros((40, 2))}, "last dimension of y"),
        ({"ftol": -1}, "`ftol`"),
        ({"timeout": np.nan}, "`timeout`"),
        ({"model": "gauss"}, "gauss"),
    ],
)
def test_wrong_arguments_are_named(changes: Any, message: str) -> None:
    arguments: Any = {"model": decay, "x": T, "y": np.zeros((2, 40)), "p0": [1.0, 1.0, 0.0], **changes}
    with pytest.raises(ValueError, match=message):
        vesta.fit_many(**arguments)


def test_models_of_wrong_type_are_refused() -> None:
    with pytest.raises(TypeError, match="model"):
        vesta.fit_many(3, T, np.zeros(40), [1.0])  # type: ignore[arg-type]


# --- Compiled models -------------------------------------------------------------------

C_SOURCE = """
#include <math.h>
#include <stdint.h>
double of_numbers(double t, double a, double tau, double c) { return a * exp(-t / tau) + c; }
double of_sample(double t, const double* p) { return of_numbers(t, p[0], p[1], p[2]); }
double of_row(const double* x, const double* p) { return of_numbers(x[0], p[0], p[1], p[2]); }
void of_array(int64_t n, const double* x, const double* p, double* out) {
  for (int64_t i = 0; i < n; ++i) out[i] = of_numbers(x[i], p[0], p[1], p[2]);
}
void jac_of_sample(double t, const double* p, double* out) {
  const double e = exp(-t / p[1]);
  out[0] = e;
  out[1] = p[0] * e * t / (p[1] * p[1]);
  out[2] = 1.0;
}
void jac_of_row(const double* x, const double* p, double* out) { jac_of_sample(x[0], p, out); }
void jac_of_array(int64_t n, const double* x, const double* p, double* out) {
  for (int64_t i = 0; i < n; ++i) jac_of_sample(x[i], p, out + 3 * i);
}
double plane(double u, double v, double a, double b) { return a * u + b * v; }
double plane_of_row(const double* x, const double* p) { return p[0] * x[0] + p[1] * x[1]; }
void plane_of_array(int64_t n, const double* x, const double* p, double* out) {
  for (int64_t i = 0; i < n; ++i) out[i] = p[0] * x[i] + p[1] * x[n + i];
}
double root(double x, const double* p) { return p[0] * sqrt(x - p[1]); }
double broken_beyond(double x, const double* p) { return p[0] > 1.5 ? NAN : p[0] + 0.0 * x; }
double of_many(double a0, double a1, double a2, double a3, double a4, double a5, double a6, double a7, double a8,
               double a9, double a10, double a11, double a12, double a13, double a14, double a15) {
  const double x = a0;
  const double p[] = {a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15};
  double sum = 0.0;
  for (int j = 0; j < 15; ++j) sum += p[j] * cos(j * x);
  return sum;
}
"""

NUMBER, POINTER, COUNT = ctypes.c_double, ctypes.POINTER(ctypes.c_double), ctypes.c_int64
SIGNATURES: Any = {
    "of_numbers": (NUMBER, [NUMBER] * 4),
    "of_sample": (NUMBER, [NUMBER, POINTER]),
    "of_row": (NUMBER, [POINTER, POINTER]),
    "of_array": (None, [COUNT, POINTER, POINTER, POINTER]),
    "jac_of_sample": (None, [NUMBER, POINTER, POINTER]),
    "jac_of_row": (None, [POINTER, POINTER, POINTER]),
    "jac_of_array": (None, [COUNT, POINTER, POINTER, POINTER]),
    "plane": (NUMBER, [NUMBER] * 4),
    "plane_of_row": (NUMBER, [POINTER, POINTER]),
    "plane_of_array": (None, [COUNT, POINTER, POINTER, POINTER]),
    "root": (NUMBER, [NUMBER, POINTER]),
    "broken_beyond": (NUMBER, [NUMBER, POINTER]),
    "of_many": (NUMBER, [NUMBER] * 16),
}


@pytest.fixture(scope="session")
def code(tmp_path_factory: pytest.TempPathFactory) -> Any:
    compiler = next((c for c in ("cc", "gcc", "clang") if shutil.which(c)), None)
    if compiler is None:
        pytest.skip("There is no C compiler.")
    folder = tmp_path_factory.mktemp("models")
    (folder / "models.c").write_text(C_SOURCE)
    library = folder / "models.so"
    subprocess.run([compiler, "-O2", "-shared", "-fPIC", "-o", library, folder / "models.c", "-lm"], check=True)
    functions = ctypes.CDLL(str(library))
    for name, (result, arguments) in SIGNATURES.items():
        getattr(functions, name).restype, getattr(functions, name).argtypes = result, arguments
    return functions


FORMS = ["of_numbers", "of_sample", "of_row", "of_array"]


@pytest.mark.parametrize("jac", [None, "jac_of_sample", "jac_of_row", "jac_of_array"])
@pytest.mark.parametrize("form", FORMS)
def test_compiled_models_give_what_recorded_ones_give(code: Any, form: str, jac: str | None) -> None:
    truth, y = decays((3, 5))
    recorded = vesta.fit_many(decay, T, y, truth * 1.2)
    result = vesta.fit_many(
        getattr(code, form), T, y, truth * 1.2, jac=None if jac is None else getattr(code, jac)
    )
    assert result.success.all()
    np.testing.assert_allclose(result.costs, recorded.costs, rtol=1e-12)
    np.testing.assert_allclose(result.parameters, recorded.parameters, rtol=1e-5)
    np.testing.assert_allclose(result.covariances, recorded.covariances, rtol=1e-4, atol=1e-12)


def test_forms_of_compiled_models_have_the_same_bits(code: Any) -> None:
    truth, y = decays((40,))
    first = vesta.fit_many(code.of_numbers, T, y, truth * 1.2, num_threads=1)
    for form in FORMS:
        for threads in (1, 2, 3, 8):
            other = vesta.fit_many(getattr(code, form), T, y, truth * 1.2, num_threads=threads)
            for a, b in zip(first, other):
                np.testing.assert_array_equal(a, b)
    one = vesta.fit_many(code.of_sample, T, y[7], truth[7] * 1.2)
    np.testing.assert_array_equal(one.parameters, first.parameters[7])


@pytest.mark.parametrize(
    "options",
    [
        {"loss": "huber", "f_scale": 0.05},
        {"loss": lambda z: np.log1p(z), "f_scale": 0.05},
        {"sigma": np.linspace(0.01, 0.05, 40), "absolute_sigma": True},
        {"mask": T > 0.5},
        {"bounds": ([0, 0, 0], [1.4, np.inf, 0.1])},
        {"bounds": ([0, 0, 0.1], [2, 2, 0.1])},
        {"fixed": [False, False, True]},
        {"covariance": False},
    ],
)
@pytest.mark.parametrize("jac", [None, "jac_of_sample"])
def test_options_are_those_of_recorded_models(code: Any, options: Any, jac: str | None) -> None:
    truth, y = decays((9,))
    y[2, 5] = np.nan
    y[:, ::9] += 0.3
    start = truth * 1.2
    start[:, 2] = 0.1
    recorded = vesta.fit_many(decay, T, y, start, **options)
    result = vesta.fit_many(
        code.of_sample, T, y, start, jac=None if jac is None else getattr(code, jac), **options
    )
    np.testing.assert_array_equal(result.statuses, recorded.statuses)
    np.testing.assert_allclose(result.costs, recorded.costs, rtol=1e-9)
    np.testing.assert_allclose(result.parameters, recorded.parameters, rtol=1e-4, atol=1e-5)
    if result.covariances is not None:
        np.testing.assert_allclose(result.covariances, recorded.covariances, rtol=1e-3, atol=1e-9)


@pytest.mark.parametrize("form", ["plane", "plane_of_row", "plane_of_array"])
def test_compiled_models_take_several_columns(code: Any, form: str) -> None:
    u, v = RNG.normal(size=(2, 30))
    truth = RNG.normal(size=(6, 2))
    y = truth[:, :1] * u + truth[:, 1:] * v
    result = vesta.fit_many(getattr(code, form), (u, v), y, np.zeros(2))
    np.testing.assert_allclose(result.parameters, truth, atol=1e-7)
    y[1, 3] = np.nan
    result = vesta.fit_many(getattr(code, form), (u, v), y, np.zeros(2))
    np.testing.assert_allclose(result.parameters, truth, atol=1e-7)


def test_a_compiled_model_may_have_sixteen_numbers(code: Any) -> None:
    x = np.linspace(0, 3, 60)
    truth = RNG.normal(size=15)
    y = sum(c * np.cos(j * x) for j, c in enumerate(truth))
    result = vesta.fit_many(code.of_many, x, y, np.zeros(15))
    np.testing.assert_allclose(result.costs, 0.0, atol=1e-12)


@pytest.mark.parametrize("unit_x, unit_y", [(1e-9, 1.0), (1e9, 1e-9), (1.0, 1e9), (1e-9, 1e-9)])
def test_differences_do_not_depend_on_units(code: Any, unit_x: float, unit_y: float) -> None:
    truth, y = decays((6,))
    units = np.array([unit_y, unit_x, unit_y])
    plain = vesta.fit_many(code.of_sample, T, y, truth * 1.2)
    result = vesta.fit_many(code.of_sample, T * unit_x, y * unit_y, truth * 1.2 * units)
    np.testing.assert_allclose(result.parameters, plain.parameters * units, rtol=1e-5)


def test_differences_stay_in_the_domain(code: Any) -> None:
    # sqrt(x - p1) has no value for p1 > 1, the first x.
    x = np.linspace(1, 3, 20)
    y = 2 * np.sqrt(x - 0.9)
    result = vesta.fit_many(code.root, x, y, [1.5, 1.0 - 1e-9])
    np.testing.assert_allclose(result.parameters, [2.0, 0.9], rtol=1e-5)
    bounded = vesta.fit_many(code.root, x, 2 * np.sqrt(x - 1), [1.5, 0.5], bounds=([0, -1], [5, 1]))
    np.testing.assert_allclose(bounded.parameters, [2.0, 1.0], rtol=1e-4)


def test_compiled_models_may_fail(code: Any) -> None:
    result = vesta.fit_many(code.broken_beyond, T, np.array([np.full(40, 1.2), np.full(40, 4.0)]), [[1.0], [1.7]])
    assert list(result.statuses) == [FitStatus.CONVERGED, FitStatus.FAILED]
    np.testing.assert_array_equal(result.parameters[1], 1.7)
    np.testing.assert_allclose(result.parameters[0], 1.2)
    # Every step towards 4 is rejected that goes beyond 1.5.
    far = vesta.fit_many(code.broken_beyond, T, np.full(40, 4.0), [1.0])
    assert 1.0 < far.parameters[0] <= 1.5


def test_compiled_models_stop(code: Any) -> None:
    truth, y = decays((30,))
    result = vesta.fit_many(code.of_sample, T, y, truth, timeout=0.0)
    assert np.all(result.statuses == FitStatus.NOT_RUN)


def test_python_functions_of_ctypes_are_called(code: Any) -> None:
    truth, y = decays((3,))
    slow = ctypes.CFUNCTYPE(NUMBER, NUMBER, POINTER)(lambda t, p: p[0] * math.exp(-t / p[1]) + p[2])
    result = vesta.fit_many(slow, T, y, truth * 1.2, num_threads=2)
    expected = vesta.fit_many(code.of_sample, T, y, truth * 1.2)
    np.testing.assert_allclose(result.parameters, expected.parameters, rtol=1e-6)


def test_low_level_callables_are_called(code: Any) -> None:
    truth, y = decays((3,))
    expected = vesta.fit_many(code.of_sample, T, y, truth)
    for form in FORMS:
        callable_ = scipy.LowLevelCallable(getattr(code, form))
        result = vesta.fit_many(callable_, T, y, truth, jac=scipy.LowLevelCallable(code.jac_of_array))
        np.testing.assert_allclose(result.parameters, expected.parameters, rtol=1e-6)
    with_data = scipy.LowLevelCallable(code.of_sample, ctypes.c_void_p(3))
    with pytest.raises(ValueError, match="user_data"):
        vesta.fit_many(with_data, T, y, truth)


def test_functions_of_numba_are_called() -> None:
    numba = pytest.importorskip("numba")

    @numba.cfunc("float64(float64, CPointer(float64))")
    def of_sample(t: Any, p: Any) -> Any:
        return p[0] * math.exp(-t / p[1]) + p[2]

    @numba.cfunc("float64(float64, float64, float64, float64)")
    def of_numbers(t: Any, a: Any, tau: Any, c: Any) -> Any:
        return a * math.exp(-t / tau) + c

    @numba.cfunc("void(int64, CPointer(float64), CPointer(float64), CPointer(float64))")
    def jac(n: Any, x: Any, p: Any, out: Any) -> None:
        rows = numba.carray(out, (n, 3))
        for i in range(n):
            e = math.exp(-x[i] / p[1])
            rows[i, 0], rows[i, 1], rows[i, 2] = e, p[0] * e * x[i] / p[1] ** 2, 1.0

    truth, y = decays((30,))
    expected = vesta.fit_many(decay, T, y, truth * 1.2)
    for f in (of_sample, of_numbers):
        for threads in (1, 3):
            for j in (None, jac):
                result = vesta.fit_many(f, T, y, truth * 1.2, jac=j, num_threads=threads)
                np.testing.assert_allclose(result.parameters, expected.parameters, rtol=1e-5)


def test_the_compiled_example_of_the_docs_runs(source_folder: Any) -> None:
    pytest.importorskip("numba")
    snippet = source_folder.parent / "docs" / "snippets" / "many_fits_compiled.py"
    if not snippet.exists():
        pytest.skip("A source distribution has no docs.")
    names: dict[str, Any] = {}
    exec(compile(snippet.read_text(), "many_fits_compiled.py", "exec"), names)
    assert names["result"].success.all()
    assert np.abs(names["result"].parameters[..., 1] / names["rates"] - 1).max() < 0.1


def test_jitted_functions_are_recorded() -> None:
    numba = pytest.importorskip("numba")
    truth, y = decays((3,))
    result = vesta.fit_many(numba.njit(decay), T, y, truth)
    np.testing.assert_array_equal(result.parameters, vesta.fit_many(decay, T, y, truth).parameters)


def test_other_signatures_are_refused_by_name(code: Any) -> None:
    def fit(model: Any, **options: Any) -> None:
        vesta.fit_many(model, options.pop("x", T), np.zeros(40), [1.0, 1.0, 0.0], **options)

    float_pointer = ctypes.POINTER(ctypes.c_float)
    for result, arguments, text in [
        (NUMBER, [POINTER, NUMBER], r"double\(double\*,double\)"),
        (NUMBER, [NUMBER, float_pointer], r"double\(double,c_float\*\)"),
        (ctypes.c_float, [NUMBER, POINTER], r"c_float\(double,double\*\)"),
        (None, [ctypes.c_int32, POINTER, POINTER, POINTER], r"void\(c_int,"),
        (NUMBER, [NUMBER] * 17, r"double\((double,){16}double\)[\s\S]*at most 16 arguments"),
        (NUMBER, [], r"double\(\)"),
    ]:
        with pytest.raises(TypeError, match=f"model: .*{text}[\\s\\S]*CPointer"):
            fit(ctypes.CFUNCTYPE(result, *arguments)(lambda *a: 0.0))
    with pytest.raises(TypeError, match=r"jac: .*double\(double,double\*\)[\s\S]*writes out"):
        fit(code.of_sample, jac=code.of_sample)
    with pytest.raises(TypeError, match="jac: expected a compiled function"):
        fit(code.of_sample, jac=lambda x, p: x)
    with pytest.raises(TypeError, match="2 columns"):
        fit(code.of_sample, x=(T, T))
    with pytest.raises(TypeError, match="jac: only a compiled model"):
        fit(decay, jac=code.jac_of_sample)
    with pytest.raises(ValueError, match="`p0`"):
        vesta.fit_many(code.of_numbers, T, np.zeros(40), [1.0, 1.0])
    without_types = ctypes.CDLL(None).abs
    with pytest.raises(TypeError, match="argtypes"):
        fit(without_types)
