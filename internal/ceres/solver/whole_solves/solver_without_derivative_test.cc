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

std::string NameOf(
    const TestParamInfo<WithoutDerivativeTest::ParamType>& info) {
  return std::string(TrustRegionStrategyTypeToString(std::get<0>(info.param))) +
         "_" + LinearSolverTypeToString(std::get<1>(info.param));
}

INSTANTIATE_TEST_SUITE_P(
    Solvers, WithoutDerivativeTest,
    testing::Values(std::tuple(LEVENBERG_MARQUARDT, DENSE_QR),
                    std::tuple(LEVENBERG_MARQUARDT, CGNR),
                    std::tuple(LEVENBERG_MARQUARDT, SPARSE_NORMAL_CHOLESKY),
                    std::tuple(DOGLEG, DENSE_QR),
                    std::tuple(DOGLEG, DENSE_SCHUR)),
    NameOf);

}  // namespace
}  // namespace ceres::internal
