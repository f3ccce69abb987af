// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/evaluation/evaluator.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "ceres/evaluation/batched_rows.h"
#include "ceres/evaluation/evaluation_tuning.h"
#include "ceres/evaluation/float_rows.h"
#include "ceres/evaluation/general_rows.h"
#include "ceres/evaluation/jacobian_structure.h"
#include "ceres/evaluation/uniform_batch.h"
#include "ceres/execution/loops.h"
#include "ceres/execution/stop_signal.h"
#include "ceres/logging/logging.h"

namespace ceres::internal {
namespace {

// The column block of the Jacobian that each column block of the program is a
// part of.
std::vector<int> NumberMergedColumns(const Program& program,
                                     const std::vector<int>& merged_columns) {
  std::vector<int> merged_column(program.num_column_blocks());
  if (merged_columns.empty()) {
    std::iota(merged_column.begin(), merged_column.end(), 0);
    return merged_column;
  }
  VESTA_CHECK_EQ(merged_columns.back(), program.num_column_blocks());
  for (size_t run = 0; run + 1 < merged_columns.size(); ++run) {
    std::fill(merged_column.begin() + merged_columns[run],
              merged_column.begin() + merged_columns[run + 1],
              static_cast<int>(run));
  }
  return merged_column;
}

std::int64_t MaxRowBlockSize(const BlockJacobianStructure& s) {
  std::int64_t largest = 0;
  for (int row = 0; row < s.num_row_blocks(); ++row) {
    largest = std::max(largest,
                       s.row_block_offset[row + 1] - s.row_block_offset[row]);
  }
  return largest;
}

// Whether single precision can hold columns of these squared norms: their
// largest entries are neither infinite nor subnormal, with some room.
bool FitFloats(const double* squared_norms, int num_columns) {
  constexpr double kLeast = 1e-60;
  constexpr double kMost = 1e74;
  return std::all_of(squared_norms, squared_norms + num_columns,
                     [](double squared_norm) {
                       return squared_norm == 0.0 ||
                              (kLeast < squared_norm && squared_norm < kMost);
                     });
}

}  // namespace

// Evaluates rows again, whenever they are read.
class Evaluator::RecomputedRows final : public RowSource {
 public:
  explicit RecomputedRows(Evaluator* evaluator) : evaluator_(evaluator) {}

  void Take(int /*begin*/, int /*end*/, const double* /*row_blocks*/) override {
  }
  void Read(int thread_id, int begin, int end, double* row_blocks) override {
    evaluator_->EvaluateAgain(thread_id, begin, end, row_blocks);
  }
  std::string failure() const override {
    if (!evaluator_->failure_again_->any()) return "";
    return "A residual block could not be evaluated again, which "
           "Solver::Options::jacobian_storage = RECOMPUTE needs: " +
           evaluator_->failure_again_->message();
  }

