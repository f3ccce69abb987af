// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/schur/schur_preconditioner.h"

#include <string>
#include <utility>
#include <vector>

#include "ceres/base/number.h"
#include "ceres/execution/loops.h"

namespace ceres::internal {

BlockJacobiPreconditioner::BlockJacobiPreconditioner(
    const Execution& execution, const SchurPlan& plan,
    SchurEliminator::Diagonal diagonal, std::vector<double> factors)
    : execution_(execution),
      plan_(plan),
      diagonal_(diagonal),
      factors_(std::move(factors)),
      inverse_(execution, plan.pattern().block_offset) {}

LinearSolverTermination BlockJacobiPreconditioner::Update(
    const SchurEliminator& eliminator, std::string* message) {
  eliminator.AssembleDiagonal(diagonal_, inverse_.offsets().data(),
                              inverse_.blocks());
  if (!factors_.empty()) Scale();
  const int failed = inverse_.Invert();
  if (failed < 0) return LinearSolverTermination::kSuccess;
  const BlockJacobianStructure& s = plan_.structure();
  const int column_block = s.num_eliminated + failed;
  *message = "The preconditioner's diagonal block of column block " +
             std::to_string(column_block) + " (" +
             CountOf(s.column_size(column_block), "column") + ", from column " +
             std::to_string(s.column_offset[column_block]) +
             " on) is not positive definite: its residuals do not determine "
             "it, and the damping is too small to.";
  return LinearSolverTermination::kFailure;
}

void BlockJacobiPreconditioner::Scale() {
  constexpr int kBlocksPerPiece = 64;
  const std::vector<int64_t>& offset = inverse_.offsets();
  ParallelFor(
      execution_, 0, static_cast<int>(factors_.size()),
      [&](int block) {
        for (int64_t k = offset[block]; k < offset[block + 1]; ++k) {
          inverse_.blocks()[k] *= factors_[block];
        }
      },
      kBlocksPerPiece);
}

}  // namespace ceres::internal
