// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include <memory>
#include <type_traits>
#include <vector>

#include "ceres/autodiff_manifold.h"
#include "ceres/internal/eigen.h"
#include "ceres/line_manifold.h"
#include "ceres/manifold.h"
#include "ceres/manifold_test_utils.h"
#include "ceres/product_manifold.h"
#include "ceres/sphere_manifold.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ceres {
namespace {

// Moves along the first of two coordinates.
struct Translation {
  template <typename T>
  bool Plus(const T* x, const T* delta, T* x_plus_delta) const {
    x_plus_delta[0] = x[0] + delta[0];
    x_plus_delta[1] = x[1];
    return true;
  }
  template <typename T>
  bool Minus(const T* y, const T* x, T* y_minus_x) const {
    y_minus_x[0] = y[0] - x[0];
    return true;
  }
};

// Calls everything that a manifold has; the sizes are those of the arrays.
template <int kAmbientSize, int kTangentSize>
void ExpectMovesThereAndBack(const Manifold& manifold,
                             const double (&x)[kAmbientSize],
                             const double (&delta)[kTangentSize]) {
  EXPECT_EQ(manifold.AmbientSize(), kAmbientSize);
  EXPECT_EQ(manifold.TangentSize(), kTangentSize);
  double y[kAmbientSize];
  double back[kTangentSize];
  EXPECT_TRUE(manifold.Plus(x, delta, y));
  EXPECT_TRUE(manifold.Minus(y, x, back));
  for (int i = 0; i < kTangentSize; ++i) EXPECT_NEAR(back[i], delta[i], 1e-14);
  // They are inverses: a column of the one, a row of the other.
  double plus[kAmbientSize * kTangentSize];
  double minus[kTangentSize * kAmbientSize];
  EXPECT_TRUE(manifold.PlusJacobian(x, plus));
  EXPECT_TRUE(manifold.MinusJacobian(x, minus));
  double product = 0.0;
  for (int i = 0; i < kAmbientSize; ++i) {
    product += minus[i] * plus[i * kTangentSize];
  }
  EXPECT_NEAR(product, 1.0, 1e-14);
}

TEST(ManifoldH, Subset) {
  const SubsetManifold subset(3, {1});
  const Manifold& manifold = subset;
  static_assert(std::is_abstract_v<Manifold>);
  const double x[] = {1.0, 2.0, 3.0};
  const double delta[] = {0.5, 0.25};
  ExpectMovesThereAndBack(manifold, x, delta);
  const double row[] = {7.0, 8.0, 9.0};
  double tangent[2];
  EXPECT_TRUE(manifold.RightMultiplyByPlusJacobian(x, 1, row, tangent));
  EXPECT_THAT(tangent, testing::ElementsAre(7.0, 9.0));
}

TEST(ManifoldH, EachHasItsSizes) {
  EXPECT_EQ(EuclideanManifold<3>().TangentSize(), 3);
  EXPECT_EQ(EuclideanManifold<3>(3).AmbientSize(), 3);
  EXPECT_EQ(EuclideanManifold<DYNAMIC>(5).AmbientSize(), 5);
  EXPECT_EQ(QuaternionManifold().AmbientSize(), 4);
  EXPECT_EQ(QuaternionManifold().TangentSize(), 3);
  EXPECT_EQ(EigenQuaternionManifold().AmbientSize(), 4);
  EXPECT_EQ(EigenQuaternionManifold().TangentSize(), 3);
}

TEST(AutodiffManifoldH, IsMadeOfAFunctor) {
  auto* functor = new Translation;
  const AutoDiffManifold<Translation, 2, 1> manifold(functor);
  EXPECT_EQ(&manifold.functor(), functor);
  const double x[] = {1.0, 2.0};
  const double delta[] = {0.5};
  ExpectMovesThereAndBack(manifold, x, delta);
  EXPECT_EQ((AutoDiffManifold<Translation, 2, 1>().AmbientSize()), 2);
}

TEST(SphereManifoldH, KeepsTheNorm) {
  const SphereManifold<3> manifold;
  EXPECT_EQ(SphereManifold<DYNAMIC>(4).TangentSize(), 3);
  const double x[] = {0.0, 0.6, 0.8};
  const double delta[] = {0.5, 0.25};
  ExpectMovesThereAndBack(manifold, x, delta);
}

TEST(LineManifoldH, MovesOriginAndDirection) {
  const LineManifold<2> manifold;
  EXPECT_EQ(LineManifold<DYNAMIC>(3).TangentSize(), 4);
  const double x[] = {1.0, 2.0, 0.6, 0.8};
  const double delta[] = {0.5, 0.25};
  ExpectMovesThereAndBack(manifold, x, delta);
}

TEST(ProductManifoldH, JoinsManifolds) {
  const ProductManifold<SubsetManifold, EuclideanManifold<1>> manifold(
      SubsetManifold(2, {0}), EuclideanManifold<1>());
  const ProductManifold deduced{std::make_unique<SphereManifold<3>>(),
                                QuaternionManifold()};
  EXPECT_EQ(deduced.AmbientSize(), 7);
  EXPECT_EQ(
      (ProductManifold<SphereManifold<2>, QuaternionManifold>()).TangentSize(),
      4);
  const double x[] = {1.0, 2.0, 3.0};
  const double delta[] = {0.5, 0.25};
  ExpectMovesThereAndBack(manifold, x, delta);
}

TEST(ManifoldTestUtilsH, MatchersAcceptASphere) {
  constexpr double kTolerance = 1e-9;
  const SphereManifold<3> manifold;
  const Vector x = Eigen::Vector3d(0.0, 0.6, 0.8);
  const Vector y = Eigen::Vector3d(0.6, 0.0, 0.8);
  const Vector delta = Eigen::Vector2d(0.5, 0.25);
  EXPECT_THAT_MANIFOLD_INVARIANTS_HOLD(manifold, x, delta, y, kTolerance);
  EXPECT_THAT(manifold, XPlusZeroIsXAt(x, kTolerance));
  EXPECT_THAT(manifold, XMinusXIsZeroAt(x, kTolerance));
  EXPECT_THAT(manifold, HasCorrectPlusJacobianAt(x, kTolerance));
  EXPECT_THAT(manifold, HasCorrectMinusJacobianAt(x, kTolerance));
  EXPECT_THAT(manifold, MinusPlusIsIdentityAt(x, delta, kTolerance));
  EXPECT_THAT(manifold, MinusPlusJacobianIsIdentityAt(x, kTolerance));
  EXPECT_THAT(manifold, PlusMinusIsIdentityAt(x, y, kTolerance));
  EXPECT_THAT(manifold, HasCorrectRightMultiplyByPlusJacobianAt(x, kTolerance));
}

TEST(ManifoldTestUtilsH, FunctorsCallTheManifold) {
  const EuclideanManifold<1> manifold;
  const double x = 2.0;
  const double argument = 5.0;
  const double* arguments[] = {&argument};
  double result = 0.0;
  const PlusFunctor plus(manifold, &x);
  EXPECT_TRUE(plus(arguments, &result));
  EXPECT_EQ(plus.x, &x);
  EXPECT_EQ(&plus.manifold, &manifold);
  EXPECT_EQ(result, 7.0);
  const MinusFunctor minus(manifold, &x);
  EXPECT_TRUE(minus(arguments, &result));
  EXPECT_EQ(minus.x, &x);
  EXPECT_EQ(&minus.manifold, &manifold);
  EXPECT_EQ(result, 3.0);
}

}  // namespace
}  // namespace ceres
