// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// Solves small random problems, with bounds by default, and prints a line for
// each:
//
//   SEED ITERATIONS RESIDUAL_EVALUATIONS TERMINATION_TYPE FINAL_COST
//
// with 17 significant digits of the cost. scripts/measure.sh bounded_problems
// compares what two libraries print.
//
// Uses public headers only, so that it compiles against every library with
// this API.

#include <cstdio>
#include <iostream>

#include "ceres/ceres.h"
#include "ceres/solver/whole_solves/random_bounded_problem.h"
#include "gflags/gflags.h"

DEFINE_int32(num_problems, 600, "");
DEFINE_int32(num_iterations, 1000, "The limit for each problem.");
DEFINE_string(linear_solver, "dense_qr", "");
DEFINE_string(trust_region_strategy, "levenberg_marquardt", "or dogleg.");
DEFINE_double(function_tolerance, 1e-6, "");
DEFINE_bool(bounds, true, "Whether the problems have bounds.");

int main(int argc, char** argv) {
  GFLAGS_NAMESPACE::ParseCommandLineFlags(&argc, &argv, true);
  ceres::Solver::Options options;
  options.max_num_iterations = FLAGS_num_iterations;
  options.function_tolerance = FLAGS_function_tolerance;
  options.logging_type = ceres::SILENT;
  if (!ceres::StringToLinearSolverType(FLAGS_linear_solver,
                                       &options.linear_solver_type) ||
      !ceres::StringToTrustRegionStrategyType(
          FLAGS_trust_region_strategy, &options.trust_region_strategy_type)) {
    std::cerr << "--linear_solver or --trust_region_strategy is unknown.\n";
    return 1;
  }
  for (int seed = 0; seed < FLAGS_num_problems; ++seed) {
    using Bounds = ceres::internal::RandomBoundedProblem::Bounds;
    ceres::internal::RandomBoundedProblem random(
        seed, FLAGS_bounds ? Bounds::kSome : Bounds::kNone);
    ceres::Solver::Summary summary;
    ceres::Solve(options, random.problem(), &summary);
    std::printf("%d %d %d %d %.17g\n", seed,
                static_cast<int>(summary.iterations.size()) - 1,
                summary.num_residual_evaluations,
                static_cast<int>(summary.termination_type), summary.final_cost);
  }
  return 0;
}
