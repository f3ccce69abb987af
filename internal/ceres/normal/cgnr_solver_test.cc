// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/normal/cgnr_solver.h"

#include <chrono>
#include <vector>

#include "ceres/linear/random_jacobian.h"
#include "ceres/normal/normal_operator.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

RandomJacobianOptions ManyRowChunks() {
  RandomJacobianOptions options;
  options.num_column_blocks = 150;
  options.max_column_size = 9;
  options.num_row_blocks = 9000;
  options.max_row_size = 18;
  options.seed = 11;
  return options;
}

// Many columns of width 1 side by side.
RandomJacobianOptions ManyColumns() {
  RandomJacobianOptions options;
  options.num_column_blocks = 200;
  options.max_column_size = 1;
  options.num_row_blocks = 30;
  options.max_row_size = 40;
  options.max_cells = 50;
  options.seed = 5;
  return options;
}

TEST(NormalOperator, EqualsDenseProduct) {
  for (const RandomJacobianOptions& shape :
       {RandomJacobianOptions(), ManyRowChunks(), ManyColumns()}) {
    const auto p = MakeRandomJacobian(shape);
    TestThreads threads(2);
    NormalOperator a(threads.execution(), p->structure);
    const Eigen::MatrixXd j = DenseJacobian(p->jacobian);
    const Eigen::VectorXd x = Eigen::VectorXd::Random(a.size());
    Eigen::VectorXd y(a.size());
    Eigen::VectorXd expected = j.transpose() * (j * x);
    a.Bind(p->jacobian, nullptr);
    a.Apply(x.data(), y.data());
    EXPECT_LT((y - expected).norm(), 1e-12 * expected.norm());
    expected.array() += p->damping.array().square() * x.array();
    a.Bind(p->jacobian, p->damping.data());
    a.Apply(x.data(), y.data());
    EXPECT_LT((y - expected).norm(), 1e-12 * expected.norm());
  }
}

TEST(NormalDiagonal, EqualsDenseBlocksAndGradient) {
  const auto p = MakeRandomJacobian({});
  const BlockJacobianStructure& s = p->structure;
  const Eigen::MatrixXd j = DenseJacobian(p->jacobian);
  Eigen::MatrixXd normal = j.transpose() * j;
  normal.diagonal().array() += p->damping.array().square();
  BlockDiagonalInverse blocks(Execution(), s.column_offset);
  Eigen::VectorXd g(s.num_columns());
  NormalDiagonal(Execution(), s)
      .Compute(p->jacobian, p->damping.data(), g.data(), &blocks);
  const Eigen::VectorXd expected = -j.transpose() * DenseResiduals(p->jacobian);
  EXPECT_LT((g - expected).norm(), 1e-13 * expected.norm());
  for (int b = 0; b < s.num_column_blocks(); ++b) {
    const int n = s.column_size(b);
    for (int i = 0; i < n; ++i) {
      for (int k = i; k < n; ++k) {
        EXPECT_NEAR(blocks.block(b)[i * n + k],
                    normal(s.column_offset[b] + i, s.column_offset[b] + k),
                    1e-12);
      }
    }
  }
}

class Cgnr : public testing::TestWithParam<PreconditionerType> {
 protected:
  CgnrOptions Options() const {
    CgnrOptions options;
    options.preconditioner = GetParam();
    return options;
  }
};

TEST_P(Cgnr, SolvesRandomLeastSquares) {
  for (int seed = 1; seed <= 5; ++seed) {
    RandomJacobianOptions shape;
    shape.seed = seed;
    shape.num_column_blocks = 2 + 4 * seed;
    const auto p = MakeRandomJacobian(shape);
    const auto solver = CreateCgnrSolver(Options(), Execution(), p->structure);
    const Eigen::VectorXd scale =
        Eigen::VectorXd::LinSpaced(p->structure.num_columns(), 0.5, 2.0);
    LinearSolver::SolveOptions options;
    options.r_tolerance = 1e-12;
    options.damping = p->damping.data();
    for (const double* column_scale :
         {static_cast<const double*>(nullptr), scale.data()}) {
      options.column_scale = column_scale;
      Eigen::VectorXd step(p->structure.num_columns());
      const LinearSolverSummary summary =
          solver->Solve(p->jacobian, options, step.data());
      ASSERT_EQ(summary.termination, LinearSolverTermination::kSuccess)
          << summary.message;
      const Eigen::VectorXd expected =
          DenseStep(p->jacobian, p->damping.data());
      EXPECT_LT((step - expected).norm(), 1e-9 * expected.norm());
      const double change = DenseModelCostChange(p->jacobian, step);
      EXPECT_NEAR(summary.model_cost_change, change, 1e-10 * change);
    }
  }
}

TEST_P(Cgnr, ZeroResidualsGiveZeroStep) {
  const auto p = MakeRandomJacobian({});
  for (int row = 0; row < p->structure.num_row_blocks(); ++row) {
    std::fill_n(p->jacobian.row_block(row), p->structure.row_size(row), 0.0);
  }
  Eigen::VectorXd step(p->structure.num_columns());
  const LinearSolverSummary summary =
      CreateCgnrSolver(Options(), Execution(), p->structure)
          ->Solve(p->jacobian, {}, step.data());
  EXPECT_EQ(summary.termination, LinearSolverTermination::kSuccess);
  EXPECT_EQ(step.norm(), 0.0);
}

