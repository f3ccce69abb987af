// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_MINIMIZER_LINE_SEARCH_SEARCH_DIRECTION_H_
#define CERES_INTERNAL_MINIMIZER_LINE_SEARCH_SEARCH_DIRECTION_H_

#include <memory>
#include <vector>

#include "ceres/execution/execution.h"
#include "ceres/minimizer/minimizer_options.h"

namespace ceres::internal {

// Computes the direction of the next line search. Vectors have n tangent
// coordinates. Not thread-safe.
class SearchDirection {
 public:
  // The previous point's gradient, direction and step size.
  struct Previous {
    std::vector<double> gradient;
    std::vector<double> direction;
    double step_size = 0.0;
  };

  virtual ~SearchDirection() = default;
  SearchDirection() = default;
  SearchDirection(const SearchDirection&) = delete;
  SearchDirection& operator=(const SearchDirection&) = delete;

  // Writes the direction at a point with the given gradient. previous: null at
  // the first point and after a restart. inverse_diagonal: the diagonal of D,
  // an estimate of the inverse Hessian; empty if there is none (D = I). If the
  // direction is no descent direction, the caller restarts with a new object,
  // whose first direction is the steepest descent.
  virtual void Next(const Previous* previous,
                    const std::vector<double>& gradient,
                    const std::vector<double>& inverse_diagonal,
                    std::vector<double>* direction) = 0;

  // Whether the first step size to try is 1, as for Newton's method.
  virtual bool IsScaled() const { return false; }
};

// Creates the search direction that options.line_search_direction_type names.
// g is the gradient, y = g - g_previous.
//
//   STEEPEST_DESCENT               d = -D g
//   NONLINEAR_CONJUGATE_GRADIENT   d = -D g + beta d_previous
//       FLETCHER_REEVES    beta = g'Dg / g_previous'D g_previous         (5.41)
//       POLAK_RIBIERE      beta = max(0, g'Dy / g_previous'D g_previous) (5.44)
//       HESTENES_STIEFEL   beta = max(0, g'Dy / d_previous'y)            (5.46)
//   BFGS                           d = -H g, H dense, n^2 values         (6.17)
//   LBFGS                          d = -H g, see lbfgs.h
//
// The updates of BFGS begin with the D of the first pair, those of LBFGS with
// the current one; without D, with a multiple of the identity (lbfgs.h).
//
// Equations of J. Nocedal, S. Wright, Numerical Optimization, 2nd ed.
std::unique_ptr<SearchDirection> CreateSearchDirection(
    const MinimizerOptions& options, const Execution& execution, int n);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_MINIMIZER_LINE_SEARCH_SEARCH_DIRECTION_H_
