// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/schur/schur_chunks.h"

#include <algorithm>

#include "ceres/schur/schur_cliques.h"

namespace ceres::internal {

std::vector<SchurChunk> CutIntoSchurChunks(
    const BlockJacobianStructure& structure) {
  std::vector<int> boundaries = structure.row_chunk_first_row;
  if (boundaries.size() < 2) boundaries = {0, structure.num_row_blocks()};
  const std::vector<int>& point_row = structure.eliminated_first_row;
  const int first_other = point_row.back();
  const int num_chunks = static_cast<int>(boundaries.size()) - 1;
  std::vector<SchurChunk> chunks;
  int point = 0;
  for (int s = 0; s < num_chunks; ++s) {
    SchurChunk chunk;
    chunk.point_begin = point;
    while (point < structure.num_eliminated &&
           (s + 1 == num_chunks || point_row[point] < boundaries[s + 1])) {
      ++point;
    }
    chunk.point_end = point;
    chunk.row_begin = std::max(boundaries[s], first_other);
    chunk.row_end = std::max(boundaries[s + 1], first_other);
    chunks.push_back(chunk);
  }
  return chunks;
}

void AppendUniformRanges(const SchurCliques& cliques,
                         std::vector<SchurChunk>* chunks,
                         std::vector<UniformRange>* ranges) {
  for (SchurChunk& chunk : *chunks) {
    chunk.first_range = static_cast<int>(ranges->size());
    for (int p = chunk.point_begin; p < chunk.point_end;) {
      UniformRange range = {p, p, cliques.shape(p)};
      while (p < chunk.point_end && cliques.shape(p) == range.shape) ++p;
      range.end = p;
      ranges->push_back(range);
    }
    chunk.end_range = static_cast<int>(ranges->size());
  }
}

}  // namespace ceres::internal
