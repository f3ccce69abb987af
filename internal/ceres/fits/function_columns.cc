// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/fits/function_columns.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ceres/internal/numeric_diff.h"
#include "ceres/logging/logging.h"
#include "ceres/numeric_diff_options.h"

namespace ceres::internal::fits {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// A power of two, so that divisions by it are exact.
double ScaleOf(double start) {
  constexpr int kMostExponent = 900;
  if (start == 0.0 || !std::isfinite(start)) return 1.0;
  return std::ldexp(
      1.0, std::clamp(std::ilogb(start), -kMostExponent, kMostExponent));
}

bool AreFinite(const std::vector<double>& numbers) {
  return std::all_of(numbers.begin(), numbers.end(),
                     [](double x) { return std::isfinite(x); });
}

// Writes every stride-th of some numbers, times a factor, into a column of a
// lane. A factor of zero needs no numbers.
void WriteColumn(const double* numbers, std::int64_t stride, double factor,
                 int column, int lane, LaneSamples* samples) {
  LaneNumbers* const to = &samples->columns[column * samples->capacity];
  for (std::int64_t i = 0; i < samples->counts[lane]; ++i) {
    to[i][lane] = factor == 0.0 ? 0.0 : numbers[i * stride] * factor;
  }
}

}  // namespace

FunctionColumns::FunctionColumns(const FitFunction& function,
                                 int num_parameters, const bool* fixed)
    : function_(function),
      num_parameters_(num_parameters),
      fixed_(fixed),
      x_(num_parameters) {
  ranges_.fill(std::vector<Range>(num_parameters));
}

void FunctionColumns::Begin(int lane, const LaneArray& start,
                            const LaneArray* lower, const LaneArray* upper) {
  for (int j = 0; j < num_parameters_; ++j) {
    Range& range = ranges_[lane][j];
    range.scale = ScaleOf(start[j][lane]);
    range.lower = lower == nullptr ? -kInfinity : (*lower)[j][lane];
    range.upper = upper == nullptr ? kInfinity : (*upper)[j][lane];
    // Longer than several steps.
    constexpr double kLeastWidth = 1e-5;
    const double size =
        std::max({range.scale, std::abs(range.lower), std::abs(range.upper)});
    if (range.upper - range.lower < kLeastWidth * size) {
      range.lower = -kInfinity;
      range.upper = kInfinity;
    }
  }
}

void FunctionColumns::Write(const LaneArray& parameters, LaneSamples* samples) {
  for (int lane = 0; lane < kLanes; ++lane) {
    if (samples->counts[lane] == 0) continue;
    for (int j = 0; j < num_parameters_; ++j) x_[j] = parameters[j][lane];
    WriteLane(lane, samples);
  }
}

void FunctionColumns::WriteLane(int lane, LaneSamples* samples) {
  const std::int64_t count = samples->counts[lane];
  const int num_residuals = function_.num_residuals;
  VESTA_CHECK(count <= std::numeric_limits<int>::max() / num_residuals)
      << "FitMany: a fit has " << count
      << " samples; a FitFunction may have 2^31 - 1 residuals.";
  inputs_.resize(samples->num_columns * count);
  for (int c = 0; c < samples->num_columns; ++c) {
    double* const to = inputs_.data() + c * count;
    const LaneNumbers* const from = &samples->columns[c * samples->capacity];
    for (std::int64_t i = 0; i < count; ++i) to[i] = from[i][lane];
  }
  const FitSamples view{count, inputs_.data()};

  residuals_.resize(count * num_residuals);
  if (!function_.residuals(view, x_.data(), residuals_.data())) {
    residuals_.assign(residuals_.size(), kNaN);
  }
  const int stride = num_parameters_ + 1;
  for (int k = 0; k < num_residuals; ++k) {
    const int column = samples->num_columns + k * stride + num_parameters_;
    WriteColumn(residuals_.data() + k, num_residuals, 1.0, column, lane,
                samples);
  }
  // The point is rejected, whatever the derivatives are.
  if (!AreFinite(residuals_)) return;
  if (!function_.jacobian) return WriteDifferences(view, lane, samples);

  derivatives_.resize(residuals_.size() * num_parameters_);
  if (!function_.jacobian(view, x_.data(), derivatives_.data())) {
    derivatives_.assign(derivatives_.size(), kNaN);
  }
  for (int k = 0; k < num_residuals; ++k) {
    for (int j = 0; j < num_parameters_; ++j) {
      WriteColumn(derivatives_.data() + k * num_parameters_ + j,
                  num_residuals * num_parameters_, IsFixed(j) ? 0.0 : 1.0,
                  samples->num_columns + k * stride + j, lane, samples);
    }
  }
}

void FunctionColumns::WriteDifferences(const FitSamples& view, int lane,
                                       LaneSamples* samples) {
  const int num_residuals = function_.num_residuals;
  const NumericDiffOptions options;
  // The parameter that moves, and its value divided by the scale.
  int j = 0;
  double moved = 0.0;
  const auto evaluate = [&](double* residuals) {
    const Range& range = ranges_[lane][j];
    x_[j] = moved * range.scale;
    return x_[j] >= range.lower && x_[j] <= range.upper &&
           function_.residuals(view, x_.data(), residuals);
  };
  FiniteDifferences<CENTRAL, DYNAMIC, decltype(evaluate)> differences(
      evaluate, static_cast<int>(residuals_.size()), residuals_.data(),
      options);
  derivatives_.resize(residuals_.size());
  for (; j < num_parameters_; ++j) {
    const double x = x_[j], scale = ranges_[lane][j].scale;
    moved = x / scale;
    if (!IsFixed(j) &&
        !differences.WriteJacobian(&moved, 1, derivatives_.data())) {
      derivatives_.assign(derivatives_.size(), kNaN);
    }
    x_[j] = x;
    for (int k = 0; k < num_residuals; ++k) {
      WriteColumn(derivatives_.data() + k, num_residuals,
                  IsFixed(j) ? 0.0 : 1.0 / scale,
                  samples->num_columns + k * (num_parameters_ + 1) + j, lane,
                  samples);
    }
  }
}

}  // namespace ceres::internal::fits
