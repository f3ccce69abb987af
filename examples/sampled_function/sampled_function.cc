// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// Minimises a function that is known at integers only: CubicInterpolator makes
// it smooth and gives its derivative. The samples are of (x - 4.5)^2, which
// cubics between them reproduce.
//
// Prints: Expected x: 4.5. Found x: 4.5, where

#include <iostream>
#include <vector>

#include "ceres/ceres.h"
#include "ceres/cubic_interpolation.h"

namespace {

using Interpolator = ceres::CubicInterpolator<ceres::Grid1D<double>>;

// residual = f(x).
class SampledFunction {
 public:
  // Refers to the interpolator, which must outlive it.
  explicit SampledFunction(const Interpolator* interpolator)
      : interpolator_(interpolator) {}

  template <typename T>
  bool operator()(const T* x, T* residual) const {
    interpolator_->Evaluate(x[0], residual);
    return true;
  }

 private:
  const Interpolator* interpolator_;
};

}  // namespace

int main() {
  constexpr int kNumSamples = 10;
  std::vector<double> samples;
  for (int x = 0; x < kNumSamples; ++x) {
    samples.push_back((x - 4.5) * (x - 4.5));
  }
  const ceres::Grid1D<double> grid(samples.data(), 0, kNumSamples);
  const Interpolator interpolator(grid);

  double x = 1.0;
  ceres::Problem problem;
  problem.AddResidualBlock(
      new ceres::AutoDiffCostFunction<SampledFunction, 1, 1>(
          new SampledFunction(&interpolator)),
      nullptr, &x);

  ceres::Solver::Options options;
  options.minimizer_progress_to_stdout = true;
  // The residual is itself a square: convergence is linear, by halves.
  options.max_num_iterations = 100;
  options.function_tolerance = 0.0;
  options.gradient_tolerance = 1e-18;
  ceres::Solver::Summary summary;
  ceres::Solve(options, &problem, &summary);

  std::cout << summary.BriefReport() << "\n";
  std::cout << "Expected x: 4.5. Found x: " << x << ", where f^2 / 2 is "
            << summary.final_cost << "\n";
  return summary.IsSolutionUsable() ? 0 : 1;
}
