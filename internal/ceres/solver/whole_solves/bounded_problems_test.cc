// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// The number of iterations that random problems with bounds take. None of them
// is convex, and many follow narrow valleys or corners of the bounds.

#include <algorithm>
#include <vector>

#include "ceres/ceres.h"
#include "ceres/solver/whole_solves/random_bounded_problem.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

constexpr int kNumProblems = 600;

Solver::Options MakeOptions() {
  Solver::Options options;
  options.max_num_iterations = 1000;
  options.linear_solver_type = DENSE_QR;
  options.logging_type = SILENT;
  return options;
}

// The iterations of each problem, ascending.
std::vector<int> Iterations(const Solver::Options& options) {
  std::vector<int> iterations;
  for (int seed = 0; seed < kNumProblems; ++seed) {
    RandomBoundedProblem random(seed);
    Solver::Summary summary;
    Solve(options, random.problem(), &summary);
    EXPECT_EQ(summary.termination_type, CONVERGENCE)
        << "seed " << seed << ": " << summary.message;
    EXPECT_LE(summary.final_cost, summary.initial_cost);
    EXPECT_TRUE(random.IsFeasible()) << "seed " << seed;
    iterations.push_back(static_cast<int>(summary.iterations.size()) - 1);
  }
  std::sort(iterations.begin(), iterations.end());
  return iterations;
}

TEST(BoundedProblems, LevenbergMarquardtTakesFewIterations) {
  const std::vector<int> iterations = Iterations(MakeOptions());
  EXPECT_LT(iterations[kNumProblems / 2], 20);
  EXPECT_LT(iterations[kNumProblems * 99 / 100], 100);
  EXPECT_LE(iterations.back(), 300);
}

TEST(BoundedProblems, DoglegTakesFewIterations) {
  Solver::Options options = MakeOptions();
  options.trust_region_strategy_type = DOGLEG;
  const std::vector<int> iterations = Iterations(options);
  EXPECT_LT(iterations[kNumProblems / 2], 20);
  EXPECT_LT(iterations[kNumProblems * 99 / 100], 150);
  EXPECT_LE(iterations.back(), 400);
}

}  // namespace
}  // namespace ceres::internal
