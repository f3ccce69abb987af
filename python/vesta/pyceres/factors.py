# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""The cost functions of pyceres.factors."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from . import CostFunction


class _Normal(CostFunction):
    """A (x - mean), or A (x - y) without a mean, where A'A is the inverse of the covariance."""

    def __init__(self, covariance: ArrayLike, mean: Any = None) -> None:
        super().__init__()
        matrix = np.atleast_2d(np.asarray(covariance, dtype=np.float64))
        n = len(matrix)
        self.set_num_residuals(n)
        self.set_parameter_block_sizes([n] if mean is not None else [n, n])
        self._root = np.linalg.inv(np.linalg.cholesky(matrix))
        self._mean = None if mean is None else np.asarray(mean, dtype=np.float64).reshape(n)

    def Evaluate(self, parameters: Any, residuals: Any, jacobians: Any) -> bool:
        other = parameters[1] if self._mean is None else self._mean
        residuals[:] = self._root @ (parameters[0] - other)
        for sign, matrix in zip((1.0, -1.0), jacobians or ()):
            if matrix is not None:
                matrix[:] = sign * self._root.reshape(-1)
        return True


def NormalPrior(mean: ArrayLike, covariance: ArrayLike) -> CostFunction:
    """The whitened difference of a block and its mean."""
    return _Normal(covariance, mean)


def NormalError(covariance: ArrayLike) -> CostFunction:
    """The whitened difference of two blocks."""
    return _Normal(covariance)
