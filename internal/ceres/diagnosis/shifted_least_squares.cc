// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/diagnosis/shifted_least_squares.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "ceres/diagnosis/scaled_jacobian.h"
#include "ceres/diagnosis/wide_products.h"
#include "ceres/execution/aligned_buffer.h"
#include "ceres/execution/loops.h"
#include "ceres/normal/normal_equations.h"
#include "ceres/schur/schur_eliminator.h"
#include "ceres/schur/schur_plan.h"
#include "ceres/sparse/native_cholesky.h"

namespace ceres::internal {
namespace {

using Eigen::VectorXd;
using Outcome = ShiftedLeastSquares::Outcome;

Outcome OutcomeOf(LinearSolverTermination termination) {
  switch (termination) {
    case LinearSolverTermination::kSuccess:
      return Outcome::kSuccess;
    case LinearSolverTermination::kFatalError:
      return Outcome::kNoMemory;
    default:
      return Outcome::kNotPositiveDefinite;
  }
}

// X <- A^-1 X with the factor of A.
void SolveColumns(const Execution& execution, NativeFactor<double>* factor,
                  RowMajorMatrix* x) {
  std::string message;
  VectorXd right(x->rows());
  VectorXd solution(x->rows());
  for (Eigen::Index k = 0; k < x->cols(); ++k) {
    CheckStop(execution);
    right = x->col(k);
    if (factor->Solve(right.data(), solution.data(), &message) !=
        LinearSolverTermination::kSuccess) {
      solution.setZero();
    }
    x->col(k) = solution;
  }
}

// Without eliminated blocks.
class WholeLeastSquares final : public ShiftedLeastSquares {
 public:
  WholeLeastSquares(const Execution& execution, const BlockJacobian& jacobian,
                    const CellsByColumn& cells)
      : execution_(execution),
        jacobian_(jacobian),
        cells_(cells),
        equations_(execution, *jacobian.structure),
        factor_(CreateNativeFactor(SparseCholesky::Options(),
                                   equations_.pattern())) {}

  Outcome Factorize(double d, std::string* message) override {
    const int n = jacobian_.structure->num_columns();
    const std::vector<double> damping(n, d);
    AlignedBuffer gradient(n);
    values_.Resize(equations_.pattern().num_values());
    equations_.Assemble(jacobian_, damping.data(), values_.data(),
                        gradient.data());
    return OutcomeOf(factor_->Factorize(execution_, values_.data(), message));
  }

  RowMajorMatrix Solve(const RowMajorMatrix& w) override {
    RowMajorMatrix x = TransposeMultiply(execution_, jacobian_, cells_, w);
    SolveColumns(execution_, factor_.get(), &x);
    return x;
  }

 private:
  const Execution execution_;
  const BlockJacobian& jacobian_;
  const CellsByColumn& cells_;
  NormalEquations equations_;
  std::unique_ptr<NativeFactor<double>> factor_;
  AlignedBuffer values_;
};

class ReducedLeastSquares final : public ShiftedLeastSquares {
 public:
  ReducedLeastSquares(const Execution& execution, const BlockJacobian& jacobian)
      : execution_(execution),
        jacobian_(jacobian),
        s_(*jacobian.structure),
        plan_(execution, s_, ReducedMatrix::kSchurComplement,
              kernels::PointDiagonal::kFused, SchurFormation::kChoose,
              SchurPlaces::kNotInBatches),
        eliminator_(execution, plan_, SchurEliminator::KeepU::kNo),
        first_remaining_(s_.column_offset[s_.num_eliminated]),
        num_remaining_(s_.num_columns() - first_remaining_) {
    if (num_remaining_ > 0) {
      factor_ = CreateNativeFactor(SparseCholesky::Options(), plan_.pattern());
    }
  }

  Outcome Factorize(double d, std::string* message) override {
    damping_.assign(s_.num_columns(), d);
    if (!eliminator_.Eliminate(jacobian_, damping_.data(), message)) {
      return Outcome::kNotPositiveDefinite;
    }
    if (num_remaining_ == 0) return Outcome::kSuccess;
    values_.Resize(plan_.pattern().num_values());
    eliminator_.AssembleBlocks(values_.data());
    return OutcomeOf(factor_->Factorize(execution_, values_.data(), message));
  }

