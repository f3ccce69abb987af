// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_PROBLEM_PROGRAM_ARRAYS_H_
#define CERES_INTERNAL_PROBLEM_PROGRAM_ARRAYS_H_

#include <memory>
#include <vector>

#include "ceres/base/huge_pages.h"
#include "ceres/base/periodic_array.h"
#include "ceres/cost_function.h"
#include "ceres/execution/execution.h"
#include "ceres/loss_function.h"
#include "ceres/manifold.h"
#include "ceres/problem/parameter_block.h"
#include "ceres/problem/residual_block.h"
#include "ceres/problem/row_order.h"

namespace ceres::internal {

// The arrays of a Program while they are filled. A Program holds them const.
//
// A column block is a varying parameter block; a row block is a residual block
// with at least one residual. An argument is one parameter block of one row
// block. Offsets have one entry more than there are blocks.
//
// clang-format off
//
//   row block              0                 1
//   first_argument         0                 2           4
//   arguments              c0        c4      c1    ~0         column block, or
//                                                             ~i: constants[i]
//   row_offset             0                 2           4    in residuals
//
//   column block           0        1        2
//   state_offset           0        4        7          10    in x
//   delta_offset           0        3        6           9    in delta
//
// clang-format on
struct ProgramArrays {
  int num_column_blocks() const {
    return static_cast<int>(parameter_blocks.size());
  }
  int num_row_blocks() const {
    return static_cast<int>(residual_block_index.size());
  }

  // By column block; the first num_eliminated ones can be eliminated.
  std::vector<ParameterBlock*> parameter_blocks;
  std::vector<int> state_offset = {0};
  std::vector<int> delta_offset = {0};
  std::vector<const Manifold*> manifolds;  // null: Euclidean
  // Owns the manifolds that the program made. Null if it made none.
  std::shared_ptr<const std::vector<SubsetManifold>> own_manifolds;
  int num_eliminated = 0;
  bool has_bounds = false;  // whether a column block has bounds

  // By row block. Problems have millions of row blocks: an array that a formula
  // replaces is not stored.
  PeriodicArray<int> residual_block_index;  // in the problem
  PagedVector<const CostFunction*> cost_functions;
  bool has_batch_rows = false;  // whether a cost function is a BatchRow
  std::vector<const LossFunction*> loss_functions;  // empty: no row has one
  PeriodicArray<int> row_offset = {0};
  PeriodicArray<int> first_argument = {0};  // into arguments

  // By argument: the column block, or ~i for a parameter block that is held
  // constant and has its values at constants[i].
  PagedVector<int> arguments;
  std::vector<const double*> constants;

  // The rows of eliminated block e are [eliminated_first_row[e],
  // eliminated_first_row[e + 1]).
  std::vector<int> eliminated_first_row = {0};

  // Upper bounds over all row blocks. max_parameters_per_block counts the
  // ambient coordinates of all arguments of a row block.
  int max_residuals_per_block = 0;
  int max_arguments_per_block = 0;
  int max_parameters_per_block = 0;
};

// The arrays of the Program that the constructor of the same arguments
// describes.
ProgramArrays MakeProgramArrays(
    const std::vector<ParameterBlock*>& parameter_blocks, int num_eliminated,
    const std::vector<ResidualBlock*>& residual_blocks,
    const Execution& execution, RowOrder row_order);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_PROBLEM_PROGRAM_ARRAYS_H_
