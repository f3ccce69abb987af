// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/sized_cost_function.h"

#include <utility>
#include <vector>

#include "ceres/cost_function.h"
#include "ceres/internal/variadic_evaluate.h"
#include "ceres/types.h"
#include "gtest/gtest.h"

namespace ceres {
namespace {

template <int kNumResiduals, int... Ns>
class Constant : public SizedCostFunction<kNumResiduals, Ns...> {
 public:
  using SizedCostFunction<kNumResiduals, Ns...>::set_num_residuals;
  bool Evaluate(double const* const* parameters, double* residuals,
                double** jacobians) const override {
    residuals[0] = parameters[0][0];
    return jacobians == nullptr;
  }
};

TEST(SizedCostFunction, TakesSizesFromTemplateArguments) {
  const Constant<3, 1, 5, 2> f;
  EXPECT_EQ(f.num_residuals(), 3);
  EXPECT_EQ(f.parameter_block_sizes(), std::vector<int32_t>({1, 5, 2}));
  using Dims = Constant<3, 1, 5, 2>::ParameterDims;
  static_assert(Dims::kNumParameters == 8 && Dims::kNumParameterBlocks == 3);
}

TEST(SizedCostFunction, DerivedClassSetsTheDynamicNumberOfResiduals) {
  Constant<DYNAMIC, 4> f;
  EXPECT_EQ(f.num_residuals(), DYNAMIC);
  f.set_num_residuals(7);
  EXPECT_EQ(f.num_residuals(), 7);
}

TEST(CostFunction, IsEmptyUntilItsClassSaysOtherwise) {
  struct Empty : CostFunction {
    bool Evaluate(double const* const*, double*, double**) const override {
      return true;
    }
  };
  const Empty f;
  EXPECT_EQ(f.num_residuals(), 0);
  EXPECT_TRUE(f.parameter_block_sizes().empty());
}

TEST(CostFunction, MovesLeaveNothingBehind) {
  Constant<3, 1, 5> f;
  Constant<3, 1, 5> g(std::move(f));
  EXPECT_EQ(g.num_residuals(), 3);
  EXPECT_EQ(g.parameter_block_sizes().size(), 2u);
  EXPECT_EQ(f.num_residuals(), 0);
  EXPECT_TRUE(f.parameter_block_sizes().empty());
  f = std::move(g);
  EXPECT_EQ(f.num_residuals(), 3);
  EXPECT_EQ(f.parameter_block_sizes(), std::vector<int32_t>({1, 5}));
  EXPECT_EQ(g.num_residuals(), 0);
  static_assert(!std::is_copy_constructible_v<CostFunction>);
  static_assert(!std::is_copy_assignable_v<CostFunction>);
}

TEST(SizedCostFunction, SharesItsSizesUntilAnObjectChangesItsOwn) {
  struct Changing : Constant<3, 1, 5> {
    using Constant<3, 1, 5>::mutable_parameter_block_sizes;
  };
  Changing f;
  Changing g;
  EXPECT_EQ(&f.parameter_block_sizes(), &g.parameter_block_sizes());
  std::vector<int32_t>* own = f.mutable_parameter_block_sizes();
  EXPECT_EQ(*own, std::vector<int32_t>({1, 5}));
  own->push_back(2);
  EXPECT_EQ(f.mutable_parameter_block_sizes(), own);
  EXPECT_EQ(f.parameter_block_sizes(), std::vector<int32_t>({1, 5, 2}));
  EXPECT_EQ(g.parameter_block_sizes(), std::vector<int32_t>({1, 5}));
  g = std::move(f);
  EXPECT_EQ(&g.parameter_block_sizes(), own);
  EXPECT_TRUE(f.parameter_block_sizes().empty());
  f.mutable_parameter_block_sizes()->push_back(4);
  EXPECT_TRUE(Changing(std::move(g)).parameter_block_sizes() ==
              std::vector<int32_t>({1, 5, 2}));
  EXPECT_EQ(f.parameter_block_sizes(), std::vector<int32_t>({4}));
}

TEST(VariadicEvaluate, SpreadsTheBlocks) {
  const auto functor = [](const double* x, const double* y, double* r) {
    r[0] = 10.0 * x[0] + y[0];
    return true;
  };
  const double x = 1.0, y = 2.0;
  const double* input[2] = {&x, &y};
  double r = 0.0;
  EXPECT_TRUE((internal::VariadicEvaluate<internal::StaticParameterDims<1, 1>>(
      functor, input, &r)));
  EXPECT_EQ(r, 12.0);
}

TEST(VariadicEvaluate, PassesThePointersWhenTheirNumberIsDynamic) {
  const auto functor = [](double const* const* x, double* r) {
    r[0] = x[0][0] - x[1][0];
    return false;
  };
  const double x = 1.0, y = 2.0;
  const double* input[2] = {&x, &y};
  double r = 0.0;
  EXPECT_FALSE(internal::VariadicEvaluate<internal::DynamicParameterDims>(
      functor, input, &r));
  EXPECT_EQ(r, -1.0);
}

TEST(VariadicEvaluate, EvaluatesCostFunctionsWithoutJacobians) {
  const Constant<1, 1> f;
  const double x = 3.0;
  const double* input[1] = {&x};
  double r = 0.0;
  EXPECT_TRUE((internal::VariadicEvaluate<internal::StaticParameterDims<1>>(
      f, input, &r)));
  EXPECT_EQ(r, 3.0);
}

TEST(FirstOrderFunctorAdapter, PassesTheOnlyBlock) {
  const auto functor = [](const double* x, double* cost) {
    *cost = 2.0 * x[0];
    return true;
  };
  const internal::FirstOrderFunctorAdapter<decltype(functor)> adapter(functor);
  const double x = 3.0;
  const double* input[1] = {&x};
  double cost = 0.0;
  EXPECT_TRUE(adapter(input, &cost));
  EXPECT_EQ(cost, 6.0);
}

}  // namespace
}  // namespace ceres
