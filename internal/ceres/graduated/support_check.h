// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_GRADUATED_SUPPORT_CHECK_H_
#define CERES_INTERNAL_GRADUATED_SUPPORT_CHECK_H_

#include <vector>

#include "ceres/graduated/relative_norms.h"
#include "ceres/graduated/weighted_problem.h"
#include "ceres/problem.h"
#include "ceres/problem/problem_impl.h"

namespace ceres::internal {

// Compares residual blocks with the solution without them. Let f be the
// residuals of a block, J its Jacobian, and C the covariance of the solution.
//
//   kInlier    the solution has the block:     t = f' (I - J C J')^-1 f
//   kOutlier   the solution has not the block: t = f' (I + J C J')^-1 f
//
// If the errors of all blocks have unit variance, both have the chi-square
// distribution with as many degrees of freedom as the block has residuals. To
// first order, t / 2 is what the minimal cost loses with an inlier, or gains
// with an outlier. The sum of 1/2 min(s, c^2) is therefore minimal, among
// solutions in which one block has changed sides, if t <= c^2 for all inliers
// and t >= c^2 for all outliers.
//
// Sources: the first statistic: Cook and Weisberg, "Residuals and Influence in
// Regression", 1982, section 2.2. The second, the normalized innovation:
// Bar-Shalom, Li, Kirubarajan, "Estimation with Applications to Tracking and
// Navigation", 2001, section 5.4.
enum class Side { kInlier, kOutlier };

// What checks read. The problem is at its solution with these weights.
struct CheckedProblem {
  const Problem& whole;
  const std::vector<ResidualBlock*>& uncertain;
  const RelativeNorms& norms;
  const std::vector<double>& weights;
  int num_threads;
  WeightedProblem* weighted;
};

// t / c^2 of each uncertain block of weight 1, and 0 for the others. Directions
// in which a block alone determines the solution (I - J C J' is near 0) do not
// count. Zeros if the Jacobian has not full rank.
std::vector<double> DeletionNorms(const CheckedProblem& problem);

// t / c^2 of each uncertain block of weight 0 that may have t <= c^2, and
// infinity for the others. Infinities if the Jacobian has not full rank. Blocks
// whose parameter blocks no other block has are not checked.
std::vector<double> AdditionNorms(const CheckedProblem& problem);

// t for m residuals f, the Jacobian J (m x n, row-major) and the covariance C
// (n x n, row-major) of its columns.
double SupportStatistic(Side side, int m, int n, const double* f,
                        const double* jacobian, const double* covariance);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_GRADUATED_SUPPORT_CHECK_H_
