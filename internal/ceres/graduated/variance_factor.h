// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_GRADUATED_VARIANCE_FACTOR_H_
#define CERES_INTERNAL_GRADUATED_VARIANCE_FACTOR_H_

#include <vector>

namespace ceres::internal {

// Estimates the variance factor v of inliers (also called the variance of unit
// weight). Suppose that all stated standard deviations are wrong by the same
// factor sqrt(v). Then the deletion statistic t of a block of n residuals
// (support_check.h) is v times a chi-square variable with n degrees of freedom.
// This holds however strongly the block influences the solution. Source: Koch,
// "Parameter Estimation and Hypothesis Testing in Linear Models", 1999, section
// 3.2.5.
//
// v is the smallest factor for which the scaled chi-square distribution bounds
// the distribution of the statistics at three probabilities p:
//
//     v = max over p = 1/2, 0.9, 0.99 of the p-quantile of t_i / q(p, n_i)
//
// where q(p, n) is the p-quantile of the chi-square distribution with n degrees
// of freedom. For normal errors the three values agree. Real errors often have
// heavier tails, which the larger p cover. If some blocks are outliers, the
// estimate is too large, never too small. v is at least 1e-4: the residuals of
// data without errors depend on where the solver stopped, and say nothing about
// standard deviations. Source: DeCleene, "Defining Pseudorange Integrity -
// Overbounding", ION GPS 2000.
//
// statistics: t of each block. num_residuals: n of each block. Blocks with t <=
// 0 are ignored. Returns 1 if fewer than 100 blocks remain, because their 0.99
// quantile cannot be estimated.
double EstimateVarianceFactor(const std::vector<double>& statistics,
                              const std::vector<int>& num_residuals);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_GRADUATED_VARIANCE_FACTOR_H_
