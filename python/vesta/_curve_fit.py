# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""curve_fit with SciPy's signature and result."""

from __future__ import annotations

import inspect
import warnings
from types import FunctionType
from typing import Any, Callable, Literal, NamedTuple, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core
from ._arrays import refuse_masked
from ._diagnosis import diagnose_linear
from .autodiff import DualArray
from ._least_squares import OptimizeWarning, least_squares_of_model
from ._least_squares.arguments import bounds_of, numbers_of
from ._least_squares.constraints import tangent_space
from ._least_squares.types import Jac, Method

Array = NDArray[np.float64]
NanPolicy = Literal["raise", "omit"]
POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


@overload
def curve_fit(
    f: Callable[..., Any], xdata: Any, ydata: ArrayLike, p0: ArrayLike | None = ..., sigma: ArrayLike | None = ...,
    absolute_sigma: bool = ..., check_finite: bool | None = ..., bounds: Any = ..., method: Method | None = ...,
    jac: Jac | None = ..., *, full_output: Literal[False] = ..., nan_policy: NanPolicy | None = ..., **kwargs: Any,
) -> tuple[Array, Array]: ...  # fmt: skip


@overload
def curve_fit(
    f: Callable[..., Any], xdata: Any, ydata: ArrayLike, p0: ArrayLike | None = ..., sigma: ArrayLike | None = ...,
    absolute_sigma: bool = ..., check_finite: bool | None = ..., bounds: Any = ..., method: Method | None = ...,
    jac: Jac | None = ..., *, full_output: Literal[True], nan_policy: NanPolicy | None = ..., **kwargs: Any,
) -> tuple[Array, Array, dict[str, Any], str, int]: ...  # fmt: skip


def curve_fit(
    f: Callable[..., Any],
    xdata: Any,
    ydata: ArrayLike,
    p0: ArrayLike | None = None,
    sigma: ArrayLike | None = None,
    absolute_sigma: bool = False,
    check_finite: bool | None = None,
    bounds: Any = (-np.inf, np.inf),
    method: Method | None = None,
    jac: Jac | None = None,
    *,
    full_output: bool = False,
    nan_policy: NanPolicy | None = None,
    **kwargs: Any,
) -> Any:
    """Fits ydata = f(xdata, *params) + noise, as `scipy.optimize.curve_fit`.

    Arguments
    ---------
    f: the model, which returns as many values as ydata has.
    xdata: anything that f takes. Lists and arrays of numbers become float64.
    ydata: the data, of m values in any shape. Stack real and imaginary parts.
    p0: the start. None: ones, or the middle of the bounds.
    sigma: the standard deviation of ydata, one or (m,); or its covariance (m, m).
    absolute_sigma: False: sigma is relative, and the covariance is scaled by
        the mean square of the residuals.
    check_finite: refuse NaN and infinity; None: unless nan_policy is given.
    bounds: see `least_squares`.
    method: see `least_squares`; None: 'lm', with bounds or constraints 'trf'.
    jac: a name of `least_squares`, or a function like f that returns (m, n).
    full_output: also return a dict, a message and the status.
    nan_policy: None, 'raise', or 'omit': leave out values that are NaN.
    kwargs: arguments of `least_squares`; maxfev stands for max_nfev. The
        functions of `constraints` get the parameters as one array. 'lm' also
        takes those of `scipy.optimize.leastsq`: epsfcn, factor, diag, col_deriv.
        There, maxfev counts evaluations for differences; 200 (n + 1).

    Result
    ------
    The parameters (n,) and their covariance (n, n). Where the data do not
    determine the parameters, a warning is given; the covariance is infinite
    ('lm') or a pseudo-inverse. With constraints, the covariance is that of
    changes along the active ones, to first order. The dict of full_output has nfev and fvec, for
    'lm' also fjac, ipvt and qtf of leastsq.
    RuntimeError: no solution was found. ValueError: an argument is wrong.

    Example
    -------
    >>> t = np.linspace(0, 1, 5)
    >>> params, covariance = vesta.curve_fit(lambda t, a, b: a + b * t, t, 1 + 2 * t)
    >>> params.round(6)
    array([1., 2.])
    """
    guess = _start(f, p0, bounds)
    n = len(guess)
    bounds = bounds_of(bounds, n)
    if method is None:
        limited = np.any(np.isfinite(bounds[0]) | np.isfinite(bounds[1])) or kwargs.get("constraints")
        method = "trf" if limited else "lm"
    data = _data(xdata, ydata, check_finite, nan_policy)
    weights, whiten = _whitening(sigma, data)
    m = len(data.y)
    if "args" in kwargs:
        raise ValueError("'args' is not a supported keyword argument.")
    if method == "lm" and m < n and m != 1:
        raise TypeError(f"The number of func parameters={n} must not exceed the number of data points={m}.")
    jacobian: Any = "2-point" if jac is None else jac
    model = None
    if callable(jac):
        transposed = kwargs.get("col_deriv")

        def jacobian(p: Array) -> Any:
            return whiten(_rows(jac(data.x, *p), transposed))

    if whiten is _same or weights is not None:
        model = (f, (data.x,), data.y, weights)
    _rename(kwargs, method, n, jac)
    result = least_squares_of_model(
        _residuals_of(f, data, whiten), guess, jacobian, bounds, method, model=model,
        counts_differences=method == "lm" and jac is None, **kwargs,
    )  # fmt: skip
    if not result.success:
        raise RuntimeError(f"Optimal parameters not found: {result.message.replace('max_nfev', 'maxfev')}")
    covariance = _covariance(result, len(result.fun), f, absolute_sigma, method)
    if not full_output:
        return result.x, covariance
    return result.x, covariance, _information(result, method), result.message, result.status


