// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/kernels/narrow_qr.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "ceres/kernels/every_target.h"
#include "gtest/gtest.h"

namespace ceres::internal::kernels {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// Random rows that lie behind each other, and the matrix of them, filled.
struct Fixture {
  Fixture(int num_dense_rows, int num_pivots, bool with_diagonal)
      : rows(num_dense_rows * (num_pivots + 1) + 8, kNan) {
    matrix.width = NarrowWidth(num_pivots);
    matrix.num_dense_rows = num_dense_rows;
    matrix.num_rows = num_dense_rows + (with_diagonal ? num_pivots : 0);
    matrix.num_pivots = num_pivots;
    memory.assign(matrix.num_rows * matrix.width + 8, kNan);
    // Aligned to a row of the widest.
    double* begin = memory.data();
    while (reinterpret_cast<std::uintptr_t>(begin) % 64 != 0) ++begin;
    matrix.values = begin;

    std::mt19937 random(num_dense_rows * 1000 + num_pivots);
    std::uniform_real_distribution<double> uniform(-1.0, 1.0);
    std::generate_n(rows.begin(), num_dense_rows * (num_pivots + 1),
                    [&] { return uniform(random); });
    diagonal.resize(num_pivots);
    std::generate(diagonal.begin(), diagonal.end(),
                  [&] { return uniform(random); });
    FillNarrow({rows.data(), nullptr, diagonal.data()}, matrix);
  }
  std::vector<double> rows;
  std::vector<double> diagonal;
  std::vector<double> memory;
  NarrowMatrix matrix;
};

// R'[c R] = A'[b A]: this determines R and c up to the signs of their rows.
TEST(TriangularizeNarrow, KeepsTheGramMatrixForAllWidthsOnEveryTarget) {
  const auto expect_same_gram_matrix = [](int num_rows, int num_pivots,
                                          bool with_diagonal) {
    SCOPED_TRACE(testing::Message()
                 << num_rows << " x " << num_pivots << ", D " << with_diagonal);
    const Fixture before(num_rows, num_pivots, with_diagonal);
    const Fixture after(num_rows, num_pivots, with_diagonal);
    TriangularizeNarrow(after.matrix);
    for (int a = 1; a <= num_pivots; ++a) {
      for (int b = 0; b <= num_pivots; b += b == 0 ? a : 1) {
        double expected = 0.0, actual = 0.0;
        for (int i = 0; i < before.matrix.num_rows; ++i) {
          expected += before.matrix.row(i)[a] * before.matrix.row(i)[b];
        }
        for (int i = 0; i < a; ++i) {
          actual += after.matrix.row(i)[a] * after.matrix.row(i)[b];
        }
        EXPECT_NEAR(actual, expected, 1e-12) << a << ", " << b;
      }
    }
  };
  ForEachTarget([&] {
    for (int num_pivots = 1; num_pivots <= kMaxNarrowPivots; ++num_pivots) {
      for (const int num_rows : {7, 8, 9, 10, 11, 67, 130}) {
        expect_same_gram_matrix(num_rows, num_pivots, false);
        expect_same_gram_matrix(num_rows, num_pivots, true);
      }
    }
    for (const int num_rows : {0, 1, 2, 3}) {
      expect_same_gram_matrix(num_rows, 4, /*with_diagonal=*/true);
    }
  });
}

void ExpectFilled(const Fixture& fixture, const std::int64_t* places) {
  const NarrowMatrix& m = fixture.matrix;
  std::fill(m.values, m.row(m.num_rows), kNan);
  FillNarrow({fixture.rows.data(), places, fixture.diagonal.data()}, m);
  for (int i = 0; i < m.num_rows; ++i) {
    for (int j = 0; j < m.width; ++j) {
      const bool is_dense = i < m.num_dense_rows;
      const int length = m.num_pivots + 1;
      const std::int64_t place = !is_dense           ? -1
                                 : places != nullptr ? places[i * m.width + j]
                                 : j < length        ? i * length + j
                                                     : -1;
      double expected = place < 0 ? 0.0 : fixture.rows[place];
      if (!is_dense && j == i - m.num_dense_rows + 1) {
        expected = fixture.diagonal[j - 1];
      }
      ASSERT_EQ(m.row(i)[j], expected) << i << ", " << j;
    }
  }
}

TEST(FillNarrow, FillsRowsDiagonalAndZerosForAllWidthsOnEveryTarget) {
  ForEachTarget([] {
    for (int num_pivots = 1; num_pivots <= kMaxNarrowPivots; ++num_pivots) {
      for (const int num_rows : {0, 1, 5, 8}) {
        for (const bool with_diagonal : {false, true}) {
          const Fixture fixture(num_rows, num_pivots, with_diagonal);
          const int width = fixture.matrix.width;
          // The places of a third of the values, in disorder.
          std::vector<std::int64_t> places(num_rows * width, -1);
          for (int i = 0; i < num_rows; ++i) {
            for (int j = i % 3; j <= num_pivots; j += 3) {
              places[i * width + j] = (num_rows - 1 - i) * (num_pivots + 1) + j;
            }
          }
          ExpectFilled(fixture, nullptr);
          ExpectFilled(fixture, places.data());
        }
      }
    }
  });
}

TEST(TriangularizeNarrow, FitsAStraightLine) {
  // y = 2 + 3 t through four points, exactly.
  ForEachTarget([] {
    alignas(64) double values[] = {2, 1, 0, 0, 5,  1, 1, 0,
                                   8, 1, 2, 0, 11, 1, 3, 0};
    NarrowMatrix matrix;
    matrix.values = values;
    matrix.width = 4;
    matrix.num_rows = matrix.num_dense_rows = 4;
    matrix.num_pivots = 2;
    TriangularizeNarrow(matrix);
    const double slope = values[4] / values[4 + 2];
    EXPECT_NEAR(slope, 3.0, 1e-14);
    EXPECT_NEAR((values[0] - values[2] * slope) / values[1], 2.0, 1e-14);
  });
}

TEST(TriangularizeNarrow, ZeroColumnGivesZeroPivot) {
  ForEachTarget([] {
    Fixture f(11, 3, /*with_diagonal=*/false);
    for (int i = 0; i < 11; ++i) f.matrix.row(i)[2] = 0.0;
    TriangularizeNarrow(f.matrix);
    EXPECT_EQ(f.matrix.row(1)[2], 0.0);
    EXPECT_TRUE(std::isfinite(f.matrix.row(2)[3]));
  });
}

TEST(TriangularizeNarrow, KeepsTheDigitsThatNormalEquationsWouldLose) {
  // Columns (1, e, 0) and (1, 0, e) with e^2 below the working precision
  // (Laeuchli): the second pivot is sqrt(2) e.
  ForEachTarget([] {
    constexpr double e = 1e-9;
    alignas(64) double values[] = {0, 1, 1, 0, 0, e, 0, 0, 0, 0, e, 0};
    NarrowMatrix matrix;
    matrix.values = values;
    matrix.width = 4;
    matrix.num_rows = matrix.num_dense_rows = 3;
    matrix.num_pivots = 2;
    TriangularizeNarrow(matrix);
    EXPECT_NEAR(std::abs(values[4 + 2]) / e, std::sqrt(2.0), 1e-7);
  });
}

TEST(TriangularizeNarrow, WhatNoRowTouchesHasAnExactlyZeroSolution) {
  // Columns 1 and 3 are nothing but damping.
  ForEachTarget([] {
    for (const int num_rows : {1, 5, 30}) {
      Fixture f(num_rows, 4, /*with_diagonal=*/true);
      for (int i = 0; i < num_rows; ++i) {
        f.matrix.row(i)[2] = f.matrix.row(i)[4] = 0.0;
      }
      TriangularizeNarrow(f.matrix);
      for (const int k : {1, 3}) {
        EXPECT_EQ(f.matrix.row(k)[0], 0.0);
        for (int j = k + 1; j < 4; ++j) EXPECT_EQ(f.matrix.row(k)[j + 1], 0.0);
      }
    }
  });
}

TEST(TriangularizeNarrow, NanReachesThePivots) {
  ForEachTarget([] {
    Fixture f(9, 3, /*with_diagonal=*/true);
    f.matrix.row(4)[2] = kNan;
    TriangularizeNarrow(f.matrix);
    EXPECT_TRUE(std::isnan(f.matrix.row(1)[2]));
  });
}

}  // namespace
}  // namespace ceres::internal::kernels
