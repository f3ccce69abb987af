// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// IncrementalSolverImpl: the guard against steps that the linear model does not
// describe, and parameter blocks that are not determined.
//
// A step of a variable is long if it exceeds the relinearization threshold many
// times. Before a long step reaches the caller, the cost functions at the
// variable are evaluated at the estimate. If they fail, or if the actual
// decrease is too small a part of the predicted decrease, the steps of all
// variables of the trial are taken back and damped: the linear system gets
// damping * D at their blocks, and is solved again. Accepted steps reduce the
// damping. A graph without such steps pays one comparison per block.
//
// The test and the scaled damping are those of trust region methods (Levenberg
// 1944, Marquardt 1963; Moré, "The Levenberg-Marquardt algorithm:
// implementation and theory", 1978), applied to connected parts of the graph.
// Rosen, Kaess and Leonard, "RISE: An Incremental Trust-Region Method for
// Robust Online Sparse Least-Squares Estimation", 2014, guard iSAM by one
// region for the whole graph. Here a landmark that is far off does not shorten
// the steps of the rest, and only cost functions of long steps are evaluated.

#include <algorithm>
#include <cmath>
#include <limits>

#include "ceres/base/format.h"
#include "ceres/base/number.h"
#include "ceres/solver/incremental/incremental_solver_impl.h"
#include "ceres/solver/incremental/incremental_tuning.h"

