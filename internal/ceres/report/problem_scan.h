// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_REPORT_PROBLEM_SCAN_H_
#define CERES_INTERNAL_REPORT_PROBLEM_SCAN_H_

#include <string>
#include <vector>

#include "ceres/problem.h"

namespace ceres::internal {

// The result of one pass over the residual blocks at the current values of the
// parameters. By residual block or parameter block, in the problem's order.
struct ProblemScan {
  // The residual block that cannot be evaluated, and why. -1 and empty: all
  // can.
  int failed_block = -1;
  std::string error;

  // |f|^2, rho(|f|^2) / 2 and rho'(|f|^2). Without loss function: rho(s) = s.
  std::vector<double> squared_norm;
  std::vector<double> cost;
  std::vector<double> weight;

  // The time of the evaluation of all residual blocks, and of the one that took
  // longest.
  double seconds = 0.0;
  double longest_seconds = 0.0;

  // With Jacobians only. The columns of the Jacobian of sqrt(rho') f: one per
  // tangent coordinate of each varying parameter block, in the problem's order.
  std::vector<int> first_column;  // of each parameter block, +1
  std::vector<double> squared_column_norm;

  bool ok() const { return error.empty(); }
};

enum class ScanContents { kResiduals, kResidualsAndJacobians };

// Evaluates all residual blocks, in the calling thread. Ends at the first that
// cannot be evaluated, or whose cost is not finite. Exceptions of user code
// reach the caller.
ProblemScan ScanProblem(Problem* problem, ScanContents contents);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_REPORT_PROBLEM_SCAN_H_
