// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_DIAGNOSIS_PART_SPACES_H_
#define CERES_INTERNAL_DIAGNOSIS_PART_SPACES_H_

#include <memory>
#include <string>
#include <vector>

#include "ceres/diagnosis/gauge.h"
#include "ceres/diagnosis/null_space.h"
#include "ceres/diagnosis/scaled_jacobian.h"
#include "ceres/execution/execution.h"

namespace ceres::internal {

// Null spaces of parts.
struct PartSpaces {
  std::vector<std::unique_ptr<JacobianPart>> parts;
  std::vector<NullSpace> spaces;  // By part.
};

// Finds the parts of a Jacobian and their null spaces. is_row_used: the rows
// that count, or null; norms, blocks: as in FindNullSpace. Throws Stopped.
// Returns false, with a message, if memory is lacking.
[[nodiscard]] bool FindPartSpaces(const Execution& execution,
                                  const std::vector<bool>* is_row_used,
                                  const BlockJacobian& jacobian,
                                  const std::vector<double>& norms,
                                  const std::vector<MovableBlock>& blocks,
                                  double weak_ratio, PartSpaces* found,
                                  std::string* message);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_DIAGNOSIS_PART_SPACES_H_
