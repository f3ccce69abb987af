// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_PROBLEM_CONSTRAINT_H_
#define CERES_INTERNAL_PROBLEM_CONSTRAINT_H_

#include <string>
#include <vector>

#include "ceres/cost_function.h"

namespace ceres::internal {

class ParameterBlock;

// A constraint of a problem, lower <= c(x) <= upper. Owns neither the cost
// function nor the parameter blocks. A ConstraintId points to it.
class Constraint {
 public:
  // "constraint 3", or the name.
  std::string Label() const {
    return name.empty() ? "constraint " + std::to_string(index) : name;
  }

  const CostFunction* cost_function = nullptr;  // computes c
  std::vector<ParameterBlock*> parameter_blocks;
  // By coordinate of c.
  std::vector<double> lower;
  std::vector<double> upper;
  std::vector<double> multipliers;
  std::string name;
  int index = 0;  // the position in Problem::GetConstraints
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_PROBLEM_CONSTRAINT_H_
