// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/covariance/constraint_elimination.h"

#include "Eigen/Householder"

namespace ceres::internal {

std::vector<int> ReduceToEchelon(const Eigen::VectorXd& tolerance,
                                 Eigen::MatrixXd* a) {
  std::vector<int> pivots;
  const Eigen::Index n = a->cols();
  Eigen::VectorXd reflector(a->rows());
  Eigen::VectorXd work(n);
  for (Eigen::Index k = 0; k < n; ++k) {
    const auto row = static_cast<Eigen::Index>(pivots.size());
    const Eigen::Index left = a->rows() - row;
    if (left == 0) break;
    auto column = a->col(k).tail(left);
    if (!(column.norm() > tolerance(k))) {
      column.setZero();
      continue;
    }
    auto essential = reflector.head(left - 1);
    double tau = 0.0;
    double beta = 0.0;
    column.makeHouseholder(essential, tau, beta);
    a->bottomRightCorner(left, n - k - 1)
        .applyHouseholderOnTheLeft(essential, tau, work.data());
    column.setZero();
    column(0) = beta;
    pivots.push_back(static_cast<int>(k));
  }
  a->conservativeResize(static_cast<Eigen::Index>(pivots.size()),
                        Eigen::NoChange);
  return pivots;
}

void EliminateColumns(const Eigen::MatrixXd& echelon,
                      const std::vector<int>& pivots, int count,
                      Eigen::Ref<Eigen::MatrixXd> j) {
  for (int i = 0; i < count; ++i) {
    const Eigen::Index pivot = pivots[i];
    const Eigen::Index behind = j.cols() - pivot - 1;
    const Eigen::VectorXd factors = j.col(pivot) / echelon(i, pivot);
    j.rightCols(behind).noalias() -= factors * echelon.row(i).tail(behind);
    j.col(pivot).setZero();
  }
}

}  // namespace ceres::internal
