// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/evaluation/evaluator.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "ceres/evaluation/first_failure.h"
#include "ceres/evaluation/row_evaluator.h"
#include "ceres/evaluation/row_kernels.h"
#include "ceres/parallel/loops.h"
#include "ceres/parallel/stop_signal.h"
#include "glog/logging.h"

namespace ceres::internal {
namespace {

// How many row blocks ahead the user's cost function is fetched into the cache.
// Rows of Schur problems are not in the order of allocation.
constexpr int kPrefetchDistance = 12;

inline void PrefetchCostFunction(const Program& program, int row) {
  if (row >= program.num_row_blocks()) return;
  constexpr int kCacheLine = 64;
  const char* object =
      reinterpret_cast<const char*>(program.cost_functions[row]);
  __builtin_prefetch(object);
  __builtin_prefetch(object + kCacheLine);
}

// The Jacobian's column block of each of the program's.
std::vector<int> NumberJointColumns(const Program& program,
                                    const std::vector<int>& joint_columns) {
  std::vector<int> joint_column(program.num_column_blocks());
  if (joint_columns.empty()) {
    std::iota(joint_column.begin(), joint_column.end(), 0);
    return joint_column;
  }
  CHECK_EQ(joint_columns.back(), program.num_column_blocks());
  for (size_t run = 0; run + 1 < joint_columns.size(); ++run) {
    std::fill(joint_column.begin() + joint_columns[run],
              joint_column.begin() + joint_columns[run + 1],
              static_cast<int>(run));
  }
  return joint_column;
}

BlockJacobianStructure MakeStructure(const Program& program,
                                     const std::vector<int>& joint_column) {
  BlockJacobianStructure structure;
  structure.column_offset.clear();
  for (int column = 0; column < program.num_column_blocks(); ++column) {
    if (column == 0 || joint_column[column] != joint_column[column - 1]) {
      structure.column_offset.push_back(program.delta_offset[column]);
    }
  }
  structure.column_offset.push_back(program.num_delta());
  structure.num_eliminated = program.num_eliminated;
  structure.eliminated_first_row = program.eliminated_first_row;

  std::vector<int> columns;
  for (int row = 0; row < program.num_row_blocks(); ++row) {
    columns.clear();
    for (int k = program.first_argument[row];
         k < program.first_argument[row + 1]; ++k) {
      if (program.arguments[k].column_block < 0) continue;
      const int column = joint_column[program.arguments[k].column_block];
      // Of a joint column all parts are here, and one cell holds them.
      if (std::find(columns.begin(), columns.end(), column) != columns.end()) {
        continue;
      }
      columns.push_back(column);
      // The eliminated block's cell comes first.
      if (column < program.num_eliminated) {
        std::rotate(columns.begin(), columns.end() - 1, columns.end());
      }
    }
    AppendRowBlock(program.row_offset[row + 1] - program.row_offset[row],
                   columns, &structure);
  }
  CutIntoSlabs(&structure);
  return structure;
}

}  // namespace

struct Evaluator::Impl {
  Impl(const Program& program, const Options& options)
      : program(program),
        options(options),
        joint_column(NumberJointColumns(program, options.joint_columns)),
        structure(MakeStructure(program, joint_column)),
        row_plan(program, structure, joint_column, options.apply_loss_function),
        sum_plan(structure),
        row_evaluators(std::max(1, options.execution.num_threads)),
        cost_of_slab(structure.num_slabs()) {}

  void PrepareForEvaluation(const double* state, bool evaluate_jacobians,
                            bool new_evaluation_point) const;
  template <typename Begin, typename F>
  Result EvaluateSlabs(Begin&& begin_slab, F&& evaluate_row, double* cost);
  template <typename F>
  bool EvaluateSlab(int slab, RowEvaluator* evaluator, F&& evaluate_row);
  void ChooseSums(double* gradient, double* squared_column_norms);
  void AddToSums(int row, const double* record) const;
  void ReduceSums(const double* sums, double* wanted) const;

  const Program& program;
  const Options options;
  const std::vector<int> joint_column;
  const BlockJacobianStructure structure;
  const RowPlan row_plan;
  const ColumnSumPlan sum_plan;

