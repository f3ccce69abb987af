// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_EVALUATION_UNIFORM_BATCH_H_
#define CERES_INTERNAL_EVALUATION_UNIFORM_BATCH_H_

#include <vector>

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
//   kPrepared          all calls of cost functions, once for all evaluations:
//                      the state is copied to an address that never changes,
//                      and the arguments of each call point into the copy. The
//                      cost functions of curve fits take no longer than the
//                      preparation of a call. Residuals are checked by their
//                      sum; single rows only if the sum is not finite.
class UniformBatch final : public EvaluationStrategy {
 public:
  // Both must outlive the strategy.
  UniformBatch(const RowPlan& plan, const PlusJacobians& plus_jacobians);

  void Begin(const Evaluation& evaluation) override;
  Outcome Evaluate(const Evaluation& evaluation, const RowBatch& batch,
                   const Worker& worker, double* cost) override;

 private:
  // kPrepared: what the call of a row needs, in the order of its use.
  struct PreparedCall {
    const CostFunction* cost_function;
    const double* const* parameters;
    double** jacobians;
    int num_residuals;
    int row_block_size;
  };

  bool EvaluateTwoCells(const Evaluation& evaluation, const RowBatch& batch,
                        const Worker& worker, double* cost) const;
  bool EvaluateManifoldOrMerged(const Evaluation& evaluation,
                                const RowBatch& batch, const Worker& worker,
                                double* cost) const;
  bool FillManifoldCells(const RowEvaluator::Call& call,
                         const RowPlan::Range& range, RowEvaluator* evaluator,
                         double* row_block) const;
  void PrepareCalls();
  void PlaceJacobians(double* row_blocks);
  template <bool kWithJacobian>
  bool EvaluatePrepared(const Evaluation& evaluation, const RowBatch& batch,
                        const Worker& worker, double* cost);
  double* Outputs(const Evaluation& evaluation, int row);
  bool ResidualsAreValid(const Evaluation& evaluation, int begin, int end,
                         const Worker& worker);

  const RowPlan& plan_;
  const PlusJacobians& plus_jacobians_;

  // kPrepared
  std::vector<PreparedCall> calls_;        // by row
  std::vector<double> state_;              // a copy
  std::vector<const double*> parameters_;  // by argument, into state_
  std::vector<double*> jacobians_;         // by argument, into row_blocks_
  const double* row_blocks_ = nullptr;
  std::vector<double> residuals_;  // the caller wants none
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_EVALUATION_UNIFORM_BATCH_H_
