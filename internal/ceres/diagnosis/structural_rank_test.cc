// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/diagnosis/structural_rank.h"

#include <algorithm>

#include "Eigen/QR"
#include "ceres/linear/random_jacobian.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

// Random values have the largest rank that the cells allow (Edmonds, Systems of
// Distinct Representatives and Linear Algebra, 1967).
TEST(StructuralRank, IsTheRankOfRandomValues) {
  int num_deficient = 0;
  for (int seed = 1; seed <= 400; ++seed) {
    SCOPED_TRACE(seed);
    RandomJacobianOptions options;
    options.seed = seed;
    options.num_column_blocks = 2 + seed % 13;
    options.max_column_size = 1 + seed % 6;
    options.num_row_blocks = 1 + seed * 7 % 23;
    options.max_row_size = 1 + seed % 4;
    options.max_cells = 1 + seed % 2;
    const auto problem = MakeRandomJacobian(options);
    const Eigen::MatrixXd j = DenseJacobian(problem->jacobian);
    const auto rank = Eigen::FullPivHouseholderQR<Eigen::MatrixXd>(j).rank();
    EXPECT_EQ(StructuralRank(problem->structure), rank);
    if (rank < std::min(j.rows(), j.cols())) ++num_deficient;
  }
  EXPECT_GT(num_deficient, 50);
}

// Rows in order leave columns 0 to 2 without a row: each row block of n rows
// serves its first column block, and the flow must be moved along a chain.
TEST(StructuralRank, MovesFlowAlongChains) {
  constexpr int kLength = 40;
  BlockJacobianStructure s;
  for (int block = 0; block <= kLength; ++block) {
    s.column_offset.push_back(3 * (block + 1));
  }
  for (int row = 0; row < kLength; ++row) {
    AppendRowBlock(3, {row + 1, row}, &s);
  }
  EXPECT_EQ(StructuralRank(s), 3 * kLength);
  AppendRowBlock(2, {kLength}, &s);
  EXPECT_EQ(StructuralRank(s), 3 * kLength + 2);
  AppendRowBlock(2, {kLength}, &s);
  EXPECT_EQ(StructuralRank(s), 3 * kLength + 3);
}

}  // namespace
}  // namespace ceres::internal
