// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "enums.h"

#include "common.h"

namespace vesta::python {
namespace {

template <typename E>
void BindEnum(nb::module_& module, const char* doc) {
  nb::enum_<E> type(module, EnumTraits<E>::name, doc, nb::is_arithmetic());
  for (const auto& e : EnumTraits<E>::Enumerators()) {
    type.value(e.name, e.value, e.doc);
  }
}

}  // namespace

#define VESTA_TABLE(E)                     \
  const std::vector<Enumerator<ceres::E>>& \
  EnumTraits<ceres::E>::Enumerators() {    \
    using namespace ceres;                 \
    static const std::vector<Enumerator<ceres::E>> table
#define VESTA_END \
  ;               \
  return table;   \
  }

VESTA_TABLE(Ownership) =
    {
        {"DO_NOT_TAKE_OWNERSHIP", DO_NOT_TAKE_OWNERSHIP,
         "The caller keeps the object."},
        {"TAKE_OWNERSHIP", TAKE_OWNERSHIP, "The receiver keeps the object."},
} VESTA_END

    VESTA_TABLE(LinearSolverType) =
        {
            {"DENSE_NORMAL_CHOLESKY", DENSE_NORMAL_CHOLESKY,
             "Dense Cholesky factorization of the normal equations."},
            {"DENSE_QR", DENSE_QR, "Dense QR factorization."},
            {"SPARSE_NORMAL_CHOLESKY", SPARSE_NORMAL_CHOLESKY,
             "Sparse Cholesky factorization of the normal equations."},
            {"DENSE_SCHUR", DENSE_SCHUR,
             "Eliminates a first group; factors a dense Schur complement."},
            {"SPARSE_SCHUR", SPARSE_SCHUR,
             "Eliminates a first group; factors a sparse Schur complement."},
            {"ITERATIVE_SCHUR", ITERATIVE_SCHUR,
             "Eliminates a first group; conjugate gradients on the rest."},
            {"CGNR", CGNR, "Conjugate gradients on the normal equations."},
} VESTA_END

    VESTA_TABLE(PreconditionerType) =
        {
            {"IDENTITY", IDENTITY, "The identity."},
            {"JACOBI", JACOBI, "The block diagonal of J'J + D'D."},
            {"SCHUR_JACOBI", SCHUR_JACOBI,
             "The block diagonal of the Schur complement."},
            {"SCHUR_POWER_SERIES_EXPANSION", SCHUR_POWER_SERIES_EXPANSION,
             "A truncated power series of the inverse Schur complement."},
            {"CLUSTER_JACOBI", CLUSTER_JACOBI,
             "The Schur complement within clusters of cameras."},
            {"CLUSTER_TRIDIAGONAL", CLUSTER_TRIDIAGONAL,
             "The Schur complement within and between neighbouring clusters."},
            {"SUBSET", SUBSET, "Some of the residual blocks. CGNR only."},
} VESTA_END

    VESTA_TABLE(VisibilityClusteringType) =
        {
            {"CANONICAL_VIEWS", CANONICAL_VIEWS, "Canonical views."},
            {"SINGLE_LINKAGE", SINGLE_LINKAGE, "Single linkage; faster."},
} VESTA_END

    VESTA_TABLE(JacobianStorage) =
        {
            {"DOUBLE", JacobianStorage::DOUBLE, "Double precision."},
            {"FLOAT", JacobianStorage::FLOAT,
             "Derivatives in single precision."},
            {"RECOMPUTE", JacobianStorage::RECOMPUTE,
             "Not stored: residual blocks are evaluated again."},
            {"AUTO", JacobianStorage::AUTO, "The first that fits in memory."},
} VESTA_END

