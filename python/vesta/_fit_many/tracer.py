# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""Records what a function of NumPy operations computes for one sample.

The record is a list of steps, tuples of a name and of a number or of indices of
earlier steps, that `_core._fit_many` runs in SIMD lanes.
"""

from __future__ import annotations

import os
import sys
from typing import Any, Callable, NoReturn

import numpy as np

from .. import _core

Step = tuple[Any, ...]

_OWN_FOLDER = os.path.dirname(os.path.abspath(__file__))
_NUMPY_FOLDER = os.path.dirname(os.path.abspath(np.__file__))


class TracingError(TypeError):
    """A model does what cannot be recorded. The message names its line."""


def _line_of_model() -> str:
    """The innermost line that is neither ours nor NumPy's."""
    frame: Any = sys._getframe(1)
    while frame is not None:
        name = os.path.abspath(frame.f_code.co_filename)
        if not name.startswith((_OWN_FOLDER, _NUMPY_FOLDER)):
            return f"{frame.f_code.co_filename}:{frame.f_lineno}"
        frame = frame.f_back
    return "the model"


_WHAT_CAN = "docs/solving/many_fits.md lists the functions that can. Or compile the model, by numba.cfunc."


def _refuse(what: str, otherwise: str) -> NoReturn:
    raise TracingError(f"{_line_of_model()}: {what} cannot be recorded by fit_many. {otherwise}")


class Symbol:
    """A number of the record: what a model gets in place of each array and parameter.

    It stands for the value at any one sample, so it has no length and no entries.
    """

    __slots__ = ("_steps", "_index")
    __array_priority__ = 1000.0
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, steps: list[Step], index: int) -> None:
        self._steps = steps
        self._index = index

    # --- Recording ------------------------------------------------------------

    def _apply(self, name: str, *operands: Any) -> Symbol:
        indices = [self._place(operand) for operand in operands]
        self._steps.append((name, *indices))
        return Symbol(self._steps, len(self._steps) - 1)

    def _place(self, operand: Any) -> int:
        if isinstance(operand, Symbol):
            return operand._index
        value = np.asarray(operand)
        if value.dtype.kind not in "biuf" or value.size != 1:
            _refuse(
                f"an operation with {type(operand).__name__} of shape {value.shape} and type {value.dtype}",
                "Use numbers; pass arrays that differ from sample to sample as further columns of x.",
            )
        self._steps.append(("constant", float(value.reshape(()))))
        return len(self._steps) - 1

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        rule = UFUNCS.get(ufunc.__name__)
        if method != "__call__" or rule is None:
            name = ufunc.__name__ if method == "__call__" else f"{ufunc.__name__}.{method}"
            _refuse(f"the function {name}", _WHAT_CAN)
        if kwargs.get("out") is not None or kwargs.get("where", True) is not True:
            _refuse(f"{ufunc.__name__} with out= or where=", "Use the result of the function.")
        return rule(self, *inputs)

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        rule = FUNCTIONS.get(function)
        if rule is None:
            _refuse(f"the function numpy.{function.__name__}", _WHAT_CAN)
        return rule(self, *args, **kwargs)

    # --- Operators ------------------------------------------------------------

    def __add__(self, y: Any) -> Symbol:
        return self._apply("add", self, y)

    def __radd__(self, y: Any) -> Symbol:
        return self._apply("add", y, self)

    def __sub__(self, y: Any) -> Symbol:
        return self._apply("subtract", self, y)

    def __rsub__(self, y: Any) -> Symbol:
        return self._apply("subtract", y, self)

    def __mul__(self, y: Any) -> Symbol:
        return self._apply("multiply", self, y)

    def __rmul__(self, y: Any) -> Symbol:
        return self._apply("multiply", y, self)

    def __truediv__(self, y: Any) -> Symbol:
        return self._apply("divide", self, y)

    def __rtruediv__(self, y: Any) -> Symbol:
        return self._apply("divide", y, self)

    def __pow__(self, y: Any) -> Symbol:
        return self._apply("power", self, y)

    def __rpow__(self, y: Any) -> Symbol:
        return self._apply("power", y, self)

    def __neg__(self) -> Symbol:
        return self._apply("negative", self)

    def __pos__(self) -> Symbol:
        return self

    def __abs__(self) -> Symbol:
        return self._apply("absolute", self)

    def __lt__(self, y: Any) -> Symbol:
        return self._apply("less", self, y)

    def __le__(self, y: Any) -> Symbol:
        return self._apply("less_equal", self, y)

    def __gt__(self, y: Any) -> Symbol:
        return self._apply("less", y, self)

    def __ge__(self, y: Any) -> Symbol:
        return self._apply("less_equal", y, self)

    def __eq__(self, y: Any) -> Symbol:  # type: ignore[override]
        return self._apply("equal", self, y)

    def __ne__(self, y: Any) -> Symbol:  # type: ignore[override]
        return 1.0 - self._apply("equal", self, y)

    def __and__(self, y: Any) -> Symbol:
        return _both(self, self, y)

    def __rand__(self, y: Any) -> Symbol:
        return _both(self, y, self)

    def __or__(self, y: Any) -> Symbol:
        return _either(self, self, y)

    def __ror__(self, y: Any) -> Symbol:
        return _either(self, y, self)

    def __invert__(self) -> Symbol:
        return _not(self, self)

    def __mod__(self, y: Any) -> Any:
        _refuse("the operator %", "For y > 0, x % y is x - y * numpy.floor(x / y) but for rounding.")

    def __floordiv__(self, y: Any) -> Any:
        _refuse("the operator //", "x // y is numpy.floor(x / y) but for rounding.")

    def __matmul__(self, y: Any) -> Any:
        _refuse("the operator @", "A model computes one sample from its x; write the sum of products.")

    __rmod__ = __divmod__ = __rdivmod__ = __mod__
    __rfloordiv__ = __floordiv__
    __rmatmul__ = __matmul__

    # --- What needs values ------------------------------------------------------

    def __bool__(self) -> bool:
        _refuse(
            "a decision by a value (`if`, `while`, `and`, `or`, `not`)",
            "Use numpy.where, or `&`, `|` and `~`. Or compile the model, by numba.cfunc.",
        )

    def __float__(self) -> float:
        _refuse("a number made of a value (float, math.exp, ...)", "Use functions of numpy in place of those of math.")

    __int__ = __index__ = __complex__ = __float__  # type: ignore[assignment]

    def __array__(self, *args: Any, **kwargs: Any) -> Any:
        _refuse("an array made of values (numpy.array, numpy.asarray, entries)", "Compute with the values as they are.")

    def __getitem__(self, index: Any) -> Any:
        _refuse(
            "an index", "A model computes one sample from its x; pass several columns of x as a tuple (x0, x1, ...)."
        )

    def __len__(self) -> int:
        _refuse("len", "A model computes one sample from its x.")

    def __iter__(self) -> Any:
        _refuse("a loop over values", "A model computes one sample from its x; pass several columns as a tuple.")

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name in _METHODS_OF_UFUNCS:
            raise AttributeError(name)
        _refuse(f"the attribute {name}", "A model computes one sample from its x.")

    def __repr__(self) -> str:
        return f"Symbol({self._index})"


