// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_EVALUATION_ROW_PLAN_H_
#define CERES_INTERNAL_EVALUATION_ROW_PLAN_H_

#include <algorithm>
#include <cstdint>
#include <vector>

#include "ceres/kernels/row_block_sums.h"
#include "ceres/linear/block_jacobian.h"
#include "ceres/problem/program.h"

namespace ceres::internal {

// Says where the Jacobian of each argument is written, and which rows have the
// same shape. All evaluations of a program share one plan. Immutable.
struct RowPlan {
  // `program` and `structure` must outlive the plan. merged_column: the column
  // block of the structure that each column block of the program is a part of.
  RowPlan(const Program& program, const BlockJacobianStructure& structure,
          const std::vector<int>& merged_column, bool apply_loss_function);

  // The loss function that is applied to a row, or null.
  const LossFunction* loss(int row) const {
    return apply_loss_function ? program.loss_function(row) : nullptr;
  }
  // Sets jacobians[k] to the cell of argument k in a row block, or to null if
  // the argument is constant. Only for rows whose cells are all written by the
  // cost function. The cell of the eliminated argument comes first in the row
  // block, then the cells of the other arguments in their order.
  void PlaceJacobians(int row, double* row_block, double** jacobians) const;

  const Program& program;
  const BlockJacobianStructure& structure;
  const bool apply_loss_function;
  // Whether a parameter block is on a manifold or merged with others.
  const bool has_manifold_or_merged_blocks;
  // Whether all rows are one range of kind kPrepared: there is one row chunk,
  // no loss function, and no parameter block that is on a manifold or merged.
  const bool is_prepared;

  // The cell of an argument, or its part of a cell of merged parameter blocks.
  // Kept small: there is one for each argument.
  struct Cell {
    static constexpr int kNone = -1;
    int position = kNone;  // of its first double in the row block
    int stride = 0;        // from row to row, in doubles
    // How the cell is filled. For all kinds but kDirect, the cost function
    // writes the Jacobian in ambient coordinates elsewhere, and the cell is
    // computed from it.
    enum class Fill : std::uint8_t {
      kDirect,      // by the cost function, or there is no cell
      kCopy,        // copied
      kAngle,       // times the stored PlusJacobian, 1 x 1
      kQuaternion,  // the first 4 columns times the stored PlusJacobian, 4 x 3;
                    // the other columns are copied
      kManifold     // by the manifold
    };
    Fill fill = Fill::kDirect;
  };
  // By argument. Empty if all cells are kDirect: then the positions are those
  // of the structure.
  std::vector<Cell> cells;

  // Rows [begin, end) that are evaluated by the same method. All row blocks of
  // a uniform range have the shape of the first one.
  struct Range {
    enum class Kind : std::uint8_t {
      // Any rows.
      kGeneral,
      // Uniform. Two arguments are variable, and the cost function writes their
      // cells.
      kTwoCells,
      // Uniform. The cost function writes no cell, because all parameter blocks
      // are on manifolds or merged.
      kManifoldOrMerged,
      // All rows of a program that is_prepared.
      kPrepared
    };
    Kind kind = Kind::kGeneral;
    int begin = 0;
    int end = 0;
    kernels::RowBlockShape shape = kernels::RowBlockShape::kOther;
    int num_residuals = 0;
    int row_block_size = 0;

    // kTwoCells, by argument: the index of its cell in the row, and the
    // position of the first double of the cell in the row block.
    int cell[2] = {};
    int position[2] = {};

    // kManifoldOrMerged. The Jacobians in ambient coordinates are concatenated;
    // their double source[i] is copied to double i of the cells. Doubles that a
    // manifold computes have source 0 and are overwritten later.
    int num_arguments = 0;
    std::vector<int> source;
    std::vector<int> arguments_on_manifold;

    // kPrepared. The number of cells per row if each row has one residual, the
    // same number of cells as the other rows, and one column per cell;
    // otherwise 0. has_full_rows: each row has one cell for each column, in the
    // order of the columns.
    int num_scalar_cells = 0;
    bool has_full_rows = false;
  };
  std::vector<Range> ranges;
  // The range of a row.
  const Range& range(int row) const {
    return *std::upper_bound(
        ranges.begin(), ranges.end(), row,
        [](int value, const Range& range) { return value < range.end; });
  }

  // The largest size, in doubles, of the Jacobians in ambient coordinates of
  // one row.
  std::int64_t max_ambient_size = 0;
  // The largest size, in doubles, of a Jacobian in tangent coordinates whose
  // parameter block is on a manifold and merged.
  std::int64_t max_tangent_size = 0;

 private:
  void FindCells(const std::vector<int>& merged_column);
  void FindRanges(bool has_merged_columns);
  Range PreparedRange() const;
  Range RangeOf(int row, bool has_merged_columns) const;
  bool NoCellIsDirect(int row) const;
  bool HaveSameCells(int row, int other) const;
  bool MayFollow(const Range& range, int first, int row,
                 bool has_merged_columns) const;
  void DescribeManifoldOrMerged(int row, Range* range) const;
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_EVALUATION_ROW_PLAN_H_
