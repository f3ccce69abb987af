// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/sparse/permuted_csc.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "ceres/sparse/elimination_tree.h"

namespace ceres::internal {
namespace {

// Calls f(row, column, index of the value) for the scalar entries of A's upper
// triangle.
template <typename F>
void ForEachUpperEntry(const BlockSymmetricStructure& a, const F& f) {
  for (int bi = 0; bi < a.num_blocks(); ++bi) {
    const int num_rows = a.block_offset[bi + 1] - a.block_offset[bi];
    for (int e = a.first_entry[bi]; e < a.first_entry[bi + 1]; ++e) {
      const int bj = a.entry_column[e];
      const int num_columns = a.block_offset[bj + 1] - a.block_offset[bj];
      for (int i = 0; i < num_rows; ++i) {
        for (int j = bi == bj ? i : 0; j < num_columns; ++j) {
          f(a.block_offset[bi] + i, a.block_offset[bj] + j,
            static_cast<int>(a.value_offset[e] + i * num_columns + j));
        }
      }
    }
  }
}

}  // namespace

bool PermutedCsc::IsSmallEnough(const BlockSymmetricStructure& structure) {
  return structure.num_values() <= std::numeric_limits<int>::max();
}

PermutedCsc::PermutedCsc(const BlockSymmetricStructure& a,
                         const std::vector<int>& elimination_order,
                         Triangle triangle) {
  permutation_.reserve(a.size());
  for (const int block : elimination_order) {
    for (int i = a.block_offset[block]; i < a.block_offset[block + 1]; ++i) {
      permutation_.push_back(i);
    }
  }
  const int n = size();
  const std::vector<int> position = InversePermutation(permutation_);
  const auto place = [&](int i, int j) {
    const auto [low, high] = std::minmax(position[i], position[j]);
    struct Place {
      int row, column;
    };
    return triangle == Triangle::kLower ? Place{high, low} : Place{low, high};
  };

  // Into buckets by row, then, rows ascending, by column.
  struct Entry {
    int column;
    int source;
  };
  std::vector<int> row_start(n + 1, 0);
  column_start_.assign(n + 1, 0);
  ForEachUpperEntry(a, [&](int i, int j, int) {
    ++row_start[place(i, j).row + 1];
    ++column_start_[place(i, j).column + 1];
  });
  std::partial_sum(row_start.begin(), row_start.end(), row_start.begin());
  std::partial_sum(column_start_.begin(), column_start_.end(),
                   column_start_.begin());
  std::vector<Entry> by_row(num_entries());
  std::vector<int> next(row_start.begin(), row_start.end() - 1);
  ForEachUpperEntry(a, [&](int i, int j, int source) {
    by_row[next[place(i, j).row]++] = {place(i, j).column, source};
  });
  row_.resize(num_entries());
  source_.resize(num_entries());
  next.assign(column_start_.begin(), column_start_.end() - 1);
  for (int row = 0; row < n; ++row) {
    for (int k = row_start[row]; k < row_start[row + 1]; ++k) {
      const int to = next[by_row[k].column]++;
      row_[to] = row;
      source_[to] = by_row[k].source;
    }
  }
}

}  // namespace ceres::internal
