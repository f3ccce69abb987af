// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/types.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <string>
#include <utility>

#include "ceres/internal/config.h"
#include "ceres/logging/logging.h"

namespace ceres {
namespace {

#ifdef CERES_NO_SUITESPARSE
constexpr bool kHasSuiteSparse = false;
#else
constexpr bool kHasSuiteSparse = true;
#endif

#ifdef CERES_USE_EIGEN_SPARSE
constexpr bool kHasEigenSparse = true;
#else
constexpr bool kHasEigenSparse = false;
#endif

#ifdef CERES_NO_LAPACK
constexpr bool kHasLapack = false;
#else
constexpr bool kHasLapack = true;
#endif

// The names of the enumerators of each type: element i is that of value i.

constexpr const char* kLinearSolverTypes[] = {"DENSE_NORMAL_CHOLESKY",
                                              "DENSE_QR",
                                              "SPARSE_NORMAL_CHOLESKY",
                                              "DENSE_SCHUR",
                                              "SPARSE_SCHUR",
                                              "ITERATIVE_SCHUR",
                                              "CGNR"};
constexpr const char* kPreconditionerTypes[] = {
    "IDENTITY",       "JACOBI",
    "SCHUR_JACOBI",   "SCHUR_POWER_SERIES_EXPANSION",
    "CLUSTER_JACOBI", "CLUSTER_TRIDIAGONAL",
    "SUBSET"};
constexpr const char* kVisibilityClusteringTypes[] = {"CANONICAL_VIEWS",
                                                      "SINGLE_LINKAGE"};
constexpr const char* kJacobianStorages[] = {"DOUBLE", "FLOAT", "RECOMPUTE",
                                             "AUTO"};
constexpr const char* kSparseLinearAlgebraLibraryTypes[] = {
    "SUITE_SPARSE", "EIGEN_SPARSE", "ACCELERATE_SPARSE",
    "CUDA_SPARSE",  "NO_SPARSE",    "NATIVE_SPARSE"};
constexpr const char* kLinearSolverOrderingTypes[] = {"AMD", "NESDIS"};
constexpr const char* kDenseLinearAlgebraLibraryTypes[] = {"EIGEN", "LAPACK",
                                                           "CUDA"};
constexpr const char* kLoggingTypes[] = {"SILENT", "PER_MINIMIZER_ITERATION"};
constexpr const char* kMinimizerTypes[] = {"LINE_SEARCH", "TRUST_REGION"};
constexpr const char* kLineSearchDirectionTypes[] = {
    "STEEPEST_DESCENT", "NONLINEAR_CONJUGATE_GRADIENT", "LBFGS", "BFGS"};
constexpr const char* kNonlinearConjugateGradientTypes[] = {
    "FLETCHER_REEVES", "POLAK_RIBIERE", "HESTENES_STIEFEL"};
constexpr const char* kLineSearchTypes[] = {"ARMIJO", "WOLFE"};
constexpr const char* kTrustRegionStrategyTypes[] = {"LEVENBERG_MARQUARDT",
                                                     "DOGLEG"};
constexpr const char* kDoglegTypes[] = {"TRADITIONAL_DOGLEG",
                                        "SUBSPACE_DOGLEG"};
constexpr const char* kTerminationTypes[] = {"CONVERGENCE",  "NO_CONVERGENCE",
                                             "FAILURE",      "USER_SUCCESS",
                                             "USER_FAILURE", "INFEASIBLE"};
constexpr const char* kDumpFormatTypes[] = {"CONSOLE", "TEXTFILE"};
constexpr const char* kNumericDiffMethodTypes[] = {"CENTRAL", "FORWARD",
                                                   "RIDDERS"};
constexpr const char* kLineSearchInterpolationTypes[] = {"BISECTION",
                                                         "QUADRATIC", "CUBIC"};
constexpr const char* kCovarianceAlgorithmTypes[] = {"DENSE_SVD", "SPARSE_QR",
                                                     "SPARSE_CHOLESKY"};

template <typename Enum, std::size_t N>
const char* NameOf(const char* const (&names)[N], Enum value) {
  const auto i = static_cast<std::size_t>(value);
  return i < N ? names[i] : "UNKNOWN";
}

template <typename Enum, std::size_t N>
bool ValueOf(const char* const (&names)[N], std::string name, Enum* value) {
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) {
    return static_cast<char>(std::toupper(c));
  });
  const auto* const it = std::find(names, names + N, name);
  if (it == names + N) return false;
  *value = static_cast<Enum>(it - names);
  return true;
}

}  // namespace

