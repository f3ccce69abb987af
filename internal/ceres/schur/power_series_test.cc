// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/schur/power_series.h"

#include <algorithm>
#include <string>
#include <vector>

#include "ceres/linear/dense_test_utils.h"
#include "ceres/schur/random_schur_jacobian.h"
#include "ceres/schur/schur_solvers.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

// S formed or not, with what the series needs of it.
class Fixture {
 public:
  Fixture(const RandomSchurOptions& options, ReducedMatrix matrix,
          int num_terms)
      : problem(MakeRandomSchurJacobian(options)),
        plan({}, problem->structure, matrix,
             matrix == ReducedMatrix::kSchurComplement
                 ? kernels::PointDiagonal::kSplit
                 : kernels::PointDiagonal::kNone),
        eliminator({}, plan, SchurEliminator::KeepU::kYes),
        product({}, plan),
        series({}, plan, product, num_terms) {
    std::string message;
    EXPECT_TRUE(eliminator.Eliminate(problem->jacobian, problem->damping.data(),
                                     &message));
    product.Update(eliminator);
    EXPECT_EQ(series.Update(eliminator, &message),
              LinearSolverTermination::kSuccess);
  }

  // The operator as a matrix.
  Eigen::MatrixXd Inverse() const {
    Eigen::MatrixXd columns(series.size(), series.size());
    Eigen::VectorXd unit = Eigen::VectorXd::Zero(series.size());
    for (int j = 0; j < series.size(); ++j) {
      unit[j] = 1.0;
      series.Apply(unit.data(), columns.col(j).data());
      unit[j] = 0.0;
    }
    return columns;
  }

  std::unique_ptr<RandomJacobian> problem;
  SchurPlan plan;
  SchurEliminator eliminator;
  SchurProductOperator product;
  PowerSeriesPreconditioner series;
};

// The diagonal blocks of C = F'F + D'D.
Eigen::MatrixXd DenseDiagonal(const RandomJacobian& problem) {
  const BlockJacobianStructure& s = problem.structure;
  const int first = s.column_offset[s.num_eliminated];
  const int n = s.num_columns() - first;
  const Eigen::MatrixXd f = DenseJacobian(problem.jacobian).rightCols(n);
  Eigen::MatrixXd c = f.transpose() * f;
  c.diagonal() += problem.damping.tail(n).array().square().matrix();
  Eigen::MatrixXd diagonal = Eigen::MatrixXd::Zero(n, n);
  for (int b = s.num_eliminated; b < s.num_column_blocks(); ++b) {
    const int offset = s.column_offset[b] - first;
    const int size = s.column_size(b);
    diagonal.block(offset, offset, size, size) =
        c.block(offset, offset, size, size);
  }
  return diagonal;
}

RandomSchurOptions BundleOfCameras() {
  RandomSchurOptions options;
  options.num_points = 80;
  options.num_cameras = 8;
  return options;
}

TEST(PowerSeries, EqualsTheDensePolynomialInS) {
  for (const ReducedMatrix matrix :
       {ReducedMatrix::kSchurComplement, ReducedMatrix::kRemainingBlocks}) {
    for (const int num_terms : {1, 2, 5}) {
      const Fixture f(BundleOfCameras(), matrix, num_terms);
      const Eigen::MatrixXd s = DenseSchurComplement(*f.problem);
      const Eigen::MatrixXd inverse = DenseInverse(DenseDiagonal(*f.problem));
      Eigen::MatrixXd expected = inverse;
      for (int i = 0; i < num_terms; ++i) {
        expected = (inverse + expected - inverse * s * expected).eval();
      }
      EXPECT_LT((f.Inverse() - expected).norm(), 1e-11 * expected.norm());
    }
  }
}

