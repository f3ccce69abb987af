# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""fit_many beside SciPy, closed forms, and itself."""

from __future__ import annotations

import math
import sys
import types
from typing import Any

import numpy as np
import pytest
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
