// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/sparse/block_symmetric.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "ceres/execution/loops.h"
#include "ceres/kernels/packed_cholesky.h"
#include "ceres/linear/front_cholesky.h"
#include "ceres/linear/small_blocks.h"
#include "ceres/sparse/sparse_tuning.h"

namespace ceres::internal {

BlockSymmetricProduct::BlockSymmetricProduct(
    const BlockSymmetricStructure& structure)
    : structure_(structure), first_mirrored_(structure.num_blocks() + 1, 0) {
  const BlockSymmetricStructure& s = structure;
  const int n = s.num_blocks();
  for (int i = 0; i < n; ++i) {
    for (int e = s.first_entry[i]; e < s.first_entry[i + 1]; ++e) {
      if (s.entry_column[e] != i) ++first_mirrored_[s.entry_column[e] + 1];
    }
  }
  for (int i = 0; i < n; ++i) first_mirrored_[i + 1] += first_mirrored_[i];
  mirrored_.resize(first_mirrored_.back());
  std::vector<int> next(first_mirrored_.begin(), first_mirrored_.end() - 1);
  std::vector<int64_t> cost(n + 1, 0);
  for (int i = 0; i < n; ++i) {
    for (int e = s.first_entry[i]; e < s.first_entry[i + 1]; ++e) {
      const int j = s.entry_column[e];
      const int64_t size = s.value_offset[e + 1] - s.value_offset[e];
      cost[i + 1] += size;
      if (j == i) continue;
      mirrored_[next[j]++] = {i, e};
      cost[j + 1] += size;
    }
  }
  for (int i = 0; i < n; ++i) cost[i + 1] += cost[i];
  cumulative_cost_ = std::move(cost);
}

void BlockSymmetricProduct::Apply(const Execution& execution,
                                  const double* values, const double* x,
                                  double* y) const {
  const BlockSymmetricStructure& s = structure_;
  const auto size = [&s](int b) {
    return s.block_offset[b + 1] - s.block_offset[b];
  };
  ParallelForByCost(
      execution, 0, s.num_blocks(), cumulative_cost_.data(), [&](int i) {
        double* y_i = y + s.block_offset[i];
        std::fill_n(y_i, size(i), 0.0);
        for (int k = first_mirrored_[i]; k < first_mirrored_[i + 1]; ++k) {
          const auto [row, entry] = mirrored_[k];
          AddTransposedProduct(values + s.value_offset[entry], size(row),
                               size(i), x + s.block_offset[row], y_i);
        }
        for (int e = s.first_entry[i]; e < s.first_entry[i + 1]; ++e) {
          const int j = s.entry_column[e];
          AddProduct(values + s.value_offset[e], size(i), size(j),
                     x + s.block_offset[j], y_i);
        }
      });
}

namespace {

// Replaces a matrix by its inverse; false if it is not positive definite. Reads
// the lower triangle.
bool InvertPacked(int n, double* matrix) {
  std::vector<double> factor(kernels::PackedSize(n));
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j <= i; ++j) {
      factor[kernels::PackedPosition(i, j)] = matrix[i * n + j];
    }
  }
  if (!kernels::PackedCholesky(n, factor.data())) return false;
  // The inverse is symmetric: its columns are its rows.
  for (int i = 0; i < n; ++i) {
    double* row = matrix + i * n;
    std::fill_n(row, n, 0.0);
    row[i] = 1.0;
    kernels::PackedForwardSolve(n, factor.data(), 1, row);
    kernels::PackedBackwardSolve(n, factor.data(), row);
  }
  return true;
}

// The same by wide vectors, which pays for large blocks.
bool InvertInFront(int n, double* matrix) {
  FrontCholesky<double> cholesky(n);
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j <= i; ++j) {
      cholesky.matrix()[cholesky.Position(i, j)] = matrix[i * n + j];
    }
  }
  std::string message;
  if (cholesky.Factorize(Execution(), &message) !=
      LinearSolverTermination::kSuccess) {
    return false;
  }
  for (int i = 0; i < n; ++i) {
    double* row = matrix + i * n;
    std::fill_n(row, n, 0.0);
    row[i] = 1.0;
    cholesky.Solve(row, row);
  }
  return true;
}