TEST(PowerSeries, ComesCloserToTheInverseWithEachTerm) {
  double last = 1.0;
  for (const int num_terms : {1, 2, 4, 8, 16}) {
    const Fixture f(BundleOfCameras(), ReducedMatrix::kSchurComplement,
                    num_terms);
    const Eigen::MatrixXd s = DenseSchurComplement(*f.problem);
    const Eigen::MatrixXd one = Eigen::MatrixXd::Identity(s.rows(), s.cols());
    // The eigenvalues of I - M^-1 S, which are those of (I - C^-1 S)^(m+1).
    const double error =
        DenseEigenvalues(one - f.Inverse() * s).cwiseAbs().maxCoeff();
    EXPECT_LT(error, last);
    last = error;
  }
  EXPECT_LT(last, 0.5);
}

// The series with N = C would diverge here, or be indefinite.
TEST(PowerSeries, IsPositiveDefiniteWhereRowsTouchManyRemainingBlocks) {
  RandomSchurOptions options = BundleOfCameras();
  options.num_points = 20;
  options.min_cells = 2;
  options.max_cells = 6;
  options.num_other_rows = 30;
  options.camera_sizes = {2, 5};
  for (const int num_terms : {1, 2, 5}) {
    const Fixture f(options, ReducedMatrix::kSchurComplement, num_terms);
    const Eigen::MatrixXd m = f.Inverse();
    EXPECT_LT((m - m.transpose()).norm(), 1e-10 * m.norm());
    EXPECT_GT(SymmetricEigenvalues(m).minCoeff(), 0.0);
    const Eigen::MatrixXd s = DenseSchurComplement(*f.problem);
    const double largest = DenseEigenvalues(m * s).real().maxCoeff();
    EXPECT_LT(largest, 1.0 + 1e-9);
  }
}

TEST(PowerSeries, ExpansionEndsAtTheTolerance) {
  const Fixture f(BundleOfCameras(), ReducedMatrix::kRemainingBlocks, 1000);
  const Eigen::VectorXd x =
      Eigen::VectorXd::LinSpaced(f.series.size(), -1.0, 1.0);
  Eigen::VectorXd y(x.size());
  const int coarse = f.series.Expand(0.1, x.data(), y.data());
  const int fine = f.series.Expand(1e-6, x.data(), y.data());
  EXPECT_LT(coarse, fine);
  EXPECT_LT(fine, 1000);
  const Eigen::VectorXd exact = SolveDense(DenseSchurComplement(*f.problem), x);
  EXPECT_LT((y - exact).norm(), 1e-3 * exact.norm());
  EXPECT_EQ(f.series.Expand(0.0, x.data(), y.data()), 1000);
}

int NumIterations(const RandomJacobian& problem,
                  const SchurSolverOptions& options) {
  LinearSolver::SolveOptions solve;
  solve.damping = problem.damping.data();
  solve.r_tolerance = 1e-8;
  Eigen::VectorXd step(problem.structure.num_columns());
  const LinearSolverSummary summary =
      CreateSchurSolver(options, {}, problem.structure)
          ->Solve(problem.jacobian, solve, step.data());
  EXPECT_EQ(summary.termination, LinearSolverTermination::kSuccess);
  return summary.num_iterations;
}

TEST(PowerSeries, SavesIterationsOfConjugateGradients) {
  RandomSchurOptions scene;
  scene.num_points = 400;
  scene.num_cameras = 40;
  scene.max_rows_per_point = 4;
  const auto problem = MakeRandomSchurJacobian(scene);
  problem->damping *= 0.1;
  SchurSolverOptions options;
  options.method = SchurSolverOptions::Method::kIterative;
  options.preconditioner = JACOBI;
  int last = NumIterations(*problem, options);
  options.preconditioner = SCHUR_POWER_SERIES_EXPANSION;
  for (const int num_terms : {1, 4, 16}) {
    options.max_num_spse_iterations = num_terms;
    const int iterations = NumIterations(*problem, options);
    EXPECT_LT(iterations, 0.8 * last) << num_terms;
    last = iterations;
  }
}

}  // namespace
}  // namespace ceres::internal
