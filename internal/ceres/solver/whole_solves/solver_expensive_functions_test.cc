// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Small problems whose cost functions take long: all threads are at work on
// them, wherever they are evaluated.

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "ceres/covariance.h"
#include "ceres/evaluation/slow_cost.h"
#include "ceres/evaluation_callback.h"
#include "ceres/execution/context_impl.h"
#include "ceres/loss_function.h"
#include "ceres/numeric_diff_cost_function.h"
#include "ceres/parallel/available_concurrency.h"
#include "ceres/problem.h"
#include "ceres/solver.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

// r = x + a x^3 - i, slowly.
struct SlowCubic {
  bool operator()(const double* x, double* residuals) const {
    rendezvous->Attend();
    residuals[0] = x[0] + 0.01 * i * x[0] * x[0] * x[0] - i;
    return true;
  }
  Rendezvous* rendezvous;
  int i;
};

class ExpensiveFunctionsTest : public testing::Test {
 protected:
  static constexpr int kNumBlocks = 12;

  ExpensiveFunctionsTest() {
    context.thread_pool().SetRunningLimit(8);
    options.num_threads = 4;
    options.linear_solver_type = DENSE_QR;
    options.max_num_iterations = 3;
    options.logging_type = SILENT;
  }

  // Without context: on the problem's own.
  Problem* MakeProblem(Context* its_context, LossFunction* loss = nullptr,
                       EvaluationCallback* callback = nullptr) {
    Problem::Options problem_options;
    problem_options.context = its_context;
    problem_options.evaluation_callback = callback;
    problem = std::make_unique<Problem>(problem_options);
    x = 1.0;
    for (int i = 0; i < kNumBlocks; ++i) {
      problem->AddResidualBlock(
          new NumericDiffCostFunction<SlowCubic, CENTRAL, 1, 1>(
              new SlowCubic{&rendezvous, i}),
          loss, &x);
    }
    return problem.get();
  }

  Solver::Summary SolveIt() {
    rendezvous.Begin(options.num_threads);
    Solver::Summary summary;
    Solve(options, problem.get(), &summary);
    EXPECT_TRUE(summary.IsSolutionUsable()) << summary.message;
    return summary;
  }

  ContextImpl context;
  Rendezvous rendezvous;
  Solver::Options options;
  std::unique_ptr<Problem> problem;
  double x = 1.0;
};

TEST_F(ExpensiveFunctionsTest, SolvesShareThem) {
  MakeProblem(&context);
  SolveIt();
  EXPECT_TRUE(rendezvous.met());
}

TEST_F(ExpensiveFunctionsTest, SoDoLineSearches) {
  MakeProblem(&context);
  options.minimizer_type = LINE_SEARCH;
  SolveIt();
  EXPECT_TRUE(rendezvous.met());
}

TEST_F(ExpensiveFunctionsTest, ThreadsAreMadeWhenTheyAreFirstWanted) {
  if (parallel::AvailableConcurrency() == 1) GTEST_SKIP() << "one cpu";
  MakeProblem(nullptr);
  options.keep_preprocessing = true;
  for (int repeat = 0; repeat < 3; ++repeat) {
    x = 1.0;
    const Solver::Summary summary = SolveIt();
    EXPECT_TRUE(rendezvous.met());
    EXPECT_EQ(summary.preprocessing_was_kept, repeat > 0);
    EXPECT_GT(summary.num_threads_used, 1);
  }
  // Threads that are asked for later are not those of an earlier preparation.
  options.num_threads = 1;
  EXPECT_FALSE(SolveIt().preprocessing_was_kept);
  EXPECT_FALSE(rendezvous.met());
  options.num_threads = 2;
  EXPECT_FALSE(SolveIt().preprocessing_was_kept);
  EXPECT_TRUE(rendezvous.met());
}

TEST_F(ExpensiveFunctionsTest, SoDoesWhatIsConstant) {
  MakeProblem(&context);
  problem->SetParameterBlockConstant(&x);
  SolveIt();
  EXPECT_TRUE(rendezvous.met());
}

TEST_F(ExpensiveFunctionsTest, EvaluationsOfProblemsShareThem) {
  MakeProblem(&context, new HuberLoss(1.0));
  Problem::EvaluateOptions evaluate;
  double cost = 0.0;
  std::vector<double> residuals, gradient;
  ASSERT_TRUE(
      problem->Evaluate(evaluate, &cost, &residuals, &gradient, nullptr));
  EXPECT_FALSE(rendezvous.met());
  for (const bool with_gradient : {false, true}) {
    evaluate.num_threads = 4;
    rendezvous.Begin(4);
    double shared_cost = 0.0;
    std::vector<double> shared_residuals, shared_gradient;
    ASSERT_TRUE(problem->Evaluate(evaluate, &shared_cost, &shared_residuals,
                                  with_gradient ? &shared_gradient : nullptr,
                                  nullptr));
    EXPECT_TRUE(rendezvous.met());
    EXPECT_EQ(shared_cost, cost);
    EXPECT_EQ(shared_residuals, residuals);
    if (with_gradient) {
      EXPECT_EQ(shared_gradient, gradient);
    }
  }
}

TEST_F(ExpensiveFunctionsTest, CovariancesShareThem) {
  MakeProblem(&context);
  const std::vector<std::pair<const double*, const double*>> blocks = {
      {&x, &x}};
  double variance[2];
  for (const int num_threads : {1, 4}) {
    rendezvous.Begin(num_threads);
    Covariance::Options covariance_options;
    covariance_options.num_threads = num_threads;
    Covariance covariance(covariance_options);
    ASSERT_TRUE(covariance.Compute(blocks, problem.get()));
    ASSERT_TRUE(
        covariance.GetCovarianceBlock(&x, &x, &variance[num_threads > 1]));
    EXPECT_EQ(rendezvous.met(), num_threads > 1);
  }
  EXPECT_EQ(variance[0], variance[1]);
}

TEST_F(ExpensiveFunctionsTest, CallbacksArePreparedForThem) {
  class Counter final : public EvaluationCallback {
   public:
    void PrepareForEvaluation(bool, bool) override { ++count; }
    int count = 0;
  };
  Counter counter;
  MakeProblem(&context, nullptr, &counter);
  const Solver::Summary summary = SolveIt();
  EXPECT_TRUE(rendezvous.met());
  EXPECT_EQ(counter.count, summary.num_residual_evaluations +
                               summary.num_jacobian_evaluations);
}

TEST_F(ExpensiveFunctionsTest, TheBitsAreThoseOfOneThread) {
  struct Result {
    double x;
    std::vector<double> costs;
  };
  for (const bool with_loss : {false, true}) {
    std::vector<Result> results;
    for (const int num_threads : {1, 2, 3, 4, 8}) {
      MakeProblem(&context, with_loss ? new SoftLOneLoss(0.5) : nullptr);
      options.num_threads = num_threads;
      const Solver::Summary summary = SolveIt();
      EXPECT_EQ(rendezvous.met(), num_threads > 1);
      Result& result = results.emplace_back(Result{x, {}});
      for (const IterationSummary& iteration : summary.iterations) {
        result.costs.push_back(iteration.cost);
      }
      EXPECT_EQ(result.x, results[0].x) << num_threads << " threads";
      EXPECT_EQ(result.costs, results[0].costs) << num_threads << " threads";
    }
  }
}

}  // namespace
}  // namespace ceres::internal
