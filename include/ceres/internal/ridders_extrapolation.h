// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_INTERNAL_RIDDERS_EXTRAPOLATION_H_
#define CERES_PUBLIC_INTERNAL_RIDDERS_EXTRAPOLATION_H_

// Derivatives as limits of central differences.

#include <limits>
#include <vector>

#include "ceres/internal/export.h"
#include "ceres/numeric_diff_options.h"

namespace ceres::internal {

// The derivative of a vector-valued function by one coordinate x, from central
// differences
//
//   A(h) = (f(x + h) - f(x - h)) / (2 h) = f'(x) + a_2 h^2 + a_4 h^4 + ...
//
// A run takes A at h, h / c, h / c^2, ... and extrapolates to h = 0. With
// A(h / c^i) as D_{i,0}, each column of the triangle
//
//   D_00
//   D_10  D_11
//   D_20  D_21  D_22
//
//   D_{i,j} = (c^{2j} D_{i,j-1} - D_{i-1,j-1}) / (c^{2j} - 1)
//
// removes one more power of h^2 (Richardson extrapolation). The answer is not
// the last element but, for each component of f, the one with the smallest
// estimated error: the larger difference from its neighbours D_{i,j-1} and
// D_{i-1,j-1}, and at least the rounding eps |f| / h of the row's step.
// Ridders, "Accurate computation of F'(x) and F'(x) F''(x)", Advances in
// Engineering Software 4(2), 1982.
//
// The first step of a run should be a fraction of the length L on which f
// changes its shape. The first run begins with the step that it is given. Its
// first three differences and its end decide about the next run:
//
//   truncation dominates   A(h) changes as much as it is large. The next first
//                          step is |x| times the relative step, but no less
//                          than h / 4096. If that is not shorter, a triangle
//                          that does not converge goes on with h / 4096.
//   rounding dominates     The relative change of A(h) bounds (h / L)^2. The
//                          next first step is as long as the bound allows.
//
// The best answer of all runs counts. Components share the steps: those that
// converge come first.
class CERES_EXPORT RiddersExtrapolation {
 public:
  RiddersExtrapolation(int num_values, const NumericDiffOptions& options);

  // Forgets all differences. x and the first step are finite, the step > 0.
  void Start(double x, double first_step);

  // The step of the difference that Add() expects.
  double step() const { return step_; }

  // Whether step() is longer than the first step. f need not be defined there.
  bool step_has_grown() const { return step_ > first_step_; }

  // Takes A(step()) and f(x - step()), num_values values each. Returns whether
  // a further difference, with the new step(), can improve the result.
  bool Add(const double* difference, const double* value);

  // The derivative, num_values values, after at least one Add().
  const double* derivative() const { return best_.data(); }

  // The estimated absolute errors; infinite after only one Add().
  const double* error() const { return error_.data(); }

 private:
  // The findings of the current run about one component of f.
  struct Run {
    // The first two differences.
    double first = 0.0;
    double second = 0.0;
    // The rounding of the first and of the last difference.
    double first_rounding = 0.0;
    double rounding = 0.0;
    // The best element of the last row, and the smallest error of all rows.
    double row_best = 0.0;
    double row_error = 0.0;
    double error = std::numeric_limits<double>::infinity();
    // The largest change of A in the first three rows, in units of A, and
    // whether it is more than rounding.
    double curvature = 0.0;
    bool is_curved = false;
    // Whether the steps are too long for the triangle to converge.
    bool is_coarse = false;
    // Whether a further row can reduce the error, and how many in succession
    // have not.
    bool can_improve = true;
    int num_failures = 0;
  };

  void ExtendTriangle(int k, double difference);
  void Judge(int k);
  void JudgeFirstThree(int k);
  void Consider(int k, double derivative, double error);
  bool ChooseStep();
  bool HasConverged(int k) const;
  bool IsVisible(int k) const;
  double ScaleOfX() const;
  bool XHasShorterScale() const;
  double LongestSafeStep() const;
  // Begin a run if it can improve the result and three differences are left.
  bool Begin(double first_step);
  bool BeginShorter();
  bool BeginAtScaleOfX();
  bool BeginLonger();

  const int num_values_;
  const NumericDiffOptions options_;
  const double tolerance_;
  double x_ = 0.0;
  double first_step_ = 0.0;
  double step_ = 0.0;
  // The current run: its first step, and its number of differences.
  double run_step_ = 0.0;
  int num_rows_ = 0;
  // The number of differences of all runs.
  int num_differences_ = 0;
  double shortest_coarse_step_ = 0.0;
  // Row i - 1 and row i of the triangles, one after the other.
  std::vector<double> previous_row_;
  std::vector<double> row_;
  std::vector<Run> runs_;
  std::vector<double> best_;
  std::vector<double> error_;
};

}  // namespace ceres::internal

#endif  // CERES_PUBLIC_INTERNAL_RIDDERS_EXTRAPOLATION_H_
