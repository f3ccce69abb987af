// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/kernels/householder.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

#include "ceres/kernels/every_target.h"
#include "gtest/gtest.h"

namespace ceres::internal::kernels {
namespace {

// A random matrix with its diagonal part (if any) and padding between columns,
// planted with NaN.
struct Fixture {
  Fixture(int dense_rows, int pivots, int right_hand_sides,
          bool with_diagonal) {
    matrix.num_dense_rows = dense_rows;
    matrix.num_rows = dense_rows + (with_diagonal ? pivots : 0);
    matrix.num_pivots = pivots;
    matrix.num_columns = pivots + right_hand_sides;
    matrix.stride = matrix.num_rows + 3;
    values.assign(matrix.stride * matrix.num_columns,
                  std::numeric_limits<double>::quiet_NaN());
    std::mt19937 random(dense_rows * 1000 + pivots);
    std::uniform_real_distribution<double> uniform(-1.0, 1.0);
    for (int j = 0; j < matrix.num_columns; ++j) {
      double* column = values.data() + j * matrix.stride;
      for (int i = 0; i < matrix.num_rows; ++i) {
        const bool dense = i < dense_rows;
        const bool on_diagonal = j < pivots && i - dense_rows == j;
        column[i] = dense || on_diagonal ? uniform(random) : 0.0;
      }
    }
    matrix.values = values.data();
  }
  // The product of two columns over the first rows.
  double Dot(int a, int b, int num_rows) const {
    return std::inner_product(values.begin() + a * matrix.stride,
                              values.begin() + a * matrix.stride + num_rows,
                              values.begin() + b * matrix.stride, 0.0);
  }
  TallMatrix matrix;
  std::vector<double> values;
};

// R'[R c] = A'[A b]: this determines R and c up to the signs of their rows.
TEST(HouseholderTriangularize, KeepsTheGramMatrixForOddSizesOnEveryTarget) {
  constexpr int kRightHandSides = 2;
  const int shapes[][2] = {{1, 1},   {2, 1},    {3, 2},   {67, 2},
                           {154, 9}, {20, 15},  {33, 17}, {16, 16},
                           {40, 33}, {131, 45}, {3, 21}};
  ForEachTarget([&] {
    for (const auto& [num_rows, num_pivots] : shapes) {
      for (const bool with_diagonal : {false, true}) {
        if (num_rows < num_pivots && !with_diagonal) continue;
        const Fixture before(num_rows, num_pivots, kRightHandSides,
                             with_diagonal);
        Fixture after(num_rows, num_pivots, kRightHandSides, with_diagonal);
        HouseholderTriangularize(after.matrix);
        for (int a = 0; a < num_pivots; ++a) {
          for (int b = a; b < before.matrix.num_columns; ++b) {
            ASSERT_NEAR(after.Dot(a, b, a + 1),
                        before.Dot(a, b, before.matrix.num_rows), 1e-12)
                << num_rows << " x " << num_pivots << ": " << a << ", " << b;
          }
        }
      }
    }
  });
}

TEST(HouseholderTriangularize, FitsAStraightLine) {
  // y = 2 + 3 t through four points, exactly.
  ForEachTarget([] {
    double values[] = {1, 1, 1, 1, /**/ 0, 1, 2, 3, /**/ 2, 5, 8, 11};
    TallMatrix matrix;
    matrix.values = values;
    matrix.stride = matrix.num_rows = matrix.num_dense_rows = 4;
    matrix.num_pivots = 2;
    matrix.num_columns = 3;
    HouseholderTriangularize(matrix);
    double x[2];
    SolveUpperTriangular(matrix, values + 8, x);
    EXPECT_NEAR(x[0], 2.0, 1e-14);
    EXPECT_NEAR(x[1], 3.0, 1e-14);
  });
}

TEST(HouseholderTriangularize, ZeroColumnGivesZeroPivot) {
  ForEachTarget([] {
    Fixture fixture(11, 3, 1, false);
    std::fill_n(fixture.values.begin() + fixture.matrix.stride, 11, 0.0);
    HouseholderTriangularize(fixture.matrix);
    EXPECT_EQ(fixture.values[fixture.matrix.stride + 1], 0.0);
    EXPECT_TRUE(std::isfinite(fixture.values[2 * fixture.matrix.stride + 2]));
  });
}

}  // namespace
}  // namespace ceres::internal::kernels
