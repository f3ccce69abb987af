// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// Solves the curve fit of 67 samples over and over with DENSE_QR, the typical
// small problem, and prints what one solve takes, a name and a value per line:
//
//   build_microseconds  the median over --repetitions of making the Problem
//   solve_microseconds  the median of Solve() from the same start
//   iterations          of one solve
//   final_cost          17 significant digits
//
// Uses public headers only, so that it compiles against every library with
// this API.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <iostream>
#include <vector>

#include "ceres/ceres.h"
#include "curve_fitting.h"
#include "curve_fitting_data.h"
#include "gflags/gflags.h"
#include "glog/logging.h"

DEFINE_int32(num_threads, 1, "");
DEFINE_int32(repetitions, 2000,
             "Solves that are timed; as many again warm up, at most 200.");

namespace ceres::examples {
namespace {

using Clock = std::chrono::steady_clock;

double MicrosecondsSince(Clock::time_point start) {
  return std::chrono::duration<double, std::micro>(Clock::now() - start)
      .count();
}

double Median(std::vector<double> values) {
  const auto middle = values.begin() + values.size() / 2;
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

void Build(double* m, double* c, Problem* problem) {
  for (const Sample& sample : kCurveSamples) {
    problem->AddResidualBlock(
        new AutoDiffCostFunction<ExponentialResidual, 1, 1, 1>(
            new ExponentialResidual(sample.x, sample.y)),
        nullptr, m, c);
  }
}

int Run() {
  Solver::Options options;
  options.linear_solver_type = DENSE_QR;
  options.num_threads = FLAGS_num_threads;
  options.max_num_iterations = 25;
  options.logging_type = SILENT;

  double m = 0.0;
  double c = 0.0;
  Solver::Summary summary;
  std::vector<double> build;
  std::vector<double> solve;
  const int num_warm_up = std::min(FLAGS_repetitions, 200);
  for (int i = 0; i < num_warm_up + FLAGS_repetitions; ++i) {
    m = 0.0;
    c = 0.0;
    Clock::time_point start = Clock::now();
    Problem problem;
    Build(&m, &c, &problem);
    const double build_time = MicrosecondsSince(start);
    start = Clock::now();
    Solve(options, &problem, &summary);
    const double solve_time = MicrosecondsSince(start);
    if (i < num_warm_up) continue;
    build.push_back(build_time);
    solve.push_back(solve_time);
  }
  std::printf("build_microseconds %.3f\n", Median(build));
  std::printf("solve_microseconds %.3f\n", Median(solve));
  std::printf("iterations %d\n",
              static_cast<int>(summary.iterations.size()) - 1);
  std::printf("final_cost %.17g\n", summary.final_cost);
  return summary.IsSolutionUsable() ? 0 : 1;
}

}  // namespace
}  // namespace ceres::examples

int main(int argc, char** argv) {
  google::InitGoogleLogging(argv[0]);
  gflags::ParseCommandLineFlags(&argc, &argv, true);
  if (FLAGS_repetitions < 1) {
    std::cerr << "--repetitions must be at least 1.\n";
    return 1;
  }
  // A warning on every solve that threads exceed the cores would be timed too.
  FLAGS_minloglevel = google::GLOG_ERROR;
  return ceres::examples::Run();
}
