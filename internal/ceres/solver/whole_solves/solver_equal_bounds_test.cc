// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// Coordinates whose lower bound equals their upper bound are constant. Bounds
// that no value meets are errors.

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "ceres/evaluation/evaluation_test_utils.h"
#include "ceres/manifold.h"
#include "ceres/solver.h"
#include "ceres/solver/whole_solves/solver_test_utils.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Residuals 2 x0 + x1 + y - 7 and x0 - x1 + 2 y, and x1 - 1.
class EqualBoundsTest : public testing::TestWithParam<Solver::Options> {
 protected:
  EqualBoundsTest() {
    problem_.AddResidualBlock(
        NewCost<3, 2, 1>([](const auto* x, const auto* y, auto* r) {
          r[0] = 2.0 * x[0] + x[1] + y[0] - 7.0;
          r[1] = x[0] - x[1] + 2.0 * y[0];
          r[2] = x[1] - 1.0;
        }),
        nullptr, x_, &y_);
  }

  void Pin(double* block, int i, double value) {
    problem_.SetParameterLowerBound(block, i, value);
    problem_.SetParameterUpperBound(block, i, value);
  }

  Solver::Summary Solve() { return SolveWith(GetParam(), &problem_); }

  double x_[2] = {5.0, -3.0};
  double y_ = 2.0;
  Problem problem_;
};

// With x0 = 1: x1 + y = 5, -x1 + 2 y = -1, x1 = 1 in the least-squares sense;
// the normal equations are 3 x1 - y = 7, -x1 + 5 y = 3.
TEST_P(EqualBoundsTest, ACoordinateIsConstant) {
  Pin(x_, 0, 1.0);
  const Solver::Summary summary = Solve();
  EXPECT_EQ(summary.termination_type, CONVERGENCE) << summary.FullReport();
  EXPECT_EQ(x_[0], 1.0);
  EXPECT_NEAR(x_[1], 38.0 / 14.0, 1e-6);
  EXPECT_NEAR(y_, 16.0 / 14.0, 1e-6);
}

// With y = 1: 2 x0 + x1 = 6, x0 - x1 = -2, x1 = 1; 5 x0 + x1 = 10, x0 + 3 x1 =
// 9.
TEST_P(EqualBoundsTest, ABlockIsConstant) {
  for (int solve = 0; solve < 2; ++solve) {
    Pin(&y_, 0, 1.0);
    const Solver::Summary summary = Solve();
    EXPECT_EQ(summary.termination_type, CONVERGENCE) << summary.FullReport();
    EXPECT_EQ(y_, 1.0);
    EXPECT_NEAR(x_[0], 21.0 / 14.0, 1e-6);
    EXPECT_NEAR(x_[1], 35.0 / 14.0, 1e-6);
    y_ = 4.0;  // outside of its bounds again
  }
}

TEST_P(EqualBoundsTest, AllCoordinatesOfAllBlocksAreConstant) {
  Pin(x_, 0, 2.0);
  Pin(x_, 1, 1.0);
  Pin(&y_, 0, 1.0);
  const Solver::Summary summary = Solve();
  EXPECT_EQ(summary.termination_type, CONVERGENCE) << summary.FullReport();
  EXPECT_EQ(x_[0], 2.0);
  EXPECT_EQ(x_[1], 1.0);
  EXPECT_EQ(y_, 1.0);
  EXPECT_DOUBLE_EQ(summary.final_cost, 0.5 * (1.0 + 9.0));
}

// The derivative by z is infinite there. Nobody asks for that of a constant
// block.
TEST_P(EqualBoundsTest, ABlockWithoutDerivativeIsConstant) {
  double z = 3.0;
  problem_.AddResidualBlock(
      new FunctionCost(1, {1, 1},
                       [](double const* const* p, double* r, double** j) {
                         r[0] = std::sqrt(p[0][0]) + p[1][0];
                         if (j == nullptr) return true;
                         if (j[0] != nullptr) {
                           j[0][0] = 0.5 / std::sqrt(p[0][0]);
                         }
                         if (j[1] != nullptr) j[1][0] = 1.0;
                         return true;
                       }),
      nullptr, &z, &y_);
  Pin(&z, 0, 0.0);
  const Solver::Summary summary = Solve();
  EXPECT_EQ(summary.termination_type, CONVERGENCE) << summary.FullReport();
  EXPECT_EQ(z, 0.0);
}

