# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""Problems: what Python adds to the C++ class."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Iterable, Mapping, NamedTuple, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core
from ._arrays import real_numbers, refuse_masked
from ._batch import evaluator_of
from ._diagnosis import Diagnosis
from ._options import SolverOptions, Summary
from ._scene import Scene

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._option_values import OptionValues

Blocks = Sequence[tuple[NDArray[np.float64], ArrayLike]]


class Evaluation(NamedTuple):
    """The values of a problem at the current parameters.

    `jacobian` is a `scipy.sparse.csr_matrix` if SciPy is installed, and
    otherwise a tuple (values, columns, row starts, shape). What was not asked
    for is None.
    """

    cost: float
    residuals: NDArray[np.float64] | None
    gradient: NDArray[np.float64] | None
    jacobian: Any


class Problem(_core.Problem):
    """A robustified, bounds-constrained nonlinear least-squares problem.

    Parameter blocks are NumPy arrays of float64, or rows of 2-D arrays. The
    solver reads the start from their memory and writes the solution there.
    Arrays, cost functions, losses and manifolds stay alive with the problem.
    """

    def add_costs(
        self,
        costs: _core.CostBatch,
        blocks: Blocks,
        loss: _core.LossFunction | None = None,
    ) -> _core.ResidualBlocks:
        """Adds one residual block per row of `costs`.

        blocks: pairs of an array of parameters, one block per row, and the
        indices of the rows that each residual block depends on. A single int
        stands for all rows.
        """
        if not isinstance(costs, _core.CostBatch):
            raise TypeError(f"costs: expected a CostBatch, such as vesta.costs makes, got {type(costs).__name__}.")
        arrays, indices = _split(blocks, len(costs))
        return self._add_costs(costs, loss, arrays, indices)

    def add_batch(
        self,
        f: Callable[..., Any],
        blocks: Blocks,
        data: Any = None,
        jac: str | Callable[..., Any] = "autodiff",
        loss: _core.LossFunction | None = None,
        num_residuals: int | None = None,
    ) -> _core.ResidualBlocks:
        """Adds residual blocks that one Python function evaluates at once.

        f(x1, ..., xk, data) maps one array of shape (N, size) per pair in
        `blocks` to residuals of shape (N, num_residuals), row by row. Without
        `data` it gets the parameters only.

        blocks: pairs of a 2-D array of parameters and the N indices of its rows.
        jac: "autodiff", forward mode over NumPy functions; "jax"; "numeric",
        central differences; or a function with the arguments of f that returns
        the Jacobians, one of shape (N, num_residuals, size) per pair.
        num_residuals: found by a call of f if it is not given.
        """
        costs, arrays, indices = _python_batch(f, blocks, data, jac, num_residuals)
        return self._add_costs(costs, loss, arrays, indices)

    def add_compiled(
        self,
        function: Any,
        blocks: Blocks,
        data: ArrayLike,
        num_residuals: int,
        jac: bool = True,
        loss: _core.LossFunction | None = None,
    ) -> _core.ResidualBlocks:
        """Adds residual blocks that compiled code evaluates, without the GIL.

        function: an address, or an object of ctypes or of Numba's `cfunc`, of

            int32_t f(const double* parameters, const double* data,
                      double* residuals, double* jacobian,
                      int32_t want_jacobian);

        parameters has all blocks of the residual block one after the other;
        data is its row of `data`; jacobian is row-major with one row per
        residual. The result 0 says that f cannot be evaluated. All threads call
        f at once.
        jac: False if f writes no Jacobian; central differences are used.
        """
        rows = np.asarray(real_numbers(data, "data"), order="C")
        if rows.ndim < 1:
            raise ValueError("data: expected an array with one row per residual block.")
        arrays, indices = _split(blocks, len(rows))
        sizes = [_row_size(array) for array in arrays]
        costs = _core._compiled_batch(_address(function), num_residuals, sizes, rows, jac, function)
        return self._add_costs(costs, loss, arrays, indices)

    def add_equality_constraint(
        self, cost: _core.CostFunction, blocks: Sequence[NDArray[np.float64]], name: str = ""
    ) -> _core.Constraint:
        """Adds the constraint c(x) = 0, where `cost` computes c, on the arrays `blocks`.

        Any cost function is a constraint: it is evaluated as residuals are, and
        its value is limited instead of minimized. name: for messages and
        `Summary.violated_constraints`; "": the index.
        """
        return self.add_inequality_constraint(cost, 0.0, 0.0, blocks, name)

    def add_inequality_constraint(
        self,
        cost: _core.CostFunction,
        lower: ArrayLike,
        upper: ArrayLike,
        blocks: Sequence[NDArray[np.float64]],
        name: str = "",
    ) -> _core.Constraint:
        """Adds the constraint lower <= c(x) <= upper; see add_equality_constraint.

        lower, upper: scalars are broadcast; -inf and inf: no bound; equal
        bounds: an equality.
        """
        if not isinstance(cost, _core.CostFunction):
            raise TypeError(f"cost: expected a CostFunction, got {type(cost).__name__}.")
        _check_name(name)
        shape = (cost.num_residuals(),)
        return self._add_constraint(
            cost, _limits(lower, shape, "lower"), _limits(upper, shape, "upper"), list(blocks), name
        )

    def add_constraint_batch(
        self,
        f: Callable[..., Any] | _core.CostBatch,
        lower: ArrayLike,
        upper: ArrayLike,
        blocks: Blocks,
        data: Any = None,
        jac: str | Callable[..., Any] = "autodiff",
        num_residuals: int | None = None,
        name: str = "",
    ) -> list[_core.Constraint]:
        """Adds one constraint lower <= f <= upper per row, which one function evaluates at once.

        f: a function of all rows as in `add_batch`, with its arguments blocks,
        data, jac and num_residuals; or ready-made or compiled costs as in
        `add_costs`. lower, upper: they broadcast to (N, num_residuals). Row i is
        named name[i].
        """
        _check_name(name)
        if isinstance(f, _core.CostBatch):
            if data is not None:
                raise ValueError("data: ready-made costs have their data.")
            costs = f
            arrays, indices = _split(blocks, len(costs))
        else:
            costs, arrays, indices = _python_batch(f, blocks, data, jac, num_residuals)
        shape = (len(costs), costs.num_residuals)
        return self._add_constraints(
            costs, _limits(lower, shape, "lower"), _limits(upper, shape, "upper"), arrays, indices, name
        )

    def set_bounds(self, values: NDArray[np.float64], lower: ArrayLike, upper: ArrayLike) -> None:
        """Sets the bounds of all coordinates of a parameter block; scalars are broadcast."""
        size = self.parameter_block_size(values)
        low = np.broadcast_to(real_numbers(lower, "lower"), (size,))
        high = np.broadcast_to(real_numbers(upper, "upper"), (size,))
        if not np.all(low <= high):
            raise ValueError("lower, upper: expected lower <= upper.")
        if np.any(low == high):
            raise ValueError(
                f"lower, upper: coordinate {int(np.argmax(low == high))} has no room. Make it constant: "
                "set_parameter_block_constant, or set_manifold with a SubsetManifold."
            )
        for i in range(size):
            if np.isfinite(low[i]):
                self.set_parameter_lower_bound(values, i, float(low[i]))
            if np.isfinite(high[i]):
                self.set_parameter_upper_bound(values, i, float(high[i]))

    def evaluate(
        self,
        parameter_blocks: Iterable[NDArray[np.float64]] | None = None,
        residual_blocks: Iterable[_core.ResidualBlock] | None = None,
        *,
        apply_loss_function: bool = True,
        num_threads: int = 1,
        residuals: bool = True,
        gradient: bool = True,
        jacobian: bool = True,
    ) -> Evaluation:
        """Cost, residuals, gradient and Jacobian at the current parameters.

        parameter_blocks: the blocks of the columns, in this order; None: all.
        Raises ValueError if a residual block cannot be evaluated.
        """
        result: Any = self._evaluate(
            parameter_blocks, residual_blocks, apply_loss_function, num_threads, residuals, gradient, jacobian
        )
        if result is None:
            raise ValueError("A residual block cannot be evaluated at the current parameters; the log names it.")
        cost, residual_values, gradient_values, crs = result
        return Evaluation(cost, residual_values, gradient_values, _to_sparse(crs))

    def diagnose(
        self,
        names: Mapping[str, NDArray[np.float64]] | None = None,
        *,
        apply_loss_function: bool = True,
        weak_ratio: float = 1e-8,
        compute_redundancy: bool = False,
        variance_factor: float = 1.0,
        num_threads: int = 1,
        max_time: float = np.inf,
        scene: Callable[[], Scene | ArrayLike] | None = None,
    ) -> Diagnosis:
        """What the residuals leave undetermined or weak at the current parameters, why, and what to do.

        names: arrays by name, for the texts. Row 3 of a 2-D array "camera" is
        "camera[3]".
        apply_loss_function: False: without the loss functions, to find outliers
        by standardized residuals.
        weak_ratio: directions are weak if their singular value, divided by the
        largest one, is at most this.
        compute_redundancy: fills residual_blocks, which says how well residual
        blocks check each other.
        variance_factor: the variance of residuals that they are standardized by;
        0: estimated from the residuals.
        max_time: in seconds; then the diagnosis has what is known.
        scene: returns the `vesta.Scene`, or points (N, 3), that the current
        values of the parameters stand for. Motions of the whole scene are then
        named whatever the values mean. It is called while values in the arrays
        of the parameters are moved by small steps; they are restored.
        Ctrl-C raises KeyboardInterrupt.
        """
        if num_threads < 1:
            raise ValueError("num_threads: expected a number > 0.")
        pairs = [(array, name) for name, array in (names or {}).items()]
        answer: Any = _core._diagnose(
            self, pairs, apply_loss_function, weak_ratio, compute_redundancy, variance_factor, num_threads, max_time, scene
        )
        return Diagnosis(*answer)

    def solve(self, options: SolverOptions | None = None, **changes: Unpack[OptionValues]) -> Summary:
        """Minimizes the cost, in place, and returns the summary.

        changes: options by name; they override those of `options`.
        Ctrl-C raises KeyboardInterrupt within an iteration; the parameters are
        then the best point so far. After an exception of user code parameters
        have their starting values.
        """
        if options is None:
            options = SolverOptions(**changes)
        elif changes:
            options = options.copy()
            for name, value in changes.items():
                setattr(options, name, value)
        return solve(options, self)


