// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/parallel/parking/thread_budget.h"

#include <limits>

#include "ceres/parallel/parking/sleeping_owners.h"
#include "gtest/gtest.h"

namespace ceres::parallel::detail {
namespace {

struct Budget {
  explicit Budget(int workers, int limit)
      : words(workers), budget(words, /*tasks_block=*/false) {
    budget.SetRunningLimit(limit);
  }
  PoolWords words;
  ThreadBudget budget;
};

TEST(ThreadBudget, WithoutLimitAsManyThreadsRunAsThereAreCpus) {
  EXPECT_EQ(Budget(1, 0).budget.RunningLimit(), NumCpus());
  EXPECT_EQ(Budget(1, 7).budget.RunningLimit(), 7);
}

TEST(ThreadBudget, TasksThatBlockHaveNoLimitUnlessItIsSet) {
  PoolWords words(1);
  ThreadBudget budget(words, /*tasks_block=*/true);
  EXPECT_GT(budget.RunningLimit(), 1000000);
  budget.SetRunningLimit(3);
  EXPECT_EQ(budget.RunningLimit(), 3);
}

TEST(ThreadBudget, MaxConcurrencyDoesNotOverflow) {
  EXPECT_EQ(Budget(3, 0).budget.MaxConcurrency(), 4);
  constexpr int kMost = std::numeric_limits<int>::max();
  EXPECT_EQ(Budget(kMost, 0).budget.MaxConcurrency(), kMost);
}

TEST(ThreadBudget, NoWorkerSpinsIfThreadsMayOutnumberCpus) {
  EXPECT_EQ(Budget(1, NumCpus()).budget.WorkerSpinTime(), kSpinTime);
  EXPECT_EQ(Budget(1, NumCpus() + 1).budget.WorkerSpinTime(), 0.0f);
}

TEST(ThreadBudget, WorkersAndCallersShareTheLimit) {
  Budget pool(8, 3);
  EXPECT_TRUE(pool.budget.BeginWork(/*callers=*/1));
  EXPECT_TRUE(pool.budget.BeginWork(/*callers=*/1));
  EXPECT_FALSE(pool.budget.BeginWork(/*callers=*/1));
  EXPECT_EQ(pool.words.busy, 2);
  pool.budget.EndWork();
  EXPECT_TRUE(pool.budget.BeginWork(/*callers=*/1));
  EXPECT_FALSE(pool.budget.BeginWork(/*callers=*/2));
}

TEST(ThreadBudget, AtLeastOneCallerIsExpected) {
  Budget pool(8, 3);
  EXPECT_EQ(pool.budget.NumCallers(), 1);
  EXPECT_EQ(pool.budget.MaxAwake(), 2);
  pool.budget.CountOuterCaller(1);
  EXPECT_EQ(pool.budget.MaxAwake(), 2);
  pool.budget.CountOuterCaller(1);
  EXPECT_EQ(pool.budget.NumKnownCallers(), 2);
  EXPECT_EQ(pool.budget.MaxAwake(), 1);
  pool.words.board.Post(JoinBoard::kOuterOwner | 1);
  EXPECT_EQ(pool.budget.NumKnownCallers(), 3);
  EXPECT_EQ(pool.budget.MaxAwake(), 0);
}

TEST(ThreadBudget, OneWorkerMayAlwaysRunTasks) {
  Budget pool(8, 1);
  EXPECT_EQ(pool.budget.MaxAwake(), 0);
  EXPECT_EQ(pool.budget.MaxAwakeForTasks(), 1);
  EXPECT_FALSE(pool.budget.BeginWork(/*callers=*/1));
  EXPECT_TRUE(pool.budget.CouldJoinForTask());
  EXPECT_TRUE(pool.budget.BeginTask());
  EXPECT_FALSE(pool.budget.CouldJoinForTask());
  EXPECT_FALSE(pool.budget.BeginTask());
  EXPECT_EQ(pool.words.busy, 1);
}

TEST(ThreadBudget, NoThreadCanBeWokenInAPoolWithoutWorkersAndWaiters) {
  Budget pool(0, 4);
  EXPECT_FALSE(pool.budget.MayWake());
  pool.words.condition_waiters = 1;
  EXPECT_TRUE(pool.budget.MayWake());
}

TEST(SleepingOwners, AnInactiveOwnerGivesItsPlaceToAWorker) {
  Budget pool(8, 2);
  SleepingOwners sleepers(pool.words, pool.budget);
  EXPECT_TRUE(pool.budget.BeginWork(/*callers=*/1));
  EXPECT_FALSE(pool.budget.BeginWork(/*callers=*/1));
  SleepingOwner first;
  SleepingOwner second;
  sleepers.Begin(&first);
  sleepers.Begin(&second);
  EXPECT_EQ(pool.words.sleeping_owners, 2);
  EXPECT_FALSE(pool.budget.BeginWork(/*callers=*/1));
  sleepers.BecomeInactive(&first);
  EXPECT_TRUE(pool.budget.BeginWork(/*callers=*/1));
  sleepers.End(&first);
  EXPECT_EQ(pool.words.inactive, 0);
  EXPECT_EQ(pool.words.sleeping_owners, 1);
  sleepers.End(&second);
  EXPECT_EQ(pool.words.sleeping_owners, 0);
}

TEST(SleepingOwners, AnOwnerIsNotWokenForItsOwnRegionOrOneOutside) {
  constexpr RegionHandle kRegion = 1;
  constexpr RegionHandle kNoParent = 2;
  Budget pool(8, 1);
  SleepingOwners sleepers(pool.words, pool.budget);
  EXPECT_FALSE(sleepers.WakeOneFor(kRegion));
  SleepingOwner owner;
  owner.handle = kRegion;
  sleepers.Begin(&owner);
  // Its own region does not need its help, nor does one outside of it.
  EXPECT_FALSE(sleepers.WakeOneFor(kRegion));
  EXPECT_FALSE(sleepers.WakeOneFor(kNoParent));
  EXPECT_FALSE(owner.roused);
  sleepers.End(&owner);
}

}  // namespace
}  // namespace ceres::parallel::detail
