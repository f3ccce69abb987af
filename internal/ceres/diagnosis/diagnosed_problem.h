// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_DIAGNOSIS_DIAGNOSED_PROBLEM_H_
#define CERES_INTERNAL_DIAGNOSIS_DIAGNOSED_PROBLEM_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ceres/diagnosis/gauge.h"
#include "ceres/evaluation/active_constraints.h"
#include "ceres/evaluation/evaluator.h"
#include "ceres/execution/execution.h"
#include "ceres/linear/block_jacobian.h"
#include "ceres/problem/problem_impl.h"
#include "ceres/problem/program.h"

namespace ceres::internal {

// A tangent coordinate of a parameter block.
struct DiagnosedCoordinate {
  ParameterBlock* block;
  int coordinate;
};

// The variable coordinates of a problem, and its Jacobian. Coordinates whose
// bounds are equal do not vary, as in a solve. The Jacobian has the rows of
// active constraints behind those of residuals.
//
// Does not change the problem. Not thread-safe.
class DiagnosedProblem {
 public:
  // `problem` must outlive this. Throws Stopped.
  DiagnosedProblem(const Execution& execution, ProblemImpl* problem);

  // The coordinates of blocks that no residual block and no active constraint
  // uses.
  const std::vector<DiagnosedCoordinate>& unused() const { return unused_; }
  int num_unused_blocks() const { return num_unused_blocks_; }

  // The coordinate of a column of the Jacobian.
  DiagnosedCoordinate coordinate(int column) const;
  // The column block of a column.
  int column_block(int column) const { return block_of_column_[column]; }

  const ProblemImpl& impl() const { return *problem_; }
  const Program& program() const { return *program_; }
  const BlockJacobianStructure& structure() const {
    return evaluator(false).structure();
  }
  // The residual block of a row block, or null; and the constraint, or null.
  ResidualBlock* residual_block(int row) const {
    const int index = program().residual_block_index()[row];
    return constraints_.IsConstraint(index)
               ? nullptr
               : problem_->residual_blocks()[index];
  }
  const Constraint* constraint(int row) const {
    const int index = program().residual_block_index()[row];
    return constraints_.IsConstraint(index) ? &constraints_.constraint(index)
                                            : nullptr;
  }
  bool has_constraints() const {
    return !constraints_.residual_blocks().empty();
  }
  // By column block.
  const std::vector<MovableBlock>& movable_blocks() const { return movable_; }

  // The Jacobian at the user's values. False: a residual block or a constraint
  // cannot be evaluated; `message` says which one. Each row of a constraint is
  // scaled to norm 1 in units of the columns of residuals. Throws Stopped, and
  // what user code throws.
  [[nodiscard]] bool Evaluate(bool apply_loss_function, BlockJacobian* jacobian,
                              std::string* message);

  // The Jacobian without loss functions at values that differ from the user's
  // ones by about `step` of their size, in all coordinates, within bounds, and
  // these values. which: another number gives another point.
  // False: it cannot be evaluated there. An evaluation callback is called with
  // these values in the user's memory, and again once the memory is restored.
  [[nodiscard]] bool EvaluateNearby(int which, double step,
                                    std::vector<double>* state,
                                    BlockJacobian* jacobian);
  // By column: the size of the value at the user's values. Of a coordinate on a
  // manifold, that of the largest value of its block.
  std::vector<double> Magnitudes() const;
  // By column block, with values in `state`, which must outlive the result.
  std::vector<MovableBlock> MovableBlocksAt(
      const std::vector<double>& state) const;

 private:
  Evaluator& evaluator(bool apply_loss_function) const {
    return *evaluators_[apply_loss_function];
  }
  bool EvaluateAt(bool apply_loss_function, const std::vector<double>& state,
                  BlockJacobian* jacobian, std::string* message);
  void ScaleConstraints(BlockJacobian* jacobian) const;
  std::vector<double> NearbyDelta(int which, double step) const;

  ProblemImpl* problem_;
  ActiveConstraints constraints_;
  bool has_active_set_ = false;
  std::string constraint_error_;
  std::vector<DiagnosedCoordinate> unused_;
  int num_unused_blocks_ = 0;
  std::unique_ptr<const Program> program_;
  std::unique_ptr<Evaluator> evaluators_[2];
  std::vector<int> block_of_column_;
  // By column block: its coordinates, if some have equal bounds; else empty.
  std::vector<std::vector<int>> coordinates_;
  std::vector<MovableBlock> movable_;
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_DIAGNOSIS_DIAGNOSED_PROBLEM_H_
