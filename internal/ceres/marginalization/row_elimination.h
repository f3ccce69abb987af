// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_MARGINALIZATION_ROW_ELIMINATION_H_
#define CERES_INTERNAL_MARGINALIZATION_ROW_ELIMINATION_H_

#include <set>
#include <utility>
#include <vector>

#include "ceres/internal/eigen.h"
#include "ceres/marginalization.h"

namespace ceres::internal {

// Rows of a linear least-squares problem on a few blocks: sum over the columns
// of `values`, block by block, plus the last column, which is the residual.
struct RowGroup {
  std::vector<int> blocks;  // ascending
  ColMajorMatrix values;    // rows x (sizes of the blocks + 1)
};

// [A | b] with rank rows, and what the rows that it stands for say beyond it.
struct SquareRoot {
  ColMajorMatrix a;
  Vector b;
  int rank() const { return static_cast<int>(b.size()); }
  double condition_number = 0.0;
};

// Eliminates blocks from row groups. Let the groups with block M have the rows
// [J_M J_N | r], with J_M of rank k. Orthogonal transformations give
//
//          [ R  S  U | d ]   k rows
//     Q' = [ 0  0  T | e ]            [R S] P' = Q' J_M
//
// The first rows can be made zero by the choice of x_M, for every x_N. So the
// minimum over x_M is 1/2 |T x_N + e|^2, and [T | e], reduced to a triangle, is
// the group that remains. kSchurComplement computes the same from
// H = [J_M J_N r]'[J_M J_N r] with the pseudo-inverse of H_MM.
//
// Columns are divided by their norms in all groups first. Therefore a pivot is
// compared with `tolerance` itself.
class RowElimination {
 public:
  // block_sizes: the columns of each block, at least 1. tolerance: negative for
  // the default; see MarginalizationOptions.
  RowElimination(MarginalizationMethod method, double tolerance,
                 std::vector<int> block_sizes, std::vector<RowGroup> groups);

  // Eliminates the first num_blocks blocks, the one with the fewest columns of
  // neighbours next.
  void EliminateFirst(int num_blocks);

  // The rows that are left, as one matrix over the columns of the other blocks,
  // which must be those from first_block on. Consumes them.
  SquareRoot TakeRest(int first_block);

  // The rank of the eliminated blocks.
  int eliminated_rank() const { return eliminated_rank_; }
  // The least cost of all rows over all blocks, after TakeRest.
  double least_cost() const { return least_cost_; }

 private:
  void ScaleColumns();
  int Degree(int block) const;
  void Eliminate(int block);
  std::vector<int> UnionOf(const std::vector<int>& groups) const;
  ColMajorMatrix Stack(const std::vector<int>& groups,
                       const std::vector<int>& blocks) const;
  ColMajorMatrix EliminateByQr(ColMajorMatrix rows, int num_pivots);
  ColMajorMatrix EliminateBySchur(const ColMajorMatrix& rows, int num_pivots);
  SquareRoot RootByQr(const ColMajorMatrix& rows);
  SquareRoot RootBySchur(const ColMajorMatrix& rows);
  void AddGroup(RowGroup group);

  const MarginalizationMethod method_;
  const std::vector<int> block_sizes_;
  double tolerance_;
  std::vector<RowGroup> groups_;
  std::vector<std::set<int>> groups_of_block_;
  std::vector<Vector> scale_;  // by block: norms of the columns
  int eliminated_rank_ = 0;
  double least_cost_ = 0.0;
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_MARGINALIZATION_ROW_ELIMINATION_H_
