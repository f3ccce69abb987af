// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/evaluation/batched_rows.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "ceres/evaluation/evaluation_tuning.h"
#include "ceres/evaluation/row_evaluator-inl.h"
#include "ceres/evaluation/row_kernels.h"
#include "ceres/kernels/row_block_sums.h"
#include "ceres/types.h"

namespace ceres::internal {

BatchedRows::BatchedRows(const RowPlan& plan, int num_threads,
                         std::unique_ptr<EvaluationStrategy> others)
    : plan_(plan), others_(std::move(others)), buffers_(num_threads) {}

BatchedRows::Buffers* BatchedRows::BuffersOf(int thread_id) {
  std::unique_ptr<Buffers>& buffers = buffers_[thread_id];
  if (buffers != nullptr) return buffers.get();
  const int num_arguments = plan_.program.max_arguments_per_block();
  buffers = std::make_unique<Buffers>();
  buffers->numbers.resize(kGroupRows);
  buffers->parameters.resize(std::size_t{kGroupRows} * num_arguments);
  buffers->jacobians.resize(num_arguments);
  buffers->of_row.resize(num_arguments);
  return buffers.get();
}

double* BatchedRows::Buffers::Outputs(std::int64_t row_size) {
  const auto size = static_cast<std::size_t>(kGroupRows * row_size);
  if (outputs.size() < size) outputs.Resize(size);
  return outputs.data();
}

EvaluationStrategy::Outcome BatchedRows::Evaluate(const Evaluation& evaluation,
                                                  const RowBatch& batch,
                                                  const Worker& worker,
                                                  double* cost) {
  Buffers* const buffers = BuffersOf(worker.thread_id);
  for (int row = batch.begin; row < batch.end;) {
    RowBatch rows = {batch.range, batch.row_chunk, row, batch.end};
    const CostFunction* const first = plan_.program.cost_functions()[row];
    const AddedBatch* const added = BatchOf(first, buffers);
    Result result = Result::kRefused;
    if (added != nullptr &&
        added->is_active(static_cast<const BatchRow*>(first) - added->rows())) {
      Task task = {evaluation, rows, {*added, row, row}, worker, buffers};
      FindGroup(*added, &task);
      result = evaluation.jacobian == nullptr ? EvaluateCosts(task, cost)
               : IsDirect(batch.range)        ? EvaluateDirect(task, cost)
                                              : EvaluateBuffered(task, cost);
      rows.end = task.group.end;
    } else {
      rows.end = EndOfOthers(row, batch.end);
    }
    if (result == Result::kFailed) return Outcome::kFailed;
    if (result == Result::kRefused) {
      const Outcome outcome = others_->Evaluate(evaluation, rows, worker, cost);
      if (outcome != Outcome::kDone) return outcome;
    }
    row = rows.end;
  }
  return Outcome::kDone;
}

void BatchedRows::Begin(const Evaluation& evaluation) {
  // A batch may have been removed since the last evaluation.
  for (const auto& buffers : buffers_) {
    if (buffers != nullptr) buffers->last_batch = nullptr;
  }
  others_->Begin(evaluation);
}

// The batch of a row, or null. Most rows are of the batch that the thread has
// met last: their cost functions are not read, which are far from each other.
const AddedBatch* BatchedRows::BatchOf(const CostFunction* function,
                                       Buffers* buffers) {
  const AddedBatch*& last = buffers->last_batch;
  if (last != nullptr && last->Contains(function)) return last;
  const BatchRow* const row = BatchRow::Of(*function);
  if (row == nullptr) return nullptr;
  last = &row->batch();
  return last;
}

// The end of the rows behind row `begin` that are in no batch.
int BatchedRows::EndOfOthers(int begin, int end) const {
  int row = begin + 1;
  while (row < end &&
         BatchRow::Of(*plan_.program.cost_functions()[row]) == nullptr) {
    ++row;
  }
  return row;
}

// Whether the cost function writes all cells of all rows of a range.
bool BatchedRows::IsDirect(const RowPlan::Range& range) const {
  return !plan_.has_manifold_or_merged_blocks ||
         range.kind == RowPlan::Range::Kind::kTwoCells;
}

// Finds the end of the group, and fills the buffers but the outputs.
void BatchedRows::FindGroup(const AddedBatch& batch, Task* task) const {
  const int end = std::min(task->rows.end, task->group.begin + kGroupRows);
  const CostFunction* const* const functions =
      plan_.program.cost_functions().data();
  const bool all_are_active = batch.all_are_active();
  const bool has_places =
      task->evaluation.jacobian != nullptr && IsDirect(task->rows.range);
  std::int64_t* const numbers = task->buffers->numbers.data();
  int row = task->group.begin;
  for (; row < end; ++row) {
    if (!batch.Contains(functions[row])) break;
    const std::int64_t number =
        static_cast<const BatchRow*>(functions[row]) - batch.rows();
    if (!all_are_active && !batch.is_active(number)) break;
    if (has_places && !HasPlacesOfFirst(row, *task)) break;
    numbers[row - task->group.begin] = number;
  }
  task->group.end = row;
  GatherParameters(task);
}

// Fills the parameters of all rows of the group.
void BatchedRows::GatherParameters(Task* task) const {
  const Program& program = plan_.program;
  const double* const state = task->evaluation.state;
  const int* const offset = program.state_offset().data();
  const double* const* const constants = program.constants().data();
  // The arguments of consecutive rows are consecutive.
  const int* const arguments =
      program.arguments().data() + program.first_argument()[task->group.begin];
  const double** const parameters = task->buffers->parameters.data();
  const int count = task->group.size() * task->group.num_arguments();
  for (int i = 0; i < count; ++i) {
    const int column = arguments[i];
    parameters[i] = column >= 0 ? state + offset[column] : constants[~column];
  }
}

// Whether the Jacobians of a row have the positions that those of the first row
// have. Sets the Jacobians of the first row.
inline bool BatchedRows::HasPlacesOfFirst(int row, const Task& task) const {
  const RowPlan::Range& range = task.rows.range;
  const bool is_first = row == task.group.begin;
  if (range.kind == RowPlan::Range::Kind::kTwoCells && !is_first) return true;
  return HasPlaces(row, is_first, task);
}

bool BatchedRows::HasPlaces(int row, bool is_first, const Task& task) const {
  const RowPlan::Range& range = task.rows.range;
  double* const first = task.evaluation.jacobian->row_block(task.group.begin);
  std::vector<double*>& jacobians = task.buffers->jacobians;
  if (range.kind == RowPlan::Range::Kind::kTwoCells) {
    for (int k = 0; k < 2; ++k) jacobians[k] = first + range.position[k];
    return true;
  }
  double* const row_block = task.evaluation.jacobian->row_block(row);
  if (is_first) {
    plan_.PlaceJacobians(row, row_block, jacobians.data());
    return true;
  }
  std::vector<double*>& of_row = task.buffers->of_row;
  plan_.PlaceJacobians(row, row_block, of_row.data());
  for (int k = 0; k < task.group.num_arguments(); ++k) {
    if ((jacobians[k] == nullptr) != (of_row[k] == nullptr)) return false;
    if (of_row[k] != nullptr && of_row[k] - row_block != jacobians[k] - first) {
      return false;
    }
  }
  return true;
}

// Evaluates the group. Row i is written `stride` behind row i - 1. False: the
// batch could not evaluate a row.
bool BatchedRows::Call(const Task& task, double* outputs,
                       double* const* jacobians, std::int64_t stride) const {
  const int size = task.group.size();
  return task.group.batch.batch().Evaluate({size, task.buffers->numbers.data(),
                                            task.buffers->parameters.data()},
                                           {outputs, jacobians, stride}) ==
         size;
}

// The evaluator's parameters are those of a row, for its messages and
// manifolds.
void BatchedRows::SetParameters(const Task& task, int row) const {
  const int num_arguments = task.group.num_arguments();
  std::copy_n(task.buffers->parameters.data() +
                  std::int64_t{row - task.group.begin} * num_arguments,
              num_arguments, task.worker.evaluator()->parameters_.data());
}

BatchedRows::Result BatchedRows::EvaluateCosts(const Task& task,
                                               double* cost) const {
  const Group& group = task.group;
  const int num_residuals = group.num_residuals();
  double* const wanted = task.evaluation.residuals;
  double* outputs = wanted == nullptr
                        ? nullptr
                        : wanted + plan_.structure.row_offset[group.begin];
  const std::int64_t size = std::int64_t{group.size()} * num_residuals;
  if (wanted == nullptr) {
    outputs = task.buffers->Outputs(num_residuals);
  }
  MarkUnwritten(outputs, size);
  if (!Call(task, outputs, nullptr, num_residuals)) return Result::kRefused;
  // All rows of a batch have the same loss function.
  const bool has_loss = plan_.loss(group.begin) != nullptr;
  const bool has_weights = group.batch.weights() != nullptr;
  double sum = *cost;
  for (int row = group.begin; row < group.end;
       ++row, outputs += num_residuals) {
    task.worker.poller.Poll();
    if (has_weights) {
      group.batch.MultiplyByWeight(task.buffers->numbers[row - group.begin],
                                   num_residuals, outputs);
    }
    const double squared_norm = SquaredNorm(outputs, num_residuals);
    if (!has_loss && std::isfinite(squared_norm)) {
      sum += 0.5 * squared_norm;
      continue;
    }
    SetParameters(task, row);
    double row_cost = 0.0;
    if (!task.worker.evaluator()->FinishCost(
            {row, outputs, false}, squared_norm,
            wanted == nullptr ? nullptr : outputs, &row_cost)) {
      return Result::kFailed;
    }
    sum += row_cost;
  }
  *cost = sum;
  return Result::kDone;
}

// Into the row blocks.
BatchedRows::Result BatchedRows::EvaluateDirect(const Task& task,
                                                double* cost) const {
  const Group& group = task.group;
  RowEvaluator* const evaluator = task.worker.evaluator();
  double* row_block = task.evaluation.jacobian->row_block(group.begin);
  const std::vector<double*>& jacobians = task.buffers->jacobians;
  const std::int64_t size = plan_.structure.row_block_offset[group.begin + 1] -
                            plan_.structure.row_block_offset[group.begin];
  const std::int64_t group_size = size * group.size();
  kernels::FillRowBlocks(group_size, kImpossibleValue, row_block);
  if (!Call(task, row_block, jacobians.data(), size)) return Result::kRefused;
  const bool has_loss = plan_.loss(group.begin) != nullptr;
  const bool has_weights = group.batch.weights() != nullptr;
  double sum = *cost;
  for (int row = group.begin; row < group.end; ++row, row_block += size) {
    task.worker.poller.Poll();
    PrefetchRowBlock(row_block + group_size, static_cast<int>(size));
    const int i = row - group.begin;
    if (has_weights) {
      group.batch.MultiplyByWeight(task.buffers->numbers[i], size, row_block);
    }
    const double squared_norm = SquaredNorm(row_block, group.num_residuals());
    if (!has_loss && std::isfinite(squared_norm)) {
      sum += 0.5 * squared_norm;
      continue;
    }
    SetParameters(task, row);
    for (int k = 0; k < group.num_arguments(); ++k) {
      evaluator->jacobians_[k] =
          jacobians[k] == nullptr ? nullptr : jacobians[k] + i * size;
    }
    double row_cost = 0.0;
    if (!evaluator->FinishRowBlock({row, row_block, true},
                                   RowEvaluator::CheckCells::kLater, row_block,
                                   &row_cost)) {
      return Result::kFailed;
    }
    sum += row_cost;
  }
  *cost = sum;
  return Result::kDone;
}

// Places the Jacobians of the first row in the buffer. Those that no row wants
// are null. Returns the size of one row.
std::int64_t BatchedRows::PlaceInBuffer(const Task& task) const {
  const Program& program = plan_.program;
  const Group& group = task.group;
  Buffers& buffers = *task.buffers;
  std::int64_t size = group.num_residuals();
  for (const std::int32_t argument_size : group.batch.parameter_blocks) {
    size += std::int64_t{group.num_residuals()} * argument_size;
  }
  double* next = buffers.Outputs(size) + group.num_residuals();
  const int first = program.first_argument()[group.begin];
  const int num_arguments = group.num_arguments();
  for (int k = 0; k < num_arguments; ++k) {
    bool is_wanted = false;
    for (int i = 0; i < group.size() && !is_wanted; ++i) {
      is_wanted = program.arguments()[first + i * num_arguments + k] >= 0;
    }
    buffers.jacobians[k] = is_wanted ? next : nullptr;
    next +=
        std::int64_t{group.num_residuals()} * group.batch.parameter_blocks[k];
  }
  return size;
}

// Copies the outputs of a row to its row block, all but the cells that are
// computed from Jacobians in ambient coordinates. Sets the evaluator's
// Jacobians.
void BatchedRows::CopyOutputs(const Task& task, int row, double* outputs,
                              double* row_block) const {
  const Group& group = task.group;
  const std::int64_t num_residuals = group.num_residuals();
  std::copy_n(outputs, num_residuals, row_block);
  double* jacobian = outputs + num_residuals;
  const int first = plan_.program.first_argument()[row];
  for (int k = 0; k < group.num_arguments(); ++k) {
    const RowPlan::Cell& cell = plan_.cells[first + k];
    const std::int64_t size = num_residuals * group.batch.parameter_blocks[k];
    double* place = nullptr;
    if (cell.position != RowPlan::Cell::kNone) {
      place = jacobian;
      if (cell.fill == RowPlan::Cell::Fill::kDirect) {
        place = std::copy_n(jacobian, size, row_block + cell.position) - size;
      }
    }
    task.worker.evaluator()->jacobians_[k] = place;
    jacobian += size;
  }
}

// By way of the buffer.
BatchedRows::Result BatchedRows::EvaluateBuffered(const Task& task,
                                                  double* cost) const {
  const Group& group = task.group;
  RowEvaluator* const evaluator = task.worker.evaluator();
  const std::int64_t size = PlaceInBuffer(task);
  double* outputs = task.buffers->Outputs(size);
  MarkUnwritten(outputs, size * group.size());
  if (!Call(task, outputs, task.buffers->jacobians.data(), size)) {
    return Result::kRefused;
  }
  double sum = *cost;
  for (int row = group.begin; row < group.end; ++row, outputs += size) {
    task.worker.poller.Poll();
    double* const row_block = task.evaluation.jacobian->row_block(row);
    SetParameters(task, row);
    group.batch.MultiplyByWeight(task.buffers->numbers[row - group.begin], size,
                                 outputs);
    CopyOutputs(task, row, outputs, row_block);
    const RowEvaluator::Call call = {row, row_block, true};
    double row_cost = 0.0;
    if (!evaluator->ToTangentCoordinates(call, row_block) ||
        !evaluator->FinishRowBlock(call, RowEvaluator::CheckCells::kLater,
                                   row_block, &row_cost)) {
      return Result::kFailed;
    }
    sum += row_cost;
  }
  *cost = sum;
  return Result::kDone;
}

}  // namespace ceres::internal
