// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// Solves one pose graph a number of times, each time from the values of the
// file, and prints what it took, a name and a value per line, for scripts to
// read:
//
//   build_seconds       making the Problem, smallest of all times
//   solve_seconds       Solve(), preprocessing included, smallest of all times
//   iterations          minimizer iterations, the initial one not counted
//   successful_steps    those that moved; the others cost less
//   initial_cost        17 significant digits
//   final_cost          17 significant digits
//   parameters          a hash of the bits of all parameter blocks
//   peak_rss_kib        the largest resident set of the process
//
// and with --covariance, of all varying parameter blocks with themselves:
//
//   covariance_seconds  Covariance::Compute, smallest of all times
//   standard_deviations the sum over all tangent coordinates
//
// Uses public headers only, so that it compiles against every library with
// this API.

#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <iostream>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "ceres/ceres.h"
#include "ceres/covariance.h"
#include "gflags/gflags.h"
#include "parameter_hash.h"
#include "slam/common/pose_graph_problem.h"

DEFINE_string(input, "", "g2o file to solve, of two or three dimensions.");
DEFINE_string(sparse_linear_algebra_library, "",
              "suite_sparse, eigen_sparse, native_sparse (Vesta only); empty: "
              "the solver's default.");
DEFINE_int32(num_threads, 1, "");
DEFINE_int32(num_iterations, 100,
             "At most so many; the default tolerances end a solve earlier.");
DEFINE_int32(repetitions, 1, "How often to solve it.");
DEFINE_string(covariance, "",
              "A CovarianceAlgorithmType, for covariances at the solution; "
              "empty: none.");
DEFINE_bool(report, false, "Print the full report to stderr as well.");

namespace ceres::examples {
namespace {

using Clock = std::chrono::steady_clock;

double SecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

struct Times {
  double build_seconds = std::numeric_limits<double>::infinity();
  double solve_seconds = std::numeric_limits<double>::infinity();
  double covariance_seconds = std::numeric_limits<double>::infinity();
};

// Returns the sum of standard deviations; NaN: failed, see the log.
double ComputeCovariances(Problem* problem, Times* times) {
  Covariance::Options options;
  options.num_threads = FLAGS_num_threads;
  std::vector<double*> blocks;
  problem->GetParameterBlocks(&blocks);
  std::vector<std::pair<const double*, const double*>> pairs;
  for (const double* block : blocks) {
    if (!problem->IsParameterBlockConstant(block)) {
      pairs.emplace_back(block, block);
    }
  }
  const bool is_known = StringToCovarianceAlgorithmType(
      FLAGS_covariance, &options.algorithm_type);
  Covariance covariance(options);
  const Clock::time_point start = Clock::now();
  if (!is_known || !covariance.Compute(pairs, problem)) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  times->covariance_seconds =
      std::min(times->covariance_seconds, SecondsSince(start));
  double sum = 0.0;
  for (const auto& [block, same] : pairs) {
    const int size = problem->ParameterBlockTangentSize(block);
    std::vector<double> values(static_cast<size_t>(size) * size);
    covariance.GetCovarianceBlockInTangentSpace(block, same, values.data());
    for (int k = 0; k < size; ++k) sum += std::sqrt(values[k * (size + 1)]);
  }
  return sum;
}

struct Solution {
  Solver::Summary summary;
  std::uint64_t parameters = 0;
  double standard_deviations = 0.0;
};

// Solves a copy of the graph and keeps the smallest times.
Solution SolveOnce(io::PoseGraph graph, const Solver::Options& options,
                   Times* times) {
  Clock::time_point start = Clock::now();
  Problem problem;
  BuildProblem(&graph, &problem);
  times->build_seconds = std::min(times->build_seconds, SecondsSince(start));

  start = Clock::now();
  Solution solution;
  Solve(options, &problem, &solution.summary);
  times->solve_seconds = std::min(times->solve_seconds, SecondsSince(start));
  if (!FLAGS_covariance.empty()) {
    solution.standard_deviations = ComputeCovariances(&problem, times);
  }
  solution.parameters = HashParameters(problem);
  return solution;
}

int Run(const io::PoseGraph& graph) {
  Solver::Options options;
  options.linear_solver_type = SPARSE_NORMAL_CHOLESKY;
  options.num_threads = FLAGS_num_threads;
  options.max_num_iterations = FLAGS_num_iterations;
  if (!FLAGS_sparse_linear_algebra_library.empty() &&
      !StringToSparseLinearAlgebraLibraryType(
          FLAGS_sparse_linear_algebra_library,
          &options.sparse_linear_algebra_library_type)) {
    std::cerr << "--sparse_linear_algebra_library has none of its values; see "
                 "--help.\n";
    return 1;
  }

  Times times;
  Solution solution;
  const Solver::Summary& summary = solution.summary;
  for (int i = 0; i < std::max(1, FLAGS_repetitions); ++i) {
    solution = SolveOnce(graph, options, &times);
    if (!summary.IsSolutionUsable()) {
      std::cerr << summary.message << "\n";
      return 1;
    }
  }
  if (FLAGS_report) std::cerr << summary.FullReport() << "\n";

  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  std::printf("build_seconds %.6f\n", times.build_seconds);
  std::printf("solve_seconds %.6f\n", times.solve_seconds);
  std::printf("iterations %d\n",
              static_cast<int>(summary.iterations.size()) - 1);
  std::printf("successful_steps %d\n", summary.num_successful_steps - 1);
  std::printf("initial_cost %.17g\n", summary.initial_cost);
  std::printf("final_cost %.17g\n", summary.final_cost);
  std::printf("parameters %016" PRIx64 "\n", solution.parameters);
  std::printf("peak_rss_kib %ld\n", usage.ru_maxrss);
  if (FLAGS_covariance.empty()) return 0;
  std::printf("covariance_seconds %.6f\n", times.covariance_seconds);
  std::printf("standard_deviations %.17g\n", solution.standard_deviations);
  return 0;
}

}  // namespace
}  // namespace ceres::examples

int main(int argc, char** argv) {
  gflags::ParseCommandLineFlags(&argc, &argv, true);
  ceres::io::PoseGraph graph;
  std::string error;
  if (!ceres::io::ReadG2o(FLAGS_input, {}, &graph, &error)) {
    std::cerr << error << "\n";
    return 1;
  }
  return ceres::examples::Run(graph);
}
