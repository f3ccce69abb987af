// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_INTERNAL_SPHERE_FRAME_H_
#define CERES_PUBLIC_INTERNAL_SPHERE_FRAME_H_

#include <cmath>

#include "Eigen/Core"
#include "ceres/constants.h"
#include "ceres/internal/last_axis_reflection.h"

namespace ceres::internal {

// Coordinates at a point x of the sphere through x in R^n: the reflection H
// with H x = |x| e_n. Its first n - 1 columns span the tangent space. kSize is
// n or Eigen::Dynamic. SphereManifold and LineManifold consist of it.
template <int kSize>
class SphereFrame {
 public:
  using Vector = typename LastAxisReflection<kSize>::Vector;
  using ConstVectorMap = Eigen::Map<const Vector>;

  SphereFrame(const double* x, int size)
      : x_(ConstVectorMap(x, size)), radius_(x_.stableNorm()), h_(x_) {}

  // At the origin there is no sphere: differences do not exist.
  bool IsAtOrigin() const { return radius_ == 0.0; }

  // H [tangent; 0], for n - 1 values.
  Vector FromTangent(const double* tangent) const {
    Vector y(x_.size());
    y.template head<kTangentSize>(LastIndex()) =
        TangentMap(tangent, LastIndex());
    y[LastIndex()] = 0.0;
    return h_ * y;
  }
  // The first n - 1 values of H y, the tangent part of y.
  void ToTangent(const Vector& y, double* tangent) const {
    const Vector reflected = h_ * y;
    MutableTangentMap(tangent, LastIndex()) =
        reflected.template head<kTangentSize>(LastIndex());
  }

  // end = |x| H [sin|delta| / |delta| delta; cos|delta|].
  void Plus(const double* delta, double* end) const {
    const TangentMap tangent(delta, LastIndex());
    Eigen::Map<Vector> result(end, x_.size());
    const double angle = tangent.stableNorm();
    if (angle == 0.0) {
      result = x_;
      return;
    }
    Vector y(x_.size());
    y.template head<kTangentSize>(LastIndex()) =
        (std::sin(angle) / angle) * tangent;
    y[LastIndex()] = std::cos(angle);
    result = radius_ * (h_ * y);
  }

  // delta = atan2(|h_head|, h_last) / |h_head| h_head with h = H y / |x|. Of
  // all shortest ways to the opposite of x, takes that along the last tangent
  // axis.
  void Minus(const double* y, double* delta) const {
    const Vector h = h_ * (ConstVectorMap(y, x_.size()) / radius_);
    MutableTangentMap result(delta, LastIndex());
    const double sine = h.template head<kTangentSize>(LastIndex()).stableNorm();
    if (sine == 0.0) {
      result.setZero();
      result[LastIndex() - 1] = h[LastIndex()] < 0.0 ? constants::pi : 0.0;
      return;
    }
    result = (std::atan2(sine, h[LastIndex()]) / sine) *
             h.template head<kTangentSize>(LastIndex());
  }

  // The derivative of Plus by delta at 0 is |x| times the first n - 1 columns
  // of H, that of Minus by y at x is their transpose over |x|. These functions
  // write such matrices, or those for a radius of 1, row-major with rows of
  // `stride` entries.
  void WritePlusJacobian(int stride, double* jacobian) const {
    WriteColumns(radius_, stride, jacobian);
  }
  void WriteUnitPlusJacobian(int stride, double* jacobian) const {
    WriteColumns(1.0, stride, jacobian);
  }
  void WriteMinusJacobian(int stride, double* jacobian) const {
    WriteRows(1.0 / radius_, stride, jacobian);
  }
  void WriteUnitMinusJacobian(int stride, double* jacobian) const {
    WriteRows(1.0, stride, jacobian);
  }

 private:
  // n - 1. A size that is known at compile time keeps GCC from warning of
  // accesses that do not occur.
  static constexpr int kTangentSize =
      kSize == Eigen::Dynamic ? Eigen::Dynamic : kSize - 1;
  using Tangent = Eigen::Matrix<double, kTangentSize, 1>;
  using TangentMap = Eigen::Map<const Tangent>;
  using MutableTangentMap = Eigen::Map<Tangent>;

  Eigen::Index LastIndex() const { return x_.size() - 1; }

  void WriteColumns(double scale, int stride, double* matrix) const {
    for (Eigen::Index i = 0; i <= LastIndex(); ++i) {
      for (Eigen::Index j = 0; j < LastIndex(); ++j) {
        matrix[i * stride + j] = scale * h_(i, j);
      }
    }
  }
  void WriteRows(double scale, int stride, double* matrix) const {
    for (Eigen::Index j = 0; j < LastIndex(); ++j) {
      for (Eigen::Index i = 0; i <= LastIndex(); ++i) {
        matrix[j * stride + i] = scale * h_(i, j);
      }
    }
  }

  const Vector x_;
  const double radius_;
  const LastAxisReflection<kSize> h_;
};

}  // namespace ceres::internal

#endif  // CERES_PUBLIC_INTERNAL_SPHERE_FRAME_H_
