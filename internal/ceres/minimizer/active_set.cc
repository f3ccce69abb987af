// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/minimizer/active_set.h"

#include <cmath>

#include "ceres/problem/parameter_block.h"

namespace ceres::internal {
namespace {

// The ratio of the damping of a held coordinate to the norm of its column.
constexpr double kHold = 1e12;

// Whether moving the tangent coordinate by a little of `direction` would leave
// the bounds.
bool IsActive(const ParameterBlock& block, const double* x,
              const TangentMotion& motion, double direction) {
  if (motion.coordinate < 0) {
    return false;
  }
  const double velocity = motion.rate * direction;
  const double value = x[motion.coordinate];
  return (velocity < 0.0 && value <= block.LowerBound(motion.coordinate)) ||
         (velocity > 0.0 && value >= block.UpperBound(motion.coordinate));
}

}  // namespace

std::vector<TangentMotion> TangentMotions(const Program& program,
                                          int column_block, const double* x) {
  const int size = program.ambient_size(column_block);
  const int tangent_size = program.tangent_size(column_block);
  const Manifold* const manifold = program.manifolds()[column_block];
  std::vector<TangentMotion> motions(tangent_size);
  if (manifold == nullptr) {
    for (int t = 0; t < tangent_size; ++t) {
      motions[t] = {t, 1.0};
    }
    return motions;
  }
  std::vector<double> jacobian(size * tangent_size);
  if (!manifold->PlusJacobian(x, jacobian.data())) {
    return motions;
  }
  for (int t = 0; t < tangent_size; ++t) {
    int num_moved = 0;
    for (int i = 0; i < size; ++i) {
      const double rate = jacobian[i * tangent_size + t];
      if (rate != 0.0) {
        motions[t] = {i, rate};
        ++num_moved;
      }
    }
    if (num_moved != 1) {
      motions[t] = {};
    }
  }
  return motions;
}

void ActiveSet::FindActive(const double* x, const double* gradient,
                           const double* squared_column_norms) {
  active_.clear();
  for (int column = 0; column < program_.num_column_blocks(); ++column) {
    const ParameterBlock& block = *program_.parameter_blocks()[column];
    if (!block.has_bounds()) {
      continue;
    }
    const double* block_x = x + program_.state_offset()[column];
    const std::vector<TangentMotion> motions =
        TangentMotions(program_, column, block_x);
    for (int t = 0; t < program_.tangent_size(column); ++t) {
      const int j = program_.delta_offset()[column] + t;
      if (squared_column_norms[j] > 0.0 &&
          IsActive(block, block_x, motions[t], -gradient[j])) {
        active_.push_back(j);
      }
    }
  }
}

void ActiveSet::Hold(const double* x, const double* gradient,
                     const double* squared_column_norms,
                     LinearSolver::SolveOptions* options) {
  held_.clear();
  FindActive(x, gradient, squared_column_norms);
  has_active_ = !collective_->All(active_.empty());
  if (!is_holding_ || active_.empty()) {
    return;
  }
  held_ = active_;
  damping_.assign(options->damping, options->damping + program_.num_delta());
  column_scale_.assign(options->column_scale,
                       options->column_scale + program_.num_delta());
  for (const int j : held_) {
    damping_[j] = kHold * std::sqrt(squared_column_norms[j]);
    // The scaled damping is 1, so that solvers in scaled variables stay
    // accurate.
    column_scale_[j] = 1.0 / damping_[j];
  }
  options->damping = damping_.data();
  options->column_scale = column_scale_.data();
}

// An active coordinate leaves the bounds in the direction -gradient.
bool ActiveSet::IsDescent(const double* gradient, const double* step) const {
  std::vector<double> moving(step, step + program_.num_delta());
  for (const int j : active_) {
    if (gradient[j] * step[j] < 0.0) moving[j] = 0.0;
  }
  return collective_->DotOfSteps(gradient, moving.data()) < 0.0;
}

}  // namespace ceres::internal
