// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/sparse/tree_balance.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "ceres/sparse/elimination_tree.h"
#include "ceres/sparse/fill_reducing_ordering.h"
#include "ceres/sparse/random_block_symmetric.h"
#include "ceres/sparse/supernodes.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

// Multiplications with additions of the columns of a factor, without relaxed
// supernodes: of all, and of the longest path in the tree.
struct Work {
  double all = 0.0, path = 0.0;
};
Work CountWork(const SymmetricGraph& graph, const std::vector<int>& order,
               int weight) {
  const std::vector<int> parent = EliminationTree(graph, order);
  const std::vector<int64_t> count = ColumnCounts(
      graph, order, parent, std::vector<int>(order.size(), weight));
  Work work;
  std::vector<double> path(order.size(), 0.0);
  for (size_t k = 0; k < order.size(); ++k) {
    const double w = weight, b = static_cast<double>(count[k]);
    const double own = w * w * w / 6.0 + w * w * b / 2.0 + w * b * b / 2.0;
    work.all += own;
    path[k] += own;
    work.path = std::max(work.path, path[k]);
    if (parent[k] != -1) path[parent[k]] = std::max(path[parent[k]], path[k]);
  }
  return work;
}

struct Case {
  const char* name;
  SymmetricGraph graph;
  std::vector<int> order;
};

// n nodes in a row, each joined to some next ones, and eliminated from one end
// to the other: a bad tree.
template <typename Has>
Case InARow(const char* name, int n, const Has& has) {
  Case result{
      name,
      GraphOfBlocks(
          MakeBlockSymmetric(std::vector<int>(n, 1), has, 1)->structure),
      std::vector<int>(n)};
  std::iota(result.order.begin(), result.order.end(), 0);
  return result;
}

TEST(TreeBalance, ChainsAndRingsAreEliminatedFromBothEnds) {
  constexpr int kWeight = 9, kSize = 300;
  const Case cases[] = {
      InARow("chain", kSize, [](int i, int j) { return j <= i + 6; }),
      InARow("ring", kSize,
             [](int i, int j) { return j <= i + 6 || i + kSize - j <= 6; })};
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    const std::vector<int> weight(kSize, kWeight);
    const std::vector<int> balanced =
        BalancedOrder(FindSupernodes(c.graph, weight, c.order), weight);
    std::vector<int> sorted = balanced;
    std::sort(sorted.begin(), sorted.end());
    ASSERT_EQ(sorted, c.order) << "is no permutation";
    const Work before = CountWork(c.graph, c.order, kWeight);
    const Work after = CountWork(c.graph, balanced, kWeight);
    EXPECT_EQ(before.path, before.all);
    EXPECT_LT(after.path, 0.6 * before.path);
    EXPECT_LT(after.all, 1.02 * before.all);
  }
}

// Combs of several trees, cut at random, minimum degree or not.
TEST(TreeBalance, OrdersOfRandomGraphsStayPermutationsOfTheSameWork) {
  constexpr int kWeight = 12, kSize = 240;
  int num_balanced = 0;
  for (int seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(seed);
    const Case c = InARow("comb", kSize, [seed](int i, int j) {
      if (i / 120 != j / 120) return false;
      return j <= i + 2 + seed % 5 || (i * 7 + j * (seed + 3)) % 190 == 0;
    });
    const std::vector<int> weight(kSize, kWeight);
    for (const std::vector<int>& order : {c.order, MinimumDegree(c.graph)}) {
      const Supernodes supernodes = FindSupernodes(c.graph, weight, order);
      const std::vector<int> balanced = BalancedOrder(supernodes, weight);
      if (balanced.empty()) continue;
      ++num_balanced;
      std::vector<int> sorted = balanced;
      std::sort(sorted.begin(), sorted.end());
      ASSERT_EQ(sorted, c.order);
      const Work before = CountWork(c.graph, supernodes.order, kWeight);
      const Work after = CountWork(c.graph, balanced, kWeight);
      EXPECT_LT(after.path, before.path);
      // Zeros of relaxed supernodes may become fill.
      EXPECT_LT(after.all, 1.05 * before.all);
    }
  }
  EXPECT_GE(num_balanced, 10);
}

TEST(TreeBalance, LowTreesAndLittleWorkAreLeftAlone) {
  const Case chain =
      InARow("chain", 300, [](int i, int j) { return j <= i + 1; });
  const std::vector<int> ones(300, 1), tens(300, 10);
  EXPECT_TRUE(
      BalancedOrder(FindSupernodes(chain.graph, ones, chain.order), ones)
          .empty());
  // All of it is one front.
  const Case dense = InARow("dense", 40, [](int, int) { return true; });
  EXPECT_TRUE(
      BalancedOrder(FindSupernodes(dense.graph, tens, dense.order), tens)
          .empty());
}

}  // namespace
}  // namespace ceres::internal
