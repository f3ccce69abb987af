// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_DISTRIBUTED_GATHERED_SYSTEM_H_
#define CERES_INTERNAL_DISTRIBUTED_GATHERED_SYSTEM_H_

#include <memory>
#include <vector>

#include "ceres/execution/aligned_buffer.h"
#include "ceres/execution/execution.h"
#include "ceres/execution/solve_workspace.h"
#include "ceres/linear/linear_solver.h"
#include "ceres/schur/dense_system.h"
#include "ceres/schur/schur_solvers.h"
#include "ceres/sparse/block_symmetric_structure.h"
#include "ceres/sparse/sparse_cholesky.h"

namespace ceres::internal {

// Solves S z = b for a reduced matrix that has been gathered in one process, by
// the dense or the sparse Cholesky factorization of the options. Not
// thread-safe.
class GatheredSystem {
 public:
  // `pattern` must outlive this; of at least one block.
  GatheredSystem(const SchurSolverOptions& options, const Execution& execution,
                 const BlockSymmetricStructure& pattern);

  // values: the blocks of S, then b.
  [[nodiscard]] LinearSolverSummary Solve(const double* values, double* z);

 private:
  const Execution execution_;
  const BlockSymmetricStructure& pattern_;
  std::unique_ptr<DenseSystem> dense_;  // one of both
  std::unique_ptr<SparseCholesky> sparse_;
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_DISTRIBUTED_GATHERED_SYSTEM_H_
