// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "parse_flag.h"

#include <string>
#include <vector>

#include "ceres/solver.h"
#include "ceres/types.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ceres::examples {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(FlagValues, AreAllEnumeratorsInLowerCase) {
  EXPECT_THAT(FlagValues(SparseLinearAlgebraLibraryTypeToString),
              ElementsAre("suite_sparse", "eigen_sparse", "accelerate_sparse",
                          "cuda_sparse", "no_sparse", "native_sparse"));
  EXPECT_THAT(FlagValues(LineSearchTypeToString),
              ElementsAre("armijo", "wolfe"));
  EXPECT_STREQ(AllFlagValues<DenseLinearAlgebraLibraryTypeToString>(),
               "eigen, lapack or cuda.");
}

// The values are in the help, in their order, and are read back.
template <auto kToString, typename Enum>
void ExpectComplete(bool (*parse)(std::string, Enum*)) {
  const std::vector<std::string> values = FlagValues(kToString);
  ASSERT_GE(values.size(), 2u);
  const std::string help = AllFlagValues<kToString>();
  for (size_t i = 0; i < values.size(); ++i) {
    Enum value;
    ASSERT_TRUE(ParseFlag("flag", values[i], parse, &value)) << values[i];
    EXPECT_EQ(value, static_cast<Enum>(i));
    EXPECT_THAT(help, HasSubstr(values[i]));
  }
}

TEST(FlagValues, AreReadBackAndInTheHelp) {
  ExpectComplete<LinearSolverTypeToString>(StringToLinearSolverType);
  ExpectComplete<PreconditionerTypeToString>(StringToPreconditionerType);
  ExpectComplete<VisibilityClusteringTypeToString>(
      StringToVisibilityClusteringType);
  ExpectComplete<SparseLinearAlgebraLibraryTypeToString>(
      StringToSparseLinearAlgebraLibraryType);
  ExpectComplete<DenseLinearAlgebraLibraryTypeToString>(
      StringToDenseLinearAlgebraLibraryType);
  ExpectComplete<LinearSolverOrderingTypeToString>(
      StringToLinearSolverOrderingType);
  ExpectComplete<TrustRegionStrategyTypeToString>(
      StringToTrustRegionStrategyType);
  ExpectComplete<DoglegTypeToString>(StringToDoglegType);
  ExpectComplete<MinimizerTypeToString>(StringToMinimizerType);
  ExpectComplete<LineSearchTypeToString>(StringToLineSearchType);
  ExpectComplete<LineSearchDirectionTypeToString>(
      StringToLineSearchDirectionType);
  ExpectComplete<LineSearchInterpolationTypeToString>(
      StringToLineSearchInterpolationType);
  ExpectComplete<NumericDiffMethodTypeToString>(StringToNumericDiffMethodType);
}

TEST(FlagValues, ContainTheDefaultOfTheLibrary) {
  const std::string value =
      FlagValue(SparseLinearAlgebraLibraryTypeToString,
                Solver::Options().sparse_linear_algebra_library_type);
  EXPECT_EQ(value, "native_sparse");
  EXPECT_THAT(FlagValues(SparseLinearAlgebraLibraryTypeToString),
              Contains(value));
}

TEST(ParseFlag, RefusesOtherText) {
  LinearSolverType type = CGNR;
  EXPECT_FALSE(
      ParseFlag("linear_solver", "lu", StringToLinearSolverType, &type));
  EXPECT_EQ(type, CGNR);
}

}  // namespace
}  // namespace ceres::examples
