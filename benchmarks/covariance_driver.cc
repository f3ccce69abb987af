// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// Solves one bundle adjustment problem, computes the covariances of its cameras
// over and over, and prints what that takes, a name and a value per line:
//
//   compute_seconds     the median of Covariance::Compute
//   num_blocks          covariance blocks that were asked for
//   standard_deviations the sum over all coordinates of all cameras
//
// The first camera and the first point are held constant, without which a scene
// may move, turn and grow. Uses public headers only, so that it compiles
// against every library with this API.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "bal_file.h"
#include "bal_problem.h"
#include "ceres/ceres.h"
#include "ceres/covariance.h"
#include "gflags/gflags.h"
#include "snavely_reprojection_error.h"

DEFINE_string(input, "", "BAL file to solve.");
DEFINE_string(algorithm, "sparse_qr", "A CovarianceAlgorithmType.");
DEFINE_string(sparse_linear_algebra_library, "suite_sparse",
              "suite_sparse or eigen_sparse.");
DEFINE_string(blocks, "pairs",
              "pairs: of all cameras; cameras: each with itself; all: each "
              "camera and each point with itself.");
DEFINE_bool(fix_gauge, true,
            "Hold the first camera and the first point constant.");
DEFINE_int32(num_threads, 1, "");
DEFINE_int32(num_iterations, 20, "Of the solver, before.");
DEFINE_int32(repetitions, 5, "");

namespace ceres::examples {
namespace {

using Clock = std::chrono::steady_clock;
using Pairs = std::vector<std::pair<const double*, const double*>>;

void Build(BalProblem* bal, Problem* problem) {
  for (int i = 0; i < bal->num_observations(); ++i) {
    const double* pixel = &bal->observations[2 * static_cast<size_t>(i)];
    problem->AddResidualBlock(
        SnavelyReprojectionError::Create(pixel[0], pixel[1]), nullptr,
        bal->camera(bal->camera_index[i]), bal->point(bal->point_index[i]));
  }
  if (!FLAGS_fix_gauge) return;
  problem->SetParameterBlockConstant(bal->camera(0));
  problem->SetParameterBlockConstant(bal->point(0));
}

Pairs ListBlocks(BalProblem* bal) {
  Pairs pairs;
  for (int i = 0; i < bal->num_cameras(); ++i) {
    const int end = FLAGS_blocks == "pairs" ? bal->num_cameras() : i + 1;
    for (int j = i; j < end; ++j) {
      pairs.emplace_back(bal->camera(i), bal->camera(j));
    }
  }
  for (int i = 0; FLAGS_blocks == "all" && i < bal->num_points(); ++i) {
    pairs.emplace_back(bal->point(i), bal->point(i));
  }
  return pairs;
}

double SumOfStandardDeviations(BalProblem* bal, const Covariance& covariance) {
  double sum = 0.0;
  for (int i = 0; i < bal->num_cameras(); ++i) {
    double block[9 * 9];
    covariance.GetCovarianceBlock(bal->camera(i), bal->camera(i), block);
    for (int k = 0; k < 9; ++k) sum += std::sqrt(block[10 * k]);
  }
  return sum;
}

int Run() {
  Covariance::Options options;
  options.num_threads = FLAGS_num_threads;
  if (!StringToCovarianceAlgorithmType(FLAGS_algorithm,
                                       &options.algorithm_type) ||
      !StringToSparseLinearAlgebraLibraryType(
          FLAGS_sparse_linear_algebra_library,
          &options.sparse_linear_algebra_library_type)) {
    std::cerr << "A flag that names an enumerator has none of its values.\n";
    return 1;
  }
  BalProblem bal;
  std::string error;
  if (!ReadBal(FLAGS_input, &bal, &error)) {
    std::cerr << error << "\n";
    return 1;
  }
  Normalize(&bal);
  Problem problem;
  Build(&bal, &problem);
  Solver::Options solver_options;
  solver_options.linear_solver_type = DENSE_SCHUR;
  solver_options.max_num_iterations = FLAGS_num_iterations;
  Solver::Summary summary;
  Solve(solver_options, &problem, &summary);

  const Pairs pairs = ListBlocks(&bal);
  Covariance covariance(options);
  std::vector<double> seconds;
  for (int i = 0; i < FLAGS_repetitions; ++i) {
    const Clock::time_point start = Clock::now();
    if (!covariance.Compute(pairs, &problem)) return 1;
    seconds.push_back(
        std::chrono::duration<double>(Clock::now() - start).count());
  }
  std::sort(seconds.begin(), seconds.end());
  std::printf("compute_seconds %.6f\n", seconds[seconds.size() / 2]);
  std::printf("num_blocks %d\n", static_cast<int>(pairs.size()));
  std::printf("standard_deviations %.17g\n",
              SumOfStandardDeviations(&bal, covariance));
  return 0;
}

}  // namespace
}  // namespace ceres::examples

int main(int argc, char** argv) {
  gflags::ParseCommandLineFlags(&argc, &argv, true);
  if (FLAGS_input.empty() || FLAGS_repetitions < 1) {
    std::cerr << "Give --input=BAL_FILE and at least one repetition.\n";
    return 1;
  }
  return ceres::examples::Run();
}