const char* LinearSolverTypeToString(LinearSolverType type) {
  return NameOf(kLinearSolverTypes, type);
}

bool StringToLinearSolverType(std::string value, LinearSolverType* type) {
  return ValueOf(kLinearSolverTypes, std::move(value), type);
}

const char* PreconditionerTypeToString(PreconditionerType type) {
  return NameOf(kPreconditionerTypes, type);
}

bool StringToPreconditionerType(std::string value, PreconditionerType* type) {
  return ValueOf(kPreconditionerTypes, std::move(value), type);
}

const char* VisibilityClusteringTypeToString(VisibilityClusteringType type) {
  return NameOf(kVisibilityClusteringTypes, type);
}

bool StringToVisibilityClusteringType(std::string value,
                                      VisibilityClusteringType* type) {
  return ValueOf(kVisibilityClusteringTypes, std::move(value), type);
}

const char* JacobianStorageToString(JacobianStorage storage) {
  return NameOf(kJacobianStorages, storage);
}

bool StringToJacobianStorage(std::string value, JacobianStorage* storage) {
  return ValueOf(kJacobianStorages, std::move(value), storage);
}

const char* SparseLinearAlgebraLibraryTypeToString(
    SparseLinearAlgebraLibraryType type) {
  return NameOf(kSparseLinearAlgebraLibraryTypes, type);
}

bool StringToSparseLinearAlgebraLibraryType(
    std::string value, SparseLinearAlgebraLibraryType* type) {
  return ValueOf(kSparseLinearAlgebraLibraryTypes, std::move(value), type);
}

const char* LinearSolverOrderingTypeToString(LinearSolverOrderingType type) {
  return NameOf(kLinearSolverOrderingTypes, type);
}

bool StringToLinearSolverOrderingType(std::string value,
                                      LinearSolverOrderingType* type) {
  return ValueOf(kLinearSolverOrderingTypes, std::move(value), type);
}

const char* DenseLinearAlgebraLibraryTypeToString(
    DenseLinearAlgebraLibraryType type) {
  return NameOf(kDenseLinearAlgebraLibraryTypes, type);
}

bool StringToDenseLinearAlgebraLibraryType(
    std::string value, DenseLinearAlgebraLibraryType* type) {
  return ValueOf(kDenseLinearAlgebraLibraryTypes, std::move(value), type);
}

const char* TrustRegionStrategyTypeToString(TrustRegionStrategyType type) {
  return NameOf(kTrustRegionStrategyTypes, type);
}

bool StringToTrustRegionStrategyType(std::string value,
                                     TrustRegionStrategyType* type) {
  return ValueOf(kTrustRegionStrategyTypes, std::move(value), type);
}

const char* DoglegTypeToString(DoglegType type) {
  return NameOf(kDoglegTypes, type);
}

bool StringToDoglegType(std::string value, DoglegType* type) {
  return ValueOf(kDoglegTypes, std::move(value), type);
}

const char* MinimizerTypeToString(MinimizerType type) {
  return NameOf(kMinimizerTypes, type);
}

bool StringToMinimizerType(std::string value, MinimizerType* type) {
  return ValueOf(kMinimizerTypes, std::move(value), type);
}

const char* LineSearchDirectionTypeToString(LineSearchDirectionType type) {
  return NameOf(kLineSearchDirectionTypes, type);
}

