// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_EVALUATION_ACTIVE_CONSTRAINTS_H_
#define CERES_INTERNAL_EVALUATION_ACTIVE_CONSTRAINTS_H_

#include <memory>
#include <string>
#include <vector>

#include "ceres/cost_function.h"
#include "ceres/problem/constraint.h"
#include "ceres/problem/detached_residual_blocks.h"
#include "ceres/problem/problem_impl.h"
#include "ceres/problem/residual_block.h"

namespace ceres::internal {

// Outputs of a constraint's function: residuals, and derivatives by parameter
// block.
struct ConstraintOutputs {
  ConstraintOutputs() = default;
  explicit ConstraintOutputs(const CostFunction& function);
  ConstraintOutputs(ConstraintOutputs&&) = default;
  ConstraintOutputs& operator=(ConstraintOutputs&&) = default;

  std::vector<double> residuals;
  std::vector<std::vector<double>> cells;
  std::vector<double*> jacobians;  // the cells' memory
};

// Evaluates a constraint at the user's values. False: its function cannot be
// evaluated, or an output is invalid; `error` names the constraint and the
// output. Throws what user code throws.
[[nodiscard]] bool EvaluateConstraint(const Constraint& constraint,
                                      ConstraintOutputs* outputs,
                                      std::string* error);

// Whether a coordinate of a constraint with this value is active.
bool IsActiveCoordinate(const Constraint& constraint, int coordinate,
                        double value);

// The coordinates of a problem's constraints that are active at the user's
// values, as residual blocks. Their derivatives A span the normal space of the
// constraints: a motion v that keeps them has A v = 0.
//
// Coordinate i is active if it is an equality, if its multiplier is not zero
// and has the sign of a bound, or if its value is beyond a bound. After a solve
// these are the coordinates that the solve counts as active, because it writes
// the multiplier zero for all others. So multipliers and values must belong
// together.
class ActiveConstraints {
 public:
  // problem: must outlive this, with its structure.
  explicit ActiveConstraints(const ProblemImpl& problem)
      : problem_(problem),
        residual_blocks_(static_cast<int>(problem.residual_blocks().size())) {}

  // Fills residual_blocks(). False: a constraint cannot be evaluated, and
  // `error` names it. Throws what user code throws.
  [[nodiscard]] bool Find(std::string* error);

  // One for each constraint that has an active coordinate and a parameter block
  // that varies. Their indices follow those of the problem's residual blocks.
  // Their residuals are zero.
  const std::vector<ResidualBlock*>& residual_blocks() const {
    return residual_blocks_.list();
  }

  // By the index of a residual block, of the problem or of these.
  bool IsConstraint(int index) const {
    return index >= residual_blocks_.first_index();
  }
  const Constraint& constraint(int index) const {
    return *constraints_[index - residual_blocks_.first_index()];
  }

  // The residual blocks of the problem, then these.
  std::vector<ResidualBlock*> AllResidualBlocks() const;

 private:
  bool FindCoordinates(const Constraint& constraint,
                       std::vector<int>* coordinates, std::string* error) const;

  const ProblemImpl& problem_;
  std::vector<const Constraint*> constraints_;
  std::vector<std::unique_ptr<CostFunction>> functions_;
  DetachedResidualBlocks residual_blocks_;
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_EVALUATION_ACTIVE_CONSTRAINTS_H_
