// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_EVALUATION_EVALUATION_STRATEGY_H_
#define CERES_INTERNAL_EVALUATION_EVALUATION_STRATEGY_H_

#include "ceres/evaluation/row_evaluator.h"
#include "ceres/evaluation/row_plan.h"
#include "ceres/execution/stop_signal.h"
#include "ceres/linear/block_jacobian.h"

namespace ceres::internal {

// One evaluation of all rows: what is read and what is written.
struct Evaluation {
  const double* state;
  // The row blocks. Null: only costs and residuals are wanted.
  BlockJacobian* jacobian;
  // Without a Jacobian: the residuals of all rows, in row order. Null: only
  // costs are wanted.
  double* residuals;
};

// Rows [begin, end) of one range of the plan and of one row chunk.
struct RowBatch {
  const RowPlan::Range& range;
  int row_chunk;
  int begin;
  int end;
};

// A way to evaluate rows. Strategies write the same bits (see evaluator.h for
// their choice and cost). Thread-safe between two calls of Begin.
class EvaluationStrategy {
 public:
  enum class Outcome {
    kDone,      // outputs are written, costs are added
    kDeferred,  // the rows are evaluated after all row chunks
    kFailed     // see the evaluator's message and failed_row
  };

  virtual ~EvaluationStrategy() = default;

  // Before the first batch of an evaluation, by one thread.
  virtual void Begin(const Evaluation& /*evaluation*/) {}

  // Evaluates a batch and adds the costs of its rows to *cost, in row order.
  // Residuals are checked. Cells may be checked later, by
  // RowEvaluator::IsValid. After a failure, rows behind the failed one may have
  // been evaluated. evaluator: that of the calling thread. Throws Stopped, and
  // what user code throws.
  virtual Outcome Evaluate(const Evaluation& evaluation, const RowBatch& batch,
                           RowEvaluator* evaluator, StopPoller* poller,
                           double* cost) = 0;
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_EVALUATION_EVALUATION_STRATEGY_H_
