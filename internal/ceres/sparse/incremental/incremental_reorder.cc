// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// IncrementalCholesky: when more than the affected blocks are ordered anew.

#include <algorithm>
#include <utility>

#include "ceres/sparse/incremental/incremental_cholesky.h"
#include "ceres/sparse/sparse_tuning.h"

namespace ceres::internal {

double IncrementalCholesky::fill_ratio() const {
  if (reference_.fill() == 0.0 || num_scalars_ == 0) return 0.0;
  return static_cast<double>(factor_size_) /
         (reference_.fill() * static_cast<double>(num_scalars_));
}

// Returns the operations of the search.
int64_t IncrementalCholesky::SearchOrder() {
  if (limits_.fill_factor == 0.0) return 0;
  if (reference_.is_searching()) {
    return reference_.Advance(
        std::min(limits_.most_operations, sparse_tuning::kMaxSearchOperations));
  }
  if (num_scalars_ < next_search_) return 0;
  const auto growth =
      static_cast<int64_t>(sparse_tuning::kGrowthBetweenOrderings *
                           static_cast<double>(num_scalars_));
  next_search_ =
      num_scalars_ + std::max(growth, sparse_tuning::kScalarsBetweenOrderings);
  return TakeSnapshot();
}

// Of all terms that exist.
int64_t IncrementalCholesky::TakeSnapshot() {
  CliqueGraph& graph = reference_.graph();
  graph.Clear();
  std::vector<int> nodes(blocks_.size(), kNone);
  for (const Term& term : terms_) {
    if (!term.exists) continue;
    for (const int b : term.blocks) {
      if (nodes[b] == kNone) {
        nodes[b] = graph.num_nodes();
        graph.AddNode(blocks_[b].size, false);
      }
      graph.members.push_back(nodes[b]);
    }
    graph.EndClique();
  }
  reference_.Begin();
  return sparse_tuning::kOrderingVisit *
         static_cast<int64_t>(graph.members.size());
}

// Orders stale fronts anew with those that are affected, and some fronts below,
// if the fill is too large and the new order takes fewer operations. Returns
// what it adds to the operations of the eliminations.
int64_t IncrementalCholesky::OrderMore(int64_t most_operations) {
  num_blocks_reordered_ = 0;
  if (limits_.fill_factor == 0.0 || fill_ratio() <= limits_.fill_factor) {
    return 0;
  }
  if (num_pauses_ > 0) {
    --num_pauses_;
    return 0;
  }
  const size_t num_affected = affected_.size();
  const int num_nodes = graph_.num_nodes();
  const int64_t stale = AffectStale();
  const int64_t before = CostOfForest() + stale;
  const int64_t added =
      AffectBelow(std::min(most_operations, limits_.most_operations));
  if (affected_.size() == num_affected) return 0;
  OrderAffected();
  const int64_t after = CostOfForest();
  // After an order that is hardly better, orders of as many updates are left
  // out as before, and more.
  const bool is_much_better = 20 * after < 19 * (before + added);
  pause_ = is_much_better ? 0
                          : std::min(2 * pause_ + 1,
                                     sparse_tuning::kMaxPauseBetweenReorders);
  num_pauses_ = pause_;
  if (after <= before + added) {
    num_blocks_reordered_ = graph_.num_nodes() - num_nodes;
    return after - before;
  }
  for (size_t k = num_affected; k < affected_.size(); ++k) {
    fronts_[affected_[k]].is_affected = false;
  }
  affected_.resize(num_affected);
  OrderAffected();
  return 0;
}

// Returns the operations of the fronts in place that are stale.
int64_t IncrementalCholesky::AffectStale() {
  int64_t operations = 0;
  for (const int f : stale_fronts_) {
    if (!fronts_[f].is_stale || fronts_[f].is_affected) continue;
    fronts_[f].is_affected = true;
    affected_.push_back(f);
    operations += EliminationCost(fronts_[f].width, fronts_[f].below);
  }
  return operations;
}

// The most expensive fronts below those that are affected, one after another.
// Returns their operations, at most most_operations.
int64_t IncrementalCholesky::AffectBelow(int64_t most_operations) {
  std::vector<std::pair<int64_t, int>> heap;
  const auto add_children = [&](int front) {
    for (const int child : fronts_[front].children) {
      if (fronts_[child].is_affected) continue;
      heap.emplace_back(
          EliminationCost(fronts_[child].width, fronts_[child].below), child);
      std::push_heap(heap.begin(), heap.end());
    }
  };
  for (const int f : affected_) add_children(f);
  int64_t operations = 0;
  while (!heap.empty()) {
    std::pop_heap(heap.begin(), heap.end());
    const auto [cost, front] = heap.back();
    heap.pop_back();
    if (cost > most_operations - operations) continue;
    operations += cost;
    fronts_[front].is_affected = true;
    affected_.push_back(front);
    add_children(front);
  }
  return operations;
}

}  // namespace ceres::internal
