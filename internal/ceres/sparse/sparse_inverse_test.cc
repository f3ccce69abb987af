// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/sparse/sparse_inverse.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "Eigen/Core"
#include "ceres/linear/dense_test_utils.h"
#include "ceres/linear/random_jacobian.h"
#include "ceres/sparse/native_cholesky.h"
#include "ceres/sparse/random_block_symmetric.h"
#include "ceres/sparse/selected_inverse.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

using RowMajor =
    Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Pairs = std::vector<std::pair<int, int>>;

Pairs AllPairs(int n) {
  Pairs pairs;
  for (int i = 0; i < n; ++i) {
    for (int j = i; j < n; ++j) pairs.emplace_back(i, j);
  }
  return pairs;
}

Pairs Diagonal(int n) {
  Pairs pairs;
  for (int i = 0; i < n; ++i) pairs.emplace_back(i, i);
  return pairs;
}

// The blocks that the matrix stores.
Pairs Stored(const BlockSymmetricStructure& s) {
  Pairs pairs;
  for (int i = 0; i < s.num_blocks(); ++i) {
    for (int e = s.first_entry[i]; e < s.first_entry[i + 1]; ++e) {
      // Some blocks are mirrored.
      pairs.emplace_back(i, s.entry_column[e]);
      if (e % 3 == 0) std::swap(pairs.back().first, pairs.back().second);
    }
  }
  return pairs;
}

std::vector<RowMajor> Compute(const RandomBlockSymmetric& a, const Pairs& pairs,
                              InverseMethod method, int num_threads) {
  const BlockSymmetricStructure& s = a.structure;
  const auto factor = CreateNativeFactor(SparseCholesky::Options(), s);
  std::string message;
  EXPECT_EQ(factor->Factorize(Execution(), a.values.data(), &message),
            LinearSolverTermination::kSuccess)
      << message;
  std::vector<RowMajor> values;
  for (const auto& [i, j] : pairs) {
    values.push_back(
        RowMajor::Constant(s.block_offset[i + 1] - s.block_offset[i],
                           s.block_offset[j + 1] - s.block_offset[j], 7.0));
  }
  std::vector<InverseBlock> blocks;
  for (size_t k = 0; k < pairs.size(); ++k) {
    blocks.push_back({pairs[k].first, pairs[k].second, values[k].data()});
  }
  TestThreads threads(num_threads);
  ComputeInverseBlocks(threads.execution(), s.block_offset, factor->plan(),
                       factor->columns(), method, blocks);
  return values;
}

void ExpectInverse(const RandomBlockSymmetric& a, const Pairs& pairs,
                   InverseMethod method, const Eigen::MatrixXd& inverse) {
  const BlockSymmetricStructure& s = a.structure;
  const std::vector<RowMajor> values = Compute(a, pairs, method, 1);
  for (size_t k = 0; k < pairs.size(); ++k) {
    const auto [i, j] = pairs[k];
    const RowMajor& block = values[k];
    const Eigen::MatrixXd expected = inverse.block(
        s.block_offset[i], s.block_offset[j], block.rows(), block.cols());
    ASSERT_LE((block - expected).norm(), 1e-13 * inverse.norm())
        << "block " << i << ", " << j;
    if (i == j) {
      EXPECT_EQ(block, block.transpose().eval());
    }
  }
}

void ExpectInverse(const RandomBlockSymmetric& a, const Pairs& pairs) {
  const Eigen::MatrixXd inverse = DenseInverse(a.Dense());
  for (const InverseMethod method :
       {InverseMethod::kFewestOperations, InverseMethod::kSolves}) {
    ExpectInverse(a, pairs, method, inverse);
  }
}

TEST(SparseInverse, ShapesOfTreesEqualDenseInverse) {
  for (const TreeShape& shape : kTreeShapes) {
    SCOPED_TRACE(shape.name);
    const auto a = shape.Make();
    ExpectInverse(*a, AllPairs(12));
    ExpectInverse(*a, Diagonal(12));
    ExpectInverse(*a, Stored(a->structure));
    ExpectInverse(*a, {{4, 4}});
    ExpectInverse(*a, {{4, 9}, {9, 2}});
  }
}

TEST(SparseInverse, RandomStructuresEqualDenseInverse) {
  for (int seed = 0; seed < 6; ++seed) {
    SCOPED_TRACE(seed);
    const auto a = MakeRandomBlockSymmetric(60, 9, 40 + 20 * seed, seed);
    ExpectInverse(*a, Stored(a->structure));
    ExpectInverse(*a, AllPairs(60));
  }
}

TEST(SparseInverse, BlocksWithoutScalarsAreSkipped) {
  const auto a = MakeBlockSymmetric(
      {0, 3, 0, 2, 4, 0}, [](int i, int j) { return (i + j) % 2 == 1; }, 3);
  ExpectInverse(*a, AllPairs(6));
}

// Fronts that are cut into tasks, and wide ones.
std::unique_ptr<RandomBlockSymmetric> Grid(int side, int size) {
  return MakeBlockSymmetric(
      std::vector<int>(side * side, size),
      [side](int i, int j) {
        return j == i + side || (j == i + 1 && j % side != 0);
      },
      5);
}

// Two wide fronts below a third.
std::unique_ptr<RandomBlockSymmetric> TwoPartsAndHub() {
  return MakeBlockSymmetric(
      std::vector<int>(60, 9),
      [](int i, int j) { return j >= 50 || (i < 25) == (j < 25); }, 4);
}

void ExpectSameBits(const RandomBlockSymmetric& a, const Pairs& pairs) {
  constexpr InverseMethod kMethod = InverseMethod::kFewestOperations;
  const std::vector<RowMajor> serial = Compute(a, pairs, kMethod, 1);
  for (const int num_threads : {2, 4, 8}) {
    const std::vector<RowMajor> values =
        Compute(a, pairs, kMethod, num_threads);
    for (size_t k = 0; k < pairs.size(); ++k) {
      ASSERT_EQ(values[k], serial[k]) << num_threads << " threads";
    }
  }
}

TEST(SparseInverse, HasTheSameBitsForEveryNumberOfThreads) {
  const auto grid = Grid(40, 3);
  ExpectSameBits(*grid, Stored(grid->structure));
  ExpectSameBits(*grid, {{0, 0}, {3, 400}, {17, 3}, {500, 500}});
  ExpectSameBits(*TwoPartsAndHub(), AllPairs(60));
}

TEST(SparseInverse, WideFrontsEqualDenseInverse) {
  ExpectInverse(*Grid(14, 4), Diagonal(14 * 14));
  ExpectInverse(*TwoPartsAndHub(), Diagonal(60));
}

}  // namespace
}  // namespace ceres::internal
