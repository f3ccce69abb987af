// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// Solves that begin at the minimum or close to it converge there, in every unit
// and at every origin. What may differ: metamorphic_test_utils.h.

#include <string>
#include <vector>

#include "ceres/ceres.h"
#include "ceres/solver/whole_solves/metamorphic_test_utils.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

Solver::Options TightOptions() {
  Solver::Options options = DenseMinimizers()[0].options;
  options.function_tolerance = 1e-18;
  options.gradient_tolerance = 1e-18;
  options.parameter_tolerance = 1e-16;
  return options;
}

std::vector<Change> Places() {
  std::vector<Change> places(1);
  for (const double residual_unit : {1e-3, 1.0, 1e6}) {
    Change place;
    place.residual_unit = residual_unit;
    for (const double unit : {1e-12, 1e-3, 1e3, 1e12}) {
      place.units = {unit};
      places.push_back(place);
    }
    place.units = {1.0};
    for (const double origin : {1e4, 1e7}) {
      place.origins = {origin};
      places.push_back(place);
    }
  }
  return places;
}

// The answer is the minimum, wherever the solve begins.
void ExpectMinimum(const Change& base, double distance) {
  std::vector<RandomFit> fits = RandomFits(2);
  // Data with the noise of single precision.
  for (int kind = 0; kind < RandomFit::kNumKinds; ++kind) {
    fits.emplace_back(static_cast<RandomFit::Kind>(kind), 7, 1e-7);
  }
  Differences differences;
  for (const RandomFit& fit : fits) {
    const Outcome minimum = SolveChanged(fit, base, TightOptions());
    for (Change place : Places()) {
      place.bounds = base.bounds;
      place.distance = distance;
      for (const NamedOptions& minimizer : DenseMinimizers()) {
        const Outcome outcome =
            SolveChanged(fit, place, minimizer.options, &minimum.parameters);
        EXPECT_EQ(outcome.summary.termination_type, CONVERGENCE)
            << fit.Name() << ": " << outcome.summary.message;
        CountDifferences(fit, place, minimizer.name, minimum, outcome,
                         &differences);
      }
    }
  }
  EXPECT_EQ(differences.num_worse, 0) << differences;
  EXPECT_EQ(differences.num_moved, 0) << differences;
}

TEST(MetamorphicStarts, AtTheMinimum) { ExpectMinimum(Change(), 0.0); }
TEST(MetamorphicStarts, VeryCloseToTheMinimum) {
  ExpectMinimum(Change(), 1e-9);
}
TEST(MetamorphicStarts, CloseToTheMinimum) { ExpectMinimum(Change(), 1e-6); }

TEST(MetamorphicStarts, AtTheMinimumOnBounds) {
  Change bounds;
  bounds.bounds = Change::Bounds::kActive;
  ExpectMinimum(bounds, 0.0);
}

// Next to a bound, the projected gradient is small. The solve is not to search
// for the way to the bound.
TEST(MetamorphicStarts, NextToBoundsNoStepIsTaken) {
  const RandomFit fit(RandomFit::Kind::kDecay, 0, 0.01);
  Change base;
  base.bounds = Change::Bounds::kActive;
  const Outcome minimum = SolveChanged(fit, base, TightOptions());
  base.distance = 1e-12;
  for (const NamedOptions& minimizer : DenseMinimizers()) {
    const Outcome outcome =
        SolveChanged(fit, base, minimizer.options, &minimum.parameters);
    EXPECT_EQ(outcome.summary.termination_type, CONVERGENCE);
    EXPECT_EQ(outcome.summary.iterations.size(), 1u) << outcome.summary.message;
  }
}

// A line search shortens the first steps, which run into bounds, to changes of
// 1e-5 of the cost. The cost test is not to end the solve there.
TEST(MetamorphicStarts, ShortenedStepsDoNotEndTheSolve) {
  Change base;
  base.bounds = Change::Bounds::kActive;
  for (const double residual_unit : {1e-3, 1.0, 1e6}) {
    base.residual_unit = residual_unit;
    for (int seed = 0; seed < 4; ++seed) {
      const RandomFit fit(RandomFit::Kind::kDecay, seed, 0.01);
      base.distance = 0.0;
      const Outcome minimum = SolveChanged(fit, base, TightOptions());
      base.distance = 1e-3;
      for (const NamedOptions& minimizer : DenseMinimizers()) {
        const Outcome outcome =
            SolveChanged(fit, base, minimizer.options, &minimum.parameters);
        EXPECT_EQ(outcome.summary.termination_type, CONVERGENCE);
        EXPECT_LE(outcome.final_cost, 1.001 * minimum.final_cost)
            << fit.Name() << ", " << minimizer.name << ": "
            << outcome.summary.message;
      }
    }
  }
}

}  // namespace
}  // namespace ceres::internal