TEST_P(Cgnr, RankDeficientProblemGivesAFiniteStepThatDecreasesTheModel) {
  // Two columns that are the same, and one that nobody touches.
  BlockJacobianStructure s;
  s.column_offset = {0, 1, 2, 3};
  for (int i = 0; i < 6; ++i) AppendRowBlock(1, {0, 1}, &s);
  CutIntoRowChunks(&s);
  BlockJacobian jacobian{&s, AlignedBuffer(s.num_values())};
  for (int i = 0; i < 6; ++i) {
    jacobian.row_block(i)[0] = i - 2.0;
    jacobian.row_block(i)[1] = jacobian.row_block(i)[2] = i + 1.0;
  }
  LinearSolver::SolveOptions options;
  options.r_tolerance = 1e-10;
  double step[3];
  const LinearSolverSummary summary =
      CreateCgnrSolver(Options(), Execution(), s)
          ->Solve(jacobian, options, step);
  EXPECT_EQ(summary.termination, LinearSolverTermination::kSuccess);
  // The least-squares solution of the sum of both: -sum(r c) / sum(c^2).
  EXPECT_NEAR(step[0] + step[1], -28.0 / 91.0, 1e-9);
  EXPECT_EQ(step[2], 0.0);
  EXPECT_GT(summary.model_cost_change, 0.0);
}

TEST_P(Cgnr, PassedDeadlineIsNoConvergenceWithAUsableStep) {
  const auto p = MakeRandomJacobian({});
  LinearSolver::SolveOptions options;
  options.damping = p->damping.data();
  options.deadline = std::chrono::steady_clock::now();
  Eigen::VectorXd step(p->structure.num_columns());
  const LinearSolverSummary summary =
      CreateCgnrSolver(Options(), Execution(), p->structure)
          ->Solve(p->jacobian, options, step.data());
  EXPECT_EQ(summary.termination, LinearSolverTermination::kNoConvergence);
  EXPECT_EQ(summary.num_iterations, 1);
  EXPECT_GT(summary.model_cost_change, 0.0);
}

TEST_P(Cgnr, NoColumnsNeedNoStep) {
  BlockJacobianStructure s;
  CutIntoRowChunks(&s);
  const BlockJacobian jacobian{&s, AlignedBuffer()};
  const LinearSolverSummary summary =
      CreateCgnrSolver(Options(), Execution(), s)->Solve(jacobian, {}, nullptr);
  EXPECT_EQ(summary.termination, LinearSolverTermination::kSuccess);
  EXPECT_EQ(summary.model_cost_change, 0.0);
}

TEST_P(Cgnr, SameBitsForEveryNumberOfThreads) {
  const auto p = MakeRandomJacobian(ManyRowChunks());
  ASSERT_GT(p->structure.num_row_chunks(), 8);
  LinearSolver::SolveOptions options;
  options.damping = p->damping.data();
  options.q_tolerance = 1e-6;
  EXPECT_TRUE(HasSameBitsForAllThreads([&](const Execution& execution) {
    Eigen::VectorXd step(p->structure.num_columns());
    EXPECT_EQ(CreateCgnrSolver(Options(), execution, p->structure)
                  ->Solve(p->jacobian, options, step.data())
                  .termination,
              LinearSolverTermination::kSuccess);
    return step;
  }));
}

INSTANTIATE_TEST_SUITE_P(Preconditioners, Cgnr,
                         testing::Values(IDENTITY, JACOBI));

TEST(CgnrIdentity, WorksInScaledVariables) {
  // With the scale that makes all columns equally long, one iteration solves a
  // diagonal problem; without it, it does not.
  BlockJacobianStructure s;
  s.column_offset = {0, 3};
  for (int i = 0; i < 3; ++i) AppendRowBlock(1, {0}, &s);
  CutIntoRowChunks(&s);
  BlockJacobian jacobian{&s, AlignedBuffer(s.num_values())};
  const double diagonal[] = {1.0, 10.0, 100.0};
  const double scale[] = {1.0, 0.1, 0.01};
  for (int i = 0; i < 3; ++i) {
    std::fill_n(jacobian.row_block(i), 4, 0.0);
    jacobian.row_block(i)[0] = 1.0;
    jacobian.row_block(i)[1 + i] = diagonal[i];
  }
  CgnrOptions cgnr;
  cgnr.preconditioner = IDENTITY;
  LinearSolver::SolveOptions options;
  options.r_tolerance = 1e-10;
  double step[3];
  const auto solver = CreateCgnrSolver(cgnr, Execution(), s);
  EXPECT_GT(solver->Solve(jacobian, options, step).num_iterations, 1);
  options.column_scale = scale;
  EXPECT_EQ(solver->Solve(jacobian, options, step).num_iterations, 1);
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(step[i], -scale[i], 1e-12);
}

TEST(CgnrDeathTest, OtherPreconditioners) {
  CgnrOptions options;
  options.preconditioner = SCHUR_JACOBI;
  EXPECT_DEATH(CreateCgnrSolver(options, Execution(), BlockJacobianStructure()),
               "IDENTITY and JACOBI");
}

}  // namespace
}  // namespace ceres::internal
