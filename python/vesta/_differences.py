# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""Finite differences of vector-valued functions, dense and sparse, within bounds."""

from __future__ import annotations

from typing import Any, Callable

import numpy as np
from numpy.typing import NDArray

from . import _core

Array = NDArray[np.float64]

def groups_of_columns(structure: Any) -> NDArray[np.int64]:
    """A group number per column, so that no row has two columns of one group.

    structure: a CSC matrix. Greedy, densest columns first. Curtis, Powell and
    Reid, "On the Estimation of Sparse Jacobian Matrices", 1974.
    """
    num_rows, n = structure.shape
    groups = np.full(n, -1, dtype=np.int64)
    pending = np.argsort(-np.diff(structure.indptr), kind="stable")
    group = 0
    while len(pending):
        taken = np.zeros(num_rows, dtype=bool)
        later = []
        for column in pending:
            rows = structure.indices[structure.indptr[column] : structure.indptr[column + 1]]
            if taken[rows].any():
                later.append(column)
            else:
                taken[rows] = True
                groups[column] = group
        pending = np.array(later, dtype=np.int64)
        group += 1
    return groups


class Differences:
    """The Jacobian of f by finite differences with one of SciPy's schemes."""

    def __init__(
        self,
        f: Callable[[Array], Array],
        method: str,
        lower: Array,
        upper: Array,
        relative_step: Any = None,
        structure: Any = None,
        mapper: Callable[..., Any] = map,
        sizes: Any = None,
    ) -> None:
        self._f = f
        self._method = method
        self._lower, self._upper = lower, upper
        self._relative_step, self._sizes = relative_step, sizes
        self._map = mapper
        self._structure = None
        if structure is not None:
            from scipy.sparse import csc_matrix

            self._structure = csc_matrix(structure)
            self._structure.sum_duplicates()
            self._groups = groups_of_columns(self._structure)

    def jacobian(self, x: Array, f0: Array, precision: float) -> Any:
        """d f / d x at x, where f is f0: an array, or a CSR matrix if there is a structure.

        precision: the machine epsilon of the type that f returns.
        """
        pair: Any = _core._difference_steps(
            x, self._lower, self._upper, self._method, precision, self._relative_step, self._sizes
        )
        steps, two_sided = pair[0], pair[1] != 0.0
        if self._structure is None:
            if self._method == "2-point":
                column: Any = _Searched(self, x, f0, precision)
                columns = self._map(column, range(len(x)))
            else:
                column = _Column(self._f, self._method, x, f0)
                columns = self._map(column, list(np.diag(steps)), [bool(t) for t in two_sided])
            return np.stack(list(columns), axis=1) if len(x) else np.zeros((len(f0), 0))
        return self._sparse(x, f0, steps, two_sided)

    def _sparse(self, x: Array, f0: Array, steps: Array, two_sided: Any) -> Any:
        from scipy.sparse import csr_matrix

        structure, groups = self._structure, self._groups
        assert structure is not None
        count = int(groups.max()) + 1 if len(groups) else 0
        column_of = np.repeat(np.arange(structure.shape[1]), np.diff(structure.indptr))
        values = np.empty(len(structure.indices))
        moves, sides, masks = [], [], []
        for group in range(count):
            # Both schemes of "3-point" cannot be mixed in one call.
            for side in (True, False):
                mask = (groups == group) & (two_sided == side)
                if mask.any():
                    moves.append(np.where(mask, steps, 0.0))
                    sides.append(side)
                    masks.append(mask)
        differences = self._map(_Difference(self._f, self._method, x, f0), moves, sides)
        for mask, move, difference in zip(masks, moves, differences):
            entries = mask[column_of]
            values[entries] = difference[structure.indices[entries]] / move[column_of[entries]]
        return csr_matrix((values, (structure.indices, column_of)), shape=structure.shape)


class _Difference:
    """Step times derivative along a move; a class so that it can be sent to other processes."""

    def __init__(self, f: Callable[[Any], Any], method: str, x: Array, f0: Array) -> None:
        self._f, self._method, self._x, self._f0 = f, method, x, f0

    def __call__(self, move: Array, two_sided: bool) -> Array:
        f, x, f0 = self._f, self._x, self._f0
        if self._method == "cs":
            return np.asarray(np.imag(f(x + 1j * move)), dtype=np.float64)
        moved = x + move
        if self._method == "2-point":
            return np.asarray(f(moved) - f0)
        if two_sided:
            return np.asarray((f(moved) - f(x - move)) / 2.0)
        return np.asarray(-1.5 * f0 + 2.0 * f(moved) - 0.5 * f(x + 2.0 * move))


class _Column(_Difference):
    """One column of the Jacobian."""

    def __call__(self, move: Array, two_sided: bool) -> Array:
        return super().__call__(move, two_sided) / move[np.argmax(np.abs(move))]


class _Searched:
    """One column by forward differences, with steps that grow where the function does not change."""

    def __init__(self, differences: Differences, x: Array, f0: Array, precision: float) -> None:
        self._f, self._x, self._f0, self._precision = differences._f, x, f0, precision
        self._lower, self._upper = differences._lower, differences._upper
        self._relative, self._sizes = differences._relative_step, differences._sizes

    def __call__(self, i: int) -> Array:
        def of(values: Any) -> Any:
            return None if values is None else float(values[i if len(values) > 1 else 0])

        search = _core._DifferenceSearch(
            float(self._x[i]), self._lower[i], self._upper[i], self._precision, of(self._relative), of(self._sizes)
        )
        moved = self._x.copy()
        while True:
            moved[i] = self._x[i] + search.h
            change = np.asarray(self._f(moved.copy()), dtype=np.float64) - self._f0
            if search.is_large_enough(_size(change), _size(self._f0)):
                return change / (moved[i] - self._x[i])


def _size(values: Array) -> float:
    return float(np.max(np.abs(values), initial=0.0))
