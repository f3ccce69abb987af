// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// Polynomials a I + b W + c W^2 of the cross product matrix W = [w]x. Since
// W^3 = -x W with x = |w|^2, they form a commutative algebra, in which products
// and inverses are polynomials, too. Rotations exp(W), the Jacobians of SO3 and
// the matrices that couple rotation and translation in SE3 and Sim3 are such
// polynomials:
//
//   exp(W)                        = I + c_1 W + c_2 W^2,
//   J_l(w) = int_0^1 exp(s W) ds  = I + c_2 W + c_3 W^2,
//   int_0^1 (1 - s) exp(s W) ds   = I / 2 + c_3 W + c_4 W^2,
//
// with Stumpff's functions c_n(x) of internal/stumpff.h. All results are own
// derivations from W^3 = -x W.

#ifndef CERES_PUBLIC_INTERNAL_AXIS_POLYNOMIAL_H_
#define CERES_PUBLIC_INTERNAL_AXIS_POLYNOMIAL_H_

#include "ceres/internal/rodrigues.h"
#include "ceres/internal/stumpff.h"

namespace ceres::internal {

template <typename T>
struct AxisPolynomial {
  T a, b, c;

  // result = (a I + b W + c W^2) v. The result may be v.
  void Multiply(const T w[3], const T v[3], T result[3]) const {
    T once[3];
    T twice[3];
    Cross(w, v, once);
    Cross(w, once, twice);
    for (int i = 0; i < 3; ++i) {
      result[i] = a * v[i] + (b * once[i] + c * twice[i]);
    }
  }

  // Writes the row-major 3 x 3 matrix, with rows of `stride` elements. Diagonal
  // elements of W^2 are -(w_j^2 + w_k^2): nothing cancels.
  void Write(const T w[3], int stride, T* matrix) const {
    for (int i = 0; i < 3; ++i) {
      const int j = (i + 1) % 3;
      const int k = (i + 2) % 3;
      matrix[i * stride + i] = a - c * (w[j] * w[j] + w[k] * w[k]);
      const T symmetric = c * (w[j] * w[k]);
      const T skew = b * w[i];
      matrix[j * stride + k] = symmetric - skew;
      matrix[k * stride + j] = symmetric + skew;
    }
  }

  // The product with another polynomial of the same W, for x = |w|^2.
  AxisPolynomial Times(const T& x, const AxisPolynomial& other) const {
    return {a * other.a,
            a * other.b + b * other.a - x * (b * other.c + c * other.b),
            a * other.c + c * other.a + b * other.b - x * (c * other.c)};
  }

  // The inverse. On the axis the polynomial is a; on the plane across it is the
  // complex number p + i theta b with p = a - c x, whose inverse is
  // (p - i theta b) / d, d = p^2 + b^2 x.
  AxisPolynomial Inverse(const T& x) const {
    const T p = a - c * x;
    const T d = p * p + b * b * x;
    return {T(1.0) / a, -b / d, (b * b - c * p) / (a * d)};
  }
};

// The derivative of b W + c W^2 along v, where b and c are
// functions of x = |w|^2 with derivatives db and dc:
//
//   b V + c (W V + V W) + 2 (w.v) (db W + dc W^2),   V = [v]x,
//   W V + V W = w v^T + v w^T - 2 (w.v) I.
//
// Writes the row-major 3 x 3 matrix, with rows of `stride` elements.
template <typename T>
inline void WriteDerivativeAlong(const T w[3], const T v[3], const T& b,
                                 const T& c, const T& db, const T& dc,
                                 int stride, T* matrix) {
  const T dot = w[0] * v[0] + w[1] * v[1] + w[2] * v[2];
  const T twice_dot = dot + dot;
  const AxisPolynomial<T> parallel{T(0.0), twice_dot * db, twice_dot * dc};
  parallel.Write(w, stride, matrix);
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3;
    const int k = (i + 2) % 3;
    matrix[i * stride + i] -= T(2.0) * c * (w[j] * v[j] + w[k] * v[k]);
    const T symmetric = c * (w[j] * v[k] + v[j] * w[k]);
    matrix[j * stride + k] += symmetric - b * v[i];
    matrix[k * stride + j] += symmetric + b * v[i];
  }
}

// The left Jacobian of SO3, J_l(w) = I + c_2 W + c_3 W^2, its inverse
// I - W / 2 + e W^2, and derivatives of their coefficients by x:
//
//   e = (c_2^2 - c_1 c_3) / (2 c_2),
//   e' = (2 c_2 c_2' - c_1' c_3 - c_1 c_3') / (2 c_2) - e c_2' / c_2.
//
// The inverse does not exist for angles that are multiples of 2 pi, except 0.
template <typename T>
class RotationJacobian {
 public:
  explicit RotationJacobian(const T w[3]) {
    StumpffFunctions<6>(SquaredNormOf3(w), c_);
  }

  AxisPolynomial<T> Forward() const { return {T(1.0), c_[2], c_[3]}; }
  AxisPolynomial<T> Inverse() const {
    return {T(1.0), T(-0.5), InverseCoefficient()};
  }

  // The derivatives of J_l and of its inverse along v. They couple rotation and
  // translation in the Jacobians of SE3: a tangent (w, v) of SE3 is the dual
  // vector w + epsilon v of SO3 (Clifford, 1873), so the Jacobian is
  // J_l(w + epsilon v). The result agrees with Barfoot, "State Estimation for
  // Robotics", 2017, equation 7.86.
  void WriteAlong(const T w[3], const T v[3], int stride, T* matrix) const {
    WriteDerivativeAlong(w, v, c_[2], c_[3], StumpffDerivative(2, c_),
                         StumpffDerivative(3, c_), stride, matrix);
  }
  void WriteInverseAlong(const T w[3], const T v[3], int stride,
                         T* matrix) const {
    const T d1 = StumpffDerivative(1, c_);
    const T d2 = StumpffDerivative(2, c_);
    const T d3 = StumpffDerivative(3, c_);
    const T e = InverseCoefficient();
    const T de =
        ((T(2.0) * c_[2] * d2 - d1 * c_[3] - c_[1] * d3) * T(0.5) - e * d2) /
        c_[2];
    WriteDerivativeAlong(w, v, T(-0.5), e, T(0.0), de, stride, matrix);
  }

 private:
  T InverseCoefficient() const {
    return (c_[2] * c_[2] - c_[1] * c_[3]) / (c_[2] + c_[2]);
  }

  T c_[6];
};

}  // namespace ceres::internal

#endif  // CERES_PUBLIC_INTERNAL_AXIS_POLYNOMIAL_H_
