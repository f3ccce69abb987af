// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_MARGINALIZATION_DENSE_MARGINAL_TEST_UTILS_H_
#define CERES_INTERNAL_MARGINALIZATION_DENSE_MARGINAL_TEST_UTILS_H_

#include <vector>

#include "Eigen/Core"
#include "ceres/crs_matrix.h"
#include "ceres/linearization.h"
#include "ceres/linearized_prior.h"
#include "ceres/marginalization.h"
#include "ceres/problem.h"
#include "gtest/gtest.h"

namespace ceres::internal {

inline Eigen::MatrixXd DenseJacobian(const Linearization& linearization) {
  const CRSMatrix crs = linearization.Jacobian();
  Eigen::MatrixXd dense = Eigen::MatrixXd::Zero(crs.num_rows, crs.num_cols);
  for (int i = 0; i < crs.num_rows; ++i) {
    for (int k = crs.rows[i]; k < crs.rows[i + 1]; ++k) {
      dense(i, crs.cols[k]) = crs.values[k];
    }
  }
  return dense;
}

// J and r of the whole problem, columns in the order of `blocks`.
inline void LinearizeAll(Problem* problem, const std::vector<double*>& blocks,
                         Eigen::MatrixXd* j, Eigen::VectorXd* r) {
  LinearizationOptions options;
  options.parameter_blocks = blocks;
  Linearization linearization;
  ASSERT_TRUE(problem->Linearize(options, {}, &linearization));
  *j = DenseJacobian(linearization);
  *r = linearization.Residuals();
}

inline const LinearizedPrior& PriorOf(const Problem& problem,
                                      const MarginalizationSummary& summary) {
  return dynamic_cast<const LinearizedPrior&>(
      *problem.GetCostFunctionForResidualBlock(summary.prior));
}

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_MARGINALIZATION_DENSE_MARGINAL_TEST_UTILS_H_
