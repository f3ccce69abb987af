// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// What the result of a line search must not depend on: units of parameters and
// residuals, the origin, the order and the number of residual blocks. Random
// fits are solved as they are and in changed form; the costs must agree.

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "ceres/autodiff_first_order_function.h"
#include "ceres/base/format.h"
#include "ceres/gradient_problem_solver.h"
#include "ceres/loss_function.h"
#include "ceres/solver.h"
#include "ceres/solver/whole_solves/solver_test_utils.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

constexpr int kNumParameters = 3;

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

enum class Model { kDecay, kSaturation, kDistances, kRotation };
constexpr int kNumModels = 4;

// Data of a model with parameters near the start, with noise. Every fourth fit
// has a robust loss and an outlier.
struct Fit {
  explicit Fit(int seed)
      : model(static_cast<Model>(seed % kNumModels)),
        robust(seed / kNumModels % 4 == 3) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> uniform(-1.0, 1.0);
    double truth[kNumParameters];
    for (int j = 0; j < kNumParameters; ++j) {
      truth[j] = 2.0 + uniform(random);
      start[j] = truth[j] + 0.7 * uniform(random);
    }
    if (model == Model::kRotation) {
      for (int j = 0; j < kNumParameters; ++j) truth[j] -= 2.0;
      for (int j = 0; j < kNumParameters; ++j) start[j] -= 2.0;
    }
    constexpr int kNumData = 15;
    for (int i = 0; i < kNumData; ++i) {
      const double place[2] = {3.0 * (uniform(random) + 1.0),
                               3.0 * (uniform(random) + 1.0)};
      double value = 0.0;
      Predict(truth, place, &value);
      value += 0.05 * uniform(random);
      if (robust && i == 4) value += 3.0;
      data.push_back({place[0], place[1], value});
    }
  }

  template <typename T>
  void Predict(const T* z, const double* place, T* value) const {
    using std::cos;
    using std::exp;
    using std::sin;
    using std::sqrt;
    switch (model) {
      case Model::kDecay:
        *value = z[0] * exp(-0.3 * z[1] * place[0]) + z[2];
        break;
      case Model::kSaturation:
        *value = z[0] * place[0] / (z[1] * z[1] + place[0]) + z[2];
        break;
      case Model::kDistances: {
        const T x = z[0] - place[0];
        const T y = z[1] - place[1];
        *value = sqrt(x * x + y * y + 0.01) + z[2];
        break;
      }
      case Model::kRotation:
        *value = cos(z[0]) * (place[0] + z[1]) + sin(z[0]) * (place[1] + z[2]);
        break;
    }
  }

  Model model;
  bool robust;
  double start[kNumParameters];
  std::vector<std::array<double, 3>> data;
};

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
  const double cost = summary.IsSolutionUsable() ? summary.final_cost
                                                 : summary.initial_cost;
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

constexpr int kNumFits = 40;
// Worse than the unchanged problem by more than this is a failure.
constexpr double kWorse = 1.001;

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

// The costs of all iterations, times `factor`.
std::vector<double> Costs(const std::vector<IterationSummary>& iterations,
                          double factor) {
  std::vector<double> costs;
  for (const IterationSummary& iteration : iterations) {
    costs.push_back(factor * iteration.cost);
  }
  return costs;
}

// Bounds with units are 0: nothing else may end the solves.
template <typename Options>
void DropUnits(Options* options) {
  options->gradient_tolerance = 0.0;
  options->parameter_tolerance = 0.0;
  options->function_tolerance = 1e-8;
  options->max_num_iterations = 60;
  options->logging_type = SILENT;
}

// All combinations of directions, searches and interpolations.
template <typename Options>
std::vector<Options> AllSearches(Options base) {
  std::vector<Options> all;
  for (const auto type :
       {STEEPEST_DESCENT, NONLINEAR_CONJUGATE_GRADIENT, LBFGS, BFGS}) {
    base.line_search_direction_type = type;
    for (const bool flag : {false, true}) {
      base.use_approximate_eigenvalue_bfgs_scaling = flag;
      base.line_search_type = flag && type < LBFGS ? ARMIJO : WOLFE;
      base.line_search_interpolation_type = flag ? QUADRATIC : CUBIC;
      all.push_back(base);
    }
  }
  return all;
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
    problem.AddResidualBlock(
        NewCost<3, 2>([=](const auto* p, auto* r) {
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
    for (const auto [power0, power1, power2] : std::vector<std::array<int, 3>>{
             {40, 40, 0}, {-40, -40, 0}, {33, 0, 0}, {0, -39, 0},
             {40, -40, 0}, {0, 0, 20}, {0, 0, -10}, {300, 300, 0},
             {7, -21, 100}}) {
      const double unit[2] = {std::ldexp(1.0, power0), std::ldexp(1.0, power1)};
      EXPECT_EQ(solve(options, unit, std::ldexp(1.0, power2)), costs)
          << power0 << " " << power1 << " " << power2;
    }
  }
}

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
          worse += Format("fit %d, unit %g, factor %g, origin %g, offset %g: ",
                          seed, change.unit, change.factor, change.origin,
                          change.offset) +
                   Format("%g became %g. ", cost, changed) +
                   summary.BriefReport() + " " + summary.message + "\n";
        }
      }
    }
  }
  EXPECT_EQ(num_worse, 0) << "of " << num_solves << "\n" << worse;
}

}  // namespace
}  // namespace ceres::internal
