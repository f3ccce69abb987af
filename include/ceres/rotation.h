// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// Rotations of R^3 in their usual forms, for cost functors: T is a floating
// point type or a Jet.
//
//   angle-axis   3 numbers: the unit axis times the angle in radians.
//   quaternion   4 numbers, Hamilton's convention. The tag `Order` says how
//                they are stored: CeresQuaternionOrder [w, x, y, z], which is
//                the default, or EigenQuaternionOrder [x, y, z, w].
//   matrix       9 numbers, column-major in conversions from and to angle-axis
//                vectors and quaternions by the names AngleAxisTo... and
//                RotationMatrixTo..., but row-major in those of Euler angles
//                and in QuaternionToRotation. The overloads that take a
//                MatrixAdapter work on any layout.
//   Euler angles 3 numbers, in one of the 24 systems of
//   internal/euler_angles.h.
//
// Outputs must not overlap inputs unless a function says that they may; debug
// builds check that. All functions are thread safe.
//
// For angles up to pi, results of type double are within 4 eps of the exact
// values for the same input. The error is absolute where results have unit
// scale, and relative to their norm elsewhere. First derivatives are exact to
// rounding for every angle, zero included.

#ifndef CERES_PUBLIC_ROTATION_H_
#define CERES_PUBLIC_ROTATION_H_

#include <array>
#include <cmath>
#include <limits>
#include <string>  // Programs count on it.
#include <type_traits>

#include "ceres/constants.h"
#include "ceres/internal/check.h"
#include "ceres/internal/euler_angles.h"
#include "ceres/internal/quaternion_rotation.h"
#include "ceres/internal/rodrigues.h"

namespace ceres {

// A matrix with 3 rows and 3 columns in memory that it does not own. The next
// row is row_stride numbers further on, the next column col_stride numbers.
template <typename T, int row_stride, int col_stride>
struct MatrixAdapter {
  // top_left: element (0, 0); must outlive this.
  explicit constexpr MatrixAdapter(T* top_left) noexcept : pointer_{top_left} {}

  // The distance from element (0, 0) to element (row, col), in numbers.
  static constexpr int Offset(int row, int col) noexcept {
    return row_stride * row + col_stride * col;
  }

  // The element in a row and a column, each of which is 0, 1 or 2.
  constexpr T& operator()(int row, int col) const noexcept {
    return *(pointer_ + Offset(row, col));
  }

