// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/normal/dynamic_sparsity_solver.h"

#include <memory>

#include "ceres/linear/random_jacobian.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

SchurSolverOptions SparseOptions() {
  SchurSolverOptions options;
  options.sparse.library = EIGEN_SPARSE;
  return options;
}

// Sets about the given part of the cells, and of the columns inside wide ones,
// to zero.
void PlantZeros(double part, int seed, BlockJacobian* jacobian) {
  const BlockJacobianStructure& s = *jacobian->structure;
  std::mt19937 random(seed);
  std::bernoulli_distribution is_zero(part);
  for (int row = 0; row < s.num_row_blocks(); ++row) {
    for (int c = s.first_cell[row]; c < s.first_cell[row + 1]; ++c) {
      const int size = s.column_size(s.cell_column[c]);
      double* cell = jacobian->row_block(row) + s.cell_position[c];
      const bool whole = is_zero(random);
      for (int j = 0; j < size; ++j) {
        if (!whole && !is_zero(random)) continue;
        for (int i = 0; i < s.row_size(row); ++i) cell[i * size + j] = 0.0;
      }
    }
  }
}

TEST(DynamicSparsitySolver, StepIsTheDenseOneWhateverIsZero) {
  for (const int max_column_size : {3, 20}) {
    RandomJacobianOptions random;
    random.num_column_blocks = 9;
    random.max_column_size = max_column_size;
    random.num_row_blocks = 80;
    const auto problem = MakeRandomJacobian(random);
    const auto solver =
        CreateDynamicSparsitySolver(SparseOptions(), {}, problem->structure);
    LinearSolver::SolveOptions options;
    options.damping = problem->damping.data();
    Eigen::VectorXd step(problem->structure.num_columns());
    // The same solver, more and more zeros; rows and columns without any
    // nonzero at the end.
    for (const double part : {0.0, 0.3, 0.6, 1.0}) {
      PlantZeros(part, 11, &problem->jacobian);
      const LinearSolverSummary summary =
          solver->Solve(problem->jacobian, options, step.data());
      ASSERT_EQ(summary.termination, LinearSolverTermination::kSuccess)
          << summary.message;
      const Eigen::VectorXd expected =
          DenseStep(problem->jacobian, options.damping);
      EXPECT_LT((step - expected).norm(), 1e-10 * expected.norm() + 1e-14)
          << part << " " << max_column_size;
      EXPECT_NEAR(summary.model_cost_change,
                  DenseModelCostChange(problem->jacobian, expected), 1e-10);
    }
  }
}

TEST(DynamicSparsitySolver, BitsDoNotDependOnThreads) {
  RandomJacobianOptions random;
  random.num_column_blocks = 200;
  random.num_row_blocks = 3000;
  const auto problem = MakeRandomJacobian(random);
  PlantZeros(0.5, 5, &problem->jacobian);
  LinearSolver::SolveOptions options;
  options.damping = problem->damping.data();
  EXPECT_TRUE(HasSameBitsForAllThreads([&](const Execution& execution) {
    Eigen::VectorXd step(problem->structure.num_columns());
    EXPECT_EQ(CreateDynamicSparsitySolver(SparseOptions(), execution,
                                          problem->structure)
                  ->Solve(problem->jacobian, options, step.data())
                  .termination,
              LinearSolverTermination::kSuccess);
    return step;
  }));
}

}  // namespace
}  // namespace ceres::internal
