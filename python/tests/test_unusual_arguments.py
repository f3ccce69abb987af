# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""What users of SciPy pass to least_squares and curve_fit: results beside SciPy's."""

import functools
import os
import pickle
import signal
import threading

import numpy as np
import pytest

import vesta
from vesta.autodiff import DualArray

scipy_optimize = pytest.importorskip("scipy.optimize")

T = np.linspace(0, 4, 40)


def model(t, a, b, c):
    return a * np.exp(-b * t) + c


Y = model(T, 2.5, 1.3, 0.5) + 0.02 * np.random.default_rng(1).normal(size=40)
ONES = [1.0, 1.0, 1.0]


def residuals(p):
    return model(T, *p) - Y


def slopes(p):
    return np.stack([np.exp(-p[1] * T), -p[0] * T * np.exp(-p[1] * T), np.ones(40)], axis=1)


def read_only(values):
    result = np.array(values, dtype=float)
    result.flags.writeable = False
    return result


def loss(z):
    return np.stack([np.log1p(z), 1 / (1 + z), -1 / (1 + z) ** 2])


class Line:
    def __call__(self, x, a, b):
        return a + b * x

    def method(self, x, a, b):
        return a + b * x

    @staticmethod
    def static(x, a, b):
        return a + b * x


FITS = {
    "residuals of float32": ((lambda p: residuals(p).astype(np.float32), ONES), {}),
    "long doubles": ((lambda p: residuals(p).astype(np.longdouble), ONES), {}),
    "a tuple of residuals": ((lambda p: tuple(residuals(p)), (1, 1, 1)), {}),
    "a start of ints": ((residuals, np.array([1, 1, 1])), {}),
    "a read-only start": ((residuals, read_only(ONES)), {}),
    "a big-endian start": ((residuals, np.array(ONES, dtype=">f8")), {}),
    "big-endian residuals": ((lambda p: residuals(p).astype(">f8"), ONES), {}),
    "residuals with strides": ((lambda p: np.repeat(residuals(p), 2)[::2], ONES), {}),
    "residuals in reverse": ((lambda p: residuals(p)[::-1], ONES), {}),
    "read-only residuals": ((lambda p: read_only(residuals(p)), ONES), {}),
    "a start without dimensions": ((lambda p: p - 3.0, np.array(1.0)), {}),
    "a Jacobian in Fortran order": ((residuals, ONES), dict(jac=lambda p: np.asfortranarray(slopes(p)))),
    "a Jacobian of lists": ((residuals, ONES), dict(jac=lambda p: slopes(p).tolist())),
    "a Jacobian of float32": ((residuals, ONES), dict(jac=lambda p: slopes(p).astype(np.float32))),
    "a Jacobian of ints": ((lambda p: np.array([p[0] - 1, p[1] + 2]), [0, 0.0]), dict(jac=lambda p: np.eye(2, dtype=int))),
    "bounds as an object": ((residuals, ONES), dict(bounds=scipy_optimize.Bounds([0, 0, 0.8], [2, 5, 5]))),
    "one bound for all": ((residuals, ONES), dict(bounds=(0, 2))),
    "a list and a number as bounds": ((residuals, ONES), dict(bounds=([0, -np.inf, 0], np.inf))),
    "arguments in a list": ((lambda p, a: p - a, [1.0]), dict(args=[5])),
    "arguments in an array": ((lambda p, a, b: p - a * b, [1.0]), dict(args=np.array([2.0, 3.0]))),
    "a loss": ((residuals, ONES), dict(loss=loss)),
    "a limit that is a float": ((residuals, ONES), dict(max_nfev=50.0)),
    "a function without effect": ((lambda p: np.array([5.0, 1.0]), [1.0, 2.0]), {}),
    "a singular Jacobian": ((lambda p: np.array([p[0] + p[1] - 2] * 2), [5.0, 2.0]), {}),
}


@pytest.mark.parametrize("arguments, options", FITS.values(), ids=FITS.keys())
def test_fits_are_those_of_scipy(arguments, options):
    ours, theirs = (f(*arguments, **options) for f in (vesta.least_squares, scipy_optimize.least_squares))
    np.testing.assert_allclose(ours.x, theirs.x, rtol=2e-4)
    np.testing.assert_allclose(ours.cost, theirs.cost, rtol=1e-6, atol=1e-12)


