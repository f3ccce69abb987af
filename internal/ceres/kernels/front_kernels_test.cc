// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/kernels/front_kernels.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "ceres/kernels/aligned_test_array.h"
#include "ceres/kernels/every_target.h"
#include "gtest/gtest.h"

namespace ceres::internal::kernels {
namespace {

// A front and its update matrix, on cache lines.
template <typename T>
struct Front {
  Front(int width, int below)
      : width(width),
        below(below),
        columns_size(FrontColumnsSize<T>(width, below)),
        update_size(UpdateSize<T>(below)),
        columns(MakeAlignedTestArray<T>(columns_size + 64)),
        update(MakeAlignedTestArray<T>(update_size + 64)) {
    std::fill_n(columns.get(), columns_size, T(0));
    std::fill_n(update.get(), update_size, T(0));
  }
  T& at(int row, int column) const {
    return row < width ? columns[PivotPosition<T>(width, row, column)]
                       : columns[BelowPosition<T>(width, row - width, column)];
  }
  // Diagonally dominant.
  void FillWithRandomValues() {
    std::mt19937 random(width * 1000 + below);
    std::uniform_real_distribution<T> uniform(-1, 1);
    for (int j = 0; j < width; ++j) {
      for (int i = j; i < width + below; ++i) at(i, j) = uniform(random);
      at(j, j) += static_cast<T>(width + below);
    }
  }
  int Factorize(int block) {
    const int pivot_strips = NumFrontStrips<T>(width);
    const int below_strips = NumFrontStrips<T>(below);
    for (int first = 0; first < width; first += block) {
      const int last = std::min(first + block, width);
      const int failed = FactorizePivots(width, first, last, columns.get());
      if (failed != kAllPivotsPositive) return failed;
      EliminateFromStrips(width, first, last, NumFrontStrips<T>(last),
                          pivot_strips + below_strips, columns.get());
    }
    FormUpdate(width, 0, below_strips, columns.get(), update.get());
    return kAllPivotsPositive;
  }

