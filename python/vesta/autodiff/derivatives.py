# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""Derivatives of sums, products, and functions that are linear."""

from __future__ import annotations

from typing import Any, Callable

import numpy as np

from .dual_array import Array, DualArray, to_dual, union

# From this number of entries on, derivatives are computed one column after the other, in place: memory that is written
# once, in parts that fit into a cache. Below, fewer calls of NumPy count more. Measured by scripts/compare_python.sh.
LARGE = 4096
# The factor of what is subtracted.
MINUS_ONE = -1.0


def lifted(d: Array, ndim: int) -> Array:
    """Derivatives of an array with fewer dimensions, for broadcasting with `ndim` ones."""
    missing = ndim + 1 - d.ndim
    return d if missing <= 0 else d.reshape(d.shape[0], *(1,) * missing, *d.shape[1:])


def combined(value: Any, *terms: tuple[DualArray, Any]) -> DualArray:
    """The dual array with the derivatives sum of term.derivative * factor; a factor None is one."""
    value = np.asarray(value, dtype=np.float64)
    used = [(x, f) for x, f in terms if x.columns]
    if not used:
        return DualArray(value)
    shape = value.shape
    if len(used) == 1:
        x, factor = used[0]
        d = _scaled(lifted(x.derivative, value.ndim), factor)
        if d.shape[1:] != shape:
            d = np.broadcast_to(d, (d.shape[0], *shape))
        return DualArray(value, x.columns, d)
    (x, fx), (y, fy) = used
    dx, dy = lifted(x.derivative, value.ndim), lifted(y.derivative, value.ndim)
    columns = union(x.columns, y.columns)
    if x.columns == y.columns and value.size < LARGE:
        return DualArray(value, columns, _scaled(dx, fx) + _scaled(dy, fy))
    result = _empty_like_rows(value, len(columns))
    in_x = {c: k for k, c in enumerate(x.columns)}
    in_y = {c: k for k, c in enumerate(y.columns)}
    memory = None
    for k, c in enumerate(columns):
        if c not in in_y:
            _scaled(dx[in_x[c]], fx, result[k, ...])
        elif c not in in_x:
            _scaled(dy[in_y[c]], fy, result[k, ...])
        else:
            _scaled(dx[in_x[c]], fx, result[k, ...])
            memory = _add_scaled(dy[in_y[c]], fy, result[k, ...], memory)
    return DualArray(value, columns, result)


def _scaled(d: Array, factor: Any, out: Any = None) -> Array:
    if factor is not None:
        return np.multiply(d, factor, out=out)
    if out is None:
        return d
    out[...] = d
    return out


def _add_scaled(d: Array, factor: Any, total: Array, memory: Any) -> Any:
    """Adds d * factor to `total`. Returns memory for the next call, which an array of this size may need."""
    if factor is None:
        np.add(total, d, out=total)
    elif factor is MINUS_ONE:
        np.subtract(total, d, out=total)
    else:
        memory = np.multiply(d, factor, out=memory)
        np.add(total, memory, out=total)
    return memory


def _empty_like_rows(value: Array, count: int) -> Array:
    """Memory for `count` arrays, each in the memory order of `value`."""
    if value.flags.c_contiguous:
        return np.empty((count, *value.shape))
    order = sorted(range(value.ndim), key=lambda axis: -abs(value.strides[axis]))
    base = np.empty((count, *(value.shape[axis] for axis in order)))
    return base.transpose(0, *(1 + order.index(axis) for axis in range(value.ndim)))


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
