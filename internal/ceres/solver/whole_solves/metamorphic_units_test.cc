// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// The answer does not depend on the units of parameters and residuals and on
// the origin of the parameters. What may differ: metamorphic_test_utils.h.

#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "ceres/ceres.h"
#include "ceres/solver/whole_solves/metamorphic_test_utils.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

struct Row {
  std::string name;
  std::vector<double> units;
  std::vector<double> origins;
  double residual_unit;
};

std::vector<Row> Rows() {
  std::vector<Row> rows;
  for (const double unit : {1e-12, 1e-9, 1e-6, 1e-3, 1e3, 1e6, 1e9, 1e12}) {
    std::ostringstream times;
    times << " times " << unit;
    const std::string name = times.str();
    rows.push_back({"all" + name, {unit}, {0.0}, 1.0});
    // Longer than the parameters of any fit: one parameter has the unit.
    std::vector<double> one(12, 1.0);
    one[0] = unit;
    rows.push_back({"the first" + name, one, {0.0}, 1.0});
    std::swap(one[0], one[1]);
    rows.push_back({"the second" + name, one, {0.0}, 1.0});
  }
  rows.push_back({"mixed", {1e9, 1e-6, 1e3, 1e-9}, {0.0}, 1.0});
  rows.push_back({"alternating", {1e-12, 1e12}, {0.0}, 1.0});
  for (const double residual_unit : {1e-3, 1e3, 1e6}) {
    rows.push_back({"residuals", {1.0}, {0.0}, residual_unit});
    rows.push_back({"residuals, all times 1e9", {1e9}, {0.0}, residual_unit});
    rows.push_back({"residuals, all times 1e-9", {1e-9}, {0.0}, residual_unit});
    rows.push_back({"residuals, origin 1e7", {1.0}, {1e7}, residual_unit});
  }
  rows.push_back({"origin 1e4", {1.0}, {1e4}, 1.0});
  rows.push_back({"origin -1e7", {1.0}, {-1e7}, 1.0});
  rows.push_back({"UTM in km", {1e-3}, {500.0, 4600.0}, 1.0});
  rows.push_back({"UTM in m", {1.0}, {5e5, 4.6e6}, 1.0});
  rows.push_back({"UTM in mm", {1e3}, {5e8, 4.6e9}, 1.0});
  return rows;
}

void ExpectSameAnswers(const Change& unchanged,
                       const std::vector<RandomFit>& fits,
                       const std::vector<NamedOptions>& minimizers) {
  for (const Row& row : Rows()) {
    Change changed = unchanged;
    changed.units = row.units;
    changed.origins = row.origins;
    changed.residual_unit = row.residual_unit;
    const Differences differences =
        Compare(fits, minimizers, unchanged, changed);
    EXPECT_TRUE(differences.none()) << row.name << ", residuals times "
                                    << row.residual_unit << ": " << differences;
  }
}

TEST(MetamorphicUnits, EveryMinimizer) {
  ExpectSameAnswers(Change(), RandomFits(1), AllMinimizers());
}

TEST(MetamorphicUnits, MoreFits) {
  ExpectSameAnswers(Change(), RandomFits(5), DenseMinimizers());
}

TEST(MetamorphicUnits, ActiveBounds) {
  Change unchanged;
  unchanged.bounds = Change::Bounds::kActive;
  ExpectSameAnswers(unchanged, RandomFits(3), DenseMinimizers());
}

TEST(MetamorphicUnits, ActiveBoundsAndManifolds) {
  Change unchanged;
  unchanged.bounds = Change::Bounds::kActive;
  unchanged.manifolds = Change::Manifolds::kHeading;
  const std::vector<RandomFit> fits = {
      RandomFit(RandomFit::Kind::kPose, 1, 0.01),
      RandomFit(RandomFit::Kind::kPose, 2, 0.0),
      RandomFit(RandomFit::Kind::kAlignment, 1, 0.01)};
  ExpectSameAnswers(unchanged, fits, AllMinimizers());
}

TEST(MetamorphicUnits, Losses) {
  Change unchanged;
  unchanged.loss = Change::Loss::kComposed;
  ExpectSameAnswers(unchanged,
                    {RandomFit(RandomFit::Kind::kRobustLine, 3, 0.01),
                     RandomFit(RandomFit::Kind::kRobustLine, 4, 0.001)},
                    AllMinimizers());
}

// Expects equal iterations of Levenberg-Marquardt in all units.
void ExpectEqualIterations(const std::vector<double>& units) {
  for (const RandomFit& fit : RandomFits(2)) {
    if (fit.noise == 0.0) continue;  // the last iterations are rounding
    std::optional<Outcome> first;
    for (const double unit : units) {
      Change changed;
      changed.units = {unit};
      const Outcome outcome =
          SolveChanged(fit, changed, DenseMinimizers()[0].options);
      if (!first) first = outcome;
      EXPECT_EQ(outcome.initial_cost, first->initial_cost);
      EXPECT_EQ(outcome.summary.iterations.size(),
                first->summary.iterations.size())
          << fit.Name() << " times " << unit;
      EXPECT_NEAR(outcome.final_cost, first->final_cost,
                  1e-9 * first->final_cost);
    }
  }
}

// A power of two rounds nothing, and the column scales cancel but for rounding.
// Small columns are damped by another rule than the others (kSmallColumnNorm).
TEST(MetamorphicUnits, APowerOfTwoLeavesTheIterations) {
  ExpectEqualIterations({1.0, 0x1p-30, 0x1p-3, 0x1p5});
  ExpectEqualIterations({0x1p40, 0x1p50, 0x1p60});
}

}  // namespace
}  // namespace ceres::internal
