// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/diagnosis/sparse_basis.h"

#include <cmath>

namespace ceres::internal {

SparseBasis MakeSparseBasis(const Eigen::MatrixXd& space, double negligible) {
  using Index = Eigen::Index;
  SparseBasis basis{space, {}};
  Eigen::MatrixXd& v = basis.vectors;
  for (Index k = 0; k < v.cols(); ++k) {
    // The largest entry of the vectors that have no pivot yet.
    Index row = 0;
    Index column = k;
    v.rightCols(v.cols() - k).cwiseAbs().maxCoeff(&row, &column);
    v.col(k).swap(v.col(k + column));
    basis.pivot.push_back(static_cast<int>(row));
    v.col(k) /= v(row, k);
    for (Index other = 0; other < v.cols(); ++other) {
      if (other == k) continue;
      const double factor = v(row, other);
      if (factor != 0.0) v.col(other) -= factor * v.col(k);
      v(row, other) = 0.0;
    }
  }
  for (Index k = 0; k < v.cols(); ++k) {
    v.col(k) /= v.col(k).cwiseAbs().maxCoeff();
    v.col(k) = (v.col(k).array().abs() < negligible).select(0.0, v.col(k));
  }
  return basis;
}

}  // namespace ceres::internal
