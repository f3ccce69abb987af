// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/covariance/block_ordering.h"

#include <algorithm>

#include "ceres/internal/config.h"
#include "ceres/logging/logging.h"
#include "ceres/sparse/fill_reducing_ordering.h"

namespace ceres::internal {

BlockSymmetricStructure NormalPattern(const BlockJacobianStructure& s) {
  const int n = s.num_column_blocks();
  std::vector<int> first_row(n + 1, 0);
  for (const int block : s.cell_column) ++first_row[block + 1];
  for (int block = 0; block < n; ++block) {
    first_row[block + 1] += first_row[block];
  }
  std::vector<int> rows(s.cell_column.size());
  std::vector<int> next(first_row.begin(), first_row.end() - 1);
  for (int row = 0; row < s.num_row_blocks(); ++row) {
    for (int c = s.first_cell[row]; c < s.first_cell[row + 1]; ++c) {
      rows[next[s.cell_column[c]]++] = row;
    }
  }

  BlockSymmetricStructure pattern;
  pattern.block_offset.assign(s.column_offset.begin(), s.column_offset.end());
  std::vector<int> last_seen(n, -1);
  for (int block = 0; block < n; ++block) {
    const size_t begin = pattern.entry_column.size();
    pattern.entry_column.push_back(block);
    last_seen[block] = block;
    for (int i = first_row[block]; i < first_row[block + 1]; ++i) {
      for (int c = s.first_cell[rows[i]]; c < s.first_cell[rows[i] + 1]; ++c) {
        const int other = s.cell_column[c];
        if (other < block || last_seen[other] == block) continue;
        last_seen[other] = block;
        pattern.entry_column.push_back(other);
      }
    }
    std::sort(pattern.entry_column.begin() + begin, pattern.entry_column.end());
    pattern.first_entry.push_back(
        static_cast<int>(pattern.entry_column.size()));
  }
  return pattern;
}

std::vector<int> EliminationOrder(SparseLinearAlgebraLibraryType library,
                                  const BlockSymmetricStructure& pattern,
                                  std::string* message) {
  if (library == NATIVE_SPARSE) {
    return NativeOrdering(GraphOfBlocks(pattern), AMD, /*group=*/nullptr,
                          message);
  }
#ifndef CERES_NO_SUITESPARSE
  if (library == SUITE_SPARSE) {
    return CholmodOrdering(pattern, AMD, /*group=*/nullptr, message);
  }
#endif
#ifdef CERES_USE_EIGEN_SPARSE
  if (library == EIGEN_SPARSE) {
    return EigenOrdering(pattern, AMD, /*group=*/nullptr);
  }
#endif
  VESTA_FATAL() << "There are no orderings by "
                << SparseLinearAlgebraLibraryTypeToString(library)
                << " in this build.";
  return {};
}

}  // namespace ceres::internal
