// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/local_parameterization.h"

#include <cmath>
#include <vector>

#include "ceres/autodiff_local_parameterization.h"
#include "ceres/internal/eigen.h"
#include "ceres/modelling/functor_counter.h"
#include "ceres/problem.h"
#include "ceres/rotation.h"
#include "gtest/gtest.h"

namespace ceres {
namespace {

Vector Plus(const LocalParameterization& parameterization, const Vector& x,
            const Vector& delta) {
  Vector result(parameterization.GlobalSize());
  EXPECT_TRUE(parameterization.Plus(x.data(), delta.data(), result.data()));
  return result;
}

// Plus(x, 0) = x, the Jacobian is the derivative of Plus, and
// MultiplyByJacobian multiplies with it.
void ExpectIsConsistent(const LocalParameterization& parameterization,
                        const Vector& x) {
  const int global_size = parameterization.GlobalSize();
  const int local_size = parameterization.LocalSize();
  ASSERT_EQ(global_size, x.size());
  EXPECT_EQ(Plus(parameterization, x, Vector::Zero(local_size)), x);

  constexpr double h = 1e-6;
  Matrix expected(global_size, local_size), jacobian(global_size, local_size);
  for (int i = 0; i < local_size; ++i) {
    const Vector delta = h * Vector::Unit(local_size, i);
    expected.col(i) =
        (Plus(parameterization, x, delta) - Plus(parameterization, x, -delta)) /
        (2 * h);
  }
  ASSERT_TRUE(parameterization.ComputeJacobian(x.data(), jacobian.data()));
  EXPECT_LE((jacobian - expected).norm(), 1e-9);

  const Matrix global = Matrix::Random(5, global_size);
  Matrix local(5, local_size);
  ASSERT_TRUE(parameterization.MultiplyByJacobian(x.data(), 5, global.data(),
                                                  local.data()));
  EXPECT_LE((local - global * jacobian).norm(), 1e-14);
}

TEST(LocalParameterization, AllOfThemAreConsistent) {
  Vector x = Vector::Random(4).normalized();
  ExpectIsConsistent(IdentityParameterization(4), x);
  ExpectIsConsistent(SubsetParameterization(4, {0, 2}), x);
  ExpectIsConsistent(QuaternionParameterization(), x);
  ExpectIsConsistent(EigenQuaternionParameterization(), x);
  ExpectIsConsistent(HomogeneousVectorParameterization(4), 2.0 * x);
  ExpectIsConsistent(LineParameterization<2>(), x);
  ExpectIsConsistent(LineParameterization<3>(), Vector::Random(6));
  Vector product_x = Vector::Random(4 + 3 + 4);
  product_x.head(4) = x;
  ExpectIsConsistent(
      ProductParameterization(new QuaternionParameterization,
                              new IdentityParameterization(3),
                              new SubsetParameterization(4, {1})),
      product_x);
  ExpectIsConsistent(ProductParameterization(new QuaternionParameterization),
                     x);
}

TEST(LocalParameterization, SizesAreThoseOfTheManifolds) {
  EXPECT_EQ(SubsetParameterization(4, {0, 2}).LocalSize(), 2);
  EXPECT_EQ(QuaternionParameterization().GlobalSize(), 4);
  EXPECT_EQ(QuaternionParameterization().LocalSize(), 3);
  EXPECT_EQ(LineParameterization<3>().GlobalSize(), 6);
  EXPECT_EQ(LineParameterization<3>().LocalSize(), 4);
  const ProductParameterization product(new QuaternionParameterization,
                                        new IdentityParameterization(3));
  EXPECT_EQ(product.GlobalSize(), 7);
  EXPECT_EQ(product.LocalSize(), 6);
}

TEST(LocalParameterization, HomogeneousVectorsMoveByHalfTheirDelta) {
  const HomogeneousVectorParameterization parameterization(3);
  const Vector x = Vector::Random(3);
  const Vector y =
      Plus(parameterization, x, 1.4 * Vector::Random(2).normalized());
  EXPECT_NEAR(y.norm(), x.norm(), 1e-14);
  EXPECT_NEAR(x.dot(y) / x.squaredNorm(), std::cos(0.7), 1e-14);
}

struct QuaternionPlus : internal::CountsInstances {
  QuaternionPlus() = default;
  explicit QuaternionPlus(int* num_living) : CountsInstances(num_living) {}

