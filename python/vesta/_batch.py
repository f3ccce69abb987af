# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""Evaluators of batches: what the C++ class PythonBatch calls.

An evaluator gets two bools, whether residuals and whether Jacobians are
wanted, and returns a pair of residuals of shape (N, m) and Jacobians, one of
shape (N, m, size) per parameter block; None for what is not wanted.
"""

from __future__ import annotations

import abc
import functools
from typing import Any, Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from . import autodiff
from ._arrays import real_numbers, refuse_masked

Array = NDArray[np.float64]


def evaluator_of(
    f: Callable[..., Any], arrays: Sequence[Array], indices: Sequence[Any], data: Any, jac: Any
) -> BatchEvaluator:
    """The evaluator for the argument `jac` of Problem.add_batch."""
    if not callable(f):
        raise TypeError(f"f: expected a function, got {type(f).__name__}.")
    if callable(jac):
        return _WithJacobian(f, arrays, indices, data, jac)
    kinds: dict[str, Callable[..., BatchEvaluator]] = {"autodiff": _AutoDiff, "numeric": _Numeric, "jax": _Jax}
    if jac not in kinds:
        raise ValueError(f"jac: expected 'autodiff', 'jax', 'numeric' or a function, got {jac!r}.")
    return kinds[jac](f, arrays, indices, data)


class BatchEvaluator(abc.ABC):
    """Gathers the rows of the parameters."""

    def __init__(self, f: Callable[..., Any], arrays: Sequence[Array], indices: Sequence[Any], data: Any) -> None:
        self._f = f
        # Views, transposed: gathering writes the values of a coordinate together.
        self._transposed = [a.reshape(len(a), -1).T for a in arrays]
        self._indices = [_slice_or_indices(i, len(a)) for a, i in zip(arrays, indices)]
        refuse_masked(data, "data")
        self._data = () if data is None else (_read_only(data),)
        self._num_rows = len(indices[0])

    def num_residuals(self) -> int:
        """Found by a call of f."""
        return self._checked(self._f(*self._parameters(), *self._data)).shape[1]

    def expect(self, num_residuals: int) -> None:
        """The user has said how many residuals f has."""

    @abc.abstractmethod
    def __call__(self, residuals: bool, jacobians: bool) -> tuple[Any, Any]:
        """See the top of the file."""

    @abc.abstractmethod
    def _jacobians_at(self, parameters: list[Array]) -> list[Array]:
        """The Jacobians at any parameters."""

    # Differences of derivatives move a coordinate by MOVE times its size, which counts as at least SMALL times the
    # largest one of its row.
    MOVE = 1e-5
    SMALL = 1e-3

    def moved_jacobians(self) -> tuple[Array, list[list[Array]]]:
        """Steps of shape (coordinates, N), and for each coordinate the Jacobians where all rows have moved it.

        For the curvature of constraints.
        """
        parameters = self._parameters()
        steps, jacobians = [], []
        for b, p in enumerate(parameters):
            largest = np.max(np.abs(p), axis=1, initial=0.0)
            for c in range(p.shape[1]):
                size = np.maximum(np.abs(p[:, c]), self.SMALL * largest)
                moved = p.copy()
                moved[:, c] += self.MOVE * np.where(size > 0.0, size, 1.0)
                steps.append(moved[:, c] - p[:, c])
                jacobians.append(self._jacobians_at([*parameters[:b], _read_only(moved), *parameters[b + 1 :]]))
        return np.stack(steps), jacobians

    def _parameters(self) -> list[Array]:
        return [_read_only(t[:, i].T) for t, i in zip(self._transposed, self._indices)]

    def _checked(self, values: Any) -> Array:
        result = real_numbers(values, "f")
        if result.ndim == 1 and len(result) == self._num_rows:
            result = result[:, None]
        if result.ndim != 2 or len(result) != self._num_rows:
            raise ValueError(
                f"f: expected residuals of shape ({self._num_rows}, number of residuals), got {result.shape}."
            )
        return result


def _read_only(values: Any) -> Any:
    """The array, so that a function cannot change the caller's parameters or data by mistake."""
    if not isinstance(values, np.ndarray):
        return values
    view = values.view()
    view.flags.writeable = False
    return view


