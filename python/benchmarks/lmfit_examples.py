# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""Fits of the kinds that lmfit documents, by lmfit with SciPy's least_squares and with ours in its place.

Each example is written here from the models that lmfit's documentation describes, with data of a fixed seed. The
minimum is SciPy's result with tolerances of 1e-15. A row shows the largest difference of a parameter, in standard
errors: between SciPy's and our result, and of both from the minimum.
Usage: lmfit_examples.py [NAME...]. Needs: pip install lmfit. The exit status is 1 if one of our results is farther than
1e-3 from the minimum, or from SciPy's result where SciPy's is not.
"""

from __future__ import annotations

import sys
import warnings
from typing import Any, Callable

import lmfit
import numpy as np
from lmfit import models
from lmfit.lineshapes import gaussian, gaussian2d, lorentzian, voigt

import vesta

LIMIT = 1e-3
SCIPY = lmfit.minimizer.least_squares
EXAMPLES: dict[str, Callable[[], Any]] = {}


def example(function: Callable[[], Any]) -> Callable[[], Any]:
    EXAMPLES[function.__name__] = function
    return function


def noise(size: Any, sigma: float) -> Any:
    return np.random.default_rng(20).normal(scale=sigma, size=size)


def fitted(model: Any, values: Any, params: Any, **data: Any) -> Any:
    return model.fit(values, params, method="least_squares", **data)


def peak(model: Any, y: Any, x: Any) -> Any:
    """One peak of a built-in model, from lmfit's own guess."""
    return fitted(model, y, model.guess(y, x=x), x=x)


X = np.linspace(0, 20, 401)


@example
def decaying_sine() -> Any:
    x = np.linspace(0, 15, 301)
    y = 5 * np.sin(2 * x - 0.1) * np.exp(-x * x * 0.025) + noise(301, 0.2)
    params = lmfit.Parameters()
    params.add("amp", value=10, min=0)
    params.add("decay", value=0.1)
    params.add("shift", value=0.0, min=-np.pi / 2, max=np.pi / 2)
    params.add("omega", value=3.0)

    def residual(p: Any) -> Any:
        return p["amp"] * np.sin(x * p["omega"] + p["shift"]) * np.exp(-x * x * p["decay"]) - y

    return lmfit.minimize(residual, params, method="least_squares")


@example
def decaying_sine_of_unknown_period() -> Any:
    x = np.linspace(0, 250, 1001)
    y = 14 * np.sin(x / 5.46 + 0.123) * np.exp(-x * 0.032) + noise(1001, 0.7)
    params = lmfit.create_params(amp=13, period=5.2, shift=0, decay=0.02)

    def residual(p: Any) -> Any:
        return p["amp"] * np.sin(p["shift"] + x / p["period"]) * np.exp(-x * p["decay"]) - y

    return lmfit.minimize(residual, params, method="least_squares")


@example
def several_data_sets() -> Any:
    x = np.linspace(-1, 2, 151)
    rng = np.random.default_rng(5)
    data = [gaussian(x, 0.60 + 9.5 * rng.random(), -0.2 + 1.2 * rng.random(), 0.25) + noise(151, 0.4) for _ in range(5)]
    params = lmfit.Parameters()
    for i in range(5):
        params.add(f"amp_{i}", value=0.5, min=0.0, max=200)
        params.add(f"cen_{i}", value=0.4, min=-2.0, max=2.0)
        params.add(f"sig_{i}", value=0.3, min=0.01, max=3.0)
    for i in range(1, 5):
        params[f"sig_{i}"].expr = "sig_0"

    def residual(p: Any) -> Any:
        return np.concatenate([y - gaussian(x, p[f"amp_{i}"], p[f"cen_{i}"], p[f"sig_{i}"]) for i, y in enumerate(data)])

    return lmfit.minimize(residual, params, method="least_squares")


