// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// What the result of a line search must not depend on: units of parameters and
// residuals, the origin, the order and the number of residual blocks. Random
// fits are solved as they are and in changed form; the costs must agree.

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "ceres/loss_function.h"
#include "ceres/solver.h"
#include "ceres/solver/whole_solves/line_search_fit.h"
#include "ceres/solver/whole_solves/solver_test_utils.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

// The changed problem has the parameters x = unit (z + origin), and residuals
// times `residual`.
struct Change {
  std::string name;
  double unit[kNumParameters] = {1.0, 1.0, 1.0};
  double residual = 1.0;
  double origin = 0.0;
  bool reversed = false;    // order of residual blocks
  bool duplicated = false;  // each twice, with half the weight
};

std::vector<Change> AllChanges() {
  std::vector<Change> changes;
  const auto add = [&](std::string name, const auto& set) {
    Change change;
    change.name = std::move(name);
    set(&change);
    changes.push_back(change);
  };
  for (const double unit : {1e-12, 1e-9, 1e-6, 1e6, 1e9, 1e12}) {
    const std::string times = " times " + std::to_string(std::log10(unit));
    add("parameters, power" + times,
        [&](Change* c) { std::fill_n(c->unit, kNumParameters, unit); });
    for (int j = 0; j < kNumParameters; ++j) {
      add("parameter " + std::to_string(j) + ", power" + times,
          [&](Change* c) { c->unit[j] = unit; });
    }
    add("residuals, power" + times, [&](Change* c) { c->residual = unit; });
  }
  add("opposite units", [](Change* c) {
    c->unit[0] = 1e12;
    c->unit[1] = 1e-12;
    c->residual = 1e3;
  });
  for (const double origin : {1e3, 1e7, -1e7}) {
    add("origin " + std::to_string(origin),
        [&](Change* c) { c->origin = origin; });
  }
  add("reversed", [](Change* c) { c->reversed = true; });
  add("duplicated", [](Change* c) { c->duplicated = true; });
  return changes;
}

struct Result {
  double cost;  // in the units of the unchanged problem
  std::string report;
};

Result SolveFit(const Fit& fit, const Change& change,
                const Solver::Options& options) {
  double x[kNumParameters];
  for (int j = 0; j < kNumParameters; ++j) {
    x[j] = change.unit[j] * (fit.start[j] + change.origin);
  }
  Problem problem;
  const double weight =
      change.residual * (change.duplicated ? std::sqrt(0.5) : 1.0);
  auto data = fit.data;
  if (change.reversed) std::reverse(data.begin(), data.end());
  for (const auto& datum : data) {
    for (int copy = 0; copy < (change.duplicated ? 2 : 1); ++copy) {
      problem.AddResidualBlock(
          NewCost<1, kNumParameters>([=, &fit](const auto* p, auto* r) {
            std::decay_t<decltype(*p)> z[kNumParameters];
            for (int j = 0; j < kNumParameters; ++j) {
              z[j] = p[j] / change.unit[j] - change.origin;
            }
            fit.Predict(z, datum.data(), r);
            *r = weight * (*r - datum[2]);
          }),
          fit.robust ? new HuberLoss(0.2 * weight) : nullptr, x);
    }
  }
  const Solver::Summary summary = SolveWith(options, &problem);
  const double cost =
      summary.IsSolutionUsable() ? summary.final_cost : summary.initial_cost;
  return {cost / (change.residual * change.residual),
          summary.BriefReport() + " " + summary.message};
}

Solver::Options Options() {
  Solver::Options options;
  options.minimizer_type = LINE_SEARCH;
  options.max_num_iterations = 2000;
  options.function_tolerance = 1e-12;
  options.logging_type = SILENT;
  return options;
}

void ExpectSameCosts(const Solver::Options& options) {
  std::string worse;
  int num_worse = 0;
  const std::vector<Change> changes = AllChanges();
  for (int seed = 0; seed < kNumFits; ++seed) {
    const Fit fit(seed);
    const double cost = SolveFit(fit, Change(), options).cost;
    for (const Change& change : changes) {
      const Result changed = SolveFit(fit, change, options);
      if (!(changed.cost <= kWorse * cost)) {
        ++num_worse;
        worse += "fit " + std::to_string(seed) + ", " + change.name + ": " +
                 std::to_string(cost) + " became " +
                 std::to_string(changed.cost) + ". " + changed.report + "\n";
      }
    }
  }
  EXPECT_EQ(num_worse, 0) << "of " << changes.size() * kNumFits << "\n"
                          << worse;
}

