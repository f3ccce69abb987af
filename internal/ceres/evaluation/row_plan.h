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

// The plan that all evaluations of a program's rows have in common: where the
// Jacobian of each argument goes, and which rows are alike. Immutable.
struct RowPlan {
  // `program` and `structure` must outlive the plan. merged_column: the column
  // block of the structure that each column block of the program is a part of.
  RowPlan(const Program& program, const BlockJacobianStructure& structure,
          const std::vector<int>& merged_column, bool apply_loss_function);

  // Null: none is applied.
  const LossFunction* loss(int row) const {
    return apply_loss_function ? program.loss_function(row) : nullptr;
  }
  // Points `jacobians`, by argument, into a row block. Null: held constant. For
  // a row whose cells are all written by the cost function: the cell of the
  // eliminated argument comes first, then those of the others in their order.
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
    // How the cell is filled. All but kDirect: from the Jacobian in ambient
    // coordinates, which the cost function writes elsewhere.
    enum class Fill : std::uint8_t {
      kDirect,      // by the cost function, or there is no cell
      kCopy,        // copied
      kAngle,       // times a PlusJacobian that is kept, 1 x 1
      kQuaternion,  // 4 columns times a PlusJacobian that is kept, 4 x 3;
                    // columns behind them are copied
      kManifold     // by the manifold
    };
    Fill fill = Fill::kDirect;
  };
  // By argument. Empty: all are kDirect, and the structure tells the positions.
  std::vector<Cell> cells;

  // Rows [begin, end) that one strategy evaluates. The row blocks of a uniform
  // range have the same shape; what is said of its first row holds for all.
  struct Range {
    enum class Kind : std::uint8_t {
      // Any rows.
      kGeneral,
      // Uniform: two varying arguments with a cell each, written by the cost
      // function.
      kTwoCells,
      // Uniform: no cell is written by the cost function, because parameter
      // blocks are on manifolds or merged.
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

    // kTwoCells, by argument: which cell of the row is its own, and where the
    // cell begins in the row block.
    int cell[2] = {};
    int position[2] = {};

    // kManifoldOrMerged. source[i]: which double of the Jacobians in ambient
    // coordinates, one behind the other, is copied to double i of the cells
    // (where nothing is copied: 0, and the double is overwritten).
    int num_arguments = 0;
    std::vector<int> source;
    std::vector<int> arguments_on_manifold;

    // kPrepared. If all rows are one residual and the same number of cells of
    // one column: this number, and whether the cells of each row are all
    // columns, in their order. Otherwise 0.
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

  // Most doubles of the Jacobians in ambient coordinates of one row.
  std::int64_t max_ambient_size = 0;
  // Most doubles of a Jacobian in tangent coordinates whose parameter block is
  // on a manifold and merged.
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
