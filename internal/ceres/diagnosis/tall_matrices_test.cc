// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/diagnosis/tall_matrices.h"

#include <cmath>
#include <random>

#include "Eigen/QR"
#include "Eigen/SVD"
#include "ceres/linear/random_jacobian.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

RowMajorMatrix Random(int rows, int columns, int seed) {
  std::mt19937 random(seed);
  RowMajorMatrix a(rows, columns);
  FillWithRandomValues(&random, a.data(), a.size());
  return a;
}

VectorXd SingularValues(const MatrixXd& a) {
  return Eigen::JacobiSVD<MatrixXd>(a).singularValues();
}

TEST(TallMatrices, TriangularFactorKeepsDigitsOfSmallColumns) {
  for (int seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    RowMajorMatrix a = Random(1700, 9, seed);
    VectorXd scale(9);
    for (int k = 0; k < 9; ++k) scale(k) = std::pow(10.0, (k * seed) % 17 - 16);
    a = a * scale.asDiagonal();
    const MatrixXd r = TriangularFactor({}, a);
    EXPECT_TRUE(r.isUpperTriangular(0.0));
    const MatrixXd unscaled = r * scale.cwiseInverse().asDiagonal();
    const MatrixXd b = a * scale.cwiseInverse().asDiagonal();
    EXPECT_LT((unscaled.transpose() * unscaled - b.transpose() * b).norm(),
              1e-12 * b.squaredNorm());
  }
}

TEST(TallMatrices, TriangularFactorOfDependentColumnsHasSmallSingularValues) {
  for (const double distance : {0.0, 1e-14, 1e-9, 1e-4, 1e-2}) {
    SCOPED_TRACE(distance);
    RowMajorMatrix a = Random(900, 4, 3);
    const VectorXd other = a.col(3);
    a.col(3) = a.col(0) - 2.0 * a.col(1) + distance * other;
    const VectorXd expected = SingularValues(a);
    const VectorXd found = SingularValues(TriangularFactor({}, a));
    EXPECT_LT((expected - found).norm(), 1e-14 * expected(0));
  }
}

TEST(TallMatrices, TriangularFactorAllowsZeroColumnsAndFewRows) {
  RowMajorMatrix a = Random(900, 4, 3);
  a.col(2).setZero();
  MatrixXd r = TriangularFactor({}, a);
  EXPECT_EQ(r.col(2).norm(), 0.0);
  EXPECT_LT((r.transpose() * r - a.transpose() * a).norm(),
            1e-13 * a.squaredNorm());
  a = Random(2, 5, 4);
  r = TriangularFactor({}, a);
  EXPECT_EQ(r.rows(), 5);
  EXPECT_LT((r.transpose() * r - a.transpose() * a).norm(),
            1e-13 * a.squaredNorm());
  EXPECT_EQ(TriangularFactor({}, RowMajorMatrix(7, 0)).size(), 0);
}

TEST(TallMatrices, TriangularFactorOfTwoIsThatOfBothBesideEachOther) {
  for (const double scale : {1.0, 1e-15}) {
    const RowMajorMatrix a = scale * Random(1200, 3, 5);
    const RowMajorMatrix b = Random(1200, 2, 6);
    RowMajorMatrix both(1200, 5);
    both << a, b;
    const MatrixXd expected = TriangularFactor({}, both);
    const MatrixXd found = TriangularFactor({}, a, b);
    for (int k = 0; k < 5; ++k) {
      EXPECT_LT((expected - found).col(k).norm(),
                1e-13 * expected.col(k).norm());
    }
  }
}

TEST(TallMatrices, MakeOrthonormalKeepsTheSpace) {
  for (const double distance : {0.0, 1e-12, 1e-6, 1e-1}) {
    SCOPED_TRACE(distance);
    RowMajorMatrix a = Random(1500, 6, 7);
    const VectorXd other = a.col(5);
    a.col(5) = a.col(2) + distance * other;
    RowMajorMatrix q = a;
    MakeOrthonormal({}, &q);
    EXPECT_LT((q.transpose() * q - MatrixXd::Identity(6, 6)).norm(), 1e-13);
    EXPECT_LT((a - q * (q.transpose() * a)).norm(), 1e-13 * a.norm());
  }
}

TEST(TallMatrices, ProductsEqualThoseOfEigen) {
  for (const int to : {1, 3, 7, 11}) {
    const RowMajorMatrix a = Random(1030, 7, 8);
    const RowMajorMatrix b = Random(1030, to, 9);
    const MatrixXd m = Random(7, to, 10);
    RowMajorMatrix found = a;
    MultiplyBy({}, m, &found);
    EXPECT_LT((found - a * m).norm(), 1e-13 * a.norm() * m.norm());
    found = b;
    SubtractProduct({}, a, m, &found);
    EXPECT_LT((found - (b - a * m)).norm(), 1e-13 * a.norm() * m.norm());
    EXPECT_LT((InnerProducts({}, a, b) - a.transpose() * b).norm(),
              1e-13 * a.norm() * b.norm());
  }
}

TEST(TallMatrices, BitsDoNotDependOnThreads) {
  const RowMajorMatrix a = Random(5000, 5, 11);
  const MatrixXd r = TriangularFactor({}, a);
  RowMajorMatrix q = a;
  MakeOrthonormal({}, &q);
  for (const int num_threads : {2, 3, 4, 8}) {
    TestThreads threads(num_threads);
    EXPECT_EQ(TriangularFactor(threads.execution(), a), r);
    RowMajorMatrix own = a;
    MakeOrthonormal(threads.execution(), &own);
    EXPECT_EQ(own, q);
  }
}

}  // namespace
}  // namespace ceres::internal
