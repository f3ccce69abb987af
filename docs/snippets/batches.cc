// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Three ways to add many measurements.

#include <cmath>
#include <cstdio>
#include <vector>

#include "ceres/ceres.h"

namespace {

// [residual]
struct Sample {
  double t, y;
};

struct SampleError {
  template <typename T>
  bool operator()(const T* amplitude, const T* rate, T* residual) const {
    residual[0] = amplitude[0] * exp(rate[0] * sample.t) - sample.y;
    return true;
  }

  Sample sample;
};
using Cost = ceres::AutoDiffCostFunction<SampleError, 1, 1, 1>;
// [/residual]

// [many_residuals]
// All samples in one residual block. Refers to the samples.
struct AllSamplesError {
  template <typename T>
  bool operator()(const T* amplitude, const T* rate, T* residuals) const {
    for (const Sample& sample : samples) {
      *residuals++ = amplitude[0] * exp(rate[0] * sample.t) - sample.y;
    }
    return true;
  }

  const std::vector<Sample>& samples;
};
// [/many_residuals]

void SolveAndPrint(const char* what, const double& amplitude,
                   const double& rate, ceres::Problem* problem) {
  ceres::Solver::Options options;
  options.linear_solver_type = ceres::DENSE_QR;
  ceres::Solver::Summary summary;
  ceres::Solve(options, problem, &summary);
  std::printf("%-20s %5d %9d   %.3f %6.3f\n", what,
              problem->NumResidualBlocks(), problem->NumResiduals(), amplitude,
              rate);
}

}  // namespace

int main() {
  std::vector<Sample> samples;
  for (int i = 0; i < 1000; ++i) {
    const double t = 0.002 * i;
    samples.push_back({t, 3.0 * std::exp(-0.8 * t)});
  }
  std::printf("                    blocks residuals   result\n");
  {
    double amplitude = 1.0, rate = 0.0;
    ceres::Problem problem;
    // [one_by_one]
    for (const Sample& sample : samples) {
      problem.AddResidualBlock(new Cost(new SampleError{sample}), nullptr,
                               &amplitude, &rate);
    }
    // [/one_by_one]
    SolveAndPrint("one by one", amplitude, rate, &problem);
  }
  {
    double amplitude = 1.0, rate = 0.0;
    ceres::Problem problem;
    // [bulk]
    std::vector<ceres::CostFunction*> costs;
    std::vector<double*> parameters;  // In the order of the cost functions.
    for (const Sample& sample : samples) {
      costs.push_back(new Cost(new SampleError{sample}));
      parameters.push_back(&amplitude);
      parameters.push_back(&rate);
    }
    const std::vector<ceres::ResidualBlockId> ids =
        problem.AddResidualBlocks(costs, nullptr, parameters);
    // [/bulk]
    SolveAndPrint("in bulk", amplitude, rate, &problem);
    if (ids.size() != samples.size()) return 1;
  }
  {
    double amplitude = 1.0, rate = 0.0;
    ceres::Problem problem;
    // [one_block]
    problem.AddResidualBlock(
        new ceres::AutoDiffCostFunction<AllSamplesError, ceres::DYNAMIC, 1, 1>(
            new AllSamplesError{samples}, static_cast<int>(samples.size())),
        nullptr, &amplitude, &rate);
    // [/one_block]
    SolveAndPrint("in one block", amplitude, rate, &problem);
  }
}
