# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""fit_many: the same model fitted to many sets of samples in one call."""

from __future__ import annotations

import enum
import operator
from typing import Any, Callable, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import _core, _options
from .arguments import (
    bounds_of,
    by_fit,
    fixed_of,
    mask_of,
    measurements,
    model_of,
    parameters_of,
    weights_of,
)
from .compiled import compiled_of, describe, sizes_of
from .tracer import TracingError as TracingError, record, record_loss

Array = NDArray[np.float64]

LOSSES = ("linear", "huber", "soft_l1", "cauchy", "arctan", "tukey")


class FitStatus(enum.IntEnum):
    """How a fit of `fit_many` ended."""

    NOT_RUN = 0  # fit_many was stopped before.
    CONVERGED = 1
    MAX_ITERATIONS = 2
    STOPPED = 3  # By a timeout or a token; the best parameters so far are returned.
    FAILED = 4  # The start is not finite, or has no sample.


class FitManyResult(NamedTuple):
    """Arrays over the fits, of the shape of y without its last dimension.

    A fit that has failed or was not run has its start in `parameters`, and NaN
    in `covariances` and `costs`.
    """

    parameters: Array  # (..., p)
    covariances: Array | None  # (..., p, p); infinite where the samples do not determine the parameters.
    costs: Array  # (...): half the sum of squares, or of rho.
    statuses: NDArray[np.int8]  # (...): see FitStatus.
    iterations: NDArray[np.int32]  # (...): steps tried.

    @property
    def success(self) -> NDArray[np.bool_]:
        """Which fits have converged."""
        return np.asarray(self.statuses == FitStatus.CONVERGED)

    @property
    def standard_errors(self) -> Array:
        """(..., p): the roots of the diagonals of the covariances."""
        if self.covariances is None:
            raise ValueError("fit_many was called with covariance=False.")
        return np.sqrt(np.diagonal(self.covariances, axis1=-2, axis2=-1))


def fit_many(
    model: Callable[..., Any] | str,
    x: Any,
    y: ArrayLike,
    p0: ArrayLike,
    sigma: ArrayLike | None = None,
    bounds: Any = None,
    loss: str | Callable[..., Any] = "linear",
    mask: ArrayLike | None = None,
    absolute_sigma: bool = False,
    *,
    f_scale: float = 1.0,
    fixed: ArrayLike | None = None,
    covariance: bool = True,
    max_iterations: int = 100,
    ftol: float = 1e-10,
    gtol: float = 1e-10,
    xtol: float = 1e-15,
    num_threads: int | None = None,
    timeout: float | None = None,
    cancellation_token: Any = None,
    progress: bool | Callable[[int, int], Any] = False,
    jac: Any = None,
) -> FitManyResult:
    """Fits y[..., i] = model(x[i], *parameters) + noise for every set of samples y[...].

    The model is called once and recorded; the record runs in SIMD lanes, on
    several threads. The bits of a fit do not depend on the other fits, nor on
    the number of threads.

    Arguments
    ---------
    model: a function of x and the parameters, made of arithmetic and NumPy's
        functions; or the name of one of `vesta.models`, or a sum of names:
        "biexponential + polynomial0". What cannot be recorded (loops, tables,
        special functions) may be compiled: a `cfunc` of Numba, a function of
        ctypes, or a `scipy.LowLevelCallable`. Threads call it without the GIL.
    x: (n,), or the shape of y if each fit has its own. A tuple of several such
        arrays, or an array (k, n): the model gets a tuple.
    y: the measurements (..., n): curves, images of curves, volumes of curves.
        float32 and float64 are not copied. NaN or masked: a sample that is
        missing.
    p0: the start (p,), or (..., p) if each fit has its own.
    sigma: the standard deviation of y, a number or an array that broadcasts to y.
    bounds: None, or (lower, upper), each a number, (p,) or (..., p).
    loss: 'linear', 'huber', 'soft_l1', 'cauchy', 'arctan' or 'tukey'; or a
        function rho(z), which is recorded, of z = (residual / f_scale)^2.
    mask: booleans that broadcast to y; True for samples to use. With
        mask[..., None] it says which fits to run; the others have status FAILED.
    absolute_sigma: False: sigma is relative, and covariances are scaled by the
        mean square of the residuals.
    f_scale: the residual from which on the loss counts less, in units of sigma.
    fixed: (p,) booleans: parameters that stay at their start.
    covariance: False: no covariances.
    max_iterations, ftol, gtol, xtol: when a fit ends; see docs/solving/many_fits.md.
    num_threads: None: `vesta.num_threads()`.
    timeout: seconds, after which fits are STOPPED or NOT_RUN.
    cancellation_token: the same, by a `CancellationSource`.
    progress: True: a bar of tqdm. A function: called with the number of fits that
        have ended and the number of all, about a hundred times, by any thread.
    jac: the derivatives of a compiled model, compiled as well. None: central
        differences. Recorded models are differentiated.

    Example
    -------
    >>> t = np.linspace(0, 3, 20)
    >>> images = np.array([2.0, 3.0])[:, None] * np.exp(-t / np.array([0.5, 1.0])[:, None])
    >>> result = vesta.fit_many("exponential", t, images, p0=[1.0, 1.0])
    >>> result.parameters.round(6)
    array([[2. , 0.5],
           [3. , 1. ]])
    """
    samples = measurements(x, y)
    compiled = compiled_of(model, "model")
    program: Any
    if compiled is not None:
        program = describe(compiled, jac, len(samples.columns))
        sizes = sizes_of(compiled, len(samples.columns))
    else:
        function, sizes = model_of(model)
        if jac is not None:
            raise TypeError("jac: only a compiled model takes derivatives; a recorded one is differentiated.")
    parameters = parameters_of(p0, samples.fits_shape, sizes)
    size = parameters.shape[1]
    lower, upper, bounds_stride = bounds_of(bounds, samples.fits_shape, size)
    if compiled is None:
        program = record(function, len(samples.columns), samples.is_single, size)
    num_fits, num_samples = samples.num_fits, samples.y.shape[-1]
    result = FitManyResult(
        parameters,
        np.empty((num_fits, size, size)) if covariance else None,
        np.empty(num_fits),
        np.empty(num_fits, dtype=np.int8),
        np.empty(num_fits, dtype=np.int32),
    )
    if num_fits > 0:
        arguments = {
            **_numbers(max_iterations, ftol, gtol, xtol, num_threads, timeout),
            "loss": _loss(loss),
            "f_scale": _positive(f_scale, "f_scale"),
            "absolute_sigma": bool(absolute_sigma),
            "num_fits": num_fits,
            "num_samples": num_samples,
            "columns": [*samples.columns, by_fit(samples.y)],
            "weights": weights_of(sigma, samples.y.shape),
            "mask": mask_of(mask, samples.y.shape),
            "fixed": fixed_of(fixed, size),
            "lower": lower,
            "upper": upper,
            "bounds_stride": bounds_stride,
            "token": cancellation_token,
            **result._asdict(),
        }
        _run(program, arguments, progress, num_fits)
    shape = samples.fits_shape
    arrays: list[Any] = [a if a is None else a.reshape(shape + a.shape[1:]) for a in result]
    return FitManyResult(*arrays)


