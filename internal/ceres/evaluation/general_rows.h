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
                   const Worker& worker, double* cost) override;

 private:
  const BlockJacobianStructure& structure_;
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_EVALUATION_GENERAL_ROWS_H_
