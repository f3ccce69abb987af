# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""curve_fit with SciPy's signature and result."""

from __future__ import annotations

import inspect
import warnings
from typing import Any, Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .autodiff import DualArray
from ._least_squares import OptimizeWarning, least_squares
from ._least_squares.arguments import bounds_of

Array = NDArray[np.float64]


def curve_fit(
    f: Callable[..., Any],
    xdata: Any,
    ydata: ArrayLike,
    p0: ArrayLike | None = None,
    sigma: ArrayLike | None = None,
    absolute_sigma: bool = False,
    check_finite: bool | None = None,
    bounds: Any = (-np.inf, np.inf),
    method: str | None = None,
    jac: Any = None,
    *,
    full_output: bool = False,
    nan_policy: str | None = None,
    **kwargs: Any,
) -> Any:
    """Fits ydata = f(xdata, *params) + noise, as `scipy.optimize.curve_fit`.

    Returns the parameters and their covariance; with full_output also a dict,
    a message and the status.

    sigma: standard deviations (m,), or the covariance (m, m) of ydata.
    absolute_sigma: False: sigma is relative, and the covariance is scaled by
        the mean square of the residuals.
    jac: a name of `least_squares`, or a function like f that returns (m, n).
    kwargs: arguments of `least_squares`; maxfev stands for max_nfev.
    """
    guess = _start(f, p0, bounds)
    n = len(guess)
    lower, upper = bounds_of(bounds, n)
    x, y, keep = _data(xdata, ydata, check_finite, nan_policy)
    whiten = _whitening(sigma, len(y) if keep is None else len(keep), keep)
    if method is None:
        method = "trf" if np.any(np.isfinite(lower)) or np.any(np.isfinite(upper)) else "lm"
    if method == "lm" and len(y) < n:
        raise TypeError(f"The number of parameters {n} must not exceed the number of data points {len(y)}.")

    def residuals(p: Array) -> Any:
        values = f(x, *p)
        if not isinstance(values, DualArray):
            values = np.asarray(values)
        return whiten(values.reshape(-1) - y)

    jacobian: Any = "2-point" if jac is None else jac
    if callable(jac):

        def jacobian(p: Array) -> Any:
            return whiten(np.asarray(jac(x, *p), dtype=np.float64))

    if "maxfev" in kwargs:
        kwargs["max_nfev"] = kwargs.pop("maxfev")
    if "epsfcn" in kwargs:
        kwargs["diff_step"] = np.sqrt(kwargs.pop("epsfcn"))
    if kwargs.get("max_nfev") == 0:
        kwargs["max_nfev"] = None
    result = least_squares(residuals, guess, jac=jacobian, bounds=(lower, upper), method=method, **kwargs)
    if not result.success:
        raise RuntimeError(f"Optimal parameters not found: {result.message}")
    covariance = _covariance(result, len(y), n, absolute_sigma)
    if not full_output:
        return result.x, covariance
    info = {"nfev": result.nfev, "fvec": result.fun}
    return result.x, covariance, info, result.message, result.status


def _start(f: Callable[..., Any], p0: Any, bounds: Any) -> Array:
    if p0 is not None:
        return np.atleast_1d(np.array(p0, dtype=np.float64))
    names = [
        p.name
        for p in inspect.signature(f).parameters.values()
        if p.kind in (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    ]
    if len(names) < 2:
        raise ValueError("p0: the number of parameters cannot be found from the signature of f. Pass p0.")
    n = len(names) - 1
    lower, upper = bounds_of(bounds, n)
    start = np.ones(n)
    low, high = np.isfinite(lower), np.isfinite(upper)
    both = low & high
    start[both] = 0.5 * (lower[both] + upper[both])
    start[low & ~high] = lower[low & ~high] + 1.0
    start[~low & high] = upper[~low & high] - 1.0
    return start


def _data(xdata: Any, ydata: Any, check_finite: bool | None, nan_policy: str | None) -> tuple[Any, Array, Any]:
    if nan_policy not in (None, "raise", "omit"):
        raise ValueError(f"nan_policy: expected None, 'raise' or 'omit', got {nan_policy!r}.")
    check = nan_policy is None if check_finite is None else check_finite
    y = np.asarray(ydata, dtype=np.float64)
    if y.size == 0:
        raise ValueError("ydata: the array is empty.")
    y = y.reshape(-1)
    x = np.asarray(xdata, dtype=np.float64) if isinstance(xdata, (list, tuple, np.ndarray)) else xdata
    if check and not (np.all(np.isfinite(y)) and np.all(np.isfinite(x))):
        raise ValueError("xdata, ydata: the data contain NaN or infinity.")
    keep = None
    missing = np.isnan(y)
    if isinstance(x, np.ndarray):
        missing = missing | np.isnan(x).reshape(-1, len(y)).any(axis=0)
    if nan_policy == "raise" and missing.any():
        raise ValueError("xdata, ydata: the data contain NaN.")
    if nan_policy == "omit" and missing.any():
        keep = ~missing
        x, y = x[..., keep], y[keep]
    return x, y, keep


def _whitening(sigma: Any, m: int, keep: Any) -> Callable[[Any], Any]:
    """The function that multiplies residuals, or rows of a Jacobian, by the inverse root of their covariance."""
    if sigma is None:
        return lambda r: r
    s = np.asarray(sigma, dtype=np.float64)
    if keep is not None:
        s = s[keep] if s.ndim == 1 else s[np.ix_(keep, keep)]
        m = int(np.count_nonzero(keep))
    if s.size == 1 and s.ndim < 2:
        s = np.full(m, s.reshape(-1)[0])
    if s.shape == (m,):
        weight = 1.0 / s
        return lambda r: r * (weight if np.ndim(r) == 1 else weight[:, None])
    if s.shape == (m, m):
        try:
            factor = np.linalg.cholesky(s)
        except np.linalg.LinAlgError:
            raise ValueError("sigma: the matrix must be positive definite.") from None
        inverse = np.linalg.inv(factor)
        return lambda r: inverse @ r
    raise ValueError(f"sigma: expected shape ({m},) or ({m}, {m}), got {s.shape}.")


def _covariance(result: Any, m: int, n: int, absolute_sigma: bool) -> Array:
    jac = result.jac if isinstance(result.jac, np.ndarray) else result.jac.toarray()
    unknown = np.full((n, n), np.inf)
    _, s, vt = np.linalg.svd(jac, full_matrices=False)
    rank = int(np.sum(s > np.finfo(float).eps * max(jac.shape) * s[0])) if len(s) else 0
    determined = rank == n
    covariance = unknown
    if determined:
        covariance = (vt.T / s**2) @ vt
        if not absolute_sigma:
            if m > n:
                covariance = covariance * (2.0 * result.cost / (m - n))
            else:
                determined, covariance = False, unknown
    if not determined:
        warnings.warn("The covariance of the parameters could not be estimated.", category=OptimizeWarning, stacklevel=3)
    return covariance
