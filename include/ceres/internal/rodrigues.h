// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// Rotation by an angle-axis vector a, theta = |a|, after Rodrigues:
//
//   R(a) = C I + A [a]x + B/2 (2 a a^T - |a|^2 I),
//   A = sin(theta) / theta,   B = (1 - cos(theta)) / theta^2,
//   C = cos(theta / 2)^2,
//
// where [a]x p is the cross product of a and p. A, B and C are analytic
// functions of theta^2, so that nothing here is singular at a = 0. Neither term
// of a diagonal element, C + B/2 (x^2 - y^2 - z^2) and so on, is larger than 1.
// In 1 - B (y^2 + z^2) the second term reaches 2 at half turns, and its
// rounding errors double.
//
// For Jets only the scalar parts run through these formulas. Derivatives follow
// from closed forms: A' and B' are derivatives by theta^2 / 2, whose
// differential is a.da,
//
//   A' = (cos(theta) - A) / theta^2,   B' = (A - 2 B) / theta^2,
//
// and C' = -A / 2. The differential of the matrix is
//
//   dR = (a.da) W + B (a da^T + da a^T) + A [da]x,
//   W = A' [a]x + B' a a^T - A I,
//
// and that of a rotated point
//
//   d(R p) = M da + R dp,
//   M = W p a^T + B ((a.p) I + a p^T) - A [p]x.

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
  T half_b;
  T c;
};

template <typename T>
struct RodriguesDerivatives {
  RodriguesCoefficients<T> value;
  // A' and B'.
  T a;
  T b;
};

// Half angles keep B exact where 1 - cos(theta) would cancel.
template <typename T>
CERES_ALWAYS_INLINE RodriguesCoefficients<T> ComputeRodriguesCoefficients(
    const T& theta2) {
  using std::cos;
  using std::sin;
  using std::sqrt;
  if (theta2 > T(kSmallSquaredAngle)) {
    const T theta = sqrt(theta2);
    const T half_theta = T(0.5) * theta;
    const T s = sin(half_theta);
    const T c = cos(half_theta);
    return {(s + s) * c / theta, s * s / theta2, c * c};
  }
  return {T(1.0) - theta2 * T(1.0 / 6.0), T(0.25) - theta2 * T(1.0 / 48.0),
          T(1.0) - theta2 * T(0.25)};
}

template <typename T>
CERES_ALWAYS_INLINE RodriguesDerivatives<T> ComputeRodriguesDerivatives(
    const T& theta2) {
  const RodriguesCoefficients<T> value = ComputeRodriguesCoefficients(theta2);
  if (theta2 > T(kSmallSquaredAngle)) {
    const T inverse = T(1.0) / theta2;
    const T cosine = value.c - theta2 * value.half_b;
    return {value, (cosine - value.a) * inverse,
            (value.a - T(4.0) * value.half_b) * inverse};
  }
  return {value, T(-1.0 / 3.0) + theta2 * T(1.0 / 30.0),
          T(-1.0 / 12.0) + theta2 * T(1.0 / 180.0)};
}

template <typename T, int N>
CERES_ALWAYS_INLINE RodriguesCoefficients<Jet<T, N>>
ComputeRodriguesCoefficients(const Jet<T, N>& theta2) {
  const RodriguesDerivatives<T> scalar = ComputeRodriguesDerivatives(theta2.a);
  RodriguesCoefficients<Jet<T, N>> result{theta2 * (T(0.5) * scalar.a),
                                          theta2 * (T(0.25) * scalar.b),
                                          theta2 * (T(-0.25) * scalar.value.a)};
  result.a.a = scalar.value.a;
  result.half_b.a = scalar.value.half_b;
  result.c.a = scalar.value.c;
  return result;
}