// The inverse of a matrix, symmetric to the last bit, as conjugate gradients
// expect; false if it is not finite, or the matrix not positive definite.
bool InvertSymmetrically(int n, double* matrix) {
  constexpr int kMaxPacked = 16;
  const bool is_inverted =
      n <= kMaxPacked ? InvertPacked(n, matrix) : InvertInFront(n, matrix);
  if (!is_inverted) return false;
  for (int i = 0; i < n; ++i) {
    for (int j = i + 1; j < n; ++j) matrix[j * n + i] = matrix[i * n + j];
  }
  return std::all_of(matrix, matrix + n * n,
                     [](double v) { return std::isfinite(v); });
}

// y = A x for a symmetric A, n x n.
template <typename Size>
inline void MultiplySymmetric(Size n, const double* __restrict a,
                              const double* __restrict x,
                              double* __restrict y) {
  for (int i = 0; i < n; ++i) y[i] = a[i] * x[0];
  for (int j = 1; j < n; ++j) {
    for (int i = 0; i < n; ++i) y[i] += a[j * n + i] * x[j];
  }
}

// The substitute for the inverse of a block that has none.
void InvertDiagonalOnly(int n, const double* a, double* inverse) {
  std::fill_n(inverse, n * n, 0.0);
  for (int i = 0; i < n; ++i) {
    const double value = 1.0 / a[i * n + i];
    inverse[i * n + i] = value > 0.0 && std::isfinite(value) ? value : 1.0;
  }
}

}  // namespace

BlockDiagonalInverse::BlockDiagonalInverse(const Execution& execution,
                                           std::vector<int> block_offset)
    : execution_(execution), block_offset_(std::move(block_offset)) {
  for (int b = 0; b < num_blocks(); ++b) {
    value_offset_.push_back(value_offset_.back() +
                            int64_t{block_size(b)} * block_size(b));
  }
  values_.Resize(value_offset_.back());
}

int BlockDiagonalInverse::Invert() {
  return ParallelReduce(
      execution_, 0, num_blocks(), -1,
      [this](IndexRange range) {
        int failed = -1;
        for (int b = range.begin; b < range.end; ++b) {
          if (!InvertPacked(block_size(b), block(b)) && failed < 0) failed = b;
        }
        return failed;
      },
      [](int a, int b) { return a >= 0 ? a : b; });
}

void BlockDiagonalInverse::InvertOrReplace() {
  ParallelFor(
      execution_, 0, num_blocks(),
      [this](IndexRange range) {
        std::vector<double> original;
        for (int b = range.begin; b < range.end; ++b) {
          const int n = block_size(b);
          double* const a = block(b);
          for (int i = 0; i < n; ++i) {
            for (int j = 0; j < i; ++j) a[i * n + j] = a[j * n + i];
          }
          original.assign(a, a + n * n);
          if (!InvertSymmetrically(n, a)) {
            InvertDiagonalOnly(n, original.data(), a);
          }
        }
      },
      sparse_tuning::kMinDiagonalBlocksPerPiece);
}

void BlockDiagonalInverse::ApplyBlock(int b, const double* r, double* z) const {
  const int n = block_size(b);
  switch (n) {  // what cameras have
    case 6:
      return MultiplySymmetric(std::integral_constant<int, 6>(), block(b), r,
                               z);
    case 9:
      return MultiplySymmetric(std::integral_constant<int, 9>(), block(b), r,
                               z);
    default:
      return MultiplySymmetric(n, block(b), r, z);
  }
}

void BlockDiagonalInverse::ApplyToBlocks(int begin, int end, const double* r,
                                         double* z) const {
  for (int b = begin; b < end; ++b) {
    ApplyBlock(b, r + block_offset_[b], z + block_offset_[b]);
  }
}

void BlockDiagonalInverse::Apply(const double* r, double* z) const {
  ParallelFor(
      execution_, 0, num_blocks(),
      [&](IndexRange blocks) { ApplyToBlocks(blocks.begin, blocks.end, r, z); },
      sparse_tuning::kMinDiagonalBlocksPerPiece);
}

}  // namespace ceres::internal
