// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/sparse/block_order.h"

#include <cstdint>

#include "ceres/logging/logging.h"
#include "ceres/sparse/elimination_tree.h"

namespace ceres::internal {

void CheckBlockOrder(const std::vector<int>& order, int num_blocks) {
  VESTA_CHECK_EQ(static_cast<int>(order.size()), num_blocks)
      << "An elimination order has each block of the matrix once.";
  std::vector<bool> seen(num_blocks, false);
  for (const int block : order) {
    VESTA_CHECK(block >= 0 && block < num_blocks && !seen[block])
        << "An elimination order has each block of the matrix once. Block "
        << block << " of " << num_blocks << " is twice or not there.";
    seen[block] = true;
  }
}

double CountOperations(const BlockSymmetricStructure& structure,
                       const std::vector<int>& order) {
  const SymmetricGraph graph = GraphOfBlocks(structure);
  std::vector<int> width;  // by position
  width.reserve(order.size());
  for (const int block : order)
    width.push_back(structure.block_offset[block + 1] -
                    structure.block_offset[block]);
  const std::vector<int64_t> below =
      ColumnCounts(graph, order, EliminationTree(graph, order), width);
  double operations = 0.0;
  for (size_t k = 0; k < order.size(); ++k) {
    // A column with r rows, the pivot included, costs r^2 / 2.
    const auto rows = static_cast<double>(below[k]);
    const auto pivots = static_cast<double>(width[k]);
    operations += pivots * (rows * rows + rows * pivots) / 2.0 +
                  pivots * pivots * pivots / 6.0;
  }
  return operations;
}

}  // namespace ceres::internal
