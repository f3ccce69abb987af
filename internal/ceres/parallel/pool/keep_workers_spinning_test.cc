// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include <optional>

#include "ceres/parallel/pool/pool_state.h"
#include "ceres/parallel/testing/parallel_test_util.h"
#include "ceres/parallel/thread_pool.h"
#include "gtest/gtest.h"

namespace ceres::parallel::detail {
namespace {

TEST(KeepWorkersSpinning, WorkersSpinForLongerWhileAnyOneExists) {
  ThreadPool pool(1);
  pool.SetRunningLimit(NumCpus());
  const PoolState& state = pool.state();
  EXPECT_EQ(state.WorkerSpinTime(), kSpinTime);
  std::optional<KeepWorkersSpinning> outer(&pool.state());
  {
    const KeepWorkersSpinning inner(&pool.state());
    EXPECT_EQ(state.WorkerSpinTime(), kLongSpinTime);
  }
  EXPECT_EQ(state.WorkerSpinTime(), kLongSpinTime);
  outer.reset();
  EXPECT_EQ(state.WorkerSpinTime(), kSpinTime);
}

TEST(KeepWorkersSpinning, NoWorkerSpinsIfThreadsOutnumberCpus) {
  ThreadPool pool(1);
  pool.SetRunningLimit(NumCpus() + 1);
  const KeepWorkersSpinning spinning(&pool.state());
  EXPECT_EQ(pool.state().WorkerSpinTime(), 0.0f);
}

TEST(KeepWorkersSpinning, OneIsWokenAndAllSleepInTheEnd) {
  ThreadPool pool(3);
  // Two may be at work, so that one worker can be woken on any machine.
  pool.SetRunningLimit(2);
  // The worker that is woken may have parked before this thread looks.
  bool was_awake = false;
  for (int attempt = 0; attempt < 100 && !was_awake; ++attempt) {
    const KeepWorkersSpinning spinning(&pool.state());
    was_awake = pool.state().NumAwake() > 0;
  }
  EXPECT_TRUE(was_awake);
  EXPECT_TRUE(Eventually([&] { return pool.state().NumAwake() == 0; }));
}

TEST(KeepWorkersSpinning, WithoutPoolOrWorkersNothingHappens) {
  const KeepWorkersSpinning of_nobody(nullptr);
  ThreadPool pool(0);
  const KeepWorkersSpinning of_none(&pool.state());
  EXPECT_EQ(pool.state().NumAwake(), 0);
}

}  // namespace
}  // namespace ceres::parallel::detail
