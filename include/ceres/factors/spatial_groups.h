// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_FACTORS_SPATIAL_GROUPS_H_
#define CERES_PUBLIC_FACTORS_SPATIAL_GROUPS_H_

#include "ceres/factors/lie_group.h"
#include "ceres/internal/axis_polynomial.h"
#include "ceres/rotation.h"

namespace ceres::factors {

// Rotations of space: unit quaternions, in Hamilton's convention and in the
// memory order of `Order`, which is CeresQuaternionOrder, [w, x, y, z], or
// EigenQuaternionOrder, [x, y, z, w]. Tangent: the angle-axis vector, in
// radians. Functions keep the norm of quaternions to rounding; they do not
// normalize.
template <typename Order>
struct BasicSO3 : LieGroup<BasicSO3<Order>, 4, 3, 3> {
  // The memory order of quaternions.
  using QuaternionOrder = Order;

  // x = 1.
  template <typename T>
  static void Identity(T* x) {
    x[Order::kX] = x[Order::kY] = x[Order::kZ] = T(0.0);
    x[Order::kW] = T(1.0);
  }

  // ab = a b.
  template <typename T>
  static void Compose(const T* a, const T* b, T* ab) {
    QuaternionProduct<Order>(a, b, ab);
  }

  // inverse = x^-1.
  template <typename T>
  static void Inverse(const T* x, T* inverse) {
    QuaternionConjugate<Order>(x, inverse);
  }

  // result = x point.
  template <typename T>
  static void Act(const T* x, const T* point, T* result) {
    UnitQuaternionRotatePoint<Order>(x, point, result);
  }

  // x = Exp(tangent).
  template <typename T>
  static void Exp(const T* tangent, T* x) {
    AngleAxisToQuaternion<Order>(tangent, x);
  }

  // tangent = Log(x).
  template <typename T>
  static void Log(const T* x, T* tangent) {
    QuaternionToAngleAxis<Order>(x, tangent);
  }

  // The rotation matrix of a unit quaternion.
  template <typename T>
  static void ToMatrix(const T* x, T* matrix) {
    QuaternionToScaledRotation<Order>(x, matrix);
  }

  // The rotation matrix.
  template <typename T>
  static void Adjoint(const T* x, T* matrix) {
    ToMatrix(x, matrix);
  }

  // Exp(v + d) = Exp(J_l(v) d) Exp(v), to first order in d.
  template <typename T>
  static void LeftJacobian(const T* tangent, T* matrix) {
    internal::RotationJacobian<T>(tangent).Forward().Write(tangent, 3, matrix);
  }

  // The inverse of LeftJacobian.
  template <typename T>
  static void LeftJacobianInverse(const T* tangent, T* matrix) {
    internal::RotationJacobian<T>(tangent).Inverse().Write(tangent, 3, matrix);
  }

  // tangent = ambient PlusJacobian(x).
  static void RightMultiplyByPlusJacobian(const double* x, int num_rows,
                                          const double* ambient,
                                          double* tangent) {
    for (int row = 0; row < num_rows; ++row) {
      ToTangentRow(x, ambient + 4 * row, tangent + 3 * row);
    }
  }

  // ambient = tangent MinusJacobian(x).
  static void RightMultiplyByMinusJacobian(const double* x, int num_rows,
                                           const double* tangent,
                                           double* ambient) {
    for (int row = 0; row < num_rows; ++row) {
      ToAmbientRow(x, tangent + 3 * row, ambient + 4 * row);
    }
  }

  // One row of RightMultiplyByPlusJacobian. The derivative of x Exp(d) by d at
  // 0 is that of x (1 + d / 2): with the vector part u of x and a row (g, h) of
  // real and vector part, the result is (w h - g u - u x h) / 2.
  static void ToTangentRow(const double* x, const double* ambient,
                           double* tangent) {
    const double u[3] = {x[Order::kX], x[Order::kY], x[Order::kZ]};
    const double h[3] = {ambient[Order::kX], ambient[Order::kY],
                         ambient[Order::kZ]};
    double cross[3];
    internal::Cross(u, h, cross);
    for (int i = 0; i < 3; ++i) {
      tangent[i] =
          0.5 * (x[Order::kW] * h[i] - ambient[Order::kW] * u[i] - cross[i]);
    }
  }

