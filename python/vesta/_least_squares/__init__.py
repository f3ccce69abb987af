# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""least_squares with SciPy's signature and result."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Literal, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._options import SolverOptions
from .arguments import Tolerances, limit_of, tolerances_of, tr_options_of
from .blocks import solve_blocks
from .call import Call
from .constraints import constraints_of
from .dense import solve_dense
from .mapping import Pool
from .monitor import Monitor
from .types import Jac, Loss, Method, TrOptions, TrSolver
from .results import OptimizeResult as OptimizeResult, OptimizeWarning as OptimizeWarning, Outcome, result_of

if TYPE_CHECKING:
    from .._option_values import OptionValues

Array = NDArray[np.float64]


def least_squares(
    fun: Callable[..., Any],
    x0: ArrayLike,
    jac: Jac = "2-point",
    bounds: Any = (-np.inf, np.inf),
    method: Method = "trf",
    ftol: float | None = 1e-8,
    xtol: float | None = 1e-8,
    gtol: float | None = 1e-8,
    x_scale: ArrayLike | Literal["jac"] | None = None,
    loss: Loss = "linear",
    f_scale: float = 1.0,
    diff_step: ArrayLike | None = None,
    tr_solver: TrSolver | None = None,
    tr_options: TrOptions | None = None,
    jac_sparsity: Any = None,
    max_nfev: int | None = None,
    verbose: Literal[0, 1, 2] = 0,
    args: Sequence[Any] = (),
    kwargs: dict[str, Any] | None = None,
    callback: Callable[..., Any] | None = None,
    workers: int | Callable[..., Any] | None = None,
    options: SolverOptions | OptionValues | None = None,
    constraints: Any = None,
) -> OptimizeResult:
    """Minimizes 0.5 * sum(f_scale^2 rho(fun(x)_i^2 / f_scale^2)) within bounds.

    The arguments and the result are those of `scipy.optimize.least_squares`;
    "autodiff", "jax", `options` and `constraints` are added.

    Arguments
    ---------
    fun: x -> residuals, an array of shape (m,), as fun(x, *args, **kwargs).
    x0: the start, of shape (n,). A start on a bound moves inside ('trf').
    jac: '2-point', '3-point': finite differences; 'cs': complex steps; or a
        function of the Jacobian: an array (m, n), a sparse matrix or a linear
        operator. 'autodiff': exact derivatives of a function written with NumPy
        (`vesta.autodiff`); 'jax': of one written with jax.numpy.
    bounds: pair of lower and upper bounds, or an object with lb and ub.
    method: 'trf': Levenberg-Marquardt in a region that bounds shape; points stay
        strictly inside. 'dogbox': dogleg in a box; variables end on their bounds.
        'lm': Levenberg-Marquardt with MINPACK's rules, without bounds, losses and
        sparse matrices.
    ftol: stop when the cost decreases by less than ftol * cost, and as the model
        predicted. None switches a test off.
    xtol: stop when |dx| < xtol * (xtol + |x|), with x divided by x_scale. With
        constraints: when a step leaves x unchanged.
    gtol: stop when the max-norm of the gradient is less than gtol. 'trf' scales
        the gradient by distances to bounds; 'dogbox' leaves out variables that a
        bound holds. A gradient that is small only in its unit is no reason to
        stop. 'lm': the cosine of residuals and columns of the Jacobian.
    x_scale: sizes of the variables. None and 'jac': from the Jacobian.
    loss: 'linear', 'soft_l1', 'huber', 'cauchy', 'arctan', or a function
        z -> [rho, rho', rho''] of shape (3, m).
    f_scale: the residual from which on a loss counts less than a square.
    diff_step: steps of differences relative to |x|. None: from the precision of
        the type that fun returns.
    tr_solver: 'exact': a dense factorization; 'lsmr': for sparse Jacobians a
        sparse one, and without any for dense ones of more than 300 variables.
    tr_options: options of 'lsmr', of which 'maxiter' has an effect.
    jac_sparsity: the structure of the Jacobian for differences, of shape (m, n).
    max_nfev: limit on evaluations, without those of differences; 100 n.
    verbose: 0: silent; 1: a report; 2: a line for each iteration.
    callback: called with each new point, as callback(x), or with an argument of
        the name intermediate_result. StopIteration ends the solve.
    workers: a map-like function or a number of processes, for differences.
    options: options of `vesta.SolverOptions`, as an object or a dict, for the
        library's solver on parameter blocks, which large and sparse problems use.
    constraints: a `scipy.optimize.NonlinearConstraint` or `LinearConstraint`, or
        a sequence of them, for method 'trf'. Functions get x without args. jac:
        as above. hess is not used: curvature is the difference of Jacobians.
        keep_feasible is refused: points before the solution may violate
        constraints, but not bounds. Variables that the solution leaves at a bound
        are exactly there. The option `constraint_tolerance` is the largest
        violation of a constraint, relative to its scale: units do not matter.

    Result
    ------
    x, cost, fun (m,), jac (m, n) and grad (n,) at the solution; with a loss, jac
    is scaled so that jac.T @ jac approximates the Hessian matrix of the cost.
    optimality: the max-norm of the gradient, see gtol.
    active_mask: -1, 0 or 1: at the lower bound, at none, at the upper one.
    nfev, njev: evaluations of fun and of the Jacobian; njev is None for 'lm' with
        differences.
    constr, v: with constraints, lists of their values and of their Lagrange
        multipliers; grad + sum(J.T @ v) is 0 where no bound holds, and v > 0 at an
        upper bound, < 0 at a lower one.
    constr_violation: the largest violation of a constraint, in its unit.
    status: -3: no point near meets all constraints; x violates them least, and
        the message names them. -2: the callback ended the solve. -1: it failed, see message. 0: limit
        on evaluations. 1: gtol, 2: ftol, 3: xtol, 4: ftol and xtol are met.
    message: the status in words. success: status > 0.

    Example
    -------
    >>> rosenbrock = lambda x: np.array([10 * (x[1] - x[0] ** 2), 1 - x[0]])
    >>> vesta.least_squares(rosenbrock, [2, 2]).x.round(6)
    array([1., 1.])
    """
    call = Call(
        fun, x0, jac, bounds, method, x_scale, loss, f_scale, diff_step, tr_solver, jac_sparsity, args, kwargs or {}
    )
    tolerances = tolerances_of(ftol, xtol, gtol, method)
    limit = limit_of(max_nfev, call.n)
    if verbose not in (0, 1, 2):
        raise ValueError(f"`verbose`: expected 0, 1 or 2, got {verbose!r}.")
    return minimize(
        call, tolerances, limit, tr_options_of(tr_options, call.tr_solver), verbose, callback, workers, options,
        constraints=constraints,
    )  # fmt: skip


