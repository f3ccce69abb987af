// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/minimizer/backtracking.h"

#include <cmath>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

using testing::DoubleEq;
using testing::DoubleNear;
using testing::ElementsAre;

// Row blocks where it is asked.
class Recorder {
 public:
  explicit Recorder(std::function<bool(double, double*)> f)
      : f_(std::move(f)) {}

  BacktrackingResult Run(const BacktrackingOptions& options, double f0,
                         double slope) {
    return Backtrack(options, f0, slope, [this](double a, double* value) {
      step_sizes.push_back(a);
      return f_(a, value);
    });
  }

  std::vector<double> step_sizes;

 private:
  std::function<bool(double, double*)> f_;
};

TEST(Backtrack, TakesTheFullStepWhenItDecreasesEnough) {
  Recorder f([](double a, double* value) {
    *value = 1.0 - a;
    return true;
  });
  const BacktrackingResult result = f.Run({}, 1.0, -1.0);
  EXPECT_TRUE(result.success);
  EXPECT_EQ(result.step_size, 1.0);
  EXPECT_EQ(result.num_iterations, 0);
  EXPECT_EQ(result.num_evaluations, 1);
}

TEST(Backtrack, NeedsADescentDirection) {
  for (const double slope :
       {0.0, 1.0, std::numeric_limits<double>::quiet_NaN()}) {
    Recorder f([](double, double* value) {
      *value = -1.0;
      return true;
    });
    EXPECT_FALSE(f.Run({}, 0.0, slope).success);
    EXPECT_TRUE(f.step_sizes.empty());
  }
}

// f(a) = 2.5 a^2 - a has its minimum at 0.2, which the parabola finds at once.
TEST(Backtrack, QuadraticInterpolationIsExactOnParabolas) {
  BacktrackingOptions options;
  options.interpolation = QUADRATIC;
  Recorder f([](double a, double* value) {
    *value = 2.5 * a * a - a;
    return true;
  });
  const BacktrackingResult result = f.Run(options, 0.0, -1.0);
  EXPECT_TRUE(result.success);
  EXPECT_DOUBLE_EQ(result.step_size, 0.2);
  EXPECT_EQ(result.num_iterations, 1);
  EXPECT_THAT(f.step_sizes, ElementsAre(1.0, DoubleEq(0.2)));
}

// f(a) = -6 a^3 + 8 a^2 - a: the parabola through f(0), f'(0) and f(1) has its
// minimum at 1 / 4, where f is positive; the cubic is f itself, with its
// minimum at the smaller root of 18 a^2 - 16 a + 1.
TEST(Backtrack, CubicInterpolationIsExactOnCubics) {
  BacktrackingOptions options;
  options.interpolation = CUBIC;
  Recorder f([](double a, double* value) {
    *value = ((-6.0 * a + 8.0) * a - 1.0) * a;
    return true;
  });
  const BacktrackingResult result = f.Run(options, 0.0, -1.0);
  EXPECT_TRUE(result.success);
  const double minimum = (16.0 - std::sqrt(256.0 - 72.0)) / 36.0;
  EXPECT_THAT(f.step_sizes,
              ElementsAre(1.0, DoubleEq(0.25), DoubleNear(minimum, 1e-15)));
}

TEST(Backtrack, BisectionHalves) {
  BacktrackingOptions options;
  options.interpolation = BISECTION;
  Recorder f([](double a, double* value) {
    *value = a > 0.2 ? 1.0 : -1.0;
    return true;
  });
  const BacktrackingResult result = f.Run(options, 0.0, -1.0);
  EXPECT_TRUE(result.success);
  EXPECT_THAT(f.step_sizes, ElementsAre(1.0, 0.5, 0.25, 0.125));
  EXPECT_EQ(result.num_iterations, 3);
  EXPECT_EQ(result.num_evaluations, 4);
}

