// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/manifold_test_utils.h"

#include <cmath>

#include "ceres/internal/eigen.h"
#include "ceres/manifold.h"
#include "gmock/gmock.h"
#include "gtest/gtest-spi.h"
#include "gtest/gtest.h"

namespace ceres {
namespace {

using testing::Not;

// R^2, with one thing wrong at a time.
enum Fault {
  kNone,
  kPlusZeroMoves,
  kMinusOfSelfIsNotZero,
  kMinusIsHalved,
  kPlusJacobianIsWrong,
  kMinusJacobianIsWrong,
  kRightMultiplyIsWrong,
  kYieldsNaN
};

class Faulty : public Manifold {
 public:
  explicit Faulty(Fault fault) : fault_(fault) {}
  int AmbientSize() const override { return 2; }
  int TangentSize() const override { return 2; }

  bool Plus(const double* x, const double* delta, double* y) const override {
    for (int i = 0; i < 2; ++i) {
      y[i] = x[i] + delta[i] + (fault_ == kPlusZeroMoves ? 1e-3 : 0.0);
      if (fault_ == kYieldsNaN) y[i] = std::nan("");
    }
    return true;
  }
  bool PlusJacobian(const double*, double* jacobian) const override {
    internal::SetIdentity(2, jacobian);
    if (fault_ == kPlusJacobianIsWrong) jacobian[1] = 1e-3;
    return true;
  }
  bool RightMultiplyByPlusJacobian(const double*, const int num_rows,
                                   const double* ambient,
                                   double* tangent) const override {
    for (int i = 0; i < 2 * num_rows; ++i) {
      tangent[i] = ambient[i] * (fault_ == kRightMultiplyIsWrong ? 1.001 : 1.0);
    }
    return true;
  }
  bool Minus(const double* y, const double* x, double* delta) const override {
    for (int i = 0; i < 2; ++i) {
      delta[i] = (y[i] - x[i]) * (fault_ == kMinusIsHalved ? 0.5 : 1.0) +
                 (fault_ == kMinusOfSelfIsNotZero ? 1e-3 : 0.0);
    }
    return true;
  }
  bool MinusJacobian(const double*, double* jacobian) const override {
    internal::SetIdentity(2, jacobian);
    if (fault_ == kMinusJacobianIsWrong) jacobian[3] = 1.001;
    return true;
  }

 private:
  Fault fault_;
};

constexpr double kTolerance = 1e-9;

class ManifoldMatchers : public testing::Test {
 protected:
  const Vector x_ = Vector::Constant(2, 0.5);
  const Vector y_ = Vector::Constant(2, -3.0);
  const Vector delta_ = Vector::Constant(2, 1.25);
};

TEST_F(ManifoldMatchers, AcceptARightManifold) {
  EXPECT_THAT_MANIFOLD_INVARIANTS_HOLD(Faulty(kNone), x_, delta_, y_,
                                       kTolerance);
}

TEST_F(ManifoldMatchers, EachFindsItsFault) {
  EXPECT_THAT(Faulty(kPlusZeroMoves), Not(XPlusZeroIsXAt(x_, kTolerance)));
  EXPECT_THAT(Faulty(kMinusOfSelfIsNotZero),
              Not(XMinusXIsZeroAt(x_, kTolerance)));
  EXPECT_THAT(Faulty(kMinusIsHalved),
              Not(MinusPlusIsIdentityAt(x_, delta_, kTolerance)));
  EXPECT_THAT(Faulty(kMinusIsHalved),
              Not(PlusMinusIsIdentityAt(x_, y_, kTolerance)));
  EXPECT_THAT(Faulty(kPlusJacobianIsWrong),
              Not(HasCorrectPlusJacobianAt(x_, kTolerance)));
  EXPECT_THAT(Faulty(kPlusJacobianIsWrong),
              Not(MinusPlusJacobianIsIdentityAt(x_, kTolerance)));
  EXPECT_THAT(Faulty(kMinusJacobianIsWrong),
              Not(HasCorrectMinusJacobianAt(x_, kTolerance)));
  EXPECT_THAT(Faulty(kMinusJacobianIsWrong),
              Not(MinusPlusJacobianIsIdentityAt(x_, kTolerance)));
  EXPECT_THAT(Faulty(kRightMultiplyIsWrong),
              Not(HasCorrectRightMultiplyByPlusJacobianAt(x_, kTolerance)));
  EXPECT_THAT(Faulty(kYieldsNaN), Not(XPlusZeroIsXAt(x_, kTolerance)));
}

TEST_F(ManifoldMatchers, ErrorsAreRelative) {
  // A fault of 1e-3 beside points of 1e6.
  const Vector far = Vector::Constant(2, 1e6);
  EXPECT_THAT(Faulty(kPlusZeroMoves), XPlusZeroIsXAt(far, 1e-8));
  EXPECT_THAT(Faulty(kPlusZeroMoves), Not(XPlusZeroIsXAt(far, 1e-10)));
}

void ExpectAllHold(const Manifold& manifold) {
  const Vector x = Vector::Constant(2, 0.5);
  EXPECT_THAT_MANIFOLD_INVARIANTS_HOLD(manifold, x, x, x, kTolerance);
}

TEST_F(ManifoldMatchers, TheMacroReportsFaults) {
  EXPECT_NONFATAL_FAILURE(ExpectAllHold(Faulty(kRightMultiplyIsWrong)),
                          "error: 0.001");
}

TEST_F(ManifoldMatchers, RotationsMayReturnTheOtherQuaternion) {
  const Vector x = Vector::Unit(4, 0);
  const Vector delta = Vector::Constant(3, 0.1);
  Vector y(4);
  ASSERT_TRUE(QuaternionManifold().Plus(x.data(), delta.data(), y.data()));
  EXPECT_THAT(QuaternionManifold(), PlusMinusIsIdentityAt(x, y, kTolerance));
  const Vector minus_y = -y;
  EXPECT_THAT(QuaternionManifold(),
              PlusMinusIsIdentityAt(x, minus_y, kTolerance));
}

TEST_F(ManifoldMatchers, ManifoldsWithoutFreedomPass) {
  const SubsetManifold constant(2, {0, 1});
  const Vector none(0);
  EXPECT_THAT_MANIFOLD_INVARIANTS_HOLD(constant, x_, none, x_, kTolerance);
}

}  // namespace
}  // namespace ceres
