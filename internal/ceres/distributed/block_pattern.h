// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_DISTRIBUTED_BLOCK_PATTERN_H_
#define CERES_INTERNAL_DISTRIBUTED_BLOCK_PATTERN_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "ceres/distributed/leaf_system.h"
#include "ceres/distributed/rank_group.h"
#include "ceres/distributed/shared_layout.h"
#include "ceres/sparse/block_symmetric_structure.h"

namespace ceres::internal {

// The pattern of the reduced matrix S of all leaves: the union of the patterns
// of their parts. The same on all ranks. Collective.
BlockSymmetricStructure UnionOfPatterns(
    RankGroup* ranks, const SharedLayout& layout,
    const std::vector<std::unique_ptr<LeafSystem>>& leaves);

// The entries of the reduced system that a leaf has, ascending: its blocks of S
// as entries of `pattern`, then its blocks of the right hand side, which are
// numbered from the number of entries of the pattern on.
std::vector<int> SystemEntriesOf(const LeafSystem& leaf,
                                 const BlockSymmetricStructure& pattern);
std::vector<std::vector<int>> SystemEntriesOf(
    const std::vector<std::unique_ptr<LeafSystem>>& leaves,
    const BlockSymmetricStructure& pattern);

// By entry of the reduced system, +1: its place in the blocks of S, followed by
// the right hand side.
std::vector<std::int64_t> SystemPlaces(const BlockSymmetricStructure& pattern);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_DISTRIBUTED_BLOCK_PATTERN_H_
