// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/solver/graduated/graduated_solve.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "ceres/base/clock.h"
#include "ceres/base/format.h"
#include "ceres/solver/graduated/deletion_check.h"
#include "ceres/solver/thread_choice.h"

namespace ceres::internal {
namespace {

// Checks begin with the limit 1, which is that of the statistic. Smaller limits
// search for solutions of less cost.
constexpr double kDeletionNormFactor = 0.25;
constexpr double kMinDeletionNorm = 1.0 / 16;
// A pass is better than another one if its objective is less by this fraction.
constexpr double kMinImprovement = 1e-6;

double NowInSeconds() {
  return std::chrono::duration<double>(
             parallel::detail::SteadyNow().time_since_epoch())
      .count();
}

// All values of parameter blocks, one block behind the other.
std::vector<double> CopyValues(const ProblemImpl& problem) {
  std::vector<double> values;
  for (const ParameterBlock* block : problem.parameter_blocks()) {
    values.insert(values.end(), block->user_state(),
                  block->user_state() + block->size());
  }
  return values;
}

void RestoreValues(const std::vector<double>& values,
                   const ProblemImpl& problem) {
  const double* value = values.data();
  for (const ParameterBlock* block : problem.parameter_blocks()) {
    std::copy_n(value, block->size(), block->user_state());
    value += block->size();
  }
}

bool AreBinary(const std::vector<double>& weights) {
  return std::all_of(weights.begin(), weights.end(),
                     [](double w) { return w == 0.0 || w == 1.0; });
}

}  // namespace

GraduatedSolve::GraduatedSolve(const Solver::Options& options,
                               const GraduatedOptions& graduated_options,
                               ProblemImpl* problem, GraduatedSummary* summary)
    : start_seconds_(NowInSeconds()),
      options_(options),
      graduated_options_(graduated_options),
      problem_(*problem),
      summary_(*summary) {}

void GraduatedSolve::Run() {
  const auto& certain = graduated_options_.certain_residual_blocks;
  for (ResidualBlock* block : problem_.residual_blocks()) {
    if (certain.count(block) == 0) uncertain_.push_back(block);
  }
  const std::vector<double> start = CopyValues(problem_);
  try {
    RunPasses();
    if (summary_.IsSolutionUsable()) FillResult();
  } catch (...) {
    Finish(FAILURE, "An exception was thrown; the caller has it.");
    if (!options_.keep_progress_on_exception) RestoreValues(start, problem_);
    throw;
  }
  if (!summary_.IsSolutionUsable()) RestoreValues(start, problem_);
}

bool GraduatedSolve::Begin() {
  norms_.emplace(options_, graduated_options_, &problem_, uncertain_);
  if (graduated_options_.start == GraduatedStart::kAllInliers &&
      !SolveRound(/*control=*/0.0, std::vector<double>(uncertain_.size(), 1.0),
                  /*is_last=*/false)) {
    return false;
  }
  if (!EvaluateNorms()) return false;
  const auto max_z = std::max_element(z_.begin(), z_.end());
  graduated_weights_.emplace(graduated_options_.loss,
                             max_z == z_.end() ? 0.0 : *max_z);
  return true;
}

void GraduatedSolve::RunPasses() {
  if (!Begin()) return;
  int num_checks = 0;
  while (RunPass()) {
    if (!KeepIfBest()) {
      ReturnToBest();
      Finish(best_->last_solve.termination_type, best_->last_solve.message);
      max_deletion_norm_ *= kDeletionNormFactor;
    }
    if (num_checks++ == graduated_options_.max_num_checks) return;
    const std::vector<double> weights = WeightsOfSupported();
    if (weights.empty()) return;
    follows_check_ = true;
    graduated_weights_->GoBack();
    if (!SolveRound(graduated_weights_->control(), weights,
                    /*is_last=*/false) ||
        !EvaluateNorms()) {
      break;
    }
  }
  if (best_ && summary_.IsSolutionUsable()) ReturnToBest();
}

std::vector<double> GraduatedSolve::NewWeights() const {
  std::vector<double> weights;
  weights.reserve(z_.size());
  for (const double z : z_) weights.push_back(graduated_weights_->Weight(z));
  return weights;
}

bool GraduatedSolve::RunPass() {
  while (static_cast<int>(summary_.rounds.size()) <
         graduated_options_.max_num_rounds) {
    std::vector<double> weights = NewWeights();
    const bool is_last = HaveWeightsConverged(weights);
    if (!SolveRound(graduated_weights_->control(), std::move(weights),
                    is_last) ||
        !EvaluateNorms()) {
      return false;
    }
    if (is_last && HaveWeightsConverged(NewWeights())) {
      Finish(summary_.last_solve.termination_type, summary_.last_solve.message);
      return true;
    }
    if (!is_last) {
      graduated_weights_->Advance(graduated_options_.control_factor);
    }
  }
  Finish(NO_CONVERGENCE,
         Format("Weights still change after GraduatedOptions::max_num_rounds = "
                "%d rounds.",
                graduated_options_.max_num_rounds));
  return false;
}

bool GraduatedSolve::KeepIfBest() {
  double objective = summary_.final_cost;
  for (std::size_t i = 0; i < weights_.size(); ++i) {
    if (weights_[i] == 0.0) objective += 0.5 / norms_->InverseBound(i);
  }
  if (best_ && objective >= (1.0 - kMinImprovement) * best_->objective) {
    return false;
  }
  best_ =
      Pass{objective, CopyValues(problem_), weights_, {}, summary_.last_solve};
  return true;
}

std::vector<double> GraduatedSolve::WeightsOfSupported() {
  if (graduated_options_.loss != GraduatedLoss::kTruncatedSquares) return {};
  std::vector<double>& norms = best_->deletion_norms;
  if (norms.empty()) {
    norms = DeletionNorms(uncertain_, *norms_, weights_, options_.num_threads,
                          weighted_.get());
  }
  if (norms.empty()) return {};
  const double largest = *std::max_element(norms.begin(), norms.end());
  while (max_deletion_norm_ >= largest &&
         max_deletion_norm_ >= kMinDeletionNorm) {
    max_deletion_norm_ *= kDeletionNormFactor;
  }
  if (max_deletion_norm_ < kMinDeletionNorm) return {};
  std::vector<double> weights = weights_;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (norms[i] > max_deletion_norm_) weights[i] = 0.0;
  }
  return weights;
}

