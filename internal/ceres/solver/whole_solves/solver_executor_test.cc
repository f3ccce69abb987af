// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// Solves on the threads of a host: Solver::Options::executor.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "ceres/execution/context_impl.h"
#include "ceres/parallel/executor.h"
#include "ceres/parallel/thread_pool.h"
#include "ceres/solver.h"
#include "ceres/solver/whole_solves/solver_test_utils.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

using parallel::Executor;
using parallel::Invitation;
using parallel::SerialExecutor;
using parallel::ThreadPool;

// A host with threads of its own, of which it says no more than it must.
class PlainHost final : public Executor {
 public:
  explicit PlainHost(int num_threads) : pool_(num_threads - 1) {
    pool_.SetRunningLimit(num_threads);
  }
  int MaxConcurrency() const override { return pool_.MaxConcurrency(); }
  bool Invite(Invitation invitation) override {
    ++num_invitations;
    return pool_.Invite(invitation);
  }
  std::atomic<int> num_invitations{0};

 private:
  ThreadPool pool_;
};

class RefusingHost final : public Executor {
 public:
  int MaxConcurrency() const override { return 8; }
  bool Invite(Invitation) override { return false; }
};

struct Solved {
  Solver::Summary summary;
  std::vector<double> points;
};

Solved SolveOn(Executor* executor, LinearSolverType solver, int num_threads) {
  ContextImpl context;
  Problem::Options problem_options;
  problem_options.context = &context;
  SmallBundle bundle(12, 400, 1e-3, problem_options);
  Solver::Options options;
  options.linear_solver_type = solver;
  if (solver == ITERATIVE_SCHUR) options.preconditioner_type = SCHUR_JACOBI;
  options.max_num_iterations = 5;
  options.num_threads = num_threads;
  options.executor = executor;
  Solved run{SolveWith(options, &bundle.problem), bundle.points};
  if (executor != nullptr) {
    EXPECT_EQ(context.thread_pool().NumWorkers(), 0);
  }
  return run;
}

class ExecutorTest : public testing::TestWithParam<LinearSolverType> {};

TEST_P(ExecutorTest, EveryHostGivesTheSameBits) {
  const Solved expected = SolveOn(nullptr, GetParam(), 1);
  ASSERT_TRUE(expected.summary.IsSolutionUsable());
  SerialExecutor serial;
  PlainHost plain(4);
  RefusingHost refusing;
  ThreadPool pool(3);
  pool.SetRunningLimit(4);
  for (Executor* host :
       std::vector<Executor*>{&serial, &plain, &refusing, &pool}) {
    for (const int num_threads : {1, 3, 16}) {
      const Solved run = SolveOn(host, GetParam(), num_threads);
      EXPECT_TRUE(SameBits(run.points, expected.points));
      EXPECT_EQ(run.summary.num_threads_given, num_threads);
      EXPECT_EQ(run.summary.num_threads_used,
                std::min(num_threads, host->MaxConcurrency()));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(LinearSolvers, ExecutorTest,
                         testing::Values(DENSE_SCHUR, ITERATIVE_SCHUR, CGNR),
                         NameOfLinearSolver());

// Cost functions that take long, so that every host is asked for help, with
// many residuals, so that they are evaluated in several pieces.
std::set<std::thread::id> ThreadsOfSlowSolve(Executor* executor) {
  std::mutex mutex;
  std::set<std::thread::id> threads;
  constexpr int kNumResiduals = 100;
  std::vector<double> x(1000, 1.0);
  Problem problem;
  for (double& value : x) {
    problem.AddResidualBlock(
        NewCost<kNumResiduals, 1>([&](const auto* x, auto* r) {
          {
            const std::lock_guard<std::mutex> lock(mutex);
            threads.insert(std::this_thread::get_id());
          }
          std::this_thread::sleep_for(std::chrono::microseconds(100));
          std::fill_n(r, kNumResiduals, x[0] - 2.0);
        }),
        nullptr, &value);
  }
  Solver::Options options;
  options.linear_solver_type = CGNR;
  options.num_threads = 4;
  options.max_num_iterations = 1;
  options.executor = executor;
  SolveWith(options, &problem);
  return threads;
}

TEST(Executor, LendsItsThreads) {
  PlainHost host(4);
  const std::set<std::thread::id> threads = ThreadsOfSlowSolve(&host);
  EXPECT_GT(host.num_invitations, 0);
  EXPECT_GT(threads.size(), 1u);
  EXPECT_LE(threads.size(), 4u);
}

TEST(Executor, OfOneThreadRunsAllInTheCaller) {
  SerialExecutor serial;
  EXPECT_EQ(ThreadsOfSlowSolve(&serial),
            std::set<std::thread::id>{std::this_thread::get_id()});
}

}  // namespace
}  // namespace ceres::internal
