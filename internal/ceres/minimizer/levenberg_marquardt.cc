// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/minimizer/levenberg_marquardt.h"

#include <algorithm>
#include <cmath>

#include "ceres/execution/loops.h"
#include "ceres/minimizer/minimizer_tuning.h"

namespace ceres::internal {

void LevenbergMarquardt::ComputeDamping(const Execution& execution,
                                        int num_columns,
                                        const double* squared_column_norms,
                                        const double* column_scale,
                                        double* damping) const {
  const double inverse_radius = 1.0 / radius_;
  const double min_diagonal = options_.min_lm_diagonal;
  const double max_diagonal = options_.max_lm_diagonal;
  ParallelFor(
      execution, 0, num_columns,
      [&](IndexRange columns) {
        for (int j = columns.begin; j < columns.end; ++j) {
          const double s2 = column_scale[j] * column_scale[j];
          const double diagonal = squared_column_norms[j] * s2;
          // Unless the diagonal is clamped, s cancels and no division is
          // needed.
          double unscaled = squared_column_norms[j];
          if (diagonal < min_diagonal) unscaled = min_diagonal / s2;
          if (diagonal > max_diagonal) unscaled = max_diagonal / s2;
          damping[j] = std::sqrt(unscaled * inverse_radius);
        }
      },
      kMinDampingColumns);
}

TrustRegionStep LevenbergMarquardt::ComputeStep(
    const LinearModel& model, const LinearSolver::SolveOptions& limits,
    double* step) {
  LinearSolver::SolveOptions options = limits;
  const int num_columns = model.jacobian.structure->num_columns();
  damping_.Resize(model.execution, num_columns);
  ComputeDamping(model.execution, num_columns, model.squared_column_norms,
                 model.column_scale, damping_.data());
  options.damping = damping_.data();
  options.column_scale = model.column_scale;
  if (model.active_set != nullptr) {
    model.active_set->Hold(model.state, model.gradient,
                           model.squared_column_norms, &options);
  }
  TrustRegionStep result;
  result.linear = model.linear_solver->Solve(model.jacobian, options, step);
  result.num_linear_solves = 1;
  return result;
}

// The damping 1 / radius is multiplied by max(1/3, 1 - (2 quality - 1)^3).
void LevenbergMarquardt::Accept(double quality) {
  const double u = 2.0 * quality - 1.0;
  const double damping_factor = std::max(1.0 - u * u * u, 1.0 / 3.0);
  next_divisor_ = kFirstDivisor;
  radius_ =
      std::min(radius_ / damping_factor, options_.max_trust_region_radius);
}

void LevenbergMarquardt::Reject() {
  radius_ /= next_divisor_;
  next_divisor_ *= 2.0;
}

void LevenbergMarquardt::RejectTo(double radius) {
  Reject();
  radius_ = std::min(radius_, radius);
}

}  // namespace ceres::internal