bool StringToLineSearchDirectionType(std::string value,
                                     LineSearchDirectionType* type) {
  return ValueOf(kLineSearchDirectionTypes, std::move(value), type);
}

const char* LineSearchTypeToString(LineSearchType type) {
  return NameOf(kLineSearchTypes, type);
}

bool StringToLineSearchType(std::string value, LineSearchType* type) {
  return ValueOf(kLineSearchTypes, std::move(value), type);
}

const char* NonlinearConjugateGradientTypeToString(
    NonlinearConjugateGradientType type) {
  return NameOf(kNonlinearConjugateGradientTypes, type);
}

bool StringToNonlinearConjugateGradientType(
    std::string value, NonlinearConjugateGradientType* type) {
  return ValueOf(kNonlinearConjugateGradientTypes, std::move(value), type);
}

const char* LineSearchInterpolationTypeToString(
    LineSearchInterpolationType type) {
  return NameOf(kLineSearchInterpolationTypes, type);
}

bool StringToLineSearchInterpolationType(std::string value,
                                         LineSearchInterpolationType* type) {
  return ValueOf(kLineSearchInterpolationTypes, std::move(value), type);
}

const char* CovarianceAlgorithmTypeToString(CovarianceAlgorithmType type) {
  return NameOf(kCovarianceAlgorithmTypes, type);
}

bool StringToCovarianceAlgorithmType(std::string value,
                                     CovarianceAlgorithmType* type) {
  return ValueOf(kCovarianceAlgorithmTypes, std::move(value), type);
}

const char* NumericDiffMethodTypeToString(NumericDiffMethodType type) {
  return NameOf(kNumericDiffMethodTypes, type);
}

bool StringToNumericDiffMethodType(std::string value,
                                   NumericDiffMethodType* type) {
  return ValueOf(kNumericDiffMethodTypes, std::move(value), type);
}

const char* LoggingTypeToString(LoggingType type) {
  return NameOf(kLoggingTypes, type);
}

bool StringToLoggingType(std::string value, LoggingType* type) {
  return ValueOf(kLoggingTypes, std::move(value), type);
}

bool StringtoLoggingType(std::string value, LoggingType* type) {
  return StringToLoggingType(std::move(value), type);
}

const char* DumpFormatTypeToString(DumpFormatType type) {
  return NameOf(kDumpFormatTypes, type);
}

bool StringToDumpFormatType(std::string value, DumpFormatType* type) {
  return ValueOf(kDumpFormatTypes, std::move(value), type);
}

bool StringtoDumpFormatType(std::string value, DumpFormatType* type) {
  return StringToDumpFormatType(std::move(value), type);
}

const char* TerminationTypeToString(TerminationType type) {
  return NameOf(kTerminationTypes, type);
}

bool IsSchurType(LinearSolverType type) {
  return type == DENSE_SCHUR || type == SPARSE_SCHUR || type == ITERATIVE_SCHUR;
}

bool IsSparseLinearAlgebraLibraryTypeAvailable(
    SparseLinearAlgebraLibraryType type) {
  switch (type) {
    case SUITE_SPARSE:
      return kHasSuiteSparse;
    case EIGEN_SPARSE:
      return kHasEigenSparse;
    case ACCELERATE_SPARSE:
    case CUDA_SPARSE:
      return false;
    case NO_SPARSE:
    case NATIVE_SPARSE:
      return true;
  }
  VESTA_LOG(kWarning) << "Unknown sparse linear algebra library type: "
                      << static_cast<int>(type);
  return false;
}

bool IsDenseLinearAlgebraLibraryTypeAvailable(
    DenseLinearAlgebraLibraryType type) {
  switch (type) {
    case EIGEN:
      return true;
    case LAPACK:
      return kHasLapack;
    case CUDA:
      return false;
  }
  VESTA_LOG(kWarning) << "Unknown dense linear algebra library type: "
                      << static_cast<int>(type);
  return false;
}

}  // namespace ceres
