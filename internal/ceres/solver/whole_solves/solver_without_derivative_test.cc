// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// Functions that have values where they have no derivative: at the end of their
// domain, which is a bound, or elsewhere. Against closed forms.

#include <cmath>
#include <limits>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "ceres/evaluation/evaluation_test_utils.h"
#include "ceres/numeric_diff_cost_function.h"
#include "ceres/solver.h"
#include "ceres/solver/whole_solves/solver_test_utils.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

using testing::HasSubstr;
using testing::TestParamInfo;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

class WithoutDerivativeTest
    : public testing::TestWithParam<
          std::tuple<TrustRegionStrategyType, LinearSolverType>> {
 protected:
  WithoutDerivativeTest() {
    options_.trust_region_strategy_type = std::get<0>(GetParam());
    options_.linear_solver_type = std::get<1>(GetParam());
    options_.max_num_iterations = 200;
    options_.function_tolerance = 1e-12;
    options_.gradient_tolerance = 0.0;
  }

  // Solves one block from `start`, all coordinates between the same bounds.
  Solver::Summary Run(CostFunction* cost, std::vector<double> start,
                      double lower, double upper) {
    x_ = std::move(start);
    Problem problem;
    problem.AddResidualBlock(cost, nullptr, x_.data());
    for (int i = 0; i < static_cast<int>(x_.size()); ++i) {
      problem.SetParameterLowerBound(x_.data(), i, lower);
      problem.SetParameterUpperBound(x_.data(), i, upper);
    }
    const Solver::Summary summary = SolveWith(options_, &problem);
    EXPECT_EQ(summary.termination_type, CONVERGENCE) << summary.FullReport();
    return summary;
  }

  Solver::Options options_;
  std::vector<double> x_;
};

TEST_P(WithoutDerivativeTest, MinimumAtABound) {
  for (const double unit : {1e-6, 1.0, 1e4}) {
    const Solver::Summary summary =
        Run(NewCost<1, 1>([=](const auto* x, auto* r) {
              r[0] = sqrt(x[0] / unit) + 0.5;
            }),
            {unit}, 0.0, kInfinity);
    EXPECT_EQ(x_[0], 0.0) << unit;
    EXPECT_DOUBLE_EQ(summary.final_cost, 0.125);
  }
}

TEST_P(WithoutDerivativeTest, MinimumAtAnUpperBoundFarFromTheOrigin) {
  const Solver::Summary summary = Run(NewCost<1, 1>([](const auto* x, auto* r) {
                                        r[0] = acos(x[0] - 1e5) + 1.0;
                                      }),
                                      {1e5 - 0.25}, 1e5 - 1.0, 1e5 + 1.0);
  EXPECT_EQ(x_[0], 1e5 + 1.0);
  EXPECT_DOUBLE_EQ(summary.final_cost, 0.5);
}

TEST_P(WithoutDerivativeTest, OneCoordinateAtABoundAndOneWithin) {
  // Residuals sqrt(x) + 1 and sqrt(y) - 2.
  Run(NewCost<2, 2>([](const auto* x, auto* r) {
        r[0] = sqrt(x[0]) + 1.0;
        r[1] = sqrt(x[1]) - 2.0;
      }),
      {1.0, 1.0}, 0.0, kInfinity);
  EXPECT_EQ(x_[0], 0.0);
  EXPECT_NEAR(x_[1], 4.0, 1e-4);
}

// Coordinates reach their bounds after different numbers of steps, and the
// others go on. The starts differ by many orders of magnitude.
class SeveralBoundsTest : public WithoutDerivativeTest {
 protected:
  template <int kResiduals, typename Write>
  void ExpectMinimum(double cost, double upper, Write write) {
    const std::vector<double> starts[] = {{1.0, 1.0, 1.0},   {1e-3, 1.0, 10.0},
                                          {1e-8, 1e-2, 5.0}, {4.0, 0.01, 1e-6},
                                          {0.0, 1.0, 1.0},   {0.0, 0.0, 1e-9}};
    for (const std::vector<double>& start : starts) {
      const Solver::Summary summary =
          Run(NewCost<kResiduals, 3>(write), start, 0.0, upper);
      EXPECT_LE(summary.final_cost, cost * (1.0 + 1e-7))
          << testing::PrintToString(start) << testing::PrintToString(x_);
    }
  }
};

TEST_P(SeveralBoundsTest, OneResidualIsASumOfRoots) {
  for (const double constant : {0.1, 1.0, 3.0}) {
    ExpectMinimum<1>(0.5 * constant * constant, kInfinity,
                     [=](const auto* x, auto* r) {
                       r[0] = sqrt(x[0]) + sqrt(x[1]) + sqrt(x[2]) + constant;
                     });
  }
}

TEST_P(SeveralBoundsTest, PowersAndWeightsDiffer) {
  ExpectMinimum<1>(0.5, kInfinity, [](const auto* x, auto* r) {
    r[0] = 10.0 * pow(x[0], 0.3) + pow(x[1], 0.7) + 0.01 * sqrt(x[2]) + 1.0;
  });
}

TEST_P(SeveralBoundsTest, OneCoordinateEndsWithinTheBounds) {
  for (const double constant : {0.1, 1.0, 3.0}) {
    ExpectMinimum<2>(0.5 * constant * constant + 1e-12, kInfinity,
                     [=](const auto* x, auto* r) {
                       r[0] = sqrt(x[0]) + sqrt(x[1]) + constant;
                       r[1] = sqrt(x[2]) - 2.0;
                     });
  }
}

