// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Loops over contiguous doubles or floats, compiled once per instruction set.
// Include after hwy/foreach_target.h and hwy/highway.h.

#if defined(CERES_INTERNAL_KERNELS_VECTOR_LOOPS_INL_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef CERES_INTERNAL_KERNELS_VECTOR_LOOPS_INL_H_
#undef CERES_INTERNAL_KERNELS_VECTOR_LOOPS_INL_H_
#else
#define CERES_INTERNAL_KERNELS_VECTOR_LOOPS_INL_H_
#endif

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace ceres::internal::kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Doubles = hn::ScalableTag<double>;
using DoublesVec = hn::Vec<Doubles>;

// a . b, in an order that depends on n alone.
template <typename T>
HWY_INLINE T Dot(const T* a, const T* b, int n) {
  const hn::ScalableTag<T> d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  hn::Vec<hn::ScalableTag<T>> sum0 = hn::Zero(d), sum1 = sum0, sum2 = sum0,
                              sum3 = sum0;
  int i = 0;
  for (; i + 4 * lanes <= n; i += 4 * lanes) {
    const T* p = a + i;
    const T* q = b + i;
    sum0 = hn::MulAdd(hn::LoadU(d, p), hn::LoadU(d, q), sum0);
    sum1 = hn::MulAdd(hn::LoadU(d, p + lanes), hn::LoadU(d, q + lanes), sum1);
    sum2 = hn::MulAdd(hn::LoadU(d, p + 2 * lanes), hn::LoadU(d, q + 2 * lanes),
                      sum2);
    sum3 = hn::MulAdd(hn::LoadU(d, p + 3 * lanes), hn::LoadU(d, q + 3 * lanes),
                      sum3);
  }
  for (; i + lanes <= n; i += lanes) {
    sum0 = hn::MulAdd(hn::LoadU(d, a + i), hn::LoadU(d, b + i), sum0);
  }
  sum0 = hn::Add(hn::Add(sum0, sum1), hn::Add(sum2, sum3));
  T sum = hn::GetLane(hn::SumOfLanes(d, sum0));
  for (; i < n; ++i) sum += a[i] * b[i];
  return sum;
}

// y += factor x
template <typename T>
HWY_INLINE void Axpy(T factor, const T* x, int n, T* y) {
  const hn::ScalableTag<T> d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  const hn::Vec<hn::ScalableTag<T>> f = hn::Set(d, factor);
  int i = 0;
  for (; i + lanes <= n; i += lanes) {
    hn::StoreU(hn::MulAdd(f, hn::LoadU(d, x + i), hn::LoadU(d, y + i)), d,
               y + i);
  }
  for (; i < n; ++i) y[i] += factor * x[i];
}

}  // namespace HWY_NAMESPACE
}  // namespace ceres::internal::kernels
HWY_AFTER_NAMESPACE();

#endif  // CERES_INTERNAL_KERNELS_VECTOR_LOOPS_INL_H_
