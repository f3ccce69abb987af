// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_FACTORS_PLANAR_GROUPS_H_
#define CERES_PUBLIC_FACTORS_PLANAR_GROUPS_H_

#include <algorithm>
#include <cmath>

#include "ceres/constants.h"
#include "ceres/factors/lie_group.h"
#include "ceres/internal/stumpff.h"

namespace ceres::factors {

// The angle in [-pi, pi] that differs from `angle` by a multiple of 2 pi.
// Angles in that interval do not change.
template <typename T>
inline T NormalizeAngle(const T& angle) {
  using std::floor;
  using std::fma;
  // 2 pi as the sum of two numbers of type double.
  constexpr double kTwoPi = 2.0 * constants::pi;
  constexpr double kTwoPiRest = 2.449293598294706354e-16;
  if (angle >= T(-constants::pi) && angle <= T(constants::pi)) return angle;
  const T turns = floor(angle * T(1.0 / kTwoPi) + T(0.5));
  return fma(-turns, T(kTwoPi), angle) - turns * T(kTwoPiRest);
}

// Rotations of the plane: [angle], in radians, counter-clockwise. Tangent:
// [angle]. Compose and Log return angles in [-pi, pi].
struct SO2 : LieGroup<SO2, 1, 1, 2> {
  // x = 1.
  template <typename T>
  static void Identity(T* x) {
    x[0] = T(0.0);
  }

  // ab = a b.
  template <typename T>
  static void Compose(const T* a, const T* b, T* ab) {
    ab[0] = NormalizeAngle(T(a[0] + b[0]));
  }

  // inverse = x^-1.
  template <typename T>
  static void Inverse(const T* x, T* inverse) {
    inverse[0] = -x[0];
  }

  // result = x point.
  template <typename T>
  static void Act(const T* x, const T* point, T* result) {
    using std::cos;
    using std::sin;
    const T c = cos(x[0]);
    const T s = sin(x[0]);
    result[0] = c * point[0] - s * point[1];
    result[1] = s * point[0] + c * point[1];
  }

  // x = Exp(tangent).
  template <typename T>
  static void Exp(const T* tangent, T* x) {
    x[0] = NormalizeAngle(tangent[0]);
  }

  // tangent = Log(x).
  template <typename T>
  static void Log(const T* x, T* tangent) {
    tangent[0] = NormalizeAngle(x[0]);
  }

  // x Exp(v) x^-1 = Exp(Adjoint(x) v).
  template <typename T>
  static void Adjoint(const T* /*x*/, T* matrix) {
    matrix[0] = T(1.0);
  }

  // Exp(v + d) = Exp(J_l(v) d) Exp(v), to first order in d.
  template <typename T>
  static void LeftJacobian(const T* /*tangent*/, T* matrix) {
    matrix[0] = T(1.0);
  }

  // The inverse of LeftJacobian.
  template <typename T>
  static void LeftJacobianInverse(const T* /*tangent*/, T* matrix) {
    matrix[0] = T(1.0);
  }

  // tangent = ambient PlusJacobian(x).
  static void RightMultiplyByPlusJacobian(const double* /*x*/, int num_rows,
                                          const double* ambient,
                                          double* tangent) {
    std::copy_n(ambient, num_rows, tangent);
  }

  // ambient = tangent MinusJacobian(x).
  static void RightMultiplyByMinusJacobian(const double* /*x*/, int num_rows,
                                           const double* tangent,
                                           double* ambient) {
    std::copy_n(tangent, num_rows, ambient);
  }
};

// Poses of a body in the plane: [angle, x, y], the angle as in SO2, and the
// position of the body in the world. Tangent: [angle, v_x, v_y]. With
// J = [0, -1; 1, 0],
//
//   Exp(w, v) = (w, V v),   V = sin(w) / w I + (1 - cos(w)) / w J.
struct SE2 : LieGroup<SE2, 3, 3, 2> {
  // The group of the first number.
  using Rotation = SO2;

  // x = 1.
  template <typename T>
  static void Identity(T* x) {
    x[0] = x[1] = x[2] = T(0.0);
  }

  // ab = a b.
  template <typename T>
  static void Compose(const T* a, const T* b, T* ab) {
    SO2::Compose(a, b, ab);
    Act(a, b + 1, ab + 1);
  }

  // inverse = x^-1.
  template <typename T>
  static void Inverse(const T* x, T* inverse) {
    const T minus[2] = {-x[1], -x[2]};
    inverse[0] = -x[0];
    SO2::Act(inverse, minus, inverse + 1);
  }

  // result = a^-1 b.
  template <typename T>
  static void Between(const T* a, const T* b, T* result) {
    const T back[1] = {-a[0]};
    const T offset[2] = {b[1] - a[1], b[2] - a[2]};
    SO2::Compose(back, b, result);
    SO2::Act(back, offset, result + 1);
  }