// R(a). A Matrix gives access to element (row, col) as R(row, col).
template <typename T, typename Matrix>
CERES_ALWAYS_INLINE void RodriguesMatrix(
    const T a[3], const RodriguesCoefficients<T>& coefficients,
    const Matrix& R) {
  const T xx = a[0] * a[0];
  const T yy = a[1] * a[1];
  const T zz = a[2] * a[2];
  const T b = coefficients.half_b + coefficients.half_b;
  const T bx = b * a[0];
  const T bxy = bx * a[1];
  const T bxz = bx * a[2];
  const T byz = b * a[1] * a[2];
  const T ax = coefficients.a * a[0];
  const T ay = coefficients.a * a[1];
  const T az = coefficients.a * a[2];
  R(0, 0) = coefficients.c + coefficients.half_b * (xx - (yy + zz));
  R(0, 1) = bxy - az;
  R(0, 2) = bxz + ay;
  R(1, 0) = bxy + az;
  R(1, 1) = coefficients.c + coefficients.half_b * (yy - (xx + zz));
  R(1, 2) = byz - ax;
  R(2, 0) = bxz - ay;
  R(2, 1) = byz + ax;
  R(2, 2) = coefficients.c + coefficients.half_b * (zz - (xx + yy));
}

// The row-major matrix at `elements`.
template <typename T>
struct RowMajorMatrix {
  CERES_ALWAYS_INLINE T& operator()(int row, int col) const {
    return elements[3 * row + col];
  }
  T* elements;
};

