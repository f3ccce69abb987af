// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/autodiff_manifold.h"

#include <cmath>

#include "ceres/constants.h"
#include "ceres/internal/eigen.h"
#include "ceres/manifold_test_utils.h"
#include "ceres/modelling/functor_counter.h"
#include "ceres/rotation.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ceres {
namespace {

struct Quaternion {
  template <typename T>
  bool Plus(const T* x, const T* delta, T* x_plus_delta) const {
    // Half the rotation angle, as in QuaternionManifold.
    const T angle_axis[3] = {T(2.0) * delta[0], T(2.0) * delta[1],
                             T(2.0) * delta[2]};
    T q[4];
    AngleAxisToQuaternion(angle_axis, q);
    QuaternionProduct(q, x, x_plus_delta);
    return true;
  }

  template <typename T>
  bool Minus(const T* y, const T* x, T* y_minus_x) const {
    const T inverse[4] = {x[0], -x[1], -x[2], -x[3]};
    T q[4];
    QuaternionProduct(y, inverse, q);
    QuaternionToAngleAxis(q, y_minus_x);
    for (int i = 0; i < 3; ++i) y_minus_x[i] *= T(0.5);
    return true;
  }
};

TEST(AutoDiffManifold, AgreesWithTheHandWrittenQuaternionManifold) {
  const AutoDiffManifold<Quaternion, 4, 3> automatic;
  const QuaternionManifold by_hand;
  EXPECT_EQ(automatic.AmbientSize(), 4);
  EXPECT_EQ(automatic.TangentSize(), 3);
  for (int trial = 0; trial < 10; ++trial) {
    const Vector x = Vector::Random(4).normalized();
    Vector y = Vector::Random(4).normalized();
    if (x.dot(y) < 0) y = -y;  // Quaternion::Minus takes the short way.
    const Vector delta = 0.5 * Vector::Random(3);
    EXPECT_THAT_MANIFOLD_INVARIANTS_HOLD(automatic, x, delta, y, 1e-9);

    Matrix actual(4, 3), expected(4, 3);
    ASSERT_TRUE(automatic.PlusJacobian(x.data(), actual.data()));
    ASSERT_TRUE(by_hand.PlusJacobian(x.data(), expected.data()));
    EXPECT_LE((actual - expected).cwiseAbs().maxCoeff(), 1e-14);
    Matrix minus_actual(3, 4);
    ASSERT_TRUE(automatic.MinusJacobian(x.data(), minus_actual.data()));
    // They agree along the manifold; away from it Minus may be extended in
    // different ways.
    EXPECT_LE((minus_actual * expected - Matrix::Identity(3, 3))
                  .cwiseAbs()
                  .maxCoeff(),
              1e-14);
  }
}

// R^1 with failures on request.
class Failing : internal::CountsInstances {
 public:
  Failing() = default;
  Failing(bool succeeds, int* num_living)
      : CountsInstances(num_living), succeeds_(succeeds) {}

  template <typename T>
  bool Plus(const T* x, const T* delta, T* x_plus_delta) const {
    x_plus_delta[0] = x[0] + delta[0];
    return succeeds_;
  }
  template <typename T>
  bool Minus(const T* y, const T* x, T* y_minus_x) const {
    y_minus_x[0] = y[0] - x[0];
    return succeeds_;
  }

 private:
  bool succeeds_ = true;
};

TEST(AutoDiffManifold, FailuresAreReported) {
  int num_living = 0;
  {
    const AutoDiffManifold<Failing, 1, 1> manifold(
        new Failing(false, &num_living));
    EXPECT_EQ(num_living, 1);
    double x = 1, delta = 2, out;
    EXPECT_FALSE(manifold.Plus(&x, &delta, &out));
    EXPECT_FALSE(manifold.PlusJacobian(&x, &out));
    EXPECT_FALSE(manifold.Minus(&x, &x, &out));
    EXPECT_FALSE(manifold.MinusJacobian(&x, &out));
    EXPECT_TRUE((manifold.functor().Plus(&x, &delta, &out), out == 3));
  }
  EXPECT_EQ(num_living, 0);
}

}  // namespace
}  // namespace ceres
