// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/schur/block_diagonal_preconditioner.h"

#include <algorithm>
#include <type_traits>
#include <utility>
#include <vector>

#include "ceres/execution/loops.h"
#include "ceres/kernels/packed_cholesky.h"

namespace ceres::internal {

BlockDiagonalPreconditioner::BlockDiagonalPreconditioner(
    const Execution& execution, std::vector<int> block_offset)
    : execution_(execution), block_offset_(std::move(block_offset)) {
  for (size_t i = 0; i + 1 < block_offset_.size(); ++i) {
    const int64_t width = block_offset_[i + 1] - block_offset_[i];
    offset_.push_back(offset_.back() + width * width);
  }
  blocks_.Resize(offset_.back());
}

bool BlockDiagonalPreconditioner::InvertBlock(int block) {
  const int n = block_offset_[block + 1] - block_offset_[block];
  double* matrix = blocks_.data() + offset_[block];
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

int BlockDiagonalPreconditioner::Invert() {
  const int num_blocks = static_cast<int>(block_offset_.size()) - 1;
  return ParallelReduce(
      execution_, 0, num_blocks, -1,
      [this](IndexRange range) {
        int failed = -1;
        for (int i = range.begin; i < range.end; ++i) {
          if (!InvertBlock(i) && failed < 0) failed = i;
        }
        return failed;
      },
      [](int a, int b) { return a >= 0 ? a : b; });
}

namespace {

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

}  // namespace

void BlockDiagonalPreconditioner::ApplyBlock(int block, const double* x,
                                             double* y) const {
  const int n = block_offset_[block + 1] - block_offset_[block];
  const double* inverse = blocks_.data() + offset_[block];
  switch (n) {  // what cameras have
    case 6:
      return MultiplySymmetric(std::integral_constant<int, 6>(), inverse, x, y);
    case 9:
      return MultiplySymmetric(std::integral_constant<int, 9>(), inverse, x, y);
    default:
      return MultiplySymmetric(n, inverse, x, y);
  }
}

void BlockDiagonalPreconditioner::ApplyToBlocks(int begin, int end,
                                                const double* x,
                                                double* y) const {
  for (int block = begin; block < end; ++block) {
    ApplyBlock(block, x + block_offset_[block], y + block_offset_[block]);
  }
}

void BlockDiagonalPreconditioner::Apply(const double* x, double* y) const {
  constexpr int kBlocksPerPiece = 16;
  const int num_blocks = static_cast<int>(block_offset_.size()) - 1;
  ParallelFor(
      execution_, 0, num_blocks,
      [&](IndexRange blocks) { ApplyToBlocks(blocks.begin, blocks.end, x, y); },
      kBlocksPerPiece);
}

}  // namespace ceres::internal