Solver::Options OptionsOf(LineSearchDirectionType type) {
  Solver::Options options = Options();
  options.line_search_direction_type = type;
  return options;
}

TEST(LineSearchUnits, LbfgsFindsTheSameCosts) {
  ExpectSameCosts(OptionsOf(LBFGS));
}

TEST(LineSearchUnits, BfgsFindsTheSameCosts) {
  ExpectSameCosts(OptionsOf(BFGS));
}

TEST(LineSearchUnits, ScaledLbfgsFindsTheSameCosts) {
  Solver::Options options = OptionsOf(LBFGS);
  options.use_approximate_eigenvalue_bfgs_scaling = true;
  ExpectSameCosts(options);
}

TEST(LineSearchUnits, ConjugateGradientsFindTheSameCosts) {
  Solver::Options options = OptionsOf(NONLINEAR_CONJUGATE_GRADIENT);
  options.nonlinear_conjugate_gradient_type = POLAK_RIBIERE;
  ExpectSameCosts(options);
}

// Powers of two scale without rounding. Then whole solves agree bit by bit.
TEST(LineSearchUnits, PowersOfTwoKeepEveryBitOfTheCosts) {
  Solver::Options base;
  base.minimizer_type = LINE_SEARCH;
  DropUnits(&base);
  const auto solve = [](const Solver::Options& options, const double unit[2],
                        double residual) {
    double x[2] = {-1.2 * unit[0], unit[1]};
    Problem problem;
    problem.AddResidualBlock(NewCost<3, 2>([=](const auto* p, auto* r) {
                               const auto a = p[0] / unit[0];
                               const auto b = p[1] / unit[1];
                               r[0] = residual * (10.0 * (b - a * a));
                               r[1] = residual * (1.0 - a);
                               r[2] = residual * (0.5 * a + b);
                             }),
                             nullptr, x);
    return Costs(SolveWith(options, &problem).iterations,
                 1.0 / (residual * residual));
  };
  for (const Solver::Options& options : AllSearches(base)) {
    const double ones[2] = {1.0, 1.0};
    const std::vector<double> costs = solve(options, ones, 1.0);
    EXPECT_GT(costs.size(), 5u);
    for (const auto [power0, power1, power2] :
         std::vector<std::array<int, 3>>{{40, 40, 0},
                                         {-40, -40, 0},
                                         {33, 0, 0},
                                         {0, -39, 0},
                                         {40, -40, 0},
                                         {0, 0, 20},
                                         {0, 0, -10},
                                         {300, 300, 0},
                                         {7, -21, 100}}) {
      const double unit[2] = {std::ldexp(1.0, power0), std::ldexp(1.0, power1)};
      EXPECT_EQ(solve(options, unit, std::ldexp(1.0, power2)), costs)
          << power0 << " " << power1 << " " << power2;
    }
  }
}

Solver::Options DefaultOptions() {
  Solver::Options options;
  options.minimizer_type = LINE_SEARCH;
  options.max_num_iterations = 500;
  return options;
}

// A gradient of 2e-11 at the start, because x counts in a small unit.
TEST(LineSearchUnits, SmallGradientAloneDoesNotEndIt) {
  Solver::Options options = DefaultOptions();
  double x = 0.0;
  Problem problem;
  problem.AddResidualBlock(NewSpring(2e11, 1e-11), nullptr, &x);
  problem.AddResidualBlock(NewSpring(2e11, 1e-11), nullptr, &x);
  const Solver::Summary summary = SolveWith(options, &problem);
  EXPECT_LT(summary.iterations[0].gradient_max_norm,
            options.gradient_tolerance);
  EXPECT_EQ(summary.termination_type, CONVERGENCE) << summary.FullReport();
  EXPECT_DOUBLE_EQ(x, 2e11);
}

// Half of the residuals cannot be reduced: the gradient at the optimum is
// rounding, small beside what the columns and the residuals would allow.
TEST(LineSearchUnits, OptimalStartConvergesAtOnce) {
  Solver::Options options = DefaultOptions();
  double x = 2.0 + 1e-12;
  Problem problem;
  problem.AddResidualBlock(NewSpring(3.0), nullptr, &x);
  problem.AddResidualBlock(NewSpring(1.0), nullptr, &x);
  const Solver::Summary summary = SolveWith(options, &problem);
  EXPECT_EQ(summary.termination_type, CONVERGENCE) << summary.FullReport();
  EXPECT_THAT(summary.message, testing::HasSubstr("gradient_tolerance"));
  EXPECT_THAT(summary.message, testing::HasSubstr("promises"));
  EXPECT_EQ(summary.iterations.size(), 1u);
}

