# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""Checks of arrays that users pass or that their functions return."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def refuse_masked(values: Any, name: str) -> None:
    """numpy.asarray would take the numbers under the mask."""
    if isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
        raise ValueError(
            f"`{name}`: the array has masked values. Leave them out, values[~values.mask], or fill them, values.filled(...)."
        )


def real_numbers(values: Any, name: str) -> NDArray[np.float64]:
    """An array of float64, without a copy if it is one."""
    refuse_masked(values, name)
    try:
        array = np.asarray(values)
        if array.dtype.kind != "c":
            return np.asarray(array, dtype=np.float64)
    except (TypeError, ValueError):
        raise TypeError(f"{name}: expected numbers, got {values!r:.80}.") from None
    raise TypeError(f"{name}: expected real numbers, got {array.dtype}. Give real and imaginary parts one after the other.")
