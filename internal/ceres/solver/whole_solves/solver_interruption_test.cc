// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// Solves that a cancellation token or the limit of time ends within an
// iteration: the result is that of the iterations before, bit for bit.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "ceres/base/testing/fake_clock.h"
#include "ceres/gradient_problem.h"
#include "ceres/gradient_problem_solver.h"
#include "ceres/parallel/cancellation.h"
#include "ceres/solver.h"
#include "ceres/solver/whole_solves/solver_test_utils.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

using parallel::CancellationSource;
using testing::AllOf;
using testing::HasSubstr;

constexpr int kNumRows = 3000;

// Chained springs, not linear, whose cost function counts its calls and does
// something at one of them.
class ChainProblem {
 public:
  explicit ChainProblem(int num_threads = 1)
      : context_(num_threads), problem_(context_.problem_options) {
    for (int i = 0; i <= kNumRows; ++i) x_.push_back(1.0 + 0.5 * (i % 7));
    start_ = x_;
    for (int i = 0; i < kNumRows; ++i) AddSpring(&x_[i], &x_[i + 1]);
    options_.linear_solver_type = SPARSE_NORMAL_CHOLESKY;
    options_.sparse_linear_algebra_library_type = EIGEN_SPARSE;
    options_.num_threads = num_threads;
    options_.function_tolerance = 0.0;
    options_.gradient_tolerance = 0.0;
    options_.parameter_tolerance = 0.0;
  }

  Solver::Summary Run() { return SolveWith(options_, &problem_); }

  // The result of as many complete iterations.
  std::vector<double> ResultAfter(int num_iterations) const {
    ChainProblem other;
    other.options_ = options_;
    other.options_.num_threads = 1;
    other.options_.cancellation_token = {};
    other.options_.max_solver_time_in_seconds = 1e9;
    other.options_.max_num_iterations = num_iterations;
    other.Run();
    return other.x_;
  }

  // At call number `call`, from 0.
  void AtCall(int call, std::function<void()> action) {
    call_ = call;
    action_ = std::move(action);
  }

  int num_calls() const { return num_calls_; }
  Solver::Options& options() { return options_; }
  const std::vector<double>& x() const { return x_; }
  const std::vector<double>& start() const { return start_; }

 private:
  void AddSpring(double* a, double* b) {
    problem_.AddResidualBlock(
        NewCost<2, 1, 1>([this](const auto* a, const auto* b, auto* r) {
          if (num_calls_++ == call_) action_();
          r[0] = a[0] * a[0] - b[0];
          r[1] = 0.1 * (b[0] - 2.0);
        }),
        nullptr, a, b);
  }

  SharingContext context_;
  std::vector<double> x_;
  std::vector<double> start_;
  Solver::Options options_;
  Problem problem_;
  std::atomic<int> num_calls_{0};
  int call_ = -1;
  std::function<void()> action_;
};

TEST(Cancellation, InterruptsAnEvaluation) {
  // Each iteration takes two evaluations, the start one.
  for (const int num_threads : {1, 2, 4}) {
    for (const int evaluation : {0, 1, 2, 5}) {
      CancellationSource source;
      ChainProblem chain(num_threads);
      chain.options().cancellation_token = source.token();
      const int call = evaluation * kNumRows + kNumRows / 2;
      chain.AtCall(call, [&] { source.Cancel(); });
      const Solver::Summary summary = chain.Run();
      const int iterations =
          (evaluation + 1) / 2;  // complete ones, and the 0th
      EXPECT_EQ(summary.termination_type, NO_CONVERGENCE);
      EXPECT_THAT(summary.message, HasSubstr("Cancelled"));
      EXPECT_EQ(static_cast<int>(summary.iterations.size()), iterations);
      EXPECT_LT(chain.num_calls(), call + num_threads * 130);
      EXPECT_TRUE(SameBits(chain.x(), iterations <= 1
                                          ? chain.start()
                                          : chain.ResultAfter(iterations - 1)))
          << evaluation;
    }
  }
}

TEST(Cancellation, InterruptsALineSearch) {
  CancellationSource source;
  ChainProblem chain;
  chain.options().minimizer_type = LINE_SEARCH;
  chain.options().cancellation_token = source.token();
  const int call = 7 * kNumRows + 1;
  chain.AtCall(call, [&] { source.Cancel(); });
  const Solver::Summary summary = chain.Run();
  EXPECT_EQ(summary.termination_type, NO_CONVERGENCE);
  EXPECT_THAT(summary.message, HasSubstr("Cancelled"));
  EXPECT_LT(chain.num_calls(), call + 130);
  const int last = static_cast<int>(summary.iterations.size()) - 1;
  ASSERT_GT(last, 0);
  EXPECT_TRUE(SameBits(chain.x(), chain.ResultAfter(last)));
  EXPECT_EQ(summary.final_cost, summary.iterations.back().cost);
}

TEST(Cancellation, InterruptsInnerIterations) {
  for (const int num_threads : {1, 4}) {
    CancellationSource source;
    ChainProblem chain(num_threads);
    chain.options().use_inner_iterations = true;
    chain.options().cancellation_token = source.token();
    // The start, the candidate, and a part of the sweep over 3001 blocks.
    const int call = 2 * kNumRows + 300;
    chain.AtCall(call, [&] { source.Cancel(); });
    const Solver::Summary summary = chain.Run();
    EXPECT_EQ(summary.termination_type, NO_CONVERGENCE);
    EXPECT_EQ(summary.iterations.size(), 1u);
    EXPECT_LT(chain.num_calls(), call + num_threads * 130);
    EXPECT_TRUE(SameBits(chain.x(), chain.start()));
  }
}

