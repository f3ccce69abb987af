# Vesta: a nonlinear least-squares solver.
# Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
"""Nonlinear least squares: as natural as SciPy, as fast as C++.

`least_squares` and `curve_fit` have SciPy's signatures. `Problem` has the
blocks of bundle adjustment, mapping and calibration. See python/README.md.
"""

from ._core import (
    ArctanLoss,
    CallbackReturnType,
    CancellationSource,
    CancellationToken,
    CauchyLoss,
    ComposedLoss,
    CostBatch,
    CostFunction,
    Covariance,
    CovarianceAlgorithmType,
    CovarianceOptions,
    DenseLinearAlgebraLibraryType,
    DoglegType,
    DumpFormatType,
    EigenQuaternionManifold,
    EuclideanManifold,
    HtmlReport,
    HuberLoss,
    IterationSummary,
    LinearSolverOrderingType,
    LinearSolverType,
    LineManifold,
    LineSearchDirectionType,
    LineSearchInterpolationType,
    LineSearchType,
    LoggingType,
    LossFunction,
    LossFunctionWrapper,
    Manifold,
    MinimizerType,
    NonlinearConjugateGradientType,
    NumericDiffMethodType,
    Ownership,
    ParameterBlockOrdering,
    PreconditionerType,
    ProductManifold,
    QuaternionManifold,
    ResidualBlock,
    ResidualBlocks,
    ScaledLoss,
    SoftLOneLoss,
    SparseLinearAlgebraLibraryType,
    SphereManifold,
    SubsetManifold,
    TerminationType,
    TolerantLoss,
    TrivialLoss,
    TrustRegionStrategyType,
    TukeyLoss,
    VisibilityClusteringType,
    available_concurrency,
)
from ._cost_functions import AutoDiffCostFunction, NumericDiffCostFunction
from ._curve_fit import curve_fit
from ._least_squares import OptimizeResult, OptimizeWarning, least_squares
from ._options import SolverOptions, Summary, num_threads, set_num_threads
from ._problem import Evaluation, Problem, solve
from . import autodiff, costs, io

__version__ = "2.2.0"

__all__ = [name for name in dir() if not name.startswith("_")]
