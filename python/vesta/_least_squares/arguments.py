# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""Bounds, scales and sparsity, checked."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def bounds_of(bounds: Any, n: int) -> tuple[Array, Array]:
    if hasattr(bounds, "lb") and hasattr(bounds, "ub"):
        pair = (bounds.lb, bounds.ub)
    elif isinstance(bounds, (tuple, list)) and len(bounds) == 2:
        pair = (bounds[0], bounds[1])
    else:
        raise ValueError("`bounds`: expected a pair of lower and upper bounds.")
    result = []
    for side in pair:
        array = np.asarray(side, dtype=np.float64)
        if array.ndim > 1 or (array.ndim == 1 and array.shape != (n,)):
            raise ValueError(f"`bounds`: expected numbers or arrays of shape ({n},), got shape {array.shape}.")
        result.append(np.array(np.broadcast_to(array, (n,))))
    return result[0], result[1]


def scale_of(x_scale: Any, n: int) -> Array:
    if x_scale is None or (isinstance(x_scale, str) and x_scale == "jac"):
        return np.ones(n)
    try:
        scale = np.asarray(x_scale, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError("`x_scale`: expected 'jac' or numbers > 0.") from None
    if scale.ndim > 1 or (scale.ndim == 1 and scale.shape != (n,)):
        raise ValueError(f"`x_scale`: expected a number or an array of shape ({n},), got shape {scale.shape}.")
    if not np.all((scale > 0) & np.isfinite(scale)):
        raise ValueError("`x_scale`: expected 'jac' or numbers > 0.")
    return np.array(np.broadcast_to(scale, (n,)))


def structure_of(jac_sparsity: Any, jac: Any) -> Any:
    if jac_sparsity is None or callable(jac) or jac == "autodiff":
        return None
    from scipy.sparse import csc_matrix, issparse

    return csc_matrix(jac_sparsity) if issparse(jac_sparsity) else csc_matrix(np.atleast_2d(jac_sparsity))
