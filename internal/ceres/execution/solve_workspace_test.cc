// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/execution/solve_workspace.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <stdexcept>

#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

using workspace_table::IsValidIn;
using workspace_table::kRows;
using workspace_table::Row;
using workspace_table::ShareMemory;

constexpr SolvePhase kPhases[] = {
    SolvePhase::kEvaluate,  SolvePhase::kEliminate,
    SolvePhase::kAssemble,  SolvePhase::kFillFronts,
    SolvePhase::kFactorize, SolvePhase::kBackSubstitute};

TEST(WorkspaceTable, RegionsThatShareMemoryAreNeverValidTogether) {
  for (const Row& a : kRows) {
    for (const Row& b : kRows) {
      if (a.region == b.region || !ShareMemory(a.region, b.region)) continue;
      for (const SolvePhase phase : kPhases) {
        EXPECT_FALSE(IsValidIn(a.region, phase) && IsValidIn(b.region, phase))
            << a.name << ", " << b.name << ", phase "
            << static_cast<int>(phase);
      }
    }
  }
}

// Phases in a row: what lies there when they begin is lost only once.
TEST(WorkspaceTable, EachRegionIsValidInOneIntervalOfPhases) {
  for (const Row& row : kRows) {
    int num_intervals = 0;
    bool was_valid = false;
    for (const SolvePhase phase : kPhases) {
      const bool is_valid = IsValidIn(row.region, phase);
      num_intervals += is_valid && !was_valid;
      was_valid = is_valid;
    }
    EXPECT_EQ(num_intervals, 1) << row.name;
  }
}

// A workspace with every region in use.
class SolveWorkspaceTest : public testing::Test {
 protected:
  static constexpr int kSize = 100;

  SolveWorkspaceTest() {
    for (const Row& row : kRows) workspace_.Reserve(row.region, kSize);
  }

  double* Get(WorkspaceRegion region) { return workspace_.Get(region); }

  SolveWorkspace workspace_;
};

TEST_F(SolveWorkspaceTest, RegionsOfOneMemoryShareIt) {
  if (kChecksWorkspace) {
    GTEST_SKIP() << "Builds that check phases share no memory.";
  }
  double* const sums = Get(WorkspaceRegion::kColumnSums);
  SolveWorkspace::LinearSolve solve(&workspace_);
  EXPECT_EQ(Get(WorkspaceRegion::kPartialSums), sums);
  workspace_.Enter(SolvePhase::kAssemble);
  double* const values = Get(WorkspaceRegion::kBlockValues);
  EXPECT_NE(values, sums);
  workspace_.Enter(SolvePhase::kFillFronts);
  EXPECT_EQ(Get(WorkspaceRegion::kSparseFactor), sums);
  EXPECT_EQ(Get(WorkspaceRegion::kBlockValues), values);
  workspace_.Enter(SolvePhase::kFactorize);
  EXPECT_EQ(Get(WorkspaceRegion::kUpdateMatrices), values);
}

TEST_F(SolveWorkspaceTest, ContentsLiveAsLongAsTheRegionIsValid) {
  for (int repetition = 0; repetition < 2; ++repetition) {
    SolveWorkspace::LinearSolve solve(&workspace_);
    double* const sums = Get(WorkspaceRegion::kPartialSums);
    std::fill_n(sums, kSize, 2.0);
    workspace_.Enter(SolvePhase::kAssemble);
    EXPECT_EQ(Get(WorkspaceRegion::kPartialSums), sums);
    EXPECT_EQ(std::count(sums, sums + kSize, 2.0), kSize);
    double* const values = Get(WorkspaceRegion::kBlockValues);
    std::fill_n(values, kSize, 3.0);
    workspace_.Enter(SolvePhase::kFillFronts);
    EXPECT_EQ(std::count(values, values + kSize, 3.0), kSize);
  }
}

TEST_F(SolveWorkspaceTest, TheLargestRegionOfAMemoryDecidesItsSize) {
  SolveWorkspace workspace;
  workspace.Reserve(WorkspaceRegion::kColumnSums, 10);
  const Execution execution;
  workspace.Reserve(WorkspaceRegion::kPartialSums, 1 << 20, &execution);
  workspace.Reserve(WorkspaceRegion::kSparseFactor, 1 << 10);
  double* const column_sums = workspace.Get(WorkspaceRegion::kColumnSums);
  workspace.Enter(SolvePhase::kEliminate);
  double* const partial_sums = workspace.Get(WorkspaceRegion::kPartialSums);
  // An address sanitizer knows the end of the memory.
  std::fill_n(partial_sums, 1 << 20, 1.0);
  workspace.Enter(SolvePhase::kFillFronts);
  double* const factor = workspace.Get(WorkspaceRegion::kSparseFactor);
  // All three are one memory, except in builds that check phases.
  EXPECT_EQ(partial_sums == column_sums, !kChecksWorkspace);
  EXPECT_EQ(factor == column_sums, !kChecksWorkspace);
}

