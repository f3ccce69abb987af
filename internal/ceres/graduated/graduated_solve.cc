// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/graduated/graduated_solve.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "ceres/base/clock.h"
#include "ceres/base/format.h"
#include "ceres/graduated/support_check.h"
#include "ceres/graduated/variance_factor.h"

namespace ceres::internal {
namespace {

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

// Whether solves factor J'J or a Schur complement of it by a sparse
// factorization, or the user says how much a factorization may cost.
bool LimitsFill(const Solver::Options& options,
                const GraduatedOptions& graduated_options) {
  const double limit = graduated_options.max_operations_per_factorization;
  if (limit > 0.0) return std::isfinite(limit);
  return options.minimizer_type == TRUST_REGION &&
         (options.linear_solver_type == SPARSE_NORMAL_CHOLESKY ||
          options.linear_solver_type == SPARSE_SCHUR);
}

}  // namespace

GraduatedSolve::GraduatedSolve(const Solver::Options& options,
                               const GraduatedOptions& graduated_options,
                               Problem* problem, GraduatedSummary* summary)
    : start_seconds_(NowInSeconds()),
      options_(options),
      graduated_options_(graduated_options),
      whole_(*problem),
      problem_(*problem->mutable_impl()),
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
    // First of all: the message needs memory.
    if (!options_.keep_progress_on_exception) RestoreValues(start, problem_);
    Finish(FAILURE, "An exception was thrown; the caller has it.");
    throw;
  }
  if (!summary_.IsSolutionUsable()) RestoreValues(start, problem_);
}

bool GraduatedSolve::Begin() {
  norms_.emplace(options_, graduated_options_, &problem_, uncertain_);
  if (LimitsFill(options_, graduated_options_)) {
    fill_limit_.emplace(problem_, uncertain_,
                        graduated_options_.max_operations_per_factorization);
  }
  if (graduated_options_.start == GraduatedStart::kAllInliers &&
      !SolveRound(/*control=*/0.0, std::vector<double>(uncertain_.size(), 1.0),
                  /*is_last=*/false)) {
    return false;
  }
  if (!EvaluateNorms()) return false;
  const auto largest = std::max_element(z_.begin(), z_.end());
  graduated_weights_.emplace(graduated_options_.loss,
                             largest == z_.end() ? 0.0 : *largest);
  return true;
}

void GraduatedSolve::RunPasses() {
  if (!Begin()) return;
  int num_checks = 0;
  while (RunPass()) {
    if (!KeepIfBest()) {
      ReturnToBest();
      Finish(best_->last_solve.termination_type, best_->last_solve.message);
      return;
    }
    if (num_checks++ == graduated_options_.max_num_checks) return;
    const std::vector<double> weights = CheckedWeights();
    if (weights.empty()) return;
    follows_check_ = true;
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
                "%d.",
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
  best_ = Pass{objective, CopyValues(problem_), weights_, summary_.last_solve};
  return true;
}

std::vector<double> GraduatedSolve::CheckedWeights() {
  if (graduated_options_.loss != GraduatedLoss::kTruncatedSquares) return {};
  const CheckedProblem problem{whole_,   uncertain_,           *norms_,
                               weights_, options_.num_threads, weighted_.get()};
  std::vector<double> norms = DeletionNorms(problem);
  std::vector<double> weights = weights_;
  const bool is_tighter = TightenBounds(&norms);
  if (is_tighter) best_.reset();  // Its objective has other bounds.
  bool has_changed = is_tighter;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (norms[i] <= 1.0) continue;
    weights[i] = 0.0;
    has_changed = true;
  }
  if (has_changed) return weights;
  norms = AdditionNorms(problem);
  const auto closest = std::min_element(norms.begin(), norms.end());
  if (closest == norms.end() || *closest > 1.0) return {};
  weights[closest - norms.begin()] = 1.0;
  return weights;
}

bool GraduatedSolve::TightenBounds(std::vector<double>* norms) {
  // Less is no reason to decide again about all blocks.
  constexpr double kWorthTightening = 0.5;
  if (!graduated_options_.estimate_variance_factor ||
      graduated_options_.inlier_cost_bound > 0.0) {
    return false;
  }
  std::vector<double> statistics;
  std::vector<int> num_residuals;
  for (std::size_t i = 0; i < norms->size(); ++i) {
    statistics.push_back((*norms)[i] / norms_->InverseBound(i));
    num_residuals.push_back(uncertain_[i]->num_residuals());
  }
  const double estimate = EstimateVarianceFactor(statistics, num_residuals);
  const double change = estimate / summary_.variance_factor;
  if (change > kWorthTightening) return false;
  summary_.variance_factor = estimate;
  norms_->ScaleBounds(change);
  for (double& norm : *norms) norm /= change;
  return true;
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
