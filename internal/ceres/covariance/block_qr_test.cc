// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/covariance/block_qr.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <random>
#include <vector>

#include "Eigen/Dense"
#include "ceres/linear/dense_test_utils.h"
#include "ceres/linear/random_jacobian.h"
#include "ceres/sparse/normal_pattern.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

std::vector<int> ShuffledOrder(int n, int seed) {
  std::vector<int> order(n);
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), std::mt19937(seed));
  return order;
}

// Requests for every block of the inverse, and room for them.
struct AllBlocks {
  explicit AllBlocks(const BlockJacobianStructure& s) {
    const int n = s.num_column_blocks();
    values.resize(static_cast<size_t>(s.num_columns()) * s.num_columns());
    double* next = values.data();
    for (int a = 0; a < n; ++a) {
      for (int b = 0; b < n; ++b) {
        blocks.push_back({a, b, next});
        next += s.column_size(a) * s.column_size(b);
      }
    }
  }
  Eigen::MatrixXd Dense(const BlockJacobianStructure& s) const {
    Eigen::MatrixXd dense(s.num_columns(), s.num_columns());
    for (const InverseBlock& block : blocks) {
      const int rows = s.column_size(block.row);
      const int columns = s.column_size(block.column);
      dense.block(s.column_offset[block.row], s.column_offset[block.column],
                  rows, columns) =
          Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic,
                                         Eigen::RowMajor>>(block.values, rows,
                                                           columns);
    }
    return dense;
  }
  std::vector<double> values;
  std::vector<InverseBlock> blocks;
};

TEST(BlockQr, AllBlocksOfTheInverseAreThoseOfADenseInverse) {
  for (int seed = 1; seed <= 24; ++seed) {
    SCOPED_TRACE(seed);
    const auto problem = MakeTallRandomJacobian(seed);
    const BlockJacobianStructure& s = problem->structure;
    BlockQr qr(s, NormalPattern(s), ShuffledOrder(s.num_column_blocks(), seed));
    ASSERT_FALSE(qr.Factorize({}, problem->jacobian, 1e-10));
    const AllBlocks all(s);
    qr.ComputeInverseBlocks({}, all.blocks);

    const Eigen::MatrixXd j = DenseJacobian(problem->jacobian);
    const Eigen::MatrixXd expected = DenseInverse(j.transpose() * j);
    const Eigen::MatrixXd inverse = all.Dense(s);
    EXPECT_LT((inverse - expected).norm(), 1e-10 * expected.norm());
    EXPECT_EQ((inverse - inverse.transpose()).norm(), 0.0);
  }
}

TEST(BlockQr, HasTheSameBitsForAnyNumberOfThreads) {
  const auto problem = MakeTallRandomJacobian(/*seed=*/5);
  const BlockJacobianStructure& s = problem->structure;
  const std::vector<int> order = ShuffledOrder(s.num_column_blocks(), 3);
  BlockQr serial(s, NormalPattern(s), order);
  ASSERT_FALSE(serial.Factorize({}, problem->jacobian, 1e-10));
  const AllBlocks expected(s);
  serial.ComputeInverseBlocks({}, expected.blocks);
  for (const int num_threads : {1, 2, 4, 8}) {
    TestThreads threads(num_threads);
    for (int repetition = 0; repetition < 5; ++repetition) {
      BlockQr qr(s, NormalPattern(s), order);
      ASSERT_FALSE(qr.Factorize(threads.execution(), problem->jacobian, 1e-10));
      const AllBlocks all(s);
      qr.ComputeInverseBlocks(threads.execution(), all.blocks);
      EXPECT_EQ(all.values, expected.values) << num_threads << " threads";
    }
  }
}

TEST(BlockQr, FindsADependentColumnWhateverTheOrder) {
  for (int seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE(seed);
    const auto problem = MakeTallRandomJacobian(seed);
    const BlockJacobianStructure& s = problem->structure;
    // The last column of block 1 becomes zero in all rows.
    for (int row = 0; row < s.num_row_blocks(); ++row) {
      for (int c = s.first_cell[row]; c < s.first_cell[row + 1]; ++c) {
        if (s.cell_column[c] != 1) continue;
        const int size = s.column_size(1);
        for (int i = 0; i < s.row_size(row); ++i) {
          problem->jacobian.row_block(
              row)[s.cell_position[c] + (i + 1) * size - 1] = 0.0;
        }
      }
    }
    BlockQr qr(s, NormalPattern(s), ShuffledOrder(s.num_column_blocks(), seed));
    const auto dependent = qr.Factorize({}, problem->jacobian, 1e-10);
    ASSERT_TRUE(dependent);
    EXPECT_EQ(dependent->block, 1);
    EXPECT_EQ(dependent->column, s.column_size(1) - 1);
    EXPECT_LE(dependent->pivot, 1e-10);
  }
}

