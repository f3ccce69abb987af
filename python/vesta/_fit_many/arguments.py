# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""Checks the arguments of fit_many and brings arrays into the shapes that the extension module reads."""

from __future__ import annotations

import inspect
from typing import Any, Callable, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .. import models
from .._arrays import refuse_masked

Array = NDArray[np.float64]


def real_array(values: Any, name: str) -> NDArray[Any]:
    """An array of float64 or float32, without a copy if it is one. Objects that are numbers or None are converted."""
    refuse_masked(values, name)
    try:
        array = np.asarray(values)
        if array.dtype == object:
            array = array.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"`{name}`: expected an array of real numbers. {error}") from None
    if array.dtype.kind not in "biuf":
        raise ValueError(f"`{name}`: expected real numbers, got {array.dtype}.")
    return array if array.dtype in (np.float64, np.float32) else array.astype(np.float64)


def samples_array(values: Any, name: str) -> NDArray[Any]:
    """real_array, with NaN for what is masked: fit_many leaves such samples out."""
    if isinstance(values, np.ma.MaskedArray) and values.dtype.kind in "biuf" and np.ma.is_masked(values):
        wide = values.dtype if values.dtype.kind == "f" else np.float64
        values = np.ma.filled(values.astype(wide), np.nan)
    return real_array(values, name)


class Measurements(NamedTuple):
    y: NDArray[Any]  # (..., n)
    columns: list[NDArray[Any]]  # Each (n,) or (fits, n).
    is_single: bool  # Whether the model gets one column.

    @property
    def fits_shape(self) -> tuple[int, ...]:
        return self.y.shape[:-1]

    @property
    def num_fits(self) -> int:
        return int(np.prod(self.fits_shape, dtype=np.int64))


def by_fit(array: NDArray[Any]) -> NDArray[Any]:
    """An array of shape (..., n) as (fits, n), with strides of whole items."""
    flat = array.reshape(int(np.prod(array.shape[:-1], dtype=np.int64)), array.shape[-1])
    if any(stride % flat.itemsize for stride in flat.strides):
        flat = np.ascontiguousarray(flat)
    return flat


def _column(values: Any, shape: tuple[int, ...], name: str) -> NDArray[Any]:
    array = samples_array(values, name)
    if array.shape == shape[-1:]:
        return by_fit(array.reshape(1, -1))[0]
    try:
        return by_fit(np.broadcast_to(array, shape))
    except ValueError:
        raise ValueError(
            f"`{name}`: expected the shape {shape[-1:]} or {shape}, or one that broadcasts to it, got {array.shape}. "
            "The samples of a fit are the last dimension of y."
        ) from None


def measurements(x: Any, y: Any) -> Measurements:
    ys = samples_array(y, "y")
    if ys.ndim == 0:
        raise ValueError("`y`: expected an array of shape (..., n), got a number.")
    several = isinstance(x, (tuple, list)) and len(x) > 0 and all(np.ndim(c) > 0 for c in x)
    if not several:
        x = samples_array(x, "x")
        # Rows as in curve_fit.
        several = x.ndim == 2 and x.shape != ys.shape and x.shape[-1] == ys.shape[-1]
    columns = list(x) if several else [x]
    names = [f"x[{j}]" if several else "x" for j in range(len(columns))]
    return Measurements(ys, [_column(c, ys.shape, name) for c, name in zip(columns, names)], not several)


def weights_of(sigma: Any, shape: tuple[int, ...]) -> NDArray[Any] | None:
    if sigma is None:
        return None
    array = samples_array(sigma, "sigma")
    with np.errstate(divide="ignore"):
        inverse = 1.0 / array
    if np.any(np.isinf(inverse)):
        raise ValueError("`sigma`: expected numbers other than zero.")
    return _column(np.broadcast_to(inverse, shape[-1:]) if inverse.ndim == 0 else inverse, shape, "sigma")


