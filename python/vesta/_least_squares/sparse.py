# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""Sparse problems: one parameter block per variable and one residual block per residual."""

from __future__ import annotations

from typing import Any, Callable

import numpy as np

from .._options import SolverOptions, Summary
from .._problem import Problem, solve
from .call import Call


class PatternGrew(Exception):
    """A sparse Jacobian has an entry where the one at the start had none."""

    def __init__(self, matrix: Any) -> None:
        super().__init__("The pattern of the Jacobian grew.")
        self.matrix = matrix


def solve_sparse(call: Call, loss: Any, options: SolverOptions) -> Summary:
    """Solves with one parameter block per variable and one residual block per residual."""
    pattern = _pattern(call.jacobian(call.x0))
    while True:
        problem = Problem()
        try:
            problem._add_sparse_rows(
                _evaluator(call, pattern), call.y, pattern.indptr.astype(np.int64),
                pattern.indices.astype(np.int64), loss,
            )  # fmt: skip
            if call.bounded:
                low, high = call.lower / call.scale, call.upper / call.scale
                for i in np.flatnonzero(np.isfinite(low) | np.isfinite(high)):
                    if problem.has_parameter_block(call.y[i : i + 1]):
                        problem.set_bounds(call.y[i : i + 1], low[i], high[i])
            return solve(options, problem)
        except PatternGrew as grown:
            # The solve begins again with the larger pattern.
            pattern = _pattern(grown.matrix, pattern)
            call.y[:] = call.x0 / call.scale


def _pattern(matrix: Any, more: Any = None) -> Any:
    """The places of entries, at least one in each row."""
    from scipy.sparse import csr_matrix

    ones = csr_matrix((np.ones(len(matrix.data)), matrix.indices, matrix.indptr), shape=matrix.shape)
    if more is not None:
        ones = ones + more
    empty = np.flatnonzero(np.diff(ones.indptr) == 0)
    if len(empty):
        ones = ones + csr_matrix((np.ones(len(empty)), (empty, np.zeros(len(empty), dtype=int))), shape=ones.shape)
    ones = csr_matrix(ones)
    ones.sum_duplicates()
    ones.sort_indices()
    ones.data[:] = 1.0
    return ones


def _evaluator(call: Call, pattern: Any) -> Callable[[bool, bool], tuple[Any, Any]]:
    from scipy.sparse import csr_matrix

    row_of = np.repeat(np.arange(call.m), np.diff(pattern.indptr))
    keys = row_of * call.n + pattern.indices

    def evaluate(residuals: bool, jacobians: bool) -> tuple[Any, Any]:
        x = call.x()
        g, factor = call.robust(call.residuals(x))
        if not jacobians:
            return g.reshape(-1, 1), None
        matrix = csr_matrix(call.jacobian(x))
        if not matrix.has_canonical_format:
            matrix = matrix.copy()
            matrix.sum_duplicates()
        rows = np.repeat(np.arange(call.m), np.diff(matrix.indptr))
        wanted = rows * call.n + matrix.indices
        places = np.searchsorted(keys, wanted)
        places = np.minimum(places, len(keys) - 1)
        if not np.array_equal(keys[places], wanted):
            raise PatternGrew(matrix)
        values = np.zeros(len(keys))
        values[places] = matrix.data
        if factor is not None:
            values *= factor[row_of]
        return g.reshape(-1, 1), [values * call.scale[pattern.indices]]

    return evaluate
