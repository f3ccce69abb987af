// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_EVALUATION_ROW_EVALUATOR_INL_H_
#define CERES_INTERNAL_EVALUATION_ROW_EVALUATOR_INL_H_

#include <cmath>
#include <cstdint>

#include "ceres/base/intrinsics.h"
#include "ceres/evaluation/evaluation_tuning.h"
#include "ceres/evaluation/loss_correction.h"
#include "ceres/evaluation/row_evaluator.h"
#include "ceres/evaluation/row_kernels.h"

// The steps of RowEvaluator that every row needs, for the files that implement
// it and its strategies.

namespace ceres::internal {

// Fetches the cost function of a row that is kPrefetchDistance rows ahead.
inline void PrefetchCostFunction(const Program& program, int current_row) {
  const int row = current_row + kPrefetchDistance;
  if (row >= program.num_row_blocks()) return;
  constexpr int kCacheLine = 64;
  const char* object =
      reinterpret_cast<const char*>(program.cost_functions()[row]);
  // The functor of an automatic derivative is usually allocated just before its
  // cost function.
  constexpr int kBefore = 32;
  base::PrefetchForReading(object - kBefore);
  base::PrefetchForReading(object + kCacheLine - kBefore);
}

// Fetches the lines of a row block that will be written one batch later: a
// store to a line that is not in the cache waits for memory.
inline void PrefetchRowBlock(const double* row_block, int size) {
  constexpr int kLine = 8;
  for (int k = 0; k < size; k += kLine) {
    base::PrefetchForWriting(row_block + k);
  }
}

inline void RowEvaluator::GatherParameters(const double* state,
                                           const int* arguments,
                                           int num_arguments) {
  const Program& program = plan_.program;
  const int* const offset = program.state_offset().data();
  const double* const* const constants = program.constants().data();
  const double** const parameters = parameters_.data();
  for (int k = 0; k < num_arguments; ++k) {
    const int column = arguments[k];
    parameters[k] = column >= 0 ? state + offset[column] : constants[~column];
  }
}

inline void RowEvaluator::GatherParameters(const double* state, int row) {
  const Program& program = plan_.program;
  const int first = program.first_argument()[row];
  GatherParameters(state, program.arguments().data() + first,
                   program.first_argument()[row + 1] - first);
}

inline void RowEvaluator::CorrectRowBlock(const LossCorrection& correction,
                                          int row, double* row_block) {
  const BlockJacobianStructure& s = plan_.structure;
  if (correction.is_scaling()) {
    const std::int64_t size =
        s.row_block_offset[row + 1] - s.row_block_offset[row];
    for (std::int64_t i = 0; i < size; ++i) row_block[i] *= correction.scale();
    return;
  }
  const int num_residuals = s.row_size(row);
  for (int k = s.first_cell[row]; k < s.first_cell[row + 1]; ++k) {
    correction.CorrectJacobian(num_residuals, s.column_size(s.cell_column[k]),
                               row_block, row_block + s.cell_position[k]);
  }
  correction.CorrectResiduals(num_residuals, row_block);
}

// The cost of a row from its residuals, which are corrected if not null.
inline bool RowEvaluator::FinishCost(const Call& call, double squared_norm,
                                     double* residuals, double* cost) {
  if (!std::isfinite(squared_norm)) return OutputsAreValid(call, nullptr);
  *cost = 0.5 * squared_norm;
  if (plan_.loss(call.row) == nullptr) return true;

  double rho[3];
  if (!EvaluateLoss(call, squared_norm, rho)) return false;
  *cost = 0.5 * rho[0];
  if (residuals != nullptr) {
    LossCorrection(squared_norm, rho)
        .CorrectResiduals(plan_.structure.row_size(call.row), residuals);
  }
  return true;
}

// Computes the cost, checks residuals, and cells if `check` says so, and
// applies the loss function. The row block is in tangent coordinates.
inline bool RowEvaluator::FinishRowBlock(const Call& call, CheckCells check,
                                         double* row_block, double* cost) {
  const double squared_norm =
      SquaredNorm(row_block, plan_.structure.row_size(call.row));
  if (!std::isfinite(squared_norm)) return OutputsAreValid(call, row_block);
  if (check == CheckCells::kNow && !CellsAreValid(call, row_block))
    return false;
  *cost = 0.5 * squared_norm;
  if (plan_.loss(call.row) == nullptr) return true;

  double rho[3];
  if (!EvaluateLoss(call, squared_norm, rho)) return false;
  *cost = 0.5 * rho[0];
  const LossCorrection correction(squared_norm, rho);
  if (correction.is_identity()) return true;
  // A tiny weight would hide cells that were not written from the later check.
  constexpr double kTinyWeight = 1e-100;
  if (check == CheckCells::kLater && rho[1] < kTinyWeight &&
      !CellsAreValid(call, row_block)) {
    return false;
  }
  CorrectRowBlock(correction, call.row, row_block);
  return true;
}

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_EVALUATION_ROW_EVALUATOR_INL_H_
