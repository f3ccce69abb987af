// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_SPHERE_MANIFOLD_H_
#define CERES_PUBLIC_SPHERE_MANIFOLD_H_

#include "ceres/internal/check.h"
#include "ceres/internal/disable_warnings.h"
#include "ceres/internal/sphere_frame.h"
#include "ceres/manifold.h"
#include "ceres/types.h"

namespace ceres {

// The sphere in R^n through the point x: only the direction of the vector
// varies, as in homogeneous coordinates. n is AmbientSpaceDimension > 1; if
// AmbientSpaceDimension is DYNAMIC, the constructor takes n. Tangents have n -
// 1 coordinates, in a basis given by the Householder reflection H of x onto the
// last axis.
//
//   Plus(x, delta) = |x| H [sin|delta| / |delta| delta; cos|delta|],
//   Minus(y, x)    = atan2(|h_head|, h_last) / |h_head| h_head,  h = H y / |x|,
//
// where h_head are all elements but the last. |delta| is the angle between the
// two points in radians. Plus keeps the norm of x. Minus is zero for y = x, and
// pi along the last tangent axis for y = -x.
//
// Hertzberg, Wagner, Frese and Schroeder, "Integrating Generic Sensor Fusion
// Algorithms with Sound State Representations through Encapsulation of
// Manifolds", 2013; Hartley and Zisserman, "Multiple View Geometry", 2nd
// edition, A6.9.3.
//
// Minus and MinusJacobian return false at x = 0. Thread safety: immutable.
template <int AmbientSpaceDimension>
class SphereManifold final : public Manifold {
  static_assert(AmbientSpaceDimension == DYNAMIC || AmbientSpaceDimension > 1,
                "The dimension of a SphereManifold's ambient space is "
                "ceres::DYNAMIC or at least 2.");

 public:
  // For a dimension that is known at compile time.
  SphereManifold() : size_(AmbientSpaceDimension) {
    static_assert(AmbientSpaceDimension != DYNAMIC,
                  "A SphereManifold<DYNAMIC> needs its size.");
  }

  // n = size. Checks that size is AmbientSpaceDimension, or at least 2 if
  // AmbientSpaceDimension is DYNAMIC.
  explicit SphereManifold(int size) : size_(size) {
    internal::CheckThat(
        AmbientSpaceDimension == DYNAMIC || size == AmbientSpaceDimension,
        "The size given to the constructor of a SphereManifold, ", size,
        ", is not that of its type, ", AmbientSpaceDimension, ".");
    internal::CheckThat(size > 1, "The size of a SphereManifold, ", size,
                        ", must be at least 2.");
  }

  int AmbientSize() const override { return size_; }
  int TangentSize() const override { return size_ - 1; }

  bool Plus(const double* x, const double* delta,
            double* x_plus_delta) const override {
    Frame(x, size_).Plus(delta, x_plus_delta);
    return true;
  }

  bool PlusJacobian(const double* x, double* jacobian) const override {
    Frame(x, size_).WritePlusJacobian(TangentSize(), jacobian);
    return true;
  }

  bool Minus(const double* y, const double* x,
             double* y_minus_x) const override {
    const Frame frame(x, size_);
    if (frame.IsAtOrigin()) return false;
    frame.Minus(y, y_minus_x);
    return true;
  }

  bool MinusJacobian(const double* x, double* jacobian) const override {
    const Frame frame(x, size_);
    if (frame.IsAtOrigin()) return false;
    frame.WriteMinusJacobian(AmbientSize(), jacobian);
    return true;
  }

 private:
  using Frame = internal::SphereFrame<AmbientSpaceDimension>;

  int size_;
};

}  // namespace ceres

#include "ceres/internal/reenable_warnings.h"

#endif  // CERES_PUBLIC_SPHERE_MANIFOLD_H_
