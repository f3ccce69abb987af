# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""The derivatives of products, norms and solutions of linear equations."""

from __future__ import annotations

from typing import Any

import numpy as np

from .derivatives import bilinear, columnwise, combined, linear
from .dual_array import FUNCTIONS, RULES, DualArray, to_dual
from .functions import stack, sum_of


def _dot(x: Any, y: Any, **kwargs: Any) -> DualArray:
    return bilinear(np.dot, x, y)


def _einsum(subscripts: str, *operands: Any, **kwargs: Any) -> DualArray:
    if len(operands) == 1:
        return linear(lambda a: np.einsum(subscripts, a, **kwargs), operands[0])
    if len(operands) == 2:
        return bilinear(lambda a, b: np.einsum(subscripts, a, b, **kwargs), *operands)
    duals = [to_dual(x) for x in operands]
    values = [d.value for d in duals]
    value = np.einsum(subscripts, *values, **kwargs)
    result = DualArray(value)
    for i, dual in enumerate(duals):

        def of_operand(d: Any, i: int = i) -> Any:
            return np.einsum(subscripts, *values[:i], d, *values[i + 1 :], **kwargs)

        term = DualArray(value, dual.columns, columnwise(of_operand, dual.derivative, np.shape(value)))
        result = combined(value, (result, None), (term, None))
    return result


def _cross(x: Any, y: Any, axis: int = -1, **kwargs: Any) -> DualArray:
    x, y = to_dual(x), to_dual(y)
    if x.shape[axis] != 3 or y.shape[axis] != 3:
        raise ValueError("numpy.cross of dual arrays: expected vectors with three coordinates.")
    a = [linear(np.take, x, i, axis=axis) for i in range(3)]
    b = [linear(np.take, y, i, axis=axis) for i in range(3)]
    parts = [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
    return stack(parts, axis=axis)


def _norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> DualArray:
    if ord not in (None, 2) or (ord == 2 and axis is None and to_dual(x).ndim != 1):
        raise TypeError("vesta.autodiff has the derivative of the 2-norm only. Use jac='numeric'.")
    square = sum_of(x * x, axis=axis, keepdims=keepdims)
    value = np.sqrt(square.value)
    # The norm has no derivative at 0; 0 is one of its subgradients.
    return combined(value, (square, 0.5 / np.where(value == 0.0, np.inf, value)))


def _solve(a: Any, b: Any) -> DualArray:
    # A x = b gives A dx = db - dA x.
    a, b = to_dual(a), to_dual(b)
    x = np.linalg.solve(a.value, b.value)
    product = bilinear(np.matmul, a, x)
    rhs = combined(b.value, (b, None), (DualArray(b.value, product.columns, product.derivative), -1.0))
    return DualArray(
        x, rhs.columns, columnwise(lambda d: np.linalg.solve(a.value, d), rhs.derivative, np.shape(x))
    )


def _inverse(a: Any) -> DualArray:
    inverse = np.linalg.inv(a.value)
    return DualArray(inverse, a.columns, columnwise(lambda d: -inverse @ d @ inverse, a.derivative, inverse.shape))


FUNCTIONS.update({
    np.dot: _dot,
    np.inner: lambda x, y: bilinear(np.inner, x, y),
    np.outer: lambda x, y: bilinear(np.outer, x, y),
    np.vdot: lambda x, y: bilinear(np.vdot, x, y),
    np.tensordot: lambda x, y, axes=2: bilinear(lambda a, b: np.tensordot(a, b, axes), x, y),
    np.kron: lambda x, y: bilinear(np.kron, x, y),
    np.einsum: _einsum,
    np.cross: _cross,
    np.linalg.norm: _norm,
    np.linalg.solve: _solve,
    np.linalg.inv: _inverse,
})  # fmt: skip
if hasattr(np.linalg, "cross"):
    FUNCTIONS[np.linalg.cross] = _cross
if hasattr(np, "vecdot"):
    RULES[np.vecdot] = lambda x, y: sum_of(to_dual(x) * y, axis=-1)
if hasattr(np.linalg, "vector_norm"):
    FUNCTIONS[np.linalg.vector_norm] = lambda x, axis=None, keepdims=False: _norm(x, axis=axis, keepdims=keepdims)