  // Element (0, 0).
  T* pointer_;
};

// The matrix whose rows are numbers 0 to 2, 3 to 5 and 6 to 8.
template <typename T>
constexpr auto RowMajorAdapter3x3(T* numbers) noexcept {
  return MatrixAdapter<T, /*row_stride=*/3, /*col_stride=*/1>{numbers};
}

// The matrix whose columns are numbers 0 to 2, 3 to 5 and 6 to 8.
template <typename T>
constexpr auto ColumnMajorAdapter3x3(T* numbers) noexcept {
  return MatrixAdapter<T, /*row_stride=*/1, /*col_stride=*/3>{numbers};
}

// The order [w, x, y, z]: the index of each component of a stored quaternion.
struct CeresQuaternionOrder {
  static constexpr int kW = 0;  // real part
  static constexpr int kX = 1;  // factor of i
  static constexpr int kY = 2;  // factor of j
  static constexpr int kZ = 3;  // factor of k
};

// The order [x, y, z, w] of Eigen::Quaternion.
struct EigenQuaternionOrder {
  static constexpr int kW = 3;  // real part
  static constexpr int kX = 0;  // factor of i
  static constexpr int kY = 1;  // factor of j
  static constexpr int kZ = 2;  // factor of k
};

namespace internal {

// Type, if Order is an order of quaternion components. It tells
// F<EigenQuaternionOrder>(...) from F<double>(...), where the explicit argument
// is the scalar type; every function below takes both.
template <typename Order, typename Type = void>
using IfQuaternionOrder =
    std::enable_if_t<std::is_same_v<Order, CeresQuaternionOrder> ||
                         std::is_same_v<Order, EigenQuaternionOrder>,
                     Type>;

// quaternion = scale * (w + xi + yj + zk).
template <typename Order, typename T>
inline void StoreScaledQuaternion(const T& scale, const T& w, const T& x,
                                  const T& y, const T& z, T* quaternion) {
  quaternion[Order::kW] = scale * w;
  quaternion[Order::kX] = scale * x;
  quaternion[Order::kY] = scale * y;
  quaternion[Order::kZ] = scale * z;
}

}  // namespace internal

// ---- Quaternions ------------------------------------------------------------

// The stored form of the quaternion w + xi + yj + zk.
template <typename Order, typename T>
constexpr auto MakeQuaternion(T w, T x, T y, T z)
    -> internal::IfQuaternionOrder<Order, std::array<T, 4>> {
  if constexpr (Order::kW == 0) {
    return {w, x, y, z};
  } else {
    return {x, y, z, w};
  }
}

// The quaternion q in another order.
template <typename ToOrder, typename FromOrder, typename T>
constexpr auto ConvertQuaternion(const std::array<T, 4>& q)
    -> internal::IfQuaternionOrder<
        ToOrder, internal::IfQuaternionOrder<FromOrder, std::array<T, 4>>> {
  return MakeQuaternion<ToOrder>(q[FromOrder::kW], q[FromOrder::kX],
                                 q[FromOrder::kY], q[FromOrder::kZ]);
}

// z = conj(q). In place is allowed.
template <typename Order, typename T>
inline internal::IfQuaternionOrder<Order> QuaternionConjugate(const T q[4],
                                                              T z[4]) {
  z[Order::kW] = q[Order::kW];
  z[Order::kX] = -q[Order::kX];
  z[Order::kY] = -q[Order::kY];
  z[Order::kZ] = -q[Order::kZ];
}

// QuaternionConjugate for the order [w, x, y, z].
template <typename T>
inline void QuaternionConjugate(const T q[4], T z[4]) {
  QuaternionConjugate<CeresQuaternionOrder>(q, z);
}

// zw = z * w, so that R(zw) = R(z) R(w). In real and vector parts:
//
//   (a + u) (b + v) = (a b - u.v) + (a v + b u + u x v).
template <typename Order, typename T>
inline internal::IfQuaternionOrder<Order> QuaternionProduct(const T z[4],
                                                            const T w[4],
                                                            T zw[4]) {
  internal::DebugCheckThat(z != zw, "QuaternionProduct cannot work in place.");
  internal::DebugCheckThat(w != zw, "QuaternionProduct cannot work in place.");
  constexpr int W = Order::kW, X = Order::kX, Y = Order::kY, Z = Order::kZ;
  // Coordinate i of the vector part, for a cyclic permutation (i, j, k).
  const auto coordinate = [&](int i, int j, int k) -> T {
    return (z[W] * w[i] + w[W] * z[i]) + (z[j] * w[k] - z[k] * w[j]);
  };
  zw[X] = coordinate(X, Y, Z);
  zw[Y] = coordinate(Y, Z, X);
  zw[Z] = coordinate(Z, X, Y);
  zw[W] = z[W] * w[W] - (z[X] * w[X] + z[Y] * w[Y] + z[Z] * w[Z]);
}

// QuaternionProduct for the order [w, x, y, z].
template <typename T>
inline void QuaternionProduct(const T z[4], const T w[4], T zw[4]) {
  QuaternionProduct<CeresQuaternionOrder>(z, w, zw);
}

// Writes R = |q|^2 Q with the rotation Q of q.
template <typename Order, typename T, int row_stride, int col_stride>
inline internal::IfQuaternionOrder<Order> QuaternionToScaledRotation(
    const T q[4], const MatrixAdapter<T, row_stride, col_stride>& R) {
  const T u[3] = {q[Order::kX], q[Order::kY], q[Order::kZ]};
  internal::SetScaledRotation(q[Order::kW], u, R);
}

// QuaternionToScaledRotation for the order [w, x, y, z].
template <typename T, int row_stride, int col_stride>
inline void QuaternionToScaledRotation(
    const T q[4], const MatrixAdapter<T, row_stride, col_stride>& R) {
  QuaternionToScaledRotation<CeresQuaternionOrder>(q, R);
}

// QuaternionToScaledRotation with a row-major matrix.
template <typename Order, typename T>
inline internal::IfQuaternionOrder<Order> QuaternionToScaledRotation(
    const T q[4], T R[3 * 3]) {
  QuaternionToScaledRotation<Order>(q, RowMajorAdapter3x3(R));
}

// QuaternionToScaledRotation for the order [w, x, y, z], with a row-major
// matrix.
template <typename T>
inline void QuaternionToScaledRotation(const T q[4], T R[3 * 3]) {
  QuaternionToScaledRotation<CeresQuaternionOrder>(q, R);
}

// Writes the rotation matrix R of q, which may have any norm but zero.
template <typename Order, typename T, int row_stride, int col_stride>
inline internal::IfQuaternionOrder<Order> QuaternionToRotation(
    const T q[4], const MatrixAdapter<T, row_stride, col_stride>& R) {
  const T u[3] = {q[Order::kX], q[Order::kY], q[Order::kZ]};
  T n = internal::SetScaledRotation(q[Order::kW], u, R);
  if (!internal::IsOrdinarySquare(n)) {
    const internal::OrdinaryQuaternion<T> scaled(q);
    const T* const s = scaled.values;
    const T v[3] = {s[Order::kX], s[Order::kY], s[Order::kZ]};
    n = internal::SetScaledRotation(s[Order::kW], v, R);
  }
  const T scale = T(1) / n;
  for (int row = 0; row < 3; ++row) {
    for (int col = 0; col < 3; ++col) {
      R(row, col) *= scale;
    }
  }
}

// QuaternionToRotation for the order [w, x, y, z].
template <typename T, int row_stride, int col_stride>
inline void QuaternionToRotation(
    const T q[4], const MatrixAdapter<T, row_stride, col_stride>& R) {
  QuaternionToRotation<CeresQuaternionOrder>(q, R);
}

// QuaternionToRotation with a row-major matrix.
template <typename Order, typename T>
inline internal::IfQuaternionOrder<Order> QuaternionToRotation(const T q[4],
                                                               T R[3 * 3]) {
  QuaternionToRotation<Order>(q, RowMajorAdapter3x3(R));
}

// QuaternionToRotation for the order [w, x, y, z], with a row-major matrix.
template <typename T>
inline void QuaternionToRotation(const T q[4], T R[3 * 3]) {
  QuaternionToRotation<CeresQuaternionOrder>(q, R);
}

// result = R(q) pt for a unit quaternion.
template <typename Order, typename T>
inline internal::IfQuaternionOrder<Order> UnitQuaternionRotatePoint(
    const T q[4], const T pt[3], T result[3]) {
  internal::DebugCheckThat(pt != result,
                           "UnitQuaternionRotatePoint cannot work in place.");
  // With the vector part u of q, R(q) p = p + w (2 u x p) + u x (2 u x p).
  const T u[3] = {q[Order::kX], q[Order::kY], q[Order::kZ]};
  T once[3];
  internal::Cross(u, pt, once);
  for (int i = 0; i < 3; ++i) {
    once[i] = once[i] + once[i];
  }
  T twice[3];
  internal::Cross(u, once, twice);
  for (int i = 0; i < 3; ++i) {
    result[i] = (pt[i] + q[Order::kW] * once[i]) + twice[i];
  }
}

// UnitQuaternionRotatePoint for the order [w, x, y, z].
template <typename T>
inline void UnitQuaternionRotatePoint(const T q[4], const T pt[3],
                                      T result[3]) {
  UnitQuaternionRotatePoint<CeresQuaternionOrder>(q, pt, result);
}

// result = R(q) pt for a quaternion of any norm but zero.
template <typename Order, typename T>
inline internal::IfQuaternionOrder<Order> QuaternionRotatePoint(const T q[4],
                                                                const T pt[3],
                                                                T result[3]) {
  internal::DebugCheckThat(pt != result,
                           "QuaternionRotatePoint cannot work in place.");
  const T u[3] = {q[Order::kX], q[Order::kY], q[Order::kZ]};
  if (internal::RotateByQuaternion(q[Order::kW], u, pt, result)) return;
  const internal::OrdinaryQuaternion<T> scaled(q);
  const T* const s = scaled.values;
  const T v[3] = {s[Order::kX], s[Order::kY], s[Order::kZ]};
  internal::RotateByQuaternion(s[Order::kW], v, pt, result);
}

// QuaternionRotatePoint for the order [w, x, y, z].
template <typename T>
inline void QuaternionRotatePoint(const T q[4], const T pt[3], T result[3]) {
  QuaternionRotatePoint<CeresQuaternionOrder>(q, pt, result);
}

// ---- Quaternions and angle-axis vectors -------------------------------------

// Writes the unit quaternion of an angle-axis vector.
template <typename Order, typename T>
inline internal::IfQuaternionOrder<Order> AngleAxisToQuaternion(
    const T* angle_axis, T* quaternion) {
  const internal::HalfAngle<T> half =
      internal::HalveAngle(internal::SquaredNormOf3(angle_axis));
  const T u[3] = {half.sine_ratio * angle_axis[0],
                  half.sine_ratio * angle_axis[1],
                  half.sine_ratio * angle_axis[2]};
  quaternion[Order::kX] = u[0];
  quaternion[Order::kY] = u[1];
  quaternion[Order::kZ] = u[2];
  quaternion[Order::kW] = half.cosine;
}

// AngleAxisToQuaternion for the order [w, x, y, z].
template <typename T>
inline void AngleAxisToQuaternion(const T* angle_axis, T* quaternion) {
  AngleAxisToQuaternion<CeresQuaternionOrder>(angle_axis, quaternion);
}

// Writes the angle-axis vector, with an angle in [0, pi], of a quaternion of
// unit norm.
template <typename Order, typename T>
inline internal::IfQuaternionOrder<Order> QuaternionToAngleAxis(
    const T* quaternion, T* angle_axis) {
  const T u[3] = {quaternion[Order::kX], quaternion[Order::kY],
                  quaternion[Order::kZ]};
  const T& w = quaternion[Order::kW];
  const T u_squared = internal::SquaredNormOf3(u);
  if (internal::IsOrdinaryQuaternion(w, u_squared)) {
    const T ratio = internal::AngleRatio(w, u_squared);
    for (int i = 0; i < 3; ++i) angle_axis[i] = ratio * u[i];
    return;
  }
  const internal::OrdinaryQuaternion<T> scaled(quaternion);
  const T* const s = scaled.values;
  const T v[3] = {s[Order::kX], s[Order::kY], s[Order::kZ]};
  const T ratio =
      internal::AngleRatio(s[Order::kW], internal::SquaredNormOf3(v));
  for (int i = 0; i < 3; ++i) angle_axis[i] = ratio * v[i];
}

// QuaternionToAngleAxis for the order [w, x, y, z].
template <typename T>
inline void QuaternionToAngleAxis(const T* quaternion, T* angle_axis) {
  QuaternionToAngleAxis<CeresQuaternionOrder>(quaternion, angle_axis);
}

// ---- Matrices, quaternions and angle-axis vectors ---------------------------

// Writes one of the two unit quaternions q = [w, x, y, z] of a rotation matrix.
// Sums and differences of the elements of R are the elements of 4 q q^T. Each
// column of that matrix is a multiple of q, which its diagonal element scales.
// The four cases choose a column whose diagonal element is at least 1.
// Shepperd, "Quaternion from Rotation Matrix", Journal of Guidance and Control,
// 1978.
template <typename Order, typename T, int row_stride, int col_stride>
inline internal::IfQuaternionOrder<Order> RotationMatrixToQuaternion(
    const MatrixAdapter<const T, row_stride, col_stride>& R, T* quaternion) {
  using std::sqrt;
  const auto store = [quaternion](const T& diagonal, const T& w, const T& x,
                                  const T& y, const T& z) {
    internal::StoreScaledQuaternion<Order>(T(0.5) / sqrt(diagonal), w, x, y, z,
                                           quaternion);
  };
  const T& a = R(0, 0);
  const T& b = R(1, 1);
  const T& c = R(2, 2);
  const T wx = R(2, 1) - R(1, 2);
  const T wy = R(0, 2) - R(2, 0);
  const T wz = R(1, 0) - R(0, 1);
  const T yz = R(2, 1) + R(1, 2);
  const T zx = R(0, 2) + R(2, 0);
  const T xy = R(1, 0) + R(0, 1);
  if (a + b + c >= T(0)) {
    const T ww = T(1) + (a + b + c);
    store(ww, ww, wx, wy, wz);
  } else if (a >= b && a >= c) {
    const T xx = T(1) + (a - b - c);
    store(xx, wx, xx, xy, zx);
  } else if (b >= c) {
    const T yy = T(1) + (b - c - a);
    store(yy, wy, xy, yy, yz);
  } else {
    const T zz = T(1) + (c - a - b);
    store(zz, wz, zx, yz, zz);
  }
}

// RotationMatrixToQuaternion for the order [w, x, y, z].
template <typename T, int row_stride, int col_stride>
inline void RotationMatrixToQuaternion(
    const MatrixAdapter<const T, row_stride, col_stride>& R, T* quaternion) {
  RotationMatrixToQuaternion<CeresQuaternionOrder>(R, quaternion);
}

// RotationMatrixToQuaternion with a COLUMN-major matrix.
template <typename Order, typename T>
inline internal::IfQuaternionOrder<Order> RotationMatrixToQuaternion(
    const T* R, T* quaternion) {
  RotationMatrixToQuaternion<Order>(ColumnMajorAdapter3x3(R), quaternion);
}

// RotationMatrixToQuaternion for the order [w, x, y, z], with a COLUMN-major
// matrix.
template <typename T>
inline void RotationMatrixToQuaternion(const T* R, T* quaternion) {
  RotationMatrixToQuaternion<CeresQuaternionOrder>(R, quaternion);
}

// Writes the angle-axis vector, with an angle in [0, pi], of a rotation matrix.
// The computation uses the quaternion, which has full precision at 0 and at pi.
template <typename T, int row_stride, int col_stride>
inline void RotationMatrixToAngleAxis(
    const MatrixAdapter<const T, row_stride, col_stride>& R, T* angle_axis) {
  T quaternion[4];
  RotationMatrixToQuaternion(R, quaternion);
  QuaternionToAngleAxis(quaternion, angle_axis);
}

// RotationMatrixToAngleAxis with a COLUMN-major matrix.
template <typename T>
inline void RotationMatrixToAngleAxis(const T* R, T* angle_axis) {
  RotationMatrixToAngleAxis(ColumnMajorAdapter3x3(R), angle_axis);
}

// Writes the rotation matrix R of an angle-axis vector.
template <typename T, int row_stride, int col_stride>
inline void AngleAxisToRotationMatrix(
    const T* angle_axis, const MatrixAdapter<T, row_stride, col_stride>& R) {
  internal::AngleAxisMatrix(angle_axis, R);
}

// AngleAxisToRotationMatrix with a COLUMN-major matrix.
template <typename T>
inline void AngleAxisToRotationMatrix(const T* angle_axis, T* R) {
  AngleAxisToRotationMatrix(angle_axis, ColumnMajorAdapter3x3(R));
}

// ---- Euler angles -----------------------------------------------------------

// Writes the rotation matrix R of Euler angles in radians, given in the order
// of the system's axes. Shoemake, "Euler Angle Conversion", 1994.
template <typename EulerSystem, typename T, int row_stride, int col_stride>
inline void EulerAnglesToRotation(
    const T* euler, const MatrixAdapter<T, row_stride, col_stride>& R) {
  using std::cos;
  using std::sin;
  constexpr int i = EulerSystem::kInner;
  constexpr int j = EulerSystem::kMiddle;
  constexpr int k = EulerSystem::kOther;
  constexpr int first = EulerSystem::kIsIntrinsic ? 2 : 0;

  // In a left-handed basis (i, j, k) all rotations turn the other way.
  const T sign(EulerSystem::kHandedness);
  const T s1 = sign * sin(euler[first]);
  const T c1 = cos(euler[first]);
  const T s2 = sign * sin(euler[1]);
  const T c2 = cos(euler[1]);
  const T s3 = sign * sin(euler[2 - first]);
  const T c3 = cos(euler[2 - first]);

  if constexpr (EulerSystem::kIsProper) {
    R(i, i) = c2;
    R(i, j) = s2 * s1;
    R(i, k) = s2 * c1;
    R(j, i) = s2 * s3;
    R(j, j) = c3 * c1 - s3 * c2 * s1;
    R(j, k) = -c3 * s1 - s3 * c2 * c1;
    R(k, i) = -s2 * c3;
    R(k, j) = s3 * c1 + c3 * c2 * s1;
    R(k, k) = -s3 * s1 + c3 * c2 * c1;
  } else {
    R(i, i) = c2 * c3;
    R(i, j) = s1 * s2 * c3 - c1 * s3;
    R(i, k) = c1 * s2 * c3 + s1 * s3;
    R(j, i) = c2 * s3;
    R(j, j) = s1 * s2 * s3 + c1 * c3;
    R(j, k) = c1 * s2 * s3 - s1 * c3;
    R(k, i) = -s2;
    R(k, j) = c2 * s1;
    R(k, k) = c2 * c1;
  }
}

// EulerAnglesToRotation with a row-major matrix.
template <typename EulerSystem, typename T>
inline void EulerAnglesToRotation(const T* euler, T* R) {
  EulerAnglesToRotation<EulerSystem>(euler, RowMajorAdapter3x3(R));
}

// Writes Euler angles in radians, in the order of the system's axes. The outer
// angles are in [-pi, pi]. The middle angle is in [0, pi] for proper Euler
// systems and in [-pi/2, pi/2] for the others. In gimbal lock only the sum or
// difference of the outer angles is defined: the angle that is extrinsically
// last is then zero, and derivatives do not exist.
template <typename EulerSystem, typename T, int row_stride, int col_stride>
inline void RotationMatrixToEulerAngles(
    const MatrixAdapter<const T, row_stride, col_stride>& R, T* euler) {
  using std::atan2;
  using std::hypot;
  constexpr int i = EulerSystem::kInner;
  constexpr int j = EulerSystem::kMiddle;
  constexpr int k = EulerSystem::kOther;
  constexpr int first = EulerSystem::kIsIntrinsic ? 2 : 0;
  constexpr int last = 2 - first;
  constexpr double kGimbalLock = 16 * std::numeric_limits<double>::epsilon();
  const T sign(EulerSystem::kHandedness);

  // (s, c) is along the sine and cosine of the first angle; its length shrinks
  // to nothing at gimbal lock.
  T s;
  T c;
  T length;
  if constexpr (EulerSystem::kIsProper) {
    s = sign * R(i, j);
    c = sign * R(i, k);
    length = hypot(s, c);
    euler[1] = atan2(length, R(i, i));
  } else {
    s = R(k, j);
    c = R(k, k);
    length = hypot(s, c);
    euler[1] = atan2(-sign * R(k, i), length);
  }
  if (!(length > T(kGimbalLock))) {
    euler[first] = atan2(-sign * R(j, k), R(j, j));
    euler[last] = T(0.0);
    return;
  }
  euler[first] = atan2(sign * s, c);
  // Taken from R without its first rotation instead of from the elements that
  // are small close to gimbal lock, so that errors of the outer angles cancel.
  if constexpr (EulerSystem::kIsProper) {
    euler[last] =
        atan2(sign * (R(k, j) * c - R(k, k) * s), R(j, j) * c - R(j, k) * s);
  } else {
    euler[last] =
        atan2(sign * (R(i, k) * s - R(i, j) * c), R(j, j) * c - R(j, k) * s);
  }
}

// RotationMatrixToEulerAngles with a row-major matrix.
template <typename EulerSystem, typename T>
inline void RotationMatrixToEulerAngles(const T* R, T* euler) {
  RotationMatrixToEulerAngles<EulerSystem>(RowMajorAdapter3x3(R), euler);
}

// Writes R = Rz(euler[2]) Ry(euler[1]) Rx(euler[0]), with angles in DEGREES.
template <typename T, int row_stride, int col_stride>
inline void EulerAnglesToRotationMatrix(
    const T* euler, const MatrixAdapter<T, row_stride, col_stride>& R) {
  const T radians_per_degree(constants::pi / 180.0);
  const T radians[3] = {euler[0] * radians_per_degree,
                        euler[1] * radians_per_degree,
                        euler[2] * radians_per_degree};
  EulerAnglesToRotation<ExtrinsicXYZ>(radians, R);
}

// EulerAnglesToRotationMatrix with a row-major matrix. The stride is ignored:
// rows are contiguous.
template <typename T>
inline void EulerAnglesToRotationMatrix(const T* euler, int /*row_stride*/,
                                        T* R) {
  EulerAnglesToRotationMatrix(euler, RowMajorAdapter3x3(R));
}

// ---- Points -----------------------------------------------------------------

// x_cross_y = x x y. The output must not overlap the inputs.
template <typename T>
inline void CrossProduct(const T x[3], const T y[3], T x_cross_y[3]) {
  internal::DebugCheckThat(x != x_cross_y,
                           "CrossProduct cannot work in place.");
  internal::DebugCheckThat(y != x_cross_y,
                           "CrossProduct cannot work in place.");
  internal::Cross(x, y, x_cross_y);
}

// Returns x'y, the sum of x_i y_i.
template <typename T>
inline T DotProduct(const T x[3], const T y[3]) {
  return x[0] * y[0] + x[1] * y[1] + x[2] * y[2];
}

// result = R(angle_axis) pt. In place is allowed.
template <typename T>
CERES_ALWAYS_INLINE void AngleAxisRotatePoint(const T angle_axis[3],
                                              const T pt[3], T result[3]) {
  internal::RotateByAngleAxis(angle_axis, pt, result);
}

}  // namespace ceres

#endif  // CERES_PUBLIC_ROTATION_H_
