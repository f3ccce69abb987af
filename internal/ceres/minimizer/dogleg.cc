// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/minimizer/dogleg.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ceres/linear/vector_ops.h"
#include "ceres/minimizer/two_dimensional_model.h"

namespace ceres::internal {
namespace {

// The damping of the Gauss-Newton step is mu D^2. With the smallest mu, solving
// the normal equations loses at most half of the digits. With the largest mu,
// the step is no longer close to a Gauss-Newton step.
constexpr double kMinMu = 1e-8;
constexpr double kMaxMu = 1.0;
constexpr double kMuIncrease = 10.0;
constexpr double kMuDecrease = 5.0;

// How the radius follows the quality of a step: Madsen, Nielsen and Tingleff,
// "Methods for Non-Linear Least Squares Problems", 2004, equation (2.20).
constexpr double kBadQuality = 0.25;
constexpr double kGoodQuality = 0.75;
constexpr double kShrink = 0.5;
constexpr double kWiden = 3.0;

}  // namespace

Dogleg::Dogleg(const MinimizerOptions& options, int num_columns)
    : options_(options),
      num_columns_(num_columns),
      radius_(options.initial_trust_region_radius),
      mu_(kMinMu),
      diagonal_(num_columns),
      gradient_(num_columns),
      gauss_newton_(num_columns),
      damping_(num_columns) {}

TrustRegionStep Dogleg::ComputeStep(const LinearModel& model,
                                    const LinearSolver::SolveOptions& limits,
                                    double* step) {
  TrustRegionStep result;
  result.linear.termination = LinearSolverTermination::kSuccess;
  if (!is_prepared_) {
    ComputeDiagonal(model);
    result = ComputeGaussNewton(model, limits);
    if (result.linear.termination != LinearSolverTermination::kSuccess) {
      return result;
    }
    ComputeGradient(model);
    if (options_.dogleg_type == SUBSPACE_DOGLEG) {
      ComputeSubspace(model);
    }
    is_prepared_ = true;
  }
  if (gauss_newton_norm_ <= radius_) {
    std::copy(gauss_newton_.begin(), gauss_newton_.end(), step);
  } else if (options_.dogleg_type == SUBSPACE_DOGLEG && has_plane_) {
    MinimizeInSubspace(step);
  } else {
    FollowDogleg(model, step);
  }
  step_norm_ = model.collective->NormOfStep(step);
  for (int j = 0; j < num_columns_; ++j) {
    step[j] /= diagonal_[j];
  }
  result.linear.model_cost_change = model.collective->ModelCostChange(step);
  return result;
}

void Dogleg::ComputeDiagonal(const LinearModel& model) {
  for (int j = 0; j < num_columns_; ++j) {
    const double s2 = model.column_scale[j] * model.column_scale[j];
    diagonal_[j] =
        std::sqrt(std::min(std::max(model.squared_column_norms[j] * s2,
                                    options_.min_lm_diagonal),
                           options_.max_lm_diagonal) /
                  s2);
    // A zero column has a zero diagonal if min_lm_diagonal is 0.
    if (!(diagonal_[j] > 0.0)) diagonal_[j] = 1.0;
  }
}

TrustRegionStep Dogleg::ComputeGaussNewton(
    const LinearModel& model, const LinearSolver::SolveOptions& limits) {
  TrustRegionStep result;
  for (;; mu_ *= kMuIncrease) {
    for (int j = 0; j < num_columns_; ++j) {
      damping_[j] = std::sqrt(mu_) * diagonal_[j];
    }
    LinearSolver::SolveOptions options = limits;
    options.damping = damping_.data();
    options.column_scale = model.column_scale;
    if (model.active_set != nullptr) {
      model.active_set->Hold(model.state, model.gradient,
                             model.squared_column_norms, &options);
    }
    result.linear = model.linear_solver->Solve(model.jacobian, options,
                                               gauss_newton_.data());
    ++result.num_linear_solves;
    for (int j = 0; j < num_columns_; ++j) {
      gauss_newton_[j] *= diagonal_[j];
    }
    gauss_newton_norm_ = model.collective->NormOfStep(gauss_newton_.data());
    // If the iterative refinement did not converge, the step is still usable.
    if (result.linear.termination == LinearSolverTermination::kNoConvergence) {
      result.linear.termination = LinearSolverTermination::kSuccess;
    }
    if (result.linear.termination == LinearSolverTermination::kSuccess &&
        !std::isfinite(gauss_newton_norm_)) {
      result.linear.termination = LinearSolverTermination::kFailure;
      result.linear.message = "The Gauss-Newton step is not finite.";
    }
    if (result.linear.termination != LinearSolverTermination::kFailure ||
        mu_ * kMuIncrease > kMaxMu) {
      return result;
    }
  }
}

void Dogleg::ComputeGradient(const LinearModel& model) {
  for (int j = 0; j < num_columns_; ++j) {
    gradient_[j] = model.gradient[j] / diagonal_[j];
  }
  if (model.active_set != nullptr) {
    for (const int j : model.active_set->held()) {
      gradient_[j] = 0.0;
    }
  }
  gradient_norm_ = model.collective->NormOfStep(gradient_.data());
  // |c| = |g|^3 / |J D^-1 g|^2
  const double ratio = gradient_norm_ / model.collective->NormOfProduct(
                                            Unscale(gradient_, &tangent_[0]));
  cauchy_length_ = gradient_norm_ > 0.0 ? ratio * ratio * gradient_norm_ : 0.0;
}

const double* Dogleg::Unscale(const std::vector<double>& y,
                              std::vector<double>* tangent) const {
  tangent->resize(num_columns_);
  for (int j = 0; j < num_columns_; ++j) {
    (*tangent)[j] = y[j] / diagonal_[j];
  }
  return tangent->data();
}

// Computes an orthonormal basis of the plane of the gradient and the
// Gauss-Newton step. Two passes of Gram-Schmidt make it orthogonal up to
// rounding errors.
void Dogleg::ComputeSubspace(const LinearModel& model) {
  has_plane_ = false;
  if (!(gradient_norm_ > 0.0)) return;
  basis_[0] = gradient_;
  for (double& value : basis_[0]) value /= gradient_norm_;
  basis_[1] = gauss_newton_;
  double norm = gauss_newton_norm_;
  for (int pass = 0; pass < 2; ++pass) {
    const double along =
        model.collective->DotOfSteps(basis_[0].data(), basis_[1].data());
    Axpby(model.execution, num_columns_, 1.0, basis_[1].data(), -along,
          basis_[0].data(), basis_[1].data());
    const double rest = model.collective->NormOfStep(basis_[1].data());
    // If both vectors are parallel up to rounding errors, there is no plane.
    // Both lie on a line, and so does the dogleg path.
    constexpr double kParallel = 1e-8;
    if (!(rest > kParallel * norm)) return;
    for (double& value : basis_[1]) value /= rest;
    norm = 1.0;
  }
  const auto [b00, b01, b11] = model.collective->DotsOfProducts(
      Unscale(basis_[0], &tangent_[0]), Unscale(basis_[1], &tangent_[1]));
  plane_hessian_ << b00, b01, b01, b11;
  has_plane_ = plane_hessian_.allFinite();
}

void Dogleg::MinimizeInSubspace(double* y) const {
  const Eigen::Vector2d minimizer = MinimizeInDisk(
      plane_hessian_, Eigen::Vector2d(gradient_norm_, 0.0), radius_);
  for (int j = 0; j < num_columns_; ++j) {
    y[j] = minimizer[0] * basis_[0][j] + minimizer[1] * basis_[1][j];
  }
}

// Called if the Gauss-Newton step n is outside the trust region. c is the
// Cauchy step.
void Dogleg::FollowDogleg(const LinearModel& model, double* y) const {
  if (!(cauchy_length_ < radius_)) {
    for (int j = 0; j < num_columns_; ++j) {
      y[j] = -radius_ / gradient_norm_ * gradient_[j];
    }
    return;
  }
  // t is the root in [0, 1] of |c + t (n - c)|^2 = radius^2.
  const double scale =
      gradient_norm_ > 0.0 ? -cauchy_length_ / gradient_norm_ : 0.0;
  std::vector<double> c(num_columns_);
  std::vector<double> d(num_columns_);
  for (int j = 0; j < num_columns_; ++j) {
    c[j] = scale * gradient_[j];
    d[j] = gauss_newton_[j] - c[j];
  }
  const double c_dot_d = model.collective->DotOfSteps(c.data(), d.data());
  const double d_dot_d = model.collective->DotOfSteps(d.data(), d.data());
  const double room = (radius_ - cauchy_length_) * (radius_ + cauchy_length_);
  const double root = std::sqrt(c_dot_d * c_dot_d + d_dot_d * room);
  // The root has two formulas. The sign of c'd tells which one is free of
  // cancellation.
  const double t =
      c_dot_d <= 0.0 ? (root - c_dot_d) / d_dot_d : room / (c_dot_d + root);
  for (int j = 0; j < num_columns_; ++j) {
    y[j] = c[j] + t * d[j];
  }
}

void Dogleg::Accept(double quality) {
  if (quality < kBadQuality) {
    radius_ *= kShrink;
  } else if (quality > kGoodQuality) {
    radius_ = std::min(options_.max_trust_region_radius,
                       std::max(radius_, kWiden * step_norm_));
  }
  mu_ = std::max(kMinMu, mu_ / kMuDecrease);
  is_prepared_ = false;
}

void Dogleg::Reject() { radius_ *= kShrink; }

// Discards the vectors, raises mu, and shrinks the trust region.
void Dogleg::Invalidate() {
  mu_ = std::min(kMaxMu, mu_ * kMuIncrease);
  radius_ *= kShrink;
  is_prepared_ = false;
}

}  // namespace ceres::internal
