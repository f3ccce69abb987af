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
      evaluator_(job->model, job->options.loss, size_, job->parameters.fixed,
                 !job->data.weights.empty()),
      x_(size_),
      trial_x_(size_),
      products_(evaluator_.num_products()),
      trial_products_(evaluator_.num_products()),
      is_fixed_(size_),
      lower_(is_bounded_ ? size_ : 0),
      upper_(is_bounded_ ? size_ : 0),
      scale_(size_),
      is_free_(size_),
      step_(size_),
      workspace_(size_ * size_ + size_),
      root_(size_ * size_),
      inverse_(size_ * size_),
      factor_(size_) {
  fits_.fill(-1);
  samples_.num_columns = static_cast<int>(job->data.columns.size()) +
                         (job->data.weights.empty() ? 0 : 1);
  for (int i = 0; i < size_; ++i) {
    const bool* const fixed = job->parameters.fixed;
    const double is_fixed = fixed != nullptr && fixed[i] ? 1.0 : 0.0;
    std::fill_n(is_fixed_[i].lane, kLanes, is_fixed);
    if (is_fixed == 0.0) varying_.push_back(i);
  }
  if (job->function != nullptr) {
    function_columns_.emplace(*job->function, size_, job->parameters.fixed);
    samples_.num_function_columns = function_columns_->size();
  }
}

// Where everything is, for the kernels.
LaneFits FitGroup::View() {
  LaneFits fits;
  fits.size = size_;
  fits.function_tolerance = job_.options.function_tolerance;
  fits.gradient_tolerance = job_.options.gradient_tolerance;
  fits.parameter_tolerance = job_.options.parameter_tolerance;
  fits.x = x_.data();
  fits.trial_x = trial_x_.data();
  fits.products = products_.data();
  fits.trial_products = trial_products_.data();
  fits.cost = costs_.lane;
  fits.trial_cost = trial_costs_.lane;
  fits.is_fresh = is_fresh_.lane;
  fits.is_fixed = is_fixed_.data();
  fits.lower = is_bounded_ ? lower_.data() : nullptr;
  fits.upper = is_bounded_ ? upper_.data() : nullptr;
  fits.scale = scale_.data();
  fits.damping = damping_.lane;
  fits.growth = growth_.lane;
  fits.is_free = is_free_.data();
  fits.step = step_.data();
  fits.is_solved = is_solved_.lane;
  fits.model_decrease = model_decrease_.lane;
  fits.workspace = workspace_.data();
  fits.outcome = outcome_.lane;
  return fits;
}

void FitGroup::Run() {
  for (int lane = 0; lane < kLanes; ++lane) Load(lane);
  const LaneFits fits = View();
  const parallel::CancellationToken& token = job_.options.cancellation_token;
  while (std::any_of(fits_.begin(), fits_.end(),
                     [](std::int64_t fit) { return fit >= 0; })) {
    if (token.CanCancel() && token.IsCancelled()) return Stop();
    if (function_columns_) function_columns_->Write(trial_x_, &samples_);
    evaluator_.Evaluate(samples_, trial_x_, &trial_products_, &trial_costs_);
    for (int lane = 0; lane < kLanes; ++lane) {
      if (is_fresh_[lane] == 0.0) ++iterations_[lane];
    }
    JudgeTrials(fits);
    EndFits(true);
    MakeTrials(fits);
    EndFits(false);
  }
}

// Ends the fits that have an outcome, or have used up their steps.
void FitGroup::EndFits(bool limits_steps) {
  for (int lane = 0; lane < kLanes; ++lane) {
    if (!IsActive(lane)) continue;
    if (outcome_[lane] == LaneFits::kConverged) {
      End(lane, FitStatus::kConverged);
    } else if (outcome_[lane] == LaneFits::kFailed) {
      End(lane, FitStatus::kFailed);
    } else if (limits_steps && is_fresh_[lane] == 0.0 &&
               iterations_[lane] >= job_.options.max_num_iterations) {
      End(lane, FitStatus::kMaxIterations);
    }
  }
}

