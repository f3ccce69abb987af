// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/parallel/group_model.h"

#include "ceres/parallel/interleaving_explorer.h"
#include "ceres/parallel/model_test_util.h"
#include "gtest/gtest.h"

namespace ceres::parallel::testing_internal {
namespace {

using group_model::GroupModel;
using group_model::Mutant;

Exploration ExploreMutant(Mutant mutant) {
  return ExploreAndPrint(GroupModel(mutant));
}

TEST(GroupModel, EveryInterleavingOfThreeThreadsEndsWell) {
  const Exploration result = ExploreMutant(Mutant::kNone);
  EXPECT_TRUE(result.ok()) << result;
  EXPECT_GT(result.states, 10'000u);
}

using Broken = BrokenRule<Mutant>;
using BrokenGroupModel = BrokenModelTest<Mutant>;

TEST_P(BrokenGroupModel, IsFound) {
  EXPECT_EQ(ExploreMutant(GetParam().mutant).violation, GetParam().violation);
}

INSTANTIATE_TEST_SUITE_P(
    Mutants, BrokenGroupModel,
    ::testing::Values(
        Broken{Mutant::kOpenIsRelaxed, "OpenIsRelaxed",
               "joined another group than the invitation's"},
        Broken{Mutant::kResetAfterOpening, "ResetAfterOpening", kStuck},
        Broken{Mutant::kLeaveIsRelaxed, "LeaveIsRelaxed",
               "the exception is lost"},
        Broken{Mutant::kLeaveBeforeLastRun, "LeaveBeforeLastRun",
               "a block was not run"},
        Broken{Mutant::kOwnerDoesNotWait, "OwnerDoesNotWait",
               "frame used after free"},
        Broken{Mutant::kCountHelpersEarly, "CountHelpersEarly",
               "the exception is lost"},
        Broken{Mutant::kClaimIsNotAtomic, "ClaimIsNotAtomic",
               "two threads hold one id"},
        Broken{Mutant::kJoinWithoutExchange, "JoinWithoutExchange",
               "two threads hold one id"},
        Broken{Mutant::kSleepWithoutBit, "SleepWithoutBit", kStuck},
        Broken{Mutant::kSleepBlindly, "SleepBlindly", kStuck},
        Broken{Mutant::kEpochStays, "EpochStays",
               "joined another group than the invitation's"}),
    NameOf<Mutant>);

}  // namespace
}  // namespace ceres::parallel::testing_internal
