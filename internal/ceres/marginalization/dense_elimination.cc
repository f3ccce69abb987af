// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/marginalization/dense_elimination.h"

#include <algorithm>
#include <utility>

#include "Eigen/Eigenvalues"
#include "ceres/marginalization/row_factorization.h"

namespace ceres::internal {
namespace {

// The rows [R S] P' of a factorization.
ColMajorMatrix TriangleOf(const RowFactorization& found,
                          const ColMajorMatrix& rows) {
  const auto num_columns = static_cast<Eigen::Index>(found.order.size());
  ColMajorMatrix triangle(found.rank, num_columns);
  for (Eigen::Index c = 0; c < num_columns; ++c) {
    triangle.col(found.order[c]) = rows.col(c).head(found.rank);
  }
  return triangle;
}

// Rows with the same R'R, fewer if there are many more of them than columns.
ColMajorMatrix FewRows(const Execution& execution, ColMajorMatrix rows) {
  if (rows.rows() <= 2 * rows.cols()) return rows;
  const RowFactorization found =
      FactorizeRows(execution, static_cast<int>(rows.cols()), 0.0, &rows);
  return TriangleOf(found, rows);
}

Remainder RestOf(const Execution& execution, const ColMajorMatrix& rows,
                 int num_pivots, int rank) {
  return {FewRows(execution, rows.bottomRightCorner(rows.rows() - rank,
                                                    rows.cols() - num_pivots)),
          rank};
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

Remainder EliminateFromRows(const Execution& execution, ColMajorMatrix rows,
                            int num_pivots, double tolerance) {
  const int rank = FactorizeRows(execution, num_pivots, tolerance, &rows).rank;
  return RestOf(execution, rows, num_pivots, rank);
}

SplitRows SplitByPivots(const Execution& execution, ColMajorMatrix rows,
                        int num_pivots) {
  const RowFactorization found =
      FactorizeRows(execution, num_pivots, 0.0, &rows);
  SplitRows parts;
  parts.first = rows.topRows(found.rank);
  parts.first.leftCols(num_pivots) = TriangleOf(found, rows);
  parts.remainder = RestOf(execution, rows, num_pivots, found.rank);
  return parts;
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

SquareRoot RootOfRows(const Execution& execution, ColMajorMatrix rows,
                      double tolerance) {
  const Eigen::Index n = rows.cols() - 1;
  const RowFactorization found =
      FactorizeRows(execution, static_cast<int>(n), tolerance, &rows);
  SquareRoot root;
  root.a = TriangleOf(found, rows);
  root.b = rows.col(n).head(found.rank);
  root.least_cost =
      0.5 * rows.col(n).tail(rows.rows() - found.rank).squaredNorm();
  if (found.rank > 0) {
    root.condition_number = found.largest_pivot / found.least_pivot;
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
