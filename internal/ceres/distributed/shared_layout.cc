// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/distributed/shared_layout.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <map>
#include <tuple>
#include <typeinfo>
#include <utility>

#include "ceres/base/format.h"
#include "ceres/base/type_of.h"
#include "ceres/distributed/hashing.h"
#include "ceres/problem/parameter_block.h"

namespace ceres::internal {
namespace {

constexpr int kUnused = std::numeric_limits<int>::max();

// What a rank says about a shared block. Without padding.
struct SharedRecord {
  std::int64_t id;
  int first_leaf;  // of the rank that uses the block; kUnused: none
  int size;
  int tangent_size;
  int is_constant;
  std::uint64_t manifold;
  std::uint64_t bounds;
  std::uint64_t values;
};

// A promoted block: the private column block `ordinal` of a leaf.
struct PromotedRecord {
  int leaf;
  int ordinal;
  int size;
  int tangent_size;
};

std::uint64_t HashOfManifold(const ParameterBlock& block) {
  const Manifold* manifold = block.manifold();
  if (manifold == nullptr) return 0;
  Hash hash;
  const std::type_info* const type = TypeOf(*manifold);
  hash.Add(std::string_view(type != nullptr ? type->name() : ""));
  std::vector<double> jacobian(std::size_t(block.size()) *
                               manifold->TangentSize());
  if (manifold->PlusJacobian(block.user_state(), jacobian.data())) {
    hash.Add(jacobian.data(), jacobian.size() * sizeof(double));
  }
  return hash.value();
}

std::uint64_t HashOfBounds(const ParameterBlock& block) {
  if (!block.has_bounds()) return 0;
  Hash hash;
  for (int i = 0; i < block.size(); ++i) {
    hash.AddValue(block.LowerBound(i)).AddValue(block.UpperBound(i));
  }
  return hash.value();
}

SharedRecord Describe(std::int64_t id, const ParameterBlock& block,
                      int first_leaf) {
  SharedRecord record = {};
  record.id = id;
  record.first_leaf = first_leaf;
  record.size = block.size();
  record.tangent_size = block.tangent_size();
  record.is_constant = block.IsConstant() ? 1 : 0;
  record.manifold = HashOfManifold(block);
  record.bounds = HashOfBounds(block);
  record.values =
      Hash().Add(block.user_state(), block.size() * sizeof(double)).value();
  return record;
}

// What two ranks say differently about a block, or null.
const char* Difference(const SharedRecord& a, const SharedRecord& b) {
  if (a.size != b.size) return "sizes";
  if (a.is_constant != b.is_constant) return "settings constant or variable";
  if (a.tangent_size != b.tangent_size || a.manifold != b.manifold) {
    return "manifolds";
  }
  if (a.bounds != b.bounds) return "bounds";
  if (a.values != b.values) return "start values";
  return nullptr;
}

// The rank whose list has item i.
int RankOf(std::int64_t i, const std::vector<std::int64_t>& first) {
  return static_cast<int>(std::upper_bound(first.begin(), first.end(), i) -
                          first.begin()) -
         1;
}

// Numbers the leaves of all ranks. Writes the tree and the numbers of this
// rank's leaves.
bool NumberLeaves(RankGroup* ranks, const std::vector<LocalLeaf>& leaves,
                  SharedLayout* layout, std::string* error) {
  std::vector<int> mine;
  for (const LocalLeaf& leaf : leaves) mine.push_back(leaf.number);
  std::vector<std::int64_t> first;
  const std::vector<int> all = ranks->GatherLists(Phase::kSetup, mine, &first);
  std::map<int, int> rank_of;
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(all.size()); ++i) {
    const int rank = RankOf(i, first);
    const auto [place, is_new] = rank_of.emplace(all[i], rank);
    if (!is_new) {
      *error = Format(
          "leaf %d is on ranks %d and %d. Give each leaf to one rank, or call "
          "SharedBlocks::BeginLeaf on all ranks or on none.",
          all[i], place->second, rank);
      return false;
    }
  }
  std::vector<int> owner;
  for (const auto& [number, rank] : rank_of) {
    if (rank == ranks->rank()) {
      layout->local_leaves.push_back(static_cast<int>(owner.size()));
    }
    owner.push_back(rank);
  }
  layout->tree = LeafTree(std::move(owner));
  return true;
}

// The first of this rank's leaves that uses a parameter block, by index.
std::vector<int> FirstLeaves(const ProblemImpl& problem,
                             const std::vector<LocalLeaf>& leaves,
                             const SharedLayout& layout) {
  std::vector<int> first(problem.parameter_blocks().size(), kUnused);
  for (std::size_t k = 0; k < leaves.size(); ++k) {
    for (const ParameterBlock* block : leaves[k].shared) {
      int& leaf = first[block->index()];
      leaf = std::min(leaf, layout.local_leaves[k]);
    }
  }
  return first;
}

// A column block of the reduced system. They are sorted by what comes first.
struct Column {
  int home_leaf;
  int is_promoted;
  std::int64_t id;  // of a promoted block: its ordinal
  int size;
  int tangent_size;

