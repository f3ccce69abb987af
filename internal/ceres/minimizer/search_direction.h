// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_MINIMIZER_SEARCH_DIRECTION_H_
#define CERES_INTERNAL_MINIMIZER_SEARCH_DIRECTION_H_

#include <memory>
#include <vector>

#include "ceres/execution/execution.h"
#include "ceres/minimizer/minimizer_options.h"

namespace ceres::internal {

// Along which direction a line search method leaves a point. Vectors have n
// values, tangent coordinates. Not thread-safe.
class SearchDirection {
 public:
  // The point left before, the direction taken there and how far.
  struct Previous {
    std::vector<double> gradient;
    std::vector<double> direction;
    double step_size = 0.0;
  };

  virtual ~SearchDirection() = default;
  SearchDirection() = default;
  SearchDirection(const SearchDirection&) = delete;
  SearchDirection& operator=(const SearchDirection&) = delete;

  // The direction at a point with the given gradient. `previous` is null at the
  // first point and after a restart. Where it is not a direction of descent the
  // caller restarts, with a new object, from the steepest one.
  virtual void Next(const Previous* previous,
                    const std::vector<double>& gradient,
                    std::vector<double>* direction) = 0;

  // Whether step size 1 is the natural one, as with Newton's method.
  virtual bool IsScaled() const { return false; }
};

// The kind that the options ask for:
//   STEEPEST_DESCENT
//   NONLINEAR_CONJUGATE_GRADIENT  d = -g + beta d_previous with Fletcher and
//       Reeves' beta, or Polak and Ribiere's or Hestenes and Stiefel's if that
//       is positive, else 0 (Nocedal and Wright, Numerical Optimization, 2nd
//       ed., (5.41), (5.44) to (5.46))
//   BFGS   d = -H g, H dense, n^2 values ((6.17))
//   LBFGS  d = -H g, see LowRankInverseHessian
std::unique_ptr<SearchDirection> CreateSearchDirection(
    const MinimizerOptions& options, const Execution& execution, int n);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_MINIMIZER_SEARCH_DIRECTION_H_
