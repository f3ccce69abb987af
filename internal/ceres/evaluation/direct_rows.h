// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_EVALUATION_DIRECT_ROWS_H_
#define CERES_INTERNAL_EVALUATION_DIRECT_ROWS_H_

#include <optional>
#include <string>
#include <vector>

#include "ceres/evaluation/expensive_blocks.h"
#include "ceres/evaluation/plus_jacobians.h"
#include "ceres/evaluation/row_evaluator.h"
#include "ceres/execution/stop_signal.h"

namespace ceres::internal {

// Evaluates all rows of a small problem in a row, where each cost function
// writes straight into its row block and nothing is left to be done to it: no
// loss function, no manifold, no shared cells. Curve fits are such problems,
// and their cost functions take no longer than preparing a call of them would.
// So all that a call needs lies ready, and what was written is judged by the
// sums over all rows; only if those are not finite are the rows looked at, one
// by one. (Rows behind one that fails may have been evaluated.)
//
// The outputs are those of RowEvaluator and AddGradientAndNorms, bit by bit.
// For one thread at a time. (Where the clock finds that cost functions take
// long, they are called by several threads before the sums.)
class DirectRows {
 public:
  // Whether all rows of the plan are such rows, and few: of one row chunk.
  static bool Suit(const RowPlan& plan) { return plan.is_direct; }

  // plan: one that suits; it must outlive this, and so must plus_jacobians, of
  // which there are none then. stop: null, or looked at between rows.
  // expensive_blocks: null, or what outlives this and shares rows that take
  // long.
  DirectRows(const RowPlan& plan, const PlusJacobians& plus_jacobians,
             const StopSignal* stop,
             ExpensiveBlocks* expensive_blocks = nullptr);

  // The cost of all rows at a state, and where not null their residuals. False
  // on failure; see message.
  bool EvaluateCost(const double* state, double* residuals, double* cost);

  // The same, and all row blocks. Where not null, to gradient is added J'r and
  // to squared_column_norms diag(J'J); both are null or neither.
  bool EvaluateRowBlocks(const double* state, double* row_blocks, double* cost,
                         double* gradient, double* squared_column_norms);

  // Why the last evaluation failed, for the user.
  std::string& message() { return judge_->message(); }

 private:
  // All that one row needs, in the order of its use.
  struct Row {
    const CostFunction* cost_function;
    const double* const* parameters;
    double** jacobians;
    int num_residuals;
    int row_block_size;
  };

  // The calls of all cost functions, in the order of the rows or, where they
  // take long, in any.
  bool CallForCost(double* residuals);
  bool CallForRowBlocks(double* row_blocks);
  bool CallExpensive(double* residuals, double* row_blocks);
  void PointJacobiansInto(double* row_blocks);
  double CostOf(const double* residuals) const;
  double CostOfRowBlocks(const double* row_blocks) const;
  void AddToSums(const double* row_blocks, double* gradient,
                 double* squared_column_norms) const;
  bool JacobianSumsAreFinite(const double* row_blocks,
                             const double* squared_column_norms) const;
  bool CheckRows(int num_rows, double* residuals, double* row_blocks);
  bool Fail(const Row* row, double* residuals, double* row_blocks);
  bool Explain(int row, RowEvaluator::Outputs outputs, double* residuals,
               double* row_blocks);

  const RowPlan& plan_;
  const PlusJacobians& plus_jacobians_;
  const StopSignal* const stop_;
  ExpensiveBlocks* const expensive_blocks_;
  // Whether each row is one residual, and each column block one column; and
  // whether each row has all columns, in their order.
  bool has_scalars_only_ = true;
  bool has_full_rows_ = true;

  std::vector<Row> rows_;
  // The state, at an address that does not change, and where each argument of
  // the program is found in it.
  std::vector<double> state_;
  std::vector<const double*> parameters_;
  // Where each argument's Jacobian goes in `row_blocks_`.
  std::vector<double*> jacobians_;
  const double* row_blocks_ = nullptr;
  std::vector<double> residuals_;      // where they are not wanted
  std::optional<RowEvaluator> judge_;  // since something failed
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_EVALUATION_DIRECT_ROWS_H_
