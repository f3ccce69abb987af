// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/minimizer/line_search/wolfe_search.h"

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

LineSearchResult Search(const MinimizerOptions& options, const Function& f,
                        const StepSizes& sizes = {}) {
  return SearchWolfe(options, sizes, {0.0, f.value(0.0), f.slope(0.0)},
                     [&](LineSample* sample) {
                       sample->value = f.value(sample->step_size);
                       sample->slope = f.slope(sample->step_size);
                       return std::isfinite(sample->value);
                     });
}

void ExpectWolfe(const MinimizerOptions& options, const Function& f,
                 const LineSearchResult& result) {
  ASSERT_TRUE(result.success);
  EXPECT_TRUE(result.satisfies_curvature);
  const double a = result.step_size;
  EXPECT_GT(a, 0.0);
  EXPECT_LE(f.value(a),
            f.value(0.0) + options.line_search_sufficient_function_decrease *
                               a * f.slope(0.0));
  EXPECT_LE(std::abs(f.slope(a)),
            options.line_search_sufficient_curvature_decrease *
                std::abs(f.slope(0.0)));
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
        MinimizerOptions options;
        options.line_search_interpolation_type = interpolation;
        options.line_search_sufficient_function_decrease = 1e-3;
        options.line_search_sufficient_curvature_decrease = c2;
        options.max_num_line_search_step_size_iterations = 60;
        for (const Function& f : {MoreThuente1(), MoreThuente2()}) {
          ExpectWolfe(options, f, Search(options, f, {first, 1e-9}));
        }
      }
    }
  }
}

TEST(WolfeSearch, TakesTheFirstStepWhereItIsGood) {
  const Function f = {[](double a) { return (a - 1.0) * (a - 1.0); },
                      [](double a) { return 2.0 * (a - 1.0); }};
  const LineSearchResult result = Search({}, f);
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
    EXPECT_FALSE(SearchWolfe({}, {}, {0.0, 1.0, slope}, never).success);
  }
}

TEST(WolfeSearch, StepsThatCannotBeEvaluatedAreTooLong) {
  // A wall at 0.3; the minimum is at 0.2.
  const Function f = {
      [](double a) { return a < 0.3 ? (a - 0.2) * (a - 0.2) : INFINITY; },
      [](double a) { return 2.0 * (a - 0.2); }};
  MinimizerOptions options;
  options.line_search_sufficient_curvature_decrease = 0.2;
  ExpectWolfe(options, f, Search(options, f));
}

TEST(WolfeSearch, ExpandsAtMostByTheFactor) {
  std::vector<double> tried;
  MinimizerOptions options;
  options.max_line_search_step_expansion = 3.0;
  options.max_num_line_search_step_size_iterations = 5;
  // Falls for ever.
  const LineSearchResult result = SearchWolfe(
      options, {0.01, 1e-9}, {0.0, 0.0, -1.0}, [&](LineSample* sample) {
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
  const MinimizerOptions options;
  // The slope lies.
  const LineSearchResult result = SearchWolfe(
      options, {1.0, 1e-4}, {0.0, 0.0, -1.0}, [&](LineSample* sample) {
        sample->value = sample->step_size;
        sample->slope = 1.0;
        return true;
      });
  EXPECT_FALSE(result.success);
  EXPECT_LE(result.num_evaluations,
            options.max_num_line_search_step_size_iterations);
}

}  // namespace
}  // namespace ceres::internal
