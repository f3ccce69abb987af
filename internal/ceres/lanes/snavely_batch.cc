// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>

#include "ceres/factors/factor_batches.h"
#include "ceres/kernels/highway_targets.h"
#include "ceres/lanes/batch_kernels.h"
#include "ceres/lanes/lane_numbers.h"
#include "ceres/lanes/row_inputs.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ceres/lanes/snavely_batch.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
// After these, once per instruction set.
#include "ceres/lanes/lane_math-inl.h"

#ifndef CERES_INTERNAL_LANES_SNAVELY_BATCH_CC_
#define CERES_INTERNAL_LANES_SNAVELY_BATCH_CC_

namespace ceres::internal::lanes {

// The numbers of a row: the camera, the point, the observed pixel, and the
// results: residuals, derivatives by the camera and by the point, row-major.
constexpr int kCamera = 0;
constexpr int kPoint = 9;
constexpr int kObserved = 12;
constexpr int kResidual = 14;
constexpr int kByCamera = 16;
constexpr int kByPoint = 34;
constexpr int kNumbers = 40;

}  // namespace ceres::internal::lanes

#endif  // CERES_INTERNAL_LANES_SNAVELY_BATCH_CC_

HWY_BEFORE_NAMESPACE();
namespace ceres::internal::lanes {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

struct Vec3 {
  Vec x, y, z;
};

HWY_INLINE Vec Dot(const Vec3& a, const Vec3& b) {
  return hn::MulAdd(a.z, b.z, hn::MulAdd(a.y, b.y, hn::Mul(a.x, b.x)));
}

HWY_INLINE Vec3 Cross(const Vec3& a, const Vec3& b) {
  return {hn::MulSub(a.y, b.z, hn::Mul(a.z, b.y)),
          hn::MulSub(a.z, b.x, hn::Mul(a.x, b.z)),
          hn::MulSub(a.x, b.y, hn::Mul(a.y, b.x))};
}

HWY_INLINE Vec3 Times(Vec s, const Vec3& a) {
  return {hn::Mul(s, a.x), hn::Mul(s, a.y), hn::Mul(s, a.z)};
}

// s a + b.
HWY_INLINE Vec3 AddProduct(Vec s, const Vec3& a, const Vec3& b) {
  return {hn::MulAdd(s, a.x, b.x), hn::MulAdd(s, a.y, b.y),
          hn::MulAdd(s, a.z, b.z)};
}

// The numbers of one vector of rows.
struct Numbers {
  double* first;

