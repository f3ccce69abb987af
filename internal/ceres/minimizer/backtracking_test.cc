// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/minimizer/backtracking.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

using testing::DoubleEq;
using testing::DoubleNear;
using testing::ElementsAre;

// Cannot be evaluated.
constexpr double kInvalid = std::numeric_limits<double>::max();

struct Search {
  LineSearchResult result;
  std::vector<double> step_sizes;  // in the order of the evaluations
};

Search Backtracked(const MinimizerOptions& options, double f0, double slope,
                   const std::function<double(double)>& f,
                   const StepSizes& sizes = {}) {
  Search search;
  const auto evaluate = [&](LineSample* sample) {
    search.step_sizes.push_back(sample->step_size);
    sample->value = f(sample->step_size);
    return sample->value != kInvalid;
  };
  search.result = Backtrack(options, sizes, {0.0, f0, slope}, evaluate);
  return search;
}

MinimizerOptions With(LineSearchInterpolationType interpolation) {
  MinimizerOptions options;
  options.line_search_interpolation_type = interpolation;
  return options;
}

TEST(Backtrack, TakesTheFullStepWhenItDecreasesEnough) {
  const Search search =
      Backtracked({}, 1.0, -1.0, [](double a) { return 1.0 - a; });
  EXPECT_TRUE(search.result.success);
  EXPECT_EQ(search.result.step_size, 1.0);
  EXPECT_EQ(search.result.num_iterations, 0);
  EXPECT_EQ(search.result.num_evaluations, 1);
}

TEST(Backtrack, NeedsADescentDirection) {
  for (const double slope :
       {0.0, 1.0, std::numeric_limits<double>::quiet_NaN()}) {
    const Search search =
        Backtracked({}, 0.0, slope, [](double) { return -1.0; });
    EXPECT_FALSE(search.result.success);
    EXPECT_TRUE(search.step_sizes.empty());
  }
}

// f(a) = 2.5 a^2 - a has its minimum at 0.2, which the parabola finds at once.
TEST(Backtrack, QuadraticInterpolationIsExactOnParabolas) {
  const Search search = Backtracked(With(QUADRATIC), 0.0, -1.0,
                                    [](double a) { return 2.5 * a * a - a; });
  EXPECT_TRUE(search.result.success);
  EXPECT_DOUBLE_EQ(search.result.step_size, 0.2);
  EXPECT_EQ(search.result.num_iterations, 1);
  EXPECT_THAT(search.step_sizes, ElementsAre(1.0, DoubleEq(0.2)));
}

// f(a) = -6 a^3 + 8 a^2 - a: the parabola through f(0), f'(0) and f(1) has its
// minimum at 1 / 4, where f is positive; the cubic is f itself, with its
// minimum at the smaller root of 18 a^2 - 16 a + 1.
TEST(Backtrack, CubicInterpolationIsExactOnCubics) {
  const Search search = Backtracked(With(CUBIC), 0.0, -1.0, [](double a) {
    return ((-6.0 * a + 8.0) * a - 1.0) * a;
  });
  EXPECT_TRUE(search.result.success);
  const double minimum = (16.0 - std::sqrt(256.0 - 72.0)) / 36.0;
  EXPECT_THAT(search.step_sizes,
              ElementsAre(1.0, DoubleEq(0.25), DoubleNear(minimum, 1e-15)));
}

TEST(Backtrack, BisectionHalves) {
  const Search search = Backtracked(With(BISECTION), 0.0, -1.0, [](double a) {
    return a > 0.2 ? 1.0 : -1.0;
  });
  EXPECT_TRUE(search.result.success);
  EXPECT_THAT(search.step_sizes, ElementsAre(1.0, 0.5, 0.25, 0.125));
  EXPECT_EQ(search.result.num_iterations, 3);
  EXPECT_EQ(search.result.num_evaluations, 4);
}

