// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_MANIFOLD_TEST_UTILS_H_
#define CERES_PUBLIC_MANIFOLD_TEST_UTILS_H_

// GoogleMock matchers that test manifolds, your own ones included. Only this
// public header needs GoogleTest and GoogleMock.
//
//   TEST(MyManifold, InvariantsHold) {
//     const MyManifold manifold;
//     // x and y are Eigen vectors of points, delta is one of a tangent, small
//     // enough for Minus(Plus(x, delta), x) to be delta.
//     EXPECT_THAT_MANIFOLD_INVARIANTS_HOLD(manifold, x, delta, y, 1e-9);
//   }
//
// The error of a result is the norm of its difference from what is expected.
// It is relative to the norm of the expected result unless this is zero.

// Programs count on these headers through this one.
#include "Eigen/Dense"
#include "Eigen/StdVector"
#include "ceres/dynamic_numeric_diff_cost_function.h"
#include "ceres/internal/eigen.h"
#include "ceres/manifold.h"
#include "ceres/numeric_diff_options.h"
#include "ceres/types.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ceres {

// Plus(x, delta) as a function of delta, for numeric differentiation with one
// parameter block. Refers to the manifold and to x.
struct PlusFunctor {
  // Refers to both arguments.
  PlusFunctor(const Manifold& manifold, const double* x)
      : x(x), manifold(manifold) {}
  // x_plus_delta = Plus(x, delta[0]). Returns what Plus returns.
  bool operator()(double const* const* delta, double* x_plus_delta) const {
    return manifold.Plus(x, *delta, x_plus_delta);
  }
  // The point and the manifold.
  const double* x;
  const Manifold& manifold;
};
// Minus(y, x) as a function of y, for numeric differentiation with one
// parameter block. Refers to the manifold and to x.
struct MinusFunctor {
  // Refers to both arguments.
  MinusFunctor(const Manifold& manifold, const double* x)
      : x(x), manifold(manifold) {}
  // y_minus_x = Minus(y[0], x). Returns what Minus returns.
  bool operator()(double const* const* y, double* y_minus_x) const {
    return manifold.Minus(*y, x, y_minus_x);
  }
  // The point and the manifold.
  const double* x;
  const Manifold& manifold;
};

namespace internal {

// The results of the functions of a manifold, which must succeed. What they do
// not write is kImpossibleValue.
class ManifoldResults {
 public:
  explicit ManifoldResults(const Manifold& manifold)
      : manifold_(manifold),
        num_coordinates_(manifold.AmbientSize()),
        num_freedoms_(manifold.TangentSize()) {}

  Vector Plus(const double* x, const double* delta) const {
    Vector result = Unwritten(num_coordinates_, 1);
    EXPECT_TRUE(manifold_.Plus(x, delta, result.data()));
    return result;
  }
  Vector Minus(const double* y, const double* x) const {
    Vector result = Unwritten(num_freedoms_, 1);
    EXPECT_TRUE(manifold_.Minus(y, x, result.data()));
    return result;
  }
  Matrix PlusJacobian(const double* x) const {
    Matrix result = Unwritten(num_coordinates_, num_freedoms_);
    EXPECT_TRUE(manifold_.PlusJacobian(x, result.data()));
    return result;
  }
  Matrix MinusJacobian(const double* x) const {
    Matrix result = Unwritten(num_freedoms_, num_coordinates_);
    EXPECT_TRUE(manifold_.MinusJacobian(x, result.data()));
    return result;
  }
  Matrix RightMultiplyByPlusJacobian(const double* x,
                                     const Matrix& ambient) const {
    const int num_rows = static_cast<int>(ambient.rows());
    Matrix result = Unwritten(num_rows, num_freedoms_);
    EXPECT_TRUE(manifold_.RightMultiplyByPlusJacobian(
        x, num_rows, ambient.data(), result.data()));
    return result;
  }

