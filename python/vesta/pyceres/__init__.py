# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""The names of the package pyceres, so that its scripts run with the import changed.

    import vesta.pyceres as pyceres

`EvaluationCallback` is attached by `ProblemOptions.evaluation_callback`, as in
C++; pyceres has the class alone.
"""

from __future__ import annotations

from typing import Any, Iterable, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import _core
from .._core import (
    ArctanLoss as ArctanLoss,
    CallbackReturnType as CallbackReturnType,
    CauchyLoss as CauchyLoss,
    CovarianceAlgorithmType as CovarianceAlgorithmType,
    DenseLinearAlgebraLibraryType as DenseLinearAlgebraLibraryType,
    DoglegType as DoglegType,
    DumpFormatType as DumpFormatType,
    EigenQuaternionManifold as EigenQuaternionManifold,
    EuclideanManifold as EuclideanManifold,
    HuberLoss as HuberLoss,
    IterationSummary as IterationSummary,
    LinearSolverType as LinearSolverType,
    LineSearchDirectionType as LineSearchDirectionType,
    LineSearchInterpolationType as LineSearchInterpolationType,
    LineSearchType as LineSearchType,
    LoggingType as LoggingType,
    Manifold as Manifold,
    MinimizerType as MinimizerType,
    NonlinearConjugateGradientType as NonlinearConjugateGradientType,
    Ownership as Ownership,
    PreconditionerType as PreconditionerType,
    ProductManifold as ProductManifold,
    QuaternionManifold as QuaternionManifold,
    ResidualBlock as ResidualBlock,
    SoftLOneLoss as SoftLOneLoss,
    SparseLinearAlgebraLibraryType as SparseLinearAlgebraLibraryType,
    SphereManifold as SphereManifold,
    SubsetManifold as SubsetManifold,
    TerminationType as TerminationType,
    TrivialLoss as TrivialLoss,
    TrustRegionStrategyType as TrustRegionStrategyType,
    VisibilityClusteringType as VisibilityClusteringType,
)
from .._options import SolverOptions as _SolverOptions, Summary as _Summary, _text
from .._problem import Problem as _Problem, solve as _solve

Array = NDArray[np.float64]
__version__ = "2.7"
__ceres_version__ = _core.ceres_version
TAKE_OWNERSHIP = Ownership.TAKE_OWNERSHIP
DO_NOT_TAKE_OWNERSHIP = Ownership.DO_NOT_TAKE_OWNERSHIP


# Methods of several classes. A base class beside a class of the extension module is not possible in Python 3.9.
def _todict(self: Any, recursive: bool = True) -> dict[str, Any]:
    values: dict[str, Any] = self.to_dict()
    return values


def _mergedict(self: Any, values: dict[str, Any]) -> None:
    for name, value in values.items():
        if name not in self.todict():
            raise AttributeError(f"{type(self).__name__} has no attribute {name!r}.")
        setattr(self, name, value)


def _summary(self: Any, write_type: bool = False) -> str:
    lines = [f"{type(self).__name__}:"]
    for name, value in self.todict().items():
        kind = f": {type(value).__name__}" if write_type else ""
        lines.append(f"    {name}{kind} = {_text(value)}")
    return "\n".join(lines)


class SolverOptions(_SolverOptions):
    mergedict = _mergedict
    summary = _summary

    def __init__(self, values: Any = None, **options: Any) -> None:
        if isinstance(values, _core.SolverOptions):
            options = {**values.to_dict(), "callbacks": list(values.callbacks), **options}
        elif values is not None:
            options = {**values, **options}
        super().__init__(**options)

    def todict(self, recursive: bool = True) -> dict[str, Any]:
        return {"callbacks": list(self.callbacks), **self.to_dict()}

    def IsValid(self, error: str = "") -> bool:
        return self.error() == ""


class SolverSummary(_Summary):
    todict = _todict
    mergedict = _mergedict
    summary = _summary

    def BriefReport(self) -> str:
        return self.brief_report()

    def FullReport(self) -> str:
        return self.full_report()

    def IsSolutionUsable(self) -> bool:
        return self.is_solution_usable


class CostFunction(_core.CostFunction):
    """A subclass sets its sizes and defines Evaluate(parameters, residuals, jacobians)."""

    def __init__(self) -> None:
        super().__init__()

    def evaluate(self, *parameters: ArrayLike) -> tuple[Any, Any]:
        residuals, jacobians = self(*parameters)
        return residuals, [j.reshape(-1) for j in jacobians]


class LossFunction(_core.LossFunction):
    """A subclass defines Evaluate(sq_norm, out), which writes rho and its two derivatives.

    Called with a dict it makes a loss: {"name": "huber", "params": [1.0]}, and
    "magnitude", a factor of the loss.
    """

    def __new__(cls, values: dict[str, Any] | None = None) -> Any:
        return super().__new__(cls) if values is None else _loss_of(values)

    def Evaluate(self, sq_norm: float, out: Any) -> None:
        raise TypeError(f"{type(self).__name__}, a subclass of LossFunction, must define Evaluate(sq_norm, out).")

    def evaluate(self, s: float) -> tuple[float, float, float]:
        out = np.zeros(3)
        self.Evaluate(s, out)
        return float(out[0]), float(out[1]), float(out[2])


_LOSSES: dict[str, Any] = {
    "trivial": TrivialLoss, "huber": HuberLoss, "softl1": SoftLOneLoss, "softlone": SoftLOneLoss, "cauchy": CauchyLoss,
    "arctan": ArctanLoss, "tukey": _core.TukeyLoss, "tolerant": _core.TolerantLoss,
}  # fmt: skip


def _loss_of(values: dict[str, Any]) -> _core.LossFunction:
    unknown = set(values) - {"name", "params", "magnitude"}
    if "name" not in values or unknown:
        raise ValueError("values: expected the keys 'name', 'params' and 'magnitude', got " + ", ".join(map(repr, values)))
    name = str(values["name"]).lower().replace("_", "")
    kind = _LOSSES.get(name[:-4] if name.endswith("loss") else name)
    if kind is None:
        raise ValueError(f"values['name']: expected one of {', '.join(_LOSSES)}, got {values['name']!r}.")
    loss: _core.LossFunction = kind(*values.get("params", ()))
    if values.get("magnitude", 1.0) != 1.0:
        loss = _core.ScaledLoss(loss, float(values["magnitude"]))
    return loss


class IterationCallback:
    """A subclass defines __call__(summary), which returns a CallbackReturnType."""


class EvaluationCallback:
    """A subclass defines PrepareForEvaluation, which is called before each evaluation.

    The arrays of the parameters then have the values of the point. Attached by
    `ProblemOptions.evaluation_callback`.
    """

    def PrepareForEvaluation(self, evaluate_jacobians: bool, new_evaluation_point: bool) -> None:
        raise NotImplementedError(f"{type(self).__name__} has no PrepareForEvaluation.")


class ListIterationCallback(list):  # type: ignore[type-arg]
    """A list of callbacks."""


class ProblemOptions:
    """Ownership has no effect: Python objects live as long as they are used."""

    def __init__(self) -> None:
        self.cost_function_ownership = TAKE_OWNERSHIP
        self.loss_function_ownership = TAKE_OWNERSHIP
        self.manifold_ownership = TAKE_OWNERSHIP
        self.enable_fast_removal = False
        self.disable_all_safety_checks = False
        self.evaluation_callback: EvaluationCallback | None = None


class EvaluateOptions:
    def __init__(self) -> None:
        self.apply_loss_function = True
        self.num_threads = 1
        self._parameter_blocks: list[Array] | None = None
        self._residual_blocks: list[ResidualBlock] | None = None

    def set_parameter_blocks(self, parameter_blocks: Iterable[Array]) -> None:
        self._parameter_blocks = list(parameter_blocks)

    def set_residual_blocks(self, residual_block_ids: Iterable[ResidualBlock]) -> None:
        self._residual_blocks = list(residual_block_ids)


class CRSMatrix:
    def __init__(self, values: Any = (), cols: Any = (), rows: Any = (), shape: tuple[int, int] = (0, 0)) -> None:
        self.values, self.cols, self.rows = list(values), list(cols), list(rows)
        self.num_rows, self.num_cols = shape

    def to_tuple(self) -> tuple[Any, Any, Any]:
        """Rows, columns and values of all entries."""
        counts: Any = np.diff(self.rows) if len(self.rows) else []
        return np.repeat(np.arange(self.num_rows), counts), np.array(self.cols), np.array(self.values)


class Problem(_Problem):
    def __init__(self, options: ProblemOptions | None = None) -> None:
        super().__init__(enable_fast_removal=options is not None and options.enable_fast_removal)
        if options is not None and options.evaluation_callback is not None:
            self.set_evaluation_callback(options.evaluation_callback.PrepareForEvaluation)

    def _values(self, options: EvaluateOptions, **wanted: bool) -> Any:
        result = self._evaluate(
            options._parameter_blocks, options._residual_blocks, options.apply_loss_function, options.num_threads,
            wanted.get("residuals", False), False, wanted.get("jacobian", False),
        )  # fmt: skip
        if result is None:
            raise RuntimeError("The problem cannot be evaluated.")
        return result

    def evaluate_residuals(self, options: EvaluateOptions | Sequence[ResidualBlock] | None = None) -> list[float]:
        if options is None:
            options = EvaluateOptions()
        elif not isinstance(options, EvaluateOptions):
            blocks, options = options, EvaluateOptions()
            options.set_residual_blocks(blocks)
        values: list[float] = self._values(options, residuals=True)[1].tolist()
        return values

    def evaluate_jacobian(self, options: EvaluateOptions | None = None) -> CRSMatrix:
        return CRSMatrix(*self._values(options or EvaluateOptions(), jacobian=True)[3])


class CovarianceOptions(_core.CovarianceOptions):
    todict = _todict
    mergedict = _mergedict
    summary = _summary


class Covariance(_core.Covariance):
    def get_covariance_block_tangent_space(self, block1: Array, block2: Array, problem: Problem) -> Any:
        return self.get_covariance_block_in_tangent_space(block1, block2)


def solve(options: SolverOptions, problem: Problem, summary: SolverSummary) -> None:
    """Minimizes the cost of the problem in place and fills the summary."""
    _solve(options, problem, summary)


class ostream_redirect:
    """A context without effect: messages go to Python's logging."""

    def __init__(self, stdout: bool = True, stderr: bool = True) -> None:
        pass

    def __enter__(self) -> ostream_redirect:
        return self

    def __exit__(self, *error: Any) -> None:
        pass


from . import factors as factors, logging as logging  # noqa: E402  (both use names of this module)