TEST(Backtrack, ContractionStaysWithinItsLimits) {
  BacktrackingOptions options;
  options.max_contraction = 0.25;
  options.min_contraction = 0.5;
  // The parabola wants 1 / 2e6: too small.
  Recorder steep([](double a, double* value) {
    *value = 1e6 * a * a - a;
    return true;
  });
  EXPECT_TRUE(steep.Run(options, 0.0, -1.0).success);
  EXPECT_EQ(steep.step_sizes[1], 0.25);

  // The parabola wants nearly 1: too large.
  options.sufficient_decrease = 0.9;
  Recorder flat([](double a, double* value) {
    *value = a == 1.0 ? -0.4999 : -a;
    return true;
  });
  EXPECT_TRUE(flat.Run(options, 0.0, -1.0).success);
  EXPECT_EQ(flat.step_sizes[1], 0.5);
}

TEST(Backtrack, StepSizesThatCannotBeEvaluatedAreHalved) {
  for (const auto interpolation : {BISECTION, QUADRATIC, CUBIC}) {
    BacktrackingOptions options;
    options.interpolation = interpolation;
    Recorder f([](double a, double* value) {
      *value = -a;
      return a < 0.3;
    });
    const BacktrackingResult result = f.Run(options, 0.0, -1.0);
    EXPECT_TRUE(result.success);
    EXPECT_EQ(result.step_size, 0.25);
  }
}

TEST(Backtrack, GivesUpAfterTheAllowedIterations) {
  BacktrackingOptions options;
  options.interpolation = BISECTION;
  options.max_num_iterations = 3;
  Recorder f([](double, double* value) {
    *value = 1.0;
    return true;
  });
  const BacktrackingResult result = f.Run(options, 0.0, -1.0);
  EXPECT_FALSE(result.success);
  EXPECT_THAT(f.step_sizes, ElementsAre(1.0, 0.5, 0.25, 0.125));
  EXPECT_EQ(result.num_iterations, 3);
  EXPECT_EQ(result.num_evaluations, 4);
}

TEST(Backtrack, GivesUpBelowTheSmallestStepSize) {
  BacktrackingOptions options;
  options.interpolation = BISECTION;
  options.min_step_size = 0.2;
  Recorder f([](double, double* value) {
    *value = std::numeric_limits<double>::infinity();
    return true;
  });
  EXPECT_FALSE(f.Run(options, 0.0, -1.0).success);
  EXPECT_THAT(f.step_sizes, ElementsAre(1.0, 0.5, 0.25));
}

TEST(Backtrack, InfiniteAndNanValuesAreNotAccepted) {
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(),
                           std::numeric_limits<double>::infinity()}) {
    Recorder f([bad](double a, double* value) {
      *value = a > 0.4 ? bad : -a;
      return true;
    });
    const BacktrackingResult result = f.Run({}, 0.0, -1.0);
    EXPECT_TRUE(result.success);
    EXPECT_LT(result.step_size, 0.4);
    EXPECT_GT(result.step_size, 0.0);
  }
}

TEST(Backtrack, LastEvaluationIsTheResult) {
  Recorder f([](double a, double* value) {
    *value = 10.0 * a * a - a;
    return true;
  });
  const BacktrackingResult result = f.Run({}, 0.0, -1.0);
  ASSERT_TRUE(result.success);
  EXPECT_EQ(f.step_sizes.back(), result.step_size);
}

TEST(Backtrack, StartsWhereItIsTold) {
  BacktrackingOptions options;
  options.initial_step_size = 40.0;
  options.interpolation = BISECTION;
  Recorder f([](double a, double* value) {
    *value = a * a / 16.0 - a;
    return true;
  });
  const BacktrackingResult result = f.Run(options, 0.0, -1.0);
  EXPECT_TRUE(result.success);
  EXPECT_THAT(f.step_sizes, ElementsAre(40.0, 20.0, 10.0));
  EXPECT_EQ(result.step_size, 10.0);
}

}  // namespace
}  // namespace ceres::internal
