# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""The options of the solver that stand for the tolerances of SciPy."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._options import SolverOptions, num_threads
from .call import Call

FTOL_FACTOR = 1e-3


def solver_options(
    call: Call, method: str, ftol: Any, xtol: Any, gtol: Any, tr_solver: Any, tr_options: Any, max_nfev: Any, jac: Any
) -> SolverOptions:
    tolerances = [0.0 if t is None else float(t) for t in (ftol, xtol, gtol)]
    if all(t < np.finfo(float).eps for t in tolerances):
        raise ValueError("At least one of `ftol`, `xtol`, `gtol` must be greater than the precision of floats.")
    if max_nfev is None:
        max_nfev = 100 * call.n * (call.n + 1 if method == "lm" and not callable(jac) else 1)
    if max_nfev < 1:
        raise ValueError(f"`max_nfev`: expected a number > 0, got {max_nfev!r}.")
    if tr_solver not in (None, "exact", "lsmr"):
        raise ValueError(f"`tr_solver`: expected 'exact', 'lsmr' or None, got {tr_solver!r}.")
    if method == "lm" and tr_solver is not None:
        raise ValueError("Method 'lm' does not take `tr_solver`.")
    options = SolverOptions(
        # A small change may be far from the minimum where convergence is slow. SciPy asks for a good agreement of
        # model and function, too; this factor gives about the same digits.
        function_tolerance=FTOL_FACTOR * tolerances[0],
        parameter_tolerance=tolerances[1],
        gradient_tolerance=tolerances[2],
        max_num_iterations=int(min(max_nfev, 2**30)) - 1,
        num_threads=num_threads(),
        logging_type="SILENT",
    )
    if method == "dogbox":
        options.trust_region_strategy_type = "DOGLEG"
    if np.any(call.scale != 1.0):
        # Damping by a multiple of the identity: a ball in x / x_scale.
        options.jacobi_scaling = False
        options.min_lm_diagonal = options.max_lm_diagonal = 1.0
    for name, value in (tr_options or {}).items():
        if name == "maxiter":
            options.max_linear_solver_iterations = int(value)
        elif name != "regularize":
            raise ValueError(f"`tr_options`: expected 'maxiter' or 'regularize', got {name!r}.")
    call.tr_solver = tr_solver
    return options
