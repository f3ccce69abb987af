// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/linear/dense_test_utils.h"

#include "Eigen/Dense"

namespace ceres::internal {

bool IsPositiveDefinite(const Eigen::MatrixXd& a) {
  return a.llt().info() == Eigen::Success;
}

Eigen::MatrixXd DenseInverse(const Eigen::MatrixXd& a) { return a.inverse(); }

Eigen::MatrixXd SolveDense(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b) {
  return a.ldlt().solve(b);
}

Eigen::VectorXd DenseLeastSquares(const Eigen::MatrixXd& a,
                                  const Eigen::VectorXd& b) {
  return a.colPivHouseholderQr().solve(b);
}

Eigen::VectorXd SymmetricEigenvalues(const Eigen::MatrixXd& a) {
  return Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(a,
                                                        Eigen::EigenvaluesOnly)
      .eigenvalues();
}

Eigen::VectorXcd DenseEigenvalues(const Eigen::MatrixXd& a) {
  return a.eigenvalues();
}

Eigen::MatrixXd OrthogonalFactor(const Eigen::MatrixXd& a) {
  return Eigen::HouseholderQR<Eigen::MatrixXd>(a).householderQ();
}

}  // namespace ceres::internal
