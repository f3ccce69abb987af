// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/linear/dense_qr_solver.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include "ceres/base/number.h"
#include "ceres/execution/aligned_buffer.h"
#include "ceres/kernels/householder.h"
#include "ceres/kernels/narrow_qr.h"
#include "ceres/linear/lapack.h"
#include "ceres/linear/single_threaded_blas.h"
#include "ceres/logging/logging.h"

namespace ceres::internal {
namespace {

std::string TooFewRows(int num_rows, int num_columns) {
  std::ostringstream text;
  text << "Dense QR factorization failed: " << CountOf(num_rows, "residual")
       << " cannot determine " << CountOf(num_columns, "parameter")
       << " without damping.";
  return text.str();
}

std::string DependentColumn(int j, double pivot) {
  std::ostringstream text;
  text << "Dense QR factorization failed: to working precision column " << j
       << " of the Jacobian depends on the columns before it (or is not "
          "finite), pivot "
       << pivot << ".";
  return text.str();
}

// Calls f(row, column) for all values of the row blocks, in their order.
// column: num_columns for a residual.
template <typename F>
void ForEachValue(const BlockJacobianStructure& s, const F& f) {
  for (int row = 0; row < s.num_row_blocks(); ++row) {
    const int begin = s.row_offset[row];
    const int end = s.row_offset[row + 1];
    for (int i = begin; i < end; ++i) f(i, s.num_columns());
    for (int c = s.first_cell[row]; c < s.first_cell[row + 1]; ++c) {
      const int b = s.cell_column[c];
      for (int i = begin; i < end; ++i) {
        for (int j = s.column_offset[b]; j < s.column_offset[b + 1]; ++j) {
          f(i, j);
        }
      }
    }
  }
}

// Triangularizes [J r; D 0], the right-hand side as one more column, so that Q
// is never applied on its own. With Q'[r; 0] = [c; d] and m = J step, |c|^2 =
// |m|^2 + |D step|^2, and so the decrease of the model 1/2 |r|^2 - 1/2 |m +
// r|^2 = 1/2 |c|^2 + 1/2 |D step|^2: a sum of squares, without another pass
// over J.
class QrSolver : public LinearSolver {
 public:
  LinearSolverSummary Solve(const BlockJacobian& jacobian,
                            const SolveOptions& options,
                            double* step) override {
    LinearSolverSummary summary;
    summary.num_iterations = 1;
    const int n = structure_.num_columns();
    if (n == 0) {
      summary.termination = LinearSolverTermination::kSuccess;
      return summary;
    }
    const int num_rows =
        structure_.num_rows() + (options.damping == nullptr ? 0 : n);
    if (num_rows < n) {
      summary.message = TooFewRows(num_rows, n);
      return summary;
    }
    FillIn(jacobian, options.damping, num_rows);
    Triangularize();
    for (int j = 0; j < n; ++j) {
      if (IsDependent(j)) {
        summary.message = DependentColumn(j, ColumnOfR(j)[j]);
        return summary;
      }
    }
    summary.termination = LinearSolverTermination::kSuccess;
    summary.model_cost_change = 0.5 * SolveTriangular(options.damping, step);
    return summary;
  }

 protected:
  struct Column {
    double operator[](int i) const { return first[i * row_step]; }
    const double* first;
    int64_t row_step;
  };

  explicit QrSolver(const BlockJacobianStructure& structure)
      : structure_(structure) {}

  virtual void FillIn(const BlockJacobian& jacobian, const double* damping,
                      int num_rows) = 0;
  virtual void Triangularize() = 0;
  virtual Column ColumnOfR(int j) const = 0;
  // step = -R^-1 c. Returns |c|^2 + |D step|^2.
  virtual double SolveTriangular(const double* damping, double* step) = 0;

  const BlockJacobianStructure& structure_;

 private:
  // Whether column j depends on the columns before it, up to rounding errors
  // (or is NaN). Its pivot is the norm of its part that is orthogonal to these;
  // the norm of its column of R is its own, since Q is orthogonal.
  bool IsDependent(int j) const {
    const Column r = ColumnOfR(j);
    double squared_norm = 0.0;
    for (int i = 0; i <= j; ++i) squared_norm += r[i] * r[i];
    const double relative =
        std::numeric_limits<double>::epsilon() * structure_.num_columns();
    return !(std::abs(r[j]) > relative * std::sqrt(squared_norm)) ||
           !std::isfinite(squared_norm);
  }
};

// Stores [J r; D 0] by columns.
class DenseQrSolver : public QrSolver {
 public:
  explicit DenseQrSolver(const BlockJacobianStructure& structure)
      : QrSolver(structure) {
    matrix_.num_dense_rows = structure.num_rows();
    matrix_.num_pivots = structure.num_columns();
    matrix_.num_columns = structure.num_columns() + 1;
    matrix_.stride = structure.num_rows() + structure.num_columns();
    values_.Resize(static_cast<size_t>(matrix_.stride) * matrix_.num_columns);
    matrix_.values = values_.data();
    destination_.reserve(structure.num_values());
    ForEachValue(structure, [this](int row, int column) {
      destination_.push_back(static_cast<int64_t>(column) * matrix_.stride +
                             row);
    });
    is_full_ = structure.num_values() ==
               int64_t{matrix_.num_dense_rows} * matrix_.num_columns;
  }