    VESTA_TABLE(SparseLinearAlgebraLibraryType) =
        {
            {"SUITE_SPARSE", SUITE_SPARSE, "SuiteSparse. Not in wheels."},
            {"EIGEN_SPARSE", EIGEN_SPARSE, "Eigen."},
            {"ACCELERATE_SPARSE", ACCELERATE_SPARSE, "Not in any build."},
            {"CUDA_SPARSE", CUDA_SPARSE, "Not in any build."},
            {"NO_SPARSE", NO_SPARSE, "None."},
            {"NATIVE_SPARSE", NATIVE_SPARSE,
             "Vesta's own multifrontal factorization."},
} VESTA_END

    VESTA_TABLE(LinearSolverOrderingType) =
        {
            {"AMD", AMD, "Approximate minimum degree."},
            {"NESDIS", NESDIS, "Nested dissection."},
} VESTA_END

    VESTA_TABLE(DenseLinearAlgebraLibraryType) =
        {
            {"EIGEN", EIGEN, "Eigen."},
            {"LAPACK", LAPACK, "LAPACK. Not in wheels."},
            {"CUDA", CUDA, "Not in any build."},
} VESTA_END

    VESTA_TABLE(LoggingType) =
        {
            {"SILENT", SILENT, "No progress table."},
            {"PER_MINIMIZER_ITERATION", PER_MINIMIZER_ITERATION,
             "One line per iteration."},
} VESTA_END

    VESTA_TABLE(MinimizerType) =
        {
            {"LINE_SEARCH", LINE_SEARCH,
             "A direction, then a step size along it."},
            {"TRUST_REGION", TRUST_REGION,
             "A quadratic model within a region."},
} VESTA_END

    VESTA_TABLE(LineSearchDirectionType) =
        {
            {"STEEPEST_DESCENT", STEEPEST_DESCENT, "The negative gradient."},
            {"NONLINEAR_CONJUGATE_GRADIENT", NONLINEAR_CONJUGATE_GRADIENT,
             "Nonlinear conjugate gradients."},
            {"LBFGS", LBFGS, "Limited-memory BFGS."},
            {"BFGS", BFGS, "Dense BFGS."},
} VESTA_END

    VESTA_TABLE(NonlinearConjugateGradientType) =
        {
            {"FLETCHER_REEVES", FLETCHER_REEVES, "beta = g'g / h'h."},
            {"POLAK_RIBIERE", POLAK_RIBIERE, "beta = max(0, g'y / h'h)."},
            {"HESTENES_STIEFEL", HESTENES_STIEFEL, "beta = max(0, g'y / p'y)."},
} VESTA_END

    VESTA_TABLE(LineSearchType) =
        {
            {"ARMIJO", ARMIJO, "Sufficient decrease."},
            {"WOLFE", WOLFE, "The strong Wolfe conditions."},
} VESTA_END

    VESTA_TABLE(TrustRegionStrategyType) =
        {
            {"LEVENBERG_MARQUARDT", LEVENBERG_MARQUARDT,
             "Damped normal equations."},
            {"DOGLEG", DOGLEG, "Cauchy and Gauss-Newton steps combined."},
} VESTA_END

    VESTA_TABLE(DoglegType) =
        {
            {"TRADITIONAL_DOGLEG", TRADITIONAL_DOGLEG, "Powell's path."},
            {"SUBSPACE_DOGLEG", SUBSPACE_DOGLEG, "The plane of both steps."},
} VESTA_END

    VESTA_TABLE(TerminationType) =
        {
            {"CONVERGENCE", CONVERGENCE, "A convergence tolerance was met."},
            {"NO_CONVERGENCE", NO_CONVERGENCE, "A limit was reached first."},
            {"FAILURE", FAILURE,
             "Invalid options, or no step could be computed."},
            {"USER_SUCCESS", USER_SUCCESS, "A callback ended the solve."},
            {"USER_FAILURE", USER_FAILURE, "A callback aborted the solve."},
            {"INFEASIBLE", INFEASIBLE, "No point near meets all constraints."},
} VESTA_END

