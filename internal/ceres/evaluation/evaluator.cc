// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/evaluation/evaluator.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "ceres/evaluation/direct_rows.h"
#include "ceres/evaluation/expensive_blocks.h"
#include "ceres/evaluation/first_failure.h"
#include "ceres/evaluation/jacobian_structure.h"
#include "ceres/evaluation/plus_jacobians.h"
#include "ceres/evaluation/row_evaluator.h"
#include "ceres/evaluation/row_kernels.h"
#include "ceres/execution/loops.h"
#include "ceres/execution/stop_signal.h"
#include "glog/logging.h"

namespace ceres::internal {
namespace {

// Regular rows that are evaluated one after another before what they add to the
// sums is added: their row blocks stay in the first-level cache.
constexpr int kBatchRows = 16;

// The Jacobian's column block of each of the program's.
std::vector<int> NumberMergedColumns(const Program& program,
                                     const std::vector<int>& merged_columns) {
  std::vector<int> merged_column(program.num_column_blocks());
  if (merged_columns.empty()) {
    std::iota(merged_column.begin(), merged_column.end(), 0);
    return merged_column;
  }
  CHECK_EQ(merged_columns.back(), program.num_column_blocks());
  for (size_t run = 0; run + 1 < merged_columns.size(); ++run) {
    std::fill(merged_column.begin() + merged_columns[run],
              merged_column.begin() + merged_columns[run + 1],
              static_cast<int>(run));
  }
  return merged_column;
}

}  // namespace

struct Evaluator::Impl {
  enum class Sums { kNone, kGradientAndNorms };

  Impl(const Program& program, const Options& options)
      : program(program),
        options(options),
        merged_column(NumberMergedColumns(program, options.merged_columns)),
        structure(
            MakeJacobianStructure(options.execution, program, merged_column)),
        row_plan(program, structure, merged_column,
                 options.apply_loss_function),
        sum_plan(structure, options.execution),
        plus_jacobians(program),
        row_evaluators(std::max(1, MostThreads(options.execution))),
        cost_of_row_chunk(structure.num_row_chunks()),
        partial_sums(options.workspace, WorkspaceRegion::kColumnSums) {
    partial_sums.Reserve(2 * SizeOfSums());
    if (ExpensiveBlocks::Possible(structure, options.execution)) {
      expensive_blocks =
          std::make_unique<ExpensiveBlocks>(structure, options.execution);
    }
    if (DirectRows::Suit(row_plan)) {
      direct_rows = std::make_unique<DirectRows>(row_plan, plus_jacobians,
                                                 options.execution.stop,
                                                 expensive_blocks.get());
    }
  }

  void PrepareForEvaluation(const double* state, bool evaluate_jacobians,
                            bool new_evaluation_point) const;
  Result EvaluateDirectRows(const double* state, Sums sums, double* cost,
                            BlockJacobian* jacobian);
  RowEvaluator* RowEvaluatorOf(int thread_id);
  template <typename Job>
  Result EvaluateRowChunks(const Job& job, double* cost);
  template <typename Job>
  bool EvaluateRowChunk(const Job& job, int row_chunk,
                        ExpensiveBlocks::RowChunkWatch* watch,
                        RowEvaluator* evaluator, double* cost) const;
  template <typename Job>
  void EvaluateExpensiveBlocks(const Job& job, FirstFailure* failure);
  template <typename Job>
  bool AddUpRest(const Job& job, const ExpensiveBlocks::Rest& rest,
                 FirstFailure* row_failure, RowEvaluator* evaluator,
                 double* cost);
  bool RowBlocksAreValid(const double* state, int begin, int end,
                         RowEvaluator* evaluator,
                         BlockJacobian* jacobian) const;
  bool NormsAreFinite(int row_chunk) const;
  // Of the partial sums of one of the two, rounded up to cache lines.
  std::int64_t SizeOfSums() const {
    constexpr std::int64_t kLine = 8;
    return (sum_plan.buffer_size() + kLine - 1) / kLine * kLine;
  }
  void ChooseSums(double* gradient, double* squared_column_norms);
  void AddToSums(const RowPlan::Run& run, int begin, int end,
                 const BlockJacobian& jacobian) const;
  void AddToSums(int row, const double* row_block) const;
  void ReduceSums(const double* sums, double* wanted) const;

