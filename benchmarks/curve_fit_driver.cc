// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// Solves a small problem over and over with DENSE_QR, and prints what one solve
// takes, a name and a value per line:
//
//   build_microseconds  the median over --repetitions of making the Problem
//   solve_microseconds  the median of Solve() from the same start
//   whole_microseconds  the median of making, solving and destroying it
//   iterations          of one solve
//   final_cost          17 significant digits
//
// --problem: `curve_fit`, the fit of 67 samples; `powell`, Powell's singular
// function; `minimum`, one residual whose start is its minimum, which is what a
// solve costs before it does anything.
//
// Uses public headers only, so that it compiles against every library with
// this API.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <iostream>
#include <map>
#include <string>
#include <vector>

#include "ceres/ceres.h"
#include "curve_fitting.h"
#include "curve_fitting_data.h"
#include "gflags/gflags.h"
#include "powell.h"

// The peer of scripts/measure.sh peer, which does not have this header.
#if !__has_include("ceres/log_sink.h")
#define PEER_LOGS_WITH_GLOG
#include "glog/logging.h"
#endif

DEFINE_string(problem, "curve_fit", "curve_fit, powell or minimum.");
DEFINE_int32(num_threads, 1, "");
DEFINE_int32(repetitions, 2000,
             "Solves that are timed; as many again warm up, at most 200.");

namespace ceres::examples {
namespace {

using Clock = std::chrono::steady_clock;

double Microseconds(Clock::time_point start, Clock::time_point end) {
  return std::chrono::duration<double, std::micro>(end - start).count();
}

double Median(std::vector<double> values) {
  const auto middle = values.begin() + values.size() / 2;
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

void BuildPowell(double* x, Problem* problem) {
  AddPowellTerms(x, x + 1, x + 2, x + 3, problem);
}

void BuildCurveFit(double* x, Problem* problem) {
  for (const Sample& sample : kCurveSamples) {
    problem->AddResidualBlock(
        new AutoDiffCostFunction<ExponentialResidual, 1, 1, 1>(
            new ExponentialResidual(sample.x, sample.y)),
        nullptr, x, x + 1);
  }
}

struct DistanceFromTen {
  template <typename T>
  bool operator()(const T* x, T* residual) const {
    residual[0] = 10.0 - x[0];
    return true;
  }
};

void BuildMinimum(double* x, Problem* problem) {
  problem->AddResidualBlock(
      new AutoDiffCostFunction<DistanceFromTen, 1, 1>(new DistanceFromTen),
      nullptr, x);
}

struct SmallProblem {
  void (*build)(double* x, Problem* problem);
  std::vector<double> start;
};

const std::map<std::string, SmallProblem>& SmallProblems() {
  static const std::map<std::string, SmallProblem> problems = {
      {"curve_fit", {BuildCurveFit, {0.0, 0.0}}},
      {"powell", {BuildPowell, {3.0, -1.0, 0.0, 1.0}}},
      {"minimum", {BuildMinimum, {10.0}}}};
  return problems;
}

int Run(const SmallProblem& small) {
  Solver::Options options;
  options.linear_solver_type = DENSE_QR;
  options.num_threads = FLAGS_num_threads;
  options.max_num_iterations = 100;
  options.logging_type = SILENT;

  std::vector<double> x;
  Solver::Summary summary;
  std::vector<double> build;
  std::vector<double> solve;
  std::vector<double> whole;
  const int num_warm_up = std::min(FLAGS_repetitions, 200);
  for (int i = 0; i < num_warm_up + FLAGS_repetitions; ++i) {
    x = small.start;
    const Clock::time_point start = Clock::now();
    Clock::time_point built;
    Clock::time_point solved;
    {
      Problem problem;
      small.build(x.data(), &problem);
      built = Clock::now();
      Solve(options, &problem, &summary);
      solved = Clock::now();
    }
    const Clock::time_point destroyed = Clock::now();
    if (i < num_warm_up) continue;
    build.push_back(Microseconds(start, built));
    solve.push_back(Microseconds(built, solved));
    whole.push_back(Microseconds(start, destroyed));
  }
  std::printf("build_microseconds %.3f\n", Median(build));
  std::printf("solve_microseconds %.3f\n", Median(solve));
  std::printf("whole_microseconds %.3f\n", Median(whole));
  std::printf("iterations %d\n",
              static_cast<int>(summary.iterations.size()) - 1);
  std::printf("final_cost %.17g\n", summary.final_cost);
  return summary.IsSolutionUsable() ? 0 : 1;
}

}  // namespace
}  // namespace ceres::examples

int main(int argc, char** argv) {
  gflags::ParseCommandLineFlags(&argc, &argv, true);
  if (FLAGS_repetitions < 1) {
    std::cerr << "--repetitions must be at least 1.\n";
    return 1;
  }
  const auto small = ceres::examples::SmallProblems().find(FLAGS_problem);
  if (small == ceres::examples::SmallProblems().end()) {
    std::cerr << "--problem=" << FLAGS_problem
              << " is none of curve_fit, powell, minimum.\n";
    return 1;
  }
#ifdef PEER_LOGS_WITH_GLOG
  // A warning on every solve that threads exceed the cores would be timed too.
  FLAGS_minloglevel = google::GLOG_ERROR;
#endif
  return ceres::examples::Run(small->second);
}
