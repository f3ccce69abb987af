// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// SchurPlan::GroupSlabs: which slabs share a copy, from the memory that copies
// of the blocks that they touch would take.

#include <algorithm>
#include <iterator>
#include <utility>

#include "ceres/parallel/loops.h"
#include "ceres/schur/schur_plan.h"

namespace ceres::internal {
namespace {

bool BlockLess(const SchurPlan::Entry& a, const SchurPlan::Entry& b) {
  return a.row != b.row ? a.row < b.row : a.column < b.column;
}

// A set of numbers: a hash table with open addressing and linear probing, at
// most half full, hashed by multiplication. Cliques that follow each other are
// alike, so that most numbers are there already.
class NumberSet {
 public:
  NumberSet() { Clear(10); }

  void Insert(uint64_t number) {
    uint64_t* place = PlaceOf(number);
    if (*place == number) return;
    *place = number;
    if (2 * ++size_ > places_.size()) Grow();
  }

  std::vector<uint64_t> Sorted() const {
    std::vector<uint64_t> numbers;
    numbers.reserve(size_);
    std::copy_if(places_.begin(), places_.end(), std::back_inserter(numbers),
                 [](uint64_t number) { return number != kFree; });
    std::sort(numbers.begin(), numbers.end());
    return numbers;
  }

 private:
  static constexpr uint64_t kFree = ~uint64_t{0};

  void Clear(int log_size) {
    places_.assign(size_t{1} << log_size, kFree);
    log_size_ = log_size;
    size_ = 0;
  }
  uint64_t* PlaceOf(uint64_t number) {
    // 2^64 divided by the golden ratio.
    constexpr uint64_t kMultiplier = 0x9E3779B97F4A7C15u;
    const size_t mask = places_.size() - 1;
    size_t i = (number * kMultiplier) >> (64 - log_size_);
    while (places_[i] != number && places_[i] != kFree) i = (i + 1) & mask;
    return &places_[i];
  }
  void Grow() {
    const std::vector<uint64_t> old = std::move(places_);
    Clear(log_size_ + 1);
    for (const uint64_t number : old) {
      if (number != kFree) Insert(number);
    }
  }

  std::vector<uint64_t> places_;
  int log_size_ = 0;
  size_t size_ = 0;
};

}  // namespace

// The blocks of the reduced matrix that a stretch touches, by rows and columns,
// but not laid out.
std::vector<SchurPlan::Entry> SchurPlan::ListTouchedBlocks(
    const Stretch& stretch) const {
  const uint64_t n = num_remaining_blocks();
  NumberSet blocks;
  const auto add_clique = [&](int q) {
    const int end = first_slot_[q + 1];
    const bool has_pairs = HasPairs(q);
    for (int a = first_slot_[q]; a < end; ++a) {
      const uint64_t row = n * (slot_column_[a] - num_points());
      const int last = has_pairs ? end : a + 1;
      for (int b = a; b < last; ++b) {
        blocks.Insert(row + (slot_column_[b] - num_points()));
      }
    }
  };
  for (int p = stretch.point_begin; p < stretch.point_end; ++p) add_clique(p);
  if (!row_clique_.empty()) {
    const auto add_rows = [&](int begin, int end) {
      for (int row = begin; row < end; ++row) {
        if (row_clique_[row] >= 0) add_clique(row_clique_[row]);
      }
    };
    add_rows(structure_.eliminated_first_row[stretch.point_begin],
             structure_.eliminated_first_row[stretch.point_end]);
    add_rows(stretch.row_begin, stretch.row_end);
  }
  std::vector<Entry> entries;
  for (const uint64_t block : blocks.Sorted()) {
    entries.push_back({static_cast<int>(block / n), static_cast<int>(block % n),
                       /*line=*/0});
  }
  return entries;
}

void SchurPlan::GroupSlabs(const Execution& execution) {
  groups_ = slabs_;
  if (groups_.size() == 1) return;
  std::vector<std::vector<Entry>> entries(groups_.size());
  ParallelFor(execution, 0, num_groups(),
              [&](int s) { entries[s] = ListTouchedBlocks(groups_[s]); });
  const auto size_of_copies = [&] {
    int64_t size = 0;
    for (const auto& list : entries) {
      for (const Entry& entry : list)
        size += EntrySize(entry.row, entry.column);
    }
    return size;
  };
  const int64_t num_values = structure_.num_values();
  while (num_groups() > 1) {
    const int64_t bound = num_groups() > kManyGroups ? num_values / 8
                          : num_groups() > kFewGroups
                              ? num_values / 2
                              : std::max(num_values, kMaxSmallCopies);
    if (size_of_copies() <= bound) break;
    const int half = (num_groups() + 1) / 2;
    for (int g = 0; g < half; ++g) {
      groups_[g] = groups_[2 * g];
      std::vector<Entry> merged = std::move(entries[2 * g]);
      if (2 * g + 1 < num_groups()) {
        groups_[g].point_end = groups_[2 * g + 1].point_end;
        groups_[g].row_end = groups_[2 * g + 1].row_end;
        std::vector<Entry> both;
        std::set_union(merged.begin(), merged.end(), entries[2 * g + 1].begin(),
                       entries[2 * g + 1].end(), std::back_inserter(both),
                       BlockLess);
        merged = std::move(both);
      }
      entries[g] = std::move(merged);
    }
    groups_.resize(half);
    entries.resize(half);
  }
}

}  // namespace ceres::internal
