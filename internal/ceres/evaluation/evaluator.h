// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_EVALUATION_EVALUATOR_H_
#define CERES_INTERNAL_EVALUATION_EVALUATOR_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ceres/evaluation/evaluation_tuning.h"
#include "ceres/evaluation/expensive_blocks.h"
#include "ceres/evaluation/first_failure.h"
#include "ceres/evaluation/plus_jacobians.h"
#include "ceres/evaluation/row_plan.h"
#include "ceres/evaluation/row_sums.h"
#include "ceres/evaluation_callback.h"
#include "ceres/execution/aligned_buffer.h"
#include "ceres/execution/execution.h"
#include "ceres/execution/solve_workspace.h"
#include "ceres/linear/block_jacobian.h"
#include "ceres/linear/column_sums.h"
#include "ceres/linear/row_source.h"
#include "ceres/problem/program.h"

namespace ceres::internal {

// Evaluates a Program at a state x: cost, residuals, Jacobian, gradient and
// column norms. Row block i of the program has the cost function f_i and the
// loss function rho_i (the identity if there is none).
//
// clang-format off
//
//   cost             F(x) = 1/2 sum_i rho_i(s_i)       s_i = |f_i(x)|^2
//   residuals        r_i  = sqrt(rho_i') / (1 - alpha_i) f_i
//   Jacobian         J_i  = sqrt(rho_i') (I - alpha_i / s_i f_i f_i') Df_i P
//   gradient         g    = J'r = sum_i J_i'r_i  (= the gradient of F)
//   column norms     n^2  = diag(J'J)
//
//   Df_i             the Jacobian that the cost function writes, in ambient
//                    coordinates
//   P                the PlusJacobians of the manifolds, block diagonal
//   rho_i', alpha_i  rho_i'(s_i), and the root of the correction
//                    (loss_correction.h: Triggs et al. 2000, section 4.3)
//
// The row block of a row with m residuals, whose parameter blocks have the
// tangent sizes n_1 and n_2, is one piece of memory (block_jacobian.h):
//
//   | r_i (m) | J_i, column block 1 (m x n_1) | J_i, column block 2 (m x n_2) |
//
// Each row chunk is evaluated by one thread: row by row, and while a row block
// is in the first-level cache its contributions are added to the sums of the
// row chunk. An evaluation strategy evaluates the rows:
//
//   strategy         rows                             what it costs
//   ---------------  -------------------------------  -------------------------
//   GeneralRows      costs without Jacobian; rows     nothing is shared by rows
//                    that no other strategy takes
//   UniformBatch     Jacobians of >= kMinUniformRows  200 instructions a row less
//                    rows that are alike              than GeneralRows
//                    all rows of a program with one   100 instructions a row less
//                    row chunk, without loss,         than GeneralRows; memory
//                    manifold and merged blocks       for prepared calls
//   BatchedRows      rows of residual batches         one call for a group of
//                                                     rows
//   ExpensiveBlocks  the last rows of a row chunk     two readings of the clock
//                    whose cost functions take long,  for each row; sums read
//                    if there are several threads     row blocks a second time
//
//   (docs/notes/2026-11-evaluation-strategies.md holds the measurements.)
//
// clang-format on
//
// Row blocks are kept as the storage says. FLOAT and RECOMPUTE evaluate into a
// buffer of the thread, for as many rows as are added to the sums at once. The
// Jacobian then has a RowSource: FloatRows, or one that evaluates the rows
// again at the state of the last EvaluateJacobian.
//
// The bits of every output are the same for all strategies and numbers of
// threads.
//
// Not thread-safe: one evaluation at a time. When an evaluation fails, its
// outputs are unspecified, except that cost is not written.
class Evaluator {
 public:
  struct Options {
    Execution execution;
    EvaluationCallback* evaluation_callback = nullptr;
    bool apply_loss_function = true;
    // The column blocks of the program [merged_columns[j], merged_columns[j +
    // 1]) become column block j of the Jacobian (see merged_columns.h). Empty:
    // none is merged.
    std::vector<int> merged_columns;
    // Holds the partial sums (region kColumnSums). Null: they are in memory
    // that the evaluator allocates.
    SolveWorkspace* workspace = nullptr;
  };
  // message: empty if the evaluation succeeded. Otherwise which residual block
  // failed (index in the problem, sizes, values of its parameters) and how: its
  // cost function returned false, wrote NaN or infinity, or left entries
  // unwritten. If several fail: the first in row order, for every number of
  // threads.
  struct [[nodiscard]] Result {
    bool ok = true;
    std::string message;
    explicit operator bool() const { return ok; }
  };

  // `program` must outlive the evaluator.
  Evaluator(const Program& program, const Options& options);
  Evaluator(const Evaluator&) = delete;
  Evaluator& operator=(const Evaluator&) = delete;

  // How the Jacobian is kept: not AUTO. Before the first evaluation. A Jacobian
  // of one row chunk is kept as DOUBLE.
  void SetStorage(JacobianStorage storage);
  JacobianStorage storage() const { return storage_; }
  // Gives a Jacobian its structure, and its memory or a source. The source
  // refers to this evaluator.
  void Allocate(BlockJacobian* jacobian);

  const BlockJacobianStructure& structure() const { return structure_; }
  const ColumnSumPlan& column_sum_plan() const { return sum_plan_; }

