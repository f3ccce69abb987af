# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""Ready-made models of curves, for `fit_many`, `curve_fit` and drawing.

Each is a function of x and its parameters, which takes and returns arrays.
`fit_many` takes them by their names, too, and sums of them:
"gaussian + polynomial1".
"""

from __future__ import annotations

import functools
from typing import Any, Callable

import numpy as np

__all__ = [
    "biexponential", "exponential", "gaussian", "gaussian_2d", "logistic", "lorentzian", "polynomial", "sum_of",
    "voigt", "voigt_profile",
]  # fmt: skip


def gaussian(x: Any, amplitude: Any, center: Any, sigma: Any) -> Any:
    """amplitude exp(-((x - center) / sigma)^2 / 2)."""
    z = (x - center) / sigma
    return amplitude * np.exp(-0.5 * (z * z))


def gaussian_2d(
    x: Any, amplitude: Any, center_x: Any, center_y: Any, sigma_x: Any, sigma_y: Any, angle: Any
) -> Any:
    """A Gaussian of x = (x, y). Its axis of sigma_x is at the angle, in radians, from the x axis."""
    dx, dy = x[0] - center_x, x[1] - center_y
    c, s = np.cos(angle), np.sin(angle)
    u, v = (c * dx + s * dy) / sigma_x, (c * dy - s * dx) / sigma_y
    return amplitude * np.exp(-0.5 * (u * u + v * v))


def exponential(x: Any, amplitude: Any, tau: Any) -> Any:
    """amplitude exp(-x / tau)."""
    return amplitude * np.exp(-x / tau)


def biexponential(x: Any, amplitude1: Any, tau1: Any, amplitude2: Any, tau2: Any) -> Any:
    """amplitude1 exp(-x / tau1) + amplitude2 exp(-x / tau2)."""
    return amplitude1 * np.exp(-x / tau1) + amplitude2 * np.exp(-x / tau2)


def lorentzian(x: Any, amplitude: Any, center: Any, gamma: Any) -> Any:
    """amplitude / (1 + ((x - center) / gamma)^2)."""
    z = (x - center) / gamma
    return amplitude / (1.0 + z * z)


def logistic(x: Any, amplitude: Any, center: Any, width: Any) -> Any:
    """amplitude / (1 + exp(-(x - center) / width))."""
    return amplitude / (1.0 + np.exp((center - x) / width))


def polynomial(x: Any, *coefficients: Any) -> Any:
    """coefficients[0] + coefficients[1] x + coefficients[2] x^2 + ...; a single coefficient is returned as it is."""
    if not coefficients:
        raise TypeError("polynomial: expected at least one coefficient.")
    result = coefficients[-1]
    for c in reversed(coefficients[:-1]):
        result = result * x + c
    return result


def voigt(x: Any, amplitude: Any, center: Any, sigma: Any, gamma: Any) -> Any:
    """The convolution of a Gaussian and a Lorentzian, of area amplitude: amplitude voigt_profile(x - center, ...)."""
    return amplitude * voigt_profile(x - center, sigma, gamma)


def voigt_profile(x: Any, sigma: Any, gamma: Any) -> Any:
    """As scipy.special.voigt_profile for sigma > 0: Re w((x + i gamma) / (sigma sqrt 2)) / (sigma sqrt(2 pi)).

    The relative error is below 1e-11 for gamma >= 1e-4 sigma.
    """
    scale = 1.0 / (sigma * np.sqrt(2.0))
    return _real_part_of_w(x * scale, np.abs(gamma) * scale) * (scale / np.sqrt(np.pi))


# The number of terms.
_TERMS = 40


@functools.lru_cache(maxsize=None)
def _weideman() -> tuple[float, list[float]]:
    """L and the coefficients of J. A. C. Weideman, "Computation of the complex error function", SIAM J. Numerical
    Analysis 31, 1994: a discrete Fourier transform of exp(-t^2) (L^2 + t^2) at t = L tan(theta / 2)."""
    n = 2 * _TERMS
    length = float(np.sqrt(_TERMS / np.sqrt(2.0)))
    theta = np.arange(-n + 1, n) * np.pi / n
    t = length * np.tan(theta / 2)
    values = np.concatenate([[0.0], np.exp(-(t**2)) * (length**2 + t**2)])
    coefficients = np.real(np.fft.fft(np.fft.fftshift(values))) / (2 * n)
    return length, [float(c) for c in coefficients[1 : _TERMS + 1]]


def _real_part_of_w(x: Any, y: Any) -> Any:
    """w(z) = 2 p(Z) / (L - i z)^2 + 1 / (sqrt(pi) (L - i z)), Z = (L + i z) / (L - i z), z = x + i y, in real
    arithmetic. p has the coefficients of Weideman."""
    length, coefficients = _weideman()
    # 1 / (L - i z) = a + i b.
    low = length + y
    norm = low * low + x * x
    a, b = low / norm, x / norm
    # Z = (L - y + i x) (a + i b).
    re, im = (length - y) * a - x * b, x * a + (length - y) * b
    p, q = coefficients[-1] * re + coefficients[-2], coefficients[-1] * im
    for c in reversed(coefficients[:-2]):
        p, q = p * re - q * im + c, p * im + q * re
    # Re of 2 p (a + i b)^2.
    return 2.0 * (p * (a * a - b * b) - 2.0 * (q * (a * b))) + a / np.sqrt(np.pi)


_BY_NAME: dict[str, tuple[Callable[..., Any], int]] = {
    "gaussian": (gaussian, 3),
    "gaussian_2d": (gaussian_2d, 6),
    "exponential": (exponential, 2),
    "biexponential": (biexponential, 4),
    "lorentzian": (lorentzian, 3),
    "logistic": (logistic, 3),
    "voigt": (voigt, 4),
}


def sum_of(name: str) -> tuple[Callable[..., Any], int]:
    """The function and the number of parameters of a sum of models, such as "exponential + polynomial0".

    polynomial0 is a constant, polynomial1 a straight line. The parameters are those of the first model, then those of
    the second one, and so on.
    """
    terms: list[tuple[Callable[..., Any], int]] = []
    for term in (part.strip() for part in name.split("+")):
        degree = term[len("polynomial") :]
        if term in _BY_NAME:
            terms.append(_BY_NAME[term])
        elif term.startswith("polynomial") and degree.isdigit():
            terms.append((polynomial, int(degree) + 1))
        else:
            known = ", ".join([*_BY_NAME, "polynomial0", "polynomial1", "..."])
            raise ValueError(f"model: {term!r} is not a model. Known: {known}, and sums of them.")

    def model(x: Any, *parameters: Any) -> Any:
        total: Any = None
        first = 0
        for f, size in terms:
            value = f(x, *parameters[first : first + size])
            total = value if total is None else total + value
            first += size
        return total

    return model, sum(size for _, size in terms)


