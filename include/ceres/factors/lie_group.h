// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_FACTORS_LIE_GROUP_H_
#define CERES_PUBLIC_FACTORS_LIE_GROUP_H_

#include "ceres/internal/disable_warnings.h"
#include "ceres/manifold.h"

namespace ceres::factors {

// What the groups SO2, SE2, SO3, SE3 and Sim3 have in common. The conventions
// of all groups are in ceres/factors/factors.h. A group is a class of static
// functions that work on arrays. T is a floating point type or a Jet. Matrices
// are dense and row-major. Outputs must not overlap inputs.
//
// `Group` derives from this class and has the functions
//
//   Identity(x)                          x = 1
//   Compose(a, b, ab)                    ab = a b
//   Inverse(x, y)                        y = x^-1
//   Act(x, point, result)                the point p of the body, in the world
//   Exp(tangent, x)                      the exponential map
//   Log(x, tangent)                      its inverse; angles are in [-pi, pi]
//   Adjoint(x, matrix)                   x Exp(v) x^-1 = Exp(Adjoint(x) v)
//   LeftJacobian(tangent, matrix)        Exp(v + d) = Exp(J_l(v) d) Exp(v)
//   LeftJacobianInverse(tangent, matrix) its inverse
//   RightMultiplyByPlusJacobian(x, num_rows, ambient, tangent)
//   RightMultiplyByMinusJacobian(x, num_rows, tangent, ambient)
//
// where the equation of LeftJacobian holds to first order in d. The last two
// functions multiply rows by the Jacobians of the manifold. Points, tangents
// and matrices have the sizes below.
template <typename Group, int kAmbient, int kTangent, int kSpace>
struct LieGroup {
  // The number of coordinates of an element.
  static constexpr int kAmbientSize = kAmbient;
  // The number of degrees of freedom.
  static constexpr int kTangentSize = kTangent;
  // The dimension of the space that the group acts on.
  static constexpr int kSpaceSize = kSpace;

  // result = a^-1 b: the element b, seen from a.
  template <typename T>
  static void Between(const T* a, const T* b, T* result) {
    T inverse[kAmbient];
    Group::Inverse(a, inverse);
    Group::Compose(inverse, b, result);
  }

  // result = x Exp(tangent).
  template <typename T>
  static void Plus(const T* x, const T* tangent, T* result) {
    T motion[kAmbient];
    Group::Exp(tangent, motion);
    Group::Compose(x, motion, result);
  }

  // tangent = Log(x^-1 y).
  template <typename T>
  static void Minus(const T* y, const T* x, T* tangent) {
    T difference[kAmbient];
    Group::Between(x, y, difference);
    Group::Log(difference, tangent);
  }

  // Exp(v + d) = Exp(v) Exp(J_r(v) d), to first order in d.
  template <typename T>
  static void RightJacobian(const T* tangent, T* matrix) {
    T negative[kTangent];
    Negate(tangent, negative);
    Group::LeftJacobian(negative, matrix);
  }

  // The inverse of RightJacobian: Log(Exp(v) Exp(d)) = v + J_r^-1(v) d.
  template <typename T>
  static void RightJacobianInverse(const T* tangent, T* matrix) {
    T negative[kTangent];
    Negate(tangent, negative);
    Group::LeftJacobianInverse(negative, matrix);
  }

 private:
  template <typename T>
  static void Negate(const T* tangent, T* negative) {
    for (int i = 0; i < kTangent; ++i) {
      negative[i] = -tangent[i];
    }
  }
};

// The manifold of a group, with perturbations on the right:
//
//   Plus(x, delta) = x Exp(delta),   Minus(y, x) = Log(x^-1 y).
//
// Thread safety: immutable.
template <typename Group>
class GroupManifold final : public Manifold {
 public:
  int AmbientSize() const override { return Group::kAmbientSize; }
  int TangentSize() const override { return Group::kTangentSize; }

  bool Plus(const double* x, const double* delta,
            double* x_plus_delta) const override {
    Group::Plus(x, delta, x_plus_delta);
    return true;
  }

  bool PlusJacobian(const double* x, double* jacobian) const override {
    constexpr int kSize = Group::kAmbientSize;
    double identity[kSize * kSize];
    internal::SetIdentity(kSize, identity);
    Group::RightMultiplyByPlusJacobian(x, kSize, identity, jacobian);
    return true;
  }

  bool RightMultiplyByPlusJacobian(const double* x, const int num_rows,
                                   const double* ambient_matrix,
                                   double* tangent_matrix) const override {
    Group::RightMultiplyByPlusJacobian(x, num_rows, ambient_matrix,
                                       tangent_matrix);
    return true;
  }

  bool Minus(const double* y, const double* x,
             double* y_minus_x) const override {
    Group::Minus(y, x, y_minus_x);
    return true;
  }

  bool MinusJacobian(const double* x, double* jacobian) const override {
    constexpr int kSize = Group::kTangentSize;
    double identity[kSize * kSize];
    internal::SetIdentity(kSize, identity);
    Group::RightMultiplyByMinusJacobian(x, kSize, identity, jacobian);
    return true;
  }
};

}  // namespace ceres::factors

#include "ceres/internal/reenable_warnings.h"

#endif  // CERES_PUBLIC_FACTORS_LIE_GROUP_H_