// A single row block: residuals of zero, then the cells.
struct OneRowBlock {
  OneRowBlock(const std::vector<int>& column_offset, int num_rows,
              const std::vector<int>& columns,
              const std::vector<double>& cells) {
    structure.column_offset = column_offset;
    AppendRowBlock(num_rows, columns, &structure);
    CutIntoRowChunks(&structure);
    jacobian.structure = &structure;
    jacobian.values.Resize(structure.num_values());
    std::fill_n(jacobian.values.data(), num_rows, 0.0);
    std::copy(cells.begin(), cells.end(), jacobian.values.data() + num_rows);
  }
  BlockJacobianStructure structure;
  BlockJacobian jacobian;
};

TEST(BlockQr, ComparesPivotsWithTheTolerance) {
  // One block, J = diag(4, 1): the pivots are 4 and 1.
  const OneRowBlock j({0, 2}, 2, {0}, {4, 0, 0, 1});
  BlockQr qr(j.structure, NormalPattern(j.structure), {0});
  EXPECT_FALSE(qr.Factorize({}, j.jacobian, 0.99));
  const auto dependent = qr.Factorize({}, j.jacobian, 1.0);
  ASSERT_TRUE(dependent);
  EXPECT_EQ(dependent->column, 1);
  EXPECT_EQ(dependent->pivot, 1.0);
}

TEST(BlockQr, BlocksWithoutEnoughRowsAreDependent) {
  // Block 1 has no rows at all.
  const OneRowBlock j({0, 2, 5}, 2, {0}, {4, 0, 0, 1});
  BlockQr qr(j.structure, NormalPattern(j.structure), {1, 0});
  const auto dependent = qr.Factorize({}, j.jacobian, 1e-10);
  ASSERT_TRUE(dependent);
  EXPECT_EQ(dependent->block, 1);
  EXPECT_EQ(dependent->column, 0);
  EXPECT_EQ(dependent->pivot, 0.0);
}

TEST(BlockQr, MergesAFullMatrixIntoOneFront) {
  BlockJacobianStructure structure;
  structure.column_offset = {0, 2, 4, 6};
  for (int i = 0; i < 5; ++i) AppendRowBlock(2, {0, 1, 2}, &structure);
  const BlockQr qr(structure, NormalPattern(structure), {2, 0, 1});
  ASSERT_EQ(qr.plan().fronts.size(), 1u);
  EXPECT_EQ(qr.plan().fronts[0].width, 6);
}

// C_00 of a well-determined block beside a badly determined one. Solves with R
// change C_00 by about eps cond(J) = 1e-8. Solves with the Cholesky factor of
// J'J would change it by eps cond(J)^2 = 0.4.
TEST(BlockQr, LosesDigitsByTheConditionOfTheJacobianNotOfItsSquare) {
  constexpr double kSmall = 1e-7;
  // Q R with orthonormal Q = [1 2 2; 2 1 -2; 2 -2 1] / 3 and
  // R = [1 3 3 + s; 0 1 1; 0 0 s].
  Eigen::Matrix3d q, r;
  q << 1, 2, 2, 2, 1, -2, 2, -2, 1;
  q /= 3.0;
  r << 1, 3, 3 + kSmall, 0, 1, 1, 0, 0, kSmall;
  // Three cells of one column each: the columns of Q R.
  const Eigen::Matrix3d qr_product = q * r;
  const OneRowBlock j({0, 1, 2, 3}, 3, {0, 1, 2},
                      {qr_product.data(), qr_product.data() + 9});
  BlockQr qr(j.structure, NormalPattern(j.structure), {0, 1, 2});
  ASSERT_FALSE(qr.Factorize({}, j.jacobian, 1e-12));
  double value = 0.0;
  qr.ComputeInverseBlocks({}, {{0, 0, &value}});
  // R^-1's first row is [1 -3 -1].
  EXPECT_NEAR(value, 11.0, 1e-7);
}

// The rows of some row blocks are constraints. With `redundant`, some of their
// rows are multiples of others.
struct ConstrainedJacobian {
  ConstrainedJacobian(int seed, bool redundant)
      : problem(MakeTallRandomJacobian(seed)) {
    const BlockJacobianStructure& s = problem->structure;
    is_constraint.assign(s.num_row_blocks(), false);
    int num_rows = 0;
    for (int row = seed % 5; 3 * num_rows < s.num_columns(); row += 3) {
      is_constraint[row] = true;
      num_rows += s.row_size(row);
      if (!redundant || s.row_size(row) < 2) continue;
      for (int c = s.first_cell[row]; c < s.first_cell[row + 1]; ++c) {
        const int size = s.column_size(s.cell_column[c]);
        double* const cell =
            problem->jacobian.row_block(row) + s.cell_position[c];
        for (int j = 0; j < size; ++j) cell[size + j] = -3e4 * cell[j];
      }
    }
  }

