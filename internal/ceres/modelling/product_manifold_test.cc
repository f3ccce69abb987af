// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/product_manifold.h"

#include <memory>
#include <type_traits>

#include "ceres/internal/eigen.h"
#include "ceres/manifold.h"
#include "ceres/manifold_test_utils.h"
#include "ceres/modelling/fake_manifold.h"
#include "ceres/modelling/functor_counter.h"
#include "ceres/sphere_manifold.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ceres {
namespace {

// Quaternion (4, 3), then R^3 (3, 3).
void ExpectIsQuaternionTimesEuclidean(const Manifold& product) {
  EXPECT_EQ(product.AmbientSize(), 7);
  EXPECT_EQ(product.TangentSize(), 6);
  const QuaternionManifold quaternion;
  Vector x = Vector::Random(7), y = Vector::Random(7);
  x.head(4).normalize();
  y.head(4).normalize();
  const Vector delta = 0.1 * Vector::Random(6);
  EXPECT_THAT_MANIFOLD_INVARIANTS_HOLD(product, x, delta, y, 1e-9);

  Vector actual(7), rotated(4);
  ASSERT_TRUE(product.Plus(x.data(), delta.data(), actual.data()));
  ASSERT_TRUE(quaternion.Plus(x.data(), delta.data(), rotated.data()));
  EXPECT_EQ(actual.head(4), rotated);
  EXPECT_EQ(actual.tail(3), x.tail(3) + delta.tail(3));

  Matrix jacobian(7, 6), plus_jacobian(4, 3);
  ASSERT_TRUE(product.PlusJacobian(x.data(), jacobian.data()));
  ASSERT_TRUE(quaternion.PlusJacobian(x.data(), plus_jacobian.data()));
  Matrix expected = Matrix::Zero(7, 6);
  expected.topLeftCorner(4, 3) = plus_jacobian;
  expected.bottomRightCorner(3, 3).setIdentity();
  EXPECT_EQ(jacobian, expected);
}

TEST(ProductManifold, EveryWayOfBuildingIt) {
  using Rotation = QuaternionManifold;
  using Translation = EuclideanManifold<3>;
  ExpectIsQuaternionTimesEuclidean(ProductManifold<Rotation, Translation>());
  ExpectIsQuaternionTimesEuclidean(
      ProductManifold<Rotation, Translation>(Rotation(), Translation()));
  ExpectIsQuaternionTimesEuclidean(ProductManifold{Rotation{}, Translation{}});
  ExpectIsQuaternionTimesEuclidean(
      ProductManifold{Rotation{}, EuclideanManifold<DYNAMIC>{3}});
  // Constructor arguments of the factors.
  ExpectIsQuaternionTimesEuclidean(
      ProductManifold<Rotation, EuclideanManifold<DYNAMIC>>(Rotation(), 3));

  Rotation rotation;
  Translation translation;
  Manifold* pointer = &rotation;
  const Manifold* const_pointer = &translation;
  ExpectIsQuaternionTimesEuclidean(ProductManifold{pointer, const_pointer});
  ExpectIsQuaternionTimesEuclidean(
      ProductManifold<Manifold*, const Manifold*>{&rotation, &translation});
  ExpectIsQuaternionTimesEuclidean(ProductManifold{rotation, translation});
  ExpectIsQuaternionTimesEuclidean(ProductManifold{
      std::make_unique<Rotation>(), std::make_shared<Translation>()});
  ExpectIsQuaternionTimesEuclidean(
      ProductManifold<std::unique_ptr<Manifold>, Translation>{
          std::make_unique<Rotation>(), Translation{}});
}

TEST(ProductManifold, DeducesValuesAndReferences) {
  QuaternionManifold rotation;
  using Euclidean = EuclideanManifold<2>;
  static_assert(std::is_same_v<decltype(ProductManifold{QuaternionManifold{},
                                                        Euclidean{}}),
                               ProductManifold<QuaternionManifold, Euclidean>>);
  static_assert(
      std::is_same_v<decltype(ProductManifold{rotation, Euclidean{}}),
                     ProductManifold<QuaternionManifold&, Euclidean>>);
  static_assert(
      !std::is_default_constructible_v<ProductManifold<Manifold&, Euclidean>>);
}

TEST(ProductManifold, ManyFactorsWithAndWithoutFreedom) {
  const ProductManifold product{
      SubsetManifold(3, {1}), SphereManifold<3>{}, SubsetManifold(2, {0, 1}),
      EigenQuaternionManifold{}, EuclideanManifold<1>{}};
  EXPECT_EQ(product.AmbientSize(), 3 + 3 + 2 + 4 + 1);
  EXPECT_EQ(product.TangentSize(), 2 + 2 + 0 + 3 + 1);
  Vector x = Vector::Random(13);
  x.segment(8, 4).normalize();
  Vector y = x;
  y[0] += 1;
  y.segment(3, 3) = Vector::Random(3).normalized() * x.segment(3, 3).norm();
  y.segment(8, 4) = Vector::Random(4).normalized();
  const Vector delta = 0.3 * Vector::Random(8);
  // PlusMinusIsIdentityAt would take y with the sign of its quaternion, which
  // it only knows to be free in a quaternion manifold.
  if (x.segment(8, 4).dot(y.segment(8, 4)) < 0) y.segment(8, 4) *= -1;
  EXPECT_THAT_MANIFOLD_INVARIANTS_HOLD(product, x, delta, y, 1e-9);
}

TEST(ProductManifold, OfProducts) {
  using Inner = ProductManifold<SphereManifold<2>, EuclideanManifold<1>>;
  const ProductManifold<Inner, Inner> product;
  EXPECT_EQ(product.AmbientSize(), 6);
  EXPECT_EQ(product.TangentSize(), 4);
  const Vector x = Vector::Random(6);
  const Vector delta = 0.5 * Vector::Random(4);
  EXPECT_THAT_MANIFOLD_INVARIANTS_HOLD(product, x, delta, x, 1e-9);
}

TEST(ProductManifold, StopsAtTheFirstFactorThatFails) {
  const internal::FakeManifold first(1, 1, true), second(1, 1, false),
      third(1, 1, true);
  const ProductManifold product{&first, &second, &third};
  double x[3] = {}, delta[3] = {}, jacobian[9];
  EXPECT_FALSE(product.Plus(x, delta, x));
  EXPECT_FALSE(product.PlusJacobian(x, jacobian));
  EXPECT_FALSE(product.Minus(x, x, delta));
  EXPECT_FALSE(product.MinusJacobian(x, jacobian));
  EXPECT_EQ(first.num_calls(), 4);
  EXPECT_EQ(second.num_calls(), 4);
  EXPECT_EQ(third.num_calls(), 0);
}

class Counted : public internal::FakeManifold, internal::CountsInstances {
 public:
  explicit Counted(int* num_living)
      : FakeManifold(1, 1, true), CountsInstances(num_living) {}
};

TEST(ProductManifold, OwnsWhatOwningPointersBringAndNothingElse) {
  int num_living = 0;
  {
    Counted raw(&num_living);
    const auto shared = std::make_shared<Counted>(&num_living);
    {
      const ProductManifold product{&raw, shared,
                                    std::make_unique<Counted>(&num_living)};
      EXPECT_EQ(num_living, 3);
    }
    EXPECT_EQ(num_living, 2);
  }
  EXPECT_EQ(num_living, 0);
}

}  // namespace
}  // namespace ceres
