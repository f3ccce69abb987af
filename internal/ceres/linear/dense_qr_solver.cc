// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/linear/dense_qr_solver.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "ceres/execution/aligned_buffer.h"
#include "ceres/kernels/householder.h"
#include "ceres/linear/dense_qr_failures.h"
#include "ceres/linear/lapack.h"
#include "ceres/linear/narrow_qr_solver.h"
#include "ceres/linear/single_threaded_blas.h"
#include "glog/logging.h"

namespace ceres::internal {
namespace {

// Triangularizes with the right-hand side as one more column, so that Q is
// never applied on its own.
class DenseQrSolver : public LinearSolver {
 public:
  explicit DenseQrSolver(const BlockJacobianStructure& structure)
      : structure_(structure) {
    matrix_.num_dense_rows = structure.num_rows();
    matrix_.num_pivots = structure.num_columns();
    matrix_.num_columns = structure.num_columns() + 1;
    matrix_.stride = structure.num_rows() + structure.num_columns();
    values_.Resize(static_cast<size_t>(matrix_.stride) * matrix_.num_columns);
    matrix_.values = values_.data();
    PlanCopy();
  }

  LinearSolverSummary Solve(const BlockJacobian& jacobian,
                            const SolveOptions& options,
                            double* step) override {
    LinearSolverSummary summary;
    summary.num_iterations = 1;
    if (matrix_.num_pivots == 0) {
      summary.termination = LinearSolverTermination::kSuccess;
      return summary;
    }
    matrix_.num_rows = matrix_.num_dense_rows +
                       (options.damping == nullptr ? 0 : matrix_.num_pivots);
    if (matrix_.num_rows < matrix_.num_pivots) {
      summary.message = TooFewRows(matrix_.num_rows, matrix_.num_pivots);
      return summary;
    }
    FillIn(jacobian, options.damping);
    Triangularize();
    const int dependent = FirstDependentColumn();
    if (dependent < matrix_.num_pivots) {
      summary.message =
          DependentColumn(dependent, column(dependent)[dependent]);
      return summary;
    }
    kernels::SolveUpperTriangular(matrix_, column(matrix_.num_pivots), step);
    for (int j = 0; j < matrix_.num_pivots; ++j) step[j] = -step[j];
    summary.termination = LinearSolverTermination::kSuccess;
    summary.model_cost_change =
        ModelCostChangeFromFactor(options.damping, step);
    return summary;
  }

 protected:
  virtual void Triangularize() { HouseholderTriangularize(matrix_); }

  kernels::TallMatrix matrix_;

 private:
  double* column(int j) {
    return values_.data() + static_cast<int64_t>(j) * matrix_.stride;
  }

  // Where each value of the row blocks goes.
  void PlanCopy() {
    const BlockJacobianStructure& s = structure_;
    destination_.resize(s.num_values());
    int64_t* next = destination_.data();
    const auto place = [this](int row, int column) {
      return static_cast<int64_t>(column) * matrix_.stride + row;
    };
    for (int row = 0; row < s.num_row_blocks(); ++row) {
      for (int i = s.row_offset[row]; i < s.row_offset[row + 1]; ++i) {
        *next++ = place(i, matrix_.num_pivots);
      }
      for (int c = s.first_cell[row]; c < s.first_cell[row + 1]; ++c) {
        const int b = s.cell_column[c];
        for (int i = s.row_offset[row]; i < s.row_offset[row + 1]; ++i) {
          for (int j = s.column_offset[b]; j < s.column_offset[b + 1]; ++j) {
            *next++ = place(i, j);
          }
        }
      }
    }
    is_full_ =
        s.num_values() == int64_t{matrix_.num_dense_rows} * matrix_.num_columns;
  }

  // [J r; D 0]
  void FillIn(const BlockJacobian& jacobian, const double* damping) {
    const int first_zero = is_full_ ? matrix_.num_dense_rows : 0;
    for (int j = 0; j < matrix_.num_columns; ++j) {
      std::fill(column(j) + first_zero, column(j) + matrix_.num_rows, 0.0);
    }
    const double* row_blocks = jacobian.values.data();
    const int64_t num_values = structure_.num_values();
    for (int64_t k = 0; k < num_values; ++k) {
      matrix_.values[destination_[k]] = row_blocks[k];
    }
    if (damping == nullptr) return;
    for (int j = 0; j < matrix_.num_pivots; ++j) {
      column(j)[matrix_.num_dense_rows + j] = damping[j];
    }
  }

  // With Q'[r; 0] = [c; d] and m = J step, |c|^2 = |m|^2 + |D step|^2, and so
  // 1/2 |r|^2 - 1/2 |m + r|^2 = 1/2 |c|^2 + 1/2 |D step|^2: a sum of squares,
  // without another pass over J.
  double ModelCostChangeFromFactor(const double* damping, const double* step) {
    const double* c = column(matrix_.num_pivots);
    double sum = 0.0;
    for (int j = 0; j < matrix_.num_pivots; ++j) {
      const double damped = damping == nullptr ? 0.0 : damping[j] * step[j];
      sum += c[j] * c[j] + damped * damped;
    }
    return 0.5 * sum;
  }

  // n if there is none.
  int FirstDependentColumn() {
    const int n = matrix_.num_pivots;
    for (int j = 0; j < n; ++j) {
      const double* r = column(j);
      double squared_norm = 0.0;
      for (int i = 0; i <= j; ++i) squared_norm += r[i] * r[i];
      if (IsDependentColumn(n, r[j], squared_norm)) return j;
    }
    return n;
  }

  const BlockJacobianStructure& structure_;
  AlignedBuffer values_;
  std::vector<int64_t> destination_;  // in values_, by value of the row blocks
  bool is_full_ = false;              // every row touches every column
};

#ifndef CERES_NO_LAPACK

class LapackQrSolver final : public DenseQrSolver {
 public:
  explicit LapackQrSolver(const BlockJacobianStructure& structure)
      : DenseQrSolver(structure), tau_(structure.num_columns() + 1) {
    matrix_.num_rows = matrix_.stride;
    double best_length = 1.0;
    if (matrix_.stride > 0) Call(&best_length, kAskForLength);
    work_.resize(std::max(1, static_cast<int>(best_length)));
  }

 private:
  static constexpr int kAskForLength = -1;

  void Triangularize() override {
    Call(work_.data(), static_cast<int>(work_.size()));
  }

  void Call(double* work, int work_length) {
    const SingleThreadedBlas single_threaded;
    int info = 0;
    dgeqrf_(&matrix_.num_rows, &matrix_.num_columns, matrix_.values,
            &matrix_.stride, tau_.data(), work, &work_length, &info);
    CHECK_EQ(info, 0) << "dgeqrf refuses argument " << -info;
  }

  std::vector<double> tau_;
  std::vector<double> work_;
};

#endif  // CERES_NO_LAPACK

}  // namespace

std::unique_ptr<LinearSolver> CreateDenseQrSolver(
    DenseLinearAlgebraLibraryType library, const Execution& /*execution*/,
    const BlockJacobianStructure& structure) {
#ifndef CERES_NO_LAPACK
  if (library == LAPACK) {
    return std::make_unique<LapackQrSolver>(structure);
  }
#endif
  CHECK_EQ(library, EIGEN) << "This dense linear algebra library is not part "
                              "of this build; use EIGEN.";
  if (NarrowQrSolver::Suits(structure)) {
    return std::make_unique<NarrowQrSolver>(structure);
  }
  return std::make_unique<DenseQrSolver>(structure);
}

}  // namespace ceres::internal