  const Program& program;
  const Options options;
  const std::vector<int> merged_column;
  const BlockJacobianStructure structure;
  const RowPlan row_plan;
  const ColumnSumPlan sum_plan;
  PlusJacobians plus_jacobians;

  // Of small problems; else null. Not part of this, which it would make so
  // large that allocators take it for the moment to merge all their small
  // pieces.
  std::unique_ptr<DirectRows> direct_rows;
  std::unique_ptr<ExpensiveBlocks>
      expensive_blocks;  // null: nothing could be shared
  std::vector<std::unique_ptr<RowEvaluator>> row_evaluators;  // by thread
  std::vector<double> cost_of_row_chunk;
  // Those of the gradient, then those of the norms.
  WorkspaceArray partial_sums;
  double* gradient_sums = nullptr;
  double* norm_sums = nullptr;
};

void Evaluator::Impl::PrepareForEvaluation(const double* state,
                                           bool evaluate_jacobians,
                                           bool new_evaluation_point) const {
  if (options.evaluation_callback == nullptr) return;
  program.WriteUserMemory(options.execution, state);
  options.evaluation_callback->PrepareForEvaluation(evaluate_jacobians,
                                                    new_evaluation_point);
}

RowEvaluator* Evaluator::Impl::RowEvaluatorOf(int thread_id) {
  std::unique_ptr<RowEvaluator>& mine = row_evaluators[thread_id];
  if (mine == nullptr) {
    mine = std::make_unique<RowEvaluator>(row_plan, plus_jacobians);
  }
  return mine.get();
}

namespace {

// What an evaluation does with rows. Both kinds have
//
//   BeginRowChunk        before the first of its rows
//   EvaluateRows     some rows of one run; adds their costs to *cost
//   AddRows          what they add to sums, in their order
//   IsValid          of a whole row chunk, when all was added
//   FailedAt         when a row has failed: makes the evaluator's message that
//                    of the first row of the row chunk that has
template <typename Impl>
struct CostJob {
  static constexpr ExpensiveBlocks::Kind kKind = ExpensiveBlocks::Kind::kCost;

  void BeginRowChunk(int) const {}
  bool EvaluateRows(const RowPlan::Run& run, int begin, int end,
                    RowEvaluator* evaluator, StopPoller* poller,
                    double* cost) const {
    if (run.is_regular) {
      return evaluator->EvaluateCosts(state, run, begin, end, poller,
                                      ResidualsOf(begin), cost);
    }
    for (int row = begin; row < end; ++row) {
      poller->Poll();
      double row_cost = 0.0;
      if (!evaluator->EvaluateCost(state, row, ResidualsOf(row), &row_cost)) {
        return false;
      }
      *cost += row_cost;
    }
    return true;
  }
  void AddRows(const RowPlan::Run&, int, int) const {}
  bool IsValid(int, RowEvaluator*) const { return true; }
  void FailedAt(int, int, RowEvaluator*) const {}

  double* ResidualsOf(int row) const {
    return residuals == nullptr ? nullptr
                                : residuals + impl.structure.row_offset[row];
  }

  const Impl& impl;
  const double* state;
  double* residuals;
};

template <typename Impl>
struct JacobianJob {
  static constexpr ExpensiveBlocks::Kind kKind =
      ExpensiveBlocks::Kind::kJacobian;

