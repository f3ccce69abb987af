// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Solves that stop where they began, and their cures.

#include <cmath>
#include <cstdio>

#include "ceres/ceres.h"
#include "outcome.h"

// [rounding]
// A lookup in a table: constant between two entries.
struct Lookup {
  bool operator()(const double* x, double* residual) const {
    static const double kTable[] = {0.0, 1.0, 4.0, 9.0, 16.0, 25.0};
    residual[0] = kTable[static_cast<int>(x[0])] - 12.0;
    return true;
  }
};

// The same, interpolated between two entries.
struct Interpolation {
  bool operator()(const double* x, double* residual) const {
    static const double kTable[] = {0.0, 1.0, 4.0, 9.0, 16.0, 25.0};
    const int i = static_cast<int>(x[0]);
    const double t = x[0] - i;
    residual[0] = (1.0 - t) * kTable[i] + t * kTable[i + 1] - 12.0;
    return true;
  }
};
// [/rounding]

// [wrong]
// x^2 - 2 with a wrong sign in its derivative.
class Square : public ceres::SizedCostFunction<1, 1> {
 public:
  bool Evaluate(double const* const* parameters, double* residuals,
                double** jacobians) const override {
    const double x = parameters[0][0];
    residuals[0] = x * x - 2.0;
    if (jacobians != nullptr && jacobians[0] != nullptr) {
      jacobians[0][0] = -2.0 * x;
    }
    return true;
  }
};
// [/wrong]

template <typename Cost>
void Solve(Cost* cost, const ceres::Solver::Options& options, double x) {
  ceres::Problem problem;
  problem.AddResidualBlock(cost, nullptr, &x);
  ceres::Solver::Summary summary;
  ceres::Solve(options, &problem, &summary);
  PrintOutcome(summary);
  if (!summary.IsSolutionUsable()) return;
  // The initial point counts as a successful step.
  std::printf("x = %.3f, accepted steps: %d, rejected steps: %d\n", x,
              summary.num_successful_steps - 1, summary.num_unsuccessful_steps);
}

int main() {
  using Lookups = ceres::NumericDiffCostFunction<Lookup, ceres::CENTRAL, 1, 1>;
  using Interpolations =
      ceres::NumericDiffCostFunction<Interpolation, ceres::CENTRAL, 1, 1>;
  ceres::Solver::Options options;

  std::printf("-- a table\n");
  Solve(new Lookups(new Lookup), options, 1.5);
  std::printf("-- an interpolated table\n");
  Solve(new Interpolations(new Interpolation), options, 1.5);

  std::printf("-- a wrong derivative\n");
  Solve(new Square, options, 1.0);
  std::printf("-- a wrong derivative, with check_gradients\n");
  options.check_gradients = true;
  Solve(new Square, options, 1.0);
  options.check_gradients = false;

  std::printf("-- a constant parameter block\n");
  double x = 1.0;
  ceres::Problem problem;
  problem.AddResidualBlock(new Square, nullptr, &x);
  problem.SetParameterBlockConstant(&x);
  ceres::Solver::Summary summary;
  ceres::Solve(options, &problem, &summary);
  std::printf("%s\n", summary.message.c_str());
}