def solve(options: _core.SolverOptions, problem: _core.Problem, summary: Summary | None = None) -> Summary:
    """Minimizes the cost of a problem, in place. Fills and returns `summary`."""
    if not isinstance(options, _core.SolverOptions) or not isinstance(problem, _core.Problem):
        raise TypeError(
            f"solve: expected (SolverOptions, Problem), got ({type(options).__name__}, {type(problem).__name__}). "
            "Problem.solve takes options by name."
        )
    result = Summary() if summary is None else summary
    _core._solve(options, problem, result)
    return result


def _python_batch(
    f: Any, blocks: Blocks, data: Any, jac: Any, num_residuals: int | None
) -> tuple[_core.CostBatch, list[Any], list[Any]]:
    """The costs that f computes, the arrays of their parameters and the indices of rows."""
    arrays, indices = _split(blocks)
    count = len(indices[0])
    for b, (array, index) in enumerate(zip(arrays, indices)):
        # Before the evaluator reads the rows.
        for i in np.flatnonzero((index < 0) | (index >= len(array)))[:1]:
            raise ValueError(f"blocks[{b}][1]: index {index[i]} of row {i} is out of range: the array has {len(array)} rows.")
    evaluator = evaluator_of(f, arrays, indices, data, jac)
    if num_residuals is None:
        num_residuals = evaluator.num_residuals()
    elif num_residuals < 1:
        raise ValueError(f"num_residuals: expected a number > 0, got {num_residuals}.")
    else:
        evaluator.expect(num_residuals)
    sizes = [_row_size(array) for array in arrays]
    return _core._python_batch(evaluator, count, num_residuals, sizes), arrays, indices


