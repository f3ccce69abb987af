// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_EVALUATION_ROW_EVALUATOR_H_
#define CERES_INTERNAL_EVALUATION_ROW_EVALUATOR_H_

#include <cstdint>
#include <string>
#include <vector>

#include "ceres/evaluation/cost_function_call.h"
#include "ceres/evaluation/loss_correction.h"
#include "ceres/evaluation/plus_jacobians.h"
#include "ceres/evaluation/row_plan.h"
#include "ceres/execution/aligned_buffer.h"
#include "ceres/linear/block_jacobian.h"
#include "ceres/problem/program.h"

namespace ceres::internal {

// Evaluates single rows, and holds the buffers and the steps of which all
// strategies are made:
//
//   GatherParameters      where the arguments of the cost function are
//   (the cost function)   writes residuals and Jacobians; it writes straight
//                         into the row block, unless GatherJacobians says
//                         otherwise
//   ToTangentCoordinates  J = J_ambient PlusJacobian, for manifolds
//   FinishRowBlock        cost, checks, loss function
//
// For one thread at a time. Functions that return false have failed: message()
// says why.
class RowEvaluator {
 public:
  // Both must outlive the evaluator. plus_jacobians: those of the state that
  // EvaluateRowBlock is given.
  RowEvaluator(const RowPlan& plan, const PlusJacobians& plus_jacobians);

  // Cost and residuals of one row, after the loss function. residuals: null if
  // they are not wanted.
  bool EvaluateCost(const double* state, int row, double* residuals,
                    double* cost);
  // The cost and the row block of one row.
  enum class CheckCells { kNow, kLater };  // kLater: see IsValid
  bool EvaluateRowBlock(const double* state, int row, CheckCells check,
                        double* row_block, double* cost);
  // Whether all cells of an evaluated row block were written and are finite.
  // May evaluate the row again. Need not be called if the squares of all cells
  // have been added to column norms that are finite.
  bool IsValid(const double* state, int row, double* row_block);

  // Why the last evaluation failed, for the user, and in which row.
  std::string& message() { return message_; }
  int failed_row() const { return failed_row_; }

 private:
  friend class BatchedRows;
  friend class UniformBatch;

  // A row whose cost function is being called.
  struct Call {
    int row;
    const double* residuals;
    bool with_jacobians;
  };

  void GatherParameters(const double* state, int row);
  void GatherParameters(const double* state, const int* arguments,
                        int num_arguments);
  std::int64_t GatherJacobians(int row, double* row_block,
                               bool* has_direct_cells);
  bool ToTangentCoordinates(const Call& call, double* row_block);
  bool FillManifoldCell(const Call& call, int k, const double* plus,
                        double* row_block);
  void ClearPinnedCoordinates(int num_residuals, int k, int column);
  bool FinishCost(const Call& call, double squared_norm, double* residuals,
                  double* cost);
  bool FinishRowBlock(const Call& call, CheckCells check, double* row_block,
                      double* cost);
  void CorrectRowBlock(const LossCorrection& correction, int row,
                       double* row_block);
  bool EvaluateLoss(const Call& call, double squared_norm, double rho[3]);
  bool CellsAreValid(const Call& call, double* row_block);
  bool OutputsAreValid(const Call& call, const double* row_block);
  bool CheckOutputs(const double* state, int row, double* outputs,
                    bool with_jacobian, bool refused);
  CostFunctionCall Describe(const Call& call) const;
  bool FailRefused(const Call& call);
  bool Fail(const Call& call, const std::string& what);

  const RowPlan& plan_;
  const PlusJacobians& plus_jacobians_;
  std::vector<const double*> parameters_;
  std::vector<double*> jacobians_;
  AlignedBuffer unwanted_residuals_;
  AlignedBuffer ambient_;  // Jacobians in ambient coordinates of one row
  AlignedBuffer tangent_;  // one Jacobian in tangent coordinates
  std::string message_;
  int failed_row_ = -1;
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_EVALUATION_ROW_EVALUATOR_H_
