// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/evaluation/uniform_batch.h"

#include <algorithm>
#include <cmath>

#include "ceres/evaluation/row_evaluator-inl.h"
#include "ceres/evaluation/row_kernels.h"
#include "ceres/kernels/row_block_sums.h"
#include "ceres/types.h"

namespace ceres::internal {

UniformBatch::UniformBatch(const RowPlan& plan,
                           const PlusJacobians& plus_jacobians)
    : plan_(plan), plus_jacobians_(plus_jacobians) {
  if (plan.is_prepared) PrepareCalls();
}

void UniformBatch::Begin(const Evaluation& evaluation) {
  std::copy_n(evaluation.state, state_.size(), state_.data());
  if (plan_.is_prepared && evaluation.jacobian != nullptr) {
    PlaceJacobians(evaluation.jacobian->row_block(0));
  }
}

EvaluationStrategy::Outcome UniformBatch::Evaluate(const Evaluation& evaluation,
                                                   const RowBatch& batch,
                                                   const Worker& worker,
                                                   double* cost) {
  bool is_valid;
  if (batch.range.kind == RowPlan::Range::Kind::kPrepared) {
    is_valid = evaluation.jacobian != nullptr
                   ? EvaluatePrepared<true>(evaluation, batch, worker, cost)
                   : EvaluatePrepared<false>(evaluation, batch, worker, cost);
  } else if (batch.range.kind == RowPlan::Range::Kind::kTwoCells) {
    is_valid = EvaluateTwoCells(evaluation, batch, worker, cost);
  } else {
    is_valid = EvaluateManifoldOrMerged(evaluation, batch, worker, cost);
  }
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
  // The cells of the first row of the range are the same and in the cache.
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

void UniformBatch::PrepareCalls() {
  const Program& program = plan_.program;
  const BlockJacobianStructure& s = plan_.structure;
  state_.resize(program.num_state());
  parameters_.resize(program.arguments().size());
  jacobians_.resize(program.arguments().size());
  residuals_.resize(s.num_rows());
  for (std::size_t k = 0; k < parameters_.size(); ++k) {
    parameters_[k] = program.Values(static_cast<int>(k), state_.data());
  }
  calls_.reserve(program.num_row_blocks());
  for (int row = 0; row < program.num_row_blocks(); ++row) {
    const int first = program.first_argument()[row];
    const auto row_block_size =
        static_cast<int>(s.row_block_offset[row + 1] - s.row_block_offset[row]);
    calls_.push_back({program.cost_functions()[row], parameters_.data() + first,
                      jacobians_.data() + first, s.row_size(row),
                      row_block_size});
  }
}

void UniformBatch::PlaceJacobians(double* row_blocks) {
  if (row_blocks == row_blocks_) return;
  row_blocks_ = row_blocks;
  double* row_block = row_blocks;
  for (int row = 0; row < plan_.program.num_row_blocks(); ++row) {
    plan_.PlaceJacobians(row, row_block, calls_[row].jacobians);
    row_block += calls_[row].row_block_size;
  }
}

// The memory of a row's residuals: the first doubles of its row block.
inline double* UniformBatch::Outputs(const Evaluation& evaluation, int row) {
  if (evaluation.jacobian != nullptr) {
    return evaluation.jacobian->row_block(row);
  }
  return (evaluation.residuals != nullptr ? evaluation.residuals
                                          : residuals_.data()) +
         plan_.structure.row_offset[row];
}

template <bool kWithJacobian>
bool UniformBatch::EvaluatePrepared(const Evaluation& evaluation,
                                    const RowBatch& batch, const Worker& worker,
                                    double* cost) {
  const auto stride = [](const PreparedCall& call) {
    return kWithJacobian ? call.row_block_size : call.num_residuals;
  };
  double* const first = Outputs(evaluation, batch.begin);
  std::fill(first, Outputs(evaluation, batch.end), kImpossibleValue);
  const PreparedCall* const begin = calls_.data() + batch.begin;
  const PreparedCall* const end = calls_.data() + batch.end;
  double* outputs = first;
  for (const PreparedCall* call = begin; call != end; ++call) {
    worker.poller.Poll();
    if (!call->cost_function->Evaluate(
            call->parameters, outputs,
            kWithJacobian ? call->jacobians : nullptr)) {
      // The outputs of an earlier row may be invalid.
      const int row = static_cast<int>(call - calls_.data());
      return ResidualsAreValid(evaluation, batch.begin, row, worker) &&
             worker.evaluator()->CheckOutputs(evaluation.state, row, outputs,
                                              kWithJacobian, /*refused=*/true);
    }
    outputs += stride(*call);
  }
  // Not in the loop of the calls, across which the sum would be kept in memory.
  double sum = *cost;
  outputs = first;
  for (const PreparedCall* call = begin; call != end; ++call) {
    sum += 0.5 * SquaredNorm(outputs, call->num_residuals);
    outputs += stride(*call);
  }
  if (!std::isfinite(sum) &&
      !ResidualsAreValid(evaluation, batch.begin, batch.end, worker)) {
    return false;
  }
  *cost = sum;
  return true;
}

// Whether the residuals of rows [begin, end) are valid. Their cost functions
// have returned true.
bool UniformBatch::ResidualsAreValid(const Evaluation& evaluation, int begin,
                                     int end, const Worker& worker) {
  for (int row = begin; row < end; ++row) {
    double* const outputs = Outputs(evaluation, row);
    if (!std::isfinite(SquaredNorm(outputs, plan_.structure.row_size(row))) &&
        !worker.evaluator()->CheckOutputs(evaluation.state, row, outputs,
                                          evaluation.jacobian != nullptr,
                                          /*refused=*/false)) {
      return false;
    }
  }
  return true;
}

}  // namespace ceres::internal
