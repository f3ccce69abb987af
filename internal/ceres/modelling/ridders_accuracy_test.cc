// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// The accuracy of RIDDERS with default options, against closed forms.

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "ceres/gradient_checker.h"
#include "ceres/numeric_diff_cost_function.h"
#include "ceres/sized_cost_function.h"
#include "gtest/gtest.h"

namespace ceres {
namespace {

using Scalar = std::function<double(double)>;

struct CountedFunction {
  bool operator()(const double* x, double* y) const {
    ++num_calls;
    furthest = std::max(furthest, std::abs(x[0] - center));
    y[0] = function(x[0]);
    return !(std::abs(x[0] - center) > domain_radius);
  }
  Scalar function;
  double center = 0.0;
  double domain_radius = std::numeric_limits<double>::infinity();
  mutable int num_calls = 0;
  mutable double furthest = 0.0;
};

double Derivative(CountedFunction* functor, double x) {
  const NumericDiffCostFunction<CountedFunction, RIDDERS, 1, 1> cost(
      functor, DO_NOT_TAKE_OWNERSHIP);
  const double* parameters = &x;
  double y;
  double derivative = std::numeric_limits<double>::quiet_NaN();
  double* jacobian = &derivative;
  EXPECT_TRUE(cost.Evaluate(&parameters, &y, &jacobian));
  return derivative;
}

double RelativeError(const Scalar& f, const Scalar& df, double x) {
  const double exact = df(x);
  CountedFunction functor{f};
  return std::abs(Derivative(&functor, x) - exact) / std::abs(exact);
}

constexpr double kBound = 1e-10;
// From 1e-8 to 1e8.
std::vector<double> Sizes() {
  std::vector<double> sizes;
  for (int e = -8; e <= 8; ++e) sizes.push_back(std::pow(10.0, e));
  return sizes;
}

double Wave(double t) { return std::exp(t) * std::sin(3.0 * t); }
double WaveDerivative(double t) {
  return std::exp(t) * (std::sin(3.0 * t) + 3.0 * std::cos(3.0 * t));
}

TEST(RiddersAccuracy, PowersAtPointsOfEverySize) {
  for (int degree = 1; degree <= 9; ++degree) {
    for (const double size : Sizes()) {
      for (const double t : {-3.7, -1.0, 0.3, 1.7}) {
        const auto f = [&](double x) { return std::pow(x, degree); };
        const auto df = [&](double x) {
          return degree * std::pow(x, degree - 1);
        };
        EXPECT_LT(RelativeError(f, df, size * t), kBound)
            << "degree " << degree << " at " << size * t;
      }
    }
  }
}

TEST(RiddersAccuracy, PolynomialsWithTermsOfEveryDegree) {
  const auto f = [](double x) {
    return ((((0.3 * x - 1.1) * x + 0.7) * x + 2.0) * x - 5.0) * x + 1.0;
  };
  const auto df = [](double x) {
    return (((1.5 * x - 4.4) * x + 2.1) * x + 4.0) * x - 5.0;
  };
  for (const double size : Sizes()) {
    for (const double t : {-3.7, -1.0, 0.3, 1.7}) {
      EXPECT_LT(RelativeError(f, df, size * t), kBound) << size * t;
    }
  }
  EXPECT_LT(RelativeError(f, df, 0.0), kBound);
}

// The derivative vanishes near 0.64 and 1.69 (modulo pi / 3): points keep away
// from there.
TEST(RiddersAccuracy, OscillationsWithValuesAndArgumentsOfEverySize) {
  for (const double size : Sizes()) {
    for (const double t :
         {-5.0, -2.3, -1.0, 0.0, 0.1, 0.4, 1.0, 2.2, 5.0, 9.0}) {
      EXPECT_LT(
          RelativeError([&](double x) { return size * Wave(x); },
                        [&](double x) { return size * WaveDerivative(x); }, t),
          kBound)
          << size << " at " << t;
      EXPECT_LT(RelativeError(
                    [&](double x) { return Wave(x / size); },
                    [&](double x) { return WaveDerivative(x / size) / size; },
                    size * t),
                kBound)
          << size << " at " << t;
    }
  }
}

TEST(RiddersAccuracy, FarFromTheOriginTheWaveLengthCountsNotThePoint) {
  for (const double x : {1e3, 1e5, 1e8}) {
    EXPECT_LT(RelativeError([](double t) { return std::sin(t); },
                            [](double t) { return std::cos(t); }, x),
              kBound)
        << x;
  }
}

TEST(RiddersAccuracy, APointThatIsZeroUpToRoundingHasNoScale) {
  for (const double w : {1.0, 50.0, 1000.0}) {
    EXPECT_LT(
        RelativeError([&](double x) { return 1.0 + std::sin(w * x); },
                      [&](double x) { return w * std::cos(w * x); }, 1e-17),
        kBound)
        << w;
  }
}

// Near -49.4514 the first two differences agree although both are wrong.
TEST(RiddersAccuracy, TwoDifferencesThatAgreeByChanceAreNotBelieved) {
  EXPECT_LT(RelativeError(Wave, WaveDerivative, -49.4514), kBound);
}

TEST(RiddersAccuracy, NeverTakesMoreDifferencesThanAllowed) {
  for (const double size : Sizes()) {
    for (const double t : {0.0, 0.4, 9.0}) {
      CountedFunction wave{[&](double x) { return Wave(x / size); }};
      Derivative(&wave, size * t);
      EXPECT_LE(wave.num_calls,
                1 + 2 * NumericDiffOptions().max_num_ridders_extrapolations);
    }
  }
}

// A value that dwarfs the change: only a longer step shows the slope.
TEST(RiddersAccuracy, StepsGrowWhereRoundingHidesTheSlope) {
  CountedFunction line{[](double x) { return 1e6 + 3.0 * x; }};
  EXPECT_NEAR(Derivative(&line, 1.0), 3.0, 3e-12);
}

TEST(RiddersAccuracy, AFailureBeyondTheFirstStepOnlyEndsTheGrowth) {
  CountedFunction line{[](double x) { return 1e6 + 3.0 * x; }};
  line.center = 1.0;
  line.domain_radius = 0.5;
  EXPECT_NEAR(Derivative(&line, 1.0), 3.0, 1e-6);
}

TEST(RiddersAccuracy, StepsDoNotGrowBeyondWhereCurvatureShows) {
  CountedFunction log{[](double x) { return 1e4 + std::log(x); }};
  log.center = 1.0;
  EXPECT_NEAR(Derivative(&log, 1.0), 1.0, 1e-8);
  EXPECT_LT(log.furthest, 0.5);
}

// Residuals A x + b with coefficients of one size and coordinates of many.
class Linear : public CostFunction {
 public:
  static constexpr int kSize = 8;
  Linear(double offset, double largest) : offset_(offset), largest_(largest) {
    set_num_residuals(3);
    *mutable_parameter_block_sizes() = {kSize};
  }