def _slice_or_indices(index: NDArray[np.int64], length: int) -> Any:
    """A slice for 0, 1, ..., length - 1, which costs no gathering; a copy, since it may not change."""
    if len(index) == length and np.array_equal(index, np.arange(length)):
        return slice(None)
    return np.array(index)


class _Eager(BatchEvaluator):
    """Calls f at each evaluation, without compilation."""

    def __call__(self, residuals: bool, jacobians: bool) -> tuple[Any, Any]:
        parameters = self._parameters()
        if jacobians:
            return self._with_jacobians(parameters, residuals)
        return self._checked(self._f(*parameters, *self._data)), None

    def _jacobians_at(self, parameters: list[Array]) -> list[Array]:
        jacobians: list[Array] = self._with_jacobians(parameters, False)[1]
        return jacobians

    @abc.abstractmethod
    def _with_jacobians(self, parameters: list[Array], residuals: bool) -> tuple[Any, Any]:
        """Returns residuals and Jacobians. Each kind of derivative has a class that overrides this."""


class _WithJacobian(_Eager):
    def __init__(self, f: Any, arrays: Any, indices: Any, data: Any, jac: Callable[..., Any]) -> None:
        super().__init__(f, arrays, indices, data)
        self._jac = jac

    def _with_jacobians(self, parameters: list[Array], residuals: bool) -> tuple[Any, Any]:
        values = self._checked(self._f(*parameters, *self._data)) if residuals else None
        jacobians = self._jac(*parameters, *self._data)
        if isinstance(jacobians, np.ndarray):
            jacobians = [jacobians]
        return values, [real_numbers(j, "jac") for j in jacobians]


class _AutoDiff(_Eager):
    def _with_jacobians(self, parameters: list[Array], residuals: bool) -> tuple[Any, Any]:
        result = self._f(*autodiff.variables(*parameters), *self._data)
        refuse_masked(result, "f")
        dual = result if isinstance(result, autodiff.DualArray) else autodiff.DualArray(result)
        if dual.ndim == 1 and len(dual) == self._num_rows:
            dual = dual.reshape(-1, 1)
        values = self._checked(dual.value)
        jacobians = []
        column = 0
        for p in parameters:
            jacobians.append(autodiff.jacobian(dual, column, p.shape[1]))
            column += p.shape[1]
        return values, jacobians


class _Numeric(_Eager):
    # Central differences with the step that balances rounding and truncation.
    STEP = np.finfo(float).eps ** (1 / 3)

    def _with_jacobians(self, parameters: list[Array], residuals: bool) -> tuple[Any, Any]:
        values = self._checked(self._f(*parameters, *self._data))
        jacobians = []
        for b, p in enumerate(parameters):
            columns = np.empty((p.shape[1], *values.shape))
            for c in range(p.shape[1]):
                step = self.STEP * np.maximum(1.0, np.abs(p[:, c]))
                above, below = p.copy(), p.copy()
                above[:, c] += step
                below[:, c] -= step
                upper = self._checked(self._f(*parameters[:b], above, *parameters[b + 1 :], *self._data))
                lower = self._checked(self._f(*parameters[:b], below, *parameters[b + 1 :], *self._data))
                columns[c] = (upper - lower) / (above[:, c] - below[:, c])[:, None]
            jacobians.append(columns.transpose(1, 2, 0))
        return values, jacobians


