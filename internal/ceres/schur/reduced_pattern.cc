// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/schur/reduced_pattern.h"

#include <algorithm>

#include "ceres/kernels/panel_block.h"

namespace ceres::internal {

ReducedPattern::ReducedPattern(const RemainingBlocks& remaining,
                               const MergedChunks& merged) {
  std::vector<size_t> next(merged.size(), 0);
  std::vector<Source> sources;
  for (int i = 0; i < remaining.num(); ++i) {
    blocks_.block_offset.push_back(blocks_.size() + remaining.width(i));
    sources.clear();
    for (int m = 0; m < merged.size(); ++m) {
      const std::vector<MergedChunks::Block>& blocks = merged.blocks(m);
      for (; next[m] < blocks.size() && blocks[next[m]].row == i; ++next[m]) {
        sources.push_back({blocks[next[m]].column,
                           merged.sum_begin(m) + int64_t{blocks[next[m]].line} *
                                                     kernels::kPanelWidth});
      }
    }
    std::stable_sort(
        sources.begin(), sources.end(),
        [](const Source& a, const Source& b) { return a.column < b.column; });
    AppendRow(remaining, i, sources);
  }
}

void ReducedPattern::AppendRow(const RemainingBlocks& remaining, int row,
                               const std::vector<Source>& sources) {
  const auto close_entry = [&](int column) {
    blocks_.entry_column.push_back(column);
    blocks_.value_offset.push_back(blocks_.value_offset.back() +
                                   int64_t{remaining.width(row)} *
                                       remaining.width(column));
    first_source_.push_back(static_cast<int64_t>(sources_.size()));
  };
  // The diagonal block is stored even if no product touches it.
  if (sources.empty() || sources.front().column != row) close_entry(row);
  for (size_t k = 0; k < sources.size(); ++k) {
    sources_.push_back(sources[k].place);
    if (k + 1 == sources.size() || sources[k + 1].column != sources[k].column) {
      close_entry(sources[k].column);
    }
  }
  blocks_.first_entry.push_back(static_cast<int>(blocks_.entry_column.size()));
}

}  // namespace ceres::internal
