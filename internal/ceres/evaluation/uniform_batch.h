// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_EVALUATION_UNIFORM_BATCH_H_
#define CERES_INTERNAL_EVALUATION_UNIFORM_BATCH_H_

#include "ceres/evaluation/evaluation_strategy.h"

namespace ceres::internal {

// The strategy of uniform ranges: what is the same for all rows of a range is
// found once for each batch.
//
//   kTwoCells          positions of Jacobians, sizes. All cells of the batch
//                      are marked as unwritten at once.
//   kManifoldOrMerged  positions of Jacobians; the table that copies cells from
//                      Jacobians in ambient coordinates. Costs alone are
//                      evaluated as in general ranges.
class UniformBatch final : public EvaluationStrategy {
 public:
  // Both must outlive the strategy.
  UniformBatch(const RowPlan& plan, const PlusJacobians& plus_jacobians)
      : plan_(plan), plus_jacobians_(plus_jacobians) {}

  Outcome Evaluate(const Evaluation& evaluation, const RowBatch& batch,
                   const Worker& worker, double* cost) override;

 private:
  bool EvaluateTwoCells(const Evaluation& evaluation, const RowBatch& batch,
                        const Worker& worker, double* cost) const;
  bool EvaluateManifoldOrMerged(const Evaluation& evaluation,
                                const RowBatch& batch, const Worker& worker,
                                double* cost) const;
  bool FillManifoldCells(const RowEvaluator::Call& call,
                         const RowPlan::Range& range, RowEvaluator* evaluator,
                         double* row_block) const;

  const RowPlan& plan_;
  const PlusJacobians& plus_jacobians_;
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_EVALUATION_UNIFORM_BATCH_H_
