// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// Solve and the user's callbacks: IterationCallback and EvaluationCallback.

#include <cstdio>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "ceres/evaluation_callback.h"
#include "ceres/iteration_callback.h"
#include "ceres/solver.h"
#include "ceres/solver/whole_solves/solver_test_utils.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class FunctionCallback : public IterationCallback {
 public:
  explicit FunctionCallback(
      std::function<CallbackReturnType(const IterationSummary&)> function)
      : function_(std::move(function)) {}
  CallbackReturnType operator()(const IterationSummary& summary) override {
    return function_(summary);
  }

 private:
  std::function<CallbackReturnType(const IterationSummary&)> function_;
};

class IterationCallbackTest : public testing::Test {
 protected:
  Valley valley_;
  Solver::Options options_ = TightDenseQrOptions();
};

TEST_F(IterationCallbackTest, SeesEveryIterationAsTheSummaryHasIt) {
  std::vector<IterationSummary> seen;
  FunctionCallback callback([&](const IterationSummary& summary) {
    seen.push_back(summary);
    return SOLVER_CONTINUE;
  });
  options_.callbacks.push_back(&callback);
  const Solver::Summary summary = SolveWith(options_, &valley_.problem);
  ASSERT_EQ(seen.size(), summary.iterations.size());
  ASSERT_GT(seen.size(), 5u);
  EXPECT_TRUE(seen[0].step_is_valid);
  EXPECT_TRUE(seen[0].step_is_successful);
  EXPECT_FALSE(seen[0].step_is_nonmonotonic);
  for (size_t i = 0; i < seen.size(); ++i) {
    EXPECT_EQ(seen[i].iteration, static_cast<int>(i));
    EXPECT_EQ(seen[i].cost, summary.iterations[i].cost);
    EXPECT_EQ(seen[i].trust_region_radius,
              summary.iterations[i].trust_region_radius);
    EXPECT_EQ(seen[i].cumulative_time_in_seconds,
              summary.iterations[i].cumulative_time_in_seconds);
  }
}

TEST_F(IterationCallbackTest, RunInOrderUntilOneStops) {
  std::string calls;
  const auto make = [&](char name, CallbackReturnType result) {
    return FunctionCallback([&calls, name, result](const IterationSummary&) {
      calls += name;
      return result;
    });
  };
  FunctionCallback a = make('a', SOLVER_CONTINUE);
  FunctionCallback b = make('b', SOLVER_TERMINATE_SUCCESSFULLY);
  FunctionCallback c = make('c', SOLVER_CONTINUE);
  options_.callbacks = {&a, &b, &c};
  const Solver::Summary summary = SolveWith(options_, &valley_.problem);
  EXPECT_EQ(calls, "ab");
  EXPECT_EQ(summary.termination_type, USER_SUCCESS);
  EXPECT_EQ(summary.iterations.size(), 1u);
}

TEST_F(IterationCallbackTest, SuccessKeepsTheResultSoFar) {
  FunctionCallback callback([&](const IterationSummary& summary) {
    return summary.iteration == 4 ? SOLVER_TERMINATE_SUCCESSFULLY
                                  : SOLVER_CONTINUE;
  });
  options_.callbacks.push_back(&callback);
  const Solver::Summary summary = SolveWith(options_, &valley_.problem);
  EXPECT_EQ(summary.termination_type, USER_SUCCESS);
  EXPECT_TRUE(summary.IsSolutionUsable());
  EXPECT_EQ(summary.iterations.size(), 5u);
  double cost = 0.0;
  valley_.problem.Evaluate({}, &cost, nullptr, nullptr, nullptr);
  EXPECT_EQ(cost, summary.final_cost);
  EXPECT_LT(cost, summary.initial_cost);
}

TEST_F(IterationCallbackTest, AbortPutsTheParametersBack) {
  for (const bool update : {false, true}) {
    FunctionCallback callback([&](const IterationSummary& summary) {
      return summary.iteration == 4 ? SOLVER_ABORT : SOLVER_CONTINUE;
    });
    options_.callbacks = {&callback};
    options_.update_state_every_iteration = update;
    const Solver::Summary summary = SolveWith(options_, &valley_.problem);
    EXPECT_EQ(summary.termination_type, USER_FAILURE);
    EXPECT_FALSE(summary.IsSolutionUsable());
    EXPECT_TRUE(valley_.IsAtStart());
  }
}

