// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/parallel/models/task_set_model.h"

#include <iostream>

#include "ceres/parallel/models/interleaving_explorer.h"
#include "gtest/gtest.h"

namespace ceres::parallel::testing_internal {
namespace {

using task_set_model::Mutant;
using task_set_model::TaskSetModel;

Exploration ExploreMutant(Mutant mutant) {
  const Exploration result = Explore(TaskSetModel(mutant));
  std::cout << result << "\n";
  return result;
}

TEST(TaskSetModel, EveryInterleavingOfThreeThreadsEndsWell) {
  const Exploration result = ExploreMutant(Mutant::kNone);
  EXPECT_TRUE(result.ok()) << result;
  EXPECT_GT(result.states, 10'000u);
}

// A rule to break, and the violation that the explorer must find: otherwise the
// model would prove nothing.
struct Broken {
  Mutant mutant;
  const char* name;
  const char* violation;
};

class BrokenTaskSetModel : public ::testing::TestWithParam<Broken> {};

constexpr char kStuck[] = "stuck: no thread can go on";

TEST_P(BrokenTaskSetModel, IsFound) {
  EXPECT_EQ(ExploreMutant(GetParam().mutant).violation, GetParam().violation);
}

INSTANTIATE_TEST_SUITE_P(
    Mutants, BrokenTaskSetModel,
    ::testing::Values(
        Broken{Mutant::kFinishBeforeNext, "FinishBeforeNext",
               "the set ends while it is enqueued"},
        Broken{Mutant::kEnqueueAgain, "EnqueueAgain",
               "the set is enqueued twice"},
        Broken{Mutant::kNoDequeue, "NoDequeue", "an empty set is enqueued"},
        Broken{Mutant::kDequeueWithBatches, "DequeueWithBatches",
               "tasks are left, but the set is not enqueued"},
        Broken{Mutant::kLookSkipsBatches, "LookSkipsBatches", kStuck},
        Broken{Mutant::kLeaveRegistered, "LeaveRegistered",
               "a batch is left behind"},
        Broken{Mutant::kPutBackWithoutLock, "PutBackWithoutLock",
               "a task was run twice"},
        Broken{Mutant::kTakeOutWithoutLock, "TakeOutWithoutLock",
               "a task was run twice"},
        Broken{Mutant::kLeaveTasks, "LeaveTasks", kStuck}),
    [](const ::testing::TestParamInfo<Broken>& info) {
      return info.param.name;
    });

}  // namespace
}  // namespace ceres::parallel::testing_internal
