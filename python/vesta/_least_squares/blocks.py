# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""Sparse and large problems: the library's solver on parameter blocks.

The variables of the solver are y = x / sizes. A sparse problem has one parameter
block per variable and one residual block per residual; a dense one has one of
each.
"""

from __future__ import annotations

from typing import Any, Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from .. import _core
from .._differences import groups_of_columns
from .._losses import solver_loss
from .._options import SolverOptions, num_threads
from .._problem import Problem, solve
from .arguments import Tolerances
from .call import Call
from .constraints import Added, Constraint, at_result, scale_of_variables
from .monitor import Monitor
from .results import Outcome

Array = NDArray[np.float64]
Evaluator = Callable[[bool, bool], tuple[Any, Any]]
TYPES = _core.TerminationType


class Pattern:
    """Where a sparse Jacobian has entries: at least one in each row."""

    def __init__(self, matrix: Any) -> None:
        self.matrix = _pattern(matrix)

    def grow(self, matrix: Any) -> None:
        self.matrix = _pattern(matrix, self.matrix)


class PatternGrew(Exception):
    """A sparse Jacobian has an entry where those before had none."""

    def __init__(self, pattern: Pattern, matrix: Any) -> None:
        super().__init__("The pattern of the Jacobian grew.")
        self.pattern, self.matrix = pattern, matrix


class Scaled:
    """The functions of a call in the variables of the solver, and its stopping rules."""

    def __init__(
        self, call: Call, tolerances: Tolerances, limit: int, monitor: Monitor | None, constraints: Sequence[Constraint]
    ) -> None:
        self.call, self.tolerances, self.limit, self.monitor = call, tolerances, limit, monitor
        self.constraints = constraints
        self.constraint_tolerance = 0.0
        if call.sizes is not None:
            self.scale = call.sizes
        else:
            self.scale = scale_of_variables(call) if constraints else np.ones(call.n)
        self.y = call.x0 / self.scale
        self.status: int | None = None
        self._x = call.x0

    def x(self) -> Array:
        return self.at(self.y)

    def at(self, y: Array) -> Array:
        call = self.call
        x = y * self.scale
        # Rounding must not leave the box.
        return np.clip(x, call.lower, call.upper) if call.bounded else x

    def robust(self, f: Array) -> tuple[Array, Any]:
        """The residuals of the solver, and the factors of the rows of the Jacobian."""
        if self.call.callable_loss is None:
            return f, None
        return self.call.callable_loss.residuals(f)

    def bound(self, problem: Problem, blocks: list[Any]) -> None:
        call = self.call
        if not call.bounded:
            return
        low, high = call.lower / self.scale, call.upper / self.scale
        at = 0
        for block in blocks:
            size = block.size
            if problem.has_parameter_block(block):
                problem.set_bounds(block, low[at : at + size], high[at : at + size])
            at += size

    def __call__(self, iteration: Any) -> Any:
        """SciPy's tests, after each iteration."""
        call, x, before = self.call, self.x(), self._x
        if self.monitor is not None and not self.monitor(
            x, call.nfev, iteration.iteration, iteration.cost, iteration.cost_change, iteration.step_norm,
            iteration.gradient_max_norm,
        ):  # fmt: skip
            self.status = -2
        elif iteration.iteration > 0:
            if iteration.step_is_successful:
                self.status = self._test(iteration, x, before)
                self._x = x
            # Steps that rounding swallows evaluate nothing.
            if self.status is None and max(call.nfev, iteration.iteration) >= self.limit:
                self.status = 0
        return None if self.status is None else _core.CallbackReturnType.SOLVER_TERMINATE_SUCCESSFULLY

    def _test(self, iteration: Any, x: Array, before: Array) -> int | None:
        ftol, xtol, _ = self.tolerances
        if self.constraints:
            # The solver tests the Lagrangian, since the cost may stay the same while the violation decreases. Steps are
            # small, too, where penalties are not yet large enough; steps that rounding swallows end a solve.
            is_feasible = iteration.constraint_violation <= self.constraint_tolerance
            return 3 if is_feasible and np.array_equal(x, before) else None
        cost = iteration.cost_change < ftol * (iteration.cost + iteration.cost_change)
        cost = cost and iteration.relative_decrease > 0.25
        step = np.linalg.norm((x - before) / self.scale) < xtol * (xtol + np.linalg.norm(x / self.scale))
        return 4 if cost and step else 2 if cost else 3 if step else None