class _Jax(BatchEvaluator):
    """f is written with jax.numpy. Derivatives are exact, in double precision.

    One function of residuals and Jacobians is compiled. It serves for residuals alone, too, because most points are
    accepted and their Jacobians are asked for next. Where many are not, a function of residuals is compiled.
    """

    MOST_WASTED = 8

    def __init__(self, f: Any, arrays: Any, indices: Any, data: Any) -> None:
        super().__init__(f, arrays, indices, data)
        try:
            import jax
        except ImportError as error:
            raise ImportError("jac='jax' needs the package jax: pip install 'vesta_solver[jax]'.") from error
        import jax.numpy as jnp

        self._double = _jax_double()
        rows = self._num_rows
        sizes = [t.shape[0] for t in self._transposed]

        def residuals_of(parameters: Any, data: Any) -> Any:
            values = jnp.asarray(f(*parameters, *data))
            return values[:, None] if values.ndim == 1 else values

        def by_rows(parameters: Any, data: Any) -> Any:
            """Reverse mode: one product with the transposed Jacobian per residual."""
            values, pull = jax.vjp(lambda p: residuals_of(p, data), parameters)
            m = values.shape[1]
            (products,) = jax.vmap(pull)(jnp.broadcast_to(jnp.eye(m)[:, None, :], (m, rows, m)))
            return values, products

        def by_columns(parameters: Any, data: Any) -> Any:
            """Forward mode: one product with the Jacobian per coordinate."""
            values, push = jax.linearize(lambda p: residuals_of(p, data), parameters)
            identity = jnp.eye(sum(sizes))
            offsets = np.cumsum([0, *sizes])
            tangents = [
                jnp.broadcast_to(identity[:, None, a:b], (sum(sizes), rows, b - a))
                for a, b in zip(offsets[:-1], offsets[1:])
            ]
            columns = jax.vmap(push)(tangents)
            return values, [columns[a:b] for a, b in zip(offsets[:-1], offsets[1:])]

        def with_jacobians(parameters: Any, data: Any) -> Any:
            by = by_rows if self._reverse else by_columns
            return by(parameters, data)

        self._num_columns = sum(sizes)
        self._known_num_residuals: int | None = None
        self._residuals_of = residuals_of
        self._compiled = _jit(residuals_of)
        self._compiled_with_jacobians = _jit(with_jacobians)
        # The Jacobians at the latest point, which no one has asked for yet, and how many were never asked for.
        self._kept: Any = None
        self._num_wasted = 0

    def expect(self, num_residuals: int) -> None:
        self._known_num_residuals = num_residuals

    def num_residuals(self) -> int:
        """Found by tracing f, without compilation."""
        if self._known_num_residuals is not None:
            return self._known_num_residuals
        import jax

        with self._double():
            shape = jax.eval_shape(self._residuals_of, self._parameters(), self._data).shape
        if len(shape) != 2:
            raise ValueError(
                f"f: expected residuals of shape ({self._num_rows}, number of residuals), got {shape}."
            )
        self._known_num_residuals = int(shape[1])
        return self._known_num_residuals

    @functools.cached_property
    def _reverse(self) -> bool:
        """Reverse mode takes a product per residual, forward mode one per coordinate."""
        return self.num_residuals() <= self._num_columns

    def __call__(self, residuals: bool, jacobians: bool) -> tuple[Any, Any]:
        if not residuals and self._kept is not None:
            # The point is that of the latest call.
            products, self._kept = self._kept, None
            return None, self._as_jacobians(products)
        with self._double():
            parameters = self._parameters()
            self._num_wasted += self._kept is not None
            self._kept = None
            if not jacobians and self._num_wasted > self.MOST_WASTED:
                return self._checked(self._compiled(parameters, self._data)), None
            values, products = self._compiled_with_jacobians(parameters, self._data)
        if not jacobians:
            self._kept = products
            return self._checked(values), None
        return self._checked(values), self._as_jacobians(products)

    def _jacobians_at(self, parameters: list[Array]) -> list[Array]:
        with self._double():
            return self._as_jacobians(self._compiled_with_jacobians(parameters, self._data)[1])

    def _as_jacobians(self, products: Any) -> list[Array]:
        order = (1, 0, 2) if self._reverse else (1, 2, 0)
        return [np.asarray(p).transpose(order) for p in products]


def _jax_double() -> Callable[[], Any]:
    """A context in which JAX computes in double precision, without a change of its settings."""
    import jax

    if hasattr(jax, "enable_x64"):
        return lambda: jax.enable_x64(True)
    from jax.experimental import enable_x64  # type: ignore[attr-defined]

    return lambda: enable_x64()


# Halves the time of compilation. Options of XLA come and go.
COMPILER_OPTIONS = {"xla_cpu_use_fusion_emitters": False}


def _jit(function: Callable[..., Any]) -> Callable[..., Any]:
    """jax.jit with COMPILER_OPTIONS, or without them where JAX or XLA refuses them."""
    import jax

    plain = jax.jit(function)
    try:
        fast = jax.jit(function, compiler_options=COMPILER_OPTIONS)
    except TypeError:
        return plain
    chosen: list[Callable[..., Any]] = []

    def call(*arguments: Any) -> Any:
        if chosen:
            return chosen[0](*arguments)
        try:
            result = fast(*arguments)
        except RuntimeError:  # Of XLA. An error of the user's function comes again.
            chosen.append(plain)
            return plain(*arguments)
        chosen.append(fast)
        return result

    return call
