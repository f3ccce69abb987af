// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include <cctype>
#include <cstddef>
#include <set>
#include <sstream>
#include <string>
#include <type_traits>
#include <vector>

#include "ceres/constants.h"
#include "ceres/internal/config.h"
#include "ceres/types.h"
#include "ceres/version.h"
#include "gtest/gtest.h"
#include "of_type.h"

namespace ceres {
namespace {

// The enumerators themselves, and as one string.
#define ENUMERATORS(...) {__VA_ARGS__}, #__VA_ARGS__

// The enumerators are 0, 1, 2, ..., and the value after them is unknown.
template <typename Enum>
void ExpectNames(const std::vector<Enum>& enumerators,
                 const std::string& spelled, const char* (*to_string)(Enum)) {
  std::istringstream names(spelled);
  for (std::size_t i = 0; i < enumerators.size(); ++i) {
    EXPECT_EQ(enumerators[i], static_cast<Enum>(i));
    std::string name;
    std::getline(names >> std::ws, name, ',');
    EXPECT_EQ(to_string(enumerators[i]), name);
  }
  EXPECT_STREQ(to_string(static_cast<Enum>(enumerators.size())), "UNKNOWN");
}

// As above, and names in any case map back to the enumerators.
template <typename Enum>
void ExpectRoundTrip(const std::vector<Enum>& enumerators,
                     const std::string& spelled, const char* (*to_string)(Enum),
                     bool (*from_string)(std::string, Enum*)) {
  ExpectNames(enumerators, spelled, to_string);
  for (const Enum value : enumerators) {
    const std::string name = to_string(value);
    std::string lower_case = name;
    for (char& c : lower_case) c = std::tolower(static_cast<unsigned char>(c));
    for (const std::string& spelling : {name, lower_case}) {
      Enum parsed = static_cast<Enum>(enumerators.size());
      EXPECT_TRUE(from_string(spelling, &parsed)) << spelling;
      EXPECT_EQ(parsed, value) << spelling;
    }
  }
  Enum untouched = enumerators.back();
  for (const char* const unknown : {"UNKNOWN", "", "CGNR ", "AMD,"}) {
    EXPECT_FALSE(from_string(unknown, &untouched)) << unknown;
  }
  EXPECT_EQ(untouched, enumerators.back());
}

TEST(TypesH, EnumeratorsHaveTheDocumentedValuesAndNames) {
  ExpectRoundTrip<LinearSolverType>(
      ENUMERATORS(DENSE_NORMAL_CHOLESKY, DENSE_QR, SPARSE_NORMAL_CHOLESKY,
                  DENSE_SCHUR, SPARSE_SCHUR, ITERATIVE_SCHUR, CGNR),
      LinearSolverTypeToString, StringToLinearSolverType);
  ExpectRoundTrip<PreconditionerType>(
      ENUMERATORS(IDENTITY, JACOBI, SCHUR_JACOBI, SCHUR_POWER_SERIES_EXPANSION,
                  CLUSTER_JACOBI, CLUSTER_TRIDIAGONAL, SUBSET),
      PreconditionerTypeToString, StringToPreconditionerType);
  ExpectRoundTrip<VisibilityClusteringType>(
      ENUMERATORS(CANONICAL_VIEWS, SINGLE_LINKAGE),
      VisibilityClusteringTypeToString, StringToVisibilityClusteringType);
  ExpectRoundTrip<JacobianStorage>(
      {JacobianStorage::DOUBLE, JacobianStorage::FLOAT,
       JacobianStorage::RECOMPUTE, JacobianStorage::AUTO},
      "DOUBLE, FLOAT, RECOMPUTE, AUTO", JacobianStorageToString,
      StringToJacobianStorage);
  ExpectRoundTrip<SparseLinearAlgebraLibraryType>(
      ENUMERATORS(SUITE_SPARSE, EIGEN_SPARSE, ACCELERATE_SPARSE, CUDA_SPARSE,
                  NO_SPARSE, NATIVE_SPARSE),
      SparseLinearAlgebraLibraryTypeToString,
      StringToSparseLinearAlgebraLibraryType);
  ExpectRoundTrip<LinearSolverOrderingType>(ENUMERATORS(AMD, NESDIS),
                                            LinearSolverOrderingTypeToString,
                                            StringToLinearSolverOrderingType);
  ExpectRoundTrip<DenseLinearAlgebraLibraryType>(
      ENUMERATORS(EIGEN, LAPACK, CUDA), DenseLinearAlgebraLibraryTypeToString,
      StringToDenseLinearAlgebraLibraryType);
  ExpectRoundTrip<LoggingType>(ENUMERATORS(SILENT, PER_MINIMIZER_ITERATION),
                               LoggingTypeToString, StringToLoggingType);
  ExpectRoundTrip<MinimizerType>(ENUMERATORS(LINE_SEARCH, TRUST_REGION),
                                 MinimizerTypeToString, StringToMinimizerType);
  ExpectRoundTrip<LineSearchDirectionType>(
      ENUMERATORS(STEEPEST_DESCENT, NONLINEAR_CONJUGATE_GRADIENT, LBFGS, BFGS),
      LineSearchDirectionTypeToString, StringToLineSearchDirectionType);
  ExpectRoundTrip<NonlinearConjugateGradientType>(
      ENUMERATORS(FLETCHER_REEVES, POLAK_RIBIERE, HESTENES_STIEFEL),
      NonlinearConjugateGradientTypeToString,
      StringToNonlinearConjugateGradientType);
  ExpectRoundTrip<LineSearchType>(ENUMERATORS(ARMIJO, WOLFE),
                                  LineSearchTypeToString,
                                  StringToLineSearchType);
  ExpectRoundTrip<TrustRegionStrategyType>(
      ENUMERATORS(LEVENBERG_MARQUARDT, DOGLEG), TrustRegionStrategyTypeToString,
      StringToTrustRegionStrategyType);
  ExpectRoundTrip<DoglegType>(ENUMERATORS(TRADITIONAL_DOGLEG, SUBSPACE_DOGLEG),
                              DoglegTypeToString, StringToDoglegType);
  ExpectNames<TerminationType>(
      ENUMERATORS(CONVERGENCE, NO_CONVERGENCE, FAILURE, USER_SUCCESS,
                  USER_FAILURE, INFEASIBLE),
      TerminationTypeToString);
  ExpectRoundTrip<DumpFormatType>(ENUMERATORS(CONSOLE, TEXTFILE),
                                  DumpFormatTypeToString,
                                  StringToDumpFormatType);
  ExpectRoundTrip<NumericDiffMethodType>(ENUMERATORS(CENTRAL, FORWARD, RIDDERS),
                                         NumericDiffMethodTypeToString,
                                         StringToNumericDiffMethodType);
  ExpectRoundTrip<LineSearchInterpolationType>(
      ENUMERATORS(BISECTION, QUADRATIC, CUBIC),
      LineSearchInterpolationTypeToString, StringToLineSearchInterpolationType);
  ExpectRoundTrip<CovarianceAlgorithmType>(
      ENUMERATORS(DENSE_SVD, SPARSE_QR, SPARSE_CHOLESKY),
      CovarianceAlgorithmTypeToString, StringToCovarianceAlgorithmType);
  // Former names of functions.
  LoggingType logging_type = SILENT;
  EXPECT_TRUE(StringtoLoggingType("PER_MINIMIZER_ITERATION", &logging_type));
  EXPECT_EQ(logging_type, PER_MINIMIZER_ITERATION);
  DumpFormatType dump_format_type = CONSOLE;
  EXPECT_TRUE(StringtoDumpFormatType("TEXTFILE", &dump_format_type));
  EXPECT_EQ(dump_format_type, TEXTFILE);

  static_assert(DO_NOT_TAKE_OWNERSHIP == static_cast<Ownership>(0));
  static_assert(TAKE_OWNERSHIP == static_cast<Ownership>(1));
  static_assert(SOLVER_CONTINUE == static_cast<CallbackReturnType>(0));
  static_assert(SOLVER_ABORT == static_cast<CallbackReturnType>(1));
  static_assert(SOLVER_TERMINATE_SUCCESSFULLY ==
                static_cast<CallbackReturnType>(2));
  static_assert(std::is_enum_v<DimensionType> && DYNAMIC == -1);
}

TEST(TypesH, SchurTypesEliminateAGroup) {
  const std::set<int> schur_types = {DENSE_SCHUR, SPARSE_SCHUR,
                                     ITERATIVE_SCHUR};
  for (int i = DENSE_NORMAL_CHOLESKY; i <= CGNR; ++i) {
    EXPECT_EQ(IsSchurType(static_cast<LinearSolverType>(i)),
              schur_types.count(i) == 1)
        << i;
  }
}

TEST(TypesH, LibrariesAreAvailableAsBuilt) {
  EXPECT_TRUE(IsSparseLinearAlgebraLibraryTypeAvailable(NO_SPARSE));
  EXPECT_FALSE(IsSparseLinearAlgebraLibraryTypeAvailable(CUDA_SPARSE));
  EXPECT_FALSE(IsSparseLinearAlgebraLibraryTypeAvailable(ACCELERATE_SPARSE));
  EXPECT_FALSE(IsSparseLinearAlgebraLibraryTypeAvailable(
      static_cast<SparseLinearAlgebraLibraryType>(6)));
  EXPECT_TRUE(IsSparseLinearAlgebraLibraryTypeAvailable(NATIVE_SPARSE));
#ifdef CERES_NO_SUITESPARSE
  EXPECT_FALSE(IsSparseLinearAlgebraLibraryTypeAvailable(SUITE_SPARSE));
#else
  EXPECT_TRUE(IsSparseLinearAlgebraLibraryTypeAvailable(SUITE_SPARSE));
#endif
#ifdef CERES_USE_EIGEN_SPARSE
  EXPECT_TRUE(IsSparseLinearAlgebraLibraryTypeAvailable(EIGEN_SPARSE));
#else
  EXPECT_FALSE(IsSparseLinearAlgebraLibraryTypeAvailable(EIGEN_SPARSE));
#endif

  EXPECT_TRUE(IsDenseLinearAlgebraLibraryTypeAvailable(EIGEN));
  EXPECT_FALSE(IsDenseLinearAlgebraLibraryTypeAvailable(CUDA));
  EXPECT_FALSE(IsDenseLinearAlgebraLibraryTypeAvailable(
      static_cast<DenseLinearAlgebraLibraryType>(3)));
#ifdef CERES_NO_LAPACK
  EXPECT_FALSE(IsDenseLinearAlgebraLibraryTypeAvailable(LAPACK));
#else
  EXPECT_TRUE(IsDenseLinearAlgebraLibraryTypeAvailable(LAPACK));
#endif
  EXPECT_EQ(kImpossibleValue, OfType{1e302});
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