@example
def derivatives_given() -> Any:
    x = np.linspace(0, 4, 50)
    y = 2.5 * np.exp(-1.3 * x) + 0.5 + noise(50, 0.1)
    params = lmfit.create_params(a=10, b=10, c=10)

    def residual(p: Any, x: Any, y: Any) -> Any:
        return p["a"] * np.exp(-p["b"] * x) + p["c"] - y

    def slopes(p: Any, x: Any, y: Any) -> Any:
        e = np.exp(-p["b"] * x)
        return np.stack([e, -p["a"] * x * e, np.ones_like(x)], axis=1)

    return lmfit.Minimizer(residual, params, fcn_args=(x, y)).least_squares(Dfun=slopes)


@example
def decay_of_two_exponentials() -> Any:
    x = np.linspace(1, 10, 250)
    y = 3.0 * np.exp(-x / 2) - 5.0 * np.exp(-(x - 0.1) / 10.0) + noise(250, 0.1)
    params = lmfit.create_params(a1=4, a2=4, t1=3, t2=3)
    params["t2"].value = 8.0

    def residual(p: Any) -> Any:
        return p["a1"] * np.exp(-x / p["t1"]) + p["a2"] * np.exp(-(x - 0.1) / p["t2"]) - y

    return lmfit.minimize(residual, params, method="least_squares")


@example
def inequality_by_an_expression() -> Any:
    x = np.linspace(0, 15, 301)
    y = 3.3 * gaussian(x, 1, 5.0, 0.7) * 10 + 2.1 * lorentzian(x, 1, 6.2, 0.4) * 10 + noise(301, 0.2)
    params = lmfit.Parameters()
    params.add("height_g", value=10)
    params.add("height_l", value=10)
    params.add("center_g", value=5)
    params.add("peak_split", value=2.5, min=0, max=5)
    params.add("center_l", expr="peak_split + center_g")
    params.add("width_g", value=1)
    params.add("width_l", expr="width_g")

    def residual(p: Any) -> Any:
        total = gaussian(x, p["height_g"], p["center_g"], p["width_g"])
        return total + lorentzian(x, p["height_l"], p["center_l"], p["width_l"]) - y

    return lmfit.minimize(residual, params, method="least_squares")


@example
def gaussian_function() -> Any:
    y = gaussian(X, 8.9, 6.0, 1.1) + noise(401, 0.05)

    def model(x: Any, amp: Any, cen: Any, wid: Any) -> Any:
        return amp * np.exp(-((x - cen) ** 2) / wid)

    made = lmfit.Model(model)
    return fitted(made, y, made.make_params(amp=5, cen=5, wid=1), x=X)


@example
def gaussian_and_line() -> Any:
    made = models.GaussianModel() + models.LinearModel()
    y = gaussian(X, 9.0, 6.0, 1.1) + 0.1 * X - 1.0 + noise(401, 0.1)
    return fitted(made, y, made.make_params(amplitude=5, center=5, sigma=1, slope=0, intercept=1), x=X)


@example
def two_gaussians_and_exponential() -> Any:
    x = np.linspace(1, 250, 250)
    y = 100 * np.exp(-x / 91) + gaussian(x, 4300, 107, 16.7) + gaussian(x, 2490, 153, 13.8) + noise(250, 2.5)
    parts = models.GaussianModel(prefix="g1_"), models.GaussianModel(prefix="g2_"), models.ExponentialModel(prefix="exp_")
    made = parts[0] + parts[1] + parts[2]
    params = parts[2].guess(y, x=x)
    params += parts[0].make_params(center=dict(value=105, min=75, max=125), sigma=dict(value=15, min=0), amplitude=dict(value=2000, min=0))
    params += parts[1].make_params(center=dict(value=155, min=125, max=175), sigma=dict(value=15, min=0), amplitude=dict(value=2000, min=0))
    return fitted(made, y, params, x=x)


@example
def step_and_line() -> Any:
    x = np.linspace(0, 10, 201)
    y = np.where(x > 4.8, 12.0, np.where(x > 4.3, 24.0 * (x - 4.3), 0.0)) + noise(201, 0.35) + 0.1 * x
    made = models.StepModel(form="erf", prefix="step_") + models.LinearModel(prefix="line_")
    params = made.make_params(line_intercept=0.0, line_slope=0.0, step_center=4.6, step_amplitude=11.0, step_sigma=0.3)
    return fitted(made, y, params, x=x)