def solve_blocks(
    call: Call, tolerances: Tolerances, limit: int, tr_options: dict[str, Any], options: Any, monitor: Monitor | None,
    constraints: Sequence[Constraint] = (),
) -> Outcome:  # fmt: skip
    scaled = Scaled(call, tolerances, limit, monitor, constraints)
    sparse = call.is_sparse()
    chosen = _options(call, scaled, sparse, tr_options, options)
    loss = None if call.callable_loss else solver_loss(call.loss_name, call.f_scale)
    summary, added = (_solve_sparse if sparse else _solve_dense)(scaled, loss, chosen)
    has_result = summary.is_solution_usable or summary.termination_type == TYPES.INFEASIBLE
    x = scaled.x() if has_result else call.x0
    f = call.residuals(x)
    cost = 0.5 * float(f @ f) if call.loss_name == "linear" else call.robust(f)[0]
    status = _status(scaled, summary)
    return Outcome(
        x, f, call.jacobian(x), cost, status, call.nfev, call.njev, _reason(summary),
        at_result(constraints, x, added.multipliers(), scaled.scale) if constraints else None,
        "".join(constraint.failures() for constraint in constraints) if status == 0 else "",
    )  # fmt: skip


def _options(call: Call, scaled: Scaled, sparse: bool, tr_options: dict[str, Any], given: Any) -> SolverOptions:
    values: dict[str, Any] = dict(
        # Only the gradient is left to the solver: what else SciPy tests, `scaled` tests.
        function_tolerance=0.0, parameter_tolerance=0.0, gradient_tolerance=scaled.tolerances.gtol,
        max_num_iterations=2**30, num_threads=num_threads(), logging_type="SILENT",
        trust_region_strategy_type="DOGLEG" if call.method == "dogbox" else "LEVENBERG_MARQUARDT",
        initial_trust_region_radius=_first_radius(call, scaled),
    )  # fmt: skip
    if call.tr_solver == "lsmr" and not sparse or "maxiter" in tr_options:
        values["linear_solver_type"] = "CGNR"
    elif not sparse:
        values["linear_solver_type"] = "DENSE_QR"
    if call.method == "dogbox" and values.get("linear_solver_type") == "CGNR":
        # A dogleg needs the exact minimizer of the model.
        values["trust_region_strategy_type"] = "LEVENBERG_MARQUARDT"
    if scaled.constraints:
        values["function_tolerance"] = scaled.tolerances.ftol
        # A gradient that is small in its unit alone is no reason to stop.
        f = scaled.robust(call.residuals(call.x0))[0]
        values["gradient_tolerance"] *= min(1.0, float(f @ f))
    if "maxiter" in tr_options:
        values["max_linear_solver_iterations"] = int(tr_options["maxiter"])
    if call.sizes is not None:
        # Damping by a multiple of the identity: a ball in x / x_scale.
        values.update(jacobi_scaling=False, min_lm_diagonal=1.0, max_lm_diagonal=1.0)
    if given is not None:
        user = given if isinstance(given, dict) else _changed(given)
        if "callbacks" in user:
            raise ValueError("`options`: pass the callback as the argument `callback`.")
        values.update(user)
    result = SolverOptions(**values)
    result.callbacks = [scaled]
    scaled.constraint_tolerance = result.constraint_tolerance
    result.update_state_every_iteration = True
    return result


def _changed(options: Any) -> dict[str, Any]:
    default = SolverOptions().to_dict()
    return {name: value for name, value in options.to_dict().items() if value != default[name]}


def _first_radius(call: Call, scaled: Scaled) -> float:
    """The inverse damping of a step whose scaled norm is that of the start.

    The scaled norm of a step p is |D p| with D the column norms of J. Damped by
    D^2 / radius, the step is at most sqrt(radius) |f| / 2 long: singular values s
    of J / D give s / (s^2 + 1 / radius) <= sqrt(radius) / 2. Conn, Gould and
    Toint, "Trust-Region Methods", 2000, 17.2, start with the norm of the scaled
    gradient or point; More 1978 with that of the point.
    """
    f = scaled.robust(call.residuals(call.x0))[0]
    if call.sizes is None:
        jac = call.jacobian(call.x0)
        squares = jac.multiply(jac) if hasattr(jac, "multiply") else jac * jac
        norm = float(np.sqrt(np.asarray(squares.sum(axis=0)).reshape(-1) @ call.x0**2))
        length = float(np.linalg.norm(f))
    else:
        # With D = I the norm of the step is at most radius |J'f|.
        norm = float(np.linalg.norm(call.x0 / scaled.scale))
        length = 0.0
        gradient = float(np.linalg.norm((call.jacobian(call.x0).T @ f) * scaled.scale))
        if call.method != "dogbox":
            return float(np.clip((norm or 1.0) / gradient, 1e-16, 1e16)) if gradient > 0.0 else 1e4
    if call.method == "dogbox":
        return float(np.clip(norm or length or 1.0, 1e-16, 1e16))
    # A step is about as long as f unless singular values are small.
    if norm == 0.0 or length <= norm:
        return 1e4
    return float(np.clip((2.0 * norm / length) ** 2, 1e-4, 1e4))


