// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// One round of GraduatedSolve: its copy of the problem, its solve, its report.

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "ceres/graduated/graduated_solve.h"
#include "ceres/solver/thread_choice.h"

namespace ceres::internal {

bool GraduatedSolve::SolveRound(double control, std::vector<double> weights,
                                bool is_last) {
  const double begin = SecondsSinceStart();
  int num_left_out = 0;
  if (fill_limit_ && graduated_weights_ && !graduated_weights_->IsAtLoss()) {
    num_left_out = fill_limit_->Apply(&weights);
  }
  PrepareCopy(weights);
  weighted_->SetWeights(weights);
  weights_ = std::move(weights);
  Solve(RoundOptions(is_last), weighted_->problem(), &summary_.last_solve);
  NoteRound(control, SecondsSinceStart() - begin);
  summary_.rounds.back().num_left_out = num_left_out;
  summary_.rounds.back().num_operations = copy_operations_;

  const Solver::Summary& solve = summary_.last_solve;
  const bool is_stopped =
      options_.cancellation_token.IsCancelled() ||
      SecondsSinceStart() >= options_.max_solver_time_in_seconds;
  if (solve.termination_type == CONVERGENCE ||
      (solve.termination_type == NO_CONVERGENCE && !is_stopped)) {
    return true;
  }
  Finish(solve.termination_type, solve.message);
  return false;
}

void GraduatedSolve::PrepareCopy(const std::vector<double>& weights) {
  // A new copy is worth its preprocessing if factorizations cost half.
  constexpr double kWorthANewCopy = 0.5;
  double operations = copy_operations_;
  const bool has_changed = !std::equal(
      weights.begin(), weights.end(), weights_.begin(), weights_.end(),
      [](double a, double b) { return (a > 0.0) == (b > 0.0); });
  if (fill_limit_ && has_changed) {
    operations = fill_limit_->NumOperations(weights);
  }
  if (weighted_ != nullptr && weighted_->Fits(weights) &&
      operations >= kWorthANewCopy * copy_operations_) {
    return;
  }
  weighted_ = nullptr;  // Its preprocessing occupies memory.
  weighted_ = std::make_unique<WeightedProblem>(problem_, SharedContext(),
                                                uncertain_, weights);
  copy_operations_ = operations;
}

Context* GraduatedSolve::SharedContext() {
  // Threads that are worth starting are started once, not for each copy.
  return problem_.options().context == nullptr &&
                 (options_.num_threads == 1 || options_.executor != nullptr ||
                  !IsWorthSharing(options_, problem_))
             ? nullptr
             : problem_.context();
}

Solver::Options GraduatedSolve::RoundOptions(bool is_last) const {
  Solver::Options options = options_;
  options.keep_preprocessing = true;
  options.max_solver_time_in_seconds =
      std::max(0.0, options_.max_solver_time_in_seconds - SecondsSinceStart());
  options.residual_blocks_for_subset_preconditioner = weighted_->Counterparts(
      options_.residual_blocks_for_subset_preconditioner);
  if (!is_last) {
    options.max_num_iterations =
        std::min(options_.max_num_iterations,
                 graduated_options_.max_num_iterations_per_round);
    options.function_tolerance =
        std::max(options_.function_tolerance,
                 graduated_options_.function_tolerance_per_round);
  }
  return options;
}

void GraduatedSolve::NoteRound(double control, double seconds) {
  const Solver::Summary& solve = summary_.last_solve;
  if (summary_.rounds.empty()) summary_.initial_cost = solve.initial_cost;
  summary_.final_cost = solve.final_cost;
  GraduatedSummary::Round round;
  round.control = control;
  round.cost = solve.final_cost;
  round.num_iterations =
      std::max(0, static_cast<int>(solve.iterations.size()) - 1);
  round.follows_check = std::exchange(follows_check_, false);
  round.preprocessing_was_kept = solve.preprocessing_was_kept;
  round.time_in_seconds = seconds;
  for (const double weight : weights_) {
    if (weight == 0.0) ++round.num_zero_weights;
    if (weight >= 0.5) ++round.num_large_weights;
  }
  summary_.rounds.push_back(round);
}

}  // namespace ceres::internal
