// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// IncrementalSolverImpl: variables and factors follow the problem.

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <utility>

#include "ceres/base/format.h"
#include "ceres/execution/loops.h"
#include "ceres/solver/incremental/incremental_solver_impl.h"

namespace ceres::internal {
namespace {

// A number that is free, or a new one, after making room for it.
template <typename T>
int NewNumber(std::vector<int>* free, std::vector<T>* items) {
  if (free->empty()) {
    items->emplace_back();
    return static_cast<int>(items->size()) - 1;
  }
  const int number = free->back();
  free->pop_back();
  return number;
}

}  // namespace

// Forgets everything. The journal then says that all residual blocks are new.
void IncrementalSolverImpl::Restart() {
  cholesky_ = std::make_unique<IncrementalCholesky>();
  variables_.clear();
  factors_.clear();
  free_variables_.clear();
  free_factors_.clear();
  variable_of_.clear();
  factor_of_.clear();
  variable_of_core_.clear();
  dirty_.clear();
  exceeding_.clear();
  written_.clear();
  with_new_factors_.clear();
  suspects_.clear();
  damped_.clear();
  moves_.clear();
  cost_ = 0.0;
  journal_.Take();
  for (ResidualBlock* block : problem_.residual_blocks()) {
    journal_.NoteAdded(block);
  }
}

std::vector<ResidualBlock*> IncrementalSolverImpl::ReadJournal() {
  std::vector<ResidualBlock*> added;
  std::unordered_map<const ResidualBlock*, size_t> place_in_added;
  std::vector<const ParameterBlock*> changed;
  for (const ChangeJournal::Change& change : journal_.Take()) {
    switch (change.kind) {
      case ChangeJournal::Kind::kResidualBlockAdded:
        place_in_added[change.residual_block] = added.size();
        added.push_back(change.residual_block);
        break;
      case ChangeJournal::Kind::kResidualBlockRemoved: {
        const auto it = place_in_added.find(change.residual_block);
        if (it != place_in_added.end()) {
          added[it->second] = nullptr;
          place_in_added.erase(it);
        } else {
          RemoveFactor(factor_of_.at(change.residual_block));
        }
        break;
      }
      case ChangeJournal::Kind::kParameterBlockChanged:
        changed.push_back(change.parameter_block);
    }
  }
  std::vector<ResidualBlock*> result;
  for (const ParameterBlock* block : changed) Detach(block, &result);
  for (ResidualBlock* block : added) {
    if (block != nullptr) result.push_back(block);
  }
  return result;
}

// Removes the factors of a block, to be added again.
void IncrementalSolverImpl::Detach(const ParameterBlock* block,
                                   std::vector<ResidualBlock*>* again) {
  const auto it = variable_of_.find(block);
  if (it == variable_of_.end()) return;
  std::vector<int> factors = variables_[it->second].factors;
  factors.erase(std::unique(factors.begin(), factors.end()), factors.end());
  for (const int f : factors) {
    again->push_back(factors_[f].block);
    RemoveFactor(f);
  }
}

bool IncrementalSolverImpl::AddFactor(ResidualBlock* block,
                                      std::string* error) {
  const int f = NewNumber(&free_factors_, &factors_);
  factor_of_[block] = f;
  factors_[f].block = block;
  std::vector<int> core_blocks;
  for (int k = 0; k < block->num_parameter_blocks(); ++k) {
    ParameterBlock* const argument = block->parameter_blocks()[k];
    if (argument->has_bounds() && !argument->IsConstant()) {
      *error = Format(
          "IncrementalSolver does not support bounds, and the parameter block "
          "with index %d in the problem has some: remove them, or use Solve.",
          argument->index());
      return false;
    }
    const int v = FindOrAddVariable(argument);
    variables_[v].factors.push_back(f);
    with_new_factors_.push_back(v);
    factors_[f].variables.push_back(v);
    if (variables_[v].core_block != kNone) {
      core_blocks.push_back(variables_[v].core_block);
    }
  }
  if (!core_blocks.empty() && block->num_residuals() > 0) {
    factors_[f].term = cholesky_->AddTerm(core_blocks);
  }
  factors_[f].is_dirty = true;
  dirty_.push_back(f);
  return true;
}

int IncrementalSolverImpl::FindOrAddVariable(ParameterBlock* block) {
  const auto it = variable_of_.find(block);
  if (it != variable_of_.end()) return it->second;
  const int v = NewNumber(&free_variables_, &variables_);
  variable_of_[block] = v;
  Variable& variable = variables_[v];
  variable.block = block;
  variable.size = block->size();
  variable.tangent_size = block->IsConstant() ? 0 : block->tangent_size();
  variable.theta.assign(block->user_state(),
                        block->user_state() + block->size());
  variable.estimate = variable.theta;
  if (variable.tangent_size > 0) {
    variable.core_block = cholesky_->AddBlock(variable.tangent_size);
    if (variable.core_block >= static_cast<int>(variable_of_core_.size())) {
      variable_of_core_.resize(variable.core_block + 1);
    }
    variable_of_core_[variable.core_block] = v;
    Linearize(v);
  }
  return v;
}

void IncrementalSolverImpl::Linearize(int v) {
  Variable& variable = variables_[v];
  const Manifold* const manifold = variable.block->manifold();
  if (manifold == nullptr || variable.tangent_size == 0) return;
  variable.plus_jacobian.resize(variable.size * variable.tangent_size);
  manifold->PlusJacobian(variable.theta.data(), variable.plus_jacobian.data());
}

void IncrementalSolverImpl::RemoveFactor(int f) {
  Factor& factor = factors_[f];
  if (factor.term != kNone) cholesky_->RemoveTerm(factor.term);
  for (const int v : factor.variables) {
    std::vector<int>& uses = variables_[v].factors;
    const auto it = std::find(uses.begin(), uses.end(), f);
    if (it != uses.end()) uses.erase(it);
    if (uses.empty() && variables_[v].block != nullptr) RemoveVariable(v);
  }
  cost_ -= factor.cost;
  factor_of_.erase(factor.block);
  factor = Factor();
  free_factors_.push_back(f);
}

void IncrementalSolverImpl::RemoveVariable(int v) {
  Variable& variable = variables_[v];
  if (variable.core_block != kNone) {
    cholesky_->RemoveBlock(variable.core_block);
  }
  if (variable.exceeds) {
    exceeding_.erase(std::find(exceeding_.begin(), exceeding_.end(), v));
  }
  if (variable.damping > 0.0) {
    damped_.erase(std::find(damped_.begin(), damped_.end(), v));
  }
  variable_of_.erase(variable.block);
  variable = Variable();
  free_variables_.push_back(v);
}

// A value that is not the last estimate becomes the linearization point.
void IncrementalSolverImpl::ReadUserValues() {
  for (size_t v = 0; v < variables_.size(); ++v) {
    Variable& variable = variables_[v];
    if (variable.block == nullptr) continue;
    const double* const values = variable.block->user_state();
    if (std::memcmp(values, variable.estimate.data(),
                    variable.size * sizeof(double)) == 0) {
      continue;
    }
    std::copy_n(values, variable.size, variable.theta.begin());
    variable.estimate = variable.theta;
    variable.tried = 0.0;
    variable.must_damp_anew = variable.damping > 0.0;
    if (variable.exceeds) {
      variable.exceeds = false;
      exceeding_.erase(
          std::find(exceeding_.begin(), exceeding_.end(), static_cast<int>(v)));
    }
    if (variable.core_block != kNone) {
      cholesky_->ResetSolution(variable.core_block);
      Linearize(static_cast<int>(v));
    }
    MarkFactorsDirty(variable);
  }
}

IncrementalSolverImpl::Evaluation IncrementalSolverImpl::EvaluateFactors(
    const std::vector<int>& factors, Point point) {
  constexpr int kPerChunk = 64;
  const bool linearizes = point == Point::kLinearization;
  const int n = static_cast<int>(factors.size());
  const int num_chunks = (n + kPerChunk - 1) / kPerChunk;
  std::vector<double*> target(n, nullptr);
  std::vector<std::string> errors(num_chunks);
  Evaluation result;
  result.costs.assign(n, 0.0);
  for (int k = 0; k < n && linearizes; ++k) {
    const int term = factors_[factors[k]].term;
    if (term != kNone) target[k] = cholesky_->ChangeTerm(term);
  }
  ParallelFor(execution_, 0, num_chunks, [&](int chunk) {
    TermEvaluator evaluator;
    std::vector<BlockArgument> arguments;
    const int end = std::min(n, (chunk + 1) * kPerChunk);
    for (int k = chunk * kPerChunk; k < end; ++k) {
      const Factor& factor = factors_[factors[k]];
      arguments.clear();
      for (const int v : factor.variables) {
        const Variable& variable = variables_[v];
        arguments.push_back(
            {linearizes ? variable.theta.data() : variable.estimate.data(),
             variable.size, variable.tangent_size, /*jacobian=*/nullptr,
             /*manifold=*/nullptr,
             variable.plus_jacobian.empty() ? nullptr
                                            : variable.plus_jacobian.data()});
      }
      std::string error;
      if (!evaluator.Evaluate(*factor.block, &arguments, target[k],
                              &result.costs[k], &error)) {
        result.costs[k] = std::numeric_limits<double>::infinity();
        if (errors[chunk].empty()) errors[chunk] = error;
      }
    }
  });
  for (int k = 0; k < n; ++k) {
    if (std::isinf(result.costs[k])) result.failed.push_back(k);
  }
  for (const std::string& e : errors) {
    if (result.error.empty()) result.error = e;
  }
  return result;
}

bool IncrementalSolverImpl::EvaluateDirty(int* num_evaluated,
                                          std::string* error) {
  Evaluation evaluation = EvaluateFactors(dirty_, Point::kLinearization);
  while (!evaluation.failed.empty()) {
    *num_evaluated += static_cast<int>(dirty_.size());
    if (!TakeBackMoves(evaluation.failed)) {
      *error = evaluation.error;
      return false;
    }
    evaluation = EvaluateFactors(dirty_, Point::kLinearization);
  }
  for (size_t k = 0; k < dirty_.size(); ++k) {
    Factor& factor = factors_[dirty_[k]];
    cost_ += evaluation.costs[k] - factor.cost;
    factor.cost = evaluation.costs[k];
    factor.is_dirty = false;
  }
  *num_evaluated += static_cast<int>(dirty_.size());
  dirty_.clear();
  return true;
}

void IncrementalSolverImpl::CompareWithBatch(
    const Solver::Options& options, IncrementalSolver::Comparison* comparison) {
  *comparison = IncrementalSolver::Comparison();
  // Restored at the end, also by an exception.
  struct Restored {
    ~Restored() {
      for (size_t k = 0; k < values.size(); ++k) {
        std::copy(values[k].begin(), values[k].end(), blocks[k]->user_state());
      }
    }
    const std::vector<ParameterBlock*>& blocks;
    std::vector<std::vector<double>> values;
  };
  const std::vector<ParameterBlock*>& blocks = problem_.parameter_blocks();
  Restored restored{blocks, {}};
  std::vector<std::vector<double>>& estimate = restored.values;
  for (const ParameterBlock* block : blocks) {
    estimate.emplace_back(block->user_state(),
                          block->user_state() + block->size());
  }
  Solve(options, &public_problem_, &comparison->batch);
  double largest = 0.0;
  std::vector<double> difference;
  for (size_t k = 0; k < blocks.size(); ++k) {
    const ParameterBlock& block = *blocks[k];
    const double* const solution = block.user_state();
    difference.assign(block.tangent_size(), 0.0);
    if (block.manifold() != nullptr) {
      block.manifold()->Minus(solution, estimate[k].data(), difference.data());
    } else {
      for (int i = 0; i < block.size(); ++i) {
        difference[i] = solution[i] - estimate[k][i];
      }
    }
    for (const double d : difference) largest = std::max(largest, std::abs(d));
  }
  if (comparison->batch.IsSolutionUsable()) {
    comparison->largest_difference = largest;
  }
}

}  // namespace ceres::internal
