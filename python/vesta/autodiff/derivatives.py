# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""Derivatives of sums, products, and functions that are linear."""

from __future__ import annotations

from typing import Any, Callable

import numpy as np

from .. import _core
from .dual_array import Array, DualArray, to_dual

def lifted(d: Array, ndim: int) -> Array:
    """Derivatives of an array with fewer dimensions, for broadcasting with `ndim` ones."""
    missing = ndim + 1 - d.ndim
    return d if missing <= 0 else d.reshape(d.shape[0], *(1,) * missing, *d.shape[1:])


def combined(value: Any, x: tuple[Any, Any], y: tuple[Any, Any] = (None, None)) -> DualArray:
    """The dual array with the derivatives of x[0] * x[1] + y[0] * y[1]; a factor None is one."""
    result: Any = _core._combined(value, *x, *y)
    return result


def bilinear(function: Callable[[Any, Any], Any], x: Any, y: Any) -> DualArray:
    """function is linear in each argument."""
    x, y = to_dual(x), to_dual(y)
    value = function(x.value, y.value)
    dx = DualArray(value, x.columns, columnwise(lambda d: function(d, y.value), x.derivative, np.shape(value)))
    dy = DualArray(value, y.columns, columnwise(lambda d: function(x.value, d), y.derivative, np.shape(value)))
    return combined(value, (dx, None), (dy, None))


def columnwise(function: Callable[[Any], Any], d: Array, shape: tuple[int, ...]) -> Array:
    if len(d) == 0:
        return np.zeros((0, *shape))
    return np.stack([function(column) for column in d])


def linear(function: Any, x: Any, *args: Any, **kwargs: Any) -> DualArray:
    """function is linear in its first argument."""
    x = to_dual(x)
    value = function(x.value, *args, **kwargs)
    return DualArray(
        value, x.columns, columnwise(lambda d: function(d, *args, **kwargs), x.derivative, np.shape(value))
    )
