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
double ScaleOf(double x) {
  constexpr int kMostExponent = 900;
  if (x == 0.0 || !std::isfinite(x)) return 1.0;
  return std::ldexp(1.0,
                    std::clamp(std::ilogb(x), -kMostExponent, kMostExponent));
}

double LargestOf(const std::vector<double>& numbers) {
  double most = 0.0;
  for (const double x : numbers) most = std::max(most, std::abs(x));
  return most;
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
    range.start = std::abs(start[j][lane]);
    range.lower = lower == nullptr ? -kInfinity : (*lower)[j][lane];
    range.upper = upper == nullptr ? kInfinity : (*upper)[j][lane];
    // Longer than several steps.
    constexpr double kLeastWidth = 1e-5;
    const double size = std::max(
        {ScaleOf(range.start), std::abs(range.lower), std::abs(range.upper)});
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
  const double largest = LargestOf(residuals_);
  for (int j = 0; j < num_parameters_; ++j) {
    const double x = x_[j];
    double factor = 0.0;
    if (!IsFixed(j)) {
      factor = 1.0 / Differentiate(view, ranges_[lane][j], largest, j);
      x_[j] = x;
    }
    for (int k = 0; k < num_residuals; ++k) {
      WriteColumn(derivatives_.data() + k, num_residuals, factor,
                  samples->num_columns + k * (num_parameters_ + 1) + j, lane,
                  samples);
    }
  }
}

// Writes the derivatives by x_[j] / scale, returns the scale, and leaves x_[j]
// anywhere.
//
// The scale, and with it the step, is that of x_[j]. It grows as long as the
// residuals change by little more than rounding: to the size that the parameter
// should have, and further if they do not change at all.
double FunctionColumns::Differentiate(const FitSamples& view,
                                      const Range& range, double largest,
                                      int j) {
  constexpr double kLeastPart = 0x1p-20;
  constexpr double kGrowth = 0x1p5, kMostGrowth = 0x1p40;
  constexpr double kLeastChange = 1e-9, kRounding = 1e-13;
  const double x = x_[j];
  const double usual = std::max(1.0, ScaleOf(range.start));
  double scale = ScaleOf(std::max(std::abs(x), kLeastPart * range.start));
  double previous = 0.0;
  while (true) {
    const double change = Change(view, range, x, scale, j);
    if (!std::isfinite(change)) {
      // The function has no values as far away.
      if (previous == 0.0) break;
      derivatives_.swap(previous_derivatives_);
      return previous;
    }
    const double least = scale < usual ? kLeastChange : kRounding;
    if (change > least * largest || scale >= usual * kMostGrowth) break;
    previous = scale;
    previous_derivatives_ = derivatives_;
    scale *= kGrowth;
  }
  return scale;
}

// Writes the derivatives by x_[j] / scale at x_[j] = x. Returns how much a step
// of the differences changes a residual at most, which need not be finite.
double FunctionColumns::Change(const FitSamples& view, const Range& range,
                               double x, double scale, int j) {
  const NumericDiffOptions options;
  double moved = x / scale;
  const auto evaluate = [&](double* residuals) {
    x_[j] = moved * scale;
    return x_[j] >= range.lower && x_[j] <= range.upper &&
           function_.residuals(view, x_.data(), residuals);
  };
  FiniteDifferences<CENTRAL, DYNAMIC, decltype(evaluate)> differences(
      evaluate, static_cast<int>(residuals_.size()), residuals_.data(),
      options);
  derivatives_.resize(residuals_.size());
  if (!differences.WriteJacobian(&moved, 1, derivatives_.data())) {
    derivatives_.assign(derivatives_.size(), kNaN);
  }
  const double step =
      std::max(0x1p-26, options.relative_step_size * std::abs(x / scale));
  return AreFinite(derivatives_) ? step * LargestOf(derivatives_) : kNaN;
}

}  // namespace ceres::internal::fits
