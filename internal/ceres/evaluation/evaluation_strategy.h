// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_EVALUATION_EVALUATION_STRATEGY_H_
#define CERES_INTERNAL_EVALUATION_EVALUATION_STRATEGY_H_

#include <memory>
#include <vector>

#include "ceres/evaluation/evaluation_tuning.h"
#include "ceres/evaluation/plus_jacobians.h"
#include "ceres/evaluation/row_evaluator.h"
#include "ceres/evaluation/row_plan.h"
#include "ceres/execution/stop_signal.h"
#include "ceres/linear/block_jacobian.h"

namespace ceres::internal {

// One evaluation of all rows: what is read and what is written.
struct Evaluation {
  const double* state;
  // The row blocks to write. Null: only costs and residuals are wanted.
  const RowBlocks* jacobian;
  // Without a Jacobian: the residuals of all rows, in row order. Null: only
  // costs are wanted.
  double* residuals;
};

// The RowEvaluators of all threads, each made when its thread needs it first.
class RowEvaluators {
 public:
  // `plan` and `plus_jacobians` must outlive this.
  RowEvaluators(const RowPlan& plan, const PlusJacobians& plus_jacobians,
                int num_threads)
      : plan_(plan),
        plus_jacobians_(plus_jacobians),
        evaluators_(num_threads) {}

  // By the thread of this id only.
  RowEvaluator* Of(int thread_id) {
    std::unique_ptr<RowEvaluator>& evaluator = evaluators_[thread_id];
    if (evaluator == nullptr) {
      evaluator = std::make_unique<RowEvaluator>(plan_, plus_jacobians_);
    }
    return evaluator.get();
  }

 private:
  const RowPlan& plan_;
  const PlusJacobians& plus_jacobians_;
  std::vector<std::unique_ptr<RowEvaluator>> evaluators_;
};

// The thread that evaluates.
struct Worker {
  RowEvaluators& evaluators;
  int thread_id;
  StopPoller& poller;

  RowEvaluator* evaluator() const { return evaluators.Of(thread_id); }
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
    kFailed     // see message and failed_row of the worker's evaluator
  };

  virtual ~EvaluationStrategy() = default;

  // The most rows of a batch.
  virtual int batch_rows() const { return kBatchRows; }

  // Before the first batch of an evaluation, by one thread.
  virtual void Begin(const Evaluation& /*evaluation*/) {}

  // Evaluates a batch and adds the costs of its rows to *cost, in row order.
  // Residuals are checked. Cells may be checked later, by
  // RowEvaluator::IsValid. After a failure, rows behind the failed one may have
  // been evaluated. Throws Stopped, and what user code throws.
  virtual Outcome Evaluate(const Evaluation& evaluation, const RowBatch& batch,
                           const Worker& worker, double* cost) = 0;
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_EVALUATION_EVALUATION_STRATEGY_H_
