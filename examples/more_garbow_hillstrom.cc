// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// Solves the test problems of More, Garbow and Hillstrom: 19 functions from
// their published starts and ten and a hundred times those, then those for
// which Gay published bounds, from the published starts.
//
//   more_garbow_hillstrom [--problem=7] [flags]
//
// A problem is solved if four digits of the cost agree with a published
// minimum.
//
// Prints: Unconstrained: 4. of 57 solved
// Prints: Constrained: 10 of 11 solved

#include "more_garbow_hillstrom.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iostream>
#include <string>
#include <vector>

#include "ceres/ceres.h"
#include "gflags/gflags.h"
#include "new_cost_function.h"
#include "parse_flag.h"

DEFINE_string(problem, "all", "The number of a problem, 1 to 19, or all.");
DEFINE_bool(use_numeric_diff, false, "Numeric derivatives.");
VESTA_DEFINE_ENUM_FLAG(numeric_diff_method, NumericDiffMethodType,
                       ::ceres::RIDDERS);
DEFINE_int32(ridders_extrapolations, 3, "Most extrapolations of ridders.");

namespace ceres::examples {
namespace {

struct Score {
  int num_solved = 0;
  int num_runs = 0;
};

// Minus the logarithm of the relative error; of the error itself where the
// minimum is zero.
double MatchingDigits(double sum, double minimum) {
  // Decimal digits of a double.
  constexpr double kMaxDigits = 16.0;
  const double scale = minimum == 0.0 ? 1.0 : std::abs(minimum);
  const double error = std::abs(sum - minimum) / scale;
  return std::isfinite(error) ? std::min(kMaxDigits, -std::log10(error)) : 0.0;
}

// The sum of squares that a solve arrives at. Bounds may be null.
template <typename F>
double SolveFrom(std::vector<double> x, const mgh::Bounds* bounds,
                 const DerivativeOptions& derivatives) {
  Problem problem;
  problem.AddResidualBlock(
      NewCostFunction<F::kNumParameters>(new F, F::kNumResiduals, derivatives),
      nullptr, x.data());
  for (int i = 0; bounds != nullptr && i < F::kNumParameters; ++i) {
    problem.SetParameterLowerBound(x.data(), i, bounds->lower[i]);
    problem.SetParameterUpperBound(x.data(), i, bounds->upper[i]);
  }
  Solver::Options options;
  options.linear_solver_type = DENSE_QR;
  options.max_num_iterations = 10000;
  // Stop only where doubles do.
  options.function_tolerance = 1e-18;
  options.gradient_tolerance = 1e-18;
  options.parameter_tolerance = 1e-18;
  options.logging_type = SILENT;
  Solver::Summary summary;
  Solve(options, &problem, &summary);
  // The cost is half the sum.
  return 2.0 * (summary.IsSolutionUsable() ? summary.final_cost
                                           : summary.initial_cost);
}

void Report(const char* name, const std::string& run, double sum,
            const std::vector<double>& minima, Score* score) {
  constexpr double kDigitsWanted = 4.0;
  double digits = 0.0;
  for (const double minimum : minima) {
    digits = std::max(digits, MatchingDigits(sum, minimum));
  }
  const bool solved = digits >= kDigitsWanted;
  ++score->num_runs;
  if (solved) ++score->num_solved;
  std::printf("%-25s %-10s sum of squares %13.6e, %5.2f digits%s\n", name,
              run.c_str(), sum, digits, solved ? "" : ", not solved");
}

template <typename F>
void SolveAll(const DerivativeOptions& derivatives, Score* unconstrained,
              Score* constrained) {
  for (const int factor : {1, 10, 100}) {
    std::vector<double> start = F::start();
    for (double& value : start) value *= factor;
    Report(F::kName, "start x" + std::to_string(factor),
           SolveFrom<F>(start, nullptr, derivatives), F::minima(),
           unconstrained);
  }
  for (const mgh::Bounds& bounds : F::bounds()) {
    using Bounded = typename mgh::WithBounds<F>::Function;
    Report(F::kName, "bounds",
           SolveFrom<Bounded>(F::start(), &bounds, derivatives),
           {bounds.minimum}, constrained);
  }
}

// The exit status.
int Run() {
  DerivativeOptions derivatives;
  derivatives.use_numeric_diff = FLAGS_use_numeric_diff;
  derivatives.numeric_diff_options.max_num_ridders_extrapolations =
      FLAGS_ridders_extrapolations;
  if (!ParseFlag("numeric_diff_method", FLAGS_numeric_diff_method,
                 StringToNumericDiffMethodType,
                 &derivatives.numeric_diff_method)) {
    return 1;
  }
  Score unconstrained;
  Score constrained;
  mgh::ForEachProblem([&](auto function) {
    using F = decltype(function);
    const std::string name = F::kName;
    const std::string number = name.substr(0, name.find(' '));
    if (FLAGS_problem != "all" && FLAGS_problem != number) return;
    SolveAll<F>(derivatives, &unconstrained, &constrained);
  });
  if (unconstrained.num_runs == 0) {
    std::cerr << "--problem=" << FLAGS_problem
              << " is neither a number from 1 to 19 nor all.\n";
    return 1;
  }
  std::printf("Unconstrained: %d of %d solved\nConstrained: %d of %d solved\n",
              unconstrained.num_solved, unconstrained.num_runs,
              constrained.num_solved, constrained.num_runs);
  return 0;
}

}  // namespace
}  // namespace ceres::examples

int main(int argc, char** argv) {
  gflags::ParseCommandLineFlags(&argc, &argv, true);
  return ceres::examples::Run();
}