  // The cost, and the residuals of all rows, in row order. residuals: null if
  // they are not wanted. Throws what user code throws, once all threads have
  // stopped; and Stopped, if execution.stop says so.
  Result EvaluateCost(const double* state, bool new_evaluation_point,
                      double* cost, double* residuals);

  // The cost, the row blocks, and if not null gradient = J'r and
  // squared_column_norms = diag(J'J), num_delta() doubles each, in one pass.
  // RECOMPUTE: the state must not change before the Jacobian is read for the
  // last time.
  Result EvaluateJacobian(const double* state, bool new_evaluation_point,
                          double* cost, BlockJacobian* jacobian,
                          double* gradient, double* squared_column_norms);

 private:
  class RecomputedRows;

  // Inline functions without a body here have one in evaluator.cc, where they
  // are called.
  void TakeGroupsOut();
  Result Evaluate(const Evaluation& evaluation, bool new_evaluation_point,
                  double* cost);
  inline void UpdateState(const Evaluation& evaluation,
                          bool new_evaluation_point);
  // Costs without Jacobian are evaluated by UniformBatch if calls are prepared.
  EvaluationStrategy* StrategyOf(const RowPlan::Range& range,
                                 const Evaluation& evaluation) const {
    const bool is_uniform = evaluation.jacobian != nullptr
                                ? range.kind != RowPlan::Range::Kind::kGeneral
                                : range.kind == RowPlan::Range::Kind::kPrepared;
    return is_uniform ? uniform_batch_.get() : general_rows_.get();
  }
  // Evaluates the rows [begin, end) again, at the state of the Jacobian, and
  // writes their row blocks one behind the other. Threads write to buffers of
  // their own: row_blocks, and what the strategies keep by thread id. All else
  // that is read was written by EvaluateJacobian, before the loop whose threads
  // call this; failures are reported under a lock.
  void EvaluateAgain(int thread_id, int begin, int end, double* row_blocks);
  // The buffer of a thread for the row blocks of a batch.
  double* BatchBuffer(int thread_id) {
    AlignedBuffer& buffer = batch_buffers_[thread_id];
    buffer.Resize(kMaxBatchRows * max_row_block_size_);
    return buffer.data();
  }
  inline void BeginRowChunk(const Evaluation& evaluation, int row_chunk) const;
  inline bool EvaluateRowChunk(const Evaluation& evaluation, int row_chunk,
                               const Worker& worker,
                               ExpensiveBlocks::RowChunkWatch* watch,
                               double* cost);
  void EvaluateDeferredRows(const Evaluation& evaluation,
                            FirstFailure* failure);
  bool AddDeferredRows(const Evaluation& evaluation,
                       const ExpensiveBlocks::DeferredRows& rows,
                       const Worker& worker, FirstFailure* row_failure,
                       double* cost);
  // Whether the cells of a row chunk, all rows of which are evaluated, are
  // finite and were written.
  bool CellsAreValid(const Evaluation& evaluation, int row_chunk,
                     const Worker& worker) {
    return evaluation.jacobian == nullptr ||
           (sums_.gradient != nullptr &&
            NormsAreFinite(sum_plan_, row_chunk, sums_)) ||
           RowBlocksAreValid(
               evaluation, structure_.row_chunk_first_row[row_chunk],
               structure_.row_chunk_first_row[row_chunk + 1], worker);
  }
  bool RowBlocksAreValid(const Evaluation& evaluation, int begin, int end,
                         const Worker& worker);
  void FindEarlierFailure(const Evaluation& evaluation, int row_chunk,
                          int failed_row, const Worker& worker);
  // The size of the partial sums of one output, in whole cache lines.
  std::int64_t SizeOfSums() const {
    constexpr std::int64_t kLine = 8;
    return (sum_plan_.buffer_size() + kLine - 1) / kLine * kLine;
  }
  inline void ChooseSums(double* gradient, double* squared_column_norms);
  inline void ReduceSums(const double* sums, double* wanted) const;

  const Program& program_;
  const Options options_;
  const std::vector<int> merged_column_;
  const BlockJacobianStructure structure_;
  const RowPlan row_plan_;
  const ColumnSumPlan sum_plan_;
  PlusJacobians plus_jacobians_;

  // The strategies. Null: not needed. They are not members by value: allocators
  // merge their small free blocks for an evaluator of that size.
  std::unique_ptr<EvaluationStrategy> general_rows_;
  std::unique_ptr<EvaluationStrategy> uniform_batch_;
  std::unique_ptr<ExpensiveBlocks> expensive_blocks_;

  RowEvaluators row_evaluators_;
  std::vector<double> cost_of_row_chunk_;
  // Partial sums of the gradient, followed by those of the column norms.
  WorkspaceArray partial_sums_;
  RowSums sums_;  // null: not wanted

  JacobianStorage storage_ = JacobianStorage::DOUBLE;
  // The source of the Jacobian that is evaluated, and the state of the last
  // one.
  RowSource* source_ = nullptr;
  const double* jacobian_state_ = nullptr;
  std::int64_t max_row_block_size_ = 0;       // if there is a source
  std::vector<AlignedBuffer> batch_buffers_;  // by thread
  std::optional<FirstFailure>
      failure_again_;  // since the Jacobian's evaluation
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_EVALUATION_EVALUATOR_H_
