// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// The enumerations that name algorithms, libraries and outcomes, and their
// conversions to and from strings.
//
// All functions here are thread safe.

#ifndef CERES_PUBLIC_TYPES_H_
#define CERES_PUBLIC_TYPES_H_

#include <string>

#include "ceres/internal/export.h"
#include "ceres/internal/optional_glog.h"

namespace ceres {

// Says whether an object that receives a pointer deletes what it points to.
enum Ownership {
  // The caller deletes the object, after its last use.
  DO_NOT_TAKE_OWNERSHIP,
  // The receiver deletes the object. It must have been made by new.
  TAKE_OWNERSHIP,
};

// The algorithm that solves the linear least-squares problem of a trust-region
// step,
//   min_y |J y + r|^2 + |D y|^2,  or its normal equations
//   (J'J + D'D) y = -J'r.
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
  // Eliminates like DENSE_SCHUR and factors the Schur complement as a sparse
  // matrix.
  SPARSE_SCHUR,
  // Eliminates like DENSE_SCHUR and solves with the Schur complement by
  // preconditioned conjugate gradients.
  ITERATIVE_SCHUR,
  // Conjugate gradients on the normal equations, which are not formed.
  CGNR,
};

// The preconditioner M of the Krylov solvers (ITERATIVE_SCHUR and CGNR).
enum PreconditionerType {
  // M is the identity.
  IDENTITY,
  // M is the block diagonal of J'J + D'D. ITERATIVE_SCHUR: of what remains, and
  // blocks that always occur together are one block of up to 16 columns.
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
  // The rows of J are split into P and Q, and M = Q'Q + D'D. Q holds the
  // residual blocks that the user names in Solver::Options. CGNR only.
  SUBSET,
};

// The algorithm that clusters cameras for CLUSTER_JACOBI and
// CLUSTER_TRIDIAGONAL.
enum VisibilityClusteringType {
  // Simon, Snavely and Seitz, "Scene Summarization for Online Image
  // Collections", ICCV 2007.
  CANONICAL_VIEWS,
  // Single-linkage clustering of the visibility similarity. Faster.
  SINGLE_LINKAGE,
};

// How Solver::Options::jacobian_storage keeps the Jacobian between evaluations.
enum class JacobianStorage {
  // In double precision.
  DOUBLE,
  // Derivatives in single precision; residuals in double precision.
  FLOAT,
  // Not at all: residual blocks are evaluated again where a linear solver reads
  // the Jacobian.
  RECOMPUTE,
  // The first of the three, in this order, that the other options allow and for
  // which the process can have the memory.
  AUTO,
};

// The library that factors sparse matrices.
enum SparseLinearAlgebraLibraryType {
  // SuiteSparse, that is CHOLMOD.
  SUITE_SPARSE,
  // Eigen's simplicial Cholesky factorization.
  EIGEN_SPARSE,
  // Apple's Accelerate framework. No build of this library has it.
  ACCELERATE_SPARSE,
  // NVIDIA's cuDSS and cuSPARSE. No build of this library has them.
  CUDA_SPARSE,
  // No sparse factorization may be used.
  NO_SPARSE,
  // Vesta's own multifrontal Cholesky factorization. Every build has it, in
  // double and in float, and it uses as many threads as the solve. Not in
  // Ceres.
  NATIVE_SPARSE,
};

// The algorithm that permutes rows and columns so that a sparse factor stays
// sparse.
enum LinearSolverOrderingType {
  // Approximate minimum degree.
  AMD,
  // Nested dissection.
  NESDIS,
};

// The library that factors dense matrices.
enum DenseLinearAlgebraLibraryType {
  // Eigen, in every build.
  EIGEN,
  // The LAPACK that the library was built with.
  LAPACK,
  // NVIDIA's CUDA. No build of this library has it.
  CUDA,
};

// The amount of output of a solve.
enum LoggingType {
  // No progress table.
  SILENT,
  // One line of the progress table per iteration.
  PER_MINIMIZER_ITERATION,
};

// The kind of minimizer.
enum MinimizerType {
  // Chooses a direction, then a step size along it. Takes no bounds.
  LINE_SEARCH,
  // Minimizes a quadratic model of the cost within a region around the current
  // point.
  TRUST_REGION,
};

// The search direction of a line-search minimizer. Nocedal and Wright,
// "Numerical Optimization", 2nd edition, chapters 3, 5, 6 and 7.
enum LineSearchDirectionType {
  // The negative gradient.
  STEEPEST_DESCENT,
  // The negative gradient plus beta times the previous direction; see
  // NonlinearConjugateGradientType.
  NONLINEAR_CONJUGATE_GRADIENT,
  // BFGS from the last max_lbfgs_rank updates alone: O(n) memory for n
  // parameters.
  LBFGS,
  // BFGS with a dense approximation of the inverse Hessian: O(n^2) memory for n
  // parameters.
  BFGS,
};

// The coefficient beta of nonlinear conjugate gradients, from the gradient g,
// the gradient h before it, y = g - h, and the previous direction p. Nocedal
// and Wright, section 5.2.
enum NonlinearConjugateGradientType {
  // beta = g'g / h'h.
  FLETCHER_REEVES,
  // beta = max(0, g'y / h'h).
  POLAK_RIBIERE,
  // beta = max(0, g'y / p'y).
  HESTENES_STIEFEL,
};

