# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""Nonlinear least squares: as natural as SciPy, as fast as C++.

`least_squares` and `curve_fit` have SciPy's signatures. `Problem` has the
blocks of bundle adjustment, mapping and calibration. See python/README.md.
"""

from ._core import (
    ArctanLoss as ArctanLoss,
    CallbackReturnType as CallbackReturnType,
    CancellationSource as CancellationSource,
    CancellationToken as CancellationToken,
    CauchyLoss as CauchyLoss,
    ComposedLoss as ComposedLoss,
    Constraint as Constraint,
    CostBatch as CostBatch,
    CostFunction as CostFunction,
    Covariance as Covariance,
    CovarianceAlgorithmType as CovarianceAlgorithmType,
    CovarianceOptions as CovarianceOptions,
    DenseLinearAlgebraLibraryType as DenseLinearAlgebraLibraryType,
    DoglegType as DoglegType,
    DumpFormatType as DumpFormatType,
    EigenQuaternionManifold as EigenQuaternionManifold,
    EuclideanManifold as EuclideanManifold,
    HtmlReport as HtmlReport,
    HuberLoss as HuberLoss,
    IterationSummary as IterationSummary,
    JacobianStorage as JacobianStorage,
    LinearSolverOrderingType as LinearSolverOrderingType,
    LinearSolverType as LinearSolverType,
    LineManifold as LineManifold,
    LineSearchDirectionType as LineSearchDirectionType,
    LineSearchInterpolationType as LineSearchInterpolationType,
    LineSearchType as LineSearchType,
    LoggingType as LoggingType,
    LossFunction as LossFunction,
    LossFunctionWrapper as LossFunctionWrapper,
    Manifold as Manifold,
    MinimizerType as MinimizerType,
    NonlinearConjugateGradientType as NonlinearConjugateGradientType,
    NumericDiffMethodType as NumericDiffMethodType,
    Ownership as Ownership,
    ParameterBlockOrdering as ParameterBlockOrdering,
    PreconditionerType as PreconditionerType,
    ProductManifold as ProductManifold,
    QuaternionManifold as QuaternionManifold,
    ResidualBlock as ResidualBlock,
    ResidualBlocks as ResidualBlocks,
    ScaledLoss as ScaledLoss,
    SoftLOneLoss as SoftLOneLoss,
    SparseLinearAlgebraLibraryType as SparseLinearAlgebraLibraryType,
    SphereManifold as SphereManifold,
    SubsetManifold as SubsetManifold,
    TerminationType as TerminationType,
    TolerantLoss as TolerantLoss,
    TrivialLoss as TrivialLoss,
    TrustRegionStrategyType as TrustRegionStrategyType,
    TukeyLoss as TukeyLoss,
    VisibilityClusteringType as VisibilityClusteringType,
    available_concurrency as available_concurrency,
)
from ._cost_functions import (
    AutoDiffCostFunction as AutoDiffCostFunction,
    NumericDiffCostFunction as NumericDiffCostFunction,
)
from ._curve_fit import curve_fit as curve_fit
from ._diagnosis import (
    Diagnosis as Diagnosis,
    Direction as Direction,
    DirectionEntry as DirectionEntry,
    ResidualCheck as ResidualCheck,
)
from ._fit_many import (
    FitManyResult as FitManyResult,
    FitStatus as FitStatus,
    TracingError as TracingError,
    fit_many as fit_many,
)
from ._least_squares import (
    OptimizeResult as OptimizeResult,
    OptimizeWarning as OptimizeWarning,
    least_squares as least_squares,
)
from ._options import (
    SolverOptions as SolverOptions,
    Summary as Summary,
    num_threads as num_threads,
    set_num_threads as set_num_threads,
)
from ._problem import Evaluation as Evaluation, Problem as Problem, solve as solve
from ._scene import Scene as Scene
from . import (
    _enums,
    autodiff as autodiff,
    costs as costs,
    io as io,
    models as models,
    pose_graph as pose_graph,
)

__version__ = "2.2.0"

__all__ = [name for name in dir() if not name.startswith("_")]