void GraduatedSolve::ReturnToBest() {
  RestoreValues(best_->values, problem_);
  weights_ = best_->weights;
  summary_.final_cost = best_->last_solve.final_cost;
  summary_.last_solve = best_->last_solve;
}

bool GraduatedSolve::HaveWeightsConverged(
    const std::vector<double>& weights) const {
  if (graduated_options_.loss == GraduatedLoss::kTruncatedSquares) {
    return AreBinary(weights) && (weights == weights_ || weights.empty());
  }
  const auto& rounds = summary_.rounds;
  if (!graduated_weights_->IsAtLoss() || rounds.size() < 2) return false;
  const double cost = rounds.back().cost;
  const double change = rounds[rounds.size() - 2].cost - cost;
  return std::abs(change) <= graduated_options_.cost_tolerance * cost;
}

bool GraduatedSolve::SolveRound(double control, std::vector<double> weights,
                                bool is_last) {
  const double begin = NowInSeconds();
  if (weighted_ == nullptr || !weighted_->Fits(weights)) {
    weighted_ = nullptr;  // Its preprocessing occupies memory.
    weighted_ = std::make_unique<WeightedProblem>(problem_, SharedContext(),
                                                  uncertain_, weights);
  }
  weighted_->SetWeights(weights);
  weights_ = std::move(weights);
  Solve(RoundOptions(is_last), weighted_->problem(), &summary_.last_solve);
  NoteRound(control, NowInSeconds() - begin);

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

bool GraduatedSolve::EvaluateNorms() {
  std::string error;
  if (norms_->Evaluate(&z_, &error)) return true;
  Finish(FAILURE, std::move(error));
  return false;
}

void GraduatedSolve::Finish(TerminationType type, std::string message) {
  summary_.termination_type = type;
  summary_.message = std::move(message);
}

// The weights, and the outliers at the result.
void GraduatedSolve::FillResult() {
  std::string error;
  if (!norms_->Evaluate(&z_, &error)) {
    Finish(FAILURE, std::move(error));
    return;
  }
  summary_.weights.assign(problem_.residual_blocks().size(), 1.0);
  for (std::size_t i = 0; i < uncertain_.size(); ++i) {
    if (i < weights_.size()) {
      summary_.weights[uncertain_[i]->index()] = weights_[i];
    }
    if (z_[i] > 1.0) summary_.outliers.push_back(uncertain_[i]);
  }
  summary_.num_inliers = static_cast<int>(problem_.residual_blocks().size() -
                                          summary_.outliers.size());
}

double GraduatedSolve::SecondsSinceStart() const {
  return NowInSeconds() - start_seconds_;
}

}  // namespace ceres::internal
