// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/minimizer/line_search/search_direction.h"

#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;
using Vector = std::vector<double>;

SearchDirection::Previous After(Vector gradient, Vector direction,
                                double step_size) {
  return {std::move(gradient), std::move(direction), step_size};
}

Vector NextDirection(const MinimizerOptions& options,
                     const SearchDirection::Previous* previous,
                     const Vector& gradient, const Vector& diagonal = {}) {
  Vector direction(gradient.size());
  CreateSearchDirection(options, {}, static_cast<int>(gradient.size()))
      ->Next(previous, gradient, diagonal, &direction);
  return direction;
}

MinimizerOptions Nonlinear(NonlinearConjugateGradientType type) {
  MinimizerOptions options;
  options.line_search_direction_type = NONLINEAR_CONJUGATE_GRADIENT;
  options.nonlinear_conjugate_gradient_type = type;
  return options;
}

TEST(SearchDirection, EveryKindStartsWithTheSteepestDescent) {
  for (const auto type :
       {STEEPEST_DESCENT, NONLINEAR_CONJUGATE_GRADIENT, BFGS, LBFGS}) {
    MinimizerOptions options;
    options.line_search_direction_type = type;
    EXPECT_THAT(NextDirection(options, nullptr, {1.0, -2.0}),
                ElementsAre(-1.0, 2.0));
  }
}

// By hand, with g_previous = -d_previous = (3, 0), g = (1, 2).
TEST(SearchDirection, ConjugateGradientsUseTheirOwnBeta) {
  const auto previous = After({3.0, 0.0}, {-3.0, 0.0}, 0.5);
  const Vector gradient = {1.0, 2.0};
  // g'g = 5, g_previous'g_previous = 9.
  EXPECT_THAT(NextDirection(Nonlinear(FLETCHER_REEVES), &previous, gradient),
              ElementsAre(DoubleNear(-1.0 - 5.0 / 3.0, 1e-15), -2.0));
  // g'(g - g_previous) = 5 - 3 = 2.
  EXPECT_THAT(NextDirection(Nonlinear(POLAK_RIBIERE), &previous, gradient),
              ElementsAre(DoubleNear(-1.0 - 2.0 / 3.0, 1e-15), -2.0));
  // d'(g - g_previous) = -3 (1 - 3) = 6, beta = 1/3.
  EXPECT_THAT(NextDirection(Nonlinear(HESTENES_STIEFEL), &previous, gradient),
              ElementsAre(DoubleNear(-2.0, 1e-15), -2.0));
}

// Coordinates x = u z in other units: gradients become g u, directions d / u,
// and D = u^2 is the identity in z.
TEST(SearchDirection, DiagonalMakesDirectionsIndependentOfUnits) {
  const double u[2] = {1024.0, 0.125};
  std::vector<MinimizerOptions> all = {Nonlinear(FLETCHER_REEVES),
                                       Nonlinear(POLAK_RIBIERE),
                                       Nonlinear(HESTENES_STIEFEL)};
  for (const auto type : {STEEPEST_DESCENT, BFGS, LBFGS}) {
    for (const bool scaled : {false, true}) {
      all.emplace_back();
      all.back().line_search_direction_type = type;
      all.back().use_approximate_eigenvalue_bfgs_scaling = scaled;
    }
  }
  for (const MinimizerOptions& options : all) {
    const auto previous = After({3.0, -1.0}, {-3.0, 1.0}, 0.5);
    const auto in_units =
        After({3.0 / u[0], -1.0 / u[1]}, {-3.0 * u[0], 1.0 * u[1]}, 0.5);
    const Vector plain =
        NextDirection(options, &previous, {1.0, 2.0}, {1.0, 1.0});
    const Vector scaled =
        NextDirection(options, &in_units, {1.0 / u[0], 2.0 / u[1]},
                      {u[0] * u[0], u[1] * u[1]});
    EXPECT_EQ(scaled[0], u[0] * plain[0]);
    EXPECT_EQ(scaled[1], u[1] * plain[1]);
  }
}

TEST(SearchDirection, NegativeBetaAndAscentMeanSteepestDescent) {
  // g'(g - g_previous) < 0.
  const auto negative = After({3.0, 0.0}, {-3.0, 0.0}, 0.5);
  EXPECT_THAT(NextDirection(Nonlinear(POLAK_RIBIERE), &negative, {1.0, 0.1}),
              ElementsAre(-1.0, -0.1));
  // -g + beta d points uphill.
  const auto uphill = After({1.0, 0.0}, {5.0, 0.0}, 0.5);
  EXPECT_THAT(NextDirection(Nonlinear(FLETCHER_REEVES), &uphill, {1.0, 0.0}),
              ElementsAre(-1.0, 0.0));
}

// On a quadratic with exact searches, all of them are conjugate gradients, and
// end after n steps.
TEST(SearchDirection, QuadraticsEndAfterAsManyStepsAsVariables) {
  const double hessian[] = {1.0, 10.0, 100.0};
  std::vector<MinimizerOptions> all = {Nonlinear(FLETCHER_REEVES),
                                       Nonlinear(POLAK_RIBIERE),
                                       Nonlinear(HESTENES_STIEFEL)};
  for (const auto type : {BFGS, LBFGS}) {
    for (const bool scaled : {false, true}) {
      all.emplace_back();
      all.back().line_search_direction_type = type;
      all.back().use_approximate_eigenvalue_bfgs_scaling = scaled;
    }
  }
  for (const MinimizerOptions& options : all) {
    Vector x = {1.0, 1.0, 1.0};
    const auto gradient_at = [&](const Vector& point) {
      Vector gradient(3);
      for (int i = 0; i < 3; ++i) gradient[i] = hessian[i] * point[i];
      return gradient;
    };
    const auto search = CreateSearchDirection(options, {}, 3);
    SearchDirection::Previous previous;
    for (int k = 0; k < 3; ++k) {
      const Vector gradient = gradient_at(x);
      Vector direction(3);
      search->Next(k == 0 ? nullptr : &previous, gradient, {}, &direction);
      double slope = 0.0;
      double curvature = 0.0;
      for (int i = 0; i < 3; ++i) {
        slope += gradient[i] * direction[i];
        curvature += hessian[i] * direction[i] * direction[i];
      }
      ASSERT_LT(slope, 0.0);
      const double step_size = -slope / curvature;
      for (int i = 0; i < 3; ++i) x[i] += step_size * direction[i];
      previous = After(gradient, direction, step_size);
    }
    for (int i = 0; i < 3; ++i) EXPECT_NEAR(x[i], 0.0, 1e-12);
  }
}

TEST(SearchDirection, QuasiNewtonDirectionsAreScaledAfterAStep) {
  for (const auto type : {BFGS, LBFGS}) {
    MinimizerOptions options;
    options.line_search_direction_type = type;
    const auto search = CreateSearchDirection(options, {}, 1);
    Vector direction(1);
    search->Next(nullptr, {4.0}, {}, &direction);
    EXPECT_FALSE(search->IsScaled());
    // f = 2 x^2: from x = 1 by a step of 1/8 to 1/2, where f' = 2.
    const auto previous = After({4.0}, {-4.0}, 0.125);
    search->Next(&previous, {2.0}, {}, &direction);
    EXPECT_TRUE(search->IsScaled());
    EXPECT_NEAR(direction[0], -0.5, 1e-15) << "straight to the minimum";
  }
}

}  // namespace
}  // namespace ceres::internal
