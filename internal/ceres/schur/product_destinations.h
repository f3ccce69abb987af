// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_SCHUR_PRODUCT_DESTINATIONS_H_
#define CERES_INTERNAL_SCHUR_PRODUCT_DESTINATIONS_H_

#include <cstdint>
#include <vector>

#include "ceres/base/huge_pages.h"
#include "ceres/execution/execution.h"
#include "ceres/schur/merged_chunks.h"
#include "ceres/schur/remaining_blocks.h"
#include "ceres/schur/schur_cliques.h"

namespace ceres::internal {

// Where the products of each clique are added: for the products (a, b), a <= b,
// of local camera indices, row by row, the line of block (a, b) in the partial
// sum of the clique's merged chunk.
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

#endif  // CERES_INTERNAL_SCHUR_PRODUCT_DESTINATIONS_H_
