# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""Forward-mode derivatives of functions of NumPy arrays.

A `DualArray` is an array of values with, for each variable c that it depends
on, an array of derivatives d value / d x_c of the same shape. NumPy's
functions take dual arrays like arrays (`__array_ufunc__`,
`__array_function__`). Only the columns c that can differ from zero are stored,
so that code which uses a few coordinates at a time pays for these alone.

The rules of differentiation are those of any textbook of calculus. For the
forward mode see Griewank and Walther, Evaluating Derivatives, 2008, chapter 3.
"""

from __future__ import annotations

import functools
from typing import Any, Callable, Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Columns = tuple[int, ...]

_NO_COLUMNS: Columns = ()


class DualArray(np.lib.mixins.NDArrayOperatorsMixin):
    """An array with its derivatives.

    value: the values, of shape S.
    columns: the variables that the values may depend on, ascending.
    derivative: d value / d x_c for each column c, of shape (len(columns),) + S.
    """

    __array_priority__ = 1000.0

    def __init__(self, value: Any, columns: Iterable[int] = (), derivative: Any = None) -> None:
        self.value = np.asarray(value, dtype=np.float64)
        self._columns = tuple(columns)
        if derivative is None:
            derivative = np.zeros((len(self._columns), *self.value.shape))
        self._derivative = derivative
        # Many of the stored derivatives are zero: select again after indexing.
        self._sparse = False

    @property
    def columns(self) -> Columns:
        return self._columns

    @property
    def derivative(self) -> Array:
        return self._derivative

    # --- What arrays have ----------------------------------------------------

    @property
    def shape(self) -> tuple[int, ...]:
        return self.value.shape

    @property
    def ndim(self) -> int:
        return self.value.ndim

    @property
    def size(self) -> int:
        return self.value.size

    @property
    def dtype(self) -> Any:
        return self.value.dtype

    @property
    def T(self) -> DualArray:
        return self.transpose()

    def __len__(self) -> int:
        return len(self.value)

    def __iter__(self) -> Any:
        return (self[i] for i in range(len(self)))

    def __repr__(self) -> str:
        return f"DualArray({self.value!r}, columns={self.columns})"

    def __bool__(self) -> bool:
        return bool(self.value)

    def __float__(self) -> float:
        raise TypeError(
            "A value with derivatives cannot become a float or an entry of a plain array. Collect results with "
            "numpy.stack, or write them to numpy.zeros_like of an argument."
        )

    def __array__(self, *args: Any, **kwargs: Any) -> Any:
        raise TypeError(
            "numpy.array and numpy.asarray would lose the derivatives of a DualArray. Use numpy.stack in place of "
            "numpy.array([...]), functions that vesta.autodiff knows, or jac='numeric'."
        )

    def __getitem__(self, index: Any) -> DualArray:
        if isinstance(index, DualArray):
            index = index.value
        if not isinstance(index, tuple):
            index = (index,)
        result = DualArray(self.value[index], self.columns, self.derivative[(slice(None), *index)])
        result._sparse = self._sparse
        return result._pruned() if self._sparse else result

    def __setitem__(self, index: Any, value: Any) -> None:
        other = _dual(value)
        columns = _union(self.columns, other.columns)
        if columns != self._columns:
            self._derivative = _expanded(self, columns)
            self._columns = columns
        else:
            self._derivative = np.array(self.derivative)
        if not isinstance(index, tuple):
            index = (index,)
        self.value = np.array(self.value)
        self.value[index] = other.value
        self._derivative[(slice(None), *index)] = 0.0
        for k, c in enumerate(columns):
            if c in other.columns:
                self._derivative[(k, *index)] = other.derivative[other.columns.index(c)]

    def _pruned(self) -> DualArray:
        """Without the columns that are zero everywhere."""
        axes = tuple(range(1, self.ndim + 1))
        used = self.derivative.any(axis=axes)
        if used.all():
            self._sparse = False
            return self
        columns = [c for c, u in zip(self.columns, np.atleast_1d(used)) if u]
        result = DualArray(self.value, columns, self.derivative[used])
        return result

    def reshape(self, *shape: Any, **kwargs: Any) -> DualArray:
        if len(shape) == 1:
            shape = shape[0]
        return _linear(np.reshape, self, shape, **kwargs)

    def transpose(self, *axes: Any) -> DualArray:
        if len(axes) == 1 and not isinstance(axes[0], int):
            axes = tuple(axes[0] or ())
        order = axes or tuple(reversed(range(self.ndim)))
        order = tuple(a % self.ndim for a in order)
        result = DualArray(
            self.value.transpose(order), self.columns, self.derivative.transpose(0, *(a + 1 for a in order))
        )
        result._sparse = self._sparse
        return result

    def ravel(self) -> DualArray:
        return self.reshape(-1)

    flatten = ravel

    def copy(self) -> DualArray:
        return DualArray(np.array(self.value), self.columns, np.array(self.derivative))

    def sum(self, axis: Any = None, keepdims: bool = False) -> DualArray:
        return _sum(self, axis=axis, keepdims=keepdims)

    def mean(self, axis: Any = None, keepdims: bool = False) -> DualArray:
        return _linear(np.mean, self, axis=axis, keepdims=keepdims)

    def prod(self, axis: Any = None) -> DualArray:
        return _prod(self, axis=axis)

    def cumsum(self, axis: Any = None) -> DualArray:
        return _linear(np.cumsum, self, axis=axis)

    def squeeze(self, axis: Any = None) -> DualArray:
        return _linear(np.squeeze, self, axis=axis)

    def take(self, indices: Any, axis: Any = None) -> DualArray:
        return _linear(np.take, self, indices, axis=axis)

    def dot(self, other: Any) -> DualArray:
        return _dot(self, other)

    def clip(self, low: Any = None, high: Any = None) -> DualArray:
        return _clip(self, low, high)

    def min(self, axis: Any = None) -> DualArray:
        return _extreme(np.argmin, self, axis)

    def max(self, axis: Any = None) -> DualArray:
        return _extreme(np.argmax, self, axis)

    def astype(self, dtype: Any, **kwargs: Any) -> DualArray:
        if np.dtype(dtype) != np.float64:
            raise TypeError(f"A DualArray has values of float64, not {np.dtype(dtype)}.")
        return self

    # --- NumPy's protocols ---------------------------------------------------

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        if method == "reduce" and ufunc is np.add:
            return _sum(inputs[0], axis=kwargs.get("axis", 0), keepdims=kwargs.get("keepdims", False))
        # An operation in place, x *= y, may give a new array: the name x is bound to the result.
        out = kwargs.get("out", (inputs[0],))
        if method != "__call__" or out[0] is not inputs[0] or kwargs.get("where", True) is not True:
            return NotImplemented
        if ufunc in _PLAIN:
            return ufunc(*(x.value if isinstance(x, DualArray) else x for x in inputs), **kwargs)
        rule = _RULES.get(ufunc)
        if rule is None:
            raise TypeError(f"vesta.autodiff has no derivative of numpy.{ufunc.__name__}. Use jac='numeric'.")
        return rule(*inputs)

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        rule = _FUNCTIONS.get(function)
        if rule is None:
            raise TypeError(f"vesta.autodiff has no derivative of numpy.{function.__name__}. Use jac='numeric'.")
        return rule(*args, **kwargs)


class _Variables(DualArray):
    """A matrix whose columns are variables: derivatives are stored for what is selected."""

    def __init__(self, value: Array, first_column: int) -> None:
        self.value = value
        self._first = first_column
        self._materialized: DualArray | None = None

    def _all(self) -> DualArray:
        if self._materialized is None:
            self._materialized = self._select(np.arange(self.value.shape[-1]))
            self._materialized._sparse = True
        return self._materialized

    @property
    def _columns(self) -> Columns:  # type: ignore[override]
        return self._all().columns

    @_columns.setter
    def _columns(self, value: Columns) -> None:
        self._all()._columns = value

    @property
    def _derivative(self) -> Array:  # type: ignore[override]
        return self._all().derivative

    @_derivative.setter
    def _derivative(self, value: Array) -> None:
        self._all()._derivative = value

    @property
    def _sparse(self) -> bool:  # type: ignore[override]
        return True

    @_sparse.setter
    def _sparse(self, value: bool) -> None:
        pass

    def _select(self, coordinates: Any) -> DualArray:
        """The columns with these indices, an int or an array of different ones."""
        value = self.value[..., coordinates]
        lead = self.value.shape[:-1]
        if np.ndim(coordinates) == 0:
            return DualArray(value, (self._first + int(coordinates),), np.ones((1, *lead)))
        n = len(coordinates)
        order = np.argsort(coordinates)
        # In memory, the values of one coordinate stand together.
        derivative = np.moveaxis(np.zeros((n, n, *lead)), 1, -1)
        for k, position in enumerate(order):
            derivative[k, ..., position] = 1.0
        result = DualArray(value, (self._first + int(coordinates[p]) for p in order), derivative)
        result._sparse = n > 1
        return result

    def __getitem__(self, index: Any) -> DualArray:
        if not isinstance(index, tuple):
            index = (index,)
        full = [i is Ellipsis or (isinstance(i, slice) and i == slice(None)) for i in index]
        ellipsis = any(i is Ellipsis for i in index)
        if len(index) > 1 and all(full[:-1]) and (ellipsis or len(index) == self.ndim):
            last = index[-1]
            width = self.value.shape[-1]
            if isinstance(last, (int, np.integer)):
                if not -width <= last < width:
                    raise IndexError(f"column {last} is out of range: there are {width}.")
                return self._select(int(last) % width)
            if isinstance(last, slice):
                return self._select(np.arange(width)[last])
        return super().__getitem__(index)


def variables(*arrays: Any) -> list[DualArray]:
    """Dual arrays whose last axes are the variables 0, 1, 2, ... in order.

    Entry [..., c] of each array has derivative 1 with respect to its variable.
    """
    first = 0
    result: list[DualArray] = []
    for array in arrays:
        value = np.asarray(array, dtype=np.float64)
        result.append(_Variables(value, first))
        first += value.shape[-1]
    return result


def jacobian(dual: Any, first_column: int, num_columns: int) -> Array:
    """d dual / d x for the variables first_column, ...: shape dual.shape + (num_columns,)."""
    dual = _dual(dual)
    wanted = tuple(range(first_column, first_column + num_columns))
    axes = (*range(1, dual.ndim + 1), 0)
    have = dual.columns
    if wanted and wanted[0] in have:
        start = have.index(wanted[0])
        if have[start : start + num_columns] == wanted:
            return dual.derivative[start : start + num_columns].transpose(axes)
    result = np.zeros((num_columns, *dual.shape))
    for k, c in enumerate(wanted):
        if c in have:
            result[k] = dual.derivative[have.index(c)]
    return result.transpose(axes)


# --- Sums of derivatives -----------------------------------------------------


def _dual(x: Any) -> DualArray:
    if isinstance(x, DualArray):
        return x
    if isinstance(x, (list, tuple)) and any(isinstance(e, (DualArray, list, tuple)) for e in x):
        return _stack(x)
    return DualArray(x)


@functools.lru_cache(maxsize=4096)
def _union(a: Columns, b: Columns) -> Columns:
    return tuple(sorted(set(a) | set(b)))


def _lifted(d: Array, ndim: int) -> Array:
    """Derivatives of an array with fewer dimensions, for broadcasting with `ndim` ones."""
    missing = ndim + 1 - d.ndim
    return d if missing <= 0 else d.reshape(d.shape[0], *(1,) * missing, *d.shape[1:])


def _expanded(x: DualArray, columns: Columns) -> Array:
    """The derivatives with respect to `columns`, which contain those of x."""
    if x.columns == columns:
        return x.derivative
    result = np.zeros((len(columns), *x.shape))
    for k, c in enumerate(x.columns):
        result[columns.index(c)] = x.derivative[k]
    return result


def _product(d: Array, factor: Any, ndim: int) -> Array:
    d = _lifted(d, ndim)
    return d if factor is None else d * factor


def _combined(value: Any, *terms: tuple[DualArray, Any]) -> DualArray:
    """The dual array with the derivatives sum of term.derivative * factor; a factor None is one."""
    value = np.asarray(value, dtype=np.float64)
    used = [(x, f) for x, f in terms if x.columns]
    if not used:
        return DualArray(value)
    shape = value.shape
    if len(used) == 1:
        x, factor = used[0]
        d = _product(x.derivative, factor, value.ndim)
        if d.shape[1:] != shape:
            d = np.broadcast_to(d, (d.shape[0], *shape))
        return DualArray(value, x.columns, d)
    (x, fx), (y, fy) = used
    dx = _product(x.derivative, fx, value.ndim)
    dy = _product(y.derivative, fy, value.ndim)
    if x.columns == y.columns:
        return DualArray(value, x.columns, dx + dy)
    columns = _union(x.columns, y.columns)
    result = np.empty_like(value, shape=(len(columns), *shape)) if value.ndim < 2 else _empty_like_rows(value, len(columns))
    in_x = {c: k for k, c in enumerate(x.columns)}
    in_y = {c: k for k, c in enumerate(y.columns)}
    for k, c in enumerate(columns):
        if c not in in_y:
            result[k] = dx[in_x[c]]
        elif c not in in_x:
            result[k] = dy[in_y[c]]
        else:
            np.add(dx[in_x[c]], dy[in_y[c]], out=result[k])
    return DualArray(value, columns, result)


def _empty_like_rows(value: Array, count: int) -> Array:
    """Memory for `count` arrays, each in the memory order of `value`."""
    order = sorted(range(value.ndim), key=lambda axis: -abs(value.strides[axis]))
    base = np.empty((count, *(value.shape[axis] for axis in order)))
    return base.transpose(0, *(1 + order.index(axis) for axis in range(value.ndim)))


# --- Rules of ufuncs ---------------------------------------------------------

_RULES: dict[Any, Callable[..., DualArray]] = {}
_PLAIN = {
    np.less, np.less_equal, np.greater, np.greater_equal, np.equal, np.not_equal, np.isfinite, np.isnan, np.isinf,
    np.signbit, np.logical_and, np.logical_or, np.logical_not,
}  # fmt: skip


def _unary(ufunc: Any, slope: Callable[[Any, Any], Any]) -> None:
    """slope(x, y) is the derivative at x with the value y."""

    def rule(x: Any) -> DualArray:
        y = ufunc(x.value)
        return _combined(y, (x, slope(x.value, y)))

    _RULES[ufunc] = rule


_unary(np.negative, lambda x, y: -1.0)
_unary(np.positive, lambda x, y: None)
_unary(np.conjugate, lambda x, y: None)
_unary(np.sin, lambda x, y: np.cos(x))
_unary(np.cos, lambda x, y: -np.sin(x))
_unary(np.tan, lambda x, y: 1.0 + y * y)
_unary(np.arcsin, lambda x, y: 1.0 / np.sqrt(1.0 - x * x))
_unary(np.arccos, lambda x, y: -1.0 / np.sqrt(1.0 - x * x))
_unary(np.arctan, lambda x, y: 1.0 / (1.0 + x * x))
_unary(np.sinh, lambda x, y: np.cosh(x))
_unary(np.cosh, lambda x, y: np.sinh(x))
_unary(np.tanh, lambda x, y: 1.0 - y * y)
_unary(np.arcsinh, lambda x, y: 1.0 / np.sqrt(x * x + 1.0))
_unary(np.arccosh, lambda x, y: 1.0 / np.sqrt(x * x - 1.0))
_unary(np.arctanh, lambda x, y: 1.0 / (1.0 - x * x))
_unary(np.exp, lambda x, y: y)
_unary(np.exp2, lambda x, y: y * np.log(2.0))
_unary(np.expm1, lambda x, y: y + 1.0)
_unary(np.log, lambda x, y: 1.0 / x)
_unary(np.log2, lambda x, y: 1.0 / (x * np.log(2.0)))
_unary(np.log10, lambda x, y: 1.0 / (x * np.log(10.0)))
_unary(np.log1p, lambda x, y: 1.0 / (1.0 + x))
_unary(np.sqrt, lambda x, y: 0.5 / y)
_unary(np.cbrt, lambda x, y: 1.0 / (3.0 * y * y))
_unary(np.square, lambda x, y: 2.0 * x)
_unary(np.reciprocal, lambda x, y: -y * y)
_unary(np.absolute, lambda x, y: np.sign(x))
_unary(np.fabs, lambda x, y: np.sign(x))
_unary(np.deg2rad, lambda x, y: np.pi / 180.0)
_unary(np.radians, lambda x, y: np.pi / 180.0)
_unary(np.rad2deg, lambda x, y: 180.0 / np.pi)
_unary(np.degrees, lambda x, y: 180.0 / np.pi)
for _step in (np.sign, np.floor, np.ceil, np.trunc, np.rint):
    _RULES[_step] = lambda x, _step=_step: DualArray(_step(x.value))  # type: ignore[misc]


def _binary(ufunc: Any, slopes: Callable[[Any, Any, Any], tuple[Any, Any]]) -> None:
    """slopes(x, y, z) are the derivatives by x and y where the value is z."""

    def rule(x: Any, y: Any) -> DualArray:
        x, y = _dual(x), _dual(y)
        z = ufunc(x.value, y.value)
        sx, sy = slopes(x.value, y.value, z)
        return _combined(z, (x, sx), (y, sy))

    _RULES[ufunc] = rule


def _power_slopes(x: Any, y: Any, z: Any) -> tuple[Any, Any]:
    # x^y is constant for y = 0, and its derivative by y is zero for x = 0, y > 0.
    with np.errstate(divide="ignore", invalid="ignore"):
        by_x = np.where(y == 0.0, 0.0, y * np.power(x, y - 1.0))
        by_y = np.where(x == 0.0, 0.0, z * np.log(x))
    return by_x, by_y


def _power(x: Any, y: Any) -> DualArray:
    if not isinstance(y, DualArray):
        if np.ndim(y) == 0 and y == 2:
            return _RULES[np.square](x)
        z = np.power(x.value, y)
        exponent = np.asarray(y, dtype=np.float64)
        with np.errstate(divide="ignore", invalid="ignore"):
            slope = np.where(exponent == 0.0, 0.0, exponent * np.power(x.value, exponent - 1.0))
        return _combined(z, (x, slope))
    x = _dual(x)
    z = np.power(x.value, y.value)
    sx, sy = _power_slopes(x.value, y.value, z)
    return _combined(z, (x, sx), (y, sy))


def _divide(x: Any, y: Any) -> DualArray:
    x, y = _dual(x), _dual(y)
    inverse = 1.0 / y.value
    z = x.value / y.value
    return _combined(z, (x, inverse), (y, -z * inverse if y.columns else None))


def _hypot_slopes(x: Any, y: Any, z: Any) -> tuple[Any, Any]:
    safe = np.where(z == 0.0, 1.0, z)
    return x / safe, y / safe


def _arctan2_slopes(y: Any, x: Any, z: Any) -> tuple[Any, Any]:
    square = x * x + y * y
    return x / square, -y / square


_binary(np.add, lambda x, y, z: (None, None))
_binary(np.subtract, lambda x, y, z: (None, -1.0))
_binary(np.multiply, lambda x, y, z: (y, x))
_binary(np.arctan2, _arctan2_slopes)
_binary(np.hypot, _hypot_slopes)
_binary(np.maximum, lambda x, y, z: (np.where(x >= y, 1.0, 0.0), np.where(x >= y, 0.0, 1.0)))
_binary(np.minimum, lambda x, y, z: (np.where(x <= y, 1.0, 0.0), np.where(x <= y, 0.0, 1.0)))
_RULES[np.fmax] = _RULES[np.maximum]
_RULES[np.fmin] = _RULES[np.minimum]
_binary(np.copysign, lambda x, y, z: (np.where(x == z, 1.0, -1.0), 0.0))
_binary(np.logaddexp, lambda x, y, z: (np.exp(x - z), np.exp(y - z)))
_binary(np.fmod, lambda x, y, z: (None, -np.trunc(x / y)))
_binary(np.remainder, lambda x, y, z: (None, -np.floor(x / y)))
_RULES[np.power] = _power
_RULES[np.float_power] = _power
_RULES[np.true_divide] = _divide


def _bilinear(function: Callable[[Any, Any], Any], x: Any, y: Any) -> DualArray:
    """function is linear in each argument."""
    x, y = _dual(x), _dual(y)
    value = function(x.value, y.value)
    dx = DualArray(value, x.columns, _columnwise(lambda d: function(d, y.value), x.derivative, np.shape(value)))
    dy = DualArray(value, y.columns, _columnwise(lambda d: function(x.value, d), y.derivative, np.shape(value)))
    return _combined(value, (dx, None), (dy, None))


def _columnwise(function: Callable[[Any], Any], d: Array, shape: tuple[int, ...]) -> Array:
    if len(d) == 0:
        return np.zeros((0, *shape))
    return np.stack([function(column) for column in d])


_RULES[np.matmul] = lambda x, y: _bilinear(np.matmul, x, y)


# --- Rules of functions ------------------------------------------------------

_FUNCTIONS: dict[Any, Callable[..., Any]] = {}


def _linear(function: Any, x: Any, *args: Any, **kwargs: Any) -> DualArray:
    """function is linear in its first argument."""
    x = _dual(x)
    value = function(x.value, *args, **kwargs)
    return DualArray(
        value, x.columns, _columnwise(lambda d: function(d, *args, **kwargs), x.derivative, np.shape(value))
    )


for _function in (
    np.reshape, np.mean, np.cumsum, np.squeeze, np.take, np.expand_dims, np.moveaxis, np.swapaxes, np.ravel,
    np.broadcast_to, np.diff, np.roll, np.flip, np.fliplr, np.flipud, np.repeat, np.tile, np.trace, np.diagonal,
    np.tril, np.triu, np.rot90, np.atleast_1d, np.atleast_2d, np.delete, np.nansum, np.pad, np.take_along_axis,
    np.compress, np.gradient, np.average,
):  # fmt: skip
    _FUNCTIONS[_function] = functools.partial(_linear, _function)


def _sum(x: Any, axis: Any = None, keepdims: bool = False, **kwargs: Any) -> DualArray:
    x = _dual(x)
    axes = range(x.ndim) if axis is None else (axis if isinstance(axis, tuple) else (axis,))
    shifted = tuple(a % x.ndim + 1 for a in axes) if x.ndim else ()
    return DualArray(
        x.value.sum(axis=axis, keepdims=keepdims), x.columns, x.derivative.sum(axis=shifted, keepdims=keepdims)
    )


def _stack(arrays: Sequence[Any], axis: int = 0, **kwargs: Any) -> DualArray:
    duals = [_dual(a) for a in arrays]
    value = np.stack([d.value for d in duals], axis=axis)
    columns: Columns = functools.reduce(_union, (d.columns for d in duals), _NO_COLUMNS)
    position = axis % value.ndim
    # In memory, the parts stand one after the other.
    base = np.zeros((len(columns), len(duals), *duals[0].shape))
    for i, dual in enumerate(duals):
        for k, c in enumerate(dual.columns):
            base[columns.index(c), i] = dual.derivative[k]
    return DualArray(value, columns, np.moveaxis(base, 1, position + 1))


def _concatenate(arrays: Sequence[Any], axis: Any = 0, **kwargs: Any) -> DualArray:
    duals = [_dual(a) for a in arrays]
    if axis is None:
        duals, axis = [d.ravel() for d in duals], 0
    value = np.concatenate([d.value for d in duals], axis=axis)
    columns: Columns = functools.reduce(_union, (d.columns for d in duals), _NO_COLUMNS)
    axis = axis % value.ndim
    return DualArray(value, columns, np.concatenate([_expanded(d, columns) for d in duals], axis=axis + 1))


def _column_stack(arrays: Sequence[Any]) -> DualArray:
    duals = [_dual(a) for a in arrays]
    return _concatenate([d.reshape(-1, 1) if d.ndim < 2 else d for d in duals], axis=1)


def _hstack(arrays: Sequence[Any], **kwargs: Any) -> DualArray:
    duals = [_dual(a) for a in arrays]
    duals = [d.reshape(-1) if d.ndim == 0 else d for d in duals]
    return _concatenate(duals, axis=0 if duals[0].ndim == 1 else 1)


def _vstack(arrays: Sequence[Any], **kwargs: Any) -> DualArray:
    duals = [_dual(a) for a in arrays]
    return _concatenate([d.reshape(1, -1) if d.ndim < 2 else d for d in duals], axis=0)


def _where(condition: Any, x: Any, y: Any) -> DualArray:
    if isinstance(condition, DualArray):
        condition = condition.value != 0.0
    x, y = _dual(x), _dual(y)
    value = np.where(condition, x.value, y.value)
    columns = _union(x.columns, y.columns)
    dx, dy = _lifted(_expanded(x, columns), value.ndim), _lifted(_expanded(y, columns), value.ndim)
    return DualArray(value, columns, np.broadcast_to(np.where(condition, dx, dy), (len(columns), *value.shape)))


def _dot(x: Any, y: Any, **kwargs: Any) -> DualArray:
    return _bilinear(np.dot, x, y)


def _einsum(subscripts: str, *operands: Any, **kwargs: Any) -> DualArray:
    if len(operands) == 1:
        return _linear(lambda a: np.einsum(subscripts, a, **kwargs), operands[0])
    if len(operands) == 2:
        return _bilinear(lambda a, b: np.einsum(subscripts, a, b, **kwargs), *operands)
    duals = [_dual(x) for x in operands]
    values = [d.value for d in duals]
    value = np.einsum(subscripts, *values, **kwargs)
    result = DualArray(value)
    for i, dual in enumerate(duals):

        def of_operand(d: Any, i: int = i) -> Any:
            return np.einsum(subscripts, *values[:i], d, *values[i + 1 :], **kwargs)

        term = DualArray(value, dual.columns, _columnwise(of_operand, dual.derivative, np.shape(value)))
        result = _combined(value, (result, None), (term, None))
    return result


def _cross(x: Any, y: Any, axis: int = -1, **kwargs: Any) -> DualArray:
    x, y = _dual(x), _dual(y)
    if x.shape[axis] != 3 or y.shape[axis] != 3:
        raise ValueError("numpy.cross of dual arrays: expected vectors with three coordinates.")
    a = [_linear(np.take, x, i, axis=axis) for i in range(3)]
    b = [_linear(np.take, y, i, axis=axis) for i in range(3)]
    parts = [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
    return _stack(parts, axis=axis)


def _norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> DualArray:
    if ord not in (None, 2) or (ord == 2 and axis is None and _dual(x).ndim != 1):
        raise TypeError("vesta.autodiff has the derivative of the 2-norm only. Use jac='numeric'.")
    square = _sum(x * x, axis=axis, keepdims=keepdims)
    value = np.sqrt(square.value)
    # The norm has no derivative at 0; 0 is one of its subgradients.
    return _combined(value, (square, 0.5 / np.where(value == 0.0, np.inf, value)))


def _clip(x: Any, low: Any = None, high: Any = None, **kwargs: Any) -> DualArray:
    low = kwargs.get("a_min", low)
    high = kwargs.get("a_max", high)
    result = _dual(x)
    if low is not None:
        result = np.maximum(result, low)
    if high is not None:
        result = np.minimum(result, high)
    return result


def _prod(x: Any, axis: Any = None, **kwargs: Any) -> DualArray:
    x = _dual(x)
    if axis is None:
        x, axis = x.ravel(), 0
    parts = [_linear(np.take, x, i, axis=axis) for i in range(x.shape[axis])]
    return functools.reduce(lambda a, b: a * b, parts)


def _extreme(find: Any, x: Any, axis: Any = None, **kwargs: Any) -> DualArray:
    x = _dual(x)
    if axis is None:
        x, axis = x.ravel(), 0
    index = np.expand_dims(find(x.value, axis=axis), axis)
    return _linear(lambda a: np.squeeze(np.take_along_axis(a, index, axis=axis), axis=axis), x)


def _plain_like(function: Any) -> Callable[..., DualArray]:
    return lambda x, *args, **kwargs: DualArray(function(x.value, *args, **kwargs))


def _split(function: Any) -> Callable[..., list[DualArray]]:
    def rule(x: Any, *args: Any, **kwargs: Any) -> list[DualArray]:
        parts = function(x.value, *args, **kwargs)
        columns = [function(d, *args, **kwargs) for d in x.derivative]
        return [DualArray(p, x.columns, np.stack([c[i] for c in columns])) for i, p in enumerate(parts)]

    return rule


def _solve(a: Any, b: Any) -> DualArray:
    # A x = b gives A dx = db - dA x.
    a, b = _dual(a), _dual(b)
    x = np.linalg.solve(a.value, b.value)
    product = _bilinear(np.matmul, a, x)
    rhs = _combined(b.value, (b, None), (DualArray(b.value, product.columns, product.derivative), -1.0))
    return DualArray(
        x, rhs.columns, _columnwise(lambda d: np.linalg.solve(a.value, d), rhs.derivative, np.shape(x))
    )


def _inverse(a: Any) -> DualArray:
    inverse = np.linalg.inv(a.value)
    return DualArray(inverse, a.columns, _columnwise(lambda d: -inverse @ d @ inverse, a.derivative, inverse.shape))


_FUNCTIONS.update({
    np.sum: _sum,
    np.stack: _stack,
    np.concatenate: _concatenate,
    np.column_stack: _column_stack,
    np.hstack: _hstack,
    np.vstack: _vstack,
    np.where: _where,
    np.dot: _dot,
    np.inner: lambda x, y: _bilinear(np.inner, x, y),
    np.outer: lambda x, y: _bilinear(np.outer, x, y),
    np.vdot: lambda x, y: _bilinear(np.vdot, x, y),
    np.tensordot: lambda x, y, axes=2: _bilinear(lambda a, b: np.tensordot(a, b, axes), x, y),
    np.kron: lambda x, y: _bilinear(np.kron, x, y),
    np.einsum: _einsum,
    np.cross: _cross,
    np.linalg.norm: _norm,
    np.linalg.solve: _solve,
    np.linalg.inv: _inverse,
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
    np.isclose: lambda a, b, **kwargs: np.isclose(_dual(a).value, _dual(b).value, **kwargs),
    np.allclose: lambda a, b, **kwargs: np.allclose(_dual(a).value, _dual(b).value, **kwargs),
    np.argmax: lambda x, **kwargs: np.argmax(x.value, **kwargs),
    np.argmin: lambda x, **kwargs: np.argmin(x.value, **kwargs),
    np.any: lambda x, **kwargs: np.any(x.value, **kwargs),
    np.all: lambda x, **kwargs: np.all(x.value, **kwargs),
    np.count_nonzero: lambda x, **kwargs: np.count_nonzero(x.value, **kwargs),
})  # fmt: skip
if hasattr(np.linalg, "cross"):
    _FUNCTIONS[np.linalg.cross] = _cross
if hasattr(np, "vecdot"):
    _RULES[np.vecdot] = lambda x, y: _sum(_dual(x) * y, axis=-1)
if hasattr(np.linalg, "vector_norm"):
    _FUNCTIONS[np.linalg.vector_norm] = lambda x, axis=None, keepdims=False: _norm(x, axis=axis, keepdims=keepdims)


def _sinc(x: Any) -> DualArray:
    value = np.sinc(x.value)
    safe = np.where(x.value == 0.0, 1.0, x.value)
    slope = np.where(x.value == 0.0, 0.0, (np.cos(np.pi * safe) - value) / safe)
    return _combined(value, (x, slope))
