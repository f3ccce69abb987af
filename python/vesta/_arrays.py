# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""Checks of arrays that users pass or that their functions return."""

from __future__ import annotations

from typing import Any

import numpy as np


def refuse_masked(values: Any, name: str) -> None:
    """numpy.asarray would take the numbers under the mask."""
    if isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
        raise ValueError(
            f"`{name}`: the array has masked values. Leave them out, values[~values.mask], or fill them, values.filled(...)."
        )
