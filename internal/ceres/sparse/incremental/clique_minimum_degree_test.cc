// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/sparse/incremental/clique_minimum_degree.h"

#include <algorithm>
#include <random>
#include <set>
#include <vector>

#include "ceres/sparse/elimination_tree.h"
#include "ceres/sparse/fill_reducing_ordering.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

CliqueGraph RandomGraph(int num_nodes, int num_cliques, unsigned seed) {
  std::mt19937 random(seed);
  const auto pick = [&random](int n) { return static_cast<int>(random() % n); };
  CliqueGraph graph;
  for (int i = 0; i < num_nodes; ++i) graph.AddNode(1 + pick(6), pick(8) == 0);
  for (int c = 0; c < num_cliques + num_nodes; ++c) {
    // The first cliques let no node be without a clique.
    std::set<int> members = {c < num_nodes ? c : pick(num_nodes)};
    const int size = 1 + pick(4);
    while (static_cast<int>(members.size()) < size) {
      members.insert(std::min(num_nodes - 1, *members.begin() + pick(9)));
      if (pick(5) == 0) members.insert(pick(num_nodes));
    }
    graph.members.insert(graph.members.end(), members.begin(), members.end());
    graph.EndClique();
  }
  return graph;
}

// Eliminates the nodes one by one, with sets of neighbours.
std::vector<std::set<int>> NeighboursAtElimination(
    const CliqueGraph& graph, const std::vector<int>& order) {
  std::vector<std::set<int>> neighbours(graph.num_nodes());
  for (int c = 0; c < graph.num_cliques(); ++c) {
    for (int i = graph.first_member[c]; i < graph.first_member[c + 1]; ++i) {
      for (int j = graph.first_member[c]; j < graph.first_member[c + 1]; ++j) {
        if (i != j) neighbours[graph.members[i]].insert(graph.members[j]);
      }
    }
  }
  for (const int p : order) {
    for (const int i : neighbours[p]) {
      neighbours[i].erase(p);
      for (const int j : neighbours[p]) {
        if (i != j) neighbours[i].insert(j);
      }
    }
  }
  return neighbours;
}

TEST(CliqueMinimumDegree, FrontsContainTheFillOfTheirPivots) {
  CliqueMinimumDegree ordering;
  for (const unsigned seed : {1, 2, 3, 4, 5, 6}) {
    const CliqueGraph graph = RandomGraph(80, 100, seed);
    CliqueForest forest;
    ordering.Order(graph, &forest);

    std::vector<int> sorted = forest.pivots;
    std::sort(sorted.begin(), sorted.end());
    for (int i = 0; i < graph.num_nodes(); ++i) ASSERT_EQ(sorted[i], i);

    const auto neighbours = NeighboursAtElimination(graph, forest.pivots);
    for (int f = 0; f < forest.num_fronts(); ++f) {
      std::set<int> rows(forest.pivots.begin() + forest.first_pivot[f],
                         forest.pivots.begin() + forest.first_pivot[f + 1]);
      rows.insert(forest.below.begin() + forest.first_below[f],
                  forest.below.begin() + forest.first_below[f + 1]);
      for (int k = forest.first_pivot[f]; k < forest.first_pivot[f + 1]; ++k) {
        for (const int i : neighbours[forest.pivots[k]]) {
          EXPECT_EQ(rows.count(i), 1u) << "seed " << seed << ", front " << f;
        }
      }
      // The rows below are rows of the parent.
      const int parent = forest.parent[f];
      if (forest.first_below[f] == forest.first_below[f + 1]) {
        EXPECT_EQ(parent, -1);
        continue;
      }
      ASSERT_GT(parent, f);
      std::set<int> above(
          forest.pivots.begin() + forest.first_pivot[parent],
          forest.pivots.begin() + forest.first_pivot[parent + 1]);
      above.insert(forest.below.begin() + forest.first_below[parent],
                   forest.below.begin() + forest.first_below[parent + 1]);
      for (int k = forest.first_below[f]; k < forest.first_below[f + 1]; ++k) {
        EXPECT_EQ(above.count(forest.below[k]), 1u);
      }
    }
  }
}

