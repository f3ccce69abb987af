// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/sparse/front_arithmetic.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "ceres/base/flush_denormals.h"
#include "ceres/base/intrinsics.h"
#include "ceres/execution/loops.h"
#include "ceres/kernels/front_kernels.h"
#include "ceres/sparse/sparse_tuning.h"

namespace ceres::internal {
namespace {

using kernels::NumFrontStrips;
using sparse_tuning::kBlockColumns;
using sparse_tuning::kStripsPerPiece;

// Copies a row-major block to its place in the columns of a front of this
// width.
constexpr int kAnySize = 0;
template <int kRows, int kColumns, typename T>
inline void AssembleBlock(const FrontEntry& entry,
                          const double* __restrict values, int width,
                          T* __restrict target) {
  constexpr int h = kernels::kFrontStrip<T>;
  const int num_rows = kRows == kAnySize ? entry.num_rows : kRows;
  const int num_columns = kColumns == kAnySize ? entry.num_columns : kColumns;
  const int row_step = entry.is_transposed ? num_columns : 1;
  const int column_step = entry.is_transposed ? 1 : num_rows;
  // Rows of a block may be in several strips: their places are computed without
  // branches.
  const unsigned first = static_cast<unsigned>(entry.target) % h;
  T* const strip = target - first;
  for (int i = 0; i < num_rows; ++i) {
    const unsigned row = first + i;
    T* const to = strip + int64_t{row / h} * h * width + row % h;
    for (int j = 0; j < num_columns; ++j) {
      to[j * h] = static_cast<T>(values[i * row_step + j * column_step]);
    }
  }
}

// f(first, last) for pieces of whole tiles of strips.
template <typename F>
void ForPieces(const Execution& execution, int begin, int end, const F& f) {
  ParallelFor(execution, 0,
              (end - begin + kStripsPerPiece - 1) / kStripsPerPiece,
              [&](int k) {
                const int p = begin + k * kStripsPerPiece;
                f(p, std::min(p + kStripsPerPiece, end));
              });
}

}  // namespace

template <typename T>
void AssembleColumns(const FrontPlan<T>& plan, const Front& front,
                     const double* values, T* columns) {
  const int w = front.width;
  const int num_entries = static_cast<int>(plan.entries.size());
  for (int e = front.first_entry; e < front.end_entry; ++e) {
    // Blocks of a front do not lie one after another. The blocks of
    // the next fronts are prefetched as well.
    constexpr int kAhead = sparse_tuning::kPrefetchedEntries, kLine = 8;
    if (e + kAhead < num_entries) {
      const double* const later = values + plan.entries[e + kAhead].source;
      CERES_PREFETCH(later);
      CERES_PREFETCH(later + kLine);
    }
    const FrontEntry& entry = plan.entries[e];
    const double* const block = values + entry.source;
    T* const target = columns + entry.target;
    if (entry.num_rows == 3 && entry.num_columns == 3) {
      AssembleBlock<3, 3>(entry, block, w, target);
    } else if (entry.num_rows == 6 && entry.num_columns == 6) {
      AssembleBlock<6, 6>(entry, block, w, target);
    } else if (entry.num_rows == 9 && entry.num_columns == 9) {
      AssembleBlock<9, 9>(entry, block, w, target);
    } else {
      AssembleBlock<kAnySize, kAnySize>(entry, block, w, target);
    }
  }
}

template <typename T>
int EliminateFront(const Execution& execution, const Front& front, T* columns,
                   T* update) {
  const int w = front.width;
  const int num_below = NumFrontStrips<T>(front.below);
  const int num_strips = NumFrontStrips<T>(w) + num_below;
  for (int first = 0; first < w; first += kBlockColumns) {
    const int last = std::min(first + kBlockColumns, w);
    const int failed = kernels::FactorizePivots(w, first, last, columns);
    if (failed != kernels::kAllPivotsPositive) return failed;
    const int begin = NumFrontStrips<T>(last);
    if (execution.IsSerial()) {
      kernels::EliminateFromStrips(w, first, last, begin, num_strips, columns);
      continue;
    }
    ForPieces(execution, begin, num_strips, [&](int p, int end) {
      const FlushDenormals flush;
      kernels::EliminateFromStrips(w, first, last, p, end, columns);
    });
  }
  if (execution.IsSerial()) {
    kernels::FormUpdate(w, 0, num_below, columns, update);
    return kNoFailedPivot;
  }
  const int num_pieces = (num_below + kStripsPerPiece - 1) / kStripsPerPiece;
  std::vector<int64_t> cost(num_pieces + 1, 0);
  for (int k = 0; k < num_pieces; ++k) cost[k + 1] = cost[k] + k + 1;
  ParallelForByCost(execution, 0, num_pieces, cost.data(), [&](int k) {
    const FlushDenormals flush;
    const int p = k * kStripsPerPiece;
    kernels::FormUpdate(w, p, std::min(p + kStripsPerPiece, num_below), columns,
                        update);
  });
  return kNoFailedPivot;
}

template void AssembleColumns(const FrontPlan<double>&, const Front&,
                              const double*, double*);
template void AssembleColumns(const FrontPlan<float>&, const Front&,
                              const double*, float*);
template int EliminateFront(const Execution&, const Front&, double*, double*);
template int EliminateFront(const Execution&, const Front&, float*, float*);

}  // namespace ceres::internal