  // One row of RightMultiplyByMinusJacobian. Log(x^-1 y) is twice the vector
  // part of x^-1 y to first order: a row r gives the real part -2 r.u and the
  // vector part 2 (w r + u x r).
  static void ToAmbientRow(const double* x, const double* tangent,
                           double* ambient) {
    const double u[3] = {x[Order::kX], x[Order::kY], x[Order::kZ]};
    double cross[3];
    internal::Cross(u, tangent, cross);
    const double w = x[Order::kW];
    ambient[Order::kX] = 2.0 * (w * tangent[0] + cross[0]);
    ambient[Order::kY] = 2.0 * (w * tangent[1] + cross[1]);
    ambient[Order::kZ] = 2.0 * (w * tangent[2] + cross[2]);
    ambient[Order::kW] =
        -2.0 * (u[0] * tangent[0] + u[1] * tangent[1] + u[2] * tangent[2]);
  }
};

// Poses of a body in space: the rotation [q], 4 numbers as in BasicSO3, from
// the frame of the body to the world, then the position [t] of the body in the
// world, 3 numbers. Tangent: [w, v], w the angle-axis vector and v a
// translation. With the left Jacobian J_l of SO3,
//
//   Exp(w, v) = (Exp(w), J_l(w) v).
//
// Barfoot, "State Estimation for Robotics", 2017, chapter 7, has w and v in the
// other order.
template <typename Order>
struct BasicSE3 : LieGroup<BasicSE3<Order>, 7, 6, 3> {
  // The group of the first four numbers.
  using Rotation = BasicSO3<Order>;

  // x = 1.
  template <typename T>
  static void Identity(T* x) {
    Rotation::Identity(x);
    x[4] = x[5] = x[6] = T(0.0);
  }

  // ab = a b.
  template <typename T>
  static void Compose(const T* a, const T* b, T* ab) {
    Rotation::Compose(a, b, ab);
    Act(a, b + 4, ab + 4);
  }

  // inverse = x^-1.
  template <typename T>
  static void Inverse(const T* x, T* inverse) {
    Rotation::Inverse(x, inverse);
    const T minus[3] = {-x[4], -x[5], -x[6]};
    Rotation::Act(inverse, minus, inverse + 4);
  }

  // result = a^-1 b.
  template <typename T>
  static void Between(const T* a, const T* b, T* result) {
    T back[4];
    Rotation::Inverse(a, back);
    Rotation::Compose(back, b, result);
    const T offset[3] = {b[4] - a[4], b[5] - a[5], b[6] - a[6]};
    Rotation::Act(back, offset, result + 4);
  }

  // result = x point.
  template <typename T>
  static void Act(const T* x, const T* point, T* result) {
    Rotation::Act(x, point, result);
    for (int i = 0; i < 3; ++i) {
      result[i] += x[4 + i];
    }
  }

  // The point of the world, in the frame of the body: x^-1 point.
  template <typename T>
  static void ActInverse(const T* x, const T* point, T* result) {
    T back[4];
    Rotation::Inverse(x, back);
    const T offset[3] = {point[0] - x[4], point[1] - x[5], point[2] - x[6]};
    Rotation::Act(back, offset, result);
  }

  // x = Exp(tangent).
  template <typename T>
  static void Exp(const T* tangent, T* x) {
    Rotation::Exp(tangent, x);
    internal::RotationJacobian<T>(tangent).Forward().Multiply(
        tangent, tangent + 3, x + 4);
  }

  // tangent = Log(x).
  template <typename T>
  static void Log(const T* x, T* tangent) {
    Rotation::Log(x, tangent);
    internal::RotationJacobian<T>(tangent).Inverse().Multiply(tangent, x + 4,
                                                              tangent + 3);
  }