// Whichever it is.
TEST(SolveWorkspace, ColumnSumsLieInTheLargestMemory) {
  if (kChecksWorkspace) {
    GTEST_SKIP() << "Builds that check phases share no memory.";
  }
  for (const Row& largest : kRows) {
    if (largest.region == WorkspaceRegion::kColumnSums) continue;
    for (const int size : {10, 1000}) {
      SolveWorkspace workspace;
      workspace.Reserve(WorkspaceRegion::kColumnSums, size);
      for (const Row& row : kRows) {
        if (row.region == WorkspaceRegion::kColumnSums) continue;
        workspace.Reserve(row.region, row.region == largest.region ? 100 : 99);
      }
      double* const sums = workspace.Get(WorkspaceRegion::kColumnSums);
      std::fill_n(sums, size, 1.0);
      EXPECT_EQ(workspace.Get(largest.region), sums) << largest.name;
      for (const Row& row : kRows) {
        EXPECT_EQ(workspace.Get(row.region) == sums,
                  ShareMemory(row.region, largest.region))
            << row.name << ", " << largest.name;
      }
    }
  }
}

TEST_F(SolveWorkspaceTest, LinearSolveEndsInEvaluationByAnExceptionToo) {
  const auto solve = [&] {
    SolveWorkspace::LinearSolve solve(&workspace_);
    EXPECT_EQ(workspace_.phase(), SolvePhase::kEliminate);
    workspace_.Enter(SolvePhase::kFactorize);
    throw std::runtime_error("stopped");
  };
  EXPECT_THROW(solve(), std::runtime_error);
  EXPECT_EQ(workspace_.phase(), SolvePhase::kEvaluate);
}

TEST_F(SolveWorkspaceTest, PhasesGoForwardOrBeginAgain) {
  workspace_.Enter(SolvePhase::kAssemble);
  workspace_.Enter(SolvePhase::kBackSubstitute);
  workspace_.Enter(SolvePhase::kEliminate);
  workspace_.Enter(SolvePhase::kFactorize);
  if (kChecksWorkspace) {
    EXPECT_DEATH(workspace_.Enter(SolvePhase::kAssemble),
                 "Phase kAssemble does not follow kFactorize");
  }
  workspace_.Enter(SolvePhase::kEvaluate);
}

TEST_F(SolveWorkspaceTest, GetInTheWrongPhaseIsCaught) {
  if (!kChecksWorkspace) GTEST_SKIP() << "This build does not check phases.";
  EXPECT_DEATH(workspace_.Get(WorkspaceRegion::kPartialSums),
               "Region kPartialSums of the workspace is not valid in phase "
               "kEvaluate");
}

// Through a pointer that was valid.
TEST_F(SolveWorkspaceTest, ReadInTheWrongPhaseIsCaught) {
  if (!kChecksWorkspace) GTEST_SKIP() << "This build does not check phases.";
  SolveWorkspace::LinearSolve solve(&workspace_);
  const volatile double* const sums = Get(WorkspaceRegion::kPartialSums);
  std::fill_n(Get(WorkspaceRegion::kPartialSums), kSize, 2.0);
  workspace_.Enter(SolvePhase::kFactorize);
  const volatile double* const stale[] = {sums, sums + kSize - 1};
  for (const volatile double* value : stale) {
#if defined(__SANITIZE_ADDRESS__)
    EXPECT_DEATH(std::exit(*value > 0.0), "use-after-poison");
#else
    EXPECT_TRUE(std::isnan(*value));
#endif
  }
}

TEST_F(SolveWorkspaceTest, MemoryThatIsUsedDoesNotGrow) {
  Get(WorkspaceRegion::kColumnSums);
  workspace_.Reserve(WorkspaceRegion::kColumnSums, kSize);
  EXPECT_DEATH(workspace_.Reserve(WorkspaceRegion::kColumnSums, kSize + 1),
               "is reserved after memory of size 100 was used");
}

TEST(WorkspaceArray, WithoutWorkspaceHasMemoryOfItsOwn) {
  WorkspaceArray sums(nullptr, WorkspaceRegion::kColumnSums);
  WorkspaceArray factor(nullptr, WorkspaceRegion::kSparseFactor);
  EXPECT_EQ(factor.data(), nullptr) << "nothing is reserved";
  sums.Reserve(10);
  factor.Reserve(20);
  std::fill_n(sums.data(), 10, 1.0);
  std::fill_n(factor.data(), 20, 2.0);
  EXPECT_EQ(std::count(sums.data(), sums.data() + 10, 1.0), 10);
  EnterPhase(nullptr, SolvePhase::kFactorize);
  EXPECT_EQ(std::count(sums.data(), sums.data() + 10, 1.0), 10);
}

TEST(WorkspaceArray, OfAWorkspaceIsItsRegion) {
  SolveWorkspace workspace;
  WorkspaceArray sums(&workspace, WorkspaceRegion::kColumnSums);
  sums.Reserve(10);
  EXPECT_NE(sums.data(), nullptr);
  EXPECT_EQ(sums.data(), workspace.Get(WorkspaceRegion::kColumnSums));
}

}  // namespace
}  // namespace ceres::internal
