// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/solver/minimizer_setup.h"

#include <utility>

#include "ceres/logging/logging.h"

namespace ceres::internal {
namespace {

template <typename Summary>
void MoveOutcome(MinimizerResult&& result, Summary* summary) {
  summary->termination_type = result.termination_type;
  summary->message = std::move(result.message);
  summary->initial_cost = result.initial_cost;
  summary->final_cost = result.final_cost;
  summary->iterations = std::move(result.iterations);
}

template <typename Options>
void SetCallbacks(const Options& options, MinimizerType type,
                  std::optional<ProgressTable>* table, MinimizerSetup* setup) {
  setup->update_user_state = options.update_state_every_iteration;
  const bool to_stdout = options.minimizer_progress_to_stdout;
  if (ProgressTable::IsWanted(options.logging_type, to_stdout)) {
    setup->callbacks.push_back(&table->emplace(type, to_stdout));
  }
  for (IterationCallback* callback : options.callbacks) {
    VESTA_CHECK(callback != nullptr)
        << "An element of the option callbacks is null. Remove it.";
    setup->callbacks.push_back(callback);
  }
}

}  // namespace

#define VESTA_COPY(type, name, value) to.name = options.name;

MinimizerOptions ToMinimizerOptions(const Solver::Options& options) {
  MinimizerOptions to;
  VESTA_SHARED_OPTIONS(VESTA_COPY)
  VESTA_TRUST_REGION_OPTIONS(VESTA_COPY)
  return to;
}

MinimizerOptions ToMinimizerOptions(
    const GradientProblemSolver::Options& options) {
  MinimizerOptions to;
  to.options_name = "GradientProblemSolver::Options";
  VESTA_SHARED_OPTIONS(VESTA_COPY)
  return to;
}

#undef VESTA_COPY

void SetCallbacks(const Solver::Options& options,
                  std::optional<ProgressTable>* table, MinimizerSetup* setup) {
  SetCallbacks(options, options.minimizer_type, table, setup);
}

void SetCallbacks(const GradientProblemSolver::Options& options,
                  std::optional<ProgressTable>* table, MinimizerSetup* setup) {
  SetCallbacks(options, LINE_SEARCH, table, setup);
}

void MoveToSummary(MinimizerResult&& result, Solver::Summary* summary) {
#define VESTA_COPY(type, name) summary->name = result.name;
  VESTA_MINIMIZER_FIGURES(VESTA_COPY)
#undef VESTA_COPY
  if (result.constraints != nullptr) {
    ConstraintResult& constraints = *result.constraints;
    summary->constraint_violation = constraints.constraint_violation;
    summary->stationarity = constraints.stationarity;
    summary->complementarity = constraints.complementarity;
    summary->num_active_constraints = constraints.num_active_constraints;
    summary->violated_constraints = std::move(constraints.violated_constraints);
  }
  MoveOutcome(std::move(result), summary);
}

void MoveToSummary(MinimizerResult&& result,
                   GradientProblemSolver::Summary* summary) {
  summary->num_cost_evaluations =
      result.num_residual_evaluations + result.num_jacobian_evaluations;
  summary->num_gradient_evaluations = result.num_jacobian_evaluations;
  summary->cost_evaluation_time_in_seconds =
      result.residual_evaluation_time_in_seconds;
  summary->gradient_evaluation_time_in_seconds =
      result.jacobian_evaluation_time_in_seconds;
  summary->line_search_polynomial_minimization_time_in_seconds =
      result.line_search_polynomial_minimization_time_in_seconds;
  MoveOutcome(std::move(result), summary);
}

}  // namespace ceres::internal
