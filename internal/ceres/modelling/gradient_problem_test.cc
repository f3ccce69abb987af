// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/gradient_problem.h"

#include <memory>

#include "ceres/manifold.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

// f = w'x over n coordinates, or a failure.
class LinearFunction final : public FirstOrderFunction {
 public:
  explicit LinearFunction(int size, bool works = true,
                          bool* destroyed = nullptr)
      : size_(size), works_(works), destroyed_(destroyed) {}
  ~LinearFunction() override {
    if (destroyed_ != nullptr) *destroyed_ = true;
  }
  bool Evaluate(const double* x, double* cost,
                double* gradient) const override {
    *cost = 0.0;
    for (int i = 0; i < size_; ++i) {
      *cost += (i + 1) * x[i];
      if (gradient != nullptr) gradient[i] = i + 1;
    }
    return works_;
  }
  int NumParameters() const override { return size_; }

 private:
  const int size_;
  const bool works_;
  bool* const destroyed_;
};

// The gradient along a tangent direction is the derivative of f along Plus.
TEST(GradientProblem, GradientIsTangent) {
  GradientProblem problem(std::make_unique<LinearFunction>(4),
                          std::make_unique<QuaternionManifold>());
  EXPECT_EQ(problem.NumTangentParameters(), 3);
  const double x[] = {0.5, -0.5, 0.5, 0.5};
  double cost = 0.0;
  double gradient[3];
  ASSERT_TRUE(problem.Evaluate(x, &cost, gradient));
  for (int k = 0; k < 3; ++k) {
    constexpr double kStep = 1e-6;
    double delta[3] = {0.0, 0.0, 0.0};
    double moved[4];
    double costs[2];
    for (const int side : {0, 1}) {
      delta[k] = side == 0 ? -kStep : kStep;
      ASSERT_TRUE(problem.Plus(x, delta, moved));
      ASSERT_TRUE(problem.Evaluate(moved, &costs[side], nullptr));
    }
    EXPECT_NEAR(gradient[k], (costs[1] - costs[0]) / (2.0 * kStep), 1e-8);
  }
}

TEST(GradientProblem, FailureOfTheFunctionIsReported) {
  const GradientProblem problem(new LinearFunction(2, /*works=*/false));
  const double x[] = {1.0, 1.0};
  double cost = 0.0;
  double gradient[2];
  EXPECT_FALSE(problem.Evaluate(x, &cost, nullptr));
  EXPECT_FALSE(problem.Evaluate(x, &cost, gradient));
}

TEST(GradientProblem, OwnsTheFunction) {
  bool destroyed = false;
  auto* function = new LinearFunction(1, true, &destroyed);
  {
    GradientProblem problem(function);
    EXPECT_EQ(problem.function(), function);
    EXPECT_EQ(problem.mutable_function(), function);
    EXPECT_EQ(problem.mutable_manifold(), problem.manifold());
    EXPECT_FALSE(destroyed);
  }
  EXPECT_TRUE(destroyed);
}

TEST(GradientProblemDeathTest, RefusesWhatDoesNotFit) {
  FirstOrderFunction* no_function = nullptr;
  Manifold* no_manifold = nullptr;
  EXPECT_DEATH(GradientProblem{no_function}, "needs a function");
  EXPECT_DEATH(GradientProblem(new LinearFunction(2), no_manifold),
               "null manifold");
  EXPECT_DEATH(GradientProblem(new LinearFunction(3), new QuaternionManifold),
               "ambient size");
}

}  // namespace
}  // namespace ceres::internal