# NumPy looks for methods of this name where an object array has a ufunc.
_METHODS_OF_UFUNCS = frozenset({"exp", "log", "sqrt", "sin", "cos"})


class Columns(tuple):  # type: ignore[type-arg]
    """The columns of x, where there are several. Arithmetic with all of them at once has no meaning."""

    __slots__ = ()

    def _refuse(self, *operands: Any) -> Any:
        count = f"{len(self)} columns" if len(self) != 1 else "1 column, as an array (1, n)"
        _refuse(f"arithmetic with a tuple: x has {count}, and this", "Use x[0], x[1], ...; or pass x of shape (n,).")

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = _refuse
    __pow__ = __rpow__ = __neg__ = __pos__ = __abs__ = __mod__ = __floordiv__ = __matmul__ = _refuse
    __lt__ = __le__ = __gt__ = __ge__ = __array__ = _refuse
    __array_ufunc__ = __array_function__ = _refuse


def _not(s: Symbol, x: Any) -> Symbol:
    return 1.0 - s._apply("where", x, 1.0, 0.0)


def _both(s: Symbol, x: Any, y: Any) -> Symbol:
    return s._apply("where", x, s._apply("where", y, 1.0, 0.0), 0.0)


def _either(s: Symbol, x: Any, y: Any) -> Symbol:
    return s._apply("where", x, 1.0, s._apply("where", y, 1.0, 0.0))


def _where(s: Symbol, condition: Any, x: Any, y: Any) -> Symbol:
    return s._apply("where", condition, x, y)


def _maximum(s: Symbol, x: Any, y: Any) -> Symbol:
    """NaN if one of both is, as NumPy."""
    greater = _where(s, s._apply("less", y, x), x, y)
    return _where(s, s._apply("equal", x, x), greater, x)


