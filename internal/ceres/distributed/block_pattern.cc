// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/distributed/block_pattern.h"

#include <algorithm>
#include <cstdint>

namespace ceres::internal {
namespace {

// A block of S as one number: they are sorted by row, then by column.
std::int64_t KeyOf(int row, int column) {
  return (std::int64_t{row} << 32) | column;
}

void SortAndMerge(std::vector<std::int64_t>* keys) {
  std::sort(keys->begin(), keys->end());
  keys->erase(std::unique(keys->begin(), keys->end()), keys->end());
}

}  // namespace

BlockSymmetricStructure UnionOfPatterns(
    RankGroup* ranks, const SharedLayout& layout,
    const std::vector<std::unique_ptr<LeafSystem>>& leaves) {
  std::vector<std::int64_t> keys;
  for (const auto& leaf : leaves) {
    if (leaf->num_remaining() == 0) continue;
    const BlockSymmetricStructure& pattern = leaf->pattern();
    const std::vector<int>& numbers = leaf->remaining();
    for (int i = 0; i < pattern.num_blocks(); ++i) {
      for (int k = pattern.first_entry[i]; k < pattern.first_entry[i + 1];
           ++k) {
        keys.push_back(KeyOf(numbers[i], numbers[pattern.entry_column[k]]));
      }
    }
    SortAndMerge(&keys);
  }
  keys = ranks->GatherLists(Phase::kSetup, keys);
  // The diagonal of blocks that no leaf uses.
  for (int i = 0; i < layout.num_blocks(); ++i) keys.push_back(KeyOf(i, i));
  SortAndMerge(&keys);

  BlockSymmetricStructure structure;
  structure.block_offset = layout.block_offset;
  structure.first_entry.assign(layout.num_blocks() + 1, 0);
  const auto width = [&](int block) {
    return layout.block_offset[block + 1] - layout.block_offset[block];
  };
  for (const std::int64_t key : keys) {
    const int row = static_cast<int>(key >> 32);
    const int column = static_cast<int>(key & 0xffffffff);
    ++structure.first_entry[row + 1];
    structure.entry_column.push_back(column);
    structure.value_offset.push_back(structure.value_offset.back() +
                                     std::int64_t{width(row)} * width(column));
  }
  for (int i = 0; i < layout.num_blocks(); ++i) {
    structure.first_entry[i + 1] += structure.first_entry[i];
  }
  return structure;
}

std::vector<int> SystemEntriesOf(const LeafSystem& leaf,
                                 const BlockSymmetricStructure& pattern) {
  std::vector<int> entries;
  if (leaf.num_remaining() == 0) return entries;
  const BlockSymmetricStructure& part = leaf.pattern();
  const std::vector<int>& numbers = leaf.remaining();
  for (int i = 0; i < part.num_blocks(); ++i) {
    int entry = pattern.first_entry[numbers[i]];
    for (int k = part.first_entry[i]; k < part.first_entry[i + 1]; ++k) {
      const int column = numbers[part.entry_column[k]];
      while (pattern.entry_column[entry] != column) ++entry;
      entries.push_back(entry);
    }
  }
  const int first_rhs = static_cast<int>(pattern.entry_column.size());
  for (const int number : numbers) entries.push_back(first_rhs + number);
  return entries;
}

std::vector<std::vector<int>> SystemEntriesOf(
    const std::vector<std::unique_ptr<LeafSystem>>& leaves,
    const BlockSymmetricStructure& pattern) {
  std::vector<std::vector<int>> entries;
  for (const auto& leaf : leaves) {
    entries.push_back(SystemEntriesOf(*leaf, pattern));
  }
  return entries;
}

std::vector<std::int64_t> SystemPlaces(const BlockSymmetricStructure& pattern) {
  std::vector<std::int64_t> places = pattern.value_offset;
  for (int i = 0; i < pattern.num_blocks(); ++i) {
    places.push_back(pattern.num_values() + pattern.block_offset[i + 1]);
  }
  return places;
}

}  // namespace ceres::internal
