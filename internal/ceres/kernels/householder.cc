// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/kernels/householder.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "ceres/kernels/highway_targets.h"
#include "ceres/kernels/kernels_tuning.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ceres/kernels/householder.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
// After foreach_target.h, which includes it once per target.
#include "ceres/kernels/vector_loops-inl.h"

HWY_BEFORE_NAMESPACE();
namespace ceres::internal::kernels {
namespace HWY_NAMESPACE {

// H = I - tau v v' with v = (1, tail) maps (alpha, x) to (beta, 0).
struct Reflection {
  double beta = 0.0;
  double tau = 0.0;
  double inverse_scale = 0.0;  // tail = x * inverse_scale
};

// From alpha and |x|^2, choosing the sign that does not cancel.
HWY_INLINE Reflection MakeReflection(double alpha, double squared_norm_of_x) {
  if (squared_norm_of_x == 0.0) return {alpha, 0.0, 0.0};
  const double norm = std::sqrt(alpha * alpha + squared_norm_of_x);
  const double beta = alpha > 0.0 ? -norm : norm;
  return {beta, (beta - alpha) / beta, 1.0 / (alpha - beta)};
}

// One step of a panel: the reflection's tail, which lies below the diagonal of
// its column, and its tau.
struct StoredReflection {
  const double* tail;
  double tau;
  int row;
  int tail_length;
};

HWY_INLINE void ApplyToColumn(const StoredReflection& h, double* column) {
  double* x = column + h.row;
  const double w = h.tau * (x[0] + Dot(h.tail, x + 1, h.tail_length));
  x[0] -= w;
  Axpy(-w, h.tail, h.tail_length, x + 1);
}

// To four columns at once: the tail is loaded once for all.
HWY_INLINE void ApplyToFourColumns(const StoredReflection& h, double* column,
                                   int64_t stride) {
  const Doubles d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  double* x0 = column + h.row;
  double* x1 = x0 + stride;
  double* x2 = x1 + stride;
  double* x3 = x2 + stride;
  const double* v = h.tail;
  const int n = h.tail_length;

  DoublesVec s0 = hn::Zero(d), s1 = s0, s2 = s0, s3 = s0;
  DoublesVec t0 = s0, t1 = s0, t2 = s0, t3 = s0;
  int i = 0;
  for (; i + 2 * lanes <= n; i += 2 * lanes) {
    const DoublesVec a = hn::LoadU(d, v + i);
    const DoublesVec b = hn::LoadU(d, v + i + lanes);
    s0 = hn::MulAdd(a, hn::LoadU(d, x0 + 1 + i), s0);
    s1 = hn::MulAdd(a, hn::LoadU(d, x1 + 1 + i), s1);
    s2 = hn::MulAdd(a, hn::LoadU(d, x2 + 1 + i), s2);
    s3 = hn::MulAdd(a, hn::LoadU(d, x3 + 1 + i), s3);
    t0 = hn::MulAdd(b, hn::LoadU(d, x0 + 1 + i + lanes), t0);
    t1 = hn::MulAdd(b, hn::LoadU(d, x1 + 1 + i + lanes), t1);
    t2 = hn::MulAdd(b, hn::LoadU(d, x2 + 1 + i + lanes), t2);
    t3 = hn::MulAdd(b, hn::LoadU(d, x3 + 1 + i + lanes), t3);
  }
  double w0 = x0[0] + hn::GetLane(hn::SumOfLanes(d, hn::Add(s0, t0)));
  double w1 = x1[0] + hn::GetLane(hn::SumOfLanes(d, hn::Add(s1, t1)));
  double w2 = x2[0] + hn::GetLane(hn::SumOfLanes(d, hn::Add(s2, t2)));
  double w3 = x3[0] + hn::GetLane(hn::SumOfLanes(d, hn::Add(s3, t3)));
  for (; i < n; ++i) {
    w0 += v[i] * x0[1 + i];
    w1 += v[i] * x1[1 + i];
    w2 += v[i] * x2[1 + i];
    w3 += v[i] * x3[1 + i];
  }
  w0 *= h.tau, w1 *= h.tau, w2 *= h.tau, w3 *= h.tau;
  x0[0] -= w0, x1[0] -= w1, x2[0] -= w2, x3[0] -= w3;

  const DoublesVec f0 = hn::Set(d, w0), f1 = hn::Set(d, w1);
  const DoublesVec f2 = hn::Set(d, w2), f3 = hn::Set(d, w3);
  const auto subtract = [&](DoublesVec f, DoublesVec a, double* x) HWY_ATTR {
    hn::StoreU(hn::NegMulAdd(f, a, hn::LoadU(d, x)), d, x);
  };
  for (i = 0; i + lanes <= n; i += lanes) {
    const DoublesVec a = hn::LoadU(d, v + i);
    subtract(f0, a, x0 + 1 + i);
    subtract(f1, a, x1 + 1 + i);
    subtract(f2, a, x2 + 1 + i);
    subtract(f3, a, x3 + 1 + i);
  }
  for (; i < n; ++i) {
    x0[1 + i] -= w0 * v[i];
    x1[1 + i] -= w1 * v[i];
    x2[1 + i] -= w2 * v[i];
    x3[1 + i] -= w3 * v[i];
  }
}

void Triangularize(const TallMatrix& m) {
  const Doubles d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  const int64_t stride = m.stride;
  StoredReflection panel[kHouseholderPanel];
  for (int begin = 0; begin < m.num_pivots; begin += kHouseholderPanel) {
    const int end = std::min(begin + kHouseholderPanel, m.num_pivots);
    for (int k = begin; k < end; ++k) {
      double* column = m.values + k * stride;
      for (int p = begin; p < k; ++p) ApplyToColumn(panel[p - begin], column);
      double* x = column + k;
      const int length = std::min(m.num_rows, m.num_dense_rows + k + 1) - k - 1;
      const Reflection h = MakeReflection(x[0], Dot(x + 1, x + 1, length));
      x[0] = h.beta;
      int i = 1;
      for (; i + lanes <= length + 1; i += lanes) {
        hn::StoreU(hn::Mul(hn::Set(d, h.inverse_scale), hn::LoadU(d, x + i)), d,
                   x + i);
      }
      for (; i <= length; ++i) x[i] *= h.inverse_scale;
      panel[k - begin] = {x + 1, h.tau, k, length};
    }
    int j = end;
    for (; j + 4 <= m.num_columns; j += 4) {
      for (int p = 0; p < end - begin; ++p) {
        ApplyToFourColumns(panel[p], m.values + j * stride, stride);
      }
    }
    for (; j < m.num_columns; ++j) {
      for (int p = 0; p < end - begin; ++p) {
        ApplyToColumn(panel[p], m.values + j * stride);
      }
    }
  }
}

void SolveUpper(const TallMatrix& m, const double* c, double* x) {
  std::copy_n(c, m.num_pivots, x);
  for (int j = m.num_pivots - 1; j >= 0; --j) {
    const double* column = m.values + static_cast<int64_t>(j) * m.stride;
    x[j] /= column[j];
    Axpy(-x[j], column, j, x);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace ceres::internal::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ceres::internal::kernels {

HWY_EXPORT(Triangularize);
HWY_EXPORT(SolveUpper);

void HouseholderTriangularize(const TallMatrix& matrix) {
  HWY_DYNAMIC_DISPATCH(Triangularize)(matrix);
}

void SolveUpperTriangular(const TallMatrix& matrix, const double* c,
                          double* x) {
  HWY_DYNAMIC_DISPATCH(SolveUpper)(matrix, c, x);
}

}  // namespace ceres::internal::kernels
#endif  // HWY_ONCE