  void BeginRowChunk(int row_chunk) const {
    // Pages that are touched for the first time are not the rows' time:
    // clearing a large one takes as long as a few hundred rows.
    *jacobian->row_block(impl.structure.row_chunk_first_row[row_chunk]) = 0.0;
    if (!with_sums) return;
    impl.sum_plan.Clear(row_chunk, impl.gradient_sums);
    impl.sum_plan.Clear(row_chunk, impl.norm_sums);
  }
  // Cells are checked later, by what they have added to the column norms.
  bool EvaluateRows(const RowPlan::Run& run, int begin, int end,
                    RowEvaluator* evaluator, StopPoller* poller,
                    double* cost) const {
    if (run.is_regular) {
      return evaluator->EvaluateRowBlocks(state, run, begin, end, poller,
                                          jacobian->row_block(begin), cost);
    }
    if (run.is_indirect) {
      return evaluator->EvaluateIndirectRowBlocks(
          state, run, begin, end, poller, jacobian->row_block(begin), cost);
    }
    for (int row = begin; row < end; ++row) {
      poller->Poll();
      double row_cost = 0.0;
      if (!evaluator->EvaluateRowBlock(state, row,
                                       RowEvaluator::CheckCells::kLater,
                                       jacobian->row_block(row), &row_cost)) {
        return false;
      }
      *cost += row_cost;
    }
    return true;
  }
  void AddRows(const RowPlan::Run& run, int begin, int end) const {
    if (with_sums) impl.AddToSums(run, begin, end, *jacobian);
  }
  bool IsValid(int row_chunk, RowEvaluator* evaluator) const {
    if (with_sums && impl.NormsAreFinite(row_chunk)) return true;
    const std::vector<int>& first = impl.structure.row_chunk_first_row;
    return impl.RowBlocksAreValid(state, first[row_chunk], first[row_chunk + 1],
                                  evaluator, jacobian);
  }
  // The first failure counts, and cells of earlier rows may be one.
  void FailedAt(int row_chunk, int row, RowEvaluator* evaluator) const {
    std::string message = std::move(evaluator->message());
    if (impl.RowBlocksAreValid(state,
                               impl.structure.row_chunk_first_row[row_chunk],
                               row, evaluator, jacobian)) {
      evaluator->message() = std::move(message);
    }
  }

