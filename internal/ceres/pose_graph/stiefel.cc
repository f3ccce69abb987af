// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/pose_graph/stiefel.h"

#include <cmath>

#include "Eigen/Eigenvalues"
#include "Eigen/QR"

namespace ceres::internal {

int TangentSize(int rank, int dimension) {
  return rank * dimension - dimension * (dimension + 1) / 2 + rank;
}

Eigen::MatrixXd TangentBasis(const Eigen::MatrixXd& X) {
  const int r = static_cast<int>(X.rows());
  const int d = static_cast<int>(X.cols()) - 1;
  Eigen::MatrixXd basis = Eigen::MatrixXd::Zero(r * (d + 1), TangentSize(r, d));
  int column = 0;
  const double scale = std::sqrt(0.5);
  for (int a = 0; a < d; ++a) {
    for (int b = a + 1; b < d; ++b, ++column) {
      basis.col(column).segment(b * r, r) = scale * X.col(a);
      basis.col(column).segment(a * r, r) = -scale * X.col(b);
    }
  }
  if (r > d) {
    const Eigen::HouseholderQR<Eigen::MatrixXd> qr(X.leftCols(d));
    const Eigen::MatrixXd complement =
        (qr.householderQ() * Eigen::MatrixXd::Identity(r, r)).rightCols(r - d);
    for (int a = 0; a < d; ++a, column += r - d) {
      basis.block(a * r, column, r, r - d) = complement;
    }
  }
  basis.bottomRightCorner(r, r).setIdentity();
  return basis;
}

Eigen::MatrixXd Retract(const Eigen::MatrixXd& X, const Eigen::MatrixXd& V) {
  const int d = static_cast<int>(X.cols()) - 1;
  Eigen::MatrixXd result = X + V;
  const Eigen::MatrixXd Y = result.leftCols(d);
  // (Y'Y)^-1/2: Y'Y = I + V'V is well conditioned for a tangent V.
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> gram(Y.transpose() * Y);
  result.leftCols(d) = Y * gram.operatorInverseSqrt();
  return result;
}

}  // namespace ceres::internal
