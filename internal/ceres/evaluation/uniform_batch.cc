// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/evaluation/uniform_batch.h"

#include "ceres/evaluation/row_evaluator-inl.h"
#include "ceres/evaluation/row_kernels.h"
#include "ceres/kernels/row_block_sums.h"
#include "ceres/types.h"

namespace ceres::internal {

EvaluationStrategy::Outcome UniformBatch::Evaluate(const Evaluation& evaluation,
                                                   const RowBatch& batch,
                                                   const Worker& worker,
                                                   double* cost) {
  const bool is_valid =
      batch.range.kind == RowPlan::Range::Kind::kTwoCells
          ? EvaluateTwoCells(evaluation, batch, worker, cost)
          : EvaluateManifoldOrMerged(evaluation, batch, worker, cost);
  return is_valid ? Outcome::kDone : Outcome::kFailed;
}

bool UniformBatch::EvaluateTwoCells(const Evaluation& evaluation,
                                    const RowBatch& batch, const Worker& worker,
                                    double* cost) const {
  const Program& program = plan_.program;
  const RowPlan::Range& range = batch.range;
  RowEvaluator* const evaluator = worker.evaluator();
  const int* const state_offset = program.state_offset().data();
  const double** const parameters = evaluator->parameters_.data();
  double** const jacobians = evaluator->jacobians_.data();
  // The columns of the cells, which the sums read anyway, are those of the
  // arguments.
  const int* columns = plan_.structure.cell_column.data() +
                       plan_.structure.first_cell[batch.begin];
  double* row_block = evaluation.jacobian->row_block(batch.begin);
  const std::int64_t batch_size =
      std::int64_t{batch.end - batch.begin} * range.row_block_size;
  kernels::FillRowBlocks(batch_size, kImpossibleValue, row_block);
  double sum = *cost;
  for (int row = batch.begin; row < batch.end;
       ++row, columns += 2, row_block += range.row_block_size) {
    worker.poller.Poll();
    PrefetchCostFunction(program, row);
    PrefetchRowBlock(row_block + batch_size, range.row_block_size);
    for (int k = 0; k < 2; ++k) {
      parameters[k] = evaluation.state + state_offset[columns[range.cell[k]]];
      jacobians[k] = row_block + range.position[k];
    }
    const RowEvaluator::Call call = {row, row_block, true};
    if (!program.cost_functions()[row]->Evaluate(parameters, row_block,
                                                 jacobians)) {
      return evaluator->FailRefused(call);
    }
    double row_cost = 0.0;
    if (!evaluator->FinishRowBlock(call, RowEvaluator::CheckCells::kLater,
                                   row_block, &row_cost)) {
      return false;
    }
    sum += row_cost;
  }
  *cost = sum;
  return true;
}

bool UniformBatch::EvaluateManifoldOrMerged(const Evaluation& evaluation,
                                            const RowBatch& batch,
                                            const Worker& worker,
                                            double* cost) const {
  const Program& program = plan_.program;
  const RowPlan::Range& range = batch.range;
  RowEvaluator* const evaluator = worker.evaluator();
  const int* arguments =
      program.arguments().data() + program.first_argument()[batch.begin];
  double* row_block = evaluation.jacobian->row_block(batch.begin);
  // Those of the first row of the range, which are the same and in the cache.
  bool has_direct_cells = false;
  const std::int64_t ambient_size =
      evaluator->GatherJacobians(range.begin, row_block, &has_direct_cells);
  double* const ambient = evaluator->ambient_.data();
  const std::int64_t batch_size =
      std::int64_t{batch.end - batch.begin} * range.row_block_size;
  double sum = *cost;
  for (int row = batch.begin; row < batch.end; ++row,
           row_block += range.row_block_size,
           arguments += range.num_arguments) {
    worker.poller.Poll();
    PrefetchCostFunction(program, row);
    PrefetchRowBlock(row_block + batch_size, range.row_block_size);
    evaluator->GatherParameters(evaluation.state, arguments,
                                range.num_arguments);
    MarkUnwritten(ambient, ambient_size);
    MarkUnwritten(row_block, range.num_residuals);
    const RowEvaluator::Call call = {row, row_block, true};
    if (!program.cost_functions()[row]->Evaluate(
            evaluator->parameters_.data(), row_block,
            evaluator->jacobians_.data())) {
      return evaluator->FailRefused(call);
    }
    CopyIndexed(static_cast<int>(range.source.size()), range.source.data(),
                ambient, row_block + range.num_residuals);
    double row_cost = 0.0;
    if (!FillManifoldCells(call, range, evaluator, row_block) ||
        !evaluator->FinishRowBlock(call, RowEvaluator::CheckCells::kLater,
                                   row_block, &row_cost)) {
      return false;
    }
    sum += row_cost;
  }
  *cost = sum;
  return true;
}

// Fills the cells that CopyIndexed does not fill.
bool UniformBatch::FillManifoldCells(const RowEvaluator::Call& call,
                                     const RowPlan::Range& range,
                                     RowEvaluator* evaluator,
                                     double* row_block) const {
  using Fill = RowPlan::Cell::Fill;
  const Program& program = plan_.program;
  const int first = program.first_argument()[call.row];
  const RowPlan::Cell* const cells =
      plan_.cells.data() + program.first_argument()[range.begin];
  for (const int k : range.arguments_on_manifold) {
    const Fill fill = cells[k].fill;
    const double* const plus =
        fill == Fill::kManifold
            ? nullptr
            : plus_jacobians_.Find(program.arguments()[first + k]);
    const bool is_identity =
        fill == Fill::kAngle && plus != nullptr && *plus == 1.0;
    if (!is_identity &&
        !evaluator->FillManifoldCell(call, k, plus, row_block)) {
      return false;
    }
  }
  return true;
}

}  // namespace ceres::internal
