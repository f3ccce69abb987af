# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""Fits that end at the start or in a worse minimum where units, first steps or differences are chosen badly."""

import warnings

import numpy as np
import pytest

from vesta import curve_fit, least_squares

scipy_optimize = pytest.importorskip("scipy.optimize")


def decay(t, a, tau, c):
    return a * np.exp(-t / tau) + c


# --- Units.


@pytest.mark.parametrize("unit_of_t", [1e-12, 1e-6, 1.0, 1e9])
@pytest.mark.parametrize("unit_of_y", [1e-15, 1e-9, 1.0, 1e12])
@pytest.mark.parametrize("bounded", [False, True])
def test_parameters_do_not_depend_on_units(rng, unit_of_t, unit_of_y, bounded):
    t = np.linspace(0, 5, 60)
    y = decay(t, 3.0, 1.7, 0.2) + 0.01 * rng.normal(size=60)
    units = np.array([unit_of_y, unit_of_t, unit_of_y])
    arguments = dict(bounds=(np.zeros(3), 10 * units)) if bounded else {}
    expected = scipy_optimize.curve_fit(decay, t, y, p0=[1, 1, 0.1], ftol=1e-14, xtol=1e-14, gtol=1e-14)
    params, covariance = curve_fit(decay, t * unit_of_t, y * unit_of_y, p0=[1, 1, 0.1] * units, **arguments)
    np.testing.assert_allclose(params / units, expected[0], rtol=1e-5)
    np.testing.assert_allclose(covariance / np.outer(units, units), expected[1], rtol=1e-3)


@pytest.mark.parametrize("method", ["trf", "dogbox", "lm"])
@pytest.mark.parametrize("unit", [1e-9, 1e-5, 1e5])
def test_x_scale_does_not_end_a_fit_at_the_start(method, unit):
    result = least_squares(lambda p: np.array([p[0] - 3, 2 * (p[1] - 5), p[0] * p[1] - 15]), [1.0, 1.0], x_scale=unit, method=method)
    np.testing.assert_allclose(result.x, [3, 5], rtol=1e-6)


@pytest.mark.parametrize("size", [1e-23, 1e-9, 1e12])
def test_variables_of_any_size(size):
    target = np.array([1.38 * size, 300.0])
    result = least_squares(lambda p: np.array([p[0] * p[1], p[0] * 2 + p[0] * p[1] ** 2 / 1e3]) / size
                           - np.array([1.38 * 300, 2.76 + 1.38 * 90]), [size, 250.0])  # fmt: skip
    np.testing.assert_allclose(result.x, target, rtol=1e-5)


# --- Differences.


@pytest.mark.parametrize("jac", ["2-point", "3-point"])
@pytest.mark.parametrize("kind", [np.float32, np.float16])
def test_steps_fit_the_precision_of_the_result(kind, jac):
    x = np.linspace(0, 1, 100).astype(kind)
    y = (0.5 + 0.3 * x + 0.05 * np.sin(np.arange(100) * 7)).astype(kind)
    line = np.polyfit(x.astype(float), y.astype(float), 1)[::-1]
    result = least_squares(lambda p: (kind(p[0]) + kind(p[1]) * x - y).astype(kind), [-1.0, -1.0], jac=jac)
    np.testing.assert_allclose(result.x, line, atol=200 * np.finfo(kind).eps)


def test_results_of_jax():
    jnp = pytest.importorskip("jax.numpy")

    def fun(p):
        return jnp.stack([10 * (p[1] - p[0] ** 2), 1 - p[0]])

    np.testing.assert_allclose(least_squares(fun, [2.0, 2.0]).x, [1, 1], atol=1e-4)
    exact = least_squares(fun, [2.0, 2.0], jac="jax")
    np.testing.assert_allclose(exact.x, [1, 1], atol=1e-9)
    t = np.linspace(0, 3, 30)
    params, _ = curve_fit(lambda t, a, b: a * jnp.exp(-b * t), t, 2 * np.exp(-0.7 * t), jac="jax")
    np.testing.assert_allclose(params, [2, 0.7], rtol=1e-7)