@pytest.mark.parametrize("method", ["trf", "dogbox", "lm"])
def test_a_fit_without_variables_has_the_cost_of_its_residuals(method):
    """Not beside SciPy, which fails here before version 1.17."""
    fit = vesta.least_squares(lambda p: np.array([1.0, 2.0]), [], method=method)
    assert fit.success and fit.cost == 2.5 and fit.x.shape == (0,) and fit.jac.shape == (2, 0)


CURVES = {
    "data of float32": ((model, T.astype(np.float32), Y.astype(np.float32)), {}),
    "long doubles": ((model, T.astype(np.longdouble), Y.astype(np.longdouble)), {}),
    "masked arrays": ((model, np.ma.masked_invalid(T), np.ma.masked_invalid(Y)), {}),
    "lists": ((lambda t, a, b, c: list(model(np.asarray(t), a, b, c)), list(T), list(Y)), {}),
    "read-only data": ((model, read_only(T), read_only(Y)), dict(p0=read_only(ONES))),
    "data with strides": ((model, np.repeat(T, 2)[::2], np.repeat(Y, 2)[::2]), {}),
    "big-endian data": ((model, T.astype(">f8"), Y.astype(">f8")), {}),
    "data of objects": ((model, T, Y.astype(object)), {}),
    "data of bools": ((lambda t, a, b: a + b * t, T, T > 2), {}),
    "years": ((lambda t, a, b: a + b * (t - 2000), np.arange(1990, 2020), 0.5 * np.arange(30)), {}),
    "nanoseconds": ((lambda t, a, b: a * np.exp(-t / b), T * 1e-9, 1e-9 * np.exp(-T / 0.7)), dict(p0=[2e-9, 1e-9])),
    "a dict": ((lambda d, a, b: a + b * d["t"], {"t": T}, Y), {}),
    "two rows of data": ((lambda x, a, b: a * x[0] + b * x[1], np.stack([T, T**2]), Y), {}),
    "one parameter": ((lambda t, a: a * t, T, Y), dict(p0=1)),
    "sigma as a list": ((model, T, Y), dict(sigma=[0.1] * 40, absolute_sigma=True)),
    "negative sigma": ((model, T, Y), dict(sigma=[-0.1] * 40)),
    "any number of parameters": ((lambda t, *p: p[0] + p[1] * t, T, Y), dict(p0=[1, 1])),
    "an object": ((Line(), T, Y), {}),
    "a method": ((Line().method, T, Y), {}),
    "a static method": ((Line.static, T, Y), {}),
    "a partial function": ((functools.partial(model, c=0.5), T, Y), dict(p0=[1, 1])),
    "a ufunc": ((np.power, T + 1, (T + 1) ** 1.5), dict(p0=[1.0])),
    "defaults": ((lambda t, a, b=2: a + b * t, T, Y), {}),
    "parameters by name only": ((lambda t, a, *, b=2: a + b * t, T, Y), {}),
}


@pytest.mark.parametrize("arguments, options", CURVES.values(), ids=CURVES.keys())
@pytest.mark.filterwarnings("ignore")
def test_curves_are_those_of_scipy(arguments, options):
    ours, theirs = (f(*arguments, **options) for f in (vesta.curve_fit, scipy_optimize.curve_fit))
    np.testing.assert_allclose(ours[0], theirs[0], rtol=2e-4, atol=1e-9)
    np.testing.assert_allclose(ours[1], theirs[1], rtol=2e-3, atol=1e-9)


def test_series_of_pandas():
    pandas = pytest.importorskip("pandas")
    y = pandas.Series(Y, index=np.arange(40) * 2)
    ours, theirs = (
        f(model, pandas.Series(T), y, p0=pandas.Series(ONES)) for f in (vesta.curve_fit, scipy_optimize.curve_fit)
    )
    np.testing.assert_allclose(ours[0], theirs[0], rtol=1e-4)


