// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_EVALUATION_ROW_EVALUATOR_H_
#define CERES_INTERNAL_EVALUATION_ROW_EVALUATOR_H_

#include <cstdint>
#include <string>
#include <vector>

#include "ceres/linear/aligned_buffer.h"
#include "ceres/linear/block_jacobian.h"
#include "ceres/problem/program.h"

namespace ceres::internal {

// What all evaluations of a program's rows have in common. Immutable.
struct RowPlan {
  // Both must outlive the plan.
  RowPlan(const Program& program, const BlockJacobianStructure& structure,
          bool apply_loss_function);

  const LossFunction* loss(int row) const {
    return apply_loss_function ? program.loss_functions[row] : nullptr;
  }

  const Program& program;
  const BlockJacobianStructure& structure;
  const bool apply_loss_function;
  // By argument of the program: where its cell is in the record, or kNoCell.
  static constexpr int kNoCell = -1;
  std::vector<int> cell_position;
  // Whether any cell belongs to a manifold, and the most doubles that the
  // Jacobians of one row's manifold arguments have in ambient coordinates.
  bool has_manifolds = false;
  std::int64_t max_ambient_size = 0;
};

// Evaluates single row blocks of a program: calls the cost function, checks
// what it wrote, goes to tangent coordinates and applies the loss function, all
// in the record itself where no manifold is in the way. For one thread at a
// time.
class RowEvaluator {
 public:
  explicit RowEvaluator(const RowPlan& plan);

  // Cost and residuals, after the loss function, of one row at a state. A null
  // `residuals` means that they are not wanted. False on failure; see message.
  bool EvaluateCost(const double* state, int row, double* residuals,
                    double* cost);

  // The same, and the whole record of the row: residuals and Jacobian.
  bool EvaluateRecord(const double* state, int row, double* record,
                      double* cost);

  // Why the last evaluation failed, for the user.
  std::string& message() { return message_; }

 private:
  // One row whose cost function is being called.
  struct Call {
    int row;
    const double* residuals;
    bool with_jacobians;
  };

  void GatherParameters(const double* state, int row);
  std::int64_t GatherJacobians(int row, double* record);
  bool ToTangentCoordinates(int row, std::int64_t ambient_size, double* record);
  bool EvaluateLoss(const Call& call, double squared_norm, double rho[3]);
  bool OutputsAreValid(const Call& call, const double* record);
  bool Fail(const Call& call, const std::string& what);

  const RowPlan& plan_;
  std::vector<const double*> parameters_;
  std::vector<double*> jacobians_;
  AlignedBuffer unwanted_residuals_;
  // Jacobians in ambient coordinates of the arguments that have a manifold.
  AlignedBuffer ambient_;
  std::string message_;
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_EVALUATION_ROW_EVALUATOR_H_
