# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""Enumerators by their names: LinearSolverType("DENSE_QR")."""

from __future__ import annotations

import enum
from typing import Any

from . import _core


def _by_name(kind: Any, value: object) -> Any:
    if isinstance(value, str):
        return kind.__members__.get(value.upper())
    return None


for _kind in list(vars(_core).values()):
    if isinstance(_kind, type) and issubclass(_kind, enum.Enum):
        setattr(_kind, "_missing_", classmethod(_by_name))
