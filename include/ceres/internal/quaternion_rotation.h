// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// Rotation by a quaternion w + u with the vector part u and any norm but zero:
//
//   R = S / n,   S = (w^2 - |u|^2) I + 2 u u^T + 2 w [u]x,   n = w^2 + |u|^2,
//
// where [u]x p is the cross product of u and p. For Jets the derivative of a
// rotated point r = R p follows from this closed form:
//
//   dr = 2 / n (g dw + G du) + R dp,
//   g = w (p - r) + u x p,
//   G = u p^T - (p + r) u^T + (u.p) I - w [p]x.

#ifndef CERES_PUBLIC_INTERNAL_QUATERNION_ROTATION_H_
#define CERES_PUBLIC_INTERNAL_QUATERNION_ROTATION_H_

#include <cmath>
#include <limits>

#include "ceres/internal/jet_derivative.h"
#include "ceres/internal/port.h"
#include "ceres/internal/rodrigues.h"
#include "ceres/jet_fwd.h"

namespace ceres::internal {

// cos(theta / 2) and sin(theta / 2) / theta: the unit quaternion of an
// angle-axis vector a with theta = |a| is cosine + sine_ratio a.
template <typename T>
struct HalfAngle {
  T cosine;
  T sine_ratio;
};

template <typename T>
inline HalfAngle<T> HalveAngle(const T& theta2) {
  using std::cos;
  using std::sin;
  using std::sqrt;
  if (theta2 > T(kSmallSquaredAngle)) {
    const T theta = sqrt(theta2);
    const T half = T(0.5) * theta;
    return {cos(half), sin(half) / theta};
  }
  return {T(1.0) - theta2 * T(1.0 / 8.0), T(0.5) - theta2 * T(1.0 / 48.0)};
}

// The inverse: the angle-axis vector of the unit quaternion w + u is a multiple
// of u, by this ratio. It is positive for w >= 0, where the angle is
// 2 atan2(|u|, w) <= pi, and negative for w < 0, where that is the angle of -q,
// which is the same rotation.
template <typename T>
inline T AngleRatio(const T& w, const T& u_squared) {
  using std::atan2;
  using std::sqrt;
  // The root has no derivative at 0.
  if (!(u_squared > T(std::numeric_limits<double>::min()))) return T(2.0) / w;
  const T sine = sqrt(u_squared);
  if (w < T(0.0)) return T(-2.0) * atan2(sine, -w) / sine;
  return T(2.0) * atan2(sine, w) / sine;
}

// Whether a sum of squares n and 1 / n^2, which derivatives have, lose no
// digits to underflow or overflow.
template <typename T>
CERES_ALWAYS_INLINE bool IsOrdinarySquare(const T& n) {
  return n > T(0x1p-400) && n < T(0x1p+400);
}

// A quaternion of any norm times a power of two that makes its coordinates of
// ordinary size. Its rotation does not depend on its norm.
template <typename T>
struct OrdinaryQuaternion {
  CERES_NEVER_INLINE explicit OrdinaryQuaternion(const T q[4]) {
    T largest(0);
    for (int i = 0; i < 4; ++i) {
      const T size = q[i] < T(0) ? -q[i] : q[i];
      if (largest < size) largest = size;
    }
    T scale(1);
    constexpr int kMaxSteps = 25;  // 2^1000 and 2^-1000 are normal numbers
    for (int step = 0; step < kMaxSteps && largest > T(0); ++step) {
      if (largest < T(0x1p-20)) {
        largest *= T(0x1p+40);
        scale *= T(0x1p+40);
      } else if (largest > T(0x1p+20)) {
        largest *= T(0x1p-40);
        scale *= T(0x1p-40);
      }
    }
    for (int i = 0; i < 4; ++i) values[i] = scale * q[i];
  }

