// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// IncrementalCholesky: which fronts are affected, and which take their place.

#include <algorithm>

#include "ceres/logging/logging.h"
#include "ceres/sparse/incremental/incremental_cholesky.h"

namespace ceres::internal {

int64_t IncrementalCholesky::Prepare(const ReorderLimits& limits) {
  VESTA_CHECK(!is_prepared_) << "Prepare needs an Update before it.";
  limits_ = limits;
  // The same number twice: added, removed and added again.
  std::sort(new_terms_.begin(), new_terms_.end());
  new_terms_.erase(std::unique(new_terms_.begin(), new_terms_.end()),
                   new_terms_.end());
  const int64_t search = SearchOrder();
  CollectAffected();
  OrderAffected();
  is_prepared_ = true;
  return search + CostOfForest();
}

void IncrementalCholesky::OrderAffected() {
  CollectNodes();
  CollectCliques();
  ordering_.Order(graph_, &forest_);
}

int64_t IncrementalCholesky::CostOfForest() const {
  int64_t operations = 0;
  for (int f = 0; f < forest_.num_fronts(); ++f) {
    const FrontShape shape = ShapeOfFront(graph_, forest_, f);
    operations += EliminationCost(shape.width, shape.below);
  }
  return operations;
}

// The touched fronts, and all their ancestors.
void IncrementalCholesky::CollectAffected() {
  affected_.swap(touched_fronts_);
  touched_fronts_.clear();
  const size_t num_touched = affected_.size();
  for (size_t k = 0; k < num_touched; ++k) {
    int f = fronts_[affected_[k]].parent;
    while (f != kNone && !fronts_[f].is_affected) {
      fronts_[f].is_affected = true;
      affected_.push_back(f);
      f = fronts_[f].parent;
    }
  }
}

void IncrementalCholesky::CollectNodes() {
  for (const int b : nodes_) blocks_[b].node = kNone;
  graph_.Clear();
  nodes_.clear();
  const auto add = [this](int id) {
    Block& block = blocks_[id];
    block.node = static_cast<int>(nodes_.size());
    nodes_.push_back(id);
    graph_.AddNode(block.size, block.is_last);
  };
  for (const int f : affected_) {
    for (const int id : fronts_[f].pivots) {
      // Otherwise the block was removed, and its number may be used again.
      if (blocks_[id].front != f) continue;
      if (blocks_[id].num_terms > 0) add(id);
    }
  }
  for (const int id : new_blocks_) {
    const Block& block = blocks_[id];
    if (block.num_terms > 0 && block.front == kNone && block.node == kNone) {
      add(id);
    }
  }
}

void IncrementalCholesky::CollectCliques() {
  clique_terms_.clear();
  orphans_.clear();
  for (const int f : affected_) {
    for (const int t : fronts_[f].terms) {
      if (terms_[t].exists && !terms_[t].is_new) AddCliqueOfTerm(t);
    }
  }
  for (const int t : new_terms_) {
    if (terms_[t].exists) AddCliqueOfTerm(t);
  }
  for (const int f : affected_) {
    for (const int child : fronts_[f].children) {
      if (fronts_[child].is_affected) continue;
      orphans_.push_back(child);
      for (const int b : fronts_[child].below_blocks) {
        graph_.members.push_back(blocks_[b].node);
      }
      graph_.EndClique();
    }
  }
}

void IncrementalCholesky::AddCliqueOfTerm(int t) {
  clique_terms_.push_back(t);
  for (const int b : terms_[t].blocks) {
    graph_.members.push_back(blocks_[b].node);
  }
  graph_.EndClique();
}

void IncrementalCholesky::ReplaceAffected() {
  ReleaseAffected();
  BuildFronts();
  LinkFronts();
  FinishStructure();
}

void IncrementalCholesky::ReleaseAffected() {
  for (const int f : affected_) {
    DynamicFront& front = fronts_[f];
    for (const int b : front.pivots) {
      if (blocks_[b].front != f) continue;  // the block was removed
      blocks_[b].front = kNone;
      num_scalars_ -= blocks_[b].size;
    }
    energy_ -= front.energy;
    factor_size_ -= front.columns_size;
    factor_operations_ -= EliminationCost(front.width, front.below);
    --num_fronts_;
    StopWaiting(&front);
    front.Release(&memory_);
    free_fronts_.push_back(f);
  }
  affected_.clear();
}

int IncrementalCholesky::NewFront() {
  const int f = PopOr(&free_fronts_, static_cast<int>(fronts_.size()));
  if (f == static_cast<int>(fronts_.size())) fronts_.emplace_back();
  ++num_fronts_;
  return f;
}

void IncrementalCholesky::BuildFronts() {
  new_fronts_.clear();
  for (int k = 0; k < forest_.num_fronts(); ++k) {
    const int f = NewFront();
    new_fronts_.push_back(f);
    DynamicFront& front = fronts_[f];
    int width = 0, below = 0;
    for (int j = forest_.first_pivot[k]; j < forest_.first_pivot[k + 1]; ++j) {
      const int b = nodes_[forest_.pivots[j]];
      blocks_[b].front = f;
      blocks_[b].rank = next_rank_++;
      front.pivots.push_back(b);
      width += blocks_[b].size;
    }
    for (int j = forest_.first_below[k]; j < forest_.first_below[k + 1]; ++j) {
      const int b = nodes_[forest_.below[j]];
      front.below_blocks.push_back(b);
      below += blocks_[b].size;
    }
    front.is_new = front.is_stale = true;
    front.first_rank = blocks_[front.pivots.front()].rank;
    front.Allocate(width, below, &memory_);
    num_scalars_ += width;
    factor_size_ += front.columns_size;
    factor_operations_ += EliminationCost(width, below);
  }
}

void IncrementalCholesky::LinkFronts() {
  const auto adopt = [this](int child, int parent) {
    fronts_[child].parent = parent;
    fronts_[parent].children.push_back(child);
  };
  for (int k = 0; k < forest_.num_fronts(); ++k) {
    if (forest_.parent[k] != kNone) {
      adopt(new_fronts_[k], new_fronts_[forest_.parent[k]]);
    }
  }
  const int num_terms = static_cast<int>(clique_terms_.size());
  for (int c = 0; c < graph_.num_cliques(); ++c) {
    const int f = new_fronts_[forest_.front_of_clique[c]];
    if (c < num_terms) {
      fronts_[f].terms.push_back(clique_terms_[c]);
      terms_[clique_terms_[c]].front = f;
    } else {
      adopt(orphans_[c - num_terms], f);
    }
  }
}

void IncrementalCholesky::FinishStructure() {
  for (const int b : nodes_) {
    blocks_[b].node = kNone;
    blocks_[b].is_last = false;
  }
  nodes_.clear();
  for (const int t : new_terms_) terms_[t].is_new = false;
  new_terms_.clear();
  new_blocks_.clear();
}

}  // namespace ceres::internal
