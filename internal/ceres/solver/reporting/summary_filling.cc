// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/solver/reporting/summary_filling.h"

#include <vector>

#include "ceres/ordered_groups.h"
#include "ceres/schur/schur_solvers.h"
#include "ceres/solver/linear_solver_factory.h"

namespace ceres::internal {
namespace {

// ordering: may be null.
std::vector<int> GroupSizes(const ParameterBlockOrdering* ordering) {
  std::vector<int> sizes;
  if (ordering == nullptr) return sizes;
  for (const auto& [group, elements] : ordering->group_to_elements()) {
    sizes.push_back(static_cast<int>(elements.size()));
  }
  return sizes;
}

void FillOptions(const Solver::Options& options, Solver::Summary* summary) {
  summary->minimizer_type = options.minimizer_type;
  summary->trust_region_strategy_type = options.trust_region_strategy_type;
  summary->dogleg_type = options.dogleg_type;
  summary->linear_solver_type_given = options.linear_solver_type;
  summary->linear_solver_type_used = options.linear_solver_type;
  summary->preconditioner_type_given = options.preconditioner_type;
  summary->preconditioner_type_used = options.preconditioner_type;
  summary->visibility_clustering_type = options.visibility_clustering_type;
  summary->dense_linear_algebra_library_type =
      options.dense_linear_algebra_library_type;
  summary->sparse_linear_algebra_library_type =
      options.sparse_linear_algebra_library_type;
  summary->linear_solver_ordering_type = options.linear_solver_ordering_type;
  summary->mixed_precision_solves_used = FactorsInSinglePrecision(options);
  summary->num_threads_given = options.num_threads;
  summary->num_threads_used = options.num_threads;
  summary->inner_iterations_given = options.use_inner_iterations;
  summary->line_search_direction_type = options.line_search_direction_type;
  summary->line_search_type = options.line_search_type;
  summary->line_search_interpolation_type =
      options.line_search_interpolation_type;
  summary->nonlinear_conjugate_gradient_type =
      options.nonlinear_conjugate_gradient_type;
  summary->max_lbfgs_rank = options.max_lbfgs_rank;
  summary->linear_solver_ordering_given =
      GroupSizes(options.linear_solver_ordering.get());
  summary->inner_iteration_ordering_given =
      GroupSizes(options.inner_iteration_ordering.get());
}

}  // namespace

void FillGiven(const Solver::Options& options, const ProblemImpl& problem,
               Solver::Summary* summary) {
  FillOptions(options, summary);
  int num_effective = 0;
  for (const ParameterBlock* block : problem.parameter_blocks()) {
    num_effective += block->tangent_size();
  }
  summary->num_parameter_blocks =
      static_cast<int>(problem.parameter_blocks().size());
  summary->num_parameters = problem.num_parameters();
  summary->num_effective_parameters = num_effective;
  summary->num_residual_blocks =
      static_cast<int>(problem.residual_blocks().size());
  summary->num_residuals = problem.num_residuals();
}

void FillReducedSizes(const ReducedSizes& sizes, Solver::Summary* summary) {
  summary->is_constrained = sizes.is_constrained;
  summary->num_parameter_blocks_reduced = sizes.num_parameter_blocks;
  summary->num_parameters_reduced = sizes.num_parameters;
  summary->num_effective_parameters_reduced = sizes.num_effective_parameters;
  summary->num_residual_blocks_reduced = sizes.num_residual_blocks;
  summary->num_residuals_reduced = sizes.num_residuals;
}

void FillPreparation(const Preparation& preparation, Solver::Summary* summary) {
  FillReducedSizes(preparation.sizes, summary);
  const LinearMethod& used = preparation.linear_method;
  summary->linear_solver_type_used = used.type;
  summary->preconditioner_type_used = used.system.preconditioner;
  summary->jacobian_storage_used = used.storage;
  // DENSE_QR has no mixed precision, but DENSE_SCHUR, whose place it can take.
  if (used.type == DENSE_QR) summary->mixed_precision_solves_used = false;
  summary->linear_solver_ordering_used = preparation.group_sizes;
  if (!summary->preprocessing_was_kept) {
    using Origin = Preparation::OrderOrigin;
    const Origin origin = preparation.order_origin;
    summary->preprocessing_was_extended = origin == Origin::kExtended;
    summary->elimination_order_was_renewed = origin == Origin::kRenewed;
  }
  if (IsSchurType(used.type)) {
    summary->schur_structure_used =
        SchurStructureName(preparation.evaluator->structure());
    summary->schur_structure_given = summary->schur_structure_used;
  }
}

void FillInnerIterations(const InnerIterationOrder& order,
                         Solver::Summary* summary) {
  summary->inner_iterations_used = order.is_used;
  for (const std::vector<int>& group : order.groups) {
    summary->inner_iteration_ordering_used.push_back(
        static_cast<int>(group.size()));
  }
}

void FillNothingToMinimize(Solver::Summary* summary) {
  summary->initial_cost = summary->fixed_cost;
  summary->final_cost = summary->fixed_cost;
  summary->termination_type = CONVERGENCE;
  summary->message =
      "Nothing to minimize: every parameter block is constant or unused.";
}

}  // namespace ceres::internal
