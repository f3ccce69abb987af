// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// IncrementalSolverImpl: the damping of variables, and which variables their
// own factors do not determine.

#include <algorithm>
#include <cmath>
#include <vector>

#include "ceres/solver/incremental/incremental_solver_impl.h"
#include "ceres/solver/incremental/incremental_tuning.h"

namespace ceres::internal {
namespace {

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
    if (!(pivot > incremental_tuning::kSmallestOwnPivot * diagonal))
      return false;
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
  if (variable.factors.size() > incremental_tuning::kMaxCheckedFactors)
    return false;
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
      variable.damping =
          std::max(variable.damping, incremental_tuning::kWeakDamping);
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
  const double least =
      incremental_tuning::kLeastRelativeDiagonal * LargestDiagonal(n, matrix);
  std::vector<double> diagonal(n);
  for (int i = 0; i < n; ++i) {
    diagonal[i] = variable.damping * std::max(matrix[i * n + i], least);
  }
  return cholesky_->SetDamping(variable.core_block, diagonal.data());
}

}  // namespace ceres::internal
