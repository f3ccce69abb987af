// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/lanes/tape.h"

#include <cmath>
#include <limits>
#include <vector>

#include "ceres/jet.h"
#include "gtest/gtest.h"

namespace ceres::internal::lanes {
namespace {

// Compares value and gradient of f(x, y) with those of Jets.
template <typename F>
void ExpectDerivativesOfJets(const F& f, double x, double y) {
  Tape tape;
  const Traced p[2] = {tape.AddParameter(x), tape.AddParameter(y)};
  const Traced value = f(p[0], p[1]);
  const std::vector<int> gradient =
      tape.Gradient(tape.NodeOf(value), tape.parameters());
  const Jet<double, 2> expected = f(Jet<double, 2>(x, 0), Jet<double, 2>(y, 1));
  EXPECT_NEAR(value.value(), expected.a, 1e-14 * std::abs(expected.a));
  for (int i = 0; i < 2; ++i) {
    const double derivative =
        gradient[i] == Tape::kZero ? 0.0 : tape.Number(gradient[i]).value();
    EXPECT_NEAR(derivative, expected.v[i],
                1e-13 * std::max(1.0, std::abs(expected.v[i])))
        << i << " at " << x << " " << y;
  }
}

#define EXPECT_JETS(expression)                                           \
  for (const double x : {0.3, 0.7, -0.4}) {                               \
    for (const double y : {0.2, -0.6}) {                                  \
      SCOPED_TRACE(#expression);                                          \
      ExpectDerivativesOfJets(                                            \
          [](const auto& p, const auto& q) { return expression; }, x, y); \
    }                                                                     \
  }

TEST(Tape, DifferentiatesLikeJets) {
  EXPECT_JETS(p + q * p - 2.0 / q);
  EXPECT_JETS((p - q) / (p * q + 3.0));
  EXPECT_JETS(-p * abs(q) + q);
  EXPECT_JETS(sqrt(p * p + q * q));
  EXPECT_JETS(exp(p * q) * log(q * q + 1.0));
  EXPECT_JETS(sin(p) * cos(q) + tan(p * q));
  EXPECT_JETS(asin(p * q) + acos(q) * atan(p));
  EXPECT_JETS(sinh(p) * cosh(q) - tanh(p + q));
  EXPECT_JETS(atan2(p, q) + atan2(q, 2.0 + p));
  EXPECT_JETS(erf(p * q) - erfc(q));
  EXPECT_JETS(expm1(p) * log1p(q));
  EXPECT_JETS(pow(p * p, q) + pow(2.0 + p, 3.7));
  EXPECT_JETS(hypot(p, q));
  EXPECT_JETS(floor(p) + ceil(q) * p);
}

TEST(Tape, PowersOfIntegersAreProducts) {
  for (const int n : {-8, -3, -1, 0, 1, 2, 5, 8}) {
    ExpectDerivativesOfJets(
        [n](const auto& p, const auto& q) { return pow(p, n) * q; }, -0.7, 1.0);
    EXPECT_EQ(pow(Traced(-2.0), n).value(), std::pow(-2.0, n));
  }
}

// The branch that is not taken divides by zero.
TEST(Tape, SelectIgnoresTheDerivativesOfTheOtherBranch) {
  Tape tape;
  const Traced x = tape.AddParameter(0.0);
  const Traced y = tape.AddParameter(2.0);
  const Traced positive = x > 0.0 ? x : x;
  const Traced root = Select(positive > 0.0, sqrt(x) * y, x * 3.0 + y);
  const std::vector<int> gradient =
      tape.Gradient(tape.NodeOf(root), tape.parameters());
  EXPECT_EQ(tape.Number(gradient[0]).value(), 3.0);
  EXPECT_EQ(tape.Number(gradient[1]).value(), 1.0);
}

TEST(Tape, SelectNests) {
  for (const double at : {-2.0, -0.5, 0.5, 2.0}) {
    Tape tape;
    const Traced x = tape.AddParameter(at);
    const Traced inner = Select(x < -1.0, x * x, 5.0 * x);
    const Traced outer =
        Select(x < 0.0, inner * 2.0, Select(x < 1.0, inner, x));
    const std::vector<int> gradient =
        tape.Gradient(tape.NodeOf(outer), tape.parameters());
    const double expected = at < -1.0  ? 4.0 * at
                            : at < 0.0 ? 10.0
                            : at < 1.0 ? 5.0
                                       : 1.0;
    EXPECT_EQ(tape.Number(gradient[0]).value(), expected) << at;
  }
}

TEST(Tape, ConditionsCombine) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const double a : {0.0, 1.0, nan}) {
    for (const double b : {0.0, 1.0, nan}) {
      Tape tape;
      const Traced x = tape.AddParameter(a), y = tape.AddParameter(b);
      EXPECT_EQ(bool(x < y), a < b);
      EXPECT_EQ(bool(x <= y), a <= b);
      EXPECT_EQ(bool(x > y), a > b);
      EXPECT_EQ(bool(x >= y), a >= b);
      EXPECT_EQ(bool(x == y), a == b);
      EXPECT_EQ(bool(x != y), a != b);
      EXPECT_EQ(bool((x < y) | (x == y)), a < b || a == b);
      EXPECT_EQ(bool((!(x < y)) & (x == x)), !(a < b) && a == a);
      const double smaller = fmin(x, y).value();
      const double expected = std::fmin(a, b);
      EXPECT_TRUE(smaller == expected ||
                  (std::isnan(smaller) && std::isnan(expected)));
      const double greater = fmax(x, y).value();
      EXPECT_TRUE(greater == std::fmax(a, b) ||
                  (std::isnan(greater) && std::isnan(std::fmax(a, b))));
    }
  }
}

TEST(Tape, ConstantsNeedNoRecord) {
  Traced x = 2.0;
  x += 3;
  x *= x;
  x /= 5.0;
  x -= 1.0f;
  EXPECT_EQ(x.value(), 4.0);
  EXPECT_EQ(x.tape(), nullptr);
  EXPECT_TRUE(x > 3.0);
}

// A common subexpression is computed once, and code without a reader not at
// all.
TEST(Tape, CompilesWhatIsNeeded) {
  Tape tape;
  const Traced p = tape.AddParameter(2.0);
  const Traced x = tape.AddData(0, 3.0);
  const Traced unused = sin(x * p);
  const Traced first = exp(-x / p);
  const Traced second = exp(-x / p);
  const int row = tape.NodeOf(first * second);
  (void)unused;
  const Program program = tape.Compile({row}, Tape::kZero);
  // 1 / p and its negative; x (-1 / p), exp, square.
  EXPECT_EQ(program.uniform_code.size(), 2u);
  EXPECT_EQ(program.sample_code.size(), 3u);
  EXPECT_EQ(program.num_registers, 1);
}

}  // namespace
}  // namespace ceres::internal::lanes
