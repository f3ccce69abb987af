// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/schur/view_clusters.h"

#include <cmath>
#include <random>
#include <vector>

#include "ceres/linear/random_jacobian.h"
#include "ceres/schur/schur_tuning.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

using testing::ElementsAre;

Visibility See(int num_views, const std::vector<std::vector<int>>& points) {
  Visibility visibility;
  visibility.num_views = num_views;
  for (const std::vector<int>& views : points) {
    visibility.view.insert(visibility.view.end(), views.begin(), views.end());
    visibility.first_view.push_back(static_cast<int>(visibility.view.size()));
  }
  return visibility;
}

SimilarityGraph Graph(int num_views,
                      const std::vector<std::vector<double>>& edges) {
  SimilarityGraph graph;
  graph.edges.resize(num_views);
  for (const std::vector<double>& edge : edges) {
    const int i = static_cast<int>(edge[0]);
    const int j = static_cast<int>(edge[1]);
    graph.edges[i].push_back({j, edge[2]});
    graph.edges[j].push_back({i, edge[2]});
  }
  return graph;
}

// Cliques of the given sizes with weight `inside`, each linked to the next by
// one edge of weight `between`.
SimilarityGraph LinkedCliques(const std::vector<int>& sizes, double inside,
                              double between) {
  std::vector<std::vector<double>> edges;
  int begin = 0;
  for (const int size : sizes) {
    for (int i = begin; i < begin + size; ++i) {
      for (int j = i + 1; j < begin + size; ++j) {
        edges.push_back({1.0 * i, 1.0 * j, inside});
      }
    }
    if (begin > 0) edges.push_back({begin - 1.0, 1.0 * begin, between});
    begin += size;
  }
  return Graph(begin, edges);
}

TEST(ComputeSimilarity, IsTheSharedPointsOverTheGeometricMean) {
  const SimilarityGraph graph = ComputeSimilarity(
      {}, See(4, {{0, 1}, {0, 1}, {0}, {1, 2}, {0, 1}, {}, {0}}));
  ASSERT_EQ(graph.num_views(), 4);
  ASSERT_EQ(graph.edges[0].size(), 1u);
  EXPECT_EQ(graph.edges[0][0].view, 1);
  EXPECT_DOUBLE_EQ(graph.edges[0][0].weight, 3.0 / std::sqrt(5.0 * 4.0));
  ASSERT_EQ(graph.edges[1].size(), 2u);
  EXPECT_EQ(graph.edges[1][1].view, 2);
  EXPECT_DOUBLE_EQ(graph.edges[1][1].weight, 1.0 / std::sqrt(4.0 * 1.0));
  EXPECT_EQ(graph.edges[2].size(), 1u);
  EXPECT_TRUE(graph.edges[3].empty());
}

TEST(ComputeSimilarity, IsTheSameForEveryNumberOfThreads) {
  std::mt19937 random(3);
  std::vector<std::vector<int>> points(4000);
  for (std::vector<int>& views : points) {
    for (int v = 0; v < 60; ++v) {
      if (random() % 8 == 0) views.push_back(v);
    }
  }
  const Visibility visibility = See(60, points);
  const SimilarityGraph expected = ComputeSimilarity({}, visibility);
  TestThreads threads(4);
  const SimilarityGraph graph =
      ComputeSimilarity(threads.execution(), visibility);
  for (int i = 0; i < 60; ++i) {
    ASSERT_EQ(graph.edges[i].size(), expected.edges[i].size());
    for (size_t k = 0; k < graph.edges[i].size(); ++k) {
      EXPECT_EQ(graph.edges[i][k].view, expected.edges[i][k].view);
      EXPECT_EQ(graph.edges[i][k].weight, expected.edges[i][k].weight);
    }
  }
}

TEST(ClusterViews, CanonicalViewsFindTightGroups) {
  EXPECT_THAT(ClusterViews(CANONICAL_VIEWS, LinkedCliques({5, 6, 4}, 0.9, 0.2)),
              ElementsAre(0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2));
}

TEST(ClusterViews, CanonicalViewsLeaveWhatIsNotWorthAClusterAlone) {
  // Two pairs: a centre would add 1.9, and costs more.
  EXPECT_THAT(ClusterViews(CANONICAL_VIEWS, LinkedCliques({2, 2}, 0.9, 0.1)),
              ElementsAre(0, 1, 2, 3));
}

// Against the best view by brute force, one after the other.
TEST(ClusterViews, CanonicalViewsAreThoseOfThePlainGreedyMethod) {
  for (int seed = 1; seed <= 5; ++seed) {
    std::mt19937 random(seed);
    const int n = 40;
    Eigen::MatrixXd w = Eigen::MatrixXd::Identity(n, n);
    std::vector<std::vector<double>> edges;
    for (int i = 0; i < n; ++i) {
      for (int j = i + 1; j < n; ++j) {
        if (random() % 3 != 0) continue;
        w(i, j) = w(j, i) = (random() % 1000 + 1) / 1001.0;
        edges.push_back({1.0 * i, 1.0 * j, w(i, j)});
      }
    }
    Eigen::VectorXd best = Eigen::VectorXd::Zero(n);
    std::vector<int> chosen;
    for (;;) {
      Eigen::Index argmax = 0;
      Eigen::VectorXd gain(n);
      for (int c = 0; c < n; ++c) {
        gain[c] = (w.col(c) - best).cwiseMax(0.0).sum() - kViewPenalty;
      }
      if (gain.maxCoeff(&argmax) <= 0.0) break;
      chosen.push_back(static_cast<int>(argmax));
      best = best.cwiseMax(w.col(argmax));
    }
    ASSERT_GT(chosen.size(), 1u);
    const std::vector<int> cluster =
        ClusterViews(CANONICAL_VIEWS, Graph(n, edges));
    for (int i = 0; i < n; ++i) {
      if (best[i] == 0.0) continue;
      for (const int c : chosen) {
        if (w(i, c) == best[i]) {
          EXPECT_EQ(cluster[i], cluster[c]);
          break;
        }
      }
    }
  }
}

TEST(ClusterViews, SingleLinkageJoinsChainsOfHeavyEdges) {
  const double enough = kLinkSimilarity;
  const SimilarityGraph graph = Graph(5, {{0, 2, 0.95},
                                          {2, 4, enough},
                                          {0, 4, 0.1},
                                          {1, 3, 0.99 * enough},
                                          {1, 2, 0.5 * enough}});
  EXPECT_THAT(ClusterViews(SINGLE_LINKAGE, graph), ElementsAre(0, 1, 0, 2, 0));
}

TEST(FindHeavyPaths, TakesHeavyEdgesWithoutCyclesOrBranches) {
  // 0 - 1 - 2 close a triangle; 3 hangs on 1, which has two neighbours by then.
  const auto paths = FindHeavyPaths(Graph(
      5, {{0, 1, 0.9}, {1, 2, 0.8}, {0, 2, 0.7}, {1, 3, 0.6}, {2, 3, 0.5}}));
  ASSERT_EQ(paths.size(), 5u);
  EXPECT_TRUE(paths[0].Has(1));
  EXPECT_FALSE(paths[0].Has(2));
  EXPECT_TRUE(paths[1].Has(0));
  EXPECT_TRUE(paths[1].Has(2));
  EXPECT_FALSE(paths[1].Has(3));
  EXPECT_TRUE(paths[2].Has(3));
  EXPECT_TRUE(paths[3].Has(2));
  EXPECT_EQ(paths[3].neighbor[1], kNoView);
  EXPECT_EQ(paths[4].neighbor[0], kNoView);
}

}  // namespace
}  // namespace ceres::internal
