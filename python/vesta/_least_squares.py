# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""least_squares with SciPy's signature and result."""

from __future__ import annotations

import inspect
from typing import Any, Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core
from ._differences import Differences
from ._losses import VECTORIZED, CallableLoss, solver_loss
from ._options import SolverOptions, Summary, num_threads
from ._problem import Problem, solve

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


FTOL_FACTOR = 1e-3

MESSAGES = {
    -2: "The callback ended the minimization.",
    -1: "The minimization failed: {}",
    0: "The limit on evaluations was reached.",
    1: "The gradient is below `gtol`.",
    2: "The change of the cost is below `ftol`.",
    3: "The step is below `xtol`.",
    4: "Both `ftol` and `xtol` are met.",
}


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
    call = _Call(fun, x0, jac, bounds, method, x_scale, loss, f_scale, diff_step, jac_sparsity, args, kwargs or {})
    options = _solver_options(call, method, ftol, xtol, gtol, tr_solver, tr_options, max_nfev, jac)
    if verbose not in (0, 1, 2):
        raise ValueError(f"verbose: expected 0, 1 or 2, got {verbose!r}.")
    limit = options.max_num_iterations + 1
    with _Pool(workers) as mapper:
        call.prepare(mapper)
        monitor = _Monitor(call, limit, verbose, callback)
        options.callbacks = [monitor]
        options.update_state_every_iteration = callback is not None
        summary = call.solve(options)
        result = _result(call, summary, monitor)
    if verbose >= 1:
        print(result.message)
        print(
            f"Function evaluations {result.nfev}, initial cost {summary.initial_cost:.4e}, "
            f"final cost {result.cost:.4e}, first-order optimality {result.optimality:.2e}."
        )
    return result


class _Pool:
    """The function that maps differences: built in, the user's, or that of new processes."""

    def __init__(self, workers: Any) -> None:
        self._workers = workers
        self._pool: Any = None

    def __enter__(self) -> Callable[..., Any]:
        if self._workers is None or self._workers == 1:
            return map
        if callable(self._workers):
            function: Callable[..., Any] = self._workers
            return lambda f, *lists: function(_Star(f), list(zip(*lists)))
        import multiprocessing

        count = int(self._workers)
        if count == 0 or count < -1:
            raise ValueError(f"workers: expected a function, a number > 0 or -1, got {self._workers!r}.")
        self._pool = multiprocessing.Pool(None if count == -1 else count)
        return lambda f, *lists: self._pool.starmap(f, list(zip(*lists)))

    def __exit__(self, *error: Any) -> None:
        if self._pool is not None:
            self._pool.terminate()
            self._pool.join()


class _Star:
    def __init__(self, f: Callable[..., Any]) -> None:
        self._f = f

    def __call__(self, arguments: Any) -> Any:
        return self._f(*arguments)


class _User:
    """The user's function of x, checked; a class so that it can be sent to other processes."""

    def __init__(self, fun: Callable[..., Any], args: Sequence[Any], kwargs: dict[str, Any], name: str) -> None:
        self._fun, self._args, self._kwargs, self._name = fun, args, kwargs, name

    def __call__(self, x: Any) -> Any:
        values = np.atleast_1d(self._fun(x, *self._args, **self._kwargs))
        if values.ndim > 1:
            raise ValueError(f"`{self._name}`: expected an array with at most one dimension, got shape {values.shape}.")
        return values


