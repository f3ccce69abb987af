// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_FITS_FUNCTION_COLUMNS_H_
#define CERES_INTERNAL_FITS_FUNCTION_COLUMNS_H_

#include <array>
#include <cstdint>
#include <vector>

#include "ceres/fit_many.h"
#include "ceres/fits/lane_evaluator.h"
#include "ceres/lanes/lane_numbers.h"

namespace ceres::internal::fits {

// Computes the residuals and derivatives of a FitFunction, one lane after the
// other, as further columns of the samples in the lanes.
//
// Not thread-safe: one object per thread.
class FunctionColumns {
 public:
  // The function and `fixed`, which may be null, outlive the object.
  FunctionColumns(const FitFunction& function, int num_parameters,
                  const bool* fixed);

  // The number of columns: for each residual the derivatives by all parameters,
  // then the residual.
  int size() const { return function_.num_residuals * (num_parameters_ + 1); }

  // Takes the start of a lane's fit and its bounds; null: none.
  void Begin(int lane, const LaneArray& start, const LaneArray* lower,
             const LaneArray* upper);

  // Writes the columns of all lanes that have samples, from num_columns on.
  // parameters: [num_parameters]. What cannot be computed is NaN; derivatives
  // by fixed parameters are 0.
  void Write(const LaneArray& parameters, LaneSamples* samples);

 private:
  // What differences know about a parameter.
  struct Range {
    double start = 0.0;  // Its size.
    double lower = 0.0, upper = 0.0;
  };

  void WriteLane(int lane, LaneSamples* samples);
  void WriteDifferences(const FitSamples& view, int lane, LaneSamples* samples);
  double Differentiate(const FitSamples& view, const Range& range,
                       double largest, int j);
  double Change(const FitSamples& view, const Range& range, double x,
                double scale, int j);
  bool IsFixed(int j) const { return fixed_ != nullptr && fixed_[j]; }

  const FitFunction& function_;
  const int num_parameters_;
  const bool* const fixed_;
  std::array<std::vector<Range>, kLanes> ranges_;

  // The lane that is computed.
  std::vector<double> inputs_;  // [columns][samples]
  std::vector<double> x_, residuals_, derivatives_, previous_derivatives_;
};

}  // namespace ceres::internal::fits

#endif  // CERES_INTERNAL_FITS_FUNCTION_COLUMNS_H_