TEST(CliqueMinimumDegree, ACliqueIsInTheFrontOfItsFirstNode) {
  const CliqueGraph graph = RandomGraph(60, 90, 7);
  CliqueForest forest;
  CliqueMinimumDegree().Order(graph, &forest);
  std::vector<int> front(graph.num_nodes());
  for (int f = 0; f < forest.num_fronts(); ++f) {
    for (int k = forest.first_pivot[f]; k < forest.first_pivot[f + 1]; ++k) {
      front[forest.pivots[k]] = f;
    }
  }
  for (int c = 0; c < graph.num_cliques(); ++c) {
    int first = forest.num_fronts();
    for (int k = graph.first_member[c]; k < graph.first_member[c + 1]; ++k) {
      first = std::min(first, front[graph.members[k]]);
    }
    EXPECT_EQ(forest.front_of_clique[c], first);
  }
}

TEST(CliqueMinimumDegree, LastNodesComeLastAndShareNoFront) {
  const CliqueGraph graph = RandomGraph(60, 90, 8);
  CliqueForest forest;
  CliqueMinimumDegree().Order(graph, &forest);
  bool found_last = false;
  for (const int p : forest.pivots) {
    if (graph.is_last[p] != 0) found_last = true;
    EXPECT_EQ(graph.is_last[p] != 0, found_last);
  }
  EXPECT_TRUE(found_last);
  for (int f = 0; f < forest.num_fronts(); ++f) {
    const int first = forest.pivots[forest.first_pivot[f]];
    for (int k = forest.first_pivot[f]; k < forest.first_pivot[f + 1]; ++k) {
      EXPECT_EQ(graph.is_last[forest.pivots[k]], graph.is_last[first]);
    }
  }
}

TEST(CliqueMinimumDegree, PiecesGiveTheSameForest) {
  const CliqueGraph graph = RandomGraph(80, 100, 9);
  CliqueForest whole, pieces;
  CliqueMinimumDegree ordering;
  ordering.Order(graph, &whole);
  ordering.Begin(graph);
  int num_calls = 1;
  while (!ordering.Advance(100)) ++num_calls;
  ordering.Finish(&pieces);
  EXPECT_GT(num_calls, 5);
  EXPECT_EQ(pieces.pivots, whole.pivots);
  EXPECT_EQ(pieces.parent, whole.parent);
  EXPECT_EQ(pieces.below, whole.below);
}

TEST(CliqueMinimumDegree, FillOfAGridIsNearThatOfMinimumDegree) {
  constexpr int kSide = 30;
  CliqueGraph graph;
  SymmetricGraph neighbours;
  for (int i = 0; i < kSide * kSide; ++i) {
    graph.AddNode(1, false);
    const int x = i % kSide, y = i / kSide;
    const auto connect = [&](bool exists, int j) {
      if (!exists) return;
      neighbours.neighbor.push_back(j);
      if (j < i) return;
      graph.members.insert(graph.members.end(), {i, j});
      graph.EndClique();
    };
    connect(y > 0, i - kSide);
    connect(x > 0, i - 1);
    connect(x + 1 < kSide, i + 1);
    connect(y + 1 < kSide, i + kSide);
    neighbours.start.push_back(static_cast<int>(neighbours.neighbor.size()));
  }
  const auto fill = [&graph](const std::vector<int>& order) {
    size_t sum = 0;
    for (const auto& n : NeighboursAtElimination(graph, order)) sum += n.size();
    return static_cast<double>(sum);
  };
  CliqueForest forest;
  CliqueMinimumDegree().Order(graph, &forest);
  EXPECT_LT(fill(forest.pivots), 1.2 * fill(MinimumDegree(neighbours)));
}

}  // namespace
}  // namespace ceres::internal
