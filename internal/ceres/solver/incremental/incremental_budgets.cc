// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// IncrementalSolverImpl: what one update may cost.

#include <algorithm>
#include <utility>

#include "ceres/solver/incremental/incremental_solver_impl.h"
#include "ceres/solver/incremental/incremental_tuning.h"

namespace ceres::internal {
namespace {

constexpr int64_t kUnlimited = IncrementalCholesky::kUnlimited;

}  // namespace

// The operations of a fraction of a factorization of the entire problem.
int64_t IncrementalSolverImpl::BudgetOfFraction(double fraction) const {
  if (fraction >= 1.0) return kUnlimited;
  const int64_t all =
      cholesky_->factor_operations() +
      incremental_tuning::kEvaluation * static_cast<int64_t>(factor_of_.size());
  return std::max(incremental_tuning::kLeastBudget,
                  static_cast<int64_t>(fraction * static_cast<double>(all)));
}

// What max_operations_per_update leaves.
int64_t IncrementalSolverImpl::OperationsLeft(int64_t spent) const {
  if (options_.max_operations_per_update == 0) return kUnlimited;
  return std::max<int64_t>(0, options_.max_operations_per_update - spent);
}

// Orders what changed, and reserves what dirty factors need.
void IncrementalSolverImpl::PrepareStep(IncrementalSolver::Summary* summary) {
  IncrementalCholesky::ReorderLimits limits;
  limits.fill_factor = options_.reorder_fill_factor;
  limits.most_operations = BudgetOfFraction(options_.reorder_budget);
  int64_t required =
      cholesky_->Prepare(limits) + cholesky_->FirstWaitingOperations() +
      incremental_tuning::kEvaluation * static_cast<int64_t>(dirty_.size());
  moves_.clear();
  old_thetas_.clear();
  terms_.clear();
  for (const int f : dirty_) {
    if (factors_[f].term != kNone) terms_.push_back(factors_[f].term);
  }
  required += cholesky_->Reserve(terms_, kUnlimited);
  summary->num_operations += required;
  summary->num_required_operations += required;
}

// The blocks that exceed the threshold: all of them without a budget, else
// those that changed most or waited longest.
std::vector<IncrementalSolverImpl::Candidate>
IncrementalSolverImpl::FindCandidates(bool all) const {
  std::vector<Candidate> candidates;
  for (const int v : exceeding_) {
    const Variable& variable = variables_[v];
    const auto wait = static_cast<double>(num_updates_ - variable.since);
    const double priority = variable.change * (1.0 + wait);
    candidates.push_back({v, priority, priority});
  }
  constexpr size_t kMost = incremental_tuning::kMaxCandidates;
  if (!all && candidates.size() > kMost) {
    std::nth_element(candidates.begin(), candidates.begin() + kMost,
                     candidates.end(), HigherValue);
    candidates.resize(kMost);
  }
  return candidates;
}

bool IncrementalSolverImpl::HigherValue(const Candidate& a,
                                        const Candidate& b) {
  return a.value != b.value ? a.value > b.value : a.variable < b.variable;
}

// By priority over cost, as far as fronts are not reserved yet.
void IncrementalSolverImpl::SortByValue(std::vector<Candidate>* candidates) {
  cholesky_->ForgetPaths();
  for (Candidate& candidate : *candidates) {
    int64_t evaluations = 0, path = 0;
    for (const int f : variables_[candidate.variable].factors) {
      if (factors_[f].is_dirty) continue;
      evaluations += incremental_tuning::kEvaluation;
      if (factors_[f].term == kNone) continue;
      path = std::max(path, cholesky_->PathOperations(factors_[f].term));
    }
    candidate.value =
        candidate.priority / static_cast<double>(evaluations + path + 1);
  }
  std::sort(candidates->begin(), candidates->end(), HigherValue);
}

// Linearizes blocks above the threshold at their estimates, as many as the
// budgets allow. The value of a block grows with each update that it waits, so
// that each comes first at some time.
void IncrementalSolverImpl::Relinearize(IncrementalSolver::Summary* summary) {
  if (exceeding_.empty()) return;
  int64_t left = std::min(BudgetOfFraction(options_.relinearization_budget),
                          OperationsLeft(summary->num_operations));
  std::vector<Candidate> candidates = FindCandidates(left == kUnlimited);
  if (summary->num_steps == 0) {
    SortByValue(&candidates);
    const int first = candidates.front().variable;
    const int64_t operations = ReserveVariable(variables_[first], kUnlimited);
    LinearizeAgain(first, operations, summary);
    summary->num_required_operations += operations;
    if (left != kUnlimited) left = std::max<int64_t>(0, left - operations);
    candidates.erase(candidates.begin());
  }
  // Blocks beside those that are reserved have become cheap.
  SortByValue(&candidates);
  int num_refusals = 0;
  for (const Candidate& candidate : candidates) {
    if (num_refusals == incremental_tuning::kMaxRefusals) break;
    const int64_t operations =
        ReserveVariable(variables_[candidate.variable], left);
    if (operations == IncrementalCholesky::kNone) {
      ++num_refusals;
      continue;
    }
    if (left != kUnlimited) left -= operations;
    LinearizeAgain(candidate.variable, operations, summary);
  }
  exceeding_.erase(
      std::remove_if(exceeding_.begin(), exceeding_.end(),
                     [this](int v) { return !variables_[v].exceeds; }),
      exceeding_.end());
}

// The operations that another linearization of the variable adds; kNone: more
// than most.
int64_t IncrementalSolverImpl::ReserveVariable(const Variable& variable,
                                               int64_t most) {
  int64_t evaluations = 0;
  terms_.clear();
  for (const int f : variable.factors) {
    if (factors_[f].is_dirty) continue;
    evaluations += incremental_tuning::kEvaluation;
    if (factors_[f].term != kNone) terms_.push_back(factors_[f].term);
  }
  if (evaluations > most) return IncrementalCholesky::kNone;
  const int64_t operations = cholesky_->Reserve(terms_, most - evaluations);
  return operations == IncrementalCholesky::kNone ? operations
                                                  : operations + evaluations;
}

void IncrementalSolverImpl::LinearizeAgain(
    int v, int64_t operations, IncrementalSolver::Summary* summary) {
  summary->num_operations += operations;
  ++summary->num_blocks_relinearized;
  Variable& variable = variables_[v];
  variable.exceeds = false;
  variable.tried = 0.0;
  variable.must_damp_anew = variable.damping > 0.0;
  moves_.emplace_back(v, old_thetas_.size());
  old_thetas_.insert(old_thetas_.end(), variable.theta.begin(),
                     variable.theta.end());
  variable.theta = variable.estimate;
  cholesky_->ResetSolution(variable.core_block);
  Linearize(v);
  MarkFactorsDirty(variable);
}

}  // namespace ceres::internal