TEST(Backtrack, ContractionStaysWithinItsLimits) {
  MinimizerOptions options;
  options.max_line_search_step_contraction = 0.25;
  options.min_line_search_step_contraction = 0.5;
  // The parabola wants 1 / 2e6: too small.
  const Search steep =
      Backtracked(options, 0.0, -1.0, [](double a) { return 1e6 * a * a - a; });
  EXPECT_TRUE(steep.result.success);
  EXPECT_EQ(steep.step_sizes[1], 0.25);

  // The parabola wants nearly 1: too large.
  options.line_search_sufficient_function_decrease = 0.9;
  const Search flat = Backtracked(
      options, 0.0, -1.0, [](double a) { return a == 1.0 ? -0.4999 : -a; });
  EXPECT_TRUE(flat.result.success);
  EXPECT_EQ(flat.step_sizes[1], 0.5);
}

TEST(Backtrack, StepSizesThatCannotBeEvaluatedAreHalved) {
  for (const auto interpolation : {BISECTION, QUADRATIC, CUBIC}) {
    const Search search =
        Backtracked(With(interpolation), 0.0, -1.0,
                    [](double a) { return a < 0.3 ? -a : kInvalid; });
    EXPECT_TRUE(search.result.success);
    EXPECT_EQ(search.result.step_size, 0.25);
  }
}

TEST(Backtrack, GivesUpAfterTheAllowedIterations) {
  MinimizerOptions options = With(BISECTION);
  options.max_num_line_search_step_size_iterations = 3;
  const Search search =
      Backtracked(options, 0.0, -1.0, [](double) { return 1.0; });
  EXPECT_FALSE(search.result.success);
  EXPECT_THAT(search.step_sizes, ElementsAre(1.0, 0.5, 0.25, 0.125));
  EXPECT_EQ(search.result.num_iterations, 3);
  EXPECT_EQ(search.result.num_evaluations, 4);
}

TEST(Backtrack, GivesUpBelowTheSmallestStepSize) {
  const Search search = Backtracked(
      With(BISECTION), 0.0, -1.0,
      [](double) { return std::numeric_limits<double>::infinity(); },
      {1.0, 0.2});
  EXPECT_FALSE(search.result.success);
  EXPECT_THAT(search.step_sizes, ElementsAre(1.0, 0.5, 0.25));
}

TEST(Backtrack, InfiniteAndNanValuesAreNotAccepted) {
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(),
                           std::numeric_limits<double>::infinity()}) {
    const Search search = Backtracked(
        {}, 0.0, -1.0, [bad](double a) { return a > 0.4 ? bad : -a; });
    EXPECT_TRUE(search.result.success);
    EXPECT_LT(search.result.step_size, 0.4);
    EXPECT_GT(search.result.step_size, 0.0);
  }
}

TEST(Backtrack, LastEvaluationIsTheResult) {
  const Search search =
      Backtracked({}, 0.0, -1.0, [](double a) { return 10.0 * a * a - a; });
  ASSERT_TRUE(search.result.success);
  EXPECT_EQ(search.step_sizes.back(), search.result.step_size);
}

// A path that goes on for a quarter of the way only: its decrease is that of
// the quarter, and less than what the slope at 0 asks for.
TEST(Backtrack, CountsTheSlopeThatThePathHas) {
  MinimizerOptions options;
  options.line_search_sufficient_function_decrease = 0.5;
  for (const bool knows_slope : {false, true}) {
    const LineSearchResult result =
        Backtrack(options, {}, {0.0, 0.0, -1.0}, [&](LineSample* sample) {
          EXPECT_EQ(sample->slope, -1.0);
          const double way = std::min(sample->step_size, 0.25);
          sample->value = -way;
          if (knows_slope) sample->slope = -way / sample->step_size;
          return true;
        });
    EXPECT_TRUE(result.success);
    if (knows_slope) {
      EXPECT_EQ(result.step_size, 1.0);
    } else {
      EXPECT_LE(result.step_size, 0.5);
    }
  }
}

TEST(Backtrack, StartsWhereItIsTold) {
  const Search search =
      Backtracked(With(BISECTION), 0.0, -1.0,
                  [](double a) { return a * a / 16.0 - a; }, {40.0, 1e-9});
  EXPECT_TRUE(search.result.success);
  EXPECT_THAT(search.step_sizes, ElementsAre(40.0, 20.0, 10.0));
  EXPECT_EQ(search.result.step_size, 10.0);
}

}  // namespace
}  // namespace ceres::internal