  // The Jacobians by Ridders' method.
  Matrix NumericPlusJacobian(const double* x) const {
    const Vector zero = Vector::Zero(num_freedoms_);
    return NumericJacobian(PlusFunctor(manifold_, x), num_coordinates_, zero);
  }
  Matrix NumericMinusJacobian(const double* x) const {
    const Vector y = ConstVectorRef(x, num_coordinates_);
    return NumericJacobian(MinusFunctor(manifold_, x), num_freedoms_, y);
  }

  // Quaternions q and -q are the same rotation.
  bool AreRotations() const {
    return dynamic_cast<const QuaternionManifold*>(&manifold_) != nullptr ||
           dynamic_cast<const EigenQuaternionManifold*>(&manifold_) != nullptr;
  }

  // Every Jacobian is empty.
  bool HaveNoFreedom() const { return num_freedoms_ == 0; }

 private:
  static Matrix Unwritten(int num_rows, int num_cols) {
    return Matrix::Constant(num_rows, num_cols, kImpossibleValue);
  }

  template <typename Functor>
  static Matrix NumericJacobian(const Functor& functor, int num_rows,
                                const Vector& point) {
    DynamicNumericDiffCostFunction<Functor, RIDDERS> differences(
        &functor, DO_NOT_TAKE_OWNERSHIP);
    differences.AddParameterBlock(static_cast<int>(point.size()));
    differences.SetNumResiduals(num_rows);
    Vector value = Unwritten(num_rows, 1);
    Matrix jacobian = Unwritten(num_rows, static_cast<int>(point.size()));
    const double* x = point.data();
    double* rows = jacobian.data();
    EXPECT_TRUE(differences.Evaluate(&x, value.data(), &rows))
        << "The manifold could not be evaluated near the point.";
    return jacobian;
  }

  const Manifold& manifold_;
  const int num_coordinates_;
  const int num_freedoms_;
};

// Returns whether `actual` is within tolerance of `expected`; if not, explains
// the difference to the listener.
template <typename Actual, typename Expected>
bool IsClose(const Actual& actual, const Expected& expected, double tolerance,
             ::testing::MatchResultListener* listener) {
  const double scale = expected.norm() > 0.0 ? expected.norm() : 1.0;
  const double error = (actual - expected).norm() / scale;
  // NaN is not close.
  if (error <= tolerance) return true;
  *listener << "\nerror: " << error << ", tolerance: " << tolerance
            << "\nactual:\n"
            << actual << "\nexpected:\n"
            << expected;
  return false;
}

}  // namespace internal

// Jacobians.

// PlusJacobian(x) is the derivative of Plus.
MATCHER_P2(HasCorrectPlusJacobianAt, x, tolerance, "") {
  const internal::ManifoldResults results(arg);
  return results.HaveNoFreedom() ||
         internal::IsClose(results.PlusJacobian(x.data()),
                           results.NumericPlusJacobian(x.data()), tolerance,
                           result_listener);
}

// MinusJacobian(x) is the derivative of Minus.
MATCHER_P2(HasCorrectMinusJacobianAt, x, tolerance, "") {
  const internal::ManifoldResults results(arg);
  return results.HaveNoFreedom() ||
         internal::IsClose(results.MinusJacobian(x.data()),
                           results.NumericMinusJacobian(x.data()), tolerance,
                           result_listener);
}

// RightMultiplyByPlusJacobian multiplies by PlusJacobian(x). The identity shows
// every entry of the Jacobian, and a matrix of one row has another layout.
MATCHER_P2(HasCorrectRightMultiplyByPlusJacobianAt, x, tolerance, "") {
  const internal::ManifoldResults results(arg);
  if (results.HaveNoFreedom()) return true;
  const int size = arg.AmbientSize();
  const Matrix plus_jacobian = results.PlusJacobian(x.data());
  for (const Matrix& ambient :
       {Matrix(Matrix::Identity(size, size)), Matrix(Matrix::Random(1, size)),
        Matrix(Matrix::Random(size + 2, size))}) {
    const Matrix expected = ambient * plus_jacobian;
    if (!internal::IsClose(
            results.RightMultiplyByPlusJacobian(x.data(), ambient), expected,
            tolerance, result_listener)) {
      return false;
    }
  }
  return true;
}