TEST_F(IterationCallbackTest, MemoryChangesOnlyAtTheEnd) {
  FunctionCallback callback([&](const IterationSummary&) {
    EXPECT_TRUE(valley_.IsAtStart());
    return SOLVER_CONTINUE;
  });
  options_.callbacks.push_back(&callback);
  SolveWith(options_, &valley_.problem);
  EXPECT_NEAR(valley_.x[0], 1.0, 1e-7);
}

TEST_F(IterationCallbackTest, MemoryHasTheCurrentPointIfWanted) {
  const auto cost_here = [&] {
    const double r0 = 10.0 * (valley_.x[1] - valley_.x[0] * valley_.x[0]);
    const double r1 = 1.0 - valley_.x[0];
    return 0.5 * (r0 * r0 + r1 * r1);
  };
  double last = 1e300;
  int num_rejected = 0;
  FunctionCallback callback([&](const IterationSummary& summary) {
    if (summary.step_is_successful) last = summary.cost;
    num_rejected += !summary.step_is_successful;
    EXPECT_NEAR(cost_here(), last, 1e-14 * last);
    return SOLVER_CONTINUE;
  });
  options_.callbacks.push_back(&callback);
  options_.update_state_every_iteration = true;
  SolveWith(options_, &valley_.problem);
  EXPECT_GT(num_rejected, 0) << "else the point of those is not tested";
}

TEST_F(IterationCallbackTest, ProgressIsPrintedBeforeUserCallbacksRun) {
  FunctionCallback callback([&](const IterationSummary& summary) {
    std::printf("callback %d\n", summary.iteration);
    return SOLVER_CONTINUE;
  });
  options_.callbacks.push_back(&callback);
  options_.minimizer_progress_to_stdout = true;
  options_.max_num_iterations = 1;
  testing::internal::CaptureStdout();
  SolveWith(options_, &valley_.problem);
  const std::string output = testing::internal::GetCapturedStdout();
  EXPECT_THAT(output, HasSubstr("iter"));
  EXPECT_LT(output.find("1.210000e+01"), output.find("callback 0"));
  EXPECT_LT(output.find("callback 0"), output.find("\n   1"));
  EXPECT_LT(output.find("\n   1"), output.find("callback 1"));
}

TEST_F(IterationCallbackTest, NothingIsPrintedUnasked) {
  testing::internal::CaptureStdout();
  SolveWith(options_, &valley_.problem);
  options_.minimizer_progress_to_stdout = true;
  options_.logging_type = SILENT;
  SolveWith(options_, &valley_.problem);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
}

// Keeps the point of the user's memory that it was called for.
class CachingCallback : public EvaluationCallback {
 public:
  explicit CachingCallback(const double* x) : x_(x) {}

  void PrepareForEvaluation(bool evaluate_jacobians,
                            bool new_evaluation_point) override {
    ++num_calls;
    num_jacobian_calls += evaluate_jacobians;
    num_old_points += !new_evaluation_point;
    if (!new_evaluation_point) {
      EXPECT_EQ(x_[0], cached_x[0]);
      EXPECT_EQ(x_[1], cached_x[1]);
      EXPECT_TRUE(evaluate_jacobians);
    }
    cached_x[0] = x_[0];
    cached_x[1] = x_[1];
    has_jacobians = evaluate_jacobians;
  }

  double cached_x[2] = {0.0, 0.0};
  bool has_jacobians = false;
  int num_calls = 0;
  int num_jacobian_calls = 0;
  int num_old_points = 0;

 private:
  const double* x_;
};

