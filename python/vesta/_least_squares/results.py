# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""The result object."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Sequence

import numpy as np
from numpy.typing import NDArray

from .._diagnosis import Diagnosis, diagnose_linear
from .call import Call
from .constraints import AtResult

Array = NDArray[np.float64]

if TYPE_CHECKING:

    class OptimizeResult(dict[str, Any]):
        """The result of least_squares, whose documentation says what each field is."""

        x: Array
        cost: float
        fun: Array
        jac: Any
        grad: Array
        optimality: float
        active_mask: NDArray[np.int_]
        nfev: int
        njev: int | None
        status: int
        message: str
        success: bool
        constr: list[Array]
        constr_violation: float
        v: list[Array]

        def diagnosis(
            self,
            names: Sequence[str] | None = None,
            *,
            weak_ratio: float | None = None,
            compute_redundancy: bool = False,
            variance_factor: float = 1.0,
            num_threads: int = 1,
        ) -> Diagnosis: ...

    class OptimizeWarning(UserWarning):
        """A warning about a result."""

else:
    try:
        from scipy.optimize import OptimizeResult as OptimizeResult, OptimizeWarning as OptimizeWarning
    except ImportError:

        class OptimizeResult(dict):
            """A dict whose keys are attributes, as in SciPy."""

            def __getattr__(self, name: str) -> Any:
                try:
                    return self[name]
                except KeyError:
                    raise AttributeError(name) from None

            __setattr__ = dict.__setitem__
            __delattr__ = dict.__delitem__

            def __repr__(self) -> str:
                width = max((len(k) for k in self), default=0)
                return "\n".join(f"{k:>{width}}: {v!r}" for k, v in sorted(self.items()))

        class OptimizeWarning(UserWarning):
            """A warning about a result."""


class LeastSquaresResult(OptimizeResult):
    """An OptimizeResult that can be diagnosed."""

    def diagnosis(
        self,
        names: Sequence[str] | None = None,
        *,
        weak_ratio: float | None = None,
        compute_redundancy: bool = False,
        variance_factor: float = 1.0,
        num_threads: int = 1,
    ) -> Diagnosis:
        """What the residuals leave undetermined or weak at x, from the Jacobian there.

        names: of the variables; None: x[0], x[1], ... weak_ratio: None is 1e-6
        for jac='2-point', whose errors hide smaller singular values, else 1e-8.
        The other arguments are those of `vesta.Problem.diagnose`. Residual
        blocks are single residuals.
        Active constraints determine directions, too: `held` names what they
        alone determine, as constraints[0][3] for coordinate 3 of the first one.
        """
        n = len(self.x)
        if names is None:
            names = [f"x[{k}]" for k in range(n)]
        if len(names) != n:
            raise ValueError(f"`names`: expected {n} names, got {len(names)}.")
        lower, upper, robust, own_ratio = self.__dict__["_at_result"]
        return diagnose_linear(
            self.jac, self.fun if robust is None else robust, lower - self.x, upper - self.x, names,
            own_ratio if weak_ratio is None else weak_ratio, compute_redundancy, variance_factor, num_threads,
            self.__dict__["_constraints"].named_gradients() if "v" in self else None,
        )  # fmt: skip


MESSAGES = {
    -3: "No point near meets all constraints. Violated: {}.",
    -2: "The callback ended the minimization.",
    -1: "The minimization failed: {}",
    0: "The limit on evaluations, `max_nfev`, was reached.",
    1: "The gradient is below `gtol`.",
    2: "The change of the cost is below `ftol`.",
    3: "The step is below `xtol`.",
    4: "Both `ftol` and `xtol` are met.",
}


DIFFERENCES = ("2-point", "3-point", "cs")


class Outcome(NamedTuple):
    """What a solve returns: residuals and Jacobian without the loss."""

    x: Array
    fun: Array
    jac: Any
    cost: float
    status: int
    nfev: int
    njev: int
    reason: str
    constraints: AtResult | None = None
    note: str = ""  # what the message says besides


def result_of(call: Call, outcome: Outcome) -> OptimizeResult:
    f, jac = outcome.fun, outcome.jac
    robust: Array | None = None
    if call.loss_name == "linear":
        grad = jac.T @ f
    else:
        _, robust, factor = call.robust(f)
        if isinstance(jac, np.ndarray):
            jac = jac * factor[:, None]
        else:
            from scipy.sparse import diags

            jac = (diags(factor) @ jac).tocsr()
        grad = jac.T @ robust
    at = outcome.constraints
    slopes = grad
    for matrix, v in zip(at.jacobians, at.multipliers) if at is not None else ():
        slopes = slopes + matrix.T @ v
    result = LeastSquaresResult(
        x=outcome.x, cost=outcome.cost, fun=f, jac=jac, grad=grad, optimality=optimality_of(call, outcome.x, slopes),
        active_mask=active_bounds(call, outcome.x), nfev=outcome.nfev,
        njev=None if call.method == "lm" and call.jac in DIFFERENCES else outcome.njev, status=outcome.status,
        message=MESSAGES[outcome.status].format(outcome.reason) + outcome.note, success=outcome.status > 0,
    )  # fmt: skip
    if at is not None:
        result.update(constr=at.values, constr_violation=at.violation, v=at.multipliers)
        result.__dict__["_constraints"] = at
    result.__dict__["_at_result"] = (call.lower, call.upper, robust, 1e-6 if call.jac == "2-point" else 1e-8)
    return result


def optimality_of(call: Call, x: Array, grad: Array) -> float:
    """The max-norm of the gradient.

    'trf' scales it by the distance to the bound that it points to: Branch,
    Coleman and Li, "A Subspace, Interior, and Conjugate Gradient Method for
    Large-Scale Bound-Constrained Minimization Problems", 1999. 'dogbox' leaves
    out variables that a bound holds.
    """
    if not call.bounded:
        return float(np.max(np.abs(grad), initial=0.0))
    with np.errstate(invalid="ignore"):
        distance = np.where(grad < 0, call.upper - x, x - call.lower)
    if call.method == "dogbox":
        scale = np.where(distance > 0, 1.0, 0.0)
    else:
        scale = np.where(np.isfinite(distance), distance, 1.0)
    return float(np.max(np.abs(grad * scale), initial=0.0))


def active_bounds(call: Call, x: Array) -> Any:
    """For each variable -1 at its lower bound, 1 at its upper bound, else 0."""
    active = np.zeros(call.n, dtype=int)
    if not call.bounded:
        return active
    # Points of 'trf' are strictly inside.
    tolerance = 0.0 if call.method == "dogbox" else call.xtol
    for side, bound in ((-1, call.lower), (1, call.upper)):
        finite = np.isfinite(bound)
        near = np.abs(x[finite] - bound[finite]) <= tolerance * np.maximum(1.0, np.abs(bound[finite]))
        active[np.flatnonzero(finite)[near]] = side
    return active