  RowMajorMatrix Solve(const RowMajorMatrix& w) override {
    const auto k = static_cast<int>(w.cols());
    RowMajorMatrix x(s_.num_columns(), k);
    WithConstantWidth(k, [&](auto width) {
      FirstPass<width>(w, &x);
      if (num_remaining_ > 0) {
        RowMajorMatrix z = x.bottomRows(num_remaining_);
        SolveColumns(execution_, factor_.get(), &z);
        x.bottomRows(num_remaining_) = z;
      }
      SecondPass<width>(&x);
    });
    return x;
  }

 private:
  // X <- (t, c).
  template <int kWidth>
  void FirstPass(const RowMajorMatrix& w, RowMajorMatrix* x) const {
    const auto k = static_cast<int>(w.cols());
    const int num_chunks = s_.num_row_chunks();
    const std::int64_t sum_size = std::int64_t{num_remaining_} * k;
    // By row chunk: its part of c.
    AlignedBuffer sums(sum_size * num_chunks);
    ParallelFor(execution_, 0, num_chunks, [&](int chunk) {
      CheckStop(execution_);
      double* const sum = sums.data() + chunk * sum_size;
      std::fill_n(sum, sum_size, 0.0);
      std::vector<double> left;  // W - E t of a row block.
      VisitPoints(chunk, [&](int point, int begin, int end) {
        double* t = nullptr;
        if (point >= 0) {
          t = x->data() + std::int64_t{s_.column_offset[point]} * k;
          std::fill_n(t, std::int64_t{s_.column_size(point)} * k, 0.0);
          for (int row = begin; row < end; ++row) {
            AddTransposed<kWidth>(row, s_.first_cell[row], RowOf(w, row), k, t);
          }
          SolvePoint(point, k, t);
        }
        for (int row = begin; row < end; ++row) {
          const double* const from = RowOf(w, row);
          left.assign(from, from + std::int64_t{s_.row_size(row)} * k);
          int c = s_.first_cell[row];
          if (point >= 0) {
            SubtractProduct<kWidth>(row, c++, t, k, left.data());
          }
          for (; c < s_.first_cell[row + 1]; ++c) {
            AddTransposed<kWidth>(row, c, left.data(), k,
                                  sum + Remaining(c) * k);
          }
        }
      });
    });
    double* const c = x->data() + std::int64_t{first_remaining_} * k;
    ParallelFor(execution_, 0, num_remaining_, [&](IndexRange columns) {
      const std::int64_t begin = std::int64_t{columns.begin} * k;
      const std::int64_t end = std::int64_t{columns.end} * k;
      std::fill(c + begin, c + end, 0.0);
      for (int chunk = 0; chunk < num_chunks; ++chunk) {
        const double* const sum = sums.data() + chunk * sum_size;
        for (std::int64_t i = begin; i < end; ++i) c[i] += sum[i];
      }
    });
  }

  // t <- y.
  template <int kWidth>
  void SecondPass(RowMajorMatrix* x) const {
    const auto k = static_cast<int>(x->cols());
    const double* const z = x->data() + std::int64_t{first_remaining_} * k;
    ParallelFor(execution_, 0, s_.num_row_chunks(), [&](int chunk) {
      CheckStop(execution_);
      std::vector<double> product;  // F z of a row block.
      std::vector<double> sum;      // E'F z of a point.
      VisitPoints(chunk, [&](int point, int begin, int end) {
        if (point < 0) return;
        const std::int64_t size = std::int64_t{s_.column_size(point)} * k;
        sum.assign(size, 0.0);
        for (int row = begin; row < end; ++row) {
          product.assign(std::int64_t{s_.row_size(row)} * k, 0.0);
          const int first = s_.first_cell[row];
          for (int c = first + 1; c < s_.first_cell[row + 1]; ++c) {
            const int n = s_.column_size(s_.cell_column[c]);
            AddProduct<kWidth>(Cell(row, c), s_.row_size(row), n,
                               z + Remaining(c) * k, k, product.data());
          }
          AddTransposed<kWidth>(row, first, product.data(), k, sum.data());
        }
        SolvePoint(point, k, sum.data());
        double* const y = x->data() + std::int64_t{s_.column_offset[point]} * k;
        for (std::int64_t i = 0; i < size; ++i) y[i] -= sum[i];
      });
    });
  }