    VESTA_TABLE(CallbackReturnType) =
        {
            {"SOLVER_CONTINUE", SOLVER_CONTINUE, "Go on."},
            {"SOLVER_ABORT", SOLVER_ABORT,
             "End with USER_FAILURE; parameters keep their starting values."},
            {"SOLVER_TERMINATE_SUCCESSFULLY", SOLVER_TERMINATE_SUCCESSFULLY,
             "End with USER_SUCCESS; parameters get the current values."},
} VESTA_END

    VESTA_TABLE(DumpFormatType) =
        {
            {"CONSOLE", CONSOLE, "Dense matrices to stderr."},
            {"TEXTFILE", TEXTFILE, "Text files for Octave."},
} VESTA_END

    VESTA_TABLE(LineSearchInterpolationType) =
        {
            {"BISECTION", BISECTION, "The middle of the interval."},
            {"QUADRATIC", QUADRATIC, "The minimum of a quadratic polynomial."},
            {"CUBIC", CUBIC, "The minimum of a cubic polynomial."},
} VESTA_END

    VESTA_TABLE(CovarianceAlgorithmType) =
        {
            {"DENSE_SVD", DENSE_SVD,
             "Singular values; allows rank deficiency."},
            {"SPARSE_QR", SPARSE_QR, "Sparse QR factorization; full rank."},
            {"SPARSE_CHOLESKY", SPARSE_CHOLESKY,
             "Sparse Cholesky factorization, or SPARSE_QR where needed."},
} VESTA_END

    VESTA_TABLE(NumericDiffMethodType) =
        {
            {"CENTRAL", CENTRAL, "Central differences."},
            {"FORWARD", FORWARD, "Forward differences."},
            {"RIDDERS", RIDDERS, "Extrapolated central differences."},
} VESTA_END
#undef VESTA_TABLE
#undef VESTA_END

    void BindEnums(nb::module_ & module) {
  BindEnum<ceres::Ownership>(module, "Who keeps an object alive.");
  BindEnum<ceres::LinearSolverType>(
      module, "The algorithm that solves for the step of an iteration.");
  BindEnum<ceres::PreconditionerType>(
      module, "The preconditioner of ITERATIVE_SCHUR and CGNR.");
  BindEnum<ceres::VisibilityClusteringType>(
      module, "The algorithm that clusters cameras.");
  BindEnum<ceres::JacobianStorage>(
      module, "How the Jacobian is kept between evaluations.");
  BindEnum<ceres::SparseLinearAlgebraLibraryType>(
      module, "The library that factors sparse matrices.");
  BindEnum<ceres::LinearSolverOrderingType>(
      module, "The ordering of sparse factorizations.");
  BindEnum<ceres::DenseLinearAlgebraLibraryType>(
      module, "The library that factors dense matrices.");
  BindEnum<ceres::LoggingType>(module, "The amount of output of a solve.");
  BindEnum<ceres::MinimizerType>(module, "The kind of minimizer.");
  BindEnum<ceres::LineSearchDirectionType>(
      module, "The direction of a line search minimizer.");
  BindEnum<ceres::NonlinearConjugateGradientType>(
      module, "The coefficient of nonlinear conjugate gradients.");
  BindEnum<ceres::LineSearchType>(
      module, "The condition under which a line search accepts a step.");
  BindEnum<ceres::TrustRegionStrategyType>(
      module, "The algorithm that computes a trust-region step.");
  BindEnum<ceres::DoglegType>(module,
                              "The set of points that DOGLEG minimizes over.");
  BindEnum<ceres::TerminationType>(module, "The reason why a solve ended.");
  BindEnum<ceres::CallbackReturnType>(module, "The answer of a callback.");
  BindEnum<ceres::DumpFormatType>(
      module, "Where linear problems are written for debugging.");
  BindEnum<ceres::LineSearchInterpolationType>(
      module, "How a line search finds the next step size.");
  BindEnum<ceres::CovarianceAlgorithmType>(module,
                                           "The algorithm of Covariance.");
  BindEnum<ceres::NumericDiffMethodType>(module, "The finite difference rule.");
}

}  // namespace vesta::python
