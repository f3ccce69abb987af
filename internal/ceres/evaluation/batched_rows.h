// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_EVALUATION_BATCHED_ROWS_H_
#define CERES_INTERNAL_EVALUATION_BATCHED_ROWS_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "ceres/evaluation/evaluation_strategy.h"
#include "ceres/execution/aligned_buffer.h"
#include "ceres/problem/added_batch.h"

namespace ceres::internal {

// The strategy of programs that have rows of residual batches. Consecutive rows
// of one batch are a group: one call of ResidualBatch::Evaluate evaluates all
// of them. Other rows are evaluated by the strategy that programs without
// batches have for them (`others`).
//
//   rows        a0 a1 a2 | x y | a7 b3 | ...       a, b: batches; x, y: others
//   calls       a: 3     | x,y | a: 1, b: 1
//
// The call writes into the row blocks if the cost function writes all cells and
// the cells of the group have the same positions. Else it writes into a buffer:
//
//   | residuals | Jacobian of argument 0 | Jacobian of argument 1 | next row
//   ...
//
// A row that is off is no part of a group. If a call fails, the rows of the
// group are evaluated one by one, so that the first row that fails is named.
//
// Threads share nothing that is written: buffers belong to a thread id, and
// groups write to row blocks or residuals of their own rows. Weights and
// switched rows cannot change during a solve (Problem checks it).
class BatchedRows final : public EvaluationStrategy {
 public:
  // `plan` must outlive the strategy.
  BatchedRows(const RowPlan& plan, int num_threads,
              std::unique_ptr<EvaluationStrategy> others);

  int batch_rows() const override { return kGroupRows; }
  void Begin(const Evaluation& evaluation) override;
  Outcome Evaluate(const Evaluation& evaluation, const RowBatch& batch,
                   const Worker& worker, double* cost) override;

 private:
  // The memory of one thread, for one group.
  struct Buffers {
    const AddedBatch* last_batch = nullptr;  // see BatchOf
    std::vector<std::int64_t> numbers;       // of the rows in their batch
    std::vector<const double*> parameters;   // by row and argument
    std::vector<double*> jacobians;          // by argument, of the first row
    std::vector<double*> of_row;             // of another row
    AlignedBuffer outputs;

    // Memory for the outputs of a group whose rows take row_size doubles.
    double* Outputs(std::int64_t row_size);
  };
  // Rows [begin, end) of one residual batch.
  struct Group {
    const AddedBatch& batch;
    int begin;
    int end;
    int size() const { return end - begin; }
    int num_arguments() const {
      return static_cast<int>(batch.parameter_blocks.size());
    }
    int num_residuals() const { return batch.num_residuals; }
  };

  // What became of a group.
  enum class Result { kDone, kFailed, kRefused };  // by the batch
  // A group that is being evaluated.
  struct Task {
    const Evaluation& evaluation;
    const RowBatch& rows;
    Group group;
    const Worker& worker;
    Buffers* buffers;
  };

  Buffers* BuffersOf(int thread_id);
  static const AddedBatch* BatchOf(const CostFunction* function,
                                   Buffers* buffers);
  int EndOfOthers(int begin, int end) const;
  bool IsDirect(const RowPlan::Range& range) const;
  void FindGroup(const AddedBatch& batch, Task* task) const;
  void GatherParameters(Task* task) const;
  bool HasPlacesOfFirst(int row, const Task& task) const;
  bool HasPlaces(int row, bool is_first, const Task& task) const;
  bool Call(const Task& task, double* outputs, double* const* jacobians,
            std::int64_t stride) const;
  void SetParameters(const Task& task, int row) const;
  Result EvaluateCosts(const Task& task, double* cost) const;
  Result EvaluateDirect(const Task& task, double* cost) const;
  Result EvaluateBuffered(const Task& task, double* cost) const;
  std::int64_t PlaceInBuffer(const Task& task) const;
  void CopyOutputs(const Task& task, int row, double* outputs,
                   double* row_block) const;

  const RowPlan& plan_;
  const std::unique_ptr<EvaluationStrategy> others_;
  std::vector<std::unique_ptr<Buffers>> buffers_;  // by thread
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_EVALUATION_BATCHED_ROWS_H_
