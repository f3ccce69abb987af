# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""One call of least_squares: its arguments, and the values of its functions."""

from __future__ import annotations

from typing import Any, Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from .. import autodiff
from .._arrays import refuse_masked
from .._differences import Differences
from .._losses import VECTORIZED, CallableLoss
from ..autodiff.dual_array import to_dual
from .arguments import EPS, bounds_of, numbers_of, real_values, refuse_none, scale_of, strictly_inside, structure_of

Array = NDArray[np.float64]
JACOBIANS = ("2-point", "3-point", "cs", "autodiff", "jax")


class User:
    """The user's function of x; a class so that it can be sent to other processes."""

    def __init__(self, fun: Callable[..., Any], args: Sequence[Any], kwargs: dict[str, Any], name: str = "fun") -> None:
        self.fun, self.args, self.kwargs, self.name = fun, tuple(args), kwargs, name
        self.size: int | None = None

    def __call__(self, x: Any) -> Any:
        # A copy, since the function may return the same array again.
        result = self.fun(x, *self.args, **self.kwargs)
        refuse_none(result, self.name)
        refuse_masked(result, self.name)
        values = np.atleast_1d(np.array(result))
        if values.ndim > 1:
            raise ValueError(f"`{self.name}`: expected an array with at most one dimension, got shape {values.shape}.")
        if self.size is not None and len(values) != self.size:
            raise ValueError(f"`{self.name}`: expected {self.size} values as at the initial point, got {len(values)}.")
        self.size = len(values)
        return values


