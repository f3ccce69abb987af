// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_LINE_MANIFOLD_H_
#define CERES_PUBLIC_LINE_MANIFOLD_H_

#include <algorithm>

#include "ceres/internal/check.h"
#include "ceres/internal/disable_warnings.h"
#include "ceres/internal/sphere_frame.h"
#include "ceres/manifold.h"
#include "ceres/types.h"

namespace ceres {

// Lines in R^n, n = AmbientSpaceDimension >= 2, or DYNAMIC, then n is given to
// the constructor. A point holds an origin on the line and a direction,
//
//   x = [o (n); d (n)],   delta = [delta_o (n - 1); delta_d (n - 1)].
//
// The direction moves on a sphere, with the reflection H of d that
// SphereManifold uses. The origin moves at right angles to its former
// direction:
//
//   Plus(x, delta) = [o + H [delta_o; 0]; Plus_sphere(d, delta_d)],
//   Minus(y, x)    = [first n - 1 elements of H (o_y - o_x);
//                     Minus_sphere(d_y, d_x)].
//
// A shift of the origin along the line does not change the line: Plus(x,
// Minus(y, x)) is the line y, but has the origin of y only if the difference of
// the origins is at right angles to the direction of x.
//
// Minus and MinusJacobian return false at d = 0. Thread safety: immutable.
template <int AmbientSpaceDimension>
class LineManifold final : public Manifold {
  static_assert(AmbientSpaceDimension == DYNAMIC || AmbientSpaceDimension >= 2,
                "The dimension of a LineManifold's ambient space is "
                "ceres::DYNAMIC or at least 2.");

 public:
  // For a dimension that is known at compile time.
  LineManifold() : size_(AmbientSpaceDimension) {
    static_assert(AmbientSpaceDimension != DYNAMIC,
                  "A LineManifold<DYNAMIC> needs its size.");
  }

  // n = size. Checks that size is AmbientSpaceDimension, or at least 2 if
  // AmbientSpaceDimension is DYNAMIC.
  explicit LineManifold(int size) : size_(size) {
    internal::CheckThat(
        AmbientSpaceDimension == DYNAMIC || size == AmbientSpaceDimension,
        "The size given to the constructor of a LineManifold, ", size,
        ", is not that of its type, ", AmbientSpaceDimension, ".");
    internal::CheckThat(size > 1, "The size of a LineManifold, ", size,
                        ", must be at least 2.");
  }

  int AmbientSize() const override { return 2 * size_; }
  int TangentSize() const override { return 2 * (size_ - 1); }

  bool Plus(const double* x, const double* delta,
            double* x_plus_delta) const override {
    const Frame frame(x + size_, size_);
    const auto origin_step = frame.FromTangent(delta);
    for (int i = 0; i < size_; ++i) {
      x_plus_delta[i] = x[i] + origin_step[i];
    }
    frame.Plus(delta + size_ - 1, x_plus_delta + size_);
    return true;
  }

  bool PlusJacobian(const double* x, double* jacobian) const override {
    const Frame frame(x + size_, size_);
    const int stride = TangentSize();
    std::fill_n(jacobian, AmbientSize() * stride, 0.0);
    frame.WriteUnitPlusJacobian(stride, jacobian);
    frame.WritePlusJacobian(stride, jacobian + size_ * stride + size_ - 1);
    return true;
  }

  bool Minus(const double* y, const double* x,
             double* y_minus_x) const override {
    const Frame frame(x + size_, size_);
    if (frame.IsAtOrigin()) return false;
    using Origin = typename Frame::ConstVectorMap;
    frame.ToTangent(Origin(y, size_) - Origin(x, size_), y_minus_x);
    frame.Minus(y + size_, y_minus_x + size_ - 1);
    return true;
  }

  bool MinusJacobian(const double* x, double* jacobian) const override {
    const Frame frame(x + size_, size_);
    if (frame.IsAtOrigin()) return false;
    const int stride = AmbientSize();
    std::fill_n(jacobian, TangentSize() * stride, 0.0);
    frame.WriteUnitMinusJacobian(stride, jacobian);
    frame.WriteMinusJacobian(stride, jacobian + (size_ - 1) * stride + size_);
    return true;
  }

 private:
  using Frame = internal::SphereFrame<AmbientSpaceDimension>;

  int size_;
};

}  // namespace ceres

#include "ceres/internal/reenable_warnings.h"

#endif  // CERES_PUBLIC_LINE_MANIFOLD_H_