 private:
  Evaluator* const evaluator_;
};

Evaluator::Evaluator(const Program& program, const Options& options)
    : program_(program),
      options_(options),
      merged_column_(NumberMergedColumns(program, options.merged_columns)),
      structure_(
          MakeJacobianStructure(options.execution, program, merged_column_)),
      row_plan_(program, structure_, merged_column_,
                options.apply_loss_function),
      sum_plan_(structure_, options.execution),
      plus_jacobians_(program),
      row_evaluators_(row_plan_, plus_jacobians_,
                      std::max(1, MostThreads(options.execution))),
      cost_of_row_chunk_(structure_.num_row_chunks()),
      partial_sums_(options.workspace, WorkspaceRegion::kColumnSums) {
  partial_sums_.Reserve(2 * SizeOfSums());
  uniform_batch_ = std::make_unique<UniformBatch>(row_plan_, plus_jacobians_);
  if (!row_plan_.is_prepared) {
    general_rows_ = std::make_unique<GeneralRows>(structure_);
  }
  if (program.has_batch_rows()) TakeGroupsOut();
  if (ExpensiveBlocks::Possible(structure_, options.execution)) {
    expensive_blocks_ =
        std::make_unique<ExpensiveBlocks>(structure_, options.execution);
  }
}

// The strategies get the rows that are in no group.
void Evaluator::TakeGroupsOut() {
  const int num_threads = std::max(1, MostThreads(options_.execution));
  for (auto* const strategy : {&general_rows_, &uniform_batch_}) {
    if (*strategy == nullptr) continue;
    *strategy = std::make_unique<BatchedRows>(row_plan_, num_threads,
                                              std::move(*strategy));
  }
}

Evaluator::Result Evaluator::Evaluate(const Evaluation& evaluation,
                                      bool new_evaluation_point, double* cost) {
  UpdateState(evaluation, new_evaluation_point);
  ExpensiveBlocks* const watched =
      expensive_blocks_ != nullptr && expensive_blocks_->is_watching()
          ? expensive_blocks_.get()
          : nullptr;
  FirstFailure failure;
  const auto evaluate_row_chunk = [&](int thread_id, int row_chunk) {
    if (failure.MaySkip(row_chunk)) return;
    StopPoller poller(options_.execution.stop);
    const Worker worker = {row_evaluators_, thread_id, poller};
    ExpensiveBlocks::RowChunkWatch watch(watched, row_chunk);
    double row_chunk_cost = 0.0;
    if (!EvaluateRowChunk(evaluation, row_chunk, worker, &watch,
                          &row_chunk_cost)) {
      failure.Report(row_chunk,
                     std::exchange(worker.evaluator()->message(), {}));
    }
    cost_of_row_chunk_[row_chunk] = row_chunk_cost;
  };
  if (structure_.num_row_chunks() == 1) {
    evaluate_row_chunk(/*thread_id=*/0, /*row_chunk=*/0);
  } else {
    ParallelFor(options_.execution, 0, structure_.num_row_chunks(),
                evaluate_row_chunk);
  }
  if (watched != nullptr && watched->HasDeferredRows()) {
    EvaluateDeferredRows(evaluation, &failure);
  }
  if (failure.any()) return {false, std::move(failure.message())};
  *cost = 0.0;
  for (const double row_chunk_cost : cost_of_row_chunk_)
    *cost += row_chunk_cost;
  return {};
}

// Hands the state to all that depends on it.
inline void Evaluator::UpdateState(const Evaluation& evaluation,
                                   bool new_evaluation_point) {
  const bool with_jacobian = evaluation.jacobian != nullptr;
  if (options_.evaluation_callback != nullptr) {
    program_.WriteUserMemory(options_.execution, evaluation.state);
    options_.evaluation_callback->PrepareForEvaluation(with_jacobian,
                                                       new_evaluation_point);
  }
  if (with_jacobian && row_plan_.has_manifold_or_merged_blocks) {
    plus_jacobians_.Evaluate(options_.execution, evaluation.state);
  }
  uniform_batch_->Begin(evaluation);
  if (expensive_blocks_ != nullptr) expensive_blocks_->Begin(evaluation);
}

inline void Evaluator::BeginRowChunk(const Evaluation& evaluation,
                                     int row_chunk) const {
  if (evaluation.jacobian == nullptr) return;
  // Touches the first page before the clock starts: clearing a large page takes
  // as long as a few hundred rows.
  if (source_ == nullptr) {
    *evaluation.jacobian->row_block(structure_.row_chunk_first_row[row_chunk]) =
        0.0;
  }
  if (sums_.gradient == nullptr) return;
  sum_plan_.Clear(row_chunk, sums_.gradient);
  sum_plan_.Clear(row_chunk, sums_.squared_norms);
}

// The rows of a row chunk in order, batch by batch.
inline bool Evaluator::EvaluateRowChunk(const Evaluation& whole, int row_chunk,
                                        const Worker& worker,
                                        ExpensiveBlocks::RowChunkWatch* watch,
                                        double* cost) {
  BeginRowChunk(whole, row_chunk);
  const bool is_kept = whole.jacobian == nullptr || source_ == nullptr;
  double* const buffer = is_kept ? nullptr : BatchBuffer(worker.thread_id);
  RowBlocks in_buffer = {&structure_, nullptr};
  const Evaluation evaluation = {
      whole.state, is_kept ? whole.jacobian : &in_buffer, whole.residuals};
  const int row_chunk_end = structure_.row_chunk_first_row[row_chunk + 1];
  int row = structure_.row_chunk_first_row[row_chunk];
  while (row < row_chunk_end) {
    const RowPlan::Range& range = row_plan_.range(row);
    const int range_end = std::min(range.end, row_chunk_end);
    EvaluationStrategy* strategy = StrategyOf(range, evaluation);
    const int batch_rows =
        row_plan_.is_prepared ? range_end : strategy->batch_rows();
    while (row < range_end) {
      int end = std::min(row + batch_rows, range_end);
      if (watch->is_on()) {
        const int num_rows = watch->NextRows(row);
        if (num_rows == 0) strategy = expensive_blocks_.get();
        end = std::min(end, row + num_rows);
      }
      if (!is_kept) in_buffer.origin = OriginOfRows(structure_, row, buffer);
      switch (strategy->Evaluate(evaluation, {range, row_chunk, row, end},
                                 worker, cost)) {
        case EvaluationStrategy::Outcome::kFailed:
          FindEarlierFailure(evaluation, row_chunk,
                             worker.evaluator()->failed_row(), worker);
          return false;
        case EvaluationStrategy::Outcome::kDeferred:
          watch->Stop();
          return true;
        case EvaluationStrategy::Outcome::kDone:
          break;
      }
      if (evaluation.jacobian != nullptr && sums_.gradient != nullptr) {
        AddRowSums(row_plan_, sum_plan_, range, row, end, *evaluation.jacobian,
                   sums_);
      }
      if (!is_kept) source_->Take(row, end, buffer);
      row = end;
    }
  }
  watch->Stop();
  return CellsAreValid(evaluation, row_chunk, worker);
}

// The rows that row chunks have deferred, by all threads; then the sums of each
// row chunk.
void Evaluator::EvaluateDeferredRows(const Evaluation& evaluation,
                                     FirstFailure* failure) {
  FirstFailure row_failure;
  expensive_blocks_->EvaluateDeferredRows([&](int thread_id, int row_chunk,
                                              int row, double* cost) {
    if (failure->MaySkip(row_chunk) || row_failure.MaySkip(row)) return;
    StopPoller never(nullptr);
    const Worker worker = {row_evaluators_, thread_id, never};
    const RowPlan::Range& range = row_plan_.range(row);
    *cost = 0.0;
    if (StrategyOf(range, evaluation)
            ->Evaluate(evaluation, {range, row_chunk, row, row + 1}, worker,
                       cost) == EvaluationStrategy::Outcome::kFailed) {
      row_failure.Report(row, std::exchange(worker.evaluator()->message(), {}));
    }
  });
  const std::vector<ExpensiveBlocks::DeferredRows>& deferred =
      expensive_blocks_->deferred();
  ParallelFor(
      expensive_blocks_->Threads(), 0, static_cast<int>(deferred.size()),
      [&](int thread_id, int k) {
        const int row_chunk = deferred[k].row_chunk;
        if (failure->MaySkip(row_chunk)) return;
        StopPoller never(nullptr);
        const Worker worker = {row_evaluators_, thread_id, never};
        if (!AddDeferredRows(evaluation, deferred[k], worker, &row_failure,
                             &cost_of_row_chunk_[row_chunk])) {
          failure->Report(row_chunk,
                          std::exchange(worker.evaluator()->message(), {}));
        }
      });
}

// Adds the costs and sums of the deferred rows of a row chunk, or reports its
// first failure.
bool Evaluator::AddDeferredRows(const Evaluation& evaluation,
                                const ExpensiveBlocks::DeferredRows& rows,
                                const Worker& worker, FirstFailure* row_failure,
                                double* cost) {
  const int failed_row = row_failure->index();
  if (failed_row < rows.end) {
    // An earlier row chunk reports its own failure.
    if (failed_row < rows.begin) return true;
    worker.evaluator()->message() = std::move(row_failure->message());
    FindEarlierFailure(evaluation, rows.row_chunk, failed_row, worker);
    return false;
  }
  for (int row = rows.begin; row < rows.end; ++row) {
    *cost += expensive_blocks_->cost(rows, row);
  }
  if (evaluation.jacobian == nullptr) return true;
  for (int row = rows.begin; sums_.gradient != nullptr && row < rows.end;) {
    const RowPlan::Range& range = row_plan_.range(row);
    const int end = std::min(range.end, rows.end);
    AddRowSums(row_plan_, sum_plan_, range, row, end, *evaluation.jacobian,
               sums_);
    row = end;
  }
  return CellsAreValid(evaluation, rows.row_chunk, worker);
}

bool Evaluator::RowBlocksAreValid(const Evaluation& evaluation, int begin,
                                  int end, const Worker& worker) {
  for (int row = begin; source_ != nullptr && row < end; ++row) {
    double cost = 0.0;
    if (!worker.evaluator()->EvaluateRowBlock(
            evaluation.state, row, RowEvaluator::CheckCells::kNow,
            BatchBuffer(worker.thread_id), &cost)) {
      return false;
    }
  }
  for (int row = begin; source_ == nullptr && row < end; ++row) {
    if (!worker.evaluator()->IsValid(evaluation.state, row,
                                     evaluation.jacobian->row_block(row))) {
      return false;
    }
  }
  return true;
}

// After a row has failed: makes the worker's message that of the first row
// of the row chunk that has. Cells of earlier rows may be invalid.
void Evaluator::FindEarlierFailure(const Evaluation& evaluation, int row_chunk,
                                   int failed_row, const Worker& worker) {
  if (evaluation.jacobian == nullptr) return;
  std::string message = std::move(worker.evaluator()->message());
  if (RowBlocksAreValid(evaluation, structure_.row_chunk_first_row[row_chunk],
                        failed_row, worker)) {
    worker.evaluator()->message() = std::move(message);
  }
}

void Evaluator::EvaluateAgain(int thread_id, int begin, int end,
                              double* row_blocks) {
  const RowBlocks in_buffer = {&structure_,
                               OriginOfRows(structure_, begin, row_blocks)};
  const Evaluation evaluation = {jacobian_state_, &in_buffer, nullptr};
  StopPoller poller(options_.execution.stop);
  const Worker worker = {row_evaluators_, thread_id, poller};
  double cost = 0.0;
  for (int row = begin; row < end;) {
    const RowPlan::Range& range = row_plan_.range(row);
    EvaluationStrategy* const strategy = StrategyOf(range, evaluation);
    const int batch_end =
        std::min({row + strategy->batch_rows(), range.end, end});
    // Row chunks matter to ExpensiveBlocks alone.
    if (strategy->Evaluate(evaluation,
                           {range, /*row_chunk=*/-1, row, batch_end}, worker,
                           &cost) != EvaluationStrategy::Outcome::kDone) {
      failure_again_->Report(row,
                             std::exchange(worker.evaluator()->message(), {}));
      std::fill(in_buffer.row_block(row), in_buffer.row_block(end), 0.0);
      return;
    }
    row = batch_end;
  }
}

// Chooses the memory of the partial sums: buffers, or the output itself if the
// partial sums are laid out like it. Null: the output is not wanted.
inline void Evaluator::ChooseSums(double* gradient,
                                  double* squared_column_norms) {
  const auto choose = [&](double* wanted, std::int64_t position) {
    if (wanted != nullptr && sum_plan_.has_one_part()) return wanted;
    return partial_sums_.data() + position;
  };
  sums_.gradient = choose(gradient, 0);
  sums_.squared_norms = choose(squared_column_norms, SizeOfSums());
}

inline void Evaluator::ReduceSums(const double* sums, double* wanted) const {
  if (wanted == nullptr || wanted == sums) return;
  sum_plan_.Reduce(options_.execution, sums, wanted);
}

void Evaluator::SetStorage(JacobianStorage storage) {
  const bool is_large = structure_.num_row_chunks() > 1;
  storage_ = is_large ? storage : JacobianStorage::DOUBLE;
  if (storage_ == JacobianStorage::DOUBLE) return;
  max_row_block_size_ = MaxRowBlockSize(structure_);
  batch_buffers_.resize(std::max(1, MostThreads(options_.execution)));
  // Deferred rows would have to be kept.
  expensive_blocks_.reset();
}

void Evaluator::Allocate(BlockJacobian* jacobian) {
  jacobian->structure = &structure_;
  switch (storage_) {
    case JacobianStorage::FLOAT:
      jacobian->source = std::make_unique<FloatRows>(structure_);
      break;
    case JacobianStorage::RECOMPUTE:
      jacobian->source = std::make_unique<RecomputedRows>(this);
      break;
    default:
      jacobian->values.Resize(options_.execution, structure_.num_values());
  }
}

Evaluator::Result Evaluator::EvaluateCost(const double* state,
                                          bool new_evaluation_point,
                                          double* cost, double* residuals) {
  return Evaluate({state, /*jacobian=*/nullptr, residuals},
                  new_evaluation_point, cost);
}

Evaluator::Result Evaluator::EvaluateJacobian(
    const double* state, bool new_evaluation_point, double* cost,
    BlockJacobian* jacobian, double* gradient, double* squared_column_norms) {
  VESTA_CHECK(jacobian->structure == &structure_)
      << "The Jacobian does not have the evaluator's structure.";
  source_ = jacobian->source.get();
  VESTA_CHECK(source_ != nullptr ||
              static_cast<std::int64_t>(jacobian->values.size()) ==
                  structure_.num_values())
      << "The Jacobian has no memory.";
  jacobian_state_ = state;
  if (source_ != nullptr) failure_again_.emplace();
  const RowBlocks row_blocks = {&structure_, jacobian->values.data()};
  sums_ = {};
  // If one of the sums is wanted, both are formed: the row block is in the
  // cache.
  if (gradient != nullptr || squared_column_norms != nullptr) {
    ChooseSums(gradient, squared_column_norms);
  }
  Result result = Evaluate({state, &row_blocks, /*residuals=*/nullptr},
                           new_evaluation_point, cost);
  if (!result || sums_.gradient == nullptr) return result;
  ReduceSums(sums_.gradient, gradient);
  ReduceSums(sums_.squared_norms, squared_column_norms);
  if (storage_ == JacobianStorage::FLOAT && squared_column_norms != nullptr &&
      !FitFloats(squared_column_norms, structure_.num_columns())) {
    return {false,
            "Solver::Options::jacobian_storage = FLOAT cannot hold a column of "
            "the Jacobian: its norm is not between 1e-30 and 1e37. Change the "
            "unit of a parameter, or choose DOUBLE or RECOMPUTE."};
  }
  return result;
}

}  // namespace ceres::internal
