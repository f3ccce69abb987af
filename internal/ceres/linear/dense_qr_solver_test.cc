// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/linear/dense_qr_solver.h"

#include <utility>
#include <vector>

#include "ceres/internal/config.h"
#include "ceres/linear/column_sums.h"
#include "ceres/linear/random_jacobian.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

using ::testing::HasSubstr;

std::vector<DenseLinearAlgebraLibraryType> Libraries() {
#ifdef CERES_NO_LAPACK
  return {EIGEN};
#else
  return {EIGEN, LAPACK};
#endif
}

class DenseQr : public testing::TestWithParam<DenseLinearAlgebraLibraryType> {
 protected:
  LinearSolverSummary Solve(const BlockJacobian& jacobian,
                            const double* damping, double* step) {
    LinearSolver::SolveOptions options;
    options.damping = damping;
    return CreateDenseQrSolver(GetParam(), Execution(), *jacobian.structure)
        ->Solve(jacobian, options, step);
  }
};

TEST_P(DenseQr, SolvesRandomLeastSquares) {
  for (int seed = 1; seed <= 10; ++seed) {
    RandomJacobianOptions options;
    options.seed = seed;
    options.num_column_blocks = 3 * seed;
    const auto p = MakeRandomJacobian(options);
    Eigen::VectorXd step(p->structure.num_columns());
    for (const double* damping :
         {(const double*)p->damping.data(), (const double*)nullptr}) {
      if (damping == nullptr && seed > 5) continue;  // Rank-deficient.
      const LinearSolverSummary summary =
          Solve(p->jacobian, damping, step.data());
      ASSERT_EQ(summary.termination, LinearSolverTermination::kSuccess)
          << summary.message;
      const Eigen::VectorXd expected = DenseStep(p->jacobian, damping);
      EXPECT_LT((step - expected).norm(), 1e-10 * expected.norm());
      EXPECT_EQ(summary.num_iterations, 1);
      const double change = DenseModelCostChange(p->jacobian, step);
      EXPECT_NEAR(summary.model_cost_change, change, 1e-11 * change);
    }
  }
}

TEST_P(DenseQr, SolverCanBeUsedAgainWithAndWithoutDamping) {
  const auto p = MakeRandomJacobian({});
  const auto solver =
      CreateDenseQrSolver(GetParam(), Execution(), p->structure);
  Eigen::VectorXd step(p->structure.num_columns());
  for (const bool damped : {true, false, true}) {
    LinearSolver::SolveOptions options;
    options.damping = damped ? p->damping.data() : nullptr;
    ASSERT_EQ(solver->Solve(p->jacobian, options, step.data()).termination,
              LinearSolverTermination::kSuccess);
    const Eigen::VectorXd expected = DenseStep(p->jacobian, options.damping);
    EXPECT_LT((step - expected).norm(), 1e-10 * expected.norm());
  }
}

TEST_P(DenseQr, LeastSquaresThatNormalEquationsWouldLose) {
  // Columns (1, e, 0) and (1, 0, e) with e^2 below the working precision
  // (Laeuchli): J'J is singular in floating point.
  const double e = 1e-9;
  BlockJacobianStructure s;
  s.column_offset = {0, 2};
  AppendRowBlock(3, {0}, &s);
  CutIntoRowChunks(&s);
  BlockJacobian jacobian{&s, AlignedBuffer(9)};
  const double row_block[] = {-2, -e, -e, /**/ 1, 1, e, 0, 0, e};
  std::copy_n(row_block, 9, jacobian.values.data());
  double step[2];
  ASSERT_EQ(Solve(jacobian, nullptr, step).termination,
            LinearSolverTermination::kSuccess);
  EXPECT_NEAR(step[0], 1.0, 1e-6);
  EXPECT_NEAR(step[1], 1.0, 1e-6);
}

