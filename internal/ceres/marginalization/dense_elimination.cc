// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/marginalization/dense_elimination.h"

#include <algorithm>
#include <utility>

#include "Eigen/Eigenvalues"
#include "Eigen/QR"

namespace ceres::internal {
namespace {

using PivotedQr = Eigen::ColPivHouseholderQR<ColMajorMatrix>;

// Rows with the same R'R: at most as many as columns. Without pivoting, which
// would take longer.
ColMajorMatrix Triangle(ColMajorMatrix rows) {
  if (rows.rows() <= rows.cols()) return rows;
  const Eigen::HouseholderQR<ColMajorMatrix> qr(rows);
  return qr.matrixQR().topRows(rows.cols()).triangularView<Eigen::Upper>();
}

// The number of pivots, which do not increase, that exceed the tolerance.
int RankOf(const PivotedQr& qr, double tolerance) {
  const auto pivots = qr.matrixQR().diagonal().cwiseAbs();
  int rank = 0;
  while (rank < pivots.size() && pivots[rank] > tolerance) ++rank;
  return rank;
}

// H = V diag(values) V', without the eigenvalues that do not exceed the
// tolerance.
struct Spectrum {
  Spectrum(const ColMajorMatrix& h, double tolerance) {
    const Eigen::SelfAdjointEigenSolver<ColMajorMatrix> solver(h);
    const Vector& all = solver.eigenvalues();  // ascending
    Eigen::Index dropped = 0;
    while (dropped < all.size() && !(all[dropped] > tolerance)) ++dropped;
    values = all.tail(all.size() - dropped);
    vectors = solver.eigenvectors().rightCols(all.size() - dropped);
  }
  Vector values;
  ColMajorMatrix vectors;
};

}  // namespace

Remainder EliminateFromRows(const ColMajorMatrix& rows, int num_pivots,
                            double tolerance) {
  const PivotedQr qr(rows.leftCols(num_pivots));
  const int rank = RankOf(qr, tolerance);
  ColMajorMatrix rest = rows.rightCols(rows.cols() - num_pivots);
  rest.applyOnTheLeft(qr.householderQ().setLength(rank).adjoint());
  return {Triangle(rest.bottomRows(rest.rows() - rank)), rank};
}

Remainder EliminateFromNormal(const ColMajorMatrix& h, int num_pivots,
                              double tolerance) {
  const Eigen::Index n = h.rows() - num_pivots;
  const Spectrum spectrum(h.topLeftCorner(num_pivots, num_pivots), tolerance);
  const ColMajorMatrix half =
      spectrum.values.cwiseSqrt().cwiseInverse().asDiagonal() *
      (spectrum.vectors.transpose() * h.topRightCorner(num_pivots, n));
  return {h.bottomRightCorner(n, n) - half.transpose() * half,
          static_cast<int>(spectrum.values.size())};
}

SquareRoot RootOfRows(const ColMajorMatrix& rows, double tolerance) {
  const ColMajorMatrix triangle = Triangle(rows);
  const Eigen::Index n = triangle.cols() - 1;
  const PivotedQr qr(triangle.leftCols(n));
  const int rank = RankOf(qr, tolerance);
  SquareRoot root;
  root.a = ColMajorMatrix(
               qr.matrixQR().topRows(rank).triangularView<Eigen::Upper>()) *
           qr.colsPermutation().transpose();
  Vector residual = triangle.col(n);
  residual.applyOnTheLeft(qr.householderQ().setLength(rank).adjoint());
  root.b = residual.head(rank);
  root.least_cost = 0.5 * residual.tail(residual.size() - rank).squaredNorm();
  if (rank > 0) {
    const auto pivots = qr.matrixQR().diagonal().head(rank).cwiseAbs();
    root.condition_number = pivots.maxCoeff() / pivots.minCoeff();
  }
  return root;
}

SquareRoot RootOfNormal(const ColMajorMatrix& h, double tolerance) {
  const Eigen::Index n = h.rows() - 1;
  const Spectrum spectrum(h.topLeftCorner(n, n), tolerance);
  const Vector roots = spectrum.values.cwiseSqrt();
  SquareRoot root;
  root.a = roots.asDiagonal() * spectrum.vectors.transpose();
  root.b = roots.cwiseInverse().asDiagonal() *
           (spectrum.vectors.transpose() * h.col(n).head(n));
  root.least_cost = 0.5 * std::max(h(n, n) - root.b.squaredNorm(), 0.0);
  if (root.rank() > 0) {
    root.condition_number = roots.maxCoeff() / roots.minCoeff();
  }
  return root;
}

}  // namespace ceres::internal
