# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""Dense problems: one parameter block, and one residual block or one per residual."""

from __future__ import annotations

from typing import Any, Callable

import numpy as np
from numpy.typing import NDArray

from .. import _core
from .call import Call

Evaluator = Callable[[bool, bool], tuple[Any, Any]]

Array = NDArray[np.float64]


def dense_evaluator(call: Call, rows: int) -> Evaluator:
    shape = (rows, call.m // rows)
    scaled = bool(np.any(call.scale != 1.0))

    def evaluate(residuals: bool, jacobians: bool) -> tuple[Any, Any]:
        x = call.x()
        g, factor = call.robust(call.residuals(x))
        if not jacobians:
            return g.reshape(shape), None
        matrix = call.jacobian(x)
        if not isinstance(matrix, np.ndarray):
            matrix = matrix.toarray()
        if factor is not None:
            matrix = matrix * factor[:, None]
        if scaled:
            matrix = matrix * call.scale
        return g.reshape(shape), [matrix.reshape(*shape, call.n)]

    return evaluate


def compressed_evaluator(call: Call) -> Evaluator:
    """n + 1 residuals with the cost, gradient and J'J of the m ones.

    With J = Q R they are [Q'g; |g - Q Q'g|], with the Jacobian [R; 0]. Where only the cost is wanted, [0; |g|].
    """
    n = call.n
    evaluate_all = dense_evaluator(call, 1)

    def evaluate(residuals: bool, jacobians: bool) -> tuple[Any, Any]:
        g, matrices = evaluate_all(residuals, jacobians)
        g = g[0]
        short = np.zeros((1, n + 1))
        if matrices is None:
            short[0, n] = np.sqrt(g @ g)
            return short, None
        matrix = np.zeros((1, n + 1, n))
        _compress(matrices[0][0], g, short[0], matrix[0])
        return short, [matrix]

    return evaluate


def _compress(jacobian: Array, g: Array, residuals: Array, triangle: Array) -> None:
    """Writes [Q'g; |g - Q Q'g|] and [R; 0] of J = Q R.

    By the Cholesky factorization of J'J, unless it is so badly conditioned that digits would be lost.
    """
    normal, square = jacobian.T @ jacobian, float(g @ g)
    if _core._compress(normal, jacobian.T @ g, square, residuals, triangle):
        return
    n = len(normal)
    if not np.all(np.isfinite(np.diag(normal))):
        residuals[:n] = triangle[:n] = np.nan
    else:
        q, triangle[:n] = np.linalg.qr(jacobian)
        residuals[:n] = q.T @ g
    residuals[n] = np.sqrt(max(0.0, square - float(residuals[:n] @ residuals[:n])))
