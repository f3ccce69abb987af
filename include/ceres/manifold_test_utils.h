// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_MANIFOLD_TEST_UTILS_H_
#define CERES_PUBLIC_MANIFOLD_TEST_UTILS_H_

// GoogleMock matchers that test manifolds, one's own as well. The only public
// header that needs GoogleTest and GoogleMock.
//
//   TEST(MyManifold, InvariantsHold) {
//     const MyManifold manifold;
//     // x and y are Eigen vectors of points, delta is one of a tangent, small
//     // enough for Minus(Plus(x, delta), x) to be delta.
//     EXPECT_THAT_MANIFOLD_INVARIANTS_HOLD(manifold, x, delta, y, 1e-9);
//   }
//
// The error of a result is the norm of its difference from what is expected,
// relative to the norm of that; absolute where that is zero.

#include <cmath>

#include "ceres/dynamic_numeric_diff_cost_function.h"
#include "ceres/internal/eigen.h"
#include "ceres/manifold.h"
#include "ceres/numeric_diff_options.h"
#include "ceres/types.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ceres {

// Plus(x, delta) as a functor of delta. Refers to its arguments.
struct PlusFunctor {
  PlusFunctor(const Manifold& manifold, const double* x)
      : manifold(manifold), x(x) {}

  bool operator()(double const* const* parameters, double* x_plus_delta) const {
    return manifold.Plus(x, parameters[0], x_plus_delta);
  }

  const Manifold& manifold;
  const double* x;
};

// Minus(y, x) as a functor of y. Refers to its arguments.
struct MinusFunctor {
  MinusFunctor(const Manifold& manifold, const double* x)
      : manifold(manifold), x(x) {}

  bool operator()(double const* const* parameters, double* y_minus_x) const {
    return manifold.Minus(parameters[0], x, y_minus_x);
  }

  const Manifold& manifold;
  const double* x;
};

namespace internal {

// Whether `actual` is within tolerance of `expected`; explains itself.
template <typename Actual, typename Expected>
bool IsClose(const Actual& actual, const Expected& expected, double tolerance,
             ::testing::MatchResultListener* listener) {
  const double norm = expected.norm();
  const double difference = (actual - expected).norm();
  const double error = norm > 0.0 ? difference / norm : difference;
  // Not error > tolerance, for the sake of NaN.
  if (error <= tolerance) return true;
  *listener << "\nactual:\n"
            << actual << "\nexpected:\n"
            << expected << "\nerror: " << error << ", tolerance: " << tolerance;
  return false;
}

// The num_rows x num_cols Jacobian of functor at `point`, by Ridders' method.
template <typename Functor>
Matrix NumericJacobian(const Functor& functor, int num_rows, int num_cols,
                       const double* point) {
  DynamicNumericDiffCostFunction<Functor, RIDDERS> differences(
      &functor, DO_NOT_TAKE_OWNERSHIP);
  differences.AddParameterBlock(num_cols);
  differences.SetNumResiduals(num_rows);
  Vector value(num_rows);
  Matrix jacobian(num_rows, num_cols);
  double* jacobians = jacobian.data();
  EXPECT_TRUE(differences.Evaluate(&point, value.data(), &jacobians))
      << "The manifold could not be evaluated near the point.";
  return jacobian;
}

// Quaternions q and -q are the same rotation.
inline bool IsRotation(const Manifold& manifold) {
  return dynamic_cast<const QuaternionManifold*>(&manifold) != nullptr ||
         dynamic_cast<const EigenQuaternionManifold*>(&manifold) != nullptr;
}

}  // namespace internal

// Plus(x, 0) = x.
MATCHER_P2(XPlusZeroIsXAt, x, tolerance, "") {
  const Vector zero = Vector::Zero(arg.TangentSize());
  Vector actual = Vector::Constant(arg.AmbientSize(), kImpossibleValue);
  EXPECT_TRUE(arg.Plus(x.data(), zero.data(), actual.data()));
  return internal::IsClose(actual, x, tolerance, result_listener);
}

// Minus(x, x) = 0.
MATCHER_P2(XMinusXIsZeroAt, x, tolerance, "") {
  const Vector zero = Vector::Zero(arg.TangentSize());
  Vector actual = Vector::Constant(arg.TangentSize(), kImpossibleValue);
  EXPECT_TRUE(arg.Minus(x.data(), x.data(), actual.data()));
  return internal::IsClose(actual, zero, tolerance, result_listener);
}

// Minus(Plus(x, delta), x) = delta.
MATCHER_P3(MinusPlusIsIdentityAt, x, delta, tolerance, "") {
  Vector x_plus_delta = Vector::Constant(arg.AmbientSize(), kImpossibleValue);
  EXPECT_TRUE(arg.Plus(x.data(), delta.data(), x_plus_delta.data()));
  Vector actual = Vector::Constant(arg.TangentSize(), kImpossibleValue);
  EXPECT_TRUE(arg.Minus(x_plus_delta.data(), x.data(), actual.data()));
  return internal::IsClose(actual, delta, tolerance, result_listener);
}

// Plus(x, Minus(y, x)) = y; for rotations also -y.
MATCHER_P3(PlusMinusIsIdentityAt, x, y, tolerance, "") {
  Vector y_minus_x = Vector::Constant(arg.TangentSize(), kImpossibleValue);
  EXPECT_TRUE(arg.Minus(y.data(), x.data(), y_minus_x.data()));
  Vector actual = Vector::Constant(arg.AmbientSize(), kImpossibleValue);
  EXPECT_TRUE(arg.Plus(x.data(), y_minus_x.data(), actual.data()));
  if (internal::IsRotation(arg) && actual.dot(y) < 0.0) actual = -actual;
  return internal::IsClose(actual, y, tolerance, result_listener);
}

