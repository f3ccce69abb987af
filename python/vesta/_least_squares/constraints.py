# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""The argument `constraints` of least_squares: SciPy's objects as constraints of the solver.

The objects are read by their attributes, so that SciPy is not needed.
"""

from __future__ import annotations

from typing import Any, Callable, NamedTuple, Sequence

import numpy as np
from numpy.typing import NDArray

from .. import _core
from .._arrays import refuse_masked
from .._problem import Problem
from .call import Call

Array = NDArray[np.float64]


class Constraint:
    """lb <= c(x) <= ub. Names itself in errors."""

    def __init__(self, given: Any, name: str, call: Call) -> None:
        self.name = name
        if np.any(given.keep_feasible):
            raise ValueError(
                f"`{name}`: keep_feasible is not supported, since points before the solution may violate constraints. "
                "Points are always within `bounds`."
            )
        self._set_function(given, call)
        with self:
            values = self.values(call.x0)
            jacobian = self.jacobian(call.x0)
        self.is_sparse = not isinstance(jacobian, np.ndarray)
        if not np.all(np.isfinite(jacobian.data if self.is_sparse else jacobian)):
            raise ValueError(f"`{name}`: the Jacobian at the initial point is not finite.")
        self.size = len(values)
        self._num_not_finite = 0
        self.lower, self.upper = self._limits(given)

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        """Adds the name of the constraint to an exception of its functions."""
        if error is not None and hasattr(error, "add_note"):
            error.add_note(f"In `{self.name}`.")

    def _set_function(self, given: Any, call: Call) -> None:
        self.is_linear = hasattr(given, "A")
        if self.is_linear:
            matrix = _matrix(given.A, self.name, call.n)
            self.values: Callable[[Array], Array] = lambda x: np.asarray(matrix @ x)
            self.jacobian: Callable[[Array], Any] = lambda x: matrix
            return
        function = Call(
            given.fun, call.x0, given.jac, (call.lower, call.upper), "dogbox", None, "linear", 1.0,
            getattr(given, "finite_diff_rel_step", None), None, getattr(given, "finite_diff_jac_sparsity", None), (), {},
            names=(f"{self.name}.fun", f"{self.name}.jac"),
        )  # fmt: skip
        function.prepare(map)
        self.values, self.jacobian = function.residuals, function.jacobian

    def _limits(self, given: Any) -> tuple[Array, Array]:
        limits = []
        for side in ("lb", "ub"):
            refuse_masked(getattr(given, side), f"{self.name}.{side}")
            try:
                array = np.asarray(getattr(given, side), dtype=np.float64)
                limits.append(np.array(np.broadcast_to(array, (self.size,))))
            except (TypeError, ValueError):
                raise ValueError(
                    f"`{self.name}.{side}`: expected a number or an array of shape ({self.size},), "
                    f"got {getattr(given, side)!r:.80}."
                ) from None
        lower, upper = limits
        wrong = ~((lower <= upper) & (lower < np.inf) & (upper > -np.inf))
        if np.any(wrong):
            i = int(np.argmax(wrong))
            raise ValueError(f"`{self.name}`: no value is at least lb = {lower[i]} and at most ub = {upper[i]} (coordinate {i}).")
        return lower, upper

    def values_at(self, x: Array) -> Array:
        values = self.values(x)
        self._num_not_finite += not np.all(np.isfinite(values))
        return values

    def jacobian_at(self, x: Array) -> Any:
        matrix = self.jacobian(x)
        self._num_not_finite += not np.all(np.isfinite(matrix if isinstance(matrix, np.ndarray) else matrix.data))
        return matrix

    def failures(self) -> str:
        """At how many points the solve could not use the constraint."""
        if self._num_not_finite == 0:
            return ""
        return f" `{self.name}` or its Jacobian was not finite at {self._num_not_finite} points, to which no step was taken."

    def violation(self, values: Array) -> float:
        return float(np.max(np.maximum(self.lower - values, values - self.upper), initial=0.0))


def _matrix(given: Any, name: str, n: int) -> Any:
    """A of a LinearConstraint: an array, or a CSR matrix."""
    refuse_masked(given, f"{name}.A")
    if hasattr(given, "tocsr"):
        from scipy.sparse import csr_matrix

        matrix = csr_matrix(given, dtype=np.float64)
    else:
        try:
            matrix = np.atleast_2d(np.array(given, dtype=np.float64))
        except (TypeError, ValueError):
            raise ValueError(f"`{name}.A`: expected a matrix of real numbers, got {given!r:.80}.") from None
    if matrix.ndim != 2 or matrix.shape[1] != n:
        raise ValueError(f"`{name}.A`: expected {n} columns, got shape {matrix.shape}.")
    return matrix


def constraints_of(given: Any, call: Call) -> list[Constraint]:
    """The constraints of a call: an object of SciPy, or an iterable of them."""
    if given is None:
        return []
    is_one = isinstance(given, (dict, str)) or not hasattr(given, "__iter__")
    result = []
    for k, one in enumerate([given] if is_one else given):
        name = "constraints" if is_one else f"constraints[{k}]"
        if not (hasattr(one, "A") or hasattr(one, "fun")) or not all(hasattr(one, a) for a in ("lb", "ub", "keep_feasible")):
            raise TypeError(
                f"`{name}`: expected a scipy.optimize.NonlinearConstraint or LinearConstraint, got {type(one).__name__}."
                + _advice(one)
            )
        if hasattr(one, "fun") and not callable(one.fun):
            raise TypeError(f"`{name}.fun`: expected a function, got {type(one.fun).__name__}.")
        result.append(Constraint(one, name, call))
    if result and call.method != "trf":
        raise ValueError(f"Method '{call.method}' does not take `constraints`. Use 'trf'.")
    return [constraint for constraint in result if constraint.size > 0]


def _advice(given: Any) -> str:
    if isinstance(given, dict):
        upper = "0" if given.get("type") == "eq" else "numpy.inf"
        return f" Write NonlinearConstraint(fun, 0, {upper}) for type '{given.get('type', 'ineq')}'."
    if hasattr(given, "lb") and hasattr(given, "ub"):
        return " Pass bounds as `bounds`."
    if callable(given):
        return " Give the function its limits: NonlinearConstraint(fun, lb, ub)."
    return ""


class _Rows(_core.CostFunction):
    """All coordinates of a constraint as a cost function of one block of y, or of one block for each variable."""

    def __init__(self, constraint: Constraint, call: Call, scale: Array, sizes: list[int]) -> None:
        super().__init__(constraint.size, sizes)
        self._constraint, self._call, self._scale = constraint, call, scale

    def evaluate(self, parameters: Any, residuals: Any, jacobians: Any) -> bool:
        constraint = self._constraint
        with constraint:
            x = np.clip(np.concatenate(parameters) * self._scale, self._call.lower, self._call.upper)
            residuals[:] = constraint.values_at(x)
            if jacobians is None:
                return True
            matrix = constraint.jacobian_at(x)
        matrix = _dense(matrix) * self._scale
        at = 0
        for block, jacobian in zip(parameters, jacobians):
            if jacobian is not None:
                jacobian[:] = matrix[:, at : at + len(block)]
            at += len(block)
        return True


class Added:
    """The constraints of a call in a problem."""

    def __init__(self, problem: Problem) -> None:
        self._problem = problem
        self._ids: list[list[Any]] = []

    def add_dense(self, constraint: Constraint, call: Call, scale: Array, blocks: list[Array]) -> None:
        cost = _Rows(constraint, call, scale, [len(block) for block in blocks])
        self._ids.append(
            [self._problem.add_inequality_constraint(cost, constraint.lower, constraint.upper, blocks, constraint.name)]
        )

    def add_sparse(self, constraint: Constraint, evaluate: Any, y: Array, pattern: Any) -> None:
        """One constraint for each row, on the variables of its row of the pattern."""
        self._ids.append(
            self._problem._add_sparse_constraints(
                evaluate, y, pattern.indptr.astype(np.int64), pattern.indices.astype(np.int64), list(constraint.lower),
                list(constraint.upper), constraint.name,
            )
        )  # fmt: skip

    def multipliers(self) -> list[Array]:
        return [np.concatenate([self._problem.get_multipliers(one) for one in ids]) for ids in self._ids]


class AtResult(NamedTuple):
    """What a result says of constraints, each list in the order of the argument."""

    values: list[Array]
    jacobians: list[Any]
    multipliers: list[Array]
    violation: float
    active: list[Any]  # masks of the coordinates that hold the solution
    names: list[str]
    sizes: Array  # of the variables

    def gradients(self) -> Array:
        """The gradients of the active coordinates, one row each."""
        return np.concatenate([_dense(matrix[rows]) for matrix, rows in zip(self.jacobians, self.active)])

    def named_gradients(self) -> tuple[Any, list[str]]:
        """As gradients, or a CSR matrix if some are sparse; and the names of the coordinates."""
        names = [
            name if len(rows) == 1 else f"{name}[{i}]"
            for name, rows in zip(self.names, self.active)
            for i in np.flatnonzero(rows)
        ]
        if all(isinstance(matrix, np.ndarray) for matrix in self.jacobians):
            return self.gradients(), names
        from scipy.sparse import csr_matrix, vstack

        return csr_matrix(vstack([csr_matrix(matrix)[rows] for matrix, rows in zip(self.jacobians, self.active)])), names


def at_result(constraints: Sequence[Constraint], x: Array, multipliers: list[Array], sizes: Array) -> AtResult:
    values = [constraint.values(x) for constraint in constraints]
    jacobians = [constraint.jacobian(x) for constraint in constraints]
    violation = max((c.violation(v) for c, v in zip(constraints, values)), default=0.0)
    # Equalities, and coordinates that have a multiplier.
    active = [(c.lower == c.upper) | (v != 0.0) for c, v in zip(constraints, multipliers)]
    return AtResult(values, jacobians, multipliers, violation, active, [c.name for c in constraints], sizes)


def _dense(matrix: Any) -> Array:
    return matrix if isinstance(matrix, np.ndarray) else np.asarray(matrix.toarray())


def scale_of_variables(call: Call) -> Array:
    """Sizes of the variables: the solver is given x / sizes.

    A variable has the size of its start, or a part of the change that alters the
    residuals by their norm if it is larger, as where it starts at 0. Both have
    the unit of the variable.
    """
    f, jac = call.residuals(call.x0), call.jacobian(call.x0)
    squares = jac.multiply(jac) if hasattr(jac, "multiply") else jac * jac
    norms = np.sqrt(np.asarray(squares.sum(axis=0)).reshape(-1))
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        change = np.where(norms > 0.0, float(np.linalg.norm(f)) / norms, 0.0)
    size = np.maximum(np.abs(call.x0), PART_OF_CHANGE * np.where(np.isfinite(change), change, 0.0))
    return np.where(size > 0.0, size, 1.0)


PART_OF_CHANGE = 1e-3


def tangent_space(rows: Array, sizes: Array) -> Array:
    """A basis of the directions that leave the active constraints unchanged, of shape (n, k).

    sizes: of the variables. The rank does not depend on their units, nor on
    those of the constraints.
    """
    if len(rows) == 0:
        return np.diag(sizes)
    scaled = rows * sizes
    norms = np.linalg.norm(scaled, axis=1)
    scaled = scaled[norms > 0.0] / norms[norms > 0.0, None]
    _, values, right = np.linalg.svd(scaled)
    rank = int(np.sum(values > RANK_TOLERANCE * np.max(values, initial=0.0)))
    basis: Array = right[rank:].T * sizes[:, None]
    return basis


# Gradients of constraints that are finite differences agree to about this.
RANK_TOLERANCE = 1e-7
