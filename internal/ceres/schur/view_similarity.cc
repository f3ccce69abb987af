// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/schur/view_similarity.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "ceres/execution/loops.h"

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

}  // namespace ceres::internal