class _Data(NamedTuple):
    x: Any
    y: Array
    keep: Any


def _residuals_of(f: Callable[..., Any], data: _Data, whiten: Callable[[Any], Any]) -> Callable[[Array], Any]:
    def residuals(p: Any) -> Any:
        values = f(data.x, *p)
        refuse_masked(values, "f")
        if not isinstance(values, DualArray) and not hasattr(values, "aval"):
            values = np.asarray(values)
        if values.size == 1:
            values = values.reshape(())
        return whiten((values if values.ndim == 0 else values.reshape(-1)) - data.y)

    return residuals


def _rename(kwargs: dict[str, Any], method: str, n: int, jac: Any) -> None:
    """Names of leastsq become those of least_squares."""
    if "maxfev" in kwargs:
        kwargs["max_nfev"] = kwargs.pop("maxfev")
    if not kwargs.get("max_nfev", 1):
        kwargs["max_nfev"] = None
    if method != "lm":
        return
    if kwargs.get("max_nfev") is None:
        kwargs["max_nfev"] = 100 * (n + 1) * (1 if callable(jac) else 2)
    epsfcn = kwargs.pop("epsfcn", None)
    if epsfcn is not None:
        kwargs["diff_step"] = max(epsfcn, np.finfo(float).eps) ** 0.5
    if kwargs.get("diag") is not None:
        refuse_masked(kwargs["diag"], "diag")
        kwargs["x_scale"] = 1.0 / np.asarray(kwargs["diag"], dtype=np.float64)
    kwargs.pop("diag", None)
    kwargs.pop("col_deriv", None)


def _rows(jacobian: Any, transposed: Any) -> Array:
    refuse_masked(jacobian, "jac")
    matrix = np.asarray(jacobian, dtype=np.float64)
    return matrix.T if transposed else matrix


def _start(f: Callable[..., Any], p0: Any, bounds: Any) -> Array:
    if p0 is not None:
        start = np.atleast_1d(numbers_of(p0, "p0"))
        if start.size == 0:
            raise ValueError("`p0`: expected at least one parameter.")
        return start
    n = _num_arguments(f) - 1
    if n < 1:
        raise ValueError("`p0`: the number of parameters cannot be found from the signature of f. Pass p0.")
    lower, upper = bounds_of(bounds, n)
    start = np.ones(n)
    low, high = np.isfinite(lower), np.isfinite(upper)
    both = low & high
    start[both] = 0.5 * (lower[both] + upper[both])
    start[low & ~high] = lower[low & ~high] + 1.0
    start[~low & high] = upper[~low & high] - 1.0
    return start


