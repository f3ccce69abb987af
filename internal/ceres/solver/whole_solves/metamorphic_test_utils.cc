// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/solver/whole_solves/metamorphic_test_utils.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>

namespace ceres::internal {
namespace {

Solver::Options BaseOptions() {
  Solver::Options options;
  options.max_num_iterations = 300;
  options.logging_type = SILENT;
  // Iterative solvers are to give the steps of the others.
  options.eta = 1e-8;
  options.max_linear_solver_iterations = 500;
  return options;
}

std::vector<NamedOptions> Minimizers(
    const std::vector<LinearSolverType>& linear_solvers) {
  std::vector<NamedOptions> minimizers;
  for (const LinearSolverType linear_solver : linear_solvers) {
    Solver::Options options = BaseOptions();
    options.linear_solver_type = linear_solver;
    const std::string name = LinearSolverTypeToString(linear_solver);
    minimizers.push_back({name + " levenberg_marquardt", options});
    options.trust_region_strategy_type = DOGLEG;
    for (const DoglegType type : {TRADITIONAL_DOGLEG, SUBSPACE_DOGLEG}) {
      options.dogleg_type = type;
      std::string error;
      if (options.IsValid(&error)) {
        minimizers.push_back({name + " " + DoglegTypeToString(type), options});
      }
    }
  }
  return minimizers;
}

double Norm(const std::vector<double>& values) {
  double norm = 0.0;
  for (const double value : values) norm = std::hypot(norm, value);
  return norm;
}

// |a - b|; if a robust fit has outliers, their residuals are in both.
double Distance(std::vector<double> a, const std::vector<double>& b) {
  for (size_t i = 0; i < a.size(); ++i) a[i] -= b[i];
  return Norm(a);
}

// How far the residuals can move if each parameter of the problem is rounded.
double NormOfRounding(const RandomFit& fit, const Change& change,
                      const std::vector<double>& z) {
  constexpr double kRounding = 50.0 * std::numeric_limits<double>::epsilon();
  const RandomFitProblem changed(fit, change, &z);
  const std::vector<double> residuals = fit.Residuals(z);
  double norm = 0.0;
  for (size_t j = 0; j < z.size(); ++j) {
    std::vector<double> rounded = z;
    rounded[j] += kRounding * changed.Size(static_cast<int>(j), z[j]);
    norm = std::hypot(norm, Distance(residuals, fit.Residuals(rounded)));
  }
  return norm;
}

}  // namespace

const std::vector<NamedOptions>& AllMinimizers() {
  static const auto& all = *new std::vector<NamedOptions>(Minimizers(
      {DENSE_QR, DENSE_NORMAL_CHOLESKY, DENSE_SCHUR, SPARSE_NORMAL_CHOLESKY,
       SPARSE_SCHUR, ITERATIVE_SCHUR, CGNR}));
  return all;
}

const std::vector<NamedOptions>& DenseMinimizers() {
  static const auto& dense =
      *new std::vector<NamedOptions>(Minimizers({DENSE_QR}));
  return dense;
}

std::vector<RandomFit> RandomFits(int num_seeds) {
  std::vector<RandomFit> fits;
  for (int kind = 0; kind < RandomFit::kNumKinds; ++kind) {
    for (int seed = 0; seed < num_seeds; ++seed) {
      const bool has_noise = (kind + seed) % 4 != 3;
      fits.emplace_back(static_cast<RandomFit::Kind>(kind), seed,
                        has_noise ? 0.01 : 0.0);
    }
  }
  return fits;
}

Outcome SolveChanged(const RandomFit& fit, const Change& change,
                     const Solver::Options& options,
                     const std::vector<double>* near) {
  RandomFitProblem changed(fit, change, near);
  Outcome outcome;
  Solve(options, changed.problem(), &outcome.summary);
  outcome.parameters = changed.Natural();
  outcome.initial_cost = changed.NaturalCost(outcome.summary.initial_cost);
  outcome.final_cost = changed.NaturalCost(outcome.summary.final_cost);
  return outcome;
}

void CountDifferences(const RandomFit& fit, const Change& change,
                      const std::string& what, const Outcome& unchanged,
                      const Outcome& changed, Differences* differences) {
  constexpr double kCostRatio = 1.001;
  constexpr double kCostFloor = 1e-14;  // of the initial cost
  constexpr double kMoved = 0.05;
  // Residuals that gradient_tolerance takes for zero.
  constexpr double kVanishing = 1e-9;
  const double rounding = NormOfRounding(fit, change, unchanged.parameters);
  const double floor = kCostFloor * unchanged.initial_cost +
                       0.5 * (rounding * rounding + kVanishing * kVanishing);
  const bool is_worse =
      !(changed.final_cost <= kCostRatio * unchanged.final_cost + floor);
  const bool is_unlike = (unchanged.summary.termination_type == CONVERGENCE) !=
                         (changed.summary.termination_type == CONVERGENCE);
  const double moved = Distance(fit.Residuals(unchanged.parameters),
                                fit.Residuals(changed.parameters));
  const bool has_moved =
      !(moved <= kMoved * std::sqrt(2.0 * unchanged.final_cost) +
                     10.0 * std::sqrt(2.0 * floor));
  const auto iterations = [](const Outcome& outcome) {
    return static_cast<int>(outcome.summary.iterations.size());
  };
  ++differences->num_solves;
  differences->num_worse += is_worse;
  differences->num_unlike_ends += is_unlike;
  differences->num_moved += has_moved;
  differences->num_iterations += iterations(changed);
  differences->num_iterations_unchanged += iterations(unchanged);
  if (!is_worse && !is_unlike && !has_moved) return;
  std::ostringstream text;
  text.precision(10);
  text << fit.Name() << ", " << what << ": cost " << unchanged.initial_cost
       << " -> " << unchanged.final_cost << ", changed " << changed.final_cost
       << "; predictions differ by " << moved << "; " << iterations(unchanged)
       << " and " << iterations(changed) << " iterations; "
       << unchanged.summary.message << " | " << changed.summary.message << "\n";
  differences->first += text.str();
}

Differences Compare(const std::vector<RandomFit>& fits,
                    const std::vector<NamedOptions>& minimizers,
                    const Change& unchanged, const Change& changed) {
  Differences differences;
  for (const RandomFit& fit : fits) {
    for (const NamedOptions& minimizer : minimizers) {
      CountDifferences(fit, changed, minimizer.name,
                       SolveChanged(fit, unchanged, minimizer.options),
                       SolveChanged(fit, changed, minimizer.options),
                       &differences);
    }
  }
  return differences;
}

std::ostream& operator<<(std::ostream& stream, const Differences& differences) {
  return stream << "of " << differences.num_solves << " solves "
                << differences.num_worse << " are worse, "
                << differences.num_unlike_ends << " end otherwise, "
                << differences.num_moved << " have moved; iterations "
                << differences.num_iterations << ", unchanged "
                << differences.num_iterations_unchanged << "\n"
                << differences.first;
}

}  // namespace ceres::internal
