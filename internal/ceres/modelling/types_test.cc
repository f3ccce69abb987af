// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/types.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <string>

#include "ceres/internal/config.h"
#include "gtest/gtest.h"

namespace ceres {
namespace {

// The first `num_enumerators` values have distinct names, which map back to
// them in any case; the value after is unknown, and so is its name.
template <typename Enum>
void ExpectNamesRoundTrip(int num_enumerators, const char* (*to_string)(Enum),
                          bool (*from_string)(std::string, Enum*)) {
  std::set<std::string> names;
  for (int i = 0; i < num_enumerators; ++i) {
    const Enum value = static_cast<Enum>(i);
    const std::string name = to_string(value);
    EXPECT_NE(name, "UNKNOWN") << i;
    EXPECT_TRUE(names.insert(name).second) << name;

    std::string lower_case = name;
    std::transform(name.begin(), name.end(), lower_case.begin(),
                   [](unsigned char c) { return std::tolower(c); });
    for (const std::string& spelling : {name, lower_case}) {
      Enum parsed = static_cast<Enum>(num_enumerators);
      EXPECT_TRUE(from_string(spelling, &parsed)) << spelling;
      EXPECT_EQ(parsed, value) << spelling;
    }
  }
  EXPECT_STREQ(to_string(static_cast<Enum>(num_enumerators)), "UNKNOWN");

  Enum untouched = static_cast<Enum>(num_enumerators - 1);
  EXPECT_FALSE(from_string("UNKNOWN", &untouched));
  EXPECT_FALSE(from_string("", &untouched));
  EXPECT_FALSE(from_string(*names.begin() + " ", &untouched));
  EXPECT_EQ(untouched, static_cast<Enum>(num_enumerators - 1));
}

TEST(Types, NamesRoundTrip) {
  ExpectNamesRoundTrip(7, LinearSolverTypeToString, StringToLinearSolverType);
  ExpectNamesRoundTrip(7, PreconditionerTypeToString,
                       StringToPreconditionerType);
  ExpectNamesRoundTrip(2, VisibilityClusteringTypeToString,
                       StringToVisibilityClusteringType);
  ExpectNamesRoundTrip(6, SparseLinearAlgebraLibraryTypeToString,
                       StringToSparseLinearAlgebraLibraryType);
  ExpectNamesRoundTrip(2, LinearSolverOrderingTypeToString,
                       StringToLinearSolverOrderingType);
  ExpectNamesRoundTrip(3, DenseLinearAlgebraLibraryTypeToString,
                       StringToDenseLinearAlgebraLibraryType);
  ExpectNamesRoundTrip(2, TrustRegionStrategyTypeToString,
                       StringToTrustRegionStrategyType);
  ExpectNamesRoundTrip(2, DoglegTypeToString, StringToDoglegType);
  ExpectNamesRoundTrip(2, MinimizerTypeToString, StringToMinimizerType);
  ExpectNamesRoundTrip(4, LineSearchDirectionTypeToString,
                       StringToLineSearchDirectionType);
  ExpectNamesRoundTrip(2, LineSearchTypeToString, StringToLineSearchType);
  ExpectNamesRoundTrip(3, NonlinearConjugateGradientTypeToString,
                       StringToNonlinearConjugateGradientType);
  ExpectNamesRoundTrip(3, LineSearchInterpolationTypeToString,
                       StringToLineSearchInterpolationType);
  ExpectNamesRoundTrip(3, CovarianceAlgorithmTypeToString,
                       StringToCovarianceAlgorithmType);
  ExpectNamesRoundTrip(3, NumericDiffMethodTypeToString,
                       StringToNumericDiffMethodType);
  ExpectNamesRoundTrip(2, LoggingTypeToString, StringToLoggingType);
  ExpectNamesRoundTrip(2, LoggingTypeToString, StringtoLoggingType);
  ExpectNamesRoundTrip(2, DumpFormatTypeToString, StringToDumpFormatType);
  ExpectNamesRoundTrip(2, DumpFormatTypeToString, StringtoDumpFormatType);
}

TEST(Types, EnumeratorsKeepTheirOrder) {
  EXPECT_STREQ(LinearSolverTypeToString(static_cast<LinearSolverType>(0)),
               "DENSE_NORMAL_CHOLESKY");
  EXPECT_EQ(static_cast<int>(CGNR), 6);
  EXPECT_EQ(static_cast<int>(SUBSET), 6);
  EXPECT_EQ(static_cast<int>(NO_SPARSE), 4);
  EXPECT_EQ(static_cast<int>(TRUST_REGION), 1);
  EXPECT_EQ(static_cast<int>(TAKE_OWNERSHIP), 1);
  EXPECT_EQ(static_cast<int>(SOLVER_TERMINATE_SUCCESSFULLY), 2);
  EXPECT_EQ(static_cast<int>(DYNAMIC), -1);
}

TEST(Types, TerminationTypesHaveNames) {
  EXPECT_STREQ(TerminationTypeToString(CONVERGENCE), "CONVERGENCE");
  EXPECT_STREQ(TerminationTypeToString(NO_CONVERGENCE), "NO_CONVERGENCE");
  EXPECT_STREQ(TerminationTypeToString(FAILURE), "FAILURE");
  EXPECT_STREQ(TerminationTypeToString(USER_SUCCESS), "USER_SUCCESS");
  EXPECT_STREQ(TerminationTypeToString(USER_FAILURE), "USER_FAILURE");
  EXPECT_STREQ(TerminationTypeToString(static_cast<TerminationType>(5)),
               "UNKNOWN");
}

TEST(Types, SchurTypesEliminateAGroup) {
  const std::set<int> schur_types = {DENSE_SCHUR, SPARSE_SCHUR,
                                     ITERATIVE_SCHUR};
  for (int i = DENSE_NORMAL_CHOLESKY; i <= CGNR; ++i) {
    EXPECT_EQ(IsSchurType(static_cast<LinearSolverType>(i)),
              schur_types.count(i) == 1)
        << i;
  }
}

TEST(Types, LibrariesAreAvailableAsBuilt) {
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
}

}  // namespace
}  // namespace ceres
