// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_GRADUATED_VARIANCE_FACTOR_H_
#define CERES_INTERNAL_GRADUATED_VARIANCE_FACTOR_H_

#include <vector>

namespace ceres::internal {

// Estimates the variance factor v of inliers (variance of unit weight, Koch,
// "Parameter Estimation and Hypothesis Testing in Linear Models", 1999, section
// 3.2.5): if all stated standard deviations are wrong by the same factor
// sqrt(v), the deletion statistic t of a block of n residuals is v times a
// chi-square variable of n degrees of freedom, however strongly the block pulls
// the solution (deletion_check.h).
//
// v is the smallest factor whose distribution bounds that of the statistics at
// three probabilities p (overbounding: DeCleene, "Defining Pseudorange
// Integrity - Overbounding", ION GPS 2000):
//
//     v = max over p = 1/2, 0.9, 0.99 of the p-quantile of t_i / q(p, n_i)
//
// with q the quantile of the chi-square distribution. For normal errors the
// three agree. Real errors often have heavier tails, which the larger p cover.
// The estimate is too large, but not too small, if some of the blocks are
// outliers. v is at least 1e-4: residuals of data without errors say where the
// solver has stopped, and nothing about standard deviations.
//
// statistics: t of each block. num_residuals: n of each block. Blocks with t <=
// 0 do not count. Returns 1 if less than 100 blocks count, for their 0.99
// quantile is not known.
double EstimateVarianceFactor(const std::vector<double>& statistics,
                              const std::vector<int>& num_residuals);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_GRADUATED_VARIANCE_FACTOR_H_
