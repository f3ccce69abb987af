// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/sized_cost_function.h"

#include <utility>
#include <vector>

#include "ceres/cost_function.h"
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

}  // namespace
}  // namespace ceres
