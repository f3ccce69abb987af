// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/sparse/elimination_order.h"

#include <cstdint>

#include "ceres/logging/logging.h"
#include "ceres/sparse/elimination_tree.h"

namespace ceres::internal {

void CheckEliminationOrder(const std::vector<int>& order, int num_blocks) {
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

namespace {

// Calls body(pivots, rows below them) for the block columns of the factor.
template <typename Body>
void VisitFactorColumns(const BlockSymmetricStructure& structure,
                        const std::vector<int>& order, Body&& body) {
  const SymmetricGraph graph = GraphOfBlocks(structure);
  std::vector<int> width;  // by position
  width.reserve(order.size());
  for (const int block : order)
    width.push_back(structure.block_offset[block + 1] -
                    structure.block_offset[block]);
  const std::vector<int64_t> below =
      ColumnCounts(graph, order, EliminationTree(graph, order), width);
  for (size_t k = 0; k < order.size(); ++k) {
    body(static_cast<double>(width[k]), static_cast<double>(below[k]));
  }
}

}  // namespace

double CountOperations(const BlockSymmetricStructure& structure,
                       const std::vector<int>& order) {
  double operations = 0.0;
  VisitFactorColumns(structure, order, [&](double pivots, double rows) {
    // A column with r rows, the pivot included, costs r^2 / 2.
    operations += pivots * (rows * rows + rows * pivots) / 2.0 +
                  pivots * pivots * pivots / 6.0;
  });
  return operations;
}

double CountFactorEntries(const BlockSymmetricStructure& structure,
                          const std::vector<int>& order) {
  double entries = 0.0;
  VisitFactorColumns(structure, order, [&](double pivots, double rows) {
    entries += pivots * (pivots + 1.0) / 2.0 + pivots * rows;
  });
  return entries;
}

}  // namespace ceres::internal
