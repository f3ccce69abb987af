// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_EVALUATION_EVALUATOR_IMPL_H_
#define CERES_INTERNAL_EVALUATION_EVALUATOR_IMPL_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "ceres/evaluation/evaluator.h"
#include "ceres/evaluation/expensive_blocks.h"
#include "ceres/evaluation/first_failure.h"
#include "ceres/evaluation/plus_jacobians.h"
#include "ceres/evaluation/row_plan.h"
#include "ceres/evaluation/row_sums.h"

namespace ceres::internal {

// The evaluation path: updates the state, chooses a strategy for each batch of
// rows of each row chunk, and sums the outputs. evaluator.cc implements it.
struct Evaluator::Impl {
  Impl(const Program& program, const Options& options);

  void TakeGroupsOut();
  Result Evaluate(const Evaluation& evaluation, bool new_evaluation_point,
                  double* cost);
  void UpdateState(const Evaluation& evaluation, bool new_evaluation_point);
  // Costs without Jacobian are evaluated by UniformBatch if calls are prepared.
  EvaluationStrategy* StrategyOf(const RowPlan::Range& range,
                                 const Evaluation& evaluation) const {
    const bool is_uniform = evaluation.jacobian != nullptr
                                ? range.kind != RowPlan::Range::Kind::kGeneral
                                : range.kind == RowPlan::Range::Kind::kPrepared;
    return is_uniform ? uniform_batch.get() : general_rows.get();
  }
  void BeginRowChunk(const Evaluation& evaluation, int row_chunk) const;
  bool EvaluateRowChunk(const Evaluation& evaluation, int row_chunk,
                        const Worker& worker,
                        ExpensiveBlocks::RowChunkWatch* watch,
                        double* cost) const;
  void EvaluateDeferredRows(const Evaluation& evaluation,
                            FirstFailure* failure);
  bool AddDeferredRows(const Evaluation& evaluation,
                       const ExpensiveBlocks::DeferredRows& rows,
                       const Worker& worker, FirstFailure* row_failure,
                       double* cost);
  // Whether the cells of a row chunk, all rows of which are evaluated, are
  // finite and were written.
  bool CellsAreValid(const Evaluation& evaluation, int row_chunk,
                     const Worker& worker) const {
    return evaluation.jacobian == nullptr ||
           (sums.gradient != nullptr &&
            NormsAreFinite(sum_plan, row_chunk, sums)) ||
           RowBlocksAreValid(
               evaluation, structure.row_chunk_first_row[row_chunk],
               structure.row_chunk_first_row[row_chunk + 1], worker);
  }
  bool RowBlocksAreValid(const Evaluation& evaluation, int begin, int end,
                         const Worker& worker) const;
  void FindEarlierFailure(const Evaluation& evaluation, int row_chunk,
                          int failed_row, const Worker& worker) const;
  // The size of the partial sums of one output, in whole cache lines.
  std::int64_t SizeOfSums() const {
    constexpr std::int64_t kLine = 8;
    return (sum_plan.buffer_size() + kLine - 1) / kLine * kLine;
  }
  void ChooseSums(double* gradient, double* squared_column_norms);
  void ReduceSums(const double* sums, double* wanted) const;

  const Program& program;
  const Options options;
  const std::vector<int> merged_column;
  const BlockJacobianStructure structure;
  const RowPlan row_plan;
  const ColumnSumPlan sum_plan;
  PlusJacobians plus_jacobians;

  // The strategies. Null: not needed. Not members by value: an Impl of that
  // size would make allocators merge their small free blocks.
  std::unique_ptr<EvaluationStrategy> general_rows;
  std::unique_ptr<EvaluationStrategy> uniform_batch;
  std::unique_ptr<ExpensiveBlocks> expensive_blocks;

  RowEvaluators row_evaluators;
  std::vector<double> cost_of_row_chunk;
  // Partial sums of the gradient, followed by those of the column norms.
  WorkspaceArray partial_sums;
  RowSums sums;  // null: not wanted
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_EVALUATION_EVALUATOR_IMPL_H_