  // Calls visit(point, begin, end) for the points of a row chunk and their
  // rows, and with point -1 for rows that depend on no point.
  template <typename Visit>
  void VisitPoints(int chunk, const Visit& visit) const {
    const int end = s_.row_chunk_first_row[chunk + 1];
    int row = s_.row_chunk_first_row[chunk];
    while (row < end) {
      if (row >= s_.eliminated_first_row.back()) {
        visit(-1, row, end);
        return;
      }
      const int column = s_.cell_column[s_.first_cell[row]];
      visit(column, row, s_.eliminated_first_row[column + 1]);
      row = s_.eliminated_first_row[column + 1];
    }
  }

  const double* Cell(int row, int c) const {
    return jacobian_.row_block(row) + s_.cell_position[c];
  }
  const double* RowOf(const RowMajorMatrix& w, int row) const {
    return w.data() + std::int64_t{s_.row_offset[row]} * w.cols();
  }
  // The place of the columns of a cell among remaining columns.
  std::int64_t Remaining(int c) const {
    return s_.column_offset[s_.cell_column[c]] - first_remaining_;
  }

  // y += (cell c)' x.
  template <int kWidth>
  void AddTransposed(int row, int c, const double* x, int k, double* y) const {
    const int n = s_.column_size(s_.cell_column[c]);
    AddTransposedProduct<kWidth>(Cell(row, c), s_.row_size(row), n, x, k, y);
  }
  // y -= (cell c) x.
  template <int kWidth>
  void SubtractProduct(int row, int c, const double* x, int k,
                       double* y) const {
    const int n = s_.column_size(s_.cell_column[c]);
    AddProduct<kWidth, -1>(Cell(row, c), s_.row_size(row), n, x, k, y);
  }

  // X <- B^-1 X of a point.
  void SolvePoint(int point, int k, double* x) const {
    const int n = s_.column_size(point);
    const double* const l =
        eliminator_.factor() + plan_.storage().factor_offset()[point];
    const auto at = [l](int i, int j) { return l[i * (i + 1) / 2 + j]; };
    for (int i = 0; i < n; ++i) {
      double* const own = x + std::int64_t{i} * k;
      for (int j = 0; j < i; ++j) {
        for (int c = 0; c < k; ++c) own[c] -= at(i, j) * x[j * k + c];
      }
      for (int c = 0; c < k; ++c) own[c] *= at(i, i);
    }
    for (int i = n - 1; i >= 0; --i) {
      double* const own = x + std::int64_t{i} * k;
      for (int j = i + 1; j < n; ++j) {
        for (int c = 0; c < k; ++c) own[c] -= at(j, i) * x[j * k + c];
      }
      for (int c = 0; c < k; ++c) own[c] *= at(i, i);
    }
  }

  const Execution execution_;
  const BlockJacobian& jacobian_;
  const BlockJacobianStructure& s_;
  SchurPlan plan_;
  SchurEliminator eliminator_;
  const int first_remaining_;
  const int num_remaining_;
  std::unique_ptr<NativeFactor<double>> factor_;  // Of S, if S is not empty.
  std::vector<double> damping_;
  AlignedBuffer values_;
};

}  // namespace

std::unique_ptr<ShiftedLeastSquares> ShiftedLeastSquares::Create(
    const Execution& execution, const BlockJacobian& jacobian,
    const CellsByColumn& cells) {
  if (jacobian.structure->num_eliminated > 0) {
    return std::make_unique<ReducedLeastSquares>(execution, jacobian);
  }
  return std::make_unique<WholeLeastSquares>(execution, jacobian, cells);
}

}  // namespace ceres::internal
