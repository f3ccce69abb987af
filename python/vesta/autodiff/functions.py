# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""The derivatives of functions that rearrange, add and select."""

from __future__ import annotations

import functools
from typing import Any, Callable, Sequence

import numpy as np

from .derivatives import bilinear, combined, lifted, linear
from .dual_array import FUNCTIONS, Columns, DualArray, expanded, to_dual, union

NO_COLUMNS: Columns = ()


def sum_of(x: Any, axis: Any = None, keepdims: bool = False, **kwargs: Any) -> DualArray:
    x = to_dual(x)
    axes = range(x.ndim) if axis is None else (axis if isinstance(axis, tuple) else (axis,))
    shifted = tuple(a % x.ndim + 1 for a in axes) if x.ndim else ()
    return DualArray(
        x.value.sum(axis=axis, keepdims=keepdims), x.columns, x.derivative.sum(axis=shifted, keepdims=keepdims)
    )


def stack(arrays: Sequence[Any], axis: int = 0, **kwargs: Any) -> DualArray:
    duals = [to_dual(a) for a in arrays]
    value = np.stack([d.value for d in duals], axis=axis)
    columns: Columns = functools.reduce(union, (d.columns for d in duals), NO_COLUMNS)
    position = axis % value.ndim
    # In memory, the parts stand one after the other.
    base = np.zeros((len(columns), len(duals), *duals[0].shape))
    for i, dual in enumerate(duals):
        for k, c in enumerate(dual.columns):
            base[columns.index(c), i] = dual.derivative[k]
    return DualArray(value, columns, np.moveaxis(base, 1, position + 1))


def _concatenate(arrays: Sequence[Any], axis: Any = 0, **kwargs: Any) -> DualArray:
    duals = [to_dual(a) for a in arrays]
    if axis is None:
        duals, axis = [d.ravel() for d in duals], 0
    value = np.concatenate([d.value for d in duals], axis=axis)
    columns: Columns = functools.reduce(union, (d.columns for d in duals), NO_COLUMNS)
    axis = axis % value.ndim
    return DualArray(value, columns, np.concatenate([expanded(d, columns) for d in duals], axis=axis + 1))


def _column_stack(arrays: Sequence[Any]) -> DualArray:
    duals = [to_dual(a) for a in arrays]
    return _concatenate([d.reshape(-1, 1) if d.ndim < 2 else d for d in duals], axis=1)


def _hstack(arrays: Sequence[Any], **kwargs: Any) -> DualArray:
    duals = [to_dual(a) for a in arrays]
    duals = [d.reshape(-1) if d.ndim == 0 else d for d in duals]
    return _concatenate(duals, axis=0 if duals[0].ndim == 1 else 1)


def _vstack(arrays: Sequence[Any], **kwargs: Any) -> DualArray:
    duals = [to_dual(a) for a in arrays]
    return _concatenate([d.reshape(1, -1) if d.ndim < 2 else d for d in duals], axis=0)


def _where(condition: Any, x: Any, y: Any) -> DualArray:
    if isinstance(condition, DualArray):
        condition = condition.value != 0.0
    x, y = to_dual(x), to_dual(y)
    value = np.where(condition, x.value, y.value)
    columns = union(x.columns, y.columns)
    dx, dy = lifted(expanded(x, columns), value.ndim), lifted(expanded(y, columns), value.ndim)
    return DualArray(value, columns, np.broadcast_to(np.where(condition, dx, dy), (len(columns), *value.shape)))


def _clip(x: Any, low: Any = None, high: Any = None, **kwargs: Any) -> DualArray:
    low = kwargs.get("a_min", low)
    high = kwargs.get("a_max", high)
    result = to_dual(x)
    if low is not None:
        result = np.maximum(result, low)
    if high is not None:
        result = np.minimum(result, high)
    return result


def _prod(x: Any, axis: Any = None, **kwargs: Any) -> DualArray:
    x = to_dual(x)
    if axis is None:
        x, axis = x.ravel(), 0
    parts = [linear(np.take, x, i, axis=axis) for i in range(x.shape[axis])]
    return functools.reduce(lambda a, b: a * b, parts)


def _extreme(find: Any, x: Any, axis: Any = None, **kwargs: Any) -> DualArray:
    x = to_dual(x)
    if axis is None:
        x, axis = x.ravel(), 0
    index = np.expand_dims(find(x.value, axis=axis), axis)
    return linear(lambda a: np.squeeze(np.take_along_axis(a, index, axis=axis), axis=axis), x)


def _plain_like(function: Any) -> Callable[..., DualArray]:
    return lambda x, *args, **kwargs: DualArray(function(x.value, *args, **kwargs))