@pytest.mark.parametrize("jac", ["2-point", "3-point"])
@pytest.mark.parametrize("method", ["trf", "dogbox", "lm"])
def test_functions_may_return_the_same_array_again(jac, method):
    buffer = np.empty(2)

    def fun(x):
        buffer[:] = [10 * (x[1] - x[0] ** 2), 1 - x[0]]
        return buffer

    np.testing.assert_allclose(least_squares(fun, [2, 2], jac=jac, method=method).x, [1, 1], atol=1e-6)


@pytest.mark.parametrize("start", [1e-300, -1e-30, 1e-9, 0.0])
def test_a_start_that_is_nearly_zero(start):
    np.testing.assert_allclose(least_squares(lambda x: x * 3 - 6, [start]).x, [2], rtol=1e-6)


def test_a_jacobian_that_is_not_finite_at_a_trial_point():
    def jac(x):
        return np.array([[1 / np.sqrt(x[0]) if x[0] > 0 else np.nan]])

    result = least_squares(lambda x: 2 * np.sqrt(np.maximum(x, 0)) - 0.2, [4.0], jac=jac)
    np.testing.assert_allclose(result.x, [0.01], rtol=1e-4)
    failed = least_squares(lambda x: x, [4.0], jac=lambda x: np.array([[np.nan]]))
    assert failed.status == -1 and not failed.success and "not finite" in failed.message


# --- Starts.


def peaks(p, t):
    p = p.reshape(-1, 3, 1)
    return np.sum(p[:, 0] * np.exp(-0.5 * ((t - p[:, 1]) / p[:, 2]) ** 2), axis=0)


@pytest.mark.parametrize("method, bounded", [("trf", True), ("dogbox", True), ("trf", False)])
def test_as_many_random_starts_find_peaks_as_with_scipy(method, bounded):
    t = np.linspace(0, 10, 60)
    rng = np.random.default_rng(11)
    y = peaks(np.array([3, 2.5, 1.0, 2, 6, 1.3]), t) + 0.05 * rng.normal(size=60)
    low, high = np.tile([0, 0, 0.1], 2), np.tile([10.0, 10, 4], 2)
    arguments = dict(bounds=(low, high)) if bounded else {}
    costs = []
    with np.errstate(all="ignore"):
        for start in low + (high - low) * rng.random((60, 6)):
            costs.append([
                solver(lambda p: peaks(p, t) - y, start, method=method, max_nfev=100, **arguments).cost
                for solver in (least_squares, scipy_optimize.least_squares)
            ])  # fmt: skip
    ours, theirs = np.sum(np.array(costs) < 1.01 * np.min(costs), axis=0)
    assert ours >= theirs > 0


def test_a_start_on_a_bound_leaves_it():
    t = np.linspace(0, 4, 40)
    y = decay(t, 2.0, 1.5, 0.5)
    for p0 in ([0.0, 1.0, 0.0], [10.0, 10.0, 10.0], [0.0, 10.0, 0.0]):
        params, covariance = curve_fit(decay, t, y, p0=p0, bounds=([0, 0.1, 0], [10, 10, 10]))
        np.testing.assert_allclose(params, [2, 1.5, 0.5], rtol=1e-4)
        assert np.all(np.isfinite(covariance))


@pytest.mark.parametrize("method", ["trf", "dogbox"])
@pytest.mark.parametrize("jac", ["2-point", "3-point", "cs"])
@pytest.mark.parametrize("unit", [1.0, 1e3, 1e6])
def test_a_fit_whose_residuals_vanish_takes_no_step_that_changes_nothing(method, jac, unit):
    """Broyden's tridiagonal equations; unit: of x. The model promises all of the cost, however little is left."""

    def equations(x):
        x = np.asarray(x) / unit
        f = (3.0 - x) * x + 1.0
        f[1:] -= x[:-1]
        f[:-1] -= 2.0 * x[1:]
        return f

    result = least_squares(equations, -np.full(60, unit), jac=jac, method=method)
    assert result.status == 1
    np.testing.assert_allclose(equations(result.x), 0.0, atol=1e-9)
    # SciPy's count for unit = 1. With larger units the gradient is below gtol from the start on.
    assert result.nfev == 5


