// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_EVALUATION_GENERAL_ROWS_H_
#define CERES_INTERNAL_EVALUATION_GENERAL_ROWS_H_

#include "ceres/evaluation/evaluation_strategy.h"

namespace ceres::internal {

// The strategy for any rows, and for costs without Jacobians: one row after the
// other, by RowEvaluator.
class GeneralRows final : public EvaluationStrategy {
 public:
  // `structure` must outlive the strategy.
  explicit GeneralRows(const BlockJacobianStructure& structure)
      : structure_(structure) {}

  Outcome Evaluate(const Evaluation& evaluation, const RowBatch& batch,
                   const Worker& worker, double* cost) override {
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
        is_valid = evaluator->EvaluateCost(evaluation.state, row, residuals,
                                           &row_cost);
      }
      if (!is_valid) return Outcome::kFailed;
      sum += row_cost;
    }
    *cost = sum;
    return Outcome::kDone;
  }

 private:
  const BlockJacobianStructure& structure_;
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_EVALUATION_GENERAL_ROWS_H_
