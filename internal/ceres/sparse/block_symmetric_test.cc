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
  Eigen::VectorXd expected(x.size());
  product.Apply(Execution(), a->values.data(), x.data(), expected.data());
  for (const int num_threads : {1, 2, 3, 4, 8}) {
    TestThreads threads(num_threads);
    Eigen::VectorXd y(x.size());
    product.Apply(threads.execution(), a->values.data(), x.data(), y.data());
    EXPECT_TRUE(y == expected) << num_threads;
  }
}

TEST(BlockDiagonalInverse, SolvesWithEachBlock) {
  TestThreads threads(2);
  BlockDiagonalInverse inverse(threads.execution(), {0, 1, 4, 4 + 9, 13 + 40});
  std::vector<Eigen::MatrixXd> blocks;
  for (int b = 0; b < inverse.num_blocks(); ++b) {
    const int n = inverse.block_size(b);
    const Eigen::MatrixXd half = Eigen::MatrixXd::Random(n, n);
    blocks.push_back(half * half.transpose() + Eigen::MatrixXd::Identity(n, n));
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) {
        inverse.block(b)[i * n + j] = j < i ? NAN : blocks[b](i, j);
      }
    }
  }
  inverse.Invert();
  const Eigen::VectorXd r = Eigen::VectorXd::Random(inverse.size());
  Eigen::VectorXd z(r.size());
  inverse.Apply(r.data(), z.data());
  int offset = 0;
  for (const Eigen::MatrixXd& block : blocks) {
    const Eigen::Index n = block.rows();
    EXPECT_LT((block * z.segment(offset, n) - r.segment(offset, n)).norm(),
              1e-12 * r.segment(offset, n).norm());
    offset += static_cast<int>(n);
  }
}

TEST(BlockDiagonalInverse, IndefiniteBlockIsReplacedByItsDiagonal) {
  BlockDiagonalInverse inverse(Execution(), {0, 3});
  const double block[] = {4, 9, 0, 9, 2, 0, 0, 0, -5};
  std::copy_n(block, 9, inverse.block(0));
  inverse.Invert();
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
  inverse.Invert();
  const double r[] = {3, 4};
  double z[2];
  inverse.Apply(r, z);
  EXPECT_EQ(z[0], 3.0);
  EXPECT_EQ(z[1], 4.0);
}

}  // namespace
}  // namespace ceres::internal
