// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/internal/ridders_extrapolation.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ceres/logging/logging.h"

namespace ceres::internal {
namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// How much shorter the next first step may be. Two such runs lead from 1e-2 to
// 1e-9. After a step that was just too long, rounding leaves
// a relative error of kShrink eps.
constexpr double kShrink = 4096.0;

}  // namespace

RiddersExtrapolation::RiddersExtrapolation(int num_values,
                                           const NumericDiffOptions& options)
    : num_values_(num_values),
      options_(options),
      tolerance_(std::max(options.ridders_epsilon, 4.0 * kEpsilon)) {
  VESTA_CHECK_GT(options.max_num_ridders_extrapolations, 0)
      << "NumericDiffOptions::max_num_ridders_extrapolations must be positive.";
  VESTA_CHECK_GT(options.ridders_step_shrink_factor, 1.0)
      << "NumericDiffOptions::ridders_step_shrink_factor must exceed 1.";
  const int num_entries = num_values * options.max_num_ridders_extrapolations;
  previous_row_.resize(num_entries);
  row_.resize(num_entries);
  runs_.resize(num_values);
  best_.resize(num_values);
  error_.resize(num_values);
}

void RiddersExtrapolation::Start(double x, double first_step) {
  x_ = x;
  first_step_ = first_step;
  step_ = first_step;
  run_step_ = first_step;
  num_rows_ = 0;
  num_differences_ = 0;
  shortest_coarse_step_ = kInfinity;
}

bool RiddersExtrapolation::Add(const double* difference, const double* value) {
  ++num_differences_;
  ++num_rows_;
  row_.swap(previous_row_);
  for (int k = 0; k < num_values_; ++k) {
    Run& run = runs_[k];
    if (num_rows_ == 1) run = Run();
    run.rounding = kEpsilon * std::abs(value[k]) / step_;
    run.is_coarse |= !std::isfinite(difference[k]);
    ExtendTriangle(k, difference[k]);
    Judge(k);
  }
  return ChooseStep();
}

// Row num_rows_ - 1 of the triangle of component k.
void RiddersExtrapolation::ExtendTriangle(int k, double difference) {
  Run& run = runs_[k];
  const int stride = options_.max_num_ridders_extrapolations;
  const double* previous = previous_row_.data() + k * stride;
  double* row = row_.data() + k * stride;
  const double c2 =
      options_.ridders_step_shrink_factor * options_.ridders_step_shrink_factor;
  double power = 1.0;
  row[0] = difference;
  run.row_error = kInfinity;
  for (int j = 1; j < num_rows_; ++j) {
    power *= c2;
    row[j] = row[j - 1] + (row[j - 1] - previous[j - 1]) / (power - 1.0);
    const double error = std::max(std::abs(row[j] - row[j - 1]),
                                  std::abs(row[j] - previous[j - 1]));
    if (error < run.row_error) {
      run.row_error = error;
      run.row_best = row[j];
    }
  }
  run.row_error = std::max(run.row_error, run.rounding);
}

// Draws conclusions from the rows so far about component k.
void RiddersExtrapolation::Judge(int k) {
  Run& run = runs_[k];
  const double last = row_[k * options_.max_num_ridders_extrapolations];
  run.can_improve = true;
  switch (num_rows_) {
    case 1:
      run.first = last;
      run.first_rounding = run.rounding;
      if (num_differences_ == 1) {
        best_[k] = last;
        error_[k] = kInfinity;
      }
      return;
    case 2:
      // Two differences may agree by chance: only the third confirms them,
      // unless there is none, or they are the same bits.
      run.second = last;
      if (num_differences_ == options_.max_num_ridders_extrapolations) {
        Consider(k, run.row_best, run.row_error);
      } else if (last == run.first && num_differences_ == 2) {
        Consider(k, last, last == 0.0 ? 0.0 : run.rounding);
      }
      return;
    case 3:
      JudgeFirstThree(k);
      break;
    default:
      break;
  }
  run.num_failures = run.row_error < run.error ? 0 : run.num_failures + 1;
  Consider(k, run.row_best, run.row_error);
  // A row that does not reduce the error may be an accident, two are rounding.
  run.can_improve =
      run.num_failures < 2 &&
      options_.ridders_step_shrink_factor * run.rounding < run.error;
}

void RiddersExtrapolation::JudgeFirstThree(int k) {
  Run& run = runs_[k];
  const double last = row_[k * options_.max_num_ridders_extrapolations];
  const double change =
      std::max(std::abs(run.first - run.second), std::abs(run.first - last));
  run.curvature = change == 0.0 ? 0.0 : change / std::abs(last);
  run.is_curved = !(change <= run.first_rounding + run.rounding);
  // If differences are equal, the longest step is rounded least.
  if (!run.is_curved) {
    Consider(k, run.first,
             std::max(std::abs(run.first - run.second), run.first_rounding));
  }
  // Three differences with a good first step have a digit or more.
  constexpr double kNoDigits = 0.25;
  run.is_coarse |= run.row_error > kNoDigits * std::abs(last) &&
                   run.row_error > 2.0 * run.rounding;
}