  T values[4];
};

// Whether AngleRatio may have these arguments: with a tiny vector part the
// angle is small, unless w is tiny, too.
template <typename T>
CERES_ALWAYS_INLINE bool IsOrdinaryQuaternion(const T& w, const T& u_squared) {
  return u_squared < T(0x1p+400) &&
         (u_squared > T(0x1p-400) || w > T(0x1p-200) || w < T(-0x1p-200));
}

// The elements (j, k) and (k, j) of 2 u u^T + s [u]x, for a cyclic permutation
// (i, j, k) of (0, 1, 2).
template <int i, typename T, typename Matrix>
CERES_ALWAYS_INLINE void SetOffDiagonalPair(const T u[3], const T& s,
                                            const Matrix& R) {
  constexpr int j = (i + 1) % 3;
  constexpr int k = (i + 2) % 3;
  const T symmetric = T(2) * (u[j] * u[k]);
  const T skew = s * u[i];
  R(j, k) = symmetric - skew;
  R(k, j) = symmetric + skew;
}

// R = S. Returns n. A Matrix gives access to element (row, col) as R(row, col).
template <typename T, typename Matrix>
CERES_ALWAYS_INLINE T SetScaledRotation(const T& w, const T u[3],
                                        const Matrix& R) {
  const T twice_w = w + w;
  SetOffDiagonalPair<0>(u, twice_w, R);
  SetOffDiagonalPair<1>(u, twice_w, R);
  SetOffDiagonalPair<2>(u, twice_w, R);
  const T w2 = w * w;
  const T x2 = u[0] * u[0];
  const T y2 = u[1] * u[1];
  const T z2 = u[2] * u[2];
  R(0, 0) = w2 + (x2 - (y2 + z2));
  R(1, 1) = w2 + (y2 - (z2 + x2));
  R(2, 2) = w2 + (z2 - (x2 + y2));
  return (w2 + x2) + (y2 + z2);
}

// row . [w; u; p].
template <typename T>
struct DotProductOf7 {
  template <typename V>
  CERES_ALWAYS_INLINE V operator()(const V& w, const V& u0, const V& u1,
                                   const V& u2, const V& p0, const V& p1,
                                   const V& p2) const {
    return JetSum(
        JetSum(JetProduct(row[0], w), DotProductOf3(row + 1, u0, u1, u2)),
        DotProductOf3(row + 4, p0, p1, p2));
  }
  const T* row;
};

// result = R p. Returns whether the squares of the quaternion are ordinary; if
// not, the result is unspecified.
template <typename T>
CERES_ALWAYS_INLINE bool RotateByQuaternion(const T& w, const T u[3],
                                            const T p[3], T result[3]) {
  T S[9];
  const T n = SetScaledRotation(w, u, RowMajorMatrix<T>{S});
  const T inverse = T(1) / n;
  for (int i = 0; i < 3; ++i) {
    const T* row = S + 3 * i;
    result[i] = inverse * (row[0] * p[0] + row[1] * p[1] + row[2] * p[2]);
  }
  return IsOrdinarySquare(n);
}

// Coordinate i of the rotated point, r, from its elements of g and G.
template <int i, typename T, int N>
CERES_ALWAYS_INLINE Jet<T, N> RotatedCoordinate(
    const T& inverse, const T S[9], const T& r, const T& g, const T G[3],
    const Jet<T, N>& w, const Jet<T, N> u[3], const Jet<T, N> p[3]) {
  const T scale = inverse + inverse;
  const T row[7] = {scale * g,
                    scale * G[0],
                    scale * G[1],
                    scale * G[2],
                    inverse * S[3 * i],
                    inverse * S[3 * i + 1],
                    inverse * S[3 * i + 2]};
  return Jet<T, N>(r, DotProductOf7<T>{row}, w, u[0], u[1], u[2], p[0], p[1],
                   p[2]);
}

template <typename T, int N>
CERES_ALWAYS_INLINE bool RotateByQuaternion(const Jet<T, N>& quaternion_w,
                                            const Jet<T, N> quaternion_u[3],
                                            const Jet<T, N> point[3],
                                            Jet<T, N> result[3]) {
  const T w = quaternion_w.a;
  const T u[3] = {quaternion_u[0].a, quaternion_u[1].a, quaternion_u[2].a};
  const T p[3] = {point[0].a, point[1].a, point[2].a};
  T S[9];
  const T n = SetScaledRotation(w, u, RowMajorMatrix<T>{S});
  const T inverse = T(1) / n;
  const T r[3] = {inverse * (S[0] * p[0] + S[1] * p[1] + S[2] * p[2]),
                  inverse * (S[3] * p[0] + S[4] * p[1] + S[5] * p[2]),
                  inverse * (S[6] * p[0] + S[7] * p[1] + S[8] * p[2])};
  T cross[3];
  Cross(u, p, cross);
  const T dot = u[0] * p[0] + u[1] * p[1] + u[2] * p[2];
  const T wp[3] = {w * p[0], w * p[1], w * p[2]};
  const T sum[3] = {p[0] + r[0], p[1] + r[1], p[2] + r[2]};
  const T G0[3] = {u[0] * p[0] - sum[0] * u[0] + dot,
                   u[0] * p[1] - sum[0] * u[1] + wp[2],
                   u[0] * p[2] - sum[0] * u[2] - wp[1]};
  const T G1[3] = {u[1] * p[0] - sum[1] * u[0] - wp[2],
                   u[1] * p[1] - sum[1] * u[1] + dot,
                   u[1] * p[2] - sum[1] * u[2] + wp[0]};
  const T G2[3] = {u[2] * p[0] - sum[2] * u[0] + wp[1],
                   u[2] * p[1] - sum[2] * u[1] - wp[0],
                   u[2] * p[2] - sum[2] * u[2] + dot};
  result[0] =
      RotatedCoordinate<0>(inverse, S, r[0], wp[0] - w * r[0] + cross[0], G0,
                           quaternion_w, quaternion_u, point);
  result[1] =
      RotatedCoordinate<1>(inverse, S, r[1], wp[1] - w * r[1] + cross[1], G1,
                           quaternion_w, quaternion_u, point);
  result[2] =
      RotatedCoordinate<2>(inverse, S, r[2], wp[2] - w * r[2] + cross[2], G2,
                           quaternion_w, quaternion_u, point);
  return IsOrdinarySquare(n);
}

}  // namespace ceres::internal

#endif  // CERES_PUBLIC_INTERNAL_QUATERNION_ROTATION_H_
