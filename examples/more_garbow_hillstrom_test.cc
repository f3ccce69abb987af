// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// The test set of More, Garbow and Hillstrom: 19 problems from their published
// starts and ten and a hundred times those, and eleven with bounds.

#include "more_garbow_hillstrom.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <sstream>
#include <string>
#include <vector>

#include "ceres/autodiff_cost_function.h"
#include "ceres/problem.h"
#include "ceres/solver.h"
#include "ceres/solver/whole_solves/solver_combinations.h"
#include "gtest/gtest.h"

namespace ceres::examples {
namespace {

struct Case {
  const char* name;
  std::vector<double> start;
  std::vector<double> minima;
  std::vector<mgh::Bounds> bounds;
  CostFunction* (*new_cost_function)();
  CostFunction* (*new_bounded_cost_function)();
};

template <typename F>
CostFunction* NewCostFunction() {
  return new AutoDiffCostFunction<F, F::kNumResiduals, F::kNumParameters>(
      new F);
}

std::vector<Case> AllCases() {
  std::vector<Case> cases;
  mgh::ForEachProblem([&](auto function) {
    using F = decltype(function);
    using Bounded = typename mgh::WithBounds<F>::Function;
    cases.push_back({F::kName, F::start(), F::minima(), F::bounds(),
                     &NewCostFunction<F>, &NewCostFunction<Bounded>});
  });
  return cases;
}

Solver::Options TightOptions() {
  Solver::Options options;
  options.linear_solver_type = DENSE_QR;
  options.max_num_iterations = 10000;
  options.function_tolerance = 1e-18;
  options.gradient_tolerance = 1e-18;
  options.parameter_tolerance = 1e-18;
  options.logging_type = SILENT;
  return options;
}

// The sum of squares that a solve arrives at; the cost is half of it.
double SolveFrom(const Case& test_case, std::vector<double> x,
                 const mgh::Bounds* bounds, const Solver::Options& options) {
  Problem problem;
  problem.AddResidualBlock(bounds == nullptr
                               ? test_case.new_cost_function()
                               : test_case.new_bounded_cost_function(),
                           nullptr, x.data());
  if (bounds != nullptr) {
    for (size_t i = 0; i < x.size(); ++i) {
      problem.SetParameterLowerBound(x.data(), static_cast<int>(i),
                                     bounds->lower[i]);
      problem.SetParameterUpperBound(x.data(), static_cast<int>(i),
                                     bounds->upper[i]);
    }
  }
  Solver::Summary summary;
  Solve(options, &problem, &summary);
  return 2.0 * (summary.IsSolutionUsable() ? summary.final_cost
                                           : summary.initial_cost);
}

// To four digits; a minimum of zero to rounding.
bool Reaches(double sum, double minimum) {
  constexpr double kDigits = 1e-4;
  constexpr double kZero = 1e-14;
  return std::abs(sum - minimum) <= kDigits * minimum + kZero;
}

bool ReachesOneOf(double sum, const std::vector<double>& minima) {
  return std::any_of(minima.begin(), minima.end(),
                     [&](double minimum) { return Reaches(sum, minimum); });
}

// Expects that num_wanted of the 57 runs (three starts each) reach the minimum.
void ExpectUnconstrained(const Solver::Options& options, int num_wanted) {
  int num_solved = 0;
  std::ostringstream missed;
  for (const Case& test_case : AllCases()) {
    for (const double factor : {1.0, 10.0, 100.0}) {
      std::vector<double> start = test_case.start;
      for (double& value : start) value *= factor;
      const double sum = SolveFrom(test_case, start, nullptr, options);
      if (ReachesOneOf(sum, test_case.minima)) {
        ++num_solved;
      } else {
        missed << test_case.name << " x" << factor << ": " << sum << "\n";
      }
    }
  }
  EXPECT_GE(num_solved, num_wanted) << missed.str();
}

void ExpectConstrained(const Solver::Options& options, int num_wanted) {
  int num_solved = 0;
  std::ostringstream missed;
  for (const Case& test_case : AllCases()) {
    for (const mgh::Bounds& bounds : test_case.bounds) {
      const double sum =
          SolveFrom(test_case, test_case.start, &bounds, options);
      if (Reaches(sum, bounds.minimum)) {
        ++num_solved;
      } else {
        missed << test_case.name << " with bounds: " << sum << " instead of "
               << bounds.minimum << "\n";
      }
    }
  }
  EXPECT_GE(num_solved, num_wanted) << missed.str();
}

// How many runs must arrive is what is asked of this project (Ceres 2.2 arrives
// 41 times, and 5 times with bounds) or, where more did when this was written,
// about that.
TEST(MoreGarbowHillstrom, LevenbergMarquardt) {
  ExpectUnconstrained(TightOptions(), 45);
  ExpectConstrained(TightOptions(), 8);
}

// From Gulf's start, most methods step into a plateau at the bound of x_1.
TEST(MoreGarbowHillstrom, GulfWithBoundsHasItsMinimumAtTwoBounds) {
  for (const Case& test_case : AllCases()) {
    if (test_case.name != std::string(mgh::Gulf::kName)) continue;
    const mgh::Bounds& bounds = test_case.bounds.at(0);
    const double sum =
        SolveFrom(test_case, {9.0, 9.0, 1.0}, &bounds, TightOptions());
    EXPECT_NEAR(sum, bounds.minimum, 1e-8 * bounds.minimum);
  }
}

TEST(MoreGarbowHillstrom, Dogleg) {
  for (const auto type : {TRADITIONAL_DOGLEG, SUBSPACE_DOGLEG}) {
    Solver::Options options = TightOptions();
    options.trust_region_strategy_type = DOGLEG;
    options.dogleg_type = type;
    ExpectUnconstrained(options, 42);
    ExpectConstrained(options, 8);
  }
}

TEST(MoreGarbowHillstrom, NonmonotonicSteps) {
  for (const auto strategy : {LEVENBERG_MARQUARDT, DOGLEG}) {
    Solver::Options options = TightOptions();
    options.trust_region_strategy_type = strategy;
    options.use_nonmonotonic_steps = true;
    ExpectUnconstrained(options, 41);
    ExpectConstrained(options, 8);
  }
}

TEST(MoreGarbowHillstrom, QuasiNewtonLineSearch) {
  for (const auto type : {LBFGS, BFGS}) {
    Solver::Options options = TightOptions();
    options.minimizer_type = LINE_SEARCH;
    options.line_search_direction_type = type;
    ExpectUnconstrained(options, 42);
  }
}

// Cost functions are evaluated about 1500 times in 19 solves from the published
// starts. Debian's Ceres 2.1 needs 2500 for LBFGS and for BFGS.
TEST(MoreGarbowHillstrom, QuasiNewtonLineSearchEvaluationsAreFew) {
  for (const auto type : {LBFGS, BFGS}) {
    Solver::Options options = TightOptions();
    options.minimizer_type = LINE_SEARCH;
    options.line_search_direction_type = type;
    options.function_tolerance = 1e-12;
    options.gradient_tolerance = 1e-10;
    options.parameter_tolerance = 1e-16;
    int num_evaluations = 0;
    for (const Case& test_case : AllCases()) {
      std::vector<double> x = test_case.start;
      Problem problem;
      problem.AddResidualBlock(test_case.new_cost_function(), nullptr,
                               x.data());
      Solver::Summary summary;
      Solve(options, &problem, &summary);
      EXPECT_EQ(summary.termination_type, CONVERGENCE)
          << test_case.name << summary.FullReport();
      EXPECT_TRUE(ReachesOneOf(2.0 * summary.final_cost, test_case.minima))
          << test_case.name;
      num_evaluations +=
          summary.num_residual_evaluations + summary.num_jacobian_evaluations;
    }
    EXPECT_LT(num_evaluations, 1800) << LineSearchDirectionTypeToString(type);
    std::printf("%s: %d evaluations\n", LineSearchDirectionTypeToString(type),
                num_evaluations);
  }
}

// As in nist_test.cc.
TEST(MoreGarbowHillstrom, EveryCombinationSolvesAsManyAsItsKindDoes) {
  Solver::Options base = TightOptions();
  base.max_num_iterations = 500;
  for (const Solver::Options& options :
       internal::TrustRegionCombinations(base)) {
    SCOPED_TRACE(internal::Describe(options));
    ExpectUnconstrained(options, 37);
    ExpectConstrained(options, 8);
  }
  for (const Solver::Options& options :
       internal::LineSearchCombinations(base)) {
    SCOPED_TRACE(internal::Describe(options));
    const auto direction = options.line_search_direction_type;
    ExpectUnconstrained(options,
                        direction == LBFGS || direction == BFGS ? 42 : 4);
  }
}

}  // namespace
}  // namespace ceres::examples