  friend bool operator<(const Column& a, const Column& b) {
    return std::tie(a.home_leaf, a.is_promoted, a.id) <
           std::tie(b.home_leaf, b.is_promoted, b.id);
  }
};

void AddTo(int size, int tangent_size, SharedLayout::Totals* totals) {
  ++totals->num_blocks;
  totals->num_parameters += size;
  totals->num_effective_parameters += tangent_size;
}

// Adds the shared blocks that vary and are used, after comparing what ranks say
// about them.
bool MergeRecords(const std::vector<SharedRecord>& records,
                  const std::vector<std::int64_t>& first,
                  SharedLayout::Totals* totals, std::vector<Column>* columns,
                  std::string* error) {
  std::vector<std::int64_t> order(records.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::int64_t i, std::int64_t j) {
                     return records[i].id < records[j].id;
                   });
  for (std::size_t begin = 0; begin < order.size();) {
    const SharedRecord& one = records[order[begin]];
    int home = one.first_leaf;
    std::size_t end = begin + 1;
    for (; end < order.size() && records[order[end]].id == one.id; ++end) {
      const SharedRecord& other = records[order[end]];
      if (const char* what = Difference(one, other)) {
        *error =
            Format("shared block %lld has different %s on ranks %d and %d.",
                   static_cast<long long>(one.id), what,
                   RankOf(order[begin], first), RankOf(order[end], first));
        return false;
      }
      home = std::min(home, other.first_leaf);
    }
    begin = end;
    AddTo(one.size, one.tangent_size, totals);
    if (home != kUnused && one.is_constant == 0) {
      columns->push_back({home, 0, one.id, one.size, one.tangent_size});
    }
  }
  return true;
}

// Finds the numbers of this rank's blocks among the sorted columns.
void NumberLocalBlocks(const ProblemImpl& problem,
                       const distributed::SharedBlocks& shared,
                       const std::vector<LocalLeaf>& leaves,
                       const std::vector<Column>& columns,
                       SharedLayout* layout) {
  std::unordered_map<std::int64_t, ParameterBlock*> block_of_id;
  for (const auto& [id, values] : shared.blocks()) {
    block_of_id[id] = problem.FindParameterBlock(values);
  }
  std::unordered_map<int, const LocalLeaf*> leaf_of_number;
  for (std::size_t k = 0; k < leaves.size(); ++k) {
    leaf_of_number[layout->local_leaves[k]] = &leaves[k];
  }
  for (int i = 0; i < static_cast<int>(columns.size()); ++i) {
    const Column& column = columns[i];
    ParameterBlock* block = nullptr;
    if (column.is_promoted == 0) {
      const auto found = block_of_id.find(column.id);
      if (found != block_of_id.end()) block = found->second;
    } else {
      const auto found = leaf_of_number.find(column.home_leaf);
      if (found != leaf_of_number.end()) {
        block = found->second->promoted[column.id];
      }
    }
    if (block == nullptr) continue;
    layout->local_blocks.push_back(block);
    layout->local_numbers.push_back(i);
  }
}

}  // namespace

bool BuildSharedLayout(RankGroup* ranks, const ProblemImpl& problem,
                       const distributed::SharedBlocks& shared,
                       const std::vector<LocalLeaf>& leaves,
                       SharedLayout* layout, std::string* error) {
  if (!NumberLeaves(ranks, leaves, layout, error)) return false;
  const std::vector<int> first_leaf = FirstLeaves(problem, leaves, *layout);
  std::vector<SharedRecord> mine;
  for (const auto& [id, values] : shared.blocks()) {
    const ParameterBlock& block = *problem.FindParameterBlock(values);
    mine.push_back(Describe(id, block, first_leaf[block.index()]));
  }
  std::vector<PromotedRecord> promoted;
  for (std::size_t k = 0; k < leaves.size(); ++k) {
    int ordinal = 0;
    for (const ParameterBlock* block : leaves[k].promoted) {
      promoted.push_back({layout->local_leaves[k], ordinal++, block->size(),
                          block->tangent_size()});
    }
  }
  std::vector<std::int64_t> first;
  const std::vector<SharedRecord> records =
      ranks->GatherLists(Phase::kSetup, mine, &first);
  std::vector<Column> columns;
  if (!MergeRecords(records, first, &layout->all_shared, &columns, error)) {
    return false;
  }
  for (const PromotedRecord& record :
       ranks->GatherLists(Phase::kSetup, promoted)) {
    columns.push_back(
        {record.leaf, 1, record.ordinal, record.size, record.tangent_size});
  }
  std::sort(columns.begin(), columns.end());
  for (const Column& column : columns) {
    if (column.is_promoted == 0) {
      layout->number_of_id[column.id] =
          static_cast<int>(layout->home_leaf.size());
    }
    AddTo(column.size, column.tangent_size, &layout->columns);
    layout->home_leaf.push_back(column.home_leaf);
    layout->block_offset.push_back(layout->block_offset.back() +
                                   column.tangent_size);
  }
  NumberLocalBlocks(problem, shared, leaves, columns, layout);
  return true;
}

}  // namespace ceres::internal
