// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_SCHUR_SCHUR_CHUNKS_H_
#define CERES_INTERNAL_SCHUR_SCHUR_CHUNKS_H_

#include <vector>

#include "ceres/kernels/schur_kernels.h"
#include "ceres/linear/block_jacobian.h"

namespace ceres::internal {

class SchurCliques;

// Points [begin, end), all of one shape.
struct UniformRange {
  int begin;
  int end;
  kernels::SchurShape shape;
};

// Consecutive points with their rows, and consecutive rows that touch no point.
struct SchurChunk {
  int point_begin = 0;
  int point_end = 0;
  int row_begin = 0;
  int row_end = 0;
  // Its points as UniformRanges: [first_range, end_range) of the list that
  // AppendUniformRanges fills.
  int first_range = 0;
  int end_range = 0;
};

// The row chunks of a Jacobian as chunks of points and other rows. No chunk
// ends within the rows of a point.
std::vector<SchurChunk> CutIntoSchurChunks(
    const BlockJacobianStructure& structure);

// Cuts the points of every chunk into uniform ranges, as long as possible.
void AppendUniformRanges(const SchurCliques& cliques,
                         std::vector<SchurChunk>* chunks,
                         std::vector<UniformRange>* ranges);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_SCHUR_SCHUR_CHUNKS_H_
