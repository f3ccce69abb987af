// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/sparse/incremental/clique_minimum_degree.h"

#include <algorithm>
#include <limits>

#include "ceres/sparse/sparse_tuning.h"

namespace ceres::internal {
namespace {

using sparse_tuning::kMaxFrontWidth;
using sparse_tuning::kMaxMergedOperations;

constexpr int kNone = -1;

}  // namespace

void CliqueGraph::Clear() {
  size.clear();
  is_last.clear();
  first_member.assign(1, 0);
  members.clear();
}

void CliqueGraph::AddNode(int node_size, bool node_is_last) {
  size.push_back(node_size);
  is_last.push_back(node_is_last ? 1 : 0);
}

FrontShape ShapeOfFront(const CliqueGraph& graph, const CliqueForest& forest,
                        int front) {
  const auto sum = [&graph](const std::vector<int>& nodes, int begin, int end) {
    int scalars = 0;
    for (int j = begin; j < end; ++j) scalars += graph.size[nodes[j]];
    return scalars;
  };
  return {sum(forest.pivots, forest.first_pivot[front],
              forest.first_pivot[front + 1]),
          sum(forest.below, forest.first_below[front],
              forest.first_below[front + 1])};
}

void CliqueMinimumDegree::Order(const CliqueGraph& graph,
                                CliqueForest* forest) {
  Begin(graph);
  Advance(std::numeric_limits<int64_t>::max());
  Finish(forest);
}

void CliqueMinimumDegree::Begin(const CliqueGraph& graph) {
  graph_ = &graph;
  Start();
}

bool CliqueMinimumDegree::Advance(int64_t most) {
  num_visits_ = 0;
  while (num_left_ > 0 && num_visits_ < most) {
    if (num_first_left_ == 0 && !last_is_released_) ReleaseLast();
    Eliminate(lists_.TakeLeast());
  }
  return num_left_ == 0;
}

void CliqueMinimumDegree::Finish(CliqueForest* forest) {
  MergeFronts();
  Emit(forest);
}

void CliqueMinimumDegree::Start() {
  const CliqueGraph& g = *graph_;
  const int n = g.num_nodes(), m = g.num_cliques();
  num_left_ = n;
  num_first_left_ = 0;
  int64_t total = 0;
  for (int i = 0; i < n; ++i) {
    total += g.size[i];
    if (!g.is_last[i]) ++num_first_left_;
  }
  last_is_released_ = false;
  lists_.Clear(n, total);
  mark_.assign(n, 0);
  step_of_node_.assign(n, kNone);
  degree_.resize(n);
  stamp_ = 0;

  nodes_.assign(g.members.begin(), g.members.end());
  begin_.assign(g.first_member.begin(), g.first_member.end() - 1);
  end_.assign(g.first_member.begin() + 1, g.first_member.end());
  absorbed_by_.assign(m, kNone);
  element_mark_.assign(m, 0);
  outside_.assign(m, 0);
  weight_.assign(m, 0);

  num_elements_.assign(n, 0);
  for (const int i : g.members) ++num_elements_[i];
  first_element_.assign(n + 1, 0);
  for (int i = 0; i < n; ++i) {
    first_element_[i + 1] = first_element_[i] + num_elements_[i];
    num_elements_[i] = 0;
  }
  elements_.resize(g.members.size());
  for (int e = 0; e < m; ++e) {
    for (int k = begin_[e]; k < end_[e]; ++k) {
      const int i = nodes_[k];
      weight_[e] += g.size[i];
      elements_[first_element_[i] + num_elements_[i]++] = e;
    }
  }
  for (int i = n - 1; i >= 0; --i) {
    int64_t degree = 0;
    for (int k = 0; k < num_elements_[i]; ++k) {
      degree += weight_[elements_[first_element_[i] + k]] - g.size[i];
    }
    degree_[i] = static_cast<int>(std::min(degree, total));
    if (!IsHeld(i)) lists_.Add(i, degree_[i]);
  }
  first_node_.assign(1, 0);
  eliminated_.clear();
  width_.clear();
}

void CliqueMinimumDegree::ReleaseLast() {
  last_is_released_ = true;
  for (int i = graph_->num_nodes() - 1; i >= 0; --i) {
    if (graph_->is_last[i]) lists_.Add(i, degree_[i]);
  }
}

void CliqueMinimumDegree::Eliminate(int p) {
  const int step = static_cast<int>(width_.size());
  const int first = static_cast<int>(nodes_.size());
  FormElement(p, step);
  MeasureOthers(first);
  UpdateNodes(p, step, first);
  const int num_pivots =
      static_cast<int>(eliminated_.size()) - first_node_.back();
  first_node_.push_back(static_cast<int>(eliminated_.size()));
  num_left_ -= num_pivots;
  if (!graph_->is_last[p]) num_first_left_ -= num_pivots;
}

// Appends the neighbours of p to nodes_ and absorbs the elements of p.
void CliqueMinimumDegree::FormElement(int p, int step) {
  mark_[p] = ++stamp_;
  element_weight_ = 0;
  for (int k = 0; k < num_elements_[p]; ++k) {
    const int e = elements_[first_element_[p] + k];
    absorbed_by_[e] = step;
    num_visits_ += end_[e] - begin_[e];
    for (int j = begin_[e]; j < end_[e]; ++j) {
      const int i = nodes_[j];
      if (mark_[i] == stamp_ || step_of_node_[i] != kNone) continue;
      mark_[i] = stamp_;
      nodes_.push_back(i);
      element_weight_ += graph_->size[i];
      if (!IsHeld(i)) lists_.Remove(i);
    }
  }
}

// outside_[e]: the scalars of element e that are not in the new element.
void CliqueMinimumDegree::MeasureOthers(int first) {
  for (size_t j = first; j < nodes_.size(); ++j) {
    const int i = nodes_[j];
    num_visits_ += num_elements_[i];
    for (int k = 0; k < num_elements_[i]; ++k) {
      const int e = elements_[first_element_[i] + k];
      if (absorbed_by_[e] != kNone) continue;
      if (element_mark_[e] != stamp_) {
        element_mark_[e] = stamp_;
        outside_[e] = weight_[e];
      }
      outside_[e] -= graph_->size[i];
    }
  }
}

void CliqueMinimumDegree::UpdateNodes(int p, int step, int first) {
  const std::vector<int>& size = graph_->size;
  const int element = static_cast<int>(absorbed_by_.size());
  int width = size[p];
  step_of_node_[p] = step;
  eliminated_.push_back(p);
  int end = first;
  for (size_t j = first; j < nodes_.size(); ++j) {
    const int i = nodes_[j];
    int* const elements = elements_.data() + first_element_[i];
    int num_kept = 0;
    int64_t degree = 0;
    for (int k = 0; k < num_elements_[i]; ++k) {
      const int e = elements[k];
      if (absorbed_by_[e] != kNone) continue;
      degree += outside_[e];
      elements[num_kept++] = e;
    }
    if (num_kept == 0 && graph_->is_last[i] == graph_->is_last[p] &&
        width + size[i] <= kMaxFrontWidth) {
      step_of_node_[i] = step;
      eliminated_.push_back(i);
      width += size[i];
      element_weight_ -= size[i];
      continue;
    }
    elements[num_kept++] = element;
    num_elements_[i] = num_kept;
    degree_[i] = static_cast<int>(std::min(degree, lists_.max_degree()));
    nodes_[end++] = i;
  }
  nodes_.resize(end);
  for (int j = first; j < end; ++j) {
    const int i = nodes_[j];
    degree_[i] = static_cast<int>(
        std::min(degree_[i] + element_weight_ - size[i], lists_.max_degree()));
    if (!IsHeld(i)) lists_.Add(i, degree_[i]);
  }
  begin_.push_back(first);
  end_.push_back(end);
  absorbed_by_.push_back(kNone);
  element_mark_.push_back(0);
  outside_.push_back(0);
  weight_.push_back(element_weight_);
  width_.push_back(width);
}

// A front that is merged with its parent has the parent's rows: the zeros that
// this adds cost operations, which a front less outweighs if they are few.
void CliqueMinimumDegree::MergeFronts() {
  const int num_steps = static_cast<int>(width_.size());
  const int m = graph_->num_cliques();
  merged_into_.assign(num_steps, kNone);
  for (int k = 0; k < num_steps; ++k) {
    const int q = absorbed_by_[m + k];
    if (q == kNone) continue;
    const bool is_last = graph_->is_last[eliminated_[first_node_[k]]] != 0;
    const bool parent_is_last =
        graph_->is_last[eliminated_[first_node_[q]]] != 0;
    const int64_t rows = width_[q] + weight_[m + q];
    const int64_t zeros = width_[k] * (rows - weight_[m + k]);
    if (is_last != parent_is_last || width_[k] + width_[q] > kMaxFrontWidth ||
        zeros * rows > kMaxMergedOperations) {
      continue;
    }
    merged_into_[k] = q;
    width_[q] += width_[k];
  }
}

void CliqueMinimumDegree::Emit(CliqueForest* forest) {
  const int num_steps = static_cast<int>(width_.size());
  const int m = graph_->num_cliques();
  // From here on merged_into_ is the front of a step.
  int num_fronts = 0;
  for (int k = num_steps - 1; k >= 0; --k) {
    if (merged_into_[k] == kNone) {
      merged_into_[k] = num_fronts++;
    } else {
      merged_into_[k] = merged_into_[merged_into_[k]];
    }
  }
  for (int& front : merged_into_) front = num_fronts - 1 - front;

  forest->parent.assign(num_fronts, kNone);
  forest->first_pivot.assign(num_fronts + 1, 0);
  for (int k = 0; k < num_steps; ++k) {
    forest->first_pivot[merged_into_[k] + 1] +=
        first_node_[k + 1] - first_node_[k];
  }
  for (int f = 0; f < num_fronts; ++f) {
    forest->first_pivot[f + 1] += forest->first_pivot[f];
  }
  next_position_.assign(forest->first_pivot.begin(),
                        forest->first_pivot.end() - 1);
  forest->pivots.resize(graph_->num_nodes());
  position_.resize(graph_->num_nodes());
  for (int k = 0; k < num_steps; ++k) {
    for (int j = first_node_[k]; j < first_node_[k + 1]; ++j) {
      const int position = next_position_[merged_into_[k]]++;
      forest->pivots[position] = eliminated_[j];
      position_[eliminated_[j]] = position;
    }
  }
  forest->first_below.assign(1, 0);
  forest->below.clear();
  for (int k = 0; k < num_steps; ++k) {
    // The last step of a front has its rows.
    if (k + 1 < num_steps && absorbed_by_[m + k] != kNone &&
        merged_into_[absorbed_by_[m + k]] == merged_into_[k]) {
      continue;
    }
    if (absorbed_by_[m + k] != kNone) {
      forest->parent[merged_into_[k]] = merged_into_[absorbed_by_[m + k]];
    }
    forest->below.insert(forest->below.end(), nodes_.begin() + begin_[m + k],
                         nodes_.begin() + end_[m + k]);
    std::sort(forest->below.begin() + forest->first_below.back(),
              forest->below.end(),
              [this](int a, int b) { return position_[a] < position_[b]; });
    forest->first_below.push_back(static_cast<int>(forest->below.size()));
  }
  forest->front_of_clique.resize(m);
  for (int c = 0; c < m; ++c) {
    forest->front_of_clique[c] = merged_into_[absorbed_by_[c]];
  }
}

}  // namespace ceres::internal