// The condition under which a line search accepts a step.
enum LineSearchType {
  // Sufficient decrease, found by backtracking.
  ARMIJO,
  // The strong Wolfe conditions, found by bracketing and zooming. Nocedal and
  // Wright, algorithms 3.5 and 3.6.
  WOLFE,
};

// The algorithm that computes the step of a trust-region minimizer.
enum TrustRegionStrategyType {
  // Damps the normal equations by diag(J'J) / radius.
  LEVENBERG_MARQUARDT,
  // Combines the Cauchy point and the Gauss-Newton step; see DoglegType.
  DOGLEG,
};

// The set of points that DOGLEG minimizes over.
enum DoglegType {
  // The path from the Cauchy point to the Gauss-Newton step. Powell 1970.
  TRADITIONAL_DOGLEG,
  // The plane that both points span. Byrd, Schnabel and Shultz 1988. Needs more
  // work per step and usually fewer steps.
  SUBSPACE_DOGLEG,
};

// The reason why a solve ended. The user's parameter blocks hold the result
// after CONVERGENCE, NO_CONVERGENCE and USER_SUCCESS, and their starting values
// after FAILURE and USER_FAILURE.
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
  // No point near meets all constraints (Problem::AddEqualityConstraint): the
  // parameter blocks receive the point of least violation.
  INFEASIBLE,
};

// The answer of an IterationCallback to the solver.
enum CallbackReturnType {
  // Continue with the next iteration.
  SOLVER_CONTINUE,
  // End with USER_FAILURE. The parameter blocks keep their starting values.
  SOLVER_ABORT,
  // End with USER_SUCCESS. The parameter blocks receive the current values.
  SOLVER_TERMINATE_SUCCESSFULLY,
};

// The place where the linear least-squares problems of a solve are written for
// debugging; see Solver::Options::trust_region_minimizer_iterations_to_dump.
enum DumpFormatType {
  // Dense matrices to stderr.
  CONSOLE,
  // Text files that Octave and MATLAB can load.
  TEXTFILE,
};

// Marks a size that is known at run time only.
enum DimensionType {
  // Equals Eigen::Dynamic.
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

// The rule by which a line search finds the next trial step size from known
// values and slopes.
enum LineSearchInterpolationType {
  // The middle of the interval. Uses no values.
  BISECTION,
  // The minimum of a quadratic polynomial.
  QUADRATIC,
  // The minimum of a cubic polynomial.
  CUBIC,
};

// The algorithm of Covariance.
enum CovarianceAlgorithmType {
  // Uses the singular values of the dense Jacobian, which may be rank
  // deficient. For small problems.
  DENSE_SVD,
  // Uses a sparse QR factorization of the Jacobian, which must have full rank.
  SPARSE_QR,
  // Uses a sparse Cholesky factorization of J'J if its pivots show that the
  // result is accurate; otherwise SPARSE_QR. Not in Ceres.
  SPARSE_CHOLESKY,
};

// The solver fills every output of user code with this value before the call.
// Entries that still have it afterwards were not written, which is an error.
inline constexpr double kImpossibleValue = 1e302;

// Conversions of enumerators. XToString(value) returns the enumerator's
// spelling, a string with static storage, or "UNKNOWN" for a value that is not
// an enumerator. StringToX(name, &value) ignores case; it returns false and
// leaves `value` untouched if no enumerator has that name.
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
CERES_EXPORT const char* JacobianStorageToString(JacobianStorage storage);
CERES_EXPORT bool StringToJacobianStorage(std::string value,
                                          JacobianStorage* storage);
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
// StringToLoggingType under the spelling of Ceres 2.2.
CERES_EXPORT bool StringtoLoggingType(std::string value, LoggingType* type);

// Conversions of DumpFormatType; see LinearSolverTypeToString.
CERES_EXPORT const char* DumpFormatTypeToString(DumpFormatType type);
CERES_EXPORT bool StringToDumpFormatType(std::string value,
                                         DumpFormatType* type);
// StringToDumpFormatType under the spelling of Ceres 2.2.
CERES_EXPORT bool StringtoDumpFormatType(std::string value,
                                         DumpFormatType* type);

// The enumerator's spelling; see LinearSolverTypeToString.
CERES_EXPORT const char* TerminationTypeToString(TerminationType type);

// Returns true for the solvers that eliminate a first group of parameter
// blocks: DENSE_SCHUR, SPARSE_SCHUR and ITERATIVE_SCHUR.
CERES_EXPORT bool IsSchurType(LinearSolverType type);

// Returns whether this build can factor with the given library. NO_SPARSE and
// EIGEN are always available. For a value that is not an enumerator it logs a
// warning and returns false.
CERES_EXPORT bool IsSparseLinearAlgebraLibraryTypeAvailable(
    SparseLinearAlgebraLibraryType type);
CERES_EXPORT bool IsDenseLinearAlgebraLibraryTypeAvailable(
    DenseLinearAlgebraLibraryType type);

}  // namespace ceres

#endif  // CERES_PUBLIC_TYPES_H_
