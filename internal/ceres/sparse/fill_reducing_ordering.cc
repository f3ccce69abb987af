// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/sparse/fill_reducing_ordering.h"

#include <algorithm>
#include <numeric>

#include "ceres/logging/logging.h"
#ifndef CERES_NO_SUITESPARSE
#include "amd.h"
#endif

namespace ceres::internal {
#ifndef CERES_NO_SUITESPARSE
namespace {

// As CHOLMOD's orderings take it: a matrix of 1 x 1 blocks.
BlockSymmetricStructure UpperTriangle(const SymmetricGraph& graph) {
  BlockSymmetricStructure result;
  const int n = graph.num_nodes();
  result.block_offset.resize(n + 1);
  std::iota(result.block_offset.begin(), result.block_offset.end(), 0);
  for (int i = 0; i < n; ++i) {
    result.entry_column.push_back(i);
    for (int e = graph.start[i]; e < graph.start[i + 1]; ++e) {
      if (graph.neighbor[e] > i) {
        result.entry_column.push_back(graph.neighbor[e]);
      }
    }
    result.first_entry.push_back(static_cast<int>(result.entry_column.size()));
  }
  result.value_offset.resize(result.entry_column.size() + 1);
  std::iota(result.value_offset.begin(), result.value_offset.end(), 0);
  return result;
}

}  // namespace
#endif

std::vector<int> NativeOrdering(const SymmetricGraph& graph,
                                LinearSolverOrderingType type,
                                const std::vector<int>* group,
                                [[maybe_unused]] std::string* message) {
#ifndef CERES_NO_SUITESPARSE
  // Straight from the library: CHOLMOD would analyse what is analysed later.
  if (type == AMD && group == nullptr) {
    std::vector<int> order(graph.num_nodes());
    std::iota(order.begin(), order.end(), 0);
    if (graph.neighbor.empty()) return order;
    const int status =
        amd_order(graph.num_nodes(), graph.start.data(), graph.neighbor.data(),
                  order.data(), /*Control=*/nullptr, /*Info=*/nullptr);
    if (status == AMD_OK || status == AMD_OK_BUT_JUMBLED) return order;
    *message = "Fill-reducing ordering failed: AMD returned status " +
               std::to_string(status) + ".";
    return {};
  }
#ifndef CERES_NO_CHOLMOD_PARTITION
  constexpr bool kHasPartition = true;
#else
  constexpr bool kHasPartition = false;
#endif
  if (type == AMD || kHasPartition) {
    return CholmodOrdering(UpperTriangle(graph), type, group, message);
  }
#endif
#ifdef CERES_USE_EIGEN_SPARSE
  return EigenOrdering(graph, type, group);
#else
  VESTA_CHECK_EQ(type, AMD) << "This build has no nested dissection; use AMD.";
  std::vector<int> order = MinimumDegree(graph);
  if (group != nullptr) {
    std::stable_sort(order.begin(), order.end(), [group](int a, int b) {
      return (*group)[a] < (*group)[b];
    });
  }
  return order;
#endif
}

std::vector<int> LibraryOrdering(SparseLinearAlgebraLibraryType library,
                                 const BlockSymmetricStructure& structure,
                                 LinearSolverOrderingType type,
                                 const std::vector<int>* group,
                                 std::string* message) {
  if (library == NATIVE_SPARSE) {
    return NativeOrdering(GraphOfBlocks(structure), type, group, message);
  }
#ifndef CERES_NO_SUITESPARSE
  if (library == SUITE_SPARSE) {
    return CholmodOrdering(structure, type, group, message);
  }
#endif
#ifdef CERES_USE_EIGEN_SPARSE
  if (library == EIGEN_SPARSE) {
    return EigenOrdering(GraphOfBlocks(structure), type, group);
  }
#endif
  VESTA_FATAL() << "SparseLinearAlgebraLibraryType " << library
                << " has no orderings in this build.";
  return {};
}

}  // namespace ceres::internal
