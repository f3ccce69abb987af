// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// What the result of a GradientProblem must not depend on: a common unit of the
// parameters, the unit and the origin of the function.

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "ceres/autodiff_first_order_function.h"
#include "ceres/base/format.h"
#include "ceres/gradient_problem_solver.h"
#include "ceres/solver/whole_solves/line_search_fit.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

// Half the sum of squares of a fit, as a function without residuals.
struct Objective {
  template <typename T>
  bool operator()(const T* x, T* cost) const {
    T z[kNumParameters];
    for (int j = 0; j < kNumParameters; ++j) z[j] = x[j] / unit - origin;
    *cost = T(offset);
    for (const auto& datum : fit->data) {
      T value(0.0);
      fit->Predict(z, datum.data(), &value);
      *cost += 0.5 * (value - datum[2]) * (value - datum[2]);
    }
    *cost *= factor;
    return true;
  }
  const Fit* fit;
  double unit = 1.0;
  double factor = 1.0;
  double origin = 0.0;
  double offset = 0.0;
};

GradientProblemSolver::Summary SolveObjective(
    const Objective& objective, const GradientProblemSolver::Options& options) {
  const GradientProblem problem(
      new AutoDiffFirstOrderFunction<Objective, kNumParameters>(
          new Objective(objective)));
  double x[kNumParameters];
  for (int j = 0; j < kNumParameters; ++j) {
    x[j] = objective.unit * (objective.fit->start[j] + objective.origin);
  }
  GradientProblemSolver::Summary summary;
  Solve(options, problem, x, &summary);
  return summary;
}

TEST(GradientProblemUnits, PowersOfTwoKeepEveryBitOfTheCosts) {
  GradientProblemSolver::Options base;
  DropUnits(&base);
  for (const GradientProblemSolver::Options& options : AllSearches(base)) {
    for (int seed = 0; seed < kNumModels; ++seed) {
      const Fit fit(seed);
      const std::vector<double> costs =
          Costs(SolveObjective({&fit}, options).iterations, 1.0);
      EXPECT_GT(costs.size(), 3u);
      for (const auto [unit, factor] : std::vector<std::array<int, 2>>{
               {40, 0}, {-39, 0}, {0, 40}, {0, -40}, {31, -30}, {-100, 20}}) {
        const Objective changed = {&fit, std::ldexp(1.0, unit),
                                   std::ldexp(1.0, factor)};
        EXPECT_EQ(Costs(SolveObjective(changed, options).iterations,
                        std::ldexp(1.0, -factor)),
                  costs)
            << unit << " " << factor;
      }
    }
  }
}

TEST(GradientProblemUnits, FindsTheSameCosts) {
  GradientProblemSolver::Options options;
  options.max_num_iterations = 2000;
  options.function_tolerance = 1e-13;
  options.logging_type = SILENT;
  int num_solves = 0;
  int num_worse = 0;
  std::string worse;
  for (const auto type : {LBFGS, BFGS}) {
    options.line_search_direction_type = type;
    for (int seed = 0; seed < kNumFits; ++seed) {
      const Fit fit(seed);
      const double cost = SolveObjective({&fit}, options).final_cost;
      std::vector<Objective> changes;
      for (const double unit : {1e-12, 1e-9, 1e-6, 1e6, 1e9, 1e12}) {
        changes.push_back({&fit, unit});
        changes.push_back({&fit, 1.0, unit});
        changes.push_back({&fit, unit, 1e-3});
      }
      changes.push_back({&fit, 1.0, 1.0, 1e3});
      changes.push_back({&fit, 1.0, 1.0, 0.0, 100.0});
      changes.push_back({&fit, 1.0, 1.0, 0.0, -100.0});
      for (const Objective& change : changes) {
        const auto summary = SolveObjective(change, options);
        const double changed =
            summary.final_cost / change.factor - change.offset;
        ++num_solves;
        if (!(changed <= kWorse * cost)) {
          ++num_worse;
          worse +=
              Format("fit %d, unit %g, factor %g, origin %g, offset %g: ", seed,
                     change.unit, change.factor, change.origin, change.offset) +
              Format("%g became %g. ", cost, changed) + summary.BriefReport() +
              " " + summary.message + "\n";
        }
      }
    }
  }
  EXPECT_EQ(num_worse, 0) << "of " << num_solves << "\n" << worse;
}

}  // namespace
}  // namespace ceres::internal
