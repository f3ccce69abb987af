// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_PROBLEM_PROGRAM_H_
#define CERES_INTERNAL_PROBLEM_PROGRAM_H_

#include <memory>
#include <optional>
#include <vector>

#include "ceres/base/huge_pages.h"
#include "ceres/base/periodic_array.h"
#include "ceres/cost_function.h"
#include "ceres/execution/execution.h"
#include "ceres/loss_function.h"
#include "ceres/manifold.h"
#include "ceres/problem/parameter_block.h"
#include "ceres/problem/program_arrays.h"
#include "ceres/problem/residual_block.h"
#include "ceres/problem/row_order.h"

namespace ceres::internal {

// The part of a problem that one solve or evaluation reads, in flat arrays that
// are indexed by row block, column block and argument (program_arrays.h).
//
// The state x is the vector of the ambient coordinates of all varying parameter
// blocks; the step delta is the vector of their tangent coordinates. Both are
// in the order of column blocks. Constant parameter blocks are read from the
// user's memory.
//
// A program cannot be changed or assigned. Its member functions write to their
// arguments, or, where their names say so, to the user's memory. All of them
// may be called concurrently, except WriteUserMemory.
//
// Does not own the user's objects. Valid until the problem changes.
class Program {
 public:
  // parameter_blocks: the varying blocks, in the order of columns. The first
  // num_eliminated ones can be eliminated: no residual block touches two of
  // them (CHECK).
  // residual_blocks: those to evaluate, in the order of the problem. Residual
  // blocks without residuals are left out. A parameter block that is not in
  // parameter_blocks is held constant.
  // row_order: the order of the rows, if the caller knows it.
  // execution: for the construction only.
  //
  // Rows are sorted by eliminated block, stably; rows that touch no eliminated
  // block come last. The arguments of a row keep the user's order.
  Program(const std::vector<ParameterBlock*>& parameter_blocks,
          int num_eliminated,
          const std::vector<ResidualBlock*>& residual_blocks,
          const Execution& execution = {}, RowOrder row_order = {});

  // The program of one column block of `whole`: all other column blocks are
  // held constant at `state`. rows: num_rows rows of `whole` that touch the
  // column block. `whole` need not outlive the program. `state` must, and may
  // change between evaluations.
  Program(const Program& whole, int column_block, const int* rows, int num_rows,
          const double* state);

  // The same program with other cost functions, one for each row block, of the
  // same sizes.
  Program(const Program& program,
          PagedVector<const CostFunction*> cost_functions);

  // The same program with Euclidean spaces in place of manifolds: tangent
  // coordinates are the ambient ones.
  Program WithoutManifolds() const;

  // The same program with the coordinates of equal bounds held constant, by
  // SubsetManifolds of its own. A block with a manifold keeps it; its
  // coordinates of equal bounds vary. Copies nothing and returns nullopt if no
  // coordinate can be held.
  std::optional<Program> WithPinnedCoordinates() const;

  Program(const Program&) = default;
  Program& operator=(const Program&) = delete;

  // Columns.
  int num_column_blocks() const { return arrays_.num_column_blocks(); }
  int num_eliminated() const { return arrays_.num_eliminated; }
  int num_state() const { return arrays_.state_offset.back(); }
  int num_delta() const { return arrays_.delta_offset.back(); }
  int ambient_size(int column_block) const {
    return arrays_.state_offset[column_block + 1] -
           arrays_.state_offset[column_block];
  }
  int tangent_size(int column_block) const {
    return arrays_.delta_offset[column_block + 1] -
           arrays_.delta_offset[column_block];
  }
  bool has_bounds() const { return arrays_.has_bounds; }
  const std::vector<ParameterBlock*>& parameter_blocks() const {
    return arrays_.parameter_blocks;
  }
  const std::vector<int>& state_offset() const { return arrays_.state_offset; }
  const std::vector<int>& delta_offset() const { return arrays_.delta_offset; }
  const std::vector<const Manifold*>& manifolds() const {
    return arrays_.manifolds;
  }
  // Keeps those manifolds that are not the user's.
  const std::shared_ptr<const std::vector<SubsetManifold>>& own_manifolds()
      const {
    return arrays_.own_manifolds;
  }

  // Rows.
  int num_row_blocks() const { return arrays_.num_row_blocks(); }
  int num_residuals() const { return arrays_.row_offset.back(); }
  const PeriodicArray<int>& residual_block_index() const {
    return arrays_.residual_block_index;
  }
  const PagedVector<const CostFunction*>& cost_functions() const {
    return arrays_.cost_functions;
  }
  // Whether a cost function may be a BatchRow.
  bool has_batch_rows() const { return arrays_.has_batch_rows; }
  bool has_loss_functions() const { return !arrays_.loss_functions.empty(); }
  // The loss function of a row, or null.
  const LossFunction* loss_function(int row) const {
    return arrays_.loss_functions.empty() ? nullptr
                                          : arrays_.loss_functions[row];
  }
  const PeriodicArray<int>& row_offset() const { return arrays_.row_offset; }
  const PeriodicArray<int>& first_argument() const {
    return arrays_.first_argument;
  }
  const std::vector<int>& eliminated_first_row() const {
    return arrays_.eliminated_first_row;
  }
  int max_residuals_per_block() const {
    return arrays_.max_residuals_per_block;
  }
  int max_arguments_per_block() const {
    return arrays_.max_arguments_per_block;
  }
  int max_parameters_per_block() const {
    return arrays_.max_parameters_per_block;
  }

  // Arguments.
  const PagedVector<int>& arguments() const { return arrays_.arguments; }
  const std::vector<const double*>& constants() const {
    return arrays_.constants;
  }
  // The address of the values of an argument.
  const double* Values(int argument, const double* state) const {
    const int column = arrays_.arguments[argument];
    return column >= 0 ? state + arrays_.state_offset[column]
                       : arrays_.constants[~column];
  }

  // state <- the user's memory, and the user's memory <- state, for all column
  // blocks. By the threads of `execution`, or by the caller.
  void ReadUserMemory(const Execution& execution, double* state) const;
  void ReadUserMemory(double* state) const;
  void WriteUserMemory(const Execution& execution, const double* state) const;
  void WriteUserMemory(const double* state) const;

  // x_plus_delta = Plus(x, delta), block by block, projected on the bounds.
  // False: the Plus of a manifold failed. By the caller, or by the threads of
  // `execution`.
  bool Plus(const double* x, const double* delta, double* x_plus_delta) const;
  bool Plus(const Execution& execution, const double* x, const double* delta,
            double* x_plus_delta) const;

 private:
  explicit Program(ProgramArrays arrays);

  template <typename F>
  void VisitStates(const Execution& execution, const F& f) const;
  bool PlusOfColumns(int begin_column, int end_column, const double* x,
                     const double* delta, double* x_plus_delta) const;

  const ProgramArrays arrays_;
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_PROBLEM_PROGRAM_H_
