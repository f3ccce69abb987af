// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/covariance/dense_pseudo_inverse.h"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <utility>

#include "Eigen/Dense"
#include "ceres/base/format.h"
#include "ceres/covariance/constraint_elimination.h"

namespace ceres::internal {
namespace {

using RowMajor =
    Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// The rows of J, or those of A.
Eigen::MatrixXd ToDense(const BlockJacobian& jacobian,
                        const std::vector<bool>& is_constraint,
                        bool of_constraints) {
  const BlockJacobianStructure& s = *jacobian.structure;
  const auto is_wanted = [&](int row) {
    return (!is_constraint.empty() && is_constraint[row]) == of_constraints;
  };
  Eigen::Index num_rows = 0;
  for (int row = 0; row < s.num_row_blocks(); ++row) {
    if (is_wanted(row)) num_rows += s.row_size(row);
  }
  Eigen::MatrixXd dense = Eigen::MatrixXd::Zero(num_rows, s.num_columns());
  Eigen::Index first = 0;
  for (int row = 0; row < s.num_row_blocks(); ++row) {
    if (!is_wanted(row)) continue;
    for (int c = s.first_cell[row]; c < s.first_cell[row + 1]; ++c) {
      const int block = s.cell_column[c];
      const int size = s.column_size(block);
      dense.block(first, s.column_offset[block], s.row_size(row), size) =
          Eigen::Map<const RowMajor>(
              jacobian.row_block(row) + s.cell_position[c], s.row_size(row),
              size);
    }
    first += s.row_size(row);
  }
  return dense;
}

// Rows of J without cells are zero: they do not count.
int NumRowsWithCells(const BlockJacobianStructure& s,
                     const std::vector<bool>& is_constraint) {
  int num_rows = 0;
  for (int row = 0; row < s.num_row_blocks(); ++row) {
    if (!is_constraint.empty() && is_constraint[row]) continue;
    if (s.first_cell[row + 1] > s.first_cell[row]) num_rows += s.row_size(row);
  }
  return num_rows;
}

// An orthonormal basis of the null space of A.
Eigen::MatrixXd NullSpaceOf(Eigen::MatrixXd a) {
  for (Eigen::Index i = 0; i < a.rows(); ++i) {
    const double norm = a.row(i).stableNorm();
    if (norm > 0.0) a.row(i) /= norm;
  }
  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(a.transpose());
  qr.setThreshold(kDependentConstraint);
  const Eigen::Index n = a.cols();
  const Eigen::Index free = n - qr.rank();
  Eigen::MatrixXd basis = Eigen::MatrixXd::Zero(n, free);
  basis.bottomRows(free).setIdentity();
  basis.applyOnTheLeft(qr.householderQ());
  return basis;
}

// A square matrix with the same singular values and V: the R of J, with rows of
// zeros where J has too few.
Eigen::MatrixXd SquareFactor(Eigen::MatrixXd dense) {
  const Eigen::Index n = dense.cols();
  Eigen::MatrixXd square = Eigen::MatrixXd::Zero(n, n);
  if (dense.rows() <= n) {
    square.topRows(dense.rows()) = dense;
  } else {
    const Eigen::HouseholderQR<Eigen::Ref<Eigen::MatrixXd>> qr(dense);
    square.triangularView<Eigen::Upper>() =
        dense.topRows(n).triangularView<Eigen::Upper>();
  }
  return square;
}

}  // namespace

bool DensePseudoInverse(const BlockJacobian& jacobian,
                        const std::vector<bool>& is_constraint,
                        double min_reciprocal_condition_number,
                        int null_space_rank, Eigen::MatrixXd* inverse,
                        std::string* message) {
  message->clear();
  Eigen::MatrixXd j = ToDense(jacobian, is_constraint, false);
  Eigen::MatrixXd basis;
  if (!is_constraint.empty()) {
    basis = NullSpaceOf(ToDense(jacobian, is_constraint, true));
    if (basis.cols() == 0) {
      inverse->setZero(j.cols(), j.cols());
      return true;
    }
    j = j * basis;
  }
  const Eigen::MatrixXd square = SquareFactor(std::move(j));
#if EIGEN_MAJOR_VERSION >= 5
  const Eigen::BDCSVD<Eigen::MatrixXd, Eigen::ComputeFullV> svd(square);
#else
  const Eigen::BDCSVD<Eigen::MatrixXd> svd(square, Eigen::ComputeFullV);
#endif
  const Eigen::VectorXd& s = svd.singularValues();
  const int n = static_cast<int>(s.size());
  // The others are zero in exact arithmetic.
  const int num_values =
      std::min(n, NumRowsWithCells(*jacobian.structure, is_constraint));
  const double bound = std::sqrt(min_reciprocal_condition_number) * s(0);
  const auto too_small = [&](int i) { return !(s(i) > 0.0 && s(i) >= bound); };

  int num_kept = num_values;
  if (null_space_rank < 0) {
    while (num_kept > 0 && too_small(num_kept - 1)) --num_kept;
  } else {
    num_kept = std::max(0, num_values - null_space_rank);
    if (num_kept > 0 && too_small(num_kept - 1)) {
      int num_too_small = 0;
      for (int i = 0; i < num_values; ++i)
        num_too_small += too_small(i) ? 1 : 0;
      std::ostringstream text;
      text << "the Jacobian does not determine all parameters: its number of "
              "singular values below sqrt(min_reciprocal_condition_number) "
              "times the largest, "
           << s(0) << ", is " << num_too_small << " of " << num_values
           << ", but null_space_rank is " << null_space_rank
           << ". Hold parameter blocks constant, or set null_space_rank to -1 "
              "for the pseudo-inverse.";
      *message = text.str();
      return false;
    }
  }
  if (n - num_kept > std::max(0, null_space_rank)) {
    *message = Format(
        "the inverse leaves out %d of %d directions, which the residuals do "
        "not determine.",
        n - num_kept, n);
  }
  Eigen::MatrixXd scaled = svd.matrixV().leftCols(num_kept) *
                           s.head(num_kept).cwiseInverse().asDiagonal();
  if (!is_constraint.empty()) scaled = basis * scaled;
  inverse->setZero(scaled.rows(), scaled.rows());
  inverse->selfadjointView<Eigen::Lower>().rankUpdate(scaled);
  inverse->triangularView<Eigen::StrictlyUpper>() = inverse->transpose();
  return true;
}

}  // namespace ceres::internal
