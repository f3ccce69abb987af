// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include <string>
#include <type_traits>

#include "ceres/constants.h"
#include "ceres/types.h"
#include "ceres/version.h"
#include "gtest/gtest.h"
#include "of_type.h"

namespace ceres {
namespace {

TEST(TypesH, EnumeratorsHaveTheDocumentedValues) {
  static_assert(DO_NOT_TAKE_OWNERSHIP == static_cast<Ownership>(0));
  static_assert(TAKE_OWNERSHIP == static_cast<Ownership>(1));
  static_assert(DENSE_NORMAL_CHOLESKY == static_cast<LinearSolverType>(0));
  static_assert(DENSE_QR == static_cast<LinearSolverType>(1));
  static_assert(SPARSE_NORMAL_CHOLESKY == static_cast<LinearSolverType>(2));
  static_assert(DENSE_SCHUR == static_cast<LinearSolverType>(3));
  static_assert(SPARSE_SCHUR == static_cast<LinearSolverType>(4));
  static_assert(ITERATIVE_SCHUR == static_cast<LinearSolverType>(5));
  static_assert(CGNR == static_cast<LinearSolverType>(6));
  static_assert(IDENTITY == static_cast<PreconditionerType>(0));
  static_assert(JACOBI == static_cast<PreconditionerType>(1));
  static_assert(SCHUR_JACOBI == static_cast<PreconditionerType>(2));
  static_assert(SCHUR_POWER_SERIES_EXPANSION ==
                static_cast<PreconditionerType>(3));
  static_assert(CLUSTER_JACOBI == static_cast<PreconditionerType>(4));
  static_assert(CLUSTER_TRIDIAGONAL == static_cast<PreconditionerType>(5));
  static_assert(SUBSET == static_cast<PreconditionerType>(6));
  static_assert(CANONICAL_VIEWS == static_cast<VisibilityClusteringType>(0));
  static_assert(SINGLE_LINKAGE == static_cast<VisibilityClusteringType>(1));
  static_assert(SUITE_SPARSE == static_cast<SparseLinearAlgebraLibraryType>(0));
  static_assert(EIGEN_SPARSE == static_cast<SparseLinearAlgebraLibraryType>(1));
  static_assert(ACCELERATE_SPARSE ==
                static_cast<SparseLinearAlgebraLibraryType>(2));
  static_assert(CUDA_SPARSE == static_cast<SparseLinearAlgebraLibraryType>(3));
  static_assert(NO_SPARSE == static_cast<SparseLinearAlgebraLibraryType>(4));
  static_assert(NATIVE_SPARSE ==
                static_cast<SparseLinearAlgebraLibraryType>(5));
  static_assert(AMD == static_cast<LinearSolverOrderingType>(0));
  static_assert(NESDIS == static_cast<LinearSolverOrderingType>(1));
  static_assert(EIGEN == static_cast<DenseLinearAlgebraLibraryType>(0));
  static_assert(LAPACK == static_cast<DenseLinearAlgebraLibraryType>(1));
  static_assert(CUDA == static_cast<DenseLinearAlgebraLibraryType>(2));
  static_assert(SILENT == static_cast<LoggingType>(0));
  static_assert(PER_MINIMIZER_ITERATION == static_cast<LoggingType>(1));
  static_assert(LINE_SEARCH == static_cast<MinimizerType>(0));
  static_assert(TRUST_REGION == static_cast<MinimizerType>(1));
  static_assert(STEEPEST_DESCENT == static_cast<LineSearchDirectionType>(0));
  static_assert(NONLINEAR_CONJUGATE_GRADIENT ==
                static_cast<LineSearchDirectionType>(1));
  static_assert(LBFGS == static_cast<LineSearchDirectionType>(2));
  static_assert(BFGS == static_cast<LineSearchDirectionType>(3));
  static_assert(FLETCHER_REEVES ==
                static_cast<NonlinearConjugateGradientType>(0));
  static_assert(POLAK_RIBIERE ==
                static_cast<NonlinearConjugateGradientType>(1));
  static_assert(HESTENES_STIEFEL ==
                static_cast<NonlinearConjugateGradientType>(2));
  static_assert(ARMIJO == static_cast<LineSearchType>(0));
  static_assert(WOLFE == static_cast<LineSearchType>(1));
  static_assert(LEVENBERG_MARQUARDT == static_cast<TrustRegionStrategyType>(0));
  static_assert(DOGLEG == static_cast<TrustRegionStrategyType>(1));
  static_assert(TRADITIONAL_DOGLEG == static_cast<DoglegType>(0));
  static_assert(SUBSPACE_DOGLEG == static_cast<DoglegType>(1));
  static_assert(CONVERGENCE == static_cast<TerminationType>(0));
  static_assert(NO_CONVERGENCE == static_cast<TerminationType>(1));
  static_assert(FAILURE == static_cast<TerminationType>(2));
  static_assert(USER_SUCCESS == static_cast<TerminationType>(3));
  static_assert(USER_FAILURE == static_cast<TerminationType>(4));
  static_assert(SOLVER_CONTINUE == static_cast<CallbackReturnType>(0));
  static_assert(SOLVER_ABORT == static_cast<CallbackReturnType>(1));
  static_assert(SOLVER_TERMINATE_SUCCESSFULLY ==
                static_cast<CallbackReturnType>(2));
  static_assert(CONSOLE == static_cast<DumpFormatType>(0));
  static_assert(TEXTFILE == static_cast<DumpFormatType>(1));
  static_assert(CENTRAL == static_cast<NumericDiffMethodType>(0));
  static_assert(FORWARD == static_cast<NumericDiffMethodType>(1));
  static_assert(RIDDERS == static_cast<NumericDiffMethodType>(2));
  static_assert(BISECTION == static_cast<LineSearchInterpolationType>(0));
  static_assert(QUADRATIC == static_cast<LineSearchInterpolationType>(1));
  static_assert(CUBIC == static_cast<LineSearchInterpolationType>(2));
  static_assert(DENSE_SVD == static_cast<CovarianceAlgorithmType>(0));
  static_assert(SPARSE_QR == static_cast<CovarianceAlgorithmType>(1));
  static_assert(std::is_enum_v<DimensionType> && DYNAMIC == -1);
}

template <typename Enum>
void ExpectRoundTrip(Enum value, const std::string& name,
                     const char* (*to_string)(Enum),
                     bool (*from_string)(std::string, Enum*)) {
  EXPECT_EQ(to_string(value), name);
  Enum parsed{};
  EXPECT_TRUE(from_string(name, &parsed));
  EXPECT_EQ(parsed, value);
}

TEST(TypesH, EnumeratorsHaveNames) {
  ExpectRoundTrip(CGNR, "CGNR", LinearSolverTypeToString,
                  StringToLinearSolverType);
  ExpectRoundTrip(SUBSET, "SUBSET", PreconditionerTypeToString,
                  StringToPreconditionerType);
  ExpectRoundTrip(SINGLE_LINKAGE, "SINGLE_LINKAGE",
                  VisibilityClusteringTypeToString,
                  StringToVisibilityClusteringType);
  ExpectRoundTrip(NO_SPARSE, "NO_SPARSE",
                  SparseLinearAlgebraLibraryTypeToString,
                  StringToSparseLinearAlgebraLibraryType);
  ExpectRoundTrip(NESDIS, "NESDIS", LinearSolverOrderingTypeToString,
                  StringToLinearSolverOrderingType);
  ExpectRoundTrip(CUDA, "CUDA", DenseLinearAlgebraLibraryTypeToString,
                  StringToDenseLinearAlgebraLibraryType);
  ExpectRoundTrip(PER_MINIMIZER_ITERATION, "PER_MINIMIZER_ITERATION",
                  LoggingTypeToString, StringToLoggingType);
  ExpectRoundTrip(PER_MINIMIZER_ITERATION, "PER_MINIMIZER_ITERATION",
                  LoggingTypeToString, StringtoLoggingType);
  ExpectRoundTrip(TRUST_REGION, "TRUST_REGION", MinimizerTypeToString,
                  StringToMinimizerType);
  ExpectRoundTrip(BFGS, "BFGS", LineSearchDirectionTypeToString,
                  StringToLineSearchDirectionType);
  ExpectRoundTrip(HESTENES_STIEFEL, "HESTENES_STIEFEL",
                  NonlinearConjugateGradientTypeToString,
                  StringToNonlinearConjugateGradientType);
  ExpectRoundTrip(WOLFE, "WOLFE", LineSearchTypeToString,
                  StringToLineSearchType);
  ExpectRoundTrip(DOGLEG, "DOGLEG", TrustRegionStrategyTypeToString,
                  StringToTrustRegionStrategyType);
  ExpectRoundTrip(SUBSPACE_DOGLEG, "SUBSPACE_DOGLEG", DoglegTypeToString,
                  StringToDoglegType);
  EXPECT_STREQ(TerminationTypeToString(USER_FAILURE), "USER_FAILURE");
  ExpectRoundTrip(TEXTFILE, "TEXTFILE", DumpFormatTypeToString,
                  StringToDumpFormatType);
  ExpectRoundTrip(TEXTFILE, "TEXTFILE", DumpFormatTypeToString,
                  StringtoDumpFormatType);
  ExpectRoundTrip(RIDDERS, "RIDDERS", NumericDiffMethodTypeToString,
                  StringToNumericDiffMethodType);
  ExpectRoundTrip(CUBIC, "CUBIC", LineSearchInterpolationTypeToString,
                  StringToLineSearchInterpolationType);
  ExpectRoundTrip(SPARSE_QR, "SPARSE_QR", CovarianceAlgorithmTypeToString,
                  StringToCovarianceAlgorithmType);
  ExpectRoundTrip(SPARSE_CHOLESKY, "SPARSE_CHOLESKY",
                  CovarianceAlgorithmTypeToString,
                  StringToCovarianceAlgorithmType);
}

TEST(TypesH, TellsWhatIsAvailable) {
  EXPECT_TRUE(IsSchurType(ITERATIVE_SCHUR));
  EXPECT_FALSE(IsSchurType(CGNR));
  EXPECT_TRUE(IsSparseLinearAlgebraLibraryTypeAvailable(NO_SPARSE));
  EXPECT_TRUE(IsDenseLinearAlgebraLibraryTypeAvailable(EIGEN));
  EXPECT_EQ(kImpossibleValue, OfType<double>{1e302});
}

TEST(ConstantsH, HasPi) {
  static_assert(constants::pi == 3.14159265358979323846);
  static_assert(constants::pi_v<float> == 3.14159265f);
}

TEST(VersionH, IsThatOfTheApi) {
  static_assert(CERES_VERSION_MAJOR == 2);
  static_assert(CERES_VERSION_MINOR >= 2);
  static_assert(CERES_VERSION_REVISION >= 0);
  EXPECT_STREQ(CERES_TO_STRING(CERES_VERSION_MAJOR), "2");
  EXPECT_STREQ(CERES_TO_STRING_HELPER(CERES_VERSION_MAJOR),
               "CERES_VERSION_MAJOR");
  EXPECT_STREQ(CERES_SEMVER_VERSION(1, 2, 3), "1.2.3");
  EXPECT_EQ(std::string(CERES_VERSION_STRING).find("2."), 0u);
}

}  // namespace
}  // namespace ceres
