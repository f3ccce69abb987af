// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_MINIMIZER_STEP_FORECAST_H_
#define CERES_INTERNAL_MINIMIZER_STEP_FORECAST_H_

namespace ceres::internal {

// Guesses whether the next trust region step will be taken, so that the
// Jacobian can be evaluated at the candidate at once, together with the cost.
// With R the price of a pass for the cost alone and J of one with the Jacobian,
// of which there is only one in memory:
//
//                 cost first    all at once
//   taken         R + J         J
//   not taken     R             2 J   (the Jacobian of the old point is gone)
//
// All at once pays where more than 1 - R / (2 J) of the steps are taken: 0.86
// with automatic derivatives of a reprojection error, 0.96 where they are
// numeric. Hence steps are trusted only after some were taken in a row, and
// each wrong guess asks for more of them: wrong guesses are as few as the
// logarithm of the number of steps.
//
// A function of the steps alone, not of the clock: which pass a cost comes from
// may show in its last bit.
class StepForecast {
 public:
  // For a step whose model promises `model_cost_change` from `cost`. A step
  // that promises less than function_tolerance asks for, or less than rounding
  // leaves of it, is not expected to be taken.
  bool ExpectsSuccess(double model_cost_change, double cost,
                      double function_tolerance) const;

  // What became of a step. guessed: whether it was expected to be taken.
  void Taken() { ++num_taken_in_a_row_; }
  void NotTaken(bool guessed);

 private:
  static constexpr int kFirstPatience = 2;
  static constexpr int kGrowth = 4;  // of the patience, with a wrong guess
  static constexpr int kMaxPatience = 1 << 20;

  int num_taken_in_a_row_ = 0;
  int patience_ = kFirstPatience;
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_MINIMIZER_STEP_FORECAST_H_
