// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "ceres/base/format.h"
#include "ceres/minimizer/constrained/constrained_minimizer.h"
#include "ceres/minimizer/constrained/constrained_tuning.h"
#include "ceres/problem/parameter_block.h"

// When a constrained solve ends, and what its result says.

namespace ceres::internal {

// The largest violation, relative to the constraint's scale.
double ConstrainedMinimizer::LargestViolation(
    const std::vector<double>& c) const {
  double largest = 0.0;
  for (int i = 0; i < constraints_.size(); ++i) {
    const double violation = constraints_.Violation(i, c);
    if (violation == 0.0) continue;
    largest = std::max(largest, violation / scales_[i]);
  }
  return largest;
}

// The cost is the difference of two sums. Rounding does not make it negative.
double ConstrainedMinimizer::CostAt(double lagrangian,
                                    const std::vector<double>& c) const {
  const double penalty = constraints_.Penalty(c);
  const double cost = lagrangian - penalty;
  return std::abs(cost) <= kRoundingOfModel * penalty ? std::max(cost, 0.0)
                                                      : cost;
}

// sum_i |lambda_i (c_i - clamp(z_i))|
double ConstrainedMinimizer::Complementarity() const {
  double sum = 0.0;
  for (int i = 0; i < constraints_.size(); ++i) {
    const double z = constraints_.Shifted(i, constraints_.values);
    sum += std::abs(constraints_.multipliers[i] *
                    (constraints_.values[i] - constraints_.Clamp(i, z)));
  }
  return sum;
}

double ConstrainedMinimizer::RoundingOfComplementarity() const {
  double sum = 0.0;
  for (int i = 0; i < constraints_.size(); ++i) {
    sum += std::abs(constraints_.multipliers[i]) * roundings_[i];
  }
  return sum;
}

// What the gradient of L with the multipliers of the step promises without the
// curvature of the constraints. A constraint that has hardly a gradient has a
// multiplier, and with it a curvature, that hides any decrease. Where no
// multipliers exist, the promise is empty: steps change nothing but rounding.
double ConstrainedMinimizer::DecreaseInSight() const {
  std::vector<double> gradient = gradient_;
  std::vector<double> curvature = CostCurvatures();
  std::vector<double> factors(constraints_.size());
  for (int i = 0; i < constraints_.size(); ++i) {
    factors[i] = next_multipliers_[i] - estimates_[i];
  }
  constraints_.AddTransposed(factors, gradient.data());
  for (int i = 0; i < constraints_.size(); ++i) {
    factors[i] = next_multipliers_[i] == 0.0 ? 0.0 : weights_[i];
  }
  constraints_.AddSquares(factors, curvature.data());
  double sum = 0.0;
  for (std::size_t j = 0; j < gradient.size(); ++j) {
    if (curvature[j] > 0.0) sum += gradient[j] * gradient[j] / curvature[j];
  }
  return 0.5 * sum;
}

// The predicted decrease of the step without damping, about.
double ConstrainedMinimizer::PossibleDecrease() const {
  return predicted_decrease_ / std::min(1.0, strategy_.radius());
}

// Ends the solve at x if the constraints hold and the step promises nothing.
bool ConstrainedMinimizer::EndsAtState() {
  if (!(iteration_.constraint_violation <= options_.constraint_tolerance)) {
    return false;
  }
  const double scale = options_.function_tolerance *
                       std::max(cost_, kPartOfInitialCost * initial_cost_);
  const double complementarity = Complementarity();
  // No cost is below zero.
  const bool has_cost =
      cost_ > kRoundingOfModel * std::max(initial_cost_, lagrangian_);
  if (has_cost && complementarity > std::max(kNegligibleComplementarity * scale,
                                             RoundingOfComplementarity())) {
    return false;
  }
  const double possible = PossibleDecrease();
  const double negligible =
      std::max(kNegligibleDecrease * scale, kRoundingOfModel * lagrangian_);
  const bool hides = possible > kRoundingOfLagrangian * lagrangian_ &&
                     DecreaseInSight() > negligible;
  if (has_cost && (hides || possible > negligible) &&
      !(iteration_.gradient_max_norm <= options_.gradient_tolerance)) {
    return false;
  }
  return true;
}

// Ends a solve at a solution. A violation that is large beside rounding is
// removed first.
void ConstrainedMinimizer::FinishAtSolution() {
  const double predicted_decrease = predicted_decrease_;
  if (CanLoseViolation()) RemoveViolation();
  Finish(
      CONVERGENCE,
      Format("The constraints hold, and no step decreases the Lagrangian. "
             "Largest violation: %e <= %e. Predicted decrease of the cost: %e. "
             "Complementarity: %e.",
             result_->iterations.back().constraint_violation,
             options_.constraint_tolerance, predicted_decrease,
             Complementarity()));
}

// Whether a violation is large beside the rounding of its constraint.
bool ConstrainedMinimizer::CanLoseViolation() const {
  for (int i = 0; i < constraints_.size(); ++i) {
    if (constraints_.Violation(i, constraints_.values) >
        kLargeBesideRounding * roundings_[i]) {
      return true;
    }
  }
  return false;
}

// Moves x by Newton's step to the constraints, which is shortest with respect
// to D: a large penalty and damping leave hardly anything else. Multipliers and
// gradient are those of the last step. The violation becomes about its square;
// if it does not become smaller, x stays.
void ConstrainedMinimizer::RemoveViolation() {
  const std::vector<double> multipliers = next_multipliers_;
  const IterationSummary last = iteration_;
  constraints_.multipliers = multipliers;
  SetKappa(kPenaltyToConstraints);
  Reweigh();
  strategy_.RejectTo(kRadiusToConstraints);
  ComputeDamping();
  MinimizeModel();
  next_multipliers_ = multipliers;
  if (!iteration_.step_is_valid) return;
  EvaluateCandidate();
  iteration_.gradient_norm = last.gradient_norm;
  iteration_.gradient_max_norm = last.gradient_max_norm;
  if (!(candidate_lagrangian_ < std::numeric_limits<double>::infinity())) {
    return;
  }
  const double violation = LargestViolation(trial_values_);
  if (!(violation < last.constraint_violation)) return;
  std::swap_ranges(x_.begin(), x_.end(), candidate_.begin());
  constraints_.values = trial_values_;
  cost_ = CostAt(candidate_lagrangian_, trial_values_);
  iteration_.cost = cost_ + setup_.fixed_cost;
  iteration_.constraint_violation = violation;
  iteration_.relative_decrease = 1.0;
  iteration_.step_is_successful = true;
  FinishIteration();
}

// Ends the solve where the violation has a stationary point. The cosines of its
// gradient are relative to the largest derivatives so far: at a stationary
// point derivatives may vanish.
bool ConstrainedMinimizer::ViolationIsStationary() {
  std::vector<double> factors(constraints_.size());
  for (int i = 0; i < constraints_.size(); ++i) {
    factors[i] = constraints_.is_constraint[i] ? weights_[i] : 0.0;
  }
  std::vector<double> norms(gradient_.size(), 0.0);
  constraints_.AddSquares(factors, norms.data());
  for (std::size_t j = 0; j < norms.size(); ++j) {
    largest_weighted_norms_[j] = std::max(largest_weighted_norms_[j], norms[j]);
  }
  if (kappa_ < kPenaltyOfInfeasible || !violation_stalls_ ||
      iteration_.constraint_violation <=
          kClearViolation * options_.constraint_tolerance) {
    return false;
  }
  double total = 0.0;
  std::vector<double> slopes(gradient_.size(), 0.0);
  for (int i = 0; i < constraints_.size(); ++i) {
    const double v =
        constraints_.values[i] - constraints_.Clamp(i, constraints_.values[i]);
    total += factors[i] * v * v;
    factors[i] *= v;
  }
  if (PossibleDecrease() > kStationaryViolation * 0.5 * kappa_ * total) {
    return false;
  }
  constraints_.AddTransposed(factors, slopes.data());
  RemoveBlockedSlopes(&slopes);
  for (std::size_t j = 0; j < slopes.size(); ++j) {
    if (!(std::abs(slopes[j]) <=
          kStationaryViolation *
              std::sqrt(largest_weighted_norms_[j] * total))) {
      return false;
    }
  }
  return !Finish(INFEASIBLE, "");
}

// Sets to zero the slopes of coordinates that a bound holds.
void ConstrainedMinimizer::RemoveBlockedSlopes(
    std::vector<double>* slopes) const {
  for (int column = 0; column < program_.num_column_blocks(); ++column) {
    const ParameterBlock& block = *program_.parameter_blocks()[column];
    if (!block.has_bounds() || program_.manifolds()[column] != nullptr) {
      continue;
    }
    const int first = program_.state_offset()[column];
    for (int k = 0; k < program_.ambient_size(column); ++k) {
      double& slope = (*slopes)[program_.delta_offset()[column] + k];
      const double x = x_[first + k];
      if ((slope > 0.0 && x <= block.LowerBound(k)) ||
          (slope < 0.0 && x >= block.UpperBound(k))) {
        slope = 0.0;
      }
    }
  }
}

// Fills what the result says of constraints. At a solution, the multipliers are
// those of the last step, which was not taken: in those of x, a violation
// counts with its penalty.
void ConstrainedMinimizer::DescribeEnd() {
  result_->constraints = std::make_unique<ConstraintResult>();
  ConstraintResult& end = *result_->constraints;
  end.constraint_violation = LargestViolation(constraints_.values);
  end.stationarity = result_->iterations.back().gradient_max_norm;
  end.complementarity = Complementarity();
  end.num_active_constraints = 0;
  // At a point of least violation, penalties leave small violations of
  // constraints that do not conflict.
  double limit = options_.constraint_tolerance;
  if (result_->termination_type == INFEASIBLE &&
      end.constraint_violation < std::numeric_limits<double>::infinity()) {
    limit = std::max(limit, kSmallViolation * end.constraint_violation);
  }
  const bool has_last_step = result_->termination_type == CONVERGENCE;
  int i = 0;
  for (ConstraintFunction* function : setup_.constraints) {
    bool is_violated = false;
    for (int k = 0; k < function->size(); ++k, ++i) {
      if (!constraints_.is_constraint[i]) continue;
      const double multiplier =
          has_last_step ? next_multipliers_[i] : estimates_[i];
      function->multipliers()[k] = multiplier;
      const bool is_equality = constraints_.lower[i] == constraints_.upper[i];
      end.num_active_constraints += multiplier != 0.0 || is_equality ? 1 : 0;
      is_violated |=
          constraints_.Violation(i, constraints_.values) > limit * scales_[i];
    }
    if (is_violated) {
      end.violated_constraints.push_back(function->label());
    }
  }
  if (result_->termination_type != INFEASIBLE) return;
  result_->message = Format(
      "No point near meets all constraints: the violation has a stationary "
      "point here. The largest violation is %e. Violated:",
      end.constraint_violation);
  constexpr std::size_t kMaxNames = 10;
  const std::vector<std::string>& names = end.violated_constraints;
  for (std::size_t k = 0; k < std::min(names.size(), kMaxNames); ++k) {
    result_->message += (k == 0 ? " " : ", ") + names[k];
  }
  if (names.size() > kMaxNames) {
    result_->message += Format(", and %zu more", names.size() - kMaxNames);
  }
  result_->message += '.';
}

}  // namespace ceres::internal