  // Z (Z'J'J Z)^-1 Z' with an orthonormal basis Z of the null space of A.
  Eigen::MatrixXd Expected() const {
    const BlockJacobianStructure& s = problem->structure;
    const Eigen::MatrixXd all = DenseJacobian(problem->jacobian);
    Eigen::MatrixXd a = Eigen::MatrixXd::Zero(all.rows(), all.cols());
    Eigen::MatrixXd j = all;
    for (int row = 0; row < s.num_row_blocks(); ++row) {
      if (!is_constraint[row]) continue;
      a.middleRows(s.row_offset[row], s.row_size(row)) =
          all.middleRows(s.row_offset[row], s.row_size(row));
      j.middleRows(s.row_offset[row], s.row_size(row)).setZero();
    }
    for (Eigen::Index i = 0; i < a.rows(); ++i) {
      if (a.row(i).norm() > 0.0) a.row(i).normalize();
    }
    const Eigen::JacobiSVD<Eigen::MatrixXd> svd(a, Eigen::ComputeFullV);
    const Eigen::Index rank = (svd.singularValues().array() > 1e-9).count();
    const Eigen::MatrixXd z = svd.matrixV().rightCols(a.cols() - rank);
    const Eigen::MatrixXd jz = j * z;
    return z * DenseInverse(jz.transpose() * jz) * z.transpose();
  }

  std::unique_ptr<RandomJacobian> problem;
  std::vector<bool> is_constraint;
};

TEST(BlockQr, ConstraintsGiveTheBlockOfTheInverseOfTheKktMatrix) {
  for (int seed = 1; seed <= 24; ++seed) {
    for (const bool redundant : {false, true}) {
      SCOPED_TRACE(testing::Message() << seed << ' ' << redundant);
      const ConstrainedJacobian constrained(seed, redundant);
      const BlockJacobianStructure& s = constrained.problem->structure;
      BlockQr qr(s, NormalPattern(s),
                 ShuffledOrder(s.num_column_blocks(), seed),
                 constrained.is_constraint);
      ASSERT_FALSE(qr.Factorize({}, constrained.problem->jacobian, 1e-10));
      const AllBlocks all(s);
      qr.ComputeInverseBlocks({}, all.blocks);
      const Eigen::MatrixXd expected = constrained.Expected();
      EXPECT_LT((all.Dense(s) - expected).norm(), 1e-10 * expected.norm());
    }
  }
}

TEST(BlockQr, HasTheSameBitsForAnyNumberOfThreadsWithConstraints) {
  const ConstrainedJacobian constrained(/*seed=*/5, /*redundant=*/true);
  const BlockJacobianStructure& s = constrained.problem->structure;
  std::vector<double> expected;
  for (const int num_threads : {1, 2, 3, 4, 8}) {
    TestThreads threads(num_threads);
    BlockQr qr(s, NormalPattern(s), ShuffledOrder(s.num_column_blocks(), 3),
               constrained.is_constraint);
    ASSERT_FALSE(qr.Factorize(threads.execution(),
                              constrained.problem->jacobian, 1e-10));
    const AllBlocks all(s);
    qr.ComputeInverseBlocks(threads.execution(), all.blocks);
    if (num_threads == 1) expected = all.values;
    EXPECT_EQ(all.values, expected) << num_threads << " threads";
  }
}

// What neither J nor A determines is dependent, whatever the order.
TEST(BlockQr, FindsAColumnThatConstraintsLeaveDependent) {
  // x0 - x1 = 0 is a constraint, x2 is a residual.
  BlockJacobianStructure s;
  s.column_offset = {0, 1, 2, 3};
  AppendRowBlock(1, {0, 1}, &s);
  AppendRowBlock(1, {2}, &s);
  CutIntoRowChunks(&s);
  BlockJacobian j;
  j.structure = &s;
  j.values.Resize(s.num_values());
  const std::vector<double> values = {0.0, 1e-7, -1.0, 0.0, 1.0};
  std::copy(values.begin(), values.end(), j.values.data());
  for (const std::vector<int>& order :
       {std::vector<int>{0, 1, 2}, {1, 0, 2}, {2, 1, 0}}) {
    BlockQr qr(s, NormalPattern(s), order, {true, false});
    const auto dependent = qr.Factorize({}, j, 1e-14);
    ASSERT_TRUE(dependent);
    EXPECT_NE(dependent->block, 2);
  }
}

}  // namespace
}  // namespace ceres::internal