class EvaluationCallbackTest : public testing::Test {
 protected:
  EvaluationCallbackTest() {
    Problem::Options options;
    options.evaluation_callback = &callback_;
    problem_ = Problem(options);
    problem_.AddResidualBlock(NewCost<2, 2>([this](const auto* p, auto* r) {
                                EXPECT_EQ(p[0], callback_.cached_x[0]);
                                EXPECT_EQ(p[1], callback_.cached_x[1]);
                                const bool is_jet = sizeof(*p) > sizeof(double);
                                EXPECT_TRUE(callback_.has_jacobians || !is_jet);
                                r[0] = 10.0 * (p[1] - p[0] * p[0]);
                                r[1] = 1.0 - p[0];
                              }),
                              nullptr, x_);
  }

  double x_[2] = {-1.2, 1.0};
  CachingCallback callback_{x_};
  Problem problem_;
};

TEST_F(EvaluationCallbackTest, RunsBeforeEachEvaluationAtItsPoint) {
  const Solver::Summary summary = SolveWith(TightDenseQrOptions(), &problem_);
  EXPECT_EQ(summary.termination_type, CONVERGENCE) << summary.FullReport();
  EXPECT_GT(summary.num_unsuccessful_steps, 0);
  EXPECT_EQ(callback_.num_calls, summary.num_residual_evaluations +
                                     summary.num_jacobian_evaluations);
  EXPECT_EQ(callback_.num_jacobian_calls, summary.num_jacobian_evaluations);
  EXPECT_EQ(callback_.num_old_points, summary.num_successful_steps - 1)
      << "accepted candidates have been evaluated";
  EXPECT_NEAR(x_[0], 1.0, 1e-7);
  EXPECT_NEAR(x_[1], 1.0, 1e-7);
}

TEST_F(EvaluationCallbackTest, WorksWithBoundsAndUpdatesOfTheState) {
  problem_.SetParameterUpperBound(x_, 0, 0.5);
  Solver::Options options = TightDenseQrOptions();
  options.update_state_every_iteration = true;
  options.use_nonmonotonic_steps = true;
  const Solver::Summary summary = SolveWith(options, &problem_);
  EXPECT_TRUE(summary.IsSolutionUsable()) << summary.FullReport();
  EXPECT_NEAR(x_[0], 0.5, 1e-8);
  EXPECT_NEAR(x_[1], 0.25, 1e-6);
}

TEST_F(EvaluationCallbackTest, CanBeReplacedBetweenSolves) {
  Solver::Options options = TightDenseQrOptions();
  options.max_num_iterations = 2;
  options.keep_preprocessing = true;
  CachingCallback second(x_);
  problem_ = Problem();  // Without a callback.
  problem_.AddResidualBlock(NewCost<1, 2>([](const auto* p, auto* r) {
                              r[0] = p[0] * p[0] + p[1] - 3.0;
                            }),
                            nullptr, x_);
  for (CachingCallback* callback : {&callback_, &second}) {
    problem_.SetEvaluationCallback(callback);
    EXPECT_EQ(problem_.options().evaluation_callback, callback);
    const int calls_before = callback_.num_calls + second.num_calls;
    const Solver::Summary summary = SolveWith(options, &problem_);
    EXPECT_FALSE(summary.preprocessing_was_kept);
    EXPECT_GT(callback->num_calls, 0);
    EXPECT_EQ(
        callback_.num_calls + second.num_calls - calls_before,
        summary.num_residual_evaluations + summary.num_jacobian_evaluations);
  }
  problem_.SetEvaluationCallback(nullptr);
  const int calls_before = second.num_calls;
  SolveWith(options, &problem_);
  EXPECT_EQ(second.num_calls, calls_before);
}

TEST_F(EvaluationCallbackTest, AbortPutsTheParametersBack) {
  FunctionCallback abort([&](const IterationSummary& summary) {
    return summary.iteration == 2 ? SOLVER_ABORT : SOLVER_CONTINUE;
  });
  Solver::Options options = TightDenseQrOptions();
  options.callbacks.push_back(&abort);
  EXPECT_EQ(SolveWith(options, &problem_).termination_type, USER_FAILURE);
  EXPECT_THAT(x_, ElementsAre(-1.2, 1.0));
}

}  // namespace
}  // namespace ceres::internal
