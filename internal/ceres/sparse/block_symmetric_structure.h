// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_SPARSE_BLOCK_SYMMETRIC_STRUCTURE_H_
#define CERES_INTERNAL_SPARSE_BLOCK_SYMMETRIC_STRUCTURE_H_

#include <cstdint>
#include <vector>

namespace ceres::internal {

// A symmetric matrix made of blocks: the block columns' widths, and the pattern
// of its upper triangle by block rows (row-compressed, columns ascending, the
// diagonal block first and always present). Values: each block dense,
// ROW-major, at value_offset[k]; a diagonal block is stored whole (both
// triangles).
struct BlockSymmetricStructure {
  std::vector<int> block_offset = {0};  // scalar offset of each block, +1
  std::vector<int> first_entry = {0};   // by block row, +1: into entry_column
  std::vector<int>
      entry_column;  // block column of each stored block, >= its row
  std::vector<int64_t> value_offset = {0};  // by entry, +1
  int num_blocks() const { return static_cast<int>(block_offset.size()) - 1; }
  int size() const { return block_offset.back(); }
  int64_t num_values() const { return value_offset.back(); }
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_SPARSE_BLOCK_SYMMETRIC_STRUCTURE_H_
