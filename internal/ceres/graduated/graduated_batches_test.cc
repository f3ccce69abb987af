// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// SolveGraduated takes rows of residual batches as residual blocks.

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "ceres/autodiff_cost_function.h"
#include "ceres/graduated_solver.h"
#include "ceres/problem.h"
#include "ceres/problem/cost_function_batch.h"
#include "ceres/solver/whole_solves/solver_test_utils.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

TEST(GraduatedBatches, HaveTheBitsOfResidualBlocks) {
  constexpr int kRows = 30;
  // One in five is an outlier.
  const auto target = [](int i) { return i % 5 == 0 ? 40.0 + i : 0.01 * i; };
  double x[2] = {0.0, 0.0};
  Problem problems[2];
  CostFunctionBatch::Functions functions;
  for (int i = 0; i < kRows; ++i) {
    functions.emplace_back(NewSpring(target(i)));
    problems[1].AddResidualBlock(NewSpring(target(i)), nullptr, &x[1]);
  }
  problems[0].AddResidualBatch(
      std::make_unique<CostFunctionBatch>(1, std::vector<std::int32_t>{1},
                                          std::move(functions)),
      nullptr, {&x[0]});
  for (int k = 0; k < 2; ++k) {
    Solver::Options options;
    options.logging_type = SILENT;
    GraduatedSummary summary;
    SolveGraduated(options, {}, &problems[k], &summary);
    EXPECT_TRUE(summary.last_solve.IsSolutionUsable());
  }
  EXPECT_EQ(x[0], x[1]);
  EXPECT_NEAR(x[0], 0.15, 0.1);
}

}  // namespace
}  // namespace ceres::internal
