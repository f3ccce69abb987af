# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""One call of least_squares: its arguments, and the values of its functions."""

from __future__ import annotations

from typing import Any, Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from .. import autodiff
from .._differences import Differences
from .._losses import VECTORIZED, CallableLoss
from ..autodiff.dual_array import to_dual
from .arguments import bounds_of, scale_of, structure_of

Array = NDArray[np.float64]


class User:
    """The user's function of x, checked; a class so that it can be sent to other processes."""

    def __init__(self, fun: Callable[..., Any], args: Sequence[Any], kwargs: dict[str, Any], name: str) -> None:
        self._fun, self._args, self._kwargs, self._name = fun, args, kwargs, name

    def __call__(self, x: Any) -> Any:
        values = np.atleast_1d(self._fun(x, *self._args, **self._kwargs))
        if values.ndim > 1:
            raise ValueError(f"`{self._name}`: expected an array with at most one dimension, got shape {values.shape}.")
        return values


class Call:
    """One call of least_squares: arguments, and the functions as the solver sees them.

    The solver works in y = x / scale.
    """

    def __init__(
        self, fun: Any, x0: Any, jac: Any, bounds: Any, method: str, x_scale: Any, loss: Any, f_scale: float,
        diff_step: Any, jac_sparsity: Any, args: Any, kwargs: Any,
    ) -> None:  # fmt: skip
        if method not in ("trf", "dogbox", "lm"):
            raise ValueError(f"`method`: expected 'trf', 'dogbox' or 'lm', got {method!r}.")
        if jac not in ("2-point", "3-point", "cs", "autodiff") and not callable(jac):
            raise ValueError(
                f"`jac`: expected '2-point', '3-point', 'cs', 'autodiff' or a function, got {jac!r}."
            )
        if np.iscomplexobj(x0):
            raise ValueError("`x0`: expected real numbers.")
        self.x0 = np.atleast_1d(np.array(x0, dtype=np.float64))
        if self.x0.ndim > 1:
            raise ValueError(f"`x0`: expected at most one dimension, got shape {self.x0.shape}.")
        self.method = method
        self.n = len(self.x0)
        self.lower, self.upper = bounds_of(bounds, self.n)
        self.bounded = bool(np.any(np.isfinite(self.lower)) or np.any(np.isfinite(self.upper)))
        self._check_bounds()
        self.scale = scale_of(x_scale, self.n)
        # The parameters of the solver.
        self.y = self.x0 / self.scale
        self.loss_name = loss if isinstance(loss, str) else "callable"
        if isinstance(loss, str) and loss not in VECTORIZED:
            raise ValueError(f"`loss`: expected a function or one of {', '.join(VECTORIZED)}, got {loss!r}.")
        if not isinstance(loss, str) and not callable(loss):
            raise ValueError(f"`loss`: expected a name or a function, got {loss!r}.")
        if not f_scale > 0:
            raise ValueError(f"`f_scale`: expected a number > 0, got {f_scale!r}.")
        self.f_scale = float(f_scale)
        self.callable_loss = None if isinstance(loss, str) else CallableLoss(loss, self.f_scale)
        self.rho = VECTORIZED[loss] if isinstance(loss, str) else self.callable_loss
        if method == "lm":
            self._check_lm(jac_sparsity)
        self.user = User(fun, args, kwargs, "fun")
        self.jac, self.args, self.kwargs = jac, args, kwargs
        self.diff_step = diff_step
        self.structure = structure_of(jac_sparsity, jac)
        self.tr_solver: str | None = None
        self.sparse = False
        self.nfev = 0
        self.njev = 0
        # (bytes of x, f, J or None) of the latest point, and of the latest with a Jacobian.
        self._known: list[tuple[bytes, Array, Any]] = []

    def _check_bounds(self) -> None:
        if not np.all(self.lower < self.upper):
            raise ValueError("`bounds`: expected each lower bound to be less than the upper bound.")
        if not np.all((self.x0 >= self.lower) & (self.x0 <= self.upper)):
            raise ValueError("`x0` is infeasible: it does not lie within `bounds`.")

    def _check_lm(self, jac_sparsity: Any) -> None:
        if self.bounded:
            raise ValueError("Method 'lm' does not take bounds. Use 'trf' or 'dogbox'.")
        if self.loss_name != "linear":
            raise ValueError("Method 'lm' takes loss='linear' only. Use 'trf' or 'dogbox'.")
        if jac_sparsity is not None:
            raise ValueError("Method 'lm' does not take `jac_sparsity`. Use 'trf'.")

    def _at(self, x: Array) -> tuple[bytes, Array, Any] | None:
        key = x.tobytes()
        for known in self._known:
            if known[0] == key:
                return known
        return None

    def residuals(self, x: Array) -> Array:
        known = self._at(x)
        if known is not None:
            return known[1]
        f = np.asarray(self.user(np.array(x)))
        if np.iscomplexobj(f):
            raise ValueError("`fun`: expected real residuals.")
        f = np.array(f, dtype=np.float64)
        self.nfev += 1
        self._known = [(x.tobytes(), f, None), *(k for k in self._known if k[2] is not None)]
        return f

    def jacobian(self, x: Array) -> Any:
        f = self.residuals(x)
        known = self._at(x)
        assert known is not None
        if known[2] is None:
            self.njev += 1
            known = (known[0], f, self._checked_jacobian(self._jacobian(np.array(x), f), len(f)))
            self._known = [known]
        return known[2]

    def prepare(self, mapper: Callable[..., Any]) -> None:
        """Evaluates the start."""
        self._differences = None
        if isinstance(self.jac, str) and self.jac != "autodiff":
            self._differences = Differences(
                self.user, self.jac, self.lower, self.upper, self.diff_step, self.structure, mapper
            )
        self.m = len(self.residuals(self.x0))
        if not np.all(np.isfinite(self.residuals(self.x0))):
            raise ValueError("The residuals at the initial point are not finite.")
        if self.method == "lm" and self.m < self.n:
            raise ValueError(f"Method 'lm' needs as many residuals as variables, got {self.m} and {self.n}.")
        first = self.jacobian(self.x0)
        self.sparse = not isinstance(first, np.ndarray)
        if self.sparse and self.method == "lm":
            raise ValueError("Method 'lm' does not take sparse Jacobians. Use 'trf'.")

    def _jacobian(self, x: Array, f: Array) -> Any:
        if self._differences is not None:
            return self._differences.jacobian(x, f)
        if self.jac == "autodiff":
            dual = to_dual(self.user._fun(autodiff.variables(x)[0], *self.args, **self.kwargs))
            return autodiff.jacobian(dual.reshape(-1), 0, self.n)
        assert callable(self.jac)
        return self.jac(x, *self.args, **self.kwargs)

    def _checked_jacobian(self, value: Any, m: int) -> Any:
        shape = (m, self.n)
        if hasattr(value, "tocsr"):
            if value.shape != shape:
                raise ValueError(f"`jac`: expected shape {shape}, got {value.shape}.")
            from scipy.sparse import csr_matrix

            return csr_matrix(value)
        if hasattr(value, "matmat"):
            value = value.matmat(np.eye(self.n))
        result = np.atleast_2d(np.asarray(value, dtype=np.float64))
        if result.shape != shape:
            raise ValueError(f"`jac`: expected shape {shape}, got {result.shape}.")
        return result

    def x(self) -> Array:
        x = self.y * self.scale
        # Rounding must not leave the box.
        return np.clip(x, self.lower, self.upper) if self.bounded else x

    def robust(self, f: Array) -> tuple[Array, Any]:
        """The residuals of the solver, and the factors of the rows of the Jacobian."""
        if self.callable_loss is None:
            return f, None
        return self.callable_loss.residuals(f)
