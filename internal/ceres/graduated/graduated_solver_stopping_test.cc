// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// How SolveGraduated ends when something stops it: limits, callbacks, errors,
// exceptions.

#include <string>
#include <vector>

#include "ceres/graduated/graduated_test_utils.h"
#include "ceres/graduated_solver.h"
#include "ceres/iteration_callback.h"
#include "ceres/parallel/cancellation.h"
#include "ceres/sized_cost_function.h"
#include "ceres/solver.h"
#include "ceres/solver/whole_solves/solver_test_utils.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

using testing::HasSubstr;

// Returns a value after a number of calls.
class StoppingCallback final : public IterationCallback {
 public:
  StoppingCallback(CallbackReturnType type, int num_calls_before)
      : type_(type), num_calls_before_(num_calls_before) {}
  CallbackReturnType operator()(const IterationSummary&) override {
    return ++num_calls > num_calls_before_ ? type_ : SOLVER_CONTINUE;
  }
  int num_calls = 0;

 private:
  const CallbackReturnType type_;
  const int num_calls_before_;
};

TEST(SolveGraduated, ReportsThatRoundsAreExhausted) {
  Mean mean;
  GraduatedOptions options = MeanOptions();
  options.max_num_rounds = 3;
  const GraduatedSummary summary =
      SolveGraduatedWith(TightDenseQrOptions(), options, &mean.problem);
  EXPECT_EQ(summary.termination_type, NO_CONVERGENCE);
  EXPECT_THAT(summary.message, HasSubstr("max_num_rounds = 3"));
  EXPECT_EQ(summary.rounds.size(), 3u);
  EXPECT_NE(mean.x, 60.0);
  EXPECT_EQ(summary.weights.size(), 15u);
}

TEST(SolveGraduated, RefusesOptionsOutOfRange) {
  const auto message_of = [](const GraduatedOptions& options,
                             const Solver::Options& solver_options) {
    Mean mean;
    const GraduatedSummary summary =
        SolveGraduatedWith(solver_options, options, &mean.problem);
    EXPECT_EQ(summary.termination_type, FAILURE);
    EXPECT_FALSE(summary.IsSolutionUsable());
    EXPECT_EQ(mean.x, 60.0);
    return summary.message;
  };
  GraduatedOptions options;
  options.control_factor = 1.0;
  EXPECT_THAT(message_of(options, DenseQrOptions()),
              HasSubstr("GraduatedOptions::control_factor = 1"));
  options = GraduatedOptions();
  options.inlier_probability = 1.0;
  EXPECT_THAT(message_of(options, DenseQrOptions()),
              HasSubstr("GraduatedOptions::inlier_probability = 1"));
  options = GraduatedOptions();
  options.max_num_rounds = 0;
  EXPECT_THAT(message_of(options, DenseQrOptions()),
              HasSubstr("GraduatedOptions::max_num_rounds = 0"));
  Solver::Options solver_options = DenseQrOptions();
  solver_options.num_threads = 0;
  EXPECT_THAT(message_of(GraduatedOptions(), solver_options),
              HasSubstr("Solver::Options::num_threads = 0"));
}

// Fails or throws when x is less than a limit.
class LimitedCost final : public SizedCostFunction<1, 1> {
 public:
  LimitedCost(double limit, bool throws) : limit_(limit), throws_(throws) {}
  bool Evaluate(double const* const* parameters, double* residuals,
                double** jacobians) const override {
    const double x = parameters[0][0];
    if (throws_ && x < limit_) throw std::string("below the limit");
    residuals[0] = x - 10.0;
    if (jacobians != nullptr && jacobians[0] != nullptr) jacobians[0][0] = 1.0;
    return x >= limit_;
  }

 private:
  const double limit_;
  const bool throws_;
};

TEST(SolveGraduated, RestoresTheStartAfterAnException) {
  for (const bool keeps_progress : {false, true}) {
    Mean mean;
    mean.problem.AddResidualBlock(new LimitedCost(15.0, true), nullptr,
                                  &mean.x);
    Solver::Options options = DenseQrOptions();
    options.keep_progress_on_exception = keeps_progress;
    GraduatedSummary summary;
    EXPECT_THROW(
        SolveGraduated(options, MeanOptions(), &mean.problem, &summary),
        std::string);
    EXPECT_EQ(summary.termination_type, FAILURE);
    EXPECT_EQ(mean.x == 60.0, !keeps_progress);
  }
}

TEST(SolveGraduated, FailsIfTheStartCannotBeEvaluated) {
  Mean mean;
  mean.problem.AddResidualBlock(new LimitedCost(70.0, false), nullptr, &mean.x);
  const GraduatedSummary summary =
      SolveGraduatedWith(DenseQrOptions(), GraduatedOptions(), &mean.problem);
  EXPECT_EQ(summary.termination_type, FAILURE);
  EXPECT_THAT(summary.message, HasSubstr("esidual"));
  EXPECT_EQ(mean.x, 60.0);
  EXPECT_TRUE(summary.weights.empty());
}