def _check_name(name: Any) -> None:
    if not isinstance(name, str):
        raise TypeError(f"name: expected a string, got {type(name).__name__}.")


def _limits(values: ArrayLike, shape: tuple[int, ...], name: str) -> list[float]:
    """The bounds of the coordinates of a constraint, or of all rows of a batch."""
    numbers = real_numbers(values, name)
    try:
        return list(np.broadcast_to(numbers, shape).reshape(-1))
    except ValueError:
        raise ValueError(f"{name}: expected a number or an array of shape {shape}, got shape {numbers.shape}.") from None


def _row_size(array: NDArray[np.float64]) -> int:
    return int(np.prod(array.shape[1:]))


def _split(blocks: Blocks, count: int | None = None) -> tuple[list[Any], list[Any]]:
    """The arrays of the pairs, and count indices for each; None: as many as the longest list of them."""
    arrays: list[Any] = []
    indices: list[Any] = []
    for b, pair in enumerate(blocks):
        if not isinstance(pair, (tuple, list)) or len(pair) != 2:
            raise TypeError(f"blocks[{b}]: expected a pair of an array and indices, got {type(pair).__name__}.")
        array, index = pair
        if not isinstance(array, np.ndarray) or array.ndim < 2:
            raise TypeError(
                f"blocks[{b}][0]: expected a NumPy array with one parameter block per row (2-D), got "
                f"{type(array).__name__} of dimension {np.ndim(array)}. A block x of its own is x.reshape(1, -1)."
            )
        refuse_masked(array, f"blocks[{b}][0]")
        arrays.append(array)
        indices.append(_indices(index, f"blocks[{b}][1]"))
    if not arrays:
        raise ValueError("blocks: expected at least one pair of an array and indices.")
    if count is None:
        count = max((len(index) for index in indices if index.ndim == 1), default=1)
    return arrays, [np.full(count, index) if index.ndim == 0 else index for index in indices]