// Beside a coordinate of 1e12, every step of the other one is short.
TEST(LineSearchUnits, ShortStepsBesideALargeCoordinateDoNotEndIt) {
  Solver::Options options = DefaultOptions();
  for (const auto type :
       {STEEPEST_DESCENT, NONLINEAR_CONJUGATE_GRADIENT, BFGS, LBFGS}) {
    double x[2] = {0.0, 1e12};
    Problem problem;
    problem.AddResidualBlock(NewCost<3, 2>([](const auto* x, auto* r) {
                               r[0] = 10.0 * (x[0] * x[0] + x[0] - 2.0);
                               r[1] = (x[1] - 1e12) / 1e12;
                               r[2] = x[0] - 1.0 + r[1];
                             }),
                             nullptr, x);
    options.line_search_direction_type = type;
    const Solver::Summary summary = SolveWith(options, &problem);
    EXPECT_EQ(summary.termination_type, CONVERGENCE) << summary.FullReport();
    EXPECT_NEAR(x[0], 1.0, 1e-6);
  }
}

TEST(LineSearchUnits, RosenbrocksValleyEndsAtOneInAllUnits) {
  Solver::Options options = DefaultOptions();
  for (const auto type : {LBFGS, BFGS}) {
    options.line_search_direction_type = type;
    for (const double unit : {1e-12, 1e-6, 1e-3, 1.0, 1e3, 1e6, 1e12}) {
      for (const double weight : {1e-9, 1e-3, 1.0, 1e6, 1e100}) {
        double x[2] = {-1.2 * unit, unit};
        Problem problem;
        problem.AddResidualBlock(NewCost<2, 2>([=](const auto* p, auto* r) {
                                   const auto a = p[0] / unit;
                                   r[0] =
                                       weight * (10.0 * (p[1] / unit - a * a));
                                   r[1] = weight * (1.0 - a);
                                 }),
                                 nullptr, x);
        options.function_tolerance = 1e-12;
        options.parameter_tolerance = 0.0;
        const Solver::Summary summary = SolveWith(options, &problem);
        EXPECT_EQ(summary.termination_type, CONVERGENCE)
            << summary.FullReport();
        EXPECT_NEAR(x[0] / unit, 1.0, 1e-6) << unit << " " << weight;
        EXPECT_NEAR(x[1] / unit, 1.0, 1e-6) << unit << " " << weight;
        EXPECT_LT(summary.iterations.size(), 60u);
      }
    }
  }
}

// Points rotated and moved: a manifold, on which nothing has a unit, beside a
// translation and residuals that have.
TEST(LineSearchUnits, PosesAreTheSameInAllUnits) {
  for (const auto type : {LBFGS, BFGS, NONLINEAR_CONJUGATE_GRADIENT}) {
    std::vector<double> costs;
    for (const double unit : {1.0, 1e-12, 1e-6, 1e6, 1e12}) {
      for (const double weight : {1.0, 1e-3, 1e6}) {
        double q[4] = {1.0, 0.1, 0.0, 0.0};
        double p[3] = {unit, 0.0, 0.0};
        Problem problem;
        for (int i = 0; i < 8; ++i) {
          const double a[3] = {std::cos(i), std::sin(2.0 * i), 0.3 * i};
          const double b[3] = {a[1] + 3.0, -a[0] + 0.01 * i, a[2] - 2.0};
          problem.AddResidualBlock(
              NewCost<3, 4, 3>([=](const auto* q, const auto* p, auto* r) {
                using T = std::decay_t<decltype(*q)>;
                const T point[3] = {T(a[0]), T(a[1]), T(a[2])};
                QuaternionRotatePoint(q, point, r);
                for (int k = 0; k < 3; ++k) {
                  r[k] = weight * (r[k] + p[k] / unit - b[k]);
                }
              }),
              nullptr, q, p);
        }
        problem.SetManifold(q, new QuaternionManifold);
        const Solver::Summary summary = SolveWith(OptionsOf(type), &problem);
        EXPECT_EQ(summary.termination_type, CONVERGENCE)
            << summary.FullReport();
        costs.push_back(summary.final_cost / (weight * weight));
        EXPECT_LE(costs.back(), kWorse * costs.front())
            << unit << " " << weight;
      }
    }
  }
}

}  // namespace
}  // namespace ceres::internal
