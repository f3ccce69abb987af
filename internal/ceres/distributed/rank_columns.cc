// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/distributed/rank_columns.h"

#include <algorithm>

#include "ceres/linear/vector_ops.h"

namespace ceres::internal {
namespace {

std::vector<ParameterBlock*> ListBlocks(const SharedLayout& layout,
                                        const std::vector<LocalLeaf>& leaves) {
  std::vector<ParameterBlock*> blocks;
  for (const LocalLeaf& leaf : leaves) {
    blocks.insert(blocks.end(), leaf.eliminated.begin(), leaf.eliminated.end());
  }
  blocks.insert(blocks.end(), layout.local_blocks.begin(),
                layout.local_blocks.end());
  return blocks;
}

}  // namespace

RankColumns::RankColumns(const SharedLayout& layout,
                         const std::vector<LocalLeaf>& leaves,
                         const Execution& execution)
    : numbers_(layout.local_numbers),
      program_(ListBlocks(layout, leaves), 0, {}, execution) {
  for (const LocalLeaf& leaf : leaves) {
    first_private_.push_back(first_private_.back() +
                             static_cast<int>(leaf.eliminated.size()));
  }
  const int first_remaining = first_private_.back();
  for (const int leaf : layout.local_leaves) {
    const auto home_of = [&](int number) { return layout.home_leaf[number]; };
    const auto begin = std::partition_point(
        numbers_.begin(), numbers_.end(),
        [&](int number) { return home_of(number) < leaf; });
    const auto end = std::partition_point(
        begin, numbers_.end(),
        [&](int number) { return home_of(number) == leaf; });
    home_.push_back(
        {first_remaining + static_cast<int>(begin - numbers_.begin()),
         first_remaining + static_cast<int>(end - numbers_.begin())});
  }
}

double RankColumns::DotOfLeaf(const Execution& execution,
                              const std::vector<int>& offset, int leaf,
                              const double* x, const double* y) const {
  const auto dot_of = [&](Range range) {
    const int begin = offset[range.begin];
    return Dot(execution, offset[range.end] - begin, x + begin, y + begin);
  };
  return dot_of(PrivateColumns(leaf)) + dot_of(HomeColumns(leaf));
}

int RankColumns::ColumnOfNumber(int number) const {
  const auto place = std::lower_bound(numbers_.begin(), numbers_.end(), number);
  return first_private_.back() + static_cast<int>(place - numbers_.begin());
}

}  // namespace ceres::internal