@pytest.mark.parametrize(
    "arguments, message",
    [
        (dict(x0=["a", 1.0]), "`x0`"),
        (dict(x0=None), "`x0`|`fun`"),
        (dict(bounds=("a", 1)), "`bounds`"),
        (dict(fun=lambda p: None), "return its result"),
        (dict(args=5), "`args`"),
        (dict(max_nfev="a"), "`max_nfev`"),
        (dict(max_nfev=np.nan), "`max_nfev`"),
        (dict(ftol="a"), "`ftol`"),
        (dict(xtol=[1.0, 2.0]), "`xtol`"),
    ],
)
def test_mistakes_name_the_argument(arguments, message):
    with pytest.raises((TypeError, ValueError), match=message):
        vesta.least_squares(**{**dict(fun=residuals, x0=ONES), **arguments})


@pytest.mark.parametrize(
    "options, message", [(dict(sigma=[0.0] + [1.0] * 39), "`sigma`"), (dict(p0=[]), "`p0`"), (dict(p0="a"), "`p0`")]
)
def test_mistakes_of_curves_name_the_argument(options, message):
    with pytest.raises(ValueError, match=message):
        vesta.curve_fit(model, T, Y, **options)


@pytest.mark.parametrize("tolerance", [1e-12, 1e-14, 1e-15])
@pytest.mark.parametrize("bounds", [(-np.inf, np.inf), ([-np.inf, -np.inf, -np.inf, 0.0, 0.0], np.inf)])
def test_tolerances_below_the_digits_of_the_cost_end_a_fit(tolerance, bounds):
    """Large residuals: the fit converges slowly, and the cost has no digits for the last steps."""
    rng = np.random.RandomState(2021)
    x, y = rng.rand(10000) * 10 - 4, rng.rand(10000) * 5 - 3

    def peak(p):
        return p[0] * np.exp(-(((x - p[1]) / p[3]) ** 2) / 2 - ((y - p[2]) / p[4]) ** 2 / 2)

    z = peak([10.0, 2.0, -0.5, 0.6, 0.8]) + 2 * (rng.rand(10000) - 0.5)
    weight = 1 / np.sqrt(z + 1)
    tolerances = dict(ftol=tolerance, xtol=tolerance, gtol=tolerance)
    start = [12.0, 2.2, -0.4, 0.5, 0.7]
    for x_scale in (1.0, None):
        fit = vesta.least_squares(lambda p: (peak(p) - z) * weight, start, bounds=bounds, x_scale=x_scale, **tolerances)
        assert fit.success and fit.nfev < 60, (fit.status, fit.nfev)
        shorter = vesta.least_squares(lambda p: (peak(p) - z) * weight, start, bounds=bounds, x_scale=x_scale)
        assert abs(fit.cost / shorter.cost - 1) < 1e-9


# --- jac="autodiff" -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["lm", "trf", "dogbox"])
def test_exact_derivatives_give_the_fit_of_differences(method):
    exact = vesta.curve_fit(model, T, Y, jac="autodiff", method=method, sigma=np.linspace(0.1, 0.2, 40))
    differences = vesta.curve_fit(model, T, Y, method=method, sigma=np.linspace(0.1, 0.2, 40))
    for a, b in zip(exact, differences):
        np.testing.assert_allclose(a, b, rtol=1e-4)
    constant = vesta.curve_fit(lambda t, a: a, T, Y, jac="autodiff", method=method)
    np.testing.assert_allclose(constant[0], Y.mean(), rtol=1e-10)


@pytest.mark.parametrize("result, message", [(lambda r: r[:3], "3 to 40"), (lambda r: None, "real"), (lambda r: "a", "real")])
def test_what_a_function_returns_with_derivatives_is_checked(result, message):
    def fun(p):
        r = residuals(p)
        return result(r) if isinstance(r, DualArray) else r

    with pytest.raises((TypeError, ValueError), match=message):
        vesta.least_squares(fun, ONES, jac="autodiff")


def test_exceptions_of_derivatives_arrive():
    def fun(p):
        if isinstance(p, DualArray):
            raise KeyError("with derivatives")
        return residuals(p)

    with pytest.raises(KeyError, match="with derivatives"):
        vesta.least_squares(fun, ONES, jac="autodiff")