// Chooses the next step. Returns false if no step can improve the result.
bool RiddersExtrapolation::ChooseStep() {
  bool can_improve = false;
  bool is_coarse = false;
  bool can_converge = false;
  bool has_converged = true;
  for (int k = 0; k < num_values_; ++k) {
    if (HasConverged(k)) continue;
    const Run& run = runs_[k];
    has_converged = false;
    is_coarse |= run.is_coarse;
    can_improve |= run.can_improve && !run.is_coarse;
    can_converge |= options_.ridders_step_shrink_factor * run.rounding <
                    tolerance_ * std::abs(best_[k]);
  }
  if (has_converged ||
      num_differences_ == options_.max_num_ridders_extrapolations) {
    return false;
  }
  if (num_rows_ == 3 &&
      (BeginAtScaleOfX() || (!can_converge && !is_coarse && BeginLonger()))) {
    return true;
  }
  if (can_improve) {
    step_ /= options_.ridders_step_shrink_factor;
    return true;
  }
  return is_coarse ? BeginShorter() : BeginLonger();
}

void RiddersExtrapolation::Consider(int k, double derivative, double error) {
  if (error < runs_[k].error) runs_[k].error = error;
  if (error < error_[k]) {
    error_[k] = error;
    best_[k] = derivative;
  }
}

bool RiddersExtrapolation::HasConverged(int k) const {
  return error_[k] < kInfinity && error_[k] <= tolerance_ * std::abs(best_[k]);
}

// Whether the derivative is larger than its error.
bool RiddersExtrapolation::IsVisible(int k) const {
  return error_[k] < std::abs(best_[k]);
}

// Begins a run. Returns false if three differences are not left for it.
bool RiddersExtrapolation::Begin(double first_step) {
  if (num_differences_ + 3 > options_.max_num_ridders_extrapolations) {
    return false;
  }
  step_ = first_step;
  run_step_ = first_step;
  num_rows_ = 0;
  return true;
}

// For components that are not even approximated.
bool RiddersExtrapolation::BeginShorter() {
  if (step_has_grown()) return false;
  shortest_coarse_step_ = run_step_;
  const double shortest = run_step_ / kShrink;
  return Begin(XHasShorterScale() ? std::max(ScaleOfX(), shortest) : shortest);
}

// For components whose differences are dominated by curvature, so that rounding
// is that of terms that are much larger at x + h than they are at x.
bool RiddersExtrapolation::BeginAtScaleOfX() {
  constexpr double kStrongCurvature = 0.1;
  bool is_strong = false;
  for (int k = 0; k < num_values_; ++k) {
    is_strong |= !HasConverged(k) && runs_[k].is_curved &&
                 runs_[k].curvature > kStrongCurvature;
  }
  // An x that is far shorter is zero up to rounding.
  return is_strong && !step_has_grown() && XHasShorterScale() &&
         Begin(std::max(ScaleOfX(), run_step_ / kShrink));
}

double RiddersExtrapolation::ScaleOfX() const {
  return options_.ridders_relative_initial_step_size * std::abs(x_);
}

bool RiddersExtrapolation::XHasShorterScale() const {
  return x_ != 0.0 && ScaleOfX() < 0.25 * run_step_;
}

// For components whose rounding is too large.
bool RiddersExtrapolation::BeginLonger() {
  double wanted = 0.0;
  for (int k = 0; k < num_values_; ++k) {
    if (HasConverged(k) || !IsVisible(k)) continue;
    constexpr double kMargin = 10.0;
    wanted = std::max(wanted,
                      kMargin * error_[k] / (tolerance_ * std::abs(best_[k])));
  }
  const double step = std::min(
      {run_step_ * wanted, LongestSafeStep(), shortest_coarse_step_ / 4.0});
  constexpr double kWorthwhile = 2.0;
  return step >= kWorthwhile * run_step_ && Begin(step);
}

// The longest step that stays well within the length on which f changes its
// shape, as far as the run can tell.
double RiddersExtrapolation::LongestSafeStep() const {
  double bound = 0.0;
  bool is_curved = false;
  for (int k = 0; k < num_values_; ++k) {
    const Run& run = runs_[k];
    if (!IsVisible(k)) continue;
    bound = std::max(
        {bound, run.curvature, run.first_rounding / std::abs(best_[k])});
    is_curved |= run.is_curved;
  }
  constexpr double kPartOfLength = 0.25;
  const double limit = run_step_ * kPartOfLength / std::sqrt(bound);
  // Curvature does not show that f is defined on one side of 0 only.
  const bool keeps_sign = is_curved && std::abs(x_) > 2.0 * run_step_;
  return keeps_sign ? std::min(limit, 0.5 * std::abs(x_)) : limit;
}

}  // namespace ceres::internal
