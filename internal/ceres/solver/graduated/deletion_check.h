// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_SOLVER_GRADUATED_DELETION_CHECK_H_
#define CERES_INTERNAL_SOLVER_GRADUATED_DELETION_CHECK_H_

#include <vector>

#include "ceres/problem/problem_impl.h"
#include "ceres/solver/graduated/relative_norms.h"
#include "ceres/solver/graduated/weighted_problem.h"

namespace ceres::internal {

// Finds inliers that the solution fits only because they bend it.
//
// At the minimum of a linear problem with residuals f of unit covariance, a
// block f_i has the covariance I - H, H = J_i C J_i', where C = (J'J)^-1. So
//
//   t = f_i' (I - H)^-1 f_i
//
// has the chi-square distribution of |f_i|^2 before the fit. t is also twice
// the cost that the problem loses with the block: the sum of squares of the
// problem without the block is less by t.
// Source: Cook and Weisberg, "Residuals and Influence in Regression", 1982,
// section 2.2.
//
// Returns t / c^2 of each uncertain block of weight 1, and 0 for the others.
// Directions in which a block alone determines the solution (I - H is near 0)
// do not count. Returns zeros if the Jacobian has not full rank.
// weighted: the problem at its solution, with these weights.
std::vector<double> DeletionNorms(const std::vector<ResidualBlock*>& uncertain,
                                  const RelativeNorms& norms,
                                  const std::vector<double>& weights,
                                  int num_threads, WeightedProblem* weighted);

// t for m residuals f, the Jacobian J (m x n, row-major) and the covariance C
// (n x n, row-major) of its columns.
double DeletionStatistic(int m, int n, const double* f, const double* jacobian,
                         const double* covariance);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_SOLVER_GRADUATED_DELETION_CHECK_H_
