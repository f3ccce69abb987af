// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_SCHUR_SCHUR_SUBMATRIX_H_
#define CERES_INTERNAL_SCHUR_SCHUR_SUBMATRIX_H_

#include <cstdint>
#include <vector>

#include "ceres/execution/execution.h"
#include "ceres/schur/schur_eliminator.h"
#include "ceres/schur/schur_plan.h"

namespace ceres::internal {

// Some blocks of S, of its upper triangle, wherever the caller wants them.
//
// Where the plan forms S they are assembled as all of S is. Where it forms C,
// they are C_ij - sum over points of U_i'U_j: block row i is gathered by one
// thread, point after point, from the kept U. That costs e f^2 multiplications
// for each wanted block and point that both views see, no memory but the
// points of each block row, and gives the same bits for any number of threads.
class SchurSubmatrix {
 public:
  struct Block {
    int row;  // remaining blocks, row <= column
    int column;
    int64_t value;  // where its values begin: dense, row-major
  };

  // `plan`: as CreateClusterPreconditioner says; it must outlive it. `blocks`:
  // by rows, ascending; each once.
  SchurSubmatrix(const Execution& execution, const SchurPlan& plan,
                 std::vector<Block> blocks);

  // Writes the blocks, of the eliminator's last Eliminate, into `values`.
  void Assemble(const SchurEliminator& eliminator, double* values) const;

 private:
  void FindEntries();
  void FindPoints();
  void AssembleRow(const SchurEliminator& eliminator, int row,
                   std::vector<int64_t>* place, double* values) const;
  void SubtractPoints(const SchurEliminator& eliminator, int row,
                      const std::vector<int64_t>& place, double* values) const;

  const Execution execution_;
  const SchurPlan& plan_;
  const std::vector<Block> blocks_;
  std::vector<int> first_block_;  // by block row, +1
  std::vector<int> entry_;        // by block: in the plan's pattern, or -1
  // By block row, +1: its slots of points, and their points. Empty where the
  // plan forms S.
  std::vector<int> first_slot_;
  struct Slot {
    int point;
    int slot;
  };
  std::vector<Slot> slots_;
  std::vector<int64_t> cost_;  // by block row, cumulative
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_SCHUR_SCHUR_SUBMATRIX_H_
