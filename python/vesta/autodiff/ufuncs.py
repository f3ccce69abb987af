# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""The derivatives of ufuncs."""

from __future__ import annotations

from typing import Any, Callable

import numpy as np

from .derivatives import MINUS_ONE, bilinear, combined
from .dual_array import RULES, DualArray, to_dual


def _unary(ufunc: Any, slope: Callable[[Any, Any], Any]) -> None:
    """slope(x, y) is the derivative at x with the value y."""

    def rule(x: Any) -> DualArray:
        y = ufunc(x.value)
        return combined(y, (x, slope(x.value, y)))

    RULES[ufunc] = rule


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
    RULES[_step] = lambda x, _step=_step: DualArray(_step(x.value))  # type: ignore[misc]


def _binary(ufunc: Any, slopes: Callable[[Any, Any, Any], tuple[Any, Any]]) -> None:
    """slopes(x, y, z) are the derivatives by x and y where the value is z."""

    def rule(x: Any, y: Any) -> DualArray:
        x, y = to_dual(x), to_dual(y)
        z = ufunc(x.value, y.value)
        sx, sy = slopes(x.value, y.value, z)
        return combined(z, (x, sx), (y, sy))

    RULES[ufunc] = rule


def _power_slopes(x: Any, y: Any, z: Any) -> tuple[Any, Any]:
    # x^y is constant for y = 0, and its derivative by y is zero for x = 0, y > 0.
    with np.errstate(divide="ignore", invalid="ignore"):
        by_x = np.where(y == 0.0, 0.0, y * np.power(x, y - 1.0))
        by_y = np.where(x == 0.0, 0.0, z * np.log(x))
    return by_x, by_y


def _power(x: Any, y: Any) -> DualArray:
    if not isinstance(y, DualArray):
        if np.ndim(y) == 0 and y == 2:
            return RULES[np.square](x)
        z = np.power(x.value, y)
        exponent = np.asarray(y, dtype=np.float64)
        with np.errstate(divide="ignore", invalid="ignore"):
            slope = np.where(exponent == 0.0, 0.0, exponent * np.power(x.value, exponent - 1.0))
        return combined(z, (x, slope))
    x = to_dual(x)
    z = np.power(x.value, y.value)
    sx, sy = _power_slopes(x.value, y.value, z)
    return combined(z, (x, sx), (y, sy))


def _divide(x: Any, y: Any) -> DualArray:
    x, y = to_dual(x), to_dual(y)
    inverse = 1.0 / y.value
    z = x.value / y.value
    return combined(z, (x, inverse), (y, -z * inverse if y.columns else None))


def _hypot_slopes(x: Any, y: Any, z: Any) -> tuple[Any, Any]:
    safe = np.where(z == 0.0, 1.0, z)
    return x / safe, y / safe


def _arctan2_slopes(y: Any, x: Any, z: Any) -> tuple[Any, Any]:
    square = x * x + y * y
    return x / square, -y / square


_binary(np.add, lambda x, y, z: (None, None))
_binary(np.subtract, lambda x, y, z: (None, MINUS_ONE))
_binary(np.multiply, lambda x, y, z: (y, x))
_binary(np.arctan2, _arctan2_slopes)
_binary(np.hypot, _hypot_slopes)
_binary(np.maximum, lambda x, y, z: (np.where(x >= y, 1.0, 0.0), np.where(x >= y, 0.0, 1.0)))
_binary(np.minimum, lambda x, y, z: (np.where(x <= y, 1.0, 0.0), np.where(x <= y, 0.0, 1.0)))
RULES[np.fmax] = RULES[np.maximum]
RULES[np.fmin] = RULES[np.minimum]
_binary(np.copysign, lambda x, y, z: (np.where(x == z, 1.0, -1.0), 0.0))
_binary(np.logaddexp, lambda x, y, z: (np.exp(x - z), np.exp(y - z)))
_binary(np.fmod, lambda x, y, z: (None, -np.trunc(x / y)))
_binary(np.remainder, lambda x, y, z: (None, -np.floor(x / y)))
RULES[np.power] = _power
RULES[np.float_power] = _power
RULES[np.true_divide] = _divide
RULES[np.matmul] = lambda x, y: bilinear(np.matmul, x, y)
