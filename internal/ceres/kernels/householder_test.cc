// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/kernels/householder.h"

#include <algorithm>
#include <cmath>
#include <limits>
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
  TallMatrix matrix;
  std::vector<double> values;
};

TEST(HouseholderTriangularize, EqualsPlainTwinForOddSizesOnEveryTarget) {
  const int shapes[][2] = {{1, 1},   {2, 1},   {3, 2},   {67, 2},  {154, 9},
                           {20, 15}, {33, 17}, {16, 16}, {40, 33}, {131, 45}};
  ForEachTarget([&] {
    for (const auto& shape : shapes) {
      for (const bool with_diagonal : {false, true}) {
        Fixture fast(shape[0], shape[1], 2, with_diagonal);
        Fixture plain = Fixture(shape[0], shape[1], 2, with_diagonal);
        HouseholderTriangularize(fast.matrix);
        HouseholderTriangularizePlain(plain.matrix);
        for (int j = 0; j < fast.matrix.num_columns; ++j) {
          for (int i = 0; i < std::min(j + 1, shape[1]); ++i) {
            const int k = j * fast.matrix.stride + i;
            ASSERT_NEAR(fast.values[k], plain.values[k], 1e-12)
                << shape[0] << " x " << shape[1] << ": " << i << ", " << j;
          }
        }
      }
    }
  });
}

TEST(HouseholderTriangularize, MoreColumnsThanDenseRowsNeedTheDiagonal) {
  ForEachTarget([] {
    Fixture fast(3, 21, 1, true);
    Fixture plain(3, 21, 1, true);
    HouseholderTriangularize(fast.matrix);
    HouseholderTriangularizePlain(plain.matrix);
    for (int j = 0; j <= 21; ++j) {
      for (int i = 0; i < std::min(j + 1, 21); ++i) {
        const int k = j * fast.matrix.stride + i;
        ASSERT_NEAR(fast.values[k], plain.values[k], 1e-12);
      }
    }
  });
}

TEST(HouseholderTriangularize, KeepsTheGramMatrix) {
  // [A b]'[A b] over the pivots does not change under Q'.
  ForEachTarget([] {
    const Fixture before(29, 6, 0, true);
    Fixture after(29, 6, 0, true);
    HouseholderTriangularize(after.matrix);
    for (int a = 0; a < 6; ++a) {
      for (int b = a; b < 6; ++b) {
        double expected = 0.0, actual = 0.0;
        for (int i = 0; i < before.matrix.num_rows; ++i) {
          expected += before.values[a * before.matrix.stride + i] *
                      before.values[b * before.matrix.stride + i];
        }
        for (int i = 0; i <= a; ++i) {
          actual += after.values[a * after.matrix.stride + i] *
                    after.values[b * after.matrix.stride + i];
        }
        EXPECT_NEAR(actual, expected, 1e-13);
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
