# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""The derivatives of ufuncs that are not computed by the extension module."""

from __future__ import annotations

import numpy as np

from .derivatives import bilinear
from .dual_array import RULES, DualArray, to_dual

for _step in (np.sign, np.floor, np.ceil, np.trunc, np.rint):
    RULES[_step] = lambda x, _step=_step: DualArray(_step(x.value))  # type: ignore[misc]
RULES[np.floor_divide] = lambda x, y: DualArray(np.floor_divide(to_dual(x).value, to_dual(y).value))
RULES[np.matmul] = lambda x, y: bilinear(np.matmul, x, y)
