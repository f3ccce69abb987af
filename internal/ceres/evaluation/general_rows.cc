// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/evaluation/general_rows.h"

namespace ceres::internal {

EvaluationStrategy::Outcome GeneralRows::Evaluate(const Evaluation& evaluation,
                                                  const RowBatch& batch,
                                                  const Worker& worker,
                                                  double* cost) {
  RowEvaluator* const evaluator = worker.evaluator();
  double sum = *cost;
  for (int row = batch.begin; row < batch.end; ++row) {
    worker.poller.Poll();
    double row_cost = 0.0;
    bool is_valid;
    if (evaluation.jacobian != nullptr) {
      is_valid = evaluator->EvaluateRowBlock(
          evaluation.state, row, RowEvaluator::CheckCells::kLater,
          evaluation.jacobian->row_block(row), &row_cost);
    } else {
      double* const residuals =
          evaluation.residuals == nullptr
              ? nullptr
              : evaluation.residuals + structure_.row_offset[row];
      is_valid =
          evaluator->EvaluateCost(evaluation.state, row, residuals, &row_cost);
    }
    if (!is_valid) return Outcome::kFailed;
    sum += row_cost;
  }
  *cost = sum;
  return Outcome::kDone;
}

}  // namespace ceres::internal
