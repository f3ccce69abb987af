// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/solver/thread_choice.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "ceres/context.h"
#include "ceres/evaluation/evaluation_test_utils.h"
#include "ceres/evaluation/evaluator.h"
#include "ceres/parallel/available_concurrency.h"
#include "ceres/parallel/executor.h"
#include "ceres/problem.h"
#include "ceres/problem/program.h"
#include "ceres/solver.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

class IsWorthSharingTest : public testing::Test {
 protected:
  bool IsWorthIt() { return IsWorthSharing(options, *problem.mutable_impl()); }

  Problem problem;
  Solver::Options options;
  std::vector<double> x = std::vector<double>(100, 1.0);
};

TEST_F(IsWorthSharingTest, NotWhileTheJacobianIsASingleRowChunk) {
  while (!IsWorthIt()) {
    const ProblemImpl& impl = *problem.mutable_impl();
    const Program program(impl.parameter_blocks(), 0, impl.residual_blocks());
    ASSERT_LE(Evaluator(program, {}).structure().num_row_chunks(), 1);
    for (int i = 0; i < 100; ++i) {
      problem.AddResidualBlock(new SineCost(2, {1, 3}, i), nullptr, &x[0],
                               &x[1]);
    }
  }
  EXPECT_GT(problem.NumResidualBlocks(), 800);
}

TEST_F(IsWorthSharingTest, ManyParametersAreWorthIt) {
  problem.AddResidualBlock(new SineCost(1, {64}, 1), nullptr, x.data());
  EXPECT_FALSE(IsWorthIt());
  problem.AddResidualBlock(new SineCost(1, {1}, 2), nullptr, &x[64]);
  EXPECT_TRUE(IsWorthIt());
}

TEST_F(IsWorthSharingTest, InnerIterationsAreWorthIt) {
  problem.AddResidualBlock(new SineCost(1, {2}, 1), nullptr, x.data());
  EXPECT_FALSE(IsWorthIt());
  options.use_inner_iterations = true;
  EXPECT_TRUE(IsWorthIt());
}

TEST_F(IsWorthSharingTest, SolvesOfBothKindsCountTheThreadsThatWereAskedFor) {
  for (const int num_residuals : {1, 9000}) {
    Problem other;
    other.AddResidualBlock(new SineCost(num_residuals, {1}, 1), nullptr,
                           x.data());
    options.num_threads = 2;
    options.max_num_iterations = 1;
    options.logging_type = SILENT;
    Solver::Summary summary;
    Solve(options, &other, &summary);
    EXPECT_EQ(summary.num_threads_given, 2);
    EXPECT_EQ(summary.num_threads_used,
              std::min(2, parallel::AvailableConcurrency()));
  }
}

class ChooseThreadsTest : public testing::Test {
 protected:
  // A problem that is not worth sharing with `num_values` = 1.
  void AddResiduals(int num_values) {
    problem.AddResidualBlock(new SineCost(num_values, {1}, 1), nullptr, &x);
  }
  ThreadChoice Choose() {
    return ChooseThreads(options, problem.mutable_impl());
  }

  Problem problem;
  Solver::Options options;
  double x = 1.0;
};

TEST_F(ChooseThreadsTest, OneThreadIsTheCaller) {
  AddResiduals(9000);
  const ThreadChoice choice = Choose();
  EXPECT_EQ(choice.max_threads, 1);
  EXPECT_TRUE(choice.execution.IsSerial());
}

TEST_F(ChooseThreadsTest, LargeProblemsUseTheContextFromTheStart) {
  AddResiduals(9000);
  options.num_threads = 2;
  const ThreadChoice choice = Choose();
  EXPECT_EQ(choice.execution.context, problem.mutable_impl()->context());
  EXPECT_EQ(choice.max_threads, choice.execution.num_threads);
  const SolveExecution execution(choice, problem.mutable_impl());
  EXPECT_EQ(execution.get().on_demand, nullptr);
}

TEST_F(ChooseThreadsTest, SmallProblemsHaveThreadsOnDemand) {
  AddResiduals(1);
  options.num_threads = 2;
  const ThreadChoice choice = Choose();
  EXPECT_TRUE(choice.execution.IsSerial());
  const SolveExecution execution(choice, problem.mutable_impl());
  EXPECT_EQ(MostThreads(execution.get()), choice.max_threads);
  if (choice.max_threads == 1) {
    GTEST_SKIP() << "The process may use a single CPU.";
  }
  ASSERT_NE(execution.get().on_demand, nullptr);
  const Execution threads = execution.get().on_demand->Make(execution.get());
  EXPECT_EQ(threads.context, problem.mutable_impl()->context());
  EXPECT_EQ(threads.num_threads, 2);
  EXPECT_EQ(threads.stop, execution.get().stop);
}

TEST_F(ChooseThreadsTest, SmallProblemsUseAContextThatTheUserGives) {
  const std::unique_ptr<Context> context(Context::Create());
  Problem::Options problem_options;
  problem_options.context = context.get();
  Problem other(problem_options);
  other.AddResidualBlock(new SineCost(1, {1}, 1), nullptr, &x);
  options.num_threads = 2;
  const ThreadChoice choice = ChooseThreads(options, other.mutable_impl());
  EXPECT_EQ(choice.execution.context, other.mutable_impl()->context());
}

TEST_F(ChooseThreadsTest, ExecutorsReplaceTheContext) {
  AddResiduals(9000);
  parallel::SerialExecutor executor;
  options.executor = &executor;
  options.num_threads = 4;
  const ThreadChoice choice = Choose();
  EXPECT_EQ(choice.execution.executor, &executor);
  EXPECT_EQ(choice.execution.context, nullptr);
  EXPECT_EQ(choice.max_threads, 1) << "MaxConcurrency() of the executor";
}

TEST_F(ChooseThreadsTest, ChoicesAreEqualIfTheSolvesRunAlike) {
  AddResiduals(9000);
  const ThreadChoice serial = Choose();
  EXPECT_EQ(serial, Choose());
  parallel::SerialExecutor executor;
  options.executor = &executor;
  EXPECT_FALSE(serial == Choose());
}

}  // namespace
}  // namespace ceres::internal
