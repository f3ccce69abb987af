// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_FACTORS_SIMILARITY_GROUP_H_
#define CERES_PUBLIC_FACTORS_SIMILARITY_GROUP_H_

#include <cmath>

#include "ceres/factors/spatial_groups.h"
#include "ceres/internal/scaled_rotation.h"

namespace ceres::factors {

// Similarities of space, p -> s R p + t: the rotation [q] and the translation
// [t] as in BasicSE3, then the scale [s] > 0. Tangent: [w, v, lambda]. With
//
//   V = int_0^1 exp(u (lambda I + [w]x)) du,
//   Exp(w, v, lambda) = (Exp(w), V v, exp(lambda)).
//
// Strasdat, "Local Accuracy and Global Consistency for Efficient Visual SLAM",
// 2012, section 2.4; formulas are in ceres/internal/scaled_rotation.h.
template <typename Order>
struct BasicSim3 : LieGroup<BasicSim3<Order>, 8, 7, 3> {
  // The group of the first four numbers.
  using Rotation = BasicSO3<Order>;

  // x = 1.
  template <typename T>
  static void Identity(T* x) {
    Rotation::Identity(x);
    x[4] = x[5] = x[6] = T(0.0);
    x[7] = T(1.0);
  }

  // ab = a b.
  template <typename T>
  static void Compose(const T* a, const T* b, T* ab) {
    Rotation::Compose(a, b, ab);
    Act(a, b + 4, ab + 4);
    ab[7] = a[7] * b[7];
  }

  // inverse = x^-1.
  template <typename T>
  static void Inverse(const T* x, T* inverse) {
    Rotation::Inverse(x, inverse);
    inverse[7] = T(1.0) / x[7];
    const T offset[3] = {-inverse[7] * x[4], -inverse[7] * x[5],
                         -inverse[7] * x[6]};
    Rotation::Act(inverse, offset, inverse + 4);
  }

  // result = x point.
  template <typename T>
  static void Act(const T* x, const T* point, T* result) {
    Rotation::Act(x, point, result);
    for (int i = 0; i < 3; ++i) {
      result[i] = x[7] * result[i] + x[4 + i];
    }
  }

  // x = Exp(tangent).
  template <typename T>
  static void Exp(const T* tangent, T* x) {
    using std::exp;
    Rotation::Exp(tangent, x);
    internal::ScaledRotationIntegral(internal::SquaredNormOf3(tangent),
                                     tangent[6])
        .Multiply(tangent, tangent + 3, x + 4);
    x[7] = exp(tangent[6]);
  }

  // tangent = Log(x).
  template <typename T>
  static void Log(const T* x, T* tangent) {
    using std::log;
    Rotation::Log(x, tangent);
    tangent[6] = log(x[7]);
    const T squared_angle = internal::SquaredNormOf3(tangent);
    internal::ScaledRotationIntegral(squared_angle, tangent[6])
        .Inverse(squared_angle)
        .Multiply(tangent, x + 4, tangent + 3);
  }

  // [R, 0, 0; [t]x R, s R, -t; 0, 0, 1].
  template <typename T>
  static void Adjoint(const T* x, T* matrix) {
    T R[9];
    Rotation::ToMatrix(x, R);
    SetZero(matrix);
    for (int row = 0; row < 3; ++row) {
      const int j = (row + 1) % 3;
      const int k = (row + 2) % 3;
      for (int col = 0; col < 3; ++col) {
        matrix[7 * row + col] = R[3 * row + col];
        matrix[7 * (row + 3) + col] =
            x[4 + j] * R[3 * k + col] - x[4 + k] * R[3 * j + col];
        matrix[7 * (row + 3) + col + 3] = x[7] * R[3 * row + col];
      }
      matrix[7 * (row + 3) + 6] = -x[4 + row];
    }
    matrix[48] = T(1.0);
  }

