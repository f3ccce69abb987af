# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""curve_fit beside SciPy's."""

import warnings

import numpy as np
import pytest

from vesta import OptimizeWarning, curve_fit

scipy_optimize = pytest.importorskip("scipy.optimize")


def func(x, a, b, c):
    return a * np.exp(-b * x) + c


@pytest.fixture
def data(rng):
    x = np.linspace(0, 4, 50)
    return x, func(x, 2.5, 1.3, 0.5) + 0.2 * rng.normal(size=50)


def agree(ours, theirs):
    np.testing.assert_allclose(ours[0], theirs[0], rtol=1e-4)
    np.testing.assert_allclose(ours[1], theirs[1], rtol=1e-3)


def test_documented_example(data):
    x, y = data
    agree(curve_fit(func, x, y), scipy_optimize.curve_fit(func, x, y))
    bounds = (0, [3.0, 1.0, 0.5])
    popt, _ = curve_fit(func, x, y, bounds=bounds)
    expected, _ = scipy_optimize.curve_fit(func, x, y, bounds=bounds)
    np.testing.assert_allclose(popt, expected, atol=1e-5)


@pytest.mark.parametrize("absolute", [False, True])
def test_standard_deviations(data, absolute):
    x, y = data
    sigma = np.linspace(0.1, 0.4, 50)
    agree(curve_fit(func, x, y, sigma=sigma, absolute_sigma=absolute),
          scipy_optimize.curve_fit(func, x, y, sigma=sigma, absolute_sigma=absolute))  # fmt: skip


def test_covariance_of_data(data):
    x, y = data
    covariance = 0.04 * (np.eye(50) + 0.3 * np.eye(50, k=1) + 0.3 * np.eye(50, k=-1))
    agree(curve_fit(func, x, y, sigma=covariance, absolute_sigma=True),
          scipy_optimize.curve_fit(func, x, y, sigma=covariance, absolute_sigma=True))  # fmt: skip
    with pytest.raises(ValueError, match="positive definite"):
        curve_fit(func, x, y, sigma=-covariance)


def test_jacobian_function(data):
    x, y = data

    def jac(x, a, b, c):
        return np.stack([np.exp(-b * x), -a * x * np.exp(-b * x), np.ones_like(x)], axis=1)

    agree(curve_fit(func, x, y, jac=jac), scipy_optimize.curve_fit(func, x, y, jac=jac))
    agree(curve_fit(func, x, y, jac="autodiff"), scipy_optimize.curve_fit(func, x, y, jac=jac))


def test_line_has_the_covariance_of_linear_regression(rng):
    x = np.arange(10.0)
    y = 3 * x - 1 + rng.normal(size=10)
    popt, pcov = curve_fit(lambda x, a, b: a * x + b, x, y, sigma=np.ones(10), absolute_sigma=True)
    design = np.stack([x, np.ones(10)], axis=1)
    np.testing.assert_allclose(popt, np.linalg.lstsq(design, y, rcond=None)[0], rtol=1e-6)
    np.testing.assert_allclose(pcov, np.linalg.inv(design.T @ design), rtol=1e-6)


def test_full_output(data):
    x, y = data
    popt, pcov, info, message, status = curve_fit(func, x, y, full_output=True)
    assert info["nfev"] > 0 and info["fvec"].shape == (50,) and isinstance(message, str) and status in (1, 2, 3, 4)


def test_undetermined_parameter_warns():
    with pytest.warns(OptimizeWarning, match="could not be estimated"):
        _, pcov = curve_fit(lambda x, a, b: a * x + 0 * b, np.arange(5.0), np.arange(5.0))
    assert np.all(np.isinf(pcov))


def test_missing_values(data):
    x, y = data
    y = y.copy()
    y[3] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        curve_fit(func, x, y)
    with pytest.raises(ValueError, match="NaN"):
        curve_fit(func, x, y, nan_policy="raise")
    omitted = curve_fit(func, x, y, nan_policy="omit", check_finite=False)
    keep = np.arange(50) != 3
    agree(omitted, curve_fit(func, x[keep], y[keep]))


def test_mistakes_are_named(data):
    x, y = data
    with pytest.raises(TypeError, match="must not exceed"):
        curve_fit(func, x[:2], y[:2])
    with pytest.raises(ValueError, match="Pass p0"):
        curve_fit(lambda x, *p: x, x, y)
    with pytest.raises(ValueError, match="empty"):
        curve_fit(func, [], [])
    with pytest.raises(RuntimeError, match="Optimal parameters not found"):
        curve_fit(func, x, y, p0=[100, 0.001, -50], maxfev=2)


def test_several_independent_variables(rng):
    x = rng.normal(size=(2, 100))
    y = 2 * x[0] + 3 * x[1] ** 2
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        popt, _ = curve_fit(lambda x, a, b: a * x[0] + b * x[1] ** 2, x, y)
    np.testing.assert_allclose(popt, [2, 3], rtol=1e-6)
