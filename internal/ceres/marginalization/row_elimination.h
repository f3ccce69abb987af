// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_MARGINALIZATION_ROW_ELIMINATION_H_
#define CERES_INTERNAL_MARGINALIZATION_ROW_ELIMINATION_H_

#include <set>
#include <utility>
#include <vector>

#include "ceres/execution/execution.h"
#include "ceres/internal/eigen.h"
#include "ceres/linear/single_threaded_blas.h"
#include "ceres/marginalization.h"
#include "ceres/marginalization/dense_elimination.h"

namespace ceres::internal {

// Rows of a linear least-squares problem on a few blocks: [J_1 J_2 .. r] with
// the columns of the blocks, and the residual as the last column.
struct RowGroup {
  std::vector<int> blocks;  // ascending
  ColMajorMatrix values;    // rows x (sizes of the blocks + 1)
};

// Eliminates blocks from row groups. The groups with a block are stacked, the
// block is eliminated (dense_elimination.h), and what remains is a new group.
// Further blocks whose groups have no blocks but those of the stack leave with
// it: they would have to be eliminated from the same rows one after the other.
//
//   groups      {a, x}  {a, y}  {y, z}        eliminate a
//   afterwards  {x, y}          {y, z}
//
// kBlockQr keeps the sparsity of rows: if a group has many more rows than the
// eliminated blocks have columns, it is reduced to as many rows before it is
// stacked, and the others become a group without new blocks.
//
// kSchurComplement keeps [J r]'[J r] of each group in place of its rows, and
// adds up where kBlockQr stacks.
//
// Columns are divided by their norms in all groups first. Therefore a pivot is
// compared with `tolerance` itself.
class RowElimination {
 public:
  // execution: outlives this. block_sizes: the columns of each block, at
  // least 1. tolerance: negative for the default; see MarginalizationOptions.
  RowElimination(const Execution& execution, MarginalizationMethod method,
                 double tolerance, std::vector<int> block_sizes,
                 std::vector<RowGroup> groups);

  // Eliminates the first num_blocks blocks, the one with the fewest columns of
  // neighbours next.
  void EliminateFirst(int num_blocks);

  // The rows that are left, as one matrix over the columns of the other blocks,
  // which must be those from first_block on. The last call.
  SquareRoot TakeRest(int first_block);

  // The rank of the eliminated blocks.
  int eliminated_rank() const { return eliminated_rank_; }
  // The least cost of all rows over all blocks, after TakeRest.
  double least_cost() const { return least_cost_; }

 private:
  bool by_qr() const { return method_ == MarginalizationMethod::kBlockQr; }
  void ScaleColumns();
  void AddGroup(RowGroup group);
  int Degree(int block) const;
  // The blocks that leave together with `block`, itself first.
  std::vector<int> LeavingWith(int block, int num_blocks) const;
  // Replaces a group that has many more rows than pivots: see above.
  void ReduceGroup(int index, const std::vector<int>& pivots);
  // Adds rows, or symmetric matrices, that are left on these blocks.
  void AddRest(std::vector<int> blocks, ColMajorMatrix values);
  // Eliminates blocks. Returns the other blocks of their groups.
  std::vector<int> Eliminate(const std::vector<int>& blocks);
  std::vector<int> UnionOf(const std::vector<int>& groups) const;
  // The blocks from first_block on, those with few rows first.
  std::vector<int> ByNumberOfRows(int first_block) const;
  double CostOf(const ColMajorMatrix& values) const;

  const Execution& execution_;
  const MarginalizationMethod method_;
  const std::vector<int> block_sizes_;
  double tolerance_;
  std::vector<RowGroup> groups_;
  std::vector<std::set<int>> groups_of_block_;
  std::vector<Vector> scale_;  // by block: norms of the columns
  int eliminated_rank_ = 0;
  double least_cost_ = 0.0;
  const SingleThreadedBlas single_threaded_blas_;
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_MARGINALIZATION_ROW_ELIMINATION_H_
