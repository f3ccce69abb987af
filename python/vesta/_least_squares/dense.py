# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""Dense problems: the loop of `_core._fit`, in the calling thread."""

from __future__ import annotations

from typing import Any, Callable

import numpy as np
from numpy.typing import NDArray

from .. import _core
from .arguments import Tolerances, real_values
from .call import Call
from .monitor import Monitor
from .results import Outcome

Array = NDArray[np.float64]


def solve_dense(
    call: Call, tolerances: Tolerances, limit: int, factor: float | None, monitor: Monitor | None, model: Any = None,
    counts_differences: bool = False,
) -> Outcome:  # fmt: skip
    """counts_differences: as in MINPACK, evaluations for differences count for the limit, and there are none at the
    result.
    model: the arguments fun, args, target and weights of a model of data whose residuals are those of the call."""
    user = call.user
    if model is None:
        function = _core._ResidualFunction(
            user.fun, user.args, user.kwargs or None, "fun", lambda values: real_values(values, "fun"), None, None
        )
    else:
        fun, args, target, weights = model
        function = _core._ResidualFunction(
            fun, args, None, "f", lambda values: real_values(values, "f", True), target, weights
        )
    if factor is None:
        # MINPACK documents 100 for 'lm'.
        factor = 100.0 if call.method == "lm" else 1.0
    result: Any = _core._fit(
        function, call.x0,
        dict(method=call.method, ftol=tolerances.ftol, xtol=tolerances.xtol, gtol=tolerances.gtol, max_nfev=limit,
             factor=factor, lower=call.lower, upper=call.upper, x_scale=call.sizes, diff_step=call.diff_step,
             counts_differences=counts_differences, jac=_jacobian(call, function),
             robust=None if call.loss_name == "linear" else call.robust, monitor=monitor, start=call.start(),
             linearizes_result=not counts_differences),
    )  # fmt: skip
    status, x, f, jac, cost, nfev, njev = result
    return Outcome(x, f, jac, cost, status, nfev, njev, "the Jacobian is not finite, or too large for float64.")


def _jacobian(call: Call, function: Any) -> Callable[[Array, Array], Any] | str | None:
    if call.jac == "2-point" and not call.maps:
        return None
    if call.jac == "autodiff":
        return "autodiff"

    def jacobian(x: Array, f: Array) -> Any:
        known = call._at(x)
        if known is not None and known[2] is not None:
            return known[2]
        return call.jacobian_of(x, f, function.precision)

    return jacobian
