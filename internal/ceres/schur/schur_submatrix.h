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

// Some blocks of the upper triangle of S, at places that the caller chooses.
//
// If the plan forms S, the blocks are added up from the partial sums. If the
// plan forms C, they are C_ij - sum over points of U_i'U_j: one thread gathers
// a block row, point by point, from the kept U. This costs e f^2
// multiplications for each wanted block and point that both views see. The bits
// do not depend on the number of threads.
class SchurSubmatrix {
 public:
  struct Block {
    int row;  // remaining blocks, row <= column
    int column;
    int64_t value;  // place of its values: dense, row-major
  };

  // `plan` must outlive this and satisfy CreateClusterPreconditioner. blocks:
  // by rows and columns, ascending, each once.
  SchurSubmatrix(const Execution& execution, const SchurPlan& plan,
                 std::vector<Block> blocks);

  // Writes the blocks of the eliminator's last Eliminate into `values`.
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
  // By block row, +1: the clique cameras that are this block, with their
  // points. Empty if the plan forms S.
  std::vector<int> first_camera_;
  struct Camera {
    int point;
    int camera;
  };
  std::vector<Camera> cameras_;
  std::vector<int64_t> cost_;  // by block row, cumulative
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_SCHUR_SCHUR_SUBMATRIX_H_