  double coefficient(int r, int j) const {
    return std::sin(1.0 + 3.0 * r + 1.7 * j);
  }

  bool Evaluate(double const* const* p, double* r, double** j) const override {
    for (int row = 0; row < num_residuals(); ++row) {
      r[row] = offset_;
      for (int k = 0; k < kSize; ++k) {
        r[row] += coefficient(row, k) * p[0][k];
        if (j != nullptr && j[0] != nullptr) {
          j[0][row * kSize + k] = coefficient(row, k);
        }
      }
    }
    return true;
  }

  std::vector<double> Point() const {
    std::vector<double> x(kSize);
    for (int k = 0; k < kSize; ++k) {
      x[k] = std::pow(largest_, k / (kSize - 1.0)) * std::cos(2.0 * k);
    }
    return x;
  }

 private:
  double offset_;
  double largest_;
};

TEST(RiddersAccuracy, ACorrectLinearFunctionPassesTheCheckerAt1em12) {
  for (const double offset : {0.0, 1.0, 1e3, 1e6}) {
    for (const double largest : {1e-6, 1e-3, 1.0, 1e3, 1e6}) {
      const Linear linear(offset, largest);
      const GradientChecker checker(&linear, nullptr, NumericDiffOptions());
      const std::vector<double> x = linear.Point();
      const double* parameters = x.data();
      GradientChecker::ProbeResults results;
      EXPECT_TRUE(checker.Probe(&parameters, 1e-12, &results))
          << "offset " << offset << ", largest coordinate " << largest << ": "
          << results.error_log;
    }
  }
}

}  // namespace
}  // namespace ceres
