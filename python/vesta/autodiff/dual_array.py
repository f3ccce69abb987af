# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""The array with derivatives, and the tables of what NumPy's functions do with it."""

from __future__ import annotations

import functools
from typing import Any, Callable

import numpy as np
from numpy.typing import NDArray

from .. import _core
from .._arrays import refuse_masked

Array = NDArray[np.float64]
Columns = tuple[int, ...]

# What ufuncs and other functions of NumPy do with dual arrays. The modules `ufuncs`, `functions` and `linear_algebra`
# fill the tables.
RULES: dict[Any, Callable[..., DualArray]] = {}
FUNCTIONS: dict[Any, Callable[..., Any]] = {}
# Ufuncs of values alone.
PLAIN = {
    np.less, np.less_equal, np.greater, np.greater_equal, np.equal, np.not_equal, np.isfinite, np.isnan, np.isinf,
    np.signbit, np.logical_and, np.logical_or, np.logical_not,
}  # fmt: skip


OTHERWISE = "Write it with arithmetic and functions that vesta.autodiff knows, or use differences (jac='numeric' or '2-point')."


def _name_of(ufunc: Any) -> str:
    return f"{'numpy' if getattr(np, ufunc.__name__, None) is ufunc else 'scipy.special'}.{ufunc.__name__}"


