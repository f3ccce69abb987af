# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""The losses of least_squares: rho(z) of z = (f / f_scale)^2, for each residual."""

from __future__ import annotations

from typing import Any, Callable

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._arrays import refuse_masked

Array = NDArray[np.float64]
Loss = Callable[[Array], Array]


def _linear(z: Array) -> Array:
    return np.stack([z, np.ones_like(z), np.zeros_like(z)])


def _soft_l1(z: Array) -> Array:
    t = 1.0 + z
    return np.stack([2.0 * (np.sqrt(t) - 1.0), t**-0.5, -0.5 * t**-1.5])


def _huber(z: Array) -> Array:
    outside = z > 1.0
    safe = np.where(outside, z, 1.0)
    root = np.sqrt(safe)
    return np.stack(
        [np.where(outside, 2.0 * root - 1.0, z), np.where(outside, 1.0 / root, 1.0),
         np.where(outside, -0.5 / (root * safe), 0.0)]
    )  # fmt: skip


def _cauchy(z: Array) -> Array:
    t = 1.0 + z
    return np.stack([np.log1p(z), 1.0 / t, -1.0 / t**2])


def _arctan(z: Array) -> Array:
    t = 1.0 + z**2
    return np.stack([np.arctan(z), 1.0 / t, -2.0 * z / t**2])


VECTORIZED: dict[str, Loss] = {
    "linear": _linear, "soft_l1": _soft_l1, "huber": _huber, "cauchy": _cauchy, "arctan": _arctan,
}  # fmt: skip


def solver_loss(name: str, f_scale: float) -> _core.LossFunction | None:
    """The loss of the solver with rho_solver(s) = f_scale^2 rho(s / f_scale^2)."""
    if name == "linear":
        return None
    if name == "arctan":
        # Its scale has the unit of s.
        return _core.ArctanLoss(f_scale**2)
    kinds: dict[str, Any] = {"soft_l1": _core.SoftLOneLoss, "huber": _core.HuberLoss, "cauchy": _core.CauchyLoss}
    loss: _core.LossFunction = kinds[name](f_scale)
    return loss


class CallableLoss:
    """A user's rho, applied to all residuals at once.

    The solver gets residuals g with g^2 = f_scale^2 rho((f / f_scale)^2) and
    the sign of f, whose sum of squares is the robust cost. By the chain rule
    dg = rho' f / g df, which tends to df where f does to 0.
    """

    def __init__(self, rho: Callable[[Array], Any], f_scale: float) -> None:
        self._rho = rho
        self._f_scale = f_scale

    def __call__(self, z: Array) -> Array:
        values = self._rho(z)
        refuse_masked(values, "loss")
        result = np.asarray(values, dtype=np.float64)
        if result.shape != (3, len(z)):
            raise ValueError(f"loss: expected a result of shape (3, {len(z)}), got {result.shape}.")
        return result

    def residuals(self, f: Array) -> tuple[Array, Array]:
        """g, and the factor of df."""
        rho = self((f / self._f_scale) ** 2)
        if np.any(rho[0] < 0.0):
            raise ValueError("loss: expected rho(z) >= 0.")
        g = np.copysign(self._f_scale * np.sqrt(rho[0]), f)
        safe = np.where(g == 0.0, 1.0, g)
        return g, np.where(g == 0.0, np.sqrt(np.abs(rho[1])), rho[1] * f / safe)
