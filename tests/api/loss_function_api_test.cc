// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include <cmath>
#include <type_traits>

#include "ceres/loss_function.h"
#include "gtest/gtest.h"

namespace ceres {
namespace {

constexpr double kLarge = 9.0;  // A squared norm beyond every scale below.

double Rho(const LossFunction& loss, double squared_norm) {
  double rho[3];
  loss.Evaluate(squared_norm, rho);
  return rho[0];
}

TEST(LossFunctionH, EachHasItsFormula) {
  static_assert(std::is_abstract_v<LossFunction>);
  EXPECT_EQ(Rho(TrivialLoss(), kLarge), kLarge);
  EXPECT_DOUBLE_EQ(Rho(HuberLoss(2.0), kLarge), 2.0 * 2.0 * 3.0 - 4.0);
  EXPECT_DOUBLE_EQ(Rho(SoftLOneLoss(1.0), kLarge),
                   2.0 * (std::sqrt(10.0) - 1.0));
  EXPECT_DOUBLE_EQ(Rho(CauchyLoss(2.0), kLarge),
                   4.0 * std::log1p(kLarge / 4.0));
  EXPECT_DOUBLE_EQ(Rho(ArctanLoss(2.0), kLarge), 2.0 * std::atan(kLarge / 2.0));
  EXPECT_DOUBLE_EQ(
      Rho(TolerantLoss(1.0, 2.0), kLarge),
      2.0 * std::log1p(std::exp(4.0)) - 2.0 * std::log1p(std::exp(-0.5)));
  EXPECT_DOUBLE_EQ(Rho(TukeyLoss(2.0), kLarge), 4.0 / 3.0);
}

TEST(LossFunctionH, LossesCombine) {
  const ComposedLoss composed(new HuberLoss(2.0), TAKE_OWNERSHIP,
                              new TrivialLoss, TAKE_OWNERSHIP);
  EXPECT_DOUBLE_EQ(Rho(composed, kLarge), 8.0);
  EXPECT_DOUBLE_EQ(Rho(ScaledLoss(nullptr, 3.0, TAKE_OWNERSHIP), kLarge), 27.0);

  const HuberLoss huber(2.0);
  LossFunctionWrapper wrapper(nullptr, TAKE_OWNERSHIP);
  double rho[3];
  wrapper.Evaluate(kLarge, rho);
  EXPECT_EQ(rho[0], kLarge);
  wrapper.Reset(new HuberLoss(2.0), TAKE_OWNERSHIP);
  EXPECT_DOUBLE_EQ(Rho(wrapper, kLarge), Rho(huber, kLarge));
  static_assert(!std::is_copy_constructible_v<LossFunctionWrapper>);
  static_assert(!std::is_copy_constructible_v<ScaledLoss>);
}

}  // namespace
}  // namespace ceres