  int width, below;
  int64_t columns_size, update_size;
  AlignedTestArray<T> columns, update;
};

struct Shape {
  int width, below;
};
constexpr Shape kShapes[] = {{1, 0},   {1, 1},   {2, 9},   {3, 6},  {5, 8},
                             {6, 17},  {7, 31},  {8, 24},  {9, 23}, {15, 40},
                             {16, 64}, {23, 70}, {33, 12}, {70, 0}, {131, 50}};

// L L' = A for the columns, and U = - B B'. Pivots are stored inverted.
template <typename T>
void ExpectFactorOf(const Front<T>& a, const Front<T>& factor,
                    double tolerance) {
  const int size = a.width + a.below;
  const auto l = [&](int row, int column) {
    const double value = factor.at(row, column);
    return row == column ? 1.0 / value : value;
  };
  const auto product = [&](int i, int j, int depth) {
    double sum = 0.0;
    for (int k = 0; k < depth; ++k) sum += l(i, k) * l(j, k);
    return sum;
  };
  for (int j = 0; j < size; ++j) {
    for (int i = j; i < size; ++i) {
      if (j < a.width) {
        ASSERT_NEAR(product(i, j, j + 1), a.at(i, j), tolerance * size);
      } else {
        ASSERT_NEAR(
            -product(i, j, a.width),
            (factor.update[UpdatePosition<T>(i - a.width, j - a.width)]),
            tolerance);
      }
    }
  }
}

template <typename T>
void ExpectColumnsAreCleared() {
  ForEachTarget([] {
    Front<T> front(11, 5);
    std::fill_n(front.columns.get(), front.columns_size + 1, T(1));
    ClearColumns(11, 5, front.columns.get());
    for (int64_t k = 0; k < front.columns_size; ++k) {
      ASSERT_EQ(front.columns[k], T(0));
    }
    EXPECT_EQ(front.columns[front.columns_size], T(1)) << "what lies behind";
  });
}
TEST(FrontKernels, ClearColumnsAndNothingElseOnEveryTarget) {
  ExpectColumnsAreCleared<double>();
  ExpectColumnsAreCleared<float>();
}

template <typename T>
void ExpectFactorizationOfAllShapes(double tolerance) {
  ForEachTarget([tolerance] {
    for (const Shape shape : kShapes) {
      SCOPED_TRACE(testing::Message() << shape.width << ", " << shape.below);
      Front<T> front(shape.width, shape.below),
          factor(front.width, front.below);
      front.FillWithRandomValues();
      factor.FillWithRandomValues();
      ASSERT_EQ(factor.Factorize(1000), kAllPivotsPositive);
      ExpectFactorOf(front, factor, tolerance);
    }
  });
}
TEST(FrontKernels, FactorAndFormTheUpdateOnEveryTarget) {
  ExpectFactorizationOfAllShapes<double>(1e-14);
  ExpectFactorizationOfAllShapes<float>(1e-5);
}

TEST(FrontKernels, TheCutDoesNotChangeTheBits) {
  for (const Shape shape : kShapes) {
    Front<double> whole(shape.width, shape.below);
    whole.FillWithRandomValues();
    Front<double> parts(shape.width, shape.below);
    parts.FillWithRandomValues();
    ASSERT_EQ(whole.Factorize(1000), kAllPivotsPositive);
    ASSERT_EQ(parts.Factorize(16), kAllPivotsPositive);
    for (int j = 0; j < whole.width; ++j) {
      for (int i = j; i < whole.width + whole.below; ++i) {
        ASSERT_EQ(parts.at(i, j), whole.at(i, j));
      }
    }
    for (int j = 0; j < whole.below; ++j) {
      for (int i = j; i < whole.below; ++i) {
        const int64_t k = UpdatePosition<double>(i, j);
        ASSERT_EQ(parts.update[k], whole.update[k]);
      }
    }
  }
}

TEST(FrontKernels, FindTheBadPivot) {
  ForEachTarget([] {
    for (const int bad : {0, 3, 8, 20, 32}) {
      for (const double value : {-1.0, 0.0, double{NAN}, double{INFINITY}}) {
        Front<double> front(33, 12);
        front.FillWithRandomValues();
        front.at(bad, bad) = value;
        EXPECT_EQ(front.Factorize(16), bad);
      }
    }
  });
}

TEST(FrontKernels, SolvesInvertTheFactor) {
  ForEachTarget([] {
    for (const Shape shape : kShapes) {
      const int w = shape.width, m = shape.below;
      Front<double> a(w, m);
      a.FillWithRandomValues();
      ASSERT_EQ(a.Factorize(1000), kAllPivotsPositive);
      auto x = MakeAlignedTestArray<double>(w + 8);
      auto y = MakeAlignedTestArray<double>(m + 8);
      std::vector<double> b(w);
      for (int i = 0; i < w; ++i) x[i] = b[i] = std::sin(i + 1.0);
      SolveForward(w, m, a.columns.get(), x.get(), y.get());
      for (int i = 0; i < w + m; ++i) {
        double sum = 0.0;
        for (int k = 0; k < std::min(i, w); ++k) sum += a.at(i, k) * x[k];
        if (i < w) {
          ASSERT_NEAR(sum + x[i] / a.at(i, i), b[i], 1e-13);
        } else {
          ASSERT_NEAR(y[i - w], sum, 1e-13);
        }
      }
      for (int i = 0; i < w; ++i) x[i] = b[i];
      for (int i = 0; i < m + 8; ++i) y[i] = i < m ? std::cos(i) : 0.0;
      SolveBackward(w, m, a.columns.get(), y.get(), x.get());
      for (int k = 0; k < w; ++k) {
        double sum = x[k] / a.at(k, k);
        for (int i = k + 1; i < w; ++i) sum += a.at(i, k) * x[i];
        for (int i = 0; i < m; ++i) sum += a.at(w + i, k) * y[i];
        ASSERT_NEAR(sum, b[k], 1e-13);
      }
    }
  });
}

// A child's rows spread over a parent of 11 pivots and 30 rows below.
TEST(FrontKernels, ChildIsAddedWhereItBelongsOnEveryTarget) {
  const std::vector<int> position = {0,  1,  2,  5,  6,  7,  8,  9,  10, 11,
                                     12, 13, 17, 18, 19, 20, 21, 33, 39, 40};
  const int n = static_cast<int>(position.size());
  std::vector<FrontSegment> segments;
  AppendFrontSegments<double>(position.data(), n, 11, &segments);
  const FrontMap map{position.data(), 9, segments.data(),
                     static_cast<int>(segments.size())};
  ForEachTarget([&] {
    Front<double> child(1, n), parent(11, 30);
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j <= i; ++j) {
        child.update[UpdatePosition<double>(i, j)] = 100.0 * i + j + 1.0;
      }
    }
    // Padding is nobody's.
    for (int i = n; i < NumFrontStrips<double>(n) * 8; ++i) {
      for (int j = 0; j < n; ++j) {
        child.update[UpdatePosition<double>(i, j)] = 1e6;
      }
    }
    AddToColumns(map, child.update.get(), 11, parent.columns.get());
    AddToUpdate(map, child.update.get(), 11, parent.update.get());
    double sum = 0.0;
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j <= i; ++j) {
        const double expected = 100.0 * i + j + 1.0;
        sum += expected;
        ASSERT_EQ(position[j] < 11 ? parent.at(position[i], position[j])
                                   : parent.update[UpdatePosition<double>(
                                         position[i] - 11, position[j] - 11)],
                  expected);
      }
    }
    double total = 0.0;
    for (int64_t k = 0; k < parent.columns_size; ++k)
      total += parent.columns[k];
    for (int64_t k = 0; k < parent.update_size; ++k) total += parent.update[k];
    EXPECT_EQ(total, sum) << "something was added elsewhere";
  });
}

}  // namespace
}  // namespace ceres::internal::kernels