def _minimum(s: Symbol, x: Any, y: Any) -> Symbol:
    smaller = _where(s, s._apply("less", x, y), x, y)
    return _where(s, s._apply("equal", x, x), smaller, x)


def _clip(s: Symbol, x: Any, low: Any = None, high: Any = None, **kwargs: Any) -> Any:
    low, high = kwargs.get("a_min", kwargs.get("min", low)), kwargs.get("a_max", kwargs.get("max", high))
    x = x if low is None else _maximum(s, x, low)
    return x if high is None else _minimum(s, x, high)


def _sign(s: Symbol, x: Any) -> Symbol:
    return s._apply("subtract", s._apply("less", 0.0, x), s._apply("less", x, 0.0))


def _expit(s: Symbol, x: Any) -> Symbol:
    return s._apply("divide", 1.0, s._apply("add", 1.0, s._apply("exp", s._apply("negative", x))))


def _voigt(s: Symbol, x: Any, sigma: Any, gamma: Any) -> Any:
    from ..models import voigt_profile

    return voigt_profile(x, sigma, gamma)


def _log_of_one_plus(s: Symbol, x: Any) -> Symbol:
    return s._apply("log1p", x)


def _arcsinh(s: Symbol, x: Any) -> Symbol:
    """As log1p, for tiny x."""
    sign = _where(s, s._apply("less", x, 0.0), -1.0, 1.0)
    t = sign * x
    return sign * _log_of_one_plus(s, t + t * t / (1.0 + s._apply("sqrt", 1.0 + t * t)))


def _arccosh(s: Symbol, x: Any) -> Symbol:
    t = s._apply("subtract", x, 1.0)
    return _log_of_one_plus(s, t + s._apply("sqrt", t * (t + 2.0)))


def _arctanh(s: Symbol, x: Any) -> Symbol:
    return 0.5 * _log_of_one_plus(s, 2.0 * s._apply("divide", x, s._apply("subtract", 1.0, x)))


def _sinc(s: Symbol, x: Any) -> Symbol:
    is_zero = s._apply("equal", x, 0.0)
    z = np.pi * _where(s, is_zero, 1.0, x)
    return _where(s, is_zero, 1.0, s._apply("sin", z) / z)


def _is_nan(s: Symbol, x: Any) -> Symbol:
    return 1.0 - s._apply("equal", x, x)


def _is_finite(s: Symbol, x: Any) -> Symbol:
    return s._apply("less", s._apply("absolute", x), np.inf)


def _fmax(s: Symbol, x: Any, y: Any) -> Symbol:
    """The other one if one of both is NaN, as NumPy."""
    return _where(s, _either(s, s._apply("less", x, y), _is_nan(s, x)), y, x)


def _fmin(s: Symbol, x: Any, y: Any) -> Symbol:
    return _where(s, _either(s, s._apply("less", y, x), _is_nan(s, x)), y, x)


def _trunc(s: Symbol, x: Any) -> Symbol:
    return _where(s, s._apply("less", x, 0.0), s._apply("ceil", x), s._apply("floor", x))


def _polyval(s: Symbol, p: Any, x: Any) -> Any:
    result: Any = p[0]
    for coefficient in p[1:]:
        result = result * x + coefficient
    return result


def _select(s: Symbol, conditions: Any, choices: Any, default: Any = 0.0) -> Any:
    result = default
    for condition, choice in reversed(list(zip(conditions, choices))):
        result = _where(s, condition, choice, result)
    return result


def _piecewise(s: Symbol, x: Any, conditions: Any, functions: Any, *args: Any, **kwargs: Any) -> Any:
    conditions = list(conditions) if isinstance(conditions, (list, tuple)) else [conditions]
    values = [f(x, *args, **kwargs) if callable(f) else f for f in functions]
    # The last of the conditions that hold counts; a value more than conditions is for none of them.
    result: Any = values[len(conditions)] if len(values) > len(conditions) else 0.0
    for condition, value in zip(conditions, values):
        result = _where(s, condition, value, result)
    return result


def _like(value: float | None) -> Callable[..., Symbol]:
    return lambda s, x, fill=value, **kwargs: _where(s, 1.0, fill, 0.0)


def _scaled(name: str, factor_in: float = 1.0, factor_out: float = 1.0) -> Callable[..., Symbol]:
    def rule(s: Symbol, x: Any) -> Symbol:
        inner = x if factor_in == 1.0 else s._apply("multiply", factor_in, x)
        outer = s._apply(name, inner)
        return outer if factor_out == 1.0 else s._apply("multiply", factor_out, outer)

    return rule