// Nobody asks for that of a constant coordinate either. Two residuals of four
// coordinates, the first of which has no derivative at 0:
//
//   sqrt(z0) + z1 + z3 - 1,  z2 + z1 + cbrt(z0)
class CoordinateWithoutDerivativeTest : public EqualBoundsTest {
 protected:
  static CostFunction* NewCost() {
    return new FunctionCost(
        2, {4}, [](double const* const* p, double* r, double** j) {
          const double* const z = p[0];
          const double root = std::sqrt(z[0]);
          const double cube_root = std::cbrt(z[0]);
          r[0] = root + z[1] + z[3] - 1.0;
          r[1] = z[2] + z[1] + cube_root;
          if (j == nullptr || j[0] == nullptr) return true;
          const double rows[] = {
              0.5 / root, 1.0, 0.0, 1.0, 1.0 / (3.0 * cube_root * cube_root),
              1.0,        1.0, 0.0};
          std::copy_n(rows, 8, j[0]);
          return true;
        });
  }

  void ExpectMinimum() {
    const Solver::Summary summary = Solve();
    EXPECT_TRUE(summary.IsSolutionUsable()) << summary.FullReport();
    EXPECT_EQ(z_[0], 0.0);
    EXPECT_NEAR(z_[1] + z_[3], 1.0, 1e-6);
    EXPECT_NEAR(z_[1] + z_[2], 0.0, 1e-6);
  }

  double z_[4] = {0.0, 2.0, 3.0, 4.0};
};

TEST_P(CoordinateWithoutDerivativeTest, EqualBounds) {
  problem_.AddResidualBlock(NewCost(), nullptr, z_);
  Pin(z_, 0, 0.0);
  ExpectMinimum();
}

TEST_P(CoordinateWithoutDerivativeTest, EqualBoundsOfTwoCoordinatesOfManyRows) {
  for (int i = 0; i < 20; ++i) {
    problem_.AddResidualBlock(NewCost(), nullptr, z_);
  }
  Pin(z_, 0, 0.0);
  Pin(z_, 2, 3.0);
  ExpectMinimum();
  EXPECT_EQ(z_[2], 3.0);
}

TEST_P(CoordinateWithoutDerivativeTest, OtherCoordinatesNeedADerivative) {
  problem_.AddResidualBlock(NewCost(), nullptr, z_);
  Pin(z_, 1, 2.0);
  EXPECT_EQ(Solve().termination_type, FAILURE);
}

TEST_P(EqualBoundsTest, FailuresRestoreTheParameters) {
  Pin(x_, 0, 1.0);
  Pin(&y_, 0, 1.0);
  problem_.AddResidualBlock(
      NewCost<1, 1>([](const auto* y, auto* r) { r[0] = log(y[0] - 1.0); }),
      nullptr, &y_);
  EXPECT_EQ(Solve().termination_type, FAILURE);
  EXPECT_EQ(x_[0], 5.0);
  EXPECT_EQ(y_, 2.0);
}

TEST_P(EqualBoundsTest, BoundsThatNoValueMeetsAreNamed) {
  struct Case {
    double lower, upper;
    const char* what;
  };
  for (const Case& c : {Case{2.0, 1.0, "infeasible"}, Case{kNaN, 1.0, "number"},
                        Case{0.0, kNaN, "number"}, Case{kNaN, kNaN, "number"},
                        Case{kInfinity, kInfinity, "infeasible"},
                        Case{-kInfinity, -kInfinity, "infeasible"}}) {
    problem_.SetParameterLowerBound(x_, 1, c.lower);
    problem_.SetParameterUpperBound(x_, 1, c.upper);
    const Solver::Summary summary = Solve();
    EXPECT_EQ(summary.termination_type, FAILURE);
    EXPECT_THAT(summary.message,
                AllOf(HasSubstr("ParameterBlock 0"), HasSubstr("coordinate 1"),
                      HasSubstr(c.what)));
    EXPECT_EQ(x_[1], -3.0);
  }
}