def scattered(function: Callable[..., Any], *args: Any) -> Any:
    """10000 places, values with noise in [-1, 1], and weights 1 / sqrt(z + 1).

    Values near -1 have nearly all of the weight: residuals stay large, and convergence is slow.
    """
    rng = np.random.RandomState(2021)
    x, y = rng.rand(10000) * 10 - 4, rng.rand(10000) * 5 - 3
    z = function(x, y, *args) + 2 * (rng.rand(10000) - 0.5)
    return x, y, z, 1 / np.sqrt(z + 1)


@example
def two_dimensional_peak() -> Any:
    x, y, z, weights = scattered(gaussian2d, 30, 2, -0.5, 0.6, 0.8)
    made = models.Gaussian2dModel()
    return fitted(made, z, made.guess(z, x, y), x=x, y=y, weights=weights)


@example
def rotated_two_dimensional_peak() -> Any:
    def lorentzian2d(x: Any, y: Any, amplitude: Any = 1.0, centerx: Any = 0.0, centery: Any = 0.0, sigmax: Any = 1.0,
                     sigmay: Any = 1.0, rotation: Any = 0) -> Any:  # fmt: skip
        xp = (x - centerx) * np.cos(rotation) - (y - centery) * np.sin(rotation)
        yp = (x - centerx) * np.sin(rotation) + (y - centery) * np.cos(rotation)
        return 2 * amplitude * lorentzian(np.sqrt((xp / sigmax) ** 2 + (yp / sigmay) ** 2))

    x, y, z, weights = scattered(lorentzian2d, 30, 2, -0.5, 0.5, 1.5, np.pi / 6)
    made = lmfit.Model(lorentzian2d, independent_vars=["x", "y"])
    params = made.make_params(amplitude=10, centerx=x[np.argmax(z)], centery=y[np.argmax(z)])
    params.add("rotation", value=0.1, min=0, max=np.pi / 2)
    params.add("sigmax", value=1, min=0)
    params.add("sigmay", value=2, min=0)
    return fitted(made, z, params, x=x, y=y, weights=weights)


@example
def complex_resonator() -> Any:
    f = np.linspace(99.95, 100.05, 100)

    def resonator(f: Any, f_0: Any, Q: Any, Q_e_real: Any, Q_e_imag: Any) -> Any:
        return 1 - Q / (Q_e_real + 1j * Q_e_imag) / (1 + 2j * Q * (f - f_0) / f_0)

    rng = np.random.default_rng(3)
    y = resonator(f, 100, 10000, 9000, -9000) + 0.02 * (rng.normal(size=100) + 1j * rng.normal(size=100))
    made = lmfit.Model(resonator)
    params = made.make_params(f_0=100.003, Q=8000, Q_e_real=8000, Q_e_imag=-5000)
    params["Q"].min = 0
    return fitted(made, y, params, f=f)


@example
def voigt_with_free_gamma() -> Any:
    y = voigt(X, 60, 9.2, 0.75, 0.4) + noise(401, 0.1)
    made = models.VoigtModel()
    params = made.guess(y, x=X)
    params["gamma"].set(value=0.7, vary=True, expr="")
    return fitted(made, y, params, x=X)


@example
def lorentzian_peak() -> Any:
    return peak(models.LorentzianModel(), lorentzian(X, 39, 9.2, 1.1) + noise(401, 0.2), X)


@example
def pseudo_voigt_peak() -> Any:
    return peak(models.PseudoVoigtModel(), voigt(X, 60, 9.2, 0.75, 0.4) + noise(401, 0.1), X)


@example
def moffat_peak() -> Any:
    made = models.MoffatModel()
    return peak(made, 20.0 / (((X - 9.0) / 1.2) ** 2 + 1) ** 1.6 + noise(401, 0.1), X)


