// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// curve_fitting, watched: a callback sees every iteration and, because of
// update_state_every_iteration, m and c of that iteration.
//
// Prints: Iteration 0: cost 122.87, m = 0, c = 0
// Prints: Final   m: 0.295232 c: 0.123594

#include <iostream>

#include "ceres/ceres.h"
#include "curve_fitting.h"
#include "curve_fitting_data.h"

namespace {

// Prints the progress of the two parameters, which must outlive it.
class PrintParameters final : public ceres::IterationCallback {
 public:
  PrintParameters(const double* m, const double* c) : m_(m), c_(c) {}

  ceres::CallbackReturnType operator()(
      const ceres::IterationSummary& summary) override {
    std::cout << "Iteration " << summary.iteration << ": cost " << summary.cost
              << ", m = " << *m_ << ", c = " << *c_ << "\n";
    return ceres::SOLVER_CONTINUE;
  }

 private:
  const double* m_;
  const double* c_;
};

}  // namespace

int main() {
  using ceres::examples::ExponentialResidual;
  using ceres::examples::Sample;

  double m = 0.0;
  double c = 0.0;
  ceres::Problem problem;
  for (const Sample& sample : ceres::examples::kCurveSamples) {
    problem.AddResidualBlock(
        new ceres::AutoDiffCostFunction<ExponentialResidual, 1, 1, 1>(
            new ExponentialResidual(sample.x, sample.y)),
        nullptr, &m, &c);
  }

  PrintParameters print_parameters(&m, &c);
  ceres::Solver::Options options;
  options.max_num_iterations = 25;
  options.linear_solver_type = ceres::DENSE_QR;
  // Without this, m and c are written only when the solve has ended.
  options.update_state_every_iteration = true;
  options.callbacks.push_back(&print_parameters);
  ceres::Solver::Summary summary;
  ceres::Solve(options, &problem, &summary);

  std::cout << summary.BriefReport() << "\n";
  std::cout << "Final   m: " << m << " c: " << c << "\n";
  return summary.IsSolutionUsable() ? 0 : 1;
}