void FitGroup::Stop() {
  for (int lane = 0; lane < kLanes; ++lane) {
    if (!IsActive(lane)) continue;
    if (is_fresh_[lane] != 0.0) {
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
    is_fresh_[lane] = 1.0;
    const bool is_feasible = LoadParameters(fit, lane);
    const std::int64_t count = is_feasible ? LoadSamples(fit, lane) : 0;
    if (count > 0) {
      samples_.counts[lane] = count;
      if (function_columns_) {
        function_columns_->Begin(lane, trial_x_,
                                 is_bounded_ ? &lower_ : nullptr,
                                 is_bounded_ ? &upper_ : nullptr);
      }
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
  const std::int64_t size = job_.NumSamples(fit);
  if (size > samples_.capacity) GrowSamples(size);
  bool is_missing = !job_.data.mask.empty();
  for (int c = 0; c < samples_.num_columns; ++c) {
    if (LoadColumn(fit, lane, c, size) && job_.options.skip_nan) {
      is_missing = is_missing || HasNan(lane, c, size);
    }
  }
  num_shared_[lane] = is_missing ? 0 : size;
  return is_missing ? RemoveMissing(fit, lane, size) : size;
}

const FitColumn& FitGroup::Column(int c) const {
  const FitData& data = job_.data;
  return c < static_cast<int>(data.columns.size()) ? data.columns[c]
                                                   : data.weights;
}

// The index of the first sample of a fit.
std::int64_t FitGroup::FirstIndex(const FitColumn& column,
                                  std::int64_t fit) const {
  if (column.fit_stride() == 0) return 0;
  return job_.data.offsets == nullptr
             ? fit * column.fit_stride()
             : job_.data.offsets[fit] * column.sample_stride();
}

// Returns false if the lane has the values already: shared values that its last
// fit has left there.
bool FitGroup::LoadColumn(std::int64_t fit, int lane, int c,
                          std::int64_t size) {
  const FitColumn& column = Column(c);
  if (column.fit_stride() == 0 && size <= num_shared_[lane]) return false;
  column.Copy(FirstIndex(column, fit), size, kLanes,
              samples_.columns[c * samples_.capacity].lane + lane);
  return true;
}

bool FitGroup::HasNan(int lane, int c, std::int64_t size) const {
  const LaneNumbers* const values = &samples_.columns[c * samples_.capacity];
  for (std::int64_t i = 0; i < size; ++i) {
    if (std::isnan(values[i][lane])) return true;
  }
  return false;
}

// Moves the samples that are not left out to the front.
std::int64_t FitGroup::RemoveMissing(std::int64_t fit, int lane,
                                     std::int64_t size) {
  const FitColumn& mask = job_.data.mask;
  const bool skips_nan = job_.options.skip_nan;
  std::int64_t count = 0;
  for (std::int64_t i = 0; i < size; ++i) {
    bool is_missing = false;
    if (!mask.empty()) {
      const double x =
          mask.At(FirstIndex(mask, fit) + i * mask.sample_stride());
      is_missing = x == 0.0 || (skips_nan && std::isnan(x));
    }
    for (int c = 0; c < samples_.num_columns; ++c) {
      LaneNumbers* const values = &samples_.columns[c * samples_.capacity];
      const double x = values[i][lane];
      is_missing = is_missing || (skips_nan && std::isnan(x));
      // Overwritten by the next sample if this one is missing.
      values[count][lane] = x;
    }
    count += is_missing ? 0 : 1;
  }
  return count;
}

void FitGroup::GrowSamples(std::int64_t size) {
  LaneSamples grown = samples_;
  grown.capacity = std::max(size, 2 * samples_.capacity);
  grown.columns = LaneArray((grown.num_columns + grown.num_function_columns) *
                            grown.capacity);
  for (int c = 0; c < grown.num_columns; ++c) {
    for (std::int64_t i = 0; i < samples_.capacity; ++i) {
      grown.columns[c * grown.capacity + i] =
          samples_.columns[c * samples_.capacity + i];
    }
  }
  samples_ = std::move(grown);
}

void FitGroup::End(int lane, FitStatus status) {
  if (is_fresh_[lane] != 0.0) {
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

// The inverse of J'J for the parameters that are not fixed, by Cholesky's
// factorization after scaling to a diagonal of ones. Returns false if the
// matrix is singular; the inverse is then undefined.
bool FitGroup::InvertMatrix(int lane) {
  constexpr double kLeastPivot = 1e-14;
  const int n = static_cast<int>(varying_.size());
  double* const root = root_.data();
  double* const inverse = inverse_.data();
  double* const factor = factor_.data();
  for (int i = 0; i < n; ++i) {
    factor[i] = 1.0 / std::sqrt(MatrixEntry(lane, varying_[i], varying_[i]));
  }
  // The inverse of the diagonal of the root is kept in its place.
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j <= i; ++j) {
      double sum =
          MatrixEntry(lane, varying_[i], varying_[j]) * factor[i] * factor[j];
      for (int k = 0; k < j; ++k) sum -= root[i * n + k] * root[j * n + k];
      if (i == j && !(sum > kLeastPivot)) return false;
      root[i * n + j] = i == j ? 1.0 / std::sqrt(sum) : sum * root[j * n + j];
    }
  }
  // The inverse of the root, by columns.
  for (int j = 0; j < n; ++j) {
    for (int i = j; i < n; ++i) {
      double sum = i == j ? 1.0 : 0.0;
      for (int k = j; k < i; ++k) sum -= root[i * n + k] * inverse[k * n + j];
      inverse[i * n + j] = sum * root[i * n + i];
    }
  }
  // The product of the inverses, above and on the diagonal.
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j <= i; ++j) {
      double sum = 0.0;
      for (int k = i; k < n; ++k) {
        sum += inverse[k * n + i] * inverse[k * n + j];
      }
      root[j * n + i] = sum * factor[i] * factor[j];
    }
  }
  return true;
}

void FitGroup::WriteCovariance(int lane, double* covariance) {
  const int n = static_cast<int>(varying_.size());
  const std::int64_t degrees_of_freedom =
      samples_.counts[lane] * job_.model.num_residuals - n;
  const bool scales = job_.options.scale_covariance;
  const bool is_determined =
      (!scales || degrees_of_freedom > 0) && InvertMatrix(lane);
  const double variance =
      scales ? 2.0 * costs_[lane] / static_cast<double>(degrees_of_freedom)
             : 1.0;
  std::fill_n(covariance, size_ * size_, 0.0);
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j <= i; ++j) {
      const double entry =
          is_determined ? root_[j * n + i] * variance : kInfinity;
      covariance[varying_[i] * size_ + varying_[j]] = entry;
      covariance[varying_[j] * size_ + varying_[i]] = entry;
    }
  }
}

}  // namespace ceres::internal::fits