  // Exp(v + d) = Exp(J_l(v) d) Exp(v), to first order in d:
  // [J, 0, 0; Q, V, u; 0, 0, 1] with the left Jacobian J of SO3.
  template <typename T>
  static void LeftJacobian(const T* tangent, T* matrix) {
    const internal::ScaledRotationCoupling<T> coupling(tangent, tangent + 3,
                                                       tangent[6]);
    SetZero(matrix);
    internal::RotationJacobian<T>(tangent).Forward().Write(tangent, 7, matrix);
    internal::ScaledRotationIntegral(internal::SquaredNormOf3(tangent),
                                     tangent[6])
        .Write(tangent, 7, matrix + 24);
    for (int row = 0; row < 3; ++row) {
      T* const below = matrix + 7 * (row + 3);
      for (int col = 0; col < 3; ++col) {
        below[col] = coupling.Q()[col][row];
      }
      below[6] = coupling.u()[row];
    }
    matrix[48] = T(1.0);
  }

  // [J^-1, 0, 0; -V^-1 Q J^-1, V^-1, -V^-1 u; 0, 0, 1].
  template <typename T>
  static void LeftJacobianInverse(const T* tangent, T* matrix) {
    const internal::ScaledRotationCoupling<T> coupling(tangent, tangent + 3,
                                                       tangent[6]);
    const T x = internal::SquaredNormOf3(tangent);
    const auto J_inverse = internal::RotationJacobian<T>(tangent).Inverse();
    const auto V_inverse =
        internal::ScaledRotationIntegral(x, tangent[6]).Inverse(x);
    SetZero(matrix);
    J_inverse.Write(tangent, 7, matrix);
    V_inverse.Write(tangent, 7, matrix + 24);
    T column[3];
    for (int col = 0; col < 3; ++col) {
      for (int row = 0; row < 3; ++row) {
        column[row] = T(0.0);
        for (int k = 0; k < 3; ++k) {
          column[row] -= coupling.Q()[k][row] * matrix[7 * k + col];
        }
      }
      V_inverse.Multiply(tangent, column, column);
      for (int row = 0; row < 3; ++row) {
        matrix[7 * (row + 3) + col] = column[row];
      }
    }
    V_inverse.Multiply(tangent, coupling.u(), column);
    for (int row = 0; row < 3; ++row) matrix[7 * (row + 3) + 6] = -column[row];
    matrix[48] = T(1.0);
  }

  // tangent = ambient PlusJacobian(x).
  static void RightMultiplyByPlusJacobian(const double* x, int num_rows,
                                          const double* ambient,
                                          double* tangent) {
    double back[4];
    Rotation::Inverse(x, back);
    for (int row = 0; row < num_rows; ++row) {
      const double* g = ambient + 8 * row;
      double* r = tangent + 7 * row;
      Rotation::ToTangentRow(x, g, r);
      Rotation::Act(back, g + 4, r + 3);
      for (int i = 3; i < 6; ++i) {
        r[i] *= x[7];
      }
      r[6] = x[7] * g[7];
    }
  }

  // ambient = tangent MinusJacobian(x).
  static void RightMultiplyByMinusJacobian(const double* x, int num_rows,
                                           const double* tangent,
                                           double* ambient) {
    for (int row = 0; row < num_rows; ++row) {
      const double* r = tangent + 7 * row;
      double* g = ambient + 8 * row;
      Rotation::ToAmbientRow(x, r, g);
      Rotation::Act(x, r + 3, g + 4);
      for (int i = 4; i < 7; ++i) {
        g[i] /= x[7];
      }
      g[7] = r[6] / x[7];
    }
  }

 private:
  template <typename T>
  static void SetZero(T* matrix) {
    for (int i = 0; i < 49; ++i) {
      matrix[i] = T(0.0);
    }
  }
};

// Similarities [w, x, y, z, t_x, t_y, t_z, s].
using Sim3 = BasicSim3<CeresQuaternionOrder>;
// Similarities [x, y, z, w, t_x, t_y, t_z, s].
using EigenSim3 = BasicSim3<EigenQuaternionOrder>;

// Steps are in the frame of the body. The scale stays positive.
using Sim3Manifold = GroupManifold<Sim3>;
using EigenSim3Manifold = GroupManifold<EigenSim3>;

}  // namespace ceres::factors

#endif  // CERES_PUBLIC_FACTORS_SIMILARITY_GROUP_H_
