// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_DIAGNOSIS_SCALED_JACOBIAN_H_
#define CERES_INTERNAL_DIAGNOSIS_SCALED_JACOBIAN_H_

#include <memory>
#include <optional>
#include <vector>

#include "Eigen/Core"
#include "ceres/diagnosis/tall_matrices.h"
#include "ceres/execution/execution.h"
#include "ceres/linear/block_jacobian.h"

namespace ceres::internal {

// Calls visit(column block, cell) for the cells of a row block.
template <typename Visit>
void VisitCells(const BlockJacobian& jacobian, int row, const Visit& visit) {
  using ConstCell =
      Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic,
                                     Eigen::RowMajor>>;
  const BlockJacobianStructure& s = *jacobian.structure;
  const double* const values = jacobian.row_block(row);
  for (int c = s.first_cell[row]; c < s.first_cell[row + 1]; ++c) {
    const int column = s.cell_column[c];
    visit(column, ConstCell(values + s.cell_position[c], s.row_size(row),
                            s.column_size(column)));
  }
}

// The norms of the columns. Squares neither overflow nor underflow.
std::vector<double> ColumnNorms(const Execution& execution,
                                const BlockJacobian& jacobian,
                                const CellsByColumn& cells);

// Sets columns to zero, and their norms, that are rounding errors: a change of
// the coordinate by its magnitude, at least by 1, changes no residual by more
// than some eps of the terms that the residual is made of. Such a column is not
// exactly zero if terms of a derivative cancel. magnitudes: |x| by column. A
// residual whose terms are small has small rounding errors, so a coordinate in
// an unusual unit stays.
void ZeroRoundingErrors(const CellsByColumn& cells,
                        const std::vector<double>& magnitudes,
                        BlockJacobian* jacobian, std::vector<double>* norms);

// J <- J D^-1, D = diag(column_norms). Columns whose norm is zero stay.
void ScaleColumns(const Execution& execution,
                  const std::vector<double>& column_norms,
                  BlockJacobian* jacobian);

// J V and J'W.
RowMajorMatrix Multiply(const Execution& execution,
                        const BlockJacobian& jacobian, const RowMajorMatrix& v);
RowMajorMatrix TransposeMultiply(const Execution& execution,
                                 const BlockJacobian& jacobian,
                                 const CellsByColumn& cells,
                                 const RowMajorMatrix& w);

// Row blocks and column blocks of a block Jacobian that no cell connects to
// others. A cell without entries other than zero connects nothing.
class JacobianPart {
 public:
  JacobianPart() = default;
  JacobianPart(const JacobianPart&) = delete;
  JacobianPart& operator=(const JacobianPart&) = delete;

  // The column blocks and the row blocks of the whole. Column blocks ascend.
  // Row blocks ascend, too, but those that depend on eliminated blocks come
  // first: what the whole can eliminate, the part can.
  std::vector<int> column_blocks;
  std::vector<int> row_blocks;
  // The columns of the whole.
  std::vector<int> columns;

  // If all belongs to the part, this is the whole, which must outlive the part.
  const BlockJacobian& jacobian() const {
    return whole_ != nullptr ? *whole_ : own_;
  }
  const BlockJacobianStructure& structure() const {
    return *jacobian().structure;
  }
  const CellsByColumn& cells() const { return *cells_; }

 private:
  friend class PartFinder;

  const BlockJacobian* whole_ = nullptr;
  BlockJacobianStructure own_structure_;
  BlockJacobian own_;  // Its residuals are zero.
  std::optional<CellsByColumn> cells_;
};

// The parts, by their first column block. Column blocks without entries other
// than zero belong to no part. is_row_used: the rows that count, or null.
std::vector<std::unique_ptr<JacobianPart>> FindParts(
    const Execution& execution, const BlockJacobian& jacobian,
    const std::vector<bool>* is_row_used = nullptr);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_DIAGNOSIS_SCALED_JACOBIAN_H_