  HWY_INLINE Vec Get(int i) const {
    return hn::Load(Tag(), first + i * kNumberStride);
  }
  HWY_INLINE Vec3 Get3(int i) const { return {Get(i), Get(i + 1), Get(i + 2)}; }
  HWY_INLINE void Set(int i, Vec x) const {
    hn::Store(x, Tag(), first + i * kNumberStride);
  }
  HWY_INLINE void Set3(int i, const Vec3& a) const {
    Set(i, a.x);
    Set(i + 1, a.y);
    Set(i + 2, a.z);
  }
};

// The rotation by w, of angle theta = |w|:
//
//   R X = c X + a w x X + b (w'X) w,  a = sin(theta) / theta,
//   b = (1 - cos(theta)) / theta^2,   c = cos(theta).
//
// a and b are computed from half the angle, so that nothing cancels.
struct Rotation {
  HWY_INLINE explicit Rotation(const Vec3& axis) : w(axis) {
    const Vec theta2 = Dot(w, w);
    const Mask is_turned = hn::Gt(theta2, hn::Zero(Tag()));
    const Vec theta = hn::Sqrt(theta2);
    const Vec half = hn::Mul(Number(0.5), theta);
    const Vec q =
        hn::IfThenElse(is_turned, hn::Div(Sin(half), theta), Number(0.5));
    const Vec twice_q = hn::Add(q, q);
    a = hn::Mul(twice_q, Cos(half));
    b = hn::Mul(twice_q, q);
    c = hn::NegMulAdd(b, theta2, Number(1.0));
    d = hn::IfThenElse(is_turned, hn::Div(hn::Sub(Number(1.0), a), theta2),
                       Number(1.0 / 6.0));
  }
  HWY_INLINE Vec3 Apply(const Vec3& x) const {
    return AddProduct(
        c, x, AddProduct(a, Cross(w, x), Times(hn::Mul(b, Dot(w, x)), w)));
  }
  // g'R as a column.
  HWY_INLINE Vec3 ApplyTransposed(const Vec3& g) const {
    return AddProduct(
        c, g, AddProduct(a, Cross(g, w), Times(hn::Mul(b, Dot(g, w)), w)));
  }
  // The derivative of g'(R X) by w, for r = R X. With the left Jacobian of the
  // rotation group, it is
  //
  //   -g'[r]x (a I + b [w]x + d w w'),  d = (1 - a) / theta^2
  //   = a (r x g) + b ((r'w) g - (g'w) r) + d (g'(w x r)) w.
  HWY_INLINE Vec3 DerivativeByAxis(const Vec3& r, const Vec3& g) const {
    const Vec of_g = hn::Mul(b, Dot(r, w));
    const Vec of_r = hn::Neg(hn::Mul(b, Dot(g, w)));
    const Vec of_w = hn::Mul(d, Dot(g, Cross(w, r)));
    return AddProduct(a, Cross(r, g),
                      AddProduct(of_g, g, AddProduct(of_r, r, Times(of_w, w))));
  }
  Vec3 w;
  Vec a, b, c, d;
};

// With p = R X + t, n = -p.xy / p.z, s = |n|^2: the residual is
// weight (f (1 + k1 s + k2 s^2) n - observed).
template <bool kWithDerivatives>
HWY_INLINE void ComputeRows(Vec weight, const Numbers& at) {
  const Rotation rotation(at.Get3(kCamera));
  const Vec3 r = rotation.Apply(at.Get3(kPoint));
  const Vec3 t = at.Get3(kCamera + 3);
  const Vec f = at.Get(kCamera + 6);
  const Vec k1 = at.Get(kCamera + 7), k2 = at.Get(kCamera + 8);
  const Vec inverse = hn::Div(Number(-1.0), hn::Add(r.z, t.z));
  const Vec x = hn::Mul(hn::Add(r.x, t.x), inverse);
  const Vec y = hn::Mul(hn::Add(r.y, t.y), inverse);
  const Vec s = hn::MulAdd(x, x, hn::Mul(y, y));
  const Vec k2_s = hn::Mul(k2, s);
  const Vec radial = hn::Add(k1, k2_s);
  const Vec distortion = hn::MulAdd(s, radial, Number(1.0));
  const Vec scale = hn::Mul(f, distortion);
  at.Set(kResidual, hn::Mul(weight, hn::MulSub(scale, x, at.Get(kObserved))));
  at.Set(kResidual + 1,
         hn::Mul(weight, hn::MulSub(scale, y, at.Get(kObserved + 1))));
  if constexpr (!kWithDerivatives) return;
  // The derivative of the residual by n is
  // weighted_scale I + twice_slope n n'.
  const Vec weighted_f = hn::Mul(weight, f);
  const Vec weighted_scale = hn::Mul(weighted_f, distortion);
  const Vec slope = hn::Mul(weighted_f, hn::Add(radial, k2_s));
  const Vec twice_slope = hn::Add(slope, slope);
  const Vec slope_x = hn::Mul(twice_slope, x);
  const Vec mixed = hn::Mul(hn::Mul(slope_x, y), inverse);
  const Vec by_x = hn::Mul(hn::MulAdd(slope_x, x, weighted_scale), inverse);
  const Vec by_y =
      hn::Mul(hn::MulAdd(hn::Mul(twice_slope, y), y, weighted_scale), inverse);
  const Vec3 gradients[2] = {
      {by_x, mixed, hn::MulAdd(by_x, x, hn::Mul(mixed, y))},
      {mixed, by_y, hn::MulAdd(mixed, x, hn::Mul(by_y, y))}};
  const Vec by_f = hn::Mul(weight, distortion);
  const Vec f_s = hn::Mul(weighted_f, s);
  const Vec f_s2 = hn::Mul(f_s, s);
  for (int i = 0; i < 2; ++i) {
    const Vec3& g = gradients[i];
    const Vec n = i == 0 ? x : y;
    const int by_camera = kByCamera + 9 * i;
    at.Set3(by_camera, rotation.DerivativeByAxis(r, g));
    at.Set3(by_camera + 3, g);
    at.Set(by_camera + 6, hn::Mul(by_f, n));
    at.Set(by_camera + 7, hn::Mul(f_s, n));
    at.Set(by_camera + 8, hn::Mul(f_s2, n));
    at.Set3(kByPoint + 3 * i, rotation.ApplyTransposed(g));
  }
}

void ComputeSnavelyInLanes(double weight, int num_samples,
                           bool with_derivatives, double* memory) {
  constexpr int kVectorSize = static_cast<int>(hn::MaxLanes(Tag()));
  for (int row = 0; row < num_samples * kLanes; row += kVectorSize) {
    if (with_derivatives) {
      ComputeRows<true>(Number(weight), {memory + row});
    } else {
      ComputeRows<false>(Number(weight), {memory + row});
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace ceres::internal::lanes
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ceres {
namespace internal::lanes {
namespace {

HWY_EXPORT(ComputeSnavelyInLanes);

constexpr std::array<int, kBlockRows> FirstIntegers() {
  std::array<int, kBlockRows> result = {};
  for (int i = 0; i < kBlockRows; ++i) result[i] = i;
  return result;
}

// The places of all numbers of a row.
constexpr std::array<std::uint32_t, kNumbers> Places() {
  std::array<std::uint32_t, kNumbers> result = {};
  for (int i = 0; i < kNumbers; ++i) {
    result[i] = static_cast<std::uint32_t>(i * kNumberStride);
  }
  return result;
}

// Computes at most kBlockRows rows. Returns the index of the first one whose
// results are not finite, or their number.
int ComputeBlock(const BatchColumns& observed, double weight,
                 const BatchRows& rows, const BatchOutput& output,
                 LaneArray* numbers) {
  static constexpr auto kIndices = FirstIntegers();
  static constexpr auto kPlaces = Places();
  const int count = rows.count;
  const int num_samples = NumSamples(count);
  double* const memory = numbers->data();
  const auto at = [memory](int i) { return memory + i * kNumberStride; };
  GatherArgument(rows, kIndices.data(), count, 0, 2, 9, at(kCamera));
  GatherArgument(rows, kIndices.data(), count, 1, 2, 3, at(kPoint));
  GatherColumns(observed, rows, kIndices.data(), count, at(kObserved));
  HWY_DYNAMIC_DISPATCH(ComputeSnavelyInLanes)
  (weight, num_samples, output.jacobians != nullptr, memory);

  const RowBits all = FirstRows(count);
  RowBits failed{};
  double unused[18];
  const auto write = [&](int first, int size, double* base) {
    if (base == nullptr) return;
    ScatterRows(kPlaces.data() + first, size, num_samples, memory,
                {base, output.stride, kIndices.data(), &all, unused}, &failed);
  };
  write(kResidual, 2, output.residuals);
  if (output.jacobians != nullptr) {
    write(kByCamera, 18, output.jacobians[0]);
    write(kByPoint, 6, output.jacobians[1]);
  }
  for (int i = 0; i < count && failed != RowBits(); ++i) {
    if (HasBit(failed, i)) return i;
  }
  return count;
}

}  // namespace
}  // namespace internal::lanes

namespace factors {

SnavelyBatch::SnavelyBatch(BatchColumns observed, double weight)
    : ResidualBatch(observed.num_rows(), 2, {9, 3}),
      observed_(std::move(observed)),
      weight_(weight) {
  ceres::internal::CheckThat(
      observed_.num_columns() == 2, "SnavelyBatch: the data have ",
      observed_.num_columns(), " columns instead of u and v.");
}

int SnavelyBatch::Evaluate(const BatchRows& rows,
                           const BatchOutput& output) const {
  using internal::lanes::kBlockRows;
  thread_local internal::lanes::LaneArray numbers(
      internal::lanes::kNumbers * internal::lanes::kNumberStride /
      internal::lanes::kLanes);
  for (int first = 0; first < rows.count; first += kBlockRows) {
    const int count = std::min(kBlockRows, rows.count - first);
    const std::ptrdiff_t offset = first * output.stride;
    double* jacobians[2] = {};
    for (int k = 0; output.jacobians != nullptr && k < 2; ++k) {
      if (output.jacobians[k] != nullptr) {
        jacobians[k] = output.jacobians[k] + offset;
      }
    }
    const int done = internal::lanes::ComputeBlock(
        observed_, weight_,
        {count, rows.rows + first, rows.parameters + 2 * first},
        {output.residuals + offset,
         output.jacobians == nullptr ? nullptr : jacobians, output.stride},
        &numbers);
    if (done < count) return first + done;
  }
  return rows.count;
}

}  // namespace factors
}  // namespace ceres
#endif  // HWY_ONCE
