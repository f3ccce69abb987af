# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""The result object."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .. import _core
from .._options import Summary
from .call import Call

if TYPE_CHECKING:
    from .monitor import Monitor

Array = NDArray[np.float64]

try:
    from scipy.optimize import OptimizeResult as OptimizeResult, OptimizeWarning as OptimizeWarning
except ImportError:

    class OptimizeResult(dict):  # type: ignore[no-redef,type-arg]
        """A dict whose keys are attributes, as in SciPy."""

        def __getattr__(self, name: str) -> Any:
            try:
                return self[name]
            except KeyError:
                raise AttributeError(name) from None

        __setattr__ = dict.__setitem__  # type: ignore[assignment]
        __delattr__ = dict.__delitem__  # type: ignore[assignment]

        def __repr__(self) -> str:
            width = max((len(k) for k in self), default=0)
            return "\n".join(f"{k:>{width}}: {v!r}" for k, v in sorted(self.items()))

    class OptimizeWarning(UserWarning):  # type: ignore[no-redef]
        """A warning about a result."""


MESSAGES = {
    -2: "The callback ended the minimization.",
    -1: "The minimization failed: {}",
    0: "The limit on evaluations was reached.",
    1: "The gradient is below `gtol`.",
    2: "The change of the cost is below `ftol`.",
    3: "The step is below `xtol`.",
    4: "Both `ftol` and `xtol` are met.",
}


def status_of(summary: Summary, monitor: Monitor) -> int:
    types = _core.TerminationType
    if monitor.stopped_by_user:
        return -2
    if summary.termination_type in (types.FAILURE, types.USER_FAILURE):
        return -1
    if monitor.reached_limit or summary.termination_type == types.NO_CONVERGENCE:
        return 0
    # Messages name the tolerance that was met.
    for status, name in ((1, "gradient_tolerance"), (2, "function_tolerance"), (3, "parameter_tolerance")):
        if name in summary.message:
            return status
    return 2


def result_of(call: Call, summary: Summary, monitor: Monitor) -> OptimizeResult:
    status = status_of(summary, monitor)
    x = call.x() if summary.is_solution_usable else call.x0
    f, jac = call.residuals(x), call.jacobian(x)
    if call.loss_name == "linear":
        cost, grad = 0.5 * float(f @ f), jac.T @ f
    else:
        assert call.rho is not None
        z = (f / call.f_scale) ** 2
        rho = call.rho(z)
        cost = 0.5 * call.f_scale**2 * float(np.sum(rho[0]))
        grad = jac.T @ (rho[1] * f)
        factor = np.sqrt(np.maximum(rho[1] + 2.0 * rho[2] * z, np.finfo(float).eps))
        if isinstance(jac, np.ndarray):
            jac = jac * factor[:, None]
        else:
            from scipy.sparse import diags

            jac = (diags(factor) @ jac).tocsr()
    return OptimizeResult(
        x=x, cost=cost, fun=f, jac=jac, grad=grad, optimality=optimality_of(call, x, grad),
        active_mask=active_bounds(call, x), nfev=call.nfev, njev=call.njev, status=status,
        message=MESSAGES[status].format(summary.message), success=status > 0,
    )  # fmt: skip


def optimality_of(call: Call, x: Array, grad: Array) -> float:
    """The max-norm of the gradient, scaled by the distance to the bound that it points to.

    Branch, Coleman and Li, "A Subspace, Interior, and Conjugate Gradient
    Method for Large-Scale Bound-Constrained Minimization Problems", 1999.
    """
    if not call.bounded:
        return float(np.max(np.abs(grad), initial=0.0))
    with np.errstate(invalid="ignore"):
        distance = np.where(grad < 0, call.upper - x, x - call.lower)
    scale = np.where(np.isfinite(distance), distance, 1.0)
    return float(np.max(np.abs(grad * scale), initial=0.0))


def active_bounds(call: Call, x: Array) -> Any:
    """For each variable -1 at its lower bound, 1 at its upper bound, else 0."""
    active = np.zeros(call.n, dtype=int)
    if not call.bounded:
        return active
    tolerance = 1e-10
    for side, bound in ((-1, call.lower), (1, call.upper)):
        finite = np.isfinite(bound)
        near = np.abs(x[finite] - bound[finite]) <= tolerance * np.maximum(1.0, np.abs(bound[finite]))
        active[np.flatnonzero(finite)[near]] = side
    return active