template <typename T>
CERES_ALWAYS_INLINE T SquaredNormOf3(const T a[3]) {
  return a[0] * a[0] + a[1] * a[1] + a[2] * a[2];
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

// row . x, for the derivatives by an angle-axis vector.
template <typename T>
struct GradientProduct {
  template <typename V>
  CERES_ALWAYS_INLINE V operator()(const V& x0, const V& x1,
                                   const V& x2) const {
    return DotProductOf3(row, x0, x1, x2);
  }
  const T* row;
};

// R(a).
template <typename T, typename Matrix>
CERES_ALWAYS_INLINE void AngleAxisMatrix(const T a[3], const Matrix& R) {
  RodriguesMatrix(a, ComputeRodriguesCoefficients(SquaredNormOf3(a)), R);
}

// Writes the elements (i, i), (j, k) and (k, j) of R(a), for a cyclic
// permutation (i, j, k) of (0, 1, 2), from their values and from the derivative
// of R.
template <int i, typename T, int N, typename Matrix>
CERES_ALWAYS_INLINE void DifferentiateAngleAxisMatrix(
    const RodriguesDerivatives<T>& rodrigues, const Jet<T, N> angle_axis[3],
    const RowMajorMatrix<T>& value, const Matrix& R) {
  constexpr int j = (i + 1) % 3;
  constexpr int k = (i + 2) % 3;
  const T a[3] = {angle_axis[0].a, angle_axis[1].a, angle_axis[2].a};
  const T& A = rodrigues.value.a;
  const T B = rodrigues.value.half_b + rodrigues.value.half_b;
  // W, and the rest of dR.
  const T symmetric = rodrigues.b * (a[j] * a[k]);
  const T skew = rodrigues.a * a[i];
  const T w_ii = rodrigues.b * (a[i] * a[i]) - A;
  const T w_jk = symmetric - skew;
  const T w_kj = symmetric + skew;
  T diagonal[3] = {w_ii * a[0], w_ii * a[1], w_ii * a[2]};
  T upper[3] = {w_jk * a[0], w_jk * a[1], w_jk * a[2]};
  T lower[3] = {w_kj * a[0], w_kj * a[1], w_kj * a[2]};
  const T baj = B * a[j];
  const T bak = B * a[k];
  diagonal[i] += T(2.0) * (B * a[i]);
  upper[i] -= A;
  upper[j] += bak;
  upper[k] += baj;
  lower[i] += A;
  lower[j] += bak;
  lower[k] += baj;
  R(i, i) = Jet<T, N>(value(i, i), GradientProduct<T>{diagonal}, angle_axis[0],
                      angle_axis[1], angle_axis[2]);
  R(j, k) = Jet<T, N>(value(j, k), GradientProduct<T>{upper}, angle_axis[0],
                      angle_axis[1], angle_axis[2]);
  R(k, j) = Jet<T, N>(value(k, j), GradientProduct<T>{lower}, angle_axis[0],
                      angle_axis[1], angle_axis[2]);
}

template <typename T, int N, typename Matrix>
CERES_ALWAYS_INLINE void AngleAxisMatrix(const Jet<T, N> angle_axis[3],
                                         const Matrix& R) {
  const T a[3] = {angle_axis[0].a, angle_axis[1].a, angle_axis[2].a};
  const RodriguesDerivatives<T> rodrigues =
      ComputeRodriguesDerivatives(SquaredNormOf3(a));
  T elements[9];
  const RowMajorMatrix<T> value{elements};
  RodriguesMatrix(a, rodrigues.value, value);
  DifferentiateAngleAxisMatrix<0>(rodrigues, angle_axis, value, R);
  DifferentiateAngleAxisMatrix<1>(rodrigues, angle_axis, value, R);
  DifferentiateAngleAxisMatrix<2>(rodrigues, angle_axis, value, R);
}

// result = R(a) p. The result may be p.
template <typename T>
CERES_ALWAYS_INLINE void RotateByAngleAxis(const T a[3], const T p[3],
                                           T result[3]) {
  T R[9];
  AngleAxisMatrix(a, RowMajorMatrix<T>{R});
  const T p0 = p[0];
  const T p1 = p[1];
  const T p2 = p[2];
  for (int i = 0; i < 3; ++i) {
    result[i] = R[3 * i] * p0 + R[3 * i + 1] * p1 + R[3 * i + 2] * p2;
  }
}

template <typename T, int N>
CERES_ALWAYS_INLINE void RotateByAngleAxis(const Jet<T, N> angle_axis[3],
                                           const Jet<T, N> point[3],
                                           Jet<T, N> result[3]) {
  const T a[3] = {angle_axis[0].a, angle_axis[1].a, angle_axis[2].a};
  const T p[3] = {point[0].a, point[1].a, point[2].a};
  const RodriguesDerivatives<T> rodrigues =
      ComputeRodriguesDerivatives(SquaredNormOf3(a));
  const T& A = rodrigues.value.a;
  const T B = rodrigues.value.half_b + rodrigues.value.half_b;
  T R[9];
  RodriguesMatrix(a, rodrigues.value, RowMajorMatrix<T>{R});
  T q[3];
  Cross(a, p, q);
  const T a_dot_p = a[0] * p[0] + a[1] * p[1] + a[2] * p[2];
  const T along = rodrigues.b * a_dot_p;
  const T b_a_dot_p = B * a_dot_p;
  const T ap[3] = {A * p[0], A * p[1], A * p[2]};
  const T ba[3] = {B * a[0], B * a[1], B * a[2]};
  // W p
  const T w[3] = {rodrigues.a * q[0] + along * a[0] - ap[0],
                  rodrigues.a * q[1] + along * a[1] - ap[1],
                  rodrigues.a * q[2] + along * a[2] - ap[2]};
  // [M, R]
  const T matrix[18] = {
      w[0] * a[0] + ba[0] * p[0] + b_a_dot_p,
      w[0] * a[1] + ba[0] * p[1] + ap[2],
      w[0] * a[2] + ba[0] * p[2] - ap[1],
      R[0],
      R[1],
      R[2],

      w[1] * a[0] + ba[1] * p[0] - ap[2],
      w[1] * a[1] + ba[1] * p[1] + b_a_dot_p,
      w[1] * a[2] + ba[1] * p[2] + ap[0],
      R[3],
      R[4],
      R[5],

      w[2] * a[0] + ba[2] * p[0] + ap[1],
      w[2] * a[1] + ba[2] * p[1] - ap[0],
      w[2] * a[2] + ba[2] * p[2] + b_a_dot_p,
      R[6],
      R[7],
      R[8],
  };
  const T rotated[3] = {R[0] * p[0] + R[1] * p[1] + R[2] * p[2],
                        R[3] * p[0] + R[4] * p[1] + R[5] * p[2],
                        R[6] * p[0] + R[7] * p[1] + R[8] * p[2]};
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