TEST_P(DenseQr, RankDeficientProblemFailsAndNamesTheColumn) {
  BlockJacobianStructure s;
  s.column_offset = {0, 1, 2, 3};
  for (int i = 0; i < 6; ++i) AppendRowBlock(1, {0, 1, 2}, &s);
  CutIntoRowChunks(&s);
  BlockJacobian jacobian{&s, AlignedBuffer(s.num_values())};
  for (int i = 0; i < 6; ++i) {
    double* row_block = jacobian.row_block(i);
    row_block[0] = 1.0;
    row_block[1] = i + 1.0;
    row_block[2] = 3.0 * row_block[1];
    row_block[3] = i * i + 0.25;
  }
  double step[3];
  const LinearSolverSummary summary = Solve(jacobian, nullptr, step);
  EXPECT_EQ(summary.termination, LinearSolverTermination::kFailure);
  EXPECT_THAT(summary.message, HasSubstr("column 1"));
  const double damping[3] = {0.1, 0.1, 0.1};
  EXPECT_EQ(Solve(jacobian, damping, step).termination,
            LinearSolverTermination::kSuccess);
}

TEST_P(DenseQr, FewerResidualsThanParametersNeedDamping) {
  RandomJacobianOptions options;
  options.num_row_blocks = 2;
  const auto p = MakeRandomJacobian(options);
  Eigen::VectorXd step(p->structure.num_columns());
  const LinearSolverSummary summary = Solve(p->jacobian, nullptr, step.data());
  EXPECT_EQ(summary.termination, LinearSolverTermination::kFailure);
  EXPECT_THAT(summary.message, HasSubstr("cannot determine"));
  ASSERT_EQ(Solve(p->jacobian, p->damping.data(), step.data()).termination,
            LinearSolverTermination::kSuccess);
  const Eigen::VectorXd expected = DenseStep(p->jacobian, p->damping.data());
  EXPECT_LT((step - expected).norm(), 1e-11 * expected.norm());
}

TEST_P(DenseQr, NanInTheJacobianFails) {
  const auto p = MakeRandomJacobian({});
  p->jacobian.row_block(3)[p->structure.row_size(3)] = NAN;
  Eigen::VectorXd step(p->structure.num_columns());
  EXPECT_EQ(Solve(p->jacobian, p->damping.data(), step.data()).termination,
            LinearSolverTermination::kFailure);
}

TEST_P(DenseQr, ZeroResidualsGiveZeroStep) {
  const auto p = MakeRandomJacobian({});
  for (int row = 0; row < p->structure.num_row_blocks(); ++row) {
    std::fill_n(p->jacobian.row_block(row), p->structure.row_size(row), 0.0);
  }
  Eigen::VectorXd step(p->structure.num_columns());
  const LinearSolverSummary summary =
      Solve(p->jacobian, p->damping.data(), step.data());
  EXPECT_EQ(summary.termination, LinearSolverTermination::kSuccess);
  EXPECT_EQ(step.norm(), 0.0);
  EXPECT_EQ(summary.model_cost_change, 0.0);
}

TEST_P(DenseQr, NoColumnsNeedNoStep) {
  BlockJacobianStructure s;
  CutIntoRowChunks(&s);
  const BlockJacobian jacobian{&s, AlignedBuffer()};
  EXPECT_EQ(Solve(jacobian, nullptr, nullptr).termination,
            LinearSolverTermination::kSuccess);
}

TEST_P(DenseQr, SameBitsForEveryNumberOfThreads) {
  RandomJacobianOptions options;
  options.num_row_blocks = 1500;
  options.num_column_blocks = 20;
  const auto p = MakeRandomJacobian(options);
  LinearSolver::SolveOptions solve_options;
  solve_options.damping = p->damping.data();
  EXPECT_TRUE(HasSameBitsForAllThreads([&](const Execution& execution) {
    Eigen::VectorXd step(p->structure.num_columns());
    const LinearSolverSummary summary =
        CreateDenseQrSolver(GetParam(), execution, p->structure)
            ->Solve(p->jacobian, solve_options, step.data());
    return std::pair(step, summary.model_cost_change);
  }));
}

INSTANTIATE_TEST_SUITE_P(Libraries, DenseQr, testing::ValuesIn(Libraries()));

}  // namespace
}  // namespace ceres::internal