def test_a_failing_fit_keeps_to_the_limit():
    calls = []

    def f(t, a, tau, c):
        calls.append(1)
        return decay(t, a, tau, c)

    t = np.linspace(0, 4, 40)
    for limit in (5, 20):
        calls.clear()
        with pytest.raises(RuntimeError, match="maxfev"):
            curve_fit(f, t, decay(t, 2.0, 1.5, 0.5), p0=[100, 0.01, -50], maxfev=limit)
        # As in MINPACK, the differences at the last point are completed.
        assert len(calls) <= limit + 3


# --- curve_fit takes what SciPy takes.


def test_data_of_any_kind():
    t = np.linspace(0, 1, 9)
    y = 2 + 3 * t
    line = dict(rtol=1e-7)
    np.testing.assert_allclose(curve_fit(lambda _, a, b: a + b * t, None, y)[0], [2, 3], **line)
    np.testing.assert_allclose(curve_fit(lambda d, a, b: a + b * d["t"], {"t": t}, y)[0], [2, 3], **line)
    np.testing.assert_allclose(curve_fit(lambda z, a, b: a + b * z.imag, 1j * t, y)[0], [2, 3], **line)
    np.testing.assert_allclose(curve_fit(lambda x, a, b: np.r_[a + b * x, a - b * x], t, np.r_[y, 4 - y])[0], [2, 3], **line)
    np.testing.assert_allclose(curve_fit(lambda x, a: a, t, np.full(9, 4.0), sigma=0.1)[0], [4], **line)
    table = np.column_stack([t, y])
    np.testing.assert_allclose(curve_fit(lambda x, a, b: a + b * x, table[:, 0], table[:, 1], sigma=table[:, 1])[0], [2, 3], **line)
    with pytest.raises(ValueError, match="real and imaginary"):
        curve_fit(lambda x, a: a * x, t, 1j * y)


def test_arguments_of_leastsq():
    t = np.linspace(0, 3, 30)
    y = decay(t, 2.0, 1.5, 0.5) + 0.01 * np.sin(9 * t)

    def columns(t, a, tau, c):
        return np.stack([np.exp(-t / tau), a * t / tau**2 * np.exp(-t / tau), np.ones_like(t)])

    arguments = dict(jac=columns, col_deriv=1, factor=10.0, diag=[1.0, 2.0, 3.0], full_output=True)
    ours = curve_fit(decay, t, y, **arguments)
    theirs = scipy_optimize.curve_fit(decay, t, y, **arguments)
    np.testing.assert_allclose(ours[0], theirs[0], rtol=1e-6)
    r = np.triu(ours[2]["fjac"].T[:3])
    order = ours[2]["ipvt"] - 1
    jac = columns(t, *ours[0]).T
    np.testing.assert_allclose(r.T @ r, (jac.T @ jac)[np.ix_(order, order)], rtol=1e-4)
    np.testing.assert_allclose(np.abs(ours[2]["qtf"][0]), np.abs(jac[:, order[0]] @ ours[2]["fvec"]) / np.abs(r[0, 0]), rtol=1e-3, atol=1e-8)


def test_messages_name_the_arguments_of_curve_fit():
    t = np.arange(5.0)
    for arguments in (dict(p0=[5.0], bounds=(0, 1)), dict(p0=[[1.0]])):
        with pytest.raises(ValueError, match="p0") as error:
            curve_fit(lambda t, a: a * t, t, t, **arguments)
        assert "x0" not in str(error.value)
    with pytest.raises(TypeError, match="unexpected keyword argument 'speed'"):
        curve_fit(lambda t, a: a * t, t, t, speed=1)


def test_options_reach_the_solver():
    arguments = dict(fun=lambda x: np.array([10 * (x[1] - x[0] ** 2), 1 - x[0]]), x0=[-1.2, 1.0])
    assert least_squares(**arguments, options={"max_num_iterations": 2}).status == 0
    np.testing.assert_allclose(least_squares(**arguments, options={"initial_trust_region_radius": 0.1}).x, [1, 1], atol=1e-4)
    with pytest.raises(ValueError, match="max_num_iterations"):
        least_squares(**arguments, options={"max_num_iterations": -1})
    with pytest.raises(TypeError, match="speed"):
        least_squares(**arguments, options={"speed": 1})


# --- Published data.


