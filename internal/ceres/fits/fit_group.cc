// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/fits/fit_group.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

namespace ceres::internal::fits {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace

FitGroup::FitGroup(FitJob* job)
    : job_(*job),
      size_(job->parameters.size),
      padded_size_(PaddedSize(size_ + 1)),
      is_bounded_(job->parameters.lower != nullptr ||
                  job->parameters.upper != nullptr),
      evaluator_(job->model, job->options.loss, size_,
                 !job->data.weights.empty()),
      x_(size_),
      trial_x_(size_),
      products_(evaluator_.num_products()),
      trial_products_(evaluator_.num_products()),
      scale_(size_),
      is_free_(size_),
      step_(size_),
      lower_(is_bounded_ ? size_ : 0),
      upper_(is_bounded_ ? size_ : 0),
      workspace_(size_ * size_ + size_) {
  fits_.fill(-1);
  samples_.num_columns = static_cast<int>(job->data.columns.size()) +
                         (job->data.weights.empty() ? 0 : 1);
}

void FitGroup::Run() {
  for (int lane = 0; lane < kLanes; ++lane) Load(lane);
  const parallel::CancellationToken& token = job_.options.cancellation_token;
  while (std::any_of(fits_.begin(), fits_.end(),
                     [](std::int64_t fit) { return fit >= 0; })) {
    if (token.CanCancel() && token.IsCancelled()) return Stop();
    evaluator_.Evaluate(samples_, trial_x_, &trial_products_, &trial_costs_);
    for (int lane = 0; lane < kLanes; ++lane) {
      if (IsActive(lane)) Judge(lane);
    }
    ComputeSteps();
    for (int lane = 0; lane < kLanes; ++lane) {
      if (IsActive(lane) && !is_fresh_[lane]) MoveOrEnd(lane);
    }
  }
}

void FitGroup::Stop() {
  for (int lane = 0; lane < kLanes; ++lane) {
    if (!IsActive(lane)) continue;
    if (is_fresh_[lane]) {
      job_.WriteNoResult(fits_[lane], FitStatus::kNotRun);
    } else {
      WriteResult(lane, FitStatus::kStopped);
    }
  }
}

// Puts the next fit into a lane. Fits that cannot begin end here.
void FitGroup::Load(int lane) {
  samples_.counts[lane] = 0;
  while (true) {
    const std::int64_t fit = job_.Claim();
    fits_[lane] = fit;
    if (fit < 0) return;
    iterations_[lane] = 0;
    is_fresh_[lane] = true;
    const bool is_feasible = LoadParameters(fit, lane);
    const std::int64_t count = is_feasible ? LoadSamples(fit, lane) : 0;
    if (count > 0) {
      samples_.counts[lane] = count;
      return;
    }
    job_.WriteNoResult(fit, FitStatus::kFailed);
  }
}

bool FitGroup::LoadParameters(std::int64_t fit, int lane) {
  const FitParameters& from = job_.parameters;
  bool is_feasible = true;
  for (int i = 0; i < size_; ++i) {
    double start = from.values[fit * size_ + i];
    if (is_bounded_) {
      const std::int64_t place = fit * from.bounds_stride + i;
      const double low = from.lower == nullptr ? -kInfinity : from.lower[place];
      const double high = from.upper == nullptr ? kInfinity : from.upper[place];
      is_feasible = is_feasible && low <= high;
      lower_[i][lane] = low;
      upper_[i][lane] = high;
      const bool is_fixed = from.fixed != nullptr && from.fixed[i];
      if (!is_fixed) start = std::min(std::max(start, low), high);
    }
    trial_x_[i][lane] = x_[i][lane] = start;
    scale_[i][lane] = 0.0;
  }
  damping_[lane] = 1.0 / job_.options.initial_trust_region_radius;
  growth_[lane] = 2.0;
  return is_feasible;
}

// Returns the number of samples that are not left out.
std::int64_t FitGroup::LoadSamples(std::int64_t fit, int lane) {
  const FitData& data = job_.data;
  const std::int64_t size = job_.NumSamples(fit);
  if (size > samples_.capacity) {
    GrowSamples(size);
  }
  const auto value = [&](const FitColumn& column, std::int64_t i) {
    const std::int64_t first = column.fit_stride() == 0 ? 0
                               : data.offsets == nullptr
                                   ? fit * column.fit_stride()
                                   : data.offsets[fit] * column.sample_stride();
    return column.At(first + i * column.sample_stride());
  };
  std::int64_t count = 0;
  for (std::int64_t i = 0; i < size; ++i) {
    bool is_missing = false;
    if (!data.mask.empty()) {
      const double mask = value(data.mask, i);
      is_missing = mask == 0.0 || (job_.options.skip_nan && std::isnan(mask));
    }
    for (int c = 0; c < samples_.num_columns && !is_missing; ++c) {
      const bool is_weight = c == static_cast<int>(data.columns.size());
      const double x = value(is_weight ? data.weights : data.columns[c], i);
      is_missing = job_.options.skip_nan && std::isnan(x);
      samples_.columns[c * samples_.capacity + count][lane] = x;
    }
    count += is_missing ? 0 : 1;
  }
  return count;
}

void FitGroup::GrowSamples(std::int64_t size) {
  LaneSamples grown = samples_;
  grown.capacity = std::max(size, 2 * samples_.capacity);
  grown.columns = LaneArray(grown.num_columns * grown.capacity);
  for (int c = 0; c < grown.num_columns; ++c) {
    for (std::int64_t i = 0; i < samples_.capacity; ++i) {
      grown.columns[c * grown.capacity + i] =
          samples_.columns[c * samples_.capacity + i];
    }
  }
  samples_ = std::move(grown);
}

bool FitGroup::IsFinite(int lane) const {
  double sum = trial_costs_[lane];
  for (int i = 0; i < size_; ++i) {
    sum += trial_products_[i * padded_size_ + i][lane];
  }
  return std::isfinite(sum);
}

void FitGroup::Accept(int lane) {
  for (int i = 0; i < size_; ++i) x_[i][lane] = trial_x_[i][lane];
  for (int i = 0; i <= size_; ++i) {
    for (int j = 0; j <= i; ++j) {
      products_[i * padded_size_ + j][lane] =
          trial_products_[i * padded_size_ + j][lane];
    }
  }
  costs_[lane] = trial_costs_[lane];
  for (int i = 0; i < size_; ++i) {
    scale_[i][lane] = std::max(scale_[i][lane], MatrixEntry(lane, i, i));
  }
}

// Whether a parameter stays where it is: it is fixed, has no influence, or is at
// a bound and would leave.
bool FitGroup::IsHeld(int lane, int i) const {
  if (job_.parameters.fixed != nullptr && job_.parameters.fixed[i]) return true;
  if (!(MatrixEntry(lane, i, i) > 0.0)) return true;
  if (!is_bounded_) return false;
  const double slope = GradientEntry(lane, i);
  return (slope > 0.0 && x_[i][lane] <= lower_[i][lane]) ||
         (slope < 0.0 && x_[i][lane] >= upper_[i][lane]);
}

bool FitGroup::IsOptimal(int lane) const {
  const double residual_norm =
      std::sqrt(products_[size_ * padded_size_ + size_][lane]);
  for (int i = 0; i < size_; ++i) {
    if (IsHeld(lane, i)) continue;
    const double column_norm = std::sqrt(MatrixEntry(lane, i, i));
    if (std::abs(GradientEntry(lane, i)) >
        job_.options.gradient_tolerance * column_norm * residual_norm) {
      return false;
    }
  }
  return true;
}

void FitGroup::JudgeStart(int lane) {
  if (!IsFinite(lane)) return End(lane, FitStatus::kFailed);
  is_fresh_[lane] = false;
  Accept(lane);
  if (IsOptimal(lane)) return End(lane, FitStatus::kConverged);
  if (job_.options.max_num_iterations <= 0) {
    End(lane, FitStatus::kMaxIterations);
  }
}

void FitGroup::Judge(int lane) {
  if (is_fresh_[lane]) return JudgeStart(lane);
  ++iterations_[lane];
  const double old_cost = costs_[lane];
  const double change = old_cost - trial_costs_[lane];
  const double gain = change / model_decrease_[lane];
  const double least = job_.options.function_tolerance * old_cost;
  const bool is_flat =
      std::abs(change) <= least && std::abs(model_decrease_[lane]) <= least &&
      is_solved_[lane] != 0.0;
  if (change > 0.0 && gain > 0.0 && IsFinite(lane)) {
    Accept(lane);
    const double t = 2.0 * gain - 1.0;
    damping_[lane] *= std::max(1.0 / 3.0, 1.0 - t * t * t);
    growth_[lane] = 2.0;
    if (is_flat || IsOptimal(lane)) return End(lane, FitStatus::kConverged);
  } else {
    // Rounding may raise the cost of the best point.
    if (is_flat) return End(lane, FitStatus::kConverged);
    damping_[lane] *= growth_[lane];
    growth_[lane] *= 2.0;
  }
  if (iterations_[lane] >= job_.options.max_num_iterations) {
    End(lane, FitStatus::kMaxIterations);
  }
}

void FitGroup::ComputeSteps() {
  for (int lane = 0; lane < kLanes; ++lane) {
    for (int i = 0; i < size_; ++i) {
      step_[i][lane] = 0.0;
      // Lanes whose fit has not begun have no step.
      is_free_[i][lane] =
          IsActive(lane) && !is_fresh_[lane] && !IsHeld(lane, i) ? 1.0 : 0.0;
    }
  }
  StepProblem problem;
  problem.size = size_;
  problem.products = products_.data();
  problem.scale = scale_.data();
  problem.damping = damping_.lane;
  problem.is_free = is_free_.data();
  problem.step = step_.data();
  problem.is_solved = is_solved_.lane;
  problem.model_decrease = model_decrease_.lane;
  problem.workspace = workspace_.data();
  // A lane without a violation gets the same step each time.
  do {
    SolveStep(problem);
  } while (is_bounded_ && MoveStepsToBounds());
}

// Ends steps beyond a bound there, as given parts of the next solution. Returns
// whether there were any.
bool FitGroup::MoveStepsToBounds() {
  bool is_any = false;
  for (int i = 0; i < size_; ++i) {
    for (int lane = 0; lane < kLanes; ++lane) {
      if (is_free_[i][lane] == 0.0) continue;
      const double x = x_[i][lane];
      const double next = x + step_[i][lane];
      if (next >= lower_[i][lane] && next <= upper_[i][lane]) continue;
      // A step that is not a number is rejected later.
      if (std::isnan(next)) continue;
      const double bound =
          next < lower_[i][lane] ? lower_[i][lane] : upper_[i][lane];
      step_[i][lane] = bound - x;
      is_free_[i][lane] = 0.0;
      is_any = true;
    }
  }
  return is_any;
}

// Sets the trial point, or ends the fit if the step is short.
void FitGroup::MoveOrEnd(int lane) {
  double step_square = 0.0, x_square = 0.0;
  for (int i = 0; i < size_; ++i) {
    const double x = x_[i][lane];
    double next = x + step_[i][lane];
    if (is_bounded_) {
      // Also where rounding has moved a step to a bound beside it.
      const double low = lower_[i][lane], high = upper_[i][lane];
      const bool is_given = is_free_[i][lane] == 0.0 && step_[i][lane] != 0.0;
      if (next < low || (is_given && step_[i][lane] < 0.0)) next = low;
      if (next > high || (is_given && step_[i][lane] > 0.0)) next = high;
    }
    if (is_solved_[lane] == 0.0) next = x;
    trial_x_[i][lane] = next;
    const double weight = scale_[i][lane];
    step_square += weight * (next - x) * (next - x);
    x_square += weight * x * x;
  }
  if (is_solved_[lane] == 0.0) return;
  const double tolerance = job_.options.parameter_tolerance;
  if (step_square <= tolerance * tolerance * x_square) {
    End(lane, FitStatus::kConverged);
  }
}

void FitGroup::End(int lane, FitStatus status) {
  if (is_fresh_[lane]) {
    job_.WriteNoResult(fits_[lane], status);
  } else {
    WriteResult(lane, status);
  }
  Load(lane);
}

void FitGroup::WriteResult(int lane, FitStatus status) {
  const std::int64_t fit = fits_[lane];
  const FitResults& results = job_.results;
  for (int i = 0; i < size_; ++i) {
    job_.parameters.values[fit * size_ + i] = x_[i][lane];
  }
  if (results.costs != nullptr) results.costs[fit] = costs_[lane];
  if (results.covariances != nullptr) {
    WriteCovariance(lane, results.covariances + fit * size_ * size_);
  }
  job_.WriteStatus(fit, status, iterations_[lane]);
}

// Cholesky's factorization of J'J with a diagonal of ones, and its inverse.
void FitGroup::WriteCovariance(int lane, double* covariance) const {
  constexpr double kLeastPivot = 1e-14;
  std::vector<int> free;
  for (int i = 0; i < size_; ++i) {
    if (job_.parameters.fixed == nullptr || !job_.parameters.fixed[i]) {
      free.push_back(i);
    }
  }
  const int n = static_cast<int>(free.size());
  const std::int64_t num_residuals =
      samples_.counts[lane] * job_.model.num_residuals;
  double factor = 1.0;
  if (job_.options.scale_covariance) {
    factor = num_residuals > n ? 2.0 * costs_[lane] /
                                     static_cast<double>(num_residuals - n)
                               : kInfinity;
  }
  std::vector<double> root(n * n), inverse(n * n), norm(n);
  bool is_determined = factor < kInfinity;
  for (int i = 0; i < n; ++i) {
    norm[i] = std::sqrt(MatrixEntry(lane, free[i], free[i]));
  }
  for (int i = 0; i < n && is_determined; ++i) {
    for (int j = 0; j <= i; ++j) {
      double sum =
          MatrixEntry(lane, free[i], free[j]) / norm[i] / norm[j];
      for (int k = 0; k < j; ++k) sum -= root[i * n + k] * root[j * n + k];
      if (i == j) is_determined = sum > kLeastPivot;
      root[i * n + j] = i == j ? std::sqrt(sum) : sum / root[j * n + j];
    }
  }
  // The inverse of the root, by columns.
  for (int j = 0; j < n && is_determined; ++j) {
    for (int i = j; i < n; ++i) {
      double sum = i == j ? 1.0 : 0.0;
      for (int k = j; k < i; ++k) sum -= root[i * n + k] * inverse[k * n + j];
      inverse[i * n + j] = sum / root[i * n + i];
    }
  }
  std::fill_n(covariance, size_ * size_, 0.0);
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      double sum = is_determined ? 0.0 : kInfinity;
      for (int k = std::max(i, j); k < n && is_determined; ++k) {
        sum += inverse[k * n + i] * inverse[k * n + j];
      }
      covariance[free[i] * size_ + free[j]] =
          is_determined ? sum * factor / norm[i] / norm[j] : kInfinity;
    }
  }
}

}  // namespace ceres::internal::fits
