// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/minimizer/wolfe_search.h"

#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

struct Function {
  std::function<double(double)> value;
  std::function<double(double)> slope;
};

WolfeResult Search(const WolfeOptions& options, const Function& f) {
  return SearchWolfe(options, {0.0, f.value(0.0), f.slope(0.0)},
                     [&](LineSample* sample) {
                       sample->value = f.value(sample->step_size);
                       sample->slope = f.slope(sample->step_size);
                       return std::isfinite(sample->value);
                     });
}

void ExpectWolfe(const WolfeOptions& options, const Function& f,
                 const WolfeResult& result) {
  ASSERT_TRUE(result.success);
  EXPECT_TRUE(result.satisfies_curvature);
  const double a = result.step_size;
  EXPECT_GT(a, 0.0);
  EXPECT_LE(f.value(a),
            f.value(0.0) + options.sufficient_decrease * a * f.slope(0.0));
  EXPECT_LE(std::abs(f.slope(a)),
            options.sufficient_curvature_decrease * std::abs(f.slope(0.0)));
}

// More and Thuente, Line Search Algorithms with Guaranteed Sufficient Decrease,
// 1994, section 5: test functions 1 and 2, the latter with a larger b, because
// with theirs the slope at 0 is as small as rounding makes it at the minimum.
Function MoreThuente1() {
  constexpr double b = 2.0;
  return {[](double a) { return -a / (a * a + b); },
          [](double a) { return (a * a - b) / ((a * a + b) * (a * a + b)); }};
}
Function MoreThuente2() {
  constexpr double b = 0.1;
  return {
      [](double a) { return std::pow(a + b, 5) - 2.0 * std::pow(a + b, 4); },
      [](double a) {
        return 5.0 * std::pow(a + b, 4) - 8.0 * std::pow(a + b, 3);
      }};
}

TEST(WolfeSearch, FindsStrongWolfePointsFromAnyFirstStep) {
  for (const auto interpolation : {BISECTION, QUADRATIC, CUBIC}) {
    for (const double c2 : {0.1, 0.9}) {
      for (const double first : {1e-3, 0.1, 10.0, 1000.0}) {
        WolfeOptions options;
        options.interpolation = interpolation;
        options.sufficient_decrease = 1e-3;
        options.sufficient_curvature_decrease = c2;
        options.initial_step_size = first;
        options.max_num_iterations = 60;
        for (const Function& f : {MoreThuente1(), MoreThuente2()}) {
          ExpectWolfe(options, f, Search(options, f));
        }
      }
    }
  }
}

TEST(WolfeSearch, TakesTheFirstStepWhereItIsGood) {
  const Function f = {[](double a) { return (a - 1.0) * (a - 1.0); },
                      [](double a) { return 2.0 * (a - 1.0); }};
  const WolfeResult result = Search({}, f);
  EXPECT_TRUE(result.success);
  EXPECT_EQ(result.step_size, 1.0);
  EXPECT_EQ(result.num_evaluations, 1);
  EXPECT_EQ(result.num_iterations, 0);
}

TEST(WolfeSearch, NeedsADescentDirection) {
  const auto never = [](LineSample*) {
    ADD_FAILURE() << "nothing is to be evaluated";
    return false;
  };
  for (const double slope :
       {0.0, 1.0, std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_FALSE(SearchWolfe({}, {0.0, 1.0, slope}, never).success);
  }
}

TEST(WolfeSearch, StepsThatCannotBeEvaluatedAreTooLong) {
  // A wall at 0.3; the minimum is at 0.2.
  const Function f = {
      [](double a) { return a < 0.3 ? (a - 0.2) * (a - 0.2) : INFINITY; },
      [](double a) { return 2.0 * (a - 0.2); }};
  WolfeOptions options;
  options.sufficient_curvature_decrease = 0.2;
  ExpectWolfe(options, f, Search(options, f));
}

TEST(WolfeSearch, ExpandsAtMostByTheFactor) {
  std::vector<double> tried;
  WolfeOptions options;
  options.max_expansion = 3.0;
  options.initial_step_size = 0.01;
  options.max_num_iterations = 5;
  // Falls for ever.
  const WolfeResult result =
      SearchWolfe(options, {0.0, 0.0, -1.0}, [&](LineSample* sample) {
        tried.push_back(sample->step_size);
        sample->value = -sample->step_size;
        sample->slope = -1.0;
        return true;
      });
  ASSERT_EQ(tried.size(), 5u);
  for (size_t i = 1; i < tried.size(); ++i) {
    EXPECT_NEAR(tried[i], 3.0 * tried[i - 1], 1e-12);
  }
  EXPECT_TRUE(result.success) << "the longest step decreases enough";
  EXPECT_FALSE(result.satisfies_curvature);
  EXPECT_EQ(result.step_size, tried.back());
}

TEST(WolfeSearch, GivesUpWhereNothingDecreases) {
  WolfeOptions options;
  options.min_step_size = 1e-4;
  // The slope lies.
  const WolfeResult result =
      SearchWolfe(options, {0.0, 0.0, -1.0}, [&](LineSample* sample) {
        sample->value = sample->step_size;
        sample->slope = 1.0;
        return true;
      });
  EXPECT_FALSE(result.success);
  EXPECT_LE(result.num_evaluations, options.max_num_iterations);
}

}  // namespace
}  // namespace ceres::internal