def _num_arguments(f: Callable[..., Any]) -> int:
    if type(f) is FunctionType and not hasattr(f, "__wrapped__") and not hasattr(f, "__signature__"):
        return f.__code__.co_argcount
    return sum(p.kind in POSITIONAL for p in inspect.signature(f).parameters.values())


def _data(xdata: Any, ydata: Any, check_finite: bool | None, nan_policy: str | None) -> _Data:
    if nan_policy not in (None, "raise", "omit"):
        raise ValueError(
            "`nan_policy='propagate'` is not supported by this function."
            if nan_policy == "propagate"
            else f"nan_policy must be one of {{None, 'raise', 'omit'}}, got {nan_policy!r}."
        )
    refuse_masked(xdata, "xdata")
    refuse_masked(ydata, "ydata")
    check = nan_policy is None if check_finite is None else check_finite
    y = np.asarray(ydata)
    if y.size == 0:
        raise ValueError("`ydata` must not be empty: the array has no elements.")
    y = _numbers(y, "ydata")
    x = xdata
    if isinstance(xdata, (list, tuple, np.ndarray)):
        x = np.asarray(xdata)
        x = x if x.dtype.kind in "cO" else _numbers(x, "xdata")
    for name, values in (("xdata", x), ("ydata", y)):
        numbers = isinstance(values, np.ndarray) and values.dtype.kind in "fc"
        if check and numbers and not np.all(np.isfinite(values)):
            raise ValueError(f"`{name}`: the array must not contain infs or NaNs.")
    y = np.ascontiguousarray(y.reshape(-1))
    if nan_policy is None:
        return _Data(x, y, None)
    missing = np.isnan(y)
    rows = isinstance(x, np.ndarray) and x.dtype.kind in "fc" and x.shape[-1:] == (len(y),)
    if rows:
        missing = missing | np.isnan(x).reshape(-1, len(y)).any(axis=0)
    elif isinstance(x, np.ndarray) and x.dtype.kind in "fc" and np.isnan(x).any():
        if nan_policy == "raise":
            raise ValueError("The input contains nan values (NaN): `xdata`.")
        raise ValueError("`xdata`: nan_policy='omit' needs one value, or one column, for each of `ydata`.")
    if nan_policy == "raise" and missing.any():
        raise ValueError("The input contains nan values (NaN): `xdata` or `ydata`.")
    if not missing.any():
        return _Data(x, y, None)
    return _Data(x[..., ~missing] if rows else x, y[~missing], ~missing)


def _numbers(values: Any, name: str) -> Array:
    if np.iscomplexobj(values):
        raise ValueError(f"`{name}`: expected real numbers. Stack real and imaginary parts: numpy.r_[z.real, z.imag].")
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"`{name}`: expected an array of numbers.") from None


def _same(values: Any) -> Any:
    return values


def _whitening(sigma: Any, data: _Data) -> tuple[Array | None, Callable[[Any], Any]]:
    """The weights of residuals, if they are independent, and the function that multiplies residuals, or rows of a
    Jacobian, by the inverse root of their covariance."""
    if sigma is None:
        return None, _same
    refuse_masked(sigma, "sigma")
    m = len(data.y)
    s = np.ascontiguousarray(sigma, dtype=np.float64)
    if data.keep is not None and s.size > 1:
        s = s[data.keep] if s.ndim == 1 else s[np.ix_(data.keep, data.keep)]
    if s.size == 1 and s.ndim < 2:
        s = np.full(m, s.reshape(-1)[0])
    if s.shape == (m,):
        with np.errstate(divide="ignore"):
            weight = 1.0 / s
        if not np.all(np.isfinite(weight)):
            raise ValueError("`sigma`: expected numbers other than zero and NaN.")
        return weight, lambda r: r * (weight if np.ndim(r) == 1 else weight[:, None])
    if s.shape == (m, m):
        try:
            factor = np.linalg.cholesky(s)
        except np.linalg.LinAlgError:
            raise ValueError("`sigma` must be positive definite.") from None
        inverse = np.linalg.inv(factor)
        return None, lambda r: inverse @ r
    raise ValueError(f"`sigma` has incorrect shape: expected ({m},) or ({m}, {m}), got {s.shape}.")