def _plain(name: str) -> Callable[..., Symbol]:
    return lambda s, *operands: s._apply(name, *operands)


_LN2, _LN10 = float(np.log(2.0)), float(np.log(10.0))

# By the names of ufuncs, of NumPy and of SciPy.
UFUNCS: dict[str, Callable[..., Any]] = {
    **{name: _plain(name) for name in _core._fit_operations if name != "where"},
    "true_divide": _plain("divide"),
    "power": _plain("power"),
    "float_power": _plain("power"),
    "fabs": _plain("absolute"),
    "positive": lambda s, x: x,
    "square": lambda s, x: s._apply("multiply", x, x),
    "reciprocal": lambda s, x: s._apply("divide", 1.0, x),
    "greater": lambda s, x, y: s._apply("less", y, x),
    "greater_equal": lambda s, x, y: s._apply("less_equal", y, x),
    "not_equal": lambda s, x, y: s._apply("subtract", 1.0, s._apply("equal", x, y)),
    "logical_and": _both,
    "bitwise_and": _both,
    "logical_or": _either,
    "bitwise_or": _either,
    "logical_not": _not,
    "invert": _not,
    "maximum": _maximum,
    "minimum": _minimum,
    "clip": _clip,
    "sign": _sign,
    "heaviside": lambda s, x, y: _where(s, s._apply("less", x, 0.0), 0.0, _where(s, s._apply("less", 0.0, x), 1.0, y)),
    "hypot": lambda s, x, y: s._apply(
        "sqrt", s._apply("add", s._apply("multiply", x, x), s._apply("multiply", y, y))
    ),
    "exp2": _scaled("exp", factor_in=_LN2),
    "exp10": _scaled("exp", factor_in=_LN10),
    "log2": _scaled("log", factor_out=1.0 / _LN2),
    "log10": _scaled("log", factor_out=1.0 / _LN10),
    "deg2rad": lambda s, x: s._apply("multiply", np.pi / 180.0, x),
    "radians": lambda s, x: s._apply("multiply", np.pi / 180.0, x),
    "rad2deg": lambda s, x: s._apply("multiply", 180.0 / np.pi, x),
    "degrees": lambda s, x: s._apply("multiply", 180.0 / np.pi, x),
    "arcsinh": _arcsinh,
    "arccosh": _arccosh,
    "arctanh": _arctanh,
    "isnan": _is_nan,
    "isfinite": _is_finite,
    "isinf": lambda s, x: s._apply("equal", s._apply("absolute", x), np.inf),
    "fmax": _fmax,
    "fmin": _fmin,
    "trunc": _trunc,
    "expit": _expit,
    "voigt_profile": _voigt,
}

FUNCTIONS: dict[Any, Callable[..., Any]] = {
    np.where: _where,
    np.clip: _clip,
    np.sinc: _sinc,
    np.fix: _trunc,
    np.polyval: _polyval,
    np.select: _select,
    np.piecewise: _piecewise,
    np.zeros_like: _like(0.0),
    np.ones_like: _like(1.0),
    np.full_like: _like(None),
}


def record(f: Callable[..., Any], num_columns: int, is_single: bool, num_parameters: int) -> list[Step]:
    """The steps of f(x, *parameters). Unless there is a single column, x is the tuple of them."""
    steps: list[Step] = []

    def new(step: Step) -> Symbol:
        steps.append(step)
        return Symbol(steps, len(steps) - 1)

    columns = tuple(new(("data", j)) for j in range(num_columns))
    parameters = [new(("parameter", i)) for i in range(num_parameters)]
    result = f(columns[0] if is_single else Columns(columns), *parameters)
    return _ending_with(steps, result)


def record_loss(rho: Callable[..., Any]) -> list[Step]:
    """The steps of a loss function."""
    steps: list[Step] = [("parameter", 0)]
    return _ending_with(steps, rho(Symbol(steps, 0)))


def _ending_with(steps: list[Step], result: Any) -> list[Step]:
    """The steps, of which the last one is the result."""
    if isinstance(result, Symbol):
        if result._index != len(steps) - 1:
            steps.append(("where", result._index, result._index, result._index))
        return steps
    value = np.asarray(result)
    if value.size != 1 or value.dtype.kind not in "biuf":
        raise TracingError(f"model: expected one number per sample, got {type(result).__name__} of shape {value.shape}.")
    steps.append(("constant", float(value.reshape(()))))
    return steps
