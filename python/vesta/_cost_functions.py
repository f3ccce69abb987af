# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""Cost functions of single residual blocks that are plain Python functions."""

from __future__ import annotations

from typing import Any, Callable, Sequence

import numpy as np

from . import _core, autodiff
from ._arrays import real_numbers
from .autodiff.dual_array import to_dual


class AutoDiffCostFunction(_core.CostFunction):
    """The residuals f(x1, ..., xk), with derivatives by `vesta.autodiff`.

    f gets arrays and returns an array, or a list of numbers. For many residual
    blocks of one kind `Problem.add_batch` is faster by orders of magnitude.
    """

    def __init__(self, f: Callable[..., Any], num_residuals: int, parameter_block_sizes: Sequence[int]) -> None:
        super().__init__(num_residuals, list(parameter_block_sizes))
        self._f = f

    def evaluate(self, parameters: Any, residuals: Any, jacobians: Any) -> bool:
        if jacobians is None:
            residuals[:] = _residuals(self._f, self._f(*parameters), len(residuals))
            return True
        dual = to_dual(self._f(*autodiff.variables(*parameters)))
        residuals[:] = _residuals(self._f, dual.value, len(residuals))
        column = 0
        for x, matrix in zip(parameters, jacobians):
            if matrix is not None:
                matrix[:] = autodiff.jacobian(dual.reshape(-1), column, len(x))
            column += len(x)
        return True


class NumericDiffCostFunction(_core.CostFunction):
    """The residuals f(x1, ..., xk), with derivatives by finite differences.

    method: CENTRAL, FORWARD or RIDDERS.
    """

    def __init__(
        self,
        f: Callable[..., Any],
        num_residuals: int,
        parameter_block_sizes: Sequence[int],
        method: _core.NumericDiffMethodType = _core.NumericDiffMethodType.CENTRAL,
    ) -> None:
        super().__init__(num_residuals, list(parameter_block_sizes))
        self._f = f
        self._method = method

    def evaluate(self, parameters: Any, residuals: Any, jacobians: Any) -> bool:
        values = self._values(parameters)
        residuals[:] = values
        for b, matrix in enumerate(jacobians or ()):
            if matrix is None:
                continue
            for c in range(len(parameters[b])):
                matrix[:, c] = self._column(parameters, b, c, values)
        return True

    def _values(self, parameters: Any) -> Any:
        return np.array(_residuals(self._f, self._f(*parameters), self.num_residuals()))

    def _column(self, parameters: Any, block: int, coordinate: int, values: Any) -> Any:
        methods = _core.NumericDiffMethodType
        x = float(parameters[block][coordinate])
        scale = max(1.0, abs(x))

        def at(value: float) -> Any:
            moved = [np.array(p) for p in parameters]
            moved[block][coordinate] = value
            return self._values(moved)

        def central(step: float) -> Any:
            return (at(x + step) - at(x - step)) / ((x + step) - (x - step))

        eps = float(np.finfo(float).eps)
        if self._method == methods.FORWARD:
            step = eps**0.5 * scale
            return (at(x + step) - values) / ((x + step) - x)
        if self._method == methods.CENTRAL:
            return central(eps ** (1 / 3) * scale)
        return _ridders(central, 1e-2 * scale)


def _residuals(f: Any, values: Any, count: int) -> Any:
    """The numbers that f has returned, of any shape."""
    result = real_numbers(values, "f")
    if result.size != count:
        name = getattr(f, "__qualname__", type(f).__name__)
        raise ValueError(f"f: expected {count} residuals, and {name} has returned an array of shape {result.shape}.")
    return result.reshape(-1)


def _ridders(central: Callable[[float], Any], step: float) -> Any:
    """Central differences extrapolated to step 0 (Ridders 1982): the entry of least estimated error."""
    shrink = 1.4
    row = [central(step)]
    best, best_error = row[0], np.inf
    for _ in range(10):
        step /= shrink
        new = [central(step)]
        factor = shrink * shrink
        for previous in row:
            new.append((new[-1] * factor - previous) / (factor - 1.0))
            factor *= shrink * shrink
            error = max(np.max(np.abs(new[-1] - new[-2])), np.max(np.abs(new[-1] - previous)))
            if error < best_error:
                best, best_error = new[-1], error
        if np.max(np.abs(new[-1] - row[-1])) >= 2.0 * best_error:
            break
        row = new
    return best
