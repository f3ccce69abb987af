// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_DISTRIBUTED_GATHERED_SYSTEM_H_
#define CERES_INTERNAL_DISTRIBUTED_GATHERED_SYSTEM_H_

#include <memory>

#include "ceres/execution/execution.h"
#include "ceres/execution/solve_workspace.h"
#include "ceres/linear/linear_solver.h"
#include "ceres/schur/direct_system.h"
#include "ceres/schur/schur_solvers.h"
#include "ceres/sparse/block_symmetric_structure.h"

namespace ceres::internal {

// Solves S z = b for a reduced matrix that has been gathered in one process, by
// the dense or the sparse Cholesky factorization of the options. Not
// thread-safe.
class GatheredSystem {
 public:
  // `pattern` and `workspace` must outlive this; pattern: of at least one
  // block. The factor and the values share memory with the leaves' partial
  // sums.
  GatheredSystem(const SchurSolverOptions& options, const Execution& execution,
                 const BlockSymmetricStructure& pattern,
                 SolveWorkspace* workspace);

  // The memory for the blocks of S, followed by b. The caller writes them after
  // the leaves have assembled, and Solve may overwrite them. Enters the phase
  // kAssemble.
  double* values();
  [[nodiscard]] LinearSolverSummary Solve(double* z);

 private:
  const Execution execution_;
  const BlockSymmetricStructure& pattern_;
  SolveWorkspace* const workspace_;
  std::unique_ptr<DirectSystem> system_;
  WorkspaceArray values_;
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_DISTRIBUTED_GATHERED_SYSTEM_H_
