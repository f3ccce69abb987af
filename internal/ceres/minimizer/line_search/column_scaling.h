// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_MINIMIZER_LINE_SEARCH_COLUMN_SCALING_H_
#define CERES_INTERNAL_MINIMIZER_LINE_SEARCH_COLUMN_SCALING_H_

#include <vector>

namespace ceres::internal {

// The initial inverse Hessian of line searches for least squares: the inverse
// of the diagonal of the Gauss-Newton matrix J'J,
//
//   H0 = diag(1 / n_j^2),   n_j^2 = max(|J_j|^2, kScaleDecay n_j^2 before),
//
// with J_j the j-th column of the Jacobian at the current point. A search whose
// directions begin with H0 follows the same path in all units of parameters and
// residuals. The second term of the maximum keeps a column that nearly vanishes
// at one point from a step that is too long everywhere else.
//
// At the first point there is no n_j before. There
//
//   n_j^2 = max(|J_j|^2, |g_j / x_j|),
//
// so that the first step -H0 g changes no coordinate by more than its size:
// |x_j| or, on a manifold, |x| of its block. A size of 0 is no limit. A column
// of zeros gets the largest n; if all columns are zero, n = 1.
//
// The method is an own derivation; scaling by the largest column norms so far
// is More's (The Levenberg-Marquardt Algorithm, 1978, section 6). Not
// thread-safe.
class ColumnScaling {
 public:
  // Computes H0 at the first point. Three vectors of one length. gradient:
  // J'r. sizes_of_terms: |J_j| |x_j| (stationarity.h).
  void Start(const std::vector<double>& squared_column_norms,
             const std::vector<double>& gradient,
             const std::vector<double>& sizes_of_terms);

  // Computes H0 at the next point.
  void Update(const std::vector<double>& squared_column_norms);

  // The diagonal of H0. Empty before Start.
  const std::vector<double>& inverse_diagonal() const {
    return inverse_diagonal_;
  }

 private:
  void Invert();

  std::vector<double> squared_scale_;  // n_j^2
  std::vector<double> inverse_diagonal_;
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_MINIMIZER_LINE_SEARCH_COLUMN_SCALING_H_