def _covariance(result: Any, m: int, f: Callable[..., Any], absolute_sigma: bool, method: str) -> Array:
    """The inverse of J'J. Where it is singular, 'lm' gives infinities and the others the pseudo-inverse, as SciPy."""
    jac = result.jac if isinstance(result.jac, np.ndarray) else result.jac.toarray()
    if "v" in result:
        return _constrained_covariance(result, jac, absolute_sigma)
    n = len(result.x)
    pair: Any = _core._inverse_normal(jac, *jac.shape)
    covariance, rank = pair
    determined = rank == n or method != "lm"
    if not determined:
        covariance = np.full((n, n), np.inf)
    if determined and not absolute_sigma:
        if m > n:
            covariance = covariance * (2.0 * result.cost / (m - n))
        else:
            determined, covariance = False, np.full((n, n), np.inf)
    if not determined or rank < n:
        message = "The covariance of the parameters could not be estimated."
        if rank < n:
            message += _cause(jac, _parameter_names(f, n))
        warnings.warn(message, category=OptimizeWarning, stacklevel=3)
    return covariance


def _constrained_covariance(result: Any, jac: Array, absolute_sigma: bool) -> Array:
    """Z (Z'J'J Z)^-1 Z' for a basis Z of the changes that the active constraints leave free.

    It is the upper left block of the inverse of [J'J A'; A 0] (Nocedal and Wright,
    "Numerical Optimization", 2006, 16.1).
    """
    at = result.__dict__["_constraints"]
    basis = tangent_space(at.gradients(), at.sizes)
    m, free = len(jac), basis.shape[1]
    if free == 0:
        return np.zeros((len(basis), len(basis)))
    pair: Any = _core._inverse_normal(np.ascontiguousarray(jac @ basis), m, free)
    inverse, rank = pair
    covariance: Array = basis @ inverse @ basis.T
    if not absolute_sigma:
        covariance = covariance * (2.0 * result.cost / (m - free)) if m > free else np.full_like(covariance, np.inf)
    if rank < free or (m <= free and not absolute_sigma):
        warnings.warn("The covariance of the parameters could not be estimated.", category=OptimizeWarning, stacklevel=4)
    return covariance


def _cause(jac: Array, names: list[str]) -> str:
    """Why the covariance does not exist: a sentence on the first undetermined or weak direction."""
    if not np.all(np.isfinite(jac)):
        return ""
    # R of a QR factorization leaves the same directions undetermined, and has few rows.
    r = np.linalg.qr(jac, mode="r")
    unbounded = np.full(len(names), np.inf)
    diagnosis = diagnose_linear(r, np.zeros(len(r)), -unbounded, unbounded, names)
    directions = diagnosis.undetermined + diagnosis.weak
    return f" {directions[0].cause}" if directions else ""


def _parameter_names(f: Callable[..., Any], n: int) -> list[str]:
    try:
        names = [name for name, p in inspect.signature(f).parameters.items() if p.kind in POSITIONAL][1:]
    except (TypeError, ValueError):
        names = []
    return names if len(names) == n else [f"p[{k}]" for k in range(n)]


def _information(result: Any, method: str) -> dict[str, Any]:
    info = {"nfev": result.nfev, "fvec": result.fun}
    if method != "lm":
        return info
    from scipy.linalg import qr

    q, r, order = qr(result.jac, mode="economic", pivoting=True)
    fjac = np.zeros(result.jac.shape[::-1])
    fjac[:, : len(r)] = r.T
    info.update(fjac=fjac, ipvt=order + 1, qtf=q.T @ result.fun)
    return info
