// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/minimizer/constrained/constrained_minimizer.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "ceres/base/clock.h"
#include "ceres/base/format.h"
#include "ceres/base/number.h"
#include "ceres/linear/vector_ops.h"
#include "ceres/minimizer/constrained/constrained_tuning.h"
#include "ceres/minimizer/inside_bounds.h"
#include "ceres/minimizer/jacobi_scale.h"
#include "ceres/minimizer/stationarity.h"
#include "ceres/problem/parameter_block.h"

namespace ceres::internal {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace

ConstrainedMinimizer::ConstrainedMinimizer(const Setup& setup)
    : setup_(setup),
      options_(*setup.options),
      program_(*setup.program),
      constraints_(program_, setup.evaluator->structure(), setup.constraints),
      strategy_(options_) {
  const int num_columns = program_.num_delta();
  const int larger = std::max(program_.num_state(), num_columns);
  jacobian_.structure = &setup.evaluator->structure();
  jacobian_.values.Resize(setup.execution, jacobian_.structure->num_values());
  x_.resize(program_.num_state());
  candidate_.resize(larger);
  step_.resize(larger);
  best_step_.resize(num_columns);
  gradient_.resize(num_columns);
  squared_norms_.resize(num_columns);
  squared_scale_.resize(num_columns);
  column_scale_.assign(num_columns, 1.0);
  largest_weighted_norms_.assign(num_columns, 0.0);
}

ConstrainedMinimizer::~ConstrainedMinimizer() {
  jacobian_.values.Release(setup_.execution);
}

void ConstrainedMinimizer::Minimize(double* state, MinimizerResult* result) {
  result_ = result;
  result_->num_successful_steps = 0;
  result_->num_unsuccessful_steps = 0;
  result_->num_linear_solves = 0;
  result_->num_residual_evaluations = 0;
  result_->num_jacobian_evaluations = 0;
  result_->linear_solver_time_in_seconds = 0.0;
  result_->residual_evaluation_time_in_seconds = 0.0;
  result_->jacobian_evaluation_time_in_seconds = 0.0;
  std::copy(state, state + x_.size(), x_.begin());
  iteration_start_ = timer_.last_reading();
  const auto return_point = [&] {
    std::copy(x_.begin(), x_.end(), state);
    if (!result_->iterations.empty()) DescribeEnd();
  };
  try {
    Iterate();
  } catch (const Stopped&) {
    Termination stopped =
        DescribeStop(options_, *setup_.execution.stop,
                     static_cast<int>(result_->iterations.size()),
                     Seconds(setup_.start, parallel::detail::SteadyNow()));
    Finish(stopped.type, std::move(stopped.message));
  } catch (...) {
    return_point();
    throw;
  }
  return_point();
}

void ConstrainedMinimizer::Iterate() {
  if (!Start()) return;
  if (setup_.execution.stop != nullptr) {
    setup_.execution.stop->LetDeadlineCount();
  }
  while (FinishIteration()) {
    const IterationSummary& last = result_->iterations.back();
    iteration_ = IterationSummary();
    iteration_.iteration = last.iteration + 1;
    iteration_.gradient_norm = last.gradient_norm;
    iteration_.gradient_max_norm = last.gradient_max_norm;
    iteration_.constraint_violation = last.constraint_violation;
    iteration_.eta = options_.eta;
    if (!ComputeStep()) return;
    if (!iteration_.step_is_valid) continue;
    if (EndsAtState()) {
      FinishAtSolution();
      return;
    }
    EvaluateCandidate();
    bool is_good = StepIsGood();
    if (!is_good && CurvatureIsSmall()) {
      CorrectStep();
      is_good = StepIsGood();
    }
    if (!is_good) {
      RejectStep();
      if (!LowerPenalties()) return;
    } else if (!AcceptStep()) {
      return;
    }
  }
}

bool ConstrainedMinimizer::Start() {
  std::fill(step_.begin(), step_.end(), 0.0);
  if (!program_.Plus(x_.data(), step_.data(), candidate_.data())) {
    return Finish(FAILURE,
                  "The initial point could not be projected onto the bounds: a "
                  "manifold's Plus returned false.");
  }
  std::copy(candidate_.begin(), candidate_.begin() + x_.size(), x_.begin());
  if (!EvaluateStart()) return false;
  cost_ = CostAt(lagrangian_, constraints_.values);
  initial_size_ =
      cost_ + 0.5 * std::pow(WeightedViolation(constraints_.values), 2);
  MeasureState();
  initial_cost_ = cost_;
  result_->initial_cost = cost_ + setup_.fixed_cost;
  for (std::size_t j = 0; options_.jacobi_scaling && j < gradient_.size();
       ++j) {
    const double norm = std::sqrt(squared_scale_[j]);
    if (!(norm > 0.0)) continue;
    column_scale_[j] = JacobiScale(norm);
  }
  last_defect_ = kInfinity;
  last_predicted_ = kInfinity;
  stationary_defect_ = kInfinity;
  stalled_violation_ = kInfinity;
  iteration_.step_is_valid = true;
  iteration_.step_is_successful = true;
  iteration_.eta = options_.eta;
  return true;
}

// Evaluates the start twice: the weights need the derivatives, and the gradient
// needs the weights.
bool ConstrainedMinimizer::EvaluateStart() {
  const std::vector<double> no_curvature(constraints_.size(), 0.0);
  std::string error;
  kappa_ = kappa_floor_ = kInitialPenalty;
  std::vector<double> multipliers(constraints_.size(), 0.0);
  constraints_.multipliers.swap(multipliers);
  constraints_.Publish(no_curvature);
  chosen_norms_.assign(constraints_.size(), 0.0);
  if (!EvaluateJacobian(&error) || !LeaveTinyGradients(&has_moved_, &error)) {
    return Finish(
        FAILURE,
        "The residuals and their Jacobian could not be evaluated: " + error);
  }
  const double cost = CostAt(lagrangian_, constraints_.values);
  weights_.assign(constraints_.size(), 1.0);
  chosen_distances_.assign(constraints_.size(), 0.0);
  num_choices_.assign(constraints_.size(), 0);
  ChooseWeights(std::vector<bool>(constraints_.size(), true));
  if (has_moved_) ShortenFirstStep();
  constraints_.multipliers.swap(multipliers);
  DropLargeMultipliers(std::vector<bool>(constraints_.size(), true),
                       cost / kRoundingOfLagrangian);
  EstimateMultipliers();
  constraints_.Publish(constraints_.multipliers);
  if (!EvaluateJacobian(&error)) {
    return Finish(
        FAILURE,
        "The residuals and their Jacobian could not be evaluated: " + error);
  }
  return true;
}

// Moves x a little if a violated constraint has no gradient or a tiny one: its
// linear model does not say how to meet it. Keeps the move if the gradient of
// such a constraint grows much. Constraints without a gradient that hold get
// their scale from the moved point: chosen_norms.
bool ConstrainedMinimizer::LeaveTinyGradients(bool* moves, std::string* error) {
  std::vector<double> norms;
  std::vector<double> unused;
  constraints_.RowNorms(gradient_.data(), &norms, &unused);
  std::vector<bool> is_tiny(constraints_.size());
  std::vector<bool> is_violated(constraints_.size());
  const bool is_start = num_choices_.empty();
  for (int i = 0; i < constraints_.size(); ++i) {
    is_violated[i] = constraints_.Violation(i, constraints_.values) > 0.0;
    is_tiny[i] = is_violated[i]
                     ? constraints_.Violation(i, constraints_.values) >=
                           kTinyGradient * std::sqrt(norms[i])
                     : norms[i] == 0.0 && is_start;
  }
  *moves = false;
  if (std::find(is_tiny.begin(), is_tiny.end(), true) == is_tiny.end()) {
    return true;
  }
  ++num_tries_to_move_;
  const std::vector<double> start = x_;
  WriteMove(is_tiny);
  if (program_.Plus(start.data(), step_.data(), candidate_.data())) {
    std::copy(candidate_.begin(), candidate_.begin() + x_.size(), x_.begin());
    std::string message;
    if (EvaluateJacobian(&message)) {
      std::vector<double> near;
      constraints_.RowNorms(gradient_.data(), &near, &unused);
      for (int i = 0; i < constraints_.size(); ++i) {
        if (chosen_norms_[i] == 0.0) chosen_norms_[i] = near[i];
        *moves = *moves || (is_tiny[i] && is_violated[i] &&
                            near[i] > kGrowthOfGradient * norms[i]);
      }
    }
  }
  std::fill(step_.begin(), step_.end(), 0.0);
  if (*moves) return true;
  x_ = start;
  return EvaluateJacobian(error);
}

// step_ = a move of all coordinates of these constraints by different lengths,
// upwards unless an upper bound holds them.
void ConstrainedMinimizer::WriteMove(const std::vector<bool>& is_tiny) {
  const int n = static_cast<int>(gradient_.size());
  std::vector<bool> moves;
  constraints_.MarkColumns(is_tiny, n, &moves);
  for (int column = 0; column < program_.num_column_blocks(); ++column) {
    const ParameterBlock& block = *program_.parameter_blocks()[column];
    const bool has_bounds =
        block.has_bounds() && program_.manifolds()[column] == nullptr;
    const double* const x = x_.data() + program_.state_offset()[column];
    const int first = program_.delta_offset()[column];
    const int end = column + 1 < program_.num_column_blocks()
                        ? program_.delta_offset()[column + 1]
                        : n;
    for (int j = first; j < end; ++j) {
      if (!moves[j]) continue;
      // Multiples of the golden ratio, modulo 1, are all different.
      const double part = std::fmod(kGoldenRatio * (j + 1), 1.0);
      step_[j] = kLengthOfMove * (0.5 + part);
      if (has_bounds && x[j - first] >= block.UpperBound(j - first)) {
        step_[j] = -step_[j];
      }
    }
  }
}

// Leaves a saddle point of the violation; once in a solve, because it may be a
// minimum. Returns false if the minimizer is finished.
bool ConstrainedMinimizer::MoveOnce() {
  if (has_moved_ || num_tries_to_move_ >= kMaxTriesToMove) return true;
  std::string error;
  if (!LeaveTinyGradients(&has_moved_, &error)) {
    return Finish(FAILURE,
                  "The Jacobian could not be evaluated again: " + error);
  }
  if (has_moved_) MeasureState();
  return true;
}

// The gradient near a point where it is zero says little of the constraint
// farther away: the step to the constraint, to first order, gets the length of
// about 1 at most. The penalty outweighs the damping kappa Delta times.
void ConstrainedMinimizer::ShortenFirstStep() {
  double distance = 1.0;
  for (int i = 0; i < constraints_.size(); ++i) {
    distance = std::max(distance, chosen_distances_[i]);
  }
  if (distance < kInfinity) strategy_.RejectTo(1.0 / (kappa_ * distance));
}

// diag(J'J) of the rows that are no constraints. Column norms without the rows
// of constraints would be the same, but for rounding: large penalties cancel.
std::vector<double> ConstrainedMinimizer::CostCurvatures() const {
  const BlockJacobianStructure& s = *jacobian_.structure;
  std::vector<double> curvature(gradient_.size(), 0.0);
  for (int row = 0; row < s.num_row_blocks(); ++row) {
    if (constraints_.IsConstraintRow(row)) continue;
    for (int cell = s.first_cell[row]; cell < s.first_cell[row + 1]; ++cell) {
      const int column = s.cell_column[cell];
      const int n = s.column_size(column);
      const double* entry = jacobian_.row_block(row) + s.cell_position[cell];
      double* const sums = &curvature[s.column_offset[column]];
      for (int r = 0; r < s.row_size(row); ++r) {
        for (int k = 0; k < n; ++k, ++entry) sums[k] += *entry * *entry;
      }
    }
  }
  return curvature;
}

// For the chosen coordinates, w_i = sum_j A_ij^2 D_j / |A_i|^4 with D =
// diag(J'J) of the rows that are no constraints, at least kSmallCurvature times
// the largest of them. Without a gradient anywhere near, the distance from the
// bound takes its place.
void ConstrainedMinimizer::ChooseWeights(const std::vector<bool>& is_chosen) {
  const std::vector<double> curvature = CostCurvatures();
  const double largest =
      curvature.empty() ? 0.0
                        : *std::max_element(curvature.begin(), curvature.end());
  std::vector<double> scaled;
  constraints_.RowNorms(curvature.data(), &row_norms_, &scaled);
  for (int i = 0; i < constraints_.size(); ++i) {
    if (!is_chosen[i]) continue;
    double norm = row_norms_[i] > 0.0 ? row_norms_[i] : chosen_norms_[i];
    chosen_norms_[i] = norm;
    if (!(norm > 0.0)) {
      const double c = constraints_.values[i];
      const double distance = std::min(std::abs(c - constraints_.lower[i]),
                                       std::abs(c - constraints_.upper[i]));
      norm = distance > 0.0 && distance < kInfinity ? distance * distance : 1.0;
    }
    const double along = std::max(scaled[i] / norm, kSmallCurvature * largest);
    weights_[i] = (along > 0.0 ? along : 1.0) / norm;
    constraints_.penalties[i] = kappa_ * weights_[i];
    chosen_distances_[i] = FirstOrderDistance(i);
    ++num_choices_[i];
  }
  squared_scale_ = curvature;
  constraints_.AddSquares(weights_, squared_scale_.data());
}

double ConstrainedMinimizer::FirstOrderDistance(int i) const {
  const double violation = constraints_.Violation(i, constraints_.values);
  return violation == 0.0 ? 0.0 : violation / std::sqrt(row_norms_[i]);
}

// Multipliers that were estimated with a much larger penalty are arbitrary. In
// a user's start, they hide the cost. largest_shift: of lambda^2 / (2 rho).
void ConstrainedMinimizer::DropLargeMultipliers(
    const std::vector<bool>& is_chosen, double largest_shift) {
  next_multipliers_.resize(constraints_.size());
  for (int i = 0; i < constraints_.size(); ++i) {
    if (!is_chosen[i]) continue;
    const double limit = 2.0 * largest_shift * constraints_.penalties[i];
    for (std::vector<double>* const multipliers :
         {&constraints_.multipliers, &next_multipliers_}) {
      double& multiplier = (*multipliers)[i];
      if (multiplier * multiplier > limit) multiplier = 0.0;
    }
  }
}

// Chooses the weights anew of constraints whose gradient's norm has changed
// much. One that has decreased counts if the constraint has come no farther
// from its bounds, to first order: at a stationary point of the violation the
// gradient vanishes. Multipliers stay, but for arbitrary ones. Returns false if
// the minimizer is finished.
bool ConstrainedMinimizer::RenewWeights() {
  std::vector<bool> is_chosen(constraints_.size(), false);
  bool has_grown = false;
  for (int i = 0; i < constraints_.size(); ++i) {
    const double norm = row_norms_[i];
    if (num_choices_[i] >= kMaxChoices || !constraints_.is_constraint[i]) {
      continue;
    }
    is_chosen[i] =
        norm > kGrowthOfGradient * chosen_norms_[i] ||
        (norm > 0.0 && kDecreaseOfGradient * norm < chosen_norms_[i] &&
         FirstOrderDistance(i) <= chosen_distances_[i]);
    has_grown = has_grown || (is_chosen[i] && norm > chosen_norms_[i]);
  }
  if (std::find(is_chosen.begin(), is_chosen.end(), true) == is_chosen.end()) {
    return true;
  }
  if (has_grown && num_renewals_++ < kMaxChoices) {
    kappa_floor_ = kInitialPenalty;
    SetKappa(kInitialPenalty);
  }
  ChooseWeights(is_chosen);
  DropLargeMultipliers(is_chosen, kLargestShift * cost_);
  constraints_.Publish(next_multipliers_);
  std::string error;
  if (!EvaluateJacobian(&error)) {
    return Finish(FAILURE,
                  "The Jacobian could not be evaluated again: " + error);
  }
  // What was measured with the old weights.
  last_defect_ = kInfinity;
  last_predicted_ = kInfinity;
  stationary_defect_ = kInfinity;
  stalled_violation_ = kInfinity;
  violation_stalls_ = false;
  largest_violation_ = 0.0;
  std::fill(largest_weighted_norms_.begin(), largest_weighted_norms_.end(),
            0.0);
  MeasureState();
  return true;
}

// Writes: L, the Jacobian, the gradient of L, and the column norms at x.
bool ConstrainedMinimizer::EvaluateJacobian(std::string* error) {
  Evaluator::Result result = setup_.evaluator->EvaluateJacobian(
      x_.data(), true, &lagrangian_, &jacobian_, gradient_.data(),
      squared_norms_.data());
  ++result_->num_jacobian_evaluations;
  result_->jacobian_evaluation_time_in_seconds += timer_.EndPhase();
  if (!result) {
    *error = std::move(result.message);
    return false;
  }
  constraints_.TakeJacobian(jacobian_);
  // The columns keep the norms of the rows that are no constraints'.
  std::vector<double> factors(constraints_.size());
  for (int i = 0; i < constraints_.size(); ++i) {
    factors[i] = -constraints_.penalties[i];
  }
  constraints_.AddSquares(factors, squared_norms_.data());
  return true;
}

// Writes what an evaluation at x with the present penalties and multipliers
// would give.
void ConstrainedMinimizer::Reweigh() {
  std::vector<double> changes(constraints_.size());
  for (int i = 0; i < constraints_.size(); ++i) {
    const double z = constraints_.Shifted(i, constraints_.values);
    changes[i] = constraints_.penalties[i] * (z - constraints_.Clamp(i, z)) -
                 estimates_[i];
  }
  constraints_.AddTransposed(changes, gradient_.data());
  lagrangian_ = cost_ + constraints_.Penalty(constraints_.values);
  constraints_.Publish(next_multipliers_);
  MeasureState();
}

// Reads what EvaluateJacobian has written. Writes: cost, norms of the gradient,
// violation, the scale of the region.
void ConstrainedMinimizer::MeasureState() {
  const int n = static_cast<int>(gradient_.size());
  cost_ = CostAt(lagrangian_, constraints_.values);
  MeasureRows();
  iteration_.cost = cost_ + setup_.fixed_cost;
  iteration_.gradient_norm = Norm(setup_.execution, n, gradient_.data());
  iteration_.gradient_max_norm = 0.0;
  for (const double g : gradient_) {
    iteration_.gradient_max_norm =
        std::max(iteration_.gradient_max_norm, std::abs(g));
  }
  iteration_.constraint_violation = LargestViolation(constraints_.values);
  largest_violation_ =
      std::max(largest_violation_, WeightedViolation(constraints_.values));
  estimates_.resize(constraints_.size());
  for (int i = 0; i < constraints_.size(); ++i) {
    const double z = constraints_.Shifted(i, constraints_.values);
    estimates_[i] = constraints_.penalties[i] * (z - constraints_.Clamp(i, z));
  }
  // The rows of constraints count with their weights in place of their
  // penalties, if they are active.
  std::vector<double> factors(constraints_.size());
  std::vector<double> added(gradient_.size(), 0.0);
  for (int i = 0; i < constraints_.size(); ++i) {
    const double z = constraints_.Shifted(i, constraints_.values);
    factors[i] =
        constraints_.SideOf(i, z) == ConstraintModel::kNone ? 0.0 : weights_[i];
  }
  constraints_.AddSquares(factors, added.data());
  for (std::size_t j = 0; j < gradient_.size(); ++j) {
    squared_scale_[j] = std::max(squared_norms_[j], 0.0) + added[j];
  }
}

// Writes scales and roundings. A constraint is a difference of terms of the
// sizes |A_ij x_j|, as a rule.
void ConstrainedMinimizer::MeasureRows() {
  std::vector<double> sizes = CostCurvatures();
  constraints_.AddSquares(weights_, sizes.data());
  const double size = 2.0 * (cost_ + kPartOfInitialSize * initial_size_);
  for (double& square : sizes) square = square > 0.0 ? size / square : 0.0;
  constraints_.RowNorms(sizes.data(), &row_norms_, &scales_);
  const std::vector<double> ones(gradient_.size(), 1.0);
  SizesOfTerms(setup_.execution, program_, x_.data(), ones.data(),
               sizes.data());
  for (double& size : sizes) size *= size;
  constraints_.RowNorms(sizes.data(), &row_norms_, &roundings_);
  for (int i = 0; i < constraints_.size(); ++i) {
    roundings_[i] = kRoundingOfPoint * std::sqrt(roundings_[i]);
    scales_[i] =
        std::max(std::sqrt(scales_[i]), kRoundingOfValue * roundings_[i] /
                                            options_.constraint_tolerance);
  }
}

bool ConstrainedMinimizer::FinishIteration() {
  if (iteration_.step_is_successful) {
    ++result_->num_successful_steps;
  } else {
    ++result_->num_unsuccessful_steps;
  }
  iteration_.trust_region_radius = strategy_.radius();
  const Clock::time_point now = timer_.last_reading();
  iteration_.iteration_time_in_seconds = Seconds(iteration_start_, now);
  iteration_.cumulative_time_in_seconds = Seconds(setup_.start, now);
  result_->iterations.push_back(iteration_);
  result_->final_cost = cost_ + setup_.fixed_cost;
  if (setup_.update_user_state) {
    program_.WriteUserMemory(setup_.execution, x_.data());
  }
  if (std::optional<Termination> end = CheckBetweenIterations()) {
    return Finish(end->type, std::move(end->message));
  }
  return true;
}

std::optional<Termination> ConstrainedMinimizer::CheckBetweenIterations() {
  std::optional<Termination> end;
  if (!setup_.callbacks.empty()) {
    end = RunCallbacks(setup_.callbacks, iteration_);
    if (end) return end;
    timer_.EndPhase();
  }
  iteration_start_ = timer_.last_reading();
  end = CheckLimits(options_, iteration_.iteration,
                    Seconds(setup_.start, timer_.last_reading()));
  if (end) end->message += DescribeFailedPoints();
  if (!end) CheckStop(setup_.execution);
  if (!end && strategy_.radius() <= options_.min_trust_region_radius) {
    const bool is_feasible =
        iteration_.constraint_violation <= options_.constraint_tolerance;
    std::string message = Format(
        "The trust region radius %e is not above "
        "%s::min_trust_region_radius = %e. The largest violation of a "
        "constraint is %e.",
        strategy_.radius(), options_.options_name,
        options_.min_trust_region_radius, iteration_.constraint_violation);
    message += DescribeFailedPoints();
    return Termination{is_feasible ? CONVERGENCE : FAILURE, std::move(message)};
  }
  return end;
}

std::string ConstrainedMinimizer::DescribeFailedPoints() const {
  if (failed_candidates_.num() == 0) return "";
  return Format(
             " At %s the cost, a constraint, or a Jacobian could not be "
             "evaluated. The first: ",
             CountOf(failed_candidates_.num(), "point").c_str()) +
         failed_candidates_.first();
}

// Reads: x, step. Writes: candidate, its L, and c there.
void ConstrainedMinimizer::EvaluateCandidate() {
  candidate_lagrangian_ = kInfinity;
  if (!program_.Plus(setup_.execution, x_.data(), best_step_.data(),
                     candidate_.data())) {
    return;
  }
  if (program_.has_bounds() &&
      ClipToBounds(program_, x_.data(), candidate_.data(), best_step_.data())) {
    predicted_decrease_ = DecreaseOfModel(best_step_.data());
  }
  const Evaluator::Result result = setup_.evaluator->EvaluateCost(
      candidate_.data(), true, &candidate_lagrangian_, nullptr);
  ++result_->num_residual_evaluations;
  result_->residual_evaluation_time_in_seconds += timer_.EndPhase();
  if (!result) {
    candidate_lagrangian_ = kInfinity;
    failed_candidates_.Record(
        options_, iteration_.iteration,
        "the step leads to a point at which the cost or a constraint cannot be "
        "evaluated, and is not taken.",
        result.message);
    return;
  }
  constraints_.GetTrialValues(&trial_values_);
  double sum = 0.0;
  for (std::size_t i = 0; i < x_.size(); ++i) {
    sum += (candidate_[i] - x_[i]) * (candidate_[i] - x_[i]);
  }
  iteration_.step_norm = std::sqrt(sum);
  relative_curvature_ =
      std::sqrt(SquaredCurvature()) / (step_damping_ * strategy_.radius());
  iteration_.cost_change = cost_ - CostAt(candidate_lagrangian_, trial_values_);
}

// A decrease that rounding hides counts as predicted, if the violation does not
// grow. Rounding hides nothing if only the radius makes the decrease small,
// unless the penalty is the larger part of L: then it hides that of the cost.
bool ConstrainedMinimizer::StepIsGood() {
  if (!(candidate_lagrangian_ < kInfinity)) return false;
  const double decrease = lagrangian_ - candidate_lagrangian_;
  iteration_.relative_decrease =
      predicted_decrease_ > 0.0 ? decrease / predicted_decrease_ : -1.0;
  if (iteration_.relative_decrease > options_.min_relative_decrease) {
    return true;
  }
  const double rounding = kRoundingOfLagrangian * lagrangian_;
  const double predicted =
      lagrangian_ <= 2.0 * cost_ ? PossibleDecrease() : predicted_decrease_;
  if (predicted > rounding || std::abs(decrease) > rounding ||
      LargestViolation(trial_values_) >
          std::max(options_.constraint_tolerance,
                   kSameViolation * LargestViolation(constraints_.values))) {
    return false;
  }
  iteration_.relative_decrease = 0.5;
  return true;
}

void ConstrainedMinimizer::RejectStep() {
  num_good_steps_ = 0;
  iteration_.cost = cost_ + setup_.fixed_cost;
  iteration_.step_is_successful = false;
  strategy_.RejectTo(RadiusOfShorterStep());
}

// The candidate becomes x, with the multipliers and penalties that are chosen
// there.
bool ConstrainedMinimizer::AcceptStep() {
  const std::vector<double> old_multipliers = constraints_.multipliers;
  const std::vector<double> old_penalties = constraints_.penalties;
  UpdateMultipliers();
  std::swap_ranges(x_.begin(), x_.end(), candidate_.begin());
  constraints_.Publish(next_multipliers_);
  std::string error;
  if (EvaluateJacobian(&error)) {
    iteration_.step_is_successful = true;
    // After good steps in a row the radius grows threefold, then ninefold, ...
    const double deviation = std::abs(iteration_.relative_decrease - 1.0);
    num_good_steps_ = deviation <= kErrorOfGoodStep ? num_good_steps_ + 1 : 0;
    for (int k = 0; k < std::clamp(num_good_steps_, 1, kMaxGrowth); ++k) {
      strategy_.Accept(iteration_.relative_decrease);
    }
    MeasureState();
    return MoveOnce() && RenewWeights() && !ViolationIsStationary();
  }
  // The candidate has a cost and no Jacobian.
  failed_candidates_.Record(
      options_, iteration_.iteration,
      "the step leads to a point at which the Jacobian cannot be evaluated, "
      "and is not taken.",
      error);
  std::swap_ranges(x_.begin(), x_.end(), candidate_.begin());
  constraints_.multipliers = old_multipliers;
  constraints_.penalties = old_penalties;
  constraints_.Publish(next_multipliers_);
  RejectStep();
  if (EvaluateJacobian(&error)) return true;
  return Finish(FAILURE, "The Jacobian could not be evaluated again: " + error);
}

void ConstrainedMinimizer::UpdateMultipliers() {
  if (kappa_ * strategy_.radius() < kSmallestWeightForMultipliers) return;
  const double defect = std::sqrt(constraints_.Defect(weights_, trial_values_));
  const bool is_stationary =
      PossibleDecrease() <=
      std::max(
          kStationaryPart * 0.5 *
              constraints_.Defect(constraints_.penalties, constraints_.values),
          kRoundingOfLagrangian * lagrangian_);
  RaisePenaltiesOfFlat();
  bool updates =
      LargestViolation(trial_values_) <= options_.constraint_tolerance ||
      defect <= kDefectDecrease * last_defect_;
  if (defect > kFastDefectDecrease * last_defect_ &&
      kappa_ < kLargestFastPenalty) {
    updates = true;
    if (std::sqrt(constraints_.Defect(weights_, LinearValues())) >
        kFastDefectDecrease * last_defect_) {
      RaisePenalties();
    }
  }
  // After a move away from a saddle of the violation, its growth says nothing
  // of the cost.
  if (kappa_ < kLargestFastPenalty && !has_moved_ &&
      LargestViolation(trial_values_) > options_.constraint_tolerance &&
      WeightedViolation(trial_values_) > kLargeGrowth * largest_violation_) {
    RaisePenalties();
  }
  if (is_stationary) {
    updates = true;
    if (defect > kStationaryDecrease * stationary_defect_) {
      NoteStall();
      RaisePenalties();
    }
    stationary_defect_ = defect;
  }
  const bool promises_less =
      predicted_decrease_ <= kPromiseDecrease * last_predicted_;
  if (!updates && !promises_less) return;
  // Rounding of L must not hide the cost.
  double shift = 0.0;
  for (int i = 0; i < constraints_.size(); ++i) {
    shift += 0.5 * next_multipliers_[i] * next_multipliers_[i] /
             constraints_.penalties[i];
  }
  if (shift > kLargestShift * CostAt(candidate_lagrangian_, trial_values_)) {
    if (kappa_ < kLargestFastPenalty) RaisePenalties();
    return;
  }
  last_defect_ = updates ? std::min(last_defect_, defect) : defect;
  last_predicted_ = std::min(last_predicted_, predicted_decrease_);
  constraints_.multipliers = next_multipliers_;
}

double ConstrainedMinimizer::WeightedViolation(
    const std::vector<double>& c) const {
  double sum = 0.0;
  for (int i = 0; i < constraints_.size(); ++i) {
    const double violation = constraints_.Violation(i, c);
    sum += weights_[i] * violation * violation;
  }
  return std::sqrt(sum);
}

// At a nearly stationary point whose defect does not decrease.
void ConstrainedMinimizer::NoteStall() {
  if (kappa_ >= kLargestPenalty) return;
  const double violation = WeightedViolation(trial_values_);
  violation_stalls_ = violation > kStalledViolation * stalled_violation_ &&
                      violation > kSmallViolation * largest_violation_;
  stalled_violation_ = violation;
}

// Raises the penalties as far as the curvature of the constraints along the
// last step stays negligible.
void ConstrainedMinimizer::RaisePenaltiesOfFlat() {
  if (step_damping_ > kNegligibleDamping * predicted_decrease_ ||
      iteration_.relative_decrease < kQualityOfFlat)
    return;
  const double difference = 0.5 * kappa_ * SquaredCurvature();
  const double limit = kNegligibleCurvature * predicted_decrease_;
  double factor = kLargestFastPenalty / kappa_;
  if (difference * factor > limit) factor = limit / difference;
  if (factor > kPenaltyGrowth) SetKappa(kappa_ * factor);
}

void ConstrainedMinimizer::RaisePenalties() {
  kappa_floor_ = std::min(kappa_floor_ * kPenaltyGrowth, kLargestPenalty);
  SetKappa(std::max(kappa_floor_,
                    std::min(kappa_ * kPenaltyGrowth, kLargestPenalty)));
}

// After a step that was rejected: takes back what RaisePenaltiesOfFlat raised,
// if the curvature of the constraints explains the rejection. An evaluation
// gives the curvature rows the multipliers of that step. Returns false if the
// minimizer is finished.
bool ConstrainedMinimizer::LowerPenalties() {
  if (kappa_ <= kappa_floor_ || !(first_lagrangian_ < kInfinity)) return true;
  const double difference = 0.5 * kappa_ * SquaredCurvature();
  if (difference <= predicted_decrease_) return true;
  SetKappa(std::max(kappa_floor_, kappa_ * kNegligibleCurvature *
                                      predicted_decrease_ / difference));
  constraints_.Publish(next_multipliers_);
  std::string error;
  if (!EvaluateJacobian(&error)) {
    return Finish(FAILURE,
                  "The Jacobian could not be evaluated again: " + error);
  }
  MeasureState();
  return true;
}

void ConstrainedMinimizer::SetKappa(double kappa) {
  kappa_ = kappa;
  for (int i = 0; i < constraints_.size(); ++i) {
    constraints_.penalties[i] = kappa_ * weights_[i];
  }
}

bool ConstrainedMinimizer::Finish(TerminationType type, std::string message) {
  result_->termination_type = type;
  result_->message = std::move(message);
  return false;
}

}  // namespace ceres::internal
