// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_EVALUATION_LISTED_BLOCKS_H_
#define CERES_INTERNAL_EVALUATION_LISTED_BLOCKS_H_

#include <vector>

#include "ceres/crs_matrix.h"
#include "ceres/linear/block_jacobian.h"
#include "ceres/problem/parameter_block.h"
#include "ceres/problem/problem_impl.h"
#include "ceres/problem/residual_block.h"

namespace ceres::internal {

// The blocks that options list, in this order; all blocks if the list is empty.
// Check that the blocks are in the problem and that no parameter block is
// listed twice. options_name: for the message.
std::vector<ParameterBlock*> ListedParameterBlocks(
    const ProblemImpl& problem, const std::vector<double*>& listed,
    const char* options_name);
std::vector<ResidualBlock*> ListedResidualBlocks(
    const ProblemImpl& problem, const std::vector<ResidualBlock*>& listed);

// The columns of a Jacobian that users see: the columns of all listed parameter
// blocks, constant ones included. Only varying blocks are columns of a Program.
//
// clang-format off
//
//   listed blocks   A (2 columns)   B (constant, 3 columns)   C (1 column)
//   varying         A               C
//   offset          0               5                          num_columns = 6
//
// clang-format on
struct ListedColumns {
  std::vector<ParameterBlock*> varying;
  std::vector<int> offset;  // in all columns, of each varying block
  int num_columns = 0;

  // in_tangent_space: blocks have as many columns as tangent coordinates. Else
  // as many as ambient ones.
  static ListedColumns Of(const std::vector<ParameterBlock*>& blocks,
                          bool in_tangent_space = true);

  // Spreads x, which has the program's columns, over all columns; the columns
  // of constant blocks become zero. program_offset: of each varying block, +1.
  std::vector<double> Spread(const std::vector<int>& program_offset,
                             const double* x) const;
};

// The residuals and the Jacobian of row blocks. Columns ascend within a row.
std::vector<double> ResidualsOf(const BlockJacobian& jacobian);
CRSMatrix ToCrs(const BlockJacobian& jacobian, const ListedColumns& columns);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_EVALUATION_LISTED_BLOCKS_H_
