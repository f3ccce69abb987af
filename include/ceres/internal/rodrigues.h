// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// Rotation by an angle-axis vector a, theta = |a|, after Rodrigues:
//
//   R(a) = I + A [a]x + B [a]x^2,   A = sin(theta) / theta,
//                                   B = (1 - cos(theta)) / theta^2,
//
// where [a]x p is the cross product of a and p. A and B are analytic functions
// of theta^2, so that nothing here is singular at a = 0.
//
// For Jets only the scalar parts run through these formulas. Derivatives follow
// from closed forms, which takes 18 multiplications of a derivative by a scalar
// to rotate a point, where the formula in Jet arithmetic takes more than 50.
// The derivative of the rotated point is, with q = a x p and r = a x q,
//
//   d(R p) = M da + R dp,
//   M = -A [p]x + (A' q + B' r - 2 B p) a^T + B (a.p) I + B a p^T,
//
// where A' and B' are derivatives by theta^2 / 2, whose differential is a.da:
//
//   A' = (cos(theta) - A) / theta^2,   B' = (A - 2 B) / theta^2.

#ifndef CERES_PUBLIC_INTERNAL_RODRIGUES_H_
#define CERES_PUBLIC_INTERNAL_RODRIGUES_H_

#include <algorithm>
#include <cmath>
#include <limits>

#include "ceres/internal/jet_derivative.h"
#include "ceres/internal/port.h"
#include "ceres/jet_fwd.h"

