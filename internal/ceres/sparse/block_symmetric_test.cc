// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/sparse/block_symmetric.h"

#include "ceres/sparse/random_block_symmetric.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

TEST(BlockSymmetricProduct, EqualsDenseProduct) {
  for (int seed = 1; seed <= 5; ++seed) {
    const auto a = MakeRandomBlockSymmetric(3 * seed, 7, 5 * seed, seed);
    const Eigen::VectorXd x = Eigen::VectorXd::Random(a->structure.size());
    Eigen::VectorXd y = Eigen::VectorXd::Constant(x.size(), NAN);
    TestThreads threads(2);
    BlockSymmetricProduct(a->structure)
        .Apply(threads.execution(), a->values.data(), x.data(), y.data());
    EXPECT_LT((y - a->Dense() * x).norm(), 1e-13 * y.norm());
  }
}

TEST(BlockSymmetricProduct, SameBitsForEveryNumberOfThreads) {
  const auto a = MakeRandomBlockSymmetric(200, 9, 2000, 6);
  const Eigen::VectorXd x = Eigen::VectorXd::Random(a->structure.size());
  const BlockSymmetricProduct product(a->structure);
  EXPECT_TRUE(HasSameBitsForAllThreads([&](const Execution& execution) {
    Eigen::VectorXd y(x.size());
    product.Apply(execution, a->values.data(), x.data(), y.data());
    return y;
  }));
}

TEST(BlockDiagonalInverse, SolvesInWholeAndByBlocks) {
  TestThreads threads(2);
  const std::vector<int> offset = {0, 1, 4, 10, 19, 19 + 40};
  for (const bool or_replace : {false, true}) {
    BlockDiagonalInverse inverse(threads.execution(), offset);
    const int n = inverse.size();
    Eigen::MatrixXd matrix = Eigen::MatrixXd::Zero(n, n);
    for (int b = 0; b < inverse.num_blocks(); ++b) {
      const int size = inverse.block_size(b);
      const Eigen::MatrixXd half = Eigen::MatrixXd::Random(size, size);
      const Eigen::MatrixXd block =
          half * half.transpose() + Eigen::MatrixXd::Identity(size, size);
      matrix.block(offset[b], offset[b], size, size) = block;
      for (int i = 0; i < size; ++i) {
        for (int j = 0; j < size; ++j) {
          const bool is_read = or_replace ? j >= i : j <= i;
          inverse.block(b)[i * size + j] = is_read ? block(i, j) : NAN;
        }
      }
    }
    if (or_replace) {
      inverse.InvertOrReplace();
    } else {
      ASSERT_EQ(inverse.Invert(), -1);
    }
    const Eigen::VectorXd r = Eigen::VectorXd::Random(n);
    Eigen::VectorXd z(n);
    inverse.Apply(r.data(), z.data());
    EXPECT_LT((matrix * z - r).norm(), 1e-12 * r.norm());

    const BlockwiseProduct& blockwise = *inverse.blockwise();
    EXPECT_EQ(blockwise.row_blocks(), offset);
    Eigen::VectorXd by_blocks = Eigen::VectorXd::Constant(n, 7.0);
    blockwise.ApplyToBlocks(0, 3, r.data(), by_blocks.data());
    EXPECT_EQ(by_blocks.head(offset[3]), z.head(offset[3]));
    EXPECT_TRUE((by_blocks.tail(n - offset[3]).array() == 7.0).all());
    blockwise.ApplyToBlocks(3, inverse.num_blocks(), r.data(),
                            by_blocks.data());
    EXPECT_EQ(by_blocks, z);
  }
}

TEST(BlockDiagonalInverse, NamesTheFirstBlockThatIsNotDefinite) {
  BlockDiagonalInverse inverse({}, {0, 1, 2, 3});
  inverse.blocks()[0] = 1.0;
  inverse.blocks()[1] = -1.0;
  inverse.blocks()[2] = 0.0;
  EXPECT_EQ(inverse.Invert(), 1);
}

TEST(BlockDiagonalInverse, IndefiniteBlockIsReplacedByItsDiagonal) {
  BlockDiagonalInverse inverse(Execution(), {0, 3});
  const double block[] = {4, 9, 0, 9, 2, 0, 0, 0, -5};
  std::copy_n(block, 9, inverse.block(0));
  inverse.InvertOrReplace();
  const double r[] = {1, 1, 1};
  double z[3];
  inverse.Apply(r, z);
  EXPECT_EQ(z[0], 0.25);
  EXPECT_EQ(z[1], 0.5);
  EXPECT_EQ(z[2], 1.0);
}

TEST(BlockDiagonalInverse, SingularBlockStaysFinite) {
  BlockDiagonalInverse inverse(Execution(), {0, 2});
  std::fill_n(inverse.block(0), 4, 0.0);
  inverse.InvertOrReplace();
  const double r[] = {3, 4};
  double z[2];
  inverse.Apply(r, z);
  EXPECT_EQ(z[0], 3.0);
  EXPECT_EQ(z[1], 4.0);
}

}  // namespace
}  // namespace ceres::internal