def _status(scaled: Scaled, summary: Any) -> int:
    if scaled.status is not None:
        return scaled.status
    if summary.termination_type in (TYPES.FAILURE, TYPES.USER_FAILURE):
        return -1
    if summary.termination_type == TYPES.INFEASIBLE:
        return -3
    if summary.termination_type == TYPES.NO_CONVERGENCE:
        return 0
    # The solver's messages name the tolerance that was met; with constraints they say what a step promises.
    for status, name in (
        (1, "gradient_tolerance"), (2, "function_tolerance"), (2, "no step decreases"), (3, "parameter_tolerance"),
    ):  # fmt: skip
        if name in summary.message:
            return status
    return 3


def _reason(summary: Any) -> str:
    """Why a solve failed."""
    if summary.termination_type != TYPES.INFEASIBLE:
        return str(summary.message)
    return ", ".join(f"`{name}`" for name in summary.violated_constraints)


def _solve_dense(scaled: Scaled, loss: Any, options: SolverOptions) -> tuple[Any, Added]:
    call = scaled.call
    problem = Problem()
    block = scaled.y.reshape(1, -1)
    m = len(call.residuals(call.x0))
    # With a loss, each residual is a residual block of its own.
    rows = 1 if loss is None else m
    costs = _core._python_batch(_dense_evaluator(scaled, rows), rows, m // rows, [call.n])
    problem.add_costs(costs, [(block, np.zeros(rows, dtype=np.int64))], loss)
    scaled.bound(problem, [block])
    added = Added(problem)
    for constraint in scaled.constraints:
        added.add_dense(constraint, call, scaled.scale, [scaled.y])
    return solve(options, problem), added


def _dense_evaluator(scaled: Scaled, rows: int) -> Evaluator:
    def evaluate(residuals: bool, jacobians: bool) -> tuple[Any, Any]:
        call, x = scaled.call, scaled.x()
        g, factor = scaled.robust(call.residuals(x))
        shape = (rows, len(g) // rows)
        if not jacobians:
            return g.reshape(shape), None
        matrix = call.jacobian(x) * scaled.scale
        if factor is not None:
            matrix = matrix * factor[:, None]
        return g.reshape(shape), [matrix.reshape(*shape, call.n)]

    return evaluate


def _solve_sparse(scaled: Scaled, loss: Any, options: SolverOptions) -> tuple[Any, Added]:
    call = scaled.call
    pattern = Pattern(call.jacobian(call.x0))
    others = [Pattern(c.jacobian(call.x0)) if c.is_sparse else None for c in scaled.constraints]
    blocks = [scaled.y[i : i + 1] for i in range(call.n)]
    while True:
        problem = Problem()
        problem._add_sparse_rows(
            _sparse_evaluator(scaled, pattern), scaled.y, pattern.matrix.indptr.astype(np.int64),
            pattern.matrix.indices.astype(np.int64), loss,
        )  # fmt: skip
        scaled.bound(problem, blocks)
        added = Added(problem)
        for constraint, other in zip(scaled.constraints, others):
            if other is None:
                added.add_dense(constraint, call, scaled.scale, blocks)
            else:
                added.add_sparse(constraint, SparseRows(scaled, constraint, other), scaled.y, other.matrix)
        try:
            return solve(options, problem), added
        except PatternGrew as grown:
            # The solve begins again with the larger pattern.
            grown.pattern.grow(grown.matrix)
            scaled.y[:] = call.x0 / scaled.scale


def _pattern(matrix: Any, more: Any = None) -> Any:
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


def _entries(pattern: Pattern, jacobian: Any) -> Array:
    """The entries of a sparse Jacobian in the places of the pattern."""
    from scipy.sparse import csr_matrix

    matrix = csr_matrix(jacobian)
    if not matrix.has_canonical_format:
        matrix = matrix.copy()
        matrix.sum_duplicates()
    n = matrix.shape[1]
    keys = _rows_of(pattern.matrix) * n + pattern.matrix.indices
    wanted = _rows_of(matrix) * n + matrix.indices
    places = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    if not np.array_equal(keys[places], wanted):
        raise PatternGrew(pattern, matrix)
    values = np.zeros(len(keys))
    values[places] = matrix.data
    return values


def _rows_of(matrix: Any) -> NDArray[np.int64]:
    return np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))


