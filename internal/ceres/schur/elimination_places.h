// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_SCHUR_ELIMINATION_PLACES_H_
#define CERES_INTERNAL_SCHUR_ELIMINATION_PLACES_H_

#include <cstdint>
#include <vector>

#include "ceres/base/huge_pages.h"
#include "ceres/execution/execution.h"
#include "ceres/linear/block_jacobian.h"
#include "ceres/schur/merged_chunks.h"
#include "ceres/schur/remaining_blocks.h"
#include "ceres/schur/schur_chunks.h"
#include "ceres/schur/schur_cliques.h"

namespace ceres::internal {

// The places of the factor L of each point in the factors, and of U of each
// point in the memory of all U that are kept (kernels/schur_kernels.h). Offsets
// and sizes are doubles.
class PointStorage {
 public:
  explicit PointStorage(const BlockJacobianStructure& structure);

  // Places U. Behind the points of each chunk there is slack of one panel, so
  // that a thread that works for one chunk never reads, in the last lanes of a
  // vector, what a thread for another chunk writes.
  void PlaceU(const BlockJacobianStructure& structure,
              const SchurCliques& cliques,
              const std::vector<SchurChunk>& chunks);

  int64_t factor_size() const { return factor_offset_.back(); }
  int64_t u_size() const { return u_offset_.back(); }  // of all U
  int64_t max_u_size() const { return max_u_size_; }   // of one point
  // By point, +1.
  const std::vector<int64_t>& factor_offset() const { return factor_offset_; }
  const std::vector<int64_t>& u_offset() const { return u_offset_; }

 private:
  std::vector<int64_t> factor_offset_ = {0};
  std::vector<int64_t> u_offset_ = {0};
  int64_t max_u_size_ = 0;
};

// The destinations of the products of each clique: for the products (a, b), a
// <= b, of local camera indices, row by row, the line of block (a, b) in the
// partial sum of the clique's merged chunk.
class ProductDestinations {
 public:
  // No destinations.
  ProductDestinations() = default;
  ProductDestinations(const Execution& execution, const SchurCliques& cliques,
                      const RemainingBlocks& remaining,
                      const MergedChunks& merged);

  // The first destination of a clique.
  int64_t first(int clique) const { return first_[clique]; }
  // As kernels::SchurView has them.
  const std::vector<int64_t>& first() const { return first_; }
  const PagedVector<int>& lines() const { return line_; }

 private:
  std::vector<int64_t> first_;  // by clique, +1
  PagedVector<int> line_;
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_SCHUR_ELIMINATION_PLACES_H_
