// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/schur/elimination_places.h"

#include <algorithm>
#include <memory>

#include "ceres/execution/loops.h"
#include "ceres/kernels/packed_cholesky.h"
#include "ceres/schur/block_index.h"

namespace ceres::internal {

PointStorage::PointStorage(const BlockJacobianStructure& structure) {
  factor_offset_.reserve(structure.num_eliminated + 1);
  for (int p = 0; p < structure.num_eliminated; ++p) {
    factor_offset_.push_back(factor_offset_.back() +
                             kernels::PackedSize(structure.column_size(p)));
  }
}

void PointStorage::PlaceU(const BlockJacobianStructure& structure,
                          const SchurCliques& cliques,
                          const std::vector<SchurChunk>& chunks) {
  for (const SchurChunk& chunk : chunks) {
    for (int p = chunk.point_begin; p < chunk.point_end; ++p) {
      const int64_t size =
          int64_t{structure.column_size(p)} * cliques.TotalWidth(p);
      max_u_size_ = std::max(max_u_size_, size);
      u_offset_.push_back(u_offset_.back() + size);
    }
    u_offset_.back() += kernels::kPanelWidth;
  }
}

ProductDestinations::ProductDestinations(const Execution& execution,
                                         const SchurCliques& cliques,
                                         const RemainingBlocks& remaining,
                                         const MergedChunks& merged) {
  int64_t next = 0;
  first_.reserve(cliques.size() + 1);
  for (int q = 0; q < cliques.size(); ++q) {
    first_.push_back(next);
    const int64_t k = cliques.num_cameras(q);
    next += cliques.HasPairs(q) ? k * (k + 1) / 2 : k;
  }
  first_.push_back(next);
  line_.resize(next);
  std::vector<std::unique_ptr<BlockIndex>> indices(
      std::max(1, execution.num_threads));
  ParallelFor(execution, 0, merged.size(), [&](int thread_id, int m) {
    std::unique_ptr<BlockIndex>& index = indices[thread_id];
    if (index == nullptr) {
      index = std::make_unique<BlockIndex>(remaining.num());
    }
    for (const MergedChunks::Block& block : merged.blocks(m)) {
      index->Set(block.row, block.column, block.line);
    }
    cliques.ForEachClique(merged.chunk(m), [&](int q) {
      int* line = line_.data() + first_[q];
      cliques.ForEachProduct(
          q, [&](int row, int column) { *line++ = index->Find(row, column); });
    });
    index->Clear();
  });
}

}  // namespace ceres::internal
