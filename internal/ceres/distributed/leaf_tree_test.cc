// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/distributed/leaf_tree.h"

#include <cmath>
#include <random>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

using testing::ElementsAre;

std::vector<std::vector<int>> AsLists(const std::vector<LeafRange>& nodes) {
  std::vector<std::vector<int>> lists;
  for (const LeafRange& node : nodes) lists.push_back({node.begin, node.end});
  return lists;
}

TEST(LeafTree, LeftChildHasTheLargestPowerOfTwo) {
  EXPECT_EQ(LeafTree::Split({0, 2}), 1);
  EXPECT_EQ(LeafTree::Split({0, 3}), 2);
  EXPECT_EQ(LeafTree::Split({4, 8}), 6);
  EXPECT_EQ(LeafTree::Split({0, 7}), 4);
  EXPECT_EQ(LeafTree::Split({10, 19}), 18);
}

TEST(LeafTree, WholeNodesAreTheLargestOnesOfOneRank) {
  const LeafTree tree({0, 0, 0, 1, 1, 1});
  EXPECT_THAT(AsLists(tree.whole_nodes()),
              ElementsAre(ElementsAre(0, 2), ElementsAre(2, 3),
                          ElementsAre(3, 4), ElementsAre(4, 6)));
  EXPECT_EQ(tree.OwnerOf({0, 2}), 0);
  EXPECT_EQ(tree.OwnerOf({2, 4}), -1);
}

TEST(LeafTree, OneRankHasOneWholeNode) {
  EXPECT_THAT(AsLists(LeafTree({0, 0, 0, 0, 0}).whole_nodes()),
              ElementsAre(ElementsAre(0, 5)));
}

TEST(LeafTree, AddsInTheOrderOfTheTree) {
  // Rounding tells the order: 1 is lost beside 1e16, twice 1 is not.
  const std::vector<double> values = {1e16, 1.0, 1.0, 1.0};
  const double expected = (1e16 + 1.0) + (1.0 + 1.0);
  EXPECT_EQ(LeafTree({0, 0, 1, 1}).Sum(values.data()), expected);
  EXPECT_NE(expected, ((1e16 + 1.0) + 1.0) + 1.0);
  EXPECT_EQ(LeafTree(std::vector<int>()).Sum(nullptr), 0.0);
}

// Sums arrays of two values as ranks do: whole nodes first, then the rest.
std::vector<double> SumOverRanks(const LeafTree& tree,
                                 const std::vector<std::vector<double>>& leaf) {
  const auto add = [](const double* from, double* to) {
    for (int i = 0; i < 2; ++i) to[i] += from[i];
  };
  const auto put = [&](const double* from, ArraySum::Use use, double* to) {
    if (use == ArraySum::Use::kOverwrite) std::fill_n(to, 2, 0.0);
    add(from, to);
  };
  std::vector<double> node_sums;
  for (const LeafRange& node : tree.whole_nodes()) {
    ArraySum of_rank(
        2,
        [&](const LeafRange& range, ArraySum::Use use, double* array) {
          if (range.size() > 1) return false;
          put(leaf[range.begin].data(), use, array);
          return true;
        },
        add);
    std::vector<double> sum(2);
    of_rank.Compute(node, sum.data());
    node_sums.insert(node_sums.end(), sum.begin(), sum.end());
  }
  int next = 0;
  ArraySum of_all(
      2,
      [&](const LeafRange& range, ArraySum::Use use, double* array) {
        if (tree.OwnerOf(range) < 0) return false;
        put(node_sums.data() + 2 * next++, use, array);
        return true;
      },
      add);
  std::vector<double> sum(2);
  of_all.Compute(tree.root(), sum.data());
  return sum;
}

TEST(ArraySum, HasTheSameBitsForEveryDistributionOfLeaves) {
  std::mt19937 generator(1);
  std::normal_distribution<double> normal;
  for (const int num_leaves : {1, 2, 3, 8, 13, 32}) {
    std::vector<std::vector<double>> leaf;
    std::vector<double> first_values;
    for (int l = 0; l < num_leaves; ++l) {
      leaf.push_back({std::exp(10.0 * normal(generator)), normal(generator)});
      first_values.push_back(leaf.back()[0]);
    }
    const LeafTree on_one(std::vector<int>(num_leaves, 0));
    const std::vector<double> expected = SumOverRanks(on_one, leaf);
    EXPECT_EQ(on_one.Sum(first_values.data()), expected[0]);
    for (int num_ranks = 2; num_ranks <= num_leaves; ++num_ranks) {
      std::vector<int> contiguous;
      std::vector<int> scattered;
      for (int l = 0; l < num_leaves; ++l) {
        contiguous.push_back(l * num_ranks / num_leaves);
        scattered.push_back(l % num_ranks);
      }
      EXPECT_EQ(SumOverRanks(LeafTree(contiguous), leaf), expected);
      EXPECT_EQ(SumOverRanks(LeafTree(scattered), leaf), expected);
    }
  }
}

}  // namespace
}  // namespace ceres::internal
