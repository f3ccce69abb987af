// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Normal equations that are factored in single precision and refined.

#include <string>
#include <vector>

#include "Eigen/Core"
#include "ceres/internal/config.h"
#include "ceres/linear/random_jacobian.h"
#include "ceres/normal/normal_equations_solver.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

using Method = SchurSolverOptions::Method;

struct Backend {
  std::string name;
  SchurSolverOptions options;
};

// The libraries that can factor in single precision.
std::vector<Backend> Backends() {
  std::vector<Backend> all;
  SchurSolverOptions options;
  options.method = Method::kDense;
  options.mixed_precision = true;
  all.push_back({"DENSE_EIGEN", options});
#ifndef CERES_NO_LAPACK
  options.dense_library = LAPACK;
  all.push_back({"DENSE_LAPACK", options});
#endif
  options = {};
  options.method = Method::kSparse;
  options.sparse.single_precision = true;
  options.sparse.library = NATIVE_SPARSE;
  all.push_back({"SPARSE_NATIVE", options});
#ifdef CERES_USE_EIGEN_SPARSE
  options.sparse.library = EIGEN_SPARSE;
  all.push_back({"SPARSE_EIGEN", options});
#endif
  return all;
}

// Every second column of a block nearly that before it: the condition of J'J is
// some 1e5, so that a solution in single precision has two or three digits.
std::unique_ptr<RandomJacobian> IllConditionedJacobian() {
  constexpr double kDifference = 1e-2;
  RandomJacobianOptions options;
  options.num_row_blocks = 120;
  std::unique_ptr<RandomJacobian> problem = MakeRandomJacobian(options);
  const BlockJacobianStructure& s = problem->structure;
  for (int row = 0; row < s.num_row_blocks(); ++row) {
    for (int c = s.first_cell[row]; c < s.first_cell[row + 1]; ++c) {
      const int width = s.column_size(s.cell_column[c]);
      double* cell = problem->jacobian.row_block(row) + s.cell_position[c];
      for (int i = 0; i < s.row_size(row); ++i, cell += width) {
        for (int j = 1; j < width; j += 2) {
          cell[j] = cell[j - 1] + kDifference * cell[j];
        }
      }
    }
  }
  problem->damping.setConstant(1e-6);
  return problem;
}

class MixedPrecisionTest : public testing::TestWithParam<Backend> {
 protected:
  LinearSolverSummary Solve(int num_refinements) {
    SchurSolverOptions options = GetParam().options;
    options.max_num_refinement_iterations = num_refinements;
    options.sparse.num_refinement_iterations = num_refinements;
    LinearSolver::SolveOptions solve_options;
    solve_options.damping = problem_->damping.data();
    return CreateNormalEquationsSolver(options, {}, problem_->structure)
        ->Solve(problem_->jacobian, solve_options, step_.data());
  }

  double RelativeError(int num_refinements) {
    const LinearSolverSummary summary = Solve(num_refinements);
    EXPECT_EQ(summary.termination, LinearSolverTermination::kSuccess)
        << summary.message;
    return (step_ - expected_).norm() / expected_.norm();
  }

  const std::unique_ptr<RandomJacobian> problem_ = IllConditionedJacobian();
  const Eigen::VectorXd expected_ =
      DenseStep(problem_->jacobian, problem_->damping.data());
  Eigen::VectorXd step_{expected_.size()};
};

TEST_P(MixedPrecisionTest, RefinementReachesDoublePrecision) {
  EXPECT_GT(RelativeError(0), 1e-5) << "a solution in single precision";
  EXPECT_LT(RelativeError(1), 0.1 * RelativeError(0));
  EXPECT_LT(RelativeError(10), 1e-10);
}

TEST_P(MixedPrecisionTest, WhatOverflowsSinglePrecisionFails) {
  for (int64_t k = 0; k < problem_->structure.num_values(); ++k) {
    problem_->jacobian.values.data()[k] *= 1e20;
  }
  const LinearSolverSummary summary = Solve(0);
  EXPECT_EQ(summary.termination, LinearSolverTermination::kFailure);
  EXPECT_NE(summary.message, "");
}

INSTANTIATE_TEST_SUITE_P(Backends, MixedPrecisionTest,
                         testing::ValuesIn(Backends()),
                         [](const testing::TestParamInfo<Backend>& info) {
                           return info.param.name;
                         });

}  // namespace
}  // namespace ceres::internal