// MinusJacobian(x) PlusJacobian(x) = I.
MATCHER_P2(MinusPlusJacobianIsIdentityAt, x, tolerance, "") {
  const internal::ManifoldResults results(arg);
  if (results.HaveNoFreedom()) return true;
  const Matrix product =
      results.MinusJacobian(x.data()) * results.PlusJacobian(x.data());
  const Matrix identity = Matrix::Identity(product.rows(), product.cols());
  return internal::IsClose(product, identity, tolerance, result_listener);
}

// Plus and Minus.

// Plus(x, Minus(y, x)) = y; for rotations also -y.
MATCHER_P3(PlusMinusIsIdentityAt, x, y, tolerance, "") {
  const internal::ManifoldResults results(arg);
  const Vector delta = results.Minus(y.data(), x.data());
  const Vector moved = results.Plus(x.data(), delta.data());
  const bool is_opposite = results.AreRotations() && moved.dot(y) < 0.0;
  const Vector actual = is_opposite ? -1.0 * moved : moved;
  return internal::IsClose(actual, y, tolerance, result_listener);
}

// Minus(Plus(x, delta), x) = delta.
MATCHER_P3(MinusPlusIsIdentityAt, x, delta, tolerance, "") {
  const internal::ManifoldResults results(arg);
  const Vector moved = results.Plus(x.data(), delta.data());
  return internal::IsClose(results.Minus(moved.data(), x.data()), delta,
                           tolerance, result_listener);
}

// Minus(x, x) = 0.
MATCHER_P2(XMinusXIsZeroAt, x, tolerance, "") {
  const Vector zero = Vector::Zero(arg.TangentSize());
  return internal::IsClose(
      internal::ManifoldResults(arg).Minus(x.data(), x.data()), zero, tolerance,
      result_listener);
}

// Plus(x, 0) = x.
MATCHER_P2(XPlusZeroIsXAt, x, tolerance, "") {
  const Vector zero = Vector::Zero(arg.TangentSize());
  return internal::IsClose(
      internal::ManifoldResults(arg).Plus(x.data(), zero.data()), x, tolerance,
      result_listener);
}

}  // namespace ceres

// Expects that all matchers above hold: for steps delta and 0 from x, for
// differences of x and of y from x, and for the Jacobians at x.
#define EXPECT_THAT_MANIFOLD_INVARIANTS_HOLD(manifold, x, delta, y, tolerance) \
  do {                                                                         \
    const ::ceres::Vector vesta_steps[] = {                                    \
        delta, ::ceres::Vector::Zero((manifold).TangentSize())};               \
    for (const ::ceres::Vector& vesta_step : vesta_steps) {                    \
      EXPECT_THAT(manifold,                                                    \
                  ::ceres::MinusPlusIsIdentityAt(x, vesta_step, tolerance));   \
    }                                                                          \
    const ::ceres::Vector vesta_ends[] = {y, x};                               \
    for (const ::ceres::Vector& vesta_end : vesta_ends) {                      \
      EXPECT_THAT(manifold,                                                    \
                  ::ceres::PlusMinusIsIdentityAt(x, vesta_end, tolerance));    \
    }                                                                          \
    EXPECT_THAT(manifold, ::ceres::XMinusXIsZeroAt(x, tolerance));             \
    EXPECT_THAT(manifold, ::ceres::XPlusZeroIsXAt(x, tolerance));              \
    EXPECT_THAT(manifold,                                                      \
                ::ceres::MinusPlusJacobianIsIdentityAt(x, tolerance));         \
    EXPECT_THAT(manifold, ::ceres::HasCorrectRightMultiplyByPlusJacobianAt(    \
                              x, tolerance));                                  \
    EXPECT_THAT(manifold, ::ceres::HasCorrectMinusJacobianAt(x, tolerance));   \
    EXPECT_THAT(manifold, ::ceres::HasCorrectPlusJacobianAt(x, tolerance));    \
  } while (false)

#endif  // CERES_PUBLIC_MANIFOLD_TEST_UTILS_H_
