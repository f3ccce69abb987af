// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// The parts of the evaluation path behind the loop over row chunks: deferred
// rows of expensive blocks, and the checks of cells.

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "ceres/evaluation/evaluator_impl.h"
#include "ceres/execution/loops.h"

namespace ceres::internal {

// The rows that row chunks have deferred, by all threads; then the sums of each
// row chunk.
void Evaluator::Impl::EvaluateDeferredRows(const Evaluation& evaluation,
                                           FirstFailure* failure) {
  FirstFailure row_failure;
  expensive_blocks->EvaluateDeferredRows([&](int thread_id, int row_chunk,
                                             int row, double* cost) {
    if (failure->MaySkip(row_chunk) || row_failure.MaySkip(row)) return;
    StopPoller never(nullptr);
    const Worker worker = {row_evaluators, thread_id, never};
    const RowPlan::Range& range = row_plan.range(row);
    *cost = 0.0;
    if (StrategyOf(range, evaluation)
            ->Evaluate(evaluation, {range, row_chunk, row, row + 1}, worker,
                       cost) == EvaluationStrategy::Outcome::kFailed) {
      row_failure.Report(row, std::exchange(worker.evaluator()->message(), {}));
    }
  });
  const std::vector<ExpensiveBlocks::DeferredRows>& deferred =
      expensive_blocks->deferred();
  ParallelFor(
      expensive_blocks->Threads(), 0, static_cast<int>(deferred.size()),
      [&](int thread_id, int k) {
        const int row_chunk = deferred[k].row_chunk;
        if (failure->MaySkip(row_chunk)) return;
        StopPoller never(nullptr);
        const Worker worker = {row_evaluators, thread_id, never};
        if (!AddDeferredRows(evaluation, deferred[k], worker, &row_failure,
                             &cost_of_row_chunk[row_chunk])) {
          failure->Report(row_chunk,
                          std::exchange(worker.evaluator()->message(), {}));
        }
      });
}

// Adds the costs and sums of the deferred rows of a row chunk, or reports its
// first failure.
bool Evaluator::Impl::AddDeferredRows(const Evaluation& evaluation,
                                      const ExpensiveBlocks::DeferredRows& rows,
                                      const Worker& worker,
                                      FirstFailure* row_failure, double* cost) {
  const int failed_row = row_failure->index();
  if (failed_row < rows.end) {
    // An earlier row chunk reports its own failure.
    if (failed_row < rows.begin) return true;
    worker.evaluator()->message() = std::move(row_failure->message());
    FindEarlierFailure(evaluation, rows.row_chunk, failed_row, worker);
    return false;
  }
  for (int row = rows.begin; row < rows.end; ++row) {
    *cost += expensive_blocks->cost(rows, row);
  }
  if (evaluation.jacobian == nullptr) return true;
  for (int row = rows.begin; sums.gradient != nullptr && row < rows.end;) {
    const RowPlan::Range& range = row_plan.range(row);
    const int end = std::min(range.end, rows.end);
    AddRowSums(row_plan, sum_plan, range, row, end, *evaluation.jacobian, sums);
    row = end;
  }
  return CellsAreValid(evaluation, rows.row_chunk, worker);
}

bool Evaluator::Impl::RowBlocksAreValid(const Evaluation& evaluation, int begin,
                                        int end, const Worker& worker) const {
  for (int row = begin; row < end; ++row) {
    if (!worker.evaluator()->IsValid(evaluation.state, row,
                                     evaluation.jacobian->row_block(row))) {
      return false;
    }
  }
  return true;
}

// After a row has failed: makes the worker's message that of the first row
// of the row chunk that has. Cells of earlier rows may be invalid.
void Evaluator::Impl::FindEarlierFailure(const Evaluation& evaluation,
                                         int row_chunk, int failed_row,
                                         const Worker& worker) const {
  if (evaluation.jacobian == nullptr) return;
  std::string message = std::move(worker.evaluator()->message());
  if (RowBlocksAreValid(evaluation, structure.row_chunk_first_row[row_chunk],
                        failed_row, worker)) {
    worker.evaluator()->message() = std::move(message);
  }
}

}  // namespace ceres::internal
