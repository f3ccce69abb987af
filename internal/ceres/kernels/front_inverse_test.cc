// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/kernels/front_inverse.h"

#include <algorithm>
#include <random>
#include <vector>

#include "ceres/kernels/aligned_test_array.h"
#include "ceres/kernels/every_target.h"
#include "gtest/gtest.h"

namespace ceres::internal::kernels {
namespace {

constexpr int kH = kFrontStrip<double>;

// Strips of random numbers, the rows of padding too.
struct Strips {
  Strips(int rows, int columns, int seed)
      : rows(rows),
        columns(columns),
        size(int64_t{NumFrontStrips<double>(rows)} * kH * columns),
        data(MakeAlignedTestArray<double>(size + kH)) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> uniform(-1.0, 1.0);
    for (int64_t k = 0; k < size; ++k) data[k] = uniform(random);
  }
  double at(int row, int column) const {
    return data[PivotPosition<double>(columns, row, column)];
  }
  StripRows<const double> view() const { return {data.get(), columns}; }
  StripRows<double> mutable_view() { return {data.get(), columns}; }

  int rows, columns;
  int64_t size;
  AlignedTestArray<double> data;
};

// c minus the product of a row of a and a row of b.
double Subtract(const Strips& a, const Strips& b, int depth, int row,
                int column, double c) {
  for (int k = 0; k < depth; ++k) c -= a.at(row, k) * b.at(column, k);
  return c;
}

struct Shape {
  int rows, columns, depth;
};
constexpr Shape kShapes[] = {{1, 1, 1},    {3, 2, 5},    {8, 8, 8},
                             {9, 7, 3},    {17, 23, 40}, {24, 40, 11},
                             {31, 15, 64}, {70, 50, 33}};

TEST(FrontInverse, ProductEqualsSimpleLoopsOnEveryTarget) {
  ForEachTarget([] {
    for (const Shape& s : kShapes) {
      SCOPED_TRACE(testing::Message() << s.rows << " x " << s.columns);
      // Longer than what is used of them.
      const Strips a(s.rows, s.depth + 2, 1), b(s.columns, s.depth + 5, 2);
      Strips c(s.rows, s.columns + 3, 3);
      const Strips before(s.rows, s.columns + 3, 3);
      const int strips = NumFrontStrips<double>(s.rows);
      const int first = s.columns > kH ? kH : 0;
      SubtractStripProduct(a.view(), b.view(), s.depth, 0, strips, first,
                           s.columns, c.mutable_view());
      for (int i = 0; i < s.rows; ++i) {
        for (int j = 0; j < s.columns + 3; ++j) {
          if (j < first || j >= s.columns) {
            ASSERT_EQ(c.at(i, j), before.at(i, j));
          } else {
            ASSERT_NEAR(c.at(i, j),
                        Subtract(a, b, s.depth, i, j, before.at(i, j)), 1e-13);
          }
        }
      }
    }
  });
}

TEST(FrontInverse, LowerProductEqualsSimpleLoopsOnEveryTarget) {
  ForEachTarget([] {
    for (const Shape& s : kShapes) {
      const Strips a(s.rows, s.depth, 1), b(s.rows, s.depth, 2);
      Strips c(s.rows, s.rows + 3, 3);
      const Strips before(s.rows, s.rows + 3, 3);
      SubtractLowerStripProduct(a.view(), b.view(), s.depth, 0,
                                NumFrontStrips<double>(s.rows), s.rows,
                                c.mutable_view());
      for (int i = 0; i < s.rows; ++i) {
        for (int j = 0; j <= i; ++j) {
          ASSERT_NEAR(c.at(i, j),
                      Subtract(a, b, s.depth, i, j, before.at(i, j)), 1e-13);
        }
        for (int j = s.rows; j < s.rows + 3; ++j) {
          ASSERT_EQ(c.at(i, j), before.at(i, j));
        }
      }
    }
  });
}

TEST(FrontInverse, TheCutDoesNotChangeTheBits) {
  const Strips a(70, 40, 1), b(50, 40, 2);
  Strips whole(70, 50, 3), parts(70, 50, 3);
  SubtractStripProduct(a.view(), b.view(), 40, 0, 9, 0, 50,
                       whole.mutable_view());
  for (int p = 0; p < 9; ++p) {
    for (int j = 0; j < 50; j += kH) {
      SubtractStripProduct(a.view(), b.view(), 40, p, p + 1, j,
                           std::min(j + kH, 50), parts.mutable_view());
    }
  }
  for (int64_t k = 0; k < whole.size; ++k) {
    ASSERT_EQ(whole.data[k], parts.data[k]);
  }
}

// A child's rows spread over a parent of 11 pivots and 30 rows below.
TEST(FrontInverse, GathersWhatIsTheChildsOnEveryTarget) {
  const int width = 11, below = 30;
  const std::vector<int> position = {0,  1,  2,  5,  6,  7,  8,  9,  10, 11,
                                     12, 13, 17, 18, 19, 20, 21, 33, 39, 40};
  const int n = static_cast<int>(position.size());
  std::vector<FrontSegment> segments;
  AppendFrontSegments<double>(position.data(), n, width, &segments);
  const int num_segments = static_cast<int>(segments.size());
  const FrontMap map{position.data(), 9, segments.data(), num_segments};
  ForEachTarget([&] {
    auto inverse = MakeAlignedTestArray<double>(FrontInverseSize(width, below));
    for (int i = 0; i < width + below; ++i) {
      for (int j = 0; j < width + below; ++j) {
        inverse[FrontInversePosition(width, below, i, j)] = 100.0 * i + j;
      }
    }
    Strips child(n, n + 4, 1);
    GatherFromInverse(map, 0, num_segments / 2, n, width, below, inverse.get(),
                      child.mutable_view());
    GatherFromInverse(map, num_segments / 2, num_segments, n, width, below,
                      inverse.get(), child.mutable_view());
    const Strips before(n, n + 4, 1);
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n + 4; ++j) {
        ASSERT_EQ(child.at(i, j),
                  j < n ? 100.0 * position[i] + position[j] : before.at(i, j));
      }
    }
  });
}

}  // namespace
}  // namespace ceres::internal::kernels
