// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_SCHUR_DENSE_SCHUR_COMPLEMENT_H_
#define CERES_INTERNAL_SCHUR_DENSE_SCHUR_COMPLEMENT_H_

// For tests: S by dense elimination, an independent computation.

#include "Eigen/Dense"
#include "ceres/linear/random_jacobian.h"

namespace ceres::internal {

inline Eigen::MatrixXd DenseSchurComplement(const RandomJacobian& problem) {
  const BlockJacobianStructure& s = problem.structure;
  const int num_e = s.column_offset[s.num_eliminated];
  const int num_f = s.num_columns() - num_e;
  const Eigen::MatrixXd j = DenseJacobian(problem.jacobian);
  Eigen::MatrixXd h = j.transpose() * j;
  h.diagonal() += problem.damping.array().square().matrix();
  const Eigen::MatrixXd coupling = h.topRightCorner(num_e, num_f);
  return h.bottomRightCorner(num_f, num_f) -
         coupling.transpose() *
             h.topLeftCorner(num_e, num_e).llt().solve(coupling);
}

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_SCHUR_DENSE_SCHUR_COMPLEMENT_H_
