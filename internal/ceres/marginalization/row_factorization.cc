// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/marginalization/row_factorization.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "ceres/execution/loops.h"
#include "ceres/linear/dense_products.h"

namespace ceres::internal {
namespace {

using Eigen::Index;

// Columns of a block, and of a piece of the columns that a block is applied to.
constexpr int kBlockColumns = 64;
constexpr int kPieceColumns = 64;
// A pivot is at least this fraction of the norms of the columns that are left.
constexpr double kPivotFraction = 0.1;

// The reflections of one block, Q = I - V T V'.
class BlockReflection {
 public:
  BlockReflection(Index num_rows, Index max_width)
      : v_(num_rows, max_width), t_(max_width, max_width) {}

  Index width() const { return width_; }

  // Adds the reflection that makes the elements of a column zero below row
  // width(), after those of the block, and overwrites the column by the
  // result. Returns false, and leaves the column as it is, if the norm of these
  // elements does not exceed the threshold.
  bool Append(double threshold, Eigen::Ref<Vector> column) {
    Vector x = column;
    Apply(x);
    auto tail = x.tail(x.size() - width_);
    const double norm = tail.norm();
    if (!(norm > threshold)) return false;
    const double pivot = tail[0] > 0.0 ? -norm : norm;
    auto v = v_.col(width_);
    v.head(width_).setZero();
    v.tail(tail.size()) = tail / (tail[0] - pivot);
    v[width_] = 1.0;
    const double tau = (pivot - tail[0]) / pivot;
    t_.col(width_).setZero();
    if (width_ > 0) {
      ColMajorMatrix products = ColMajorMatrix::Zero(width_, 1);
      AddTransposeProduct(-tau, v_.leftCols(width_), v, products);
      AddProduct(1.0, t_.topLeftCorner(width_, width_), products,
                 t_.col(width_).head(width_));
    }
    t_(width_, width_) = tau;
    column.head(width_) = x.head(width_);
    column[width_] = pivot;
    column.tail(tail.size() - 1).setZero();
    ++width_;
    return true;
  }

  // columns = Q' columns.
  void Apply(ColMajorView columns) const {
    if (width_ == 0) return;
    const auto v = v_.leftCols(width_);
    ColMajorMatrix products = ColMajorMatrix::Zero(width_, columns.cols());
    AddTransposeProduct(1.0, v, columns, products);
    ColMajorMatrix scaled = ColMajorMatrix::Zero(width_, columns.cols());
    AddTransposeProduct(1.0, t_.topLeftCorner(width_, width_), products,
                        scaled);
    AddProduct(-1.0, v, scaled, columns);
  }

 private:
  Index width_ = 0;
  ColMajorMatrix v_;
  ColMajorMatrix t_;  // upper triangular; zero below
};

// The steps of FactorizeRows.
class Factorization {
 public:
  Factorization(const Execution& execution, int num_candidates,
                double tolerance, ColMajorMatrix* rows)
      : execution_(execution),
        num_candidates_(num_candidates),
        tolerance_(tolerance),
        rows_(*rows),
        norms_(num_candidates) {
    result_.order.resize(num_candidates);
    std::iota(result_.order.begin(), result_.order.end(), 0);
  }

  RowFactorization Run() {
    const Index most = std::min<Index>(rows_.rows(), num_candidates_);
    ForPieces(0, [this](Index begin, Index end) { UpdateNorms(begin, end); });
    while (result_.rank < most) {
      const double largest =
          norms_.tail(num_candidates_ - result_.rank).maxCoeff();
      // Not a number: no column counts.
      if (!(largest > tolerance_)) break;
      const double threshold = std::max(tolerance_, kPivotFraction * largest);
      if (!EliminateBlock(MoveNextToFront(threshold), threshold)) break;
    }
    const auto pivots = rows_.diagonal().head(result_.rank).cwiseAbs();
    if (result_.rank > 0) {
      result_.least_pivot = pivots.minCoeff();
      result_.largest_pivot = pivots.maxCoeff();
    }
    return std::move(result_);
  }

 private:
  // Calls f(begin, end) for pieces of the columns from `first` on.
  template <typename F>
  void ForPieces(Index first, const F& f) {
    const Index num_columns = rows_.cols() - first;
    const int num_pieces =
        static_cast<int>((num_columns + kPieceColumns - 1) / kPieceColumns);
    ParallelFor(execution_, 0, num_pieces, [&](int piece) {
      const Index begin = first + Index{piece} * kPieceColumns;
      f(begin, std::min(begin + kPieceColumns, rows_.cols()));
    });
  }

  // Computes the norms of columns over the rows from the rank on.
  void UpdateNorms(Index begin, Index end) {
    for (Index c = begin; c < std::min<Index>(end, num_candidates_); ++c) {
      norms_[c] = rows_.col(c).tail(rows_.rows() - result_.rank).norm();
    }
  }

  void SwapColumns(Index a, Index b) {
    if (a == b) return;
    rows_.col(a).swap(rows_.col(b));
    std::swap(norms_[a], norms_[b]);
    std::swap(result_.order[a], result_.order[b]);
  }

  // Moves the first candidates with larger norms behind the pivots, as many as
  // make a block. Returns their number.
  Index MoveNextToFront(double threshold) {
    Index next = result_.rank;
    for (Index c = next;
         c < num_candidates_ && next < result_.rank + kBlockColumns; ++c) {
      if (norms_[c] > threshold) SwapColumns(next++, c);
    }
    return next - result_.rank;
  }

  // Moves rows that are not zero in the next `width` columns before those that
  // are zero in all columns of all blocks so far.
  void MoveRowsToFront(Index width) {
    std::vector<std::pair<Index, Index>> swaps;
    for (Index r = num_active_rows_; r < rows_.rows(); ++r) {
      if (rows_.row(r).segment(result_.rank, width).isZero(0.0)) continue;
      swaps.emplace_back(num_active_rows_++, r);
    }
    ForPieces(result_.rank, [&](Index begin, Index end) {
      for (Index c = begin; c < end; ++c) {
        double* const column = &rows_(0, c);
        for (const auto& [a, b] : swaps) std::swap(column[a], column[b]);
      }
    });
  }

  // Eliminates the columns, among the next `width` ones, whose pivots exceed
  // the threshold. Returns whether there are any.
  bool EliminateBlock(Index width, double threshold) {
    MoveRowsToFront(width);
    const Index first = result_.rank;
    const Index num_rows = num_active_rows_ - first;
    BlockReflection block(num_rows, width);
    for (Index c = first; c < first + width && block.width() < num_rows; ++c) {
      if (block.Append(threshold, rows_.col(c).segment(first, num_rows))) {
        SwapColumns(first + block.width() - 1, c);
      }
    }
    if (block.width() == 0) return false;
    result_.rank += static_cast<int>(block.width());
    ForPieces(result_.rank, [&](Index begin, Index end) {
      block.Apply(rows_.block(first, begin, num_rows, end - begin));
      UpdateNorms(begin, end);
    });
    return true;
  }

  const Execution& execution_;
  const int num_candidates_;
  const double tolerance_;
  ColMajorMatrix& rows_;
  Vector norms_;  // by candidate
  // Rows that blocks have changed, or will.
  Index num_active_rows_ = 0;
  RowFactorization result_;
};

}  // namespace

RowFactorization FactorizeRows(const Execution& execution, int num_candidates,
                               double tolerance, ColMajorMatrix* rows) {
  return Factorization(execution, num_candidates, tolerance, rows).Run();
}

}  // namespace ceres::internal