namespace ceres::internal {
// Long steps and damped steps are tried, but not again if they are about the
// same.
void IncrementalSolverImpl::AddSuspect(int v, double change) {
  const Variable& variable = variables_[v];
  const double threshold = options_.relinearization_threshold;
  if (variable.damping > 0.0 ||
      (change > incremental_tuning::kLongStep * threshold &&
       !(std::abs(change - variable.tried) <= threshold))) {
    suspects_.push_back(v);
  }
}

// Returns false if the linear system is to be solved again.
bool IncrementalSolverImpl::AcceptStep(IncrementalSolver::Summary* summary) {
  if (suspects_.empty()) return true;
  std::vector<Trial> trials = CollectTrials();
  TryFactors(&trials);
  int64_t operations = 0;
  bool accepted = true;
  for (const Trial& trial : trials) {
    operations += incremental_tuning::kEvaluation *
                  static_cast<int64_t>(trial.factors.size());
    if (IsTrusted(trial)) {
      DampLess(trial);
      continue;
    }
    accepted = false;
    for (const int v : trial.variables) {
      DampMore(v);
      operations += SetDamping(v);
    }
  }
  summary->num_operations += operations;
  summary->num_required_operations += operations;
  if (!accepted) ++summary->num_steps_rejected;
  return accepted;
}

// Suspects that share a factor are in one trial.
std::vector<IncrementalSolverImpl::Trial>
IncrementalSolverImpl::CollectTrials() {
  std::vector<Trial> trials;
  const int64_t listed = ++num_trials_, taken = ++num_trials_;
  for (const int v : suspects_) variables_[v].visit = listed;
  for (const int seed : suspects_) {
    if (variables_[seed].visit == taken) continue;
    Trial trial;
    variables_[seed].visit = taken;
    trial.variables.push_back(seed);
    for (size_t k = 0; k < trial.variables.size(); ++k) {
      for (const int f : variables_[trial.variables[k]].factors) {
        if (factors_[f].visit == taken) continue;
        factors_[f].visit = taken;
        trial.factors.push_back(f);
        for (const int u : factors_[f].variables) {
          if (variables_[u].visit != listed) continue;
          variables_[u].visit = taken;
          trial.variables.push_back(u);
        }
      }
    }
    trials.push_back(std::move(trial));
  }
  suspects_.clear();
  return trials;
}

void IncrementalSolverImpl::TryFactors(std::vector<Trial>* trials) {
  std::vector<int> factors;
  for (const Trial& trial : *trials) {
    factors.insert(factors.end(), trial.factors.begin(), trial.factors.end());
  }
  const Evaluation evaluation = EvaluateFactors(factors, Point::kEstimate);
  const double* cost = evaluation.costs.data();
  std::vector<double> work;
  for (Trial& trial : *trials) {
    for (const int f : trial.factors) {
      trial.before += factors_[f].cost;
      trial.predicted += PredictedCost(factors_[f], &work);
      trial.actual += *cost++;
    }
  }
}

double IncrementalSolverImpl::PredictedCost(const Factor& factor,
                                            std::vector<double>* work) const {
  if (factor.term == kNone) return factor.cost;
  std::vector<double>& x = *work;
  x.clear();
  for (const int v : factor.variables) {
    const Variable& variable = variables_[v];
    if (variable.core_block == kNone) continue;
    const double* const solution = cholesky_->Solution(variable.core_block);
    x.insert(x.end(), solution, solution + variable.tangent_size);
  }
  // 1/2 x'H x - b'x, column by column of the lower triangle.
  const int n = static_cast<int>(x.size());
  const double* value = cholesky_->TermValues(factor.term);
  double sum = 0.0;
  for (int c = 0; c < n; ++c) {
    double product = 0.5 * x[c] * *value++;
    for (int r = c + 1; r < n; ++r) product += x[r] * *value++;
    sum += x[c] * product;
  }
  for (int c = 0; c < n; ++c) sum -= x[c] * *value++;
  return factor.cost + sum;
}

// The error of the predicted cost is small beside the predicted decrease, of
// this part of the graph or of the whole graph. The latter, because one step of
// a chain that a loop bends has errors along the chain that the decrease in the
// loop is worth. Errors of a few average costs are at stake then, not more.
bool IncrementalSolverImpl::IsTrusted(const Trial& trial) const {
  if (!std::isfinite(trial.actual) || !std::isfinite(trial.predicted)) {
    return false;
  }
  const double error = trial.actual - trial.predicted;
  const double average =
      (cost_ + cholesky_->minimum()) / static_cast<double>(factor_of_.size());
  const double shared =
      std::min(incremental_tuning::kSharedError * -cholesky_->minimum(),
               incremental_tuning::kAverageErrors * average *
                   static_cast<double>(trial.factors.size()));
  return error <= incremental_tuning::kTrustedError *
                          std::abs(trial.before - trial.predicted) +
                      incremental_tuning::kNegligibleCost *
                          std::max(trial.before, trial.predicted) +
                      std::max(0.0, shared);
}

// Takes the step back: the variable stays where it is linearized.
void IncrementalSolverImpl::DampMore(int v) {
  Variable& variable = variables_[v];
  if (variable.damping == 0.0) damped_.push_back(v);
  variable.damping =
      std::max(incremental_tuning::kFirstDamping,
               incremental_tuning::kDampingGrowth * variable.damping);
  ++variable.num_rejections;
  variable.must_damp_anew = true;
  variable.estimate = variable.theta;
  variable.tried = 0.0;
  cholesky_->ResetSolution(variable.core_block);
}

// A damped variable is linearized again until it is undamped, or until the same
// step was rejected some times while the variable and its factors stayed.
void IncrementalSolverImpl::DampLess(const Trial& trial) {
  const double decrease = trial.before - trial.predicted;
  const double ratio = (trial.before - trial.actual) / decrease;
  const bool gains = decrease > incremental_tuning::kNegligibleDecrease *
                                    (cost_ + cholesky_->minimum());
  for (const int v : trial.variables) {
    Variable& variable = variables_[v];
    variable.tried = variable.change;
    if (variable.damping == 0.0) continue;
    const bool moves =
        gains && variable.change > options_.relinearization_threshold;
    if (moves) variable.num_rejections = 0;
    if (variable.num_rejections >= incremental_tuning::kMaxEqualRejections)
      continue;
    double damping = variable.damping;
    if (!(ratio < 0.5)) damping *= incremental_tuning::kDampingDecrease;
    if (!(ratio < 0.9)) damping *= incremental_tuning::kDampingDecrease;
    if (damping < incremental_tuning::kLeastDamping) damping = 0.0;
    if (variable.is_weak)
      damping = std::max(damping, incremental_tuning::kWeakDamping);
    if (!moves && damping == variable.damping) continue;
    variable.damping = damping;
    if (variable.exceeds) continue;
    variable.exceeds = true;
    variable.since = num_updates_;
    exceeding_.push_back(v);
  }
}

// Undoes the relinearization of the arguments of factors (places in dirty_)
// that cannot be evaluated. Returns false if one of them was not moved.
bool IncrementalSolverImpl::TakeBackMoves(const std::vector<int>& failed) {
  for (const int k : failed) {
    bool moved = false;
    for (const int v : factors_[dirty_[k]].variables) {
      Variable& variable = variables_[v];
      for (auto& [u, place] : moves_) {
        if (u != v) continue;
        std::copy_n(old_thetas_.begin() + place, variable.size,
                    variable.theta.begin());
        DampMore(v);
        Linearize(v);
        written_.push_back(v);
        u = kNone;
        moved = true;
      }
    }
    if (!moved) return false;
  }
  return true;
}

void IncrementalSolverImpl::ReportGuard(
    IncrementalSolver::Summary* summary) const {
  summary->num_blocks_damped = static_cast<int>(damped_.size());
  std::vector<const ParameterBlock*> undetermined;
  for (const int v : damped_) {
    const Variable& variable = variables_[v];
    if (variable.is_weak && !cholesky_->IsUndetermined(variable.core_block)) {
      undetermined.push_back(variable.block);
    }
  }
  for (size_t b = 0;
       cholesky_->num_undetermined() > 0 && b < variable_of_core_.size(); ++b) {
    if (!cholesky_->IsUndetermined(static_cast<int>(b))) continue;
    undetermined.push_back(variables_[variable_of_core_[b]].block);
  }
  if (undetermined.empty()) return;
  std::sort(undetermined.begin(), undetermined.end(),
            [](const ParameterBlock* a, const ParameterBlock* b) {
              return a->index() < b->index();
            });
  for (const ParameterBlock* block : undetermined) {
    summary->undetermined_blocks.push_back(block->user_state());
  }
  const ParameterBlock& first = *undetermined.front();
  summary->message += Format(
      " The residual blocks do not determine %s, the first "
      "with index %d in the problem, at %p: add residual blocks, or fix a "
      "block by SetParameterBlockConstant.",
      CountOf(static_cast<int>(undetermined.size()), "parameter block").c_str(),
      first.index(), static_cast<const void*>(first.user_state()));
}

}  // namespace ceres::internal
