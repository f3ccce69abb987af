// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/evaluation_callback.h"
#include "ceres/iteration_callback.h"
#include "gtest/gtest.h"
#include "of_type.h"

namespace ceres {
namespace {

TEST(EvaluationCallbackH, IsToldWhatWillBeEvaluated) {
  struct Recorder : EvaluationCallback {
    void PrepareForEvaluation(bool evaluate_jacobians,
                              bool new_evaluation_point) override {
      jacobians = evaluate_jacobians;
      new_point = new_evaluation_point;
    }
    bool jacobians = false;
    bool new_point = false;
  };
  Recorder recorder;
  EvaluationCallback& callback = recorder;
  callback.PrepareForEvaluation(true, false);
  EXPECT_TRUE(recorder.jacobians);
  EXPECT_FALSE(recorder.new_point);
}

TEST(IterationCallbackH, SummaryStartsWithZeros) {
  const IterationSummary summary;
  EXPECT_EQ(summary.iteration, OfType{0});
  EXPECT_EQ(summary.step_is_valid, OfType{false});
  EXPECT_EQ(summary.step_is_nonmonotonic, OfType{false});
  EXPECT_EQ(summary.step_is_successful, OfType{false});
  EXPECT_EQ(summary.cost, OfType{0.0});
  EXPECT_EQ(summary.cost_change, OfType{0.0});
  EXPECT_EQ(summary.gradient_max_norm, OfType{0.0});
  EXPECT_EQ(summary.gradient_norm, OfType{0.0});
  EXPECT_EQ(summary.step_norm, OfType{0.0});
  EXPECT_EQ(summary.relative_decrease, OfType{0.0});
  EXPECT_EQ(summary.trust_region_radius, OfType{0.0});
  EXPECT_EQ(summary.eta, OfType{0.0});
  EXPECT_EQ(summary.step_size, OfType{0.0});
  EXPECT_EQ(summary.line_search_function_evaluations, OfType{0});
  EXPECT_EQ(summary.line_search_gradient_evaluations, OfType{0});
  EXPECT_EQ(summary.line_search_iterations, OfType{0});
  EXPECT_EQ(summary.linear_solver_iterations, OfType{0});
  EXPECT_EQ(summary.iteration_time_in_seconds, OfType{0.0});
  EXPECT_EQ(summary.step_solver_time_in_seconds, OfType{0.0});
  EXPECT_EQ(summary.cumulative_time_in_seconds, OfType{0.0});
}

TEST(IterationCallbackH, CallbackDecidesHowToGoOn) {
  struct StopAtFive : IterationCallback {
    CallbackReturnType operator()(const IterationSummary& summary) override {
      return summary.iteration < 5 ? SOLVER_CONTINUE : SOLVER_ABORT;
    }
  };
  StopAtFive stop_at_five;
  IterationCallback& callback = stop_at_five;
  IterationSummary summary;
  EXPECT_EQ(callback(summary), SOLVER_CONTINUE);
  summary.iteration = 5;
  EXPECT_EQ(callback.operator()(summary), SOLVER_ABORT);
}

}  // namespace
}  // namespace ceres
