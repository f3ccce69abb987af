// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_PROBLEM_PROGRAM_H_
#define CERES_INTERNAL_PROBLEM_PROGRAM_H_

#include <string>
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

// A problem frozen for one solve or evaluation, in flat arrays: what the inner
// loops touch is indexed by residual block and by column block; they never
// chase ResidualBlock or ParameterBlock.
//
// The state x is one vector of ambient coordinates of the varying parameter
// blocks, the step delta one vector of tangent coordinates, both in
// column-block order. Constant parameter blocks are read from the user's
// memory. Immutable after construction (all const methods may be called
// concurrently); it does not own the user's objects and is valid as long as the
// problem is not changed.
class Program {
 public:
  Program() = default;
  // `parameter_blocks`: the varying blocks, in column order, the first
  // num_eliminated of them to be eliminated (no residual block touches two of
  // those: CHECK). `residual_blocks`: those to evaluate, in the problem's
  // order; blocks in them that are not in `parameter_blocks` are held constant.
  // Those without residuals are left out.
  // Rows are ordered by eliminated block (stably), then those that touch none;
  // within a row the eliminated argument's cell comes first in the Jacobian
  // (arguments keep the user's order here). `execution` is used here alone.
  // `row_order`: that order, if it is known.
  Program(const std::vector<ParameterBlock*>& parameter_blocks,
          int num_eliminated,
          const std::vector<ResidualBlock*>& residual_blocks,
          const Execution& execution = {}, RowOrder row_order = {});
  // The part of `whole` that is left when all column blocks but one are held at
  // `state`: that column block and the given rows, all of which touch it.
  // `whole` need not outlive it, but `state` must, and may change in between.
  Program(const Program& whole, int column_block, const int* rows, int num_rows,
          const double* state);

  // Columns.
  int num_column_blocks() const {
    return static_cast<int>(parameter_blocks.size());
  }
  int ambient_size(int column_block) const {
    return state_offset[column_block + 1] - state_offset[column_block];
  }
  int tangent_size(int column_block) const {
    return delta_offset[column_block + 1] - delta_offset[column_block];
  }
  int num_state() const { return state_offset.back(); }
  int num_delta() const { return delta_offset.back(); }
  std::vector<ParameterBlock*> parameter_blocks;
  std::vector<int> state_offset = {0};
  std::vector<int> delta_offset = {0};
  std::vector<const Manifold*> manifolds;  // null: Euclidean
  int num_eliminated = 0;

  // Rows.
  int num_row_blocks() const {
    return static_cast<int>(residual_block_index.size());
  }
  int num_residuals() const { return row_offset.back(); }
  const LossFunction* loss_function(int row) const {  // null: none
    return loss_functions.empty() ? nullptr : loss_functions[row];
  }
  // Where an argument's values are.
  const double* Values(int argument, const double* state) const {
    const int column = arguments[argument];
    return column >= 0 ? state + state_offset[column] : constants[~column];
  }
  // There are millions of these: what is known otherwise is not stored.
  std::vector<int> residual_block_index;  // in the problem
  PagedVector<const CostFunction*> cost_functions;
  std::vector<const LossFunction*> loss_functions;  // empty: no row has one
  PeriodicArray<int> row_offset = {0};
  PeriodicArray<int> first_argument = {0};  // +1, into arguments
  // The column block of each argument; of one that is held constant ~i, its
  // values being at constants[i].
  PagedVector<int> arguments;
  std::vector<const double*> constants;
  std::vector<int> eliminated_first_row = {0};
  int max_residuals_per_block = 0;
  int max_arguments_per_block = 0;
  int max_parameters_per_block =
      0;  // ambient, all arguments of a block together

  // x <- the user's memory; the user's memory <- x. By several threads.
  void GetState(const Execution& execution, double* state) const;
  void SetUserState(const Execution& execution, const double* state) const;
  // In the caller.
  void GetState(double* state) const;
  void SetUserState(const double* state) const;

  // x_plus_delta = Plus(x, delta), block by block, projected on the bounds
  // where there are any. False when a manifold fails.
  bool Plus(const double* x, const double* delta, double* x_plus_delta) const;
  // The same, shared by the threads of `execution`.
  bool Plus(const Execution& execution, const double* x, const double* delta,
            double* x_plus_delta) const;
  // Whether a varying block has bounds.
  bool has_bounds() const { return has_bounds_; }

 private:
  template <typename F>
  void VisitStates(const Execution& execution, const F& f) const;
  static RowSizeBounds FindSizeBounds(const std::vector<ResidualBlock*>& blocks,
                                      const Execution& execution);
  // Residual blocks, which lie in memory in their order, and the row of each.
  struct Blocks {
    const std::vector<ResidualBlock*>& blocks;
    const int* rows;  // null: its place

    int size() const { return static_cast<int>(blocks.size()); }
    const ResidualBlock& operator[](int i) const { return *blocks[i]; }
    int row(int i) const { return rows == nullptr ? i : rows[i]; }
  };
  // The ambient size of a row's arguments, and whether one is constant; of many
  // rows the largest, and whether any has one.
  struct ArgumentSizeBounds {
    int max_parameters;
    bool any_constant;
  };
  void AddColumns(std::vector<int>* column_of);
  RowOrder OrderRows(const std::vector<ResidualBlock*>& blocks,
                     const std::vector<int>& column_of,
                     const Execution& execution) const;
  int EliminatedOf(const ResidualBlock& block,
                   const std::vector<int>& column_of) const;
  // Sizes and offsets of the rows, then the rest, block by block in parallel,
  // then the constants.
  void MeasureRows(const Blocks& blocks, const RowSizeBounds& size_bounds);
  void ListOffsets(const Blocks& blocks);
  ArgumentSizeBounds FillRows(const Blocks& blocks,
                              const std::vector<int>& column_of,
                              const Execution& execution);
  ArgumentSizeBounds FillRow(const ResidualBlock& block, int row,
                             const std::vector<int>& column_of);
  void NumberConstants(const Blocks& blocks);
  bool PlusOfColumns(int begin_column, int end_column, const double* x,
                     const double* delta, double* x_plus_delta) const;

  bool has_bounds_ = false;
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_PROBLEM_PROGRAM_H_
