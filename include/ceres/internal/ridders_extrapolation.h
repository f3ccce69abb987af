// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_INTERNAL_RIDDERS_EXTRAPOLATION_H_
#define CERES_PUBLIC_INTERNAL_RIDDERS_EXTRAPOLATION_H_

// Derivatives as limits of central differences.

#include <vector>

#include "ceres/internal/export.h"
#include "ceres/numeric_diff_options.h"

namespace ceres::internal {

// Extrapolates central differences of a vector-valued function,
//
//   A(h) = (f(x + h) - f(x - h)) / (2 h) = f'(x) + a_2 h^2 + a_4 h^4 + ...,
//
// to h = 0. With A(h / c^i) as D_{i,0}, each column of the triangle
//
//   D_00
//   D_10  D_11
//   D_20  D_21  D_22
//
//   D_{i,j} = (c^{2j} D_{i,j-1} - D_{i-1,j-1}) / (c^{2j} - 1)
//
// removes one more power of h^2 (Richardson extrapolation). Rounding is
// amplified on the way, so the answer is not the last element but, for each
// component of f, the one that differs least from its two neighbours
// D_{i,j-1} and D_{i-1,j-1}. Ridders, "Accurate computation of F'(x) and
// F'(x) F''(x)", Advances in Engineering Software 4(2), 1982.
class CERES_EXPORT RiddersExtrapolation {
 public:
  RiddersExtrapolation(int num_values, const NumericDiffOptions& options);

  // Forgets all differences.
  void Start();

  // Takes A(h / c^i), num_values() values, with i the number of earlier calls
  // since Start(). Returns whether a further difference can be of use.
  bool Add(const double* difference);

  // The derivative, num_values values, after at least one Add().
  const double* derivative() const { return best_.data(); }

  // The estimated absolute errors; infinite after only one Add().
  const double* error() const { return error_.data(); }

 private:
  bool AddValue(int k, double difference);

  const int num_values_;
  const NumericDiffOptions options_;
  int num_differences_ = 0;
  // Row i - 1 and row i of the triangles, one after the other.
  std::vector<double> previous_row_;
  std::vector<double> row_;
  std::vector<double> best_;
  std::vector<double> error_;
};

}  // namespace ceres::internal

#endif  // CERES_PUBLIC_INTERNAL_RIDDERS_EXTRAPOLATION_H_
