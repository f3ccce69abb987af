// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "ceres/ceres.h"
#include "ceres/parallel/cancellation.h"
#include "ceres/parallel/thread_pool.h"
#include "ceres/solve_many.h"

// A measurement of x. The value may be changed between two solves.
struct Measurement {
  template <typename T>
  bool operator()(const T* x, T* residual) const {
    if (!std::isfinite(*value)) throw std::runtime_error("no measurement");
    residual[0] = x[0] - *value;
    return true;
  }
  const double* value;
};

ceres::CostFunction* MakeCost(const double* value) {
  return new ceres::AutoDiffCostFunction<Measurement, 1, 1>(
      new Measurement{value});
}

void CatchAnException() {
  const double value = NAN;
  double x = 1;
  ceres::Problem problem;
  problem.AddResidualBlock(MakeCost(&value), nullptr, &x);
  // [exceptions]
  ceres::Solver::Options options;
  options.keep_progress_on_exception = true;
  ceres::Solver::Summary summary;
  try {
    ceres::Solve(options, &problem, &summary);
  } catch (const std::runtime_error& error) {  // Thrown by a cost function.
    std::cout << "exception: " << error.what() << "\n";
  }
  // [/exceptions]
}

void UseThreadsOfTheHost(ceres::Problem& problem) {
  ceres::Solver::Options options;
  ceres::Solver::Summary summary;
  // [threads]
  ceres::parallel::ThreadPool pool(1);
  options.executor = &pool;
  options.num_threads = pool.MaxConcurrency();
  ceres::Solve(options, &problem, &summary);
  // [/threads]
  std::cout << "threads of the host: "
            << ceres::TerminationTypeToString(summary.termination_type) << "\n";
}

void StopEarly(ceres::Problem& problem) {
  ceres::Solver::Options options;
  ceres::Solver::Summary summary;
  // [stopping]
  ceres::parallel::CancellationSource source(std::chrono::milliseconds(50));
  options.cancellation_token = source.token();
  source.Cancel();  // From any thread, before the 50 ms have passed.
  ceres::Solve(options, &problem, &summary);
  // [/stopping]
  std::cout << "stopped: "
            << ceres::TerminationTypeToString(summary.termination_type) << "\n";
}

void WriteJson(ceres::Problem& problem) {
  ceres::Solver::Summary summary;
  ceres::Solve(ceres::Solver::Options(), &problem, &summary);
  // [json]
  const std::string json = summary.ToJson();
  // [/json]
  std::cout << "JSON begins with '" << json[0] << "'\n";
}

void AddInBulk(const std::vector<double>& values, std::vector<double>& x) {
  ceres::Problem problem;
  // [bulk]
  std::vector<ceres::CostFunction*> costs;
  std::vector<double*> parameters;  // In the order of the cost functions.
  for (size_t i = 0; i < values.size(); ++i) {
    costs.push_back(MakeCost(&values[i]));
    parameters.push_back(&x[i]);
  }
  problem.AddResidualBlocks(costs, new ceres::HuberLoss(1.0), parameters);
  // [/bulk]
  std::cout << "residual blocks: " << problem.NumResidualBlocks() << "\n";
}

void SolveAgain() {
  double value = 0;
  double x = 0;
  ceres::Problem problem;
  problem.AddResidualBlock(MakeCost(&value), nullptr, &x);
  ceres::Solver::Options options;
  ceres::Solver::Summary summary;
  // [again]
  options.keep_preprocessing = true;
  for (const double measured : {1.0, 2.0, 3.0}) {
    value = measured;  // The cost function reads it.
    ceres::Solve(options, &problem, &summary);
    std::cout << "x = " << x
              << ", preprocessing was kept: " << summary.preprocessing_was_kept
              << "\n";
  }
  problem.ReleasePreprocessing();
  // [/again]
}

void SolveManyProblems(const std::vector<double>& values,
                       std::vector<double>& x) {
  // [many]
  std::vector<std::unique_ptr<ceres::Problem>> owner;
  std::vector<ceres::Problem*> problems;
  for (size_t i = 0; i < values.size(); ++i) {
    owner.push_back(std::make_unique<ceres::Problem>());
    owner.back()->AddResidualBlock(MakeCost(&values[i]), nullptr, &x[i]);
    problems.push_back(owner.back().get());
  }
  ceres::Solver::Options options;
  options.num_threads = 2;  // Problems that are solved at the same time.
  std::vector<ceres::Solver::Summary> summaries;
  ceres::SolveMany(options, problems, &summaries);
  // [/many]
  std::cout << "problems solved: "
            << std::count_if(summaries.begin(), summaries.end(),
                             [](const ceres::Solver::Summary& summary) {
                               return summary.IsSolutionUsable();
                             })
            << "\n";
}

void ComputeCovariance(ceres::Problem& problem, double* x) {
  // [covariance]
  ceres::Covariance::Options options;
  options.algorithm_type = ceres::SPARSE_CHOLESKY;
  options.min_reciprocal_condition_number = 1e-8;
  ceres::Covariance covariance(options);
  const std::vector<std::pair<const double*, const double*>> blocks = {{x, x}};
  double variance = 0;
  if (covariance.Compute(blocks, &problem)) {
    covariance.GetCovarianceBlock(x, x, &variance);
  }
  // [/covariance]
  std::cout << "variance: " << variance << "\n";
}

int main() {
  const double value = 2;
  double x = 0;
  ceres::Problem problem;
  problem.AddResidualBlock(MakeCost(&value), nullptr, &x);

  CatchAnException();
  StopEarly(problem);
  UseThreadsOfTheHost(problem);
  WriteJson(problem);
  ComputeCovariance(problem, &x);

  const std::vector<double> values = {1, 2, 3};
  std::vector<double> xs(values.size());
  AddInBulk(values, xs);
  SolveAgain();
  SolveManyProblems(values, xs);
}
