// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_SPARSE_BLOCK_SYMMETRIC_STRUCTURE_H_
#define CERES_INTERNAL_SPARSE_BLOCK_SYMMETRIC_STRUCTURE_H_

#include <cstdint>
#include <vector>

namespace ceres::internal {

// The structure of a symmetric matrix of blocks: the sizes of the blocks, and
// the pattern of the upper triangle, compressed by block rows. Columns of a row
// ascend. The diagonal block is always stored, as the first of its row.
//
// Values: stored block k is dense, ROW-major, at value_offset[k]. Both
// triangles of a diagonal block are stored.
struct BlockSymmetricStructure {
  std::vector<int> block_offset = {0};  // scalar offset of each block, +1
  std::vector<int> first_entry = {0};   // by block row, +1: into entry_column
  std::vector<int> entry_column;        // block column of each stored block
  std::vector<int64_t> value_offset = {0};  // by entry, +1
  int num_blocks() const { return static_cast<int>(block_offset.size()) - 1; }
  int size() const { return block_offset.back(); }
  int64_t num_values() const { return value_offset.back(); }
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_SPARSE_BLOCK_SYMMETRIC_STRUCTURE_H_
