# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""least_squares with SciPy's signature and result."""

from __future__ import annotations

from typing import Any, Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .arguments import Tolerances, limit_of, tolerances_of, tr_options_of
from .blocks import solve_blocks
from .call import Call
from .dense import solve_dense
from .mapping import Pool
from .monitor import Monitor
from .results import OptimizeResult as OptimizeResult, OptimizeWarning as OptimizeWarning, Outcome, result_of

Array = NDArray[np.float64]


def least_squares(
    fun: Callable[..., Any],
    x0: ArrayLike,
    jac: str | Callable[..., Any] = "2-point",
    bounds: Any = (-np.inf, np.inf),
    method: str = "trf",
    ftol: float | None = 1e-8,
    xtol: float | None = 1e-8,
    gtol: float | None = 1e-8,
    x_scale: Any = None,
    loss: str | Callable[[Array], Any] = "linear",
    f_scale: float = 1.0,
    diff_step: Any = None,
    tr_solver: str | None = None,
    tr_options: dict[str, Any] | None = None,
    jac_sparsity: Any = None,
    max_nfev: int | None = None,
    verbose: int = 0,
    args: Sequence[Any] = (),
    kwargs: dict[str, Any] | None = None,
    callback: Callable[..., Any] | None = None,
    workers: Any = None,
    options: Any = None,
) -> OptimizeResult:
    """DOC"""
    call = Call(
        fun, x0, jac, bounds, method, x_scale, loss, f_scale, diff_step, tr_solver, jac_sparsity, args, kwargs or {}
    )
    tolerances = tolerances_of(ftol, xtol, gtol, method)
    limit = limit_of(max_nfev, call.n)
    if verbose not in (0, 1, 2):
        raise ValueError(f"`verbose`: expected 0, 1 or 2, got {verbose!r}.")
    return minimize(call, tolerances, limit, tr_options_of(tr_options, call.tr_solver), verbose, callback, workers, options)


def least_squares_of_model(
    fun: Callable[..., Any], x0: Array, jac: Any, bounds: Any, method: str, *, ftol: Any = 1e-8, xtol: Any = 1e-8,
    gtol: Any = 1e-8, max_nfev: Any = None, factor: float | None = None, verbose: int = 0, callback: Any = None,
    workers: Any = None, options: Any = None, tr_options: Any = None, model: Any = None,
    counts_differences: bool = False, **arguments: Any,
) -> OptimizeResult:  # fmt: skip
    """least_squares for curve_fit. factor: of the first trust region; model: see solve_dense."""
    if not arguments.keys() <= NAMES:
        raise TypeError(f"curve_fit() got an unexpected keyword argument {min(arguments.keys() - NAMES)!r}")
    call = Call(fun, x0, jac, bounds, method, **{**DEFAULTS, **arguments}, start_name="p0")
    tolerances = tolerances_of(ftol, xtol, gtol, method)
    limit = limit_of(max_nfev, call.n)
    return minimize(
        call, tolerances, limit, tr_options_of(tr_options, call.tr_solver), verbose, callback, workers, options, factor, model,
        counts_differences,
    )  # fmt: skip


# With more variables than this, tr_solver="lsmr" avoids factorizations.
LARGE = 300
DEFAULTS: dict[str, Any] = dict(
    x_scale=None, loss="linear", f_scale=1.0, diff_step=None, tr_solver=None, jac_sparsity=None, args=(), kwargs={}
)
NAMES = DEFAULTS.keys()


def minimize(
    call: Call, tolerances: Tolerances, limit: int, tr_options: Any, verbose: int = 0, callback: Any = None,
    workers: Any = None, options: Any = None, factor: float | None = None, model: Any = None,
    counts_differences: bool = False,
) -> OptimizeResult:  # fmt: skip
    """least_squares with checked arguments. factor: of the first trust region; model: see solve_dense."""
    call.xtol = tolerances.xtol
    with Pool(workers) as mapper:
        call.prepare(mapper)
        monitor = Monitor(verbose, callback) if verbose == 2 or callback is not None else None
        if options is not None or call.is_sparse() or (call.tr_solver == "lsmr" and call.n > LARGE):
            outcome = solve_blocks(call, tolerances, limit, tr_options, options, monitor)
        else:
            outcome = solve_dense(call, tolerances, limit, factor, monitor, model, counts_differences)
        result = result_of(call, outcome)
    if verbose >= 1:
        print(result.message)
        print(
            f"Function evaluations {result.nfev}, final cost {result.cost:.4e}, "
            f"first-order optimality {result.optimality:.2e}."
        )
    return result
