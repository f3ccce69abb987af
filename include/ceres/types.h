// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// The enumerations that name algorithms, libraries and outcomes, and their
// conversions to and from strings.
//
// XToString(value) returns the enumerator's spelling, a string with static
// storage, or "UNKNOWN" for a value that is not an enumerator. StringToX(name,
// &value) ignores case; it returns false and leaves `value` untouched when no
// enumerator has that name. All functions here are thread safe.

#ifndef CERES_PUBLIC_TYPES_H_
#define CERES_PUBLIC_TYPES_H_

#include <string>

#include "ceres/internal/export.h"
#include "ceres/internal/optional_glog.h"

namespace ceres {

// Who deletes an object that is handed over by pointer.
enum Ownership {
  DO_NOT_TAKE_OWNERSHIP,
  TAKE_OWNERSHIP,
};

// How the linear least-squares problem of a trust-region step,
//   min_y |J y + r|^2 + |D y|^2,  or the normal equations
//   (J'J + D'D) y = -J'r,         is solved.
enum LinearSolverType {
  // Dense Cholesky factorization of the normal equations.
  DENSE_NORMAL_CHOLESKY,
  // Dense QR factorization of the stacked [J; D].
  DENSE_QR,
  // Sparse Cholesky factorization of the normal equations.
  SPARSE_NORMAL_CHOLESKY,
  // Eliminates the first parameter blocks and factors the Schur complement of
  // the others, as a dense matrix.
  DENSE_SCHUR,
  // The same with a sparse factorization.
  SPARSE_SCHUR,
  // The same with preconditioned conjugate gradients.
  ITERATIVE_SCHUR,
  // Conjugate gradients on the normal equations, which are not formed.
  CGNR,
};

// The preconditioner M of the Krylov solvers (ITERATIVE_SCHUR and CGNR).
enum PreconditionerType {
  // M is the identity.
  IDENTITY,
  // M is the block diagonal of J'J + D'D. With ITERATIVE_SCHUR, that of the
  // blocks that are not eliminated.
  JACOBI,
  // M is the block diagonal of the Schur complement. ITERATIVE_SCHUR only.
  SCHUR_JACOBI,
  // M^-1 is a truncated power series of the inverse Schur complement.
  // ITERATIVE_SCHUR only. Weber, Demmel, Chan and Cremers, "Power Bundle
  // Adjustment for Large-Scale 3D Reconstruction", CVPR 2023.
  SCHUR_POWER_SERIES_EXPANSION,
  // M keeps the Schur complement's entries between cameras of one cluster, or
  // of clusters that are neighbours in a spanning forest; the clusters follow
  // from the visibility of points. ITERATIVE_SCHUR only. Kushal and Agarwal,
  // "Visibility Based Preconditioning for Bundle Adjustment", CVPR 2012.
  CLUSTER_JACOBI,
  CLUSTER_TRIDIAGONAL,
  // With the rows of J split into P and Q, M = Q'Q + D'D, where Q holds the
  // residual blocks that the user names. CGNR only.
  SUBSET,
};

// How cameras are grouped for CLUSTER_JACOBI and CLUSTER_TRIDIAGONAL.
enum VisibilityClusteringType {
  // Simon, Snavely and Seitz, "Scene Summarization for Online Image
  // Collections", ICCV 2007.
  CANONICAL_VIEWS,
  // Single-linkage clustering of the visibility similarity. Faster.
  SINGLE_LINKAGE,
};

// The library that factors sparse matrices.
enum SparseLinearAlgebraLibraryType {
  SUITE_SPARSE,
  EIGEN_SPARSE,
  // Apple's Accelerate framework.
  ACCELERATE_SPARSE,
  // Nvidia's cuDSS and cuSPARSE.
  CUDA_SPARSE,
  // No sparse factorization may be used.
  NO_SPARSE,
  // Our own multifrontal Cholesky factorization, in every build, in double and
  // in float, with as many threads as the solve. Not in Ceres.
  NATIVE_SPARSE,
};

// How rows and columns are permuted to keep a sparse factor sparse.
enum LinearSolverOrderingType {
  // Approximate minimum degree.
  AMD,
  // Nested dissection.
  NESDIS,
};

// The library that factors dense matrices.
enum DenseLinearAlgebraLibraryType {
  EIGEN,
  LAPACK,
  CUDA,
};

// How much a solve tells about its progress.
enum LoggingType {
  SILENT,
  PER_MINIMIZER_ITERATION,
};

enum MinimizerType {
  LINE_SEARCH,
  TRUST_REGION,
};

// How a line-search minimizer chooses its direction. Nocedal and Wright,
// "Numerical Optimization", 2nd edition, chapters 3, 5, 6 and 7.
enum LineSearchDirectionType {
  // The negative gradient.
  STEEPEST_DESCENT,
  NONLINEAR_CONJUGATE_GRADIENT,
  // BFGS from the last few updates alone: O(n) memory.
  LBFGS,
  // Keeps the dense approximation of the inverse Hessian: O(n^2) memory.
  BFGS,
};

// The coefficient beta of nonlinear conjugate gradients. Nocedal and Wright,
// section 5.2.
enum NonlinearConjugateGradientType {
  FLETCHER_REEVES,
  POLAK_RIBIERE,
  HESTENES_STIEFEL,
};

// When a line search accepts a step.
enum LineSearchType {
  // Sufficient decrease, found by backtracking.
  ARMIJO,
  // The strong Wolfe conditions, found by bracketing and zooming. Nocedal and
  // Wright, algorithms 3.5 and 3.6.
  WOLFE,
};

enum TrustRegionStrategyType {
  LEVENBERG_MARQUARDT,
  DOGLEG,
};

enum DoglegType {
  // The path from the Cauchy point to the Gauss-Newton step. Powell 1970.
  TRADITIONAL_DOGLEG,
  // The minimizer over the plane that both span. Byrd, Schnabel and Shultz
  // 1988. Needs more work a step and usually fewer steps.
  SUBSPACE_DOGLEG,
};

// Why a solve ended. The user's parameter blocks hold the result after
// CONVERGENCE, NO_CONVERGENCE and USER_SUCCESS, and their starting values after
// FAILURE and USER_FAILURE.
enum TerminationType {
  // One of the convergence tolerances was met.
  CONVERGENCE,
  // The limit on iterations or on time was reached first.
  NO_CONVERGENCE,
  // The options are invalid, or a step could not be computed.
  FAILURE,
  // A callback returned SOLVER_TERMINATE_SUCCESSFULLY.
  USER_SUCCESS,
  // A callback returned SOLVER_ABORT.
  USER_FAILURE,
};

// What an IterationCallback asks of the solver.
enum CallbackReturnType {
  SOLVER_CONTINUE,
  // End with USER_FAILURE; the parameter blocks keep their starting values.
  SOLVER_ABORT,
  // End with USER_SUCCESS; the parameter blocks receive the current values.
  SOLVER_TERMINATE_SUCCESSFULLY,
};

// Where linear least-squares problems of a solve are written, for debugging.
enum DumpFormatType {
  CONSOLE,
  TEXTFILE,
};

// Stands for a size that is known at run time only. Equals Eigen::Dynamic.
enum DimensionType {
  DYNAMIC = -1,
};

// The finite difference rule of numeric derivatives.
enum NumericDiffMethodType {
  // (f(x + h) - f(x - h)) / 2h, error O(h^2).
  CENTRAL,
  // (f(x + h) - f(x)) / h, error O(h). Half as many evaluations.
  FORWARD,
  // Central differences extrapolated to h -> 0. Ridders 1982. The most exact
  // and the most expensive.
  RIDDERS,
};

// How a line search finds the next trial step from known values and slopes.
enum LineSearchInterpolationType {
  BISECTION,
  QUADRATIC,
  CUBIC,
};

enum CovarianceAlgorithmType {
  // From the singular values of the dense Jacobian; also when it is rank
  // deficient. For small problems.
  DENSE_SVD,
  // From a sparse QR factorization; the Jacobian must have full rank.
  SPARSE_QR,
  // From a sparse Cholesky factorization of J'J, where its pivots say that it
  // is accurate; otherwise by SPARSE_QR. Not in Ceres.
  SPARSE_CHOLESKY,
};

// The solver fills every output of user code with this value before the call,
// and so detects entries that the code did not write.
inline constexpr double kImpossibleValue = 1e302;

CERES_EXPORT const char* LinearSolverTypeToString(LinearSolverType type);
CERES_EXPORT bool StringToLinearSolverType(std::string value,
                                           LinearSolverType* type);

CERES_EXPORT const char* PreconditionerTypeToString(PreconditionerType type);
CERES_EXPORT bool StringToPreconditionerType(std::string value,
                                             PreconditionerType* type);

CERES_EXPORT const char* VisibilityClusteringTypeToString(
    VisibilityClusteringType type);
CERES_EXPORT bool StringToVisibilityClusteringType(
    std::string value, VisibilityClusteringType* type);

CERES_EXPORT const char* SparseLinearAlgebraLibraryTypeToString(
    SparseLinearAlgebraLibraryType type);
CERES_EXPORT bool StringToSparseLinearAlgebraLibraryType(
    std::string value, SparseLinearAlgebraLibraryType* type);

CERES_EXPORT const char* LinearSolverOrderingTypeToString(
    LinearSolverOrderingType type);
CERES_EXPORT bool StringToLinearSolverOrderingType(
    std::string value, LinearSolverOrderingType* type);

CERES_EXPORT const char* DenseLinearAlgebraLibraryTypeToString(
    DenseLinearAlgebraLibraryType type);
CERES_EXPORT bool StringToDenseLinearAlgebraLibraryType(
    std::string value, DenseLinearAlgebraLibraryType* type);

CERES_EXPORT const char* TrustRegionStrategyTypeToString(
    TrustRegionStrategyType type);
CERES_EXPORT bool StringToTrustRegionStrategyType(
    std::string value, TrustRegionStrategyType* type);

CERES_EXPORT const char* DoglegTypeToString(DoglegType type);
CERES_EXPORT bool StringToDoglegType(std::string value, DoglegType* type);

CERES_EXPORT const char* MinimizerTypeToString(MinimizerType type);
CERES_EXPORT bool StringToMinimizerType(std::string value, MinimizerType* type);

CERES_EXPORT const char* LineSearchDirectionTypeToString(
    LineSearchDirectionType type);
CERES_EXPORT bool StringToLineSearchDirectionType(
    std::string value, LineSearchDirectionType* type);

CERES_EXPORT const char* LineSearchTypeToString(LineSearchType type);
CERES_EXPORT bool StringToLineSearchType(std::string value,
                                         LineSearchType* type);

CERES_EXPORT const char* NonlinearConjugateGradientTypeToString(
    NonlinearConjugateGradientType type);
CERES_EXPORT bool StringToNonlinearConjugateGradientType(
    std::string value, NonlinearConjugateGradientType* type);

CERES_EXPORT const char* LineSearchInterpolationTypeToString(
    LineSearchInterpolationType type);
CERES_EXPORT bool StringToLineSearchInterpolationType(
    std::string value, LineSearchInterpolationType* type);

CERES_EXPORT const char* CovarianceAlgorithmTypeToString(
    CovarianceAlgorithmType type);
CERES_EXPORT bool StringToCovarianceAlgorithmType(
    std::string value, CovarianceAlgorithmType* type);

CERES_EXPORT const char* NumericDiffMethodTypeToString(
    NumericDiffMethodType type);
CERES_EXPORT bool StringToNumericDiffMethodType(std::string value,
                                                NumericDiffMethodType* type);

CERES_EXPORT const char* LoggingTypeToString(LoggingType type);
CERES_EXPORT bool StringToLoggingType(std::string value, LoggingType* type);
// The spelling of Ceres 2.2 for the function above.
CERES_EXPORT bool StringtoLoggingType(std::string value, LoggingType* type);

CERES_EXPORT const char* DumpFormatTypeToString(DumpFormatType type);
CERES_EXPORT bool StringToDumpFormatType(std::string value,
                                         DumpFormatType* type);
// The spelling of Ceres 2.2 for the function above.
CERES_EXPORT bool StringtoDumpFormatType(std::string value,
                                         DumpFormatType* type);

CERES_EXPORT const char* TerminationTypeToString(TerminationType type);

// True for the solvers that eliminate a first group of parameter blocks:
// DENSE_SCHUR, SPARSE_SCHUR and ITERATIVE_SCHUR.
CERES_EXPORT bool IsSchurType(LinearSolverType type);

// Whether this build can factor with the given library. NO_SPARSE and EIGEN are
// always available. A value that is not an enumerator logs a warning and is
// not available.
CERES_EXPORT bool IsSparseLinearAlgebraLibraryTypeAvailable(
    SparseLinearAlgebraLibraryType type);
CERES_EXPORT bool IsDenseLinearAlgebraLibraryTypeAvailable(
    DenseLinearAlgebraLibraryType type);

}  // namespace ceres

#endif  // CERES_PUBLIC_TYPES_H_