  // result = x point.
  template <typename T>
  static void Act(const T* x, const T* point, T* result) {
    SO2::Act(x, point, result);
    result[0] += x[1];
    result[1] += x[2];
  }

  // The point of the world, in the frame of the body: x^-1 point.
  template <typename T>
  static void ActInverse(const T* x, const T* point, T* result) {
    const T back[1] = {-x[0]};
    const T offset[2] = {point[0] - x[1], point[1] - x[2]};
    SO2::Act(back, offset, result);
  }

  // x = Exp(tangent).
  template <typename T>
  static void Exp(const T* tangent, T* x) {
    T c[4];
    internal::StumpffFunctions<4>(T(tangent[0] * tangent[0]), c);
    const T skew = tangent[0] * c[2];
    x[0] = NormalizeAngle(tangent[0]);
    x[1] = c[1] * tangent[1] - skew * tangent[2];
    x[2] = skew * tangent[1] + c[1] * tangent[2];
  }

  // V^-1 = h I - w / 2 J with h = w / 2 cot(w / 2).
  template <typename T>
  static void Log(const T* x, T* tangent) {
    tangent[0] = NormalizeAngle(x[0]);
    T c[4];
    internal::StumpffFunctions<4>(T(tangent[0] * tangent[0]), c);
    const T h = c[1] / (c[2] + c[2]);
    const T half = T(0.5) * tangent[0];
    tangent[1] = h * x[1] + half * x[2];
    tangent[2] = h * x[2] - half * x[1];
  }

  // x Exp(v) x^-1 = Exp(Adjoint(x) v).
  template <typename T>
  static void Adjoint(const T* x, T* matrix) {
    using std::cos;
    using std::sin;
    Fill(cos(x[0]), sin(x[0]), x[2], T(-x[1]), matrix);
  }

  // The integral of Adjoint(Exp(s tangent)) over 0 <= s <= 1.
  template <typename T>
  static void LeftJacobian(const T* tangent, T* matrix) {
    const T w = tangent[0];
    T c[4];
    internal::StumpffFunctions<4>(T(w * w), c);
    Fill(c[1], T(w * c[2]), T(c[2] * tangent[2] + w * c[3] * tangent[1]),
         T(w * c[3] * tangent[2] - c[2] * tangent[1]), matrix);
  }

  // The inverse of LeftJacobian.
  template <typename T>
  static void LeftJacobianInverse(const T* tangent, T* matrix) {
    const T w = tangent[0];
    T c[4];
    internal::StumpffFunctions<4>(T(w * w), c);
    const T h = c[1] / (c[2] + c[2]);
    const T half = T(0.5) * w;
    const T column[2] = {c[2] * tangent[2] + w * c[3] * tangent[1],
                         w * c[3] * tangent[2] - c[2] * tangent[1]};
    Fill(h, T(-half), T(-(h * column[0] + half * column[1])),
         T(half * column[0] - h * column[1]), matrix);
  }

  // tangent = ambient PlusJacobian(x).
  static void RightMultiplyByPlusJacobian(const double* x, int num_rows,
                                          const double* ambient,
                                          double* tangent) {
    const double back[1] = {-x[0]};
    for (int row = 0; row < num_rows; ++row) {
      tangent[3 * row] = ambient[3 * row];
      SO2::Act(back, ambient + 3 * row + 1, tangent + 3 * row + 1);
    }
  }

  // ambient = tangent MinusJacobian(x).
  static void RightMultiplyByMinusJacobian(const double* x, int num_rows,
                                           const double* tangent,
                                           double* ambient) {
    for (int row = 0; row < num_rows; ++row) {
      ambient[3 * row] = tangent[3 * row];
      SO2::Act(x, tangent + 3 * row + 1, ambient + 3 * row + 1);
    }
  }

 private:
  // [1, 0, 0; u, c, -s; v, s, c].
  template <typename T>
  static void Fill(const T& c, const T& s, const T& u, const T& v, T* matrix) {
    matrix[0] = T(1.0);
    matrix[1] = T(0.0);
    matrix[2] = T(0.0);
    matrix[3] = u;
    matrix[4] = c;
    matrix[5] = -s;
    matrix[6] = v;
    matrix[7] = s;
    matrix[8] = c;
  }
};

// Plus adds angles, and keeps them in [-pi, pi].
using SO2Manifold = GroupManifold<SO2>;
// Steps are in the frame of the body.
using SE2Manifold = GroupManifold<SE2>;

}  // namespace ceres::factors

#endif  // CERES_PUBLIC_FACTORS_PLANAR_GROUPS_H_
