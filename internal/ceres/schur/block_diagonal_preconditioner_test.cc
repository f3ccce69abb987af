// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/schur/block_diagonal_preconditioner.h"

#include <vector>

#include "ceres/internal/eigen.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

TEST(BlockDiagonalPreconditioner, IsTheInverseInWholeAndByBlocks) {
  constexpr int kNumBlocks = 11;
  std::vector<int> offset = {0};
  for (int b = 0; b < kNumBlocks; ++b) offset.push_back(offset.back() + b + 1);
  const int n = offset.back();
  BlockDiagonalPreconditioner preconditioner({}, offset);
  Eigen::MatrixXd matrix = Eigen::MatrixXd::Zero(n, n);
  for (int b = 0; b < kNumBlocks; ++b) {
    const int width = b + 1;
    const Eigen::MatrixXd root = Eigen::MatrixXd::Random(width, width);
    const Eigen::MatrixXd block =
        root * root.transpose() + Eigen::MatrixXd::Identity(width, width);
    matrix.block(offset[b], offset[b], width, width) = block;
    Eigen::Map<Eigen::MatrixXd>(
        preconditioner.blocks() + preconditioner.offsets()[b], width, width) =
        block;
  }
  ASSERT_EQ(preconditioner.Invert(), -1);
  const Eigen::VectorXd x = Eigen::VectorXd::Random(n);
  Eigen::VectorXd y(n);
  preconditioner.Apply(x.data(), y.data());
  EXPECT_LT((matrix * y - x).norm(), 1e-12 * x.norm());

  const BlockwiseProduct& blockwise = *preconditioner.blockwise();
  EXPECT_EQ(blockwise.row_blocks(), offset);
  Eigen::VectorXd by_blocks = Eigen::VectorXd::Constant(n, 7.0);
  blockwise.ApplyToBlocks(0, 4, x.data(), by_blocks.data());
  EXPECT_EQ(by_blocks.head(offset[4]), y.head(offset[4]));
  EXPECT_TRUE((by_blocks.tail(n - offset[4]).array() == 7.0).all());
  blockwise.ApplyToBlocks(4, kNumBlocks, x.data(), by_blocks.data());
  EXPECT_EQ(by_blocks, y);
}

TEST(BlockDiagonalPreconditioner, NamesTheFirstBlockThatIsNotDefinite) {
  BlockDiagonalPreconditioner preconditioner({}, {0, 1, 2, 3});
  preconditioner.blocks()[0] = 1.0;
  preconditioner.blocks()[1] = -1.0;
  preconditioner.blocks()[2] = 0.0;
  EXPECT_EQ(preconditioner.Invert(), 1);
}

}  // namespace
}  // namespace ceres::internal
