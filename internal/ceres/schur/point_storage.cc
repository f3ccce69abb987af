// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/schur/point_storage.h"

#include <algorithm>

#include "ceres/kernels/packed_cholesky.h"

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

}  // namespace ceres::internal