@pytest.mark.parametrize(
    "name, model, start, params, rtol",
    [
        ("arrhenius", lambda T, a, e: a * np.exp(-e / (8.314 * T)), [1e13, 8.8e4], [3.8576558e13, 90805.532], 1e-4),
        ("nanoampere", lambda t, a, tau: a * np.exp(-t / tau), [2e-9, 1.0], [3.00283543e-9, 1.69989331], 1e-5),
        ("picoseconds", decay, [800, 2e-12, 0], [999.207947, 3.19002412e-12, 21.1785517], 1e-5),
    ],
)
def test_field_data(data_folder, name, model, start, params, rtol):
    x, y = np.loadtxt(data_folder / "field" / f"{name}.csv", delimiter=",", skiprows=1).T
    np.testing.assert_allclose(curve_fit(model, x, y, p0=start)[0], params, rtol=rtol)


@pytest.mark.parametrize(
    "name, model, parameters",
    [
        ("BoxBOD", lambda x, b: b[0] * (1 - np.exp(-b[1] * x)), 2),
        ("Eckerle4", lambda x, b: b[0] / b[1] * np.exp(-0.5 * ((x - b[2]) / b[1]) ** 2), 3),
        ("MGH09", lambda x, b: b[0] * (x**2 + x * b[1]) / (x**2 + x * b[2] + b[3]), 4),
        ("Thurber", lambda x, b: (b[0] + x * (b[1] + x * (b[2] + x * b[3]))) / (1 + x * (b[4] + x * (b[5] + x * b[6]))), 7),
    ],
)
def test_nist_from_both_starts(data_folder, name, model, parameters):
    lines = (data_folder / "nist" / f"{name}.dat").read_text().splitlines()
    table = [line.split("=")[1].split() for line in lines if line.strip().startswith("b") and "=" in line][-parameters:]
    starts = np.array([[float(word) for word in row[:3]] for row in table])
    data = np.array([line.split() for line in lines[60:] if line.strip()], dtype=float)
    y, x = data.T
    for start in starts.T[:2]:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            result = least_squares(lambda b: model(x, b) - y, start)
        np.testing.assert_allclose(result.x, starts[:, 2], rtol=1e-4)


@pytest.mark.parametrize("method", ["trf", "dogbox"])
@pytest.mark.parametrize("x_scale", [None, 1.0])
def test_a_start_of_the_wrong_order(method, x_scale):
    """A step in a ball must not shrink the width before the height: then the peak is no peak any more."""
    t = np.linspace(0, 10, 60)
    data = 3 * np.exp(-((t - 5) ** 2) / 1.5) + 0.05 * np.random.default_rng(11).normal(size=60)

    def peak(p):
        return p[0] * np.exp(-((t - p[1]) ** 2) / p[2]) - data

    best = least_squares(peak, [3.0, 5.0, 1.5]).cost
    for height in (20.0, 200.0, 2000.0):
        for center, width in ((5.0, 1.0), (4.5, 0.5), (5.5, 3.0)):
            start = [height, center, width]
            fit = least_squares(peak, start, method=method, x_scale=x_scale)
            assert fit.cost < 1.0001 * best, (start, fit.x)


@pytest.mark.parametrize("method", ["trf", "dogbox"])
@pytest.mark.parametrize("x_scale", [None, 1.0])
def test_the_first_step_keeps_signs(method, x_scale):
    """A variable that changes its sign at once often ends at another minimum."""
    rng = np.random.default_rng(3)
    for _ in range(50):
        matrix, target = rng.normal(size=(8, 3)), rng.normal(size=8)
        start = rng.choice([-1.0, 1.0], size=3) * 10 ** rng.uniform(-0.9, 0.9, size=3)
        points = []
        least_squares(
            lambda p: np.tanh(matrix @ p) + 0.1 * p.sum() - target, start, method=method, x_scale=x_scale, callback=lambda x: points.append(x.copy())
        )  # fmt: skip
        assert np.all(points[0] * start >= 0)


def test_a_first_step_of_many_variables_is_not_cut():
    """If each variable changes by a part of its size, the norm of the step may be much larger than one of them."""
    def broyden(x):
        f = (3 - x) * x + 1
        f[1:] -= x[:-1]
        f[:-1] -= 2 * x[1:]
        return f

    for n in (10, 100, 200):
        start = -np.ones(n) + 0.1 * np.random.default_rng(n).normal(size=n)
        fit = least_squares(broyden, start)
        assert fit.cost < 1e-20
        assert fit.nfev <= 5, n
