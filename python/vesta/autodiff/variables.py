# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""Arrays of variables, and the Jacobians of what depends on them."""

from __future__ import annotations

import atexit
from typing import Any

import numpy as np

from .. import _core
from .dual_array import Array, DualArray, to_dual


class Variables(DualArray):
    """A matrix whose columns are variables: derivatives are stored for what is selected."""

    def __init__(self, value: Array, first_column: int) -> None:
        super().__init__(value)
        self._first = first_column
        self._materialized: DualArray | None = None

    def _all(self) -> DualArray:
        if self._materialized is None:
            self._materialized = self._select(np.arange(self.value.shape[-1]))
            self._materialized._sparse = True
        return self._materialized

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
        result = DualArray(value, [self._first + int(coordinates[p]) for p in order], derivative)
        result._sparse = n > 1
        return result

    def _item(self, index: Any) -> DualArray:
        if self._first < 0:  # An entry was assigned.
            return super()._item(index)
        if not isinstance(index, tuple):
            index = (index,)
        full = [i is Ellipsis or (isinstance(i, slice) and i == slice(None)) for i in index]
        ellipsis = any(i is Ellipsis for i in index)
        if index and all(full[:-1]) and (ellipsis or len(index) == self.ndim):
            last = index[-1]
            width = self.value.shape[-1]
            if isinstance(last, (int, np.integer)) and not isinstance(last, bool):
                if not -width <= last < width:
                    raise IndexError(f"column {last} is out of range: there are {width}.")
                return self._select(int(last) % width)
            if isinstance(last, slice):
                return self._select(np.arange(width)[last])
        return self._all()._item(index)


_core._register_duals(_core._Dual, DualArray, Variables, to_dual)
# The extension module must not keep classes of Python beyond the interpreter's end.
atexit.register(_core._forget_duals)


def variables(*arrays: Any) -> list[DualArray]:
    """Dual arrays whose last axes are the variables 0, 1, 2, ... in order.

    Entry [..., c] of each array has derivative 1 with respect to its variable.
    """
    first = 0
    result: list[DualArray] = []
    for array in arrays:
        value = np.asarray(array, dtype=np.float64)
        result.append(Variables(value, first))
        first += value.shape[-1]
    return result


def jacobian(dual: Any, first_column: int, num_columns: int) -> Array:
    """d dual / d x for the variables first_column, ...: shape dual.shape + (num_columns,)."""
    dual = to_dual(dual)
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
