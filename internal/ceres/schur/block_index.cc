// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/schur/block_index.h"

#include <algorithm>

namespace ceres::internal {

BlockIndex::BlockIndex(int num_rows, int64_t max_table_size)
    : num_rows_(num_rows),
      is_table_(num_rows_ * num_rows_ <= max_table_size),
      table_(is_table_ ? num_rows_ * num_rows_ : 0, kNone) {}

void BlockIndex::SortKeys() { std::sort(keys_.begin(), keys_.end()); }

void BlockIndex::Clear() {
  if (is_table_) {
    for (const int64_t key : keys_) table_[key] = kNone;
  } else {
    hashed_.Clear();
  }
  keys_.clear();
}

}  // namespace ceres::internal
