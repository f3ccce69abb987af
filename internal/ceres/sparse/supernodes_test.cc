// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/sparse/supernodes.h"

#include <algorithm>
#include <numeric>
#include <random>
#include <set>
#include <vector>

#include "ceres/sparse/elimination_tree.h"
#include "ceres/sparse/fill_reducing_ordering.h"
#include "ceres/sparse/random_block_symmetric.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

using testing::ElementsAre;

std::vector<int> Identity(int n) {
  std::vector<int> result(n);
  std::iota(result.begin(), result.end(), 0);
  return result;
}

// The rows below the diagonal of each column of the factor, by elimination of
// sets.
std::vector<std::set<int>> FactorRows(const SymmetricGraph& graph,
                                      const std::vector<int>& order) {
  const std::vector<int> position = InversePermutation(order);
  std::vector<std::set<int>> rows(order.size());
  for (int i = 0; i < graph.num_nodes(); ++i) {
    for (int e = graph.start[i]; e < graph.start[i + 1]; ++e) {
      const int j = graph.neighbor[e];
      if (position[j] > position[i]) rows[position[i]].insert(position[j]);
    }
  }
  for (std::set<int>& column : rows) {
    if (column.empty()) continue;
    rows[*column.begin()].insert(std::next(column.begin()), column.end());
  }
  return rows;
}

std::vector<SymmetricGraph> RandomGraphs() {
  std::vector<SymmetricGraph> graphs;
  for (const int edges : {0, 5, 30, 60, 200, 100000}) {
    graphs.push_back(GraphOfBlocks(
        MakeRandomBlockSymmetric(50, 2, edges, edges + 1)->structure));
  }
  return graphs;
}

TEST(EliminationTree, ParentsAndCountsAreThoseOfTheFactor) {
  for (const SymmetricGraph& graph : RandomGraphs()) {
    std::vector<int> order = Identity(graph.num_nodes());
    std::shuffle(order.begin(), order.end(), std::mt19937(3));
    std::vector<int> weight(order.size());
    for (size_t k = 0; k < weight.size(); ++k) {
      weight[k] = static_cast<int>(k % 4);
    }
    const std::vector<std::set<int>> rows = FactorRows(graph, order);
    const std::vector<int> parent = EliminationTree(graph, order);
    const std::vector<int64_t> count =
        ColumnCounts(graph, order, parent, weight);
    for (size_t k = 0; k < order.size(); ++k) {
      EXPECT_EQ(parent[k], rows[k].empty() ? -1 : *rows[k].begin());
      int64_t expected = 0;
      for (const int row : rows[k]) expected += weight[row];
      EXPECT_EQ(count[k], expected);
    }
  }
}

TEST(EliminationTree, PostorderKeepsSubtreesTogether) {
  //     6      5
  //    / \     |
  //   4   2    3
  //   |
  //   0,1
  EXPECT_THAT(Postorder({4, 4, 6, 5, 6, -1, -1}),
              ElementsAre(3, 5, 2, 0, 1, 4, 6));
  EXPECT_THAT(Postorder({}), ElementsAre());
}

TEST(MergeIndistinguishable, FindsWhatOccursTogetherWithinGroups) {
  // Blocks 2k and 2k + 1 are one pose of a chain.
  const auto a = MakeBlockSymmetric(
      std::vector<int>(8, 3), [](int i, int j) { return j / 2 - i / 2 <= 1; },
      1);
  const SymmetricGraph graph = GraphOfBlocks(a->structure);
  // Poses 0 and 3, at the ends, stay apart from their neighbours.
  const std::vector<int> merged = MergeIndistinguishable(graph, nullptr);
  EXPECT_THAT(merged, ElementsAre(0, 0, 1, 1, 2, 2, 3, 3));
  const SymmetricGraph quotient = QuotientGraph(graph, merged, 4);
  EXPECT_THAT(quotient.start, ElementsAre(0, 1, 3, 5, 6));
  EXPECT_THAT(quotient.neighbor, ElementsAre(1, 0, 2, 1, 3, 2));
  const std::vector<int> group = {0, 0, 0, 1, 0, 0, 1, 0};
  EXPECT_THAT(MergeIndistinguishable(graph, &group),
              ElementsAre(0, 0, 1, 2, 3, 3, 4, 5));
}

