// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/schur/view_clusters.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <queue>
#include <vector>

#include "ceres/execution/loops.h"
#include "ceres/schur/schur_tuning.h"

namespace ceres::internal {
namespace {

// The points of each view, and what counting its pairs costs, cumulatively.
struct PointsOfViews {
  std::vector<int> first;
  std::vector<int> point;
  std::vector<int64_t> cost;
};

PointsOfViews Transpose(const Visibility& visibility) {
  PointsOfViews result;
  result.first.assign(visibility.num_views + 1, 0);
  result.cost.assign(visibility.num_views + 1, 0);
  result.point.resize(visibility.view.size());
  for (const int view : visibility.view) ++result.first[view + 1];
  for (int v = 0; v < visibility.num_views; ++v) {
    result.first[v + 1] += result.first[v];
  }
  std::vector<int> next(result.first.begin(), result.first.end() - 1);
  const int num_points = static_cast<int>(visibility.first_view.size()) - 1;
  for (int p = 0; p < num_points; ++p) {
    const int begin = visibility.first_view[p];
    const int end = visibility.first_view[p + 1];
    for (int k = begin; k < end; ++k) {
      result.point[next[visibility.view[k]]++] = p;
      result.cost[visibility.view[k] + 1] += end - begin;
    }
  }
  for (int v = 0; v < visibility.num_views; ++v) {
    result.cost[v + 1] += result.cost[v];
  }
  return result;
}

// Renumbers by first appearance.
std::vector<int> NumberByFirstView(const std::vector<int>& label) {
  std::vector<int> number(label.size(), -1);
  std::vector<int> result;
  int next = 0;
  for (const int l : label) {
    if (number[l] < 0) number[l] = next++;
    result.push_back(number[l]);
  }
  return result;
}

struct Candidate {
  double gain;
  int view;
  // A heap's top is the greatest; of equals the first view.
  bool operator<(const Candidate& other) const {
    return gain != other.gain ? gain < other.gain : view > other.view;
  }
};

// By view the chosen view that it joins.
std::vector<int> ChooseCanonicalViews(const SimilarityGraph& graph) {
  const int n = graph.num_views();
  std::vector<double> similarity(n, 0.0);  // to the chosen view
  std::vector<int> chosen(n);
  std::iota(chosen.begin(), chosen.end(), 0);
  const auto gain_of = [&](int view) {
    double gain = std::max(0.0, 1.0 - similarity[view]) - kViewPenalty;
    for (const SimilarityGraph::Edge& edge : graph.edges[view]) {
      gain += std::max(0.0, edge.weight - similarity[edge.view]);
    }
    return gain;
  };
  std::priority_queue<Candidate> candidates;
  for (int v = 0; v < n; ++v) candidates.push({gain_of(v), v});
  while (!candidates.empty()) {
    const int view = candidates.top().view;
    candidates.pop();
    const Candidate now = {gain_of(view), view};
    if (!candidates.empty() && now < candidates.top()) {
      candidates.push(now);
      continue;
    }
    if (now.gain <= 0.0) break;
    similarity[view] = 1.0;
    chosen[view] = view;
    for (const SimilarityGraph::Edge& edge : graph.edges[view]) {
      if (edge.weight > similarity[edge.view]) {
        similarity[edge.view] = edge.weight;
        chosen[edge.view] = view;
      }
    }
  }
  return chosen;
}

std::vector<int> LinkSimilarViews(const SimilarityGraph& graph) {
  DisjointSets sets(graph.num_views());
  for (int i = 0; i < graph.num_views(); ++i) {
    for (const SimilarityGraph::Edge& edge : graph.edges[i]) {
      if (edge.weight >= kLinkSimilarity) sets.Unite(i, edge.view);
    }
  }
  std::vector<int> label(graph.num_views());
  for (int i = 0; i < graph.num_views(); ++i) label[i] = sets.Find(i);
  return label;
}

}  // namespace

SimilarityGraph ComputeSimilarity(const Execution& execution,
                                  const Visibility& visibility) {
  const PointsOfViews points = Transpose(visibility);
  const auto num_points_of = [&](int view) {
    return static_cast<double>(points.first[view + 1] - points.first[view]);
  };
  SimilarityGraph graph;
  graph.edges.resize(visibility.num_views);
  ParallelForByCost(
      execution, 0, visibility.num_views, points.cost.data(),
      [&](IndexRange views) {
        std::vector<int> count(visibility.num_views, 0);
        std::vector<int> seen;
        for (int i = views.begin; i < views.end; ++i) {
          seen.clear();
          for (int k = points.first[i]; k < points.first[i + 1]; ++k) {
            const int p = points.point[k];
            for (int v = visibility.first_view[p];
                 v < visibility.first_view[p + 1]; ++v) {
              const int j = visibility.view[v];
              if (j != i && count[j]++ == 0) seen.push_back(j);
            }
          }
          std::sort(seen.begin(), seen.end());
          for (const int j : seen) {
            const double scale = std::sqrt(num_points_of(i) * num_points_of(j));
            graph.edges[i].push_back({j, count[j] / scale});
            count[j] = 0;
          }
        }
      });
  return graph;
}

DisjointSets::DisjointSets(int n) : parent_(n) {
  std::iota(parent_.begin(), parent_.end(), 0);
}

int DisjointSets::Find(int i) {
  while (parent_[i] != i) {
    parent_[i] = parent_[parent_[i]];
    i = parent_[i];
  }
  return i;
}

bool DisjointSets::Unite(int i, int j) {
  i = Find(i);
  j = Find(j);
  if (i == j) return false;
  parent_[std::max(i, j)] = std::min(i, j);
  return true;
}

std::vector<int> ClusterViews(VisibilityClusteringType type,
                              const SimilarityGraph& graph) {
  return NumberByFirstView(type == CANONICAL_VIEWS ? ChooseCanonicalViews(graph)
                                                   : LinkSimilarViews(graph));
}

std::vector<PathNeighbors> FindHeavyPaths(const SimilarityGraph& graph) {
  struct WeightedPair {
    double weight;
    int i;
    int j;
  };
  std::vector<WeightedPair> pairs;
  for (int i = 0; i < graph.num_views(); ++i) {
    for (const SimilarityGraph::Edge& edge : graph.edges[i]) {
      if (edge.view > i) pairs.push_back({edge.weight, i, edge.view});
    }
  }
  std::stable_sort(pairs.begin(), pairs.end(),
                   [](const WeightedPair& a, const WeightedPair& b) {
                     return a.weight > b.weight;
                   });
  std::vector<PathNeighbors> result(graph.num_views());
  DisjointSets sets(graph.num_views());
  for (const WeightedPair& pair : pairs) {
    int* const free_i = std::find(result[pair.i].neighbor,
                                  result[pair.i].neighbor + 2, kNoView);
    int* const free_j = std::find(result[pair.j].neighbor,
                                  result[pair.j].neighbor + 2, kNoView);
    if (free_i == result[pair.i].neighbor + 2 ||
        free_j == result[pair.j].neighbor + 2 || !sets.Unite(pair.i, pair.j)) {
      continue;
    }
    *free_i = pair.j;
    *free_j = pair.i;
  }
  return result;
}

}  // namespace ceres::internal
