// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/linear/narrow_qr_solver.h"

#include <algorithm>

#include "ceres/linear/dense_qr_failures.h"

namespace ceres::internal {
namespace {

// Whether each row block is a residual and its derivatives by all columns.
bool RowBlocksAreRows(const BlockJacobianStructure& s) {
  if (s.num_rows() != s.num_row_blocks() ||
      s.num_values() != int64_t{s.num_rows()} * (s.num_columns() + 1)) {
    return false;
  }
  for (int row = 0; row < s.num_row_blocks(); ++row) {
    int next = 0;
    for (int c = s.first_cell[row]; c < s.first_cell[row + 1]; ++c) {
      if (s.cell_column[c] != next++) return false;
    }
    if (next != s.num_column_blocks()) return false;
  }
  return true;
}

}  // namespace

bool NarrowQrSolver::Suits(const BlockJacobianStructure& structure) {
  return structure.num_columns() >= 1 &&
         structure.num_columns() <= kernels::kMaxNarrowPivots;
}

NarrowQrSolver::NarrowQrSolver(const BlockJacobianStructure& structure)
    : structure_(structure) {
  matrix_.num_dense_rows = structure.num_rows();
  matrix_.num_pivots = structure.num_columns();
  matrix_.width = kernels::NarrowWidth(matrix_.num_pivots);
  const int64_t num_rows = int64_t{matrix_.num_dense_rows} + matrix_.num_pivots;
  values_.Resize(num_rows * matrix_.width);
  matrix_.values = values_.data();
  if (!RowBlocksAreRows(structure)) FindPlaces();
}

void NarrowQrSolver::FindPlaces() {
  constexpr int64_t kZero = -1;
  const BlockJacobianStructure& s = structure_;
  places_.assign(int64_t{matrix_.num_dense_rows} * matrix_.width, kZero);
  int64_t place = 0;
  for (int row = 0; row < s.num_row_blocks(); ++row) {
    const int begin = s.row_offset[row];
    const int end = s.row_offset[row + 1];
    for (int i = begin; i < end; ++i) {
      places_[int64_t{i} * matrix_.width] = place++;
    }
    for (int c = s.first_cell[row]; c < s.first_cell[row + 1]; ++c) {
      const int b = s.cell_column[c];
      for (int i = begin; i < end; ++i) {
        for (int j = s.column_offset[b]; j < s.column_offset[b + 1]; ++j) {
          places_[int64_t{i} * matrix_.width + j + 1] = place++;
        }
      }
    }
  }
}

// [r J; 0 D]
void NarrowQrSolver::FillIn(const BlockJacobian& jacobian,
                            const double* damping) {
  kernels::NarrowSource source;
  source.values = jacobian.values.data();
  source.places = places_.empty() ? nullptr : places_.data();
  source.diagonal = damping;
  kernels::FillNarrow(source, matrix_);
}

int NarrowQrSolver::FirstDependentColumn() const {
  const int n = matrix_.num_pivots;
  for (int j = 0; j < n; ++j) {
    double squared_norm = 0.0;
    for (int i = 0; i <= j; ++i) {
      const double r = matrix_.row(i)[j + 1];
      squared_norm += r * r;
    }
    if (IsDependentColumn(n, matrix_.row(j)[j + 1], squared_norm)) return j;
  }
  return n;
}

// step = -R^-1 c. Returns the decrease of the model: with Q'[r; 0] = [c; d] and
// m = J step, |c|^2 = |m|^2 + |D step|^2, and so 1/2 |r|^2 - 1/2 |m + r|^2 =
// 1/2 |c|^2 + 1/2 |D step|^2.
double NarrowQrSolver::SolveTriangular(const double* damping,
                                       double* step) const {
  const int n = matrix_.num_pivots;
  double sum = 0.0;
  for (int i = n - 1; i >= 0; --i) {
    const double* const row = matrix_.row(i);
    double right_hand_side = -row[0];
    sum += row[0] * row[0];
    for (int j = i + 1; j < n; ++j) right_hand_side -= row[j + 1] * step[j];
    step[i] = right_hand_side / row[i + 1];
    if (damping == nullptr) continue;
    const double damped = damping[i] * step[i];
    sum += damped * damped;
  }
  return 0.5 * sum;
}

LinearSolverSummary NarrowQrSolver::Solve(const BlockJacobian& jacobian,
                                          const SolveOptions& options,
                                          double* step) {
  LinearSolverSummary summary;
  summary.num_iterations = 1;
  matrix_.num_rows = matrix_.num_dense_rows +
                     (options.damping == nullptr ? 0 : matrix_.num_pivots);
  if (matrix_.num_rows < matrix_.num_pivots) {
    summary.message = TooFewRows(matrix_.num_rows, matrix_.num_pivots);
    return summary;
  }
  FillIn(jacobian, options.damping);
  kernels::TriangularizeNarrow(matrix_);
  const int dependent = FirstDependentColumn();
  if (dependent < matrix_.num_pivots) {
    summary.message =
        DependentColumn(dependent, matrix_.row(dependent)[dependent + 1]);
    return summary;
  }
  summary.model_cost_change = SolveTriangular(options.damping, step);
  summary.termination = LinearSolverTermination::kSuccess;
  return summary;
}

}  // namespace ceres::internal