namespace ceres::internal {

// Below this theta^2 the first terms of the power series are exact to rounding,
// and the closed forms would divide small numbers by small numbers.
inline constexpr double kSmallSquaredAngle =
    std::numeric_limits<double>::epsilon();

template <typename T>
struct RodriguesCoefficients {
  T a;
  T b;
};

template <typename T>
struct RodriguesDerivatives {
  RodriguesCoefficients<T> value;
  // By theta^2 / 2.
  RodriguesCoefficients<T> derivative;
};

// A and B. Half angles keep B exact where 1 - cos(theta) would cancel.
template <typename T>
CERES_ALWAYS_INLINE RodriguesCoefficients<T> ComputeRodriguesCoefficients(
    const T& theta2) {
  using std::cos;
  using std::sin;
  using std::sqrt;
  if (theta2 > T(kSmallSquaredAngle)) {
    const T theta = sqrt(theta2);
    const T half_theta = T(0.5) * theta;
    // While this division runs, so does the sine.
    const T inverse = T(1.0) / theta;
    const T k = sin(half_theta) * inverse;
    const T two_k = T(2.0) * k;
    return {two_k * cos(half_theta), two_k * k};
  }
  return {T(1.0) - theta2 * T(1.0 / 6.0), T(0.5) - theta2 * T(1.0 / 24.0)};
}

template <typename T>
CERES_ALWAYS_INLINE RodriguesDerivatives<T> ComputeRodriguesDerivatives(
    const T& theta2) {
  const RodriguesCoefficients<T> value = ComputeRodriguesCoefficients(theta2);
  if (theta2 > T(kSmallSquaredAngle)) {
    const T inverse = T(1.0) / theta2;
    return {value,
            {(T(1.0) - theta2 * value.b - value.a) * inverse,
             (value.a - T(2.0) * value.b) * inverse}};
  }
  return {value,
          {T(-1.0 / 3.0) + theta2 * T(1.0 / 30.0),
           T(-1.0 / 12.0) + theta2 * T(1.0 / 180.0)}};
}

template <typename T, int N>
CERES_ALWAYS_INLINE RodriguesCoefficients<Jet<T, N>>
ComputeRodriguesCoefficients(const Jet<T, N>& theta2) {
  const RodriguesDerivatives<T> scalar = ComputeRodriguesDerivatives(theta2.a);
  RodriguesCoefficients<Jet<T, N>> result{
      theta2 * (T(0.5) * scalar.derivative.a),
      theta2 * (T(0.5) * scalar.derivative.b)};
  result.a.a = scalar.value.a;
  result.b.a = scalar.value.b;
  return result;
}

// result = x cross y. The result may be x or y.
template <typename T>
CERES_ALWAYS_INLINE void Cross(const T x[3], const T y[3], T result[3]) {
  const T r0 = x[1] * y[2] - x[2] * y[1];
  const T r1 = x[2] * y[0] - x[0] * y[2];
  const T r2 = x[0] * y[1] - x[1] * y[0];
  result[0] = r0;
  result[1] = r1;
  result[2] = r2;
}

// row . x for derivatives or for pieces of them.
template <typename T, typename V>
CERES_ALWAYS_INLINE V DotProductOf3(const T row[3], const V& x0, const V& x1,
                                    const V& x2) {
  return JetSum(JetSum(JetProduct(row[0], x0), JetProduct(row[1], x1)),
                JetProduct(row[2], x2));
}

// row . [x; y].
template <typename T>
struct DotProductOf6 {
  template <typename V>
  CERES_ALWAYS_INLINE V operator()(const V& x0, const V& x1, const V& x2,
                                   const V& y0, const V& y1,
                                   const V& y2) const {
    return JetSum(DotProductOf3(row, x0, x1, x2),
                  DotProductOf3(row + 3, y0, y1, y2));
  }
  const T* row;
};

// A coordinate of R(a) p from its value and from its row of [M, R], the
// derivatives by a and p.
template <typename T, int N>
CERES_ALWAYS_INLINE Jet<T, N> RotatedCoordinate(const T& value, const T row[6],
                                                const Jet<T, N> a[3],
                                                const Jet<T, N> p[3]) {
  return Jet<T, N>(value, DotProductOf6<T>{row}, a[0], a[1], a[2], p[0], p[1],
                   p[2]);
}

// result = R(a) p. The result may be p.
template <typename T>
CERES_ALWAYS_INLINE void RotateByAngleAxis(const T a[3], const T p[3],
                                           T result[3]) {
  const T theta2 = a[0] * a[0] + a[1] * a[1] + a[2] * a[2];
  const RodriguesCoefficients<T> c = ComputeRodriguesCoefficients(theta2);
  T q[3];
  T r[3];
  Cross(a, p, q);
  Cross(a, q, r);
  for (int i = 0; i < 3; ++i) {
    result[i] = p[i] + (c.a * q[i] + c.b * r[i]);
  }
}

template <typename T, int N>
CERES_ALWAYS_INLINE void RotateByAngleAxis(const Jet<T, N> angle_axis[3],
                                           const Jet<T, N> point[3],
                                           Jet<T, N> result[3]) {
  const T a[3] = {angle_axis[0].a, angle_axis[1].a, angle_axis[2].a};
  const T p[3] = {point[0].a, point[1].a, point[2].a};
  const T theta2 = a[0] * a[0] + a[1] * a[1] + a[2] * a[2];
  const RodriguesDerivatives<T> rodrigues = ComputeRodriguesDerivatives(theta2);
  const T& A = rodrigues.value.a;
  const T& B = rodrigues.value.b;
  T q[3];
  T r[3];
  Cross(a, p, q);
  Cross(a, q, r);
  T u[3];
  for (int i = 0; i < 3; ++i) {
    u[i] = rodrigues.derivative.a * q[i] + rodrigues.derivative.b * r[i] -
           T(2.0) * (B * p[i]);
  }
  const T b_a_dot_p = B * (a[0] * p[0] + a[1] * p[1] + a[2] * p[2]);
  const T ba[3] = {B * a[0], B * a[1], B * a[2]};
  const T ap[3] = {A * p[0], A * p[1], A * p[2]};
  const T aa[3] = {A * a[0], A * a[1], A * a[2]};
  const T cosine = T(1.0) - B * theta2;

  // [M, R]
  const T matrix[18] = {
      u[0] * a[0] + b_a_dot_p + ba[0] * p[0],
      u[0] * a[1] + ap[2] + ba[0] * p[1],
      u[0] * a[2] - ap[1] + ba[0] * p[2],
      cosine + ba[0] * a[0],
      ba[0] * a[1] - aa[2],
      ba[0] * a[2] + aa[1],

      u[1] * a[0] - ap[2] + ba[1] * p[0],
      u[1] * a[1] + b_a_dot_p + ba[1] * p[1],
      u[1] * a[2] + ap[0] + ba[1] * p[2],
      ba[1] * a[0] + aa[2],
      cosine + ba[1] * a[1],
      ba[1] * a[2] - aa[0],

      u[2] * a[0] + ap[1] + ba[2] * p[0],
      u[2] * a[1] - ap[0] + ba[2] * p[1],
      u[2] * a[2] + b_a_dot_p + ba[2] * p[2],
      ba[2] * a[0] - aa[1],
      ba[2] * a[1] + aa[0],
      cosine + ba[2] * a[2],
  };
  const T rotated[3] = {p[0] + (A * q[0] + B * r[0]),
                        p[1] + (A * q[1] + B * r[1]),
                        p[2] + (A * q[2] + B * r[2])};
  const Jet<T, N> rotated0 =
      RotatedCoordinate(rotated[0], matrix, angle_axis, point);
  const Jet<T, N> rotated1 =
      RotatedCoordinate(rotated[1], matrix + 6, angle_axis, point);
  result[2] = RotatedCoordinate(rotated[2], matrix + 12, angle_axis, point);
  result[1] = rotated1;
  result[0] = rotated0;
}

}  // namespace ceres::internal

#endif  // CERES_PUBLIC_INTERNAL_RODRIGUES_H_
