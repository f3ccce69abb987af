// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/covariance/normal_inverse.h"

#include <memory>
#include <vector>

#include "Eigen/Core"
#include "ceres/linear/dense_test_utils.h"
#include "ceres/linear/random_jacobian.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

using RowMajor =
    Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

Eigen::VectorXd SquaredColumnNorms(const BlockJacobian& jacobian) {
  return DenseJacobian(jacobian).colwise().squaredNorm();
}

// The whole inverse, block by block; empty: not trusted.
Eigen::MatrixXd Invert(const BlockJacobian& jacobian, double smallest_pivot,
                       int num_threads) {
  const BlockJacobianStructure& s = *jacobian.structure;
  std::vector<RowMajor> values;
  std::vector<InverseBlock> blocks;
  for (int a = 0; a < s.num_column_blocks(); ++a) {
    for (int b = 0; b < s.num_column_blocks(); ++b) {
      values.emplace_back(s.column_size(a), s.column_size(b));
    }
  }
  for (size_t k = 0; k < values.size(); ++k) {
    blocks.push_back({static_cast<int>(k) / s.num_column_blocks(),
                      static_cast<int>(k) % s.num_column_blocks(),
                      values[k].data()});
  }
  TestThreads threads(num_threads);
  if (!InvertNormalMatrix(threads.execution(), jacobian,
                          SquaredColumnNorms(jacobian).data(), smallest_pivot,
                          blocks)) {
    return {};
  }
  Eigen::MatrixXd inverse(s.num_columns(), s.num_columns());
  for (size_t k = 0; k < values.size(); ++k) {
    inverse.block(s.column_offset[blocks[k].row],
                  s.column_offset[blocks[k].column], values[k].rows(),
                  values[k].cols()) = values[k];
  }
  return inverse;
}

// Multiplies the first column of block 1.
void ScaleColumn(double factor, RandomJacobian* problem) {
  const BlockJacobianStructure& s = problem->structure;
  for (int row = 0; row < s.num_row_blocks(); ++row) {
    for (int c = s.first_cell[row]; c < s.first_cell[row + 1]; ++c) {
      if (s.cell_column[c] != 1) continue;
      double* const cell =
          problem->jacobian.row_block(row) + s.cell_position[c];
      for (int i = 0; i < s.row_size(row); ++i) {
        cell[i * s.column_size(1)] *= factor;
      }
    }
  }
}

TEST(NormalInverse, IsTheDenseInverse) {
  for (int seed = 1; seed <= 24; ++seed) {
    SCOPED_TRACE(seed);
    const auto problem = MakeTallRandomJacobian(seed);
    const Eigen::MatrixXd j = DenseJacobian(problem->jacobian);
    const Eigen::MatrixXd expected = DenseInverse(j.transpose() * j);
    const Eigen::MatrixXd inverse = Invert(problem->jacobian, 0.0, 1);
    ASSERT_EQ(inverse.rows(), expected.rows());
    EXPECT_LT((inverse - expected).norm(), 1e-10 * expected.norm());
    for (const int num_threads : {2, 4}) {
      EXPECT_EQ(Invert(problem->jacobian, 0.0, num_threads), inverse);
    }
  }
}

TEST(NormalInverse, IsRefusedWherePivotsAreTooSmall) {
  const auto problem = MakeTallRandomJacobian(3);
  EXPECT_GT(Invert(problem->jacobian, 1e-3, 1).size(), 0);
  EXPECT_EQ(Invert(problem->jacobian, 1.0 - 1e-9, 1).size(), 0);
  ScaleColumn(0.0, problem.get());
  EXPECT_EQ(Invert(problem->jacobian, 0.0, 1).size(), 0);
}

TEST(NormalInverse, ScaleOfAColumnIsNoReason) {
  const auto problem = MakeTallRandomJacobian(3);
  ScaleColumn(1e-12, problem.get());
  EXPECT_GT(Invert(problem->jacobian, 1e-3, 1).size(), 0);
}

}  // namespace
}  // namespace ceres::internal
