// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/internal/ridders_extrapolation.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "glog/logging.h"

namespace ceres::internal {

RiddersExtrapolation::RiddersExtrapolation(int num_values,
                                           const NumericDiffOptions& options)
    : num_values_(num_values), options_(options) {
  CHECK_GT(options.max_num_ridders_extrapolations, 0)
      << "NumericDiffOptions::max_num_ridders_extrapolations must be positive.";
  CHECK_GT(options.ridders_step_shrink_factor, 1.0)
      << "NumericDiffOptions::ridders_step_shrink_factor must exceed 1.";
  const int num_entries = num_values * options.max_num_ridders_extrapolations;
  previous_row_.resize(num_entries);
  row_.resize(num_entries);
  best_.resize(num_values);
  error_.resize(num_values);
}

void RiddersExtrapolation::Start() { num_differences_ = 0; }

bool RiddersExtrapolation::Add(const double* difference) {
  row_.swap(previous_row_);
  bool of_use = false;
  for (int k = 0; k < num_values_; ++k) {
    of_use |= AddValue(k, difference[k]);
  }
  ++num_differences_;
  return of_use && num_differences_ < options_.max_num_ridders_extrapolations;
}

// The same for component k of f. Returns whether it needs more differences.
bool RiddersExtrapolation::AddValue(int k, double difference) {
  const int stride = options_.max_num_ridders_extrapolations;
  const int i = num_differences_;
  const double* previous = previous_row_.data() + k * stride;
  double* row = row_.data() + k * stride;
  row[0] = difference;
  if (i == 0) {
    best_[k] = difference;
    error_[k] = std::numeric_limits<double>::infinity();
    return true;
  }
  const double c2 =
      options_.ridders_step_shrink_factor * options_.ridders_step_shrink_factor;
  double power = 1.0;
  for (int j = 1; j <= i; ++j) {
    power *= c2;
    row[j] = row[j - 1] + (row[j - 1] - previous[j - 1]) / (power - 1.0);
    const double error = std::max(std::abs(row[j] - row[j - 1]),
                                  std::abs(row[j] - previous[j - 1]));
    if (error < error_[k]) {
      error_[k] = error;
      best_[k] = row[j];
    }
  }
  // Once the diagonal moves by more than the best error, rounding has taken
  // over.
  constexpr double kGrowth = 2.0;
  const bool has_converged =
      error_[k] <= options_.ridders_epsilon * std::abs(best_[k]);
  return !has_converged &&
         !(std::abs(row[i] - previous[i - 1]) >= kGrowth * error_[k]);
}

}  // namespace ceres::internal
