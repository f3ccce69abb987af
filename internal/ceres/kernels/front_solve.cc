// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include <algorithm>

#include "ceres/kernels/front_kernels.h"
#include "ceres/kernels/highway_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ceres/kernels/front_solve.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
// After foreach_target.h, which includes it once per target.
#include "ceres/kernels/front_tiles-inl.h"

HWY_BEFORE_NAMESPACE();
namespace ceres::internal::kernels {
namespace HWY_NAMESPACE {

// y := A x for kStrips strips of A.
template <int kStrips, typename T>
HWY_INLINE void MultiplyStrips(const Columns<const T>& a, int p, int width,
                               const T* x, T* y) {
  constexpr int h = kFrontStrip<T>;
  const T* const strips = a.strip(p);
  Rows<T, kStrips * kStripVectors<T>> sum, column;
  sum.SetZero();
  for (int k = 0; k < width; ++k) {
    column.Load(strips + k * h, a.stride);
    sum.SubtractScaled(-x[k], column);
  }
  sum.Store(y, h);
}

// f(Count<min(count, kMost)>()).
template <int kMost, typename F>
HWY_INLINE void WithCount(int count, const F& f) {
  if constexpr (kMost > 1) {
    if (count < kMost) return WithCount<kMost - 1>(count, f);
  }
  f(Count<kMost>());
}

// x := L^-1 x and x := L^-T x for the triangle of kCount columns of a strip: a
// chain of operations each of which waits for the last, so x is in registers.
// (In loops compilers would make vectors of parts of it, and store and load
// them.)
template <int kCount, typename T>
struct Triangle {
  static constexpr int h = kFrontStrip<T>;

  explicit HWY_INLINE Triangle(const T* x) : rest(x), last(x[kCount - 1]) {}
  HWY_INLINE void Store(T* x) const {
    rest.Store(x);
    x[kCount - 1] = last;
  }
  HWY_INLINE void Solve(const T* l) {
    rest.Solve(l);
    last = (last - rest.DotRow(l + (kCount - 1))) *
           l[(kCount - 1) * h + kCount - 1];
  }
  // The product with a row of L, whose elements are h apart.
  HWY_INLINE T DotRow(const T* l) const {
    return rest.DotRow(l) + last * l[(kCount - 1) * h];
  }
  HWY_INLINE void SolveTransposed(const T* l) {
    last *= l[(kCount - 1) * h + kCount - 1];
    rest.SubtractRow(l + (kCount - 1), last);
    rest.SolveTransposed(l);
  }
  HWY_INLINE void SubtractRow(const T* l, T factor) {
    rest.SubtractRow(l, factor);
    last -= l[(kCount - 1) * h] * factor;
  }

  Triangle<kCount - 1, T> rest;
  T last;
};
template <typename T>
struct Triangle<0, T> {
  explicit HWY_INLINE Triangle(const T*) {}
  HWY_INLINE void Store(T*) const {}
  HWY_INLINE void Solve(const T*) {}
  HWY_INLINE T DotRow(const T*) const { return T(0); }
  HWY_INLINE void SolveTransposed(const T*) {}
  HWY_INLINE void SubtractRow(const T*, T) {}
};

template <typename T>
void Forward(int width, int below, const T* front, T* x, T* y) {
  constexpr int h = kFrontStrip<T>;
  constexpr int kStrips = kTileStrips<T>;
  const Columns<const T> a(width, front);
  for (int row = 0; row < width; row += h) {
    const T* const strip = a.strip(row / h);
    Rows<T, kStripVectors<T>> sum, column;
    sum.Load(x + row, 0);
    for (int k = 0; k < row; ++k) {
      column.Load(strip + k * h, 0);
      sum.SubtractScaled(x[k], column);
    }
    sum.Store(x + row, 0);
    WithCount<h>(width - row, [&](auto count) {
      Triangle<count.kValue, T> triangle(x + row);
      triangle.Solve(strip + row * h);
      triangle.Store(x + row);
    });
  }
  int p = NumFrontStrips<T>(width);
  const int last_strip = p + NumFrontStrips<T>(below);
  for (; p + kStrips <= last_strip; p += kStrips, y += kStrips * h) {
    MultiplyStrips<kStrips>(a, p, width, x, y);
  }
  for (; p < last_strip; ++p, y += h) MultiplyStrips<1>(a, p, width, x, y);
}

// x -= A'y for the columns [first, last) of the strips [p, last_strip).
template <typename T>
HWY_INLINE void SubtractTransposed(const Columns<const T>& a, int p,
                                   int last_strip, int first, int last,
                                   const T* y, T* x) {
  constexpr int h = kFrontStrip<T>;
  ForColumnBlocks<T>(first, last, [&](int c, auto count) {
    Tile<T, count.kValue, 1> sums;
    sums.SetZero();
    for (int q = p; q < last_strip; ++q) {
      Rows<T, kStripVectors<T>> rows;
      rows.Load(y + (q - p) * h, 0);
      sums.AddProducts(rows, a.strip(q) + c * h, 0);
    }
    sums.SubtractSumsFrom(x + c);
  });
}

template <typename T>
void Backward(int width, int below, const T* front, const T* y, T* x) {
  constexpr int h = kFrontStrip<T>;
  const Columns<const T> a(width, front);
  const int num_pivot_strips = NumFrontStrips<T>(width);
  if (below > 0) {
    SubtractTransposed(a, num_pivot_strips,
                       num_pivot_strips + NumFrontStrips<T>(below), 0, width, y,
                       x);
  }
  for (int p = num_pivot_strips - 1; p >= 0; --p) {
    T* const part = x + p * h;
    const int count = std::min(h, width - p * h);
    WithCount<h>(count, [&](auto c) {
      Triangle<c.kValue, T> triangle(part);
      triangle.SolveTransposed(a.strip(p) + p * h * h);
      triangle.Store(part);
    });
    std::fill(part + count, part + h, T(0));
    if (p > 0) SubtractTransposed(a, p, p + 1, 0, p * h, part, x);
  }
}

// HWY_EXPORT takes no templates.
constexpr auto& ForwardD = Forward<double>;
constexpr auto& ForwardF = Forward<float>;
constexpr auto& BackwardD = Backward<double>;
constexpr auto& BackwardF = Backward<float>;

}  // namespace HWY_NAMESPACE
}  // namespace ceres::internal::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ceres::internal::kernels {

HWY_EXPORT(ForwardD);
HWY_EXPORT(ForwardF);
HWY_EXPORT(BackwardD);
HWY_EXPORT(BackwardF);

void SolveForward(int width, int below, const double* front, double* x,
                  double* y) {
  HWY_DYNAMIC_DISPATCH(ForwardD)(width, below, front, x, y);
}
void SolveForward(int width, int below, const float* front, float* x,
                  float* y) {
  HWY_DYNAMIC_DISPATCH(ForwardF)(width, below, front, x, y);
}
void SolveBackward(int width, int below, const double* front, const double* y,
                   double* x) {
  HWY_DYNAMIC_DISPATCH(BackwardD)(width, below, front, y, x);
}
void SolveBackward(int width, int below, const float* front, const float* y,
                   float* x) {
  HWY_DYNAMIC_DISPATCH(BackwardF)(width, below, front, y, x);
}

}  // namespace ceres::internal::kernels
#endif  // HWY_ONCE
