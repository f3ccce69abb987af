// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Which row chunks share a copy, from the memory that copies of the blocks that
// they touch would take, and where in it each product goes.

#include <algorithm>
#include <iterator>
#include <memory>
#include <numeric>
#include <utility>

#include "ceres/execution/loops.h"
#include "ceres/schur/block_index.h"
#include "ceres/schur/block_set.h"
#include "ceres/schur/schur_plan.h"

namespace ceres::internal {
namespace {

bool BlockLess(const SchurPlan::Entry& a, const SchurPlan::Entry& b) {
  return a.row != b.row ? a.row < b.row : a.column < b.column;
}

}  // namespace

// f(clique) for all cliques of a stretch, points first.
template <typename F>
void SchurPlan::ForEachClique(const Stretch& stretch, const F& f) const {
  for (int p = stretch.point_begin; p < stretch.point_end; ++p) f(p);
  if (row_clique_.empty()) return;
  const auto add_rows = [&](int begin, int end) {
    for (int row = begin; row < end; ++row) {
      if (row_clique_[row] >= 0) f(row_clique_[row]);
    }
  };
  add_rows(structure_.eliminated_first_row[stretch.point_begin],
           structure_.eliminated_first_row[stretch.point_end]);
  add_rows(stretch.row_begin, stretch.row_end);
}

// f(row, column) for all products of a clique, in the order of their
// destinations.
template <typename F>
void SchurPlan::ForEachProduct(int clique, const F& f) const {
  const int* const end = slot_column_.data() + first_slot_[clique + 1];
  const bool has_pairs = HasPairs(clique);
  for (const int* a = slot_column_.data() + first_slot_[clique]; a < end; ++a) {
    const int* const last = has_pairs ? end : a + 1;
    for (const int* b = a; b < last; ++b) {
      f(*a - num_points(), *b - num_points());
    }
  }
}

// The blocks of the reduced matrix that a stretch touches, by rows and columns,
// but not laid out. blocks: empty, and left so.
std::vector<SchurPlan::Entry> SchurPlan::ListTouchedBlocks(
    const Stretch& stretch, BlockSet* blocks) const {
  ForEachClique(stretch, [&](int q) {
    const int* const begin = slot_column_.data() + first_slot_[q];
    const int* const end = slot_column_.data() + first_slot_[q + 1];
    if (HasPairs(q)) {
      blocks->AddPairs(begin, end);
    } else {
      blocks->AddDiagonal(begin, end);
    }
  });
  std::vector<Entry> entries;
  blocks->TakeInOrder([&](int row, int column) {
    entries.push_back({row, column, /*line=*/0});
  });
  return entries;
}

void SchurPlan::GroupRowChunks(const Execution& execution) {
  groups_ = row_chunks_;
  std::vector<std::vector<Entry>>& entries = group_entries_;
  entries.resize(groups_.size());
  std::vector<std::unique_ptr<BlockSet>> blocks(
      std::max(1, execution.num_threads));
  ParallelFor(execution, 0, num_groups(), [&](int thread_id, int s) {
    std::unique_ptr<BlockSet>& mine = blocks[thread_id];
    if (mine == nullptr) {
      mine = std::make_unique<BlockSet>(num_remaining_blocks(), num_points());
    }
    entries[s] = ListTouchedBlocks(groups_[s], mine.get());
  });
  std::vector<int64_t> size_of_copy(groups_.size());
  const auto size_of_copies = [&] {
    ParallelFor(execution, 0, num_groups(), [&](int g) {
      size_of_copy[g] = 0;
      for (const Entry& entry : entries[g]) {
        size_of_copy[g] += EntrySize(entry.row, entry.column);
      }
    });
    return std::accumulate(size_of_copy.begin(),
                           size_of_copy.begin() + num_groups(), int64_t{0});
  };
  const int64_t num_values = structure_.num_values();
  while (num_groups() > 1) {
    const int64_t bound = num_groups() > kManyGroups ? num_values / 8
                          : num_groups() > kFewGroups
                              ? num_values / 2
                              : std::max(num_values, kMaxSmallCopies);
    if (size_of_copies() <= bound) break;
    MergeGroups(execution);
  }
}

// Two by two.
void SchurPlan::MergeGroups(const Execution& execution) {
  const int half = (num_groups() + 1) / 2;
  std::vector<std::vector<Entry>> merged(half);
  ParallelFor(execution, 0, half, [&](int g) {
    std::vector<Entry>& first = group_entries_[2 * g];
    if (2 * g + 1 == num_groups()) {
      merged[g] = std::move(first);
      return;
    }
    const std::vector<Entry>& second = group_entries_[2 * g + 1];
    merged[g].reserve(first.size() + second.size());
    std::set_union(first.begin(), first.end(), second.begin(), second.end(),
                   std::back_inserter(merged[g]), BlockLess);
  });
  for (int g = 0; g < half; ++g) {
    groups_[g] = groups_[2 * g];
    if (2 * g + 1 < num_groups()) {
      groups_[g].point_end = groups_[2 * g + 1].point_end;
      groups_[g].row_end = groups_[2 * g + 1].row_end;
    }
  }
  groups_.resize(half);
  group_entries_ = std::move(merged);
}

// One behind the other in the group's copy.
void SchurPlan::LayOutEntries() {
  for (std::vector<Entry>& entries : group_entries_) {
    int64_t size = 0;
    for (Entry& entry : entries) {
      entry.line = static_cast<int>(size / kernels::kPanelWidth);
      size += EntrySize(entry.row, entry.column);
    }
    copy_begin_.push_back(copy_begin_.back() + size);
  }
}

// The destinations of all cliques.
void SchurPlan::FillDestinations(const Execution& execution) {
  int64_t next = 0;
  for (int q = 0; q < num_cliques(); ++q) {
    first_destination_.push_back(next);
    const int64_t k = first_slot_[q + 1] - first_slot_[q];
    next += HasPairs(q) ? k * (k + 1) / 2 : k;
  }
  first_destination_.push_back(next);
  destination_.resize(next);
  std::vector<std::unique_ptr<BlockIndex>> indices(
      std::max(1, execution.num_threads));
  ParallelFor(execution, 0, num_groups(), [&](int thread_id, int g) {
    std::unique_ptr<BlockIndex>& index = indices[thread_id];
    if (index == nullptr) {
      index = std::make_unique<BlockIndex>(num_remaining_blocks());
    }
    for (const Entry& entry : group_entries_[g]) {
      index->Set(entry.row, entry.column, entry.line);
    }
    ForEachClique(groups_[g], [&](int q) {
      int* place = destination_.data() + first_destination_[q];
      ForEachProduct(
          q, [&](int row, int column) { *place++ = index->Find(row, column); });
    });
    index->Clear();
  });
}

}  // namespace ceres::internal