  const Impl& impl;
  const double* state;
  bool with_sums;
  BlockJacobian* jacobian;
};

}  // namespace

// All row chunks in parallel; their costs are added in row chunk order.
template <typename Job>
Evaluator::Result Evaluator::Impl::EvaluateRowChunks(const Job& job,
                                                     double* cost) {
  ExpensiveBlocks* const watched =
      expensive_blocks != nullptr && expensive_blocks->Watch(Job::kKind)
          ? expensive_blocks.get()
          : nullptr;
  FirstFailure failure;
  ParallelFor(
      options.execution, 0, structure.num_row_chunks(),
      [&](int thread_id, int row_chunk) {
        if (failure.MaySkip(row_chunk)) return;
        RowEvaluator* const mine = RowEvaluatorOf(thread_id);
        ExpensiveBlocks::RowChunkWatch watch(watched, row_chunk);
        double row_chunk_cost = 0.0;
        if (!EvaluateRowChunk(job, row_chunk, &watch, mine, &row_chunk_cost)) {
          failure.Report(row_chunk, std::exchange(mine->message(), {}));
        }
        cost_of_row_chunk[row_chunk] = row_chunk_cost;
      });
  if (watched != nullptr && watched->HasRest()) {
    EvaluateExpensiveBlocks(job, &failure);
  }
  if (failure.any()) return {false, std::move(failure.message())};
  *cost = 0.0;
  for (const double row_chunk_cost : cost_of_row_chunk) *cost += row_chunk_cost;
  return {};
}

// The rows of a row chunk in order, or the first ones if they are expensive.
template <typename Job>
bool Evaluator::Impl::EvaluateRowChunk(const Job& job, int row_chunk,
                                       ExpensiveBlocks::RowChunkWatch* watch,
                                       RowEvaluator* evaluator,
                                       double* cost) const {
  job.BeginRowChunk(row_chunk);
  StopPoller poller(options.execution.stop);
  const int row_chunk_end = structure.row_chunk_first_row[row_chunk + 1];
  for (int row = structure.row_chunk_first_row[row_chunk];
       row < row_chunk_end;) {
    const RowPlan::Run& run = row_plan.run(row);
    const int run_end = std::min(run.end, row_chunk_end);
    while (row < run_end) {
      int end = std::min(row + kBatchRows, run_end);
      if (watch->is_on()) {
        end = std::min(end, row + watch->NextRows(row));
        if (end == row) {
          watch->Stop(row);
          return true;
        }
      }
      if (!job.EvaluateRows(run, row, end, evaluator, &poller, cost)) {
        job.FailedAt(row_chunk, evaluator->failed_row(), evaluator);
        return false;
      }
      job.AddRows(run, row, end);
      row = end;
    }
  }
  watch->Stop(row_chunk_end);
  return job.IsValid(row_chunk, evaluator);
}

// What row chunks have left, all threads together; then each row chunk goes on.
template <typename Job>
void Evaluator::Impl::EvaluateExpensiveBlocks(const Job& job,
                                              FirstFailure* failure) {
  FirstFailure row_failure;
  expensive_blocks->EvaluateRest(
      [&](int thread_id, int row_chunk, int row, double* cost) {
        if (failure->MaySkip(row_chunk) || row_failure.MaySkip(row)) return;
        RowEvaluator* const mine = RowEvaluatorOf(thread_id);
        *cost = 0.0;
        StopPoller never(nullptr);
        if (!job.EvaluateRows(row_plan.run(row), row, row + 1, mine, &never,
                              cost)) {
          row_failure.Report(row, std::exchange(mine->message(), {}));
        }
      });
  const std::vector<ExpensiveBlocks::Rest>& rest = expensive_blocks->rest();
  ParallelFor(expensive_blocks->ThreadsForRest(), 0,
              static_cast<int>(rest.size()), [&](int thread_id, int k) {
                const int row_chunk = rest[k].row_chunk;
                if (failure->MaySkip(row_chunk)) return;
                RowEvaluator* const mine = RowEvaluatorOf(thread_id);
                if (!AddUpRest(job, rest[k], &row_failure, mine,
                               &cost_of_row_chunk[row_chunk])) {
                  failure->Report(row_chunk,
                                  std::exchange(mine->message(), {}));
                }
              });
}

// What the rest of a row chunk adds to costs and sums, or its first failure.
template <typename Job>
bool Evaluator::Impl::AddUpRest(const Job& job,
                                const ExpensiveBlocks::Rest& rest,
                                FirstFailure* row_failure,
                                RowEvaluator* evaluator, double* cost) {
  const int failed_row = row_failure->index();
  if (failed_row < rest.end) {
    // If in an earlier row chunk, that one's failure is reported.
    if (failed_row < rest.begin) return true;
    evaluator->message() = std::move(row_failure->message());
    job.FailedAt(rest.row_chunk, failed_row, evaluator);
    return false;
  }
  for (int row = rest.begin; row < rest.end; ++row) {
    *cost += expensive_blocks->cost(rest, row);
  }
  for (int row = rest.begin; row < rest.end;) {
    const RowPlan::Run& run = row_plan.run(row);
    const int end = std::min(run.end, rest.end);
    job.AddRows(run, row, end);
    row = end;
  }
  return job.IsValid(rest.row_chunk, evaluator);
}

// Whether the cells of all rows in [begin, end), which are evaluated, are
// finite and complete.
bool Evaluator::Impl::RowBlocksAreValid(const double* state, int begin, int end,
                                        RowEvaluator* evaluator,
                                        BlockJacobian* jacobian) const {
  for (int row = begin; row < end; ++row) {
    if (!evaluator->IsValid(state, row, jacobian->row_block(row))) return false;
  }
  return true;
}

// Only if all cells of the row chunk are finite and written.
bool Evaluator::Impl::NormsAreFinite(int row_chunk) const {
  // Several sums: a single one would be a chain.
  double sums[4] = {};
  const std::int64_t end = sum_plan.partial_sums_begin(row_chunk + 1);
  std::int64_t k = sum_plan.partial_sums_begin(row_chunk);
  for (; k + 4 <= end; k += 4) {
    for (int i = 0; i < 4; ++i) sums[i] += norm_sums[k + i];
  }
  for (; k < end; ++k) sums[0] += norm_sums[k];
  return std::isfinite(sums[0] + sums[1] + sums[2] + sums[3]);
}

// Into the sums that were chosen.
Evaluator::Result Evaluator::Impl::EvaluateDirectRows(const double* state,
                                                      Sums sums, double* cost,
                                                      BlockJacobian* jacobian) {
  const bool with_sums = sums != Sums::kNone;
  if (with_sums) {
    sum_plan.Clear(/*row_chunk=*/0, gradient_sums);
    sum_plan.Clear(/*row_chunk=*/0, norm_sums);
  }
  if (direct_rows->EvaluateRowBlocks(state, jacobian->values.data(), cost,
                                     with_sums ? gradient_sums : nullptr,
                                     with_sums ? norm_sums : nullptr)) {
    return {};
  }
  return {false, std::move(direct_rows->message())};
}

// Where gradient and column norms are summed up: in buffers, or where they are
// wanted if that is as good. Null: not wanted.
void Evaluator::Impl::ChooseSums(double* gradient,
                                 double* squared_column_norms) {
  const auto choose = [&](double* wanted, std::int64_t position) {
    if (wanted != nullptr && sum_plan.has_one_part()) return wanted;
    return partial_sums.data() + position;
  };
  gradient_sums = choose(gradient, 0);
  norm_sums = choose(squared_column_norms, SizeOfSums());
}

void Evaluator::Impl::ReduceSums(const double* sums, double* wanted) const {
  if (wanted == nullptr || wanted == sums) return;
  sum_plan.Reduce(options.execution, sums, wanted);
}

void Evaluator::Impl::AddToSums(const RowPlan::Run& run, int begin, int end,
                                const BlockJacobian& jacobian) const {
  if (run.shape != kernels::RowBlockShape::kOther) {
    kernels::AddRowBlockSums(
        run.shape, end - begin, jacobian.row_block(begin),
        sum_plan.destinations() + structure.first_cell[begin], gradient_sums,
        norm_sums);
    return;
  }
  for (int row = begin; row < end; ++row)
    AddToSums(row, jacobian.row_block(row));
}

inline void Evaluator::Impl::AddToSums(int row, const double* row_block) const {
  const int num_residuals = structure.row_size(row);
  const int* const offset = structure.column_offset.data();
  const int end = structure.first_cell[row + 1];
  for (int k = structure.first_cell[row]; k < end; ++k) {
    const std::int64_t destination = sum_plan.destination(k);
    const int* const column = offset + structure.cell_column[k];
    if (num_residuals == 1 && column[1] - column[0] == 1) {  // curve fits
      const double derivative = row_block[structure.cell_position[k]];
      gradient_sums[destination] += derivative * row_block[0];
      norm_sums[destination] += derivative * derivative;
      continue;
    }
    AddGradientAndNorms(num_residuals, column[1] - column[0], row_block,
                        row_block + structure.cell_position[k],
                        gradient_sums + destination, norm_sums + destination);
  }
}

Evaluator::Evaluator(const Program& program, const Options& options)
    : impl_(std::make_unique<Impl>(program, options)) {}
Evaluator::~Evaluator() = default;

const BlockJacobianStructure& Evaluator::structure() const {
  return impl_->structure;
}

const ColumnSumPlan& Evaluator::column_sum_plan() const {
  return impl_->sum_plan;
}

Evaluator::Result Evaluator::EvaluateCost(const double* state,
                                          bool new_evaluation_point,
                                          double* cost, double* residuals) {
  Impl& impl = *impl_;
  impl.PrepareForEvaluation(state, /*evaluate_jacobians=*/false,
                            new_evaluation_point);
  if (impl.direct_rows) {
    if (impl.direct_rows->EvaluateCost(state, residuals, cost)) return {};
    return {false, std::move(impl.direct_rows->message())};
  }
  return impl.EvaluateRowChunks(CostJob<Impl>{impl, state, residuals}, cost);
}

Evaluator::Result Evaluator::EvaluateJacobian(
    const double* state, bool new_evaluation_point, double* cost,
    BlockJacobian* jacobian, double* gradient, double* squared_column_norms) {
  Impl& impl = *impl_;
  CHECK(jacobian->structure == &impl.structure)
      << "The Jacobian does not have the evaluator's structure.";
  CHECK_EQ(static_cast<std::int64_t>(jacobian->values.size()),
           impl.structure.num_values());
  impl.PrepareForEvaluation(state, /*evaluate_jacobians=*/true,
                            new_evaluation_point);

  impl.plus_jacobians.Evaluate(impl.options.execution, state);
  // If one of the sums is wanted, both are formed: the row block is in the
  // cache.
  const Impl::Sums sums = gradient != nullptr || squared_column_norms != nullptr
                              ? Impl::Sums::kGradientAndNorms
                              : Impl::Sums::kNone;
  if (sums != Impl::Sums::kNone) {
    impl.ChooseSums(gradient, squared_column_norms);
  }
  if (impl.direct_rows) {
    return impl.EvaluateDirectRows(state, sums, cost, jacobian);
  }
  Result result = impl.EvaluateRowChunks(
      JacobianJob<Impl>{impl, state, sums != Impl::Sums::kNone, jacobian},
      cost);
  if (!result) return result;
  impl.ReduceSums(impl.gradient_sums, gradient);
  impl.ReduceSums(impl.norm_sums, squared_column_norms);
  return result;
}

}  // namespace ceres::internal