 protected:
  void Triangularize() override { HouseholderTriangularize(matrix_); }

  kernels::TallMatrix matrix_;

 private:
  double* column(int j) const {
    return matrix_.values + static_cast<int64_t>(j) * matrix_.stride;
  }
  Column ColumnOfR(int j) const override { return {column(j), 1}; }

  void FillIn(const BlockJacobian& jacobian, const double* damping,
              int num_rows) override {
    matrix_.num_rows = num_rows;
    const int first_zero = is_full_ ? matrix_.num_dense_rows : 0;
    for (int j = 0; j < matrix_.num_columns; ++j) {
      std::fill(column(j) + first_zero, column(j) + num_rows, 0.0);
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

  double SolveTriangular(const double* damping, double* step) override {
    const double* c = column(matrix_.num_pivots);
    kernels::SolveUpperTriangular(matrix_, c, step);
    double sum = 0.0;
    for (int j = 0; j < matrix_.num_pivots; ++j) {
      step[j] = -step[j];
      const double damped = damping == nullptr ? 0.0 : damping[j] * step[j];
      sum += c[j] * c[j] + damped * damped;
    }
    return sum;
  }

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
    VESTA_CHECK_EQ(info, 0) << "dgeqrf refuses argument " << -info;
  }

  std::vector<double> tau_;
  std::vector<double> work_;
};

#endif  // CERES_NO_LAPACK

// For Jacobians with few columns, such as those of curve fits: stores [r J; 0
// D] by rows and treats a row as one vector.
class NarrowQrSolver final : public QrSolver {
 public:
  explicit NarrowQrSolver(const BlockJacobianStructure& structure)
      : QrSolver(structure) {
    matrix_.num_dense_rows = structure.num_rows();
    matrix_.num_pivots = structure.num_columns();
    matrix_.width = kernels::NarrowWidth(matrix_.num_pivots);
    const int64_t num_rows =
        int64_t{matrix_.num_dense_rows} + matrix_.num_pivots;
    values_.Resize(num_rows * matrix_.width);
    matrix_.values = values_.data();
    FindPlaces();
  }

 private:
  // f(place of a value in the rows, its place in the row blocks).
  template <typename F>
  void ForEachPlace(int64_t width, const F& f) const {
    int64_t place = 0;
    ForEachValue(structure_, [&](int row, int column) {
      f(row * width + (column + 1) % (matrix_.num_pivots + 1), place++);
    });
  }

  // Leaves `places_` empty if each row block is a residual and its derivatives
  // by all columns.
  void FindPlaces() {
    constexpr int64_t kZero = -1;
    const int length = matrix_.num_pivots + 1;
    bool are_rows =
        structure_.num_values() == int64_t{matrix_.num_dense_rows} * length;
    ForEachPlace(length, [&](int64_t in_rows, int64_t place) {
      are_rows = are_rows && in_rows == place;
    });
    if (are_rows) return;
    places_.assign(int64_t{matrix_.num_dense_rows} * matrix_.width, kZero);
    ForEachPlace(matrix_.width, [&](int64_t in_rows, int64_t place) {
      places_[in_rows] = place;
    });
  }

  Column ColumnOfR(int j) const override {
    return {matrix_.values + j + 1, matrix_.width};
  }

  void FillIn(const BlockJacobian& jacobian, const double* damping,
              int num_rows) override {
    matrix_.num_rows = num_rows;
    kernels::NarrowSource source;
    source.values = jacobian.values.data();
    source.places = places_.empty() ? nullptr : places_.data();
    source.diagonal = damping;
    kernels::FillNarrow(source, matrix_);
  }

  void Triangularize() override { kernels::TriangularizeNarrow(matrix_); }

  double SolveTriangular(const double* damping, double* step) override {
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
    return sum;
  }

  AlignedBuffer values_;
  kernels::NarrowMatrix matrix_;
  // The place in the row blocks of each value of the dense rows
  // (kernels::NarrowSource). Empty: the row blocks are the rows.
  std::vector<int64_t> places_;
};

}  // namespace

std::unique_ptr<LinearSolver> CreateDenseQrSolver(
    DenseLinearAlgebraLibraryType library, const Execution& /*execution*/,
    const BlockJacobianStructure& structure) {
#ifndef CERES_NO_LAPACK
  if (library == LAPACK) {
    return std::make_unique<LapackQrSolver>(structure);
  }
#endif
  VESTA_CHECK_EQ(library, EIGEN)
      << "This dense linear algebra library is not part "
         "of this build; use EIGEN.";
  if (structure.num_columns() >= 1 &&
      structure.num_columns() <= kernels::kMaxNarrowPivots) {
    return std::make_unique<NarrowQrSolver>(structure);
  }
  return std::make_unique<DenseQrSolver>(structure);
}

}  // namespace ceres::internal