def _indices(values: ArrayLike, name: str) -> NDArray[np.int64]:
    """One integer, or a list of integers."""
    refuse_masked(values, name)
    numbers = np.asarray(values)
    if numbers.dtype.kind not in "iu" and numbers.size > 0:
        raise TypeError(f"{name}: expected integers, got {numbers.dtype}.")
    if numbers.ndim > 1:
        raise ValueError(f"{name}: expected one index for each row, got an array of shape {numbers.shape}.")
    for i in np.flatnonzero(numbers > np.iinfo(np.int64).max)[:1]:
        raise ValueError(f"{name}: index {numbers.reshape(-1)[i]} of row {i} is out of range.")
    return np.asarray(numbers, dtype=np.int64, order="C")


def _to_sparse(crs: Any) -> Any:
    if crs is None:
        return None
    values, columns, rows, shape = crs
    try:
        from scipy.sparse import csr_matrix
    except ImportError:
        return crs
    return csr_matrix((values, columns, rows), shape=shape)


def _address(function: Any) -> int:
    import ctypes

    if isinstance(function, int):
        return function
    if hasattr(function, "address"):  # numba.cfunc
        return int(function.address)
    if isinstance(function, ctypes._CFuncPtr):  # type: ignore[attr-defined]
        return int(ctypes.cast(function, ctypes.c_void_p).value or 0)
    raise TypeError(
        f"function: expected an address, a ctypes function or a numba.cfunc, got {type(function).__name__}."
    )