class DualArray(_core._Dual):
    """An array with its derivatives.

    value: the values, of shape S.
    columns: the variables that the values may depend on, ascending.
    derivative: d value / d x_c for each column c, of shape (len(columns),) + S.

    Arithmetic, and ufuncs with a rule in C++, are computed by the extension module.
    """

    __slots__ = ()
    __array_priority__ = 1000.0

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
        return iter([self[i] for i in range(len(self))])

    def __reduce__(self) -> Any:
        return DualArray, (self.value, self.columns, self.derivative)

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
            "numpy.array([...]), numpy.zeros_like(x) in place of numpy.zeros where entries are assigned, functions that vesta.autodiff knows, or jac='numeric'."
        )

    def _item(self, index: Any) -> DualArray:
        """self[index]. The extension module takes what needs no more than an offset."""
        if isinstance(index, DualArray):
            index = index.value
        if not isinstance(index, tuple):
            index = (index,)
        result = DualArray(self.value[index], self.columns, self.derivative[(slice(None), *index)])
        result._sparse = self._sparse
        return result._pruned() if self._sparse else result

    def __setitem__(self, index: Any, value: Any) -> None:
        other = to_dual(value)
        columns = union(self.columns, other.columns)
        derivative = np.array(expanded(self, columns))
        if not isinstance(index, tuple):
            index = (index,)
        values = np.array(self.value)
        values[index] = other.value
        derivative[(slice(None), *index)] = 0.0
        for k, c in enumerate(columns):
            if c in other.columns:
                derivative[(k, *index)] = other.derivative[other.columns.index(c)]
        self._assign(values, columns, derivative)

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
        if self.ndim == 1 and shape in (-1, (-1,)):
            return DualArray(self.value, self.columns, self.derivative)
        return FUNCTIONS[np.reshape](self, shape, **kwargs)

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
        return FUNCTIONS[np.sum](self, axis=axis, keepdims=keepdims)

    def mean(self, axis: Any = None, keepdims: bool = False) -> DualArray:
        return FUNCTIONS[np.mean](self, axis=axis, keepdims=keepdims)

    def prod(self, axis: Any = None) -> DualArray:
        return FUNCTIONS[np.prod](self, axis=axis)

    def cumsum(self, axis: Any = None) -> DualArray:
        return FUNCTIONS[np.cumsum](self, axis=axis)

    def squeeze(self, axis: Any = None) -> DualArray:
        return FUNCTIONS[np.squeeze](self, axis=axis)

    def take(self, indices: Any, axis: Any = None) -> DualArray:
        return FUNCTIONS[np.take](self, indices, axis=axis)

    def dot(self, other: Any) -> DualArray:
        return FUNCTIONS[np.dot](self, other)

    def clip(self, low: Any = None, high: Any = None) -> DualArray:
        return FUNCTIONS[np.clip](self, low, high)

    def min(self, axis: Any = None) -> DualArray:
        return FUNCTIONS[np.min](self, axis)

    def max(self, axis: Any = None) -> DualArray:
        return FUNCTIONS[np.max](self, axis)

    def astype(self, dtype: Any, **kwargs: Any) -> DualArray:
        if np.dtype(dtype) != np.float64:
            raise TypeError(f"A DualArray has values of float64, not {np.dtype(dtype)}.")
        return self

    # --- NumPy's protocols ---------------------------------------------------

    def __matmul__(self, other: Any) -> Any:
        return np.matmul(self, other)

    def __rmatmul__(self, other: Any) -> Any:
        return np.matmul(other, self)

    def __floordiv__(self, other: Any) -> Any:
        return np.floor_divide(self, other)

    def __rfloordiv__(self, other: Any) -> Any:
        return np.floor_divide(other, self)

    def __divmod__(self, other: Any) -> Any:
        return self // other, self % other

    def __rdivmod__(self, other: Any) -> Any:
        return other // self, other % self

    def _array_ufunc(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        """__array_ufunc__ of what the extension module has no rule for."""
        if method != "__call__":
            return _of_pairs(ufunc, method, *inputs, **kwargs)
        # An operation in place, x *= y, may give a new array: the name x is bound to the result.
        out = kwargs.pop("out", (inputs[0],))
        if out[0] is not inputs[0] or kwargs.pop("where", True) is not True:
            raise TypeError(
                f"vesta.autodiff: {_name_of(ufunc)} takes no arguments `out` and `where`. Use its result, and numpy.where."
            )
        if ufunc in PLAIN:
            return ufunc(*(x.value if isinstance(x, DualArray) else x for x in inputs), **kwargs)
        if ufunc.__name__ in _core._dual_rules and hasattr(np, ufunc.__name__):
            return ufunc(*inputs)
        rule = RULES.get(ufunc)
        if rule is None:
            from .sampling import special_rule

            rule = special_rule(ufunc)
        if rule is None:
            raise TypeError(f"vesta.autodiff has no derivative of {_name_of(ufunc)}. {OTHERWISE}")
        return rule(*inputs)

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        rule = FUNCTIONS.get(function)
        if rule is None:
            raise TypeError(f"vesta.autodiff has no derivative of numpy.{function.__name__}. {OTHERWISE}")
        return rule(*args, **kwargs)


def _of_pairs(ufunc: Any, method: str, x: Any, *others: Any, axis: Any = 0, keepdims: bool = False, **kwargs: Any) -> Any:
    """ufunc.reduce, ufunc.accumulate and ufunc.outer, as functions that have a rule."""
    reductions = {np.add: np.sum, np.multiply: np.prod, np.maximum: np.max, np.minimum: np.min}
    if method == "reduce" and ufunc in reductions and not others:
        more = {"keepdims": True} if keepdims else {}
        return FUNCTIONS[reductions[ufunc]](x, axis=axis, **more)
    if method == "accumulate" and ufunc is np.add and not others:
        return FUNCTIONS[np.cumsum](x, axis=axis)
    if method == "outer" and len(others) == 1:
        first = to_dual(x)
        return ufunc(first.reshape((*first.shape, *(1,) * np.ndim(others[0]))), others[0])
    raise TypeError(f"vesta.autodiff has no derivative of {_name_of(ufunc)}.{method}. {OTHERWISE}")


def to_dual(x: Any) -> DualArray:
    if isinstance(x, DualArray):
        return x
    if isinstance(x, (list, tuple)) and any(isinstance(e, (DualArray, list, tuple)) for e in x):
        return FUNCTIONS[np.stack](x)
    refuse_masked(x, "vesta.autodiff")
    values = np.asarray(x)
    if values.dtype.kind not in "biufO" or x is None:
        raise TypeError(f"vesta.autodiff: expected real numbers, got {type(x).__name__} of {values.dtype}.")
    return DualArray(values)


@functools.lru_cache(maxsize=4096)
def union(a: Columns, b: Columns) -> Columns:
    return tuple(sorted(set(a) | set(b)))


def expanded(x: DualArray, columns: Columns) -> Array:
    """The derivatives with respect to `columns`, which contain those of x."""
    if x.columns == columns:
        return x.derivative
    result = np.zeros((len(columns), *x.shape))
    for k, c in enumerate(x.columns):
        result[columns.index(c)] = x.derivative[k]
    return result