class _Call:
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
        self.lower, self.upper = _bounds(bounds, self.n)
        self.bounded = bool(np.any(np.isfinite(self.lower)) or np.any(np.isfinite(self.upper)))
        self._check_bounds()
        self.scale = _scale(x_scale, self.n)
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
        self.user = _User(fun, args, kwargs, "fun")
        self.jac, self.args, self.kwargs = jac, args, kwargs
        self.diff_step = diff_step
        self.structure = _structure(jac_sparsity, jac)
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

    # --- Values at x ---------------------------------------------------------

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
            from . import autodiff

            dual = autodiff._dual(self.user._fun(autodiff.variables(x)[0], *self.args, **self.kwargs))
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

    # --- The solver's problem ------------------------------------------------

    def solve(self, options: SolverOptions) -> Summary:
        if self.tr_solver == "lsmr":
            options.linear_solver_type = _core.LinearSolverType.CGNR
        elif not self.sparse:
            options.linear_solver_type = _core.LinearSolverType.DENSE_QR
        self.y = self.x0 / self.scale
        problem = Problem()
        self.loss_object = None if self.callable_loss else solver_loss(self.loss_name, self.f_scale)
        block = self.y.reshape(1, -1)
        if self.sparse:
            return self._solve_sparse(options)
        # With a loss, each residual is a residual block of its own.
        rows = 1 if self.loss_object is None else self.m
        if rows == 1 and self.m >= 4 * self.n and self.m * self.n >= 1000:
            costs = _core._python_batch(self._compressed_evaluator(), 1, self.n + 1, [self.n])
        else:
            costs = _core._python_batch(self._dense_evaluator(rows), rows, self.m // rows, [self.n])
        problem.add_costs(costs, [(block, np.zeros(rows, dtype=np.int64))], self.loss_object)
        if self.bounded:
            problem.set_bounds(block, self.lower / self.scale, self.upper / self.scale)
        return solve(options, problem)

    def _x(self) -> Array:
        x = self.y * self.scale
        # Rounding must not leave the box.
        return np.clip(x, self.lower, self.upper) if self.bounded else x

    def _robust(self, f: Array) -> tuple[Array, Any]:
        """The residuals of the solver, and the factors of the rows of the Jacobian."""
        if self.callable_loss is None:
            return f, None
        return self.callable_loss.residuals(f)

    def _dense_evaluator(self, rows: int) -> Callable[[bool, bool], tuple[Any, Any]]:
        shape = (rows, self.m // rows)
        scaled = bool(np.any(self.scale != 1.0))

        def evaluate(residuals: bool, jacobians: bool) -> tuple[Any, Any]:
            x = self._x()
            g, factor = self._robust(self.residuals(x))
            if not jacobians:
                return g.reshape(shape), None
            matrix = self.jacobian(x)
            if not isinstance(matrix, np.ndarray):
                matrix = matrix.toarray()
            if factor is not None:
                matrix = matrix * factor[:, None]
            if scaled:
                matrix = matrix * self.scale
            return g.reshape(shape), [matrix.reshape(*shape, self.n)]

        return evaluate

    def _compressed_evaluator(self) -> Callable[[bool, bool], tuple[Any, Any]]:
        """n + 1 residuals with the cost, gradient and J'J of the m ones.

        With J = Q R they are [Q'g; |g - Q Q'g|], with the Jacobian [R; 0]. Where only the cost is wanted, [0; |g|].
        """
        n = self.n
        evaluate_all = self._dense_evaluator(1)

        def evaluate(residuals: bool, jacobians: bool) -> tuple[Any, Any]:
            g, matrices = evaluate_all(residuals, jacobians)
            g = g[0]
            short = np.zeros((1, n + 1))
            if matrices is None:
                short[0, n] = np.sqrt(g @ g)
                return short, None
            matrix = np.zeros((1, n + 1, n))
            matrix[0, :n], short[0, :n] = _triangle(matrices[0][0], g)
            short[0, n] = np.sqrt(max(0.0, g @ g - short[0, :n] @ short[0, :n]))
            return short, [matrix]

        return evaluate

    def _solve_sparse(self, options: SolverOptions) -> Summary:
        """Solves with one parameter block per variable and one residual block per residual."""
        pattern = self._pattern(self.jacobian(self.x0))
        while True:
            problem = Problem()
            try:
                problem._add_sparse_rows(
                    self._sparse_evaluator(pattern), self.y, pattern.indptr.astype(np.int64),
                    pattern.indices.astype(np.int64), self.loss_object,
                )  # fmt: skip
                if self.bounded:
                    low, high = self.lower / self.scale, self.upper / self.scale
                    for i in np.flatnonzero(np.isfinite(low) | np.isfinite(high)):
                        if problem.has_parameter_block(self.y[i : i + 1]):
                            problem.set_bounds(self.y[i : i + 1], low[i], high[i])
                return solve(options, problem)
            except _PatternGrew as grown:
                # The solve begins again with the larger pattern.
                pattern = self._pattern(grown.matrix, pattern)
                self.y[:] = self.x0 / self.scale

    def _pattern(self, matrix: Any, more: Any = None) -> Any:
        """The places of entries, at least one in each row."""
        from scipy.sparse import csr_matrix

        ones = csr_matrix((np.ones(len(matrix.data)), matrix.indices, matrix.indptr), shape=matrix.shape)
        if more is not None:
            ones = ones + more
        empty = np.flatnonzero(np.diff(ones.indptr) == 0)
        if len(empty):
            ones = ones + csr_matrix((np.ones(len(empty)), (empty, np.zeros(len(empty), dtype=int))), shape=ones.shape)
        ones = csr_matrix(ones)
        ones.sum_duplicates()
        ones.sort_indices()
        ones.data[:] = 1.0
        return ones

    def _sparse_evaluator(self, pattern: Any) -> Callable[[bool, bool], tuple[Any, Any]]:
        from scipy.sparse import csr_matrix

        row_of = np.repeat(np.arange(self.m), np.diff(pattern.indptr))
        keys = row_of * self.n + pattern.indices

        def evaluate(residuals: bool, jacobians: bool) -> tuple[Any, Any]:
            x = self._x()
            g, factor = self._robust(self.residuals(x))
            if not jacobians:
                return g.reshape(-1, 1), None
            matrix = csr_matrix(self.jacobian(x))
            if not matrix.has_canonical_format:
                matrix = matrix.copy()
                matrix.sum_duplicates()
            rows = np.repeat(np.arange(self.m), np.diff(matrix.indptr))
            wanted = rows * self.n + matrix.indices
            places = np.searchsorted(keys, wanted)
            places = np.minimum(places, len(keys) - 1)
            if not np.array_equal(keys[places], wanted):
                raise _PatternGrew(matrix)
            values = np.zeros(len(keys))
            values[places] = matrix.data
            if factor is not None:
                values *= factor[row_of]
            return g.reshape(-1, 1), [values * self.scale[pattern.indices]]

        return evaluate


def _triangle(jacobian: Array, g: Array) -> tuple[Any, Any]:
    """R and Q'g of J = Q R.

    By the Cholesky factorization of J'J with its columns scaled to norm one, unless it is so badly conditioned that
    digits would be lost.
    """
    normal = jacobian.T @ jacobian
    norms = np.sqrt(np.diag(normal))
    if np.all(np.isfinite(norms)) and np.all(norms > 0.0):
        try:
            upper = np.linalg.cholesky(normal / np.outer(norms, norms)).T
        except np.linalg.LinAlgError:
            pass
        else:
            if np.min(np.diag(upper)) > 1e-4:
                return upper * norms, np.linalg.solve(upper.T, (jacobian.T @ g) / norms)
    if not np.all(np.isfinite(norms)):
        return np.full(normal.shape, np.nan), np.full(len(norms), np.nan)
    q, r = np.linalg.qr(jacobian)
    return r, q.T @ g


class _PatternGrew(Exception):
    """A sparse Jacobian has an entry where the one at the start had none."""

    def __init__(self, matrix: Any) -> None:
        super().__init__("The pattern of the Jacobian grew.")
        self.matrix = matrix


def _bounds(bounds: Any, n: int) -> tuple[Array, Array]:
    if hasattr(bounds, "lb") and hasattr(bounds, "ub"):
        pair = (bounds.lb, bounds.ub)
    elif isinstance(bounds, (tuple, list)) and len(bounds) == 2:
        pair = (bounds[0], bounds[1])
    else:
        raise ValueError("`bounds`: expected a pair of lower and upper bounds.")
    result = []
    for side in pair:
        array = np.asarray(side, dtype=np.float64)
        if array.ndim > 1 or (array.ndim == 1 and array.shape != (n,)):
            raise ValueError(f"`bounds`: expected numbers or arrays of shape ({n},), got shape {array.shape}.")
        result.append(np.array(np.broadcast_to(array, (n,))))
    return result[0], result[1]


def _scale(x_scale: Any, n: int) -> Array:
    if x_scale is None or (isinstance(x_scale, str) and x_scale == "jac"):
        return np.ones(n)
    try:
        scale = np.asarray(x_scale, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError("`x_scale`: expected 'jac' or numbers > 0.") from None
    if scale.ndim > 1 or (scale.ndim == 1 and scale.shape != (n,)):
        raise ValueError(f"`x_scale`: expected a number or an array of shape ({n},), got shape {scale.shape}.")
    if not np.all((scale > 0) & np.isfinite(scale)):
        raise ValueError("`x_scale`: expected 'jac' or numbers > 0.")
    return np.array(np.broadcast_to(scale, (n,)))


def _structure(jac_sparsity: Any, jac: Any) -> Any:
    if jac_sparsity is None or callable(jac) or jac == "autodiff":
        return None
    from scipy.sparse import csc_matrix, issparse

    return csc_matrix(jac_sparsity) if issparse(jac_sparsity) else csc_matrix(np.atleast_2d(jac_sparsity))


def _solver_options(
    call: _Call, method: str, ftol: Any, xtol: Any, gtol: Any, tr_solver: Any, tr_options: Any, max_nfev: Any, jac: Any
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


class _Monitor:
    """The callback of the solver: limits, progress and the user's callback."""

    def __init__(self, call: _Call, limit: int, verbose: int, callback: Callable[..., Any] | None) -> None:
        self._call, self._limit, self._verbose, self._callback = call, limit, verbose, callback
        self.stopped_by_user = False
        self.reached_limit = False
        self._takes_result = callback is not None and _takes_intermediate_result(callback)

    def __call__(self, iteration: Any) -> Any:
        call = self._call
        if self._verbose == 2:
            if iteration.iteration == 0:
                print(f"{'iteration':>9} {'nfev':>6} {'cost':>13} {'reduction':>11} {'step norm':>11} {'optimality':>11}")
            print(
                f"{iteration.iteration:9d} {call.nfev:6d} {iteration.cost:13.4e} {iteration.cost_change:11.2e} "
                f"{iteration.step_norm:11.2e} {iteration.gradient_max_norm:11.2e}"
            )
        if self._callback is not None and iteration.iteration > 0 and self._user_stops(iteration):
            self.stopped_by_user = True
            return _core.CallbackReturnType.SOLVER_TERMINATE_SUCCESSFULLY
        if call.nfev >= self._limit and iteration.iteration > 0:
            self.reached_limit = True
            return _core.CallbackReturnType.SOLVER_TERMINATE_SUCCESSFULLY
        return None

    def _user_stops(self, iteration: Any) -> bool:
        assert self._callback is not None
        x = self._call._x()
        try:
            if self._takes_result:
                self._callback(
                    intermediate_result=OptimizeResult(
                        x=x, cost=iteration.cost, nit=iteration.iteration, nfev=self._call.nfev,
                        optimality=iteration.gradient_max_norm,
                    )  # fmt: skip
                )
            else:
                self._callback(x)
        except StopIteration:
            return True
        return False


def _takes_intermediate_result(callback: Callable[..., Any]) -> bool:
    try:
        return list(inspect.signature(callback).parameters) == ["intermediate_result"]
    except (TypeError, ValueError):
        return False


def _status(summary: Summary, monitor: _Monitor) -> int:
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


def _result(call: _Call, summary: Summary, monitor: _Monitor) -> OptimizeResult:
    status = _status(summary, monitor)
    x = call._x() if summary.is_solution_usable else call.x0
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
    tolerance = 1e-10
    active = np.zeros(call.n, dtype=int)
    for side, bound in ((-1, call.lower), (1, call.upper)):
        finite = np.isfinite(bound)
        near = np.abs(x[finite] - bound[finite]) <= tolerance * np.maximum(1.0, np.abs(bound[finite]))
        active[np.flatnonzero(finite)[near]] = side
    return OptimizeResult(
        x=x, cost=cost, fun=f, jac=jac, grad=grad, optimality=_optimality(call, x, grad), active_mask=active,
        nfev=call.nfev, njev=call.njev, status=status,
        message=MESSAGES[status].format(summary.message), success=status > 0,
    )  # fmt: skip


def _optimality(call: _Call, x: Array, grad: Array) -> float:
    """The max-norm of the gradient, scaled by the distance to the bound that it points to.

    Branch, Coleman and Li, "A Subspace, Interior, and Conjugate Gradient
    Method for Large-Scale Bound-Constrained Minimization Problems", 1999.
    """
    with np.errstate(invalid="ignore"):
        distance = np.where(grad < 0, call.upper - x, x - call.lower)
    scale = np.where(np.isfinite(distance), distance, 1.0)
    return float(np.max(np.abs(grad * scale), initial=0.0))