TEST_P(EqualBoundsTest, ABoundThatIsNaNIsAnErrorOfAConstantBlockToo) {
  problem_.SetParameterBlockConstant(&y_);
  problem_.SetParameterUpperBound(&y_, 0, kNaN);
  EXPECT_THAT(Solve().message, HasSubstr("ParameterBlock 1"));
}

std::vector<Solver::Options> AllOptions() {
  std::vector<Solver::Options> all;
  for (const LinearSolverType type :
       {DENSE_QR, DENSE_NORMAL_CHOLESKY, SPARSE_NORMAL_CHOLESKY, DENSE_SCHUR,
        SPARSE_SCHUR, ITERATIVE_SCHUR, CGNR}) {
    Solver::Options options = TightDenseQrOptions();
    options.linear_solver_type = type;
    options.keep_preprocessing = true;
    all.push_back(options);
  }
  for (const LineSearchDirectionType type : {LBFGS, STEEPEST_DESCENT}) {
    Solver::Options options = TightDenseQrOptions();
    options.gradient_tolerance = 1e-8;
    options.minimizer_type = LINE_SEARCH;
    options.line_search_direction_type = type;
    all.push_back(options);
  }
  all.push_back(TightDenseQrOptions());
  all.back().trust_region_strategy_type = DOGLEG;
  all.push_back(TightDenseQrOptions());
  all.back().use_inner_iterations = true;
  return all;
}

INSTANTIATE_TEST_SUITE_P(Solvers, EqualBoundsTest,
                         testing::ValuesIn(AllOptions()));
INSTANTIATE_TEST_SUITE_P(Solvers, CoordinateWithoutDerivativeTest,
                         testing::ValuesIn(AllOptions()));

// A manifold keeps its coordinates: the bounds are kept by projection.
TEST(SolveWithEqualBounds, AManifoldAndEqualBoundsMayMeet) {
  double x[3] = {5.0, 5.0, 5.0};
  Problem problem;
  problem.AddResidualBlock(NewCost<2, 3>([](const auto* x, auto* r) {
                             r[0] = x[0] + x[1] - 3.0;
                             r[1] = x[0] - x[1] + x[2];
                           }),
                           nullptr, x);
  problem.SetManifold(x, new SubsetManifold(3, {2}));
  problem.SetParameterLowerBound(x, 0, 1.0);
  problem.SetParameterUpperBound(x, 0, 1.0);
  const Solver::Summary summary = SolveWith(TightDenseQrOptions(), &problem);
  EXPECT_TRUE(summary.IsSolutionUsable()) << summary.FullReport();
  EXPECT_EQ(x[0], 1.0);
  EXPECT_NEAR(x[1], 4.0, 1e-6);  // x1 = 2 and x1 = 6
  EXPECT_EQ(x[2], 5.0);
}

TEST(EvaluateWithEqualBounds, AllColumnsStay) {
  double x[2] = {1.0, 2.0};
  Problem problem;
  problem.AddResidualBlock(
      NewCost<1, 2>([](const auto* x, auto* r) { r[0] = x[0] + 3.0 * x[1]; }),
      nullptr, x);
  problem.SetParameterLowerBound(x, 0, 1.0);
  problem.SetParameterUpperBound(x, 0, 1.0);
  std::vector<double> gradient;
  ASSERT_TRUE(problem.Evaluate(Problem::EvaluateOptions(), nullptr, nullptr,
                               &gradient, nullptr));
  EXPECT_EQ(gradient, (std::vector<double>{7.0, 21.0}));
}

}  // namespace
}  // namespace ceres::internal
