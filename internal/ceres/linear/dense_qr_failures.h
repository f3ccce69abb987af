// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_LINEAR_DENSE_QR_FAILURES_H_
#define CERES_INTERNAL_LINEAR_DENSE_QR_FAILURES_H_

#include <cmath>
#include <limits>
#include <sstream>
#include <string>

// The reasons for which the solvers of DENSE_QR give no step.

namespace ceres::internal {

// Whether a column of n depends on the columns before it, up to rounding errors
// (or is NaN). pivot: its diagonal entry of R, the norm of its part that is
// orthogonal to the columns before it. squared_norm: of its column of R, which
// is that of the column itself, since Q is orthogonal.
inline bool IsDependentColumn(int n, double pivot, double squared_norm) {
  const double relative = std::numeric_limits<double>::epsilon() * n;
  return !(std::abs(pivot) > relative * std::sqrt(squared_norm)) ||
         !std::isfinite(squared_norm);
}

inline std::string TooFewRows(int num_rows, int num_columns) {
  std::ostringstream text;
  text << "Dense QR factorization failed: " << num_rows
       << " residuals cannot determine " << num_columns
       << " parameters without damping.";
  return text.str();
}

inline std::string DependentColumn(int j, double pivot) {
  std::ostringstream text;
  text << "Dense QR factorization failed: to working precision column " << j
       << " of the Jacobian depends on the columns before it (or is not "
          "finite), pivot "
       << pivot << ".";
  return text.str();
}

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_LINEAR_DENSE_QR_FAILURES_H_