// PlusJacobian(x) is the derivative of Plus.
MATCHER_P2(HasCorrectPlusJacobianAt, x, tolerance, "") {
  const int ambient_size = arg.AmbientSize();
  const int tangent_size = arg.TangentSize();
  if (tangent_size == 0) return true;
  const Vector zero = Vector::Zero(tangent_size);
  Matrix actual =
      Matrix::Constant(ambient_size, tangent_size, kImpossibleValue);
  EXPECT_TRUE(arg.PlusJacobian(x.data(), actual.data()));
  const Matrix expected = internal::NumericJacobian(
      PlusFunctor(arg, x.data()), ambient_size, tangent_size, zero.data());
  return internal::IsClose(actual, expected, tolerance, result_listener);
}

// MinusJacobian(x) is the derivative of Minus.
MATCHER_P2(HasCorrectMinusJacobianAt, x, tolerance, "") {
  const int ambient_size = arg.AmbientSize();
  const int tangent_size = arg.TangentSize();
  if (tangent_size == 0) return true;
  Matrix actual =
      Matrix::Constant(tangent_size, ambient_size, kImpossibleValue);
  EXPECT_TRUE(arg.MinusJacobian(x.data(), actual.data()));
  const Matrix expected = internal::NumericJacobian(
      MinusFunctor(arg, x.data()), tangent_size, ambient_size, x.data());
  return internal::IsClose(actual, expected, tolerance, result_listener);
}

// MinusJacobian(x) PlusJacobian(x) = I.
MATCHER_P2(MinusPlusJacobianIsIdentityAt, x, tolerance, "") {
  const int ambient_size = arg.AmbientSize();
  const int tangent_size = arg.TangentSize();
  if (tangent_size == 0) return true;
  Matrix plus_jacobian =
      Matrix::Constant(ambient_size, tangent_size, kImpossibleValue);
  EXPECT_TRUE(arg.PlusJacobian(x.data(), plus_jacobian.data()));
  Matrix minus_jacobian =
      Matrix::Constant(tangent_size, ambient_size, kImpossibleValue);
  EXPECT_TRUE(arg.MinusJacobian(x.data(), minus_jacobian.data()));
  const Matrix actual = minus_jacobian * plus_jacobian;
  const Matrix expected = Matrix::Identity(tangent_size, tangent_size);
  return internal::IsClose(actual, expected, tolerance, result_listener);
}

// RightMultiplyByPlusJacobian multiplies by PlusJacobian(x).
MATCHER_P2(HasCorrectRightMultiplyByPlusJacobianAt, x, tolerance, "") {
  const int ambient_size = arg.AmbientSize();
  const int tangent_size = arg.TangentSize();
  if (tangent_size == 0) return true;
  constexpr int kMinNumRows = 0;
  constexpr int kMaxNumRows = 3;
  Matrix plus_jacobian =
      Matrix::Constant(ambient_size, tangent_size, kImpossibleValue);
  EXPECT_TRUE(arg.PlusJacobian(x.data(), plus_jacobian.data()));
  for (int num_rows = kMinNumRows; num_rows <= kMaxNumRows; ++num_rows) {
    const Matrix ambient = Matrix::Random(num_rows, ambient_size);
    Matrix actual = Matrix::Constant(num_rows, tangent_size, kImpossibleValue);
    EXPECT_TRUE(arg.RightMultiplyByPlusJacobian(x.data(), num_rows,
                                                ambient.data(), actual.data()));
    const Matrix expected = ambient * plus_jacobian;
    if (!internal::IsClose(actual, expected, tolerance, result_listener)) {
      return false;
    }
  }
  return true;
}

}  // namespace ceres

// Expects all of the above.
#define EXPECT_THAT_MANIFOLD_INVARIANTS_HOLD(manifold, x, delta, y, tolerance) \
  do {                                                                         \
    EXPECT_THAT(manifold, ::ceres::XPlusZeroIsXAt(x, tolerance));              \
    EXPECT_THAT(manifold, ::ceres::XMinusXIsZeroAt(x, tolerance));             \
    EXPECT_THAT(manifold,                                                      \
                ::ceres::MinusPlusIsIdentityAt(x, delta, tolerance));          \
    EXPECT_THAT(manifold,                                                      \
                ::ceres::MinusPlusIsIdentityAt(                                \
                    x, ::ceres::Vector::Zero((manifold).TangentSize()).eval(), \
                    tolerance));                                               \
    EXPECT_THAT(manifold, ::ceres::PlusMinusIsIdentityAt(x, x, tolerance));    \
    EXPECT_THAT(manifold, ::ceres::PlusMinusIsIdentityAt(x, y, tolerance));    \
    EXPECT_THAT(manifold, ::ceres::HasCorrectPlusJacobianAt(x, tolerance));    \
    EXPECT_THAT(manifold, ::ceres::HasCorrectMinusJacobianAt(x, tolerance));   \
    EXPECT_THAT(manifold,                                                      \
                ::ceres::MinusPlusJacobianIsIdentityAt(x, tolerance));         \
    EXPECT_THAT(manifold, ::ceres::HasCorrectRightMultiplyByPlusJacobianAt(    \
                              x, tolerance));                                  \
  } while (false)

#endif  // CERES_PUBLIC_MANIFOLD_TEST_UTILS_H_
