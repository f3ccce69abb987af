// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/marginalization/row_factorization.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "ceres/context.h"
#include "ceres/execution/context_impl.h"
#include "ceres/linear/single_threaded_blas.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

ColMajorMatrix RandomMatrix(int rows, int cols, std::mt19937* random) {
  std::normal_distribution<double> normal;
  return ColMajorMatrix::NullaryExpr(rows, cols,
                                     [&] { return normal(*random); });
}

// A matrix whose first num_candidates columns have this rank, and norm one.
ColMajorMatrix MakeRows(int num_rows, int num_candidates, int rank,
                        int num_others, std::mt19937* random) {
  ColMajorMatrix rows(num_rows, num_candidates + num_others);
  rows.leftCols(num_candidates) = RandomMatrix(num_rows, rank, random) *
                                  RandomMatrix(rank, num_candidates, random);
  rows.leftCols(num_candidates).colwise().normalize();
  rows.rightCols(num_others) = RandomMatrix(num_rows, num_others, random);
  return rows;
}

// Checks all that the header says about a result.
void ExpectFactorization(const ColMajorMatrix& rows,
                         const RowFactorization& found, double tolerance,
                         const ColMajorMatrix& result) {
  const int n = static_cast<int>(found.order.size());
  ColMajorMatrix permuted = rows;
  for (int c = 0; c < n; ++c) permuted.col(c) = rows.col(found.order[c]);
  EXPECT_LE((result.transpose() * result - permuted.transpose() * permuted)
                .cwiseAbs()
                .maxCoeff(),
            1e-13 * rows.squaredNorm());
  double least = std::numeric_limits<double>::infinity();
  double largest = 0.0;
  for (int k = 0; k < found.rank; ++k) {
    const double pivot = std::abs(result(k, k));
    least = std::min(least, pivot);
    largest = std::max(largest, pivot);
    EXPECT_GT(pivot, tolerance);
    EXPECT_TRUE(result.col(k).tail(rows.rows() - k - 1).isZero(0.0));
    for (int c = k + 1; c < n; ++c) {
      EXPECT_GE(pivot, 0.099 * result.col(c).tail(rows.rows() - k).norm());
    }
  }
  for (int c = found.rank; c < n; ++c) {
    EXPECT_LE(result.col(c).tail(rows.rows() - found.rank).norm(), tolerance);
  }
  if (found.rank == 0) return;
  EXPECT_EQ(found.least_pivot, least);
  EXPECT_EQ(found.largest_pivot, largest);
}

struct Sizes {
  int num_rows, num_candidates, rank, num_others;
};

TEST(FactorizeRows, RevealsTheRank) {
  const SingleThreadedBlas single_threaded;
  std::mt19937 random(1);
  for (const Sizes& s :
       {Sizes{1, 1, 1, 0}, Sizes{5, 3, 2, 1}, Sizes{3, 7, 3, 2},
        Sizes{40, 0, 0, 3}, Sizes{100, 64, 64, 1}, Sizes{200, 65, 64, 65},
        Sizes{150, 130, 90, 1}, Sizes{70, 200, 70, 1}, Sizes{300, 200, 1, 5},
        Sizes{129, 129, 128, 0}}) {
    const ColMajorMatrix rows =
        MakeRows(s.num_rows, s.num_candidates, s.rank, s.num_others, &random);
    ColMajorMatrix result = rows;
    const RowFactorization found =
        FactorizeRows({}, s.num_candidates, 1e-11, &result);
    EXPECT_EQ(found.rank, s.rank) << s.num_rows << "x" << s.num_candidates;
    ExpectFactorization(rows, found, 1e-11, result);
  }
}

// Columns of very different lengths, and pairs that are nearly parallel: the
// pivots of a block cannot be taken in the order of the columns.
TEST(FactorizeRows, PutsColumnsOffThatDependOnTheBlock) {
  const SingleThreadedBlas single_threaded;
  std::mt19937 random(2);
  for (const double distance : {0.5, 1e-3, 1e-6, 1e-9}) {
    ColMajorMatrix rows = RandomMatrix(200, 101, &random);
    rows.colwise().normalize();
    for (int c = 1; c < 100; c += 2) {
      rows.col(c) = rows.col(c - 1) + distance * rows.col(c);
    }
    rows.col(10) *= 1e-2;
    ColMajorMatrix result = rows;
    const RowFactorization found = FactorizeRows({}, 100, 1e-12, &result);
    EXPECT_EQ(found.rank, 100);
    ExpectFactorization(rows, found, 1e-12, result);
  }
}

TEST(FactorizeRows, SkipsRowsWithoutTheColumnsOfABlock) {
  const SingleThreadedBlas single_threaded;
  std::mt19937 random(3);
  ColMajorMatrix rows = MakeRows(300, 180, 180, 2, &random);
  // Stairs: column c has rows up to c + 3 and some of the last ones.
  for (int c = 0; c < 180; ++c) {
    for (int r = c + 4; r < 300; ++r) {
      if (r % 97 != c % 97) rows(r, c) = 0.0;
    }
  }
  ColMajorMatrix result = rows;
  const RowFactorization found = FactorizeRows({}, 180, 1e-12, &result);
  ExpectFactorization(rows, found, 1e-12, result);
}

TEST(FactorizeRows, FindsNoRankInZerosAndInNumbersThatAreNone) {
  const SingleThreadedBlas single_threaded;
  for (const double value : {0.0, std::numeric_limits<double>::quiet_NaN(),
                             std::numeric_limits<double>::infinity()}) {
    ColMajorMatrix rows = ColMajorMatrix::Constant(6, 4, value);
    const RowFactorization found = FactorizeRows({}, 3, 1e-12, &rows);
    EXPECT_LE(found.rank, std::isinf(value) ? 3 : 0) << value;
  }
  ColMajorMatrix none(0, 4);
  EXPECT_EQ(FactorizeRows({}, 3, 1e-12, &none).rank, 0);
}

TEST(FactorizeRows, HasTheSameBitsForAllThreads) {
  const SingleThreadedBlas single_threaded;
  std::mt19937 random(4);
  const ColMajorMatrix rows = MakeRows(400, 300, 270, 60, &random);
  ColMajorMatrix serial = rows;
  const RowFactorization expected = FactorizeRows({}, 300, 1e-11, &serial);
  EXPECT_EQ(expected.rank, 270);
  for (const int num_threads : {2, 3, 4, 8}) {
    ContextImpl context;
    context.EnsureMinimumThreads(num_threads);
    ColMajorMatrix result = rows;
    const RowFactorization found =
        FactorizeRows({&context, num_threads}, 300, 1e-11, &result);
    EXPECT_EQ(found.order, expected.order);
    EXPECT_EQ(result, serial) << num_threads;
  }
}

}  // namespace
}  // namespace ceres::internal
