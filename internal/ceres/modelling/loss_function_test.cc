// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/loss_function.h"

#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "ceres/modelling/functor_counter.h"
#include "gtest/gtest.h"

namespace ceres {
namespace {

// Compares rho' and rho'' with central differences of rho and rho'.
void ExpectDerivativesMatchDifferences(const LossFunction& loss) {
  for (const double s : {0.357, 1.792, 1.0, 40.0, 1234.5}) {
    const double h = 1e-5 * std::max(1.0, s);
    double rho[3], forward[3], backward[3];
    loss.Evaluate(s, rho);
    loss.Evaluate(s + h, forward);
    loss.Evaluate(s - h, backward);
    EXPECT_NEAR(rho[1], (forward[0] - backward[0]) / (2 * h), 1e-8) << s;
    EXPECT_NEAR(rho[2], (forward[1] - backward[1]) / (2 * h), 1e-8) << s;
  }
}

void ExpectRho(const LossFunction& loss, double s, double rho0, double rho1,
               double rho2) {
  double rho[3];
  loss.Evaluate(s, rho);
  EXPECT_DOUBLE_EQ(rho[0], rho0) << s;
  EXPECT_DOUBLE_EQ(rho[1], rho1) << s;
  EXPECT_DOUBLE_EQ(rho[2], rho2) << s;
}

class CountedLoss : public LossFunction, internal::CountsInstances {
 public:
  explicit CountedLoss(int* num_living) : CountsInstances(num_living) {}
  void Evaluate(double, double*) const override {}
};

TEST(LossFunction, DerivativesMatchDifferences) {
  ExpectDerivativesMatchDifferences(TrivialLoss());
  for (const double a : {0.7, 1.3}) {
    ExpectDerivativesMatchDifferences(HuberLoss(a));
    ExpectDerivativesMatchDifferences(SoftLOneLoss(a));
    ExpectDerivativesMatchDifferences(CauchyLoss(a));
    ExpectDerivativesMatchDifferences(ArctanLoss(a));
    ExpectDerivativesMatchDifferences(TukeyLoss(a));
  }
  ExpectDerivativesMatchDifferences(TukeyLoss(100.0));
  ExpectDerivativesMatchDifferences(TolerantLoss(0.7, 0.4));
  ExpectDerivativesMatchDifferences(TolerantLoss(0.0, 1.1));
  ExpectDerivativesMatchDifferences(TolerantLoss(20.0, 0.3));
}

TEST(LossFunction, MatchesClosedForms) {
  ExpectRho(TrivialLoss(), 7.5, 7.5, 1, 0);
  // sqrt(16) = 4 = 2 a.
  ExpectRho(HuberLoss(2), 4, 4, 1, 0);
  ExpectRho(HuberLoss(2), 16, 12, 0.5, -0.5 / 32);
  // 1 + s / a^2 = 4.
  ExpectRho(SoftLOneLoss(2), 12, 8, 0.5, -0.5 / 32);
  ExpectRho(CauchyLoss(2), 12, 4 * std::log(4.0), 0.25, -1.0 / 64);
  ExpectRho(ArctanLoss(2), 2, 2 * std::atan(1.0), 0.5, -0.25);
  // exp((s - a) / b) = 3.
  const double b = 1 / std::log(3.0);
  ExpectRho(TolerantLoss(2, b), 3, b * (std::log(4.0) - std::log(1 + 1.0 / 9)),
            0.75, 0.1875 / b);
  // s = a^2 / 2.
  ExpectRho(TukeyLoss(2), 2, 4.0 / 3 * 7 / 8, 0.25, -0.25);
  ExpectRho(TukeyLoss(2), 4, 4.0 / 3, 0, 0);
  ExpectRho(TukeyLoss(2), 5, 4.0 / 3, 0, 0);
}

TEST(LossFunction, CauchyLossHasAllDigitsAtEveryScale) {
  const CauchyLoss loss(1.0);
  for (int exponent = -70; exponent <= 70; ++exponent) {
    for (const double mantissa : {1.0, 1.1, 1.37, 1.999}) {
      const double s = std::ldexp(mantissa, exponent);
      double rho[3];
      loss.Evaluate(s, rho);
      EXPECT_NEAR(rho[0] / std::log1p(s), 1.0, 1e-15) << s;
    }
  }
}

TEST(LossFunction, IsTheIdentityToFirstOrderAtZero) {
  const HuberLoss huber(0.5);
  const SoftLOneLoss soft_l_one(0.5);
  const CauchyLoss cauchy(0.5);
  const ArctanLoss arctan(0.5);
  const TukeyLoss tukey(0.5);
  for (const LossFunction* loss : std::vector<const LossFunction*>(
           {&huber, &soft_l_one, &cauchy, &arctan, &tukey})) {
    double rho[3];
    loss->Evaluate(0, rho);
    EXPECT_EQ(rho[0], 0);
    EXPECT_EQ(rho[1], 1);
    // Relative precision, where the defining formulas cancel.
    loss->Evaluate(1e-20, rho);
    EXPECT_DOUBLE_EQ(rho[0], 1e-20);
  }
  double rho[3];
  TolerantLoss(0.3, 0.2).Evaluate(0, rho);
  EXPECT_NEAR(rho[0], 0, 1e-17);
}

TEST(LossFunction, FirstDerivativeStaysPositiveForHugeOutliers) {
  constexpr double kMax = std::numeric_limits<double>::max();
  constexpr double kMin = std::numeric_limits<double>::min();
  const auto slope = [](const LossFunction& loss, double s) {
    double rho[3];
    loss.Evaluate(s, rho);
    return rho[1];
  };
  EXPECT_EQ(slope(HuberLoss(1e-200), kMax), kMin);
  EXPECT_GE(slope(SoftLOneLoss(1e-3), kMax), kMin);
  EXPECT_EQ(slope(CauchyLoss(1e-3), kMax), kMin);
  EXPECT_EQ(slope(ArctanLoss(1e-3), 1e200), kMin);
  EXPECT_EQ(slope(TolerantLoss(800, 1), 0), kMin);
}

TEST(LossFunction, TolerantLossIsLinearWhereItsExponentialOverflows) {
  const TolerantLoss loss(1, 0.01);
  ExpectRho(loss, 101, 100, 1, 0);
  // Continuous across the switch at (s - a) / b = log(2^53).
  const double s = 1 + 0.01 * 36.7368005696771;
  double before[3];
  double after[3];
  loss.Evaluate(s * (1 - 1e-12), before);
  loss.Evaluate(s * (1 + 1e-12), after);
  EXPECT_NEAR(before[0], after[0], 1e-11);
  EXPECT_NEAR(before[1], after[1], 1e-15);
  EXPECT_NEAR(before[2], after[2], 1e-13);
}

TEST(LossFunction, TolerantLossHasItsCurvatureWhereverItIsRepresentable) {
  const double a = 1.0;
  const double b = 0.5;
  const TolerantLoss loss(a, b);
  for (const double x : {-300.0, -20.0, 0.0, 20.0, 40.0, 300.0}) {
    double rho[3];
    loss.Evaluate(a + b * x, rho);
    const double cosh = std::cosh(0.5 * x);
    EXPECT_NEAR(rho[2] * (4.0 * b * cosh * cosh), 1.0, 1e-13) << x;
  }
}

TEST(LossFunctionDeathTest, TolerantLossChecksItsParameters) {
  EXPECT_DEATH(TolerantLoss(-1, 1), "a >= 0");
  EXPECT_DEATH(TolerantLoss(1, 0), "b > 0");
}

TEST(LossFunction, ComposedLossFollowsTheChainRule) {
  const HuberLoss f(0.7);
  const CauchyLoss g(1.3);
  const ComposedLoss composed(&f, DO_NOT_TAKE_OWNERSHIP, &g,
                              DO_NOT_TAKE_OWNERSHIP);
  ExpectDerivativesMatchDifferences(composed);
  double rho_g[3];
  double rho_f[3];
  double rho[3];
  g.Evaluate(2.5, rho_g);
  f.Evaluate(rho_g[0], rho_f);
  composed.Evaluate(2.5, rho);
  EXPECT_EQ(rho[0], rho_f[0]);
}

TEST(LossFunction, ScaledLossScalesAllOutputs) {
  ExpectDerivativesMatchDifferences(
      ScaledLoss(new TukeyLoss(1.3), 10, TAKE_OWNERSHIP));
  double rho[3];
  HuberLoss(2).Evaluate(16, rho);
  ExpectRho(ScaledLoss(new HuberLoss(2), 6, TAKE_OWNERSHIP), 16, 6 * rho[0],
            6 * rho[1], 6 * rho[2]);
  ExpectRho(ScaledLoss(nullptr, 6, TAKE_OWNERSHIP), 3, 18, 6, 0);
}

TEST(LossFunction, WrapperDelegatesAndCanBeReset) {
  LossFunctionWrapper wrapper(new HuberLoss(2), TAKE_OWNERSHIP);
  ExpectRho(wrapper, 16, 12, 0.5, -0.5 / 32);
  const auto cauchy = std::make_unique<CauchyLoss>(2);
  wrapper.Reset(cauchy.get(), DO_NOT_TAKE_OWNERSHIP);
  ExpectRho(wrapper, 12, 4 * std::log(4.0), 0.25, -1.0 / 64);
  wrapper.Reset(nullptr, TAKE_OWNERSHIP);
  ExpectRho(wrapper, 12, 12, 1, 0);
}

TEST(LossFunction, OwnershipDecidesWhatIsDeleted) {
  int num_living = 0;
  CountedLoss outlives(&num_living);
  const auto make = [&] { return new CountedLoss(&num_living); };
  {
    const ScaledLoss scaled(&outlives, 2, DO_NOT_TAKE_OWNERSHIP);
    const ComposedLoss composed(&outlives, DO_NOT_TAKE_OWNERSHIP, &outlives,
                                DO_NOT_TAKE_OWNERSHIP);
    const LossFunctionWrapper wrapper(&outlives, DO_NOT_TAKE_OWNERSHIP);
    const ScaledLoss owner(make(), 2, TAKE_OWNERSHIP);
    const ComposedLoss owns_both(make(), TAKE_OWNERSHIP, make(),
                                 TAKE_OWNERSHIP);
    const ComposedLoss owns_f(make(), TAKE_OWNERSHIP, &outlives,
                              DO_NOT_TAKE_OWNERSHIP);
    auto* const both = make();
    const ComposedLoss owns_it_twice(both, TAKE_OWNERSHIP, both,
                                     TAKE_OWNERSHIP);
    EXPECT_EQ(num_living, 6);
  }
  EXPECT_EQ(num_living, 1);
}

TEST(LossFunction, WrapperResetDeletesTheFormerLossIfOwned) {
  int num_living = 0;
  CountedLoss outlives(&num_living);
  {
    LossFunctionWrapper wrapper(new CountedLoss(&num_living), TAKE_OWNERSHIP);
    wrapper.Reset(&outlives, DO_NOT_TAKE_OWNERSHIP);
    EXPECT_EQ(num_living, 1);
    auto* again = new CountedLoss(&num_living);
    wrapper.Reset(again, TAKE_OWNERSHIP);
    wrapper.Reset(again, TAKE_OWNERSHIP);
    EXPECT_EQ(num_living, 2);
  }
  EXPECT_EQ(num_living, 1);
}

TEST(LossFunctionDeathTest, ComposedLossNeedsBothLosses) {
  EXPECT_DEATH(
      ComposedLoss(nullptr, TAKE_OWNERSHIP, new TrivialLoss, TAKE_OWNERSHIP),
      "f must not be null");
  EXPECT_DEATH(
      ComposedLoss(new TrivialLoss, TAKE_OWNERSHIP, nullptr, TAKE_OWNERSHIP),
      "g must not be null");
}

}  // namespace
}  // namespace ceres
