// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "region.h"

#include <Eigen/QR>
#include <Eigen/SVD>
#include <algorithm>
#include <cmath>
#include <limits>

namespace vesta::python {

using Eigen::MatrixXd;
using Eigen::VectorXd;

void ReducedModel::Reduce(const Eigen::Ref<const MatrixXd>& jacobian,
                          const VectorXd& residuals) {
  // Rows in pieces that stay in the cache: [R q] of the rows so far, and below
  // it the next rows of [J f], are factored again.
  constexpr Eigen::Index kPiece = 512;
  const Eigen::Index m = jacobian.rows();
  const Eigen::Index n = jacobian.cols();
  r.setZero(n, n);
  q.setZero(n);
  MatrixXd stacked;
  Eigen::Index known = 0;
  for (Eigen::Index begin = 0; begin < m; begin += kPiece) {
    const Eigen::Index rows = std::min(kPiece, m - begin);
    stacked.resize(known + rows, n + 1);
    stacked.topLeftCorner(known, n) = r.topRows(known);
    stacked.topRightCorner(known, 1) = q.head(known);
    stacked.bottomLeftCorner(rows, n) = jacobian.middleRows(begin, rows);
    stacked.bottomRightCorner(rows, 1) = residuals.segment(begin, rows);
    const Eigen::HouseholderQR<Eigen::Ref<MatrixXd>> qr(stacked);
    known = std::min(known + rows, n);
    r.topRows(known) =
        stacked.topLeftCorner(known, n).triangularView<Eigen::Upper>();
    q.head(known) = stacked.topRightCorner(known, 1);
  }
  gradient.noalias() = r.transpose() * q;
  column_norms.resize(n);
  for (Eigen::Index j = 0; j < n; ++j) column_norms[j] = r.col(j).norm();
}

double ReducedModel::Change(const VectorXd& p) const {
  return gradient.dot(p) + 0.5 * (r * p).squaredNorm();
}

void BallProblem::Set(const MatrixXd& b, const VectorXd& q) {
  // Jacobi's method is the faster one for few columns.
  constexpr Eigen::Index kFewColumns = 32;
  constexpr int kThin = Eigen::ComputeThinU | Eigen::ComputeThinV;
  const auto take = [&](const auto& svd) {
    singular_values_ = svd.singularValues();
    projection_.noalias() = svd.matrixU().transpose() * q;
    v_ = svd.matrixV();
  };
  if (b.cols() <= kFewColumns) {
    take(Eigen::JacobiSVD<MatrixXd, Eigen::HouseholderQRPreconditioner>(b,
                                                                        kThin));
  } else {
    take(Eigen::BDCSVD<MatrixXd>(b, kThin));
  }
  const double least = std::numeric_limits<double>::epsilon() *
                       static_cast<double>(b.rows()) * singular_values_[0];
  for (Eigen::Index i = 0; i < singular_values_.size(); ++i) {
    if (!(singular_values_[i] > least)) projection_[i] = 0.0;
  }
  lambda_ = 0.0;
}

VectorXd BallProblem::At(double lambda) const {
  VectorXd y(projection_.size());
  for (Eigen::Index i = 0; i < y.size(); ++i) {
    const double s = singular_values_[i];
    y[i] = projection_[i] == 0.0 ? 0.0 : -s * projection_[i] / (s * s + lambda);
  }
  return y;
}

VectorXd BallProblem::Minimize(double radius, bool* inside) {
  constexpr int kMaxIterations = 20;
  constexpr double kTolerance = 0.01;
  VectorXd y = At(0.0);
  double norm = y.norm();
  *inside = norm <= radius * (1.0 + kTolerance);
  if (*inside) {
    lambda_ = 0.0;
    return v_ * y;
  }
  // d |y| / d lambda = -sum y_i^2 / (s_i^2 + lambda) / |y|
  const auto newton = [&](double lambda) {
    double slope = 0.0;
    for (Eigen::Index i = 0; i < y.size(); ++i) {
      const double s2 = singular_values_[i] * singular_values_[i];
      if (y[i] != 0.0) slope += y[i] * y[i] / (s2 + lambda);
    }
    return lambda + (norm - radius) / radius * (norm * norm / slope);
  };
  double low = newton(0.0);
  double high = singular_values_.cwiseProduct(projection_).norm() / radius;
  double lambda = lambda_;
  for (int i = 0; i < kMaxIterations; ++i) {
    if (!(lambda > low && lambda < high)) {
      lambda = std::max(1e-3 * high, std::sqrt(low * high));
      lambda = std::min(std::max(lambda, low), high);
    }
    y = At(lambda);
    norm = y.norm();
    if (std::abs(norm - radius) <= kTolerance * radius) break;
    (norm > radius ? low : high) = lambda;
    lambda = newton(lambda);
  }
  lambda_ = lambda;
  return v_ * (y * (radius / norm));
}

double BallProblem::LargestDecrease() const { return projection_.norm(); }

}  // namespace vesta::python
