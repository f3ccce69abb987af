# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""jac="jax": functions written with jax.numpy, in double precision, with derivatives by forward mode."""

from __future__ import annotations

from typing import Any, Callable

import numpy as np

from .._batch import _jax_double


class JaxFunction:
    """The residuals and the Jacobian of fun(x, *args, **kwargs), compiled at the first call."""

    def __init__(self, fun: Callable[..., Any], args: Any, kwargs: Any) -> None:
        try:
            import jax
        except ImportError as error:
            raise ImportError("jac='jax' needs the package jax: pip install 'vesta_solver[jax]'.") from error

        def residuals(x: Any) -> Any:
            return jax.numpy.atleast_1d(fun(x, *args, **kwargs))

        self._double = _jax_double()
        self._residuals = jax.jit(residuals)
        self._jacobian = jax.jit(jax.jacfwd(residuals))

    def __call__(self, x: Any) -> Any:
        with self._double():
            return np.asarray(self._residuals(np.asarray(x, dtype=np.float64)), dtype=np.float64)

    def jacobian(self, x: Any) -> Any:
        with self._double():
            return np.asarray(self._jacobian(np.asarray(x, dtype=np.float64)), dtype=np.float64)