class Call:
    """The arguments of one call of least_squares, and its functions of x with a memory of the latest points."""

    def __init__(
        self, fun: Any, x0: Any, jac: Any, bounds: Any, method: str, x_scale: Any, loss: Any, f_scale: float,
        diff_step: Any, tr_solver: Any, jac_sparsity: Any, args: Any, kwargs: Any,
        start_name: str = "x0", names: tuple[str, str] = ("fun", "jac"),
    ) -> None:  # fmt: skip
        """names: of fun and jac in messages."""
        self.fun_name, self.jac_name = names
        if method not in ("trf", "dogbox", "lm"):
            raise ValueError(f"`method`: expected 'trf', 'dogbox' or 'lm', got {method!r}.")
        if not (callable(jac) or (isinstance(jac, str) and jac in JACOBIANS)):
            raise ValueError(f"`{self.jac_name}`: expected a function or one of {', '.join(map(repr, JACOBIANS))}, got {jac!r}.")
        if tr_solver not in (None, "exact", "lsmr"):
            raise ValueError(f"`tr_solver`: expected 'exact', 'lsmr' or None, got {tr_solver!r}.")
        self.start_name = start_name
        if np.iscomplexobj(x0):
            raise ValueError(f"`{start_name}`: expected real numbers.")
        self.x0 = np.atleast_1d(numbers_of(x0, start_name))
        if self.x0.ndim > 1:
            raise ValueError(f"`{start_name}`: expected at most one dimension, got shape {self.x0.shape}.")
        self.method, self.jac, self.tr_solver = method, jac, tr_solver
        self.n = len(self.x0)
        self.lower, self.upper = bounds_of(bounds, self.n)
        self.bounded = bool(np.any(np.isfinite(self.lower)) or np.any(np.isfinite(self.upper)))
        self._check_bounds()
        self.sizes = scale_of(x_scale, self.n)
        if method == "trf" and self.bounded:
            self.x0 = strictly_inside(self.x0, self.lower, self.upper, self.sizes)
        self._set_loss(loss, f_scale)
        if method == "lm":
            self._check_lm(jac_sparsity)
        try:
            self.user = User(fun, args, kwargs, self.fun_name)
        except TypeError:
            raise TypeError(f"`args`: expected a tuple of arguments of `fun`, got {args!r}.") from None
        self._jax: Any = None
        if isinstance(jac, str) and jac == "jax":
            from .jax import JaxFunction

            self._jax = JaxFunction(fun, self.user.args, kwargs)
            self.user = User(self._jax, (), {}, self.fun_name)
        self.diff_step = self._step(diff_step)
        self.structure = structure_of(jac_sparsity, jac, tr_solver)
        self.is_operator = False
        self.xtol = 0.0
        self.maps = False
        self._differences: Differences | None = None
        self.nfev = 0
        self.njev = 0
        # (bytes of x, f, J or None) of the latest point, and of the latest with a Jacobian.
        self._known: list[tuple[bytes, Array, Any]] = []
        self._precision = EPS

    def _set_loss(self, loss: Any, f_scale: float) -> None:
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

    def _check_bounds(self) -> None:
        if not np.all(self.lower < self.upper):
            raise ValueError("`bounds`: expected each lower bound to be less than the upper bound.")
        if not np.all((self.x0 >= self.lower) & (self.x0 <= self.upper)):
            raise ValueError(f"`{self.start_name}` is infeasible: Initial guess is outside of provided bounds.")

    def _check_lm(self, jac_sparsity: Any) -> None:
        if self.bounded:
            raise ValueError("Method 'lm' does not take bounds. Use 'trf' or 'dogbox'.")
        if self.loss_name != "linear":
            raise ValueError("Method 'lm' takes loss='linear' only. Use 'trf' or 'dogbox'.")
        if jac_sparsity is not None:
            raise ValueError("Method 'lm' does not take `jac_sparsity`. Use 'trf'.")

    def _step(self, diff_step: Any) -> Array | None:
        if diff_step is None:
            return None
        refuse_masked(diff_step, "diff_step")
        step = np.atleast_1d(np.asarray(diff_step, dtype=np.float64))
        if step.shape not in ((1,), (self.n,)):
            raise ValueError(f"`diff_step`: expected a number or an array of shape ({self.n},), got shape {step.shape}.")
        return np.array(step)

    def prepare(self, mapper: Callable[..., Any]) -> None:
        self.maps = mapper is not map
        self._differences = Differences(
            self.user, self.jac, self.lower, self.upper, self.diff_step, self.structure, mapper, self.sizes
        ) if isinstance(self.jac, str) and self.jac not in ("autodiff", "jax") else None  # fmt: skip

    def is_sparse(self) -> bool:
        """Whether the Jacobian is a sparse matrix. Evaluates a function of it at the start."""
        if not callable(self.jac):
            return self.structure is not None
        sparse = not isinstance(self.jacobian(self.x0), np.ndarray)
        if (sparse or self.is_operator) and self.method == "lm":
            raise ValueError("Method 'lm' does not take sparse Jacobians or linear operators. Use 'trf'.")
        if (sparse or self.is_operator) and self.tr_solver == "exact":
            raise ValueError("`tr_solver`='exact' does not take sparse Jacobians or linear operators. Use None or 'lsmr'.")
        return sparse

    def start(self) -> Array | None:
        """The residuals at the start, if they are known."""
        return self._known[0][1] if self._known else None

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
        f, self._precision = real_values(self.user(np.array(x)), self.fun_name)
        if self.nfev == 0 and not np.all(np.isfinite(f)):
            raise ValueError(f"`{self.fun_name}`: the values at the initial point are not finite.")
        self.nfev += 1
        self._known = [(x.tobytes(), f, None), *(k for k in self._known if k[2] is not None)]
        return f

    def jacobian(self, x: Array) -> Any:
        f = self.residuals(x)
        known = self._at(x)
        assert known is not None
        if known[2] is None:
            self.njev += 1
            known = (known[0], f, self.jacobian_of(x, f, self._precision))
            self._known = [known]
        return known[2]

    def jacobian_of(self, x: Array, f: Array, precision: float) -> Any:
        """The Jacobian at x, where the residuals are f: an array or a CSR matrix."""
        x = np.array(x)
        if self._differences is not None:
            value = self._differences.jacobian(x, f, precision)
        elif self.jac == "autodiff":
            user = self.user
            dual = to_dual(user.fun(autodiff.variables(x)[0], *user.args, **user.kwargs))
            value = autodiff.jacobian(dual.reshape(-1), 0, self.n)
        elif self._jax is not None:
            value = self._jax.jacobian(x)
        else:
            assert callable(self.jac)
            value = self.jac(x, *self.user.args, **self.user.kwargs)
        return self._checked_jacobian(value, len(f))

    def _checked_jacobian(self, value: Any, m: int) -> Any:
        shape = (m, self.n)
        refuse_masked(value, self.jac_name)
        if hasattr(value, "tocsr"):
            if value.shape != shape:
                raise ValueError(f"`{self.jac_name}`: expected shape {shape}, got {value.shape}.")
            from scipy.sparse import csr_matrix

            # A copy, since the function may return the same matrix again.
            return csr_matrix(value, dtype=np.float64, copy=True)
        if hasattr(value, "matmat"):
            self.is_operator = True
            value = value.matmat(np.eye(self.n))
        result = np.atleast_2d(np.array(value, dtype=np.float64))
        if result.shape != shape:
            raise ValueError(f"`{self.jac_name}`: expected shape {shape}, got {result.shape}.")
        return result

    def robust(self, f: Array) -> tuple[float, Array, Array]:
        """The cost, and residuals and factors of rows whose Gauss-Newton model is that of the cost.

        Triggs et al., "Bundle Adjustment: A Modern Synthesis", 1999, section 4.3.
        """
        assert self.rho is not None
        z = (f / self.f_scale) ** 2
        rho = self.rho(z)
        factor = np.sqrt(np.maximum(rho[1] + 2.0 * rho[2] * z, EPS))
        return 0.5 * self.f_scale**2 * float(np.sum(rho[0])), f * rho[1] / factor, factor
