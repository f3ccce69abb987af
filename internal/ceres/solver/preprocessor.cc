// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/solver/preprocessor.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>

#include "ceres/base/format.h"
#include "ceres/base/memory_shortage.h"
#include "ceres/base/number.h"
#include "ceres/evaluation/merged_columns.h"
#include "ceres/logging/logging.h"
#include "ceres/problem/size_limits.h"
#include "ceres/solver/memory_check.h"
#include "ceres/solver/solver_tuning.h"
#include "ceres/solver/storage_choice.h"

namespace ceres::internal {
namespace {

// Whether each coordinate with a bound has one value.
bool HasNoBoundsButPins(const ParameterBlock& block) {
  constexpr double kUnbounded = std::numeric_limits<double>::max();
  if (block.manifold() != nullptr) return false;
  for (int i = 0; i < block.size(); ++i) {
    if (block.LowerBound(i) != block.UpperBound(i) &&
        (block.LowerBound(i) > -kUnbounded ||
         block.UpperBound(i) < kUnbounded)) {
      return false;
    }
  }
  return true;
}

bool CheckNoBounds(const std::vector<ParameterBlock*>& parameter_blocks,
                   std::string* error) {
  for (const ParameterBlock* block : parameter_blocks) {
    if (!block->has_bounds() || HasNoBoundsButPins(*block)) continue;
    *error = Format(
        "ParameterBlock %d (at %p, size %d) has bounds, which "
        "Solver::Options::minimizer_type = LINE_SEARCH cannot keep: remove the "
        "bounds or set minimizer_type = TRUST_REGION.",
        block->index(), static_cast<void*>(block->user_state()), block->size());
    return false;
  }
  return true;
}

std::optional<ColumnOrder> ChooseOrder(const Solver::Options& options,
                                       const Execution& execution,
                                       const ProblemImpl& problem,
                                       const ReducedProblem& reduced,
                                       std::string* error) {
  if (options.minimizer_type == TRUST_REGION) {
    return OrderColumns(execution, problem, reduced, options.linear_solver_type,
                        options.linear_solver_ordering.get(), error);
  }
  // Without linear solver the order of the columns does not matter.
  if (!CheckNoBounds(reduced.parameter_blocks, error)) return std::nullopt;
  ColumnOrder order;
  order.parameter_blocks = reduced.parameter_blocks;
  return order;
}

// The runs of column blocks that become one column block each, or nothing.
std::vector<int> ChooseMergedColumns(const Solver::Options& options,
                                     const LinearMethod& method,
                                     const Program& program,
                                     const std::vector<int>& remaining_groups) {
  if (options.minimizer_type == LINE_SEARCH || method.max_merged_size == 0) {
    return {};
  }
  return FindMergedColumns(
      program, remaining_groups.empty() ? nullptr : &remaining_groups,
      method.max_merged_size);
}

// Returns the row blocks of the program that
// Solver::Options::residual_blocks_for_subset_preconditioner names, ascending.
// A residual block whose parameter blocks are all constant has no row; it is
// left out. A residual block that is not in the problem is left out with a
// warning. Returns nothing, with an error, if no row is left.
std::optional<std::vector<int>> FindSubsetRows(const Solver::Options& options,
                                               const ProblemImpl& problem,
                                               const Program& program,
                                               std::string* error) {
  const auto& named = options.residual_blocks_for_subset_preconditioner;
  std::vector<int> rows;
  const std::vector<ResidualBlock*>& blocks = problem.residual_blocks();
  for (int row = 0; row < program.num_row_blocks(); ++row) {
    const std::size_t index = program.residual_block_index()[row];
    // The rows of constraints follow the residual blocks.
    if (index < blocks.size() && named.count(blocks[index]) > 0) {
      rows.push_back(row);
    }
  }
  if (rows.size() == named.size()) return rows;

  size_t num_in_problem = 0;
  for (ResidualBlock* block : problem.residual_blocks()) {
    num_in_problem += named.count(block);
  }
  const size_t num_absent = named.size() - num_in_problem;
  if (rows.empty()) {
    *error = Format(
        "Solver::Options::residual_blocks_for_subset_preconditioner has no "
        "residual block with a variable parameter block: %zu of %zu not in the "
        "problem, %zu with constant parameter blocks only. Name residual "
        "blocks that depend on a variable parameter block.",
        num_absent, named.size(), num_in_problem);
    return std::nullopt;
  }
  if (num_absent > 0) {
    VESTA_LOG(kWarning)
        << "Solver::Options::residual_blocks_for_subset_preconditioner: "
        << num_absent << " of "
        << CountOf(static_cast<std::int64_t>(named.size()), "residual block")
        << " not in the problem, and ignored.";
  }
  return rows;
}

// The group of each column block of the Jacobian that is not eliminated.
std::vector<int> MergeGroups(const std::vector<int>& remaining_groups,
                             const std::vector<int>& merged_columns,
                             int num_eliminated) {
  if (remaining_groups.empty() || merged_columns.empty()) {
    return remaining_groups;
  }
  std::vector<int> groups;
  for (size_t j = num_eliminated; j + 1 < merged_columns.size(); ++j) {
    groups.push_back(remaining_groups[merged_columns[j] - num_eliminated]);
  }
  return groups;
}

void LogRenewedOrder(const EliminationOrder& given,
                     const EliminationOrder& used) {
  if (!IsLogVerbose(1)) return;
  VESTA_LOG(kInfo) << "Solver::Options::keep_preprocessing: a new elimination "
                      "order was computed, because the predicted operations of "
                      "the kept order are not between "
                   << given.min_operations << " and " << given.max_operations
                   << ". The new order has " << used.num_operations
                   << " operations.";
}

// Creates the linear solver of a preparation that has an evaluator and a
// complete linear method.
void AddLinearSolver(const Solver::Options& options, const ProblemImpl& problem,
                     const std::vector<int>& merged_columns,
                     const CarriedOrder& kept_order, Preparation* result) {
  LinearMethod& method = result->linear_method;
  const auto create = [&](EliminationOrder* elimination_order) {
    method.system.sparse.elimination_order = elimination_order;
    result->linear_solver =
        CreateLinearSolver(method, result->execution->get(),
                           result->evaluator->structure(), &result->workspace);
    method.system.sparse.elimination_order = nullptr;
  };
  // Groups restrict the order, so that new columns cannot come last.
  if (!options.keep_preprocessing || !method.has_elimination_order ||
      !method.system.elimination_group.empty()) {
    create(nullptr);
    return;
  }
  const FactoredColumns columns(*result->program, merged_columns);
  const EliminationOrder given = ExtendOrder(kept_order, problem, columns);
  EliminationOrder used = given;
  create(&used);
  result->elimination_order = OrderToKeep(used, kept_order, columns);
  if (!given.IsGiven()) return;
  result->order_origin = used.num_computed == 0
                             ? Preparation::OrderOrigin::kExtended
                             : Preparation::OrderOrigin::kRenewed;
  if (used.num_computed > 0) LogRenewedOrder(given, used);
}

// Chooses how the evaluator keeps the Jacobian.
bool SetStorage(const Solver::Options& options, const ProblemImpl& problem,
                Preparation* result, std::string* error) {
  const BlockJacobianStructure& structure = result->evaluator->structure();
  LinearMethod& method = result->linear_method;
  JacobianStorage storage = options.jacobian_storage;
  if (storage == JacobianStorage::AUTO) {
    double memory = 0.0;
    const bool is_short =
        ExceedsMemory(2.0 * BytesOfMatrices(method, structure), &memory);
    storage = ChooseStorage(options, problem, method, structure,
                            is_short ? memory : 0.0);
  }
  *error = FindStorageConflict(storage, problem, method);
  if (!error->empty()) return false;
  result->evaluator->SetStorage(storage);
  method.storage = result->evaluator->storage();
  method.system.reads_from_source = method.storage != JacobianStorage::DOUBLE;
  return true;
}

std::string FindSizeError(const ReducedProblem& reduced) {
  int max_tangent_size = 0;
  for (const ParameterBlock* block : reduced.parameter_blocks) {
    max_tangent_size = std::max(max_tangent_size, block->tangent_size());
  }
  return SizeError(reduced.ResidualBlocks(), reduced.size_bounds,
                   max_tangent_size);
}

}  // namespace

ReducedSizes ReducedSizes::Of(const ReducedProblem& reduced) {
  ReducedSizes sizes;
  for (const ParameterBlock* block : reduced.parameter_blocks) {
    sizes.num_parameters += block->size();
    sizes.num_effective_parameters += block->tangent_size();
    sizes.is_constrained |= block->has_bounds();
  }
  sizes.num_parameter_blocks =
      static_cast<int>(reduced.parameter_blocks.size());
  sizes.num_residual_blocks = static_cast<int>(reduced.ResidualBlocks().size());
  sizes.num_residuals = reduced.num_residuals;
  return sizes;
}

std::unique_ptr<const Program> BuildProgram(const Execution& execution,
                                            ReducedProblem reduced,
                                            ColumnOrder order) {
  reduced.columns_of_rows = ColumnsOfRows();
  order.row_order.size_bounds = reduced.size_bounds;
  return std::make_unique<Program>(order.parameter_blocks, order.num_eliminated,
                                   reduced.ResidualBlocks(), execution,
                                   std::move(order.row_order));
}

std::unique_ptr<Preparation> Preprocess(
    const Solver::Options& options, const ProblemImpl& problem,
    std::shared_ptr<SolveExecution> solve_execution, ReducedProblem reduced,
    const CarriedOrder& kept_order, std::string* error) {
  const Execution& execution = solve_execution->get();
  *error = FindSizeError(reduced);
  if (!error->empty()) return nullptr;
  std::optional<ColumnOrder> order =
      ChooseOrder(options, execution, problem, reduced, error);
  if (!order) return nullptr;
  CheckStop(execution);

  auto result = std::make_unique<Preparation>();
  result->execution = std::move(solve_execution);
  result->sizes = ReducedSizes::Of(reduced);
  result->fixed_residual_blocks = std::move(reduced.fixed_residual_blocks);
  result->group_sizes = std::move(order->group_sizes);
  result->linear_method =
      ChooseLinearMethod(options, !order->lowest_group_is_empty);
  const std::vector<int> remaining_groups = std::move(order->remaining_groups);
  result->program =
      BuildProgram(execution, std::move(reduced), std::move(*order));
  if (std::optional<Program> pinned =
          result->program->WithPinnedCoordinates()) {
    result->program = std::make_unique<Program>(*std::move(pinned));
  }
  if (options.check_gradients) {
    result->checked.emplace(options, problem.residual_blocks(),
                            *result->program);
    result->program = std::make_unique<Program>(
        *result->program, result->checked->cost_functions());
  }
  if (problem.num_linearization_points() > 0) {
    result->fixed_points.emplace(problem.residual_blocks(), *result->program);
    result->program = std::make_unique<Program>(
        *result->program, result->fixed_points->cost_functions());
  }

  const std::vector<int> merged_columns = ChooseMergedColumns(
      options, result->linear_method, *result->program, remaining_groups);
  Evaluator::Options evaluator_options;
  evaluator_options.execution = execution;
  evaluator_options.workspace = &result->workspace;
  evaluator_options.evaluation_callback = problem.options().evaluation_callback;
  evaluator_options.merged_columns = merged_columns;
  result->evaluator =
      std::make_unique<Evaluator>(*result->program, evaluator_options);
  if (options.minimizer_type == LINE_SEARCH) return result;
  CheckStop(execution);
  const BlockJacobianStructure& structure = result->evaluator->structure();
  LinearMethod& method = result->linear_method;
  if (!SetStorage(options, problem, result.get(), error)) return nullptr;
  double memory = 0.0;
  if (ExceedsMemory(BytesOfMatrices(method, structure), &memory)) {
    *error = FindMemoryError(method, structure, *result->program,
                             merged_columns, memory);
    return nullptr;
  }
  if (method.kind == LinearMethod::Kind::kCgnr &&
      method.system.preconditioner == SUBSET) {
    std::optional<std::vector<int>> rows =
        FindSubsetRows(options, problem, *result->program, error);
    if (!rows) return nullptr;
    method.subset_rows = std::move(*rows);
  }
  method.system.elimination_group = MergeGroups(
      remaining_groups, merged_columns, result->program->num_eliminated());
  AddLinearSolver(options, problem, merged_columns, kept_order, result.get());
  return result;
}

}  // namespace ceres::internal
