# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""The derivatives of functions of samples and polynomials, and of SciPy's special functions."""

from __future__ import annotations

from typing import Any, Callable

import numpy as np

from .derivatives import combined
from .dual_array import FUNCTIONS, DualArray, to_dual


def _polyval(p: Any, x: Any) -> Any:
    # Horner's rule. A list of coefficients may have dual numbers.
    coefficients = to_dual(p) if not isinstance(p, np.ndarray) else p
    result: Any = 0.0 * to_dual(x)
    for i in range(len(coefficients)):
        result = result * x + coefficients[i]
    return result


def _interp(x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None, period: Any = None) -> DualArray:
    if isinstance(xp, DualArray) or period is not None:
        raise TypeError("vesta.autodiff: numpy.interp needs places xp without derivatives, and no period.")
    x, fp, xp = to_dual(x), to_dual(fp), np.asarray(xp, dtype=np.float64)
    i = np.clip(np.searchsorted(xp, x.value, side="right") - 1, 0, max(len(xp) - 2, 0))
    j = np.minimum(i + 1, len(xp) - 1)
    width = np.where(xp[j] > xp[i], xp[j] - xp[i], 1.0)
    # Outside the value is constant.
    t = np.clip((x - xp[i]) / width, 0.0, 1.0)
    result = fp[i] + t * (fp[j] - fp[i])
    if left is not None:
        result = np.where(x.value < xp[0], left, result)
    if right is not None:
        result = np.where(x.value > xp[-1], right, result)
    return to_dual(result)


def _trapezoid(y: Any, x: Any = None, dx: Any = 1.0, axis: int = -1) -> DualArray:
    values: Any = to_dual(y)
    values = np.moveaxis(values, axis, -1)
    width: Any = dx
    if x is not None:
        places: Any = to_dual(x)
        places = places if places.ndim == 1 else np.moveaxis(places, axis, -1)
        width = places[..., 1:] - places[..., :-1]
    return to_dual(np.sum(0.5 * width * (values[..., 1:] + values[..., :-1]), axis=-1))


def _meshgrid(*arrays: Any, indexing: str = "xy", **kwargs: Any) -> list[Any]:
    duals = [to_dual(a).ravel() for a in arrays]
    n = len(duals)
    order = [1, 0, *range(2, n)] if indexing == "xy" and n > 1 else list(range(n))
    shape = [len(duals[k]) for k in order]
    places = [order.index(k) for k in range(n)]
    return [
        np.broadcast_to(d.reshape([-1 if axis == place else 1 for axis in range(n)]), shape)
        for d, place in zip(duals, places)
    ]


FUNCTIONS[np.polyval] = _polyval
FUNCTIONS[np.interp] = _interp
FUNCTIONS[np.meshgrid] = _meshgrid
for _name in ("trapezoid", "trapz"):
    if hasattr(np, _name):
        FUNCTIONS[getattr(np, _name)] = _trapezoid

def _special(name: str) -> Any:
    from scipy import special

    return getattr(special, name)


# Derivatives of ufuncs of scipy.special, by name, at x with the value y.
SPECIAL: dict[str, Callable[[Any, Any], Any]] = {
    "erf": lambda x, y: 2.0 / np.sqrt(np.pi) * np.exp(-x * x),
    "erfc": lambda x, y: -2.0 / np.sqrt(np.pi) * np.exp(-x * x),
    "expit": lambda x, y: y * (1.0 - y),
    "log_expit": lambda x, y: 1.0 / (1.0 + np.exp(x)),
    "ndtr": lambda x, y: np.exp(-0.5 * x * x) / np.sqrt(2.0 * np.pi),
    "erfcx": lambda x, y: 2.0 * x * y - 2.0 / np.sqrt(np.pi),
    "erfinv": lambda x, y: 0.5 * np.sqrt(np.pi) * np.exp(y * y),
    "logit": lambda x, y: 1.0 / (x * (1.0 - x)),
    "gamma": lambda x, y: y * _special("digamma")(x),
    "gammaln": lambda x, y: _special("digamma")(x),
    "j0": lambda x, y: -_special("j1")(x),
    "j1": lambda x, y: _special("j0")(x) - np.where(x == 0.0, 0.5, y / np.where(x == 0.0, 1.0, x)),
    "i0": lambda x, y: _special("i1")(x),
    "exp1": lambda x, y: -np.exp(-x) / x,
}


def special_rule(ufunc: Any) -> Callable[..., DualArray] | None:
    """The rule of a ufunc of scipy.special."""
    slope = SPECIAL.get(ufunc.__name__)
    if slope is None or getattr(np, ufunc.__name__, None) is ufunc:
        return None

    def rule(x: Any) -> DualArray:
        y = ufunc(x.value)
        return combined(y, (x, slope(x.value, y)))

    return rule
