# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""The options and the summary of a solve: what Python adds to the C++ classes."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING, Any

from . import _core

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._option_values import OptionValues

_num_threads: int | None = None


def num_threads() -> int:
    """The default of `SolverOptions.num_threads` in this process."""
    return 1 if _num_threads is None else _num_threads


def set_num_threads(number: int | None) -> None:
    """Sets the default of `SolverOptions.num_threads`.

    Results have the same bits for every number of threads. None: the initial
    default, 1. `available_concurrency()` is the largest number of use.
    """
    global _num_threads
    if number is not None and (isinstance(number, bool) or not isinstance(number, int) or number < 1):
        raise ValueError(f"number: expected a number of threads > 0 or None, got {number!r}.")
    _num_threads = number


def _text(value: Any) -> str:
    return value.name if hasattr(value, "name") and hasattr(value, "value") else repr(value)


class SolverOptions(_core.SolverOptions):
    """The options of a solve, each an attribute and an argument of the constructor.

    Enumerators can be given by their names: `linear_solver_type="dense_schur"`.
    """

    def __init__(self, **options: Unpack[OptionValues]) -> None:
        super().__init__()
        self.num_threads = num_threads()
        for name, value in options.items():
            if not hasattr(_core.SolverOptions, name):
                raise TypeError(f"SolverOptions has no option {name!r}.")
            setattr(self, name, value)

    def __setattr__(self, name: str, value: Any) -> None:
        if not hasattr(type(self), name):
            raise AttributeError(f"SolverOptions has no option {name!r}.")
        super().__setattr__(name, value)

    def copy(self) -> SolverOptions:
        """A copy, with the same orderings, callbacks and token."""
        values: Any = self.to_dict()
        result = SolverOptions(**values)
        result.linear_solver_ordering = self.linear_solver_ordering
        result.inner_iteration_ordering = self.inner_iteration_ordering
        result.callbacks = list(self.callbacks)
        result.cancellation_token = self.cancellation_token
        return result

    def __reduce__(self) -> tuple[Any, ...]:
        return _options_from_dict, (self.to_dict(),)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SolverOptions) and self.to_dict() == other.to_dict()

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        default = SolverOptions().to_dict()
        changed = [f"{k}={_text(v)}" for k, v in self.to_dict().items() if v != default[k]]
        return f"SolverOptions({', '.join(changed)})"


def _options_from_dict(values: OptionValues) -> SolverOptions:
    return SolverOptions(**values)


class Summary(_core.Summary):
    """The result of a solve. Times are wall times in seconds; -1 means not measured."""

    def to_dict(self) -> dict[str, Any]:
        """All fields as a dict; `iterations` is a list of dicts."""
        result = dict(super().to_dict())
        result["iterations"] = [iteration.to_dict() for iteration in self.iterations]
        return result

    def __reduce__(self) -> tuple[Any, ...]:
        return _summary_from_state, (_core.Summary.to_dict(self),)

    def __repr__(self) -> str:
        # Counted as in BriefReport: the initial point of a trust region minimizer is an accepted step.
        accepted, rejected = max(0, self.num_successful_steps), max(0, self.num_unsuccessful_steps)
        lines = [
            f"Summary: {self.termination_type.name}",
            f"  message: {self.message}",
            f"  cost: {self.initial_cost:.6e} -> {self.final_cost:.6e}",
            f"  iterations: {accepted + rejected} ({accepted} steps accepted, {rejected} rejected)",
            f"  residual blocks: {self.num_residual_blocks}, parameter blocks: {self.num_parameter_blocks}",
            f"  linear solver: {self.linear_solver_type_used.name}, threads: {self.num_threads_used}",
            f"  time: {self.total_time_in_seconds:.3f} s",
        ]
        if self.num_constraints >= 0:
            lines.insert(-2, f"  {self._constraints_text()}")
        return "\n".join(lines)

    def _constraints_text(self) -> str:
        return (
            f"constraints: {self.num_constraints}, active coordinates: {self.num_active_constraints}, "
            f"largest violation: {self.constraint_violation:.1e}"
        )

    def _repr_html_(self) -> str:
        rows = [
            ("result", self.termination_type.name),
            ("message", self.message),
            ("cost", f"{self.initial_cost:.6e} → {self.final_cost:.6e}"),
            ("residual blocks", str(self.num_residual_blocks)),
            ("parameter blocks", str(self.num_parameter_blocks)),
            *([("constraints", self._constraints_text().partition(": ")[2])] if self.num_constraints >= 0 else []),
            ("linear solver", self.linear_solver_type_used.name),
            ("threads", str(self.num_threads_used)),
            ("time", f"{self.total_time_in_seconds:.3f} s"),
        ]
        head = "".join(f"<tr><th style='text-align:left'>{k}</th><td style='text-align:left'>{html.escape(v)}</td></tr>" for k, v in rows)
        body = "".join(
            f"<tr><td>{i.iteration}</td><td>{i.cost:.6e}</td><td>{i.cost_change:.2e}</td>"
            f"<td>{i.gradient_max_norm:.2e}</td><td>{i.step_norm:.2e}</td>"
            f"<td>{i.cumulative_time_in_seconds:.3f}</td></tr>"
            for i in self.iterations
        )
        titles = "".join(f"<th>{t}</th>" for t in ("iteration", "cost", "change", "|gradient|", "|step|", "time (s)"))
        return (
            f"<table>{head}</table><details><summary>{len(self.iterations)} iterations</summary>"
            f"<table><tr>{titles}</tr>{body}</table></details>"
        )


def _summary_from_state(values: dict[str, Any]) -> Summary:
    summary = Summary()
    summary._set_state(values)
    return summary