def _split(function: Any) -> Callable[..., list[DualArray]]:
    def rule(x: Any, *args: Any, **kwargs: Any) -> list[DualArray]:
        parts = function(x.value, *args, **kwargs)
        columns = [function(d, *args, **kwargs) for d in x.derivative]
        return [DualArray(p, x.columns, np.stack([c[i] for c in columns])) for i, p in enumerate(parts)]

    return rule


def _variance(x: Any, axis: Any = None, dtype: Any = None, out: Any = None, ddof: int = 0, **kwargs: Any) -> Any:
    x = to_dual(x)
    deviation: Any = x - linear(np.mean, x, axis=axis, keepdims=True)
    count = x.size / max(1, sum_of(deviation, axis=axis).size)
    return sum_of(deviation * deviation, axis=axis, keepdims=kwargs.get("keepdims", False)) / (count - ddof)


def _deviation(x: Any, *args: Any, **kwargs: Any) -> DualArray:
    variance = _variance(x, *args, **kwargs)
    value = np.sqrt(variance.value)
    # The root has no derivative at 0; 0 is one of its subgradients there.
    return combined(value, (variance, 0.5 / np.where(value == 0.0, np.inf, value)))


def _select(conditions: Sequence[Any], choices: Sequence[Any], default: Any = 0.0) -> DualArray:
    result = to_dual(default)
    for condition, choice in zip(reversed(conditions), reversed(choices)):
        result = _where(condition, choice, result)
    return result


def _convolve(a: Any, v: Any, mode: Any = "full") -> DualArray:
    return bilinear(functools.partial(np.convolve, mode=mode), a, v)


def _append(x: Any, values: Any, axis: Any = None) -> DualArray:
    return _concatenate([x, values], axis=axis)


def _sinc(x: Any) -> DualArray:
    value = np.sinc(x.value)
    safe = np.where(x.value == 0.0, 1.0, x.value)
    slope = np.where(x.value == 0.0, 0.0, (np.cos(np.pi * safe) - value) / safe)
    return combined(value, (x, slope))


for _function in (
    np.reshape, np.mean, np.cumsum, np.squeeze, np.take, np.expand_dims, np.moveaxis, np.swapaxes, np.ravel,
    np.broadcast_to, np.diff, np.roll, np.flip, np.fliplr, np.flipud, np.repeat, np.tile, np.trace, np.diagonal,
    np.tril, np.triu, np.rot90, np.atleast_1d, np.atleast_2d, np.delete, np.nansum, np.pad, np.take_along_axis,
    np.compress, np.gradient, np.average,
):  # fmt: skip
    FUNCTIONS[_function] = functools.partial(linear, _function)
FUNCTIONS.update({
    np.sum: sum_of,
    np.stack: stack,
    np.concatenate: _concatenate,
    np.column_stack: _column_stack,
    np.hstack: _hstack,
    np.vstack: _vstack,
    np.where: _where,
    np.select: _select,
    np.append: _append,
    np.convolve: _convolve,
    np.var: _variance,
    np.std: _deviation,
    np.round: _plain_like(np.round),
    np.around: _plain_like(np.around),
    np.clip: _clip,
    np.prod: _prod,
    np.min: functools.partial(_extreme, np.argmin),
    np.max: functools.partial(_extreme, np.argmax),
    np.amin: functools.partial(_extreme, np.argmin),
    np.amax: functools.partial(_extreme, np.argmax),
    np.transpose: lambda x, axes=None: x.transpose(*(axes or ())),
    np.copy: lambda x, **kwargs: x.copy(),
    np.zeros_like: _plain_like(np.zeros_like),
    np.ones_like: _plain_like(np.ones_like),
    np.empty_like: _plain_like(np.zeros_like),
    np.full_like: lambda x, fill, **kwargs: DualArray(np.full_like(x.value, fill)),
    np.shape: lambda x: x.shape,
    np.ndim: lambda x: x.ndim,
    np.size: lambda x, axis=None: np.size(x.value, axis),
    np.sinc: lambda x: _sinc(x),
    np.split: _split(np.split),
    np.array_split: _split(np.array_split),
    np.hsplit: _split(np.hsplit),
    np.nan_to_num: lambda x, **kwargs: _where(np.isfinite(x.value), x, np.nan_to_num(x.value, **kwargs)),
    np.isclose: lambda a, b, **kwargs: np.isclose(to_dual(a).value, to_dual(b).value, **kwargs),
    np.allclose: lambda a, b, **kwargs: np.allclose(to_dual(a).value, to_dual(b).value, **kwargs),
    np.argmax: lambda x, **kwargs: np.argmax(x.value, **kwargs),
    np.argmin: lambda x, **kwargs: np.argmin(x.value, **kwargs),
    np.any: lambda x, **kwargs: np.any(x.value, **kwargs),
    np.all: lambda x, **kwargs: np.all(x.value, **kwargs),
    np.count_nonzero: lambda x, **kwargs: np.count_nonzero(x.value, **kwargs),
})  # fmt: skip