def least_squares_of_model(
    fun: Callable[..., Any], x0: Array, jac: Any, bounds: Any, method: str, *, ftol: Any = 1e-8, xtol: Any = 1e-8,
    gtol: Any = 1e-8, max_nfev: Any = None, factor: float | None = None, verbose: int = 0, callback: Any = None,
    workers: Any = None, options: Any = None, tr_options: Any = None, model: Any = None,
    counts_differences: bool = False, constraints: Any = None, **arguments: Any,
) -> OptimizeResult:  # fmt: skip
    """least_squares for curve_fit. factor: of the first trust region; model: see solve_dense."""
    if not arguments.keys() <= NAMES:
        raise TypeError(f"curve_fit() got an unexpected keyword argument {min(arguments.keys() - NAMES)!r}")
    call = Call(fun, x0, jac, bounds, method, **{**DEFAULTS, **arguments}, start_name="p0")
    tolerances = tolerances_of(ftol, xtol, gtol, method)
    limit = limit_of(max_nfev, call.n)
    return minimize(
        call, tolerances, limit, tr_options_of(tr_options, call.tr_solver), verbose, callback, workers, options, factor, model,
        counts_differences, constraints,
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
    counts_differences: bool = False, constraints: Any = None,
) -> OptimizeResult:  # fmt: skip
    """least_squares with checked arguments. factor: of the first trust region; model: see solve_dense."""
    call.xtol = tolerances.xtol
    with Pool(workers) as mapper:
        call.prepare(mapper)
        monitor = Monitor(verbose, callback) if verbose == 2 or callback is not None else None
        limits = constraints_of(constraints, call)
        if call.n == 0:
            if limits:
                raise ValueError(f"`constraints`: `{call.start_name}` has no variables.")
            f = call.residuals(call.x0)
            cost = 0.5 * float(f @ f) if call.loss_name == "linear" else call.robust(f)[0]
            outcome = Outcome(call.x0, f, np.zeros((len(f), 0)), cost, 1, 1, 1, "")
        elif limits or options is not None or call.is_sparse() or (call.tr_solver == "lsmr" and call.n > LARGE):
            outcome = solve_blocks(call, tolerances, limit, tr_options, options, monitor, limits)
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