TEST(SolveGraduated, EndsWhenACallbackSaysSo) {
  for (const CallbackReturnType type :
       {SOLVER_TERMINATE_SUCCESSFULLY, SOLVER_ABORT}) {
    Chain chain(15);
    StoppingCallback callback(type, 5);
    Solver::Options options = SparseOptions();
    options.callbacks.push_back(&callback);
    const GraduatedSummary summary =
        SolveGraduatedWith(options, chain.Options(), &chain.problem);
    EXPECT_EQ(callback.num_calls, 6);
    const bool succeeds = type == SOLVER_TERMINATE_SUCCESSFULLY;
    EXPECT_EQ(summary.termination_type, succeeds ? USER_SUCCESS : USER_FAILURE);
    EXPECT_EQ(summary.IsSolutionUsable(), succeeds);
    EXPECT_EQ(SameBits(chain.x, chain.start), !succeeds);
  }
}

TEST(SolveGraduated, EndsWhenItIsCancelled) {
  Chain chain(15);
  parallel::CancellationSource source;
  source.Cancel();
  Solver::Options options = SparseOptions();
  options.cancellation_token = source.token();
  const GraduatedSummary summary =
      SolveGraduatedWith(options, chain.Options(), &chain.problem);
  EXPECT_EQ(summary.termination_type, NO_CONVERGENCE);
  EXPECT_THAT(summary.message, HasSubstr("ancel"));
  EXPECT_EQ(summary.rounds.size(), 1u);
  EXPECT_TRUE(SameBits(chain.x, chain.start));
}

TEST(SolveGraduated, EndsAtTheTimeLimit) {
  Chain chain(15);
  Solver::Options options = SparseOptions();
  options.max_solver_time_in_seconds = 0.0;
  const GraduatedSummary summary =
      SolveGraduatedWith(options, chain.Options(), &chain.problem);
  EXPECT_EQ(summary.termination_type, NO_CONVERGENCE);
  EXPECT_THAT(summary.message, HasSubstr("time"));
  EXPECT_EQ(summary.rounds.size(), 1u);
}

TEST(SolveGraduatedDeathTest, ChecksThatCertainBlocksAreInTheProblem) {
  Mean mean;
  Mean other;
  GraduatedOptions options;
  options.certain_residual_blocks = {other.blocks[0]};
  GraduatedSummary summary;
  EXPECT_DEATH(
      SolveGraduated(DenseQrOptions(), options, &mean.problem, &summary),
      "has no residual block");
  EXPECT_DEATH(SolveGraduated(DenseQrOptions(), options, nullptr, &summary),
               "needs a problem");
}

TEST(SolveGraduated, ReturnsTheBestPassIfItIsStoppedDuringAnother) {
  // One spring, and a measurement that bends it: without the measurement the
  // cost is less.
  GraduatedSummary summary;
  const auto solve = [&](Solver::Options options, int max_num_checks) {
    double x[2] = {0.0, 1.0};
    Problem problem;
    GraduatedOptions graduated_options;
    graduated_options.inlier_cost_bound = 0.9;
    graduated_options.max_num_checks = max_num_checks;
    graduated_options.certain_residual_blocks.insert(problem.AddResidualBlock(
        NewCost<1, 1, 1>([](const auto* a, const auto* b, auto* r) {
          r[0] = b[0] - a[0] + 1.0;
        }),
        nullptr, &x[0], &x[1]));
    problem.AddResidualBlock(
        NewCost<1, 1, 1>([](const auto* a, const auto* b, auto* r) {
          r[0] = b[0] - a[0] - 1.0;
        }),
        nullptr, &x[0], &x[1]);
    problem.SetParameterBlockConstant(&x[0]);
    SolveGraduated(options, graduated_options, &problem, &summary);
    return x[1];
  };
  // Half of the difference each.
  EXPECT_NEAR(solve(TightDenseQrOptions(), 0), 0.0, 1e-6);
  int num_calls = 0;
  for (const GraduatedSummary::Round& round : summary.rounds) {
    num_calls += round.num_iterations + 1;
  }
  const std::size_t num_rounds = summary.rounds.size();
  StoppingCallback callback(SOLVER_TERMINATE_SUCCESSFULLY, num_calls + 1);
  Solver::Options options = TightDenseQrOptions();
  options.callbacks.push_back(&callback);
  EXPECT_NEAR(solve(options, 3), 0.0, 1e-6);
  EXPECT_EQ(summary.termination_type, USER_SUCCESS);
  EXPECT_GT(summary.rounds.size(), num_rounds);
  EXPECT_TRUE(summary.rounds[num_rounds].follows_check);
  EXPECT_TRUE(summary.outliers.empty());
}

}  // namespace
}  // namespace ceres::internal
