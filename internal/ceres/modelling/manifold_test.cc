// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/manifold.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "Eigen/Core"
#include "Eigen/Geometry"
#include "ceres/constants.h"
#include "ceres/internal/eigen.h"
#include "ceres/manifold_test_utils.h"
#include "ceres/modelling/fake_manifold.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ceres {
namespace {

Vector Plus(const Manifold& manifold, const Vector& x, const Vector& delta) {
  return internal::ManifoldResults(manifold).Plus(x.data(), delta.data());
}

Vector Minus(const Manifold& manifold, const Vector& y, const Vector& x) {
  return internal::ManifoldResults(manifold).Minus(y.data(), x.data());
}

void ExpectNear(const Eigen::Ref<const Matrix>& actual,
                const Eigen::Ref<const Matrix>& expected, double tolerance) {
  ASSERT_EQ(actual.rows(), expected.rows());
  ASSERT_EQ(actual.cols(), expected.cols());
  if (actual.size() > 0) {
    EXPECT_LE((actual - expected).cwiseAbs().maxCoeff(), tolerance)
        << "actual\n"
        << actual << "\nexpected\n"
        << expected;
  }
}

// The invariants of manifold_test_utils.h, each to its precision. `delta` is
// within the injectivity radius.
void ExpectInvariantsHold(const Manifold& manifold, const Vector& x,
                          const Vector& y, const Vector& delta) {
  EXPECT_THAT(manifold, XPlusZeroIsXAt(x, 0.0));
  EXPECT_THAT(manifold, XMinusXIsZeroAt(x, 2e-16));
  ExpectNear(Plus(manifold, x, Minus(manifold, y, x)), y, 1e-14);
  // Close to the far side of a sphere, rounding turns the direction of delta.
  ExpectNear(Minus(manifold, Plus(manifold, x, delta), x), delta, 1e-13);
  EXPECT_THAT(manifold, HasCorrectPlusJacobianAt(x, 1e-10));
  EXPECT_THAT(manifold, HasCorrectMinusJacobianAt(x, 1e-10));
  EXPECT_THAT(manifold, MinusPlusJacobianIsIdentityAt(x, 1e-15));
  EXPECT_THAT(manifold, HasCorrectRightMultiplyByPlusJacobianAt(x, 1e-14));
}

TEST(EuclideanManifold, InvariantsHold) {
  const EuclideanManifold<3> fixed;
  EXPECT_EQ(fixed.AmbientSize(), 3);
  EXPECT_EQ(fixed.TangentSize(), 3);
  ExpectInvariantsHold(fixed, Vector::Random(3), Vector::Random(3),
                       Vector::Random(3));
  const EuclideanManifold<DYNAMIC> dynamic(5);
  EXPECT_EQ(dynamic.AmbientSize(), 5);
  EXPECT_EQ(dynamic.TangentSize(), 5);
  ExpectInvariantsHold(dynamic, Vector::Random(5), Vector::Random(5),
                       Vector::Random(5));
}

TEST(EuclideanManifold, MayBeEmpty) {
  EXPECT_EQ(EuclideanManifold<0>().AmbientSize(), 0);
  EXPECT_EQ(EuclideanManifold<DYNAMIC>(0).TangentSize(), 0);
}

TEST(EuclideanManifoldDeathTest, SizeMustBeThatOfTheType) {
  EXPECT_EQ(EuclideanManifold<3>(3).AmbientSize(), 3);
  EXPECT_DEATH(EuclideanManifold<3>(4), "not that of its type");
  EXPECT_DEATH(EuclideanManifold<DYNAMIC>(), "needs its size");
  EXPECT_DEATH(EuclideanManifold<DYNAMIC>(-2), "needs its size");
}

TEST(SubsetManifold, TangentHasTheVariableCoordinatesInOrder) {
  const SubsetManifold manifold(4, {2, 0});
  EXPECT_EQ(manifold.AmbientSize(), 4);
  EXPECT_EQ(manifold.TangentSize(), 2);
  const Vector x = Eigen::Vector4d(1, 2, 3, 4);
  ExpectNear(Plus(manifold, x, Eigen::Vector2d(10, 20)),
             Eigen::Vector4d(1, 12, 3, 24), 0);
  ExpectNear(Minus(manifold, Eigen::Vector4d(7, 5, 7, 9), x),
             Eigen::Vector2d(3, 5), 0);
  Eigen::Matrix<double, 4, 2> plus_jacobian;
  plus_jacobian << 0, 0, 1, 0, 0, 0, 0, 1;
  const internal::ManifoldResults results(manifold);
  ExpectNear(results.PlusJacobian(x.data()), plus_jacobian, 0);
  ExpectNear(results.MinusJacobian(x.data()), plus_jacobian.transpose(), 0);
}

TEST(SubsetManifold, InvariantsHoldForEverySubset) {
  for (int subset = 0; subset < 16; ++subset) {
    std::vector<int> constant;
    for (int i = 0; i < 4; ++i) {
      if ((subset >> i & 1) != 0) {
        constant.push_back(i);
      }
    }
    const SubsetManifold manifold(4, constant);
    const Vector x = Vector::Random(4);
    Vector y = Vector::Random(4);
    for (const int i : constant) {
      y[i] = x[i];
    }
    ExpectInvariantsHold(manifold, x, y,
                         Vector::Random(manifold.TangentSize()));
  }
}

TEST(SubsetManifold, PlusWorksInPlace) {
  const SubsetManifold manifold(3, {1});
  Vector x = Eigen::Vector3d(1, 2, 3);
  const Vector delta = Eigen::Vector2d(10, 20);
  EXPECT_TRUE(manifold.Plus(x.data(), delta.data(), x.data()));
  ExpectNear(x, Eigen::Vector3d(11, 2, 23), 0);
}

TEST(SubsetManifoldDeathTest, ChecksTheIndices) {
  EXPECT_DEATH(SubsetManifold(3, {0, 3}), "parameter 3 is not in \\[0, 3\\)");
  EXPECT_DEATH(SubsetManifold(3, {-1}), "parameter -1 is not in");
  EXPECT_DEATH(SubsetManifold(3, {1, 2, 1}), "1 is given more than once");
}

// Both storage orders of quaternions, seen as [w, x, y, z].
struct HamiltonOrder {
  using ManifoldType = QuaternionManifold;
  static Vector Store(double w, double x, double y, double z) {
    return Eigen::Vector4d(w, x, y, z);
  }
  static Eigen::Quaterniond Read(const Vector& q) {
    return {q[0], q[1], q[2], q[3]};
  }
};

struct EigenOrder {
  using ManifoldType = EigenQuaternionManifold;
  static Vector Store(double w, double x, double y, double z) {
    return Eigen::Vector4d(x, y, z, w);
  }
  static Eigen::Quaterniond Read(const Vector& q) {
    return Eigen::Quaterniond(q.data());
  }
};

template <typename Order>
class QuaternionManifoldTest : public ::testing::Test {
 protected:
  typename Order::ManifoldType manifold_;
};

using Orders = ::testing::Types<HamiltonOrder, EigenOrder>;
TYPED_TEST_SUITE(QuaternionManifoldTest, Orders);

TYPED_TEST(QuaternionManifoldTest, InvariantsHold) {
  for (int trial = 0; trial < 200; ++trial) {
    const Vector x = Vector::Random(4).normalized();
    const Vector y = Vector::Random(4).normalized();
    const Vector direction = Vector::Random(3).normalized();
    for (const double norm : {1e-300, 1e-20, 1e-9, 1e-3, 1.0, 1.5, 3.1}) {
      ExpectInvariantsHold(this->manifold_, x, y, norm * direction);
    }
  }
}

TYPED_TEST(QuaternionManifoldTest, PlusRotatesByTwiceDeltaOnTheLeft) {
  for (int trial = 0; trial < 100; ++trial) {
    const Vector x = Vector::Random(4).normalized();
    const Eigen::Vector3d delta = Vector::Random(3);
    const Eigen::Quaterniond expected =
        Eigen::AngleAxisd(2 * delta.norm(), delta.normalized()) *
        TypeParam::Read(x);
    const Eigen::Quaterniond actual =
        TypeParam::Read(Plus(this->manifold_, x, delta));
    ExpectNear(actual.toRotationMatrix(), expected.toRotationMatrix(), 1e-14);
  }
}

TYPED_TEST(QuaternionManifoldTest, PlusKeepsTangentsWhoseSquaresUnderflow) {
  const Vector one = TypeParam::Store(1, 0, 0, 0);
  const Eigen::Vector3d delta(1e-200, -2e-200, 3e-300);
  ExpectNear(Plus(this->manifold_, one, delta),
             TypeParam::Store(1, 1e-200, -2e-200, 3e-300), 0);
  const Vector back =
      Minus(this->manifold_, Plus(this->manifold_, one, delta), one);
  for (int i = 0; i < 3; ++i) {
    EXPECT_DOUBLE_EQ(back[i], delta[i]);
  }
}

TYPED_TEST(QuaternionManifoldTest, PlusWorksInPlace) {
  Vector x = Vector::Random(4).normalized();
  const Vector delta = Vector::Random(3);
  const Vector expected = Plus(this->manifold_, x, delta);
  EXPECT_TRUE(this->manifold_.Plus(x.data(), delta.data(), x.data()));
  EXPECT_EQ(x, expected);
}

TYPED_TEST(QuaternionManifoldTest, PlusStaysOnTheSphere) {
  Vector x = Vector::Random(4).normalized();
  for (int i = 0; i < 1000; ++i) {
    x = Plus(this->manifold_, x, Vector::Random(3));
  }
  EXPECT_NEAR(x.norm(), 1, 1e-13);
}

TYPED_TEST(QuaternionManifoldTest, MinusReachesTheFarSide) {
  const Vector one = TypeParam::Store(1, 0, 0, 0);
  // cos = -1/2: an angle of 2 pi / 3.
  const Vector y = TypeParam::Store(-0.5, 0, 0, std::sqrt(0.75));
  ExpectNear(Minus(this->manifold_, y, one),
             Eigen::Vector3d(0, 0, 2 * constants::pi / 3), 1e-15);
}

TYPED_TEST(QuaternionManifoldTest, MinusIsZeroWhereTheVectorPartIs) {
  const Vector one = TypeParam::Store(1, 0, 0, 0);
  ExpectNear(Minus(this->manifold_, -one, one), Eigen::Vector3d::Zero(), 0);
}

// A manifold that has nothing but the default RightMultiplyByPlusJacobian.
class MatrixManifold : public internal::FakeManifold {
 public:
  MatrixManifold(int ambient_size, int tangent_size)
      : FakeManifold(ambient_size, tangent_size, false),
        jacobian_(Matrix::Random(ambient_size, tangent_size)) {}
  bool PlusJacobian(const double* x, double* jacobian) const override {
    if (std::isnan(x[0])) return false;
    std::copy_n(jacobian_.data(), jacobian_.size(), jacobian);
    return true;
  }

 private:
  const Matrix jacobian_;
};

TEST(Manifold, DefaultRightMultiplyHandlesAllSizes) {
  for (const int ambient_size : {1, 4, 11, 12, 40}) {
    for (const int tangent_size : {1, 3, 11, 30}) {
      const Vector x = Vector::Zero(ambient_size);
      EXPECT_THAT(MatrixManifold(ambient_size, tangent_size),
                  HasCorrectRightMultiplyByPlusJacobianAt(x, 1e-14));
    }
  }
}

TEST(Manifold, DefaultRightMultiplyFailsWithTheJacobianItNeeds) {
  const double x = std::numeric_limits<double>::quiet_NaN();
  const double ambient[3] = {1, 2, 3};
  double tangent;
  EXPECT_FALSE(MatrixManifold(3, 1).RightMultiplyByPlusJacobian(&x, 1, ambient,
                                                                &tangent));
  EXPECT_TRUE(MatrixManifold(3, 0).RightMultiplyByPlusJacobian(&x, 1, ambient,
                                                               nullptr));
}

}  // namespace
}  // namespace ceres
