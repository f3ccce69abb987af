// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_SOLVER_CONSTRAINT_ROWS_H_
#define CERES_INTERNAL_SOLVER_CONSTRAINT_ROWS_H_

#include <memory>
#include <string>
#include <vector>

#include "ceres/evaluation/constraint_function.h"
#include "ceres/problem/constraint.h"
#include "ceres/problem/detached_residual_blocks.h"
#include "ceres/problem/problem_impl.h"
#include "ceres/problem/residual_block.h"
#include "ceres/solver.h"

namespace ceres::internal {

// For a problem with constraints. Returns true if a solve with these options
// can keep them, and their bounds can be met. Otherwise `error` names the
// option, or the constraint and its coordinate.
[[nodiscard]] bool CheckConstraints(const Solver::Options& options,
                                    const ProblemImpl& problem,
                                    std::string* error);

// The constraints of a problem as residual blocks of a solve: those that depend
// on a varying parameter block, then one for each used, varying parameter block
// that has bounds. Refers to the problem's blocks; valid until its structure
// changes.
class ConstraintRows {
 public:
  explicit ConstraintRows(const ProblemImpl& problem);

  // Their indices follow those of the problem's residual blocks.
  const std::vector<ResidualBlock*>& residual_blocks() const {
    return residual_blocks_.list();
  }
  // In the same order.
  std::vector<ConstraintFunction*> functions() const;

  // Starts from, or writes, the multipliers of the problem's constraints.
  void ReadMultipliers();
  void WriteMultipliers() const;

  // Whether the parameter blocks of a constraint are all constant.
  bool has_fixed() const { return !fixed_.empty(); }

  // The labels of the constraints that are violated, and the largest violation,
  // in the unit of constraint_tolerance.
  struct FixedViolations {
    std::vector<std::string> constraints;
    double largest = 0.0;
  };

  // Evaluates the constraints whose parameter blocks are all constant. Those
  // count that are violated by more than the tolerance. False, with an error:
  // one cannot be evaluated.
  [[nodiscard]] bool FindFixedViolations(double tolerance,
                                         FixedViolations* violations,
                                         std::string* error) const;

 private:
  void AddRows(std::unique_ptr<ConstraintFunction> function,
               const std::vector<ParameterBlock*>& blocks);
  void AddBounds(ParameterBlock* block);

  std::vector<Constraint*> constraints_;  // with rows, in their order
  std::vector<const Constraint*> fixed_;
  std::vector<std::unique_ptr<ConstraintFunction>> functions_;
  std::vector<std::unique_ptr<SelectedCoordinates>> bounded_;
  DetachedResidualBlocks residual_blocks_;
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_SOLVER_CONSTRAINT_ROWS_H_
