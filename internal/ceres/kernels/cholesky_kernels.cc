// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/kernels/cholesky_kernels.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "ceres/kernels/highway_targets.h"
#include "ceres/kernels/kernels_tuning.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ceres/kernels/cholesky_kernels.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
// After foreach_target.h, which includes it once per target.
#include "ceres/kernels/vector_loops-inl.h"

HWY_BEFORE_NAMESPACE();
namespace ceres::internal::kernels {
namespace HWY_NAMESPACE {

template <typename T>
using TagOf = hn::ScalableTag<T>;
template <typename T>
using VecOf = hn::Vec<TagOf<T>>;

// Registers hold kRowVectors x kColumns vectors of a product.
constexpr int kRowVectors = 2;
constexpr int kColumns = 4;

// For the columns c < kColumns of `target`: target_c[i] -= sum over k of
// left_k[i] * right_k[c], i in [0, rows), k in [0, depth). All matrices are
// column-major with the same stride.
template <typename T>
HWY_INLINE void SubtractProduct(const T* left, const T* right, T* target,
                                int64_t stride, int rows, int depth) {
  const TagOf<T> d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  int i = 0;
  for (; i + kRowVectors * lanes <= rows; i += kRowVectors * lanes) {
    T* t0 = target + i;
    T* t1 = t0 + stride;
    T* t2 = t1 + stride;
    T* t3 = t2 + stride;
    VecOf<T> a0 = hn::LoadU(d, t0), b0 = hn::LoadU(d, t0 + lanes);
    VecOf<T> a1 = hn::LoadU(d, t1), b1 = hn::LoadU(d, t1 + lanes);
    VecOf<T> a2 = hn::LoadU(d, t2), b2 = hn::LoadU(d, t2 + lanes);
    VecOf<T> a3 = hn::LoadU(d, t3), b3 = hn::LoadU(d, t3 + lanes);
    const T* l = left + i;
    const T* r = right;
    for (int k = 0; k < depth; ++k, l += stride, r += stride) {
      const VecOf<T> x = hn::LoadU(d, l), y = hn::LoadU(d, l + lanes);
      const VecOf<T> r0 = hn::Set(d, r[0]), r1 = hn::Set(d, r[1]);
      a0 = hn::NegMulAdd(r0, x, a0);
      b0 = hn::NegMulAdd(r0, y, b0);
      a1 = hn::NegMulAdd(r1, x, a1);
      b1 = hn::NegMulAdd(r1, y, b1);
      const VecOf<T> r2 = hn::Set(d, r[2]), r3 = hn::Set(d, r[3]);
      a2 = hn::NegMulAdd(r2, x, a2);
      b2 = hn::NegMulAdd(r2, y, b2);
      a3 = hn::NegMulAdd(r3, x, a3);
      b3 = hn::NegMulAdd(r3, y, b3);
    }
    hn::StoreU(a0, d, t0), hn::StoreU(b0, d, t0 + lanes);
    hn::StoreU(a1, d, t1), hn::StoreU(b1, d, t1 + lanes);
    hn::StoreU(a2, d, t2), hn::StoreU(b2, d, t2 + lanes);
    hn::StoreU(a3, d, t3), hn::StoreU(b3, d, t3 + lanes);
  }
  for (; i + lanes <= rows; i += lanes) {
    for (int c = 0; c < kColumns; ++c) {
      T* t = target + c * stride + i;
      VecOf<T> sum = hn::LoadU(d, t);
      for (int k = 0; k < depth; ++k) {
        sum = hn::NegMulAdd(hn::Set(d, right[k * stride + c]),
                            hn::LoadU(d, left + k * stride + i), sum);
      }
      hn::StoreU(sum, d, t);
    }
  }
  for (; i < rows; ++i) {
    for (int c = 0; c < kColumns; ++c) {
      T sum = target[c * stride + i];
      for (int k = 0; k < depth; ++k) {
        sum -= left[k * stride + i] * right[k * stride + c];
      }
      target[c * stride + i] = sum;
    }
  }
}

// column -= sum over k of left_k * right_k[0].
template <typename T>
HWY_INLINE void SubtractProductFromColumn(const T* left, const T* right,
                                          T* column, int64_t stride, int rows,
                                          int depth) {
  const TagOf<T> d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  int k = 0;
  for (; k + 4 <= depth; k += 4) {
    const T* l0 = left + k * stride;
    const T* l1 = l0 + stride;
    const T* l2 = l1 + stride;
    const T* l3 = l2 + stride;
    const T f0 = right[k * stride], f1 = right[(k + 1) * stride];
    const T f2 = right[(k + 2) * stride], f3 = right[(k + 3) * stride];
    const VecOf<T> r0 = hn::Set(d, f0), r1 = hn::Set(d, f1);
    const VecOf<T> r2 = hn::Set(d, f2), r3 = hn::Set(d, f3);
    int i = 0;
    for (; i + lanes <= rows; i += lanes) {
      VecOf<T> t = hn::LoadU(d, column + i);
      t = hn::NegMulAdd(r0, hn::LoadU(d, l0 + i), t);
      t = hn::NegMulAdd(r1, hn::LoadU(d, l1 + i), t);
      t = hn::NegMulAdd(r2, hn::LoadU(d, l2 + i), t);
      t = hn::NegMulAdd(r3, hn::LoadU(d, l3 + i), t);
      hn::StoreU(t, d, column + i);
    }
    for (; i < rows; ++i) {
      column[i] -= f0 * l0[i] + f1 * l1[i] + f2 * l2[i] + f3 * l3[i];
    }
  }
  for (; k < depth; ++k) {
    Axpy(-right[k * stride], left + k * stride, rows, column);
  }
}

// Factors the columns [0, width) of a panel with `rows` rows whose first row is
// that of the first column. Returns as CholeskyFactorize does.
template <typename T>
HWY_INLINE int FactorizePanel(T* panel, int64_t stride, int rows, int width) {
  const TagOf<T> d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  for (int j = 0; j < width; ++j) {
    T* column = panel + j * stride + j;
    const int length = rows - j;
    SubtractProductFromColumn(panel + j, panel + j, column, stride, length, j);
    // Also false for NaN.
    if (!(column[0] > T(0)) || !std::isfinite(column[0])) return j;
    const T pivot = std::sqrt(column[0]);
    const T inverse = T(1) / pivot;
    column[0] = pivot;
    int i = 1;
    for (; i + lanes <= length; i += lanes) {
      hn::StoreU(hn::Mul(hn::Set(d, inverse), hn::LoadU(d, column + i)), d,
                 column + i);
    }
    for (; i < length; ++i) column[i] *= inverse;
  }
  return kPositiveDefinite;
}

template <typename T>
int Factorize(int n, T* a) {
  const int64_t stride = n;
  for (int k = 0; k < n; k += kCholeskyPanel) {
    const int width = std::min(kCholeskyPanel, n - k);
    T* panel = a + k * stride + k;
    const int failed = FactorizePanel(panel, stride, n - k, width);
    if (failed != kPositiveDefinite) return k + failed;
    // Subtracts this panel's products from the columns to its right. A group of
    // columns is updated from the row of its first on; the few entries above
    // the diagonal within a group belong to the upper triangle, so the group's
    // triangle is done column by column.
    int j = k + width;
    for (; j + kColumns <= n; j += kColumns) {
      const T* left = panel + (j - k);
      T* target = a + j * stride + j;
      for (int c = 0; c < kColumns; ++c) {
        SubtractProductFromColumn(left + c, left + c, target + c * stride + c,
                                  stride, kColumns - c, width);
      }
      SubtractProduct(left + kColumns, left, target + kColumns, stride,
                      n - j - kColumns, width);
    }
    for (; j < n; ++j) {
      const T* left = panel + (j - k);
      SubtractProductFromColumn(left, left, a + j * stride + j, stride, n - j,
                                width);
    }
  }
  return kPositiveDefinite;
}

template <typename T>
void Solve(int n, const T* a, T* x) {
  const int64_t stride = n;
  for (int j = 0; j < n; ++j) {
    const T* column = a + j * stride;
    x[j] /= column[j];
    Axpy(-x[j], column + j + 1, n - j - 1, x + j + 1);
  }
  for (int j = n - 1; j >= 0; --j) {
    const T* column = a + j * stride;
    x[j] = (x[j] - Dot(column + j + 1, x + j + 1, n - j - 1)) / column[j];
  }
}

// HWY_EXPORT takes no templates.
constexpr auto& FactorizeDoubles = Factorize<double>;
constexpr auto& FactorizeFloats = Factorize<float>;
constexpr auto& SolveDoubles = Solve<double>;
constexpr auto& SolveFloats = Solve<float>;

}  // namespace HWY_NAMESPACE
}  // namespace ceres::internal::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ceres::internal::kernels {

HWY_EXPORT(FactorizeDoubles);
HWY_EXPORT(FactorizeFloats);
HWY_EXPORT(SolveDoubles);
HWY_EXPORT(SolveFloats);

int CholeskyFactorize(int n, double* a) {
  return HWY_DYNAMIC_DISPATCH(FactorizeDoubles)(n, a);
}

int CholeskyFactorize(int n, float* a) {
  return HWY_DYNAMIC_DISPATCH(FactorizeFloats)(n, a);
}

void CholeskySolve(int n, const double* a, double* x) {
  HWY_DYNAMIC_DISPATCH(SolveDoubles)(n, a, x);
}

void CholeskySolve(int n, const float* a, float* x) {
  HWY_DYNAMIC_DISPATCH(SolveFloats)(n, a, x);
}

}  // namespace ceres::internal::kernels
#endif  // HWY_ONCE