def mask_of(mask: Any, shape: tuple[int, ...]) -> NDArray[Any] | None:
    if mask is None:
        return None
    refuse_masked(mask, "mask")
    array = np.asarray(mask)
    if array.dtype != np.bool_:
        raise ValueError(f"`mask`: expected booleans, True for what is to be used, got {array.dtype}.")
    if array.shape == shape[-1:]:
        return by_fit(array.reshape(1, -1))[0]
    try:
        return by_fit(np.broadcast_to(array, shape))
    except ValueError:
        raise ValueError(
            f"`mask`: expected a shape that broadcasts to that of y, {shape}, got {array.shape}. "
            "For a mask of fits pass mask[..., None]."
        ) from None


def parameters_of(p0: Any, shape: tuple[int, ...], sizes: range) -> Array:
    """A new array (fits, p). sizes: how many parameters the model may have."""
    start = real_array(p0, "p0").astype(np.float64)
    if start.ndim == 0:
        start = start.reshape(1)
    size = start.shape[-1]
    if size not in sizes:
        counts = "some" if sizes.stop > MOST_PARAMETERS else " or ".join(str(n) for n in sizes)
        raise ValueError(
            f"`p0`: the model has {counts or 'no'} parameters, and p0 has the shape {start.shape}. "
            "A model takes x and each parameter by itself: f(x, a, b)."
        )
    try:
        return np.array(np.broadcast_to(start, (*shape, size)), dtype=np.float64, order="C").reshape(-1, size)
    except ValueError:
        raise ValueError(f"`p0`: expected the shape ({size},) or {(*shape, size)}, got {start.shape}.") from None


def bounds_of(bounds: Any, shape: tuple[int, ...], size: int) -> tuple[Array | None, Array | None, int]:
    """Lower and upper bounds, C-contiguous, and their stride from fit to fit."""
    if bounds is None:
        return None, None, 0
    if hasattr(bounds, "lb") and hasattr(bounds, "ub"):  # scipy.optimize.Bounds
        bounds = bounds.lb, bounds.ub
    try:
        low, high = bounds
    except (TypeError, ValueError):
        raise ValueError("`bounds`: expected a pair (lower, upper).") from None
    pair = [real_array(b, "bounds").astype(np.float64) for b in (low, high)]
    per_fit = any(b.ndim > 1 for b in pair)
    target = (*shape, size) if per_fit else (size,)
    try:
        lower, upper = (np.array(np.broadcast_to(b, target), order="C") for b in pair)
    except ValueError:
        raise ValueError(
            f"`bounds`: expected numbers or arrays of shape ({size},) or {(*shape, size)}, got {[b.shape for b in pair]}."
        ) from None
    if np.any(np.isnan(lower)) or np.any(np.isnan(upper)) or np.any(lower > upper):
        raise ValueError("`bounds`: a lower bound is NaN or greater than the upper one.")
    if np.all(np.isneginf(lower)) and np.all(np.isposinf(upper)):
        return None, None, 0
    return lower.reshape(-1), upper.reshape(-1), size if per_fit else 0


def fixed_of(fixed: Any, size: int) -> list[bool]:
    if fixed is None:
        return [False] * size
    flags = np.asarray(fixed)
    if flags.shape != (size,) or flags.dtype != np.bool_:
        raise ValueError(f"`fixed`: expected {size} booleans, got {flags.dtype} of shape {flags.shape}.")
    return [bool(flag) for flag in flags]


# More than any model has.
MOST_PARAMETERS = 10**6


def model_of(model: Any) -> tuple[Callable[..., Any], range]:
    """The function and how many parameters it may have."""
    any_number = range(1, MOST_PARAMETERS + 1)
    if isinstance(model, str):
        function, size = models.sum_of(model)
        return function, range(size, size + 1)
    if not callable(model):
        raise TypeError(
            f"model: expected a function, a compiled function or the name of a model, got {type(model).__name__}."
        )
    model = getattr(model, "py_func", model)  # Of numba.njit.
    try:
        parameters = list(inspect.signature(model).parameters.values())
    except (TypeError, ValueError):
        return model, any_number
    if any(p.kind is p.VAR_POSITIONAL for p in parameters):
        return model, any_number
    by_place = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    required = sum(p.default is p.empty for p in by_place)
    return model, range(max(required - 1, 1), len(by_place))