@example
def pearson_peak() -> Any:
    made = models.Pearson7Model()
    y = made.eval(made.make_params(amplitude=30, center=9, sigma=1.2, expon=2.5), x=X) + noise(401, 0.1)
    return peak(made, y, X)


@example
def exponential_gaussian_peak() -> Any:
    made = models.ExponentialGaussianModel()
    truth = made.make_params(amplitude=30, center=8, sigma=0.8, gamma=1.4)
    return fitted(made, made.eval(truth, x=X) + noise(401, 0.05), made.make_params(amplitude=20, center=9, sigma=1, gamma=1), x=X)


@example
def lognormal_peak() -> Any:
    made = models.LognormalModel()
    x = np.linspace(0.05, 20, 400)
    y = made.eval(made.make_params(amplitude=20, center=1.2, sigma=0.5), x=x) + noise(400, 0.05)
    return fitted(made, y, made.make_params(amplitude=10, center=1.0, sigma=0.3), x=x)


@example
def power_law() -> Any:
    x = np.linspace(1, 20, 200)
    return peak(models.PowerLawModel(), 3.0 * x**-1.3 + noise(200, 0.02), x)


@example
def sine() -> Any:
    made = models.SineModel()
    params = made.make_params(amplitude=2, frequency=1.3, shift=0.0)
    return fitted(made, 3 * np.sin(1.25 * X + 0.6) + noise(401, 0.3), params, x=X)


@example
def expression() -> Any:
    made = models.ExpressionModel("off + amp * exp(-x/x0) * sin(x*phase)")
    x = np.linspace(0, 10, 501)
    y = 0.25 + 3.0 * np.exp(-x / 2.2) * np.sin(x * 2.3) + noise(501, 0.05)
    return fitted(made, y, made.make_params(off=0.0, amp=2.0, x0=2.0, phase=2.2), x=x)


@example
def uncertain_data() -> Any:
    made = models.GaussianModel()
    error = 0.05 + 0.1 * np.abs(np.sin(X))
    y = gaussian(X, 8.9, 6.0, 1.1) + error * noise(401, 1.0)
    return made.fit(y, made.guess(y, x=X), x=X, weights=1 / error, scale_covar=False, method="least_squares")


def difference(ours: Any, theirs: Any) -> float:
    """The largest difference of a free parameter in standard errors of SciPy's result."""
    result = 0.0
    for name in theirs.var_names:
        p, q = ours.params[name], theirs.params[name]
        if not q.stderr:
            raise ValueError(f"SciPy's fit has no standard error of {name}.")
        result = max(result, abs(p.value - q.value) / q.stderr)
    return result


def to_the_end(*args: Any, **kwargs: Any) -> Any:
    return SCIPY(*args, **{**kwargs, "ftol": 1e-15, "xtol": 1e-15, "gtol": 1e-15})


def result_with(least_squares: Callable[..., Any], name: str) -> Any:
    lmfit.minimizer.least_squares = least_squares
    return EXAMPLES[name]()


def main(names: list[str]) -> int:
    warnings.simplefilter("ignore")
    print(f"{'example':<34} {'ours-SciPy':>10} {'SciPy-min':>10} {'ours-min':>10}  evaluations of SciPy, ours")
    agreed = 0
    chosen = names or list(EXAMPLES)
    for name in chosen:
        theirs, ours, best = (result_with(f, name) for f in (SCIPY, vesta.least_squares, to_the_end))
        apart, scipy_error, our_error = difference(ours, theirs), difference(theirs, best), difference(ours, best)
        agreed += our_error <= LIMIT and (apart <= LIMIT or scipy_error > LIMIT)
        print(f"{name:<34} {apart:10.1e} {scipy_error:10.1e} {our_error:10.1e} {theirs.nfev:6d} {ours.nfev:6d}", flush=True)
    print(f"{agreed} of {len(chosen)} agree to {LIMIT:g} standard errors (lmfit {lmfit.__version__}).")
    return 0 if agreed == len(chosen) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
