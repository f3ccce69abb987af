# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""The arguments of least_squares, checked."""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._arrays import refuse_masked

Array = NDArray[np.float64]

EPS = float(np.finfo(float).eps)


def bounds_of(bounds: Any, n: int) -> tuple[Array, Array]:
    if hasattr(bounds, "lb") and hasattr(bounds, "ub"):
        pair = (bounds.lb, bounds.ub)
    elif isinstance(bounds, (tuple, list, np.ndarray)) and len(bounds) == 2:
        pair = (bounds[0], bounds[1])
    else:
        raise ValueError("`bounds`: expected a pair of lower and upper bounds, which has 2 elements.")
    result = []
    for side in pair:
        if type(side) is float:
            result.append(np.full(n, side))
            continue
        array = numbers_of(side, "bounds")
        if array.ndim > 1 or (array.ndim == 1 and array.shape != (n,)):
            raise ValueError(f"`bounds`: expected numbers or arrays of shape ({n},), got shape {array.shape}.")
        result.append(np.array(np.broadcast_to(array, (n,))))
    return result[0], result[1]


def scale_of(x_scale: Any, n: int) -> Array | None:
    """Typical sizes of the variables, or None: from the Jacobian."""
    if x_scale is None or (isinstance(x_scale, str) and x_scale == "jac"):
        return None
    refuse_masked(x_scale, "x_scale")
    try:
        scale = np.asarray(x_scale, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError("`x_scale`: expected 'jac' or numbers > 0.") from None
    if scale.ndim > 1 or (scale.ndim == 1 and scale.shape != (n,)):
        raise ValueError(f"`x_scale`: expected a number or an array of shape ({n},), got shape {scale.shape}.")
    if not np.all((scale > 0) & np.isfinite(scale)):
        raise ValueError("`x_scale`: expected 'jac' or numbers > 0.")
    return np.array(np.broadcast_to(scale, (n,)))


def strictly_inside(x: Array, lower: Array, upper: Array, sizes: Array | None) -> Array:
    """x, moved off the bounds by 1e-10 of the sizes at hand: of the bound, the box, or the variable."""
    low, high = x <= lower, x >= upper
    if not np.any(low | high):
        return x
    width = upper - lower
    size = np.maximum(np.abs(x), np.where(np.isfinite(width), width, 0.0))
    size = np.where(size > 0.0, size, 1.0 if sizes is None else sizes)
    moved = x + np.where(low, 1e-10, 0.0) * size - np.where(high, 1e-10, 0.0) * size
    # A box that is narrower than its bounds are large.
    middle = np.where(np.isfinite(width), lower + 0.5 * np.where(np.isfinite(width), width, 0.0), x)
    return np.where((low | high) & ~((lower < moved) & (moved < upper)), middle, moved)


def structure_of(jac_sparsity: Any, jac: Any, tr_solver: str | None) -> Any:
    if jac_sparsity is None or callable(jac) or jac in ("autodiff", "jax"):
        return None
    if tr_solver == "exact":
        raise ValueError("`tr_solver`='exact' does not take `jac_sparsity`. Use 'lsmr' or None.")
    from scipy.sparse import csc_matrix, issparse

    return csc_matrix(jac_sparsity) if issparse(jac_sparsity) else csc_matrix(np.atleast_2d(jac_sparsity))


def tr_options_of(tr_options: Any, tr_solver: str | None) -> dict[str, Any]:
    options = dict(tr_options or {})
    known = ("maxiter", "atol", "btol", "damp", "conlim", "show", "regularize")
    for name in options:
        if name not in known:
            error = TypeError if tr_solver == "lsmr" else ValueError
            raise error(f"`tr_options`: expected options of 'lsmr', {', '.join(known)}, got {name!r}.")
    return options


class Tolerances(NamedTuple):
    ftol: float
    xtol: float
    gtol: float


def tolerances_of(ftol: Any, xtol: Any, gtol: Any, method: str) -> Tolerances:
    """None switches a test off, and so does a number below the precision of floats."""
    values = []
    for name, value in (("ftol", ftol), ("xtol", xtol), ("gtol", gtol)):
        try:
            number = 0.0 if value is None else float(value)
        except (TypeError, ValueError):
            raise ValueError(f"`{name}`: expected a number or None, got {value!r}.") from None
        if value is not None and number < EPS:
            warnings.warn(
                f"`{name}` = {number:g} is below the precision of floats, {EPS:.2e}: this test is switched off.",
                stacklevel=4,
            )
        values.append(number if number >= EPS else 0.0)
    if method == "lm" and not all(values):
        raise ValueError(f"Method 'lm': `ftol`, `xtol` and `gtol` must not be less than the precision of floats, {EPS:.2e}.")
    if not any(values):
        raise ValueError("At least one of `ftol`, `xtol`, `gtol` must be greater than the precision of floats.")
    return Tolerances(*values)


def limit_of(max_nfev: Any, n: int) -> int:
    if max_nfev is None:
        return 100 * n
    if not isinstance(max_nfev, (int, float, np.number)) or not max_nfev >= 1:
        raise ValueError(f"`max_nfev`: expected a number > 0, got {max_nfev!r}.")
    return int(min(max_nfev, 2**30))


def numbers_of(values: Any, name: str) -> Array:
    """A new array of float64."""
    refuse_masked(values, name)
    try:
        return np.array(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"`{name}`: expected an array of real numbers, got {values!r:.80}.") from None


def refuse_none(values: Any, name: str) -> None:
    if values is None:
        raise ValueError(f"`{name}`: expected an array of real numbers, got None. Does the function return its result?")


def real_values(values: Any, name: str, any_shape: bool = False) -> tuple[Array, float]:
    """Values of a user's function as an own array of float64, and the machine epsilon of their type."""
    refuse_masked(values, name)
    array = np.asarray(values)
    refuse_none(values, name)
    if np.iscomplexobj(array):
        raise ValueError(f"`{name}`: expected real values, got complex ones.")
    if array.ndim > 1 and not any_shape:
        raise ValueError(f"`{name}`: expected an array with at most one dimension, got shape {array.shape}.")
    precision = EPS
    if array.dtype.kind == "f" or array.dtype.name == "bfloat16":
        info = getattr(array.dtype, "itemsize", 8)
        precision = max(EPS, {2: 2.0**-7 if array.dtype.name == "bfloat16" else 2.0**-10, 4: 2.0**-23}.get(info, EPS))
    try:
        return np.array(array, dtype=np.float64).reshape(-1), precision
    except (TypeError, ValueError):
        raise ValueError(f"`{name}`: expected real numbers, got {array.dtype} values.") from None