def _sparse_evaluator(scaled: Scaled, pattern: Pattern) -> Evaluator:
    call = scaled.call
    row_of = _rows_of(pattern.matrix)

    def evaluate(residuals: bool, jacobians: bool) -> tuple[Any, Any]:
        x = scaled.x()
        g, factor = scaled.robust(call.residuals(x))
        if not jacobians:
            return g.reshape(-1, 1), None
        values = _entries(pattern, call.jacobian(x))
        if factor is not None:
            values *= factor[row_of]
        return g.reshape(-1, 1), [values * scaled.scale[pattern.matrix.indices]]

    return evaluate


class SparseRows:
    """The rows of a sparse constraint: their values, first and second derivatives in the variables of the solver."""

    def __init__(self, scaled: Scaled, constraint: Constraint, pattern: Pattern) -> None:
        self._scaled, self._constraint, self._pattern = scaled, constraint, pattern
        self._squares: Squares | None = None

    def __call__(self, residuals: bool, jacobians: bool) -> tuple[Any, Any]:
        constraint, scaled = self._constraint, self._scaled
        x = scaled.x()
        with constraint:
            values = constraint.values_at(x).reshape(-1, 1)
            if not jacobians:
                return values, None
            entries = _entries(self._pattern, constraint.jacobian_at(x))
        return values, [entries * scaled.scale[self._pattern.matrix.indices]]

    def second_derivatives(self) -> tuple[NDArray[np.int64], Array]:
        """Where the matrix of each row begins, and the matrices; rows of many variables have none."""
        scaled, constraint = self._scaled, self._constraint
        if self._squares is None:
            self._squares = Squares(self._pattern.matrix, constraint.is_linear)

        def entries(y: Array) -> Array:
            with constraint:
                jacobian = constraint.jacobian(scaled.at(y))
            return _entries(self._pattern, jacobian) * scaled.scale[self._pattern.matrix.indices]

        return self._squares.begin, self._squares.differences(entries, scaled.y, scaled.call.upper / scaled.scale)


class Squares:
    """Differences of the entries of a sparse Jacobian along the variables of each row.

    Variables that no row has together move at the same time: Curtis, Powell and
    Reid, "On the Estimation of Sparse Jacobian Matrices", 1974.
    """

    # The solver asks for no second derivatives of rows with more variables.
    MOST = 128
    STEP = 1e-5

    def __init__(self, pattern: Any, is_linear: bool) -> None:
        sizes = np.diff(pattern.indptr)
        sizes = np.where((sizes > self.MOST) | is_linear, 0, sizes).astype(np.int64)
        self._row_of = _rows_of(pattern)
        self._sizes, self._columns = sizes, pattern.indices
        self._place = np.arange(len(self._row_of)) - pattern.indptr[self._row_of]
        self.begin = np.concatenate([[0], np.cumsum(sizes**2)])
        kept = pattern[np.flatnonzero(sizes)].tocsc()
        # Variables of no row have groups, too, and no effect.
        self._group = groups_of_columns(kept)

    def differences(self, entries: Callable[[Array], Array], y: Array, upper: Array) -> Array:
        result = np.zeros(int(self.begin[-1]))
        if not len(result):
            return result
        steps = self.STEP * np.where(y != 0.0, np.abs(y), 1.0)
        # Into the bounds, on which variables may be.
        steps = np.where(y + steps <= upper, steps, -steps)
        first = entries(y)
        for group in range(int(self._group.max()) + 1):
            moved = np.where(self._group == group, y + steps, y)
            change = entries(moved) - first
            # The entry of each row whose variable moves.
            movers = np.flatnonzero((self._group[self._columns] == group) & (self._sizes[self._row_of] > 0))
            mover_of = np.full(len(self._sizes), -1)
            mover_of[self._row_of[movers]] = movers
            own = np.flatnonzero(mover_of[self._row_of] >= 0)
            row = self._row_of[own]
            mover = mover_of[row]
            column = self._columns[mover]
            at = self.begin[row] + self._place[own] * self._sizes[row] + self._place[mover]
            result[at] = change[own] / (moved - y)[column]
        return result