  template <typename T>
  bool operator()(const T* x, const T* delta, T* x_plus_delta) const {
    const T angle_axis[3] = {T(2.0) * delta[0], T(2.0) * delta[1],
                             T(2.0) * delta[2]};
    T q[4];
    AngleAxisToQuaternion(angle_axis, q);
    QuaternionProduct(q, x, x_plus_delta);
    return true;
  }
};

TEST(AutoDiffLocalParameterization, AgreesWithTheHandWrittenQuaternion) {
  int num_living = 0;
  {
    const AutoDiffLocalParameterization<QuaternionPlus, 4, 3> automatic(
        new QuaternionPlus(&num_living));
    EXPECT_EQ(num_living, 1);
    const Vector x = Vector::Random(4).normalized();
    ExpectIsConsistent(automatic, x);
    Matrix actual(4, 3), expected(4, 3);
    ASSERT_TRUE(automatic.ComputeJacobian(x.data(), actual.data()));
    ASSERT_TRUE(QuaternionParameterization().ComputeJacobian(x.data(),
                                                             expected.data()));
    EXPECT_LE((actual - expected).norm(), 1e-14);
  }
  EXPECT_EQ(num_living, 0);
  ExpectIsConsistent(AutoDiffLocalParameterization<QuaternionPlus, 4, 3>(),
                     Vector::Random(4).normalized());
}

class Counted : public IdentityParameterization, internal::CountsInstances {
 public:
  Counted(int size, int* num_living)
      : IdentityParameterization(size), CountsInstances(num_living) {}
};

class ProblemWithParameterizations : public testing::Test {
 protected:
  double x_[4] = {1, 0, 0, 0};
  double y_[4] = {0, 1, 0, 0};
  int num_living_ = 0;
};

TEST_F(ProblemWithParameterizations, SetAndGet) {
  Problem problem;
  auto* quaternion = new QuaternionParameterization;
  problem.AddParameterBlock(x_, 4, quaternion);
  problem.AddParameterBlock(y_, 4);
  EXPECT_EQ(problem.GetParameterization(x_), quaternion);
  EXPECT_TRUE(problem.HasParameterization(x_));
  EXPECT_EQ(problem.ParameterBlockLocalSize(x_), 3);
  EXPECT_EQ(problem.ParameterBlockTangentSize(x_), 3);
  EXPECT_TRUE(problem.HasManifold(x_));
  EXPECT_EQ(problem.GetParameterization(y_), nullptr);
  EXPECT_FALSE(problem.HasParameterization(y_));

  problem.SetParameterization(y_, quaternion);
  EXPECT_EQ(problem.GetParameterization(y_), quaternion);
  problem.SetParameterization(x_, nullptr);
  EXPECT_FALSE(problem.HasParameterization(x_));
  EXPECT_EQ(problem.ParameterBlockLocalSize(x_), 4);

  // A manifold takes its place, and the other way round.
  problem.SetManifold(y_, new QuaternionManifold);
  EXPECT_FALSE(problem.HasParameterization(y_));
  problem.SetParameterization(y_, new SubsetParameterization(4, {0}));
  EXPECT_TRUE(problem.HasParameterization(y_));
  LocalParameterization* none = nullptr;
  problem.AddParameterBlock(y_, 4, none);
  EXPECT_FALSE(problem.HasManifold(y_));
}

TEST_F(ProblemWithParameterizations, NullIsStillAManifold) {
  Problem problem;
  problem.AddParameterBlock(x_, 4, nullptr);
  EXPECT_FALSE(problem.HasManifold(x_));
  problem.AddParameterBlock(y_, 4, new QuaternionManifold);
  EXPECT_TRUE(problem.HasManifold(y_));
}

TEST_F(ProblemWithParameterizations, OwnsThemOnRequest) {
  {
    Problem problem;
    auto* shared = new Counted(4, &num_living_);
    problem.AddParameterBlock(x_, 4, shared);
    problem.AddParameterBlock(y_, 4, shared);
    problem.SetParameterization(x_, new Counted(4, &num_living_));
    problem.SetParameterization(x_, nullptr);
    EXPECT_EQ(num_living_, 2);
  }
  EXPECT_EQ(num_living_, 0);
  Counted kept(4, &num_living_);
  {
    Problem::Options options;
    options.local_parameterization_ownership = DO_NOT_TAKE_OWNERSHIP;
    Problem problem(options);
    problem.AddParameterBlock(x_, 4, &kept);
  }
  EXPECT_EQ(num_living_, 1);
  {
    // By position, as programs for Ceres 2.0 do.
    Problem problem(Problem::Options{TAKE_OWNERSHIP, TAKE_OWNERSHIP,
                                     DO_NOT_TAKE_OWNERSHIP, true});
    problem.AddParameterBlock(x_, 4, &kept);
  }
  EXPECT_EQ(num_living_, 1);
}

TEST_F(ProblemWithParameterizations, ThereIsNoMinus) {
  Problem problem;
  problem.AddParameterBlock(x_, 4, new QuaternionParameterization);
  const Manifold* manifold = problem.GetManifold(x_);
  double delta[3], jacobian[12];
  EXPECT_FALSE(manifold->Minus(x_, x_, delta));
  EXPECT_FALSE(manifold->MinusJacobian(x_, jacobian));
}

TEST(LocalParameterizationDeathTest, MistakesAreCaught) {
  double x[3] = {1, 2, 3};
  Problem problem;
  problem.AddParameterBlock(x, 3);
  EXPECT_DEATH(problem.SetParameterization(x, new QuaternionParameterization),
               "size");
  EXPECT_DEATH(
      ProductParameterization(new QuaternionParameterization,
                              static_cast<LocalParameterization*>(nullptr)),
      "factor 1 is null");
  EXPECT_DEATH(HomogeneousVectorParameterization(1), "at least 2");
  EXPECT_DEATH(SubsetParameterization(2, {2}), "is not in");
}

}  // namespace
}  // namespace ceres
