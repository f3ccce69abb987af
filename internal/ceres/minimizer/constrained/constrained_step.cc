// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "ceres/base/all_finite.h"
#include "ceres/base/format.h"
#include "ceres/linear/column_sums.h"
#include "ceres/linear/vector_ops.h"
#include "ceres/minimizer/constrained/constrained_minimizer.h"
#include "ceres/minimizer/constrained/constrained_tuning.h"

// How a step is computed: Newton's method for the model, whose constraint terms
// are piecewise quadratic.

namespace ceres::internal {
namespace {

bool HasStep(const LinearSolverSummary& linear) {
  return linear.termination != LinearSolverTermination::kFailure &&
         linear.termination != LinearSolverTermination::kFatalError;
}

double Dot(const std::vector<double>& a, const std::vector<double>& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

}  // namespace

// Reads: J, r, c, the radius. Writes: best_step, predicted_decrease,
// next_multipliers. Returns false if the minimizer is finished.
bool ConstrainedMinimizer::ComputeStep() {
  ComputeDamping();
  LinearSolverSummary linear = MinimizeModel();
  while (iteration_.step_is_valid && StepKeepsViolation()) {
    SetKappa(kappa_ * kPenaltyGrowth);
    Reweigh();
    linear = MinimizeModel();
  }
  if (iteration_.step_is_valid && ConstraintsOutlastCurvature()) {
    RefineStep();
  }
  if (iteration_.step_is_valid) {
    num_invalid_steps_ = 0;
    return true;
  }
  return HandleFailedStep(linear);
}

// Writes damping.
void ConstrainedMinimizer::ComputeDamping() {
  damping_.resize(gradient_.size());
  strategy_.ComputeDamping(setup_.execution, static_cast<int>(gradient_.size()),
                           squared_scale_.data(), column_scale_.data(),
                           damping_.data());
}

// Whether a larger penalty is worth a try, because the best step would hardly
// decrease the violation even if the constraints were linear: the cost
// outweighs the penalty (steering; Curtis, Jiang and Robinson 2015). Where
// the damping outweighs the cost along the step, the radius keeps the step
// short: a larger penalty would undo this.
bool ConstrainedMinimizer::StepKeepsViolation() {
  if (kappa_ >= kLargestFastPenalty ||
      iteration_.constraint_violation <= options_.constraint_tolerance) {
    return false;
  }
  const double pull_of_cost = CostSlope(best_step_, best_product_) +
                              std::max(0.0, best_curvature_ - step_damping_);
  if (step_damping_ > std::abs(pull_of_cost)) return false;
  return WeightedViolation(LinearValues()) >
         kSteering * WeightedViolation(constraints_.values);
}

// Whether the step leaves more of the constraints, if they were linear, than
// their curvature will: (lambda+ - lambda) / rho.
bool ConstrainedMinimizer::ConstraintsOutlastCurvature() {
  const double left = WeightedViolation(LinearValues());
  return left > kRoundingOfModel * WeightedViolation(constraints_.values) &&
         left > relative_curvature_ * step_damping_ * strategy_.radius();
}

// Computes the step again, with its multipliers in place of lambda: one step of
// the method of multipliers for the model. What is left of the constraints
// shrinks as it would have in the next iteration. If it hardly does, the
// constraints contradict each other, or are dependent: the first step stays.
void ConstrainedMinimizer::RefineStep() {
  const double left = WeightedViolation(LinearValues());
  const std::vector<double> multipliers = constraints_.multipliers;
  const std::vector<double> next_multipliers = next_multipliers_;
  const std::vector<double> step = best_step_;
  const std::vector<double> product = best_product_;
  const double curvature = best_curvature_;
  const std::vector<Side> sides = sides_;
  constraints_.multipliers = next_multipliers_;
  Reweigh();
  MinimizeModel();
  std::vector<double> refined = next_multipliers_;
  if (!iteration_.step_is_valid ||
      WeightedViolation(LinearValues()) > kFastDefectDecrease * left) {
    iteration_.step_is_valid = true;
    best_step_ = step;
    best_product_ = product;
    best_curvature_ = curvature;
    sides_ = sides;
    refined = next_multipliers;
  }
  constraints_.multipliers = multipliers;
  Reweigh();
  MeasureBestStep();
  next_multipliers_ = refined;
}

// The values of the constraints at the best step, if they were linear.
std::vector<double> ConstrainedMinimizer::LinearValues() {
  std::vector<double> linear = constraints_.values;
  constraints_.Multiply(best_step_.data(), &product_);
  for (int i = 0; i < constraints_.size(); ++i) linear[i] += product_[i];
  return linear;
}

// The squared curvature of active constraints along the step, sum_i w_i
// (c_i(x + s) - c_i - (A s)_i)^2. Writes product.
double ConstrainedMinimizer::SquaredCurvature() {
  constraints_.Multiply(best_step_.data(), &product_);
  double sum = 0.0;
  for (int i = 0; i < constraints_.size(); ++i) {
    if (next_multipliers_[i] == 0.0 &&
        constraints_.Violation(i, trial_values_) == 0.0) {
      continue;
    }
    const double difference =
        trial_values_[i] - constraints_.values[i] - product_[i];
    sum += weights_[i] * difference * difference;
  }
  return sum;
}

// Whether a correction for the curvature is smaller than the step.
bool ConstrainedMinimizer::CurvatureIsSmall() {
  first_lagrangian_ = candidate_lagrangian_;
  if (!(candidate_lagrangian_ < std::numeric_limits<double>::infinity())) {
    return false;
  }
  return SquaredCurvature() <=
         kSmallCurvatureOfConstraints * step_damping_ * strategy_.radius();
}

// The radius that shortens the step to where L is least along it, if its
// difference from the model grows with the fourth power of the length. With the
// curvature q of the model along the step, relative to that of the damping, the
// length is proportional to 1 / (q + 1 / radius).
double ConstrainedMinimizer::RadiusOfShorterStep() const {
  const double radius = strategy_.radius();
  const double size = step_damping_ * radius;
  const double difference =
      first_lagrangian_ - lagrangian_ + predicted_decrease_;
  if (!(size > 0.0) || difference <= kRoundingOfLagrangian * lagrangian_) {
    return radius;
  }
  const double length =
      std::min(std::max(std::cbrt(0.5 * predicted_decrease_ / difference),
                        kShortestPart),
               kLongestPart);
  const double curvature = step_curvature_ / size;
  return 1.0 / ((curvature + 1.0 / radius) / length - curvature);
}

// Estimates the multipliers of equalities at the start, if none are given:
// those of the minimizer of
//
//   gradient's + |D s|^2 / (2 Delta)    subject to    A s = 0
//
// with a small radius Delta, so that the curvature of the cost counts little.
// They are the least-squares estimates -(A D^-2 A')^-1 A D^-2 gradient.
void ConstrainedMinimizer::EstimateMultipliers() {
  const auto is_zero = [](double multiplier) { return multiplier == 0.0; };
  std::vector<double>& multipliers = constraints_.multipliers;
  const int m = constraints_.size();
  sides_.assign(m, ConstraintModel::kNone);
  for (int i = 0; i < m; ++i) {
    if (constraints_.lower[i] == constraints_.upper[i]) {
      sides_[i] = ConstraintModel::kUpper;
    }
  }
  if (std::count(sides_.begin(), sides_.end(), ConstraintModel::kUpper) == 0 ||
      !std::all_of(multipliers.begin(), multipliers.end(), is_zero)) {
    return;
  }
  MinimizerOptions options = options_;
  options.initial_trust_region_radius = kRadiusOfEstimate;
  LevenbergMarquardt strategy(options);
  const std::vector<double> values = constraints_.values;
  for (int i = 0; i < m; ++i) {
    constraints_.values[i] = constraints_.Clamp(i, values[i]);
  }
  SetKappa(kLargestFastPenalty);
  constraints_.WriteRows(sides_, &jacobian_);
  if (HasStep(SolveRows(&strategy))) {
    constraints_.Multiply(step_.data(), &product_);
    for (int i = 0; i < m; ++i) {
      if (sides_[i] == ConstraintModel::kNone) continue;
      multipliers[i] = constraints_.penalties[i] * product_[i];
    }
  }
  sides_.clear();
  constraints_.values = values;
  SetKappa(kInitialPenalty);
}

// Replaces a candidate that is not good, because constraints are curved, by the
// minimizer of the model with c(x + s) - A s in place of c(x) (second-order
// correction; Nocedal and Wright, section 18.3). The step s gives the predicted
// decrease.
void ConstrainedMinimizer::CorrectStep() {
  if (!(candidate_lagrangian_ < std::numeric_limits<double>::infinity())) {
    return;
  }
  const double predicted = predicted_decrease_;
  const std::vector<double> values = constraints_.values;
  constraints_.Multiply(best_step_.data(), &product_);
  for (int i = 0; i < constraints_.size(); ++i) {
    constraints_.values[i] = trial_values_[i] - product_[i];
  }
  const LinearSolverSummary linear = MinimizeModel();
  constraints_.values = values;
  if (!iteration_.step_is_valid) {
    iteration_.step_is_valid = true;
    return;
  }
  EvaluateCandidate();
  predicted_decrease_ = predicted;
}

// Minimizes the model by Newton's method with exact line searches: the
// minimizer of the quadratic model of the present sides is the end of the next
// segment. Begins with the sides of the last model. Writes best_step,
// predicted_decrease, next_multipliers, and whether there is such a step.
LinearSolverSummary ConstrainedMinimizer::MinimizeModel() {
  const int m = constraints_.size();
  iteration_.step_is_valid = false;
  std::fill(best_step_.begin(), best_step_.end(), 0.0);
  best_product_.assign(m, 0.0);
  best_curvature_ = 0.0;
  std::vector<Side> next = sides_.empty() ? SidesAt(best_product_) : sides_;
  LinearSolverSummary linear;
  bool is_minimized = false;
  for (int k = 0; k < kMaxModelSolves && !is_minimized; ++k) {
    sides_.swap(next);
    const int num_negative = constraints_.num_negative_rows();
    linear = SolveModel();
    if (!HasStep(linear)) break;
    if (num_negative != constraints_.num_negative_rows()) {
      // The model has changed.
      std::fill(best_step_.begin(), best_step_.end(), 0.0);
      best_product_.assign(m, 0.0);
      best_curvature_ = 0.0;
    }
    const double length = MoveTowardStep();
    next = SidesAt(best_product_);
    is_minimized = length == 1.0 && next == sides_;
    iteration_.step_is_valid = true;
  }
  if (iteration_.step_is_valid) MeasureBestStep();
  return linear;
}

std::vector<ConstrainedMinimizer::Side> ConstrainedMinimizer::SidesAt(
    const std::vector<double>& product) const {
  std::vector<Side> sides(constraints_.size());
  for (int i = 0; i < constraints_.size(); ++i) {
    sides[i] = constraints_.SideOf(
        i, constraints_.Shifted(i, constraints_.values) + product[i]);
  }
  return sides;
}

// Minimizes the quadratic model that sides_ give. Writes step_.
LinearSolverSummary ConstrainedMinimizer::SolveModel() {
  constraints_.WriteRows(sides_, &jacobian_);
  const LinearSolverSummary linear = SolveRows(&strategy_);
  if (!HasStep(linear) || constraints_.num_negative_rows() == 0) return linear;
  return AddNegativeCurvature(linear);
}

// Adds what the rows N of negative curvature change. The model has the Hessian
// M - 2 N'N, where M is that of all rows, and the stationary point
//
//   s = s0 + 2 M^-1 N'u,    (I - 2 N M^-1 N') u = N s0,    M s0 = -gradient
//
// Conjugate gradients solve for u: a product with M^-1 is a linear solve whose
// residuals of the rows N are -2u. If the model turns out not to be convex, its
// Hessian becomes M - N'N. Reads and writes step: s0, s.
LinearSolverSummary ConstrainedMinimizer::AddNegativeCurvature(
    LinearSolverSummary linear) {
  const std::vector<double> base = step_;
  std::vector<double> sum = base;
  std::vector<double> right;
  constraints_.MultiplyNegative(base.data(), &right);
  std::vector<double> residual = right;
  std::vector<double> direction = right;
  double square = Dot(right, right);
  const double first_square = square;
  if (square <= kNegligibleNegative * CostCurvature(linear.model_cost_change)) {
    return linear;
  }
  for (int k = 0; k < kMaxCurvatureSolves; ++k) {
    std::vector<double> product;
    if (!MultiplyInverse(direction, &product)) break;
    for (std::size_t q = 0; q < product.size(); ++q) {
      product[q] = direction[q] - (product[q] - right[q]);
    }
    const double curvature = Dot(direction, product);
    if (!(curvature > kSmallestConvexity * Dot(direction, direction))) {
      constraints_.DropNegativeRows(&jacobian_);
      return SolveModel();
    }
    const double length = square / curvature;
    for (std::size_t j = 0; j < sum.size(); ++j) {
      sum[j] += length * (step_[j] - base[j]);
    }
    for (std::size_t q = 0; q < residual.size(); ++q) {
      residual[q] -= length * product[q];
    }
    const double last_square = square;
    square = Dot(residual, residual);
    if (!(square > kCurvatureResidual * first_square)) break;
    for (std::size_t q = 0; q < residual.size(); ++q) {
      direction[q] = residual[q] + square / last_square * direction[q];
    }
  }
  step_ = sum;
  constraints_.WriteNegativeResiduals(std::vector<double>(right.size(), 0.0),
                                      &jacobian_);
  linear.model_cost_change =
      ModelCostChange(setup_.execution, jacobian_, step_.data());
  return linear;
}

// step = s0 + 2 M^-1 N'u, product = N step. Returns false if the linear solver
// fails.
bool ConstrainedMinimizer::MultiplyInverse(const std::vector<double>& u,
                                           std::vector<double>* product) {
  std::vector<double> residuals(u.size());
  for (std::size_t q = 0; q < u.size(); ++q) residuals[q] = -2.0 * u[q];
  constraints_.WriteNegativeResiduals(residuals, &jacobian_);
  if (!HasStep(SolveRows(&strategy_))) return false;
  constraints_.MultiplyNegative(step_.data(), product);
  return true;
}

// Solves the linear least-squares problem of all rows. Writes step_.
LinearSolverSummary ConstrainedMinimizer::SolveRows(
    LevenbergMarquardt* strategy) {
  LinearSolver::SolveOptions limits;
  limits.q_tolerance = options_.eta;
  limits.deadline =
      DeadlineOf(options_.max_solver_time_in_seconds, setup_.start);
  TrustRegionStep result;
  {
    const SolveWorkspace::LinearSolve solve(setup_.workspace);
    const LinearModel model = {jacobian_,
                               x_.data(),
                               gradient_.data(),
                               squared_scale_.data(),
                               column_scale_.data(),
                               setup_.execution,
                               setup_.linear_solver,
                               /*active_set=*/nullptr,
                               /*collective=*/nullptr};
    result = strategy->ComputeStep(model, limits, step_.data());
  }
  const double seconds = timer_.EndPhase();
  result_->num_linear_solves += result.num_linear_solves;
  result_->linear_solver_time_in_seconds += seconds;
  iteration_.step_solver_time_in_seconds += seconds;
  iteration_.linear_solver_iterations += result.linear.num_iterations;
  if (!AllFinite(step_.data(), static_cast<std::int64_t>(gradient_.size()))) {
    result.linear.termination = LinearSolverTermination::kFailure;
    result.linear.message = "The step has values that are not finite.";
  }
  return result.linear;
}

// Moves best_step s to the best point of the segment from there to p = step_,
// the minimizer of the quadratic model of sides_. Returns the length, 1 at p.
//
// Let g and H be the gradient and the damped Hessian of all terms but those of
// the constraints. Since p is a minimizer, H p = -g - A'mu with the multipliers
// mu of sides_ at p. So products with p need no matrix.
double ConstrainedMinimizer::MoveTowardStep() {
  const int m = constraints_.size();
  constraints_.Multiply(step_.data(), &product_);
  double slope = CostSlope(best_step_, best_product_);
  double curvature = -CostSlope(step_, product_);
  double mixed = -slope;
  for (int i = 0; i < m; ++i) {
    if (sides_[i] == ConstraintModel::kNone) continue;
    const double multiplier = constraints_.penalties[i] *
                              (constraints_.Shifted(i, constraints_.values) +
                               product_[i] - constraints_.Bound(i, sides_[i]));
    curvature -= multiplier * product_[i];
    mixed -= multiplier * best_product_[i];
  }
  slope = CostSlope(step_, product_) - slope + mixed - best_curvature_;
  const double difference =
      std::max(0.0, curvature - 2.0 * mixed + best_curvature_);
  for (int i = 0; i < m; ++i) product_[i] -= best_product_[i];
  const double length = BestLength(slope, difference);
  if (length == 1.0) {
    std::copy(step_.begin(), step_.begin() + best_step_.size(),
              best_step_.begin());
    best_curvature_ = std::max(0.0, curvature);
  } else {
    for (std::size_t j = 0; j < best_step_.size(); ++j) {
      best_step_[j] += length * (step_[j] - best_step_[j]);
    }
    best_curvature_ +=
        2.0 * length * (mixed - best_curvature_) + length * length * difference;
  }
  constraints_.Multiply(best_step_.data(), &best_product_);
  return length;
}

// The derivative of the cost along the step. product: A step.
double ConstrainedMinimizer::CostSlope(
    const std::vector<double>& step, const std::vector<double>& product) const {
  double slope =
      internal::Dot(setup_.execution, static_cast<int>(gradient_.size()),
                    gradient_.data(), step.data());
  for (int i = 0; i < constraints_.size(); ++i) {
    slope -= estimates_[i] * product[i];
  }
  return slope;
}

// The curvature of the cost along step_, with all curvature rows positive.
// linear_decrease: of the quadratic model of sides_. Writes product.
double ConstrainedMinimizer::CostCurvature(double linear_decrease) {
  constraints_.Multiply(step_.data(), &product_);
  double of_sides = 0.0;
  for (int i = 0; i < constraints_.size(); ++i) {
    if (sides_[i] == ConstraintModel::kNone) continue;
    const double z = constraints_.Shifted(i, constraints_.values);
    of_sides += constraints_.penalties[i] * product_[i] *
                (z - constraints_.Bound(i, sides_[i]) + 0.5 * product_[i]);
  }
  return std::max(
      0.0, 2.0 * (-linear_decrease - CostSlope(step_, product_) - of_sides));
}

// Writes what the best step promises: predicted_decrease, next_multipliers, and
// its curvature and damping.
void ConstrainedMinimizer::MeasureBestStep() {
  step_damping_ = 0.0;
  for (std::size_t j = 0; j < best_step_.size(); ++j) {
    const double scaled = damping_[j] * best_step_[j];
    step_damping_ += scaled * scaled;
  }
  step_curvature_ = std::max(0.0, best_curvature_ - step_damping_);
  predicted_decrease_ =
      -CostSlope(best_step_, best_product_) - 0.5 * step_curvature_;
  double normal_curvature = 0.0;
  double normal = 0.0;
  next_multipliers_.resize(constraints_.size());
  for (int i = 0; i < constraints_.size(); ++i) {
    const double rho = constraints_.penalties[i];
    const double z = constraints_.Shifted(i, constraints_.values);
    const double moved = z + best_product_[i];
    const double t = z - constraints_.Clamp(i, z);
    const double next = moved - constraints_.Clamp(i, moved);
    predicted_decrease_ += 0.5 * rho * (t - next) * (t + next);
    next_multipliers_[i] = rho * next;
    if (sides_[i] == ConstraintModel::kNone) continue;
    const double square = best_product_[i] * best_product_[i];
    normal_curvature += rho * square;
    normal += weights_[i] * square;
  }
  if (normal > kNormalPart * step_damping_ * strategy_.radius()) {
    step_curvature_ += normal_curvature;
  }
}

// The decrease of the model, without the damping, by any step. The Jacobian has
// the rows of sides_.
double ConstrainedMinimizer::DecreaseOfModel(const double* step) {
  double decrease = ModelCostChange(setup_.execution, jacobian_, step);
  std::vector<double> negative;
  constraints_.MultiplyNegative(step, &negative);
  for (const double value : negative) decrease += value * value;
  constraints_.Multiply(step, &product_);
  for (int i = 0; i < constraints_.size(); ++i) {
    const double z = constraints_.Shifted(i, constraints_.values);
    const double moved = z + product_[i];
    const double t = z - constraints_.Clamp(i, z);
    const double next = moved - constraints_.Clamp(i, moved);
    double change = (t - next) * (t + next);
    if (sides_[i] != ConstraintModel::kNone) {
      change +=
          product_[i] * (moved + z - 2.0 * constraints_.Bound(i, sides_[i]));
    }
    decrease += 0.5 * constraints_.penalties[i] * change;
  }
  return decrease;
}

// The length in (0, 1] at which the model is least between the best step and
// step_, to half its digits. slope, curvature: of the terms that are no
// constraints'. product_: A times the difference.
double ConstrainedMinimizer::BestLength(double slope, double curvature) const {
  const auto derivative = [&](double length) {
    double sum = slope + length * curvature;
    for (int i = 0; i < constraints_.size(); ++i) {
      const double z = constraints_.Shifted(i, constraints_.values) +
                       best_product_[i] + length * product_[i];
      sum += constraints_.penalties[i] * (z - constraints_.Clamp(i, z)) *
             product_[i];
    }
    return sum;
  };
  const double first = derivative(0.0);
  if (!(first < 0.0) || !(derivative(1.0) > kFlatSlope * -first)) return 1.0;
  double low = 0.0;
  double high = 1.0;
  for (int k = 0; k < kMaxBisections; ++k) {
    const double middle = 0.5 * (low + high);
    (derivative(middle) < 0.0 ? low : high) = middle;
  }
  return low > 0.0 ? low : high;
}

bool ConstrainedMinimizer::HandleFailedStep(const LinearSolverSummary& linear) {
  if (linear.termination == LinearSolverTermination::kFatalError) {
    return Finish(FAILURE,
                  "The linear solver cannot compute a step, however small the "
                  "trust region is: " +
                      linear.message);
  }
  ++num_invalid_steps_;
  if (num_invalid_steps_ >= options_.max_num_consecutive_invalid_steps) {
    return Finish(
        FAILURE,
        Format("No valid step was found. The number of invalid steps in a row "
               "has reached %s::max_num_consecutive_invalid_steps = %d. The "
               "last step: %s",
               options_.options_name,
               options_.max_num_consecutive_invalid_steps,
               linear.message.c_str()));
  }
  strategy_.Invalidate();
  iteration_.step_is_successful = false;
  iteration_.cost = cost_ + setup_.fixed_cost;
  return true;
}

}  // namespace ceres::internal