// 1 - x rounds to 1 long before x is at the bound.
TEST_P(SeveralBoundsTest, RoundingHidesTheDistanceFromTheBound) {
  ExpectMinimum<1>(0.005, 40.0, [](const auto* x, auto* r) {
    r[0] = acos(1.0 - x[0] / 20.0) + acos(1.0 - x[1] / 20.0) + sqrt(x[2]) + 0.1;
  });
}

TEST_P(SeveralBoundsTest, OneNormOfAllCoordinates) {
  ExpectMinimum<1>(0.5, kInfinity, [](const auto* x, auto* r) {
    r[0] = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]) + 1.0;
  });
}

TEST_P(SeveralBoundsTest, WithoutLineSearch) {
  options_.max_num_line_search_step_size_iterations = 0;
  ExpectMinimum<2>(0.5 + 1e-12, kInfinity, [](const auto* x, auto* r) {
    r[0] = sqrt(x[0]) + sqrt(x[1]) + 1.0;
    r[1] = sqrt(x[2]) - 2.0;
  });
}

TEST_P(WithoutDerivativeTest, StartAtABoundMovesInside) {
  Run(NewCost<1, 1>([](const auto* x, auto* r) { r[0] = sqrt(x[0]) - 0.5; }),
      {0.0}, 0.0, kInfinity);
  EXPECT_NEAR(x_[0], 0.25, 1e-6);
}

TEST_P(WithoutDerivativeTest, StartThatIsTheMinimumIsKept) {
  const Solver::Summary summary = Run(NewCost<1, 1>([](const auto* x, auto* r) {
                                        r[0] = pow(x[0], 0.3) + 1.0;
                                      }),
                                      {0.0}, 0.0, 1.0);
  EXPECT_EQ(x_[0], 0.0);
  EXPECT_DOUBLE_EQ(summary.final_cost, 0.5);
}

TEST_P(WithoutDerivativeTest, StartWithoutValueMovesInside) {
  Run(NewCost<1, 1>([](const auto* x, auto* r) { r[0] = log(x[0]) + 2.0; }),
      {0.0}, 0.0, kInfinity);
  EXPECT_NEAR(x_[0], std::exp(-2.0), 1e-6);
}

// Defined between its bounds only.
struct RootsWithin {
  bool operator()(const double* x, double* r) const {
    for (int i = 0; i < 2; ++i) {
      if (x[i] < 0.0 || x[i] > 9.0) return false;
    }
    r[0] = std::sqrt(x[0]) - 2.0;
    r[1] = std::sqrt(x[1]) - 5.0;
    return true;
  }
};

template <NumericDiffMethodType kMethod>
CostFunction* NewRootsWithin() {
  return new NumericDiffCostFunction<RootsWithin, kMethod, 2, 2>(
      new RootsWithin);
}

TEST_P(WithoutDerivativeTest, NumericDifferencesStayWithinTheDomain) {
  CostFunction* (*const factories[])() = {NewRootsWithin<FORWARD>,
                                          NewRootsWithin<CENTRAL>,
                                          NewRootsWithin<RIDDERS>};
  for (const auto factory : factories) {
    for (const double start : {0.0, 1e-9, 1e-3, 5.0, 9.0}) {
      Run(factory(), {start, start}, 0.0, 9.0);
      EXPECT_NEAR(x_[0], 4.0, 1e-3) << start;
      EXPECT_EQ(x_[1], 9.0) << start;
    }
  }
}

// No derivative where |x| < 0.5. The minimizer cannot go on from there, but the
// best point that it has seen is there.
TEST_P(WithoutDerivativeTest, BestPointWithoutDerivativeIsTheResult) {
  double x = 5.0;
  Problem problem;
  problem.AddResidualBlock(
      new FunctionCost(1, {1},
                       [](double const* const* p, double* r, double** j) {
                         r[0] = p[0][0];
                         if (j != nullptr && j[0] != nullptr) j[0][0] = 1.0;
                         return j == nullptr || std::abs(p[0][0]) >= 0.5;
                       }),
      nullptr, &x);
  const Solver::Summary summary = SolveWith(options_, &problem);
  EXPECT_TRUE(summary.IsSolutionUsable()) << summary.FullReport();
  EXPECT_THAT(summary.message, HasSubstr("Residual block 0"));
  EXPECT_GT(summary.num_successful_steps, 1);
  EXPECT_LT(std::abs(x), 0.5);
  EXPECT_DOUBLE_EQ(summary.final_cost, 0.5 * x * x);
}

constexpr std::tuple<TrustRegionStrategyType, LinearSolverType> kSolvers[] = {
    {LEVENBERG_MARQUARDT, DENSE_QR},
    {LEVENBERG_MARQUARDT, CGNR},
    {LEVENBERG_MARQUARDT, SPARSE_NORMAL_CHOLESKY},
    {DOGLEG, DENSE_QR},
    {DOGLEG, DENSE_SCHUR}};

std::string NameOf(
    const TestParamInfo<WithoutDerivativeTest::ParamType>& info) {
  return std::string(TrustRegionStrategyTypeToString(std::get<0>(info.param))) +
         "_" + LinearSolverTypeToString(std::get<1>(info.param));
}

INSTANTIATE_TEST_SUITE_P(Solvers, WithoutDerivativeTest,
                         testing::ValuesIn(kSolvers), NameOf);
INSTANTIATE_TEST_SUITE_P(Solvers, SeveralBoundsTest,
                         testing::ValuesIn(kSolvers), NameOf);

}  // namespace
}  // namespace ceres::internal
