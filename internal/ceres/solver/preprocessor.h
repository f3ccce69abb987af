// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_SOLVER_PREPROCESSOR_H_
#define CERES_INTERNAL_SOLVER_PREPROCESSOR_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ceres/evaluation/evaluator.h"
#include "ceres/evaluation/fixed_point_functions.h"
#include "ceres/execution/execution.h"
#include "ceres/execution/solve_workspace.h"
#include "ceres/linear/linear_solver.h"
#include "ceres/problem/problem_impl.h"
#include "ceres/problem/program.h"
#include "ceres/solver.h"
#include "ceres/solver/checked_cost_functions.h"
#include "ceres/solver/constraint_rows.h"
#include "ceres/solver/linear_solver_factory.h"
#include "ceres/solver/ordering/carried_order.h"
#include "ceres/solver/ordering/column_order.h"
#include "ceres/solver/ordering/reduced_problem.h"
#include "ceres/solver/thread_choice.h"

namespace ceres::internal {

// The size of a reduced problem.
struct ReducedSizes {
  int num_parameter_blocks = 0;
  int num_parameters = 0;
  int num_effective_parameters = 0;
  int num_residual_blocks = 0;
  int num_residuals = 0;
  bool is_constrained = false;  // a varying parameter block has bounds

  static ReducedSizes Of(const ReducedProblem& reduced);
};

// The parts of a solve that depend on the problem's structure and on options
// alone, not on the values of parameters. Preprocess creates it; afterwards no
// part is replaced. Does not move: parts refer to parts above them.
struct Preparation {
  Preparation() = default;
  Preparation(const Preparation&) = delete;
  Preparation& operator=(const Preparation&) = delete;

  std::shared_ptr<SolveExecution> execution;
  ReducedSizes sizes;
  std::vector<ResidualBlock*> fixed_residual_blocks;
  std::unique_ptr<ConstraintRows> constraints;  // if the problem has some
  std::vector<int> group_sizes;  // see ColumnOrder; empty: LINE_SEARCH
  // As the options say, or what takes its place.
  LinearMethod linear_method;
  std::unique_ptr<const Program> program;
  std::optional<CheckedCostFunctions> checked;  // if check_gradients is set
  // If the problem has linearization points.
  std::optional<FixedPointFunctions> fixed_points;
  SolveWorkspace workspace;  // of the evaluator and the linear solver
  std::unique_ptr<Evaluator> evaluator;
  std::unique_ptr<LinearSolver> linear_solver;  // null: LINE_SEARCH
  // The order of the linear solver; empty unless the options keep
  // preprocessing.
  CarriedOrder elimination_order;
  enum class OrderOrigin {
    kNew,       // there was no order that could be extended
    kExtended,  // the kept order, with the columns that it lacked
    kRenewed,   // the kept order has become a bad one
  };
  OrderOrigin order_origin = OrderOrigin::kNew;
};

// Creates everything that a minimizer needs:
//
// clang-format off
//
//   ReducedProblem --OrderColumns--> ColumnOrder
//         |                              |
//         +-------- BuildProgram --------+
//                        |
//                     Program --------------------> SUBSET rows
//                        |                              |
//                    Evaluator --structure--> CreateLinearSolver
//
// clang-format on
//
// reduced: with at least one parameter block; consumed, so that its arrays are
// freed before arrays of the same size are allocated.
// kept_order: the elimination order of an earlier solve, or nothing.
//
// Returns null, with an error, if OrderColumns or FindSubsetRows fails, or if
// LINE_SEARCH is to minimize over a parameter block with bounds. Throws Stopped
// if the execution's stop signal says so.
[[nodiscard]] std::unique_ptr<Preparation> Preprocess(
    const Solver::Options& options, const ProblemImpl& problem,
    std::shared_ptr<SolveExecution> execution, ReducedProblem reduced,
    const CarriedOrder& kept_order, std::string* error);

// Builds the program of a reduced problem with its columns in the given order.
// Consumes both arguments: the sparsity pattern of `reduced` is freed before
// the program is allocated, the other lists after that.
std::unique_ptr<const Program> BuildProgram(const Execution& execution,
                                            ReducedProblem reduced,
                                            ColumnOrder order);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_SOLVER_PREPROCESSOR_H_