def _run(program: Any, arguments: dict[str, Any], progress: Any, num_fits: int) -> None:
    if progress is not True:
        if progress is not False and progress is not None and not callable(progress):
            raise TypeError(f"progress: expected True, False or a function, got {type(progress).__name__}.")
        _core._fit_many(program, {**arguments, "progress": progress or None})
        return
    try:
        from tqdm.auto import tqdm
    except ImportError:
        raise ImportError("progress=True needs the package tqdm. Install it, or pass a function.") from None
    with tqdm(total=num_fits, unit="fit") as bar:
        _core._fit_many(program, {**arguments, "progress": lambda ended, all: bar.update(ended - bar.n)})


def _loss(loss: Any) -> Any:
    if callable(loss):
        return record_loss(loss)
    if loss not in LOSSES:
        raise ValueError(f"`loss`: expected one of {', '.join(LOSSES)}, or a function, got {loss!r}.")
    return None if loss == "linear" else loss


def _positive(value: Any, name: str) -> float:
    number = float(value)
    if not number > 0.0:
        raise ValueError(f"`{name}`: expected a number > 0, got {value!r}.")
    return number


def _numbers(
    max_iterations: Any, ftol: Any, gtol: Any, xtol: Any, num_threads: Any, timeout: Any
) -> dict[str, Any]:
    threads = _options.num_threads() if num_threads is None else _count(num_threads, "num_threads", 1)
    limit = _count(max_iterations, "max_iterations", 0)
    tolerances = {"ftol": float(ftol), "gtol": float(gtol), "xtol": float(xtol)}
    for name, value in tolerances.items():
        if not value >= 0.0:
            raise ValueError(f"`{name}`: expected a number >= 0, got {value!r}.")
    seconds = np.inf if timeout is None else float(timeout)
    if np.isnan(seconds):
        raise ValueError("`timeout`: expected seconds, got NaN.")
    return {**tolerances, "max_iterations": limit, "num_threads": threads, "timeout": seconds}


def _count(value: Any, name: str, least: int) -> int:
    try:
        number = None if isinstance(value, bool) else operator.index(value)
    except TypeError:
        number = None
    if number is None or not least <= number < 2**31:
        raise ValueError(f"`{name}`: expected a whole number from {least} to 2^31 - 1, got {value!r}.")
    return number
