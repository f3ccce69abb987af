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
#include "ceres/solver/incremental/incremental_solver_impl.h"
#include "ceres/solver/incremental/incremental_tuning.h"
#include "ceres/sparse/dynamic_front.h"

namespace ceres::internal {
namespace {

using namespace incremental_tuning;  // NOLINT

// The place of an element of column c in the diagonal of a packed n x n matrix.
int PackedDiagonal(int n, int c) { return c * n - c * (c - 1) / 2; }

// Whether a symmetric positive semidefinite matrix (n x n) is regular beside
// rounding errors. Cholesky factorization, in place.
bool IsRegular(int n, std::vector<double>* matrix) {
  double* const m = matrix->data();
  for (int k = 0; k < n; ++k) {
    const double diagonal = m[k * n + k];
    double pivot = diagonal;
    for (int j = 0; j < k; ++j) pivot -= m[k * n + j] * m[k * n + j];
    if (!(pivot > kSmallestOwnPivot * diagonal)) return false;
    const double root = std::sqrt(pivot);
    m[k * n + k] = root;
    for (int i = k + 1; i < n; ++i) {
      double sum = m[i * n + k];
      for (int j = 0; j < k; ++j) sum -= m[i * n + j] * m[k * n + j];
      m[i * n + k] = sum / root;
    }
  }
  return true;
}

double LargestDiagonal(int n, const std::vector<double>& matrix) {
  double largest = 0.0;
  for (int i = 0; i < n; ++i) largest = std::max(largest, matrix[i * n + i]);
  return largest > 0.0 ? largest : 1.0;
}

}  // namespace

// The block of J'J of a variable, by its factors: tangent_size^2 doubles.
std::vector<double> IncrementalSolverImpl::OwnMatrix(
    const Variable& variable) const {
  const int size = variable.tangent_size;
  std::vector<double> result(size * size, 0.0);
  for (const int f : variable.factors) {
    const Factor& factor = factors_[f];
    if (factor.term == kNone) continue;
    int n = 0, first = 0;
    for (const int u : factor.variables) {
      if (&variables_[u] == &variable) first = n;
      n += variables_[u].tangent_size;
    }
    const double* const values = cholesky_->TermValues(factor.term);
    for (int c = 0; c < size; ++c) {
      const double* const column = values + PackedDiagonal(n, first + c);
      for (int r = c; r < size; ++r) {
        result[r * size + c] += column[r - c];
        if (r > c) result[c * size + r] += column[r - c];
      }
    }
  }
  return result;
}

double IncrementalSolverImpl::ScaleOfBlock(int core_block) const {
  const Variable& variable = variables_[variable_of_core_[core_block]];
  return LargestDiagonal(variable.tangent_size, OwnMatrix(variable));
}

// Few residual blocks, each with fewer residuals than the variable has
// coordinates.
bool IncrementalSolverImpl::CanBeWeak(const Variable& variable) const {
  if (variable.factors.size() > kMaxCheckedFactors) return false;
  return std::none_of(
      variable.factors.begin(), variable.factors.end(), [&](int f) {
        return factors_[f].block->num_residuals() >= variable.tangent_size;
      });
}

bool IncrementalSolverImpl::IsDetermined(const Variable& variable) const {
  std::vector<double> matrix = OwnMatrix(variable);
  return IsRegular(variable.tangent_size, &matrix);
}

// New residual blocks may determine a variable, or be too few to do so.
void IncrementalSolverImpl::CheckNewFactors() {
  for (const int v : damped_) {
    if (variables_[v].must_damp_anew) with_new_factors_.push_back(v);
  }
  for (const int v : with_new_factors_) {
    Variable& variable = variables_[v];
    if (variable.core_block == kNone) continue;
    variable.is_weak =
        (variable.is_weak || CanBeWeak(variable)) && !IsDetermined(variable);
    variable.num_rejections = 0;
    const bool was_damped = variable.damping > 0.0;
    if (variable.is_weak) {
      if (!was_damped) damped_.push_back(v);
      variable.damping = std::max(variable.damping, kWeakDamping);
    }
    variable.must_damp_anew = variable.is_weak || was_damped;
  }
  with_new_factors_.clear();
}

// Returns the operations that this adds.
int64_t IncrementalSolverImpl::DampAnew() {
  int64_t operations = 0;
  for (const int v : damped_) {
    if (variables_[v].must_damp_anew) operations += SetDamping(v);
  }
  damped_.erase(
      std::remove_if(damped_.begin(), damped_.end(),
                     [this](int v) { return variables_[v].damping == 0.0; }),
      damped_.end());
  return operations;
}

// D is the diagonal of J'J of the variable, with a floor so that a direction
// that no factor sees is damped as well.
int64_t IncrementalSolverImpl::SetDamping(int v) {
  Variable& variable = variables_[v];
  variable.must_damp_anew = false;
  if (variable.damping == 0.0) {
    return cholesky_->SetDamping(variable.core_block, nullptr);
  }
  const int n = variable.tangent_size;
  const std::vector<double> matrix = OwnMatrix(variable);
  const double least = kLeastRelativeDiagonal * LargestDiagonal(n, matrix);
  std::vector<double> diagonal(n);
  for (int i = 0; i < n; ++i) {
    diagonal[i] = variable.damping * std::max(matrix[i * n + i], least);
  }
  return cholesky_->SetDamping(variable.core_block, diagonal.data());
}

// Long steps and damped steps are tried, but not again if they are about the
// same.
void IncrementalSolverImpl::AddSuspect(int v, double change) {
  const Variable& variable = variables_[v];
  const double threshold = options_.relinearization_threshold;
  if (variable.damping > 0.0 ||
      (change > kLongStep * threshold &&
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
    operations += kEvaluation * static_cast<int64_t>(trial.factors.size());
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
  for (Trial& trial : *trials) {
    for (const int f : trial.factors) {
      trial.before += factors_[f].cost;
      trial.predicted += PredictedCost(factors_[f]);
      trial.actual += *cost++;
    }
  }
}

double IncrementalSolverImpl::PredictedCost(const Factor& factor) const {
  if (factor.term == kNone) return factor.cost;
  std::vector<double> x;
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
  const double shared = std::min(
      kSharedError * -cholesky_->minimum(),
      kAverageErrors * average * static_cast<double>(trial.factors.size()));
  return error <=
         kTrustedError * std::abs(trial.before - trial.predicted) +
             kNegligibleCost * std::max(trial.before, trial.predicted) +
             std::max(0.0, shared);
}

// Takes the step back: the variable stays where it is linearized.
void IncrementalSolverImpl::DampMore(int v) {
  Variable& variable = variables_[v];
  if (variable.damping == 0.0) damped_.push_back(v);
  variable.damping = std::max(kFirstDamping, kDampingGrowth * variable.damping);
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
  const bool gains =
      decrease > kNegligibleDecrease * (cost_ + cholesky_->minimum());
  for (const int v : trial.variables) {
    Variable& variable = variables_[v];
    variable.tried = variable.change;
    if (variable.damping == 0.0) continue;
    const bool moves =
        gains && variable.change > options_.relinearization_threshold;
    if (moves) variable.num_rejections = 0;
    if (variable.num_rejections >= kMaxEqualRejections) continue;
    double damping = variable.damping;
    if (!(ratio < 0.5)) damping *= kDampingDecrease;
    if (!(ratio < 0.9)) damping *= kDampingDecrease;
    if (damping < kLeastDamping) damping = 0.0;
    if (variable.is_weak) damping = std::max(damping, kWeakDamping);
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
      " The residual blocks do not determine %d parameter blocks, the first "
      "with index %d in the problem, at %p: add residual blocks, or fix a "
      "block by SetParameterBlockConstant.",
      static_cast<int>(undetermined.size()), first.index(),
      static_cast<const void*>(first.user_state()));
}

}  // namespace ceres::internal