TEST(Supernodes, HoldTheFactor) {
  for (const SymmetricGraph& graph : RandomGraphs()) {
    const std::vector<int> weight(graph.num_nodes(), 3);
    const Supernodes s = FindSupernodes(graph, weight, MinimumDegree(graph));
    std::vector<int> sorted = s.order;
    std::sort(sorted.begin(), sorted.end());
    ASSERT_EQ(sorted, Identity(graph.num_nodes()));
    const std::vector<std::set<int>> rows = FactorRows(graph, s.order);
    for (int k = 0; k < s.size(); ++k) {
      const int end = s.first_position[k + 1];
      const std::set<int> below(s.row.begin() + s.first_row[k],
                                s.row.begin() + s.first_row[k + 1]);
      EXPECT_TRUE(std::is_sorted(s.row.begin() + s.first_row[k],
                                 s.row.begin() + s.first_row[k + 1]));
      std::set<int> all = below;
      for (int p = s.first_position[k]; p < end; ++p) all.insert(p);
      for (int p = s.first_position[k]; p < end; ++p) {
        EXPECT_TRUE(std::includes(all.begin(), all.end(), rows[p].begin(),
                                  rows[p].end()));
      }
      if (below.empty()) {
        EXPECT_EQ(s.parent[k], -1);
        continue;
      }
      // The parent has the first row, and all others are in its front.
      const int p = s.parent[k];
      ASSERT_GT(p, k);
      EXPECT_GE(*below.begin(), s.first_position[p]);
      EXPECT_LT(*below.begin(), s.first_position[p + 1]);
      for (const int row : below) {
        EXPECT_TRUE(row < s.first_position[p + 1] ||
                    std::binary_search(s.row.begin() + s.first_row[p],
                                       s.row.begin() + s.first_row[p + 1],
                                       row));
      }
    }
  }
}

TEST(Supernodes, DenseMatrixIsOneAndDiagonalMatrixHasNoRows) {
  const auto dense = MakeRandomBlockSymmetric(20, 2, 100000, 1);
  const SymmetricGraph graph = GraphOfBlocks(dense->structure);
  EXPECT_EQ(FindSupernodes(graph, std::vector<int>(20, 2), Identity(20)).size(),
            1);
  SymmetricGraph diagonal;
  diagonal.start.assign(21, 0);
  const Supernodes s =
      FindSupernodes(diagonal, std::vector<int>(20, 2), Identity(20));
  EXPECT_EQ(s.size(), 20);
  EXPECT_TRUE(s.row.empty());
}

int64_t Fill(const SymmetricGraph& graph, const std::vector<int>& order) {
  const std::vector<int64_t> count =
      ColumnCounts(graph, order, EliminationTree(graph, order),
                   std::vector<int>(order.size(), 1));
  return std::accumulate(count.begin(), count.end(), int64_t{0});
}

TEST(MinimumDegree, IsAPermutationForAnyGraph) {
  for (const SymmetricGraph& graph : RandomGraphs()) {
    std::vector<int> order = MinimumDegree(graph);
    std::sort(order.begin(), order.end());
    EXPECT_EQ(order, Identity(graph.num_nodes()));
  }
  EXPECT_TRUE(MinimumDegree(SymmetricGraph()).empty());
}

TEST(MinimumDegree, TreesDoNotFill) {
  const int n = 200;
  const auto arrow = MakeBlockSymmetric(
      std::vector<int>(n, 1), [](int i, int) { return i == 0; }, 1);
  const auto tree = MakeBlockSymmetric(
      std::vector<int>(n, 1), [](int i, int j) { return (j - 1) / 2 == i; }, 1);
  for (const auto& a : {arrow.get(), tree.get()}) {
    const SymmetricGraph graph = GraphOfBlocks(a->structure);
    EXPECT_EQ(Fill(graph, MinimumDegree(graph)), n - 1);
  }
}

TEST(MinimumDegree, FillsGridsAsOtherOrderingsDo) {
  const int side = 24;
  const auto grid = MakeBlockSymmetric(
      std::vector<int>(side * side, 1),
      [=](int i, int j) {
        return j == i + side || (j == i + 1 && j % side != 0);
      },
      1);
  const SymmetricGraph graph = GraphOfBlocks(grid->structure);
  std::string message;
  const int64_t expected =
      Fill(graph, NativeOrdering(graph, AMD, nullptr, &message));
  EXPECT_LT(Fill(graph, MinimumDegree(graph)), 1.15 * expected);
  // Row by row it would be some side^3.
  EXPECT_LT(Fill(graph, MinimumDegree(graph)), side * side * side / 2);
}

}  // namespace
}  // namespace ceres::internal
