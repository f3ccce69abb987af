// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/diagnosis/shifted_least_squares.h"

#include <algorithm>
#include <memory>
#include <random>
#include <string>

#include "Eigen/QR"
#include "ceres/linear/random_jacobian.h"
#include "ceres/schur/random_schur_jacobian.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

using Eigen::MatrixXd;

constexpr double kShift = 0.01;

RowMajorMatrix RandomRows(const RandomJacobian& problem, int columns) {
  std::mt19937 random(5);
  RowMajorMatrix w(problem.structure.num_rows(), columns);
  FillWithRandomValues(&random, w.data(), w.size());
  return w;
}

RowMajorMatrix Solve(const Execution& execution, const RandomJacobian& problem,
                     const RowMajorMatrix& w) {
  const CellsByColumn cells(problem.structure);
  const std::unique_ptr<ShiftedLeastSquares> inverse =
      ShiftedLeastSquares::Create(execution, problem.jacobian, cells);
  std::string message;
  EXPECT_EQ(inverse->Factorize(kShift, &message),
            ShiftedLeastSquares::Outcome::kSuccess)
      << message;
  return inverse->Solve(w);
}

// By a QR factorization of J and the shift below it.
MatrixXd DenseSolution(const RandomJacobian& problem, const RowMajorMatrix& w) {
  const MatrixXd j = DenseJacobian(problem.jacobian);
  MatrixXd below(j.rows() + j.cols(), j.cols());
  below << j, kShift * MatrixXd::Identity(j.cols(), j.cols());
  MatrixXd right = MatrixXd::Zero(below.rows(), w.cols());
  right.topRows(w.rows()) = w;
  return below.colPivHouseholderQr().solve(right);
}

void ExpectDenseSolution(const RandomJacobian& problem) {
  for (const int columns : {1, 2, 9}) {
    SCOPED_TRACE(columns);
    const RowMajorMatrix w = RandomRows(problem, columns);
    const MatrixXd expected = DenseSolution(problem, w);
    const RowMajorMatrix x = Solve({}, problem, w);
    EXPECT_LT((x - expected).norm(), 1e-10 * expected.norm());
    for (const int num_threads : {2, 3, 4, 8}) {
      TestThreads threads(num_threads);
      EXPECT_EQ(Solve(threads.execution(), problem, w), x);
    }
  }
}

TEST(ShiftedLeastSquares, SolvesWithoutElimination) {
  for (int seed = 1; seed <= 5; ++seed) {
    SCOPED_TRACE(seed);
    RandomJacobianOptions options;
    options.seed = seed;
    ExpectDenseSolution(*MakeRandomJacobian(options));
  }
}

TEST(ShiftedLeastSquares, SolvesScenes) {
  for (int seed = 1; seed <= 5; ++seed) {
    SCOPED_TRACE(seed);
    RandomSchurOptions options;
    options.seed = seed;
    options.num_points = 60;
    ExpectDenseSolution(*MakeRandomSchurJacobian(options));
  }
}

TEST(ShiftedLeastSquares, SolvesMixedSizesAndRowsWithoutPoints) {
  for (int seed = 1; seed <= 5; ++seed) {
    SCOPED_TRACE(seed);
    RandomSchurOptions options;
    options.seed = seed;
    options.point_sizes = {1, 2, 3, 5};
    options.camera_sizes = {1, 4, 6};
    options.row_sizes = {1, 2, 3};
    options.min_cells = 0;
    options.max_cells = 3;
    options.repeat_cameras = true;
    options.num_other_rows = 12;
    ExpectDenseSolution(*MakeRandomSchurJacobian(options));
  }
}

TEST(ShiftedLeastSquares, SaysThatASingularMatrixIsNotPositiveDefinite) {
  RandomSchurOptions options;
  const std::unique_ptr<RandomJacobian> problem =
      MakeRandomSchurJacobian(options);
  std::fill_n(problem->jacobian.values.data(), problem->structure.num_values(),
              0.0);
  const CellsByColumn cells(problem->structure);
  std::string message;
  EXPECT_EQ(ShiftedLeastSquares::Create({}, problem->jacobian, cells)
                ->Factorize(0.0, &message),
            ShiftedLeastSquares::Outcome::kNotPositiveDefinite);
  EXPECT_FALSE(message.empty());
}

}  // namespace
}  // namespace ceres::internal