TEST(Cancellation, BeforeTheSolveEvaluatesNothing) {
  CancellationSource source;
  source.Cancel();
  ChainProblem chain;
  chain.options().cancellation_token = source.token();
  const Solver::Summary summary = chain.Run();
  EXPECT_EQ(summary.termination_type, NO_CONVERGENCE);
  EXPECT_THAT(summary.message,
              AllOf(HasSubstr("Cancelled"), HasSubstr("initial point")));
  EXPECT_EQ(chain.num_calls(), 0);
  EXPECT_TRUE(SameBits(chain.x(), chain.start()));
}

TEST(Cancellation, TheTokensDeadlineIsNamed) {
  const CancellationSource source(std::chrono::steady_clock::now());
  ChainProblem chain;
  chain.options().cancellation_token = source.token();
  EXPECT_THAT(chain.Run().message, HasSubstr("deadline"));
}

TEST(Cancellation, OfACallbackIsSeenBetweenIterations) {
  class Canceller final : public IterationCallback {
   public:
    CallbackReturnType operator()(const IterationSummary& summary) override {
      if (summary.iteration == 3) source.Cancel();
      return SOLVER_CONTINUE;
    }
    CancellationSource source;
  };
  for (const MinimizerType minimizer : {TRUST_REGION, LINE_SEARCH}) {
    Canceller canceller;
    ChainProblem chain;
    chain.options().minimizer_type = minimizer;
    chain.options().callbacks = {&canceller};
    chain.options().cancellation_token = canceller.source.token();
    const Solver::Summary summary = chain.Run();
    EXPECT_EQ(summary.iterations.size(), 4u);
    chain.options().callbacks.clear();
    EXPECT_TRUE(SameBits(chain.x(), chain.ResultAfter(3)));
  }
}

TEST(Cancellation, ThatNeverComesChangesNoBit) {
  for (const MinimizerType minimizer : {TRUST_REGION, LINE_SEARCH}) {
    const CancellationSource source(std::chrono::hours(24));
    ChainProblem chain;
    chain.options().minimizer_type = minimizer;
    chain.options().max_num_iterations = 4;
    chain.options().cancellation_token = source.token();
    chain.options().max_solver_time_in_seconds = 1e5;
    chain.Run();
    EXPECT_TRUE(SameBits(chain.x(), chain.ResultAfter(4)));
  }
}

// The cost function lets the time pass, in the middle of an evaluation.
TEST(Deadline, InterruptsAnEvaluation) {
  for (const MinimizerType minimizer : {TRUST_REGION, LINE_SEARCH}) {
    parallel::FakeClock clock;
    ChainProblem chain;
    chain.options().minimizer_type = minimizer;
    chain.options().max_solver_time_in_seconds = 0.5;
    const int call = kNumRows + 1000;
    chain.AtCall(call, [&] { clock.Advance(std::chrono::milliseconds(600)); });
    const Solver::Summary summary = chain.Run();
    EXPECT_EQ(summary.termination_type, NO_CONVERGENCE);
    EXPECT_THAT(summary.message, AllOf(HasSubstr("max_solver_time_in_seconds"),
                                       HasSubstr("Iteration 1")));
    EXPECT_EQ(summary.iterations.size(), 1u);
    EXPECT_LT(chain.num_calls(), call + 130);
    EXPECT_TRUE(SameBits(chain.x(), chain.start()));
  }
}

TEST(Deadline, LetsTheStartBeEvaluated) {
  ChainProblem chain;
  chain.options().max_solver_time_in_seconds = 0.0;
  const Solver::Summary summary = chain.Run();
  EXPECT_EQ(summary.iterations.size(), 1u);
  EXPECT_GT(summary.initial_cost, 0.0);
  EXPECT_EQ(chain.num_calls(), kNumRows);
}

TEST(Deadline, InterruptsALineSearchOfAGradientProblem) {
  // f(x) = 1/4 (x - 3)^4, slow to minimize.
  class Slow final : public FirstOrderFunction {
   public:
    bool Evaluate(const double* x, double* cost,
                  double* gradient) const override {
      if (++num_calls == 4) clock.Advance(std::chrono::milliseconds(300));
      const double d = x[0] - 3.0;
      *cost = 0.25 * d * d * d * d;
      if (gradient != nullptr) gradient[0] = d * d * d;
      return true;
    }
    int NumParameters() const override { return 1; }
    mutable parallel::FakeClock clock;
    mutable int num_calls = 0;
  };
  auto* slow = new Slow;
  const GradientProblem problem(slow);
  GradientProblemSolver::Options options;
  options.max_solver_time_in_seconds = 0.25;
  GradientProblemSolver::Summary summary;
  double x = 0.0;
  Solve(options, problem, &x, &summary);
  EXPECT_EQ(summary.termination_type, NO_CONVERGENCE);
  EXPECT_THAT(summary.message, HasSubstr("max_solver_time_in_seconds"));
  EXPECT_EQ(slow->num_calls, 4);
}

}  // namespace
}  // namespace ceres::internal
