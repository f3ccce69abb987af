// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/sparse/block_symmetric.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "ceres/execution/loops.h"
#include "ceres/kernels/cholesky_kernels.h"
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

// The inverse of the n x n matrix `a` (its upper triangle, ROW-major), whole,
// into `inverse`; false if it is not positive definite to working precision.
// `a` is overwritten.
bool InvertPositiveDefinite(int n, double* a, double* inverse) {
  // The kernels' lower triangle by columns is our upper triangle by rows.
  if (kernels::CholeskyFactorize(n, a) != kernels::kPositiveDefinite) {
    return false;
  }
  std::fill_n(inverse, n * n, 0.0);
  for (int i = 0; i < n; ++i) {
    inverse[i * n + i] = 1.0;
    kernels::CholeskySolve(n, a, inverse + i * n);
  }
  // Symmetric to the last bit, as conjugate gradients expect.
  for (int i = 0; i < n; ++i) {
    for (int j = i + 1; j < n; ++j) inverse[j * n + i] = inverse[i * n + j];
  }
  return std::all_of(inverse, inverse + n * n,
                     [](double v) { return std::isfinite(v); });
}

// What stands in for the inverse of a block that has none.
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
  value_offset_.push_back(0);
  for (int b = 0; b < num_blocks(); ++b) {
    value_offset_.push_back(value_offset_.back() +
                            int64_t{block_size(b)} * block_size(b));
  }
  values_.Resize(value_offset_.back());
}

void BlockDiagonalInverse::Invert() {
  ParallelFor(
      execution_, 0, num_blocks(),
      [this](IndexRange range) {
        std::vector<double> original;
        std::vector<double> factor;
        for (int b = range.begin; b < range.end; ++b) {
          const int n = block_size(b);
          original.assign(block(b), block(b) + n * n);
          factor = original;
          if (!InvertPositiveDefinite(n, factor.data(), block(b))) {
            InvertDiagonalOnly(n, original.data(), block(b));
          }
        }
      },
      sparse_tuning::kMinDiagonalBlocksPerPiece);
}

void BlockDiagonalInverse::Apply(const double* r, double* z) const {
  ParallelFor(
      execution_, 0, num_blocks(),
      [this, r, z](int b) {
        const int n = block_size(b);
        double* z_b = z + block_offset_[b];
        std::fill_n(z_b, n, 0.0);
        AddTransposedProduct(block(b), n, n, r + block_offset_[b], z_b);
      },
      sparse_tuning::kMinDiagonalBlocksPerPiece);
}

}  // namespace ceres::internal
