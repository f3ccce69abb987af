// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_EVALUATION_EVALUATOR_H_
#define CERES_INTERNAL_EVALUATION_EVALUATOR_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "ceres/evaluation_callback.h"
#include "ceres/execution/execution.h"
#include "ceres/execution/solve_workspace.h"
#include "ceres/linear/block_jacobian.h"
#include "ceres/linear/column_sums.h"
#include "ceres/problem/program.h"

namespace ceres::internal {

// Evaluates a Program: cost, residuals, Jacobian row blocks, gradient and
// column norms, in as few passes over memory as can be. The bits of every
// output are the same for every number of threads.
//
// Each row block is evaluated into its row block and finished while that is in
// the first-level cache (see row_evaluator.h); row chunks of rows run in
// parallel, and where cost functions take long, single rows (see
// expensive_blocks.h).
//
// Not thread-safe: one evaluation at a time. When an evaluation fails, its
// outputs are unspecified, except that cost is untouched.
class Evaluator {
 public:
  struct Options {
    Execution execution;
    EvaluationCallback* evaluation_callback = nullptr;
    bool apply_loss_function = true;
    // Runs of the program's column blocks that become one column block of the
    // Jacobian each (see merged_columns.h), + 1. Empty: none is joined.
    std::vector<int> merged_columns;
    // Partial sums lie in kColumnSums. Null: in memory of the evaluator.
    SolveWorkspace* workspace = nullptr;
  };
  // `message` is empty when the evaluation succeeded. Otherwise it says which
  // residual block (index in the problem, cost function's sizes, values of its
  // parameters) failed and how: returned false, wrote NaN or infinity, left
  // entries unwritten. Of several that fail, the first in row order, for every
  // number of threads.
  struct [[nodiscard]] Result {
    bool ok = true;
    std::string message;
    explicit operator bool() const { return ok; }
  };

  // `program` must outlive the evaluator.
  Evaluator(const Program& program, const Options& options);
  ~Evaluator();

  const BlockJacobianStructure& structure() const;
  const ColumnSumPlan& column_sum_plan() const;

  // Cost at x; with `residuals` not null also the residuals after the loss
  // function, in row order. An exception thrown by user code propagates to the
  // caller once all threads are quiet; so does Stopped, if execution.stop says
  // so.
  Result EvaluateCost(const double* state, bool new_evaluation_point,
                      double* cost, double* residuals);

  // Everything a minimizer asks for at a point, in one pass: cost, row blocks
  // (r and J), and where not null gradient = J'r and squared_column_norms =
  // diag(J'J), num_delta() each.
  Result EvaluateJacobian(const double* state, bool new_evaluation_point,
                          double* cost, BlockJacobian* jacobian,
                          double* gradient, double* squared_column_norms);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_EVALUATION_EVALUATOR_H_