  // [R, 0; [t]x R, R].
  template <typename T>
  static void Adjoint(const T* x, T* matrix) {
    T R[9];
    Rotation::ToMatrix(x, R);
    for (int row = 0; row < 3; ++row) {
      const int j = (row + 1) % 3;
      const int k = (row + 2) % 3;
      for (int col = 0; col < 3; ++col) {
        matrix[6 * row + col] = R[3 * row + col];
        matrix[6 * row + col + 3] = T(0.0);
        matrix[6 * (row + 3) + col] =
            x[4 + j] * R[3 * k + col] - x[4 + k] * R[3 * j + col];
        matrix[6 * (row + 3) + col + 3] = R[3 * row + col];
      }
    }
  }

  // Exp(v + d) = Exp(J_l(v) d) Exp(v), to first order in d.
  template <typename T>
  static void LeftJacobian(const T* tangent, T* matrix) {
    const internal::RotationJacobian<T> rotation(tangent);
    Fill(tangent, rotation.Forward(), matrix);
    rotation.WriteAlong(tangent, tangent + 3, 6, matrix + 18);
  }

  // The inverse of LeftJacobian.
  template <typename T>
  static void LeftJacobianInverse(const T* tangent, T* matrix) {
    const internal::RotationJacobian<T> rotation(tangent);
    Fill(tangent, rotation.Inverse(), matrix);
    rotation.WriteInverseAlong(tangent, tangent + 3, 6, matrix + 18);
  }

  // tangent = ambient PlusJacobian(x).
  static void RightMultiplyByPlusJacobian(const double* x, int num_rows,
                                          const double* ambient,
                                          double* tangent) {
    double back[4];
    Rotation::Inverse(x, back);
    for (int row = 0; row < num_rows; ++row) {
      Rotation::ToTangentRow(x, ambient + 7 * row, tangent + 6 * row);
      Rotation::Act(back, ambient + 7 * row + 4, tangent + 6 * row + 3);
    }
  }

  // ambient = tangent MinusJacobian(x).
  static void RightMultiplyByMinusJacobian(const double* x, int num_rows,
                                           const double* tangent,
                                           double* ambient) {
    for (int row = 0; row < num_rows; ++row) {
      Rotation::ToAmbientRow(x, tangent + 6 * row, ambient + 7 * row);
      Rotation::Act(x, tangent + 6 * row + 3, ambient + 7 * row + 4);
    }
  }

 private:
  // All but the lower left block.
  template <typename T>
  static void Fill(const T* w, const internal::AxisPolynomial<T>& diagonal,
                   T* matrix) {
    diagonal.Write(w, 6, matrix);
    for (int row = 0; row < 3; ++row) {
      for (int col = 0; col < 3; ++col) {
        matrix[6 * row + col + 3] = T(0.0);
        matrix[6 * (row + 3) + col + 3] = matrix[6 * row + col];
      }
    }
  }
};

// Rotations with quaternions [w, x, y, z].
using SO3 = BasicSO3<CeresQuaternionOrder>;
// Rotations with quaternions [x, y, z, w].
using EigenSO3 = BasicSO3<EigenQuaternionOrder>;
// Poses [w, x, y, z, t_x, t_y, t_z].
using SE3 = BasicSE3<CeresQuaternionOrder>;
// Poses [x, y, z, w, t_x, t_y, t_z].
using EigenSE3 = BasicSE3<EigenQuaternionOrder>;

// Steps are angle-axis vectors in the frame of the body. A step of
// QuaternionManifold is half such a vector, in the frame of the world.
using SO3Manifold = GroupManifold<SO3>;
using EigenSO3Manifold = GroupManifold<EigenSO3>;
// Steps are in the frame of the body.
using SE3Manifold = GroupManifold<SE3>;
using EigenSE3Manifold = GroupManifold<EigenSE3>;

}  // namespace ceres::factors

#endif  // CERES_PUBLIC_FACTORS_SPATIAL_GROUPS_H_