def test_a_function_may_depend_on_anything():
    """The function is run for each Jacobian: nothing is recorded."""
    calls = []

    def fun(p):
        calls.append(isinstance(p, DualArray))
        factor = 2.0 if p[0] > 2.0 else 1.0
        return factor * (p - 3.0)

    fit = vesta.least_squares(fun, [1.0, 1.0], jac="autodiff")
    np.testing.assert_allclose(fit.x, 3.0)
    np.testing.assert_allclose(fit.jac, 2.0 * np.eye(2))
    assert sum(calls) == fit.njev


def test_threads_fit_at_the_same_time():
    results = []

    def work():
        for _ in range(20):
            results.append(tuple(vesta.curve_fit(model, T, Y, jac="autodiff")[0]))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 80 and len(set(results)) == 1


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_child_process_fits():
    expected = tuple(vesta.curve_fit(model, T, Y, jac="autodiff")[0])
    pid = os.fork()
    if pid == 0:
        try:
            os._exit(0 if tuple(vesta.curve_fit(model, T, Y, jac="autodiff")[0]) == expected else 1)
        except BaseException:
            os._exit(2)
    assert os.waitpid(pid, 0)[1] == 0


@pytest.mark.parametrize("jac", ["2-point", "3-point", "autodiff"])
def test_interrupts_end_a_fit(jac):
    calls = [0]

    def fun(p):
        calls[0] += 1
        if calls[0] == 5:
            os.kill(os.getpid(), signal.SIGINT)
        return residuals(p)

    with pytest.raises(KeyboardInterrupt):
        vesta.least_squares(fun, ONES, jac=jac, xtol=None, ftol=1e-15, gtol=None)


def test_results_can_be_pickled():
    fit = vesta.least_squares(residuals, ONES)
    again = pickle.loads(pickle.dumps(fit))
    np.testing.assert_array_equal(again.x, fit.x)
    assert again.message == fit.message


@pytest.mark.parametrize("jac", ["2-point", "3-point", "autodiff"])
@pytest.mark.parametrize("method", ["lm", "trf"])
@pytest.mark.parametrize("what", ["xdata", "ydata", "sigma", "p0"])
def test_masked_data_are_refused(what, method, jac):
    """numpy.asarray takes the numbers under the mask, which would count as data."""
    arguments = dict(xdata=T, ydata=np.sin(T), sigma=np.ones(len(T)), p0=np.array([1.0, 0.5]))
    arguments[what] = np.ma.array(arguments[what])  # Nothing is masked.

    def line(t, a, b):
        return a * t + b

    plain = vesta.curve_fit(line, T, np.sin(T))[0]
    np.testing.assert_allclose(vesta.curve_fit(line, method=method, jac=jac, **arguments)[0], plain, rtol=1e-6)
    arguments[what][1] = np.ma.masked
    with pytest.raises(ValueError, match=f"`{what}`.*masked"):
        vesta.curve_fit(line, method=method, jac=jac, **arguments)


@pytest.mark.parametrize("jac", ["2-point", "3-point", "cs"])
@pytest.mark.parametrize("method", ["lm", "trf", "dogbox"])
def test_masked_residuals_are_refused(method, jac):
    with pytest.raises(ValueError, match="`fun`.*masked"):
        vesta.least_squares(lambda p: np.ma.array(p - 1.0, mask=[False, True]), [0.0, 0.0], method=method, jac=jac)
    with pytest.raises(ValueError, match="`jac`.*masked"):
        vesta.least_squares(
            lambda p: p - 1.0, [0.0, 0.0], method=method, jac=lambda p: np.ma.array(np.eye(2), mask=np.eye(2))
        )
    fit = vesta.least_squares(lambda p: np.ma.array(p - 1.0), [0.0, 0.0], method=method, jac=jac)
    np.testing.assert_allclose(fit.x, 1.0, rtol=1e-6)
    with pytest.raises(ValueError, match="`f`.*masked"):
        vesta.curve_fit(lambda t, a: np.ma.masked_greater(a * t, 2.0), T, 2 * T, method=method)
