# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""least_squares with SciPy's signature and result."""

from __future__ import annotations

from typing import Any, Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import _core
from .._losses import solver_loss
from .._options import SolverOptions, Summary
from .._problem import Problem, solve
from .call import Call
from .dense import compressed_evaluator, dense_evaluator
from .mapping import Pool
from .monitor import Monitor
from .options import solver_options
from .results import OptimizeResult as OptimizeResult, OptimizeWarning as OptimizeWarning, result_of
from .sparse import solve_sparse

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
) -> OptimizeResult:
    """Minimizes 0.5 * sum(f_scale^2 rho(fun(x)_i^2 / f_scale^2)) within bounds.

    The arguments and the result are those of `scipy.optimize.least_squares`:

    fun: x -> residuals, an array of shape (m,).
    jac: '2-point', '3-point', 'cs', or a function of the Jacobian: an array
        (m, n), a sparse matrix or a linear operator. Also 'autodiff': exact
        derivatives of a function written with NumPy (`vesta.autodiff`).
    bounds: pair of lower and upper bounds, or an object with lb and ub.
    method: 'trf' and 'lm' are Levenberg-Marquardt; 'dogbox' is dogleg. 'lm'
        refuses bounds, losses and sparse matrices, as in SciPy.
    x_scale: None or 'jac': scaled by the Jacobian. Numbers: the trust region is
        a ball in x / x_scale.
    loss: 'linear', 'soft_l1', 'huber', 'cauchy', 'arctan', or a function
        z -> [rho, rho', rho''] of shape (3, m).
    tr_solver: 'exact': dense or sparse factorizations; 'lsmr': conjugate
        gradients on the normal equations, without factorization.
    tr_options: 'maxiter' and 'regularize' of SciPy's 'lsmr'. The second has no
        effect, since steps are always damped.
    workers: a map-like function or a number of processes, for differences.
    """
    call = Call(fun, x0, jac, bounds, method, x_scale, loss, f_scale, diff_step, jac_sparsity, args, kwargs or {})
    options = solver_options(call, method, ftol, xtol, gtol, tr_solver, tr_options, max_nfev, jac)
    if verbose not in (0, 1, 2):
        raise ValueError(f"verbose: expected 0, 1 or 2, got {verbose!r}.")
    limit = options.max_num_iterations + 1
    with Pool(workers) as mapper:
        call.prepare(mapper)
        monitor = Monitor(call, limit, verbose, callback)
        options.callbacks = [monitor]
        options.update_state_every_iteration = callback is not None
        summary = _solve(call, options)
        result = result_of(call, summary, monitor)
    if verbose >= 1:
        print(result.message)
        print(
            f"Function evaluations {result.nfev}, initial cost {summary.initial_cost:.4e}, "
            f"final cost {result.cost:.4e}, first-order optimality {result.optimality:.2e}."
        )
    return result


def _solve(call: Call, options: SolverOptions) -> Summary:
    loss = None if call.callable_loss else solver_loss(call.loss_name, call.f_scale)
    if call.tr_solver == "lsmr":
        options.linear_solver_type = _core.LinearSolverType.CGNR
    elif not call.sparse:
        options.linear_solver_type = _core.LinearSolverType.DENSE_QR
    if call.sparse:
        return solve_sparse(call, loss, options)
    problem = Problem()
    block = call.y.reshape(1, -1)
    # With a loss, each residual is a residual block of its own.
    rows = 1 if loss is None else call.m
    if rows == 1 and call.m >= 4 * call.n and call.m * call.n >= 1000:
        costs = _core._python_batch(compressed_evaluator(call), 1, call.n + 1, [call.n])
    else:
        costs = _core._python_batch(dense_evaluator(call, rows), rows, call.m // rows, [call.n])
    problem.add_costs(costs, [(block, np.zeros(rows, dtype=np.int64))], loss)
    if call.bounded:
        problem.set_bounds(block, call.lower / call.scale, call.upper / call.scale)
    return solve(options, problem)
