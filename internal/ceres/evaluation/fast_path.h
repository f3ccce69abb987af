// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_EVALUATION_FAST_PATH_H_
#define CERES_INTERNAL_EVALUATION_FAST_PATH_H_

#include <vector>

#include "ceres/evaluation/evaluation_strategy.h"

namespace ceres::internal {

// The uniform strategy of small problems: all rows in one batch. Each cost
// function writes its row block, and nothing is left to be done to it: no loss
// function, no manifold, no merged parameter blocks. Curve fits are such
// problems; their cost functions take no longer than the preparation of a call.
//
// So all calls are prepared once. The state is copied to an address that never
// changes, and the arguments of each call point into the copy. Outputs are
// checked by sums over all rows; single rows are checked only if a sum is not
// finite.
class FastPath final : public EvaluationStrategy {
 public:
  // plan: one that suits the fast path. Must outlive the strategy.
  explicit FastPath(const RowPlan& plan);

  void Begin(const Evaluation& evaluation) override;
  Outcome Evaluate(const Evaluation& evaluation, const RowBatch& batch,
                   const Worker& worker, double* cost) override;

 private:
  // What a call needs, in the order of its use.
  struct Row {
    const CostFunction* cost_function;
    const double* const* parameters;
    double** jacobians;
    int num_residuals;
    int row_block_size;
  };

  const Row* CallCostFunctions(const Evaluation& evaluation,
                               const RowBatch& batch, StopPoller* poller);
  template <int Row::*kStride>
  double AddCosts(const RowBatch& batch, const double* outputs,
                  double sum) const;
  void PlaceJacobians(double* row_blocks);
  double* Outputs(const Evaluation& evaluation, int row);
  bool ResidualsAreValid(const Evaluation& evaluation, int begin, int end,
                         const Worker& worker);

  const RowPlan& plan_;
  std::vector<Row> rows_;
  std::vector<double> state_;
  std::vector<const double*> parameters_;  // by argument, into state_
  std::vector<double*> jacobians_;         // by argument, into row_blocks_
  const double* row_blocks_ = nullptr;
  std::vector<double> residuals_;  // where the caller wants none
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_EVALUATION_FAST_PATH_H_
