// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_LINEARIZATION_LINEARIZATION_DATA_H_
#define CERES_INTERNAL_LINEARIZATION_LINEARIZATION_DATA_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ceres/evaluation/evaluator.h"
#include "ceres/evaluation/fixed_point_functions.h"
#include "ceres/evaluation/listed_blocks.h"
#include "ceres/execution/execution.h"
#include "ceres/linear/block_jacobian.h"
#include "ceres/linearization.h"
#include "ceres/problem/problem_impl.h"
#include "ceres/problem/program.h"

namespace ceres::internal {

// What a Linearization holds: the row blocks that an evaluator wrote, and the
// evaluator itself for its structure. Column blocks of `jacobian` are the
// varying parameter blocks; `columns` says where they are among all columns.
// Rows are in the order of `residual_blocks`; a residual block without
// residuals has no row block.
//
// The program and the evaluator point at the problem's blocks. They are not
// used for evaluations after Evaluate.
struct LinearizationData {
  std::vector<Linearization::ColumnBlock> column_blocks;
  ListedColumns columns;
  std::vector<int> column_block_of;  // of each varying block
  std::vector<ResidualBlock*> residual_blocks;
  std::vector<int> row_block_of;  // of each residual block, +1
  Execution execution;
  std::unique_ptr<const Program> program;
  std::optional<FixedPointFunctions> fixed_points;
  std::optional<Evaluator> evaluator;
  BlockJacobian jacobian;
  double cost = 0.0;

  const BlockJacobianStructure& structure() const {
    return *jacobian.structure;
  }
};

// Returns null and says why if the blocks are too large or a residual block
// cannot be evaluated.
std::unique_ptr<LinearizationData> LinearizeProblem(
    const LinearizationOptions& options,
    const std::vector<ResidualBlock*>& residual_blocks, ProblemImpl* problem,
    std::string* message);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_LINEARIZATION_LINEARIZATION_DATA_H_