  std::vector<std::unique_ptr<RowEvaluator>> row_evaluators;  // by thread
  std::vector<double> cost_of_slab;
  AlignedBuffer gradient_buffer;
  AlignedBuffer norm_buffer;
  double* gradient_sums = nullptr;
  double* norm_sums = nullptr;
};

void Evaluator::Impl::PrepareForEvaluation(const double* state,
                                           bool evaluate_jacobians,
                                           bool new_evaluation_point) const {
  if (options.evaluation_callback == nullptr) return;
  program.SetUserState(state);
  options.evaluation_callback->PrepareForEvaluation(evaluate_jacobians,
                                                    new_evaluation_point);
}

// evaluate_row: (row evaluator, row, cost of the row) -> success.
template <typename F>
bool Evaluator::Impl::EvaluateSlab(int slab, RowEvaluator* evaluator,
                                   F&& evaluate_row) {
  double slab_cost = 0.0;
  StopPoller poller(options.execution.stop);
  const int end = structure.slab_first_row[slab + 1];
  for (int row = structure.slab_first_row[slab]; row < end; ++row) {
    poller.Poll();
    PrefetchCostFunction(program, row + kPrefetchDistance);
    double row_cost = 0.0;
    if (!evaluate_row(evaluator, row, &row_cost)) return false;
    slab_cost += row_cost;
  }
  cost_of_slab[slab] = slab_cost;
  return true;
}

// All slabs in parallel, each in the order of its rows; their costs are added
// in slab order. begin_slab: (slab).
template <typename Begin, typename F>
Evaluator::Result Evaluator::Impl::EvaluateSlabs(Begin&& begin_slab,
                                                 F&& evaluate_row,
                                                 double* cost) {
  FirstFailure failure;
  ParallelFor(options.execution, 0, structure.num_slabs(),
              [&](int thread_id, int slab) {
                if (failure.MaySkip(slab)) return;
                std::unique_ptr<RowEvaluator>& mine = row_evaluators[thread_id];
                if (mine == nullptr) {
                  mine = std::make_unique<RowEvaluator>(row_plan);
                }
                begin_slab(slab);
                if (!EvaluateSlab(slab, mine.get(), evaluate_row)) {
                  failure.Report(slab, std::move(mine->message()));
                }
              });
  if (failure.any()) return {false, std::move(failure.message())};
  *cost = 0.0;
  for (const double slab_cost : cost_of_slab) *cost += slab_cost;
  return {};
}

// Where gradient and column norms are summed up: in buffers, or where they are
// wanted if that is as good. Null: not wanted.
void Evaluator::Impl::ChooseSums(double* gradient,
                                 double* squared_column_norms) {
  const auto choose = [this](double* wanted, AlignedBuffer* buffer) {
    if (wanted != nullptr && sum_plan.has_single_copy()) return wanted;
    buffer->Resize(sum_plan.buffer_size());
    return buffer->data();
  };
  gradient_sums = choose(gradient, &gradient_buffer);
  norm_sums = choose(squared_column_norms, &norm_buffer);
}

void Evaluator::Impl::ReduceSums(const double* sums, double* wanted) const {
  if (wanted == nullptr || wanted == sums) return;
  sum_plan.Reduce(options.execution, sums, wanted);
}

inline void Evaluator::Impl::AddToSums(int row, const double* record) const {
  const int num_residuals = structure.row_size(row);
  const int* const offset = structure.column_offset.data();
  const int end = structure.first_cell[row + 1];
  for (int k = structure.first_cell[row]; k < end; ++k) {
    const std::int64_t destination = sum_plan.destination(k);
    const int* const column = offset + structure.cell_column[k];
    if (num_residuals == 1 && column[1] - column[0] == 1) {  // curve fits
      const double derivative = record[structure.cell_position[k]];
      gradient_sums[destination] += derivative * record[0];
      norm_sums[destination] += derivative * derivative;
      continue;
    }
    AddGradientAndNorms(num_residuals, column[1] - column[0], record,
                        record + structure.cell_position[k],
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
  return impl.EvaluateSlabs(
      [](int) {},
      [&](RowEvaluator* evaluator, int row, double* row_cost) {
        double* row_residuals =
            residuals == nullptr ? nullptr
                                 : residuals + impl.structure.row_offset[row];
        return evaluator->EvaluateCost(state, row, row_residuals, row_cost);
      },
      cost);
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

  // If one of the sums is wanted, both are formed: the record is in the cache.
  const bool with_sums = gradient != nullptr || squared_column_norms != nullptr;
  if (with_sums) impl.ChooseSums(gradient, squared_column_norms);
  Result result = impl.EvaluateSlabs(
      [&](int slab) {
        if (!with_sums) return;
        impl.sum_plan.Clear(slab, impl.gradient_sums);
        impl.sum_plan.Clear(slab, impl.norm_sums);
      },
      [&](RowEvaluator* evaluator, int row, double* row_cost) {
        double* record = jacobian->record(row);
        if (!evaluator->EvaluateRecord(state, row, record, row_cost)) {
          return false;
        }
        if (with_sums) impl.AddToSums(row, record);
        return true;
      },
      cost);
  if (!result) return result;
  impl.ReduceSums(impl.gradient_sums, gradient);
  impl.ReduceSums(impl.norm_sums, squared_column_norms);
  return result;
}

}  // namespace ceres::internal
